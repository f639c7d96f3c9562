// structural.c - life and step of the methods of structural dynamics.
#include "integrate/structural/structural.h"

#include "base/arrays.h"
#include "integrate/explicit/explicit_close.h"
#include "integrate/steps/alpha_steps.h"

#include <math.h>
#include <string.h>

// Positions are solved to this part of their scale: joints are then closed to rounding.
#define POSITION_TOLERANCE 1e-13
// ... of methods that damp nothing to this: velocities keep over the step what is left of positions.
#define UNDAMPED_TOLERANCE 1e-15
// Rounding that was met is reckoned with in the steps that follow, less and less.
#define FORGET_NOISE 0.95
// Iterations that a fresh linearisation with its factors is worth.
#define REFRESH_COST 4
// Factors renewed because of their age in a row, before one step more is tried.
#define TRY_LONGER 8
// Steps that differ by less are the same step: their factors serve; their accelerations do.
#define SAME_FACTORS 1e-6
#define SAME_STEP 1e-9
// Corrections that close the joints of a value between steps.
#define CLOSING_STEPS 10
// A step that is shorter than this part of what is given was cut by events that all but coincide.
#define CUT 0.01

// ---- life -----------------------------------------------------------------------------------

int flx_structural_coefficients(double am, double af, double beta, double gamma,
                                flx_coefficients *out)
{
    *out = (flx_coefficients){.scheme = FLX_SCHEME_STRUCTURAL,
                              .s = 1,
                              .alpha_m = am,
                              .alpha_f = af,
                              .beta = beta,
                              .gamma = gamma};
    return beta > 0.0 && gamma > 0.0 && am < 1.0 && af < 1.0;
}

void flx_structural_destroy(flx_integrator *it)
{
    structural *g = it->data;
    if (it->sys->ops->touches) {
        flx_alpha_steps_destroy(it);
        return;
    }
    flx_free(g->block);
    flx_stiff_constraints_destroy(&g->stiff);
    flx_tolerance_destroy(&g->tol);
    flx_blocks_destroy(&g->blocks);
    flx_linear_destroy(&g->lin);
    flx_accelerator_destroy(&g->acc);
    flx_inertialess_destroy(&g->inertialess);
    flx_saddle_destroy(&g->saddle);
    flx_closer_destroy(&g->closer);
    flx_state_destroy(&g->trial);
    flx_free(g);
    it->data = NULL;
}

static flx_status make_arrays(const flx_system *s, structural *g)
{
    const flx_dims *d = &s->dims;
    int n = flx_dims_unknowns(d), first = flx_dims_first_constraint(d);
    int ggl = g->ggl ? 1 : 0;
    flx_array arrays[STRUCTURAL_DIFFERENCES + 29] = {FLX_ARRAY(g->a, d->nv),
                                                     FLX_ARRAY(g->y, d->nx),
                                                     FLX_ARRAY(g->v0, d->nv),
                                                     FLX_ARRAY(g->dv0, d->nv),
                                                     FLX_ARRAY(g->dx0, d->nx),
                                                     FLX_ARRAY(g->theta, d->nv),
                                                     FLX_ARRAY(g->q, d->nq),
                                                     FLX_ARRAY(g->v, d->nv),
                                                     FLX_ARRAY(g->dv, d->nv),
                                                     FLX_ARRAY(g->x, d->nx),
                                                     FLX_ARRAY(g->dx, d->nx),
                                                     FLX_ARRAY(g->w, d->nw),
                                                     FLX_ARRAY(g->lam, d->nlam),
                                                     FLX_ARRAY(g->mu, d->nmu),
                                                     FLX_ARRAY(g->r, n),
                                                     FLX_ARRAY(g->d, n),
                                                     FLX_ARRAY(g->scale, n),
                                                     FLX_ARRAY(g->weight, n),
                                                     FLX_ARRAY(g->slope, d->nv + d->nx),
                                                     FLX_ARRAY(g->error, 2 * d->nv + d->nx),
                                                     FLX_ARRAY(g->noise, d->nx),
                                                     FLX_ARRAY(g->rate, d->nlam),
                                                     FLX_ARRAY(g->sigma, d->nlam),
                                                     FLX_ARRAY(g->u, ggl * n),
                                                     FLX_ARRAY(g->way, n),
                                                     FLX_ARRAY(g->along, ggl * d->nv),
                                                     FLX_ARRAY(g->along0, ggl * d->nv),
                                                     FLX_ARRAY(g->mass_of_metric, ggl * d->nv),
                                                     FLX_ARRAY(g->on_position, n - first)};
    for (int k = 0; k < STRUCTURAL_DIFFERENCES; k++)
        arrays[29 + k] = (flx_array)FLX_ARRAY(g->difference[k], n);
    g->block = flx_alloc_arrays(s->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    return g->block ? FLX_OK : FLX_ERR_MEMORY;
}

static void read_unknowns(const flx_system *s, structural *g)
{
    const flx_dims *d = &s->dims;
    int n = flx_dims_unknowns(d), first = flx_dims_first_constraint(d);
    g->smallest_scale = 1.0;
    for (int i = 0; i < n; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        g->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
        g->weight[i] = 1.0 / g->scale[i];
        if (i < d->nv && (i == 0 || g->scale[i] < g->smallest_scale)) {
            g->smallest_scale = g->scale[i];
        }
        if (u.kind != FLX_UNKNOWN_CONSTRAINT) continue;
        g->sigma[i - first] = u.sigma;
        g->on_position[i - first] = flx_constraint_on_position(&u);
        g->npos += g->on_position[i - first];
    }
}

static void read_rows(flx_integrator *it, const double *switches)
{
    structural *g = it->data;
    const flx_system *s = it->sys;
    for (int i = 0; i < s->dims.nlam; i++) {
        flx_unknown u;
        flx_unknown_at(s, switches, flx_dims_first_constraint(&s->dims) + i, &u);
        g->on_position[i] = flx_constraint_on_position(&u); // sigma is asked for only then
    }
}

static flx_status close_joints(flx_integrator *it, flx_state *x);

static flx_status prepare_normals(flx_integrator *it)
{
    structural *g = it->data;
    if (g->npos == 0 || g->closer) return FLX_OK;
    return flx_closer_create(it->sys, &g->closer);
}

static const char *why_reactions_matter(const flx_system *s)
{
    switch (s->reads_multipliers) {
    case FLX_READS_FORCES:
        return "a force of the model reads them (friction in a joint)";
    case FLX_READS_INERTIA:
        return "inertia that is not symmetric reads them";
    case FLX_READS_BALANCE:
        return "parts without inertia move as they balance them";
    default:
        return "its error control follows them";
    }
}

flx_status flx_structural_create(flx_integrator *it, const flx_coefficients *c, const char *damping)
{
    const flx_system *s = it->sys;
    const flx_integrator_def *def = &it->def;
    if (s->ops->touches) return flx_alpha_steps_create(it, c);
    if (def->formulation == FLX_FORMULATION_INDEX1) {
        return FLX_FAIL(it->ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE,
                        "method '%s' solves formulations index-3 and ggl; index-1 is that of "
                        "dopri5",
                        it->type->name);
    }
    structural *g = flx_alloc(it->ctx, 1, sizeof *g);
    if (!g) return FLX_ERR_MEMORY;
    it->data = g;
    flx_method_of(it)->close = close_joints;
    flx_method_of(it)->prepare_normals = prepare_normals;
    flx_method_of(it)->read_rows = read_rows;
    g->am = c->alpha_m;
    g->af = c->alpha_f;
    g->beta = c->beta;
    g->gamma = c->gamma;
    // without dissipation the reactions of index 3 never settle; with it they jump where the step changes, as it does
    // where contacts open and close too, and the forces that read them pass that on
    bool unsettled = g->gamma <= 0.5, adaptive = !(def->step > 0.0);
    bool cut = s->ops->contacts && s->ops->contacts->count(s) > 0;
    g->ggl = def->formulation == FLX_FORMULATION_GGL ||
             (def->formulation == FLX_FORMULATION_AUTO &&
              (unsettled || ((adaptive || cut) && s->reads_multipliers)));
    g->tolerance = def->newton_tolerance > 0.0 ? def->newton_tolerance : POSITION_TOLERANCE;
    FLX_TRY(make_arrays(s, g));
    read_unknowns(s, g);
    unsettled = unsettled && g->npos > 0;
    g->ggl = g->ggl && g->npos > 0;
    flx_method_of(it)->closes_velocities = g->ggl;
    if (g->gamma <= 0.5 && !(def->newton_tolerance > 0.0)) g->tolerance = UNDAMPED_TOLERANCE;
    g->settles = g->gamma <= 0.5 && g->npos + s->dims.nmu > 0 && (g->ggl || g->npos == 0);
    if (unsettled && !g->ggl && (s->reads_multipliers || adaptive)) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "method '%s' without dissipation does not let reactions settle in index 3, "
                        "and %s; give 'formulation: ggl', or use radau",
                        it->type->name, why_reactions_matter(s));
    }
    if (adaptive && s->reads_multipliers && g->npos > 0 && !g->ggl) {
        flx_ctx_warn(it->ctx, FLX_NOWHERE,
                     "method '%s': reactions of index 3 jump where the step changes, and %s: steps "
                     "may become very short; leave 'formulation' out, or give 'ggl'",
                     it->type->name, why_reactions_matter(s));
    }
    if (unsettled && !g->ggl) {
        flx_ctx_warn(it->ctx, FLX_NOWHERE,
                     "method '%s' without dissipation does not let reactions settle in index 3; "
                     "give 'formulation: ggl', or %s",
                     it->type->name, damping);
    }
    double rtol = def->rtol > 0.0 ? def->rtol : FLX_DEFAULT_RTOL;
    double atol = def->atol > 0.0 ? def->atol : FLX_DEFAULT_ATOL;
    FLX_TRY(flx_tolerance_create(s, rtol, atol, g->scale, &g->tol));
    if (g->gamma <= 0.5) FLX_TRY(flx_stiff_constraints_create(s, &g->stiff));
    FLX_TRY(flx_blocks_create(s, &g->blocks));
    FLX_TRY(flx_linear_create(s, false, &g->lin));
    FLX_TRY(flx_accelerator_create(s, &g->acc));
    FLX_TRY(flx_saddle_create(s, &g->saddle));
    if (g->gamma <= 0.5) FLX_TRY(flx_inertialess_create(&g->inertialess, it, &g->blocks));
    return flx_state_create(s, &g->trial);
}

// ---- step -----------------------------------------------------------------------------------

static void set_step(structural *g, double h)
{
    g->h = h;
    g->gp = g->gamma / (h * g->beta);
    g->bp = (1.0 - g->am) / (h * h * g->beta * (1.0 - g->af));
    g->cx = g->bp / g->gp;
    if (g->books.h_factored > 0.0 && fabs(h - g->books.h_factored) > SAME_FACTORS * h)
        g->books.h_factored = 0.0;
}

// A direction that is soft beside one that is stiff, as the stretch of a short element beside its
// bending, turns with the body: after some steps the old factors make corrections along it grow, though
// all others shrink as before. Iterations of a step that has to renew them are lost, and the next factors
// live as long.
void flx_structural_outlived(structural *g)
{
    g->life = g->books.age;
    g->retired = 0;
}

// The books on the factors: renewed when the iterations they cost too much have paid for new ones, or at
// the age at which others have failed.
static void keep_books(structural *g, int iterations)
{
    if (g->books.h_factored == 0.0) return;
    if (flx_newton_keep_books(&g->books, iterations, REFRESH_COST)) g->books.h_factored = 0.0;
    if (g->life == 0 || g->books.age < g->life) return;
    g->books.h_factored = 0.0;
    if (++g->retired < TRY_LONGER) return;
    g->life++;
    g->retired = 0;
}

// Contacts alone have events that are as near to each other as that.
static bool is_cut(const flx_integrator *it, double h)
{
    return it->sys->ops->contacts && h < CUT * it->def.step;
}

flx_status flx_structural_attempt(flx_integrator *it, const flx_state *x, double h)
{
    structural *g = it->data;
    const flx_system *s = it->sys;
    if (g->owed) FLX_TRY(flx_linear_factor(g->lin, &g->blocks, &g->made));
    g->owed = false;
    if (!flx_method_of(it)->continues || g->anew || is_cut(it, g->h_last)) {
        set_step(g, h);
        FLX_TRY(flx_structural_start(it, x, h));
        g->books.h_factored = 0.0;
        if (s->ops->contacts) g->usual_pivot = 0.0; // other rows may hold
    } else if (fabs(h - g->h_last) > SAME_STEP * h) {
        FLX_TRY(flx_structural_change_step(it, x, h));
    }
    set_step(g, h);
    flx_structural_predict(g, s, x);
    s->ops->retract(s, x->q, g->theta, g->q);
    int iterations = 0, told = flx_ctx_error_count(it->ctx);
    flx_status status = flx_structural_solve(it, x, &iterations);
    if (status > FLX_OK && it->def.step > 0.0 && !g->stabilised) { // no shorter step is at hand
        g->books.h_factored = 0.0;
        flx_structural_predict(g, s, x);
        s->ops->retract(s, x->q, g->theta, g->q);
        flx_status found = flx_structural_search(it, x);
        if (found == FLX_OK) flx_ctx_forget_errors(it->ctx, told);
        if (found <= FLX_OK) status = found;
        if (found == FLX_OK) return FLX_OK;
    }
    if (status != FLX_OK) {
        g->books.h_factored = 0.0;
        return status;
    }
    keep_books(g, iterations);
    g->position_noise *= FORGET_NOISE;
    g->force_noise *= FORGET_NOISE;
    return FLX_OK;
}

// Without dissipation an error of the accelerations across the constraints turns round in every step
// and stays, and each step adds the rounding of positions over the square of the step. So accelerations
// and reactions are made those of the end, (ACC-1); where the masses do not determine them they stay.
static flx_status settle(flx_integrator *it, const flx_state *x)
{
    structural *g = it->data;
    const flx_dims *d = &it->sys->dims;
    flx_state *e = g->trial;
    flx_state_copy(e, x);
    e->t = x->t + g->h;
    memcpy(e->q, g->q, (size_t)d->nq * sizeof(double));
    memcpy(e->v, g->v, (size_t)d->nv * sizeof(double));
    memcpy(e->x, g->x, (size_t)d->nx * sizeof(double));
    memcpy(e->w, g->w, (size_t)d->nw * sizeof(double));
    flx_status status =
        flx_accelerator_eval(g->acc, it->work, e, &it->stats.residuals, &it->stats.linearisations);
    if (status != FLX_OK) return status < 0 ? status : FLX_OK;
    memcpy(g->dv, e->a, (size_t)d->nv * sizeof(double));
    memcpy(g->dx, e->dx, (size_t)d->nx * sizeof(double));
    memcpy(g->w, e->w, (size_t)d->nw * sizeof(double));
    memcpy(g->lam, e->lam, (size_t)d->nlam * sizeof(double));
    memcpy(g->mu, e->mu, (size_t)d->nmu * sizeof(double));
    return FLX_OK;
}

flx_status flx_structural_accept(flx_integrator *it, flx_state *x)
{
    structural *g = it->data;
    const flx_dims *d = &it->sys->dims;
    if (g->settles) FLX_TRY(settle(it, x));
    flx_structural_algorithmic(g, g->dv, d->nv, g->a, g->dv0, g->r);
    memcpy(g->a, g->r, (size_t)d->nv * sizeof(double));
    flx_structural_algorithmic(g, g->dx, d->nx, g->y, g->dx0, g->r);
    memcpy(g->y, g->r, (size_t)d->nx * sizeof(double));
    memcpy(x->q, g->q, (size_t)d->nq * sizeof(double));
    memcpy(x->v, g->v, (size_t)d->nv * sizeof(double));
    memcpy(x->a, g->dv, (size_t)d->nv * sizeof(double));
    memcpy(x->x, g->x, (size_t)d->nx * sizeof(double));
    memcpy(x->dx, g->dx, (size_t)d->nx * sizeof(double));
    memcpy(x->w, g->w, (size_t)d->nw * sizeof(double));
    memcpy(x->lam, g->lam, (size_t)d->nlam * sizeof(double));
    memcpy(x->mu, g->mu, (size_t)d->nmu * sizeof(double));
    x->t += g->h;
    if (g->gamma <= 0.5) {
        FLX_TRY(flx_inertialess_velocities(&g->inertialess, it, &g->blocks, x, g->h, true));
    }
    memcpy(g->v0, x->v, (size_t)d->nv * sizeof(double));
    memcpy(g->dv0, g->dv, (size_t)d->nv * sizeof(double));
    memcpy(g->dx0, g->dx, (size_t)d->nx * sizeof(double));
    if (g->ggl) memcpy(g->along0, g->along, (size_t)d->nv * sizeof(double));
    g->h_along = g->h;
    flx_structural_remember(g, d, x);
    return FLX_OK;
}

// What rows were open by where a step begins becomes accelerations and forces in it, the larger the shorter it is. So after a
// step that events have cut to next to nothing they are those of the equations, and the method begins anew.
static flx_status take_accelerations(flx_integrator *it, flx_state *x)
{
    structural *g = it->data;
    const flx_dims *d = &it->sys->dims;
    flx_state *e = g->trial;
    flx_state_copy(e, x);
    flx_status status =
        flx_accelerator_eval(g->acc, it->work, e, &it->stats.residuals, &it->stats.linearisations);
    if (status != FLX_OK) return status < 0 ? status : FLX_OK;
    memcpy(x->a, e->a, (size_t)d->nv * sizeof *x->a);
    memcpy(x->lam, e->lam, (size_t)d->nlam * sizeof *x->lam);
    memcpy(x->mu, e->mu, (size_t)d->nmu * sizeof *x->mu);
    return FLX_OK;
}

flx_status flx_structural_step(flx_integrator *it, flx_state *x, double h, double *h_taken)
{
    const structural *g = it->data;
    if (it->sys->ops->touches) return flx_alpha_steps_step(it, x, h, h_taken);
    if (!(it->def.step > 0.0)) return flx_structural_controlled_step(it, x, h, h_taken);
    FLX_TRY(flx_structural_attempt(it, x, h));
    *h_taken = h;
    FLX_TRY(flx_structural_accept(it, x));
    return is_cut(it, g->h) ? take_accelerations(it, x) : FLX_OK;
}

// ---- values in between ----------------------------------------------------------------------

// ... along the normals there: values are then functions of the ends of the step alone. A singular position stays as it is.
static flx_status close_by_own_normals(flx_integrator *it, flx_state *x)
{
    structural *g = it->data;
    FLX_TRY(prepare_normals(it));
    if (!g->closer) return FLX_OK;
    flx_status status = flx_closer_close_positions(g->closer, it->work, x);
    return status > 0 ? FLX_OK : status;
}

// Close the joints of a value between steps by the factors at hand: the nearest position in the
// metric of the Newton matrix, which is the mass as good as alone. Not near a singular position,
// where that may be far.
static flx_status close_joints(flx_integrator *it, flx_state *x)
{
    structural *g = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    int first = flx_dims_first_constraint(d), n = flx_dims_unknowns(d);
    double last = HUGE_VAL;
    if (flx_method_of(it)->own_normals) return close_by_own_normals(it, x);
    if (g->pivot < STRUCTURAL_REGULAR_PIVOT * g->usual_pivot) return FLX_OK;
    for (int k = 0; k < CLOSING_STEPS && d->nlam > 0; k++) {
        flx_point p = flx_state_point(s, x);
        FLX_TRY(s->ops->residual(s, it->work, &p, g->r));
        it->stats.residuals++;
        double open = 0.0;
        memset(g->d, 0, (size_t)n * sizeof *g->d);
        for (int i = first; i < first + d->nlam; i++) {
            if (!g->on_position[i - first]) continue;
            g->d[i] = -g->r[i];
            open = fmax(open, fabs(g->r[i]) * g->weight[i]);
        }
        if (open <= STRUCTURAL_ROUNDING_ROW || !(open < 0.5 * last)) break;
        FLX_TRY(flx_linear_solve(g->lin, g->d));
        it->stats.solves++;
        s->ops->retract(s, x->q, g->d, x->q);
        last = open;
    }
    return FLX_OK;
}

// ---- checkpoint -----------------------------------------------------------------------------

void flx_structural_memory(flx_integrator *it, flx_memory *m)
{
    structural *g = it->data;
    if (it->sys->ops->touches) {
        flx_alpha_steps_memory(it, m);
        return;
    }
    const flx_dims *d = &it->sys->dims;
    size_t n = (size_t)flx_dims_unknowns(d), nv = (size_t)d->nv, nx = (size_t)d->nx;
    FLX_PASS(m, g->h);
    FLX_PASS(m, g->bp);
    FLX_PASS(m, g->gp);
    FLX_PASS(m, g->cx);
    FLX_PASS(m, g->stabilised);
    flx_memory_numbers(m, g->a, nv);
    flx_memory_numbers(m, g->y, nx);
    flx_memory_numbers(m, g->v0, nv);
    flx_memory_numbers(m, g->dv0, nv);
    flx_memory_numbers(m, g->dx0, nx);
    FLX_PASS(m, g->position_noise);
    FLX_PASS(m, g->force_noise);
    FLX_PASS(m, g->h_last);
    for (int k = 0; k < STRUCTURAL_DIFFERENCES; k++) flx_memory_numbers(m, g->difference[k], n);
    FLX_PASS(m, g->nhistory);
    FLX_PASS(m, g->order);
    FLX_PASS(m, g->unresolved);
    flx_blocks_memory(it->sys, &g->blocks, m);
    // velocities of what has no mass are found with the same blocks
    bool follows = g->gamma > 0.5 && g->books.h_factored > 0.0 && flx_linear_follows(g->lin);
    FLX_PASS(m, follows);
    FLX_PASS(m, g->made);
    if (!follows) flx_linear_memory(g->lin, m);
    if (flx_memory_loads(m)) g->owed = follows;
    flx_accelerator_memory(g->acc, m);
    flx_inertialess_memory(&g->inertialess, it, m);
    flx_saddle_memory(g->saddle, m);
    flx_newton_pass_books(&g->books, m);
    FLX_PASS(m, g->pivot);
    FLX_PASS(m, g->usual_pivot);
    FLX_PASS(m, g->life);
    FLX_PASS(m, g->retired);
    if (g->gamma <= 0.5) flx_stiff_constraints_memory(&g->stiff, m);
    if (g->ggl) {
        flx_memory_numbers(m, g->along, nv);
        flx_memory_numbers(m, g->along0, nv);
    }
    FLX_PASS(m, g->h_along);
    flx_tolerance_memory(&g->tol, d, m);
    flx_memory_numbers(m, g->slope, nv + nx);
    FLX_PASS(m, g->h_slope);
    flx_memory_numbers(m, g->error, 2 * nv + nx);
    FLX_PASS(m, g->h_next);
    FLX_PASS(m, g->rejected);
    FLX_PASS(m, g->anew);
    FLX_PASS(m, g->passing);
    FLX_PASS(m, g->passed);
}
