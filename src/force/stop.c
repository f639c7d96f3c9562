// stop.c - limits of coordinates: what is beyond a bound is pushed back by a law of contact.
//
//     x = s (phi - bound),  s = 1 above an upper bound, -1 below a lower one
//     F = F(x, x') >= 0,   r_v += s G^T F                                                       (STO-2)
//     A0 += s F K + F_x G^T G + F_x' G^T (G v)_q,   A1 += F_x' G^T G                             (STO-3)
// Over a step that conserves energy the elastic part is (W(x1) - W(x0))/(x1 - x0), W its energy.  (STO-4)
#include "force/stop.h"

#include <float.h>

static double excess(const flx_stop_bound *p, double phi)
{
    return p->sign * (phi - p->bound);
}

// Where the law has a kink its switch tells the side; elsewhere the excess does.
static bool is_closed(const flx_stop_bound *p, double x, const double *switches)
{
    return p->closed >= 0 ? switches[p->closed] != 0.0 : x > 0.0;
}

void flx_stop_residual(int n, const flx_stop_bound *stops, flx_frames f, const double *switches,
                       const double *v, double *r)
{
    for (int k = 0; k < n; k++) {
        const flx_stop_bound *p = stops + k;
        flx_jet j;
        flx_scalar_value(&p->s, f, switches, &j);
        double x = excess(p, j.value);
        if (!is_closed(p, x, switches)) continue;
        flx_scalar_gradient(&p->s, f, switches, &j);
        double rate = p->sign * flx_jet_rate(&p->s, &j, v);
        flx_law_force F = flx_law_eval(&p->law, x, rate, 0.0, true);
        flx_jet_add_force(&p->s, &j, p->sign * F.force, r);
    }
}

void flx_stop_linearise(int n, const flx_stop_bound *stops, flx_frames f, const double *switches,
                        const double *v, double *A0, double *A1)
{
    for (int k = 0; k < n; k++) {
        const flx_stop_bound *p = stops + k;
        flx_jet j;
        double h[2][6];
        flx_scalar_value(&p->s, f, switches, &j);
        double x = excess(p, j.value);
        if (!is_closed(p, x, switches)) continue;
        flx_scalar_jet(&p->s, f, switches, &j);
        double rate = p->sign * flx_jet_rate(&p->s, &j, v);
        flx_law_force F = flx_law_eval(&p->law, x, rate, 0.0, true);
        flx_jet_add_stiffness(&p->s, &j, p->sign * F.force, A0);
        flx_jet_add_outer(&p->s, &j, F.by_depth, j.g, A0);
        if (F.by_rate == 0.0) continue;
        flx_jet_rate_gradient(&p->s, &j, v, h);
        flx_jet_add_outer(&p->s, &j, F.by_rate, h, A0);
        flx_jet_add_outer(&p->s, &j, F.by_rate, j.g, A1);
    }
}

// The force without damping.
static flx_law_force elastic(const flx_law *law, double x)
{
    flx_law undamped = *law;
    undamped.a = undamped.av = undamped.c = 0.0;
    return flx_law_eval(&undamped, x, 0.0, 0.0, x > 0.0);
}

void flx_stop_energy(int n, const flx_stop_bound *stops, flx_frames f, const double *switches,
                     const double *v, flx_energies *e)
{
    for (int k = 0; k < n; k++) {
        const flx_stop_bound *p = stops + k;
        flx_jet j;
        flx_scalar_gradient(&p->s, f, switches, &j);
        double x = excess(p, j.value), rate = p->sign * flx_jet_rate(&p->s, &j, v);
        if (!(x > 0.0) || !is_closed(p, x, switches)) continue;
        double F = flx_law_eval(&p->law, x, rate, 0.0, true).force;
        e->strain += flx_law_energy(&p->law, x);
        e->dissipated_power += (F - elastic(&p->law, x).force) * rate;
    }
}

// ---- steps that conserve energy -----------------------------------------------------------------

void flx_stop_values(int n, const flx_stop_bound *stops, flx_frames f, const double *switches,
                     double *phi, double (*slope)[2][6])
{
    for (int k = 0; k < n; k++) {
        flx_jet j;
        if (slope) {
            flx_scalar_gradient(&stops[k].s, f, switches, &j);
            memcpy(slope[k], j.g, sizeof j.g);
        } else {
            flx_scalar_value(&stops[k].s, f, switches, &j);
        }
        phi[k] = j.value;
    }
}

// (STO-4), and its derivative by x1. Where the two are too near for the quotient: at the mean.
static double secant(const flx_law *law, double x0, double x1, double *slope)
{
    double dx = x1 - x0, size = fmax(fabs(x0), fabs(x1));
    if (fabs(dx) <= 1e-5 * size || dx == 0.0) {
        flx_law_force F = elastic(law, 0.5 * (x0 + x1));
        *slope = 0.5 * F.by_depth;
        return F.force;
    }
    double F = (flx_law_energy(law, x1) - flx_law_energy(law, x0)) / dx;
    *slope = (elastic(law, x1).force - F) / dx;
    return F;
}

void flx_stop_discrete(int n, const flx_stop_bound *stops, flx_frames f, const double *switches,
                       const double *phi, const double *end, double *r)
{
    for (int k = 0; k < n; k++) {
        const flx_stop_bound *p = stops + k;
        double x0 = excess(p, phi[k]), x1 = excess(p, end[k]), slope;
        flx_jet j;
        flx_scalar_gradient(&p->s, f, switches, &j);
        double middle = elastic(&p->law, excess(p, j.value)).force;
        double F = secant(&p->law, x0, x1, &slope) - middle;
        if (F != 0.0) flx_jet_add_force(&p->s, &j, p->sign * F, r);
    }
}

void flx_stop_discrete_linearise(int n, const flx_stop_bound *stops, flx_frames f,
                                 const double *switches, const double *phi, const double *end,
                                 const double (*slope)[2][6], double *A0)
{
    for (int k = 0; k < n; k++) {
        const flx_stop_bound *p = stops + k;
        double x0 = excess(p, phi[k]), x1 = excess(p, end[k]), ends, h[2][6];
        flx_jet j;
        flx_scalar_jet(&p->s, f, switches, &j);
        flx_law_force middle = elastic(&p->law, excess(p, j.value));
        double F = secant(&p->law, x0, x1, &ends) - middle.force;
        for (int i = 0; i < 12; i++) {
            h[i / 6][i % 6] =
                2.0 * ends * slope[k][i / 6][i % 6] - middle.by_depth * j.g[i / 6][i % 6];
        }
        flx_jet_add_stiffness(&p->s, &j, p->sign * F, A0);
        flx_jet_add_outer(&p->s, &j, 1.0, h, A0);
    }
}
