// no_number.c - see no_number.h.
#include "base/no_number.h"

#include "base/number.h"

#include <stddef.h>

static _Thread_local char told[400];

void flx_no_number_note(const char *function, int narg, const double *x)
{
    if (told[0]) return;
    size_t n = (size_t)flx_snprintf(
        told, sizeof told, "; the external function '%.100s' gave no number at (", function);
    for (int i = 0; i < narg && n + 40 < sizeof told; i++)
        n += (size_t)flx_snprintf(told + n, sizeof told - n, "%s%.6g", i ? ", " : "", x[i]);
    flx_snprintf(told + n, sizeof told - n, ")");
}

void flx_no_number_forget(void)
{
    told[0] = '\0';
}

const char *flx_no_number_text(void)
{
    return told;
}
