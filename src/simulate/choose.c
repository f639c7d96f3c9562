// choose.c - what `method: auto` stands for, and why.
//
// The spectrum of the linearised system at the start (and, without constraints, a little off it, where a
// force that is zero at the start shows itself) is set against the length of the run and the step:
//     constrained, algebraic, massless, or with switches   -> radau: takes every index, stiff or not
//     strongly damped, or a fast oscillation over a slow one -> radau: steps over what is fast
//     not stiff                                            -> dopri5, dop853 for tight tolerances
//     fixed step, conservative, resolved, many periods     -> galerkin: keeps energy and momentum
//     fixed step otherwise                                 -> generalized-alpha: damps the rest
// A formulation that only one family has decides first. A method that refuses the system is passed
// over. Theory: docs/theory/integrators.md, "auto".
#include "analyse/spectrum.h"
#include "base/number.h"
#include "simulate/simulation_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define OFF_START 0.3 // displacement, as a part of the typical size of a coordinate
#define DAMPED 0.5    // -Re s/|s| above which decay, not oscillation, limits explicit steps
#define MANY_CONSTANTS                                                                             \
    1000. // time constants in the run: an explicit method needs a third as many steps
#define MANY_PERIODS 500.
#define SPREAD 100.      // fastest over slowest
#define RESOLVED 0.7     // step times fastest rate
#define LONG_PERIODS 10. // of the fastest motion: drift becomes visible
#define TIGHT 1.0001e-6  // relative tolerance from which the higher order pays
#define TWO_PI 6.283185307179586

typedef struct verdict {
    const char *methods[4]; // in the order in which they are tried; NULL ends it
    char why[240];
} verdict;

// ---- what is known of the system ----------------------------------------------------------------

typedef struct evidence {
    flx_spectrum spectrum;
    int rigid;                        // rigid constraints
    bool switches;                    // conditions or events
    bool conservative;                // nothing dissipates or supplies
    double until, constants, periods; // the run; time constants and periods of the fastest in it
} evidence;

static int count_rigid(const flx_system *s)
{
    int first = flx_dims_first_constraint(&s->dims), n = flx_dims_unknowns(&s->dims), rigid = 0;
    for (int i = first; i < n; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        rigid += u.kind == FLX_UNKNOWN_CONSTRAINT ? !(u.C > 0.0) : !(u.E > 0.0);
    }
    return rigid;
}

static bool has_switches(const flx_system *s)
{
    const flx_event_ops *i = s->ops->events;
    return i && (i->indicators(s) > 0 || i->events(s) > 0);
}

// Off the start, by a pattern without symmetry; k = 1, 2.
static void displace(const flx_system *s, const flx_state *from, int k, double *theta,
                     flx_state *to)
{
    flx_state_copy(to, from);
    for (int i = 0; i < s->dims.nv; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        theta[i] = OFF_START * u.scale * sin(2.3 * k + 3.7 * i);
    }
    s->ops->retract(s, from->q, theta, to->q);
}

// The fastest of the start and, where no constraint would be torn, of two places beside it.
static flx_status find_spectrum(flx_simulation *sim, bool slower, evidence *e)
{
    const flx_system *s = sim->sys;
    FLX_TRY(flx_spectrum_find(s, sim->work, sim->start, slower, &e->spectrum));
    if (!e->spectrum.known || e->rigid > 0 || s->dims.nv == 0) return FLX_OK;
    double *theta = flx_alloc(sim->ctx, (size_t)s->dims.nv, sizeof *theta);
    if (!theta) return FLX_ERR_MEMORY;
    flx_status status = FLX_OK;
    for (int k = 1; k <= 2 && status == FLX_OK; k++) {
        flx_spectrum there;
        displace(s, sim->start, k, theta, sim->inner);
        status = flx_spectrum_find(s, sim->work, sim->inner, slower, &there);
        if (status != FLX_OK || !there.known) continue;
        bool conservative = e->spectrum.conservative && there.conservative;
        double slowest = e->spectrum.slowest;
        if (there.fastest > e->spectrum.fastest) e->spectrum = there;
        e->spectrum.conservative = conservative;
        e->spectrum.slowest = slowest > 0.0 ? slowest : there.slowest;
    }
    flx_free(theta);
    return status;
}

static flx_status gather(flx_simulation *sim, evidence *e)
{
    const flx_system *s = sim->sys;
    *e = (evidence){.rigid = count_rigid(s), .switches = has_switches(s), .until = sim->until};
    FLX_TRY(find_spectrum(sim, false, e));
    // how slow the slowest is counts where the fastest goes to and fro many times
    if (e->spectrum.fastest * sim->until / TWO_PI > MANY_PERIODS)
        FLX_TRY(find_spectrum(sim, true, e));
    e->conservative = e->spectrum.conservative ||
                      (s->ops->energy && !flx_simulation_is_powered(sim) && s->dims.nx == 0);
    e->constants = e->spectrum.fastest * sim->until;
    e->periods = e->constants / TWO_PI;
    return FLX_OK;
}

// ---- the choice ---------------------------------------------------------------------------------

// "fastest time constant 0.002 s, 1/5000 of the run"
static void write_pace(const evidence *e, char *text, size_t size)
{
    if (!e->spectrum.known) {
        flx_snprintf(text, size, "its spectrum is not known");
    } else if (!(e->spectrum.fastest > 0.0)) {
        flx_snprintf(text, size, "nothing in it is fast");
    } else if (e->constants >= 1.0) {
        flx_snprintf(text, size, "fastest time constant %.3g s, 1/%.3g of the run",
                     1.0 / e->spectrum.fastest, e->constants);
    } else {
        flx_snprintf(text, size, "fastest time constant %.3g s, longer than the run",
                     1.0 / e->spectrum.fastest);
    }
}

static void choose_adaptive(const flx_simulation *sim, const evidence *e, const char *pace,
                            verdict *v)
{
    const flx_spectrum *sp = &e->spectrum;
    const flx_dims *d = &sim->sys->dims;
    double ratio = sp->slowest > 0.0 ? sp->fastest / sp->slowest : 1.0;
    bool damped = sp->damping > DAMPED && e->constants > MANY_CONSTANTS;
    bool oscillates = e->periods > MANY_PERIODS && (ratio > SPREAD || !sp->all);
    size_t size = sizeof v->why;
    v->methods[0] = "radau";
    if (sp->massless) {
        flx_snprintf(v->why, size, "a direction without mass needs an implicit method");
    } else if (e->rigid > 0) {
        flx_snprintf(v->why, size, "%d constraint%s; %s", e->rigid, e->rigid > 1 ? "s" : "", pace);
    } else if (d->nw > 0) {
        flx_snprintf(v->why, size, "%d algebraic equation%s; %s", d->nw, d->nw > 1 ? "s" : "",
                     pace);
    } else if (!sp->known) {
        flx_snprintf(v->why, size, "%s, and radau takes all", pace);
    } else if (e->switches) {
        flx_snprintf(v->why, size, "switches or events can make it stiff; %s", pace);
    } else if (damped) {
        flx_snprintf(v->why, size, "strongly damped: %s", pace);
    } else if (oscillates && sp->all) {
        flx_snprintf(v->why, size, "stiff oscillation, %.3g times faster than the slowest; %s",
                     ratio, pace);
    } else if (oscillates) {
        flx_snprintf(v->why, size, "fast oscillation: %s", pace);
    } else {
        bool tight = sim->def.rtol > 0.0 && sim->def.rtol <= TIGHT;
        v->methods[0] = tight ? "dop853" : "dopri5";
        v->methods[1] = "radau";
        flx_snprintf(v->why, size, "not stiff: %s", pace);
    }
}

static void choose_fixed(const flx_simulation *sim, const evidence *e, const char *pace, verdict *v)
{
    double h = sim->def.step, reach = h * e->spectrum.fastest;
    bool resolved = e->spectrum.known && reach <= RESOLVED;
    bool conserves = e->conservative && resolved && !e->switches && e->periods >= LONG_PERIODS;
    if (conserves && sim->def.formulation == FLX_FORMULATION_AUTO) {
        v->methods[0] = "galerkin";
        v->methods[1] = "variational";
        v->methods[2] = "generalized-alpha";
        flx_snprintf(
            v->why, sizeof v->why,
            "conservative, %.3g periods of the fastest motion, %.3g steps each: energy stays "
            "bounded",
            e->periods, TWO_PI / reach);
        return;
    }
    v->methods[0] = "generalized-alpha";
    v->methods[1] = "radau";
    if (e->spectrum.known && reach > 1.0) {
        flx_snprintf(v->why, sizeof v->why,
                     "a fixed step of %.3g time constants damps what it cannot "
                     "resolve; %s",
                     reach, pace);
    } else {
        flx_snprintf(v->why, sizeof v->why, "a fixed step; %s", pace);
    }
}

static verdict judge(const flx_simulation *sim, const evidence *e)
{
    verdict v = {.methods = {NULL}};
    char pace[120];
    write_pace(e, pace, sizeof pace);
    if (sim->def.formulation == FLX_FORMULATION_INDEX1) {
        v.methods[0] = sim->def.rtol > 0.0 && sim->def.rtol <= TIGHT ? "dop853" : "dopri5";
        v.methods[1] = "dopri5";
        flx_snprintf(v.why, sizeof v.why, "explicit methods have formulation index-1; %s", pace);
    } else if (sim->def.formulation == FLX_FORMULATION_GGL) {
        v.methods[0] = "radau";
        flx_snprintf(v.why, sizeof v.why, "takes formulation ggl; %s", pace);
    } else if (sim->def.step > 0.0) {
        choose_fixed(sim, e, pace, &v);
    } else {
        choose_adaptive(sim, e, pace, &v);
    }
    return v;
}

flx_status flx_simulation_choose_method(flx_simulation *sim)
{
    evidence e;
    FLX_TRY(gather(sim, &e));
    verdict v = judge(sim, &e);
    int before = flx_ctx_error_count(sim->ctx);
    flx_status status = FLX_OK;
    for (int i = 0; i < 4 && v.methods[i]; i++) {
        flx_ctx_forget_errors(sim->ctx, before);
        sim->def.method = v.methods[i];
        status = flx_simulation_create_method(sim);
        if (status == FLX_OK || status == FLX_ERR_MEMORY) break;
    }
    FLX_TRY(status);
    const char *form = sim->plan->form_reason;
    sim->info.reason =
        flx_arena_printf(sim->arena, "%s%s%s", v.why, form ? "; " : "", form ? form : "");
    return sim->info.reason ? FLX_OK : FLX_ERR_MEMORY;
}
