// block_outputs.c - which signals are kept, under which names.
//
// A signal is written as a path of names, link(3).tip.position: a name that stands for several
// items means all of them, and a vector becomes several columns. Anything else is an expression,
// and its text is its name.
#include "expr/ast.h"
#include "language/builder.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_COLUMNS 400 // most columns that are kept unasked
#define DEFAULT_ROWS 500

// ---- paths --------------------------------------------------------------------------------------

typedef struct result {
    const char *name, *unit;
    flx_operand value;
} result;

typedef struct results {
    int count, capacity;
    result *items;
} results;

static flx_status add(flx_builder *b, results *r, const char *name, const char *unit,
                      const flx_operand *value)
{
    if (!name) return FLX_ERR_MEMORY;
    if (r->count == r->capacity) {
        int capacity = r->capacity > 0 ? 2 * r->capacity : 4;
        result *items = flx_take(b, (size_t)capacity, sizeof *items);
        if (!items) return FLX_ERR_MEMORY;
        if (r->count > 0) memcpy(items, r->items, (size_t)r->count * sizeof *items);
        r->items = items;
        r->capacity = capacity;
    }
    r->items[r->count++] = (result){name, unit, *value};
    return FLX_OK;
}

// A family is all its members. The name grows by the index.
static flx_status unroll(flx_env *e, const result *from, results *out, flx_loc loc)
{
    const flx_item *item = flx_operand_get_item(&from->value);
    if (!item || !item->family) return add(e->b, out, from->name, from->unit, &from->value);
    for (int i = 0; i < item->count; i++) {
        int k = item->lo + i;
        flx_operand index = flx_operand_number(flx_graph_const(e->b->g, k));
        result r = {flx_arena_printf(e->b->m->arena, "%s(%d)", from->name, k),
                    from->unit,
                    {.kind = FLX_OPERAND_NUMBER}};
        if (!r.name) return FLX_ERR_MEMORY;
        FLX_TRY(flx_env_index(&e->scope, &from->value, 1, &index, loc, &r.value));
        FLX_TRY(unroll(e, &r, out, loc));
    }
    return FLX_OK;
}

static flx_status unroll_all(flx_env *e, const results *from, results *out, flx_loc loc)
{
    for (int i = 0; i < from->count; i++) FLX_TRY(unroll(e, &from->items[i], out, loc));
    return FLX_OK;
}

static const char *unit_of(const flx_builder *b, const flx_operand *of, const char *name)
{
    static const struct {
        const char *name, *unit;
    } table[] = {{"position", "m"},
                 {"velocity", "m/s"},
                 {"acceleration", "m/s^2"},
                 {"angular_velocity", "rad/s"},
                 {"angular_acceleration", "rad/s^2"},
                 {"angle", "rad"},
                 {"rotation", "rad"},
                 {"displacement", "m"},
                 {"contact", "m"},
                 {"length", "m"},
                 {"penetration", "m"},
                 {"deflection", "m"},
                 {"stress", "Pa"},
                 {"von_mises", "Pa"},
                 {"reaction", "N"},
                 {"force", "N"},
                 {"resultant", "N"},
                 {"moment", "N m"},
                 {"impulse", "N s"},
                 {"power", "W"},
                 {"kinetic", "J"},
                 {"potential", "J"},
                 {"strain", "J"},
                 {"dissipated", "J"},
                 {"total", "J"},
                 {"linear", "kg m/s"},
                 {"angular", "kg m^2/s"},
                 {"centre", "m"},
                 {"momentum", "kg m/s"},
                 {"angular_momentum", "kg m^2/s"},
                 {"eigenvalues", "1/s"},
                 {"frequencies", "Hz"}};
    const flx_item *item = flx_operand_get_item(of);
    if (of->kind == FLX_OPERAND_HANDLE && of->tag == FLX_TAG_GROUP &&
        strcmp(of->handle, "constraints") == 0) {
        return ""; // lengths and angles alike
    }
    if (item && item->kind == FLX_KIND_JOINT) {
        const flx_joint_data *d = item->data;
        if (strcmp(name, "rate") == 0) return d->displacement ? "m/s" : "rad/s";
        if (strcmp(name, "drive") == 0) return d->displacement ? "N" : "N m";
        if (strcmp(name, "friction") == 0) return d->displacement ? "N" : "N m";
        if (strcmp(name, "state") == 0) return "";
        if (strcmp(name, "limit") == 0) return flx_joint_limits_unit(item, false);
        if (strcmp(name, "excess") == 0) return flx_joint_limits_unit(item, true);
    }
    if (item && item->kind == FLX_KIND_FORCE) return flx_force_signal_unit(item, name);
    if (strcmp(name, "rate") == 0) return "rad/s";
    if (strcmp(name, "orientation") == 0) return b->m->dimension == 2 ? "rad" : "";
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(table[i].name, name) == 0) return table[i].unit;
    }
    return NULL; // of what it is picked from
}

static flx_status member_of(flx_env *e, const result *of, const flx_ast *a, results *out)
{
    flx_operand v;
    const flx_operand *from = &of->value;
    flx_loc loc = a->post_loc;
    if (from->kind == FLX_OPERAND_LIST) {
        int k = a->name[0] - 'x';
        if (k < 0 || k >= from->count || k > 2 || a->name[1]) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                            "'%s' has no '%s'; its entries are .x .y%s", of->name, a->name,
                            from->count > 2 ? " .z" : "");
        }
        v = from->items[k];
    } else if (from->kind != FLX_OPERAND_HANDLE) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "'%s' is a number and has no '%s'", of->name,
                        a->name);
    } else {
        FLX_TRY(flx_env_member(&e->scope, from, a->name, loc, &v));
    }
    const char *unit = unit_of(e->b, from, a->name);
    return add(e->b, out, flx_arena_printf(e->b->m->arena, "%s.%s", of->name, a->name),
               unit ? unit : of->unit, &v);
}

static flx_status index_of(flx_env *e, const result *of, const flx_ast *a, results *out)
{
    const char *name = of->name;
    flx_operand v = of->value;
    for (const flx_ast *arg = a->first->next; arg; arg = arg->next) {
        flx_operand index, next;
        double x = 0;
        FLX_TRY(flx_ast_elaborate(&e->scope, arg, &index));
        if (index.kind == FLX_OPERAND_NUMBER) (void)flx_graph_is_const(e->b->g, index.node, &x);
        name = flx_arena_printf(e->b->m->arena, "%s(%.10g)", name, x);
        if (!name) return FLX_ERR_MEMORY;
        if (v.kind == FLX_OPERAND_LIST) {
            if (!(x >= 1 && x <= v.count)) {
                return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, a->post_loc,
                                "'%s' has the indices 1 to %d", of->name, v.count);
            }
            next = v.items[(int)x - 1];
        } else {
            FLX_TRY(flx_env_index(&e->scope, &v, 1, &index, a->post_loc, &next));
        }
        v = next;
    }
    return add(e->b, out, name, of->unit, &v);
}

static flx_status rate_of(flx_env *e, const flx_operand *v, flx_loc loc, flx_operand *out)
{
    flx_operand held = *v;
    if (v->kind == FLX_OPERAND_HANDLE) FLX_TRY(flx_env_coerce(&e->scope, v, loc, &held));
    if (held.kind == FLX_OPERAND_NUMBER) {
        *out = flx_operand_number(-1);
        return flx_env_rate(&e->scope, held.node, loc, &out->node);
    }
    if (held.kind != FLX_OPERAND_LIST) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "a function has no rate");
    }
    *out = held;
    out->items = flx_take(e->b, (size_t)held.count, sizeof *out->items);
    if (!out->items) return FLX_ERR_MEMORY;
    for (int i = 0; i < held.count; i++) FLX_TRY(rate_of(e, &held.items[i], loc, &out->items[i]));
    return FLX_OK;
}

static bool is_builtin(const char *name)
{
    for (const char *const *w = flx_expr_builtin_names(); *w; w++) {
        if (strcmp(*w, name) == 0) return true;
    }
    return false;
}

// Whether the tree is a path: names, indices, members, rates. A call of a function is not.
static bool is_path(const flx_env *e, const flx_ast *a)
{
    switch (a->kind) {
    case AST_NAME:
        return !flx_expr_is_reserved(a->name);
    case AST_MEMBER:
    case AST_RATE:
        return is_path(e, a->first);
    case AST_CALL:
        if (a->first->kind == AST_NAME) {
            const flx_item *item = flx_names_find(&e->space->names, a->first->name);
            if (is_builtin(a->first->name) || (item && item->kind == FLX_KIND_FUNCTION)) {
                return false;
            }
        }
        return is_path(e, a->first);
    default:
        return false;
    }
}

// Of inputs and signals that say it, repeated ones too.
static const char *unit_of_name(const flx_env *e, const char *name)
{
    const flx_item *item = flx_names_find(&e->space->names, name);
    bool says = item && (item->kind == FLX_KIND_INPUT || item->kind == FLX_KIND_SIGNAL) &&
                item->def->kind == FLX_ENTRY_MAP;
    const flx_entry *unit = says ? flx_entry_get(item->def, "unit") : NULL;
    return unit && unit->text ? unit->text : "";
}

static flx_status walk(flx_env *e, const flx_ast *a, results *out)
{
    flx_operand v;
    results inner = {0, 0, NULL}, all = {0, 0, NULL};
    if (a->kind == AST_NAME) {
        FLX_TRY(flx_env_lookup(&e->scope, a->name, a->loc, &v));
        return add(e->b, out, a->name, unit_of_name(e, a->name), &v);
    }
    FLX_TRY(walk(e, a->first, &inner));
    if (a->kind == AST_CALL && inner.count == 1) return index_of(e, &inner.items[0], a, out);
    FLX_TRY(unroll_all(e, &inner, &all, a->loc));
    for (int i = 0; i < all.count; i++) {
        const result *r = &all.items[i];
        if (a->kind == AST_MEMBER) {
            FLX_TRY(member_of(e, r, a, out));
        } else if (a->kind == AST_CALL) { // link.R(2): an index after names that mean several
            FLX_TRY(index_of(e, r, a, out));
        } else {
            FLX_TRY(rate_of(e, &r->value, a->post_loc, &v));
            const char *unit = *r->unit ? flx_arena_printf(e->b->m->arena, "%s/s", r->unit) : "";
            if (!unit) return FLX_ERR_MEMORY;
            if (strcmp(unit, "m/s/s") == 0) unit = "m/s^2";
            if (strcmp(unit, "rad/s/s") == 0) unit = "rad/s^2";
            FLX_TRY(add(e->b, out, flx_arena_printf(e->b->m->arena, "%s'", r->name), unit, &v));
        }
    }
    return FLX_OK;
}

// ---- columns ------------------------------------------------------------------------------------

typedef struct columns {
    flx_env e;
    int count, capacity;
    flx_column *items;
    flx_names names;
} columns;

static flx_status add_column(columns *c, const char *name, const char *unit, flx_node node)
{
    flx_builder *b = c->e.b;
    if (!name || node < 0) return FLX_ERR_MEMORY;
    if (flx_names_find(&c->names, name)) return FLX_OK; // asked for twice
    FLX_TRY(flx_names_add(b, &c->names, name, b->ground));
    if (c->count == c->capacity) {
        int capacity = 2 * c->capacity + 16;
        flx_column *list = flx_arena_take(b->m->arena, (size_t)capacity, sizeof *list);
        if (!list) return FLX_ERR_MEMORY;
        if (c->count > 0) memcpy(list, c->items, (size_t)c->count * sizeof *list);
        c->items = list;
        c->capacity = capacity;
    }
    c->items[c->count++] = (flx_column){name, unit, node};
    return FLX_OK;
}

static flx_status add_group(columns *c, const char *group, flx_loc loc);

static flx_status add_result(columns *c, const result *r, flx_loc loc)
{
    static const char *const axes[] = {"x", "y", "z"};
    flx_builder *b = c->e.b;
    flx_operand v = r->value;
    const char *const *parts = v.kind != FLX_OPERAND_HANDLE  ? NULL
                               : v.tag == FLX_TAG_QUATERNION ? flx_quaternion_parts
                               : v.tag == FLX_TAG_TENSOR     ? flx_tensor_parts
                                                             : NULL;
    if (v.kind == FLX_OPERAND_HANDLE && v.tag == FLX_TAG_GROUP) return add_group(c, v.handle, loc);
    const char *unit = r->unit;
    if (v.kind == FLX_OPERAND_HANDLE) {
        flx_operand held;
        FLX_TRY(flx_env_coerce(&c->e.scope, &v, loc, &held));
        v = held;
        if (!*unit && !parts) unit = "m"; // a place
    }
    if (v.kind == FLX_OPERAND_NUMBER) return add_column(c, r->name, unit, v.node);
    if (v.kind != FLX_OPERAND_LIST) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "'%s' is a function without its arguments",
                        r->name);
    }
    size_t stem = strlen(r->name), tail = strlen("modes"); // beam.modes: beam.mode(1), ...
    bool modes = stem > tail && strcmp(r->name + stem - tail, "modes") == 0;
    for (int i = 0; i < v.count; i++) {
        result each = {NULL, unit, v.items[i]};
        if (v.tag == FLX_TAG_PAIRS) {
            each.name =
                flx_arena_printf(b->m->arena, "%s(%d).%s", r->name, i / 2 + 1, i % 2 ? "im" : "re");
        } else if (modes && v.tag == FLX_TAG_ITEM) {
            each.name = flx_arena_printf(b->m->arena, "%.*s(%d)", (int)stem - 1, r->name, i + 1);
        } else if (parts || (v.count <= 3 && v.tag != FLX_TAG_NUMBERED)) {
            each.name = flx_arena_printf(b->m->arena, "%s.%s", r->name, parts ? parts[i] : axes[i]);
        } else {
            each.name = flx_arena_printf(b->m->arena, "%s(%d)", r->name, i + 1);
        }
        if (!each.name) return FLX_ERR_MEMORY;
        FLX_TRY(add_result(c, &each, loc));
    }
    return FLX_OK;
}

static flx_status add_group(columns *c, const char *group, flx_loc loc)
{
    static const char *const members[3][6] = {
        {"kinetic", "potential", "strain", "dissipated", "total", NULL},
        {"linear", "angular", NULL, NULL, NULL, NULL}, // and centre, where it is asked for
        {"position", "velocity", NULL, NULL, NULL, NULL}};
    int g = strcmp(group, "energy") == 0 ? 0 : strcmp(group, "momentum") == 0 ? 1 : 2;
    flx_operand of = {
        .kind = FLX_OPERAND_HANDLE, .handle = group, .tag = FLX_TAG_GROUP, .node = -1};
    for (const char *const *w = members[g]; *w; w++) {
        const char *unit = unit_of(c->e.b, &of, *w);
        result r = {flx_arena_printf(c->e.b->m->arena, "%s.%s", group, *w),
                    unit ? unit : "",
                    {.kind = FLX_OPERAND_NUMBER}};
        if (!r.name) return FLX_ERR_MEMORY;
        FLX_TRY(flx_group_member(&c->e, group, *w, loc, &r.value));
        FLX_TRY(add_result(c, &r, loc));
    }
    return FLX_OK;
}

static flx_status add_text(columns *c, const char *text, flx_loc loc)
{
    flx_builder *b = c->e.b;
    flx_ast *ast = NULL;
    results found = {0, 0, NULL}, all = {0, 0, NULL};
    FLX_TRY(flx_ast_parse(b->ctx, b->scratch, text, loc, &ast));
    if (is_path(&c->e, ast)) {
        FLX_TRY(walk(&c->e, ast, &found));
    } else {
        flx_operand v;
        FLX_TRY(flx_ast_elaborate(&c->e.scope, ast, &v));
        FLX_TRY(add(b, &found, text, "", &v));
    }
    FLX_TRY(unroll_all(&c->e, &found, &all, loc));
    for (int i = 0; i < all.count; i++) FLX_TRY(add_result(c, &all.items[i], loc));
    return FLX_OK;
}

static flx_status read_signals(columns *c, const flx_entry *list)
{
    flx_builder *b = c->e.b;
    for (int i = 0; list->kind == FLX_ENTRY_LIST && i < list->count; i++) {
        const flx_entry *y = list->items[i];
        flx_status status = FLX_OK;
        if (y->kind != FLX_ENTRY_SCALAR) {
            status = FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                              "a signal is a name or an expression; quote one with brackets");
        } else {
            status = add_text(c, y->text, y->loc);
        }
        if (status == FLX_ERR_MEMORY) return status;
        if (status != FLX_OK) b->failed = true;
    }
    return FLX_OK;
}

// ---- unasked ------------------------------------------------------------------------------------

static flx_status add_member(columns *c, const flx_item *item, const char *name)
{
    flx_builder *b = c->e.b;
    flx_operand of = flx_operand_item(item);
    const char *unit = unit_of(b, &of, name);
    result r = {flx_arena_printf(b->m->arena, "%s.%s", item->full, name),
                unit ? unit : "",
                {.kind = FLX_OPERAND_NUMBER}};
    if (!r.name) return FLX_ERR_MEMORY;
    FLX_TRY(flx_env_member(&c->e.scope, &of, name, item->loc, &r.value));
    return add_result(c, &r, item->loc);
}

static flx_status default_signals(columns *c)
{
    flx_builder *b = c->e.b;
    bool planar = b->m->dimension == 2;
    int n = b->bodies.count * (planar ? 3 : 7) + b->joints.count;
    for (int k = 0; k < 2; k++) {
        const flx_items *list = k == 0 ? &b->variables : &b->firsts;
        for (int i = 0; i < list->count && i < DEFAULT_COLUMNS; i++) {
            if (list->items[i]->space->part) continue;
            FLX_TRY(add_text(c, list->items[i]->full, list->items[i]->loc));
        }
    }
    for (int i = 0; i < b->inputs.count && i < DEFAULT_COLUMNS; i++) {
        if (b->inputs.items[i]->space->part) continue;
        FLX_TRY(add_text(c, b->inputs.items[i]->full, b->inputs.items[i]->loc));
    }
    if (n <= DEFAULT_COLUMNS) {
        for (int i = 0; i < b->bodies.count; i++) {
            const flx_item *body = b->bodies.items[i];
            FLX_TRY(add_member(c, body, "position"));
            if (flx_body_turns(body)) {
                FLX_TRY(add_member(c, body, planar ? "angle" : "orientation"));
            }
        }
        for (int i = 0; i < b->joints.count; i++) {
            flx_item *joint = b->joints.items[i];
            const flx_joint_data *d = joint->data;
            FLX_TRY(flx_joint_coordinate(b, joint, joint->loc));
            if (d->def.coordinate < 0) continue;
            FLX_TRY(add_member(c, joint, d->displacement ? "displacement" : "angle"));
        }
    }
    if (b->bodies.count > 0) FLX_TRY(add_group(c, "energy", FLX_NOWHERE));
    if (b->joints.count + b->constraints.count > 0) {
        FLX_TRY(add_group(c, "constraints", FLX_NOWHERE));
    }
    return FLX_OK;
}

// ---- when ---------------------------------------------------------------------------------------

static flx_status read_times(flx_env *e, const flx_entry *y, flx_outputs *o)
{
    flx_builder *b = e->b;
    FLX_TRY(flx_build_numbers(e, y, &o->ntimes, &o->times));
    for (int i = 0; i < o->ntimes; i++) {
        if (!(o->times[i] >= 0)) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "an output time cannot be negative");
        }
        if (i > 0 && !(o->times[i] > o->times[i - 1])) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "output times ascend; %g comes after %g",
                            o->times[i], o->times[i - 1]);
        }
    }
    return FLX_OK;
}

static flx_status read_when(flx_env *e, const flx_entry *block, flx_outputs *o)
{
    const flx_entry *every = flx_entry_get(block, "every"), *times = flx_entry_get(block, "times");
    const flx_entry *steps = flx_entry_get(block, "steps");
    if (every) FLX_TRY(flx_build_positive(e, every, "the interval of the output", &o->every));
    if (times) FLX_TRY(read_times(e, times, o));
    return steps ? flx_build_flag(e->b, steps, "steps", &o->steps) : FLX_OK;
}

// {every: 0.1}
static flx_status read_particles(flx_env *e, const flx_entry *y, flx_outputs *o)
{
    if (!y) return FLX_OK;
    for (int i = 0; i < y->count; i++) {
        if (strcmp(y->keys[i]->text, "every") == 0) continue;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->keys[i]->loc,
                        "places of particles are kept by `every`, not by '%s'", y->keys[i]->text);
    }
    if (e->b->particles.count == 0) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "the model has no particles");
    }
    const flx_entry *every = flx_entry_get(y, "every");
    return every ? flx_build_positive(e, every, "an interval", &o->particles) : FLX_OK;
}

flx_status flx_outputs_finish(flx_builder *b)
{
    flx_outputs *o = &b->m->outputs;
    const flx_entry *block = flx_entry_get(b->top->def, "outputs"), *signals = NULL;
    columns c = {.capacity = 0};
    flx_env constants;
    flx_env_init(&c.e, b, b->top, NULL, FLX_MODE_OUTPUT);
    flx_env_init(&constants, b, b->top, NULL, FLX_MODE_CONSTANT);
    if (block && block->kind == FLX_ENTRY_MAP) {
        flx_status status = read_when(&constants, block, o);
        if (status == FLX_ERR_MEMORY) return status;
        if (status != FLX_OK) b->failed = true;
        GO_ON(read_particles(&constants, flx_entry_get(block, "particles"), o));
        signals = flx_entry_get(block, "signals");
        FLX_TRY(flx_metrics_read(&c.e, flx_entry_get(block, "metrics")));
    }
    if (o->every == 0 && o->ntimes == 0 && !o->steps) {
        o->every = b->m->simulate.until / DEFAULT_ROWS;
    }
    if (signals) {
        FLX_TRY(read_signals(&c, signals));
    } else if (!b->failed) { // else there is nothing to choose from
        FLX_TRY(default_signals(&c));
    }
    o->ncolumn = c.count;
    o->columns = c.items;
    return FLX_OK;
}

flx_status flx_signals_read(flx_builder *b, const flx_entry *list, int *n, flx_column **out)
{
    columns c = {.capacity = 0};
    flx_env_init(&c.e, b, b->top, NULL, FLX_MODE_OUTPUT);
    FLX_TRY(read_signals(&c, list));
    *n = c.count;
    *out = c.items;
    return FLX_OK;
}
