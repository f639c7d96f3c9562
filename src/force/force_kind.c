// force_kind.c - the list of forces, and what their files share.
#include "force/force_kind.h"

static const flx_force_word *const words[] = {
#define X(name) &flx_word_##name,
    FLX_FORCE_WORDS(X)
#undef X
};

const flx_force_word *flx_force_get_word(int i)
{
    return i >= 0 && i < (int)(sizeof words / sizeof words[0]) ? words[i] : NULL;
}

const flx_word_row *flx_force_row(int i)
{
    const flx_force_word *w = flx_force_get_word(i);
    return w ? &w->row : NULL;
}

void flx_force_list_words(const char *out[FLX_MOST_FORCE_WORDS])
{
    int n = (int)(sizeof words / sizeof words[0]);
    FLX_ASSERT(n < FLX_MOST_FORCE_WORDS);
    for (int i = 0; i < n; i++) out[i] = words[i]->row.word;
    out[n] = NULL;
}

bool flx_force_word_has_key(const flx_force_word *w, const char *key)
{
    for (const flx_key_row *k = w->row.keys; k->key; k++) {
        if (strcmp(k->key, key) == 0) return true;
    }
    return false;
}

const flx_force_signal *flx_force_find_signal(const flx_force_kind *k, const char *name)
{
    for (const flx_force_signal *s = k->signals; s->name; s++) {
        if (strcmp(s->name, name) == 0) return s;
    }
    return NULL;
}

flx_status flx_force_plan_parts(const flx_model *m, const flx_force *f, flx_ctx *ctx, double same,
                                flx_force_plan *p)
{
    *p = (flx_force_plan){.model = m, .force = f, .ctx = ctx, .same = same};
    return f->kind->parts ? f->kind->parts(p) : f->kind->along(p);
}

flx_status flx_force_place_from_centre(const flx_model *m, const flx_force *f, int side,
                                       flx_ctx *ctx, double same, double s[3])
{
    const flx_body *b = f->body[side] < 0 ? NULL : m->bodies + f->body[side];
    bool point = b && b->type == FLX_BODY_POINT;
    for (int k = 0; k < 3; k++) s[k] = point ? 0.0 : f->at[side][k] - (b ? b->com[k] : 0.0);
    if (point && !(v3_norm(v3_load(f->at[side])) <= same)) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, f->loc,
                        "force '%s': '%s' is a point and has no other place than its own", f->name,
                        b->name);
    }
    return FLX_OK;
}

flx_status flx_force_add_part(flx_force_plan *p, flx_scalar_kind kind, const char *name,
                              flx_force_part **part)
{
    const flx_force *f = p->force;
    FLX_ASSERT(p->npart < FLX_MOST_FORCE_PARTS);
    *part = p->part + p->npart++;
    **part =
        (flx_force_part){.s = {.kind = kind, .turn = -1}, .component = p->npart - 1, .name = name};
    memcpy((*part)->s.body, f->body, sizeof f->body);
    for (int i = 0; i < 2; i++) {
        FLX_TRY(flx_force_place_from_centre(p->model, f, i, p->ctx, p->same, (*part)->s.s[i]));
    }
    return FLX_OK;
}

flx_status flx_force_add_line(flx_force_plan *p)
{
    flx_force_part *part;
    bool planar = p->model->dimension == 2;
    FLX_TRY(flx_force_add_part(p, planar ? FLX_SCALAR_LENGTH2 : FLX_SCALAR_LENGTH, "pull", &part));
    part->rests = true;
    return FLX_OK;
}

flx_status flx_force_add_coordinate(flx_force_plan *p, flx_coordinate which)
{
    const flx_force *f = p->force;
    flx_force_part *part = p->part + p->npart++;
    *part = (flx_force_part){.rests = true, .name = "pull"};
    if (flx_joint_scalar(p->model, f->joint, which, &part->s)) return FLX_OK;
    return FLX_FAIL(p->ctx, FLX_ERR_MODEL, f->loc,
                    "force '%s': joint '%s' has no angle or displacement to act along", f->name,
                    p->model->joints[f->joint].name);
}
