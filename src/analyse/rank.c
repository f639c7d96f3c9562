// rank.c - which bonds say the same as others, and which only do so in the position at hand.
//
// The rank of G (with A below it) is found at the start and at two displaced positions. Rows that
// are dependent at the displaced ones are redundant; what is dependent at the start only makes the
// start a singular position. Theory: docs/theory/start.md.
//
// At one position:
// 1 G is equilibrated, so that units and small bodies do not matter.
// 2 A body whose rows, all together, have full rank in its own columns takes no part in any
//   dependence: it is taken away with them, and so is every tree, in O(N).
// 3 What is left falls into connected parts. Small ones: QR with pivoting of G^T. Large ones:
//   Gaussian elimination body by body, smallest front first; a row that vanishes is dependent.
//
// A small pivot counts as zero when it is rounding, or when it lies below SMALL and a wide gap above
// it says that it would be zero but for the accuracy of the geometry.
#include "analyse/rank.h"
#include "analyse/project.h"
#include "math/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DENSE_ROWS 300
#define ROUNDING 1e-9 // pivots against the largest
#define SMALL 2e-3
#define GAP 50.0
#define FULL 0.05 // smallest pivot of a body that is taken away
#define SWEEPS 8  // of the equilibration
// Displacement against the scale of coordinates, and the damping with which it is closed again:
// rows that contradict each other a little must not pull it back.
#define DISPLACEMENT 0.1
#define DAMPING 1e-6
// ... but exact where it can be: with this damping, in so many steps, to these parts of the scale of
// the rows, and with more than this part of a random velocity left.
#define LEAST_DAMPING 1e-13
#define CLOSING_STEPS 12
#define CLOSED 1e-12
#define NEARLY_CLOSED 1e-8
#define LEAST_SHARE 1e-3
#define BIAS 0.1 // earlier rows are kept rather than later ones

typedef struct analysis {
    const flx_system *sys; // borrowed
    flx_ctx *ctx;
    flx_projector *p;
    int first, nrow, dense; // first bond row, rows, limit of the dense method
    int rigid;              // rows without compliance
    const double *values;   // of G on the pattern, at the position in hand
    double *row, *col;      // (nrow) (nv) scale factors
    bool *gone;             // (nrow) not in play: compliant, left out, or taken away
    bool *taken;            // (nblock) of bodies
    int *part;              // (nblock) connected part of each block
    int *queue;             // (nblock)
    bool *queued;           // (nblock)
    flx_state *place;       // a displaced position
} analysis;

// ---- life -----------------------------------------------------------------------------------

static void release(analysis *a)
{
    flx_projector_destroy(&a->p);
    flx_state_destroy(&a->place);
    flx_free(a->row);
    flx_free(a->col);
    flx_free(a->gone);
    flx_free(a->taken);
    flx_free(a->part);
    flx_free(a->queue);
    flx_free(a->queued);
}

static flx_status prepare(analysis *a, const flx_system *s, int dense)
{
    const flx_dims *d = &s->dims;
    size_t nb = (size_t)s->pattern.nblock;
    *a = (analysis){.sys = s, .ctx = s->ctx, .dense = dense};
    a->first = d->nv + d->nx + d->nw;
    a->nrow = d->nlam + d->nmu;
    FLX_TRY(flx_projector_create(s, NULL, &a->p));
    FLX_TRY(flx_state_create(s, &a->place));
    a->row = flx_alloc(s->ctx, (size_t)a->nrow, sizeof *a->row);
    a->col = flx_alloc(s->ctx, (size_t)d->nv, sizeof *a->col);
    a->gone = flx_alloc(s->ctx, (size_t)a->nrow, sizeof *a->gone);
    a->taken = flx_alloc(s->ctx, nb, sizeof *a->taken);
    a->part = flx_alloc(s->ctx, nb, sizeof *a->part);
    a->queue = flx_alloc(s->ctx, nb, sizeof *a->queue);
    a->queued = flx_alloc(s->ctx, nb, sizeof *a->queued);
    bool ok = a->row && a->col && a->gone && a->taken && a->part && a->queue && a->queued;
    return ok ? FLX_OK : FLX_ERR_MEMORY;
}

// ---- walking G ------------------------------------------------------------------------------

// Entries (block row of bonds, block of a body) of the pattern: for every one, its first row, its
// first column, its sizes and its values.
typedef struct patch {
    int r0, nr, c0, nc;
    const double *g; // row-major
} patch;

static bool is_bond(const analysis *a, int block)
{
    return a->sys->pattern.start[block] >= a->first;
}

static bool is_body(const analysis *a, int block)
{
    return a->sys->pattern.start[block] < a->sys->dims.nv;
}

static patch patch_at(const analysis *a, int bond, int e)
{
    const flx_pattern *p = &a->sys->pattern;
    int j = p->col[e];
    return (patch){.r0 = p->start[bond] - a->first,
                   .nr = p->start[bond + 1] - p->start[bond],
                   .c0 = p->start[j],
                   .nc = p->start[j + 1] - p->start[j],
                   .g = a->values + p->offset[e]};
}

// Ruiz: rows and columns are divided by the square root of their largest entry, again and again.
static flx_status equilibrate(analysis *a)
{
    const flx_pattern *p = &a->sys->pattern;
    int nv = a->sys->dims.nv;
    double *big = flx_alloc(a->ctx, (size_t)(a->nrow + nv), sizeof *big);
    if (!big) return FLX_ERR_MEMORY;
    for (int i = 0; i < a->nrow; i++) a->row[i] = 1.0;
    for (int i = 0; i < nv; i++) a->col[i] = a->p->scale[i];
    for (int k = 0; k < SWEEPS; k++) {
        memset(big, 0, (size_t)(a->nrow + nv) * sizeof *big);
        for (int i = 0; i < p->nblock; i++) {
            if (!is_bond(a, i)) continue;
            for (int e = p->row[i]; e < p->row[i + 1]; e++) {
                if (!is_body(a, p->col[e])) continue;
                patch x = patch_at(a, i, e);
                for (int r = 0; r < x.nr; r++) {
                    for (int c = 0; c < x.nc; c++) {
                        double v = fabs(x.g[r * x.nc + c]) * a->row[x.r0 + r] * a->col[x.c0 + c];
                        if (v > big[x.r0 + r]) big[x.r0 + r] = v;
                        if (v > big[a->nrow + x.c0 + c]) big[a->nrow + x.c0 + c] = v;
                    }
                }
            }
        }
        for (int i = 0; i < a->nrow; i++) {
            if (big[i] > 0.0) a->row[i] /= sqrt(big[i]);
        }
        // a column that is nothing but rounding stays that
        for (int i = 0; i < nv; i++) {
            double v = big[a->nrow + i];
            if (v > ROUNDING) a->col[i] /= sqrt(v);
        }
    }
    flx_free(big);
    return FLX_OK;
}

// ---- taking bodies away ---------------------------------------------------------------------

#define MAX_OWN 32 // rows of a body that are looked at

// Whether the rows in play that touch body b have full rank in its columns. Gaussian elimination
// with complete pivoting on the scaled entries.
static bool stands_alone(const analysis *a, int b, int *nrows)
{
    const flx_pattern *p = &a->sys->pattern;
    int nc = p->start[b + 1] - p->start[b], m = 0;
    double A[MAX_OWN * MAX_OWN] = {0};
    *nrows = 0;
    if (nc < 1 || nc > MAX_OWN) return false;
    for (int e = p->row[b]; e < p->row[b + 1]; e++) {
        if (!is_bond(a, p->col[e])) continue;
        patch x = patch_at(a, p->col[e], p->transpose[e]);
        for (int r = 0; r < x.nr; r++) {
            if (a->gone[x.r0 + r]) continue;
            if (m == nc) return false;
            for (int c = 0; c < nc; c++) {
                A[m * nc + c] = x.g[r * nc + c] * a->row[x.r0 + r] * a->col[x.c0 + c];
            }
            m++;
        }
    }
    *nrows = m;
    for (int k = 0; k < m; k++) {
        int pr = k, pc = k;
        for (int r = k; r < m; r++) {
            for (int c = k; c < nc; c++) {
                if (fabs(A[r * nc + c]) > fabs(A[pr * nc + pc])) pr = r, pc = c;
            }
        }
        if (!(fabs(A[pr * nc + pc]) > FULL)) return false;
        for (int c = 0; c < nc; c++) {
            double swap = A[k * nc + c];
            A[k * nc + c] = A[pr * nc + c];
            A[pr * nc + c] = swap;
        }
        for (int r = 0; r < m; r++) {
            double swap = A[r * nc + k];
            A[r * nc + k] = A[r * nc + pc];
            A[r * nc + pc] = swap;
        }
        for (int r = k + 1; r < m; r++) {
            double f = A[r * nc + k] / A[k * nc + k];
            for (int c = k; c < nc; c++) A[r * nc + c] -= f * A[k * nc + c];
        }
    }
    return true;
}

// Every body is looked at, and again when a neighbour has gone.
static void take_away(analysis *a)
{
    const flx_pattern *p = &a->sys->pattern;
    int head = 0, count = 0, nbody = 0;
    memset(a->taken, 0, (size_t)p->nblock * sizeof *a->taken);
    for (int b = 0; b < p->nblock; b++) {
        a->queued[b] = is_body(a, b);
        if (a->queued[b]) a->queue[nbody++] = b;
    }
    count = nbody;
    while (count > 0) {
        int b = a->queue[head], rows;
        head = (head + 1) % nbody;
        count--;
        a->queued[b] = false;
        if (a->taken[b] || !stands_alone(a, b, &rows)) continue;
        a->taken[b] = true;
        for (int e = p->row[b]; e < p->row[b + 1]; e++) {
            int bond = p->col[e];
            if (!is_bond(a, bond)) continue;
            for (int i = p->start[bond]; i < p->start[bond + 1]; i++) a->gone[i - a->first] = true;
            for (int f = p->row[bond]; f < p->row[bond + 1]; f++) {
                int o = p->col[f];
                if (!is_body(a, o) || a->taken[o] || a->queued[o]) continue;
                a->queue[(head + count++) % nbody] = o;
                a->queued[o] = true;
            }
        }
    }
}

// ---- connected parts ------------------------------------------------------------------------

static int root(int *part, int i)
{
    while (part[i] != i) i = part[i] = part[part[i]];
    return i;
}

// Bodies and bond blocks that hang together; a bond block without rows in play belongs to none.
static void find_parts(analysis *a)
{
    const flx_pattern *p = &a->sys->pattern;
    for (int i = 0; i < p->nblock; i++) a->part[i] = i;
    for (int i = 0; i < p->nblock; i++) {
        if (!is_bond(a, i)) continue;
        bool any = false;
        for (int r = p->start[i]; r < p->start[i + 1]; r++) any |= !a->gone[r - a->first];
        if (!any) continue;
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int j = p->col[e];
            if (is_body(a, j)) a->part[root(a->part, i)] = root(a->part, j);
        }
    }
    for (int i = 0; i < p->nblock; i++) a->part[i] = root(a->part, i);
}

// ---- deciding the rank ----------------------------------------------------------------------

// Pivots in descending order: how many count.
static int count_pivots(int n, const double *pivot)
{
    for (int k = 0; k < n; k++) {
        if (!(pivot[k] > ROUNDING * pivot[0])) return k;
        if (k > 0 && pivot[k] <= SMALL * pivot[0] && pivot[k] * GAP <= pivot[k - 1]) return k;
    }
    return n;
}

// ---- small parts ----------------------------------------------------------------------------

// Dependent rows of one part, by QR with pivoting of its G^T.
static flx_status dense_part(analysis *a, int part, int nrow, int ncol, bool *dependent, int *count)
{
    const flx_pattern *p = &a->sys->pattern;
    flx_status status = FLX_ERR_MEMORY;
    double *A = flx_alloc(a->ctx, (size_t)nrow * (size_t)ncol, sizeof *A);
    double *pivot = flx_alloc(a->ctx, (size_t)nrow, sizeof *pivot);
    int *perm = flx_alloc(a->ctx, (size_t)nrow, sizeof *perm);
    int *rows = flx_alloc(a->ctx, (size_t)nrow, sizeof *rows);
    int *place = flx_alloc(a->ctx, (size_t)a->sys->dims.nv, sizeof *place);
    if (!A || !pivot || !perm || !rows || !place) goto done;

    int nc = 0, nr = 0, rank = 0;
    for (int b = 0; b < p->nblock; b++) {
        if (!is_body(a, b) || a->part[b] != part) continue;
        for (int c = p->start[b]; c < p->start[b + 1]; c++) place[c] = nc++;
    }
    for (int i = 0; i < p->nblock; i++) {
        if (!is_bond(a, i) || a->part[i] != part) continue;
        int before = nr;
        for (int r = p->start[i] - a->first; r < p->start[i + 1] - a->first; r++) {
            if (!a->gone[r]) rows[nr++] = r;
        }
        for (int e = p->row[i]; e < p->row[i + 1] && nr > before; e++) {
            if (!is_body(a, p->col[e])) continue;
            patch x = patch_at(a, i, e);
            for (int k = before; k < nr; k++) {
                const double *g = x.g + (rows[k] - x.r0) * x.nc;
                for (int c = 0; c < x.nc; c++) {
                    A[(size_t)k * (size_t)ncol + (size_t)place[x.c0 + c]] =
                        g[c] * a->row[rows[k]] * a->col[x.c0 + c];
                }
            }
        }
    }
    for (int k = 0; k < nr; k++) { // unit rows, later ones a little less
        double *v = A + (size_t)k * (size_t)ncol, norm = 0.0;
        for (int c = 0; c < ncol; c++) norm += v[c] * v[c];
        double f = norm > 0.0 ? (1.0 - BIAS * k / nr) / sqrt(norm) : 0.0;
        for (int c = 0; c < ncol; c++) v[c] *= f;
    }
    status = flx_dense_rank(a->ctx, ncol, nr, A, 0.0, perm, &rank);
    if (status != FLX_OK) goto done;
    int most = nr < ncol ? nr : ncol;
    for (int k = 0; k < most; k++) pivot[k] = fabs(A[(size_t)k * (size_t)ncol + (size_t)k]);
    rank = count_pivots(most, pivot);
    for (int k = rank; k < nr; k++) dependent[rows[perm[k]]] = true;
    *count += nr - rank;

done:
    flx_free(A);
    flx_free(pivot);
    flx_free(perm);
    flx_free(rows);
    flx_free(place);
    return status;
}

// ---- large parts ----------------------------------------------------------------------------

// Rows and the bodies that they touch, dense: what is left of rows after some bodies have been
// eliminated. A row keeps its number while multiples of others are subtracted from it.
typedef struct front {
    int nrow, nbody, ncol;
    int *row, *body; // (nrow) (nbody)
    double *a;       // (nrow x ncol) row-major, bodies in order
} front;

// Fronts that touch a body, as a list.
typedef struct front_link {
    int front, next; // -1: the end
} front_link;

typedef struct elimination {
    const analysis *an;
    front *fronts;
    int nfront, front_capacity;
    front_link *links;
    int nlink, link_capacity;
    int *first;   // (nblock) first link of a body, -1: none
    int *degree;  // (nblock) of a body: columns of its front, about
    int *waiting; // (nblock) bodies that are still there
    int nwaiting;
    int *place;    // (nblock) column of a body in the front being made; -1: not in it
    int *member;   // (nblock) its bodies
    double *pivot; // (nrow) sizes of the pivots
    int npivot;
    double tolerance;
} elimination;

static void front_destroy(front *f)
{
    flx_free(f->row);
    flx_free(f->body);
    flx_free(f->a);
    *f = (front){0};
}

static flx_status front_create(flx_ctx *ctx, int nrow, int nbody, int ncol, front *f)
{
    *f = (front){.nrow = nrow, .nbody = nbody, .ncol = ncol};
    f->row = flx_alloc(ctx, (size_t)nrow, sizeof *f->row);
    f->body = flx_alloc(ctx, (size_t)nbody, sizeof *f->body);
    f->a = flx_alloc(ctx, (size_t)nrow * (size_t)ncol, sizeof *f->a);
    if (f->row && f->body && f->a) return FLX_OK;
    front_destroy(f);
    return FLX_ERR_MEMORY;
}

static int width(const analysis *a, int body)
{
    const flx_pattern *p = &a->sys->pattern;
    return p->start[body + 1] - p->start[body];
}

static void elimination_destroy(elimination *e)
{
    for (int i = 0; i < e->nfront; i++) front_destroy(&e->fronts[i]);
    flx_free(e->fronts);
    flx_free(e->links);
    flx_free(e->first);
    flx_free(e->degree);
    flx_free(e->waiting);
    flx_free(e->place);
    flx_free(e->member);
    flx_free(e->pivot);
}

// Hand a front over to the elimination.
static flx_status add_front(elimination *e, front *f)
{
    flx_ctx *ctx = e->an->ctx;
    int nlink = e->nlink + f->nbody;
    flx_status status =
        flx_grow(ctx, (void **)&e->fronts, &e->front_capacity, e->nfront + 1, sizeof *e->fronts);
    if (status == FLX_OK) {
        status = flx_grow(ctx, (void **)&e->links, &e->link_capacity, nlink, sizeof *e->links);
    }
    if (status != FLX_OK) {
        front_destroy(f);
        return status;
    }
    for (int i = 0; i < f->nbody; i++) {
        int b = f->body[i];
        e->links[e->nlink] = (front_link){.front = e->nfront, .next = e->first[b]};
        e->first[b] = e->nlink++;
        e->degree[b] += f->ncol - width(e->an, b);
    }
    e->fronts[e->nfront++] = *f;
    return FLX_OK;
}

// The rows of one block of bonds, scaled to unit length.
static flx_status first_front(elimination *e, int bond)
{
    const analysis *a = e->an;
    const flx_pattern *p = &a->sys->pattern;
    int nrow = 0, nbody = 0, ncol = 0;
    for (int r = p->start[bond]; r < p->start[bond + 1]; r++) nrow += !a->gone[r - a->first];
    for (int k = p->row[bond]; k < p->row[bond + 1]; k++) {
        if (!is_body(a, p->col[k])) continue;
        nbody++;
        ncol += width(a, p->col[k]);
    }
    front f;
    FLX_TRY(front_create(a->ctx, nrow, nbody, ncol, &f));
    nrow = 0;
    for (int r = p->start[bond] - a->first; r < p->start[bond + 1] - a->first; r++) {
        if (!a->gone[r]) f.row[nrow++] = r;
    }
    int column = 0;
    nbody = 0;
    for (int k = p->row[bond]; k < p->row[bond + 1]; k++) {
        if (!is_body(a, p->col[k])) continue;
        patch x = patch_at(a, bond, k);
        f.body[nbody++] = p->col[k];
        for (int i = 0; i < nrow; i++) {
            const double *g = x.g + (f.row[i] - x.r0) * x.nc;
            for (int c = 0; c < x.nc; c++) {
                f.a[i * ncol + column + c] = g[c] * a->row[f.row[i]] * a->col[x.c0 + c];
            }
        }
        column += x.nc;
    }
    for (int i = 0; i < nrow; i++) {
        double norm = 0.0;
        for (int c = 0; c < ncol; c++) norm += f.a[i * ncol + c] * f.a[i * ncol + c];
        for (int c = 0; c < ncol && norm > 0.0; c++) f.a[i * ncol + c] /= sqrt(norm);
    }
    return add_front(e, &f);
}

// All fronts that touch the body, in one: its own columns first. The old ones are given up.
static flx_status assemble(elimination *e, int body, front *out)
{
    const analysis *a = e->an;
    int nrow = 0, nbody = 1, ncol = width(a, body);
    e->member[0] = body;
    e->place[body] = 0;
    for (int l = e->first[body]; l >= 0; l = e->links[l].next) {
        const front *f = &e->fronts[e->links[l].front];
        nrow += f->nrow;
        for (int i = 0; i < f->nbody; i++) {
            int b = f->body[i];
            if (e->place[b] >= 0) continue;
            e->place[b] = ncol;
            ncol += width(a, b);
            e->member[nbody++] = b;
        }
    }
    flx_status status = front_create(a->ctx, nrow, nbody, ncol, out);
    if (status == FLX_OK) memcpy(out->body, e->member, (size_t)nbody * sizeof *out->body);
    nrow = 0;
    for (int l = e->first[body]; l >= 0 && status == FLX_OK; l = e->links[l].next) {
        front *f = &e->fronts[e->links[l].front];
        for (int i = 0, c = 0; i < f->nbody; c += width(a, f->body[i]), i++) {
            int b = f->body[i], w = width(a, b);
            e->degree[b] -= f->ncol - w;
            for (int r = 0; r < f->nrow; r++) {
                memcpy(out->a + (size_t)(nrow + r) * (size_t)ncol + e->place[b],
                       f->a + (size_t)r * (size_t)f->ncol + c, (size_t)w * sizeof *out->a);
            }
        }
        for (int r = 0; r < f->nrow; r++) out->row[nrow++] = f->row[r]; // may have none
        front_destroy(f);
    }
    for (int i = 0; i < nbody; i++) e->place[e->member[i]] = -1;
    return status;
}

static void swap_rows(front *f, int i, int j)
{
    if (i == j) return;
    int number = f->row[i];
    f->row[i] = f->row[j];
    f->row[j] = number;
    for (int c = 0; c < f->ncol; c++) {
        double x = f->a[i * f->ncol + c];
        f->a[i * f->ncol + c] = f->a[j * f->ncol + c];
        f->a[j * f->ncol + c] = x;
    }
}

// Gaussian elimination of the first n columns with complete pivoting among them; the number of
// pivots above the tolerance, whose rows come first. Earlier rows win ties.
static int eliminate(elimination *e, front *f, int n)
{
    int rank = 0;
    for (; rank < n && rank < f->nrow; rank++) {
        int pr = rank, pc = rank;
        double most = 0.0;
        for (int r = rank; r < f->nrow; r++) {
            double keep = 1.0 - BIAS * f->row[r] / e->an->nrow;
            for (int c = rank; c < n; c++) {
                double size = fabs(f->a[r * f->ncol + c]) * keep;
                if (size > most) most = size, pr = r, pc = c;
            }
        }
        double pivot = fabs(f->a[pr * f->ncol + pc]);
        if (!(pivot > e->tolerance)) break;
        e->pivot[e->npivot++] = pivot;
        swap_rows(f, rank, pr);
        for (int r = 0; r < f->nrow; r++) {
            double x = f->a[r * f->ncol + rank];
            f->a[r * f->ncol + rank] = f->a[r * f->ncol + pc];
            f->a[r * f->ncol + pc] = x;
        }
        const double *top = f->a + rank * f->ncol;
        for (int r = rank + 1; r < f->nrow; r++) {
            double *row = f->a + r * f->ncol, m = row[rank] / top[rank];
            for (int c = rank; c < f->ncol; c++) row[c] -= m * top[c];
        }
    }
    return rank;
}

// Take a body out: its pivots' rows are independent; the others go on without its columns, and are
// dependent where nothing is left of them.
static flx_status eliminate_body(elimination *e, int body, bool *dependent, int *count)
{
    const analysis *a = e->an;
    front f, rest;
    FLX_TRY(assemble(e, body, &f));
    int n = width(a, body), rank = eliminate(e, &f, n), kept = 0;
    for (int r = rank; r < f.nrow; r++) {
        double most = 0.0;
        for (int c = n; c < f.ncol; c++) most = fmax(most, fabs(f.a[r * f.ncol + c]));
        if (most > e->tolerance) {
            swap_rows(&f, rank + kept++, r);
        } else {
            dependent[f.row[r]] = true;
            ++*count;
        }
    }
    flx_status status = FLX_OK;
    if (kept > 0) status = front_create(a->ctx, kept, f.nbody - 1, f.ncol - n, &rest);
    if (kept > 0 && status == FLX_OK) {
        memcpy(rest.row, f.row + rank, (size_t)kept * sizeof *rest.row);
        memcpy(rest.body, f.body + 1, (size_t)rest.nbody * sizeof *rest.body);
        for (int r = 0; r < kept; r++) {
            memcpy(rest.a + (size_t)r * (size_t)rest.ncol, f.a + (rank + r) * f.ncol + n,
                   (size_t)rest.ncol * sizeof *rest.a);
        }
        status = add_front(e, &rest);
    }
    front_destroy(&f);
    return status;
}

// The body whose front is smallest, taken from those that wait.
static int next_body(elimination *e)
{
    int best = 0;
    for (int i = 1; i < e->nwaiting; i++) {
        if (e->degree[e->waiting[i]] < e->degree[e->waiting[best]]) best = i;
    }
    int body = e->waiting[best];
    e->waiting[best] = e->waiting[--e->nwaiting];
    return body;
}

static flx_status elimination_create(analysis *a, const int *rows, double tolerance, elimination *e)
{
    const flx_pattern *p = &a->sys->pattern;
    size_t nb = (size_t)p->nblock;
    *e = (elimination){.an = a, .tolerance = tolerance};
    e->first = flx_alloc(a->ctx, nb, sizeof *e->first);
    e->degree = flx_alloc(a->ctx, nb, sizeof *e->degree);
    e->waiting = flx_alloc(a->ctx, nb, sizeof *e->waiting);
    e->place = flx_alloc(a->ctx, nb, sizeof *e->place);
    e->member = flx_alloc(a->ctx, nb, sizeof *e->member);
    e->pivot = flx_alloc(a->ctx, (size_t)a->nrow, sizeof *e->pivot);
    if (!e->first || !e->degree || !e->waiting || !e->place || !e->member || !e->pivot) {
        return FLX_ERR_MEMORY;
    }
    for (int i = 0; i < p->nblock; i++) e->first[i] = e->place[i] = -1;
    for (int i = 0; i < p->nblock; i++) {
        if (rows[a->part[i]] <= a->dense) continue;
        if (is_bond(a, i)) FLX_TRY(first_front(e, i));
        if (is_body(a, i)) e->waiting[e->nwaiting++] = i;
    }
    return FLX_OK;
}

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a < b) - (a > b);
}

// Dependent rows of the large parts, by elimination body by body. Pivots that a gap parts from the
// rest are below the tolerance in a second pass.
static flx_status sparse_parts(analysis *a, const int *rows, bool *dependent, int *count)
{
    double tolerance = ROUNDING;
    bool *found = flx_alloc(a->ctx, (size_t)a->nrow, sizeof *found);
    flx_status status = found ? FLX_OK : FLX_ERR_MEMORY;
    for (bool again = true, first = true; again && status == FLX_OK; first = false) {
        elimination e;
        int n = 0, counted;
        memset(found, 0, (size_t)a->nrow * sizeof *found);
        status = elimination_create(a, rows, tolerance, &e);
        while (status == FLX_OK && e.nwaiting > 0) {
            status = eliminate_body(&e, next_body(&e), found, &n);
        }
        if (e.npivot > 0) qsort(e.pivot, (size_t)e.npivot, sizeof *e.pivot, by_size);
        counted = count_pivots(e.npivot, e.pivot);
        again = first && counted > 0 && counted < e.npivot;
        if (again) tolerance = sqrt(e.pivot[counted] * e.pivot[counted - 1]);
        if (!again) *count += n;
        elimination_destroy(&e);
    }
    for (int i = 0; status == FLX_OK && i < a->nrow; i++) dependent[i] |= found[i];
    flx_free(found);
    return status;
}

// ---- one position ---------------------------------------------------------------------------

// Dependent rows at x among those not left out. dependent (nrow) is overwritten.
static flx_status find_dependent(analysis *a, const flx_state *x, const bool *leave_out,
                                 bool *dependent, int *count)
{
    const flx_system *s = a->sys;
    const flx_pattern *p = &s->pattern;
    double gap;
    int worst;
    *count = 0;
    memset(dependent, 0, (size_t)a->nrow * sizeof *dependent);
    FLX_TRY(flx_projector_gap(a->p, x, FLX_ROWS_VELOCITY, &gap, &worst));
    FLX_TRY(flx_projector_correct(a->p, FLX_ROWS_VELOCITY, DAMPING, NULL)); // for its matrix
    a->values = flx_saddle_values(a->p->saddle);
    a->rigid = 0;
    for (int i = 0; i < a->nrow; i++) {
        bool rigid = flx_saddle_active(a->p->saddle, a->first + i);
        a->gone[i] = !rigid || (leave_out && leave_out[i]);
        a->rigid += rigid;
    }
    FLX_TRY(equilibrate(a));
    take_away(a);
    find_parts(a);

    flx_status status = FLX_ERR_MEMORY;
    int *rows = flx_alloc(a->ctx, (size_t)p->nblock, sizeof *rows);
    int *cols = flx_alloc(a->ctx, (size_t)p->nblock, sizeof *cols);
    if (!rows || !cols) goto done;
    for (int i = 0; i < p->nblock; i++) {
        int size = p->start[i + 1] - p->start[i];
        if (is_body(a, i)) cols[a->part[i]] += size;
        for (int r = p->start[i]; is_bond(a, i) && r < p->start[i + 1]; r++) {
            rows[a->part[i]] += !a->gone[r - a->first];
        }
    }
    status = FLX_OK;
    for (int i = 0; i < p->nblock && status == FLX_OK; i++) {
        if (rows[i] > 0 && rows[i] <= a->dense) {
            status = dense_part(a, i, rows[i], cols[i], dependent, count);
        }
    }
    bool large = false;
    for (int i = 0; i < p->nblock; i++) large |= rows[i] > a->dense;
    if (status == FLX_OK && large) status = sparse_parts(a, rows, dependent, count);

done:
    flx_free(rows);
    flx_free(cols);
    return status;
}

// A number in (-1, 1) from a fixed sequence.
static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*seed / 9223372036854775808.0;
}

// ---- other positions ------------------------------------------------------------------------

// A velocity that the rows admit: the driven one with a random one added, both up to the damping.
// *share: how much of the random one is left.
static flx_status admissible_velocity(analysis *a, double damping, uint64_t *seed, flx_state *x,
                                      double *share)
{
    const flx_system *s = a->sys;
    double gap, speed = 1.0, before = 0.0, after = 0.0;
    int worst;
    memset(x->v, 0, (size_t)s->dims.nv * sizeof *x->v);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < 3; k++) {
            FLX_TRY(flx_projector_gap(a->p, x, FLX_ROWS_VELOCITY, &gap, &worst));
            FLX_TRY(flx_projector_correct(a->p, FLX_ROWS_VELOCITY, damping, NULL));
            for (int i = 0; i < s->dims.nv; i++) x->v[i] += a->p->d[i];
        }
        if (pass > 0) break;
        for (int i = 0; i < s->dims.nv; i++) speed = fmax(speed, fabs(x->v[i]) / a->p->scale[i]);
        for (int i = 0; i < s->dims.nv; i++) {
            a->p->theta[i] = x->v[i]; // driven
            double random = speed * a->p->scale[i] * draw(seed);
            before = fmax(before, fabs(random) / a->p->scale[i]);
            x->v[i] += random;
        }
    }
    for (int i = 0; i < s->dims.nv; i++) {
        after = fmax(after, fabs(x->v[i] - a->p->theta[i]) / a->p->scale[i]);
    }
    *share = before > 0.0 ? after / before : 0.0;
    return FLX_OK;
}

// Move along it and come back to the rows with a damping that falls to the one given. *moved: there
// was somewhere to go, and the rows closed there.
static flx_status displace_by(analysis *a, const flx_state *from, double distance, double damping,
                              uint64_t *seed, flx_state *to, bool *moved)
{
    const flx_system *s = a->sys;
    double speed = 0.0, gap = 0.0, share;
    int worst;
    flx_state_copy(to, from);
    FLX_TRY(admissible_velocity(a, damping, seed, to, &share));
    for (int i = 0; i < s->dims.nv; i++) speed = fmax(speed, fabs(to->v[i]) / a->p->scale[i]);
    double dt = distance / fmax(speed, 1.0);
    for (int i = 0; i < s->dims.nv; i++) a->p->theta[i] = dt * to->v[i];
    s->ops->retract(s, from->q, a->p->theta, to->q);
    to->t = from->t + dt;
    double d = DAMPING;
    for (int k = 0; k < CLOSING_STEPS; k++, d = fmax(0.1 * d, damping)) {
        FLX_TRY(flx_projector_gap(a->p, to, FLX_ROWS_POSITION, &gap, &worst));
        if (gap <= CLOSED) break;
        FLX_TRY(flx_projector_correct(a->p, FLX_ROWS_POSITION, d, NULL));
        s->ops->retract(s, to->q, a->p->d, to->q);
    }
    if (gap > CLOSED) FLX_TRY(flx_projector_gap(a->p, to, FLX_ROWS_POSITION, &gap, &worst));
    *moved = gap <= NEARLY_CLOSED && (share > LEAST_SHARE || speed >= 1.0);
    return FLX_OK;
}

// To the rows exactly, if that can be. Rows that contradict each other a little leave no way to go
// but the one on which the damping lets them open.
static flx_status displace(analysis *a, const flx_state *from, double distance, uint64_t *seed,
                           flx_state *to)
{
    bool moved;
    uint64_t start = *seed;
    FLX_TRY(displace_by(a, from, distance, LEAST_DAMPING, seed, to, &moved));
    if (moved) return FLX_OK;
    *seed = start;
    return displace_by(a, from, distance, DAMPING, seed, to, &moved);
}

// ---- report ---------------------------------------------------------------------------------

static flx_status list_rows(analysis *a, const bool *flag, int count, int **list)
{
    *list = flx_alloc(a->ctx, (size_t)count, sizeof **list);
    if (!*list) return FLX_ERR_MEMORY;
    for (int i = 0, k = 0; i < a->nrow && k < count; i++) {
        if (flag[i]) (*list)[k++] = i;
    }
    return FLX_OK;
}

static flx_status examine(analysis *a, const flx_state *x, bool *redundant, bool *other,
                          flx_rank_report *report)
{
    uint64_t seed = 4711;
    int n[3] = {0, 0, 0};
    FLX_TRY(displace(a, x, DISPLACEMENT, &seed, a->place));
    FLX_TRY(find_dependent(a, a->place, NULL, redundant, &n[1]));
    if (n[1] > 0) { // a displaced position may happen to be singular, too
        FLX_TRY(displace(a, x, 0.7 * DISPLACEMENT, &seed, a->place));
        FLX_TRY(find_dependent(a, a->place, NULL, other, &n[2]));
        if (n[2] < n[1]) {
            memcpy(redundant, other, (size_t)a->nrow * sizeof *redundant);
            n[1] = n[2];
        }
    }
    FLX_TRY(find_dependent(a, x, redundant, other, &n[0]));
    report->nredundant = n[1];
    report->nsingular = n[0];
    report->freedoms = a->sys->dims.nv - (a->rigid - n[1]);
    FLX_TRY(list_rows(a, redundant, n[1], &report->redundant));
    return list_rows(a, other, n[0], &report->singular);
}

flx_status flx_rank_bonds_by(const flx_system *s, const flx_state *x, int dense,
                             flx_rank_report *report)
{
    analysis a;
    *report = (flx_rank_report){0};
    flx_status status = prepare(&a, s, dense);
    bool *redundant = flx_alloc(s->ctx, (size_t)a.nrow, sizeof *redundant);
    bool *other = flx_alloc(s->ctx, (size_t)a.nrow, sizeof *other);
    if (status == FLX_OK && (!redundant || !other)) status = FLX_ERR_MEMORY;
    if (status == FLX_OK) status = examine(&a, x, redundant, other, report);
    if (status != FLX_OK) flx_rank_report_clear(report);
    flx_free(redundant);
    flx_free(other);
    release(&a);
    return status;
}

flx_status flx_rank_bonds(const flx_system *s, const flx_state *x, flx_rank_report *report)
{
    return flx_rank_bonds_by(s, x, DENSE_ROWS, report);
}

void flx_rank_report_clear(flx_rank_report *report)
{
    flx_free(report->redundant);
    flx_free(report->singular);
    *report = (flx_rank_report){0};
}
