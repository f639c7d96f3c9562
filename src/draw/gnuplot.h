// gnuplot.h - drawings made by gnuplot: its text, its style, and running it.
//
// The script goes to gnuplot's standard input and the drawing comes from its standard output, so
// that no file name ever is gnuplot text; names and titles are quoted. Lines use the colours of
// Okabe and Ito, which colour-blind readers tell apart, then the same colours dashed.
#pragma once

#include "base/common.h"

#include <stdio.h>

// 'text' and 'name (unit)', quoted for gnuplot.
void flx_gnuplot_quoted(FILE *f, const char *text);
void flx_gnuplot_label(FILE *f, const char *name, const char *unit);

// Colour and dashes of line k.
const char *flx_gnuplot_colour(int k);
const char *flx_gnuplot_dash(int k);

// The script of one drawing.
typedef struct flx_gnuplot {
    flx_ctx *ctx; // borrowed
    const char *path;
    FILE *script; // owned; between begin and end
} flx_gnuplot;

// A script that begins with the terminal, by the ending of the path, and the style. width, height
// in pixels.
flx_status flx_gnuplot_begin(flx_ctx *ctx, const char *path, int width, int height, flx_gnuplot *g);
// Draw what was written, unless `status` says that something went wrong; closes the script.
flx_status flx_gnuplot_end(flx_gnuplot *g, flx_status status);
