// ldl_analyse.c - the analysis of a pattern for ldl.c: elimination tree, supernodes, and the lists of
// what is loaded into each panel, subtracted from it, and met in a solve.
#include "math/ldl/ldl_order.h"
#include "math/ldl/ldl_parts.h"

#include <string.h>

// A block of the pattern, or a part of one that is too wide for a supernode.
typedef struct piece {
    int block, at, size; // rows at .. at+size-1 of the block
} piece;

// What the analysis needs and the factorisation does not. Columns and rows are those of pieces,
// numbered in elimination order.
typedef struct analysis {
    flx_ldl *f;
    flx_ctx *ctx;
    const flx_pattern *p;
    piece *pieces;      // in the order of the pattern
    int *first_piece;   // (blocks of the pattern + 1)
    int count;          // of pieces
    int *order, *place; // piece eliminated k-th, and the inverse
    int *size;          // of the piece eliminated k-th
    int *parent;        // elimination tree
    int *head, *next, *mark;
    int *begin; // (count+1) rows below each column
    int *rows;  // ascending
    int nrows, rows_capacity;
    int *first_column; // (nsuper+1) first column of each supernode
    int *owner;        // supernode of a column
    int *local;        // row of a piece in the panel at hand
    int nsuper, nload, nupdate, nrun, run_capacity, nsolve, solve_capacity;
} analysis;

static flx_status find_diagonals(analysis *s)
{
    const flx_pattern *p = s->p;
    for (int b = 0; b < p->nblock; b++) {
        s->f->diagonal[b] = -1;
        for (int e = p->row[b]; e < p->row[b + 1]; e++) {
            if (p->col[e] == b) s->f->diagonal[b] = e;
        }
        if (s->f->diagonal[b] < 0) {
            return FLX_FAIL(s->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                            "the pattern of a matrix lacks the diagonal block %d", b);
        }
    }
    return FLX_OK;
}

static void cut_blocks(analysis *s)
{
    int count = 0;
    for (int b = 0; b < s->p->nblock; b++) {
        int size = s->p->start[b + 1] - s->p->start[b],
            parts = (size + FLX_LDL_WIDTH - 1) / FLX_LDL_WIDTH;
        s->first_piece[b] = count;
        for (int k = 0; k < parts; k++) {
            int at = size * k / parts, end = size * (k + 1) / parts;
            s->pieces[count++] = (piece){b, at, end - at};
        }
    }
    s->first_piece[s->p->nblock] = s->count = count;
}

// The order of the pieces from that of the blocks.
static void order_pieces(analysis *s, const int *block_order)
{
    int count = 0;
    for (int k = 0; k < s->p->nblock; k++) {
        int b = block_order[k];
        for (int q = s->first_piece[b]; q < s->first_piece[b + 1]; q++) s->order[count++] = q;
    }
}

static void number_pieces(analysis *s)
{
    for (int k = 0; k < s->count; k++) {
        s->place[s->order[k]] = k;
        s->size[k] = s->pieces[s->order[k]].size;
    }
}

// The entries of the pattern in column j's block: e from first to end.
static int first_entry(const analysis *s, int j)
{
    return s->p->row[s->pieces[s->order[j]].block];
}
static int end_entry(const analysis *s, int j)
{
    return s->p->row[s->pieces[s->order[j]].block + 1];
}
// The pieces of an entry's rows: q from first to end.
static int first_part(const analysis *s, int e)
{
    return s->first_piece[s->p->col[e]];
}
static int end_part(const analysis *s, int e)
{
    return s->first_piece[s->p->col[e] + 1];
}

// Make j the ancestor of all that hangs on column i < j.
static void climb(analysis *s, int *ancestor, int i, int j)
{
    while (i >= 0 && i < j) {
        int above = ancestor[i];
        ancestor[i] = j;
        if (above < 0) s->parent[i] = j;
        i = above;
    }
}

// Parent of column j: the first row below its diagonal in the factor.
static void build_tree(analysis *s)
{
    int *ancestor = s->mark;
    for (int j = 0; j < s->count; j++) {
        s->parent[j] = ancestor[j] = -1;
        for (int e = first_entry(s, j); e < end_entry(s, j); e++) {
            for (int q = first_part(s, e); q < end_part(s, e); q++) {
                climb(s, ancestor, s->place[q], j);
            }
        }
    }
}

static void list_children(analysis *s)
{
    for (int j = 0; j < s->count; j++) s->head[j] = -1;
    for (int j = s->count - 1; j >= 0; j--) {
        if (s->parent[j] < 0) continue;
        s->next[j] = s->head[s->parent[j]];
        s->head[s->parent[j]] = j;
    }
}

// Renumber so that a column's descendants stand right before it. Fill and pivots stay the same.
static void postorder(analysis *s)
{
    list_children(s);
    int count = 0, *sorted = s->mark;
    for (int root = 0; root < s->count; root++) {
        if (s->parent[root] >= 0) continue;
        int j = root;
        while (true) {
            int child = s->head[j];
            if (child >= 0) {
                s->head[j] = s->next[child];
                j = child;
            } else {
                sorted[count++] = s->order[j];
                if (j == root) break;
                j = s->parent[j];
            }
        }
    }
    memcpy(s->order, sorted, sizeof *sorted * (size_t)s->count);
    number_pieces(s);
    build_tree(s);
}

static void sort_ascending(int *a, int n)
{
    for (int gap = n / 2; gap > 0; gap /= 2) { // Shell's sort; lists are short and nearly sorted
        for (int i = gap; i < n; i++) {
            int x = a[i], j = i;
            for (; j >= gap && a[j - gap] > x; j -= gap) a[j] = a[j - gap];
            a[j] = x;
        }
    }
}

// Row i below column j, once.
static flx_status add_row(analysis *s, int i, int j)
{
    if (i < j || s->mark[i] == j) return FLX_OK;
    s->mark[i] = j;
    if (s->nrows == s->rows_capacity) {
        FLX_TRY(
            flx_grow(s->ctx, (void **)&s->rows, &s->rows_capacity, s->nrows + 1, sizeof *s->rows));
    }
    s->rows[s->nrows++] = i;
    return FLX_OK;
}

// Rows below each column: those of the matrix and those of its children in the tree.
static flx_status find_rows(analysis *s)
{
    list_children(s);
    for (int j = 0; j < s->count; j++) s->mark[j] = -1;
    for (int j = 0; j < s->count; j++) {
        s->begin[j] = s->nrows;
        s->mark[j] = j;
        for (int e = first_entry(s, j); e < end_entry(s, j); e++) {
            for (int q = first_part(s, e); q < end_part(s, e); q++) {
                FLX_TRY(add_row(s, s->place[q], j));
            }
        }
        for (int c = s->head[j]; c >= 0; c = s->next[c]) {
            for (int k = s->begin[c]; k < s->begin[c + 1]; k++) {
                FLX_TRY(add_row(s, s->rows[k], j));
            }
        }
        int count = s->nrows - s->begin[j];
        if (count > 1) sort_ascending(s->rows + s->begin[j], count);
        s->begin[j + 1] = s->nrows;
    }
    return FLX_OK;
}

// Multiplications of a supernode.
static double multiplications(double n, double r)
{
    return n * n * n / 6 + n * n * r / 2 + n * r * (r + 1) / 2;
}

// Time of a supernode in multiplications; the constant is the cost of its bookkeeping.
static double cost(double n, double r)
{
    return 100 + multiplications(n, r);
}

static int rows_below(const analysis *s, int j)
{
    int r = 0;
    for (int k = s->begin[j]; k < s->begin[j + 1]; k++) r += s->size[s->rows[k]];
    return r;
}

// Join a column to the supernode before it where zeros stored cost less than one more supernode.
static void join_supernodes(analysis *s)
{
    int n = 0, r = 0;
    s->nsuper = 0;
    for (int j = 0; j < s->count; j++) {
        int nj = s->size[j], rj = rows_below(s, j);
        bool joined = j > 0 && s->parent[j - 1] == j && n + nj <= FLX_LDL_WIDTH &&
                      cost(n + nj, rj) <= cost(n, r) + cost(nj, rj);
        if (!joined) {
            s->first_column[s->nsuper++] = j;
            n = 0;
        }
        n += nj;
        r = rj;
        s->owner[j] = s->nsuper - 1;
    }
    s->first_column[s->nsuper] = s->count;
}

// The place of every piece in the panel of supernode t: its columns from 0, its rows from 0.
static void set_local(analysis *s, int t)
{
    int at = 0, last = s->first_column[t + 1] - 1;
    for (int k = s->first_column[t]; k <= last; k++) {
        s->local[k] = at;
        at += s->size[k];
    }
    at = 0;
    for (int k = s->begin[last]; k < s->begin[last + 1]; k++) {
        s->local[s->rows[k]] = at;
        at += s->size[s->rows[k]];
    }
}

static flx_status lay_out_panels(analysis *s)
{
    flx_ldl *f = s->f;
    f->nsuper = s->nsuper;
    f->super = flx_alloc(s->ctx, (size_t)s->nsuper + 1, sizeof *f->super);
    if (!f->super) return FLX_ERR_MEMORY;
    int column = 0;
    long panel = 0;
    for (int t = 0; t < s->nsuper; t++) {
        flx_ldl_supernode *u = &f->super[t];
        u->first = column;
        for (int k = s->first_column[t]; k < s->first_column[t + 1]; k++) u->ncol += s->size[k];
        u->nrow = rows_below(s, s->first_column[t + 1] - 1);
        u->panel = panel;
        column += u->ncol;
        panel += (long)u->ncol * (u->ncol - 1) / 2 + (long)u->ncol * u->nrow;
        f->fill += (long)u->ncol * (u->ncol + 1) / 2 + (long)u->ncol * u->nrow;
        f->flops += 2 * multiplications(u->ncol, u->nrow);
    }
    f->super[s->nsuper].first = column;
    f->super[s->nsuper].panel = panel;
    return FLX_OK;
}

static void number_unknowns(analysis *s, const signed char *sign)
{
    int k = 0;
    for (int j = 0; j < s->count; j++) {
        const piece *c = &s->pieces[s->order[j]];
        for (int i = 0; i < c->size; i++) {
            s->f->unknown[k] = s->p->start[c->block] + c->at + i;
            s->f->sign[k++] = sign[c->block];
        }
    }
}

// Entry e of the pattern as far as it lies in piece q's rows and column j.
static flx_ldl_load make_load(const analysis *s, int j, int e, int q)
{
    const flx_pattern *p = s->p;
    const piece *c = &s->pieces[s->order[j]], *r = &s->pieces[q];
    int rows = p->start[r->block + 1] - p->start[r->block];
    int columns = p->start[c->block + 1] - p->start[c->block];
    bool in_square = s->owner[s->place[q]] == s->owner[j];
    return (flx_ldl_load){.from = p->offset[e] + c->at * rows + r->at,
                          .from_stride = rows,
                          .mirror = p->offset[p->transpose[e]] + r->at * columns + c->at,
                          .mirror_stride = columns,
                          .rows = r->size,
                          .columns = c->size,
                          .row = in_square ? -1 - s->local[s->place[q]] : s->local[s->place[q]],
                          .column = s->local[j]};
}

// The blocks of the matrix in column j; with `load` NULL they are counted. Returns how many.
static int list_column(const analysis *s, int j, flx_ldl_load *load)
{
    int count = 0;
    for (int e = first_entry(s, j); e < end_entry(s, j); e++) {
        for (int q = first_part(s, e); q < end_part(s, e); q++) {
            if (s->place[q] < j) continue;
            if (load) load[count] = make_load(s, j, e, q);
            count++;
        }
    }
    return count;
}

// The blocks of the matrix that lie in each panel.
static flx_status list_loads(analysis *s)
{
    flx_ldl *f = s->f;
    int total = 0;
    for (int j = 0; j < s->count; j++) total += list_column(s, j, NULL);
    f->load = flx_alloc(s->ctx, (size_t)(total + FLX_LDL_AHEAD), sizeof *f->load);
    if (!f->load) return FLX_ERR_MEMORY;
    for (int t = 0; t < s->nsuper; t++) {
        flx_ldl_supernode *u = &f->super[t];
        u->load = s->nload;
        set_local(s, t);
        int covered = 0;
        for (int j = s->first_column[t]; j < s->first_column[t + 1]; j++) {
            covered += s->size[j] * s->local[j]; // above the diagonal: never read
            s->nload += list_column(s, j, f->load + s->nload);
        }
        for (int e = u->load; e < s->nload; e++) covered += f->load[e].rows * f->load[e].columns;
        u->clear = covered < u->ncol * (u->ncol + u->nrow);
    }
    f->super[s->nsuper].load = s->nload;
    return FLX_OK;
}

static flx_status add_run(analysis *s, flx_ldl_run **list, int *count, int *capacity,
                          flx_ldl_run run)
{
    FLX_TRY(flx_grow(s->ctx, (void **)list, capacity, *count + 1, sizeof **list));
    (*list)[(*count)++] = run;
    return FLX_OK;
}

// Runs of the rows [from, to) of supernode u (indices into s->rows), which begin at row `at` of its
// panel, in the panel that s->local describes.
static flx_status add_runs(analysis *s, int from, int to, int at)
{
    int first = s->nrun;
    for (int k = from; k < to; k++) {
        int row = s->rows[k], size = s->size[row];
        flx_ldl_run *last = s->nrun > first ? &s->f->run[s->nrun - 1] : NULL;
        if (last && last->to + last->length == s->local[row]) {
            last->length += size;
        } else {
            FLX_TRY(add_run(s, &s->f->run, &s->nrun, &s->run_capacity,
                            (flx_ldl_run){at, size, s->local[row]}));
        }
        at += size;
    }
    return FLX_OK;
}

// One group of rows of a supernode that are columns of another.
typedef struct group {
    int source, from, to, at; // rows from..to-1 of s->rows, at row `at` of the source's panel
    int next;                 // group with the same target
} group;

static int count_groups(const analysis *s)
{
    int count = 0;
    for (int t = 0; t < s->nsuper; t++) {
        int last = s->first_column[t + 1] - 1, owner = -1;
        for (int k = s->begin[last]; k < s->begin[last + 1]; k++) {
            if (s->owner[s->rows[k]] != owner) count++;
            owner = s->owner[s->rows[k]];
        }
    }
    return count;
}

static void find_groups(const analysis *s, group *groups, int *head)
{
    int count = 0;
    for (int t = 0; t < s->nsuper; t++) head[t] = -1;
    for (int t = s->nsuper - 1; t >= 0; t--) { // backwards, so that the lists ascend
        int last = s->first_column[t + 1] - 1, at = 0;
        for (int k = s->begin[last], to; k < s->begin[last + 1]; k = to) {
            int owner = s->owner[s->rows[k]], size = 0;
            for (to = k; to < s->begin[last + 1] && s->owner[s->rows[to]] == owner; to++) {
                size += s->size[s->rows[to]];
            }
            groups[count] = (group){t, k, to, at, head[owner]};
            head[owner] = count++;
            at += size;
        }
    }
}

// What is subtracted from each panel.
static flx_status list_updates(analysis *s)
{
    flx_ldl *f = s->f;
    flx_status status = FLX_OK;
    int count = count_groups(s), *head = s->head;
    group *groups = flx_alloc(s->ctx, (size_t)count, sizeof *groups);
    f->update = flx_alloc(s->ctx, (size_t)count, sizeof *f->update);
    if (!groups || !f->update) {
        flx_free(groups);
        return FLX_ERR_MEMORY;
    }
    find_groups(s, groups, head);
    for (int t = 0; t < s->nsuper && status == FLX_OK; t++) {
        f->super[t].update = s->nupdate;
        set_local(s, t);
        for (int g = head[t]; g >= 0 && status == FLX_OK; g = groups[g].next) {
            const group *u = &groups[g];
            int last = s->first_column[u->source + 1] - 1, run = s->nrun, size = 0;
            for (int k = u->from; k < u->to; k++) size += s->size[s->rows[k]];
            status = add_runs(s, u->from, u->to, u->at);
            int ncolumn_run = s->nrun - run;
            if (status == FLX_OK) status = add_runs(s, u->to, s->begin[last + 1], u->at + size);
            f->update[s->nupdate++] = (flx_ldl_update){u->source, run, s->nrun - run, ncolumn_run};
        }
    }
    f->super[s->nsuper].update = s->nupdate;
    flx_free(groups);
    return status;
}

// The rows of each panel in the permuted vector.
static flx_status list_solve_runs(analysis *s)
{
    flx_ldl *f = s->f;
    int *first = s->local; // first unknown of each block
    for (int j = 0, at = 0; j < s->count; j++) {
        first[j] = at;
        at += s->size[j];
    }
    for (int t = 0; t < s->nsuper; t++) {
        int last = s->first_column[t + 1] - 1, at = 0;
        f->super[t].run = s->nsolve;
        for (int k = s->begin[last]; k < s->begin[last + 1]; k++) {
            int row = s->rows[k], size = s->size[row];
            flx_ldl_run *run = s->nsolve > f->super[t].run ? &f->solve_run[s->nsolve - 1] : NULL;
            if (run && run->to + run->length == first[row]) {
                run->length += size;
            } else {
                FLX_TRY(add_run(s, &f->solve_run, &s->nsolve, &s->solve_capacity,
                                (flx_ldl_run){at, size, first[row]}));
            }
            at += size;
        }
    }
    f->super[s->nsuper].run = s->nsolve;
    return FLX_OK;
}

static flx_status analyse(analysis *s, const signed char *sign)
{
    FLX_TRY(find_diagonals(s));
    FLX_TRY(flx_ldl_order(s->ctx, s->p, sign, s->mark));
    cut_blocks(s);
    order_pieces(s, s->mark);
    number_pieces(s);
    build_tree(s);
    postorder(s);
    FLX_TRY(find_rows(s));
    join_supernodes(s);
    FLX_TRY(lay_out_panels(s));
    number_unknowns(s, sign);
    FLX_TRY(list_loads(s));
    FLX_TRY(list_updates(s));
    return list_solve_runs(s);
}

flx_status flx_ldl_analyse(flx_ldl *f, const signed char *sign)
{
    const flx_pattern *p = f->pattern;
    size_t n = (size_t)(p->nblock + f->n / FLX_LDL_WIDTH) + 1; // no fewer than pieces
    int *work = flx_alloc(f->ctx, 12 * n, sizeof *work);
    piece *pieces = flx_alloc(f->ctx, n, sizeof *pieces);
    flx_status status = FLX_ERR_MEMORY;
    if (work && pieces) {
        analysis s = {.f = f,
                      .ctx = f->ctx,
                      .p = p,
                      .pieces = pieces,
                      .first_piece = work,
                      .order = work + n,
                      .place = work + 2 * n,
                      .size = work + 3 * n,
                      .parent = work + 4 * n,
                      .head = work + 5 * n,
                      .next = work + 6 * n,
                      .mark = work + 7 * n,
                      .begin = work + 8 * n,
                      .first_column = work + 9 * n,
                      .owner = work + 10 * n,
                      .local = work + 11 * n};
        status = analyse(&s, sign);
        flx_free(s.rows);
    }
    flx_free(work);
    flx_free(pieces);
    return status;
}
