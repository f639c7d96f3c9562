// known.h - what analyses have found for the expressions of their model: gains, functions of time.
//
// A model that reads `K.gains` or `ff.u1` is built twice: first with zeros in their place, then, when the analyses
// that it awaits have been done, with what they found (src/simulate/analyses/settle_model.c).
#pragma once

typedef struct flx_known_table {
    const char *name;
    int nrow, ncolumn;
    const char **columns; // NULL: a matrix
    double *values;       // by rows
} flx_known_table;

typedef struct flx_known {
    const char *analysis; // full name
    int ntable;
    flx_known_table *tables;
    struct flx_known *next;
} flx_known;

// A matrix by its name, or a table by a column of it (*column); NULL: there is none.
const flx_known *flx_known_find(const flx_known *list, const char *analysis);
const flx_known_table *flx_known_matrix(const flx_known *k, const char *name);
const flx_known_table *flx_known_column(const flx_known *k, const char *name, int *column);
