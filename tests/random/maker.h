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

// ---- generate_forces.c --------------------------------------------------------------------------
void make_force(maker *k);
void make_contact(maker *k);
void make_variable(maker *k);
void make_controller(maker *k);
void make_massless(maker *k); // a point between springs
