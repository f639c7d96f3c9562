// block_simulate.c - how to compute the motion.
#include "language/builder.h"

#include <float.h>
#include <limits.h>
#include <string.h>

static const char *const method_words[] = {"auto",        "generalized-alpha",
                                           "hht",         "newmark",
                                           "radau",       "implicit-euler",
                                           "bdf",         "euler",
                                           "dopri5",      "dop853",
                                           "adams",       "midpoint",
                                           "trapezoidal", "gauss",
                                           "lobatto",     "variational",
                                           "galerkin",    "energy-momentum",
                                           "moreau",      "rk4",
                                           NULL};

static const char *const loop_words[] = {"auto", "index-3", "ggl", "index-1", "partitioning", NULL};
static const char *const formulation_words[] = {"auto", "index-3", "ggl", "index-1", "tree", NULL};

static flx_status positive_or_none(flx_env *e, const flx_entry *block, const char *key, double *out)
{
    const flx_entry *y = flx_entry_get(block, key);
    return y ? flx_build_positive(e, y, key, out) : FLX_OK;
}

static flx_status read_method(flx_env *e, const flx_entry *block, flx_simulate *s)
{
    const flx_entry *method = flx_entry_get(block, "method");
    const flx_entry *formulation = flx_entry_get(block, "formulation");
    static const flx_formulation formulations[] = {FLX_FORMULATION_AUTO, FLX_FORMULATION_INDEX3,
                                                   FLX_FORMULATION_GGL, FLX_FORMULATION_INDEX1,
                                                   FLX_FORMULATION_AUTO};
    int m = 0, f = 0;
    if (method) {
        s->method_loc = method->loc;
        FLX_TRY(flx_build_word(e->b, method, "method", method_words, &m));
    }
    s->method = s->def.method = method_words[m];
    if (!formulation) return FLX_OK;
    s->formulation_loc = formulation->loc;
    FLX_TRY(flx_build_word(e->b, formulation, "formulation", formulation_words, &f));
    s->def.formulation = formulations[f];
    s->tree = strcmp(formulation_words[f], "tree") == 0;
    return FLX_OK;
}

// How rigid contacts are met: as events, or step by step.
static flx_status read_treatment(flx_env *e, const flx_entry *block, flx_simulate *s)
{
    static const char *const words[] = {"auto", "events", "steps", NULL};
    static const char *const methods[] = {"moreau", "generalized-alpha", "hht", "newmark"};
    const flx_entry *contacts = flx_entry_get(block, "contacts");
    int k = 0;
    if (contacts) FLX_TRY(flx_build_word(e->b, contacts, "contacts", words, &k));
    bool moreau = strcmp(s->method, "moreau") == 0, takes = false;
    s->steps = k == 2 || moreau;
    for (int i = 0; i < 4; i++) takes = takes || strcmp(s->method, methods[i]) == 0;
    if (k == 2 && !takes) {
        return FLX_FAIL(
            e->b->ctx, FLX_ERR_MODEL, contacts->loc,
            "method '%s' does not meet contacts step by step; use moreau, generalized-alpha, hht "
            "or newmark, or 'contacts: events'",
            s->method);
    }
    if (k == 1 && moreau) {
        return FLX_FAIL(
            e->b->ctx, FLX_ERR_MODEL, contacts->loc,
            "method 'moreau' meets contacts step by step, and locates none; leave 'contacts' out, "
            "or use radau or generalized-alpha");
    }
    return FLX_OK;
}

static bool is_explicit(const char *method)
{
    static const char *const words[] = {"auto", "euler", "rk4", "dopri5", "dop853", "adams"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(method, words[i]) == 0) return true;
    }
    return false;
}

// How the loops of joint coordinates are closed; by dependent coordinates, nothing is left to an implicit method.
static flx_status read_loops(flx_env *e, const flx_entry *block, flx_simulate *s)
{
    static const flx_formulation formulations[] = {FLX_FORMULATION_AUTO, FLX_FORMULATION_INDEX3,
                                                   FLX_FORMULATION_GGL, FLX_FORMULATION_INDEX1,
                                                   FLX_FORMULATION_INDEX1};
    const flx_entry *loops = flx_entry_get(block, "loops");
    int k = 0;
    if (!loops) return FLX_OK;
    FLX_TRY(flx_build_word(e->b, loops, "loops", loop_words, &k));
    if (!s->tree) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loops->loc,
                        "'loops' says how joint coordinates close loops; give 'formulation: tree' "
                        "with it");
    }
    s->formulation_loc = loops->loc;
    s->def.formulation = formulations[k];
    s->partitioning = strcmp(loop_words[k], "partitioning") == 0;
    if (!s->partitioning || is_explicit(s->method)) return FLX_OK;
    return FLX_FAIL(
        e->b->ctx, FLX_ERR_MODEL, loops->loc,
        "loops: partitioning is a way of explicit methods (dopri5, dop853, adams, "
        "rk4, euler), which hold loops by it; '%s' holds them in its own equations, with "
        "multipliers: take index-3 or ggl, or leave 'loops' out",
        s->method);
}

static bool has_no_control(const char *method)
{
    static const char *const words[] = {"midpoint", "trapezoidal",     "lobatto", "variational",
                                        "galerkin", "energy-momentum", "moreau",  "rk4"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(method, words[i]) == 0) return true;
    }
    return false;
}

// Their steps go with the inverse of the tolerance.
static bool is_first_order(const char *method)
{
    return strcmp(method, "euler") == 0 || strcmp(method, "implicit-euler") == 0;
}

static flx_status read_step(flx_env *e, const flx_entry *block, flx_simulate *s)
{
    flx_integrator_def *d = &s->def;
    const flx_entry *rtol = flx_entry_get(block, "rtol"), *atol = flx_entry_get(block, "atol");
    const flx_entry *step = flx_entry_get(block, "step");
    FLX_TRY(positive_or_none(e, block, "step", &d->step));
    FLX_TRY(positive_or_none(e, block, "rtol", &d->rtol));
    FLX_TRY(positive_or_none(e, block, "atol", &d->atol));
    FLX_TRY(positive_or_none(e, block, "initial_step", &d->initial_step));
    FLX_TRY(positive_or_none(e, block, "max_step", &d->max_step));
    FLX_TRY(positive_or_none(e, block, "newton_tolerance", &d->newton_tolerance));
    if (step && (rtol || atol)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, step->loc,
                        "a fixed 'step' and tolerances exclude each other; give one of them");
    }
    if (step) return FLX_OK;
    if (has_no_control(s->method)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, rtol ? rtol->loc : s->method_loc,
                        "method '%s' has no error control; give it a 'step'", s->method);
    }
    if (rtol && d->rtol < DBL_EPSILON) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, rtol->loc,
                        "rtol %.3g is finer than numbers are, which have 16 digits; ask for 1e-14 "
                        "at most",
                        d->rtol);
    }
    if (!rtol) d->rtol = is_first_order(s->method) ? 1e-3 : 1e-6;
    if (!atol) d->atol = 0.01 * d->rtol;
    return FLX_OK;
}

static flx_status read_count(flx_env *e, const flx_entry *block, const char *key, int most,
                             int *out)
{
    const flx_entry *y = flx_entry_get(block, key);
    if (!y) return FLX_OK;
    FLX_TRY(flx_build_integer(e, y, out));
    if (*out < 1) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "'%s' is at least 1, not %d", key, *out);
    }
    if (*out <= most) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "'%s' is at most %d, not %d", key, most,
                    *out);
}

static flx_status read_within(flx_env *e, const flx_entry *block, const char *key, double least,
                              double most, double *out)
{
    const flx_entry *y = flx_entry_get(block, key);
    if (!y) return FLX_OK;
    FLX_TRY(flx_build_number(e, y, out));
    if (*out >= least && *out <= most) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "'%s' lies between %.4g and %.4g, not at %g",
                    key, least, most, *out);
}

// The numbers of stages that a method has.
static flx_status check_stages(flx_env *e, const flx_entry *y, const char *method, int stages)
{
    static const struct {
        const char *method;
        unsigned has; // bit k: k stages
        const char *words;
    } table[] = {{"radau", 1u << 1 | 1u << 2 | 1u << 3 | 1u << 5 | 1u << 7, "1, 2, 3, 5 or 7"},
                 {"gauss", 0xfeu, "1 to 7"},
                 {"lobatto", 0x3cu, "2 to 5"}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(method, table[i].method) != 0) continue;
        if (stages < 32 && table[i].has >> stages & 1u) return FLX_OK;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "method '%s' has %s stages, not %d",
                        method, table[i].words, stages);
    }
    return FLX_OK;
}

// The numbers that belong to one method. Which keys a method has is the schema's to say.
static flx_status read_parameters(flx_env *e, const flx_entry *block, flx_simulate *s)
{
    static const char *const families[] = {"IIIA", "IIIC", NULL};
    flx_integrator_def *d = &s->def;
    const flx_entry *stages = flx_entry_get(block, "stages");
    const flx_entry *family = flx_entry_get(block, "family");
    bool varies = stages && stages->kind == FLX_ENTRY_SCALAR && strcmp(stages->text, "auto") == 0;
    bool hht = strcmp(s->method, "hht") == 0;
    if (varies) d->stages = FLX_STAGES_AUTO;
    if (!varies) FLX_TRY(read_count(e, block, "stages", INT_MAX, &d->stages));
    if (stages && !varies) FLX_TRY(check_stages(e, stages, s->method, d->stages));
    if (varies && strcmp(s->method, "radau") != 0) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, stages->loc,
                        "only method 'radau' varies its stages; give a number");
    }
    if (family) {
        int k = 0;
        FLX_TRY(flx_build_word(e->b, family, "family", families, &k));
        d->family = families[k];
    }
    FLX_TRY(
        read_count(e, block, "max_order", strcmp(s->method, "bdf") == 0 ? 5 : 12, &d->max_order));
    FLX_TRY(read_count(e, block, "degree", 6, &d->degree));
    FLX_TRY(read_count(e, block, "quadrature", 7, &d->quadrature));
    FLX_TRY(read_within(e, block, "spectral_radius", 0.0, 1.0, &d->spectral_radius));
    FLX_TRY(read_within(e, block, "alpha", hht ? -1.0 / 3.0 : 0.0, hht ? 0.0 : 1.0, &d->alpha));
    FLX_TRY(read_within(e, block, "beta", 0.0, 0.5, &d->beta));
    return read_within(e, block, "gamma", 0.5, 1.0, &d->gamma); // below, every motion grows
}

// How rigid contacts are met.
static flx_status read_contacts(flx_env *e, const flx_entry *block, flx_simulate *s)
{
    static const char *const ways[] = {"simultaneous", "sequential", NULL};
    const flx_entry *impacts = flx_entry_get(block, "impacts");
    int way = FLX_IMPACTS_SIMULTANEOUS;
    if (impacts) FLX_TRY(flx_build_word(e->b, impacts, "impacts", ways, &way));
    s->def.impacts = (flx_impacts)way;
    return positive_or_none(e, block, "rest_velocity", &s->def.rest_velocity);
}

static flx_status read_options(flx_env *e, const flx_entry *block, flx_simulate *s)
{
    const flx_entry *steps = flx_entry_get(block, "max_steps");
    const flx_entry *projection = flx_entry_get(block, "projection");
    flx_integrator_def *d = &s->def;
    FLX_TRY(read_contacts(e, block, s));
    if (steps) {
        double n = 0;
        FLX_TRY(flx_build_positive(e, steps, "max_steps", &n));
        d->max_steps = n < 1e18 ? (long)n : 0;
    }
    if (projection) {
        bool project = true;
        FLX_TRY(flx_build_flag(e->b, projection, "projection", &project));
        d->drift = !project;
    }
    return FLX_OK;
}

flx_status flx_simulate_finish(flx_builder *b)
{
    flx_simulate *s = &b->m->simulate;
    const flx_entry *block = flx_entry_get(b->top->def, "simulate");
    s->def = flx_integrator_def_default();
    s->method = s->def.method;
    s->start = -1;
    if (!block || block->kind != FLX_ENTRY_MAP) return FLX_OK;
    flx_env e;
    flx_env_init(&e, b, b->top, NULL, FLX_MODE_CONSTANT);
    s->given = true;
    s->loc = block->loc;
    const flx_entry *until = flx_entry_get(block, "until"), *start = flx_entry_get(block, "start");
    if (!until) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, block->loc, "simulate needs the key 'until'");
    }
    FLX_TRY(flx_build_positive(&e, until, "the end of the run", &s->until));
    FLX_TRY(read_method(&e, block, s));
    FLX_TRY(read_treatment(&e, block, s));
    FLX_TRY(read_loops(&e, block, s));
    FLX_TRY(read_step(&e, block, s));
    FLX_TRY(read_parameters(&e, block, s));
    FLX_TRY(read_options(&e, block, s));
    return start ? flx_analysis_find(b, start, true, &s->start) : FLX_OK;
}
