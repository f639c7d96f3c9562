// descriptor_observe.c - what can be read off a consistent state: values of leaves, reactions,
// drives, residuals.
//
// Reactions where rows were left out as redundant: descriptor_least.c.
#include "descriptor/descriptor_parts.h"

#include <float.h>

// ---- reactions ----------------------------------------------------------------------------------

typedef struct view { // the system whose rows are read, and its multipliers
    const flx_descriptor *d;
    flx_work *w;
    flx_point p;
    const double *lam, *mu;
} view;

static double row_value(const view *o, int row)
{
    int nlam = o->d->base.dims.nlam;
    return row < 0 ? 0.0 : row < nlam ? o->lam[row] : o->mu[row - nlam];
}

// Of a force that is an unknown; zero along a direction without stiffness and damping.
static double pull(const view *o, int force, int component)
{
    return row_value(o, flx_pulls_find(o->d, force, component));
}

// ---- residuals ----------------------------------------------------------------------------------

// Largest position residual of the system's own rows, whose directions move with the bodies where
// others of their joint were left out.
static double largest_gap(const flx_descriptor *d, flx_work *w, const flx_state *x)
{
    flx_point p = flx_state_point(&d->base, x);
    double most = 0.0;
    p.lam = p.mu = w->zero;
    flx_eval_bonds(d, w, &p, w->r);
    for (int i = 0; i < d->base.dims.nlam; i++) {
        double value = fabs(w->r[flx_first_lam(d) + i]);
        if (d->rows[i].C == 0.0 && !(value <= most)) most = value;
    }
    return most;
}

static double largest_rate(const flx_descriptor *d, flx_work *w, const flx_state *x)
{
    flx_point p = flx_state_point(&d->base, x);
    double most = 0.0;
    p.lam = p.mu = w->zero;
    (void)flx_eval_bond_rate(&d->base, w, &p, w->rows);
    for (int i = 0; i < d->base.dims.nlam; i++) {
        if (d->rows[i].C == 0.0 && !(fabs(w->rows[i]) <= most)) most = fabs(w->rows[i]);
    }
    return most;
}

void flx_descriptor_residuals(const flx_system *s, flx_work *w, const flx_state *x,
                              flx_residuals *out)
{
    const flx_descriptor *own = flx_descriptor_of(s);
    const flx_descriptor *d = own->complete ? own->complete : own;
    flx_work *cw = own->complete ? flx_descriptor_complete_work(own, w) : w;
    const flx_dims *n = &d->base.dims;
    flx_point p = flx_state_point(s, x);
    *out = (flx_residuals){0};
    if (!cw) { // no memory: not known
        out->position = out->velocity = (double)NAN;
        return;
    }
    p.lam = p.mu = cw->zero;
    flx_eval_bonds(d, cw, &p, cw->r);
    (void)flx_eval_bond_rate(&d->base, cw, &p, cw->rows);
    memcpy(cw->rows + n->nlam, cw->r + flx_first_mu(d), (size_t)n->nmu * sizeof(double));
    const double *g = cw->r + flx_first_lam(d);
    for (int i = 0; i < n->nlam + n->nmu; i++) {
        const flx_row_info *r = d->rows + i;
        if (r->C > 0) continue;
        double rate = fabs(cw->rows[i]), value = i < n->nlam ? fabs(g[i]) : 0.0;
        if (!out->velocity_item || !(rate <= out->velocity)) {
            out->velocity = rate;
            out->velocity_item = r->item;
        }
        if (i >= n->nlam) continue;
        if (!out->position_item || !(value <= out->position)) {
            out->position = value;
            out->position_item = r->item;
        }
        if (!flx_rows_dropped(own, r->complete)) continue;
        if (out->dropped_item && value <= out->dropped) continue;
        out->dropped = value;
        out->dropped_item = r->item;
    }
    out->kept = own->complete ? largest_gap(own, w, x) : out->position;
    out->kept_rate = own->complete ? largest_rate(own, w, x) : out->velocity;
}

// ---- leaves -------------------------------------------------------------------------------------

typedef struct observation {
    const flx_descriptor *d;
    flx_work *w;
    const flx_state *x;
    flx_point p;
    view rows;
    flx_energies energy;
    flx_residuals residuals;
    int joint;  // whose reaction is in wrench; -1: none
    int node;   // whose section force is in wrench; -1: none
    bool loads; // those of followers are in the rows of the work
    double wrench[6];
} observation;

static double body_leaf(const observation *o, flx_leaf leaf)
{
    const flx_descriptor *d = o->d;
    int i = flx_leaf_get_index(leaf), c = flx_leaf_get_component(leaf);
    bool turns = d->model->bodies[i].type == FLX_BODY_RIGID;
    int rotation = d->body_v[i] + (d->planar ? 2 : 3);
    if (d->planar) {
        const flx_frame2 *f = o->w->frames.plane + i + 1;
        switch (flx_leaf_get_kind(leaf)) {
        case FLX_LEAF_BODY_POSITION:
            return c == 0 ? f->x : c == 1 ? f->y : 0.0;
        case FLX_LEAF_BODY_ROTATION:
            return f->angle;
        case FLX_LEAF_BODY_VELOCITY:
            return c == 0 ? f->vx : c == 1 ? f->vy : 0.0;
        case FLX_LEAF_BODY_SPIN:
            return f->w;
        case FLX_LEAF_BODY_ACCELERATION:
            return c < 2 ? o->x->a[d->body_v[i] + c] : 0.0;
        default:
            return turns ? o->x->a[rotation] : 0.0;
        }
    }
    const flx_frame *f = o->w->frames.space + i + 1;
    switch (flx_leaf_get_kind(leaf)) {
    case FLX_LEAF_BODY_POSITION:
        return f->r[c];
    case FLX_LEAF_BODY_ROTATION:
        return f->R[c];
    case FLX_LEAF_BODY_VELOCITY:
        return f->v[c];
    case FLX_LEAF_BODY_SPIN:
        return f->w[c];
    case FLX_LEAF_BODY_ACCELERATION:
        return o->x->a[d->body_v[i] + c];
    default:
        return turns ? o->x->a[rotation + c] : 0.0;
    }
}

// Whole turns between the continuous angle and the one on a branch that an expression computes.
static double turns_leaf(const observation *o, int joint)
{
    int k = o->d->switch_of_joint[joint];
    const double turn = 2.0 * FLX_PI;
    flx_jet j;
    if (k < 0) return 0.0;
    flx_scalar_value(o->d->turns + k, o->w->frames, o->p.switches, &j);
    return round((j.value - o->w->angles[k]) / turn);
}

// Force or moment at a follower, ground axes: what is against its rows.
static double load(observation *o, int i, int c)
{
    const view *r = &o->rows;
    const flx_follower_data *f = r->d->followers + i;
    const double *rows = r->w->follow.r + f->v;
    if (!o->loads) {
        flx_point p = r->p;
        p.lam = r->lam;
        p.mu = r->mu;
        flx_eval_loads(r->d, r->w, &p);
        o->loads = true;
    }
    if (r->d->planar) return c == 5 ? 0.0 - rows[2] : c < 2 ? 0.0 - rows[c] : 0.0;
    if (c < 3) return 0.0 - rows[c];
    const double *R = r->w->frames.space[f->frame].R + 3 * (c - 3);
    return 0.0 - (R[0] * rows[3] + R[1] * rows[4] + R[2] * rows[5]);
}

// Force, moment about the origin and power of a load on a solid.
static double resultant(const observation *o, int force, int c)
{
    flx_solid_resultant sum;
    flx_solid_loads_resultant(o->d, o->w, &o->p, force, &sum);
    return c == 6 ? sum.power : c < 3 ? sum.force[c] : sum.moment[c - 3];
}

static double energy_leaf(const flx_energies *e, int c)
{
    switch (c) {
    case 0:
        return e->kinetic;
    case 1:
        return e->potential;
    case 2:
        return e->strain;
    case 3:
        return 0.0; // an integral over time, which no state knows: the caller's
    default:
        return e->kinetic + e->potential + e->strain;
    }
}

static double leaf_value(observation *o, flx_leaf leaf)
{
    const flx_descriptor *d = o->d;
    int i = flx_leaf_get_index(leaf), c = flx_leaf_get_component(leaf);
    switch (flx_leaf_get_kind(leaf)) {
    case FLX_LEAF_TIME:
        return o->x->t;
    case FLX_LEAF_FACTOR:
    case FLX_LEAF_INPUT:
    case FLX_LEAF_PARAMETER:
    case FLX_LEAF_NUMBER:
        return o->p.param[flx_param_of_leaf(d->model, leaf)];
    case FLX_LEAF_VARIABLE:
        return o->x->q[d->variable_q + i];
    case FLX_LEAF_VARIABLE_RATE:
        return o->x->v[d->variable_v + i];
    case FLX_LEAF_VARIABLE_RATE2:
        return o->x->a[d->variable_v + i];
    case FLX_LEAF_STATE:
        return o->x->x[i];
    case FLX_LEAF_STATE_RATE:
        return o->x->dx[i];
    case FLX_LEAF_ALGEBRAIC:
        return o->x->w[i];
    case FLX_LEAF_TURNS:
        return turns_leaf(o, i);
    case FLX_LEAF_SWITCH:
        return o->x->switches[d->switching.first + i];
    case FLX_LEAF_DISCRETE:
        return o->x->switches[d->switching.discrete + i];
    case FLX_LEAF_COUNT:
        return o->x->switches[d->switching.count + i];
    case FLX_LEAF_REACTION:
        if (o->joint != i) { // components come one after another
            const view *r = &o->rows;
            flx_reaction_eval(r->d, r->w, &r->p, i, r->lam, r->mu, o->wrench);
        }
        o->joint = i;
        o->node = -1;
        return o->wrench[c];
    case FLX_LEAF_SECTION:
        if (o->node != i) flx_terms_section(d, o->w, &o->p, i, o->wrench);
        o->node = i;
        o->joint = -1;
        return o->wrench[c];
    case FLX_LEAF_RESULTANT:
        return resultant(o, i, c);
    case FLX_LEAF_DRIVE:
        return 0.0 - row_value(&o->rows, flx_read_drive(o->rows.d, i));
    case FLX_LEAF_MULTIPLIER:
        return row_value(&o->rows, flx_read_multiplier(o->rows.d, i));
    case FLX_LEAF_PULL:
        return pull(&o->rows, i, c);
    case FLX_LEAF_LOAD:
        return load(o, i, c);
    case FLX_LEAF_ENERGY:
        return energy_leaf(&o->energy, c);
    case FLX_LEAF_MOMENTUM:
        return c < 3 ? o->energy.linear[c] : o->energy.angular[c - 3];
    case FLX_LEAF_CONSTRAINTS:
        return c == 0 ? o->residuals.position : o->residuals.velocity;
    case FLX_LEAF_MODES:
        return (double)NAN; // no system knows it
    case FLX_LEAF_STRESS:
        return flx_elastic_largest_stress(d->model->modals[i].e,
                                          o->x->q + d->variable_q + d->model->modals[i].first);
    default:
        return body_leaf(o, leaf);
    }
}

static bool wants(int n, const flx_leaf *leaves, flx_leaf_kind a, flx_leaf_kind b)
{
    for (int i = 0; i < n; i++) {
        flx_leaf_kind k = flx_leaf_get_kind(leaves[i]);
        if (k == a || k == b) return true;
    }
    return false;
}

flx_status flx_descriptor_observe(const flx_system *s, flx_work *w, const flx_state *x, int n,
                                  const flx_leaf *leaves, double *values)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    observation o = {.d = d, .w = w, .x = x, .p = flx_state_point(s, x), .joint = -1, .node = -1};
    if (wants(n, leaves, FLX_LEAF_ENERGY, FLX_LEAF_MOMENTUM)) {
        FLX_TRY(flx_eval_energy(s, w, &o.p, &o.energy));
    }
    if (wants(n, leaves, FLX_LEAF_CONSTRAINTS, FLX_LEAF_CONSTRAINTS)) {
        flx_descriptor_residuals(s, w, x, &o.residuals);
    }
    o.rows = (view){d, w, o.p, x->lam, x->mu};
    bool rows = wants(n, leaves, FLX_LEAF_REACTION, FLX_LEAF_DRIVE) ||
                wants(n, leaves, FLX_LEAF_MULTIPLIER, FLX_LEAF_PULL) ||
                wants(n, leaves, FLX_LEAF_LOAD, FLX_LEAF_LOAD);
    if (rows && d->complete) {
        FLX_TRY(flx_least_norm(d, w, x, w->lam));
        o.rows.d = d->complete;
        o.rows.w = w->complete;
        o.rows.lam = w->lam;
        o.rows.mu = w->lam + d->complete->base.dims.nlam;
        flx_eval_frames(d->complete, w->complete, &o.p);
    }
    flx_eval_frames(d, w, &o.p);
    if (d->expr.angles.program && wants(n, leaves, FLX_LEAF_TURNS, FLX_LEAF_TURNS)) {
        flx_eval_leaves(w, &o.p, d->expr.angles.ninput, d->expr.angles.inputs, w->angle_leaves);
        flx_program_eval(d->expr.angles.program, w->angle_leaves, w->scratch, w->angles);
    }
    for (int i = 0; i < n; i++) values[i] = leaf_value(&o, leaves[i]);
    return FLX_OK;
}
