// base_unit.c - a unit's text taken apart: factors side by side, whole powers, brackets below one stroke. "g" is left out: of
// accelerations it is no gram.
#include "fmi/base_unit.h"

#include "base/common.h"
#include "base/letters.h"

#include <math.h>

const char *const flx_unit_bases[FLX_UNIT_BASES] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};

static const struct {
    const char *name;
    double factor;
    signed char exponents[FLX_UNIT_BASES];
} units[] = {
    {"kg", 1, {1}},
    {"t", 1e3, {1}},
    {"m", 1, {0, 1}},
    {"mm", 1e-3, {0, 1}},
    {"cm", 1e-2, {0, 1}},
    {"km", 1e3, {0, 1}},
    {"s", 1, {0, 0, 1}},
    {"ms", 1e-3, {0, 0, 1}},
    {"min", 60, {0, 0, 1}},
    {"h", 3600, {0, 0, 1}},
    {"A", 1, {0, 0, 0, 1}},
    {"K", 1, {0, 0, 0, 0, 1}},
    {"mol", 1, {0, 0, 0, 0, 0, 1}},
    {"cd", 1, {0, 0, 0, 0, 0, 0, 1}},
    {"rad", 1, {0, 0, 0, 0, 0, 0, 0, 1}},
    {"deg", FLX_PI / 180, {0, 0, 0, 0, 0, 0, 0, 1}},
    {"rev", 2 * FLX_PI, {0, 0, 0, 0, 0, 0, 0, 1}},
    {"rpm", FLX_PI / 30, {0, 0, -1, 0, 0, 0, 0, 1}},
    {"Hz", 1, {0, 0, -1}},
    {"N", 1, {1, 1, -2}},
    {"kN", 1e3, {1, 1, -2}},
    {"Nm", 1, {1, 2, -2}},
    {"Pa", 1, {1, -1, -2}},
    {"kPa", 1e3, {1, -1, -2}},
    {"MPa", 1e6, {1, -1, -2}},
    {"GPa", 1e9, {1, -1, -2}},
    {"bar", 1e5, {1, -1, -2}},
    {"J", 1, {1, 2, -2}},
    {"kJ", 1e3, {1, 2, -2}},
    {"W", 1, {1, 2, -3}},
    {"kW", 1e3, {1, 2, -3}},
    {"V", 1, {1, 2, -3, -1}},
    {"%", 1e-2, {0}},
};

static bool multiply(flx_base_unit *u, const char *name, size_t length, int power)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strlen(units[i].name) != length || strncmp(units[i].name, name, length) != 0) continue;
        for (int k = 0; k < FLX_UNIT_BASES; k++) u->exponents[k] += power * units[i].exponents[k];
        u->factor *= pow(units[i].factor, power);
        return true;
    }
    return false;
}

// A whole number behind "^", 1 where there is none; false: it is none.
static bool read_power(const char **at, int *power)
{
    *power = 1;
    if (**at != '^') return true;
    int sign = *++*at == '-' ? -1 : 1, n = 0;
    if (sign < 0) ++*at;
    if (!flx_is_digit(**at)) return false;
    while (flx_is_digit(**at) && n < 100) n = 10 * n + (*(*at)++ - '0');
    *power = sign * n;
    return true;
}

bool flx_base_unit_read(const char *text, flx_base_unit *out)
{
    int side = 1; // -1: below the stroke
    bool held = false, any = false;
    *out = (flx_base_unit){.factor = 1.0};
    for (const char *at = text; *at;) {
        if (*at == ' ' || *at == '*') {
            at++;
        } else if (*at == '/') {
            side = -1;
            at++;
        } else if (*at == '(' && !held) {
            held = true;
            at++;
        } else if (*at == ')' && held) {
            held = false;
            side = 1;
            at++;
        } else if (*at == '1' && !flx_is_digit(at[1])) {
            any = true;
            at++;
        } else {
            const char *name = at;
            int power;
            while (flx_is_letter(*at) || *at == '%') at++;
            size_t length = (size_t)(at - name);
            if (length == 0 || !read_power(&at, &power)) return false;
            if (!multiply(out, name, length, side * power)) return false;
            if (!held) side = 1; // a stroke takes one factor
            any = true;
        }
    }
    return any && !held;
}
