// urdf_words.c - what stands in links and joints of URDF and is not read is told: a misspelt <axis> would be another robot.
#include "read/robot/urdf_words.h"

#include <string.h>

// Elements with what may stand in them, between spaces. What is known and changes no motion is among them.
static const struct {
    const char *name, *inside, *attributes;
} words[] = {
    {"link", " inertial visual collision contact verbose self_collision_checking ",
     " name type verbose "},
    {"inertial", " origin mass inertia ", " "},
    {"mass", " ", " value "},
    {"inertia", " ", " ixx ixy ixz iyy iyz izz iyx izx izy "},
    {"origin", " ", " xyz rpy "},
    {"joint", " origin parent child axis limit dynamics mimic calibration safety_controller ",
     " name type "},
    {"parent", " ", " link "},
    {"child", " ", " link "},
    {"axis", " ", " xyz "},
    {"limit", " ", " lower upper effort velocity "},
    {"dynamics", " ", " damping friction "},
    {"mimic", " ", " joint multiplier offset "},
};

static bool has(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
        if (at > list && at[-1] == ' ' && at[n] == ' ') return true;
    return false;
}

static void check(flx_robot *robot, const flx_xml *e, const char *of)
{
    size_t i = 0, n = sizeof words / sizeof words[0];
    while (i < n && strcmp(words[i].name, e->name) != 0) i++;
    if (i == n) return;
    for (int k = 0; k < e->nattribute; k++) {
        const char *name = e->attributes[2 * k];
        if (strchr(name, ':') || has(words[i].attributes, name)) continue; // of another namespace
        FLX_ROBOT_NOTE(robot, e->loc,
                       "'%s' of <%s> of '%s' is left out: URDF has no such attribute", name,
                       e->name, of);
    }
    for (const flx_xml *c = e->first; c; c = c->next) {
        if (has(words[i].inside, c->name))
            check(robot, c, of);
        else
            FLX_ROBOT_NOTE(robot, c->loc, "<%s> of '%s' is left out", c->name, of);
    }
}

void flx_urdf_check_words(flx_robot *robot, const flx_xml *root)
{
    for (const flx_xml *e = root->first; e; e = e->next) {
        const char *name = flx_xml_get(e, "name");
        if (strcmp(e->name, "link") == 0 || strcmp(e->name, "joint") == 0)
            check(robot, e, name ? name : "");
    }
}
