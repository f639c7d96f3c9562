// block_fe_elements.c - what the block `fe` says about elements: materials, sections, families, regions.
#include "language/fe/block_fe_parts.h"
#include "language/flexible/section_along.h"
#include "language/flexible/section_read.h"
#include "math/quadrature.h"
#include "math/small.h"

#include <math.h>
#include <string.h>

// ---- materials and sections ---------------------------------------------------------------------

static void warn_of_units(const flx_fe_maker *m, const flx_material *a)
{
    double speed = sqrt(a->E / a->density);
    if (!(a->density > 0) || (speed > 10 && speed < 3e4)) return;
    flx_ctx_warn(
        m->b->ctx, a->loc,
        "sound would travel at %.3g m/s in this material: E is expected in Pa, the density "
        "in kg/m^3",
        speed);
}

static flx_status read_material(flx_fe_maker *m, const flx_entry *y, int *material)
{
    flx_material a;
    FLX_TRY(flx_material_read(m->e, y, &a));
    warn_of_units(m, &a);
    *material = m->s->nmaterial;
    return flx_structure_add_material(m->s, &a);
}

static flx_status read_section(flx_fe_maker *m, const flx_entry *y, int material, int *section)
{
    flx_section c;
    flx_env here = *m->e;
    flx_local s;
    here.scope.user = &here;
    if (flx_entry_is_along(y)) {
        if (!flx_entry_get(m->fe, "line")) {
            return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, y->loc,
                            "'s' is the place along a line, and a mesh is none: give regions a "
                            "section each");
        }
        FLX_TRY(flx_env_along(m->e, y, 0.5, &s, &here));
    }
    FLX_TRY(flx_section_read(&here, y, material >= 0 ? m->s->materials + material : NULL, &c));
    if (c.coupled) {
        return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, flx_entry_get(y, "stiffness")->loc,
                        "a section whose stiffnesses are coupled needs 'type: beam' with "
                        "'formulation: geometrically-exact'");
    }
    *section = m->s->nsection;
    return flx_structure_add_section(m->s, &c);
}

// The section of one element of a line, at s from a to b.
static flx_status vary_element(flx_fe_maker *m, const flx_entry *y, flx_element *e, double a,
                               double b)
{
    const flx_material *material = e->material >= 0 ? m->s->materials + e->material : NULL;
    flx_section base = m->s->sections[e->section], all[FLX_SECTION_POINTS + 1];
    flx_section *along = flx_arena_take(m->b->m->arena, FLX_SECTION_POINTS, sizeof *along);
    double x[FLX_SECTION_POINTS + 1], w[FLX_SECTION_POINTS];
    if (!along) return FLX_ERR_MEMORY;
    flx_quadrature_gauss(FLX_SECTION_POINTS, x, w);
    x[FLX_SECTION_POINTS] = 0.5;
    for (int k = 0; k <= FLX_SECTION_POINTS; k++) {
        flx_local s;
        flx_env here;
        FLX_TRY(flx_env_along(m->e, y, a + (b - a) * x[k], &s, &here));
        FLX_TRY(flx_section_read(&here, y, material, all + k));
        all[k].shear = base.shear;
        all[k].rotary = base.rotary;
    }
    memcpy(along, all, FLX_SECTION_POINTS * sizeof *along);
    all[FLX_SECTION_POINTS].along = along;
    e->section = m->s->nsection;
    return flx_structure_add_section(m->s, all + FLX_SECTION_POINTS);
}

flx_status flx_fe_vary_line(flx_fe_maker *m)
{
    const flx_entry *y = flx_entry_get(m->fe, "section");
    double whole = 0, length = 0;
    if (!flx_entry_is_along(y)) return FLX_OK;
    for (int round = 0; round < 2; round++, whole = length, length = 0) {
        for (int i = 0; i < m->s->nelement; i++) {
            flx_element *e = m->s->elements + i;
            const int *nodes = flx_element_nodes(m->s, i);
            v3 d = v3_sub(v3_load(m->s->x + 3 * (size_t)nodes[1]),
                          v3_load(m->s->x + 3 * (size_t)nodes[0]));
            double from = length;
            length += v3_norm(d);
            if (round == 0) continue;
            if (e->family == FLX_FAMILY_TRUSS) {
                return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, y->loc,
                                "bars that carry no moment have the same section all along");
            }
            FLX_TRY(vary_element(m, y, e, from / whole, length / whole));
        }
    }
    return FLX_OK;
}

flx_status flx_fe_read_data(flx_fe_maker *m, const flx_entry *y, flx_element_data *d)
{
    static const char *const theories[] = {"timoshenko", "euler-bernoulli", NULL};
    const flx_entry *material = flx_entry_get(y, "material"),
                    *section = flx_entry_get(y, "section");
    const flx_entry *theory = flx_entry_get(y, "theory"), *type = flx_entry_get(y, "type");
    const flx_entry *rotary = flx_entry_get(y, "rotary_inertia");
    int slender = 0;
    *d = (flx_element_data){.material = -1, .section = -1, .family = -1};
    const flx_entry *modes = flx_entry_get(y, "incompatible_modes");
    if (modes) FLX_TRY(flx_build_flag(m->b, modes, "incompatible_modes", &d->incompatible));
    d->says_so = modes != NULL;
    if (material) FLX_TRY(read_material(m, material, &d->material));
    if (section) FLX_TRY(read_section(m, section, d->material, &d->section));
    if (type) FLX_TRY(flx_build_word(m->b, type, "type", flx_family_words, &d->family));
    if (theory) FLX_TRY(flx_build_word(m->b, theory, "theory", theories, &slender));
    if (!section) return FLX_OK;
    flx_section *c = m->s->sections + d->section;
    if (slender) c->shear = false, c->rotary = !c->sized && c->own_inertia;
    if (rotary) FLX_TRY(flx_build_flag(m->b, rotary, "rotary_inertia", &c->rotary));
    return FLX_OK;
}

// ---- elements -----------------------------------------------------------------------------------

static bool fits(flx_family family, flx_cell cell)
{
    int d = flx_cells[cell].dimension;
    switch (family) {
    case FLX_FAMILY_SOLID:
        return d == 3;
    case FLX_FAMILY_PLANE_STRESS:
    case FLX_FAMILY_PLANE_STRAIN:
        return d == 2;
    case FLX_FAMILY_BEAM:
    case FLX_FAMILY_TRUSS:
        return d == 1;
    case FLX_FAMILY_NONE:
    case FLX_FAMILY_COUNT:
        break;
    }
    return false;
}

static flx_family usual_family(int dimension)
{
    return dimension == 3   ? FLX_FAMILY_SOLID
           : dimension == 2 ? FLX_FAMILY_PLANE_STRESS
                            : FLX_FAMILY_BEAM;
}

static void give(flx_element *e, const flx_element_data *d, bool own)
{
    bool linear = e->cell == FLX_CELL_QUAD4 || e->cell == FLX_CELL_HEX8;
    if (d->says_so && linear && own) e->incompatible = d->incompatible;
    if (d->material >= 0 && (own || e->material < 0)) e->material = d->material;
    if (d->section >= 0 && (own || e->section < 0)) e->section = d->section;
}

static flx_status read_region(flx_fe_maker *m, const flx_entry *y)
{
    flx_element_data d;
    const flx_entry *on = flx_entry_get(y, "on");
    FLX_TRY(flx_fe_read_data(m, y, &d));
    bool list = on->kind == FLX_ENTRY_LIST;
    for (int k = 0; k < (list ? on->count : 1); k++) {
        const flx_entry *name = list ? on->items[k] : on;
        const flx_mesh_set *set = flx_structure_find_set(m->s, name->text);
        if (!set || set->nelement == 0) return flx_fe_refuse_set(m, name, "elements");
        for (int i = 0; i < set->nelement; i++) {
            flx_element *e = m->s->elements + set->elements[i];
            if (d.family > 0 && !fits((flx_family)d.family, e->cell)) {
                return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, name->loc,
                                "'%s' has element %d, a %s: it cannot be a %s", name->text,
                                e->label, flx_cells[e->cell].word, flx_family_words[d.family]);
            }
            if (d.family > 0) e->family = (flx_family)d.family;
            if (e->family == FLX_FAMILY_NONE)
                e->family = usual_family(flx_cells[e->cell].dimension);
            give(e, &d, true);
        }
    }
    return FLX_OK;
}

// What the block says of incompatible modes stands against the file, and what a region says against both.
static flx_status set_modes(flx_fe_maker *m)
{
    const flx_entry *y = flx_entry_get(m->fe, "incompatible_modes");
    bool modes = false;
    if (!y) return FLX_OK;
    FLX_TRY(flx_build_flag(m->b, y, "incompatible_modes", &modes));
    for (int i = 0; i < m->s->nelement; i++) {
        flx_element *e = m->s->elements + i;
        if (e->cell == FLX_CELL_QUAD4 || e->cell == FLX_CELL_HEX8) e->incompatible = modes;
    }
    return FLX_OK;
}

// What is not said is decided by the shapes of the highest dimension.
flx_status flx_fe_settle_elements(flx_fe_maker *m)
{
    flx_element_data d;
    int highest = 0, known = 0;
    const flx_entry *regions = flx_entry_get(m->fe, "regions");
    for (int i = 0; i < m->s->nelement; i++) {
        int k = flx_cells[m->s->elements[i].cell].dimension;
        known += m->s->elements[i].family != FLX_FAMILY_NONE;
        if (k > highest) highest = k;
    }
    FLX_TRY(set_modes(m));
    for (int i = 0; regions && i < regions->count; i++) FLX_TRY(read_region(m, regions->items[i]));
    FLX_TRY(flx_fe_read_data(m, m->fe, &d));
    flx_family family = d.family > 0 ? (flx_family)d.family : usual_family(highest);
    for (int i = 0; i < m->s->nelement; i++) {
        flx_element *e = m->s->elements + i;
        if (e->family == FLX_FAMILY_NONE && known == 0 && fits(family, e->cell)) e->family = family;
        if (e->family != FLX_FAMILY_NONE) give(e, &d, false);
    }
    return FLX_OK;
}
