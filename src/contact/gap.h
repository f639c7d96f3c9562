// gap.h - a point of a pair of surfaces as functions of two frames: the gap between them, and the slip there.
//
// Signs. The value of a gap's row is the depth d = -gap, so that by (SYS-2), M a = f - G^T lambda, a multiplier
// lambda >= 0 pushes the two apart: the force on the second is +lambda n, n from the first to the second. The row of a
// slip is t_i . u, u the velocity of the second relative to the first at the point midway between the two places; its
// multiplier mu is the force -mu t_i on the second.
#pragma once

#include "contact/pair.h"

typedef struct flx_gap {
    const flx_surface *surface[2];
    const flx_pair *pair;
    bool turned; // the pair's functions have the surfaces in the other order
    bool planar; // frames of the plane
    uint64_t feature;
    unsigned
        family; // 0: the feature is that of the pair; else its number among the points that there are now
    flx_tangents tangents;
} flx_gap;

// Points of a pair that come and go: so many of them, the deepest, are told apart by how deep they are. All gaps of a pair have
// the same family, a number that no other pair of the process has.
#define FLX_GAP_SLOTS 8
// The point of such a gap; false: there are no more than its number.
bool flx_gap_slot(const flx_gap *g, const flx_frame *A, const flx_frame *B, flx_touch *out);
// How many points two surfaces have with compliant laws: those that are there at any distance, or the most that come and go
// (*slots). 0: the kinds are no pair.
int flx_gap_points(const flx_surface *a, const flx_surface *b, bool *slots);

// (flx_pair_share) Of the point that there is now: where points come and go, another one may be it at every state.
double flx_gap_share(const flx_gap *g, const flx_frame *A, const flx_frame *B);

// false: these kinds are no pair. The tangents are the usual ones, or those of the plane.
bool flx_gap_init(flx_gap *g, const flx_surface *first, const flx_surface *second, uint64_t feature,
                  bool planar);
// The point itself; false: its feature is not there (it is at any distance of all but polyhedra and curves).
bool flx_gap_touch(const flx_gap *g, const flx_frame *A, const flx_frame *B, flx_touch *out);
// Tangents chosen about the normal at a configuration, such as the initial one; in space.
void flx_gap_choose_tangents(flx_gap *g, const flx_frame *A, const flx_frame *B);

// order 0: value, 1: and gradient, 2: and K = dG^T/dq, block (i, j) row-major 6 x 6; as flx_jet. nv: velocities of the two
// bodies; K of one that has none is not filled. Of a feature that is not there the value is -DBL_MAX, the rest 0.
void flx_gap_depth(const flx_gap *g, const flx_frame *A, const flx_frame *B, const int nv[2],
                   int order, double *value, double G[2][6], double K[2][2][36]);
// Row of the slip along t_1 (along = 0) or t_2 (1).
void flx_gap_slip(const flx_gap *g, const flx_frame *A, const flx_frame *B, const int nv[2],
                  int along, int order, double G[2][6], double K[2][2][36]);
// Row of the angular velocity of the second relative to the first, about t_1 (about = 0), t_2 (1) or the normal (2). In the
// plane t_2 is the third axis. 3: the mean of both about the normal, less that of the tangents (CON-11); its K leaves out how
// the turning of the tangents changes.
void flx_gap_turn(const flx_gap *g, const flx_frame *A, const flx_frame *B, const int nv[2],
                  int about, int order, double G[2][6], double K[2][2][36]);
// The same of frames of the plane; the entries of a body are (x, y, angle).
void flx_gap_depth2(const flx_gap *g, const flx_frame2 *A, const flx_frame2 *B, const int nv[2],
                    int order, double *value, double G[2][6], double K[2][2][36]);
void flx_gap_slip2(const flx_gap *g, const flx_frame2 *A, const flx_frame2 *B, const int nv[2],
                   int order, double G[2][6], double K[2][2][36]);
void flx_gap_turn2(const flx_gap *g, const flx_frame2 *A, const flx_frame2 *B, const int nv[2],
                   int order, double G[2][6], double K[2][2][36]);
// A frame of the plane as one of space; derivatives along the motions of such frames become those of the plane.
flx_frame flx_frame_of_plane(const flx_frame2 *f);
void flx_jet_of_plane(int order, double G[2][6], double K[2][2][36]);
