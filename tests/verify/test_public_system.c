// test_public_system.c - every public function that takes a system is called on systems that were compiled from a model: a column of two
// links under a load, in the coordinates of its bodies and of its joints. check_public_system.py finds functions that are missing here.
#include "check.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"

#include <stdlib.h>

static const char column[] = "flexion: 1\n"
                             "dimension: 2\n"
                             "parameters: {L: 0.5, k: 20}\n"
                             "inputs: {push: {value: 0}}\n"
                             "bodies:\n"
                             "  low: {type: rigid, mass: 1, com: [0, L/2], inertia: 0.02, "
                             "position: [0, 0], points: {top: [0, L]}}\n"
                             "  high: {type: rigid, mass: 1, com: [0, L/2], inertia: 0.02, "
                             "position: [0, L], points: {top: [0, L]}}\n"
                             "joints:\n"
                             "  A: {type: revolute, on: [ground, low], at: [0, 0]}\n"
                             "  B: {type: revolute, on: [low, high], at: low.top}\n"
                             "forces:\n"
                             "  kA: {type: spring, on: A, stiffness: k}\n"
                             "  kB: {type: spring, on: B, stiffness: k}\n"
                             "  P: {type: force, on: high, at: high.top, value: [0, -k/L]}\n"
                             "  u: {type: torque, on: B, value: push}\n"
                             "events: {over: {when: A.angle > 1, stop: true}}\n"
                             "analyse: {straight: {type: static, to: 3}}\n"
                             "simulate: {until: 1, method: radau, rtol: 1e-8, formulation: %s}\n"
                             "outputs: {every: 0.01, signals: [A.angle, B.angle]}\n";
static const char *const forms[] = {"ggl", "tree"};
#define FORMS 2
static const double critical[] = {0.38196601125010515, 2.618033988749895}; // (3 -+ sqrt(5))/2

typedef struct rig {
    flx_ctx *ctx;
    flx_model *model;
    flx_system *s;   // compiled
    flx_system *own; // an instance, whose load factor may be set
    flx_state *x;
    double *factor;
} rig;

static bool make(int form, rig *r)
{
    char text[2048];
    *r = (rig){.ctx = flx_ctx_create()};
    snprintf(text, sizeof text, column, forms[form]);
    flx_read_def def = flx_read_def_default();
    def.text = text;
    def.length = strlen(text);
    bool good = flx_model_read_by(r->ctx, "column", &def, &r->model) == FLX_OK &&
                flx_system_compile(r->model, NULL, r->ctx, &r->s) == FLX_OK &&
                flx_system_instance(r->s, r->ctx, &r->own) == FLX_OK &&
                flx_state_create(r->own, &r->x) == FLX_OK;
    if (good) { // where a run of it begins
        flx_run *run = NULL;
        good = flx_run_create(r->s, NULL, r->ctx, &run) == FLX_OK;
        int n = 0;
        if (good)
            memcpy(r->x->q, flx_run_view(run, FLX_VIEW_Q, &n),
                   sizeof *r->x->q * (size_t)r->s->dims.nq);
        good = good && n == r->s->dims.nq;
        flx_run_destroy(&run);
        r->factor = (double *)r->own->param; // the load factor is the first of the numbers
    }
    for (int i = 0; flx_ctx_error(r->ctx, i); i++) printf("  %s\n", flx_ctx_error(r->ctx, i)->text);
    return good;
}

static void clear(rig *r)
{
    flx_state_destroy(&r->x);
    flx_system_destroy(&r->own);
    flx_system_destroy(&r->s);
    flx_model_destroy(&r->model);
    flx_ctx_destroy(&r->ctx);
}

static int for_each(int (*test)(rig *r))
{
    int failed = 0;
    for (int form = 0; form < FORMS; form++) {
        rig r;
        bool good = make(form, &r);
        if (!good || test(&r) != 0) {
            printf("  by %s\n", forms[form]);
            failed = 1;
        }
        clear(&r);
    }
    return failed;
}

// Positions turned out of the drawn ones, by velocities of the system.
static void bend(rig *r, double by)
{
    double *theta = calloc((size_t)r->own->dims.nv, sizeof *theta);
    for (int i = 0; i < r->own->dims.nv; i++) theta[i] = by * (i + 1);
    r->own->ops->retract(r->own, r->x->q, theta, r->x->q);
    free(theta);
}

static double largest(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static int say(rig *r)
{
    flx_port_info info;
    int a = flx_system_output(r->s, "A.angle", r->ctx);
    CHECK(a >= 0 && flx_system_describe(r->s, FLX_PORT_OUTPUT, a, &info));
    CHECK_TEXT(info.name, "A.angle");
    CHECK(flx_system_output(r->s, "A.angel", r->ctx) == -1);
    CHECK_TEXT(flx_ctx_error(r->ctx, 0)->text, "A.angle");
    CHECK(flx_system_input(r->s, "push", r->ctx) == 0);
    CHECK(flx_system_input(r->s, "pull", r->ctx) == -1);
    CHECK(flx_system_parameter(r->s, "k", r->ctx) >= 0);
    CHECK(flx_system_parameter(r->s, "m", r->ctx) == -1);
    CHECK(flx_system_describe(r->s, FLX_PORT_EVENT, 0, &info));
    CHECK_TEXT(info.name, "over");
    CHECK(!flx_system_describe(r->s, FLX_PORT_EVENT, 1, &info));
    const flx_result_info *result = flx_system_info(r->s);
    CHECK(result && result->ncolumn == 2);
    CHECK_TEXT(result->method, "radau");
    CHECK(!flx_system_has_chosen(r->s)); // the model names it
    const flx_summary *summary = flx_system_summary(r->s);
    CHECK(summary && summary->bodies == 2 && summary->freedoms == 2);
    return 0;
}

static int a_compiled_system_says_what_it_has(void)
{
    return for_each(say);
}

// Positions are closed, velocities fit, forces are in balance: the residual vanishes at the point of the state.
static int start(rig *r)
{
    const flx_system *s = r->own;
    flx_start_report report;
    double *residual = calloc((size_t)flx_dims_unknowns(&s->dims), sizeof *residual);
    flx_work *w = s->ops->work_create(s);
    bend(r, 0.03);
    for (int i = 0; i < s->dims.nv; i++) r->x->v[i] = 0.1 * (i + 1);
    CHECK(flx_start_positions(s, r->x, NULL, &report) == FLX_OK && report.residual_q < 1e-10);
    CHECK(flx_start_velocities(s, r->x, NULL, &report) == FLX_OK && report.residual_v < 1e-10);
    CHECK(flx_start_accelerations(s, r->x) == FLX_OK);
    flx_point p = flx_state_point(s, r->x);
    CHECK(p.q == r->x->q && p.param == s->param);
    CHECK(s->ops->residual(s, w, &p, residual) == FLX_OK);
    CHECK(largest(flx_dims_unknowns(&s->dims), residual) < 1e-8);
    CHECK(largest(s->dims.nv, r->x->a) > 0.1);
    s->ops->work_destroy(w);
    free(residual);
    return 0;
}

static int a_state_is_made_consistent(void)
{
    return for_each(start);
}

static int rank(rig *r)
{
    flx_rank_report report = {0};
    CHECK(flx_rank_constraints(r->s, r->x, &report) == FLX_OK);
    CHECK(report.freedoms == 2 && report.nredundant == 0 && report.nsingular == 0);
    flx_rank_report_clear(&report);
    flx_reach reach;
    CHECK(flx_reach_find(r->s, r->x, 0, &reach) == FLX_OK);
    CHECK(reach.positions == 0 && reach.nrow == 0); // no constraint is one of velocities
    flx_reach_clear(&reach);
    return 0;
}

static int constraints_have_their_rank(void)
{
    return for_each(rank);
}

// Without the load the column swings about the straight position: (1/2) theta^T K theta and (1/2) theta^T M theta in the
// angles of the links, K = k [2 -1; -1 1], M = [J + m L^2 (1/4 + 1), m L^2/2; ., J + m L^2/4]. Gravity has no part.
static int rest_and_modes(rig *r)
{
    const double k = 20.0, L2 = 0.25, J = 0.02;
    const double m11 = J + 1.25 * L2, m12 = 0.5 * L2, m22 = J + 0.25 * L2;
    const double a = m11 * m22 - m12 * m12, b = -k * (m11 + 2.0 * m22 + 2.0 * m12), c = k * k;
    const double slow = sqrt((-b - sqrt(b * b - 4.0 * a * c)) / (2.0 * a));
    const double fast = sqrt((-b + sqrt(b * b - 4.0 * a * c)) / (2.0 * a));
    flx_equilibrium_report rest;
    flx_modes modes = {0};
    *r->factor = 0.0;
    bend(r, 0.02);
    CHECK(flx_start_positions(r->own, r->x, NULL, NULL) == FLX_OK);
    CHECK(flx_equilibrium_find(r->own, r->x, &rest) == FLX_OK);
    CHECK(rest.moved > 1e-3 && rest.iterations > 0);
    CHECK(flx_modes_find(r->own, r->x, NULL, 0, &modes) == FLX_OK);
    CHECK(modes.nmode == 2);
    CHECK_REL(modes.modes[0].im, slow, 1e-9);
    CHECK_REL(modes.modes[1].im, fast, 1e-9);
    flx_modes_clear(&modes);
    // the compiled system itself has all of the load, which is beyond the first critical one
    CHECK(flx_start_accelerations(r->s, r->x) == FLX_OK); // the forces of its joints
    CHECK(flx_modes_find(r->s, r->x, NULL, 0, &modes) == FLX_OK);
    double most = 0.0;
    for (int i = 0; i < modes.nmode; i++) most = fmax(most, modes.modes[i].re);
    CHECK(most > 1.0);
    flx_modes_clear(&modes);
    return 0;
}

static int position_of_rest_and_its_modes_are_found(void)
{
    return for_each(rest_and_modes);
}

static flx_status residual_with(rig *r, flx_work *w, int k, double value, double *out)
{
    double p[2];
    p[k] = value;
    p[1 - k] = 0.5; // the length
    flx_status status = flx_system_set_parameters(r->own, p);
    *r->factor = 0.7;
    flx_point at = flx_state_point(r->own, r->x);
    return status == FLX_OK ? r->own->ops->residual(r->own, w, &at, out) : status;
}

// Four times the stiffness doubles the frequencies; dr/dk is the difference of residuals, which are linear in k.
static int parameters(rig *r)
{
    const int n = flx_dims_unknowns(&r->own->dims), k = flx_system_parameter(r->s, "k", r->ctx);
    double *a = calloc((size_t)n, sizeof *a), *b = calloc((size_t)n, sizeof *b),
           *slope = calloc((size_t)n, sizeof *slope);
    double before = 0.0;
    flx_modes modes = {0};
    flx_work *w = r->own->ops->work_create(r->own);
    CHECK(r->s->nparameter == 2 && k >= 0);
    for (int i = 0; i < 2; i++) {
        CHECK(residual_with(r, w, k, i ? 80.0 : 20.0, a) == FLX_OK);
        *r->factor = 0.0;
        CHECK(flx_modes_find(r->own, r->x, NULL, 0, &modes) == FLX_OK);
        if (i) CHECK_REL(modes.modes[0].im, 2.0 * before, 1e-9);
        before = modes.modes[0].im;
        flx_modes_clear(&modes);
    }
    bend(r, 0.05);
    CHECK(residual_with(r, w, k, 21.0, b) == FLX_OK);
    CHECK(residual_with(r, w, k, 20.0, a) == FLX_OK);
    flx_point at = flx_state_point(r->own, r->x);
    CHECK(flx_system_parameter_slope(r->own, w, &at, k, slope) == FLX_OK);
    CHECK(largest(n, slope) > 1e-2);
    for (int i = 0; i < n; i++) CHECK_NEAR(slope[i], b[i] - a[i], 1e-9);
    r->own->ops->work_destroy(w);
    free(a);
    free(b);
    free(slope);
    return 0;
}

static int parameters_are_set_and_have_slopes(void)
{
    return for_each(parameters);
}

static flx_status count(void *user, const flx_state *x, double factor, double length)
{
    (void)x;
    (void)factor;
    (void)length;
    ++*(int *)user;
    return FLX_OK;
}

static int go_on(void *user, const flx_state *x)
{
    (void)user;
    (void)x;
    return 0;
}

static int loads(rig *r)
{
    int rows = 0;
    flx_path_report path = {0};
    flx_buckling buckling = {0};
    const flx_path_def def = {
        .factor = r->factor, .from = 0.0, .to = 3.0, .steps = 10, .max_steps = 200};
    *r->factor = 0.0;
    CHECK(flx_buckling_find(r->own, r->x, r->factor, 2, &buckling) == FLX_OK);
    CHECK(buckling.n == 2);
    for (int i = 0; i < 2; i++) CHECK_REL(buckling.factors[i], critical[i], 1e-6);
    flx_buckling_clear(&buckling);
    CHECK(flx_path_follow(r->own, r->x, &def, count, &rows, &path) == FLX_OK);
    CHECK(path.arrived && rows > 5 && path.ncritical == 2);
    for (int i = 0; i < 2; i++) CHECK_REL(path.critical[i].factor, critical[i], 1e-6);
    return 0;
}

static int loads_are_followed(void)
{
    return for_each(loads);
}

// The integrator alone and a run of the same system meet; the instance that was changed has not changed the compiled one.
static int motion(rig *r)
{
    flx_integrator *it = NULL;
    flx_run *run = NULL;
    flx_integrator_def def = flx_integrator_def_default();
    const flx_schedule schedule = {.until = 0.2};
    def.method = "radau";
    def.rtol = 1e-10;
    const double t = 0.2;
    double q[2][16];
    CHECK(r->s->dims.nq <= 16);
    bend(r, 0.01);
    CHECK(flx_start_positions(r->own, r->x, NULL, NULL) == FLX_OK);
    CHECK(flx_start_velocities(r->own, r->x, NULL, NULL) == FLX_OK);
    memcpy(q[0], r->x->q, sizeof(double) * (size_t)r->s->dims.nq);
    CHECK(flx_start_accelerations(r->own, r->x) == FLX_OK);
    CHECK(flx_integrator_create(r->own, &def, &it) == FLX_OK);
    CHECK(flx_integrate(it, r->x, &schedule, go_on, NULL) == FLX_OK);
    flx_integrator_destroy(&it);
    *r->factor = 0.0;
    flx_run_def d = flx_run_def_default();
    d.method = def;
    CHECK(flx_run_create(r->s, &d, r->ctx, &run) == FLX_OK);
    CHECK(flx_run_set_state(run, q[0], NULL, NULL, NULL) == FLX_OK);
    CHECK(flx_run_advance(run, t) == FLX_OK);
    memcpy(q[1], flx_run_view(run, FLX_VIEW_Q, NULL), sizeof(double) * (size_t)r->s->dims.nq);
    for (int i = 0; i < r->s->dims.nq; i++) CHECK_NEAR(q[1][i], r->x->q[i], 1e-7);
    CHECK(fabs(q[1][0] - q[0][0]) > 1e-4);
    flx_run_destroy(&run);
    return 0;
}

static int methods_and_runs_meet(void)
{
    return for_each(motion);
}

static int many_runs_of_it_agree(void)
{
    rig r;
    flx_ensemble_def d = flx_ensemble_def_default();
    flx_ensemble_end ends[3];
    const int first = 0;
    double y[3];
    CHECK(make(0, &r));
    d.runs = 3;
    d.threads = 2;
    d.until = 1e-3;
    d.noutput = 1;
    d.outputs = &first;
    CHECK(flx_ensemble_run(r.s, &d, r.ctx, ends, y, NULL) == FLX_OK);
    for (int i = 0; i < 3; i++) CHECK(ends[i].status == FLX_OK && y[i] == y[0]);
    clear(&r);
    return 0;
}

TEST_MAIN(TEST(many_runs_of_it_agree), TEST(a_compiled_system_says_what_it_has),
          TEST(a_state_is_made_consistent), TEST(constraints_have_their_rank),
          TEST(position_of_rest_and_its_modes_are_found), TEST(parameters_are_set_and_have_slopes),
          TEST(loads_are_followed), TEST(methods_and_runs_meet))
