// chart.c - numbers against numbers: panels side by side, points joined by lines, guides of slope.
#include "base/number.h"
#include "draw/drawings.h"
#include "draw/gnuplot.h"

#include <math.h>
#include <string.h>

#define PANEL_WIDTH 430
#define HEIGHT 460
#define LEFT 104.0  // of a panel: its y label and tics
#define TOP 56.0    // title
#define BOTTOM 72.0 // x label
#define SHORT 2.2   // decades of a logarithmic axis that has tics between them
#define N_MARKS 7

// Points of gnuplot: filled circle, square, triangles, diamond, then empty ones.
static const int marks[N_MARKS] = {7, 5, 9, 13, 11, 6, 4};

typedef struct range {
    double low, high;
} range;

static bool is_drawn(double v, int logarithmic)
{
    return isfinite(v) && (!logarithmic || v > 0.0);
}

static bool has_point(const flx_chart_panel *p, const flx_chart_series *s, int i)
{
    return is_drawn(s->x[i], p->log_x) && is_drawn(s->y[i], p->log_y);
}

// Of all points of a panel; empty: low > high.
static range find_range(const flx_chart_panel *p, bool of_x)
{
    range a = {HUGE_VAL, -HUGE_VAL};
    for (int k = 0; k < p->nseries; k++) {
        const flx_chart_series *s = &p->series[k];
        for (int i = 0; i < s->n; i++) {
            double v = of_x ? s->x[i] : s->y[i];
            if (!has_point(p, s, i)) continue;
            a.low = fmin(a.low, v);
            a.high = fmax(a.high, v);
        }
    }
    return a;
}

// Room round the points: a part of a decade, or of the width.
static range pad(range a, int logarithmic)
{
    if (logarithmic) {
        double room = fmax(1.5, pow(a.high / a.low, 0.06));
        return (range){a.low / room, a.high * room};
    }
    double room = a.high > a.low ? 0.06 * (a.high - a.low) : fmax(1.0, 0.1 * fabs(a.high));
    return (range){a.low - room, a.high + room};
}

// ---- guides -------------------------------------------------------------------------------------

static bool is_guided(const flx_chart_panel *p, int k)
{
    double slope = p->series[k].slope;
    if (!p->log_x || !p->log_y || !isfinite(slope)) return false;
    for (int i = 0; i < k; i++) {
        if (p->series[i].slope == slope) return false; // there is one
    }
    return true;
}

// A line of the slope below the points, over the part of the panel that they cover.
static bool find_guide(const flx_chart_panel *p, int k, range x, range y, double ends[4])
{
    const flx_chart_series *s = &p->series[k];
    double low = HUGE_VAL, high = -HUGE_VAL, factor = HUGE_VAL;
    int n = 0;
    for (int i = 0; i < s->n; i++) {
        if (!has_point(p, s, i)) continue;
        low = fmin(low, s->x[i]);
        high = fmax(high, s->x[i]);
        factor = fmin(factor, s->y[i] / pow(s->x[i], s->slope));
        n++;
    }
    if (n < 2 || !(high > low)) return false;
    factor *= 0.5;
    // not below the panel
    if (s->slope > 0.0) low = fmax(low, pow(y.low / factor, 1.0 / s->slope));
    ends[0] = fmax(low, x.low);
    ends[2] = high;
    ends[1] = factor * pow(ends[0], s->slope);
    ends[3] = factor * pow(high, s->slope);
    return ends[2] > 1.2 * ends[0];
}

static void put_guides(FILE *f, const flx_chart_panel *p, range x, range y)
{
    for (int k = 0; k < p->nseries; k++) {
        double e[4];
        if (!is_guided(p, k) || !find_guide(p, k, x, y, e)) continue;
        flx_fprintf(f,
                    "set arrow from first %.9g,%.9g to first %.9g,%.9g nohead back linewidth 0.9 "
                    "dashtype (4,4) linecolor rgb '#909090'\n",
                    e[0], e[1], e[2], e[3]);
        flx_fprintf(f,
                    "set label '%g' at first %.9g,%.9g offset character 0.4,-0.1 "
                    "textcolor rgb '#707070'\n",
                    p->series[k].slope, e[2], e[3]);
    }
}

// ---- panels -------------------------------------------------------------------------------------

static void put_points(FILE *f, const flx_chart_panel *p, int panel)
{
    for (int k = 0; k < p->nseries; k++) {
        const flx_chart_series *s = &p->series[k];
        flx_fprintf(f, "$series%d_%d << END\n", panel, k);
        for (int i = 0; i < s->n; i++) {
            if (has_point(p, s, i)) flx_fprintf(f, "%.12g %.12g\n", s->x[i], s->y[i]);
        }
        fputs("END\n", f);
    }
}

static bool has_any(const flx_chart_panel *p, const flx_chart_series *s)
{
    for (int i = 0; i < s->n; i++) {
        if (has_point(p, s, i)) return true;
    }
    return false;
}

static void put_curves(FILE *f, const flx_chart_panel *p, int panel, bool legend)
{
    const char *separator = "plot ";
    for (int k = 0; k < p->nseries; k++) {
        if (!has_any(p, &p->series[k])) continue;
        const flx_chart_series *s = &p->series[k];
        int mark = s->mark_only ? s->mark_only : marks[k % N_MARKS];
        flx_fprintf(f,
                    "%s$series%d_%d using 1:2 with %s linewidth 1.5 pointsize %s "
                    "pointtype %d dashtype %s linecolor rgb '%s' ",
                    separator, panel, k,
                    s->mark_only   ? "points"
                    : s->line_only ? "lines"
                                   : "linespoints",
                    s->mark_only ? "1.3" : "0.7", mark, s->mark_only ? "1" : flx_gnuplot_dash(k),
                    flx_gnuplot_colour(k));
        if (legend) {
            fputs("title ", f);
            flx_gnuplot_quoted(f, p->series[k].name);
        } else {
            fputs("notitle", f);
        }
        separator = ", ";
    }
    fputs("\n", f);
}

// A short logarithmic axis gets tics at 1, 2 and 5 of each decade, a long one not every decade.
static void put_tics(FILE *f, char axis, int logarithmic, range a)
{
    static const double parts[3] = {1.0, 2.0, 5.0};
    double decades = logarithmic ? log10(a.high / a.low) : 0.0;
    if (decades > 8.0) {
        flx_fprintf(f, "set %ctics %g\n", axis, pow(10.0, ceil(decades / 8.0)));
        return;
    }
    if (!logarithmic || decades > SHORT) {
        flx_fprintf(f, "set %ctics autofreq\n", axis);
        return;
    }
    const char *separator = "";
    flx_fprintf(f, "set %ctics (", axis);
    for (int k = (int)floor(log10(a.low)); k <= (int)ceil(log10(a.high)); k++) {
        for (int i = 0; i < 3; i++) {
            double at = parts[i] * pow(10.0, k);
            if (at < a.low || at > a.high) continue;
            flx_fprintf(f, "%s%.9g", separator, at);
            separator = ", ";
        }
    }
    fputs(")\n", f);
}

// Powers of ten where %g would write some tics with an exponent and others without.
static void put_axis(FILE *f, char axis, const char *label, int logarithmic, range a)
{
    bool powers = logarithmic && a.low < 1e-4 && log10(a.high / a.low) > SHORT;
    flx_fprintf(f, "set %clabel ", axis);
    flx_gnuplot_quoted(f, label);
    flx_fprintf(f, logarithmic ? "\nset logscale %c 10\n" : "\nunset logscale %c\n", axis);
    flx_fprintf(f, "set format %c '%s'\n", axis, powers ? "1e%T" : "%g");
    flx_fprintf(f, "set %crange [%.9g:%.9g]\n", axis, a.low, a.high);
    put_tics(f, axis, logarithmic, a);
}

// Pixels for the legend, outside on the right.
static double legend_width(const flx_chart_panel *p)
{
    size_t longest = 0;
    for (int k = 0; k < p->nseries; k++) {
        size_t n = strlen(p->series[k].name);
        if (n > longest) longest = n;
    }
    return 70.0 + 8.0 * (double)longest;
}

static void put_panel(FILE *f, const flx_chart_def *def, int i, double width, double height,
                      double legend)
{
    const flx_chart_panel *p = &def->panels[i];
    double share = (width - legend) / def->npanel, left = i * share + LEFT;
    double right = (i + 1) * share - 14.0;
    flx_fprintf(f, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n", left / width,
                right / width);
    flx_fprintf(f, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n", 1.0 - TOP / height,
                BOTTOM / height);
    fputs("unset arrow\nunset label\n", f);
    if (i == 0 && def->title) {
        fputs("set label 1000 ", f);
        flx_gnuplot_quoted(f, def->title);
        flx_fprintf(f, " at screen %.5f,%.5f left font ',15' textcolor rgb '#202020'\n",
                    LEFT / width, 1.0 - 0.45 * TOP / height);
    }
    range x = pad(find_range(p, true), p->log_x), y = pad(find_range(p, false), p->log_y);
    put_axis(f, 'x', p->x, p->log_x, x);
    put_axis(f, 'y', p->y, p->log_y, y);
    put_guides(f, p, x, y);
    flx_fprintf(f,
                "set key at screen %.5f, screen %.5f left top vertical Left reverse samplen 2 "
                "spacing 1.2 noenhanced textcolor rgb '#202020'\n",
                (width - legend) / width, 1.0 - TOP / height);
    put_curves(f, p, i, i == def->npanel - 1);
}

flx_status flx_chart_write(flx_ctx *ctx, const flx_chart_def *def)
{
    flx_gnuplot g;
    for (int i = 0; i < def->npanel; i++) {
        range x = find_range(&def->panels[i], true);
        if (x.low <= x.high) continue;
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "there is no point to draw");
    }
    double legend = legend_width(&def->panels[def->npanel - 1]);
    int width = def->width > 0 ? def->width : (int)(def->npanel * PANEL_WIDTH + legend);
    int height = def->height > 0 ? def->height : HEIGHT;
    FLX_TRY(flx_gnuplot_begin(ctx, def->path, width, height, &g));
    for (int i = 0; i < def->npanel; i++) put_points(g.script, &def->panels[i], i);
    fputs("set multiplot\n", g.script);
    for (int i = 0; i < def->npanel; i++) put_panel(g.script, def, i, width, height, legend);
    fputs("unset multiplot\n", g.script);
    return flx_gnuplot_end(&g, FLX_OK);
}
