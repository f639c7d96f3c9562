// function_names.c - what coordinates are called in exported text, and the name of the whole.
#include "base/letters.h"
#include "export/functions.h"
#include "joint/joint.h"

#include <string.h>

static const char *const axes[] = {"x", "y", "z"};
static const char *const parts[] = {"w of the quaternion", "x of the quaternion",
                                    "y of the quaternion", "z of the quaternion"};
static const char *const turns[] = {"rotation about its x", "rotation about its y",
                                    "rotation about its z"};

static const char *name_of(const flx_symbolic *x, int body)
{
    return body < 0 ? "ground" : x->m->bodies[body].name;
}

// What a coordinate is beyond its name: which of two axes is meant, and whose motion where that is
// not the second body's. NULL: no memory.
static const char *name_part(const flx_symbolic *x, int link, const char *part)
{
    const flx_link *l = x->t.links + link;
    const flx_tree_body *node = x->top.nodes + x->top.number[l->body];
    const flx_joint *j = node->joint < 0 ? NULL : x->m->joints + node->joint;
    if (!j) return part;
    if (j->kind->link[0].axis == FLX_AXIS_OWN) {
        bool second = (link == x->t.mounts[l->body].link) != node->first;
        return flx_arena_printf(x->arena, "%s about the axis in %s", part,
                                name_of(x, j->body[second]));
    }
    if (!node->first || l->against) return part;
    return flx_arena_printf(x->arena, "%s, of %s relative to %s", part, name_of(x, j->body[0]),
                            name_of(x, j->body[1]));
}

flx_status flx_functions_name_link(const flx_symbolic *x, int link, flx_name *q, flx_name *v)
{
    const flx_link *l = x->t.links + link;
    const flx_tree_body *node = x->top.nodes + x->top.number[l->body];
    bool floats = node->joint < 0;
    const char *item = floats ? x->m->bodies[l->body].name : x->m->joints[node->joint].name;
    bool ball = l->kind == FLX_LINK_BALL;
    bool slides = l->kind == FLX_LINK_SLIDE || l->kind == FLX_LINK_SHIFT;
    int n = flx_link_freedom(l->kind, x->m->dimension == 2) + ball;
    for (int k = 0; k < n; k++) {
        const char *part = ball                        ? parts[k]
                           : l->kind == FLX_LINK_SHIFT ? axes[k]
                           : slides                    ? "displacement"
                                                       : "angle";
        part = name_part(x, link, part);
        const char *rate = ball && k < 3 ? name_part(x, link, turns[k]) : part;
        if (!part || !rate) return FLX_ERR_MEMORY;
        q[l->q + k] = (flx_name){item, part, ball ? "1" : slides ? "m" : "rad"};
        if (k < 3) v[l->v + k] = (flx_name){item, rate, slides ? "m/s" : "rad/s"};
    }
    return FLX_OK;
}

void flx_functions_name_variable(const flx_symbolic *x, int i, flx_name *q, flx_name *v)
{
    const char *item = x->m->variables[i].name;
    q[x->t.k.nq + i] = (flx_name){item, "variable of second order", "as in the model"};
    v[x->t.k.nv + i] = (flx_name){item, "its rate", "the same by s"};
}

// An identifier from the name given, or from the model's file.
const char *flx_functions_make_name(const flx_functions *f, const flx_model *m)
{
    const char *from = f->options.name         ? f->options.name
                       : m->path && m->path[0] ? m->path
                                               : "model";
    const char *slash = f->options.name ? NULL : strrchr(from, '/');
    if (slash) from = slash + 1;
    const char *dot = f->options.name ? NULL : strrchr(from, '.');
    size_t n = dot && dot > from ? (size_t)(dot - from) : strlen(from);
    char *name =
        flx_arena_printf(f->x.arena, "%s%.*s", flx_is_letter(*from) ? "" : "m_", (int)n, from);
    for (char *c = name; c && *c; c++) {
        if (!flx_is_of_name(*c)) *c = '_';
    }
    return name;
}
