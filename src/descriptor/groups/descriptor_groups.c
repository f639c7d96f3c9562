// descriptor_groups.c - groups of rows that hold or not (docs/theory/contact.md): contacts of the rigid law, stops that do not
// give way, friction that sticks.
//
// The rows are scalars as those of joints, or constraints of the equations; what differs is a switch. One that is open reads
//     0 = -lambda,  0 = -mu_k                                                             (GRP-1)
// and acts on nothing; one that slides has 0 = -mu_k, and its friction
//     r_v += A_k^T f lambda e_k,   e = u/|u|, in one dimension the switch's sign           (GRP-2)
// is a force that reads lambda; one that sticks has all rows. A step that goes beyond the end of sliding has e = -u/|u| there,
// so that the force is smooth where the velocity passes zero; the switch's direction tells, which follows accepted steps.
#include "descriptor/descriptor_parts.h"

// ---- making ---------------------------------------------------------------------------------------

// Items come in the order of the model: points of pairs of contacts, bounds of stops, constraints of the equations, friction
// of joints that sticks, that of compliant contacts.
typedef struct cursor {
    int contact, pair, feature;
    int stop, equation, stick;
    int soft, soft_pair, soft_feature, point; // of compliant contacts
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
                            .thickness = flx_passage_thickness(c, out->pair),
                            .equation = -1,
                            .slip_equation = -1,
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
    if (d->model->simulate.steps) return false; // they are no rows
    const flx_model *m = d->model;
    for (; at->contact < m->ncontact; at->contact++, at->pair = at->feature = 0) {
        const flx_contact *c = m->contacts + at->contact;
        if (c->law != FLX_CONTACT_RIGID) continue;
        for (; at->pair < c->npair; at->pair++, at->feature = 0) {
            const int *pair = c->pairs[at->pair];
            const flx_surface *a = c->sides[pair[0]].surface, *b = c->sides[pair[1]].surface;
            if (!flx_gap_init(&out->gap, a, b, (uint64_t)at->feature, d->planar)) continue;
            if (at->feature >= flx_pair_points(a, b)) continue;
            at->feature++;
            out->contact = at->contact;
            out->pair = at->pair;
            take_contact(c, out);
            return true;
        }
    }
    return false;
}

static bool next_stop(const flx_descriptor *d, cursor *at, flx_group_spec *out)
{
    const flx_model *m = d->model;
    for (; at->stop < 2 * m->nstop; at->stop++) {
        const flx_stop *s = m->stops + at->stop / 2;
        int upper = at->stop % 2;
        if (!s->rigid || isinf(s->bounds[upper])) continue;
        double sign = upper ? 1.0 : -1.0;
        *out = (flx_group_spec){.contact = -1,
                                .stop = at->stop + 1,
                                .equation = -1,
                                .slip_equation = -1,
                                .normal = true,
                                .sign = sign,
                                .constant = sign * s->bounds[upper],
                                .metres = s->coordinate == FLX_COORDINATE_DISPLACEMENT,
                                .restitution = s->restitution,
                                .item = s->name,
                                .part = upper ? "upper limit" : "lower limit",
                                .loc = s->loc};
        (void)flx_joint_scalar(m, s->joint, (flx_coordinate)s->coordinate, &out->depth);
        at->stop++;
        return true;
    }
    return false;
}

static bool next_equation(const flx_descriptor *d, cursor *at, flx_group_spec *out)
{
    const flx_model *m = d->model;
    for (; at->equation < m->nconstraint; at->equation++) {
        const flx_constraint *c = m->constraints + at->equation;
        if (!c->one_sided) continue;
        *out = (flx_group_spec){.contact = -1,
                                .equation = at->equation,
                                .slip_equation = c->slip,
                                .friction = c->friction,
                                .sticking = c->sticking,
                                .restitution = c->restitution,
                                .item = c->name,
                                .part = "value",
                                .loc = c->loc};
        at->equation++;
        return true;
    }
    return false;
}

static bool next_stick(const flx_descriptor *d, cursor *at, flx_group_spec *out)
{
    const flx_model *m = d->model;
    if (at->stick >= m->nstick) return false;
    const flx_stick *s = m->sticks + at->stick++;
    *out = (flx_group_spec){.contact = -1,
                            .equation = -1,
                            .slip_equation = -1,
                            .ntangent = 1,
                            .slips_metres = s->coordinate == FLX_COORDINATE_DISPLACEMENT,
                            .friction = s->friction,
                            .sticking = s->sticking,
                            .item = s->name,
                            .loc = s->loc};
    (void)flx_joint_scalar(m, s->joint, (flx_coordinate)s->coordinate, &out->slip[0]);
    return true;
}

// Friction of a compliant law as it is: at each of its points, in the order of these (term_contact.c).
static bool next_soft(const flx_descriptor *d, cursor *at, flx_group_spec *out)
{
    const flx_model *m = d->model;
    for (; at->soft < m->ncontact; at->soft++, at->soft_pair = at->soft_feature = 0) {
        const flx_contact *c = m->contacts + at->soft;
        if (c->law == FLX_CONTACT_RIGID) continue;
        for (; at->soft_pair < c->npair; at->soft_pair++, at->soft_feature = 0) {
            const int *pair = c->pairs[at->soft_pair];
            const flx_surface *a = c->sides[pair[0]].surface, *b = c->sides[pair[1]].surface;
            bool slots;
            int n = flx_gap_points(a, b, &slots);
            if (!flx_contact_is_coulomb(c) || slots) {
                at->point += n;
                continue;
            }
            if (at->soft_feature >= n) continue;
            at->point++;
            uint64_t feature = (uint64_t)at->soft_feature++;
            (void)flx_gap_init(&out->gap, a, b, feature, d->planar);
            out->contact = at->soft;
            out->pair = at->soft_pair;
            take_contact(c, out);
            out->normal = false;
            out->point = at->point;
            return true;
        }
    }
    return false;
}

static bool next_spec(const flx_descriptor *d, cursor *at, flx_group_spec *out)
{
    return next_contact(d, at, out) || next_stop(d, at, out) || next_equation(d, at, out) ||
           next_stick(d, at, out) || next_soft(d, at, out);
}

// Points that come and go are for methods of steps; friction of rolling and drilling is for compliant laws.
static flx_status check_contacts(const flx_descriptor *d)
{
    const flx_model *m = d->model;
    for (int i = 0; !m->simulate.steps && i < m->ncontact; i++) {
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
            if (flx_pair_points(a, b) > 0) continue;
            return FLX_FAIL(d->base.ctx, FLX_ERR_CANNOT, c->sides[pair[1]].loc,
                            "contact '%s': points where a '%s' and a '%s' touch come and go, which "
                            "law 'restitution' meets step by step: take 'contacts: steps' with "
                            "method moreau or generalized-alpha and a 'step', or a compliant law",
                            c->name, a->kind->row.key, b->kind->row.key);
        }
    }
    return FLX_OK;
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
    d->first_stick = -1;
    FLX_TRY(check_contacts(d));
    for (cursor at = {0}; next_spec(d, &at, &s);) n++;
    if (n == 0) return FLX_OK;
    d->groups = flx_arena_take(d->arena, (size_t)n, sizeof *d->groups);
    if (!d->groups) return FLX_ERR_MEMORY;
    for (cursor at = {0}; d->ngroup < n; d->ngroup++) {
        flx_row_group *g = d->groups + d->ngroup;
        (void)next_spec(d, &at, &g->of);
        g->of.depth.gap = g->of.slip[0].gap = g->of.slip[1].gap = &g->of.gap;
        g->equation = g->slip = -1;
        g->is = (flx_contact_group){.normal = g->of.normal || g->of.equation >= 0 ? 0 : -1,
                                    .ntangent = g->of.slip_equation >= 0 ? 1 : g->of.ntangent,
                                    .item = g->of.item,
                                    .loc = g->of.loc};
        take_numbers(g, &g->of);
        if (g->of.normal || g->of.point) { // bodies are counted from -1, the ground
            const int *body = g->of.depth.body;
            g->is.pair = 1 + (body[0] + 1) * (d->model->nbody + 1) + body[1] + 1;
        }
        if (g->is.normal < 0 && d->first_stick < 0) d->first_stick = d->ngroup;
        d->ngroup_normal += g->of.normal;
        d->ngroup_tangent += g->of.ntangent;
        bool reads = g->of.point && d->model->contacts[g->of.contact].mixed;
        if (flx_group_rubs(g) || reads) d->base.reads_multipliers = FLX_READS_FORCES;
    }
    return FLX_OK;
}

// Among those that were planned: rows that are open where ranks are found are never left out.
static int find_equation(const flx_descriptor *d, int constraint)
{
    int i = 0;
    while (i < d->expr.nconstraint && d->expr.constraints[i].constraint != constraint) i++;
    FLX_ASSERT(i < d->expr.nconstraint);
    return i;
}

void flx_groups_number(flx_descriptor *d)
{
    for (int i = 0; i < d->ngroup; i++) {
        flx_row_group *g = d->groups + i;
        if (g->of.equation >= 0) {
            g->equation = find_equation(d, g->of.equation);
            g->is.normal = d->expr.constraints[g->equation].row;
            if (g->of.slip_equation < 0) continue;
            g->slip = find_equation(d, g->of.slip_equation);
            g->is.tangent[0] = d->expr.constraints[g->slip].row;
            continue;
        }
        if (g->of.normal) g->is.normal = d->base.dims.nlam++;
        for (int k = 0; k < g->of.ntangent; k++) g->is.tangent[k] = d->base.dims.nmu++;
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
        int rows[2] = {d->groups[i].equation, d->groups[i].slip};
        for (int k = 0; k < 2; k++) {
            if (rows[k] < 0) continue;
            flx_expr_constraint *b = d->expr.constraints + rows[k];
            b->held = (flx_row_switch){.state = g->state,
                                       .from = k ? FLX_CONTACT_STICKS : FLX_CONTACT_SLIDES,
                                       .aside = g->slip};
            b->group = i;
        }
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
        int block = g->is.normal >= 0 ? d->block_of[normal_unknown(d, g)] : -1;
        const flx_expr_constraint *slip = g->slip < 0 ? NULL : d->expr.constraints + g->slip;
        for (int k = 0; slip && k < slip->ndep; k++)
            FLX_TRY(flx_layout_couple(d, block, d->block_of[slip->unknown[k]]));
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
    flx_row_switch held = {.state = g->is.state,
                           .from = velocity ? FLX_CONTACT_STICKS : FLX_CONTACT_SLIDES,
                           .aside = g->is.slip + (velocity ? tangent : 0)};
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

flx_status flx_groups_fill(flx_descriptor *d)
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
        if (g->slip < 0) continue;
        const flx_expr_constraint *slip = d->expr.constraints + g->slip;
        g->slots = flx_arena_take(d->arena, (size_t)slip->ndep, sizeof *g->slots);
        if (!g->slots) return FLX_ERR_MEMORY;
        for (int k = 0; k < slip->ndep; k++)
            g->slots[k] = flx_layout_slot(d, slip->unknown[k], normal_unknown(d, g));
    }
    return FLX_OK;
}

// Of two dimensions the direction of the friction follows the velocity.
void flx_groups_mark(flx_descriptor *d)
{
    for (int i = 0; i < d->ngroup; i++) {
        const flx_row_group *g = d->groups + i;
        bool turns = g->of.ntangent == 2 || g->of.point > 0; // or the normal force is damped
        for (int k = 0; k < g->of.ntangent && turns; k++)
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
        if ((s.sticking > 0.0) != (g->of.sticking > 0.0) ||
            (g->is.normal >= 0 && flx_group_rubs(g) != (s.friction > 0.0))) {
            return FLX_FAIL(d->base.ctx, FLX_ERR_CANNOT, g->of.loc,
                            "with these parameters '%s' gains or loses its friction: compile again",
                            g->of.item);
        }
        if (s.sticking < s.friction) {
            return FLX_FAIL(d->base.ctx, FLX_ERR_MODEL, g->of.loc,
                            "with these parameters the friction of '%s' is less while it sticks, "
                            "%g, than while it slides, %g",
                            g->of.item, s.sticking, s.friction);
        }
        take_numbers(g, &s);
        if (!g->of.normal && !g->of.point && g->of.ntangent > 0)
            flx_scalar_take_numbers(d->vscalars[g->vscalar].term, &s.slip[0]);
        if (!g->of.normal || g->of.contact >= 0) continue; // surfaces have no numbers
        flx_scalar_take_numbers(d->scalars[g->scalar].term, &s.depth);
        d->scalars[g->scalar].constant = s.constant;
    }
    return FLX_OK;
}

// ---- tangents -------------------------------------------------------------------------------------

// About the normals in the initial configuration; those of a selection are the whole's.
flx_status flx_groups_choose_tangents(flx_descriptor *d)
{
    flx_state *x = NULL;
    flx_descriptor_work *w = NULL;
    if (d->ngroup == 0 || d->planar) return FLX_OK;
    if (d->whole) {
        for (int i = 0; i < d->ngroup; i++) d->groups[i].of.gap = d->whole->groups[i].of.gap;
        return FLX_OK;
    }
    FLX_TRY(flx_descriptor_drawn(d, &x, &w));
    flx_point p = flx_state_point(&d->base, x);
    (void)flx_eval_begin(d, w, &p);
    for (int i = 0; i < d->ngroup; i++) {
        flx_row_group *g = d->groups + i;
        if (!g->of.gap.pair || (g->of.point && g->of.ntangent == 0)) continue;
        const flx_scalar_row *row = g->of.point ? d->vscalars + g->vscalar : d->scalars + g->scalar;
        const int *frame = row->term[0].e.frame;
        flx_gap_choose_tangents(&g->of.gap, w->frames.space + frame[0], w->frames.space + frame[1]);
    }
    d->base.ops->work_destroy(&w->base);
    flx_state_destroy(&x);
    return FLX_OK;
}
