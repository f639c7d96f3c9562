// exchange.h - particles beside a run: at each strike of their clock they tell their sums, go on along the motion that the walls have, and what
// they give to the walls is force and moment until the next strike (docs/theory/particles.md, DEM-5 to DEM-7).
//
//     exchange.c        the strike, the account
//     exchange_make.c   the set of a model: walls, particles at the start
//     inlets.c          particles that come and leave
//     exchange_tell.c   what went wrong without an error
#pragma once

#include "flexion/extend/sink_table.h"
#include "flexion/particles.h"
#include "model/particles_data.h"

struct flx_simulation;
struct flx_memory;

typedef struct flx_exchange {
    const flx_particles_block *block; // borrowed
    flx_ctx *ctx;                     // borrowed
    flx_particles *set;               // owned
    int first;                        // of discrete variables among the switches
    long steps;                       // per exchange
    int nsink;
    flx_sink *const *sinks; // borrowed, while a run lasts
    double every;           // between places that are kept; 0: none are
    long next;              // the next multiple of it
    bool started;
    double energy_start, entered; // energy; what came in
    double given;                 // work on the bodies by the forces that act on them
    double energy, dissipated, supplied, defect;
    double overlap; // the deepest one met, over the smaller radius
    double t;       // of the last strike
    double *impulses;   // (6 nwall) owned: scratch
    double *last;       // (nwall x (pose + load)) owned: of the last strike
    uint64_t *sequence; // (ninlet) owned
    double *poured;     // (ninlet) owned: mass
    float *frame;       // owned: of places that are kept
    int *labels;        // owned
    double *doubles;    // owned: scratch
    long *longs;
    int frame_capacity;
    double (*crowd)[4]; // owned: scratch of inlets, places and radii
    int ncrowd, crowd_capacity;
    int *beside; // owned: surfaces of walls beside an inlet
    int nbeside, beside_capacity;
} flx_exchange;

// exchange.c, of a run: made anew at its start, called by its method, saved with it, put into its ledger.
flx_status flx_exchange_begin(struct flx_simulation *sim);
flx_status flx_exchange_room(flx_exchange *x, int n); // for places of n particles
void flx_exchange_attach(struct flx_simulation *sim);
void flx_exchange_keep(struct flx_simulation *sim, int nsink, flx_sink *const *sinks, double every);
void flx_exchange_memory(flx_exchange *x, struct flx_memory *m);
struct flx_ledger;
void flx_exchange_close(const flx_exchange *x, struct flx_ledger *l);

// exchange_tell.c: warnings at the end of a run.
void flx_exchange_tell(const flx_exchange *x);

// exchange_make.c
flx_status flx_exchange_make(flx_ctx *ctx, const flx_particles_block *block,
                             const double gravity[3], flx_exchange **out);
void flx_exchange_destroy(flx_exchange **x);

// inlets.c: who leaves and who comes at t.
flx_status flx_exchange_pass(flx_exchange *x, double t);
