// display_unit.c - units that drawings show in the place of those of the result.
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

// A unit as so many of an SI unit; one that is not in the table stands for itself.
static const char *resolve(const char *unit, double *size)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(units[i].name, unit) != 0) continue;
        *size = units[i].size;
        return units[i].of;
    }
    *size = 1.0;
    return unit;
}

flx_status flx_display_factor(flx_ctx *ctx, const char *name, const char *from, const char *to,
                              double *factor)
{
    char offered[128] = "";
    double is, wanted;
    const char *of = resolve(from, &is), *other = resolve(to, &wanted);
    *factor = is / wanted;
    if (strcmp(of, other) == 0) return FLX_OK;
    if (from[0] == '\0') {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "'%s' has no unit, so it cannot be drawn in '%s'", name, to);
    }
    size_t n = of == from ? 0 : (size_t)flx_snprintf(offered, sizeof offered, "%s", of);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(units[i].of, of) != 0 || strcmp(units[i].name, from) == 0) continue;
        n += (size_t)flx_snprintf(offered + n, sizeof offered - n, "%s%s", n ? ", " : "",
                                  units[i].name);
    }
    return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "'%s' is in %s, which cannot be drawn in '%s'%s%s", name, from, to,
                    n ? "; it can in " : "", offered);
}
