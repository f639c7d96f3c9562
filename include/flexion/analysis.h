// flexion/analysis.h - what can be asked of a system besides a run: a consistent start, the rank
// of its constraints.
#pragma once

#include "flexion/system.h"

#ifdef __cplusplus
extern "C" {
#endif

// Make a state consistent on position, velocity and acceleration level (theory/start.md): least
// change of the given positions and velocities in the metric of the mass, then a, lam, mu, w.
// weight (nv) or NULL: larger numbers hold a coordinate firmer (1 = as the mass says).
typedef struct flx_start_report {
    double moved_q, moved_v;       // largest scaled change
    int item_q, item_v;            // unknown that changed most
    double residual_q, residual_v; // largest residual left
    int iterations;
} flx_start_report;
FLX_API flx_status flx_start_positions(const flx_system *s, flx_state *x, const double *weight,
                                       flx_start_report *report);
FLX_API flx_status flx_start_velocities(const flx_system *s, flx_state *x, const double *weight,
                                        flx_start_report *report);
FLX_API flx_status flx_start_accelerations(const flx_system *s, flx_state *x);

// Rank of the bonds at the given consistent state and at two displaced ones. Rows are numbered as
// the bonds, then the velocity bonds.
typedef struct flx_rank_report {
    int nredundant; // rows dependent at all three positions
    int *redundant; // owned; rows, ascending
    int nsingular;  // rows dependent at the start only: a singular position
    int *singular;  // owned
    int freedoms;   // nv - rank(G) - rank(A), at a regular position
} flx_rank_report;
FLX_API flx_status flx_rank_bonds(const flx_system *s, const flx_state *x, flx_rank_report *report);
FLX_API void flx_rank_report_clear(flx_rank_report *report);

#ifdef __cplusplus
}
#endif
