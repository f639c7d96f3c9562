// control_torque.c - computed torque: inverse dynamics of a tree of driven joints, as nodes (CTL-10, CTL-11).
//
// Positions and velocities are those of the bodies; accelerations follow from those that are wanted of the joints,
// outwards, forces and moments are summed inwards, both in ground axes.
#include "base/number.h"
#include "language/control/torque_tree.h"
#include "language/literal.h"
#include "language/scope/nums.h"

#include <string.h>

typedef flx_torque_tree tree;
typedef flx_torque_link link;

// ---- what is said in the model -----------------------------------------------------------------

static int listed(const tree *t, const flx_item *joint)
{
    for (int i = 0; i < t->njoint; i++) {
        if (t->joints[i] == joint) return i;
    }
    return -1;
}

static int link_of(const tree *t, const flx_item *body)
{
    for (int i = 0; i < t->nlink; i++) {
        if (t->links[i].body == body) return i;
    }
    return -1;
}

bool flx_torque_is(const flx_item *joint, const char *word)
{
    const flx_entry *type = flx_entry_get(joint->def, "type");
    return type && strcmp(type->text, word) == 0;
}

// Whether a body moves with the joints of the list.
static bool is_driven(const tree *t, int i)
{
    while (i >= 0) {
        if (t->links[i].joint >= 0) return true;
        i = t->links[i].parent;
    }
    return false;
}

flx_status flx_torque_refuse(const tree *t, const flx_item *joint, const char *why)
{
    return FLX_FAIL(t->b->ctx, FLX_ERR_MODEL, t->loc,
                    "computed torque '%s' needs joints that are driven, or that follow from closed "
                    "loops: joint '%s' %s",
                    t->control->full, joint->full, why);
}

void flx_torque_axis(flx_builder *b, const flx_item *joint, flx_node out[3])
{
    const flx_joint_data *d = joint->data;
    flx_num3 axis = flx_num9_col(d->frame[0], 2);
    const double z[3] = {0, 0, 1};
    bool slides = flx_torque_is(joint, "prismatic");
    if (b->m->dimension == 2 && !slides)
        node_const3(b->g, z, out);
    else
        flx_node_direction(b, d->body[0], slides ? &d->axis[0] : &axis, out);
}

// The link beyond a joint, whose near side is known.
static flx_status add_link(tree *t, flx_item *joint, int parent, int far)
{
    const flx_joint_data *d = joint->data;
    int number = listed(t, joint);
    bool turns = flx_torque_is(joint, "revolute"), slides = flx_torque_is(joint, "prismatic"),
         fixed = flx_torque_is(joint, "fixed");
    if (!turns && !slides && !fixed)
        return flx_torque_refuse(t, joint, "is neither revolute nor prismatic");
    if (d->body[far]->kind != FLX_KIND_BODY)
        return flx_torque_refuse(t, joint, "does not end at a body");
    if (((const flx_body_data *)d->body[far]->data)->deformable) {
        return flx_torque_refuse(t, joint, "carries a body that deforms");
    }
    if (t->nlink == FLX_TORQUE_LINKS) return flx_torque_refuse(t, joint, "is one too many");
    link *l = &t->links[t->nlink++];
    *l = (link){.body = d->body[far], .parent = parent, .joint = number, .slides = slides};
    l->passive = number < 0 && !fixed ? t->npassive++ : -1;
    l->by = joint;
    l->sign = far == 1 ? 1.0 : -1.0;
    flx_node_position(t->b, d->body[far], &d->at[far], l->place);
    flx_torque_axis(t->b, joint, l->axis);
    return FLX_OK;
}

// Which links a joint is at; known: they are there, or the ground.
static void find_sides(const tree *t, const flx_joint_data *d, int at[2], bool known[2])
{
    for (int k = 0; k < 2; k++) {
        at[k] = link_of(t, d->body[k]);
        known[k] = at[k] >= 0 || d->body[k] == t->b->ground;
    }
}

// One more link, by a joint that is driven or fixed, else, if allowed, by one that follows; wide: from the ground too.
static flx_status grow_once(tree *t, bool *seen, bool follows, bool wide, bool *grown)
{
    flx_builder *b = t->b;
    for (int i = 0; i < b->joints.count && !*grown; i++) {
        flx_item *joint = b->joints.items[i];
        const flx_joint_data *d = joint->data;
        int at[2];
        bool known[2];
        if (seen[i]) continue;
        FLX_TRY(flx_joint_place(b, joint, t->loc));
        if (!d->body[0] || !d->body[1]) continue;
        find_sides(t, d, at, known);
        if (known[0] == known[1]) continue;
        int far = known[0] ? 1 : 0;
        bool led = listed(t, joint) >= 0 || flx_torque_is(joint, "fixed");
        if (!led && (!follows || (!wide && !is_driven(t, at[1 - far])))) continue;
        seen[i] = *grown = true;
        FLX_TRY(add_link(t, joint, at[1 - far], far));
    }
    return FLX_OK;
}

// Joints between links that are there, where something drives them or follows.
static flx_status close_loops(tree *t, const bool *seen)
{
    flx_builder *b = t->b;
    for (int i = 0; i < b->joints.count; i++) {
        flx_item *joint = b->joints.items[i];
        const flx_joint_data *d = joint->data;
        int at[2];
        bool known[2];
        if (seen[i] || !d->body[0] || !d->body[1]) continue;
        find_sides(t, d, at, known);
        if (!known[0] || !known[1] || (at[0] < 0 && at[1] < 0)) continue;
        if (t->npassive == 0 && !is_driven(t, at[0]) && !is_driven(t, at[1])) continue;
        if (listed(t, joint) >= 0)
            return flx_torque_refuse(t, joint, "closes a loop whose other joints are all driven");
        if (t->nclosure == FLX_TORQUE_LINKS) return flx_torque_refuse(t, joint, "is one too many");
        t->closures[t->nclosure++] = (flx_torque_closure){joint, {at[0], at[1]}};
    }
    return FLX_OK;
}

static const flx_item *find_missing(const tree *t)
{
    for (int i = 0; i < t->njoint; i++) {
        bool found = false;
        for (int k = 0; k < t->nlink; k++) found = found || t->links[k].joint == i;
        if (!found) return t->joints[i];
    }
    return NULL;
}

static flx_status grow_tree(tree *t)
{
    bool *seen = flx_take(t->b, (size_t)t->b->joints.count + 1, sizeof *seen);
    if (!seen) return FLX_ERR_MEMORY;
    for (bool more = true; more;) {
        more = false;
        FLX_TRY(grow_once(t, seen, false, false, &more));
        if (!more) FLX_TRY(grow_once(t, seen, true, false, &more));
        if (!more && find_missing(t)) FLX_TRY(grow_once(t, seen, true, true, &more));
    }
    const flx_item *missing = find_missing(t);
    if (missing)
        return flx_torque_refuse(t, missing, "is not reached from the ground through joints");
    FLX_TRY(close_loops(t, seen));
    for (int i = 0; i < t->nlink && t->nclosure == 0; i++) {
        if (t->links[i].passive < 0) continue;
        return flx_torque_refuse(t, t->links[i].by, "is not in its list, and nothing drives it");
    }
    return FLX_OK;
}

// ---- the recursion -----------------------------------------------------------------------------

static void add_scaled(flx_graph *g, flx_node s, const flx_node a[3], flx_node out[3])
{
    for (int i = 0; i < 3; i++) out[i] = node_add(g, out[i], node_mul(g, s, a[i]));
}

void flx_torque_add_turn(flx_graph *g, const flx_node alpha[3], const flx_node w[3],
                         const flx_node r[3], flx_node out[3])
{
    flx_node a[3], b[3];
    node_cross(g, alpha, r, a);
    node_cross(g, w, r, b);
    node_cross(g, w, b, b);
    node_add3(g, out, a, out);
    node_add3(g, out, b, out);
}

// The inertia about the centre of mass times a vector in ground axes.
static void apply_inertia(tree *t, const link *l, const flx_node v[3], flx_node out[3])
{
    flx_graph *g = t->b->g;
    const flx_body *d = &((const flx_body_data *)l->body->data)->def;
    flx_node axes[3][3], own[3], turned[3];
    const double zero[3] = {0, 0, 0};
    node_const3(g, zero, out);
    if (!flx_body_turns(l->body)) return;
    if (t->b->m->dimension == 2) {
        out[2] = node_mul(g, node_open(g, d->inertia[8], d->inertia_open[8]), v[2]);
        return;
    }
    for (int k = 0; k < 3; k++) {
        const double unit[3] = {k == 0, k == 1, k == 2};
        flx_num3 direction = flx_num3_of(unit);
        flx_node_direction(t->b, l->body, &direction, axes[k]);
        own[k] = node_dot(g, axes[k], v);
    }
    for (int k = 0; k < 3; k++) {
        flx_node row[3];
        for (int j = 0; j < 3; j++)
            row[j] = node_open(g, d->inertia[3 * k + j], d->inertia_open[3 * k + j]);
        turned[k] = node_dot(g, row, own);
    }
    for (int k = 0; k < 3; k++) add_scaled(g, turned[k], axes[k], out);
}

static flx_status outwards(tree *t, link *l)
{
    flx_builder *b = t->b;
    flx_graph *g = b->g;
    const flx_body *d = &((const flx_body_data *)l->body->data)->def;
    const link *p = l->parent >= 0 ? &t->links[l->parent] : NULL;
    const double zero[3] = {0, 0, 0};
    flx_node rate = node_const(g, 0.0), goal = rate, way[3], turning[3], wp[3], alpha_p[3], at[3];
    flx_num3 com;
    for (int i = 0; i < 3; i++) {
        com.x[i] = d->com[i];
        com.n[i] = d->com_open[i];
    }
    flx_node_position(b, l->body, &com, l->c);
    node_const3(g, zero, l->w);
    if (flx_body_turns(l->body)) flx_node_angular_velocity(b, l->body, l->w);
    node_const3(g, zero, wp);
    node_const3(g, zero, alpha_p);
    if (p) memcpy(wp, p->w, sizeof wp);
    if (p) memcpy(alpha_p, p->alpha, sizeof alpha_p);
    if (l->joint >= 0) {
        flx_operand v;
        FLX_TRY(flx_joint_member(t->e, t->joints[l->joint], "rate", t->loc, &v));
        rate = node_mul(g, node_const(g, l->sign), v.node);
        goal = node_mul(g, node_const(g, l->sign), t->goal[l->joint]);
    }
    if (l->passive >= 0) {
        flx_operand v;
        FLX_TRY(flx_joint_member(t->e, l->by, "rate", t->loc, &v));
        rate = node_mul(g, node_const(g, l->sign), v.node);
        goal = t->found[l->passive];
    }
    // the place of the joint as a point of the parent
    for (int i = 0; i < 3; i++) {
        at[i] = p ? p->a[i]
                  : node_sub(g, node_const(g, 0.0),
                             node_open(g, b->m->gravity[i], b->m->gravity_open[i]));
    }
    if (p) {
        node_sub3(g, l->place, p->c, way);
        flx_torque_add_turn(g, alpha_p, wp, way, at);
    }
    memcpy(l->alpha, alpha_p, sizeof l->alpha);
    node_cross(g, wp, l->axis, turning);
    if (l->slides) {
        add_scaled(g, goal, l->axis, at);
        add_scaled(g, node_mul(g, node_const(g, 2.0), rate), turning, at);
    } else {
        add_scaled(g, goal, l->axis, l->alpha);
        add_scaled(g, rate, turning, l->alpha);
    }
    node_sub3(g, l->c, l->place, way);
    flx_torque_add_turn(g, l->alpha, l->w, way, at);
    memcpy(l->a, at, sizeof l->a);
    return FLX_OK;
}

static flx_status take_forces(tree *t, link *l)
{
    flx_graph *g = t->b->g;
    const flx_body *d = &((const flx_body_data *)l->body->data)->def;
    flx_node spin[3], factor = node_const(g, 1.0);
    const flx_entry *nominal = flx_entry_get(t->control->def, "nominal");
    const flx_entry *y =
        nominal && nominal->kind == FLX_ENTRY_MAP ? flx_entry_get(nominal, l->body->full) : NULL;
    if (y) FLX_TRY(flx_build_node(t->e, y, &factor));
    flx_node mass = node_mul(g, factor, node_open(g, d->mass, d->mass_open));
    for (int i = 0; i < 3; i++) l->force[i] = node_mul(g, mass, l->a[i]);
    apply_inertia(t, l, l->alpha, l->moment);
    apply_inertia(t, l, l->w, spin);
    node_cross(g, l->w, spin, spin);
    node_add3(g, l->moment, spin, l->moment);
    for (int i = 0; i < 3; i++) l->moment[i] = node_mul(g, factor, l->moment[i]);
    return FLX_OK;
}

// What the joint of link i gives along its axis: all that lies beyond it.
static flx_node effort(tree *t, int i)
{
    flx_graph *g = t->b->g;
    const link *l = &t->links[i];
    flx_node sum = node_const(g, 0.0);
    for (int k = i; k < t->nlink; k++) {
        const link *o = &t->links[k];
        int up = k;
        while (up > i) up = t->links[up].parent;
        if (up != i) continue;
        flx_node way[3], moment[3];
        node_sub3(g, o->c, l->place, way);
        node_cross(g, way, o->force, moment);
        node_add3(g, moment, o->moment, moment);
        sum = node_add(g, sum, node_dot(g, l->axis, l->slides ? o->force : moment));
    }
    return sum;
}

static flx_status check_nominal(tree *t)
{
    const flx_entry *nominal = flx_entry_get(t->control->def, "nominal");
    for (int i = 0; nominal && nominal->kind == FLX_ENTRY_MAP && i < nominal->count; i++) {
        bool found = false;
        for (int k = 0; k < t->nlink; k++) {
            found = found || strcmp(t->links[k].body->full, nominal->keys[i]->text) == 0;
        }
        double factor = 1.0;
        flx_node node;
        FLX_TRY(flx_build_node(t->e, nominal->items[i], &node));
        bool known = flx_open_value(t->b, node, &factor);
        if (known && !(factor >= 0.0)) {
            return FLX_FAIL(t->b->ctx, FLX_ERR_MODEL, nominal->items[i]->loc,
                            "a factor of masses is not below zero");
        }
        if (found) continue;
        return FLX_FAIL(t->b->ctx, FLX_ERR_MODEL, nominal->keys[i]->loc,
                        "'%s' is no body that the joints of '%s' carry", nominal->keys[i]->text,
                        t->control->full);
    }
    return FLX_OK;
}

// Accelerations of all links; those of joints that follow from the loops first.
static flx_status move_outwards(tree *t)
{
    for (int k = 0; k < t->npassive; k++) t->found[k] = node_const(t->b->g, 0.0);
    for (int i = 0; i < t->nlink; i++) FLX_TRY(outwards(t, &t->links[i]));
    FLX_TRY(flx_torque_loops_create(t, &t->loops));
    if (!t->loops) return FLX_OK;
    FLX_TRY(flx_torque_loops_move(t->loops));
    for (int i = 0; i < t->nlink; i++) FLX_TRY(outwards(t, &t->links[i]));
    return FLX_OK;
}

static flx_status put_torques(tree *t, flx_operand *out)
{
    flx_graph *g = t->b->g;
    flx_node *all = flx_take(t->b, 2 * (size_t)t->nlink + 1, sizeof *all), *given = all + t->nlink;
    *out = (flx_operand){.kind = FLX_OPERAND_LIST, .node = -1, .count = t->njoint};
    out->items = flx_take(t->b, (size_t)t->njoint, sizeof *out->items);
    if (!out->items || !all) return FLX_ERR_MEMORY;
    for (int i = 0; i < t->nlink; i++) FLX_TRY(take_forces(t, &t->links[i]));
    for (int i = 0; i < t->nlink; i++) given[i] = all[i] = effort(t, i);
    if (t->loops) FLX_TRY(flx_torque_loops_share(t->loops, all, given));
    for (int i = 0; i < t->nlink; i++) {
        const link *l = &t->links[i];
        if (l->joint < 0) continue;
        flx_node value = node_mul(g, node_const(g, l->sign), given[i]);
        out->items[l->joint] = flx_operand_number(value);
        if (value < 0) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

// Torques jump where wanted accelerations do, which the goals contain.
static void tell_corners(const tree *t)
{
    for (int i = 0; i < t->njoint; i++) {
        int table = -1, least = flx_graph_smoothness(t->b->g, t->goal[i], &table);
        if (table < 0 || least >= 0) continue;
        flx_ctx_warn(t->b->ctx, t->loc,
                     least < -1 ? "the path that computed torque '%s' wants of joint '%s' turns "
                                  "sharply: its rate jumps there, and no torque follows it; take a "
                                  "smoother path"
                                : "the path that computed torque '%s' wants of joint '%s' has one "
                                  "continuous derivative: torques jump at its corners; `jerk`, "
                                  "poly5 or a spline of order 5 have two",
                     t->control->full, t->joints[i]->full);
        return;
    }
}

flx_status flx_control_torques(flx_env *e, flx_item *control, flx_loc loc, flx_operand *out)
{
    flx_builder *b = e->b;
    const flx_entry *joints = flx_entry_get(control->def, "joints");
    const flx_control_data *data = control->data;
    tree *t = flx_take(b, 1, sizeof *t);
    flx_operand goal;
    flx_env env;
    if (!t) return FLX_ERR_MEMORY;
    flx_env_of(&env, b, control, FLX_MODE_MOVING);
    *t = (tree){.e = &env, .b = b, .control = control, .loc = control->loc};
    flx_item *wanted = flx_names_find(&data->names, "goal");
    if (!wanted || joints->count > FLX_TORQUE_LINKS) return FLX_ERR_MODEL;
    FLX_TRY(flx_item_value(&env, wanted, loc, &goal));
    for (int i = 0; i < joints->count; i++) {
        flx_operand v;
        FLX_TRY(flx_build_value(&env, joints->items[i], &v));
        const flx_item *joint = flx_operand_get_item(&v);
        if (!joint || joint->kind != FLX_KIND_JOINT || joint->family) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, joints->items[i]->loc, "`joints` names joints");
        }
        t->joints[t->njoint] = (flx_item *)joint;
        t->goal[t->njoint++] = goal.kind == FLX_OPERAND_LIST ? goal.items[i].node : goal.node;
    }
    FLX_TRY(grow_tree(t));
    FLX_TRY(check_nominal(t));
    flx_torque_tell_left_out(t);
    tell_corners(t);
    FLX_TRY(move_outwards(t));
    return put_torques(t, out);
}

// ---- the block ---------------------------------------------------------------------------------

// Joints are declared before controllers.
static bool slides_by_name(const flx_control_draft *d, const char *text)
{
    size_t n = strcspn(text, "(");
    char *name = flx_arena_copy(d->b->scratch, text, n);
    const flx_item *joint = name ? flx_names_find(&d->item->space->names, name) : NULL;
    return joint && joint->kind == FLX_KIND_JOINT && flx_torque_is(joint, "prismatic");
}

flx_status flx_control_computed_torque(flx_control_draft *d)
{
    const flx_entry *joints = NULL, *want = NULL, *gain[2] = {NULL, NULL};
    static const char *const names[] = {"p", "d"};
    FLX_TRY(flx_control_need(d, "joints", &joints));
    FLX_TRY(flx_control_need(d, "want", &want));
    int n = joints->kind == FLX_ENTRY_LIST ? joints->count : 0;
    if (n < 1 || want->kind != FLX_ENTRY_LIST || want->count != n) {
        return FLX_FAIL(
            d->b->ctx, FLX_ERR_MODEL, want->loc,
            "computed torque '%s' needs a list of joints, and of what is wanted of each",
            d->item->full);
    }
    FLX_TRY(flx_control_own(d, "want", want));
    for (int i = 0; i < 2; i++) {
        FLX_TRY(flx_control_need(d, names[i], &gain[i]));
        FLX_TRY(flx_control_own(d, names[i], gain[i]));
        if (gain[i]->kind == FLX_ENTRY_LIST && gain[i]->count != n) {
            return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, gain[i]->loc,
                            "'%s' is one number, or one for each joint", names[i]);
        }
    }
    flx_entry *list = flx_take(d->b, 1, sizeof *list);
    if (!list) return FLX_ERR_MEMORY;
    *list = (flx_entry){.kind = FLX_ENTRY_LIST, .loc = d->item->loc, .count = n};
    list->items = flx_take(d->b, (size_t)n, sizeof(flx_entry *));
    if (!list->items) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) { // a* = yd'' + d (yd' - y') + p (yd - y)
        const char *joint = joints->items[i]->text ? joints->items[i]->text : "?";
        const char *place = slides_by_name(d, joint) ? "displacement" : "angle";
        char p[24] = "self.p", v[24] = "self.d";
        if (gain[0]->kind == FLX_ENTRY_LIST) flx_snprintf(p, sizeof p, "self.p(%d)", i + 1);
        if (gain[1]->kind == FLX_ENTRY_LIST) flx_snprintf(v, sizeof v, "self.d(%d)", i + 1);
        list->items[i] = flx_control_text(
            d,
            "self.want(%d)'' + %s*(self.want(%d)' - %s.rate) + %s*(self.want(%d) - "
            "%s.%s)",
            i + 1, v, i + 1, joint, p, i + 1, joint, place);
        if (!list->items[i]) return FLX_ERR_MEMORY;
    }
    FLX_TRY(flx_control_signal(d, "goal", list));
    d->nout = n > 1 ? n : 0;
    return flx_control_signal(d, "now",
                              flx_control_text(d, n > 1 ? "self.torques" : "self.torques(1)"));
}
