// test_inflated.c - loads on solids as whole models: a sphere of rubber under pressure inside, against its ordinary
// differential equation, and the order in the number of elements; a tube after Lame; what a fluid does to a
// closed surface; tractions and loads on the volume.
#include "base/common.h"
#include "check.h"
#include "findings.h"
#include "solid_mesh.h"

// ---- meshes that are curved ---------------------------------------------------------------------

// Where a place of a lattice is: i, j over a side or around, k through the thickness, 0 to 1 each.
typedef void (*map)(int patch, const double at[3], double x[3]);

static void on_sphere(int patch, const double at[3], double x[3])
{
    int c = patch / 2;
    double sign = patch % 2 ? -1.0 : 1.0, r = 1.0 + at[2];
    double d[3];
    d[c] = sign;
    d[(c + 1) % 3] = tan((2 * at[0] - 1) * FLX_PI / 4);
    d[(c + 2) % 3] = sign * tan((2 * at[1] - 1) * FLX_PI / 4);
    double size = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int i = 0; i < 3; i++) x[i] = r * d[i] / size;
}

static void on_tube(int patch, const double at[3], double x[3])
{
    double r = 1.0 + at[2], a = 2 * FLX_PI * at[0];
    (void)patch;
    x[0] = r * cos(a), x[1] = r * sin(a), x[2] = at[1];
}

static int node_at(flx_structure *s, const double x[3])
{
    for (int i = 0; i < s->nnode; i++) {
        const double *o = s->x + 3 * i;
        if (fabs(o[0] - x[0]) + fabs(o[1] - x[1]) + fabs(o[2] - x[2]) < 1e-9) return i;
    }
    flx_structure_add_node(s, s->nnode + 1, 0, x);
    return s->nnode - 1;
}

// n[3] quadratic hexahedra in each patch.
static flx_structure *make_mesh(flx_ctx *ctx, int patches, const int n[3], map place)
{
    static const int lattice[20][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2},
                                       {2, 0, 2}, {2, 2, 2}, {0, 2, 2}, {1, 0, 0}, {2, 1, 0},
                                       {1, 2, 0}, {0, 1, 0}, {1, 0, 2}, {2, 1, 2}, {1, 2, 2},
                                       {0, 1, 2}, {0, 0, 1}, {2, 0, 1}, {2, 2, 1}, {0, 2, 1}};
    flx_structure *s = flx_structure_create(ctx, NULL);
    for (int e = 0; e < patches * n[0] * n[1] * n[2]; e++) {
        const int at[3] = {e % n[0], e / n[0] % n[1], e / (n[0] * n[1]) % n[2]};
        int nodes[20];
        for (int a = 0; a < 20; a++) {
            double part[3], x[3];
            for (int c = 0; c < 3; c++) part[c] = (at[c] + 0.5 * lattice[a][c]) / n[c];
            place(e / (n[0] * n[1] * n[2]), part, x);
            nodes[a] = node_at(s, x);
        }
        flx_element o = {.cell = FLX_CELL_HEX20, .family = FLX_FAMILY_SOLID, .label = e + 1};
        flx_structure_add_element(s, &o, nodes);
    }
    return s;
}

static bool inside_sphere(const double x[3])
{
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < 1.0 + 1e-9;
}

// Places on both.
static const double corner[3] = {0.57735026918962576, 0.57735026918962576, 0.57735026918962576};
static const double side[3] = {1, 0, 0};

static bool inside_tube(const double x[3])
{
    return x[0] * x[0] + x[1] * x[1] < 1.0 + 1e-9;
}

// The mesh as a file, with the numbers of the nodes at x and -x.
static int write_mesh(const char *path, int patches, const int n[3], map place,
                      bool (*inner)(const double x[3]), const double x[3], int across[2])
{
    flx_ctx *ctx = flx_ctx_create();
    flx_structure *s = make_mesh(ctx, patches, n, place);
    FILE *f = solid_mesh_open(path, s);
    CHECK(f != NULL);
    solid_mesh_set(f, s, "INNER", inner);
    fclose(f);
    int count = s->nnode;
    across[0] = node_at(s, x) + 1;
    across[1] = node_at(s, (double[3]){-x[0], -x[1], -x[2]}) + 1;
    CHECK(s->nnode == count);
    flx_structure_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

// ---- a sphere of rubber -------------------------------------------------------------------------

#define MU 1.0
#define LAMBDA 4.0

// Nominal stresses along the radius and around it.
static void stresses(double lr, double lt, double P[2])
{
    double log_J = log(lr * lt * lt);
    P[0] = MU * (lr - 1 / lr) + LAMBDA * log_J / lr;
    P[1] = MU * (lt - 1 / lt) + LAMBDA * log_J / lt;
}

// The stretch along the radius that has the stress P.
static double stretch_of(double P, double lt)
{
    double l = 1.0 / (lt * lt);
    for (int k = 0; k < 60; k++) {
        double own[2], slope;
        stresses(l, lt, own);
        slope = MU * (1 + 1 / (l * l)) + LAMBDA * (1 - log(l * lt * lt)) / (l * l);
        double step = (P - own[0]) / slope;
        l = fmax(l + step, 0.2 * l);
        if (fabs(step) < 1e-15) break;
    }
    return l;
}

static void rates(double R, const double y[2], double out[2])
{
    double P[2], lt = y[0] / R, lr = stretch_of(y[1], lt);
    stresses(lr, lt, P);
    out[0] = lr;
    out[1] = 2 * (P[1] - P[0]) / R;
}

// The stress at the outer radius 2, from an inner radius a of 1 under the pressure p.
static double shoot(double a, double p)
{
    const int n = 400;
    double y[2] = {a, -p * a * a}, h = 1.0 / n;
    for (int i = 0; i < n; i++) {
        double R = 1 + i * h, k[4][2], x[2];
        rates(R, y, k[0]);
        for (int s = 1; s < 4; s++) {
            double part = s == 3 ? h : h / 2;
            for (int c = 0; c < 2; c++) x[c] = y[c] + part * k[s - 1][c];
            rates(R + part, x, k[s]);
        }
        for (int c = 0; c < 2; c++) {
            y[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
        }
    }
    return y[1];
}

static double inner_radius(double p)
{
    double low = 1.0, high = 1.8;
    for (int k = 0; k < 60; k++) {
        double a = 0.5 * (low + high);
        *(shoot(a, p) < 0 ? &low : &high) = a;
    }
    return 0.5 * (low + high);
}

static int inflate(int n, double p, double *radius)
{
    const int cells[3] = {n, n, n};
    const double E = MU * (3 * LAMBDA + 2 * MU) / (LAMBDA + MU), nu = LAMBDA / (2 * (LAMBDA + MU));
    char text[1000];
    int across[2];
    CHECK(write_mesh("sphere.inp", 6, cells, on_sphere, inside_sphere, corner, across) == 0);
    snprintf(text, sizeof text,
             "flexion: 1\nbodies:\n  ball: {type: solid, mesh: sphere.inp, law: neo-hookean,"
             " material: {E: %.17g, nu: %.17g, density: 1}}\n"
             "forces: {gas: {type: pressure, on: ball, surface: INNER, value: %g}}\n"
             "analyse: {blow: {type: static, steps: 4}}\n"
             "signals: {a: \"0.5*distance(ball.node(%d), ball.node(%d))\"}\n"
             "outputs: {signals: [a, gas.resultant, gas.moment]}\n",
             E, nu, p, across[0], across[1]);
    findings w = findings_of(text);
    CHECK(w.status == FLX_OK);
    *radius = w.f.signals[0];
    for (int i = 1; i <= 6; i++) CHECK_NEAR(w.f.signals[i], 0.0, 1e-11); // closed, however deformed
    findings_clear(&w);
    return 0;
}

// The inner surface grows by nearly a third.
static int rubber_is_inflated(void)
{
    const double p = 0.6, exact = inner_radius(p);
    double error[2];
    CHECK(exact > 1.25 && exact < 1.45);
    for (int k = 0; k < 2; k++) {
        double radius;
        CHECK(inflate(k + 1, p, &radius) == 0);
        error[k] = fabs(radius - exact);
        printf("  %d cells a side: %.6f, exact %.6f\n", k + 1, radius, exact);
    }
    CHECK(error[1] < 0.02 * (exact - 1));
    CHECK(log2(error[0] / error[1]) > 3.0);
    return 0;
}

// ---- small strains ------------------------------------------------------------------------------

// Free ends: u = p a^2/(E (b^2 - a^2)) ((1 - nu) r + (1 + nu) b^2/r), exact in three dimensions.
static int tubes_are_those_of_lame(void)
{
    const double p = 1e-4, E = 1.0, nu = 0.3, exact = p / (3 * E) * ((1 - nu) + (1 + nu) * 4);
    double error[2];
    for (int k = 0; k < 2; k++) {
        const int cells[3] = {6 << k, 1, 1 << k};
        char text[1000];
        int across[2];
        CHECK(write_mesh("tube.inp", 1, cells, on_tube, inside_tube, side, across) == 0);
        snprintf(text, sizeof text,
                 "flexion: 1\nbodies:\n  tube: {type: solid, mesh: tube.inp,"
                 " material: {E: 1, nu: 0.3, density: 1}}\n"
                 "forces: {gas: {type: pressure, on: tube, surface: INNER, value: %g}}\n"
                 "analyse: {blow: {type: static, steps: 1}}\n"
                 "signals: {u: \"0.5*distance(tube.node(%d), tube.node(%d)) - 1\"}\n"
                 "outputs: {signals: [u]}\n",
                 p, across[0], across[1]);
        findings w = findings_of(text);
        CHECK(w.status == FLX_OK);
        error[k] = fabs(w.f.signals[0] / exact - 1);
        findings_clear(&w);
    }
    CHECK(error[1] < 3e-3);
    CHECK(log2(error[0] / error[1]) > 2.5);
    return 0;
}

#define BAR(keys)                                                                                  \
    "flexion: 1\nbodies:\n  bar: {type: solid, mesh: " FLX_EXAMPLES "/rubber_bar.inp,"             \
    " material: {E: %g, nu: 0.0, density: 1000}" keys "}\n"

// A fluid lifts by the weight of the volume, and turns about the middle of that.
static int fluids_lift(void)
{
    char text[1000];
    snprintf(text, sizeof text,
             BAR(", fixed: ROOT") "forces: {water: {type: pressure, on: bar, value: 7,\n"
                                  "  gradient: [0, 0, -9810], at: [0, 0, 2]}}\n"
                                  "analyse: {rest: {type: static, steps: 1}}\n"
                                  "outputs: {signals: [water.resultant, water.moment]}\n",
             1e13);
    findings w = findings_of(text);
    CHECK(w.status == FLX_OK);
    const double lift = 9810 * 0.01; // 1 m of 0.1 m by 0.1 m
    const double expected[6] = {0, 0, lift, 0.05 * lift, -0.5 * lift, 0};
    for (int i = 0; i < 6; i++) CHECK_NEAR(w.f.signals[i], expected[i], 1e-6);
    findings_clear(&w);
    return 0;
}

static int tractions_stretch(void)
{
    char text[1000];
    snprintf(text, sizeof text,
             BAR(", fixed: ROOT") "forces: {pull: {type: traction, on: bar, surface: TIP,\n"
                                  "  value: [1, 0, 0]}}\n"
                                  "analyse: {rest: {type: static, steps: 1}}\n"
                                  "outputs: {signals: [bar.node(117).position, pull.resultant,\n"
                                  "  pull.moment]}\n",
             1e6);
    findings w = findings_of(text);
    CHECK(w.status == FLX_OK);
    // St. Venant and Kirchhoff: P = E (l^3 - l)/2 of the stretch l
    const double l = 1 + 1e-6 - 1.5e-12;
    CHECK_NEAR(w.f.signals[0], l, 1e-12);
    CHECK_REL(w.f.signals[3], 0.01, 1e-12);
    CHECK_NEAR(w.f.signals[7], 0.05 * 0.01, 1e-12);
    findings_clear(&w);
    return 0;
}

static int loads_on_the_volume_are_weights(void)
{
    double at[2][3];
    for (int k = 0; k < 2; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 BAR(", fixed: ROOT") "%s\nanalyse: {rest: {type: static, steps: 3}}\n"
                                      "outputs: {signals: [bar.node(117).position]}\n",
                 1e6,
                 k ? "forces: {f: {type: distributed, on: bar, value: [0, 500, -2000]}}"
                   : "gravity: [0, 0.5, -2]");
        findings w = findings_of(text);
        CHECK(w.status == FLX_OK);
        memcpy(at[k], w.f.signals, sizeof at[k]);
        findings_clear(&w);
    }
    CHECK(at[0][2] < -0.05);
    for (int i = 0; i < 3; i++) CHECK_NEAR(at[0][i], at[1][i], 1e-12);
    return 0;
}

// A bubble of gas in the sphere swings; what the pressure does is what the energy becomes.
static int the_ledger_counts_pressure(void)
{
    const int cells[3] = {1, 1, 1};
    int across[2];
    CHECK(write_mesh("bubble.inp", 6, cells, on_sphere, inside_sphere, corner, across) == 0);
    findings w = {.ctx = flx_ctx_create()};
    const char *text = "flexion: 1\nbodies:\n  ball: {type: solid, mesh: bubble.inp, "
                       "law: neo-hookean, material: {E: 2.8, nu: 0.4, density: 1}}\n"
                       "forces: {gas: {type: pressure, on: ball, surface: INNER, value: 0.3}}\n"
                       "simulate: {until: 0.4, method: radau, rtol: 1e-6, atol: 1e-8}\n"
                       "outputs: {every: 0.2, signals: [energy, gas.power]}\n";
    CHECK(flx_model_read_text(w.ctx, "model", text, strlen(text), 0, NULL, &w.model) == FLX_OK);
    CHECK(flx_simulation_create(w.model, &w.sim) == FLX_OK);
    CHECK(flx_simulation_run(w.sim, 0, NULL, NULL, NULL) == FLX_OK);
    const flx_ledger *l = flx_simulation_ledger(w.sim);
    CHECK(l->energy_drift < 1e-6);
    for (int i = 0; i < 6; i++) CHECK_NEAR(l->momentum_change[i], 0.0, 1e-10);
    findings_clear(&w);
    return 0;
}

TEST_MAIN(SLOW_TEST(rubber_is_inflated), TEST(tubes_are_those_of_lame), TEST(fluids_lift),
          TEST(tractions_stretch), TEST(loads_on_the_volume_are_weights),
          TEST(the_ledger_counts_pressure))
