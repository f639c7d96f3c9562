// tree_dynamics.h - recursions over a tree of links: forward dynamics (articulated bodies), inverse
// dynamics (Newton-Euler), mass matrix (composite bodies).
//
// A link hangs on its parent by one elementary joint. With its own frame, whose third axis is the
// axis of the joint, the motion subspace is constant and has a single one for each freedom:
//     turn:   rotation about z              slide:  translation along z
//     screw:  rotation about z, pitch       ball:   rotation, a quaternion
//     shift:  translation in three axes     plane:  turn, slide along x, shift in two axes
// Joints with several freedoms are sequences of these, with links without mass between them:
// nothing of their motion subspaces, biases and derivatives has to be written down again.
//
// A link's frame is placed in its parent's by
//     R = Rz(beta) Rx(alpha) Rz(offset + angle),  r constant (+ R z displacement)        (TREE-2)
// and accelerations are those of the frame's origin, so that velocities of origins do not enter:
//     w = R^T w_p + w_rel
//     alpha = R^T alpha_p + w x w_rel + w_rel'
//     a = R^T (a_p + alpha_p x r + w_p x (w_p x r)) + 2 w x v_rel + v_rel'               (TREE-3)
//     n = J alpha + h x a + w x J w,   f = m a + alpha x h + w x (w x h)                 (TREE-4)
// h: mass times centre of mass; J: inertia about the origin. Gravity is an acceleration of the ground.
#pragma once

#include "base/common.h"
#include "math/spatial.h"

typedef enum flx_link_kind {
    FLX_LINK_TURN,
    FLX_LINK_SLIDE,
    FLX_LINK_SCREW,
    FLX_LINK_BALL,
    FLX_LINK_SHIFT,
    FLX_LINK_BEND, // moves by the coordinates of an elastic body (tree_bends.h); no link of the recursions here
} flx_link_kind;

typedef struct flx_link {
    flx_link_kind kind;
    int parent;   // -1: the ground; parents first
    int q, v;     // first coordinate, first velocity
    bool leaf;    // nothing hangs on it
    bool last;    // of its parent's links it has the highest number
    bool turned;  // beta is not zero
    bool against; // its coordinate is the negative of the joint's own
    turn alpha, beta;
    double offset;
    double pitch; // of a screw: displacement by angle
    v3 r;         // place in the parent's frame
    m33 R;        // Rz(beta) Rx(alpha) Rz(offset); ball, shift: axes of the joint in the parent's
    double m;
    v3 h;
    sym3 J;
    int body; // the model's, for messages
    int bend; // number of a bend
} flx_link;

typedef struct flx_linkage {
    bool planar;
    int n;
    flx_link *links;
    int nq, nv;
    double gravity[3];
} flx_linkage;

// Scratch of one evaluation, for one link.
typedef struct flx_link_state {
    turn phi;   // Rz(offset + angle)
    m33 R;      // ball, shift: axes in the parent's
    v3 r;       // place in the parent's frame
    v3 w;       // angular velocity, link's axes
    v3 ba, bl;  // bias: acceleration of a link whose parent's and own rates do not change
    spatial Ia; // articulated
    wrench p;   // what is left at zero acceleration
    v3 ga, gl;  // gains of the joint's acceleration, divided by its inertia
    double u;
    m33 G; // gains of a ball or a shift
    v3 alpha, a;
    int columns; // of its freedoms that are in the mass matrix
} flx_link_state;

// states: (n + 1), the first is the ground's. Only scratch: nothing has to be set before.

// Accelerations of the joints. tau (nv) or NULL: forces along them; ext (6 n) or NULL: moment about
// the origin and force on every link, in its axes. Returns -1, or a link that has no inertia along
// its joint.
int flx_linkage_forward(const flx_linkage *k, flx_link_state *states, const double *q,
                        const double *v, const double *tau, const double *ext, double *a);
// Forces along the joints that these accelerations take.
void flx_linkage_inverse(const flx_linkage *k, flx_link_state *states, const double *q,
                         const double *v, const double *a, const double *ext, double *tau);
// M (nv x nv).
void flx_linkage_mass(const flx_linkage *k, flx_link_state *states, const double *q, double *M);

// The same in the plane.
int flx_linkage2_forward(const flx_linkage *k, flx_link_state *states, const double *q,
                         const double *v, const double *tau, const double *ext, double *a);
void flx_linkage2_inverse(const flx_linkage *k, flx_link_state *states, const double *q,
                          const double *v, const double *a, const double *ext, double *tau);
void flx_linkage2_mass(const flx_linkage *k, flx_link_state *states, const double *q, double *M);

static inline int flx_link_freedom(flx_link_kind kind, bool planar)
{
    if (kind == FLX_LINK_BEND) return 0;               // none of its own
    if (planar) return kind == FLX_LINK_SHIFT ? 2 : 1; // there is no ball in the plane
    return kind == FLX_LINK_BALL || kind == FLX_LINK_SHIFT ? 3 : 1;
}

static inline bool flx_link_turns(flx_link_kind kind)
{
    return kind != FLX_LINK_SLIDE && kind != FLX_LINK_SHIFT;
}

// In space:

// Relative angular velocity and velocity, or the accelerations, of a joint.
static inline void flx_link_expand(const flx_link *l, const double *v, v3 *w, v3 *t)
{
    *w = *t = v3_make(0, 0, 0);
    switch (l->kind) {
    case FLX_LINK_TURN:
        w->z = v[0];
        break;
    case FLX_LINK_SLIDE:
        t->z = v[0];
        break;
    case FLX_LINK_SCREW:
        w->z = v[0];
        t->z = l->pitch * v[0];
        break;
    case FLX_LINK_BALL:
        *w = v3_load(v);
        break;
    case FLX_LINK_SHIFT:
        *t = v3_load(v);
        break;
    case FLX_LINK_BEND:
        break;
    }
}

// What a wrench does along a joint.
static inline void flx_link_restrict(const flx_link *l, wrench f, double *out)
{
    switch (l->kind) {
    case FLX_LINK_TURN:
        out[0] = f.n.z;
        break;
    case FLX_LINK_SLIDE:
        out[0] = f.f.z;
        break;
    case FLX_LINK_SCREW:
        out[0] = f.n.z + l->pitch * f.f.z;
        break;
    case FLX_LINK_BALL:
        v3_store(out, f.n);
        break;
    case FLX_LINK_SHIFT:
        v3_store(out, f.f);
        break;
    case FLX_LINK_BEND:
        break;
    }
}
