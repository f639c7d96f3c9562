// plans.h - what is found out of a pattern alone (orders of elimination, where everything goes), kept with the pattern of a
// compiled system: found once, by whoever asks first, and read by all factorisations on it, of any thread.
#pragma once

#include "flexion/extend/system_table.h"

#include <stdbool.h>

typedef enum flx_plan_kind { FLX_PLAN_LDL, FLX_PLAN_LU } flx_plan_kind;

// Of a system that is compiled, which owns it: put into its pattern before the first factorisation.
// NULL: no memory.
struct flx_plans *flx_plans_create(flx_ctx *ctx);
void flx_plans_destroy(struct flx_plans **plans);

// The plan of that kind for the pattern with these signs of blocks (NULL: none); NULL: there is none yet, or the pattern
// keeps none.
const void *flx_plans_find(const flx_pattern *p, flx_plan_kind kind, const signed char *sign);
// Keeps a plan, which must not change any more, and gives the one to be used: another thread may have been first, and then
// this one is destroyed. NULL: it is not kept, and stays the caller's. ctx: of the caller.
const void *flx_plans_keep(flx_ctx *ctx, const flx_pattern *p, flx_plan_kind kind,
                           const signed char *sign, void *plan, void (*destroy)(void *plan));
