// tell.c - what the user is told of the start: changes, constraints left out, reactions that are not unique, motions with corners.
#include "base/number.h"
#include "expr/graph.h"
#include "integrate/method.h"
#include "simulate/simulation_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TELL 1e-9       // smallest change told, as a part of its scale
#define MOST_TOLD 8     // items
#define INACCURATE 1e-7 // own shares of rows left out that are told

// ---- what was changed --------------------------------------------------------------------------

// Largest changes of one item's coordinates.
typedef struct change {
    const char *item;
    flx_loc loc;
    double moved, hastened; // as parts of their scales
    double by, rate_by;     // as they are
    const char *part, *rate_part;
} change;

static double largest(int n, const double *v)
{
    double a = 0.0;
    for (int i = 0; i < n; i++) a = fmax(a, fabs(v[i]));
    return a;
}

static void add_change(change *c, const flx_unknown *u, double moved, double hastened, double speed)
{
    double m = fabs(moved) / u->scale, h = fabs(hastened) / fmax(u->scale, speed);
    c->item = u->item;
    c->loc = u->loc;
    if (m > c->moved) {
        c->moved = m;
        c->by = moved;
        c->part = u->part;
    }
    if (h > c->hastened) {
        c->hastened = h;
        c->rate_by = hastened;
        c->rate_part = u->part;
    }
}

// Whether the model gives the velocity of an unknown: what was not given is found, not changed.
static bool is_given(const flx_simulation *sim, const flx_unknown *u, int *body)
{
    const flx_model *m = sim->model;
    if (sim->from) return true;
    // items come in the order of the model: *body is the next one to look at
    for (; *body < m->nbody && strcmp(m->bodies[*body].name, u->item) != 0; ++*body) {
    }
    if (*body < m->nbody) {
        const flx_body_start *start = &m->bodies[*body].start;
        bool turn = strcmp(u->part, "angle") == 0 || strncmp(u->part, "rotation", 8) == 0;
        return turn ? start->turns : start->moves;
    }
    for (int i = 0; i < m->nvariable; i++) {
        if (strcmp(m->variables[i].name, u->item) == 0) return m->variables[i].rate_given;
    }
    return false;
}

static void tell_one(flx_ctx *ctx, const change *c, const char *why)
{
    char moved[120] = "", hastened[120] = "";
    if (c->moved > TELL) flx_snprintf(moved, sizeof moved, "%s by %.3g", c->part, c->by);
    if (c->hastened > TELL) {
        flx_snprintf(hastened, sizeof hastened, "%svelocity in %s by %.3g", moved[0] ? ", " : "",
                     c->rate_part, c->rate_by);
    }
    flx_ctx_warn(ctx, c->loc, "the initial state of '%s' was changed %s: %s%s", c->item, why, moved,
                 hastened);
}

// Unknowns of one item follow each other: collect, then tell. v0, v1: velocities before and after, or NULL.
static void tell_changes(flx_simulation *sim, const double *theta, const double *v0,
                         const double *v1, const char *why)
{
    const flx_system *s = sim->sys;
    change c = {0};
    int told = 0, body = 0;
    double speed = v0 ? fmax(largest(s->dims.nv, v0), largest(s->dims.nv, v1)) : 1.0;
    for (int i = 0; i <= s->dims.nv; i++) {
        flx_unknown u = {0};
        if (i < s->dims.nv) s->ops->unknown(s, i, &u);
        if (c.item && (i == s->dims.nv || !u.item || strcmp(u.item, c.item) != 0)) {
            bool changed = c.moved > TELL || c.hastened > TELL;
            if (changed && told++ < MOST_TOLD) tell_one(sim->ctx, &c, why);
            c = (change){0};
        }
        if (i == s->dims.nv || !u.item) continue;
        double faster = v0 ? v1[i] - v0[i] : 0.0;
        if (faster != 0.0 && !is_given(sim, &u, &body)) faster = 0.0;
        add_change(&c, &u, theta[i], faster, speed);
    }
    if (told > MOST_TOLD) {
        flx_ctx_warn(sim->ctx, FLX_NOWHERE, "the initial states of %d more items were changed %s",
                     told - MOST_TOLD, why);
    }
}

flx_status flx_simulation_tell_changes(flx_simulation *sim, const flx_state *drawn)
{
    const flx_system *s = sim->sys;
    double *theta = flx_alloc(sim->ctx, (size_t)s->dims.nv, sizeof *theta);
    if (!theta) return FLX_ERR_MEMORY;
    s->ops->difference(s, drawn->q, sim->start->q, theta);
    const double *balance = flx_simulation_balance(sim);
    for (int i = 0; balance && i < s->dims.nv; i++) theta[i] -= balance[i];
    tell_changes(sim, theta, drawn->v, sim->start->v, "to satisfy the constraints");
    if (balance) {
        tell_changes(sim, balance, NULL, NULL,
                     "into balance, since nothing but its forces says where it is");
    }
    flx_free(theta);
    return FLX_OK;
}

// ---- redundant constraints ----------------------------------------------------------------------

// What is left out although it has a share of its own: taken for the accuracy of the drawing.
void flx_simulation_tell_left_out(flx_simulation *sim, double weakest)
{
    int n = sim->plan->summary.redundant;
    if (n == 0 || !(weakest > INACCURATE)) return;
    flx_ctx_warn(
        sim->ctx, FLX_NOWHERE,
        "%s%s %s left out: but for %.2g of %s size, which is taken for the accuracy of the "
        "initial configuration, %s from the other constraints. If it is meant, the mechanism has "
        "%d "
        "freedom%s less; else give the places of the joints with more digits",
        sim->plan->redundant[0], n > 1 ? " and others" : "", n > 1 ? "are" : "is", weakest,
        n > 1 ? "their" : "its", n > 1 ? "they follow" : "it follows", n, n > 1 ? "s" : "");
}

static bool is_force_of(void *user, flx_leaf leaf)
{
    const flx_leaf_traits *k = flx_leaf_traits_of(flx_leaf_get_kind(leaf));
    return k->joint && k->quantity == FLX_QUANTITY_FORCE &&
           flx_leaf_get_index(leaf) == *(const int *)user;
}

static bool is_asked_for(const flx_simulation *sim, int joint)
{
    const flx_outputs *o = &sim->model->outputs;
    const flx_graph *g = sim->model->graph;
    for (int i = 0; i < o->ncolumn; i++) {
        if (flx_graph_depends(g, o->columns[i].node, is_force_of, &joint)) return true;
    }
    for (int i = 0; i < o->nprobe; i++) {
        if (flx_graph_depends(g, o->probes[i].node, is_force_of, &joint)) return true;
    }
    return false;
}

static bool reads(const flx_simulation *sim, const flx_force *f, int joint)
{
    const flx_graph *g = sim->model->graph;
    bool found = f->value >= 0 && flx_graph_depends(g, f->value, is_force_of, &joint);
    for (int i = 0; i < 3 && !found; i++) {
        found = (f->force[i] >= 0 && flx_graph_depends(g, f->force[i], is_force_of, &joint)) ||
                (f->torque[i] >= 0 && flx_graph_depends(g, f->torque[i], is_force_of, &joint));
    }
    return found;
}

// A motion that follows the choice: forces that read it, friction first.
static void tell_followed_choice(flx_simulation *sim)
{
    const flx_model *m = sim->model;
    for (int j = 0; j < m->njoint; j++) {
        const char *item = NULL;
        flx_loc loc = FLX_NOWHERE;
        if (!sim->plan->not_unique[j]) continue;
        for (int i = 0; i < m->nfriction + m->nforce; i++) {
            bool friction = i < m->nfriction;
            const flx_force *f = friction ? m->frictions + i : m->forces + i - m->nfriction;
            if (friction && !sim->plan->pressed_not_unique[j]) continue;
            if (item || !reads(sim, f, j)) continue;
            item = f->name;
            loc = f->loc;
        }
        for (int i = 0; i < m->nstick && sim->plan->pressed_not_unique[j]; i++) {
            if (m->sticks[i].joint != j) continue;
            item = m->sticks[i].name;
            loc = m->sticks[i].loc;
        }
        if (!item) continue;
        bool own = strcmp(item, m->joints[j].name) == 0;
        flx_ctx_warn(sim->ctx, loc,
                     "%s of '%s' follows the reaction of %s%s%s, which is not unique, since "
                     "constraints are redundant: the motion is that of one choice of many, and "
                     "depends on the order of the joints; let one of them hold less, or give way "
                     "as a bushing does",
                     own ? "the friction" : "the force", item, own ? "this joint" : "'",
                     own ? "" : m->joints[j].name, own ? "" : "'");
        return;
    }
}

void flx_simulation_tell_not_unique(flx_simulation *sim)
{
    if (sim->plan->not_unique) tell_followed_choice(sim);
    char names[200] = "";
    int count = 0;
    for (int i = 0; sim->plan->not_unique && i < sim->model->njoint; i++) {
        if (!sim->plan->not_unique[i] || !is_asked_for(sim, i)) continue;
        size_t used = strlen(names);
        if (count++ < MOST_TOLD && used + 40 < sizeof names) {
            flx_snprintf(names + used, sizeof names - used, "%s'%.32s'", used ? ", " : "",
                         sim->model->joints[i].name);
        }
    }
    if (count == 0) return;
    flx_ctx_warn(sim->ctx, FLX_NOWHERE,
                 "the reactions of %s%s are not unique, since constraints are redundant: of all "
                 "that carry the forces those of least norm are given",
                 names, count > MOST_TOLD ? ", ..." : "");
}

void flx_simulation_tell_shared_friction(flx_simulation *sim)
{
    bool rubs = sim->model->nfriction + sim->model->nstick > 0; // by reactions
    bool asked = rubs || sim->columns.of->reactions || sim->probes.of->reactions;
    const flx_contact_group *g = asked && sim->it ? flx_integrator_shared_contact(sim->it) : NULL;
    if (!g) return;
    flx_ctx_warn(sim->ctx, g->loc,
                 "'%s' stuck where other contacts or joints hold its slip as well: it slips "
                 "where no share of the forces holds it, but how they share them is one choice of "
                 "many%s; make one of them compliant if these forces matter",
                 g->item ? g->item : "?",
                 rubs ? ", which friction in joints follows, and with it the motion" : "");
}

// ---- motions by tables ----------------------------------------------------------------------------

#define CORNER 1e-6 // of the largest rate of a table: what turns by less is rounding of its points

// Where the rate of a motion jumps, or that its table says nothing of the run.
typedef struct corner {
    const flx_graph *graph;
    double from, to; // the run
    double at;       // the first; infinite: there is none
    bool end;        // ... where the table ends, which is held beyond it
    bool missed;     // the run is beyond the table from its beginning to its end
} corner;

static double rate_behind(const flx_table *t, int point)
{
    if (point < t->n - 1) return t->k[t->terms * point + 1];
    return t->outside == FLX_OUTSIDE_HOLD ? 0.0 : (double)NAN;
}

static double rate_before(const flx_table *t, int point)
{
    if (point == 0) return t->outside == FLX_OUTSIDE_HOLD ? 0.0 : (double)NAN;
    const double *k = t->k + t->terms * (point - 1), u = t->x[point] - t->x[point - 1];
    double rate = 0.0;
    for (int j = t->terms - 1; j > 0; j--) rate = rate * u + j * k[j];
    return rate;
}

// Tables of the time itself; of other arguments places are not known.
static void see_table(void *user, const flx_table *t, int derivative, flx_node argument)
{
    corner *c = user;
    double most = 0.0;
    if (t->given || derivative > 0 || !flx_node_is_op(c->graph, argument, FLX_OP_LEAF)) return;
    for (int i = 0; i < t->n - 1; i++) most = fmax(most, fabs(rate_behind(t, i)));
    for (int i = 0; i < t->n; i++) {
        double jump = fabs(rate_behind(t, i) - rate_before(t, i));
        if (!(jump > CORNER * most) || !(t->x[i] > c->from && t->x[i] < fmin(c->to, c->at)))
            continue;
        c->at = t->x[i];
        c->end = i == 0 || i == t->n - 1;
    }
    if (t->outside == FLX_OUTSIDE_HOLD && (t->x[0] >= c->to || t->x[t->n - 1] <= c->from))
        c->missed = true;
}

void flx_simulation_tell_corners(flx_simulation *sim)
{
    const flx_model *m = sim->model;
    for (int i = 0; i < m->njoint; i++) {
        const flx_joint *j = m->joints + i;
        corner c = {.graph = m->graph, .from = sim->start->t, .to = sim->until, .at = HUGE_VAL};
        if (j->motion == FLX_MOTION_NONE || j->motion == FLX_MOTION_RATE || !(c.to > c.from))
            continue;
        flx_graph_visit_tables(m->graph, j->motion_value, see_table, &c);
        if (c.missed) {
            flx_ctx_warn(sim->ctx, j->motion_loc,
                         "the table that the motion of '%s' follows has no point within the run, "
                         "which sees its value at the end alone",
                         j->name);
        } else if (isfinite(c.at)) {
            flx_ctx_warn(sim->ctx, j->motion_loc,
                         "the motion of '%s' jumps in its rate at t = %g s, %s: no force does "
                         "that, and its drive does not show what would; %s",
                         j->name, c.at,
                         c.end ? "where its table ends" : "a point of its table of straight lines",
                         c.end ? "end the run before" : "give the table `interpolation: quintic`");
        }
        if (c.missed || isfinite(c.at)) return; // the others are likely to be as this one
    }
}
