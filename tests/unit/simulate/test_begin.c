// test_begin.c - starts that are made again: at the same parameters as they were, at others as those of a model compiled
// there; refused where other rows would have to be left out.
#include "check.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"

#include "model/numbers.h"
#include "model_text.h"
#include "simulate/run_parts.h"

#include <glob.h>
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

// What follows from positions and velocities by large stiffness and damping has their rounding so many times larger.
#define FOLLOWS 0.02

// The largest difference of two starts, each kind of unknown by its size. At an equilibrium accelerations are rounding. rows: with
// those of the constraints.
static double compare_states(const rig *r, const flx_state *a, const flx_state *b, bool rows)
{
    const flx_dims *d = &r->sys->dims;
    bool rests = r->sim->plan->model->simulate.start >= 0;
    double off = fabs(a->t - b->t), follows = 0.0;
    off = fmax(off, difference(d->nq, a->q, b->q));
    off = fmax(off, difference(d->nv, a->v, b->v));
    off = fmax(off, difference(d->nx, a->x, b->x));
    off = fmax(off, difference(d->nswitch, a->switches, b->switches));
    if (!rests) follows = fmax(follows, difference(d->nv, a->a, b->a));
    follows = fmax(follows, difference(d->nx, a->dx, b->dx));
    follows = fmax(follows, difference(d->nw, a->w, b->w));
    if (rows) follows = fmax(follows, difference(d->nlam, a->lam, b->lam));
    if (rows) follows = fmax(follows, difference(d->nmu, a->mu, b->mu));
    return fmax(off, FOLLOWS * follows);
}

static double compare(const rig *r, const flx_state *b)
{
    return compare_states(r, r->sim->start, b, true);
}

// All models of the examples that have something to run; a sixth of them where every operation is watched.
static int for_all_examples(int (*check)(const char *name, const char *form), const char *form)
{
    glob_t found = {0};
    int bad = 0;
    if (glob(FLX_EXAMPLES "/*.yaml", 0, NULL, &found) != 0) return 1;
    size_t each = short_runs() ? 6 : 1;
    for (size_t i = 0; i < found.gl_pathc; i += each) bad += check(found.gl_pathv[i], form);
    bad += found.gl_pathc < 50;
    globfree(&found);
    return bad;
}

static int check_same(const char *name, const char *form)
{
    rig r;
    flx_status status = make(&r, name, NULL, form);
    if (status != FLX_OK) { // not in these coordinates, or nothing that moves
        clear(&r);
        return 0;
    }
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
        double off = compare(&r, start);
        if (!(off <= 1e-12)) printf("%s %s: %.3g\n", name, form ? form : "", off);
        CHECK(off <= 1e-12);
    }
    clear(&r);
    return 0;
}

static int starts_at_the_same_parameters_are_the_same(void)
{
    int bad = for_all_examples(check_same, NULL);
    bad += for_all_examples(check_same, "index-3");
    bad += for_all_examples(check_same, "tree");
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
    "  d: {type: revolute, on: [rod, bob], at: rod.e, initial: {angle: 0.4, rate: 2}}\n"           \
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
    CHECK(compare(&r, r.sys->plan->start) > 1e-3);
    double off = compare(&r, fresh.sys->plan->start);
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

// ---- parameters -----------------------------------------------------------------------------------

static flx_status make_open(rig *r, const char *path, const char *text, int nset,
                            const char *const *settings, const char *form)
{
    flx_compile_def def = flx_compile_def_default();
    flx_read_def read = flx_read_def_default();
    *r = (rig){.ctx = flx_ctx_create()};
    def.formulation = form;
    read.nset = nset;
    read.settings = settings;
    read.text = text;
    read.length = text ? strlen(text) : 0;
    FLX_TRY(flx_model_read_by(r->ctx, path, &read, &r->model));
    FLX_TRY(flx_system_compile(r->model, &def, r->ctx, &r->sys));
    return flx_simulation_create_of(r->sys->plan, NULL, false, r->ctx, &r->sim);
}

static flx_status set_parameters(rig *r, const double *p)
{
    FLX_TRY(flx_system_set_parameters(r->sim->sys, p));
    return r->sim->bodies ? flx_system_set_parameters(r->sim->bodies, p) : FLX_OK;
}

// Where both chose the same rows multipliers are compared, too.
static double compare_motion(const rig *a, const rig *b)
{
    const flx_system *s = a->sys, *t = b->sys;
    const flx_dims *d = &s->dims, *e = &t->dims;
    const flx_state *x = a->sim->start, *y = b->sys->plan->start;
    bool same = d->nlam == e->nlam && d->nmu == e->nmu;
    if (d->nq != e->nq || d->nv != e->nv || d->nx != e->nx) return HUGE_VAL;
    for (int i = flx_dims_first_constraint(d); same && i < flx_dims_unknowns(d); i++) {
        flx_unknown u, v;
        s->ops->unknown(s, i, &u);
        t->ops->unknown(t, i, &v);
        same = strcmp(u.item, v.item) == 0 && strcmp(u.part, v.part) == 0;
    }
    return compare_states(a, x, y, same);
}

static int refused, compared;

static int check_parameter(const char *name, const char *form, rig *r, int k)
{
    rig fresh;
    char setting[200];
    const flx_model *m = r->sim->plan->model;
    const char *const settings[] = {setting};
    double *p = calloc((size_t)m->ntunable, sizeof *p);
    for (int i = 0; i < m->ntunable; i++) p[i] = m->tunables[i].value;
    p[k] += 0.01 * fabs(p[k]) + (p[k] == 0.0 ? 1e-3 : 0.0);
    snprintf(setting, sizeof setting, "%s=%.17g", m->tunables[k].name, p[k]);
    flx_status status = set_parameters(r, p);
    if (status == FLX_OK) status = flx_simulation_start_again(r->sim);
    flx_status there = make_open(&fresh, name, NULL, 1, settings, form);
    if (status == FLX_OK && there == FLX_OK) {
        double off = compare_motion(r, &fresh);
        compared++;
        if (!(off <= 1e-12)) printf("%s %s, %s: %.3g\n", name, form, setting, off);
        CHECK(off <= 1e-12);
    } else {
        refused++;
        if (status != FLX_ERR_CANNOT && there == FLX_OK) {
            const flx_message *e = flx_ctx_error(r->ctx, flx_ctx_error_count(r->ctx) - 1);
            printf("%s %s, %s: %s\n", name, form, setting, e ? e->text : flx_status_text(status));
        }
        CHECK(status == FLX_ERR_CANNOT || there != FLX_OK);
    }
    clear(&fresh);
    free(p);
    return 0;
}

static int check_parameters(const char *name, const char *form)
{
    rig r;
    int bad = 0, each = short_runs() ? 2 : 1;
    flx_status status = make_open(&r, name, NULL, 0, NULL, form);
    for (int k = 0; status == FLX_OK && k < r.sim->plan->model->ntunable; k += each) {
        bad += check_parameter(name, form, &r, k);
    }
    clear(&r);
    return bad;
}

static int starts_at_other_parameters_are_those_of_models_compiled_there(void)
{
    compared = refused = 0;
    int bad = for_all_examples(check_parameters, "index-3");
    bad += for_all_examples(check_parameters, "tree");
    printf("%d starts compared, %d refused\n", compared, refused);
    CHECK(bad == 0 && compared > (short_runs() ? 10 : 100) && refused < compared / 4);
    return 0;
}

// Three parallel cranks carry a beam: a row is redundant. With another direction of one of them it is not, though all is
// closed where it begins; with another length it cannot be closed.
#define CRANKS model_text("parallel_cranks")

static int other_redundant_rows_are_refused(void)
{
    rig r;
    CHECK(make_open(&r, "model", CRANKS, 0, NULL, NULL) == FLX_OK);
    CHECK(flx_system_summary(r.sys)->redundant == 1);
    const double same[] = {0.0, 1.0}, longer[] = {0.0, 1.05}, turned[] = {0.1, 1.0};
    CHECK(set_parameters(&r, same) == FLX_OK && flx_simulation_start_again(r.sim) == FLX_OK);
    CHECK(set_parameters(&r, longer) == FLX_OK);
    CHECK(flx_simulation_start_again(r.sim) != FLX_OK);
    CHECK(set_parameters(&r, turned) == FLX_OK);
    int before = flx_ctx_error_count(r.ctx);
    CHECK(flx_simulation_start_again(r.sim) == FLX_ERR_CANNOT);
    CHECK_TEXT(flx_ctx_error(r.ctx, before)->text, "compile the model again");
    // and back
    CHECK(set_parameters(&r, same) == FLX_OK && flx_simulation_start_again(r.sim) == FLX_OK);
    CHECK(compare(&r, r.sys->plan->start) <= 1e-12);
    clear(&r);
    return 0;
}

TEST_MAIN(TEST(starts_at_the_same_parameters_are_the_same), TEST(starts_follow_inputs),
          TEST(starts_at_other_parameters_are_those_of_models_compiled_there),
          TEST(other_redundant_rows_are_refused))
