// text_world.h - texts of expressions read in a scope.
//
// The scope here knows: a = 2, b = 3, m = [10, 20, 30, 40, 50, 60, 70], v = [1, 2, 3], w = [4, 5],
// leaves x y z (numbers 0 1 2) and t (3); functions double(x) = 2*x, loop(x) = loop(x) and
// fact(n); the family `link` of handles, link(i).position = [i, x, 0], whose place is the position;
// and a joint `cross` with the member angle = 7.
#pragma once

#include "expr_rig.h"

typedef struct world {
    rig r;
    flx_arena *arena;
    flx_scope scope;
} world;

enum { TAG_FAMILY, TAG_LINK, TAG_JOINT };
static const char *const double_text = "2*x", *const loop_text = "loop(x) + 1",
                         *const fact_text = "if(x <= 1, 1, x*fact(x - 1))";
static const int numbers[100];

static inline flx_status give_list(flx_scope *s, int n, const double *v, flx_operand *out)
{
    *out = (flx_operand){.kind = FLX_OPERAND_LIST, .node = -1, .count = n};
    out->items = flx_arena_take(s->arena, (size_t)n, sizeof(flx_operand));
    if (!out->items) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        out->items[i] =
            (flx_operand){.kind = FLX_OPERAND_NUMBER, .node = flx_graph_const(s->graph, v[i])};
        if (out->items[i].node < 0) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

static inline flx_status lookup(flx_scope *s, const char *name, flx_loc loc, flx_operand *out)
{
    static const double m[7] = {10, 20, 30, 40, 50, 60, 70};
    static const char *const leaves = "xyzt";
    *out = (flx_operand){.kind = FLX_OPERAND_NUMBER, .node = -1};
    if (s->user && strcmp(name, "x") == 0) { // inside a function: its argument
        *out = *(const flx_operand *)s->user;
        return FLX_OK;
    }
    const char *leaf = strlen(name) == 1 ? strchr(leaves, name[0]) : NULL;
    if (leaf) {
        out->node = flx_graph_leaf(s->graph, (flx_leaf)(leaf - leaves));
        return out->node < 0 ? FLX_ERR_MEMORY : FLX_OK;
    }
    if (strcmp(name, "a") == 0 || strcmp(name, "b") == 0) {
        out->node = flx_graph_const(s->graph, name[0] == 'a' ? 2 : 3);
        return out->node < 0 ? FLX_ERR_MEMORY : FLX_OK;
    }
    if (strcmp(name, "m") == 0) return give_list(s, 7, m, out);
    if (strcmp(name, "v") == 0) return give_list(s, 3, (double[3]){1, 2, 3}, out);
    if (strcmp(name, "w") == 0) return give_list(s, 2, (double[2]){4, 5}, out);
    out->kind = FLX_OPERAND_FUNCTION;
    out->handle = strcmp(name, "double") == 0 ? double_text
                  : strcmp(name, "loop") == 0 ? loop_text
                  : strcmp(name, "fact") == 0 ? fact_text
                                              : NULL;
    if (out->handle) return FLX_OK;
    out->kind = FLX_OPERAND_HANDLE;
    out->tag = strcmp(name, "cross") == 0 ? TAG_JOINT : TAG_FAMILY;
    if (out->tag == TAG_JOINT || strcmp(name, "link") == 0) return FLX_OK;
    flx_nearest near;
    flx_nearest_start(&near, name);
    for (const char *const *n = flx_expr_builtin_names(); *n; n++) flx_nearest_offer(&near, *n);
    const char *best = flx_nearest_best(&near);
    return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc, "unknown %s '%s'%s%s%s",
                    s->called ? "function" : "name", name, best ? "; did you mean '" : "",
                    best ? best : "", best ? "'?" : "");
}

static inline flx_status coerce(flx_scope *s, const flx_operand *of, flx_loc loc, flx_operand *out)
{
    if (of->tag != TAG_LINK) return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc, "no place");
    int i = (int)((const int *)of->handle - numbers);
    FLX_TRY(give_list(s, 3, (double[3]){i, 0, 0}, out));
    out->items[1].node = flx_graph_leaf(s->graph, 0);
    return out->items[1].node < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

static inline flx_status member(flx_scope *s, const flx_operand *of, const char *name, flx_loc loc,
                                flx_operand *out)
{
    if (of->tag == TAG_LINK && strcmp(name, "position") == 0) return coerce(s, of, loc, out);
    if (of->tag == TAG_JOINT && strcmp(name, "angle") == 0) {
        *out = (flx_operand){.kind = FLX_OPERAND_NUMBER, .node = flx_graph_const(s->graph, 7)};
        return out->node < 0 ? FLX_ERR_MEMORY : FLX_OK;
    }
    return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc, "no member '%s'", name);
}

static inline flx_status index_of(flx_scope *s, const flx_operand *of, int n,
                                  const flx_operand *args, flx_loc loc, flx_operand *out)
{
    double v;
    if (of->tag != TAG_FAMILY || n != 1 || args[0].kind != FLX_OPERAND_NUMBER ||
        !flx_graph_is_const(s->graph, args[0].node, &v) || v < 1 || v > 50) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc, "no such link");
    }
    *out = (flx_operand){.kind = FLX_OPERAND_HANDLE, .tag = TAG_LINK, .handle = numbers + (int)v};
    return FLX_OK;
}

static inline flx_status call(flx_scope *s, const flx_operand *f, int n, const flx_operand *args,
                              flx_loc loc, flx_operand *out)
{
    flx_ast *body = NULL;
    flx_scope inner = *s;
    if (n != 1) return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc, "one argument");
    inner.user = (void *)&args[0];
    FLX_TRY(flx_ast_parse(s->ctx, s->arena, f->handle, (flx_loc){"f", 1, 1, NULL}, &body));
    return flx_ast_elaborate(&inner, body, out);
}

static inline flx_node time_rule(flx_graph *g, void *user, flx_leaf leaf)
{
    (void)user;
    return leaf == 3 ? flx_graph_const(g, 1.0) : flx_graph_leaf(g, leaf + 4); // x' is leaf 4, ...
}

static inline flx_status rate(flx_scope *s, flx_node n, flx_loc loc, flx_node *out)
{
    (void)loc;
    *out = flx_graph_derive(s->graph, n, time_rule, NULL);
    return *out < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

static inline int world_up(world *w)
{
    memset(w, 0, sizeof *w);
    if (!rig_up(&w->r)) return 0;
    w->arena = flx_arena_create(w->r.ctx);
    w->scope = (flx_scope){.ctx = w->r.ctx,
                           .graph = w->r.g,
                           .arena = w->arena,
                           .lookup = lookup,
                           .member = member,
                           .index = index_of,
                           .call = call,
                           .rate = rate,
                           .coerce = coerce};
    return w->arena != NULL;
}

static inline void world_down(world *w)
{
    flx_arena_destroy(&w->arena);
    rig_down(&w->r);
}

static const flx_loc start = {"model.yaml", 5, 10, NULL};

static inline flx_status read_value(world *w, const char *text, flx_operand *out)
{
    flx_ast *ast = NULL;
    FLX_TRY(flx_ast_parse(w->r.ctx, w->arena, text, start, &ast));
    return flx_ast_elaborate(&w->scope, ast, out);
}

// The value of a text at x = 0.5, y = -2, z = 3, t = 4, rates 10, 20, 30 (leaves 4, 5, 6).
static inline double value_of(const char *text)
{
    world w;
    flx_ast *ast = NULL;
    flx_operand number;
    double v = (double)NAN;
    const double in[RIG_LEAVES] = {0.5, -2, 3, 4, 10, 20, 30};
    if (!world_up(&w)) return v;
    if (flx_ast_parse(w.r.ctx, w.arena, text, start, &ast) == FLX_OK &&
        flx_ast_elaborate(&w.scope, ast, &number) == FLX_OK && number.kind == FLX_OPERAND_NUMBER) {
        v = rig_eval(&w.r, number.node, in);
    } else {
        const flx_message *e = flx_ctx_error(w.r.ctx, 0);
        printf("%s: %s\n", text, e ? e->text : "no message");
    }
    world_down(&w);
    return v;
}

// The text is an error at this column with these words in its message.
static inline int expect_error(const char *text, int column, const char *message)
{
    world w;
    flx_operand v;
    CHECK(world_up(&w));
    flx_status s = read_value(&w, text, &v);
    const flx_message *e = flx_ctx_error(w.r.ctx, 0);
    if (s != FLX_ERR_MODEL || !e) printf("no error in: %.60s\n", text);
    CHECK(s == FLX_ERR_MODEL && e && flx_ctx_error_count(w.r.ctx) == 1);
    CHECK_TEXT(e->text, message);
    if (e->loc.column != start.column + column - 1) {
        printf("%s: column %d, expected %d\n", text, e->loc.column - start.column + 1, column);
    }
    CHECK(e->loc.line == 5 && e->loc.column == start.column + column - 1);
    CHECK(e->loc.file == start.file);
    world_down(&w);
    return 0;
}
