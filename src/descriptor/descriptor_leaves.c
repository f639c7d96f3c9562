// descriptor_leaves.c - the leaves of expressions in a descriptor system, kind by kind.
#include "descriptor/descriptor_leaves.h"

typedef struct rule {
    // Directions in out[0] .. out[2], of which out[0] is prepared; how many. NULL: none.
    int (*directions)(const flx_descriptor *d, flx_leaf leaf, flx_direction *out);
    // NULL: programs find zero.
    flx_expr_input (*input)(const flx_descriptor *d, flx_leaf leaf);
    // NULL: what programs find.
    double (*value)(flx_observation *o, int i, int c);
    // Of a multiplier: its row, -1 where there is none.
    int (*row)(const flx_descriptor *d, int i, int c);
} rule;

static const rule *rule_of(flx_leaf leaf);
static const flx_expr_input nowhere = {FLX_INPUT_ZERO, 0};

#define INDEX flx_leaf_get_index(leaf)
#define COMPONENT flx_leaf_get_component(leaf)

// ---- time and parameters ------------------------------------------------------------------------

static flx_expr_input time_input(const flx_descriptor *d, flx_leaf leaf)
{
    (void)d, (void)leaf;
    return (flx_expr_input){FLX_INPUT_TIME, 0};
}

static flx_expr_input parameter_input(const flx_descriptor *d, flx_leaf leaf)
{
    return (flx_expr_input){FLX_INPUT_PARAMETER, flx_param_of_leaf(d->model, leaf)};
}

// An input is a number from outside, or one of the algebraic unknowns.
static int input_directions(const flx_descriptor *d, flx_leaf leaf, flx_direction *out)
{
    int unknown = d->model->inputs[INDEX].unknown;
    out->unknown = flx_first_w(d) + unknown - 1;
    return unknown > 0 && COMPONENT == FLX_INPUT_VALUE;
}

static flx_expr_input input_input(const flx_descriptor *d, flx_leaf leaf)
{
    int unknown = d->model->inputs[INDEX].unknown;
    if (unknown == 0) return parameter_input(d, leaf);
    return COMPONENT == FLX_INPUT_VALUE ? (flx_expr_input){FLX_INPUT_W, unknown - 1} : nowhere;
}

// ---- bodies -------------------------------------------------------------------------------------

static int translations(const flx_descriptor *d)
{
    return d->planar ? 2 : 3;
}

// A number of a body's frame, in doubles from the start of all frames.
static flx_expr_input frame_input(const flx_descriptor *d, flx_leaf leaf, int plane, int space)
{
    const int frame = d->planar ? (int)(sizeof(flx_frame2) / 8) : (int)(sizeof(flx_frame) / 8);
    return (flx_expr_input){FLX_INPUT_FRAME, (INDEX + 1) * frame + (d->planar ? plane : space)};
}

static int position_directions(const flx_descriptor *d, flx_leaf leaf, flx_direction *out)
{
    int i = INDEX, c = COMPONENT;
    out->body = i;
    out->d = c;
    out->unknown = d->body_v[i] + c;
    return c < d->body_nv[i] && c < translations(d);
}

static flx_expr_input position_input(const flx_descriptor *d, flx_leaf leaf)
{
    int c = COMPONENT;
    return d->planar && c == 2 ? nowhere : frame_input(d, leaf, 2 + c, 9 + c);
}

static int rotation_directions(const flx_descriptor *d, flx_leaf leaf, flx_direction *out)
{
    int i = INDEX, turns = translations(d), n = d->body_nv[i] - turns;
    for (int k = 0; k < n; k++) { // a point does not turn
        out[k] = out[0];
        out[k].unknown = d->body_v[i] + turns + k;
        out[k].body = i;
        out[k].d = turns + k;
    }
    return n > 0 ? n : 0;
}

static flx_expr_input rotation_input(const flx_descriptor *d, flx_leaf leaf)
{
    return frame_input(d, leaf, 4, COMPONENT);
}

static int velocity_directions(const flx_descriptor *d, flx_leaf leaf, flx_direction *out)
{
    out->rate = true;
    out->unknown = d->body_v[INDEX] + COMPONENT;
    return COMPONENT < translations(d);
}

static flx_expr_input velocity_input(const flx_descriptor *d, flx_leaf leaf)
{
    int c = COMPONENT;
    return d->planar && c == 2 ? nowhere : frame_input(d, leaf, 5 + c, 12 + c);
}

static int spin_directions(const flx_descriptor *d, flx_leaf leaf, flx_direction *out)
{
    out->rate = true;
    out->unknown = d->body_v[INDEX] + translations(d) + COMPONENT;
    return d->body_nv[INDEX] > translations(d);
}

static flx_expr_input spin_input(const flx_descriptor *d, flx_leaf leaf)
{
    return frame_input(d, leaf, 7, 15 + COMPONENT);
}

static double acceleration_value(flx_observation *o, int i, int c)
{
    return c < translations(o->d) ? o->x->a[o->d->body_v[i] + c] : 0.0;
}

static double spin_rate_value(flx_observation *o, int i, int c)
{
    const flx_descriptor *d = o->d;
    bool turns = d->model->bodies[i].type == FLX_BODY_RIGID;
    return turns ? o->x->a[d->body_v[i] + translations(d) + (d->planar ? 0 : c)] : 0.0;
}

// ---- variables ----------------------------------------------------------------------------------

static int variable_directions(const flx_descriptor *d, flx_leaf leaf, flx_direction *out)
{
    out->unknown = d->variable_v + INDEX;
    return 1;
}

static flx_expr_input variable_input(const flx_descriptor *d, flx_leaf leaf)
{
    return (flx_expr_input){FLX_INPUT_Q, d->variable_q + INDEX};
}

static int variable_rate_directions(const flx_descriptor *d, flx_leaf leaf, flx_direction *out)
{
    out->rate = true;
    return variable_directions(d, leaf, out);
}

static flx_expr_input variable_rate_input(const flx_descriptor *d, flx_leaf leaf)
{
    return (flx_expr_input){FLX_INPUT_V, d->variable_v + INDEX};
}

static double variable_rate2_value(flx_observation *o, int i, int c)
{
    (void)c;
    return o->x->a[o->d->variable_v + i];
}

static int state_directions(const flx_descriptor *d, flx_leaf leaf, flx_direction *out)
{
    out->unknown = flx_first_x(d) + INDEX;
    return 1;
}

static flx_expr_input state_input(const flx_descriptor *d, flx_leaf leaf)
{
    (void)d;
    return (flx_expr_input){FLX_INPUT_X, INDEX};
}

static double state_rate_value(flx_observation *o, int i, int c)
{
    (void)c;
    return o->x->dx[i];
}

static int algebraic_directions(const flx_descriptor *d, flx_leaf leaf, flx_direction *out)
{
    out->unknown = flx_first_w(d) + INDEX;
    return 1;
}

static flx_expr_input algebraic_input(const flx_descriptor *d, flx_leaf leaf)
{
    (void)d;
    return (flx_expr_input){FLX_INPUT_W, INDEX};
}

// ---- what events change -------------------------------------------------------------------------

static flx_expr_input switch_input(const flx_descriptor *d, flx_leaf leaf)
{
    return (flx_expr_input){FLX_INPUT_SWITCH, d->switching.first + INDEX};
}

static flx_expr_input discrete_input(const flx_descriptor *d, flx_leaf leaf)
{
    return (flx_expr_input){FLX_INPUT_SWITCH, d->switching.discrete + INDEX};
}

static flx_expr_input count_input(const flx_descriptor *d, flx_leaf leaf)
{
    return (flx_expr_input){FLX_INPUT_SWITCH, d->switching.count + INDEX};
}

static flx_expr_input turns_input(const flx_descriptor *d, flx_leaf leaf)
{
    int number = d->switch_of_joint[INDEX];
    for (int k = 0; number >= 0 && k < d->expr.nturn; k++) {
        if (d->expr.turn_switch[k] == number) return (flx_expr_input){FLX_INPUT_TURN, k};
    }
    return nowhere;
}

// Whole turns between the continuous angle and the one on a branch that an expression computes.
static double turns_value(flx_observation *o, int joint, int c)
{
    int k = o->d->switch_of_joint[joint];
    const double turn = 2.0 * FLX_PI;
    flx_jet j;
    (void)c;
    if (k < 0) return 0.0;
    flx_scalar_value(o->d->turns + k, o->w->frames, o->p.switches, &j);
    return round((j.value - o->w->angles[k]) / turn);
}

// ---- multipliers --------------------------------------------------------------------------------

static double row_value(const flx_row_view *o, int row)
{
    int nlam = o->d->base.dims.nlam;
    return row < 0 ? 0.0 : row < nlam ? o->lam[row] : o->mu[row - nlam];
}

static flx_expr_input row_input(const flx_descriptor *d, flx_leaf leaf)
{
    int row = flx_expr_row_of(d, leaf);
    return row < 0 ? nowhere : (flx_expr_input){FLX_INPUT_ROW, row};
}

static int row_directions(const flx_descriptor *d, flx_leaf leaf, flx_direction *out)
{
    int row = flx_expr_row_of(d, leaf);
    out->unknown = flx_first_lam(d) + row;
    return row >= 0;
}

static int drive_row(const flx_descriptor *d, int i, int c)
{
    (void)c;
    return flx_read_drive(d, i);
}

static int drive_directions(const flx_descriptor *d, flx_leaf leaf, flx_direction *out)
{
    out->factor = -1.0;
    return row_directions(d, leaf, out);
}

static flx_expr_input drive_input(const flx_descriptor *d, flx_leaf leaf)
{
    flx_expr_input in = row_input(d, leaf);
    if (in.source == FLX_INPUT_ROW) in.source = FLX_INPUT_DRIVE;
    return in;
}

static double drive_value(flx_observation *o, int i, int c)
{
    return 0.0 - row_value(&o->rows, drive_row(o->rows.d, i, c));
}

static int multiplier_row(const flx_descriptor *d, int i, int c)
{
    (void)c;
    return flx_read_multiplier(d, i);
}

static double multiplier_value(flx_observation *o, int i, int c)
{
    return row_value(&o->rows, multiplier_row(o->rows.d, i, c));
}

// The group of a friction that sticks.
static const flx_contact_group *stick_of(const flx_descriptor *d, int stick)
{
    return &d->groups[d->first_stick + stick].is;
}

static flx_expr_input stick_input(const flx_descriptor *d, flx_leaf leaf)
{
    const flx_contact_group *g = stick_of(d, INDEX);
    return (flx_expr_input){FLX_INPUT_SWITCH, COMPONENT == 0 ? g->state : g->slip};
}

static int grip_row(const flx_descriptor *d, int i, int c)
{
    (void)c;
    return d->base.dims.nlam + stick_of(d, i)->tangent[0];
}

static double grip_value(flx_observation *o, int i, int c)
{
    return row_value(&o->rows, grip_row(o->rows.d, i, c));
}

// The normal row of a rigid stop: the c/2th of its joint.
static int stop_row(const flx_descriptor *d, int joint, int c)
{
    const flx_model *m = d->model;
    int first = 0;
    while (first < m->nstop && m->stops[first].joint != joint) first++;
    for (int i = 0; i < d->ngroup; i++) {
        if (d->groups[i].of.stop == 2 * first + c + 1) return d->groups[i].is.normal;
    }
    return -1;
}

static double stop_value(flx_observation *o, int i, int c)
{
    return row_value(&o->rows, stop_row(o->rows.d, i, c));
}

// Of a force that is an unknown; zero along a direction without stiffness and damping.
static double pull_value(flx_observation *o, int force, int component)
{
    return row_value(&o->rows, flx_pulls_find(o->rows.d, force, component));
}

static int reaction_directions(const flx_descriptor *d, flx_leaf leaf, flx_direction *out)
{
    (void)d;
    out->unknown = -1;
    out->d = COMPONENT;
    return 1;
}

static flx_expr_input reaction_input(const flx_descriptor *d, flx_leaf leaf)
{
    for (int k = 0; k < d->expr.nreading; k++) {
        const flx_reading *r = d->expr.readings + k;
        if (r->joint == INDEX) return (flx_expr_input){FLX_INPUT_READ, r->value + COMPONENT};
    }
    return nowhere;
}

static double reaction_value(flx_observation *o, int i, int c)
{
    if (o->joint != i) { // components come one after another
        const flx_row_view *r = &o->rows;
        flx_reaction_eval(r->d, r->w, &r->p, i, r->lam, r->mu, o->wrench);
    }
    o->joint = i;
    o->node = -1;
    return o->wrench[c];
}

// Force or moment at a attached frame, ground axes: what is against its rows.
static double load_value(flx_observation *o, int i, int c)
{
    const flx_row_view *r = &o->rows;
    const flx_attached_data *f = r->d->attached + i;
    const double *rows = r->w->attached.r + f->v;
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

// ---- what follows from a state ------------------------------------------------------------------

static double energy_value(flx_observation *o, int i, int c)
{
    const flx_energies *e = &o->energy;
    // dissipated: an integral over time, which no state knows: the caller's
    const double parts[] = {e->kinetic, e->potential, e->strain, 0.0,
                            e->kinetic + e->potential + e->strain};
    (void)i;
    return parts[c];
}

static double momentum_value(flx_observation *o, int i, int c)
{
    (void)i;
    return c < 3 ? o->energy.linear[c] : o->energy.angular[c - 3];
}

static double inertia_value(flx_observation *o, int i, int c)
{
    if (o->inertia_of != i && flx_eval_inertia(o->d, o->w, &o->p, i - 1, o->inertia) != FLX_OK) {
        return (double)NAN;
    }
    o->inertia_of = i;
    return o->inertia[c];
}

static double constraints_value(flx_observation *o, int i, int c)
{
    (void)i;
    return c == 0 ? o->residuals.position : o->residuals.velocity;
}

static double section_value(flx_observation *o, int i, int c)
{
    if (o->node != i) flx_terms_section(o->d, o->w, &o->p, i, o->wrench);
    o->node = i;
    o->joint = -1;
    return o->wrench[c];
}

// Force, moment about the origin and power of a load on a solid.
static double resultant_value(flx_observation *o, int force, int c)
{
    flx_solid_resultant sum;
    flx_solid_loads_resultant(o->d, o->w, &o->p, force, &sum);
    return c == 6 ? sum.power : c < 3 ? sum.force[c] : sum.moment[c - 3];
}

// components come one after another
static double contact_value(flx_observation *o, int force, int c)
{
    if (o->contact != force) {
        int number = o->d->model->forces[force].contact;
        flx_contacts_observe(o->d, o->w, &o->p, number, o->touching);
    }
    o->contact = force;
    return o->touching[c];
}

static double stress_value(flx_observation *o, int i, int c)
{
    const flx_modal *modal = o->d->model->modals + i;
    (void)c;
    return flx_elastic_largest_stress(modal->e, o->x->q + o->d->variable_q + modal->first);
}

static double no_value(flx_observation *o, int i, int c)
{
    (void)o, (void)i, (void)c;
    return (double)NAN; // no system knows it
}

// ---- the table ----------------------------------------------------------------------------------

static const rule rules[FLX_LEAF_KINDS] = {
    [FLX_LEAF_TIME] = {.input = time_input},
    [FLX_LEAF_PARAMETER] = {.input = parameter_input},
    [FLX_LEAF_FACTOR] = {.input = parameter_input},
    [FLX_LEAF_INPUT] = {.directions = input_directions, .input = input_input},
    [FLX_LEAF_NUMBER] = {.input = parameter_input},
    [FLX_LEAF_BODY_POSITION] = {.directions = position_directions, .input = position_input},
    [FLX_LEAF_BODY_ROTATION] = {.directions = rotation_directions, .input = rotation_input},
    [FLX_LEAF_BODY_VELOCITY] = {.directions = velocity_directions, .input = velocity_input},
    [FLX_LEAF_BODY_ANGULAR_VELOCITY] = {.directions = spin_directions, .input = spin_input},
    [FLX_LEAF_BODY_ACCELERATION] = {.value = acceleration_value},
    [FLX_LEAF_BODY_ANGULAR_ACCELERATION] = {.value = spin_rate_value},
    [FLX_LEAF_VARIABLE] = {.directions = variable_directions, .input = variable_input},
    [FLX_LEAF_VARIABLE_RATE] = {.directions = variable_rate_directions,
                                .input = variable_rate_input},
    [FLX_LEAF_VARIABLE_RATE2] = {.value = variable_rate2_value},
    [FLX_LEAF_STATE] = {.directions = state_directions, .input = state_input},
    [FLX_LEAF_STATE_RATE] = {.value = state_rate_value},
    [FLX_LEAF_ALGEBRAIC] = {.directions = algebraic_directions, .input = algebraic_input},
    [FLX_LEAF_TURNS] = {.input = turns_input, .value = turns_value},
    [FLX_LEAF_SWITCH] = {.input = switch_input},
    [FLX_LEAF_DISCRETE] = {.input = discrete_input},
    [FLX_LEAF_COUNT] = {.input = count_input},
    [FLX_LEAF_REACTION] = {.directions = reaction_directions,
                           .input = reaction_input,
                           .value = reaction_value},
    [FLX_LEAF_DRIVE] = {.directions = drive_directions,
                        .input = drive_input,
                        .value = drive_value,
                        .row = drive_row},
    [FLX_LEAF_MULTIPLIER] = {.directions = row_directions,
                             .input = row_input,
                             .value = multiplier_value,
                             .row = multiplier_row},
    [FLX_LEAF_STICK] = {.input = stick_input},
    [FLX_LEAF_STOP] = {.directions = row_directions,
                       .input = row_input,
                       .value = stop_value,
                       .row = stop_row},
    [FLX_LEAF_GRIP] = {.directions = row_directions,
                       .input = row_input,
                       .value = grip_value,
                       .row = grip_row},
    [FLX_LEAF_PULL] = {.directions = row_directions,
                       .input = row_input,
                       .value = pull_value,
                       .row = flx_pulls_find},
    [FLX_LEAF_LOAD] = {.value = load_value},
    [FLX_LEAF_ENERGY] = {.value = energy_value},
    [FLX_LEAF_MOMENTUM] = {.value = momentum_value},
    [FLX_LEAF_INERTIA] = {.value = inertia_value},
    [FLX_LEAF_CONSTRAINTS] = {.value = constraints_value},
    [FLX_LEAF_SECTION] = {.value = section_value},
    [FLX_LEAF_RESULTANT] = {.value = resultant_value},
    [FLX_LEAF_CONTACT] = {.value = contact_value},
    [FLX_LEAF_MODES] = {.value = no_value},
    [FLX_LEAF_STRESS] = {.value = stress_value},
    [FLX_LEAF_MEASURE] = {.value = no_value},
};

static const rule *rule_of(flx_leaf leaf)
{
    return rules + flx_leaf_get_kind(leaf);
}

int flx_leaf_directions(const flx_descriptor *d, flx_leaf leaf, flx_direction out[3])
{
    const rule *r = rule_of(leaf);
    out[0] = (flx_direction){.leaf = leaf, .body = -1, .factor = 1.0, .reading = -1};
    return r->directions ? r->directions(d, leaf, out) : 0;
}

flx_expr_input flx_leaf_input(const flx_descriptor *d, flx_leaf leaf)
{
    const rule *r = rule_of(leaf);
    return r->input ? r->input(d, leaf) : nowhere;
}

double flx_leaf_value(flx_observation *o, flx_leaf leaf)
{
    const rule *r = rule_of(leaf);
    double value;
    if (r->value) return r->value(o, INDEX, COMPONENT);
    if (!r->input) return (double)NAN;
    flx_expr_input in = r->input(o->d, leaf);
    flx_eval_leaves(o->w, &o->p, 1, &in, &value);
    return value;
}

int flx_expr_row_of(const flx_descriptor *d, flx_leaf leaf)
{
    const rule *r = rule_of(leaf);
    return r->row ? r->row(d, INDEX, COMPONENT) : -1;
}
