// tiny_net.c - points that constraints hold together.
#include "tiny_parts.h"

// d = r_i - r_j and its rate.
static void constraint_vector(const net_constraint *b, const double *q, double d[2])
{
    for (int k = 0; k < 2; k++)
        d[k] = q[2 * b->i + k] - (b->j < 0 ? b->anchor[k] : q[2 * b->j + k]);
}
static void constraint_vector_rate(const net_constraint *b, const double *v, double d[2])
{
    for (int k = 0; k < 2; k++) d[k] = v[2 * b->i + k] - (b->j < 0 ? 0.0 : v[2 * b->j + k]);
}

static flx_status net_residual(const flx_system *s, flx_work *w, const flx_point *p, double *r)
{
    (void)w;
    const tiny *t = as_tiny(s);
    for (int i = 0; i < t->npoint; i++) {
        r[2 * i] = t->masses[i] * p->a[2 * i];
        r[2 * i + 1] = t->masses[i] * (p->a[2 * i + 1] + t->gravity);
    }
    for (int k = 0; k < t->nconstraint; k++) {
        const net_constraint *b = &t->constraints[k];
        double d[2], dd[2];
        constraint_vector(b, p->q, d);
        constraint_vector_rate(b, p->v, dd);
        double g = (d[0] * d[0] + d[1] * d[1] - b->length * b->length) / (2 * b->length);
        double gd = (d[0] * dd[0] + d[1] * dd[1]) / b->length;
        r[s->dims.nv + k] = b->sigma * g + b->tau * gd - b->C * p->lam[k];
        for (int c = 0; c < 2; c++) {
            r[2 * b->i + c] += d[c] / b->length * p->lam[k];
            if (b->j >= 0) r[2 * b->j + c] -= d[c] / b->length * p->lam[k];
        }
    }
    return FLX_OK;
}

static flx_status net_linearise(const flx_system *s, flx_work *w, const flx_point *p, flx_blocks *b)
{
    (void)w;
    const tiny *t = as_tiny(s);
    const flx_pattern *pt = &s->pattern;
    tiny_clear_blocks(pt, b);
    for (int i = 0; i < s->dims.nv; i++) tiny_put(pt, b->A2, i, i, t->masses[i / 2]);
    for (int k = 0; k < t->nconstraint; k++) {
        const net_constraint *e = &t->constraints[k];
        int l = s->dims.nv + k, point[2] = {e->i, e->j};
        double d[2], dd[2];
        constraint_vector(e, p->q, d);
        constraint_vector_rate(e, p->v, dd);
        tiny_put(pt, b->A0, l, l, -e->C);
        for (int m = 0; m < 2; m++) {
            if (point[m] < 0) continue;
            double sign = m ? -1.0 : 1.0;
            for (int c = 0; c < 2; c++) {
                int i = 2 * point[m] + c;
                double G = sign * d[c] / e->length;
                tiny_put(pt, b->A0, l, i, e->sigma * G + e->tau * sign * dd[c] / e->length);
                tiny_put(pt, b->A1, l, i, e->tau * G);
                tiny_put(pt, b->A0, i, l, G);
                for (int o = 0; o < 2; o++) {
                    if (point[o] < 0) continue;
                    tiny_put(pt, b->A0, i, 2 * point[o] + c,
                             (m == o ? 1.0 : -1.0) * p->lam[k] / e->length);
                }
            }
        }
    }
    return FLX_OK;
}

static flx_status net_constraint_rate(const flx_system *s, flx_work *w, const flx_point *p,
                                      double *gd)
{
    (void)w;
    const tiny *t = as_tiny(s);
    for (int k = 0; k < t->nconstraint; k++) {
        double d[2], dd[2];
        constraint_vector(&t->constraints[k], p->q, d);
        constraint_vector_rate(&t->constraints[k], p->v, dd);
        gd[k] = (d[0] * dd[0] + d[1] * dd[1]) / t->constraints[k].length;
    }
    return FLX_OK;
}

static flx_status net_constraint_force(const flx_system *s, flx_work *w, const flx_point *p,
                                       const double *eta, double *out)
{
    (void)w;
    const tiny *t = as_tiny(s);
    memset(out, 0, (size_t)s->dims.nv * sizeof *out);
    for (int k = 0; k < t->nconstraint; k++) {
        const net_constraint *b = &t->constraints[k];
        double d[2];
        constraint_vector(b, p->q, d);
        for (int c = 0; c < 2; c++) {
            out[2 * b->i + c] += d[c] / b->length * eta[k];
            if (b->j >= 0) out[2 * b->j + c] -= d[c] / b->length * eta[k];
        }
    }
    return FLX_OK;
}

static flx_status net_constraint_bias(const flx_system *s, flx_work *w, const flx_point *p,
                                      double *bias)
{
    (void)w;
    const tiny *t = as_tiny(s);
    for (int k = 0; k < t->nconstraint; k++) {
        double dd[2];
        constraint_vector_rate(&t->constraints[k], p->v, dd);
        bias[k] = (dd[0] * dd[0] + dd[1] * dd[1]) / t->constraints[k].length;
    }
    return FLX_OK;
}

static flx_status net_energy(const flx_system *s, flx_work *w, const flx_point *p, flx_energies *e)
{
    (void)w;
    const tiny *t = as_tiny(s);
    *e = (flx_energies){0};
    for (int i = 0; i < t->npoint; i++) {
        const double *v = p->v + 2 * i;
        e->kinetic += 0.5 * t->masses[i] * (v[0] * v[0] + v[1] * v[1]);
        e->potential += t->masses[i] * t->gravity * p->q[2 * i + 1];
    }
    return FLX_OK;
}

flx_system *net_create(flx_ctx *ctx, int npoint, const double *mass, double gravity,
                       int nconstraint, const net_constraint *constraints)
{
    tiny *t = tiny_create(ctx, "net",
                          (flx_dims){.nq = 2 * npoint, .nv = 2 * npoint, .nlam = nconstraint});
    if (!t) return NULL;
    t->npoint = npoint;
    t->nconstraint = nconstraint;
    t->gravity = gravity;
    t->ops.residual = net_residual;
    t->ops.linearise = net_linearise;
    t->ops.constraint_rate = net_constraint_rate;
    t->ops.constraint_force = net_constraint_force;
    t->ops.constraint_bias = net_constraint_bias;
    t->ops.energy = net_energy;
    int nb = npoint + nconstraint;
    if (2 * npoint + nconstraint > TINY_MAX)
        t->ops.explicit_form = NULL; // its scratch is too small
    int *size = calloc((size_t)nb, sizeof *size);
    char *coupled = calloc((size_t)nb * (size_t)nb, 1);
    t->masses = calloc((size_t)npoint, sizeof *t->masses);
    t->constraints = calloc((size_t)nconstraint + 1, sizeof *t->constraints);
    int ok = size && coupled && t->masses && t->constraints;
    if (ok) {
        memcpy(t->masses, mass, (size_t)npoint * sizeof *mass);
        memcpy(t->constraints, constraints, (size_t)nconstraint * sizeof *constraints);
        for (int i = 0; i < nb; i++) {
            size[i] = i < npoint ? 2 : 1;
            coupled[i * nb + i] = 1;
        }
        for (int k = 0; k < nconstraint; k++) {
            int i = constraints[k].i, j = constraints[k].j, l = npoint + k;
            coupled[i * nb + l] = coupled[l * nb + i] = 1;
            if (j < 0) continue;
            coupled[j * nb + l] = coupled[l * nb + j] = 1;
            coupled[i * nb + j] = coupled[j * nb + i] = 1;
        }
        ok = tiny_make_pattern(t, nb, size, coupled);
    }
    free(size);
    free(coupled);
    return tiny_finish(t, ok);
}

flx_system *pendulum_create(flx_ctx *ctx, double mass, double length, double gravity)
{
    net_constraint rod = {.i = 0, .j = -1, .length = length, .sigma = 1.0};
    flx_system *s = net_create(ctx, 1, &mass, gravity, 1, &rod);
    if (s) ((tiny *)s)->pair[1] = 0;
    return s;
}
