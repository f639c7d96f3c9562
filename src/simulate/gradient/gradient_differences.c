// gradient_differences.c - differences of runs, how far off they are, and other distances where that is much.
//
// At seven points, e apart, with o_k = (J_k - J_-k)/2 and m_k = (J_k + J_-k)/2
//     dJ/dp = (45 o_1 - 9 o_2 + o_3)/(30 e),   off by 1.08 s/e                                          (SEN-5)
//     s^2 = (O^2/21 + M^2/231)/2,   O = 5 o_1 - 4 o_2 + o_3,   M = 15 m_1 - 6 m_2 + m_3 - 10 J_0        (SEN-6)
// O and M are nothing for polynomials of degree 4 and 5; of a scatter about them they show the standard deviation s.
#include "simulate/gradient/gradient_parts.h"

#include <math.h>
#include <string.h>

// Distance of the points, as a part of the size of a parameter: a motion of many periods turns its phase by much.
#define RUN_PART 1e-3
// Slopes that are off by more than this part of the largest are tried at other distances: farther, where scatter counts less,
#define DOUBTFUL 1e-3
// by a number that no multiple makes whole: points that are whole steps apart at one distance are none at the other,
#define FARTHER 6.18
// and of parameters that are zero, whose size is not known, nearer, so often.
#define NEARER 0.1
#define MOST_NEARER 3
#define POINTS 6
static const double places[POINTS] = {-3.0, -2.0, -1.0, 1.0, 2.0, 3.0};
#define TOLD 1e-6  // of the value, from which on it is told that the runs find another one
#define APART 10.0 // so many times their errors are apart what are not the same slopes
#define NOISE 1.08 // root of the sum of the squares of the weights

typedef struct differences {
    gradient *g;
    bool frozen;
    int runs;
    double *run;             // (POINTS nvalue) values of the runs
    double *centre;          // (nvalue) of the run whose parameters are not moved
    double *slope, *error;   // (nvalue) at one distance
    double *slopes, *errors; // (nvalue nparam) the best so far; not owned
} differences;

static flx_status make_run(differences *d, int k, double e, double *value)
{
    FLX_TRY(flx_gradient_shift(d->g, k, e));
    d->runs++;
    return d->frozen ? flx_gradient_follow(d->g, value)
                     : flx_gradient_march(d->g, d->g->twin, value);
}

void flx_gradient_of_points(const double *value, double centre, double e, double *slope,
                            double *error)
{
    double o[3], m[3];
    for (int i = 0; i < 3; i++) {
        double high = value[3 + i], low = value[2 - i];
        o[i] = 0.5 * (high - low);
        m[i] = 0.5 * (high + low) - centre;
    }
    double odd = 5.0 * o[0] - 4.0 * o[1] + o[2], even = 15.0 * m[0] - 6.0 * m[1] + m[2];
    *slope = (45.0 * o[0] - 9.0 * o[1] + o[2]) / (30.0 * e);
    *error = NOISE / e * sqrt(0.5 * (odd * odd / 21.0 + even * even / 231.0));
}

// (SEN-5) and (SEN-6) by parameter k.
static flx_status find_at(differences *d, int k, double part)
{
    int n = d->g->nvalue;
    double e = flx_gradient_reach(d->g, k, part);
    for (int i = 0; i < POINTS; i++) FLX_TRY(make_run(d, k, places[i] * e, d->run + i * n));
    for (int j = 0; j < n; j++) {
        double column[POINTS];
        for (int i = 0; i < POINTS; i++) column[i] = d->run[i * n + j];
        flx_gradient_of_points(column, d->centre[j], e, d->slope + j, d->error + j);
    }
    return FLX_OK;
}

// Takes what is better at this distance. Where events wander over the ends of given steps, slopes within a step are those of
// its error, however smooth they are: those from farther are taken unless they are less certain than the two are apart.
static bool take(differences *d, int k, bool wander)
{
    int np = d->g->def->nparam;
    bool better = false;
    for (int j = 0; j < d->g->nvalue; j++) {
        double *slope = d->slopes + j * np + k, *error = d->errors + j * np + k;
        double bound = *error, apart = fabs(*slope - d->slope[j]);
        if (wander) bound = fmax(bound, apart);
        // what moves so little that iterations end early is off and does not scatter
        bool other = !wander && apart > APART * (*error + d->error[j]);
        if (other) {
            *error = apart;
        } else if (d->error[j] < bound) {
            *slope = d->slope[j];
            *error = d->error[j];
            better = true;
        } else {
            *error = bound;
        }
    }
    return better;
}

static bool is_doubtful(const differences *d, int k)
{
    const gradient *g = d->g;
    int np = g->def->nparam;
    for (int j = 0; j < g->nvalue; j++) {
        double most = 0.0, size = flx_gradient_reach(g, k, 1.0);
        for (int i = 0; i < np; i++)
            most = fmax(most, fabs(d->slopes[j * np + i]) * flx_gradient_reach(g, i, 1.0));
        if (d->errors[j * np + k] * size > DOUBTFUL * most) return true;
    }
    return false;
}

// At another distance; a run that fails there leaves what there is.
static flx_status try_at(differences *d, int k, double part, bool wander, bool *better)
{
    int told = flx_ctx_error_count(d->g->ctx);
    flx_status status = find_at(d, k, part);
    *better = status == FLX_OK && take(d, k, wander);
    if (status == FLX_ERR_MEMORY) return status;
    if (status != FLX_OK) flx_ctx_forget_errors(d->g->ctx, told);
    return FLX_OK;
}

static flx_status improve(differences *d, int k, bool wander)
{
    const gradient *g = d->g;
    bool better = false, sized = g->def->scale || g->p[k] != 0.0;
    double part = RUN_PART;
    FLX_TRY(try_at(d, k, FARTHER * RUN_PART, wander, &better));
    for (int i = 0; i < MOST_NEARER && !sized && is_doubtful(d, k); i++) {
        part *= NEARER;
        FLX_TRY(try_at(d, k, part, false, &better));
    }
    return FLX_OK;
}

// Of runs that halve their steps by themselves: those of the differences do not.
static void tell_apart(const differences *d)
{
    const gradient *g = d->g;
    for (int i = 0; i < g->def->nmetric; i++) {
        double off = fabs(d->centre[i] - g->value[i]);
        if (!(off > TOLD * fabs(g->value[i]))) continue;
        flx_ctx_warn(g->ctx, FLX_NOWHERE,
                     "slopes of metric '%s' are those by whole steps, as differences of runs are "
                     "found, where it is %.9g; it changes fast within steps, and with their parts "
                     "it is %.9g: take smaller steps",
                     g->run->sim->model->outputs.metrics[g->def->metric[i]].name, d->centre[i],
                     g->value[i]);
    }
}

static flx_status find(differences *d)
{
    gradient *g = d->g;
    int np = g->def->nparam;
    // the same run, unless the other one solves for its steps more sharply
    bool wander = g->wander, same = !flx_slopes_can_follow(g->run->sim->it);
    bool whole = !d->frozen && !flx_gradient_same_parts(g) && flx_halves_differ(&g->halves);
    memcpy(d->centre, g->value, (size_t)g->nvalue * sizeof *d->centre);
    if (!same || whole) FLX_TRY(make_run(d, 0, 0.0, d->centre));
    if (whole) tell_apart(d);
    for (int k = 0; k < np; k++) {
        FLX_TRY(find_at(d, k, RUN_PART));
        for (int j = 0; j < g->nvalue; j++) {
            d->slopes[j * np + k] = d->slope[j];
            d->errors[j * np + k] = d->error[j];
        }
    }
    for (int k = 0; k < np; k++)
        if (wander || is_doubtful(d, k)) FLX_TRY(improve(d, k, wander));
    return FLX_OK;
}

flx_status flx_gradient_differences(gradient *g, bool frozen, double *slope, double *error,
                                    int *runs)
{
    size_t n = (size_t)g->nvalue;
    differences d = {.g = g, .frozen = frozen, .slopes = slope, .errors = error};
    d.run = flx_alloc(g->ctx, (POINTS + 3) * n, sizeof *d.run);
    if (!d.run) return FLX_ERR_MEMORY;
    d.centre = d.run + POINTS * n;
    d.slope = d.centre + n;
    d.error = d.slope + n;
    g->keeps = false;
    flx_status status = find(&d);
    *runs += d.runs;
    flx_free(d.run);
    return status;
}
