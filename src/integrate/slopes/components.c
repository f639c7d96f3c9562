// components.c - see components.h.
#include "integrate/slopes/components.h"

#include "base/arrays.h"
#include "integrate/slopes/five_points.h"

#include <math.h>
#include <string.h>

#define PART 1e-2  // T is a polynomial of low degree
#define MOVED 1e-6 // more than rounding

struct flx_component_blocks {
    const flx_system *sys;  // borrowed
    bool plain;             // q' = v
    int most_q, most_v;     // coordinates and velocities of a block, at most
    int *of_q, *of_v;       // (nq) (nv) its number within its block
    int *block_q, *block_v; // (nq) (nv) the block
    double *a, *b, *e;      // (nq) (nq) (nq) scratch
    double *u;              // (nv)
    void *block;
};

void flx_component_blocks_destroy(flx_component_blocks **c)
{
    if (!c || !*c) return;
    flx_free((*c)->block);
    flx_free(*c);
    *c = NULL;
}

// Which coordinates move with a block of velocities is seen where it is moved.
static void find_blocks(flx_component_blocks *c)
{
    const flx_system *s = c->sys;
    const flx_pattern *p = &s->pattern;
    const flx_dims *d = &s->dims;
    for (int i = 0; i < d->nq; i++) {
        c->e[i] = 0.3 + 0.1 * (i % 5); // nothing special
        c->block_q[i] = -1;
    }
    s->ops->components->normalise(s, c->e);
    for (int b = 0; b < p->nblock && p->start[b] < d->nv; b++) {
        int nq = 0;
        memset(c->u, 0, (size_t)d->nv * sizeof *c->u);
        for (int i = p->start[b]; i < p->start[b + 1]; i++) {
            c->u[i] = 0.1 + 0.03 * (i % 3);
            c->of_v[i] = i - p->start[b];
            c->block_v[i] = b;
            if (c->of_v[i] + 1 > c->most_v) c->most_v = c->of_v[i] + 1;
        }
        s->ops->retract(s, c->e, c->u, c->a);
        for (int i = 0; i < d->nq; i++) {
            if (fabs(c->a[i] - c->e[i]) < MOVED) continue;
            c->block_q[i] = b;
            c->of_q[i] = nq++;
        }
        if (nq > c->most_q) c->most_q = nq;
    }
}

flx_status flx_component_blocks_create(const flx_system *s, flx_component_blocks **out)
{
    flx_component_blocks *c = *out = flx_alloc(s->ctx, 1, sizeof *c);
    if (!c) return FLX_ERR_MEMORY;
    const flx_dims *d = &s->dims;
    c->sys = s;
    c->plain = d->nq == d->nv || !s->ops->components;
    const flx_array arrays[] = {FLX_ARRAY(c->of_q, d->nq),    FLX_ARRAY(c->of_v, d->nv),
                                FLX_ARRAY(c->block_q, d->nq), FLX_ARRAY(c->block_v, d->nv),
                                FLX_ARRAY(c->a, d->nq),       FLX_ARRAY(c->b, d->nq),
                                FLX_ARRAY(c->e, d->nq),       FLX_ARRAY(c->u, d->nv)};
    c->block = flx_alloc_arrays(s->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    if (!c->block) {
        flx_component_blocks_destroy(out);
        return FLX_ERR_MEMORY;
    }
    if (!c->plain) find_blocks(c);
    return FLX_OK;
}

void flx_components_rate(const flx_component_blocks *c, const double *q, const double *u,
                         double *dq)
{
    if (c->plain) {
        memcpy(dq, u, (size_t)c->sys->dims.nv * sizeof *dq);
    } else {
        c->sys->ops->components->rate(c->sys, q, u, dq);
    }
}

void flx_components_turn(const flx_component_blocks *c, const double *q, const double *dq,
                         double *theta)
{
    if (c->plain) {
        memcpy(theta, dq, (size_t)c->sys->dims.nv * sizeof *theta);
    } else {
        c->sys->ops->components->velocity(c->sys, q, dq, theta);
    }
}

void flx_components_rate_t(flx_component_blocks *c, const double *q, const double *w, double *out)
{
    const flx_dims *d = &c->sys->dims;
    for (int i = 0; i < d->nv && c->plain; i++) out[i] += w[i];
    for (int k = 0; k < c->most_v; k++) {
        for (int i = 0; i < d->nv; i++) c->u[i] = c->of_v[i] == k ? 1.0 : 0.0;
        flx_components_rate(c, q, c->u, c->a);
        for (int i = 0; i < d->nv; i++) {
            if (c->of_v[i] != k) continue;
            for (int j = 0; j < d->nq; j++) {
                if (c->block_q[j] == c->block_v[i]) out[i] += c->a[j] * w[j];
            }
        }
    }
}

void flx_components_turn_t(flx_component_blocks *c, const double *q, const double *w, double *out)
{
    const flx_dims *d = &c->sys->dims;
    for (int i = 0; i < d->nv && c->plain; i++) out[i] += w[i];
    for (int k = 0; k < c->most_q; k++) {
        for (int i = 0; i < d->nq; i++) c->a[i] = c->block_q[i] >= 0 && c->of_q[i] == k ? 1.0 : 0.0;
        flx_components_turn(c, q, c->a, c->u);
        for (int i = 0; i < d->nq; i++) {
            if (c->a[i] == 0.0) continue;
            for (int j = 0; j < d->nv; j++) {
                if (c->block_v[j] == c->block_q[i]) out[i] += c->u[j] * w[j];
            }
        }
    }
}

void flx_components_slope(flx_component_blocks *c, const double *q, const double *v,
                          const double *dq, double *out)
{
    const flx_dims *d = &c->sys->dims;
    double most = 0.0;
    memset(out, 0, (size_t)d->nq * sizeof *out);
    if (c->plain) return;
    for (int i = 0; i < d->nq; i++) most = dq[i] > most ? dq[i] : -dq[i] > most ? -dq[i] : most;
    if (most == 0.0) return;
    double e = PART / most;
    for (int l = 0; l < FLX_FIVE_POINTS; l++) {
        for (int i = 0; i < d->nq; i++) c->a[i] = q[i] + flx_five_places[l] * e * dq[i];
        flx_components_rate(c, c->a, v, c->b);
        for (int i = 0; i < d->nq; i++) out[i] += flx_five_weights[l] / e * c->b[i];
    }
}

void flx_components_slope_t(flx_component_blocks *c, const double *q, const double *v,
                            const double *w, double *out)
{
    const flx_dims *d = &c->sys->dims;
    for (int k = 0; k < c->most_q; k++) {
        for (int l = 0; l < FLX_FIVE_POINTS; l++) {
            for (int i = 0; i < d->nq; i++) {
                bool moved = c->block_q[i] >= 0 && c->of_q[i] == k;
                c->a[i] = q[i] + (moved ? flx_five_places[l] * PART : 0.0);
            }
            flx_components_rate(c, c->a, v, c->b);
            for (int i = 0; i < d->nq; i++) {
                if (c->block_q[i] < 0 || c->of_q[i] != k) continue;
                for (int j = 0; j < d->nq; j++) {
                    if (c->block_q[j] == c->block_q[i])
                        out[i] += flx_five_weights[l] / PART * c->b[j] * w[j];
                }
            }
        }
    }
}
