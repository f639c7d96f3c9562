// quasistatic_energy.c - energies of a reduced system. The others carry a part of the inertia of J:
//     u_J = v_J,   (M u)_I + G_I^T zeta = 0,   G u = 0                                   (RED-8)
// is what they do for v_J, and N is what remains: v_J^T N v_J = u^T M u. Of the kinetic energy k N
// is left in the place of N. The forces of the base are those of the mass M, not of the reduced
// one, so that its change is
//     d/dt (T + (k-1)/2 v_J^T N v_J) = P + (k-1) (v_J^T N' v_J / 2 - alpha v_J^T N v_J)
//     v_J^T N' v_J = u^T (M' u + 2 G'^T zeta)                                            (RED-9)
// with the power P of the base; what is added to it is counted as supplied.
#include "math/pattern.h"
#include "reduced/quasistatic_parts.h"

// Row i, column j of (RED-8) at the tangent of the base: unlinked unknowns and J are as given.
static double value_of(const flx_quasistatic *z, const flx_blocks *b, int i, int j, int at)
{
    const flx_dims *d = &z->z.base->dims;
    bool velocity = j < d->nv;
    if (z->copy[i] < 0) return i == j ? 1.0 : 0.0;
    if (i < d->nv) return velocity ? b->A2[at] : z->copy[j] >= 0 ? b->A0[at] : 0.0;
    if (!velocity) return 0.0;
    double tau = z->tau[i - z->first_row], sigma = z->sigma[i - z->first_row];
    return tau != 0.0 ? b->A1[at] / tau : b->A0[at] / sigma;
}

static void fill_matrix(const flx_quasistatic *z, flx_quasistatic_work *w)
{
    const flx_pattern *p = &z->z.base->pattern;
    for (int bi = 0; bi < p->nblock; bi++) {
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            int at = p->offset[e], bj = p->col[e];
            for (int i = p->start[bi]; i < p->start[bi + 1]; i++) {
                for (int j = p->start[bj]; j < p->start[bj + 1]; j++, at++) {
                    w->values[at] = value_of(z, &w->slow, i, j, at);
                }
            }
        }
    }
}

// u and zeta of (RED-8), by the tangent of the base without acceleration and multipliers.
static flx_status find_carried(const flx_quasistatic *z, flx_quasistatic_work *w, const double *v)
{
    const flx_system *base = z->z.base;
    const flx_dims *d = &base->dims;
    memset(w->carried, 0, (size_t)flx_dims_unknowns(d) * sizeof *w->carried);
    for (int i = 0; i < d->nv; i++) w->carried[i] = z->reduced[i] ? v[i] : 0.0;
    if (z->nlinked == 0) return FLX_OK;
    fill_matrix(z, w);
    FLX_TRY(flx_lu_factor(w->lu, w->values));
    flx_lu_solve(w->lu, w->carried);
    return FLX_OK;
}

static double product(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

flx_status flx_quasistatic_energy(const flx_system *s, flx_work *work, const flx_point *p,
                                  flx_energies *e)
{
    const flx_quasistatic *z = flx_quasistatic_of(s);
    flx_quasistatic_work *w = flx_quasistatic_work_of(work);
    const flx_system *base = z->z.base;
    const flx_dims *d = &base->dims;
    int n = flx_dims_unknowns(d);
    flx_point at = *p;
    FLX_TRY(base->ops->energy(base, w->base.inner, p, e)); // lambda, not eta: motions drive v'
    memset(w->lam, 0, (size_t)d->nlam * sizeof *w->lam);
    at.a = w->zero;
    at.lam = w->lam;
    FLX_TRY(base->ops->linearise(base, w->base.inner, &at, &w->slow));
    FLX_TRY(find_carried(z, w, p->v));
    for (int i = 0; i < d->nlam; i++) w->lam[i] = 2.0 * w->carried[z->first_row + i];
    at.a = w->carried;
    FLX_TRY(base->ops->linearise(base, w->base.inner, &at, &w->fast));
    for (size_t i = 0; i < flx_pattern_size(&base->pattern); i++) w->fast.A0[i] -= w->slow.A0[i];
    flx_pattern_apply(&base->pattern, w->slow.A2, w->carried, w->r);
    double inertia = product(d->nv, w->carried, w->r); // v_J^T N v_J
    memset(w->r2, 0, (size_t)n * sizeof *w->r2);
    memcpy(w->r2, p->v, (size_t)d->nv * sizeof *w->r2);
    memcpy(w->r2 + d->nv, p->dx, (size_t)d->nx * sizeof *w->r2); // masses may depend on states
    flx_pattern_apply(&base->pattern, w->fast.A0, w->r2, w->r);
    double change = product(d->nv, w->carried, w->r); // v_J^T N' v_J
    e->kinetic += 0.5 * (z->factor - 1.0) * inertia;
    e->supplied_power += (z->factor - 1.0) * (0.5 * change - z->mass_damping * inertia);
    return FLX_OK;
}
