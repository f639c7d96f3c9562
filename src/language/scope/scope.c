// scope.c - the scope in which expressions of a model are elaborated: what a name stands for, what is
// known where, rates, and items in place of numbers. Members and indices: members.c.
#include "language/analyses/known_values.h"
#include "language/builder.h"
#include "language/scope/nums.h"

#include <string.h>

// ---- env --------------------------------------------------------------------------------------

static flx_status call(flx_scope *s, const flx_operand *f, int n, const flx_operand *args,
                       flx_loc loc, flx_operand *out)
{
    flx_env *e = s->user;
    if (f->tag == FLX_TAG_MEASURE) return flx_measure_call(e, f->handle, n, args, loc, out);
    return flx_function_call(e, f->handle, n, args, loc, out);
}

static bool constant(flx_scope *s, flx_node n, double *value)
{
    const flx_env *e = s->user;
    return flx_build_constant(e->b, n, e->where, value);
}

void flx_env_init(flx_env *e, flx_builder *b, flx_space *s, const flx_local *locals,
                  flx_env_mode mode)
{
    *e = (flx_env){.b = b, .space = s, .locals = locals, .mode = mode};
    e->scope = (flx_scope){.ctx = b->ctx,
                           .graph = b->g,
                           .arena = b->scratch,
                           .user = e,
                           .lookup = flx_env_lookup,
                           .member = flx_env_member,
                           .index = flx_env_index,
                           .call = call,
                           .rate = flx_env_rate,
                           .coerce = flx_env_coerce,
                           .constant = constant};
}

void flx_env_of(flx_env *e, flx_builder *b, const flx_item *item, flx_env_mode mode)
{
    flx_env_init(e, b, item->space, item->locals, mode);
}

flx_operand flx_operand_number(flx_node n)
{
    return (flx_operand){.kind = FLX_OPERAND_NUMBER, .node = n};
}

flx_operand flx_operand_item(const flx_item *item)
{
    return (flx_operand){
        .kind = FLX_OPERAND_HANDLE, .handle = item, .tag = FLX_TAG_ITEM, .node = -1};
}

const flx_item *flx_operand_get_item(const flx_operand *v)
{
    return v->kind == FLX_OPERAND_HANDLE && v->tag == FLX_TAG_ITEM ? v->handle : NULL;
}

flx_status flx_env_require(flx_env *e, flx_env_mode mode, const char *what, const char *name,
                           flx_loc loc)
{
    if (e->mode >= mode) return FLX_OK;
    const char *dot = name ? "." : "";
    if (!name) name = "";
    switch (e->mode) {
    case FLX_MODE_CONSTANT:
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "'%s%s%s' changes in time; only constants are allowed here", what, dot,
                        name);
    case FLX_MODE_TIME:
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "'%s%s%s' depends on the motion; here only the time t may be used", what,
                        dot, name);
    default:
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "'%s%s%s' is known only when a step is done: it may be used in outputs, "
                        "not in forces, equations and events",
                        what, dot, name);
    }
}

// ---- leaves that only outputs know ------------------------------------------------------------

bool flx_operand_output_only(flx_builder *b, const flx_operand *v, const char **what)
{
    if (v->kind == FLX_OPERAND_NUMBER) {
        return flx_graph_depends(b->g, v->node, flx_leaf_is_output_only, (void *)what);
    }
    for (int i = 0; v->kind == FLX_OPERAND_LIST && i < v->count; i++) {
        if (flx_operand_output_only(b, &v->items[i], what)) return true;
    }
    return false;
}

static bool has_no_rate(void *user, flx_leaf leaf)
{
    const flx_leaf_traits *k = flx_leaf_traits_of(flx_leaf_get_kind(leaf));
    if (k->rate) return false;
    *(const char **)user = k->name;
    return true;
}

flx_status flx_env_rate(flx_scope *s, flx_node n, flx_loc loc, flx_node *out)
{
    flx_env *e = s->user;
    const char *what = NULL;
    if (e->mode == FLX_MODE_CONSTANT) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc,
                        "a rate is not a constant; only constants are allowed here");
    }
    if (flx_graph_depends(s->graph, n, has_no_rate, (void *)&what)) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc, "there is no rate of %s", what);
    }
    *out = flx_graph_derive(s->graph, n, flx_leaf_time_rate, e->b->m);
    if (*out < 0) return FLX_ERR_MEMORY;
    if (e->mode < FLX_MODE_OUTPUT &&
        flx_graph_depends(s->graph, *out, flx_leaf_is_output_only, (void *)&what)) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc,
                        "this rate contains %s, which is known only when a step is done: it may be "
                        "used in outputs, not in forces, equations and events",
                        what);
    }
    return FLX_OK;
}

// ---- names in expressions ---------------------------------------------------------------------

static flx_status signal_value(flx_env *e, flx_item *item, flx_loc loc, flx_operand *out)
{
    FLX_TRY(flx_env_require(e, FLX_MODE_TIME, item->full, NULL, loc));
    FLX_TRY(flx_signal_resolve(e->b, item, loc));
    const flx_signal_data *d = item->data;
    if (d->output_only && e->mode < FLX_MODE_OUTPUT) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "signal '%s' contains %s, which is known only when a step is done: it may "
                        "be used in outputs, not in forces, equations and events",
                        item->full, d->what);
    }
    *out = d->value;
    return FLX_OK;
}

static flx_status variable_value(flx_env *e, flx_item *item, flx_loc loc, flx_operand *out)
{
    FLX_TRY(flx_env_require(e, FLX_MODE_MOVING, item->full, NULL, loc));
    flx_leaf leaf = flx_leaf_make(FLX_LEAF_VARIABLE, item->number, 0);
    if (item->kind == FLX_KIND_DISCRETE) leaf = flx_leaf_make(FLX_LEAF_DISCRETE, item->number, 0);
    if (item->kind == FLX_KIND_FIRST) {
        FLX_TRY(flx_first_classify(e->b, item, loc));
        const flx_first_data *d = item->data;
        leaf = flx_leaf_make(d->algebraic ? FLX_LEAF_ALGEBRAIC : FLX_LEAF_STATE, d->number, 0);
    }
    return flx_operand_set_node(flx_graph_leaf(e->b->g, leaf), out);
}

// What an item is in an expression.
flx_status flx_item_value(flx_env *e, flx_item *item, flx_loc loc, flx_operand *out)
{
    *out = flx_operand_item(item);
    if (item->broken) return FLX_ERR_MODEL;
    if (item->family) return FLX_OK;
    switch (item->kind) {
    case FLX_KIND_PARAMETER:
        FLX_TRY(flx_parameter_resolve(e->b, item, loc));
        *out = ((flx_parameter_data *)item->data)->value;
        return FLX_OK;
    case FLX_KIND_FUNCTION:
        out->kind = FLX_OPERAND_FUNCTION;
        return FLX_OK;
    case FLX_KIND_SIGNAL:
        return signal_value(e, item, loc, out);
    case FLX_KIND_INPUT:
        FLX_TRY(flx_env_require(e, FLX_MODE_TIME, item->full, NULL, loc));
        FLX_TRY(flx_input_resolve(e->b, item, loc));
        *out = flx_operand_number(((flx_input_data *)item->data)->node);
        return FLX_OK;
    case FLX_KIND_VARIABLE:
    case FLX_KIND_FIRST:
    case FLX_KIND_DISCRETE:
        return variable_value(e, item, loc, out);
    default:
        return FLX_OK;
    }
}

static const char *const groups[] = {"energy", "momentum", "constraints", NULL};

static flx_status fail_unknown(flx_env *e, const char *name, flx_loc loc)
{
    flx_nearest near;
    flx_nearest_start(&near, name);
    for (const flx_local *l = e->locals; l; l = l->next) flx_nearest_offer(&near, l->name);
    flx_names_offer(&e->space->names, &near);
    flx_nearest_offer(&near, "ground");
    for (const char *const *w = groups; *w; w++) flx_nearest_offer(&near, *w);
    for (const char *const *w = flx_expr_builtin_names(); *w; w++) flx_nearest_offer(&near, *w);
    for (const char *const *w = flx_measure_words; e->measure && *w; w++) {
        flx_nearest_offer(&near, *w);
    }
    const char *best = flx_nearest_best(&near), *what = e->scope.called ? "function" : "name";
    if (best && name[1]) { // every letter is near every other
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "unknown %s '%s'; did you mean '%s'?", what,
                        name, best);
    }
    const flx_item *part = e->space->part;
    if (part) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "unknown %s '%s'; part '%s' sees only the names of its own model", what,
                        name, part->full);
    }
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "unknown %s '%s'", what, name);
}

flx_status flx_env_lookup(flx_scope *s, const char *name, flx_loc loc, flx_operand *out)
{
    flx_env *e = s->user;
    for (const flx_local *l = e->locals; l; l = l->next) {
        if (strcmp(l->name, name) == 0) {
            *out = l->value;
            return FLX_OK;
        }
    }
    flx_item *item = flx_names_find(&e->space->names, name);
    if (item) return flx_item_value(e, item, loc, out);
    if (strcmp(name, "t") == 0) {
        FLX_TRY(flx_env_require(e, FLX_MODE_TIME, "t", NULL, loc));
        return flx_operand_set_node(flx_graph_leaf(s->graph, flx_leaf_make(FLX_LEAF_TIME, 0, 0)),
                                    out);
    }
    if (strcmp(name, "ground") == 0) {
        *out = flx_operand_item(e->b->ground);
        return FLX_OK;
    }
    for (const char *const *w = groups; *w; w++) {
        if (strcmp(name, *w) != 0) continue;
        *out = (flx_operand){
            .kind = FLX_OPERAND_HANDLE, .handle = *w, .tag = FLX_TAG_GROUP, .node = -1};
        return FLX_OK;
    }
    for (const char *const *w = flx_measure_words; e->measure && *w; w++) {
        if (strcmp(name, *w) != 0) continue;
        *out = (flx_operand){
            .kind = FLX_OPERAND_FUNCTION, .handle = *w, .tag = FLX_TAG_MEASURE, .node = -1};
        return FLX_OK;
    }
    return fail_unknown(e, name, loc);
}

// ---- handles as numbers -----------------------------------------------------------------------

flx_status flx_item_fail_family(flx_env *e, const flx_item *item, flx_loc loc)
{
    if (item->count == 0) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "'%s' is repeated no times: there is none",
                        item->full);
    }
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                    "'%s' stands for %s(%d) to %s(%d); say which one", item->full, item->full,
                    item->lo, item->full, item->lo + item->count - 1);
}

flx_status flx_env_coerce(flx_scope *s, const flx_operand *of, flx_loc loc, flx_operand *out)
{
    flx_env *e = s->user;
    if (of->kind == FLX_OPERAND_HANDLE &&
        (of->tag == FLX_TAG_QUATERNION || of->tag == FLX_TAG_TENSOR)) {
        *out = *(const flx_operand *)of->handle;
        return FLX_OK;
    }
    if (of->kind == FLX_OPERAND_HANDLE && of->tag == FLX_TAG_PART_COM) {
        return flx_part_com_member(e, of->handle, "position", loc, out);
    }
    if (of->kind == FLX_OPERAND_HANDLE && of->tag == FLX_TAG_GROUP) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc,
                        "'%s' is not a number; say which, as in '%s.%s'", (const char *)of->handle,
                        (const char *)of->handle,
                        strcmp(of->handle, "energy") == 0     ? "total"
                        : strcmp(of->handle, "momentum") == 0 ? "linear"
                                                              : "position");
    }
    if (of->kind == FLX_OPERAND_HANDLE && of->tag == FLX_TAG_KNOWN) {
        return flx_known_value(e, of, loc, out);
    }
    flx_item *item = (flx_item *)flx_operand_get_item(of);
    if (!item) return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc, "this is not a number");
    if (item->family) return flx_item_fail_family(e, item, loc);
    switch (item->kind) {
    case FLX_KIND_GROUND:
    case FLX_KIND_BODY:
    case FLX_KIND_POINT:
        return flx_body_member(e, item, "position", loc, out);
    case FLX_KIND_CONSTRAINT:
        FLX_TRY(flx_env_require(e, FLX_MODE_MOVING, item->full, NULL, loc));
        *out = flx_operand_number(-1);
        return flx_constraint_value(e->b, item, loc, &out->node);
    case FLX_KIND_PATH:
        return flx_path_value(e, item, loc, out);
    case FLX_KIND_CONTROL:
        return flx_control_value(e, item, loc, out);
    case FLX_KIND_PART: {
        flx_space *space = item->data;
        FLX_TRY(flx_space_place(e->b, space));
        flx_node p[3];
        for (int i = 0; i < 3; i++)
            p[i] = node_open(s->graph, space->position.x[i], space->position.n[i]);
        return flx_env_point(e, p, out);
    }
    case FLX_KIND_JOINT:
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc,
                        "joint '%s' is not a number; it has signals, as in '%s.angle'", item->full,
                        item->full);
    case FLX_KIND_FORCE:
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc,
                        "force '%s' is not a number; it has signals, as in '%s.value'", item->full,
                        item->full);
    default:
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc, "%s '%s' is not a number",
                        flx_item_word(item->kind), item->full);
    }
}
