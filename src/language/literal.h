// literal.h - numbers that are written as such. What becomes part of other expressions is checked by it at once; an
// expression is not looked at, since its value would then be fixed.
#pragma once

#include "base/number.h"
#include "model/entry.h"

#include <stdbool.h>

// Whether the entry is a number and no expression, and which.
static inline bool flx_entry_literal(const flx_entry *y, double *out)
{
    char *end = NULL;
    if (!y || y->kind != FLX_ENTRY_SCALAR) return false;
    *out = flx_number_read(y->text, &end);
    return end != y->text && !*end;
}
