// figure.c - what both writers of figures share: tics, words, colours; see figure.h.
#include "draw/figure.h"

#include "base/number.h"
#include "base/output_file.h"

#include <math.h>
#include <string.h>

#define SHORT 2.2      // decades of a logarithmic axis that has tics between them
#define MOST_DECADES 8 // with a tic each
#define LETTER 8.0     // pixels, of a digit
#define TIC_HEIGHT 27.0

// ---- colours ------------------------------------------------------------------------------------

static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#404040"};
#define N_COLOURS ((int)(sizeof colours / sizeof colours[0]))
static const int dashes[][4] = {{0}, {9, 4}, {3, 3}, {9, 3, 2, 3}};
#define N_DASHES ((int)(sizeof dashes / sizeof dashes[0]))

const char *flx_figure_colour(int k)
{
    return colours[k % N_COLOURS];
}

const int *flx_figure_dash(int k, int *n)
{
    const int *dash = dashes[k % N_DASHES];
    for (*n = 0; *n < 4 && dash[*n] > 0; ++*n) {
    }
    return dash;
}

// ---- text ---------------------------------------------------------------------------------------

// Bytes of the UTF-8 character here; 0 when it is none.
static int utf8_length(const unsigned char *p)
{
    int n = p[0] < 0x80                   ? 1
            : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
            : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
            : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
                                          : 0;
    for (int i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
    }
    return n;
}

static size_t put_words(const char *text, char *to, size_t size, size_t at)
{
    static const char *const powers[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    for (const unsigned char *p = (const unsigned char *)text; *p && at + 5 < size;) {
        int n = utf8_length(p);
        if (p[0] == '^' && p[1] >= '0' && p[1] <= '9') {
            const char *power = powers[p[1] - '0'];
            memcpy(to + at, power, strlen(power));
            at += strlen(power);
            n = 2;
        } else if (n == 0 || *p < 0x20 || *p == 0x7f) {
            to[at++] = n == 0 ? '?' : ' ';
            n = 1;
        } else {
            memcpy(to + at, p, (size_t)n);
            at += (size_t)n;
        }
        p += n;
    }
    to[at] = '\0';
    return at;
}

const char *flx_figure_words(const char *text, const char *unit, char *to, size_t size)
{
    bool both = text && text[0] && unit && unit[0];
    size_t at = put_words(text ? text : "", to, size, 0);
    if (both) at = put_words(" (", to, size, at);
    at = put_words(unit ? unit : "", to, size, at);
    if (both) put_words(")", to, size, at);
    return to;
}

double flx_figure_text_width(const char *text)
{
    double width = 0.0;
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if ((*p & 0xc0) == 0x80) continue; // the rest of a character
        width += strchr("ijl.,;:'|!()[]ftr ", *p) ? 4.4 : strchr("mwMW", *p) ? 11.5 : LETTER;
    }
    return width;
}

// ---- tics ---------------------------------------------------------------------------------------

double flx_figure_place(const flx_figure_axis *a, double v)
{
    if (a->log) return log(v / a->low) / log(a->high / a->low);
    return (0.5 * v - 0.5 * a->low) /
           (0.5 * a->high - 0.5 * a->low); // halves: 1e308 is not too large
}

static void add_tic(flx_tics *t, const char *format, double at)
{
    if (t->n == FLX_MOST_TICS) return;
    flx_snprintf(t->text[t->n], sizeof t->text[0], format, at);
    t->at[t->n++] = at;
}

// At multiples of a step.
static void put_multiples(const flx_figure_axis *a, double step, flx_tics *t)
{
    double slack = 1e-9 * step;
    t->n = t->nsmall = 0;
    for (double k = ceil((a->low - slack) / step); k * step <= a->high + slack; k++) {
        add_tic(t, "%g", k == 0.0 ? 0.0 : k * step);
        if (t->n == FLX_MOST_TICS) return;
    }
}

static double longest(const flx_tics *t)
{
    double width = 0.0;
    for (int i = 0; i < t->n; i++) width = fmax(width, flx_figure_text_width(t->text[i]));
    return width;
}

// The closest of 1, 2, 5, 10, ... whose numbers do not touch each other.
static void put_linear(const flx_figure_axis *a, double length, bool upright, flx_tics *t)
{
    static const double parts[] = {1.0, 2.0, 5.0};
    double width = 0.5 * a->high - 0.5 * a->low;
    int power = (int)floor(log10(width)) - 1;
    for (int k = 0; k < 12; k++) {
        double step = parts[k % 3] * pow(10.0, power + k / 3);
        double apart = 0.5 * length * (step / width);
        if (!(step > 0.0) || apart < TIC_HEIGHT) continue;
        put_multiples(a, step, t);
        if (upright || apart > 1.3 * longest(t) + 14.0) return;
    }
}

static void put_decades(const flx_figure_axis *a, double decades, flx_tics *t)
{
    int each = decades > MOST_DECADES ? (int)ceil(decades / MOST_DECADES) : 1;
    bool powers = a->low < 1e-4 || a->high > 1e6; // 1e-5 beside 0.1 would be hard to read
    for (int k = (int)floor(log10(a->low)); k <= (int)ceil(log10(a->high)); k++) {
        double decade = pow(10.0, k);
        if (k % each == 0 && decade >= a->low && decade <= a->high && t->n < FLX_MOST_TICS) {
            add_tic(t, "%g", decade);
            if (powers) flx_snprintf(t->text[t->n - 1], sizeof t->text[0], "1e%d", k);
        }
        for (int i = 2; i < 10 && each == 1 && t->nsmall < 8 * FLX_MOST_TICS; i++) {
            double at = i * decade;
            if (at >= a->low && at <= a->high) t->small[t->nsmall++] = at;
        }
    }
}

// 1, 2 and 5 of each decade.
static void put_parts(const flx_figure_axis *a, flx_tics *t)
{
    static const double parts[] = {1.0, 2.0, 5.0};
    for (int k = (int)floor(log10(a->low)); k <= (int)ceil(log10(a->high)); k++) {
        for (int i = 0; i < 3; i++) {
            double at = parts[i] * pow(10.0, k);
            if (at >= a->low && at <= a->high) add_tic(t, "%g", at);
        }
    }
}

void flx_figure_tics(const flx_figure_axis *a, double length, bool upright, flx_tics *t)
{
    double decades = a->log ? log10(a->high / a->low) : 0.0;
    t->n = t->nsmall = 0;
    if (!a->log)
        put_linear(a, length, upright, t);
    else if (decades > SHORT)
        put_decades(a, decades, t);
    else
        put_parts(a, t);
}

double flx_figure_numbers_width(const flx_figure_axis *a, double length)
{
    flx_tics t;
    flx_figure_tics(a, length, true, &t);
    return longest(&t);
}

// ---- files --------------------------------------------------------------------------------------

static bool has_ending(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

static flx_status write_svg(flx_ctx *ctx, const flx_figure *f)
{
    flx_output *o = NULL;
    FLX_TRY(flx_output_create(ctx, "the drawing", f->path, &o));
    flx_figure_write_svg(f, flx_output_file(o));
    return flx_output_close(&o, FLX_OK);
}

flx_status flx_figure_write(flx_ctx *ctx, const flx_figure *f)
{
    char terminal[200];
    if (has_ending(f->path, ".svg")) return write_svg(ctx, f);
    if (has_ending(f->path, ".png")) {
        // twice the pixels: sharp also on dense screens and in print
        flx_snprintf(terminal, sizeof terminal,
                     "pngcairo size %d,%d noenhanced font 'Sans,10.5' fontscale 2 linewidth 2 "
                     "dashlength 2 pointscale 2 "
                     "background '#ffffff'",
                     2 * f->width, 2 * f->height);
    } else if (has_ending(f->path, ".pdf")) {
        flx_snprintf(terminal, sizeof terminal,
                     "pdfcairo size %.2fin,%.2fin noenhanced font 'Sans,10.5' background '#ffffff'",
                     f->width / 96.0, f->height / 96.0);
    } else {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "cannot draw to '%s': the name must end in .svg, .png or .pdf", f->path);
    }
    return flx_figure_run_gnuplot(ctx, f, terminal);
}
