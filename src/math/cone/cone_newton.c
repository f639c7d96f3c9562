// cone_newton.c - proximal semismooth Newton on the natural map.
//
//     F = lambda - P(lambda - r u),  (I - D + r D R) dlambda + r D J dv = -F,  M dv = J^T dlambda       (CONE-4)
//
// with D the derivative of P. Eliminating dlambda group by group leaves M + J^T H J, H = (I - D + r D R)^-1 r D. R belongs to
// R (lambda - lambda_k) with lambda_k the iterate itself: it bounds the step along redundant rows and vanishes with it.
#include "math/cone/cone_parts.h"

#include <math.h>
#include <string.h>

#define LONGER 100  // iterations where they lead on, if slowly
#define NEAR 1e-4   // residual from which on they may
#define HALVINGS 12 // of a step
#define STILL 4     // iterations that do not lead on where what is left is enough
#define MEMORY 4    // residuals of which the largest may be met again: kinks are crossed uphill

// X = E^-1 B, B with nb columns (rows of 3); E is block lower triangular with positive eigenvalues, 1 - d + R d
static void solve_group(int n, const double *E, double *B, int nb)
{
    double L[9];
    memcpy(L, E, sizeof L);
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++) {
            if (fabs(L[3 * i + k]) > fabs(L[3 * p + k])) p = i;
        }
        for (int j = 0; j < n && p != k; j++) {
            double t = L[3 * k + j];
            L[3 * k + j] = L[3 * p + j];
            L[3 * p + j] = t;
        }
        for (int j = 0; j < nb && p != k; j++) {
            double t = B[3 * k + j];
            B[3 * k + j] = B[3 * p + j];
            B[3 * p + j] = t;
        }
        for (int i = k + 1; i < n; i++) {
            double f = L[3 * i + k] / L[3 * k + k];
            for (int j = k; j < n; j++) L[3 * i + j] -= f * L[3 * k + j];
            for (int j = 0; j < nb; j++) B[3 * i + j] -= f * B[3 * k + j];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = 0; j < nb; j++) {
            double sum = B[3 * i + j];
            for (int k = i + 1; k < n; k++) sum -= L[3 * i + k] * B[3 * k + j];
            B[3 * i + j] = sum / L[3 * i + i];
        }
    }
}

// H = E^-1 r D and work = E^-1 F, E = I - D + r D R
static void eliminate(flx_cone *c)
{
    for (int k = 0; k < c->ngroup; k++) {
        const flx_cone_member *g = &c->group[k];
        const double *D = c->D + 9 * k;
        double *H = c->H + 9 * k, E[9] = {0}, B[9] = {0};
        for (int i = 0; i < g->n; i++) {
            for (int j = 0; j < g->n; j++) {
                double R = c->R + c->C[g->first + j];
                E[3 * i + j] = (i == j ? 1.0 : 0.0) - (1.0 - c->r * R) * D[3 * i + j];
            }
            B[3 * i] = c->F[g->first + i];
        }
        for (int i = 0; i < 9; i++) H[i] = c->r * D[i];
        solve_group(g->n, E, H, g->n);
        solve_group(g->n, E, B, 1);
        for (int i = 0; i < g->n; i++) c->work[g->first + i] = B[3 * i];
    }
}

// dlam and the du that it makes, of F and D; false: the matrix is singular.
static bool direction(flx_cone *c)
{
    c->iterations++;
    eliminate(c);
    if (!c->space->factor(c, c->H)) return false;
    c->space->forces(c, c->work, c->dv);
    for (int i = 0; i < c->nv; i++) c->dv[i] = -c->dv[i];
    c->space->solve(c, c->dv);
    c->space->rates(c, c->dv, c->du);
    for (int k = 0; k < c->ngroup; k++) {
        const flx_cone_member *g = &c->group[k];
        for (int i = 0; i < g->n; i++) {
            double sum = -c->work[g->first + i];
            for (int j = 0; j < g->n; j++) sum -= c->H[9 * k + 3 * i + j] * c->du[g->first + j];
            c->dlam[g->first + i] = sum;
        }
    }
    // dlam carries the rounding of dv divided by R: what belongs to it is found anew
    c->space->forces(c, c->dlam, c->dv);
    c->space->respond(c, c->dv);
    c->space->rates(c, c->dv, c->du);
    for (int i = 0; i < c->m; i++) c->du[i] += c->C[i] * c->dlam[i];
    return true;
}

// The square sum of F at lam + s dlam.
static double try_step(flx_cone *c, double s)
{
    for (int i = 0; i < c->m; i++) {
        c->trial[i] = c->lam[i] + s * c->dlam[i];
        c->trial_u[i] = c->u[i] + s * c->du[i];
    }
    return flx_cone_natural(c, c->r, c->trial, c->trial_u, c->F, NULL);
}

// A length of the step that lessens F, below `reference`; where none does, the one that is least.
static double line_search(flx_cone *c, double reference)
{
    double s = 1, best = 1, least = HUGE_VAL;
    for (int k = 0; k <= HALVINGS; k++, s *= 0.5) {
        double sum = try_step(c, s);
        if (sum <= (1 - 1e-4 * s) * reference) return s;
        if (sum < least) least = sum, best = s;
    }
    return best;
}

static double largest_of(int n, const double *a)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, a[i]);
    return most;
}

bool flx_cone_newton(flx_cone *c)
{
    double past[MEMORY] = {0}, last = HUGE_VAL, least = HUGE_VAL;
    int still = 0;
    c->R = FLX_CONE_R;
    flx_cone_respond(c);
    for (int k = 0; k < LONGER; k++) {
        double residual = flx_cone_keep(c), s = 1;
        if (k >= c->most && !(residual < NEAR && residual < 0.9 * last)) break;
        if (!isfinite(residual)) return false;
        if (residual <= c->aim) return true;
        // rounding, or friction at its limit without slip, where what is left is of the third order
        if (residual <= FLX_CONE_LIMIT && residual > 0.1 * last) return true;
        still = residual < 0.5 * least ? 0 : still + 1;
        least = fmin(least, residual);
        if (c->large && least <= c->enough && still >= STILL) return true;
        double sum = flx_cone_natural(c, c->r, c->lam, c->u, c->F, c->D);
        last = residual;
        past[k % MEMORY] = sum;
        if (!direction(c)) return false;
        s = line_search(c, largest_of(MEMORY, past));
        if (c->yields) c->R = s < 0.3 ? fmin(10 * c->R, 1) : fmax(0.2 * c->R, FLX_CONE_R);
        for (int i = 0; i < c->m; i++) c->lam[i] += s * c->dlam[i];
        flx_cone_respond(c);
    }
    return flx_cone_keep(c) <= FLX_CONE_LIMIT;
}

void flx_cone_stick(flx_cone *c)
{
    c->R = FLX_CONE_R;
    memset(c->lam, 0, (size_t)c->m * sizeof *c->lam);
    flx_cone_respond(c);
    for (int k = 0; k < c->ngroup; k++) {
        const flx_cone_member *g = &c->group[k];
        double *D = c->D + 9 * k, y[3], z[3];
        // closed, by a large force; tangents stick where the law lets them
        for (int i = 0; i < g->n; i++) y[i] = i == 0 && g->kind != FLX_CONE_DISC ? 1.0 : 0.0;
        flx_cone_project(g, y, z, D);
        for (int i = g->first; i < g->first + g->n; i++) {
            c->F[i] = 0;
            for (int j = 0; j < g->n; j++)
                c->F[i] += c->r * D[3 * (i - g->first) + j] * c->u[g->first + j];
        }
    }
    if (!direction(c)) return;
    for (int k = 0; k < c->ngroup; k++)
        flx_cone_project(&c->group[k], c->dlam + c->group[k].first, c->lam + c->group[k].first,
                         NULL);
}
