// form.c - the change to joint coordinates: where the model says so, and where `formulation: auto`
// finds them faster.
//
// Joint coordinates need no constraints where the joints make an open tree. A method that controls its
// error then steps with a tenth to a quarter of the work, chains of any length: it solves for no
// multipliers, closes no joints, and may be an explicit one. Methods with a fixed step gain little, and
// at the same step some motions are followed better in coordinates of bodies; closures cost what they
// cost there. Whatever the tree refuses stays as it is. Theory: docs/theory/tree.md.
#include "base/number.h"
#include "simulate/simulation_parts.h"

#include <stdio.h>
#include <string.h>

// The tree and what a simulation has of it.
typedef struct form {
    flx_system *tree;
    flx_work *work;
    flx_state *start;
    double *z;
} form;

static void release(form *f)
{
    if (f->work) f->tree->ops->work_destroy(f->work);
    flx_state_destroy(&f->start);
    flx_system_destroy(&f->tree);
    flx_free(f->z);
}

// Velocities of links without inertia, and forces of closures, from the balance of forces, where these have an explicit
// form: the limit of vanishing masses has them to half of the digits.
static flx_status settle_massless(flx_simulation *sim, form *f)
{
    flx_state *exact = NULL;
    int errors = flx_ctx_error_count(sim->ctx);
    const flx_explicit *to = f->tree->ops->explicit_form;
    size_t n = (size_t)to->size(f->tree);
    FLX_TRY(flx_state_create(f->tree, &exact));
    flx_state_copy(exact, f->start);
    to->pack(f->tree, exact, f->z);
    flx_status status = to->fill(f->tree, f->work, exact, f->z);
    if (status == FLX_OK) {
        status = to->rate(f->tree, f->work, exact->t, f->z, exact, f->z + n);
    }
    if (status == FLX_OK) flx_state_copy(f->start, exact);
    flx_ctx_forget_errors(sim->ctx, errors);
    flx_state_destroy(&exact);
    return status == FLX_ERR_MEMORY ? status : FLX_OK;
}

// A link without inertia must be held by damping or stiffness; then velocities and accelerations follow. bodies: the system
// that the tree is made of, at the state x.
static flx_status start_massless(flx_simulation *sim, const flx_system *bodies, const flx_state *x,
                                 form *f)
{
    flx_modes modes;
    if (f->tree->dims.nlam + f->tree->dims.nmu == 0 && sim->model->nmodal == 0) {
        FLX_TRY(flx_tree_check_massless(f->tree, f->work, f->start));
        return flx_start_accelerations(f->tree, f->start);
    }
    int errors = flx_ctx_error_count(sim->ctx);
    flx_status status = flx_modes_find(bodies, x, NULL, 1, &modes);
    flx_modes_clear(&modes);
    flx_ctx_forget_errors(sim->ctx, errors);
    if (status == FLX_ERR_MEMORY) return status;
    if (status == FLX_SINGULAR) return flx_tree_refuse_massless(f->tree, true);
    FLX_TRY(flx_start_accelerations(f->tree, f->start));
    return sim->model->nmodal == 0 ? settle_massless(sim, f) : FLX_OK;
}

// The start in joint coordinates, from the state x of bodies.
static flx_status take_start(flx_simulation *sim, const flx_system *bodies, const flx_state *x,
                             form *f)
{
    const flx_explicit *to = f->tree->ops->explicit_form, *from = bodies->ops->explicit_form;
    size_t n = (size_t)from->size(bodies) + (size_t)to->size(f->tree);
    FLX_TRY(flx_tree_from_bodies(f->tree, x, f->start));
    if (flx_tree_is_massless(f->tree)) return start_massless(sim, bodies, x, f);
    to->pack(f->tree, f->start, f->z);
    return to->rate(f->tree, f->work, f->start->t, f->z, f->start, f->z + n);
}

static flx_status make(flx_simulation *sim, form *f)
{
    const flx_system *bodies = sim->sys;
    FLX_TRY(
        flx_tree_create(sim->model, bodies, sim->start, sim->plan->summary.redundant, &f->tree));
    const flx_explicit *to = f->tree->ops->explicit_form, *from = bodies->ops->explicit_form;
    size_t n = (size_t)from->size(bodies) + (size_t)to->size(f->tree);
    f->z = flx_alloc(sim->ctx, 2 * n, sizeof *f->z);
    f->work = f->tree->ops->work_create(f->tree);
    if (!f->work || !f->z) return FLX_ERR_MEMORY;
    FLX_TRY(flx_state_create(f->tree, &f->start));
    FLX_TRY(from->prepare(bodies, sim->work));
    return take_start(sim, bodies, sim->start, f);
}

flx_status flx_simulation_carries(flx_simulation *sim)
{
    const flx_system *b = sim->bodies, *tree = flx_wrapper_innermost(sim->sys);
    const flx_explicit *to = tree->ops->explicit_form, *from = b->ops->explicit_form;
    size_t n = (size_t)from->size(b) + (size_t)to->size(tree);
    sim->bodies_z = flx_alloc(sim->ctx, 2 * n, sizeof *sim->bodies_z);
    return sim->bodies_z ? from->prepare(b, sim->bodies_work) : FLX_ERR_MEMORY;
}

// What `reduce` makes of the tree.
static flx_status reduce(flx_simulation *sim, form *f)
{
    flx_dims dims = f->tree->dims;
    flx_state *start = NULL;
    f->tree->ops->work_destroy(f->work);
    f->work = NULL;
    FLX_TRY(flx_simulation_recast(sim, f->start, &f->tree));
    f->work = f->tree->ops->work_create(f->tree);
    if (!f->work) return FLX_ERR_MEMORY;
    FLX_TRY(flx_state_create(f->tree, &start));
    flx_simulation_copy_motion(&dims, start, f->start);
    flx_state_destroy(&f->start);
    f->start = start;
    return FLX_OK;
}

// The tree takes the place of the system, which stays to observe it.
static void adopt(flx_simulation *sim, const form *f)
{
    sim->bodies = sim->sys;
    sim->bodies_work = sim->work;
    sim->bodies_state = sim->start;
    sim->bodies_z = f->z;
    sim->sys = f->tree;
    sim->work = f->work;
    sim->start = f->start;
}

flx_status flx_simulation_change_form(flx_simulation *sim)
{
    flx_work *work = sim->work;
    flx_state x = *sim->start; // shares the arrays
    flx_system *tree = (flx_system *)(uintptr_t)flx_wrapper_base(sim->sys, &work, &x);
    form f = {.tree = tree, .work = work, .start = &x, .z = sim->bodies_z};
    FLX_TRY(take_start(sim, sim->bodies, sim->bodies_state, &f));
    sim->start->t = x.t;
    if (tree == sim->sys) return FLX_OK;
    FLX_TRY(flx_simulation_settle_condensed(sim));
    return flx_simulation_start_recast(sim);
}

// ---- auto ---------------------------------------------------------------------------------------

// Methods that are faster in joint coordinates.
static bool gains(const flx_simulate *s)
{
    static const char *const methods[] = {"auto", "dopri5", "dop853", "adams",
                                          "bdf",  "euler",  "rk4",    "radau"};
    const char *method = s->method ? s->method : "auto";
    if (s->def.step > 0.0 && strcmp(method, "auto") == 0) return false; // may be variational
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (strcmp(method, methods[i]) == 0) return true;
    }
    return false;
}

// With flexible bodies the tangent is full: `radau` takes half of the instructions with 15 velocities, two thirds with
// 28, nine tenths with 50, some more with 85.
#define MOST_ELASTIC 50

static bool may_gain(const flx_simulation *sim)
{
    const flx_model *m = sim->model;
    const flx_simulate *s = &m->simulate;
    return sim->plan->choose_form && s->given && s->def.formulation == FLX_FORMULATION_AUTO &&
           !m->reduces && m->nreduced == 0 && sim->sys->dims.nlam > 0 &&
           sim->plan->tree.ncut == 0 && gains(s);
}

static flx_status explain(flx_simulation *sim)
{
    char text[160];
    int n = sim->sys->dims.nv;
    flx_snprintf(
        text, sizeof text,
        "joint coordinates: the joints are a tree, %d freedom%s and no constraint are left", n,
        n > 1 ? "s" : "");
    sim->making->form_reason = flx_arena_copy(sim->arena, text, strlen(text));
    return sim->plan->form_reason ? FLX_OK : FLX_ERR_MEMORY;
}

flx_status flx_simulation_choose_form(flx_simulation *sim)
{
    form f = {0};
    bool asked = sim->model->simulate.tree;
    int errors = flx_ctx_error_count(sim->ctx);
    if (!asked && !may_gain(sim)) return FLX_OK;
    flx_status status = make(sim, &f);
    bool open = status == FLX_OK && !asked && f.tree->dims.nlam + f.tree->dims.nmu == 0 &&
                !flx_tree_is_massless(f.tree);
    if (open && sim->model->nmodal > 0) open = f.tree->dims.nv <= MOST_ELASTIC;
    if (status == FLX_OK && asked && sim->model->reduces) {
        status = reduce(sim, &f);
        if (status == FLX_OK) {
            adopt(sim, &f);
            FLX_TRY(flx_simulation_settle_condensed(sim));
            return flx_simulation_start_recast(sim);
        }
    } else if (status == FLX_OK && (asked || open)) {
        adopt(sim, &f);
        if (flx_tree_is_massless(sim->sys)) FLX_TRY(flx_reactions_create(sim));
        return asked ? FLX_OK : explain(sim);
    }
    release(&f);
    if (asked || status == FLX_ERR_MEMORY) return status;
    flx_ctx_forget_errors(sim->ctx, errors);
    return FLX_OK;
}
