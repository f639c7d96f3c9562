// program.h - inside of a program: made by program.c, run by program_eval.c.
//
// Registers are doubles in the caller's scratch: constants first, then the inputs that are used,
// then one result after the other. So an instruction names its operands only; its result is the
// next register. Instructions of one operation that follow each other are a run.
#pragma once

#include "expr/graph.h"

typedef enum flx_opcode {
    CODE_ADD,
    CODE_SUB,
    CODE_MUL,
    CODE_DIV,
    CODE_NEG,
    CODE_MUL_ADD, // a*b + c
    CODE_MUL_SUB, // a*b - c
    CODE_SUB_MUL, // c - a*b
    CODE_SQUARE,
    CODE_CUBE,
    CODE_POWER, // b is the exponent itself
    CODE_POW,
    CODE_SQRT,
    CODE_SIN_COS, // two results
    CODE_SIN,
    CODE_COS,
    CODE_TAN,
    CODE_ASIN,
    CODE_ACOS,
    CODE_ATAN,
    CODE_ATAN2,
    CODE_SINH,
    CODE_COSH,
    CODE_TANH,
    CODE_EXP,
    CODE_LOG,
    CODE_LOG10,
    CODE_ABS,
    CODE_SIGN,
    CODE_FLOOR,
    CODE_CEIL,
    CODE_ROUND,
    CODE_MOD,
    CODE_MIN,
    CODE_MAX,
    CODE_LT,
    CODE_LE,
    CODE_EQ,
    CODE_NE,
    CODE_AND,
    CODE_OR,
    CODE_NOT,
    CODE_IF,
    CODE_TABLE,
    CODE_PIECE,
    CODE_ARGUMENT,
    CODE_EXTERNAL, // a: where its arguments begin in `arguments`, b: which, c: derivatives
    CODE_COUNT,
} flx_opcode;

typedef struct flx_instruction {
    int a, b, c; // registers
} flx_instruction;

typedef struct flx_program_run {
    flx_opcode what;
    int count;
} flx_program_run;

struct flx_program {
    int nconst, ninput, nresult, ninstruction, nrun, nout, ntable;
    double *constants;
    int *inputs; // positions in the caller's list
    int ntail;   // the last so many of them follow each other there
    flx_instruction *instructions;
    flx_program_run *runs;
    int *out; // registers
    const flx_table **tables;
    int nexternal, nargument;
    flx_external **externals;
    int *arguments; // registers
};
