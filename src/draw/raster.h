// raster.h - a picture made of triangles and lines, with depth.
#pragma once

#include "base/common.h"
#include "math/small.h"

typedef struct flx_colour {
    float r, g, b; // 0 to 1, as they are seen (sRGB)
} flx_colour;

typedef struct flx_raster {
    flx_ctx *ctx;
    int width, height;      // of the picture
    int w, h;               // in samples: twice as many
    float *depth;           // (h, w) owned
    unsigned char *samples; // (h, w, 3) owned
    unsigned char *pixels;  // (height, width, 3) owned, after flx_raster_finish
} flx_raster;

flx_status flx_raster_create(flx_ctx *ctx, int width, int height, flx_raster *r);
void flx_raster_clear(flx_raster *r);
void flx_raster_begin(flx_raster *r, flx_colour background);

// Corners in samples, y downwards; z: depth, smaller is nearer, straight over the picture (1/distance
// negated). What is not finite, or far larger than the picture, is not drawn.
typedef struct flx_corner {
    double x, y, z;
    flx_colour colour;
} flx_corner;
void flx_raster_triangle(flx_raster *r, const flx_corner c[3]);
// One sample, where nothing nearer is there.
void flx_raster_sample(flx_raster *r, int x, int y, double z, flx_colour colour);
// width: in samples.
void flx_raster_line(flx_raster *r, flx_corner a, flx_corner b, double width);
// Dark digits and letters at a place of the picture, in pixels: those of "t = -1.e+0 s m/s Pa" and the digits alone.
void flx_raster_text(flx_raster *r, int x, int y, int size, const char *text, flx_colour colour);

// The pixels, each the mean of its samples.
void flx_raster_finish(flx_raster *r);
// The pixels as a PNG file. FLX_ERR_IO, FLX_ERR_MEMORY.
flx_status flx_raster_write(const flx_raster *r, const char *path);
