// block_functions.c - parameters, functions and signals: what a model names for its expressions.
#include "base/text_file.h"
#include "expr/elaborate.h"
#include "language/builder.h"
#include "language/scope/nums.h"
#include "model/nodes.h"
#include "read/motion/motion_file.h"
#include "read/table_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ENTRIES_MAX 1000000 // numbers in one parameter or signal

// Lists share their entries, so a few lines can say more numbers than any memory holds. Counts up
// to the limit only.
static long count_entries(const flx_operand *v, long most)
{
    long n = 1;
    if (v->kind != FLX_OPERAND_LIST) return n;
    for (int i = 0; i < v->count && n <= most; i++) n += count_entries(&v->items[i], most - n);
    return n;
}

static flx_status check_size(flx_builder *b, const flx_operand *v, flx_loc loc)
{
    if (count_entries(v, ENTRIES_MAX) <= ENTRIES_MAX) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "a list of more than %d numbers", ENTRIES_MAX);
}

// ---- parameters ---------------------------------------------------------------------------------

static flx_status check_constant(flx_env *e, flx_operand *v, flx_loc loc)
{
    double x = 0;
    if (v->kind == FLX_OPERAND_HANDLE) { // an initial place
        flx_operand held;
        FLX_TRY(flx_env_coerce(&e->scope, v, loc, &held));
        *v = held;
    }
    if (v->kind == FLX_OPERAND_LIST) {
        for (int i = 0; i < v->count; i++) FLX_TRY(check_constant(e, &v->items[i], loc));
        return FLX_OK;
    }
    if (v->kind != FLX_OPERAND_NUMBER ||
        !(flx_open_value(e->b, v->node, &x) || flx_loads_value(e->b, v->node, &x))) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "a parameter is a constant");
    }
    if (!isfinite(x)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "the value is not a finite number");
    }
    return FLX_OK;
}

// Entries of a list that are set from outside.
static flx_status set_entries(flx_env *e, const flx_item *p, flx_parameter_data *d)
{
    flx_builder *b = e->b;
    flx_operand *v = &d->value, *items = NULL;
    for (const flx_entry_setting *s = d->entries; s; s = s->next) {
        bool list = v->kind == FLX_OPERAND_LIST;
        if (!list || s->index > v->count) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, s->value->loc, "parameter '%s' has no entry %d",
                            p->full, s->index);
        }
        bool known = false; // a later setting holds
        for (const flx_entry_setting *l = d->entries; l != s; l = l->next) {
            known = known || l->index == s->index;
        }
        if (!items) {
            items = flx_take(b, (size_t)v->count, sizeof *items);
            if (!items) return FLX_ERR_MEMORY;
            memcpy(items, v->items, (size_t)v->count * sizeof *items);
            v->items = items;
        }
        if (!known) FLX_TRY(flx_build_value(e, s->value, &items[s->index - 1]));
    }
    return FLX_OK;
}

static flx_status resolve_parameter(flx_builder *b, flx_item *p, flx_parameter_data *d)
{
    const flx_entry *y = d->given ? d->given : p->def;
    flx_env e;
    flx_env_init(&e, b, d->given ? d->given_space : p->space, d->given ? d->given_locals : NULL,
                 FLX_MODE_CONSTANT);
    FLX_TRY(flx_build_value(&e, y, &d->value));
    FLX_TRY(set_entries(&e, p, d));
    FLX_TRY(check_size(b, &d->value, y->loc));
    FLX_TRY(check_constant(&e, &d->value, y->loc));
    if (p->space->part) return FLX_OK;
    FLX_TRY(flx_open_parameter(b, p, &d->value));
    if (d->value.kind != FLX_OPERAND_NUMBER) return FLX_OK;
    return flx_loads_scale(b, p, 1, &d->value.node);
}

flx_status flx_parameter_resolve(flx_builder *b, flx_item *p, flx_loc loc)
{
    bool skip = false;
    FLX_TRY(flx_item_enter(b, p, &p->state, "parameters", loc, &skip));
    if (skip) return FLX_OK;
    return flx_item_leave(b, &p->state, resolve_parameter(b, p, p->data));
}

static int count_numbers(const flx_operand *v)
{
    int n = v->kind == FLX_OPERAND_LIST ? 0 : 1;
    for (int i = 0; v->kind == FLX_OPERAND_LIST && i < v->count; i++)
        n += count_numbers(&v->items[i]);
    return n;
}

static double *store_numbers(flx_builder *b, const flx_operand *v, double *next)
{
    if (v->kind != FLX_OPERAND_LIST) {
        if (!flx_open_value(b, v->node, next)) (void)flx_loads_value(b, v->node, next);
        return next + 1;
    }
    for (int i = 0; i < v->count; i++) next = store_numbers(b, &v->items[i], next);
    return next;
}

static int by_leaf(const void *a, const void *b)
{
    flx_leaf x = ((const flx_tunable *)a)->leaf, y = ((const flx_tunable *)b)->leaf;
    return (x > y) - (x < y);
}

// The numbers of p.
static flx_status list_tunables(flx_model *m)
{
    size_t n = 0;
    for (int i = 0; i < m->nparameter; i++) n += (size_t)m->parameters[i].count;
    m->tunables = flx_arena_take(m->arena, n, sizeof *m->tunables);
    if (!m->tunables) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nparameter; i++) {
        const flx_parameter *p = m->parameters + i;
        for (int k = 0; p->leaf >= 0 && k < p->count; k++) {
            flx_leaf leaf = flx_leaf_make(FLX_LEAF_PARAMETER, p->leaf, k);
            const char *name = p->name;
            if (p->list) name = flx_arena_printf(m->arena, "%s(%d)", p->name, k + 1);
            if (!name) return FLX_ERR_MEMORY;
            m->tunables[m->ntunable++] = (flx_tunable){name, leaf, p->values[k], i};
        }
    }
    qsort(m->tunables, (size_t)m->ntunable, sizeof *m->tunables, by_leaf);
    for (int i = 0; i < m->nparameter; i++) m->parameters[i].tunable = -1;
    for (int k = m->ntunable - 1; k >= 0; k--) { // the first of a list
        m->parameters[m->tunables[k].parameter].tunable = k;
    }
    return FLX_OK;
}

flx_status flx_parameters_finish(flx_builder *b)
{
    flx_model *m = b->m;
    FLX_TRY(flx_open_check_asked(b));
    m->parameters = flx_arena_take(m->arena, (size_t)b->parameters.count, sizeof *m->parameters);
    if (!m->parameters) return FLX_ERR_MEMORY;
    for (int i = 0; i < b->parameters.count; i++) {
        flx_item *p = b->parameters.items[i];
        if (p->space->part || p->state != FLX_ITEM_DONE) continue;
        const flx_operand *v = &((flx_parameter_data *)p->data)->value;
        flx_parameter *out = &m->parameters[m->nparameter++];
        *out = (flx_parameter){.name = p->full, .loc = p->loc, .list = v->kind == FLX_OPERAND_LIST};
        out->count = count_numbers(v);
        out->values = flx_arena_take(m->arena, (size_t)out->count, sizeof *out->values);
        if (!out->values) return FLX_ERR_MEMORY;
        store_numbers(b, v, out->values);
        bool follows = !out->list && b->open && !flx_graph_is_const(b->g, v->node, NULL);
        out->leaf = flx_open_is(b, p->number) ? p->number
                    : follows                 ? FLX_PARAMETER_FOLLOWS
                                              : FLX_PARAMETER_FIXED;
        out->needed = flx_open_needed(b, p->number);
    }
    return list_tunables(m);
}

// ---- functions ----------------------------------------------------------------------------------

static flx_status read_arguments(flx_builder *b, flx_item *f, flx_function_data *d)
{
    const flx_entry *of = flx_entry_get(f->def, "of");
    bool list = of && of->kind == FLX_ENTRY_LIST;
    if (!of) return FLX_OK;
    d->narg = list ? of->count : 1;
    d->args = flx_take(b, (size_t)d->narg, sizeof *d->args);
    if (!d->args) return FLX_ERR_MEMORY;
    for (int i = 0; i < d->narg; i++) {
        const flx_entry *arg = list ? of->items[i] : of;
        FLX_TRY(flx_item_check_name(b, arg, "argument"));
        for (int j = 0; j < i; j++) {
            if (strcmp(d->args[j], arg->text) == 0) {
                return FLX_FAIL(b->ctx, FLX_ERR_MODEL, arg->loc, "argument '%s' is there twice",
                                arg->text);
            }
        }
        d->args[i] = arg->text;
    }
    return FLX_OK;
}

// A column of a recorded motion over its time.
static flx_status points_of_motion(flx_builder *b, const flx_item *f, const flx_entry *file,
                                   const char *path, int *n, double **x, double **y)
{
    const flx_entry *columns = flx_entry_get(f->def, "columns");
    flx_record m;
    int column = 0;
    FLX_TRY(flx_motion_read(b->ctx, b->scratch, path, file->loc, &m));
    if (!columns || columns->kind != FLX_ENTRY_LIST || columns->count != 2 ||
        strcmp(columns->items[0]->text, "time") != 0) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, columns ? columns->loc : file->loc,
                        "of a motion say which column: 'columns: [time, %s]'",
                        m.ncolumn > 0 ? m.names[0] : "name");
    }
    flx_loc loc = columns->items[1]->loc;
    FLX_TRY(flx_motion_find(b->ctx, b->scratch, &m, columns->items[1]->text, loc, &column));
    *n = m.n;
    *x = m.t;
    *y = m.values + (size_t)column * (size_t)m.n;
    for (int i = 0; i < m.n; i++) {
        if (isfinite((*y)[i]) && isfinite((*x)[i])) continue;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                        "'%s' has no value in row %d, t = %g; fill gaps of the record first",
                        m.names[column], i + 1, (*x)[i]);
    }
    return FLX_OK;
}

static flx_status points_of_file(flx_builder *b, flx_item *f, const flx_entry *file, int *n,
                                 double **x, double **y)
{
    const flx_entry *columns = flx_entry_get(f->def, "columns");
    const char *names[2] = {NULL, NULL};
    if (columns && columns->kind == FLX_ENTRY_LIST && columns->count == 2) {
        for (int i = 0; i < 2; i++) names[i] = columns->items[i]->text;
    }
    const char *path = flx_file_beside(b->scratch, file->loc.file, file->text);
    if (!path) return FLX_ERR_MEMORY;
    if (flx_motion_is_file(path)) return points_of_motion(b, f, file, path, n, x, y);
    return flx_table_read(b->ctx, b->scratch, path, file->loc, names[0], names[1], n, x, y);
}

static flx_status filter_points(flx_builder *b, const flx_item *f, int n, const double *x,
                                double *y)
{
    const flx_entry *filter = flx_entry_get(f->def, "filter");
    double frequency = 0.0;
    flx_env e;
    if (!filter) return FLX_OK;
    flx_env_of(&e, b, f, FLX_MODE_CONSTANT);
    FLX_TRY(flx_build_positive(&e, filter, "the frequency of a filter", &frequency));
    return flx_motion_filter(b->ctx, filter->loc, n, x, y, frequency);
}

static flx_status read_table(flx_builder *b, flx_item *f, flx_function_data *d)
{
    static const char *const between[] = {"linear", "cubic", "quintic", NULL};
    static const char *const beyond[] = {"constant", "linear", "error", NULL};
    const flx_entry *interpolation = flx_entry_get(f->def, "interpolation");
    const flx_entry *outside = flx_entry_get(f->def, "extrapolation");
    const flx_entry *file = flx_entry_get(f->def, "file"),
                    *points = flx_entry_get(f->def, "points");
    int n = 0, i = 0, o = 0;
    double *x = NULL, *y = NULL;
    if (interpolation) {
        FLX_TRY(flx_build_word(b, interpolation, "interpolation", between, &i));
    }
    if (outside) FLX_TRY(flx_build_word(b, outside, "extrapolation", beyond, &o));
    if (file) {
        FLX_TRY(points_of_file(b, f, file, &n, &x, &y));
    } else if (points) {
        flx_env e;
        flx_env_of(&e, b, f, FLX_MODE_CONSTANT);
        FLX_TRY(flx_build_points(&e, points, &n, &x, &y));
    } else {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, f->loc,
                        "function '%s' needs a value, a file or points", f->full);
    }
    FLX_TRY(filter_points(b, f, n, x, y));
    if (i == FLX_INTERPOLATE_QUINTIC && n < 3) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, interpolation->loc,
                        "a spline of fifth degree needs three points or more");
    }
    d->narg = 1;
    d->table = flx_graph_add_table(b->g, n, x, y, (flx_interpolation)i, (flx_outside)o);
    return d->table < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

// Scales of the arguments: 1 each, or as given.
static flx_status read_scales(flx_builder *b, const flx_item *f, int narg, double *scales)
{
    const flx_entry *given = flx_entry_get(f->def, "scale");
    int count = 0;
    double *values = NULL;
    flx_env e;
    for (int i = 0; i < narg; i++) scales[i] = 1.0;
    if (!given) return FLX_OK;
    flx_env_of(&e, b, f, FLX_MODE_CONSTANT);
    FLX_TRY(flx_build_numbers(&e, given, &count, &values));
    if (count != narg) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, given->loc,
                        "'scale' has a number for each of the %d arguments, not %d", narg, count);
    }
    for (int i = 0; i < narg; i++) {
        scales[i] = values[i];
        if (values[i] > 0.0) continue;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, given->loc, "a scale is positive, not %g",
                        values[i]);
    }
    return FLX_OK;
}

static flx_status read_external(flx_builder *b, flx_item *f, const flx_entry *name,
                                flx_function_data *d)
{
    double scales[FLX_ARGUMENTS_MAX];
    FLX_TRY(read_arguments(b, f, d));
    if (d->narg > FLX_ARGUMENTS_MAX) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, f->loc,
                        "an external function has at most %d arguments, not %d", FLX_ARGUMENTS_MAX,
                        d->narg);
    }
    FLX_TRY(read_scales(b, f, d->narg, scales));
    d->external = flx_graph_add_external(b->g, name->text, name->loc, d->narg, scales);
    return d->external < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

static flx_status call_external(flx_env *e, const flx_item *f, const flx_function_data *d,
                                const flx_operand *args, flx_loc loc, flx_operand *out)
{
    flx_node nodes[FLX_ARGUMENTS_MAX];
    if (e->mode == FLX_MODE_CONSTANT) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "the external function '%s' is known in a run alone, and this number is "
                        "needed before",
                        f->full);
    }
    for (int i = 0; i < d->narg; i++) FLX_TRY(flx_operand_to_number(e, &args[i], loc, &nodes[i]));
    return flx_operand_set_node(flx_graph_external(e->b->g, d->external, nodes), out);
}

static flx_status resolve_function(flx_builder *b, flx_item *f, flx_function_data *d)
{
    if (f->def->kind != FLX_ENTRY_MAP) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, f->loc,
                        "a function is a mapping, as in {of: [x], value: x^2}");
    }
    d->table = d->external = -1;
    d->value = flx_entry_get(f->def, "value");
    const flx_entry *external = flx_entry_get(f->def, "external");
    if (external) return read_external(b, f, external, d);
    return d->value ? read_arguments(b, f, d) : read_table(b, f, d);
}

flx_status flx_function_resolve(flx_builder *b, flx_item *f, flx_loc loc)
{
    bool skip = false;
    FLX_TRY(flx_item_enter(b, f, &f->state, "functions", loc, &skip));
    if (skip) return FLX_OK;
    return flx_item_leave(b, &f->state, resolve_function(b, f, f->data));
}

static flx_status wrong_count(flx_env *e, const flx_item *f, const flx_function_data *d, int n,
                              flx_loc loc)
{
    const char *list = "";
    for (int i = 0; d->args && i < d->narg && list; i++) {
        list = flx_arena_printf(e->b->scratch, "%s%s%s", list, i > 0 ? ", " : "", d->args[i]);
    }
    if (!list) return FLX_ERR_MEMORY;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                    "function '%s' takes %d argument%s%s%s%s, not %d", f->full, d->narg,
                    d->narg == 1 ? "" : "s", *list ? " (" : "", list, *list ? ")" : "", n);
}

flx_status flx_function_call(flx_env *e, const flx_item *f, int n, const flx_operand *args,
                             flx_loc loc, flx_operand *out)
{
    flx_builder *b = e->b;
    const flx_function_data *d = f->data;
    FLX_TRY(flx_function_resolve(b, (flx_item *)f, loc));
    if (n != d->narg) return wrong_count(e, f, d, n, loc);
    if (d->external >= 0) return call_external(e, f, d, args, loc, out);
    if (d->table >= 0) {
        flx_node x;
        FLX_TRY(flx_operand_to_number(e, &args[0], loc, &x));
        return flx_operand_set_node(flx_graph_table(b->g, d->table, 0, x), out);
    }
    flx_local *locals = flx_take(b, (size_t)n, sizeof *locals);
    if (!locals) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        locals[i] = (flx_local){d->args[i], args[i], i > 0 ? &locals[i - 1] : NULL};
    }
    flx_env inner;
    flx_env_init(&inner, b, f->space, n > 0 ? &locals[n - 1] : NULL, e->mode);
    inner.scope.depth = e->scope.depth;
    return flx_build_value(&inner, d->value, out);
}

// ---- signals ------------------------------------------------------------------------------------

// A vector in ground axes becomes one in those of `frame`.
static flx_status into_frame(flx_env *e, const flx_item *s, const flx_entry *frame, flx_loc loc,
                             flx_operand *v)
{
    flx_builder *b = e->b;
    const flx_item *item = NULL;
    flx_env constants;
    flx_node in[3], axes[3][3];
    const int n = b->m->dimension;
    flx_env_of(&constants, b, s, FLX_MODE_CONSTANT);
    FLX_TRY(flx_build_frame(&constants, frame, &item));
    FLX_TRY(flx_operand_to_vector(e, v, loc, in));
    if (item->kind == FLX_KIND_GROUND) return FLX_OK;
    FLX_TRY(flx_item_axes(b, item, frame->loc, axes));
    FLX_TRY(flx_operand_set_list(&e->scope, n, v));
    FLX_TRY(flx_space_place(b, e->space));
    for (int i = 0; i < n; i++) { // the vector is in the axes of a part
        if (!e->space->plain) flx_num9_turn_back3(b->g, &e->space->R, axes[i], axes[i]);
        FLX_TRY(flx_operand_set_node(node_dot(b->g, in, axes[i]), &v->items[i]));
    }
    return FLX_OK;
}

static flx_status resolve_signal(flx_builder *b, flx_item *s, flx_signal_data *d)
{
    const flx_entry *frame = s->def->kind == FLX_ENTRY_MAP ? flx_entry_get(s->def, "frame") : NULL;
    const flx_entry *y = s->def;
    flx_env e;
    if (y->kind == FLX_ENTRY_MAP) FLX_TRY(flx_build_need(b, s, "value", &y));
    flx_env_of(&e, b, s, FLX_MODE_OUTPUT);
    FLX_TRY(flx_build_value(&e, y, &d->value));
    FLX_TRY(check_size(b, &d->value, y->loc));
    if (d->value.kind == FLX_OPERAND_HANDLE) {
        flx_operand held;
        FLX_TRY(flx_env_coerce(&e.scope, &d->value, y->loc, &held));
        d->value = held;
    }
    if (d->value.kind == FLX_OPERAND_FUNCTION) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "this is a function without its arguments");
    }
    if (frame) FLX_TRY(into_frame(&e, s, frame, y->loc, &d->value));
    d->output_only = flx_operand_output_only(b, &d->value, &d->what);
    return FLX_OK;
}

flx_status flx_signal_resolve(flx_builder *b, flx_item *s, flx_loc loc)
{
    bool skip = false;
    FLX_TRY(flx_item_enter(b, s, &s->state, "signals", loc, &skip));
    if (skip) return FLX_OK;
    return flx_item_leave(b, &s->state, resolve_signal(b, s, s->data));
}
