// shapes.c - shapes of a free structure: modes, static shapes of interfaces, shapes of unit loads.
//
//     Guyan:       V = (1; -Kss^-1 Ksm), m the components of the interfaces                       (BML-4)
//     attachment:  K v = f - M R (R^T M R)^-1 R^T f, f a unit load, R rigid motions               (MSH-1)
//     of frames that follow other nodes:  K v = F y,  R^T F y = 0, F the unit loads                (MSH-9)
// Held by its first interface, a load needs no relief.
#include "math/blas.h"
#include "math/dense.h"
#include "math/frontal/frontal.h"
#include "math/lowest_modes.h"
#include "reduce/bases.h"

#include <math.h>
#include <string.h>

#define LINE 1e-10  // stiffness about a line of nodes in proportion to that about others
#define LOOSE 1e-12 // a pivot this small in proportion is zero, rounding taken into account
#define SHIFT 1e-3  // of the lowest frequency squared: each correction gains three digits
#define CORRECTIONS 6

typedef flx_shape_search search;
typedef flx_shape_part part;

// ---- parts --------------------------------------------------------------------------------------

static void clear_part(part *p)
{
    flx_free(p->list);
    flx_free(p->group);
    flx_symmetric_clear(&p->K);
    flx_symmetric_clear(&p->M);
}

static flx_status make_part(const search *q, const bool *held, part *p)
{
    const flx_free_structure *s = q->s;
    int n = s->K->n;
    int *map = flx_alloc(s->ctx, q->n, sizeof *map);
    p->list = flx_alloc(s->ctx, q->n, sizeof *p->list);
    p->group = flx_alloc(s->ctx, q->n, sizeof *p->group);
    flx_status status = map && p->list && p->group ? FLX_OK : FLX_ERR_MEMORY;
    for (int i = 0; i < n && status == FLX_OK; i++) {
        map[i] = held[i] ? -1 : p->n;
        if (held[i]) continue;
        p->group[p->n] = s->group ? s->group[i] : i;
        p->list[p->n++] = i;
    }
    if (status == FLX_OK) status = flx_symmetric_init_part(s->ctx, s->K, map, p->n, &p->K);
    if (status == FLX_OK) status = flx_symmetric_init_part(s->ctx, s->M, map, p->n, &p->M);
    flx_free(map);
    return status;
}

flx_status flx_shapes_factor(const search *q, const part *p, flx_frontal **f)
{
    flx_ctx *ctx = q->s->ctx;
    FLX_TRY(flx_frontal_create(ctx, &p->K, p->group, f));
    flx_status status = flx_frontal_factor(*f, 1, &p->K, 0, NULL);
    if (status == FLX_SINGULAR ||
        (status == FLX_OK && !(flx_frontal_get_report(*f).ratio > LOOSE))) {
        status = FLX_FAIL(ctx, FLX_ERR_MODEL, q->s->loc,
                          "the interfaces do not hold the body: with them fixed, parts of it can "
                          "still move without any force");
    }
    return status;
}

// ---- interfaces ---------------------------------------------------------------------------------

// All its components are unknowns themselves.
static bool is_plain(const flx_interface *i)
{
    for (int c = 0; c < 6; c++) {
        if (i->count[c] > 1 || (i->count[c] == 1 && i->weight[c][0] != 1)) return false;
    }
    return true;
}

static void hold(const flx_interface *i, bool *held)
{
    for (int c = 0; c < 6; c++) {
        if (i->count[c] == 1) held[i->unknown[c][0]] = true;
    }
}

// Nodes on one line that have no rotations: the rotations of the interface are unknowns, and one of them has no stiffness.
static flx_status look_for_line(const flx_free_structure *s, const flx_interface *f, bool *line)
{
    double K[9], w[3];
    *line = false;
    for (int c = 3; c < 6; c++) {
        if (f->count[c] != 1 || f->weight[c][0] != 1) return FLX_OK;
    }
    for (int i = 0; i < 9; i++) {
        K[i] = flx_symmetric_get(s->K, f->unknown[3 + i / 3][0], f->unknown[3 + i % 3][0]);
    }
    FLX_TRY(flx_dense_symmetric_eigen(s->ctx, 3, K, w));
    *line = !(w[0] > LINE * w[2]);
    return FLX_OK;
}

static flx_status check_lines(const flx_free_structure *s, const flx_basis *b)
{
    bool line = false, holds = b->kind == FLX_BASIS_GUYAN || b->kind == FLX_BASIS_CRAIG_BAMPTON;
    if (s->ninterface > 0 && s->nrigid > 0 && s->K->n <= s->nrigid) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, s->loc,
                        "one interface holds all of the body: nothing of it is left to deform");
    }
    for (int i = 0; i < s->ninterface; i++) {
        FLX_TRY(look_for_line(s, s->interfaces + i, &line));
        if (!line) continue;
        if (!holds || b->inertia_relief) {
            return FLX_FAIL(s->ctx, FLX_ERR_MODEL, s->loc,
                            "the nodes of the interface '%s' lie on one line: no moment about it "
                            "can be passed on; add nodes beside the line, or name them one by one",
                            s->interfaces[i].name);
        }
        flx_ctx_warn(s->ctx, s->loc,
                     "the nodes of the interface '%s' lie on one line: a moment about it turns the "
                     "body as a whole, and deforms nothing",
                     s->interfaces[i].name);
    }
    return FLX_OK;
}

// ---- columns ------------------------------------------------------------------------------------

static flx_status reserve(search *q, int more)
{
    size_t need = (size_t)(q->count + more) * q->n;
    double *V = flx_alloc(q->s->ctx, need, sizeof *V);
    if (!V) return FLX_ERR_MEMORY;
    if (q->count > 0) memcpy(V, q->V, (size_t)q->count * q->n * sizeof *V);
    flx_free(q->V);
    q->V = V;
    q->room = q->count + more;
    return FLX_OK;
}

static double *next_column(search *q)
{
    return q->V + (size_t)q->count++ * q->n;
}

void flx_shapes_take_mean_away(const search *q, double *x)
{
    int r = q->s->nrigid, n = q->s->K->n;
    double a[6];
    for (int i = 0; i < r; i++) a[i] = flx_blas_dot(n, q->MR + (size_t)i * q->n, x);
    flx_dense_lu_solve(r, q->RMR, q->pivot, a);
    for (int i = 0; i < r; i++)
        FLX_ONE_THREAD cblas_daxpy(n, -a[i], q->s->rigid + (size_t)i * q->n, 1, x, 1);
}

double flx_shapes_highest_ratio(const flx_free_structure *s)
{
    double most = 0;
    for (int j = 0; j < s->K->n; j++) {
        double k = s->K->value[s->K->start[j]], m = s->M->value[s->M->start[j]];
        if (m > 0) most = fmax(most, k / m);
    }
    return most;
}

flx_status flx_shapes_prepare(search *q)
{
    const flx_free_structure *s = q->s;
    int r = s->nrigid, n = s->K->n;
    if (r == 0) return FLX_OK; // it is held
    q->MR = flx_alloc(s->ctx, (size_t)r * q->n, sizeof *q->MR);
    if (!q->MR) return FLX_ERR_MEMORY;
    flx_symmetric_multiply(s->M, r, s->rigid, q->MR);
    for (int i = 0; i < r; i++) {
        for (int k = 0; k < r; k++) {
            q->RMR[i * r + k] = flx_blas_dot(n, s->rigid + (size_t)i * q->n, q->MR + k * q->n);
        }
    }
    if (flx_dense_lu(r, q->RMR, q->pivot)) return FLX_OK;
    return FLX_FAIL(s->ctx, FLX_ERR_MODEL, s->loc,
                    "the body has no mass, or all of it lies on one line: give its materials a "
                    "density");
}

// ---- modes --------------------------------------------------------------------------------------

static flx_status refuse_rigid(const search *q, int found, int expected)
{
    if (expected == 0) {
        return FLX_FAIL(q->s->ctx, FLX_ERR_MODEL, q->s->loc,
                        "%d motions without strain are left: the interfaces that should hold the "
                        "body do not",
                        found);
    }
    return FLX_FAIL(q->s->ctx, FLX_ERR_MODEL, q->s->loc,
                    found > expected ? "the structure moves without strain in more than %d ways: "
                                       "parts of it are loose"
                                     : "the structure cannot move as a body in %d ways: something "
                                       "holds it",
                    expected);
}

// The lowest modes, p: with some unknowns held; NULL: free, without the rigid ones.
static flx_status add_modes(search *q, const part *p, int count)
{
    const flx_free_structure *s = q->s;
    int n = p ? p->n : s->K->n, skip = p ? 0 : s->nrigid;
    flx_mode_set *m = NULL;
    if (count == 0) return FLX_OK;
    if (count + skip > n) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, s->loc,
                        "%d modes are asked for: this structure has %d", count, n - skip);
    }
    // one more where there are more: the first that is left out
    const flx_modes_def def = {.count = count + skip + (count + skip < n),
                               .group = p ? p->group : s->group};
    FLX_TRY(flx_modes_create(s->ctx, p ? &p->K : s->K, p ? &p->M : s->M, &def, &m));
    flx_status status = m->rigid == skip ? FLX_OK : refuse_rigid(q, m->rigid, skip);
    if (status == FLX_OK) status = reserve(q, count);
    for (int k = 0; k < count && status == FLX_OK; k++) {
        const double *x = m->X + (size_t)(skip + k) * (size_t)n;
        double *v = next_column(q);
        for (int i = 0; i < n; i++) v[p ? p->list[i] : i] = x[i];
    }
    if (status == FLX_OK) {
        q->lowest = m->lambda[skip];
        q->next = m->count > skip + count ? m->lambda[skip + count] : 0;
    }
    flx_modes_destroy(&m);
    return status;
}

// ---- static shapes ------------------------------------------------------------------------------

// (BML-4)
static flx_status add_static_shapes(search *q, const part *p, const bool *held)
{
    const flx_free_structure *s = q->s;
    int n = s->K->n, masters = n - p->n;
    flx_frontal *f = NULL;
    double *B = flx_alloc(s->ctx, (size_t)masters * (size_t)p->n, sizeof *B);
    double *Kx = flx_alloc(s->ctx, q->n, sizeof *Kx);
    flx_status status = B && Kx ? reserve(q, masters) : FLX_ERR_MEMORY;
    int first = q->count;
    for (int i = 0, k = 0; i < n && status == FLX_OK; i++) {
        if (!held[i]) continue;
        double *v = next_column(q), *b = B + (size_t)k++ * (size_t)p->n;
        v[i] = 1;
        flx_symmetric_multiply(s->K, 1, v, Kx);
        for (int j = 0; j < p->n; j++) b[j] = -Kx[p->list[j]];
    }
    if (status == FLX_OK && p->n > 0) status = flx_shapes_factor(q, p, &f);
    if (status == FLX_OK && f) status = flx_frontal_reserve(f, masters);
    if (status == FLX_OK && f) flx_frontal_solve(f, masters, B);
    for (int k = 0; k < masters && status == FLX_OK; k++) {
        double *v = q->V + (size_t)(first + k) * q->n;
        for (int j = 0; j < p->n; j++) v[p->list[j]] = B[(size_t)k * (size_t)p->n + j];
    }
    flx_frontal_destroy(&f);
    flx_free(B);
    flx_free(Kx);
    return status;
}

// ---- attachment ---------------------------------------------------------------------------------

static int count_components(const search *q, int first)
{
    int count = 0;
    for (int i = first; i < q->s->ninterface; i++) {
        for (int c = 0; c < 6; c++) count += flx_shapes_has_port(q, i, c);
    }
    return count;
}

// Unit loads as columns of X (n each).
static void put_loads(const search *q, int first, double *X)
{
    for (int i = first; i < q->s->ninterface; i++) {
        const flx_interface *f = q->s->interfaces + i;
        for (int c = 0; c < 6; c++) {
            if (!flx_shapes_has_port(q, i, c)) continue;
            for (int k = 0; k < f->count[c]; k++) X[f->unknown[c][k]] += f->weight[c][k];
            X += q->n;
        }
    }
}

// Shapes of unit loads at the other interfaces where the first one is held.
static flx_status attach_held(search *q, const part *p)
{
    flx_ctx *ctx = q->s->ctx;
    int count = count_components(q, 1);
    flx_frontal *f = NULL;
    if (count == 0) return FLX_OK;
    FLX_TRY(reserve(q, count));
    double *X = q->V + (size_t)q->count * q->n;
    double *B = flx_alloc(ctx, (size_t)count * (size_t)p->n, sizeof *B);
    flx_status status = B ? flx_shapes_factor(q, p, &f) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_frontal_reserve(f, count);
    if (status == FLX_OK) {
        put_loads(q, 1, X);
        for (int k = 0; k < count; k++) {
            for (int j = 0; j < p->n; j++)
                B[(size_t)k * (size_t)p->n + j] = X[k * q->n + p->list[j]];
        }
        flx_frontal_solve(f, count, B);
        memset(X, 0, (size_t)count * q->n * sizeof *X);
        for (int k = 0; k < count; k++) {
            for (int j = 0; j < p->n; j++)
                X[k * q->n + p->list[j]] = B[(size_t)k * (size_t)p->n + j];
        }
        q->count += count;
    }
    flx_frontal_destroy(&f);
    flx_free(B);
    return status;
}

// K + shift M in the place of the singular K, and what the shift does corrected. X: the solutions of the
// loads F, which are in equilibrium; Y: room for as many.
flx_status flx_shapes_solve_free(const search *q, int count, const double *F, double *X, double *Y)
{
    const flx_free_structure *s = q->s;
    double shift = FLX_SHAPES_SHIFT * q->lowest;
    size_t all = (size_t)count * q->n;
    flx_frontal *f = NULL;
    flx_status status = flx_frontal_create(s->ctx, s->K, s->group, &f);
    if (status == FLX_OK) status = flx_frontal_factor(f, 1, s->K, shift, s->M);
    if (status == FLX_OK) status = flx_frontal_reserve(f, count);
    memset(X, 0, all * sizeof *X);
    for (int step = 0; step < CORRECTIONS && status == FLX_OK; step++) {
        flx_symmetric_multiply(s->M, count, X, Y);
        for (size_t i = 0; i < all; i++) X[i] = F[i] + shift * Y[i];
        flx_frontal_solve(f, count, X);
        for (int k = 0; k < count; k++) flx_shapes_take_mean_away(q, X + k * q->n);
    }
    flx_frontal_destroy(&f);
    return status;
}

void flx_shapes_relieve(const search *q, int count, double *F) // f - M R a, a = (R^T M R)^-1 R^T f
{
    const flx_free_structure *s = q->s;
    int n = s->K->n;
    for (int k = 0; k < count; k++) {
        double a[6];
        for (int i = 0; i < s->nrigid; i++) {
            a[i] = flx_blas_dot(n, s->rigid + (size_t)i * q->n, F + k * q->n);
        }
        flx_dense_lu_solve(s->nrigid, q->RMR, q->pivot, a);
        for (int i = 0; i < s->nrigid; i++) {
            FLX_ONE_THREAD cblas_daxpy(n, -a[i], q->MR + (size_t)i * q->n, 1, F + k * q->n, 1);
        }
    }
}

// (MSH-1)
static flx_status attach_free(search *q)
{
    const flx_free_structure *s = q->s;
    int count = count_components(q, 0);
    if (count == 0) return FLX_OK;
    FLX_TRY(reserve(q, count));
    double *X = q->V + (size_t)q->count * q->n;
    double *F = flx_alloc(s->ctx, 2 * (size_t)count * q->n, sizeof *F);
    if (!F) return FLX_ERR_MEMORY;
    put_loads(q, 0, F);
    flx_shapes_relieve(q, count, F);
    flx_status status = flx_shapes_solve_free(q, count, F, X, F + (size_t)count * q->n);
    if (status == FLX_OK) q->count += count;
    flx_free(F);
    return status;
}

// K v = F y for the loads at all interfaces that balance each other, R^T F y = 0                   (MSH-9)
static flx_status attach_balanced(search *q)
{
    const flx_free_structure *s = q->s;
    int m = count_components(q, 0), r = s->nrigid, n = s->K->n, count = m - r;
    if (count <= 0) return FLX_OK;
    FLX_TRY(reserve(q, count));
    double *X = q->V + (size_t)q->count * q->n;
    size_t all = (size_t)m * q->n;
    double *F = flx_alloc(s->ctx, 3 * all + (size_t)(m * m + r * m + m), sizeof *F);
    if (!F) return FLX_ERR_MEMORY;
    double *B = F + all, *Y = B + all, *A = Y + all, *RF = A + m * m, *w = RF + r * m;
    put_loads(q, 0, F);
    for (int i = 0; i < r * m; i++) { // a turn counts as much as a shift
        const double *R = s->rigid + (size_t)(i / m) * q->n;
        double size = flx_blas_norm(n, R);
        RF[i] = flx_blas_dot(n, R, F + (size_t)(i % m) * q->n) / size;
    }
    FLX_ONE_THREAD cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, m, r, 1.0, RF, m, RF, m,
                               0.0, A, m);
    flx_status status = flx_dense_symmetric_eigen(s->ctx, m, A, w);
    if (status == FLX_OK) {
        FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, count, m, 1.0, F,
                                   n, A, m, 0.0, B, n);
        status = flx_shapes_solve_free(q, count, B, X, Y);
    }
    if (status == FLX_OK) q->count += count;
    flx_free(F);
    return status;
}

// ---- the whole ----------------------------------------------------------------------------------

static flx_status check(const search *q)
{
    const flx_free_structure *s = q->s;
    const flx_basis *b = q->b;
    int need = b->frame == FLX_FRAME_CHORD ? 2 : b->frame == FLX_FRAME_TANGENT ? 1 : 0;
    if (s->ninterface < need) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, s->loc,
                        need == 2 ? "frame: chord runs through the first two interfaces: name two"
                                  : "frame: tangent is fixed to the first interface: name one, or "
                                    "take frame: buckens");
    }
    if (need == 2) {
        const double *a = s->interfaces[0].at, *c = s->interfaces[1].at;
        if (a[0] == c[0] && a[1] == c[1] && a[2] == c[2]) {
            return FLX_FAIL(s->ctx, FLX_ERR_MODEL, s->loc,
                            "frame: chord: the first two interfaces are at one place");
        }
    }
    return FLX_OK;
}

bool flx_shapes_are_held(const flx_free_structure *s)
{
    for (int i = 0; i < s->ninterface; i++) {
        if (!is_plain(s->interfaces + i)) return false;
    }
    return true;
}

// Shapes of loads that accelerate the free body; its lowest mode, for the shift, goes again.
static flx_status add_relief(search *q)
{
    int count = q->count;
    double next = q->next;
    FLX_TRY(add_modes(q, NULL, 1));
    q->count = count;
    q->next = next;
    return attach_free(q);
}

// Frames that follow other nodes cannot be held: the static shapes are those of the loads at the interfaces that
// balance each other, and the modes those of the free structure.
static flx_status find_balanced(search *q)
{
    int modes = q->b->kind == FLX_BASIS_CRAIG_BAMPTON ? q->b->modes : 0;
    FLX_TRY(add_modes(q, NULL, modes > 0 ? modes : 1)); // the shift needs the lowest
    if (modes == 0) {
        q->count = 0;
        q->next = 0;
    }
    FLX_TRY(q->b->inertia_relief ? attach_free(q) : attach_balanced(q));
    FLX_TRY(flx_shapes_scale(q));
    for (int k = 0; k < q->count; k++) flx_shapes_take_mean_away(q, q->V + (size_t)k * q->n);
    return FLX_OK;
}

static flx_status find(search *q, const part *p, const bool *held)
{
    bool is_held = p->list && p->n < q->s->K->n;
    if (q->b->kind != FLX_BASIS_MODES && !p->list) return find_balanced(q);
    if (!p->list || q->b->kind == FLX_BASIS_MODES) { // modes alone leave all unknowns free
        FLX_TRY(add_modes(q, is_held ? p : NULL, q->b->modes));
        if (!q->b->attachment) return FLX_OK;
        FLX_TRY(is_held ? attach_held(q, p) : attach_free(q));
        return flx_shapes_scale(q);
    }
    FLX_TRY(add_static_shapes(q, p, held));
    if (q->b->inertia_relief) FLX_TRY(add_relief(q));
    if (q->b->kind == FLX_BASIS_CRAIG_BAMPTON && p->n > 0) FLX_TRY(add_modes(q, p, q->b->modes));
    FLX_TRY(flx_shapes_scale(q));
    for (int k = 0; k < q->count; k++) flx_shapes_take_mean_away(q, q->V + (size_t)k * q->n);
    return FLX_OK;
}

static flx_status run(search *q, bool *held, part *p, flx_shapes *out)
{
    const flx_free_structure *s = q->s;
    FLX_TRY(check(q));
    FLX_TRY(check_lines(s, q->b));
    FLX_TRY(flx_shapes_prepare(q));
    p->n = s->K->n;
    if (flx_basis_get(q->b->kind)->choose) return flx_bases_find(q, out);
    bool all = q->b->kind != FLX_BASIS_MODES && flx_shapes_are_held(s);
    bool first = q->b->frame == FLX_FRAME_TANGENT && is_plain(s->interfaces);
    for (int i = 0; i < (all ? s->ninterface : first); i++) hold(s->interfaces + i, held);
    if (all || first) {
        p->n = 0;
        FLX_TRY(make_part(q, held, p));
    }
    return find(q, p, held);
}

flx_status flx_shapes_collect(search *q)
{
    part p = {0};
    flx_shapes none = {0};
    bool *held = flx_alloc(q->s->ctx, q->n, sizeof *held);
    flx_status status = held ? run(q, held, &p, &none) : FLX_ERR_MEMORY;
    clear_part(&p);
    flx_free(held);
    return status;
}

flx_status flx_shapes_find(const flx_free_structure *s, const flx_basis *b, flx_shapes *out)
{
    *out = (flx_shapes){.n = s->K->n};
    if (b->study) FLX_TRY(b->study->look(b->study->user, s, b));
    search q = {.s = s, .b = b, .n = (size_t)s->K->n};
    part p = {0};
    bool *held = flx_alloc(s->ctx, q.n, sizeof *held);
    flx_status status = held ? run(&q, held, &p, out) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_shapes_finish(&q, p.n < q.s->K->n ? &p : NULL, out);
    clear_part(&p);
    flx_free(held);
    flx_free(q.MR);
    flx_free(q.error);
    out->V = q.V;
    out->count = q.count;
    out->next = q.next;
    if (status != FLX_OK) flx_shapes_clear(out);
    return status;
}

void flx_shapes_clear(flx_shapes *shapes)
{
    flx_free(shapes->V);
    flx_free(shapes->omega2);
    flx_free(shapes->error);
    flx_free(shapes->M);
    flx_free(shapes->RM);
    *shapes = (flx_shapes){0};
}

flx_status flx_shapes_relax(const flx_free_structure *s, const flx_basis *b, double lowest,
                            int count, double *X)
{
    search q = {.s = s, .b = b, .n = (size_t)s->K->n, .V = X, .count = count, .lowest = lowest};
    size_t all = (size_t)count * q.n;
    double *F = flx_alloc(s->ctx, 2 * all, sizeof *F);
    flx_status status = F ? flx_shapes_prepare(&q) : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        memcpy(F, X, all * sizeof *F);
        status = flx_shapes_solve_free(&q, count, F, X, F + all);
    }
    if (status == FLX_OK) status = flx_shapes_see_from_frame(&q);
    flx_free(F);
    flx_free(q.MR);
    return status;
}
