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
#define SAME_TIME 1e-12     // of the time of the run
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
    int nchange, nv;               // numbers of a change
    flx_state *before, *after, *x; // owned
    double *value, *c, *rows;      // indicators; (nchange) ; (unknowns) scratch
    double *minus, *plus;          // (nchange) rates before and after
    double *scratch, *unit;        // (2 unknowns + 2 nchange) (2 nchange)
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
    c->nchange = flx_slopes_change_size(s);
    size_t nc = (size_t)c->nchange, ni = (size_t)flx_events_last_of(g->run->sim->it).n;
    const flx_array arrays[] = {
        FLX_ARRAY(c->value, ni),
        FLX_ARRAY(c->c, nc),
        FLX_ARRAY(c->rows, flx_dims_unknowns(&s->dims)),
        FLX_ARRAY(c->minus, nc),
        FLX_ARRAY(c->plus, nc),
        FLX_ARRAY(c->scratch, 2 * (size_t)flx_dims_unknowns(&s->dims) + 2 * nc),
        FLX_ARRAY(c->unit, 2 * nc)};
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

// The indicator, or by how much later the event is due, at the state before it moved by e times `change` (NULL: not moved) and e
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
    *out = flx_events_next(c->it, c->x) - c->before->t;
    if (fabs(*out) < SAME_TIME * (c->g->times[c->g->n - 1] - c->g->times[0])) *out = 0.0;
    return FLX_OK;
}

// A discrete value that follows the state or the parameters, as that of a controller that samples; what contacts count does not
// act. -1: none.
static int kept_value(const crossing *c)
{
    const flx_contacts *contacts = c->sys->ops->contacts;
    for (int i = 0; i < c->sys->dims.nswitch; i++) {
        bool counts = c->x->switches[i] == c->after->switches[i];
        for (int k = 0; contacts && !counts && k < contacts->count(c->sys); k++) {
            flx_contact_group group;
            contacts->group(c->sys, k, &group);
            counts = group.tally >= 0 && (i == group.tally || i == group.tally + 1);
        }
        if (!counts) return i;
    }
    return -1;
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
    if (kept_value(c) >= 0) {
        return FLX_FAIL(c->g->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "the event at t = %.9g keeps a value that follows the motion (a discrete "
                        "variable, a sample): steps have no derivatives by it; take differences",
                        c->before->t);
    }
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

// Of an event at the end of the run that does not stay there, the run sees one side.
static flx_status refuse_end(const crossing *c, double dt)
{
    if (dt == 0.0 || c->j->node + 2 < c->g->n) return FLX_OK;
    return FLX_FAIL(
        c->g->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
        "parameters move the event at t = %.9g, where the run ends, to before and after "
        "its end: there is no derivative; give another 'until'",
        c->before->t);
}

// ---- changes ----------------------------------------------------------------------------------------

// The second run with parameter k moved by e; k < 0: no parameter is.
static flx_status move(crossing *c, int k, double e)
{
    return k >= 0 ? shift(c, k, e) : FLX_OK;
}

// With steps of e: the time by which the event is moved, and rows of the instant after it by the parameter, rp.
static flx_status find_time(crossing *c, int k, double e, const double *before, double *rp,
                            double *dt)
{
    gradient *g = c->g;
    double ds = 0.0, value;
    int nu = flx_dims_unknowns(&c->sys->dims);
    for (int l = 0; l < FLX_FIVE_POINTS; l++) {
        const flx_simulation *sim = g->twin->sim;
        FLX_TRY(move(c, k, flx_five_places[l] * e));
        FLX_TRY(look(c, before, flx_five_places[l] * e, 0.0, &value));
        ds += flx_five_weights[l] / e * value;
        if (k < 0) continue;
        FLX_TRY(flx_slopes_instant(g->sl, sim->sys, sim->work, c->after, c->rows));
        for (int i = 0; i < nu; i++) rp[i] += flx_five_weights[l] / e * c->rows[i];
    }
    *dt = c->j->located ? -ds / c->j->rate : ds;
    return refuse_end(c, *dt);
}

// (SEN-13) along a change of the state before, and of parameter k.
static flx_status cross(crossing *c, int k, double e, const double *before, double *after,
                        double *dt)
{
    gradient *g = c->g;
    const flx_dims *d = &c->sys->dims;
    int nu = flx_dims_unknowns(d);
    double *rp = c->scratch, *y = rp + nu, *dz = y + nu, *along = dz + c->nchange;
    memset(rp, 0, (size_t)nu * sizeof *rp);
    FLX_TRY(find_time(c, k, e, before, rp, dt));
    for (int i = 0; i < c->nchange; i++) along[i] = before[i] + c->minus[i] * *dt;
    memset(after, 0, (size_t)c->nchange * sizeof *after);
    for (int l = 0; l < FLX_FIVE_POINTS; l++) {
        double by = flx_five_places[l] * e;
        FLX_TRY(move(c, k, by));
        FLX_TRY(happen(c, along, by, *dt, flx_five_weights[l] / e, after));
    }
    // at the time as it was; accelerations and multipliers follow
    for (int i = 0; i < c->nchange; i++) after[i] -= c->plus[i] * *dt;
    memcpy(dz, after, 2 * (size_t)d->nv * sizeof *dz);
    memcpy(dz + 2 * d->nv, after + 3 * d->nv, (size_t)d->nx * sizeof *dz);
    FLX_TRY(flx_slopes_change_instant(g->sl, c->after, dz, rp, y));
    memcpy(after + 2 * d->nv, y, (size_t)d->nv * sizeof *y);
    memcpy(after + 3 * d->nv + d->nx, y + d->nv, (size_t)(nu - d->nv) * sizeof *y);
    return FLX_OK;
}

flx_status flx_gradient_cross(gradient *g, const flx_gradient_jump *j, int k, const double *before,
                              double *after, double *dt)
{
    crossing c;
    flx_status status = open_crossing(g, j, &c);
    double e = flx_gradient_reach(g, k, PARAMETER_PART);
    if (status == FLX_OK) status = cross(&c, k, e, before, after, dt);
    close_crossing(&c);
    return status;
}

// ---- weights ----------------------------------------------------------------------------------------

// Each number of the state before by itself.
static flx_status cross_back(crossing *c, int m, const double *after, const double *by_time,
                             double *before)
{
    size_t nc = (size_t)c->nchange;
    double *unit = c->unit, *column = c->unit + nc, dt;
    FLX_TRY(shift(c, 0, 0.0));
    memset(before, 0, (size_t)m * nc * sizeof *before);
    for (int i = 0; i < c->nchange; i++) {
        flx_unknown u = {.scale = 1.0};
        bool motion = i < 2 * c->nv || (i >= 3 * c->nv && i < 3 * c->nv + c->sys->dims.nx);
        if (!motion) continue;
        if (i < 2 * c->nv) c->sys->ops->unknown(c->sys, i % c->nv, &u);
        memset(unit, 0, nc * sizeof *unit);
        unit[i] = 1.0;
        double e = STATE_PART * (u.scale > 0.0 ? u.scale : 1.0);
        FLX_TRY(cross(c, -1, e, unit, column, &dt));
        for (int k = 0; k < m; k++) {
            double sum = by_time[k] * dt;
            for (size_t l = 0; l < nc; l++) sum += after[(size_t)k * nc + l] * column[l];
            before[(size_t)k * nc + (size_t)i] = sum;
        }
    }
    return FLX_OK;
}

flx_status flx_gradient_cross_back(gradient *g, const flx_gradient_jump *j, int m,
                                   const double *after, const double *by_time, double *before)
{
    crossing c;
    flx_status status = open_crossing(g, j, &c);
    if (status == FLX_OK) status = cross_back(&c, m, after, by_time, before);
    close_crossing(&c);
    return status;
}
