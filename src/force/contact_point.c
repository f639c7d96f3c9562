// contact_point.c - compliant contact at one point of two surfaces: a force F(d, d') along the depth d, and friction against the
// slip u_i = A_i v along two tangents, regularised by a velocity v_s.
//
//     r_v += G^T F + A_i^T mu_i,   mu_i = f F u_i/sqrt(u^2 + v_s^2)                         (LAW-5)
//     A0 += F K + G^T dF + mu_i K_i + A_i^T dmu_i,   dF = F_d G + F_d' (G v)_q,
//     A1 += F_d' G^T G + A_i^T (F_d' mu_i/F G + mu_i,j A_j)                                  (LAW-6)
// Where the normal force is an unknown, F = lambda in these, with the row (LAW-11). Friction with memory has (LAW-12) in the place of mu_i,
// and the rows of its stretch.
#include "contact/gap.h"
#include "force/force.h"

#include <math.h>
#include <string.h>

#define NOWHERE (-1e300) // points that are not there have a depth below this

bool flx_contact_point_is_held(const flx_contact_point *p, const double *switches)
{
    const double *s = switches + p->side;
    return p->located || flx_law_has_kink(&p->law) || (s[0] == 0.0 && s[1] > p->clear);
}

bool flx_contact_point_acts(const flx_contact_point *p, double depth, const double *switches)
{
    if (depth < NOWHERE) return false;
    if (flx_contact_point_is_held(p, switches)) return switches[p->side] != 0.0;
    return depth > 0.0;
}

// The law of a point: where points come and go, with its part in the stiffness now.
static flx_law law_now(const flx_contact_point *p, flx_frames f)
{
    const flx_gap *g = p->gap.gap;
    flx_law law = p->law;
    if (g->family == 0 || !g->pair->sharers || f.plane) return law;
    double share = flx_gap_share(g, f.space + p->gap.e.frame[0], f.space + p->gap.e.frame[1]);
    law.k *= share;
    law.c *= share;
    return law;
}

// Along the normal, which the gradient begins with: n.r n of both sides.
static double find_compliance(const flx_contact_point *p, flx_frames f, const flx_jet *j)
{
    double sum = 0.0;
    for (int i = 0; i < 2; i++) {
        const double *r = p->residual[i];
        if (!r) continue;
        v3 n = v3_load(j->g[i]);
        if (f.plane) {
            const flx_frame2 *at = f.plane + p->gap.e.frame[i];
            n = v3_make(at->c * n.x + at->s * n.y, at->c * n.y - at->s * n.x, 0.0);
        } else {
            n = m33_tmul_v(m33_load(f.space[p->gap.e.frame[i]].R), n);
        }
        sum += v3_dot(n, m33_mul_v(m33_load(r), n));
    }
    return sum;
}

flx_law_force flx_contact_point_force(const flx_contact_point *p, flx_frames f, const flx_jet *j,
                                      double rate, const double *switches, double *stored)
{
    double closing = switches[p->side + 1];
    bool closed = switches[p->side] != 0.0, gives = p->residual[0] || p->residual[1];
    flx_law law = law_now(p, f);
    if (gives) {
        return flx_law_eval_behind(&law, find_compliance(p, f, j), j->value, rate, closing, closed,
                                   stored);
    }
    if (stored) *stored = flx_law_energy(&law, j->value);
    return flx_law_eval(&law, j->value, rate, closing, closed);
}

// What friction acts against: the slip, the rolling (LAW-10), the spinning.
typedef struct rubbing {
    int n;
    const flx_scalar *of;
    double coefficient, velocity;
} rubbing;

enum { RUBBINGS = 3 };

static rubbing rubbing_of(const flx_contact_point *p, int k)
{
    int slips = p->state < 0 ? p->nslip : 0; // else by its spring
    const rubbing all[RUBBINGS] = {{slips, p->slip, p->friction, p->velocity},
                                   {p->nroll, p->turn, p->rolling, p->slowest},
                                   {p->nspin, p->turn + 2, p->spinning, p->slowest}};
    return all[k];
}

// Friction over the normal force, along each row, with its derivatives by their rates.
static double friction(const rubbing *p, const double u[2], double grip[2], double slope[2][2])
{
    double root = sqrt(u[0] * u[0] + u[1] * u[1] + p->velocity * p->velocity), power = 0.0;
    for (int i = 0; i < 2; i++) {
        grip[i] = p->coefficient * u[i] / root;
        power += grip[i] * u[i];
        for (int k = 0; k < 2; k++) {
            slope[i][k] = p->coefficient * ((i == k) - u[i] * u[k] / (root * root)) / root;
        }
    }
    return power;
}

static void add_friction(const rubbing *p, flx_frames f, const double *switches, const double *v,
                         double F, double *r)
{
    double u[2] = {0}, grip[2], slope[2][2];
    flx_jet t[2];
    for (int i = 0; i < p->n; i++) {
        flx_scalar_gradient(p->of + i, f, switches, &t[i]);
        u[i] = flx_jet_rate(p->of + i, &t[i], v);
    }
    (void)friction(p, u, grip, slope);
    for (int i = 0; i < p->n; i++) flx_jet_add_force(p->of + i, &t[i], F * grip[i], r);
}

static double friction_power(const rubbing *p, flx_frames f, const double *switches,
                             const double *v, double F)
{
    double u[2] = {0}, grip[2], slope[2][2];
    flx_jet j;
    for (int i = 0; i < p->n; i++) {
        flx_scalar_gradient(p->of + i, f, switches, &j);
        u[i] = flx_jet_rate(p->of + i, &j, v);
    }
    return p->n > 0 ? F * friction(p, u, grip, slope) : 0.0;
}

double flx_contact_point_turns(const flx_contact_point *p, flx_frames f, const double *switches,
                               const double *v, double force)
{
    rubbing roll = rubbing_of(p, 1), spin = rubbing_of(p, 2);
    return friction_power(&roll, f, switches, v, force) +
           friction_power(&spin, f, switches, v, force);
}

// The same by an unknown force.
static flx_law_point law_point(const flx_contact_point *p, const flx_contact_at *at,
                               const flx_jet *j)
{
    bool gives = p->residual[0] || p->residual[1];
    return (flx_law_point){.d = j->value,
                           .rate = flx_jet_rate(&p->gap, j, at->v),
                           .lambda = at->lam[p->row],
                           .R = gives ? find_compliance(p, at->f, j) : 0.0,
                           .C = p->C,
                           .m = p->m,
                           .closing = at->switches[p->side + 1],
                           .held = flx_contact_point_is_held(p, at->switches),
                           .closed = at->switches[p->side] != 0.0};
}

flx_law_row flx_contact_point_row(const flx_contact_point *p, const flx_contact_at *at,
                                  const flx_jet *j)
{
    flx_law_point at_law = law_point(p, at, j);
    flx_law law = law_now(p, at->f);
    return flx_law_eval_row(&law, &at_law);
}

static void add_frictions(const flx_contact_point *p, const flx_contact_at *at, double F, double *r)
{
    for (int i = 0; i < RUBBINGS && F != 0.0; i++) {
        rubbing one = rubbing_of(p, i);
        if (one.n > 0) add_friction(&one, at->f, at->switches, at->v, F, r);
    }
}

// ---- friction with memory -------------------------------------------------------------------------

flx_stretch flx_contact_point_stretch(const flx_contact_point *p, const flx_contact_at *at,
                                      const double u[2], double force, const flx_jet *j)
{
    double s[2] = {at->x[p->state], p->nslip > 1 ? at->x[p->state + 1] : 0.0};
    return flx_stretch_eval(&p->memory, s, u, force, j->value, flx_jet_rate(&p->gap, j, at->v));
}

// Stretch and slip of a point, with the jets of its slips; the turning of the stretch with both bodies, 0 in the plane.
typedef struct stretching {
    double u[2], turning;
    flx_jet t[2], carry;
    flx_stretch m;
} stretching;

static void find_stretching(const flx_contact_point *p, const flx_contact_at *at, double F,
                            const flx_jet *j, bool twice, stretching *out)
{
    out->u[1] = out->turning = 0.0;
    for (int i = 0; i < p->nslip; i++) {
        (twice ? flx_scalar_jet : flx_scalar_gradient)(p->slip + i, at->f, at->switches,
                                                       &out->t[i]);
        out->u[i] = flx_jet_rate(p->slip + i, &out->t[i], at->v);
    }
    if (p->nslip > 1) {
        (twice ? flx_scalar_jet : flx_scalar_gradient)(&p->carry, at->f, at->switches, &out->carry);
        out->turning = flx_jet_rate(&p->carry, &out->carry, at->v);
    }
    out->m = flx_contact_point_stretch(p, at, out->u, F, j);
}

// s' = (LAW-13) + turning x s: the stretch goes with the bodies.
static void add_memory(const flx_contact_point *p, const flx_contact_at *at, double F,
                       const flx_jet *j, double *r, double *states)
{
    const double *s = at->x + p->state;
    stretching x;
    find_stretching(p, at, F, j, false, &x);
    for (int i = 0; i < p->nslip; i++) {
        if (F != 0.0) flx_jet_add_force(p->slip + i, &x.t[i], x.m.force[i], r);
        states[p->state + i] -= x.m.rate[i];
        if (p->nslip > 1) states[p->state + i] -= x.turning * (i ? s[0] : -s[1]);
    }
}

void flx_contact_residual(int n, const flx_contact_point *points, const flx_contact_at *at,
                          double *r, double *rows, double *states)
{
    for (int k = 0; k < n; k++) {
        const flx_contact_point *p = points + k;
        flx_jet j;
        double F;
        if (p->row >= 0) {
            flx_scalar_gradient(&p->gap, at->f, at->switches, &j);
            flx_law_row row = flx_contact_point_row(p, at, &j);
            rows[p->row] = row.value;
            F = row.acts ? at->lam[p->row] : 0.0;
        } else {
            flx_scalar_value(&p->gap, at->f, at->switches, &j);
            bool acts = flx_contact_point_acts(p, j.value, at->switches);
            if (!acts && p->state < 0) continue;
            flx_scalar_gradient(&p->gap, at->f, at->switches, &j);
            F = acts ? flx_contact_point_force(p, at->f, &j, flx_jet_rate(&p->gap, &j, at->v),
                                               at->switches, NULL)
                           .force
                     : 0.0;
        }
        flx_jet_add_force(&p->gap, &j, F, r);
        add_frictions(p, at, F, r);
        if (p->state >= 0) add_memory(p, at, F, &j, r, states);
    }
}

typedef double along[2][6]; // the motions of both bodies

static void add_to(double (*to)[6], double c, double (*from)[6])
{
    for (int i = 0; i < 12; i++) to[i / 6][i % 6] += c * from[i / 6][i % 6];
}

// (LAW-6) of friction; by_q, by_v: the derivatives of F; column: where F is an unknown, else NULL.
static void linearise_friction(const rubbing *p, const flx_contact_at *at, double F, along by_q,
                               along by_v, const flx_row_place *column, double *A0, double *A1)
{
    double u[2] = {0}, grip[2], slope[2][2];
    along rate[2] = {{{0}}};
    flx_jet t[2];
    for (int i = 0; i < p->n; i++) {
        flx_scalar_jet(p->of + i, at->f, at->switches, &t[i]);
        u[i] = flx_jet_rate(p->of + i, &t[i], at->v);
        flx_jet_rate_gradient(p->of + i, &t[i], at->v, rate[i]);
    }
    (void)friction(p, u, grip, slope);
    for (int i = 0; i < p->n; i++) {
        along dq = {{0}}, dv = {{0}};
        add_to(dq, grip[i], by_q);
        add_to(dv, grip[i], by_v);
        for (int k = 0; k < p->n; k++) {
            add_to(dq, F * slope[i][k], rate[k]);
            add_to(dv, F * slope[i][k], t[k].g);
        }
        flx_jet_add_stiffness(p->of + i, &t[i], F * grip[i], A0);
        flx_jet_add_outer(p->of + i, &t[i], 1.0, dq, A0);
        flx_jet_add_outer(p->of + i, &t[i], 1.0, dv, A1);
        if (column) flx_scalar_add_column(p->of + i, column, grip[i], t[i].g, A0);
    }
}

// Derivatives of one output of the memory along motions of the bodies; by_q, by_v: those of F.
static void along_motions(const flx_contact_point *p, const stretching *x, const flx_jet *j,
                          const double by[FLX_STRETCH_INPUTS], along by_q, along by_v,
                          along slip_rate[2], along depth_rate, along dq, along dv)
{
    memset(dq, 0, sizeof(along));
    memset(dv, 0, sizeof(along));
    for (int k = 0; k < p->nslip; k++) {
        add_to(dq, by[2 + k], slip_rate[k]);
        add_to(dv, by[2 + k], (double(*)[6])x->t[k].g);
    }
    add_to(dq, by[4], by_q);
    add_to(dv, by[4], by_v);
    add_to(dq, by[5], (double(*)[6])j->g);
    add_to(dq, by[6], depth_rate);
    add_to(dv, by[6], (double(*)[6])j->g);
}

// The same by the stretches, and by a normal force that is an unknown.
static void linearise_state(const flx_contact_point *p, int i, const stretching *x, double *A0)
{
    for (int k = 0; k < p->nslip; k++) {
        double turn = i == k ? 0.0 : i ? x->turning : -x->turning;
        A0[p->state_slot[i][k]] -= x->m.rate_by[i][k] + turn;
    }
    if (p->row >= 0) A0[p->state_force[i]] -= x->m.rate_by[i][4];
}

static void linearise_memory(const flx_contact_point *p, const flx_contact_at *at, double F,
                             const flx_jet *j, along by_q, along by_v, double *A0, double *A1)
{
    const double *s = at->x + p->state;
    along slip_rate[2], depth_rate, turn_rate, dq, dv;
    stretching x;
    find_stretching(p, at, F, j, true, &x);
    flx_jet_rate_gradient(&p->gap, j, at->v, depth_rate);
    for (int i = 0; i < p->nslip; i++) {
        flx_jet_rate_gradient(p->slip + i, &x.t[i], at->v, slip_rate[i]);
    }
    if (p->nslip > 1) flx_jet_rate_gradient(&p->carry, &x.carry, at->v, turn_rate);
    for (int i = 0; i < p->nslip; i++) {
        const flx_row_place *place = p->state_place;
        along_motions(p, &x, j, x.m.force_by[i], by_q, by_v, slip_rate, depth_rate, dq, dv);
        flx_jet_add_stiffness(p->slip + i, &x.t[i], x.m.force[i], A0);
        flx_jet_add_outer(p->slip + i, &x.t[i], 1.0, dq, A0);
        flx_jet_add_outer(p->slip + i, &x.t[i], 1.0, dv, A1);
        for (int k = 0; k < p->nslip; k++) {
            flx_scalar_add_column(p->slip + i, place + k, x.m.force_by[i][k], x.t[i].g, A0);
        }
        if (p->row >= 0) {
            flx_scalar_add_column(p->slip + i, &p->place, x.m.force_by[i][4], x.t[i].g, A0);
        }
        along_motions(p, &x, j, x.m.rate_by[i], by_q, by_v, slip_rate, depth_rate, dq, dv);
        if (p->nslip > 1) {
            double other = i ? s[0] : -s[1];
            add_to(dq, other, turn_rate);
            add_to(dv, other, x.carry.g);
        }
        flx_scalar_add_row(p->slip + i, place + i, -1.0, dq, A0);
        flx_scalar_add_row(p->slip + i, place + i, -1.0, dv, A1);
        linearise_state(p, i, &x, A0);
    }
}

// (LAW-11) with its column; the force.
static double linearise_row(const flx_contact_point *p, const flx_contact_at *at, flx_jet *j,
                            double *A0, double *A1)
{
    along rate = {{0}};
    flx_law_row row = flx_contact_point_row(p, at, j);
    A0[p->diag] += row.by_force;
    if (!row.acts) return 0.0;
    flx_scalar_add_column(&p->gap, &p->place, 1.0, j->g, A0);
    flx_scalar_add_row(&p->gap, &p->place, row.by_depth, j->g, A0);
    if (row.by_rate == 0.0) return at->lam[p->row];
    flx_jet_rate_gradient(&p->gap, j, at->v, rate);
    flx_scalar_add_row(&p->gap, &p->place, row.by_rate, rate, A0);
    flx_scalar_add_row(&p->gap, &p->place, row.by_rate, j->g, A1);
    return at->lam[p->row];
}

void flx_contact_linearise(int n, const flx_contact_point *points, const flx_contact_at *at,
                           double *A0, double *A1)
{
    for (int k = 0; k < n; k++) {
        const flx_contact_point *p = points + k;
        along rate = {{0}}, by_q = {{0}}, by_v = {{0}};
        double F;
        flx_jet j;
        flx_scalar_value(&p->gap, at->f, at->switches, &j);
        if (p->row >= 0) {
            flx_scalar_jet(&p->gap, at->f, at->switches, &j);
            F = linearise_row(p, at, &j, A0, A1);
        } else {
            bool acts = flx_contact_point_acts(p, j.value, at->switches);
            if (!acts && p->state < 0) continue;
            flx_scalar_jet(&p->gap, at->f, at->switches, &j);
            flx_law_force law = {0};
            if (acts) {
                law = flx_contact_point_force(p, at->f, &j, flx_jet_rate(&p->gap, &j, at->v),
                                              at->switches, NULL);
            }
            flx_jet_rate_gradient(&p->gap, &j, at->v, rate);
            add_to(by_q, law.by_depth, j.g);
            add_to(by_q, law.by_rate, rate);
            add_to(by_v, law.by_rate, j.g);
            flx_jet_add_outer(&p->gap, &j, 1.0, by_q, A0);
            flx_jet_add_outer(&p->gap, &j, 1.0, by_v, A1);
            F = law.force;
        }
        flx_jet_add_stiffness(&p->gap, &j, F, A0);
        for (int i = 0; i < RUBBINGS && F != 0.0; i++) {
            rubbing one = rubbing_of(p, i);
            const flx_row_place *column = p->row >= 0 ? &p->place : NULL;
            if (one.n > 0) linearise_friction(&one, at, F, by_q, by_v, column, A0, A1);
        }
        if (p->state >= 0) linearise_memory(p, at, F, &j, by_q, by_v, A0, A1);
    }
}

void flx_contact_point_press(const flx_contact_point *p, const flx_contact_at *at, bool slopes,
                             flx_contact_press *out)
{
    flx_jet j;
    along rate = {{0}};
    memset(out, 0, sizeof *out);
    flx_scalar_value(&p->gap, at->f, at->switches, &j);
    if (p->row >= 0) {
        flx_scalar_gradient(&p->gap, at->f, at->switches, &j);
        out->force = flx_contact_point_row(p, at, &j).acts ? at->lam[p->row] : 0.0;
        out->column = &p->place;
        return;
    }
    if (!flx_contact_point_acts(p, j.value, at->switches)) return;
    (slopes ? flx_scalar_jet : flx_scalar_gradient)(&p->gap, at->f, at->switches, &j);
    flx_law_force law =
        flx_contact_point_force(p, at->f, &j, flx_jet_rate(&p->gap, &j, at->v), at->switches, NULL);
    out->force = law.force;
    if (!slopes) return;
    flx_jet_rate_gradient(&p->gap, &j, at->v, rate);
    add_to(out->by_q, law.by_depth, j.g);
    add_to(out->by_q, law.by_rate, rate);
    add_to(out->by_v, law.by_rate, j.g);
}

// The force of a point that acts, and what it stores; elastic: the part of it that does.
static double stored_force(const flx_contact_point *p, const flx_contact_at *at, const flx_jet *j,
                           double rate, double *stored, double *elastic)
{
    if (p->row >= 0) {
        flx_law_point point = law_point(p, at, j);
        flx_law law = law_now(p, at->f);
        *stored = flx_law_stored(&law, &point, elastic);
        return flx_law_eval_row(&law, &point).acts ? point.lambda : 0.0;
    }
    *elastic = fmax(flx_contact_point_force(p, at->f, j, 0.0, at->switches, stored).force, 0.0);
    return flx_contact_point_force(p, at->f, j, rate, at->switches, NULL).force;
}

static void add_memory_energy(const flx_contact_point *p, const flx_contact_at *at, double F,
                              const flx_jet *j, flx_energies *e)
{
    stretching x;
    find_stretching(p, at, F, j, false, &x);
    e->strain += x.m.stored;
    e->dissipated_power += x.m.force[0] * x.u[0] + x.m.force[1] * x.u[1] - x.m.stored_rate;
}

void flx_contact_energy(int n, const flx_contact_point *points, const flx_contact_at *at,
                        flx_energies *e)
{
    for (int k = 0; k < n; k++) {
        const flx_contact_point *p = points + k;
        flx_jet j;
        double stored, elastic;
        flx_scalar_value(&p->gap, at->f, at->switches, &j);
        bool acts = p->row >= 0 || flx_contact_point_acts(p, j.value, at->switches);
        if (!acts && p->state < 0) continue;
        flx_scalar_gradient(&p->gap, at->f, at->switches, &j);
        double rate = flx_jet_rate(&p->gap, &j, at->v), F = 0.0;
        if (acts) {
            F = stored_force(p, at, &j, rate, &stored, &elastic);
            e->strain += stored;
            e->dissipated_power += (F - elastic) * rate;
        }
        if (p->state >= 0) add_memory_energy(p, at, F, &j, e);
        for (int i = 0; i < RUBBINGS && F != 0.0; i++) {
            rubbing one = rubbing_of(p, i);
            e->dissipated_power += friction_power(&one, at->f, at->switches, at->v, F);
        }
    }
}
