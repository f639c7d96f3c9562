// halves.c - how the steps of a run were halved for its measures: noted once, and taken again by runs that are compared with it.
#include "simulate/simulation_parts.h"

#include <string.h>

void flx_halves_clear(flx_halves *h)
{
    flx_free(h->cuts);
    flx_free(h->first);
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

flx_status flx_halves_step(flx_halves *h, flx_ctx *ctx)
{
    if (!h) return FLX_OK;
    if (h->keeps) {
        void *first = h->first;
        if (!widen(ctx, &first, sizeof *h->first, h->nstep, &h->room_step)) return FLX_ERR_MEMORY;
        h->first = first;
        h->first[h->nstep++] = h->ncut;
    }
    h->next = h->step < h->nstep ? h->first[h->step] : h->ncut;
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
    return h->next < (h->step < h->nstep ? h->first[h->step] : h->ncut);
}

bool flx_halves_next(flx_halves *h)
{
    return flx_halves_any(h) && h->cuts[h->next++];
}

bool flx_halves_cut(const flx_halves *h)
{
    return h->ncut > 0;
}
