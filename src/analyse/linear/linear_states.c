// linear_states.c - signals in the place of states; see linear_states.h.
#include "analyse/linear/linear_states.h"

#include "analyse/linear/linear_dense.h"
#include "base/number.h"
#include "math/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define DEPENDENT 1e-9 // of singular values of S, rows and columns scaled
#define UNSEEN 1e-8    // of what unseen directions do, as a part of what all of them do
#define AT_ONCE 1e-9

typedef struct change {
    flx_ctx *ctx;
    flx_arena *scratch;
    const flx_linear_signals *by;
    const flx_linear_model *m;
    int n, ns;
    double *unit; // (n) of states
    double *size; // (ns) of signals
    double *P;    // (n x ns) column-major
    double *N;    // (n x (n - ns)) column-major, in units
    double *R;    // (ns x n) column-major: S A + S'
} change;

// ---- what is refused ----------------------------------------------------------------------------------

static flx_status refuse_input(const change *f, int i, int k)
{
    return FLX_FAIL(f->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                    "signal '%s' is no state: it follows the input '%s' at once", f->by->names[i],
                    f->by->inputs[k]);
}

static flx_status check_inputs(const change *f)
{
    int nin = f->m->nin;
    for (int i = 0; i < f->ns; i++) {
        for (int k = 0; k < nin; k++) {
            if (fabs(f->by->by_input[i * nin + k]) > AT_ONCE * f->size[i])
                return refuse_input(f, i, k);
        }
    }
    return FLX_OK;
}

static flx_status refuse_dependent(const change *f, double *A)
{
    int rank = 0, *perm = flx_arena_take(f->scratch, (size_t)f->ns, sizeof *perm);
    if (!perm) return FLX_ERR_MEMORY;
    FLX_TRY(flx_dense_rank(f->ctx, f->n, f->ns, A, DEPENDENT, perm, &rank));
    int last = perm[rank < f->ns ? rank : f->ns - 1];
    return FLX_FAIL(f->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                    "signal '%s' follows from the other %d states: %d signals are named, and %d "
                    "are independent",
                    f->by->names[last], f->ns - 1, f->ns, rank);
}

// The mode that acts most on the signals by what they do not see.
static flx_status name_missing(const change *f, const char *what)
{
    flx_linear_modes modes;
    const flx_linear_model *m = f->m;
    int n = f->n, nn = n - f->ns, most = 0, moves = 0;
    double largest = -1.0, moved = -1.0;
    double *part = flx_linear_take(f->scratch, nn, 2);
    if (!part) return FLX_ERR_MEMORY;
    FLX_TRY(flx_linear_find_modes(f->ctx, m, &modes));
    for (int i = 0; i < n; i++) {
        double sum = 0.0, whole = 0.0;
        const double *re = modes.right_re + i * n, *im = modes.right_im + i * n;
        for (int k = 0; k < nn; k++) {
            double a = 0.0, b = 0.0;
            for (int j = 0; j < n; j++) {
                a += f->N[k * n + j] * re[j] / f->unit[j];
                b += f->N[k * n + j] * im[j] / f->unit[j];
            }
            sum += a * a + b * b;
        }
        for (int j = 0; j < n; j++)
            whole += (re[j] * re[j] + im[j] * im[j]) / (f->unit[j] * f->unit[j]);
        bool neutral =
            hypot(modes.re[i], modes.im[i]) <= UNSEEN * 2.0 * FLX_PI * modes.frequency[n - 1];
        double size = whole > 0.0 ? sum / whole * (neutral ? 1e-3 : 1.0) : 0.0;
        if (size <= largest) continue;
        largest = size;
        most = i;
    }
    for (int j = 0; j < n; j++) {
        double size =
            hypot(modes.right_re[most * n + j], modes.right_im[most * n + j]) / f->unit[j];
        if (size <= moved) continue;
        moved = size;
        moves = j;
    }
    flx_status status =
        FLX_FAIL(f->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                 "%d of %d states are named, and what they leave out acts on %s: the mode with s = "
                 "%.6g%+.6gi 1/s, in which '%s' (%s) moves most, is missing",
                 f->ns, n, what, modes.re[most], modes.im[most], m->states[moves].item,
                 m->states[moves].part);
    flx_linear_modes_clear(&modes);
    return status;
}

// ---- P and N ------------------------------------------------------------------------------------------

static flx_status find_scales(change *f)
{
    int n = f->n;
    const double *S = f->by->S;
    f->unit = flx_linear_take(f->scratch, n, 1);
    f->size = flx_linear_take(f->scratch, f->ns, 1);
    if (!f->unit || !f->size) return FLX_ERR_MEMORY;
    for (int j = 0; j < n; j++) {
        double most = 0.0;
        for (int i = 0; i < f->ns; i++) most = fmax(most, fabs(S[i * n + j]));
        f->unit[j] = most > 0.0 ? 1.0 / most : 1.0;
    }
    for (int i = 0; i < f->ns; i++) {
        for (int j = 0; j < n; j++) f->size[i] = fmax(f->size[i], fabs(S[i * n + j]) * f->unit[j]);
        if (f->size[i] == 0.0) f->size[i] = 1.0;
    }
    return FLX_OK;
}

// S in scales = U diag(w) V^T: P = V1 diag(1/w) U^T, N = V2.
static flx_status find_parts(change *f)
{
    int n = f->n, ns = f->ns, rank = 0;
    double *A = flx_linear_take(f->scratch, ns, n), *T = flx_linear_take(f->scratch, n, ns);
    double *w = flx_linear_take(f->scratch, ns + n, 1), *U = flx_linear_take(f->scratch, ns, ns);
    double *V = flx_linear_take(f->scratch, n, n);
    f->P = flx_linear_take(f->scratch, n, ns);
    if (!A || !T || !w || !U || !V || !f->P) return FLX_ERR_MEMORY;
    for (int i = 0; i < ns; i++) {
        for (int j = 0; j < n; j++)
            A[j * ns + i] = T[i * n + j] = f->by->S[i * n + j] * f->unit[j] / f->size[i];
    }
    FLX_TRY(flx_dense_svd(f->ctx, ns, n, A, w, U, V));
    while (rank < ns && rank < n && w[rank] > DEPENDENT * fmax(w[0], DBL_MIN)) rank++;
    if (rank < ns) return refuse_dependent(f, T);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < ns; j++) {
            double sum = 0.0;
            for (int k = 0; k < ns; k++) sum += V[k * n + i] * U[k * ns + j] / w[k];
            f->P[j * n + i] = sum * f->unit[i] / f->size[j];
        }
    }
    f->N = V + (size_t)ns * (size_t)n;
    return FLX_OK;
}

// Rows R (rows x n, column-major) along N, against what they are along all directions.
static bool acts(const change *f, int rows, const double *R, int i)
{
    int n = f->n;
    double whole = 0.0;
    for (int j = 0; j < n; j++) whole = fmax(whole, fabs(R[j * rows + i]) * f->unit[j]);
    for (int k = 0; k < n - f->ns; k++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) sum += R[j * rows + i] * f->N[k * n + j] * f->unit[j];
        if (fabs(sum) > UNSEEN * whole) return true;
    }
    return false;
}

static flx_status check_unseen(change *f)
{
    char what[160];
    int n = f->n, ns = f->ns, nout = f->m->nout;
    double *S = flx_linear_take(f->scratch, ns, n), *A = flx_linear_take(f->scratch, n, n);
    double *C = flx_linear_take(f->scratch, nout, n);
    f->R = flx_linear_take(f->scratch, ns, n);
    if (!S || !A || !C || !f->R) return FLX_ERR_MEMORY;
    flx_linear_turn(ns, n, f->by->S, S);
    flx_linear_turn(n, n, f->m->A, A);
    flx_linear_turn(nout, n, f->m->C, C);
    flx_dense_multiply(false, false, ns, n, n, S, A, f->R);
    for (int i = 0; f->by->S_rate && i < ns; i++) {
        for (int j = 0; j < n; j++) f->R[j * ns + i] += f->by->S_rate[i * n + j];
    }
    for (int i = 0; i < ns; i++) {
        if (!acts(f, ns, f->R, i)) continue;
        flx_snprintf(what, sizeof what, "the state '%s'", f->by->names[i]);
        return name_missing(f, what);
    }
    for (int i = 0; i < nout; i++) {
        if (!acts(f, nout, C, i)) continue;
        flx_snprintf(what, sizeof what, "the output '%s'", f->by->outputs[i]);
        return name_missing(f, what);
    }
    return FLX_OK;
}

// ---- the model ------------------------------------------------------------------------------------------

// to (m x k, by rows) = R (m x n, column-major) P (n x k, column-major).
static void multiply(int m, int n, int k, const double *R, const double *P, double *to)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < k; j++) {
            double sum = 0.0;
            for (int r = 0; r < n; r++) sum += R[r * m + i] * P[j * n + r];
            to[i * k + j] = sum;
        }
    }
}

static flx_status put(const change *f, flx_arena *arena, flx_linear_model *model)
{
    int n = f->n, ns = f->ns, nin = model->nin, nout = model->nout;
    double *A = flx_linear_take(arena, ns, ns), *B = flx_linear_take(arena, ns, nin);
    double *C = flx_linear_take(arena, nout, ns), *rate = flx_linear_take(arena, ns, 1);
    double *turned = flx_linear_take(f->scratch, nout, n);
    flx_state_info *states = flx_arena_take(arena, (size_t)ns, sizeof *states);
    if (!A || !B || !C || !rate || !turned || !states) return FLX_ERR_MEMORY;
    multiply(ns, n, ns, f->R, f->P, A);
    flx_linear_turn(nout, n, model->C, turned);
    multiply(nout, n, ns, turned, f->P, C);
    for (int i = 0; i < ns; i++) {
        for (int r = 0; r < n; r++) {
            double s = f->by->S[i * n + r];
            rate[i] += s * model->rate[r];
            for (int k = 0; k < nin; k++) B[i * nin + k] += s * model->B[r * nin + k];
        }
        states[i] = (flx_state_info){FLX_STATE_SIGNAL, f->by->numbers[i], f->by->names[i], ""};
    }
    model->n = ns;
    model->A = A;
    model->B = B;
    model->C = C;
    model->rate = rate;
    model->states = states;
    return FLX_OK;
}

flx_status flx_linear_take_signals(flx_ctx *ctx, flx_arena *arena, const flx_linear_signals *by,
                                   flx_linear_model *model)
{
    change f = {.ctx = ctx, .by = by, .m = model, .n = model->n, .ns = by->n};
    f.scratch = flx_arena_create(ctx);
    flx_status status = f.scratch ? find_scales(&f) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = check_inputs(&f);
    if (status == FLX_OK) status = find_parts(&f);
    if (status == FLX_OK) status = check_unseen(&f);
    if (status == FLX_OK) status = put(&f, arena, model);
    flx_arena_destroy(&f.scratch);
    return status;
}
