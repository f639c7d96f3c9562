// members.c - what stands behind a point or in parentheses: members of items (crank.angle) and indices
// of families, lists and bodies that deform (link(3), tube.node(7)).
#include "language/analyses/known_values.h"
#include "language/flexible/deformable.h"

#include <math.h>
#include <string.h>

// ---- members ----------------------------------------------------------------------------------

flx_status flx_member_unknown(flx_env *e, const char *of, const char *name, flx_loc loc,
                              const char *const *words, const flx_names *names)
{
    flx_nearest near;
    flx_nearest_start(&near, name);
    for (const char *const *w = words; w && *w; w++) flx_nearest_offer(&near, *w);
    if (names) flx_names_offer(names, &near);
    const char *best = flx_nearest_best(&near);
    if (best) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "'%s' has no '%s'; did you mean '%s'?", of,
                        name, best);
    }
    char list[512];
    size_t used = 0;
    list[0] = 0;
    for (const char *const *w = words; w && *w; w++) {
        size_t length = strlen(*w);
        if (used + length + 3 > sizeof list) break;
        if (used > 0) {
            memcpy(list + used, ", ", 2);
            used += 2;
        }
        memcpy(list + used, *w, length + 1);
        used += length;
    }
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "'%s' has no '%s'%s%s", of, name,
                    used > 0 ? "; it has " : "", list);
}

static flx_status part_member(flx_env *e, const flx_item *part, const char *name, flx_loc loc,
                              flx_operand *out)
{
    flx_space *space = part->data;
    flx_item *item = flx_names_find(&space->names, name);
    if (item) return flx_item_value(e, item, loc, out);
    if (strcmp(name, "com") == 0) {
        *out = (flx_operand){
            .kind = FLX_OPERAND_HANDLE, .handle = part, .tag = FLX_TAG_PART_COM, .node = -1};
        return FLX_OK;
    }
    if (flx_is_momentum(name)) return flx_part_momentum(e, part, name, loc, out);
    static const char *const words[] = {"com", "momentum", "angular_momentum", NULL};
    return flx_member_unknown(e, part->full, name, loc, words, &space->names);
}

static flx_status constraint_member(flx_env *e, flx_item *item, const char *name, flx_loc loc,
                                    flx_operand *out)
{
    static const char *const words[] = {"multiplier", NULL};
    if (strcmp(name, "multiplier") != 0) {
        return flx_member_unknown(e, item->full, name, loc, words, NULL);
    }
    FLX_TRY(flx_env_require(e, FLX_MODE_MOVING, item->full, name, loc));
    return flx_operand_set_node(
        flx_graph_leaf(e->b->g, flx_leaf_make(FLX_LEAF_MULTIPLIER, item->number, 0)), out);
}

// What modes have found, as numbers that do not change during the run.
static flx_status analysis_member(flx_env *e, const flx_item *item, const char *name, flx_loc loc,
                                  flx_operand *out)
{
    static const char *const words[] = {"eigenvalues", "frequencies", "damping", NULL};
    flx_builder *b = e->b;
    const flx_analysis *a = NULL;
    int word = 0;
    const flx_analysis_reader *reader = flx_analysis_reader_of(item, NULL);
    if (reader->gives || (e->goals && strcmp(reader->says.word, "modes") != 0)) {
        return flx_known_member(e, item, NULL, name, loc, out);
    }
    while (words[word] && strcmp(name, words[word]) != 0) word++;
    for (int i = 0; i < b->m->nanalysis; i++) {
        if (b->analyses.items[i] == item) a = b->m->analyses + i;
    }
    if (!words[word] || (a && a->kind != FLX_ANALYSIS_MODES)) {
        bool modes = a && a->kind == FLX_ANALYSIS_MODES;
        return flx_member_unknown(e, item->full, name, loc, modes ? words : NULL, NULL);
    }
    FLX_TRY(flx_env_require(e, FLX_MODE_OUTPUT, item->full, name, loc));
    if (!a || a->count == 0) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                        "give '%s' a count: every mode is a column of the output", item->full);
    }
    if (a->about == FLX_ABOUT_END) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                        "'%s' is about the end of the run and is not known during it; see "
                        "'flexion analyse'",
                        item->full);
    }
    int each = word == 0 ? 2 : 1;
    *out = (flx_operand){.kind = FLX_OPERAND_LIST, .node = -1, .count = each * a->count};
    out->tag = word == 0 ? FLX_TAG_PAIRS : FLX_TAG_NUMBERED;
    out->items = flx_take(b, (size_t)out->count, sizeof *out->items);
    if (!out->items) return FLX_ERR_MEMORY;
    for (int i = 0; i < out->count; i++) {
        int component = word == 0 ? 4 * (i / 2) + i % 2 : 4 * i + word + 1;
        flx_leaf leaf = flx_leaf_make(FLX_LEAF_MODES, (int)(a - b->m->analyses), component);
        out->items[i] = flx_operand_number(flx_graph_leaf(b->g, leaf));
        if (out->items[i].node < 0) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

const char *const flx_quaternion_parts[] = {"w", "x", "y", "z", NULL};
const char *const flx_tensor_parts[] = {"xx", "yy", "zz", "xy", "yz", "xz", NULL};

static flx_status list_member(flx_env *e, const flx_operand *list, const char *of,
                              const char *const *words, const char *name, flx_loc loc,
                              flx_operand *out)
{
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], name) != 0) continue;
        *out = list->items[i];
        return FLX_OK;
    }
    return flx_member_unknown(e, of, name, loc, words, NULL);
}

flx_status flx_env_member(flx_scope *s, const flx_operand *of, const char *name, flx_loc loc,
                          flx_operand *out)
{
    flx_env *e = s->user;
    if (of->kind == FLX_OPERAND_HANDLE && of->tag == FLX_TAG_QUATERNION) {
        return list_member(e, of->handle, "orientation", flx_quaternion_parts, name, loc, out);
    }
    if (of->kind == FLX_OPERAND_HANDLE && of->tag == FLX_TAG_TENSOR) {
        return list_member(e, of->handle, "it", flx_tensor_parts, name, loc, out);
    }
    if (of->kind == FLX_OPERAND_HANDLE && of->tag == FLX_TAG_PART_COM) {
        return flx_part_com_member(e, of->handle, name, loc, out);
    }
    if (of->kind == FLX_OPERAND_HANDLE && of->tag == FLX_TAG_GROUP) {
        return flx_group_member(e, of->handle, name, loc, out);
    }
    if (of->kind == FLX_OPERAND_HANDLE && of->tag == FLX_TAG_KNOWN) {
        return flx_known_member(e, NULL, of, name, loc, out);
    }
    flx_item *item = (flx_item *)flx_operand_get_item(of);
    if (!item) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc, "'.%s' does not belong to anything here", name);
    }
    if (item->family) return flx_item_fail_family(e, item, loc);
    switch (item->kind) {
    case FLX_KIND_GROUND:
    case FLX_KIND_BODY:
    case FLX_KIND_POINT:
        return flx_body_member(e, item, name, loc, out);
    case FLX_KIND_JOINT:
        return flx_joint_member(e, item, name, loc, out);
    case FLX_KIND_FORCE:
        return flx_force_member(e, item, name, loc, out);
    case FLX_KIND_CONTROL:
    case FLX_KIND_FMU:
        return flx_control_member(e, item, name, loc, out);
    case FLX_KIND_PARTICLES:
        return flx_particles_member(e, item, name, loc, out);
    case FLX_KIND_PART:
        return part_member(e, item, name, loc, out);
    case FLX_KIND_CONSTRAINT:
        return constraint_member(e, item, name, loc, out);
    case FLX_KIND_EVENT:
        return flx_event_member(e, item, name, loc, out);
    case FLX_KIND_ANALYSIS:
        return analysis_member(e, item, name, loc, out);
    default:
        return flx_member_unknown(e, item->full, name, loc, NULL, NULL);
    }
}

// ---- indices ----------------------------------------------------------------------------------

static flx_status integer_of(flx_env *e, const flx_operand *v, flx_loc loc, int *out)
{
    double x;
    if (v->kind != FLX_OPERAND_NUMBER || !flx_build_constant(e->b, v->node, loc, &x)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "an index must be a constant number");
    }
    double r = round(x);
    // Rounding of an expression such as 0.3/0.1 is forgiven.
    if (!(fabs(x - r) <= 1e-9) || !(fabs(r) < 1e9)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "an index must be a whole number, not %g",
                        x);
    }
    *out = (int)r;
    return FLX_OK;
}

static flx_status index_family(flx_env *e, const flx_item *f, const flx_operand *arg, flx_loc loc,
                               flx_item **out)
{
    int i = 0;
    FLX_TRY(integer_of(e, arg, loc, &i));
    if (i < f->lo || i >= f->lo + f->count) {
        if (f->count == 0) return flx_item_fail_family(e, f, loc);
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "there is no %s(%d): %s has the indices %d to %d", f->full, i, f->full,
                        f->lo, f->lo + f->count - 1);
    }
    *out = f->members[i - f->lo];
    return FLX_OK;
}

static flx_status index_list(flx_env *e, const flx_operand *list, const flx_operand *arg,
                             flx_loc loc, flx_operand *out)
{
    int i = 0;
    FLX_TRY(integer_of(e, arg, loc, &i));
    if (list->kind != FLX_OPERAND_LIST) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "there are more indices than repetitions");
    }
    if (i < 1 || i > list->count) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "index %d of a list with the indices 1 to %d", i, list->count);
    }
    *out = list->items[i - 1];
    return FLX_OK;
}

// node(7), point(0.5) and mode(3) of a flexible body.
static flx_status index_elastic(flx_env *e, const flx_operand *of, flx_item *body, double x,
                                flx_loc loc, flx_operand *out)
{
    flx_builder *b = e->b;
    int number = (int)round(x);
    FLX_TRY(flx_elastic_body_ready(b, body, loc));
    if (of->tag != FLX_TAG_MODES) {
        flx_item *point = NULL;
        int node = 0;
        FLX_TRY(of->tag == FLX_TAG_LENGTH ? flx_elastic_body_along(b, body, x, loc, &node)
                                          : flx_elastic_body_find(b, body, number, loc, &node));
        FLX_TRY(flx_elastic_body_point(b, body, node, &point));
        *out = flx_operand_item(point);
        return FLX_OK;
    }
    int n = ((const flx_body_data *)body->data)->elastic.e->n;
    FLX_TRY(flx_env_require(e, FLX_MODE_MOVING, body->full, "mode", loc));
    if (number > n) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "'%s' has %d modes, and no mode(%d)",
                        body->full, n, number);
    }
    return flx_operand_set_node(flx_elastic_body_mode(b, body, number - 1), out);
}

// node(7), point(0.5), mode(3) of a body that deforms, whose physics comes later: a place on the line
// between its ends, or nothing.
static flx_status index_deformable(flx_env *e, const flx_operand *of, int n,
                                   const flx_operand *args, flx_loc loc, flx_operand *out)
{
    flx_item *body = (flx_item *)of->handle;
    flx_body_data *d = body->data;
    double x = 0, at[3] = {0, 0, 0};
    if (n != 1 || args[0].kind != FLX_OPERAND_NUMBER ||
        !flx_graph_is_const(e->b->g, args[0].node, &x)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "'%s' takes one constant number here",
                        body->full);
    }
    if (of->tag != FLX_TAG_LENGTH) {
        int i = 0;
        FLX_TRY(integer_of(e, &args[0], loc, &i));
        if (i < 1) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "nodes and modes are counted from 1");
        }
    } else if (!(x >= 0 && x <= 1)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "point(%g): the part of the length is between 0 and 1", x);
    }
    bool elastic = flx_body_is_elastic(body) && e->b->m->nunavailable == 0;
    if (elastic) return index_elastic(e, of, body, x, loc, out);
    if (of->tag == FLX_TAG_MODES && flx_body_is_beam(e->b, body)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "'%s' is a beam and has nodes, not modes",
                        body->full);
    }
    if (of->tag == FLX_TAG_MODES) {
        FLX_TRY(flx_env_require(e, FLX_MODE_MOVING, body->full, "mode", loc));
        return flx_env_stand_in(e, 1, out);
    }
    FLX_TRY(flx_body_place(e->b, body, loc));
    if (flx_body_is_beam(e->b, body)) {
        flx_item *node = NULL;
        bool length = of->tag == FLX_TAG_LENGTH;
        FLX_TRY(length ? flx_beam_point(e->b, body, x, loc, &node)
                       : flx_beam_node(e->b, body, (int)round(x), loc, &node));
        *out = flx_operand_item(node);
        return FLX_OK;
    }
    if (of->tag == FLX_TAG_NODES && flx_body_is_solid(e->b, body)) {
        flx_item *node = NULL;
        FLX_TRY(flx_solid_node(e->b, body, (int)round(x), loc, &node));
        *out = flx_operand_item(node);
        return FLX_OK;
    }
    if (of->tag == FLX_TAG_LENGTH) {
        for (int k = 0; k < 3; k++) at[k] = (1 - x) * d->start[k] + x * d->end[k];
    }
    const char *name =
        flx_arena_printf(e->b->scratch, "%s(%g)", of->tag == FLX_TAG_NODES ? "node" : "point", x);
    flx_item *point = NULL;
    if (!name) return FLX_ERR_MEMORY;
    FLX_TRY(flx_body_make_point(e->b, body, name, at, &point));
    ((flx_point_data *)point->data)->deformable = true;
    *out = flx_operand_item(point);
    return FLX_OK;
}

flx_status flx_env_index(flx_scope *s, const flx_operand *of, int n, const flx_operand *args,
                         flx_loc loc, flx_operand *out)
{
    flx_env *e = s->user;
    if (of->kind == FLX_OPERAND_HANDLE && of->tag >= FLX_TAG_NODES && of->tag <= FLX_TAG_MODES) {
        return index_deformable(e, of, n, args, loc, out);
    }
    if (of->kind == FLX_OPERAND_HANDLE && of->tag == FLX_TAG_KNOWN) {
        return flx_known_index(e, of, n, args, loc, out);
    }
    flx_item *item = (flx_item *)flx_operand_get_item(of);
    if (item && !item->family && item->kind == FLX_KIND_PATH) {
        return flx_path_index(e, item, n, args, loc, out);
    }
    if (item && !item->family && item->kind == FLX_KIND_CONTROL && n == 1) {
        flx_operand list;
        double k = 0.0;
        FLX_TRY(flx_control_value(e, item, loc, &list));
        bool one = list.kind == FLX_OPERAND_NUMBER && args[0].kind == FLX_OPERAND_NUMBER;
        if (one && flx_build_constant(e->b, args[0].node, loc, &k) && k == 1.0) {
            *out = list; // of one joint
            return FLX_OK;
        }
        return index_list(e, &list, &args[0], loc, out);
    }
    if (!item || !item->family) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc, "'%s' is not repeated and takes no index",
                        item ? item->full : "this");
    }
    int k = 0;
    while (k < n && item->family) FLX_TRY(index_family(e, item, &args[k++], loc, &item));
    FLX_TRY(flx_item_value(e, item, loc, out));
    if (k < n && item->kind == FLX_KIND_PATH) {
        return flx_path_index(e, item, n - k, args + k, loc, out);
    }
    while (k < n) {
        flx_operand list = *out;
        FLX_TRY(index_list(e, &list, &args[k++], loc, out));
    }
    return FLX_OK;
}
