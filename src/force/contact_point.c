// contact_point.c - compliant contact at one point of two surfaces: a force F(d, d') along the depth d, and friction against the
// slip u_i = A_i v along two tangents, regularised by a velocity v_s.
//
//     r_v += G^T F + A_i^T mu_i,   mu_i = f F u_i/sqrt(u^2 + v_s^2)                         (LAW-5)
//     A0 += F K + G^T dF + mu_i K_i + A_i^T dmu_i,   dF = F_d G + F_d' (G v)_q,
//     A1 += F_d' G^T G + A_i^T (F_d' mu_i/F G + mu_i,j A_j)                                  (LAW-6)
// Where the normal force is an unknown, F = lambda in these, with the row (LAW-11).
#include "force/force.h"

#include <math.h>
#include <string.h>

bool flx_contact_point_is_held(const flx_contact_point *p, const double *switches)
{
    const double *s = switches + p->side;
    return flx_law_has_kink(&p->law) || (s[0] == 0.0 && s[1] > p->clear);
}

bool flx_contact_point_acts(const flx_contact_point *p, double depth, const double *switches)
{
    if (flx_contact_point_is_held(p, switches)) return switches[p->side] != 0.0;
    return depth > 0.0;
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
    if (gives) {
        return flx_law_eval_behind(&p->law, find_compliance(p, f, j), j->value, rate, closing,
                                   closed, stored);
    }
    if (stored) *stored = flx_law_energy(&p->law, j->value);
    return flx_law_eval(&p->law, j->value, rate, closing, closed);
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
    const rubbing all[RUBBINGS] = {{p->nslip, p->slip, p->friction, p->velocity},
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
    return flx_law_eval_row(&p->law, &at_law);
}

static void add_frictions(const flx_contact_point *p, const flx_contact_at *at, double F, double *r)
{
    for (int i = 0; i < RUBBINGS && F != 0.0; i++) {
        rubbing one = rubbing_of(p, i);
        if (one.n > 0) add_friction(&one, at->f, at->switches, at->v, F, r);
    }
}

void flx_contact_residual(int n, const flx_contact_point *points, const flx_contact_at *at,
                          double *r, double *rows)
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
            if (!flx_contact_point_acts(p, j.value, at->switches)) continue;
            flx_scalar_gradient(&p->gap, at->f, at->switches, &j);
            F = flx_contact_point_force(p, at->f, &j, flx_jet_rate(&p->gap, &j, at->v),
                                        at->switches, NULL)
                    .force;
        }
        flx_jet_add_force(&p->gap, &j, F, r);
        add_frictions(p, at, F, r);
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
            if (!flx_contact_point_acts(p, j.value, at->switches)) continue;
            flx_scalar_jet(&p->gap, at->f, at->switches, &j);
            flx_law_force law = flx_contact_point_force(
                p, at->f, &j, flx_jet_rate(&p->gap, &j, at->v), at->switches, NULL);
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
    }
}

// The force of a point that acts, and what it stores; elastic: the part of it that does.
static double stored_force(const flx_contact_point *p, const flx_contact_at *at, const flx_jet *j,
                           double rate, double *stored, double *elastic)
{
    if (p->row >= 0) {
        flx_law_point law = law_point(p, at, j);
        *stored = flx_law_stored(&p->law, &law, elastic);
        return flx_law_eval_row(&p->law, &law).acts ? law.lambda : 0.0;
    }
    *elastic = fmax(flx_contact_point_force(p, at->f, j, 0.0, at->switches, stored).force, 0.0);
    return flx_contact_point_force(p, at->f, j, rate, at->switches, NULL).force;
}

void flx_contact_energy(int n, const flx_contact_point *points, const flx_contact_at *at,
                        flx_energies *e)
{
    for (int k = 0; k < n; k++) {
        const flx_contact_point *p = points + k;
        flx_jet j;
        double stored, elastic;
        flx_scalar_value(&p->gap, at->f, at->switches, &j);
        if (p->row < 0 && !flx_contact_point_acts(p, j.value, at->switches)) continue;
        flx_scalar_gradient(&p->gap, at->f, at->switches, &j);
        double rate = flx_jet_rate(&p->gap, &j, at->v);
        double F = stored_force(p, at, &j, rate, &stored, &elastic);
        e->strain += stored;
        e->dissipated_power += (F - elastic) * rate;
        for (int i = 0; i < RUBBINGS && F != 0.0; i++) {
            rubbing one = rubbing_of(p, i);
            e->dissipated_power += friction_power(&one, at->f, at->switches, at->v, F);
        }
    }
}
