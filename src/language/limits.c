// limits.c - limits of joints: stops that push back what is beyond them, and their signals.
//
//     T = -k x^n (1 + a x'),  x = u - upper > 0;   T = k x^n (1 + a x'),  x = lower - u > 0        (STO-1)
// along the coordinate u, never inwards: 1 + a x' counts where it is positive. Kernels: src/force/stop.c.
#include "joint/joint.h"
#include "language/builder.h"
#include "language/scope/nums.h"
#include "model/nodes.h"

#include <string.h>

#define USUAL_EXPONENT 1.5

// ---- reading ------------------------------------------------------------------------------------

static bool is_cross(const flx_joint_data *d)
{
    return (d->def.kind->signals & FLX_SIGNAL_CROSS) != 0;
}

static bool is_ball(const flx_joint_data *d)
{
    return (d->def.kind->signals & FLX_SIGNAL_BALL) != 0;
}

static bool has(const flx_joint_data *d, flx_coordinate which)
{
    const flx_joint_kind *k = d->def.kind;
    switch (which) {
    case FLX_COORDINATE_ANGLE:
        return k->angle && !d->point_pin;
    case FLX_COORDINATE_DISPLACEMENT:
        return k->displacement;
    case FLX_COORDINATE_FIRST:
    case FLX_COORDINATE_SECOND:
        return is_cross(d);
    case FLX_COORDINATE_SWING:
    case FLX_COORDINATE_TWIST:
        return is_ball(d);
    case FLX_COORDINATE_NONE:
        break;
    }
    return false;
}

static flx_status read_coordinate(flx_env *e, const flx_item *joint, const flx_entry *y,
                                  int *coordinate)
{
    static const char *const words[] = {"angle", "displacement", "first", "second",
                                        "swing", "twist",        NULL};
    const flx_joint_data *d = joint->data;
    const flx_entry *said = flx_entry_get(y, "coordinate");
    int word = 0;
    if (!said && is_cross(d)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "joint '%s' has two angles: say which one is limited, 'coordinate: first' "
                        "or 'coordinate: second'",
                        joint->full);
    }
    if (is_ball(d) && (!said || !d->def.has_axis)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "limits of joint '%s' are of its swing or twist about an axis: give the "
                        "joint its 'axis', and say 'coordinate: swing' or 'coordinate: twist'",
                        joint->full);
    }
    *coordinate = d->displacement ? FLX_COORDINATE_DISPLACEMENT : FLX_COORDINATE_ANGLE;
    if (said) {
        FLX_TRY(flx_build_word(e->b, said, "coordinate", words, &word));
        *coordinate = FLX_COORDINATE_ANGLE + word;
    }
    if (has(d, (flx_coordinate)*coordinate)) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, said ? said->loc : y->loc,
                    "joint '%s' (%s) has no coordinate '%s' for limits", joint->full,
                    d->def.kind->says.word, words[*coordinate - FLX_COORDINATE_ANGLE]);
}

static flx_status read_bounds(flx_env *e, const flx_item *joint, const flx_entry *y, flx_stop *s)
{
    const flx_entry *bound[2] = {flx_entry_get(y, "lower"), flx_entry_get(y, "upper")};
    const flx_joint_data *d = joint->data;
    bool cross = s->coordinate >= FLX_COORDINATE_FIRST; // within half a turn
    if (s->coordinate == FLX_COORDINATE_SWING && bound[0]) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, bound[0]->loc,
                        "a swing, which is never negative, has an upper limit alone: joint '%s'",
                        joint->full);
    }
    for (int i = 0; i < 2; i++) {
        s->bounds[i] = i ? HUGE_VAL : -HUGE_VAL;
        if (!bound[i]) continue;
        FLX_TRY(flx_build_open(e, bound[i], &s->bounds[i], &s->bounds_open[i]));
        if (s->coordinate != FLX_COORDINATE_DISPLACEMENT) {
            flx_note_degrees(e->b, bound[i], s->bounds[i]);
        }
        if (cross && !(fabs(s->bounds[i]) < FLX_PI)) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, bound[i]->loc,
                            "an angle of the %s joint '%s' is between -180*deg and 180*deg; no "
                            "limit can be at %g rad",
                            is_ball(d) ? "spherical" : "universal", joint->full, s->bounds[i]);
        }
    }
    if (s->bounds[0] < s->bounds[1]) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, bound[0]->loc,
                    "limits of joint '%s': 'lower', %g, must be less than 'upper', %g", joint->full,
                    s->bounds[0], s->bounds[1]);
}

// A stop that does not give way.
static flx_status read_rigid(flx_env *e, const flx_item *joint, const flx_entry *y, flx_stop *s)
{
    const flx_entry *r = flx_entry_get(y, "restitution");
    const flx_joint_data *d = joint->data;
    s->rigid = true;
    FLX_TRY(flx_build_open(e, r, &s->restitution, &s->restitution_open));
    if (is_ball(d)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, r->loc,
                        "limits of the spherical joint '%s' give way: they have a 'stiffness'",
                        joint->full);
    }
    if (d->def.motion != FLX_MOTION_NONE) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, r->loc,
                        "the motion of joint '%s' prescribes its coordinate; a stop that does not "
                        "give way would contradict it",
                        joint->full);
    }
    if (s->restitution >= 0 && s->restitution <= 1) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, r->loc, "a restitution is between 0 and 1, not %g",
                    s->restitution);
}

static flx_status read_law(flx_env *e, const flx_item *joint, const flx_entry *y, flx_stop *s)
{
    const flx_entry *k = flx_entry_get(y, "stiffness"), *n = flx_entry_get(y, "exponent");
    const flx_entry *a = flx_entry_get(y, "damping");
    if (!k) return read_rigid(e, joint, y, s);
    s->exponent = USUAL_EXPONENT;
    FLX_TRY(flx_build_open(e, k, &s->stiffness, &s->stiffness_open));
    if (n) FLX_TRY(flx_build_open(e, n, &s->exponent, &s->exponent_open));
    if (a) FLX_TRY(flx_build_open(e, a, &s->damping, &s->damping_open));
    if (!(s->stiffness > 0)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, k->loc,
                        "the stiffness of limits must be positive, not %g", s->stiffness);
    }
    if (!(s->exponent >= 1)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, n->loc,
                        "the exponent of limits must be 1 or more, not %g: below 1 the stop would "
                        "be infinitely stiff where it begins",
                        s->exponent);
    }
    if (s->damping >= 0) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, a->loc,
                    "the damping of limits cannot be negative: %g", s->damping);
}

// A start beyond a limit is legal, and seldom meant.
static flx_status tell_excess(flx_builder *b, const flx_item *joint, const flx_stop *s)
{
    const flx_joint_data *d = joint->data;
    bool own = (s->coordinate == FLX_COORDINATE_DISPLACEMENT) == d->displacement && !is_cross(d) &&
               !is_ball(d);
    double at = own && d->def.start_coordinate ? d->def.start_value : 0.0;
    if (d->def.motion != FLX_MOTION_NONE) return FLX_OK;
    for (int i = 0; i < 2; i++) {
        double x = i ? at - s->bounds[1] : s->bounds[0] - at;
        if (!(x > 0)) continue;
        if (s->rigid) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, s->loc,
                            "joint '%s' begins at %g, beyond its %s limit by %g; a stop that does "
                            "not give way cannot be there",
                            joint->full, at, i ? "upper" : "lower", x);
        }
        flx_ctx_warn(b->ctx, s->loc,
                     "joint '%s' begins at %g, beyond its %s limit by %g: the stop pushes it back "
                     "from the first instant on",
                     joint->full, at, i ? "upper" : "lower", x);
    }
    return FLX_OK;
}

static flx_status read_stop(flx_env *e, flx_item *joint, const flx_entry *y, flx_stop *s)
{
    *s = (flx_stop){
        .name = joint->full, .loc = y->loc, .joint = joint->number, .switches = {-1, -1}};
    FLX_TRY(read_coordinate(e, joint, y, &s->coordinate));
    FLX_TRY(read_bounds(e, joint, y, s));
    FLX_TRY(read_law(e, joint, y, s));
    FLX_TRY(tell_excess(e->b, joint, s));
    return flx_joint_nodes(e->b, joint, s->coordinate, &s->value, &s->rate);
}

flx_status flx_joint_limits(flx_builder *b, flx_item *joint)
{
    const flx_entry *y = flx_entry_get(joint->def, "limits");
    flx_joint_data *d = joint->data;
    flx_env e;
    bool skip = false;
    if (!y) return FLX_OK;
    FLX_TRY(flx_item_enter(b, joint, &d->limited, "joints", y->loc, &skip));
    if (skip) return FLX_OK;
    bool list = y->kind == FLX_ENTRY_LIST;
    int n = list ? y->count : 1;
    flx_env_of(&e, b, joint, FLX_MODE_CONSTANT);
    for (int i = 0; i < 2; i++) FLX_TRY(flx_body_ready(b, d->body[i], y->loc));
    d->stops = flx_take(b, (size_t)n, sizeof *d->stops);
    flx_status status = d->stops ? FLX_OK : FLX_ERR_MEMORY;
    for (int i = 0; i < n && status == FLX_OK; i++) {
        status = read_stop(&e, joint, list ? y->items[i] : y, d->stops + i);
        if (status == FLX_OK) d->nstop++;
    }
    return flx_item_leave(b, &d->limited, status);
}

// ---- signals ------------------------------------------------------------------------------------

static flx_node positive(flx_graph *g, flx_node x)
{
    return flx_graph_binary(g, FLX_OP_MAX, x, node_const(g, 0.0));
}

// The excess beyond a bound, and what it adds along the coordinate (STO-1).
static flx_node bound_node(flx_graph *g, const flx_stop *s, int i, bool excess)
{
    flx_node bound = node_open(g, s->bounds[i], s->bounds_open[i]);
    flx_node x = positive(g, i ? node_sub(g, s->value, bound) : node_sub(g, bound, s->value));
    if (excess) return i ? x : node_neg(g, x);
    flx_node rate = i ? s->rate : node_neg(g, s->rate);
    flx_node k = node_open(g, s->stiffness, s->stiffness_open);
    flx_node n = node_open(g, s->exponent, s->exponent_open);
    flx_node a = node_open(g, s->damping, s->damping_open);
    flx_node grown = positive(g, node_add(g, node_const(g, 1.0), node_mul(g, a, rate)));
    flx_node F = node_mul(g, node_mul(g, k, flx_graph_binary(g, FLX_OP_POW, x, n)), grown);
    return i ? node_neg(g, F) : F;
}

// Of one coordinate. Where it has several stops, the excess is that over the first of each side.
static flx_node sum(flx_graph *g, const flx_joint_data *d, int coordinate, bool excess)
{
    flx_node all = node_const(g, 0.0);
    bool met[2] = {false, false};
    for (int k = 0; k < d->nstop; k++) {
        const flx_stop *s = d->stops + k;
        for (int i = 0; i < 2; i++) {
            if (s->coordinate != coordinate || isinf(s->bounds[i])) continue;
            if (s->rigid && !excess) {
                flx_node held = node_leaf(g, FLX_LEAF_STOP, s->joint, 2 * k + i);
                all = i ? node_sub(g, all, held) : node_add(g, all, held);
                continue;
            }
            if (!excess || !met[i]) all = node_add(g, all, bound_node(g, s, i, excess));
            met[i] = true;
        }
    }
    return all;
}

// The coordinates that have limits, in order.
static int coordinates_of(const flx_joint_data *d, int out[2])
{
    int n = 0;
    for (int c = FLX_COORDINATE_ANGLE; c <= FLX_COORDINATE_TWIST; c++) {
        // which have two of everything
        bool any = (is_cross(d) || is_ball(d)) && has(d, (flx_coordinate)c);
        for (int k = 0; k < d->nstop; k++) any = any || d->stops[k].coordinate == c;
        if (any) out[n++] = c;
    }
    return n;
}

flx_status flx_joint_limits_member(flx_env *e, flx_item *joint, bool excess, flx_loc loc,
                                   flx_operand *out)
{
    const flx_joint_data *d = joint->data;
    flx_node v[2];
    int of[2];
    FLX_TRY(flx_joint_limits(e->b, joint));
    int n = coordinates_of(d, of);
    if (d->nstop == 0) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "joint '%s' has no limits", joint->full);
    }
    for (int i = 0; i < n; i++) v[i] = sum(e->b->g, d, of[i], excess);
    return n == 1 ? flx_operand_set_node(v[0], out) : flx_env_list(e, n, v, out);
}

// Of an angle and a displacement together there is none.
const char *flx_joint_limits_unit(const flx_item *joint, bool excess)
{
    const flx_joint_data *d = joint->data;
    int of[2], n = coordinates_of(d, of);
    if (n == 0 || (n == 2 && !is_cross(d) && !is_ball(d))) return "";
    if (of[0] == FLX_COORDINATE_DISPLACEMENT) return excess ? "m" : "N";
    return excess ? "rad" : "N m";
}
