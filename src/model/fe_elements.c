// fe_elements.c - what the block `fe` says about elements: materials, sections, families, regions.
#include "model/fe_parts.h"

#include <math.h>

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

static flx_status read_material(flx_fe_maker *m, const flx_yaml *y, int *material)
{
    flx_material a = {.name = "", .loc = y->loc, .nu = 0.3};
    const flx_yaml *E = flx_yaml_get(y, "E"), *nu = flx_yaml_get(y, "nu"),
                   *density = flx_yaml_get(y, "density");
    FLX_TRY(flx_build_positive(m->e, E, "Young's modulus", &a.E));
    FLX_TRY(flx_build_number(m->e, density, &a.density));
    if (nu) FLX_TRY(flx_build_number(m->e, nu, &a.nu));
    if (!(a.density >= 0)) {
        return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, density->loc, "the density is negative: %g",
                        a.density);
    }
    if (nu && !(a.nu > -1 && a.nu < 0.5)) {
        return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, nu->loc,
                        "Poisson's ratio is %g: it lies between -1 and 0.5", a.nu);
    }
    warn_of_units(m, &a);
    *material = m->s->nmaterial;
    return flx_structure_add_material(m->s, &a);
}

// One number for both, or two; positive.
static flx_status read_pair(flx_fe_maker *m, const flx_yaml *y, const char *what, double out[2])
{
    int n = 0;
    double *v;
    if (!y) return FLX_OK;
    FLX_TRY(flx_build_numbers(m->e, y, &n, &v));
    out[0] = v[0];
    out[1] = v[n - 1];
    if (out[0] > 0 && out[1] > 0) return FLX_OK;
    return FLX_FAIL(m->b->ctx, FLX_ERR_MODEL, y->loc, "%s must be positive", what);
}

static flx_status read_stiffnesses(flx_fe_maker *m, const flx_yaml *y, flx_section *c)
{
    double EI[2] = {0, 0}, GA[2] = {0, 0};
    const flx_yaml *GJ = flx_yaml_get(y, "GJ"), *mass = flx_yaml_get(y, "mass");
    const flx_yaml *inertia = flx_yaml_get(y, "inertia");
    FLX_TRY(flx_build_positive(m->e, flx_yaml_get(y, "EA"), "EA", &c->EA));
    FLX_TRY(read_pair(m, flx_yaml_get(y, "EI"), "EI", EI));
    FLX_TRY(read_pair(m, flx_yaml_get(y, "GA"), "GA", GA));
    if (GJ) FLX_TRY(flx_build_positive(m->e, GJ, "GJ", &c->GJ));
    if (mass) FLX_TRY(flx_build_number(m->e, mass, &c->mass));
    if (inertia) {
        int n = 0;
        double *v;
        FLX_TRY(flx_build_numbers(m->e, inertia, &n, &v));
        for (int i = 0; i < 3; i++) c->inertia[i] = n == 3 ? v[i] : v[0];
        if (n == 1) c->inertia[0] = 2 * v[0];
    }
    c->EIy = EI[0];
    c->EIz = EI[1];
    c->GAy = GA[0];
    c->GAz = GA[1];
    c->shear = GA[0] > 0;
    c->rotary = inertia != NULL;
    return FLX_OK;
}

// nu: of the material, for the shear correction.
static flx_status read_section(flx_fe_maker *m, const flx_yaml *y, double nu, int *section)
{
    const flx_yaml *width = flx_yaml_get(y, "width"), *radius = flx_yaml_get(y, "radius");
    const flx_yaml *area = flx_yaml_get(y, "area"), *thickness = flx_yaml_get(y, "thickness");
    const flx_yaml *up = flx_yaml_get(y, "up");
    flx_section c = {.name = "", .sized = true};
    double a, b;
    if (width) {
        FLX_TRY(flx_build_positive(m->e, width, "the width", &a));
        FLX_TRY(flx_build_positive(m->e, flx_yaml_get(y, "height"), "the height", &b));
        c = flx_section_rectangle(a, b, nu);
    } else if (radius) {
        FLX_TRY(flx_build_positive(m->e, radius, "the radius", &a));
        c = flx_section_circle(a, nu);
    } else if (area) {
        FLX_TRY(flx_build_positive(m->e, area, "the area", &c.A));
    } else if (thickness) {
        FLX_TRY(flx_build_positive(m->e, thickness, "the thickness", &c.thickness));
    } else {
        c.sized = false;
        FLX_TRY(read_stiffnesses(m, y, &c));
    }
    c.name = "";
    c.loc = y->loc;
    if (up) {
        FLX_TRY(flx_build_vector(m->e, up, c.up));
        c.has_up = true;
    }
    *section = m->s->nsection;
    return flx_structure_add_section(m->s, &c);
}

flx_status flx_fe_read_data(flx_fe_maker *m, const flx_yaml *y, flx_element_data *d)
{
    static const char *const theories[] = {"timoshenko", "euler-bernoulli", NULL};
    const flx_yaml *material = flx_yaml_get(y, "material"), *section = flx_yaml_get(y, "section");
    const flx_yaml *theory = flx_yaml_get(y, "theory"), *type = flx_yaml_get(y, "type");
    const flx_yaml *rotary = flx_yaml_get(y, "rotary_inertia");
    int slender = 0;
    *d = (flx_element_data){.material = -1, .section = -1, .family = -1};
    const flx_yaml *modes = flx_yaml_get(y, "incompatible_modes");
    if (modes) FLX_TRY(flx_build_flag(m->b, modes, "incompatible_modes", &d->incompatible));
    d->says_so = modes != NULL;
    if (material) FLX_TRY(read_material(m, material, &d->material));
    double nu = d->material >= 0 ? m->s->materials[d->material].nu : 0.3;
    if (section) FLX_TRY(read_section(m, section, nu, &d->section));
    if (type) FLX_TRY(flx_build_word(m->b, type, "type", flx_family_words, &d->family));
    if (theory) FLX_TRY(flx_build_word(m->b, theory, "theory", theories, &slender));
    if (!section) return FLX_OK;
    flx_section *c = m->s->sections + d->section;
    if (slender && c->sized) c->shear = c->rotary = false;
    if (slender) c->shear = false;
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
    if (d->says_so && linear && (own || !e->incompatible)) e->incompatible = d->incompatible;
    if (d->material >= 0 && (own || e->material < 0)) e->material = d->material;
    if (d->section >= 0 && (own || e->section < 0)) e->section = d->section;
}

static flx_status read_region(flx_fe_maker *m, const flx_yaml *y)
{
    flx_element_data d;
    const flx_yaml *on = flx_yaml_get(y, "on");
    FLX_TRY(flx_fe_read_data(m, y, &d));
    bool list = on->kind == FLX_YAML_LIST;
    for (int k = 0; k < (list ? on->count : 1); k++) {
        const flx_yaml *name = list ? on->items[k] : on;
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

// What is not said is decided by the shapes of the highest dimension.
flx_status flx_fe_settle_elements(flx_fe_maker *m)
{
    flx_element_data d;
    int highest = 0, known = 0;
    const flx_yaml *regions = flx_yaml_get(m->fe, "regions");
    for (int i = 0; i < m->s->nelement; i++) {
        int k = flx_cells[m->s->elements[i].cell].dimension;
        known += m->s->elements[i].family != FLX_FAMILY_NONE;
        if (k > highest) highest = k;
    }
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
