// draw_comparison.c - a comparison drawn: above both courses of the signals that differ most, below
// their differences on a logarithmic scale.
#include "base/number.h"
#include "compare/compare_results.h"
#include "draw/drawings.h"
#include "draw/figure.h"

#include <math.h>
#include <string.h>

#define WIDTH 1000
#define HEIGHT 680
#define MOST 3 // signals: six lines can be told apart
#define LEFT 96.0
#define SMALL 1e-17 // differences below this part of the largest are drawn there

static double share(const flx_difference *d)
{
    if (!isfinite(d->maximum)) return -1.0;
    return d->size > 0.0 ? d->maximum / d->size : 0.0;
}

// The signals of one unit that differ most, by their size: the first one says the unit.
static int choose(const flx_comparison *c, int chosen[MOST])
{
    int n = 0;
    while (n < MOST) {
        int best = -1;
        for (int i = 0; i < c->n; i++) {
            bool taken = false;
            for (int k = 0; k < n; k++) taken = taken || chosen[k] == i;
            const char *unit = n > 0 ? c->signals[chosen[0]].unit : c->signals[i].unit;
            if (taken || share(&c->signals[i]) < 0.0 || strcmp(unit, c->signals[i].unit) != 0)
                continue;
            if (best < 0 || share(&c->signals[i]) > share(&c->signals[best])) best = i;
        }
        if (best < 0) break;
        chosen[n++] = best;
    }
    return n;
}

// Points of all curves: of each signal both courses and their difference.
typedef struct making {
    flx_figure_curve courses[2 * MOST], differences[MOST];
    char names[2 * MOST][240];
    double *room; // owned: all points
    size_t used;
} making;

static void keep_range(const flx_figure_curve *c, double *low, double *high)
{
    for (int i = 0; i < c->n; i++) {
        if (!isfinite(c->y[i])) continue;
        *low = fmin(*low, c->y[i]);
        *high = fmax(*high, c->y[i]);
    }
}

static flx_figure_curve make_course(const flx_comparison *c, const flx_result *r, int column,
                                    making *m)
{
    double *x = m->room + m->used, *y = x + r->rows;
    int n = 0;
    m->used += 2 * (size_t)r->rows;
    for (int i = 0; i < r->rows; i++) {
        double t = r->data[0][i];
        if (t < c->span.from || t > c->span.to) continue;
        x[n] = t;
        y[n++] = r->data[column][i];
    }
    return (flx_figure_curve){.n = n, .x = x, .y = y};
}

static flx_figure_curve make_difference(const flx_comparison *c, int signal, double floor,
                                        making *m)
{
    const double *d = c->difference + (size_t)signal * (size_t)c->span.rows;
    double *y = m->room + m->used;
    m->used += (size_t)c->span.rows;
    for (int i = 0; i < c->span.rows; i++)
        y[i] = isfinite(d[i]) ? fmax(fabs(d[i]), floor) : (double)NAN;
    return (flx_figure_curve){
        .name = c->signals[signal].name, .n = c->span.rows, .x = c->times, .y = y, .width = 1.4};
}

static void make_pair(const flx_comparison *c, int signal, int k, const char *a, const char *b,
                      making *m)
{
    for (int which = 0; which < 2; which++) {
        char *name = m->names[2 * k + which];
        flx_snprintf(name, sizeof m->names[0], "%.110s, %.110s", c->signals[signal].name,
                     which ? b : a);
        flx_figure_curve *to = m->courses + 2 * k + which;
        *to = make_course(c, which ? c->b : c->a, which ? c->column_b[signal] : c->column_a[signal],
                          m);
        to->name = name;
        to->colour = 2 * k + which;
        to->dash = which;
        to->width = which ? 1.4 : 2.4;
    }
}

static flx_status write_figure(const flx_comparison *c, int n, const int *chosen, const char *path,
                               const making *m)
{
    double low = HUGE_VAL, high = -HUGE_VAL, least = HUGE_VAL, most = 0.0, longest = 0.0;
    const flx_difference *first = &c->signals[chosen[0]];
    for (int k = 0; k < 2 * n; k++) {
        keep_range(m->courses + k, &low, &high);
        longest = fmax(longest, flx_figure_text_width(m->names[k]));
    }
    for (int k = 0; k < n; k++) keep_range(m->differences + k, &least, &most);
    double room = high > low ? 0.05 * (high - low) : fmax(1.0, 0.1 * fabs(high));
    double right = WIDTH - fmin(0.45 * WIDTH, 70.0 + longest);
    const flx_figure_axis time = {.low = c->span.from, .high = c->span.to, .silent = true};
    flx_figure_panel p[2] = {{.left = LEFT,
                              .right = right,
                              .top = 0.04 * HEIGHT,
                              .bottom = 0.5 * HEIGHT,
                              .x = time,
                              .y = {.low = low - room,
                                    .high = high + room,
                                    .label = n == 1 ? first->name : "signal",
                                    .unit = first->unit},
                              .ncurve = 2 * n,
                              .curves = m->courses,
                              .legend = FLX_LEGEND_RIGHT,
                              .legend_x = right + 14.0,
                              .legend_y = 0.04 * HEIGHT},
                             {.left = LEFT,
                              .right = right,
                              .top = 0.54 * HEIGHT,
                              .bottom = 0.9 * HEIGHT,
                              .x = time,
                              .y = {.low = 0.7 * least,
                                    .high = 1.4 * most,
                                    .log = 1,
                                    .label = "difference",
                                    .unit = first->unit},
                              .ncurve = n,
                              .curves = m->differences,
                              .legend = FLX_LEGEND_RIGHT,
                              .legend_x = right + 14.0,
                              .legend_y = 0.54 * HEIGHT}};
    p[1].x.silent = false;
    p[1].x.label = "t";
    p[1].x.unit = "s";
    if (!(time.high > time.low)) p[0].x.high = p[1].x.high = time.low + 1.0;
    const flx_figure f = {.path = path, .width = WIDTH, .height = HEIGHT, .npanel = 2, .panels = p};
    return flx_figure_write(c->ctx, &f);
}

flx_status flx_comparison_draw(const flx_comparison *c, const char *path, const char *a,
                               const char *b)
{
    int chosen[MOST], n = choose(c, chosen);
    double largest = 0.0;
    if (n == 0) {
        return FLX_FAIL(c->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "no signal has finite values in both results: there is nothing to draw");
    }
    making m = {0};
    size_t rows = 2 * ((size_t)c->a->rows + (size_t)c->b->rows) + (size_t)c->span.rows;
    m.room = flx_alloc(c->ctx, (size_t)n * rows, sizeof *m.room);
    if (!m.room) return FLX_ERR_MEMORY;
    for (int k = 0; k < n; k++) largest = fmax(largest, c->signals[chosen[k]].size);
    for (int k = 0; k < n; k++) {
        make_pair(c, chosen[k], k, a, b, &m);
        m.differences[k] = make_difference(c, chosen[k], fmax(SMALL * largest, 1e-300), &m);
        m.differences[k].colour = 2 * k;
    }
    flx_status status = write_figure(c, n, chosen, path, &m);
    flx_free(m.room);
    return status;
}
