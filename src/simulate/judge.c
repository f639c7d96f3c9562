// judge.c - what the ledger holds a run to beside its energy: velocities where the form closes them, the tolerance, and
// the error of single steps, whatever the method.
//
// The latter is what the ends of a step lack to be those of one motion: with chart rates u and accelerations u' at both,
//     d = theta_1 - h (u_0 + u_1)/2 - h^2 (u'_0 - u'_1)/12                                        (LED-5)
// is h^5/720 of the fifth derivative for the exact motion, and the error of the step in positions for a method whose
// error is larger. Looked at now and then; errors and moves are summed.
#include "integrate/method.h"
#include "integrate/settle.h"
#include "integrate/tolerance.h"
#include "simulate/simulation_parts.h"
#include "simulate/unseen/unseen.h"

#include <float.h>
#include <math.h>

// Velocities of constraints may be off by this, per second and part of the largest velocity.
#define VELOCITY_OFF 1e-5
// The energy may drift by so many tolerances a step.
#define DRIFT_STEPS 100.0
#define FEW_STEPS 100.0
// Work of all forces along that part of the mechanism's size is rounding.
#define ENERGY_ROUNDING (1e4 * DBL_EPSILON)
// Steps in a row that are looked at, then every so many of them.
#define LOOKS 16
// Errors of this part of the moves are told.
#define LARGE_ERROR 0.01
// Moves of this part of the scales are none.
#define NO_MOVE 1e-12
// Steps that go farther, in radians or sizes of the mechanism, are not judged: the chart ends there.
#define FARTHEST 2.0
// Systems this large are not looked at.
#define MOST_UNKNOWNS 20000
// A tolerance of velocities needs so many units of rounding of the coordinates.
#define UNITS 8.0

// ---- life ---------------------------------------------------------------------------------------

void flx_judge_destroy(flx_judge *j)
{
    flx_free(j->r);
    flx_free(j->scale);
    flx_free(j->theta);
    flx_free(j->rates);
    flx_settler_destroy(&j->settler);
    for (int k = 0; k < 2; k++) {
        flx_state_destroy(&j->end[k]);
        flx_free(j->rate[k]);
        flx_free(j->slope[k]);
    }
    *j = (flx_judge){0};
}

static void keep_found(flx_judge *to, const flx_judge *from)
{
    to->speed = from->speed;
    to->rate_off = from->rate_off;
    to->floor = from->floor;
    to->moved = from->moved;
    to->missed = from->missed;
    to->moved_x = from->moved_x;
    to->missed_x = from->missed_x;
    to->next = from->next;
}

void flx_judge_swap(flx_judge *a, flx_judge *b)
{
    flx_judge was = *a;
    *a = *b;
    keep_found(a, &was);
    keep_found(&was, b);
    *b = was;
}

// What methods that settle their states themselves do not need, and rates within a step do.
static flx_status expect_settling(flx_simulation *sim)
{
    bool given = sim->it && sim->it->def.step > 0.0 && sim->it->type->settled;
    if (!given || !sim->start || (sim->sys->dims.nx == 0 && !sim->unseen)) return FLX_OK;
    return flx_settler_create(sim->sys, sim->work, sim->start, sim->plan->form_settles,
                              &sim->judge.settler);
}

flx_settler *flx_judge_settler(const flx_simulation *sim)
{
    return sim->settler ? sim->settler : sim->judge.settler;
}

flx_status flx_judge_create(flx_simulation *sim)
{
    const flx_system *s = sim->sys;
    flx_judge *j = &sim->judge;
    size_t nv = (size_t)s->dims.nv;
    flx_judge_destroy(j);
    j->r = flx_alloc(sim->ctx, (size_t)flx_dims_unknowns(&s->dims), sizeof *j->r);
    j->scale = flx_alloc(sim->ctx, nv, sizeof *j->scale);
    j->theta = flx_alloc(sim->ctx, nv, sizeof *j->theta);
    j->rates = flx_alloc(sim->ctx, nv + (size_t)s->dims.nx, sizeof *j->rates);
    if (!j->r || !j->scale || !j->theta || !j->rates) return FLX_ERR_MEMORY;
    for (int i = 0; i < s->dims.nv; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        j->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
    }
    for (int k = 0; k < 2; k++) {
        FLX_TRY(flx_state_create(s, &j->end[k]));
        j->rate[k] = flx_alloc(sim->ctx, nv, sizeof *j->rate[k]);
        j->slope[k] = flx_alloc(sim->ctx, nv, sizeof *j->slope[k]);
        if (!j->rate[k] || !j->slope[k]) return FLX_ERR_MEMORY;
    }
    return expect_settling(sim);
}

// The work of weights along the bodies' distances and radii, which joint coordinates do not show.
static double find_weights(const flx_model *m)
{
    const double *g = m->gravity;
    double sum = 0.0, size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    for (int i = 0; i < m->nbody; i++) {
        const flx_body *b = m->bodies + i;
        double way = b->mass > 0.0 ? sqrt(fmax(b->inertia[8], 0.0) / b->mass) : 0.0;
        for (int k = 0; k < 3; k++) way += fabs(b->position[k] - m->bodies[0].position[k]);
        sum += b->mass * size * way;
    }
    return isfinite(sum) ? sum : 0.0;
}

// The work of all forces along the size of the mechanism.
static double find_work(flx_simulation *sim, const flx_state *x)
{
    const flx_system *s = sim->sys;
    flx_judge *j = &sim->judge;
    flx_state *at = j->end[0];
    double sum = 0.0;
    flx_state_copy(at, x);
    memset(at->a, 0, (size_t)s->dims.nv * sizeof *at->a);
    flx_point p = flx_state_point(s, at);
    if (s->ops->residual(s, sim->work, &p, j->r) != FLX_OK) return 0.0;
    for (int i = 0; i < s->dims.nv; i++) sum += fabs(j->r[i]) * j->scale[i];
    memset(at->lam, 0, (size_t)s->dims.nlam * sizeof *at->lam);
    if (s->ops->residual(s, sim->work, &p, j->r) != FLX_OK) return 0.0;
    for (int i = 0; i < s->dims.nv; i++) sum += fabs(j->r[i]) * j->scale[i];
    return isfinite(sum) ? sum : 0.0;
}

void flx_judge_open(flx_simulation *sim)
{
    flx_judge *j = &sim->judge;
    j->speed = j->rate_off = j->moved = j->missed = j->moved_x = j->missed_x = 0.0;
    j->next = 1;
    flx_unseen_open(sim->unseen);
    j->floor = ENERGY_ROUNDING * (find_work(sim, sim->start) + find_weights(sim->model));
}

// ---- steps --------------------------------------------------------------------------------------

// u and u' of (LED-5) at theta; the latter by a central difference along the motion.
static void find_rates(flx_simulation *sim, const flx_state *x, const double *theta, double h,
                       double *u, double *slope)
{
    const flx_system *s = sim->sys;
    int nv = s->dims.nv;
    double e = 1e-3 * h, *later = sim->judge.r, *at = sim->judge.end[0]->a;
    s->ops->rate(s, theta, x->v, u);
    for (int side = -1; side <= 1; side += 2) {
        double *out = side < 0 ? slope : later;
        for (int i = 0; i < nv; i++) at[i] = theta[i] + side * e * u[i];
        for (int i = 0; i < nv; i++) out[i] = x->v[i] + side * e * x->a[i];
        s->ops->rate(s, at, out, out);
    }
    for (int i = 0; i < nv; i++) slope[i] = (later[i] - slope[i]) / (2.0 * e);
}

// What the states lack, with their rates at the ends of the step and, settled, in its middle:
//     d = x_1 - x_0 - h (x'_0 + 4 x'_m + x'_1)/6                                              (LED-8)
static flx_status look_at_states(flx_simulation *sim, const flx_method *m)
{
    const flx_system *s = sim->sys;
    flx_judge *j = &sim->judge;
    flx_state *x = j->end[1];
    int nx = s->dims.nx;
    double t = 0.5 * (m->before->t + m->after->t), h = m->after->t - m->before->t, *sum = j->rates;
    double moved = 0.0, missed = 0.0;
    for (int k = 0; k < 3; k++) {
        if (k == 1) {
            FLX_TRY(flx_integrator_interpolate(sim->it, t, x));
        } else {
            flx_state_copy(x, k == 0 ? m->before : m->after);
        }
        flx_status status = flx_settle(flx_judge_settler(sim), sim->work, x, h);
        if (status != FLX_OK) return status < 0 ? status : FLX_OK;
        for (int i = 0; i < nx; i++)
            sum[i] = (k > 0 ? sum[i] : 0.0) + (k == 1 ? 4.0 : 1.0) * x->dx[i];
    }
    for (int i = 0; i < nx; i++) {
        flx_unknown u;
        s->ops->unknown(s, s->dims.nv + i, &u);
        double scale = u.scale > 0.0 ? u.scale : 1.0, change = m->after->x[i] - m->before->x[i];
        double d = (change - h / 6.0 * sum[i]) / scale;
        missed += d * d;
        moved += change * change / (scale * scale);
    }
    if (!isfinite(missed) || !isfinite(moved)) return FLX_OK;
    j->missed_x += sqrt(missed);
    j->moved_x += sqrt(moved);
    return FLX_OK;
}

static flx_status look(flx_simulation *sim, const flx_method *m)
{
    const flx_system *s = sim->sys;
    flx_judge *j = &sim->judge;
    const flx_state *ends[2] = {m->before, m->after};
    double h = m->after->t - m->before->t, moved = 0.0, missed = 0.0;
    memset(j->theta, 0, (size_t)s->dims.nv * sizeof *j->theta);
    for (int k = 0; k < 2; k++) {
        flx_state *x = j->end[1];
        flx_state_copy(x, ends[k]);
        if (!sim->it->type->settled) {
            flx_status status = flx_settle(sim->settler, sim->work, x, h);
            if (status != FLX_OK) return status < 0 ? status : FLX_OK;
        }
        if (k == 1) s->ops->difference(s, m->before->q, m->after->q, j->theta);
        find_rates(sim, x, j->theta, h, j->rate[k], j->slope[k]);
    }
    for (int i = 0; i < s->dims.nv; i++) {
        double way = h * fmax(fabs(j->rate[0][i]), fabs(j->rate[1][i]));
        if (way > FARTHEST * j->scale[i]) return FLX_OK;
        double d = j->theta[i] - 0.5 * h * (j->rate[0][i] + j->rate[1][i]) -
                   h * h / 12.0 * (j->slope[0][i] - j->slope[1][i]);
        missed += d * d / (j->scale[i] * j->scale[i]);
        moved += j->theta[i] * j->theta[i] / (j->scale[i] * j->scale[i]);
    }
    if (!isfinite(missed) || !(moved > NO_MOVE * NO_MOVE)) return FLX_OK;
    j->missed += sqrt(missed);
    j->moved += sqrt(moved);
    return FLX_OK;
}

flx_status flx_judge_step(flx_simulation *sim, const flx_state *x)
{
    flx_judge *j = &sim->judge;
    const flx_method *m = flx_method_of(sim->it);
    for (int i = 0; i < sim->sys->dims.nv; i++)
        j->speed = fmax(j->speed, fabs(x->v[i]) / j->scale[i]);
    FLX_TRY(flx_unseen_step(sim));
    bool looks = sim->it->type->settled || (sim->settler && !flx_settler_by_limits(sim->settler));
    if (!looks || !m->stepped || sim->it->stats.steps < j->next) return FLX_OK;
    if (sim->sys->dims.nv > MOST_UNKNOWNS) return FLX_OK;
    j->next = sim->it->stats.steps + 1 + sim->it->stats.steps / LOOKS;
    FLX_TRY(look(sim, m));
    return sim->sys->dims.nx > 0 && flx_judge_settler(sim) ? look_at_states(sim, m) : FLX_OK;
}

void flx_judge_rates(flx_simulation *sim, double residual)
{
    if (!(residual <= sim->judge.rate_off)) sim->judge.rate_off = residual;
}

// ---- the verdict --------------------------------------------------------------------------------

static void warn_of_error(const flx_simulation *sim, double error)
{
    const flx_integrator_def *d = &sim->it->def;
    bool high = sim->it->type->order > 4; // (LED-5) is not their error, but more
    if (!(d->step > 0.0) || !(error > (high ? 10.0 : 1.0) * LARGE_ERROR)) return;
    flx_ctx_warn(sim->ctx, FLX_NOWHERE,
                 "%s: the error of a step is some %.2g of the move that it makes: the motion is "
                 "not followed; "
                 "use a smaller step, or rtol in the place of it",
                 sim->it->type->name, error);
}

bool flx_judge_close(flx_simulation *sim)
{
    const flx_judge *j = &sim->judge;
    const flx_integrator_def *d = &sim->it->def;
    flx_ledger *l = &sim->ledger;
    double error = j->moved > 0.0 ? j->missed / j->moved : 0.0;
    l->step_error = j->moved_x > 0.0 ? fmax(error, j->missed_x / j->moved_x) : error;
    warn_of_error(sim, l->step_error);
    l->step_error = fmax(l->step_error, flx_unseen_close(sim));
    bool rates = !flx_method_of(sim->it)->closes_velocities ||
                 j->rate_off <= VELOCITY_OFF * fmax(1.0, j->speed);
    if (d->step > 0.0 || !sim->accounts || !(j->speed > 0.0)) return rates;
    double rtol = d->rtol > 0.0 ? d->rtol : FLX_FIRST_ORDER * FLX_DEFAULT_RTOL;
    double atol = d->atol > 0.0 ? d->atol : FLX_FIRST_ORDER * FLX_DEFAULT_ATOL;
    double allowed = DRIFT_STEPS * (rtol + atol / j->speed) * ((double)l->work.steps + FEW_STEPS);
    return rates && (l->energy_drift <= allowed);
}

// ---- tolerances ---------------------------------------------------------------------------------

flx_status flx_judge_tolerance(flx_simulation *sim)
{
    const flx_system *s = sim->sys;
    const flx_integrator_def *d = &sim->it->def;
    flx_tolerance t;
    if (d->step > 0.0 || sim->it->type->settled || s->dims.nlam == 0 || !(d->atol > 0.0))
        return FLX_OK;
    double rtol = d->rtol > 0.0 ? d->rtol : FLX_DEFAULT_RTOL, rounding = 0.0, far = 0.0;
    flx_status status = flx_tolerance_create(s, rtol, d->atol, sim->judge.scale, &t);
    if (status == FLX_OK) flx_tolerance_set(&t, s, sim->start);
    for (int i = 0; i < s->dims.nv && status == FLX_OK; i++) {
        double place = t.coordinate[i] < 0 ? 0.0 : fabs(sim->start->q[t.coordinate[i]]);
        double least = UNITS * DBL_EPSILON * place;
        if (least > t.wv[i] && least > rounding) {
            rounding = least;
            far = place;
        }
    }
    flx_tolerance_destroy(&t);
    if (status != FLX_OK || rounding == 0.0) return status;
    return FLX_FAIL(
        sim->ctx, FLX_ERR_MODEL, sim->model->simulate.method_loc,
        "atol = %.3g is below what rounding allows: a coordinate is %.6g, and velocities that "
        "follow from differences of such numbers are not that exact; take an atol above %.1g, "
        "or draw the mechanism nearer to the origin",
        d->atol, far, rounding);
}
