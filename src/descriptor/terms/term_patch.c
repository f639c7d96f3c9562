// term_patch.c - surfaces of bodies that deform, with compliant laws: lines of beams with each other and with rigid spheres and
// capsules, faces of solids with spheres. Where they touch is found at every evaluation; nothing is located.
#include "contact/contact_surface.h"
#include "descriptor/descriptor_parts.h"
#include "force/patch_force.h"

// Lines that lie along each other: below this sine of their angle it is not known where they touch.
#define ALONG 0.03
#define PART_OF_THICKNESS 0.5 // that surfaces come nearer by in a step

typedef struct patches {
    int n;
    flx_patch_pair *of;
    int most; // patches of both sides of one pair
} patches;

static patches *patches_of(const flx_descriptor *d)
{
    return d->own[FLX_TERM_PATCH];
}

// ---- making -------------------------------------------------------------------------------------

static void set_numbers(const flx_contact *c, flx_patch_pair *p)
{
    p->law = flx_law_of(c, c->stiffness, 0.0, 0.0, 1.0); // no closing speed is read
    p->friction = c->friction.coefficient;
    p->velocity = c->friction.velocity;
    if (p->spread) flx_patch_spread_rules(p);
}

static flx_status plan_pair(flx_descriptor *d, int contact, const int sides[2], flx_patch_pair *p)
{
    const flx_model *m = d->model;
    const flx_contact *c = m->contacts + contact;
    flx_surface_value value[2];
    int most = 0;
    for (int i = 0; i < 2; i++) value[i] = c->sides[sides[i]].surface->kind->value;
    bool faces = value[0] == FLX_SURFACE_FACES || value[1] == FLX_SURFACE_FACES;
    bool both = value[0] == FLX_SURFACE_FACES && value[1] == FLX_SURFACE_FACES;
    // a line comes first; faces second, before them what touches them, of two the nodes of the first
    bool swapped = faces ? !both && value[0] == FLX_SURFACE_FACES : value[0] != FLX_SURFACE_LINE;
    *p = (flx_patch_pair){.contact = contact,
                          .planar = d->planar,
                          .turned = both ? sides[0] > sides[1] : swapped,
                          .faces = faces,
                          .self = sides[0] == sides[1],
                          .rigid = c->law == FLX_CONTACT_RIGID,
                          .spread =
                              !faces && c->law != FLX_CONTACT_HERTZ && c->law != FLX_CONTACT_RIGID};
    for (int i = 0; i < 2; i++) most += flx_patches_bodies(m, c->sides + sides[i]);
    p->bodies = flx_arena_take(d->arena, (size_t)most, sizeof *p->bodies);
    if (!p->bodies) return FLX_ERR_MEMORY;
    for (int i = 0; i < 2; i++) {
        const flx_contact_side *side = c->sides + sides[swapped ? 1 - i : i];
        FLX_TRY(flx_patches_plan_side(d, p, i, i == 0, side));
    }
    for (int k = 0; k < p->nbody && p->rigid; k++) {
        if (p->bodies[k].body < m->nbody) continue;
        return FLX_FAIL(d->base.ctx, FLX_ERR_CANNOT, c->loc,
                        "contact '%s': a sphere at a node of a flexible body does not touch lines "
                        "and faces by the rigid law; take a compliant one",
                        c->name);
    }
    p->block = flx_arena_take(d->arena, (size_t)p->nbody * (size_t)p->nbody, sizeof *p->block);
    if (!p->block) return FLX_ERR_MEMORY;
    set_numbers(c, p);
    return FLX_OK;
}

// Rigid contacts of lines and faces have no rows that stay: they are met step by step.
static flx_status check_rigid(const flx_descriptor *d, const flx_contact *c)
{
    if (c->law != FLX_CONTACT_RIGID || c->ndeforming == 0 || d->model->simulate.steps)
        return FLX_OK;
    return FLX_FAIL(d->base.ctx, FLX_ERR_CANNOT, c->loc,
                    "contact '%s': lines of beams and faces meet rigid contacts step by step: take "
                    "'contacts: steps' with method moreau or generalized-alpha and a 'step', or a "
                    "compliant law, as in {law: penalty, stiffness: 1e5}",
                    c->name);
}

static flx_status plan(flx_descriptor *d)
{
    const flx_model *m = d->model;
    size_t most = 0;
    for (int i = 0; i < m->ncontact; i++) {
        FLX_TRY(check_rigid(d, m->contacts + i));
        most += (size_t)m->contacts[i].ndeforming;
    }
    if (most == 0) return FLX_OK;
    patches *own = flx_arena_take(d->arena, 1, sizeof *own);
    if (!own) return FLX_ERR_MEMORY;
    own->of = flx_arena_take(d->arena, most, sizeof *own->of);
    if (!own->of) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->ncontact; i++) {
        const flx_contact *c = m->contacts + i;
        for (int k = 0; k < c->ndeforming; k++) {
            flx_patch_pair *p = own->of + own->n++;
            FLX_TRY(plan_pair(d, i, c->deforming[k], p));
            if (p->n[0] + p->n[1] > own->most) own->most = p->n[0] + p->n[1];
        }
    }
    d->own[FLX_TERM_PATCH] = own;
    return FLX_OK;
}

// Marks what may touch: bodies of every patch with each other, and with those of all patches of the other side.
static void mark_coupled(flx_patch_pair *p)
{
    for (int t = 0; t < p->n[0] * p->n[1]; t++) {
        const flx_patch *of[2] = {p->of[0] + t / p->n[1], p->of[1] + t % p->n[1]};
        int member[2 * FLX_PATCH_VECTORS], n = 0;
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < flx_patch_vectors(of[side]->kind); i++) {
                if (of[side]->z[i].member >= 0) member[n++] = of[side]->z[i].member;
            }
        }
        for (int k = 0; k < n * n; k++) p->block[member[k / n] * p->nbody + member[k % n]] = 0;
    }
}

static flx_status couple(flx_descriptor *d)
{
    const patches *own = patches_of(d);
    for (int i = 0; i < own->n; i++) {
        flx_patch_pair *p = own->of + i;
        for (int k = 0; k < p->nbody * p->nbody; k++) p->block[k] = -1;
        if (p->rigid) continue;
        mark_coupled(p);
        for (int a = 0; a < p->nbody; a++) {
            for (int b = 0; b < a; b++) {
                const int body[2] = {p->bodies[a].body, p->bodies[b].body};
                if (p->block[a * p->nbody + b] == 0) FLX_TRY(flx_layout_couple_bodies(d, body));
            }
        }
    }
    return FLX_OK;
}

static flx_status fill(flx_descriptor *d)
{
    const patches *own = patches_of(d);
    for (int i = 0; i < own->n; i++) {
        flx_patch_pair *p = own->of + i;
        for (int a = 0; a < p->nbody; a++) {
            p->bodies[a].v = d->body_v[p->bodies[a].body];
            p->bodies[a].nv = d->body_nv[p->bodies[a].body];
        }
        for (int k = 0; k < p->nbody * p->nbody; k++) {
            const flx_patch_body *a = p->bodies + k / p->nbody, *b = p->bodies + k % p->nbody;
            if (p->block[k] >= 0) p->block[k] = flx_layout_slot(d, a->v, b->v);
        }
    }
    return FLX_OK;
}

static bool is_damped(const flx_contact *c, const flx_patch_pair *p)
{
    return p->law.c != 0 || p->law.a != 0 || c->damping_open || p->friction > 0 ||
           c->friction.coefficient_open;
}

static void mark(flx_descriptor *d)
{
    const patches *own = patches_of(d);
    for (int i = 0; i < own->n; i++) {
        const flx_patch_pair *p = own->of + i;
        if (!is_damped(d->model->contacts + p->contact, p)) continue;
        for (int k = 0; k < p->nbody * p->nbody; k++) {
            if (p->block[k] >= 0) flx_layout_mark(d, p->block[k], 2);
        }
    }
}

// ---- numbers once more --------------------------------------------------------------------------

static flx_status take(flx_descriptor *d)
{
    patches *own = FLX_OWN(d, d->own[FLX_TERM_PATCH], 1, sizeof *own);
    return own && FLX_OWN(d, own->of, own->n, sizeof *own->of) ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status renew(flx_descriptor *d)
{
    const patches *own = patches_of(d);
    for (int i = 0; i < own->n; i++)
        set_numbers(d->model->contacts + own->of[i].contact, own->of + i);
    return FLX_OK;
}

// ---- where they touch ---------------------------------------------------------------------------

// In the work: whether something was told, boxes of patches, touches.
#define TOUCH_NUMBERS ((sizeof(flx_patch_touch) + sizeof(double) - 1) / sizeof(double))

static int room_of(const patches *own)
{
    return FLX_PATCH_GAUSS * FLX_PATCH_INTERVALS * own->most;
}

static size_t scratch(const flx_descriptor *d)
{
    const patches *own = patches_of(d);
    return 1 + 6 * (size_t)own->most + (size_t)room_of(own) * TOUCH_NUMBERS;
}

static int find(const flx_descriptor *d, flx_descriptor_work *w, const flx_patch_pair *p,
                double reach, flx_patch_touch **of)
{
    const patches *own = patches_of(d);
    double *boxes = w->own[FLX_TERM_PATCH] + 1;
    *of = (flx_patch_touch *)(void *)(boxes + (ptrdiff_t)6 * own->most);
    if (p->faces) return flx_patch_find_nearest(p, w->frames, reach, boxes, room_of(own), *of);
    if (p->spread && reach == 0.0) {
        return flx_patch_spread(p, w->frames, boxes, room_of(own), *of);
    }
    return flx_patch_find(p, w->frames, reach, boxes, room_of(own), *of);
}

static void residual(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, double *r)
{
    const patches *own = patches_of(d);
    (void)p;
    for (int i = 0; i < own->n; i++) {
        flx_patch_touch *of;
        int n = own->of[i].rigid ? 0 : find(d, w, own->of + i, 0.0, &of);
        for (int k = 0; k < n; k++) flx_patch_residual(own->of + i, of + k, w->frames, r);
    }
}

static void linearise(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      flx_blocks *b)
{
    const patches *own = patches_of(d);
    (void)p;
    for (int i = 0; i < own->n; i++) {
        flx_patch_touch *of;
        int n = own->of[i].rigid ? 0 : find(d, w, own->of + i, 0.0, &of);
        bool damped = is_damped(d->model->contacts + own->of[i].contact, own->of + i);
        for (int k = 0; k < n; k++)
            flx_patch_linearise(own->of + i, of + k, w->frames, b->A0, damped ? b->A1 : NULL);
    }
}

static void energy(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                   flx_energies *e)
{
    const patches *own = patches_of(d);
    (void)p;
    for (int i = 0; i < own->n; i++) {
        flx_patch_touch *of;
        int n = own->of[i].rigid ? 0 : find(d, w, own->of + i, 0.0, &of);
        for (int k = 0; k < n; k++) {
            flx_patch_state s = flx_patch_look(own->of + i, of + k, w->frames);
            e->strain += s.stored;
            e->dissipated_power += s.lost;
        }
    }
}

// ---- what there is to know ----------------------------------------------------------------------

// Forces of all places that touch; parts of a line that go on beyond a node count once.
static void observe_forces(const flx_patch_pair *p, const flx_descriptor_work *w, int n,
                           const flx_patch_touch *of, double out[FLX_CONTACT_SIGNALS])
{
    double sign = p->turned ? -1.0 : 1.0;
    for (int k = 0; k < n; k++) {
        flx_patch_state s = flx_patch_look(p, of + k, w->frames);
        v3 force = v3_axpy(s.force, v3_load(of[k].at.normal), s.friction);
        bool goes_on = p->spread && k > 0 && of[k].patch[0] - of[k - 1].patch[0] <= 1;
        out[FLX_CONTACT_VALUE] += s.force;
        v3_add_to(out + FLX_CONTACT_FRICTION, sign, s.friction);
        v3_add_to(out + FLX_CONTACT_FORCE, sign, force);
        out[FLX_CONTACT_POWER] -= s.force * s.rate - v3_dot(s.friction, s.slip);
        out[FLX_CONTACT_TOUCHING] += !goes_on;
        out[FLX_CONTACT_STATE] = FLX_CONTACT_SLIDES;
    }
}

// Of contacts that are met step by step: where the surfaces touch.
static void count_touching(const flx_descriptor *d, const flx_patch_pair *p, int n,
                           const flx_patch_touch *of, double out[FLX_CONTACT_SIGNALS])
{
    double thick = p->radius[0] + p->radius[1];
    for (int k = 0; k < n && p->rigid; k++)
        out[FLX_CONTACT_TOUCHING] += of[k].at.distance - thick <= 1e-9 * d->length;
}

// Where the gap is least.
static void observe_gap(const flx_patch_pair *p, const flx_descriptor_work *w, int n,
                        const flx_patch_touch *of, double out[FLX_CONTACT_SIGNALS])
{
    for (int k = 0; k < n; k++) {
        flx_patch_state s = flx_patch_look(p, of + k, w->frames);
        v3 normal = v3_load(of[k].at.normal), c = v3_load(of[k].at.c[0]);
        if (!(-s.depth < out[FLX_CONTACT_GAP])) continue;
        out[FLX_CONTACT_GAP] = -s.depth;
        v3_store(out + FLX_CONTACT_SLIP, v3_scale(p->turned ? -1.0 : 1.0, s.slip));
        v3_store(out + FLX_CONTACT_PLACE, v3_axpy(p->radius[0] - 0.5 * s.depth, normal, c));
    }
}

void flx_patches_observe(const flx_descriptor *d, flx_descriptor_work *w, int contact,
                         double out[FLX_CONTACT_SIGNALS])
{
    const patches *own = patches_of(d);
    for (int i = 0; own && i < own->n; i++) {
        const flx_patch_pair *p = own->of + i;
        flx_patch_touch *of;
        if (p->contact != contact) continue;
        int n = find(d, w, p, 0.0, &of);
        if (!p->rigid) observe_forces(p, w, n, of, out);
        n = find(d, w, p, 2.0 * d->length, &of);
        count_touching(d, p, n, of, out);
        observe_gap(p, w, n, of, out);
    }
}

int flx_patches_meet(const flx_descriptor *d, flx_descriptor_work *w, int contact, int number,
                     double reach, const flx_patch_pair **p, flx_patch_touch **of)
{
    const patches *own = patches_of(d);
    for (int i = 0; own && i < own->n; i++) {
        *p = own->of + i;
        if (!(*p)->rigid || (*p)->contact != contact || number-- > 0) continue;
        return find(d, w, *p, reach, of);
    }
    return -1;
}

// ---- how long a step may be ---------------------------------------------------------------------

// Distance of two boxes.
static double apart(const double *a, const double *b)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double x = fmax(fmax(a[k] - b[3 + k], b[k] - a[3 + k]), 0.0);
        sum += x * x;
    }
    return sqrt(sum);
}

typedef struct motion { // of a patch: the most that a place of it moves relative to that of another
    int n;
    v3 v[FLX_PATCH_VECTORS], a[FLX_PATCH_VECTORS];
} motion;

static motion motion_of(const flx_descriptor *d, const flx_descriptor_work *w,
                        const flx_patch_pair *p, const flx_patch *of, const double *a)
{
    motion m = {0};
    v3 rate[FLX_PATCH_VECTORS];
    flx_patch_move_vectors(of, w->frames, rate);
    for (int i = 0; i < flx_patch_vectors(of->kind); i++) {
        const flx_patch_vector *z = of->z + i;
        if (z->place != 1.0) continue; // a direction
        const double *own = z->member < 0 ? NULL : a + p->bodies[z->member].v;
        m.v[m.n] = rate[i];
        m.a[m.n++] = own ? v3_make(own[0], own[1], d->planar ? 0.0 : own[2]) : (v3){0};
    }
    return m;
}

static double longest_of(const flx_descriptor *d, const flx_descriptor_work *w,
                         const flx_patch_pair *p, const double *boxes, const double *a)
{
    double thick = p->radius[0] + p->radius[1], least = HUGE_VAL;
    for (int i = 0; i < p->n[0]; i++) {
        motion first = motion_of(d, w, p, p->of[0] + i, a);
        for (int j = 0; j < p->n[1]; j++) {
            if (!flx_patch_may_touch(p, i, j)) continue;
            double far = apart(boxes + (ptrdiff_t)6 * i, boxes + (ptrdiff_t)6 * (p->n[0] + j));
            motion second = motion_of(d, w, p, p->of[1] + j, a);
            double v = 0.0, change = 0.0;
            for (int k = 0; k < first.n * second.n; k++) {
                int x = k / second.n, y = k % second.n;
                v = fmax(v, v3_norm(v3_sub(second.v[y], first.v[x])));
                change = fmax(change, v3_norm(v3_sub(second.a[y], first.a[x])));
            }
            far = fmax(far - thick, PART_OF_THICKNESS * thick);
            double sum = v + sqrt(v * v + 2.0 * far * change);
            if (sum > 0.0) least = fmin(least, 2.0 * far / sum);
        }
    }
    return least;
}

double flx_patches_longest(const flx_descriptor *d, flx_descriptor_work *w, const double *a,
                           int *contact)
{
    const patches *own = patches_of(d);
    double h = HUGE_VAL;
    for (int i = 0; own && i < own->n; i++) {
        flx_patch_touch *of;
        const flx_patch_pair *p = own->of + i;
        int n = find(d, w, p, 0.0, &of);
        if (n > 0) continue; // it is seen to touch
        double most = longest_of(d, w, p, w->own[FLX_TERM_PATCH] + 1, a);
        if (!(most < h)) continue;
        h = most;
        *contact = p->contact;
    }
    return h;
}

static v3 direction_at(const flx_descriptor *d, const flx_descriptor_work *w, const flx_patch *of,
                       const double s[2])
{
    v3 z[FLX_PATCH_VECTORS], sum = {0};
    flx_patch_shape shape;
    (void)d;
    flx_patch_place_vectors(of, w->frames, z);
    flx_patch_shape_at(of->kind, s, &shape);
    for (int i = 0; i < flx_patch_vectors(of->kind); i++)
        sum = v3_axpy(shape.first[0][i], z[i], sum);
    return v3_unit(sum);
}

// Tells, once, of lines that touch along each other.
static void watch(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *x)
{
    const patches *own = patches_of(d);
    double *told = w->own[FLX_TERM_PATCH];
    for (int i = 0; i < own->n && *told == 0.0; i++) {
        flx_patch_touch *of;
        const flx_patch_pair *p = own->of + i;
        int n = p->spread || p->rigid ? 0 : find(d, w, p, 0.0, &of);
        for (int k = 0; k < n && *told == 0.0; k++) {
            const flx_patch *a = p->of[0] + of[k].patch[0], *b = p->of[1] + of[k].patch[1];
            if (flx_patch_parameters(a->kind) != 1 || flx_patch_parameters(b->kind) != 1) continue;
            v3 across = v3_cross(direction_at(d, w, a, of[k].at.s[0]),
                                 direction_at(d, w, b, of[k].at.s[1]));
            if (!(v3_norm(across) < ALONG)) continue;
            const flx_contact *c = d->model->contacts + p->contact;
            *told = 1.0;
            flx_ctx_warn(d->base.ctx, c->loc,
                         "contact '%s': at t = %.9g two lines touch along each other; where their "
                         "forces act is then not determined, and jumps",
                         c->name, x->t);
        }
    }
}

const flx_term flx_term_patch = {
    .plan = plan,
    .couple = couple,
    .fill = fill,
    .mark = mark,
    .scratch = scratch,
    .take = take,
    .renew = renew,
    .residual = residual,
    .linearise = linearise,
    .energy = energy,
    .watch = watch,
};
