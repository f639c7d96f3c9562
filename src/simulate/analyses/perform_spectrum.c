// perform_spectrum.c - analyses of type spectrum: a run of its own whose rows are the signals, and their spectra.
#include "base/number.h"
#include "flexion/extend/sink_table.h"
#include "flexion/signal_spectrum.h"
#include "model/spectrum_keys.h"
#include "simulate/analyses/performer.h"

#include <string.h>

#define MOST_PEAKS 8
#define SMALL 1e-3 // of the highest peak: lower ones are not listed

// A sink that keeps series, by columns when the run has ended.
typedef struct keeper {
    flx_sink sink;
    int ncolumn, nrow, room;
    double *rows; // (room x (1 + ncolumn)) owned
} keeper;

static flx_status keep_begin(flx_sink *s, const flx_result_info *info)
{
    keeper *k = (keeper *)s;
    k->ncolumn = info->ncolumn;
    return FLX_OK;
}

static flx_status keep_row(flx_sink *s, double t, const double *values)
{
    keeper *k = (keeper *)s;
    size_t width = 1 + (size_t)k->ncolumn;
    if (k->nrow == k->room) {
        int room = 2 * k->room + 256;
        double *more = flx_alloc(s->ctx, (size_t)room * width, sizeof *more);
        if (!more) return FLX_ERR_MEMORY;
        if (k->nrow > 0) memcpy(more, k->rows, (size_t)k->nrow * width * sizeof *more);
        flx_free(k->rows);
        k->rows = more;
        k->room = room;
    }
    double *to = k->rows + (size_t)k->nrow++ * width;
    to[0] = t;
    memcpy(to + 1, values, (size_t)k->ncolumn * sizeof *to);
    return FLX_OK;
}

static flx_status keep_end(flx_sink *s, const struct flx_ledger *ledger)
{
    (void)s;
    (void)ledger;
    return FLX_OK;
}

static void keep_destroy(flx_sink *s)
{
    flx_free(((keeper *)s)->rows);
}

static const flx_sink_type keeper_type = {.name = "series",
                                          .begin = keep_begin,
                                          .row = keep_row,
                                          .end = keep_end,
                                          .destroy = keep_destroy};

typedef struct spectra {
    flx_simulation *sim;
    flx_finding *out;
    const flx_spectrum_keys *keys;
    flx_signal_spectrum_def def;
    int n;
    const double *series;    // (1 + signals) x n: t, the signals, the speed
    flx_signal_spectrum *of; // (nsignal)
} spectra;

// The run with these signals as its columns. Its columns are in `series`, from the arena.
static flx_status run(const flx_spectrum_keys *keys, flx_simulation *sim, flx_arena *arena,
                      spectra *s)
{
    flx_model copy = *sim->model;
    flx_simulation *own = NULL;
    keeper k = {.sink = {&keeper_type, sim->ctx}};
    flx_sink *const sinks[] = {&k.sink};
    copy.outputs.ncolumn = keys->nsignal + keys->speed;
    copy.outputs.columns = keys->signals;
    copy.outputs.nmetric = 0;
    if (keys->sample > 0.0) {
        copy.outputs.every = keys->sample;
        copy.outputs.ntimes = 0;
        copy.outputs.steps = false;
    }
    flx_status status = flx_simulation_create(&copy, &own);
    if (status == FLX_OK) status = flx_simulation_run(own, 1, sinks, NULL, NULL);
    int width = 1 + k.ncolumn;
    double *series = status == FLX_OK
                         ? flx_arena_take(arena, (size_t)width * (size_t)k.nrow + 1, sizeof *series)
                         : NULL;
    for (int i = 0; series && i < k.nrow; i++) {
        for (int c = 0; c < width; c++)
            series[(size_t)c * (size_t)k.nrow + (size_t)i] =
                k.rows[(size_t)i * (size_t)width + (size_t)c];
    }
    s->n = k.nrow;
    s->series = series;
    keep_destroy(&k.sink);
    flx_simulation_destroy(&own);
    return status == FLX_OK && !series ? FLX_ERR_MEMORY : status;
}

static const double *series_of(const spectra *s, int signal)
{
    return s->series + (size_t)(1 + signal) * (size_t)s->n;
}

static flx_status put_lines(spectra *s)
{
    static const char *const parts[] = {"amplitude", "phase", "density"};
    const flx_spectrum_keys *keys = s->keys;
    int nline = s->of[0].n, ncolumn = 1 + 3 * keys->nsignal;
    flx_finding_table *t = flx_finding_add_table(s->sim, s->out, "spectrum", nline, ncolumn);
    if (!t) return FLX_ERR_MEMORY;
    FLX_TRY(flx_finding_column(s->sim, s->out, t, 0, keys->speed ? "order" : "frequency",
                               keys->speed ? "" : "Hz"));
    for (int k = 0; k < keys->nsignal; k++) {
        const flx_signal_spectrum *f = s->of + k;
        const double *of[] = {f->amplitude, f->phase, f->density};
        for (int p = 0; p < 3; p++) {
            char head[200];
            int column = 1 + 3 * k + p;
            flx_snprintf(head, sizeof head, "%s %s", keys->signals[k].name, parts[p]);
            FLX_TRY(flx_finding_column(s->sim, s->out, t, column, head,
                                       p == 0   ? keys->signals[k].unit
                                       : p == 1 ? "rad"
                                                : ""));
            for (int i = 0; i < nline; i++) t->values[i * ncolumn + column] = of[p][i];
        }
    }
    for (int i = 0; i < nline; i++) t->values[i * ncolumn] = s->of[0].frequency[i];
    return FLX_OK;
}

static flx_status put_peaks(spectra *s)
{
    static const char *const heads[] = {"signal", NULL, "amplitude"};
    const flx_spectrum_keys *keys = s->keys;
    int n = 0;
    double *rows = flx_alloc(s->sim->ctx, 3 * MOST_PEAKS * (size_t)keys->nsignal, sizeof *rows);
    if (!rows) return FLX_ERR_MEMORY;
    for (int k = 0; k < keys->nsignal; k++) {
        flx_signal_spectrum_peak peaks[MOST_PEAKS];
        int found = flx_signal_spectrum_find_peaks(s->of + k, SMALL, MOST_PEAKS, peaks);
        for (int i = 0; i < found; i++, n++) {
            rows[3 * n] = k + 1;
            rows[3 * n + 1] = peaks[i].frequency;
            rows[3 * n + 2] = peaks[i].amplitude;
        }
    }
    flx_finding_table *t = flx_finding_add_table(s->sim, s->out, "peaks", n, 3);
    flx_status status = t ? FLX_OK : FLX_ERR_MEMORY;
    for (int k = 0; t && k < 3 && status == FLX_OK; k++)
        status = flx_finding_column(s->sim, s->out, t, k,
                                    heads[k]      ? heads[k]
                                    : keys->speed ? "order"
                                                  : "frequency",
                                    k == 1 && !keys->speed ? "Hz" : "");
    if (t) memcpy(t->values, rows, 3 * (size_t)n * sizeof *rows);
    flx_free(rows);
    return status;
}

// A row per segment: t, speed, and of every signal the amplitude of every order.
static flx_status put_tracks(spectra *s)
{
    const flx_spectrum_keys *keys = s->keys;
    int norder = keys->norder, ncolumn = 2 + keys->nsignal * norder;
    flx_finding_table *t = NULL;
    flx_status status = FLX_OK;
    for (int k = 0; norder > 0 && status == FLX_OK && k < keys->nsignal; k++) {
        flx_order_track track = {0};
        status = flx_order_track_find(s->sim->ctx, s->n, s->series, series_of(s, keys->nsignal),
                                      series_of(s, k), norder, keys->orders, &s->def, &track);
        if (status == FLX_OK && !t) {
            t = flx_finding_add_table(s->sim, s->out, "orders", track.nrow, ncolumn);
            status = t ? flx_finding_column(s->sim, s->out, t, 0, "t", "s") : FLX_ERR_MEMORY;
            if (status == FLX_OK)
                status = flx_finding_column(s->sim, s->out, t, 1, "speed", "rad/s");
        }
        for (int o = 0; status == FLX_OK && o < norder; o++) {
            char head[200];
            flx_snprintf(head, sizeof head, "%s order %g", keys->signals[k].name, keys->orders[o]);
            status = flx_finding_column(s->sim, s->out, t, 2 + k * norder + o, head,
                                        keys->signals[k].unit);
        }
        for (int i = 0; status == FLX_OK && i < track.nrow; i++) {
            const double *row = track.rows + (size_t)i * (size_t)(2 + norder);
            double *to = t->values + (size_t)i * (size_t)ncolumn;
            memcpy(to, row, 2 * sizeof *to);
            memcpy(to + 2 + k * norder, row + 2, (size_t)norder * sizeof *to);
        }
        flx_order_track_clear(&track);
    }
    return status;
}

static flx_status tell(spectra *s)
{
    const flx_spectrum_keys *keys = s->keys;
    for (int k = 0; k < keys->nsignal; k++) {
        const flx_signal_spectrum *f = s->of + k;
        FLX_TRY(flx_finding_line(
            s->sim, s->out, "%d: %s, rms %.6g %s, lines %.4g%s apart, %d segment%s%s", k + 1,
            keys->signals[k].name, f->rms, keys->signals[k].unit, f->resolution,
            keys->speed ? "" : " Hz", f->nsegment, f->nsegment == 1 ? "" : "s",
            f->resampled ? "; samples are not equally spaced, and a spline was taken" : ""));
    }
    return FLX_OK;
}

static flx_status find_all(spectra *s, double *turns)
{
    const flx_spectrum_keys *keys = s->keys;
    flx_ctx *ctx = s->sim->ctx;
    const double *x = s->series;
    if (keys->speed) {
        FLX_TRY(flx_order_turns(ctx, s->n, s->series, series_of(s, keys->nsignal), turns));
        x = turns;
    }
    for (int k = 0; k < keys->nsignal; k++)
        FLX_TRY(flx_signal_spectrum_find(ctx, s->n, x, series_of(s, k), &s->def, s->of + k));
    FLX_TRY(tell(s));
    FLX_TRY(put_lines(s));
    FLX_TRY(put_peaks(s));
    return put_tracks(s);
}

// Rows within the limits; with a speed, x is not the time any more.
static void limit(spectra *s)
{
    int from = 0, width = 1 + s->keys->nsignal + s->keys->speed, n = 0;
    double *series = (double *)s->series;
    while (from < s->n && series[from] < s->keys->from) from++;
    while (from + n < s->n && series[from + n] <= s->keys->until) n++;
    for (int c = 0; c < width; c++)
        memmove(series + (size_t)c * (size_t)n, series + (size_t)c * (size_t)s->n + from,
                (size_t)n * sizeof *series);
    s->n = n;
}

static flx_status perform(flx_task *t, flx_finding *out)
{
    flx_simulation *sim = t->sim;
    spectra s = {.sim = sim, .out = out, .keys = t->a->own};
    flx_arena *arena = flx_arena_create(sim->ctx);
    if (!arena) return FLX_ERR_MEMORY;
    s.def = flx_signal_spectrum_def_default();
    s.def.window = (flx_window)s.keys->window;
    s.def.trend = (flx_trend)s.keys->trend;
    s.def.segment = s.keys->segment;
    s.def.overlap = s.keys->overlap;
    flx_status status = run(s.keys, sim, arena, &s);
    if (status == FLX_OK) {
        limit(&s);
        double *turns = flx_arena_take(arena, (size_t)s.n + 1, sizeof *turns);
        s.of = flx_arena_take(arena, (size_t)s.keys->nsignal, sizeof *s.of);
        status = turns && s.of ? find_all(&s, turns) : FLX_ERR_MEMORY;
        for (int k = 0; s.of && k < s.keys->nsignal; k++) flx_signal_spectrum_clear(s.of + k);
    }
    flx_arena_destroy(&arena);
    return status;
}

const flx_analysis_performer flx_performer_SPECTRUM = {.perform = perform};
