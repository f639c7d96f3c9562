// plot.c - signals as a drawing: one panel a unit, against time or a signal.
#include "base/number.h"
#include "draw/display_unit.h"
#include "draw/drawings.h"
#include "draw/figure.h"
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
#define LABEL 160
#define COMPACT 500 // narrower drawings have their words above the curves, not beside them

typedef struct range {
    double low, high;
} range;

typedef struct drawing {
    flx_result *r;
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
    double *courses[MAX_LINES];    // owned: points of each line
    char labels[MAX_LINES][LABEL]; // of each panel
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

// Points of a curve. At most four of each half column of pixels, or the rows themselves.
typedef struct course {
    int n;
    double *x, *y;
    double offset;
    bool log_x, log_y;
} course;

static void put_point(course *c, double x, double y)
{
    bool drawn = isfinite(x) && isfinite(y) && !(c->log_x && !(x > 0)) && !(c->log_y && !(y > 0));
    c->x[c->n] = drawn ? x : (double)NAN; // a gap in the line
    c->y[c->n++] = drawn ? y - c->offset : (double)NAN;
}

// Over time, the rows that fall into one column of pixels are drawn by four: first, lowest,
// highest, last. The picture is the same and the file stays small.
static void put_bucket(course *c, const double *x, const double *y, int from, int to)
{
    int keep[4] = {from, from, from, to - 1};
    for (int i = from; i < to; i++) {
        if (!isfinite(y[i])) {
            for (int k = from; k < to; k++) put_point(c, x[k], y[k]);
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
        if (k == 0 || keep[k] != keep[k - 1]) put_point(c, x[keep[k]], y[keep[k]]);
    }
}

static void put_course(const drawing *d, const double *x, const double *y, course *c)
{
    int rows = d->r->rows;
    double first = x[0], width = (x[rows - 1] - x[0]) / (2.0 * d->width);
    for (int from = 0, to; from < rows; from = to) {
        double end = first + width * (floor((x[from] - first) / width) + 1.0);
        for (to = from + 1; to < rows && x[to] < end; to++) {
        }
        put_bucket(c, x, y, from, to);
    }
}

// Against another signal, points that lie within a fifth of a pixel of the last one are left out.
static void put_path(const drawing *d, const double *x, const double *y, range ax, range ay,
                     course *c)
{
    double px = 0.2 * (ax.high - ax.low) / d->width, py = 0.2 * (ay.high - ay.low) / d->height;
    if (d->log_x || d->log_y) px = py = 0; // every point: small ones are apart there too
    int last = 0;
    for (int i = 0; i < d->r->rows; i++) {
        bool near = i > 0 && fabs(x[i] - x[last]) < px && fabs(y[i] - y[last]) < py;
        if (near && i < d->r->rows - 1) continue; // a comparison with NaN is false: gaps are kept
        put_point(c, x[i], y[i]);
        last = i;
    }
}

// The points of a line; what they need is kept until the drawing is hidden.
static flx_status make_course(drawing *d, int i, course *c)
{
    const double *x = d->r->data[d->x], *y = d->r->data[d->lines[i]];
    int rows = d->r->rows;
    double *room = flx_alloc(d->r->ctx, 2 * ((size_t)rows + 4), sizeof *room);
    if (!room) return FLX_ERR_MEMORY;
    d->courses[i] = room;
    *c = (course){.x = room,
                  .y = room + rows + 4,
                  .offset = panel_offset(d, d->panel[i]),
                  .log_x = d->log_x,
                  .log_y = d->log_y};
    if (d->over_time && !d->log_x && rows > 8 * d->width && x[rows - 1] > x[0])
        put_course(d, x, y, c);
    else
        put_path(d, x, y, x_range(d), panel_range(d, d->panel[i]), c);
    return FLX_OK;
}

// ---- words ---------------------------------------------------------------------------------------

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

static void name_panel(drawing *d, int panel)
{
    double offset = panel_offset(d, panel);
    char common[100], *text = d->labels[panel];
    write_common_name(d, panel, common, sizeof common);
    int n = flx_snprintf(text, LABEL, "%s", common);
    if (offset != 0.0) {
        flx_snprintf(text + n, LABEL - (size_t)n, "%s %s %.15g", n ? "" : "value",
                     offset < 0.0 ? "+" : "−", fabs(offset));
    }
}

static const char *unit_of(const drawing *d, int panel)
{
    const char *unit = "";
    for (int i = 0; i < d->nline; i++) {
        if (d->panel[i] == panel) unit = d->r->units[d->lines[i]];
    }
    return unit;
}

// What the legend says of a line; NULL: nothing, the label does. A compact label tells what names have in common.
static const char *name_line(const drawing *d, int i)
{
    const char *name = d->r->names[d->lines[i]], *first;
    if (lines_in(d, d->panel[i]) < 2) return NULL;
    size_t told = d->width < COMPACT ? common_stem(d, d->panel[i], &first) : 0;
    return name + told + (told > 0 && name[told] == '.');
}

// Width in pixels of the legend, 0 without one.
static double legend_width(const drawing *d)
{
    double longest = 0.0;
    for (int i = 0; i < d->nline && d->width >= COMPACT; i++) {
        const char *name = name_line(d, i);
        if (name) longest = fmax(longest, 60.0 + flx_figure_text_width(name));
    }
    return fmin(longest, 0.45 * d->width); // a compact one is above
}

// ---- panels --------------------------------------------------------------------------------------

typedef struct margins {
    double left, right, top, bottom, gap;
} margins;

static flx_figure_axis value_axis(const drawing *d, int panel)
{
    range a = panel_range(d, panel);
    double offset = panel_offset(d, panel);
    return (flx_figure_axis){.low = a.low - offset,
                             .high = a.high - offset,
                             .log = d->log_y,
                             .label = d->labels[panel],
                             .unit = unit_of(d, panel)};
}

static margins find_margins(const drawing *d)
{
    bool compact = d->width < COMPACT, title = d->r->title[0] != '\0';
    double numbers = 0.0;
    margins m = {.top = !title    ? 24.0
                        : compact ? 66.0
                                  : 52.0,
                 .bottom = compact ? 46.0 : 70.0,
                 .gap = d->npanel < 2 ? 0.0
                        : compact     ? 32.0
                                      : 22.0};
    double length = (d->height - m.top - m.bottom) / d->npanel - m.gap;
    for (int p = 0; p < d->npanel; p++) {
        flx_figure_axis a = value_axis(d, p);
        numbers = fmax(numbers, flx_figure_numbers_width(&a, length));
    }
    m.left = compact ? fmax(40.0, 16.0 + numbers) : fmax(84.0, 52.0 + numbers);
    m.right = 24.0 + legend_width(d);
    return m;
}

// A path in a plane, where both axes are lengths, is not distorted.
static bool wants_equal_axes(const drawing *d, range ax, range ay)
{
    double ratio = (ax.high - ax.low) / (ay.high - ay.low);
    return !d->over_time && d->npanel == 1 && !d->log_x && !d->log_y &&
           strcmp(d->r->units[d->x], "m") == 0 && strcmp(d->r->units[d->lines[0]], "m") == 0 &&
           ratio > 0.25 && ratio < 4.0;
}

// The panel becomes narrower or lower, about its middle.
static void make_equal(flx_figure_panel *p)
{
    double width = p->right - p->left, height = p->bottom - p->top;
    double scale = fmin(width / (p->x.high - p->x.low), height / (p->y.high - p->y.low));
    double dx = 0.5 * (width - scale * (p->x.high - p->x.low));
    double dy = 0.5 * (height - scale * (p->y.high - p->y.low));
    p->left += dx;
    p->right -= dx;
    p->top += dy;
    p->bottom -= dy;
    p->legend_x -= dx;
    p->legend_y += dy;
}

static void lay_out(const drawing *d, int panel, margins m, flx_figure_panel *p)
{
    bool compact = d->width < COMPACT, last = panel == d->npanel - 1;
    double share = (d->height - m.top - m.bottom) / d->npanel;
    range ax = x_range(d);
    *p = (flx_figure_panel){.left = m.left,
                            .right = d->width - m.right,
                            .top = m.top + panel * share,
                            .compact = compact,
                            .x = {.low = ax.low, .high = ax.high, .log = d->log_x, .silent = !last},
                            .y = value_axis(d, panel)};
    p->bottom = p->top + share - (last ? 0.0 : m.gap);
    if (last) {
        p->x.label = d->r->names[d->x];
        p->x.unit = d->r->units[d->x];
    }
    p->legend = lines_in(d, panel) < 2 ? FLX_LEGEND_NONE
                : compact              ? FLX_LEGEND_ABOVE
                                       : FLX_LEGEND_RIGHT;
    p->legend_x = compact ? p->right : p->right + 10.0;
    p->legend_y = compact ? p->top - 10.0 : p->top;
    if (wants_equal_axes(d, ax, panel_range(d, panel))) make_equal(p);
}

// The curves of a panel; which: those of all lines, of which it takes the next ones.
static flx_status put_curves(drawing *d, flx_figure_panel *p, int panel, flx_figure_curve *curves)
{
    p->curves = curves;
    for (int i = 0; i < d->nline; i++) {
        if (d->panel[i] != panel) continue;
        course c;
        int k = p->ncurve++;
        FLX_TRY(make_course(d, i, &c));
        curves[k] = (flx_figure_curve){.name = name_line(d, i),
                                       .n = c.n,
                                       .x = c.x,
                                       .y = c.y,
                                       .colour = k,
                                       .dash = k / 7,
                                       .width = d->r->rows > 1 ? 1.6 : 0.0,
                                       .mark = d->r->rows > 1 ? 0 : FLX_CHART_DOT,
                                       .size = 7.0};
    }
    return FLX_OK;
}

static flx_status write_figure(drawing *d, const char *path)
{
    flx_figure_panel panels[MAX_LINES];
    flx_figure_curve curves[MAX_LINES], *next = curves;
    for (int p = 0; p < d->npanel; p++) name_panel(d, p);
    margins m = find_margins(d);
    for (int p = 0; p < d->npanel; p++) {
        lay_out(d, p, m, panels + p);
        FLX_TRY(put_curves(d, panels + p, p, next));
        next += panels[p].ncurve;
    }
    const char *title = d->r->title;
    const flx_figure f = {.path = path,
                          .width = d->width,
                          .height = d->height,
                          .title = title[0] ? title : NULL,
                          .title_x = 0.5 * (panels[0].left + panels[0].right),
                          .title_y = d->width < COMPACT ? 22.0 : 30.0,
                          .centred = true,
                          .npanel = d->npanel,
                          .panels = panels};
    return flx_figure_write(d->r->ctx, &f);
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
    for (int i = 0; i < d->nline; i++) flx_free(d->courses[i]);
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
    return write_figure(d, def->path);
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
