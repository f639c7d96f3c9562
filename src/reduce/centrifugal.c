// centrifugal.c - static shapes of centrifugal forces, for the stresses inside a body that turns fast: what moves at the interfaces
// is known without them.
//
//     K v = (1 - M R (R^T M R)^-1 R^T) M E X                                                      (RED-18)
// X: places, E: w~ w~ of one axis, or the six symmetric matrices of which those of all axes are made. Where X is counted from
// does not matter, since E of a place is a translation, whose inertia is taken away.
#include "reduce/shapes_parts.h"

#include <math.h>
#include <string.h>

#define MOST_CORRECTIONS 40
#define STANDS 1e-12 // of the energy: it changes no more

static bool turns(const flx_basis *b)
{
    const double *w = b->angular_velocity;
    return w[0] != 0 || w[1] != 0 || w[2] != 0;
}

int flx_centrifugal_count(const flx_shape_search *q)
{
    if (!q->s->at) return 0;
    if (turns(q->b)) return 1;
    if (!(q->b->spin > 0)) return 0;
    return q->s->nrigid == 3 ? 1 : 6; // in the plane about z
}

// E of load k.
static void find_matrix(const flx_shape_search *q, int k, double E[3][3])
{
    static const int places[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    const double *w = q->b->angular_velocity;
    double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    memset(E, 0, 9 * sizeof(double));
    for (int i = 0; i < 3 && turns(q->b); i++) {
        for (int j = 0; j < 3; j++) E[i][j] = w[i] * w[j] - (i == j ? square : 0);
    }
    if (turns(q->b)) return;
    if (q->s->nrigid == 3) {
        E[0][0] = E[1][1] = 1;
        return;
    }
    E[places[k][0]][places[k][1]] = E[places[k][1]][places[k][0]] = 1;
}

static double dot(size_t n, const double *x, const double *y)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

// X = K^+ F by x <- N^-1 (F + sigma M x), till the energies stand still; Y: scratch.
static void solve(const flx_shape_search *q, flx_frontal *factor, double sigma, int count,
                  const double *F, double *X, double *Y)
{
    double before[6] = {0};
    memset(X, 0, (size_t)count * q->n * sizeof *X);
    for (int step = 0; step < MOST_CORRECTIONS; step++) {
        bool stands = true;
        flx_symmetric_multiply(q->s->M, count, X, Y);
        for (size_t i = 0; i < (size_t)count * q->n; i++) X[i] = F[i] + sigma * Y[i];
        flx_frontal_solve(factor, count, X);
        for (int k = 0; k < count; k++) {
            if (q->s->nrigid > 0) flx_shapes_take_mean_away(q, X + (size_t)k * q->n);
            double energy = dot(q->n, F + (size_t)k * q->n, X + (size_t)k * q->n);
            stands = stands && fabs(energy - before[k]) <= STANDS * fabs(energy);
            before[k] = energy;
        }
        if (stands || sigma == 0) return;
    }
}

flx_status flx_centrifugal_add(flx_shape_search *q, flx_frontal *factor, double sigma)
{
    const flx_free_structure *s = q->s;
    int count = flx_centrifugal_count(q);
    size_t all = (size_t)count * q->n;
    double *F = flx_alloc(s->ctx, 2 * all, sizeof *F);
    if (!F) return FLX_ERR_MEMORY;
    double *Y = F + all, E[3][3];
    for (int k = 0; k < count; k++) {
        find_matrix(q, k, E);
        for (size_t i = 0; i < q->n; i++) {
            const double *x = s->at + 3 * i, *row = E[s->component[i] % 3];
            Y[(size_t)k * q->n + i] =
                s->component[i] < 3 ? row[0] * x[0] + row[1] * x[1] + row[2] * x[2] : 0;
        }
    }
    flx_symmetric_multiply(s->M, count, Y, F);
    flx_shapes_relieve(q, count, F);
    flx_status status = flx_frontal_reserve(factor, count);
    if (status == FLX_OK) {
        solve(q, factor, sigma, count, F, q->V + (size_t)q->count * q->n, Y);
        q->count += count;
        status = flx_shapes_scale(q);
    }
    flx_free(F);
    return status;
}
