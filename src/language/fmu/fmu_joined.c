// fmu_joined.c - an FMU for model exchange becomes first-order variables, its states; functions of the time, the states, the inputs
// and its mode, which are derivatives, outputs and indicators (src/model/fmu/fmu_live.h); and events, where an indicator changes its
// sign or the time that it has named has come.
#include "base/number.h"
#include "language/fmu/fmu_item.h"
#include "model/fmu/fmu_live.h"

#include <string.h>

// Arguments of a function: all inputs, or those that output number `of` depends on, with 0 for others.
static const char *arguments(flx_control_draft *d, const flx_fmu_item *f, int of)
{
    flx_arena *a = d->b->scratch;
    const flx_fmu_port *p = of >= 0 ? f->info->ports + f->outputs[of] : NULL;
    const char *text = "t";
    for (int i = 1; i <= f->info->nstate && text; i++)
        text = flx_arena_printf(a, "%s, self.state_%d", text, i);
    for (int i = 0; i < f->ninput && text; i++) {
        bool counts = !p || p->ndepend < 0;
        for (int k = 0; !counts && k < p->ndepend; k++) counts = p->depends[k] == f->inputs[i];
        text = counts ? flx_arena_printf(a, "%s, self.input_%d", text, i + 1)
                      : flx_arena_printf(a, "%s, 0", text);
    }
    return text ? flx_arena_printf(a, "%s, self.mode", text) : NULL;
}

// self.row_k(...): a call of the function.
static flx_entry *write_row(flx_control_draft *d, const flx_fmu_item *f, int row, int output)
{
    const char *list = arguments(d, f, output);
    return list ? flx_control_text(d, "self.row_%d(%s)", row + 1, list) : NULL;
}

static flx_status add_function(flx_control_draft *d, const flx_fmu_item *f, int row)
{
    flx_entry *map = flx_control_map(d, 2), *of = flx_control_text(d, "of"),
              *external = flx_control_text(d, "external"), *list = flx_take(d->b, 1, sizeof *list),
              *name = flx_control_text(d, "%s#%d", f->name, row + 1);
    int n = f->info->nstate + f->ninput + 2;
    char own[24];
    if (!map || !of || !external || !list || !name) return FLX_ERR_MEMORY;
    *list = (flx_entry){.kind = FLX_ENTRY_LIST, .loc = d->item->loc, .count = n};
    list->items = flx_take(d->b, (size_t)n, sizeof(flx_entry *));
    if (!list->items) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        list->items[i] = flx_control_text(d, "a%d_", i + 1);
        if (!list->items[i]) return FLX_ERR_MEMORY;
    }
    flx_control_put(map, of, list);
    flx_control_put(map, external, name);
    flx_snprintf(own, sizeof own, "row_%d", row + 1);
    return flx_control_item(d, FLX_KIND_FUNCTION, own, map, d->self, &d->b->functions);
}

static flx_status add_event(flx_control_draft *d, const char *name, flx_entry *when)
{
    flx_entry *event = flx_control_map(d, 2), *key = flx_control_text(d, "when"),
              *set = flx_control_text(d, "set");
    if (!event || !key || !set || !when) return FLX_ERR_MEMORY;
    flx_control_put(event, key, when);
    if (d->set->count > 0) flx_control_put(event, set, d->set);
    return flx_control_item(d, FLX_KIND_EVENT, name, event, d->self, &d->b->events);
}

static flx_status add_begin(flx_control_draft *d)
{
    flx_entry *event = flx_control_map(d, 2), *every = flx_control_text(d, "every"),
              *set = flx_control_text(d, "set"), *long_time = flx_control_text(d, "1e9");
    if (!event || !every || !set || !long_time) return FLX_ERR_MEMORY;
    flx_control_put(event, every, long_time);
    if (d->set->count > 0) flx_control_put(event, set, d->set);
    return flx_control_item(d, FLX_KIND_EVENT, "begin", event, d->self, &d->b->events);
}

static flx_status add_states(flx_control_draft *d, flx_fmu_item *f)
{
    char name[24];
    for (int i = 0; i < f->info->nstate; i++) {
        flx_snprintf(name, sizeof name, "state_%d", i + 1);
        FLX_TRY(flx_control_state(d, name, 0, write_row(d, f, i, -1)));
    }
    f->state = flx_arena_printf(d->b->m->arena, "%s.state_1", f->name);
    // without anything else the time alone goes on
    bool alone = f->info->nstate == 0 &&
                 d->b->bodies.count + d->b->variables.count + d->b->firsts.count == 0;
    if (alone) FLX_TRY(flx_control_state(d, "time", 0, flx_control_text(d, "1")));
    return f->state ? FLX_OK : FLX_ERR_MEMORY;
}

// A signal of one number, or a list.
static flx_status add_outputs(flx_control_draft *d, const flx_fmu_item *f, const char *const *names)
{
    int row = f->info->nstate;
    for (int i = 0; i < f->noutput; i++) {
        int n = f->info->ports[f->outputs[i]].count;
        flx_entry *y = n == 1 ? write_row(d, f, row, i) : flx_take(d->b, 1, sizeof *y);
        if (!y) return FLX_ERR_MEMORY;
        FLX_TRY(flx_fmu_check_name(d, f, names[i]));
        if (n > 1) {
            *y = (flx_entry){.kind = FLX_ENTRY_LIST, .loc = d->item->loc, .count = n};
            y->items = flx_take(d->b, (size_t)n, sizeof(flx_entry *));
            for (int j = 0; y->items && j < n; j++) {
                y->items[j] = write_row(d, f, row + j, i);
                if (!y->items[j]) return FLX_ERR_MEMORY;
            }
            if (!y->items) return FLX_ERR_MEMORY;
        }
        FLX_TRY(flx_control_signal(d, names[i], y));
        row += n;
    }
    return FLX_OK;
}

static flx_status add_inputs(flx_control_draft *d, flx_fmu_item *f)
{
    const flx_entry *inputs = flx_control_key(d, "inputs");
    char name[24];
    f->u = d->b->discretes.count;
    if (f->ninput > 0) FLX_TRY(flx_control_discrete(d, "given", f->ninput));
    for (int i = 0; i < f->ninput; i++) {
        flx_snprintf(name, sizeof name, "input_%d", i + 1);
        FLX_TRY(flx_control_own(d, name, inputs->items[i]));
        FLX_TRY(flx_control_set(d, flx_control_text(d, "self.given(%d)", i + 1),
                                flx_control_text(d, "self.%s", name)));
    }
    return FLX_OK;
}

static flx_status add_events(flx_control_draft *d, const flx_fmu_item *f)
{
    char name[24];
    FLX_TRY(add_begin(d));
    FLX_TRY(add_event(d, "due", flx_control_text(d, "self.mode != 0 and t >= self.next")));
    int row = f->info->nstate + f->nvalue;
    for (int i = 0; i < f->info->nindicator; i++) {
        flx_snprintf(name, sizeof name, "indicator_%d", i + 1);
        FLX_TRY(flx_control_signal(d, name, write_row(d, f, row + i, -1)));
        flx_snprintf(name, sizeof name, "rises_%d", i + 1);
        FLX_TRY(add_event(d, name, flx_control_text(d, "self.indicator_%d > 0", i + 1)));
        flx_snprintf(name, sizeof name, "falls_%d", i + 1);
        FLX_TRY(add_event(d, name, flx_control_text(d, "self.indicator_%d < 0", i + 1)));
    }
    return FLX_OK;
}

flx_status flx_fmu_unroll_states(flx_control_draft *d, flx_fmu_item *f, const char *const *names)
{
    flx_builder *b = d->b;
    static const char *const others[] = {"every", "hold"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        const flx_entry *y = flx_control_key(d, others[k]);
        if (y)
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                            "'%s' is of co-simulation; the states of '%s' are states of the model",
                            others[k], f->name);
    }
    if (f->info->nstate + f->ninput + 2 > FLX_ARGUMENTS_MAX) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, d->item->loc,
                        "the FMU '%s' has %d states and %d inputs; in model exchange they are at "
                        "most %d: take it for co-simulation",
                        f->name, f->info->nstate, f->ninput, FLX_ARGUMENTS_MAX - 2);
    }
    f->live = flx_fmu_live_create(b->ctx, f->info, f->ninput, f->inputs, f->noutput, f->outputs,
                                  f->nvalue);
    if (!f->live) return FLX_ERR_MEMORY;
    int rows = f->info->nstate + f->nvalue + f->info->nindicator;
    for (int i = 0; i < rows; i++) FLX_TRY(add_function(d, f, i));
    f->mode = b->discretes.count;
    FLX_TRY(flx_control_discrete(d, "mode", 0));
    f->next = b->discretes.count;
    FLX_TRY(flx_control_discrete(d, "next", 0));
    FLX_TRY(add_inputs(d, f));
    FLX_TRY(add_states(d, f));
    FLX_TRY(add_outputs(d, f, names));
    if (f->info->completes_steps) {
        flx_ctx_warn(b->ctx, f->loc,
                     "the FMU '%s' wants to hear of every step of the method, and does not: what "
                     "it does at the ends of steps is left out",
                     f->name);
    }
    return add_events(d, f);
}

// ---- when all is built --------------------------------------------------------------------------

static flx_status bind_rows(flx_builder *b, const flx_fmu_item *f)
{
    flx_external_info info;
    size_t n = strlen(f->name);
    for (int i = 0; flx_graph_external_info(b->g, i, &info); i++) {
        if (info.call || strncmp(info.name, f->name, n) != 0 || info.name[n] != '#') continue;
        int number = (int)flx_number_read(info.name + n + 1, NULL);
        flx_fmu_row *row = flx_fmu_live_row(b->ctx, f->live, number - 1);
        if (!row) return FLX_ERR_MEMORY;
        flx_graph_bind_owned(b->g, i, flx_fmu_row_call, row, flx_fmu_row_leave);
    }
    return FLX_OK;
}

flx_status flx_fmu_finish_states(flx_builder *b, flx_fmu_item *f, int number,
                                 const flx_names *names)
{
    char name[24];
    for (int i = -2; i < 2 * f->info->nindicator; i++) {
        flx_snprintf(name, sizeof name,
                     i == -2      ? "begin"
                     : i == -1    ? "due"
                     : i % 2 == 0 ? "rises_%d"
                                  : "falls_%d",
                     i / 2 + 1);
        const flx_item *item = flx_names_find(names, name);
        flx_event *event = item ? b->m->events + item->number : NULL;
        if (!event) continue;
        event->fmu = number + 1;
        if (i >= 0) event->fmu_sign = i % 2 == 0 ? i / 2 + 1 : -(i / 2 + 1);
    }
    return bind_rows(b, f);
}
