// beam_section.c - the section of a beam of large deformation as the model says it: its stiffness, mass and rotational
// inertia per length (section_read.c), where it varies those of all its stations; damping; what formulations can have.
#include "language/flexible/deformable.h"
#include "language/flexible/section_along.h"
#include "language/flexible/section_read.h"
#include "language/scope/nums.h"

#include <string.h>

static flx_status read_damping(flx_env *e, const flx_item *body, flx_beam *beam)
{
    const flx_entry *damping = flx_entry_get(body->def, "damping");
    if (!damping) return FLX_OK;
    const flx_entry *ratio = flx_entry_get(damping, "ratio");
    const flx_entry *y = ratio ? ratio : flx_entry_get(damping, "rayleigh");
    int n = 0;
    double *x = NULL;
    flx_open *open = NULL;
    FLX_TRY(flx_build_open_numbers(e, y, &n, &x, &open));
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
    beam->by_ratio = ratio != NULL;
    for (int i = 0; i < n; i++) {
        beam->damping[i] = x[i];
        beam->damping_open[i] = open[i];
        beam->damped = beam->damped || x[i] > 0 || open[i];
    }
    return FLX_OK;
}

// The classical element bends too little however fine it is: by how much, a section that cannot contract says.
static flx_status check_continuum(flx_env *e, const flx_item *body, const flx_beam *beam)
{
    flx_loc loc = flx_entry_get(body->def, "elasticity")->loc;
    double nu = beam->nu;
    double less = e->b->m->dimension == 2 ? 1 - nu * nu : (1 + nu) * (1 - 2 * nu) / (1 - nu);
    if (!(beam->size[0] > 0)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "the elasticity of a continuum needs the size of the section and a "
                        "material; of stiffnesses it is 'sections'");
    }
    flx_ctx_warn(e->b->ctx, loc,
                 "the classical element of 'elasticity: continuum' is too stiff: with any number "
                 "of elements it bends by %.3g of what a beam of this section does, with few by "
                 "less; 'elasticity: sections' is the beam",
                 less);
    return FLX_OK;
}

static flx_status read_place(flx_env *e, const flx_item *body, flx_given_section *g)
{
    double C[36];
    flx_section c;
    flx_beam_law law;
    return flx_section_read_beam(e, body, "a beam", flx_entry_get(body->def, "section"),
                                 flx_entry_get(body->def, "material"), g, C, &c, &law);
}

// At the place s of a section that varies.
static flx_status read_along(flx_env *e, const flx_item *body, double s, flx_given_section *g)
{
    flx_local local;
    flx_env here;
    FLX_TRY(flx_env_along(e, flx_entry_get(body->def, "section"), s, &local, &here));
    return read_place(&here, body, g);
}

// What stands for the whole, then all stations.
static flx_status read_stations(flx_env *e, const flx_item *body, flx_beam_data *d)
{
    flx_beam *beam = &d->def;
    int count = flx_beam_along_points(beam, NULL);
    bool mean = beam->nslope != 1 && beam->order == 1;
    beam->nstation = count + mean;
    size_t n = (size_t)(beam->nstation * beam->nelement);
    beam->stations = flx_arena_take(e->b->m->arena, n, sizeof *beam->stations);
    if (!beam->stations) return FLX_ERR_MEMORY;
    FLX_TRY(read_along(e, body, 0.5, beam->given));
    for (int i = 1; i < beam->ngiven; i++) {
        FLX_TRY(read_along(e, body, d->along[i - 1], beam->given + i));
    }
    return FLX_OK;
}

void flx_beam_fix_section(flx_builder *b, flx_beam *beam)
{
    for (int i = 0; i < beam->ngiven; i++) flx_given_section_fix(b, beam->given + i);
}

flx_status flx_beam_read_section(flx_env *e, const flx_item *body, flx_beam_data *d)
{
    const flx_entry *y = NULL, *up = NULL;
    flx_beam *beam = &d->def;
    FLX_TRY(flx_build_need(e->b, body, "section", &y));
    up = flx_entry_get(y, "up");
    if (up) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, up->loc,
                        "'up' is no key of the section of a beam; write it beside 'section'");
    }
    if (d->along && beam->continuum) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "the elasticity of a continuum needs the same section all along; one that "
                        "changes with 's' has 'elasticity: sections'");
    }
    beam->ngiven = 1 + (d->along ? flx_beam_along_points(beam, NULL) * beam->nelement : 0);
    beam->given = flx_arena_take(e->b->m->arena, (size_t)beam->ngiven, sizeof *beam->given);
    if (!beam->given) return FLX_ERR_MEMORY;
    FLX_TRY(d->along ? read_stations(e, body, d) : read_place(e, body, beam->given));
    FLX_TRY(read_damping(e, body, beam));
    // centres of rigid pieces are numbers of the initial configuration
    if (d->along && beam->formulation == FLX_BEAM_SEGMENTS) flx_beam_fix_section(e->b, beam);
    FLX_TRY(flx_beam_take_sections(e->b->ctx, e->b->m->dimension, beam));
    return beam->continuum ? check_continuum(e, body, beam) : FLX_OK;
}
