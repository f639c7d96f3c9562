// block_reduce.c - the block `reduce`: whose inertia is neglected. A bare repeated name means all, the name
// of a part all its bodies.
#include "language/flexible/deformable.h"

#include <string.h>

#define DEFAULT_TOLERANCE 2e-2 // of what `auto` finds; as said in schema.def

static flx_status add(flx_builder *b, flx_reduced one)
{
    flx_model *m = b->m;
    for (int i = 0; i < m->nreduced; i++) {
        const flx_reduced *r = m->reduced + i;
        if (r->variable == one.variable && r->joint == one.joint && r->number == one.number) {
            return FLX_OK;
        }
    }
    if ((m->nreduced & (m->nreduced - 1)) == 0) { // doubled at every power of two
        size_t n = (size_t)m->nreduced;
        flx_reduced *more = flx_arena_take(m->arena, 2 * n + 1, sizeof *more);
        if (!more) return FLX_ERR_MEMORY;
        if (n > 0) memcpy(more, m->reduced, n * sizeof *more);
        m->reduced = more;
    }
    m->reduced[m->nreduced++] = one;
    return FLX_OK;
}

static flx_status refuse_item(flx_builder *b, const flx_item *item, flx_loc loc)
{
    const char *advice = item->kind == FLX_KIND_JOINT
                             ? "; give the bodies that it joins, or `formulation: tree`, in which "
                               "joints have"
                             : "";
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                    "'%s' is a %s and has no inertia that could be neglected: bodies and variables "
                    "of second order have%s",
                    item->full, flx_item_word(item->kind), advice);
}

static flx_status add_item(flx_builder *b, const flx_item *item, flx_loc loc)
{
    if (item->broken) return FLX_ERR_MODEL;
    if (item->family) {
        for (int i = 0; i < item->count; i++) FLX_TRY(add_item(b, item->members[i], loc));
        return FLX_OK;
    }
    if (item->kind == FLX_KIND_BODY && flx_body_is_beam(b, item)) {
        const flx_beam_data *d = ((const flx_body_data *)item->data)->beam;
        for (int i = 0; i < d->nnode; i++) {
            FLX_TRY(add(b, (flx_reduced){.number = d->nodes[i]->number, .loc = loc}));
        }
        return FLX_OK;
    }
    if (item->kind == FLX_KIND_BODY || item->kind == FLX_KIND_VARIABLE) {
        bool variable = item->kind == FLX_KIND_VARIABLE;
        return add(b, (flx_reduced){.variable = variable, .number = item->number, .loc = loc});
    }
    if (item->kind == FLX_KIND_JOINT && b->m->simulate.tree) {
        return add(b, (flx_reduced){.joint = true, .number = item->number, .loc = loc});
    }
    if (item->kind == FLX_KIND_PART) {
        const flx_space *space = item->data;
        for (int i = space->first_body; i < space->end_body; i++) {
            FLX_TRY(add(b, (flx_reduced){.number = i, .loc = loc}));
        }
        return FLX_OK;
    }
    return refuse_item(b, item, loc);
}

// One entry of the list: the value of a variable is its leaf; all modes of a body are a list of those.
static flx_status add_value(flx_builder *b, const flx_operand *v, const flx_entry *y)
{
    flx_leaf leaf;
    const flx_item *item = flx_operand_get_item(v);
    if (item) return add_item(b, item, y->loc);
    if (v->kind == FLX_OPERAND_LIST && v->count > 0) {
        for (int i = 0; i < v->count; i++) FLX_TRY(add_value(b, v->items + i, y));
        return FLX_OK;
    }
    bool known = v->kind == FLX_OPERAND_NUMBER && flx_graph_is_leaf(b->g, v->node, &leaf);
    for (int i = 0; known && i < b->variables.count; i++) {
        const flx_item *variable = b->variables.items[i];
        if (leaf == flx_leaf_make(FLX_LEAF_VARIABLE, variable->number, 0)) {
            return add_item(b, variable, y->loc);
        }
    }
    if (known && flx_leaf_get_kind(leaf) == FLX_LEAF_VARIABLE) { // of a flexible body
        return add(
            b, (flx_reduced){.variable = true, .number = flx_leaf_get_index(leaf), .loc = y->loc});
    }
    if (b->m->nunavailable > 0) return FLX_OK; // it may be of a body that is not there yet
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                    "'%s' has no inertia that could be neglected: give bodies or variables of "
                    "second order",
                    y->kind == FLX_ENTRY_SCALAR ? y->text : "this");
}

static flx_status add_named(flx_env *e, const flx_entry *y)
{
    flx_operand v;
    FLX_TRY(flx_build_value(e, y, &v));
    return add_value(e->b, &v, y);
}

static bool is_auto(const flx_entry *names)
{
    return names->kind == FLX_ENTRY_SCALAR && strcmp(names->text, "auto") == 0;
}

static flx_status read_velocities(flx_env *e, const flx_entry *names)
{
    if (is_auto(names)) {
        e->b->m->reduce_auto = true;
        return FLX_OK;
    }
    if (names->kind != FLX_ENTRY_LIST) return add_named(e, names);
    for (int i = 0; i < names->count; i++) FLX_TRY(add_named(e, names->items[i]));
    return FLX_OK;
}

static flx_status read_damping(flx_env *e, const flx_entry *block, double *alpha)
{
    const flx_entry *y = flx_entry_get(block, "mass_damping");
    *alpha = 0.0;
    if (!y) return FLX_OK;
    FLX_TRY(flx_build_number(e, y, alpha));
    if (*alpha >= 0.0) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                    "a damping proportional to the mass is not negative, and %g is", *alpha);
}

// All that is neglected is neglected together.
static flx_status take_quasistatic(flx_env *e, const flx_entry *block, int before)
{
    flx_model *m = e->b->m;
    double alpha = 0.0;
    FLX_TRY(read_damping(e, block, &alpha));
    if (before > 0 && alpha != m->reduced_damping) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, block->loc,
                        "all quasi-static blocks need the same mass_damping: another has %g",
                        m->reduced_damping);
    }
    m->reduced_damping = alpha;
    return FLX_OK;
}

// The names from `before` on are those of another list.
static flx_status move_names(flx_model *m, int before, int *count, flx_reduced **list)
{
    int n = m->nreduced - before;
    flx_reduced *all = flx_arena_take(m->arena, (size_t)(*count + n), sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    if (*count > 0) memcpy(all, *list, (size_t)*count * sizeof *all);
    if (n > 0) memcpy(all + *count, m->reduced + before, (size_t)n * sizeof *all);
    *list = all;
    *count += n;
    m->nreduced = before;
    return FLX_OK;
}

// Stiff coordinates that are scaled together: those whose stiffness makes them fast.
static flx_status read_scaling(flx_env *e, const flx_entry *block)
{
    flx_model *m = e->b->m;
    const flx_entry *names = flx_entry_get(block, "scaling");
    flx_reduced *taken = m->reduced;
    int before = m->nreduced;
    const flx_entry *which = flx_entry_get(block, "coordinates");
    bool scaled = which && strcmp(which->text, "scaled") == 0;
    if (scaled && !names) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, which->loc,
                        "`coordinates: scaled` needs `scaling`: the stiff coordinates by name");
    }
    m->reduce_scaled = m->reduce_scaled || scaled;
    if (!names) return FLX_OK;
    if (is_auto(names)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, names->loc,
                        "`scaling` needs the stiff coordinates by name");
    }
    m->reduced = NULL; // a name may be in both lists
    m->nreduced = 0;
    flx_status status = read_velocities(e, names);
    if (status == FLX_OK) status = move_names(m, 0, &m->nscaled, &m->scaled);
    m->reduced = taken;
    m->nreduced = before;
    return status;
}

// The names of a block: of a quasi-static reduction and a lumping of masses, of a condensation, of a cut-off.
static const flx_entry *named(const flx_entry *block)
{
    const flx_entry *names = flx_entry_get(block, "neglect_inertia");
    if (!names) names = flx_entry_get(block, "condense");
    return names ? names : flx_entry_get(block, "raise_inertia");
}

// How much of the inertia of the names from `before` on goes to their neighbours.
static flx_status read_conservation(flx_builder *b, const flx_entry *block, int before)
{
    const flx_entry *y = flx_entry_get(block, "conserve_mass");
    const flx_entry *factor = flx_entry_get(block, "factor");
    const flx_entry *names = named(block);
    const char *type = flx_entry_get(block, "type")->text;
    bool conserves = strcmp(type, "mass-lumping") == 0;
    double times = 0.0;
    flx_env e;
    if (y) FLX_TRY(flx_build_flag(b, y, "conserve_mass", &conserves));
    if (!conserves) return FLX_OK;
    flx_loc where = y ? y->loc : block->loc;
    if (!names || is_auto(names)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, where,
                        "`conserve_mass` needs names, not `auto` or all: whose mass moves?");
    }
    if (strcmp(type, "cutoff") == 0 && !factor) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, where,
                        "`conserve_mass` needs a `factor`: a limit of frequency adds modal masses, "
                        "which no neighbour can give");
    }
    flx_env_init(&e, b, b->top, NULL, FLX_MODE_CONSTANT);
    if (factor) FLX_TRY(flx_build_positive(&e, factor, "the factor", &times));
    for (int i = before; i < b->m->nreduced; i++) b->m->reduced[i].moves = 1.0 - times;
    return FLX_OK;
}

// The names from `before` on are those of a cut-off.
static flx_status take_cutoff(flx_env *e, const flx_entry *block, const flx_entry *reduce,
                              int before)
{
    flx_model *m = e->b->m;
    const flx_entry *frequency = flx_entry_get(block, "frequency");
    const flx_entry *factor = flx_entry_get(block, "factor");
    flx_cutoff c = {.n = m->nreduced - before, .loc = block->loc};
    size_t most = reduce->kind == FLX_ENTRY_LIST ? (size_t)reduce->count : 1;
    if (frequency) FLX_TRY(flx_build_positive(e, frequency, "the frequency", &c.frequency));
    if (factor) FLX_TRY(flx_build_positive(e, factor, "the factor", &c.factor));
    FLX_TRY(read_damping(e, block, &c.mass_damping));
    if (factor && c.n == 0) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, factor->loc,
                        "`factor` needs `raise_inertia`: the names whose inertia it multiplies");
    }
    c.items = flx_arena_take(m->arena, (size_t)c.n, sizeof *c.items);
    if (!m->cutoffs) m->cutoffs = flx_arena_take(m->arena, most, sizeof *m->cutoffs);
    if (!c.items || !m->cutoffs) return FLX_ERR_MEMORY;
    if (c.n > 0) memcpy(c.items, m->reduced + before, (size_t)c.n * sizeof *c.items);
    m->cutoffs[m->ncutoff++] = c;
    m->nreduced = before;
    return FLX_OK;
}

// How the run begins, and whether its signals have what was taken away there.
static flx_status read_start(flx_builder *b, const flx_entry *block)
{
    const flx_entry *start = flx_entry_get(block, "initial");
    const flx_entry *layer = flx_entry_get(block, "layer");
    bool corrected = start && strcmp(start->text, "corrected") == 0, added = false;
    if (layer) FLX_TRY(flx_build_flag(b, layer, "layer", &added));
    if (added && !corrected) {
        return FLX_FAIL(
            b->ctx, FLX_ERR_MODEL, layer->loc,
            "the boundary layer belongs to corrected initial values: add `initial: corrected`");
    }
    if (corrected && b->m->reduce_scaled) {
        return FLX_FAIL(
            b->ctx, FLX_ERR_MODEL, start->loc,
            "initial values are corrected in given coordinates: leave out `coordinates: "
            "scaled`, or `initial`");
    }
    b->m->reduce_corrected = b->m->reduce_corrected || corrected;
    b->m->reduce_layer = b->m->reduce_layer || added;
    return FLX_OK;
}

static flx_status read_block(flx_builder *b, const flx_entry *block, const flx_entry *reduce)
{
    const flx_entry *names = named(block);
    const flx_entry *type = flx_entry_get(block, "type");
    const flx_entry *tolerance = flx_entry_get(block, "tolerance");
    const flx_entry *otherwise = flx_entry_get(block, "on_violation");
    flx_env e;
    int before = b->m->nreduced;
    bool quasistatic = strcmp(type->text, "quasistatic") == 0;
    if (names && !quasistatic && is_auto(names)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, names->loc,
                        "`auto` finds what a quasi-static reduction takes; write names%s",
                        strcmp(type->text, "cutoff") == 0 ? ", or leave the key out for all" : "");
    }
    flx_env_init(&e, b, b->top, NULL, FLX_MODE_MOVING);
    FLX_TRY(read_scaling(&e, block));
    if (names) FLX_TRY(read_velocities(&e, names));
    flx_env_init(&e, b, b->top, NULL, FLX_MODE_CONSTANT);
    if (tolerance) {
        FLX_TRY(flx_build_positive(&e, tolerance, "the tolerance", &b->m->reduce_tolerance));
    }
    FLX_TRY(read_start(b, block));
    if (otherwise) b->m->reduce_else_full = strcmp(otherwise->text, "full") == 0;
    FLX_TRY(read_conservation(b, block, before));
    if (strcmp(type->text, "cutoff") == 0) return take_cutoff(&e, block, reduce, before);
    if (strcmp(type->text, "guyan") == 0) {
        return move_names(b->m, before, &b->m->ncondensed, &b->m->condensed);
    }
    return take_quasistatic(&e, block, before);
}

flx_status flx_reduce_finish(flx_builder *b)
{
    const flx_entry *reduce = flx_entry_get(b->top->def, "reduce");
    bool list = reduce && reduce->kind == FLX_ENTRY_LIST;
    b->m->reduces = reduce != NULL;
    b->m->reduce_tolerance = DEFAULT_TOLERANCE;
    if (reduce) b->m->reduce_loc = (list ? reduce->items[0] : reduce)->loc;
    for (int i = 0; reduce && i < (list ? reduce->count : 1); i++) {
        const flx_entry *block = list ? reduce->items[i] : reduce;
        if (block->kind == FLX_ENTRY_MAP) FLX_TRY(read_block(b, block, reduce));
    }
    return FLX_OK;
}

const char *flx_model_reduced(const flx_model *m, int i)
{
    return i < 0 || i >= m->nreduced ? NULL : flx_reduced_name(m, m->reduced + i);
}

const char *flx_reduced_name(const flx_model *m, const flx_reduced *r)
{
    if (r->variable) return m->variables[r->number].name;
    return r->joint ? m->joints[r->number].name : m->bodies[r->number].name;
}
