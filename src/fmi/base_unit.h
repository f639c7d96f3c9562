// base_unit.h - units as products of powers of the SI's base units: "N m/rad" is kg^1 m^2 s^-2 rad^-1.
#pragma once

#include <stdbool.h>

enum {
    FLX_UNIT_KG,
    FLX_UNIT_M,
    FLX_UNIT_S,
    FLX_UNIT_A,
    FLX_UNIT_K,
    FLX_UNIT_MOL,
    FLX_UNIT_CD,
    FLX_UNIT_RAD,
    FLX_UNIT_BASES
};
extern const char *const flx_unit_bases[FLX_UNIT_BASES]; // "kg", "m", ...

typedef struct flx_base_unit {
    int exponents[FLX_UNIT_BASES];
    double factor; // one of it is so many of the product
} flx_base_unit;

// false: the text is no product of units that are known.
bool flx_base_unit_read(const char *text, flx_base_unit *out);
