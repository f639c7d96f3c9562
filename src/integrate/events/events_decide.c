// events_decide.c - what contacts do from an event on: which open, slide and stick (docs/theory/contact.md, Events).
//
// Those that approach collide (CON-21). Then the same problem on accelerations,
//     u' = J a_free + J' v + W p,   0 <= p_n _|_ u_n' >= 0,   friction along the slip, or within the disc    (CON-22)
// decides. A group does not go back to what it has just left, unless the others make it.
#include "integrate/events/events_contact.h"

#include <math.h>
#include <string.h>

// Forces and accelerations below this part of their terms are rounding.
#define NOTHING_LEFT 1e-9
// An event is located to this part of the forces: what leaves a state there is pushed back by more than that.
#define PUSHED_BACK 1e-4
// The limits of friction in joints are those of the forces that it leads to, to this part.
#define LIMIT_FOUND 1e-10
#define MOST_LIMITS 30
#define MOST_JAMS 5
// The cosine of an angle that is not clearly less than a right one.
#define ACROSS 1e-2
// What a pool does that no longer holds is seen with its friction less by this part.
#define LESS 1e-3

// ---- who takes part -------------------------------------------------------------------------

static void choose_touching(flx_event_contacts *c, const flx_state *x, const signed char *marked)
{
    flx_touch_problem *T = &c->touching;
    T->ngroup = T->m = 0;
    for (int i = 0; i < c->n; i++) {
        const flx_contact_group *g = &c->groups[i];
        bool rubs = g->normal < 0 && c->gap[i] < HUGE_VAL;
        bool touches = rubs || flx_contact_is_closed(g, x->switches) || (marked && marked[2 * i]) ||
                       c->gap[i] <= c->touch[i];
        if (!touches) continue;
        T->group[T->ngroup] = i;
        T->first[T->ngroup++] = T->m;
        T->m += (g->normal >= 0) + g->ntangent;
    }
}

// What marked groups leave, and where those that stuck go to: along their friction, which is mu.
static flx_status find_leaving(flx_integrator *it, const flx_state *x, const signed char *marked)
{
    flx_events *e = flx_method_of(it)->events;
    flx_event_contacts *c = e->contacts;
    bool any = false;
    memset(c->leaves, FLX_LEAVES_NOTHING, (size_t)c->n);
    for (int i = 0; i < c->n && marked; i++) {
        const flx_contact_group *g = &c->groups[i];
        int state = flx_contact_state_of(g, x->switches);
        if (marked[2 * i] && state >= FLX_CONTACT_SLIDES) c->leaves[i] = FLX_LEAVES_GROUND;
        if (marked[2 * i + 1] && state == FLX_CONTACT_STICKS) c->leaves[i] = FLX_LEAVES_STICK;
        if (marked[2 * i + 1] && state == FLX_CONTACT_SLIDES) c->leaves[i] = FLX_LEAVES_SLIDE;
        any = any || c->leaves[i] == FLX_LEAVES_STICK;
    }
    if (!any) return FLX_OK;
    // their multipliers are those of the equations
    flx_state_copy(c->trial, x);
    flx_status status = flx_accelerator_eval(e->acc, it->work, c->trial, &it->stats.residuals,
                                             &it->stats.linearisations);
    if (status < FLX_OK) return status;
    const double *mu = status == FLX_OK ? c->trial->mu : x->mu;
    for (int i = 0; i < c->n; i++) {
        const flx_contact_group *g = &c->groups[i];
        double *course = c->course + 2 * i, size;
        if (c->leaves[i] != FLX_LEAVES_STICK) continue;
        flx_contact_multipliers(g, mu, course);
        size = flx_contact_length(course, g->ntangent);
        if (!(size > 0.0)) c->leaves[i] = FLX_LEAVES_NOTHING;
        for (int t = 0; t < 2 && size > 0.0; t++) course[t] /= size;
    }
    return FLX_OK;
}

// A contact that is closed stays at its gap: its rate is the residual of the method. What an event adds to that, by
// velocities that it sets, is a rate.
static flx_status rest_rates(flx_integrator *it, const flx_state *x)
{
    flx_events *e = flx_method_of(it)->events;
    flx_event_contacts *c = e->contacts;
    size_t size = (size_t)c->n * sizeof *c->resting;
    memcpy(c->resting, c->rate, size);
    if (e->what.jumped) {
        FLX_TRY(flx_contacts_look(it, e->prior));
        memcpy(c->resting, c->rate, size);
        FLX_TRY(flx_contacts_look(it, x));
        flx_contacts_stop_slips(c, x);
    }
    for (int i = 0; i < c->n; i++) {
        const flx_contact_group *g = &c->groups[i];
        if (!flx_contact_is_closed(g, x->switches)) continue;
        double added = c->rate[i] - c->resting[i];
        bool set =
            flx_contact_is_closed(g, e->prior->switches) && fabs(added) > 2.0 * fabs(c->resting[i]);
        c->rate[i] = set ? added : 0.0;
    }
    return FLX_OK;
}

// ---- accelerations --------------------------------------------------------------------------

// Accelerations of the touching rows without forces of contacts, and sizes of their terms.
static flx_status find_free(flx_integrator *it, const flx_state *x)
{
    const flx_system *s = it->sys;
    flx_events *e = flx_method_of(it)->events;
    flx_event_contacts *c = e->contacts;
    flx_touch_problem *T = &c->touching;
    flx_state_copy(c->trial, x);
    for (int i = 0; i < c->n; i++) c->trial->switches[c->groups[i].state] = FLX_CONTACT_OPEN;
    flx_status status = flx_accelerator_eval(e->acc, it->work, c->trial, &it->stats.residuals,
                                             &it->stats.linearisations);
    if (status > 0) {
        const flx_contact_group *g = &c->groups[T->group[0]];
        return FLX_FAIL(
            it->ctx, status, g->loc,
            "'%s' at t = %.9g: the accelerations without contacts have no solution (%s); bodies "
            "that touch need inertia",
            g->item ? g->item : "?", x->t, flx_status_text(status));
    }
    FLX_TRY(status);
    for (int k = 0; k < T->ngroup; k++)
        flx_contact_hold(&c->groups[T->group[k]], c->trial->switches);
    flx_point p = flx_state_point(s, c->trial);
    FLX_TRY(s->ops->constraint_bias(s, it->work, &p, c->bias));
    p = flx_state_point(s, x);
    FLX_TRY(flx_contacts_limits(it, &p, c->limit));
    c->pace = 0.0;
    for (int k = 0; k < T->ngroup; k++) {
        const flx_contact_group *g = &c->groups[T->group[k]];
        for (int r = T->first[k]; r < (k + 1 < T->ngroup ? T->first[k + 1] : T->m); r++) {
            int t = r - T->first[k] - (g->normal >= 0);
            T->b[r] = t < 0 ? -c->bias[g->normal] : c->bias[s->dims.nlam + g->tangent[t]];
        }
    }
    flx_contacts_level_rows(c, T->b);
    for (int k = 0; k < T->ngroup; k++) {
        const flx_contact_group *g = &c->groups[T->group[k]];
        for (int r = T->first[k]; r < (k + 1 < T->ngroup ? T->first[k + 1] : T->m); r++) {
            const double *J = T->J + (size_t)r * (size_t)s->dims.nv;
            c->size[r] = fabs(T->b[r]);
            for (int l = 0; l < s->dims.nv; l++) {
                T->b[r] += J[l] * c->trial->a[l];
                c->size[r] += fabs(J[l] * c->trial->a[l]);
            }
            if (g->normal < 0) // what it could do to a body that nothing else holds
                c->size[r] = fmax(c->size[r], c->reach[r] * c->limit[T->group[k]]);
            bool held = !(T->W[r * T->m + r] > 0.0);
            if (held && fabs(T->b[r]) <= NOTHING_LEFT * c->size[r]) T->b[r] = 0.0;
            c->pace = fmax(c->pace, sqrt(c->size[r] / c->scale[T->group[k]]));
        }
    }
    return FLX_OK;
}

// Group k of the touching ones as the solver sees it, from row `first` on. The direction in which it slides, if it does.
static flx_cone_group force_group(const flx_event_contacts *c, int k, int first, double slow)
{
    int i = c->touching.group[k];
    const flx_contact_group *g = &c->groups[i];
    const double *slip = c->slip + 2 * i;
    bool normal = g->normal >= 0;
    double speed = flx_contact_length(slip, g->ntangent),
           part = c->kinetic[i] ? g->friction / g->sticking : 1.0;
    flx_cone_group out = {
        .normal = normal ? first : -1,
        .ntangent = g->ntangent,
        .tangent = {first + normal, first + normal + 1},
        .friction = g->sticking * (g->sticking > 0.0 ? part : 1.0) / c->less,
        .limit = normal ? 0.0 : c->limit[i] * (g->sticking > 0.0 ? part : 1.0) / c->less};
    bool moves = speed > slow * c->scale[i], leaves = c->leaves[i] == FLX_LEAVES_STICK;
    if (g->ntangent == 0 || (!moves && !leaves)) return out;
    out.slides = 1;
    out.friction = g->friction;
    if (!normal && g->sticking > 0.0) out.limit = c->limit[i] * g->friction / g->sticking;
    for (int t = 0; t < g->ntangent; t++)
        out.slip[t] = moves ? slip[t] / speed : c->course[2 * i + t];
    return out;
}

// (CON-22) of the groups that neither leave nor have just lost their force. Forces p and accelerations u of all rows.
static flx_status solve_forces(flx_event_contacts *c, double slow, int *nslide)
{
    flx_touch_problem *T = &c->touching;
    flx_cone_report report;
    int m = 0, n = 0;
    *nslide = 0;
    for (int k = 0; k < T->ngroup; k++) {
        int i = T->group[k];
        if (c->rate[i] > slow * c->scale[i] || c->leaves[i] == FLX_LEAVES_GROUND || c->aside[i])
            continue;
        T->cone[n] = force_group(c, k, m, slow);
        *nslide += T->cone[n++].slides;
        for (int r = T->first[k]; r < (k + 1 < T->ngroup ? T->first[k + 1] : T->m); r++)
            c->kept.row[m++] = r;
    }
    for (int r = 0; r < m; r++) {
        c->kept.b[r] = T->b[c->kept.row[r]];
        for (int q = 0; q < m; q++)
            c->kept.W[r * m + q] = T->W[c->kept.row[r] * T->m + c->kept.row[q]];
    }
    flx_status status = FLX_OK;
    if (m > 0)
        status = flx_cone_solve(c->solver, m, c->kept.W, c->kept.b, n, T->cone, 0, c->kept.p,
                                c->kept.u, &report);
    if (status != FLX_OK) return status;
    memset(T->p, 0, (size_t)T->m * sizeof *T->p);
    for (int r = 0; r < m; r++) T->p[c->kept.row[r]] = c->kept.p[r];
    for (int r = 0; r < T->m; r++) {
        T->u[r] = T->b[r];
        c->before[r] = c->size[r]; // of the terms
        for (int q = 0; q < T->m; q++) {
            T->u[r] += T->W[r * T->m + q] * T->p[q];
            c->before[r] += fabs(T->W[r * T->m + q] * T->p[q]);
        }
    }
    return FLX_OK;
}

// Rounding of the accelerations of a group along its normal or its slip: of the terms now, and of those of forces so far,
// which may all have come to zero.
static double rounding(const flx_event_contacts *c, int k, bool tangent)
{
    const flx_touch_problem *T = &c->touching;
    const flx_contact_group *g = &c->groups[T->group[k]];
    double size = 0.0;
    int first = T->first[k] + (tangent && g->normal >= 0);
    for (int r = first; r < first + (tangent ? g->ntangent : 1); r++)
        size = fmax(size, fmax(c->before[r], T->W[r * T->m + r] * c->force[T->group[k]]));
    return NOTHING_LEFT * size;
}

// What was taken for granted and does not hold: a group that has lost its force goes into the other, one that has begun
// to slide comes back, one that stuck does not, and has less friction. Whether there was such a one.
static bool reconsider(flx_event_contacts *c, double slow)
{
    const flx_touch_problem *T = &c->touching;
    bool any = false;
    for (int k = 0; k < T->ngroup; k++) {
        int i = T->group[k], nt = c->groups[i].ntangent;
        const double *u = nt > 0 ? T->u + flx_touching_tangent(c, k, 0) : NULL;
        bool moves = flx_contact_length(c->slip + 2 * i, nt) > slow * c->scale[i], back = false,
             yields = false;
        double least = PUSHED_BACK / NOTHING_LEFT;
        if (c->leaves[i] == FLX_LEAVES_GROUND)
            back = T->u[T->first[k]] < -least * rounding(c, k, false);
        if (c->leaves[i] == FLX_LEAVES_STICK && nt > 0 && !moves)
            back = flx_contact_along(u, c->course + 2 * i, nt) < -least * rounding(c, k, true);
        if (c->leaves[i] != FLX_LEAVES_STICK && nt > 0 && !moves && !c->kinetic[i] &&
            c->groups[i].friction < c->groups[i].sticking && c->rate[i] <= slow * c->scale[i])
            yields = flx_contact_length(u, nt) > rounding(c, k, true);
        if (back) c->leaves[i] = FLX_LEAVES_NOTHING;
        if (yields) c->kinetic[i] = 1;
        any = any || back || yields;
    }
    return any;
}

static void set_course(flx_event_contacts *c, int i, const double *v)
{
    int n = c->groups[i].ntangent;
    double size = v ? flx_contact_length(v, n) : 0.0;
    for (int t = 0; t < 2; t++) c->course[2 * i + t] = t < n && size > 0.0 ? v[t] / size : 0.0;
}

static bool one_leaves_ground(const flx_event_contacts *c)
{
    for (int i = 0; i < c->n; i++) {
        if (c->leaves[i] == FLX_LEAVES_GROUND) return true;
    }
    return false;
}

// What leaves so slowly that it is back before that can be seen is watched from below.
static bool parts_slowly(const flx_event_contacts *c, int k)
{
    const flx_touch_problem *T = &c->touching;
    int i = T->group[k];
    double rate = c->rate[i], back = -T->u[T->first[k]];
    if (rate < FLX_REST * c->fastest * c->scale[i]) return true;
    return T->ngroup > 1 && rate * rate < 2.0 * back * c->touch[i];
}

// States that follow from forces and accelerations. Of places that neither press nor part one may have to press from now on in the
// stead of one that has left: it closes, if its row is independent.
static void conclude(flx_event_contacts *c, double slow)
{
    const flx_touch_problem *T = &c->touching;
    bool replaces = one_leaves_ground(c);
    for (int k = 0; k < T->ngroup; k++) {
        int i = T->group[k], n = T->first[k], nt = c->groups[i].ntangent;
        const flx_contact_group *g = &c->groups[i];
        const double *u = nt > 0 ? T->u + flx_touching_tangent(c, k, 0) : NULL;
        c->next[i] = FLX_CONTACT_OPEN;
        if (g->normal >= 0) {
            double least = rounding(c, k, false), w = T->W[n * T->m + n];
            if (w > 0.0) c->force[i] = fmax(c->force[i], c->before[n] / w);
            if (c->rate[i] > slow * c->scale[i] && parts_slowly(c, k))
                c->next[i] = FLX_CONTACT_LEANS;
            if (c->rate[i] > slow * c->scale[i] || c->leaves[i] == FLX_LEAVES_GROUND) continue;
            bool presses = T->p[n] * w > least, parts = !presses && T->u[n] > least;
            if (!presses && !parts) c->next[i] = FLX_CONTACT_LEANS;
            if (parts || (!presses && !replaces)) continue;
        }
        bool moves = flx_contact_length(c->slip + 2 * i, nt) > slow * c->scale[i];
        c->next[i] = FLX_CONTACT_SLIDES;
        if (nt == 0 || (g->normal >= 0 && !(g->sticking > 0.0))) {
            set_course(c, i, NULL);
        } else if (moves) {
            set_course(c, i, c->slip + 2 * i);
        } else if (c->leaves[i] != FLX_LEAVES_STICK) {
            bool slides = flx_contact_length(u, nt) > rounding(c, k, true);
            if (!slides) c->next[i] = FLX_CONTACT_STICKS;
            if (slides) set_course(c, i, u);
        }
    }
}

// Forces and states of the touching groups at x, with limits of friction alone as they are.
static flx_status decide_once(flx_integrator *it, double slow, int *nslide)
{
    flx_event_contacts *c = flx_method_of(it)->events->contacts;
    memset(c->kinetic, 0, (size_t)c->n);
    for (int round = 0; round <= 3 * c->n; round++) {
        flx_status status = solve_forces(c, slow, nslide);
        if (status == FLX_NO_CONVERGENCE && round <= c->n) { // perhaps as they were
            bool any = false;
            for (int i = 0; i < c->n; i++) {
                if (c->leaves[i] == FLX_LEAVES_NOTHING || c->leaves[i] == FLX_LEAVES_SLIDE)
                    continue;
                c->leaves[i] = FLX_LEAVES_NOTHING;
                any = true;
            }
            if (any) continue;
        }
        FLX_TRY(status);
        if (!reconsider(c, slow)) break;
    }
    conclude(c, slow);
    return FLX_OK;
}

static void write_states(const flx_event_contacts *c, double *switches)
{
    for (int k = 0; k < c->touching.ngroup; k++) {
        int i = c->touching.group[k];
        const flx_contact_group *g = &c->groups[i];
        switches[g->state] = c->next[i];
        for (int t = 0; t < g->ntangent; t++)
            switches[g->slip + t] = c->next[i] >= FLX_CONTACT_SLIDES ? c->course[2 * i + t] : 0.0;
    }
}

// Which group leans because its row depends on others, though it pressed; -1: none.
static int leans_anew(const flx_event_contacts *c)
{
    const flx_touch_problem *T = &c->touching;
    for (int k = 0; k < T->ngroup; k++) {
        int i = T->group[k];
        bool pressed = c->left[i] >= FLX_CONTACT_SLIDES;
        if (c->groups[i].normal >= 0 && pressed && c->next[i] == FLX_CONTACT_LEANS) return i;
    }
    return -1;
}

static bool one_slides(const flx_event_contacts *c)
{
    const flx_touch_problem *T = &c->touching;
    for (int k = 0; k < T->ngroup; k++) {
        int i = T->group[k];
        bool steady = flx_contact_length(c->course + 2 * i, c->groups[i].ntangent) > 0.0;
        if (c->next[i] == FLX_CONTACT_SLIDES && steady) return true;
    }
    return false;
}

// Without the groups that lean. Whether the others keep them from going inside, and no more of them lean.
static bool holds_without(flx_integrator *it, double slow, int *nslide)
{
    flx_event_contacts *c = flx_method_of(it)->events->contacts;
    const flx_touch_problem *T = &c->touching;
    if (decide_once(it, slow, nslide) != FLX_OK) return false;
    for (int k = 0; k < T->ngroup; k++) {
        bool aside = c->aside[T->group[k]];
        if (aside && T->u[T->first[k]] < -rounding(c, k, false)) return false;
    }
    memcpy(c->left, c->next, (size_t)c->n);
    flx_contacts_reduce(c);
    return leans_anew(c) < 0;
}

// Which groups lean of those whose rows depend on each other is one choice of many. Where slips have several directions friction
// depends on it, and so does what follows: it is found again without the one that leans.
static flx_status choose_leaning(flx_integrator *it, double slow, int *nslide)
{
    flx_event_contacts *c = flx_method_of(it)->events->contacts;
    const flx_touch_problem *T = &c->touching;
    memcpy(c->left, c->next, (size_t)c->n);
    flx_contacts_reduce(c);
    int first = leans_anew(c);
    if (first < 0 || !one_slides(c)) return FLX_OK;
    for (int k = -1; k < T->ngroup; k++) {
        int i = k < 0 ? first : T->group[k];
        if (c->groups[i].normal < 0 || c->rate[i] > slow * c->scale[i] || (k >= 0 && i == first))
            continue;
        c->aside[i] = 1;
        bool good = holds_without(it, slow, nslide);
        memset(c->aside, 0, (size_t)c->n);
        if (good) return FLX_OK;
    }
    FLX_TRY(decide_once(it, slow, nslide));
    flx_contacts_reduce(c);
    return FLX_OK;
}

// Friction alone has a limit by the forces that it leads to: found by repetition.
static flx_status decide(flx_integrator *it, const flx_state *x, double slow, int *nslide)
{
    flx_events *e = flx_method_of(it)->events;
    flx_event_contacts *c = e->contacts;
    double *last = c->e, change = 0.0;
    bool alone = false;
    for (int i = 0; i < c->n; i++) alone = alone || c->groups[i].normal < 0;
    flx_point p = flx_state_point(it->sys, x);
    FLX_TRY(flx_contacts_limits(it, &p, c->limit));
    for (int round = 0; round < MOST_LIMITS; round++) {
        FLX_TRY(decide_once(it, slow, nslide));
        FLX_TRY(choose_leaning(it, slow, nslide));
        if (!alone) return FLX_OK;
        memcpy(last, c->limit, (size_t)c->n * sizeof *last);
        flx_state_copy(c->trial, x);
        write_states(c, c->trial->switches);
        flx_status status = flx_accelerator_eval(e->acc, it->work, c->trial, &it->stats.residuals,
                                                 &it->stats.linearisations);
        if (status != FLX_OK) return status;
        p = flx_state_point(it->sys, c->trial);
        FLX_TRY(flx_contacts_limits(it, &p, c->limit));
        change = 0.0;
        for (int i = 0; i < c->n; i++) {
            if (c->groups[i].normal < 0)
                change = fmax(change, fabs(c->limit[i] - last[i]) - LIMIT_FOUND * c->limit[i]);
        }
        if (!(change > 0.0)) return FLX_OK;
    }
    return FLX_OK;
}

// Where one slip has come to its end, those of the same body that are as small as errors have, too, if all of them stick from now on.
static flx_status stop_together(flx_integrator *it, const flx_state *x, double slow, int *nslide)
{
    flx_event_contacts *c = flx_method_of(it)->events->contacts;
    double *kept = c->spare;
    memcpy(kept, c->slip, 2 * (size_t)c->n * sizeof *kept);
    bool any = flx_contacts_end_together(it, x);
    flx_status status = any ? decide(it, x, slow, nslide) : FLX_NO_CONVERGENCE;
    if (status < 0 || (status == FLX_OK && !one_slides(c))) return status;
    memcpy(c->slip, kept, 2 * (size_t)c->n * sizeof *kept);
    return FLX_NO_CONVERGENCE;
}

// ---- pools ----------------------------------------------------------------------------------

// Of a pool whose places no longer hold, however they share their forces, those begin to slide, and along those courses, that do so
// with a little less friction: at its limit it rests in equilibrium.
static flx_status begin_to_slide(flx_integrator *it, double slow)
{
    flx_event_contacts *c = flx_method_of(it)->events->contacts;
    int nslide;
    bool any = false;
    for (int i = 0; i < c->n; i++)
        any = any || (c->leaves[i] == FLX_LEAVES_STICK && c->pool[i] >= 0);
    if (!any) return FLX_OK;
    memcpy(c->left, c->leaves, (size_t)c->n);
    for (int i = 0; i < c->n; i++) {
        if (c->pool[i] >= 0) c->leaves[i] = FLX_LEAVES_NOTHING;
    }
    c->less = 1.0 + LESS;
    flx_status status = decide_once(it, slow, &nslide);
    c->less = 1.0;
    for (int i = 0; i < c->n; i++) {
        bool pooled = c->pool[i] >= 0, slides = c->next[i] == FLX_CONTACT_SLIDES;
        c->leaves[i] = pooled ? FLX_LEAVES_NOTHING : c->left[i];
        bool steady = flx_contact_length(c->course + 2 * i, c->groups[i].ntangent) > 0.0;
        if (status == FLX_OK && pooled && slides && steady) c->leaves[i] = FLX_LEAVES_STICK;
    }
    return status < 0 ? status : FLX_OK;
}

// ---- the event ------------------------------------------------------------------------------

// Whether a group slides on, by clearly less than a right angle to where it slid. At a right angle, and where its slip has come to
// its end, that would be at its end again.
static bool turns_little(const flx_event_contacts *c, int i, const double *course, double state)
{
    int n = c->groups[i].ntangent;
    const double *next = c->course + 2 * i;
    double before = flx_contact_length(course, n), after = flx_contact_length(next, n);
    if (c->next[i] != FLX_CONTACT_SLIDES || state != FLX_CONTACT_SLIDES) return false;
    if (!(before > 0.0) || !(after > 0.0)) return before == after;
    if (c->leaves[i] == FLX_LEAVES_SLIDE && n == 2) return false;
    return flx_contact_along(course, next, n) > ACROSS * before * after;
}

// Whether groups are something else from now on; what they are is written.
static bool take_states(flx_integrator *it, flx_state *x)
{
    flx_events *e = flx_method_of(it)->events;
    flx_event_contacts *c = e->contacts;
    bool changed = false;
    for (int k = 0; k < c->touching.ngroup; k++) {
        int i = c->touching.group[k];
        const flx_contact_group *g = &c->groups[i];
        double *course = x->switches + g->slip, *state = x->switches + g->state;
        if (turns_little(c, i, course, *state)) continue; // which the system follows
        bool other = c->next[i] != (int)*state || c->next[i] == FLX_CONTACT_SLIDES;
        for (int t = 0; t < g->ntangent && c->next[i] == FLX_CONTACT_STICKS; t++)
            other = other || course[t] != c->course[2 * i + t];
        bool rows = other && (c->next[i] >= FLX_CONTACT_SLIDES || *state >= FLX_CONTACT_SLIDES);
        *state = c->next[i];
        for (int t = 0; t < g->ntangent; t++)
            course[t] = c->next[i] >= FLX_CONTACT_SLIDES ? c->course[2 * i + t] : 0.0;
        if (!rows) continue;
        changed = true;
        if (!e->what.item) {
            e->what.item = g->item;
            e->what.loc = g->loc;
        }
    }
    return changed;
}

// Friction alone whose surfaces have parted is none.
static bool release(flx_event_contacts *c, flx_state *x)
{
    bool any = false;
    for (int i = 0; i < c->n; i++) {
        const flx_contact_group *g = &c->groups[i];
        bool apart = g->normal < 0 && !(c->gap[i] < HUGE_VAL);
        if (!apart || x->switches[g->state] == FLX_CONTACT_OPEN) continue;
        x->switches[g->state] = FLX_CONTACT_OPEN;
        for (int t = 0; t < g->ntangent; t++) x->switches[g->slip + t] = 0.0;
        any = true;
    }
    return any;
}

static flx_status unsolved(flx_integrator *it, const flx_state *x)
{
    const flx_event_contacts *c = flx_method_of(it)->events->contacts;
    const flx_contact_group *g = &c->groups[c->touching.group[0]];
    return FLX_FAIL(it->ctx, FLX_NO_CONVERGENCE, g->loc,
                    "no forces were found for the contacts that touch at t = %.9g, '%s' among them",
                    x->t, g->item ? g->item : "?");
}

flx_status flx_contacts_happen(flx_integrator *it, flx_state *x, const signed char *marked)
{
    flx_events *e = flx_method_of(it)->events;
    flx_event_contacts *c = e->contacts;
    FLX_TRY(flx_contacts_look(it, x));
    if (release(c, x)) e->what.changed = 1;
    choose_touching(c, x, marked);
    if (c->touching.ngroup == 0) return FLX_OK;
    FLX_TRY(find_leaving(it, x, marked));
    FLX_TRY(flx_contacts_couple(it, x));
    flx_contacts_take_along(c, x);
    FLX_TRY(find_free(it, x));
    for (int jam = 0; jam <= MOST_JAMS; jam++) {
        bool moved;
        int nslide = 0;
        FLX_TRY(flx_contacts_collide(it, x, &moved));
        if (moved) memset(c->leaves, FLX_LEAVES_NOTHING, (size_t)c->n);
        FLX_TRY(flx_contacts_look(it, x));
        flx_contacts_stop_slips(c, x);
        if (!moved) FLX_TRY(rest_rates(it, x));
        if (moved || jam > 0) FLX_TRY(find_free(it, x));
        double slow = flx_contacts_slow(it, x);
        if (!moved && jam == 0) FLX_TRY(begin_to_slide(it, slow));
        flx_status status = moved ? FLX_NO_CONVERGENCE : stop_together(it, x, slow, &nslide);
        if (status == FLX_NO_CONVERGENCE) status = decide(it, x, slow, &nslide);
        if (status == FLX_OK && flx_contacts_go_across(c, slow))
            status = decide(it, x, slow, &nslide);
        if (status == FLX_OK) {
            if (take_states(it, x)) e->what.changed = 1;
            if (!moved) FLX_TRY(flx_contacts_end_slips(it, x, slow));
            if (e->what.changed) flx_contacts_close_gaps(it, x);
            return FLX_OK;
        }
        if (status != FLX_NO_CONVERGENCE || nslide == 0)
            return status < 0 ? status : unsolved(it, x);
        FLX_TRY(flx_contacts_jam(it, x));
    }
    return unsolved(it, x);
}
