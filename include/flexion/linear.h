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
    // Outputs of the system that are taken as the state instead (STATE-4); 0: coordinates that constraints leave free.
    // What they do not see must not act on what they see.
    int nstate;
    const int *states;
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
    FLX_STATE_SIGNAL, // an output of the system
} flx_state_kind;
typedef struct flx_state_info {
    flx_state_kind kind;
    int unknown; // its number among the unknowns of flx_run_view: of v, or of x; of a signal: the output
    const char *item,
        *part; // "rod", "x"; of a signal its name and ""; they live as long as the run
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

// ---- what a linear model says (docs/theory/linear_model.md) -----------------------------------------

// A mode is reached by an input where |l^H b| / (|l| |b|), and seen by an output where |c r| / (|c| |r|), is above this.
#define FLX_LINEAR_NOT_REACHED 1e-9

typedef struct flx_linear_modes {
    int n, nin, nout;
    double *re, *im;             // (n) s in 1/s, the slowest first; of a pair im > 0 first
    double *frequency, *damping; // (n) |s| / (2 pi) in Hz; -re / |s|, of s = 0 it is 0
    double *right_re, *right_im; // (n x n) by rows: r of mode i, length 1
    double *left_re, *left_im;   // l of mode i, length 1
    double *reach, *sight;       // (n x nin) (n x nout) from 0 to 1
    double *reach_all,
        *sight_all; // (n) by all inputs, of all outputs: where eigenvalues are the same the least of any combination
    void *memory; // owned
} flx_linear_modes;
// The modes of a linear model, and how well inputs reach and outputs see each of them.
FLX_API flx_status flx_linear_find_modes(flx_ctx *ctx, const flx_linear_model *model,
                                         flx_linear_modes *out);
FLX_API void flx_linear_modes_clear(flx_linear_modes *modes);
// Modes that are not reached by any input, or not seen by any output, and do not decay.
FLX_API int flx_linear_is_stabilisable(const flx_linear_modes *modes);
FLX_API int flx_linear_is_detectable(const flx_linear_modes *modes);
// Zeros: the poles when inputs are such that outputs stay as they are (STATE-5). inputs, outputs: n numbers of the model's,
// or NULL for all where there are as many of both. re, im (model->n + 2 nin at most), *nzero
// of them, by their real parts.
// FLX_SINGULAR: the outputs do not determine the inputs, which the message names.
FLX_API flx_status flx_linear_find_zeros(flx_ctx *ctx, const flx_linear_model *model, int n,
                                         const int *inputs, const int *outputs, int *nzero,
                                         double *re, double *im);

// Gramians (n x n): A Wc + Wc A^T + B B^T = 0, A^T Wo + Wo A + C^T C = 0; NULL: not wanted. FLX_ERR_CANNOT: a mode does not
// decay.
FLX_API flx_status flx_linear_find_gramians(flx_ctx *ctx, const flx_linear_model *model,
                                            double *reach, double *sight);

// y over u at s = i w (nw, rad/s): re, im (nw x nout x nin). FLX_SINGULAR: i w is a pole.
FLX_API flx_status flx_linear_respond(flx_ctx *ctx, const flx_linear_model *model, int nw,
                                      const double *w, double *re, double *im);

// The same of a run about its state, on its equations as they stand (FRQ-1): nothing is reduced, and the run may be large.
// Where it moves steadily, frequencies are those in axes that rotate with it.
FLX_API flx_status flx_run_frequency(flx_run *run, const flx_io *io, int nw, const double *w,
                                     double *re, double *im);

// y (nt x nout) at t = 0, dt, 2 dt, ... when one input becomes 1 at t = 0 (impulse 0), or has the integral 1 there
// (impulse 1; what jumps of the input do to the output at once is left out).
FLX_API flx_status flx_linear_course(flx_ctx *ctx, const flx_linear_model *model, int input,
                                     int impulse, int nt, double dt, double *y);

// out (nof): how fast the outputs `of` change when the inputs `by` (nby) change along seed (nby) at once, with positions,
// velocities and states as they are. FLX_ERR_CANNOT: an input moves a joint.
FLX_API flx_status flx_run_directional(flx_run *run, int nof, const int *of, int nby, const int *by,
                                       const double *seed, double *out);

#ifdef __cplusplus
}
#endif
