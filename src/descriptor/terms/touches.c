// touches.c - rigid contacts that are met step by step: which points touch now, and how velocities move them. They are no rows
// of the equations (flexion/system.h, flx_touches).
#include "contact/broad.h"
#include "contact/gap.h"
#include "descriptor/descriptor_parts.h"
#include "force/patch_force.h"

#define MOST_POINTS 4 // of one pair: more span no larger area
#define FEW_PAIRS 48  // of a contact: each is asked without a tree
#define FAT 1e-3      // of the length: what leaves of the tree move within
#define EXPECTED 8    // points of a surface that memory is taken for at the start

typedef struct side { // a surface where it is now
    flx_frame f;
    bool bounded;
    double low[3], high[3];
} side;

struct flx_touch_list { // of a flx_descriptor_work
    int room_side, ntree;
    side *sides; // owned: of the contact at hand
    flx_broad *
        *trees; // (ntree: contacts) owned: which of many surfaces are near; NULL: all are asked
    int npoint, nnumber, room_point, room_number;
    flx_touch_point *points; // owned
    double *numbers;         // owned: their rows
};

void flx_touch_list_destroy(struct flx_touch_list **list)
{
    if (!*list) return;
    for (int i = 0; i < (*list)->ntree; i++) flx_broad_destroy((*list)->trees + i);
    flx_free((*list)->trees);
    flx_free((*list)->sides);
    flx_free((*list)->points);
    flx_free((*list)->numbers);
    flx_free(*list);
    *list = NULL;
}

static bool is_met(const flx_contact *c)
{
    return c->law == FLX_CONTACT_RIGID;
}

bool flx_touches_exist(const flx_model *m)
{
    for (int i = 0; m->simulate.steps && i < m->ncontact; i++) {
        if (is_met(m->contacts + i)) return true;
    }
    return false;
}

static flx_status make_trees(const flx_descriptor *d, struct flx_touch_list *l)
{
    const flx_model *m = d->model;
    l->trees = flx_alloc(d->base.ctx, (size_t)m->ncontact, sizeof *l->trees);
    if (!l->trees) return FLX_ERR_MEMORY;
    l->ntree = m->ncontact;
    for (int i = 0; i < m->ncontact; i++) {
        if (!is_met(m->contacts + i) || m->contacts[i].npair <= FEW_PAIRS) continue;
        l->trees[i] = flx_broad_create(d->base.ctx, m->contacts[i].nside);
        if (!l->trees[i]) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

// With memory for as many points as there are likely to be.
static flx_status make_list(const flx_descriptor *d, struct flx_touch_list *l)
{
    const flx_model *m = d->model;
    int most = 0, npoint = 0;
    for (int i = 0; i < m->ncontact; i++) {
        const flx_contact *c = m->contacts + i;
        if (!is_met(c)) continue;
        if (c->nside > most) most = c->nside;
        npoint += MOST_POINTS * (c->npair < EXPECTED / MOST_POINTS * c->nside
                                     ? c->npair
                                     : EXPECTED / MOST_POINTS * c->nside);
    }
    FLX_TRY(flx_grow(d->base.ctx, (void **)&l->sides, &l->room_side, most, sizeof *l->sides));
    FLX_TRY(flx_grow(d->base.ctx, (void **)&l->points, &l->room_point, npoint, sizeof *l->points));
    FLX_TRY(flx_grow(d->base.ctx, (void **)&l->numbers, &l->room_number, 36 * npoint,
                     sizeof *l->numbers));
    return make_trees(d, l);
}

flx_status flx_touch_list_create(const flx_descriptor *d, struct flx_touch_list **list)
{
    if (!flx_touches_exist(d->model)) return FLX_OK;
    *list = flx_alloc(d->base.ctx, 1, sizeof **list);
    return *list ? make_list(d, *list) : FLX_ERR_MEMORY;
}

static flx_status check_contact(const flx_descriptor *d, const flx_contact *c)
{
    if (c->friction.rolling > 0 || c->friction.spinning > 0) {
        return FLX_FAIL(d->base.ctx, FLX_ERR_CANNOT, c->loc,
                        "contact '%s': friction of rolling and spinning is not there for law "
                        "'restitution'; use a compliant law, or leave it out",
                        c->name);
    }
    for (int k = 0; k < c->npair; k++) {
        const flx_contact_side *a = c->sides + c->pairs[k][0], *b = c->sides + c->pairs[k][1];
        bool turned;
        if (flx_pair_find(a->surface->kind, b->surface->kind, &turned)) continue;
        return FLX_FAIL(
            d->base.ctx, FLX_ERR_CANNOT, b->loc,
            "contact '%s': surfaces '%s' and '%s' are not found to touch each other yet", c->name,
            a->surface->kind->row.key, b->surface->kind->row.key);
    }
    return FLX_OK;
}

flx_status flx_touches_check(const flx_descriptor *d)
{
    const flx_model *m = d->model;
    for (int i = 0; m->simulate.steps && i < m->ncontact; i++) {
        if (is_met(m->contacts + i)) FLX_TRY(check_contact(d, m->contacts + i));
    }
    return FLX_OK;
}

static flx_frame frame_of(const flx_descriptor *d, const flx_descriptor_work *w, int body)
{
    return d->planar ? flx_frame_of_plane(w->frames.plane + body + 1) : w->frames.space[body + 1];
}

// ---- rows -------------------------------------------------------------------------------------------------

// Velocity along e at the place P of a frame, by the frame's own velocities.
static void frame_row(const flx_descriptor *d, const flx_frame *f, int nv, const double P[3],
                      const double e[3], double sign, double row[6])
{
    v3 n = v3_scale(sign, v3_load(e)), arm = v3_sub(v3_load(P), v3_load(f->r));
    v3 turn = v3_cross(arm, n);
    if (d->planar) {
        row[0] = n.x, row[1] = n.y;
        if (nv > 2) row[2] = turn.z;
        return;
    }
    v3_store(row, n);
    if (nv > 3) v3_store(row + 3, m33_tmul_v(m33_load(f->R), turn));
}

// One end of a point: the rows of its body, or of what moves an attached frame.
static flx_status add_end(const flx_descriptor *d, flx_descriptor_work *w, flx_touch_point *t,
                          int body, const flx_frame *f, const double P[3], double e[3][3],
                          double sign)
{
    struct flx_touch_list *l = w->touches;
    const flx_attached_data *a =
        body >= d->model->nbody ? d->attached + (body - d->model->nbody) : NULL;
    int nv = d->body_nv[body], width = a ? a->width : nv, nrow = 1 + t->ntangent;
    int parts = a ? a->nmaster : 1;
    FLX_TRY(flx_grow(d->base.ctx, (void **)&l->numbers, &l->room_number, l->nnumber + nrow * width,
                     sizeof *l->numbers));
    for (int k = 0; k < parts; k++) {
        int size = a ? a->column[k + 1] - a->column[k] : nv;
        double *out = l->numbers + l->nnumber;
        for (int i = 0; i < nrow; i++) {
            double row[6] = {0};
            frame_row(d, f, nv, P, e[i], sign, row);
            for (int j = 0; j < size; j++) {
                double sum = a ? 0.0 : row[j];
                for (int r = 0; a && r < a->nv; r++)
                    sum += row[r] * w->attached.J[a->at + r * a->width + a->column[k] + j];
                out[i * size + j] = sum;
            }
        }
        t->block[t->npart++] = a ? d->block_of[a->first[k]] : flx_body_block(d, body);
        l->nnumber += nrow * size;
    }
    return FLX_OK;
}

static flx_status add_point(const flx_descriptor *d, flx_descriptor_work *w, const flx_contact *c,
                            const flx_touch_point *of, const int body[2], const flx_frame f[2],
                            const flx_touch *touch)
{
    struct flx_touch_list *l = w->touches;
    double e[3][3], spin[2], P[3];
    FLX_TRY(flx_grow(d->base.ctx, (void **)&l->points, &l->room_point, l->npoint + 1,
                     sizeof *l->points));
    flx_touch_point *t = l->points + l->npoint;
    *t = *of;
    t->gap = touch->gap;
    t->feature = touch->feature;
    t->friction = c->friction.coefficient;
    t->sticking = fmax(c->friction.sticking, t->friction);
    t->restitution = c->restitution;
    t->ntangent = t->sticking == 0 ? 0 : d->planar ? 1 : 2;
    memcpy(e[0], touch->n, sizeof e[0]);
    flx_touch_tangents(d->planar ? &flx_tangents_planar : &flx_tangents_usual, touch->n, e + 1,
                       spin);
    memcpy(t->axes, e, sizeof t->axes);
    for (int i = 0; i < 3; i++) P[i] = 0.5 * (touch->p[0][i] + touch->p[1][i]);
    for (int i = 0; i < 2; i++) {
        if (body[i] >= 0)
            FLX_TRY(add_end(d, w, l->points + l->npoint, body[i], f + i, P, e, i ? 1.0 : -1.0));
    }
    l->npoint++;
    return FLX_OK;
}

// A place of two patches.
static flx_status add_patch(const flx_descriptor *d, flx_descriptor_work *w, const flx_contact *c,
                            const flx_touch_point *is, const flx_patch_pair *p,
                            const flx_patch_touch *at)
{
    struct flx_touch_list *l = w->touches;
    double e[3][3], spin[2], rows[FLX_PATCH_MEMBERS][18];
    int member[FLX_PATCH_MEMBERS];
    FLX_TRY(flx_grow(d->base.ctx, (void **)&l->points, &l->room_point, l->npoint + 1,
                     sizeof *l->points));
    flx_touch_point *t = l->points + l->npoint;
    *t = *is;
    t->gap = at->at.distance - p->radius[0] - p->radius[1];
    t->feature = (uint64_t)at->patch[0] << 32 | (uint32_t)at->patch[1];
    t->friction = c->friction.coefficient;
    t->sticking = fmax(c->friction.sticking, t->friction);
    t->restitution = c->restitution;
    t->ntangent = t->sticking == 0 ? 0 : d->planar ? 1 : 2;
    memcpy(e[0], at->at.normal, sizeof e[0]);
    flx_touch_tangents(d->planar ? &flx_tangents_planar : &flx_tangents_usual, e[0], e + 1, spin);
    memcpy(t->axes, e, sizeof t->axes);
    for (int i = 0; i < 3 && p->turned; i++) { // for those who look: from the first of the model
        for (int k = 0; k < 3; k++) t->axes[i][k] = -e[i][k];
    }
    int nrow = 1 + t->ntangent, n = flx_patch_rows(p, at, w->frames, nrow, e, member, rows);
    for (int k = 0; k < n; k++) {
        const flx_patch_body *b = p->bodies + member[k];
        int size = nrow * b->nv;
        FLX_TRY(flx_grow(d->base.ctx, (void **)&l->numbers, &l->room_number, l->nnumber + size,
                         sizeof *l->numbers));
        memcpy(l->numbers + l->nnumber, rows[k], (size_t)size * sizeof *l->numbers);
        l->nnumber += size;
        t->block[t->npart++] = flx_body_block(d, b->body);
    }
    l->npoint++;
    return FLX_OK;
}

static flx_status find_patches(const flx_descriptor *d, flx_descriptor_work *w, int contact,
                               double reach)
{
    const flx_contact *c = d->model->contacts + contact;
    const flx_patch_pair *p;
    flx_patch_touch *of;
    for (int k = 0, n; (n = flx_patches_meet(d, w, contact, k, reach, &p, &of)) >= 0; k++) {
        uint64_t pair = (uint64_t)contact << 32 | (uint32_t)(c->npair + k);
        flx_touch_point is = {.contact = contact, .pair = pair};
        for (int i = 0; i < n; i++) FLX_TRY(add_patch(d, w, c, &is, p, of + i));
    }
    return FLX_OK;
}

// ---- which points -----------------------------------------------------------------------------------------

static bool are_apart(const side *a, const side *b, double reach)
{
    if (!a->bounded || !b->bounded) return false;
    for (int i = 0; i < 3; i++) {
        if (a->low[i] > b->high[i] + reach || b->low[i] > a->high[i] + reach) return true;
    }
    return false;
}

static flx_status place_sides(const flx_descriptor *d, flx_descriptor_work *w, const flx_contact *c)
{
    struct flx_touch_list *l = w->touches;
    FLX_TRY(flx_grow(d->base.ctx, (void **)&l->sides, &l->room_side, c->nside, sizeof *l->sides));
    for (int i = 0; i < c->nside; i++) {
        side *o = l->sides + i;
        const flx_surface *surface = c->sides[i].surface;
        o->f = frame_of(d, w, c->sides[i].body);
        o->bounded = surface->kind->bounds != NULL;
        if (o->bounded) surface->kind->bounds(surface, &o->f, o->low, o->high);
    }
    return FLX_OK;
}

static flx_status find_pair(const flx_descriptor *d, flx_descriptor_work *w, int contact, int pair,
                            double reach)
{
    const flx_contact *c = d->model->contacts + contact;
    const int *of = c->pairs[pair];
    const side *a = w->touches->sides + of[0], *b = w->touches->sides + of[1];
    if (are_apart(a, b, reach)) return FLX_OK;
    const int body[2] = {c->sides[of[0]].body, c->sides[of[1]].body};
    const flx_frame f[2] = {a->f, b->f};
    flx_touch points[MOST_POINTS];
    flx_touch_point is = {.contact = contact, .pair = (uint64_t)contact << 32 | (uint32_t)pair};
    int n = flx_pair_touch(c->sides[of[0]].surface, f, c->sides[of[1]].surface, f + 1, reach,
                           MOST_POINTS, NULL, points);
    for (int i = 0; i < n; i++) {
        if (points[i].gap <= reach) FLX_TRY(add_point(d, w, c, &is, body, f, points + i));
    }
    return FLX_OK;
}

// The pair of two sides; -1: they may not touch. Pairs are sorted.
static int pair_of(const flx_contact *c, int i, int k)
{
    int low = 0, high = c->npair;
    while (low < high) {
        int middle = (low + high) / 2;
        const int *p = c->pairs[middle];
        if (p[0] == i && p[1] == k) return middle;
        if (p[0] < i || (p[0] == i && p[1] < k))
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

static bool may_touch(const void *user, int i, int k)
{
    return pair_of(user, i, k) >= 0;
}

// The pairs that are near, by the tree; in the order of all.
static flx_status find_near(const flx_descriptor *d, flx_descriptor_work *w, int contact,
                            double reach)
{
    const flx_contact *c = d->model->contacts + contact;
    flx_broad *tree = w->touches->trees[contact];
    int n, (*near)[2];
    for (int i = 0; i < c->nside; i++) {
        const side *o = w->touches->sides + i;
        flx_bounds box;
        for (int k = 0; k < 3; k++) {
            box.low[k] = o->bounded ? o->low[k] : -HUGE_VAL;
            box.high[k] = o->bounded ? o->high[k] : HUGE_VAL;
        }
        flx_broad_move(tree, i, &box, fmax(reach, FAT * d->length));
    }
    FLX_TRY(flx_broad_pairs(tree, may_touch, c, &n, &near));
    for (int k = 0; k < n; k++)
        FLX_TRY(find_pair(d, w, contact, pair_of(c, near[k][0], near[k][1]), reach));
    return FLX_OK;
}

static flx_status find(const flx_system *s, flx_work *work, const flx_point *p, double reach,
                       int *n, const flx_touch_point **list)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    *n = 0;
    flx_eval_frames(d, w, p);
    w->touches->npoint = w->touches->nnumber = 0;
    for (int i = 0; i < d->model->ncontact; i++) {
        if (!is_met(d->model->contacts + i)) continue;
        FLX_TRY(find_patches(d, w, i, reach));
        FLX_TRY(place_sides(d, w, d->model->contacts + i));
        if (w->touches->trees[i]) {
            FLX_TRY(find_near(d, w, i, reach));
            continue;
        }
        for (int k = 0; k < d->model->contacts[i].npair; k++) FLX_TRY(find_pair(d, w, i, k, reach));
    }
    // the numbers are where they stay now
    const double *at = w->touches->numbers;
    for (int i = 0; i < w->touches->npoint; i++) {
        flx_touch_point *t = w->touches->points + i;
        for (int k = 0; k < t->npart; k++) {
            t->rows[k] = at;
            at +=
                (1 + t->ntangent) * (d->block_start[t->block[k] + 1] - d->block_start[t->block[k]]);
        }
    }
    *n = w->touches->npoint;
    *list = w->touches->points;
    return FLX_OK;
}

static int count(const flx_system *s)
{
    return flx_descriptor_of(s)->model->ncontact;
}

static const char *item(const flx_system *s, int contact, flx_loc *loc)
{
    const flx_contact *c = flx_descriptor_of(s)->model->contacts + contact;
    *loc = c->loc;
    return c->name;
}

static double length(const flx_system *s)
{
    return flx_descriptor_of(s)->length;
}

static int tally(const flx_system *s, int contact)
{
    return flx_descriptor_of(s)->touch_switch + contact * FLX_TOUCH_TALLY;
}

void flx_touches_number(flx_descriptor *d)
{
    if (d->whole) {
        d->touch_switch = ((const flx_descriptor *)d->whole)->touch_switch;
        return;
    }
    d->touch_switch = d->base.dims.nswitch;
    if (flx_touches_exist(d->model)) d->base.dims.nswitch += d->model->ncontact * FLX_TOUCH_TALLY;
}

// ---- what there is to see ---------------------------------------------------------------------------------

// Gap, place and slip where the gap is least.
static void observe_point(const flx_descriptor *d, const flx_frame f[2], const flx_touch *t,
                          double out[FLX_CONTACT_SIGNALS])
{
    out[FLX_CONTACT_TOUCHING] += t->gap <= 1e-9 * d->length;
    if (!(t->gap < out[FLX_CONTACT_GAP])) return;
    v3 P = v3_scale(0.5, v3_add(v3_load(t->p[0]), v3_load(t->p[1]))), u[2], n = v3_load(t->n);
    for (int i = 0; i < 2; i++) {
        v3 w = m33_mul_v(m33_load(f[i].R), v3_load(f[i].w));
        u[i] = v3_add(v3_load(f[i].v), v3_cross(w, v3_sub(P, v3_load(f[i].r))));
    }
    v3 slip = v3_sub(u[1], u[0]);
    slip = v3_sub(slip, v3_scale(v3_dot(slip, n), n));
    out[FLX_CONTACT_GAP] = t->gap;
    v3_store(out + FLX_CONTACT_SLIP, slip);
    v3_store(out + FLX_CONTACT_PLACE, P);
}

void flx_touches_observe(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                         int contact, double out[FLX_CONTACT_SIGNALS])
{
    const flx_contact *c = d->model->contacts + contact;
    if (!d->model->simulate.steps || !is_met(c)) return;
    flx_eval_frames(d, w, p);
    for (int k = 0; k < c->npair; k++) {
        const flx_contact_side *a = c->sides + c->pairs[k][0], *b = c->sides + c->pairs[k][1];
        flx_frame f[2] = {frame_of(d, w, a->body), frame_of(d, w, b->body)};
        flx_touch points[MOST_POINTS];
        double reach = c->npair == 1 ? HUGE_VAL : d->length; // of many those that are near
        int n = flx_pair_touch(a->surface, f, b->surface, f + 1, reach, MOST_POINTS, NULL, points);
        for (int i = 0; i < n; i++) observe_point(d, f, points + i, out);
    }
    const double *kept = p->switches + tally(&d->base, contact);
    out[FLX_CONTACT_VALUE] = kept[FLX_TOUCH_VALUE];
    memcpy(out + FLX_CONTACT_FORCE, kept + FLX_TOUCH_FORCE, 3 * sizeof *out);
    memcpy(out + FLX_CONTACT_FRICTION, kept + FLX_TOUCH_FRICTION, 3 * sizeof *out);
    out[FLX_CONTACT_STATE] = kept[FLX_TOUCH_STATE];
    out[FLX_CONTACT_IMPULSE] = kept[FLX_TOUCH_IMPULSE];
    out[FLX_CONTACT_COUNT] = kept[FLX_TOUCH_COUNT];
    for (int i = 0; i < 3; i++)
        out[FLX_CONTACT_POWER] += kept[FLX_TOUCH_FRICTION + i] * out[FLX_CONTACT_SLIP + i];
}

const flx_touches flx_descriptor_touches = {
    .count = count,
    .item = item,
    .length = length,
    .tally = tally,
    .find = find,
};
