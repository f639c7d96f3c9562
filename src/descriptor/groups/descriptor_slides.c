// descriptor_slides.c - friction of groups that slide (GRP-2), and groups as methods see them.
#include "descriptor/descriptor_parts.h"

// Slips below this speed, in lengths of the mechanism per second, have the direction of the switch: that of rounding is none.
#define NO_SLIP 1e-8

// ---- friction of what slides ----------------------------------------------------------------------

typedef struct sliding {
    const flx_scalar *slip[2];
    flx_jet jet[2];
    const flx_expr_constraint *equation; // in the place of these, with its gradient; else NULL
    const double *gradient;
    int n;
    double u[2], e[2];       // velocity of slip, direction
    double speed;            // what u was divided by; < 0: it goes back
    double force;            // friction
    flx_contact_press press; // of a compliant contact: its normal force
} sliding;

static bool is_held(const double *course)
{
    return hypot(course[0], course[1]) >= 0.75 * FLX_COURSE_HELD;
}

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
    if (is_held(kept)) { // about to end: whatever the velocity is
        for (int k = 0; k < 2; k++) s->e[k] = kept[k] / hypot(kept[0], kept[1]);
        return;
    }
    double back = s->u[0] * kept[0] + s->u[1] * kept[1] < 0.0 ? -1.0 : 1.0, add = 0.0;
    double part = (s->u[0] * s->u[0] + s->u[1] * s->u[1]) / (least * least);
    if (part < 1.0) add = least * (1.0 - part) * (1.0 - part);
    double w[2] = {back * s->u[0] + add * kept[0], back * s->u[1] + add * kept[1]};
    s->speed = back * hypot(w[0], w[1]);
    for (int k = 0; k < 2; k++) s->e[k] = s->speed != 0.0 ? w[k] / fabs(s->speed) : kept[k];
}

// false: this group has no friction of sliding now.
static bool slides(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, int i,
                   bool jets, sliding *s)
{
    const flx_row_group *g = d->groups + i;
    bool soft = flx_group_rubs_softly(g);
    if (!soft && !flx_group_rubs(g)) return false;
    if (p->switches[g->is.state] != FLX_CONTACT_SLIDES) return false;
    s->n = g->is.ntangent;
    s->e[1] = 0.0;
    s->equation = NULL;
    if (soft) flx_contacts_press(d, w, p, g->of.point - 1, jets, &s->press);
    s->force = g->is.friction * (soft ? s->press.force : p->lam[g->is.normal]);
    if (g->slip >= 0) {
        s->equation = d->expr.constraints + g->slip;
        flx_eval_group(d, w, FLX_GROUP_CONSTRAINT);
        s->gradient = flx_eval_output(d, w, FLX_GROUP_CONSTRAINT) + s->equation->out + 1;
        s->u[0] = s->gradient[-1];
        s->e[0] = p->switches[g->is.slip];
        return s->e[0] != 0.0;
    }
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

void flx_groups_residual(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                         double *r)
{
    sliding s;
    for (int i = 0; i < d->ngroup; i++) {
        if (!slides(d, w, p, i, false, &s)) continue;
        for (int k = 0; s.equation && k < s.equation->ndep; k++)
            r[s.equation->unknown[k]] += s.force * s.e[0] * s.gradient[k];
        for (int k = 0; !s.equation && k < s.n; k++)
            flx_jet_add_force(s.slip[k], &s.jet[k], s.force * s.e[k], r);
    }
}

static void linearise_equation(const flx_descriptor *d, flx_descriptor_work *w,
                               const flx_row_group *g, const sliding *s, double force, double *A0)
{
    const flx_expr_constraint *b = s->equation;
    for (int k = 0; k < b->ndep; k++) A0[g->slots[k]] += g->is.friction * s->e[0] * s->gradient[k];
    flx_eval_group(d, w, FLX_GROUP_CURVE);
    const double *curve = flx_eval_output(d, w, FLX_GROUP_CURVE);
    for (int k = 0; k < b->ncurve; k++)
        A0[b->curve_slot[k]] += force * s->e[0] * curve[b->curve + k];
}

// Friction along a slip by the normal force: a multiplier, or that of a compliant law.
static void add_normal(const flx_row_group *g, sliding *s, int k, flx_blocks *b)
{
    double part = g->is.friction * s->e[k];
    if (!g->of.point || s->press.column) {
        const flx_row_place *column = g->of.point ? s->press.column : &g->column[k];
        flx_scalar_add_column(s->slip[k], column, part, s->jet[k].g, b->A0);
        return;
    }
    double by_q[2][6], by_v[2][6];
    for (int i = 0; i < 12; i++) {
        by_q[i / 6][i % 6] = part * s->press.by_q[i / 6][i % 6];
        by_v[i / 6][i % 6] = part * s->press.by_v[i / 6][i % 6];
    }
    flx_jet_add_outer(s->slip[k], &s->jet[k], 1.0, by_q, b->A0);
    flx_jet_add_outer(s->slip[k], &s->jet[k], 1.0, by_v, b->A1);
}

void flx_groups_linearise(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                          flx_blocks *b)
{
    sliding s;
    for (int i = 0; i < d->ngroup; i++) {
        const flx_row_group *g = d->groups + i;
        if (!slides(d, w, p, i, true, &s)) continue;
        double force = s.force;
        if (s.equation) {
            linearise_equation(d, w, g, &s, force, b->A0);
            continue;
        }
        for (int k = 0; k < s.n; k++) {
            add_normal(g, &s, k, b);
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

void flx_groups_energy(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                       flx_energies *e)
{
    sliding s;
    for (int i = 0; i < d->ngroup; i++) {
        double moved = 0.0;
        if (!slides(d, w, p, i, false, &s)) continue;
        double force = s.force;
        for (int k = 0; k < s.n; k++) e->dissipated_power += force * s.e[k] * s.u[k];
        if (!s.equation) continue;
        for (int k = 0; k < s.equation->ndep; k++)
            moved += s.gradient[k] * p->v[s.equation->unknown[k]];
        e->supplied_power += force * s.e[0] * (s.u[0] - moved); // by what moves in time
    }
}

void flx_groups_accept(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x)
{
    flx_point at = flx_state_point(&d->base, x);
    const flx_point *p = flx_eval_begin(d, w, &at);
    sliding s;
    for (int i = 0; i < d->ngroup; i++) {
        const flx_row_group *g = d->groups + i;
        if (g->is.ntangent != 2 || g->slip >= 0 || !slides(d, w, p, i, false, &s)) continue;
        // what goes back has come to its end, and what is held may
        if (s.speed < 0.0 || is_held(x->switches + g->is.slip)) continue;
        for (int k = 0; k < 2; k++) x->switches[g->is.slip + k] = s.e[k];
    }
}

// ---- signals --------------------------------------------------------------------------------------

static bool find_touch(const flx_descriptor *d, const flx_descriptor_work *w,
                       const flx_row_group *g, flx_touch *out)
{
    const flx_scalar_row *row = g->of.point ? d->vscalars + g->vscalar : d->scalars + g->scalar;
    const int *frame = row->term[0].e.frame;
    if (!d->planar) {
        const flx_frame *f = w->frames.space;
        return flx_gap_touch(&g->of.gap, f + frame[0], f + frame[1], out);
    }
    flx_frame A = flx_frame_of_plane(w->frames.plane + frame[0]),
              B = flx_frame_of_plane(w->frames.plane + frame[1]);
    return flx_gap_touch(&g->of.gap, &A, &B, out);
}

// Friction, as multipliers of the slips; u: these.
static void find_friction(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                          int i, double mu[2], double u[2])
{
    const flx_row_group *g = d->groups + i;
    sliding s;
    bool sticks = p->switches[g->is.state] == FLX_CONTACT_STICKS;
    bool rubs = slides(d, w, p, i, false, &s);
    for (int k = 0; k < 2; k++) {
        mu[k] = u[k] = 0.0;
        if (k >= g->of.ntangent) continue;
        flx_jet j;
        const flx_scalar *of = d->vscalars[g->vscalar + k].term;
        flx_scalar_gradient(of, w->frames, p->switches, &j);
        u[k] = flx_jet_rate(of, &j, p->v);
        if (rubs) mu[k] = s.force * s.e[k];
        if (sticks) mu[k] = p->mu[g->is.tangent[k]];
    }
}

static void observe(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, int i,
                    double *out)
{
    const flx_row_group *g = d->groups + i;
    double state = p->switches[g->is.state], mu[2], u[2], t[2][3], spin[2];
    bool soft = g->of.point > 0; // all but friction says its point
    double force = state >= FLX_CONTACT_SLIDES && !soft ? p->lam[g->is.normal] : 0.0;
    flx_touch touch;
    if (soft && state < FLX_CONTACT_SLIDES) return;
    out[FLX_CONTACT_COUNT] += p->switches[g->is.tally];
    out[FLX_CONTACT_IMPULSE] += p->switches[g->is.tally + 1];
    if (!find_touch(d, w, g, &touch)) return;
    flx_touch_tangents(&g->of.gap.tangents, touch.n, t, spin);
    find_friction(d, w, p, i, mu, u);
    bool least = !soft && touch.gap < out[FLX_CONTACT_GAP];
    if (least) out[FLX_CONTACT_GAP] = touch.gap;
    out[FLX_CONTACT_VALUE] += force;
    for (int k = 0; k < 3; k++) {
        double grip = -mu[0] * t[0][k] - mu[1] * t[1][k];
        out[FLX_CONTACT_FRICTION + k] += grip;
        out[FLX_CONTACT_FORCE + k] += force * touch.n[k] + grip;
        if (!least) continue;
        out[FLX_CONTACT_SLIP + k] = u[0] * t[0][k] + u[1] * t[1][k];
        out[FLX_CONTACT_PLACE + k] = 0.5 * (touch.p[0][k] + touch.p[1][k]);
    }
    out[FLX_CONTACT_STATE] = fmax(out[FLX_CONTACT_STATE], state);
    out[FLX_CONTACT_TOUCHING] += !soft && state != FLX_CONTACT_OPEN;
    out[FLX_CONTACT_POWER] -= mu[0] * u[0] + mu[1] * u[1];
}

void flx_groups_observe(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                        int contact, double out[FLX_CONTACT_SIGNALS])
{
    for (int i = 0; i < d->ngroup; i++) {
        if (d->groups[i].of.contact == contact) observe(d, w, p, i, out);
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

static flx_status gaps(const flx_system *s, flx_work *work, const flx_point *p, double *gap,
                       double *rate, double *slip)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
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
        if (g->of.point && !flx_contacts_is_closed(d, p, g->of.point - 1)) value = HUGE_VAL;
        if (g->equation >= 0) {
            const flx_expr_constraint *b = d->expr.constraints + g->equation;
            flx_eval_group(d, w, FLX_GROUP_CONSTRAINT);
            const double *out = flx_eval_output(d, w, FLX_GROUP_CONSTRAINT);
            value = -out[b->out];
            for (int k = 0; b->still && k < b->ndep; k++)
                speed -= out[b->out + 1 + k] * p->v[b->unknown[k]];
            if (!b->still) {
                flx_eval_group(d, w, FLX_GROUP_RATE);
                speed = -flx_eval_output(d, w, FLX_GROUP_RATE)[b->rate];
            }
        }
        if (gap) gap[i] = value;
        if (rate) rate[i] = speed;
        for (int k = 0; k < 2 && slip; k++) {
            slip[2 * i + k] = 0.0;
            if (k == 0 && g->slip >= 0)
                slip[2 * i] =
                    flx_eval_output(d, w, FLX_GROUP_CONSTRAINT)[d->expr.constraints[g->slip].out];
            if (k >= g->of.ntangent) continue;
            const flx_scalar *of = d->vscalars[g->vscalar + k].term;
            flx_scalar_gradient(of, w->frames, p->switches, &j);
            slip[2 * i + k] = flx_jet_rate(of, &j, p->v);
        }
    }
    return FLX_OK;
}

static flx_status limits(const flx_system *s, flx_work *work, const flx_point *p, double *limit)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    for (int i = 0; i < d->ngroup; i++) limit[i] = HUGE_VAL;
    p = flx_eval_begin(d, w, p);
    for (int i = 0; i < d->ngroup; i++) {
        const flx_row_group *g = d->groups + i;
        flx_contact_press press;
        if (!g->of.point) continue;
        flx_contacts_press(d, w, p, g->of.point - 1, false, &press);
        limit[i] = g->is.sticking * press.force;
    }
    if (d->model->nstick == 0) return FLX_OK;
    flx_eval_group(d, w, FLX_GROUP_LIMIT);
    const double *out = flx_eval_output(d, w, FLX_GROUP_LIMIT);
    for (int i = 0; i < d->model->nstick; i++) limit[d->first_stick + i] = out[i];
    return FLX_OK;
}

const flx_contacts flx_descriptor_contacts = {
    .count = count, .group = group, .of_unknown = of_unknown, .gaps = gaps, .limits = limits};
