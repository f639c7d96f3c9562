// block_fmus.c - an FMU becomes discrete variables of its inputs and outputs, a clock that sets them, and signals (docs/theory/exchange.md).
// What the clock does beside its own assignments is done by the run (src/simulate/exchange/fmu_steps.c).
#include "base/letters.h"
#include "base/number.h"
#include "flexion/fmi.h"
#include "language/fmu/fmu_item.h"

#include <math.h>
#include <string.h>

typedef struct fmu_draft {
    flx_control_data control; // first: names of what it became
    int number;               // among the model's
} fmu_draft;

size_t flx_fmus_item_size(void)
{
    return sizeof(fmu_draft);
}

// ---- ports --------------------------------------------------------------------------------------

static bool is_number(const flx_fmu_port *p)
{
    return strcmp(p->type, "String") != 0 && strcmp(p->type, "Binary") != 0 &&
           strcmp(p->type, "Clock") != 0;
}

static bool is_name(const char *text)
{
    return *text != '_' && flx_is_name(text);
}

// The port of this name whose causality is among `wanted`; else what is wrong, with the nearest name.
static flx_status find_port(flx_builder *b, const flx_fmu_item *f, const flx_entry *name,
                            unsigned wanted, const char *word, int *out)
{
    const flx_fmu_info *info = f->info;
    flx_nearest near;
    flx_nearest_start(&near, name->text);
    *out = -1;
    for (int i = 0; i < info->nport; i++) {
        if (strcmp(info->ports[i].name, name->text) == 0) *out = i;
        if (wanted & (1u << info->ports[i].causality))
            flx_nearest_offer(&near, info->ports[i].name);
    }
    if (*out < 0 || !(wanted & (1u << info->ports[*out].causality))) {
        const char *best = flx_nearest_best(&near);
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, name->loc, "the FMU '%s' has no %s '%s'%s%s%s",
                        f->name, word, name->text, best ? "; did you mean '" : "", best ? best : "",
                        best ? "'?" : "");
    }
    if (is_number(info->ports + *out) && info->ports[*out].count > 0) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, name->loc,
                    "%s '%s' of the FMU '%s' is of type %s, whose values are no numbers that are "
                    "known to be so many",
                    word, name->text, f->name, info->ports[*out].type);
}

static int *take_ports(flx_builder *b, size_t n)
{
    return flx_arena_take(b->m->arena, n + 1, sizeof(int));
}

static flx_status read_inputs(flx_control_draft *d, flx_fmu_item *f)
{
    const flx_entry *y = flx_control_key(d, "inputs");
    f->ninput = y ? y->count : 0;
    f->inputs = take_ports(d->b, (size_t)f->ninput);
    if (!f->inputs) return FLX_ERR_MEMORY;
    for (int i = 0; i < f->ninput; i++) {
        FLX_TRY(find_port(d->b, f, y->keys[i], 1u << FLX_FMU_IS_INPUT, "input", f->inputs + i));
        if (f->info->ports[f->inputs[i]].count != 1) {
            return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, y->keys[i]->loc,
                            "input '%s' of the FMU '%s' is an array of %d numbers; inputs are "
                            "single numbers",
                            y->keys[i]->text, f->name, f->info->ports[f->inputs[i]].count);
        }
    }
    return FLX_OK;
}

// Names of signals, as keys of `outputs` say them, or those of all outputs that are names.
static flx_status read_outputs(flx_control_draft *d, flx_fmu_item *f, const char ***names)
{
    const flx_entry *y = flx_control_key(d, "outputs");
    const flx_fmu_info *info = f->info;
    size_t room = (size_t)(y ? y->count : info->nport);
    f->outputs = take_ports(d->b, room);
    *names = flx_take(d->b, room + 1, sizeof **names);
    if (!f->outputs || !*names) return FLX_ERR_MEMORY;
    for (int i = 0; y && i < y->count; i++) {
        (*names)[f->noutput] = y->keys[i]->text;
        FLX_TRY(find_port(d->b, f, y->items[i], 1u << FLX_FMU_IS_OUTPUT | 1u << FLX_FMU_IS_LOCAL,
                          "output", f->outputs + f->noutput++));
    }
    for (int i = 0; !y && i < info->nport; i++) {
        const flx_fmu_port *p = info->ports + i;
        if (p->causality != FLX_FMU_IS_OUTPUT || !is_number(p) || p->count < 1 || !is_name(p->name))
            continue;
        (*names)[f->noutput] = p->name;
        f->outputs[f->noutput++] = i;
    }
    for (int i = 0; i < f->noutput; i++) f->nvalue += info->ports[f->outputs[i]].count;
    if (f->noutput > 0) return FLX_OK;
    return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, d->item->loc,
                    "no output of the FMU '%s' has a name of this language: say them, as in "
                    "outputs: {angle: \"arm.angle\"}",
                    f->name);
}

// ---- what it becomes ----------------------------------------------------------------------------

// y(k), or with its slope y(k) + slope(k) (t - at), (FMU-3).
static flx_entry *write_value(flx_control_draft *d, const flx_fmu_item *f, int k)
{
    return f->linear ? flx_control_text(d, "self.value(%d) + self.slope(%d)*(t - self.at)", k, k)
                     : flx_control_text(d, "self.value(%d)", k);
}

flx_status flx_fmu_check_name(const flx_control_draft *d, const flx_fmu_item *f, const char *name)
{
    static const char *const taken[] = {"value", "slope", "at",  "given", "exchange",
                                        "mode",  "next",  "due", "begin"};
    for (size_t w = 0; w < sizeof taken / sizeof *taken; w++) {
        if (strcmp(taken[w], name) != 0) continue;
        return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, d->item->loc,
                        "output '%s' of the FMU '%s' needs another name, by `outputs`: '%s.%s' "
                        "is taken",
                        name, f->name, f->name, name);
    }
    return FLX_OK;
}

static flx_status add_signals(flx_control_draft *d, const flx_fmu_item *f, const char *const *names)
{
    int k = 1;
    for (int i = 0; i < f->noutput; i++) {
        int n = f->info->ports[f->outputs[i]].count;
        flx_entry *y = n == 1 ? write_value(d, f, k) : flx_take(d->b, 1, sizeof *y);
        if (!y) return FLX_ERR_MEMORY;
        FLX_TRY(flx_fmu_check_name(d, f, names[i]));
        if (n > 1) {
            *y = (flx_entry){.kind = FLX_ENTRY_LIST, .loc = d->item->loc, .count = n};
            y->items = flx_take(d->b, (size_t)n, sizeof(flx_entry *));
            for (int j = 0; y->items && j < n; j++) {
                y->items[j] = write_value(d, f, k + j);
                if (!y->items[j]) return FLX_ERR_MEMORY;
            }
            if (!y->items) return FLX_ERR_MEMORY;
        }
        FLX_TRY(flx_control_signal(d, names[i], y));
        k += n;
    }
    return FLX_OK;
}

static flx_status add_clock(flx_control_draft *d, const flx_fmu_item *f)
{
    const flx_entry *every = flx_control_key(d, "every");
    flx_entry *event = flx_control_map(d, 2), *key = flx_control_text(d, "every");
    flx_entry *set = flx_control_text(d, "set");
    if (!event || !key || !set) return FLX_ERR_MEMORY;
    if (!every && !(f->info->step > 0.0)) {
        return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, d->item->loc,
                        "the FMU '%s' says no step: give `every`, the time between two exchanges",
                        f->name);
    }
    if (!every) every = flx_control_text(d, "%.17g", f->info->step);
    if (!every) return FLX_ERR_MEMORY;
    flx_control_put(event, key, every);
    if (d->set->count > 0) flx_control_put(event, set, d->set);
    return flx_control_item(d, FLX_KIND_EVENT, "exchange", event, d->self, &d->b->events);
}

static flx_status add_input(flx_control_draft *d, const flx_entry *value, int k)
{
    char name[24];
    flx_snprintf(name, sizeof name, "input_%d", k);
    FLX_TRY(flx_control_own(d, name, value));
    return flx_control_set(d, flx_control_text(d, "self.given(%d)", k),
                           flx_control_text(d, "self.%s", name));
}

static flx_status unroll(flx_control_draft *d, flx_fmu_item *f, const char *const *names)
{
    flx_builder *b = d->b;
    const flx_entry *inputs = flx_control_key(d, "inputs");
    f->u = b->discretes.count;
    if (f->ninput > 0) FLX_TRY(flx_control_discrete(d, "given", f->ninput));
    for (int i = 0; i < f->ninput; i++) FLX_TRY(add_input(d, inputs->items[i], i + 1));
    f->y = b->discretes.count;
    FLX_TRY(flx_control_discrete(d, "value", f->nvalue));
    f->slope = f->at = -1;
    if (f->linear) {
        f->slope = b->discretes.count;
        FLX_TRY(flx_control_discrete(d, "slope", f->nvalue));
        f->at = b->discretes.count;
        FLX_TRY(flx_control_discrete(d, "at", 0));
    }
    FLX_TRY(add_signals(d, f, names));
    FLX_TRY(add_clock(d, f));
    // without anything else the time alone goes on
    bool alone = b->bodies.count + b->variables.count + b->firsts.count == 0;
    return alone ? flx_control_state(d, "time", 0, flx_control_text(d, "1")) : FLX_OK;
}

// ---- the block ----------------------------------------------------------------------------------

// exchange: its states join those of the model; where nothing is said, what it is for.
static flx_status check_kind(flx_builder *b, const flx_fmu_item *f, const flx_entry *type,
                             bool *exchange)
{
    static const char *const words[] = {"co-simulation", "model-exchange", NULL};
    const flx_fmu_info *info = f->info;
    int k = info->cosimulation ? 0 : 1;
    if (type) FLX_TRY(flx_build_word(b, type, "type", words, &k));
    *exchange = k == 1;
    if (k == 0 ? !info->cosimulation : !info->exchange) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, type ? type->loc : f->loc,
                        "the FMU '%s' is not for %s", f->name,
                        k == 0 ? "co-simulation" : "model exchange");
    }
    if (info->needs_tool) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, f->loc,
                        "the FMU '%s' needs the program that wrote it (%s) to run", f->name,
                        *info->tool ? info->tool : "which it does not name");
    }
    if (info->library) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, f->loc, "the FMU '%s' has no library for this machine",
                    f->name);
}

static flx_status add_item(flx_builder *b, flx_item *item, flx_fmu_item **out)
{
    flx_model *m = b->m;
    flx_fmu_item *all = flx_arena_take(m->arena, (size_t)m->nfmu + 1, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    if (m->nfmu > 0) memcpy(all, m->fmus, (size_t)m->nfmu * sizeof *all);
    m->fmus = all;
    *out = all + m->nfmu;
    **out = (flx_fmu_item){.name = item->full, .loc = item->loc, .isolated = true};
    ((fmu_draft *)item->data)->number = m->nfmu++;
    return FLX_OK;
}

flx_status flx_fmus_declare(flx_builder *b, flx_item *item)
{
    fmu_draft *draft = item->data;
    flx_control_draft d = {
        .b = b, .item = item, .data = &draft->control, .nset = 8, .sampled = true};
    const flx_entry *file = NULL, *hold = flx_entry_get(item->def, "hold");
    const char **names = NULL;
    flx_fmu_item *f = NULL;
    bool exchange = false;
    flx_local *self = flx_take(b, 1, sizeof *self);
    if (!self) return FLX_ERR_MEMORY;
    *self = (flx_local){"self", flx_operand_item(item), item->locals};
    d.self = self;
    d.set = flx_control_map(&d, d.nset);
    if (!d.set) return FLX_ERR_MEMORY;
    FLX_TRY(flx_control_need(&d, "file", &file));
    if (!b->reader || !b->reader->read_fmu) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, file->loc, "FMUs cannot be read here");
    }
    FLX_TRY(add_item(b, item, &f));
    FLX_TRY(b->reader->read_fmu(b->reader->user, file->text, file->loc, &f->info));
    f->linear = hold && strcmp(hold->text, "linear") == 0;
    FLX_TRY(check_kind(b, f, flx_entry_get(item->def, "type"), &exchange));
    FLX_TRY(read_inputs(&d, f));
    FLX_TRY(read_outputs(&d, f, &names));
    return exchange ? flx_fmu_unroll_states(&d, f, names) : unroll(&d, f, names);
}

static flx_status read_settings(flx_env *e, flx_fmu_item *f, const flx_entry *y, unsigned wanted,
                                const char *word)
{
    for (int i = 0; y && i < y->count; i++) {
        flx_fmu_setting *s = f->settings + f->nset;
        FLX_TRY(find_port(e->b, f, y->keys[i], wanted, word, &s->port));
        FLX_TRY(flx_build_number(e, y->items[i], &s->value));
        const char *type = f->info->ports[s->port].type;
        bool real = strcmp(type, "Real") == 0 || strncmp(type, "Float", 5) == 0;
        if (f->info->ports[s->port].count != 1 || !isfinite(s->value) ||
            (!real && s->value != floor(s->value))) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->items[i]->loc,
                            "%s '%s' of the FMU '%s' is %s, not %g", word, y->keys[i]->text,
                            f->name,
                            f->info->ports[s->port].count != 1 ? "an array"
                            : real                             ? "a finite number"
                                                               : "a whole number",
                            s->value);
        }
        f->nset++;
    }
    return FLX_OK;
}

static flx_status finish(flx_builder *b, flx_item *item)
{
    const fmu_draft *d = item->data;
    flx_fmu_item *f = b->m->fmus + d->number;
    const flx_entry *parameters = flx_entry_get(item->def, "parameters");
    const flx_entry *start = flx_entry_get(item->def, "start");
    const flx_entry *isolate = flx_entry_get(item->def, "isolate");
    const flx_entry *rtol = flx_entry_get(item->def, "rtol");
    flx_env e;
    flx_env_of(&e, b, item, FLX_MODE_CONSTANT);
    size_t room = (size_t)(parameters ? parameters->count : 0) + (size_t)(start ? start->count : 0);
    f->settings = flx_arena_take(b->m->arena, room + 1, sizeof *f->settings);
    if (!f->settings) return FLX_ERR_MEMORY;
    FLX_TRY(read_settings(&e, f, parameters,
                          1u << FLX_FMU_IS_PARAMETER | 1u << FLX_FMU_IS_STRUCTURAL_PARAMETER,
                          "parameter"));
    FLX_TRY(read_settings(&e, f, start,
                          1u << FLX_FMU_IS_LOCAL | 1u << FLX_FMU_IS_OUTPUT | 1u << FLX_FMU_IS_INPUT,
                          "variable"));
    if (isolate) FLX_TRY(flx_build_flag(b, isolate, "isolate", &f->isolated));
    if (rtol) FLX_TRY(flx_build_positive(&e, rtol, "a tolerance", &f->tolerance));
    if (f->live) return flx_fmu_finish_states(b, f, d->number, &d->control.names);
    flx_item *clock = flx_names_find(&d->control.names, "exchange");
    if (clock) b->m->events[clock->number].fmu = d->number + 1;
    return FLX_OK;
}

flx_status flx_fmus_finish(flx_builder *b)
{
    for (int i = 0; i < b->fmus.count; i++) {
        flx_item *item = b->fmus.items[i];
        if (item->broken || item->family) return FLX_ERR_MODEL; // told when it was declared
        FLX_TRY(finish(b, item));
    }
    return FLX_OK;
}
