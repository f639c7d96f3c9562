// test_run.c - flexion/run.h: a compiled system and runs that their owner advances.
#include "flexion/extend/method_table.h"
#include "run_rig.h"
#include "tiny_systems.h"

#include <stdlib.h>

// ---- rig ----------------------------------------------------------------------------------------

static int set_up(const char *example, rig *r)
{
    char path[400];
    snprintf(path, sizeof path, FLX_EXAMPLES "/%s.yaml", example);
    *r = (rig){.ctx = flx_ctx_create()};
    return rig_compile(r, flx_model_read(r->ctx, path, 0, NULL, &r->model), false);
}

static int set_up_text(const char *text, rig *r)
{
    *r = (rig){.ctx = flx_ctx_create()};
    return rig_compile(
        r, flx_model_read_text(r->ctx, "text", text, strlen(text), 0, NULL, &r->model), false);
}

// What `flexion run` gives for the same model.
static int run_whole(const rig *r, flx_result **rows, flx_ledger *ledger)
{
    flx_simulation *sim = NULL;
    flx_sink *sink = NULL;
    CHECK(flx_simulation_create(r->model, &sim) == FLX_OK);
    CHECK(flx_memory_sink_create(r->ctx, &sink) == FLX_OK);
    CHECK(flx_simulation_run(sim, 1, &sink, NULL, NULL) == FLX_OK);
    CHECK(flx_memory_sink_take(sink, rows) == FLX_OK);
    *ledger = *flx_simulation_ledger(sim);
    flx_sink_destroy(&sink);
    flx_simulation_destroy(&sim);
    return 0;
}

// ---- rows ---------------------------------------------------------------------------------------

// Rows that differ in a bit from those of the result.
static int count_others(flx_run *run, const flx_result *rows, double *worst)
{
    int others = 0, n;
    const double *t = flx_result_column(rows, 0);
    for (int k = 1; k < flx_result_rows(rows); k++) {
        if (flx_run_advance(run, t[k]) != FLX_OK || flx_run_time(run) != t[k]) return -1;
        const double *values = flx_run_outputs(run, &n);
        bool same = values && n == flx_result_columns(rows) - 1;
        for (int i = 0; same && i < n; i++) {
            double want = flx_result_column(rows, i + 1)[k];
            *worst = fmax(*worst, fabs(values[i] - want) / fmax(1.0, fabs(want)));
            if (memcmp(values + i, &want, sizeof want) != 0) same = false;
        }
        others += !same;
    }
    return others;
}

// Pieces that end at multiples of a fixed step are the run in one go: rows, work and account.
static int fixed_steps_in_pieces(void)
{
    static const char *const examples[] = {
        "pendulum_equations", "sleigh",    "two_body_variational", "slider_crank",
        "crane_cable",        "heavy_top", "bending_pendulum",     "rubber_bar"};
    size_t n = short_runs() ? 2 : sizeof examples / sizeof examples[0];
    for (size_t e = 0; e < n; e++) {
        rig r;
        flx_run *run = NULL;
        flx_result *rows = NULL;
        flx_ledger whole;
        double worst = 0.0;
        if (set_up(examples[e], &r) || run_whole(&r, &rows, &whole)) return 1;
        CHECK(flx_run_create(r.system, NULL, r.ctx, &run) == FLX_OK);
        int others = count_others(run, rows, &worst);
        if (others) printf("  %s: %d rows differ, by %.2g\n", examples[e], others, worst);
        CHECK(others == 0);
        const flx_ledger *l = flx_run_ledger(run);
        CHECK(l->work.steps == whole.work.steps);
        CHECK(l->energy_end == whole.energy_end && l->energy_drift == whole.energy_drift);
        CHECK(l->supplied == whole.supplied && l->dissipated == whole.dissipated);
        CHECK(l->position_residual == whole.position_residual);
        CHECK(l->balanced == whole.balanced);
        flx_run_destroy(&run);
        flx_result_close(&rows);
        put_away(&r);
    }
    return 0;
}

// A loop that adds up its time meets the multiples, too, and one that has another pace loses no accuracy.
static int odd_pieces(void)
{
    rig r;
    flx_run *one = NULL, *added = NULL, *odd = NULL;
    if (set_up("slider_crank", &r)) return 1;
    CHECK(flx_run_create(r.system, NULL, r.ctx, &one) == FLX_OK);
    CHECK(flx_run_create(r.system, NULL, r.ctx, &added) == FLX_OK);
    CHECK(flx_run_create(r.system, NULL, r.ctx, &odd) == FLX_OK);
    while (flx_run_time(added) < 0.9995) {
        CHECK(flx_run_advance(added, flx_run_time(added) + 1e-3) == FLX_OK);
    }
    for (double t = 0.00137; t < 1.0; t += 0.00137) CHECK(flx_run_advance(odd, t) == FLX_OK);
    CHECK(flx_run_advance(one, 1.0) == FLX_OK && flx_run_advance(odd, 1.0) == FLX_OK);
    CHECK(flx_run_time(one) == 1.0 && flx_run_time(odd) == 1.0);
    int n, m;
    const double *a = flx_run_view(one, FLX_VIEW_Q, &n), *b = flx_run_view(added, FLX_VIEW_Q, &m);
    CHECK(n == m && n > 0 && memcmp(a, b, (size_t)n * sizeof *a) == 0);
    b = flx_run_view(odd, FLX_VIEW_Q, &m);
    for (int i = 0; i < n; i++) CHECK_NEAR(b[i], a[i], 2e-4);
    CHECK(flx_run_statistics(odd).smallest_step > 1e-6); // no crumbs
    flx_run_destroy(&one);
    flx_run_destroy(&added);
    flx_run_destroy(&odd);
    put_away(&r);
    return 0;
}

// Error control in pieces: the accuracy asked for, and not many more steps than there are pieces.
static int adaptive_pieces(void)
{
    static const char *const examples[] = {"pendulum", "four_bar", "gears", "joint_friction"};
    for (size_t e = 0; e < sizeof examples / sizeof examples[0]; e++) {
        rig r;
        flx_run *run = NULL, *whole = NULL;
        if (set_up(examples[e], &r)) return 1;
        CHECK(flx_run_create(r.system, NULL, r.ctx, &whole) == FLX_OK);
        CHECK(flx_run_create(r.system, NULL, r.ctx, &run) == FLX_OK);
        const int pieces = 400;
        const double until = 2.0;
        CHECK(flx_run_advance(whole, until) == FLX_OK);
        for (int k = 1; k <= pieces; k++) {
            double t = until * k / pieces;
            CHECK(flx_run_advance(run, t) == FLX_OK && flx_run_time(run) == t);
        }
        long steps = flx_run_statistics(run).steps, least = flx_run_statistics(whole).steps;
        if (steps > least + pieces + pieces / 4)
            printf("  %s: %ld, %ld\n", examples[e], steps, least);
        CHECK(steps <= least + pieces + pieces / 4);
        int n;
        const double *a = flx_run_view(whole, FLX_VIEW_Q, &n);
        const double *b = flx_run_view(run, FLX_VIEW_Q, NULL);
        for (int i = 0; i < n; i++) CHECK_NEAR(b[i], a[i], 2e-6);
        flx_run_destroy(&run);
        flx_run_destroy(&whole);
        put_away(&r);
    }
    return 0;
}

// One short piece between long steps leaves the size of the steps as it was.
static int size_is_remembered(void)
{
    static const char *const methods[] = {"dopri5", "dop853", "radau", "generalized-alpha"};
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
        rig r;
        flx_run *run = NULL;
        flx_run_def def = flx_run_def_default();
        if (set_up("double_pendulum", &r)) return 1;
        def.method = flx_integrator_def_default();
        def.method.method = methods[k];
        def.method.rtol = 1e-7;
        def.method.atol = 1e-9;
        CHECK(flx_run_create(r.system, &def, r.ctx, &run) == FLX_OK);
        CHECK(flx_run_advance(run, 0.5) == FLX_OK);
        double h, after = 0.0;
        CHECK(flx_run_step(run, 0.0, &h) == FLX_OK && h > 0.0);
        CHECK(flx_run_advance(run, flx_run_time(run) + 1e-3 * h) == FLX_OK);
        CHECK(flx_run_step(run, 0.0, &after) == FLX_OK);
        if (!(after > 0.5 * h)) printf("  %s: %g after %g\n", methods[k], after, h);
        CHECK(after > 0.5 * h);
        flx_run_destroy(&run);
        put_away(&r);
    }
    return 0;
}

// ---- events and callbacks -----------------------------------------------------------------------

typedef struct heard {
    int events, rows, stop_at;
    double last;
    int warnings;
} heard;

static int on_event(void *user, double t, int event, const char *name)
{
    heard *h = user;
    (void)event;
    h->last = t;
    if (strcmp(name, "bounce") == 0) h->events++;
    return h->stop_at > 0 && h->events == h->stop_at;
}

static int on_row(void *user, double t, int n, const double *outputs)
{
    heard *h = user;
    h->rows++;
    return !(n > 0 && isfinite(outputs[0]) && t >= 0.0);
}

static int events_stop(void)
{
    rig r;
    flx_run *run = NULL;
    flx_result *rows = NULL;
    flx_ledger whole;
    heard h = {0};
    flx_run_def def = flx_run_def_default();
    def.event = on_event;
    def.row = on_row;
    def.user = &h;
    if (set_up("bouncing_ball", &r) || run_whole(&r, &rows, &whole)) return 1;
    CHECK(flx_run_create(r.system, &def, r.ctx, &run) == FLX_OK);
    flx_status status = FLX_OK;
    for (int k = 1; status == FLX_OK && k <= 100; k++) status = flx_run_advance(run, 0.1 * k);
    CHECK(status == FLX_STOPPED);
    CHECK_TEXT(flx_run_stopped_by(run), "done");
    CHECK(h.events == 12 && h.rows == flx_result_rows(rows));
    CHECK_NEAR(flx_run_time(run), whole.t, 1e-7);
    CHECK(h.last == flx_run_time(run));
    CHECK(flx_run_advance(run, 20.0) == FLX_STOPPED && flx_run_step(run, 0, NULL) == FLX_STOPPED);
    // the callback stops, and the start is again what it was
    h = (heard){.stop_at = 3};
    CHECK(flx_run_reset(run) == FLX_OK && flx_run_time(run) == 0.0 && !flx_run_stopped_by(run));
    CHECK(flx_run_advance(run, 5.0) == FLX_STOPPED && h.events == 3);
    CHECK_TEXT(flx_run_stopped_by(run), "bounce");
    CHECK(flx_run_time(run) < 5.0);
    flx_run_destroy(&run);
    flx_result_close(&rows);
    put_away(&r);
    return 0;
}

static int give_up(void *user, double t, double until)
{
    (void)t;
    (void)until;
    ++*(int *)user;
    return 1;
}

static int progress_interrupts(void)
{
    rig r;
    flx_run *run = NULL;
    int asked = 0;
    flx_run_def def = flx_run_def_default();
    def.progress = give_up;
    def.user = &asked;
    if (set_up("pendulum", &r)) return 1;
    CHECK(flx_run_create(r.system, &def, r.ctx, &run) == FLX_OK);
    CHECK(flx_run_advance(run, 1e6) == FLX_INTERRUPTED && asked == 1);
    double t = flx_run_time(run);
    CHECK(t > 0.0 && t < 1e6);
    CHECK(flx_run_advance(run, t + 1e-3) == FLX_OK); // it may go on, and is not asked again so soon
    flx_run_destroy(&run);
    put_away(&r);
    return 0;
}

static void on_warning(void *user, const flx_message *m)
{
    heard *h = user;
    if (strstr(m->text, "error of a step")) h->warnings++;
}

// A run that fails its checks says so.
static int checks_are_told(void)
{
    rig r;
    flx_run *run = NULL;
    heard h = {0};
    flx_run_def def = flx_run_def_default();
    if (set_up("pendulum", &r)) return 1;
    def.method = flx_integrator_def_default();
    def.method.method = "euler";
    def.method.step = 0.05;
    def.log = on_warning;
    def.user = &h;
    CHECK(flx_run_create(r.system, &def, r.ctx, &run) == FLX_OK);
    CHECK(flx_run_advance(run, 5.0) == FLX_OK);
    const flx_ledger *l = flx_run_ledger(run);
    CHECK(!l->balanced && l->energy_drift > 0.02 && h.warnings == 1);
    flx_run_destroy(&run);
    // without an account the motion is the same
    def.no_ledger = 1;
    int n;
    flx_run *other = NULL;
    CHECK(flx_run_create(r.system, &def, r.ctx, &run) == FLX_OK);
    def.no_ledger = 0;
    CHECK(flx_run_create(r.system, &def, r.ctx, &other) == FLX_OK);
    CHECK(flx_run_advance(run, 1.0) == FLX_OK && flx_run_advance(other, 1.0) == FLX_OK);
    const double *q = flx_run_view(run, FLX_VIEW_Q, &n);
    CHECK(memcmp(q, flx_run_view(other, FLX_VIEW_Q, NULL), (size_t)n * sizeof *q) == 0);
    CHECK(flx_run_ledger(run)->energy_drift == 0.0 && flx_run_ledger(other)->energy_drift > 0.0);
    flx_run_destroy(&run);
    flx_run_destroy(&other);
    put_away(&r);
    return 0;
}

// ---- names and refusals ---------------------------------------------------------------------------

static int names(void)
{
    rig r;
    flx_run *run = NULL;
    flx_port_info info;
    if (set_up("slider_crank", &r)) return 1;
    int i = flx_system_output(r.system, "slider.position.x", r.ctx);
    CHECK(i >= 0 && flx_system_describe(r.system, FLX_PORT_OUTPUT, i, &info));
    CHECK(strcmp(info.name, "slider.position.x") == 0 && strcmp(info.unit, "m") == 0);
    CHECK(flx_system_output(r.system, "slider.positon.x", r.ctx) == -1);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "did you mean 'slider.position.x'?");
    CHECK(flx_system_summary(r.system)->freedoms == 1);
    CHECK(flx_run_create(r.system, NULL, r.ctx, &run) == FLX_OK);
    double at = flx_run_get(run, i);
    CHECK(at > 0.4 && flx_run_get(run, i) == at);
    CHECK(isnan(flx_run_get(run, 1000)) && isnan(flx_run_get(run, -1)));
    CHECK(flx_run_advance(run, -1.0) == FLX_ERR_ARGUMENT);
    CHECK(flx_run_advance(run, (double)NAN) == FLX_ERR_ARGUMENT);
    CHECK(flx_run_step(run, -1.0, NULL) == FLX_ERR_ARGUMENT);
    CHECK(flx_run_advance(run, 0.1) == FLX_OK && flx_run_get(run, i) != at);
    CHECK(flx_run_advance(run, 0.1) == FLX_OK);
    CHECK(flx_run_messages(run) == r.ctx);
    flx_run_destroy(&run);
    flx_run_def bad = flx_run_def_default();
    bad.size = 3;
    CHECK(flx_run_create(r.system, &bad, r.ctx, &run) == FLX_ERR_ARGUMENT && !run);
    bad = flx_run_def_default();
    bad.method.rtol = 1e-9; // of which method?
    CHECK(flx_run_create(r.system, &bad, r.ctx, &run) == FLX_ERR_ARGUMENT && !run);
    flx_system *other = NULL;
    flx_compile_def loose = flx_compile_def_default();
    loose.method.step = 1e-3;
    CHECK(flx_system_compile(r.model, &loose, r.ctx, &other) == FLX_ERR_ARGUMENT && !other);
    bad = flx_run_def_default();
    bad.method.method = "radu";
    CHECK(flx_run_create(r.system, &bad, r.ctx, &run) == FLX_ERR_ARGUMENT && !run);
    put_away(&r);
    return 0;
}

// Pointers of outputs and views stay, and follow the run.
static int pointers_stay(void)
{
    rig r;
    flx_run *run = NULL;
    int n, m;
    if (set_up("two_mass_reduced", &r)) return 1;
    CHECK(flx_run_create(r.system, NULL, r.ctx, &run) == FLX_OK);
    const double *q = flx_run_view(run, FLX_VIEW_Q, &n), *y = flx_run_outputs(run, &m);
    CHECK(q && n > 0 && y && m > 0);
    double first = q[0];
    for (int k = 1; k <= 5; k++) {
        CHECK(flx_run_advance(run, 0.3 * k) == FLX_OK);
        CHECK(flx_run_view(run, FLX_VIEW_Q, NULL) == q && flx_run_outputs(run, NULL) == y);
    }
    CHECK(q[0] != first);
    CHECK(flx_run_reset(run) == FLX_OK && flx_run_view(run, FLX_VIEW_Q, NULL) == q);
    CHECK(q[0] == first);
    flx_run_destroy(&run);
    put_away(&r);
    return 0;
}

// Without `simulate`: the method is chosen, and the end is not known. Asked for by the definition: it is that one.
static int without_a_task(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies: {rod: {type: rigid, mass: 1, inertia: 0.1, com: [0.5, 0]}}\n"
        "joints: {pin: {type: revolute, on: [ground, rod], at: [0, 0]}}\n"
        "outputs: {signals: [pin.angle, energy.total]}\n";
    rig r;
    flx_run *run = NULL;
    flx_system *tree = NULL;
    if (set_up_text(text, &r)) return 1;
    CHECK(flx_run_create(r.system, NULL, r.ctx, &run) == FLX_OK);
    CHECK(flx_run_advance(run, 3.0) == FLX_OK);
    CHECK_NEAR(flx_run_get(run, 1), 0.0, 1e-4);
    CHECK(flx_run_ledger(run)->balanced);
    double angle = flx_run_get(run, 0);
    flx_run_destroy(&run);
    flx_compile_def def = flx_compile_def_default();
    def.formulation = "tree";
    def.method = flx_integrator_def_default();
    def.method.method = "radau";
    def.method.rtol = 1e-9;
    def.method.atol = 1e-11;
    CHECK(flx_system_compile(r.model, &def, r.ctx, &tree) == FLX_OK);
    CHECK(tree->dims.nv == 1 && tree->dims.nlam == 0);
    CHECK(flx_run_create(tree, NULL, r.ctx, &run) == FLX_OK);
    CHECK(flx_run_advance(run, 3.0) == FLX_OK);
    CHECK_NEAR(flx_run_get(run, 0), angle, 1e-3);
    flx_run_destroy(&run);
    flx_system_destroy(&tree);
    def.formulation = "index3";
    CHECK(flx_system_compile(r.model, &def, r.ctx, &tree) == FLX_ERR_ARGUMENT && !tree);
    put_away(&r);
    return 0;
}

// A run that failed says so again, and begins anew after reset.
static int failure_stays(void)
{
    rig r;
    flx_run *run = NULL;
    flx_run_def def = flx_run_def_default();
    if (set_up("pendulum", &r)) return 1;
    def.method = flx_integrator_def_default();
    def.method.method = "dopri5";
    def.method.max_steps = 20;
    CHECK(flx_run_create(r.system, &def, r.ctx, &run) == FLX_OK);
    CHECK(flx_run_advance(run, 5.0) == FLX_TOO_MANY_STEPS);
    CHECK(flx_run_advance(run, 5.0) == FLX_TOO_MANY_STEPS);
    CHECK(flx_run_ledger(run)->status == FLX_TOO_MANY_STEPS);
    CHECK(flx_run_reset(run) == FLX_OK && flx_run_advance(run, 0.1) == FLX_OK);
    flx_run_destroy(&run);
    put_away(&r);
    return 0;
}

// ---- states of one's own --------------------------------------------------------------------------

// Closed as near as can be; what cannot be closed changes nothing.
static int states_are_closed(void)
{
    rig r;
    flx_run *run = NULL;
    flx_start_report report;
    double q[64], v[64];
    int n, nv;
    if (set_up("four_bar", &r)) return 1;
    CHECK(flx_run_create(r.system, NULL, r.ctx, &run) == FLX_OK);
    CHECK(flx_run_advance(run, 0.7) == FLX_OK);
    const double *at = flx_run_view(run, FLX_VIEW_Q, &n);
    const double *speed = flx_run_view(run, FLX_VIEW_V, &nv);
    memcpy(q, at, (size_t)n * sizeof *q);
    memcpy(v, speed, (size_t)nv * sizeof *v);
    CHECK(flx_run_advance(run, 1.1) == FLX_OK);
    double later = at[0];
    // back where it was: nothing is moved
    CHECK(flx_run_set_state(run, q, v, NULL, &report) == FLX_OK);
    CHECK(report.moved_q < 1e-9 && report.moved_v < 1e-9 && flx_run_time(run) == 1.1);
    CHECK(flx_run_advance(run, 1.5) == FLX_OK);
    CHECK_NEAR(at[0], later, 1e-7);
    CHECK(flx_run_ledger(run)->balanced);
    // beside it: it is closed
    q[0] += 0.01;
    CHECK(flx_run_set_state(run, q, v, NULL, &report) == FLX_OK && report.moved_q > 1e-3);
    CHECK(flx_run_advance(run, 1.6) == FLX_OK);
    CHECK(flx_run_ledger(run)->position_residual < 1e-9);
    double here = at[1], t = flx_run_time(run);
    q[0] = (double)NAN;
    CHECK(flx_run_set_state(run, q, NULL, NULL, NULL) == FLX_ERR_ARGUMENT);
    q[0] = 1e9;
    CHECK(flx_run_set_state(run, q, NULL, NULL, NULL) != FLX_OK);
    CHECK(at[1] == here && flx_run_time(run) == t && flx_run_advance(run, 1.7) == FLX_OK);
    flx_run_destroy(&run);
    put_away(&r);
    return 0;
}

// A system that was made by hand has a run as well: no signals, the rest as of any other.
static int systems_by_hand(void)
{
    static const char *const methods[] = {"radau", "dopri5", "generalized-alpha"};
    static unsigned char bytes[100000];
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_system *s = pendulum_create(ctx, 2.0, 1.0, 9.81);
        flx_run *run = NULL, *twin = NULL;
        flx_run_def def = flx_run_def_default();
        def.method = flx_integrator_def_default();
        def.method.method = methods[k];
        def.method.rtol = 1e-9;
        def.method.atol = 1e-11;
        CHECK(s && flx_run_create(s, &def, ctx, &run) == FLX_OK);
        const double q[] = {0.6, -0.8};
        CHECK(flx_run_set_state(run, q, NULL, NULL, NULL) == FLX_OK);
        CHECK(flx_run_advance(run, 0.5) == FLX_OK);
        size_t size = flx_run_save(run, bytes, sizeof bytes);
        CHECK(size <= sizeof bytes && flx_run_advance(run, 1.0) == FLX_OK);
        const double *at = flx_run_view(run, FLX_VIEW_Q, NULL);
        double x = at[0], y = at[1];
        CHECK_NEAR(x * x + y * y, 1.0, 1e-6);
        CHECK(flx_run_clone(run, ctx, &twin) == FLX_OK && flx_run_time(twin) == 1.0);
        CHECK(flx_run_restore(run, bytes, size) == FLX_OK && flx_run_advance(run, 1.0) == FLX_OK);
        CHECK(at[0] == x && at[1] == y && flx_run_view(twin, FLX_VIEW_Q, NULL)[0] == x);
        CHECK(flx_system_output(s, "x", ctx) == -1 && isnan(flx_run_get(run, 0)));
        int n;
        (void)flx_run_outputs(run, &n);
        CHECK(n == 0 && flx_run_ledger(run)->balanced);
        CHECK(flx_run_reset(run) == FLX_OK && at[0] == 0.6);
        flx_run_destroy(&run);
        flx_run_destroy(&twin);
        flx_system_destroy(&s);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

TEST_MAIN(TEST(names), TEST(fixed_steps_in_pieces), TEST(odd_pieces), TEST(adaptive_pieces),
          TEST(size_is_remembered), TEST(events_stop), TEST(progress_interrupts),
          TEST(checks_are_told), TEST(pointers_stay), TEST(without_a_task), TEST(failure_stays),
          TEST(states_are_closed), TEST(systems_by_hand))
