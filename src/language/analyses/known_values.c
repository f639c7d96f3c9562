// known_values.c - what analyses found, in expressions. A path of names is collected until a value is wanted: signals
// have dots in their names, and repeated items an index.
#include "language/analyses/known_values.h"

#include "language/sweep/optimise_goals.h"
#include "model/nodes.h"

#include <math.h>
#include <string.h>

typedef struct path {
    const flx_item *analysis;
    const char *text; // "shoulder.angle"
} path;

static flx_status make_handle(flx_env *e, const flx_item *analysis, const char *text,
                              flx_operand *out)
{
    path *p = text ? flx_take(e->b, 1, sizeof *p) : NULL;
    if (!p) return FLX_ERR_MEMORY;
    *p = (path){analysis, text};
    *out = (flx_operand){.kind = FLX_OPERAND_HANDLE, .handle = p, .tag = FLX_TAG_KNOWN, .node = -1};
    return FLX_OK;
}

flx_status flx_known_member(flx_env *e, const flx_item *analysis, const flx_operand *of,
                            const char *name, flx_loc loc, flx_operand *out)
{
    const path *p = of ? of->handle : NULL;
    if (p) analysis = p->analysis;
    const flx_analysis_reader *r = flx_analysis_reader_of(analysis, NULL);
    if (!r->gives && !e->goals) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "'%s' is an analysis of type %s, of which expressions know nothing",
                        analysis->full, r->says.word);
    }
    return make_handle(e, analysis,
                       p ? flx_arena_printf(e->b->scratch, "%s.%s", p->text, name)
                         : flx_arena_printf(e->b->scratch, "%s", name),
                       out);
}

flx_status flx_known_index(flx_env *e, const flx_operand *of, int n, const flx_operand *args,
                           flx_loc loc, flx_operand *out)
{
    const path *p = of->handle;
    double x[2] = {0, 0};
    for (int i = 0; i < n && i < 2; i++) {
        if (args[i].kind == FLX_OPERAND_NUMBER &&
            flx_build_constant(e->b, args[i].node, loc, &x[i]) && x[i] == floor(x[i]) && x[i] > 0 &&
            x[i] < 1e6)
            continue;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "an index is a whole number from 1 on");
    }
    if (n < 1 || n > 2) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "'%s' takes one index or two", p->text);
    }
    return make_handle(e, p->analysis,
                       n == 1 ? flx_arena_printf(e->b->scratch, "%s(%g)", p->text, x[0])
                              : flx_arena_printf(e->b->scratch, "%s(%g, %g)", p->text, x[0], x[1]),
                       out);
}

// ---- while it is not known --------------------------------------------------------------------------

static int number_of(const flx_builder *b, const flx_item *analysis)
{
    int i = 0;
    while (i < b->analyses.count && b->analyses.items[i] != analysis) i++;
    return i;
}

// An analysis may use what stands before it: results are found in the order of the file.
static flx_status await(flx_builder *b, const flx_item *analysis, flx_loc loc)
{
    flx_model *m = b->m;
    int i = number_of(b, analysis);
    if (!m->awaited) m->awaited = flx_arena_take(m->arena, (size_t)b->analyses.count + 1, 1);
    if (!m->awaited) return FLX_ERR_MEMORY;
    if (b->analysing > 0 && i >= b->analysing - 1) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                        "an analysis uses what those before it have found, and '%s' stands %s",
                        analysis->full, i == b->analysing - 1 ? "for itself" : "behind it");
    }
    m->awaited[i] = 1;
    return FLX_OK;
}

flx_status flx_known_take(flx_builder *b, const flx_item *analysis, const char *matrix, flx_loc loc,
                          const flx_known_table **out)
{
    const flx_known *k = flx_known_find(b->known, analysis->full);
    *out = NULL;
    if (!k) return await(b, analysis, loc);
    *out = flx_known_matrix(k, matrix);
    if (*out) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "'%s' has no %s", analysis->full, matrix);
}

// ---- when it is ---------------------------------------------------------------------------------

static flx_status make_list(flx_env *e, int n, const double *values, int stride, flx_operand *out)
{
    flx_builder *b = e->b;
    if (n == 1) return flx_operand_set_node(flx_graph_const(b->g, values[0]), out);
    *out = (flx_operand){.kind = FLX_OPERAND_LIST, .node = -1, .count = n};
    out->items = flx_take(b, (size_t)n, sizeof *out->items);
    if (!out->items) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        FLX_TRY(flx_operand_set_node(flx_graph_const(b->g, values[(size_t)i * (size_t)stride]),
                                     &out->items[i]));
    }
    return FLX_OK;
}

static flx_status make_matrix(flx_env *e, const flx_known_table *t, flx_operand *out)
{
    if (t->nrow == 1) return make_list(e, t->ncolumn, t->values, 1, out);
    if (t->ncolumn == 1) return make_list(e, t->nrow, t->values, 1, out);
    *out = (flx_operand){.kind = FLX_OPERAND_LIST, .node = -1, .count = t->nrow};
    out->items = flx_take(e->b, (size_t)t->nrow, sizeof *out->items);
    if (!out->items) return FLX_ERR_MEMORY;
    for (int i = 0; i < t->nrow; i++) {
        FLX_TRY(make_list(e, t->ncolumn, t->values + (size_t)i * (size_t)t->ncolumn, 1,
                          &out->items[i]));
    }
    return FLX_OK;
}

// Column `column` over the first one, the time; held outside.
static flx_status make_function(flx_env *e, const flx_known_table *t, int column, flx_operand *out)
{
    flx_builder *b = e->b;
    size_t n = (size_t)t->nrow;
    double *x = flx_take(b, 2 * n, sizeof *x);
    if (!x) return FLX_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        x[i] = t->values[i * (size_t)t->ncolumn];
        x[n + i] = t->values[i * (size_t)t->ncolumn + (size_t)column];
    }
    int table =
        flx_graph_add_table(b->g, t->nrow, x, x + n, FLX_INTERPOLATE_CUBIC, FLX_OUTSIDE_HOLD);
    if (table < 0) return FLX_ERR_MEMORY;
    FLX_TRY(flx_env_require(e, FLX_MODE_TIME, t->name, NULL, FLX_NOWHERE));
    return flx_operand_set_node(
        flx_graph_table(b->g, table, 0, node_leaf(b->g, FLX_LEAF_TIME, 0, 0)), out);
}

static flx_status find_column(flx_env *e, const flx_known *k, const char *text, flx_operand *out,
                              bool *found)
{
    int column = 0;
    const flx_known_table *t = flx_known_column(k, text, &column);
    *found = t != NULL;
    if (!t) return FLX_OK;
    bool time = strcmp(t->columns[0], "t") == 0 && t->nrow > 1;
    if (time) return make_function(e, t, column, out);
    return make_list(e, t->nrow, t->values + column, t->ncolumn, out);
}

// "gains(2)" of a table with a column "gains(1, 2)" and no second row.
static flx_status find_in_row(flx_env *e, const flx_known *k, const char *text, flx_operand *out,
                              bool *found)
{
    const char *open = strchr(text, '(');
    int column = 0;
    if (!open || strchr(open, ',')) return FLX_OK;
    int n = (int)(open - text);
    const char *second = flx_arena_printf(e->b->scratch, "%.*s(2, 1)", n, text);
    const char *name = flx_arena_printf(e->b->scratch, "%.*s(1, %s", n, text, open + 1);
    if (!second || !name) return FLX_ERR_MEMORY;
    if (flx_known_column(k, second, &column)) return FLX_OK;
    return find_column(e, k, name, out, found);
}

// "gains", "gains(2)" of a row or column, "gains(1, 2)".
static flx_status find_entry(flx_env *e, const flx_known *k, const char *text, flx_loc loc,
                             flx_operand *out, bool *found)
{
    const char *open = strchr(text, '(');
    char *name = flx_arena_copy(e->b->scratch, text, open ? (size_t)(open - text) : strlen(text));
    if (!name) return FLX_ERR_MEMORY;
    const flx_known_table *t = flx_known_matrix(k, name);
    *found = t != NULL;
    if (!t) return FLX_OK;
    if (!open) return make_matrix(e, t, out);
    int index[2] = {0, 0}, n = 0;
    for (const char *c = open + 1; *c; c++) { // digits, as flx_known_index wrote them
        if (*c >= '0' && *c <= '9') index[n] = 10 * index[n] + (*c - '0');
        if (*c == ',') n++;
    }
    int row = n == 1 ? index[0] : t->nrow == 1 ? 1 : index[0];
    int column = n == 1 ? index[1] : t->nrow == 1 ? index[0] : 1;
    bool flat = t->nrow == 1 || t->ncolumn == 1 || n == 1;
    if (row > t->nrow || column > t->ncolumn || row < 1 || column < 1) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "'%s' has %d rows and %d columns", name,
                        t->nrow, t->ncolumn);
    }
    const double *at = t->values + (size_t)(row - 1) * (size_t)t->ncolumn;
    return flat ? make_list(e, 1, at + column - 1, 1, out) : make_list(e, t->ncolumn, at, 1, out);
}

flx_status flx_known_value(flx_env *e, const flx_operand *of, flx_loc loc, flx_operand *out)
{
    const path *p = of->handle;
    flx_builder *b = e->b;
    const flx_known *k = flx_known_find(b->known, p->analysis->full);
    bool found = false;
    if (e->goals) return flx_goal_sought(e, p->analysis, p->text, loc, out);
    if (!k) {
        FLX_TRY(await(b, p->analysis, loc));
        return flx_operand_set_node(flx_graph_const(b->g, 0.0), out);
    }
    FLX_TRY(find_column(e, k, p->text, out, &found));
    if (!found) FLX_TRY(find_in_row(e, k, p->text, out, &found));
    if (!found) FLX_TRY(find_entry(e, k, p->text, loc, out, &found));
    if (found) return FLX_OK;
    flx_nearest near;
    flx_nearest_start(&near, p->text);
    for (int i = 0; i < k->ntable; i++) {
        const flx_known_table *t = k->tables + i;
        if (!t->columns) flx_nearest_offer(&near, t->name);
        for (int c = 0; t->columns && c < t->ncolumn; c++) flx_nearest_offer(&near, t->columns[c]);
    }
    const char *best = flx_nearest_best(&near);
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "analysis '%s' has found no '%s'%s%s%s",
                    p->analysis->full, p->text, best ? "; did you mean '" : "", best ? best : "",
                    best ? "'?" : "");
}
