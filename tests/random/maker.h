// maker.h - a random model that is being made.
#pragma once

#include "spec.h"

typedef struct maker {
    spec *s;
    uint64_t state;
    const features *f;
    int freedoms; // of the joints so far
    bool rest;    // all velocities are zero
    bool bends;   // a body may be flexible
} maker;

bool chance(maker *k, int one_in);
v3 random_vector(maker *k, double size);
v3 random_direction(maker *k);
v3 random_spin(maker *k, double size); // of angular velocities and torques: planar, along z
bool is_point(const spec *s, int body);
v3 velocity_at(const spec *s, int body, v3 p);
v3 omega_of(const spec *s, int body);
// A body, a joint between two, and its places, which are given in ground axes.
spec_body *new_body(maker *k);
spec_joint *new_joint(maker *k, joint_kind kind, int first, int second);
void set_places(const spec *s, spec_joint *j, v3 first, v3 second);

// ---- generate_forces.c --------------------------------------------------------------------------
void make_force(maker *k);
void make_contact(maker *k);
void make_variable(maker *k);
void make_controller(maker *k);
void make_massless(maker *k); // a point between springs
v3 random_place(maker *k, int body);

// ---- generate_meshes.c --------------------------------------------------------------------------
void make_meshes(maker *k); // of flexible bodies
void make_solid(maker *k);

// ---- generate_pairs.c ---------------------------------------------------------------------------
// Forces and torques between two bodies, rotors without mass, relations of coordinates, other beams, other friction.
void make_pairs(maker *k, bool loops);

// ---- generate_shapes.c --------------------------------------------------------------------------
void make_shapes(maker *k); // a contact

// ---- generate_lines.c ---------------------------------------------------------------------------
// They draw from a state of their own: without these features a seed gives what it gave before there were any.
void make_lines(maker *k); // cables, muscles, loads along beams, springs by a law, motions by rates
void make_wheels(maker *k);
