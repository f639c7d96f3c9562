// contact_point.c - compliant contact at one point of two surfaces: a force F(d, d') along the depth d, and friction against the
// slip u_i = A_i v along two tangents, regularised by a velocity v_s.
//
//     r_v += G^T F + A_i^T mu_i,   mu_i = f F u_i/sqrt(u^2 + v_s^2)                         (LAW-5)
//     A0 += F K + G^T dF + mu_i K_i + A_i^T dmu_i,   dF = F_d G + F_d' (G v)_q,
//     A1 += F_d' G^T G + A_i^T (F_d' mu_i/F G + mu_i,j A_j)                                  (LAW-6)
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

void flx_contact_residual(int n, const flx_contact_point *points, flx_frames f,
                          const double *switches, const double *v, double *r)
{
    for (int k = 0; k < n; k++) {
        const flx_contact_point *p = points + k;
        flx_jet j;
        flx_scalar_value(&p->gap, f, switches, &j);
        if (!flx_contact_point_acts(p, j.value, switches)) continue;
        flx_scalar_gradient(&p->gap, f, switches, &j);
        double F =
            flx_contact_point_force(p, f, &j, flx_jet_rate(&p->gap, &j, v), switches, NULL).force;
        flx_jet_add_force(&p->gap, &j, F, r);
        for (int i = 0; i < RUBBINGS && F != 0.0; i++) {
            rubbing one = rubbing_of(p, i);
            if (one.n > 0) add_friction(&one, f, switches, v, F, r);
        }
    }
}

typedef double along[2][6]; // the motions of both bodies

static void add_to(double (*to)[6], double c, double (*from)[6])
{
    for (int i = 0; i < 12; i++) to[i / 6][i % 6] += c * from[i / 6][i % 6];
}

// (LAW-6) of friction; by_q, by_v: the derivatives of F.
static void linearise_friction(const rubbing *p, flx_frames f, const double *switches,
                               const double *v, double F, along by_q, along by_v, double *A0,
                               double *A1)
{
    double u[2] = {0}, grip[2], slope[2][2];
    along rate[2] = {{{0}}};
    flx_jet t[2];
    for (int i = 0; i < p->n; i++) {
        flx_scalar_jet(p->of + i, f, switches, &t[i]);
        u[i] = flx_jet_rate(p->of + i, &t[i], v);
        flx_jet_rate_gradient(p->of + i, &t[i], v, rate[i]);
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
    }
}

void flx_contact_linearise(int n, const flx_contact_point *points, flx_frames f,
                           const double *switches, const double *v, double *A0, double *A1)
{
    for (int k = 0; k < n; k++) {
        const flx_contact_point *p = points + k;
        flx_jet j;
        flx_scalar_value(&p->gap, f, switches, &j);
        if (!flx_contact_point_acts(p, j.value, switches)) continue;
        flx_scalar_jet(&p->gap, f, switches, &j);
        flx_law_force F =
            flx_contact_point_force(p, f, &j, flx_jet_rate(&p->gap, &j, v), switches, NULL);
        along rate = {{0}}, by_q = {{0}}, by_v = {{0}};
        flx_jet_rate_gradient(&p->gap, &j, v, rate);
        add_to(by_q, F.by_depth, j.g);
        add_to(by_q, F.by_rate, rate);
        add_to(by_v, F.by_rate, j.g);
        flx_jet_add_stiffness(&p->gap, &j, F.force, A0);
        flx_jet_add_outer(&p->gap, &j, 1.0, by_q, A0);
        flx_jet_add_outer(&p->gap, &j, 1.0, by_v, A1);
        for (int i = 0; i < RUBBINGS && F.force != 0.0; i++) {
            rubbing one = rubbing_of(p, i);
            if (one.n > 0) {
                linearise_friction(&one, f, switches, v, F.force, by_q, by_v, A0, A1);
            }
        }
    }
}

void flx_contact_energy(int n, const flx_contact_point *points, flx_frames f,
                        const double *switches, const double *v, flx_energies *e)
{
    for (int k = 0; k < n; k++) {
        const flx_contact_point *p = points + k;
        flx_jet j;
        flx_scalar_value(&p->gap, f, switches, &j);
        if (!flx_contact_point_acts(p, j.value, switches)) continue;
        flx_scalar_gradient(&p->gap, f, switches, &j);
        double rate = flx_jet_rate(&p->gap, &j, v);
        double F = flx_contact_point_force(p, f, &j, rate, switches, NULL).force, stored;
        double elastic = flx_contact_point_force(p, f, &j, 0.0, switches, &stored).force;
        e->strain += stored;
        e->dissipated_power += (F - fmax(elastic, 0.0)) * rate;
        for (int i = 0; i < RUBBINGS && F != 0.0; i++) {
            rubbing one = rubbing_of(p, i);
            e->dissipated_power += friction_power(&one, f, switches, v, F);
        }
    }
}
