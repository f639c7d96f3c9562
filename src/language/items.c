// items.c - what a model is made of, for those who only see its public face.
#include "force/force_kind.h"

static const char *const body_words[] = {
    [FLX_BODY_RIGID] = "rigid",
    [FLX_BODY_POINT] = "point",
};

int flx_model_item_count(const flx_model *m, flx_item_kind kind)
{
    if (!m) return 0;
    switch (kind) {
    case FLX_ITEM_BODY:
        return m->nbody;
    case FLX_ITEM_JOINT:
        return m->njoint;
    case FLX_ITEM_FORCE:
        return m->nforce - m->nspread;
    case FLX_ITEM_VARIABLE:
        return m->nvariable - m->nmode;
    case FLX_ITEM_STATE:
        return m->nfirst;
    case FLX_ITEM_CONSTRAINT:
        for (int i = 0; i < m->nconstraint; i++) {
            if (m->constraints[i].inner) return i;
        }
        return m->nconstraint;
    case FLX_ITEM_DISCRETE:
        return m->ndiscrete;
    case FLX_ITEM_EVENT:
        return m->nevent;
    case FLX_ITEM_PATH:
        return m->npath;
    case FLX_ITEM_CONTROL:
        return m->ncontrol;
    }
    return 0;
}

// Of a beam or a solid the first of its bodies is the one that was named; the others are its nodes.
static const char *body_item(const flx_model *m, int i, const char **type)
{
    const flx_body *b = m->bodies + i;
    *type = body_words[b->type];
    for (int k = 0; k < m->nmodal; k++) {
        if (m->modals[k].body == i) *type = "flexible";
    }
    for (int k = 0; k < m->nbeam; k++) {
        if (m->beams[k].nodes[0] == i) {
            *type = "beam";
        } else if (flx_beam_has(m->beams + k, i)) {
            *type = "node";
        }
    }
    if (b->slope || b->section) *type = "node";
    for (int k = 0; k < m->nsolid; k++) {
        const flx_solid *s = m->solids + k;
        if (i == s->free[0]) {
            *type = "solid";
            return s->name;
        }
        if (s->nfree > 1 && i >= s->free[1] && i <= s->free[2]) *type = "node";
    }
    return b->name;
}

const char *flx_model_item(const flx_model *m, flx_item_kind kind, int i, const char **type)
{
    const char *none;
    if (!m) return NULL;
    if (!type) type = &none;
    *type = "";
    if (i < 0 || i >= flx_model_item_count(m, kind)) return NULL;
    switch (kind) {
    case FLX_ITEM_BODY:
        return body_item(m, i, type);
    case FLX_ITEM_JOINT:
        *type = m->joints[i].kind->says.word;
        return m->joints[i].name;
    case FLX_ITEM_FORCE:
        *type = m->forces[i].mixed ? m->forces[i].kind->mixed : m->forces[i].kind->word;
        return m->forces[i].name;
    case FLX_ITEM_VARIABLE:
        return m->variables[i].name;
    case FLX_ITEM_STATE:
        *type = m->firsts[i].algebraic ? "algebraic" : "";
        return m->firsts[i].name;
    case FLX_ITEM_CONSTRAINT:
        return m->constraints[i].name;
    case FLX_ITEM_DISCRETE:
        return m->discretes[i].name;
    case FLX_ITEM_PATH:
        *type = m->paths[i].text;
        return m->paths[i].name;
    case FLX_ITEM_CONTROL:
        *type = m->controls[i].text;
        return m->controls[i].name;
    case FLX_ITEM_EVENT:
        *type = m->events[i].every > 0 ? "clock" : "";
        return m->events[i].name;
    }
    return NULL;
}
