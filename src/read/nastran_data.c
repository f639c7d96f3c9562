// nastran_data.c - nodes, materials and properties of Nastran's bulk data.
#include "read/nastran_parts.h"

#include <stdio.h>
#include <strings.h>

flx_status flx_nastran_grid(flx_nastran *r)
{
    int label;
    double x[3] = {0, 0, 0};
    FLX_TRY(flx_nastran_int(r, 1, "a node's number", &label));
    if (!flx_nastran_is_empty(r, 2) && !(r->f[2].length == 1 && r->f[2].text[0] == '0')) {
        return REFUSE(r, "GRID %d is in a coordinate system of its own: give basic coordinates",
                      label);
    }
    for (int c = 0; c < 3; c++) FLX_TRY(flx_nastran_number(r, 3 + c, "a coordinate", &x[c]));
    return flx_structure_add_node(r->s, label, r->line, x);
}

flx_status flx_nastran_material(flx_nastran *r)
{
    int id;
    double E = 0, G = 0, nu = -1, density = 0;
    char name[32];
    FLX_TRY(flx_nastran_int(r, 1, "a material's number", &id));
    FLX_TRY(flx_nastran_number(r, 2, "Young's modulus", &E));
    FLX_TRY(flx_nastran_number(r, 3, "the shear modulus", &G));
    FLX_TRY(flx_nastran_number(r, 4, "Poisson's ratio", &nu));
    FLX_TRY(flx_nastran_number(r, 5, "a density", &density));
    if (nu < 0) nu = G > 0 ? E / (2 * G) - 1 : 0.3;
    snprintf(name, sizeof name, "MAT1 %d", id);
    const flx_material m = {flx_intern(r->scan->ctx, name), flx_nastran_place(r), E, nu, density};
    if (!m.name) return FLX_ERR_MEMORY;
    GROW(r, r->materials, r->material_capacity, r->nmaterial + 1);
    r->materials[r->nmaterial++] = (flx_nastran_number_of){id, r->s->nmaterial};
    return flx_structure_add_material(r->s, &m);
}

flx_status flx_nastran_add_property(flx_nastran *r, int id, int material, const flx_section *c,
                                    double k)
{
    GROW(r, r->properties, r->property_capacity, r->nproperty + 1);
    r->properties[r->nproperty++] =
        (flx_nastran_property){id, material, c ? r->s->nsection : -1, k, r->line};
    return c ? flx_structure_add_section(r->s, c) : FLX_OK;
}

static flx_status read_bar_property(flx_nastran *r, int id, int material)
{
    flx_section c = {.name = "", .loc = flx_nastran_place(r), .sized = true, .rotary = true};
    double k[2] = {0, 0};
    FLX_TRY(flx_nastran_number(r, 3, "an area", &c.A));
    FLX_TRY(
        flx_nastran_number(r, 4, "a second moment", &c.Iz)); // I1: bending in the plane 1, about z
    FLX_TRY(flx_nastran_number(r, 5, "a second moment", &c.Iy));
    FLX_TRY(flx_nastran_number(r, 6, "a torsion constant", &c.J));
    FLX_TRY(flx_nastran_number(r, 17, "a shear factor", &k[0]));
    FLX_TRY(flx_nastran_number(r, 18, "a shear factor", &k[1]));
    c.ky = k[0];
    c.kz = k[1];
    c.shear = k[0] > 0 || k[1] > 0;
    return flx_nastran_add_property(r, id, material, &c, 0);
}

// ROD: radius; BAR: width along z, height along y, as PBARL's DIM1 and DIM2.
static flx_status read_shaped_bar(flx_nastran *r, int id, int material)
{
    double d[2] = {0, 0};
    bool round = r->n > 4 && r->f[4].length == 3 && strncasecmp(r->f[4].text, "ROD", 3) == 0;
    bool bar = r->n > 4 && r->f[4].length == 3 && strncasecmp(r->f[4].text, "BAR", 3) == 0;
    if (!round && !bar) return REFUSE(r, "PBARL %d: the sections ROD and BAR are known", id);
    FLX_TRY(flx_nastran_number(r, 9, "a size of the section", &d[0]));
    FLX_TRY(flx_nastran_number(r, 10, "a size of the section", &d[1]));
    if (!(d[0] > 0) || (bar && !(d[1] > 0))) return REFUSE(r, "PBARL %d has no sizes", id);
    flx_section c = round ? flx_section_circle(d[0], 0.3) : flx_section_rectangle(d[0], d[1], 0.3);
    c.loc = flx_nastran_place(r);
    return flx_nastran_add_property(r, id, material, &c, 0);
}

flx_status flx_nastran_read_property(flx_nastran *r)
{
    int id, material = -1;
    double k = 0;
    flx_section c = {.name = "", .loc = flx_nastran_place(r), .sized = true};
    FLX_TRY(flx_nastran_int(r, 1, "a property's number", &id));
    if (flx_nastran_is(r, "PELAS")) {
        FLX_TRY(flx_nastran_number(r, 2, "a stiffness", &k));
        return flx_nastran_add_property(r, id, -1, NULL, k);
    }
    FLX_TRY(flx_nastran_int(r, 2, "a material's number", &material));
    if (flx_nastran_is(r, "PSOLID")) return flx_nastran_add_property(r, id, material, NULL, 0);
    if (flx_nastran_is(r, "PBAR")) return read_bar_property(r, id, material);
    if (flx_nastran_is(r, "PBARL")) return read_shaped_bar(r, id, material);
    if (flx_nastran_is(r, "PROD")) {
        FLX_TRY(flx_nastran_number(r, 3, "an area", &c.A));
    } else {
        FLX_TRY(flx_nastran_number(r, 3, "a thickness", &c.thickness));
    }
    return flx_nastran_add_property(r, id, material, &c, 0);
}
