// ritz_spin.c - errors of shapes of a body that rotates at a constant angular velocity w, with interfaces held: Coriolis forces
// and those that centrifugal forces change with the deformation, in Ritz vectors and rigid motions of unit mass X = (Q, R).
//
//     A(w) = p L - (w^2 - i w alpha) + i w G + Z,   G = 2 X^T M w~ X,   Z = -(w~ X)^T M (w~ X)     (RED-20)
// w~ acts on the displacements and rotations of each node. Nothing large is factored: what the Ritz vectors leave out at speed is
// not known.
#include "math/blas.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "reduce/ritz/ritz_choice.h"

#include <math.h>
#include <string.h>

#define STANDS 1e-6 // in the lowest eigenvalue of the free body: less is a rigid motion

typedef struct spin {
    const flx_ritz *r;
    int n;         // Ritz vectors and rigid motions
    double *G, *Z; // (n, n)
} spin;

// ---- the operators --------------------------------------------------------------------------------

// Component c of the node of unknown i; -1: it has none. Unknowns of a node stand side by side.
static int find_beside(const flx_free_structure *s, int i, int c)
{
    for (int k = i > 5 ? i - 5 : 0; k < s->K->n && k <= i + 5; k++) {
        if (s->label[k] == s->label[i] && s->component[k] == c) return k;
    }
    return -1;
}

// Y = w~ X of m vectors.
static void turn(const flx_free_structure *s, const double w[3], int m, const double *X, double *Y)
{
    size_t n = (size_t)s->K->n;
    for (int i = 0; i < s->K->n; i++) {
        int c = s->component[i], first = c - c % 3, k = (c + 1) % 3, l = (c + 2) % 3;
        int one = find_beside(s, i, first + l), two = find_beside(s, i, first + k);
        for (size_t v = 0; v < (size_t)m; v++) {
            double sum = 0;
            if (one >= 0) sum += w[k] * X[v * n + (size_t)one];
            if (two >= 0) sum -= w[l] * X[v * n + (size_t)two];
            Y[v * n + (size_t)i] = sum;
        }
    }
}

// Rigid motions of unit mass, orthogonal to each other: R C^-T, R^T M R = C C^T, as those of the ports.
static flx_status find_rigid(const flx_shape_search *q, double *X)
{
    int r = q->s->nrigid, n = q->s->K->n;
    double C[36];
    for (int i = 0; i < r * r; i++) {
        C[i] =
            flx_blas_dot(n, q->s->rigid + (size_t)(i / r) * q->n, q->MR + (size_t)(i % r) * q->n);
    }
    if (r > 0 && !flx_dense_cholesky(r, C, 0)) return FLX_SINGULAR;
    for (int i = 0; i < r; i++) {
        double *x = X + (size_t)i * q->n;
        memcpy(x, q->s->rigid + (size_t)i * q->n, q->n * sizeof *x);
        for (int k = 0; k < i; k++) {
            const double *y = X + (size_t)k * q->n;
            for (size_t e = 0; e < q->n; e++) x[e] -= C[i * r + k] * y[e];
        }
        for (size_t e = 0; e < q->n; e++) x[e] /= C[i * r + i];
    }
    return FLX_OK;
}

static flx_status find_operators(const flx_shape_search *q, const double w[3], spin *out)
{
    const flx_ritz *r = out->r;
    size_t n = q->n, m = (size_t)out->n;
    double *X = flx_alloc(q->s->ctx, 3 * m * n, sizeof *X), *Y = X + m * n, *MY = Y + m * n;
    if (!X) return FLX_ERR_MEMORY;
    memcpy(X, r->Q, (size_t)r->m * n * sizeof *X);
    flx_status status = find_rigid(q, X + (size_t)r->m * n);
    if (status == FLX_OK) {
        turn(q->s, w, out->n, X, Y);
        flx_symmetric_multiply(q->s->M, out->n, Y, MY);
        flx_dense_multiply(true, false, out->n, out->n, (int)n, X, MY, out->Z);
        for (size_t i = 0; i < m; i++) {
            for (size_t j = 0; j < m; j++)
                out->G[j * m + i] = out->Z[j * m + i] - out->Z[i * m + j];
        }
        flx_dense_multiply(true, false, out->n, out->n, (int)n, Y, MY, out->Z);
        for (size_t i = 0; i < m * m; i++) out->Z[i] = -out->Z[i];
    }
    flx_free(X);
    return status;
}

// ---- responses ------------------------------------------------------------------------------------

// Coordinates of a model: those of x, and the rigid motions behind them; G and Z of them.
typedef struct turning {
    const flx_ports *ports;
    const flx_port_model *x;
    int n;
    const double *G, *Z;
    double *b;         // (p, n)
    double complex *A; // (n, n)
    double complex *y; // (p, n)
    int *pivot;
    flx_port_work w;
} turning;

static flx_status begin(const flx_ports *ports, const flx_port_model *x, const double *G,
                        const double *Z, turning *t)
{
    size_t n = (size_t)(x->m + ports->nrigid), p = (size_t)x->p;
    *t = (turning){.ports = ports, .x = x, .n = (int)n, .G = G, .Z = Z};
    t->b = flx_alloc(ports->ctx, n * p, sizeof *t->b);
    t->A = flx_alloc(ports->ctx, n * (n + p), sizeof *t->A);
    t->pivot = flx_alloc(ports->ctx, n, sizeof *t->pivot);
    if (!t->b || !t->A || !t->pivot) return FLX_ERR_MEMORY;
    t->y = t->A + n * n;
    for (size_t j = 0; j < p; j++) {
        memcpy(t->b + j * n, x->b + j * (size_t)x->m, (size_t)x->m * sizeof *t->b);
        for (int k = 0; k < ports->nrigid; k++)
            t->b[j * n + (size_t)(x->m + k)] = ports->rigid[(size_t)k * p + j] * ports->scale[j];
    }
    return flx_port_work_init(ports->ctx, x->m, x->p, &t->w);
}

static void end(turning *t)
{
    flx_free(t->b);
    flx_free(t->A);
    flx_free(t->pivot);
    flx_port_work_clear(&t->w);
}

// The response of all ports; false: singular.
static bool respond(turning *t, const flx_damping *d, double omega)
{
    const flx_port_model *x = t->x;
    size_t n = (size_t)t->n, m = (size_t)x->m;
    double complex p = flx_complex(1, d->loss + omega * d->beta);
    double complex q = flx_complex(omega * omega, -omega * d->alpha);
    for (size_t i = 0; i < n * n; i++) t->A[i] = flx_complex(t->Z[i], omega * t->G[i]);
    for (size_t k = 0; k < n; k++) t->A[k * n + k] += (k < m ? p * x->L[k] : 0) - q;
    for (size_t j = 0; j < m; j++) {
        for (size_t i = 0; i < m; i++) {
            if (x->loss) t->A[j * n + i] += flx_complex(0, x->loss[j * m + i]);
            if (x->D) t->A[j * n + i] += flx_complex(0, omega * x->D[j * m + i]);
        }
    }
    for (size_t i = 0; i < n * (size_t)x->p; i++) t->y[i] = t->b[i];
    int info = 0;
    FLX_ONE_THREAD info =
        (int)LAPACKE_zgesv(LAPACK_COL_MAJOR, t->n, x->p, t->A, t->n, t->pivot, t->y, t->n);
    for (int j = 0; j < x->p && info == 0; j++) {
        for (int i = 0; i < x->p; i++) {
            double complex sum = 0;
            for (size_t k = 0; k < n; k++) sum += t->b[(size_t)i * n + k] * t->y[(size_t)j * n + k];
            t->w.G[j * x->p + i] = sum;
        }
    }
    return info == 0;
}

// ---- errors ---------------------------------------------------------------------------------------

// Bt = blk(T, 1)^T B blk(T, 1) of shapes T (k, m).
static flx_status project(const spin *s, int k, const double *T, const double *B, double *out)
{
    int m = s->r->m, n = s->n, rigid = n - m, small = k + rigid;
    double *P = flx_alloc(s->r->ports.ctx, (size_t)n * (size_t)small * 2, sizeof *P);
    if (!P) return FLX_ERR_MEMORY;
    double *BP = P + (size_t)n * (size_t)small;
    for (int j = 0; j < k; j++)
        memcpy(P + (size_t)j * (size_t)n, T + (size_t)j * (size_t)m, (size_t)m * sizeof *P);
    for (int j = 0; j < rigid; j++) P[(size_t)(k + j) * (size_t)n + (size_t)(m + j)] = 1;
    flx_dense_multiply(false, false, n, small, n, B, P, BP);
    flx_dense_multiply(true, false, small, small, n, P, BP, out);
    flx_free(P);
    return FLX_OK;
}

static void compare(const flx_ritz *r, turning *full, turning *few, double *out)
{
    int count = r->grid.count, p = full->x->p;
    for (int k = 0; k < count; k++) {
        double omega = 2 * FLX_PI * r->grid.hz[k];
        bool good = respond(full, &r->damping, omega) && respond(few, &r->damping, omega);
        for (int i = 0; i < r->conditions.count; i++) {
            const flx_port_condition *c = r->conditions.items + i;
            if (c->free || !good || !flx_port_hold(&r->ports, c, &full->w) ||
                !flx_port_hold(&r->ports, c, &few->w))
                continue;
            int size = c->all ? p * p : full->w.columns * full->w.columns;
            double whole = flx_port_norm(size, full->w.C);
            for (int e = 0; e < size; e++) few->w.C[e] -= full->w.C[e];
            double *error = out + (size_t)i * (size_t)count + k;
            if (whole > 0) *error = fmax(*error, flx_port_norm(size, few->w.C) / whole);
        }
    }
}

// The least eigenvalue of L + some of Z on the motions N (kept, n).
static flx_status find_least(const spin *s, bool fast, int kept, const double *N, double *least)
{
    size_t n = (size_t)s->n;
    double *K = flx_alloc(s->r->ports.ctx, 3 * n * n + n, sizeof *K);
    if (!K) return FLX_ERR_MEMORY;
    double *KN = K + n * n, *A = KN + n * n, *w = A + n * n;
    if (fast) memcpy(K, s->Z, n * n * sizeof *K);
    for (size_t k = 0; k < (size_t)s->r->m; k++) K[k * n + k] += s->r->model.L[k];
    flx_dense_multiply(false, false, s->n, kept, s->n, K, N, KN);
    flx_dense_multiply(true, false, kept, kept, s->n, N, KN, A);
    flx_status status = flx_dense_symmetric_eigen(s->r->ports.ctx, kept, A, w);
    *least = w[0];
    flx_free(K);
    return status;
}

// A condition that holds the body at rest, and in which centrifugal forces take more of its stiffness than it has.
static flx_status find_loose(const spin *s, const char **loose)
{
    const flx_ritz *r = s->r;
    double *N = flx_alloc(r->ports.ctx, (size_t)s->n * (size_t)s->n, sizeof *N);
    flx_status status = N ? FLX_OK : FLX_ERR_MEMORY;
    for (int i = 0; i < r->conditions.count && status == FLX_OK; i++) {
        int kept = 0;
        double rest = 0, least = 0;
        if (r->conditions.items[i].free) continue;
        status = flx_port_null(&r->ports, &r->model, r->conditions.items + i, N, &kept);
        if (status == FLX_OK && kept > 0) status = find_least(s, false, kept, N, &rest);
        if (status == FLX_OK && kept > 0) status = find_least(s, true, kept, N, &least);
        if (rest > STANDS * r->model.L[0] && !(least > 0)) *loose = r->conditions.items[i].name;
    }
    flx_free(N);
    return status;
}

// One axis.
static flx_status measure(const flx_ritz_choice *c, const double w[3], double *out,
                          const char **loose)
{
    const flx_ritz *r = c->ritz;
    int k = c->taken, rigid = r->ports.nrigid;
    size_t n = (size_t)(r->m + rigid), small = (size_t)(k + rigid);
    spin s = {.r = r, .n = (int)n};
    flx_port_model few = {0};
    turning a = {0}, b = {0};
    s.G = flx_alloc(r->ports.ctx, 2 * n * n + 2 * small * small, sizeof *s.G);
    if (!s.G) return FLX_ERR_MEMORY;
    s.Z = s.G + n * n;
    double *G = s.Z + n * n, *Z = G + small * small;
    flx_status status = find_operators(r->q, w, &s);
    if (status == FLX_OK) status = project(&s, k, c->T, s.G, G);
    if (status == FLX_OK) status = project(&s, k, c->T, s.Z, Z);
    if (status == FLX_OK) status = flx_port_model_init(r->ports.ctx, k, r->model.p, &few);
    if (status == FLX_OK) {
        memcpy(few.L, c->L, (size_t)k * sizeof *few.L);
        flx_dense_multiply(true, false, k, r->model.p, r->m, c->T, r->model.b, few.b);
        status = flx_port_model_project(r->ports.ctx, &r->model, c->T, &few);
    }
    if (status == FLX_OK) status = begin(&r->ports, &r->model, s.G, s.Z, &a);
    if (status == FLX_OK) status = begin(&r->ports, &few, G, Z, &b);
    if (status == FLX_OK) compare(r, &a, &b, out);
    if (status == FLX_OK) status = find_loose(&s, loose);
    end(&a);
    end(&b);
    flx_port_model_clear(&few);
    flx_free(s.G);
    return status;
}

flx_status flx_ritz_spin_errors(const flx_ritz_choice *c, double *out, const char **loose)
{
    const flx_ritz *r = c->ritz;
    const flx_basis *b = r->q->b;
    double w[3];
    memcpy(w, b->angular_velocity, sizeof w);
    *loose = NULL;
    memset(out, 0, (size_t)r->conditions.count * (size_t)r->grid.count * sizeof *out);
    if (w[0] != 0 || w[1] != 0 || w[2] != 0) return measure(c, w, out, loose);
    for (int axis = r->q->s->nrigid == 3 ? 2 : 0; axis < 3;
         axis++) { // any axis: the worst of three
        const double about[3] = {axis == 0 ? b->spin : 0, axis == 1 ? b->spin : 0,
                                 axis == 2 ? b->spin : 0};
        FLX_TRY(measure(c, about, out, loose));
    }
    return FLX_OK;
}
