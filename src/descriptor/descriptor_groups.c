// descriptor_groups.c - groups of rows that hold or not (docs/theory/contact.md): contacts of the rigid law, stops that do not
// give way, friction that sticks.
//
// The rows are scalars as those of joints; what differs is a switch. One that is open reads
//     0 = -lambda,  0 = -mu_k                                                             (GRP-1)
// and acts on nothing; one that slides has 0 = -mu_k, and its friction
//     r_v += A_k^T f lambda e_k,   e = u/|u|, in one dimension the switch's sign           (GRP-2)
// is a force that reads lambda; one that sticks has all rows. A step that goes beyond the end of sliding has e = -u/|u| there,
// so that the force is smooth where the velocity passes zero; the switch's direction tells, which follows accepted steps.
#include "descriptor/descriptor_parts.h"

// Slips below this speed, in lengths of the mechanism per second, have the direction of the switch: that of rounding is none.
#define NO_SLIP 1e-9

// ---- making ---------------------------------------------------------------------------------------

// Items come in the order of the model: points of pairs of contacts.
typedef struct cursor {
    int contact, pair, feature;
} cursor;

static void take_contact(const flx_contact *c, flx_group_spec *out)
{
    bool rubs = c->friction.sticking > 0.0;
    int ntangent = !rubs ? 0 : out->gap.planar ? 1 : 2;
    const int *pair = c->pairs[out->pair];
    flx_scalar s = {.kind = FLX_SCALAR_GAP, .turn = -1};
    for (int k = 0; k < 2; k++) s.body[k] = c->sides[pair[k]].body;
    *out = (flx_group_spec){.gap = out->gap,
                            .contact = out->contact,
                            .pair = out->pair,
                            .normal = true,
                            .depth = s,
                            .sign = 1.0,
                            .metres = true,
                            .ntangent = ntangent,
                            .slips_metres = true,
                            .friction = c->friction.coefficient,
                            .sticking = c->friction.sticking,
                            .restitution = c->restitution,
                            .item = c->name,
                            .part = "gap",
                            .loc = c->loc};
    for (int k = 0; k < ntangent; k++) {
        out->slip[k] = s;
        out->slip[k].kind = FLX_SCALAR_SLIP;
        out->slip[k].along = k;
    }
}

static bool next_contact(const flx_descriptor *d, cursor *at, flx_group_spec *out)
{
    const flx_model *m = d->model;
    for (; at->contact < m->ncontact; at->contact++, at->pair = at->feature = 0) {
        const flx_contact *c = m->contacts + at->contact;
        if (c->law != FLX_CONTACT_RIGID) continue;
        for (; at->pair < c->npair; at->pair++, at->feature = 0) {
            const int *pair = c->pairs[at->pair];
            const flx_surface *a = c->sides[pair[0]].surface, *b = c->sides[pair[1]].surface;
            if (!flx_gap_init(&out->gap, a, b, (uint64_t)at->feature, d->planar)) continue;
            if (at->feature >= out->gap.pair->points) continue;
            at->feature++;
            out->contact = at->contact;
            out->pair = at->pair;
            take_contact(c, out);
            return true;
        }
    }
    return false;
}

static bool next_spec(const flx_descriptor *d, cursor *at, flx_group_spec *out)
{
    return next_contact(d, at, out);
}

// Points that come and go are for methods of steps; friction of rolling and drilling is for compliant laws.
static flx_status check_contacts(const flx_descriptor *d)
{
    const flx_model *m = d->model;
    for (int i = 0; i < m->ncontact; i++) {
        const flx_contact *c = m->contacts + i;
        if (c->law != FLX_CONTACT_RIGID) continue;
        if (c->friction.rolling > 0.0 || c->friction.spinning > 0.0) {
            return FLX_FAIL(d->base.ctx, FLX_ERR_CANNOT, c->loc,
                            "contact '%s': friction of rolling and spinning is not there for law "
                            "'restitution'; use a compliant law, or leave it out",
                            c->name);
        }
        for (int k = 0; k < c->npair; k++) {
            const int *pair = c->pairs[k];
            const flx_surface *a = c->sides[pair[0]].surface, *b = c->sides[pair[1]].surface;
            flx_gap g;
            if (flx_gap_init(&g, a, b, 0, d->planar) && g.pair->points > 0) continue;
            return FLX_FAIL(d->base.ctx, FLX_ERR_CANNOT, c->sides[pair[1]].loc,
                            "contact '%s': law 'restitution' does not take surfaces '%s' and '%s' "
                            "with each other",
                            c->name, a->kind->row.key, b->kind->row.key);
        }
    }
    return FLX_OK;
}

static bool has_friction(const flx_row_group *g)
{
    return g->is.normal >= 0 && g->is.ntangent > 0 && g->is.friction > 0.0;
}

static void take_numbers(flx_row_group *g, const flx_group_spec *s)
{
    g->is.friction = s->friction;
    g->is.sticking = fmax(s->sticking, s->friction);
    g->is.restitution = s->restitution;
}

flx_status flx_groups_plan(flx_descriptor *d)
{
    flx_group_spec s = {0};
    int n = 0;
    FLX_TRY(check_contacts(d));
    for (cursor at = {0}; next_spec(d, &at, &s);) n++;
    if (n == 0) return FLX_OK;
    d->groups = flx_arena_take(d->arena, (size_t)n, sizeof *d->groups);
    if (!d->groups) return FLX_ERR_MEMORY;
    for (cursor at = {0}; d->ngroup < n; d->ngroup++) {
        flx_row_group *g = d->groups + d->ngroup;
        (void)next_spec(d, &at, &g->of);
        g->of.depth.gap = g->of.slip[0].gap = g->of.slip[1].gap = &g->of.gap;
        g->is = (flx_contact_group){.normal = g->of.normal ? 0 : -1,
                                    .ntangent = g->of.ntangent,
                                    .item = g->of.item,
                                    .loc = g->of.loc};
        take_numbers(g, &g->of);
        d->ngroup_normal += g->of.normal;
        d->ngroup_tangent += g->of.ntangent;
        if (has_friction(g)) d->base.reads_multipliers = FLX_READS_FORCES;
    }
    return FLX_OK;
}

void flx_groups_number(flx_descriptor *d)
{
    for (int i = 0; i < d->ngroup; i++) {
        flx_contact_group *g = &d->groups[i].is;
        if (g->normal >= 0) g->normal = d->base.dims.nlam++;
        for (int k = 0; k < g->ntangent; k++) g->tangent[k] = d->base.dims.nmu++;
    }
}

void flx_groups_number_switches(flx_descriptor *d)
{
    int next = d->base.dims.nswitch;
    for (int i = 0; i < d->ngroup; i++) next -= d->whole ? 3 + d->groups[i].is.ntangent : 0;
    for (int i = 0; i < d->ngroup; i++) {
        flx_contact_group *g = &d->groups[i].is;
        g->state = next++;
        g->slip = next;
        next += g->ntangent;
        g->tally = next;
        next += 2;
    }
    d->base.dims.nswitch = next;
}

static int normal_unknown(const flx_descriptor *d, const flx_row_group *g)
{
    return flx_first_lam(d) + g->is.normal;
}

flx_status flx_groups_couple(flx_descriptor *d)
{
    for (int i = 0; i < d->ngroup; i++) {
        const flx_row_group *g = d->groups + i;
        int block = g->of.normal ? d->block_of[normal_unknown(d, g)] : -1;
        if (g->of.normal) {
            FLX_TRY(flx_layout_couple_row(d, block, g->of.depth.body));
            FLX_TRY(flx_layout_couple_bodies(d, g->of.depth.body));
        }
        for (int k = 0; k < g->of.ntangent; k++) {
            const int *body = g->of.slip[k].body;
            int own = d->block_of[flx_first_mu(d) + g->is.tangent[k]];
            FLX_TRY(flx_layout_couple_row(d, own, body));
            FLX_TRY(flx_layout_couple_bodies(d, body));
            if (block >= 0) FLX_TRY(flx_layout_couple_row(d, block, body));
        }
    }
    return FLX_OK;
}

static void fill_row(flx_descriptor *d, int group, const flx_scalar *of, double sign,
                     double constant, int tangent, flx_scalar_row *r)
{
    const flx_row_group *g = d->groups + group;
    bool velocity = tangent >= 0;
    int row = velocity ? g->is.tangent[tangent] : g->is.normal;
    int unknown = velocity ? flx_first_mu(d) + row : flx_first_lam(d) + row;
    flx_row_switch held = {g->is.state, velocity ? FLX_CONTACT_STICKS : FLX_CONTACT_SLIDES};
    *r = (flx_scalar_row){.row = row,
                          .nterm = 1,
                          .term = {*of},
                          .coefficient = {sign},
                          .motion = -1,
                          .constant = constant,
                          .sigma = 1.0,
                          .held = held};
    flx_forces_fill_scalar(d, r->term);
    flx_layout_place(d, unknown, of->body, &r->place[0]);
    r->place[0].row = row;
    r->diag = flx_layout_slot(d, unknown, unknown);
    static const char *const slips[2] = {"slip", "slip across"};
    d->rows[(velocity ? d->base.dims.nlam : 0) + row] =
        (flx_row_info){.item = g->of.item,
                       .part = velocity ? slips[tangent] : g->of.part,
                       .loc = g->of.loc,
                       .complete = velocity ? d->complete_lam + d->complete_mu - d->ngroup_tangent +
                                                  row - (d->base.dims.nmu - d->ngroup_tangent)
                                            : d->complete_lam - d->ngroup_normal + row -
                                                  (d->base.dims.nlam - d->ngroup_normal),
                       .joint = -1,
                       .constraint = -1,
                       .metres = velocity ? g->of.slips_metres : g->of.metres,
                       .sigma = 1.0,
                       .held = held,
                       .group = group};
}

void flx_groups_fill(flx_descriptor *d)
{
    for (int i = 0; i < d->ngroup; i++) {
        flx_row_group *g = d->groups + i;
        g->scalar = d->nscalar;
        g->vscalar = d->nvscalar;
        if (g->of.normal) {
            fill_row(d, i, &g->of.depth, g->of.sign, g->of.constant, -1, d->scalars + d->nscalar++);
        }
        for (int k = 0; k < g->of.ntangent; k++) {
            fill_row(d, i, &g->of.slip[k], 1.0, 0.0, k, d->vscalars + d->nvscalar++);
            if (g->of.normal)
                flx_layout_place(d, normal_unknown(d, g), g->of.slip[k].body, &g->column[k]);
        }
    }
}

// Of two dimensions the direction of the friction follows the velocity.
void flx_groups_mark(flx_descriptor *d)
{
    for (int i = 0; i < d->ngroup; i++) {
        const flx_row_group *g = d->groups + i;
        for (int k = 0; k < g->of.ntangent && g->of.ntangent == 2; k++)
            flx_layout_mark_ends(d, &d->vscalars[g->vscalar + k].term[0].e, 2);
    }
}

flx_status flx_groups_renew(flx_descriptor *d)
{
    cursor at = {0};
    for (int i = 0; i < d->ngroup; i++) {
        flx_row_group *g = d->groups + i;
        flx_group_spec s = {0};
        (void)next_spec(d, &at, &s);
        if ((s.sticking > 0.0) != (g->of.sticking > 0.0) || has_friction(g) != (s.friction > 0.0)) {
            return FLX_FAIL(d->base.ctx, FLX_ERR_CANNOT, g->of.loc,
                            "'%s' has friction, or none, as it had when the model was compiled: "
                            "compile again",
                            g->of.item);
        }
        take_numbers(g, &s); // surfaces have none
    }
    return FLX_OK;
}

// ---- tangents -------------------------------------------------------------------------------------

// About the normals in the initial configuration; those of a selection are the whole's.
flx_status flx_groups_choose_tangents(flx_descriptor *d)
{
    flx_state *x = NULL;
    flx_work *w = NULL;
    if (d->ngroup == 0 || d->planar) return FLX_OK;
    if (d->whole) {
        for (int i = 0; i < d->ngroup; i++) d->groups[i].of.gap = d->whole->groups[i].of.gap;
        return FLX_OK;
    }
    flx_status status = flx_state_create(&d->base, &x);
    if (status == FLX_OK) status = flx_descriptor_draw(&d->base, x);
    if (status == FLX_OK) {
        w = d->base.ops->work_create(&d->base);
        if (!w) status = FLX_ERR_MEMORY;
    }
    if (status == FLX_OK) {
        flx_point p = flx_state_point(&d->base, x);
        (void)flx_eval_begin(d, w, &p);
        for (int i = 0; i < d->ngroup; i++) {
            flx_row_group *g = d->groups + i;
            const int *frame = d->scalars[g->scalar].term[0].e.frame;
            if (g->of.gap.pair)
                flx_gap_choose_tangents(&g->of.gap, w->frames.space + frame[0],
                                        w->frames.space + frame[1]);
        }
    }
    if (w) d->base.ops->work_destroy(w);
    flx_state_destroy(&x);
    return status;
}

// ---- friction of what slides ----------------------------------------------------------------------

typedef struct sliding {
    const flx_scalar *slip[2];
    flx_jet jet[2];
    int n;
    double u[2], e[2]; // velocity of slip, direction
    double speed;      // what u was divided by; < 0: it goes back
} sliding;

// The direction of the switch is added below the least speed, so that the direction is a smooth function of u and of length 1.
static void find_direction(const flx_descriptor *d, const flx_row_group *g, const flx_point *p,
                           sliding *s)
{
    const double *kept = p->switches + g->is.slip;
    double least = NO_SLIP * (g->of.slips_metres ? d->length : 1.0);
    s->speed = 0.0;
    if (s->n == 1) {
        s->e[0] = kept[0];
        return;
    }
    if (kept[0] == 0.0 && kept[1] == 0.0) {
        s->e[0] = 0.0;
        return;
    }
    double back = s->u[0] * kept[0] + s->u[1] * kept[1] < 0.0 ? -1.0 : 1.0, add = 0.0;
    double part = (s->u[0] * s->u[0] + s->u[1] * s->u[1]) / (least * least);
    if (part < 1.0) add = 0.1 * least * (1.0 - part) * (1.0 - part);
    double w[2] = {back * s->u[0] + add * kept[0], back * s->u[1] + add * kept[1]};
    s->speed = back * hypot(w[0], w[1]);
    for (int k = 0; k < 2; k++) s->e[k] = s->speed != 0.0 ? w[k] / fabs(s->speed) : kept[k];
}

// false: this group has no friction of sliding now.
static bool slides(const flx_descriptor *d, flx_work *w, const flx_point *p, int i, bool jets,
                   sliding *s)
{
    const flx_row_group *g = d->groups + i;
    if (!has_friction(g) || p->switches[g->is.state] != FLX_CONTACT_SLIDES) return false;
    s->n = g->is.ntangent;
    s->e[1] = 0.0;
    for (int k = 0; k < s->n; k++) {
        s->slip[k] = d->vscalars[g->vscalar + k].term;
        if (jets) {
            flx_scalar_jet(s->slip[k], w->frames, p->switches, &s->jet[k]);
        } else {
            flx_scalar_gradient(s->slip[k], w->frames, p->switches, &s->jet[k]);
        }
        s->u[k] = flx_jet_rate(s->slip[k], &s->jet[k], p->v);
    }
    find_direction(d, g, p, s);
    return s->e[0] != 0.0 || s->e[1] != 0.0; // else others hold its slip
}

void flx_groups_residual(const flx_descriptor *d, flx_work *w, const flx_point *p, double *r)
{
    sliding s;
    for (int i = 0; i < d->ngroup; i++) {
        const flx_contact_group *g = &d->groups[i].is;
        if (!slides(d, w, p, i, false, &s)) continue;
        for (int k = 0; k < s.n; k++)
            flx_jet_add_force(s.slip[k], &s.jet[k], g->friction * p->lam[g->normal] * s.e[k], r);
    }
}

void flx_groups_linearise(const flx_descriptor *d, flx_work *w, const flx_point *p, flx_blocks *b)
{
    sliding s;
    for (int i = 0; i < d->ngroup; i++) {
        const flx_row_group *g = d->groups + i;
        if (!slides(d, w, p, i, true, &s)) continue;
        double f = g->is.friction, force = f * p->lam[g->is.normal];
        for (int k = 0; k < s.n; k++) {
            flx_scalar_add_column(s.slip[k], &g->column[k], f * s.e[k], s.jet[k].g, b->A0);
            flx_jet_add_stiffness(s.slip[k], &s.jet[k], force * s.e[k], b->A0);
            for (int l = 0; l < s.n && s.speed != 0.0; l++) {
                double turn = force * ((k == l) - s.e[k] * s.e[l]) / s.speed, h[2][6];
                flx_jet_add_outer(s.slip[k], &s.jet[k], turn, s.jet[l].g, b->A1);
                flx_jet_rate_gradient(s.slip[l], &s.jet[l], p->v, h);
                flx_jet_add_outer(s.slip[k], &s.jet[k], turn, h, b->A0);
            }
        }
    }
}

void flx_groups_energy(const flx_descriptor *d, flx_work *w, const flx_point *p, flx_energies *e)
{
    sliding s;
    for (int i = 0; i < d->ngroup; i++) {
        const flx_contact_group *g = &d->groups[i].is;
        if (!slides(d, w, p, i, false, &s)) continue;
        for (int k = 0; k < s.n; k++)
            e->dissipated_power += g->friction * p->lam[g->normal] * s.e[k] * s.u[k];
    }
}

void flx_groups_accept(const flx_descriptor *d, flx_work *w, flx_state *x)
{
    flx_point at = flx_state_point(&d->base, x);
    const flx_point *p = flx_eval_begin(d, w, &at);
    sliding s;
    for (int i = 0; i < d->ngroup; i++) {
        const flx_row_group *g = d->groups + i;
        if (g->is.ntangent != 2 || !slides(d, w, p, i, false, &s) || s.speed < 0.0) continue;
        for (int k = 0; k < 2; k++) x->switches[g->is.slip + k] = s.e[k];
    }
}

// ---- as methods see them --------------------------------------------------------------------------

static int count(const flx_system *s)
{
    return flx_descriptor_of(s)->ngroup;
}

static void group(const flx_system *s, int i, flx_contact_group *out)
{
    *out = flx_descriptor_of(s)->groups[i].is;
}

static int of_unknown(const flx_system *s, int unknown, int *tangent)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    const flx_row_info *r = d->rows + (unknown - flx_first_lam(d));
    *tangent = -1;
    if (unknown < flx_first_lam(d) || r->held.from == 0) return -1;
    if (unknown >= flx_first_mu(d))
        *tangent = unknown - flx_first_mu(d) - d->groups[r->group].is.tangent[0];
    return r->group;
}

static flx_status gaps(const flx_system *s, flx_work *w, const flx_point *p, double *gap,
                       double *rate, double *slip)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    p = flx_eval_begin(d, w, p);
    for (int i = 0; i < d->ngroup; i++) {
        const flx_row_group *g = d->groups + i;
        flx_jet j;
        double value = 0.0, speed = 0.0;
        if (g->of.normal) {
            const flx_scalar_row *r = d->scalars + g->scalar;
            flx_scalar_gradient(r->term, w->frames, p->switches, &j);
            value = r->constant - r->coefficient[0] * j.value;
            speed = -r->coefficient[0] * flx_jet_rate(r->term, &j, p->v);
        }
        if (gap) gap[i] = value;
        if (rate) rate[i] = speed;
        for (int k = 0; k < 2 && slip; k++) {
            slip[2 * i + k] = 0.0;
            if (k >= g->of.ntangent) continue;
            const flx_scalar *of = d->vscalars[g->vscalar + k].term;
            flx_scalar_gradient(of, w->frames, p->switches, &j);
            slip[2 * i + k] = flx_jet_rate(of, &j, p->v);
        }
    }
    return FLX_OK;
}

const flx_contacts flx_descriptor_contacts = {
    .count = count, .group = group, .of_unknown = of_unknown, .gaps = gaps};
