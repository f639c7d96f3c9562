// nastran_data.c - nodes, materials and properties of Nastran's bulk data.
#include "base/number.h"
#include "read/nastran/nastran_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- nodes --------------------------------------------------------------------------------------

// GRDSET, , CP, , , , CD, PS
flx_status flx_nastran_grid_default(flx_nastran *r)
{
    FLX_TRY(flx_nastran_id(r, 2, "a coordinate system", &r->grid_axes[0]));
    FLX_TRY(flx_nastran_id(r, 6, "a coordinate system", &r->grid_axes[1]));
    return flx_nastran_id(r, 7, "components", &r->grid_held);
}

// GRID, ID, CP, X1, X2, X3, CD, PS
flx_status flx_nastran_grid(flx_nastran *r)
{
    int label, of_place = r->grid_axes[0], of_motion = r->grid_axes[1], node = r->s->nnode;
    double x[3] = {0, 0, 0};
    FLX_TRY(flx_nastran_int(r, 1, "a node's number", &label));
    FLX_TRY(flx_nastran_id(r, 2, "a coordinate system", &of_place));
    FLX_TRY(flx_nastran_id(r, 6, "a coordinate system", &of_motion));
    for (int c = 0; c < 3; c++) FLX_TRY(flx_nastran_number(r, 3 + c, "a coordinate", &x[c]));
    FLX_TRY(flx_nastran_to_basic(r, of_place, x));
    FLX_TRY(flx_structure_add_node(r->s, label, r->line, x));
    if (of_motion == 0) return FLX_OK;
    if (of_motion < 0) return REFUSE(r, "GRID %d is a fluid node: there are none here", label);
    FLX_SCAN_GROW(r, r->displacement, r->ndisplacement, node + 1);
    r->displacement[node] = of_motion;
    return FLX_OK;
}

// ---- materials ----------------------------------------------------------------------------------

// Of E, G and nu two are given; Nastran takes nu 0 where only E is.
flx_status flx_nastran_material(flx_nastran *r)
{
    int id;
    double E = 0, G = 0, nu = 0, density = 0, loss = 0;
    char name[32];
    FLX_TRY(flx_nastran_int(r, 1, "a material's number", &id));
    FLX_TRY(flx_nastran_number(r, 2, "Young's modulus", &E));
    FLX_TRY(flx_nastran_number(r, 3, "the shear modulus", &G));
    FLX_TRY(flx_nastran_number(r, 4, "Poisson's ratio", &nu));
    FLX_TRY(flx_nastran_number(r, 5, "a density", &density));
    FLX_TRY(flx_nastran_number(r, 8, "a loss factor", &loss));
    if (loss < 0) return REFUSE(r, "the loss factor of material %d is negative", id);
    bool has_nu = !flx_nastran_is_empty(r, 4);
    if (!has_nu && G > 0 && E > 0) nu = E / (2 * G) - 1;
    if (E == 0 && G > 0 && has_nu) E = 2 * G * (1 + nu);
    if (has_nu && G > 0 && fabs(E / (2 * (1 + nu)) - G) > 0.01 * G) {
        flx_ctx_warn(r->scan->ctx, flx_nastran_place(r),
                     "MAT1 %d: G = %g is not E/(2 (1 + nu)) = %g, which is taken", id, G,
                     E / (2 * (1 + nu)));
    }
    flx_snprintf(name, sizeof name, "MAT1 %d", id);
    const flx_material m = {
        flx_intern(r->scan->ctx, name), flx_nastran_place(r), E, nu, density, loss};
    if (!m.name) return FLX_ERR_MEMORY;
    for (int i = 0; i < r->nmaterial; i++) {
        if (r->materials[i].id == id) return REFUSE(r, "material %d is there twice", id);
    }
    FLX_SCAN_GROW(r, r->materials, r->material_capacity, r->nmaterial + 1);
    r->materials[r->nmaterial++] = (flx_nastran_number_of){id, r->s->nmaterial};
    return flx_structure_add_material(r->s, &m);
}

// ---- properties ---------------------------------------------------------------------------------

const flx_nastran_property *flx_nastran_find_property(const flx_nastran *r, int id)
{
    for (int i = 0; i < r->nproperty; i++) {
        if (r->properties[i].id == id) return r->properties + i;
    }
    return NULL;
}

flx_status flx_nastran_add_property(flx_nastran *r, int id, int material, const flx_section *c,
                                    const double *k)
{
    flx_nastran_property p = {
        .id = id, .material = material, .section = c ? r->s->nsection : -1, .line = r->line};
    if (k) memcpy(p.stiffness, k, sizeof p.stiffness);
    if (flx_nastran_find_property(r, id)) return REFUSE(r, "property %d is there twice", id);
    FLX_SCAN_GROW(r, r->properties, r->property_capacity, r->nproperty + 1);
    r->properties[r->nproperty++] = p;
    return c ? flx_structure_add_section(r->s, c) : FLX_OK;
}

static void set_shear(flx_section *c, const double k[2])
{
    c->ky = k[0];
    c->kz = k[1];
    c->shear = k[0] > 0 || k[1] > 0;
}

// PBAR, PID, MID, A, I1, I2, J, NSM, , ..., and K1, K2, I12. I1: bending in the plane 1, about our z.
static flx_status read_bar(flx_nastran *r, int id, int material)
{
    flx_section c = {.name = "", .loc = flx_nastran_place(r), .sized = true, .rotary = true};
    double k[2] = {0, 0}, product = 0;
    double *const to[6] = {&c.A, &c.Iz, &c.Iy, &c.J, &c.nonstructural, NULL};
    for (int i = 0; to[i]; i++) {
        FLX_TRY(flx_nastran_number(r, 3 + i, "a number of the section", to[i]));
    }
    for (int i = 0; i < 2; i++) FLX_TRY(flx_nastran_number(r, 17 + i, "a shear factor", &k[i]));
    FLX_TRY(flx_nastran_number(r, 19, "a product of inertia", &product));
    if (product != 0) return REFUSE(r, "PBAR %d has I12: give the principal axes", id);
    set_shear(&c, k);
    return flx_nastran_add_property(r, id, material, &c, NULL);
}

// PBEAM, PID, MID, A, I1, I2, I12, J, NSM; stress points; stations of the other end; K1, K2, ...
static flx_status read_beam(flx_nastran *r, int id, int material)
{
    flx_section c = {.name = "", .loc = flx_nastran_place(r), .sized = true, .rotary = true};
    double k[2] = {1, 1}, product = 0, other, off = 0;
    double *const to[7] = {&c.A, &c.Iz, &c.Iy, &product, &c.J, &c.nonstructural, NULL};
    for (int i = 0; to[i]; i++) {
        FLX_TRY(flx_nastran_number(r, 3 + i, "a number of the section", to[i]));
    }
    if (product != 0) return REFUSE(r, "PBEAM %d has I12: give the principal axes", id);
    int at = 17;
    while (at < r->n && (flx_nastran_field_is(r, at, "YES") || flx_nastran_field_is(r, at, "NO") ||
                         flx_nastran_field_is(r, at, "YESA"))) {
        const double own[3] = {c.A, c.Iz, c.Iy};
        for (int i = 0; i < 3; i++) {
            other = own[i];
            FLX_TRY(flx_nastran_number(r, at + 2 + i, "a number of the section", &other));
            if (fabs(other - own[i]) > 1e-6 * fabs(own[i])) {
                return REFUSE(r, "PBEAM %d changes along the beam: give each element its own", id);
            }
        }
        at += flx_nastran_field_is(r, at, "YES") ? 16 : 8;
    }
    for (int i = 0; i < 2; i++) FLX_TRY(flx_nastran_number(r, at + i, "a shear factor", &k[i]));
    for (int i = 12; i < 16; i++) {
        FLX_TRY(flx_nastran_number(r, at + i, "a place of the neutral axis", &off));
        if (off != 0) return REFUSE(r, "PBEAM %d: its neutral axis is off its nodes", id);
    }
    set_shear(&c, k);
    return flx_nastran_add_property(r, id, material, &c, NULL);
}

// PBARL, PBEAML: PID, MID, GROUP, TYPE; sizes, and a mass per length.
static flx_status read_shaped(flx_nastran *r, int id, int material)
{
    static const struct {
        const char *word;
        int sizes;
    } shapes[] = {{"ROD", 1}, {"BAR", 2}, {"TUBE", 2}, {"BOX", 4}, {"I", 6}};
    double d[7] = {0};
    int k = 0;
    while (k < 5 && !flx_nastran_field_is(r, 4, shapes[k].word)) k++;
    if (k == 5) {
        return REFUSE(r, "%.*s %d: the sections ROD, BAR, TUBE, BOX and I are known",
                      r->f[0].length, r->f[0].text, id);
    }
    for (int i = 0; i <= shapes[k].sizes; i++) {
        FLX_TRY(flx_nastran_number(r, 9 + i, "a size of the section", &d[i]));
        bool hollow = k == 2 && i == 1;
        if (i < shapes[k].sizes && !(d[i] > 0 || (hollow && d[i] == 0))) {
            return REFUSE(r, "%.*s %d has no size %d", r->f[0].length, r->f[0].text, id, i + 1);
        }
    }
    bool fits = k == 2   ? d[1] < d[0]
                : k == 3 ? 2 * d[3] < d[0] && 2 * d[2] < d[1]
                : k == 4 ? d[4] + d[5] < d[0]
                         : true;
    if (!fits) return REFUSE(r, "the walls of section %d are thicker than it is wide", id);
    const double nu = 0.3; // of steel and aluminium; the shear factors hardly depend on it
    flx_section c = k == 0   ? flx_section_circle(d[0], nu)
                    : k == 1 ? flx_section_rectangle(d[0], d[1], nu)
                    : k == 2 ? flx_section_tube(d[0], d[1], nu)
                    : k == 3 ? flx_section_box(d[0], d[1], d[3], d[2])
                             : flx_section_profile(d[0], d + 1, d + 4, d[3]);
    c.loc = flx_nastran_place(r);
    c.nonstructural = d[shapes[k].sizes];
    return flx_nastran_add_property(r, id, material, &c, NULL);
}

// PBUSH, PID, "K", K1, ..., K6; other words are of damping and of results.
static flx_status read_bush(flx_nastran *r, int id)
{
    double k[6] = {0};
    if (!flx_nastran_field_is(r, 2, "K"))
        return REFUSE(r, "PBUSH %d: K and its numbers are expected", id);
    for (int i = 0; i < 6; i++) FLX_TRY(flx_nastran_number(r, 3 + i, "a stiffness", &k[i]));
    return flx_nastran_add_property(r, id, -1, NULL, k);
}

flx_status flx_nastran_read_property(flx_nastran *r)
{
    int id, material = -1;
    double k[6] = {0};
    flx_section c = {.name = "", .loc = flx_nastran_place(r), .sized = true};
    FLX_TRY(flx_nastran_int(r, 1, "a property's number", &id));
    if (flx_nastran_is(r, "PELAS")) {
        FLX_TRY(flx_nastran_number(r, 2, "a stiffness", &k[0]));
        for (int i = 1; i < 6; i++) k[i] = k[0];
        return flx_nastran_add_property(r, id, -1, NULL, k);
    }
    if (flx_nastran_is(r, "PBUSH")) return read_bush(r, id);
    FLX_TRY(flx_nastran_int(r, 2, "a material's number", &material));
    if (flx_nastran_is(r, "PSOLID")) return flx_nastran_add_property(r, id, material, NULL, NULL);
    if (flx_nastran_is(r, "PBAR")) return read_bar(r, id, material);
    if (flx_nastran_is(r, "PBEAM")) return read_beam(r, id, material);
    if (flx_nastran_is(r, "PBARL") || flx_nastran_is(r, "PBEAML"))
        return read_shaped(r, id, material);
    if (flx_nastran_is(r, "PROD")) {
        FLX_TRY(flx_nastran_number(r, 3, "an area", &c.A));
        FLX_TRY(flx_nastran_number(r, 6, "a mass per length", &c.nonstructural));
    } else {
        FLX_TRY(flx_nastran_number(r, 3, "a thickness", &c.thickness));
    }
    return flx_nastran_add_property(r, id, material, &c, NULL);
}
