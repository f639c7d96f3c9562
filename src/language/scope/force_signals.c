// force_signals.c - signals of forces: value, moment, length, power.
//
// In a bushing the value is K u + D u' with u = p2 - p1 in the axes of the first body.
#include "language/contact/contact_parts.h"
#include "language/scope/nums.h"
#include "model/nodes.h"

#include <string.h>

// Force (or moment) of a bushing in the first's axes, K u + D u', and u'.
static flx_num9 frame_of(const flx_force *def, int side)
{
    flx_num9 F = flx_num9_of(def->frame[side]);
    memcpy(F.n, def->frame_open[side], sizeof F.n);
    return F;
}

static void bushing_local(flx_builder *b, const flx_item *force, bool moment, flx_node v[3],
                          flx_node rate[3])
{
    flx_graph *g = b->g;
    const flx_force_data *d = force->data;
    const flx_force *def = &d->def;
    flx_node F[2][3][3], u[3], p[3];
    for (int k = 0; k < 2; k++) {
        for (int j = 0; j < 3; j++) {
            flx_num3 c = flx_num9_col(frame_of(def, k), j);
            flx_node_direction(b, d->body[k], &c, F[k][j]);
        }
    }
    if (!moment) {
        flx_node_way(b, d->body, d->at, p);
        for (int i = 0; i < 3; i++) u[i] = node_dot(g, F[0][i], p);
    } else if (b->m->dimension == 2) {
        u[0] = u[1] = node_const(g, 0);
        u[2] = flx_node_planar_angle(b, d->body[0], d->body[1]);
    } else {
        flx_node Q[9];
        for (int i = 0; i < 9; i++) Q[i] = node_dot(g, F[0][i / 3], F[1][i % 3]);
        flx_node_rotation_vector(g, Q, u);
    }
    for (int i = 0; i < 3; i++) {
        int c = !moment ? i : b->m->dimension == 2 ? 2 : 3 + i;
        bool there = c < def->ncomponent && !(moment && b->m->dimension == 2 && i < 2);
        v[i] = rate[i] = node_const(g, 0);
        if (!there) continue;
        rate[i] = flx_node_rate(b, u[i]);
        flx_node stiffness = node_open(g, def->stiffness[c], def->stiffness_open[c]);
        flx_node damping = node_open(g, def->damping[c], def->damping_open[c]);
        v[i] = def->mixed
                   ? flx_force_pull(g, force, c)
                   : node_add(g, node_mul(g, stiffness, u[i]), node_mul(g, damping, rate[i]));
    }
}

static void bushing_effort(flx_builder *b, const flx_item *force, bool moment, flx_node out[3])
{
    const flx_force_data *d = force->data;
    flx_node v[3], rate[3];
    bushing_local(b, force, moment, v, rate);
    flx_num9 F = frame_of(&d->def, 0);
    flx_node_turn(b, d->body[0], &F, v, out);
}

static flx_status bushing_member(flx_env *e, flx_item *force, const char *name, flx_operand *out)
{
    flx_force_data *d = force->data;
    flx_builder *b = e->b;
    flx_graph *g = b->g;
    flx_node p[3], v[3];
    if (strcmp(name, "value") == 0) {
        bushing_effort(b, force, false, v);
        return flx_env_vector(e, v, out);
    }
    if (strcmp(name, "moment") == 0) {
        bushing_effort(b, force, true, v);
        return b->m->dimension == 2 ? flx_operand_set_node(v[2], out) : flx_env_vector(e, v, out);
    }
    if (strcmp(name, "displacement") == 0) {
        flx_node_way(b, d->body, d->at, p);
        return flx_env_vector(e, p, out);
    }
    if (strcmp(name, "length") == 0) {
        FLX_TRY(flx_force_length(b, d));
        return flx_operand_set_node(d->length, out);
    }
    flx_node sum = node_const(g, 0), rate[3]; // power
    for (int moment = 0; moment < 2; moment++) {
        bushing_local(b, force, moment, v, rate);
        sum = node_sub(g, sum, node_dot(g, v, rate));
    }
    return flx_operand_set_node(sum, out);
}

// Power given to the bodies.
static flx_status power_member(flx_env *e, flx_force_data *d, flx_operand *out)
{
    flx_builder *b = e->b;
    flx_graph *g = b->g;
    flx_node sum = node_const(g, 0);
    if (d->def.kind->line) FLX_TRY(flx_force_length(b, d));
    if (d->def.kind->along && d->joint) d->rate = ((flx_joint_data *)d->joint->data)->def.rate;
    if (d->def.kind->line || d->def.kind->joint) {
        flx_node power = node_mul(g, d->scalar, d->rate);
        return flx_operand_set_node(d->def.kind->sign > 0 ? node_neg(g, power) : power, out);
    }
    if (d->nspread > 0) return flx_operand_set_node(flx_force_spread_power(b, d), out);
    for (int i = 0; i < 2; i++) {
        flx_node v[3], w[3], p = node_const(g, 0);
        flx_node_velocity(b, d->body[i], &d->at[i], v);
        flx_node_angular_velocity(b, d->body[i], w);
        if (d->def.force[0] >= 0) p = node_add(g, p, node_dot(g, d->def.force, v));
        if (d->def.torque[0] >= 0) p = node_add(g, p, node_dot(g, d->def.torque, w));
        sum = i == 1 ? node_add(g, sum, p) : node_sub(g, sum, p);
    }
    return flx_operand_set_node(sum, out);
}

static flx_status value_member(flx_env *e, flx_force_data *d, flx_operand *out)
{
    if (d->number) return flx_operand_set_node(d->scalar, out);
    return flx_env_vector(e, d->def.force[0] >= 0 ? d->def.force : d->def.torque, out);
}

static flx_status unavailable_member(flx_env *e, bool vector, flx_operand *out)
{
    return flx_env_stand_in(e, vector ? e->b->m->dimension : 1, out);
}

static flx_status signal_unknown(flx_env *e, const flx_item *force, const char *name, flx_loc loc)
{
    enum { MOST = 15 };
    const flx_force_data *d = force->data;
    const char *words[MOST + 1];
    int n = 0;
    for (const flx_force_signal *s = d->def.kind->signals; s->name && n < MOST; s++) {
        words[n++] = s->name;
    }
    words[n] = NULL;
    return flx_member_unknown(e, force->full, name, loc, words, NULL);
}

flx_status flx_force_member(flx_env *e, flx_item *force, const char *name, flx_loc loc,
                            flx_operand *out)
{
    flx_force_data *d = force->data;
    flx_builder *b = e->b;
    FLX_TRY(flx_env_require(e, FLX_MODE_MOVING, force->full, name, loc));
    FLX_TRY(flx_force_place(b, force, loc));
    if (!flx_force_find_signal(d->def.kind, name)) return signal_unknown(e, force, name, loc);
    if (d->def.kind->contact) return flx_contact_member(e, force, name, loc, out);
    if (d->unavailable) return unavailable_member(e, strcmp(name, "value") == 0, out);
    if (flx_force_find_signal(d->def.kind, "displacement")) {
        return bushing_member(e, force, name, out);
    }
    if (d->load && strcmp(name, "value") != 0)
        return flx_solid_load_member(e, force, name, loc, out);
    if (strcmp(name, "length") == 0) {
        FLX_TRY(flx_force_length(b, d));
        return flx_operand_set_node(d->length, out);
    }
    FLX_TRY(flx_force_value(b, force, loc));
    for (int i = 0; i < d->nmore; i++) {
        if (strcmp(d->more[i].name, name) == 0) return flx_operand_set_node(d->more[i].node, out);
    }
    return strcmp(name, "value") == 0 ? value_member(e, d, out) : power_member(e, d, out);
}

// Along a joint that of its coordinate; a force is the vector that `value` gives.
const char *flx_force_signal_unit(const flx_item *force, const char *name)
{
    const flx_force_data *d = force->data;
    const flx_force_signal *s = flx_force_find_signal(d->def.kind, name);
    if (!s) return NULL;
    if (s->unit) return s->unit;
    if (d->joint) {
        bool slides = ((const flx_joint_data *)d->joint->data)->displacement;
        if (d->word->law == FLX_LAW_ELASTIC) slides = flx_force_slides(force, d);
        if (d->word->law == FLX_LAW_FORCE || d->word->law == FLX_LAW_TORQUE) {
            slides = d->word->law == FLX_LAW_FORCE;
        }
        return slides ? "N" : "N m";
    }
    bool torque = d->word->law == FLX_LAW_BOTH && d->def.force[0] < 0;
    return torque ? "N m" : d->word->unit;
}
