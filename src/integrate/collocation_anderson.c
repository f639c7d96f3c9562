// collocation_anderson.c - Anderson's acceleration of the iteration for the stages.
//
// The corrections F(U) of the simplified Newton iteration use one linearisation for all stages. Near
// a singular position the constraints of the stages differ so much, in the few directions that are
// nearly lost, that the plain iteration U + F(U) diverges there. The step
//     U + F - sum_j g_j (dU_j + dF_j),   g: |F - sum_j g_j dF_j| least in the norm of the motion  (COL-11)
// over the differences of the last iterations finds these directions out by itself; on a linear
// problem it is GMRES. Anderson, Journal of the ACM 12 (1965) 547-560; Walker, Ni, SIAM Journal on
// Numerical Analysis 49 (2011) 1715-1735.
#include "integrate/collocation.h"

#include <math.h>
#include <string.h>

// Differences that are dependent to this part add nothing but rounding.
#define DEPENDENT 1e-10

// Weights that make all parts of a correction comparable with a displacement as a part of its scale:
// multipliers by the displacement that their accelerations make in the step.
static void set_weights(collocation *co, const flx_dims *d)
{
    double force = 0.0, a = 0.0, w = cabs(co->tab->mu[0]) / co->h;
    for (int i = 0; i < co->s; i++) {
        for (int j = co->first; j < co->n; j++) {
            force = fmax(force, fabs(co->now.U[i * co->n + j]));
        }
        for (int j = 0; j < d->nv; j++) {
            a = fmax(a, fabs(co->now.A[i * d->nv + j]) / co->scale[j]);
        }
    }
    double of_force = force > 0.0 && a > 0.0 ? a / (w * w * force) : 0.0;
    double *weight = co->weight;
    for (int j = 0; j < d->nv; j++) weight[j] = 1.0 / co->scale[j];
    for (int j = d->nv; j < co->first; j++) {
        weight[j] = 1.0 / fmax(fabs(co->now.U[j]), 1e-3 * co->scale[j]);
    }
    for (int j = co->first; j < co->n; j++) weight[j] = of_force;
}

static double product(const collocation *co, const flx_dims *d, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < co->s; i++) {
        for (int j = 0; j < co->n; j++, a++, b++) {
            double w = co->weight[j];
            sum += w * *a * w * *b;
        }
    }
    for (int i = 0; i < co->s; i++) { // dV
        for (int j = 0; j < d->nv; j++, a++, b++) {
            double w = co->h * co->weight[j];
            sum += w * *a * w * *b;
        }
    }
    return sum;
}

// Least squares by the normal equations of columns of length one; a column that depends on newer
// ones is left out, as are all from number m on. g in the columns' own lengths.
static void least_squares(const double G[][COLLOCATION_DEPTH], const double *rhs, int m, double *g)
{
    double L[COLLOCATION_DEPTH][COLLOCATION_DEPTH] = {{0.0}}, y[COLLOCATION_DEPTH] = {0.0},
           length[COLLOCATION_DEPTH];
    for (int i = 0; i < COLLOCATION_DEPTH; i++)
        length[i] = i < m && G[i][i] > 0.0 ? sqrt(G[i][i]) : 0.0;
    for (int i = 0; i < COLLOCATION_DEPTH; i++) {
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
    for (int i = COLLOCATION_DEPTH - 1; i >= 0; i--) {
        g[i] = 0.0;
        if (!(L[i][i] > 0.0)) continue;
        double sum = y[i];
        for (int j = i + 1; j < COLLOCATION_DEPTH; j++) sum -= L[j][i] * g[j] * length[j];
        g[i] = sum / L[i][i] / length[i];
    }
}

void collocation_anderson_restart(collocation *co)
{
    co->nhistory = 0;
    co->nproduct = 0;
    co->has_last = false;
}

// Newest first: the last differences take the place of the oldest ones.
static void remember(collocation *co)
{
    double *dF = co->dF[COLLOCATION_DEPTH - 1], *dU = co->dU[COLLOCATION_DEPTH - 1];
    memmove(co->dF + 1, co->dF, (COLLOCATION_DEPTH - 1) * sizeof *co->dF);
    memmove(co->dU + 1, co->dU, (COLLOCATION_DEPTH - 1) * sizeof *co->dU);
    co->dF[0] = dF;
    co->dU[0] = co->step_last;
    co->step_last = dU;
    for (int i = 0; i < co->nF; i++) dF[i] = co->F[i] - co->F_last[i];
    // the products move with their columns, where they are known
    if (co->nproduct == co->nhistory) {
        for (int i = COLLOCATION_DEPTH - 1; i > 0; i--) {
            memcpy(co->product[i] + 1, co->product[i - 1],
                   (COLLOCATION_DEPTH - 1) * sizeof co->product[i][0]);
        }
    } else {
        co->nproduct = -1;
    }
    if (co->nhistory < COLLOCATION_DEPTH) co->nhistory++;
}

// Lower triangle of the products of the differences; all but those of the newest are there already,
// unless this is the first time.
static void find_products(collocation *co, const flx_dims *d)
{
    int m = co->nhistory;
    for (int j = 0; j < m; j++) {
        if (j > 0 && co->nproduct >= 0) break;
        for (int i = j; i < m; i++) co->product[i][j] = product(co, d, co->dF[i], co->dF[j]);
    }
    co->nproduct = m;
}

void collocation_anderson(collocation *co, const flx_dims *d, bool use)
{
    if (co->has_last) remember(co);
    memcpy(co->F_last, co->F, (size_t)co->nF * sizeof(double));
    double rhs[COLLOCATION_DEPTH], g[COLLOCATION_DEPTH];
    int m = co->nhistory;
    if (use) {
        if (co->nproduct <= 0) set_weights(co, d);
        find_products(co, d);
        for (int i = 0; i < m; i++) rhs[i] = product(co, d, co->dF[i], co->F);
        least_squares((const double(*)[COLLOCATION_DEPTH])co->product, rhs, m, g);
    }
    for (int k = 0; k < m && use; k++) {
        if (!isfinite(g[k])) continue;
        for (int i = 0; i < co->nF; i++) co->F[i] -= g[k] * (co->dU[k][i] + co->dF[k][i]);
    }
    memcpy(co->step_last, co->F, (size_t)co->nF * sizeof(double));
    co->has_last = true;
}
