// test_modes_by_arpack.c - our modes of structures against ARPACK, whose shifted matrix MUMPS factors: frequencies, modes,
// rigid motions, pairs of equal frequencies, unknowns without mass.
#include "structure_rig.h"

#if defined(FLX_ARPACK)

#include <arpack/arpack.h>
#include <float.h>

typedef struct peer_modes {
    int n, count;
    double *lambda; // ascending
    double *X;      // (count, n)
} peer_modes;

static void free_peer(peer_modes *p)
{
    free(p->lambda);
    free(p->X);
}

static void sort_modes(peer_modes *p)
{
    for (int i = 1; i < p->count; i++) {
        for (int k = i; k > 0 && p->lambda[k] < p->lambda[k - 1]; k--) {
            double *a = p->X + (size_t)k * p->n, *b = a - p->n, t = p->lambda[k];
            p->lambda[k] = p->lambda[k - 1];
            p->lambda[k - 1] = t;
            for (int c = 0; c < p->n; c++) {
                t = a[c];
                a[c] = b[c];
                b[c] = t;
            }
        }
    }
}

// The `count` eigenvalues of K x = lambda M x nearest to the shift, which lies below all of them.
static bool solve_by_arpack(const flx_symmetric *K, const flx_symmetric *M, double shift, int count,
                            peer_modes *out)
{
    int n = K->n, ncv = 3 * count < n ? 3 * count : n, lworkl = ncv * (ncv + 8);
    size_t rows = (size_t)n;
    double *resid = calloc(rows, sizeof *resid), *V = calloc(rows * ncv, sizeof *V);
    double *workd = calloc(3 * rows, sizeof *workd), *workl = calloc((size_t)lworkl, sizeof *workl);
    int *select = calloc((size_t)ncv, sizeof *select);
    a_int iparam[11] = {0}, ipntr[14] = {0}, ido = 0, info = 1; // 1: begins with resid
    uint64_t seed = 9;
    mumps *f = mumps_of(K, shift, M);
    bool fine = f;
    iparam[0] = 1, iparam[2] = 1000, iparam[6] = 3;
    // A start in the range of the operator: nothing of what has no mass.
    for (int i = 0; i < n; i++) workd[i] = random_number(&seed);
    flx_symmetric_multiply(M, 1, workd, resid);
    fine = fine && mumps_solve(f, 1, resid);
    while (fine) {
        dsaupd_c(&ido, "G", n, "LM", count, 1e-13, resid, ncv, V, n, iparam, ipntr, workd, workl,
                 lworkl, &info);
        double *x = workd + ipntr[0] - 1, *y = workd + ipntr[1] - 1;
        if (ido == -1) {
            flx_symmetric_multiply(M, 1, x, y);
            fine = mumps_solve(f, 1, y);
        } else if (ido == 1) {
            memcpy(y, workd + ipntr[2] - 1, rows * sizeof *y);
            fine = mumps_solve(f, 1, y);
        } else if (ido == 2) {
            flx_symmetric_multiply(M, 1, x, y);
        } else {
            break;
        }
    }
    fine = fine && info == 0;
    *out = (peer_modes){n, count, calloc((size_t)count, sizeof(double)),
                        calloc(rows * count, sizeof(double))};
    if (fine) {
        dseupd_c(1, "A", select, out->lambda, out->X, n, shift, "G", n, "LM", count, 1e-13, resid,
                 ncv, V, n, iparam, ipntr, workd, workl, lworkl, &info);
        fine = info == 0;
        sort_modes(out);
    }
    mumps_free(&f);
    free(resid), free(V), free(workd), free(workl), free(select);
    return fine;
}

// How much of a mode of ours lies outside the span of theirs, in the norm of M.
static double left_over(const flx_symmetric *M, const double *x, const peer_modes *p)
{
    double *y = calloc((size_t)p->n, sizeof *y), *My = calloc((size_t)p->n, sizeof *My), rest = 0;
    memcpy(y, x, (size_t)p->n * sizeof *y);
    flx_symmetric_multiply(M, 1, y, My);
    for (int k = 0; k < p->count; k++) {
        const double *z = p->X + (size_t)k * p->n;
        double c = 0;
        for (int i = 0; i < p->n; i++) c += z[i] * My[i];
        for (int i = 0; i < p->n; i++) y[i] -= c * z[i];
    }
    flx_symmetric_multiply(M, 1, y, My);
    for (int i = 0; i < p->n; i++) rest += y[i] * My[i];
    free(y);
    free(My);
    return sqrt(fmax(rest, 0));
}

// The rounding of K alone moves an eigenvalue by so much: eps times the largest eigenvalue of the matrices' diagonals.
static double rounding(const flx_symmetric *K, const flx_symmetric *M)
{
    double largest = 0;
    for (int i = 0; i < K->n; i++) {
        double mass = M->value[M->start[i]];
        if (mass > 0) largest = fmax(largest, K->value[K->start[i]] / mass);
    }
    return DBL_EPSILON * largest;
}

enum { COUNT = 12, MORE = 4 }; // more of theirs, so that a pair at the end is not cut in two

static int compare_modes(const structure_case *c, double frequency, double shape)
{
    structure_rig r;
    flx_mode_set *ours = NULL;
    peer_modes theirs = {0};
    CHECK(structure_begin(&r, c));
    const flx_symmetric *K = &r.fe->K, *M = &r.fe->M;
    flx_modes_def def = {.count = COUNT, .group = r.group};
    CHECK(flx_modes_create(r.ctx, K, M, &def, &ours) == FLX_OK);
    CHECK(ours->checked);
    CHECK(ours->rigid == (c->held ? 0 : r.s->dimension == 2 ? 3 : 6));
    double first = ours->lambda[ours->rigid], top = ours->lambda[COUNT - 1];
    CHECK(solve_by_arpack(K, M, -first, COUNT + MORE, &theirs));
    for (int k = 0; k < COUNT; k++) {
        double scale = k < ours->rigid ? first : theirs.lambda[k];
        CHECK_NEAR(ours->lambda[k], theirs.lambda[k], frequency * scale + rounding(K, M));
        CHECK_NEAR(left_over(M, ours->X + (size_t)k * K->n, &theirs), 0, shape);
    }
    CHECK(theirs.lambda[COUNT] > top * (1 - frequency));
    free_peer(&theirs);
    flx_modes_destroy(&ours);
    structure_end(&r);
    return 0;
}

static int modes_are_those_of_arpack(void)
{
    for (int i = 0; i < STRUCTURE_CASES; i++) {
        printf("    %s\n", structure_cases[i].name);
        if (compare_modes(&structure_cases[i], 1e-9, 1e-6)) return 1;
    }
    return 0;
}

TEST_MAIN(TEST(modes_are_those_of_arpack))

#else

static int modes_are_those_of_arpack(void)
{
    SKIP("ARPACK or MUMPS was not found (Debian: libarpack2-dev, libmumps-seq-dev)");
}

TEST_MAIN(TEST(modes_are_those_of_arpack))

#endif
