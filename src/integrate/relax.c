// relax.c - limits of implicit Euler steps (REL-1).
#include "integrate/relax_parts.h"

#include "integrate/method.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MAX_ITERATIONS 30
#define PATIENCE 8
#define POSITION_ULPS 64.0
// Forces that a matrix answers to are met to this part, after so many corrections at most.
#define ANSWERED 1e-3
#define REFINEMENTS 20
// Rates of steps that are shorter by FLX_RELAX_SHORTER agree to this part, or as many times shorter ones are tried; what
// settles nowhere does not agree even to the other part.
#define AGREED 1e-6
#define SETTLED 1e-3
#define SHRINK 10.0    // ... with each of them: functions of time over long steps; rounding grows
#define MORE 10.0      // ... than rounding alone
#define SHORTEST 1e-14 // units of time: velocities without inertia are rounding below
// Motions of usual units pass their own scale within these times: steps of slower and faster ones are longer and shorter.
#define FAST 0.03
#define SLOW 1.0
#define SAME_SPEED 1e-8 // ... velocities, to this part
#define STEEP                                                                                      \
    30.0 // rounding of velocities grows with the inverse of the step: by no more than this, a transient by more

const double flx_relax_share[3] = {1.0 / 3.0, -2.0, 8.0 / 3.0};

void flx_relaxer_destroy(flx_relaxer **relaxer)
{
    flx_relaxer *e = *relaxer;
    if (!e) return;
    flx_blocks_destroy(&e->blocks);
    flx_linear_destroy(&e->lin);
    for (int i = 0; i < 3; i++) flx_state_destroy(&e->end[i]);
    flx_state_destroy(&e->middle);
    for (int i = 0; i < 3; i++) flx_state_destroy(&e->limit[i]);
    flx_free(e->r);
    flx_free(e->theta);
    flx_free(e->scale);
    flx_free(e->rate);
    flx_free(e->on_position);
    flx_free(e->sigma);
    flx_free(e);
    *relaxer = NULL;
}

static flx_status make(flx_relaxer *e)
{
    const flx_system *s = e->sys;
    const flx_dims *d = &s->dims;
    int n = flx_dims_unknowns(d), first = flx_dims_first_constraint(d);
    FLX_TRY(flx_blocks_create(s, &e->blocks));
    FLX_TRY(flx_linear_create(s, false, &e->lin));
    for (int i = 0; i < 3; i++) FLX_TRY(flx_state_create(s, &e->end[i]));
    FLX_TRY(flx_state_create(s, &e->middle));
    for (int i = 0; i < 3; i++) FLX_TRY(flx_state_create(s, &e->limit[i]));
    e->r = flx_alloc(s->ctx, (size_t)n, sizeof *e->r);
    e->theta = flx_alloc(s->ctx, (size_t)d->nv, sizeof *e->theta);
    e->scale = flx_alloc(s->ctx, (size_t)n, sizeof *e->scale);
    e->rate = flx_alloc(s->ctx, (size_t)d->nlam, sizeof *e->rate);
    e->on_position = flx_alloc(s->ctx, (size_t)d->nlam, sizeof *e->on_position);
    e->sigma = flx_alloc(s->ctx, (size_t)d->nlam, sizeof *e->sigma);
    if (!e->r || !e->theta || !e->scale || !e->rate || !e->on_position || !e->sigma) {
        return FLX_ERR_MEMORY;
    }
    for (int i = 0; i < n; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        e->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
        if (u.kind != FLX_UNKNOWN_CONSTRAINT) continue;
        e->on_position[i - first] = flx_constraint_on_position(&u);
        e->sigma[i - first] = u.sigma;
    }
    return FLX_OK;
}

flx_status flx_relaxer_create(const flx_system *s, flx_relaxer **relaxer)
{
    flx_relaxer *e = flx_alloc(s->ctx, 1, sizeof *e);
    *relaxer = e;
    if (!e) return FLX_ERR_MEMORY;
    e->sys = s;
    e->unit = 1.0;
    flx_status status = make(e);
    if (status != FLX_OK) flx_relaxer_destroy(relaxer);
    return status;
}

// Which rows hold positions with these switches.
static void read_rows(flx_relaxer *e, const double *switches)
{
    const flx_system *s = e->sys;
    if (!s->ops->contacts) return;
    for (int i = 0; i < s->dims.nlam; i++) {
        flx_unknown u;
        flx_unknown_at(s, switches, flx_dims_first_constraint(&s->dims) + i, &u);
        e->on_position[i] = flx_constraint_on_position(&u);
    }
}

flx_status flx_relaxer_warm(flx_relaxer *e, const flx_blocks *blocks)
{
    flx_weights w = flx_relax_weights(FLX_RELAX_RATE_STEP);
    flx_status status = flx_linear_factor(e->lin, blocks, &w);
    return status > 0 ? FLX_OK : status;
}

// The entry of A on the diagonal of a velocity.
static double on_diagonal(const flx_system *s, const double *A, int block, int row)
{
    const flx_pattern *p = &s->pattern;
    int n = p->start[block + 1] - p->start[block], e = p->row[block];
    while (p->col[e] != block) e++;
    return fabs(A[p->offset[e] + row * n + row]);
}

// The times of velocity i at y: in which its own stiffness, damping and mass bring about something; infinite where there is
// none, and where stiffness alone acts, at once.
static double own_time(const flx_relaxer *e, int block, int row)
{
    double k = on_diagonal(e->sys, e->blocks.A0, block, row);
    double c = on_diagonal(e->sys, e->blocks.A1, block, row);
    double m = on_diagonal(e->sys, e->blocks.A2, block, row);
    if (m > 0.0) return fmin(sqrt(m / k), m / c);
    return c > 0.0 ? c / k : HUGE_VAL;
}

// In the time min(s/|v|, sqrt(s/|f/m|)) what has mass passes its scale s. Where that is short, all is; where it is long,
// forces may be in balance by chance, and the times of stiffness and damping count, too. Where nothing has mass, the longest of
// these is the motion's.
flx_status flx_relaxer_measure(flx_relaxer *e, flx_work *work, const flx_state *x)
{
    const flx_system *s = e->sys;
    const flx_pattern *pattern = &s->pattern;
    const flx_dims *n = &s->dims;
    double T = HUGE_VAL, own = HUGE_VAL, longest = 0.0;
    flx_state *y = e->middle;
    flx_state_copy(y, x);
    memset(y->a, 0, (size_t)n->nv * sizeof *y->a);
    memset(y->lam, 0, (size_t)n->nlam * sizeof *y->lam);
    memset(y->mu, 0, (size_t)n->nmu * sizeof *y->mu);
    flx_point p = flx_state_point(s, y);
    FLX_TRY(s->ops->residual(s, work, &p, e->r));
    FLX_TRY(s->ops->linearise(s, work, &p, &e->blocks));
    for (int b = 0; b < pattern->nblock && pattern->start[b] < n->nv; b++) {
        for (int i = pattern->start[b]; i < pattern->start[b + 1]; i++) {
            double m = on_diagonal(s, e->blocks.A2, b, i - pattern->start[b]);
            double time = own_time(e, b, i - pattern->start[b]);
            own = fmin(own, time);
            if (isfinite(time)) longest = fmax(longest, time);
            if (!(m > 0.0)) continue;
            T = fmin(T, e->scale[i] / fabs(x->v[i]));
            T = fmin(T, sqrt(e->scale[i] * m / fabs(e->r[i])));
        }
    }
    own = fmin(own, T);
    if (!isfinite(T) && longest > 0.0) T = longest;
    e->unit = T < FAST ? T / FAST : own > SLOW && isfinite(own) ? own / SLOW : 1.0;
    return FLX_OK;
}

double flx_relaxer_unit(const flx_relaxer *e)
{
    return e->unit;
}

// The residual of (REL-1) at y, a step d from x; positions and rates of y follow from v and x.
static flx_status evaluate(flx_relaxer *e, const flx_state *x, double d, flx_state *y)
{
    const flx_system *s = e->sys;
    const flx_dims *n = &s->dims;
    for (int i = 0; i < n->nv; i++) {
        e->theta[i] = d * y->v[i];
        y->a[i] = (y->v[i] - x->v[i]) / d;
    }
    s->ops->retract(s, x->q, e->theta, y->q);
    for (int i = 0; i < n->nx; i++) y->dx[i] = (y->x[i] - x->x[i]) / d;
    flx_point p = flx_state_point(s, y);
    FLX_TRY(s->ops->residual(s, e->work, &p, e->r));
    if (n->nlam) FLX_TRY(s->ops->constraint_rate(s, e->work, &p, e->rate));
    for (int i = 0; i < n->nlam; i++) {
        if (e->on_position[i])
            e->r[flx_dims_first_constraint(n) + i] = e->sigma[i] * d * e->rate[i];
    }
    return FLX_OK;
}

static void correct(const flx_relaxer *e, double d, flx_state *y)
{
    const flx_dims *n = &e->sys->dims;
    const double *c = e->r;
    for (int i = 0; i < n->nv; i++) y->v[i] += *c++ / d;
    for (int i = 0; i < n->nx; i++) y->x[i] += *c++;
    for (int i = 0; i < n->nw; i++) y->w[i] += *c++;
    for (int i = 0; i < n->nlam; i++) y->lam[i] += *c++;
    for (int i = 0; i < n->nmu; i++) y->mu[i] += *c++;
}

// One step d from x to y by Newton's method.
static flx_status step(flx_relaxer *e, const flx_state *x, double d, flx_state *y)
{
    const flx_system *s = e->sys;
    const flx_dims *n = &s->dims;
    double last = HUGE_VAL;
    flx_weights w = flx_relax_weights(d);
    read_rows(e, x->switches);
    flx_state_copy(y, x);
    y->t = x->t + d;
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        FLX_TRY(evaluate(e, x, d, y));
        flx_point p = flx_state_point(s, y);
        FLX_TRY(s->ops->linearise(s, e->work, &p, &e->blocks));
        FLX_TRY(flx_linear_factor(e->lin, &e->blocks, &w));
        e->last = d;
        for (int i = 0; i < flx_dims_unknowns(n); i++) e->r[i] = -e->r[i];
        FLX_TRY(flx_linear_solve(e->lin, e->r));
        double change = 0.0, speed = 1.0 / e->unit;
        for (int i = 0; i < n->nv; i++) {
            change = fmax(change, fabs(e->r[i]) / d / e->scale[i]);
            speed = fmax(speed, fabs(y->v[i]) / e->scale[i]);
        }
        for (int i = n->nv; i < flx_dims_first_constraint(n); i++) {
            change = fmax(change, fabs(e->r[i]) / e->scale[i]);
        }
        for (int i = 0; i < n->nw; i++) {
            speed = fmax(speed, fabs(y->w[i]) / e->scale[n->nv + n->nx + i]);
        }
        if (!isfinite(change)) return FLX_NOT_FINITE;
        correct(e, d, y);
        if (change <= 1e-15 * speed) return FLX_OK;
        // rounding: of velocities, and of positions over the step, where it does not get better
        double noise = 1e-10 * speed;
        if (k > PATIENCE) noise = fmax(noise, POSITION_ULPS * DBL_EPSILON / d);
        if (change <= noise && change > 0.5 * last) return FLX_OK;
        flx_linear_judge(e->lin, change / last);
        last = change;
    }
    return FLX_NO_CONVERGENCE;
}

// ---- velocities and accelerations -------------------------------------------------------------------

// A position that follows from a balance, or is brought about by an algebraic unknown, has a velocity that lags half a
// step behind after one step: the difference from the true one is half the acceleration. After two steps both lag alike.
static flx_status step_twice(flx_relaxer *e, const flx_state *x, double d, flx_state *y)
{
    FLX_TRY(step(e, x, d, e->middle));
    return step(e, e->middle, d, y);
}

// y = the limit
static void extrapolate_thrice(int n, const double *const end[3], double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = flx_relax_share[0] * end[0][i] + flx_relax_share[1] * end[1][i] +
               flx_relax_share[2] * end[2][i];
    }
}

static flx_status limit_velocities(flx_relaxer *e, const flx_state *x, double d, flx_state *y)
{
    const flx_dims *n = &e->sys->dims;
    for (int k = 0; k < 3; k++, d *= 0.5) FLX_TRY(step_twice(e, x, 0.5 * d, e->end[k]));
    extrapolate_thrice(n->nv, (const double *const[3]){e->end[0]->v, e->end[1]->v, e->end[2]->v},
                       y->v);
    extrapolate_thrice(n->nw, (const double *const[3]){e->end[0]->w, e->end[1]->w, e->end[2]->w},
                       y->w);
    return FLX_OK;
}

// How far the velocities of b are from those of a, as part of the greatest.
static double velocities_differ(const flx_relaxer *e, const flx_state *a, const flx_state *b)
{
    double most = 1.0 / e->unit, off = 0.0;
    for (int i = 0; i < e->sys->dims.nv; i++) {
        most = fmax(most, fabs(b->v[i]) / e->scale[i]);
        off = fmax(off, fabs(b->v[i] - a->v[i]) / e->scale[i]);
    }
    return off / most;
}

static void copy_velocities(const flx_relaxer *e, const flx_state *from, flx_state *x)
{
    const flx_dims *n = &e->sys->dims;
    memcpy(x->v, from->v, (size_t)n->nv * sizeof *x->v);
    memcpy(x->w, from->w, (size_t)n->nw * sizeof *x->w);
}

// Positions are in balance to rounding after the first of two steps, and what they were off before is in no velocity after the second.
// What has settled is left where rounding takes over; a transient that the first steps are too long for differs most when they
// pass it.
flx_status flx_relaxer_velocities(flx_relaxer *e, flx_work *work, flx_state *x, double d)
{
    double least = HUGE_VAL;
    flx_state *best = e->limit[2];
    e->work = work;
    d *= e->unit;
    FLX_TRY(limit_velocities(e, x, d, e->limit[0]));
    copy_velocities(e, e->limit[0], best);
    for (int k = 1; least > SAME_SPEED && d > SHORTEST * e->unit; k++) {
        d *= FLX_RELAX_SHORTER;
        flx_state *last = e->limit[1 - k % 2], *y = e->limit[k % 2];
        if (limit_velocities(e, x, d, y) != FLX_OK) break;
        double off = velocities_differ(e, last, y);
        if (k == 1 && off <= SAME_SPEED) break;
        bool passing = least > SETTLED || off > STEEP * least;
        if (!(off < least) && !passing) break;
        if (off < least || off <= SETTLED) copy_velocities(e, y, best);
        least = off;
    }
    copy_velocities(e, best, x);
    return FLX_OK;
}

// The steps of the last velocities begin with a move into balance.
void flx_relaxer_moved(flx_relaxer *e, const flx_state *x, double *theta)
{
    int nv = e->sys->dims.nv;
    memset(theta, 0, (size_t)nv * sizeof *theta);
    for (int k = 0; k < 3; k++) {
        e->sys->ops->difference(e->sys, x->q, e->end[k]->q, e->theta);
        for (int i = 0; i < nv; i++) theta[i] += flx_relax_share[k] * e->theta[i];
    }
}

flx_status flx_relax_velocities(const flx_system *s, flx_work *work, flx_state *x, double d)
{
    flx_relaxer *e = NULL;
    FLX_TRY(flx_relaxer_create(s, &e));
    flx_status status = flx_relaxer_measure(e, work, x);
    if (status == FLX_OK) status = flx_relaxer_velocities(e, work, x, d);
    flx_relaxer_destroy(&e);
    return status;
}

// a, dx, w, lam, mu of y: the limits of steps from x.
static flx_status find_limits(flx_relaxer *e, const flx_state *x, double d, flx_state *y)
{
    const flx_dims *n = &e->sys->dims;
    for (int k = 0; k < 3; k++, d *= 0.5) FLX_TRY(step_twice(e, x, 0.5 * d, e->end[k]));
        // the states' own rates are the differences
#define LIMIT(size, of)                                                                            \
    extrapolate_thrice(                                                                            \
        size, (const double *const[3]){e->end[0]->of, e->end[1]->of, e->end[2]->of}, y->of)
    LIMIT(n->nv, a);
    LIMIT(n->nx, dx);
    LIMIT(n->nw, w);
    LIMIT(n->nlam, lam);
    LIMIT(n->nmu, mu);
#undef LIMIT
    return FLX_OK;
}

// Accelerations of two limits: their difference as a part of the largest; of all, or of what has mass.
static double differ(const flx_relaxer *e, const flx_state *a, const flx_state *b, bool heavy)
{
    const flx_pattern *p = &e->sys->pattern;
    double most = 0.0, off = 0.0;
    for (int k = 0; k < p->nblock && p->start[k] < e->sys->dims.nv; k++) {
        for (int i = p->start[k]; i < p->start[k + 1]; i++) {
            if (heavy && on_diagonal(e->sys, e->blocks.A2, k, i - p->start[k]) == 0.0) continue;
            most = fmax(most, fabs(b->a[i]) / e->scale[i]);
            off = fmax(off, fabs(b->a[i] - a->a[i]) / e->scale[i]);
        }
    }
    return most > 0.0 ? off / most : 0.0;
}

static void copy_limits(const flx_relaxer *e, const flx_state *from, flx_state *x)
{
    const flx_dims *n = &e->sys->dims;
    memcpy(x->a, from->a, (size_t)n->nv * sizeof *x->a);
    memcpy(x->dx, from->dx, (size_t)n->nx * sizeof *x->dx);
    memcpy(x->w, from->w, (size_t)n->nw * sizeof *x->w);
    memcpy(x->lam, from->lam, (size_t)n->nlam * sizeof *x->lam);
    memcpy(x->mu, from->mu, (size_t)n->nmu * sizeof *x->mu);
}

// Whether the limits of a step and of the one before differ by rounding alone, which grows with the inverse square of the
// step: next is by how much those of the step after it do.
static bool is_rounding(double off, double next)
{
    return off <= MORE * FLX_RELAX_SHORTER * FLX_RELAX_SHORTER * next;
}

static void copy_heavy(const flx_relaxer *e, const flx_state *from, flx_state *x)
{
    const flx_dims *n = &e->sys->dims;
    const flx_pattern *p = &e->sys->pattern;
    for (int k = 0; k < p->nblock && p->start[k] < n->nv; k++) {
        for (int i = p->start[k]; i < p->start[k + 1]; i++) {
            if (on_diagonal(e->sys, e->blocks.A2, k, i - p->start[k]) != 0.0) x->a[i] = from->a[i];
        }
    }
    memcpy(x->dx, from->dx, (size_t)n->nx * sizeof *x->dx);
    memcpy(x->lam, from->lam, (size_t)n->nlam * sizeof *x->lam);
    memcpy(x->mu, from->mu, (size_t)n->nmu * sizeof *x->mu);
}

// From steps d on; *least: how far those that agree best are from each other. *shorter: the first were too long to be made.
// Accelerations without mass are differences of differences, whose rounding begins at steps that are long for the others.
static flx_status find_settled(flx_relaxer *e, flx_state *x, double d, double *least, bool *shorter)
{
    double heavy = HUGE_VAL;
    bool all = true, rest = true; // are sought
    *least = HUGE_VAL;
    flx_status status = find_limits(e, x, d, e->limit[0]);
    *shorter = status > 0; // it is too fast for such a step, or nothing settles
    for (int k = 1; k < FLX_RELAX_MOST_SHORTER && status > 0; k++) {
        d *= FLX_RELAX_SHORTER;
        status = find_limits(e, x, d, e->limit[0]);
    }
    FLX_TRY(status);
    copy_limits(e, e->limit[0], x);
    for (int k = 1; k < FLX_RELAX_MOST_SHORTER && (all || rest); k++) {
        flx_state *y = e->limit[k % 3], *last = e->limit[(k + 2) % 3];
        d *= FLX_RELAX_SHORTER;
        if (find_limits(e, x, d, y) != FLX_OK) break;
        double off = differ(e, last, y, false), of_heavy = differ(e, last, y, true);
        if (all && k > 1 && is_rounding(*least, off)) copy_limits(e, e->limit[(k + 1) % 3], x);
        if (all && (!(off < *least) || (k == 1 && off <= AGREED))) {
            *least = fmin(*least, off);
            all = false;
        } else if (all) {
            *least = off;
            copy_limits(e, y, x);
            all = *least > AGREED;
        }
        if (rest && of_heavy < heavy && !(k == 1 && of_heavy <= AGREED)) {
            heavy = of_heavy;
            copy_heavy(e, y, x);
            rest = heavy > AGREED;
        } else {
            rest = false;
        }
    }
    return FLX_OK;
}

// What hardly anything damps settles within a time of its own, which no step may be near to: where shorter ones lead elsewhere, they
// are taken, until they agree or rounding takes over. A motion that seemed slow may be one that has not begun, whose forces
// are functions of time: steps of its unit do not agree.
flx_status flx_relax_accelerations(flx_relaxer *e, flx_work *work, flx_state *x, double d)
{
    double least = HUGE_VAL;
    bool shorter = false;
    e->work = work;
    FLX_TRY(find_settled(e, x, d * e->unit, &least, &shorter));
    if (e->unit > 1.0 && least > SHRINK && least < HUGE_VAL) {
        e->unit = 1.0;
        FLX_TRY(find_settled(e, x, d, &least, &shorter));
    }
    return shorter && !(least <= SETTLED) ? FLX_SINGULAR : FLX_OK;
}

// out (n) = J u with the weights of a step d.
static void multiply(const flx_relaxer *e, double d, const double *u, double *out)
{
    const flx_pattern *p = &e->sys->pattern;
    int nv = e->sys->dims.nv, nx = e->sys->dims.nx;
    memset(out, 0, (size_t)flx_dims_unknowns(&e->sys->dims) * sizeof *out);
    for (int i = 0; i < p->nblock; i++) {
        for (int k = p->row[i]; k < p->row[i + 1]; k++) {
            int j = p->col[k], at = p->offset[k];
            double c1 = p->start[j] < nv + nx ? 1.0 / d : 0.0;
            double c2 = p->start[j] < nv ? 1.0 / (d * d) : 0.0;
            for (int row = p->start[i]; row < p->start[i + 1]; row++) {
                for (int c = p->start[j]; c < p->start[j + 1]; c++, at++) {
                    double a = e->blocks.A0[at];
                    if (c1 != 0.0) a += c1 * e->blocks.A1[at];
                    if (c2 != 0.0) a += c2 * e->blocks.A2[at];
                    out[row] += a * u[c];
                }
            }
        }
    }
}

// A pivot that was moved belongs to a row that others make up for, or to a direction in which no force has an answer.
bool flx_relaxer_determines(flx_relaxer *e, int *worst)
{
    const flx_system *s = e->sys;
    int nv = s->dims.nv, n = flx_dims_unknowns(&s->dims);
    flx_linear_report report = flx_linear_get_report(e->lin);
    *worst = report.worst;
    if (s->pattern.extra > 0 || report.regularised == 0 || !(e->last > 0.0)) return true;
    double *u = e->scale, off = 0.0; // the scales are not needed any more
    memset(u, 0, (size_t)n * sizeof *u);
    memset(e->r, 0, (size_t)n * sizeof *e->r);
    for (int k = 0; k <= REFINEMENTS; k++) {
        for (int i = 0; i < n; i++) e->r[i] = (i < nv ? 1.0 + 0.37 * (i % 3) : 0.0) - e->r[i];
        off = 0.0;
        for (int i = 0; i < nv; i++) {
            if (fabs(e->r[i]) <= off) continue;
            off = fabs(e->r[i]);
            *worst = i;
        }
        if (off <= ANSWERED || k == REFINEMENTS) break;
        if (flx_linear_solve(e->lin, e->r) != FLX_OK) return false;
        for (int i = 0; i < n; i++) u[i] += e->r[i];
        multiply(e, e->last, u, e->r);
    }
    return off <= ANSWERED;
}

void flx_relaxer_memory(flx_relaxer *e, flx_memory *m)
{
    flx_linear_memory(e->lin, m);
}
