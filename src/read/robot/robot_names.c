// robot_names.c - names of robot files as names of the model language; files that robot files name.
#define _XOPEN_SOURCE 700 // realpath
#include "base/letters.h"
#include "base/text_file.h"
#include "read/robot/robot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- names -----------------------------------------------------------------------------------------------

static bool is_built_in(const char *s)
{
    static const char *const words[] = {"t",  "ground", "energy", "momentum", "constraints",
                                        "pi", "deg",    "and",    "or",       "not",
                                        "if", "true",   "false",  "sum",      "com"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i], s) == 0) return true;
    }
    return false;
}

static bool is_signal(const char *s)
{
    static const char *const words[] = {
        "position", "velocity", "acceleration",     "orientation", "angular_velocity",
        "angle",    "rate",     "angular_momentum", "ex",          "angular_acceleration",
        "ey",       "ez"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i], s) == 0) return true;
    }
    return false;
}

// Letters, digits and _, beginning with a letter; room for an ending.
static char *plain(flx_arena *arena, const char *name, const char *otherwise)
{
    size_t n = 0, length = name ? strlen(name) : 0;
    char *out = flx_arena_take(arena, length + strlen(otherwise) + 32, 1);
    if (!out) return NULL;
    for (const char *s = name; s && *s; s++) {
        char c = *s;
        bool letter = flx_is_letter(c), digit = flx_is_digit(c);
        if (n == 0 && digit) n = (size_t)(stpcpy(out, otherwise) - out);
        if (letter || digit) {
            out[n++] = c;
        } else if (n > 0) {
            out[n++] = '_';
        }
    }
    out[n] = '\0';
    if (n == 0) stpcpy(out, otherwise);
    if (is_built_in(out)) strcat(out, "_");
    return out;
}

const char *flx_robot_point_word(flx_arena *arena, const char *name)
{
    char *word = plain(arena, name, "point");
    if (word && is_signal(word)) strcat(word, "_");
    return word;
}

typedef struct used {
    const char **names;
    int n;
} used;

static bool is_used(const used *u, const char *name)
{
    for (int i = 0; i < u->n; i++) {
        if (strcmp(u->names[i], name) == 0) return true;
    }
    return false;
}

static const char *unique(flx_robot *robot, used *u, const char *name, const char *otherwise)
{
    char *word = plain(robot->arena, name, otherwise);
    if (!word) return NULL;
    size_t n = strlen(word);
    if (is_used(u, word)) { // a joint that is called like its link
        n = (size_t)(stpcpy(stpcpy(word + n, "_"), otherwise) - word);
        for (int k = 2; is_used(u, word); k++) {
            char number[16];
            int digits = 0;
            for (int rest = k; rest > 0; rest /= 10) number[digits++] = (char)('0' + rest % 10);
            char *at = word + n;
            *at++ = '_';
            while (digits > 0) *at++ = number[--digits];
            *at = '\0';
        }
    }
    u->names[u->n++] = word;
    return word;
}

flx_status flx_robot_name_all(flx_robot *robot)
{
    used u = {0};
    int changed = 0;
    const char *example = NULL, *now = NULL;
    flx_loc where = FLX_NOWHERE;
    size_t most = (size_t)robot->nlink + (size_t)robot->njoint + (size_t)robot->nmotor + 1;
    u.names = flx_arena_take(robot->arena, 2 * most, sizeof *u.names);
    if (!u.names) return FLX_ERR_MEMORY;
    for (int i = 0; i < robot->nlink; i++) {
        flx_robot_link *l = robot->links + i;
        if (l->into != -1) continue;
        if (!(l->word = unique(robot, &u, l->name, "link"))) return FLX_ERR_MEMORY;
        if (l->name && strcmp(l->name, l->word) != 0 && changed++ == 0)
            example = l->name, now = l->word, where = l->loc;
    }
    for (int i = 0; i < robot->njoint; i++) {
        flx_robot_joint *j = robot->joints + i;
        if (j->gone) continue;
        if (!(j->word = unique(robot, &u, j->name, "joint"))) return FLX_ERR_MEMORY;
        if (j->name && strcmp(j->name, j->word) != 0 && changed++ == 0)
            example = j->name, now = j->word, where = j->loc;
    }
    for (int i = 0; i < robot->nmotor; i++) {
        flx_robot_motor *m = robot->motors + i;
        if (!(m->word = unique(robot, &u, m->name, "motor"))) return FLX_ERR_MEMORY;
        if (m->name && strcmp(m->name, m->word) != 0 && changed++ == 0)
            example = m->name, now = m->word, where = m->loc;
    }
    if (changed > 0) {
        flx_ctx_warn(robot->ctx, where,
                     "names of a model are letters, digits and _, and differ: %d of the file %s, "
                     "as '%s', which is '%s' here",
                     changed, changed == 1 ? "is changed" : "are changed", example, now);
    }
    return FLX_OK;
}

// ---- files -----------------------------------------------------------------------------------------------

static bool is_there(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f) fclose(f);
    return f != NULL;
}

// The rest of the text behind "scheme://"; NULL: another scheme, or none.
static const char *behind(const char *uri, const char *scheme)
{
    size_t n = strlen(scheme);
    return strncmp(uri, scheme, n) == 0 && strncmp(uri + n, "://", 3) == 0 ? uri + n + 3 : NULL;
}

// A file as it is named beside the robot file; absolute where the caller asks.
static const char *named(flx_robot *robot, const flx_robot_options *o, const char *name)
{
    const char *path = name ? flx_file_beside(robot->arena, robot->file, name) : NULL;
    if (!path || !is_there(path)) return NULL;
    if (!o->absolute) return name;
    char *whole = realpath(path, NULL);
    const char *kept = whole ? flx_arena_copy(robot->arena, whole, strlen(whole)) : NULL;
    free(whole);
    return kept;
}

// A package is a folder of that name, above the robot file or beside one above; or where the caller says.
static const char *find_package(flx_robot *robot, const flx_robot_options *o, const char *rest)
{
    size_t n = strcspn(rest, "/");
    const char *inside = rest[n] ? rest + n + 1 : "";
    for (int i = 0; i < o->npackage; i++) {
        const char *p = o->packages[i];
        if (strncmp(p, rest, n) != 0 || p[n] != '=') continue;
        const char *path = flx_arena_printf(robot->arena, "%s/%s", p + n + 1, inside);
        char *whole = path ? realpath(path, NULL)
                           : NULL; // a folder as the caller names it, not beside the file
        const char *kept = whole ? flx_arena_copy(robot->arena, whole, strlen(whole)) : NULL;
        free(whole);
        return kept;
    }
    char up[64] = "";
    for (int k = 0; k < 12; k++, strcat(up, "../")) {
        const char *found = named(robot, o, flx_arena_printf(robot->arena, "%s%s", up, inside));
        if (!found) found = named(robot, o, flx_arena_printf(robot->arena, "%s%s", up, rest));
        if (found) return found;
    }
    return NULL;
}

const char *flx_robot_find_file(flx_robot *robot, const flx_robot_options *o, const char *uri,
                                flx_loc loc)
{
    const char *ending = strrchr(uri, '.'), *rest = behind(uri, "package"), *found;
    if (!ending || (!flx_same_word(ending, ".stl") && !flx_same_word(ending, ".obj") &&
                    !flx_same_word(ending, ".dae"))) {
        flx_ctx_warn(robot->ctx, loc,
                     "the shape '%s' is left out: pictures show STL, OBJ and COLLADA", uri);
        return NULL;
    }
    if (!rest) rest = behind(uri, "model");
    if (rest) {
        found = find_package(robot, o, rest);
    } else {
        const char *path = behind(uri, "file");
        found = named(robot, o, path ? path : uri);
    }
    if (found) return found;
    FLX_ROBOT_NOTE(robot, loc, "the shape '%s' is left out: there is no such file%s", uri,
                   rest ? "; --package NAME=FOLDER says where a package is" : "");
    return NULL;
}
