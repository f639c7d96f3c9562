// mjcf_include.c - files within files of MJCF: their elements stand in the place of <include>. Sections of one name become one.
#include "read/robot/mjcf_parts.h"

#include "base/text_file.h"

#include <string.h>

#define MOST_DEEP 16
#define MOST_FILES 1000

typedef struct inclusion {
    flx_robot *robot;
    int depth, count;
} inclusion;

static flx_status put_in(inclusion *x, flx_xml *e);

// The elements of a file, with what it includes itself; paths are relative to the outermost file, as MuJoCo has it.
static flx_status read_included(inclusion *x, const flx_xml *e, flx_xml **root)
{
    flx_robot *robot = x->robot;
    const char *name = flx_xml_get(e, "file");
    char *text = NULL;
    size_t length = 0;
    if (!name) return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, e->loc, "<include> names no 'file'");
    if (x->depth == MOST_DEEP || ++x->count > MOST_FILES)
        return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, e->loc,
                        "'%s' is one file too many: does a file include itself?", name);
    const char *beside = flx_file_beside(robot->arena, robot->file, name);
    const char *path = beside ? flx_intern(robot->ctx, beside) : NULL;
    if (!path) return FLX_ERR_MEMORY;
    FLX_TRY(flx_file_read(robot->ctx, robot->arena, path, e->loc, &text, &length));
    FLX_TRY(flx_xml_parse(robot->ctx, robot->arena, path, text, length, root));
    if (strcmp((*root)->name, "mujoco") != 0 && strcmp((*root)->name, "mujocoinclude") != 0)
        return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, (*root)->loc,
                        "<%s> is no file to include: it begins with <mujocoinclude> or <mujoco>",
                        (*root)->name);
    x->depth++;
    flx_status status = put_in(x, *root);
    x->depth--;
    return status;
}

static flx_status put_in(inclusion *x, flx_xml *e)
{
    flx_xml **to = &e->first;
    e->last = NULL;
    for (flx_xml *c = e->first, *next; c; c = next) {
        next = c->next;
        flx_xml *root = NULL;
        if (strcmp(c->name, "include") != 0) {
            FLX_TRY(put_in(x, c));
            *to = e->last = c;
            to = &c->next;
            continue;
        }
        FLX_TRY(read_included(x, c, &root));
        if (root->first) {
            for (flx_xml *r = root->first; r; r = r->next) r->up = e;
            *to = root->first;
            e->last = root->last;
            to = &root->last->next;
        }
        *to = NULL;
    }
    *to = NULL;
    return FLX_OK;
}

static bool is_section(const flx_xml *e)
{
    static const char *const sections[] = {"default", "asset", "worldbody", "equality", "actuator"};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        if (strcmp(e->name, sections[i]) == 0) return true;
    }
    return false;
}

static void append(flx_xml *to, flx_xml *from)
{
    for (flx_xml *c = from->first; c; c = c->next) c->up = to;
    if (to->last)
        to->last->next = from->first;
    else
        to->first = from->first;
    if (from->last) to->last = from->last;
}

static void join_sections(flx_xml *root)
{
    for (flx_xml *e = root->first; e; e = e->next) {
        if (!is_section(e)) continue;
        for (flx_xml *before = e, *c = e->next; c; c = before->next) {
            if (strcmp(c->name, e->name) != 0) {
                before = c;
                continue;
            }
            append(e, c);
            before->next = c->next;
            if (root->last == c) root->last = before;
        }
    }
}

flx_status flx_mjcf_include(flx_robot *robot, flx_xml *root)
{
    inclusion x = {.robot = robot};
    FLX_TRY(put_in(&x, root));
    join_sections(root);
    return FLX_OK;
}
