// perform_kinematics.c - analyses of type kinematics: least rates integrated, positions closed at every row (KIN-1).
#include "base/number.h"
#include "simulate/analyses/least_rates.h"
#include "simulate/analyses/performer.h"

#include <math.h>
#include <string.h>

// Lengths are parts of the size of the model.
#define TOLERANCE 1e-10 // error of a step
#define CLOSED 1e-13    // correction of closed positions
#define AT_LIMIT 1e-12
#define BEYOND 1e-9     // a motion does not begin with a joint so far beyond a limit
#define STANDSTILL 1e-9 // of the time: limits that are met within it, so many times, lead nowhere
#define MOST_STILL 100
#define STAGES 7

typedef struct course {
    flx_simulation *sim; // without the motions of joints that move
    flx_model model;
    flx_joint *joints; // owned
    flx_task task;
    const flx_kinematics_keys *keys;
    flx_least_rates l;
    flx_loc loc;
    flx_state *x, *y, *before; // owned; x: where it is
    double *theta, *k;         // (nv) (STAGES, nv) owned
} course;

// ---- what is said ------------------------------------------------------------------------------

static flx_status fail_singular(course *c, double t)
{
    int held = 0;
    for (int i = 0; i < c->keys->nmove; i++) held += c->l.side[i] != 0;
    for (int i = 0; held > 0 && i < c->keys->nmove; i++) {
        if (c->l.side[i] == 0) continue;
        return FLX_FAIL(c->sim->ctx, FLX_ERR_MODEL, c->loc,
                        "at t = %.6g '%s' is at its limit, and the joints that are free cannot do "
                        "what is wanted",
                        t, c->keys->names[i]);
    }
    return FLX_FAIL(c->sim->ctx, FLX_ERR_MODEL, c->loc,
                    "at t = %.6g the position is singular: the joints in `move` cannot move all "
                    "outputs that are wanted; '%s' was wanted, by '%s'",
                    t, c->keys->wanted[0], c->keys->names[0]);
}

// What neither constraints nor outputs nor joints that move determine has no least rates.
static flx_status check_open(course *c)
{
    const flx_system *s = c->l.sys;
    flx_unknown u;
    int open;
    FLX_TRY(flx_least_rates_fill(&c->l, c->x));
    FLX_TRY(flx_least_rates_find_open(&c->l, &open));
    if (open < 0) return FLX_OK;
    s->ops->unknown(s, open, &u);
    return FLX_FAIL(
        c->sim->ctx, FLX_ERR_MODEL, c->loc,
        "a motion of '%s' (%s) is left open: neither outputs that are wanted nor joints "
        "in `move` follow it; add its joint to `move`, or take `weights: mass`",
        u.item, u.part);
}

static flx_status fail_reach(course *c, double t)
{
    int worst = 0;
    const double *off = c->l.free + c->l.nrow, *unit = c->l.unit + c->l.nrow;
    for (int i = 1; i < c->keys->nwant; i++) {
        if (fabs(off[i]) / unit[i] > fabs(off[worst]) / unit[worst]) worst = i;
    }
    return FLX_FAIL(c->sim->ctx, FLX_ERR_MODEL, c->loc,
                    "at t = %.6g what is wanted of '%s' is out of reach, by %.3g", t,
                    c->keys->wanted[worst], fabs(off[worst]));
}

// ---- steps -------------------------------------------------------------------------------------

// theta' at q (+) theta.
static flx_status slope(course *c, const flx_state *from, const double *theta, double t,
                        double *out)
{
    const flx_system *s = c->l.sys;
    s->ops->retract(s, from->q, theta, c->y->q);
    c->y->t = t;
    FLX_TRY(flx_least_rates_fill(&c->l, c->y));
    flx_status status = flx_least_rates_velocity(&c->l, c->y->v);
    if (status == FLX_SINGULAR) return fail_singular(c, t);
    FLX_TRY(status);
    s->ops->rate(s, theta, c->y->v, out);
    return FLX_OK;
}

// A step of Dormand and Prince from `from`; theta (nv) and the estimate of its error.
static flx_status try_step(course *c, const flx_state *from, double h, double *theta, double *error)
{
    static const double a[STAGES][6] = {
        {0},
        {1.0 / 5},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static const double at[STAGES] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
    static const double e[STAGES] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                     -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    int n = c->l.nv;
    flx_state_copy(c->y, from);
    for (int i = 0; i < STAGES; i++) {
        for (int j = 0; j < n; j++) {
            theta[j] = 0.0;
            for (int p = 0; p < i; p++) theta[j] += h * a[i][p] * c->k[p * n + j];
        }
        FLX_TRY(slope(c, from, theta, from->t + at[i] * h, c->k + i * n));
    }
    *error = 0.0; // theta is that of the last stage
    for (int j = 0; j < n; j++) {
        double sum = 0.0;
        for (int i = 0; i < STAGES; i++) sum += e[i] * c->k[i * n + j];
        *error = fmax(*error, fabs(h * sum) / c->l.scale[j]);
    }
    return FLX_OK;
}

static void take_step(course *c, const flx_state *from, double h, const double *theta)
{
    const flx_system *s = c->l.sys;
    s->ops->retract(s, from->q, theta, c->x->q);
    c->x->t = from->t + h;
    if (s->ops->accept) s->ops->accept(s, c->l.rows->work, c->x);
}

// The largest of theta, in the scales of the coordinates, or of those that are angles.
static double size_of(const course *c, bool angles)
{
    double size = 0.0;
    for (int j = 0; j < c->l.nv; j++) {
        if (c->l.turns[j] || !angles) size = fmax(size, fabs(c->theta[j]) / c->l.scale[j]);
    }
    return size;
}

// Newton's method, no further than half a radian at a time.
static flx_status close_positions(course *c)
{
    const flx_system *s = c->l.sys;
    double miss = 0.0, last = HUGE_VAL;
    for (int turn = 0; turn < 60; turn++) {
        flx_status status = flx_least_rates_close(&c->l, c->x, c->theta, &miss);
        if (status == FLX_SINGULAR) {
            return miss > 1e-9 ? fail_reach(c, c->x->t) : fail_singular(c, c->x->t);
        }
        FLX_TRY(status);
        flx_least_rates_grow(&c->l, c->theta);
        double size = size_of(c, false), turn_by = size_of(c, true);
        double part = turn_by > 0.5 ? 0.5 / turn_by : miss > 1.5 * last ? 0.5 : 1.0;
        for (int j = 0; j < c->l.nv; j++) c->theta[j] *= part;
        s->ops->retract(s, c->x->q, c->theta, c->x->q);
        last = miss;
        if (size <= CLOSED || (miss <= CLOSED && size < 1e-9)) return FLX_OK;
        if (turn > 8 && size < 1e-10 && miss < 1e-10) return FLX_OK; // rounding
    }
    return fail_reach(c, c->x->t);
}

// ---- limits ------------------------------------------------------------------------------------

// How far the joint that is furthest beyond is beyond its limit, in its unit; which, and on which side.
static double excess(const course *c, int *joint, int *side)
{
    const flx_kinematics_keys *k = c->keys;
    const double *place = c->l.free + c->l.nrow + 2 * k->nwant;
    double most = -HUGE_VAL;
    *joint = -1;
    for (int i = 0; i < k->nmove; i++) {
        if (c->l.side[i] != 0) continue;
        double unit = c->l.unit[c->l.nrow + k->nwant + i];
        double low = (k->lower[i] - place[i]) / unit, high = (place[i] - k->upper[i]) / unit;
        if (fmax(low, high) <= most) continue;
        most = fmax(low, high);
        *joint = i;
        *side = low > high ? -1 : 1;
    }
    return most;
}

// The motion begins within the limits.
static flx_status check_start(course *c)
{
    const flx_kinematics_keys *k = c->keys;
    int joint, side;
    FLX_TRY(flx_least_rates_fill(&c->l, c->x));
    if (!(excess(c, &joint, &side) > BEYOND)) return FLX_OK;
    return FLX_FAIL(c->sim->ctx, FLX_ERR_MODEL, c->loc,
                    "'%s' begins at %.6g, beyond its limit %.6g; `from` says near which position "
                    "the motion begins",
                    k->names[joint], c->l.free[c->l.nrow + 2 * k->nwant + joint],
                    side < 0 ? k->lower[joint] : k->upper[joint]);
}

// A step of h would lead beyond: one that ends at the limit, which holds from then on.
static flx_status stop_at_limit(course *c, double h)
{
    double low = 0.0, high = h, error;
    int joint = -1, side = 0;
    for (int turn = 0; turn < 60; turn++) {
        double middle = 0.5 * (low + high);
        FLX_TRY(try_step(c, c->before, middle, c->theta, &error));
        take_step(c, c->before, middle, c->theta);
        FLX_TRY(flx_least_rates_fill(&c->l, c->x));
        double beyond = excess(c, &joint, &side);
        if (fabs(beyond) <= AT_LIMIT || high - low <= 1e-14 * h) break;
        if (beyond > 0.0) {
            high = middle;
        } else {
            low = middle;
        }
    }
    if (joint >= 0) c->l.side[joint] = side;
    return FLX_OK;
}

// The rate at which joint i, which is at its limit, would go beyond if it were free, in its unit; negative: it would leave.
static flx_status press(course *c, int i, double *rate)
{
    const flx_kinematics_keys *k = c->keys;
    int nm = k->nmove, side = c->l.side[i];
    const double *unit = c->l.unit + c->l.nrow + k->nwant;
    c->l.side[i] = 0;
    FLX_TRY(flx_least_rates_fill(&c->l, c->x));
    flx_status status = flx_least_rates_velocity(&c->l, c->y->v);
    c->l.side[i] = side;
    *rate = HUGE_VAL;
    if (status == FLX_SINGULAR) return FLX_OK;
    *rate = c->l.free[c->l.nrow + 2 * k->nwant + nm + i];
    for (int j = 0; j < c->l.nv; j++) *rate += c->l.R[i + nm * j] * c->y->v[j];
    *rate *= side / unit[i];
    return status;
}

// Joints that would move away from their limits are free again.
static flx_status release(course *c)
{
    for (int i = 0; i < c->keys->nmove; i++) {
        double rate;
        if (c->l.side[i] == 0) continue;
        FLX_TRY(press(c, i, &rate));
        if (rate < -AT_LIMIT) c->l.side[i] = 0;
    }
    return FLX_OK;
}

// The joint that leaves its limit first within the step of h that was taken is free where it does: the step ends there.
static flx_status leave_limit(course *c, double h)
{
    double low = 0.0, high = h, error, rate;
    int first = -1;
    for (int turn = 0; turn < 50 && high - low > 1e-13 * h; turn++) {
        double at = turn == 0 ? h : 0.5 * (low + high);
        int leaves = -1;
        if (turn > 0) FLX_TRY(try_step(c, c->before, at, c->theta, &error));
        if (turn > 0) take_step(c, c->before, at, c->theta);
        for (int i = 0; i < c->keys->nmove && leaves < 0; i++) {
            if (c->l.side[i] == 0) continue;
            FLX_TRY(press(c, i, &rate));
            if (rate < -AT_LIMIT) leaves = i;
        }
        if (turn == 0 && leaves < 0) return FLX_OK;
        if (leaves >= 0) first = leaves;
        if (leaves >= 0) high = at;
        if (leaves < 0) low = at;
    }
    c->l.side[first] = 0;
    return FLX_OK;
}

// ---- the course --------------------------------------------------------------------------------

static flx_status advance(course *c, double until, double *h)
{
    int still = 0;
    while (c->x->t < until - 1e-12 * (fabs(until) + c->keys->every)) {
        double step = fmin(*h, until - c->x->t), error = 0.0;
        int joint, side;
        flx_state_copy(c->before, c->x);
        FLX_TRY(release(c));
        FLX_TRY(try_step(c, c->before, step, c->theta, &error));
        double factor = error > 0.0 ? 0.9 * pow(TOLERANCE / error, 0.2) : 5.0;
        if (error > TOLERANCE) {
            *h = step * fmax(0.2, factor);
            if (*h > 1e-12 * c->keys->until) continue;
            return fail_singular(c, c->x->t);
        }
        take_step(c, c->before, step, c->theta);
        flx_least_rates_grow(&c->l, c->theta);
        if (step >= *h) *h = step * fmin(5.0, fmax(1.0, factor));
        FLX_TRY(flx_least_rates_fill(&c->l, c->x));
        if (excess(c, &joint, &side) > AT_LIMIT) {
            FLX_TRY(stop_at_limit(c, step));
        } else {
            FLX_TRY(leave_limit(c, step));
        }
        bool moved = c->x->t - c->before->t > STANDSTILL * c->keys->until || c->x->t >= until;
        still = moved ? 0 : still + 1;
        if (still > MOST_STILL) return fail_singular(c, c->x->t);
    }
    c->x->t = until;
    return FLX_OK;
}

static flx_status put_row(course *c, double *row)
{
    const flx_kinematics_keys *k = c->keys;
    int nm = k->nmove;
    FLX_TRY(flx_least_rates_fill(&c->l, c->x));
    flx_status status = flx_least_rates_velocity(&c->l, c->x->v);
    if (status == FLX_SINGULAR) return fail_singular(c, c->x->t);
    FLX_TRY(status);
    const double *place = c->l.free + c->l.nrow + 2 * k->nwant, *base = place + nm;
    row[0] = c->x->t;
    for (int i = 0; i < nm; i++) {
        double rate = base[i];
        for (int j = 0; j < c->l.nv; j++) rate += c->l.R[i + nm * j] * c->x->v[j];
        row[1 + i] = place[i];
        row[1 + nm + i] = rate;
    }
    return FLX_OK;
}

// The posture that is given, with nothing wanted but the coordinates of the joints.
static flx_status take_posture(course *c)
{
    flx_kinematics_keys posture = *c->keys;
    flx_least_rates wanted = c->l;
    if (!posture.from) return FLX_OK;
    posture.nwant = 0;
    posture.upper = posture.from;
    flx_status status = flx_least_rates_create(c->sim, wanted.sys, &posture, &c->l);
    for (int i = 0; status == FLX_OK && i < posture.nmove; i++) c->l.side[i] = 1;
    double size = 1.0, miss;
    for (int turn = 0; status == FLX_OK && turn < 100 && size > CLOSED; turn++) {
        status = flx_least_rates_close(&c->l, c->x, c->theta, &miss);
        flx_least_rates_grow(&c->l, c->theta);
        size = size_of(c, false);
        double turn_by = size_of(c, true), part = turn_by > 0.3 ? 0.3 / turn_by : 1.0;
        for (int j = 0; j < c->l.nv; j++) c->theta[j] *= part;
        if (status == FLX_OK) c->l.sys->ops->retract(c->l.sys, c->x->q, c->theta, c->x->q);
        if (status == FLX_OK && c->l.sys->ops->accept) {
            c->l.sys->ops->accept(c->l.sys, c->l.rows->work, c->x);
        }
    }
    if (status == FLX_SINGULAR || (status == FLX_OK && size > 1e-6)) {
        status = FLX_FAIL(c->sim->ctx, FLX_ERR_MODEL, c->loc,
                          "the joints cannot be where `from` says that the motion begins");
    }
    flx_least_rates_clear(&c->l);
    c->l = wanted;
    return status;
}

static flx_status follow(course *c, flx_simulation *user, flx_finding *out)
{
    const flx_kinematics_keys *k = c->keys;
    int n = (int)ceil(k->until / k->every - 1e-9) + 1, columns = 1 + 2 * k->nmove, limited = 0;
    flx_finding_table *t = flx_finding_add_table(user, out, "motion", n, columns);
    if (!t) return FLX_ERR_MEMORY;
    FLX_TRY(flx_finding_column(user, out, t, 0, "t", "s"));
    for (int i = 0; i < k->nmove; i++) {
        char name[160];
        FLX_TRY(flx_finding_column(user, out, t, 1 + i, k->names[i], ""));
        flx_snprintf(name, sizeof name, "%.140s.rate", k->names[i]);
        FLX_TRY(flx_finding_column(user, out, t, 1 + k->nmove + i, name, ""));
    }
    double h = fmin(k->every, 0.01 * k->until);
    c->x->t = 0.0;
    FLX_TRY(take_posture(c));
    FLX_TRY(check_open(c));
    FLX_TRY(close_positions(c));
    FLX_TRY(check_start(c));
    for (int i = 0; i < n; i++) {
        double time = i == n - 1 ? k->until : i * k->every;
        if (i > 0) FLX_TRY(advance(c, time, &h));
        FLX_TRY(close_positions(c));
        FLX_TRY(put_row(c, t->values + (size_t)i * (size_t)columns));
        for (int j = 0; j < k->nmove; j++) limited += c->l.side[j] != 0;
    }
    const double *first = t->values, *last = t->values + (size_t)(n - 1) * (size_t)columns;
    FLX_TRY(flx_finding_line(user, out, "%d rows until t = %.6g%s", n, k->until,
                             limited ? "; a joint was at its limit" : ""));
    for (int i = 0; i < k->nmove; i++) {
        FLX_TRY(flx_finding_line(user, out, "'%s' from %.10g to %.10g", k->names[i], first[1 + i],
                                 last[1 + i]));
    }
    return FLX_OK;
}

// The model without what drives the joints that move, and without its outputs.
static flx_status make_free(course *c, flx_task *t)
{
    const flx_model *m = t->sim->model;
    c->keys = t->a->own;
    c->loc = t->a->loc;
    c->model = *m;
    c->joints = flx_alloc(t->sim->ctx, (size_t)m->njoint, sizeof *c->joints);
    if (!c->joints) return FLX_ERR_MEMORY;
    memcpy(c->joints, m->joints, (size_t)m->njoint * sizeof *c->joints);
    for (int i = 0; i < c->keys->nmove; i++) c->joints[c->keys->joints[i]].motion = FLX_MOTION_NONE;
    c->model.joints = c->joints;
    c->model.outputs.ncolumn = c->model.outputs.nprobe = c->model.outputs.nmetric = 0;
    return flx_simulation_create_unsettled(&c->model, &c->sim);
}

static flx_status perform(flx_task *t, flx_finding *out)
{
    course c = {.sim = NULL};
    flx_status status = make_free(&c, t);
    if (status == FLX_OK) {
        c.task = (flx_task){.sim = c.sim, .number = t->number, .a = t->a};
        status = flx_analysis_find_own_state(&c.task);
    }
    const flx_system *s = c.sim ? c.sim->sys : NULL;
    if (status == FLX_OK) status = flx_least_rates_create(c.sim, s, c.keys, &c.l);
    if (status == FLX_OK) {
        size_t n = (size_t)s->dims.nv;
        c.theta = flx_alloc(c.sim->ctx, (STAGES + 1) * n + 1, sizeof *c.theta);
        c.k = c.theta ? c.theta + n : NULL;
        status = c.theta ? flx_state_create(s, &c.x) : FLX_ERR_MEMORY;
    }
    if (status == FLX_OK) status = flx_state_create(s, &c.y);
    if (status == FLX_OK) status = flx_state_create(s, &c.before);
    if (status == FLX_OK) {
        flx_state_copy(c.x, c.task.place.own);
        status = follow(&c, t->sim, out);
    }
    flx_least_rates_clear(&c.l);
    flx_state_destroy(&c.x);
    flx_state_destroy(&c.y);
    flx_state_destroy(&c.before);
    flx_state_destroy(&c.task.place.x);
    flx_state_destroy(&c.task.place.own);
    flx_state_destroy(&c.task.place.instant);
    flx_simulation_destroy(&c.sim);
    flx_free(c.theta);
    flx_free(c.joints);
    return status;
}

const flx_analysis_performer flx_performer_KINEMATICS = {.perform = perform};
