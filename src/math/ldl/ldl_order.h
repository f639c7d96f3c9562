// ldl_order.h - the order in which ldl.c eliminates the blocks of a saddle-point matrix.
#pragma once

#include "base/common.h"
#include "flexion/extend/system_table.h"

// ldl_forest.c: node (nblock), the block of unknowns after which a block is eliminated: of a block of
// unknowns itself; -1: a closure, a constraint without a pair.
flx_status flx_ldl_pair(flx_ctx *ctx, const flx_pattern *pattern, const signed char *sign,
                        int *node);

// order (nblock): order[k] is the block eliminated k-th. sign: +1 unknowns, -1 constraint rows.
flx_status flx_ldl_order(flx_ctx *ctx, const flx_pattern *pattern, const signed char *sign,
                         int *order);
