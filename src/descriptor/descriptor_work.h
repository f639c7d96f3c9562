// descriptor_work.h - scratch of the descriptor system, and the factors that it keeps.
#pragma once

#include "descriptor/term.h"
#include "descriptor/terms/terms.h"
#include "joint/joint.h"
#include "math/index1.h"
#include "math/ldl/ldl.h"
#include "math/lu.h"
#include "system/twin.h"

// [M G^T A^T; G; A] with its factors, for accelerations, projections and reactions.
typedef struct flx_saddle_work {
    flx_ldl *ldl;         // owned
    flx_lu *lu;           // owned; only where a body has no mass
    flx_index1 *together; // owned; only where forces read multipliers
    bool by_lu;           // the present factors are those of lu
    double factored;      // time of the factors; not a number: there are none
    double regularity;    // of the last accelerations, see flx_explicit
    bool probed;          // scaled, and the masses found sufficient
    double *A0, *A1, *A2; // owned; A1 only where there are algebraic unknowns
    double *rhs, *tmp;    // (n), (2 n)
    double *states;       // (groups) of rows that hold or not, at the factors
} flx_saddle_work;

struct flx_descriptor_work {
    flx_work base;
    flx_frames frames;
    double *leaves, *out, *scratch; // of the expressions
    bool held;                      // the point is that of the last one (flx_eval_hold)
    unsigned known;                 // groups whose outputs are those of the point that is held
    double *rows;                   // (nlam + nmu)
    double *r, *zero;               // (n): a residual, zeros
    double *force;                  // (n + rows of attached frames) zeros between uses
    double *read;                   // of the reactions that are read
    double *own[FLX_N_TERMS];       // of each term
    double *gravity;                // (3) times a load factor
    struct {                        // of attached frames
        bool placed;                // for q and v:
        double *q;                  // (nq)
        double *v, *a, *r;     // (n + rows of attached frames): velocities, accelerations, rows
        double *dv, *da;       // the same, zero but for attached frames: slopes of v and v'
        double *J, *Jv, *bias; // of each
        double *Jf;            // J of forces; J itself where none is pushed
        double *A0, *A1;       // (nvalue)
        double *scratch;       // (2 most^2)
        flx_point point;       // as kernels see it
    } attached;
    double *tangent;        // zeros between uses, on the pattern; where reactions are read
    double *block;          // owned; all of the above
    flx_saddle_work saddle; // made when first needed
    flx_twin twin;          // for slopes by parameters
    struct flx_descriptor_work *complete; // owned; of the complete system; made when first needed
    double *lam;                          // (7 x rows of the complete system)
    double *truth;                        // (2 nevent) conditions of events, before and after
    // At an instant, of the model's switches: value, rate and switch as they were, and the side to
    // which those go that were found to change; not a number: unknown, not found.
    double *border, *rate, *was, *side;
    double *switches;               // (nswitch) as they would be
    double *angle_leaves, *angles;  // for outputs: leaves and values of angles without turns
    bool told_end;                  // that a point ran off its curve
    bool told_passage;              // that a step is too long for a contact
    struct flx_touch_list *touches; // owned; NULL: no contacts are met step by step
};

static inline flx_descriptor_work *flx_descriptor_work_of(flx_work *w)
{
    return (flx_descriptor_work *)w;
}
