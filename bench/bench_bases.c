// bench_bases.c - eight shapes of a cantilever by every basis, beside a published table of ten: relative errors of the response at
// 1 Hz, the largest from 1 to 100 and from 1 to 600 Hz in Frobenius' norm and in the norm of gains, and that of the mean square (H2).
//
//     bench_bases [ROW]     one row, such as "modal"; without it all
//
// 60 elements of Euler and Bernoulli, clamped, 1 m, aluminium, 10 mm by 10 mm, damping 2 M + 2e-6 K; forces and displacements at the
// tip and in the middle, without scales. Rows with `theirs` are compared with the table, others have a mark: one that is off makes the program fail.
#include "math/blas.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "reduce/bases.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ELEMENTS 60
#define N (2 * ELEMENTS) // deflection and slope of each node but the first
#define TIP (N - 2)
#define MIDDLE (N / 2 - 2)
#define MOST 16 // shapes
#define ALPHA 2.0
#define BETA 2e-6
#define NOISE 1e-7 // below, numbers are those of rounding in the stiffness

static flx_ctx *ctx;
static flx_symmetric K, M;
// modes of all unknowns: X (N, N) by columns, squares of their frequencies, what they have of the two ports (2, N)
static double X[N * N], omega2[N], b[2 * N];

// ---- the cantilever -------------------------------------------------------------------------------

static flx_status assemble(void)
{
    const double h = 1.0 / ELEMENTS, c = 7e10 * 1e-8 / 12 / (h * h * h), mu = 2750 * 1e-4 * h / 420;
    const double k[4][4] = {{12 * c, 6 * h * c, -12 * c, 6 * h * c},
                            {6 * h * c, 4 * h * h * c, -6 * h * c, 2 * h * h * c},
                            {-12 * c, -6 * h * c, 12 * c, -6 * h * c},
                            {6 * h * c, 2 * h * h * c, -6 * h * c, 4 * h * h * c}};
    const double m[4][4] = {{156 * mu, 22 * h * mu, 54 * mu, -13 * h * mu},
                            {22 * h * mu, 4 * h * h * mu, 13 * h * mu, -3 * h * h * mu},
                            {54 * mu, 13 * h * mu, 156 * mu, -22 * h * mu},
                            {-13 * h * mu, -3 * h * h * mu, -22 * h * mu, 4 * h * h * mu}};
    int64_t first[ELEMENTS + 1] = {0};
    int list[4 * ELEMENTS];
    for (int e = 0; e < ELEMENTS; e++) {
        first[e + 1] = first[e];
        for (int i = 2 * e - 2; i < 2 * e + 2; i++) {
            if (i >= 0) list[first[e + 1]++] = i;
        }
    }
    FLX_TRY(flx_symmetric_init(ctx, N, ELEMENTS, first, list, &K));
    FLX_TRY(flx_symmetric_init_like(ctx, &K, &M));
    for (int e = 0; e < ELEMENTS; e++) {
        for (int i = 0; i < 16; i++) {
            int row = 2 * e - 2 + i / 4, column = 2 * e - 2 + i % 4;
            if (column < 0 || row < column) continue;
            flx_symmetric_add(&K, row, column, k[i / 4][i % 4]);
            flx_symmetric_add(&M, row, column, m[i / 4][i % 4]);
        }
    }
    return FLX_OK;
}

// M x = K x/omega^2: the low modes are the large eigenvalues, which rounding leaves alone.
static flx_status find_modes(void)
{
    double stiffness[N * N], w[N];
    for (int i = 0; i < N * N; i++) {
        stiffness[i] = flx_symmetric_get(&K, i / N, i % N);
        X[i] = flx_symmetric_get(&M, i / N, i % N);
    }
    FLX_TRY(flx_dense_symmetric_pencil(ctx, N, X, stiffness, w));
    for (int k = 0; k < N; k++) {
        omega2[k] = 1 / w[k];
        for (int i = 0; i < N; i++) X[k * N + i] /= sqrt(w[k]);
        b[2 * k] = X[k * N + TIP];
        b[2 * k + 1] = X[k * N + MIDDLE];
    }
    return FLX_OK;
}

// ---- systems of modes: H = sum of c b^T/(L - w^2 + i w (alpha + beta L)) -----------------------------

typedef struct modal {
    int n;
    double L[N + MOST], b[2 * (N + MOST)], c[2 * (N + MOST)];
} modal;

static double damping(double L)
{
    return ALPHA + BETA * L;
}

static void respond(const modal *s, double hz, double complex H[4])
{
    double w = 2 * FLX_PI * hz;
    memset(H, 0, 4 * sizeof *H);
    for (int k = 0; k < s->n; k++) {
        double complex g = 1 / (s->L[k] - w * w + 1i * w * damping(s->L[k]));
        for (int e = 0; e < 4; e++) H[e] += s->c[2 * k + e / 2] * s->b[2 * k + e % 2] * g;
    }
}

static double frobenius(const double complex H[4])
{
    double sum = 0;
    for (int e = 0; e < 4; e++) sum += creal(H[e] * conj(H[e]));
    return sqrt(sum);
}

static double gain(const double complex H[4])
{
    double sum = frobenius(H), both = cabs(H[0] * H[3] - H[1] * H[2]);
    double square = sum * sum;
    return sqrt((square + sqrt(fmax(square * square - 4 * both * both, 0))) / 2);
}

// Integrals of the impulse responses of two modes: positions, speeds.
static double positions(double L, double l)
{
    double d = damping(L), e = damping(l);
    return (d + e) / ((L - l) * (L - l) + (d + e) * (d * l + e * L));
}

static double speeds(double L, double l)
{
    double d = damping(L), e = damping(l);
    return positions(L, l) * (d * l + e * L) / (d + e);
}

static double mean_square(const modal *s)
{
    double sum = 0;
    for (int i = 0; i < s->n; i++) {
        for (int j = 0; j < s->n; j++) {
            double in = s->b[2 * i] * s->b[2 * j] + s->b[2 * i + 1] * s->b[2 * j + 1];
            double out = s->c[2 * i] * s->c[2 * j] + s->c[2 * i + 1] * s->c[2 * j + 1];
            sum += in * out * positions(s->L[i], s->L[j]);
        }
    }
    return sqrt(fmax(sum, 0));
}

static modal whole(void)
{
    modal s = {.n = N};
    memcpy(s.L, omega2, sizeof omega2);
    memcpy(s.b, b, sizeof b);
    memcpy(s.c, b, sizeof b);
    return s;
}

// The modes of W^T V and W^T K V, of shapes (r, N) in modes of the whole.
static flx_status reduce(int r, const double *V, const double *W, modal *out)
{
    double A[MOST * MOST], S[MOST * MOST], re[MOST], im[MOST], T[MOST * MOST], in[2 * MOST];
    double LV[MOST * N];
    *out = (modal){.n = r};
    for (int i = 0; i < r * N; i++) LV[i] = omega2[i % N] * V[i];
    flx_dense_multiply(true, false, r, r, N, W, V, A);
    flx_dense_multiply(true, false, r, r, N, W, LV, S);
    FLX_TRY(flx_dense_solve(ctx, r, r, A, S)); // (W^T V)^-1 W^T K V
    FLX_TRY(flx_dense_eigenvectors(ctx, r, S, re, im, T));
    for (int k = 0; k < r; k++) {
        if (im[k] != 0 || !(re[k] > 0)) return FLX_SINGULAR; // unstable
        out->L[k] = re[k];
        for (int port = 0; port < 2; port++) {
            for (int i = 0; i < r; i++) {
                for (int j = 0; j < N; j++)
                    out->c[2 * k + port] += b[2 * j + port] * V[i * N + j] * T[k * r + i];
            }
        }
    }
    for (int port = 0; port < 2; port++) {
        for (int i = 0; i < r; i++) {
            in[port * r + i] = 0;
            for (int j = 0; j < N; j++) in[port * r + i] += W[i * N + j] * b[2 * j + port];
        }
    }
    flx_dense_multiply(true, false, r, r, N, W, V, A);
    FLX_TRY(flx_dense_solve(ctx, r, 2, A, in));
    FLX_TRY(flx_dense_solve(ctx, r, 2, T, in));
    for (int k = 0; k < 2 * r; k++) out->b[k] = in[k % 2 * r + k / 2];
    return FLX_OK;
}

// ---- shapes ----------------------------------------------------------------------------------------

typedef enum by { LIBRARY, TWO_SIDED, ONE_SIDED, SNAPSHOTS } by;

typedef struct row {
    const char *name;
    double theirs[5]; // 0: not in the table
    double mark;      // of ours: the largest error to 600 Hz
    by by;
    flx_basis basis;
    int faces[8]; // interfaces; all 0: tip and middle
    int left;     // TWO_SIDED: positions or speeds of the inputs, and of the outputs
    int right;
} row;

static const double two_shifts[] = {0, 500}, at_rest[] = {0};

static const row rows[] = {
    {"modal", {7.33e-05, 7.44e-03, 1.11e-01, 1.32e-01, 6.68e-04}, .basis = {.modes = 8}},
    {"guyan",
     {3.55e-09, 2.37e-02, 2.52e+00, 2.52e+00, 2.48e-02},
     .basis = {.kind = FLX_BASIS_GUYAN},
     .faces = {8, 15, 23, 30, 38, 45, 53, 60}},
    {"craig-bampton",
     {2.62e-09, 1.28e-02, 3.32e-01, 3.32e-01, 7.77e-03},
     .basis = {.kind = FLX_BASIS_CRAIG_BAMPTON, .modes = 6}},
    {"krylov",
     {1.97e-09, 4.73e-08, 5.38e-01, 5.38e-01, 5.31e-03},
     .basis = {.kind = FLX_BASIS_KRYLOV, .blocks = 4, .nshift = 1, .shifts = at_rest}},
    {"krylov-two-shifts",
     {1.97e-09, 3.64e-04, 2.41e-01, 2.41e-01, 8.60e-03},
     .basis = {.kind = FLX_BASIS_KRYLOV, .blocks = 2, .nshift = 2, .shifts = two_shifts}},
    {"two-sided-positions", {1.31e-03, 6.02e-03, 9.43e-02, 1.00e-01, 1.51e-03}, .by = TWO_SIDED},
    {"two-sided-positions-speeds",
     {7.29e-05, 7.40e-03, 1.10e-01, 1.31e-01, 6.68e-04},
     .by = TWO_SIDED,
     .right = 1},
    {"two-sided-speeds",
     {7.26e-05, 7.38e-03, 1.10e-01, 1.31e-01, 6.68e-04},
     .by = TWO_SIDED,
     .left = 1,
     .right = 1},
    {"one-sided-positions", {7.29e-05, 7.40e-03, 1.10e-01, 1.31e-01, 6.68e-04}, .by = ONE_SIDED},
    {"snapshots-of-the-band", {3.08e-07, 2.67e-05, 1.70e-03, 1.85e-03, 3.11e-03}, .by = SNAPSHOTS},
    {"attachment", .basis = {.modes = 6, .attachment = true}},
    {"balanced", .basis = {.kind = FLX_BASIS_BALANCED, .shapes = 8}},
    {"irka", .basis = {.kind = FLX_BASIS_IRKA, .shapes = 8}},
    {"band", .mark = 1.0e-3, .basis = {.kind = FLX_BASIS_BAND, .shapes = 8}},
    {"band-9", .mark = 7.3e-5, .basis = {.kind = FLX_BASIS_BAND, .shapes = 9}},
    {"band-10", .mark = 4.6e-7, .basis = {.kind = FLX_BASIS_BAND, .shapes = 10}},
};

// The shapes of a basis of the library, in modes of the whole: V = X^T M shapes.
static flx_status find_shapes(const row *r, int *count, double *V)
{
    static const double one = 1;
    static const int two[] = {60, 30};
    static const bool nothing_held[8] = {false};
    int unknowns[8], nfaces = r->faces[0] ? 8 : 2;
    flx_interface faces[8];
    flx_basis basis = r->basis;
    flx_shapes shapes;
    for (int i = 0; i < nfaces; i++) {
        unknowns[i] = 2 * (r->faces[0] ? r->faces[i] : two[i]) - 2;
        faces[i] = (flx_interface){.name = i ? "middle" : "tip", .at = {i, 0, 0}, .count = {1}};
        faces[i].unknown[0] = unknowns + i;
        faces[i].weight[0] = &one;
    }
    const flx_free_structure s = {
        .ctx = ctx, .K = &K, .M = &M, .ninterface = nfaces, .interfaces = faces};
    basis.frame = FLX_FRAME_BUCKENS;
    basis.to = 600;
    basis.unscaled = true;
    basis.ncondition = 1;
    basis.conditions = nothing_held;
    basis.damping = (flx_damping){.alpha = ALPHA, .beta = BETA};
    FLX_TRY(flx_shapes_find(&s, &basis, &shapes));
    *count = shapes.count;
    flx_status status = shapes.count <= MOST ? FLX_OK : FLX_ERR_ARGUMENT;
    for (int k = 0; k < *count && status == FLX_OK; k++) {
        double Mv[N];
        flx_symmetric_multiply(&M, 1, shapes.V + (size_t)k * N, Mv);
        flx_dense_apply(true, N, N, X, Mv, V + k * N);
    }
    flx_shapes_clear(&shapes);
    return status;
}

// R with R R^T = P, by columns from the largest.
static flx_status find_root(const double *P, double *R)
{
    double w[N], copy[N * N];
    memcpy(copy, P, sizeof copy);
    FLX_TRY(flx_dense_symmetric_eigen(ctx, N, copy, w));
    for (int k = 0; k < N; k++) {
        for (int i = 0; i < N; i++)
            R[k * N + i] = copy[(N - 1 - k) * N + i] * sqrt(fmax(w[N - 1 - k], 0));
    }
    return FLX_OK;
}

// Gramians of inputs, of positions or of speeds; those of outputs of speeds are those of inputs of positions.
static void find_gramian(bool output, int of_speeds, double *P)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double L = omega2[i], l = omega2[j], d = damping(L), e = damping(l);
            double load = b[2 * i] * b[2 * j] + b[2 * i + 1] * b[2 * j + 1];
            double x = positions(L, l);
            if (!output && of_speeds) x = speeds(L, l);
            if (output && !of_speeds) x *= (d * L + e * l + d * e * (d + e)) / (d + e);
            P[i * N + j] = load * x;
        }
    }
}

// R^T L = U S Y^T: V = R U S^-1/2, W = L Y S^-1/2
static flx_status balance(const row *r, int n, double *V, double *W)
{
    static double P[N * N], R[N * N], L[N * N], A[N * N], U[N * N], Y[N * N], S[N];
    find_gramian(false, r->left, P);
    FLX_TRY(find_root(P, R));
    if (r->by == ONE_SIDED) {
        memcpy(V, R, (size_t)n * N * sizeof *V);
        memcpy(W, R, (size_t)n * N * sizeof *W);
        return FLX_OK;
    }
    find_gramian(true, r->right, P);
    FLX_TRY(find_root(P, L));
    flx_dense_multiply(true, false, N, N, N, R, L, A);
    FLX_TRY(flx_dense_svd(ctx, N, N, A, S, U, Y));
    flx_dense_multiply(false, false, N, n, N, R, U, V);
    flx_dense_multiply(false, false, N, n, N, L, Y, W);
    for (int i = 0; i < n * N; i++) {
        V[i] /= sqrt(S[i / N]);
        W[i] /= sqrt(S[i / N]);
    }
    return FLX_OK;
}

// Points and weights of Gauss' rule on (0, 1): eigenvalues of Jacobi's matrix, squares of the first entries of its vectors (Golub and
// Welsch 1969).
static flx_status find_gauss(int n, double *J, double *x)
{
    memset(J, 0, (size_t)n * (size_t)n * sizeof *J);
    for (int k = 1; k < n; k++) J[k * n + k - 1] = J[(k - 1) * n + k] = k / sqrt(4.0 * k * k - 1);
    FLX_TRY(flx_dense_symmetric_eigen(ctx, n, J, x));
    for (int k = 0; k < n; k++) {
        x[k] = (1 + x[k]) / 2;
        J[k] = J[k * n] * J[k * n]; // behind those that are read
    }
    return FLX_OK;
}

// The leading left singular vectors of responses at 400 points, all weighted alike; Z^T = Q R, those of Z are those of R^T.
static flx_status take_snapshots(int n, double *V)
{
    enum { POINTS = 400 };
    static double Z[N * 4 * POINTS], U[N * N], Y[N * N], weights[POINTS * POINTS], x[POINTS];
    double S[N], tau[N];
    FLX_TRY(find_gauss(POINTS, weights, x));
    for (int p = 0; p < POINTS; p++) {
        double omega = 2 * FLX_PI * 600 * x[p], root = sqrt(weights[p]);
        for (int k = 0; k < N; k++) {
            double complex g = root / (omega2[k] - omega * omega + 1i * omega * damping(omega2[k]));
            for (int e = 0; e < 4; e++)
                Z[(4 * p + e) * N + k] = b[2 * k + e / 2] * (e % 2 ? cimag(g) : creal(g));
        }
    }
    if (LAPACKE_dgeqrf(LAPACK_ROW_MAJOR, 4 * POINTS, N, Z, N, tau) != 0) return FLX_ERR_MEMORY;
    for (int i = 0; i < N * N; i++) {
        if (i % N < i / N) Z[i] = 0;
    }
    FLX_TRY(flx_dense_svd(ctx, N, N, Z, S, U, Y));
    memcpy(V, U, (size_t)n * N * sizeof *V);
    return FLX_OK;
}

// ---- the table -------------------------------------------------------------------------------------

static void measure(const modal *full, const modal *s, double e[5])
{
    modal off = *full;
    memset(e, 0, 5 * sizeof *e);
    for (int k = 0; k < s->n; k++, off.n++) {
        off.L[off.n] = s->L[k];
        for (int port = 0; port < 2; port++) {
            off.b[2 * off.n + port] = s->b[2 * k + port];
            off.c[2 * off.n + port] = -s->c[2 * k + port];
        }
    }
    for (int k = 0; k <= 800; k++) {
        double hz = pow(10, k / 200.0);
        double complex H[4], E[4];
        respond(full, hz, H);
        respond(&off, hz, E);
        double part = frobenius(E) / frobenius(H);
        if (k == 0) e[0] = part;
        if (hz <= 100 * (1 + 1e-9)) e[1] = fmax(e[1], part);
        if (hz > 600) continue;
        e[2] = fmax(e[2], part);
        e[3] = fmax(e[3], gain(E) / gain(H));
    }
    e[4] = mean_square(&off) / mean_square(full);
}

static int print(const row *r, const modal *full)
{
    static double V[MOST * N], W[MOST * N];
    modal s;
    double e[5];
    int n = 8, off = 0;
    flx_status status;
    if (r->by == LIBRARY) {
        status = find_shapes(r, &n, V);
    } else {
        status = r->by == SNAPSHOTS ? take_snapshots(n, V) : balance(r, n, V, W);
    }
    if (r->by == LIBRARY || r->by == SNAPSHOTS) memcpy(W, V, sizeof W);
    if (status == FLX_OK) status = reduce(n, V, W, &s);
    if (status != FLX_OK) {
        const flx_message *m = flx_ctx_error(ctx, 0);
        printf("%-27s %s\n", r->name, m ? m->text : "not stable");
        return 1;
    }
    measure(full, &s, e);
    printf("%-27s %2d", r->name, n);
    for (int k = 0; k < 5; k++) printf(" %8.2e", e[k]);
    if (r->theirs[1] > 0) {
        printf("   ");
        for (int k = 0; k < 5; k++) {
            double theirs = r->theirs[k];
            off += theirs > NOISE ? fabs(e[k] / theirs - 1) > 0.01 : e[k] > NOISE;
            printf(" %8.2e", theirs);
        }
        printf(off ? "  DIFFERS" : "  agrees");
    }
    if (r->mark > 0) {
        off = e[2] > r->mark;
        printf("    mark %.1e  %s", r->mark, off ? "MISSED" : "met");
    }
    printf("\n");
    return off > 0;
}

int main(int argc, char **argv)
{
    int wrong = 0, printed = 0;
    ctx = flx_ctx_create();
    if (!ctx || assemble() != FLX_OK || find_modes() != FLX_OK) return 1;
    const modal full = whole();
    printf("%-27s %2s %8s %8s %8s %8s %8s    the table\n", "basis", "n", "1 Hz", "to 100", "to 600",
           "gain 600", "H2");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (argc > 1 && strcmp(argv[1], rows[i].name) != 0) continue;
        wrong += print(rows + i, &full);
        printed++;
    }
    if (!printed) printf("there is no row '%s'\n", argv[1]);
    flx_symmetric_clear(&K);
    flx_symmetric_clear(&M);
    flx_ctx_destroy(&ctx);
    return wrong > 0 || !printed;
}
