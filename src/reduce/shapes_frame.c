// shapes_frame.c - shapes of a structure made orthonormal, and seen from a frame.
//
//     v - R a,  C (v - R a) = 0                                                                 (MSH-2)
// C says what the frame holds: R^T M (Buckens), the motion of an interface (tangent), or the place of
// one and the direction to another (chord).
#include "math/blas.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "reduce/shapes_parts.h"

#include <math.h>
#include <string.h>

// Squares of what is left of a unit shape once the others are taken out: smaller ones are the others' again.
#define DEPENDENT 1e-12
#define VANISHED 1e-16 // the same of a shape beside modes, before it is scaled again

typedef flx_shape_search search;

// ---- orthonormal shapes -------------------------------------------------------------------------

// V <- V T, T (count, kept) column-major.
static flx_status recombine(search *q, int kept, const double *T)
{
    int n = q->s->K->n;
    double *W = flx_alloc(q->s->ctx, (size_t)kept * q->n, sizeof *W);
    if (!W) return FLX_ERR_MEMORY;
    FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, kept, q->count, 1.0,
                               q->V, n, T, q->count, 0.0, W, n);
    flx_free(q->V);
    q->V = W;
    q->count = q->room = kept;
    return FLX_OK;
}

// G = V^T A V (count, count).
static flx_status square(const search *q, const flx_symmetric *A, double *G)
{
    int n = q->s->K->n, r = q->count;
    double *AV = flx_alloc(q->s->ctx, (size_t)r * q->n, sizeof *AV);
    if (!AV) return FLX_ERR_MEMORY;
    flx_symmetric_multiply(A, r, q->V, AV);
    FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, r, r, n, 1.0, q->V, n, AV,
                               n, 0.0, G, r);
    flx_free(AV);
    return FLX_OK;
}

flx_status flx_shapes_scale(search *q)
{
    int n = q->s->K->n;
    double *Mv = flx_alloc(q->s->ctx, q->n, sizeof *Mv);
    if (!Mv) return FLX_ERR_MEMORY;
    for (int k = 0; k < q->count; k++) {
        double *v = q->V + (size_t)k * q->n;
        flx_symmetric_multiply(q->s->M, 1, v, Mv);
        double size = flx_blas_dot(n, v, Mv);
        FLX_ONE_THREAD cblas_dscal(n, size > 0 ? 1 / sqrt(size) : 0, v, 1);
    }
    flx_free(Mv);
    return FLX_OK;
}

// Shapes behind the first `modes`, which are orthonormal, lose what they have of these, twice, and are of unit size again.
static flx_status stand_beside(search *q, int modes)
{
    int n = q->s->K->n, kept = modes;
    double *Mv = flx_alloc(q->s->ctx, q->n + (size_t)modes, sizeof *Mv);
    if (!Mv) return FLX_ERR_MEMORY;
    double *h = Mv + q->n;
    for (int k = modes; k < q->count; k++) {
        double *v = q->V + (size_t)k * q->n;
        for (int pass = 0; pass < 2; pass++) {
            flx_symmetric_multiply(q->s->M, 1, v, Mv);
            flx_dense_multiply(true, false, modes, 1, n, q->V, Mv, h);
            FLX_ONE_THREAD cblas_dgemv(CblasColMajor, CblasNoTrans, n, modes, -1.0, q->V, n, h, 1,
                                       1.0, v, 1);
        }
        flx_symmetric_multiply(q->s->M, 1, v, Mv);
        double left = flx_blas_dot(n, v, Mv);
        if (!(left > VANISHED)) continue;
        FLX_ONE_THREAD cblas_dscal(n, 1 / sqrt(left), v, 1);
        if (kept != k) memcpy(q->V + (size_t)kept * q->n, v, q->n * sizeof *v);
        kept++;
    }
    q->count = kept;
    flx_free(Mv);
    return FLX_OK;
}

// V^T M V = I, without what depends on the others; the second time that is so to rounding.
static flx_status make_orthonormal(search *q, double *G, double *w)
{
    for (int pass = 0; pass < 2; pass++) {
        int r = q->count, first = 0;
        FLX_TRY(square(q, q->s->M, G));
        FLX_TRY(flx_dense_symmetric_eigen(q->s->ctx, r, G, w));
        while (first < r && !(w[first] > DEPENDENT)) first++;
        for (int k = first; k < r; k++)
            FLX_ONE_THREAD cblas_dscal(r, 1 / sqrt(w[k]), G + (size_t)k * r, 1);
        FLX_TRY(recombine(q, r - first, G + (size_t)first * r));
    }
    return FLX_OK;
}

// ... and V^T K V = diag(omega2).
static flx_status orthonormalise(search *q, double *G, double *w)
{
    FLX_TRY(make_orthonormal(q, G, w));
    FLX_TRY(square(q, q->s->K, G));
    FLX_TRY(flx_dense_symmetric_eigen(q->s->ctx, q->count, G, w));
    return recombine(q, q->count, G);
}

// ---- frames -------------------------------------------------------------------------------------

static double component_of(const flx_interface *i, int c, const double *x)
{
    double sum = 0;
    for (int k = 0; k < i->count[c]; k++) sum += i->weight[c][k] * x[i->unknown[c][k]];
    return sum;
}

// What the frame holds of a motion x: nrigid numbers.
static void look(const search *q, const double *x, double c[6])
{
    const flx_free_structure *s = q->s;
    const flx_interface *i = s->interfaces;
    bool planar = s->nrigid == 3;
    if (q->b->frame == FLX_FRAME_BUCKENS) {
        for (int k = 0; k < s->nrigid; k++) {
            c[k] = flx_blas_dot(s->K->n, q->MR + (size_t)k * q->n, x);
        }
        return;
    }
    for (int k = 0; k < 6; k++) c[k] = component_of(i, k, x);
    if (q->b->frame == FLX_FRAME_CHORD) {
        double t[3], d[3], y[3], z[3], far[3];
        int least = 0;
        for (int k = 0; k < 3; k++) d[k] = i[1].at[k] - i[0].at[k];
        double length = flx_blas_norm(3, d);
        for (int k = 0; k < 3; k++) {
            t[k] = d[k] / length;
            far[k] = component_of(i + 1, k, x) - c[k];
            if (fabs(t[k]) < fabs(t[least])) least = k;
        }
        if (planar) least = 2;
        for (int k = 0; k < 3; k++) y[k] = (k == least) - t[least] * t[k];
        for (int k = 0; k < 3; k++)
            z[k] = t[(k + 1) % 3] * y[(k + 2) % 3] - t[(k + 2) % 3] * y[(k + 1) % 3];
        c[3] = flx_blas_dot(3, t, c + 3);
        c[4] = flx_blas_dot(3, y, far) / length;
        c[5] = flx_blas_dot(3, z, far) / length;
    }
    if (planar) c[2] = c[5];
}

// (MSH-2)
flx_status flx_shapes_see_from_frame(search *q)
{
    const flx_free_structure *s = q->s;
    int r = s->nrigid, pivot[6];
    double CR[36], c[6];
    for (int k = 0; k < r; k++) {
        look(q, s->rigid + (size_t)k * q->n, c);
        for (int i = 0; i < r; i++) CR[i * r + k] = c[i];
    }
    if (!flx_dense_lu(r, CR, pivot)) {
        return FLX_FAIL(
            s->ctx, FLX_ERR_MODEL, s->loc,
            "the frame cannot be fixed to '%s': a single node of solids does not rotate; "
            "name a set of nodes, or take frame: buckens",
            s->interfaces[0].name);
    }
    for (int k = 0; k < q->count; k++) {
        double *v = q->V + (size_t)k * q->n;
        look(q, v, c);
        flx_dense_lu_solve(r, CR, pivot, c);
        for (int i = 0; i < r; i++) {
            FLX_ONE_THREAD cblas_daxpy(s->K->n, -c[i], s->rigid + (size_t)i * q->n, 1, v, 1);
        }
    }
    return FLX_OK;
}

// The first of its largest entries is positive; symmetric shapes have several that differ by rounding.
static void choose_sign(const search *q, double *v)
{
    double most = 0;
    size_t i = 0;
    for (size_t k = 0; k < q->n; k++) most = fmax(most, fabs(v[k]));
    while (i + 1 < q->n && !(fabs(v[i]) >= (1 - 1e-6) * most)) i++;
    if (v[i] < 0) FLX_ONE_THREAD cblas_dscal((int)q->n, -1, v, 1);
}

flx_status flx_shapes_finish(search *q, const flx_shape_part *p, flx_shapes *out)
{
    size_t r = (size_t)q->count;
    double *G = flx_alloc(q->s->ctx, r * r, sizeof *G);
    out->omega2 = flx_alloc(q->s->ctx, r, sizeof *out->omega2);
    flx_status status = G && out->omega2 ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK && q->b->kind == FLX_BASIS_MODES && q->b->attachment)
        status = stand_beside(q, q->b->modes);
    if (status == FLX_OK) status = orthonormalise(q, G, out->omega2);
    flx_free(G);
    if (status == FLX_OK && q->count == 0) {
        status = FLX_FAIL(q->s->ctx, FLX_ERR_MODEL, q->s->loc,
                          "no shapes are left: one interface moves as a rigid body");
    }
    // modes alone are those of the structure
    bool mixed = (q->b->kind != FLX_BASIS_MODES || q->b->attachment) && !q->error;
    out->error = flx_alloc(q->s->ctx, r, sizeof *out->error);
    if (status == FLX_OK && !out->error) status = FLX_ERR_MEMORY;
    if (status == FLX_OK && q->error) memcpy(out->error, q->error, r * sizeof *out->error);
    if (status == FLX_OK && mixed) {
        bool held = q->b->kind == FLX_BASIS_MODES;
        status = flx_shapes_check(q, held ? p : NULL, out->omega2, out->error);
    }
    if (status == FLX_OK) status = flx_shapes_see_from_frame(q);
    if (status != FLX_OK) return status;
    for (int k = 0; k < q->count; k++) choose_sign(q, q->V + (size_t)k * q->n);
    int rigid = q->s->nrigid, n = q->s->K->n;
    out->M = flx_alloc(q->s->ctx, r * r, sizeof *out->M);
    out->RM = flx_alloc(q->s->ctx, r * (size_t)rigid, sizeof *out->RM);
    if (!out->M || !out->RM) return FLX_ERR_MEMORY;
    for (int k = 0; k < q->count * rigid; k++) {
        out->RM[k] =
            flx_blas_dot(n, q->MR + (size_t)(k % rigid) * q->n, q->V + (size_t)(k / rigid) * q->n);
    }
    return square(q, q->s->M, out->M);
}
