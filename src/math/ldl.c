// ldl.c - block LDL^T of a saddle-point matrix. Order: ldl_order.c; numbers: ldl_kernel.inc.h.
//
// The matrix is cut into supernodes: up to MAX_WIDTH neighbouring columns with the same rows below
// them, each stored as one dense panel (the diagonal block on top). The factorisation goes from
// panel to panel: load the matrix, subtract what earlier panels contribute, eliminate. Where
// everything goes is worked out when the factorisation is created; afterwards nothing is searched
// and nothing is allocated.
//
// Regularisation. A pivot is the difference of terms, |a_kk| and l_kj^2 |d_j|. One that is below
// ROUNDING times the sum of their sizes is nothing but rounding error (a redundant bond, a singular
// position, S singular on ker G): it is replaced by REGULARISATION times that sum, with the sign
// that the row's kind asks for, and counted. A larger pivot is never touched, whatever its sign:
// S may be indefinite, and then bond rows have positive pivots rightly.
//
// Scaling rows and columns by powers of two changes no digit of an elimination in fixed order, and
// the test above does not depend on the scale either. So the values are not scaled; equilibration
// only says how large "1" is for an unknown whose pivot is made of zeros.
#include "math/ldl.h"

#include "math/ldl_order.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))
// Loops over the columns of a kernel have a constant length and are always unrolled.
#if defined(__clang__)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif
#define COLD __attribute__((noinline, cold))

// Most columns of a supernode: a body's six. Larger blocks are cut into pieces.
enum { MAX_WIDTH = 6 };
// Blocks of the matrix, and panels in a solve, that are fetched ahead of their use. Large matrices
// come from memory in an order that the processor does not foresee; without this, a factorisation of
// 10^4 bodies takes twice as long a body as one of 10^2.
enum { AHEAD = 8, PANELS_AHEAD = 6 };

// 64 roundings: sums of a few dozen terms that cancel exactly leave less than this.
static const double ROUNDING = 64 * DBL_EPSILON;
// Half of the digits: the perturbed matrix solves to 1e-8, which one refinement (or the next
// Newton iteration) squares, and the pivot's inverse does not drown the other half.
static const double REGULARISATION = 1e-8;
// Against the size expected, a pivot below this is looked at closely.
static const double SUSPICIOUS = 1e-8;

// A block of the matrix and its place in a panel.
typedef struct load_entry {
    int from, from_stride;     // where its transpose begins in the values, and that one's rows
    int mirror, mirror_stride; // where it begins itself
    int rows, columns;         // of the block as it lies in the panel
    int row, column;           // its place there: row below the diagonal block, or -1 - row in it
} load_entry;

// Neighbouring rows below an earlier panel that are neighbours in the later one too: in its diagonal
// block or below it.
typedef struct run_entry {
    int from, length, to;
} run_entry;

// What an earlier panel subtracts from a later one: the rows of `run`, times those of its first
// `ncolumn_run` runs, which are the later one's columns.
typedef struct update_entry {
    int source, run, nrun, ncolumn_run;
} update_entry;

// The first entry of each list; the last is where the next supernode's begins.
typedef struct supernode {
    int first;      // column, in elimination order
    int ncol, nrow; // columns, rows below them
    int load, update, run;
    long panel;
    bool clear; // some of the panel is fill, to be zeroed
} supernode;

struct flx_ldl {
    flx_ctx *ctx;
    const flx_pattern *pattern;
    bool complex_values;
    int n, nsuper;
    long fill;
    double flops;

    int *unknown;            // (n) unknown eliminated k-th
    signed char *sign;       // (n) of it
    signed char *block_sign; // (nblock)
    int *diagonal;           // (nblock) entry of each diagonal block

    supernode *super; // (nsuper + 1)
    load_entry *load;
    update_entry *update;
    run_entry *run;       // of updates
    run_entry *solve_run; // rows below each supernode, in the permuted vector

    double *panel;           // L, without its unit diagonal
    double *square;          // diagonal block of the panel that is being made
    double *pivot, *inverse; // (n) D and 1/D
    double *expected;        // (n) 1 / expected size of the pivot; 0: look
    double *unit;            // (n) or NULL: size of 1 for an unknown, from the equilibration
    double *unit_storage;    // (n)
    double *work;            // (n) permuted vector

    bool expected_known, failed;
    double guard; // pivots below this, against the size expected, are judged
    flx_ldl_report report;
};

static int block_of(const flx_pattern *p, int unknown)
{
    int low = 0, high = p->nblock;
    while (high - low > 1) {
        int mid = low + (high - low) / 2;
        if (p->start[mid] <= unknown) {
            low = mid;
        } else {
            high = mid;
        }
    }
    return low;
}

// Where the diagonal value of an unknown is.
static int diagonal_value(const flx_ldl *f, int unknown)
{
    const flx_pattern *p = f->pattern;
    int b = block_of(p, unknown), i = unknown - p->start[b], n = p->start[b + 1] - p->start[b];
    return p->offset[f->diagonal[b]] + i * n + i;
}

#define LDL_COMPLEX 0
#define LDL(name) real_##name
#include "math/ldl_kernel.inc.h"
#undef LDL_COMPLEX
#undef LDL

#define LDL_COMPLEX 1
#define LDL(name) complex_##name
#include "math/ldl_kernel.inc.h"
#undef LDL_COMPLEX
#undef LDL

// ---- analysis ----------------------------------------------------------------------------------

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
        int size = s->p->start[b + 1] - s->p->start[b], parts = (size + MAX_WIDTH - 1) / MAX_WIDTH;
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
        bool joined = j > 0 && s->parent[j - 1] == j && n + nj <= MAX_WIDTH &&
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
        supernode *u = &f->super[t];
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
    size_t parts = f->complex_values ? 2 : 1;
    f->panel = flx_alloc(s->ctx, parts * (size_t)panel, sizeof *f->panel);
    f->square = flx_alloc(s->ctx, parts * MAX_WIDTH * MAX_WIDTH, sizeof *f->square);
    return f->panel && f->square ? FLX_OK : FLX_ERR_MEMORY;
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
static load_entry make_load(const analysis *s, int j, int e, int q)
{
    const flx_pattern *p = s->p;
    const piece *c = &s->pieces[s->order[j]], *r = &s->pieces[q];
    int rows = p->start[r->block + 1] - p->start[r->block];
    int columns = p->start[c->block + 1] - p->start[c->block];
    bool in_square = s->owner[s->place[q]] == s->owner[j];
    return (load_entry){.from = p->offset[e] + c->at * rows + r->at,
                        .from_stride = rows,
                        .mirror = p->offset[p->transpose[e]] + r->at * columns + c->at,
                        .mirror_stride = columns,
                        .rows = r->size,
                        .columns = c->size,
                        .row = in_square ? -1 - s->local[s->place[q]] : s->local[s->place[q]],
                        .column = s->local[j]};
}

// The blocks of the matrix in column j; with `load` NULL they are counted. Returns how many.
static int list_column(const analysis *s, int j, load_entry *load)
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
    f->load = flx_alloc(s->ctx, (size_t)(total + AHEAD), sizeof *f->load);
    if (!f->load) return FLX_ERR_MEMORY;
    for (int t = 0; t < s->nsuper; t++) {
        supernode *u = &f->super[t];
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

static flx_status add_run(analysis *s, run_entry **list, int *count, int *capacity, run_entry run)
{
    if (*count == *capacity) {
        FLX_TRY(flx_grow(s->ctx, (void **)list, capacity, *count + 1, sizeof **list));
    }
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
        run_entry *last = s->nrun > first ? &s->f->run[s->nrun - 1] : NULL;
        if (last && last->to + last->length == s->local[row]) {
            last->length += size;
        } else {
            FLX_TRY(add_run(s, &s->f->run, &s->nrun, &s->run_capacity,
                            (run_entry){at, size, s->local[row]}));
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
            f->update[s->nupdate++] = (update_entry){u->source, run, s->nrun - run, ncolumn_run};
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
            run_entry *run = s->nsolve > f->super[t].run ? &f->solve_run[s->nsolve - 1] : NULL;
            if (run && run->to + run->length == first[row]) {
                run->length += size;
            } else {
                FLX_TRY(add_run(s, &f->solve_run, &s->nsolve, &s->solve_capacity,
                                (run_entry){at, size, first[row]}));
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

static flx_status run_analysis(flx_ldl *f, const signed char *sign)
{
    const flx_pattern *p = f->pattern;
    size_t n = (size_t)(p->nblock + f->n / MAX_WIDTH) + 1; // no fewer than pieces
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

// ---- interface ---------------------------------------------------------------------------------

flx_status flx_ldl_create(flx_ctx *ctx, const flx_pattern *pattern, const signed char *sign,
                          bool complex_values, flx_ldl **out)
{
    *out = NULL;
    flx_ldl *f = flx_alloc(ctx, 1, sizeof *f);
    if (!f) return FLX_ERR_MEMORY;
    f->ctx = ctx;
    f->pattern = pattern;
    f->complex_values = complex_values;
    f->n = pattern->start[pattern->nblock];
    size_t n = (size_t)f->n, parts = complex_values ? 2 : 1;
    f->unknown = flx_alloc(ctx, n, sizeof *f->unknown);
    f->sign = flx_alloc(ctx, n, sizeof *f->sign);
    f->block_sign = flx_alloc(ctx, (size_t)pattern->nblock, sizeof *f->block_sign);
    f->diagonal = flx_alloc(ctx, (size_t)pattern->nblock, sizeof *f->diagonal);
    f->pivot = flx_alloc(ctx, parts * n, sizeof *f->pivot);
    f->inverse = flx_alloc(ctx, parts * n, sizeof *f->inverse);
    f->expected = flx_alloc(ctx, n, sizeof *f->expected);
    f->unit_storage = flx_alloc(ctx, n, sizeof *f->unit_storage);
    f->work = flx_alloc(ctx, parts * n, sizeof *f->work);
    flx_status status = FLX_ERR_MEMORY;
    if (f->unknown && f->sign && f->block_sign && f->diagonal && f->pivot && f->inverse &&
        f->expected && f->unit_storage && f->work) {
        memcpy(f->block_sign, sign, (size_t)pattern->nblock);
        status = run_analysis(f, sign);
    }
    if (status != FLX_OK) flx_ldl_destroy(&f);
    *out = f;
    return status;
}

void flx_ldl_destroy(flx_ldl **f)
{
    if (!f || !*f) return;
    void *owned[] = {(*f)->unknown,
                     (*f)->sign,
                     (*f)->block_sign,
                     (*f)->diagonal,
                     (*f)->super,
                     (*f)->load,
                     (*f)->update,
                     (*f)->run,
                     (*f)->solve_run,
                     (*f)->panel,
                     (*f)->square,
                     (*f)->pivot,
                     (*f)->inverse,
                     (*f)->expected,
                     (*f)->unit_storage,
                     (*f)->work,
                     *f};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) flx_free(owned[i]);
    *f = NULL;
}

// Whether some unknown has nothing on the diagonal; only then a pivot may be made of zeros alone.
static bool has_empty_diagonal(const flx_ldl *f, const double *values)
{
    const flx_pattern *p = f->pattern;
    for (int b = 0; b < p->nblock; b++) {
        int n = p->start[b + 1] - p->start[b];
        const double *a = values + p->offset[f->diagonal[b]];
        for (int i = 0; f->block_sign[b] > 0 && i < n; i++) {
            if (a[i * (n + 1)] == 0) return true;
        }
    }
    return false;
}

// Largest entry of each row after scaling.
static void find_largest(const flx_ldl *f, const double *values, const double *factor,
                         double *largest)
{
    const flx_pattern *p = f->pattern;
    for (int i = 0; i < f->n; i++) largest[i] = 0;
    for (int b = 0; b < p->nblock; b++) {
        for (int e = p->row[b]; e < p->row[b + 1]; e++) {
            const double *a = values + p->offset[e];
            int first = p->start[p->col[e]], end = p->start[p->col[e] + 1];
            for (int i = p->start[b]; i < p->start[b + 1]; i++) {
                for (int j = first; j < end; j++) {
                    double size = fabs(*a++) * factor[i] * factor[j];
                    if (size > largest[i]) largest[i] = size;
                    if (size > largest[j]) largest[j] = size;
                }
            }
        }
    }
}

// Ruiz: divide each row and column by the square root of its largest entry, again and again.
void flx_ldl_equilibrate(flx_ldl *f, const double *values)
{
    double *factor = f->work, *largest = f->unit_storage;
    f->expected_known = false;
    f->unit = NULL;
    if (!has_empty_diagonal(f, values)) return;
    for (int i = 0; i < f->n; i++) factor[i] = 1;
    for (int sweep = 0; sweep < 8; sweep++) {
        find_largest(f, values, factor, largest);
        for (int i = 0; i < f->n; i++) {
            if (largest[i] > 0 && largest[i] <= DBL_MAX) factor[i] /= sqrt(largest[i]);
        }
    }
    for (int i = 0; i < f->n; i++) f->unit_storage[i] = 1 / (factor[i] * factor[i]);
    f->unit = f->unit_storage;
}

flx_status flx_ldl_factor(flx_ldl *f, const double *values)
{
    FLX_ASSERT(!f->complex_values);
    return real_factor(f, values);
}

flx_status flx_ldl_factor_complex(flx_ldl *f, const double complex *values)
{
    FLX_ASSERT(f->complex_values);
    return complex_factor(f, (const double *)values);
}

flx_ldl_report flx_ldl_get_report(const flx_ldl *f)
{
    return f->report;
}

void flx_ldl_solve(const flx_ldl *f, double *b)
{
    real_solve(f, b);
}

void flx_ldl_solve_complex(const flx_ldl *f, double complex *b)
{
    complex_solve(f, (double *)b);
}

// r = b - A x; returns the componentwise backward error max |r_i| / (|A| |x| + |b|)_i. A row whose
// terms are all zero up to rounding has none of its own and is measured against |A|_i max |x|
// (Arioli, Demmel and Duff, SIAM J. Matrix Anal. Appl. 10 (1989) 165-190).
static double residual(const flx_pattern *p, const double *values, const double *x, const double *b,
                       double *r)
{
    int n = p->start[p->nblock];
    double worst = 0, largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    for (int k = 0; k < p->nblock; k++) {
        for (int i = p->start[k]; i < p->start[k + 1]; i++) {
            double sum = b[i], size = fabs(b[i]), row = 0;
            for (int e = p->row[k]; e < p->row[k + 1]; e++) {
                int first = p->start[p->col[e]], columns = p->start[p->col[e] + 1] - first;
                const double *a = values + p->offset[e] + (i - p->start[k]) * columns;
                for (int j = 0; j < columns; j++) {
                    sum -= a[j] * x[first + j];
                    size += fabs(a[j] * x[first + j]);
                    row += fabs(a[j]);
                }
            }
            r[i] = sum;
            if (size <= 1000.0 * n * DBL_EPSILON * (row * largest + fabs(b[i]))) {
                size += row * largest;
            }
            if (size > 0 && !(fabs(sum) <= worst * size)) worst = fabs(sum) / size;
        }
    }
    return worst;
}

double flx_ldl_solve_refined(const flx_ldl *f, const double *values, double *b, double *work,
                             double tol, int max_sweeps)
{
    double *given = work, *r = work + f->n;
    size_t bytes = sizeof *b * (size_t)f->n;
    memcpy(given, b, bytes);
    flx_ldl_solve(f, b);
    double error = residual(f->pattern, values, b, given, r);
    for (int sweep = 0; sweep < max_sweeps && !(error <= tol); sweep++) {
        flx_ldl_solve(f, r);
        for (int i = 0; i < f->n; i++) b[i] += r[i];
        memcpy(f->work, r, bytes); // the correction, to take it back
        double next = residual(f->pattern, values, b, given, r);
        if (!(next < error)) {
            for (int i = 0; i < f->n; i++) b[i] -= f->work[i];
            break;
        }
        bool stalled = next > 0.5 * error;
        error = next;
        if (stalled) break;
    }
    return error;
}

long flx_ldl_fill(const flx_ldl *f)
{
    return f->fill;
}

double flx_ldl_flops(const flx_ldl *f)
{
    return f->flops;
}
