// section_along.h - cross-sections that change along a line: expressions of `s`, the place from 0 to 1.
#pragma once

#include "language/builder.h"

// Whether an expression below this entry (NULL: none) has the name `s`.
bool flx_entry_is_along(const flx_entry *y);
// The scope at one place: local and out live as long as it is used.
flx_status flx_env_along(const flx_env *e, const flx_entry *y, double s, flx_local *local,
                         flx_env *out);
