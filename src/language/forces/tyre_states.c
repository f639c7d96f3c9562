// tyre_states.c - a tyre as nodes. c: centre of the wheel, a: its axis, n: normal of the road, e = n - (n.a) a of length 1.
//
//     rho = (c - p).n/(e.n),  d = R - rho,  F_n = max(0, k d + c d') while d > 0                      (TYR-1)
//     t_x = a x n, t_y = n x t_x,  v_x = v.t_x,  v_y = (v - rho w x e).t_y,  v_s = w R_e - v_x        (TYR-2)
//     s_x k' + |v_x| k + h |v_s| (k - k_m)/(k_m/4) = v_s, the last term where k > k_m;  s_y, z, v_y alike (TYR-3)
// h falls from 1 at rest to 0 at 2 v_l: a wheel that slides at a standstill is stretched by little more than s k_m.
// Off the road nothing stretches the tyre: s_x k' + (|v_x| + 20 v_l) k = 0. Speeds are low below v_l, 0.3 sqrt(g R) unless given.
// p is the point of the road nearest to the centre, in the plane of the wheel (TYR-5). Forces follow from the slip k and the
// slip angle atan z by the law; together they stay inside an ellipse. They act where the wheel touches.
#include "expr/algebra.h"
#include "language/force_parts.h"
#include "language/scope/nums.h"

#include <math.h>
#include <string.h>

// Speeds are in those below which slips are damped, v_l, lengths in radii, and loads in stiffness times radius: a model moves the
// same in any units.
#define SLOW 0.3     // of sqrt(g R), the speed v_l
#define FLATTER 0.05 // of R: depth of a tyre under its wheel where there is no gravity
#define DAMPING 0.05 // of 1/v_l: of slips, unless given
#define ALOFT 20.0   // a tyre off the road loses its slips as if it rolled so much faster
#define STILL 2.0    // below, they do not grow beyond what the law can hold
#define WAY 3e-4     // over which slopes of the road are differences
#define LEAST 0.01
#define ROUND 1e-4        // of the larger one of two slips
#define NONE 1e-11        // added to loads that divide
#define FAR 2.0           // beyond, the foot of a wheel that lies nearly flat is not looked for
#define UPRIGHT 0.17      // cosine of 80 degrees of camber: a wheel that leans more does not roll
#define FLAT 1e-6         // sine of the angle between axis and normal
#define ROUNDS 4          // of the search for the place where the wheel touches
#define LEAST_CURVED 0.25 // of 1 less the radius of the wheel over that of a valley: (TYR-5)

typedef enum tyre_law { LINEAR, FIALA, MAGIC } tyre_law;

typedef struct magic {
    flx_num B, C, D, E;
} magic;

typedef struct tyre {
    tyre_law law;
    flx_num radius, rolling, stiffness, damping, trail;
    flx_node slow, low; // v_l, and how much slips are damped below it
    bool rolls;         // its rolling radius is given
    flx_num slope[2], friction, way[2];
    bool limited;
    magic curve[2];
    const flx_item *road; // a function, or NULL
    bool field;           // ... of x and y
    flx_num level;
    int dim, up, sides; // sides: 2 with lateral forces
} tyre;

static flx_node num(flx_graph *g, flx_num a)
{
    return flx_num_node(g, a);
}

static flx_node either_positive(flx_graph *g, flx_node x, flx_node then, flx_node otherwise)
{
    return flx_graph_either(g, flx_graph_binary(g, FLX_OP_LT, node_const(g, 0.0), x), then,
                            otherwise);
}

// x between -most and most, without a switch.
static flx_node inside(flx_graph *g, flx_node x, flx_node most)
{
    x = either_positive(g, node_sub(g, x, most), most, x);
    return either_positive(g, node_sub(g, node_neg(g, most), x), node_neg(g, most), x);
}

// ---- reading ------------------------------------------------------------------------------------

flx_status flx_tyre_place(flx_env *e, flx_item *force, flx_force_data *d)
{
    flx_builder *b = e->b;
    const flx_entry *at = flx_entry_get(force->def, "at");
    const flx_entry *on = flx_entry_get(force->def, "on");
    if (d->body[0]->kind != FLX_KIND_GROUND) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, on->loc,
                        "a tyre is on the ground: 'on: [ground, %s]'", d->body[1]->full);
    }
    if (!flx_body_turns(d->body[1])) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, on->loc,
                        "'%s' does not turn; the wheel of a tyre is a rigid body",
                        d->body[1]->full);
    }
    if (at) {
        bool pair = false;
        FLX_TRY(flx_build_at(e, at, d->body, d->at, &pair));
        d->def.body[1] = d->body[1]->number;
    }
    return flx_num3_store(&d->at[1], d->def.at[1], d->def.at_open[1]);
}

static flx_status read_curve(flx_env *c, const flx_item *force, const char *key, magic *out)
{
    const flx_entry *y = flx_entry_get(force->def, key);
    static const char *const words[] = {"B", "C", "D", "E"};
    flx_num *numbers[] = {&out->B, &out->C, &out->D, &out->E};
    if (!y) {
        return FLX_FAIL(c->b->ctx, FLX_ERR_MODEL, force->loc,
                        "tyre '%s' of law magic needs '%s', as in {B: 10, C: 1.5, D: 1, E: 0}",
                        force->full, key);
    }
    for (int i = 0; i < 4; i++) {
        const flx_entry *v = flx_entry_get(y, words[i]);
        *numbers[i] = (flx_num){0.0, 0};
        if (v) FLX_TRY(flx_build_num(c, v, numbers[i]));
    }
    if (out->D.x > 0 && out->B.x > 0 && out->C.x > 0) return FLX_OK;
    return FLX_FAIL(c->b->ctx, FLX_ERR_MODEL, y->loc, "B, C and D of '%s' are positive", key);
}

// A key that the law does not read would change nothing, without a word.
static flx_status refuse_others(const flx_env *c, const flx_item *force, tyre_law law,
                                const char *word)
{
    static const char *const keys[] = {"longitudinal", "lateral", "slip_stiffness",
                                       "cornering_stiffness", "friction"};
    for (int i = 0; i < 5; i++) {
        const flx_entry *y = flx_entry_get(force->def, keys[i]);
        if (!y || (i < 2) == (law == MAGIC)) continue;
        return FLX_FAIL(c->b->ctx, FLX_ERR_MODEL, y->loc,
                        "'%s' of tyre '%s' is a key of %s, not of law %s", keys[i], force->full,
                        i < 2 ? "law magic" : "laws linear and fiala", word);
    }
    return FLX_OK;
}

static flx_status read_law(flx_env *c, const flx_item *force, tyre *t)
{
    static const char *const words[] = {"linear", "fiala", "magic", NULL};
    static const char *const slopes[] = {"slip_stiffness", "cornering_stiffness"};
    const flx_entry *y = NULL;
    int law = 0;
    FLX_TRY(flx_build_need(c->b, force, "law", &y));
    FLX_TRY(flx_build_word(c->b, y, "law of a tyre", words, &law));
    t->law = (tyre_law)law;
    FLX_TRY(refuse_others(c, force, t->law, words[law]));
    if (t->law == MAGIC) {
        FLX_TRY(read_curve(c, force, "longitudinal", &t->curve[0]));
        return t->sides < 2 ? FLX_OK : read_curve(c, force, "lateral", &t->curve[1]);
    }
    for (int i = 0; i < t->sides; i++) {
        if (!flx_entry_get(force->def, slopes[i])) {
            return FLX_FAIL(c->b->ctx, FLX_ERR_MODEL, force->loc, "tyre '%s' of law %s needs '%s'",
                            force->full, words[law], slopes[i]);
        }
        FLX_TRY(flx_force_number(c, force, slopes[i], 0.0, 0.0, true, &t->slope[i]));
    }
    t->limited = flx_entry_get(force->def, "friction") != NULL;
    if (t->law == FIALA && !t->limited) {
        return FLX_FAIL(c->b->ctx, FLX_ERR_MODEL, force->loc,
                        "tyre '%s' of law fiala needs 'friction'", force->full);
    }
    return flx_force_number(c, force, "friction", 1.0, 0.0, true, &t->friction);
}

static flx_status read_road(flx_env *c, const flx_item *force, tyre *t)
{
    const flx_entry *road = flx_entry_get(force->def, "road");
    static const char *const words[] = {"profile", "heights"};
    t->level = (flx_num){0.0, 0};
    if (!road || road->kind != FLX_ENTRY_MAP) return FLX_OK;
    const flx_entry *level = flx_entry_get(road, "level");
    if (level) FLX_TRY(flx_build_num(c, level, &t->level));
    for (int i = 0; i < 2; i++) {
        const flx_entry *y = flx_entry_get(road, words[i]);
        if (!y) continue;
        flx_operand v;
        FLX_TRY(flx_build_value(c, y, &v));
        t->road = v.kind == FLX_OPERAND_FUNCTION ? flx_names_find(&c->space->names, y->text) : NULL;
        if (!t->road) {
            return FLX_FAIL(c->b->ctx, FLX_ERR_MODEL, y->loc,
                            "'%s' of a road is the name of a function", words[i]);
        }
        t->field = i == 1;
    }
    return FLX_OK;
}

// sqrt(g R); without gravity g is that which the tyre would carry the wheel against, flattened by a part of its radius.
static flx_node usual_speed(flx_builder *b, const flx_item *wheel, const tyre *t)
{
    flx_graph *g = b->g;
    const flx_model *m = b->m;
    const flx_body none = {.mass = 1.0}, *body = &none;
    if (wheel->kind == FLX_KIND_BODY) body = &((const flx_body_data *)wheel->data)->def;
    flx_node sum = node_const(g, 0.0), radius = num(g, t->radius);
    for (int i = 0; i < 3; i++) {
        flx_node part = node_open(g, m->gravity[i], m->gravity_open[i]);
        sum = node_add(g, sum, node_mul(g, part, part));
    }
    flx_node mass = node_open(g, body->mass > 0.0 ? body->mass : 1.0, body->mass_open);
    flx_node without = node_scale(g, FLATTER, node_mul(g, radius, num(g, t->stiffness)));
    without = node_div(g, without, mass);
    flx_node least = node_const(g, 1e-300); // a root has no slope at zero
    flx_node more = either_positive(g, sum, sum, least);
    flx_node pull = either_positive(g, sum, node_sqrt(g, more), without);
    return node_sqrt(g, node_mul(g, pull, radius));
}

static flx_status read_low_speeds(flx_env *c, const flx_item *force, const flx_item *wheel, tyre *t)
{
    flx_graph *g = c->b->g;
    flx_num given;
    FLX_TRY(flx_force_number(c, force, "low_speed", 1.0, 0.0, true, &given));
    t->slow = flx_entry_get(force->def, "low_speed")
                  ? num(g, given)
                  : node_scale(g, SLOW, usual_speed(c->b, wheel, t));
    FLX_TRY(flx_force_number(c, force, "low_speed_damping", 0.0, 0.0, false, &given));
    t->low = flx_entry_get(force->def, "low_speed_damping")
                 ? num(g, given)
                 : node_div(g, node_const(g, DAMPING), t->slow);
    return t->slow < 0 || t->low < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

static flx_status read_tyre(flx_env *c, const flx_item *force, const flx_item *wheel, tyre *t)
{
    const flx_entry *way = flx_entry_get(force->def, "relaxation");
    *t = (tyre){.dim = c->b->m->dimension};
    t->up = t->dim - 1;
    t->sides = t->dim - 1;
    FLX_TRY(flx_force_number(c, force, "radius", 0.0, 0.0, true, &t->radius));
    FLX_TRY(flx_force_number(c, force, "rolling_radius", 0.0, 0.0, true, &t->rolling));
    t->rolls = flx_entry_get(force->def, "rolling_radius") != NULL;
    FLX_TRY(flx_force_number(c, force, "stiffness", 0.0, 0.0, true, &t->stiffness));
    FLX_TRY(flx_force_number(c, force, "damping", 0.0, 0.0, false, &t->damping));
    FLX_TRY(flx_force_number(c, force, "trail", 0.0, 0.0, false, &t->trail));
    FLX_TRY(read_low_speeds(c, force, wheel, t));
    t->way[0] = t->way[1] = t->radius;
    for (int i = 0; way && i < 2; i++) {
        bool list = way->kind == FLX_ENTRY_LIST;
        FLX_TRY(flx_build_num(c, list ? way->items[i] : way, &t->way[i]));
        if (!(t->way[i].x > 0)) {
            return FLX_FAIL(c->b->ctx, FLX_ERR_MODEL, way->loc, "a relaxation length is positive");
        }
    }
    FLX_TRY(read_road(c, force, t));
    return read_law(c, force, t);
}

// ---- the road -----------------------------------------------------------------------------------

// Height at x (and y), as a node.
static flx_status height_at(flx_env *e, const tyre *t, const flx_node p[3], flx_loc loc,
                            flx_node *out)
{
    flx_operand args[2] = {flx_operand_number(p[0]), flx_operand_number(p[1])}, v;
    if (!t->road) {
        *out = num(e->b->g, t->level);
        return FLX_OK;
    }
    FLX_TRY(flx_function_call(e, t->road, t->field ? 2 : 1, args, loc, &v));
    return flx_operand_to_number(e, &v, loc, out);
}

// Point and normal of the road over x, y of a place, and how much it bends along the heading of the wheel: second difference
// of its height over the way along the road. Slopes are differences over a small way: exact for lines and parabolas, and smooth
// as the function is.
static flx_status road_under(flx_env *e, const tyre *t, const flx_node at[3],
                             const flx_node heading[2], flx_loc loc, flx_node p[3], flx_node n[3],
                             flx_node *bend)
{
    flx_graph *g = e->b->g;
    flx_node zero = node_const(g, 0.0), one = node_const(g, 1.0), size = one;
    flx_node h = node_scale(g, WAY, num(g, t->radius));
    for (int i = 0; i < 3; i++) {
        p[i] = at[i];
        n[i] = zero;
    }
    FLX_TRY(height_at(e, t, at, loc, &p[t->up]));
    n[t->up] = one;
    *bend = zero;
    if (!t->road) return FLX_OK;
    // a profile along x; a field along the heading and across it
    flx_node along[2][2] = {{t->field ? heading[0] : one, t->field ? heading[1] : zero},
                            {node_neg(g, heading[1]), heading[0]}};
    for (int i = 0; i < (t->field ? 2 : 1); i++) {
        flx_node q[2][3], z[2];
        for (int k = 0; k < 2; k++) {
            memcpy(q[k], at, sizeof q[k]);
            for (int j = 0; j < (t->field ? 2 : 1); j++)
                q[k][j] = node_add(g, at[j], node_mul(g, k ? h : node_neg(g, h), along[i][j]));
            FLX_TRY(height_at(e, t, q[k], loc, &z[k]));
        }
        flx_node slope = node_div(g, node_sub(g, z[1], z[0]), node_scale(g, 2.0, h));
        size = node_add(g, size, node_mul(g, slope, slope));
        for (int j = 0; j < (t->field ? 2 : 1); j++)
            n[j] = node_sub(g, n[j], node_mul(g, slope, along[i][j]));
        if (i == 1) continue;
        flx_node twice = node_add(g, z[0], node_sub(g, z[1], node_scale(g, 2.0, p[t->up])));
        if (!t->field) { // turned to the heading
            twice = node_mul(g, twice, node_mul(g, heading[0], heading[0]));
            slope = node_mul(g, slope, heading[0]);
        }
        *bend = node_div(g, node_div(g, twice, node_mul(g, h, h)),
                         node_add(g, one, node_mul(g, slope, slope)));
    }
    size = node_sqrt(g, size);
    for (int i = 0; i < 3; i++) n[i] = node_div(g, n[i], size);
    *bend = node_div(g, *bend, size);
    return FLX_OK;
}

typedef struct patch {
    flx_node n[3], e[3], tx[3], ty[3];
    flx_node loaded;        // radius
    flx_node tilt, upright; // n.a, n.e
} patch;

// Of the wheel, in the plane.
static void find_heading(flx_graph *g, const tyre *t, const flx_node a[3], flx_node out[2])
{
    out[0] = node_const(g, 1.0);
    out[1] = node_const(g, 0.0);
    if (t->dim == 2 || !t->road) return;
    flx_node size = node_add(g, node_mul(g, a[0], a[0]), node_mul(g, a[1], a[1]));
    size = node_sqrt(g, node_add(g, size, node_const(g, FLAT * FLAT)));
    out[0] = node_div(g, a[1], size);
    out[1] = node_neg(g, node_div(g, a[0], size));
}

// (TYR-1), (TYR-2): the nearest point by Newton's iteration (TYR-5).
static flx_status find_patch(flx_env *env, const tyre *t, const flx_node c[3], const flx_node a[3],
                             flx_loc loc, patch *out)
{
    flx_graph *g = env->b->g;
    flx_node at[3], p[3], heading[2], bend;
    find_heading(g, t, a, heading);
    for (int i = 0; i < 3; i++) at[i] = c[i];
    for (int round = 0; round < (t->road ? ROUNDS : 1); round++) {
        flx_node way[3], off[3], one = node_const(g, 1.0);
        FLX_TRY(road_under(env, t, at, heading, loc, p, out->n, &bend));
        out->tilt = node_dot(g, out->n, a);
        for (int i = 0; i < 3; i++)
            out->e[i] = node_sub(g, out->n[i], node_mul(g, out->tilt, a[i]));
        flx_node size = node_norm(g, out->e);
        for (int i = 0; i < 3; i++) out->e[i] = node_div(g, out->e[i], size);
        node_cross(g, a, out->n, out->tx);
        size = node_norm(g, out->tx);
        for (int i = 0; i < 3; i++) out->tx[i] = node_div(g, out->tx[i], size);
        node_sub3(g, c, p, way);
        out->upright = node_dot(g, out->e, out->n);
        out->loaded = node_div(g, node_dot(g, way, out->n), out->upright);
        flx_node far = node_scale(g, FAR, num(g, t->radius)), reach = inside(g, out->loaded, far);
        for (int i = 0; i < 3; i++) at[i] = node_sub(g, c[i], node_mul(g, reach, out->e[i]));
        // the foot on the tangent plane, less the part by which the road comes nearer there
        flx_node curved = node_div(g, node_mul(g, reach, bend), out->upright);
        flx_node left = node_add(g, one, node_const(g, -LEAST_CURVED));
        left = node_sub(g, left, curved);
        left = node_add(g, either_positive(g, left, left, node_const(g, 0.0)),
                        node_const(g, LEAST_CURVED));
        node_sub3(g, at, p, off);
        flx_node more = node_sub(g, node_div(g, one, left), one);
        more = node_mul(g, more, node_dot(g, off, out->tx));
        for (int i = 0; t->road && i < 3; i++)
            at[i] = node_add(g, at[i], node_mul(g, more, out->tx[i]));
    }
    node_cross(g, out->n, out->tx, out->ty);
    return FLX_OK;
}

// ---- forces -------------------------------------------------------------------------------------

static flx_node size_of(flx_graph *g, flx_node x)
{
    return either_positive(g, x, x, node_neg(g, x));
}

static flx_node magic_force(flx_graph *g, const magic *m, flx_node x)
{
    flx_node u = node_mul(g, num(g, m->B), x), atan = flx_graph_unary(g, FLX_OP_ATAN, u);
    u = node_sub(g, u, node_mul(g, num(g, m->E), node_sub(g, u, atan)));
    u = node_mul(g, num(g, m->C), flx_graph_unary(g, FLX_OP_ATAN, u));
    return node_mul(g, num(g, m->D), flx_graph_unary(g, FLX_OP_SIN, u));
}

// Force of one side at a slip, positive with it; *most: what it is at most.
static flx_node side_force(flx_graph *g, const tyre *t, int side, flx_node slip, flx_node load,
                           flx_node *most)
{
    flx_node angle = side == 1 ? flx_graph_unary(g, FLX_OP_ATAN, slip) : slip;
    flx_num part = t->law == MAGIC ? t->curve[side].D : t->friction;
    // where a step looks beyond the border at which the wheel leaves the road, the load is negative
    flx_node held = either_positive(g, load, load, node_const(g, 0.0));
    flx_node none = node_scale(g, NONE, node_mul(g, num(g, t->stiffness), num(g, t->radius)));
    *most = node_mul(g, num(g, part), node_add(g, held, none));
    if (t->law == MAGIC) return node_mul(g, load, magic_force(g, &t->curve[side], angle));
    if (t->law == LINEAR) return node_mul(g, num(g, t->slope[side]), angle);
    // C z - C^2 |z| z/(3 f F) + C^3 z^3/(27 f^2 F^2), beyond z_s = 3 f F/C: f F                     (TYR-4)
    flx_node cz = node_mul(g, num(g, t->slope[side]), slip), three = node_scale(g, 3.0, *most);
    flx_node u = node_div(g, cz, three); // -1 .. 1 before it slides
    flx_node whole = node_mul(g, cz,
                              node_add(g, node_sub(g, node_const(g, 1.0), size_of(g, u)),
                                       node_scale(g, 1.0 / 3.0, node_mul(g, u, u))));
    flx_node slides = either_positive(g, u, *most, node_neg(g, *most));
    flx_node force =
        either_positive(g, node_sub(g, node_const(g, 1.0), size_of(g, u)), whole, slides);
    return either_positive(g, load, force, node_const(g, 0.0));
}

// (1 - (v/most)^2)^2 below a speed, 0 above it.
static flx_node slowness(flx_graph *g, flx_node speed, flx_node most)
{
    flx_node u = node_div(g, speed, most);
    flx_node slow = node_sub(g, node_const(g, 1.0), node_mul(g, u, u));
    return either_positive(g, slow, node_mul(g, slow, slow), node_const(g, 0.0));
}

// k_m of (TYR-3), where the law has come near its largest force; -1: it has none.
static flx_node largest_slip(flx_graph *g, const tyre *t, int side, flx_node load)
{
    if (t->law == MAGIC) {
        const magic *m = &t->curve[side];
        return node_div(g, node_const(g, 2.0), node_mul(g, num(g, m->B), num(g, m->C)));
    }
    if (!t->limited) return -1;
    flx_node most = node_div(g, node_mul(g, num(g, t->friction), load), num(g, t->slope[side]));
    // the larger one of it and LEAST, without a branch: one by the load as it stands would meet that of a switch, and divide by zero
    most = node_scale(g, t->law == FIALA ? 2.0 : 1.0, most);
    flx_node more = node_add(g, most, node_const(g, -LEAST));
    more = node_add(g, node_mul(g, more, more), node_const(g, ROUND * ROUND));
    more = node_add(g, node_add(g, most, node_const(g, LEAST)), node_sqrt(g, more));
    return node_scale(g, 0.5, more);
}

// (TYR-3) with its damping at a standstill: the slip that the law sees.
static flx_status add_slip(flx_env *e, flx_item *force, flx_force_data *d, const tyre *t, int side,
                           flx_node speed, flx_node drive, flx_node load, flx_node down,
                           flx_node *slip)
{
    flx_graph *g = e->b->g;
    int state = 0;
    flx_node leaf, size = size_of(g, speed), most = largest_slip(g, t, side, load);
    FLX_TRY(flx_force_add_state(e->b, force, d, side ? "side_slip" : "slip", (flx_num){0.0, 0},
                                &state, &leaf));
    flx_node rate = node_sub(g, drive, node_mul(g, size, leaf));
    if (most >= 0) {
        flx_node within = inside(g, leaf, most);
        flx_node beyond = node_div(g, node_sub(g, leaf, within), node_scale(g, 0.25, most));
        flx_node slides =
            node_mul(g, slowness(g, speed, node_scale(g, STILL, t->slow)), size_of(g, drive));
        rate = node_sub(g, rate, node_mul(g, slides, beyond));
    }
    flx_node aloft = node_mul(g, node_add(g, size, node_scale(g, ALOFT, t->slow)), leaf);
    rate = flx_graph_if(g, down, rate, node_neg(g, aloft));
    rate = node_div(g, rate, num(g, t->way[side]));
    flx_force_set_rate(e->b, state, rate);
    flx_node slow = slowness(g, speed, t->slow);
    *slip = node_add(g, leaf, node_mul(g, node_mul(g, t->low, slow), drive));
    return *slip < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

// A wheel whose axis is normal to the plane of the road has no lowest point. Profiles turn it elsewhere: they are not looked at.
static flx_status check_axis(const flx_env *c, const flx_item *force, const tyre *t,
                             const flx_entry *y, const double axis[3])
{
    double across = hypot(axis[0], axis[1]);
    if (t->road || across > FLAT * fabs(axis[2])) return FLX_OK;
    return FLX_FAIL(c->b->ctx, FLX_ERR_MODEL, y->loc,
                    "the axis of tyre '%s' is normal to the road: the wheel lies flat and does not "
                    "roll; one that rolls towards x has the axis [0, 1, 0]",
                    force->full);
}

static flx_status find_axis(flx_env *c, const flx_item *force, const flx_force_data *d,
                            const tyre *t, flx_node a[3])
{
    flx_builder *b = c->b;
    const flx_entry *y = flx_entry_get(force->def, "axis");
    flx_num3 position, axis = {.x = {0, 1, 0}};
    flx_num9 R;
    if (b->m->dimension == 2) {
        a[0] = a[1] = node_const(b->g, 0.0);
        a[2] = node_const(b->g, -1.0);
        return FLX_OK;
    }
    if (y) FLX_TRY(flx_build_direction(c, y, NULL, &axis));
    if (y) FLX_TRY(check_axis(c, force, t, y, axis.x));
    flx_body_frame(d->body[1], &position, &R);
    axis = flx_num9_tmul_v(b->g, R, axis);
    flx_node_direction(b, d->body[1], &axis, a);
    return FLX_OK;
}

// 1 forwards, -1 backwards, in between below v_l: the trail is behind the wheel in the direction in which it rolls.
static flx_node course(flx_graph *g, const tyre *t, flx_node speed)
{
    return inside(g, node_div(g, speed, t->slow), node_const(g, 1.0));
}

// A wheel that lies on its side has no lowest point, and its loaded radius no bound: there the run ends.
static void set_bound(flx_graph *g, const tyre *t, const patch *p, flx_node depth,
                      flx_force_data *d)
{
    if (t->dim == 2) return;
    flx_node spare = node_add(g, p->upright, node_const(g, -UPRIGHT));
    d->def.bound = either_positive(g, depth, spare, node_const(g, 1.0));
    d->def.beyond =
        "its wheel leans by more than 80 degrees: a tyre has forces of a wheel that rolls. "
        "Hold the wheel upright, or let a contact of its 'surface' carry it when it falls";
}

// Both forces inside the ellipse of their largest ones.
static flx_node ellipse(flx_graph *g, int sides, const flx_node F[2], const flx_node most[2])
{
    flx_node sum = node_const(g, 1e-20), one = node_const(g, 1.0);
    for (int i = 0; i < sides; i++) {
        flx_node part = node_div(g, F[i], most[i]);
        sum = node_add(g, sum, node_mul(g, part, part));
    }
    return either_positive(g, node_sub(g, sum, one), node_div(g, one, node_sqrt(g, sum)), one);
}

flx_status flx_tyre_value(flx_env *e, flx_item *force, flx_force_data *d)
{
    flx_builder *b = e->b;
    flx_graph *g = b->g;
    tyre t;
    patch p;
    flx_env constants;
    flx_node c[3], a[3], v[3], w[3], F[2], most[2], zero = node_const(g, 0.0);
    flx_env_of(&constants, b, force, FLX_MODE_CONSTANT);
    FLX_TRY(read_tyre(&constants, force, d->body[1], &t));
    FLX_TRY(find_axis(&constants, force, d, &t, a));
    flx_node_position(b, d->body[1], &d->at[1], c);
    flx_node_velocity(b, d->body[1], &d->at[1], v);
    flx_node_angular_velocity(b, d->body[1], w);
    FLX_TRY(find_patch(e, &t, c, a, force->loc, &p));
    flx_node depth = node_sub(g, num(g, t.radius), p.loaded), rate = flx_node_rate(b, depth);
    flx_node load =
        node_add(g, node_mul(g, num(g, t.stiffness), depth), node_mul(g, num(g, t.damping), rate));
    flx_node down = flx_graph_binary(g, FLX_OP_LT, zero, depth);
    load = flx_graph_if(g, down, flx_graph_binary(g, FLX_OP_MAX, load, zero), zero);
    flx_node turned[3], vx = node_dot(g, v, p.tx);
    node_cross(g, w, p.e, turned); // of the spin, along the wheel
    flx_node vy =
        node_sub(g, node_dot(g, v, p.ty), node_mul(g, p.loaded, node_dot(g, turned, p.ty)));
    flx_node rolling = t.rolls ? num(g, t.rolling) : p.loaded;
    flx_node drives[2] = {node_sub(g, node_mul(g, node_dot(g, w, a), rolling), vx), vy};
    flx_node factor = node_const(g, 1.0), trail = zero;
    for (int i = 0; i < t.sides; i++) {
        flx_node slip;
        FLX_TRY(add_slip(e, force, d, &t, i, vx, drives[i], load, down, &slip));
        F[i] = side_force(g, &t, i, slip, load, &most[i]);
        if (t.law != LINEAR) continue;
        // without friction it does not follow the load: it is there while the wheel touches
        F[i] = t.limited ? either_positive(g, load, F[i], zero) : flx_graph_if(g, down, F[i], zero);
    }
    if (t.law != LINEAR || t.limited) factor = ellipse(g, t.sides, F, most);
    for (int i = 0; i < t.sides; i++) F[i] = node_mul(g, i ? node_neg(g, factor) : factor, F[i]);
    if (t.sides == 2 && (t.trail.x > 0 || t.trail.n)) { // less where the rear of the contact slides
        flx_node part = t.law != LINEAR || t.limited ? node_div(g, F[1], most[1]) : zero;
        part = either_positive(g, load, node_mul(g, part, part), zero);
        trail = node_mul(g, num(g, t.trail), node_sub(g, node_const(g, 1.0), part));
        trail = node_mul(g, trail, course(g, &t, vx));
    }
    flx_node aligning = t.sides == 2 ? node_neg(g, node_mul(g, trail, F[1])) : zero;
    flx_node arm[3], total[3], moment[3];
    for (int i = 0; i < 3; i++) {
        total[i] = node_add(g, node_mul(g, load, p.n[i]), node_mul(g, F[0], p.tx[i]));
        if (t.sides == 2) total[i] = node_add(g, total[i], node_mul(g, F[1], p.ty[i]));
        arm[i] = node_neg(g, node_mul(g, p.loaded, p.e[i]));
    }
    node_cross(g, arm, total, moment);
    for (int i = 0; i < 3; i++) {
        d->def.force[i] = total[i];
        d->def.torque[i] = node_add(g, moment[i], node_mul(g, aligning, p.n[i]));
        if (d->def.force[i] < 0 || d->def.torque[i] < 0) return FLX_ERR_MEMORY;
    }
    d->number = true;
    d->scalar = load;
    flx_force_add_signal(d, "longitudinal", F[0]);
    flx_force_add_signal(d, "lateral", t.sides == 2 ? F[1] : zero);
    flx_force_add_signal(d, "deflection", depth);
    flx_force_add_signal(d, "aligning", aligning);
    flx_force_add_signal(d, "camber", flx_graph_binary(g, FLX_OP_ATAN2, p.tilt, p.upright));
    set_bound(g, &t, &p, depth, d);
    if (t.sides < 2) flx_force_add_signal(d, "side_slip", zero);
    return FLX_OK;
}
