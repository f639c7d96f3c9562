// method_words.c - the words that name methods with their options, and the systems that methods take.
//
// A word becomes the block `simulate` of a model and is read as that is, by the same table of keys:
// what may be written there may be written in brackets, and wrong options get the same messages. What
// systems a method takes is asked of the method, on a free mass, on
// an algebraic equation and on a pendulum.
#include "base/letters.h"
#include "base/number.h"
#include "base/refuse.h"
#include "flexion/methods.h"
#include "simulate/simulation_parts.h"

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

// The block `simulate` of a word: "radau(stages=5, formulation=ggl)", "radau rtol=1e-8".
typedef struct block {
    char text[WORD_LONGEST]; // the word, cut up
    int n;
    flx_option options[FLX_MOST_OPTIONS];
} block;

static bool is_of_name(char c)
{
    return flx_is_of_name(c) || c == '-';
}

static bool is_of_value(char c)
{
    return is_of_name(c) || c == '.' || c == '+';
}

static bool put(block *b, const char *key, const char *value)
{
    if (b->n >= FLX_MOST_OPTIONS) return false;
    b->options[b->n++] = (flx_option){key, value};
    return true;
}

static char *skip_blanks(char *at)
{
    return at + strspn(at, " ");
}

// "key=value" at *at; *end: the character behind it, before it was cut off. false: no such form.
static bool read_option(block *b, char **at, char *end)
{
    char *key = *at, *stop = key;
    while (is_of_name(*stop)) stop++;
    char *value = skip_blanks(stop);
    if (stop == key || *value != '=') return false;
    *stop = '\0';
    value = stop = skip_blanks(value + 1);
    while (is_of_value(*stop)) stop++;
    *end = *stop;
    if (stop == value) return false;
    *stop = '\0';
    *at = stop + 1;
    return put(b, key, value);
}

// The options from `at` on, which began with `open`: '(', a blank or nothing. false: no such form.
static bool read_options(block *b, char open, char *at)
{
    char end = open;
    while (end != '\0' && end != ')') {
        at = skip_blanks(at);
        if (*at == '\0' || *at == ')') {
            end = *at++;
            break;
        }
        if (!read_option(b, &at, &end)) return false;
        if (end == ' ') at = skip_blanks(at);
        if (end == ' ' && (*at == ',' || *at == ')')) end = *at++;
        if (!strchr(", )", end)) return false;
    }
    return open == '(' ? end == ')' && *at == '\0' : end == '\0';
}

static bool read_word(const char *word, block *b)
{
    if (strlen(word) >= sizeof b->text) return false;
    char *at = strcpy(b->text, word);
    while (is_of_name(*at)) at++;
    char open = *at;
    if (at == b->text || (open && open != '(' && open != ' ')) return false;
    *at = '\0';
    return put(b, "method", b->text) && read_options(b, open, open ? at + 1 : at);
}

static const char *find_option(const block *b, const char *key)
{
    for (int i = 0; i < b->n; i++) {
        if (strcmp(b->options[i].key, key) == 0) return b->options[i].value;
    }
    return NULL;
}

// A key given twice; NULL: none.
static const char *find_twice(const block *b)
{
    for (int i = 0; i < b->n; i++) {
        for (int k = 0; k < i; k++) {
            if (strcmp(b->options[i].key, b->options[k].key) == 0) return b->options[i].key;
        }
    }
    return NULL;
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

// The block with what a run would need beside it.
static flx_status read_block(flx_ctx *ctx, const flx_integrator_type *type, block *b,
                             flx_simulate *out)
{
    const char *twice = find_twice(b);
    if (twice) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "'%s' is given twice", twice);
    }
    if (find_option(b, "until") || find_option(b, "start")) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "'until' and 'start' belong to a run, not to its method");
    }
    bool controlled = find_option(b, "rtol") || find_option(b, "atol");
    bool room = put(b, "until", "1");
    if (type && type->fixed && !controlled && !find_option(b, "step")) room &= put(b, "step", "1");
    if (!room) return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "too many options");
    return flx_simulate_read(ctx, b->n, b->options, out);
}

flx_status flx_method_read(flx_ctx *ctx, const char *word, flx_integrator_def *def)
{
    if (!ctx || !word || !def) return flx_refuse_null(ctx, __func__);
    block b = {.n = 0};
    flx_simulate read;
    if (!read_word(word, &b)) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "'%s' is no method; write its name, and options in brackets as in "
                        "radau(stages=5)",
                        word);
    }
    const flx_integrator_type *type = find_type(b.text);
    int before = flx_ctx_error_count(ctx), given = b.n;
    flx_status status = read_block(ctx, type, &b, &read);
    if (status != FLX_OK) return blame_word(ctx, word, status, before);
    if (!type && strcmp(b.text, "auto") != 0) {
        return FLX_FAIL(ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE, "method '%s': not supported yet",
                        b.text);
    }
    b.n = given; // what the word says
    flx_integrator_def d = read.def;
    bool step = find_option(&b, "step"), rtol = find_option(&b, "rtol");
    bool atol = find_option(&b, "atol");
    if (!step) d.step = rtol || atol ? 0.0 : def->step;
    if (!rtol && !atol) d.rtol = step ? 0.0 : def->rtol;
    if (!rtol && !atol) d.atol = step ? 0.0 : def->atol;
    if (!find_option(&b, "initial_step")) d.initial_step = def->initial_step;
    if (!find_option(&b, "max_step")) d.max_step = def->max_step;
    if (d.formulation == FLX_FORMULATION_AUTO) d.formulation = def->formulation;
    if (d.max_steps == 0) d.max_steps = def->max_steps;
    *def = d;
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
    if (!ctx || !def || !def->method || !bits) return flx_refuse_null(ctx, __func__);
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
