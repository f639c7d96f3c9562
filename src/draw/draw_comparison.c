// draw_comparison.c - a comparison drawn: above both courses of the signals that differ most, below
// their differences on a logarithmic scale.
#include "base/number.h"
#include "compare/compare_results.h"
#include "draw/drawings.h"
#include "draw/gnuplot.h"

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

static void put_course(FILE *f, const flx_comparison *c, const flx_result *r, int column, char name,
                       int k)
{
    flx_fprintf(f, "$%c%d << END\n", name, k);
    for (int i = 0; i < r->rows; i++) {
        double t = r->data[0][i], y = r->data[column][i];
        if (t < c->span.from || t > c->span.to) continue;
        if (isfinite(y)) {
            flx_fprintf(f, "%.12g %.12g\n", t, y);
        } else {
            fputs("NaN NaN\n", f);
        }
    }
    fputs("END\n", f);
}

static void put_difference(FILE *f, const flx_comparison *c, int s, double floor, int k)
{
    const double *d = c->difference + (size_t)s * (size_t)c->span.rows;
    flx_fprintf(f, "$d%d << END\n", k);
    for (int i = 0; i < c->span.rows; i++) {
        if (isfinite(d[i])) {
            flx_fprintf(f, "%.12g %.12g\n", c->times[i], fmax(fabs(d[i]), floor));
        } else {
            fputs("NaN NaN\n", f);
        }
    }
    fputs("END\n", f);
}

static void put_title(FILE *f, const char *signal, const char *result)
{
    char text[240];
    flx_snprintf(text, sizeof text, "%.110s, %.110s", signal, result);
    flx_gnuplot_quoted(f, text);
}

static void put_upper(FILE *f, const flx_comparison *c, int n, const int *chosen, const char *a,
                      const char *b, double right)
{
    fputs("set bmargin at screen 0.50\nset tmargin at screen 0.96\nset format x ''\nset ylabel ",
          f);
    flx_gnuplot_label(f, n == 1 ? c->signals[chosen[0]].name : "signal",
                      c->signals[chosen[0]].unit);
    flx_fprintf(f,
                "\nset key at screen %g, screen 0.965 left top vertical Left reverse samplen 2 "
                "spacing 1.2 noenhanced textcolor rgb '#202020'\nplot ",
                right + 0.015);
    for (int k = 0; k < n; k++) {
        flx_fprintf(f, "%s$a%d using 1:2 with lines linewidth 2.4 linecolor rgb '%s' title ",
                    k > 0 ? ", " : "", k, flx_gnuplot_colour(2 * k));
        put_title(f, c->signals[chosen[k]].name, a);
        flx_fprintf(
            f, ", $b%d using 1:2 with lines linewidth 1.4 dashtype (6,4) linecolor rgb '%s' title ",
            k, flx_gnuplot_colour(2 * k + 1));
        put_title(f, c->signals[chosen[k]].name, b);
    }
    fputs("\n", f);
}

static void put_lower(FILE *f, const flx_comparison *c, int n, const int *chosen, double right)
{
    fputs("set bmargin at screen 0.10\nset tmargin at screen 0.46\nset format x '%g'\n"
          "set xlabel 't (s)'\nset format y '%.0e'\nset logscale y 10\nset ylabel ",
          f);
    flx_gnuplot_label(f, "difference", c->signals[chosen[0]].unit);
    flx_fprintf(f, "\nset key at screen %g, screen 0.465\nplot ", right + 0.015);
    for (int k = 0; k < n; k++) {
        flx_fprintf(f, "%s$d%d using 1:2 with lines linewidth 1.4 linecolor rgb '%s' title ",
                    k > 0 ? ", " : "", k, flx_gnuplot_colour(2 * k));
        flx_gnuplot_quoted(f, c->signals[chosen[k]].name);
    }
    fputs("\n", f);
}

flx_status flx_comparison_draw(const flx_comparison *c, const char *path, const char *a,
                               const char *b)
{
    int chosen[MOST], n = choose(c, chosen);
    double largest = 0.0;
    flx_gnuplot g;
    if (n == 0) {
        return FLX_FAIL(c->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "no signal has finite values in both results: there is nothing to draw");
    }
    size_t longest = 0, names = strlen(a) > strlen(b) ? strlen(a) : strlen(b);
    for (int k = 0; k < n; k++) {
        const flx_difference *d = &c->signals[chosen[k]];
        largest = fmax(largest, d->size);
        if (strlen(d->name) > longest) longest = strlen(d->name);
    }
    // pixels of a legend of six or nine lines, outside on the right
    double right = 1.0 - fmin(0.45, (62.0 + 8.2 * (double)(longest + names + 2)) / WIDTH);
    FLX_TRY(flx_gnuplot_begin(c->ctx, path, WIDTH, HEIGHT, &g));
    for (int k = 0; k < n; k++) {
        put_course(g.script, c, c->a, c->column_a[chosen[k]], 'a', k);
        put_course(g.script, c, c->b, c->column_b[chosen[k]], 'b', k);
        put_difference(g.script, c, chosen[k], fmax(SMALL * largest, 1e-300), k);
    }
    flx_fprintf(g.script, "set multiplot\nset lmargin at screen %g\nset rmargin at screen %g\n",
                LEFT / WIDTH, right);
    put_upper(g.script, c, n, chosen, a, b, right);
    put_lower(g.script, c, n, chosen, right);
    fputs("unset multiplot\n", g.script);
    return flx_gnuplot_end(&g, FLX_OK);
}
