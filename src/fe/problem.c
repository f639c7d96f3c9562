// problem.c - a structure ready to be computed, and what it weighs.
#include "fe/problem.h"
#include "base/refuse.h"

#include <math.h>
#include <string.h>

static flx_status create(const flx_model *model, flx_fe_problem **out)
{
    flx_ctx *ctx = model->ctx;
    const flx_fe_block *block = &model->fe;
    if (!block->structure && block->K.n == 0) {
        const flx_loc top = {model->path, 1, 1, NULL};
        return FLX_FAIL(ctx, FLX_ERR_MODEL, model->path[0] ? top : FLX_NOWHERE,
                        "the model has no block 'fe': there are no finite elements to compute");
    }
    flx_fe_problem *p = flx_alloc(ctx, 1, sizeof *p);
    if (!p) return FLX_ERR_MEMORY;
    *p = (flx_fe_problem){.ctx = ctx, .model = model, .K = &block->K, .M = &block->M};
    flx_status status = FLX_OK;
    if (block->structure) {
        const flx_fe_options options = {.lumped = block->lumped};
        status = flx_fe_create(ctx, block->structure, &options, &p->fe);
        if (status == FLX_OK) flx_fe_warn_of_units(p->fe, block->loc);
    }
    if (status == FLX_OK && p->fe) {
        p->K = &p->fe->K;
        p->M = &p->fe->M;
        p->group = flx_alloc(ctx, (size_t)p->fe->n, sizeof *p->group);
        for (int i = 0; p->group && i < p->fe->n; i++) p->group[i] = p->fe->node_of[i] / 6;
        if (!p->group) status = FLX_ERR_MEMORY;
    }
    p->n = p->K->n;
    if (status != FLX_OK) flx_fe_problem_destroy(&p);
    *out = p;
    return status;
}

flx_status flx_fe_problem_create(const flx_model *model, flx_fe_problem **out)
{
    if (!model || !out) return flx_refuse_null(NULL, __func__);
    flx_model *core;
    *out = NULL;
    FLX_TRY(flx_model_share(model, &core));
    flx_status status = create(core ? core : model, out);
    if (status == FLX_OK)
        (*out)->core = core;
    else
        flx_model_destroy(&core);
    return status;
}

void flx_fe_problem_destroy(flx_fe_problem **problem)
{
    if (!problem || !*problem) return;
    flx_free((*problem)->group);
    flx_free((*problem)->found);
    flx_arena_destroy(&(*problem)->drawings);
    flx_arena_destroy(&(*problem)->response);
    flx_fe_destroy(&(*problem)->fe);
    flx_model_destroy(&(*problem)->core);
    flx_free(*problem);
    *problem = NULL;
}

flx_fe_summary flx_fe_problem_summary(const flx_fe_problem *p)
{
    if (!p) return (flx_fe_summary){0};
    flx_fe_summary s = {.unknowns = p->n};
    if (!p->fe) return s;
    s.nodes = p->fe->nnode;
    for (int i = 0; i < p->fe->s->nelement; i++) {
        s.elements += p->fe->s->elements[i].family != FLX_FAMILY_NONE;
    }
    s.mass = p->fe->mass;
    memcpy(s.com, p->fe->com, sizeof s.com);
    memcpy(s.inertia, p->fe->inertia, sizeof s.inertia);
    return s;
}

flx_status flx_fe_problem_need_mesh(const flx_fe_problem *p, const char *what)
{
    if (p->fe) return FLX_OK;
    return FLX_FAIL(p->ctx, FLX_ERR_MODEL, p->model->fe.loc,
                    "%s needs a mesh: matrices have no places and no loads", what);
}

flx_status flx_fe_problem_factor(const flx_fe_problem *p, flx_frontal **f)
{
    static const char *const words[6] = {"along x", "along y", "along z",
                                         "about x", "about y", "about z"};
    FLX_TRY(flx_frontal_create(p->ctx, p->K, p->group, f));
    flx_status status = flx_frontal_factor(*f, 1, p->K, 0, NULL);
    flx_frontal_report r = flx_frontal_get_report(*f);
    // what rounding leaves of a pivot that is zero
    if (status == FLX_SINGULAR || (status == FLX_OK && !(r.ratio > 1e-13))) {
        int k = p->fe ? p->fe->node_of[r.smallest] : 0;
        status = FLX_FAIL(p->ctx, FLX_SINGULAR, FLX_NOWHERE,
                          "the structure is not held: node %d can move %s without any force; add "
                          "supports, or connect what is loose",
                          p->fe ? p->fe->s->label[k / 6] : r.smallest + 1, words[k % 6]);
    }
    if (status != FLX_OK) flx_frontal_destroy(f);
    return status;
}

// ---- how fine the mesh is -------------------------------------------------------------------------

#define COARSE 0.1 // part of the energy: frequencies 5 % too high, displacements a tenth too small
#define ALL 0.99   // jumps of stress that are nearly all of it

void flx_fe_problem_tell_coarse(const flx_fe_problem *p, double part, bool modes)
{
    if (!(part > COARSE)) return;
    part = fmin(part, ALL);
    flx_ctx_warn(p->ctx, p->model->fe.loc,
                 modes ? "the mesh is coarse: it makes the lowest frequencies about %.2g %% too "
                         "high, by jumps of stress; take more elements, or those with nodes "
                         "between the corners"
                       : "the mesh is coarse: it leaves out about %.2g %% of the strain energy, by "
                         "jumps of stress; take more elements, or those with nodes between the "
                         "corners",
                 100 * (modes ? 1 / sqrt(1 - part) - 1 : part));
}
