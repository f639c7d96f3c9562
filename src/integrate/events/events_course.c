// events_course.c - directions of sliding in two dimensions, before a step.
//
// Where a slip comes to its end its direction turns ever faster towards that of the other forces (docs/theory/contact.md,
// Events), and no step resolves it. So the direction of the last bit is held, and the slip is zero where it is zero along
// that: what is left across is taken by the friction that sticks.
#include "integrate/events/events_contact.h"
#include "integrate/tolerance.h"

#include <math.h>
#include <string.h>

// A slip ends in a step at whose end less than this part of it is to be expected.
#define ENDS 0.3
// Below this part of the fastest motion of a contact a slip that goes back has the direction in which it began,
#define NO_SLIP 1e-6
// ... and below this one any: what an impact leaves of it is rounding.
#define ROUNDING 1e-12
// Slips are looked at after this part of a step, and taken to go on alike: where a body has turned in the whole of it, positions and
// velocities of its beginning say nothing of a slip, and one that began was held in its direction.
#define AHEAD 1e-3
// A part of a step that is given is this part of it at least.
#define SMALLEST_PART 1e-9

static bool has_direction(const flx_contact_group *g, const double *switches)
{
    return g->ntangent == 2 && flx_contact_state_of(g, switches) == FLX_CONTACT_SLIDES &&
           flx_contact_length(switches + g->slip, 2) > 0.0;
}

// Corners of one body end together or not at all: they have their own ways (events_decide.c).
static bool is_alone(const flx_event_contacts *c, int i, const double *switches)
{
    const flx_contact_group *g = &c->groups[i];
    for (int k = 0; k < c->n; k++) {
        const flx_contact_group *other = &c->groups[k];
        bool beside = other->item == g->item || (g->pair != 0 && other->pair == g->pair);
        if (k != i && beside && flx_contact_is_closed(other, switches)) return false;
    }
    return true;
}

// Slips after h, by the accelerations of x, into c->slip; those of x into c->course.
static flx_status predict(flx_integrator *it, const flx_state *x, double h)
{
    const flx_system *s = it->sys;
    flx_method *m = flx_method_of(it);
    flx_event_contacts *c = m->events->contacts;
    flx_state *to = c->trial;
    double dt = AHEAD * h;
    FLX_TRY(flx_contacts_look(it, x));
    memcpy(c->course, c->slip, 2 * (size_t)c->n * sizeof *c->slip);
    flx_state_copy(to, x);
    to->t += dt;
    for (int i = 0; i < s->dims.nv; i++) {
        m->theta[i] = dt * x->v[i];
        to->v[i] += dt * x->a[i];
    }
    s->ops->retract(s, x->q, m->theta, to->q);
    FLX_TRY(flx_contacts_look(it, to));
    for (int i = 0; i < 2 * c->n; i++) {
        c->slip[i] = c->course[i] + (c->slip[i] - c->course[i]) / AHEAD;
    }
    return FLX_OK;
}

flx_status flx_contacts_steer(flx_integrator *it, flx_state *x, double h)
{
    flx_method *m = flx_method_of(it);
    flx_event_contacts *c = m->events->contacts;
    bool any = false, fixed = it->def.step > 0.0;
    double rtol = it->def.rtol > 0.0 ? it->def.rtol : FLX_DEFAULT_RTOL;
    // where it is wrong in direction, positions are off by size^2 over the deceleration
    const double quick = sqrt(rtol) * c->quickest,
                 fast = fmax(c->pace, fmax(c->fastest, c->quickest));
    for (int i = 0; i < c->n; i++) any = any || has_direction(&c->groups[i], x->switches);
    if (!any) return FLX_OK;
    FLX_TRY(predict(it, x, fixed ? fmin(h, it->def.step) : h));
    for (int i = 0; i < c->n; i++) {
        const flx_contact_group *g = &c->groups[i];
        double *kept = x->switches + g->slip, *u = c->course + 2 * i, size = hypot(u[0], u[1]);
        if (!has_direction(g, x->switches) || !is_alone(c, i, x->switches)) continue;
        double length = hypot(kept[0], kept[1]);
        double part = flx_contact_along(u, kept, 2) > 0.0 ? ROUNDING : NO_SLIP;
        bool along = size > part * fast * c->scale[i];
        bool ends = along && (fixed || size <= quick * c->scale[i]) &&
                    flx_contact_along(c->slip + 2 * i, u, 2) < ENDS * size * size;
        for (int t = 0; t < 2; t++)
            kept[t] = (ends ? FLX_COURSE_HELD : 1.0) * (along ? u[t] / size : kept[t] / length);
    }
    if (m->stepped && x->t == m->after->t) // the method goes on
        memcpy(m->after->switches, x->switches, (size_t)it->sys->dims.nswitch * sizeof(double));
    return FLX_OK;
}

// Whether a direction of sliding may turn faster than a step follows.
static bool turns(const flx_event_contacts *c, const double *switches)
{
    bool any = false;
    for (int i = 0; i < c->n; i++) any = any || has_direction(&c->groups[i], switches);
    return any;
}

flx_status flx_contacts_step(flx_integrator *it, flx_state *x, double h, double *taken)
{
    flx_event_contacts *c = flx_method_of(it)->events->contacts;
    const double whole = it->def.step;
    if (!(whole > 0.0) || !turns(c, x->switches)) return flx_integrator_step(it, x, h, taken);
    int told = flx_ctx_error_count(it->ctx);
    if (c->part > 0.0) h = fmin(h, c->part);
    flx_status status = flx_integrator_step(it, x, h, taken);
    while (status > FLX_OK && h > SMALLEST_PART * whole) {
        flx_ctx_forget_errors(it->ctx, told);
        it->stats.rejected++;
        c->part = h *= 0.5;
        FLX_TRY(flx_contacts_steer(it, x, h));
        status = flx_integrator_step(it, x, h, taken);
    }
    if (h == c->part) c->part = 2.0 * h < whole ? 2.0 * h : 0.0;
    return status;
}
