// expr.h - expressions: parse, elaborate into a graph, differentiate exactly, evaluate fast.
//
// Three steps. (1) Text becomes a syntax tree with source positions (flx_ast). (2) Elaboration in a
// scope turns the tree into a value: a number is a node of a graph, a vector or list is a list of
// values, a body or point is a handle that the scope understands; functions are applied by
// elaborating their body with the arguments bound. (3) Nodes of a graph are folded, shared (equal
// nodes are one node), differentiated symbolically, and compiled into a flat program.
//
// The graph's inputs are leaves, identified by a 64-bit code that the caller chooses. Derivatives,
// time rates and variations along a body's rotation are one operation, flx_graph_derive: a
// derivation of the algebra is given by what it does to the leaves.
#pragma once

#include "base/common.h"

// ---- graph ----------------------------------------------------------------------------------

typedef int flx_node; // index into a graph; -1 is no node
typedef uint64_t flx_leaf;
typedef struct flx_graph flx_graph;

typedef enum flx_op {
    FLX_OP_CONST,
    FLX_OP_LEAF,
    FLX_OP_ADD,
    FLX_OP_SUB,
    FLX_OP_MUL,
    FLX_OP_DIV,
    FLX_OP_NEG,
    FLX_OP_POW,
    FLX_OP_SQRT,
    FLX_OP_SIN,
    FLX_OP_COS,
    FLX_OP_TAN,
    FLX_OP_ASIN,
    FLX_OP_ACOS,
    FLX_OP_ATAN,
    FLX_OP_ATAN2,
    FLX_OP_SINH,
    FLX_OP_COSH,
    FLX_OP_TANH,
    FLX_OP_EXP,
    FLX_OP_LOG,
    FLX_OP_LOG10,
    FLX_OP_ABS,
    FLX_OP_SIGN,
    FLX_OP_FLOOR,
    FLX_OP_CEIL,
    FLX_OP_ROUND,
    FLX_OP_MOD,
    FLX_OP_MIN,
    FLX_OP_MAX,
    FLX_OP_LT, // comparisons and logic give 1 or 0
    FLX_OP_LE,
    FLX_OP_EQ,
    FLX_OP_NE,
    FLX_OP_AND,
    FLX_OP_OR,
    FLX_OP_NOT,
    FLX_OP_IF,       // three operands: condition, then, else
    FLX_OP_TABLE,    // interpolated table; operand x, with the table's number and derivative order
    FLX_OP_PIECE,    // the same in a given piece of it, continued; operands x and the piece
    FLX_OP_ARGUMENT, // an argument of an external function, and those after it: no number by itself
    FLX_OP_EXTERNAL, // an external function, or a derivative; operand: its arguments
} flx_op;

// A function given by points. Owned by the graph once added.
typedef enum flx_interpolation {
    FLX_INTERPOLATE_LINEAR,
    FLX_INTERPOLATE_CUBIC, // natural cubic spline
    FLX_INTERPOLATE_QUINTIC, // spline of fifth degree, four continuous derivatives; three points or more
} flx_interpolation;
typedef enum flx_outside {
    FLX_OUTSIDE_HOLD,   // the value at the end; derivative zero
    FLX_OUTSIDE_EXTEND, // the last piece continued linearly
    FLX_OUTSIDE_ERROR,  // not a number, which a run reports
} flx_outside;

flx_graph *flx_graph_create(flx_ctx *ctx);
void flx_graph_destroy(flx_graph **g);

flx_node flx_graph_const(flx_graph *g, double value);
flx_node flx_graph_leaf(flx_graph *g, flx_leaf leaf);
flx_node flx_graph_unary(flx_graph *g, flx_op op, flx_node a);
flx_node flx_graph_binary(flx_graph *g, flx_op op, flx_node a, flx_node b);
flx_node flx_graph_if(flx_graph *g, flx_node c, flx_node a, flx_node b);
// Two ways to compute one smooth function: no branch is taken that a switch has to remember.
flx_node flx_graph_either(flx_graph *g, flx_node c, flx_node a, flx_node b);
// x ascending (n >= 2); copied. Linear ones may have an x twice, but at the ends: there they jump, and
// have the second value. Returns the table's number, or -1 (no memory).
int flx_graph_add_table(flx_graph *g, int n, const double *x, const double *y,
                        flx_interpolation interpolation, flx_outside outside);
// Polynomials k[i terms + j] (x - x_i)^j from x_i to x_i+1, 1 <= terms <= 16; copied. continuous: so many
// derivatives are, for all x.
int flx_graph_add_pieces(flx_graph *g, int n, const double *x, int terms, const double *k,
                         int continuous, flx_outside outside);
// How many continuous derivatives a node has, as far as such polynomials below it decide it; *table: the one
// that has least (-1: there is none, and the answer is INT_MAX).
int flx_graph_smoothness(const flx_graph *g, flx_node n, int *table);
flx_node flx_graph_table(flx_graph *g, int table, int derivative, flx_node x);

// ---- functions of the program that uses the library (external.c) -------------------------------

#define FLX_ARGUMENTS_MAX 31 // of an external function

// scales (narg): how far an argument moves for its effect to be seen; copied. Returns its number, or -1 (no memory).
int flx_graph_add_external(flx_graph *g, const char *name, flx_loc loc, int narg,
                           const double *scales);
// Its value at narg nodes, or -1.
flx_node flx_graph_external(flx_graph *g, int external, const flx_node *args);

// What is known of external function i; false: there is none.
typedef struct flx_external_info {
    const char *name;
    flx_loc loc;
    int narg;
    flx_function_callback call; // NULL: not bound
    void *user;
    bool slopes; // it gives its derivatives itself
    int wrong;   // at the scales the derivative by this argument is none of the values; -1: none is
    double given, found; // ... it, and what differences of the values say
} flx_external_info;
bool flx_graph_external_info(const flx_graph *g, int i, flx_external_info *out);
// From now on external function i is this callback, which is asked once, at the scales, whether it gives slopes;
// these are compared with differences of its values, by four calls per argument.
void flx_graph_bind(flx_graph *g, int i, flx_function_callback call, void *user);
// The same with a user that is given over: `leave` is called with it when nobody calls the function any more.
void flx_graph_bind_owned(flx_graph *g, int i, flx_function_callback call, void *user,
                          void (*leave)(void *user));

bool flx_graph_is_const(const flx_graph *g, flx_node n, double *value);
// Whether the node is the leaf itself; *leaf: which one.
bool flx_graph_is_leaf(const flx_graph *g, flx_node n, flx_leaf *leaf);
// Whether it is a comparison, or comparisons joined by and, or, not, or 0 or 1.
bool flx_graph_is_condition(const flx_graph *g, flx_node n);
// Whether the node depends on a leaf at all; `depends` asks a predicate of each leaf below.
bool flx_graph_depends(const flx_graph *g, flx_node n, bool (*predicate)(void *user, flx_leaf leaf),
                       void *user);
// The leaves below a set of nodes, each once, ascending code. *leaves is owned by the caller
// (flx_free).
flx_status flx_graph_leaves(const flx_graph *g, int n, const flx_node *nodes, int *nleaf,
                            flx_leaf **leaves);

// A part of nodes that is a function of one leaf.
typedef struct flx_graph_part {
    flx_node node;
    bool tame; // made of few waves and powers, which have nothing narrower than themselves
} flx_graph_part;
// The largest of them below the roots that are not linear in the leaf; others of theirs stay as they are. Parts that call
// external functions are left out. *parts is owned by the caller (flx_free).
flx_status flx_graph_parts(const flx_graph *g, int n, const flx_node *roots, flx_leaf leaf,
                           bool (*stays)(void *user, flx_leaf leaf), void *user, int *count,
                           flx_graph_part **parts);

// What a derivation does to a leaf: the node of its derivative (a constant node for 0 or 1).
typedef flx_node (*flx_leaf_rule)(flx_graph *g, void *user, flx_leaf leaf);
// The derivation of a node. -1 when there is no memory. abs, min, max, if, sign, floor and mod are
// differentiated piecewise.
flx_node flx_graph_derive(flx_graph *g, flx_node n, flx_leaf_rule rule, void *user);
// Rule with the derivative 1 for one leaf and 0 for all others: user points to the leaf.
flx_node flx_leaf_partial(flx_graph *g, void *user, flx_leaf leaf);

// ---- other leaves (substitute.c) --------------------------------------------------------------

// What every leaf stands for. Pieces of tables become the tables again, so a leaf that holds a piece
// is not asked for.
typedef struct flx_substitution {
    flx_graph *g;
    void *user;
    flx_leaf_rule rule; // -1: the substitution fails
    int *of;            // new + 1 of each node met so far; owned, 0: not known
    int known;
} flx_substitution;

// The node with other leaves, or -1. The substitution remembers what it met.
flx_node flx_graph_substitute(flx_substitution *s, flx_node n);
// One node as a whole is replaced wherever it comes up from now on.
flx_status flx_substitution_set(flx_substitution *s, flx_node n, flx_node by);
void flx_substitution_clear(flx_substitution *s);

// ---- switches (freeze.c) ----------------------------------------------------------------------
// Comparisons, abs, sign, min, max, floor, ceil, round, mod and the ends of tables jump or have a
// kink. Frozen, each is decided by switches, which are leaves: between the instants at which a
// switch changes the expression is smooth, and may be continued beyond them.

typedef enum flx_switch_kind {
    FLX_SWITCH_ABOVE,     // 1 where the value is > 0, else 0
    FLX_SWITCH_NOT_BELOW, // 1 where it is >= 0, else 0
    FLX_SWITCH_FLOOR,     // the largest whole number not above it
    FLX_SWITCH_PIECE,     // the piece of a table that holds it
} flx_switch_kind;

typedef struct flx_freezer {
    flx_graph *g;
    void *user;
    // Whether a leaf changes between instants.
    bool (*moves)(void *user, flx_leaf leaf);
    // Whether a leaf is the time: tables of it are cut at all corners above the tolerance, others at those
    // that no error control would miss.
    bool (*is_time)(void *user, flx_leaf leaf);
    double tolerance; // of the run, relative
    // The leaf of a switch; -1 leaves the operation as it is. cut: of a piece, else -1. False: no
    // memory.
    bool (*find)(void *user, flx_switch_kind kind, flx_node value, int cut, flx_node *leaf);
    int *of; // frozen + 1 of each node met so far; owned, 0: not known
    int known;
} flx_freezer;

// The node with everything in it that moves and jumps frozen, or -1 (no memory). The freezer
// remembers what it met.
flx_node flx_graph_freeze(flx_freezer *f, flx_node n);
void flx_freezer_clear(flx_freezer *f);

// Where a table is cut: at the corners that count, or at its ends alone. Pieces are numbered from -1,
// before the table.
static inline int flx_cut_make(int table, bool ends)
{
    return 2 * table + ends;
}
int flx_cut_piece(const flx_graph *g, int cut, double x);
void flx_cut_bounds(const flx_graph *g, int cut, int piece, double *from, double *to);
flx_node flx_graph_piece(flx_graph *g, int cut, int derivative, flx_node x, flx_node piece);

// ---- programs -------------------------------------------------------------------------------

// A flat list of instructions for several nodes at once, shared parts evaluated once.
typedef struct flx_program flx_program;
// inputs: the leaves in the order in which flx_program_eval receives their values; every leaf that
// the nodes need must be there.
flx_status flx_program_compile(const flx_graph *g, int ninput, const flx_leaf *inputs, int nnode,
                               const flx_node *nodes, flx_program **p);
void flx_program_destroy(flx_program **p);
int flx_program_scratch(const flx_program *p); // doubles of scratch that eval needs
int flx_program_length(const flx_program *p);  // instructions
// out (nnode). No allocation; const program, so any number of threads with their own scratch.
void flx_program_eval(const flx_program *p, const double *in, double *scratch, double *out);
// The same with derivatives: slopes (nnode) along a direction of the inputs.
int flx_program_slope_scratch(const flx_program *p); // doubles
void flx_program_slope(const flx_program *p, const double *in, const double *along, double *scratch,
                       double *out, double *slopes);
// What the results lie between where each input is anywhere between low and high; infinite where that is not known. The
// bounds come nearer as low and high do.
// Tables of many points must have been measured for it, before any thread asks; else nothing is known of wide intervals.
flx_status flx_program_measure(flx_ctx *ctx, const flx_program *p);
int flx_program_bounds_scratch(const flx_program *p); // doubles
void flx_program_bounds(const flx_program *p, const double *low, const double *high,
                        double *scratch, double *least, double *most);

// ---- text to values -------------------------------------------------------------------------

typedef struct flx_ast flx_ast; // lives in an arena

// Parse one expression. loc is the place of the text's first character, for messages: columns
// inside the text are added to it. Depth is limited (256); deeper nesting is an error, not a crash.
flx_status flx_ast_parse(flx_ctx *ctx, flx_arena *arena, const char *text, flx_loc loc,
                         flx_ast **ast);

typedef enum flx_operand_kind {
    FLX_OPERAND_NUMBER, // node
    FLX_OPERAND_LIST,   // items; a vector is a list of numbers
    FLX_OPERAND_HANDLE, // something of the scope: a body, a point, a joint, a family, ...
    FLX_OPERAND_FUNCTION,
} flx_operand_kind;

typedef struct flx_operand {
    flx_operand_kind kind;
    flx_node node;
    int count;                 // list
    struct flx_operand *items; // list; lives in the scope's arena
    const void *handle;        // handle, function: understood by the scope
    int tag;                   // handle: what kind of thing, understood by the scope
} flx_operand;

// The number of a node; FLX_ERR_MEMORY where that is -1.
static inline flx_status flx_operand_set_node(flx_node n, flx_operand *out)
{
    *out = (flx_operand){.kind = FLX_OPERAND_NUMBER, .node = n};
    return n < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

// Where names come from. Callbacks return FLX_OK, or record a message at loc and return the error.
typedef struct flx_scope flx_scope;
struct flx_scope {
    flx_ctx *ctx;
    flx_graph *graph;
    flx_arena *arena; // for lists
    void *user;
    // A plain name: parameter, index of a repeat, body, signal, function, t, ...
    flx_status (*lookup)(flx_scope *s, const char *name, flx_loc loc, flx_operand *out);
    // handle.name
    flx_status (*member)(flx_scope *s, const flx_operand *of, const char *name, flx_loc loc,
                         flx_operand *out);
    // handle(args): a family of repeated items, node(7), point(0.5)
    flx_status (*index)(flx_scope *s, const flx_operand *of, int n, const flx_operand *args,
                        flx_loc loc, flx_operand *out);
    // function(args): usually flx_ast_elaborate of its body in a scope with the arguments bound.
    flx_status (*call)(flx_scope *s, const flx_operand *f, int n, const flx_operand *args,
                       flx_loc loc, flx_operand *out);
    // x' of a number: usually flx_graph_derive with the rule of time. May be NULL: no rates here.
    flx_status (*rate)(flx_scope *s, flx_node n, flx_loc loc, flx_node *out);
    // A handle where a number or vector is needed: a point's name is its place.
    flx_status (*coerce)(flx_scope *s, const flx_operand *of, flx_loc loc, flx_operand *out);
    // The value of a node where a number has to be known now. May be NULL: constants of the graph.
    bool (*constant)(flx_scope *s, flx_node n, double *value);
    int depth; // of function calls; limited, so that recursion is an error
    // Set during lookup: the name is followed by '(', so one that is not known is a function's.
    bool called;
};

// Built in: + - * / ^ (right to left, -x^2 = -(x^2)), < <= > >= == !=, and or not, if(c,a,b),
// sin cos tan asin acos atan atan2 sinh cosh tanh exp log log10 sqrt abs sign floor ceil round mod
// min max (any number of arguments), sum(j, from, to, expr), norm dot cross unit distance,
// vectors in brackets [a, b, c], list indices k(2) from 1, .x .y .z, postfix ' for the rate,
// pi, deg. Vector arithmetic: + - of equal lengths, number*vector, vector/number.
// Constant division by zero, domain errors (sqrt(-1), log(0), asin(2)) are errors at the place.
flx_status flx_ast_elaborate(flx_scope *s, const flx_ast *ast, flx_operand *out);

// Names that are built in (functions and constants), for the check that a model does not redefine
// them, and for suggestions. NULL-terminated.
const char *const *flx_expr_builtin_names(void);
// Names that nothing in a model can have: pi, deg, and, or, not. An item may be called like a
// built-in function (a joint `cross`): a name that is followed by '(' is the function, else the
// item. So only what is itself followed by '(' (functions, lists, families) has to avoid them.
bool flx_expr_is_reserved(const char *name);
