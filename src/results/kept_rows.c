// kept_rows.c - rows that are kept until a run has ended.
#include "results/kept_rows.h"

#include "base/common.h"

#include <limits.h>
#include <string.h>

flx_status flx_kept_rows_begin(flx_ctx *ctx, const flx_result_info *info, flx_kept_rows *r)
{
    r->width = info->ncolumn + 1;
    long rows = info->rows < INT_MAX / r->width - 1 ? info->rows : 0;
    return flx_grow(ctx, (void **)&r->data, &r->capacity, (int)rows * r->width, sizeof *r->data);
}

flx_status flx_kept_rows_add(flx_ctx *ctx, flx_kept_rows *r, double t, const double *values)
{
    if (r->count >= INT_MAX / r->width - 1) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the run has too many rows to keep them in memory: write fewer with "
                        "'every', or the run to a file");
    }
    FLX_TRY(
        flx_grow(ctx, (void **)&r->data, &r->capacity, (r->count + 1) * r->width, sizeof *r->data));
    double *row = r->data + (size_t)r->count * (size_t)r->width;
    row[0] = t;
    memcpy(row + 1, values, (size_t)(r->width - 1) * sizeof *row);
    r->count++;
    return FLX_OK;
}
