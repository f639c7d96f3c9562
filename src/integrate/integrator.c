// integrator.c - making an integrator, stepping it, and turning a failure into a message.
#include "base/no_number.h"
#include "base/number.h"
#include "base/refuse.h"
#include "integrate/events/events.h"
#include "integrate/method.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// A step so many times the longest loses the count of turns.
#define SWITCHES_LOST 1.5

flx_integrator_def flx_integrator_def_default(void)
{
    return (flx_integrator_def){.method = "auto",
                                .spectral_radius = -1.0,
                                .alpha = (double)NAN,
                                .beta = (double)NAN,
                                .gamma = (double)NAN};
}

// ---- create ---------------------------------------------------------------------------------

static const flx_integrator_type *find_type(const flx_system *s, const flx_integrator_def *def)
{
    if (def->type) return def->type;
    if (strcmp(def->method, "auto") == 0) return flx_integrator_choose(s, def);
    for (const flx_integrator_type *const *t = flx_integrator_types(); *t; t++) {
        if (strcmp((*t)->name, def->method) == 0) return *t;
    }
    return NULL;
}

static flx_status unknown_method(const flx_system *s, const char *name)
{
    flx_nearest near;
    flx_nearest_start(&near, name);
    flx_nearest_offer(&near, "auto");
    for (const flx_integrator_type *const *t = flx_integrator_types(); *t; t++) {
        flx_nearest_offer(&near, (*t)->name);
    }
    const char *best = flx_nearest_best(&near);
    if (best) {
        return FLX_FAIL(s->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "there is no method '%s'; did you mean '%s'?", name, best);
    }
    return FLX_FAIL(s->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "there is no method '%s'; `flexion info` lists the methods", name);
}

// What every method needs of its definition and of the system's table.
static flx_status check(const flx_system *s, const flx_integrator_type *t,
                        const flx_integrator_def *def)
{
    flx_ctx *ctx = s->ctx;
    const double number[] = {
        def->step,         def->rtol,     def->atol,           def->newton_tolerance,
        def->initial_step, def->max_step, def->spectral_radius};
    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++) {
        if (isfinite(number[i]) && (number[i] >= 0.0 || i == 6)) continue;
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "steps and tolerances of method '%s' must be positive numbers", t->name);
    }
    if (!(def->step > 0.0) && def->rtol > 0.0 && def->rtol < DBL_EPSILON) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "rtol %.3g is finer than numbers are, which have 16 digits; ask for 1e-14 "
                        "at most",
                        def->rtol);
    }
    if (def->step > 0.0 && !t->fixed) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "method '%s' chooses its own steps: give rtol and atol instead of step",
                        t->name);
    }
    if (!(def->step > 0.0) && !t->adaptive) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "method '%s' has no error control: give it a step", t->name);
    }
    if (s->ops->touches && !t->meets_touches) {
        flx_loc loc;
        const char *item = s->ops->touches->item(s, 0, &loc);
        return FLX_FAIL(
            ctx, FLX_ERR_CANNOT, loc,
            "method '%s' does not meet contacts step by step, as contact '%s' is to be; use "
            "'method: moreau', or 'contacts: events'",
            t->name, item);
    }
    if ((s->dims.nlam || s->dims.nmu) &&
        (!s->ops->constraint_rate || !s->ops->constraint_force || !s->ops->constraint_bias)) {
        return FLX_FAIL(ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "method '%s' needs the rates of the constraints; system '%s' has none",
                        t->name, s->ops->name);
    }
    return FLX_OK;
}

static flx_status make(flx_method *m)
{
    flx_integrator *it = &m->base;
    const flx_system *s = it->sys;
    it->work = s->ops->work_create(s);
    if (!it->work) return FLX_FAIL(s->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
    FLX_TRY(flx_state_create(s, &m->before));
    FLX_TRY(flx_state_create(s, &m->after));
    FLX_TRY(flx_state_create(s, &m->output));
    m->theta = flx_alloc(s->ctx, (size_t)s->dims.nv, sizeof *m->theta);
    m->rate = flx_alloc(s->ctx, (size_t)s->dims.nv, sizeof *m->rate);
    if (!m->theta || !m->rate) return FLX_ERR_MEMORY;
    FLX_TRY(it->type->create(it));
    return flx_events_create(it, &m->events);
}

flx_status flx_integrator_create(const flx_system *s, const flx_integrator_def *def,
                                 flx_integrator **it)
{
    if (!s || !def || !it) return flx_refuse_null(NULL, __func__);
    *it = NULL;
    flx_integrator_def d = *def;
    if (!d.method) d.method = "auto";
    const flx_integrator_type *type = find_type(s, &d);
    if (!type) return unknown_method(s, d.method);
    FLX_TRY(check(s, type, &d));
    flx_method *m = flx_alloc(s->ctx, 1, sizeof *m);
    if (!m) return FLX_ERR_MEMORY;
    d.method = type->name;
    m->base = (flx_integrator){.type = type, .sys = s, .ctx = s->ctx, .def = d};
    flx_status status = make(m);
    *it = &m->base;
    if (status != FLX_OK) flx_integrator_destroy(it);
    return status;
}

void flx_integrator_destroy(flx_integrator **it)
{
    if (!it || !*it) return;
    flx_method *m = flx_method_of(*it);
    flx_events_destroy(&m->events);
    flx_events_destroy(&m->input_jumps);
    if (m->base.data) m->base.type->destroy(&m->base);
    if (m->base.work) m->base.sys->ops->work_destroy(m->base.work);
    flx_state_destroy(&m->before);
    flx_state_destroy(&m->after);
    flx_state_destroy(&m->output);
    flx_free(m->theta);
    flx_free(m->rate);
    flx_free(m);
    *it = NULL;
}

const flx_statistics *flx_integrator_statistics(const flx_integrator *it)
{
    return &it->stats;
}

// ---- failure --------------------------------------------------------------------------------

void flx_method_ignores_newton_tolerance(flx_integrator *it)
{
    if (!(it->def.newton_tolerance > 0.0)) return;
    flx_ctx_warn(it->ctx, FLX_NOWHERE, "method '%s' does not use 'newton_tolerance'",
                 it->type->name);
}

flx_status flx_method_refuse_contacts(flx_integrator *it)
{
    const flx_contacts *c = it->sys->ops->contacts;
    if (!c || c->count(it->sys) == 0) return FLX_OK;
    flx_contact_group g;
    c->group(it->sys, 0, &g);
    return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, g.loc,
                    "method '%s' cannot follow '%s', which opens and closes; use radau, "
                    "generalized-alpha, bdf or dopri5",
                    it->type->name, g.item ? g.item : "?");
}

flx_status flx_method_fail(flx_integrator *it, flx_status status, int unknown, double size,
                           int iterations, const char *what, const char *advice)
{
    flx_method_of(it)->trouble = (flx_trouble){
        .unknown = unknown, .size = size, .iterations = iterations, .what = what, .advice = advice};
    return status;
}

flx_status flx_method_singular(flx_integrator *it, flx_status status, int worst)
{
    return flx_method_fail(it, status, worst, 0.0, 0, "the Newton matrix is singular",
                           "to find what is without mass or held twice: `flexion check`");
}

flx_status flx_method_diverged(flx_integrator *it, flx_status status, int worst, int iterations)
{
    it->stats.newton_failures++;
    return flx_method_fail(it, status, worst, 0.0, iterations,
                           status == FLX_SINGULAR ? "the matrix of a step is singular"
                                                  : "Newton's iteration did not converge",
                           it->sys->reads_multipliers == FLX_READS_FORCES
                               ? "a smaller step, error control (rtol in the place of step), or "
                                 "friction with a larger 'velocity': forces that read reactions "
                                 "change too fast for this step"
                               : "a smaller step");
}

// "joint"/"body" words are the system's: item and part.
static void name_unknown(const flx_system *s, int i, char *text, size_t size, flx_loc *loc)
{
    *loc = FLX_NOWHERE;
    text[0] = '\0';
    if (i < 0 || i >= flx_dims_unknowns(&s->dims)) return;
    flx_unknown u = {0};
    s->ops->unknown(s, i, &u);
    *loc = u.loc;
    flx_snprintf(text, size, "; worst at '%s' (%s)", u.item ? u.item : "?", u.part ? u.part : "?");
}

static flx_status report(flx_integrator *it, flx_status status, double t, double h)
{
    flx_trouble *why = &flx_method_of(it)->trouble;
    if (status == FLX_NOT_FINITE) {
        why->what = NULL;
        why->advice = "to find what has no value there: a root of a negative number, a division "
                      "by zero, a table beyond its ends with `extrapolation: error`, a motion "
                      "that grows without bound";
    }
    char where[200], tries[40] = "";
    flx_loc loc;
    name_unknown(it->sys, why->unknown, where, sizeof where, &loc);
    if (why->iterations) {
        flx_snprintf(tries, sizeof tries, " after %d iterations", why->iterations);
    }
    const char *function = flx_no_number_text();
    if (function[0]) why->advice = NULL;
    return FLX_FAIL(it->ctx, status, loc, "%s: %s%s at t = %.9g (step %.3g)%s%s%s%s",
                    it->type->name, why->what ? why->what : flx_status_text(status), tries, t, h,
                    where, function, why->advice ? "; try " : "", why->advice ? why->advice : "");
}

// ---- step -----------------------------------------------------------------------------------

// Methods that choose their steps keep to `longest`; a step that is given can only be remarked on.
static void look_at_switches(flx_integrator *it, const flx_state *x, double h)
{
    flx_method *m = flx_method_of(it);
    m->longest = HUGE_VAL;
    if (!it->sys->ops->longest_step) return;
    m->longest = it->sys->ops->longest_step(it->sys, it->work, x);
    if (m->warned || !(it->def.step > 0.0) || !(h > SWITCHES_LOST * m->longest)) return;
    m->warned = true;
    flx_ctx_warn(it->ctx, FLX_NOWHERE,
                 "%s: at t = %.9g a joint rotates by more than half a revolution in a step of %.3g "
                 "s, and its "
                 "angle cannot be followed; use steps below %.3g s",
                 it->type->name, x->t, h, m->longest);
}

flx_status flx_integrator_step(flx_integrator *it, flx_state *x, double h, double *h_taken)
{
    if (!it || !x) return flx_refuse_null(NULL, __func__);
    flx_method *m = flx_method_of(it);
    double taken = 0.0, t = x->t;
    if (!(h > 0.0) || !isfinite(h)) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "a step must be positive");
    }
    if (it->def.max_steps > 0 && it->stats.steps >= it->def.max_steps) {
        return FLX_FAIL(it->ctx, FLX_TOO_MANY_STEPS, FLX_NOWHERE,
                        "%s: %ld steps made, t = %.9g reached; raise the limit of steps or the "
                        "tolerance",
                        it->type->name, it->stats.steps, t);
    }
    m->trouble = (flx_trouble){.unknown = -1};
    m->span = fmax(m->span, h);
    m->continues = m->stepped && x->t == m->after->t &&
                   memcmp(x->block, m->after->block, x->size * sizeof *x->block) == 0;
    if (!m->continues) {
        flx_state_copy(m->after, x);
        m->begin = x->t;
        if (it->sys->ops->contacts && m->read_rows) m->read_rows(it, x->switches);
    }
    look_at_switches(it, x, h);
    m->rates_jumped = false;
    flx_status status = it->type->step(it, x, h, &taken);
    m->input_jumped = false;
    if (h_taken) *h_taken = status == FLX_OK ? taken : 0.0;
    if (status != FLX_OK) m->stepped = false;
    if (status > 0) return report(it, status, t, taken > 0.0 ? taken : h); // the last one tried
    if (status != FLX_OK) return status;
    flx_no_number_forget();

    // the end of the last step is the beginning of this one
    flx_state *begin = m->after;
    m->after = m->before;
    m->before = begin;
    if (it->sys->ops->accept) it->sys->ops->accept(it->sys, it->work, x);
    flx_state_copy(m->after, x);
    m->stepped = true;
    it->stats.steps++;
    it->stats.largest_step = fmax(it->stats.largest_step, taken);
    if (it->stats.steps == 1 || taken < it->stats.smallest_step) it->stats.smallest_step = taken;
    return FLX_OK;
}

flx_status flx_integrator_interpolate(flx_integrator *it, double t, flx_state *out)
{
    if (!it || !out) return flx_refuse_null(NULL, __func__);
    flx_method *m = flx_method_of(it);
    if (!m->stepped || !(t >= m->before->t && t <= m->after->t)) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "%s: t = %.9g is not inside the last step", it->type->name, t);
    }
    if (it->type->interpolate) return it->type->interpolate(it, t, out);
    flx_hermite(it->sys, m->before, m->after, t, m->theta, m->rate, out);
    return m->close ? m->close(it, out) : FLX_OK;
}
