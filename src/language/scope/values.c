// values.c - from the values of the file to numbers, vectors and nodes.
#include "language/builder.h"
#include "language/schema/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void *flx_take(flx_builder *b, size_t n, size_t size)
{
    return flx_arena_take(b->scratch, n, size);
}

static flx_status add_unavailable(flx_builder *b, int n, const flx_unavailable *found)
{
    flx_model *m = b->m;
    if (n == 0) return FLX_OK;
    flx_unavailable *all = flx_arena_take(m->arena, (size_t)(m->nunavailable + n), sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    if (m->nunavailable > 0) {
        memcpy(all, m->unavailable, (size_t)m->nunavailable * sizeof *all);
    }
    memcpy(all + m->nunavailable, found, (size_t)n * sizeof *all);
    m->unavailable = all;
    m->nunavailable += n;
    return FLX_OK;
}

flx_status flx_build_unavailable(flx_builder *b, const flx_entry *tree)
{
    int n = 0;
    flx_unavailable *found = NULL;
    FLX_TRY(flx_schema_unavailable(b->ctx, b->m->arena, tree, b->m->dimension, &n, &found));
    return add_unavailable(b, n, found);
}

// ---- syntax trees, one for each scalar of the file, however often it is repeated ----------------

static size_t ast_slot(const flx_builder *b, const flx_entry *key)
{
    size_t mask = (size_t)b->ast_capacity - 1;
    size_t i = (size_t)(((uintptr_t)key >> 4) * 0x9E3779B97F4A7C15u) & mask;
    while (b->asts[i].key && b->asts[i].key != key) i = (i + 1) & mask;
    return i;
}

static flx_status grow_asts(flx_builder *b)
{
    struct flx_ast_slot *old = b->asts;
    int n = b->ast_capacity, capacity = n > 0 ? 2 * n : 256;
    struct flx_ast_slot *slots = flx_take(b, (size_t)capacity, sizeof *slots);
    if (!slots) return FLX_ERR_MEMORY;
    b->asts = slots;
    b->ast_capacity = capacity;
    for (int i = 0; i < n; i++) {
        if (old[i].key) slots[ast_slot(b, old[i].key)] = old[i];
    }
    return FLX_OK;
}

static flx_status ast_of(flx_builder *b, const flx_entry *y, const flx_ast **out)
{
    if (2 * (b->nast + 1) > b->ast_capacity) FLX_TRY(grow_asts(b));
    struct flx_ast_slot *slot = &b->asts[ast_slot(b, y)];
    if (!slot->key) {
        flx_ast *ast = NULL;
        const char *text = y->written ? y->written : y->text; // line ends: exact places
        FLX_TRY(flx_ast_parse(b->ctx, b->scratch, text, y->loc, &ast));
        *slot = (struct flx_ast_slot){y, ast};
        b->nast++;
    }
    *out = slot->ast;
    return FLX_OK;
}

// ---- values -------------------------------------------------------------------------------------

flx_status flx_build_value(flx_env *e, const flx_entry *y, flx_operand *out)
{
    flx_builder *b = e->b;
    if (y->kind == FLX_ENTRY_SCALAR) {
        const flx_ast *ast = NULL;
        FLX_TRY(ast_of(b, y, &ast));
        e->where = y->loc;
        return flx_ast_elaborate(&e->scope, ast, out);
    }
    if (y->kind == FLX_ENTRY_MAP) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "expected a number or a list, found a mapping");
    }
    *out = (flx_operand){.kind = FLX_OPERAND_LIST, .node = -1, .count = y->count};
    out->items = flx_take(b, (size_t)y->count, sizeof *out->items);
    if (!out->items) return FLX_ERR_MEMORY;
    for (int i = 0; i < y->count; i++) FLX_TRY(flx_build_value(e, y->items[i], &out->items[i]));
    return FLX_OK;
}

flx_status flx_operand_to_number(flx_env *e, const flx_operand *v, flx_loc loc, flx_node *out)
{
    flx_operand held = *v;
    if (v->kind == FLX_OPERAND_HANDLE) FLX_TRY(flx_env_coerce(&e->scope, v, loc, &held));
    if (held.kind == FLX_OPERAND_LIST) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "expected a number, found a list of %d entries", held.count);
    }
    if (held.kind != FLX_OPERAND_NUMBER) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "expected a number, found a function without its arguments");
    }
    *out = held.node;
    return held.node < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

flx_status flx_operand_to_vector(flx_env *e, const flx_operand *v, flx_loc loc, flx_node out[3])
{
    flx_builder *b = e->b;
    flx_operand held = *v;
    if (v->kind == FLX_OPERAND_HANDLE) FLX_TRY(flx_env_coerce(&e->scope, v, loc, &held));
    bool planar = b->m->dimension == 2;
    const char *what = planar ? "a vector of 2 numbers" : "a vector of 3 numbers";
    if (held.kind == FLX_OPERAND_NUMBER) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "expected %s, found a number", what);
    }
    if (held.kind != FLX_OPERAND_LIST || !(held.count == 3 || (planar && held.count == 2))) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "expected %s, found %d entries", what,
                        held.count);
    }
    out[2] = flx_graph_const(b->g, 0);
    for (int i = 0; i < held.count; i++) {
        FLX_TRY(flx_operand_to_number(e, &held.items[i], loc, &out[i]));
    }
    double z = 0;
    if (planar && held.count == 3 && !(flx_build_constant(b, out[2], loc, &z) && z == 0)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "the model is planar: a third entry must be 0");
    }
    return FLX_OK;
}

// A constant, finite number. open: where its expression goes, NULL: nowhere.
static flx_status constant_of(flx_env *e, flx_node n, flx_loc loc, double *out, flx_open *open)
{
    bool constant = open ? flx_open_value(e->b, n, out) : flx_build_constant(e->b, n, loc, out);
    if (open) *open = constant && !flx_graph_is_const(e->b->g, n, NULL) ? n + 1 : 0;
    if (!constant && flx_loads_value(e->b, n, out)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "only constants are allowed here, and a parameter in it is the load of an "
                        "analysis: such ones are in values of forces, motions and equations");
    }
    if (!constant) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "only constants are allowed here");
    }
    if (!isfinite(*out)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "the value is not a finite number");
    }
    return FLX_OK;
}

flx_status flx_node_to_number(flx_env *e, flx_node n, flx_loc loc, double *out, flx_open *open)
{
    return constant_of(e, n, loc, out, open);
}

flx_status flx_operand_to_constants(flx_env *e, const flx_operand *v, flx_loc loc, double out[3])
{
    flx_node n[3] = {-1, -1, -1};
    FLX_TRY(flx_operand_to_vector(e, v, loc, n));
    for (int i = 0; i < 3; i++) FLX_TRY(constant_of(e, n[i], loc, &out[i], NULL));
    return FLX_OK;
}

flx_status flx_build_node(flx_env *e, const flx_entry *y, flx_node *out)
{
    flx_operand v = {.node = -1};
    FLX_TRY(flx_build_value(e, y, &v));
    return flx_operand_to_number(e, &v, y->loc, out);
}

flx_status flx_build_node_vector(flx_env *e, const flx_entry *y, flx_node out[3])
{
    flx_operand v = {.node = -1};
    FLX_TRY(flx_build_value(e, y, &v));
    return flx_operand_to_vector(e, &v, y->loc, out);
}

flx_status flx_build_number(flx_env *e, const flx_entry *y, double *out)
{
    flx_node n = -1;
    FLX_TRY(flx_build_node(e, y, &n));
    return constant_of(e, n, y->loc, out, NULL);
}

flx_status flx_build_open(flx_env *e, const flx_entry *y, double *out, flx_open *open)
{
    flx_node n = -1;
    FLX_TRY(flx_build_node(e, y, &n));
    return constant_of(e, n, y->loc, out, open);
}

flx_status flx_build_positive(flx_env *e, const flx_entry *y, const char *what, double *out)
{
    FLX_TRY(flx_build_number(e, y, out));
    if (!(*out > 0)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "%s must be positive, not %g", what,
                        *out);
    }
    return FLX_OK;
}

flx_status flx_build_integer(flx_env *e, const flx_entry *y, int *out)
{
    double x;
    FLX_TRY(flx_build_number(e, y, &x));
    double r = round(x);
    // Rounding of an expression such as 0.3/0.1 is forgiven.
    if (!(fabs(x - r) <= 1e-9 * (1 + fabs(r)))) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "expected a whole number, found %g", x);
    }
    if (!(fabs(r) < 1e9)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "%g is too large a number here", x);
    }
    *out = (int)r;
    return FLX_OK;
}

flx_status flx_build_open_vector(flx_env *e, const flx_entry *y, double out[3], flx_open open[3])
{
    flx_node n[3] = {-1, -1, -1};
    FLX_TRY(flx_build_node_vector(e, y, n));
    for (int i = 0; i < 3; i++) FLX_TRY(constant_of(e, n[i], y->loc, &out[i], &open[i]));
    return FLX_OK;
}

void flx_note_degrees(flx_builder *b, const flx_entry *y, double angle)
{
    const char *text = y->kind == FLX_ENTRY_SCALAR ? y->text : NULL;
    if (!text || fabs(angle) <= 2.0 * FLX_PI * (1.0 + 1e-9)) return;
    if (strstr(text, "deg") || strstr(text, "pi")) return;
    // a parameter may have been given in turns and degrees; whole numbers it has of neither
    if (strpbrk(text, "abcdefghijklmnopqrstuvwxyz") && angle != round(angle)) return;
    flx_ctx_warn(
        b->ctx, y->loc,
        "an angle of %g rad is more than a revolution; are these degrees? They are written as "
        "%g*deg",
        angle, angle);
}

flx_status flx_build_vector(flx_env *e, const flx_entry *y, double out[3])
{
    flx_operand v = {.node = -1};
    FLX_TRY(flx_build_value(e, y, &v));
    return flx_operand_to_constants(e, &v, y->loc, out);
}

static int count_numbers(const flx_operand *v)
{
    if (v->kind != FLX_OPERAND_LIST) return 1;
    int n = 0;
    for (int i = 0; i < v->count; i++) n += count_numbers(&v->items[i]);
    return n;
}

// open: where the expressions go; points to NULL: nowhere.
static flx_status flatten(flx_env *e, const flx_operand *v, flx_loc loc, double **next,
                          flx_open **open)
{
    if (v->kind == FLX_OPERAND_LIST) {
        for (int i = 0; i < v->count; i++) FLX_TRY(flatten(e, &v->items[i], loc, next, open));
        return FLX_OK;
    }
    flx_node n = -1;
    FLX_TRY(flx_operand_to_number(e, v, loc, &n));
    return constant_of(e, n, loc, (*next)++, *open ? (*open)++ : NULL);
}

flx_status flx_build_numbers(flx_env *e, const flx_entry *y, int *n, double **out)
{
    return flx_build_open_numbers(e, y, n, out, NULL);
}

flx_status flx_build_open_numbers(flx_env *e, const flx_entry *y, int *n, double **out,
                                  flx_open **open)
{
    flx_operand v = {.node = -1};
    FLX_TRY(flx_build_value(e, y, &v));
    if (v.kind == FLX_OPERAND_HANDLE) {
        flx_operand held;
        FLX_TRY(flx_env_coerce(&e->scope, &v, y->loc, &held));
        v = held;
    }
    *n = count_numbers(&v);
    *out = flx_arena_take(e->b->m->arena, (size_t)*n, sizeof **out);
    if (!*out) return FLX_ERR_MEMORY;
    double *next = *out;
    flx_open *kept = open ? flx_arena_take(e->b->m->arena, (size_t)*n, sizeof *kept) : NULL;
    if (open && !kept) return FLX_ERR_MEMORY;
    if (open) *open = kept;
    return flatten(e, &v, y->loc, &next, &kept);
}

flx_status flx_build_points(flx_env *e, const flx_entry *points, int *n, double **x, double **y)
{
    flx_builder *b = e->b;
    *n = points->kind == FLX_ENTRY_LIST ? points->count : 0;
    if (*n < 2) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, points->loc, "a table needs at least two points");
    }
    *x = flx_take(b, (size_t)*n, sizeof **x);
    *y = flx_take(b, (size_t)*n, sizeof **y);
    if (!*x || !*y) return FLX_ERR_MEMORY;
    for (int i = 0; i < *n; i++) {
        int count = 0;
        double *pair = NULL;
        const flx_entry *item = points->items[i];
        FLX_TRY(flx_build_numbers(e, item, &count, &pair));
        if (count != 2) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, item->loc, "a point of a table is [x, y]");
        }
        (*x)[i] = pair[0];
        (*y)[i] = pair[1];
        if (i > 0 && !((*x)[i] > (*x)[i - 1])) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, item->loc,
                            "the first numbers of a table ascend; %g comes after %g", (*x)[i],
                            (*x)[i - 1]);
        }
    }
    return FLX_OK;
}

// ---- words --------------------------------------------------------------------------------------

flx_status flx_build_word(flx_builder *b, const flx_entry *y, const char *what,
                          const char *const *words, int *out)
{
    if (y->kind != FLX_ENTRY_SCALAR) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "%s must be a word", what);
    }
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], y->text) == 0) {
            *out = i;
            return FLX_OK;
        }
    }
    flx_nearest near;
    flx_nearest_start(&near, y->text);
    for (int i = 0; words[i]; i++) flx_nearest_offer(&near, words[i]);
    const char *best = flx_nearest_best(&near);
    if (best) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "unknown %s '%s'; did you mean '%s'?", what,
                        y->text, best);
    }
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "unknown %s '%s'", what, y->text);
}

flx_status flx_build_flag(flx_builder *b, const flx_entry *y, const char *what, bool *out)
{
    static const char *const words[] = {"false", "true", NULL};
    int k = 0;
    FLX_TRY(flx_build_word(b, y, what, words, &k));
    *out = k == 1;
    return FLX_OK;
}

flx_status flx_build_need(flx_builder *b, const flx_item *item, const char *key,
                          const flx_entry **out)
{
    *out = item->def->kind == FLX_ENTRY_MAP ? flx_entry_get(item->def, key) : NULL;
    if (*out) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, item->loc, "%s '%s' needs the key '%s'",
                    flx_item_word(item->kind), item->full, key);
}
