// term.h - what contributes to the equations of the descriptor system: a term is one kind of it, such as all
// beams of a model. A new one is a file in terms/, a line in terms.def, its line in
// CMakeLists.txt and a model in test_terms.c.
//
// A term owns its arrays. `plan` makes them in the arena of the descriptor and puts them to d->own[FLX_TERM_X]; where that
// stays NULL the model has none of the kind, and nothing of the term is called again. What others ask of a term are
// functions of its file, declared in terms/terms.h. Calls are per array: a term loops over its own items.
//
// Making (descriptor.c), each for all terms before the next:
//     plan     items from the model; bodies have their unknowns, blocks are not there yet
//     couple   which blocks its items connect (flx_layout_couple); all unknowns are numbered
//     fill     where its items write: offsets in the pattern (flx_layout_slot), which is fixed
//     mark     which entries have parts in A1 (2) and A2 (4) (flx_layout_mark)
//     scratch  numbers that it needs in each work, at w->own[FLX_TERM_X], zero at first
// A selection of rows is a descriptor of its own: all of this is done once more. An instance shares d->own with the compiled
// system, which nobody changes. When its parameters are set:
//     take     once: copies what depends on them into d->arena (FLX_OWN), d->own first
//     renew    the numbers of its items from d->model, structure as it is; refuses where that would change
// Slopes by parameters are differences of residuals of such instances (system/twin.h), so a term has nothing to say for them.
//
// Evaluation, after flx_eval_begin: frames, attached frames and leaves are those of p, whose v goes on with the attached frames'.
//     residual   r += (SYS-2)                      energy     e += energies and powers
//     linearise  A0, A1, A2 += (SYS-7)             masses     A2 += the same of M alone
//     momentum   Mv += M v; the point has begun where `placed`
//     transport  out += M' v - ad*_v p (SYS-8); the point has not begun
//     ends       keeps what `discrete` needs of the beginning (0) or the end (1) of a step; frames are there
//     discrete   out += forces over a step that conserve energy, less those of the residual; with `ends` frames are those of
//                the middle
//     watch      warns, once, of an accepted state for which the term is not made; frames are there
//     section    out += force and moment in the section at a node, ground axes; how many it added
// NULL: it has none. Bodies write their rows, which are the first of the list; the others add.
#pragma once

#include "flexion/extend/system_table.h"

typedef struct flx_descriptor flx_descriptor;
typedef struct flx_descriptor_work flx_descriptor_work;

// Constraints of joints are evaluated between the stages: in a residual before expressions, in a tangent before forces.
typedef enum flx_stage {
    FLX_STAGE_BODIES,
    FLX_STAGE_FORCES,
    FLX_STAGE_EXPRESSIONS,
    FLX_N_STAGES
} flx_stage;

typedef enum flx_term_kind {
#define FLX_TERM(NAME, name, stage) FLX_TERM_##NAME,
#include "descriptor/terms.def"
#undef FLX_TERM
    FLX_N_TERMS
} flx_term_kind;

typedef struct flx_step_ends { // a step
    const flx_point *p0, *pm, *p1;
    double *out;   // NULL: not these
    flx_blocks *b; // NULL: not these
} flx_step_ends;

typedef struct flx_term {
    flx_status (*plan)(flx_descriptor *d);
    flx_status (*couple)(flx_descriptor *d);
    flx_status (*fill)(flx_descriptor *d);
    void (*mark)(flx_descriptor *d);
    size_t (*scratch)(const flx_descriptor *d);
    flx_status (*take)(flx_descriptor *d);
    flx_status (*renew)(flx_descriptor *d);
    void (*residual)(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                     double *r);
    void (*linearise)(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      flx_blocks *b);
    void (*masses)(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, double *A2);
    void (*energy)(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                   flx_energies *e);
    bool placed;
    void (*momentum)(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                     double *Mv);
    void (*transport)(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      double *out);
    void (*ends)(const flx_descriptor *d, flx_descriptor_work *w, const flx_step_ends *x, int end);
    void (*discrete)(const flx_descriptor *d, flx_descriptor_work *w, const flx_step_ends *x);
    void (*watch)(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p);
    int (*section)(const flx_descriptor *d, const flx_descriptor_work *w, const flx_point *p,
                   int body, double out[6]);
} flx_term;

// The terms that a system has, in the order of the list.
typedef struct flx_term_list {
    int n;
    int end[FLX_N_STAGES]; // of each stage
    const flx_term *of[FLX_N_TERMS];
} flx_term_list;

// Instead of the array, a pointer, a copy of it that is the descriptor's own; NULL: no memory.
#define FLX_OWN(d, array, n, size) flx_descriptor_own(d, &(array), n, size)
void *flx_descriptor_own(flx_descriptor *d, void *array, int n, size_t size);

// All of one stage; plan finds out which there are.
flx_status flx_terms_plan(flx_descriptor *d, flx_stage stage);
flx_status flx_terms_fill(flx_descriptor *d, flx_stage stage);
flx_status flx_terms_renew(flx_descriptor *d, flx_stage stage);
void flx_terms_residual(const flx_descriptor *d, flx_stage stage, flx_descriptor_work *w,
                        const flx_point *p, double *r);
void flx_terms_linearise(const flx_descriptor *d, flx_stage stage, flx_descriptor_work *w,
                         const flx_point *p, flx_blocks *b);
// All there are.
flx_status flx_terms_couple(flx_descriptor *d);
void flx_terms_mark(flx_descriptor *d);
size_t flx_terms_scratch(const flx_descriptor *d, flx_descriptor_work *w,
                         double *at); // at NULL: counts
flx_status flx_terms_take(flx_descriptor *d);
void flx_terms_masses(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      double *A2);
void flx_terms_energy(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      flx_energies *e);
void flx_terms_momentum(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                        double *Mv);
void flx_terms_transport(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                         double *out);
void flx_terms_discrete(const flx_descriptor *d, flx_descriptor_work *w, const flx_step_ends *x);
bool flx_terms_watches(const flx_descriptor *d); // whether one of them has to look at states
void flx_terms_watch(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p);
// Force and moment in the section of a beam at its node.
void flx_terms_section(const flx_descriptor *d, const flx_descriptor_work *w, const flx_point *p,
                       int body, double out[6]);
