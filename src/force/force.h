// force.h - kernels of forces that need no expression: springs along a line or a joint coordinate,
// bushings, mutual gravitation. Each adds to the residual r_v = M a - f + ..., to D (A1) and to
// K (A0), exactly.
#pragma once

#include "contact/law.h"
#include "flexion/extend/system_table.h"
#include "force/contact_memory.h"
#include "joint/scalar.h"

// F = k (phi - rest) + c phi' pulls phi back; phi a length, an angle or a displacement.
typedef struct flx_spring {
    flx_scalar s;
    flx_scalar centre; // of a line spring without length: |d|^2/2, smooth where |d| = 0
    bool centred;
    bool open; // c is of open parameters: zero now, it need not stay so
    double k, c, rest;
} flx_spring;

void flx_spring_residual(int n, const flx_spring *springs, flx_frames f, const double *switches,
                         const double *v, double *r);
void flx_spring_linearise(int n, const flx_spring *springs, flx_frames f, const double *switches,
                          const double *v, double *A0, double *A1);
void flx_spring_energy(int n, const flx_spring *springs, flx_frames f, const double *switches,
                       const double *v, flx_energies *e);
// Discrete gradients (SPR-3): values phi (n) of each, and their gradients (NULL: not wanted); then, with
// values at both ends of a step in phi and end (n), the forces between them less those in the middle,
// at f; and, with the gradients at the end, twice their derivative by the step less that tangent.
void flx_spring_values(int n, const flx_spring *springs, flx_frames f, const double *switches,
                       double *phi, double (*slope)[2][6]);
void flx_spring_discrete_linearise(int n, const flx_spring *springs, flx_frames f,
                                   const double *switches, const double *phi, const double *end,
                                   const double (*slope)[2][6], double *A0);
void flx_spring_discrete(int n, const flx_spring *springs, flx_frames f, const double *switches,
                         const double *phi, const double *end, double *r);
// The same of springs whose pulls are unknowns: what a stiff one does is in its pull, not in its
// stretch. h: a typical step.
void flx_spring_energy_mixed(int n, const flx_spring *springs, flx_frames f, const double *switches,
                             const double *v, const double *pull, double h, flx_energies *e);

// Rotational part of a bushing in space: a moment against the rotation vector between two frames.
// Its translations, and its rotation in the plane, are springs.
typedef struct flx_twist {
    int body[2];
    flx_ends e;
    double F[2][9];    // the frames, in each body's axes; equal where nothing is twisted
    double k[3], c[3]; // about the axes of the first
} flx_twist;

void flx_twist_residual(int n, const flx_twist *p, const flx_frame *f, double *r);
void flx_twist_linearise(int n, const flx_twist *twists, const flx_frame *f, double *A0,
                         double *A1);
void flx_twist_energy(int n, const flx_twist *p, const flx_frame *f, flx_energies *e);

// Attraction of two centres of mass, G m m' / d^2.
typedef struct flx_attraction {
    int body[2];
    flx_ends e;
    double Gmm;
} flx_attraction;

void flx_attraction_residual(int n, const flx_attraction *p, flx_frames f, double *r);
void flx_attraction_linearise(int n, const flx_attraction *p, flx_frames f, double *A0);
void flx_attraction_energy(int n, const flx_attraction *p, flx_frames f, flx_energies *e);

// A place where two surfaces may touch, with a compliant law (contact_point.c). Its two switches: 1 while it is closed, 0 while it
// is open; the speed at which it closed, while it is open the largest gap since.
typedef struct flx_contact_point {
    flx_scalar gap, slip[2];
    int nslip;          // 0: no friction
    flx_scalar turn[3]; // angular velocities: rolling, the last spinning; in the plane the first
    int nroll, nspin;   // 0: none
    flx_law law;
    double friction, velocity; // coefficient, slip that regularises it
    double rolling, spinning;  // torque over the normal force
    double slowest;            // angular velocity that regularises them
    int state;                 // the first stretch of its spring with memory; -1: it has none
    flx_stretch_law memory;
    flx_scalar carry;             // how both bodies turn about the normal; in space
    double scale;                 // a usual stretch
    flx_row_place state_place[2]; // where their rows are, and their columns
    int state_slot[2][2];         // ... by each other
    int state_force[2];           // ... by the normal force that is an unknown
    int side;                     // the first of its switches
    bool located;                 // a switch decides whether it acts: its friction is as it is
    double clear;                 // a larger gap is one that it has to close at an instant
    const double
        *residual[2]; // (9) compliance of each side's node beside its shapes, node axes; NULL: none
    double thickness; // of both surfaces together; infinite: one has no end
    int contact, pair;   // of the model; pair: of the contact
    int row;             // its normal force is an unknown, of that constraint; -1: it is not
    double C, m;         // ... scales of the row, flx_law_point
    flx_row_place place; // ... where the row is, and its column
    int diag;
} flx_contact_point;

// What the kernels read of a point of the system. lam: multipliers; rows: of the constraints, for forces that are unknowns.
typedef struct flx_contact_at {
    flx_frames f;
    const double *switches, *v, *lam, *x;
} flx_contact_at;
// states: rows of the first-order states.
void flx_contact_residual(int n, const flx_contact_point *points, const flx_contact_at *at,
                          double *r, double *rows, double *states);
void flx_contact_linearise(int n, const flx_contact_point *points, const flx_contact_at *at,
                           double *A0, double *A1);
void flx_contact_energy(int n, const flx_contact_point *points, const flx_contact_at *at,
                        flx_energies *e);
// Whether its switch decides about the force, not the depth: of a law with a kink, and of surfaces that were clear of each
// other. Whether there is a force at all; the normal force, at a depth whose value and gradient j has; stored or NULL:
// its potential energy.
// Power that friction of rolling and spinning takes at a normal force.
double flx_contact_point_turns(const flx_contact_point *p, flx_frames f, const double *switches,
                               const double *v, double force);
bool flx_contact_point_is_held(const flx_contact_point *p, const double *switches);
bool flx_contact_point_acts(const flx_contact_point *p, double depth, const double *switches);
flx_law_force flx_contact_point_force(const flx_contact_point *p, flx_frames f, const flx_jet *j,
                                      double rate, const double *switches, double *stored);
// Friction of a point with memory at a normal force; u: slip (2), j: depth.
flx_stretch flx_contact_point_stretch(const flx_contact_point *p, const flx_contact_at *at,
                                      const double u[2], double force, const flx_jet *j);
// Its normal force, with derivatives along the motions of both bodies; where it is an unknown, the column of that.
typedef struct flx_contact_press {
    double force, by_q[2][6], by_v[2][6];
    const flx_row_place *column; // NULL: it is none
} flx_contact_press;
void flx_contact_point_press(const flx_contact_point *p, const flx_contact_at *at, bool slopes,
                             flx_contact_press *out);
// The row of a force that is an unknown.
flx_law_row flx_contact_point_row(const flx_contact_point *p, const flx_contact_at *at,
                                  const flx_jet *j);

// elastic_law.c: of a spring by a function, x beyond its length. power: pull times rate.
struct flx_program;
double flx_spring_law_stored(const struct flx_program *p, double x);
void flx_spring_law_energy(const struct flx_program *p, double x, double power, double rate,
                           flx_energies *e);
