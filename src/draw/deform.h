// deform.h - flexible bodies of a scene at a row of the motion.
#pragma once

#include "draw/scene_places.h"

// How far the nodes of a flexible body are displaced, body axes: (nnode, 3).
void flx_deform_nodes(const flx_scene_elastic *e, const float *row, double *out);
// The same of the first n nodes of its mesh; coordinates: those of the row from e->motion on.
void flx_deform_mesh(const flx_result_mesh *m, const float *coordinates, int n, float *out);
// Stresses of the first n nodes: (n, 6), and von Mises' (n). Only of meshes that have them.
void flx_deform_stress(const flx_result_mesh *m, const float *coordinates, int n, float *out,
                       float *von_mises);
