// methods.c - the words that name methods with their options, and the systems that methods take.
//
// A word is read as the lines of a model file would be, by the same table of keys: what may be
// written in `simulate` may be written in brackets, and wrong options get the same messages. What
// systems a method takes is asked of the method, on a free mass, on
// an algebraic equation and on a pendulum.
#include "flexion/methods.h"
#include "analyse/simulation.h"
#include "base/letters.h"
#include "base/number.h"

#include <stdio.h>
#include <string.h>

#define WORD_LONGEST 200

static const char free_mass[] = "flexion: 1\nbodies:\n  m: {type: point, mass: 1}\n";

static const flx_integrator_type *find_type(const char *name)
{
    for (const flx_integrator_type *const *t = flx_integrator_types(); *t; t++) {
        if (strcmp((*t)->name, name) == 0) return *t;
    }
    return NULL;
}

// ---- words --------------------------------------------------------------------------------------

static bool is_alphanumeric(char c)
{
    return flx_is_letter(c) || flx_is_digit(c);
}

// "radau(stages=5, formulation=ggl)" as "method: radau, stages: 5, formulation: ggl"; false: no such
// form.
static bool write_keys(const char *word, char *name, char *keys)
{
    size_t n = strcspn(word, "("), length = strlen(word);
    if (n == 0 || length >= WORD_LONGEST) return false;
    if (word[n] == '(' && word[length - 1] != ')') return false;
    memcpy(name, word, n);
    name[n] = '\0';
    char *at = stpcpy(stpcpy(keys, "method: "), name);
    if (word[n] == '(' && length > n + 2) at = stpcpy(at, ", ");
    for (size_t i = n + 1; i + 1 < length; i++) {
        if (!is_alphanumeric(word[i]) && !strchr("=,. _+-", word[i])) return false;
        at = word[i] == '=' ? stpcpy(at, ": ") : stpcpy(at, (char[]){word[i], '\0'});
    }
    for (size_t i = 0; i < n; i++) {
        if (!is_alphanumeric(name[i]) && name[i] != '-') return false;
    }
    return true;
}

// What the reader found wrong, said of the word.
static flx_status blame_word(flx_ctx *ctx, const char *word, flx_status status, int before)
{
    char text[400] = "";
    const flx_message *m = flx_ctx_error(ctx, before);
    if (m && m->text) flx_snprintf(text, sizeof text, "%s", m->text);
    flx_ctx_forget_errors(ctx, before);
    if (status == FLX_ERR_MODEL) status = FLX_ERR_ARGUMENT;
    return FLX_FAIL(ctx, status, FLX_NOWHERE, "method '%s': %s", word,
                    text[0] ? text : flx_status_text(status));
}

flx_status flx_method_read(flx_ctx *ctx, const char *word, flx_integrator_def *def)
{
    char name[WORD_LONGEST], keys[3 * WORD_LONGEST], text[4 * WORD_LONGEST];
    if (!write_keys(word, name, keys)) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "'%s' is no method; write its name, and options in brackets as in "
                        "radau(stages=5)",
                        word);
    }
    const flx_integrator_type *type = find_type(name);
    const char *control = type && type->fixed ? ", step: 1" : "";
    flx_snprintf(text, sizeof text, "%ssimulate: {until: 1, %s%s}\n", free_mass, keys, control);
    flx_model *model = NULL;
    int before = flx_ctx_error_count(ctx);
    flx_status status = flx_model_read_text(ctx, "method", text, strlen(text), 0, NULL, &model);
    if (status != FLX_OK) return blame_word(ctx, word, status, before);
    flx_integrator_def read = model->simulate.def;
    flx_model_destroy(&model);
    if (!type && strcmp(name, "auto") != 0) {
        return FLX_FAIL(ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE, "method '%s': not available yet",
                        name);
    }
    read.step = def->step;
    read.rtol = def->rtol;
    read.atol = def->atol;
    read.first_step = def->first_step;
    read.largest_step = def->largest_step;
    if (read.formulation == FLX_FORMULATION_AUTO) read.formulation = def->formulation;
    if (read.max_steps == 0) read.max_steps = def->max_steps;
    *def = read;
    return FLX_OK;
}

// ---- systems ------------------------------------------------------------------------------------

static const char algebraic[] = "flexion: 1\nequations:\n  first_order:\n"
                                "    x: {derivative: w}\n"
                                "    w: {mass: 0, derivative: x + w}\n";
static const char pendulum[] = "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                               "  m: {type: point, mass: 1, position: [1, 0, 0]}\n"
                               "joints:\n"
                               "  rod: {type: distance, on: [ground, m], at: [[0, 0, 0], m]}\n";

// Whether the method can be created on the system in this formulation; *taken gets the bit.
static flx_status ask(const flx_simulation *sim, const flx_integrator_def *def, flx_formulation f,
                      unsigned bit, unsigned *taken)
{
    flx_integrator *it = NULL;
    flx_integrator_def d = *def;
    d.formulation = f;
    int before = flx_ctx_error_count(sim->ctx);
    flx_status status = flx_integrator_create(sim->sys, &d, &it);
    flx_integrator_destroy(&it);
    if (status == FLX_ERR_MEMORY) return status;
    flx_ctx_forget_errors(sim->ctx, before);
    if (status == FLX_OK) *taken |= 1u << bit;
    return FLX_OK;
}

static flx_status ask_free(const flx_simulation *sim, const flx_integrator_def *d, unsigned *taken)
{
    return ask(sim, d, FLX_FORMULATION_AUTO, 0, taken);
}

static flx_status ask_algebraic(const flx_simulation *sim, const flx_integrator_def *d,
                                unsigned *taken)
{
    return ask(sim, d, FLX_FORMULATION_AUTO, 1, taken);
}

static flx_status ask_bound(const flx_simulation *sim, const flx_integrator_def *d, unsigned *taken)
{
    FLX_TRY(ask(sim, d, FLX_FORMULATION_INDEX1, 1, taken));
    FLX_TRY(ask(sim, d, FLX_FORMULATION_GGL, 2, taken));
    return ask(sim, d, FLX_FORMULATION_INDEX3, 3, taken);
}

static flx_status ask_on(flx_ctx *ctx, const char *text, const flx_integrator_def *d,
                         flx_status (*questions)(const flx_simulation *sim,
                                                 const flx_integrator_def *d, unsigned *taken),
                         unsigned *taken)
{
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_status status = flx_model_read_text(ctx, "question", text, strlen(text), 0, NULL, &model);
    if (status == FLX_OK) status = flx_simulation_create_as_it_is(model, &sim);
    if (status == FLX_OK) status = questions(sim, d, taken);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    return status;
}

flx_status flx_method_systems(flx_ctx *ctx, const flx_integrator_def *def, unsigned *bits)
{
    flx_integrator_def d = *def;
    const flx_integrator_type *type = find_type(d.method);
    *bits = 0;
    if (!type) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "there is no method '%s'", d.method);
    }
    d.step = type->fixed && d.stages != FLX_STAGES_AUTO ? 1e-3 : 0.0;
    d.rtol = type->fixed ? 0.0 : 1e-6;
    d.atol = type->fixed ? 0.0 : 1e-8;
    FLX_TRY(ask_on(ctx, free_mass, &d, ask_free, bits));
    FLX_TRY(ask_on(ctx, algebraic, &d, ask_algebraic, bits));
    return ask_on(ctx, pendulum, &d, ask_bound, bits);
}
