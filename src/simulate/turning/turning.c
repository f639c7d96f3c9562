// turning.c - equilibria of a steady rotation: which bodies turn, the search, and whether it is one.
//
// The rotation Omega about c gives every body that turns
//
//     v = Omega x (r - c),   R omega = Omega,   v' = Omega x v,   omega' = 0                       (TURN-1)
// and the residual of this motion is that of a system at rest (turning_system.c), whose equilibrium is sought as any other. A
// rotation has none where forces are not the same all round: it is found turned by an angle, and looked at again.
#include "simulate/turning/turning.h"

#include "analyse/rest.h"
#include "force/force_kind.h"
#include "simulate/turning/turning_system.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ROUND 0.7 // rad
#define OFF 1e-6  // forces out of balance there, of those there are
#define ROUNDING (4.0 * DBL_EPSILON)
#define SAME_SPEED 1e-9 // of the speed: what a prescribed motion asks beside

// ---- which bodies turn --------------------------------------------------------------------------

static bool join(bool *set, int a, int b)
{
    if (a < 0 || b < 0 || set[a] == set[b]) return false;
    set[a] = set[b] = true;
    return true;
}

// All that joints, beams and solids connect with what is in the set, without a joint.
static void spread(const flx_model *m, int joint, bool *set)
{
    bool more = true;
    while (more) {
        more = false;
        for (int i = 0; i < m->njoint; i++) {
            const flx_joint *j = m->joints + i;
            if (i == joint || j->body[0] < 0 || j->body[1] < 0) continue;
            int a = flx_model_carrier(m, j->body[0]), b = flx_model_carrier(m, j->body[1]);
            more = join(set, a, b) || more;
        }
        for (int i = 0; i < m->nbody; i++) more = join(set, i, m->bodies[i].follows - 1) || more;
    }
}

// Whether a joint or a force is between the ground and one of the set.
static bool is_grounded(const flx_model *m, const bool *set)
{
    for (int i = 0; i < m->njoint + m->nforce; i++) {
        bool joint = i < m->njoint;
        const flx_force *f = joint ? NULL : m->forces + i - m->njoint;
        const int *body = joint ? m->joints[i].body : f->body;
        int other = body[0] < 0 ? body[1] : body[0];
        if (f && !f->kind->mounted) continue;
        if ((body[0] >= 0 && body[1] >= 0) || other < 0) continue;
        if (set[flx_model_carrier(m, other)]) return true;
    }
    return false;
}

// The side of the joint, and what hangs on it by forces alone and on the ground by nothing.
static void find_bodies(const flx_model *m, int joint, int first, flx_turning *t, bool *part)
{
    size_t n = (size_t)m->nbody;
    t->turns[first] = true;
    spread(m, joint, t->turns);
    for (int i = 0; i < m->nforce; i++) {
        const flx_force *f = m->forces + i;
        if (!f->kind->mounted || f->body[0] < 0 || f->body[1] < 0) continue;
        int a = flx_model_carrier(m, f->body[0]), b = flx_model_carrier(m, f->body[1]);
        if (t->turns[a] == t->turns[b]) continue;
        memset(part, 0, n * sizeof *part);
        part[t->turns[a] ? b : a] = true;
        spread(m, joint, part);
        if (is_grounded(m, part)) continue;
        for (size_t k = 0; k < n; k++) t->turns[k] = t->turns[k] || part[k];
        i = -1; // others may hang on these
    }
}

static void describe(const flx_model *m, const flx_turning_keys *keys, flx_turning *t, bool *part)
{
    const flx_joint *j = m->joints + keys->joint;
    int ground = j->body[0] == FLX_BODY_GROUND ? 0 : 1;
    const double *frame = j->frame[ground];
    double speed = ground == 0 ? keys->speed : -keys->speed;
    t->model = m;
    t->centre = v3_load(j->at[ground]);
    t->spin = v3_scale(speed, v3_make(frame[2], frame[5], frame[8]));
    if (m->dimension == 2) t->spin = v3_make(0, 0, speed);
    find_bodies(m, keys->joint, flx_model_carrier(m, j->body[1 - ground]), t, part);
}

// ---- whether it is one --------------------------------------------------------------------------

static flx_status refuse_speed(const flx_system *s, double speed, int row, double gap)
{
    flx_unknown u;
    s->ops->unknown(s, row, &u);
    return FLX_FAIL(s->ctx, FLX_ERR_MODEL, u.loc,
                    "'%s' (%s) does not go with a steady rotation of %.9g rad/s: its motion asks "
                    "for another speed, by %.3g",
                    u.item ? u.item : "?", u.part ? u.part : "?", speed, gap);
}

// Velocities that prescribed motions ask for are those of the rotation. r: (all unknowns).
static flx_status check_speed(const flx_system *s, flx_work *w, double speed, const flx_state *x,
                              double *r)
{
    const flx_dims *d = &s->dims;
    flx_point p = flx_state_point(s, x);
    int n = flx_dims_unknowns(d), first = n - d->nmu - d->nlam;
    FLX_TRY(s->ops->residual(s, w, &p, r));
    if (d->nlam > 0) FLX_TRY(s->ops->constraint_rate(s, w, &p, r + first));
    for (int i = first; i < n; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        double soft = i < n - d->nmu ? u.C : u.E;
        if (soft > 0.0 || fabs(r[i]) <= SAME_SPEED * fabs(speed) * fmax(u.scale, 1e-12)) continue;
        return refuse_speed(s, speed, i, r[i]);
    }
    return FLX_OK;
}

// Whether what is out of balance, once it was measured, is the rounding of stiffness times coordinates: where it turns slowly, the
// forces there are no larger.
static flx_status is_rounding(flx_rest *e, const flx_state *x, bool *rounding)
{
    const flx_pattern *p = &e->s->pattern;
    double *size = e->d;
    FLX_TRY(flx_rest_linearise(e, x));
    for (int i = 0; i < e->n; i++) size[i] = i < e->nv ? 0.0 : OFF * e->scale[i];
    for (int b = 0; b < p->nblock; b++) {
        for (int k = p->row[b]; k < p->row[b + 1]; k++) {
            const double *K = e->b.A0 + p->offset[k];
            for (int i = p->start[b]; i < p->start[b + 1]; i++) {
                for (int j = p->start[p->col[k]]; j < p->start[p->col[k] + 1]; j++, K++)
                    if (i < e->nv && j < e->nv) size[i] += ROUNDING * fabs(*K) * e->scale[j];
            }
        }
    }
    double work = 0.0; // over the scale of its coordinate, as the residual is measured
    for (int i = 0; i < e->nv; i++) work = fmax(work, size[i] * e->scale[i]);
    *rounding = true;
    for (int i = 0; i < e->n; i++) {
        double most = i < e->nv ? work / e->scale[i] : size[i];
        *rounding = *rounding && fabs(e->r[i]) <= most;
    }
    return FLX_OK;
}

// Turned by an angle, at the time that it takes, it is in balance too.
static flx_status check_round(const flx_system *turning, const flx_turning *t, double speed,
                              const flx_state *x)
{
    const flx_system *s = flx_wrapper_of(turning)->base;
    flx_rest e;
    flx_state *later = NULL;
    double *theta = flx_alloc(s->ctx, (size_t)s->dims.nv + 1, sizeof *theta);
    flx_status status = flx_rest_create(turning, &e);
    if (status == FLX_OK && !theta) status = FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_state_create(s, &later);
    if (status == FLX_OK) {
        flx_state_copy(later, x);
        flx_turning_move(t, s, x->q, ROUND, theta);
        s->ops->retract(s, x->q, theta, later->q);
        if (speed != 0.0) later->t += ROUND / fabs(speed);
        flx_turning_set(t, s, later->q, later->v, later->a);
        status = flx_start_accelerations(s, later); // the forces that hold it there
    }
    if (status == FLX_OK) {
        status = flx_rest_measure(&e, later);
    }
    bool rounding = true;
    if (status == FLX_OK && e.residual > OFF) status = is_rounding(&e, later, &rounding);
    if (status == FLX_OK && !rounding) {
        flx_unknown u;
        flx_rest_name_worst(&e, &u);
        status =
            FLX_FAIL(s->ctx, FLX_ERR_MODEL, u.loc,
                     "there is no steady rotation: turned by %g rad '%s' (%s) is out of balance "
                     "by %.3g of the forces there are. What acts on it, such as gravity across "
                     "the axis, is not the same all round",
                     ROUND, u.item, u.part, e.residual);
    }
    flx_state_destroy(&later);
    flx_rest_destroy(&e);
    flx_free(theta);
    return status;
}

flx_status flx_turning_find(flx_simulation *sim, const flx_system *s, const flx_turning_keys *keys,
                            flx_loc loc, flx_state *x, flx_equilibrium_report *report)
{
    const flx_model *m = sim->model;
    flx_body_axes body;
    flx_turning t = {.turns = NULL};
    flx_system *turning = NULL;
    if (!flx_descriptor_body_axes(s, x->q, 0, &body)) {
        return FLX_FAIL(sim->ctx, FLX_ERR_CANNOT, loc,
                        "a steady rotation is sought in the coordinates of bodies: 'simulate: "
                        "{coordinates: absolute}'");
    }
    t.turns = flx_alloc(sim->ctx, 2 * (size_t)m->nbody + 1, sizeof *t.turns);
    double *r = flx_alloc(sim->ctx, (size_t)flx_dims_unknowns(&s->dims) + 1, sizeof *r);
    flx_work *w = s->ops->work_create(s);
    flx_status status = t.turns && r && w ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) describe(m, keys, &t, t.turns + m->nbody);
    if (status == FLX_OK) status = flx_turning_system_create(s, &t, &turning);
    if (status == FLX_OK) status = flx_equilibrium_find_of(turning, true, x, report);
    if (status == FLX_OK) flx_turning_set(&t, s, x->q, x->v, x->a);
    if (status == FLX_OK) status = check_speed(s, w, keys->speed, x, r);
    if (status == FLX_OK) status = check_round(turning, &t, keys->speed, x);
    flx_system_destroy(&turning);
    if (w) s->ops->work_destroy(w);
    flx_free(r);
    flx_free(t.turns);
    return status;
}
