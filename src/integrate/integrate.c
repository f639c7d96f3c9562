// integrate.c - from here to there, with output on schedule, and instants where they happen.
#include "base/refuse.h"
#include "integrate/events/events.h"
#include "integrate/method.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Times closer than this part of a step are one time.
#define SAME 1e-9
// After so many steps the pace is looked at: a run that would take that many is remarked on.
#define LOOK_AT_STEP 20000
#define MANY_STEPS 1e7
// So many steps in a row that lead on by less than this part of the run end it; so do instants without
// a step between them.
#define STALLED 1e-9
// A piece of a motion that ends this part of a fixed step beside a multiple of it has the step longer or shorter instead.
#define CRUMB 1e-3
#define MOST_STANDING 1000
// A step of this part of the run shows rounding alone.
#define NO_STEP 1e-12

// The output times, merged: which one is next.
typedef struct agenda {
    const flx_schedule *schedule;
    flx_course *course; // of the method, which keeps it
} agenda;

static double every_time(const agenda *a)
{
    if (!(a->schedule->every > 0.0)) return HUGE_VAL;
    return a->course->start + (double)a->course->every * a->schedule->every;
}

static double listed_time(const agenda *a)
{
    return a->course->time < a->schedule->ntimes ? a->schedule->times[a->course->time] : HUGE_VAL;
}

static double next_output(const agenda *a)
{
    return fmin(every_time(a), listed_time(a));
}

// Leave every time up to t behind.
static void pass(agenda *a, double t)
{
    while (every_time(a) <= t) a->course->every++;
    while (listed_time(a) <= t) a->course->time++;
}

static flx_status check(const flx_integrator *it, const flx_state *x, const flx_schedule *s)
{
    if (!isfinite(s->until) || s->until < x->t) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the end t = %.9g lies before the start t = %.9g", s->until, x->t);
    }
    if (!isfinite(s->every) || s->every < 0.0) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the time between outputs must be positive");
    }
    if (s->ntimes > 0 && !s->times) return flx_refuse_null(it->ctx, "flx_integrate");
    for (int i = 0; i < s->ntimes; i++) {
        if (isfinite(s->times[i]) && (i == 0 || s->times[i] >= s->times[i - 1])) continue;
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "output times must ascend");
    }
    return FLX_OK;
}

// One run.
typedef struct course {
    flx_integrator *it;
    flx_state *x;
    agenda agenda;
    flx_output_callback output;
    void *user;
    double start, until;
    double span;    // of the motion, of which this may be a piece
    bool aligned;   // `until` is a multiple of a fixed step, or the end of the motion
    bool stopped;   // by an event
    bool moved;     // a step was made
    double seen;    // time reached when the pace was last looked at,
    long seen_step; // after so many steps
    int standing;   // rounds without a step
} course;

// An instant at x.
static flx_status happen(course *c)
{
    const flx_state *before;
    const flx_event_report *what;
    const flx_schedule *s = c->agenda.schedule;
    FLX_TRY(flx_events_happen(c->it, c->x, c->span, &before, &what));
    if (what->stop) c->stopped = true;
    if (!s->instant || (!what->changed && what->nevent == 0)) return FLX_OK;
    return s->instant(c->user, before, c->x, what) ? FLX_INTERRUPTED : FLX_OK;
}

// Times that differ by less are one: some operations on numbers of their size.
static double rounding(const course *c)
{
    return 16.0 * DBL_EPSILON * fmax(fabs(c->start), fmax(fabs(c->until), c->start + c->span));
}

// What is due at x itself.
static flx_status happen_due(course *c, double *next)
{
    *next = HUGE_VAL;
    if (!flx_method_of(c->it)->events) return FLX_OK;
    *next = flx_events_next(c->it, c->x);
    if (*next > c->x->t + rounding(c)) return FLX_OK;
    FLX_TRY(happen(c));
    *next = flx_events_next(c->it, c->x);
    if (*next <= c->x->t + rounding(c)) *next = c->x->t + 2.0 * rounding(c);
    return FLX_OK;
}

// Where the next step ends at the latest. Multiples of a fixed step, not sums of it; the last one
// is what is left. No crumbs are left before or behind the end of a piece that is no multiple.
static double goal_of(course *c, double next)
{
    double step = c->it->def.step, t = c->x->t, goal = c->until;
    if (step > 0.0) {
        long *grid = &c->agenda.course->grid;
        double crumb = (c->agenda.course->cut ? CRUMB : SAME) * step;
        while (c->start + (double)*grid * step <= t + crumb) (*grid)++;
        goal = c->start + (double)*grid * step;
        if (goal > c->until - (c->aligned ? SAME : CRUMB) * step) goal = c->until;
    }
    double near = fmax(rounding(c), SAME * step);
    return next < goal + near ? next : goal;
}

// Output times inside the step that ended at x.
static flx_status output_before(course *c, double h)
{
    agenda *a = &c->agenda;
    flx_state *out = flx_method_of(c->it)->output;
    for (double t = next_output(a); t < c->x->t - SAME * h; t = next_output(a)) {
        FLX_TRY(flx_integrator_interpolate(c->it, t, out));
        if (c->output(c->user, out)) return FLX_INTERRUPTED;
        pass(a, t);
    }
    return FLX_OK;
}

// Output at the end of the step, after what happened there.
static flx_status output_end(course *c, double h)
{
    agenda *a = &c->agenda;
    double t = c->x->t;
    bool due = a->schedule->steps || next_output(a) <= t + SAME * h;
    pass(a, t + SAME * h);
    bool last = c->stopped || !(t < c->until);
    return due && !last && c->output(c->user, c->x) ? FLX_INTERRUPTED : FLX_OK;
}

// A low order has its price at a small tolerance, which is better known before the end.
static void foresee(const course *c)
{
    flx_method *m = flx_method_of(c->it);
    const flx_integrator *it = c->it;
    if (m->warned_many || it->def.step > 0.0) return;
    m->warned_many = true;
    double all = (double)it->stats.steps * c->span / (c->x->t - c->start);
    if (!(all > MANY_STEPS)) return;
    if (it->type->order <= 2) {
        flx_ctx_warn(it->ctx, FLX_NOWHERE,
                     "%s: %ld steps made, t = %.6g reached: at this pace the run takes %.1g steps. "
                     "A method of order %d follows this tolerance with as many; take a larger one, "
                     "or radau or dopri5, which need a small part of them",
                     it->type->name, it->stats.steps, c->x->t, all, it->type->order);
        return;
    }
    flx_ctx_warn(it->ctx, FLX_NOWHERE,
                 "%s: %ld steps made, t = %.6g reached: at this pace the run takes %.1g steps",
                 it->type->name, it->stats.steps, c->x->t, all);
}

// Contacts that open, close and slip faster than they can be located are named, and what meets them instead.
static flx_status tell_standing(const course *c)
{
    const flx_integrator *it = c->it;
    const flx_contacts *contacts = it->sys->ops->contacts;
    const char *what = it->stats.governed_by;
    flx_loc loc = FLX_NOWHERE;
    bool touching = false;
    for (int i = 0; contacts && what && i < contacts->count(it->sys); i++) {
        flx_contact_group g;
        contacts->group(it->sys, i, &g);
        if (!g.item || strcmp(g.item, what) != 0) continue;
        touching = true;
        loc = g.loc;
    }
    return FLX_FAIL(it->ctx, FLX_STEP_TOO_SMALL, loc,
                    "%s: conditions and events follow each other at t = %.9g without end, and no "
                    "time passes%s%s%s%s",
                    it->type->name, c->x->t, what ? "; most of them are of '" : "",
                    what ? what : "", what ? "'" : "",
                    touching ? ", which touches, lets go and slips faster than it can be located: "
                               "'contacts: steps' with method moreau and a 'step' meets all of it "
                               "step by step"
                             : "");
}

// A run that does not get on ends with a message.
static flx_status watch_pace(course *c, double taken)
{
    const flx_integrator *it = c->it;
    c->standing = taken > 0.0 ? 0 : c->standing + 1;
    if (c->standing > MOST_STANDING) {
        return tell_standing(c);
    }
    if (it->stats.steps < c->seen_step + LOOK_AT_STEP || !(c->x->t > c->start)) return FLX_OK;
    double led = c->x->t - c->seen;
    c->seen = c->x->t;
    c->seen_step = it->stats.steps;
    foresee(c);
    if (led > STALLED * c->span || it->def.step > 0.0) return FLX_OK;
    return FLX_FAIL(it->ctx, FLX_STEP_TOO_SMALL, FLX_NOWHERE,
                    "%s: the last %d steps led on by %.3g s to t = %.9g: at this pace the run does "
                    "not end. Something moves or jumps much faster than the rest there; take a "
                    "larger tolerance, or radau if it is stiff",
                    it->type->name, LOOK_AT_STEP, led, c->x->t);
}

static flx_status advance(course *c)
{
    flx_integrator *it = c->it;
    flx_state *x = c->x;
    double next, taken;
    FLX_TRY(happen_due(c, &next));
    if (c->stopped) return FLX_OK;
    double goal = goal_of(c, next);
    bool here = false;
    const flx_method *m = flx_method_of(it);
    if (m->ahead) goal = m->ahead(m->ahead_user, x, goal);
    FLX_TRY(flx_events_steer(it, x, goal - x->t));
    FLX_TRY(flx_events_step(it, x, goal - x->t, &taken));
    if (goal == next && fabs(x->t - goal) <= SAME * taken) x->t = goal;
    if (fabs(x->t - c->until) <= SAME * taken) x->t = c->until;
    if (flx_method_of(it)->events) {
        FLX_TRY(flx_events_look(it, x, &taken, &here));
        if (!here) FLX_TRY(flx_events_check(it, x));
    }
    c->moved = c->moved || taken > 0.0;
    FLX_TRY(watch_pace(c, taken));
    if (taken > 0.0) FLX_TRY(output_before(c, taken));
    if (here) FLX_TRY(happen(c));
    // no step is left for contacts to show where they go
    if (here && it->sys->ops->contacts && c->until - x->t <= NO_STEP * c->span) x->t = c->until;
    FLX_TRY(happen_due(c, &next));
    return taken > 0.0 ? output_end(c, taken) : FLX_OK;
}

// The time asked for, or the multiple of a fixed step that it is to rounding.
static double align(const flx_schedule *s, double start, double step, bool *aligned)
{
    *aligned = true;
    if (!s->piece || !(step > 0.0) || s->until == s->horizon) return s->until;
    double multiple = start + nearbyint((s->until - start) / step) * step;
    *aligned = fabs(multiple - s->until) <= SAME * step;
    return *aligned ? multiple : s->until;
}

// What is due where a motion starts, or another method was.
static flx_status meet_start(course *c)
{
    double next;
    flx_status status = FLX_OK;
    FLX_TRY(happen_due(c, &next));
    // forces are known now
    if (flx_method_of(c->it)->events && flx_events_wrong(c->it, c->x) >= 0) FLX_TRY(happen(c));
    if (flx_events_begins(c->it, c->x, &status)) FLX_TRY(happen(c));
    return status;
}

flx_status flx_integrate_start(flx_integrator *it, flx_state *x, double span,
                               flx_instant_callback instant, void *user, bool *ended)
{
    const flx_schedule schedule = {.until = x->t + span, .instant = instant};
    course c = {.it = it,
                .x = x,
                .agenda = {.schedule = &schedule},
                .user = user,
                .start = x->t,
                .until = schedule.until,
                .span = span};
    FLX_TRY(meet_start(&c));
    *ended = c.stopped;
    return FLX_OK;
}

flx_status flx_integrate(flx_integrator *it, flx_state *x, const flx_schedule *schedule,
                         flx_output_callback output, void *user)
{
    if (!it || !x || !schedule) return flx_refuse_null(NULL, __func__);
    FLX_TRY(check(it, x, schedule));
    double from = x->t;
    flx_method *m = flx_method_of(it);
    bool met = m->course.met && !schedule->resume, ended = met && m->course.ended;
    if (!schedule->resume) m->course = (flx_course){.start = x->t};
    course c = {.it = it,
                .x = x,
                .agenda = {.schedule = schedule, .course = &m->course},
                .output = output,
                .user = user,
                .start = m->course.start,
                .stopped = ended,
                .seen = x->t,
                .seen_step = it->stats.steps};
    c.until = align(schedule, c.start, it->def.step, &c.aligned);
    // also where events cut it to pieces
    m->span = fmax(m->span, fmax(schedule->until, schedule->horizon) - c.start);
    c.span = schedule->piece ? m->span : c.until - c.start;
    if (!schedule->resume || m->course.joins) {
        m->course.joins = false;
        if (c.until > x->t && !met) FLX_TRY(meet_start(&c));
    }
    if (!schedule->resume) {
        pass(&c.agenda, c.start);
        if (output(user, x)) return FLX_INTERRUPTED;
    }
    while (x->t < c.until && !c.stopped && !(schedule->single && c.moved)) FLX_TRY(advance(&c));
    m->course.cut = !c.aligned && x->t == c.until;
    bool told = schedule->single && schedule->steps && x->t < c.until && !c.stopped;
    if (x->t > from && !told && output(user, x)) return FLX_INTERRUPTED;
    return FLX_OK;
}
