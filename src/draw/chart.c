// chart.c - numbers against numbers: panels side by side, points joined by lines, guides of slope.
#include "base/number.h"
#include "draw/drawings.h"
#include "draw/figure.h"

#include <math.h>
#include <string.h>

#define PANEL_WIDTH 430
#define HEIGHT 460
#define LEFT 104.0  // of a panel: its y label and tics
#define TOP 56.0    // title
#define BOTTOM 72.0 // x label
#define N_MARKS 7

static const int marks[N_MARKS] = {FLX_CHART_DOT,     FLX_CHART_FULL_SQUARE, FLX_CHART_UP,
                                   FLX_CHART_DIAMOND, FLX_CHART_DOWN,        FLX_CHART_CIRCLE,
                                   FLX_CHART_SQUARE};

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

// guides (nseries); how many there are.
static int make_guides(const flx_chart_panel *p, range x, range y, flx_figure_guide *guides)
{
    int n = 0;
    for (int k = 0; k < p->nseries; k++) {
        double e[4];
        if (!is_guided(p, k) || !find_guide(p, k, x, y, e)) continue;
        guides[n] = (flx_figure_guide){.x = {e[0], e[2]}, .y = {e[1], e[3]}};
        flx_snprintf(guides[n].text, sizeof guides[n].text, "%g", p->series[k].slope);
        n++;
    }
    return n;
}

// ---- panels -------------------------------------------------------------------------------------

// The points of a series, which has some: those that can be drawn, others are no gaps. room (2 n).
static flx_figure_curve make_curve(const flx_chart_panel *p, int k, bool legend, double *room)
{
    const flx_chart_series *s = &p->series[k];
    flx_figure_curve c = {.name = legend ? s->name : NULL,
                          .x = room,
                          .y = room + s->n,
                          .colour = k,
                          .dash = s->mark_only ? 0 : k / 7,
                          .width = s->mark_only ? 0.0 : 1.5,
                          .mark = s->mark_only   ? s->mark_only
                                  : s->line_only ? 0
                                                 : marks[k % N_MARKS],
                          .size = s->mark_only ? 11.0 : 6.5};
    for (int i = 0; i < s->n; i++) {
        if (!has_point(p, s, i)) continue;
        room[c.n] = s->x[i];
        room[s->n + c.n++] = s->y[i];
    }
    return c;
}

// Pixels for the legend, outside on the right.
static double legend_width(const flx_chart_panel *p)
{
    double longest = 0.0;
    for (int k = 0; k < p->nseries; k++)
        longest = fmax(longest, flx_figure_text_width(p->series[k].name));
    return 60.0 + longest;
}

// All that a figure needs beside the numbers of the chart; in arrays of all panels.
typedef struct making {
    flx_figure_panel *panels;
    flx_figure_curve *curves;
    flx_figure_guide *guides;
    double *room;
} making;

static void make_panel(const flx_chart_def *def, int i, const flx_figure *f, double legend,
                       making *m)
{
    const flx_chart_panel *p = &def->panels[i];
    double share = (f->width - legend) / def->npanel;
    bool last = i == def->npanel - 1;
    range x = pad(find_range(p, true), p->log_x), y = pad(find_range(p, false), p->log_y);
    flx_figure_panel *to = m->panels + i;
    *to = (flx_figure_panel){.left = i * share + LEFT,
                             .right = (i + 1) * share - 14.0,
                             .top = TOP,
                             .bottom = f->height - BOTTOM,
                             .x = {.low = x.low, .high = x.high, .log = p->log_x, .label = p->x},
                             .y = {.low = y.low, .high = y.high, .log = p->log_y, .label = p->y},
                             .curves = m->curves,
                             .guides = m->guides,
                             .legend = last ? FLX_LEGEND_RIGHT : FLX_LEGEND_NONE,
                             .legend_x = f->width - legend,
                             .legend_y = TOP};
    to->nguide = make_guides(p, x, y, m->guides);
    m->guides += to->nguide;
    for (int k = 0; k < p->nseries; k++) {
        flx_figure_curve c = make_curve(p, k, last, m->room);
        if (c.n == 0) continue;
        *m->curves++ = c;
        m->room += 2 * p->series[k].n;
        to->ncurve++;
    }
}

static flx_status write_chart(flx_ctx *ctx, const flx_chart_def *def, making m)
{
    double legend = legend_width(&def->panels[def->npanel - 1]);
    flx_figure f = {.path = def->path,
                    .width =
                        def->width > 0 ? def->width : (int)(def->npanel * PANEL_WIDTH + legend),
                    .height = def->height > 0 ? def->height : HEIGHT,
                    .title = def->title,
                    .title_x = LEFT,
                    .title_y = 0.6 * TOP,
                    .npanel = def->npanel,
                    .panels = m.panels};
    for (int i = 0; i < def->npanel; i++) make_panel(def, i, &f, legend, &m);
    return flx_figure_write(ctx, &f);
}

flx_status flx_chart_write(flx_ctx *ctx, const flx_chart_def *def)
{
    size_t nseries = 0, npoint = 0;
    for (int i = 0; i < def->npanel; i++) {
        const flx_chart_panel *p = &def->panels[i];
        range x = find_range(p, true);
        if (!(x.low <= x.high))
            return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "there is no point to draw");
        nseries += (size_t)p->nseries;
        for (int k = 0; k < p->nseries; k++) npoint += (size_t)p->series[k].n;
    }
    making m = {.panels = flx_alloc(ctx, (size_t)def->npanel, sizeof *m.panels),
                .curves = flx_alloc(ctx, nseries, sizeof *m.curves),
                .guides = flx_alloc(ctx, nseries, sizeof *m.guides),
                .room = flx_alloc(ctx, 2 * npoint, sizeof *m.room)};
    bool made = m.panels && m.curves && m.guides && m.room;
    flx_status status = made ? write_chart(ctx, def, m) : FLX_ERR_MEMORY;
    flx_free(m.panels);
    flx_free(m.curves);
    flx_free(m.guides);
    flx_free(m.room);
    return status;
}
