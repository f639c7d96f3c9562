// settle.c - see settle.h.
#include "integrate/settle.h"

#include "integrate/accelerate.h"
#include "integrate/relax.h"
#include "integrate/stiff_constraints.h"

#include <math.h>
#include <string.h>

// Of a step: what limits are taken from; and no less than so many seconds, where differences become rounding, if that
// is no more than the second part of the step.
#define SHORT 1e-2
#define SHORT_ENOUGH 0.1
#define NOISY 1e-6
#define BROUGHT_ABOUT 0.3
#define BROUGHT_STEP 3e-3
// Limits are good to this part of the largest force: what the method has within it may be better.
#define LIMIT_ERROR 1e-5
// Forces of stiff constraints that the method carries are taken where they are this near to those of rigid ones: holding
// leaves out that much at most.
#define NEAR 0.03

struct flx_settler {
    const flx_system *sys;    // borrowed
    const flx_explicit *form; // NULL: there is none, or it does not serve
    // owned:
    double *z, *dz;
    flx_accelerator *acc; // NULL: the form serves, and nothing is stiff
    flx_relaxer *relaxer; // NULL: not needed yet
    flx_state *trial;
    flx_stiff_constraints stiff;
    double *mass, *r; // (nv) (n) scratch
    double *forces;   // (2 (nlam + nmu)) scratch
    bool *kept;       // (nlam + nmu) forces of one side that the method has
    bool massless;    // the masses did not determine the accelerations of the start
    bool used;        // since it was made
};

void flx_settler_destroy(flx_settler **made)
{
    flx_settler *k = *made;
    if (!k) return;
    flx_free(k->z);
    flx_free(k->dz);
    flx_accelerator_destroy(&k->acc);
    flx_relaxer_destroy(&k->relaxer);
    flx_state_destroy(&k->trial);
    flx_stiff_constraints_destroy(&k->stiff);
    flx_free(k->mass);
    flx_free(k->r);
    flx_free(k->forces);
    flx_free(k->kept);
    flx_free(k);
    *made = NULL;
}

// ---- ways to find them ----------------------------------------------------------------------

static void take(const flx_dims *d, const flx_state *from, flx_state *x)
{
    memcpy(x->a, from->a, (size_t)d->nv * sizeof *x->a);
    memcpy(x->dx, from->dx, (size_t)d->nx * sizeof *x->dx);
    memcpy(x->w, from->w, (size_t)d->nw * sizeof *x->w);
    memcpy(x->lam, from->lam, (size_t)d->nlam * sizeof *x->lam);
    memcpy(x->mu, from->mu, (size_t)d->nmu * sizeof *x->mu);
}

// By the form for explicit methods: masses and constraints alone, without the tangent of the forces.
static flx_status use_form(flx_settler *k, flx_work *work)
{
    const flx_system *s = k->sys;
    const flx_explicit *f = k->form;
    int told = flx_ctx_error_count(s->ctx);
    f->pack(s, k->trial, k->z);
    flx_status status = f->rate(s, work, k->trial->t, k->z, k->trial, k->dz);
    if (status != FLX_OK && status != FLX_ERR_MEMORY) {
        flx_ctx_forget_errors(s->ctx, told);
        status = FLX_SINGULAR;
    }
    return status;
}

// Forces that vanish where they open (contacts) follow from no rigid constraint: those that the method has are kept.
static bool keep_one_sided(flx_settler *k, const flx_state *x)
{
    int first = flx_dims_first_constraint(&k->sys->dims), n = 0;
    for (int i = 0; i < k->sys->dims.nlam; i++) {
        flx_unknown u;
        k->kept[i] = false;
        if (!k->stiff.held[i]) continue;
        k->sys->ops->unknown(k->sys, first + i, &u);
        if (u.lower != 0.0) continue;
        k->stiff.held[i] = false;
        k->stiff.nheld--;
        k->kept[i] = x->lam[i] > 0.0;
        n += k->kept[i];
    }
    return n > 0;
}

// By the mobilities of the start and of the states that needed it.
static bool hold_stiff(flx_settler *k, const flx_state *x, double h, bool *kept)
{
    *kept = false;
    if (k->stiff.nsoft == 0) return false;
    flx_stiff_constraints_hold_unfollowed(&k->stiff, h);
    *kept = keep_one_sided(k, x);
    flx_accelerator_hold(k->acc, k->stiff.held, h);
    return k->stiff.nheld > 0;
}

static const char *item_of(const flx_settler *k, int constraint)
{
    flx_unknown u;
    k->sys->ops->unknown(k->sys, flx_dims_first_constraint(&k->sys->dims) + constraint, &u);
    return u.item;
}

// Whether forces of held constraints are near others; of each item by its largest one.
static bool are_near(const flx_settler *k, const double *force, const double *other)
{
    const flx_dims *d = &k->sys->dims;
    int n = d->nlam + d->nmu;
    for (int from = 0, to; from < n; from = to) {
        const char *item = item_of(k, from);
        double most = 0.0, off = 0.0;
        for (to = from; to < n && item_of(k, to) == item; to++) {
            if (!k->stiff.held[to]) continue;
            most = fmax(most, fabs(other[to]));
            off = fmax(off, fabs(other[to] - force[to]));
        }
        if (!(off <= NEAR * most)) return false;
    }
    return true;
}

static void copy_forces(const flx_dims *d, const flx_state *x, double *force)
{
    memcpy(force, x->lam, (size_t)d->nlam * sizeof *force);
    memcpy(force + d->nlam, x->mu, (size_t)d->nmu * sizeof *force);
}

// The forces that the rows of held constraints give at x.
static flx_status evaluate_rows(flx_settler *k, flx_work *work, const flx_state *x, double *force)
{
    const flx_system *s = k->sys;
    const flx_dims *d = &s->dims;
    int first = flx_dims_first_constraint(d);
    flx_point p = flx_state_point(s, x);
    copy_forces(d, x, force);
    FLX_TRY(s->ops->residual(s, work, &p, k->r));
    for (int i = 0; i < d->nlam + d->nmu; i++) {
        flx_unknown u;
        if (!k->stiff.held[i]) continue;
        s->ops->unknown(s, first + i, &u);
        force[i] += k->r[first + i] / (i < d->nlam ? u.C : u.E);
    }
    return FLX_OK;
}

static flx_status accelerate(flx_settler *k, flx_work *work)
{
    flx_status status = flx_accelerator_eval(k->acc, work, k->trial, NULL, NULL);
    if (status == FLX_OK) {
        flx_stiff_constraints_measure(&k->stiff, k->sys, flx_accelerator_blocks(k->acc), k->mass);
    }
    return status;
}

// With the forces that the method has for stiff constraints where they are near to what the rows or rigid constraints give,
// else with these constraints held.
static flx_status accelerate_held(flx_settler *k, flx_work *work, const flx_state *x)
{
    const flx_dims *d = &k->sys->dims;
    double *force = k->forces, *other = k->forces + d->nlam + d->nmu;
    copy_forces(d, x, force);
    FLX_TRY(evaluate_rows(k, work, x, other));
    bool near = are_near(k, force, other);
    if (!near) {
        FLX_TRY(accelerate(k, work));
        copy_forces(d, k->trial, other);
        if (!are_near(k, force, other)) return FLX_OK;
    }
    if (!flx_accelerator_keep(k->acc, k->stiff.held)) return near ? accelerate(k, work) : FLX_OK;
    flx_accelerator_hold(k->acc, NULL, 0.0);
    flx_state_copy(k->trial, x);
    flx_status status = accelerate(k, work);
    (void)flx_accelerator_keep(k->acc, NULL);
    return status;
}

// Whether the forces at x are those that were found, but for the error of the latter.
static bool are_confirmed(const flx_settler *k, const flx_state *x)
{
    const flx_dims *d = &k->sys->dims;
    int n = d->nlam + d->nmu;
    double *force = k->forces, *found = k->forces + n, most = 0.0, off = 0.0;
    copy_forces(d, x, force);
    copy_forces(d, k->trial, found);
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(found[i]));
        off = fmax(off, fabs(found[i] - force[i]));
    }
    return n > 0 && off <= LIMIT_ERROR * most;
}

// Limits of steps far shorter than those of the method.
static flx_status relax(flx_settler *k, flx_work *work, const flx_state *x, double h)
{
    if (!k->relaxer) FLX_TRY(flx_relaxer_create(k->sys, &k->relaxer));
    FLX_TRY(flx_relaxer_measure(k->relaxer, work, x));
    h /= flx_relaxer_unit(k->relaxer);
    double d = h > 0.0 ? fmax(SHORT * h, fmin(SHORT_ENOUGH * h, NOISY)) : HUGE_VAL;
    d = fmin(d, FLX_RELAX_RATE_STEP);
    // what an algebraic unknown has to bring about has the rounding of positions over the square of the step
    if (k->sys->dims.nw > 0) d = fmax(d, fmin(BROUGHT_ABOUT * h, BROUGHT_STEP));
    flx_state_copy(k->trial, x);
    FLX_TRY(flx_relax_accelerations(k->relaxer, work, k->trial, d));
    if (are_confirmed(k, x)) {
        memcpy(k->trial->lam, x->lam, (size_t)k->sys->dims.nlam * sizeof *x->lam);
        memcpy(k->trial->mu, x->mu, (size_t)k->sys->dims.nmu * sizeof *x->mu);
    }
    return FLX_OK;
}

// Solvers keep pivots, scales and which of them serves.
bool flx_settler_remembers(const flx_settler *k)
{
    return k->used && (k->acc || k->relaxer);
}

bool flx_settler_by_limits(const flx_settler *k)
{
    return k->massless;
}

flx_status flx_settle(flx_settler *k, flx_work *work, flx_state *x, double h)
{
    bool kept, held = hold_stiff(k, x, h, &kept);
    flx_status status = FLX_SINGULAR;
    k->used = true;
    flx_state_copy(k->trial, x);
    if (k->form && !held && !kept) status = use_form(k, work);
    if (status > 0 && !k->massless && (held || kept || !k->form)) {
        if (kept) (void)flx_accelerator_keep(k->acc, k->kept);
        status = held ? accelerate_held(k, work, x) : accelerate(k, work);
        if (kept) (void)flx_accelerator_keep(k->acc, NULL);
    }
    if (status > 0) {
        status = relax(k, work, x, h);
    }
    if (status == FLX_OK) take(&k->sys->dims, k->trial, x);
    return status;
}

// ---- life -----------------------------------------------------------------------------------

// The form for explicit methods, where it serves: known, or tried out at a state of the run. All memory is taken with it.
static flx_status try_form(flx_settler *k, flx_work *work, const flx_state *start, bool known)
{
    const flx_system *s = k->sys;
    // one with momenta finds velocities of its own
    k->form = s->ops->explicit_form && s->ops->explicit_form->fill ? NULL : s->ops->explicit_form;
    if (!k->form) return FLX_OK;
    size_t n = (size_t)k->form->size(s);
    k->z = flx_alloc(s->ctx, n, sizeof *k->z);
    k->dz = flx_alloc(s->ctx, n, sizeof *k->dz);
    if (!k->z || !k->dz) return FLX_ERR_MEMORY;
    if (k->form->prepare) FLX_TRY(k->form->prepare(s, work));
    if (known) return FLX_OK;
    flx_state_copy(k->trial, start);
    flx_status status = use_form(k, work);
    if (status > 0) k->form = NULL;
    return status < 0 ? status : FLX_OK;
}

// Otherwise by (ACC-1).
static flx_status try_masses(flx_settler *k, flx_work *work, const flx_state *start)
{
    if (k->form && k->stiff.nsoft == 0) return FLX_OK;
    FLX_TRY(flx_accelerator_create(k->sys, &k->acc));
    flx_state_copy(k->trial, start);
    flx_status status = accelerate(k, work);
    k->massless = status == FLX_SINGULAR;
    return status < 0 ? status : FLX_OK;
}

bool flx_settler_by_form(const flx_settler *k)
{
    return k->form != NULL;
}

flx_status flx_settler_create(const flx_system *s, flx_work *work, const flx_state *start,
                              bool by_form, flx_settler **made)
{
    const flx_dims *d = &s->dims;
    flx_settler *k = *made = flx_alloc(s->ctx, 1, sizeof *k);
    if (!k) return FLX_ERR_MEMORY;
    k->sys = s;
    flx_status status = flx_state_create(s, &k->trial);
    if (status == FLX_OK) status = flx_stiff_constraints_create(s, &k->stiff);
    k->mass = flx_alloc(s->ctx, (size_t)s->dims.nv, sizeof *k->mass);
    k->r = flx_alloc(s->ctx, (size_t)flx_dims_unknowns(d), sizeof *k->r);
    k->kept = flx_alloc(s->ctx, (size_t)(d->nlam + d->nmu), sizeof *k->kept);
    k->forces = flx_alloc(s->ctx, 2 * (size_t)(d->nlam + d->nmu), sizeof *k->forces);
    if (status == FLX_OK && (!k->mass || !k->r || !k->forces || !k->kept)) status = FLX_ERR_MEMORY;
    if (status == FLX_OK) status = try_form(k, work, start, by_form);
    if (status == FLX_OK) status = try_masses(k, work, start);
    if (status == FLX_OK && k->massless) status = flx_relaxer_create(s, &k->relaxer);
    if (status != FLX_OK) flx_settler_destroy(made);
    return status;
}

// ---- checkpoint -----------------------------------------------------------------------------

void flx_settler_memory(flx_settler *k, flx_memory *m)
{
    bool relaxes = k->relaxer != NULL;
    FLX_PASS(m, relaxes);
    if (relaxes && !k->relaxer && m->status == FLX_OK) {
        flx_status status = flx_relaxer_create(k->sys, &k->relaxer);
        if (status != FLX_OK) flx_memory_fail(m, status);
    }
    FLX_PASS(m, k->massless);
    if (flx_memory_loads(m)) k->used = true;
    if (k->acc) flx_accelerator_memory(k->acc, m);
    if (relaxes && k->relaxer) flx_relaxer_memory(k->relaxer, m);
    flx_stiff_constraints_memory(&k->stiff, m);
}
