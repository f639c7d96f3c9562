// robot_file.c - whose file it is, and the way from it to a model.
#include "read/robot/robot_file.h"

#include "read/robot/xml.h"

#include <string.h>

bool flx_robot_is_file(const char *text, size_t length)
{
    size_t i = 0;
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) i = 3;
    while (i < length && strchr(" \t\r\n", text[i]) && text[i]) i++;
    return i < length && text[i] == '<';
}

// Macros of xacro, and values that it has to work out: the robot is not in the file yet.
static bool is_macro(const flx_xml *e)
{
    if (strncmp(e->name, "xacro:", 6) == 0) return true;
    for (int i = 0; i < e->nattribute; i++) {
        const char *value = e->attributes[2 * i + 1];
        if (strstr(value, "${") || strstr(value, "$(")) return true;
    }
    return false;
}

static const flx_xml *find_macro(const flx_xml *e)
{
    if (is_macro(e)) return e;
    for (const flx_xml *c = e->first; c; c = c->next) {
        const flx_xml *inner = find_macro(c);
        if (inner) return inner;
    }
    return NULL;
}

flx_status flx_robot_parse(flx_ctx *ctx, flx_arena *arena, const char *file, const char *text,
                           size_t length, const flx_robot_options *options, flx_entry **tree)
{
    static const flx_robot_options none;
    const flx_robot_options *o = options ? options : &none;
    static const struct {
        const char *root;
        flx_status (*read)(flx_robot *robot, const flx_robot_options *o, const flx_xml *root);
    } formats[] = {{"robot", flx_urdf_read},
                   {"mujoco", flx_mjcf_read},
                   {"sdf", flx_sdf_read},
                   {"gazebo", flx_sdf_read}}; // the last one: its name before 1.3
    flx_xml *root = NULL;
    *tree = NULL;
    FLX_TRY(flx_xml_parse(ctx, arena, file, text, length, &root));
    const flx_xml *macro = find_macro(root);
    if (macro)
        return FLX_FAIL(ctx, FLX_ERR_MODEL, macro->loc,
                        "<%s> is for xacro, which makes the robot file: xacro FILE > robot.urdf",
                        macro->name);
    flx_robot robot = {.ctx = ctx,
                       .arena = arena,
                       .file = file,
                       .strict = o->strict,
                       .floating = o->floating,
                       .gravity = {0.0, 0.0, -9.81}};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(root->name, formats[i].root) != 0) continue;
        if (formats[i].read == flx_mjcf_read) FLX_TRY(flx_mjcf_include(&robot, root));
        FLX_TRY(formats[i].read(&robot, o, root));
        FLX_TRY(flx_robot_repair(&robot));
        FLX_TRY(flx_robot_name_all(&robot));
        if (robot.nerror > 0) return FLX_ERR_MODEL;
        return flx_robot_tree(&robot, tree);
    }
    return FLX_FAIL(
        ctx, FLX_ERR_MODEL, root->loc,
        "<%s> is no robot file: URDF begins with <robot>, MJCF with <mujoco>, SDF with <sdf>",
        root->name);
}
