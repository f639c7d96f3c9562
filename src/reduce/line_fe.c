// line_fe.c - a straight line of equal beam elements: its stiffness and mass, modes, Guyan's and Craig and
// Bampton's bases, and the frame that the shapes are seen from.
//
// Guyan: V = (1; -Kss^-1 Ksm); Craig-Bampton: and the modes with fixed interfaces; then the modes of
// V^T K V, V^T M V without the rigid ones.                                                        (BML-4)
#include "math/blas.h"
#include "reduce/bases.h"
#include "reduce/line_element.h"

#include <math.h>
#include <string.h>

typedef struct mesh {
    flx_ctx *ctx;
    const flx_line *line;
    flx_loc loc;
    int ne, nd, N;     // elements, unknowns a node, unknowns
    double h;          // length of an element
    double axes[3][3]; // t, y, z of the line, body axes
    double *K, *M;     // owned (N x N)
    double *V;         // owned (N x columns) columns one after another: a shape each
    int n;             // shapes
    double *omega2;    // owned (N) of the shapes
    double *error; // owned (N) how far their roots are above those of all unknowns, in proportion
    double next;   // of the first mode left out; 0: not known
    const flx_reduction_report *report; // NULL: none
} mesh;

static const int planar_unknowns[3] = {0, 1, 5};

static int unknown_of(const mesh *m, int j)
{
    return m->nd == 3 ? planar_unknowns[j] : j;
}

// ---- one element --------------------------------------------------------------------------------

static void assemble(mesh *m)
{
    double Ke[144], Me[144];
    for (int e = 0; e < m->ne; e++) {
        if (e == 0 || m->line->along) flx_line_matrices(m->line, m->h, e, Ke, Me);
        for (int i = 0; i < 2 * m->nd; i++) {
            for (int j = 0; j < 2 * m->nd; j++) {
                int from = 12 * (i / m->nd * 6 + unknown_of(m, i % m->nd)) + j / m->nd * 6 +
                           unknown_of(m, j % m->nd);
                size_t to = (size_t)(e * m->nd + i) * (size_t)m->N + (size_t)(e * m->nd + j);
                m->K[to] += Ke[from];
                m->M[to] += Me[from];
            }
        }
    }
}

// ---- bases --------------------------------------------------------------------------------------

// The modes skip .. skip + count - 1 of the unknowns listed, as columns of V from `first` on.
static flx_status modes_of(mesh *m, int nfree, const int *list, int skip, int count, int first)
{
    size_t n = (size_t)nfree;
    if (count == 0) return FLX_OK;
    if (skip + count > nfree) {
        return FLX_FAIL(m->ctx, FLX_ERR_MODEL, m->loc,
                        "a line of %d elements has %d modes here, not %d; give more elements",
                        m->ne, nfree - skip, count);
    }
    int last = skip + count, found = 0;
    if (last < nfree) last++; // the first one left out
    double *K = flx_alloc(m->ctx, 2 * n * n + n * (size_t)last + n, sizeof *K);
    lapack_int *fail = flx_alloc(m->ctx, n, sizeof *fail);
    if (!K || !fail) {
        flx_free(K);
        flx_free(fail);
        return FLX_ERR_MEMORY;
    }
    double *M = K + n * n, *Y = M + n * n, *omega2 = Y + n * (size_t)last;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            size_t from = (size_t)list[i] * (size_t)m->N + (size_t)list[j];
            K[i * n + j] = m->K[from];
            M[i * n + j] = m->M[from];
        }
    }
    lapack_int info = 0;
    FLX_ONE_THREAD info =
        LAPACKE_dsygvx(LAPACK_COL_MAJOR, 1, 'V', 'I', 'U', nfree, K, nfree, M, nfree, 0, 0, 1, last,
                       2.0 * LAPACKE_dlamch('S'), &found, omega2, Y, nfree, fail);
    for (int k = 0; info == 0 && k < count; k++) {
        double *shape = m->V + (size_t)(first + k) * (size_t)m->N;
        const double *y = Y + (size_t)(skip + k) * n;
        for (int i = 0; i < nfree; i++) shape[list[i]] = y[i];
        m->omega2[first + k] = omega2[skip + k];
    }
    if (info == 0 && last > skip + count) m->next = omega2[skip + count];
    flx_free(K);
    flx_free(fail);
    if (info == 0) return FLX_OK;
    return FLX_FAIL(m->ctx, FLX_NO_CONVERGENCE, m->loc, "the modes of the line were not found");
}

// Static shapes of the masters: V = (1; -Kss^-1 Ksm).
static flx_status static_shapes(mesh *m, int nm, const int *masters, int ns, const int *slaves)
{
    size_t n = (size_t)ns, r = (size_t)nm;
    double *K = flx_alloc(m->ctx, n * n + n * r, sizeof *K);
    if (!K) return FLX_ERR_MEMORY;
    double *B = K + n * n;
    for (size_t i = 0; i < n; i++) {
        const double *row = m->K + (size_t)slaves[i] * (size_t)m->N;
        for (size_t j = 0; j < n; j++) K[i * n + j] = row[slaves[j]];
        for (size_t j = 0; j < r; j++) B[j * n + i] = -row[masters[j]];
    }
    lapack_int info = 0;
    if (ns > 0) FLX_ONE_THREAD info = LAPACKE_dposv(LAPACK_COL_MAJOR, 'U', ns, nm, K, ns, B, ns);
    for (int k = 0; info == 0 && k < nm; k++) {
        double *shape = m->V + (size_t)k * (size_t)m->N;
        shape[masters[k]] = 1.0;
        for (int i = 0; i < ns; i++) shape[slaves[i]] = B[(size_t)k * n + (size_t)i];
    }
    flx_free(K);
    if (info == 0) return FLX_OK;
    return FLX_FAIL(m->ctx, FLX_ERR_MODEL, m->loc,
                    "the interfaces do not hold the line: its static shapes are not determined");
}

// V <- the modes of V^T K V and V^T M V, without the rigid ones.
static flx_status orthonormalise(mesh *m, int r, int rigid)
{
    size_t N = (size_t)m->N, n = (size_t)r;
    double *KV = flx_alloc(m->ctx, 2 * N * n + 2 * n * n + n, sizeof *KV);
    if (!KV) return FLX_ERR_MEMORY;
    double *W = KV + N * n, *A = W + N * n, *B = A + n * n, *omega2 = B + n * n;
    for (int k = 0; k < 2; k++) {
        FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m->N, r, m->N, 1.0,
                                   k ? m->M : m->K, m->N, m->V, m->N, 0.0, KV, m->N);
        FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, r, r, m->N, 1.0, m->V,
                                   m->N, KV, m->N, 0.0, k ? B : A, r);
    }
    lapack_int info = 0;
    FLX_ONE_THREAD info = LAPACKE_dsygv(LAPACK_COL_MAJOR, 1, 'V', 'U', r, A, r, B, r, omega2);
    if (info == 0) {
        FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m->N, r - rigid, r,
                                   1.0, m->V, m->N, A + (size_t)rigid * n, r, 0.0, W, m->N);
        memcpy(m->V, W, N * (size_t)(r - rigid) * sizeof *W);
        m->n = r - rigid;
        for (int k = 0; k < m->n; k++) m->omega2[k] = omega2[rigid + k];
    }
    flx_free(KV);
    if (info == 0) return FLX_OK;
    return FLX_FAIL(m->ctx, FLX_ERR_MODEL, m->loc, "the shapes of the interfaces are dependent");
}

// (MSH-5) of all shapes, which move without their rigid part.
static flx_status check_shapes(mesh *m)
{
    size_t N = (size_t)m->N, n = (size_t)m->n;
    double *A = flx_alloc(m->ctx, N * N + 2 * N * n + N, sizeof *A);
    if (!A) return FLX_ERR_MEMORY;
    double *MV = A + N * N, *Y = MV + N * n, *My = Y + N * n,
           shift = FLX_SHAPES_SHIFT * m->omega2[0];
    for (size_t i = 0; i < N * N; i++) A[i] = m->K[i] + shift * m->M[i];
    FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m->N, m->n, m->N, 1.0,
                               m->M, m->N, m->V, m->N, 0.0, MV, m->N);
    memcpy(Y, MV, N * n * sizeof *Y);
    lapack_int info = 0;
    FLX_ONE_THREAD info = LAPACKE_dposv(LAPACK_COL_MAJOR, 'U', m->N, m->n, A, m->N, Y, m->N);
    for (int k = 0; k < m->n; k++) {
        const double *y = Y + (size_t)k * N;
        FLX_ONE_THREAD cblas_dsymv(CblasColMajor, CblasUpper, m->N, 1.0, m->M, m->N, y, 1, 0.0, My,
                                   1);
        double rho = flx_blas_dot(m->N, y, MV + (size_t)k * N) / flx_blas_dot(m->N, y, My) - shift;
        // rounding makes the best of them a little better than exact
        m->error[k] =
            info == 0 && rho > 0 ? fmax(0.0, sqrt(m->omega2[k] / rho) - 1.0) : (double)NAN;
    }
    flx_free(A);
    return FLX_OK;
}

// ---- frames -------------------------------------------------------------------------------------

static double *nodal(const mesh *m, double *shape, int node, int unknown)
{
    for (int j = 0; j < m->nd; j++) {
        if (unknown_of(m, j) == unknown) return shape + node * m->nd + j;
    }
    return NULL;
}

static double value_at(const mesh *m, double *shape, int node, int unknown)
{
    const double *x = nodal(m, shape, node, unknown);
    return x ? *x : 0.0;
}

// Take the rigid motion away that the frame makes.
static void fix_frame(const mesh *m, flx_frame_kind frame, double *shape)
{
    double a[6], L = m->h * m->ne;
    if (frame == FLX_FRAME_BUCKENS) return;
    for (int i = 0; i < 6; i++) a[i] = value_at(m, shape, 0, i);
    if (frame == FLX_FRAME_CHORD) {
        a[4] = -(value_at(m, shape, m->ne, 2) - a[2]) / L;
        a[5] = (value_at(m, shape, m->ne, 1) - a[1]) / L;
    }
    for (int k = 0; k <= m->ne; k++) {
        double x = k * m->h;
        const double rigid[6] = {a[0], a[1] + a[5] * x, a[2] - a[4] * x, a[3], a[4], a[5]};
        for (int i = 0; i < 6; i++) {
            double *to = nodal(m, shape, k, i);
            if (to) *to -= rigid[i];
        }
    }
}

// Whether a frame holds an unknown of a node at zero.
static bool holds(const mesh *m, flx_frame_kind frame, int node, int unknown)
{
    if (frame == FLX_FRAME_BUCKENS) return false;
    if (frame == FLX_FRAME_TANGENT) return node == 0;
    if (node == 0) return unknown < 4;
    return node == m->ne && (unknown == 1 || unknown == 2);
}

// The last node goes to the positive side.
static void choose_sign(const mesh *m, double *shape)
{
    double most = 0.0;
    for (int i = 0; i < 6; i++) {
        double x = value_at(m, shape, m->ne, i);
        if (fabs(x) > fabs(most) * (1.0 + 1e-9)) most = x;
    }
    for (int i = 0; most < 0 && i < m->N; i++) shape[i] = -shape[i];
}

// ---- as a free structure ------------------------------------------------------------------------------

typedef struct sparse_line {
    flx_symmetric K, M;   // owned
    double *rigid;        // owned (6 x N)
    flx_interface *nodes; // owned (ne + 1)
    int *unknowns;        // owned (N)
    flx_free_structure s;
} sparse_line;

static flx_status fill_sparse(const mesh *m, sparse_line *x)
{
    int width = 2 * m->nd;
    int64_t *first = flx_alloc(m->ctx, (size_t)m->ne + 1, sizeof *first);
    int *list = flx_alloc(m->ctx, (size_t)(m->ne * width), sizeof *list);
    flx_status status = first && list ? FLX_OK : FLX_ERR_MEMORY;
    for (int e = 0; e <= m->ne && status == FLX_OK; e++) first[e] = (int64_t)e * width;
    for (int i = 0; i < m->ne * width && status == FLX_OK; i++) {
        list[i] = i / width * m->nd + i % width;
    }
    if (status == FLX_OK) status = flx_symmetric_init(m->ctx, m->N, m->ne, first, list, &x->K);
    if (status == FLX_OK) status = flx_symmetric_init_like(m->ctx, &x->K, &x->M);
    for (int j = 0; j < m->N && status == FLX_OK; j++) {
        for (int64_t at = x->K.start[j]; at < x->K.start[j + 1]; at++) {
            size_t from = (size_t)x->K.row[at] * (size_t)m->N + (size_t)j;
            x->K.value[at] = m->K[from];
            x->M.value[at] = m->M[from];
        }
    }
    flx_free(first);
    flx_free(list);
    return status;
}

// Shifts along and turns about the axes of the line, at its start.
static void fill_rigid(const mesh *m, double *rigid)
{
    for (int j = 0; j < m->nd; j++) {
        int motion = unknown_of(m, j);
        for (int i = 0; i < m->N; i++) {
            int c = unknown_of(m, i % m->nd);
            double x = i / m->nd * m->h, value = c == motion;
            if (motion == 5 && c == 1) value = x;
            if (motion == 4 && c == 2) value = -x;
            rigid[(size_t)j * (size_t)m->N + (size_t)i] = value;
        }
    }
}

static void fill_node(const mesh *m, sparse_line *x, int node, flx_interface *f)
{
    static const double one = 1.0;
    for (int j = 0; j < m->nd; j++) {
        int c = unknown_of(m, j), i = node * m->nd + j;
        x->unknowns[i] = i;
        f->count[c] = 1;
        f->unknown[c] = x->unknowns + i;
        f->weight[c] = &one;
    }
    f->at[0] = node * m->h;
    f->name = node == 0 ? "start" : node == m->ne ? "end" : "node";
}

static void clear_sparse(sparse_line *x)
{
    flx_symmetric_clear(&x->K);
    flx_symmetric_clear(&x->M);
    flx_free(x->rigid);
    flx_free(x->nodes);
    flx_free(x->unknowns);
}

// Its interfaces are the nodes of the list, NULL: all.
static flx_status make_sparse(const mesh *m, int count, const int *list, const char *const *names,
                              sparse_line *x)
{
    size_t N = (size_t)m->N;
    if (!list) count = m->ne + 1;
    *x = (sparse_line){.rigid = flx_alloc(m->ctx, 6 * N, sizeof(double)),
                       .nodes = flx_alloc(m->ctx, (size_t)count, sizeof *x->nodes),
                       .unknowns = flx_alloc(m->ctx, N, sizeof *x->unknowns)};
    flx_status status = x->rigid && x->nodes && x->unknowns ? fill_sparse(m, x) : FLX_ERR_MEMORY;
    if (status != FLX_OK) {
        clear_sparse(x);
        return status;
    }
    fill_rigid(m, x->rigid);
    for (int i = 0; i < count; i++) {
        fill_node(m, x, list ? list[i] : i, x->nodes + i);
        if (names) x->nodes[i].name = names[i];
    }
    x->s = (flx_free_structure){.ctx = m->ctx,
                                .loc = m->loc,
                                .K = &x->K,
                                .M = &x->M,
                                .nrigid = m->nd,
                                .rigid = x->rigid,
                                .ninterface = count,
                                .interfaces = x->nodes};
    return FLX_OK;
}

// Shapes that are found of any structure; or, of others, a look at it.
static flx_status choose_shapes(mesh *m, const flx_basis *b)
{
    sparse_line x;
    flx_shapes shapes = {0};
    flx_basis own = *b; // seen from the frame below
    own.frame = FLX_FRAME_BUCKENS;
    own.study = NULL;
    FLX_TRY(make_sparse(m, b->ninterface, b->interfaces, b->names, &x));
    flx_status status = b->study ? b->study->look(b->study->user, &x.s, b) : FLX_OK;
    bool chosen = flx_basis_get(b->kind)->choose != NULL;
    if (status == FLX_OK && chosen) status = flx_shapes_find(&x.s, &own, &shapes);
    if (status == FLX_OK && chosen) {
        size_t n = (size_t)shapes.count;
        m->n = shapes.count;
        m->report = shapes.report;
        memcpy(m->V, shapes.V, n * (size_t)m->N * sizeof *m->V);
        memcpy(m->omega2, shapes.omega2, n * sizeof *m->omega2);
        memcpy(m->error, shapes.error, n * sizeof *m->error);
        for (int k = 0; k < m->n; k++) fix_frame(m, b->frame, m->V + (size_t)k * (size_t)m->N);
    }
    flx_shapes_clear(&shapes);
    clear_sparse(&x);
    return status;
}

static flx_status find_shapes(mesh *m, const flx_basis *b)
{
    int rigid = m->nd == 3 ? 3 : 6, nm = 0, ns = 0;
    if (flx_basis_get(b->kind)->choose || b->study) FLX_TRY(choose_shapes(m, b));
    if (flx_basis_get(b->kind)->choose) return FLX_OK;
    int *list = flx_alloc(m->ctx, 2 * (size_t)m->N, sizeof *list);
    if (!list) return FLX_ERR_MEMORY;
    int *slaves = list + m->N;
    flx_status status = FLX_OK;
    if (b->kind == FLX_BASIS_MODES) {
        for (int i = 0; i < m->N; i++) {
            if (!holds(m, b->frame, i / m->nd, unknown_of(m, i % m->nd))) list[nm++] = i;
        }
        m->n = b->modes;
        status = modes_of(m, nm, list, b->frame == FLX_FRAME_BUCKENS ? rigid : 0, b->modes, 0);
    } else {
        for (int i = 0; i < m->N; i++) {
            bool master = false;
            for (int k = 0; k < b->ninterface; k++) {
                master = master || b->interfaces[k] == i / m->nd;
            }
            if (master) {
                list[nm++] = i;
            } else {
                slaves[ns++] = i;
            }
        }
        int modes = b->kind == FLX_BASIS_GUYAN ? 0 : b->modes;
        status = static_shapes(m, nm, list, ns, slaves);
        if (status == FLX_OK) status = modes_of(m, ns, slaves, 0, modes, nm);
        if (status == FLX_OK) status = orthonormalise(m, nm + modes, rigid);
        if (status == FLX_OK) status = check_shapes(m);
        for (int k = 0; status == FLX_OK && k < m->n; k++) {
            fix_frame(m, b->frame, m->V + (size_t)k * (size_t)m->N);
        }
    }
    for (int k = 0; status == FLX_OK && k < m->n; k++) {
        choose_sign(m, m->V + (size_t)k * (size_t)m->N);
    }
    flx_free(list);
    return status;
}

// ---- as a field ---------------------------------------------------------------------------------

static flx_status shape_at(void *user, int element, double s, const flx_line_field *out)
{
    const mesh *m = user;
    flx_line_unit f[12];
    flx_line_units(m->line, m->h, element, s * m->ne - element, f);
    for (int k = 0; k < m->n; k++) {
        const double *q = m->V + (size_t)k * (size_t)m->N + element * m->nd;
        double sum[4][3] = {{0}};
        for (int j = 0; j < 2 * m->nd; j++) {
            const flx_line_unit *o = f + (j / m->nd * 6 + unknown_of(m, j % m->nd));
            const double *const from[4] = {o->u, o->du, o->turn, o->dturn};
            for (int i = 0; i < 12; i++) sum[i / 3][i % 3] += q[j] * from[i / 3][i % 3];
        }
        double *const to[4] = {out->u, out->du, out->turn, out->dturn};
        for (int i = 0; i < 12; i++) {
            double x = 0.0;
            for (int c = 0; c < 3; c++) x += m->axes[c][i % 3] * sum[i / 3][c];
            to[i / 3][3 * k + i % 3] = x;
        }
    }
    return FLX_OK;
}

// ---- what the shapes leave out --------------------------------------------------------------------

// From the line's axes to the body's.
static void take_residual(const mesh *m, const double *r, double *out)
{
    for (int i = 0; i < 9; i++) {
        double sum = 0.0;
        for (int c = 0; c < 9; c++) sum += m->axes[c / 3][i / 3] * r[c] * m->axes[c % 3][i % 3];
        out[i] = sum;
    }
}

static flx_status find_residual(mesh *m, flx_arena *arena, flx_elastic *e)
{
    size_t count = (size_t)m->ne + 1;
    sparse_line x;
    FLX_TRY(make_sparse(m, 0, NULL, NULL, &x));
    double *line = flx_alloc(m->ctx, 9 * count, sizeof *line);
    double *body = flx_arena_take(arena, 9 * count, sizeof *body);
    const flx_shapes v = {.n = m->N, .count = m->n, .V = m->V, .omega2 = m->omega2};
    flx_status status = line && body ? flx_shapes_residual(&x.s, &v, line, NULL) : FLX_ERR_MEMORY;
    for (int i = 0; i <= m->ne && status == FLX_OK; i++) {
        e->nodes[i].residual = body + 9 * (size_t)i;
        take_residual(m, line + 9 * (size_t)i, e->nodes[i].residual);
    }
    clear_sparse(&x);
    flx_free(line);
    return status;
}

static flx_status set_cut(const mesh *m, flx_arena *arena, flx_elastic *e)
{
    size_t n = (size_t)m->n;
    e->cut = flx_arena_take(arena, 1, sizeof *e->cut);
    double *values = flx_arena_take(arena, 2 * n, sizeof *values);
    if (!e->cut || !values) return FLX_ERR_MEMORY;
    *e->cut = (flx_elastic_cut){m->N, values, values + n, m->next, m->report, 0};
    memcpy(values, m->omega2, n * sizeof *values);
    memcpy(values + n, m->error, n * sizeof *values);
    return FLX_OK;
}

static flx_status make_elastic(mesh *m, flx_arena *arena, const flx_basis *b, flx_elastic **e)
{
    FLX_TRY(find_shapes(m, b));
    FLX_TRY(flx_line_elastic(m->ctx, arena, m->line, m->n, shape_at, m, e));
    for (int k = 0; k < m->n; k++) {
        double f = sqrt(fmax(0.0, m->omega2[k])) / (2.0 * FLX_PI);
        (*e)->labels[k] = flx_arena_printf(arena, "mode %d : %.6g Hz", k + 1, f);
        if (!(*e)->labels[k]) return FLX_ERR_MEMORY;
    }
    if (b->residual) FLX_TRY(find_residual(m, arena, *e));
    return set_cut(m, arena, *e);
}

flx_status flx_line_reduce(flx_ctx *ctx, flx_arena *arena, const flx_line *line,
                           const flx_basis *basis, flx_loc loc, flx_elastic **e)
{
    mesh m = {.ctx = ctx, .line = line, .loc = loc, .ne = line->elements};
    *e = NULL;
    if (line->npoint != 2) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                        "modes are found of straight lines; a line with corners needs 'shapes'");
    }
    m.nd = line->planar ? 3 : 6;
    m.N = m.nd * (m.ne + 1);
    m.h = flx_line_length(line) / m.ne;
    flx_line_axes(line, 0.5, m.axes[0], m.axes[1], m.axes[2]);
    size_t N = (size_t)m.N;
    m.K = flx_alloc(ctx, N * N, sizeof(double));
    m.M = flx_alloc(ctx, N * N, sizeof(double));
    m.V = flx_alloc(ctx, N * N, sizeof(double));
    m.omega2 = flx_alloc(ctx, N, sizeof(double));
    m.error = flx_alloc(ctx, N, sizeof(double));
    flx_status status = FLX_ERR_MEMORY;
    if (m.K && m.M && m.V && m.omega2 && m.error) {
        assemble(&m);
        status = make_elastic(&m, arena, basis, e);
    }
    flx_free(m.K);
    flx_free(m.M);
    flx_free(m.V);
    flx_free(m.omega2);
    flx_free(m.error);
    return status;
}
