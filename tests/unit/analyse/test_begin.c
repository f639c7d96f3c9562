// test_begin.c - starts that are made again: at the same parameters as they were, at others as those of a model compiled
// there; refused where other rows would have to be left out.
#include "check.h"
#include "flexion/flexion.h"

#include "analyse/run.h"
#include "model/numbers.h"

#include <stdlib.h>

typedef struct rig {
    flx_ctx *ctx;
    flx_model *model;
    flx_system *sys;
    flx_simulation *sim;
} rig;

static flx_status make(rig *r, const char *path, const char *text, const char *form)
{
    flx_compile_def def = flx_compile_def_default();
    *r = (rig){.ctx = flx_ctx_create()};
    def.formulation = form;
    FLX_TRY(text ? flx_model_read_text(r->ctx, "model", text, strlen(text), 0, NULL, &r->model)
                 : flx_model_read(r->ctx, path, 0, NULL, &r->model));
    FLX_TRY(flx_system_compile(r->model, &def, r->ctx, &r->sys));
    return flx_simulation_create_of(r->sys->plan, NULL, false, r->ctx, &r->sim);
}

static void clear(rig *r)
{
    flx_simulation_destroy(&r->sim);
    flx_system_destroy(&r->sys);
    flx_model_destroy(&r->model);
    flx_ctx_destroy(&r->ctx);
}

static double difference(int n, const double *a, const double *b)
{
    double size = 1e-300, off = 0.0;
    for (int i = 0; i < n; i++) {
        size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
        off = fmax(off, fabs(a[i] - b[i]));
    }
    return off / fmax(size, 1.0);
}

// The largest difference of two starts, each kind of unknown by its size.
static double compare(const flx_system *s, const flx_state *a, const flx_state *b)
{
    const flx_dims *d = &s->dims;
    double off = fabs(a->t - b->t);
    off = fmax(off, difference(d->nq, a->q, b->q));
    off = fmax(off, difference(d->nv, a->v, b->v));
    off = fmax(off, difference(d->nv, a->a, b->a));
    off = fmax(off, difference(d->nx, a->x, b->x));
    off = fmax(off, difference(d->nx, a->dx, b->dx));
    off = fmax(off, difference(d->nw, a->w, b->w));
    off = fmax(off, difference(d->nlam, a->lam, b->lam));
    off = fmax(off, difference(d->nmu, a->mu, b->mu));
    return fmax(off, difference(d->nswitch, a->switches, b->switches));
}

static const char *const examples[] = {"andrews_squeezer",
                                       "bending_pendulum",
                                       "bouncing_ball",
                                       "bricard",
                                       "car_axis",
                                       "condensed_chain",
                                       "damped_pendulum",
                                       "double_pendulum",
                                       "elastic_crank",
                                       "four_bar",
                                       "gears",
                                       "gyroscope",
                                       "hanging_arm",
                                       "heavy_top",
                                       "joint_friction",
                                       "mass_spring_damper",
                                       "metronomes",
                                       "mobot",
                                       "motor_damper",
                                       "n_four_bar",
                                       "pendulum",
                                       "pendulum_equations",
                                       "rod_pendulum",
                                       "rolling_coin",
                                       "sampled_control",
                                       "sleigh",
                                       "slider_crank",
                                       "snap_through",
                                       "spatial_crank",
                                       "speed_control",
                                       "spin_up",
                                       "stiff_coupling",
                                       "stiff_modes",
                                       "tumbling_chain",
                                       "two_mass_reduced"};

static int check_same(const char *name, const char *form)
{
    rig r;
    char path[400];
    snprintf(path, sizeof path, "%s/%s.yaml", FLX_EXAMPLES, name);
    flx_status status = make(&r, path, NULL, form);
    if (status != FLX_OK && form) { // not in these coordinates
        clear(&r);
        return 0;
    }
    CHECK(status == FLX_OK);
    const flx_state *start = r.sys->plan->start;
    for (int k = 0; k < 2; k++) { // the second time with all that the first one left
        for (int i = 0; i < r.sim->sys->dims.nq; i++)
            r.sim->start->q[i] = 7.0; // what it was is no matter
        status = flx_simulation_start_again(r.sim);
        if (status != FLX_OK) {
            const flx_message *m = flx_ctx_error(r.ctx, flx_ctx_error_count(r.ctx) - 1);
            printf("%s %s: %s\n", name, form ? form : "", m ? m->text : flx_status_text(status));
        }
        CHECK(status == FLX_OK);
        double off = compare(r.sys, r.sim->start, start);
        if (!(off <= 1e-12)) printf("%s %s: %.3g\n", name, form ? form : "", off);
        CHECK(off <= 1e-12);
    }
    clear(&r);
    return 0;
}

static int starts_at_the_same_parameters_are_the_same(void)
{
    int bad = 0;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        bad += check_same(examples[i], NULL);
        bad += check_same(examples[i], "index-3");
        bad += check_same(examples[i], "tree");
    }
    CHECK(bad == 0);
    return 0;
}

// ---- inputs ---------------------------------------------------------------------------------------

// A crank that an input drives, a loop that follows it, starts that are held, a force and an equation of inputs.
#define DRIVEN(form, w, F)                                                                         \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"                                              \
    "inputs: {w: " w ", F: " F "}\n"                                                               \
    "bodies:\n"                                                                                    \
    "  crank: {type: rigid, mass: 1, inertia: 0.1, position: [0, 0], com: [0.1, 0]}\n"             \
    "  rod: {type: rigid, mass: 2, inertia: 0.3, position: [0.3, 0], points: {e: [0.9, 0]}}\n"     \
    "  bob: {type: rigid, mass: 1, inertia: 0.1, position: [1.2, 0], com: [0.5, 0]}\n"             \
    "joints:\n"                                                                                    \
    "  a: {type: revolute, on: [ground, crank], at: [0, 0], motion: {angle: 0.2 + w + 3*t}}\n"     \
    "  b: {type: revolute, on: [crank, rod], at: [0.3, 0]}\n"                                      \
    "  c: {type: point-on-line, on: [ground, rod], at: rod.e, axis: [1, 0]}\n"                     \
    "  d: {type: revolute, on: [rod, bob], at: rod.e, start: {angle: 0.4, rate: 2}}\n"             \
    "forces: {push: {type: force, on: bob, value: [F, 0]}}\n"                                      \
    "equations: {first_order: {z: {derivative: F - z, at: 1}}}\n"                                  \
    "simulate: {until: 1, method: radau, rtol: 1e-9" form "}\n"

static void set_input(const flx_system *s, const flx_model *m, int i, double value)
{
    double *param = (double *)(uintptr_t)s->param; // an instance's own
    param[flx_param_input(m, i, FLX_INPUT_VALUE)] = value;
    param[flx_param_input(m, i, FLX_INPUT_FREE)] = 0.0;
}

static int check_inputs(const char *text, const char *there)
{
    rig r, fresh;
    CHECK(make(&r, NULL, text, NULL) == FLX_OK);
    CHECK(make(&fresh, NULL, there, NULL) == FLX_OK);
    const flx_model *m = r.sim->model;
    for (int k = 0; k < 2; k++) {
        set_input(r.sim->sys, m, 0, k == 0 ? 0.0 : 0.35);
        set_input(r.sim->sys, m, 1, k == 0 ? 5.0 : -4.0);
        if (r.sim->bodies) set_input(r.sim->bodies, m, 0, k == 0 ? 0.0 : 0.35);
        if (r.sim->bodies) set_input(r.sim->bodies, m, 1, k == 0 ? 5.0 : -4.0);
        CHECK(flx_simulation_start_again(r.sim) == FLX_OK);
    }
    CHECK(compare(r.sys, r.sim->start, r.sys->plan->start) > 1e-3);
    double off = compare(r.sys, r.sim->start, fresh.sys->plan->start);
    if (!(off <= 1e-12)) printf("inputs: %.3g\n", off);
    CHECK(off <= 1e-12);
    clear(&fresh);
    clear(&r);
    return 0;
}

static int starts_follow_inputs(void)
{
    if (check_inputs(DRIVEN("", "0.1", "2"), DRIVEN("", "0.35", "-4"))) return 1;
    return check_inputs(DRIVEN(", formulation: tree", "0.1", "2"),
                        DRIVEN(", formulation: tree", "0.35", "-4"));
}

TEST_MAIN(TEST(starts_at_the_same_parameters_are_the_same), TEST(starts_follow_inputs))
