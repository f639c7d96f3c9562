// design_idle.c - parameters that no goal and no condition depends on: a search leaves them where they began, and what is
// found says nothing about them.
//
// Slopes that vanish at all points are a reason to look: they do so at a point of symmetry, too. Two points far from the best
// one, which have the same numbers, decide.
#include "optimise/design_parts.h"

#include <math.h>
#include <string.h>

#define NO_SLOPE 1e-9 // change over the bounds, as a part of the number itself
#define SAME 1e-13
#define FAR 0.17 // of the bounds; by a number that no symmetry has

static bool is_flat(const design *d, int k)
{
    double range = d->o->parameters[k].to - d->o->parameters[k].from;
    for (int i = 0; i < d->nknown; i++) {
        const design_point *p = d->known + i;
        for (int j = 0; j < d->nrow && p->sloped && !p->failed; j++) {
            double change = fabs(p->slope[j * d->n + k] * range);
            if (change > NO_SLOPE * fabs(p->value[j])) return false;
        }
    }
    return true;
}

static bool are_same(const design *d, const design_point *a, const design_point *b)
{
    if (a->failed || b->failed) return a->failed && b->failed;
    for (int j = 0; j < d->nrow; j++) {
        double x = a->value[j], y = b->value[j];
        if (isnan(x) && isnan(y)) continue;
        if (!(fabs(x - y) <= SAME * fabs(x))) return false;
    }
    return true;
}

// Whether all that is known stays as it is where parameter k is moved from `x` (n), to both sides where there is room.
static flx_status look(design *d, const double *x, int k, bool *same)
{
    const flx_optimised *o = d->o->parameters + k;
    const design_point *here = NULL, *there = NULL;
    double reach = FAR * (o->to - o->from);
    *same = false;
    FLX_TRY(flx_design_know(d->workers, x, false, false, &here));
    double *moved = flx_alloc(d->ctx, (size_t)d->n, sizeof *moved);
    if (!moved) return FLX_ERR_MEMORY;
    flx_status status = FLX_OK;
    bool all = true;
    for (int side = -1; side <= 1 && all && status == FLX_OK; side += 2) {
        memcpy(moved, x, (size_t)d->n * sizeof *moved);
        moved[k] += side * reach;
        if (moved[k] < o->from || moved[k] > o->to) moved[k] = x[k] - 0.5 * side * reach;
        status = flx_design_know(d->workers, moved, false, false, &there);
        all = status == FLX_OK && are_same(d, here, there);
    }
    flx_free(moved);
    *same = all;
    return status;
}

flx_status flx_design_find_idle(design *d, const double *x, const char **names, bool *all)
{
    int count = 0;
    *names = NULL;
    for (int k = 0; k < d->n; k++) {
        bool idle = is_flat(d, k);
        if (idle) FLX_TRY(look(d, x, k, &idle));
        if (!idle) continue;
        count++;
        *names = flx_arena_printf(d->arena, "%s%s%s", *names ? *names : "", *names ? ", " : "",
                                  d->o->parameters[k].name);
        if (!*names) return FLX_ERR_MEMORY;
    }
    *all = count == d->n;
    return FLX_OK;
}
