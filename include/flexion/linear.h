// flexion/linear.h - a run linearised about its state: what its state and its outputs do when inputs change a little.
//
//     z' = rate + A z + B u,   y = C z + D u + D1 u' + D2 u''                        (STATE-1)
//
// with u and y as differences from what they are. z are changes of coordinates that constraints leave free, of their
// velocities, and of first-order states. docs/theory/linear_model.md has the equations.
#pragma once

#include "flexion/run.h"

#ifdef __cplusplus
extern "C" {
#endif

// Numbers of the system: flx_system_input, flx_system_output.
typedef struct flx_io {
    int nin, nout;
    const int *inputs, *outputs;
} flx_io;

// Begin with flx_linear_def_default(), which sets size.
typedef struct flx_linear_def {
    size_t size;
    int closed; // non-zero: an input keeps its expression, and u is added; 0: the loop is cut there
} flx_linear_def;
static inline flx_linear_def flx_linear_def_default(void)
{
    flx_linear_def def;
    memset(&def, 0, sizeof def);
    def.size = sizeof def;
    return def;
}

typedef enum flx_state_kind {
    FLX_STATE_POSITION,
    FLX_STATE_VELOCITY,
    FLX_STATE_FIRST_ORDER,
} flx_state_kind;
typedef struct flx_state_info {
    flx_state_kind kind;
    int unknown;             // its number among the unknowns of flx_run_view: of v, or of x
    const char *item, *part; // "rod", "x"; they live as long as the run
} flx_state_info;

typedef struct flx_linear_model {
    int n, nin, nout;
    double *A, *B, *C, *D;  // (n x n) (n x nin) (nout x n) (nout x nin), by rows
    double *D1, *D2;        // (nout x nin); NULL: outputs do not contain rates of the inputs
    double *rate;           // (n) zero where the run is in equilibrium
    flx_state_info *states; // (n)
    void *memory;           // owned
} flx_linear_model;

// About the state of the run, which stays as it is. Where it moves, the coefficients are those of an instant. A warning
// says where a function has a corner there. FLX_ERR_CANNOT: inertia is neglected; FLX_SINGULAR: accelerations do not follow
// from forces, or constraints depend on each other there. def NULL: the default.
FLX_API flx_status flx_run_linearise(flx_run *run, const flx_io *io, const flx_linear_def *def,
                                     flx_linear_model *out);
FLX_API void flx_linear_model_clear(flx_linear_model *model);

// out (nof): how fast the outputs `of` change when the inputs `by` (nby) change along seed (nby) at once, with positions,
// velocities and states as they are. FLX_ERR_CANNOT: an input moves a joint.
FLX_API flx_status flx_run_directional(flx_run *run, int nof, const int *of, int nby, const int *by,
                                       const double *seed, double *out);

#ifdef __cplusplus
}
#endif
