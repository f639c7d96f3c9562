// block_inputs.c - inputs: numbers that a run takes from outside, used by expressions as signals are.
//
//     u = clamp(value + (t - since) (slope + (t - since) curvature/2) + (free ? expression : 0))
//
// The first four and `free` are leaves (flx_input_part): derivatives by the time and by the value are
// exact. As read they say the model's own value; a table from outside takes the expression's place.
#include "language/builder.h"
#include "model/nodes.h"
#include "read/table_file.h"

#include <math.h>
#include <string.h>

static flx_node part_of(flx_builder *b, const flx_item *input, flx_input_part part)
{
    return node_leaf(b->g, FLX_LEAF_INPUT, input->number, (int)part);
}

static flx_node time_of(flx_builder *b)
{
    return node_leaf(b->g, FLX_LEAF_TIME, 0, 0);
}

// ---- a table from outside ------------------------------------------------------------------------

// Where a time is given twice the value jumps; a jump at an end needs a piece beyond it.
static flx_status pad_ends(flx_builder *b, int *n, double **t, double **u)
{
    bool before = *n > 1 && (*t)[0] == (*t)[1], after = *n > 1 && (*t)[*n - 1] == (*t)[*n - 2];
    int m = *n + before + after;
    double *x = flx_take(b, 2 * (size_t)m, sizeof *x), *y = x + m;
    if (!x) return FLX_ERR_MEMORY;
    memcpy(x + before, *t, (size_t)*n * sizeof *x);
    memcpy(y + before, *u, (size_t)*n * sizeof *y);
    if (before) {
        x[0] = x[1] - 1.0;
        y[0] = y[1];
    }
    if (after) {
        x[m - 1] = x[m - 2] + 1.0;
        y[m - 1] = y[m - 2];
    }
    *n = m;
    *t = x;
    *u = y;
    return FLX_OK;
}

// "F=force.csv": the file for this input, NULL: none.
static const char *table_for(const flx_builder *b, const flx_item *input)
{
    size_t length = strlen(input->full);
    const char *found = NULL;
    for (int i = 0; i < b->asked->ninput; i++) {
        const char *text = b->asked->inputs[i];
        if (strncmp(text, input->full, length) == 0 && text[length] == '=')
            found = text + length + 1;
    }
    return found;
}

static flx_loc asked_at(const flx_builder *b)
{
    return (flx_loc){.file = flx_intern(b->ctx, "--input"), .line = 1, .column = 1};
}

static flx_status follow_table(flx_builder *b, const char *path, flx_input_data *d)
{
    int n = 0;
    double *t = NULL, *u = NULL;
    FLX_TRY(flx_table_read_steps(b->ctx, b->scratch, path, asked_at(b), &n, &t, &u));
    for (int i = 1; i < n && !d->jumps; i++) d->jumps = t[i] == t[i - 1] && u[i] != u[i - 1];
    FLX_TRY(pad_ends(b, &n, &t, &u));
    int table = flx_graph_add_table(b->g, n, t, u, FLX_INTERPOLATE_LINEAR, FLX_OUTSIDE_HOLD);
    if (table < 0) return FLX_ERR_MEMORY;
    d->expression = flx_graph_table(b->g, table, 0, time_of(b));
    return d->expression < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

flx_status flx_inputs_check_asked(flx_builder *b)
{
    for (int i = 0; i < b->asked->ninput; i++) {
        const char *text = b->asked->inputs[i], *sign = strchr(text, '=');
        if (!sign || sign == text || !sign[1]) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, asked_at(b),
                            "'%s' is not of the form name=file, as in F=force.csv", text);
        }
        flx_nearest near;
        char *name = flx_arena_copy(b->scratch, text, (size_t)(sign - text));
        if (!name) return FLX_ERR_MEMORY;
        flx_nearest_start(&near, name);
        bool found = false;
        for (int k = 0; k < b->inputs.count && !found; k++) {
            found = strcmp(b->inputs.items[k]->full, name) == 0;
            flx_nearest_offer(&near, b->inputs.items[k]->full);
        }
        const char *best = flx_nearest_best(&near);
        if (!found) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, asked_at(b), "the model has no input '%s'%s%s%s",
                            name, best ? "; did you mean '" : "", best ? best : "",
                            best ? "'?" : "");
        }
    }
    return FLX_OK;
}

// ---- one input -----------------------------------------------------------------------------------

static flx_status read_value(flx_env *e, const flx_item *input, const flx_entry *y,
                             flx_input_data *d)
{
    flx_builder *b = e->b;
    const char *table = table_for(b, input);
    d->expression = -1;
    if (table) return follow_table(b, table, d);
    if (!y) return FLX_OK; // zero
    flx_node n = -1;
    FLX_TRY(flx_build_node(e, y, &n));
    if (!flx_graph_is_const(b->g, n, &d->value)) {
        d->value = 0;
        d->expression = n;
        return FLX_OK;
    }
    if (isfinite(d->value)) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "the value is not a finite number");
}

// One bound: its number and its node. Open parameters may be in it.
static flx_status read_bound(flx_env *e, const flx_entry *y, double *out, flx_node *node)
{
    flx_open open = 0;
    if (!y) return FLX_OK;
    FLX_TRY(flx_build_open(e, y, out, &open));
    *node = node_open(e->b->g, *out, open);
    return *node < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

static flx_status read_bounds(flx_builder *b, const flx_item *input, flx_input_data *d)
{
    const flx_entry *lower = flx_entry_get(input->def, "lower");
    const flx_entry *upper = flx_entry_get(input->def, "upper");
    flx_env e;
    flx_env_of(&e, b, input, FLX_MODE_CONSTANT);
    FLX_TRY(read_bound(&e, lower, &d->lower, &d->bound[0]));
    FLX_TRY(read_bound(&e, upper, &d->upper, &d->bound[1]));
    if (!(d->lower <= d->upper)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, (upper ? upper : lower)->loc,
                        "the upper bound of input '%s', %g, is below its lower bound, %g",
                        input->full, d->upper, d->lower);
    }
    if (lower && upper && b->open) {
        flx_node room = node_sub(b->g, d->bound[1], d->bound[0]);
        if (room < 0) return FLX_ERR_MEMORY;
        const flx_limit l = {.what = "room between the bounds",
                             .name = input->full,
                             .loc = upper->loc,
                             .value_open = flx_graph_is_const(b->g, room, NULL) ? 0 : room + 1};
        FLX_TRY(flx_build_limit(b, &l));
    }
    if (d->expression < 0 && (d->value < d->lower || d->value > d->upper)) {
        const flx_entry *value = flx_entry_get(input->def, "value");
        flx_ctx_warn(b->ctx, value ? value->loc : input->loc,
                     "the value of input '%s', %g, is beyond its bound and is taken as %g",
                     input->full, d->value, d->value < d->lower ? d->lower : d->upper);
    }
    return FLX_OK;
}

// What is set from outside: a polynomial of the time since then.
static flx_node make_given(flx_builder *b, const flx_item *input)
{
    flx_graph *g = b->g;
    flx_node since = node_sub(g, time_of(b), part_of(b, input, FLX_INPUT_SINCE));
    flx_node bend = node_scale(g, 0.5, part_of(b, input, FLX_INPUT_CURVATURE));
    flx_node slope = node_add(g, part_of(b, input, FLX_INPUT_SLOPE), node_mul(g, since, bend));
    return node_add(g, part_of(b, input, FLX_INPUT_VALUE), node_mul(g, since, slope));
}

static flx_status make_node(flx_builder *b, const flx_item *input, flx_input_data *d)
{
    flx_graph *g = b->g;
    flx_node u = make_given(b, input);
    if (d->expression >= 0) {
        flx_node own = flx_graph_if(g, part_of(b, input, FLX_INPUT_FREE), d->expression,
                                    node_const(g, 0.0));
        u = node_add(g, u, own);
    }
    if (d->bound[0] >= 0) u = flx_graph_binary(g, FLX_OP_MAX, u, d->bound[0]);
    if (d->bound[1] >= 0) u = flx_graph_binary(g, FLX_OP_MIN, u, d->bound[1]);
    d->node = u;
    return u < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

static flx_status resolve(flx_builder *b, flx_item *input, flx_input_data *d)
{
    bool map = input->def->kind == FLX_ENTRY_MAP;
    const flx_entry *unit = map ? flx_entry_get(input->def, "unit") : NULL;
    flx_env e;
    flx_env_of(&e, b, input, FLX_MODE_MOVING);
    d->lower = -HUGE_VAL;
    d->upper = HUGE_VAL;
    d->bound[0] = d->bound[1] = -1;
    d->unit = unit ? unit->text : "";
    FLX_TRY(read_value(&e, input, map ? flx_entry_get(input->def, "value") : input->def, d));
    if (map) FLX_TRY(read_bounds(b, input, d));
    return make_node(b, input, d);
}

flx_status flx_input_resolve(flx_builder *b, flx_item *input, flx_loc loc)
{
    bool skip = false;
    FLX_TRY(flx_item_enter(b, input, &input->state, "inputs", loc, &skip));
    if (skip) return FLX_OK;
    return flx_item_leave(b, &input->state, resolve(b, input, input->data));
}

// ---- inputs in motions ---------------------------------------------------------------------------

static flx_status check_moving(flx_builder *b, const flx_item *input, const flx_item *joint,
                               bool (*wrong)(void *user, flx_leaf leaf), flx_loc loc)
{
    const flx_input_data *d = input->data;
    if (d->jumps) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                        "the table for input '%s' jumps, and the motion of joint '%s' contains it: "
                        "places cannot jump; give every time once",
                        input->full, joint->full);
    }
    if (d->expression < 0 || !flx_graph_depends(b->g, d->expression, wrong, NULL)) return FLX_OK;
    return FLX_FAIL(
        b->ctx, FLX_ERR_MODEL, loc,
        "a motion may depend on the time t alone, since its rates are needed; the value "
        "of input '%s' depends on more",
        input->full);
}

flx_status flx_inputs_move(flx_builder *b, flx_node motion,
                           bool (*wrong)(void *user, flx_leaf leaf), const flx_item *joint,
                           flx_loc loc)
{
    flx_leaf *leaves = NULL;
    int n = 0;
    FLX_TRY(flx_graph_leaves(b->g, 1, &motion, &n, &leaves));
    flx_status status = FLX_OK;
    for (int i = 0; i < n && status == FLX_OK; i++) {
        if (flx_leaf_get_kind(leaves[i]) != FLX_LEAF_INPUT) continue;
        const flx_item *input = b->inputs.items[flx_leaf_get_index(leaves[i])];
        flx_input_data *d = input->data;
        if (!d->moves) d->moves = joint->full;
        status = check_moving(b, input, joint, wrong, loc);
    }
    flx_free(leaves);
    return status;
}

// ---- the model's ---------------------------------------------------------------------------------

flx_status flx_inputs_finish(flx_builder *b)
{
    flx_model *m = b->m;
    m->inputs = flx_arena_take(m->arena, (size_t)b->inputs.count, sizeof *m->inputs);
    if (!m->inputs) return FLX_ERR_MEMORY;
    for (int i = 0; i < b->inputs.count; i++) {
        const flx_item *item = b->inputs.items[i];
        const flx_input_data *d = item->data;
        m->inputs[m->ninput++] = (flx_input_item){.name = item->full,
                                                  .unit = d->unit,
                                                  .loc = item->loc,
                                                  .node = d->node,
                                                  .expression = d->expression,
                                                  .value = d->value,
                                                  .lower = d->lower,
                                                  .upper = d->upper,
                                                  .moves = d->moves};
    }
    return FLX_OK;
}
