// figure_svg.c - figures as SVG; see figure.h.
#include "draw/drawings.h"
#include "draw/figure.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

#define WORDS 400   // of a label
#define ROW 20.0    // of the legend
#define SAMPLE 28.0 // length of a line in it

// ---- text ---------------------------------------------------------------------------------------

static void put_escaped(FILE *to, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", to);
        else if (*text == '&')
            fputs("&amp;", to);
        else
            fputc(*text, to);
    }
}

// anchor: "start", "middle", "end"; more: further attributes.
static void put_text(FILE *to, double x, double y, const char *anchor, const char *more,
                     const char *text)
{
    flx_fprintf(to, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\" fill=\"#202020\"%s>", x, y,
                anchor, more);
    put_escaped(to, text);
    fputs("</text>\n", to);
}

static void put_line(FILE *to, double x0, double y0, double x1, double y1)
{
    flx_fprintf(to, "M%.2f %.2fL%.2f %.2f", x0, y0, x1, y1);
}

// ---- axes ---------------------------------------------------------------------------------------

static double place_x(const flx_figure_panel *p, double v)
{
    return p->left + (p->right - p->left) * flx_figure_place(&p->x, v);
}

static double place_y(const flx_figure_panel *p, double v)
{
    return p->bottom - (p->bottom - p->top) * flx_figure_place(&p->y, v);
}

static void put_grid(FILE *to, const flx_figure_panel *p, const flx_tics *x, const flx_tics *y)
{
    fputs("<path class=\"grid\" stroke=\"#e0e0e0\" stroke-width=\"0.8\" d=\"", to);
    for (int i = 0; i < x->n; i++) {
        double at = place_x(p, x->at[i]);
        put_line(to, at, p->top, at, p->bottom);
    }
    for (int i = 0; i < y->n; i++) {
        double at = place_y(p, y->at[i]);
        put_line(to, p->left, at, p->right, at);
    }
    fputs("\"/>\n", to);
}

static void put_tics(FILE *to, const flx_figure_panel *p, const flx_tics *x, const flx_tics *y)
{
    fputs("<path class=\"axes\" stroke=\"#404040\" stroke-width=\"0.9\" d=\"", to);
    flx_fprintf(to, "M%.2f %.2fV%.2fH%.2f", p->left, p->top, p->bottom, p->right);
    for (int i = 0; i < x->n + x->nsmall; i++) {
        double at = place_x(p, i < x->n ? x->at[i] : x->small[i - x->n]);
        put_line(to, at, p->bottom, at, p->bottom + (i < x->n ? 5.0 : 2.5));
    }
    for (int i = 0; i < y->n + y->nsmall; i++) {
        double at = place_y(p, i < y->n ? y->at[i] : y->small[i - y->n]);
        put_line(to, p->left - (i < y->n ? 5.0 : 2.5), at, p->left, at);
    }
    fputs("\"/>\n", to);
}

static void put_numbers(FILE *to, const flx_figure_panel *p, const flx_tics *x, const flx_tics *y)
{
    for (int i = 0; i < x->n && !p->x.silent; i++)
        put_text(to, place_x(p, x->at[i]), p->bottom + 20.0, "middle", "", x->text[i]);
    for (int i = 0; i < y->n && !p->y.silent; i++)
        put_text(to, p->left - 9.0, place_y(p, y->at[i]) + 5.0, "end", "", y->text[i]);
}

static void put_labels(FILE *to, const flx_figure *f, const flx_figure_panel *p)
{
    char words[WORDS], turned[80];
    double middle = 0.5 * (p->top + p->bottom);
    if (p->y.label) {
        flx_figure_words(p->y.label, p->y.unit, words, sizeof words);
        double x = p->left - 26.0 - flx_figure_numbers_width(&p->y, p->bottom - p->top);
        flx_snprintf(turned, sizeof turned, " transform=\"rotate(-90 %.2f %.2f)\"", x, middle);
        if (p->compact)
            put_text(to, p->left - 14.0, p->top - 10.0, "start", "", words);
        else
            put_text(to, x, middle, "middle", turned, words);
    }
    if (p->x.label) {
        flx_figure_words(p->x.label, p->x.unit, words, sizeof words);
        if (p->compact)
            put_text(to, p->right, f->height - 6.0, "end", "", words);
        else
            put_text(to, 0.5 * (p->left + p->right), p->bottom + 46.0, "middle", "", words);
    }
}

// ---- curves -------------------------------------------------------------------------------------

static void put_mark(FILE *to, const flx_figure_curve *c, double x, double y)
{
    static const double up[3][2] = {{0, -1.15}, {1, 0.6}, {-1, 0.6}};
    static const double diamond[4][2] = {{0, -1.2}, {1.2, 0}, {0, 1.2}, {-1.2, 0}};
    const char *colour = flx_figure_colour(c->colour);
    double s = 0.5 * c->size;
    bool empty = c->mark == FLX_CHART_CIRCLE || c->mark == FLX_CHART_SQUARE;
    const char *fill = empty ? "none" : colour;
    if (c->mark == FLX_CHART_CROSS) {
        flx_fprintf(to,
                    "<path d=\"M%.2f %.2fL%.2f %.2fM%.2f %.2fL%.2f %.2f\" stroke=\"%s\" "
                    "stroke-width=\"1.4\"/>\n",
                    x - s, y - s, x + s, y + s, x - s, y + s, x + s, y - s, colour);
    } else if (c->mark == FLX_CHART_CIRCLE || c->mark == FLX_CHART_DOT) {
        flx_fprintf(to,
                    "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"%s\" stroke=\"%s\" "
                    "stroke-width=\"1.4\"/>\n",
                    x, y, s, fill, colour);
    } else if (c->mark == FLX_CHART_SQUARE || c->mark == FLX_CHART_FULL_SQUARE) {
        flx_fprintf(to,
                    "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\" "
                    "stroke=\"%s\" stroke-width=\"1.4\"/>\n",
                    x - 0.9 * s, y - 0.9 * s, 1.8 * s, 1.8 * s, fill, colour);
    } else {
        bool four = c->mark == FLX_CHART_DIAMOND;
        double turn = c->mark == FLX_CHART_DOWN ? -1.0 : 1.0;
        fputs("<path d=\"", to);
        for (int i = 0; i < (four ? 4 : 3); i++) {
            const double *at = four ? diamond[i] : up[i];
            flx_fprintf(to, "%c%.2f %.2f", i ? 'L' : 'M', x + s * at[0], y + s * turn * at[1]);
        }
        flx_fprintf(to, "Z\" fill=\"%s\" stroke=\"%s\"/>\n", colour, colour);
    }
}

static void put_stroke(FILE *to, const flx_figure_curve *c)
{
    int n;
    const int *dash = flx_figure_dash(c->dash, &n);
    flx_fprintf(to, " stroke=\"%s\" stroke-width=\"%g\"", flx_figure_colour(c->colour), c->width);
    for (int i = 0; i < n; i++)
        flx_fprintf(to, "%s%d%s", i ? "," : " stroke-dasharray=\"", dash[i], i + 1 < n ? "" : "\"");
}

static bool has_point(const flx_figure_curve *c, int i)
{
    return isfinite(c->x[i]) && isfinite(c->y[i]);
}

static void put_curve(FILE *to, const flx_figure_panel *p, const flx_figure_curve *c)
{
    bool open = false;
    if (c->width > 0.0) {
        fputs("<path class=\"curve\" stroke-linejoin=\"round\"", to);
        put_stroke(to, c);
        fputs(" d=\"", to);
        for (int i = 0; i < c->n; i++) {
            bool drawn = has_point(c, i);
            if (drawn) {
                flx_fprintf(to, "%s%.2f %.2f", open ? " " : "M", place_x(p, c->x[i]),
                            place_y(p, c->y[i]));
            }
            open = drawn;
        }
        fputs("\"/>\n", to);
    }
    for (int i = 0; i < c->n && c->mark; i++) {
        if (has_point(c, i)) put_mark(to, c, place_x(p, c->x[i]), place_y(p, c->y[i]));
    }
}

static void put_guides(FILE *to, const flx_figure_panel *p)
{
    for (int i = 0; i < p->nguide; i++) {
        const flx_figure_guide *g = p->guides + i;
        fputs("<path stroke=\"#909090\" stroke-width=\"0.9\" stroke-dasharray=\"4,4\" d=\"", to);
        put_line(to, place_x(p, g->x[0]), place_y(p, g->y[0]), place_x(p, g->x[1]),
                 place_y(p, g->y[1]));
        fputs("\"/>\n", to);
        put_text(to, place_x(p, g->x[1]) + 4.0, place_y(p, g->y[1]) + 6.0, "start", "", g->text);
    }
}

// ---- legend -------------------------------------------------------------------------------------

static void put_sample(FILE *to, const flx_figure_curve *c, double x, double y)
{
    if (c->width > 0.0) {
        flx_fprintf(to, "<path d=\"M%.2f %.2fh%g\"", x, y, SAMPLE);
        put_stroke(to, c);
        fputs("/>\n", to);
    }
    if (c->mark) put_mark(to, c, x + 0.5 * SAMPLE, y);
}

// From the right end on, so that the last one ends at the place.
static void put_legend_above(FILE *to, const flx_figure_panel *p)
{
    char words[WORDS];
    double x = p->legend_x;
    for (int i = p->ncurve - 1; i >= 0; i--) {
        const flx_figure_curve *c = p->curves + i;
        if (!c->name) continue;
        flx_figure_words(c->name, NULL, words, sizeof words);
        put_text(to, x, p->legend_y, "end", "", words);
        x -= flx_figure_text_width(words) + SAMPLE + 6.0;
        put_sample(to, c, x, p->legend_y - 5.0);
        x -= 12.0;
    }
}

static void put_legend_right(FILE *to, const flx_figure_panel *p)
{
    char words[WORDS];
    double y = p->legend_y + 12.0;
    for (int i = 0; i < p->ncurve; i++) {
        const flx_figure_curve *c = p->curves + i;
        if (!c->name) continue;
        put_sample(to, c, p->legend_x, y - 5.0);
        put_text(to, p->legend_x + SAMPLE + 7.0, y, "start", "",
                 flx_figure_words(c->name, NULL, words, sizeof words));
        y += ROW;
    }
}

// ---- together -----------------------------------------------------------------------------------

static void put_panel(FILE *to, const flx_figure *f, const flx_figure_panel *p)
{
    flx_tics x, y;
    flx_figure_tics(&p->x, p->right - p->left, false, &x);
    flx_figure_tics(&p->y, p->bottom - p->top, true, &y);
    put_grid(to, p, &x, &y);
    put_tics(to, p, &x, &y);
    put_numbers(to, p, &x, &y);
    put_labels(to, f, p);
    put_guides(to, p);
    for (int i = 0; i < p->ncurve; i++) put_curve(to, p, p->curves + i);
    if (p->legend == FLX_LEGEND_ABOVE) put_legend_above(to, p);
    if (p->legend == FLX_LEGEND_RIGHT) put_legend_right(to, p);
}

void flx_figure_write_svg(const flx_figure *f, FILE *to)
{
    char words[WORDS];
    flx_fprintf(to,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 "
                "0 %d %d\" "
                "font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" font-size=\"14\" "
                "fill=\"none\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
                f->width, f->height, f->width, f->height);
    if (f->title) {
        put_text(to, f->title_x, f->title_y, f->centred ? "middle" : "start", " font-size=\"16\"",
                 flx_figure_words(f->title, NULL, words, sizeof words));
    }
    for (int i = 0; i < f->npanel; i++) put_panel(to, f, f->panels + i);
    fputs("</svg>\n", to);
}
