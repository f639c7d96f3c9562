// radau_anderson.c - Anderson's acceleration of the iteration for the stages.
//
// The corrections F(U) of the simplified Newton iteration use one linearisation for all stages. Near
// a singular position the constraints of the stages differ so much, in the few directions that are
// nearly lost, that the plain iteration U + F(U) diverges there. The step
//     U + F - sum_j g_j (dU_j + dF_j),   g: |F - sum_j g_j dF_j| least in the norm of the motion  (RAD-11)
// over the differences of the last iterations finds these directions out by itself; on a linear
// problem it is GMRES. Anderson, Journal of the ACM 12 (1965) 547-560; Walker, Ni, SIAM Journal on
// Numerical Analysis 49 (2011) 1715-1735.
#include "integrate/radau.h"

#include <math.h>
#include <string.h>

// Differences that are dependent to this part add nothing but rounding.
#define DEPENDENT 1e-10

// Weights that make all parts of a correction comparable with a displacement as a part of its scale:
// multipliers by the displacement that their accelerations make in the step.
static void set_weights(radau *ra, const flx_dims *d)
{
    double force = 0.0, a = 0.0, w = cabs(ra->tab.mu[0]) / ra->h;
    for (int i = 0; i < ra->s; i++) {
        for (int j = ra->first; j < ra->n; j++) {
            force = fmax(force, fabs(ra->now.U[i * ra->n + j]));
        }
        for (int j = 0; j < d->nv; j++) {
            a = fmax(a, fabs(ra->now.A[i * d->nv + j]) / ra->scale[j]);
        }
    }
    double of_force = force > 0.0 && a > 0.0 ? a / (w * w * force) : 0.0;
    double *weight = ra->weight;
    for (int j = 0; j < d->nv; j++) weight[j] = 1.0 / ra->scale[j];
    for (int j = d->nv; j < ra->first; j++) {
        weight[j] = 1.0 / fmax(fabs(ra->now.U[j]), 1e-3 * ra->scale[j]);
    }
    for (int j = ra->first; j < ra->n; j++) weight[j] = of_force;
}

static double product(const radau *ra, const flx_dims *d, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < ra->s; i++) {
        for (int j = 0; j < ra->n; j++, a++, b++) {
            double w = ra->weight[j];
            sum += w * *a * w * *b;
        }
    }
    for (int i = 0; i < ra->s; i++) { // dV
        for (int j = 0; j < d->nv; j++, a++, b++) {
            double w = ra->h * ra->weight[j];
            sum += w * *a * w * *b;
        }
    }
    return sum;
}

// Least squares by the normal equations of columns of length one; a column that depends on newer
// ones is left out, as are all from number m on. g in the columns' own lengths.
static void least_squares(const double G[][RADAU_DEPTH], const double *rhs, int m, double *g)
{
    double L[RADAU_DEPTH][RADAU_DEPTH] = {{0.0}}, y[RADAU_DEPTH] = {0.0}, length[RADAU_DEPTH];
    for (int i = 0; i < RADAU_DEPTH; i++) length[i] = i < m && G[i][i] > 0.0 ? sqrt(G[i][i]) : 0.0;
    for (int i = 0; i < RADAU_DEPTH; i++) {
        if (!(length[i] > 0.0)) continue;
        double pivot = 1.0, sum = rhs[i] / length[i];
        for (int j = 0; j < i; j++) {
            if (!(L[j][j] > 0.0)) continue;
            double v = G[i][j] / (length[i] * length[j]);
            for (int k = 0; k < j; k++) v -= L[i][k] * L[j][k];
            L[i][j] = v / L[j][j];
            pivot -= L[i][j] * L[i][j];
            sum -= L[i][j] * y[j];
        }
        if (!(pivot > DEPENDENT)) continue;
        L[i][i] = sqrt(pivot);
        y[i] = sum / L[i][i];
    }
    for (int i = RADAU_DEPTH - 1; i >= 0; i--) {
        g[i] = 0.0;
        if (!(L[i][i] > 0.0)) continue;
        double sum = y[i];
        for (int j = i + 1; j < RADAU_DEPTH; j++) sum -= L[j][i] * g[j] * length[j];
        g[i] = sum / L[i][i] / length[i];
    }
}

void radau_anderson_restart(radau *ra)
{
    ra->nhistory = 0;
    ra->nproduct = 0;
    ra->has_last = false;
}

// Newest first: the last differences take the place of the oldest ones.
static void remember(radau *ra)
{
    double *dF = ra->dF[RADAU_DEPTH - 1], *dU = ra->dU[RADAU_DEPTH - 1];
    memmove(ra->dF + 1, ra->dF, (RADAU_DEPTH - 1) * sizeof *ra->dF);
    memmove(ra->dU + 1, ra->dU, (RADAU_DEPTH - 1) * sizeof *ra->dU);
    ra->dF[0] = dF;
    ra->dU[0] = ra->step_last;
    ra->step_last = dU;
    for (int i = 0; i < ra->nF; i++) dF[i] = ra->F[i] - ra->F_last[i];
    // the products move with their columns, where they are known
    if (ra->nproduct == ra->nhistory) {
        for (int i = RADAU_DEPTH - 1; i > 0; i--) {
            memcpy(ra->product[i] + 1, ra->product[i - 1],
                   (RADAU_DEPTH - 1) * sizeof ra->product[i][0]);
        }
    } else {
        ra->nproduct = -1;
    }
    if (ra->nhistory < RADAU_DEPTH) ra->nhistory++;
}

// Lower triangle of the products of the differences; all but those of the newest are there already,
// unless this is the first time.
static void find_products(radau *ra, const flx_dims *d)
{
    int m = ra->nhistory;
    for (int j = 0; j < m; j++) {
        if (j > 0 && ra->nproduct >= 0) break;
        for (int i = j; i < m; i++) ra->product[i][j] = product(ra, d, ra->dF[i], ra->dF[j]);
    }
    ra->nproduct = m;
}

void radau_anderson(radau *ra, const flx_dims *d, bool use)
{
    if (ra->has_last) {
        remember(ra);
    } else {
        set_weights(ra, d);
    }
    memcpy(ra->F_last, ra->F, (size_t)ra->nF * sizeof(double));
    double rhs[RADAU_DEPTH] = {0.0}, g[RADAU_DEPTH];
    int m = ra->nhistory;
    if (use) {
        find_products(ra, d);
        for (int i = 0; i < m; i++) rhs[i] = product(ra, d, ra->dF[i], ra->F);
        least_squares((const double(*)[RADAU_DEPTH])ra->product, rhs, m, g);
    }
    for (int k = 0; k < m && use; k++) {
        if (!isfinite(g[k])) continue;
        for (int i = 0; i < ra->nF; i++) ra->F[i] -= g[k] * (ra->dU[k][i] + ra->dF[k][i]);
    }
    memcpy(ra->step_last, ra->F, (size_t)ra->nF * sizeof(double));
    ra->has_last = true;
}
