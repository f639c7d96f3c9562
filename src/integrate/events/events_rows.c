// events_rows.c - rows of contacts that depend on each other: which of them hold (docs/theory/contact.md, Events).
//
// Four corners of a box on the ground have three independent gaps and three independent slips. Rows that hold must be
// independent, so forces go over to others until a corner has none, and slips that others hold have no row.
#include "integrate/events/events_contact.h"

#include <string.h>

// A row whose square is less than this part of itself beside others depends on them.
#define DEPENDS 1e-10
// Places of a compliant law are at different depths: what they could hold by levers of these is not held.
#define NEARLY_DEPENDS 1e-4

// Rows that are independent so far, with the triangular factor of their W.
typedef struct basis {
    int n, *row;
    double *factor, *part; // (m x m) (m)
} basis;

// The square of what a row has beside those that are there; b->part: its row of the factor.
static double beside(const flx_touch_problem *T, basis *b, int row)
{
    int m = T->m;
    double left = T->W[row * m + row];
    for (int i = 0; i < b->n; i++) {
        double sum = T->W[row * m + b->row[i]];
        for (int j = 0; j < i; j++) sum -= b->factor[i * m + j] * b->part[j];
        b->part[i] = sum / b->factor[i * m + i];
        left -= b->part[i] * b->part[i];
    }
    return left;
}

// Add a row. False: it depends on those that are there, as their combination b->part.
static bool add_row(const flx_touch_problem *T, basis *b, int row, double depends)
{
    int m = T->m;
    double left = beside(T, b, row);
    if (left > depends * T->W[row * m + row]) {
        memcpy(b->factor + (size_t)b->n * (size_t)m, b->part, (size_t)b->n * sizeof *b->part);
        b->factor[b->n * m + b->n] = sqrt(left);
        b->row[b->n++] = row;
        return true;
    }
    for (int i = b->n - 1; i >= 0; i--) {
        for (int j = i + 1; j < b->n; j++) b->part[i] -= b->factor[j * m + i] * b->part[j];
        b->part[i] /= b->factor[i * m + i];
    }
    return false;
}

// ---- slips at nearly the same depth ---------------------------------------------------------------

// The soft slip that has the most beside those that are there, as a part of itself, if that is more than levers of depths have; -1: none.
static int next_soft(const flx_event_contacts *c, basis *b)
{
    const flx_touch_problem *T = &c->touching;
    int best = -1;
    double most = NEARLY_DEPENDS;
    for (int k = 0; k < T->ngroup; k++) {
        const flx_contact_group *g = &c->groups[T->group[k]];
        for (int t = 0; t < g->ntangent && flx_contact_is_soft(g); t++) {
            int row = T->first[k] + t;
            bool there = false;
            for (int i = 0; i < b->n; i++) there = there || b->row[i] == row;
            double own = T->W[row * T->m + row];
            if (there || !(own > 0.0) || !(beside(T, b, row) > most * own)) continue;
            most = beside(T, b, row) / own;
            best = row;
        }
    }
    return best;
}

static void level_vectors(const flx_event_contacts *c, double *x, size_t stride)
{
    int m = c->touching.m;
    for (int r = 0; r < m; r++) {
        const double *of = c->like.of + (size_t)r * (size_t)m;
        double *own = x + (size_t)r * stride;
        if (of[r] == 1.0) continue;
        memset(own, 0, stride * sizeof *own);
        for (int q = 0; q < m; q++) { // combinations are of rows that stay
            const double *other = x + (size_t)q * stride;
            for (size_t l = 0; l < stride && of[q] != 0.0; l++) own[l] += of[q] * other[l];
        }
    }
}

void flx_contacts_level_rows(const flx_event_contacts *c, double *x)
{
    if (c->like.any) level_vectors(c, x, 1);
}

void flx_contacts_level(flx_event_contacts *c, size_t nv)
{
    flx_touch_problem *T = &c->touching;
    size_t m = (size_t)T->m;
    basis b = {.row = c->like.row, .factor = c->scratch, .part = c->scratch + m * m};
    c->like.any = false;
    for (int row; (row = next_soft(c, &b)) >= 0;) (void)add_row(T, &b, row, 0.0);
    if (b.n == 0) return;
    memset(c->like.of, 0, m * m * sizeof *c->like.of);
    for (size_t r = 0; r < m; r++) c->like.of[r * m + r] = 1.0;
    for (int k = 0; k < T->ngroup; k++) {
        const flx_contact_group *g = &c->groups[T->group[k]];
        for (int t = 0; t < g->ntangent && flx_contact_is_soft(g); t++) {
            int row = T->first[k] + t;
            bool stays = !(T->W[row * T->m + row] > 0.0);
            for (int i = 0; i < b.n; i++) stays = stays || b.row[i] == row;
            if (stays) continue;
            (void)add_row(T, &b, row, HUGE_VAL);
            c->like.of[row * T->m + row] = 0.0;
            for (int i = 0; i < b.n; i++) c->like.of[row * T->m + b.row[i]] = b.part[i];
            c->like.any = true;
        }
    }
    if (!c->like.any) return;
    level_vectors(c, T->J, nv);
    level_vectors(c, T->Z, nv);
    level_vectors(c, T->W, m); // rows, then columns
    for (size_t r = 0; r < m; r++) level_vectors(c, T->W + r * m, 1);
}

static int group_of_row(const flx_touch_problem *T, int row)
{
    int k = T->ngroup - 1;
    while (T->first[k] > row) k--;
    return k;
}

// The force of group k, whose normal row depends on others, goes over to these until one has none: that one leans.
static void shift_force(flx_event_contacts *c, const basis *b, int k)
{
    flx_touch_problem *T = &c->touching;
    int leans = k;
    double most = T->p[T->first[k]];
    for (int i = 0; i < b->n; i++) {
        if (!(T->p[b->row[i]] + most * b->part[i] < 0.0)) continue;
        most = -T->p[b->row[i]] / b->part[i];
        leans = group_of_row(T, b->row[i]);
    }
    T->p[T->first[k]] -= most;
    for (int i = 0; i < b->n; i++) T->p[b->row[i]] += most * b->part[i];
    c->next[T->group[leans]] = FLX_CONTACT_LEANS;
}

// The group that sticks with the largest limit among those that are not done; -1: none.
static int next_sticking(const flx_event_contacts *c, const signed char *done)
{
    const flx_touch_problem *T = &c->touching;
    int best = -1;
    double largest = -1.0;
    for (int k = 0; k < T->ngroup; k++) {
        const flx_contact_group *g = &c->groups[T->group[k]];
        double limit = g->normal >= 0 ? g->sticking * T->p[T->first[k]] : HUGE_VAL;
        if (done[k] || c->next[T->group[k]] != FLX_CONTACT_STICKS || !(limit > largest)) continue;
        largest = limit;
        best = k;
    }
    return best;
}

// Friction alone, whose slip is that of one other row: what it could carry is there for that one.
static void lend(flx_event_contacts *c, const basis *b, int k)
{
    const flx_touch_problem *T = &c->touching;
    int i = T->group[k], of = -1;
    double largest = 0.0;
    for (int j = 0; j < b->n; j++) largest = fmax(largest, fabs(b->part[j]));
    for (int j = 0; j < b->n; j++) {
        if (!(fabs(b->part[j]) > 1e-6 * largest)) continue;
        if (of >= 0) return; // of several: nobody knows whose
        of = group_of_row(T, b->row[j]);
    }
    if (of < 0 || !flx_contact_is_of_joint(&c->groups[T->group[of]])) return;
    c->lends[i] = T->group[of];
    c->share[i] = largest;
}

// A slip of group k is that of the rows b->part: all these groups are one pool.
static void join_pools(flx_event_contacts *c, const basis *b, int k)
{
    const flx_touch_problem *T = &c->touching;
    int i = T->group[k];
    double largest = 0.0;
    if (flx_contact_is_of_joint(&c->groups[i])) return;
    if (c->shared == 0) c->shared = 1 + i;
    if (c->pool[i] < 0) c->pool[i] = i;
    for (int j = 0; j < b->n; j++) largest = fmax(largest, fabs(b->part[j]));
    for (int j = 0; j < b->n; j++) {
        int other = T->group[group_of_row(T, b->row[j])], old = c->pool[other];
        if (!(fabs(b->part[j]) > 1e-9 * largest) || old == c->pool[i]) continue;
        c->pool[other] = c->pool[i];
        for (int n = 0; n < c->n && old >= 0; n++) {
            if (c->pool[n] == old) c->pool[n] = c->pool[i];
        }
    }
}

// Whether the second slip of group k has clearly more beside the rows that are there than the first.
static bool prefers_second(const flx_event_contacts *c, basis *b, int k)
{
    const flx_touch_problem *T = &c->touching;
    double first = beside(T, b, flx_touching_tangent(c, k, 0));
    return beside(T, b, flx_touching_tangent(c, k, 1)) > 2.0 * first;
}

void flx_contacts_reduce(flx_event_contacts *c)
{
    const flx_touch_problem *T = &c->touching;
    basis b = {
        .row = c->kept.row, .factor = c->scratch, .part = c->scratch + (size_t)T->m * (size_t)T->m};
    for (bool all = false; !all;) {
        all = true;
        b.n = 0;
        for (int k = 0; k < T->ngroup && all; k++) {
            int i = T->group[k];
            if (c->groups[i].normal < 0 || c->next[i] < FLX_CONTACT_SLIDES) continue;
            all = add_row(T, &b, T->first[k], DEPENDS);
            if (!all) shift_force(c, &b, k);
        }
    }
    memset(c->kinetic, 0, (size_t)c->n);
    for (int k = 0; k < c->n; k++) c->lends[k] = c->pool[k] = -1;
    for (int k; (k = next_sticking(c, c->kinetic)) >= 0;) {
        int i = T->group[k], held = 0;
        c->kinetic[k] = 1;
        int nt = c->groups[i].ntangent, first = nt == 2 && prefers_second(c, &b, k);
        for (int n = 0; n < nt; n++) { // the one that has more of its own first
            int t = first ? 1 - n : n;
            double depends = flx_contact_is_soft(&c->groups[i]) ? NEARLY_DEPENDS : DEPENDS;
            bool own = add_row(T, &b, flx_touching_tangent(c, k, t), depends);
            c->course[2 * i + t] = own ? 0.0 : 1.0; // others hold it
            if (!own) join_pools(c, &b, k);
            held += own;
        }
        if (held > 0) continue;
        if (c->shared == 0) c->shared = 1 + i;
        if (flx_contact_is_of_joint(&c->groups[i])) lend(c, &b, k);
        c->next[i] = FLX_CONTACT_SLIDES;
        c->course[2 * i] = c->course[2 * i + 1] = 0.0;
    }
}

// ---- how they share ---------------------------------------------------------------------------

// Groups that carry what a pool holds: its own, and those whose normal force may help, whether they lean or have no friction.
static bool takes_part(const flx_event_contacts *c, const flx_state *x, int i)
{
    const flx_contact_group *g = &c->groups[i];
    int state = flx_contact_state_of(g, x->switches);
    if (c->pool[i] >= 0)
        return state == FLX_CONTACT_STICKS || flx_contact_leans_aside(g, x->switches);
    bool smooth = g->ntangent == 0 || !(g->sticking > 0.0);
    return g->normal >= 0 &&
           (state == FLX_CONTACT_LEANS || (state == FLX_CONTACT_SLIDES && smooth));
}

// Rows of group i into the problem of shares: its normal, and tangents where it has friction.
static void add_group(flx_event_contacts *c, const flx_state *x, int i, int *m)
{
    flx_touch_problem *T = &c->touching;
    const flx_contact_group *g = &c->groups[i];
    bool normal = g->normal >= 0;
    int nt = !normal || g->sticking > 0.0 ? g->ntangent : 0;
    double mu[2];
    flx_contact_multipliers(g, x->mu, mu);
    T->group[T->ngroup] = i;
    T->first[T->ngroup] = T->m;
    T->cone[T->ngroup++] = (flx_cone_group){.normal = normal ? *m : -1,
                                            .ntangent = nt,
                                            .tangent = {*m + normal, *m + normal + 1},
                                            .friction = normal ? g->sticking : 0.0,
                                            .limit = normal ? 0.0 : c->limit[i]};
    for (int r = 0; r < normal + nt; r++) {
        c->kept.p[*m] = normal && r == 0 ? x->lam[g->normal] : -mu[r - normal];
        c->kept.row[(*m)++] = T->m + r;
    }
    T->m += normal + g->ntangent;
}

flx_status flx_contacts_margin(flx_integrator *it, const flx_state *x, double *margin, double *size)
{
    flx_event_contacts *c = flx_method_of(it)->events->contacts;
    flx_touch_problem *T = &c->touching;
    double depends = DEPENDS;
    bool any = false;
    int m = 0;
    *margin = *size = 0.0;
    for (int i = 0; i < c->n; i++) any = any || c->pool[i] >= 0;
    if (!any) return FLX_OK;
    T->ngroup = T->m = 0;
    for (int i = 0; i < c->n; i++) {
        if (!takes_part(c, x, i)) continue;
        add_group(c, x, i, &m);
        if (flx_contact_is_soft(&c->groups[i])) depends = NEARLY_DEPENDS;
    }
    FLX_TRY(flx_contacts_couple(it, x));
    for (int r = 0; r < m; r++) {
        for (int q = 0; q < m; q++)
            c->kept.W[r * m + q] = T->W[c->kept.row[r] * T->m + c->kept.row[q]];
    }
    return flx_cone_margin(c->solver, m, c->kept.W, c->kept.p, T->ngroup, T->cone, depends, margin,
                           size);
}

const flx_contact_group *flx_integrator_shared_contact(const flx_integrator *it)
{
    const flx_events *e = flx_method_of((flx_integrator *)(uintptr_t)it)->events;
    const flx_event_contacts *c = e ? e->contacts : NULL;
    return c && c->shared > 0 ? &c->groups[c->shared - 1] : NULL;
}
