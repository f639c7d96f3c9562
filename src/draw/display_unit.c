// display_unit.c - units that drawings show in the place of SI units.
#include "draw/display_unit.h"

#include "base/number.h"

#include <string.h>

#define REVOLUTION (2.0 * FLX_PI)

static const struct {
    const char *name, *of;
    double size; // in units `of`
} units[] = {
    {"deg", "rad", FLX_PI / 180},
    {"mrad", "rad", 1e-3},
    {"rev", "rad", REVOLUTION},
    {"rpm", "rad/s", REVOLUTION / 60},
    {"deg/s", "rad/s", FLX_PI / 180},
    {"Hz", "rad/s", REVOLUTION},
    {"deg/s^2", "rad/s^2", FLX_PI / 180},
    {"mm", "m", 1e-3},
    {"cm", "m", 1e-2},
    {"um", "m", 1e-6},
    {"km", "m", 1e3},
    {"in", "m", 0.0254},
    {"mm/s", "m/s", 1e-3},
    {"km/h", "m/s", 1.0 / 3.6},
    {"mm/s^2", "m/s^2", 1e-3},
    {"g", "m/s^2", 9.80665},
    {"kN", "N", 1e3},
    {"MN", "N", 1e6},
    {"mN", "N", 1e-3},
    {"kN m", "N m", 1e3},
    {"N mm", "N m", 1e-3},
    {"kPa", "Pa", 1e3},
    {"MPa", "Pa", 1e6},
    {"GPa", "Pa", 1e9},
    {"bar", "Pa", 1e5},
    {"kJ", "J", 1e3},
    {"mJ", "J", 1e-3},
    {"kW", "W", 1e3},
    {"mW", "W", 1e-3},
    {"ms", "s", 1e-3},
    {"us", "s", 1e-6},
    {"min", "s", 60},
    {"h", "s", 3600},
};

flx_status flx_display_factor(flx_ctx *ctx, const char *name, const char *from, const char *to,
                              double *factor)
{
    char offered[128] = "";
    size_t n = 0;
    *factor = 1.0;
    if (strcmp(from, to) == 0) return FLX_OK;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(units[i].of, from) != 0) continue;
        *factor = 1.0 / units[i].size;
        if (strcmp(units[i].name, to) == 0) return FLX_OK;
        n += (size_t)flx_snprintf(offered + n, sizeof offered - n, "%s%s", n ? ", " : "",
                                  units[i].name);
    }
    if (from[0] == '\0') {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "'%s' has no unit, so it cannot be drawn in '%s'", name, to);
    }
    return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "'%s' is in %s, which cannot be drawn in '%s'%s%s", name, from, to,
                    n ? "; it can in " : "", offered);
}
