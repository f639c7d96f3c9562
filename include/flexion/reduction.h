// flexion/reduction.h - how well the shapes of a flexible body stand for its finite elements: errors of the responses at its
// interfaces over a band of frequencies, free and with interfaces held, measured against a model of the whole body whose own
// error is estimated and proved. Theory: docs/theory/body_reduction.md.
#pragma once

#include "flexion/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct flx_model flx_model;
typedef struct flx_reduction flx_reduction;

// Which interfaces are held, and the errors then.
typedef struct flx_reduction_condition {
    const char *name;
    double error, at;       // the largest relative error of the responses, and at how many Hz
    double estimate, proof; // of the model that it is measured against, the largest
    const double *errors;   // (report.nhz) the course over frequency
} flx_reduction_condition;

typedef struct flx_reduction_report {
    const char *body; // its name
    const char *type; // of the basis, as in the model language
    const char *interfaces;
    int unknowns, shapes, ports;
    double from, to;          // Hz
    double tolerance;         // 0: none was asked for
    int met;                  // ... and is met
    double loss, alpha, beta; // damping of the responses
    int assumed;              // the model gives no damping: the loss factor is our choice
    int ncondition;
    const flx_reduction_condition *conditions;
    int nhz;
    const double *hz; // of the courses
    int modes;        // in the band, known
    int counted;      // by the count of pivots; -1: not counted
    // the model of the whole body: how many vectors, and how exact it is
    int vectors, factorisations, solutions, counts;
    double known, proved;
    int nfewer; // what fewer shapes would leave
    int fewer[3];
    double fewer_error[3];
    double highest;  // Hz, of the shapes by themselves
    int above;       // shapes above the band
    int other;       // there is damping that is not in proportion: nothing is proved then, but
    int checked;     // so many frequencies were solved directly
    int centrifugal; // static shapes of centrifugal forces that were added, beside `shapes`
} flx_reduction_report;

typedef struct flx_reduction_def {
    const char *type; // of the basis; NULL: that of the model
    double from,
        to; // Hz, where errors are measured; to = 0: that of the model. Shapes of the model that are made for a band stay
            // those of their own, unless a type, a tolerance or shapes are given, too
    double tolerance;     // 0: that of the model, or 1e-3
    int shapes;           // 0: by the tolerance
    int compare;          // also find how many shapes every basis needs
    int ndirect;          // responses at these frequencies are also found by direct solutions,
    const double *direct; // Hz, one complex factorisation each
} flx_reduction_def;

// The report of flexible body i of a model, by its own basis; NULL: its basis has no error by itself.
FLX_API const flx_reduction_report *flx_model_elastic_report(const flx_model *model, int i);

// Reduce a body of the model again and measure it. body NULL: the first flexible one that is made of finite elements.
// FLX_ERR_ARGUMENT: there is no such body, or no frequency is given. The model is not changed.
FLX_API flx_status flx_reduction_create(flx_model *model, const char *body,
                                        const flx_reduction_def *def, flx_reduction **out);
// How many threads of this process factor the matrices of a structure, from here on: 1 until it is said, at most 64. What is
// computed does not depend on it, bit for bit. Some processors (without AVX2) use one in any case.
FLX_API void flx_reduction_threads(int threads);
FLX_API void flx_reduction_destroy(flx_reduction **r);
FLX_API const flx_reduction_report *flx_reduction_get_report(const flx_reduction *r);
// Responses at the ports, which are the components of the interfaces: H (count, ports, ports, 2), of the whole body or
// of its shapes; held: interfaces that are held, as in "hub, tip", or the name of a condition ("free": what
// the body deforms alone); NULL: free, with the rigid motion. Rows and columns of ports that are held are zero; where all are held they are the forces by unit motions.
// Frequencies are positive.
#define FLX_RESPONSE_SHAPES 0
#define FLX_RESPONSE_WHOLE 1
#define FLX_RESPONSE_DIRECT 2 // by direct solutions, at frequencies of the definition
FLX_API flx_status flx_reduction_response(const flx_reduction *r, int full, int count,
                                          const double *hz, const char *held, double *H);
// Estimated relative errors of those of the whole body, of all ports together (count).
FLX_API flx_status flx_reduction_estimate(const flx_reduction *r, int count, const double *hz,
                                          const char *held, double *estimate);
// Port i, such as "tip.z"; NULL when out of range.
FLX_API const char *flx_reduction_port(const flx_reduction *r, int i);

// Of a comparison: the bases, and the largest error of some numbers of shapes.
typedef struct flx_reduction_basis {
    const char *name;
    int count;
    const int *shapes;    // (count) ascending
    const double *errors; // (count) the worst of all conditions
} flx_reduction_basis;
// 0: there is no basis i.
FLX_API int flx_reduction_compared(const flx_reduction *r, int i, flx_reduction_basis *out);

// The number of ports.
FLX_API int flx_reduction_ports(const flx_reduction *r);

// ---- linear systems -------------------------------------------------------------------------------

// x' = A x + B u, y = C x; matrices by columns.
typedef struct flx_plant {
    int n, inputs, outputs;
    const double *A, *B, *C; // (n, n), (n, inputs), (outputs, n)
} flx_plant;
typedef struct flx_plant_report {
    double h2, hinf, at; // norms, and the angular frequency of the largest gain
    double *hankel;      // (n) singular values, descending; NULL: not wanted
    double *poles;       // (2 n) real parts, then imaginary parts; NULL: not wanted
} flx_plant_report;
// H (count, outputs, inputs, 2) at angular frequencies. FLX_ERR_ARGUMENT: one is a pole.
FLX_API flx_status flx_plant_response(flx_ctx *ctx, const flx_plant *s, int count, const double *w,
                                      double *H);
// FLX_ERR_ARGUMENT: a pole does not decay.
FLX_API flx_status flx_plant_norms(flx_ctx *ctx, const flx_plant *s, flx_plant_report *out);
// Balanced truncation: A (states, states), B (states, inputs), C (outputs, states); bound (may be NULL) of the largest gain of
// the error.
FLX_API flx_status flx_plant_balance(flx_ctx *ctx, const flx_plant *s, int states, double *A,
                                     double *B, double *C, double *bound);
// Gramian of the inputs (n, n) and norm H2 (may be NULL) between two angular frequencies.
FLX_API flx_status flx_plant_band_gramian(flx_ctx *ctx, const flx_plant *s, double from, double to,
                                          double *P, double *h2);

// The body as such a system, of the Ritz model of the whole body or of its shapes, from forces at its ports to motions of them;
// held as above, NULL: free, without its rigid motion. A loss factor is viscous damping that is right at the resonances of the
// body so held. B and C of ports that are held are zero. The matrices live as long as the reduction.
FLX_API flx_status flx_reduction_plant(flx_reduction *r, int full, const char *held,
                                       flx_plant *out);

#ifdef __cplusplus
}
#endif
