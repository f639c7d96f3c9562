// drawings.h - what the program draws: signals, comparisons and studies as figures, pictures of the motion, files for ParaView.
// None of it is in the library.
#pragma once

#include "flexion/certificate.h"
#include "flexion/compare.h"
#include "flexion/extend/sink_table.h"
#include "flexion/reduction.h"
#include "flexion/study.h"

// Draw signals against time to an SVG, PNG or PDF file (by its ending). PNG and PDF need gnuplot at run time.
typedef struct flx_plot_def {
    const char *path;
    const char *x; // signal on the x axis; NULL: t
    int nsignal;
    const char *const *signals;
    int width, height; // pixels; 0: default
    int log_x, log_y;  // logarithmic axes: what is not positive is left out
} flx_plot_def;
flx_status flx_plot_write(flx_result *r, const flx_plot_def *def);

// Numbers against numbers: panels side by side, each with the same series of points joined by lines.
typedef struct flx_chart_series {
    const char *name; // for the legend
    int n;
    const double *x,
        *y;        // (n); what is not finite, or not positive on a logarithmic axis, is left out
    double slope;  // of a guide beside the points of a log-log panel; NaN: none
    int line_only; // 1: no marks at the points
    int mark_only; // a mark of its own, and no line: FLX_CHART_CROSS, ...; 0: as the others
} flx_chart_series;
enum { // as gnuplot counts them
    FLX_CHART_CROSS = 2,
    FLX_CHART_SQUARE = 4, // empty, as the circle
    FLX_CHART_FULL_SQUARE = 5,
    FLX_CHART_CIRCLE = 6,
    FLX_CHART_DOT = 7,
    FLX_CHART_UP = 9, // triangles
    FLX_CHART_DOWN = 11,
    FLX_CHART_DIAMOND = 13
};
typedef struct flx_chart_panel {
    const char *x, *y; // labels
    int log_x, log_y;
    int nseries;
    const flx_chart_series *series; // (nseries)
} flx_chart_panel;
typedef struct flx_chart_def {
    const char *path; // .svg, .png or .pdf
    const char *title;
    int npanel;
    const flx_chart_panel *panels; // (npanel)
    int width, height;             // pixels; 0: default
} flx_chart_def;
flx_status flx_chart_write(flx_ctx *ctx, const flx_chart_def *def);

// Responses over frequency: amplitude and phase, and series of errors where there are some. H: real and imaginary part of
// frequency k at k step.
typedef struct flx_bode_curve {
    const char *name;
    int n, step;
    const double *hz, *H;
} flx_bode_curve;
typedef struct flx_bode_def {
    const char *path, *title;
    int linear; // the axis of frequency
    int ncurve;
    const flx_bode_curve *curves;
    int nerror;
    const flx_chart_series *errors;
} flx_bode_def;
flx_status flx_bode_draw(flx_ctx *ctx, const flx_bode_def *d);

// The motion as a series of files for ParaView: PATH must end in .pvd; the files go to a folder of its
// name. frames: at most so many, evenly; 0: 200. written: how many.
flx_status flx_vtk_series_write(flx_result *r, const char *path, int frames, int *written);

// The motion as pictures in a folder, which is made: frame_0000.png, ...
typedef struct flx_frames_def {
    const char *folder;
    int width, height;   // pixels; 0: 960 by 600
    int frames;          // at most so many, evenly; 0: 200
    const char *view;    // "x", "y", "z", "slant"; NULL: in the plane z, else slant
    double exaggeration; // of deformations; 0: 1
    int stress;          // flexible bodies are coloured by von Mises' stress; 0: by displacement
} flx_frames_def;
flx_status flx_frames_write(flx_result *r, const flx_frames_def *def, int *written);

// The motion as one film: PATH ends in .gif, or in .mp4, .webm, .mkv, which the program ffmpeg writes. It lasts as long
// as the motion over `speed`; `rate` pictures per second, 0: 25. folder and frames of def do not count.
typedef struct flx_film_def {
    flx_frames_def picture;
    const char *path;
    double speed; // 0: 1, as fast as in life
    double rate;
} flx_film_def;
flx_status flx_film_write(flx_result *r, const flx_film_def *def, int *written);

// ---- comparisons, studies, certificates ---------------------------------------------------------

// Both courses and their differences as SVG, PNG or PDF: of the signals that differ most, by their
// size. The names tell the results apart.
flx_status flx_comparison_draw(const flx_comparison *c, const char *path, const char *a,
                               const char *b);

// Errors over steps or tolerances with guides of the observed orders; digits over evaluations and
// time. title may be NULL: the model's.
flx_status flx_study_draw_convergence(const flx_study *s, const char *path, const char *title);
flx_status flx_study_draw_work(const flx_study *s, const char *path, const char *title);

// The course of the errors as SVG, PNG or PDF.
flx_status flx_certificate_draw(const flx_certificate *c, const char *path);

// Errors of a flexible body's shapes over frequency; of a comparison those of all bases over the number of shapes.
flx_status flx_reduction_draw(flx_ctx *ctx, const flx_reduction *r, const char *title,
                              const char *path);
