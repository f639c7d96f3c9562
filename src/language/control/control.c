// control.c - controllers: blocks that become signals, variables and events (docs/theory/controllers.md).
#include "language/control/control_parts.h"
#include "language/literal.h"

#include "base/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct control_word {
    const char *word;
    flx_status (*unroll)(flx_control_draft *d);
} types[] = {{"pid", flx_control_pid},
             {"saturation", flx_control_saturation},
             {"quantiser", flx_control_quantiser},
             {"lookup", flx_control_lookup},
             {"transfer", flx_control_transfer},
             {"state-space", flx_control_state_space},
             {"state-feedback", flx_control_state_feedback},
             {"observer", flx_control_observer},
             {"computed-torque", flx_control_computed_torque}};

#define MOST_DELAY 1000 // samples
#define MOST_PADE 6

// ---- entries -----------------------------------------------------------------------------------

const flx_entry *flx_control_key(const flx_control_draft *d, const char *key)
{
    return flx_entry_get(d->item->def, key);
}

flx_status flx_control_need(flx_control_draft *d, const char *key, const flx_entry **out)
{
    return flx_build_need(d->b, d->item, key, out);
}

flx_entry *flx_control_text(flx_control_draft *d, const char *format, ...)
{
    char first[256];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = flx_vsnprintf(first, sizeof first, format, args); // names and whole numbers alone
    flx_entry *y = flx_take(d->b, 1, sizeof *y);
    char *text = n >= 0 ? flx_take(d->b, (size_t)n + 1, 1) : NULL;
    if (text) flx_vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    if (!text || !y) return NULL;
    *y = (flx_entry){.kind = FLX_ENTRY_SCALAR, .loc = d->item->loc};
    y->text = flx_arena_copy(d->b->m->arena, text, (size_t)n);
    return y->text ? y : NULL;
}

// A mapping with room for `room` keys.
flx_entry *flx_control_map(flx_control_draft *d, int room)
{
    flx_entry *y = flx_take(d->b, 1, sizeof *y);
    if (!y) return NULL;
    *y = (flx_entry){.kind = FLX_ENTRY_MAP, .loc = d->item->loc};
    y->keys = flx_take(d->b, (size_t)room, sizeof(flx_entry *));
    y->items = flx_take(d->b, (size_t)room, sizeof(flx_entry *));
    return y->keys && y->items ? y : NULL;
}

void flx_control_put(flx_entry *map, flx_entry *key, const flx_entry *value)
{
    map->keys[map->count] = key;
    map->items[map->count++] = (flx_entry *)value;
}

// ---- items -------------------------------------------------------------------------------------

flx_status flx_control_item(flx_control_draft *d, flx_kind kind, const char *name,
                            const flx_entry *def, const flx_local *locals, flx_items *list)
{
    const char *prefix = flx_arena_printf(d->b->m->arena, "%s.", d->item->full);
    flx_entry *key = flx_control_text(d, "%s", name);
    if (!prefix || !key || !def) return FLX_ERR_MEMORY;
    FLX_TRY(flx_item_declare(d->b, d->item->space, kind, key, def, NULL, locals, prefix,
                             &d->data->names, list, NULL));
    flx_item *made = flx_names_find(&d->data->names, key->text);
    if (made) made->unrolled = true;
    return FLX_OK;
}

flx_status flx_control_own(flx_control_draft *d, const char *name, const flx_entry *entry)
{
    return flx_control_item(d, FLX_KIND_SIGNAL, name, entry, d->item->locals, &d->b->signals);
}

flx_status flx_control_signal(flx_control_draft *d, const char *name, flx_entry *entry)
{
    return flx_control_item(d, FLX_KIND_SIGNAL, name, entry, d->self, &d->b->signals);
}

// {repeat: {i_: [1, count]}} where count > 0
static flx_status put_repeat(flx_control_draft *d, flx_entry *map, int count)
{
    if (count == 0) return FLX_OK;
    flx_entry *range = flx_take(d->b, 1, sizeof *range), *index = flx_control_map(d, 1);
    flx_entry *first = flx_control_text(d, "1"), *last = flx_control_text(d, "%d", count);
    flx_entry *repeat = flx_control_text(d, "repeat"), *name = flx_control_text(d, "i_");
    if (!range || !index || !first || !last || !repeat || !name) return FLX_ERR_MEMORY;
    *range = (flx_entry){.kind = FLX_ENTRY_LIST, .loc = d->item->loc, .count = 2};
    range->items = flx_take(d->b, 2, sizeof(flx_entry *));
    if (!range->items) return FLX_ERR_MEMORY;
    range->items[0] = first;
    range->items[1] = last;
    flx_control_put(index, name, range);
    flx_control_put(map, repeat, index);
    return FLX_OK;
}

flx_status flx_control_state(flx_control_draft *d, const char *name, int count,
                             flx_entry *derivative)
{
    flx_entry *map = flx_control_map(d, 2), *key = flx_control_text(d, "derivative");
    if (!map || !key || !derivative) return FLX_ERR_MEMORY;
    FLX_TRY(put_repeat(d, map, count));
    flx_control_put(map, key, derivative);
    return flx_control_item(d, FLX_KIND_FIRST, name, map, d->self, &d->b->firsts);
}

flx_status flx_control_discrete(flx_control_draft *d, const char *name, int count)
{
    flx_entry *map = flx_control_map(d, 1);
    if (!map) return FLX_ERR_MEMORY;
    FLX_TRY(put_repeat(d, map, count));
    return flx_control_item(d, FLX_KIND_DISCRETE, name, map, d->self, &d->b->discretes);
}

flx_status flx_control_function(flx_control_draft *d, const char *name)
{
    static const char *const keys[] = {"points", "file", "columns", "interpolation",
                                       "extrapolation"};
    flx_entry *map = flx_control_map(d, 5);
    for (int i = 0; i < 5 && map; i++) {
        const flx_entry *y = flx_control_key(d, keys[i]);
        flx_entry *key = y ? flx_control_text(d, "%s", keys[i]) : NULL;
        if (y && !key) return FLX_ERR_MEMORY;
        if (y) flx_control_put(map, key, y);
    }
    if (!map) return FLX_ERR_MEMORY;
    return flx_control_item(d, FLX_KIND_FUNCTION, name, map, d->self, &d->b->functions);
}

flx_status flx_control_set(flx_control_draft *d, flx_entry *target, flx_entry *value)
{
    if (!target || !value) return FLX_ERR_MEMORY;
    if (d->set->count == d->nset) { // grow
        flx_entry *more = flx_control_map(d, 2 * d->nset);
        if (!more) return FLX_ERR_MEMORY;
        for (int i = 0; i < d->set->count; i++)
            flx_control_put(more, d->set->keys[i], d->set->items[i]);
        d->set = more;
        d->nset *= 2;
    }
    flx_control_put(d->set, target, value);
    return FLX_OK;
}

flx_status flx_control_begin(flx_control_draft *d, const char *name, flx_entry *target,
                             flx_entry *value)
{
    flx_entry *event = flx_control_map(d, 2), *set = flx_control_map(d, 1);
    flx_entry *every = flx_control_text(d, "every"), *long_time = flx_control_text(d, "1e9");
    flx_entry *key = flx_control_text(d, "set");
    if (!event || !set || !every || !long_time || !key || !target || !value) return FLX_ERR_MEMORY;
    flx_control_put(set, target, value);
    flx_control_put(event, every, long_time);
    flx_control_put(event, key, set);
    return flx_control_item(d, FLX_KIND_EVENT, name, event, d->self, &d->b->events);
}

// ---- numbers that are needed at once -----------------------------------------------------------

static flx_status constant_list(flx_control_draft *d, const flx_entry *y, flx_operand *out)
{
    flx_env e;
    flx_env_of(&e, d->b, d->item, FLX_MODE_CONSTANT);
    return flx_build_value(&e, y, out);
}

flx_status flx_control_size(flx_control_draft *d, const flx_entry *y, int *rows, int *columns)
{
    flx_operand v;
    *rows = *columns = 1;
    if (y->kind == FLX_ENTRY_LIST) { // signals may be in it
        *rows = y->count;
        bool nested = y->count > 0 && y->items[0]->kind == FLX_ENTRY_LIST;
        *columns = nested ? y->items[0]->count : y->count;
        if (!nested) *rows = 1;
        for (int i = 0; nested && i < y->count; i++) {
            if (y->items[i]->kind == FLX_ENTRY_LIST && y->items[i]->count == *columns) continue;
            return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, y->items[i]->loc,
                            "the rows of a matrix have the same length");
        }
        return FLX_OK;
    }
    FLX_TRY(constant_list(d, y, &v));
    if (v.kind != FLX_OPERAND_LIST) return FLX_OK;
    bool nested = v.count > 0 && v.items[0].kind == FLX_OPERAND_LIST;
    *rows = nested ? v.count : 1;
    *columns = nested ? v.items[0].count : v.count;
    return FLX_OK;
}

flx_status flx_control_above(flx_control_draft *d, const flx_entry *y, const char *what)
{
    double x = 0.0;
    if (!flx_entry_literal(y, &x) || x > 0.0) return FLX_OK;
    return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, y->loc, "%s must be positive, not %s", what, y->text);
}

flx_status flx_control_count(flx_control_draft *d, const flx_entry *y, int *out)
{
    int rows = 1;
    FLX_TRY(flx_control_size(d, y, &rows, out));
    if (rows > 1) {
        return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, y->loc, "a list of numbers, not of lists");
    }
    return FLX_OK;
}

// ---- samples and delays ------------------------------------------------------------------------

static flx_status fail_delay(flx_control_draft *d, const flx_entry *delay)
{
    return FLX_FAIL(
        d->b->ctx, FLX_ERR_MODEL, delay->loc,
        "controller '%s' is continuous, and a delay of it is no differential equation: give "
        "`sample`, and the delay in samples, or `pade: 2`, and the delay in seconds",
        d->item->full);
}

// A held output, n samples late: held <- late(n), late(i) <- late(i - 1), late(1) <- now (CTL-6).
static flx_status hold(flx_control_draft *d, const flx_entry *delay)
{
    int n = 0, outs = d->nout > 0 ? d->nout : 1;
    flx_env e;
    flx_env_of(&e, d->b, d->item, FLX_MODE_CONSTANT);
    if (delay) FLX_TRY(flx_build_integer(&e, delay, &n));
    if (n < 0 || n > MOST_DELAY) {
        return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, delay->loc, "a delay is 0 to %d samples, not %d",
                        MOST_DELAY, n);
    }
    FLX_TRY(flx_control_discrete(d, "held", d->nout));
    if (n > 0) FLX_TRY(flx_control_discrete(d, "late", n * outs));
    for (int i = 1; i <= outs; i++) {
        flx_entry *now =
            d->nout ? flx_control_text(d, "self.now(%d)", i) : flx_control_text(d, "self.now");
        flx_entry *held =
            d->nout ? flx_control_text(d, "self.held(%d)", i) : flx_control_text(d, "self.held");
        int first = (i - 1) * n;
        FLX_TRY(flx_control_set(d, held,
                                n > 0 ? flx_control_text(d, "self.late(%d)", first + n) : now));
        for (int k = 1; k <= n; k++) {
            flx_entry *value = k == 1 ? now : flx_control_text(d, "self.late(%d)", first + k - 1);
            FLX_TRY(flx_control_set(d, flx_control_text(d, "self.late(%d)", first + k), value));
        }
    }
    flx_entry *event = flx_control_map(d, 3), *every = flx_control_text(d, "every");
    flx_entry *set = flx_control_text(d, "set"), *start = flx_control_text(d, "start");
    if (!event || !every || !set || !start) return FLX_ERR_MEMORY;
    flx_control_put(event, every, flx_control_key(d, "sample"));
    if (flx_control_key(d, "start")) flx_control_put(event, start, flx_control_key(d, "start"));
    flx_control_put(event, set, d->set);
    FLX_TRY(flx_control_item(d, FLX_KIND_EVENT, "tick", event, d->self, &d->b->events));
    if (!d->nout) return flx_control_signal(d, "output", flx_control_text(d, "self.held"));
    char list[400] = "[";
    size_t used = 1;
    for (int i = 1; i <= d->nout && used + 20 < sizeof list; i++) {
        used += (size_t)flx_snprintf(list + used, sizeof list - used, "%sself.held(%d)",
                                     i > 1 ? ", " : "", i);
    }
    return flx_control_signal(d, "output", flx_control_text(d, "%s]", list));
}

// e^(-s T) ~ N(-s T)/N(s T), N(x) = sum c_k x^k, c_k = (2 n - k)! n! / ((2 n)! k! (n - k)!) (CTL-7); states as those of a transfer function.
static flx_status delay_by_pade(flx_control_draft *d, const flx_entry *delay, const flx_entry *pade)
{
    int n = 0;
    flx_env e;
    flx_env_of(&e, d->b, d->item, FLX_MODE_CONSTANT);
    FLX_TRY(flx_build_integer(&e, pade, &n));
    if (n < 1 || n > MOST_PADE) {
        return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, pade->loc,
                        "`pade` is an order from 1 to %d, not %d", MOST_PADE, n);
    }
    if (d->nout > 0) {
        return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, pade->loc,
                        "a delay by `pade` is of one number; controller '%s' gives %d",
                        d->item->full, d->nout);
    }
    FLX_TRY(flx_control_above(d, delay, "a delay by `pade`"));
    FLX_TRY(flx_control_own(d, "delay", delay));
    // times n!/c: whole numbers; descending powers of s
    char top[256] = "[", bottom[256] = "[";
    long c = 1, list[MOST_PADE +
                     1]; // (2n - k)!/(n! k!) ... from the lowest power up, of (2n)!/n! at k = 0
    for (int k = 1; k <= n; k++) c *= n + k;
    for (int k = 0; k <= n; k++) {
        list[k] = c;
        c = c * (n - k) / ((2 * n - k) * (k + 1));
    }
    size_t used[2] = {1, 1};
    for (int k = n; k >= 0; k--) {
        used[0] += (size_t)flx_snprintf(top + used[0], sizeof top - used[0],
                                        "%ld*(-self.delay)^%d%s", list[k], k, k > 0 ? ", " : "]");
        used[1] += (size_t)flx_snprintf(bottom + used[1], sizeof bottom - used[1],
                                        "%ld*self.delay^%d%s", list[k], k, k > 0 ? ", " : "]");
    }
    FLX_TRY(flx_control_signal(d, "later", flx_control_text(d, "%s", top)));
    FLX_TRY(flx_control_signal(d, "behind", flx_control_text(d, "%s", bottom)));
    FLX_TRY(flx_control_state(
        d, "late", n,
        flx_control_text(d,
                         "if(i_ < %d, self.late(min(i_ + 1, %d)), (self.now - sum(k, 1, %d, "
                         "self.behind(%d - k)*self.late(k)))/self.behind(1))",
                         n, n, n, n + 2)));
    return flx_control_signal(
        d, "output",
        flx_control_text(
            d,
            "sum(k, 1, %d, self.later(%d - k)*self.late(k)) + self.later(1)*(self.now - sum(k, "
            "1, %d, self.behind(%d - k)*self.late(k)))/self.behind(1)",
            n, n + 2, n, n + 2));
}

static flx_status finish(flx_control_draft *d)
{
    const flx_entry *delay = flx_control_key(d, "delay"), *pade = flx_control_key(d, "pade");
    if (d->sampled && pade) {
        return FLX_FAIL(
            d->b->ctx, FLX_ERR_MODEL, pade->loc,
            "`pade` is for continuous controllers; a sampled one has its delay in samples");
    }
    if (d->sampled) return hold(d, delay);
    if (pade && !delay)
        return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, pade->loc, "`pade` goes with `delay`");
    if (pade) return delay_by_pade(d, delay, pade);
    if (delay) return fail_delay(d, delay);
    return flx_control_signal(d, "output", flx_control_text(d, "self.now"));
}

// ---- the block ---------------------------------------------------------------------------------

// "pid, continuous: integral, filtered"; what it became, in the order of its making.
static flx_status tell(flx_control_draft *d, const char *word, int firsts, int discretes,
                       int events)
{
    flx_builder *b = d->b;
    flx_model *m = b->m;
    const flx_items *lists[] = {&b->firsts, &b->discretes, &b->events};
    const int from[] = {firsts, discretes, events};
    static const char *const kinds[] = {"states", "discrete variables", "clocks"};
    const char *text =
        flx_arena_printf(m->arena, "%s, %s", word, d->sampled ? "sampled" : "continuous");
    for (int i = 0; i < 3 && text; i++) {
        int n = lists[i]->count - from[i];
        if (n > 0) {
            text = flx_arena_printf(m->arena, "%s; %s %s%s%s", text, kinds[i],
                                    lists[i]->items[from[i]]->full, n > 1 ? " to " : "",
                                    n > 1 ? lists[i]->items[lists[i]->count - 1]->full : "");
        }
    }
    if (!text) return FLX_ERR_MEMORY;
    flx_told *all = flx_arena_take(m->arena, (size_t)m->ncontrol + 1, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    if (m->ncontrol > 0) memcpy(all, m->controls, (size_t)m->ncontrol * sizeof *all);
    all[m->ncontrol++] = (flx_told){.name = d->item->full, .text = text};
    m->controls = all;
    return FLX_OK;
}

flx_status flx_control_declare(flx_builder *b, flx_item *item)
{
    flx_control_draft d = {.b = b, .item = item, .data = item->data, .nset = 8};
    const flx_entry *type = NULL;
    flx_local *self = flx_take(b, 1, sizeof *self);
    if (!self) return FLX_ERR_MEMORY;
    *self = (flx_local){"self", flx_operand_item(item), item->locals};
    d.self = self;
    d.set = flx_control_map(&d, d.nset);
    if (!d.set) return FLX_ERR_MEMORY;
    d.sampled = flx_control_key(&d, "sample") != NULL;
    FLX_TRY(flx_control_need(&d, "type", &type));
    int k = 0, count = (int)(sizeof types / sizeof types[0]);
    while (k < count && strcmp(types[k].word, type->text) != 0) k++;
    if (k == count) return FLX_OK; // told by the checker
    int firsts = b->firsts.count, discretes = b->discretes.count, events = b->events.count;
    FLX_TRY(types[k].unroll(&d));
    FLX_TRY(finish(&d));
    return tell(&d, type->text, firsts, discretes, events);
}

// ---- in expressions ----------------------------------------------------------------------------

flx_status flx_control_member(flx_env *e, flx_item *control, const char *name, flx_loc loc,
                              flx_operand *out)
{
    const flx_control_data *d = control->data;
    flx_item *item = flx_names_find(&d->names, name);
    if (item) return flx_item_value(e, item, loc, out);
    if (strcmp(name, "torques") == 0 && flx_names_find(&d->names, "goal")) {
        return flx_control_torques(e, control, loc, out);
    }
    return flx_member_unknown(e, control->full, name, loc, NULL, &d->names);
}

flx_status flx_control_value(flx_env *e, flx_item *control, flx_loc loc, flx_operand *out)
{
    const flx_control_data *d = control->data;
    flx_item *output = flx_names_find(&d->names, "output");
    if (!output || output->broken) return FLX_ERR_MODEL; // its message is recorded
    return flx_item_value(e, output, loc, out);
}
