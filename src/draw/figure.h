// figure.h - a drawing of curves: panels with axes, lines, points and a legend, all of it laid out here. SVG is written by our
// own code; the same figure becomes PNG or PDF by gnuplot, whose script goes to its standard input and whose drawing comes from
// its standard output, so that no file name ever is gnuplot text.
//
// Lines use the colours of Okabe and Ito, which colour-blind readers tell apart, then the same colours dashed.
#pragma once

#include "base/common.h"

#include <stdio.h>

typedef struct flx_figure_axis {
    double low, high; // low < high; positive where it is logarithmic
    int log;
    const char *label, *unit; // "label (unit)"; NULL: none
    bool silent;              // no numbers at its tics: another panel below has them
} flx_figure_axis;

// Points whose x or y is not finite are gaps; all others are within the axes.
typedef struct flx_figure_curve {
    const char *name; // in the legend; NULL: not there
    int n;
    const double *x, *y;
    int colour, dash; // numbers
    double width;     // of the line, pixels; 0: points alone
    int mark;         // FLX_CHART_CROSS and others of gnuplot; 0: none
    double size;      // of marks, pixels
} flx_figure_curve;

typedef struct
    flx_figure_guide { // a straight dashed line between two points, and what is written at its end
    double x[2], y[2];
    char text[24];
} flx_figure_guide;

typedef enum flx_figure_legend {
    FLX_LEGEND_NONE,
    FLX_LEGEND_RIGHT, // a column, beginning at its place
    FLX_LEGEND_ABOVE, // a line, ending at its place
} flx_figure_legend;

typedef struct flx_figure_panel {
    double left, right, top, bottom; // of the axes, pixels from the upper left corner of the figure
    flx_figure_axis x, y;
    bool compact; // little room: the labels stand above the axes and in the corner below
    int ncurve;
    const flx_figure_curve *curves; // (ncurve)
    int nguide;
    const flx_figure_guide *guides; // (nguide)
    flx_figure_legend legend;
    double legend_x, legend_y; // pixels
} flx_figure_panel;

typedef struct flx_figure {
    const char *path; // .svg, .png or .pdf
    int width, height;
    const char *title; // NULL: none
    double title_x, title_y;
    bool centred; // the title, about title_x
    int npanel;
    const flx_figure_panel *panels; // (npanel)
} flx_figure;

// FLX_ERR_ARGUMENT: another ending; FLX_ERR_UNAVAILABLE: no gnuplot for PNG or PDF.
flx_status flx_figure_write(flx_ctx *ctx, const flx_figure *f);

// Pixels that the numbers of a y axis take beside it, whose length is given.
double flx_figure_numbers_width(const flx_figure_axis *a, double length);
// Pixels of a text of the figures' letters, about.
double flx_figure_text_width(const char *text);

// ---- shared by the two writers ----------------------------------------------------------------------

#define FLX_MOST_TICS 64

typedef struct flx_tics {
    int n, nsmall;
    double at[FLX_MOST_TICS],
        small[9 * FLX_MOST_TICS]; // small ones have no numbers and no lines of the grid
    char text[FLX_MOST_TICS][24];
} flx_tics;

// length: pixels; upright: a y axis.
void flx_figure_tics(const flx_figure_axis *a, double length, bool upright, flx_tics *t);

// 0 at the low end, 1 at the high one.
double flx_figure_place(const flx_figure_axis *a, double v);

// "text" or "text (unit)" without control characters and broken UTF-8, powers as superscripts.
const char *flx_figure_words(const char *text, const char *unit, char *to, size_t size);

const char *flx_figure_colour(int k);
const int *flx_figure_dash(int k, int *n); // pixels of lines and gaps; n 0: a whole line

void flx_figure_write_svg(const flx_figure *f, FILE *to);
flx_status flx_figure_run_gnuplot(flx_ctx *ctx, const flx_figure *f, const char *terminal);
