// gradient_residuals.c - how the equations of all steps change with a parameter, their states held.
//
// Masses, stiffnesses and many places enter residuals linearly, which two points show, and are then enough. Others enter as
// polynomials of low degree: five points, and far apart ones lose least to rounding. A law with a corner, as that of a stop or
// a contact, is none beyond its depth, which may be much less than a part of the place of the surface. Third differences show
// it: those of the residuals, against their first ones.
#include "simulate/gradient/gradient_parts.h"

#include "base/arrays.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Parts of the size of a parameter that are tried, and the third differences that are good enough against the first ones.
#define FIRST_PART FLX_GRADIENT_PART
#define LAST_PART 0.9e-7
#define NEARER 1e-1
#define GOOD 1e-4
#define BETTER 0.5                 // another part has to be so much better
#define ROUNDING 1e-10             // first differences, of residuals, that are none
#define STRAIGHT 1e-9              // second differences of what is linear, against the first ones,
#define NOISE (64.0 * DBL_EPSILON) // ... and against the residuals

struct flx_gradient_rates {
    gradient *g;
    int n, first, steps; // rows of a step; steps that are looked at
    bool based;
    double *base, *one, *two; // (steps n) residuals of the run; less these, at one step and at two
    double *third, *row;      // (steps n) third differences; (n) of one step
    double *instant;          // (unknowns of the system)
    double size;              // the largest of all terms that were met
    void *block;
};

static size_t numbers_of(const flx_gradient_rates *r)
{
    return (size_t)r->steps * (size_t)r->n;
}

flx_status flx_gradient_rates_create(gradient *g, int steps, flx_gradient_rates **out)
{
    flx_gradient_rates *r = flx_alloc(g->ctx, 1, sizeof *r);
    *out = r;
    if (!r) return FLX_ERR_MEMORY;
    r->g = g;
    r->steps = steps;
    r->n = flx_slopes_rows(g->sl);
    const flx_array arrays[] = {FLX_ARRAY(r->base, numbers_of(r)),
                                FLX_ARRAY(r->one, numbers_of(r)),
                                FLX_ARRAY(r->two, numbers_of(r)),
                                FLX_ARRAY(r->third, numbers_of(r)),
                                FLX_ARRAY(r->row, r->n),
                                FLX_ARRAY(r->instant, flx_dims_unknowns(&g->run->sim->sys->dims))};
    r->block = flx_alloc_arrays(g->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    if (!r->block) flx_gradient_rates_destroy(out);
    return *out ? FLX_OK : FLX_ERR_MEMORY;
}

void flx_gradient_rates_take(flx_gradient_rates *r, int from, int to)
{
    r->first = from;
    r->steps = to - from;
    r->based = false;
}

void flx_gradient_rates_destroy(flx_gradient_rates **r)
{
    if (!r || !*r) return;
    flx_free((*r)->block);
    flx_free(*r);
    *r = NULL;
}

// The residuals of all steps, with the parameters as they are now.
static flx_status take(flx_gradient_rates *r, double *out)
{
    gradient *g = r->g;
    const flx_simulation *sim = g->twin->sim;
    const flx_system *s = sim->sys;
    for (int i = 0; i < r->steps; i++, out += r->n) {
        if (flx_gradient_jump_at(g, r->first + i)) {
            memset(out, 0, (size_t)r->n * sizeof *out);
            continue;
        }
        flx_state from, to;
        flx_gradient_ends(g, r->first + i, &from, &to);
        FLX_TRY(flx_slopes_residuals(g->sl, s, sim->work, &from, &to,
                                     flx_gradient_record(g, r->first + i), out));
        for (int c = 0; c < r->n; c++) r->size = fmax(r->size, fabs(out[c]));
    }
    return FLX_OK;
}

// ... with parameter k moved by e, less those of the run.
static flx_status take_moved(flx_gradient_rates *r, int k, double e, double *out)
{
    FLX_TRY(flx_gradient_shift(r->g, k, e));
    FLX_TRY(take(r, out));
    for (size_t i = 0; i < numbers_of(r); i++) out[i] -= r->base[i];
    return FLX_OK;
}

static double largest(const double *y, size_t n)
{
    double most = 0.0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(y[i]));
    return most;
}

// Whether what one step does two do twice.
static bool is_straight(const flx_gradient_rates *r)
{
    double most = largest(r->two, numbers_of(r)), off = 0.0;
    for (size_t i = 0; i < numbers_of(r); i++) off = fmax(off, fabs(r->two[i] - 2.0 * r->one[i]));
    return off <= fmax(STRAIGHT * most, NOISE * r->size);
}

// The largest third difference against the largest first one, both in `rp` and `third`. Laws with corners are in forces; rows of
// constraints, which follow, are left out, as is what only rounding differs in.
static double judge(const flx_gradient_rates *r, const double *rp)
{
    const flx_dims *d = &r->g->run->sim->sys->dims;
    int stride = flx_slopes_stride(r->g->sl);
    double first = 0.0, third = 0.0;
    for (int i = 0; i < r->steps; i++) {
        for (int c = 0; c < r->n; c++) {
            size_t at = (size_t)i * (size_t)r->n + (size_t)c;
            if (c % stride >= flx_dims_first_constraint(d)) continue;
            first = fmax(first, fabs(rp[at]));
            third = fmax(third, fabs(r->third[at]));
        }
    }
    return first > ROUNDING * r->size ? third / first : 0.0;
}

// Five points, of which those above are in one and two: first differences into rp, third ones beside them.
static flx_status differ(flx_gradient_rates *r, int k, double e, double *rp)
{
    size_t all = numbers_of(r);
    for (size_t i = 0; i < all; i++) {
        rp[i] = (8.0 * r->one[i] - r->two[i]) / 12.0;
        r->third[i] = 0.5 * r->two[i] - r->one[i];
    }
    FLX_TRY(take_moved(r, k, -e, r->one));
    FLX_TRY(take_moved(r, k, -2.0 * e, r->two));
    for (size_t i = 0; i < all; i++) {
        rp[i] -= (8.0 * r->one[i] - r->two[i]) / 12.0;
        r->third[i] -= 0.5 * r->two[i] - r->one[i];
    }
    return FLX_OK;
}

flx_status flx_gradient_rates_find(flx_gradient_rates *r, int k, double *rp, double *part)
{
    gradient *g = r->g;
    size_t all = numbers_of(r);
    double least = HUGE_VAL, *kept = rp, *tried = NULL;
    flx_status status = FLX_OK;
    *part = FIRST_PART;
    if (!r->based) {
        FLX_TRY(flx_gradient_shift(g, k, 0.0));
        FLX_TRY(take(r, r->base));
        r->based = true;
    }
    for (double p = FIRST_PART; p > LAST_PART && least > GOOD && status == FLX_OK; p *= NEARER) {
        double e = flx_gradient_reach(g, k, p);
        double *to = p == FIRST_PART ? kept : tried;
        status = take_moved(r, k, e, r->one);
        if (status == FLX_OK) status = take_moved(r, k, 2.0 * e, r->two);
        if (status == FLX_OK && p == FIRST_PART && is_straight(r)) {
            for (size_t i = 0; i < all; i++) rp[i] = r->two[i] / (2.0 * e);
            return FLX_OK;
        }
        if (status == FLX_OK) status = differ(r, k, e, to);
        if (status != FLX_OK) break;
        double found = judge(r, to);
        if (found < BETTER * least) {
            least = found;
            *part = p;
            for (size_t i = 0; i < all; i++) kept[i] = to[i] / e;
        }
        if (!tried) tried = flx_alloc(g->ctx, all, sizeof *tried);
        if (!tried) status = FLX_ERR_MEMORY;
    }
    flx_free(tried);
    return status;
}

// ---- groups ---------------------------------------------------------------------------------------

typedef struct group_of_rates {
    flx_gradient_rates *r;
    flx_gradient_groups *x;
    int number;
    const int *owner;
    const flx_slopes_instants *instants;
    double *at; // (instants unknowns) of five points
} group_of_rates;

// The parameters of the group moved by so many steps: rows of instants, and of all steps less those of the run; out NULL: not these.
static flx_status take_group(const group_of_rates *o, double places, double *out)
{
    flx_gradient_rates *r = o->r;
    const flx_simulation *sim = r->g->twin->sim;
    int nu = flx_dims_unknowns(&sim->sys->dims);
    double weight = 0.0;
    for (int l = 0; l < FLX_FIVE_POINTS; l++)
        weight += flx_five_places[l] == places ? flx_five_weights[l] : 0.0;
    FLX_TRY(flx_gradient_groups_move(o->x, o->number, places, -1));
    for (int i = 0; i < o->instants->n; i++) {
        FLX_TRY(flx_slopes_instant(r->g->sl, sim->sys, sim->work, o->instants->at[i], r->instant));
        for (int c = 0; c < nu; c++) o->at[i * nu + c] += weight * r->instant[c];
    }
    if (!out) return FLX_OK;
    FLX_TRY(take(r, out));
    for (size_t i = 0; i < numbers_of(r); i++) out[i] -= r->base[i];
    return FLX_OK;
}

// Whether rows change with those parameters alone that they belong to, and, of half of the rows in each step, whether two steps
// do twice what one does, which is in `one`.
static flx_status test_group(const group_of_rates *o, bool *good, bool *straight)
{
    flx_gradient_rates *r = o->r;
    gradient *g = r->g;
    const flx_simulation *sim = g->twin->sim;
    int bits = flx_gradient_groups_bits(o->x);
    double most = 0.0, bent = 0.0;
    for (int b = 0; b < bits && *good; b++) {
        FLX_TRY(flx_gradient_groups_move(o->x, o->number, 2.0, b));
        for (int i = b; i < r->steps && *good; i += bits) {
            const double *base = r->base + (size_t)i * (size_t)r->n;
            const double *one = r->one + (size_t)i * (size_t)r->n;
            if (flx_gradient_jump_at(g, r->first + i)) continue;
            flx_state from, to;
            flx_gradient_ends(g, r->first + i, &from, &to);
            FLX_TRY(flx_slopes_residuals(g->sl, sim->sys, sim->work, &from, &to,
                                         flx_gradient_record(g, r->first + i), r->row));
            for (int c = 0; c < r->n; c++) {
                bool mine = o->owner[c] > 0 && flx_gradient_groups_bit(o->owner[c] - 1, b);
                double two = r->row[c] - base[c];
                if (mine) {
                    most = fmax(most, fabs(two));
                    bent = fmax(bent, fabs(two - 2.0 * one[c]));
                } else if (!(fabs(two) <= NOISE * r->size)) {
                    *good = false;
                }
                if (o->owner[c] == 0 && one[c] != 0.0) *good = false;
            }
        }
    }
    *straight = bent <= fmax(STRAIGHT * most, NOISE * r->size);
    return FLX_OK;
}

// Per unit of the parameters that rows belong to.
static void divide_group(const group_of_rates *o, double *rp)
{
    flx_gradient_rates *r = o->r;
    int nu = flx_dims_unknowns(&r->g->run->sim->sys->dims);
    for (int c = 0; c < r->n; c++) {
        double e = o->owner[c] > 0 ? flx_gradient_reach(r->g, o->owner[c] - 1, FIRST_PART) : 1.0;
        for (int i = 0; i < r->steps; i++) rp[(size_t)i * (size_t)r->n + (size_t)c] /= e;
    }
    for (int c = 0; c < o->instants->n * nu; c++) {
        int k = o->owner[r->n + c];
        if (k > 0) o->at[c] /= flx_gradient_reach(r->g, k - 1, FIRST_PART);
    }
}

flx_status flx_gradient_rates_find_group(flx_gradient_rates *r, flx_gradient_groups *x, int group,
                                         const flx_slopes_instants *instants, double *rp,
                                         double *at_instants, bool *good)
{
    size_t all = numbers_of(r);
    int nu = flx_dims_unknowns(&r->g->run->sim->sys->dims);
    const group_of_rates o = {.r = r,
                              .x = x,
                              .number = group,
                              .owner = flx_gradient_groups_owner(x, group),
                              .instants = instants,
                              .at = at_instants};
    *good = true;
    memset(at_instants, 0, (size_t)(instants->n * nu) * sizeof *at_instants);
    if (!r->based) {
        FLX_TRY(flx_gradient_groups_move(x, -1, 0.0, -1));
        FLX_TRY(take(r, r->base));
        r->based = true;
    }
    bool straight;
    FLX_TRY(take_group(&o, 1.0, r->one));
    FLX_TRY(test_group(&o, good, &straight));
    if (!*good) return FLX_OK;
    FLX_TRY(take_group(&o, 2.0, straight ? NULL : r->two));
    if (straight) memcpy(rp, r->one, all * sizeof *rp);
    for (size_t i = 0; i < all && !straight; i++) {
        rp[i] = (8.0 * r->one[i] - r->two[i]) / 12.0;
        r->third[i] = 0.5 * r->two[i] - r->one[i];
    }
    FLX_TRY(take_group(&o, -1.0, straight ? NULL : r->one));
    FLX_TRY(take_group(&o, -2.0, straight ? NULL : r->two));
    for (size_t i = 0; i < all && !straight; i++) {
        rp[i] -= (8.0 * r->one[i] - r->two[i]) / 12.0;
        r->third[i] -= 0.5 * r->two[i] - r->one[i];
    }
    if (!straight && judge(r, rp) > GOOD) *good = false;
    for (int c = 0; c < instants->n * nu; c++) {
        if (o.owner[r->n + c] == 0 && !(fabs(o.at[c]) <= NOISE * r->size)) *good = false;
    }
    if (*good) divide_group(&o, rp);
    return FLX_OK;
}
