// elaborate.h - inside of elaboration: elaborate.c walks the syntax tree, value.c does arithmetic on
// what it finds, builtins.c has the functions that are built in.
#pragma once

#include "expr/ast.h"
#include "expr/graph.h"

#define fail(s, loc, ...) FLX_FAIL((s)->ctx, FLX_ERR_MODEL, (loc), __VA_ARGS__)

// ---- values and their arithmetic (value.c) ----------------------------------------------------

// "a number", "a vector of 3", ...
typedef struct flx_operand_words {
    char text[48];
} flx_operand_words;
flx_operand_words flx_operand_describe(const flx_operand *v);

flx_status flx_operand_set_const(flx_scope *s, double v, flx_operand *out);
flx_status flx_operand_set_list(flx_scope *s, int n, flx_operand *out);

// The node of an operation; a constant that is not finite is an error at loc.
flx_status flx_scope_unary(flx_scope *s, flx_op op, flx_node x, flx_loc loc, flx_node *out);
flx_status flx_scope_binary(flx_scope *s, flx_op op, flx_node x, flx_node y, flx_loc loc,
                            flx_node *out);
// The same on numbers and lists, as far as it means something.
flx_status flx_operand_combine(flx_scope *s, ast_operator op, const flx_operand *a,
                               const flx_operand *b, flx_loc loc, flx_operand *out);
flx_status flx_operand_negate(flx_scope *s, const flx_operand *a, flx_loc loc, flx_operand *out);

// ---- the walk (elaborate.c) -------------------------------------------------------------------

// An index of sum().
typedef struct flx_sum_index {
    const char *name;
    flx_node node;
    const struct flx_sum_index *outer;
} flx_sum_index;

typedef struct flx_walk {
    flx_scope *s;
    const flx_sum_index *locals;
} flx_walk;

flx_status flx_walk_elaborate(flx_walk *e, const flx_ast *a, flx_operand *out);
// Make the value a number or a list: a point's name is its place.
flx_status flx_walk_settle(flx_walk *e, const flx_ast *a, flx_operand *v);
flx_status flx_walk_settled(flx_walk *e, const flx_ast *a, flx_operand *out); // both
// The entries of a list, as numbers.
flx_status flx_walk_entries(flx_walk *e, const flx_ast *a, const flx_operand *v, flx_node *out);
// A whole number that is known now; `what` is it, for messages.
flx_status flx_walk_whole(flx_walk *e, const flx_ast *a, const char *what, int *out);
// The names of a part that is not elaborated must exist all the same.
flx_status flx_walk_check_names(flx_walk *e, const flx_ast *a);

// ---- what is built in (builtins.c) ------------------------------------------------------------

typedef struct flx_builtin flx_builtin;
struct flx_builtin {
    const char *name;
    int min_args, max_args; // -1: any number
    flx_status (*apply)(flx_walk *e, const flx_builtin *b, const flx_ast *call, flx_operand *out);
    flx_op op;
};

const flx_builtin *flx_builtin_find(const char *name); // NULL: no such function
bool flx_builtin_constant(const char *name, double *value);
