// mumps.c - see mumps.h.
#include "mumps.h"

#include <dmumps_c.h>
#include <float.h>
#include <stdlib.h>

enum { BEGIN = -1, END = -2, SOLVE = 3, ANALYSE_AND_FACTOR = 4, USE_COMM_WORLD = -987654 };

struct mumps {
    DMUMPS_STRUC_C id;
};

static bool call(mumps *m, int job)
{
    m->id.job = job;
    dmumps_c(&m->id);
    return m->id.infog[0] >= 0;
}

static void be_quiet(mumps *m)
{
    for (int i = 0; i < 4; i++) m->id.icntl[i] = i < 3 ? -1 : 0;
}

static void *copy_of(int count, size_t size)
{
    void *p = calloc((size_t)count + 1, size);
    if (!p) abort();
    return p;
}

mumps *mumps_factor(int n, int count, const int *row, const int *column, const double *value)
{
    mumps *m = copy_of(1, sizeof *m);
    m->id.sym = 2; // symmetric, indefinite
    m->id.par = 1;
    m->id.comm_fortran = USE_COMM_WORLD;
    if (!call(m, BEGIN)) {
        free(m);
        return NULL;
    }
    be_quiet(m);
    m->id.icntl[13] = 200; // per cent of memory above its estimate: pivots move
    m->id.n = n;
    m->id.nz = count;
    m->id.irn = copy_of(count, sizeof *m->id.irn);
    m->id.jcn = copy_of(count, sizeof *m->id.jcn);
    m->id.a = copy_of(count, sizeof *m->id.a);
    for (int i = 0; i < count; i++) {
        m->id.irn[i] = row[i] + 1;
        m->id.jcn[i] = column[i] + 1;
        m->id.a[i] = value[i];
    }
    if (!call(m, ANALYSE_AND_FACTOR)) mumps_free(&m);
    return m;
}

int mumps_negative(const mumps *m)
{
    return m->id.infog[11];
}

bool mumps_solve(mumps *m, int k, double *x)
{
    m->id.rhs = x;
    m->id.nrhs = k;
    m->id.lrhs = m->id.n;
    return call(m, SOLVE);
}

bool mumps_solve_refined(mumps *m, double *x, double *uncertainty)
{
    m->id.icntl[9] = -5; // steps of refinement, whatever the error
    m->id.icntl[10] = 1; // condition numbers
    bool solved = mumps_solve(m, 1, x);
    m->id.icntl[9] = m->id.icntl[10] = 0;
    *uncertainty = DBL_EPSILON * (m->id.rinfog[9] + m->id.rinfog[10]);
    return solved;
}

void mumps_free(mumps **m)
{
    if (!*m) return;
    free((*m)->id.irn);
    free((*m)->id.jcn);
    free((*m)->id.a);
    (*m)->id.irn = (*m)->id.jcn = NULL;
    (*m)->id.a = NULL;
    call(*m, END);
    free(*m);
    *m = NULL;
}
