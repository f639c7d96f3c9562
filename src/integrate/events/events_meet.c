// events_meet.c - consistent velocities and accelerations after an instant.
//
// Where velocities were set, the least impulse that the constraints allow meets them:
//     [M G^T Y^T; G; Y] (dv, ., .) = (0, -(G v + g_t), y - Y v)                          (EVE-4)
// Accelerations and multipliers follow, and before them the velocities of what has no inertia (REL-1).
#include "integrate/events/events_parts.h"
#include "integrate/newton_matrix.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

// Rows of constraints and their rates that an instant moves by more than this part of their scale.
#define MOVED 1e-9
// Velocities that are off the constraints by no more than this part are on them.
#define CLOSED 1e-12

// Rows of the constraints without compliance at x: positions into r, their rates into `rates`. Contacts open and collide
// after it (events_impact.c): their rows do not count.
static flx_status find_rows(flx_integrator *it, const flx_state *x, double *rates)
{
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    flx_events *e = flx_method_of(it)->events;
    int first = flx_dims_first_constraint(&s->dims), n = flx_dims_unknowns(d);
    flx_state_copy(e->probe, x);
    memset(e->probe->lam, 0, (size_t)d->nlam * sizeof(double));
    memset(e->probe->mu, 0, (size_t)d->nmu * sizeof(double));
    flx_point p = flx_state_point(s, e->probe);
    FLX_TRY(s->ops->residual(s, it->work, &p, e->r));
    memset(rates, 0, (size_t)n * sizeof *rates);
    if (d->nlam > 0) FLX_TRY(s->ops->constraint_rate(s, it->work, &p, rates + first));
    for (int i = first; i < n; i++) {
        flx_unknown u;
        flx_unknown_at(s, x->switches, i, &u);
        bool constraint = u.kind == FLX_UNKNOWN_CONSTRAINT;
        if (!constraint) rates[i] = u.E == 0.0 ? e->r[i] : 0.0;
        if (constraint && u.C != 0.0) e->r[i] = rates[i] = 0.0;
        if (constraint && u.tau != 0.0 && u.C == 0.0) rates[i] = e->r[i] / u.tau;
        if (!constraint || u.tau != 0.0) e->r[i] = 0.0;
        int tangent;
        if (e->contacts && s->ops->contacts->of_unknown(s, i, &tangent) >= 0)
            e->r[i] = rates[i] = 0.0;
    }
    return FLX_OK;
}

// A position cannot jump off the constraints.
static flx_status check_positions(flx_integrator *it, const flx_state *x, const double *rows)
{
    const flx_system *s = it->sys;
    const flx_events *e = flx_method_of(it)->events;
    for (int i = flx_dims_first_constraint(&s->dims);
         i < flx_dims_first_constraint(&s->dims) + s->dims.nlam; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        if (fabs(e->r[i] - rows[i]) <= MOVED * u.scale) continue;
        return FLX_FAIL(it->ctx, FLX_INCONSISTENT, e->what.loc,
                        "'%s' at t = %.9g moves the positions off '%s' (%s) by %.3g: a position "
                        "cannot jump; set velocities, or let the motion run smoothly",
                        e->what.item ? e->what.item : "?", x->t, u.item ? u.item : "?",
                        u.part ? u.part : "?", e->r[i] - rows[i]);
    }
    return FLX_OK;
}

// What no impulse moves beside others, or by itself, as a part of what one does; which misfit of it is rounding.
#define HELD 1e-12
#define MET 1e-10
// Impulses are trusted below this backward error.
#define TRUSTED 1e-9

// The next velocity that impulses move by themselves, or -1.
static int find_free(int m, const double *S, const double *before, const bool *met, double most)
{
    int best = -1;
    double largest = HELD;
    for (int k = 0; k < m; k++) {
        double left = before[k] > HELD * most ? S[k * m + k] / before[k] : 0.0;
        if (met[k] || !(left > largest)) continue;
        largest = left;
        best = k;
    }
    return best;
}

// S c = rhs (overwritten by c) by elimination with pivots on the diagonal. Velocities that the joints hold, or move along
// with others that are set, need no impulse of their own: *misfit, how far they are from what they were set to.
static bool solve_impulses(int m, double *S, double *rhs, double *misfit)
{
    double before[FLX_DENSE_LU_MOST], most = 0.0;
    bool met[FLX_DENSE_LU_MOST] = {false};
    if (m > FLX_DENSE_LU_MOST) return false;
    for (int k = 0; k < m; k++) {
        before[k] = S[k * m + k];
        most = fmax(most, before[k]);
    }
    for (int k = find_free(m, S, before, met, most); k >= 0;
         k = find_free(m, S, before, met, most)) {
        met[k] = true;
        for (int i = 0; i < m; i++) {
            double f = i == k ? 0.0 : S[i * m + k] / S[k * m + k];
            for (int j = 0; j < m; j++) S[i * m + j] -= f * S[k * m + j];
            rhs[i] -= f * rhs[k];
        }
    }
    *misfit = 0.0;
    for (int k = 0; k < m; k++) {
        if (!met[k]) *misfit = fmax(*misfit, fabs(rhs[k]));
        rhs[k] = met[k] ? rhs[k] / S[k * m + k] : 0.0;
    }
    return isfinite(*misfit);
}

static flx_status refuse_velocities(flx_integrator *it, const flx_state *x, double misfit)
{
    const flx_events *e = flx_method_of(it)->events;
    return FLX_FAIL(it->ctx, FLX_INCONSISTENT, e->what.loc,
                    "event '%s' at t = %.9g: no impulse gives the velocities that it sets; the "
                    "joints hold one of them, or let it change only along with the others, which "
                    "are %.3g off what it asks: set fewer of them, or values that the joints allow",
                    e->what.item ? e->what.item : "?", x->t, misfit);
}

// The impulse of velocity k that is set, into e->d.
static flx_status solve_row(flx_integrator *it, const flx_state *x, int k)
{
    flx_events *e = flx_method_of(it)->events;
    size_t nv = (size_t)it->sys->dims.nv;
    double error;
    memset(e->d, 0, (size_t)flx_dims_unknowns(&it->sys->dims) * sizeof *e->d);
    memcpy(e->d, e->what.Y + (size_t)k * nv, nv * sizeof *e->d);
    FLX_TRY(flx_saddle_solve_firmly(e->saddle, TRUSTED, e->d, e->asked, &error));
    if (error < TRUSTED || it->sys->pattern.extra > 0) return FLX_OK;
    return FLX_FAIL(
        it->ctx, FLX_INCONSISTENT, e->what.loc,
        "event '%s' at t = %.9g: the velocities that it sets cannot be met to more than "
        "a part of %.1g beside parts without mass; give these a small mass, or take "
        "units in which lengths and times are nearer to 1",
        e->what.item ? e->what.item : "?", x->t, error);
}

// The multipliers of the velocities set: S = Y Z, Z = M^-1 Y^T on the constraints.
static flx_status meet_rows(flx_integrator *it, flx_state *x)
{
    const flx_system *s = it->sys;
    flx_events *e = flx_method_of(it)->events;
    int nv = s->dims.nv, m = e->what.nrow;
    for (int k = 0; k < m; k++) {
        FLX_TRY(solve_row(it, x, k));
        memcpy(e->Z + (size_t)k * (size_t)nv, e->d, (size_t)nv * sizeof *e->d);
    }
    for (int k = 0; k < m; k++) {
        const double *Y = e->what.Y + (size_t)k * (size_t)nv;
        e->rhs[k] = e->what.value[k];
        for (int i = 0; i < nv; i++) e->rhs[k] -= Y[i] * x->v[i];
        for (int j = 0; j < m; j++) {
            const double *Z = e->Z + (size_t)j * (size_t)nv;
            double sum = 0.0;
            for (int i = 0; i < nv; i++) sum += Y[i] * Z[i];
            e->S[k * m + j] = sum;
        }
    }
    double size = 1.0, misfit = HUGE_VAL;
    for (int k = 0; k < m; k++) size = fmax(size, fabs(e->what.value[k]));
    bool good = solve_impulses(m, e->S, e->rhs, &misfit);
    if (!good || !(misfit <= MET * size)) return refuse_velocities(it, x, misfit);
    for (int k = 0; k < m; k++) {
        for (int i = 0; i < nv; i++) x->v[i] += e->rhs[k] * e->Z[(size_t)k * (size_t)nv + i];
    }
    for (int i = 0; i < nv; i++) good = good && isfinite(x->v[i]);
    return good ? FLX_OK : refuse_velocities(it, x, misfit);
}

// (EVE-4); the second round removes rounding.
static flx_status meet(flx_integrator *it, flx_state *x)
{
    const flx_system *s = it->sys;
    flx_events *e = flx_method_of(it)->events;
    int n = flx_dims_unknowns(&s->dims);
    flx_contacts_rest(it, x, e->probe);
    FLX_TRY(flx_contacts_factor(it, e->probe));
    for (int round = 0; round < 2; round++) {
        FLX_TRY(find_rows(it, x, e->rows));
        for (int i = 0; i < n; i++) e->d[i] = -e->rows[i];
        flx_saddle_solve(e->saddle, e->d);
        for (int i = 0; i < s->dims.nv; i++) x->v[i] += e->d[i];
        if (e->what.nrow > 0) FLX_TRY(meet_rows(it, x));
    }
    return FLX_OK;
}

flx_status flx_events_close_velocities(flx_integrator *it, flx_state *x)
{
    const flx_dims *d = &it->sys->dims;
    flx_events *e = flx_method_of(it)->events;
    double off = 0.0, fast = 0.0;
    if (d->nlam + d->nmu == 0) return FLX_OK;
    FLX_TRY(find_rows(it, x, e->rows));
    for (int i = 0; i < flx_dims_unknowns(d); i++) e->d[i] = -e->rows[i];
    flx_saddle_solve(e->saddle, e->d);
    for (int i = 0; i < d->nv; i++) {
        off = fmax(off, fabs(e->d[i]));
        fast = fmax(fast, fabs(x->v[i]));
    }
    if (!isfinite(off) || off <= CLOSED * fast) return FLX_OK;
    for (int i = 0; i < d->nv; i++) x->v[i] += e->d[i];
    return FLX_OK;
}

static bool have_moved(const flx_system *s, const double *rows, const double *before)
{
    for (int i = flx_dims_first_constraint(&s->dims); i < flx_dims_unknowns(&s->dims); i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        if (!(fabs(rows[i] - before[i]) <= MOVED * u.scale)) return true;
    }
    return false;
}

flx_status flx_events_meet_velocities(flx_integrator *it, flx_state *x, bool *moved)
{
    const flx_system *s = it->sys;
    flx_events *e = flx_method_of(it)->events;
    bool constraints = s->dims.nlam + s->dims.nmu > 0;
    *moved = e->what.nrow > 0;
    if (constraints) {
        FLX_TRY(find_rows(it, e->prior, e->rows_before));
        memcpy(e->d, e->r, (size_t)flx_dims_unknowns(&s->dims) * sizeof *e->d);
        FLX_TRY(find_rows(it, x, e->rows));
        FLX_TRY(check_positions(it, x, e->d));
        *moved = *moved || have_moved(s, e->rows, e->rows_before);
    }
    return *moved ? meet(it, x) : FLX_OK;
}

flx_status flx_events_find_accelerations(flx_integrator *it, flx_state *x)
{
    flx_events *e = flx_method_of(it)->events;
    flx_status status = FLX_SINGULAR;
    // what contacts leave of rates and slips is rounding
    if (e->contacts) {
        flx_state_copy(e->probe, x);
        status = flx_accelerator_settle(e->acc, it->work, x, &it->stats.residuals,
                                        &it->stats.linearisations);
        if (status > 0) flx_state_copy(x, e->probe);
    }
    if (status > 0) {
        status = flx_accelerator_eval(e->acc, it->work, x, &it->stats.residuals,
                                      &it->stats.linearisations);
    }
    if (status <= 0) return status;
    if (!e->relaxer) FLX_TRY(flx_relaxer_create(it->sys, &e->relaxer));
    // where a force jumps, so do the velocities of what has no inertia
    FLX_TRY(flx_relaxer_measure(e->relaxer, it->work, x));
    flx_status relaxed = flx_relaxer_velocities(e->relaxer, it->work, x, FLX_RELAX_STEP);
    if (relaxed >= 0) {
        relaxed = flx_relax_accelerations(e->relaxer, it->work, x, FLX_RELAX_RATE_STEP);
    }
    if (relaxed <= 0) return relaxed;
    return FLX_FAIL(it->ctx, status, e->what.loc,
                    "after '%s' at t = %.9g there are no consistent accelerations: %s",
                    e->what.item ? e->what.item : "?", x->t, flx_status_text(status));
}
