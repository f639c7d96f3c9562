// numbers.h - parameters as a vector, and the numbers of a model that follow from them: n = N(p).
//
// p has one number for each open parameter of the model (flx_tunable). Where a number of the model
// is an expression of them its node stands beside it (flx_open); all these nodes are one program with
// exact derivatives. Parameters whose values are needed while the model is built are structural.
#pragma once

#include "model/model_data.h"

// ---- the vector `param` of a system --------------------------------------------------------------
// [ load factors (nload) | inputs, FLX_INPUT_NUMBERS each | p (ntunable) | hoisted numbers ]

static inline int flx_param_input(const flx_model *m, int input, flx_input_part part)
{
    return m->nload + FLX_INPUT_NUMBERS * input + (int)part;
}
static inline int flx_param_tunable(const flx_model *m, int k)
{
    return m->nload + FLX_INPUT_NUMBERS * m->ninput + k;
}
static inline int flx_param_hoisted(const flx_model *m, int i)
{
    return m->nload + FLX_INPUT_NUMBERS * m->ninput + m->ntunable + i;
}
// Where the value of a leaf of these kinds (FACTOR, INPUT, PARAMETER, NUMBER) is in `param`; -1: it
// is another leaf.
int flx_param_of_leaf(const flx_model *m, flx_leaf leaf);
// As the model says them, without the hoisted ones: flx_param_hoisted(m, 0) numbers.
void flx_param_fill(const flx_model *m, double *param);

// ---- parameters ----------------------------------------------------------------------------------

// The number in p of a leaf FLX_LEAF_PARAMETER; -1: none.
int flx_model_tunable(const flx_model *m, flx_leaf leaf);

// ---- a model with numbers of its own -------------------------------------------------------------

// The same items with own numbers; names, graph, programs and data are those of m, which must outlive
// it, and messages go to ctx. Destroyed by flx_model_destroy. Several threads may vary one model.
flx_status flx_model_vary(const flx_model *m, flx_ctx *ctx, flx_model **own);
// Evaluates N(p) into the numbers of a varied model; p (ntunable). FLX_ERR_MODEL with the item's place:
// a value that cannot be; nothing is changed then. No allocation.
flx_status flx_model_set_parameters(flx_model *own, const double *p);
const double *flx_model_parameters(const flx_model *own); // (ntunable) as they are now
// The numbers that depend on p: how many; where they are in a varied model.
int flx_model_number_count(const flx_model *m);
double *const *flx_model_numbers(const flx_model *own);
// out (number_count) = dN/dp_k at the parameters as they are. No allocation.
void flx_model_number_slopes(const flx_model *own, int k, double *out);

// All numbers that may be of parameters, whether they are or not, in one order. name NULL: of the model.
typedef void flx_number_visit(void *user, const char *what, const char *name, int n,
                              const double *x);
void flx_model_each_number(const flx_model *m, flx_number_visit *visit, void *user);

// ---- hoisted numbers: parts of expressions that are of parameters alone -------------------------
// A system gathers them while it compiles its programs; then they cost as constants do.

typedef struct flx_hoist flx_hoist;
flx_status flx_hoist_create(const flx_model *m, flx_hoist **h);
void flx_hoist_destroy(flx_hoist **h); // accepts NULL
// Replaces the largest parts of these nodes that depend on parameters alone, and are not constants, by
// leaves FLX_LEAF_NUMBER. To be called before flx_program_compile, with the derivatives there.
flx_status flx_hoist_nodes(flx_hoist *h, int n, flx_node *nodes);
// Whether a node as a whole is of parameters alone, of those that the last call found.
bool flx_hoist_takes(const flx_hoist *h, flx_node n);
// What comes now is of another program: it has numbers of its own, so that they follow each other.
void flx_hoist_apart(flx_hoist *h);
// Nodes made of hoisted ones: what is of numbers and parameters alone becomes numbers of this program.
flx_status flx_hoist_again(flx_hoist *h, int n, flx_node *nodes);
// When all are gathered.
flx_status flx_hoist_finish(flx_hoist *h);
int flx_hoist_count(const flx_hoist *h);
flx_node flx_hoist_node(const flx_hoist *h, int i); // what number i is
int flx_hoist_scratch(const flx_hoist *h); // doubles
// out (count) of p (ntunable). No allocation, const: any number of threads with own scratch.
void flx_hoist_eval(const flx_hoist *h, const double *p, double *scratch, double *out);
// out (count) = their derivatives by p_k.
void flx_hoist_slopes(const flx_hoist *h, const double *p, int k, double *scratch, double *out);

// ---- for the builder -----------------------------------------------------------------------------

// When the model is filled: compiles N(p), and takes the numbers that it makes.
flx_status flx_numbers_finish(flx_model *m);
void flx_numbers_destroy(flx_numbers **n); // accepts NULL
