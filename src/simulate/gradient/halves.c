// halves.c - how the steps of a run were halved for its measures: noted once, and taken again by runs that are compared with it.
#include "simulate/simulation_parts.h"

#include <string.h>

void flx_halves_clear(flx_halves *h)
{
    flx_free(h->cuts);
    flx_free(h->steps);
    *h = (flx_halves){0};
}

void flx_halves_start(flx_halves *h)
{
    if (!h) return;
    h->step = h->next = 0;
    if (h->keeps) h->ncut = h->nstep = 0;
}

// *array (n) with room for one more.
static bool widen(flx_ctx *ctx, void **array, size_t size, int n, int *room)
{
    if (n < *room) return true;
    int more = *room == 0 ? 1024 : 2 * *room;
    void *wider = flx_alloc(ctx, (size_t)more, size);
    if (!wider) return false;
    if (n > 0) memcpy(wider, *array, (size_t)n * size);
    flx_free(*array);
    *array = wider;
    *room = more;
    return true;
}

static int first_of(const flx_halves *h, int step)
{
    return step < h->nstep ? h->steps[step].first : h->ncut;
}

flx_status flx_halves_step(flx_halves *h, flx_ctx *ctx)
{
    if (!h) return FLX_OK;
    if (h->keeps) {
        void *steps = h->steps;
        if (!widen(ctx, &steps, sizeof *h->steps, h->nstep, &h->room_step)) return FLX_ERR_MEMORY;
        h->steps = steps;
        h->steps[h->nstep++] = (struct flx_halved_step){.first = h->ncut};
    }
    h->next = first_of(h, h->step);
    h->step++;
    return FLX_OK;
}

flx_status flx_halves_note(flx_halves *h, flx_ctx *ctx, bool cut)
{
    if (!h || !h->keeps) return FLX_OK;
    void *cuts = h->cuts;
    if (!widen(ctx, &cuts, sizeof *h->cuts, h->ncut, &h->room_cut)) return FLX_ERR_MEMORY;
    h->cuts = cuts;
    h->cuts[h->ncut++] = cut;
    return FLX_OK;
}

bool flx_halves_takes(const flx_halves *h)
{
    return h && !h->keeps;
}

bool flx_halves_any(const flx_halves *h)
{
    return h->next < first_of(h, h->step);
}

bool flx_halves_next(flx_halves *h)
{
    return flx_halves_any(h) && h->cuts[h->next++];
}

bool flx_halves_anew(flx_halves *h, bool found)
{
    if (!h) return found;
    if (h->step < 1 || h->step > h->nstep) return false;
    struct flx_halved_step *last = h->steps + h->step - 1;
    if (h->keeps) last->anew = found;
    return last->anew;
}

bool flx_halves_cut(const flx_halves *h)
{
    return h->ncut > 0;
}

bool flx_halves_differ(const flx_halves *h)
{
    bool any = flx_halves_cut(h);
    for (int i = 0; i < h->nstep && !any; i++) any = h->steps[i].anew;
    return any;
}
