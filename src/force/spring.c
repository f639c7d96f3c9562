// spring.c - spring-damper on a scalar phi(q): a length, or a joint's angle or displacement.
//
//     F = k (phi - rest) + c phi',   r_v += G^T F                              (SPR-1)
//     A0 += F K + k G^T G + c G^T (G v)_q,   A1 += c G^T G                      (SPR-2)
// A line spring whose rest length is 0 has the potential k |d|^2/2, which is smooth at d = 0: its
// elastic part is taken from that, its damper from the length.
#include "force/force.h"

static double elastic_force(const flx_spring *p, const flx_jet *j)
{
    return p->centred ? 0.0 : p->k * (j->value - p->rest);
}

void flx_spring_residual(int n, const flx_spring *springs, flx_frames f, const double *switches,
                         const double *v, double *r)
{
    for (int k = 0; k < n; k++) {
        const flx_spring *p = springs + k;
        flx_jet j;
        if (p->centred) {
            flx_scalar_gradient(&p->centre, f, switches, &j);
            flx_jet_add_force(&p->centre, &j, p->k, r);
            if (p->c == 0.0) continue;
        }
        flx_scalar_gradient(&p->s, f, switches, &j);
        double F = elastic_force(p, &j) + p->c * flx_jet_rate(&p->s, &j, v);
        flx_jet_add_force(&p->s, &j, F, r);
    }
}

void flx_spring_linearise(int n, const flx_spring *springs, flx_frames f, const double *switches,
                          const double *v, double *A0, double *A1)
{
    for (int k = 0; k < n; k++) {
        const flx_spring *p = springs + k;
        flx_jet j;
        if (p->centred) {
            flx_scalar_jet(&p->centre, f, switches, &j);
            flx_jet_add_stiffness(&p->centre, &j, p->k, A0);
            if (p->c == 0.0) continue;
        }
        flx_scalar_jet(&p->s, f, switches, &j);
        double F = elastic_force(p, &j) + p->c * flx_jet_rate(&p->s, &j, v), h[2][6];
        flx_jet_add_stiffness(&p->s, &j, F, A0);
        if (!p->centred) flx_jet_add_outer(&p->s, &j, p->k, j.g, A0);
        if (p->c == 0.0) continue;
        flx_jet_rate_gradient(&p->s, &j, v, h);
        flx_jet_add_outer(&p->s, &j, p->c, h, A0);
        flx_jet_add_outer(&p->s, &j, p->c, j.g, A1);
    }
}

void flx_spring_energy(int n, const flx_spring *springs, flx_frames f, const double *switches,
                       const double *v, flx_energies *e)
{
    for (int k = 0; k < n; k++) {
        const flx_spring *p = springs + k;
        flx_jet j;
        flx_scalar_gradient(&p->s, f, switches, &j);
        double stretch = j.value - p->rest, rate = flx_jet_rate(&p->s, &j, v);
        e->strain += 0.5 * p->k * stretch * stretch;
        e->dissipated_power += p->c * rate * rate;
    }
}

// (MIX-2) the larger part of k (phi - rest) + c phi' is what the pull leaves of the smaller one.
void flx_spring_energy_mixed(int n, const flx_spring *springs, flx_frames f, const double *switches,
                             const double *v, const double *pull, double h, flx_energies *e)
{
    for (int i = 0; i < n; i++) {
        const flx_spring *p = springs + i;
        flx_jet j;
        flx_scalar_gradient(&p->s, f, switches, &j);
        double stretch = j.value - p->rest, rate = flx_jet_rate(&p->s, &j, v);
        if (isinf(p->k)) continue; // it does not move
        if (fabs(p->k) > fabs(p->c) / h) {
            double elastic = pull[i] - p->c * rate;
            e->strain += 0.5 * elastic * elastic / p->k;
            e->dissipated_power += p->c * rate * rate;
        } else {
            double viscous = pull[i] - p->k * stretch;
            e->strain += 0.5 * p->k * stretch * stretch;
            e->dissipated_power += viscous * viscous / p->c;
        }
    }
}
