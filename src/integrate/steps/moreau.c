// moreau.c - Moreau's time stepping for rigid contacts with friction, any number of them.
//
//     q_m = q (+) h v/2,   points that touch at q_m
//     (M + h D + h^2 K/2)(v_1 - v) = h f(q_m, v) - h^2 K v/2 + J^T Lambda,  u = J v_1 + e min(0, J v),  law of (CONE-2)   (MOR-1)
//     q_1 = q_m (+) h v_1/2, then the nearest positions without overlap and with closed joints             (MOR-2)
//
// D and K are the derivatives of the forces, so that stiff ones are taken at the end of the step, linearised. Joints hold on
// velocities at q_m, as rows of the same problem. Without contacts it is Newmark's rule with beta = 1/2, gamma = 1. Order 1.
// Moreau, Numerical aspects of the sweeping process, CMAME 177, 1999.
#include "integrate/method.h"
#include "integrate/newton_matrix.h"
#include "integrate/steps/stepping.h"

#include <string.h>

#define TOUCH 1e-9 // of the length: gap that counts as none
#define REACH 1e-4 // ... and one within which a point that pressed in the last step may close again
#define OVERLAP 1e-12 // ... and overlap that is left
#define CLOSED 1e-12  // of a joint's scale
#define PROJECTIONS 12
#define MOST_WORSE 3 // of them

typedef struct moreau {
    flx_stepping *t;
    flx_blocks blocks;
    int n, nv;
    double *block;            // owned: all arrays
    double *qm, *q1;          // (nq)
    double *v1, *free, *dv;   // (nv)
    double *zero, *r, *theta; // (n) (n) (nv)
    bool overlaps;            // at the end of the step, by the rates of the gaps
    bool hits;                // in this step
    double lost,
        supplied;     // energy in the contacts of the step; by what drives joints, in its impacts
    double *joined;   // (nlam + nmu) impulses of joints in a step with impacts
    double *lam, *mu; // (nlam) (nmu)
    double *switches; // (nswitch) of the state at the end
    double *gd;       // (nlam)
} moreau;

static int coefficients(const flx_integrator_def *def, flx_coefficients *out)
{
    (void)def;
    *out = (flx_coefficients){.scheme = FLX_SCHEME_STRUCTURAL, .beta = 0.5, .gamma = 1.0};
    return 1;
}

// ---- life ---------------------------------------------------------------------------------------------------

static void destroy(flx_integrator *it)
{
    moreau *g = it->data;
    flx_stepping_destroy(&g->t);
    flx_blocks_destroy(&g->blocks);
    flx_free(g->block);
    flx_free(g);
    it->data = NULL;
}

static void memory(flx_integrator *it, flx_memory *m)
{
    moreau *g = it->data;
    flx_stepping_memory(g->t, m);
}

static flx_status make_arrays(flx_integrator *it, moreau *g)
{
    const flx_dims *d = &it->sys->dims;
    size_t n = (size_t)g->n, nv = (size_t)g->nv, nq = (size_t)d->nq;
    const flx_stepping_part parts[] = {{&g->qm, nq},
                                       {&g->q1, nq},
                                       {&g->v1, nv},
                                       {&g->free, nv},
                                       {&g->dv, nv},
                                       {&g->zero, n},
                                       {&g->r, n},
                                       {&g->theta, nv},
                                       {&g->gd, (size_t)d->nlam},
                                       {&g->lam, (size_t)d->nlam},
                                       {&g->mu, (size_t)d->nmu},
                                       {&g->joined, (size_t)d->nlam + (size_t)d->nmu},
                                       {&g->switches, (size_t)d->nswitch}};
    return flx_stepping_parts(it->ctx, (int)(sizeof parts / sizeof *parts), parts, &g->block);
}

static flx_status create(flx_integrator *it)
{
    FLX_TRY(flx_stepping_check(it));
    flx_method_ignores_newton_tolerance(it);
    moreau *g = flx_alloc(it->ctx, 1, sizeof *g);
    if (!g) return FLX_ERR_MEMORY;
    it->data = g;
    g->n = flx_dims_unknowns(&it->sys->dims);
    g->nv = it->sys->dims.nv;
    FLX_TRY(make_arrays(it, g));
    FLX_TRY(flx_stepping_create(it, &g->t));
    return flx_blocks_create(it->sys, &g->blocks);
}

// ---- a step -------------------------------------------------------------------------------------------------

static flx_point point_at(const flx_integrator *it, const flx_state *x, double t, const double *q,
                          const double *v)
{
    const moreau *g = it->data;
    flx_point p = flx_state_point(it->sys, x);
    p.t = t;
    p.q = q;
    p.v = v;
    p.a = p.lam = p.mu = g->zero;
    return p;
}

// b of the rows of joints: their rates with the free velocities; of compliant ones what follows from the end of the step.
static void joint_offsets(const flx_integrator *it, double h)
{
    moreau *g = it->data;
    flx_stepping *t = g->t;
    int first = flx_dims_first_constraint(&it->sys->dims);
    for (int i = 0; i < t->nrow; i++) {
        double rate = i < it->sys->dims.nlam ? g->gd[i] : g->r[first + i];
        t->compliance[i] = 0;
        t->b[i] = rate;
        if (t->C[i] == 0 || i >= it->sys->dims.nlam) {
            if (t->C[i] != 0) t->compliance[i] = t->C[i] / h;
            continue;
        }
        double by = t->sigma[i] * h / 2 + t->tau[i];
        t->b[i] = (g->r[first + i] + t->sigma[i] * h / 2 * rate) / by;
        t->compliance[i] = t->C[i] / (by * h);
    }
}

// rhs = -h r_v - h^2/2 K v
static void right_side(const flx_integrator *it, const flx_state *x, double h)
{
    moreau *g = it->data;
    const flx_pattern *p = &it->sys->pattern;
    for (int i = 0; i < g->nv; i++) g->free[i] = -h * g->r[i];
    for (int block = 0; block < g->t->nvblock; block++) {
        for (int e = p->row[block]; e < p->row[block + 1]; e++) {
            int col = p->col[e], size = p->start[col + 1] - p->start[col];
            if (col >= g->t->nvblock) continue;
            for (int k = p->start[block]; k < p->start[block + 1]; k++) {
                const double *row = g->blocks.A0 + p->offset[e] + (k - p->start[block]) * size;
                for (int l = 0; l < size; l++)
                    g->free[k] -= 0.5 * h * h * row[l] * x->v[p->start[col] + l];
            }
        }
    }
}

// Slower than what the forces of two steps make, or than what a step does not tell from none: it comes to rest.
static double rest_rate(const moreau *g, double change, double h)
{
    return fmax(2 * fabs(change), TOUCH * g->t->length / h);
}

// Whether a point that came with a rate before is an impact. What pressed in the last step does not approach after it but for
// what turns, or is driven: it rests.
static bool is_impact(const moreau *g, int point, const double *v, double h)
{
    double before[3], change = flx_stepping_normal_size(g->t, point, g->free);
    flx_stepping_rates(g->t, point, v, before);
    return -before[0] > rest_rate(g, change, h) && !flx_stepping_presses(g->t, point);
}

// v: velocities before the problem; hits: with the restitution of points that strike.
static flx_status add_points(flx_integrator *it, const double *v, double h, bool hits)
{
    moreau *g = it->data;
    for (int i = 0; i < g->t->npoint; i++) {
        double before[3], change[3], b[3], gap = g->t->points[i].gap;
        bool open = gap > TOUCH * g->t->length;
        if (open && !flx_stepping_presses(g->t, i)) continue;
        int n = 1 + g->t->points[i].ntangent;
        flx_stepping_rates(g->t, i, v, before);
        flx_stepping_rates(g->t, i, g->free, change);
        for (int k = 0; k < n; k++) b[k] = before[k] + change[k];
        if (hits && !open && is_impact(g, i, v, h))
            b[0] += flx_stepping_restitution(g->t, i, before[0]) * before[0];
        // what turns or is driven opens gaps of the size of h^2: they close until the middle of the next step
        if (open) b[0] += gap / h;
        FLX_TRY(flx_stepping_add_point(g->t, i, b, v));
    }
    return FLX_OK;
}

// What is missed here, by what turns or comes anew, is seen in the middle of the next step.
static bool will_overlap(const moreau *g, double h)
{
    for (int i = 0; i < g->t->npoint; i++) {
        double u[3];
        const double *lam = flx_stepping_impulse(g->t, i);
        // joints that are closed move what presses
        if (lam && lam[0] > 0 && g->t->s->dims.nlam > 0) return true;
        flx_stepping_rates(g->t, i, g->v1, u);
        if (g->t->points[i].gap + 0.5 * h * u[0] < -OVERLAP * g->t->length) return true;
    }
    return false;
}

// Into g->switches, which become those of the state. A point that came with more than rests is an impact.
static void keep_tally(flx_integrator *it, const flx_state *x, double h)
{
    moreau *g = it->data;
    memcpy(g->switches, x->switches, (size_t)it->sys->dims.nswitch * sizeof *g->switches);
    flx_stepping_begin_tally(g->t, g->switches);
    flx_stepping_tally(g->t, 1 / h, g->v1, g->switches);
    g->hits = false;
    for (int i = 0; i < g->t->npoint; i++) {
        if (flx_stepping_impulse(g->t, i) && is_impact(g, i, x->v, h)) {
            flx_stepping_tally_impact(g->t, i, g->switches);
            g->hits = true;
        }
    }
}

// Impulses of rigid joints in a step with impacts are none of their forces: those follow from the same step with the velocities
// after it. What the rest of the impulses does is work of what drives the joints. (STP-2)
static flx_status part_joints(flx_integrator *it, const flx_state *x, double h)
{
    moreau *g = it->data;
    flx_stepping *t = g->t;
    double stored = 0; // by compliant joints, whose forces are those of their positions
    g->supplied = flx_stepping_work_of_joints(t, &g->blocks, x->v, g->v1, &stored);
    flx_stepping_take_joints(t, 1, g->lam, g->mu, false);
    memcpy(g->joined, t->joint, (size_t)t->nrow * sizeof *g->joined);
    for (int i = 0; i < g->nv; i++) g->theta[i] = g->v1[i] - x->v[i];
    flx_stepping_add_free(t, &g->blocks, g->theta);
    FLX_TRY(flx_stepping_begin(t, &g->blocks, 1, h, 0.5 * h * h));
    FLX_TRY(flx_stepping_add_joints(t, &g->blocks, false));
    for (int i = 0; i < t->npoint; i++) t->group[i] = -1;
    FLX_TRY(add_points(it, g->v1, h, false));
    FLX_TRY(flx_stepping_solve(t, true, g->theta));
    g->supplied -= flx_stepping_work_of_joints(t, &g->blocks, x->v, g->v1, &stored);
    return FLX_OK;
}

// lam and mu of the step.
static void take_joints(moreau *g, double h)
{
    int nlam = g->t->s->dims.nlam;
    flx_stepping_take_joints(g->t, -1 / h, g->lam, g->mu, false);
    for (int i = 0; g->hits && i < g->t->nrow; i++) {
        if (g->t->C[i] != 0) *(i < nlam ? g->lam + i : g->mu + (i - nlam)) = -g->joined[i] / h;
    }
}

static flx_status velocities(flx_integrator *it, flx_state *x, double h)
{
    moreau *g = it->data;
    const flx_system *s = it->sys;
    flx_point p = point_at(it, x, x->t + h / 2, g->qm, x->v);
    FLX_TRY(s->ops->residual(s, it->work, &p, g->r));
    FLX_TRY(s->ops->linearise(s, it->work, &p, &g->blocks));
    // what drives joints has the rate of the end, so that positions, which take both ends, follow it to second order
    flx_point end = point_at(it, x, x->t + h, g->qm, x->v);
    if (s->dims.nlam > 0) FLX_TRY(s->ops->constraint_rate(s, it->work, &end, g->gd));
    it->stats.residuals++;
    it->stats.linearisations++;
    right_side(it, x, h);
    joint_offsets(it, h);
    FLX_TRY(flx_stepping_find(g->t, it->work, &p, REACH * g->t->length));
    FLX_TRY(flx_stepping_begin(g->t, &g->blocks, 1, h, 0.5 * h * h));
    flx_status status = flx_stepping_free_motion(g->t, g->free);
    if (status != FLX_OK) return status;
    it->stats.factorisations++;
    flx_stepping_add_free(g->t, &g->blocks, g->free);
    FLX_TRY(flx_stepping_add_joints(g->t, &g->blocks, false));
    FLX_TRY(add_points(it, x->v, h, true));
    FLX_TRY(flx_stepping_solve(g->t, true, g->dv));
    for (int i = 0; i < g->nv; i++) g->v1[i] = x->v[i] + g->free[i] + g->dv[i];
    g->overlaps = will_overlap(g, h);
    keep_tally(it, x, h);
    g->lost = g->hits ? flx_stepping_lost_in_impact(g->t, x->t + h, x->v, g->v1)
                      : flx_stepping_lost(g->t, x->v, g->v1);
    FLX_TRY(flx_stepping_keep(g->t, g->v1));
    g->supplied = 0;
    return g->hits && g->t->nrow > 0 ? part_joints(it, x, h) : FLX_OK;
}

// How much positions miss the joints and overlap, in parts of what is allowed; g->t->b: of each row. reach: points with less than
// this gap are at hand.
static flx_status misses(flx_integrator *it, const flx_state *x, double t, double reach,
                         double *most)
{
    moreau *g = it->data;
    const flx_system *s = it->sys;
    flx_point p = point_at(it, x, t, g->q1, g->v1);
    int first = flx_dims_first_constraint(&s->dims);
    *most = 0;
    if (s->dims.nlam > 0) FLX_TRY(s->ops->residual(s, it->work, &p, g->r));
    for (int i = 0; i < s->dims.nlam; i++) {
        if (g->t->tau[i] != 0 || g->t->C[i] != 0 || g->t->sigma[i] == 0) continue;
        g->t->b[i] = g->r[first + i] / g->t->sigma[i];
        g->t->compliance[i] = 0;
        *most = fmax(*most, fabs(g->t->b[i]) / (CLOSED * g->t->scale[i]));
    }
    g->t->npoint = 0;
    if (g->overlaps) FLX_TRY(flx_stepping_find(g->t, it->work, &p, reach));
    for (int i = 0; i < g->t->npoint; i++)
        *most = fmax(*most, -g->t->points[i].gap / (OVERLAP * g->t->length));
    return FLX_OK;
}

// (MOR-2) in the metric of the matrix of the step
static flx_status project(flx_integrator *it, const flx_state *x, double h)
{
    moreau *g = it->data;
    const flx_system *s = it->sys;
    double most = 0, reach = 0;
    int worse = 0;
    for (int k = 0; k < PROJECTIONS; k++) {
        double before = most;
        FLX_TRY(misses(it, x, x->t + h, reach, &most));
        // bodies that turn away from one point may overlap at another, which was not at hand
        worse += k > 0 && !(most < before);
        if (most <= 1 || worse > MOST_WORSE || isnan(most)) break;
        reach = fmin(most * OVERLAP * g->t->length, REACH * g->t->length);
        it->stats.projections++;
        FLX_TRY(flx_stepping_begin(g->t, &g->blocks, 1, h, 0.5 * h * h));
        FLX_TRY(flx_stepping_add_joints(g->t, &g->blocks, true));
        for (int i = 0; i < g->t->npoint; i++)
            FLX_TRY(flx_stepping_add_point(g->t, i, &g->t->points[i].gap, NULL));
        FLX_TRY(flx_stepping_solve(g->t, false, g->theta));
        s->ops->retract(s, g->q1, g->theta, g->q1);
    }
    for (int i = 0; i < g->t->npoint; i++)
        g->t->overlap = fmax(g->t->overlap, -g->t->points[i].gap);
    return isnan(most) ? FLX_NOT_FINITE : FLX_OK;
}

static flx_status step(flx_integrator *it, flx_state *x, double h, double *h_taken)
{
    moreau *g = it->data;
    const flx_system *s = it->sys;
    if (!flx_method_of(it)->continues) flx_stepping_read_rows(g->t, x->switches);
    g->t->h = h;
    flx_point start = point_at(it, x, x->t, x->q, x->v);
    if (!flx_method_of(it)->within) FLX_TRY(flx_stepping_look(g->t, it->work, &start));
    for (int i = 0; i < g->nv; i++) g->theta[i] = 0.5 * h * x->v[i];
    s->ops->retract(s, x->q, g->theta, g->qm);
    long before = g->t->iterations;
    flx_status status = velocities(it, x, h);
    it->stats.newton_iterations += g->t->iterations - before;
    if (status == FLX_OK) {
        for (int i = 0; i < g->nv; i++) g->theta[i] = 0.5 * h * g->v1[i];
        s->ops->retract(s, g->qm, g->theta, g->q1);
        // before the projection solves another problem
        take_joints(g, h);
        status = project(it, x, h);
    }
    if (status < 0) return status;
    if (status != FLX_OK)
        return flx_method_fail(it, status, -1, 0, 0, "the impulses of a step were not found",
                               "a smaller step, or bodies with mass and inertia");
    for (int i = 0; i < g->nv; i++) {
        x->a[i] = (g->v1[i] - x->v[i]) / h;
        x->v[i] = g->v1[i];
    }
    memcpy(x->q, g->q1, (size_t)s->dims.nq * sizeof *x->q);
    memcpy(x->lam, g->lam, (size_t)s->dims.nlam * sizeof *x->lam);
    memcpy(x->mu, g->mu, (size_t)s->dims.nmu * sizeof *x->mu);
    memcpy(x->switches, g->switches, (size_t)s->dims.nswitch * sizeof *x->switches);
    it->stats.lost_in_contacts += g->lost;
    flx_stepping_tell_work(g->t, &it->stats);
    flx_method_of(it)->supplied_in_impacts += g->supplied;
    x->t += h;
    *h_taken = h;
    return FLX_OK;
}

const flx_integrator_type flx_moreau = {
    .name = "moreau",
    .summary = "Moreau's time stepping: rigid contacts with friction, any number, of order 1",
    .order = 1,
    .fixed = 1,
    .coefficients = coefficients,
    .create = create,
    .step = step,
    .destroy = destroy,
    .memory = memory,
    .meets_touches = 1,
};
