// read_spectrum.c - analyses of type spectrum.
#include "language/analyses/analysis_reader.h"
#include "model/spectrum_keys.h"

#include <math.h>
#include <string.h>

// The signals, and the speed behind them.
static flx_status read_signals(flx_env *e, const flx_item *item, flx_spectrum_keys *own)
{
    flx_builder *b = e->b;
    const flx_entry *signals, *speed = flx_entry_get(item->def, "speed");
    const flx_entry *orders = flx_entry_get(item->def, "orders");
    int n = 0;
    flx_column *of = NULL;
    FLX_TRY(flx_build_need(b, item, "signals", &signals));
    FLX_TRY(flx_signals_read(b, signals, &own->nsignal, &own->signals));
    if (own->nsignal == 0)
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, signals->loc, "a spectrum is that of signals");
    if (orders && !speed) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, orders->loc,
                        "orders are those of a rotation: give its rate as `speed`");
    }
    if (!speed) return FLX_OK;
    const flx_entry list = {.kind = FLX_ENTRY_LIST,
                            .loc = speed->loc,
                            .count = 1,
                            .items = (flx_entry *[]){(flx_entry *)speed}};
    FLX_TRY(flx_signals_read(b, &list, &n, &of));
    if (n != 1) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, speed->loc,
                        "`speed` is one rate of rotation, and these are %d signals", n);
    }
    if (of[0].unit[0] != '\0' && strcmp(of[0].unit, "rad/s") != 0) { // expressions have none
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, speed->loc,
                        "`speed` is a rate of rotation, in rad/s, and '%s' is in %s", of[0].name,
                        of[0].unit);
    }
    flx_column *all = flx_arena_take(b->m->arena, (size_t)own->nsignal + 1, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    memcpy(all, own->signals, (size_t)own->nsignal * sizeof *all);
    all[own->nsignal] = of[0];
    own->signals = all;
    own->speed = true;
    return orders ? flx_build_numbers(e, orders, &own->norder, &own->orders) : FLX_OK;
}

static flx_status read_times(flx_env *e, const flx_item *item, flx_spectrum_keys *own)
{
    const flx_entry *from = flx_entry_get(item->def, "from"),
                    *until = flx_entry_get(item->def, "until");
    const flx_entry *segment = flx_entry_get(item->def, "segment"),
                    *sample = flx_entry_get(item->def, "sample"),
                    *overlap = flx_entry_get(item->def, "overlap");
    own->from = -1e300;
    own->until = 1e300;
    own->overlap = 0.5;
    if (from) FLX_TRY(flx_build_number(e, from, &own->from));
    if (until) FLX_TRY(flx_build_number(e, until, &own->until));
    if (segment) FLX_TRY(flx_build_positive(e, segment, "the length of a segment", &own->segment));
    if (sample) FLX_TRY(flx_build_positive(e, sample, "the interval of samples", &own->sample));
    if (overlap) FLX_TRY(flx_build_number(e, overlap, &own->overlap));
    if (!(own->until > own->from)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, item->loc, "`until` comes after `from`");
    }
    if (own->overlap >= 0.0 && own->overlap < 1.0) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, overlap->loc,
                    "segments overlap by a part from 0 to below 1, not %g", own->overlap);
}

static flx_status read(flx_env *e, const flx_item *item, flx_analysis *out)
{
    static const char *const windows[] = {"hann",     "rectangular", "hamming",
                                          "blackman", "flat-top",    NULL};
    static const char *const trends[] = {"mean", "line", "none", NULL};
    flx_builder *b = e->b;
    flx_spectrum_keys *own = flx_arena_take(b->m->arena, 1, sizeof *own);
    const flx_entry *window = flx_entry_get(item->def, "window");
    const flx_entry *trend = flx_entry_get(item->def, "trend");
    if (!own) return FLX_ERR_MEMORY;
    out->own = own;
    if (window) FLX_TRY(flx_build_word(b, window, "window", windows, &own->window));
    if (trend) FLX_TRY(flx_build_word(b, trend, "trend", trends, &own->trend));
    FLX_TRY(read_signals(e, item, own));
    FLX_TRY(read_times(e, item, own));
    for (int i = 0; i < own->norder; i++) {
        if (own->orders[i] > 0.0 && isfinite(own->orders[i])) continue;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, flx_entry_get(item->def, "orders")->loc,
                        "an order is a positive number");
    }
    return FLX_OK;
}

static const flx_key_row keys[] = {
    {"signals", "[number;1..]", .needed = true, .doc = "Signals whose spectra are found."},
    {"sample", "number", .unit = "s", .initial = "outputs.every",
     .doc = "Interval of samples: frequencies up to half of its inverse are seen, and faster ones "
            "appear among them."},
    {"window", "word", .initial = "hann", .doc = "By what segments are multiplied."},
    {"trend", "word", .initial = "mean", .doc = "What is taken away from every segment."},
    {"segment", "number", .unit = "s", .initial = "the whole run",
     .doc = "Length of segments whose spectra are averaged; with `speed` in revolutions."},
    {"overlap", "number", .initial = "0.5", .doc = "Part of a segment that the next one shares."},
    {"from", "number", .unit = "s", .initial = "the start",
     .doc = "What comes before is left out."},
    {"until", "number", .unit = "s", .initial = "the end", .doc = "What comes after is left out."},
    {"speed", "number", .initial = "none", .unit = "rad/s",
     .doc = "A rate of rotation: orders, per revolution, take the place of frequencies."},
    {"orders", "[number;0..]", .initial = "none",
     .doc = "Orders whose amplitudes are followed along the run, over its speed."},
    {0}};

const flx_analysis_reader flx_reader_SPECTRUM = {
    .says = {.word = "spectrum",
             .dimensions = "23",
             .doc = "amplitudes and power densities of signals of the run over frequency, or over "
                    "orders of a rotation",
             .example = "noise: {type: spectrum, signals: [bearing.force.y], segment: 0.5}",
             .keys = keys},
    .motion = true,
    .read = read,
};
