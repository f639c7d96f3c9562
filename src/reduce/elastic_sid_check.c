// elastic_sid_check.c - whether Standard Input Data are those of a body: what no body can have, and what the data
// say twice. Messages name the line of the block.
#include "math/dense.h"
#include "reduce/elastic.h"
#include "reduce/inertia.h"

#include <math.h>

// Numbers of the files are rounded, and differ by this part from what they should be.
#define ROUNDED 1e-4

typedef struct checker {
    flx_ctx *ctx;
    const flx_sid *s;
    const flx_elastic *e;
    flx_loc loc;
} checker;

static flx_loc place(const checker *c, const flx_taylor *t)
{
    return c->s->file && t->line > 0 ? (flx_loc){c->s->file, t->line, 1, NULL} : c->loc;
}

// Whether the axes of a node are those of a frame, to the digits of a file.
static bool is_rotation(const double R[9])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double dot = 0.0;
            for (int k = 0; k < 3; k++) dot += R[3 * i + k] * R[3 * j + k];
            if (!(fabs(dot - (i == j)) < ROUNDED)) return false;
        }
    }
    double det = R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) +
                 R[2] * (R[3] * R[7] - R[4] * R[6]);
    return det > 0;
}

// ---- matrices -----------------------------------------------------------------------------------

// Entries that are there twice are equal; one triangle is enough where the matrix is said to be symmetric.
static flx_status check_symmetric(const checker *c, const char *name, const flx_taylor *t)
{
    int n = c->e->n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            double a = flx_taylor_m0(t, i, j), b = flx_taylor_m0(t, j, i);
            double size = fmax(fabs(flx_taylor_m0(t, i, i)), fabs(flx_taylor_m0(t, j, j)));
            bool half = t->structure == FLX_SID_SYMMETRIC && (a == 0.0 || b == 0.0);
            if (half || fabs(a - b) <= ROUNDED * fmax(size, fmax(fabs(a), fabs(b)))) continue;
            return FLX_FAIL(c->ctx, FLX_ERR_MODEL, place(c, t),
                            "'%s' is not symmetric: entry (%d, %d) is %g and (%d, %d) is %g", name,
                            i + 1, j + 1, a, j + 1, i + 1, b);
        }
    }
    if (!t->m1) return FLX_OK;
    for (int i = 0; i < t->nq * t->nrow * t->ncol; i++) {
        if (t->m1[i] == 0.0) continue;
        flx_ctx_warn(c->ctx, place(c, t),
                     "the first order of '%s' has no effect: masses, stiffness and damping of an "
                     "flexible body are constant here",
                     name);
        break;
    }
    return FLX_OK;
}

// The smallest eigenvalue of A (n x n, overwritten), its diagonal scaled to one.
static flx_status lowest_of(flx_ctx *ctx, int n, double *A, double *lowest)
{
    double *d = flx_alloc(ctx, 2 * (size_t)n, sizeof *d), *w = d + n;
    if (!d) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        double x = A[(size_t)i * (size_t)n + (size_t)i];
        d[i] = x > 0 ? 1.0 / sqrt(x) : 1.0;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) A[(size_t)i * (size_t)n + (size_t)j] *= d[i] * d[j];
    }
    flx_status status = flx_dense_symmetric_eigen(ctx, n, A, w);
    *lowest = w[0];
    flx_free(d);
    return status;
}

// Motions of the frame and of the shapes together have a mass.
static flx_status check_mass(const checker *c)
{
    const flx_elastic *e = c->e;
    int n = e->n, m = n + 6;
    double lowest = 0.0, *A = flx_alloc(c->ctx, (size_t)m * (size_t)m, sizeof *A);
    if (!A) return FLX_ERR_MEMORY;
    for (int r = 0; r < 3; r++) {
        A[r * m + r] = e->m;
        for (int i = 0; i < 3; i++) {
            A[r * m + 3 + i] = A[(3 + i) * m + r] = -flx_tilde_entry(e->S0, r, i);
            A[(3 + r) * m + 3 + i] = e->J0[flx_inertia_place[r][i]];
        }
        for (int k = 0; k < n; k++) {
            A[r * m + 6 + k] = A[(6 + k) * m + r] = e->S1[3 * k + r];
            A[(3 + r) * m + 6 + k] = A[(6 + k) * m + 3 + r] = e->N0[3 * k + r];
        }
    }
    for (int k = 0; k < n; k++) {
        for (int l = 0; l < n; l++) A[(6 + k) * m + 6 + l] = e->M[k * n + l];
    }
    flx_status status = lowest_of(c->ctx, m, A, &lowest);
    flx_free(A);
    if (status != FLX_OK || lowest > 0) return status;
    return FLX_FAIL(c->ctx, FLX_ERR_MODEL, place(c, &c->s->Me),
                    "the data are not those of a body: with this mass, 'mdCM', 'J', 'Ct', 'Cr' and "
                    "'Me' some motion has no kinetic energy, or less than none");
}

// No deformation gives energy away.
static flx_status check_energy(const checker *c, const char *name, const flx_taylor *t,
                               const double *from)
{
    int n = c->e->n;
    double lowest = 0.0, *A = flx_alloc(c->ctx, (size_t)n * (size_t)n, sizeof *A);
    if (!A) return FLX_ERR_MEMORY;
    for (int i = 0; i < n * n; i++) A[i] = from[i];
    flx_status status = lowest_of(c->ctx, n, A, &lowest);
    flx_free(A);
    if (status != FLX_OK || lowest >= -ROUNDED) return status;
    return FLX_FAIL(c->ctx, FLX_ERR_MODEL, place(c, t),
                    "'%s' is not that of a body: some deformation would give energy away", name);
}

// ---- what is said twice -------------------------------------------------------------------------

static flx_status compare(const checker *c, const char *names[2], const flx_taylor *t, int row,
                          int col, double x, double known, double size)
{
    if (fabs(x - known) <= ROUNDED * size) return FLX_OK;
    return FLX_FAIL(c->ctx, FLX_ERR_MODEL, place(c, t),
                    "the data contradict themselves: %s (%d, %d) is %g and %s says %g", names[0],
                    row + 1, col + 1, x, names[1], known);
}

static double largest(const double *x, int n)
{
    double size = 0.0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
    return size;
}

static flx_status check_slopes(const checker *c)
{
    const flx_sid *s = c->s;
    const flx_elastic *e = c->e;
    flx_sid_order order = flx_sid_find_order(s);
    double S = largest(e->S1, 3 * e->n), J = largest(e->J1, 6 * e->n);
    for (int k = 0; k < e->n; k++) {
        for (int i = 0; i < 3; i++) {
            FLX_TRY(compare(c, (const char *[]){"'Ct'", "'mdCM'"}, &s->Ct, k, i,
                            flx_taylor_m0(&s->Ct, k, i), e->S1[3 * k + i], S));
        }
        for (int i = 0; i < 6; i++) {
            int col = flx_sid_oe_column(order, i);
            FLX_TRY(compare(c, (const char *[]){"'Oe'", "'J'"}, &s->Oe, k, col,
                            flx_taylor_m0(&s->Oe, k, col), (i < 3 ? -0.5 : -1.0) * e->J1[6 * k + i],
                            J));
        }
    }
    return FLX_OK;
}

static flx_status check_node(const checker *c, const flx_sid_node *from,
                             const flx_elastic_node *node)
{
    int n = c->e->n;
    double size = largest(node->phi, 3 * n);
    if (!is_rotation(node->R)) {
        return FLX_FAIL(c->ctx, FLX_ERR_MODEL, place(c, &from->AP),
                        "'AP' of node '%s' is not a rotation", node->id);
    }
    for (int k = 0; from->origin.m1 && k < n; k++) {
        for (int i = 0; i < 3; i++) {
            FLX_TRY(compare(c, (const char *[]){"'phi'", "'origin'"}, &from->phi, i, k,
                            node->phi[3 * k + i], flx_taylor_m1(&from->origin, i, k, 0), size));
        }
    }
    return FLX_OK;
}

// ---- the whole ----------------------------------------------------------------------------------

static flx_status check_inertia(const checker *c)
{
    const double *J = c->e->J0;
    for (int i = 0; i < 3; i++) {
        if (!(J[i] > 0)) {
            return FLX_FAIL(c->ctx, FLX_ERR_MODEL, place(c, &c->s->J),
                            "the inertia 'J' of the body is not positive");
        }
        double others = J[(i + 1) % 3] + J[(i + 2) % 3];
        if (J[i] <= (1.0 + ROUNDED) * others) continue;
        return FLX_FAIL(c->ctx, FLX_ERR_MODEL, place(c, &c->s->J),
                        "no body has the inertia 'J': %g is larger than the other two together, %g",
                        J[i], others);
    }
    return FLX_OK;
}

flx_status flx_elastic_check_sid(flx_ctx *ctx, const flx_sid *sid, flx_loc loc,
                                 const flx_elastic *e)
{
    checker c = {ctx, sid, e, loc};
    int n = e->n;
    for (int k = 0; k < n; k++) {
        if (!(e->M[k * n + k] > 0)) {
            return FLX_FAIL(ctx, FLX_ERR_MODEL, place(&c, &sid->Me),
                            "coordinate %d of the body has no mass in 'Me'", k + 1);
        }
        if (!(flx_taylor_m0(&sid->Ke, k, k) >= 0)) {
            return FLX_FAIL(ctx, FLX_ERR_MODEL, place(&c, &sid->Ke),
                            "coordinate %d of the body has a negative stiffness in 'Ke'", k + 1);
        }
    }
    FLX_TRY(check_inertia(&c));
    FLX_TRY(check_symmetric(&c, "Me", &sid->Me));
    FLX_TRY(check_symmetric(&c, "Ke", &sid->Ke));
    FLX_TRY(check_symmetric(&c, "De", &sid->De));
    FLX_TRY(check_slopes(&c));
    for (int i = 0; i < sid->nnode; i++) FLX_TRY(check_node(&c, sid->nodes + i, e->nodes + i));
    FLX_TRY(check_mass(&c));
    if (!sid->ksigma.m1) FLX_TRY(check_energy(&c, "Ke", &sid->Ke, e->K));
    return check_energy(&c, "De", &sid->De, e->D);
}
