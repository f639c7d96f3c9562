// law.h - laws of compliant contact: the normal force F >= 0 of a depth d and its rate d'. Pure functions.
//
//     F = max(0, k d^n + c d^m d')                  penalty; damped while it approaches alone, or always  (LAW-1)
//     F = max(0, k d^n (1 + a d'))                  hunt-crossley, lankarani-nikravesh, flores; hertz: a = 0  (LAW-2)
// where d > 0, else 0. With a coefficient of restitution e and the speed v at which the contact closed:
//     a v (1 + e) = ln((1 + a v)/(1 - a e v))       hunt-crossley: exact for every n, k and mass           (LAW-3)
//     a = 3 (1 - e^2)/(4 v),  a = 8 (1 - e)/(5 e v) lankarani-nikravesh, flores                            (LAW-4)
#pragma once

#include "model/contact_data.h"

typedef struct flx_law {
    double k, n;   // force k d^n
    double c, m;   // damping c d^m d' (LAW-1)
    bool approach; // ... while d' > 0 alone
    bool pulls;    // F < 0 is left as it is
    double a;      // (LAW-2) s/m
    double av;     // a v: a is av/v with the speed v of closing; 0: a counts
    double slowest; // lower speeds of closing count as this: what begins at rest has finite damping
} flx_law;

// F and its derivatives.
typedef struct flx_law_force {
    double force, by_depth, by_rate;
} flx_law_force;

// The law of a contact whose stiffness is k; the damping that its restitution asks for, (LAW-3), (LAW-4). mass, weight: of what it
// usually carries; usual: its depth where there is no weight. They say which speeds are slow.
flx_law flx_law_of(const flx_contact *c, double k, double mass, double weight, double usual);
// closing: speed at which it closed; counts where the law reads it. closed: what the switch of a law with a kink
// holds: the branch goes on smoothly beyond its border. Others follow d and read no switch.
flx_law_force flx_law_eval(const flx_law *l, double d, double rate, double closing, bool closed);
// The same behind a spring of compliance R, which stands for what the shapes of flexible bodies leave out:
//     F = F(d - R F, d')                                                                            (LAW-9)
// *stored: what the spring stores, R F^2/2, and the law.
flx_law_force flx_law_eval_behind(const flx_law *l, double R, double d, double rate, double closing,
                                  bool closed, double *stored);
// The same as an equation for the force lambda, an unknown, with its slopes (LAW-11): the depth that the force makes is the
// depth. Its scale does not count among the slopes. acts: lambda is a force; else the row makes it zero. Where a switch says so
// (`held`), `closed` decides.
typedef struct flx_law_row {
    double value, by_depth, by_rate, by_force;
    bool acts;
} flx_law_row;
typedef struct flx_law_point { // what a row is asked for
    double d, rate, lambda;
    double R;       // compliance in series
    double C;       // slope of the depth along the force at a usual one
    double m;       // stiffness of the mass in a usual step, mass/step^2: scales the row, and its misfit where it opens
    double closing; // as above
    bool held, closed;
} flx_law_point;
flx_law_row flx_law_eval_row(const flx_law *l, const flx_law_point *p);
// Whether its depth is a known function of force and rate: damping with a power of the depth beside a spring is none.
bool flx_law_has_inverse(const flx_law *l);
// What is stored by a force lambda, and the part of the force that stores it; read off the force, since the depth of a stiff law
// is lost in the rounding of positions.
double flx_law_stored(const flx_law *l, const flx_law_point *p, double *elastic);
// k d^(n+1)/(n+1): what is stored; the rest of the work is dissipated.
double flx_law_energy(const flx_law *l, double d);
// Whether force or slope jumps where d = 0: then that is an event.
bool flx_law_has_kink(const flx_law *l);
// Whether it depends on the speed of closing.
bool flx_law_reads_closing(const flx_law *l);

// a v of (LAW-3) for 0 < e <= 1, and e of a v >= 0.
double flx_law_damping(double restitution);
double flx_law_restitution(double av);
// Hertz: 4/3 E* sqrt(R*) of two materials, where 1/R* is the curvature.
double flx_law_hertz(const double E[2], const double nu[2], double curvature);
// Duration of an elastic impact of a reduced mass at a speed, force k d^n.
double flx_law_duration(double k, double n, double mass, double speed);
