// flexion/analysis.h - what can be asked of a system besides a run: a consistent start, the rank
// of its constraints, an equilibrium, load paths, buckling, modes.
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

// Rank of the constraints at the given consistent state and at two displaced ones. Rows are numbered as
// the constraints, then the velocity-level constraints.
typedef struct flx_rank_report {
    int nredundant; // rows dependent at all three positions
    int *redundant; // owned; rows, ascending
    int nsingular;  // rows dependent at the start only: a singular position
    int *singular;  // owned
    int nblocking; // rows that follow from others wherever they all hold, and beside it do not: they hold
                   // something to second order only, with reactions without bound
    int *blocking; // owned
    double
        weakest; // the largest share of a redundant row that is its own; the accuracy of the geometry
    int freedoms; // nv - rank(G) - rank(A), at a regular position
} flx_rank_report;
FLX_API flx_status flx_rank_constraints(const flx_system *s, const flx_state *x,
                                        flx_rank_report *report);
FLX_API void flx_rank_report_clear(flx_rank_report *report);

// Which positions can be reached by motions that velocity-level constraints allow (theory/reach.md): those that close to
// constraints of positions take positions away, the others velocities alone. All zero: there are no velocity-level constraints.
typedef struct flx_reach_row {
    char name[96]; // "roll (slip x)"
    int alone;     // 1: this row by itself; 0: together with others of the list
} flx_reach_row;
typedef struct flx_reach {
    int positions;  // that constraints of positions leave free
    int velocities; // that all constraints leave free
    int brackets
        [2]; // directions that they reach with brackets of two, and of three of them, at the state
    int reachable;       // positions that motions reach
    int hidden;          // independent velocity-level constraints that are constraints of positions
    int nrow;            // velocity-level constraints in them
    flx_reach_row *rows; // owned
    const char *unknown; // why brackets, reachable and hidden are not known; NULL: they are
} flx_reach;
// redundant: how many rows are dependent everywhere (flx_rank_report); of these the last ones are left out.
FLX_API flx_status flx_reach_find(const flx_system *s, const flx_state *x, int redundant,
                                  flx_reach *out);
FLX_API void flx_reach_clear(flx_reach *r);

// Modes: motions theta e^(s t) of the equations linearised about a state (theory/modes.md), which is
// at rest or in steady motion. Rigid constraints, holonomic or not, are met; massless directions and
// algebraic unknowns are eliminated.
typedef struct flx_mode_part {
    const char *item, *part; // of the unknown; borrowed from the system
    double size, phase;      // amplitude over the unknown's scale, the largest 1; radians
} flx_mode_part;
#define FLX_MODE_PARTS 4
#define FLX_MODE_PROVEN 1e-3 // residual; what leaves more may be a zero that rounding has spread
typedef struct flx_mode {
    double re, im;    // s in 1/s; a pair counts once, im >= 0
    double frequency; // |im| / (2 pi), Hz
    double damping;   // -re / |s|, from -1 to 1
    double residual;  // of the equations: forces left over as a part of the largest there are
    double *shape;    // (2 nshape) real parts, then imaginary ones: theta and x, largest scaled 1
    int npart;        // unknowns that move most
    flx_mode_part parts[FLX_MODE_PARTS];
} flx_mode;
#define FLX_MODES_SLOWEST 20 // of a large system, where no number is given
// How it is known that no mode is missing.
typedef enum flx_modes_count {
    FLX_MODES_NOT_COUNTED,
    FLX_MODES_ALL,   // every eigenvalue was found: their number is known
    FLX_MODES_BELOW, // those with frequencies below a bound were counted by the signs of pivots
} flx_modes_count;
typedef struct flx_modes {
    int nmode;
    flx_mode *modes; // by |s|, the slowest first
    int nneutral;    // eigenvalues s = 0, not among the modes: free directions and speeds
    double within;   // ... |s| of any of them would be below this, by the rounding of the stiffness
    int nhidden;     // eigenvalues too slow to be told from zero by rounding, not among the modes
    double hidden;   // ... |s| below this
    int total;       // eigenvalues in all, both of a pair and zero; not counted: at most so many
    flx_modes_count counted;
    double bound;     // FLX_MODES_BELOW: Hz
    double unbalance; // at rest: forces not in balance, in parts of their rounding
    int nshape;       // nv + nx
    double *scale;    // (nshape) of the unknowns
    void *memory;     // owned
} flx_modes;
// turn (nv x nv, column-major) or NULL for zero: theta' = u - turn theta, in axes in which the
// coefficients are constant. count: at most so many; 0: all, of a large system FLX_MODES_SLOWEST. FLX_SINGULAR names a direction that
// nothing determines.
FLX_API flx_status flx_modes_find(const flx_system *s, const flx_state *x, const double *turn,
                                  int count, flx_modes *out);
FLX_API void flx_modes_clear(flx_modes *m);

// An equilibrium near x (theory/modes.md): forces in balance at v = 0, x' = 0, with the constraints of
// positions closed at the time of the state. Downhill first, so that the nearest stable position is
// found where there is one.
typedef struct flx_equilibrium_report {
    int iterations;
    // Largest force out of balance, as a part of the forces there are; where these cancel in every coordinate, of those
    // that the stiffness makes of a move by the size of the model.
    double residual;
    double moved; // largest scaled change of a coordinate
    int item;     // unknown that moved most
} flx_equilibrium_report;
FLX_API flx_status flx_equilibrium_find(const flx_system *s, flx_state *x,
                                        flx_equilibrium_report *report);

// A path of equilibria, along which a load factor grows (theory/statics.md). The factor is one of
// the system's parameters; where arc_length is set it is an unknown, and may turn back. Singular
// points of the tangent are found on the way.
typedef struct flx_path_def {
    double *factor;       // among the numbers that the system's param points to; borrowed
    double from, to;      // of it; not the same
    int steps, max_steps; // at least, at most
    int arc_length;
    int branch; // bifurcation (from 1) at which the path is left along its branch; 0: none
    int nfactor;
    const double
        *factors; // (nfactor) the path has a position at each of them that it meets; borrowed
} flx_path_def;
typedef struct flx_critical {
    double factor;
    int limit;     // 1: the load factor turns back; 0: a branch leaves the path
    flx_mode mode; // parts of the singular direction alone
} flx_critical;
#define FLX_PATH_CRITICALS 16
typedef struct flx_path_report {
    int steps, rejected, iterations;
    double factor, length; // reached; of the path, in scaled coordinates
    int arrived;           // at `to`
    int ncritical;
    flx_critical critical[FLX_PATH_CRITICALS]; // the first so many
} flx_path_report;
// Called at every position of the path, the first included; anything but FLX_OK ends it.
typedef flx_status (*flx_path_callback)(void *user, const flx_state *x, double factor,
                                        double length);
// x: from where the first position is sought, then the last one found. The factor is left as it is there.
FLX_API flx_status flx_path_follow(const flx_system *s, flx_state *x, const flx_path_def *def,
                                   flx_path_callback row, void *user, flx_path_report *report);

// Load factors f at which the equilibrium is lost, by the equilibrium without the loads and two with
// some of them: (K(0) + f K1 + f^2 K2) phi = 0.
typedef struct flx_buckling {
    int n;
    double *factors; // (n) the nearest to zero first
    flx_mode *modes; // (n) parts alone
    double step;     // the factor of the last of them
    int elsewhere;   // factors left out, since the equilibrium under them is not near being lost
    void *memory;    // owned
} flx_buckling;
// x: at rest without the loads, near it before. FLX_NO_CONVERGENCE where there is no rest under them.
FLX_API flx_status flx_buckling_find(const flx_system *s, flx_state *x, double *factor, int count,
                                     flx_buckling *out);
FLX_API void flx_buckling_clear(flx_buckling *b);

#ifdef __cplusplus
}
#endif
