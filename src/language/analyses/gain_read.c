// gain_read.c - keys of analyses of type lqr and kalman; see gain_read.h.
#include "language/analyses/gain_read.h"

#include <math.h>
#include <string.h>

flx_status flx_gains_read(flx_env *e, const flx_item *item, flx_gain_keys *out)
{
    const flx_entry *states = NULL, *sample = flx_entry_get(item->def, "sample");
    FLX_TRY(flx_build_need(e->b, item, "states", &states));
    FLX_TRY(flx_analysis_io(e, item, &out->io));
    if (sample) FLX_TRY(flx_build_positive(e, sample, "the interval", &out->sample));
    if (out->io.nin > 0) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, item->loc,
                    "'%s' needs inputs, and the model has none", item->full);
}

static flx_status check_symmetric(flx_env *e, int n, const double *W, const char *what, flx_loc loc)
{
    for (int i = 0; i < n; i++) {
        if (!(W[i * n + i] >= 0.0)) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                            "%s of number %d is %g, and must not be negative", what, i + 1,
                            W[i * n + i]);
        }
        for (int j = 0; j < i; j++) {
            if (W[i * n + j] == W[j * n + i]) continue;
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "%s is not symmetric: %g beside %g",
                            what, W[i * n + j], W[j * n + i]);
        }
    }
    return FLX_OK;
}

flx_status flx_gains_weights(flx_env *e, const flx_entry *y, int n, const char *what, double **out)
{
    int count = 0;
    double *given = NULL;
    FLX_TRY(flx_build_numbers(e, y, &count, &given));
    *out = flx_arena_take(e->b->m->arena, (size_t)n * (size_t)n, sizeof **out);
    if (!*out) return FLX_ERR_MEMORY;
    if (count != 1 && count != n && count != n * n) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "%s: %d numbers; it is one number for all, %d of them, or %d rows of %d",
                        what, count, n, n, n);
    }
    for (int i = 0; i < n * n; i++) (*out)[i] = 0.0;
    for (int i = 0; i < n * n && count == n * n; i++) (*out)[i] = given[i];
    for (int i = 0; i < n && count < n * n; i++) (*out)[i * n + i] = given[count == 1 ? 0 : i];
    return check_symmetric(e, n, *out, what, y->loc);
}

flx_status flx_gains_key(flx_env *e, const flx_item *item, const char *map, const char *key,
                         const char *const *known, const flx_entry **out)
{
    const flx_entry *y = flx_entry_get(item->def, map);
    *out = NULL;
    if (!y || y->kind != FLX_ENTRY_MAP) return FLX_OK;
    for (int i = 0; i < y->count; i++) {
        int k = 0;
        while (known[k] && strcmp(known[k], y->keys[i]->text) != 0) k++;
        if (known[k]) continue;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->keys[i]->loc,
                        "'%s' has no '%s'; it has %s, %s%s%s", map, y->keys[i]->text, known[0],
                        known[1], known[2] ? ", " : "", known[2] ? known[2] : "");
    }
    *out = flx_entry_get(y, key);
    return FLX_OK;
}
