// start.c - a consistent start on position, velocity and acceleration level (docs/theory/start.md).
#include "analyse/start.h"
#include "base/no_number.h"
#include "base/refuse.h"
#include "flexion/analysis.h"
#include "integrate/relax.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Steps with the damping held, and with it falling.
// Steps from which velocities without inertia are found are no longer than this, in seconds.
#define LONGEST 1e-4
// ... and below this, in scales per unit of time of the motion, they are their rounding.
#define AT_REST 1e-9
#define CAREFUL_STEPS 15
#define BOLD_STEPS 15
// Damping relative to G W^-1 G^T: directions in which the constraints hold less than 1e-3 of their best
// are left alone, unless nothing else closes them.
#define DAMPING 1e-6
#define LAST_DAMPING 1e-13
// Closed to rounding: rows below this part of their scale. Closed at all: below the second.
#define CLOSED 1e-14
#define NEARLY_CLOSED 1e-10
// Moves below this part of the scale change the least no more; nor is it sought for longer.
#define SETTLED 1e-7
#define SETTLING_STEPS 8

// ---- messages -------------------------------------------------------------------------------

static flx_unknown describe(const flx_system *s, int i)
{
    flx_unknown u = {.item = "?", .part = "?"};
    if (i >= 0) s->ops->unknown(s, i, &u);
    if (!u.item) u.item = "?";
    if (!u.part) u.part = "?";
    return u;
}

static flx_status refuse_positions(const flx_projector *p, int row, int steps)
{
    const flx_system *s = p->sys;
    flx_unknown u = describe(s, row);
    return FLX_FAIL(s->ctx, FLX_INCONSISTENT, u.loc,
                    "'%s' cannot be closed: constraint '%s' is off by %.3g after %d corrections; "
                    "check positions, lengths and the joint's `at`",
                    u.item, u.part, p->row[row], steps);
}

static flx_status refuse_velocities(const flx_projector *p, int row)
{
    const flx_system *s = p->sys;
    flx_unknown u = describe(s, row);
    return FLX_FAIL(s->ctx, FLX_INCONSISTENT, u.loc,
                    "no velocity meets '%s': the rate of constraint '%s' is off by %.3g; it "
                    "contradicts other joints or motions",
                    u.item, u.part, p->row[row]);
}

static void find_move(const flx_projector *p, const double *move, double *size, int *item)
{
    *size = 0.0;
    *item = -1;
    for (int i = 0; i < p->sys->dims.nv; i++) {
        double e = fabs(move[i]) / p->scale[i];
        if (e > *size) {
            *size = e;
            *item = i;
        }
    }
}

// ---- positions ------------------------------------------------------------------------------

typedef struct progress {
    double gap, move;
    int worst, steps;
    bool settled; // the move is least; what is left is to close the rows
} progress;

// One step from x; x moves when the rows have come nearer, or are closed already. Otherwise the
// damping grows, as in every Levenberg-Marquardt method.
static flx_status move_positions(flx_projector *p, const flx_state *start, flx_state *x,
                                 double damping, progress *now)
{
    const flx_system *s = p->sys;
    double gap;
    for (int k = 0; k < 8; k++, damping = fmax(10.0 * damping, 1e-4)) {
        FLX_TRY(flx_projector_gap(p, x, FLX_ROWS_POSITION, &gap, &now->worst));
        s->ops->difference(s, start->q, x->q, p->theta);
        FLX_TRY(
            flx_projector_correct(p, FLX_ROWS_POSITION, damping, now->settled ? NULL : p->theta));
        int unused;
        find_move(p, p->d, &now->move, &unused);
        s->ops->retract(s, x->q, p->d, p->at->q);
        FLX_TRY(flx_projector_gap(p, p->at, FLX_ROWS_POSITION, &now->gap, &now->worst));
        if (now->gap < gap || now->gap <= NEARLY_CLOSED ||
            (!now->settled && now->gap < 2.0 * gap)) {
            memcpy(x->q, p->at->q, (size_t)s->dims.nq * sizeof *x->q);
            return FLX_OK;
        }
    }
    now->move = 0.0;
    return flx_projector_gap(p, x, FLX_ROWS_POSITION, &now->gap, &now->worst);
}

// Steps until the rows are closed and the move is least, or nothing comes nearer any more.
static flx_status close_positions(flx_projector *p, const flx_state *start, flx_state *x,
                                  double damping, double factor, int steps, progress *now)
{
    int stalls = 0;
    for (int k = 0; k < steps; k++, damping = fmax(factor * damping, LAST_DAMPING)) {
        double last = now->gap;
        FLX_TRY(move_positions(p, start, x, damping, now));
        now->steps++;
        if (!now->settled) { // the damping holds the rows open while the least move is sought
            now->settled = now->move <= SETTLED || k >= SETTLING_STEPS;
            continue;
        }
        stalls = now->gap < 0.9 * last ? 0 : stalls + 1;
        if (now->gap <= CLOSED || (now->gap <= NEARLY_CLOSED && stalls > 0) || stalls > 2) break;
    }
    return FLX_OK;
}

// Carefully first: rows that contradict each other a little then leave the position where it is.
// Boldly if they did not close, and back to the careful end if that was no good.
static flx_status find_positions(flx_projector *p, const flx_state *start, flx_state *x,
                                 progress *now)
{
    FLX_TRY(close_positions(p, start, x, DAMPING, 1.0, CAREFUL_STEPS, now));
    if (now->gap <= NEARLY_CLOSED) return FLX_OK;
    flx_state *careful = NULL;
    FLX_TRY(flx_state_create(p->sys, &careful));
    flx_state_copy(careful, x);
    flx_status status = close_positions(p, start, x, DAMPING, 0.1, BOLD_STEPS, now);
    if (status == FLX_OK && now->gap > NEARLY_CLOSED) {
        flx_state_copy(x, careful);
        status = flx_projector_gap(p, x, FLX_ROWS_POSITION, &now->gap, &now->worst);
    }
    flx_state_destroy(&careful);
    return status;
}

flx_status flx_start_positions_with(flx_projector *p, flx_state *x, flx_start_report *report)
{
    const flx_system *s = p->sys;
    flx_state *start = NULL;
    progress now = {0};
    FLX_TRY(flx_state_create(s, &start));
    flx_state_copy(start, x);
    flx_status status = flx_projector_gap(p, x, FLX_ROWS_POSITION, &now.gap, &now.worst);
    if (status != FLX_OK) goto done;
    if (now.gap > CLOSED) status = find_positions(p, start, x, &now);
    if (status != FLX_OK) goto done;
    if (report) {
        s->ops->difference(s, start->q, x->q, p->theta);
        find_move(p, p->theta, &report->moved_q, &report->item_q);
        report->residual_q = now.gap;
        report->iterations = now.steps;
    }
    if (now.gap > NEARLY_CLOSED) status = refuse_positions(p, now.worst, now.steps);

done:
    flx_state_destroy(&start);
    return status;
}

flx_status flx_start_positions(const flx_system *s, flx_state *x, const double *weight,
                               flx_start_report *report)
{
    if (!s || !x) return flx_refuse_null(NULL, __func__);
    flx_projector *p = NULL;
    flx_status status = flx_projector_create(s, weight, &p);
    if (status == FLX_OK) status = flx_start_positions_with(p, x, report);
    flx_projector_destroy(&p);
    return status;
}

// ---- velocities -----------------------------------------------------------------------------

// Rates are measured against the speeds there are.
static double speed_of(const flx_projector *p, const flx_state *x)
{
    double speed = 0.0;
    for (int i = 0; i < p->sys->dims.nv; i++) speed = fmax(speed, fabs(x->v[i]) / p->scale[i]);
    return fmax(speed, 1.0);
}

// What was at rest, and moves by rounding alone now, is at rest.
static void forget_rounding(const flx_projector *p, double unit, flx_state *x)
{
    const flx_dims *d = &p->sys->dims;
    for (int i = 0; i < d->nv; i++) {
        if (p->at->v[i] != 0.0 || unit * fabs(x->v[i]) > AT_REST * p->scale[i]) return;
    }
    memset(x->v, 0, (size_t)d->nv * sizeof *x->v);
}

static void tell_not_relaxed(const flx_system *s, int i)
{
    flx_unknown u = describe(s, i);
    flx_ctx_warn(s->ctx, u.loc,
                 "the start could not find the velocities of what has no mass, which follow from "
                 "its forces ('%s', %s): it begins with those that are given, or at rest, and the "
                 "first steps are those of finding them",
                 u.item, u.part);
}

// Velocities without inertia follow from the forces: they are there when the mass does not
// determine the accelerations.
static flx_status relax(flx_projector *p, flx_state *x, progress *now)
{
    flx_accelerator *acc = NULL;
    if (p->determined) return FLX_OK;
    FLX_TRY(flx_accelerator_create(p->sys, &acc));
    flx_accelerator_insist(acc);
    flx_state_copy(p->at, x);
    flx_status status = flx_accelerator_eval(acc, p->work, p->at, NULL, NULL);
    int worst = flx_accelerator_worst(acc);
    flx_accelerator_destroy(&acc);
    p->determined = status == FLX_OK;
    if (status <= 0) return status;
    flx_relaxer *e = NULL;
    FLX_TRY(flx_relaxer_create(p->sys, &e));
    flx_status measured = flx_relaxer_measure(e, p->work, x);
    if (measured < 0) status = measured;
    // velocities of what is where its forces are in balance are differences of positions: rounding asks for longer steps there
    for (double d = FLX_RELAX_STEP; status > 0 && d <= LONGEST; d *= 10.0) {
        status = measured == FLX_OK ? flx_relaxer_velocities(e, p->work, x, d) : measured;
    }
    if (status > 0) tell_not_relaxed(p->sys, worst);
    if (status >= 0) forget_rounding(p, flx_relaxer_unit(e), x);
    flx_relaxer_destroy(&e);
    if (status < 0) return status;
    // the limit is off by the square of the step
    return flx_least_velocities(p, NULL, x, &now->gap, &now->worst);
}

// First with deformable bodies as rigid ones, if asked for, then with all that can move.
static flx_status find_velocities(flx_projector *p, const flx_least_how *how, flx_state *x,
                                  progress *now)
{
    flx_least_how all = how ? *how : (flx_least_how){0};
    all.rides = NULL;
    if (how && how->rides) FLX_TRY(flx_least_velocities(p, how, x, &now->gap, &now->worst));
    return flx_least_velocities(p, &all, x, &now->gap, &now->worst);
}

flx_status flx_start_velocities(const flx_system *s, flx_state *x, const double *weight,
                                flx_start_report *report)
{
    if (!s || !x) return flx_refuse_null(NULL, __func__);
    return flx_start_velocities_by(s, x, weight, NULL, report);
}

flx_status flx_start_velocities_with(flx_projector *p, flx_state *x, const flx_least_how *how,
                                     flx_start_report *report)
{
    const flx_system *s = p->sys;
    flx_state *start = NULL;
    progress now = {0};
    FLX_TRY(flx_state_create(s, &start));
    flx_state_copy(start, x);
    flx_status status = find_velocities(p, how, x, &now);
    if (status == FLX_OK) status = relax(p, x, &now);
    if (status != FLX_OK) goto done;
    if (report) {
        for (int i = 0; i < s->dims.nv; i++) p->d[i] = x->v[i] - start->v[i];
        find_move(p, p->d, &report->moved_v, &report->item_v);
        report->residual_v = now.gap;
    }
    if (now.gap > NEARLY_CLOSED * speed_of(p, x)) status = refuse_velocities(p, now.worst);

done:
    flx_state_destroy(&start);
    return status;
}

flx_status flx_start_velocities_by(const flx_system *s, flx_state *x, const double *weight,
                                   const flx_least_how *how, flx_start_report *report)
{
    flx_projector *p = NULL;
    flx_status status = flx_projector_create(s, weight, &p);
    if (status == FLX_OK) status = flx_start_velocities_with(p, x, how, report);
    flx_projector_destroy(&p);
    return status;
}

// ---- accelerations --------------------------------------------------------------------------

static flx_status refuse_accelerations(const flx_system *s, flx_status status, int i)
{
    flx_unknown u = describe(s, i);
    if (status == FLX_SINGULAR) {
        return FLX_FAIL(s->ctx, status, u.loc,
                        "the acceleration of '%s' (%s) is not determined: it has no mass in a "
                        "direction that no constraint holds, and neither damping nor stiffness "
                        "there that would say how it moves",
                        u.item, u.part);
    }
    return FLX_FAIL(s->ctx, status, u.loc, "no consistent acceleration: %s, worst at '%s' (%s)%s",
                    flx_status_text(status), u.item, u.part, flx_no_number_text());
}

// By the mass where it determines them, else as limits.
flx_status flx_start_accelerations_with(const flx_system *s, flx_accelerator *acc, flx_work *work,
                                        flx_state *x)
{
    flx_no_number_forget();
    flx_status status = flx_accelerator_eval(acc, work, x, NULL, NULL);
    if (status <= 0) return status;
    flx_relaxer *relaxer = NULL;
    FLX_TRY(flx_relaxer_create(s, &relaxer));
    int worst = flx_accelerator_worst(acc);
    flx_status relaxed = flx_relaxer_measure(relaxer, work, x);
    if (relaxed == FLX_OK) relaxed = flx_relax_accelerations(relaxer, work, x, FLX_RELAX_RATE_STEP);
    if (relaxed == FLX_OK && !flx_relaxer_determines(relaxer, &worst)) relaxed = FLX_SINGULAR;
    flx_relaxer_destroy(&relaxer);
    return relaxed > 0 ? refuse_accelerations(s, status, worst) : relaxed;
}

flx_status flx_start_accelerations(const flx_system *s, flx_state *x)
{
    if (!s || !x) return flx_refuse_null(NULL, __func__);
    flx_accelerator *acc = NULL;
    flx_status status = flx_accelerator_create(s, &acc);
    if (status != FLX_OK) return status;
    flx_accelerator_insist(acc);
    flx_work *work = s->ops->work_create(s);
    if (work) {
        status = flx_start_accelerations_with(s, acc, work, x);
        s->ops->work_destroy(work);
    } else {
        status = FLX_FAIL(s->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
    }
    flx_accelerator_destroy(&acc);
    return status;
}
