// components.h - q' = T(q) v by components, its derivatives, and the transposes: for methods that keep no chart. T is found block
// by block: those of different blocks of velocities have no coordinate in common, and are found together.
#pragma once

#include "base/common.h"
#include "flexion/extend/system_table.h"

typedef struct flx_component_blocks flx_component_blocks;

flx_status flx_component_blocks_create(const flx_system *s, flx_component_blocks **c);
void flx_component_blocks_destroy(flx_component_blocks **c);

// All at q, whose norms may differ from one. out is overwritten, save in transposes, which add to it.
// dq = T u; out (nv) += T^T w
void flx_components_rate(const flx_component_blocks *c, const double *q, const double *u,
                         double *dq);
void flx_components_rate_t(flx_component_blocks *c, const double *q, const double *w, double *out);
// theta = T^+ dq, the turn in the chart at q; out (nq) += (T^+)^T w
void flx_components_turn(const flx_component_blocks *c, const double *q, const double *dq,
                         double *theta);
void flx_components_turn_t(flx_component_blocks *c, const double *q, const double *w, double *out);
// d(T v) by dq, into out (nq); its transpose: out (nq) += (d(T v)/dq)^T w
void flx_components_slope(flx_component_blocks *c, const double *q, const double *v,
                          const double *dq, double *out);
void flx_components_slope_t(flx_component_blocks *c, const double *q, const double *v,
                            const double *w, double *out);
