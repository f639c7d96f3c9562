// events_contact.c - one-sided constraints with friction: their life at events, and indicators
// (docs/theory/contact.md, Events).
//
// A group has two indicators, of its state s in the switches:
//     gap (open), lambda (closed);   limit - |mu| (sticks), slip . direction (slides)           (CON-20)
// Where one changes, events_decide.c says what follows.
#include "integrate/events/events_contact.h"

#include <math.h>
#include <string.h>

#define FAR 1e300
// Gaps below this part of the scale of their row are none.
#define TOUCH 1e-9
// ... and below this part they are rounding.
#define NO_GAP 1e-13
// Forces of the equations may be off those of (CON-22), where friction of joints reads them, by this part.
#define CONTRADICTS 1e-7
// A pool begins to slide where so much of its forces is missing: exactly at its limit its places would not know where to.
#define LATE 1e-7
// Friction of surfaces that are about to part, or have just met, may be more than it can by this part of the forces so far:
// rounding.
#define NO_FRICTION 1e-9
// The force of a place beside one that leans may be none: below this part of the forces so far it is rounding.
#define NO_FORCE 1e-10
// A slip that ends: what is left of another one across it, or of places at different depths, may go back by this part of the
// quickest slip so far.
#define NO_SLIP 1e-9
// Of the scale of a gap: an overlap of surfaces that are said to be apart that is no rounding, nor the error of a step.
#define OVERLAPS 1e-5

// ---- life -----------------------------------------------------------------------------------

int flx_events_contact_count(const flx_system *s)
{
    return s->ops->contacts ? s->ops->contacts->count(s) : 0;
}

void flx_events_destroy_contacts(flx_event_contacts **contacts)
{
    flx_event_contacts *c = *contacts;
    if (!c) return;
    double *const numbers[] = {
        c->gap,        c->rate,       c->slip,       c->limit,      c->touch,      c->scale,
        c->before,     c->e,          c->force,      c->course,     c->bias,       c->eta,
        c->size,       c->touching.J, c->touching.Z, c->touching.W, c->touching.b, c->touching.p,
        c->touching.u, c->kept.W,     c->kept.b,     c->kept.p,     c->kept.u,     c->scratch,
        c->resting,    c->across,     c->spare,      c->reach,      c->like.of};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) flx_free(numbers[i]);
    flx_free(c->groups);
    flx_free(c->touching.group);
    flx_free(c->touching.first);
    flx_free(c->touching.cone);
    flx_free(c->kept.row);
    flx_free(c->like.row);
    flx_free(c->lends);
    flx_free(c->share);
    flx_free(c->pool);
    flx_free(c->leaves);
    flx_free(c->left);
    flx_free(c->aside);
    flx_free(c->next);
    flx_free(c->kinetic);
    flx_state_destroy(&c->trial);
    flx_cone_destroy(&c->solver);
    flx_free(c);
    *contacts = NULL;
}

static flx_status make(const flx_system *s, flx_event_contacts *c)
{
    size_t n = (size_t)c->n, m = 0, nv = (size_t)s->dims.nv;
    size_t nrow = (size_t)s->dims.nlam + (size_t)s->dims.nmu;
    c->groups = flx_alloc(s->ctx, n, sizeof *c->groups);
    if (!c->groups) return FLX_ERR_MEMORY;
    for (int i = 0; i < c->n; i++) {
        c->ops->group(s, i, &c->groups[i]);
        m += (size_t)(c->groups[i].normal >= 0) + (size_t)c->groups[i].ntangent;
    }
    const struct {
        double **at;
        size_t n;
    } want[] = {{&c->gap, n},
                {&c->rate, n},
                {&c->slip, 2 * n},
                {&c->limit, n},
                {&c->touch, n},
                {&c->scale, n},
                {&c->before, m},
                {&c->e, n},
                {&c->force, n},
                {&c->course, 2 * n},
                {&c->bias, nrow},
                {&c->eta, nrow},
                {&c->size, m},
                {&c->reach, m},
                {&c->touching.J, m * nv},
                {&c->touching.Z, m * nv},
                {&c->touching.W, m * m},
                {&c->touching.b, m},
                {&c->touching.p, m},
                {&c->touching.u, m},
                {&c->kept.W, m * m},
                {&c->kept.b, m},
                {&c->kept.p, m},
                {&c->kept.u, m},
                {&c->scratch, m * m + m},
                {&c->resting, n},
                {&c->across, 2 * n},
                {&c->spare, 2 * n},
                {&c->like.of, m * m}};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        *want[i].at = flx_alloc(s->ctx, want[i].n, sizeof(double));
        if (!*want[i].at) return FLX_ERR_MEMORY;
    }
    c->touching.group = flx_alloc(s->ctx, n, sizeof(int));
    c->touching.first = flx_alloc(s->ctx, n, sizeof(int));
    c->touching.cone = flx_alloc(s->ctx, n, sizeof *c->touching.cone);
    c->kept.row = flx_alloc(s->ctx, m, sizeof(int));
    c->like.row = flx_alloc(s->ctx, m, sizeof(int));
    c->lends = flx_alloc(s->ctx, n, sizeof(int));
    c->share = flx_alloc(s->ctx, n, sizeof(double));
    c->pool = flx_alloc(s->ctx, n, sizeof(int));
    c->less = 1.0;
    if (!c->lends || !c->share || !c->pool) return FLX_ERR_MEMORY;
    for (int i = 0; i < c->n; i++) c->lends[i] = c->pool[i] = -1;
    c->leaves = flx_alloc(s->ctx, n, 1);
    c->left = flx_alloc(s->ctx, n, 1);
    c->aside = flx_alloc(s->ctx, n, 1);
    c->next = flx_alloc(s->ctx, n, 1);
    c->kinetic = flx_alloc(s->ctx, n, 1);
    c->solver = flx_cone_create(s->ctx);
    if (!c->touching.group || !c->touching.first || !c->touching.cone || !c->kept.row ||
        !c->like.row || !c->leaves || !c->left || !c->aside || !c->next || !c->kinetic ||
        !c->solver) {
        return FLX_ERR_MEMORY;
    }
    for (int i = 0; i < c->n; i++) {
        flx_unknown u = {.scale = 1.0};
        const flx_contact_group *g = &c->groups[i];
        int row = g->normal >= 0 ? g->normal : s->dims.nlam + g->tangent[0];
        s->ops->unknown(s, flx_dims_first_constraint(&s->dims) + row, &u);
        c->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
        c->touch[i] = TOUCH * c->scale[i];
    }
    FLX_TRY(flx_cone_reserve(c->solver, (int)m + 1, c->n)); // flx_cone_margin has one more
    return flx_state_create(s, &c->trial);
}

flx_status flx_events_make_contacts(flx_integrator *it, flx_event_contacts **contacts)
{
    const flx_system *s = it->sys;
    *contacts = NULL;
    int n = flx_events_contact_count(s);
    if (n == 0) return FLX_OK;
    flx_event_contacts *c = flx_alloc(s->ctx, 1, sizeof *c);
    if (!c) return FLX_ERR_MEMORY;
    c->ops = s->ops->contacts;
    c->n = n;
    flx_status status = make(s, c);
    if (status != FLX_OK) flx_events_destroy_contacts(&c);
    *contacts = c;
    return status;
}

void flx_contacts_memory(flx_event_contacts *c, flx_memory *m)
{
    FLX_PASS(m, c->fastest);
    FLX_PASS(m, c->quickest);
    FLX_PASS(m, c->pace);
    FLX_PASS(m, c->part);
    FLX_PASS(m, c->told_gain);
    flx_memory_numbers(m, c->force, (size_t)c->n);
    flx_memory_pass(m, c->lends, (size_t)c->n * sizeof *c->lends);
    flx_memory_numbers(m, c->share, (size_t)c->n);
    flx_memory_pass(m, c->pool, (size_t)c->n * sizeof *c->pool);
}

const char *flx_contacts_name(const flx_event_contacts *c, int indicator, flx_loc *loc)
{
    *loc = c->groups[indicator / 2].loc;
    return c->groups[indicator / 2].item;
}

// ---- indicators -----------------------------------------------------------------------------

bool flx_contacts_read_forces(const flx_event_contacts *c, const double *switches)
{
    for (int i = 0; i < c->n; i++) {
        if (flx_contact_is_closed(&c->groups[i], switches)) return true;
    }
    return false;
}

flx_status flx_contacts_limits(flx_integrator *it, const flx_point *p, double *limit)
{
    flx_event_contacts *c = flx_method_of(it)->events->contacts;
    for (int i = 0; i < c->n; i++) limit[i] = HUGE_VAL;
    if (c->ops->limits) FLX_TRY(c->ops->limits(it->sys, it->work, p, limit));
    for (int i = 0; i < c->n; i++) {
        const flx_contact_group *g = &c->groups[i];
        if (g->normal >= 0) limit[i] = g->sticking * fmax(0.0, p->lam[g->normal]);
    }
    return FLX_OK;
}

// The most friction of group i while it sticks, with what others lend it.
static double most_friction(const flx_event_contacts *c, const flx_state *x, int i)
{
    double most = c->limit[i];
    for (int k = 0; k < c->n; k++) {
        if (c->lends[k] == i && flx_contact_leans_aside(&c->groups[k], x->switches))
            most += c->share[k] * c->limit[k];
    }
    return most;
}

// How far groups that stick are from their limits, as forces, and sizes of these: of a pool all of it together.
static flx_status find_left(flx_integrator *it, const flx_state *x, double *left, double *size)
{
    flx_event_contacts *c = flx_method_of(it)->events->contacts;
    double margin, forces, mu[2];
    flx_point p = flx_state_point(it->sys, x);
    FLX_TRY(flx_contacts_limits(it, &p, c->limit));
    FLX_TRY(flx_contacts_margin(it, x, &margin, &forces));
    for (int i = 0; i < c->n; i++) {
        const flx_contact_group *g = &c->groups[i];
        bool sticks = flx_contact_state_of(g, x->switches) == FLX_CONTACT_STICKS;
        left[i] = HUGE_VAL;
        size[i] = 0.0;
        if (!sticks || g->ntangent == 0) continue;
        flx_contact_multipliers(g, x->mu, mu);
        double friction = flx_contact_length(mu, g->ntangent), most = most_friction(c, x, i);
        double rounding = flx_contact_is_soft(g) ? NO_FRICTION * c->force[i] : 0.0;
        left[i] = c->pool[i] >= 0 ? margin + LATE * forces : most - friction + rounding;
        size[i] = c->pool[i] >= 0 ? forces : most + friction;
    }
    return FLX_OK;
}

double flx_contacts_noise(const flx_event_contacts *c, const flx_state *x, int indicator)
{
    const flx_contact_group *g = &c->groups[indicator / 2];
    bool gap = indicator % 2 == 0 && g->normal >= 0 &&
               flx_contact_state_of(g, x->switches) == FLX_CONTACT_OPEN;
    return gap ? NO_GAP * c->scale[indicator / 2] : 0.0;
}

// Whether another place of the same pair leans: forces are shared then, and one that holds may have none.
static bool is_beside_leaning(const flx_event_contacts *c, const double *switches, int i)
{
    const flx_contact_group *g = &c->groups[i];
    for (int k = 0; k < c->n; k++) {
        const flx_contact_group *o = &c->groups[k];
        bool beside = o->item == g->item || (g->pair != 0 && o->pair == g->pair);
        if (k != i && beside && flx_contact_state_of(o, switches) == FLX_CONTACT_LEANS) return true;
    }
    return false;
}

flx_status flx_contacts_indicate(flx_integrator *it, const flx_state *x, double *value)
{
    flx_event_contacts *c = flx_method_of(it)->events->contacts;
    FLX_TRY(flx_contacts_look(it, x));
    FLX_TRY(find_left(it, x, c->spare, c->spare + c->n));
    for (int i = 0; i < c->n; i++) {
        const flx_contact_group *g = &c->groups[i];
        int state = flx_contact_state_of(g, x->switches);
        double *v = value + 2 * i;
        v[0] = v[1] = HUGE_VAL;
        // features of surfaces that are not there are far away
        if (g->normal >= 0 && state == FLX_CONTACT_OPEN && c->gap[i] < FAR) v[0] = c->gap[i];
        if (g->normal >= 0 && state == FLX_CONTACT_LEANS) v[0] = c->gap[i] + c->touch[i];
        if (g->normal >= 0 && state >= FLX_CONTACT_SLIDES) {
            v[0] = x->lam[g->normal];
            if (is_beside_leaning(c, x->switches, i)) v[0] += NO_FORCE * c->force[i];
        }
        if (state == FLX_CONTACT_STICKS && g->ntangent > 0) v[1] = c->spare[i];
        const double *course = x->switches + g->slip;
        double length = flx_contact_length(course, g->ntangent);
        if (state == FLX_CONTACT_SLIDES && length > 0.0) {
            v[1] = flx_contact_along(c->slip + 2 * i, course, g->ntangent) / length;

            if (flx_contact_is_soft(g) || g->ntangent == 2)
                v[1] += NO_SLIP * c->quickest * c->scale[i];
            c->quickest = fmax(c->quickest, fabs(v[1]) / c->scale[i]);
        }
    }
    return FLX_OK;
}

flx_status flx_contacts_look(flx_integrator *it, const flx_state *x)
{
    flx_event_contacts *c = flx_method_of(it)->events->contacts;
    flx_point p = flx_state_point(it->sys, x);
    return c->ops->gaps(it->sys, it->work, &p, c->gap, c->rate, c->slip);
}

// ---- around it ------------------------------------------------------------------------------

flx_status flx_contacts_begin(flx_integrator *it, const flx_state *x, bool *decide_now)
{
    flx_event_contacts *c = flx_method_of(it)->events->contacts;
    *decide_now = false;
    FLX_TRY(flx_contacts_look(it, x));
    for (int i = 0; i < c->n; i++) {
        const flx_contact_group *g = &c->groups[i];
        if (flx_contact_is_closed(g, x->switches)) continue;
        if (g->normal >= 0 && c->gap[i] < -c->touch[i]) {
            return FLX_FAIL(
                it->ctx, FLX_INCONSISTENT, g->loc,
                "'%s': the bodies are inside each other at the start, t = %.9g: the gap "
                "is %.6g; move them apart by that",
                g->item ? g->item : "?", x->t, c->gap[i]);
        }
        bool leans = flx_contact_state_of(g, x->switches) == FLX_CONTACT_LEANS;
        if (!leans && (g->normal < 0 || c->gap[i] <= c->touch[i])) *decide_now = true;
    }
    return FLX_OK;
}

// The largest friction that surfaces with a compliant law could have so far.
static flx_status note_forces(flx_integrator *it, const flx_state *x)
{
    flx_event_contacts *c = flx_method_of(it)->events->contacts;
    bool any = false;
    for (int i = 0; i < c->n; i++) {
        const flx_contact_group *g = &c->groups[i];
        any = any || (flx_contact_is_soft(g) && flx_contact_is_closed(g, x->switches));
    }
    if (!any) return FLX_OK;
    flx_point p = flx_state_point(it->sys, x);
    FLX_TRY(flx_contacts_limits(it, &p, c->limit));
    for (int i = 0; i < c->n; i++) {
        if (flx_contact_is_soft(&c->groups[i])) c->force[i] = fmax(c->force[i], c->limit[i]);
    }
    return FLX_OK;
}

flx_status flx_contacts_part(flx_integrator *it, flx_state *x)
{
    flx_method *m = flx_method_of(it);
    flx_event_contacts *c = m->events->contacts;
    FLX_TRY(note_forces(it, x));
    FLX_TRY(flx_contacts_look(it, x));
    for (int i = 0; i < c->n; i++) {
        int s = c->groups[i].state;
        const flx_contact_group *g = &c->groups[i];
        if (g->normal >= 0 && !flx_contact_is_closed(g, x->switches) &&
            c->gap[i] < -fmax(OVERLAPS, 10.0 * it->def.rtol) * c->scale[i]) {
            return FLX_FAIL(it->ctx, FLX_INCONSISTENT, g->loc,
                            "'%s' is open at t = %.9g, but the bodies are inside each other by "
                            "%.3g: they met unseen. Take smaller steps (max_step), smaller "
                            "tolerances, or another method",
                            g->item ? g->item : "?", x->t, -c->gap[i]);
        }
        if (x->switches[s] != FLX_CONTACT_LEANS || !(c->gap[i] > 2.0 * c->touch[i])) continue;
        x->switches[s] = FLX_CONTACT_OPEN;
        if (m->stepped && x->t == m->after->t) m->after->switches[s] = FLX_CONTACT_OPEN;
    }
    return FLX_OK;
}

bool flx_contacts_wrong(flx_integrator *it, const flx_state *x, signed char *marked)
{
    flx_event_contacts *c = flx_method_of(it)->events->contacts;
    bool any = false;
    double *left = c->spare, *size = c->spare + c->n;
    memset(marked, 0, 2 * (size_t)c->n);
    if (find_left(it, x, left, size) != FLX_OK) return false;
    for (int i = 0; i < c->n; i++) {
        const flx_contact_group *g = &c->groups[i];
        int state = flx_contact_state_of(g, x->switches);
        if (state < FLX_CONTACT_SLIDES) continue;
        if (g->normal >= 0) marked[2 * i] = x->lam[g->normal] < -CONTRADICTS * c->force[i];
        marked[2 * i + 1] = -left[i] > CONTRADICTS * size[i];
        any = any || marked[2 * i] || marked[2 * i + 1];
    }
    return any;
}
