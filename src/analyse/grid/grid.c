// grid.c - the unknowns, rows and the pattern of a grid of nodes of time.
#include "analyse/grid/grid.h"

#include "integrate/newton_matrix.h"
#include "math/pattern.h"

#include <stdlib.h>
#include <string.h>

static const double C0[] = {0.0}, D0[] = {0.0};
static const double C2[] = {-0.5, 0.0, 0.5}, D2[] = {1.0, -2.0, 1.0};
static const double C4[] = {1.0 / 12, -8.0 / 12, 0.0, 8.0 / 12, -1.0 / 12};
static const double D4[] = {-1.0 / 12, 16.0 / 12, -30.0 / 12, 16.0 / 12, -1.0 / 12};

// Of backward differences, over j = -4..0 and -8..0, and applied twice.
static const double CB2[] = {0.0, 0.0, 0.5, -2.0, 1.5}, DB2[] = {0.25, -2.0, 5.5, -6.0, 2.25};
static const double CB4[] = {0.0, 0.0, 0.0, 0.0, 0.25, -4.0 / 3, 3.0, -4.0, 25.0 / 12};
static const double DB4[] = {1.0 / 16,   -2.0 / 3, 59.0 / 18, -10.0,      497.0 / 24,
                             -266.0 / 9, 57.0 / 2, -50.0 / 3, 625.0 / 144};

// Central ones, and backward ones of rows of velocities, over j = -2..1 and -4..2.
static const double CR2[] = {0.0, -0.5, 0.0, 0.5}, DR2[] = {0.0, 1.0, -2.0, 1.0};
static const double CR4[] = {0.0, 0.0, 1.0 / 12, -8.0 / 12, 0.0, 8.0 / 12, -1.0 / 12};
static const double DR4[] = {0.0, 0.0, -1.0 / 12, 16.0 / 12, -30.0 / 12, 16.0 / 12, -1.0 / 12};
static const double R2[] = {0.5, -2.0, 1.5, 0.0};
static const double R4[] = {0.25, -4.0 / 3, 3.0, -4.0, 25.0 / 12, 0.0, 0.0};

static void choose_weights(flx_grid *g, const flx_grid_def *def)
{
    if (def->rolls) {
        g->left = def->order;
        g->right = g->resting = def->order / 2;
        g->nodes += g->resting;
        g->c = def->order == 4 ? CR4 : CR2;
        g->d = def->order == 4 ? DR4 : DR2;
        g->roll = def->order == 4 ? R4 : R2;
        return;
    }
    if (def->backward) {
        g->left = 2 * def->order;
        g->c = def->order == 4 ? CB4 : CB2;
        g->d = def->order == 4 ? DB4 : DB2;
        return;
    }
    g->left = g->right = def->order / 2;
    g->c = def->order == 4 ? C4 : def->order == 2 ? C2 : C0;
    g->d = def->order == 4 ? D4 : def->order == 2 ? D2 : D0;
}

static void *take(flx_grid *g, size_t n, size_t size)
{
    return flx_arena_take(g->arena, n, size);
}

// ---- what a node has -------------------------------------------------------------------------------

static flx_status refuse(const flx_grid *g, const flx_grid_def *def)
{
    const flx_system *s = g->s;
    flx_unknown u;
    if (s->ops->touches || (s->ops->contacts && s->ops->contacts->count(s) > 0)) {
        return FLX_FAIL(
            g->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
            "contacts that hold or not are not solved for at all nodes of time at once");
    }
    if (s->dims.nmu > 0 && def->order > 0 && !def->backward && !def->rolls) {
        s->ops->unknown(s, flx_dims_first_constraint(&s->dims) + s->dims.nlam, &u);
        return FLX_FAIL(g->ctx, FLX_ERR_CANNOT, u.loc,
                        "'%s' (%s) is a constraint on velocities: where it leads to is not known "
                        "beforehand, and the other end must be; an inversion of `kind: bounded` or "
                        "`causal` finds it",
                        u.item ? u.item : "?", u.part ? u.part : "row");
    }
    return FLX_OK;
}

static bool is_ghost_row(const flx_grid *g, int i)
{
    const flx_dims *d = &g->s->dims;
    int w = i - d->nv - d->nx;
    if (w >= 0 && w < d->nw) return g->role[w] == FLX_GRID_OUTPUT;
    if (i < flx_dims_first_constraint(d)) return false;
    flx_unknown u;
    g->s->ops->unknown(g->s, i, &u);
    return u.sigma != 0.0 && u.tau == 0.0 && u.C == 0.0;
}

static flx_status list_unknowns(flx_grid *g)
{
    const flx_dims *d = &g->s->dims;
    int n = flx_dims_unknowns(d);
    g->cols = take(g, (size_t)n, sizeof *g->cols);
    g->rows = take(g, (size_t)n, sizeof *g->rows);
    g->ghost_rows = take(g, (size_t)n, sizeof *g->ghost_rows);
    g->col_of = take(g, (size_t)n, sizeof *g->col_of);
    g->row_of = take(g, (size_t)n, sizeof *g->row_of);
    if (!g->cols || !g->rows || !g->ghost_rows || !g->col_of || !g->row_of) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        int w = i - d->nv - d->nx;
        signed char role = w >= 0 && w < d->nw ? g->role[w] : FLX_GRID_PLAIN;
        bool stays = i < d->nv && g->fixed[i];
        bool col = !stays && role != FLX_GRID_OUTPUT, row = !stays && role != FLX_GRID_INPUT;
        g->col_of[i] = col ? g->ncol : -1;
        g->row_of[i] = row ? g->nrow : -1;
        if (col) g->cols[g->ncol++] = i;
        if (row) g->rows[g->nrow++] = i;
        if (i == d->nv - 1 || (d->nv == 0 && i == 0)) g->nghost_col = d->nv == 0 ? 0 : g->ncol;
        if (g->open && row && is_ghost_row(g, i)) g->ghost_rows[g->nghost_row++] = i;
    }
    if (!g->open) g->nghost_col = 0;
    int ghosts = g->open ? g->left + g->right : 0;
    g->total_cols = g->nodes * g->ncol + ghosts * g->nghost_col;
    g->total_rows = g->nodes * g->nrow + ghosts * g->nghost_row;
    return FLX_OK;
}

static int first_of(const flx_grid *g, int n, int own, int ghost)
{
    if (!g->open) return n * own;
    int before = n + g->left; // nodes before this one
    int left = before < g->left ? before : g->left;
    int inner = n < 0 ? 0 : n > g->nodes ? g->nodes : n;
    int right = n > g->nodes ? n - g->nodes : 0;
    return (left + right) * ghost + inner * own;
}

void flx_grid_end_rest(flx_grid *g)
{
    g->nodes -= g->resting;
    g->resting = 0;
}

int flx_grid_col(const flx_grid *g, int n)
{
    return first_of(g, n, g->ncol, g->nghost_col);
}

int flx_grid_row(const flx_grid *g, int n)
{
    return first_of(g, n, g->nrow, g->nghost_row);
}

// ---- entries of a node's matrices --------------------------------------------------------------------

static void add_entry(flx_grid *g, int row, int col, int at, unsigned parts)
{
    bool wanted = g->row_of[row] >= 0 && g->col_of[col] >= 0 && parts != 0;
    if (wanted && g->entries)
        g->entries[g->nentry] =
            (flx_grid_entry){.row = row, .col = col, .at = at, .parts = (unsigned char)parts};
    if (wanted) g->nentry++;
}

static void walk_entries(flx_grid *g)
{
    const flx_pattern *p = &g->s->pattern;
    int n = flx_dims_unknowns(&g->s->dims);
    g->nentry = 0;
    if (g->dense) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) add_entry(g, i, j, i * n + j, 7);
        }
        return;
    }
    for (int bi = 0; bi < p->nblock; bi++) {
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            int bj = p->col[e], at = p->offset[e];
            unsigned parts = p->parts ? p->parts[e] : 7;
            for (int i = p->start[bi]; i < p->start[bi + 1]; i++) {
                for (int j = p->start[bj]; j < p->start[bj + 1]; j++)
                    add_entry(g, i, j, at++, parts);
            }
        }
    }
}

static flx_status list_entries(flx_grid *g)
{
    walk_entries(g);
    g->entries = take(g, (size_t)g->nentry, sizeof *g->entries);
    if (!g->entries) return FLX_ERR_MEMORY;
    walk_entries(g);
    return FLX_OK;
}

// ---- the pattern of the whole ------------------------------------------------------------------------

typedef struct contribution {
    int row, col;
} contribution;

typedef struct pattern_walk {
    flx_grid *g;
    contribution *list; // NULL: counting
    int n;
} pattern_walk;

static void put(pattern_walk *k, int row, int col)
{
    if (k->list) k->list[k->n] = (contribution){row, col};
    k->n++;
}

// The same order as in grid_eval.c. Rows of states have contributions of the node before.
static void walk_node(pattern_walk *k, int n)
{
    flx_grid *g = k->g;
    const flx_dims *d = &g->s->dims;
    int row0 = flx_grid_row(g, n);
    for (int e = 0; e < g->nentry; e++) {
        const flx_grid_entry *o = g->entries + e;
        bool state = g->order > 0 && o->row >= d->nv && o->row < d->nv + d->nx;
        int row = row0 + g->row_of[o->row];
        for (int j = -g->left; j <= g->right; j++) {
            double of_v, of_a;
            if (j != 0 && (o->col >= d->nv || !(o->parts & 6))) continue;
            if (!flx_grid_weights(g, n, o->row, j, &of_v, &of_a) && j != 0) continue;
            int node = flx_grid_node(g, n + j);
            if (!g->open && (node < 0 || node >= g->nodes)) continue;
            int col = flx_grid_col(g, node) + g->col_of[o->col];
            put(k, row, col);
            if (state && n + 1 < g->nodes) put(k, row + g->nrow, col);
        }
    }
    for (int i = 0; i < d->nx && g->order > 0; i++) {
        int row = row0 + g->row_of[d->nv + i], col = flx_grid_col(g, n) + g->col_of[d->nv + i];
        if (n > 0) put(k, row, col);
        if (n + 1 < g->nodes) put(k, row + g->nrow, col);
    }
}

static void walk_ghost(pattern_walk *k, int n)
{
    flx_grid *g = k->g;
    for (int e = 0; e < g->nentry; e++) {
        const flx_grid_entry *o = g->entries + e;
        if (o->col >= g->s->dims.nv || !(o->parts & 1)) continue;
        for (int i = 0; i < g->nghost_row; i++) {
            if (g->ghost_rows[i] != o->row) continue;
            put(k, flx_grid_row(g, n) + i, flx_grid_col(g, n) + g->col_of[o->col]);
        }
    }
}

static void walk_pattern(pattern_walk *k)
{
    flx_grid *g = k->g;
    k->n = 0;
    for (int n = 0; n < g->nodes; n++) walk_node(k, n);
    for (int i = 1; g->open && i <= g->left; i++) walk_ghost(k, -i);
    for (int i = 1; g->open && i <= g->right; i++) walk_ghost(k, g->nodes - 1 + i);
}

typedef struct ordered {
    int row, number;
} ordered;

static int compare(const void *a, const void *b)
{
    const ordered *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

// Compressed columns of the contributions, and the place of each.
static flx_status compress(flx_grid *g, int n, const contribution *list)
{
    size_t m = (size_t)g->total_cols + 1;
    int *next = flx_alloc(g->ctx, m, sizeof *next);
    ordered *sorted = flx_alloc_unset(g->ctx, (size_t)n, sizeof *sorted);
    g->begin_of = take(g, m, sizeof *g->begin_of);
    g->place = take(g, (size_t)n, sizeof *g->place);
    g->row_at = take(g, (size_t)n, sizeof *g->row_at);
    if (!next || !sorted || !g->begin_of || !g->place || !g->row_at) {
        flx_free(next);
        flx_free(sorted);
        return FLX_ERR_MEMORY;
    }
    for (int k = 0; k < n; k++) next[list[k].col + 1]++;
    for (int c = 0; c < g->total_cols; c++) next[c + 1] += next[c];
    for (int k = 0; k < n; k++) sorted[next[list[k].col]++] = (ordered){list[k].row, k};
    int count = 0, from = 0;
    for (int c = 0; c < g->total_cols; c++) {
        int to = next[c]; // of the next column the first
        qsort(sorted + from, (size_t)(to - from), sizeof *sorted, compare);
        g->begin_of[c] = count;
        for (int k = from; k < to; k++) {
            if (k == from || sorted[k].row != sorted[k - 1].row) g->row_at[count++] = sorted[k].row;
            g->place[sorted[k].number] = count - 1;
        }
        from = to;
    }
    g->begin_of[g->total_cols] = count;
    g->nplace = n;
    flx_free(next);
    flx_free(sorted);
    g->values = take(g, (size_t)count, sizeof *g->values);
    return g->values ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status make_pattern(flx_grid *g)
{
    pattern_walk k = {.g = g};
    walk_pattern(&k);
    k.list = flx_alloc_unset(g->ctx, (size_t)k.n, sizeof *k.list);
    if (!k.list) return FLX_ERR_MEMORY;
    walk_pattern(&k);
    flx_status status = compress(g, k.n, k.list);
    flx_free(k.list);
    return status;
}

// ---- memory ------------------------------------------------------------------------------------------

static flx_status take_values(flx_grid *g, const flx_state *x)
{
    const flx_dims *d = &g->s->dims;
    size_t all = (size_t)(g->nodes + g->left + g->right), nodes = (size_t)g->nodes;
    size_t n = (size_t)flx_dims_unknowns(d);
    struct {
        double **to;
        size_t count, width;
        const double *from;
    } lists[] = {
        {&g->q, all, (size_t)d->nq, x->q},
        {&g->v, nodes, (size_t)d->nv, NULL},
        {&g->a, nodes, (size_t)d->nv, NULL},
        {&g->x, nodes, (size_t)d->nx, x->x},
        {&g->w, nodes, (size_t)d->nw, x->w},
        {&g->lam, nodes, (size_t)d->nlam, x->lam},
        {&g->mu, nodes, (size_t)d->nmu, x->mu},
        {&g->switches, all, (size_t)d->nswitch, x->switches},
        {&g->held, 1, (size_t)d->nw, NULL},
        {&g->theta, 1, (size_t)d->nv, NULL},
        {&g->r, 1, n, NULL},
        {&g->before, 1, n, NULL},
        {&g->zero, 1, n, NULL},
        {&g->column, 2, n, NULL},
        {&g->rolling, 1, n, NULL},
    };
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        double *to = take(g, lists[k].count * lists[k].width, sizeof *to);
        if (!to) return FLX_ERR_MEMORY;
        *lists[k].to = to;
        for (size_t i = 0; lists[k].from && i < lists[k].count; i++)
            memcpy(to + i * lists[k].width, lists[k].from, lists[k].width * sizeof *to);
    }
    for (int k = 0; g->dense && k < 3; k++) {
        g->full[k] = take(g, n * n, sizeof(double));
        if (!g->full[k]) return FLX_ERR_MEMORY;
    }
    FLX_TRY(flx_blocks_create(g->s, &g->b));
    FLX_TRY(flx_state_create(g->s, &g->state));
    flx_state_copy(g->state, x);
    return FLX_OK;
}

static flx_status make(flx_grid *g, const flx_state *x, const flx_grid_def *def)
{
    const flx_dims *d = &g->s->dims;
    g->role = take(g, (size_t)d->nw, 1);
    g->fixed = take(g, (size_t)d->nv, 1);
    g->work = g->s->ops->work_create(g->s);
    if (!g->role || !g->fixed || !g->work)
        return FLX_FAIL(g->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
    if (def->role) memcpy(g->role, def->role, (size_t)d->nw);
    if (def->fixed) memcpy(g->fixed, def->fixed, (size_t)d->nv);
    FLX_TRY(refuse(g, def));
    FLX_TRY(list_unknowns(g));
    FLX_TRY(list_entries(g));
    FLX_TRY(make_pattern(g));
    return take_values(g, x);
}

flx_status flx_grid_create(const flx_system *s, const flx_state *x, const flx_grid_def *def,
                           flx_grid **out)
{
    *out = NULL;
    flx_grid *g = flx_alloc(s->ctx, 1, sizeof *g);
    if (!g) return FLX_ERR_MEMORY;
    *g = (flx_grid){.s = s,
                    .ctx = s->ctx,
                    .order = def->order,
                    .nodes = def->nodes,
                    .begin = def->begin,
                    .step = def->step,
                    .from = def->from,
                    .until = def->until,
                    .open = def->open,
                    .mirror = def->mirror,
                    .dense = s->pattern.extra > 0};
    choose_weights(g, def);
    g->arena = flx_arena_create(s->ctx);
    flx_status status = g->arena ? make(g, x, def) : FLX_ERR_MEMORY;
    if (status != FLX_OK) flx_grid_destroy(&g);
    *out = g;
    return status;
}

void flx_grid_destroy(flx_grid **made)
{
    flx_grid *g = made ? *made : NULL;
    if (!g) return;
    if (g->work) g->s->ops->work_destroy(g->work);
    flx_blocks_destroy(&g->b);
    flx_state_destroy(&g->state);
    flx_arena_destroy(&g->arena);
    flx_free(g);
    *made = NULL;
}
