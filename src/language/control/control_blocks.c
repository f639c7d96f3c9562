// control_blocks.c - pid, saturation, quantiser, lookup.
#include "language/control/control_parts.h"
#include "language/literal.h"

#include <string.h>

// The number that comes in: `of`, or `want` less `is`.
static flx_status take_error(flx_control_draft *d, bool *measured)
{
    const flx_entry *of = flx_control_key(d, "of"), *want = flx_control_key(d, "want");
    const flx_entry *is = flx_control_key(d, "is");
    *measured = !of && want && is;
    if (of && !want && !is) return flx_control_own(d, "error", of);
    if (!*measured) {
        return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, d->item->loc,
                        "controller '%s' needs `of`, or both `want` and `is`", d->item->full);
    }
    FLX_TRY(flx_control_own(d, "want", want));
    FLX_TRY(flx_control_own(d, "is", is));
    return flx_control_signal(d, "error", flx_control_text(d, "self.want - self.is"));
}

// Numbers are looked at; expressions may be anything.
static flx_status check_order(flx_control_draft *d, const flx_entry *limits)
{
    double x[2];
    for (int i = 0; i < 2; i++) {
        if (!flx_entry_literal(limits->items[i], &x[i])) return FLX_OK;
    }
    if (x[0] < x[1]) return FLX_OK;
    return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, limits->loc,
                    "limits are a lower and an upper number, as in [-1, 1]; %g is not below %g",
                    x[0], x[1]);
}

static flx_status take_limits(flx_control_draft *d, const flx_entry *limits)
{
    if (limits->kind == FLX_ENTRY_LIST && limits->count == 2) {
        FLX_TRY(check_order(d, limits));
        FLX_TRY(flx_control_own(d, "lower", limits->items[0]));
        return flx_control_own(d, "upper", limits->items[1]);
    }
    return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, limits->loc,
                    "limits are a lower and an upper number, as in [-1, 1]");
}

flx_status flx_control_saturation(flx_control_draft *d)
{
    const flx_entry *of = NULL, *limits = NULL;
    FLX_TRY(flx_control_need(d, "of", &of));
    FLX_TRY(flx_control_need(d, "limits", &limits));
    FLX_TRY(flx_control_own(d, "error", of));
    FLX_TRY(take_limits(d, limits));
    return flx_control_signal(d, "now",
                              flx_control_text(d, "max(self.lower, min(self.upper, self.error))"));
}

flx_status flx_control_quantiser(flx_control_draft *d)
{
    const flx_entry *of = NULL, *step = NULL;
    FLX_TRY(flx_control_need(d, "of", &of));
    FLX_TRY(flx_control_need(d, "step", &step));
    FLX_TRY(flx_control_own(d, "error", of));
    FLX_TRY(flx_control_above(d, step, "the step"));
    FLX_TRY(flx_control_own(d, "step", step));
    return flx_control_signal(d, "now",
                              flx_control_text(d, "self.step*round(self.error/self.step)"));
}

flx_status flx_control_lookup(flx_control_draft *d)
{
    const flx_entry *of = NULL;
    FLX_TRY(flx_control_need(d, "of", &of));
    FLX_TRY(flx_control_own(d, "error", of));
    FLX_TRY(flx_control_function(d, "table"));
    return flx_control_signal(d, "now", flx_control_text(d, "self.table(self.error)"));
}

// ---- pid ---------------------------------------------------------------------------------------

// The derivative part as text: of what is measured, else of the error; filtered, or by its exact rate (CTL-2).
static flx_status take_derivative(flx_control_draft *d, bool measured, const char **part)
{
    const flx_entry *gain = flx_control_key(d, "d"), *filter = flx_control_key(d, "filter");
    const char *of = measured ? "is" : "error", *sign = measured ? "-" : "+";
    *part = "";
    FLX_TRY(flx_control_above(d, filter, "the speed of the filter"));
    if (!gain) return FLX_OK;
    FLX_TRY(flx_control_own(d, "d", gain));
    if (filter) FLX_TRY(flx_control_own(d, "filter", filter));
    if (!d->sampled && !filter) {
        *part = flx_arena_printf(d->b->scratch, " %s self.d*self.%s'", sign, of);
        return *part ? FLX_OK : FLX_ERR_MEMORY;
    }
    if (!d->sampled) {
        FLX_TRY(flx_control_state(
            d, "filtered", 0, flx_control_text(d, "self.filter*(self.%s - self.filtered)", of)));
        FLX_TRY(flx_control_begin(d, "begin", flx_control_text(d, "self.filtered"),
                                  flx_control_text(d, "self.%s", of)));
        *part = flx_arena_printf(d->b->scratch, " %s self.d*self.filter*(self.%s - self.filtered)",
                                 sign, of);
        return *part ? FLX_OK : FLX_ERR_MEMORY;
    }
    FLX_TRY(flx_control_discrete(d, "filtered", 0));
    FLX_TRY(flx_control_discrete(d, "begun", 0));
    const char *share = filter ? "(1 - exp(-self.filter*self.sample))" : "1";
    FLX_TRY(flx_control_set(d, flx_control_text(d, "self.begun"), flx_control_text(d, "1")));
    FLX_TRY(flx_control_set(d, flx_control_text(d, "self.filtered"),
                            flx_control_text(d,
                                             "if(self.begun > 0.5, self.filtered + %s*(self.%s - "
                                             "self.filtered), self.%s)",
                                             share, of, of)));
    *part = flx_arena_printf(d->b->scratch,
                             " %s self.begun*self.d*%s/self.sample*(self.%s - self.filtered)", sign,
                             share, of);
    return *part ? FLX_OK : FLX_ERR_MEMORY;
}

// The integral, with what the limits take away led back (CTL-3).
static flx_status take_integral(flx_control_draft *d, bool limited, bool proportional)
{
    const flx_entry *gain = flx_control_key(d, "i"), *back = flx_control_key(d, "anti_windup");
    bool none = back && back->kind == FLX_ENTRY_SCALAR && strcmp(back->text, "none") == 0;
    if (back && !none && !(limited && gain)) {
        return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, back->loc,
                        "`anti_windup` goes with `i` and `limits`");
    }
    if (!gain) return FLX_OK;
    FLX_TRY(flx_control_own(d, "i", gain));
    const char *lead = "";
    if (limited && !none) {
        if (back) {
            FLX_TRY(flx_control_above(d, back, "the time constant"));
            FLX_TRY(flx_control_own(d, "anti_windup", back));
        } else if (flx_control_key(d, "d")) {
            FLX_TRY(
                flx_control_signal(d, "anti_windup", flx_control_text(d, "sqrt(self.d/self.i)")));
        } else if (proportional) {
            FLX_TRY(flx_control_signal(d, "anti_windup", flx_control_text(d, "self.p/self.i")));
        } else {
            return FLX_FAIL(
                d->b->ctx, FLX_ERR_MODEL, d->item->loc,
                "controller '%s' with `i` and `limits` alone needs `anti_windup`, in s, or "
                "`anti_windup: none`",
                d->item->full);
        }
        lead = d->sampled ? " + min(1, self.sample/self.anti_windup)*(self.now - self.wanted)"
                          : " + (self.now - self.wanted)/self.anti_windup";
    }
    if (!d->sampled) {
        return flx_control_state(d, "integral", 0,
                                 flx_control_text(d, "self.i*self.error%s", lead));
    }
    FLX_TRY(flx_control_discrete(d, "integral", 0));
    return flx_control_set(
        d, flx_control_text(d, "self.integral"),
        flx_control_text(d, "self.integral + self.sample*self.i*self.error%s", lead));
}

flx_status flx_control_pid(flx_control_draft *d)
{
    const flx_entry *p = flx_control_key(d, "p"), *limits = flx_control_key(d, "limits");
    const char *derivative = "";
    bool measured = false;
    FLX_TRY(take_error(d, &measured));
    if (!p && !flx_control_key(d, "i") && !flx_control_key(d, "d")) {
        return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, d->item->loc,
                        "controller '%s' needs one of `p`, `i` and `d`", d->item->full);
    }
    if (d->sampled) FLX_TRY(flx_control_own(d, "sample", flx_control_key(d, "sample")));
    if (p) FLX_TRY(flx_control_own(d, "p", p));
    if (limits) FLX_TRY(take_limits(d, limits));
    FLX_TRY(take_derivative(d, measured, &derivative));
    FLX_TRY(take_integral(d, limits != NULL, p != NULL));
    FLX_TRY(flx_control_signal(d, "wanted",
                               flx_control_text(d, "%s%s%s", p ? "self.p*self.error" : "0",
                                                flx_control_key(d, "i") ? " + self.integral" : "",
                                                derivative)));
    return flx_control_signal(
        d, "now",
        limits ? flx_control_text(d, "max(self.lower, min(self.upper, self.wanted))")
               : flx_control_text(d, "self.wanted"));
}
