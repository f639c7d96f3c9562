// read_of.c - `of` of analyses that may be of a flexible body or of a linear block alone, with its inputs and outputs.
#include "language/analyses/io_keys.h"

#include <string.h>

static const flx_item *find(const flx_items *list, const char *word, flx_nearest *near)
{
    for (int i = 0; i < list->count; i++) {
        flx_nearest_offer(near, list->items[i]->full);
        if (strcmp(list->items[i]->full, word) == 0) return list->items[i];
    }
    return NULL;
}

// ---- a flexible body ------------------------------------------------------------------------------

static bool is_port(const char *word)
{
    static const char *const components[] = {"x", "y", "z", "rx", "ry", "rz"};
    const char *dot = strrchr(word, '.');
    for (int i = 0; dot && dot > word && i < 6; i++) {
        if (strcmp(dot + 1, components[i]) == 0) return true;
    }
    return false;
}

static flx_status read_ports(flx_builder *b, const flx_entry *y, flx_port_keys *out)
{
    size_t n = y && y->kind == FLX_ENTRY_LIST ? (size_t)y->count : 0;
    out->names = flx_arena_take(b->m->arena, n, sizeof *out->names);
    out->places = flx_arena_take(b->m->arena, n, sizeof *out->places);
    if (!out->names || !out->places) return FLX_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const char *word = y->items[i]->kind == FLX_ENTRY_SCALAR ? y->items[i]->text : "";
        if (!is_port(word)) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->items[i]->loc,
                            "'%s' is no component of an interface, such as tip.x or tip.rz", word);
        }
        out->names[i] = flx_arena_copy(b->m->arena, word, strlen(word));
        if (!out->names[i]) return FLX_ERR_MEMORY;
        out->places[i] = y->items[i]->loc;
        out->n++;
    }
    return FLX_OK;
}

static flx_status read_held(flx_builder *b, const flx_entry *y, flx_of_keys *out)
{
    const char *text = "";
    for (int i = 0; y && i < y->count; i++) {
        const char *word = y->items[i]->text ? y->items[i]->text : "";
        if (!*word || strchr(word, ',')) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->items[i]->loc, "'%s' is no interface of '%s'",
                            word, out->name);
        }
        text = flx_arena_printf(b->m->arena, "%s%s%s", text, i > 0 ? ", " : "", word);
        if (!text) return FLX_ERR_MEMORY;
    }
    if (*text) out->held = text;
    return FLX_OK;
}

static flx_status read_body(flx_builder *b, const flx_item *item, const flx_item *body,
                            flx_of_keys *out)
{
    const flx_entry *def = item->def, *type = flx_entry_get(body->def, "type");
    if (!flx_entry_get(body->def, "fe")) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, out->loc,
                        "'%s' is a body of type %s without `fe`: responses are found of flexible "
                        "bodies made of finite elements",
                        out->name, type && type->text ? type->text : "?");
    }
    out->body = true;
    FLX_TRY(read_held(b, flx_entry_get(def, "held"), out));
    FLX_TRY(read_ports(b, flx_entry_get(def, "inputs"), &out->in));
    FLX_TRY(read_ports(b, flx_entry_get(def, "outputs"), &out->out));
    if (out->in.n == 0) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, item->loc,
                        "which forces act on '%s'? Give `inputs`, as in [tip.z]", out->name);
    }
    if (out->out.n == 0) out->out = out->in;
    return FLX_OK;
}

// ---- a linear block -------------------------------------------------------------------------------

// A signal of the block, as it uses it.
static flx_status evaluate(flx_builder *b, const flx_of_keys *of, const char *member,
                           flx_operand *out)
{
    flx_env e;
    flx_entry *y = flx_arena_take(b->m->arena, 1, sizeof *y); // each is parsed once, by its place
    const char *text = flx_arena_printf(b->m->arena, "%s.%s", of->name, member);
    if (!text || !y) return FLX_ERR_MEMORY;
    flx_env_init(&e, b, b->top, NULL, FLX_MODE_MOVING);
    *y = (flx_entry){.kind = FLX_ENTRY_SCALAR, .loc = of->loc, .text = text, .written = text};
    FLX_TRY(flx_build_value(&e, y, out));
    return out->kind == FLX_OPERAND_HANDLE ? flx_env_coerce(&e.scope, out, of->loc, out) : FLX_OK;
}

static flx_status refuse_block(flx_builder *b, const flx_of_keys *of)
{
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, of->loc, "the numbers of '%s' do not fit", of->name);
}

static int count_of(const flx_operand *x)
{
    return x->kind == FLX_OPERAND_LIST ? x->count : 1;
}

// n numbers of a row, which do not change in time.
static flx_status read_row(flx_builder *b, const flx_of_keys *of, const flx_operand *x, int n,
                           double *out)
{
    if (count_of(x) != n) return refuse_block(b, of);
    for (int i = 0; i < n; i++) {
        const flx_operand *y = x->kind == FLX_OPERAND_LIST ? x->items + i : x;
        if (y->kind == FLX_OPERAND_NUMBER && flx_build_constant(b, y->node, of->loc, out + i))
            continue;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, of->loc,
                        "the numbers of '%s' change in time: it has no response of its own",
                        of->name);
    }
    return FLX_OK;
}

static flx_status read_matrix(flx_builder *b, const flx_of_keys *of, const char *name, int rows,
                              int columns, double *out)
{
    flx_operand x;
    FLX_TRY(evaluate(b, of, name, &x));
    if (count_of(&x) != rows) return refuse_block(b, of);
    for (int i = 0; i < rows; i++) {
        const flx_operand *row = x.kind == FLX_OPERAND_LIST ? x.items + i : &x;
        FLX_TRY(read_row(b, of, row, columns, out + (size_t)i * (size_t)columns));
    }
    return FLX_OK;
}

static flx_status take(flx_builder *b, flx_of_keys *of)
{
    flx_arena *arena = b->m->arena;
    size_t n = (size_t)of->n, in = (size_t)of->nin, all = (size_t)of->nout;
    of->A = flx_arena_take(arena, n * n, sizeof *of->A);
    of->B = flx_arena_take(arena, n * in, sizeof *of->B);
    of->C = flx_arena_take(arena, n * all, sizeof *of->C);
    of->D = flx_arena_take(arena, in * all, sizeof *of->D);
    of->inputs = flx_arena_take(arena, in, sizeof *of->inputs);
    of->outputs = flx_arena_take(arena, all, sizeof *of->outputs);
    if (!of->A || !of->B || !of->C || !of->D || !of->inputs || !of->outputs) return FLX_ERR_MEMORY;
    for (int i = 0; i < of->nin; i++) {
        of->inputs[i] = in == 1 ? "u" : flx_arena_printf(arena, "u(%d)", i + 1);
        if (!of->inputs[i]) return FLX_ERR_MEMORY;
    }
    for (int i = 0; i < of->nout; i++) {
        of->outputs[i] = all == 1 ? of->name : flx_arena_printf(arena, "%s(%d)", of->name, i + 1);
        if (!of->outputs[i]) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

// Coefficients from the highest power down: x = (y, y', ...) of the denominator, as the block has them (CTL-4).
static flx_status read_transfer(flx_builder *b, flx_of_keys *of)
{
    flx_operand tops, bottoms;
    FLX_TRY(evaluate(b, of, "top", &tops));
    FLX_TRY(evaluate(b, of, "bottom", &bottoms));
    int m = count_of(&tops), n = count_of(&bottoms);
    double *top = flx_arena_take(b->m->arena, (size_t)(m + n), sizeof *top), *bottom = top + m;
    if (!top) return FLX_ERR_MEMORY;
    FLX_TRY(read_row(b, of, &tops, m, top));
    FLX_TRY(read_row(b, of, &bottoms, n, bottom));
    if (m > n || bottom[0] == 0) return refuse_block(b, of);
    of->n = n - 1;
    of->nin = of->nout = 1;
    FLX_TRY(take(b, of));
    double through = m == n ? top[0] / bottom[0] : 0;
    of->D[0] = through;
    for (int k = 0; k < of->n; k++) {
        if (k + 1 < of->n) of->A[k * of->n + k + 1] = 1;
        of->A[(of->n - 1) * of->n + k] = -bottom[n - 1 - k] / bottom[0];
        of->C[k] = (k < m ? top[m - 1 - k] : 0) - through * bottom[n - 1 - k];
    }
    if (of->n > 0) of->B[of->n - 1] = 1 / bottom[0];
    return FLX_OK;
}

static flx_status read_state_space(flx_builder *b, const flx_item *block, flx_of_keys *of)
{
    const flx_entry *u = flx_entry_get(block->def, "of");
    flx_operand A, C;
    FLX_TRY(evaluate(b, of, "A", &A));
    FLX_TRY(evaluate(b, of, "C", &C));
    of->n = count_of(&A);
    of->nin = u && u->kind == FLX_ENTRY_LIST ? u->count : 1;
    of->nout = count_of(&C);
    FLX_TRY(take(b, of));
    FLX_TRY(read_matrix(b, of, "A", of->n, of->n, of->A));
    FLX_TRY(read_matrix(b, of, "B", of->n, of->nin, of->B));
    FLX_TRY(read_matrix(b, of, "C", of->nout, of->n, of->C));
    if (!flx_entry_get(block->def, "D")) return FLX_OK;
    return read_matrix(b, of, "D", of->nout, of->nin, of->D);
}

static flx_status read_block(flx_builder *b, const flx_item *item, const flx_item *block,
                             flx_of_keys *of)
{
    const flx_entry *type = flx_entry_get(block->def, "type");
    const char *word = type && type->text ? type->text : "?";
    static const char *const others[] = {"held", "inputs", "outputs"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const flx_entry *y = flx_entry_get(item->def, others[i]);
        if (!y) continue;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "a linear block has its own inputs and outputs: leave out '%s'", others[i]);
    }
    if (flx_entry_get(block->def, "sample")) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, of->loc,
                        "'%s' is sampled: responses and norms are found of continuous blocks",
                        of->name);
    }
    if (strcmp(word, "transfer") == 0) return read_transfer(b, of);
    if (strcmp(word, "state-space") == 0) return read_state_space(b, block, of);
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, of->loc,
                    "'%s' is of type %s: linear blocks are of type transfer or state-space",
                    of->name, word);
}

flx_status flx_analysis_of(flx_env *e, const flx_item *item, flx_of_keys *out)
{
    const flx_entry *y = flx_entry_get(item->def, "of");
    const flx_entry *held = flx_entry_get(item->def, "held");
    flx_builder *b = e->b;
    if (!y && held) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, held->loc,
                        "interfaces of which body are held? Name it, as in of: arm");
    }
    if (!y) return FLX_OK;
    const char *word = y->kind == FLX_ENTRY_SCALAR ? y->text : "";
    flx_nearest near;
    flx_nearest_start(&near, word);
    const flx_item *body = find(&b->bodies, word, &near);
    const flx_item *block = body ? NULL : find(&b->controls, word, &near);
    if (!body && !block) {
        const char *best = flx_nearest_best(&near);
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "the model has no body and no linear block '%s'%s%s%s", word,
                        best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
    }
    static const char *const others[] = {"loop", "about", "states"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const flx_entry *other = flx_entry_get(item->def, others[i]);
        if (!other) continue;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, other->loc,
                        "'%s' is about the whole model, and not of '%s': leave it out", others[i],
                        word);
    }
    out->name = body ? body->full : block->full;
    out->loc = y->loc;
    return body ? read_body(b, item, body, out) : read_block(b, item, block, out);
}
