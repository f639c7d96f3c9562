// flexion/study.h - one model by several methods with several steps or tolerances: errors against a
// reference, observed orders, work. What `flexion convergence` and `flexion work-precision` do.
#pragma once

#include "flexion/methods.h"
#include "flexion/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct flx_study_def {
    int nmethod;
    const char *const *methods; // words of flx_method_read
    // One of the two: fixed steps, or relative tolerances.
    int nstep, ntolerance;
    const double *steps, *tolerances;
    flx_formulation formulation; // of methods whose word names none; AUTO: the method's own
    // What is compared, each of these words for itself: positions, velocities, states, multipliers,
    // or signals of the model's outputs. None: positions and velocities, or states.
    int nsignal;
    const char *const *signals;
    const char *reference; // a result (HDF5 or CSV) that holds the signals; NULL: computed
    double until;          // 0: the model's
    long max_steps;        // of a run; more is a failure. 0: as the model says
    int repeats; // timed runs of each row, in turns; the shortest counts. 0: one, < 0: none
} flx_study_def;

// One method with one step or tolerance.
typedef struct flx_study_row {
    int method;         // of the definition
    double value;       // step or tolerance
    flx_status status;  // how the run ended
    const char *reason; // why it failed; "" when it did not
    // (groups) largest error of the group, as a part of its largest value in the reference: at the
    // end; over all output times that are ends of steps, or inside steps of adaptive methods. NaN:
    // not reached.
    const double *at_end, *largest;
    flx_statistics work;
    double seconds;
} flx_study_row;

typedef struct flx_study flx_study;

// A run that fails is a row with its reason; a wrong word, or a reference that cannot be had, ends
// the study. progress may be NULL: called with rows done and rows in all, non-zero stops the study
// (FLX_INTERRUPTED).
FLX_API flx_status flx_study_run(const flx_model *model, const flx_study_def *def,
                                 int (*progress)(void *user, int done, int all), void *user,
                                 flx_study **study);
FLX_API void flx_study_destroy(flx_study **study);
// The rows, and the groups of numbers whose errors they tell: positions, velocities, or the signals asked for.
FLX_API int flx_study_rows(const flx_study *s);
FLX_API const flx_study_row *flx_study_get(const flx_study *s, int i);
FLX_API int flx_study_groups(const flx_study *s);
FLX_API const char *flx_study_group(const flx_study *s, int i);
// "radau(stages=5), rtol 1e-12", or the file; how far a second reference of ten times the tolerance
// is from the first, as a part of the largest value (0 for a file).
FLX_API const char *flx_study_reference(const flx_study *s);
FLX_API double flx_study_reference_error(const flx_study *s, int group);
// Slope of log error over log value of a method's rows, where the error is above what the reference
// is good for and below a third; NaN: fewer than two of them.
FLX_API double flx_study_order(const flx_study *s, int method, int group, int largest);

// The rows as a table with a header; "-" is the standard output.
FLX_API flx_status flx_study_write(const flx_study *s, const char *path);

#ifdef __cplusplus
}
#endif
