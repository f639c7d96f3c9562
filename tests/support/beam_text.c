// beam_text.c - the inextensible cantilever of n links as a model.
#include "beam_text.h"

#include <stdio.h>
#include <stdlib.h>

char *beam_text(int n, const char *simulate)
{
    static const char head[] =
        "flexion: 1\n"
        "parameters: {n: %d}\n"
        "signals: {phi: 'if(t < pi, 1.5*sin(t)^2, 0)'}\n"
        "equations:\n"
        "  second_order:\n"
        "    b: {repeat: {l: [1, n]}, mass: n + 0.5 - l,\n"
        "        force: \"n^4*(if(l > 1, b(max(l - 1, 1)), -b(1)) - 2*b(l) + b(min(l + 1, n)))\n"
        "          + n^2*phi*(cos(b(l)) + sin(b(l)))\n"
        "          - sum(k, 1, n, (n + 0.5 - max(l, k))*sin(b(l) - b(k))*b(k)'^2)\"}\n"
        "  coupling:\n";
    size_t size = 1000u + 60u * (size_t)n * (size_t)n;
    char *text = malloc(size), *end = text + size, *p = text;
    if (!text) return NULL;
    p += snprintf(p, size, head, n);
    for (int l = 1; l <= n; l++) {
        for (int k = l + 1; k <= n; k++) {
            p += snprintf(p, (size_t)(end - p), "    - [b(%d), b(%d), %g*cos(b(%d) - b(%d))]\n", l,
                          k, n + 0.5 - k, l, k);
        }
    }
    snprintf(p, (size_t)(end - p), "simulate: {%s}\noutputs: {times: [5], signals: [b, b']}\n",
             simulate);
    return text;
}
