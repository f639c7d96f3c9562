// linear_course.c - step and impulse responses of a linear model, exact at the times of a table (flexion/linear.h).
//
//     z(t + dt) = Phi z(t) + Gamma u,   exp(dt [A b; 0 0]) = [Phi Gamma; 0 1]                 (STATE-6)
//
// in states of like size, and an input of theirs.
#include "analyse/linear/linear_dense.h"
#include "base/refuse.h"
#include "math/exponential.h"

#include <math.h>
#include <string.h>

typedef struct course {
    flx_arena *arena;
    int n;     // states and one more
    double *E; // (n x n) column-major
    double *z, *next;
    double *d; // (n) units of z
} course;

// The power of two by which the last column is as large as the others.
static double unit_of_input(int n, const double *A)
{
    double most = 0.0, last = 0.0;
    for (int k = 0; k < (n - 1) * n; k++) most = fmax(most, fabs(A[k]));
    for (int k = (n - 1) * n; k < n * n; k++) last = fmax(last, fabs(A[k]));
    return most > 0.0 && last > 0.0 ? exp2(round(log2(most / last))) : 1.0;
}

static flx_status prepare(course *f, flx_ctx *ctx, const flx_linear_model *m, int input,
                          bool impulse, double dt)
{
    int nz = m->n, n = f->n = nz + 1;
    double *A = flx_linear_take(f->arena, n, n), *scratch = flx_linear_take(f->arena, n, 2 * n);
    f->E = flx_linear_take(f->arena, n, n);
    f->z = flx_linear_take(f->arena, n, 1);
    f->next = flx_linear_take(f->arena, n, 1);
    f->d = flx_linear_take(f->arena, n, 1);
    if (!A || !scratch || !f->E || !f->z || !f->next || !f->d) return FLX_ERR_MEMORY;
    flx_linear_turn(nz, nz, m->A, scratch);
    FLX_TRY(flx_dense_balance(ctx, nz, scratch, f->d));
    for (int j = 0; j < nz; j++) memcpy(A + j * n, scratch + j * nz, (size_t)nz * sizeof *A);
    for (int i = 0; i < nz; i++) {
        double b = m->B[i * m->nin + input] / f->d[i];
        if (impulse) {
            f->z[i] = b;
        } else {
            A[nz * n + i] = b;
        }
    }
    f->d[nz] = unit_of_input(n, A);
    for (int i = 0; i < nz; i++) A[nz * n + i] *= f->d[nz];
    f->z[nz] = impulse ? 0.0 : 1.0 / f->d[nz];
    flx_dense_exponential(n, A, dt, f->E, scratch);
    return FLX_OK;
}

flx_status flx_linear_course(flx_ctx *ctx, const flx_linear_model *model, int input, int impulse,
                             int nt, double dt, double *y)
{
    if (!ctx || !model) return flx_refuse_null(ctx, __func__);
    course f = {0};
    int nz = model->n, nout = model->nout;
    if (input < 0 || input >= model->nin || nt < 1 || !(dt > 0.0) || !isfinite(dt)) {
        return FLX_FAIL(
            ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
            "a response needs an input of the model, an interval of time, and a number of times");
    }
    f.arena = flx_arena_create(ctx);
    flx_status status = f.arena ? prepare(&f, ctx, model, input, impulse != 0, dt) : FLX_ERR_MEMORY;
    for (int k = 0; status == FLX_OK && k < nt; k++) {
        for (int i = 0; i < nout; i++) {
            double sum = impulse ? 0.0 : model->D[i * model->nin + input];
            for (int j = 0; j < nz; j++) sum += model->C[i * nz + j] * f.d[j] * f.z[j];
            y[(size_t)k * (size_t)nout + (size_t)i] = sum;
        }
        flx_dense_apply(false, f.n, f.n, f.E, f.z, f.next);
        double *kept = f.z;
        f.z = f.next;
        f.next = kept;
    }
    flx_arena_destroy(&f.arena);
    return status;
}
