// film.h - pictures of a scene without a browser: which file does what.
//     film_camera.c  from where it is looked at, and where a place is in the picture
//     film_paint.c   solids, lines and the scale of colours
//     film_particles.c  particles
//     film_layers.c  bodies of a plane, one above the other
//     film_symbols.c joints and the ground
//     frames.c       the frames of a result, one file each; one of them as a picture
//     film_write.c   the frames as one film: GIF by gif.c, others by ffmpeg
#pragma once

#include "draw/deform.h"
#include "draw/drawings.h"
#include "draw/raster.h"
#include "draw/shape_triangles.h"

#define FLX_FILM_TUBE 0.008 // radius of elastic lines, part of the scene's size

typedef struct flx_camera {
    v3 eye, right, up, forward;
    double zoom; // samples for one unit at the distance 1
    double near; // least distance that is drawn
    double cx, cy;
    v3 target;            // what it looks at
    v3 low, high;         // the box round it that is to be seen
    double floor;         // how high the ground is drawn in space
    double radius, angle; // of the box; of the picture's height
    int follow;           // body; -1: none
    v3 world_up;
} flx_camera;

// low, high: the box of everything over the run. view: "x", "y", "z", "slant"; NULL: in the plane "z",
// else "slant".
void flx_camera_aim(flx_camera *c, const flx_scene *scene, const char *view, v3 low, v3 high);
v3 flx_scene_up(const flx_scene *s); // against gravity; without it y in a plane, z in space
void flx_camera_fit(flx_camera *c, const flx_raster *r);
// false: it is behind the eye, or too near.
bool flx_camera_see(const flx_camera *c, v3 x, flx_corner *out);
// The colour of a face that is seen, by its normal of length 1 towards the eye.
flx_colour flx_camera_light(const flx_camera *c, v3 normal, flx_colour colour);

// Of a plane: where bodies, and behind them beams, lie along z, and half of how thick they may be; zero in space.
typedef struct flx_layer {
    double z, half;
} flx_layer;
typedef struct flx_layers {
    flx_layer *of; // (nbody + nline) owned, zeroed before
    flx_layer ground;
    double top;
} flx_layers;
// Layers, with the solids of bodies put into them: (nbody).
void flx_layers_make(const flx_scene *s, flx_triangles *solids, flx_layers *out);
flx_layer flx_layer_of(const flx_layers *l, int body); // -1: the ground

typedef struct flx_symbols {
    flx_triangles *bodies; // (nbody) owned: what is drawn of joints on each, in its frame ...
    flx_triangles posts;   // ... and on the ground
    flx_triangles ground;  // plates and stands
} flx_symbols;
// Cleared by the caller, also after a failure.
flx_status flx_symbols_make(const flx_result *r, const flx_scene *s, const flx_layers *layers,
                            v3 up, flx_symbols *out);
void flx_symbols_clear(flx_symbols *s, int nbody);

typedef struct flx_painter {
    flx_ctx *ctx;
    flx_raster *raster;
    const flx_camera *camera;
    // owned, of the solid at hand
    v3 *faces, *places;   // normals of triangles; points
    int *starts, *around; // triangles round a point: those at around[starts[i]] ...
    int face_capacity, place_capacity, start_capacity, around_capacity;
} flx_painter;

void flx_painter_clear(flx_painter *p);
// Points in the frame of a body that is at `at`. colours: of each point; NULL: all have `colour`.
flx_status flx_paint_solid(flx_painter *p, const flx_triangles *s, const flx_scene_place *at,
                           flx_colour colour, const flx_colour *colours);
void flx_paint_line(flx_painter *p, v3 a, v3 b, double width, flx_colour colour);
// A spring between two places.
void flx_paint_coil(flx_painter *p, v3 a, v3 b, double radius, flx_colour colour);
// The particles that a result has at a time; fastest: the speed of the last colour.
flx_status flx_paint_particles(flx_painter *p, flx_result *r, double time, double fastest);
// Widens the box by all particles of a result, and the speed by theirs.
flx_status flx_particles_look(flx_result *r, v3 *low, v3 *high, double *fastest);
void flx_paint_grid(flx_painter *p, const flx_scene *scene);
// From blue (0) to red (1).
flx_colour flx_scale_colour(double x);
// The scale of colours, from 0 to `largest` of the unit.
void flx_paint_scale(flx_painter *p, double largest, const char *unit);

// frames.c: the row as a picture, in a PNG file. FLX_ERR_ARGUMENT where there is nothing to see.
flx_status flx_picture_write(flx_result *r, int row, int width, int height, const char *path);

// Draws n frames of a result, one after the other: frame i is that of row(user, i), and take(user, i, ..) gets its
// pixels. Rows that follow each other and are the same are drawn once.
flx_status flx_frames_draw(flx_result *r, const flx_frames_def *def, int n, int (*row)(void *, int),
                           flx_status (*take)(void *, int, const flx_raster *), void *user);
