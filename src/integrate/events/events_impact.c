// events_impact.c - impulses of contacts at an event (docs/theory/contact.md, Events).
//
// With u the rates of gaps and slips of all groups that touch, p their impulses and W = J M^-1 J^T on the joints,
//     u+ = u- + W p,   0 <= p_n _|_ u_n+ + e min(0, u_n-) >= 0,   p_t in the disc f p_n         (CON-21)
// Its loss of energy is -p . (u- + u+)/2, seen from the surfaces that touch.
#include "integrate/events/events_contact.h"
#include "integrate/newton_matrix.h"

#include <math.h>
#include <string.h>

// Rates below this part of their terms, or of the fastest so far, are rounding.
#define SLOW 1e-9
// Pair by pair, so many collisions of each; restitution is found to this part where it would gain energy.
#define MOST_COLLISIONS 1000
#define GAINED 1e-9
#define MOST_BISECTIONS 40
// A row that moves by less than this part of what masses alone would let it is held by joints.
#define HELD 1e-12
// Places that lean are watched from below: what falls by their touch has less than this part of their scale and
// of the pace.
#define FALLEN 2e-4
// A gap above this part of its scale that closes is closed by a shift: within a short step it would take a pull.
#define SHUT 1e-13
// A slip that ends is below this, in scales per second: its end is watched for a little later than zero.
#define SLOW_SLIP 1e-8
// Impulses that miss the law by no more than this are taken.
#define NEARLY 1e-8
// Rates behind an impact that miss the law by more than this part of the fastest before it: the impulses are so large that
// their effects cancel, for there are none.
#define MISSED 1e-4
// A part of the restitution below this one fits by that alone.
#define NO_RESTITUTION 1e-2
// Where no force fits, the group is moved by an approach of this part of its slip.
#define NUDGE 1e-6

static flx_event_contacts *contacts_of(flx_integrator *it)
{
    return flx_method_of(it)->events->contacts;
}

// ---- the matrix ---------------------------------------------------------------------------------

static void leave_out(flx_integrator *it, bool out)
{
    const flx_system *s = it->sys;
    flx_events *e = flx_method_of(it)->events;
    int first = flx_dims_first_constraint(&s->dims);
    if (!e->contacts) return;
    for (int i = 0; i < e->contacts->n; i++) {
        const flx_contact_group *g = &e->contacts->groups[i];
        if (g->normal >= 0) flx_saddle_leave_out(e->saddle, first + g->normal, out);
        for (int t = 0; t < g->ntangent; t++)
            flx_saddle_leave_out(e->saddle, first + s->dims.nlam + g->tangent[t], out);
    }
}

flx_status flx_contacts_factor(flx_integrator *it, const flx_state *x)
{
    static const flx_saddle_metric mass = {0};
    const flx_system *s = it->sys;
    flx_events *e = flx_method_of(it)->events;
    flx_point p = flx_state_point(s, x);
    FLX_TRY(s->ops->linearise(s, it->work, &p, &e->blocks));
    leave_out(it, true);
    flx_status status = flx_saddle_factor(e->saddle, &e->blocks, FLX_ROWS_VELOCITY, &mass);
    leave_out(it, false);
    FLX_TRY(status);
    it->stats.projections++;
    return FLX_OK;
}

static double largest(const double *v, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
    return most;
}

// Rows of tangents: what the residual has with a multiplier and not without, at c->trial. The multiplier is as large as
// the forces, for the sake of the digits.
static flx_status find_tangents(flx_integrator *it)
{
    const flx_system *s = it->sys;
    flx_events *e = flx_method_of(it)->events;
    flx_event_contacts *c = e->contacts;
    const flx_touch_problem *T = &c->touching;
    int nv = s->dims.nv;
    flx_point p = flx_state_point(s, c->trial);
    FLX_TRY(s->ops->residual(s, it->work, &p, e->rows));
    double unit = largest(e->rows, nv);
    unit = unit > 0.0 ? unit : 1.0;
    for (int k = 0; k < T->ngroup; k++) {
        const flx_contact_group *g = &c->groups[T->group[k]];
        for (int t = 0; t < g->ntangent; t++) {
            double *J = T->J + (size_t)flx_touching_tangent(c, k, t) * (size_t)nv;
            c->trial->mu[g->tangent[t]] = unit;
            FLX_TRY(s->ops->residual(s, it->work, &p, e->r));
            c->trial->mu[g->tangent[t]] = 0.0;
            for (int i = 0; i < nv; i++) J[i] = (e->r[i] - e->rows[i]) / unit;
        }
    }
    return FLX_OK;
}

static flx_status find_normals(flx_integrator *it)
{
    const flx_system *s = it->sys;
    flx_event_contacts *c = contacts_of(it);
    const flx_touch_problem *T = &c->touching;
    flx_point p = flx_state_point(s, c->trial);
    memset(c->eta, 0, (size_t)s->dims.nlam * sizeof *c->eta);
    for (int k = 0; k < T->ngroup; k++) {
        const flx_contact_group *g = &c->groups[T->group[k]];
        double *J = T->J + (size_t)T->first[k] * (size_t)s->dims.nv;
        if (g->normal < 0) continue;
        c->eta[g->normal] = 1.0;
        FLX_TRY(s->ops->constraint_force(s, it->work, &p, c->eta, J));
        c->eta[g->normal] = 0.0;
        for (int i = 0; i < s->dims.nv; i++) J[i] = -J[i];
    }
    return FLX_OK;
}

void flx_contacts_rest(flx_integrator *it, const flx_state *x, flx_state *out)
{
    const flx_dims *d = &it->sys->dims;
    const flx_event_contacts *c = contacts_of(it);
    flx_state_copy(out, x);
    memset(out->a, 0, (size_t)d->nv * sizeof(double));
    memset(out->lam, 0, (size_t)d->nlam * sizeof(double));
    memset(out->mu, 0, (size_t)d->nmu * sizeof(double));
    for (int i = 0; c && i < c->n; i++) {
        const flx_contact_group *g = &c->groups[i];
        if (g->normal < 0) flx_contact_hold(g, out->switches);
    }
}

// How far each row could be moved if nothing but masses held it, with the diagonal of M; bodies without mass count nothing. A row that
// joints hold has rounding of that in W: nothing.
static void find_reach(flx_integrator *it)
{
    flx_events *e = flx_method_of(it)->events;
    flx_event_contacts *c = e->contacts;
    flx_touch_problem *T = &c->touching;
    int nv = it->sys->dims.nv;
    flx_blocks_masses(it->sys, &e->blocks, e->d);
    for (int r = 0; r < T->m; r++) {
        const double *J = T->J + (size_t)r * (size_t)nv;
        c->reach[r] = 0.0;
        for (int l = 0; l < nv; l++) c->reach[r] += e->d[l] > 0.0 ? J[l] * J[l] / e->d[l] : 0.0;
        if (!(T->W[r * T->m + r] <= HELD * c->reach[r])) continue;
        for (int q = 0; q < T->m; q++) T->W[r * T->m + q] = T->W[q * T->m + r] = 0.0;
    }
}

flx_status flx_contacts_couple(flx_integrator *it, const flx_state *x)
{
    const flx_system *s = it->sys;
    flx_events *e = flx_method_of(it)->events;
    flx_event_contacts *c = e->contacts;
    flx_touch_problem *T = &c->touching;
    size_t nv = (size_t)s->dims.nv;
    flx_contacts_rest(it, x, c->trial);
    for (int k = 0; k < T->ngroup; k++)
        flx_contact_hold(&c->groups[T->group[k]], c->trial->switches);
    FLX_TRY(flx_contacts_factor(it, c->trial));
    FLX_TRY(find_normals(it));
    FLX_TRY(find_tangents(it));
    for (int i = 0; i < T->m; i++) {
        memset(e->d, 0, (size_t)flx_dims_unknowns(&s->dims) * sizeof *e->d);
        memcpy(e->d, T->J + (size_t)i * nv, nv * sizeof *e->d);
        flx_saddle_solve(e->saddle, e->d);
        memcpy(T->Z + (size_t)i * nv, e->d, nv * sizeof *e->d);
        for (int j = 0; j <= i; j++) {
            double sum = 0.0;
            for (size_t l = 0; l < nv; l++) sum += T->J[(size_t)j * nv + l] * e->d[l];
            if (!isfinite(sum)) return FLX_NOT_FINITE;
            T->W[i * T->m + j] = T->W[j * T->m + i] = sum;
        }
    }
    find_reach(it);
    flx_contacts_level(c, nv);
    return FLX_OK;
}

double flx_contacts_slow(flx_integrator *it, const flx_state *x)
{
    const flx_event_contacts *c = contacts_of(it);
    const flx_touch_problem *T = &c->touching;
    size_t nv = (size_t)it->sys->dims.nv;
    double most = fmax(c->pace, fmax(c->fastest, c->quickest));
    for (int k = 0; k < T->ngroup; k++) {
        for (int r = T->first[k]; r < (k + 1 < T->ngroup ? T->first[k + 1] : T->m); r++) {
            double sum = 0.0;
            for (size_t l = 0; l < nv; l++) sum += fabs(T->J[(size_t)r * nv + l] * x->v[l]);
            most = fmax(most, sum / c->scale[T->group[k]]);
        }
    }
    return SLOW * most;
}

// ---- impulses -----------------------------------------------------------------------------------

// Rates and slips of the touching groups at x, as rows.
static flx_status find_rates(flx_integrator *it, const flx_state *x, double *u)
{
    flx_event_contacts *c = contacts_of(it);
    const flx_touch_problem *T = &c->touching;
    flx_point p = flx_state_point(it->sys, x);
    FLX_TRY(c->ops->gaps(it->sys, it->work, &p, c->gap, c->rate, c->slip));
    for (int k = 0; k < T->ngroup; k++) {
        int i = T->group[k];
        if (c->groups[i].normal >= 0) u[T->first[k]] = c->rate[i];
        for (int t = 0; t < c->groups[i].ntangent; t++)
            u[flx_touching_tangent(c, k, t)] = c->slip[2 * i + t];
    }
    return FLX_OK;
}

static flx_cone_group impulse_group(const flx_event_contacts *c, int k, int first)
{
    const flx_contact_group *g = &c->groups[c->touching.group[k]];
    bool normal = g->normal >= 0;
    // friction alone is of finite forces, which are nothing in an impact
    return (flx_cone_group){.normal = normal ? first : -1,
                            .ntangent = g->ntangent,
                            .tangent = {first + normal, first + normal + 1},
                            .friction = normal ? g->friction : 0.0,
                            .limit = 0.0};
}

// Whether rates v of a group keep the law with impulses p: what touches does not approach, and parts only without impulse.
static bool keeps_law(const flx_cone_group *g, const double *p, const double *v, double least)
{
    if (g->normal < 0) return true;
    return v[g->normal] >= -least && (!(p[g->normal] > 0.0) || v[g->normal] <= least);
}

// All groups at once: impulses from rates u, with restitution c->e times part.
static flx_status collide_together(flx_event_contacts *c, const double *u, double part, int warm)
{
    flx_touch_problem *T = &c->touching;
    flx_cone_report report;
    double least = MISSED * largest(u, T->m);
    memcpy(T->b, u, (size_t)T->m * sizeof *u);
    for (int k = 0; k < T->ngroup; k++) {
        int n = T->first[k];
        T->cone[k] = impulse_group(c, k, n);
        if (T->cone[k].normal >= 0) T->b[n] += part * c->e[T->group[k]] * fmin(0.0, u[n]);
    }
    flx_status status =
        flx_cone_solve(c->solver, T->m, T->W, T->b, T->ngroup, T->cone, warm, T->p, T->u, &report);
    T->worst = report.worst >= 0 ? report.worst : 0;
    if (status == FLX_NO_CONVERGENCE && report.residual <= NEARLY) status = FLX_OK;
    for (int k = 0; k < T->ngroup && status == FLX_OK; k++) {
        if (!keeps_law(&T->cone[k], T->p, T->u, least)) status = FLX_NO_CONVERGENCE;
    }
    return status;
}

// One pair after the other, the fastest first, until none approaches.
static flx_status collide_in_turn(flx_event_contacts *c, const double *u, double slow,
                                  const double *rest)
{
    flx_touch_problem *T = &c->touching;
    flx_cone_report report;
    double *now = T->u;
    memcpy(now, u, (size_t)T->m * sizeof *u);
    memset(T->p, 0, (size_t)T->m * sizeof *T->p);
    for (int round = 0; round < MOST_COLLISIONS * T->ngroup; round++) {
        int worst = -1;
        double fastest = 0.0;
        for (int k = 0; k < T->ngroup; k++) {
            double rate = now[T->first[k]] / c->scale[T->group[k]];
            if (c->groups[T->group[k]].normal < 0 || !(rate < -slow)) continue;
            if (worst < 0 || rate < fastest) worst = k, fastest = rate;
        }
        if (worst < 0) return FLX_OK;
        int i = T->group[worst], first = T->first[worst], m = 1 + c->groups[i].ntangent;
        double W[9], b[3], p[3], v[3], e = c->groups[i].restitution;
        for (int r = 0; r < m; r++) {
            b[r] = now[first + r];
            for (int q = 0; q < m; q++) W[r * m + q] = T->W[(first + r) * T->m + first + q];
        }
        b[0] *= 1.0 + (-e * b[0] >= rest[i] ? e : 0.0);
        flx_cone_group g = impulse_group(c, worst, 0);
        FLX_TRY(flx_cone_solve(c->solver, m, W, b, 1, &g, 0, p, v, &report));
        if (!keeps_law(&g, p, v, MISSED * largest(b, m))) return FLX_NO_CONVERGENCE;
        for (int r = 0; r < m; r++) {
            T->p[first + r] += p[r];
            for (int j = 0; j < T->m; j++) now[j] += T->W[j * T->m + first + r] * p[r];
        }
    }
    return FLX_NO_CONVERGENCE;
}

// Energy that the impulses T->p take from rates u, and the size of its terms.
static double find_loss(const flx_touch_problem *T, const double *u, double *size)
{
    double lost = 0.0;
    *size = 0.0;
    for (int i = 0; i < T->m; i++) {
        double change = 0.0;
        for (int j = 0; j < T->m; j++) change += T->W[i * T->m + j] * T->p[j];
        lost -= T->p[i] * (u[i] + 0.5 * change);
        *size += fabs(T->p[i]) * (fabs(u[i]) + 0.5 * fabs(change));
    }
    return lost;
}

// Impulses into T->p with this part of the restitution. *fit: there are some, and they gain no energy.
static flx_status try_restitution(flx_event_contacts *c, const double *u, double part, bool *fit)
{
    double size;
    flx_status status = collide_together(c, u, part, 0);
    *fit = status == FLX_OK && find_loss(&c->touching, u, &size) >= -GAINED * size;
    return status == FLX_NO_CONVERGENCE ? FLX_OK : status;
}

// Newton's restitution with friction may gain energy, and what jams has no impulses with it: then it is as much as has some
// that gain none.
static flx_status collide_with_restitution(flx_integrator *it, const flx_state *x, const double *u)
{
    flx_event_contacts *c = contacts_of(it);
    const flx_touch_problem *T = &c->touching;
    double low = 0.0, high = 1.0;
    bool fit;
    FLX_TRY(try_restitution(c, u, 1.0, &fit));
    if (fit) return FLX_OK;
    for (int k = 0; k < MOST_BISECTIONS && high - low > GAINED; k++) {
        double part = 0.5 * (low + high);
        FLX_TRY(try_restitution(c, u, part, &fit));
        *(fit ? &low : &high) = part;
    }
    if (low < NO_RESTITUTION) low = 0.0;
    FLX_TRY(collide_together(c, u, low, 0));
    if (c->told_gain) return FLX_OK;
    c->told_gain = true;
    const flx_contact_group *g = &c->groups[T->group[0]];
    flx_ctx_warn(
        it->ctx, g->loc,
        "the impact of '%s' at t = %.9g would gain energy by its restitution, or jam, as rates of "
        "gaps with friction may: it is taken %.3g times as large. More of these are not told",
        g->item ? g->item : "?", x->t, low);
    return FLX_OK;
}

// What the impulses T->p do to velocities, added to v.
static void add_impulses(const flx_touch_problem *T, size_t nv, double *v)
{
    for (int r = 0; r < T->m; r++) {
        for (size_t l = 0; l < nv; l++) v[l] += T->Z[(size_t)r * nv + l] * T->p[r];
    }
}

// Impulses T->p act: velocities, books.
static void act(flx_integrator *it, flx_state *x, const double *u)
{
    flx_events *e = flx_method_of(it)->events;
    flx_event_contacts *c = e->contacts;
    const flx_touch_problem *T = &c->touching;
    size_t nv = (size_t)it->sys->dims.nv;
    double size, most = 0.0;
    e->what.lost += fmax(0.0, find_loss(T, u, &size));
    add_impulses(T, nv, x->v);
    for (int k = 0; k < T->ngroup; k++) {
        const flx_contact_group *g = &c->groups[T->group[k]];
        double p = g->normal >= 0 ? T->p[T->first[k]] : 0.0;
        if (!(p > 0.0)) continue;
        if (p > most) {
            most = p;
            e->what.item = g->item;
            e->what.loc = g->loc;
        }
        it->stats.impacts++;
        if (g->tally < 0) continue;
        x->switches[g->tally] += 1.0;
        x->switches[g->tally + 1] += p;
    }
    e->what.changed = e->what.jumped = 1;
}

// ---- rest ---------------------------------------------------------------------------------------

// Whether all that touches comes and goes slower than what ends in contact, while some of it would part: it rocks ever faster.
static bool only_rocks(const flx_event_contacts *c, const flx_state *x, const double *u,
                       const double *rest, double slow)
{
    const flx_touch_problem *T = &c->touching;
    bool parts = false, leant = false;
    for (int k = 0; k < T->ngroup; k++) {
        int i = T->group[k];
        bool leans = flx_contact_state_of(&c->groups[i], x->switches) == FLX_CONTACT_LEANS;
        leant = leant || (leans && u[T->first[k]] < 0.0);
    }
    for (int k = 0; k < T->ngroup; k++) {
        int i = T->group[k], n = T->first[k];
        double fallen = leant ? FALLEN * c->pace * c->scale[i] : 0.0, after = u[n];
        if (c->groups[i].normal < 0) continue;
        for (int q = 0; q < T->m; q++) after += T->W[n * T->m + q] * T->p[q];
        if (fmax(fabs(u[n]), fabs(after)) > fmax(rest[i], fallen)) return false;
        parts = parts || after > slow * c->scale[i];
    }
    return parts;
}

// Impulses into T->p that take the values b of the rows c->kept.row to zero, if there are some.
static bool hold_rows(flx_event_contacts *c, const double *b, int m)
{
    flx_touch_problem *T = &c->touching;
    flx_cone_report report;
    for (int r = 0; r < m; r++) {
        c->kept.b[r] = b[c->kept.row[r]];
        for (int q = 0; q < m; q++)
            c->kept.W[r * m + q] = T->W[c->kept.row[r] * T->m + c->kept.row[q]];
    }
    if (flx_cone_solve(c->solver, m, c->kept.W, c->kept.b, 0, T->cone, 0, c->kept.p, c->kept.u,
                       &report) != FLX_OK)
        return false;
    memset(T->p, 0, (size_t)T->m * sizeof *T->p);
    for (int r = 0; r < m; r++) T->p[c->kept.row[r]] = c->kept.p[r];
    return true;
}

// What only rocks comes to rest: no place that touches has a rate, nor a slip that is as slow.
static void come_to_rest(flx_event_contacts *c, const double *u, const double *rest)
{
    const flx_touch_problem *T = &c->touching;
    int m = 0;
    for (int k = 0; k < T->ngroup; k++) {
        int i = T->group[k], first = T->first[k] + 1, nt = c->groups[i].ntangent;
        double most = fmax(rest[i], FALLEN * c->pace * c->scale[i]);
        if (c->groups[i].normal < 0) continue;
        c->kept.row[m++] = T->first[k];
        if (!(c->groups[i].friction > 0.0) || flx_contact_length(u + first, nt) > most) continue;
        for (int t = 0; t < nt; t++) c->kept.row[m++] = first + t;
    }
    (void)hold_rows(c, u, m);
}

flx_status flx_contacts_end_slips(flx_integrator *it, flx_state *x, double slow)
{
    flx_event_contacts *c = contacts_of(it);
    const flx_touch_problem *T = &c->touching;
    double *u = c->before;
    bool any = false;
    int m = 0;
    FLX_TRY(find_rates(it, x, u));
    for (int k = 0; k < T->ngroup; k++) {
        int i = T->group[k], nt = c->groups[i].ntangent;
        bool slides = c->next[i] == FLX_CONTACT_SLIDES && c->leaves[i] == FLX_LEAVES_SLIDE;
        double most = fmax(slow, SLOW_SLIP) * c->scale[i];
        if (c->next[i] < FLX_CONTACT_SLIDES) continue;
        if (c->groups[i].normal >= 0) c->kept.row[m++] = T->first[k];
        if (slides && !(flx_contact_length(u + flx_touching_tangent(c, k, 0), nt) <= most))
            continue;
        if (!slides && c->next[i] != FLX_CONTACT_STICKS) continue;
        for (int t = 0; t < nt; t++) c->kept.row[m++] = flx_touching_tangent(c, k, t);
        any = any || slides;
    }
    if (any && hold_rows(c, u, m)) add_impulses(T, (size_t)it->sys->dims.nv, x->v);
    return FLX_OK;
}

void flx_contacts_close_gaps(flx_integrator *it, flx_state *x)
{
    flx_method *m = flx_method_of(it);
    flx_event_contacts *c = m->events->contacts;
    const flx_touch_problem *T = &c->touching;
    size_t nv = (size_t)it->sys->dims.nv;
    double *gap = c->before;
    bool any = false;
    int rows = 0;
    memset(gap, 0, (size_t)T->m * sizeof *gap);
    for (int k = 0; k < T->ngroup; k++) {
        int i = T->group[k];
        if (c->groups[i].normal < 0 || c->next[i] < FLX_CONTACT_SLIDES) continue;
        gap[T->first[k]] = c->gap[i];
        c->kept.row[rows++] = T->first[k];
        double size = fabs(c->gap[i]);
        any = any || (size > SHUT * c->scale[i] && size <= 2.0 * c->touch[i]);
    }
    if (!any || !hold_rows(c, gap, rows)) return;
    memset(m->theta, 0, nv * sizeof *m->theta);
    add_impulses(T, nv, m->theta);
    it->sys->ops->retract(it->sys, x->q, m->theta, c->trial->q);
    memcpy(x->q, c->trial->q, (size_t)it->sys->dims.nq * sizeof *x->q);
}

static flx_status unsolved(flx_integrator *it, const flx_state *x)
{
    const flx_event_contacts *c = contacts_of(it);
    const flx_contact_group *g = &c->groups[c->touching.group[c->touching.worst]];
    return FLX_FAIL(
        it->ctx, FLX_NO_CONVERGENCE, g->loc,
        "no impulses were found for the contacts that touch at t = %.9g, '%s' among them", x->t,
        g->item ? g->item : "?");
}

flx_status flx_contacts_collide(flx_integrator *it, flx_state *x, bool *moved)
{
    flx_event_contacts *c = contacts_of(it);
    flx_touch_problem *T = &c->touching;
    double approach = 0.0, slow = flx_contacts_slow(it, x), *u = c->before;
    *moved = false;
    FLX_TRY(find_rates(it, x, u));
    for (int k = 0; k < T->ngroup; k++)
        approach = fmax(approach, -c->rate[T->group[k]] / c->scale[T->group[k]]);
    if (!(approach > slow)) return FLX_OK;
    FLX_TRY(flx_events_close_velocities(it, x)); // what no impulse can move must not ask for one
    FLX_TRY(find_rates(it, x, u));
    c->fastest = fmax(c->fastest, approach);
    double given = it->def.rest_velocity, *rest = c->spare;
    for (int k = 0; k < T->ngroup; k++) {
        int i = T->group[k];
        double rebound = -c->groups[i].restitution * c->rate[i];
        rest[i] = given > 0.0 ? given : FLX_REST * c->fastest * c->scale[i];
        c->e[i] =
            rebound >= rest[i] && -c->rate[i] > slow * c->scale[i] ? c->groups[i].restitution : 0.0;
    }
    bool in_turn = it->def.impacts == FLX_IMPACTS_SEQUENTIAL;
    flx_status status = in_turn ? collide_in_turn(c, u, slow, rest) : FLX_NO_CONVERGENCE;
    if (status != FLX_OK) status = collide_with_restitution(it, x, u);
    if (status == FLX_NO_CONVERGENCE) return unsolved(it, x);
    FLX_TRY(status);
    if (only_rocks(c, x, u, rest, slow)) come_to_rest(c, u, rest);
    act(it, x, u);
    *moved = true;
    return FLX_OK;
}

flx_status flx_contacts_jam(flx_integrator *it, flx_state *x)
{
    flx_event_contacts *c = contacts_of(it);
    flx_touch_problem *T = &c->touching;
    double *u = c->before, slow = flx_contacts_slow(it, x);
    int jammed = -1;
    FLX_TRY(find_rates(it, x, u));
    double fast = 0.0;
    for (int k = 0; k < T->ngroup; k++) {
        int rows = (k + 1 < T->ngroup ? T->first[k + 1] : T->m) - T->first[k];
        fast = fmax(fast, largest(u + T->first[k], rows) / c->scale[T->group[k]]);
    }
    memset(c->e, 0, (size_t)c->n * sizeof *c->e);
    for (int nudge = 1; nudge >= 0; nudge--) { // then without it, from the impulses that it led to
        for (int k = 0; k < T->ngroup; k++) {
            int i = T->group[k];
            if (c->groups[i].normal < 0 || c->rate[i] > slow * c->scale[i]) continue;
            u[T->first[k]] = -nudge * NUDGE * fast * c->scale[i];
        }
        if (collide_together(c, u, 1.0, !nudge) != FLX_OK) return unsolved(it, x);
    }
    for (int k = 0; k < T->ngroup; k++) {
        int n = T->first[k];
        if (c->groups[T->group[k]].normal < 0 || !(T->p[n] > 0.0)) continue;
        if (jammed < 0 || T->p[n] > T->p[T->first[jammed]]) jammed = k;
    }
    if (jammed < 0) return unsolved(it, x);
    const flx_contact_group *g = &c->groups[T->group[jammed]];
    act(it, x, u);
    it->stats.jams++;
    flx_ctx_warn(it->ctx, g->loc,
                 "'%s' jams at t = %.9g: no finite force holds it while it slides (Painleve), and "
                 "an impulse of "
                 "%.6g acts without a collision",
                 g->item ? g->item : "?", x->t, T->p[T->first[jammed]]);
    return FLX_OK;
}
