// Rows that hold or not: in each state of a group the tangent is the derivative of the residual, the levels belong together and
// the energy balances, in coordinates of bodies and of joints; accelerations meet the equations; a method that begins anew with
// other switches goes on with the rows that hold then.
#include "system_check.h"
#include "tree_pair.h"

#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"
#include "integrate/accelerate.h"

// A ball round the centre of the second, on a plane of the first.
typedef struct ball_on_plane {
    flx_surface surface[2];
    flx_contact_side side[2];
    int pair[1][2];
} ball_on_plane;

static flx_contact touch(ball_on_plane *b, const flx_model *m, int first, int second, double radius)
{
    bool planar = m->dimension == 2;
    const double up[9] = {1, 0, 0, 0, !planar, planar, 0, planar, !planar}; // columns
    *b = (ball_on_plane){
        .surface = {{.kind = &flx_surface_plane}, {.kind = &flx_surface_sphere, .size = {radius}}},
        .pair = {{0, 1}}};
    memcpy(b->surface[0].axes, up, sizeof up);
    for (int i = 0; i < 3; i++) b->surface[1].axes[4 * i] = 1.0;
    b->side[0] = (flx_contact_side){.body = first, .surface = &b->surface[0]};
    b->side[1] = (flx_contact_side){.body = second, .surface = &b->surface[1]};
    return (flx_contact){.name = "floor",
                         .nside = 2,
                         .sides = b->side,
                         .npair = 1,
                         .pairs = b->pair,
                         .law = FLX_CONTACT_RIGID,
                         .friction = {.coefficient = 0.3, .sticking = 0.4}};
}

// It sticks, but others hold its last slip.
#define STICKS_ASIDE (FLX_CONTACT_STICKS + 1)

static void set_state(const flx_system *s, flx_state *x, int state)
{
    for (int i = 0; i < s->ops->contacts->count(s); i++) {
        flx_contact_group g;
        s->ops->contacts->group(s, i, &g);
        x->switches[g.state] = state == STICKS_ASIDE ? FLX_CONTACT_STICKS : state;
        for (int k = 0; k < g.ntangent; k++) x->switches[g.slip + k] = k ? 0.8 : 0.6;
        if (g.ntangent == 1) x->switches[g.slip] = -1.0;
        for (int k = 0; k < g.ntangent && state >= FLX_CONTACT_STICKS; k++) {
            x->switches[g.slip + k] = state == STICKS_ASIDE && k == g.ntangent - 1;
        }
    }
}

// An acceleration, with its multipliers, meets all equations but those of rows that hold on another level.
static int solved;

static int check_accelerations(system_point *p, bool open)
{
    const flx_system *s = p->s;
    const flx_explicit *e = s->ops->explicit_form;
    double *z = numbers(e->size(s)), *dz = numbers(e->size(s)), *r = numbers(p->n);
    e->pack(s, p->x, z);
    flx_status status = e->rate(s, p->work, 0.37, z, p->x, dz);
    if (!open && status > 0) { // joints leave nothing to the contact
        free(z), free(dz), free(r);
        return 0;
    }
    CHECK(status == FLX_OK);
    solved++;
    flx_point x = flx_state_point(s, p->x);
    CHECK(s->ops->residual(s, p->work, &x, r) == FLX_OK);
    double size = 1.0;
    for (int i = 0; i < s->dims.nlam; i++) size = fmax(size, fabs(p->x->lam[i]));
    for (int i = 0; i < s->dims.nv; i++) CHECK_NEAR(r[i], 0.0, 1e-9 * size);
    for (int i = 0; i < s->ops->contacts->count(s); i++) {
        flx_contact_group g;
        s->ops->contacts->group(s, i, &g);
        int first = flx_dims_first_constraint(&s->dims);
        CHECK(flx_row_is_open(s, p->x->switches, first + g.normal) == open);
        CHECK((p->x->lam[g.normal] == 0.0) == open);
        for (int k = 0; k < g.ntangent; k++) {
            bool slides = flx_row_is_open(s, p->x->switches, first + s->dims.nlam + g.tangent[k]);
            if (slides) CHECK(p->x->mu[g.tangent[k]] == 0.0);
        }
    }
    free(z), free(dz), free(r);
    return 0;
}

static int check_system(flx_system *s, int ngroup, const flx_state *start, uint64_t seed)
{
    CHECK(s->ops->contacts && s->ops->contacts->count(s) == ngroup);
    for (int state = FLX_CONTACT_OPEN; state <= STICKS_ASIDE; state++) {
        system_point at;
        CHECK(system_point_init(&at, s, seed + (uint64_t)state));
        flx_state_copy(at.x, start);
        randomise(&at, 0.2);
        set_state(s, at.x, state);
        CHECK(check_tangent(&at, 4e-6) == 0);
        if (state == FLX_CONTACT_STICKS) CHECK(check_constraints(&at, 1e-5) == 0);
        CHECK(check_energy(&at, 1e-6) == 0);
        CHECK(check_accelerations(&at, state == FLX_CONTACT_OPEN) == 0);
        system_point_free(&at);
    }
    return 0;
}

static int groups_are_as_their_switches_say(void)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        int dimension = seed % 2 ? 3 : 2;
        pair p = {0};
        random_bodies(&p.k, dimension, 777 + seed, false);
        int last = p.k.m.nbody - 1;
        ball_on_plane of[2];
        flx_contact given[2] = {touch(&of[0], &p.k.m, FLX_BODY_GROUND, last, 0.3),
                                touch(&of[1], &p.k.m, 0, last, 0.2)};
        p.k.m.contacts = given;
        p.k.m.ncontact = last > 0 ? 2 : 1;
        CHECK(pair_make(&p) == 0);
        CHECK(check_pattern(p.d) == 0);
        CHECK(check_system(p.d, p.k.m.ncontact, p.dx, seed) == 0);
        CHECK(pair_take(&p, FLX_TREE_FULL) == 0);
        CHECK(check_system(p.t, p.k.m.ncontact, p.tx, seed) == 0);
        pair_close(&p);
    }
    CHECK(solved > 150); // of 240
    return 0;
}

// One-sided constraints of equations, with friction on a belt that moves in time, beside variables of masses that depend on
// positions; and stops of a joint.
static int groups_of_equations_and_stops_are_as_their_switches_say(void)
{
    static const char *const texts[] = {
        "flexion: 1\nequations:\n  second_order:\n"
        "    x: {at: 0.3, mass: 2 + x^2, force: -x*y}\n    y: {at: 0.2, mass: 1.5, force: -y}\n"
        "  constraints:\n"
        "    gap: {value: 'x*y + sin(x) - 0.1*t', one_sided: true, restitution: 0.5,\n"
        "          friction: {coefficient: 0.3, static: 0.4, along: \"x*y' - y*x' + 0.2*t\"}}\n"
        "    other: {value: 'x - 2*y', one_sided: true}\n",
        "flexion: 1\nbodies:\n"
        "  a: {type: rigid, mass: 2, inertia: [0.2, 0.3, 0.4], com: [0.3, 0.1, 0]}\n"
        "  b: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}\n"
        "joints:\n"
        "  j: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0, 0, 1],\n"
        "      limits: {lower: -1, restitution: 0.3}}\n"
        "  k: {type: prismatic, on: [a, b], at: b, axis: [0.6, 0.8, 0],\n"
        "      limits: {upper: 0.1, restitution: 0}}\n"};
    for (int i = 0; i < 2; i++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_model *m = NULL;
        flx_system *s = NULL;
        flx_state *x = NULL;
        CHECK(flx_model_read_text(ctx, "model", texts[i], strlen(texts[i]), 0, NULL, &m) == FLX_OK);
        CHECK(flx_descriptor_create(m, NULL, &s) == FLX_OK);
        CHECK(flx_state_create(s, &x) == FLX_OK);
        CHECK(flx_descriptor_draw(s, x) == FLX_OK);
        CHECK(check_pattern(s) == 0);
        CHECK(check_system(s, 2, x, 5) == 0);
        flx_state_destroy(&x);
        flx_system_destroy(&s);
        flx_model_destroy(&m);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// ---- methods ------------------------------------------------------------------------------------

// A ball of radius 0.5 is laid on the ground with a speed, slides until it nearly rolls, rolls, and is thrown up.
static const double g0 = 9.81, R = 0.5, speed = 2.0, mass = 2.0, J = 0.2;

static void begin_anew(const flx_system *s, flx_work *w, flx_state *x, int state)
{
    flx_accelerator *acc = NULL;
    flx_contact_group g;
    s->ops->contacts->group(s, 0, &g);
    x->switches[g.state] = state;
    for (int k = 0; k < g.ntangent && state == FLX_CONTACT_STICKS; k++) {
        x->switches[g.slip + k] = 0.0;
    }
    if (flx_accelerator_create(s, &acc) != FLX_OK) abort();
    if (flx_accelerator_settle(acc, w, x, NULL, NULL) != FLX_OK) abort();
    flx_accelerator_destroy(&acc);
}

static int advance(flx_integrator *it, flx_state *x, double until)
{
    for (int k = 0; k < 100000 && x->t < until - 1e-12; k++) {
        double h = it->def.step > 0.0 ? fmin(it->def.step, until - x->t) : until - x->t;
        CHECK(flx_integrator_step(it, x, h, NULL) == FLX_OK);
    }
    CHECK_NEAR(x->t, until, 1e-11);
    return 0;
}

static int follows(flx_system *s, flx_state *start, const flx_integrator_def *def, bool planar,
                   double tolerance)
{
    flx_integrator *it = NULL;
    flx_state *x = NULL;
    flx_contact_group g;
    s->ops->contacts->group(s, 0, &g);
    CHECK(flx_integrator_create(s, def, &it) == FLX_OK);
    CHECK(flx_state_create(s, &x) == FLX_OK);
    flx_state_copy(x, start);
    flx_work *w = s->ops->work_create(s);
    // slides along (3, 4)/5, in the plane along x
    int spin = planar ? 2 : 3, up = planar ? 1 : 2;
    double e[2] = {planar ? 1.0 : 0.6, planar ? 0.0 : 0.8};
    x->v[0] = speed * e[0];
    if (!planar) x->v[1] = speed * e[1];
    double slip[2];
    flx_point at = flx_state_point(s, x);
    CHECK(s->ops->contacts->gaps(s, w, &at, NULL, NULL, slip) == FLX_OK);
    CHECK_NEAR(hypot(slip[0], slip[1]), speed, 1e-14);
    for (int k = 0; k < g.ntangent; k++) x->switches[g.slip + k] = slip[k] / speed;
    begin_anew(s, w, x, FLX_CONTACT_SLIDES);
    double f = 0.3 * g0, spins = f * mass * R / J, rolls = 0.9 * speed / (f + spins * R);
    CHECK_NEAR(x->lam[g.normal], mass * g0, 1e-9);
    CHECK(advance(it, x, rolls) == 0);
    double v = speed - f * rolls, off = 0.0;
    off = fmax(off, fabs(x->v[0] - v * e[0]));
    off = fmax(off, fabs(x->q[0] - (speed * rolls - 0.5 * f * rolls * rolls) * e[0]));
    off = fmax(off, fabs(x->q[up] - R));
    off = fmax(off, fabs(x->lam[g.normal] - mass * g0) / (mass * g0));
    if (planar) off = fmax(off, fabs(x->v[spin] + spins * rolls));
    double q0 = x->q[0];
    begin_anew(s, w, x,
               FLX_CONTACT_STICKS); // an impulse that keeps the moment of momentum about the place
    v = speed * mass * R * R / (mass * R * R + J);
    CHECK(advance(it, x, rolls + 0.1) == 0);
    off = fmax(off, fabs(x->q[0] - q0 - 0.1 * v * e[0]));
    off = fmax(off, fabs(x->mu[g.tangent[0]]));
    q0 = x->q[0];
    x->v[up] = 1.0;
    begin_anew(s, w, x, FLX_CONTACT_OPEN);
    CHECK(advance(it, x, rolls + 0.2) == 0);
    off = fmax(off, fabs(x->q[0] - q0 - 0.1 * v * e[0]));
    off = fmax(off, fabs(x->q[up] - R - 0.1 + 0.5 * g0 * 0.01));
    CHECK(x->lam[g.normal] == 0.0);
    if (!(off <= tolerance)) printf("%s: off by %g\n", it->type->name, off);
    CHECK(off <= tolerance);
    s->ops->work_destroy(w);
    flx_state_destroy(&x);
    flx_integrator_destroy(&it);
    return 0;
}

static int methods_begin_anew_with_other_rows(void)
{
    static const struct {
        const char *method;
        double step, rtol, tolerance;
    } cases[] = {{"radau", 0, 1e-9, 1e-7},
                 {"radau", 0.01, 0, 1e-8},
                 {"bdf", 0, 1e-8, 1e-6},
                 {"generalized-alpha", 1e-3, 0, 1e-5},
                 {"generalized-alpha", 0, 1e-7, 1e-5},
                 {"hht", 1e-3, 0, 1e-5},
                 {"newmark", 1e-3, 0, 1e-5},
                 {"dopri5", 0, 1e-9, 1e-7},
                 {"dop853", 0, 1e-9, 1e-7},
                 {"adams", 0, 1e-9, 1e-6},
                 {"implicit-euler", 1e-4, 0, 2e-3},
                 {"midpoint", 1e-3, 0, 1e-5},
                 {"trapezoidal", 1e-3, 0, 1e-5},
                 {"lobatto", 1e-3, 0, 1e-5}};
    for (int dimension = 2; dimension <= 3; dimension++) {
        bool planar = dimension == 2;
        const char *text =
            planar
                ? "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
                  "  b: {type: rigid, mass: 2, inertia: 0.2, position: [0, 0.5]}\n"
                  "forces: {floor: {type: contact, on: [ground, b], law: restitution,\n"
                  "  surfaces: [{plane: [0, 1]}, {sphere: 0.5}], friction: 0.3}}\n"
                : "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                  "  b: {type: rigid, mass: 2, inertia: [0.2, 0.2, 0.2], position: [0, 0, 0.5]}\n"
                  "forces: {floor: {type: contact, on: [ground, b], law: restitution,\n"
                  "  surfaces: [{plane: [0, 0, 1]}, {sphere: 0.5}], friction: 0.3}}\n";
        flx_ctx *ctx = flx_ctx_create();
        flx_model *m = NULL;
        CHECK(flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &m) == FLX_OK);
        flx_system *d = NULL, *t = NULL;
        flx_state *dx = NULL, *tx = NULL;
        CHECK(flx_descriptor_create(m, NULL, &d) == FLX_OK);
        CHECK(flx_state_create(d, &dx) == FLX_OK);
        CHECK(flx_descriptor_draw(d, dx) == FLX_OK);
        CHECK(flx_tree_create(m, d, dx, 0, &t) == FLX_OK);
        CHECK(flx_state_create(t, &tx) == FLX_OK);
        CHECK(flx_tree_from_bodies(t, dx, tx) == FLX_OK);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            flx_integrator_def def = flx_integrator_def_default();
            def.method = cases[i].method;
            def.step = cases[i].step;
            def.rtol = def.atol = cases[i].rtol;
            CHECK(follows(d, dx, &def, planar, cases[i].tolerance) == 0);
            CHECK(follows(t, tx, &def, planar, cases[i].tolerance) == 0);
        }
        flx_state_destroy(&dx), flx_state_destroy(&tx);
        flx_system_destroy(&t), flx_system_destroy(&d);
        flx_model_destroy(&m);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

TEST_MAIN(TEST(groups_are_as_their_switches_say),
          TEST(groups_of_equations_and_stops_are_as_their_switches_say),
          TEST(methods_begin_anew_with_other_rows))
