// random_number.h - numbers that look random, the same on every machine.
#pragma once

#include <stdint.h>

// Uniform in -1..1.
static inline double random_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1.0;
}
