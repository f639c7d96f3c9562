// test_sid_beam.c - the printed beam of Standard Input Data in use, with the stress states of its stiffening added
// or as it is printed: frequencies of rotation, buckling, weight, and the pendulum, against digits that were computed
// independently of this program.
#include "arena.h"
#include "base/common.h"
#include "base/text_file.h"
#include "check.h"
#include "flexion/flexion.h"
#include "kept_run.h"
#include "model/model_data.h"
#include "read/sid/sid_file.h"

#define PRINTED FLX_TESTS "/reference/digest/clamped_beam_joined.SID_FEM"
#define STIFFENED "sid_beam_stiffened.SID_FEM"

static const double turn[2][2] = {{1.1932922348, 0.6856639523}, {0.6856639523, 6.4763644249}};
static const double weight[2][2] = {{1.5708185481, 0.4221422165}, {0.4221422165, 8.6446352479}};
static const double push[2][2] = {{16.9004500815, 26.8314644816}, {26.8314644816, 117.8516855993}};

static double *m1(flx_taylor *t, int row, int mode, int col)
{
    return t->m1 + (mode * t->nrow + row) * t->ncol + col;
}

static int open_block(flx_taylor *t)
{
    t->order = 1;
    t->nq = 2;
    if (t->m1) return 0;
    t->m1 = flx_arena_take(arena, 2 * (size_t)t->nrow * (size_t)t->ncol, sizeof *t->m1);
    CHECK(t->m1);
    return 0;
}

// The printed file with its stress states.
static int write_stiffened(void)
{
    char *text = NULL;
    size_t n = 0;
    flx_sid *s = NULL;
    CHECK(begin() == 0);
    CHECK(flx_file_read(ctx, arena, PRINTED, FLX_NOWHERE, &text, &n) == FLX_OK);
    CHECK(flx_sid_parse(ctx, arena, PRINTED, text, n, &s) == FLX_OK);
    flx_taylor *phi = &s->nodes[1].phi;
    CHECK(open_block(&s->Oe) == 0 && open_block(&s->Ct) == 0 && open_block(phi) == 0);
    for (int k = 0; k < 2; k++) {
        for (int l = 0; l < 2; l++) {
            *m1(&s->Oe, k, l, 0) += turn[k][l];
            *m1(&s->Oe, k, l, 2) += turn[k][l];
            *m1(&s->Ct, k, l, 1) += weight[k][l];
            *m1(phi, 1, l, k) += push[k][l];
        }
    }
    CHECK(flx_sid_format(ctx, arena, s, &text, &n) == FLX_OK);
    FILE *f = fopen(STIFFENED, "w");
    CHECK(f && fwrite(text, 1, n, f) == n && fclose(f) == 0);
    finish();
    return 0;
}

static int remove_stiffened(void)
{
    CHECK(remove(STIFFENED) == 0);
    return 0;
}

// Frequencies of the first two modes, Hz; an unstable one is negative.
static int find_modes(const char *data, const char *rest, double f[2])
{
    char text[1000];
    flx_ctx *c = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    flx_finding found = {0};
    snprintf(text, sizeof text,
             "flexion: 1\nbodies:\n  beam: {type: flexible, data: %s, damping: {ratio: 0}%s", data,
             rest);
    CHECK(flx_model_read_text(c, "model", text, strlen(text), 0, NULL, &m) == FLX_OK);
    CHECK(flx_simulation_create_to_analyse(m, &sim) == FLX_OK);
    CHECK(flx_simulation_analyse(sim, 0, &found) == FLX_OK);
    int count = 0;
    for (int i = 0; i < found.modes.nmode && count < 2; i++) {
        const flx_mode *x = found.modes.modes + i;
        if (x->re > 1e-6) f[count++] = -x->re;
        if (x->im > 0) f[count++] = x->im / (2 * FLX_PI);
    }
    flx_modes_clear(&found.modes);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&c);
    CHECK(count == 2);
    return 0;
}

static int turning(const char *data, const char *keys, double speed, double f[2])
{
    char rest[600];
    snprintf(rest, sizeof rest,
             "%s, angular_velocity: [0, 0, %g]}\n"
             "joints: {hub: {type: revolute, on: [ground, beam], at: beam, axis: [0, 0, 1], "
             "motion: {angle: %g*t}}}\n"
             "simulate: {until: 1}\n"
             "analyse: {lag: {type: modes, about: start}}\n",
             keys, speed, speed);
    return find_modes(data, rest, f);
}

// In the plane of rotation, to 1e-4 Hz: with the stress states, one-sided or not, and without them.
static int rotation_stiffens(void)
{
    static const struct {
        double speed, f[2], without;
    } known[] = {{20, {8.26811, 51.60953}, 7.50265},
                 {40, {8.60094, 53.20040}, 5.08862},
                 {51.2, {8.86238, 54.51993}, 0.14604},
                 {60, {9.09712, 55.75621}, -1}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        double f[2];
        for (int one = 0; one < 2; one++) {
            CHECK(turning(STIFFENED, one ? ", stiffening: one-sided" : "", known[i].speed, f) == 0);
            for (int k = 0; k < 2; k++) CHECK_NEAR(f[k], known[i].f[k], 1e-4);
        }
        CHECK(turning(PRINTED, "", known[i].speed, f) == 0);
        if (known[i].without > 0) CHECK_NEAR(f[0], known[i].without, 1e-4);
        if (known[i].without < 0) CHECK(f[0] < -30 && f[0] > -33); // it runs away
    }
    return 0;
}

static int weight_stiffens(void)
{
    double f[2];
    CHECK(find_modes(STIFFENED,
                     "}\ngravity: [0, -9.81, 0]\n"
                     "joints: {hub: {type: fixed, on: [ground, beam], at: beam}}\n"
                     "simulate: {until: 1}\nanalyse: {rest: {type: modes, about: start}}\n",
                     f) == 0);
    CHECK_NEAR(f[0], 8.173854, 1e-4);
    CHECK_NEAR(f[1], 51.089934, 2e-4); // of printed Ke, 1e-9 off
    return 0;
}

static int compression_buckles(void)
{
    static const char rest[] = "}\njoints: {hub: {type: fixed, on: [ground, beam], at: beam}}\n"
                               "forces: {press: {type: force, on: beam, at: beam.node(2), "
                               "value: [0, %g, 0]}}\nsimulate: {until: 1}\n"
                               "analyse: {rest: {type: modes, about: start}}\n";
    double f[2];
    char text[400];
    snprintf(text, sizeof text, rest, 144.76);
    CHECK(find_modes(STIFFENED, text, f) == 0 && f[0] > 0 && f[0] < 0.1);
    snprintf(text, sizeof text, rest, 144.77);
    CHECK(find_modes(STIFFENED, text, f) == 0 && f[0] < 0);
    return 0;
}

// ---- the pendulum -------------------------------------------------------------------------------

typedef struct swing {
    double psi[2], tip, most; // at 1 s and 5 s; of the tip at 1 s, and the largest of every 0.01 s
    double reaction[2], half[2]; // at the start, and at 0.5 s
} swing;

// As the digits were computed: the inertia of the frame is linear in q, its square acts in the elastic rows.
static int leave_squares_out(const flx_model *m)
{
    flx_elastic *e = (flx_elastic *)m->modals[0].e;
    flx_one_sided *o = e->one_sided;
    if (!o) {
        o = flx_arena_take(m->arena, 1, sizeof *o);
        CHECK(o);
        o->J2 = flx_arena_take(m->arena, 6 * 4, sizeof *o->J2);
        o->S2 = flx_arena_take(m->arena, 3 * 4, sizeof *o->S2);
        o->N1 = flx_arena_take(m->arena, 3 * 4, sizeof *o->N1);
        CHECK(o->J2 && o->S2 && o->N1);
    }
    for (int i = 0; e->J2 && i < 6 * 4; i++) o->J2[i] += e->J2[i];
    e->J2 = NULL;
    e->one_sided = o;
    return 0;
}

static int swing_of(const char *data, const char *keys, const char *how, bool squares, swing *out)
{
    char text[1500];
    flx_ctx *c = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    flx_result *r = NULL;
    snprintf(text, sizeof text,
             "flexion: 1\ngravity: [0, -9.81, 0]\nbodies:\n  beam: {type: flexible, data: %s%s,\n"
             "         orientation: {axis: [0, 0, 1], angle: pi/2}}\n"
             "joints: {pin: {type: revolute, on: [ground, beam], at: beam, axis: [0, 0, 1]}}\n"
             "signals: {tip: \"dot(beam.node(2).deflection, beam.ex)\", psi: pi/2 + pin.angle}\n"
             "simulate: {until: 5, %s}\n"
             "outputs: {every: 0.01, signals: [psi, tip, pin.reaction]}\n",
             data, keys, how);
    CHECK(flx_model_read_text(c, "model", text, strlen(text), 0, NULL, &m) == FLX_OK);
    if (!squares) CHECK(leave_squares_out(m) == 0);
    CHECK(flx_simulation_create(m, &sim) == FLX_OK);
    CHECK(kept_run(c, sim, &r) == FLX_OK);
    const double *psi = flx_result_column(r, 1), *tip = flx_result_column(r, 2);
    *out = (swing){.psi = {psi[100], psi[500]}, .tip = tip[100]};
    for (int i = 0; i < flx_result_rows(r); i++) out->most = fmax(out->most, fabs(tip[i]));
    for (int i = 0; i < 2; i++) {
        out->reaction[i] = flx_result_column(r, 3 + i)[0];
        out->half[i] = flx_result_column(r, 3 + i)[50];
    }
    flx_result_close(&r);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&c);
    return 0;
}

static int pendulum_swings_as_known(void)
{
    static const char ggl[] = "method: radau, formulation: ggl, rtol: 1e-11, atol: 1e-13";
    static const char explicitly[] = "method: dop853, rtol: 1e-11, atol: 1e-13";
    swing x, y;
    CHECK(swing_of(PRINTED, "", ggl, false, &x) == 0);
    CHECK_NEAR(x.psi[0], -1.5621898252, 1e-9);
    CHECK_NEAR(x.psi[1], -1.3665067642, 1e-9);
    CHECK_NEAR(x.tip, -5.82391e-4, 1e-9);
    CHECK_NEAR(x.most, 8.62547e-4, 2e-9);
    CHECK_NEAR(x.reaction[0], 0, 1e-9);
    CHECK_NEAR(x.reaction[1], 0.12774691, 1e-8);
    // the rate of the momentum less the weight; 1.7e-4 and 3.4e-5 N off the digits that are known
    CHECK_NEAR(x.half[0], 0.54443180, 1e-7);
    CHECK_NEAR(x.half[1], 6.69439954, 1e-7);
    CHECK(swing_of(STIFFENED, ", stiffening: one-sided", ggl, false, &x) == 0);
    CHECK_NEAR(x.psi[0], -1.5621898790, 1e-9);
    CHECK_NEAR(x.psi[1], -1.3665080787, 1e-9);
    CHECK_NEAR(x.most, 8.62416e-4, 2e-9);
    // the square of the deflection in the inertia is a matter of 6e-7
    CHECK(swing_of(PRINTED, "", ggl, true, &x) == 0);
    CHECK_NEAR(x.psi[1], -1.3665073834, 1e-9);
    // by accelerations, which know constraints of their own level alone
    CHECK(swing_of(PRINTED, "", explicitly, true, &y) == 0);
    CHECK_NEAR(y.psi[1], x.psi[1], 1e-9);
    for (int i = 0; i < 2; i++) CHECK_NEAR(y.half[i], x.half[i], 1e-7);
    return 0;
}

TEST_MAIN(TEST(write_stiffened), TEST(rotation_stiffens), TEST(weight_stiffens),
          TEST(compression_buckles), SLOW_TEST(pendulum_swings_as_known), TEST(remove_stiffened))
