// counted.h - instructions of a program that is run again by valgrind.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Instructions in millions of the function named, where this program is run with the arguments;
// negative: not known, there is no valgrind.
static inline double bench_count(const char *self, const char *arguments, const char *function)
{
    char command[1200], line[400];
    double collected = -1.0;
    snprintf(command, sizeof command,
             "valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=%s '%s' "
             "%s 2>&1",
             function, self, arguments);
    FILE *f = popen(command, "r");
    while (f && fgets(line, sizeof line, f)) {
        const char *at = strstr(line, "Collected : ");
        if (at) collected = atof(at + 12);
    }
    if (f) pclose(f);
    return collected < 0.0 ? collected : 1e-6 * collected;
}
