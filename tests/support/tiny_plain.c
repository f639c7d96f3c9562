// tiny_plain.c - systems of a few lines: mixed, skate, linear.
#include "tiny_parts.h"

// ---- mixed ----------------------------------------------------------------------------------

static flx_status mixed_residual(const flx_system *s, flx_work *w, const flx_point *p, double *r)
{
    (void)w;
    const mixed_numbers *n = &as_tiny(s)->mixed;
    double q = p->q[0], v = p->v[0], x = p->x[0], y = p->w[0];
    r[0] = n->m * p->a[0] + n->k * q + n->c * v - y;
    r[1] = p->dx[0] + n->a * x - q + n->e * y;
    r[2] = y + n->b * y * y * y - x - n->d * v;
    return FLX_OK;
}

static flx_status mixed_linearise(const flx_system *s, flx_work *w, const flx_point *p,
                                  flx_blocks *b)
{
    (void)w;
    const mixed_numbers *n = &as_tiny(s)->mixed;
    const flx_pattern *pt = &s->pattern;
    tiny_clear_blocks(pt, b);
    tiny_put(pt, b->A2, 0, 0, n->m);
    tiny_put(pt, b->A1, 0, 0, n->c);
    tiny_put(pt, b->A0, 0, 0, n->k);
    tiny_put(pt, b->A0, 0, 2, -1.0);
    tiny_put(pt, b->A1, 1, 1, 1.0);
    tiny_put(pt, b->A0, 1, 1, n->a);
    tiny_put(pt, b->A0, 1, 0, -1.0);
    tiny_put(pt, b->A0, 1, 2, n->e);
    tiny_put(pt, b->A0, 2, 2, 1.0 + 3.0 * n->b * p->w[0] * p->w[0]);
    tiny_put(pt, b->A0, 2, 1, -1.0);
    tiny_put(pt, b->A1, 2, 0, -n->d);
    return FLX_OK;
}

flx_system *mixed_create(flx_ctx *ctx, const mixed_numbers *numbers)
{
    tiny *t = tiny_create(ctx, "mixed", (flx_dims){.nq = 1, .nv = 1, .nx = 1, .nw = 1});
    if (!t) return NULL;
    t->mixed = *numbers;
    t->ops.residual = mixed_residual;
    t->ops.linearise = mixed_linearise;
    return tiny_finish(t, tiny_make_dense_pattern(t));
}

// ---- skate ----------------------------------------------------------------------------------

static flx_status skate_residual(const flx_system *s, flx_work *w, const flx_point *p, double *r)
{
    (void)w;
    const tiny *t = as_tiny(s);
    double sn = sin(p->q[2]), cs = cos(p->q[2]);
    r[0] = t->mass * (p->a[0] - t->gravity) + sn * p->mu[0];
    r[1] = t->mass * p->a[1] - cs * p->mu[0];
    r[2] = t->inertia * p->a[2] + t->K[0] * p->q[2];
    r[3] = sn * p->v[0] - cs * p->v[1];
    return FLX_OK;
}

static flx_status skate_linearise(const flx_system *s, flx_work *w, const flx_point *p,
                                  flx_blocks *b)
{
    (void)w;
    const tiny *t = as_tiny(s);
    const flx_pattern *pt = &s->pattern;
    double sn = sin(p->q[2]), cs = cos(p->q[2]);
    tiny_clear_blocks(pt, b);
    tiny_put(pt, b->A2, 0, 0, t->mass);
    tiny_put(pt, b->A2, 1, 1, t->mass);
    tiny_put(pt, b->A2, 2, 2, t->inertia);
    tiny_put(pt, b->A0, 2, 2, t->K[0]);
    tiny_put(pt, b->A0, 0, 3, sn);
    tiny_put(pt, b->A0, 1, 3, -cs);
    tiny_put(pt, b->A0, 0, 2, cs * p->mu[0]);
    tiny_put(pt, b->A0, 1, 2, sn * p->mu[0]);
    tiny_put(pt, b->A1, 3, 0, sn);
    tiny_put(pt, b->A1, 3, 1, -cs);
    tiny_put(pt, b->A0, 3, 2, cs * p->v[0] + sn * p->v[1]);
    return FLX_OK;
}

static flx_status skate_constraint_bias(const flx_system *s, flx_work *w, const flx_point *p,
                                        double *bias)
{
    (void)w;
    (void)s;
    bias[0] = (cos(p->q[2]) * p->v[0] + sin(p->q[2]) * p->v[1]) * p->v[2];
    return FLX_OK;
}

static flx_status no_constraints(const flx_system *s, flx_work *w, const flx_point *p, double *gd)
{
    (void)s;
    (void)w;
    (void)p;
    (void)gd;
    return FLX_OK;
}

static flx_status no_force(const flx_system *s, flx_work *w, const flx_point *p, const double *eta,
                           double *out)
{
    (void)w;
    (void)p;
    (void)eta;
    memset(out, 0, (size_t)s->dims.nv * sizeof *out);
    return FLX_OK;
}

flx_system *skate_create(flx_ctx *ctx, double mass, double inertia, double slope_gravity, double k)
{
    tiny *t = tiny_create(ctx, "skate", (flx_dims){.nq = 3, .nv = 3, .nmu = 1});
    if (!t) return NULL;
    t->mass = mass;
    t->inertia = inertia;
    t->gravity = slope_gravity;
    t->K[0] = k;
    t->ops.residual = skate_residual;
    t->ops.linearise = skate_linearise;
    t->ops.constraint_rate = no_constraints;
    t->ops.constraint_force = no_force;
    t->ops.constraint_bias = skate_constraint_bias;
    int ok = tiny_make_dense_pattern(t);
    if (ok) t->pair[1] = 0;
    return tiny_finish(t, ok);
}

// ---- linear ---------------------------------------------------------------------------------

static flx_status linear_residual(const flx_system *s, flx_work *w, const flx_point *p, double *r)
{
    (void)w;
    const tiny *t = as_tiny(s);
    int n = s->dims.nv;
    for (int i = 0; i < n; i++) {
        r[i] = 0.0;
        for (int j = 0; j < n; j++) {
            r[i] +=
                t->M[i * n + j] * p->a[j] + t->D[i * n + j] * p->v[j] + t->K[i * n + j] * p->q[j];
        }
    }
    return FLX_OK;
}

static flx_status linear_linearise(const flx_system *s, flx_work *w, const flx_point *p,
                                   flx_blocks *b)
{
    (void)w;
    (void)p;
    const tiny *t = as_tiny(s);
    size_t bytes = (size_t)s->dims.nv * (size_t)s->dims.nv * sizeof(double);
    memcpy(b->A2, t->M, bytes);
    memcpy(b->A1, t->D, bytes);
    memcpy(b->A0, t->K, bytes);
    return FLX_OK;
}

flx_system *linear_create(flx_ctx *ctx, int n, const double *M, const double *D, const double *K)
{
    tiny *t = tiny_create(ctx, "linear", (flx_dims){.nq = n, .nv = n});
    if (!t) return NULL;
    size_t bytes = (size_t)n * (size_t)n * sizeof(double);
    memcpy(t->M, M, bytes);
    memcpy(t->D, D, bytes);
    memcpy(t->K, K, bytes);
    t->ops.residual = linear_residual;
    t->ops.linearise = linear_linearise;
    return tiny_finish(t, tiny_make_dense_pattern(t));
}
