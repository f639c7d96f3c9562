// test_sid_model.c - flexible bodies of our own as Standard Input Data: what is written is what is read back,
// and moves in the same way; blocks that only other programs read are the integrals over the particles.
#include "arena.h"
#include "flexion/flexion.h"
#include "kept_run.h"
#include "model/model_data.h"
#include "random_number.h"
#include "read/sid/sid_file.h"
#include "reduce/elastic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Written and read again.
static flx_elastic *again(const flx_elastic *e, const char *name, flx_sid **sid)
{
    flx_sid *out = NULL;
    flx_elastic *back = NULL;
    char *text = NULL;
    size_t n = 0;
    if (flx_elastic_to_sid(arena, e, name, &out) != FLX_OK) return NULL;
    if (flx_sid_format(ctx, arena, out, &text, &n) != FLX_OK) return NULL;
    if (flx_sid_parse(ctx, arena, name, text, n, sid) != FLX_OK) return NULL;
    return flx_elastic_from_sid(ctx, arena, *sid, FLX_NOWHERE, &back) == FLX_OK ? back : NULL;
}

// Sums over the mass are taken in another order on the way: rounding, as a part of the largest.
static int same(int n, const double *a, const double *b)
{
    double most = 0.0;
    CHECK(!a == !b);
    for (int i = 0; a && i < n; i++) most = fmax(most, fabs(a[i]));
    for (int i = 0; a && i < n; i++) CHECK_NEAR(a[i], b[i], 1e-13 * most);
    return 0;
}

static int same_body(const flx_elastic *a, const flx_elastic *b)
{
    int n = a->n, n2 = n * n;
    CHECK(b && b->n == n && b->nnode == a->nnode && b->stiffened == a->stiffened);
    CHECK(a->m == b->m);
    CHECK(same(3, a->S0, b->S0) + same(3 * n, a->S1, b->S1) + same(3 * n2, a->S2, b->S2) == 0);
    CHECK(same(6, a->J0, b->J0) + same(6 * n, a->J1, b->J1) + same(6 * n2, a->J2, b->J2) == 0);
    CHECK(same(3 * n, a->N0, b->N0) + same(3 * n2, a->N1, b->N1) == 0);
    CHECK(same(n2, a->M, b->M) + same(n2, a->K, b->K) + same(n2, a->D, b->D) == 0);
    CHECK(same(n, a->k0, b->k0) == 0);
    for (int i = 0; i < a->nnode; i++) {
        const flx_elastic_node *x = a->nodes + i, *y = b->nodes + i;
        CHECK(strcmp(x->id, y->id) == 0);
        CHECK(same(3, x->at, y->at) + same(9, x->R, y->R) == 0);
        CHECK(same(3 * n, x->phi, y->phi) + same(3 * n2, x->phi2, y->phi2) == 0);
        CHECK(same(3 * n, x->psi, y->psi) + same(3 * n2, x->psi2, y->psi2) == 0);
    }
    return 0;
}

#define ARM                                                                                        \
    "flexion: 1\n"                                                                                 \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  arm: {type: flexible, %s}\n"                                                                \
    "  bob: {type: rigid, mass: 0.2, inertia: [1e-4, 1e-4, 1e-4], position: [0.8, 0, 0.3]}\n"      \
    "joints:\n"                                                                                    \
    "  hub: {type: revolute, on: [ground, arm], at: arm.node(1), axis: [0, 0, 1]}\n"               \
    "  tip: {type: spherical, on: [arm, bob], at: arm.node(13)}\n"                                 \
    "simulate: {until: 0.2, method: radau, rtol: 1e-9, atol: 1e-11}\n"                             \
    "outputs: {times: [0.2], signals: [arm.node(13).position, bob.position, energy.total]}\n"

#define LINE                                                                                       \
    "fe: {line: [[0, 0, 0], [0.8, 0, 0.3]], elements: 12,\n"                                       \
    "     section: {width: 0.02, height: 0.01}, material: {E: 7e10, density: 2700}},\n"            \
    "     reduce: {type: craig-bampton, interfaces: [start, end], modes: 4}, stiffening: %s,\n"    \
    "     damping: {ratio: 0.02}"

static flx_model *read_arm(const char *body)
{
    flx_model *m = NULL;
    char text[2000];
    snprintf(text, sizeof text, ARM, body);
    flx_status status = flx_model_read_text(ctx, "arm", text, strlen(text), 0, NULL, &m);
    if (status != FLX_OK) printf("%s\n", flx_ctx_error(ctx, 0)->text);
    return m;
}

static flx_model *read_line(const char *stiffening)
{
    char body[1000];
    snprintf(body, sizeof body, LINE, stiffening);
    return read_arm(body);
}

static int what_is_written_is_read_back(void)
{
    for (int stiffened = 0; stiffened < 2; stiffened++) {
        flx_sid *sid = NULL;
        CHECK(begin() == 0);
        flx_model *m = read_line(stiffened ? "true" : "false"), *soft = read_line("false");
        CHECK(m && soft);
        flx_elastic *back = again(m->modals[0].e, "arm", &sid);
        CHECK(same_body(m->modals[0].e, back) == 0);
        // the file tells inertia from stiffening
        const flx_elastic *e = soft->modals[0].e;
        CHECK(flx_elastic_soften(ctx, sid, FLX_NOWHERE, back) == FLX_OK);
        CHECK(same(6 * e->n * e->n, e->J2, back->J2) + same(3 * e->n * e->n, e->N1, back->N1) == 0);
        CHECK(flx_ctx_warning_count(ctx) == 0);
        flx_model_destroy(&m);
        flx_model_destroy(&soft);
        finish();
    }
    return 0;
}

// -2 int X~ Phi_l~, its slope -2 int Phi_k~ Phi_l~, and 2 int Phi_l x Phi_k.
static int gyroscopic_blocks_are_those_of_the_particles(void)
{
    enum { N = 3, PARTICLES = 5 };
    uint64_t seed = 3;
    flx_elastic *e = NULL;
    flx_sid *sid = NULL;
    double Gr[N][9] = {{0}}, Gr1[N][N][9] = {{{0}}}, Ge[N][N][3] = {{{0}}};
    CHECK(begin() == 0);
    CHECK(flx_elastic_create(arena, N, 0, &e) == FLX_OK);
    for (int i = 0; i < PARTICLES; i++) {
        double X[3], phi[3 * N], dm = 2.0 + random_number(&seed);
        for (int k = 0; k < 3; k++) X[k] = random_number(&seed);
        for (int k = 0; k < 3 * N; k++) phi[k] = random_number(&seed);
        flx_elastic_add_mass(e, dm, X, phi, NULL);
        for (int l = 0; l < N; l++) {
            m33 P = m33_skew(v3_load(phi + 3 * l));
            m33 C = m33_mul(m33_skew(v3_load(X)), P);
            for (int j = 0; j < 9; j++) Gr[l][j] -= 2.0 * dm * C.m[j];
            for (int k = 0; k < N; k++) {
                C = m33_mul(m33_skew(v3_load(phi + 3 * k)), P);
                for (int j = 0; j < 9; j++) Gr1[k][l][j] -= 2.0 * dm * C.m[j];
                v3 x = v3_cross(v3_load(phi + 3 * l), v3_load(phi + 3 * k));
                v3_add_to(Ge[k][l], 2.0 * dm, x);
            }
        }
    }
    flx_elastic_trim(e);
    CHECK(flx_elastic_to_sid(arena, e, "", &sid) == FLX_OK);
    for (int l = 0; l < N; l++) {
        for (int j = 0; j < 9; j++) {
            int column = j % 3 * N + l;
            CHECK_NEAR(flx_taylor_m0(&sid->Gr, j / 3, column), Gr[l][j], 1e-13);
            for (int k = 0; k < N; k++) {
                CHECK_NEAR(flx_taylor_m1(&sid->Gr, j / 3, k, column), Gr1[k][l][j], 1e-13);
            }
        }
        for (int k = 0; k < N; k++) {
            for (int i = 0; i < 3; i++) {
                CHECK_NEAR(flx_taylor_m0(&sid->Ge, k, i * N + l), Ge[k][l][i], 1e-13);
            }
        }
    }
    finish();
    return 0;
}

// Writers who count coordinates before components are understood as well, where Ge alone has what Cr leaves out and
// Gr tells inertia from stiffening.
static int both_orders_of_columns_are_read(void)
{
    flx_sid *sid = NULL;
    flx_elastic *known = NULL, *found = NULL;
    CHECK(begin() == 0);
    flx_model *m = read_line("true");
    CHECK(m);
    CHECK(flx_elastic_to_sid(arena, m->modals[0].e, "arm", &sid) == FLX_OK);
    int n = sid->nq;
    sid->Cr.m1 = NULL;
    sid->Cr.order = 0;
    CHECK(flx_elastic_from_sid(ctx, arena, sid, FLX_NOWHERE, &known) == FLX_OK);
    CHECK(flx_elastic_soften(ctx, sid, FLX_NOWHERE, known) == FLX_OK);
    CHECK(known->N1 && known->J2);
    flx_taylor *blocks[2] = {&sid->Gr, &sid->Ge};
    for (int b = 0; b < 2; b++) {
        flx_taylor *t = blocks[b];
        double row[3 * 64];
        CHECK(t->ncol == 3 * n && n <= 64);
        for (int r = 0; r < t->nrow * (t->m1 ? n + 1 : 1); r++) {
            double *at = r < t->nrow ? t->m0 + r * t->ncol : t->m1 + (r - t->nrow) * t->ncol;
            for (int i = 0; i < 3 * n; i++) row[3 * (i % n) + i / n] = at[i];
            memcpy(at, row, (size_t)t->ncol * sizeof *at);
        }
    }
    CHECK(flx_elastic_from_sid(ctx, arena, sid, FLX_NOWHERE, &found) == FLX_OK);
    CHECK(flx_elastic_soften(ctx, sid, FLX_NOWHERE, found) == FLX_OK);
    CHECK(same_body(known, found) == 0);
    flx_model_destroy(&m);
    finish();
    return 0;
}

// Random particles: inertia about all axes.
static flx_elastic *cloud(int n, int particles)
{
    uint64_t seed = 11;
    flx_elastic *e = NULL;
    if (flx_elastic_create(arena, n, 0, &e) != FLX_OK) return NULL;
    for (int i = 0; i < particles; i++) {
        double X[3], phi[3 * 8], dm = 2.0 + random_number(&seed);
        for (int k = 0; k < 3; k++) X[k] = random_number(&seed);
        for (int k = 0; k < 3 * n; k++) phi[k] = random_number(&seed);
        flx_elastic_add_mass(e, dm, X, phi, NULL);
    }
    for (int k = 0; k < n; k++) e->K[k * n + k] = 1.0 + k;
    flx_elastic_trim(e);
    return e;
}

static void swap_rows(double *x, int width)
{
    for (int i = 0; i < width; i++) {
        double old = x[4 * width + i];
        x[4 * width + i] = x[5 * width + i];
        x[5 * width + i] = old;
    }
}

// Writers disagree about the fifth and the sixth of six, and some have J as a matrix. What is said twice tells.
static int other_conventions_are_understood(void)
{
    enum { N = 3 };
    CHECK(begin() == 0);
    for (int J = 0; J < 3; J++) { // as written here; xz before yz; a matrix
        for (int O = 0; O < 2; O++) {
            flx_elastic *e = cloud(N, 7), *back = NULL;
            flx_sid *sid = NULL, *read = NULL;
            char *text = NULL;
            size_t length = 0;
            CHECK(e && flx_elastic_to_sid(arena, e, "cloud", &sid) == FLX_OK);
            double m0[9], m1[9 * N];
            for (int i = 0; J == 2 && i < 9 * (N + 1); i++) {
                static const int place[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
                int l = i / 9 - 1, c = place[i % 9];
                *(l < 0 ? m0 + i : m1 + (i - 9)) = l < 0 ? sid->J.m0[c] : sid->J.m1[6 * l + c];
            }
            if (J == 2) sid->J.nrow = sid->J.ncol = 3, sid->J.m0 = m0, sid->J.m1 = m1;
            if (J == 1) swap_rows(sid->J.m0, 1);
            for (int l = 0; J == 1 && l < N; l++) swap_rows(sid->J.m1 + 6 * l, 1);
            for (int r = 0; O == 1 && r < N * (N + 1); r++) {
                swap_rows(r < N ? sid->Oe.m0 + 6 * r : sid->Oe.m1 + 6 * (r - N), 1);
            }
            // constants without coordinates; what follows from the rest left out
            sid->Me.nq = sid->Ke.nq = sid->De.nq = sid->ksigma.nq = 0;
            sid->De.given = sid->ksigma.given = false;
            CHECK(flx_sid_format(ctx, arena, sid, &text, &length) == FLX_OK);
            CHECK(flx_sid_parse(ctx, arena, "cloud", text, length, &read) == FLX_OK);
            CHECK(flx_elastic_from_sid(ctx, arena, read, FLX_NOWHERE, &back) == FLX_OK);
            CHECK(same_body(e, back) == 0);
            // read and written again it is the same text
            char *second = NULL;
            CHECK(flx_sid_format(ctx, arena, read, &second, &length) == FLX_OK);
            CHECK(strcmp(text, second) == 0);
        }
    }
    finish();
    return 0;
}

// Slopes that mdCM and J leave out stand in Ct and Oe, and without Gr and Ge nothing is missing that Cr does not say.
static int what_is_said_once_is_enough(void)
{
    flx_sid *sid = NULL;
    flx_elastic *back = NULL;
    CHECK(begin() == 0);
    flx_elastic *e = cloud(3, 7);
    CHECK(e && flx_elastic_to_sid(arena, e, "cloud", &sid) == FLX_OK);
    sid->mdCM.m1 = sid->J.m1 = NULL;
    sid->mdCM.order = sid->J.order = 0;
    sid->Gr = sid->Ge = (flx_taylor){0};
    CHECK(flx_elastic_from_sid(ctx, arena, sid, FLX_NOWHERE, &back) == FLX_OK);
    CHECK(same_body(e, back) == 0);
    finish();
    return 0;
}

// Data that are not those of a body are refused, each with its reason.
static int impossible_data_are_refused(void)
{
    enum { N = 3, CASES = 9 };
    static const char *const reasons[CASES] = {
        "'Me' is not symmetric: entry (2, 1)",
        "some motion has no kinetic energy",
        "some motion has no kinetic energy",
        "'Ke' is not that of a body",
        "'De' is not that of a body",
        "larger than the other two together",
        "'Oe' (1, 5) is 100",
        "'Ct' (2, 3) is 100",
        "negative stiffness",
    };
    for (int i = 0; i < CASES; i++) {
        flx_sid *sid = NULL;
        flx_elastic *back = NULL;
        CHECK(begin() == 0);
        flx_elastic *e = cloud(N, 7);
        CHECK(e && flx_elastic_to_sid(arena, e, "cloud", &sid) == FLX_OK);
        if (i == 0) sid->Me.m0[N] += 1.0;
        if (i == 1) sid->mass *= 0.01;
        if (i == 2) sid->Me.m0[1] = sid->Me.m0[N] = 1e3;
        if (i == 3) sid->Ke.m0[1] = sid->Ke.m0[N] = 1e3;
        if (i == 4) sid->De.m0[0] = -1.0;
        if (i == 5) sid->J.m0[1] = 1e3;
        if (i == 6) sid->Oe.m0[4] = 100.0;
        if (i == 7) sid->Ct.m0[5] = 100.0;
        if (i == 8) sid->Ke.m0[0] = -1.0;
        CHECK(flx_elastic_from_sid(ctx, arena, sid, FLX_NOWHERE, &back) == FLX_ERR_MODEL);
        CHECK_TEXT(flx_ctx_error(ctx, 0)->text, reasons[i]);
        finish();
    }
    return 0;
}

// ---- motion -------------------------------------------------------------------------------------

enum { SIGNALS = 7 };

static int run(const flx_model *m, double last[SIGNALS])
{
    flx_simulation *sim = NULL;
    flx_result *r = NULL;
    CHECK(flx_simulation_create(m, &sim) == FLX_OK);
    CHECK(kept_run(ctx, sim, &r) == FLX_OK && flx_result_columns(r) == 1 + SIGNALS);
    for (int i = 0; i < SIGNALS; i++) last[i] = kept_last(r, 1 + i);
    flx_result_close(&r);
    flx_simulation_destroy(&sim);
    return 0;
}

static int a_body_from_its_file_moves_the_same(void)
{
    char path[] = "flexion_sid_XXXXXX", body[200];
    double own[SIGNALS], read[SIGNALS];
    CHECK(begin() == 0);
    int file = mkstemp(path);
    CHECK(file >= 0);
    close(file);
    flx_model *m = read_line("false");
    CHECK(m);
    CHECK(flx_model_write_sid(m, NULL, path) == FLX_OK);
    snprintf(body, sizeof body, "data: %s", path);
    flx_model *n = read_arm(body);
    remove(path);
    CHECK(n);
    CHECK(run(m, own) == 0 && run(n, read) == 0);
    for (int i = 0; i < SIGNALS; i++) CHECK_NEAR(own[i], read[i], 1e-9);
    CHECK(flx_model_write_sid(m, "leg", path) == FLX_ERR_MODEL);
    CHECK(strstr(flx_ctx_error(ctx, 0)->text, "'arm' is one") != NULL);
    flx_model_destroy(&m);
    flx_model_destroy(&n);
    finish();
    return 0;
}

TEST_MAIN(TEST(what_is_written_is_read_back), TEST(gyroscopic_blocks_are_those_of_the_particles),
          TEST(both_orders_of_columns_are_read), TEST(other_conventions_are_understood),
          TEST(what_is_said_once_is_enough), TEST(impossible_data_are_refused),
          TEST(a_body_from_its_file_moves_the_same))
