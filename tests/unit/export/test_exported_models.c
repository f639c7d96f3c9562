// Exported C on models with everything that acts on a mechanism: forces of all types, expressions,
// tables, states, motions, gears, constraints; refusals by name; the limit; memory that runs out.
#include "exported.h"

#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"

#define TIME 0.3

// ---- models -------------------------------------------------------------------------------------

static const char *const models[] = {"acting",  "bushing",   "driven",           "planar_loop",
                                     "rolling", "variables", "variables_closed", "algebraic",
                                     "table",   "elastic",   "elastic_loop"};
#define MODELS ((int)(sizeof models / sizeof models[0]))

static flx_model *read_model(flx_ctx *ctx, int number)
{
    flx_model *m = NULL;
    char path[512];
    snprintf(path, sizeof path, FLX_TESTS "/models/export/%s.yaml", models[number]);
    if (flx_model_read(ctx, path, 0, NULL, &m) != FLX_OK) {
        printf("%s\n", flx_ctx_error(ctx, 0)->text);
    }
    return m;
}

static flx_model *read_text(flx_ctx *ctx, const char *text)
{
    flx_model *m = NULL;
    if (flx_model_read_text(ctx, "model.yaml", text, strlen(text), 0, NULL, &m) != FLX_OK) {
        printf("%s\n", flx_ctx_error(ctx, 0)->text);
    }
    return m;
}

static int compare(subject *s)
{
    return forward_is_that_of_the_tree(s) || inverse_is_the_residual(s) ||
           states_are_those_of_the_tree(s) || rates_are_those_of_the_tree(s) ||
           linearisation_is_a_derivative(s) || states_have_derivatives(s);
}

static int all_that_acts_is_exported(void)
{
    char folder[] = "exported_XXXXXX";
    CHECK(mkdtemp(folder));
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m[MODELS];
    for (int i = 0; i < MODELS; i++) {
        m[i] = read_model(ctx, i);
        CHECK(m[i]);
        CHECK(export_as(m[i], i, folder, NULL) == 0);
    }
    void *library = compile_all(folder);
    CHECK(library);
    for (int i = 0; i < MODELS; i++) {
        subject s;
        CHECK(subject_open(&s, m[i], i) == 0);
        s.library = library;
        s.time = TIME;
        CHECK(set_state(&s));
        int bad = compare(&s);
        if (bad) printf("model %s\n", models[i]);
        CHECK(!bad);
        subject_close(&s);
        flx_model_destroy(&m[i]);
    }
    dlclose(library);
    flx_ctx_destroy(&ctx);
    return remove_folder(folder);
}

// ---- parameters ---------------------------------------------------------------------------------

// What was exported with one set of parameters, called with another, is the model read with these.
static int parameters_may_change(void)
{
    static const char *const path = FLX_TESTS "/models/export/open.yaml";
    static const char *const settings[] = {"m=1.7",       "k=12",     "c=0.9", "g=3.5",
                                           "amplitude=2", "rest=0.4", "L=0.8", "n=2"};
    static const double p[] = {1.7, 12, 0.9, 3.5, 2, 0.4, 0.8};
    char folder[] = "exported_XXXXXX";
    CHECK(mkdtemp(folder));
    flx_ctx *ctx = flx_ctx_create();
    flx_model *plain = NULL, *open = NULL, *changed = NULL;
    CHECK(flx_model_read(ctx, path, 0, NULL, &plain) == FLX_OK);
    flx_read_def def = flx_read_def_default();
    def.exported = true;
    CHECK(flx_model_read_by(ctx, path, &def, &open) == FLX_OK);
    CHECK(flx_model_read(ctx, path, 8, settings, &changed) == FLX_OK);
    for (int i = 0; i < open->nparameter; i++) { // a count: the number is needed
        bool fixed = strcmp(open->parameters[i].name, "n") == 0;
        CHECK((open->parameters[i].leaf == FLX_PARAMETER_FIXED) == fixed);
    }
    char file[64];
    snprintf(file, sizeof file, "%s/m1.c", folder);
    const flx_export_options o = {.language = FLX_EXPORT_C, .name = "m1", .open = open};
    CHECK(flx_model_export(plain, &o, file) == FLX_OK);
    void *library = compile_all(folder);
    CHECK(library);
    subject s;
    CHECK(subject_open(&s, changed, 1) == 0);
    s.library = library;
    s.time = TIME;
    s.p = p;
    CHECK(set_state(&s));
    CHECK(compare(&s) == 0);
    subject_close(&s);
    dlclose(library);
    flx_model_destroy(&plain);
    flx_model_destroy(&open);
    flx_model_destroy(&changed);
    flx_ctx_destroy(&ctx);
    return remove_folder(folder);
}

// ---- joints that say again what others say ------------------------------------------------------

// Two texts of one mechanism, exported and compiled.
typedef struct both {
    char folder[32];
    void *library;
    flx_ctx *ctx;
} both;

static int both_open(both *o, const char *first, const char *second)
{
    *o = (both){.folder = "exported_XXXXXX", .ctx = flx_ctx_create()};
    CHECK(mkdtemp(o->folder));
    for (int i = 0; i < 2; i++) {
        flx_model *m = read_text(o->ctx, i ? second : first);
        CHECK(m);
        CHECK(export_as(m, i, o->folder, "forward,mass,inverse,closures") == 0);
        flx_model_destroy(&m);
    }
    o->library = compile_all(o->folder);
    CHECK(o->library);
    return 0;
}

static int both_close(both *o)
{
    dlclose(o->library);
    flx_ctx_destroy(&o->ctx);
    return remove_folder(o->folder);
}

// A door that hangs on one joint, or on two that are the same one. Directions and places are no
// simple numbers, so that what vanishes does so but for rounding.
typedef struct twin {
    const char *type, *keys;
    double at[3];
    int freedoms; // v of the joint; its coordinates are as many
} twin;

#define DOOR                                                                                       \
    "flexion: 1\ngravity: [0, 3.355, -9.218]\nbodies:\n"                                           \
    "  door: {type: rigid, mass: 30, inertia: [10, 12, 2], com: %s}\n"                             \
    "joints:\n  low: {type: %s, on: [ground, door], at: [0.1, 0.2, 0.3], %s}\n"

static int door(const twin *t, const char *com)
{
    char one[600], two[800];
    both o;
    snprintf(one, sizeof one, DOOR, com, t->type, t->keys);
    snprintf(two, sizeof two,
             "%s  high: {type: %s, on: [door, ground], at: [%.17g, %.17g, %.17g], %s}\n", one,
             t->type, t->at[0], t->at[1], t->at[2], t->keys);
    CHECK(both_open(&o, one, two) == 0);
    subject single = {.number = 0, .library = o.library};
    subject twice = {.number = 1, .library = o.library};
    forward_function *plain = FUNCTION(&single, forward_function, "forward");
    closed_function *closed = FUNCTION(&twice, closed_function, "forward");
    const double tau[3] = {3, -2, 5};
    for (int i = 0; i < 4; i++) { // initially and elsewhere, at rest and in motion
        double q[3] = {0.7 * i, -0.2 * i, 0.1 * i}, v[3] = {0.4 * i, 0.3 * i, -0.6 * i};
        double a[3], b[3], lam[MOST];
        plain(0.0, NULL, q, v, NULL, tau, a);
        CHECK(closed(0.0, NULL, q, v, NULL, tau, b, lam) == 0);
        for (int k = 0; k < t->freedoms; k++) CHECK_NEAR(b[k], a[k], 1e-10 * (1 + fabs(a[k])));
        CHECK(fabs(a[0]) > 1e-3);
    }
    return both_close(&o);
}

static int a_joint_said_twice_holds_nothing_more(void)
{
    static const twin twins[] = {
        {"revolute", "axis: [0.1, 0.2, 1]", {0.3, 0.6, 2.3}, 1},
        {"revolute", "axis: [0.1, 0.2, 1]", {0.1, 0.2, 0.3}, 1},
        {"prismatic", "axis: [0.3, -0.2, 1]", {0.7, -1.1, 0.4}, 1},
        {"cylindrical", "axis: [0.1, 0.2, 1]", {0.3, 0.6, 2.3}, 2},
        {"planar", "axis: [0.1, 0.2, 1]", {0.1 + 0.4, 0.2 - 0.2, 0.3}, 3},
    };
    for (size_t i = 0; i < sizeof twins / sizeof twins[0]; i++) {
        CHECK(door(twins + i, "[0.45, 0, 0.1]") == 0);
        CHECK(door(twins + i, "[0.1, 0.2, 0.3]") == 0); // the joint is at the centre of mass
        CHECK(door(twins + i, "[0, 0, 0]") == 0);
    }
    return 0;
}

// ---- order of 'on' ------------------------------------------------------------------------------

#define CHAIN                                                                                      \
    "flexion: 1\ngravity: [1.2, -3.4, -9.1]\nbodies:\n"                                            \
    "  b1: {type: rigid, mass: 1, inertia: [0.2, 0.3, 0.4], com: [0.1, 0.2, 0.3]}\n"               \
    "  b2: {like: b1, position: [0.4, 0, 0.1]}\n  b3: {like: b1, position: [0, 0.5, 0.2]}\n"       \
    "  b4: {like: b1, position: [0.1, 0.3, 0.9]}\n  b5: {like: b1, position: [0.3, 0.3, "          \
    "0]}\njoints:\n"
#define CHAIN_JOINT(name, type, a, b, keys)                                                        \
    "  " name ": {type: " type ", on: [" a ", " b "], " keys "}\n"
#define HINGE(a, b) CHAIN_JOINT("j1", "revolute", a, b, "at: [0, 0, 0.1], axis: [1, 2, 3]")
#define SLIDER(a, b) CHAIN_JOINT("j2", "prismatic", a, b, "at: [0.1, 0, 0], axis: [1, -1, 3]")
#define SCREW(a, b)                                                                                \
    CHAIN_JOINT("j3", "screw", a, b, "at: [0, 0.3, 0], axis: [0, -1, 2], pitch: 0.4")
#define PIPE(a, b) CHAIN_JOINT("j4", "cylindrical", a, b, "at: [0.2, 0.3, 0.2], axis: [1, 1, 2]")
#define CROSS(a, b, axes) CHAIN_JOINT("j5", "universal", a, b, "at: [0.2, 0.1, 0], axes: " axes)

// Coordinates are those of the second body relative to the first, whichever way the tree runs.
static int exported_coordinates_are_those_of_the_signals(void)
{
    both o;
    CHECK(both_open(&o,
                    CHAIN HINGE("ground", "b1") SLIDER("b1", "b2") SCREW("b2", "b3")
                        PIPE("b3", "b4") CROSS("b4", "b5", "[[1, 0, 0], [0, 1, 0.2]]"),
                    CHAIN HINGE("b1", "ground") SLIDER("b2", "b1") SCREW("b3", "b2")
                        PIPE("b4", "b3") CROSS("b5", "b4", "[[0, 1, 0.2], [1, 0, 0]]")) == 0);
    subject s = {.number = 0, .library = o.library}, r = {.number = 1, .library = o.library};
    double q[7] = {0.3, -0.2, 0.5, 0.1, -0.7, 0.4, 0.6}, v[7] = {1, -2, 0.5, 0.3, 0.8, -1, 0.7};
    double qr[7], vr[7], a[7], b[7], tau[7] = {3, -2, 1, 5, 2, 4, -1}, taur[7];
    for (int i = 0; i < 7; i++) qr[i] = -q[i], vr[i] = -v[i], taur[i] = -tau[i];
    FUNCTION(&s, forward_function, "forward")(0.0, NULL, q, v, NULL, tau, a);
    FUNCTION(&r, forward_function, "forward")(0.0, NULL, qr, vr, NULL, taur, b);
    for (int i = 0; i < 7; i++) CHECK_NEAR(b[i], -a[i], 1e-12 * largest(7, a));
    return both_close(&o);
}

// ---- refusals -----------------------------------------------------------------------------------

static int refuses(const char *text, const char *part)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = read_text(ctx, text);
    const flx_export_options o = {.language = FLX_EXPORT_C};
    CHECK(m);
    CHECK(flx_model_export(m, &o, "/dev/null") != FLX_OK);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, part);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

#define BODY "bodies: {b: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"

static int what_cannot_be_exported_is_named(void)
{
    CHECK(refuses("flexion: 1\nequations: {first_order: {x: {at: 1, derivative: -x}}}\n",
                  "a model without bodies and equations of second order") == 0);
    CHECK(refuses("flexion: 1\n" BODY "reduce: {type: cutoff, raise_inertia: [b], factor: 2}\n",
                  "a changed inertia (reduce) cannot be exported") == 0);
    CHECK(refuses("flexion: 1\n" BODY "reduce: {type: quasistatic, neglect_inertia: auto}\n",
                  "a changed inertia (reduce) cannot be exported") == 0);
    CHECK(refuses("flexion: 1\n" BODY
                  "forces: {C: {type: contact, on: [ground, b], surfaces: [{plane: [0, 0, 1]}, "
                  "{sphere: 1}], law: hertz, stiffness: 1}}\n",
                  "the contact 'C' cannot be exported") == 0);
    CHECK(refuses("flexion: 1\n" BODY
                  "particles: {sand: {radius: 0.1, density: 1, material: {E: 1e6}, "
                  "positions: [[0, 0, 1]]}}\n",
                  "the particles 'sand' cannot be exported") == 0);
    CHECK(refuses("flexion: 1\n" BODY
                  "joints: {J: {type: revolute, on: [ground, b], at: [1, 0, 0], axis: [0, 0, 1],\n"
                  "  limits: {upper: 1, restitution: 0.5}}}\n",
                  "the rigid stop of joint 'J' cannot be exported") == 0);
    CHECK(refuses("flexion: 1\n" BODY
                  "equations: {constraints: {g: {value: b.position.z, one_sided: true}}}\n",
                  "the one-sided constraint 'g' cannot be exported") == 0);
    CHECK(refuses("flexion: 1\n" BODY "joints: {J: {type: fixed, on: [ground, b], at: b}}\n",
                  "no body can move") == 0);
    CHECK(refuses("flexion: 1\n" BODY
                  "events: {hit: {when: b.position.z < 0, set: {b.velocity.z: 1}}}\n",
                  "the event 'hit'") == 0);
    CHECK(refuses("flexion: 1\n" BODY
                  "equations: {second_order: {u: {at: 1, mass: 2 + sin(t), force: -u}}}\n",
                  "the mass of 'u' depends on time, a velocity or a state") == 0);
    CHECK(refuses("flexion: 1\n" BODY
                  "equations: {first_order: {z: {mass: 0, derivative: z + z^3 - 1}}}\n",
                  "the algebraic variable 'z' cannot be exported: its equation is not linear") ==
          0);
    // functions take values of inputs: what is made of their rates would be left out
    CHECK(refuses("flexion: 1\n" BODY
                  "inputs: {F: 0}\nforces: {f: {type: force, on: b, value: [F, F', 0]}}\n",
                  "reads the rate of input 'F'") == 0);
    CHECK(refuses("flexion: 1\n" BODY
                  "inputs: {F: 0}\ncontrol: {c: {type: pid, of: F - b.position.x, p: 3, d: 1}}\n"
                  "forces: {f: {type: force, on: b, value: [c, 0, 0]}}\n",
                  "reads the rate of input 'F'") == 0);
    return 0;
}

static int size_is_limited(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = read_model(ctx, 0);
    flx_export_options o = {.language = FLX_EXPORT_C, .limit = 100};
    CHECK(m);
    CHECK(flx_model_export(m, &o, "/dev/null") == FLX_ERR_CANNOT);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "--functions");
    flx_ctx_clear_messages(ctx);
    o = (flx_export_options){.functions = "forwards"};
    CHECK(flx_model_export(m, &o, "/dev/null") == FLX_ERR_ARGUMENT);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "'forwards'");
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Every single allocation is refused in turn: an error, no crash, no leak.
static int memory_may_run_out(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = read_model(ctx, 4);
    const flx_export_options o = {.language = FLX_EXPORT_PYTHON, .functions = "inverse,closures"};
    CHECK(m);
    long before = flx_ctx_allocation_count(ctx);
    CHECK(flx_model_export(m, &o, "/dev/null") == FLX_OK);
    long count = flx_ctx_allocation_count(ctx) - before;
    for (long i = 1; i <= count; i += i < 50 ? 1 : 1 + count / 100) {
        flx_ctx_fail_allocation(ctx, i);
        flx_status status = flx_model_export(m, &o, "/dev/null");
        flx_ctx_fail_allocation(ctx, 0);
        CHECK(status == FLX_ERR_MEMORY || status == FLX_OK);
    }
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(all_that_acts_is_exported), TEST(parameters_may_change),
          TEST(a_joint_said_twice_holds_nothing_more),
          TEST(exported_coordinates_are_those_of_the_signals),
          TEST(what_cannot_be_exported_is_named), TEST(size_is_limited), TEST(memory_may_run_out))
