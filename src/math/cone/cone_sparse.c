// cone_sparse.c - the cone problem with velocities in blocks: M + J^T H J by a sparse LU of these blocks, in which the rows of all
// groups, those that hold always among them, are eliminated before.
#include "math/cone/cone_parts.h"

#include "math/block_lu.h"

#include <math.h>
#include <string.h>

typedef struct part {
    int block, at; // its rows of J, (n x size)
} part;

typedef struct record {
    flx_cone_rows rows;
    int row, part, place; // first of each
} record;

typedef struct flx_cone_sparse {
    flx_cone_matrix M;
    int nentry;          // of M, within the velocities
    bool diagonal;       // M has no entries beside its diagonal blocks
    bool symmetric;      // ... and is symmetric
    flx_block_lu *own;   // M alone
    flx_block_lu *whole; // with the groups
    bool factored;       // own is of this M
    int ngroup, m, npart, nJ, nplace;
    record *records; // (ngroup)
    part *parts;     // (npart)
    double *J;       // (nJ) scaled when it is solved
    double *Y;       // (nJ) M^-1 J^T, where it is asked for
    bool responds;   // Y is known
    int *place;      // (nplace) of each pair of parts of a group, in the values of `whole`
    double *lam;     // (m) results, units of the caller
    uint64_t *edges;
    int room_record, room_part, room_J, room_Y, room_place, room_lam, room_edge;
} flx_cone_sparse;

void flx_cone_sparse_destroy(flx_cone_sparse **at)
{
    if (!at || !*at) return;
    flx_cone_sparse *s = *at;
    flx_block_lu_destroy(&s->own);
    flx_block_lu_destroy(&s->whole);
    void *all[] = {s->records, s->parts, s->J, s->Y, s->place, s->lam, s->edges};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) flx_free(all[i]);
    flx_free(s);
    *at = NULL;
}

// ---- making it --------------------------------------------------------------------------------------------

static int block_size(const flx_cone_sparse *s, int block)
{
    return s->M.start[block + 1] - s->M.start[block];
}

// Whether M is block diagonal, and symmetric.
static void look_at_matrix(flx_cone_sparse *s)
{
    s->diagonal = s->symmetric = true;
    s->nentry = 0;
    for (int i = 0; i < s->M.nblock; i++) {
        int n = block_size(s, i);
        for (int e = s->M.row[i]; e < s->M.row[i + 1]; e++) {
            const double *a = s->M.value + s->M.offset[e];
            if (s->M.col[e] >= s->M.nblock) continue;
            s->nentry++;
            if (s->M.col[e] != i) {
                for (int k = 0; s->diagonal && k < n * block_size(s, s->M.col[e]); k++)
                    s->diagonal = a[k] == 0;
                continue;
            }
            for (int k = 0; k < n; k++) {
                for (int l = 0; l < k; l++) {
                    double size = sqrt(fabs(a[n * k + k] * a[n * l + l]));
                    s->symmetric &= fabs(a[n * k + l] - a[n * l + k]) <= 1e-10 * size;
                }
            }
        }
    }
}

static flx_status make_sparse(flx_cone *c)
{
    if (!c->sparse) {
        flx_cone_sparse *s = c->sparse = flx_alloc(c->ctx, 1, sizeof *c->sparse);
        if (!s) return FLX_ERR_MEMORY;
        s->own = flx_block_lu_create(c->ctx);
        s->whole = flx_block_lu_create(c->ctx);
    }
    return c->sparse->own && c->sparse->whole ? FLX_OK : FLX_ERR_MEMORY;
}

// Groups as those of contacts: three rows on two bodies.
flx_status flx_cone_reserve_sparse(flx_cone *c, int nblock, int nv, int ngroup)
{
    FLX_TRY(make_sparse(c));
    flx_cone_sparse *s = c->sparse;
    flx_ctx *ctx = c->ctx;
    int edges = 4 * ngroup + nblock;
    FLX_TRY(flx_cone_room(c, 3 * ngroup, ngroup));
    FLX_TRY(flx_cone_room_velocities(c, nv));
    FLX_TRY(flx_grow(ctx, (void **)&s->records, &s->room_record, ngroup, sizeof *s->records));
    FLX_TRY(flx_grow(ctx, (void **)&s->parts, &s->room_part, 2 * ngroup, sizeof *s->parts));
    FLX_TRY(flx_grow(ctx, (void **)&s->J, &s->room_J, 36 * ngroup, sizeof *s->J));
    FLX_TRY(flx_grow(ctx, (void **)&s->Y, &s->room_Y, 36 * ngroup, sizeof *s->Y));
    FLX_TRY(flx_grow(ctx, (void **)&s->place, &s->room_place, 4 * ngroup, sizeof *s->place));
    FLX_TRY(flx_grow(ctx, (void **)&s->lam, &s->room_lam, 3 * ngroup, sizeof *s->lam));
    FLX_TRY(flx_grow(ctx, (void **)&c->big, &c->room_big, 32, sizeof *c->big));
    FLX_TRY(flx_grow(ctx, (void **)&s->edges, &s->room_edge, edges, sizeof *s->edges));
    FLX_TRY(flx_block_lu_reserve(s->own, nblock, nv, 2 * nblock));
    return flx_block_lu_reserve(s->whole, nblock, nv, ngroup);
}

flx_status flx_cone_begin(flx_cone *c, const flx_cone_matrix *M)
{
    FLX_TRY(make_sparse(c));
    flx_cone_sparse *s = c->sparse;
    s->M = *M;
    s->ngroup = s->m = s->npart = s->nJ = s->nplace = 0;
    s->factored = false;
    c->nv = M->start[M->nblock];
    look_at_matrix(s);
    return flx_cone_room_velocities(c, c->nv);
}

flx_status flx_cone_add(flx_cone *c, const flx_cone_rows *rows)
{
    flx_cone_sparse *s = c->sparse;
    int nJ = s->nJ;
    for (int i = 0; i < rows->npart; i++) nJ += rows->n * block_size(s, rows->block[i]);
    FLX_TRY(
        flx_grow(c->ctx, (void **)&s->records, &s->room_record, s->ngroup + 1, sizeof *s->records));
    FLX_TRY(flx_grow(c->ctx, (void **)&s->parts, &s->room_part, s->npart + rows->npart,
                     sizeof *s->parts));
    FLX_TRY(flx_grow(c->ctx, (void **)&s->J, &s->room_J, nJ, sizeof *s->J));
    s->records[s->ngroup++] =
        (record){.rows = *rows, .row = s->m, .part = s->npart, .place = s->nplace};
    s->m += rows->n;
    s->nplace += rows->npart * rows->npart;
    for (int i = 0; i < rows->npart; i++) {
        int size = rows->n * block_size(s, rows->block[i]);
        memcpy(s->J + s->nJ, rows->J[i], (size_t)size * sizeof *s->J);
        s->parts[s->npart++] = (part){.block = rows->block[i], .at = s->nJ};
        s->nJ += size;
    }
    return FLX_OK;
}

const double *flx_cone_lambda(const flx_cone *c, int group)
{
    return c->sparse->lam + c->sparse->records[group].row;
}

// ---- the matrix -------------------------------------------------------------------------------------------

static flx_status add_edge(flx_cone *c, int *n, int i, int j)
{
    flx_cone_sparse *s = c->sparse;
    if (i == j) return FLX_OK;
    FLX_TRY(flx_grow(c->ctx, (void **)&s->edges, &s->room_edge, *n + 1, sizeof *s->edges));
    s->edges[(*n)++] = i < j ? (uint64_t)i << 32 | (uint32_t)j : (uint64_t)j << 32 | (uint32_t)i;
    return FLX_OK;
}

static flx_status edges_of_matrix(flx_cone *c, int *n)
{
    flx_cone_sparse *s = c->sparse;
    for (int i = 0; !s->diagonal && i < s->M.nblock; i++) {
        for (int e = s->M.row[i]; e < s->M.row[i + 1]; e++) {
            if (s->M.col[e] < i) FLX_TRY(add_edge(c, n, i, s->M.col[e]));
        }
    }
    return FLX_OK;
}

// M, or the half of M and its transpose.
static void add_matrix(const flx_cone_sparse *s, bool half, const flx_block_lu *lu, double *values)
{
    for (int i = 0; i < s->M.nblock; i++) {
        for (int e = s->M.row[i]; e < s->M.row[i + 1]; e++) {
            int j = s->M.col[e];
            if (j >= s->M.nblock || (s->diagonal && j != i)) continue;
            double *to = values + flx_block_lu_place(lu, i, j), by = half ? 0.5 : 1.0;
            const double *from = s->M.value + s->M.offset[e];
            int ni = block_size(s, i), nj = block_size(s, j);
            for (int k = 0; k < ni * nj; k++) to[k] += by * from[k];
            if (!half) continue;
            to = values + flx_block_lu_place(lu, j, i);
            for (int k = 0; k < ni; k++) {
                for (int l = 0; l < nj; l++) to[l * ni + k] += by * from[k * nj + l];
            }
        }
    }
}

static flx_status factor_own(flx_cone *c)
{
    flx_cone_sparse *s = c->sparse;
    int n = 0;
    if (s->factored) return FLX_OK;
    FLX_TRY(edges_of_matrix(c, &n));
    FLX_TRY(flx_block_lu_analyse(s->own, s->M.nblock, s->M.start, n, s->edges));
    add_matrix(s, false, s->own, flx_block_lu_values(s->own));
    if (!flx_block_lu_factor(s->own)) return FLX_SINGULAR;
    s->factored = true;
    return FLX_OK;
}

flx_status flx_cone_free_motion(flx_cone *c, double *p)
{
    FLX_TRY(factor_own(c));
    flx_block_lu_solve(c->sparse->own, p);
    return FLX_OK;
}

static flx_status analyse(flx_cone *c)
{
    flx_cone_sparse *s = c->sparse;
    int n = 0;
    FLX_TRY(edges_of_matrix(c, &n));
    for (int k = 0; k < s->ngroup; k++) {
        const record *r = &s->records[k];
        for (int i = 0; i < r->rows.npart; i++) {
            for (int j = 0; j < i; j++)
                FLX_TRY(add_edge(c, &n, s->parts[r->part + i].block, s->parts[r->part + j].block));
        }
    }
    FLX_TRY(flx_block_lu_analyse(s->whole, s->M.nblock, s->M.start, n, s->edges));
    FLX_TRY(flx_grow(c->ctx, (void **)&s->place, &s->room_place, s->nplace, sizeof *s->place));
    for (int k = 0; k < s->ngroup; k++) {
        const record *r = &s->records[k];
        int np = r->rows.npart;
        for (int i = 0; i < np * np; i++)
            s->place[r->place + i] = flx_block_lu_place(s->whole, s->parts[r->part + i / np].block,
                                                        s->parts[r->part + i % np].block);
    }
    return FLX_OK;
}

// ---- operations -------------------------------------------------------------------------------------------

static void sparse_rates_of(flx_cone *c, int group, const double *v, double *u)
{
    const flx_cone_sparse *s = c->sparse;
    const record *r = &s->records[group];
    memset(u, 0, (size_t)r->rows.n * sizeof *u);
    for (int p = r->part; p < r->part + r->rows.npart; p++) {
        int size = block_size(s, s->parts[p].block);
        const double *J = s->J + s->parts[p].at, *x = v + s->M.start[s->parts[p].block];
        for (int i = 0; i < r->rows.n; i++) {
            for (int k = 0; k < size; k++) u[i] += J[i * size + k] * x[k];
        }
    }
}

static void sparse_rates(flx_cone *c, const double *v, double *u)
{
    for (int k = 0; k < c->ngroup; k++) sparse_rates_of(c, k, v, u + c->group[k].first);
}

static void sparse_forces(flx_cone *c, const double *lam, double *p)
{
    const flx_cone_sparse *s = c->sparse;
    memset(p, 0, (size_t)c->nv * sizeof *p);
    for (int k = 0; k < s->ngroup; k++) {
        const record *r = &s->records[k];
        for (int j = r->part; j < r->part + r->rows.npart; j++) {
            int size = block_size(s, s->parts[j].block);
            const double *J = s->J + s->parts[j].at;
            double *to = p + s->M.start[s->parts[j].block];
            for (int i = 0; i < r->rows.n; i++) {
                double l = lam[r->row + i];
                for (int q = 0; l != 0 && q < size; q++) to[q] += J[i * size + q] * l;
            }
        }
    }
}

static void sparse_respond(flx_cone *c, double *p)
{
    flx_block_lu_solve(c->sparse->own, p);
}

static void sparse_momenta(flx_cone *c, const double *v, double *p)
{
    const flx_cone_sparse *s = c->sparse;
    double by = s->symmetric ? 1.0 : 0.5;
    memset(p, 0, (size_t)c->nv * sizeof *p);
    for (int i = 0; i < s->M.nblock; i++) {
        for (int e = s->M.row[i]; e < s->M.row[i + 1]; e++) {
            int j = s->M.col[e], size = block_size(s, j);
            if (j >= s->M.nblock) continue;
            const double *a = s->M.value + s->M.offset[e], *x = v + s->M.start[j];
            const double *y = v + s->M.start[i];
            double *to = p + s->M.start[i], *back = p + s->M.start[j];
            for (int k = 0; k < block_size(s, i); k++) {
                for (int l = 0; l < size; l++) to[k] += by * a[k * size + l] * x[l];
                for (int l = 0; !s->symmetric && l < size; l++)
                    back[l] += by * a[k * size + l] * y[k];
            }
        }
    }
}

// values of the pair of parts += J_i^T H J_j
static void add_pair(const flx_cone_sparse *s, const record *r, int i, int j, const double *HJ,
                     double *to)
{
    int ni = block_size(s, s->parts[r->part + i].block);
    int nj = block_size(s, s->parts[r->part + j].block);
    const double *J = s->J + s->parts[r->part + i].at;
    for (int row = 0; row < r->rows.n; row++) {
        for (int k = 0; k < ni; k++) {
            double a = J[row * ni + k];
            for (int l = 0; l < nj; l++) to[k * nj + l] += a * HJ[row * nj + l];
        }
    }
}

static bool sparse_factor(flx_cone *c, const double *H)
{
    flx_cone_sparse *s = c->sparse;
    double *values = flx_block_lu_values(s->whole), *HJ = c->big;
    add_matrix(s, c->convex && !s->symmetric, s->whole, values);
    for (int g = 0; g < s->ngroup; g++) {
        const record *r = &s->records[g];
        int np = r->rows.npart, n = r->rows.n;
        const double *h = H + 9 * g;
        double any = 0;
        for (int i = 0; i < 9; i++) any += fabs(h[i]);
        if (any == 0) continue; // open
        for (int j = 0; j < np; j++) {
            int size = block_size(s, s->parts[r->part + j].block);
            const double *J = s->J + s->parts[r->part + j].at;
            for (int row = 0; row < n; row++) {
                for (int l = 0; l < size; l++) {
                    double sum = 0;
                    for (int k = 0; k < n; k++) sum += h[3 * row + k] * J[k * size + l];
                    HJ[row * size + l] = sum;
                }
            }
            for (int i = 0; i < np; i++)
                add_pair(s, r, i, j, HJ, values + s->place[r->place + i * np + j]);
        }
    }
    return flx_block_lu_factor(s->whole);
}

static void sparse_solve(flx_cone *c, double *x)
{
    flx_block_lu_solve(c->sparse->whole, x);
}

// M^-1 J^T of all groups, where M is block diagonal; laid out as J.
static void find_responses(flx_cone_sparse *s, double *x)
{
    for (int g = 0; g < s->ngroup; g++) {
        const record *r = &s->records[g];
        for (int p = r->part; p < r->part + r->rows.npart; p++) {
            int block = s->parts[p].block, size = block_size(s, block);
            for (int i = 0; i < r->rows.n; i++) {
                size_t n = (size_t)size * sizeof *x;
                memcpy(x, s->J + s->parts[p].at + i * size, n);
                flx_block_lu_solve_alone(s->own, block, x);
                memcpy(s->Y + s->parts[p].at + i * size, x, n);
            }
        }
    }
    s->responds = true;
}

// v += M^-1 J^T d of one group
static void sparse_push(flx_cone *c, int group, const double *d, double *v)
{
    flx_cone_sparse *s = c->sparse;
    const record *r = &s->records[group];
    if (!s->responds) find_responses(s, c->big);
    for (int p = r->part; p < r->part + r->rows.npart; p++) {
        int block = s->parts[p].block, size = block_size(s, block);
        double *to = v + s->M.start[block];
        for (int i = 0; i < r->rows.n; i++) {
            const double *Y = s->Y + s->parts[p].at + i * size;
            for (int k = 0; k < size; k++) to[k] += Y[k] * d[i];
        }
    }
}

static const flx_cone_space sparse_space = {
    .rates = sparse_rates,
    .forces = sparse_forces,
    .momenta = sparse_momenta,
    .respond = sparse_respond,
    .factor = sparse_factor,
    .solve = sparse_solve,
};
static const flx_cone_space sparse_loose_space = {
    // nothing couples the blocks but the groups
    .rates = sparse_rates,       .forces = sparse_forces, .momenta = sparse_momenta,
    .respond = sparse_respond,   .factor = sparse_factor, .solve = sparse_solve,
    .rates_of = sparse_rates_of, .push = sparse_push,
};

// ---- solving ----------------------------------------------------------------------------------------------

// J M_ii^-1 J^T of one row with the diagonal of M: what its scale comes from.
static double mobility(const flx_cone *c, const record *r, int row)
{
    const flx_cone_sparse *s = c->sparse;
    double sum = 0;
    for (int p = r->part; p < r->part + r->rows.npart; p++) {
        int block = s->parts[p].block, size = block_size(s, block);
        const double *J = s->J + s->parts[p].at + row * size;
        for (int k = 0; k < size; k++) {
            double mass = c->grad[s->M.start[block] + k];
            if (mass > 0) sum += J[k] * J[k] / mass;
        }
    }
    return sum;
}

static void read_masses(flx_cone *c)
{
    const flx_cone_sparse *s = c->sparse;
    for (int i = 0; i < s->M.nblock; i++) {
        for (int e = s->M.row[i]; e < s->M.row[i + 1]; e++) {
            int n = block_size(s, i);
            const double *a = s->M.value + s->M.offset[e];
            for (int k = 0; s->M.col[e] == i && k < n; k++)
                c->grad[s->M.start[i] + k] = a[n * k + k];
        }
    }
}

static void scale_group(flx_cone *c, int k)
{
    flx_cone_sparse *s = c->sparse;
    const record *r = &s->records[k];
    int n = r->rows.n;
    double w[3] = {0}, scale[3];
    for (int i = 0; i < n; i++) w[i] = mobility(c, r, i);
    if (n == 3) w[1] = w[2] = fmax(w[1], w[2]);
    for (int i = 0; i < n; i++) {
        scale[i] = w[i] > 0 ? 1 / sqrt(w[i]) : 1.0;
        c->scale[r->row + i] = scale[i];
        c->b[r->row + i] = scale[i] * r->rows.b[i];
        c->C[r->row + i] = scale[i] * scale[i] * r->rows.compliance[i];
        c->lam[r->row + i] = r->rows.lambda[i] / scale[i];
        for (int p = r->part; p < r->part + r->rows.npart; p++) {
            int size = block_size(s, s->parts[p].block);
            for (int l = 0; l < size; l++) s->J[s->parts[p].at + i * size + l] *= scale[i];
        }
    }
    bool slides = r->rows.slides && n > 1;
    c->group[k] = (flx_cone_member){.kind = r->rows.holds ? FLX_CONE_HOLDS
                                            : slides      ? FLX_CONE_DIRECTED
                                                          : FLX_CONE_COULOMB,
                                    .first = r->row,
                                    .n = n,
                                    .f = n > 1 ? r->rows.friction * scale[0] / scale[1] : 0.0,
                                    .slip = {r->rows.slip[0], r->rows.slip[1]}};
}

static bool has_guess(const flx_cone *c)
{
    for (int i = 0; i < c->m; i++) {
        if (c->lam[i] != 0) return true;
    }
    return false;
}

static flx_status room_block(flx_cone *c)
{
    const flx_cone_sparse *s = c->sparse;
    int most = 0;
    for (int i = 0; i < s->M.nblock; i++) {
        if (block_size(s, i) > most) most = block_size(s, i);
    }
    return flx_grow(c->ctx, (void **)&c->big, &c->room_big, 3 * most, sizeof *c->big);
}

flx_status flx_cone_solve_sparse(flx_cone *c, int warm, double *v, flx_cone_report *report)
{
    flx_cone_sparse *s = c->sparse;
    *report = (flx_cone_report){.stage = warm ? FLX_CONE_WARM : FLX_CONE_COLD, .worst = -1};
    memset(v, 0, (size_t)c->nv * sizeof *v);
    if (s->m == 0) return FLX_OK;
    FLX_TRY(flx_cone_room(c, s->m, s->ngroup));
    FLX_TRY(flx_grow(c->ctx, (void **)&s->lam, &s->room_lam, s->m, sizeof *s->lam));
    FLX_TRY(flx_grow(c->ctx, (void **)&s->Y, &s->room_Y, s->nJ, sizeof *s->Y));
    s->responds = false;
    FLX_TRY(room_block(c));
    FLX_TRY(factor_own(c));
    FLX_TRY(analyse(c));
    c->m = s->m;
    c->ngroup = s->ngroup;
    read_masses(c);
    for (int k = 0; k < s->ngroup; k++) scale_group(c, k);
    if (!flx_cone_is_finite((size_t)s->m, c->b) || !flx_cone_is_finite((size_t)s->nJ, s->J))
        return FLX_NOT_FINITE;
    if (warm && !flx_cone_is_finite((size_t)s->m, c->lam)) warm = 0;
    if (warm) warm = has_guess(c); // nothing known: all closed and sticking is nearer
    c->space = s->diagonal ? &sparse_loose_space : &sparse_space;
    c->enough = 1e-8;
    c->aim = 1e-14; // what is left of a step is there in the next one, and adds up
    report->stage = flx_cone_find(c, warm);
    report->iterations = c->iterations;
    memcpy(c->lam, c->best, (size_t)c->m * sizeof *c->lam);
    flx_cone_respond(c);
    flx_cone_natural(c, 1, c->lam, c->u, c->F, NULL);
    report->residual = flx_cone_residual(c, c->lam, c->u, c->F, &report->worst);
    for (int i = 0; i < c->m; i++) s->lam[i] = c->scale[i] * c->lam[i];
    memcpy(v, c->v, (size_t)c->nv * sizeof *v);
    return report->residual <= FLX_CONE_LIMIT ? FLX_OK : FLX_NO_CONVERGENCE;
}
