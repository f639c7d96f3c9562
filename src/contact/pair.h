// pair.h - two surfaces near each other: the points where they touch or would touch first. A pair of kinds is a file's
// flx_pair, named in FLX_PAIRS once; either order is found. Everything is a function of the two frames alone: no call
// depends on an earlier one.
#pragma once

#include "body/frame.h"
#include "contact/contact_surface.h"
#include "math/small.h"

#define FLX_PAIRS(X)                                                                               \
    X(sphere, sphere)                                                                              \
    X(plane, sphere)                                                                               \
    X(plane, capsule)                                                                              \
    X(sphere, capsule)                                                                             \
    X(capsule, capsule)                                                                            \
    X(plane, cylinder)                                                                             \
    X(sphere, cylinder)                                                                            \
    X(plane, disc)                                                                                 \
    X(sphere, disc)                                                                                \
    X(capsule, cylinder)                                                                           \
    X(capsule, disc)                                                                               \
    X(cylinder, cylinder)                                                                          \
    X(cylinder, disc)                                                                              \
    X(disc, disc)                                                                                  \
    X(box, cylinder)                                                                               \
    X(box, disc)                                                                                   \
    X(hull, cylinder)                                                                              \
    X(hull, disc)                                                                                  \
    X(plane, box)                                                                                  \
    X(box, box)                                                                                    \
    X(box, sphere)                                                                                 \
    X(box, capsule)                                                                                \
    X(curve, sphere)                                                                               \
    X(profile, sphere)                                                                             \
    X(plane, curve)                                                                                \
    X(curve, curve)                                                                                \
    X(plane, hull)                                                                                 \
    X(box, hull)                                                                                   \
    X(hull, hull)                                                                                  \
    X(hull, sphere)                                                                                \
    X(hull, capsule)                                                                               \
    X(mesh, sphere)                                                                                \
    X(mesh, capsule)                                                                               \
    X(mesh, box)                                                                                   \
    X(mesh, hull)                                                                                  \
    X(heights, sphere)                                                                             \
    X(heights, capsule)                                                                            \
    X(heights, cylinder)                                                                           \
    X(heights, disc)                                                                               \
    X(heights, box)                                                                                \
    X(heights, hull)

// Curvature of a surface at a point, positive where it is convex: k[0] along e, k[1] across. HUGE_VAL: the surface has
// no extent in that direction; one of an edge, both of a corner or a point. e (unit, tangent, ground axes) is not read
// where both are equal.
typedef struct flx_curvature {
    double k[2];
    double e[3];
} flx_curvature;

// One point of a pair: p[1] - p[0] = gap n.
typedef struct flx_touch {
    double gap;            // positive: open
    double n[3];           // unit, from the first to the second, ground axes
    double p[2][3];        // places on the two surfaces, ground axes
    flx_curvature bend[2]; // of the two surfaces there
    uint64_t feature;      // which features touch; the same over steps
} flx_touch;

// Which points of a pair touched last: its owner passes it in and takes it out, so that points that come and go stay the same
// from step to step. Those of last time are taken again as long as they are within 1e-3 of the size.
#define FLX_MANIFOLD_MOST 4
typedef struct flx_manifold {
    int n;
    uint64_t features[FLX_MANIFOLD_MOST]; // the deepest first
} flx_manifold;

typedef struct flx_pair {
    // Features 0 .. points-1 are there at any distance; 0: they come and go, `touch` says which there are.
    int points;
    int (*count)(const flx_surface *a,
                 const flx_surface *b); // in place of `points` where it depends on the surfaces
    bool planar;                        // in models of the plane alone
    int (*sharers)(uint64_t feature);   // how many points take the place of one together; NULL: one
    // The point of one feature, at any distance; false: there is none, and *out is not written.
    bool (*point)(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                  const flx_frame *fb, uint64_t feature, flx_touch *out);
    // As flx_pair_touch; NULL: the points.
    int (*touch)(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                 const flx_frame *fb, double reach, int most, flx_manifold *last, flx_touch *out);
} flx_pair;

#define X(first, second) extern const flx_pair flx_pair_##first##_##second;
FLX_PAIRS(X)
#undef X

// The pair of two kinds, NULL: there is none. *turned: its functions have them in the other order.
const flx_pair *flx_pair_find(const flx_surface_kind *a, const flx_surface_kind *b, bool *turned);
// The same points with the first as the second.
void flx_touch_turn(flx_touch *t);

// Number of features of two surfaces that are there at any distance; 0: they come and go, or the kinds are no pair.
int flx_pair_points(const flx_surface *a, const flx_surface *b);
// The part that a point has in the stiffness of compliant laws: where a cylinder stands on an end, its three feet press together as
// the one place of the rim does that is lowest before.
double flx_pair_share(const flx_surface *a, const flx_surface *b, uint64_t feature);
// Up to `most` points nearer than reach; the deepest first. 0 also where the kinds are no pair. last: of this pair, begins with
// n = 0, and is written; NULL: no memory.
int flx_pair_touch(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                   const flx_frame *fb, double reach, int most, flx_manifold *last, flx_touch *out);

// (CON-8) Reduced radius of curvature at a point, for Hertz's law: 1/sqrt(det(B_1 + B_2)), of spheres 1/(1/r_1 + 1/r_2).
// 0 at a corner or an edge, HUGE_VAL where the surfaces touch along a line or fit into each other.
double flx_touch_radius(const flx_touch *t);

// Tangents t_1, t_2 of a normal, t_1 x t_2 = n: those of a normal chosen once, turned the shortest way (CON-6). They are
// smooth but at its opposite. In the plane t_1 is n turned by a right angle, and t_2 the third axis.
typedef struct flx_tangents {
    bool planar;
    double t[2][3], n[3];
} flx_tangents;

flx_tangents flx_tangents_about(const double n[3]);
// Of contacts that come and go: the opposite of its normal is no usual direction.
extern const flx_tangents flx_tangents_usual;
extern const flx_tangents flx_tangents_planar;
// spin: dt_1 = -nu_1 n + (spin . nu) t_2, dt_2 = -nu_2 n - (spin . nu) t_1 where dn = nu_1 t_1 + nu_2 t_2.
void flx_touch_tangents(const flx_tangents *rule, const double n[3], double t[2][3],
                        double spin[2]);

// Place and axes of a surface in ground axes.
static inline v3 flx_surface_place(const flx_surface *s, const flx_frame *f)
{
    return v3_add(v3_load(f->r), m33_mul_v(m33_load(f->R), v3_load(s->at)));
}
static inline v3 flx_surface_axis(const flx_surface *s, const flx_frame *f, int i)
{
    return m33_mul_v(m33_load(f->R), m33_col(m33_load(s->axes), i));
}
static inline double flx_curvature_of_radius(double r)
{
    return r != 0.0 ? 1.0 / r : HUGE_VAL;
}
// Of a core at the distance of its skin: the radii of curvature grow by it.
static inline double flx_curvature_offset(double k, double skin)
{
    return isinf(k) ? flx_curvature_of_radius(skin) : k / (1.0 + k * skin);
}
// One side of a point: the place on the core moved by the skin along n (of the second against it), k along e and across.
static inline void flx_touch_side(flx_touch *t, int side, v3 core, double skin, double along,
                                  double across, v3 e)
{
    v3_store(t->p[side], v3_axpy(side ? -skin : skin, v3_load(t->n), core));
    t->bend[side].k[0] = flx_curvature_offset(along, skin);
    t->bend[side].k[1] = flx_curvature_offset(across, skin);
    v3_store(t->bend[side].e, e);
}
