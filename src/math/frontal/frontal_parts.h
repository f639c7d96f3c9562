// frontal_parts.h - what the files of the multifrontal solver share: frontal_order.c the order and the
// tree, frontal_plan.c the sequence of the fronts and the memory, frontal_dense.c one front, front_kernel.c
// its products, front_crew.c threads that share them, frontal_walk.c the walk over the tree, frontal_trees.c walks of several
// threads over parts of it, frontal.c the calls, frontal_solve.c the substitutions, frontal_far.c what an engine does in their place.
#pragma once

#include "math/frontal/engine.h"
#include "math/frontal/front_crew.h"
#include "math/frontal/frontal.h"

// Unknowns are numbered in the order of elimination from here on. Groups are the nodes of a structure:
// unknowns with one pattern.
struct flx_frontal {
    flx_ctx *ctx;
    const flx_engine *
        engine; // NULL: the fronts of this process; else `far` is the factor, and what follows but `order` is empty
    void *far;
    int n, ngroup;
    int *order;          // (n) number in A of the k-th unknown eliminated, ascending in a group
    int *group_start;    // (ngroup + 1) first unknown of a group
    int64_t *near_start; // (ngroup + 1) into near
    int *near;           // groups that a group meets in A and that are eliminated after it
    // fronts, children before parents
    int nfront;
    int *front_group;     // (nfront + 1) first group that front s eliminates
    int *parent;          // (nfront) -1: a root
    int64_t *below_start; // (nfront + 1) into below
    int *below;           // groups of the rows below the pivots, ascending
    int *ncol, *nrow;     // (nfront) pivots, rows below, in unknowns
    // plan
    int *sequence;      // (nfront) the fronts as they are eliminated: the most memory first
    int64_t *panel;     // (nfront) first number of its panel
    int64_t factors;    // numbers of all panels
    int64_t room;       // ... and of the stack, at the most at a time
    int64_t count_room; // ... where signs are counted and no panel is kept
    int max_row;
    int64_t max_work;
    // numbers: panels from the bottom, updates of fronts that wait for their parents from the top down
    double *numbers;
    int64_t capacity;        // of numbers
    int64_t least;           // numbers between panels and stack, at the least
    double *work;            // (max_work)
    flx_front_crew *crew;    // while factoring real numbers
    double *diagonal;        // (n) sizes of those of the matrix, for the report
    int *local;              // (ngroup) place of a group in the current front
    int *relative;           // (max_row) of a child's rows in its parent
    bool factored, paired;   // paired: numbers are pairs of doubles, and so X and Y
    const signed char *sign; // (n) in A; NULL: pivots are left as they are
    const double *size;      // (n) in A
    double **update; // (nfront) of a front that waits for its parent; while factoring, as these:
    int *waiting;    // (nfront) fronts whose updates wait
    int *nchild;     // (nfront)
    flx_frontal_report report;
    double *X; // (n, rhs_capacity) right sides in the order of elimination, k of a row together
    double *Y; // (max_row, rhs_capacity)
    int rhs_capacity;
};

// Lower trapezoids (m x n, n <= m) by columns, in strips of some width: a strip is a rectangle that begins
// at the row of its first column, which is all that matrix products need and little more than half a
// square. Panels are (ncol + nrow) x ncol: unit lower triangle, D on the diagonal; updates nrow x nrow.
#define FLX_FRONTAL_BLOCK 96
#define FLX_FRONTAL_STRIP 192
#define FLX_FRONTAL_WORTH                                                                          \
    2e8 // flops of a matrix below which one thread does, however many there are

// Where the strip of column c begins, which is the entry (c, c); c is a multiple of the width.
static inline int64_t flx_trapezoid_strip(int64_t m, int64_t c, int width)
{
    return c * m - c * (c - width) / 2;
}

static inline int64_t flx_trapezoid_size(int64_t m, int64_t n, int width)
{
    int64_t c = n > 0 ? (n - 1) / width * width : 0;
    return flx_trapezoid_strip(m, c, width) + (n - c) * (m - c);
}

// Where row 0 of a column would be: rows from the first of its strip are there.
static inline int64_t flx_trapezoid_column(int64_t m, int64_t c, int width)
{
    int64_t first = c / width * width;
    return flx_trapezoid_strip(m, first, width) + (c - first) * (m - first) - first;
}

static inline int64_t flx_frontal_panel_size(const flx_frontal *f, int s)
{
    return flx_trapezoid_size((int64_t)f->ncol[s] + f->nrow[s], f->ncol[s], FLX_FRONTAL_BLOCK);
}

static inline int64_t flx_frontal_update_size(const flx_frontal *f, int s)
{
    return flx_trapezoid_size(f->nrow[s], f->nrow[s], FLX_FRONTAL_STRIP);
}

// ---- the walk over the fronts ---------------------------------------------------------------------

// Of matrices with one pattern.
typedef struct flx_frontal_sum {
    int n;
    double factor[FLX_FRONTAL_TERMS];
    const flx_symmetric *A[FLX_FRONTAL_TERMS];
} flx_frontal_sum;
typedef struct flx_frontal_sum_complex {
    int n;
    double complex factor[FLX_FRONTAL_TERMS];
    const flx_symmetric *A[FLX_FRONTAL_TERMS];
} flx_frontal_sum_complex;

// Who walks, with memory of its own: f has what all share.
typedef struct flx_frontal_walker {
    flx_frontal *f;
    flx_front_hands hands;
    double *panel; // where each panel is, one at a time; NULL: where the plan has it
    double *
        stack; // updates that wait, from the top down to number `low`; NULL: each has memory of its own
    int64_t low, floor; // what is above the floor is the stack's; -1: what is above the panel
    double *work;       // (max_work)
    int *local;         // (ngroup) place of a group in the current front
    int *relative;      // (max_row) of a child's rows in its parent
    int *waiting;       // (nfront) fronts whose updates wait,
    int top;            // so many
    flx_frontal_report report; // of the pivots seen
    int at;                    // place in the sequence of the one that is smallest in proportion
} flx_frontal_walker;

// frontal_walk.c: fronts in the places first to last - 1 of the sequence, with all that is below them or on the stack.
// FLX_SINGULAR: at place w->at.
flx_status flx_frontal_walk(flx_frontal_walker *w, const flx_frontal_sum *m, int first, int last);
flx_status flx_frontal_walk_complex(flx_frontal_walker *w, const flx_frontal_sum_complex *m,
                                    int first, int last);
// The report of a walker joins that of all: as if one had walked along the sequence.
void flx_frontal_join(flx_frontal_walker *all, const flx_frontal_walker *part);

// frontal.c: room for so many doubles; those that were there are of no use any more.
flx_status flx_frontal_take(flx_frontal *f, int64_t room);

// frontal_trees.c: the same by all threads of the crew, each a part of the tree, then together. *done: whether it was worth it
// and there was memory for it.
flx_status flx_frontal_walk_together(flx_frontal_walker *all, const flx_frontal_sum *m, bool keep,
                                     bool *done);

// frontal_far.c: factors of an engine.
flx_status flx_frontal_create_far(flx_ctx *ctx, const flx_engine *engine, const flx_symmetric *A,
                                  flx_frontal **out);
flx_status flx_frontal_factor_far(flx_frontal *f, int nterm, const flx_frontal_term *terms,
                                  bool complex_sum);
flx_status flx_frontal_count_far(flx_frontal *f, double a, const flx_symmetric *A, double b,
                                 const flx_symmetric *B, int *negative);

// frontal_order.c: everything that depends on the pattern alone.
flx_status flx_frontal_analyse(flx_frontal *f, const flx_symmetric *A, const int *group);

// frontal_plan.c: ncol, nrow, the plan and what the report knows before a factorisation.
flx_status flx_frontal_plan(flx_frontal *f);
// The order of a tree's nodes, children before parents, that needs the least memory at a time. While node i
// is worked on it needs own[i] beside what its children left; left[i] >= 0 is what it leaves until its
// parent is done, kept[i] >= 0 what it leaves for good, both in own[i]. Returns the memory in *most.
flx_status flx_frontal_sequence(flx_ctx *ctx, int n, const int *parent, const int64_t *own,
                                const int64_t *left, const int64_t *kept, int *sequence,
                                int64_t *most);

// Pivots that are moved: unknown (ncol) of the columns of a front, by which sign and size are found.
typedef struct flx_frontal_pivots {
    const int *unknown;
    const signed char *sign; // NULL: no pivot is moved
    const double *size;
    int moved; // counted
} flx_frontal_pivots;

// frontal_dense.c: eliminate the unknowns of a panel (m x ncol). Returns the number of the column whose
// pivot is zero or not finite, or -1. work: (m x FLX_FRONTAL_BLOCK).
int flx_frontal_eliminate(int m, int ncol, double *panel, double *work, flx_frontal_pivots *guard,
                          const flx_front_hands *hands);
// U (nrow x nrow) = -L21 D L21^T; work: (FLX_FRONTAL_STRIP x ncol).
void flx_frontal_update(int nrow, int ncol, const double *panel, double *U, double *work,
                        const flx_front_hands *hands);
// A panel becomes zero; memory that is touched for the first time costs as much as the work on it.
void flx_frontal_clear(int64_t size, double *panel, const flx_front_hands *hands);
// Numbers of scratch that a thread needs for all of this.
size_t flx_frontal_scratch(void);
// The same of complex numbers; no pivot is moved.
int flx_frontal_eliminate_complex(int m, int ncol, double complex *panel, double complex *work,
                                  flx_frontal_pivots *guard, const flx_front_hands *hands);
void flx_frontal_update_complex(int nrow, int ncol, const double complex *panel, double complex *U,
                                double complex *work, const flx_front_hands *hands);
