// beam_section.c - the section of a beam of large deformation: its stiffness, mass and rotational inertia per
// length (section_read.c); damping; what formulations can have.
#include "language/flexible/deformable.h"
#include "language/flexible/section_along.h"
#include "language/flexible/section_read.h"

#include <string.h>

// First frequency of a cantilever, times sqrt(m L^4/EI).
#define CANTILEVER 3.5160152685

static flx_status read_damping(flx_env *e, const flx_item *body, flx_beam *beam, double length)
{
    const flx_entry *damping = flx_entry_get(body->def, "damping");
    if (!damping) return FLX_OK;
    const flx_entry *ratio = flx_entry_get(damping, "ratio");
    const flx_entry *y = ratio ? ratio : flx_entry_get(damping, "rayleigh");
    int n = 0;
    double *x = NULL;
    FLX_TRY(flx_build_numbers(e, y, &n, &x));
    for (int i = 0; i < n; i++) {
        if (x[i] >= 0) continue;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "damping cannot be negative: %g", x[i]);
    }
    if (n != (ratio ? 1 : 2)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        ratio ? "a beam has one ratio, not %d"
                              : "alpha and beta are two numbers, "
                                "not %d",
                        n);
    }
    if (!ratio) {
        memcpy(beam->rayleigh, x, sizeof beam->rayleigh);
        return FLX_OK;
    }
    const double *C = beam->stiffness;
    double EI = e->b->m->dimension == 2 ? C[35] : fmin(C[28], C[35]);
    double frequency = CANTILEVER / (length * length) * sqrt(EI / beam->mass);
    beam->rayleigh[1] = 2.0 * x[0] / frequency;
    return FLX_OK;
}

// The classical element bends too little however fine it is: by how much, a section that cannot contract says.
static void warn_of_continuum(flx_env *e, flx_loc loc, const flx_beam *beam)
{
    double nu = beam->nu;
    double less = e->b->m->dimension == 2 ? 1 - nu * nu : (1 + nu) * (1 - 2 * nu) / (1 - nu);
    flx_ctx_warn(e->b->ctx, loc,
                 "the classical element of 'elasticity: continuum' is too stiff: with any number "
                 "of elements it bends by %.3g of what a beam of this section does, with few by "
                 "less; 'elasticity: sections' is the beam",
                 less);
}

// What elements in absolute nodal coordinates can have.
static flx_status check_ancf(flx_env *e, const flx_item *body, const flx_entry *section,
                             flx_beam *beam)
{
    const flx_entry *y = flx_entry_get(body->def, "elasticity");
    const double *C = beam->stiffness;
    bool cable = beam->formulation == FLX_BEAM_CABLE;
    if (beam->continuum && !(beam->size[0] > 0)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "the elasticity of a continuum needs the size of the section and a "
                        "material; of stiffnesses it is 'sections'");
    }
    if (beam->continuum) warn_of_continuum(e, y->loc, beam);
    for (int i = 0; i < 36; i++) {
        if (i % 7 == 0 || C[i] == 0) continue;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, section->loc,
                        "a section whose stiffnesses are coupled needs 'formulation: "
                        "geometrically-exact'");
    }
    if (cable && e->b->m->dimension == 3 && fabs(C[28] - C[35]) > 1e-6 * (C[28] + C[35])) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, section->loc,
                        "a cable in space has one bending stiffness: it does not know its axes. "
                        "Use 'ancf' or 'geometrically-exact' for %g and %g N m^2",
                        C[28], C[35]);
    }
    return FLX_OK;
}

// For pictures, and for the elasticity of a continuum.
static flx_status read_size(flx_env *e, const flx_entry *section, flx_beam *beam)
{
    const flx_entry *radius = flx_entry_get(section, "radius");
    beam->round = radius != NULL;
    FLX_TRY(flx_build_number(e, radius ? radius : flx_entry_get(section, "width"), beam->size));
    if (!radius) return flx_build_number(e, flx_entry_get(section, "height"), beam->size + 1);
    beam->size[1] = beam->size[0];
    return FLX_OK;
}

// Stiffness and mass of one place.
static flx_status read_place(flx_env *e, const flx_item *body, flx_section *c, flx_material *m,
                             flx_beam_station *out)
{
    flx_beam_law law;
    FLX_TRY(flx_section_read_beam(e, body, "a beam", flx_entry_get(body->def, "section"),
                                  flx_entry_get(body->def, "material"), c, m, &law));
    const double diagonal[6] = {law.EA, law.GAy, law.GAz, law.GJ, law.EIy, law.EIz};
    *out = (flx_beam_station){.mass = law.mass, .inertia = {law.Ix, law.Iy, law.Iz}};
    for (int i = 0; i < 6; i++) out->stiffness[7 * i] = diagonal[i];
    if (c->coupled) memcpy(out->stiffness, c->coupled, sizeof out->stiffness);
    return FLX_OK;
}

flx_status flx_beam_read_station(flx_env *e, const flx_item *body, const flx_beam *beam,
                                 flx_beam_station *out)
{
    flx_section c;
    flx_material m = {0};
    flx_beam at = *beam;
    FLX_TRY(read_place(e, body, &c, &m, out));
    memcpy(at.stiffness, out->stiffness, sizeof at.stiffness);
    if (beam->nslope == 0) return FLX_OK;
    return check_ancf(e, body, flx_entry_get(body->def, "section"), &at);
}

flx_status flx_beam_read_section(flx_env *e, const flx_item *body, double length, flx_beam *beam)
{
    const flx_entry *y = NULL, *up = NULL, *material = flx_entry_get(body->def, "material");
    flx_section c;
    flx_material m = {0};
    flx_beam_station at;
    flx_local s;
    flx_env here = *e;
    FLX_TRY(flx_build_need(e->b, body, "section", &y));
    up = flx_entry_get(y, "up");
    if (up) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, up->loc,
                        "'up' is no key of the section of a beam; write it beside 'section'");
    }
    bool varies = flx_entry_is_along(y) || flx_entry_is_along(material);
    if (varies && beam->continuum) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "the elasticity of a continuum needs the same section all along; one that "
                        "changes with 's' has 'elasticity: sections'");
    }
    here.scope.user = &here;
    if (varies) FLX_TRY(flx_env_along(e, y, 0.5, &s, &here)); // what stands for the whole
    FLX_TRY(read_place(&here, body, &c, &m, &at));
    memcpy(beam->stiffness, at.stiffness, sizeof beam->stiffness);
    memcpy(beam->inertia, at.inertia, sizeof beam->inertia);
    beam->mass = at.mass;
    beam->E = m.E, beam->nu = m.nu;
    if (c.sized) FLX_TRY(read_size(&here, y, beam));
    if (beam->nslope > 0) FLX_TRY(check_ancf(e, body, y, beam));
    return read_damping(e, body, beam, length);
}
