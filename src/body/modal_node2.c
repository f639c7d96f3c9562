// modal_node2.c - a node of a flexible body in the plane: it is at r + R s(q), turned by angle + psi(q),
// so that with (x, y)^ = (-y, x)
//
//     p' = v + R (w s^ + s_k q_k'),   w_node = w + psi_k q_k'                                    (FLX-3)
//     bias = (R (-w^2 s + 2 w s'^ + s_kl q_k' q_l'),  psi_kl q_k' q_l')                          (FLX-5)
// which is the node of space for motions in the plane, but for large psi: an angle is its own.
#include "body/modal_node.h"

typedef struct node { // at one state
    int n;
    double s[2], sd[2], sdd[2];         // s, s_k q_k', s_kl q_k' q_l'
    double angle, rate, second;         // psi, psi_k q_k', psi_kl q_k' q_l'
    double *sk, *sr, *psi_k, *psi_rate; // (n x 2): s_k,  s_kl q_l'; (n): of psi
} node;

static void evaluate(const flx_modal_data *b, const flx_elastic_node *x, const flx_modal_point *p,
                     node *o)
{
    const double *q = p->q + b->q, *u = p->v + b->u;
    int n = b->e->n;
    *o = (node){.n = n, .s = {x->at[0], x->at[1]}};
    o->sk = p->scratch, o->sr = o->sk + 2 * n, o->psi_k = o->sr + 2 * n, o->psi_rate = o->psi_k + n;
    o->angle = atan2(x->R[3], x->R[0]);
    for (int k = 0; k < n; k++) {
        const double first[3] = {x->phi[3 * k], x->phi[3 * k + 1], x->psi[3 * k + 2]};
        double d[3] = {first[0], first[1], first[2]}, r[3] = {0, 0, 0};
        for (int l = 0; l < n; l++) {
            const double *phi2 = x->phi2 ? x->phi2 + 3 * (k * n + l) : NULL;
            const double psi2 = x->psi2 ? x->psi2[3 * (k * n + l) + 2] : 0.0;
            for (int i = 0; i < 2 && phi2; i++) {
                d[i] += phi2[i] * q[l];
                r[i] += phi2[i] * u[l];
            }
            d[2] += psi2 * q[l];
            r[2] += psi2 * u[l];
        }
        for (int i = 0; i < 2; i++) {
            o->sk[2 * k + i] = d[i];
            o->sr[2 * k + i] = r[i];
            o->s[i] += 0.5 * (first[i] + d[i]) * q[k];
            o->sd[i] += d[i] * u[k];
            o->sdd[i] += r[i] * u[k];
        }
        o->psi_k[k] = d[2];
        o->psi_rate[k] = r[2];
        o->angle += 0.5 * (first[2] + d[2]) * q[k];
        o->rate += d[2] * u[k];
        o->second += r[2] * u[k];
    }
}

static void set_rotated(const flx_frame2 *f, double x, double y, double *to, int step)
{
    to[0] = f->c * x - f->s * y;
    to[step] = f->s * x + f->c * y;
}

void flx_modal_node2_place(const flx_modal_data *b, const flx_elastic_node *x, const flx_frame2 *f,
                           const flx_modal_point *p, flx_frame2 *out, double *J, double *bias)
{
    node o;
    evaluate(b, x, p, &o);
    int n = o.n, width = 3 + n;
    double w = f->w, at[2], v[2];
    set_rotated(f, o.s[0], o.s[1], at, 1);
    set_rotated(f, o.sd[0] - w * o.s[1], o.sd[1] + w * o.s[0], v, 1);
    out->angle = f->angle + o.angle;
    out->c = cos(out->angle), out->s = sin(out->angle);
    out->x = f->x + at[0], out->y = f->y + at[1];
    out->vx = f->vx + v[0], out->vy = f->vy + v[1];
    out->w = w + o.rate;
    memset(J, 0, (size_t)(3 * width) * sizeof *J);
    J[0] = J[width + 1] = J[2 * width + 2] = 1.0;
    J[2] = -at[1], J[width + 2] = at[0];
    for (int k = 0; k < n; k++) {
        set_rotated(f, o.sk[2 * k], o.sk[2 * k + 1], J + 3 + k, width);
        J[2 * width + 3 + k] = o.psi_k[k];
    }
    set_rotated(f, o.sdd[0] - w * (w * o.s[0] + 2.0 * o.sd[1]),
                o.sdd[1] - w * (w * o.s[1] - 2.0 * o.sd[0]), bias, 1);
    bias[2] = o.second;
}

void flx_modal_node2_tangent(const flx_modal_data *b, const flx_elastic_node *x,
                             const flx_frame2 *f, const flx_modal_point *p,
                             const flx_modal_node_slopes *t)
{
    node o;
    evaluate(b, x, p, &o);
    int n = o.n, width = 3 + n;
    double w = f->w, *Jv = t->Jv, *K = t->K, M = t->wrench[2];
    // the force in body axes
    double F[2] = {f->c * t->wrench[0] + f->s * t->wrench[1],
                   f->c * t->wrench[1] - f->s * t->wrench[0]};
    memset(Jv, 0, (size_t)(3 * width) * sizeof *Jv);
    memset(K, 0, (size_t)(width * width) * sizeof *K);
    set_rotated(f, -o.sd[1] - w * o.s[0], o.sd[0] - w * o.s[1], Jv + 2, width);
    K[2 * width + 2] = -(o.s[0] * F[0] + o.s[1] * F[1]);
    for (int k = 0; k < n; k++) {
        const double *sk = o.sk + 2 * k, *sr = o.sr + 2 * k;
        set_rotated(f, sr[0] - w * sk[1], sr[1] + w * sk[0], Jv + 3 + k, width);
        Jv[2 * width + 3 + k] = o.psi_rate[k];
        K[2 * width + 3 + k] = K[(3 + k) * width + 2] = sk[0] * F[1] - sk[1] * F[0];
        for (int l = 0; l < n; l++) {
            double sum = 0.0;
            if (x->phi2) {
                sum += x->phi2[3 * (k * n + l)] * F[0] + x->phi2[3 * (k * n + l) + 1] * F[1];
            }
            if (x->psi2) sum += x->psi2[3 * (k * n + l) + 2] * M;
            K[(3 + k) * width + 3 + l] = sum;
        }
    }
}

void flx_modal_node2_slope(const flx_modal_data *b, const flx_elastic_node *x, const flx_frame2 *f,
                           const flx_modal_point *p, const double *theta, double *dv, double *da)
{
    node o;
    evaluate(b, x, p, &o);
    int n = o.n;
    const double *qdd = p->a + b->u, *dq = theta + 3;
    double w = f->w, alpha = p->a[b->v + 2], turn = theta[2];
    // along q: s, s', s_k q_k'', and s_k q_k'' itself
    double s[2] = {0, 0}, sd[2] = {0, 0}, sa[2] = {0, 0}, own[2] = {0, 0};
    dv[2] = da[2] = 0.0;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 2; i++) {
            s[i] += dq[k] * o.sk[2 * k + i];
            sd[i] += dq[k] * o.sr[2 * k + i];
            own[i] += qdd[k] * o.sk[2 * k + i];
        }
        dv[2] += dq[k] * o.psi_rate[k];
        for (int l = 0; l < n; l++) {
            double c = dq[k] * qdd[l];
            for (int i = 0; i < 2 && x->phi2; i++) sa[i] += c * x->phi2[3 * (k * n + l) + i];
            if (x->psi2) da[2] += c * x->psi2[3 * (k * n + l) + 2];
        }
    }
    double v[2] = {o.sd[0] - w * o.s[1], o.sd[1] + w * o.s[0]};
    double c[2] = {own[0] + o.sdd[0] - alpha * o.s[1] - w * (w * o.s[0] + 2.0 * o.sd[1]),
                   own[1] + o.sdd[1] + alpha * o.s[0] - w * (w * o.s[1] - 2.0 * o.sd[0])};
    set_rotated(f, sd[0] - w * s[1] - turn * v[1], sd[1] + w * s[0] + turn * v[0], dv, 1);
    set_rotated(f, sa[0] - alpha * s[1] - w * (w * s[0] + 2.0 * sd[1]) - turn * c[1],
                sa[1] + alpha * s[0] - w * (w * s[1] - 2.0 * sd[0]) + turn * c[0], da, 1);
}
