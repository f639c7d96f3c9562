// patch_force.h - a compliant law between two patches (contact/patch/patch.h): force, friction, tangent and energy where they are
// nearest to each other.
#pragma once

#include "contact/law.h"
#include "contact/patch/patch.h"
#include "flexion/extend/system_table.h"
#include "joint/rows.h"

// z = place r + R arm; r, R: frame of a body.
typedef struct flx_patch_vector {
    int frame;    // number of the frame, 0: the ground
    int member;   // number of the body among those of the pair; -1: the ground
    double place; // 1, of a direction 0; of a slope of absolute nodal coordinates a length
    double arm[3];
} flx_patch_vector;

// A patch, and what turns with it: at most two bodies whose angular velocities the surface has, between them linearly in s_1.
typedef struct flx_patch {
    flx_patch_kind kind;
    flx_patch_vector z[FLX_PATCH_VECTORS];
    int nturn, turn[2]; // of z: whose bodies turn
    bool inner[2][2];   // borders, low and high of each parameter, beyond which the surface goes on
    double length;      // of a line, unstressed
} flx_patch;

typedef struct flx_patch_body { // a body of a pair
    int body, v, nv;
} flx_patch_body;

// Of a law for each length of a line: places of quadrature on those parts of the first where it is inside the second
// (patch_spread.c). Each interval has as many places as this, a patch at most so many intervals.
#define FLX_PATCH_GAUSS 5
#define FLX_PATCH_INTERVALS 3
typedef struct flx_patch_rule { // places and weights on [0, 1]
    double x[FLX_PATCH_GAUSS], w[FLX_PATCH_GAUSS];
} flx_patch_rule;

// Two surfaces made of patches.
typedef struct flx_patch_pair {
    int contact; // of the model
    int n[2];
    flx_patch *of[2];
    double radius[2];
    int nbody;
    flx_patch_body *bodies;
    int *block; // (nbody, nbody) offsets in the pattern; -1: none
    flx_law law;
    double friction, velocity;
    bool planar;
    bool turned; // the first of the model is the second here
    bool rigid;  // met step by step: no force
    bool self;   // both are one line
    bool spread; // the force is one per length of the first, which is a line
    flx_patch_rule rule[2]
                       [2]; // ... of parts that begin, end where the depth is zero, or at a border
    bool
        faces; // the second is one of faces: each patch of the first, a point, touches where it is nearest to all of them
} flx_patch_pair;

// The vectors of a patch in ground axes; their rates.
void flx_patch_place_vectors(const flx_patch *p, flx_frames f, v3 z[FLX_PATCH_VECTORS]);
void flx_patch_move_vectors(const flx_patch *p, flx_frames f, v3 rate[FLX_PATCH_VECTORS]);

// Where patch[0] of the first and patch[1] of the second touch.
typedef struct flx_patch_touch {
    int patch[2];
    double weight; // 1, or the length of a line that it stands for
    flx_patch_place at;
} flx_patch_touch;

// The rules, of the exponent of the law.
void flx_patch_spread_rules(flx_patch_pair *p);
int flx_patch_spread(const flx_patch_pair *p, flx_frames f, double *boxes, int room,
                     flx_patch_touch *of);
// Boxes round all patches without their radii, and whether two are near each other.
void flx_patch_place_boxes(const flx_patch_pair *p, flx_frames f, double *boxes);
bool flx_patch_are_near(const double *a, const double *b, double reach);
// Whether patch i of the first may touch patch j of the second: of one line each two once, and none that are near along it.
bool flx_patch_may_touch(const flx_patch_pair *p, int i, int j);
// All places where two surfaces are nearer than reach, into `of`, at most `room`: the number of them. boxes: 6 numbers for each
// patch of both, to work with (patch_find.c).
int flx_patch_find(const flx_patch_pair *p, flx_frames f, double reach, double *boxes, int room,
                   flx_patch_touch *of);
// Of faces: for each patch of the first the place of the second that is nearest, if it is nearer than reach.
int flx_patch_find_nearest(const flx_patch_pair *p, flx_frames f, double reach, double *boxes,
                           int room, flx_patch_touch *of);
// r_v += -T^T E^T (force on the second);  A0, A1 += its derivatives (PAT-5).
void flx_patch_residual(const flx_patch_pair *p, const flx_patch_touch *t, flx_frames f, double *r);
void flx_patch_linearise(const flx_patch_pair *p, const flx_patch_touch *t, flx_frames f,
                         double *A0, double *A1);

// Velocity of the second surface relative to the first along n directions e (ground axes) by those of the bodies: at most as many
// members as FLX_PATCH_MEMBERS, and rows n x nv of each one. Returns the number of members.
#define FLX_PATCH_MEMBERS 8
int flx_patch_rows(const flx_patch_pair *p, const flx_patch_touch *t, flx_frames f, int n,
                   const double (*e)[3], int member[FLX_PATCH_MEMBERS],
                   double rows[FLX_PATCH_MEMBERS][18]);

// What there is to know: depth, its rate, normal force, friction on the second and slip, ground axes; powers.
typedef struct flx_patch_state {
    double depth, rate, force, stored, lost;
    v3 friction, slip;
} flx_patch_state;
flx_patch_state flx_patch_look(const flx_patch_pair *p, const flx_patch_touch *t, flx_frames f);
