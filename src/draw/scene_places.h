// scene_places.h - where things of a scene are at a row of the motion: what pictures and files for other programs are made of.
#pragma once

#include "math/small.h"
#include "results/result.h"
#include "results/result_format.h"

// The scene of a result that can be drawn. FLX_ERR_ARGUMENT where nothing can be seen.
flx_status flx_scene_of_result(flx_result *r, const flx_scene **out);

// The last places of particles that are not after t; -1: there are none.
int flx_frame_of_particles(const flx_result *r, double t);

typedef struct flx_scene_place {
    v3 p;
    m33 R;
    bool known; // false: the row has no place for it
} flx_scene_place;

// Where a body's frame is at a row of the motion.
flx_scene_place flx_scene_find(const flx_scene_body *b, const float *row);
v3 flx_scene_move(const flx_scene_place *at, v3 x); // from the body's frame to the ground's
// An end of a joint or force, from the ground. places: (nbody)
v3 flx_scene_end(const flx_scene_link *l, int end, const flx_scene_place *places);
v3 flx_scene_node(const flx_scene_solid *s, int node, const flx_scene_place *places);

// The section that a line is drawn with, never thinner than can be seen.
typedef struct flx_scene_section {
    bool round;
    double size[2]; // width along z, height along y; round: the radius
} flx_scene_section;
flx_scene_section flx_scene_section_of(const flx_scene *s, const flx_scene_line *l);

// Points of a line with the axes there, finer than its nodes: flx_scene_samples of them. places: (nbody)
int flx_scene_samples(const flx_scene_line *l);
void flx_scene_sample(const flx_scene_line *l, const flx_scene_place *places, flx_scene_place *out);

// Of `rows` rows at most `most` are drawn, evenly, the first and the last among them: their number, and
// the row of number i.
int flx_frame_count(int rows, int most);
int flx_frame_row(int rows, int count, int i);
