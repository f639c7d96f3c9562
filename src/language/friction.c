// friction.c - friction in joints, which reads the reaction:
//
//     N = |R_n|,   s = sqrt(u'^2 + r^2 w^2 + v_s^2)
//     F = -(c N / s + d) u' a,   T = -(c N r^2 / s + d) w                      (FRI-1)
// on the second body, oppositely on the first. u': rate of sliding along the axis a; w: relative
// angular velocity, about the axis or, in a ball or a cross, any; r: radius of the bearing; c:
// coefficient; d: viscous part; v_s: slip at which friction is fully there, to a factor of sqrt(2).
// R_n: the part of the reaction that presses on the surface. |R_n| is rounded off near zero,
//     N = sqrt(|R_n|^2 + n^2)                                                  (FRI-2)
// Friction that sticks (stick: true) is a group of rows along the coordinate: what holds it is at most
//     L = c_s N h,   h = 1 where it slides, r where it turns, of a screw sqrt(r^2 + (p/2 pi)^2)  (FRI-3)
// and while it slides in the direction e the force is that of c, with e in the place of the velocities.
#include "force/force_kind.h"
#include "joint/joint.h"
#include "language/builder.h"
#include "language/scope/nums.h"
#include "model/nodes.h"

#include <string.h>

// Slip at which friction is fully there, m/s.
#define DEFAULT_VELOCITY 1e-3
// n as a part of the weight of the heavier body.
#define ROUND_OFF 1e-6

typedef struct friction {
    flx_num coefficient, radius, velocity, viscous;
    bool sticks;
    flx_num most; // coefficient while it sticks
} friction;

static flx_status not_negative(flx_env *e, const flx_entry *y, const char *key, flx_num *out)
{
    const flx_entry *v = flx_entry_get(y, key);
    if (!v) return FLX_OK;
    FLX_TRY(flx_build_num(e, v, out));
    if (out->x >= 0) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, v->loc, "'%s' of friction cannot be negative", key);
}

// What is refused here is refused of parameters that are set later.
static flx_status limit(flx_builder *b, const flx_item *joint, const flx_entry *y,
                        const friction *f, bool needs_radius)
{
    const struct {
        const char *what;
        flx_num number;
        bool positive;
    } all[] = {{"coefficient of the friction", f->coefficient, false},
               {"viscous part of the friction", f->viscous, false},
               {"radius of the friction", f->radius, needs_radius},
               {"velocity of the friction", f->velocity, true}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const flx_limit l = {.what = all[i].what,
                             .name = joint->full,
                             .loc = y->loc,
                             .value_open = all[i].number.n,
                             .positive = all[i].positive};
        FLX_TRY(flx_build_limit(b, &l));
    }
    return FLX_OK;
}

// What is open may be other than zero.
static bool is_there(flx_num a)
{
    return a.x > 0 || a.n;
}

// Only along one coordinate: in a cylinder, a ball or a cross friction has a direction.
static flx_status check_stick(flx_env *e, const flx_item *joint, const flx_entry *y,
                              const flx_joint_surface *s)
{
    const flx_joint_data *d = joint->data;
    const flx_entry *stick = flx_entry_get(y, "stick"), *velocity = flx_entry_get(y, "velocity");
    bool single = !s->any && (s->slides != s->turns || d->def.kind->threaded);
    if (!single) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, stick->loc,
                        "joint '%s' (%s) slips in several directions; friction that sticks is for "
                        "revolute, prismatic, point-on-line and screw joints. Leave out 'stick', "
                        "and give the 'velocity' at which friction is fully there",
                        joint->full, d->def.kind->says.word);
    }
    if (velocity) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, velocity->loc,
                        "'velocity' rounds off what 'stick: true' keeps; give one of the two");
    }
    if (flx_entry_get(joint->def, "motion")) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, stick->loc,
                        "the motion of joint '%s' prescribes its coordinate, which cannot stick; "
                        "leave out 'stick'",
                        joint->full);
    }
    return FLX_OK;
}

static flx_status read_stick(flx_env *e, const flx_item *joint, const flx_entry *y,
                             const flx_joint_surface *s, friction *f)
{
    const flx_entry *stick = flx_entry_get(y, "stick"), *most = flx_entry_get(y, "static");
    if (stick) FLX_TRY(flx_build_flag(e->b, stick, "stick", &f->sticks));
    if (most && !f->sticks) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, most->loc,
                        "'static' is for friction that sticks: add 'stick: true'");
    }
    if (!f->sticks) return FLX_OK;
    FLX_TRY(check_stick(e, joint, y, s));
    f->most = f->coefficient;
    FLX_TRY(not_negative(e, y, "static", &f->most));
    if (f->most.x >= f->coefficient.x) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, most->loc,
                    "'static', %g, is the friction while it sticks, and cannot be less than "
                    "'coefficient', %g",
                    f->most.x, f->coefficient.x);
}

static flx_status read_friction(flx_env *e, const flx_item *joint, const flx_entry *y,
                                const flx_joint_surface *s, friction *f)
{
    const flx_entry *velocity = flx_entry_get(y, "velocity");
    *f = (friction){.velocity = {DEFAULT_VELOCITY, 0}};
    FLX_TRY(not_negative(e, y, "coefficient", &f->coefficient));
    FLX_TRY(not_negative(e, y, "viscous", &f->viscous));
    FLX_TRY(not_negative(e, y, "radius", &f->radius));
    FLX_TRY(read_stick(e, joint, y, s, f));
    if (velocity)
        FLX_TRY(flx_build_kept_positive(e, velocity, "velocity", &f->velocity.x, &f->velocity.n));
    bool needs_radius = s->turns && is_there(f->coefficient);
    if (needs_radius && !(f->radius.x > 0)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "friction of joint '%s' needs the 'radius' of its bearing", joint->full);
    }
    return limit(e->b, joint, y, f, needs_radius);
}

// ---- nodes --------------------------------------------------------------------------------------

// (FRI-2)
static flx_node pressure(flx_builder *b, const flx_item *joint, const flx_joint_surface *s,
                         const flx_node axis[3])
{
    flx_graph *g = b->g;
    const flx_joint_data *d = joint->data;
    double weight = 0.0, gravity = v3_norm(v3_load(b->m->gravity));
    flx_node R[3];
    for (int i = 0; i < 2; i++) {
        if (d->body[i]->kind != FLX_KIND_BODY) continue;
        weight = fmax(weight, ((const flx_body_data *)d->body[i]->data)->def.mass);
    }
    double n = ROUND_OFF * weight * (gravity > 0 ? gravity : 1.0);
    if (!(n > 0)) n = ROUND_OFF;
    for (int i = 0; i < 3; i++) {
        R[i] = node_leaf(g, FLX_LEAF_REACTION, joint->number, i);
    }
    flx_node square = node_dot(g, R, R);
    if (!s->whole && b->m->dimension == 3) {
        flx_node along = node_dot(g, R, axis);
        for (int i = 0; i < 3; i++) R[i] = node_sub(g, R[i], node_mul(g, along, axis[i]));
        square = node_dot(g, R, R);
    }
    if (!s->whole && b->m->dimension == 2 && s->slides) {
        // across the axis: z x a
        square = node_sub(g, node_mul(g, R[1], axis[0]), node_mul(g, R[0], axis[1]));
        square = node_mul(g, square, square);
    }
    return node_sqrt(g, node_add(g, square, node_const(g, n * n)));
}

// u', and w as a vector; zero where the joint does not.
static flx_status find_slip(flx_builder *b, const flx_joint_data *d, const flx_joint_surface *s,
                            const flx_node axis[3], flx_node *rate, flx_node w[3])
{
    flx_graph *g = b->g;
    flx_node p[2][3], spin[2][3], way[3];
    *rate = w[0] = w[1] = w[2] = node_const(g, 0);
    if (s->slides) {
        for (int i = 0; i < 2; i++) flx_node_position(b, d->body[i], &d->at[i], p[i]);
        node_sub3(g, p[1], p[0], way);
        *rate = flx_graph_derive(g, node_dot(g, axis, way), flx_leaf_time_rate, b->m);
        if (*rate < 0) return FLX_ERR_MEMORY;
    }
    if (!s->turns) return FLX_OK;
    for (int i = 0; i < 2; i++) flx_node_angular_velocity(b, d->body[i], spin[i]);
    node_sub3(g, spin[1], spin[0], w);
    if (s->any || b->m->dimension == 2) return FLX_OK;
    flx_node along = node_dot(g, axis, w);
    for (int i = 0; i < 3; i++) w[i] = node_mul(g, along, axis[i]);
    return FLX_OK;
}

// Arms of a unit of friction at the surface: of the force, of the torque, and along the coordinate.
static void find_arms(flx_builder *b, const flx_joint_data *d, const flx_joint_surface *s,
                      const friction *f, flx_node *force, flx_node *torque, flx_node *all)
{
    flx_graph *g = b->g;
    flx_node radius = flx_num_node(g, f->radius), one = node_const(g, 1.0);
    *force = s->slides ? one : node_const(g, 0.0);
    *torque = s->turns ? radius : node_const(g, 0.0);
    *all = s->slides ? one : radius;
    if (!d->def.kind->threaded) return;
    flx_node pitch = node_scale(g, 0.5 / FLX_PI, node_open(g, d->def.pitch, d->def.pitch_open));
    *all = node_sqrt(g, node_add(g, node_mul(g, pitch, pitch), node_mul(g, radius, radius)));
    *force = node_div(g, pitch, *all);
    *torque = node_div(g, node_mul(g, radius, radius), *all);
}

// (FRI-3)
static flx_status make_stick(flx_builder *b, const flx_item *joint, const flx_joint_surface *s,
                             const friction *f, flx_force *out)
{
    flx_graph *g = b->g;
    flx_joint_data *d = joint->data;
    flx_num3 a = flx_num9_col(d->frame[0], 2);
    flx_node axis[3], force, torque, all, rate, w[3];
    flx_node_direction(b, d->body[0], &a, axis);
    find_arms(b, d, s, f, &force, &torque, &all);
    FLX_TRY(find_slip(b, d, s, axis, &rate, w));
    d->stick = flx_take(b, 1, sizeof *d->stick);
    if (!d->stick) return FLX_ERR_MEMORY;
    *d->stick =
        (flx_stick){.name = joint->full,
                    .loc = out->loc,
                    .joint = joint->number,
                    .coordinate = s->turns ? FLX_COORDINATE_ANGLE : FLX_COORDINATE_DISPLACEMENT,
                    .friction = f->coefficient.x,
                    .friction_open = f->coefficient.n,
                    .sticking = f->most.x,
                    .sticking_open = f->most.n};
    flx_node press = pressure(b, joint, s, axis);
    d->stick->limit = node_mul(g, node_mul(g, flx_num_node(g, f->most), press), all);
    flx_node state = node_leaf(g, FLX_LEAF_STICK, b->nstick, 0);
    flx_node slides = flx_graph_binary(g, FLX_OP_EQ, state, node_const(g, FLX_CONTACT_SLIDES));
    flx_node course = node_mul(g, slides, node_leaf(g, FLX_LEAF_STICK, b->nstick, 1));
    flx_node grip = node_mul(g, node_mul(g, flx_num_node(g, f->coefficient), press), course);
    flx_node radius = flx_num_node(g, f->radius), viscous = flx_num_node(g, f->viscous);
    flx_node turning = s->slides ? node_mul(g, node_mul(g, radius, radius), viscous) : viscous;
    flx_node slide = node_add(g, node_mul(g, grip, force), node_mul(g, viscous, rate));
    // what it does along the coordinate, sticking or sliding
    flx_node held = node_leaf(g, FLX_LEAF_GRIP, b->nstick, 0);
    // one whose slip the friction of another joint holds does not slide
    flx_node still = flx_graph_binary(g, FLX_OP_EQ, node_leaf(g, FLX_LEAF_STICK, b->nstick, 1),
                                      node_const(g, 0.0));
    d->stick_state = node_add(g, state, node_mul(g, slides, still));
    d->stick_effort = node_neg(g, node_add(g, held, node_mul(g, grip, all)));
    b->nstick++;
    for (int i = 0; i < 3; i++) {
        flx_node push = node_mul(g, slide, axis[i]);
        flx_node turn = node_mul(g, node_mul(g, grip, torque), axis[i]);
        turn = node_add(g, turn, node_mul(g, turning, w[i]));
        if (s->slides) out->force[i] = node_neg(g, push);
        if (s->turns) out->torque[i] = node_neg(g, turn);
        if ((s->slides && out->force[i] < 0) || (s->turns && out->torque[i] < 0)) {
            return FLX_ERR_MEMORY;
        }
    }
    return d->stick->limit < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

// (FRI-1)
static flx_status make_force(flx_builder *b, const flx_item *joint, const flx_joint_surface *s,
                             const friction *f, flx_force *out)
{
    flx_graph *g = b->g;
    const flx_joint_data *d = joint->data;
    flx_node radius = flx_num_node(g, f->radius), r2 = node_mul(g, radius, radius);
    flx_node least = flx_num_node(g, f->velocity), viscous = flx_num_node(g, f->viscous);
    flx_num3 a = flx_num9_col(d->frame[0], 2);
    flx_node axis[3], rate, w[3];
    flx_node_direction(b, d->body[0], &a, axis);
    FLX_TRY(find_slip(b, d, s, axis, &rate, w));
    flx_node slip = node_add(g, node_mul(g, rate, rate), node_mul(g, r2, node_dot(g, w, w)));
    slip = node_sqrt(g, node_add(g, slip, node_mul(g, least, least)));
    flx_node grip = node_const(g, 0);
    if (is_there(f->coefficient)) {
        flx_node press = pressure(b, joint, s, axis);
        grip = node_div(g, node_mul(g, flx_num_node(g, f->coefficient), press), slip);
    }
    flx_node turning = s->slides ? node_mul(g, r2, viscous) : viscous; // on one surface both
    flx_node slide = node_add(g, grip, viscous);
    flx_node turn = node_add(g, node_mul(g, r2, grip), turning);
    for (int i = 0; i < 3; i++) {
        if (s->slides) {
            out->force[i] = node_neg(g, node_mul(g, node_mul(g, slide, rate), axis[i]));
        }
        if (s->turns) out->torque[i] = node_neg(g, node_mul(g, turn, w[i]));
        if (s->slides && out->force[i] < 0) return FLX_ERR_MEMORY;
        if (s->turns && out->torque[i] < 0) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

flx_status flx_joint_friction(flx_builder *b, flx_item *joint)
{
    const flx_entry *y = flx_entry_get(joint->def, "friction");
    flx_joint_data *d = joint->data;
    flx_env e;
    friction f;
    const flx_joint_surface *s = &d->def.kind->surface;
    if (!y) return FLX_OK;
    flx_env_of(&e, b, joint, FLX_MODE_CONSTANT);
    if (!(s->slides || s->turns) || (d->point_pin && s->turns)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "joint '%s' has no surface for friction",
                        joint->full);
    }
    FLX_TRY(read_friction(&e, joint, y, s, &f));
    for (int i = 0; i < 2; i++) FLX_TRY(flx_body_ready(b, d->body[i], y->loc));
    d->friction = flx_take(b, 1, sizeof *d->friction);
    if (!d->friction) return FLX_ERR_MEMORY;
    *d->friction = (flx_force){.name = joint->full,
                               .loc = y->loc,
                               .kind = &flx_force_wrench,
                               .body = {d->def.body[0], d->def.body[1]},
                               .joint = -1,
                               .value = -1,
                               .stored = -1,
                               .lost = -1,
                               .bound = -1,
                               .force = {-1, -1, -1},
                               .torque = {-1, -1, -1},
                               .dissipative = true};
    memcpy(d->friction->at, d->def.at, sizeof d->friction->at);
    memcpy(d->friction->at_open, d->def.at_open, sizeof d->friction->at_open);
    return f.sticks ? make_stick(b, joint, s, &f, d->friction)
                    : make_force(b, joint, s, &f, d->friction);
}

// Joints are read before what may ask for this.
flx_status flx_joint_friction_member(flx_env *e, flx_item *joint, bool state, flx_loc loc,
                                     flx_operand *out)
{
    const flx_joint_data *d = joint->data;
    if (d->stick) return flx_operand_set_node(state ? d->stick_state : d->stick_effort, out);
    return FLX_FAIL(
        e->b->ctx, FLX_ERR_MODEL, loc,
        "joint '%s' has no friction that sticks, 'friction: {.., stick: true}'; only that "
        "has a state and an effort of its own",
        joint->full);
}
