// gradient_residuals.c - how far parameters are moved for the differences of residuals.
//
// Masses, stiffnesses and places enter residuals as polynomials of low degree, and far apart points lose least to rounding. A
// law with a corner, as that of a stop or a contact, is none beyond its depth, which may be much less than a part of the place
// of the surface. Third differences show it: those of the residuals, against their first ones.
#include "simulate/gradient/gradient_parts.h"

#include "base/arrays.h"

#include <math.h>
#include <string.h>

// Parts of the size of a parameter that are tried, and the third differences that are good enough against the first ones.
#define FIRST_PART 1e-3
#define LAST_PART 0.9e-7
#define NEARER 1e-1
#define GOOD 1e-4
#define BETTER 0.5     // another part has to be so much better
#define ROUNDING 1e-10 // first differences, of residuals, that are none

typedef struct residuals {
    gradient *g;
    int n, steps;
    double *first, *third; // (steps n) differences
    double *one, size;     // (n) the largest of all
    void *block;
} residuals;

// Adds the residuals of all steps, with the parameters as they are now.
static flx_status add(residuals *r, double first, double third)
{
    gradient *g = r->g;
    const flx_simulation *sim = g->twin->sim;
    const flx_system *s = sim->sys;
    for (int i = 0; i < r->steps; i++) {
        size_t at = (size_t)i * (size_t)r->n;
        flx_gradient_node(g, i, g->from);
        flx_gradient_node(g, i + 1, g->to);
        FLX_TRY(flx_slopes_residuals(g->sl, s, sim->work, g->from, g->to, flx_gradient_record(g, i),
                                     r->one));
        for (int c = 0; c < r->n; c++) {
            r->first[at + c] += first * r->one[c];
            r->third[at + c] += third * r->one[c];
            r->size = fmax(r->size, fabs(r->one[c]));
        }
    }
    return FLX_OK;
}

// The largest third difference against the largest first one. Laws with corners are in forces; rows of constraints, which
// follow, are left out, as is what only rounding differs in.
static double judge(const residuals *r)
{
    const flx_dims *d = &r->g->run->sim->sys->dims;
    int stride = flx_slopes_stride(r->g->sl);
    double first = 0.0, third = 0.0;
    for (int i = 0; i < r->steps; i++) {
        for (int c = 0; c < r->n; c++) {
            size_t at = (size_t)i * (size_t)r->n + (size_t)c;
            if (c % stride >= flx_dims_first_constraint(d)) continue;
            first = fmax(first, fabs(r->first[at]));
            third = fmax(third, fabs(r->third[at]));
        }
    }
    return first > ROUNDING * r->size ? third / first : 0.0;
}

static flx_status choose(residuals *r, int k, double *part)
{
    gradient *g = r->g;
    static const double third[FLX_GRADIENT_POINTS] = {-0.5, 1.0, -1.0, 0.5};
    size_t all = (size_t)r->steps * (size_t)r->n * sizeof *r->first;
    double least = HUGE_VAL;
    for (double p = FIRST_PART; p > LAST_PART && least > GOOD; p *= NEARER) {
        double e = flx_gradient_reach(g, k, p);
        r->size = 0.0;
        memset(r->first, 0, all);
        memset(r->third, 0, all);
        for (int l = 0; l < FLX_GRADIENT_POINTS; l++) {
            FLX_TRY(flx_gradient_shift(g, k, flx_gradient_places[l] * e));
            FLX_TRY(add(r, flx_gradient_weights[l], third[l]));
        }
        double found = judge(r);
        if (!(found < BETTER * least)) continue;
        least = found;
        *part = p;
    }
    return FLX_OK;
}

flx_status flx_gradient_choose_part(gradient *g, int k, double *part)
{
    residuals r = {.g = g, .steps = g->n - 1, .n = flx_slopes_rows(g->sl)};
    size_t all = (size_t)r.steps * (size_t)r.n;
    const flx_array arrays[] = {FLX_ARRAY(r.first, all), FLX_ARRAY(r.third, all),
                                FLX_ARRAY(r.one, r.n)};
    *part = FIRST_PART;
    r.block = flx_alloc_arrays(g->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    if (!r.block) return FLX_ERR_MEMORY;
    flx_status status = choose(&r, k, part);
    flx_free(r.block);
    return status;
}
