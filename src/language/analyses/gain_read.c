// gain_read.c - keys of analyses of type lqr and kalman; see gain_read.h.
#include "language/analyses/gain_read.h"

#include <math.h>
#include <string.h>

flx_status flx_gains_all_read(const flx_entry *list, int n)
{
    return list && list->kind == FLX_ENTRY_LIST && n < list->count ? FLX_ERR_MODEL : FLX_OK;
}

flx_status flx_gains_read(flx_env *e, const flx_item *item, flx_gain_keys *out)
{
    const flx_entry *states = NULL, *sample = flx_entry_get(item->def, "sample");
    FLX_TRY(flx_build_need(e->b, item, "states", &states));
    FLX_TRY(flx_analysis_io(e, item, &out->io));
    FLX_TRY(flx_gains_all_read(states, out->io.nstate));
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

// A number, n of them, or n rows of n. What was found instead, as text; NULL: it fits.
static const char *misfit(flx_env *e, const flx_operand *v, int n)
{
    flx_arena *texts = e->b->scratch;
    const char *text = NULL;
    if (v->kind != FLX_OPERAND_LIST) return NULL;
    int rows = 0, same = 0;
    bool deep = false;
    for (int i = 0; i < v->count; i++) {
        const flx_operand *row = v->items + i;
        if (row->kind != FLX_OPERAND_LIST) continue;
        rows++;
        same += row->count == v->items[0].count;
        for (int k = 0; k < row->count; k++) deep = deep || row->items[k].kind == FLX_OPERAND_LIST;
    }
    if (deep || (rows > 0 && rows < v->count)) return "lists within lists";
    bool even = rows > 0 && same == rows;
    if (v->count == n && (rows == 0 || (even && v->items[0].count == n))) return NULL;
    const char *s = v->count == 1 ? "" : "s";
    if (rows == 0)
        text = flx_arena_printf(texts, "%d number%s", v->count, s);
    else if (even)
        text = flx_arena_printf(texts, "%d row%s of %d", v->count, s, v->items[0].count);
    else
        text = flx_arena_printf(texts, "%d rows, not of %d each", v->count, n);
    return text ? text : "";
}

static flx_status check_shape(flx_env *e, const flx_entry *y, int n, const char *what)
{
    flx_operand v = {.node = -1}, held;
    FLX_TRY(flx_build_value(e, y, &v));
    if (v.kind == FLX_OPERAND_HANDLE) {
        FLX_TRY(flx_env_coerce(&e->scope, &v, y->loc, &held));
        v = held;
    }
    const char *found = misfit(e, &v, n);
    if (!found) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                    "%s: %s; it is one number for all, a list of %d, or %d rows of %d", what, found,
                    n, n, n);
}

flx_status flx_gains_weights(flx_env *e, const flx_entry *y, int n, const char *what, double **out)
{
    int count = 0;
    double *given = NULL;
    FLX_TRY(check_shape(e, y, n, what));
    FLX_TRY(flx_build_numbers(e, y, &count, &given));
    *out = flx_arena_take(e->b->m->arena, (size_t)n * (size_t)n, sizeof **out);
    if (!*out) return FLX_ERR_MEMORY;
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
