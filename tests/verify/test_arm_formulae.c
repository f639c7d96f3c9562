// test_arm_formulae.c - the formulae of the control of rigid and of elastic arms, one by one, on the elastic arm of the literature
// (tests/reference/cases/ctl-robot-elastic-two-link; which formula is where: docs/theory/inversion.md).
//
// The arm is written down here once more, by its kinetic energy, with y = (alpha, beta, q1, q2):
//   M y'' + k + (0, D q' + K q) = (u, 0)                                                             (1)
#include "case_table.h"
#include "check.h"
#include "findings.h"
#include "model_text.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum { N = 4, S = 2 }; // coordinates; those of joints, as many as inputs

static const double l1 = 0.5, l2 = 0.7, EI = 7e10 * 0.03 * 0.004 * 0.004 * 0.004 / 12;

typedef double matrix[N][N];

// A mass at x of the fore arm: its velocity is J y'.
static void add_point(matrix M, const double y[N], double x, double mass)
{
    double a = y[0], g = y[0] + y[1], f1 = x / l2 * x / l2, f2 = f1 * x / l2,
           v = f1 * y[2] + f2 * y[3];
    double ng[2] = {-sin(g), cos(g)}, eg[2] = {cos(g), sin(g)}, na[2] = {-sin(a), cos(a)};
    for (int c = 0; c < 2; c++) {
        double J[N] = {l1 * na[c] + x * ng[c] - v * eg[c], x * ng[c] - v * eg[c], f1 * ng[c],
                       f2 * ng[c]};
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) M[i][j] += mass * J[i] * J[j];
        }
    }
}

static void find_mass(const double y[N], matrix M)
{
    // Gauss, exact to the degree 7
    static const double at[4] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                                 0.8611363115940526};
    static const double weight[4] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                     0.3478548451374538};
    const double turn[N] = {1, 1, 2 / l2, 3 / l2};
    memset(M, 0, sizeof(matrix));
    M[0][0] = 1.5 * l1 * l1 / 3 + l1 * l1;
    for (int i = 0; i < S; i++) {
        for (int j = 0; j < S; j++) M[i][j] += 0.005;
    }
    for (int p = 0; p < 4; p++)
        add_point(M, y, 0.5 * l2 * (at[p] + 1), 2700 * 0.03 * 0.004 * 0.5 * l2 * weight[p]);
    add_point(M, y, l2, 0.1);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) M[i][j] += 1e-5 * turn[i] * turn[j];
    }
}

// k = M' y' - (y'^T dM/dy y')/2, with derivatives of M by differences of order 4.
static void find_k(const double y[N], const double v[N], double k[N])
{
    const double h = 1e-3;
    double slope[N][N][N];
    for (int p = 0; p < N; p++) {
        matrix at[4];
        for (int s = 0; s < 4; s++) {
            double z[N];
            memcpy(z, y, sizeof z);
            z[p] += h * (s < 2 ? s - 2 : s - 1);
            find_mass(z, at[s]);
        }
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++)
                slope[p][i][j] =
                    (8 * (at[2][i][j] - at[1][i][j]) - (at[3][i][j] - at[0][i][j])) / (12 * h);
        }
    }
    for (int i = 0; i < N; i++) {
        k[i] = 0;
        for (int j = 0; j < N; j++) {
            for (int p = 0; p < N; p++)
                k[i] += slope[p][i][j] * v[p] * v[j] - 0.5 * slope[i][j][p] * v[j] * v[p];
        }
    }
}

// Forces of bending and of its damping.
static void find_bending(const double q[2], const double rate[2], double out[2])
{
    const double K[2][2] = {{4, 6}, {6, 12}};
    for (int i = 0; i < 2; i++) {
        out[i] = 0;
        for (int j = 0; j < 2; j++)
            out[i] += EI / (l2 * l2 * l2) * K[i][j] * (q[j] + 1e-3 * rate[j]);
    }
}

static void invert(double complex A[2][2], double complex B[2][2])
{
    double complex d = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    B[0][0] = A[1][1] / d;
    B[1][1] = A[0][0] / d;
    B[0][1] = -A[0][1] / d;
    B[1][0] = -A[1][0] / d;
}

// Z = M_ee - M_se^T Gamma, X = (M_se - M_ss Gamma) Z^-1, M~ = M_ss - X M_se^T.
typedef struct normal_form {
    double Z[2][2], X[2][2], M[2][2];
} normal_form;

static normal_form find_form(matrix M, double kappa)
{
    const double G[2][2] = {{0, 0}, {kappa / l2, kappa / l2}};
    normal_form f;
    double left[2][2];
    double complex Z[2][2], inverse[2][2];
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            f.Z[i][j] = M[2 + i][2 + j];
            left[i][j] = M[i][2 + j];
            for (int p = 0; p < 2; p++) {
                f.Z[i][j] -= M[p][2 + i] * G[p][j];
                left[i][j] -= M[i][p] * G[p][j];
            }
            Z[i][j] = f.Z[i][j];
        }
    }
    invert(Z, inverse);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++)
            f.X[i][j] = left[i][0] * creal(inverse[0][j]) + left[i][1] * creal(inverse[1][j]);
    }
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) f.M[i][j] = M[i][j] - f.X[i][0] * M[j][2] - f.X[i][1] * M[j][3];
    }
    return f;
}

// ---- the program -----------------------------------------------------------------------------------------

typedef struct job {
    flx_ctx *ctx;
    flx_model *model;
    flx_simulation *sim;
    flx_finding f;
} job;

// The arm without what drives it, one of its analyses.
static int analyse(job *w, int number, double kappa)
{
    char text[8192], set[40];
    const char *from = model_text("arm_formulae"), *inputs = strstr(from, "inputs:"),
               *bodies = strstr(from, "bodies:"), *sets[] = {set};
    snprintf(set, sizeof set, "kappa=%g", kappa);
    CHECK(inputs && bodies);
    snprintf(text, sizeof text, "%.*sinputs: {u1: 0, u2: 0}\n%s", (int)(inputs - from), from,
             bodies);
    *w = (job){.ctx = flx_ctx_create()};
    CHECK(flx_model_read_text(w->ctx, "arm", text, strlen(text), 1, sets, &w->model) == FLX_OK);
    CHECK(flx_simulation_create_to_analyse(w->model, &w->sim) == FLX_OK);
    flx_status status = flx_simulation_analyse(w->sim, number, &w->f);
    if (status != FLX_OK) printf("  %s\n", flx_ctx_error(w->ctx, 0)->text);
    CHECK(status == FLX_OK);
    return 0;
}

static void close_all(job *w)
{
    flx_finding_clear(&w->f);
    flx_simulation_destroy(&w->sim);
    flx_model_destroy(&w->model);
    flx_ctx_destroy(&w->ctx);
}

static const flx_finding_table *table(const job *w, const char *name)
{
    for (int i = 0; i < w->f.ntable; i++) {
        if (strcmp(w->f.tables[i].name, name) == 0) return w->f.tables + i;
    }
    return NULL;
}

static double at(const case_table *t, const char *name, double time)
{
    double v = nan("");
    if (!case_table_value(t, name, time, &v)) printf("no %s at %g\n", name, time);
    return v;
}

// ---- formulae --------------------------------------------------------------------------------------------

// [E Gamma] M^-1 [E; 0] = M~^-1: what the inputs do to the second rates of the outputs at once.
static int decoupling_matrix(void)
{
    for (int c = 0; c < 3; c++) {
        const double kappa = c == 0 ? 0 : c == 1 ? 0.8 : 1, y[N] = {0, acos(-1.0) / 2, 0, 0};
        matrix M;
        job w;
        find_mass(y, M);
        normal_form f = find_form(M, kappa);
        CHECK(analyse(&w, 2, kappa) == 0);
        const flx_finding_table *D = table(&w, "D");
        CHECK(D && D->nrow == 2 && D->ncolumn == 2);
        for (int i = 0; i < 2; i++) {
            for (int j = 0; j < 2; j++) {
                double one = f.M[i][0] * D->values[j] + f.M[i][1] * D->values[2 + j];
                CHECK_NEAR(one, i == j, 1e-8);
            }
        }
        close_all(&w);
    }
    return 0;
}

// Zeros are the eigenvalues of [[0, E], [-Z^-1 K, -Z^-1 D]]: det(s^2 Z + s D + K) = 0.
static int zero_dynamics(void)
{
    static const double kappas[] = {0, 0.8, 0.9, 1};
    for (size_t c = 0; c < sizeof kappas / sizeof *kappas; c++) {
        const double y[N] = {0, acos(-1.0) / 2, 0, 0}, K[2][2] = {{4, 6}, {6, 12}};
        matrix M;
        job w;
        find_mass(y, M);
        normal_form f = find_form(M, kappas[c]);
        CHECK(analyse(&w, 1, kappas[c]) == 0);
        const flx_finding_table *z = table(&w, "zeros");
        CHECK(z && z->nrow == 4);
        for (int i = 0; i < 4; i++) {
            double complex s = z->values[2 * i] + (double complex)I * z->values[2 * i + 1], P[2][2];
            for (int a = 0; a < 2; a++) {
                for (int b = 0; b < 2; b++)
                    P[a][b] = s * s * f.Z[a][b] + EI / (l2 * l2 * l2) * K[a][b] * (1 + 1e-3 * s);
            }
            double complex d = P[0][0] * P[1][1] - P[0][1] * P[1][0];
            CHECK(cabs(d) < 1e-10 * (cabs(P[0][0] * P[1][1]) + cabs(P[0][1] * P[1][0])));
        }
        close_all(&w);
    }
    return 0;
}

static void read_state(const case_table *t, double time, double y[N], double v[N], double a[N])
{
    static const char *const names[3][N] = {{"shoulder.angle", "beta", "q1", "q2"},
                                            {"shoulder.rate", "elbow.rate", "q1'", "q2'"},
                                            {"shoulder.rate'", "elbow.rate'", "q1''", "q2''"}};
    double *const to[3] = {y, v, a};
    for (int d = 0; d < 3; d++) {
        for (int i = 0; i < N; i++) to[d][i] = at(t, names[d][i], time);
    }
}

// (1) along a run, whatever drives it; u = M~ w'' + k~ with w'' of the motion and k~ = k_s - X (k_e + K q + D q'), and
// Z q'' = -k_e - K q - D q' - M_se^T w'' of the internal dynamics: (4), (6), (7) of the same motion.
static int equations_of_motion(void)
{
    char text[8192];
    case_table t = {0};
    const double kappa = 1;
    snprintf(text, sizeof text, "%s", model_text("arm_formulae"));
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    for (double time = 0.1; time < 1.2; time += 0.1) {
        double y[N], v[N], a[N], k[N], bend[2], u[2] = {at(&t, "u1", time), at(&t, "u2", time)};
        matrix M;
        read_state(&t, time, y, v, a);
        find_mass(y, M);
        find_k(y, v, k);
        find_bending(y + 2, v + 2, bend);
        for (int i = 0; i < N; i++) {
            double sum = k[i] + (i < S ? -u[i] : bend[i - S]);
            for (int j = 0; j < N; j++) sum += M[i][j] * a[j];
            CHECK_NEAR(sum, 0, 1e-8);
        }
        normal_form f = find_form(M, kappa);
        double w[2] = {a[0], a[1] + kappa / l2 * (a[2] + a[3])},
               inner[2] = {k[2] + bend[0], k[3] + bend[1]};
        for (int i = 0; i < S; i++) {
            double force = f.M[i][0] * w[0] + f.M[i][1] * w[1] + k[i] - f.X[i][0] * inner[0] -
                           f.X[i][1] * inner[1];
            CHECK_NEAR(force, u[i], 1e-7); // (4), (6)
            double rest = f.Z[i][0] * a[2] + f.Z[i][1] * a[3] + inner[i] + M[0][2 + i] * w[0] +
                          M[1][2 + i] * w[1];
            CHECK_NEAR(rest, 0, 1e-8); // (7)
        }
        // the run follows what is wanted: second derivatives of the table between its nodes are off by some 1e-3
        CHECK_NEAR(y[0], at(&t, "ad", time), 3e-7);
        CHECK_NEAR(y[1] + kappa / l2 * (y[2] + y[3]), at(&t, "bd", time), 3e-7);
    }
    case_table_clear(&t);
    return 0;
}

// Errors of the tip while it moves and after it, in m: torques of four kinds, without and with feedback of the joints. The
// last is that of the angle in the place of the tip, the square of the deflection over 2 l2.
static int feed_forward_and_feedback(void)
{
    static const struct {
        const char *kind;
        double T, kappa, feedback, moving, after;
    } rows[] = {
        {"rigid", 0.8, 1, 0, 2.02305e-3, 4.98385e-4},
        {"rigid", 0.8, 1, 1, 2.19485e-2, 3.62991e-3},
        {"quasistatic", 0.8, 1, 0, 3.38493e-3, 0},
        {"quasistatic", 0.8, 1, 1, 0.93557e-3, 0},
        {"causal", 0.8, 0, 1, 2.35285e-2, 2.51827e-3},
        {"causal", 0.8, 0.8, 0, 3.50504e-3, 1.46101e-4},
        {"causal", 0.8, 0.8, 1, 3.50504e-3, 1.46101e-4},
        {"bounded", 0.8, 1, 1, 2.08389e-4, 1.31e-8},
        {"rigid", 0.5, 1, 1, 5.26824e-2, 2.68416e-2},
        {"bounded", 0.5, 1, 1, 1.31693e-3, 4.77e-7},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char text[8192];
        case_table t = {0};
        const char *model = model_text("arm_formulae"), *set = strstr(model, "T: 0.8"),
                   *kind = strstr(model, "kind: bounded");
        CHECK(set && kind);
        const char *behind = strstr(set, ", margin");
        snprintf(text, sizeof text, "%.*sT: %g, t0: 0.2, kappa: %g, fb: %g%.*skind: %s%s",
                 (int)(set - model), model, rows[r].T, rows[r].kappa, rows[r].feedback,
                 (int)(kind - behind), behind, rows[r].kind, kind + strlen("kind: bounded"));
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        double moving = 0, after = 0, deflection = 0;
        for (int i = 100; i <= 900; i++) {
            double time = 2e-3 * i, miss = at(&t, "miss", time);
            if (time <= 0.2 + rows[r].T + 1e-9) moving = fmax(moving, miss);
            if (time >= 0.2 + rows[r].T - 1e-9) after = fmax(after, miss);
            deflection = fmax(deflection, fabs(at(&t, "q1", time) + at(&t, "q2", time)));
        }
        CHECK_REL(moving, rows[r].moving, 2e-4);
        if (after > 1e-6 && rows[r].kind[0] == 'c') CHECK_REL(after, rows[r].after, 1e-2);
        if (rows[r].kind[0] == 'b') CHECK_REL(moving, deflection * deflection / (2 * l2), 2e-2);
        if (rows[r].kind[0] == 'b') CHECK(after < 3 * rows[r].after);
        case_table_clear(&t);
    }
    return 0;
}

TEST_MAIN(TEST(decoupling_matrix), TEST(zero_dynamics), TEST(equations_of_motion),
          SLOW_TEST(feed_forward_and_feedback))
