// mjcf_meshes.c - files of geoms: where they are, how they lie, what solid they bound.
#include "base/text_file.h"
#include "read/robot/mjcf_parts.h"
#include "read/surface.h"
#include "read/surface_solid.h"

#include <string.h>

// The asset of this name: its own, or that of its file without folder and ending.
static const flx_xml *find_asset(const flx_mjcf *m, const char *name)
{
    const flx_xml *all = flx_xml_child(m->root, "asset");
    for (const flx_xml *e = flx_xml_child(all, "mesh"); name && e; e = flx_xml_next(e, "mesh")) {
        const char *own = flx_xml_get(e, "name"), *file = flx_xml_get(e, "file");
        if (own && strcmp(own, name) == 0) return e;
        if (own || !file) continue;
        const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
        size_t n = strcspn(base, ".");
        if (strlen(name) == n && strncmp(base, name, n) == 0) return e;
    }
    return NULL;
}

static const char *path_of(const flx_mjcf *m, const char *file)
{
    const char *slash = m->plain_files ? strrchr(file, '/') : NULL, *folder = m->mesh_folder;
    if (slash) file = slash + 1;
    if (!folder || !folder[0] || file[0] == '/') return file;
    return flx_arena_printf(m->robot->arena, "%s%s%s", folder,
                            folder[strlen(folder) - 1] == '/' ? "" : "/", file);
}

// A point x of the file is at scale*R^T (x - r) of the geom.
static flx_status find_solid(const flx_mjcf *m, const char *file, flx_loc loc,
                             const flx_robot_pose *reference, const double scale[3],
                             flx_robot_solid *out)
{
    flx_robot *robot = m->robot;
    flx_scene_surface s;
    flx_surface_solid solid;
    const char *beside = flx_file_beside(robot->arena, robot->file, file),
               *path = beside ? flx_intern(robot->ctx, beside) : NULL;
    if (!path) return FLX_ERR_MEMORY;
    FLX_TRY(flx_surface_read(robot->ctx, robot->arena, path, loc, &s));
    float *moved = flx_arena_take(robot->arena, 3 * (size_t)s.npoint, sizeof *moved);
    if (!moved) return FLX_ERR_MEMORY;
    for (int i = 0; i < s.npoint; i++) {
        double x[3];
        for (int k = 0; k < 3; k++) x[k] = (double)s.points[3 * (size_t)i + k];
        v3_store(x, m33_tmul_v(reference->R, v3_sub(v3_load(x), reference->r)));
        for (int k = 0; k < 3; k++) moved[3 * (size_t)i + k] = (float)(scale[k] * x[k]);
    }
    s.points = moved;
    FLX_TRY(flx_surface_solid_find(robot->ctx, &s, &solid));
    *out = (flx_robot_solid){solid.volume, v3_load(solid.centre), m33_load(solid.inertia)};
    return FLX_OK;
}

static bool is_even(const double scale[3])
{
    return scale[0] == scale[1] && scale[0] == scale[2];
}

flx_status flx_mjcf_mesh(flx_mjcf *m, const flx_xml *geom, flx_robot_shape *shape,
                         flx_robot_solid *solid, bool *found)
{
    flx_robot *robot = m->robot;
    const char *name = flx_mjcf_get(m, geom, "mesh"), *file;
    const flx_xml *asset = find_asset(m, name);
    double scale[3] = {1.0, 1.0, 1.0}, x[4] = {1.0, 0.0, 0.0, 0.0};
    flx_robot_pose reference = flx_robot_no_pose();
    int n;
    *found = false;
    if (!asset)
        return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, geom->loc, "there is no mesh '%s' in the file",
                        name ? name : "");
    file = flx_xml_get(asset, "file");
    if (!file) {
        FLX_ROBOT_NOTE(robot, asset->loc, "mesh '%s' is left out: it has no file", name);
        return FLX_OK;
    }
    file = flx_robot_find_file(robot, m->o, path_of(m, file), asset->loc);
    if (!file) return FLX_OK;
    FLX_TRY(flx_mjcf_numbers(m, asset, "scale", 3, scale, &n));
    FLX_TRY(flx_mjcf_numbers(m, asset, "refquat", 4, x, &n));
    if (n == 4) reference.R = quat_to_m33(quat_unit(quat_load(x)));
    bool turned = n == 4;
    FLX_TRY(flx_mjcf_numbers(m, asset, "refpos", 3, x, &n));
    if (n == 3) reference.r = v3_load(x);
    *found = true;
    if (solid) FLX_TRY(find_solid(m, file, asset->loc, &reference, scale, solid));
    memcpy(shape->scale, scale, sizeof scale);
    if (!flx_robot_has_scale(shape) || (turned && !is_even(scale))) {
        flx_ctx_warn(robot->ctx, asset->loc,
                     "pictures do not show mesh '%s': it is scaled to nothing, or along axes that "
                     "are not its own",
                     name);
        return FLX_OK;
    }
    shape->file = file;
    reference.r =
        v3_make(scale[0] * reference.r.x, scale[1] * reference.r.y, scale[2] * reference.r.z);
    shape->pose = flx_robot_compose(shape->pose, flx_robot_inverse(reference));
    return FLX_OK;
}
