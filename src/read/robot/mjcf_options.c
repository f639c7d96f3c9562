// mjcf_options.c - what holds for a whole file of MJCF: <compiler>, <option>, frames.
#include "read/robot/mjcf_parts.h"

#include <string.h>

static bool says(const flx_xml *e, const char *attribute, const char *value)
{
    const char *own = flx_xml_get(e, attribute);
    return own && strcmp(own, value) == 0;
}

static flx_status read_compiler(flx_mjcf *m, const flx_xml *c)
{
    flx_ctx *ctx = m->robot->ctx;
    const char *sequence = flx_xml_get(c, "eulerseq"), *geoms = flx_xml_get(c, "inertiafromgeom"),
               *limits = flx_xml_get(c, "autolimits"), *meshes = flx_xml_get(c, "meshdir");
    if (flx_xml_get(c, "angle")) m->angle = says(c, "angle", "radian") ? 1.0 : FLX_PI / 180.0;
    if (sequence && (strlen(sequence) != 3 || strspn(sequence, "xyzXYZ") != 3))
        return FLX_FAIL(ctx, FLX_ERR_MODEL, c->loc,
                        "eulerseq has three letters of xyzXYZ, not '%s'", sequence);
    if (sequence) memcpy(m->sequence, sequence, 4);
    if (geoms) m->from_geoms = strcmp(geoms, "true") == 0 ? 1 : strcmp(geoms, "false") == 0 ? 0 : 2;
    if (limits) m->limits_by_range = strcmp(limits, "true") == 0;
    if (!meshes) meshes = flx_xml_get(c, "assetdir");
    if (meshes) m->mesh_folder = meshes;
    if (flx_xml_get(c, "strippath")) m->plain_files = says(c, "strippath", "true");
    if (says(c, "coordinate", "global"))
        return FLX_FAIL(ctx, FLX_ERR_UNAVAILABLE, c->loc,
                        "global coordinates of MJCF are not read");
    FLX_TRY(flx_xml_numbers(ctx, c, "boundmass", 1, &m->bound_mass, NULL));
    FLX_TRY(flx_xml_numbers(ctx, c, "boundinertia", 1, &m->bound_inertia, NULL));
    FLX_TRY(flx_xml_numbers(ctx, c, "settotalmass", 1, &m->total_mass, NULL));
    return flx_xml_numbers(ctx, c, "inertiagrouprange", 2, m->groups, NULL);
}

// What is switched off, but for what decides nothing here.
static void read_flags(flx_mjcf *m, const flx_xml *e)
{
    static const char *const forces[] = {"constraint", "equality",  "frictionloss", "limit",
                                         "passive",    "actuation", "spring",       "damper"};
    if (says(e, "gravity", "disable")) m->robot->gravity = v3_make(0.0, 0.0, 0.0);
    for (size_t k = 0; k < sizeof forces / sizeof forces[0]; k++) {
        if (says(e, forces[k], "disable"))
            FLX_ROBOT_NOTE(m->robot, e->loc,
                           "the flag %s=\"disable\" is left out: what it switches off acts here",
                           forces[k]);
    }
}

static flx_status read_option(flx_mjcf *m, const flx_xml *o)
{
    static const char *const fluid[] = {"density", "viscosity"};
    double g[3], x = 0.0;
    bool found = false;
    FLX_TRY(flx_xml_numbers(m->robot->ctx, o, "gravity", 3, g, &found));
    if (found) m->robot->gravity = v3_load(g);
    for (int k = 0; k < 2; k++) {
        FLX_TRY(flx_xml_numbers(m->robot->ctx, o, fluid[k], 1, &x, &found));
        if (found && x != 0.0)
            FLX_ROBOT_NOTE(m->robot, o->loc,
                           "the %s of a medium is left out: nothing resists the motion", fluid[k]);
    }
    return FLX_OK;
}

flx_status flx_mjcf_options(flx_mjcf *m)
{
    m->angle = FLX_PI / 180.0;
    m->from_geoms = 2;
    m->limits_by_range = true;
    m->total_mass = -1.0;
    m->groups[1] = 5.0;
    memcpy(m->sequence, "xyz", 4);
    for (const flx_xml *c = flx_xml_child(m->root, "compiler"); c; c = flx_xml_next(c, "compiler"))
        FLX_TRY(read_compiler(m, c));
    for (const flx_xml *o = flx_xml_child(m->root, "option"); o; o = flx_xml_next(o, "option"))
        FLX_TRY(read_option(m, o));
    for (const flx_xml *o = flx_xml_child(m->root, "option"); o; o = flx_xml_next(o, "option")) {
        for (const flx_xml *f = flx_xml_child(o, "flag"); f; f = flx_xml_next(f, "flag"))
            read_flags(m, f);
    }
    return FLX_OK;
}

// ---- frames --------------------------------------------------------------------------------------------

// The elements of a frame stand in its place; that it is above them still, their poses and classes are found by.
flx_status flx_mjcf_open_frames(flx_mjcf *m, flx_xml *e)
{
    static const char *const whole[] = {"composite", "flexcomp", "replicate", "attach"};
    flx_xml **to = &e->first;
    e->last = NULL;
    for (flx_xml *c = e->first, *next; c; c = next) {
        next = c->next;
        for (size_t k = 0; k < sizeof whole / sizeof whole[0]; k++) {
            if (strcmp(c->name, whole[k]) == 0)
                return FLX_FAIL(m->robot->ctx, FLX_ERR_UNAVAILABLE, c->loc,
                                "<%s> of MJCF is not read", c->name);
        }
        FLX_TRY(flx_mjcf_open_frames(m, c));
        if (strcmp(c->name, "frame") != 0) {
            *to = e->last = c;
            to = &c->next;
        } else if (c->first) {
            *to = c->first;
            e->last = c->last;
            to = &c->last->next;
        }
        *to = NULL;
    }
    *to = NULL;
    return FLX_OK;
}
