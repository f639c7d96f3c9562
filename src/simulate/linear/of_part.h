// of_part.h - analyses of a flexible body at its ports, or of a linear block: what is in and out of it, its response, its matrices.
#pragma once

#include "flexion/reduction.h"
#include "model/linear_keys.h"
#include "simulate/analyses/performer.h"

typedef struct flx_of_part {
    flx_simulation *sim;
    const flx_of_keys *of;
    flx_arena *arena; // owned
    int nin, nout;
    const char *const *inputs, *const *outputs; // names
    flx_reduction *r;                           // owned: of a body
    int *in, *out;                              // of a body: its ports
    double *H;                                  // responses
    flx_plant plant; // as a linear system; of a body where it was asked for
    const double *D; // (nout, nin) by rows; NULL: zero
} flx_of_part;

// to: Hz, up to which a body is known. ndirect, hz: frequencies for direct solutions.
flx_status flx_of_part_create(flx_simulation *sim, const flx_of_keys *of, double to, int ndirect,
                              const double *hz, flx_of_part *out);
void flx_of_part_destroy(flx_of_part *p);
// re, im (nout x nin) at the angular frequency w. direct: by a direct solution, else by the Ritz model.
flx_status flx_of_part_respond(flx_of_part *p, double w, bool direct, double *re, double *im);
// A body as a linear system of the ports asked for: p->plant.
flx_status flx_of_part_reduce(flx_of_part *p);
// Of a body: where the response of output i to input j stands in one of all ports.
int flx_of_part_place(const flx_of_part *p, int i, int j);
