// surface_solid.h - the solid that a closed surface bounds: its volume, centre and inertia.
#pragma once

#include "base/common.h"
#include "flexion/scene.h"

typedef struct flx_surface_solid {
    double volume;     // in units of the file
    double centre[3];  // of volume
    double inertia[9]; // of mass 1 about the centre
    int nopen;         // edges without a triangle on their other side: where it is open
} flx_surface_solid;

// Triangles all wound the other way are taken so. Where edges are open, or nothing is enclosed, the volume is 0.
flx_status flx_surface_solid_find(flx_ctx *ctx, const flx_scene_surface *s, flx_surface_solid *out);
