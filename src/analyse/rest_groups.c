// rest_groups.c - which one-sided constraints hold at rest: those that press. After each move
//     one that holds and pulls (lambda < 0) opens,  one that is open and overlaps (gap < 0) closes          (EQU-2)
// until none changes. What has friction sticks where it has closed: its slips are rows of velocities, which no move of a rest has.
// Rows may depend on one another, as those of a box on four corners: in the matrix, not in the residual, they have a compliance
//     -eps on their diagonals, eps = 1e-9 of size^2/work                                                       (EQU-3)
// which acts on changes of forces alone and leaves no error.
#include "analyse/rest.h"

#include <math.h>

// Part of its limit that friction may be beyond it by rounding.
#define ROUNDING 1e-9
#define SOFT 1e-9
// Of the size: then it has closed, and sticks.
#define CLOSED 1e-9

static int count_groups(const flx_system *s)
{
    return s->ops->contacts ? s->ops->contacts->count(s) : 0;
}

static double longest(const flx_rest *e)
{
    double length = 0.0;
    for (int i = 0; i < e->nv; i++) length = fmax(length, e->scale[i]);
    return length;
}

flx_status flx_rest_check_groups(const flx_system *s)
{
    for (int i = 0; i < count_groups(s); i++) {
        flx_contact_group g;
        s->ops->contacts->group(s, i, &g);
        if (g.normal >= 0) continue;
        return FLX_FAIL(s->ctx, FLX_ERR_CANNOT, g.loc,
                        "'%s' sticks or slides: where friction alone holds there are many "
                        "equilibria. Simulate until it rests, or leave its friction out",
                        g.item);
    }
    return FLX_OK;
}

// Where the diagonal of an unknown is.
static int find_diagonal(const flx_system *s, int unknown)
{
    const flx_pattern *p = &s->pattern;
    for (int b = 0; b < p->nblock; b++) {
        int n = p->start[b + 1] - p->start[b], at = unknown - p->start[b];
        if (at < 0 || at >= n) continue;
        for (int k = p->row[b]; k < p->row[b + 1]; k++) {
            if (p->col[k] == b) return p->offset[k] + at * (n + 1);
        }
    }
    return -1;
}

flx_status flx_rest_create_groups(flx_rest *e)
{
    int n = count_groups(e->s);
    if (n == 0) return FLX_OK;
    e->gap = flx_alloc(e->s->ctx, (size_t)n, sizeof *e->gap);
    e->slots = flx_alloc(e->s->ctx, 3 * (size_t)n, sizeof *e->slots);
    if (!e->gap || !e->slots) return FLX_ERR_MEMORY;
    int lam = flx_dims_first_constraint(&e->s->dims), mu = lam + e->s->dims.nlam;
    for (int i = 0; i < n; i++) {
        flx_contact_group g;
        e->s->ops->contacts->group(e->s, i, &g);
        e->slots[3 * i] = g.normal < 0 ? -1 : find_diagonal(e->s, lam + g.normal);
        for (int k = 0; k < 2; k++) {
            e->slots[3 * i + 1 + k] = k < g.ntangent ? find_diagonal(e->s, mu + g.tangent[k]) : -1;
        }
    }
    return FLX_OK;
}

static void soften(flx_rest *e, double normal, double tangent)
{
    for (int i = 0; i < 3 * count_groups(e->s); i++) {
        if (e->slots[i] >= 0) e->b.A0[e->slots[i]] -= i % 3 == 0 ? normal : tangent;
    }
}

// Rows of velocities have the weight 1/h where those of positions have 1.
void flx_rest_soften_groups(flx_rest *e, double h)
{
    if (!e->gap || !(e->work_size > 0.0)) return;
    double length = longest(e), eps = SOFT * length * length / e->work_size;
    if (e->softened > 0.0) soften(e, -eps, -eps / e->softened);
    soften(e, eps, eps / h);
    e->softened = h;
}

static void set_state(const flx_contact_group *g, flx_contact_state state, flx_state *x)
{
    x->switches[g->state] = state;
    x->lam[g->normal] = 0.0;
    for (int k = 0; k < g->ntangent; k++) {
        x->mu[g->tangent[k]] = 0.0;
        x->switches[g->slip + k] = 0.0;
    }
}

flx_status flx_rest_choose_groups(flx_rest *e, flx_state *x, bool *changed)
{
    const flx_system *s = e->s;
    flx_point p = flx_state_point(s, x);
    *changed = false;
    if (!e->gap) return FLX_OK;
    FLX_TRY(s->ops->contacts->gaps(s, e->work, &p, e->gap, NULL, NULL));
    for (int i = 0; i < count_groups(s); i++) {
        flx_contact_group g;
        s->ops->contacts->group(s, i, &g);
        if (g.normal < 0) continue;
        flx_contact_state now = (flx_contact_state)x->switches[g.state], next = now;
        bool closed = fabs(e->gap[i]) <= CLOSED * longest(e);
        if (now > FLX_CONTACT_OPEN && x->lam[g.normal] < 0.0) {
            next = FLX_CONTACT_OPEN;
        } else if (now <= FLX_CONTACT_OPEN) {
            next = e->gap[i] < 0.0 ? FLX_CONTACT_SLIDES : FLX_CONTACT_OPEN;
        } else if (now == FLX_CONTACT_SLIDES && g.sticking > 0.0 && closed) {
            next = FLX_CONTACT_STICKS;
        }
        if (next == now) continue;
        set_state(&g, next, x);
        *changed = true;
    }
    return FLX_OK;
}

bool flx_rest_release_groups(const flx_rest *e, flx_state *x)
{
    bool sticks = false;
    for (int i = 0; e->gap && i < count_groups(e->s); i++) {
        flx_contact_group g;
        e->s->ops->contacts->group(e->s, i, &g);
        flx_contact_state state = (flx_contact_state)x->switches[g.state];
        sticks = sticks || state == FLX_CONTACT_STICKS;
        set_state(&g, state, x);
    }
    return sticks;
}

flx_status flx_rest_judge_groups(const flx_rest *e, const flx_state *x)
{
    const flx_system *s = e->s;
    for (int i = 0; e->gap && i < count_groups(s); i++) {
        flx_contact_group g;
        s->ops->contacts->group(s, i, &g);
        if (g.normal < 0 || x->switches[g.state] != FLX_CONTACT_STICKS) continue;
        double square = 0.0, limit = g.sticking * x->lam[g.normal];
        for (int k = 0; k < g.ntangent; k++) square += x->mu[g.tangent[k]] * x->mu[g.tangent[k]];
        if (sqrt(square) <= limit * (1.0 + ROUNDING)) continue;
        return FLX_FAIL(s->ctx, FLX_NO_CONVERGENCE, g.loc,
                        "'%s' would have to hold %.6g N by friction and holds %.6g N at most: it "
                        "slides, and does not rest here",
                        g.item, sqrt(square), limit);
    }
    return FLX_OK;
}
