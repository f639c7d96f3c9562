// mjcf_links.c - equalities of MJCF, which close loops and couple joints. They hold exactly here.
#include "read/robot/mjcf_parts.h"

#include <math.h>
#include <string.h>

#define APART                                                                                      \
    1e-9 // of places that are meant to coincide, relative to their distance from the origin or 1 m

int flx_mjcf_find_link(const flx_robot *robot, const char *name)
{
    if (!name || strcmp(name, "world") == 0) return FLX_ROBOT_GROUND;
    for (int i = 0; i < robot->nlink; i++) {
        if (robot->links[i].name && strcmp(robot->links[i].name, name) == 0) return i;
    }
    return -2;
}

int flx_mjcf_find_joint(const flx_robot *robot, const char *name)
{
    for (int i = 0; name && i < robot->njoint; i++) {
        if (robot->joints[i].name && strcmp(robot->joints[i].name, name) == 0) return i;
    }
    return -1;
}

bool flx_mjcf_has_coordinate(const flx_robot_joint *j)
{
    return j->type == FLX_ROBOT_REVOLUTE || j->type == FLX_ROBOT_PRISMATIC;
}

// ---- loops -----------------------------------------------------------------------------------------------

// An end of an equality: the link and the pose of its site, as drawn.
static bool find_site(const flx_robot *robot, const char *name, int *link, flx_robot_pose *pose)
{
    for (int i = 0; name && i < robot->nlink; i++) {
        for (const flx_robot_point *p = robot->links[i].points; p; p = p->next) {
            if (strcmp(p->name, name) != 0) continue;
            *link = i;
            *pose = flx_robot_compose(robot->links[i].pose, p->pose);
            return true;
        }
    }
    return false;
}

static bool is_apart(v3 a, v3 b)
{
    return !(v3_norm(v3_sub(a, b)) <= APART * fmax(1.0, v3_norm(a)));
}

static bool is_turned(m33 A, m33 B)
{
    m33 D = m33_tmul(A, B);
    return !(D.m[0] + D.m[4] + D.m[8] > 3.0 - 1e-12);
}

// What a weld asks for that is not as drawn.
static flx_status note_weld(flx_mjcf *m, const flx_xml *e, const flx_robot_pose ends[2])
{
    double x[7];
    int n;
    FLX_TRY(flx_mjcf_numbers(m, e, "relpose", 7, x, &n));
    bool given = n == 7 && (x[3] != 0.0 || x[4] != 0.0 || x[5] != 0.0 || x[6] != 0.0),
         other = false;
    if (given) {
        flx_robot_pose asked = {v3_load(x), quat_to_m33(quat_unit(quat_load(x + 3)))},
                       drawn = flx_robot_compose(flx_robot_inverse(ends[0]), ends[1]);
        other = is_apart(drawn.r, asked.r) || is_turned(drawn.R, asked.R);
    }
    if (other)
        FLX_ROBOT_NOTE(
            m->robot, e->loc,
            "the relpose of <weld> is left out: the bodies are joined as they are drawn");
    return FLX_OK;
}

// connect and weld: a joint between two bodies that hang on others.
static flx_status close_loop(flx_mjcf *m, const flx_xml *e, bool weld)
{
    static const char *const bodies[] = {"body1", "body2"}, *const sites[] = {"site1", "site2"};
    flx_robot *robot = m->robot;
    int link[2];
    flx_robot_pose end[2];
    double at[3] = {0};
    const char *name = flx_xml_get(e, "name");
    bool by_sites = flx_mjcf_get(m, e, "site1") != NULL;
    for (int k = 0; k < 2; k++) {
        bool found = true;
        end[k] = flx_robot_no_pose();
        if (by_sites) {
            found = find_site(robot, flx_mjcf_get(m, e, sites[k]), link + k, end + k);
        } else {
            link[k] = flx_mjcf_find_link(robot, flx_mjcf_get(m, e, bodies[k]));
            found = link[k] != -2;
            if (link[k] >= 0) end[k] = robot->links[link[k]].pose;
        }
        if (!found || (k == 1 && link[0] == link[1]))
            return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, e->loc,
                            "<%s> names a %s that is not in the file, or one body twice", e->name,
                            by_sites ? "site" : "body");
    }
    FLX_TRY(flx_mjcf_numbers(m, e, "anchor", 3, at, NULL));
    v3 place = by_sites ? end[0].r : v3_add(end[0].r, m33_mul_v(end[0].R, v3_load(at)));
    v3 other = by_sites ? end[1].r : place;
    if (weld && by_sites && (is_apart(place, other) || is_turned(end[0].R, end[1].R)))
        FLX_ROBOT_NOTE(robot, e->loc,
                       "the sites of <weld> are apart: their bodies are joined as they are drawn");
    if (weld && !by_sites) FLX_TRY(note_weld(m, e, end));
    int first = link[1] >= 0 ? 0 : 1;
    robot->joints[robot->njoint++] =
        (flx_robot_joint){.name = name ? name : e->name,
                          .loc = e->loc,
                          .type = weld ? FLX_ROBOT_FIXED : FLX_ROBOT_SPHERICAL,
                          .parent = link[first],
                          .child = link[1 - first],
                          .pose = {first == 0 ? place : other, end[first].R},
                          .other = first == 0 ? other : place,
                          .apart = !weld && is_apart(place, other),
                          .mimics = -1,
                          .closes = true};
    return FLX_OK;
}

// ---- coordinates -----------------------------------------------------------------------------------------

static flx_status couple(flx_mjcf *m, const flx_xml *e)
{
    flx_robot *robot = m->robot;
    const char *second = flx_mjcf_get(m, e, "joint2");
    int follower = flx_mjcf_find_joint(robot, flx_mjcf_get(m, e, "joint1")),
        leader = flx_mjcf_find_joint(robot, second);
    flx_robot_tie tie = {.loc = e->loc, .joint = follower, .by = leader, .c = {0, 1, 0, 0, 0}};
    FLX_TRY(flx_mjcf_numbers(m, e, "polycoef", 5, tie.c, NULL));
    bool line = tie.c[0] == 0.0 && tie.c[2] == 0.0 && tie.c[3] == 0.0 && tie.c[4] == 0.0;
    if (follower < 0 || (second && leader < 0))
        return FLX_FAIL(robot->ctx, FLX_ERR_MODEL, e->loc,
                        "the equality <joint> names a joint that is not in the file");
    if (!flx_mjcf_has_coordinate(robot->joints + follower) || follower == leader ||
        (leader >= 0 && !flx_mjcf_has_coordinate(robot->joints + leader))) {
        FLX_ROBOT_NOTE(robot, e->loc,
                       "the equality of two joints is left out: only hinges and slides are taken");
        return FLX_OK;
    }
    if (line && leader >= 0 && robot->joints[follower].mimics < 0) {
        robot->joints[follower].mimics = leader;
        robot->joints[follower].ratio = tie.c[1];
    } else {
        robot->ties[robot->ntie++] = tie;
    }
    return FLX_OK;
}

flx_status flx_mjcf_equalities(flx_mjcf *m)
{
    const flx_xml *all = flx_xml_child(m->root, "equality");
    int count = 0;
    for (const flx_xml *e = all ? all->first : NULL; e; e = e->next) count++;
    m->robot->ties = flx_arena_take(m->robot->arena, (size_t)count + 1, sizeof *m->robot->ties);
    if (!m->robot->ties) return FLX_ERR_MEMORY;
    for (const flx_xml *e = all ? all->first : NULL; e; e = e->next) {
        if (flx_mjcf_is(m, e, "active", "false")) continue;
        if (strcmp(e->name, "connect") == 0 || strcmp(e->name, "weld") == 0) {
            FLX_TRY(close_loop(m, e, strcmp(e->name, "weld") == 0));
        } else if (strcmp(e->name, "joint") == 0) {
            FLX_TRY(couple(m, e));
        } else {
            FLX_ROBOT_NOTE(m->robot, e->loc, "the equality <%s> is left out", e->name);
        }
    }
    return FLX_OK;
}
