// gradient_events.c - changes and weights over events, (SEN-13).
//
// With s = 0 the indicator that an event is located by, f the rates of the state before and after, and R what the event makes of a
// state and a time:
//     dt = -(s_x dx + s_p dp) / (s_x f- + s_t),   dx+ = R_x (dx + f- dt) + R_t dt + R_p dp - f+ dt            (SEN-13)
// Events at known times have dt by parameters alone. R and s are differentiated by differences of five points of the event as it
// happened: there are few events, and R contains impulses, other events, and switches.
#include "simulate/gradient/gradient_parts.h"

#include "base/arrays.h"
#include "integrate/events/events.h"
#include "integrate/method.h"

#include <math.h>
#include <string.h>

#define PARAMETER_PART 1e-4 // of parameters
#define STATE_PART 1e-4     // of the scales of states
#define TIME_PART 1e-5      // of the time of the run
#define GRAZES 1e-6         // an indicator that changes in the whole run by so little of its size

const flx_gradient_jump *flx_gradient_jump_at(const gradient *g, int i)
{
    for (int k = 0; k < g->njump; k++) {
        if (g->jumps[k].node == i) return g->jumps + k;
    }
    return NULL;
}

void flx_gradient_clear_jumps(gradient *g)
{
    for (int k = 0; k < g->njump; k++) flx_free(g->jumps[k].changed);
    flx_free(g->jumps);
    g->jumps = NULL;
    g->njump = 0;
}

// Contacts that begin or end to hold have other rows, of which derivatives know nothing.
static bool contacts_change(const flx_system *s, const flx_state *a, const flx_state *b)
{
    const flx_contacts *c = s->ops->contacts;
    for (int i = 0; c && i < c->count(s); i++) {
        flx_contact_group group;
        c->group(s, i, &group);
        if (a->switches[group.state] != b->switches[group.state]) return true;
    }
    return false;
}

flx_status flx_gradient_note_jump(gradient *g, const flx_state *before, const flx_state *after)
{
    flx_integrator *it = g->run->sim->it;
    flx_events_last last = flx_events_last_of(it);
    if (before->t != after->t) g->cannot = "events happen in it";
    if (contacts_change(it->sys, before, after)) g->cannot = "contacts begin or end to hold in it";
    if (g->cannot) return FLX_OK;
    FLX_TRY(flx_grow(g->ctx, (void **)&g->jumps, &g->room_jump, g->njump + 1, sizeof *g->jumps));
    flx_gradient_jump *j = g->jumps + g->njump;
    *j = (flx_gradient_jump){.node = g->n - 1, .located = last.located, .which = -1};
    j->changed = flx_alloc(g->ctx, (size_t)last.n + 1, 1);
    double *value = flx_alloc(g->ctx, (size_t)last.n + 1, sizeof *value);
    if (!j->changed || !value) {
        flx_free(value);
        return FLX_ERR_MEMORY;
    }
    g->njump++;
    memcpy(j->changed, last.changed, (size_t)last.n);
    flx_status status = j->located ? flx_events_values(it, before, value) : FLX_OK;
    for (int i = 0; i < last.n && status == FLX_OK && j->located; i++) {
        if (j->changed[i] && (j->which < 0 || fabs(value[i]) < fabs(value[j->which]))) j->which = i;
    }
    flx_free(value);
    if (status == FLX_OK && j->located && (j->which < 0 || flx_events_reads_forces(it, j->which)))
        g->cannot = "an event in it is located by forces";
    return status;
}

// ---- what an event is made of -----------------------------------------------------------------------

// The second run, as its system and its method are now.
typedef struct crossing {
    gradient *g;
    const flx_gradient_jump *j;
    flx_integrator *it;
    const flx_system *sys;
    int n, nchange, nv;            // of q, v, x; of a whole change
    flx_state *before, *after, *x; // owned
    double *value, *c, *rows;      // indicators; (nchange) ; (unknowns) scratch
    double *minus, *plus;          // (nchange) rates before and after
    void *block;
} crossing;

static void close_crossing(crossing *c)
{
    flx_state_destroy(&c->before);
    flx_state_destroy(&c->after);
    flx_state_destroy(&c->x);
    flx_free(c->block);
}

// Rates of positions, velocities and states, as a change.
static void rates_of(const crossing *c, const flx_state *x, double *out)
{
    const flx_dims *d = &c->sys->dims;
    memset(out, 0, (size_t)c->nchange * sizeof *out);
    memcpy(out, x->v, (size_t)d->nv * sizeof *out);
    memcpy(out + d->nv, x->a, (size_t)d->nv * sizeof *out);
    memcpy(out + 3 * d->nv, x->dx, (size_t)d->nx * sizeof *out);
}

static flx_status open_crossing(gradient *g, const flx_gradient_jump *j, crossing *c)
{
    const flx_system *s = g->run->sim->sys;
    *c = (crossing){.g = g, .j = j, .sys = s, .nv = s->dims.nv};
    c->n = 2 * s->dims.nv + s->dims.nx;
    c->nchange = flx_slopes_change_size(s);
    size_t nc = (size_t)c->nchange, ni = (size_t)flx_events_last_of(g->run->sim->it).n;
    const flx_array arrays[] = {FLX_ARRAY(c->value, ni), FLX_ARRAY(c->c, nc),
                                FLX_ARRAY(c->rows, flx_dims_unknowns(&s->dims)),
                                FLX_ARRAY(c->minus, nc), FLX_ARRAY(c->plus, nc)};
    c->block = flx_alloc_arrays(g->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    if (!c->block) return FLX_ERR_MEMORY;
    FLX_TRY(flx_state_create(s, &c->before));
    FLX_TRY(flx_state_create(s, &c->after));
    FLX_TRY(flx_state_create(s, &c->x));
    flx_gradient_node(g, j->node, c->before);
    flx_gradient_node(g, j->node + 1, c->after);
    rates_of(c, c->before, c->minus);
    rates_of(c, c->after, c->plus);
    return FLX_OK;
}

// The second run with parameter k moved by e.
static flx_status shift(crossing *c, int k, double e)
{
    FLX_TRY(flx_gradient_shift(c->g, k, e));
    c->it = c->g->twin->sim->it;
    return FLX_OK;
}

// The indicator, or the time at which the event is due, at the state before it moved by e times `change` (NULL: not moved) and e
// times dt.
static flx_status look(crossing *c, const double *change, double e, double dt, double *out)
{
    const flx_system *s = c->g->twin->sim->sys;
    flx_state_copy(c->x, c->before);
    if (change) flx_slopes_move(s, c->before, change, e, c->x);
    c->x->t = c->before->t + e * dt;
    if (c->j->located) {
        FLX_TRY(flx_events_values(c->it, c->x, c->value));
        *out = c->value[c->j->which];
        return FLX_OK;
    }
    flx_gradient_node(c->g, c->j->node > 0 ? c->j->node - 1 : 0, c->x);
    *out = flx_events_next(c->it, c->x);
    return FLX_OK;
}

// The state after the event at such a state, as a change of that after it: (nchange), times weight, added to out.
static flx_status happen(crossing *c, const double *change, double e, double dt, double weight,
                         double *out)
{
    const flx_system *s = c->g->twin->sim->sys;
    flx_state_copy(c->x, c->before);
    if (change) flx_slopes_move(s, c->before, change, e, c->x);
    c->x->t = c->before->t + e * dt;
    flx_status status = flx_events_replay(c->it, c->x, c->j->located ? c->j->changed : NULL);
    if (status > 0) {
        return FLX_FAIL(c->g->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "the event at t = %.9g is another one where states or parameters are moved "
                        "a little: it has no derivative; take differences",
                        c->before->t);
    }
    FLX_TRY(status);
    flx_slopes_between(s, c->after, c->x, c->c);
    for (int i = 0; i < c->nchange; i++) out[i] += weight * c->c[i];
    return FLX_OK;
}

// The indicator along the motion before the event.
static flx_status find_rate(crossing *c, double *rate)
{
    double e = TIME_PART * (c->g->times[c->g->n - 1] - c->g->times[0]), value;
    *rate = 0.0;
    for (int l = 0; l < FLX_FIVE_POINTS; l++) {
        FLX_TRY(look(c, c->minus, flx_five_places[l] * e, 1.0, &value));
        *rate += flx_five_weights[l] / e * value;
    }
    return FLX_OK;
}

static flx_status judge(gradient *g, flx_gradient_jump *j)
{
    crossing c;
    flx_status status = open_crossing(g, j, &c);
    if (status == FLX_OK) status = shift(&c, 0, 0.0);
    if (status == FLX_OK) status = find_rate(&c, &j->rate);
    double span = g->times[g->n - 1] - g->times[0];
    if (status == FLX_OK) {
        flx_integrator *it = g->run->sim->it;
        double size = flx_events_size(it, j->which);
        flx_loc loc;
        if (!(fabs(j->rate) * span > GRAZES * size))
            status = FLX_FAIL(g->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                              "the event at t = %.9g grazes its condition ('%s'): it has no "
                              "derivative",
                              c.before->t, flx_events_name(it, j->which, &loc));
    }
    close_crossing(&c);
    return status;
}

flx_status flx_gradient_judge_jumps(gradient *g)
{
    for (int i = 0; i < g->njump; i++) {
        if (g->jumps[i].located) FLX_TRY(judge(g, g->jumps + i));
    }
    return FLX_OK;
}

// ---- changes ----------------------------------------------------------------------------------------

static flx_status cross(crossing *c, int k, const double *before, double *after, double *dt)
{
    gradient *g = c->g;
    const flx_dims *d = &c->sys->dims;
    double e = flx_gradient_reach(g, k, PARAMETER_PART), ds = 0.0, value;
    double *along = c->minus; // (nchange), and what rows of the instant do
    int nu = flx_dims_unknowns(d);
    double *rp = flx_alloc(g->ctx, 2 * (size_t)nu + (size_t)c->nchange, sizeof *rp);
    if (!rp) return FLX_ERR_MEMORY;
    double *y = rp + nu, *dz = y + nu;
    flx_status status = FLX_OK;
    for (int l = 0; l < FLX_FIVE_POINTS && status == FLX_OK; l++) {
        const flx_simulation *sim = g->twin->sim;
        status = shift(c, k, flx_five_places[l] * e);
        if (status == FLX_OK) status = look(c, before, flx_five_places[l] * e, 0.0, &value);
        ds += flx_five_weights[l] / e * value;
        if (status == FLX_OK)
            status = flx_slopes_instant(g->sl, sim->sys, sim->work, c->after, c->rows);
        for (int i = 0; i < nu; i++) rp[i] += flx_five_weights[l] / e * c->rows[i];
    }
    *dt = c->j->located ? -ds / c->j->rate : ds;
    for (int i = 0; i < c->nchange; i++) along[i] = before[i] + along[i] * *dt;
    memset(after, 0, (size_t)c->nchange * sizeof *after);
    for (int l = 0; l < FLX_FIVE_POINTS && status == FLX_OK; l++) {
        double by = flx_five_places[l] * e;
        status = shift(c, k, by);
        if (status == FLX_OK) status = happen(c, along, by, *dt, flx_five_weights[l] / e, after);
    }
    // at the time as it was; accelerations and multipliers follow
    for (int i = 0; i < c->nchange; i++) after[i] -= c->plus[i] * *dt;
    memcpy(dz, after, 2 * (size_t)d->nv * sizeof *dz);
    memcpy(dz + 2 * d->nv, after + 3 * d->nv, (size_t)d->nx * sizeof *dz);
    if (status == FLX_OK) status = flx_slopes_change_instant(g->sl, c->after, dz, rp, y);
    memcpy(after + 2 * d->nv, y, (size_t)d->nv * sizeof *y);
    memcpy(after + 3 * d->nv + d->nx, y + d->nv, (size_t)(nu - d->nv) * sizeof *y);
    flx_free(rp);
    return status;
}

flx_status flx_gradient_cross(gradient *g, const flx_gradient_jump *j, int k, const double *before,
                              double *after, double *dt)
{
    crossing c;
    flx_status status = open_crossing(g, j, &c);
    if (status == FLX_OK) status = cross(&c, k, before, after, dt);
    close_crossing(&c);
    return status;
}

// ---- weights ----------------------------------------------------------------------------------------

// Where number i of (q, v, x) is in a change.
static int place_of(const crossing *c, int i)
{
    return i < 2 * c->nv ? i : c->nv + i;
}

static double dot_motion(const crossing *c, const double *u, const double *change)
{
    double sum = 0.0;
    for (int i = 0; i < c->n; i++) sum += u[i] * change[place_of(c, i)];
    return sum;
}

// Weights of a whole change after the event become those of (q, v, x) there.
static flx_status weigh_after(crossing *c, int m, const double *w, const flx_gradient_crossing *out)
{
    const flx_dims *d = &c->sys->dims;
    int nu = flx_dims_unknowns(d);
    for (int j = 0; j < m; j++, w += c->nchange) {
        double *after = out->after + (size_t)j * (size_t)c->n;
        for (int i = 0; i < c->n; i++) after[i] = w[place_of(c, i)];
        for (int i = 0; i < nu; i++)
            c->rows[i] = i < d->nv ? w[2 * d->nv + i] : w[3 * d->nv + d->nx + i - d->nv];
        FLX_TRY(flx_slopes_weigh_instant(c->g->sl, c->after, c->rows,
                                         out->eta + (size_t)j * (size_t)nu, after));
    }
    return FLX_OK;
}

static flx_status cross_back(crossing *c, int m, double *w, const double *by_time,
                             const flx_gradient_crossing *out)
{
    gradient *g = c->g;
    const flx_gradient_jump *j = c->j;
    size_t nc = (size_t)c->nchange;
    double *column = flx_alloc(g->ctx, 2 * nc, sizeof *column), value;
    if (!column) return FLX_ERR_MEMORY;
    double *along = column + nc, e = TIME_PART * (g->times[g->n - 1] - g->times[0]);
    flx_status status = weigh_after(c, m, w, out);
    if (status == FLX_OK) status = shift(c, 0, 0.0);
    // by the time: with the motion before, less that after
    for (int l = 0; l < FLX_FIVE_POINTS && status == FLX_OK && j->located; l++)
        status = happen(c, c->minus, flx_five_places[l] * e, 1.0, flx_five_weights[l] / e, column);
    for (int i = 0; i < c->nchange; i++) column[i] -= c->plus[i];
    for (int i = 0; i < m; i++) {
        const double *after = out->after + (size_t)i * (size_t)c->n;
        out->time[i] = by_time[i] + (j->located ? dot_motion(c, after, column) : 0.0);
    }
    memset(w, 0, (size_t)m * nc * sizeof *w);
    for (int i = 0; i < c->n && status == FLX_OK; i++) {
        flx_unknown u = {.scale = 1.0};
        double ds = 0.0;
        int at = place_of(c, i);
        if (i < 2 * c->nv) c->sys->ops->unknown(c->sys, i % c->nv, &u);
        double h = STATE_PART * (u.scale > 0.0 ? u.scale : 1.0);
        memset(column, 0, 2 * nc * sizeof *column);
        along[at] = 1.0;
        for (int l = 0; l < FLX_FIVE_POINTS && status == FLX_OK; l++) {
            double by = flx_five_places[l] * h, weight = flx_five_weights[l] / h;
            status = happen(c, along, by, 0.0, weight, column);
            if (status != FLX_OK || !j->located) continue;
            status = look(c, along, by, 0.0, &value);
            ds += weight * value;
        }
        for (int k = 0; k < m; k++) {
            w[(size_t)k * nc + (size_t)at] =
                dot_motion(c, out->after + (size_t)k * (size_t)c->n, column) -
                (j->located ? out->time[k] * ds / j->rate : 0.0);
        }
    }
    flx_free(column);
    return status;
}

flx_status flx_gradient_cross_back(gradient *g, const flx_gradient_jump *j, int m, double *w,
                                   const double *by_time, const flx_gradient_crossing *out)
{
    crossing c;
    flx_status status = open_crossing(g, j, &c);
    if (status == FLX_OK) status = cross_back(&c, m, w, by_time, out);
    close_crossing(&c);
    return status;
}

static flx_status meet(crossing *c, int m, int k, const flx_gradient_crossing *kept, double *slope)
{
    gradient *g = c->g;
    int np = g->def->nparam, nu = flx_dims_unknowns(&c->sys->dims);
    double e = flx_gradient_reach(g, k, PARAMETER_PART), value;
    double *change = flx_alloc(g->ctx, (size_t)c->nchange, sizeof *change);
    if (!change) return FLX_ERR_MEMORY;
    flx_status status = FLX_OK;
    for (int l = 0; l < FLX_FIVE_POINTS && status == FLX_OK; l++) {
        const flx_simulation *sim = g->twin->sim;
        double weight = flx_five_weights[l] / e;
        memset(change, 0, (size_t)c->nchange * sizeof *change);
        status = shift(c, k, flx_five_places[l] * e);
        if (status == FLX_OK) status = look(c, NULL, 0.0, 0.0, &value);
        double late = c->j->located ? 0.0 : value - c->before->t; // due at another time
        if (status == FLX_OK) status = happen(c, c->minus, late, 1.0, weight, change);
        for (int i = 0; i < c->nchange; i++) change[i] -= weight * late * c->plus[i];
        if (status == FLX_OK)
            status = flx_slopes_instant(g->sl, sim->sys, sim->work, c->after, c->rows);
        for (int i = 0; i < m && status == FLX_OK; i++) {
            double *to = slope + (size_t)i * (size_t)np + (size_t)k;
            *to += dot_motion(c, kept->after + (size_t)i * (size_t)c->n, change);
            *to += kept->time[i] * weight * (c->j->located ? -value / c->j->rate : late);
            for (int r = 0; r < nu; r++)
                *to -= weight * c->rows[r] * kept->eta[(size_t)i * (size_t)nu + (size_t)r];
        }
    }
    flx_free(change);
    return status;
}

flx_status flx_gradient_meet_jump(gradient *g, const flx_gradient_jump *j, int m, int k,
                                  const flx_gradient_crossing *kept, double *slope)
{
    crossing c;
    flx_status status = open_crossing(g, j, &c);
    if (status == FLX_OK) status = meet(&c, m, k, kept, slope);
    close_crossing(&c);
    return status;
}
