// cutoff.c - the inertia that makes fast vibrations slower. Of K phi = omega^2 M phi, of J alone and
// with phi^T M phi = 1, every omega above omega_c becomes omega_c when
//     dM = sum ((omega/omega_c)^2 - 1) (M phi) (M phi)^T,   over omega > omega_c          (RED-11)
// is added to M; the shapes stay as they are.
#include "base/common.h"
#include "math/dense.h"
#include "math/pattern.h"
#include "reduced/added_mass.h"

#include <math.h>
#include <string.h>

// The symmetric parts of M and K between the velocities J, at rest and without load.
static flx_status find_pair(const flx_system *s, const flx_state *x, int n, const int *J, double *M,
                            double *K)
{
    flx_arena *arena = flx_arena_create(s->ctx);
    flx_work *work = s->ops->work_create(s);
    flx_state *still = NULL;
    flx_blocks b;
    flx_status status = flx_state_create(s, &still);
    if (status == FLX_OK && (!arena || !work || !flx_pattern_take(&s->pattern, arena, &b))) {
        status = FLX_ERR_MEMORY;
    }
    if (status == FLX_OK) {
        still->t = x->t;
        memcpy(still->q, x->q, (size_t)s->dims.nq * sizeof *still->q);
        memcpy(still->x, x->x, (size_t)s->dims.nx * sizeof *still->x);
        memcpy(still->switches, x->switches, (size_t)s->dims.nswitch * sizeof *still->switches);
        flx_point p = flx_state_point(s, still);
        status = s->ops->linearise(s, work, &p, &b);
    }
    for (int i = 0; i < n && status == FLX_OK; i++) {
        for (int j = 0; j < n; j++) {
            M[i * n + j] = 0.5 * (flx_pattern_value(&s->pattern, b.A2, J[i], J[j]) +
                                  flx_pattern_value(&s->pattern, b.A2, J[j], J[i]));
            K[i * n + j] = 0.5 * (flx_pattern_value(&s->pattern, b.A0, J[i], J[j]) +
                                  flx_pattern_value(&s->pattern, b.A0, J[j], J[i]));
        }
    }
    flx_state_destroy(&still);
    if (work) s->ops->work_destroy(work);
    flx_arena_destroy(&arena);
    return status;
}

// M <- V d^(1/2), and K <- d^(-1/2) V^T K V d^(-1/2), for M = V d V^T; columns are vectors.
static flx_status take_root(const flx_system *s, int n, const int *J, double *M, double *K,
                            double *w, double *T)
{
    FLX_TRY(flx_dense_symmetric_eigen(s->ctx, n, M, w));
    if (!(w[0] > 0.0)) {
        flx_unknown u = {0};
        s->ops->unknown(s, J[0], &u);
        return FLX_FAIL(s->ctx, FLX_ERR_CANNOT, u.loc,
                        "'%s' and what is cut off with it have no frequencies: not all of it has a "
                        "mass; name them in `raise_inertia`",
                        u.item ? u.item : "?");
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            double sum = 0.0; // T = K V d^(-1/2)
            for (int k = 0; k < n; k++) sum += K[i * n + k] * M[j * n + k];
            T[j * n + i] = sum / sqrt(w[j]);
        }
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++) sum += M[i * n + k] * T[j * n + k];
            K[j * n + i] = sum / sqrt(w[i]);
        }
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) M[j * n + i] *= sqrt(w[j]);
    }
    return FLX_OK;
}

static void add_masses(int n, const double *M, const double *Y, const double *w, double limit,
                       double *momentum, double *mass, int *raised)
{
    memset(mass, 0, (size_t)(n * n) * sizeof *mass);
    *raised = 0;
    for (int m = 0; m < n; m++) {
        if (!(w[m] > limit)) continue;
        double factor = w[m] / limit - 1.0;
        ++*raised;
        for (int i = 0; i < n; i++) { // M phi = V d^(1/2) y
            momentum[i] = 0.0;
            for (int k = 0; k < n; k++) momentum[i] += M[k * n + i] * Y[m * n + k];
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) mass[i * n + j] += factor * momentum[i] * momentum[j];
        }
    }
}

flx_status flx_cutoff_find(const flx_system *s, const flx_state *x, int n, const int *J,
                           double frequency, double *mass, int *raised)
{
    const double two_pi = 6.283185307179586476925286766559;
    size_t nn = (size_t)n * (size_t)n;
    *raised = 0;
    if (n == 0) return FLX_OK;
    double *all = flx_alloc(s->ctx, 3 * nn + (size_t)n, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    double *M = all, *K = M + nn, *T = K + nn, *w = T + nn;
    double limit = two_pi * frequency * two_pi * frequency;
    flx_status status = find_pair(s, x, n, J, M, K);
    if (status == FLX_OK) status = take_root(s, n, J, M, K, w, T);
    if (status == FLX_OK) status = flx_dense_symmetric_eigen(s->ctx, n, K, w);
    if (status == FLX_OK) add_masses(n, M, K, w, limit, T, mass, raised);
    flx_free(all);
    return status;
}
