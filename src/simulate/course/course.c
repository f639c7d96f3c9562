// course.c - what is followed along a run: powers and measures, with their integrals and extremes.
//
// Values are known at the ends of a step and at places inside, from which integrals follow. Where an extreme may lie between
// the places, it is sought with the method's dense output (course_extremes.c); measures that change faster than the motion are
// followed in parts of steps (course_halves.c).
#include "integrate/method.h"
#include "simulate/course/course_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef flx_run run;
enum {
    DISSIPATED = FLX_COURSE_DISSIPATED,
    SUPPLIED = FLX_COURSE_SUPPLIED,
    FIRST_PROBE = FLX_COURSE_PROBES
};

static bool has_course(const flx_simulation *sim)
{
    return sim->powered || sim->model->outputs.nprobe > 0;
}

// ---- values -------------------------------------------------------------------------------------

flx_status flx_course_observe_probes(flx_simulation *sim, const flx_state *x)
{
    FLX_TRY(flx_account_signals(&sim->probes, sim, x, flx_course_dissipated_at(sim, x->t)));
    for (int i = 0; i < sim->model->outputs.nprobe; i++) {
        double value = sim->probes.out[i];
        flx_probe_value *v = &sim->probe_values[i];
        v->low = fmin(v->low, value);
        v->high = fmax(v->high, value);
    }
    return FLX_OK;
}

// Powers and probes at a state.
flx_status flx_course_observe(flx_simulation *sim, const flx_state *x, double *out)
{
    int nprobe = sim->model->outputs.nprobe;
    out[DISSIPATED] = out[SUPPLIED] = 0.0;
    if (sim->powered) {
        flx_energies e;
        FLX_TRY(flx_account_find_energies(sim, x, &e));
        out[DISSIPATED] = e.dissipated_power;
        out[SUPPLIED] = e.supplied_power;
    }
    if (nprobe == 0) return FLX_OK;
    FLX_TRY(flx_course_observe_probes(sim, x));
    for (int i = 0; i < nprobe; i++) {
        double value = sim->probe_values[i].last = sim->probes.out[i];
        out[FIRST_PROBE + i] = value;
        out[FIRST_PROBE + nprobe + i] = value * value;
    }
    return FLX_OK;
}

// sim->inner at a time inside the last step.
flx_status flx_course_place(flx_simulation *sim, double t)
{
    FLX_TRY(flx_integrator_interpolate(sim->it, t, sim->inner));
    return sim->courses_settle ? flx_simulation_settle_here(sim, sim->inner) : FLX_OK;
}

flx_status flx_course_observe_places(flx_simulation *sim, double from, double t, double *inner)
{
    for (int k = 0; k < sim->course.inner; k++) {
        FLX_TRY(flx_course_place(sim, from + flx_quadrature_place(&sim->course, k) * (t - from)));
        FLX_TRY(flx_course_observe(sim, sim->inner, inner + k * sim->course.n));
    }
    return FLX_OK;
}

// Values inside the interval, where the method can give them.
static flx_status observe_inner(flx_simulation *sim, double from, double t, const double **inner)
{
    *inner = NULL;
    if (!sim->course.inner || !(t > from)) return FLX_OK;
    *inner = sim->course_inner;
    return flx_course_observe_places(sim, from, t, sim->course_inner);
}

bool flx_course_close_along(const flx_simulation *sim, bool own_normals)
{
    flx_method *m = flx_method_of(sim->it);
    bool was = m->own_normals;
    if (m->prepare_normals) m->own_normals = own_normals;
    return was;
}

double flx_course_polynomial(int n, const double *x, const double *f, double at)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double term = f[i];
        for (int k = 0; k < n; k++) term *= k == i ? 1.0 : (at - x[k]) / (x[i] - x[k]);
        sum += term;
    }
    return sum;
}

static bool is_at(double time, double t)
{
    return fabs(time - t) <= 1e-9 * fmax(fabs(t), DBL_MIN) || time == t;
}

// Values at times that are asked for: at the end of the step, or inside it.
static flx_status find_at(flx_simulation *sim, double from, double t, const double *end)
{
    const flx_outputs *o = &sim->model->outputs;
    for (int i = 0; i < o->nprobe; i++) {
        double time = o->probes[i].time, *out = &sim->probe_values[i].at;
        if (o->probes[i].kind != FLX_MEASURE_AT || !isnan(*out)) continue;
        flx_course_peak p = {sim, i, 1.0, from, t - from, 0};
        if (is_at(time, t)) {
            *out = end[FIRST_PROBE + i];
        } else if (time > from && time < t) {
            bool was = flx_course_close_along(sim, true);
            flx_status status = flx_course_look(&p, (time - from) / p.h, out);
            flx_course_close_along(sim, was);
            FLX_TRY(status);
        }
    }
    return FLX_OK;
}

// ---- the run ------------------------------------------------------------------------------------

flx_status flx_account_start(run *r, const flx_state *x)
{
    flx_simulation *sim = r->sim;
    for (int i = 0; i < sim->model->outputs.nprobe; i++)
        sim->probe_values[i] =
            (flx_probe_value){.low = HUGE_VAL, .high = -HUGE_VAL, .at = (double)NAN};
    memset(sim->course.sum, 0, (size_t)sim->course.n * sizeof *sim->course.sum);
    sim->passing = (flx_passing){0};
    FLX_TRY(flx_course_observe(sim, x, sim->course_value));
    flx_quadrature_start(&sim->course, x->t, sim->course_value);
    flx_halves_start(sim->halves);
    for (int i = 0; i < sim->model->outputs.nprobe; i++) {
        if (is_at(sim->model->outputs.probes[i].time, x->t))
            sim->probe_values[i].at = sim->course_value[FIRST_PROBE + i];
    }
    return FLX_OK;
}

// What the whole step has dissipated is known: parts of it, or a power that ends within it, may have moved it.
static flx_status close_passing(flx_simulation *sim, const flx_state *x)
{
    flx_passing *p = &sim->passing;
    p->open = false;
    if (p->end == sim->course.sum[DISSIPATED]) return FLX_OK;
    p->end = sim->course.sum[DISSIPATED];
    return flx_course_observe(sim, x, sim->course_value);
}

flx_status flx_account_step(run *r, const flx_state *x)
{
    flx_simulation *sim = r->sim;
    const double *inner, *end = sim->course_value;
    if (!has_course(sim)) return FLX_OK;
    if (flx_course_reads_dissipated(sim)) FLX_TRY(flx_course_foresee(sim, r->step_end, x));
    FLX_TRY(observe_inner(sim, r->step_end, x->t, &inner));
    FLX_TRY(flx_course_observe(sim, x, sim->course_value));
    sim->energy_turnover += (x->t - r->step_end) * fabs(end[SUPPLIED]);
    if (!(x->t > sim->course.times[0])) return FLX_OK;
    FLX_TRY(find_at(sim, r->step_end, x->t, end));
    const flx_course_part step = {r->step_end, x->t, sim->course.past, inner, end};
    bool acted = step.begin[DISSIPATED] != 0.0, split = acted != (end[DISSIPATED] != 0.0);
    bool met = sim->sys->ops->touches && sim->it->type->meets_touches;
    double sum = sim->course.sum[DISSIPATED];
    split = split && sim->powered && !inner && (!sim->sharp || sim->halves) && !met;
    FLX_TRY(flx_course_follow_step(sim, &step));
    bool jumped = flx_method_of(sim->it)->rates_jumped;
    if (flx_halves_anew(sim->halves, jumped || split)) sim->course.known = 1;
    if (split) {
        FLX_TRY(flx_account_split_power(sim, step.from, step.to, acted, &sum));
        sim->course.sum[DISSIPATED] = sum;
    }
    if (sim->passing.open) FLX_TRY(close_passing(sim, x));
    for (int i = 0; i < sim->model->outputs.nprobe; i++)
        sim->probe_values[i].last = end[FIRST_PROBE + i];
    return FLX_OK;
}

flx_status flx_account_jump(flx_simulation *sim, const flx_state *after)
{
    if (!has_course(sim)) return FLX_OK;
    FLX_TRY(flx_course_observe(sim, after, sim->course_value));
    flx_quadrature_jump(&sim->course, after->t, sim->course_value);
    return FLX_OK;
}

flx_status flx_account_crumb(run *r, const flx_state *x)
{
    flx_quadrature *c = &r->sim->course;
    double h = x->t - r->step_end;
    r->step_end = x->t;
    if (!has_course(r->sim)) return FLX_OK;
    for (int i = 0; i < c->n; i++) c->sum[i] += h * c->past[i];
    return flx_account_jump(r->sim, x);
}

double flx_course_dissipated(const flx_simulation *sim, double by_powers)
{
    return by_powers + (sim->it ? flx_integrator_statistics(sim->it)->lost_in_contacts : 0.0);
}

double flx_course_supplied(const flx_simulation *sim)
{
    return sim->course.sum[SUPPLIED] +
           (sim->it ? flx_method_of(sim->it)->supplied_in_impacts : 0.0);
}

flx_status flx_account_dissipated(run *r, const flx_state *x, double *out)
{
    flx_simulation *sim = r->sim;
    const double *inner;
    *out = flx_course_dissipated(sim, sim->course.sum[DISSIPATED]);
    if (!sim->powered || !sim->shows_dissipated || !(x->t > r->step_end)) return FLX_OK;
    if (sim->courses_settle && !sim->losses_settle && sim->model->outputs.nprobe == 0) {
        FLX_TRY(flx_account_losses(sim, r->step_end, x, &inner));
    } else {
        FLX_TRY(observe_inner(sim, r->step_end, x->t, &inner));
        FLX_TRY(flx_course_observe(sim, x, sim->course_value));
    }
    flx_quadrature_extend(&sim->course, x->t, inner, sim->course_value, sim->course_sum);
    *out = flx_course_dissipated(sim, sim->course_sum[DISSIPATED]);
    return FLX_OK;
}
