// result.h - a result in memory, as its two readers fill it.
#pragma once

#include "base/common.h"
#include "flexion/extend/sink_table.h"

typedef struct flx_fact { // what a result says of itself: a text or a number
    const char *name, *text;
    double number;
} flx_fact;

struct flx_result {
    flx_ctx *ctx;     // borrowed
    int input;        // number of its file in the context; -1: none
    flx_arena *arena; // owned: names, units, title
    int rows, columns;
    const char **names, **units; // (columns)
    const char *title;
    double **data; // (columns) of (rows): owned, one block at data[0]
    bool complete;
    const char *model;      // arena; NULL: none
    const flx_scene *scene; // arena; NULL: none
    bool old_scene;         // the file has one of an older form, which is not read
    float *motion;          // (rows * nmotion) owned; NULL: none
    int nmotion;
    double *states; // (nstates * nstate) owned; NULL: none
    int nstates, nstate;
    const char *structure; // arena
    int nmesh;
    flx_result_mesh *meshes; // (nmesh) arena
    int nsurface;
    flx_scene_surface *surfaces; // (nsurface) arena
    int nfact, fact_capacity;
    flx_fact *facts; // owned
    int nevent;
    const char **event_names; // (nevent) of each that happened
    double *event_times;      // (nevent) arena
    flx_result_work work;
    int nframe; // of particles; read from the file when they are asked for
    const char *path;
    const double *frame_times;     // (nframe) arena
    const long long *frame_starts; // (nframe + 1) arena
    void *frame;                   // owned: the last one
    int frame_capacity;
};

// Without rows and columns.
flx_status flx_result_create(flx_ctx *ctx, flx_result **out);

// Room for the rows; names and units point to empty texts.
flx_status flx_result_reserve(flx_result *r, long rows, int columns);

// Fill r, whose ctx and arena are set. Messages name the file.
flx_status flx_result_read_hdf5(flx_result *r, const char *path);
flx_status flx_result_read_csv(flx_result *r, const char *path);
