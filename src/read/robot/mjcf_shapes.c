// mjcf_shapes.c - geoms of MJCF: shapes, and the mass that follows from their density.
#include "read/robot/mjcf_parts.h"

#include <math.h>
#include <string.h>

#define WATER 1000.0 // density where nothing is said

typedef struct geom {
    flx_robot_shape shape;
    bool ellipsoid, drawn, solid;
} geom;

// A capsule or cylinder, or a box, from one point to another.
static flx_status read_ends(const flx_mjcf *m, const flx_xml *e, const double size[3], int nsize,
                            geom *g)
{
    double x[6];
    int n;
    FLX_TRY(flx_mjcf_numbers(m, e, "fromto", 6, x, &n));
    if (n != 6) {
        g->shape.size[1] = 2.0 * size[1];
        return FLX_OK;
    }
    v3 a = v3_load(x), b = v3_load(x + 3),
       d = v3_sub(a, b); // its z goes from the second to the first
    double length = v3_norm(d);
    if (!(length > 0.0))
        return FLX_FAIL(m->robot->ctx, FLX_ERR_MODEL, e->loc, "fromto of <geom> are one point");
    g->shape.pose.r = v3_scale(0.5, v3_add(a, b));
    v3 z = v3_scale(1.0 / length, d), turn = v3_cross(v3_make(0, 0, 1), z);
    double s = v3_norm(turn), angle = atan2(s, z.z);
    v3 axis = s > 1e-10 ? v3_scale(1.0 / s, turn) : v3_make(1, 0, 0);
    g->shape.pose.R = quat_to_m33(quat_exp(v3_scale(angle, axis)));
    g->shape.size[1] = length;
    if (g->shape.form == FLX_ROBOT_BOX || g->ellipsoid) {
        g->shape.size[0] = size[0] * (g->ellipsoid ? 1.0 : 2.0);
        g->shape.size[1] = size[nsize > 1 ? 1 : 0] * (g->ellipsoid ? 1.0 : 2.0);
        g->shape.size[2] = g->ellipsoid ? 0.5 * length : length;
    }
    return FLX_OK;
}

static flx_status read_geom(flx_mjcf *m, const flx_xml *e, geom *g)
{
    double size[3] = {0};
    int n;
    const char *type = flx_mjcf_get(m, e, "type");
    if (!type) type = flx_mjcf_get(m, e, "mesh") ? "mesh" : "sphere";
    *g = (geom){.shape = {.loc = e->loc, .scale = 1.0}, .drawn = true, .solid = true};
    FLX_TRY(flx_mjcf_pose(m, e, &g->shape.pose));
    FLX_TRY(flx_mjcf_numbers(m, e, "size", 3, size, &n));
    if (strcmp(type, "sphere") == 0) {
        g->shape.form = FLX_ROBOT_SPHERE;
        g->shape.size[0] = size[0];
    } else if (strcmp(type, "capsule") == 0 || strcmp(type, "cylinder") == 0) {
        g->shape.form = strcmp(type, "capsule") == 0 ? FLX_ROBOT_CAPSULE : FLX_ROBOT_CYLINDER;
        g->shape.size[0] = size[0];
        FLX_TRY(read_ends(m, e, size, n, g));
    } else if (strcmp(type, "box") == 0 || strcmp(type, "ellipsoid") == 0) {
        g->ellipsoid = strcmp(type, "ellipsoid") == 0;
        g->drawn = !g->ellipsoid;
        g->shape.form = FLX_ROBOT_BOX;
        for (int k = 0; k < 3; k++) g->shape.size[k] = g->ellipsoid ? size[k] : 2.0 * size[k];
        if (flx_mjcf_get(m, e, "fromto")) FLX_TRY(read_ends(m, e, size, n, g));
    } else {
        g->drawn = g->solid = false;
    }
    bool sized = g->shape.size[0] > 0.0 &&
                 (g->shape.form == FLX_ROBOT_SPHERE || g->shape.size[1] > 0.0) &&
                 (g->shape.form != FLX_ROBOT_BOX || g->shape.size[2] > 0.0);
    if (g->solid && !sized)
        return FLX_FAIL(m->robot->ctx, FLX_ERR_MODEL, e->loc, "a geom of type %s has no size",
                        type);
    if (!g->solid && strcmp(type, "plane") != 0 && strcmp(type, "hfield") != 0 && !m->told_meshes) {
        m->told_meshes = true;
        FLX_ROBOT_NOTE(m->robot, e->loc, "geoms of type %s are left out, and so is their mass",
                       type);
    }
    return FLX_OK;
}

static double volume_of(const geom *g, m33 *I)
{
    if (!g->ellipsoid) return flx_robot_volume(&g->shape, I);
    const double *a = g->shape.size;
    *I = m33_zero();
    I->m[0] = (a[1] * a[1] + a[2] * a[2]) / 5.0;
    I->m[4] = (a[0] * a[0] + a[2] * a[2]) / 5.0;
    I->m[8] = (a[0] * a[0] + a[1] * a[1]) / 5.0;
    return 4.0 / 3.0 * FLX_PI * a[0] * a[1] * a[2];
}

flx_status flx_mjcf_geoms(flx_mjcf *m, const flx_xml *body, flx_robot_link *link, bool massive)
{
    for (const flx_xml *e = flx_xml_child(body, "geom"); e; e = flx_xml_next(e, "geom")) {
        geom g;
        m33 I;
        double mass, density = WATER;
        int n;
        FLX_TRY(read_geom(m, e, &g));
        if (g.solid && massive) {
            double volume = volume_of(&g, &I);
            FLX_TRY(flx_mjcf_numbers(m, e, "density", 1, &density, NULL));
            FLX_TRY(flx_mjcf_numbers(m, e, "mass", 1, &mass, &n));
            if (n == 0) mass = density * volume;
            I = m33_scale(mass, m33_mul_t(m33_mul(g.shape.pose.R, I), g.shape.pose.R));
            flx_robot_add_mass(link, mass, g.shape.pose.r, I);
        }
        if (!g.drawn || !link) continue;
        flx_robot_shape *kept = flx_arena_take(m->robot->arena, 1, sizeof *kept);
        if (!kept) return FLX_ERR_MEMORY;
        *kept = g.shape;
        kept->next = link->shapes;
        link->shapes = kept;
    }
    return FLX_OK;
}
