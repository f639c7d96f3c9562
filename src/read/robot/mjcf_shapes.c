// mjcf_shapes.c - geoms of MJCF: shapes, surfaces, and the mass that follows from their density.
#include "read/robot/mjcf_parts.h"

#include <math.h>
#include <string.h>

#define WATER 1000.0 // density where nothing is said

typedef struct geom {
    flx_robot_shape shape;
    flx_robot_pose pose; // of the geom; that of its file may differ
    flx_robot_solid solid;
    bool drawn, touches;
} geom;

static flx_robot_solid ellipsoid(const double a[3])
{
    flx_robot_solid s = {.volume = 4.0 / 3.0 * FLX_PI * a[0] * a[1] * a[2]};
    for (int k = 0; k < 3; k++) {
        double b = a[(k + 1) % 3], c = a[(k + 2) % 3];
        s.inertia.m[4 * k] = (b * b + c * c) / 5.0;
    }
    return s;
}

// Half lengths become lengths. One that goes from a point to another has one size, and half of what is between them.
static flx_status read_sizes(flx_mjcf *m, const flx_xml *e, const char *type, double length,
                             geom *g)
{
    double size[3] = {0};
    int n;
    bool round = strcmp(type, "capsule") == 0 || strcmp(type, "cylinder") == 0;
    FLX_TRY(flx_mjcf_numbers(m, e, "size", 3, size, &n));
    if (length > 0.0 && round) {
        size[1] = 0.5 * length;
    } else if (length > 0.0) {
        size[1] = size[0];
        size[2] = 0.5 * length;
    }
    const int wanted = round ? 2 : strcmp(type, "sphere") == 0 ? 1 : 3;
    for (int k = 0; k < wanted; k++) {
        if (!(size[k] > 0.0))
            return FLX_FAIL(m->robot->ctx, FLX_ERR_MODEL, e->loc, "a geom of type %s has no size",
                            type);
    }
    for (int k = 0; k < 3; k++) g->shape.size[k] = size[k];
    if (round) g->shape.size[1] = 2.0 * size[1];
    if (strcmp(type, "box") == 0) {
        for (int k = 0; k < 3; k++) g->shape.size[k] = 2.0 * size[k];
    }
    return FLX_OK;
}

static flx_status read_mesh(flx_mjcf *m, const flx_xml *e, bool massive, geom *g)
{
    bool found;
    g->shape.form = FLX_ROBOT_MESH;
    FLX_TRY(flx_mjcf_mesh(m, e, &g->shape, massive ? &g->solid : NULL, &found));
    g->drawn = g->shape.file != NULL;
    if (massive && !(g->solid.volume > 0.0))
        FLX_ROBOT_NOTE(m->robot, e->loc, "the mass of a geom is left out: %s",
                       found ? "its mesh is open, or encloses nothing" : "its mesh is not there");
    return FLX_OK;
}

static flx_status read_geom(flx_mjcf *m, const flx_xml *e, bool massive, geom *g)
{
    static const struct {
        const char *word;
        flx_robot_form form;
    } forms[] = {{"sphere", FLX_ROBOT_SPHERE},
                 {"capsule", FLX_ROBOT_CAPSULE},
                 {"cylinder", FLX_ROBOT_CYLINDER},
                 {"box", FLX_ROBOT_BOX},
                 {"ellipsoid", FLX_ROBOT_BOX}};
    const char *type = flx_mjcf_get(m, e, "type");
    double length;
    if (!type) type = "sphere";
    if (flx_mjcf_get(m, e, "mesh") && strcmp(type, "mesh") != 0) {
        FLX_ROBOT_NOTE(m->robot, e->loc, "a geom takes its mesh, not the %s that is fitted to it",
                       type);
        type = "mesh";
    }
    *g = (geom){.shape = {.loc = e->loc, .scale = {1.0, 1.0, 1.0}}};
    FLX_TRY(flx_mjcf_placed(m, e, &g->pose, &length));
    g->shape.pose = g->pose;
    if (strcmp(type, "mesh") == 0) return read_mesh(m, e, massive, g);
    if (strcmp(type, "plane") == 0 || strcmp(type, "hfield") == 0) return FLX_OK;
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        if (strcmp(type, forms[k].word) != 0) continue;
        bool oval = strcmp(type, "ellipsoid") == 0;
        g->shape.form = forms[k].form;
        FLX_TRY(read_sizes(m, e, type, length, g));
        g->solid = oval ? ellipsoid(g->shape.size) : flx_robot_volume(&g->shape);
        g->drawn = !oval;
        g->touches = g->drawn &&
                     !(flx_mjcf_is(m, e, "contype", "0") && flx_mjcf_is(m, e, "conaffinity", "0"));
        return FLX_OK;
    }
    if (!m->told_kind)
        FLX_ROBOT_NOTE(m->robot, e->loc, "geoms of type %s are left out, and so is their mass",
                       type);
    m->told_kind = true;
    return FLX_OK;
}

static flx_status add_mass(flx_mjcf *m, const flx_xml *e, const geom *g, flx_robot_link *link)
{
    double mass, density = WATER;
    int n;
    FLX_TRY(flx_mjcf_numbers(m, e, "density", 1, &density, NULL));
    FLX_TRY(flx_mjcf_numbers(m, e, "mass", 1, &mass, &n));
    if (n == 0) mass = density * g->solid.volume;
    m33 I = m33_mul_t(m33_mul(g->pose.R, g->solid.inertia), g->pose.R);
    v3 centre = v3_add(g->pose.r, m33_mul_v(g->pose.R, g->solid.centre));
    flx_robot_add_mass(link, mass, centre, m33_scale(mass, I));
    return FLX_OK;
}

static flx_status keep(flx_arena *arena, const flx_robot_shape *s, flx_robot_shape **list)
{
    flx_robot_shape *kept = flx_arena_take(arena, 1, sizeof *kept);
    if (!kept) return FLX_ERR_MEMORY;
    *kept = *s;
    kept->next = *list;
    *list = kept;
    return FLX_OK;
}

flx_status flx_mjcf_geoms(flx_mjcf *m, const flx_xml *body, flx_robot_link *link, bool massive)
{
    for (const flx_xml *e = flx_xml_child(body, "geom"); e; e = flx_xml_next(e, "geom")) {
        geom g;
        double group = 0.0;
        FLX_TRY(flx_mjcf_numbers(m, e, "group", 1, &group, NULL));
        bool counts = massive && group >= m->groups[0] && group <= m->groups[1];
        FLX_TRY(read_geom(m, e, counts, &g));
        if (counts && g.solid.volume > 0.0) FLX_TRY(add_mass(m, e, &g, link));
        if (g.drawn) FLX_TRY(keep(m->robot->arena, &g.shape, &link->shapes));
        if (g.touches) FLX_TRY(keep(m->robot->arena, &g.shape, &link->surfaces));
    }
    return FLX_OK;
}
