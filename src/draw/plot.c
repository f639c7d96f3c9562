// plot.c - signals as a drawing: one panel a unit, against time or a signal.
#include "base/number.h"
#include "draw/display_unit.h"
#include "draw/drawings.h"
#include "draw/gnuplot.h"
#include "results/result.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINES 200 // more cannot be told apart anyhow
#define DEFAULT_WIDTH 900
#define PANEL_HEIGHT 300
#define FRAME_HEIGHT 120  // title and x axis
#define SINGLE_HEIGHT 520 // one panel
#define NAME_LENGTH 512
#define COMPACT 500 // narrower drawings have their words above the curves, not beside them

typedef struct range {
    double low, high;
} range;

typedef struct drawing {
    flx_result *r;
    FILE *script;
    int width, height;
    int x; // column
    bool over_time;
    bool log_x, log_y;
    int nline, npanel;
    int lines[MAX_LINES]; // columns
    int panel[MAX_LINES]; // of each line
    // What is drawn: the result's columns, and after them those in other units.
    flx_result shown;
    double *converted[MAX_LINES]; // owned
    int nconverted;
} drawing;

// ---- ranges ----------------------------------------------------------------------------------

// Of what can be drawn: on a logarithmic axis, positive numbers.
static range data_range(const flx_result *r, int column, bool log)
{
    range a = {HUGE_VAL, -HUGE_VAL};
    const double *y = r->data[column];
    for (int i = 0; i < r->rows; i++) {
        if (!isfinite(y[i]) || (log && !(y[i] > 0))) continue;
        if (y[i] < a.low) a.low = y[i];
        if (y[i] > a.high) a.high = y[i];
    }
    return a;
}

static double size_of(range a)
{
    return fmax(fabs(a.low), fabs(a.high));
}

// Room above and below. A course that is constant up to rounding is drawn as a constant.
static range padded(range a, bool log)
{
    if (log) {
        double room = fmax(pow(a.high / a.low, 0.05), 1.2);
        return (range){a.low / room, a.high * room};
    }
    double width = a.high - a.low, size = size_of(a);
    if (!(width > 1e3 * DBL_EPSILON * size)) {
        double room = size > 0.0 ? 0.1 * size : 1.0;
        return (range){a.low - room, a.high + room};
    }
    return (range){a.low - 0.05 * width, a.high + 0.05 * width};
}

static range panel_range(const drawing *d, int panel)
{
    range a = {HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < d->nline; i++) {
        if (d->panel[i] != panel) continue;
        range b = data_range(d->r, d->lines[i], d->log_y);
        a.low = fmin(a.low, b.low);
        a.high = fmax(a.high, b.high);
    }
    return padded(a, d->log_y);
}

static range x_range(const drawing *d)
{
    range a = data_range(d->r, d->x, d->log_x);
    if (!d->over_time || !(a.high > a.low)) a = padded(a, d->log_x);
    return a;
}

// What is subtracted from a panel's values: a course that is narrow against its size is drawn as
// its distance from a round number, so that its tics stay readable.
static double panel_offset(const drawing *d, int panel)
{
    range a = panel_range(d, panel);
    double width = a.high - a.low, middle = 0.5 * (a.low + a.high);
    if (d->log_y || !(width < 1e-3 * size_of(a))) return 0.0;
    double unit = pow(10.0, ceil(log10(width)));
    return unit * round(middle / unit);
}

// ---- data ------------------------------------------------------------------------------------

static void put_point(FILE *f, double x, double y)
{
    if (isfinite(x) && isfinite(y)) {
        flx_fprintf(f, "%.12g %.12g\n", x, y);
    } else {
        fputs("NaN NaN\n", f); // a gap in the line
    }
}

// Over time, the rows that fall into one column of pixels are drawn by four: first, lowest,
// highest, last. The picture is the same and the file stays small.
static void put_bucket(FILE *f, const double *x, const double *y, double offset, int from, int to)
{
    int keep[4] = {from, from, from, to - 1};
    for (int i = from; i < to; i++) {
        if (!isfinite(y[i])) {
            for (int k = from; k < to; k++) put_point(f, x[k], y[k] - offset);
            return;
        }
        if (y[i] < y[keep[1]]) keep[1] = i;
        if (y[i] > y[keep[2]]) keep[2] = i;
    }
    if (keep[1] > keep[2]) {
        int swap = keep[1];
        keep[1] = keep[2];
        keep[2] = swap;
    }
    for (int k = 0; k < 4; k++) {
        if (k == 0 || keep[k] != keep[k - 1]) put_point(f, x[keep[k]], y[keep[k]] - offset);
    }
}

static void put_course(const drawing *d, const double *x, const double *y, double offset)
{
    int rows = d->r->rows;
    double first = x[0], width = (x[rows - 1] - x[0]) / (2.0 * d->width);
    for (int from = 0, to; from < rows; from = to) {
        double end = first + width * (floor((x[from] - first) / width) + 1.0);
        for (to = from + 1; to < rows && x[to] < end; to++) {
        }
        put_bucket(d->script, x, y, offset, from, to);
    }
}

// Against another signal, points that lie within a fifth of a pixel of the last one are left out.
static void put_path(const drawing *d, const double *x, const double *y, double offset, range ax,
                     range ay)
{
    double px = 0.2 * (ax.high - ax.low) / d->width, py = 0.2 * (ay.high - ay.low) / d->height;
    if (d->log_x || d->log_y) px = py = 0; // every point: small ones are apart there too
    int last = 0;
    for (int i = 0; i < d->r->rows; i++) {
        bool near = i > 0 && fabs(x[i] - x[last]) < px && fabs(y[i] - y[last]) < py;
        if (near && i < d->r->rows - 1) continue; // a comparison with NaN is false: gaps are kept
        put_point(d->script, x[i], y[i] - offset);
        last = i;
    }
}

static void put_data(const drawing *d, int i)
{
    const double *x = d->r->data[d->x], *y = d->r->data[d->lines[i]];
    int rows = d->r->rows;
    double offset = panel_offset(d, d->panel[i]);
    flx_fprintf(d->script, "$line%d << END\n", i);
    if (d->over_time && !d->log_x && rows > 8 * d->width && x[rows - 1] > x[0]) {
        put_course(d, x, y, offset);
    } else {
        put_path(d, x, y, offset, x_range(d), panel_range(d, d->panel[i]));
    }
    fputs("END\n", d->script);
}

// ---- script ----------------------------------------------------------------------------------

static int lines_in(const drawing *d, int panel)
{
    int n = 0;
    for (int i = 0; i < d->nline; i++) n += d->panel[i] == panel;
    return n;
}

// What the names of a panel's lines have in common, up to a dot or an index: "crank.position".
static size_t common_stem(const drawing *d, int panel, const char **name)
{
    size_t stem = 0;
    *name = NULL;
    for (int i = 0; i < d->nline; i++) {
        if (d->panel[i] != panel) continue;
        const char *other = d->r->names[d->lines[i]];
        if (!*name) {
            *name = other;
            stem = strlen(other);
            continue;
        }
        size_t k = 0;
        while (k < stem && (*name)[k] == other[k]) k++;
        stem = k;
    }
    if (lines_in(d, panel) == 1) return stem;
    while (stem > 0 && (*name)[stem] != '.' && (*name)[stem] != '(') stem--;
    return stem;
}

// What the names of a panel's lines end with, from a dot on: ".position.y"; may be empty.
static const char *common_tail(const drawing *d, int panel, const char *name)
{
    size_t length = strlen(name), tail = length;
    for (int i = 0; i < d->nline; i++) {
        if (d->panel[i] != panel) continue;
        const char *other = d->r->names[d->lines[i]];
        size_t m = strlen(other), k = 0;
        while (k < tail && k < m && name[length - 1 - k] == other[m - 1 - k]) k++;
        tail = k;
    }
    const char *dot = strchr(name + (length - tail), '.');
    return dot ? dot : "";
}

// Of "crank.position.x" and ".y" the label is "crank.position"; of "bob(1).angle" and "bob(2).angle"
// it is "bob.angle"; of "left.angle" and "right.angle", "angle".
static int write_common_name(const drawing *d, int panel, char *text, size_t size)
{
    const char *name, *tail = "";
    size_t stem = common_stem(d, panel, &name);
    if (lines_in(d, panel) > 1 && (stem == 0 || name[stem] == '(')) {
        tail = common_tail(d, panel, name);
        if (stem == 0 && tail[0] == '.') tail++;
    }
    if (stem + strlen(tail) >= size) stem = 0, tail = "";
    return flx_snprintf(text, size, "%.*s%s", (int)stem, name, tail);
}

static void put_y_label(const drawing *d, int panel)
{
    const char *unit = "";
    double offset = panel_offset(d, panel);
    char common[100], text[160];
    write_common_name(d, panel, common, sizeof common);
    int n = flx_snprintf(text, sizeof text, "%s", common);
    if (offset != 0.0) {
        flx_snprintf(text + n, sizeof text - (size_t)n, "%s %s %.15g", n ? "" : "value",
                     offset < 0.0 ? "+" : "−", fabs(offset));
    }
    for (int i = 0; i < d->nline; i++) {
        if (d->panel[i] == panel) unit = d->r->units[d->lines[i]];
    }
    fputs(d->width < COMPACT ? "unset ylabel\nset label 1 " : "set ylabel ", d->script);
    flx_gnuplot_label(d->script, text, unit);
    fputs(d->width < COMPACT ? " at graph 0, graph 1 left offset -2,0.7 noenhanced\n" : "\n",
          d->script);
}

// Characters of a panel's longest tic, at about the distances that gnuplot chooses.
static int tic_length(const drawing *d, int panel)
{
    range a = panel_range(d, panel);
    double offset = panel_offset(d, panel), step = pow(10.0, floor(log10((a.high - a.low) / 5.0)));
    int longest = 0;
    if (!(step > 0.0) || !isfinite(step)) return 0;
    double count = (a.high - a.low) / step;
    step *= count > 20.0 ? 5.0 : count > 10.0 ? 2.0 : 1.0;
    for (double k = ceil((a.low - offset) / step); k * step <= a.high - offset; k++) {
        int n = flx_snprintf(NULL, 0, "%.3g", k * step);
        if (n > longest) longest = n;
    }
    return longest;
}

// Room for tics and label at the left, in pixels.
static double left_margin(const drawing *d)
{
    int longest = 0;
    for (int p = 0; p < d->npanel; p++) {
        int n = tic_length(d, p);
        if (n > longest) longest = n;
    }
    if (d->width < COMPACT) return fmax(48.0, 20.0 + 8.0 * longest);
    return fmax(96.0, 64.0 + 8.0 * longest);
}

// Width in pixels that the longest name of the legend takes, 0 without a legend.
static double legend_width(const drawing *d)
{
    size_t longest = 0;
    bool wanted = false;
    for (int i = 0; i < d->nline; i++) {
        size_t n = strlen(d->r->names[d->lines[i]]);
        if (lines_in(d, d->panel[i]) < 2) continue;
        wanted = true;
        if (n > longest) longest = n;
    }
    if (d->width < COMPACT) return 0.0; // it is above
    return wanted ? fmin(60.0 + 8.0 * (double)longest, 0.45 * d->width) : 0.0;
}

static void put_curves(const drawing *d, int panel)
{
    int k = 0;
    bool legend = lines_in(d, panel) > 1;
    const char *name;
    size_t told = d->width < COMPACT && legend ? common_stem(d, panel, &name) : 0; // by the label
    fputs("plot ", d->script);
    for (int i = 0; i < d->nline; i++) {
        if (d->panel[i] != panel) continue;
        flx_fprintf(d->script,
                    "%s$line%d using 1:2 with %s linewidth 1.6 dashtype %s linecolor rgb '%s' ",
                    k ? ", " : "", i, d->r->rows > 1 ? "lines" : "points pointtype 7",
                    flx_gnuplot_dash(k), flx_gnuplot_colour(k));
        if (legend) {
            fputs("title ", d->script);
            const char *rest = d->r->names[d->lines[i]] + told;
            flx_gnuplot_quoted(d->script, told > 0 && *rest == '.' ? rest + 1 : rest);
        } else {
            fputs("notitle", d->script);
        }
        k++;
    }
    fputs("\n", d->script);
}

// Under the last panel. A compact drawing has it as a label of its own: gnuplot leaves out one that it finds too near.
static void put_x_label(const drawing *d, bool last)
{
    FILE *f = d->script;
    bool compact = d->width < COMPACT;
    if (compact) fputs("set xtics offset 0,0.6\nunset xlabel\nunset label 2\n", f);
    if (!last) {
        fputs("unset xlabel\nset format x ''\n", f);
        return;
    }
    fputs(compact ? "set format x '%g'\nset label 2 " : "set format x '%g'\nset xlabel ", f);
    flx_gnuplot_label(f, d->r->names[d->x], d->r->units[d->x]);
    if (compact) flx_fprintf(f, " at graph 1, screen %.5f right noenhanced", 10.0 / d->height);
    fputs("\n", f);
}

// A path in a plane, where both axes are lengths, is not distorted.
static bool wants_equal_axes(const drawing *d, range ax, range ay)
{
    double ratio = (ax.high - ax.low) / (ay.high - ay.low);
    return !d->over_time && d->npanel == 1 && !d->log_x && !d->log_y &&
           strcmp(d->r->units[d->x], "m") == 0 && strcmp(d->r->units[d->lines[0]], "m") == 0 &&
           ratio > 0.25 && ratio < 4.0;
}

static void put_panel(const drawing *d, int panel, double left, double right)
{
    FILE *f = d->script;
    bool title = d->r->title[0] != '\0', last = panel == d->npanel - 1;
    bool compact = d->width < COMPACT;
    double top = 1.0 - (title ? (compact ? 66.0 : 52.0) : 24.0) / d->height;
    double bottom = (compact ? 46.0 : 70.0) / d->height;
    double share = (top - bottom) / d->npanel,
           gap = d->npanel > 1 ? (compact ? 32.0 : 22.0) / d->height : 0.0;
    double high = top - panel * share;
    flx_fprintf(f, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n", high,
                high - share + (last ? 0.0 : gap));
    flx_fprintf(f, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n", left, right);
    if (compact) {
        flx_fprintf(f,
                    "set key at screen %.5f, screen %.5f right bottom horizontal samplen 1.5 "
                    "noenhanced textcolor rgb '#202020'\n",
                    right, high + 6.0 / d->height);
    } else {
        flx_fprintf(f,
                    "set key at screen %.5f, screen %.5f left top vertical Left reverse samplen 2 "
                    "spacing 1.15 noenhanced textcolor rgb '#202020'\n",
                    right + 10.0 / d->width, high);
    }

    range ax = x_range(d), ay = panel_range(d, panel);
    if (panel == 0 && title) {
        fputs("set title ", f);
        flx_gnuplot_quoted(f, d->r->title);
        fputs(" offset 0,-0.3 font ',15' textcolor rgb '#202020'\n", f);
    } else {
        fputs("unset title\n", f);
    }
    double offset = panel_offset(d, panel);
    if (d->log_x) fputs("set logscale x\n", f);
    if (d->log_y) fputs("set logscale y\nset format y '%g'\n", f);
    flx_fprintf(f, "set xrange [%.17g:%.17g]\n", ax.low, ax.high);
    flx_fprintf(f, "set yrange [%.17g:%.17g]\n", ay.low - offset, ay.high - offset);
    put_x_label(d, last);
    put_y_label(d, panel);
    if (wants_equal_axes(d, ax, ay)) fputs("set size ratio -1\n", f);
    put_curves(d, panel);
}

static void put_script(const drawing *d)
{
    for (int i = 0; i < d->nline; i++) put_data(d, i);
    double left = left_margin(d) / d->width;
    double right = 1.0 - (24.0 + legend_width(d)) / d->width;
    if (d->npanel > 1) fputs("set multiplot\n", d->script);
    for (int p = 0; p < d->npanel; p++) put_panel(d, p, left, right);
    if (d->npanel > 1) fputs("unset multiplot\n", d->script);
}

// ---- what to draw ----------------------------------------------------------------------------

// "hinge.angle:deg": the name, and the unit that it is drawn in; NULL: its own.
static const char *split_unit(const char *signal, char *name, size_t size)
{
    const char *colon = strrchr(signal, ':');
    size_t n = colon ? (size_t)(colon - signal) : strlen(signal);
    if (n >= size) n = size - 1; // no signal is called so
    memcpy(name, signal, n);
    name[n] = '\0';
    return colon ? colon + 1 : NULL;
}

// The column of the same signal in another unit.
static flx_status convert(drawing *d, const char *unit, int *column)
{
    flx_result *r = &d->shown;
    double factor;
    FLX_TRY(flx_display_factor(r->ctx, r->names[*column], r->units[*column], unit, &factor));
    if (factor == 1.0) return FLX_OK;
    double *y = flx_alloc(r->ctx, (size_t)r->rows, sizeof *y);
    if (!y) return FLX_ERR_MEMORY;
    for (int i = 0; i < r->rows; i++) y[i] = factor * r->data[*column][i];
    d->converted[d->nconverted++] = y;
    r->data[r->columns] = y;
    r->names[r->columns] = r->names[*column];
    r->units[r->columns] = unit;
    *column = r->columns++;
    return FLX_OK;
}

// Room for further columns beside those of the result.
static flx_status show(drawing *d, flx_result *r)
{
    size_t n = (size_t)r->columns;
    d->shown = *r;
    d->r = &d->shown;
    d->shown.data = flx_alloc(r->ctx, n + MAX_LINES, sizeof *d->shown.data);
    d->shown.names = flx_alloc(r->ctx, n + MAX_LINES, sizeof *d->shown.names);
    d->shown.units = flx_alloc(r->ctx, n + MAX_LINES, sizeof *d->shown.units);
    if (!d->shown.data || !d->shown.names || !d->shown.units) return FLX_ERR_MEMORY;
    memcpy(d->shown.data, r->data, n * sizeof *r->data);
    memcpy(d->shown.names, r->names, n * sizeof *r->names);
    memcpy(d->shown.units, r->units, n * sizeof *r->units);
    return FLX_OK;
}

static void hide(drawing *d)
{
    for (int i = 0; i < d->nconverted; i++) flx_free(d->converted[i]);
    flx_free(d->shown.data);
    flx_free((void *)d->shown.names);
    flx_free((void *)d->shown.units);
}

static void add_line(drawing *d, int column)
{
    int panel = d->npanel;
    for (int i = 0; i < d->nline; i++) {
        if (d->lines[i] == column) return;
        if (strcmp(d->r->units[d->lines[i]], d->r->units[column]) == 0) panel = d->panel[i];
    }
    if (panel == d->npanel) d->npanel++;
    d->panel[d->nline] = panel;
    d->lines[d->nline++] = column;
}

static flx_status choose_lines(drawing *d, flx_result *r, const flx_plot_def *def)
{
    flx_ctx *ctx = d->r->ctx;
    int found[MAX_LINES];
    char name[NAME_LENGTH];
    for (int i = 0; i < def->nsignal; i++) {
        const char *unit = split_unit(def->signals[i], name, sizeof name);
        int n = flx_result_find(r, name, MAX_LINES, found);
        if (n == 0) return FLX_ERR_ARGUMENT;
        for (int k = 0; k < n && d->nline < MAX_LINES; k++) {
            if (unit && d->nconverted < MAX_LINES - 1) FLX_TRY(convert(d, unit, &found[k]));
            range a = data_range(d->r, found[k], d->log_y);
            if (a.low <= a.high) add_line(d, found[k]);
        }
    }
    if (d->nline > 0) return FLX_OK;
    if (def->nsignal == 0) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "no signal was named to draw");
    }
    return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "'%s' has no %s value to draw",
                    def->signals[0], d->log_y ? "positive" : "finite");
}

static flx_status choose_x(drawing *d, flx_result *r, const flx_plot_def *def)
{
    int found[2];
    char name[NAME_LENGTH];
    d->x = found[0] = 0;
    const char *unit = def->x ? split_unit(def->x, name, sizeof name) : NULL;
    int n = def->x ? flx_result_find(r, name, 2, found) : 1;
    if (n == 0) return FLX_ERR_ARGUMENT;
    if (n > 1) {
        return FLX_FAIL(d->r->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the x axis takes one signal; '%s' stands for several ('%s', '%s', ...)",
                        def->x, d->r->names[found[0]], d->r->names[found[1]]);
    }
    d->over_time = found[0] == 0;
    if (unit) FLX_TRY(convert(d, unit, &found[0]));
    d->x = found[0];
    range a = data_range(d->r, d->x, d->log_x);
    if (a.low <= a.high) return FLX_OK;
    return FLX_FAIL(d->r->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "'%s' has no %s value to draw",
                    d->r->names[d->x], d->log_x ? "positive" : "finite");
}

static flx_status draw(drawing *d, flx_result *r, const flx_plot_def *def)
{
    FLX_TRY(show(d, r));
    FLX_TRY(choose_x(d, r, def));
    FLX_TRY(choose_lines(d, r, def));
    d->width = def->width > 0 ? def->width : DEFAULT_WIDTH;
    d->height = def->height > 0  ? def->height
                : d->npanel == 1 ? SINGLE_HEIGHT
                                 : FRAME_HEIGHT + PANEL_HEIGHT * d->npanel;
    flx_gnuplot g;
    FLX_TRY(flx_gnuplot_begin(r->ctx, def->path, d->width, d->height, &g));
    d->script = g.script;
    put_script(d);
    return flx_gnuplot_end(&g, FLX_OK);
}

flx_status flx_plot_write(flx_result *r, const flx_plot_def *def)
{
    drawing d = {.log_x = def->log_x, .log_y = def->log_y};
    if (r->rows == 0) {
        return FLX_FAIL(r->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the result holds no rows to draw");
    }
    flx_status status = draw(&d, r, def);
    hide(&d);
    return status;
}
