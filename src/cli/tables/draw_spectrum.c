// draw_spectrum.c - spectra of signals of a result; see draw_spectrum.h.
#include "cli/tables/draw_spectrum.h"
#include "draw/drawings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SIGNALS 32
#define MOST_PANELS 4
#define MOST_PEAKS 8
#define SMALL 1e-3 // of the highest peak: lower ones are not told

typedef struct spectra {
    flx_ctx *ctx;
    flx_result *r;
    const cli_spectrum_options *o;
    int n, columns[MOST_SIGNALS];
    flx_signal_spectrum of[MOST_SIGNALS]; // owned
    flx_order_track tracks[MOST_SIGNALS]; // owned
    int from, nrow;                       // rows within the limits of time
    const double *rate;                   // (nrow) of rotation; NULL: none
    double *x;                            // (nrow) owned: revolutions; NULL: none
} spectra;

static const char *unit_of(const spectra *s, int k)
{
    return flx_result_unit(s->r, s->columns[k]);
}

// ---- what is asked ------------------------------------------------------------------------------------

static bool find_signals(spectra *s, int n, const char *const *names)
{
    for (int i = 0; i < n; i++) {
        int found = flx_result_find(s->r, names[i], MOST_SIGNALS - s->n, s->columns + s->n);
        if (found == 0) return false;
        if (found > MOST_SIGNALS - s->n) {
            cli_complain(s->o->command, "at most %d signals at once", MOST_SIGNALS);
            return false;
        }
        s->n += found;
    }
    return true;
}

static void limit(spectra *s)
{
    const double *t = flx_result_column(s->r, 0);
    int n = flx_result_rows(s->r);
    while (s->from < n && t[s->from] < s->o->from) s->from++;
    while (s->from + s->nrow < n && t[s->from + s->nrow] <= s->o->until) s->nrow++;
}

static const double *rows_of(const spectra *s, int column)
{
    return flx_result_column(s->r, column) + s->from;
}

static bool find_speed(spectra *s)
{
    int column;
    if (!s->o->speed) return true;
    int found = flx_result_find(s->r, s->o->speed, 1, &column);
    if (found > 1) cli_complain(s->o->command, "--speed: '%s' is %d signals", s->o->speed, found);
    if (found != 1) return false;
    if (strcmp(flx_result_unit(s->r, column), "rad/s") != 0) {
        cli_complain(s->o->command,
                     "--speed needs a rate of rotation in rad/s; '%s' has the unit '%s'",
                     s->o->speed, flx_result_unit(s->r, column));
        return false;
    }
    s->rate = rows_of(s, column);
    s->x = malloc(((size_t)s->nrow + 1) * sizeof *s->x);
    return s->x && flx_order_turns(s->ctx, s->nrow, rows_of(s, 0), s->rate, s->x) == FLX_OK;
}

static flx_status find_all(spectra *s)
{
    const double *t = rows_of(s, 0);
    flx_status status = FLX_OK;
    for (int k = 0; status == FLX_OK && k < s->n; k++) {
        const double *y = rows_of(s, s->columns[k]);
        status =
            flx_signal_spectrum_find(s->ctx, s->nrow, s->x ? s->x : t, y, &s->o->def, s->of + k);
        if (status == FLX_OK && s->o->norder > 0)
            status = flx_order_track_find(s->ctx, s->nrow, t, s->rate, y, s->o->norder,
                                          s->o->orders, &s->o->def, s->tracks + k);
    }
    return status;
}

// ---- told ---------------------------------------------------------------------------------------------

static void tell(const spectra *s)
{
    const char *x = s->x ? "" : " Hz";
    for (int k = 0; k < s->n; k++) {
        const flx_signal_spectrum *f = s->of + k;
        flx_signal_spectrum_peak peaks[MOST_PEAKS];
        int n = flx_signal_spectrum_find_peaks(f, SMALL, MOST_PEAKS, peaks);
        printf("%s: rms %.6g %s, lines %.4g%s apart up to %.6g%s, %d segment%s of window '%s'%s\n",
               flx_result_name(s->r, s->columns[k]), f->rms, unit_of(s, k), f->resolution, x,
               f->frequency[f->n - 1], x, f->nsegment, f->nsegment == 1 ? "" : "s",
               flx_window_name((int)s->o->def.window),
               f->resampled ? "; samples were not equally spaced, a spline was taken" : "");
        if (n > 0) printf("  %12s  amplitude %s\n", s->x ? "order" : "frequency Hz", unit_of(s, k));
        for (int i = 0; i < n; i++)
            printf("  %12.6g  %.6g\n", peaks[i].frequency, peaks[i].amplitude);
    }
}

// ---- the table ----------------------------------------------------------------------------------------

static void write_spectra(const spectra *s, FILE *f)
{
    fputs(s->x ? "order" : "frequency", f);
    for (int k = 0; k < s->n; k++) {
        const char *name = flx_result_name(s->r, s->columns[k]);
        fprintf(f, ",\"%s amplitude\",\"%s phase\",\"%s density\"", name, name, name);
    }
    fputc('\n', f);
    for (int i = 0; i < s->of[0].n; i++) {
        fprintf(f, "%.17g", s->of[0].frequency[i]);
        for (int k = 0; k < s->n; k++)
            fprintf(f, ",%.17g,%.17g,%.17g", s->of[k].amplitude[i], s->of[k].phase[i],
                    s->of[k].density[i]);
        fputc('\n', f);
    }
}

static void write_tracks(const spectra *s, FILE *f)
{
    int width = 2 + s->o->norder;
    fputs("t,speed", f);
    for (int k = 0; k < s->n; k++) {
        for (int i = 0; i < s->o->norder; i++)
            fprintf(f, ",\"%s order %g\"", flx_result_name(s->r, s->columns[k]), s->o->orders[i]);
    }
    fputc('\n', f);
    for (int j = 0; j < s->tracks[0].nrow; j++) {
        fprintf(f, "%.17g,%.17g", s->tracks[0].rows[j * width], s->tracks[0].rows[j * width + 1]);
        for (int k = 0; k < s->n; k++) {
            for (int i = 0; i < s->o->norder; i++)
                fprintf(f, ",%.17g", s->tracks[k].rows[j * width + 2 + i]);
        }
        fputc('\n', f);
    }
}

static flx_status write_table(const spectra *s)
{
    flx_output *out = NULL;
    if (!s->o->table) return FLX_OK;
    flx_status status = flx_output_create(s->ctx, "the table", s->o->table, &out);
    if (status != FLX_OK) return status;
    if (s->o->norder > 0)
        write_tracks(s, flx_output_file(out));
    else
        write_spectra(s, flx_output_file(out));
    status = flx_output_close(&out, FLX_OK);
    if (status == FLX_OK && strcmp(s->o->table, "-") != 0) printf("%s\n", s->o->table);
    return status;
}

// ---- the drawing --------------------------------------------------------------------------------------

typedef struct drawing {
    int npanel;
    flx_chart_panel panels[MOST_PANELS];
    const char *units[MOST_PANELS];
    char labels[MOST_PANELS][160];
    flx_chart_series series[MOST_PANELS][MOST_SIGNALS];
    double *columns[MOST_SIGNALS * 2]; // owned
    char names[MOST_SIGNALS][120];
    int ncolumn, nname;
} drawing;

// The panel of a unit, the last one where there are more units than panels.
static int find_panel(drawing *d, const char *unit)
{
    for (int i = 0; i < d->npanel; i++) {
        if (strcmp(d->units[i], unit) == 0) return i;
    }
    if (d->npanel == MOST_PANELS) return MOST_PANELS - 1;
    d->units[d->npanel] = unit;
    return d->npanel++;
}

static void add(drawing *d, int panel, const char *name, int n, const double *x, const double *y)
{
    flx_chart_panel *p = d->panels + panel;
    if (p->nseries == MOST_SIGNALS) return;
    d->series[panel][p->nseries++] = (flx_chart_series){
        .name = name, .n = n, .x = x, .y = y, .slope = (double)NAN, .line_only = 1};
    p->series = d->series[panel];
}

// A column of the rows of an order track.
static double *take_column(drawing *d, const flx_order_track *t, int column)
{
    int width = 2 + t->norder;
    double *y = malloc(((size_t)t->nrow + 1) * sizeof *y);
    for (int j = 0; y && j < t->nrow; j++) y[j] = t->rows[j * width + column];
    return d->columns[d->ncolumn++] = y;
}

static void add_track(drawing *d, const spectra *s, int k, int panel)
{
    for (int i = 0; i < s->o->norder && d->nname < MOST_SIGNALS; i++) {
        char *name = d->names[d->nname++];
        double *x = take_column(d, s->tracks + k, 1), *y = take_column(d, s->tracks + k, 2 + i);
        snprintf(name, sizeof d->names[0], "%s, order %g", flx_result_name(s->r, s->columns[k]),
                 s->o->orders[i]);
        if (x && y) add(d, panel, name, s->tracks[k].nrow, x, y);
    }
}

// Names of the series before the label.
static void name_panel(drawing *d, int i)
{
    char text[sizeof d->labels[0]] = "";
    size_t at = 0;
    for (int k = 0; k < d->panels[i].nseries && at + 1 < sizeof text; k++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%s, ", d->panels[i].series[k].name);
        if (d->panels[i].nseries == 1) d->series[i][k].name = "";
    }
    if (at + strlen(d->labels[i]) < sizeof text)
        snprintf(text + at, sizeof text - at, "%s", d->labels[i]);
    memcpy(d->labels[i], text, sizeof text);
}

static flx_status draw(const spectra *s)
{
    const cli_spectrum_options *o = s->o;
    drawing *d = o->drawing ? calloc(1, sizeof *d) : NULL;
    if (!o->drawing) return FLX_OK;
    if (!d) return FLX_ERR_MEMORY;
    for (int k = 0; k < s->n; k++) {
        const flx_signal_spectrum *f = s->of + k;
        int panel = find_panel(d, unit_of(s, k));
        if (o->norder > 0) {
            add_track(d, s, k, panel);
        } else { // what is at 0 was taken away
            add(d, panel, flx_result_name(s->r, s->columns[k]), f->n - 1, f->frequency + 1,
                (o->density ? f->density : f->amplitude) + 1);
        }
    }
    for (int i = 0; i < d->npanel; i++) {
        const char *unit = d->units[i], *per = s->x ? "" : "/Hz";
        if (o->density && unit[0])
            snprintf(d->labels[i], sizeof d->labels[i], "density (%s)^2%s", unit, per);
        else
            snprintf(d->labels[i], sizeof d->labels[i], "%s%s%s",
                     o->density ? "density" : "amplitude", unit[0] ? " " : "", unit);
        if (d->npanel > 1) name_panel(d, i); // the legend is that of the last panel alone
        d->panels[i].x = o->norder > 0 ? "speed rad/s" : s->x ? "order" : "frequency Hz";
        d->panels[i].y = d->labels[i];
        d->panels[i].log_y = o->norder == 0;
    }
    const flx_chart_def chart = {.path = o->drawing,
                                 .npanel = d->npanel,
                                 .panels = d->panels,
                                 .width = o->width > 0     ? o->width
                                          : d->npanel == 1 ? 860
                                                           : 0,
                                 .height = o->height};
    flx_status status = flx_chart_write(s->ctx, &chart);
    if (status == FLX_OK) printf("%s\n", o->drawing);
    for (int i = 0; i < d->ncolumn; i++) free(d->columns[i]);
    free(d);
    return status;
}

// ---- together -----------------------------------------------------------------------------------------

int cli_spectra(flx_ctx *ctx, const char *path, int nsignal, const char *const *signals,
                const cli_spectrum_options *o)
{
    spectra *s = calloc(1, sizeof *s);
    int code = EXIT_WRONG;
    if (!s) return EXIT_FAILED;
    s->ctx = ctx;
    s->o = o;
    flx_status status = cli_open_result(ctx, path, &s->r);
    if (status != FLX_OK) {
        code = cli_exit_of(status);
    } else if (find_signals(s, nsignal, signals) && (limit(s), find_speed(s))) {
        status = find_all(s);
        if (status == FLX_OK && !o->quiet) tell(s);
        if (status == FLX_OK) status = write_table(s);
        if (status == FLX_OK) status = draw(s);
        code = cli_exit_of(status);
    }
    for (int k = 0; k < s->n; k++) {
        flx_signal_spectrum_clear(s->of + k);
        flx_order_track_clear(s->tracks + k);
    }
    free(s->x);
    flx_result_close(&s->r);
    free(s);
    cli_print_errors(ctx);
    return code;
}
