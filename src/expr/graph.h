// graph.h - inside of the expression graph, shared by the files of this folder and by those that
// write graphs as text (src/export).
//
// A node is an operation and the numbers of its operands. Equal nodes are one node, operands come
// before what is made of them, and what depends on no leaf is a constant: so "constant" is a look
// at the operation, and a pass in the order of the numbers is an evaluation.
#pragma once

#include "expr/expr.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

typedef struct flx_graph_node {
    flx_op op;
    // operands, -1 where there is none; table: b its number, c the derivative; piece: c =
    // FLX_DERIVATIVES cut + the derivative; external: b its number, c the derivatives (flx_orders_add)
    int a, b, c;
    uint64_t
        payload; // constant: the bits of its value; leaf: its code; if: one of those below or 0
} flx_graph_node;

#define FLX_DERIVATIVES 16 // of tables, the value among them

#define FLX_EITHER 1    // an if whose branches are one function
#define FLX_CONTINUED 2 // ... of a frozen expression that has a value, else as it stands

// A function given by points: in piece i, with u = x - x[i],
//     y = k[0] + k[1] u + k[2] u^2 + k[3] u^3 + ... (`terms` of them).
// Programs keep the tables that they use, so a table lives until its last user is gone.
typedef struct flx_table {
    atomic_int users;
    int n;          // points
    double *x;      // n
    int terms;      // of a piece: 4, of given polynomials any number up to FLX_DERIVATIVES
    double *k;      // `terms` a piece, n-1 pieces
    int *start;     // bucket j of n-1 equal ones begins in piece start[j]; n entries
    double scale;   // buckets per unit of x
    int smooth;     // the highest derivative that is not zero
    bool jumps;     // at some points
    bool given;     // polynomials: every place is a cut
    int continuous; // ... with so many continuous derivatives for all x
    int ncut;       // corners that count, and the ends: points, ascending
    int *cuts;
    double least; // they are higher than this part of the range of y
    double *
        tree; // least and most values of pieces, then of pairs, pairs of pairs ..; NULL: not measured
    flx_outside outside;
} flx_table;

// Beyond this the model is a mistake (sums over sums). Elaboration stops at a quarter of it, with
// the place; the rest is for derivatives. A graph of this size is a gigabyte.
#define FLX_NODES_MAX (1 << 24)

// What the derivative of a node counts among the steps of elaboration: x with two hundred primes is
// short to write and long to compute.
#define FLX_DERIVE_STEPS 4

struct flx_graph {
    flx_ctx *ctx;
    int n, capacity;
    flx_graph_node *nodes;
    // For walks: marks, zero between walks, and the list of nodes met; `capacity` entries at least.
    int *mark, *list;
    int mark_capacity, list_capacity;
    int *hash; // node + 1, 0 is empty; hash_size is a power of two
    int hash_size;
    int ntable, table_capacity;
    flx_table **tables;
    int nexternal, external_capacity;
    struct flx_external **externals;
    int depth;  // of elaboration, over all scopes that fill this graph
    long steps; // of elaboration so far, with the derivatives that it asked for
};

static inline double flx_node_value(const flx_graph_node *n)
{
    double v;
    memcpy(&v, &n->payload, sizeof v);
    return v;
}

static inline bool flx_node_is_op(const flx_graph *g, flx_node n, flx_op op)
{
    return g->nodes[n].op == op;
}

// The node of this operation as it is, made if it is new. -1 when there is no memory.
flx_node flx_graph_intern(flx_graph *g, flx_graph_node key);
flx_node flx_graph_make(flx_graph *g, flx_op op, flx_node a, flx_node b, flx_node c);
// if, or either with the payload FLX_EITHER.
flx_node flx_graph_choose(flx_graph *g, flx_node c, flx_node a, flx_node b, uint64_t payload);
// The node that is this operation, or -1 if there is none yet.
flx_node flx_graph_find(const flx_graph *g, flx_graph_node key);
// The same operation on other operands.
flx_node flx_graph_rebuild(flx_graph *g, const flx_graph_node *p, flx_node a, flx_node b,
                           flx_node c);

// ---- frozen expressions (freeze.c, continue.c) -------------------------------------------------

// The node with the arguments of roots, logarithms and powers kept where these have a value.
flx_node flx_graph_clamp(flx_graph *g, flx_node n);
// A frozen expression that has values also where a branch of it is held beyond its border; where the
// expression as it stands, plain, has none, neither has this.
flx_node flx_graph_continue(flx_graph *g, flx_node frozen, flx_node plain);

static inline int flx_op_operands(flx_op op)
{
    switch (op) {
    case FLX_OP_CONST:
    case FLX_OP_LEAF:
        return 0;
    case FLX_OP_ADD:
    case FLX_OP_SUB:
    case FLX_OP_MUL:
    case FLX_OP_DIV:
    case FLX_OP_POW:
    case FLX_OP_ATAN2:
    case FLX_OP_MOD:
    case FLX_OP_MIN:
    case FLX_OP_MAX:
    case FLX_OP_LT:
    case FLX_OP_LE:
    case FLX_OP_EQ:
    case FLX_OP_NE:
    case FLX_OP_AND:
    case FLX_OP_OR:
    case FLX_OP_PIECE:
    case FLX_OP_ARGUMENT:
        return 2;
    case FLX_OP_IF:
        return 3;
    default:
        return 1;
    }
}

// ---- tables (table.c) -------------------------------------------------------------------------

// NULL when there is no memory or the points do not ascend, with the error recorded.
flx_table *flx_table_create(flx_ctx *ctx, int n, const double *x, const double *y,
                            flx_interpolation interpolation, flx_outside outside);
// Polynomials between n ascending places, `terms` coefficients each, cut at all places.
flx_table *flx_table_create_pieces(flx_ctx *ctx, int n, const double *x, int terms, const double *k,
                                   int continuous, flx_outside outside);
void flx_table_release(flx_table *t); // accepts NULL
// Corners that are no higher than this part of the table's range count no more. The smallest part that
// was asked for holds.
void flx_table_cut(flx_table *t, double tolerance);
double flx_table_eval(const flx_table *t, int derivative, double x);
int flx_table_piece(const flx_table *t,
                    double x); // that holds x; beyond the ends the first or the last
// In a piece, continued beyond it; ends: the table is cut at its ends alone.
double flx_table_eval_piece(const flx_table *t, int derivative, double x, bool ends, int piece);

// Each table below a node, with the order of the derivative that is taken of it and its argument.
typedef void flx_table_visit(void *user, const flx_table *t, int derivative, flx_node argument);
void flx_graph_visit_tables(const flx_graph *g, flx_node n, flx_table_visit *see, void *user);

// ---- external functions (external.c) ----------------------------------------------------------
// The operand of an external function is its first argument: a node ARGUMENT of the value (a) and of the arguments
// after it (b), the last of them followed by zero. A derivation of such a list is the list of the derivatives.

typedef struct flx_external {
    atomic_int users; // the graph, and programs
    char *name;       // owned
    flx_loc loc;
    int narg;
    double scales[FLX_ARGUMENTS_MAX];
    flx_function_callback call; // NULL: not bound
    void *user;
    void (*leave)(void *user); // NULL: the user is borrowed
    bool slopes;
    int wrong;           // argument whose slope is none of the values; -1: none is known
    double given, found; // ... that slope, and what differences say
} flx_external;

#define FLX_ORDERS_MAX                                                                             \
    6 // derivatives of an external function, five bits each: the argument from 1, ascending
#define FLX_ORDERS_BITS 5

int flx_orders_add(int orders, int argument); // -1: there are too many
void flx_external_release(flx_external *e);   // accepts NULL
double flx_external_eval(const flx_external *e, int orders, const double *x);
// Derivatives of the function along d, the derivatives of its arguments.
flx_node flx_external_derive(flx_graph *g, const flx_graph_node *p, flx_node d);

// ---- values of the operations, the same for folding and for programs --------------------------
// NaN goes through all of them, so that a run can report it.

// Exponents up to this size are multiplications. A chain of k multiplications has a relative error
// of about k eps/2; beyond, the library's pow is as fast and better.
#define FLX_POWER_MAX 16

static inline bool flx_is_small_power(double e)
{
    return e == floor(e) && fabs(e) <= FLX_POWER_MAX;
}

static inline double flx_power(double x, int e)
{
    double p = 1.0;
    for (unsigned k = (unsigned)(e < 0 ? -e : e); k; k >>= 1) {
        if (k & 1) p *= x;
        x *= x;
    }
    return e < 0 ? 1.0 / p : p;
}

static inline double flx_pow(double x, double e)
{
    if (flx_is_small_power(e)) return flx_power(x, (int)e);
    if (e == 1.5) return x * sqrt(x);
    return pow(x, e);
}

static inline double flx_sign(double x)
{
    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;
}

// The remainder has the sign of the divisor: x - y floor(x/y), exactly.
static inline double flx_mod(double x, double y)
{
    double r = fmod(x, y);
    return r != 0.0 && (r < 0.0) != (y < 0.0) ? r + y : r;
}

static inline double flx_min(double a, double b)
{
    return a <= b || isnan(a) ? a : b;
}

static inline double flx_max(double a, double b)
{
    return a >= b || isnan(a) ? a : b;
}
