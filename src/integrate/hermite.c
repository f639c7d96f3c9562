// hermite.c - values between the ends of a step, for methods without their own dense output.
//
//     theta(s) = h10 h v_0 + h01 theta_1 + h11 h theta'_1,   theta_1 = q_1 (-) q_0      (HER-1)
//     theta'_1 = B(theta_1)^-1 v_1,   v(s) = B(theta) theta'
#include "integrate/method.h"

#include <string.h>

void flx_hermite(const flx_system *s, const flx_state *before, const flx_state *after, double t,
                 double *theta, double *rate, flx_state *out)
{
    const flx_dims *d = &s->dims;
    double h = after->t - before->t, c = (t - before->t) / h, e = 1.0 - c;
    double h10 = c * e * e, h01 = c * c * (3.0 - 2.0 * c), h11 = -c * c * e;
    double d10 = e * (1.0 - 3.0 * c), d01 = 6.0 * c * e, d11 = c * (3.0 * c - 2.0);

    s->ops->difference(s, before->q, after->q, theta);
    s->ops->rate(s, theta, after->v, rate);
    for (int i = 0; i < d->nv; i++) {
        double v0 = before->v[i], th = theta[i], r = rate[i];
        theta[i] = h10 * h * v0 + h01 * th + h11 * h * r;
        rate[i] = d10 * v0 + d01 * th / h + d11 * r;
    }
    s->ops->retract(s, before->q, theta, out->q);
    s->ops->velocity(s, theta, rate, out->v);
    for (int i = 0; i < d->nv; i++) out->a[i] = e * before->a[i] + c * after->a[i];
    for (int i = 0; i < d->nx; i++) {
        double x0 = before->x[i], x1 = after->x[i], r0 = before->dx[i], r1 = after->dx[i];
        out->x[i] = x0 + h01 * (x1 - x0) + h * (h10 * r0 + h11 * r1);
        out->dx[i] = d01 * (x1 - x0) / h + d10 * r0 + d11 * r1;
    }
    for (int i = 0; i < d->nw; i++) out->w[i] = e * before->w[i] + c * after->w[i];
    for (int i = 0; i < d->nlam; i++) out->lam[i] = e * before->lam[i] + c * after->lam[i];
    for (int i = 0; i < d->nmu; i++) out->mu[i] = e * before->mu[i] + c * after->mu[i];
    // switches are frozen within a step
    memcpy(out->switches, before->switches, (size_t)d->nswitch * sizeof *out->switches);
    out->t = t;
}
