// ast.h - the syntax tree, made by parse.c and read by elaborate.c.
#pragma once

#include "expr/expr.h"

typedef enum ast_kind {
    AST_NUMBER,
    AST_NAME,
    AST_LIST,   // [a, b, c]
    AST_CHAIN,  // a + b - c: operands of one precedence, from the left; a ^ b: always two
    AST_NEGATE, // one child
    AST_NOT,    // one child
    AST_CALL,   // first child is what is called or indexed, the others are the arguments
    AST_MEMBER, // child.name
    AST_RATE,   // child'
} ast_kind;

typedef enum ast_operator {
    AST_NONE,
    AST_OR,
    AST_AND,
    AST_LT,
    AST_LE,
    AST_GT,
    AST_GE,
    AST_EQ,
    AST_NE,
    AST_ADD,
    AST_SUB,
    AST_MUL,
    AST_DIV,
    AST_POW,
} ast_operator;

// Children are a linked list: a sum of a hundred thousand terms is one chain, not a deep tree.
struct flx_ast {
    ast_kind kind;
    ast_operator op;  // in a chain: the operator before this operand
    flx_loc loc;      // of the first character
    flx_loc op_loc;   // in a chain: of that operator
    flx_loc post_loc; // of the ( or ' of a call or rate, of the name of a member
    double number;
    const char *name; // of a name or member; interned
    int count;        // children
    flx_ast *first, *last, *next;
};
