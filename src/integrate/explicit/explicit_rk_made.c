// explicit_rk_made.c - the last step of explicit_rk.c, told and replaced: for its derivatives.
#include "integrate/explicit/explicit_rk_parts.h"

#include <string.h>

int flx_rk_slopes(const flx_rk_pair *r)
{
    return r->last_is_end ? r->stages : r->stages + 1;
}

void flx_rk_slopes_of_last(const explicit_rk *p, double *k[FLX_RK_SLOPES])
{
    int end = flx_rk_slopes(p->pair) - 1;
    memcpy(k, p->k, sizeof p->k);
    k[0] = p->k[end];
    k[end] = p->k[0];
}

flx_rk_made flx_rk_last(const flx_integrator *it)
{
    const explicit_rk *p = it->data;
    flx_rk_made m = {.pair = p->pair,
                     .n = p->n,
                     .slopes = flx_rk_slopes(p->pair),
                     .t = p->t0,
                     .h = p->h0,
                     .careful = p->was_careful,
                     .projects = p->projects,
                     .z = p->z1,
                     .end = p->z};
    double *k[FLX_RK_SLOPES];
    flx_rk_slopes_of_last(p, k);
    for (int i = 0; i < m.slopes; i++) m.k[i] = k[i];
    return m;
}

void flx_rk_install(flx_integrator *it, const flx_rk_made *m)
{
    explicit_rk *p = it->data;
    size_t size = (size_t)p->n * sizeof(double);
    double *k[FLX_RK_SLOPES];
    flx_rk_slopes_of_last(p, k);
    memcpy(p->z1, m->z, size);
    memcpy(p->z, m->end, size);
    for (int i = 0; i < m->slopes; i++) memcpy(k[i], m->k[i], size);
    p->t0 = m->t;
    p->h0 = m->h;
    p->dense_ready = p->lost = false;
}
