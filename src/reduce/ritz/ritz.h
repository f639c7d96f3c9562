// ritz.h - a body at its ports by block Lanczos from the loads, with a certificate. Theory: docs/theory/body_reduction.md.
//
// N = K + sigma M is factored once; K^+ B begins, N^-1 M continues, all blocks are kept and made into Ritz vectors Q with
// Q^T M Q = 1, Q^T K Q = L. The error of its responses is quadratic in the residual R = B - A Q x:
//
//     H - H_Q = R^T A^-1 R,   |H - H_Q|_F <= g |S|_F,   S = R^H N^-1 R                             (RED-5)
//     S = Gbb - b^T c - c^H b + Gbm d + d^H Gbm^T + c^H (L + sigma) c - c^H d - d^H c + d^H Gmm d  (RED-6)
//     x = (p (L + sigma) - q)^-1 b,  q = w^2 - i w alpha + p sigma,  c = p x,  d = q x
//     g = max of (lambda + sigma)/|p (lambda + sigma) - q|                                        (RED-7)
// over lambda >= lambda_1 for the proof. The estimate is right where all modes of the band are among the Ritz vectors: they
// are counted. Then the residual lies in modes behind the band, lambda >= lambda_b, and a second moment tells how near:
//
//     S' = R^H N^-1 M N^-1 R,   |H - H_Q|_F <= |S - m S'|_F/|p| + g_b |m S'|_F,   m = lambda_b + sigma   (RED-16)
// since 1/|p - q t| is convex in t = 1/(lambda + sigma), and below the line between its values at 0 and at 1/m.
#pragma once

#include "reduce/ritz/ports.h"
#include "reduce/shapes_parts.h"

// Damping that is not in proportion, E: imaginary stiffness or dashpots, in Ritz vectors.
typedef struct flx_ritz_losses {
    int count;
    bool viscous[2];        // times i w, else i
    const double *small[2]; // (m, m) Q^T E Q: those of the port model
    double *GE, *GM,
        *GB; // (count m, count m), (m, count m), (p, count m): E Q, M Q and B with N^-1 E Q
} flx_ritz_losses;
void flx_ritz_losses_clear(flx_ritz_losses *o);

typedef struct flx_ritz {
    const flx_shape_search *q;
    flx_ports ports;
    flx_port_conditions conditions;
    flx_port_grid grid;
    flx_damping damping;
    double from, to;
    int m;
    double *Q;            // (m, n) Ritz vectors
    flx_port_model model; // of scaled ports
    double sigma;
    double *Gbb, *Gbm, *Gmm; // (p, p), (m, p), (m, m), of scaled ports
    double *Gee;             // (m, m) E^T M E, E = N^-1 M Q less its part in Q; NULL: not known
    flx_frontal *factor;     // of N, kept
    flx_ritz_losses losses;
    int checked;              // frequencies by direct solutions, where nothing is proved
    int counted;              // elastic modes below `to`; -1: not counted
    int modes;                // of the Ritz vectors
    double *estimate, *proof; // (conditions, grid) relative errors of the responses
    double known, proved;     // the largest
    int blocks, factorisations, solutions, counts;
} flx_ritz;

typedef struct flx_ritz_def {
    double from, to;  // Hz
    double tolerance; // of the estimate
    bool uncounted;
} flx_ritz_def;

// The structure's interfaces are its ports. FLX_ERR_MODEL with a message.
flx_status flx_ritz_create(const flx_shape_search *q, const flx_ritz_def *def, flx_ritz **out);
void flx_ritz_destroy(flx_ritz **ritz);
// Lets go what belongs to the structure: vectors, loads, factor. Responses and their certificate can still be found.
void flx_ritz_forget(flx_ritz *r);
// S of scaled ports at an angular frequency (p, p), and its second moment (NULL: not wanted); x (p, m): the response's
// coordinates, as flx_port_respond finds them; z (p, m): scratch.
void flx_ritz_residual(const flx_ritz *r, double omega, const double complex *x, double complex *z,
                       double complex *S, double complex *second);
// Relative errors of the responses in some conditions at some frequencies (conditions, n): estimated, proved.
flx_status flx_ritz_certify(const flx_ritz *r, const flx_port_conditions *c, int n,
                            const double *hz, double *known, double *proved);
// g over lambda >= least.
double flx_ritz_gain(const flx_ritz *r, double omega, double least);
