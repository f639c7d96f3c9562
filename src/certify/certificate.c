// certificate.c - whether the inertia of J may be neglected, condition by condition, with numbers.
#include "base/number.h"
#include "base/refuse.h"
#include "certify/certificate_parts.h"
#include "certify/scaled.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SCALES 10.0 // rates so far apart are of different powers
#define AGREES 3.0  // error met over error expected: the expansion describes it
#define LITTLE 1e-7 // errors below this are those of the two runs

static flx_status add(flx_certificate *c, const char *name, int needed, flx_verdict verdict,
                      const char *format, ...) FLX_PRINTF(5, 6);

static flx_status add(flx_certificate *c, const char *name, int needed, flx_verdict verdict,
                      const char *format, ...)
{
    char text[400];
    va_list list;
    va_start(list, format);
    flx_vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const char *copy = flx_arena_copy(c->arena, text, strlen(text));
    if (!copy) return FLX_ERR_MEMORY;
    c->conditions[c->ncondition++] =
        (flx_condition){.name = name, .verdict = verdict, .text = copy, .needed = needed};
    return FLX_OK;
}

static flx_verdict met_if(bool condition)
{
    return condition ? FLX_VERDICT_MET : FLX_VERDICT_NOT_MET;
}

// ---- conditions ---------------------------------------------------------------------------------

static flx_status judge_reactions(flx_certificate *c)
{
    const flx_split *w = &c->split.worst;
    if (c->full->sys->dims.nlam + c->full->sys->dims.nmu == 0) {
        return add(c, "reactions", 1, FLX_VERDICT_MET, "there are no constraints to bear");
    }
    if (!w->bears) {
        return add(c, "reactions", 1, FLX_VERDICT_NOT_MET,
                   "G_I loses rank at t = %.4g: the rest cannot bear the reactions there",
                   c->split.refused_at);
    }
    return add(c, "reactions", 1, FLX_VERDICT_MET,
               "G_I has full rank: its smallest singular value is %.3g of the largest", w->rank);
}

static flx_status judge_gap(flx_certificate *c)
{
    const flx_split *w = &c->split.worst;
    if (!(w->next > 0.0)) {
        return add(c, "gap", 1, FLX_VERDICT_MET, "nothing else moves at a rate of its own");
    }
    return add(
        c, "gap", 1, met_if(w->gap >= FLX_SPLIT_GAP),
        "what is reduced moves at %.4g/s or faster, the rest at %.4g/s at the most: %.3g times, at "
        "t = %.3g",
        w->fast, w->next, w->gap, c->split.gap_at);
}

static flx_status judge_layer(flx_certificate *c)
{
    const flx_split *w = &c->split.worst;
    if (!(w->decay > 0.0)) {
        return add(c, "layer", 1, met_if(false), "the layer grows with %.4g/s", -w->decay);
    }
    char scales[80] = "";
    if (w->fastest > SCALES * w->fast) {
        flx_snprintf(scales, sizeof scales, "; it has several scales, %.3g to %.3g/s", w->fast,
                     w->fastest);
    }
    return add(c, "layer", 1, FLX_VERDICT_MET,
               "the layer decays with %.4g/s at least: to a hundredth in %.3g s%s", w->decay,
               log(100.0) / w->decay, scales);
}

static flx_status judge_norm(flx_certificate *c)
{
    const flx_split *w = &c->split.worst;
    if (w->norm < 0.0 && !(w->norm > 1e-6 * w->weighted)) {
        return add(c, "logarithmic norm", 1, FLX_VERDICT_MET,
                   "%.4g/s in the norm of energies, the spectral abscissa is %.4g/s", w->norm,
                   w->weighted);
    }
    return add(c, "logarithmic norm", 1, met_if(w->weighted < 0.0),
               "%.4g/s in the norm of its eigenvectors (condition %.3g); in that of energies "
               "%.2g/s%s",
               w->weighted, w->condition, fabs(w->norm) < 1e-6 * w->fastest ? 0.0 : w->norm,
               w->vibrates ? ", as for every vibration" : "");
}

static flx_status judge_uniform(flx_certificate *c)
{
    const flx_split *w = &c->split.worst;
    bool met = c->split.uniform == c->split.points && flx_split_is_uniform(w);
    const char *where = w->along ? ", along the slow manifold" : "";
    if (!(w->gamma > 0.0)) {
        return add(c, "bound for all times", 0, FLX_VERDICT_NOT_MET,
                   "the rest does not decay by itself, gamma = %.4g/s: its errors may grow with "
                   "time (beta = %.4g/s)",
                   w->gamma, w->beta);
    }
    return add(c, "bound for all times", 0, met_if(met),
               "L2 L3 = %.4g %s beta gamma = %.4g x %.4g = %.4g%s", w->product,
               w->product < w->beta * w->gamma ? "<" : ">=", w->beta, w->gamma, w->beta * w->gamma,
               where);
}

// What is reduced is what the fastest scaled motion is (CERT-9).
static flx_status judge_scaled(flx_certificate *c)
{
    const flx_neglect *r = &c->reduced->plan->reduction;
    const flx_model *m = c->reduced->model;
    flx_certificate_numbers *n = &c->numbers;
    flx_scaled_course course;
    flx_unknown u = {0};
    if (m->nscaled == 0) return FLX_OK;
    FLX_TRY(flx_scaled_course_find(c->full, m, &c->pilot, &course));
    n->scaled_first = course.start.first;
    n->scaled_second = course.start.second;
    n->scaled_distance = course.start.distance;
    n->scaled_narrowest = course.narrowest;
    n->scaled_widest = course.widest;
    bool met = false;
    for (int k = 0; k < r->n; k++) met = met || r->J[k] == course.start.coordinate;
    if (course.start.coordinate >= 0) {
        c->full->sys->ops->unknown(c->full->sys, course.start.coordinate, &u);
    }
    return add(
        c, "scaled matrix", 0, met_if(met && course.same),
        "eigenvalues %.5g, %.5g at the start, %.3g to %.3g times apart; the first is '%s' up "
        "to %.3g%s",
        n->scaled_first, n->scaled_second, course.narrowest, course.widest, u.item ? u.item : "?",
        n->scaled_distance, course.same ? "" : ", not everywhere");
}

static flx_status judge_errors(flx_certificate *c)
{
    const flx_certificate_numbers *n = &c->numbers;
    bool rest = n->expected.item && n->met.item;
    const flx_certified_error *expected = rest ? &n->expected : &n->expected_fast;
    const flx_certified_error *met = rest ? &n->met : &n->met_fast;
    if (c->error_reason || !isfinite(expected->largest) || !expected->item || !met->item) {
        return add(c, "first-order term", 0, FLX_VERDICT_UNDECIDED, "%s",
                   c->error_reason ? c->error_reason : "the errors are too small to be told");
    }
    bool agrees = met->largest <= AGREES * expected->largest + LITTLE;
    return add(c, "first-order term", 0, met_if(agrees),
               "error expected %.3g in '%s', met %.3g in '%s'%s", expected->largest, expected->item,
               met->largest, met->item, agrees ? "" : ": the layer or higher orders count");
}

static flx_status judge(flx_certificate *c)
{
    const flx_neglect *r = &c->reduced->plan->reduction;
    flx_status status = flx_course_split_find(c->full, &c->pilot, r->n, r->J, &c->split);
    if (status == FLX_ERR_CANNOT) {
        return add(c, "conditions", 1, FLX_VERDICT_UNDECIDED,
                   "systems of at most %d unknowns are looked at, this one has %d", FLX_FROZEN_MOST,
                   flx_dims_unknowns(&c->full->sys->dims));
    }
    FLX_TRY(status);
    FLX_TRY(judge_reactions(c));
    if (c->split.points == 0) {
        return add(c, "gap", 1, FLX_VERDICT_UNDECIDED,
                   c->split.worst.bears ? "J has no inertia, or the rest has directions without any"
                                        : "the split is not defined");
    }
    FLX_TRY(judge_gap(c));
    FLX_TRY(judge_layer(c));
    FLX_TRY(judge_norm(c));
    return judge_uniform(c);
}

static void fill_numbers(flx_certificate *c)
{
    const flx_split *w = &c->split.worst;
    flx_certificate_numbers *n = &c->numbers;
    const flx_certified_error unknown = {.largest = (double)NAN, .at = (double)NAN};
    *n = (flx_certificate_numbers){.rank = w->rank,
                                   .gap = w->gap,
                                   .fast = w->fast,
                                   .next = w->next,
                                   .decay = w->decay,
                                   .norm = w->norm,
                                   .weighted = w->weighted,
                                   .condition = w->condition,
                                   .beta = w->beta,
                                   .gamma = w->gamma,
                                   .product = w->product,
                                   .pilot_until = c->pilot.until,
                                   .pilot_seconds = c->pilot.seconds,
                                   .points = c->split.points,
                                   .expected = unknown,
                                   .expected_fast = unknown,
                                   .met = unknown,
                                   .met_fast = unknown};
}

// ---- create -------------------------------------------------------------------------------------

static flx_status refuse(const flx_certificate *c, const flx_model *m)
{
    if (m->nreduced == 0 && !m->reduce_auto && m->ncutoff + m->ncondensed > 0) {
        return FLX_FAIL(c->ctx, FLX_ERR_MODEL, m->reduce_loc,
                        "a certificate is of 'type: quasistatic'; '%s' has none: run the model "
                        "with and without it and compare them",
                        m->ncutoff > 0 ? "cutoff" : "guyan");
    }
    if (m->nreduced == 0 && !m->reduce_auto) {
        return FLX_FAIL(c->ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                        "the model reduces nothing; add 'reduce: {type: quasistatic, "
                        "neglect_inertia: auto}'");
    }
    if (m->reduce_scaled) {
        return FLX_FAIL(
            c->ctx, FLX_ERR_MODEL, m->reduce_loc,
            "a certificate is of given coordinates: leave out `coordinates: scaled`, or "
            "compare the runs with and without `reduce`");
    }
    if (m->simulate.given) return FLX_OK;
    return FLX_FAIL(c->ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                    "the model does not say how long it runs; add 'simulate: {until: 5}'");
}

static flx_status create(flx_certificate *c, const flx_model *model, const flx_certificate_def *def)
{
    double clock = flx_clock_seconds();
    FLX_TRY(refuse(c, model));
    FLX_TRY(flx_simulation_create_as_it_is(model, &c->reduced));
    int told = flx_ctx_warning_count(c->ctx);
    FLX_TRY(flx_simulation_create_full(model, &c->full_model, &c->full));
    flx_ctx_forget_warnings(c->ctx, told);
    if (c->reduced->plan->reduction.n == 0) return FLX_OK;
    FLX_TRY(flx_pilot_run(c->full, &c->pilot));
    FLX_TRY(judge(c));
    fill_numbers(c);
    FLX_TRY(judge_scaled(c));
    FLX_TRY(flx_certificate_find_errors(c, def));
    FLX_TRY(judge_errors(c));
    c->numbers.seconds = flx_clock_seconds() - clock;
    return FLX_OK;
}

flx_status flx_certificate_create(const flx_model *model, const flx_certificate_def *def,
                                  flx_certificate **out)
{
    if (out) *out = NULL;
    if (!model || !out) return flx_refuse_null(NULL, __func__);
    if (def && (!isfinite(def->window) || def->window < 0.0 || def->steps < 0)) {
        return FLX_FAIL(model->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a certificate cannot have a window of %g s, or %ld steps", def->window,
                        def->steps);
    }
    flx_certificate *c = flx_alloc(model->ctx, 1, sizeof *c);
    if (!c) return FLX_ERR_MEMORY;
    c->ctx = model->ctx;
    c->arena = flx_arena_create(c->ctx);
    flx_status status = c->arena ? flx_model_share(model, &c->core) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = create(c, c->core ? c->core : model, def);
    if (status != FLX_OK) flx_certificate_destroy(&c);
    *out = c;
    return status;
}

void flx_certificate_destroy(flx_certificate **c_in)
{
    flx_certificate *c = c_in ? *c_in : NULL;
    if (!c) return;
    flx_pilot_clear(&c->pilot);
    flx_simulation_destroy(&c->full);
    flx_simulation_destroy(&c->reduced);
    flx_free(c->times);
    flx_free(c->expected);
    flx_free(c->met);
    flx_model_destroy(&c->core);
    flx_arena_destroy(&c->arena);
    flx_free(c);
    *c_in = NULL;
}

// ---- queries ------------------------------------------------------------------------------------

const flx_certificate_numbers *flx_certificate_get_numbers(const flx_certificate *c)
{
    return &c->numbers;
}

const flx_condition *flx_certificate_condition(const flx_certificate *c, int i)
{
    if (!c) return NULL;
    return i >= 0 && i < c->ncondition ? &c->conditions[i] : NULL;
}

const char *flx_certificate_reduced(const flx_certificate *c, int i)
{
    if (!c) return NULL;
    const flx_neglect *r = &c->reduced->plan->reduction;
    return i >= 0 && i < r->nname ? r->names[i] : NULL;
}

const char *flx_certificate_reason(const flx_certificate *c)
{
    if (!c) return NULL;
    return c->reduced->plan->reduction.reason;
}

flx_verdict flx_certificate_verdict(const flx_certificate *c)
{
    if (!c) return FLX_VERDICT_UNDECIDED;
    flx_verdict worst = FLX_VERDICT_MET;
    for (int i = 0; i < c->ncondition; i++) {
        const flx_condition *k = &c->conditions[i];
        if (!k->needed || k->verdict == FLX_VERDICT_MET) continue;
        if (worst != FLX_VERDICT_NOT_MET) worst = k->verdict;
    }
    return worst;
}
