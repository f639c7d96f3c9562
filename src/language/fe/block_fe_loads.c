// block_fe_loads.c - supports and loads of the block `fe`.
#include "language/fe/block_fe_parts.h"

#include <math.h>
#include <string.h>

// ---- supports and loads -------------------------------------------------------------------------

static flx_status make_unit(const flx_fe_maker *m, const flx_entry *y, double v[3])
{
    double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!(size > 0)) {
        return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, y->loc, "this direction has no length");
    }
    for (int c = 0; c < 3; c++) v[c] /= size;
    return FLX_OK;
}

static flx_status add_support(flx_fe_maker *m, int node, void *user)
{
    flx_support *p = user;
    p->node = node;
    return flx_structure_add_support(m->s, p);
}

flx_status flx_fe_read_support(flx_fe_maker *m, const flx_entry *y)
{
    flx_support p = {.loc = y->loc};
    const flx_entry *value = flx_entry_get(y, "value"), *along = flx_entry_get(y, "along");
    FLX_TRY(flx_fe_read_components(m, flx_entry_get(y, "components"), &p.mask));
    if (along) {
        p.mask = 1;
        p.turned = true;
        FLX_TRY(flx_build_vector(m->e, along, p.axes));
        FLX_TRY(make_unit(m, along, p.axes));
    }
    if (value) FLX_TRY(flx_build_number(m->e, value, &p.value[0]));
    for (int c = 1; c < 6; c++) p.value[c] = p.value[0];
    return flx_fe_for_nodes(m, flx_entry_get(y, "on"), add_support, &p);
}

static flx_status add_load(flx_fe_maker *m, int node, void *user)
{
    flx_nodal_load *l = user;
    l->node = node;
    return flx_structure_add_load(m->s, l);
}

static flx_status press_set(flx_fe_maker *m, const flx_entry *name, flx_pressure *p)
{
    const flx_mesh_set *set = flx_structure_find_set(m->s, name->text);
    int count = 0, faces = m->s->dimension - 1;
    for (int i = 0; set && i < set->nelement; i++) {
        const flx_element *e = m->s->elements + set->elements[i];
        if (e->family != FLX_FAMILY_NONE || flx_cells[e->cell].dimension != faces) continue;
        p->element = set->elements[i];
        count++;
        FLX_TRY(flx_structure_add_pressure(m->s, p));
    }
    if (count > 0) return FLX_OK;
    return flx_fe_refuse_set(m, name, faces == 2 ? "faces" : "edges");
}

// The number of a load's factor among those of the model; 0: it has none.
static flx_status read_history(flx_fe_maker *m, const flx_entry *factor, int *number)
{
    flx_builder *b = m->b;
    flx_fe_block *block = &b->m->fe;
    flx_env at;
    *number = 0;
    if (!factor) return FLX_OK;
    if (m->fe->loc.trail != block->loc.trail) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, factor->loc,
                        "the loads of a body's 'fe' do not act: use 'forces' of the model");
    }
    flx_env_init(&at, b, b->top, NULL, FLX_MODE_TIME);
    const flx_entry *loads = flx_entry_get(m->fe, "loads");
    if (!block->histories) {
        block->histories =
            flx_arena_take(b->m->arena, (size_t)loads->count, sizeof *block->histories);
        if (!block->histories) return FLX_ERR_MEMORY;
    }
    FLX_TRY(flx_build_node(&at, factor, block->histories + block->nhistory));
    *number = ++block->nhistory;
    return FLX_OK;
}

// Beams and trusses of a set.
static flx_status load_line(flx_fe_maker *m, const flx_entry *name, flx_line_load *l)
{
    const flx_mesh_set *set = flx_structure_find_set(m->s, name->text);
    int count = 0;
    for (int i = 0; set && i < set->nelement; i++) {
        const flx_element *e = m->s->elements + set->elements[i];
        if (e->family != FLX_FAMILY_BEAM && e->family != FLX_FAMILY_TRUSS) continue;
        l->element = set->elements[i];
        count++;
        FLX_TRY(flx_structure_add_line_load(m->s, l));
    }
    return count > 0 ? FLX_OK : flx_fe_refuse_set(m, name, "beams");
}

// The square of a speed about an axis; of a set of elements, or of everything.
static flx_status spin(flx_fe_maker *m, const flx_entry *name, flx_body_load *b)
{
    const flx_mesh_set *set = name ? flx_structure_find_set(m->s, name->text) : NULL;
    if (name && (!set || set->nelement == 0)) return flx_fe_refuse_set(m, name, "elements");
    b->set = name ? (int)(set - m->s->sets) : -1;
    return flx_structure_add_body_load(m->s, b);
}

static flx_status read_spin(flx_fe_maker *m, const flx_entry *y)
{
    const flx_entry *axis = flx_entry_get(y, "axis"), *at = flx_entry_get(y, "at");
    const flx_entry *on = flx_entry_get(y, "on");
    flx_body_load b = {.axis = {0, 0, 1}};
    double speed = 0;
    FLX_TRY(flx_build_number(m->e, flx_entry_get(y, "value"), &speed));
    b.speed2 = speed * speed;
    if (axis) {
        FLX_TRY(flx_build_vector(m->e, axis, b.axis));
        FLX_TRY(make_unit(m, axis, b.axis));
    }
    if (at) FLX_TRY(flx_build_vector(m->e, at, b.centre));
    if (!on || on->kind != FLX_ENTRY_LIST) return spin(m, on, &b);
    for (int i = 0; i < on->count; i++) FLX_TRY(spin(m, on->items[i], &b));
    return FLX_OK;
}

flx_status flx_fe_read_load(flx_fe_maker *m, const flx_entry *y)
{
    static const char *const words[] = {"force", "moment",      "pressure", "traction",
                                        "line",  "centrifugal", NULL};
    const flx_entry *value = flx_entry_get(y, "value"), *on = flx_entry_get(y, "on");
    int kind = 0, history = 0;
    double v[3] = {0, 0, 0};
    FLX_TRY(flx_build_word(m->b, flx_entry_get(y, "type"), "type", words, &kind));
    if (kind == 5) return read_spin(m, y);
    FLX_TRY(read_history(m, flx_entry_get(y, "factor"), &history));
    bool number = kind == 2 || (kind == 1 && m->s->dimension == 2);
    if (number) {
        FLX_TRY(flx_build_number(m->e, value, &v[kind == 1 ? 2 : 0]));
    } else {
        FLX_TRY(flx_build_vector(m->e, value, v));
    }
    if (kind < 2) {
        flx_nodal_load l = {.history = history};
        memcpy(l.force + 3 * kind, v, sizeof v);
        return flx_fe_for_nodes(m, on, add_load, &l);
    }
    flx_pressure p = {
        .value = v[0], .traction = kind == 3, .vector = {v[0], v[1], v[2]}, .history = history};
    flx_line_load l = {.force = {v[0], v[1], v[2]}, .history = history};
    bool list = on->kind == FLX_ENTRY_LIST;
    for (int i = 0; i < (list ? on->count : 1); i++) {
        const flx_entry *name = list ? on->items[i] : on;
        FLX_TRY(kind == 4 ? load_line(m, name, &l) : press_set(m, name, &p));
    }
    return FLX_OK;
}
