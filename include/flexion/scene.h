// flexion/scene.h - what there is to see of a run, as plain data: made from the model, kept in result files, drawn by
// the program (docs/dev/scene.md). Numbers of bodies are from 0; -1 is the ground.
#pragma once

#include "flexion/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Numbers that a body's motion takes in a row: place of its frame, orientation as a quaternion w x y z. Those of all bodies
// come first, then the coordinates of flexible bodies.
#define FLX_SCENE_MOTION 7

// Triangles between points, of a file.
typedef struct flx_scene_surface {
    int npoint, ntriangle;
    const float *points;  // (npoint, 3)
    const int *triangles; // (ntriangle, 3) numbers of points; counter-clockwise from outside
} flx_scene_surface;

typedef struct flx_scene_point { // a point with a name
    int body;
    const char *name;
    double at[3]; // body frame
} flx_scene_point;

typedef struct flx_scene_shape {
    int body;
    const char *kind; // "box", "cylinder", "capsule", "sphere", "mesh", "none"
    double size[3];   // edges of a box; radius and length; radius
    double at[3];     // body frame
    double axis[3];   // of cylinders and capsules
    double turn[4];   // of boxes and meshes: a quaternion w x y z
    double scale;     // of meshes: metres for one unit of the surface
    int surface;      // of meshes: number of the surface; -1: none
    int colour;       // 1 + 0xRRGGBB; 0: that of its body
} flx_scene_shape;

typedef struct flx_scene_elastic { // a flexible body: nodes, and how each coordinate moves them
    int body;
    int motion; // number of the first coordinate in a row of the motion
    int line;   // the nodes follow one another along a beam
    int mesh;   // number of its mesh, which then has the nodes; -1: none
    int nnode, nmode;
    const double *nodes;  // (nnode, 3) body frame
    const double *shapes; // (nmode, nnode, 3)
} flx_scene_elastic;

typedef struct flx_scene_body {
    const char *name;
    int motion; // number of the first of its FLX_SCENE_MOTION in a row; -1: none
    double mass, com[3];
    int place; // 0: it is a direction, which is nowhere
    // what belongs to it, of the tables below: set where a scene is read or made
    int npoint, nshape;
    const flx_scene_point *points;
    const flx_scene_shape *shapes;
    const flx_scene_elastic *elastic; // NULL: none
} flx_scene_body;

typedef struct flx_scene_line { // a beam of large deformation
    const char *name;
    int round;
    double size[2]; // width along z, height along y; round: the radius; 0: not known
    int nnode;
    const int *nodes; // (nnode) numbers of bodies along it
} flx_scene_line;

typedef struct flx_scene_solid { // a solid of large deformation: its surface
    const char *name;
    int nnode, ntriangle;
    const int *body;      // (nnode) what carries a node
    const double *at;     // (nnode, 3) in its frame
    const int *triangles; // (ntriangle, 3) numbers of nodes; counter-clockwise from outside
} flx_scene_solid;

typedef struct flx_scene_link { // a joint or a force between two places
    const char *name, *type;
    int body[2];
    double at[2][3];
    double axis[3]; // of a joint, in the axes of its first body; of rolling the plane's normal
    double axis2
        [3]; // of universal and of a disc that rolls, in the axes of the second body; else zero
    double radius; // of rolling
} flx_scene_link;

typedef struct flx_scene {
    int dimension;
    double size; // largest extent of the mechanism, in metres
    double gravity[3];
    int nbody, npoint, nshape, nelastic, nline, nsolid, njoint, nforce;
    flx_scene_body *bodies;
    const flx_scene_point *points;     // in the order of their bodies
    const flx_scene_shape *shapes;     // in the order of their bodies
    const flx_scene_elastic *elastics; // in the order of their bodies
    const flx_scene_line *lines;
    const flx_scene_solid *solids;
    const flx_scene_link *joints, *forces;
} flx_scene;

#ifdef __cplusplus
}
#endif
