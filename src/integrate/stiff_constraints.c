// stiff_constraints.c - see stiff_constraints.h.
#include "integrate/stiff_constraints.h"

#include "base/arrays.h"
#include "integrate/newton_matrix.h"

#include <math.h>

// A motion this much faster than the step is not followed: a spring has ten radians in a step, a
// damper ten time constants.
#define TOO_FAST 10.0
// ... one this much faster may be held: that leaves out the rate of a damper's force, or the second
// rate of a spring's, which are as small.
#define HELD 30.0
// ... and one this much faster is followed by no step that is near.
#define OUT_OF_REACH 100.0

// ---- life -----------------------------------------------------------------------------------

void flx_stiff_constraints_destroy(flx_stiff_constraints *b)
{
    flx_free(b->block);
    *b = (flx_stiff_constraints){0};
}

flx_status flx_stiff_constraints_create(const flx_system *s, flx_stiff_constraints *b)
{
    int first = flx_dims_first_constraint(&s->dims);
    *b = (flx_stiff_constraints){.n = s->dims.nlam + s->dims.nmu};
    const flx_array arrays[] = {FLX_ARRAY(b->spring, b->n), FLX_ARRAY(b->damper, b->n),
                                FLX_ARRAY(b->mobility, b->n), FLX_ARRAY(b->held, b->n)};
    b->block = flx_alloc_arrays(s->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    if (!b->block) return FLX_ERR_MEMORY;
    for (int i = 0; i < b->n; i++) {
        flx_unknown u;
        s->ops->unknown(s, first + i, &u);
        bool constraint = u.kind == FLX_UNKNOWN_CONSTRAINT;
        double C = constraint ? u.C : u.E;
        if (C == 0.0) continue;
        b->spring[i] = constraint ? fabs(u.sigma / C) : 0.0;
        b->damper[i] = constraint ? fabs(u.tau / C) : fabs(1.0 / C);
        b->nsoft++;
    }
    return FLX_OK;
}

// ---- mobility -------------------------------------------------------------------------------

// Row r of block i: sum of G_c^2 / m_c, with G = values / factor.
static double row_mobility(const flx_system *s, int i, int r, const double *values, double factor,
                           const double *mass)
{
    const flx_pattern *p = &s->pattern;
    double sum = 0.0;
    for (int e = p->row[i]; e < p->row[i + 1]; e++) {
        int j = p->col[e], nc = p->start[j + 1] - p->start[j];
        if (p->start[j] >= s->dims.nv) break; // columns ascend
        const double *G = values + p->offset[e] + (r - p->start[i]) * nc;
        for (int c = 0; c < nc; c++) {
            double m = mass[p->start[j] + c], g = G[c] / factor;
            if (m > 0.0) sum += g * g / m;
        }
    }
    return sum;
}

void flx_stiff_constraints_measure(flx_stiff_constraints *b, const flx_system *s,
                                   const flx_blocks *blocks, double *mass)
{
    const flx_pattern *p = &s->pattern;
    int first = flx_dims_first_constraint(&s->dims);
    if (b->nsoft == 0) return;
    flx_blocks_masses(s, blocks, mass);
    for (int i = 0; i < p->nblock; i++) {
        for (int r = p->start[i]; r < p->start[i + 1] && r >= first; r++) {
            int k = r - first;
            flx_unknown u;
            if (b->spring[k] == 0.0 && b->damper[k] == 0.0) continue;
            s->ops->unknown(s, r, &u);
            bool velocity = u.kind == FLX_UNKNOWN_VELOCITY_CONSTRAINT,
                 rate = velocity || u.tau != 0.0;
            double factor = velocity ? 1.0 : u.tau != 0.0 ? u.tau : u.sigma;
            b->mobility[k] = row_mobility(s, i, r, rate ? blocks->A1 : blocks->A0, factor, mass);
        }
    }
}

// ---- stiffness ------------------------------------------------------------------------------

void flx_stiff_constraints_hold(flx_stiff_constraints *b, double h)
{
    b->nheld = 0;
    for (int i = 0; i < b->n && b->nsoft > 0; i++) {
        b->held[i] = h * b->damper[i] * b->mobility[i] > HELD;
        b->nheld += b->held[i];
    }
}

void flx_stiff_constraints_hold_unfollowed(flx_stiff_constraints *b, double h)
{
    b->nheld = 0;
    for (int i = 0; i < b->n && b->nsoft > 0; i++) {
        double m = b->mobility[i];
        b->held[i] = h * sqrt(b->spring[i] * m) > HELD || h * b->damper[i] * m > HELD;
        b->nheld += b->held[i];
    }
}

// The constraint that is faster than a step h by the most, -1: none; and by how much, (STF-1).
static int fastest_constraint(const flx_stiff_constraints *b, double h, double *most)
{
    int worst = -1;
    *most = 0.0;
    for (int i = 0; i < b->n; i++) {
        double m = b->mobility[i], e = h * fmax(sqrt(b->spring[i] * m), b->damper[i] * m);
        if (!b->held[i]) flx_take_worst(e, i, most, &worst);
    }
    return worst;
}

void flx_stiff_constraints_warn(flx_integrator *it, const flx_stiff_constraints *b, double h)
{
    flx_method *m = flx_method_of(it);
    const flx_dims *d = &it->sys->dims;
    double faster;
    flx_unknown u;
    if (m->warned_stiff || b->nsoft == 0) return;
    int worst = fastest_constraint(b, h, &faster);
    if (!(faster > TOO_FAST)) return;
    m->warned_stiff = true;
    it->sys->ops->unknown(it->sys, flx_dims_first_constraint(d) + worst, &u);
    flx_ctx_warn(it->ctx, u.loc,
                 "method '%s' does not damp what is stiff: '%s' (%s) moves by itself %.2g times "
                 "faster than a step of %.3g s, and its force may be far off; use radau or "
                 "generalized-alpha, or steps below %.2g s",
                 it->type->name, u.item ? u.item : "?", u.part ? u.part : "?", faster, h,
                 h * TOO_FAST / faster);
}

// Whether the forces on a velocity itself are out of reach for its mass.
static bool stiff_diagonal(const flx_system *s, const flx_blocks *blocks, double h)
{
    const flx_pattern *p = &s->pattern;
    for (int i = 0; i < p->nblock && p->start[i] < s->dims.nv; i++) {
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int n = p->start[i + 1] - p->start[i];
            for (int r = 0; r < n && p->col[e] == i; r++) {
                int k = p->offset[e] + r * n + r;
                double m = blocks->A2[k], spring = h * h * fabs(blocks->A0[k]),
                       damper = h * fabs(blocks->A1[k]);
                if (spring > OUT_OF_REACH * OUT_OF_REACH * m) return true;
                if (damper > OUT_OF_REACH * m) return true;
            }
        }
    }
    return false;
}

void flx_stiff_constraints_advise(flx_integrator *it, const flx_stiff_constraints *b,
                                  const flx_blocks *blocks, double h)
{
    double faster;
    fastest_constraint(b, h, &faster);
    if (!(faster > OUT_OF_REACH) && !stiff_diagonal(it->sys, blocks, h)) return;
    flx_method_of(it)->trouble.advice =
        "a smaller step; or radau or generalized-alpha, which damp what is too stiff for the step; "
        "or something rigid in the place of what is stiff (for a spring a joint 'distance')";
}

void flx_stiff_constraints_memory(flx_stiff_constraints *b, flx_memory *m)
{
    FLX_PASS(m, b->nheld);
    flx_memory_numbers(m, b->mobility, (size_t)b->n);
    flx_memory_pass(m, b->held, (size_t)b->n * sizeof *b->held);
}
