// gradient_meet.c - where parameters meet the weights of (SEN-2): in the equations of steps, at events, at the start, in probes.
#include "simulate/gradient/gradient_adjoint.h"

#include <math.h>
#include <string.h>

#define MANY 4 // parameters, from which on it is looked which may be moved together

static double dot(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

// Slopes are sums of parts, whose sizes are kept.
static void begin_part(flx_adjoint *a, const double *slope)
{
    memcpy(a->before, slope, (size_t)a->m * (size_t)a->g->def->nparam * sizeof *slope);
}

static void end_part(flx_adjoint *a, const double *slope)
{
    for (int i = 0; i < a->m * a->g->def->nparam; i++) a->parts[i] += fabs(slope[i] - a->before[i]);
}

// What parameter k does by the equations of all steps.
static void meet_steps(flx_adjoint *a, int k, const double *rp, double *slope)
{
    int np = a->g->def->nparam;
    for (int i = 0; i < a->to - a->from; i++) {
        const double *eta = a->eta + (size_t)i * (size_t)a->m * (size_t)a->n;
        for (int j = 0; j < a->m; j++)
            slope[j * np + k] -= dot(rp + (size_t)i * (size_t)a->n, eta + j * a->n, a->n);
    }
}

// ... and by the probes themselves.
static flx_status meet_probes(flx_adjoint *a, int k, double by, const double *measures,
                              double *slope)
{
    gradient *g = a->g;
    flx_simulation *sim = g->twin->sim;
    int np = g->def->nparam;
    int past = a->to == steps_of(a) ? points_of(a) : point_of(a, a->to);
    flx_gradient_sharpen(sim);
    for (int i = point_of(a, a->from); i < past; i++) {
        bool none = true;
        for (int r = 0; r < a->nprobe; r++)
            none = none && flx_adjoint_weight(a, r, i, measures[r]) == 0.0;
        if (none) continue;
        flx_adjoint_place(a, i, g->moved);
        FLX_TRY(flx_adjoint_observe(a, sim, i, g->moved, a->slopes));
        for (int j = 0; j < a->m; j++) {
            for (int r = 0; r < a->nprobe; r++) {
                slope[j * np + k] += by * a->by[j * a->nprobe + r] *
                                     flx_adjoint_weight(a, r, i, measures[r]) * a->slopes[r];
            }
        }
    }
    return FLX_OK;
}

static flx_status meet_start(flx_adjoint *a, int k, double by, double *slope)
{
    gradient *g = a->g;
    flx_simulation *sim = g->twin->sim;
    int np = g->def->nparam;
    flx_gradient_node(g, 0, g->from);
    flx_slopes_between(sim->sys, g->from, sim->state, a->change);
    FLX_TRY(flx_slopes_start(a->sl, sim->it, sim->state, g->times[1] - g->times[0], a->z));
    memcpy(a->z, a->change, (size_t)sim->sys->dims.nv * sizeof *a->z);
    for (int j = 0; j < a->m; j++) {
        slope[j * np + k] += by * dot(a->z, a->w + (size_t)j * (size_t)a->size, a->size);
        slope[j * np + k] += by * dot(a->change, a->first + j * a->nchange, a->nchange);
    }
    return FLX_OK;
}

// What parameter k does by itself: to what the run begins with, to probes.
static flx_status meet_directly(flx_adjoint *a, int k, double part, bool start, bool probes,
                                const double *measures, double *slope)
{
    gradient *g = a->g;
    start = start && a->from == 0;
    double e = flx_gradient_reach(g, k, FLX_GRADIENT_VALUE_PART);
    for (int l = 0; l < FLX_FIVE_POINTS && probes; l++) {
        FLX_TRY(flx_gradient_shift(g, k, flx_five_places[l] * e));
        FLX_TRY(meet_probes(a, k, flx_five_weights[l] / e, measures, slope));
    }
    e = flx_gradient_reach(g, k, part);
    for (int l = 0; l < FLX_FIVE_POINTS && start; l++) {
        FLX_TRY(flx_gradient_shift(g, k, flx_five_places[l] * e));
        FLX_TRY(meet_start(a, k, flx_five_weights[l] / e, slope));
    }
    return FLX_OK;
}

// ... and by events, as a change that begins there.
static flx_status meet_jumps(flx_adjoint *a, int k, double *slope)
{
    gradient *g = a->g;
    int np = g->def->nparam;
    double dt, *none = a->weights;
    for (int i = 0; i < g->njump; i++) {
        const double *kept = flx_adjoint_crossing(a, g->jumps + i);
        memset(none, 0, (size_t)a->nchange * sizeof *none);
        FLX_TRY(flx_gradient_cross(g, g->jumps + i, k, none, a->change, &dt));
        for (int j = 0; j < a->m; j++) {
            slope[j * np + k] += kept[a->m * a->nchange + j] * dt +
                                 dot(kept + j * a->nchange, a->change, a->nchange);
        }
    }
    return FLX_OK;
}

static flx_status meet_alone(flx_adjoint *a, int k, const double *measures, double *slope)
{
    double part;
    FLX_TRY(flx_gradient_rates_find(a->rates, k, a->rp, &part));
    begin_part(a, slope);
    meet_steps(a, k, a->rp, slope);
    end_part(a, slope);
    begin_part(a, slope);
    FLX_TRY(meet_directly(a, k, part, true, true, measures, slope));
    end_part(a, slope);
    return FLX_OK;
}

// ---- parameters together ----------------------------------------------------------------------------

// Weights of the equations of instants at the start. None: it has no transpose.
static flx_status weigh_start(flx_adjoint *a)
{
    gradient *g = a->g;
    flx_integrator *it = g->run->sim->it;
    if (!flx_slopes_has_start_t(a->sl, it)) return FLX_OK;
    for (int i = 0; i < FLX_SLOPES_INSTANTS; i++) {
        if (!a->instants.at[i]) FLX_TRY(flx_state_create(g->run->sim->sys, &a->instants.at[i]));
    }
    for (int j = 0; j < a->m; j++) {
        for (int i = 0; i < FLX_SLOPES_INSTANTS; i++)
            a->instants.eta[i] = a->start_eta + (size_t)(j * FLX_SLOPES_INSTANTS + i) * a->nu;
        flx_gradient_node(g, 0, g->from);
        flx_status status = flx_slopes_start_t(
            a->sl, it, g->from, g->times[1] - g->times[0], a->w + (size_t)j * (size_t)a->size,
            a->first + (size_t)j * (size_t)a->nchange, &a->instants);
        if (status > 0) a->instants.n = 0; // masses do not determine accelerations
        if (status != FLX_OK) return status > 0 ? FLX_OK : status;
    }
    return FLX_OK;
}

// Rows of a group, each of which belongs to one parameter at most.
static void meet_group(flx_adjoint *a, const int *owner, double *slope)
{
    const gradient *g = a->g;
    int np = g->def->nparam, nu = (int)a->nu;
    for (int i = 0; i < a->to - a->from; i++) {
        const double *rp = a->rp + (size_t)i * (size_t)a->n;
        const double *eta = a->eta + (size_t)i * (size_t)a->m * (size_t)a->n;
        for (int j = 0; j < a->m; j++, eta += a->n) {
            for (int c = 0; c < a->n; c++) {
                if (owner[c] > 0) slope[j * np + owner[c] - 1] -= rp[c] * eta[c];
            }
        }
    }
    for (int j = 0; j < a->m && a->from == 0; j++) {
        const double *eta = a->start_eta + (size_t)(j * FLX_SLOPES_INSTANTS) * a->nu;
        for (int c = 0; c < a->instants.n * nu; c++) {
            int k = owner[a->n + c] - 1;
            if (k >= 0 && !flx_gradient_groups_moves(a->groups, k))
                slope[j * np + k] -= a->start_rp[c] * eta[c];
        }
    }
}

static flx_status meet_groups(flx_adjoint *a, const double *measures, double *slope)
{
    const gradient *g = a->g;
    // which instants there are does not depend on weights, which come with the first stretch of the run
    if (a->from == 0 || !a->groups) FLX_TRY(weigh_start(a));
    if (!a->groups) FLX_TRY(flx_gradient_groups_create(a->g, &a->instants, &a->groups));
    for (int i = 0; i < flx_gradient_groups_count(a->groups); i++) {
        bool good = flx_gradient_groups_size(a->groups, i) > 1;
        if (good)
            FLX_TRY(flx_gradient_rates_find_group(a->rates, a->groups, i, &a->instants, a->rp,
                                                  a->start_rp, &good));
        FLX_TRY(flx_gradient_groups_move(a->groups, -1, 0.0, -1));
        begin_part(a, slope);
        if (good) meet_group(a, flx_gradient_groups_owner(a->groups, i), slope);
        end_part(a, slope);
        for (int k = 0; k < g->def->nparam; k++) {
            if (!flx_gradient_groups_has(a->groups, i, k)) continue;
            bool moves = flx_gradient_groups_moves(a->groups, k);
            bool seen = flx_gradient_groups_seen(a->groups, k);
            if (good && (moves || seen)) {
                begin_part(a, slope);
                FLX_TRY(meet_directly(a, k, FLX_GRADIENT_PART, moves, seen, measures, slope));
                end_part(a, slope);
            } else if (!good) {
                FLX_TRY(meet_alone(a, k, measures, slope));
            }
        }
    }
    return FLX_OK;
}

flx_status flx_adjoint_meet(flx_adjoint *a, const double *measures, double *slope)
{
    const gradient *g = a->g;
    for (int k = 0; k < g->def->nparam && a->from == 0; k++) FLX_TRY(meet_jumps(a, k, slope));
    if (g->def->nparam >= MANY) return meet_groups(a, measures, slope);
    for (int k = 0; k < g->def->nparam; k++) FLX_TRY(meet_alone(a, k, measures, slope));
    return FLX_OK;
}
