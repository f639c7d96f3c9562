// abaqus_data.c - materials and sections of Abaqus' input. Sections are settled when the whole file is read:
// their materials may come after them.
#include "read/abaqus/abaqus_parts.h"

#include <math.h>
#include <string.h>

// ---- materials ----------------------------------------------------------------------------------

flx_status flx_abaqus_material(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    const flx_abaqus_field *name;
    FLX_TRY(flx_abaqus_need(r, k, "NAME", &name));
    flx_material m = {.name = flx_abaqus_name(r, *name), .loc = flx_structure_loc(r->s, k->line)};
    if (!m.name) return FLX_ERR_MEMORY;
    r->material = r->s->nmaterial;
    FLX_TRY(flx_structure_add_material(r->s, &m));
    return flx_abaqus_pass(r);
}

flx_status flx_abaqus_property(flx_abaqus *r, const flx_abaqus_keyword *k, bool elastic)
{
    const flx_abaqus_field *type = flx_abaqus_option(k, "TYPE");
    flx_abaqus_fields f;
    double value[2] = {0, 0};
    if (r->material < 0) {
        return ABAQUS_FAIL(r, k->line, "*%.*s comes before *MATERIAL", k->name.length,
                           k->name.text);
    }
    if (elastic && type && !flx_abaqus_is(*type, "ISO") && !flx_abaqus_is(*type, "ISOTROPIC")) {
        return ABAQUS_FAIL(r, k->line, "*ELASTIC, TYPE=%.*s: materials are isotropic here",
                           type->length, type->text);
    }
    if (!flx_abaqus_next_data(r)) {
        return ABAQUS_FAIL(r, k->line, "*%.*s has no numbers", k->name.length, k->name.text);
    }
    flx_abaqus_split(r, &f);
    for (int i = 0; i < (elastic ? 2 : 1); i++) {
        FLX_TRY(flx_abaqus_number(
            r, &f, i, elastic ? "Young's modulus and Poisson's ratio" : "a density", &value[i]));
    }
    flx_material *m = r->s->materials + r->material;
    if (elastic) {
        m->E = value[0];
        m->nu = value[1];
    } else {
        m->density = value[0];
    }
    return flx_abaqus_pass(r); // values at other temperatures
}

// ---- sections -----------------------------------------------------------------------------------

static const struct {
    const char *word;
    int sizes;
} profiles[FLX_PROFILE_COUNT] = {
    [FLX_PROFILE_SOLID] = {"", 1},         [FLX_PROFILE_RECT] = {"RECT", 2},
    [FLX_PROFILE_CIRC] = {"CIRC", 1},      [FLX_PROFILE_PIPE] = {"PIPE", 2},
    [FLX_PROFILE_BOX] = {"BOX", 6},        [FLX_PROFILE_I] = {"I", 7},
    [FLX_PROFILE_GENERAL] = {"GENERAL", 5}};

static flx_status find_profile(const flx_abaqus *r, const flx_abaqus_keyword *k,
                               flx_abaqus_profile *profile)
{
    const flx_abaqus_field *kind = flx_abaqus_option(k, "SECTION");
    bool general = flx_abaqus_is(k->name, "BEAM GENERAL SECTION");
    *profile = general ? FLX_PROFILE_GENERAL : FLX_PROFILE_SOLID;
    if (flx_abaqus_is(k->name, "SOLID SECTION") || (general && !kind)) return FLX_OK;
    for (int i = FLX_PROFILE_RECT; kind && i < FLX_PROFILE_COUNT; i++) {
        if (!flx_abaqus_is(*kind, profiles[i].word)) continue;
        *profile = (flx_abaqus_profile)i;
        if (general == (i == FLX_PROFILE_GENERAL)) return FLX_OK;
    }
    return ABAQUS_FAIL(r, k->line,
                       general ? "*BEAM GENERAL SECTION is of SECTION=GENERAL here"
                               : "beam sections are RECT, CIRC, PIPE, BOX or I here");
}

// Sizes, then the first direction of the section's axes, then (of a general one) E and G.
static flx_status read_sizes(flx_abaqus *r, const flx_abaqus_keyword *k, flx_abaqus_section *c)
{
    int n = 0, need = profiles[c->profile].sizes;
    bool data = flx_abaqus_next_data(r);
    c->size[0] = 1; // of a solid section without data
    if (data) FLX_TRY(flx_abaqus_numbers(r, 8, "a size of the section", c->size, &n));
    if (c->profile == FLX_PROFILE_SOLID ? (data && !(c->size[0] > 0)) : n < need) {
        return ABAQUS_FAIL(r, data ? r->number : k->line, "*%.*s needs %d size%s above zero",
                           k->name.length, k->name.text, need, need > 1 ? "s" : "");
    }
    for (int i = 0; i < need && c->profile != FLX_PROFILE_SOLID; i++) {
        bool free = c->profile == FLX_PROFILE_GENERAL || (c->profile == FLX_PROFILE_I && i == 0);
        if (!free && !(c->size[i] > 0)) {
            return ABAQUS_FAIL(r, r->number, "a size of the section is %g: it must be above zero",
                               c->size[i]);
        }
    }
    if (!data || !flx_abaqus_next_data(r)) return FLX_OK;
    if (c->profile == FLX_PROFILE_SOLID) return flx_abaqus_pass(r);
    FLX_TRY(flx_abaqus_numbers(r, 3, "the first axis of the section", c->up, &n));
    c->has_up = c->up[0] != 0 || c->up[1] != 0 || c->up[2] != 0;
    if (!flx_abaqus_next_data(r)) return FLX_OK;
    if (c->profile != FLX_PROFILE_GENERAL) return flx_abaqus_pass(r);
    FLX_TRY(flx_abaqus_numbers(r, 2, "E and G", c->given, &n));
    return flx_abaqus_pass(r);
}

flx_status flx_abaqus_section_read(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    const flx_abaqus_field *name, *material, *density = flx_abaqus_option(k, "DENSITY");
    flx_abaqus_section c = {.line = k->line, .material = ""};
    char buffer[64];
    FLX_TRY(flx_abaqus_need(r, k, "ELSET", &name));
    FLX_TRY(find_profile(r, k, &c.profile));
    if (c.profile != FLX_PROFILE_GENERAL) {
        FLX_TRY(flx_abaqus_need(r, k, "MATERIAL", &material));
        if (!(c.material = flx_abaqus_name(r, *material))) return FLX_ERR_MEMORY;
    }
    if (density && !flx_text_number(density->text, density->length, &c.given[2])) {
        return ABAQUS_FAIL(r, k->line, "DENSITY= needs a number");
    }
    c.set = flx_abaqus_find_set(r, *name);
    if (c.set < 0) {
        return ABAQUS_FAIL(r, k->line, "no set is named '%s'",
                           flx_text_quote(name->text, name->length, buffer));
    }
    FLX_TRY(read_sizes(r, k, &c));
    const double *turn = r->scopes[r->scope].turn;
    double up[3];
    for (int i = 0; i < 3; i++) {
        up[i] = turn[3 * i] * c.up[0] + turn[3 * i + 1] * c.up[1] + turn[3 * i + 2] * c.up[2];
    }
    if (r->scope > 0) memcpy(c.up, up, sizeof up);
    FLX_SCAN_GROW(r, r->sections, r->section_capacity, r->nsection + 1);
    r->sections[r->nsection++] = c;
    return FLX_OK;
}

// ---- at the end ---------------------------------------------------------------------------------

static int find_material(const flx_abaqus *r, const char *name)
{
    for (int i = r->s->nmaterial - 1; i >= 0; i--) {
        flx_abaqus_field f = {name, (int)strlen(name)};
        if (flx_abaqus_is(f, r->s->materials[i].name)) return i;
    }
    return -1;
}

// The first axis of Abaqus is our y, the second our z. In the plane it points out of it: there sizes
// along the second are those along our y.
static flx_section make_section(const flx_abaqus *r, const flx_abaqus_section *c, double nu)
{
    const double *v = c->size;
    int a = r->plane ? 0 : 1, b = 1 - a; // along our z, along our y
    switch (c->profile) {
    case FLX_PROFILE_RECT:
        return flx_section_rectangle(v[a], v[b], nu);
    case FLX_PROFILE_CIRC:
        return flx_section_circle(v[0], nu);
    case FLX_PROFILE_PIPE:
        return flx_section_tube(v[0], v[0] - v[1], nu);
    case FLX_PROFILE_BOX: { // walls: t1 right, t2 top, t3 left, t4 bottom, seen with the first axis to the right
        double wall[2] = {(v[2] + v[4]) / 2,
                          (v[3] + v[5]) / 2}; // across the first, the second axis
        return flx_section_box(v[a], v[b], wall[a], wall[b]);
    }
    case FLX_PROFILE_I: { // l, h, b1, b2, t1, t2, t3; its web is along the second axis
        flx_section s = flx_section_profile(v[1], v + 2, v + 4, v[6]);
        if (r->plane) return s;
        flx_section turned = s;
        turned.Iy = s.Iz;
        turned.Iz = s.Iy;
        turned.ky = s.kz;
        turned.kz = s.ky;
        return turned;
    }
    case FLX_PROFILE_GENERAL: { // A, I11, I12, I22, J
        double E = c->given[0], G = c->given[1];
        return (flx_section){.name = "",
                             .EA = E * v[0],
                             .EIy = E * v[r->plane ? 3 : 1],
                             .EIz = E * v[r->plane ? 1 : 3],
                             .GJ = G * v[4],
                             .mass = c->given[2] * v[0],
                             .inertia = {c->given[2] * (v[1] + v[3]), 0, 0}};
    }
    case FLX_PROFILE_SOLID:
    case FLX_PROFILE_COUNT:
        break;
    }
    return (flx_section){.name = "", .sized = true, .thickness = v[0], .A = v[0]};
}

static flx_status check_sizes(const flx_abaqus *r, const flx_abaqus_section *c)
{
    const double *v = c->size;
    bool fits = c->profile == FLX_PROFILE_PIPE  ? v[1] <= v[0]
                : c->profile == FLX_PROFILE_BOX ? v[2] + v[4] < v[0] && v[3] + v[5] < v[1]
                : c->profile == FLX_PROFILE_I   ? v[4] + v[5] < v[1]
                                                : true;
    if (!fits)
        return ABAQUS_FAIL(r, c->line, "the walls of this section are thicker than it is wide");
    if (c->profile == FLX_PROFILE_I) {
        double area[3] = {v[2] * v[4], v[6] * (v[1] - v[4] - v[5]), v[3] * v[5]};
        double at[3] = {v[4] / 2, (v[1] + v[4] - v[5]) / 2, v[1] - v[5] / 2};
        double centre =
            (area[0] * at[0] + area[1] * at[1] + area[2] * at[2]) / (area[0] + area[1] + area[2]);
        if (fabs(v[0] - centre) > 0.005 * v[1]) {
            return ABAQUS_FAIL(
                r, c->line,
                "the nodes are at %g of the height of this section, its centre at %g: "
                "beams beside their nodes are not read",
                v[0], centre);
        }
    }
    if (c->profile == FLX_PROFILE_GENERAL && !(fabs(v[2]) <= 1e-9 * (fabs(v[1]) + fabs(v[3])))) {
        return ABAQUS_FAIL(r, c->line, "I12 = %g: give the second moments about the principal axes",
                           v[2]);
    }
    return FLX_OK;
}

static flx_status add_section(flx_abaqus *r, const flx_section *made, bool slender, int *number)
{
    flx_section s = *made;
    if (slender) s.shear = s.rotary = false;
    *number = r->s->nsection;
    return flx_structure_add_section(r->s, &s);
}

static flx_status settle(flx_abaqus *r, const flx_abaqus_section *c)
{
    int own = c->material[0] ? find_material(r, c->material) : -1, number[2] = {-1, -1};
    if (c->material[0] && own < 0) {
        return ABAQUS_FAIL(r, c->line, "no material is named '%s'", c->material);
    }
    FLX_TRY(check_sizes(r, c));
    flx_section made = make_section(r, c, own >= 0 ? r->s->materials[own].nu : 0.3);
    made.loc = flx_structure_loc(r->s, c->line);
    const double down[3] = {0, 0, -1}; // Abaqus' first axis where none is given
    memcpy(made.up, c->has_up ? c->up : down, sizeof made.up);
    made.has_up = !r->plane && (c->has_up || made.Iy != made.Iz || made.EIy != made.EIz);
    for (int i = 0; i < r->s->sets[c->set].nelement; i++) {
        int at = r->s->sets[c->set].elements[i];
        flx_element *e = r->s->elements + at;
        if (e->family == FLX_FAMILY_NONE) continue;
        int slender = at < r->nmark && (r->mark[at] & SLENDER) != 0;
        if (number[slender] < 0) FLX_TRY(add_section(r, &made, slender, &number[slender]));
        e = r->s->elements + at;
        e->material = own;
        e->section = number[slender];
    }
    return FLX_OK;
}

void flx_abaqus_find_dimension(flx_abaqus *r)
{
    int highest = 0;
    flx_structure *s = r->s;
    for (int i = 0; i < r->nsection; i++) {
        const flx_mesh_set *set = s->sets + r->sections[i].set;
        for (int k = 0; k < set->nelement; k++) s->elements[set->elements[k]].section = 0;
    }
    for (int i = 0; i < s->nelement; i++) {
        int d = flx_cells[s->elements[i].cell].dimension;
        if (s->elements[i].family != FLX_FAMILY_NONE && d > highest) highest = d;
    }
    for (int i = 0; i < s->nelement; i++) {
        flx_element *e = s->elements + i;
        if (e->section < 0 && flx_cells[e->cell].dimension < highest) e->family = FLX_FAMILY_NONE;
        if (e->family == FLX_FAMILY_NONE) continue;
        *(i < r->nmark && r->mark[i] & PLANE ? &r->plane : &r->space) = true;
    }
}

flx_status flx_abaqus_settle_sections(flx_abaqus *r)
{
    for (int i = 0; i < r->nsection; i++) FLX_TRY(settle(r, r->sections + i));
    return FLX_OK;
}
