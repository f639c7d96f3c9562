// rank_eliminate.c - dependent constraints of large connected parts: Gaussian elimination body by body, smallest
// front first; a row that vanishes is dependent.
#include "analyse/rank_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    const flx_rank_analysis *an;
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

static int width(const flx_rank_analysis *a, int body)
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

// The rows of one block of constraints, scaled to unit length.
static flx_status first_front(elimination *e, int constraint)
{
    const flx_rank_analysis *a = e->an;
    const flx_pattern *p = &a->sys->pattern;
    int nrow = 0, nbody = 0, ncol = 0;
    for (int r = p->start[constraint]; r < p->start[constraint + 1]; r++)
        nrow += !a->gone[r - a->first];
    for (int k = p->row[constraint]; k < p->row[constraint + 1]; k++) {
        if (!flx_rank_is_body(a, p->col[k])) continue;
        nbody++;
        ncol += width(a, p->col[k]);
    }
    front f;
    FLX_TRY(front_create(a->ctx, nrow, nbody, ncol, &f));
    nrow = 0;
    for (int r = p->start[constraint] - a->first; r < p->start[constraint + 1] - a->first; r++) {
        if (!a->gone[r]) f.row[nrow++] = r;
    }
    int column = 0;
    nbody = 0;
    for (int k = p->row[constraint]; k < p->row[constraint + 1]; k++) {
        if (!flx_rank_is_body(a, p->col[k])) continue;
        flx_rank_patch x = flx_rank_patch_at(a, constraint, k);
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
    const flx_rank_analysis *a = e->an;
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
            double keep = 1.0 - RANK_BIAS * f->row[r] / e->an->nrow;
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
    const flx_rank_analysis *a = e->an;
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

static flx_status elimination_create(flx_rank_analysis *a, const int *rows, double tolerance,
                                     elimination *e)
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
        if (flx_rank_is_constraint(a, i)) FLX_TRY(first_front(e, i));
        if (flx_rank_is_body(a, i)) e->waiting[e->nwaiting++] = i;
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
flx_status flx_rank_eliminate_parts(flx_rank_analysis *a, const int *rows, bool *dependent,
                                    int *count)
{
    double tolerance = RANK_ROUNDING;
    bool *found = flx_alloc(a->ctx, (size_t)a->nrow, sizeof *found);
    flx_status status = found ? FLX_OK : FLX_ERR_MEMORY;
    bool strict = false;
    for (int i = 0; i < a->nrow; i++) strict = strict || a->strict[i];
    for (bool again = true, first = true; again && status == FLX_OK; first = false) {
        elimination e;
        int n = 0, counted;
        memset(found, 0, (size_t)a->nrow * sizeof *found);
        status = elimination_create(a, rows, tolerance, &e);
        while (status == FLX_OK && e.nwaiting > 0) {
            status = eliminate_body(&e, next_body(&e), found, &n);
        }
        if (e.npivot > 0) qsort(e.pivot, (size_t)e.npivot, sizeof *e.pivot, by_size);
        counted = first ? flx_rank_count_pivots(a, e.npivot, e.pivot, strict) : e.npivot;
        again = first && counted > 0 && counted < e.npivot;
        if (again) tolerance = sqrt(e.pivot[counted] * e.pivot[counted - 1]);
        if (!again) *count += n;
        elimination_destroy(&e);
    }
    for (int i = 0; status == FLX_OK && i < a->nrow; i++) dependent[i] |= found[i];
    flx_free(found);
    return status;
}
