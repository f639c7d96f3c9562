// events_ends.c - slips that come to their end, and those that begin with others (docs/theory/contact.md, Events).
#include "integrate/events/events_contact.h"
#include "integrate/tolerance.h"

#include <math.h>
#include <string.h>

// Errors of slips, of the fastest so far: these times rtol, or of steps that are given.
#define ERRORS 10.0
#define ERROR_OF_STEPS 1e-5

void flx_contacts_take_along(flx_event_contacts *c, const flx_state *x)
{
    const flx_touch_problem *T = &c->touching;
    for (int k = 0; k < T->ngroup; k++) {
        const flx_contact_group *g = &c->groups[T->group[k]];
        double *course = c->course + 2 * T->group[k], size = 0.0;
        if (!flx_contact_leans_aside(g, x->switches)) continue;
        course[0] = course[1] = 0.0;
        for (int l = 0; l < T->ngroup; l++) {
            int i = T->group[l];
            if (c->leaves[i] != FLX_LEAVES_STICK ||
                flx_contact_leans_aside(&c->groups[i], x->switches))
                continue;
            for (int t = 0; t < g->ntangent * c->groups[i].ntangent; t++) {
                int own = t % g->ntangent, other = t / g->ntangent;
                double w = T->W[flx_touching_tangent(c, k, own) * T->m +
                                flx_touching_tangent(c, l, other)];
                course[own] += w * c->course[2 * i + other];
            }
        }
        size = flx_contact_length(course, g->ntangent);
        if (!(size > 0.0)) continue;
        for (int t = 0; t < 2; t++) course[t] /= size;
        c->leaves[T->group[k]] = FLX_LEAVES_STICK;
    }
}

void flx_contacts_stop_slips(flx_event_contacts *c, const flx_state *x)
{
    for (int i = 0; i < c->n; i++) {
        const flx_contact_group *g = &c->groups[i];
        const double *course = x->switches + g->slip;
        double *slip = c->slip + 2 * i, *across = c->across + 2 * i;
        across[0] = across[1] = 0.0;
        if (c->leaves[i] != FLX_LEAVES_SLIDE) continue;
        double length = flx_contact_length(course, g->ntangent);
        double left = flx_contact_along(slip, course, g->ntangent) / (length * length);
        for (int t = 0; t < g->ntangent; t++) slip[t] -= left * course[t];
        for (int t = 0; t < g->ntangent && length >= 0.75 * FLX_COURSE_HELD; t++) {
            across[t] = slip[t];
            slip[t] = 0.0;
        }
    }
}

bool flx_contacts_go_across(flx_event_contacts *c, double slow)
{
    bool any = false;
    for (int i = 0; i < c->n; i++) {
        double *slip = c->slip + 2 * i, *across = c->across + 2 * i;
        int n = c->groups[i].ntangent;
        if (c->next[i] != FLX_CONTACT_SLIDES ||
            !(flx_contact_length(across, n) > slow * c->scale[i]))
            continue;
        memcpy(slip, across, (size_t)n * sizeof *slip);
        across[0] = across[1] = 0.0;
        any = true;
    }
    return any;
}

// Whether group i slides and is a place of what has a slip that ends.
static bool is_beside_end(const flx_event_contacts *c, const flx_state *x, int i)
{
    const flx_contact_group *g = &c->groups[i];
    if (flx_contact_state_of(g, x->switches) != FLX_CONTACT_SLIDES) return false;
    for (int k = 0; k < c->n; k++) {
        const flx_contact_group *o = &c->groups[k];
        bool same = o->item == g->item || (g->pair != 0 && o->pair == g->pair);
        if (k != i && same && c->leaves[k] == FLX_LEAVES_SLIDE) return true;
    }
    return false;
}

bool flx_contacts_end_together(flx_integrator *it, const flx_state *x)
{
    flx_event_contacts *c = flx_method_of(it)->events->contacts;
    double rtol = it->def.rtol > 0.0 ? it->def.rtol : FLX_DEFAULT_RTOL, part = ERRORS * rtol;
    bool any = false;
    if (it->def.step > 0.0) part = ERROR_OF_STEPS;
    for (int i = 0; i < c->n; i++) {
        const flx_contact_group *g = &c->groups[i];
        double *slip = c->slip + 2 * i, size = flx_contact_length(slip, g->ntangent);
        bool ends = c->leaves[i] == FLX_LEAVES_SLIDE || is_beside_end(c, x, i);
        if (!ends || !(size > 0.0)) continue;
        if (size > part * c->quickest * c->scale[i]) return false; // all of them or none
        slip[0] = slip[1] = 0.0;
        any = true;
    }
    return any;
}
