// random_tree.h - mechanisms of random topology: bodies on joints of all types that carry, seen from
// either side, with points, branches and floating bases, in the plane and in space; forces on them.
#pragma once

#include "mechanism.h"
#include "tree/topology/tree_links.h"

static inline int random_below(mechanism *k, int n)
{
    int i = (int)(0.5 * (1.0 + random_number(&k->seed)) * n);
    return i < n ? i : n - 1;
}

static inline const flx_joint_kind *random_carrier(mechanism *k, bool point)
{
    static const flx_joint_kind *const space[] = {
        &flx_joint_REVOLUTE,  &flx_joint_PRISMATIC, &flx_joint_CYLINDRICAL,
        &flx_joint_SPHERICAL, &flx_joint_UNIVERSAL, &flx_joint_PLANAR,
        &flx_joint_SCREW,     &flx_joint_FIXED,     &flx_joint_FREE};
    static const flx_joint_kind *const plane[] = {&flx_joint_REVOLUTE, &flx_joint_PRISMATIC,
                                                  &flx_joint_FIXED, &flx_joint_FREE};
    if (k->m.dimension == 2) return point ? &flx_joint_REVOLUTE : plane[random_below(k, 4)];
    return point ? &flx_joint_SPHERICAL : space[random_below(k, 9)];
}

// Up to 7 bodies, each on an earlier one or on the ground, or floating. points: some of them.
static inline void random_bodies(mechanism *k, int dimension, uint64_t seed, bool with_points)
{
    mechanism_init(k, dimension, seed);
    int n = 1 + random_below(k, 7);
    for (int i = 0; i < n; i++) {
        bool point = with_points && i > 0 && random_below(k, 6) == 0;
        add_body(k, point ? FLX_BODY_POINT : FLX_BODY_RIGID);
        if (random_below(k, 7) == 0) continue;
        int to = random_below(k, i + 1) - 1;
        bool points = point || (to >= 0 && k->bodies[to].type == FLX_BODY_POINT);
        bool swap = random_below(k, 2) == 0;
        int j = add_joint(k, random_carrier(k, points), swap ? i : to, swap ? to : i);
        flx_joint *joint = k->joints + j;
        bool slides = joint->kind == &flx_joint_PRISMATIC ||
                      joint->kind == &flx_joint_CYLINDRICAL || joint->kind == &flx_joint_SCREW;
        if (slides) { // places apart along the axis
            v3 axis = m33_col(m33_load(joint->frame[1]), 2);
            v3_add_to(joint->at[1], random_number(&k->seed), axis);
        }
        if (joint->kind == &flx_joint_UNIVERSAL) { // any angle between the axes
            double a[3];
            random_vector(&k->seed, 3, 0.7, a);
            v3 axis = v3_add(v3_load(joint->axis[1]), v3_load(a));
            v3_store(joint->axis[1], v3_unit(axis));
        }
    }
}

static inline void random_tree(mechanism *k, int dimension, uint64_t seed)
{
    random_bodies(k, dimension, seed, true);
}

// The same, and up to two joints that close loops, initially.
static inline void random_loops(mechanism *k, int dimension, uint64_t seed)
{
    static const flx_joint_kind *const space[] = {&flx_joint_SPHERICAL, &flx_joint_DISTANCE,
                                                  &flx_joint_POINT_ON_LINE,
                                                  &flx_joint_POINT_ON_PLANE, &flx_joint_KNIFE_EDGE};
    static const flx_joint_kind *const plane[] = {&flx_joint_REVOLUTE, &flx_joint_DISTANCE,
                                                  &flx_joint_POINT_ON_LINE, &flx_joint_KNIFE_EDGE};
    random_bodies(k, dimension, seed, false);
    for (int i = 0; i < 2 && k->m.njoint < 8; i++) {
        int a = random_below(k, k->m.nbody + 1) - 1, b = random_below(k, k->m.nbody);
        if (a == b) continue;
        const flx_joint_kind *t =
            dimension == 2 ? plane[random_below(k, 4)] : space[random_below(k, 5)];
        flx_joint *j = k->joints + add_joint(k, t, a, b);
        if (t != &flx_joint_DISTANCE) continue;
        double apart[3] = {0, 0, 0};
        random_vector(&k->seed, dimension, 1.0, apart);
        j->length = v3_norm(v3_load(apart));
        v3_add_to(j->at[1], 1.0, in_body_axes(k, b, v3_load(apart)));
    }
}

// Springs between places, springs on joints.
static inline void random_forces(mechanism *k)
{
    for (int i = 0; i < 3; i++) {
        int a = random_below(k, k->m.nbody + 1) - 1, b = random_below(k, k->m.nbody);
        if (a != b) add_force(k, &flx_force_spring, a, b);
    }
    for (int i = 0; i < k->m.njoint && k->m.nforce < 8; i++) {
        const flx_joint_kind *t = k->joints[i].kind;
        bool point = false;
        for (int s = 0; s < 2; s++) {
            int b = k->joints[i].body[s];
            point = point || (b >= 0 && k->bodies[b].type == FLX_BODY_POINT);
        }
        if (point || (t != &flx_joint_REVOLUTE && t != &flx_joint_PRISMATIC)) continue;
        int f = add_force(k, &flx_force_joint_spring, k->joints[i].body[0], k->joints[i].body[1]);
        k->forces[f].joint = i;
    }
}

// Coordinates and rates anywhere.
static inline void random_motion_of(uint64_t *seed, const flx_tree_links *t, double *q, double *v)
{
    for (int i = 0; i < t->k.n; i++) {
        const flx_link *l = t->links + i;
        int n = flx_link_freedom(l->kind, t->k.planar);
        random_vector(seed, n, 2.0, q + l->q);
        if (l->kind == FLX_LINK_BALL) {
            quat_store(q + l->q, quat_exp(v3_load(q + l->q)));
        }
        random_vector(seed, n, 1.5, v + l->v);
    }
}

static inline void random_motion(mechanism *k, const flx_tree_links *t, double *q, double *v)
{
    random_motion_of(&k->seed, t, q, v);
}
