// code.h - nodes as text: which of them get a name of their own, and how operations are written in
// each language.
#pragma once

#include "export/functions.h"
#include "expr/graph.h"

#include <stdio.h>

// How an operation is written. In the text, $ is followed by an operand, 1 to 3, and the level that
// it has to have at least, else it is put in parentheses:
//     0 anything  1 sum  2 product  3 signed  4 power  5 name, number, call
// @ is the name of the equations. The right operand of a sum is a product at least: the order of
// additions stays that of the graph.
typedef struct flx_notation {
    int level;
    const char *text;
} flx_notation;

#define FLX_OPS (FLX_OP_EXTERNAL + 1)

typedef struct flx_language {
    const flx_notation *ops;         // (FLX_OPS) without text: as most languages do, sin($10)
    const char *open, *close;        // parentheses
    const char *small_power;         // of a whole exponent: $1 and the number; NULL: as any other
    const char *temporary;           // name of a named node, a printf format of its number
    const char *between, *next_line; // numbers of a list, and those of a long one
    const char *infinity, *not_a_number;
    void (*number)(FILE *f, double value); // a finite one
    const char *comment;                   // begins each line of a header
    const char *entry;                     // of an array: a printf format of its name and number
    int first;                             // number of the first
    const char *effort; // an entry of tau, a printf format of its number; NULL: as other entries
    // Time, an entry or a parameter; NULL: by the three before
    void (*input)(FILE *f, const flx_functions *all, flx_export_input input, int index);
    void (*table)(FILE *f, const flx_functions *all, int table,
                  int derivative); // up to its argument
} flx_language;

// One function, planned.
typedef struct flx_code {
    const flx_functions *all;
    const flx_graph *g;
    int count; // operations, each once
    int ntemporary;
    flx_node *temporaries; // (ntemporary) owned; in the order of evaluation
    int *number;           // (nodes of the graph) owned; number of a temporary + 1, or 0
    unsigned inputs;       // that it reads
    bool ops[FLX_OPS];     // that it contains
    bool small_power;
    bool *tables; // (tables of the graph) owned
} flx_code;

// FLX_ERR_CANNOT where it is larger than the limit.
flx_status flx_code_plan(const flx_functions *all, const flx_function *f, flx_code *c);
void flx_code_clear(flx_code *c);
// The expression of a node; named: a temporary by its name.
void flx_code_write(FILE *f, const flx_code *c, const flx_language *l, flx_node n, bool named);
bool flx_code_is_zero(const flx_code *c, flx_node n);

// A number with all its digits, and a point so that it is a real one.
void flx_write_number(FILE *f, double value);
// A number as a language writes it, finite or not.
void flx_language_number(FILE *f, const flx_language *l, double value);

// The header of a file: what the equations are, names and order of everything.
void flx_write_header(FILE *f, const flx_functions *all, const flx_language *l);
// Text in which NAME stands for the name of the equations.
void flx_write_named(FILE *f, const char *text, const char *name);
// The same with STATE, GIVEN and COUNT for t, p, q, v, x and, where there are some, u: as arguments, as declared in C from
// x on, and how many there are with tau.
void flx_write_solver(FILE *f, const flx_functions *all, const char *text);
// Names of a function's inputs with commas between them, each after its prefix: of the time, of an
// array; default_tau: behind tau.
void flx_write_inputs(FILE *f, const flx_function *o, const char *number, const char *array,
                      const char *default_tau);
// An array of numbers between brackets, four in a line.
void flx_write_numbers(FILE *f, const flx_language *l, int n, const double *values);

// ---- languages ----------------------------------------------------------------------------------
// All plan first and write afterwards, so that nothing is half written for want of memory.
typedef flx_status (*flx_writer)(FILE *f, const flx_functions *all, const flx_code *codes);
flx_status flx_write_c(FILE *f, const flx_functions *all, const flx_code *codes);
flx_status flx_write_python(FILE *f, const flx_functions *all, const flx_code *codes);
flx_status flx_write_octave(FILE *f, const flx_functions *all, const flx_code *codes);
flx_status flx_write_batch(FILE *f, const flx_functions *all, const flx_code *codes);
flx_status flx_write_latex(FILE *f, const flx_functions *all, const flx_code *codes);
// Whether any of the functions contains an operation.
bool flx_codes_contain(const flx_functions *all, const flx_code *codes, flx_op op);
bool flx_codes_use_table(const flx_functions *all, const flx_code *codes, int table);
// What a table is beyond its ends: 0 held, 1 continued linearly, 2 not a number.
int flx_outside_number(const flx_table *t);
