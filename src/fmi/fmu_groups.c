// fmu_groups.c - vectors among the outputs, by their names.
#include "fmi/fmu_groups.h"

#include <string.h>

// Whether an output is the component `letter` of the vector that `first` is the component x of.
static int is_component(const char *first, const char *name, char letter)
{
    size_t n = strlen(first);
    return strlen(name) == n && n > 2 && strncmp(first, name, n - 1) == 0 && first[n - 2] == '.' &&
           first[n - 1] == 'x' && name[n - 1] == letter;
}

int flx_fmu_group(const flx_system *s, int i)
{
    flx_port_info first, next;
    int n = 1;
    if (!flx_system_describe(s, FLX_PORT_OUTPUT, i, &first)) return 1;
    while (n < 3 && flx_system_describe(s, FLX_PORT_OUTPUT, i + n, &next) &&
           is_component(first.name, next.name, "xyz"[n]))
        n++;
    return n;
}
