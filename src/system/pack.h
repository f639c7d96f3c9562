// pack.h - z = (q, v, x) of explicit methods, for systems whose z is just that.
#pragma once

#include "flexion/extend/system_table.h"

#include <string.h>

static inline int flx_pack_size(const flx_system *s)
{
    return s->dims.nq + s->dims.nv + s->dims.nx;
}

static inline void flx_pack(const flx_system *s, const flx_state *x, double *z)
{
    const flx_dims *n = &s->dims;
    memcpy(z, x->q, (size_t)n->nq * sizeof *z);
    memcpy(z + n->nq, x->v, (size_t)n->nv * sizeof *z);
    memcpy(z + n->nq + n->nv, x->x, (size_t)n->nx * sizeof *z);
}

// Quaternions are normalised in the state, not in z.
static inline void flx_unpack(const flx_system *s, double t, const double *z, flx_state *x)
{
    const flx_dims *n = &s->dims;
    x->t = t;
    memcpy(x->q, z, (size_t)n->nq * sizeof *z);
    memcpy(x->v, z + n->nq, (size_t)n->nv * sizeof *z);
    memcpy(x->x, z + n->nq + n->nv, (size_t)n->nx * sizeof *z);
    s->ops->components->normalise(s, x->q);
}

// z' from the rates of x; FLX_NOT_FINITE where one has no value.
static inline flx_status flx_pack_rate(const flx_system *s, const flx_state *x, const double *z,
                                       double *dz)
{
    const flx_dims *n = &s->dims;
    s->ops->components->rate(s, z, x->v, dz); // the quaternion as it is in z keeps its norm
    memcpy(dz + n->nq, x->a, (size_t)n->nv * sizeof *dz);
    memcpy(dz + n->nq + n->nv, x->dx, (size_t)n->nx * sizeof *dz);
    for (int i = 0; i < flx_pack_size(s); i++) {
        if (!(dz[i] - dz[i] == 0.0)) return FLX_NOT_FINITE;
    }
    return FLX_OK;
}
