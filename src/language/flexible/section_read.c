// section_read.c - cross-sections and materials as a model gives them; what they are: model/structure/given_section.c.
#include "language/flexible/section_read.h"

#include "language/scope/nums.h"

flx_status flx_material_refuse_loss(flx_builder *b, const flx_entry *y)
{
    const flx_entry *loss = y ? flx_entry_get(y, "loss") : NULL;
    if (!loss) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loss->loc,
                    "a loss factor is for structures and for flexible bodies made of a mesh: give "
                    "'damping' here");
}

// ---- numbers ------------------------------------------------------------------------------------

static flx_status read_list(flx_env *e, const flx_entry *y, int most, int *n, double *x,
                            flx_open *open)
{
    double *all = NULL;
    flx_open *kept = NULL;
    FLX_TRY(flx_build_open_numbers(e, y, n, &all, &kept));
    for (int i = 0; i < *n && i < most; i++) { // the table says how many there may be
        x[i] = all[i];
        open[i] = kept[i];
    }
    if (e->b->open && e->b->open->exported) flx_nums_fix(e->b, most, open, y->loc);
    return FLX_OK;
}

// One number for both directions, or two.
static flx_status read_pair(flx_env *e, const flx_entry *y, const char *what, double x[2],
                            flx_open open[2])
{
    int n = 0;
    FLX_TRY(read_list(e, y, 2, &n, x, open));
    if (n == 1) x[1] = x[0], open[1] = open[0];
    if (x[0] > 0 && x[1] > 0) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "%s must be positive", what);
}

static flx_status read_material(flx_env *e, const flx_entry *y, flx_given_section *g)
{
    const flx_entry *nu = flx_entry_get(y, "nu"), *density = flx_entry_get(y, "density");
    g->material = true;
    FLX_TRY(
        flx_build_kept_positive(e, flx_entry_get(y, "E"), "Young's modulus", &g->E, &g->E_open));
    FLX_TRY(flx_build_kept(e, density, &g->density, &g->density_open));
    if (nu) FLX_TRY(flx_build_kept(e, nu, &g->nu, &g->nu_open));
    if (!(g->density >= 0)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, density->loc, "the density is negative: %g",
                        g->density);
    }
    if (g->nu > -1 && g->nu < 0.5) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, nu->loc,
                    "Poisson's ratio lies between -1 and 0.5: %g does not", g->nu);
}

static flx_status read_stiffnesses(flx_env *e, const flx_entry *y, flx_given_section *g)
{
    const flx_entry *matrix = flx_entry_get(y, "stiffness"), *EI = flx_entry_get(y, "EI");
    const flx_entry *GA = flx_entry_get(y, "GA"), *GJ = flx_entry_get(y, "GJ");
    int n = 0;
    g->form = matrix ? FLX_SECTION_MATRIX : FLX_SECTION_STIFFNESSES;
    if (matrix) {
        g->matrix_loc = matrix->loc;
        return read_list(e, matrix, 36, &n, g->stiffness, g->stiffness_open);
    }
    FLX_TRY(flx_build_kept_positive(e, flx_entry_get(y, "EA"), "EA", &g->EA, &g->EA_open));
    g->EI_known = EI != NULL, g->GA_known = GA != NULL, g->GJ_known = GJ != NULL;
    if (EI) FLX_TRY(read_pair(e, EI, "EI", g->EI, g->EI_open));
    if (GA) FLX_TRY(read_pair(e, GA, "GA", g->GA, g->GA_open));
    return GJ ? flx_build_kept_positive(e, GJ, "GJ", &g->GJ, &g->GJ_open) : FLX_OK;
}

// Of any section: mass and rotational inertia that are given.
static flx_status read_masses(flx_env *e, const flx_entry *y, flx_given_section *g)
{
    const flx_entry *mass = flx_entry_get(y, "mass"), *inertia = flx_entry_get(y, "inertia");
    g->mass_known = mass != NULL;
    if (mass) FLX_TRY(flx_build_kept_positive(e, mass, "the mass", &g->mass, &g->mass_open));
    if (!inertia) return FLX_OK;
    FLX_TRY(read_list(e, inertia, 3, &g->ninertia, g->inertia, g->inertia_open));
    for (int i = 0; i < g->ninertia; i++) {
        if (g->inertia[i] >= 0) continue;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, inertia->loc,
                        "rotational inertia cannot be negative");
    }
    return FLX_OK;
}

static flx_status read_section(flx_env *e, const flx_entry *y, flx_given_section *g)
{
    static const struct {
        const char *key, *what;
        flx_section_form form;
    } sizes[] = {{"width", "the width", FLX_SECTION_RECTANGLE},
                 {"radius", "the radius", FLX_SECTION_CIRCLE},
                 {"area", "the area", FLX_SECTION_AREA},
                 {"thickness", "the thickness", FLX_SECTION_THICKNESS}};
    const flx_entry *height = flx_entry_get(y, "height"), *size = NULL;
    int k = 0;
    g->loc = y->loc;
    while (k < 4 && !(size = flx_entry_get(y, sizes[k].key))) k++;
    if (!size) {
        FLX_TRY(read_stiffnesses(e, y, g));
        return read_masses(e, y, g);
    }
    g->form = sizes[k].form;
    FLX_TRY(flx_build_kept_positive(e, size, sizes[k].what, &g->size[0], &g->size_open[0]));
    if (k == 0)
        FLX_TRY(flx_build_kept_positive(e, height, "the height", &g->size[1], &g->size_open[1]));
    return read_masses(e, y, g);
}

// Its parameters are needed as numbers.
static void fix_all(flx_builder *b, flx_given_section *g, flx_loc loc)
{
    flx_open *const open[] = {&g->E_open,    &g->nu_open,     &g->density_open, g->size_open,
                              &g->EA_open,   g->EI_open,      g->GA_open,       &g->GJ_open,
                              &g->mass_open, g->inertia_open, g->stiffness_open};
    static const int count[] = {1, 1, 1, 2, 1, 2, 2, 1, 1, 3, 36};
    for (size_t i = 0; i < sizeof count / sizeof *count; i++) {
        flx_nums_fix(b, count[i], open[i], loc);
    }
}

void flx_given_section_fix(flx_builder *b, flx_given_section *g)
{
    fix_all(b, g, g->loc);
}

// ---- what is asked for --------------------------------------------------------------------------

flx_status flx_material_read(flx_env *e, const flx_entry *y, flx_material *m)
{
    const flx_entry *loss = flx_entry_get(y, "loss");
    flx_given_section g = {.nu = FLX_POISSON_RATIO};
    FLX_TRY(read_material(e, y, &g));
    fix_all(e->b, &g, y->loc);
    *m = (flx_material){.name = "", .loc = y->loc, .E = g.E, .nu = g.nu, .density = g.density};
    if (loss) FLX_TRY(flx_build_number(e, loss, &m->loss));
    if (!loss || m->loss >= 0) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loss->loc, "the loss factor is negative: %g",
                    m->loss);
}

static flx_status read_up(flx_env *e, const flx_entry *y, flx_section *c)
{
    const flx_entry *up = flx_entry_get(y, "up");
    c->has_up = up != NULL;
    return up ? flx_build_vector(e, up, c->up) : FLX_OK;
}

flx_status flx_section_read(flx_env *e, const flx_entry *y, const flx_material *m, flx_section *c)
{
    flx_given_section g = {.nu = FLX_POISSON_RATIO};
    double *C = flx_arena_take(e->b->m->arena, 36, sizeof *C);
    if (!C) return FLX_ERR_MEMORY;
    if (m) {
        g.material = true;
        g.E = m->E, g.nu = m->nu, g.density = m->density;
    }
    FLX_TRY(read_section(e, y, &g));
    flx_given_section_fix(e->b, &g);
    FLX_TRY(flx_given_section_take(e->b->ctx, &g, C, c));
    return read_up(e, y, c);
}

flx_status flx_section_read_beam(flx_env *e, const flx_item *body, const char *word,
                                 const flx_entry *section, const flx_entry *material,
                                 flx_given_section *g, double C[36], flx_section *c,
                                 flx_beam_law *law)
{
    static const char *const foreign[] = {"area", "thickness"};
    flx_ctx *ctx = e->b->ctx;
    for (int i = 0; i < 2; i++) {
        const flx_entry *y = flx_entry_get(section, foreign[i]);
        if (!y) continue;
        return FLX_FAIL(ctx, FLX_ERR_MODEL, y->loc, "'%s' is no key of the section of %s",
                        foreign[i], word);
    }
    FLX_TRY(flx_material_refuse_loss(e->b, material));
    *g = (flx_given_section){.nu = FLX_POISSON_RATIO};
    if (material) FLX_TRY(read_material(e, material, g));
    FLX_TRY(read_section(e, section, g));
    if (g->form < FLX_SECTION_STIFFNESSES && !material) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, section->loc,
                        "the section of '%s' is given by its size and needs a material",
                        body->full);
    }
    FLX_TRY(flx_given_section_law(ctx, g, C, c, law));
    return read_up(e, section, c);
}
