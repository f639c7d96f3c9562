// scene_read.h - the scene of a result, read back from its text (docs/dev/scene.md): what pictures and
// files for other programs are made of.
#pragma once

#include "math/small.h"
#include "results/result.h"

typedef struct flx_scene_shape {
    const char *kind;
    double size[3], at[3], axis[3];
    quat turn;    // of boxes and meshes
    double scale; // of meshes
    int surface;  // number; -1: none
} flx_scene_shape;

typedef struct flx_scene_elastic {
    int motion; // number of the first coordinate in a row
    int nmode, nnode;
    bool line;
    double *nodes;  // (nnode, 3)
    double *shapes; // (nmode, nnode, 3)
    int mesh;       // number; -1: none
} flx_scene_elastic;

typedef struct flx_scene_body {
    const char *name;
    int motion; // number of the first of its seven in a row
    double mass, com[3];
    bool place; // false: it is a direction, which is nowhere
    int nshape;
    flx_scene_shape *shapes;
    flx_scene_elastic *elastic; // NULL: none
} flx_scene_body;

typedef struct flx_scene_link { // a joint or a force
    const char *name, *type;
    int body[2]; // -1: the ground
    double at[2][3], axis[3];
    double axis2[3]; // in the second body's axes: of crosses and wheels; else zero
} flx_scene_link;

typedef struct flx_scene_line { // a beam: bodies along it
    const char *name;
    bool round;
    double size[2]; // width along z, height along y; round: the radius
    int nnode;
    int *nodes; // (nnode) numbers of bodies
} flx_scene_line;

typedef struct flx_scene_solid { // a solid of large deformation: its surface
    const char *name;
    int nnode, ntriangle;
    int *body;      // (nnode) what carries a node; -1: the ground
    double *at;     // (nnode, 3) in its frame
    int *triangles; // (ntriangle, 3)
} flx_scene_solid;

typedef struct flx_scene {
    int dimension;
    double size, gravity[3];
    int nbody, njoint, nforce, nline, nsolid;
    flx_scene_body *bodies;
    flx_scene_line *lines;
    flx_scene_solid *solids;
    flx_scene_link *joints, *forces;
} flx_scene;

// The scene, in the arena of the result. Numbers that do not fit the result are left out. FLX_ERR_ARGUMENT
// where nothing can be seen, FLX_ERR_MEMORY.
flx_status flx_scene_read(flx_result *r, flx_scene **out);

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

// Points of a line with the axes there, finer than its nodes: flx_scene_samples of them. places: (nbody)
int flx_scene_samples(const flx_scene_line *l);
void flx_scene_sample(const flx_scene_line *l, const flx_scene_place *places, flx_scene_place *out);

// Of `rows` rows at most `most` are drawn, evenly, the first and the last among them: their number, and
// the row of number i.
int flx_frame_count(int rows, int most);
int flx_frame_row(int rows, int count, int i);
