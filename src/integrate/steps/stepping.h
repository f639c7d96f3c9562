// stepping.h - contacts that are met step by step: the cone problem of a step (math/cone/cone.h) out of the rows of joints and
// the points that touch, and what is kept of it for the next one.
#pragma once

#include "base/checkpoint_walk.h"
#include "flexion/extend/method_table.h"
#include "math/cone/cone.h"

typedef struct flx_touch_memory { // of a point, for the next step
    uint64_t pair, feature;
    double lam[3];
    double slides; // 0: it stuck
} flx_touch_memory;

typedef struct flx_stepping {
    const flx_system *s;             // borrowed
    flx_cone *cone;                  // owned
    double length;                   // of the mechanism
    double h;                        // of the step at hand
    double rest;                     // rate of a rebound that is none; 0: not given
    int nvblock;                     // blocks of velocities
    int nrow;                        // rows of joints: constraints, velocity-level constraints
    double *sigma, *tau, *C, *scale; // (nrow) owned; C: E of the latter
    double *joint;                   // (nrow) owned: impulses of the last step
    double *b, *compliance;          // (nrow) owned: of the problem at hand
    double *rate;                    // (nrow) owned: scratch
    double *values;                  // (numbers of the pattern) owned: the matrix
    double *row;                     // owned: scratch for rows
    int room_row;
    int npoint; // points of the problem at hand
    const flx_touch_point *points;
    int nmemory, room_memory, nnext, room_next;
    flx_touch_memory *memory,
        *next;              // owned: of the last problem and of this one, in the order of the list
    int ngroup;             // of the problem at hand
    int *group, room_group; // (npoint) owned: group of a point; -1: it takes no part
    double *limit;          // (npoint) owned: coefficient of friction that a point had
    int room_limit;
    long iterations, unsolved;
    double worst;   // residual of the law since it was told
    double overlap; // deepest that was left since then
    bool warned, warned_gain;
    bool looked; // at the start, whether bodies are inside each other
} flx_stepping;

// Arrays of a method, one after another in one block that the method owns.
typedef struct flx_stepping_part {
    double **at;
    size_t n;
} flx_stepping_part;
flx_status flx_stepping_parts(flx_ctx *ctx, int n, const flx_stepping_part *parts, double **block);

// Refuses what methods of steps do not take.
flx_status flx_stepping_check(flx_integrator *it);
flx_status flx_stepping_create(flx_integrator *it, flx_stepping **t);
void flx_stepping_destroy(flx_stepping **t);
// The state and the impulses that the next step begins with.
void flx_stepping_memory(flx_stepping *t, flx_memory *m);

// Rows sigma, tau, C as they are now.
void flx_stepping_read_rows(flx_stepping *t, const double *switches);
// The points with a gap below reach at p.
flx_status flx_stepping_find(flx_stepping *t, flx_work *w, const flx_point *p, double reach);
// Refuses a start p where bodies are inside each other; the first time alone.
flx_status flx_stepping_look(flx_stepping *t, flx_work *w, const flx_point *p);
// c2 A2 + c1 A1 + c0 A0 of the velocities as the matrix of the problem; rhs (nv) <- matrix^-1 rhs.
flx_status flx_stepping_begin(flx_stepping *t, const flx_blocks *blocks, double c2, double c1,
                              double c0);
flx_status flx_stepping_free_motion(flx_stepping *t, double *rhs);
// The rows of joints, with t->b and t->compliance; positions: only constraints on positions.
flx_status flx_stepping_add_joints(flx_stepping *t, const flx_blocks *blocks, bool positions);
// rows times free (nv), added to t->b.
void flx_stepping_add_free(flx_stepping *t, const flx_blocks *blocks, const double *free);
// A point with b; v: with friction and the impulses of the last step, where v are the velocities before the step; NULL: its
// normal row alone. A point that the last step did not have sticks up to the limit of sticking if it does not slide with v.
flx_status flx_stepping_add_point(flx_stepping *t, int point, const double *b, const double *v);
// ... with friction and no guess; slip: it slides along this direction, whatever u is; NULL: it may stick.
flx_status flx_stepping_add_sliding(flx_stepping *t, int point, const double *b,
                                    const double *slip);
// ... whose gap is closed in any case.
flx_status flx_stepping_hold_point(flx_stepping *t, int point, double gap);
// v (nv) out.
flx_status flx_stepping_solve(flx_stepping *t, bool warm, double *v);
const double *flx_stepping_impulse(const flx_stepping *t, int point); // NULL: it takes no part
// Multipliers of joints: factor times the impulses, in their place or added to them.
void flx_stepping_take_joints(flx_stepping *t, double factor, double *lam, double *mu, bool add);
// The restitution of a point whose gap closes at a rate < 0: none where the rebound would be slower than rest_velocity.
double flx_stepping_restitution(const flx_stepping *t, int point, double rate);
// Whether the point pressed in the last problem that was kept.
bool flx_stepping_presses(const flx_stepping *t, int point);
// Power of the forces of the points at the velocities v.
double flx_stepping_power(const flx_stepping *t, const double *v);
// out (1 + ntangent): rows of a point times v.
void flx_stepping_rates(const flx_stepping *t, int point, const double *v, double out[3]);
// ... its normal row, the sizes of what the bodies add to it: two that fall together have a rate of zero, but not this.
double flx_stepping_normal_size(const flx_stepping *t, int point, const double *v);
// Energy that the impulses of the points take from velocities v before and v1 after.
double flx_stepping_lost(const flx_stepping *t, const double *v, const double *v1);
// ... with points that hit, at a time: it warns once where they give energy.
double flx_stepping_lost_in_impact(flx_stepping *t, double time, const double *v, const double *v1);
// Work that the impulses of rigid joints do on velocities v before and v1 after, which is what drives them supplies; energy that
// those of compliant ones take is added to *lost. (STP-2)
double flx_stepping_work_of_joints(flx_stepping *t, const flx_blocks *blocks, const double *v,
                                   const double *v1, double *lost);
// What the state keeps of contacts (FLX_TOUCH_VALUE ...), from the impulses of the problem at hand times factor; impact: impulses
// of points that hit alone, into their sums. v: velocities after it.
void flx_stepping_begin_tally(const flx_stepping *t, double *switches);
void flx_stepping_tally(const flx_stepping *t, double factor, const double *v, double *switches);
void flx_stepping_tally_impact(const flx_stepping *t, int point, double *switches);
// What was found since the last time, into the statistics of the run.
void flx_stepping_tell_work(flx_stepping *t, flx_statistics *work);
// Slip that counts as none at velocities v.
double flx_stepping_slow(const flx_stepping *t, const double *v);
// What the points of this problem were is known to the next; v: velocities after it.
flx_status flx_stepping_keep(flx_stepping *t, const double *v);
