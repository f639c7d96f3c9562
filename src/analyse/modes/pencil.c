// pencil.c - bases of what rigid constraints leave free, and the pencil (MODE-3) in them; see pencil.h.
#include "analyse/modes/pencil_parts.h"
#include "math/eigen.h"

#include <math.h>
#include <string.h>

// out (nr x nc) = rows and columns of A (n x n) by number; NULL: the first ones.
static double *pick(const flx_linearised *l, const double *A, int nr, const int *rows, int nc,
                    const int *cols)
{
    double *out = flx_pencil_take(l->arena, nr, nc);
    for (int j = 0; out && j < nc; j++) {
        for (int i = 0; i < nr; i++) {
            out[j * nr + i] = A[(cols ? cols[j] : j) * l->n + (rows ? rows[i] : i)];
        }
    }
    return out;
}

static void add(int n, double factor, const double *A, double *to)
{
    for (int i = 0; A && to && i < n; i++) to[i] += factor * A[i];
}

// ---- null spaces --------------------------------------------------------------------------------

static void scale_rows(int m, int n, const double *scale, double *A)
{
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) A[j * m + i] *= scale[i];
    }
}

static void scale_columns(int m, int n, const double *scale, double *A)
{
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) A[j * m + i] *= scale[j];
    }
}

static flx_status refuse_reactions(const flx_linearised *l)
{
    return FLX_FAIL(l->ctx, FLX_SINGULAR, FLX_NOWHERE,
                    "modes: with what depends on the forces of joints, as friction does, these "
                    "forces act along fewer directions here than the joints hold");
}

// theta = N y on the rigid constraints; rows of motion are combined by NL, in which the multipliers do not
// appear: the same, unless forces read multipliers.
static flx_status find_positions(flx_linearised *l)
{
    int nv = l->nv, rank, left_rank;
    double *G = pick(l, l->A0, l->nhold, l->hold, nv, NULL), *V;
    if (!G) return flx_pencil_no_memory(l->ctx);
    scale_columns(l->nhold, nv, l->ease, G);
    FLX_TRY(flx_pencil_null(l, l->nhold, nv, G, &V, &rank));
    l->m = nv - rank;
    l->N = l->NL = V + rank * nv;
    if (l->s->reads_multipliers && l->nhold > 0) {
        double *B =
            flx_pencil_transpose(l, nv, l->nhold, pick(l, l->A0, nv, NULL, l->nhold, l->hold));
        if (!B) return flx_pencil_no_memory(l->ctx);
        scale_columns(l->nhold, nv, l->ease, B);
        FLX_TRY(flx_pencil_null(l, l->nhold, nv, B, &V, &left_rank));
        if (left_rank != rank) return refuse_reactions(l);
        l->NL = V + rank * nv;
        scale_rows(nv, l->m, l->ease, l->NL);
    }
    scale_rows(nv, l->m, l->ease, l->N);
    return FLX_OK;
}

// y' = Z zeta + R y on the rigid velocity-level constraints A1 theta' + A0 theta = 0.
static flx_status find_velocities(flx_linearised *l)
{
    int m = l->m, nr = l->nroll, nv = l->nv, rank, left_rank;
    double *A1 = pick(l, l->A1, nr, l->roll, nv, NULL), *A0 = pick(l, l->A0, nr, l->roll, nv, NULL);
    double *A = flx_pencil_product(l, false, nr, m, nv, A1, l->N);
    double *H = flx_pencil_product(l, false, nr, m, nv, A0, l->N);
    double *V;
    double *B = flx_pencil_transpose(l, nv, nr, pick(l, l->A0, nv, NULL, nr, l->roll));
    double *BN = flx_pencil_product(l, false, nr, m, nv, B, l->NL);
    l->R = flx_pencil_take(l->arena, m, m);
    if (!A || !H || !BN || !l->R) return flx_pencil_no_memory(l->ctx);
    for (int i = 0; i < nr; i++) { // as flx_pencil_null will
        double size = 0.0;
        for (int j = 0; j < m; j++) size = fmax(size, fabs(A[j * nr + i]));
        for (int j = 0; size > 0.0 && j < m; j++) A[j * nr + i] /= size;
        for (int j = 0; size > 0.0 && j < m; j++) H[j * nr + i] /= size;
    }
    double *copy = flx_pencil_take(l->arena, nr, m);
    if (!copy) return flx_pencil_no_memory(l->ctx);
    memcpy(copy, A, (size_t)(nr * m) * sizeof *copy);
    FLX_TRY(flx_pencil_null(l, nr, m, copy, &V, &rank));
    l->k = m - rank;
    l->Z = V + rank * m;
    FLX_TRY(flx_pencil_null(l, nr, m, BN, &l->ZL, &left_rank));
    if (left_rank != rank) return refuse_reactions(l);
    l->ZL += rank * m;
    if (rank == 0) return FLX_OK;
    // R = -V1 (A V1)^+ H: by the normal equations of the well-scaled rows where there are more of them
    double *AV = flx_pencil_product(l, false, nr, rank, m, A, V);
    double *P = flx_pencil_product(l, true, rank, rank, nr, AV, AV);
    double *Q = flx_pencil_product(l, true, rank, m, nr, AV, H);
    if (!P || !Q) return flx_pencil_no_memory(l->ctx);
    if (rank == nr) {
        FLX_TRY(flx_dense_solve(l->ctx, nr, m, AV, H));
        memcpy(Q, H, (size_t)(nr * m) * sizeof *Q);
    } else {
        FLX_TRY(flx_dense_solve(l->ctx, rank, m, P, Q));
    }
    flx_dense_multiply(false, false, m, m, rank, V, Q, l->R);
    for (int i = 0; i < m * m; i++) l->R[i] = -l->R[i];
    return FLX_OK;
}

// ---- the pencil ---------------------------------------------------------------------------------

// Rows r0.. of F (size n) += factor A (m x nc) from column c0 on.
static void put(int n, double *F, int r0, int c0, int m, int nc, double factor, const double *A)
{
    for (int j = 0; j < nc; j++) {
        for (int i = 0; i < m; i++) F[(c0 + j) * n + r0 + i] += factor * A[j * m + i];
    }
}

// Rows `rows` of states and soft unknowns: A0 N y + A1 N y', with y' = Z zeta + R y.
static flx_status put_rows(const flx_linearised *l, int nr, const int *rows, int r0, int n,
                           double *F)
{
    int m = l->m, k = l->k, nv = l->nv;
    double *A0 = pick(l, l->A0, nr, rows, nv, NULL), *A1 = pick(l, l->A1, nr, rows, nv, NULL);
    double *on_y = flx_pencil_product(l, false, nr, m, nv, A0, l->N);
    double *on_rate = flx_pencil_product(l, false, nr, m, nv, A1, l->N);
    double *by_R = flx_pencil_product(l, false, nr, m, m, on_rate, l->R);
    double *on_zeta = flx_pencil_product(l, false, nr, k, m, on_rate, l->Z);
    if (!on_y || !by_R || !on_zeta) return flx_pencil_no_memory(l->ctx);
    put(n, F, r0, 0, nr, m, -1.0, on_y);
    put(n, F, r0, 0, nr, m, -1.0, by_R);
    put(n, F, r0, m, nr, k, -1.0, on_zeta);
    return FLX_OK;
}

static void put_columns(const flx_linearised *l, int nr, const int *rows, int r0, int n, double *F)
{
    int m = l->m, k = l->k, nx = l->nx;
    for (int i = 0; i < nr; i++) {
        for (int j = 0; j < nx; j++) {
            F[(m + k + j) * n + r0 + i] -= l->A0[(l->nv + j) * l->n + rows[i]];
        }
        for (int j = 0; j < l->nsoft; j++) {
            F[(m + k + nx + j) * n + r0 + i] -= l->A0[l->soft[j] * l->n + rows[i]];
        }
    }
}

// The rows of motion, combined by NL ZL.
static flx_status put_motion(const flx_linearised *l, int n, double *E, double *F)
{
    int nv = l->nv, m = l->m, k = l->k, nx = l->nx;
    double *X[3], *reduced[3], *left = flx_pencil_product(l, false, nv, k, m, l->NL, l->ZL);
    const double *const from[3] = {l->A2, l->A1, l->A0};
    for (int i = 0; i < 3; i++) {
        X[i] = pick(l, from[i], nv, NULL, nv, NULL);
        if (!X[i]) return flx_pencil_no_memory(l->ctx);
        double *part = flx_pencil_product(l, false, nv, m, nv, X[i], l->N);
        reduced[i] = flx_pencil_product(l, true, k, m, nv, left, part);
        if (!reduced[i]) return flx_pencil_no_memory(l->ctx);
    }
    double *MZ = flx_pencil_product(l, false, k, k, m, reduced[0], l->Z);
    double *rate =
        flx_pencil_product(l, false, k, m, m, reduced[0], l->R); // (M R + D) (Z zeta + R y)
    if (!MZ || !rate) return flx_pencil_no_memory(l->ctx);
    add(k * m, 1.0, reduced[1], rate);
    double *on_zeta = flx_pencil_product(l, false, k, k, m, rate, l->Z);
    double *on_y = flx_pencil_product(l, false, k, m, m, rate, l->R);
    if (!on_zeta || !on_y) return flx_pencil_no_memory(l->ctx);
    put(n, E, m, m, k, k, 1.0, MZ);
    put(n, F, m, 0, k, m, -1.0, reduced[2]);
    put(n, F, m, 0, k, m, -1.0, on_y);
    put(n, F, m, m, k, k, -1.0, on_zeta);
    for (int pass = 0; pass < 2; pass++) { // columns of states, then of soft unknowns
        int nc = pass == 0 ? nx : l->nsoft;
        double *cols = flx_pencil_take(l->arena, nv, nc);
        if (!cols) return flx_pencil_no_memory(l->ctx);
        for (int j = 0; j < nc; j++) {
            int of = pass == 0 ? nv + j : l->soft[j];
            memcpy(cols + j * nv, l->A0 + (size_t)of * (size_t)l->n, (size_t)nv * sizeof *cols);
        }
        double *part = flx_pencil_product(l, true, k, nc, nv, left, cols);
        if (!part) return flx_pencil_no_memory(l->ctx);
        put(n, F, m, m + k + (pass == 0 ? 0 : nx), k, nc, -1.0, part);
    }
    return FLX_OK;
}

// Reactions that states or algebraic equations read would have to be solved for.
static flx_status refuse_readers(const flx_linearised *l)
{
    for (int i = l->nv; i < l->n; i++) {
        bool held = false;
        for (int j = 0; j < l->nhold; j++) held = held || l->hold[j] == i;
        for (int j = 0; j < l->nroll; j++) held = held || l->roll[j] == i;
        for (int j = 0; !held && j < l->nhold + l->nroll; j++) {
            int c = j < l->nhold ? l->hold[j] : l->roll[j - l->nhold];
            if (l->A0[(size_t)c * (size_t)l->n + (size_t)i] == 0.0) continue;
            flx_unknown u;
            l->s->ops->unknown(l->s, i, &u);
            return FLX_FAIL(l->ctx, FLX_ERR_CANNOT, u.loc,
                            "modes: '%s' depends on the force of a joint, which this analysis does "
                            "not follow",
                            u.item ? u.item : "?");
        }
    }
    return FLX_OK;
}

static void scale_row(int n, double *A, int row, double factor)
{
    for (int j = 0; j < n; j++) A[j * n + row] *= factor;
}

static double largest_of_row(int n, const double *A, int row)
{
    double size = 0.0;
    for (int j = 0; j < n; j++) size = fmax(size, fabs(A[j * n + row]));
    return size;
}

// Times in units of 1/rate, zeta in those of its rate, states in their scales: then no number is far from
// 1 but for what is slow.
static void use_units(const flx_linearised *l, flx_pencil *p)
{
    int n = p->n, m = l->m, k = l->k, nx = l->nx;
    double rate = l->rate;
    for (int j = m; j < m + k; j++) {
        for (int i = 0; i < n; i++) p->F[j * n + i] *= rate;
        for (int i = 0; i < p->nout; i++) p->T[j * p->nout + i] *= rate;
    }
    for (int j = 0; j < nx; j++) {
        double scale = l->scale[l->nv + j];
        for (int i = 0; i < n; i++) p->E[(m + k + j) * n + i] *= scale;
        for (int i = 0; i < n; i++) p->F[(m + k + j) * n + i] *= scale;
        for (int i = 0; i < p->nout; i++) p->T[(m + k + j) * p->nout + i] *= scale;
    }
    for (int i = 0; i < m + k + nx; i++) {
        double factor = i < m || i >= m + k ? 1.0 / rate : 1.0 / (rate * rate);
        scale_row(n, p->F, i, factor);
        double size = i < m + k ? 1.0 : largest_of_row(n, p->E, i);
        if (!(size > 0.0)) continue;
        scale_row(n, p->E, i, 1.0 / size);
        scale_row(n, p->F, i, 1.0 / size);
    }
}

#define SWEEPS 3

// Rows and columns of soft and algebraic unknowns, which may have any units, as large as the others.
static void balance_soft(const flx_linearised *l, flx_pencil *p)
{
    int n = p->n, first = n - l->nsoft;
    double size = 0.0;
    for (int i = 0; i < first; i++) {
        for (int j = 0; j < first; j++) size = fmax(size, fabs(p->F[j * n + i]));
    }
    if (!(size > 0.0)) size = 1.0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int i = first; i < n; i++) {
            double row = largest_of_row(n, p->F, i), col = 0.0;
            if (row > 0.0) scale_row(n, p->F, i, size / row);
            for (int k = 0; k < n; k++) col = fmax(col, fabs(p->F[i * n + k]));
            for (int k = 0; col > 0.0 && k < n; k++) p->F[i * n + k] *= size / col;
        }
    }
}

// theta = N y, theta' = N (Z zeta + R y).
static flx_status put_shapes(const flx_linearised *l, flx_pencil *p)
{
    int nv = l->nv, m = l->m, k = l->k;
    double *by_y = flx_pencil_product(l, false, nv, m, m, l->N, l->R),
           *by_zeta = flx_pencil_product(l, false, nv, k, m, l->N, l->Z);
    if (!by_y || !by_zeta) return flx_pencil_no_memory(l->ctx);
    for (int j = 0; j < m; j++) {
        double *to = p->T + j * p->nout;
        memcpy(to, l->N + j * nv, (size_t)nv * sizeof *to);
        memcpy(to + nv + l->nx, by_y + j * nv, (size_t)nv * sizeof *to);
    }
    for (int j = 0; j < k; j++) {
        double *to = p->T + (m + j) * p->nout;
        memcpy(to + nv + l->nx, by_zeta + j * nv, (size_t)nv * sizeof *to);
    }
    for (int j = 0; j < l->nx; j++) p->T[(m + k + j) * p->nout + nv + j] = 1.0;
    return FLX_OK;
}

static flx_status assemble(flx_linearised *l, flx_pencil *out)
{
    int m = l->m, k = l->k, nx = l->nx, n = m + k + nx + l->nsoft;
    int *states = flx_arena_take(l->arena, (size_t)nx, sizeof *states);
    out->n = n;
    out->nout = 2 * l->nv + nx;
    out->E = flx_pencil_take(l->arena, n, n);
    out->F = flx_pencil_take(l->arena, n, n);
    out->T = flx_pencil_take(l->arena, out->nout, n);
    if (!states || !out->E || !out->F || !out->T) return flx_pencil_no_memory(l->ctx);
    for (int i = 0; i < nx; i++) states[i] = l->nv + i;
    for (int i = 0; i < m; i++) out->E[i * n + i] = 1.0;
    put(n, out->F, 0, 0, m, m, 1.0, l->R);
    put(n, out->F, 0, m, m, k, 1.0, l->Z);
    FLX_TRY(put_motion(l, n, out->E, out->F));
    FLX_TRY(put_rows(l, nx, states, m + k, n, out->F));
    FLX_TRY(put_rows(l, l->nsoft, l->soft, m + k + nx, n, out->F));
    put_columns(l, nx, states, m + k, n, out->F);
    put_columns(l, l->nsoft, l->soft, m + k + nx, n, out->F);
    for (int i = 0; i < nx; i++) {
        for (int j = 0; j < nx; j++) {
            out->E[(m + k + j) * n + m + k + i] = l->A1[(l->nv + j) * l->n + l->nv + i];
        }
    }
    FLX_TRY(put_shapes(l, out));
    use_units(l, out);
    balance_soft(l, out);
    return FLX_OK;
}

#define DETERMINED 1e-12 // singular values of what soft unknowns say of themselves, of the largest

// Soft and algebraic unknowns that follow from their own rows are eliminated at once: their numbers, as
// those of stiff dampers, may be so large beside the others that a basis of both tells nothing of these.
static flx_status eliminate_soft(flx_linearised *l, flx_pencil *p)
{
    int n = p->n, ns = l->nsoft, m = n - ns;
    double *A = flx_pencil_take(l->arena, ns, ns), *X = flx_pencil_take(l->arena, ns, m);
    double *B = flx_pencil_take(l->arena, m, ns), *V = flx_pencil_take(l->arena, ns, ns);
    double *w = flx_pencil_take(l->arena, ns, 1), *E = flx_pencil_take(l->arena, m, m);
    double *F = flx_pencil_take(l->arena, m, m);
    if (ns == 0) return FLX_OK;
    if (!A || !X || !B || !V || !w || !E || !F) return flx_pencil_no_memory(l->ctx);
    for (int j = 0; j < ns; j++) memcpy(A + j * ns, p->F + (m + j) * n + m, (size_t)ns * sizeof *A);
    for (int i = 0; i < ns; i++) { // any size of rows
        double size = 0.0;
        for (int j = 0; j < ns; j++) size = fmax(size, fabs(A[j * ns + i]));
        for (int j = 0; j < ns && size > 0.0; j++) A[j * ns + i] /= size;
        for (int j = 0; j < m && size > 0.0; j++) X[j * ns + i] = p->F[j * n + m + i] / size;
    }
    memcpy(V, A, (size_t)(ns * ns) * sizeof *V);
    double *U = flx_pencil_take(l->arena, ns, ns);
    if (!U) return flx_pencil_no_memory(l->ctx);
    for (int j = 0; j < ns; j++) { // and of columns
        double size = 0.0;
        for (int i = 0; i < ns; i++) size = fmax(size, fabs(V[j * ns + i]));
        for (int i = 0; i < ns && size > 0.0; i++) V[j * ns + i] /= size;
    }
    FLX_TRY(flx_dense_svd(l->ctx, ns, ns, V, w, NULL, U));
    if (!(w[ns - 1] > DETERMINED * w[0])) return FLX_OK; // by other rows
    FLX_TRY(flx_dense_solve(l->ctx, ns, m, A, X));
    for (int j = 0; j < ns; j++) memcpy(B + j * m, p->F + (m + j) * n, (size_t)m * sizeof *B);
    flx_dense_multiply(false, false, m, m, ns, B, X, F);
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < m; i++) {
            F[j * m + i] = p->F[j * n + i] - F[j * m + i];
            E[j * m + i] = p->E[j * n + i];
        }
    }
    l->nsoft = 0;
    p->n = m;
    p->E = E;
    p->F = F;
    return FLX_OK;
}

// About the fastest rate, by the numbers of F; before anything without rate is left out.
static double estimate_fastest(const flx_linearised *l, const flx_pencil *p)
{
    int n = p->n, m = l->m, k = l->k, nx = l->nx;
    double rate = 1.0;
    for (int i = m; i < m + k + nx; i++) {
        for (int j = 0; j < m + k + nx; j++) {
            double size = fabs(p->F[j * n + i]);
            rate = fmax(rate, i < m + k && j < m ? sqrt(size) : size);
        }
    }
    return rate * l->rate;
}

flx_status flx_pencil_create(const flx_quadratic *q, flx_pencil *out)
{
    flx_linearised l;
    *out = (flx_pencil){0};
    FLX_TRY(flx_pencil_linearise(&l, q));
    FLX_TRY(refuse_readers(&l));
    FLX_TRY(find_positions(&l));
    FLX_TRY(find_velocities(&l));
    FLX_TRY(assemble(&l, out));
    FLX_TRY(eliminate_soft(&l, out));
    double fastest = estimate_fastest(&l, out);
    FLX_TRY(flx_pencil_make_regular(&l, out));
    out->fastest = fastest;
    return FLX_OK;
}

flx_status flx_pencil_coefficients(const flx_quadratic *q, double **X)
{
    flx_linearised l;
    FLX_TRY(flx_pencil_linearise(&l, q));
    int nv = l.nv, nrow = l.nhold + l.nroll, rank;
    double *J = flx_pencil_take(l.arena, nrow, nv), *V;
    const double *const from[3] = {l.A2, l.A1, l.A0};
    *X = flx_pencil_take(l.arena, nv, 3 * nv);
    if (!J || !*X) return flx_pencil_no_memory(l.ctx);
    for (int j = 0; j < nv; j++) {
        for (int i = 0; i < l.nhold; i++) J[j * nrow + i] = l.A0[j * l.n + l.hold[i]];
        for (int i = 0; i < l.nroll; i++) J[j * nrow + l.nhold + i] = l.A1[j * l.n + l.roll[i]];
    }
    FLX_TRY(flx_pencil_null(&l, nrow, nv, J, &V, &rank));
    double *N = V + rank * nv, *Pi = flx_pencil_take(l.arena, nv, nv);
    if (!Pi) return flx_pencil_no_memory(l.ctx);
    flx_dense_multiply(false, true, nv, nv, nv - rank, N, N, Pi);
    for (int i = 0; i < 3; i++) {
        double *part = pick(&l, from[i], nv, NULL, nv, NULL);
        double *half = flx_pencil_product(&l, false, nv, nv, nv, Pi, part);
        if (!half) return flx_pencil_no_memory(l.ctx);
        flx_dense_multiply(false, false, nv, nv, nv, half, Pi, *X + i * nv * nv);
    }
    return FLX_OK;
}
