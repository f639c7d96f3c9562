// output_rates.c - rates of outputs at a communication point, for masters that interpolate them.
//
// The state is moved along its motion,
//     t + d,  q (+) d v,  v + d a,  x + d x',   with the accelerations and forces that belong there (integrate/settle.h),
// and outputs are differentiated by d (DIFF-1): those that read forces of joints, and expressions of all kinds, too.
#include "fmi/runtime/instance.h"

#include "fmi/fmu_exchange.h"
#include "integrate/method.h"
#include "integrate/settle.h"
#include "math/slope.h"
#include "simulate/simulation_parts.h"

#include <math.h>

#define STEP 0.1     // the largest, of the length of the last step of the method
#define UNKNOWN 1e-4 // s: where there was none
#define LONGEST 0.02 // of the largest change of coordinates in it, as a part of their scales

typedef struct motion {
    flx_simulation *sim;
    flx_settler *settler; // owned
    flx_state *x, *y;     // owned: where the run is, with its accelerations; along its motion
    double *theta;        // (nv) owned
    double dissipated, power;
    int n;
    const unsigned *of;
} motion;

static flx_status eval(void *user, double d, double *out)
{
    motion *m = user;
    flx_simulation *sim = m->sim;
    const flx_system *s = sim->sys;
    flx_state *y = m->y;
    flx_state_copy(y, m->x);
    y->t += d;
    for (int i = 0; i < s->dims.nv; i++) {
        m->theta[i] = d * m->x->v[i];
        y->v[i] += d * m->x->a[i];
    }
    s->ops->retract(s, m->x->q, m->theta, y->q);
    for (int i = 0; i < s->dims.nx; i++) y->x[i] += d * m->x->dx[i];
    FLX_TRY(flx_settle(m->settler, sim->work, y, 0.0));
    FLX_TRY(flx_signals_eval(&sim->columns, sim, y, m->dissipated + d * m->power));
    for (int k = 0; k < m->n; k++) out[k] = sim->columns.out[flx_fmu_number(m->of[k])];
    return FLX_OK;
}

// Far enough for differences, and near enough for the motion to be as good as straight.
static double longest(const motion *m)
{
    const flx_method *method = flx_method_of(m->sim->it);
    const flx_system *s = m->sim->sys;
    double h = method->stepped ? STEP * (method->after->t - method->before->t) : UNKNOWN;
    for (int i = 0; i < s->dims.nv; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        double scale = u.scale > 0.0 ? u.scale : 1.0;
        if (h * fabs(m->x->v[i]) > LONGEST * scale) h = LONGEST * scale / fabs(m->x->v[i]);
    }
    return h > 0.0 ? h : UNKNOWN;
}

static flx_status prepare(motion *m)
{
    flx_simulation *sim = m->sim;
    flx_energies e = {0};
    FLX_TRY(flx_state_create(sim->sys, &m->x));
    FLX_TRY(flx_state_create(sim->sys, &m->y));
    m->theta = flx_alloc(sim->ctx, (size_t)sim->sys->dims.nv, sizeof *m->theta);
    if (!m->theta) return FLX_ERR_MEMORY;
    flx_state_copy(m->x, sim->state);
    FLX_TRY(flx_settler_create(sim->sys, sim->work, m->x, false, &m->settler));
    FLX_TRY(flx_settle(m->settler, sim->work, m->x, 0.0));
    m->dissipated = flx_course_dissipated(sim, sim->course.sum[FLX_COURSE_DISSIPATED]);
    if (!sim->sys->ops->energy) return FLX_OK;
    flx_point p = flx_state_point(sim->sys, m->x);
    FLX_TRY(sim->sys->ops->energy(sim->sys, sim->work, &p, &e));
    m->power = e.dissipated_power;
    return FLX_OK;
}

static flx_status find(motion *m, double *out)
{
    size_t n = (size_t)m->n;
    double *room = flx_alloc(m->sim->ctx, (1 + FLX_SLOPE_SCRATCH) * n, sizeof *room);
    if (!room) return FLX_ERR_MEMORY;
    flx_slope s = {.n = m->n, .user = m, .eval = eval, .f0 = room, .scratch = room + n};
    s.step = longest(m);
    flx_status status = eval(m, 0.0, room);
    if (status == FLX_OK) status = flx_slope_find(&s, out);
    flx_free(room);
    return status;
}

flx_status flx_fmu_find_rates(flx_fmu *f, int n, const unsigned *of, double *out)
{
    if (f->exchange) {
        return flx_fmu_refuse(f, "rates of outputs are of co-simulation: a master of model "
                                 "exchange has the rates of the states");
    }
    FLX_TRY(flx_fmu_settle(f));
    flx_simulation *sim = f->run->sim;
    motion m = {.sim = sim, .n = n, .of = of};
    for (int k = 0; k < n; k++) {
        if (flx_fmu_kind(of[k]) != FLX_FMU_OUTPUT || flx_fmu_number(of[k]) >= f->noutput) {
            return flx_fmu_refuse(f, "rates are of outputs: variable %u is none", of[k]);
        }
    }
    if (!flx_fmu_gives_rates(f->run)) {
        return flx_fmu_refuse(f, "outputs of a run that meets contacts step by step have no rates");
    }
    flx_status status = prepare(&m);
    if (status == FLX_OK) status = find(&m, out);
    flx_settler_destroy(&m.settler);
    flx_state_destroy(&m.x);
    flx_state_destroy(&m.y);
    flx_free(m.theta);
    flx_account_forget(sim);
    f->run->known = false; // outputs were those of other states
    if (status > 0) {
        (void)flx_fmu_refuse(f, "rates of outputs are not known at t = %.9g: %s", sim->state->t,
                             flx_status_text(status));
    }
    return status;
}
