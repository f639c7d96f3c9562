// contact_memory.h - friction of a compliant contact by a spring with memory: pure functions of one point.
//
// The spring of stiffness k has the stretch s along the tangents, which is a state; u: slip, F: normal force, d: depth.
//     P = k s + c u,  L = f F,  m = min(1, L/|P|),  force against the slip  m P                       (LAW-12)
//     s' = m (b - alpha gamma e) - (1 - m) P/(k tau + c),  e = P/|P|                                  (LAW-13)
//     b = u,  gamma = max(0, b.e - n s.e d'/D)             the stretch at the limit goes with F/k ~ d^n, D = d + tau |d'|
// alpha rises from 0 at |P| = (1 - w) L to 1 at L. By Mindlin k = k0 d^(1/2), c = c0 d^(1/4), n = 1, and while the depth grows the
// force is kept, not the stretch: b = u - s d'/(2 D).
#pragma once

#include <stdbool.h>

typedef struct flx_stretch_law {
    double k, c; // stiffness, damping; by Mindlin k0, c0
    bool mindlin;
    double exponent; // of the normal force: F ~ d^exponent
    double friction; // coefficient f
    double tau;      // time in which what is beyond the limit goes
} flx_stretch_law;

enum { FLX_STRETCH_INPUTS = 7 }; // of its derivatives: s_1, s_2, u_1, u_2, F, d, d'

typedef struct flx_stretch {
    double force[2], rate[2]; // m P, s'
    double force_by[2][FLX_STRETCH_INPUTS], rate_by[2][FLX_STRETCH_INPUTS];
    double stored, stored_rate; // k s^2/2
    bool slides;
} flx_stretch;

// depth_rate: d'. Open where F or d is not positive: no force, and the stretch goes.
flx_stretch flx_stretch_eval(const flx_stretch_law *l, const double s[2], const double u[2],
                             double F, double d, double depth_rate);
