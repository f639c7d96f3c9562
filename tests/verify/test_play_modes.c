// test_play_modes.c - modes as a motion: rows meet the equations with amplitude and phase, loops stay closed, what is refused.
#include "check.h"
#include "flexion/flexion.h"
#include "math/complex_number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FILE_NAME "test_play_modes.h5"

typedef struct played {
    flx_ctx *ctx;
    flx_model *model;
    flx_simulation *sim;
    flx_finding f;
    flx_result *r;
    flx_status status;
} played;

static played play(const char *text)
{
    played p = {.ctx = flx_ctx_create()};
    flx_sink *sink = NULL;
    p.status = flx_model_read_text(p.ctx, "model", text, strlen(text), 0, NULL, &p.model);
    if (p.status == FLX_OK) p.status = flx_simulation_create_to_analyse(p.model, &p.sim);
    if (p.status == FLX_OK) p.status = flx_hdf5_sink_create(p.ctx, FILE_NAME, &sink);
    if (p.status == FLX_OK) p.status = flx_simulation_analyse_to(p.sim, 0, 1, &sink, &p.f);
    flx_sink_destroy(&sink);
    if (p.status == FLX_OK) p.status = flx_result_open(p.ctx, FILE_NAME, &p.r);
    remove(FILE_NAME);
    return p;
}

static void clear(played *p)
{
    flx_result_close(&p->r);
    flx_finding_clear(&p->f);
    flx_simulation_destroy(&p->sim);
    flx_model_destroy(&p->model);
    flx_ctx_clear_messages(p->ctx);
    flx_ctx_destroy(&p->ctx);
}

// Two masses in a row, damped at one end alone: modes with phases. A quarter of a turn between rows 0 and 10 gives both parts,
// which meet (m s^2 + c s + k) u = 0.
static int phases(void)
{
    for (int tree = 0; tree < 2; tree++) {
        char text[1500];
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\nbodies:\n  a: {type: rigid, mass: 2, inertia: 1, "
                 "position: [1, 0]}\n"
                 "  b: {type: rigid, mass: 3, inertia: 1, position: [2, 0]}\njoints:\n"
                 "  ra: {type: prismatic, on: [ground, a], at: a, axis: [1, 0]}\n"
                 "  rb: {type: prismatic, on: [ground, b], at: b, axis: [1, 0]}\nforces:\n"
                 "  sa: {type: force, on: ra, value: -800*ra.displacement - 20*ra.rate + "
                 "500*(rb.displacement - ra.displacement)}\n"
                 "  sb: {type: force, on: rb, value: 500*(ra.displacement - rb.displacement)}\n"
                 "simulate: {until: 1, rtol: 1e-6, formulation: %s}\n"
                 "analyse: {m: {type: modes}}\n",
                 tree ? "tree" : "index-3");
        played p = play(text);
        CHECK(p.status == FLX_OK);
        int n = 0, rows = flx_result_rows(p.r);
        const float *motion = flx_result_motion(p.r, &n);
        CHECK(p.f.modes.nmode == 2 && rows == 81 && n == 14);
        for (int k = 0; k < 2; k++) {
            const flx_mode *m = p.f.modes.modes + k;
            const float *zero = motion + (size_t)(40 * k) * (size_t)n, *quarter = zero + 10 * n;
            double complex s = flx_complex(m->re, m->im);
            double complex u = flx_complex((double)zero[0] - 1, 1 - (double)quarter[0]);
            double complex v = flx_complex((double)zero[7] - 2, 2 - (double)quarter[7]);
            double size = 1300 * (cabs(u) + cabs(v));
            CHECK(cabs((2 * s * s + 20 * s + 1300) * u - 500 * v) < 1e-4 * size);
            CHECK(cabs((3 * s * s + 500) * v - 500 * u) < 1e-4 * size);
            CHECK(fabs(carg(u / v)) > 0.02 && fabs(carg(u / v)) < 3.12); // a phase of its own
            CHECK(fmax(cabs(u), cabs(v)) > 0.05 && fmax(cabs(u), cabs(v)) < 0.5);
            CHECK_NEAR(flx_result_column(p.r, 1)[40 * k + 5], k + 1, 0);
            CHECK_NEAR(flx_result_column(p.r, 2)[40 * k + 5], m->frequency, 1e-12);
        }
        clear(&p);
    }
    return 0;
}

// A four-bar with a spring: rows are closed though the shape is drawn large.
static int loops_stay_closed(void)
{
    played p = play("flexion: 1\ndimension: 2\nbodies:\n"
                    "  a: {type: rigid, mass: 1, inertia: 0.1, position: [0, 1]}\n"
                    "  b: {type: rigid, mass: 1, inertia: 0.1, position: [3, 1.5]}\n"
                    "  c: {type: rigid, mass: 1, inertia: 0.1, position: [1, 2]}\njoints:\n"
                    "  j1: {type: revolute, on: [ground, a], at: [0, 0]}\n"
                    "  j2: {type: revolute, on: [a, c], at: [0, 1]}\n"
                    "  j3: {type: revolute, on: [c, b], at: [3, 1.5]}\n"
                    "  j4: {type: revolute, on: [b, ground], at: [3, 0]}\nforces:\n"
                    "  s: {type: torque, on: j1, value: -100*j1.angle - 3*j1.rate}\nanalyse: {m: "
                    "{type: modes}}\n");
    CHECK(p.status == FLX_OK);
    int n = 0, rows = flx_result_rows(p.r);
    const float *motion = flx_result_motion(p.r, &n);
    double swing = 0;
    CHECK(rows == 41);
    for (int i = 0; i < rows; i++) {
        const float *row = motion + (size_t)i * (size_t)n, *a = row, *b = row + 7;
        CHECK_NEAR(hypot((double)a[0], (double)a[1]), 1, 1e-6);       // round j1
        CHECK_NEAR(hypot((double)b[0] - 3, (double)b[1]), 1.5, 1e-6); // round j4
        CHECK_NEAR(hypot((double)(b[0] - a[0]), (double)(b[1] - a[1])), hypot(3, 0.5), 1e-6);
        swing = fmax(swing, fabs((double)a[0]));
    }
    CHECK(swing > 0.1);
    clear(&p);
    return 0;
}

static int refusals(void)
{
    played p = play("flexion: 1\nequations: {second_order: {x: {mass: 1, force: -x}}}\n"
                    "analyse: {m: {type: modes}}\n");
    CHECK(p.status == FLX_ERR_CANNOT);
    CHECK(strstr(flx_ctx_error(p.ctx, 0)->text, "without bodies") != NULL);
    clear(&p);
    return 0;
}

TEST_MAIN(TEST(phases), TEST(loops_stay_closed), TEST(refusals))
