// term_contact.c - surfaces that touch, with compliant laws: a force for each point of each pair that may touch.
#include "contact/gap.h"
#include "descriptor/descriptor_parts.h"

#include <stdatomic.h>

// Surfaces are clear of each other beyond this part of the size of the mechanism.
#define CLEAR 1e-6
// Usual depth where nothing has weight, by the largest radius of gyration.
#define USUAL 1e-5
// Where points come and go, those of surfaces that are deep in each other may be others, or none: steps bring them nearer by
// less than this part of what else they may.
#define PART_OF_SOLIDS 0.1

typedef struct contacts {
    int n;
    flx_contact_point *of;
} contacts;

static contacts *contacts_of(const flx_descriptor *d)
{
    return d->own[FLX_TERM_CONTACT];
}

int flx_contacts_points(const flx_descriptor *d, const flx_contact_point **of)
{
    const contacts *own = contacts_of(d);
    if (of) *of = own ? own->of : NULL;
    return own ? own->n : 0;
}

// ---- making -------------------------------------------------------------------------------------

// (CON-8) 1/R* of surfaces whose curvature is everywhere the same.
flx_status flx_contacts_curvature(const flx_descriptor *d, const flx_contact *c, int pair,
                                  const char *what, double *curvature)
{
    *curvature = 0.0;
    for (int i = 0; i < 2; i++) {
        const flx_contact_side *side = c->sides + c->pairs[pair][i];
        const flx_surface *s = side->surface;
        double own = 0.0;
        if (!s->kind->curvature || !s->kind->curvature(s, &own)) {
            return FLX_FAIL(d->base.ctx, FLX_ERR_MODEL, side->loc, "contact '%s': %s", c->name,
                            what);
        }
        *curvature += own;
    }
    return FLX_OK;
}

static flx_status find_stiffness(const flx_descriptor *d, const flx_contact *c, int pair, double *k)
{
    double curvature;
    *k = c->stiffness;
    if (!c->material) return FLX_OK;
    FLX_TRY(flx_contacts_curvature(
        d, c, pair,
        c->law == FLX_CONTACT_MINDLIN ? "law 'mindlin' is of spheres and planes alone"
                                      : "Hertz's stiffness follows from 'material' for spheres and "
                                        "planes alone; give 'stiffness'",
        &curvature));
    *k = flx_law_hertz(c->E, c->nu, curvature);
    return FLX_OK;
}

static bool rolls(const flx_contact *c)
{
    const flx_contact_friction *f = &c->friction;
    return f->rolling > 0 || f->spinning > 0 || f->rolling_open || f->spinning_open;
}

// (LAW-10) Torques of rolling and spinning.
static flx_status find_rolling(const flx_descriptor *d, const flx_contact *c, flx_contact_point *p)
{
    double curvature;
    if (!rolls(c)) return FLX_OK;
    FLX_TRY(flx_contacts_curvature(
        d, c, p->pair, "'rolling' and 'spinning' are of spheres and planes alone", &curvature));
    p->rolling = c->friction.rolling / curvature;
    p->spinning = c->friction.spinning / curvature;
    p->slowest = c->friction.velocity * curvature;
    return FLX_OK;
}

static flx_status refuse_friction(const flx_descriptor *d, const flx_contact *c)
{
    const flx_contact_friction *f = &c->friction;
    const char *what = NULL;
    if (c->mixed && d->model->simulate.steps) {
        what = "with contacts met step by step no contact has 'form: mixed'; leave it out, or take "
               "'contacts: events'";
    } else if (d->planar && f->spinning > 0) {
        what = "in the plane nothing spins about the normal; leave 'spinning' out";
    } else if (rolls(c) && !(f->velocity > 0)) {
        what = "'rolling' and 'spinning' of a compliant law need the 'velocity' of friction, as in "
               "{coefficient: 0.3, velocity: 1e-3, rolling: 0.01}";
    } else if (flx_contact_is_coulomb(c) && d->model->simulate.steps) {
        what = "with contacts met step by step friction of a compliant law needs its 'velocity' or "
               "its 'stiffness', as in {coefficient: 0.3, velocity: 1e-3}";
    }
    if (!what) return FLX_OK;
    return FLX_FAIL(d->base.ctx, FLX_ERR_CANNOT, c->loc, "contact '%s': %s", c->name, what);
}

// (LAW-11) Slope of the depth along the force where the point carries the weight of the lighter body; without weight, where it
// is as deep as surfaces that were clear are apart. The stiffness of that body's mass in a step.
static void set_scales(const flx_descriptor *d, const flx_contact *c, flx_contact_point *p)
{
    const flx_law *l = &p->law;
    double lightest = HUGE_VAL, h = flx_model_typical_step(d->model), depth = CLEAR * d->length;
    for (int i = 0; i < 2; i++) {
        int body = c->sides[c->pairs[p->pair][i]].body;
        double mass = body < 0 ? 0.0 : flx_contacts_mass(d->model, body);
        if (mass > 0.0) lightest = fmin(lightest, mass);
    }
    double weight = isinf(lightest) ? 0.0 : lightest * v3_norm(v3_load(d->model->gravity));
    if (weight > 0.0) depth = pow(weight / l->k, 1.0 / l->n);
    p->C =
        l->n == 1.0 ? 1.0 / (l->k + fabs(l->c) / h) : 1.0 / (l->n * l->k * pow(depth, l->n - 1.0));
    p->m = fmin(1.0 / p->C, lightest / (h * h));
}

// The numbers of a point, which its structure leaves open.
static flx_status set_numbers(const flx_descriptor *d, flx_contact_point *p)
{
    const flx_contact *c = d->model->contacts + p->contact;
    double k;
    FLX_TRY(find_stiffness(d, c, p->pair, &k));
    double mass = flx_contacts_reduced_mass(d, c, p->pair),
           weight = mass * v3_norm(v3_load(d->model->gravity)),
           size = d->gyration > 0.0 ? d->gyration : d->length; // one free body has no length
    p->law = flx_law_of(c, k, mass, weight, USUAL * size);
    p->friction = c->friction.coefficient;
    p->velocity = c->friction.velocity;
    if (c->law == FLX_CONTACT_MINDLIN) FLX_TRY(flx_memories_set_mindlin(d, c, p));
    if (p->state >= 0) flx_memories_set(d, c, p);
    const flx_gap *gap = p->gap.gap;
    // of points that come and go it is asked for at each state
    double share =
        gap->family ? 1.0 : flx_pair_share(gap->surface[0], gap->surface[1], gap->feature);
    p->law.k *= share;
    p->law.c *= share;
    p->memory.k *= share;
    p->memory.c *= share;
    if (c->mixed) set_scales(d, c, p);
    return find_rolling(d, c, p);
}

// The compliance of a flexible body's node beside its shapes, in the axes of the node.
static flx_status find_residual(const flx_descriptor *d, int body, const double **out)
{
    const flx_model *m = d->model;
    *out = NULL;
    if (body < m->nbody) return FLX_OK;
    const flx_attached *at = m->attached + (body - m->nbody);
    const flx_elastic *e = NULL;
    for (int i = 0; i < m->nmodal && !e; i++) {
        if (m->modals[i].body == at->carrier) e = m->modals[i].e;
    }
    const flx_elastic_node *node = e ? e->nodes + at->node : NULL;
    if (!node || !node->residual) return FLX_OK;
    double *r = flx_arena_take(d->arena, 9, sizeof *r);
    if (!r) return FLX_ERR_MEMORY;
    m33 R = m33_load(node->R);
    m33_store(r, m33_tmul(R, m33_mul(m33_load(node->residual), R)));
    *out = r;
    return FLX_OK;
}

// number: among those of the contact.
static flx_status plan_point(const flx_descriptor *d, int contact, int pair, const flx_gap *like,
                             int number, flx_contact_point *p)
{
    const flx_contact *c = d->model->contacts + contact;
    const flx_contact_side *side[2] = {c->sides + c->pairs[pair][0], c->sides + c->pairs[pair][1]};
    flx_gap *gap = flx_arena_take(d->arena, 1, sizeof *gap);
    if (!gap) return FLX_ERR_MEMORY;
    *gap = *like;
    *p = (flx_contact_point){.contact = contact,
                             .pair = pair,
                             .thickness = flx_passage_thickness(c, pair) *
                                          (like->family ? PART_OF_SOLIDS : 1.0),
                             .row = -1,
                             .state = -1};
    for (int i = 0; i < 2; i++) {
        FLX_TRY(find_residual(d, side[i]->body, &p->residual[i]));
    }
    p->gap = (flx_scalar){
        .kind = FLX_SCALAR_GAP, .body = {side[0]->body, side[1]->body}, .turn = -1, .gap = gap};
    bool rubs = c->friction.coefficient > 0 || c->friction.coefficient_open;
    p->located = flx_contact_is_coulomb(c); // its friction is that of a group
    if (rubs && !p->located) p->nslip = d->planar ? 1 : 2;
    for (int i = 0; i < 2; i++) {
        p->slip[i] = p->gap;
        p->slip[i].kind = FLX_SCALAR_SLIP;
        p->slip[i].along = i;
    }
    if (rolls(c)) p->nroll = d->planar ? 1 : 2;
    if (rolls(c) && !d->planar) p->nspin = 1;
    for (int i = 0; i < 3;
         i++) { // about t_1, t_2 and the normal; the third axis of the plane is t_2
        p->turn[i] = p->slip[0];
        p->turn[i].along = d->planar ? 3 : 2 + i;
    }
    p->carry = p->slip[0];
    p->carry.along = 5;
    if (c->memory >= 0 && p->nslip > 0) p->state = c->memory + p->nslip * number;
    return set_numbers(d, p);
}

// (flx_gap) Of a pair whose points come and go.
static unsigned new_family(void)
{
    static atomic_uint last;
    unsigned family = atomic_fetch_add(&last, 1) + 1;
    return family ? family : atomic_fetch_add(&last, 1) + 1;
}

// The points of a pair, but for their numbers; how many there are.
static int begin_pair(const flx_descriptor *d, const flx_contact *c, int pair, flx_gap *like)
{
    const flx_surface *a = c->sides[c->pairs[pair][0]].surface,
                      *b = c->sides[c->pairs[pair][1]].surface;
    bool slots;
    (void)flx_gap_init(like, a, b, 0, d->planar);
    int n = flx_gap_points(a, b, &slots);
    if (slots) like->family = new_family();
    return n;
}

int flx_contacts_most(const flx_contact *c)
{
    int sum = 0;
    for (int k = 0; k < c->npair; k++) {
        const int *side = c->pairs[k];
        bool slots;
        sum += flx_gap_points(c->sides[side[0]].surface, c->sides[side[1]].surface, &slots);
    }
    return sum;
}

static bool is_ours(const flx_contact *c)
{
    return c->law != FLX_CONTACT_RIGID;
}

static flx_status plan(flx_descriptor *d)
{
    const flx_model *m = d->model;
    size_t most = 0;
    for (int i = 0; i < m->ncontact; i++) {
        const flx_contact *c = m->contacts + i;
        if (!is_ours(c)) continue;
        FLX_TRY(refuse_friction(d, c));
        most += (size_t)flx_contacts_most(c);
    }
    if (most == 0) return FLX_OK;
    contacts *own = flx_arena_take(d->arena, 1, sizeof *own);
    if (!own) return FLX_ERR_MEMORY;
    own->of = flx_arena_take(d->arena, most, sizeof *own->of);
    if (!own->of) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->ncontact; i++) {
        const flx_contact *c = m->contacts + i;
        for (int k = 0, number = 0; is_ours(c) && k < c->npair; k++) {
            flx_gap like;
            int n = begin_pair(d, c, k, &like);
            for (int f = 0; f < n; f++, number++) {
                flx_contact_point *p = own->of + own->n++;
                like.feature = (uint64_t)f;
                FLX_TRY(plan_point(d, i, k, &like, number, p));
                if (!c->mixed) continue;
                p->row = number; // until rows have their numbers
                flx_pulls_add_touch(d, c->force, number, &p->gap, p->C);
            }
        }
    }
    d->own[FLX_TERM_CONTACT] = own;
    return FLX_OK;
}

static flx_status couple(flx_descriptor *d)
{
    const contacts *own = contacts_of(d);
    for (int i = 0; i < own->n; i++) {
        FLX_TRY(flx_layout_couple_bodies(d, own->of[i].gap.body));
        if (own->of[i].state >= 0) FLX_TRY(flx_memories_couple(d, own->of + i));
    }
    return FLX_OK;
}

static flx_status fill(flx_descriptor *d)
{
    const contacts *own = contacts_of(d);
    for (int i = 0; i < own->n; i++) {
        flx_contact_point *p = own->of + i;
        p->side = d->switching.watch + 2 * i;
        p->clear = CLEAR * d->length;
        flx_forces_fill_scalar(d, &p->gap);
        for (int k = 0; k < 2; k++) p->slip[k].e = p->gap.e;
        for (int k = 0; k < 3; k++) p->turn[k].e = p->gap.e;
        p->carry.e = p->gap.e;
        if (p->row >= 0) {
            p->row = flx_pulls_find(d, d->model->contacts[p->contact].force, p->row);
            p->place = flx_pulls_row(d, p->row)->place[0];
            p->diag = flx_pulls_row(d, p->row)->diag;
        }
        if (p->state >= 0) flx_memories_fill(d, p);
    }
    return FLX_OK;
}

static bool is_damped(const flx_contact *c, const flx_contact_point *p)
{
    const flx_law *l = &p->law;
    bool rubs = p->nslip > 0 || p->nroll > 0;
    if (c->mixed) return rubs; // damping is in the row
    return l->c != 0 || l->a != 0 || l->av != 0 || rubs || c->damping_open || c->restitution_open;
}

static void mark(flx_descriptor *d)
{
    const contacts *own = contacts_of(d);
    for (int i = 0; i < own->n; i++) {
        const flx_contact_point *p = own->of + i;
        if (is_damped(d->model->contacts + p->contact, p)) flx_layout_mark_ends(d, &p->gap.e, 2);
        if (p->state >= 0) flx_memories_mark(d, p);
    }
}

// ---- numbers once more --------------------------------------------------------------------------

static flx_status take(flx_descriptor *d)
{
    contacts *own = FLX_OWN(d, d->own[FLX_TERM_CONTACT], 1, sizeof *own);
    return own && FLX_OWN(d, own->of, own->n, sizeof *own->of) ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status renew(flx_descriptor *d)
{
    const contacts *own = contacts_of(d);
    for (int i = 0; i < own->n; i++) {
        flx_contact_point *p = own->of + i;
        const flx_contact *c = d->model->contacts + p->contact;
        bool kink = flx_law_has_kink(&p->law);
        FLX_TRY(set_numbers(d, p));
        bool structure = kink == flx_law_has_kink(&p->law) && c->restitution <= 1.0 &&
                         (c->restitution > 0.0 || !c->restores);
        bool rubs = p->nslip > 0 || p->nroll > 0;
        if (p->row >= 0) flx_pulls_scale_touch(d, p->row, p->C);
        if (structure && (!rubs || p->state >= 0 || p->velocity > 0.0)) continue;
        return flx_forces_refuse(d, d->model->forces + c->force,
                                 "its law would be another one with these numbers");
    }
    return FLX_OK;
}

// ---- evaluation ---------------------------------------------------------------------------------

static flx_contact_at point_of(const flx_descriptor_work *w, const flx_point *p)
{
    return (flx_contact_at){w->frames, p->switches, p->v, p->lam, p->x};
}

static void residual(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, double *r)
{
    const contacts *own = contacts_of(d);
    flx_contact_at at = point_of(w, p);
    flx_contact_residual(own->n, own->of, &at, r, r + flx_first_lam(d), r + flx_first_x(d));
}

static void linearise(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      flx_blocks *b)
{
    const contacts *own = contacts_of(d);
    flx_contact_at at = point_of(w, p);
    flx_contact_linearise(own->n, own->of, &at, b->A0, b->A1);
}

static void energy(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                   flx_energies *e)
{
    const contacts *own = contacts_of(d);
    flx_contact_at at = point_of(w, p);
    flx_contact_energy(own->n, own->of, &at, e);
}

// Forces that are unknowns, by their laws.
bool flx_contacts_give(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                       double *lam)
{
    const contacts *own = contacts_of(d);
    const double *v = d->nattached > 0 ? w->attached.v : p->v;
    bool any = false;
    for (int i = 0; own && i < own->n; i++) {
        const flx_contact_point *c = own->of + i;
        flx_jet j;
        if (c->row < 0) continue;
        flx_scalar_gradient(&c->gap, w->frames, p->switches, &j);
        lam[c->row] = 0.0;
        any = true;
        if (!flx_contact_point_acts(c, j.value, p->switches)) continue;
        double rate = flx_jet_rate(&c->gap, &j, v);
        lam[c->row] = flx_contact_point_force(c, w->frames, &j, rate, p->switches, NULL).force;
    }
    return any;
}

void flx_contacts_press(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                        int point, bool slopes, flx_contact_press *out)
{
    const flx_contact_point *c = contacts_of(d)->of + point;
    flx_contact_at at = point_of(w, p);
    flx_contact_point_press(c, &at, slopes, out);
}

bool flx_contacts_is_closed(const flx_descriptor *d, const flx_point *p, int point)
{
    return p->switches[contacts_of(d)->of[point].side] != 0.0;
}

// Whether a remark on the step was made.
static size_t scratch(const flx_descriptor *d)
{
    (void)d;
    return 1;
}

// ---- what there is to know ----------------------------------------------------------------------

static bool find_touch(const flx_contact_point *p, flx_frames f, flx_touch *out)
{
    flx_frame frame[2];
    for (int i = 0; i < 2; i++) {
        int k = p->gap.e.frame[i];
        frame[i] = f.plane ? flx_frame_of_plane(f.plane + k) : f.space[k];
    }
    return flx_gap_touch(p->gap.gap, &frame[0], &frame[1], out);
}

// Velocity of the second against the first along the tangents, and the tangents.
static void find_slip(const flx_descriptor *d, const flx_contact_point *p,
                      const flx_descriptor_work *w, const double *v, const flx_touch *touch,
                      double u[2], double t[2][3])
{
    double spin[2];
    flx_touch_tangents(&p->gap.gap->tangents, touch->n, t, spin);
    u[0] = u[1] = 0.0;
    for (int i = 0; i < (d->planar ? 1 : 2); i++) {
        flx_jet j;
        flx_scalar_gradient(&p->slip[i], w->frames, NULL, &j);
        u[i] = flx_jet_rate(&p->slip[i], &j, v);
    }
}

// Friction on the second along the tangents; whether it holds.
static bool find_grip(const flx_contact_point *c, const flx_descriptor_work *w, const flx_point *p,
                      const flx_jet *j, const double u[2], double F, double grip[2])
{
    double root = sqrt(u[0] * u[0] + u[1] * u[1] + c->velocity * c->velocity);
    double part = c->nslip > 0 && root > 0.0 ? -c->friction * F / root : 0.0;
    for (int i = 0; i < 2; i++) grip[i] = part * u[i];
    if (c->state < 0) return false;
    flx_contact_at at = point_of(w, p);
    flx_stretch m = flx_contact_point_stretch(c, &at, u, F, j);
    for (int i = 0; i < 2; i++) grip[i] = -m.force[i];
    return F > 0.0 && !m.slides;
}

static void observe_point(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                          const flx_contact_point *c, double *out)
{
    flx_touch touch;
    flx_jet j;
    double u[2], t[2][3];
    if (!find_touch(c, w->frames, &touch)) return;
    flx_scalar_gradient(&c->gap, w->frames, p->switches, &j);
    double rate = flx_jet_rate(&c->gap, &j, p->v), F = 0.0;
    bool acts = flx_contact_point_acts(c, j.value, p->switches);
    if (c->row >= 0) {
        flx_contact_at at = point_of(w, p);
        acts = flx_contact_point_row(c, &at, &j).acts;
        F = acts ? p->lam[c->row] : 0.0;
    } else if (acts) {
        F = flx_contact_point_force(c, w->frames, &j, rate, p->switches, NULL).force;
    }
    find_slip(d, c, w, p->v, &touch, u, t);
    double grip[2];
    bool sticks = find_grip(c, w, p, &j, u, F, grip);
    bool least = touch.gap < out[FLX_CONTACT_GAP];
    if (least) out[FLX_CONTACT_GAP] = touch.gap;
    out[FLX_CONTACT_VALUE] += F;
    for (int i = 0; i < 3; i++) {
        double slip = u[0] * t[0][i] + u[1] * t[1][i];
        double rub = grip[0] * t[0][i] + grip[1] * t[1][i];
        out[FLX_CONTACT_FRICTION + i] += rub;
        out[FLX_CONTACT_FORCE + i] += F * touch.n[i] + rub;
        if (!least) continue;
        out[FLX_CONTACT_SLIP + i] = slip;
        out[FLX_CONTACT_PLACE + i] = 0.5 * (touch.p[0][i] + touch.p[1][i]);
    }
    double state = sticks ? FLX_CONTACT_STICKS : FLX_CONTACT_SLIDES;
    if (acts) out[FLX_CONTACT_STATE] = fmax(out[FLX_CONTACT_STATE], state);
    out[FLX_CONTACT_TOUCHING] += acts;
    out[FLX_CONTACT_POWER] -= F * rate - grip[0] * u[0] - grip[1] * u[1];
    out[FLX_CONTACT_POWER] -= flx_contact_point_turns(c, w->frames, p->switches, p->v, F);
}

void flx_contacts_observe(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                          int contact, double out[FLX_CONTACT_SIGNALS])
{
    const contacts *own = contacts_of(d);
    flx_point whole = *p;
    if (d->nattached > 0) whole.v = w->attached.v; // frames are there
    p = &whole;
    memset(out, 0, FLX_CONTACT_SIGNALS * sizeof *out);
    out[FLX_CONTACT_GAP] = HUGE_VAL;
    flx_touches_observe(d, w, p, contact, out);
    for (int i = 0; own && i < own->n; i++) {
        if (own->of[i].contact == contact) observe_point(d, w, p, own->of + i, out);
    }
    flx_patches_observe(d, w, contact, out);
    if (d->ngroup > 0) flx_groups_observe(d, w, p, contact, out);
}

const flx_term flx_term_contact = {
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
};
