// frontal_walk.c - the walk over the tree: each front takes in what its children left, is eliminated, and leaves an update that
// waits on a stack until its parent takes it in.
#include "math/frontal/frontal_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define COLUMNS 48          // of an update that one thread adds at a time
#define WORK_OF_ADDING 16.0 // flops that take as long as a number

// Where each group of the front is, counted in unknowns from its first pivot.
static void place_groups(const flx_frontal_walker *w, int s)
{
    const flx_frontal *f = w->f;
    int first = f->group_start[f->front_group[s]], at = f->ncol[s];
    for (int j = f->front_group[s]; j < f->front_group[s + 1]; j++) {
        w->local[j] = f->group_start[j] - first;
    }
    for (int64_t p = f->below_start[s]; p < f->below_start[s + 1]; p++) {
        int j = f->below[p];
        w->local[j] = at;
        at += f->group_start[j + 1] - f->group_start[j];
    }
}

// Rows of a child in the current front.
static void relate(const flx_frontal_walker *w, int child)
{
    const flx_frontal *f = w->f;
    int k = 0;
    for (int64_t p = f->below_start[child]; p < f->below_start[child + 1]; p++) {
        int j = f->below[p], size = f->group_start[j + 1] - f->group_start[j];
        for (int q = 0; q < size; q++) w->relative[k++] = w->local[j] + q;
    }
}

void flx_frontal_join(flx_frontal_walker *all, const flx_frontal_walker *part)
{
    flx_frontal_report *a = &all->report;
    const flx_frontal_report *b = &part->report;
    a->negative += b->negative;
    a->small += b->small;
    a->moved += b->moved;
    if (a->ratio < b->ratio || (a->ratio == b->ratio && all->at <= part->at)) return;
    a->ratio = b->ratio;
    a->smallest = b->smallest;
    all->at = part->at;
}

#define FRONT_COMPLEX 0
#include "math/frontal/frontal_walk.inc.h"
#undef FRONT_COMPLEX

#define FRONT_COMPLEX 1
#include "math/frontal/frontal_walk.inc.h"
#undef FRONT_COMPLEX
