// modal2.c - flexible body in a floating frame, in the plane: v = (x', y', angle', q'). With ^ the turn
// by a right angle, (x, y)^ = (-y, x), J = Jzz, N = Nz, and R of the frame:
//
//     r_r = m (r'' - g) + R c,   c = w' S^ - w^2 S + 2 w S'^ + S_k q_k'' + S_kl q_k' q_l'          (MOD-5)
//     r_w = S^.b + J w' + J' w + N_k q_k'' + N_k,l q_k' q_l'
//     r_k = S_k.b + N_k w' + M q'' + (N_k,l - N_l,k) w q_l' - w^2 J_k/2 + K q + k0 + D q'
// which is (MOD-2) to (MOD-4) for motions in the plane.
#include "body/modal_one_sided.h"

typedef struct v2 {
    double x, y;
} v2;

typedef struct series { // at one q
    int n;
    v2 S, Sd, Sdd; // S, S', S_kl q_k' q_l'
    double J, Jd, N, Nd;
    double *Sk, *Sr;           // (n x 2): S_k,  S_kl q_l'
    double *Jk, *Nk, *Nr, *Nl; // (n): J_k, N_k,  N_k,l q_l',  N_l,k q_l'
} series;

static flx_grain_view see(const flx_modal_data *b, const flx_frame2 *f, const flx_modal_point *p)
{
    return (flx_grain_view){.e = b->e,
                            .R = {{f->c, -f->s, 0, f->s, f->c, 0, 0, 0, 1}},
                            .r = {f->x, f->y, 0},
                            .v = {f->vx, f->vy, 0},
                            .w = {0, 0, f->w},
                            .q = p->q + b->q,
                            .u = p->v + b->u,
                            .nf = 3,
                            .scratch = p->scratch};
}

static flx_grain_rates rates(const flx_modal_data *b, const flx_modal_point *p)
{
    const double *a = p->a + b->v; // weight is an acceleration of the frame
    return (flx_grain_rates){
        .a = {a[0] - p->g[0], a[1] - p->g[1], 0}, .alpha = {0, 0, a[2]}, .qdd = p->a + b->u};
}

static v2 v2_make(double x, double y)
{
    return (v2){x, y};
}

static v2 v2_load(const double *p)
{
    return (v2){p[0], p[1]};
}

static v2 axpy(double f, v2 a, v2 b)
{
    return (v2){f * a.x + b.x, f * a.y + b.y};
}

static v2 hat(v2 a)
{
    return (v2){-a.y, a.x};
}

static double dot(v2 a, v2 b)
{
    return a.x * b.x + a.y * b.y;
}

// To ground axes, and back.
static v2 turn(const flx_frame2 *f, v2 a)
{
    return (v2){f->c * a.x - f->s * a.y, f->s * a.x + f->c * a.y};
}

static v2 turn_back(const flx_frame2 *f, v2 a)
{
    return (v2){f->c * a.x + f->s * a.y, -f->s * a.x + f->c * a.y};
}

static void evaluate(const flx_modal_data *b, const flx_modal_point *p, series *s)
{
    const flx_elastic *e = b->e;
    const double *q = p->q + b->q, *u = p->v + b->u;
    int n = e->n;
    double *at = p->scratch;
    *s = (series){.n = n, .S = v2_load(e->S0), .J = e->J0[2]};
    s->Sk = at, s->Sr = at + 2 * n, s->Jk = at + 4 * n, s->Nk = at + 5 * n;
    s->Nr = at + 6 * n, s->Nl = at + 7 * n;
    for (int k = 0; k < n; k++) {
        v2 S1 = v2_load(e->S1 + 3 * k), Sk = S1, Sr = {0, 0};
        double J1 = e->J1[6 * k + 2], Jk = J1, Nk = e->N0[3 * k + 2], Nr = 0.0, Nl = 0.0;
        for (int l = 0; l < n; l++) {
            int kl = k * n + l, lk = l * n + k;
            if (e->S2) {
                Sk = axpy(q[l], v2_load(e->S2 + 3 * kl), Sk);
                Sr = axpy(u[l], v2_load(e->S2 + 3 * kl), Sr);
            }
            if (e->N1) {
                Nk += e->N1[3 * lk + 2] * q[l];
                Nr += e->N1[3 * lk + 2] * u[l];
                Nl += e->N1[3 * kl + 2] * u[l];
            }
            if (e->J2) Jk += e->J2[6 * kl + 2] * q[l];
        }
        s->S = axpy(0.5 * q[k], axpy(1.0, S1, Sk), s->S);
        s->J += 0.5 * (J1 + Jk) * q[k];
        s->Sd = axpy(u[k], Sk, s->Sd);
        s->Sdd = axpy(u[k], Sr, s->Sdd);
        s->Jd += Jk * u[k];
        s->N += Nk * u[k];
        s->Nd += Nr * u[k];
        s->Sk[2 * k] = Sk.x, s->Sk[2 * k + 1] = Sk.y;
        s->Sr[2 * k] = Sr.x, s->Sr[2 * k + 1] = Sr.y;
        s->Jk[k] = Jk, s->Nk[k] = Nk, s->Nr[k] = Nr, s->Nl[k] = Nl;
    }
}

// The velocity terms of c.
static v2 whirl(const series *s, double w)
{
    return axpy(-w * w, s->S, axpy(2.0 * w, hat(s->Sd), s->Sdd));
}

static void add2(double *to, double f, v2 a)
{
    to[0] += f * a.x;
    to[1] += f * a.y;
}

// rows += M x
static void add_mass(const flx_modal_data *b, const series *s, const flx_frame2 *f, v2 y, double w,
                     const double *xu, double *rows, double *own)
{
    const flx_elastic *e = b->e;
    int n = s->n;
    v2 a = turn_back(f, y), c = axpy(w, hat(s->S), v2_make(0, 0));
    double t = dot(hat(s->S), a) + s->J * w;
    for (int k = 0; k < n; k++) {
        v2 Sk = v2_load(s->Sk + 2 * k);
        double sum = dot(Sk, a) + s->Nk[k] * w;
        for (int l = 0; l < n; l++) sum += e->M[k * n + l] * xu[l];
        own[k] += sum;
        c = axpy(xu[k], Sk, c);
        t += s->Nk[k] * xu[k];
    }
    add2(rows, 1.0, axpy(e->m, y, turn(f, c)));
    rows[2] += t;
}

void flx_modal2_residual(int nb, const flx_modal_data *bodies, const flx_frame2 *frames,
                         const flx_modal_point *p, double *r)
{
    for (int i = 0; i < nb; i++) {
        const flx_modal_data *b = bodies + i;
        const flx_frame2 *f = frames + b->frame;
        const double *a = p->a + b->v;
        double *rows = r + b->v, *own = r + b->u, w = f->w;
        flx_elastic_forces(b->e, p->q + b->q, p->v + b->u, own);
        if (b->e->ngrain > 0 || b->e->one_sided) {
            flx_grain_view x = see(b, f, p);
            flx_grain_rates at = rates(b, p);
            if (b->e->one_sided) flx_one_sided_residual(&x, &at, own);
            if (b->e->ngrain > 0) {
                flx_grains_residual(&x, &at, rows, own);
                continue;
            }
        }
        series s;
        evaluate(b, p, &s);
        add_mass(b, &s, f, v2_make(a[0] - p->g[0], a[1] - p->g[1]), a[2], p->a + b->u, rows, own);
        add2(rows, 1.0, turn(f, whirl(&s, w)));
        rows[2] += s.Jd * w + s.Nd;
        for (int k = 0; k < s.n; k++) {
            own[k] += (s.Nr[k] - s.Nl[k]) * w - 0.5 * w * w * s.Jk[k];
        }
    }
}

// ---- tangent ------------------------------------------------------------------------------------

static void mass_tangent(const flx_modal_data *b, const series *s, const flx_frame2 *f, double *A2)
{
    const flx_elastic *e = b->e;
    int n = s->n;
    double *F = A2 + b->at[0][0], *C = A2 + b->at[0][1], *T = A2 + b->at[1][0];
    v2 x = turn(f, hat(s->S));
    F[0] += e->m, F[4] += e->m, F[8] += s->J;
    F[2] += x.x, F[5] += x.y;
    F[6] += x.x, F[7] += x.y;
    for (int k = 0; k < n; k++) {
        v2 Sk = turn(f, v2_load(s->Sk + 2 * k));
        C[k] += Sk.x, C[n + k] += Sk.y, C[2 * n + k] += s->Nk[k];
        T[3 * k] += Sk.x, T[3 * k + 1] += Sk.y, T[3 * k + 2] += s->Nk[k];
    }
    double *own = A2 + b->at[1][1];
    for (int kl = 0; kl < n * n; kl++) own[kl] += e->M[kl];
}

static void velocity_tangent(const flx_modal_data *b, const series *s, const flx_frame2 *f,
                             double *A1)
{
    const flx_elastic *e = b->e;
    int n = s->n;
    double *F = A1 + b->at[0][0], *C = A1 + b->at[0][1], *T = A1 + b->at[1][0];
    double *own = A1 + b->at[1][1], w = f->w;
    v2 x = turn(f, axpy(-2.0 * w, s->S, axpy(2.0, hat(s->Sd), v2_make(0, 0))));
    F[2] += x.x, F[5] += x.y, F[8] += s->Jd;
    for (int k = 0; k < n; k++) {
        v2 c = turn(f, axpy(w, hat(v2_load(s->Sk + 2 * k)), v2_load(s->Sr + 2 * k)));
        C[k] += 2.0 * c.x, C[n + k] += 2.0 * c.y;
        C[2 * n + k] += s->Jk[k] * w + s->Nr[k] + s->Nl[k];
        T[3 * k + 2] += s->Nr[k] - s->Nl[k] - w * s->Jk[k];
        for (int l = 0; e->N1 && l < n; l++) {
            int kl = k * n + l, lk = l * n + k;
            own[kl] += w * (e->N1[3 * lk + 2] - e->N1[3 * kl + 2]);
        }
    }
}

static void position_tangent(const flx_modal_data *b, const series *s, const flx_frame2 *f,
                             const flx_modal_point *p, double *A0)
{
    const flx_elastic *e = b->e;
    int n = s->n;
    const double *a = p->a + b->v, *qdd = p->a + b->u;
    double *F = A0 + b->at[0][0], *C = A0 + b->at[0][1], *T = A0 + b->at[1][0];
    double *own = A0 + b->at[1][1], w = f->w, alpha = a[2];
    v2 acc = turn_back(f, v2_make(a[0] - p->g[0], a[1] - p->g[1]));
    v2 c = axpy(alpha, hat(s->S), whirl(s, w)), ahead = hat(acc);
    for (int k = 0; k < n; k++) {
        v2 Sk = v2_load(s->Sk + 2 * k), Sr = v2_load(s->Sr + 2 * k), S2 = {0, 0};
        double N2 = 0.0, J2 = 0.0;
        c = axpy(qdd[k], Sk, c);
        for (int l = 0; l < n; l++) {
            int kl = k * n + l, lk = l * n + k;
            double sum = 0.0;
            if (e->S2) {
                S2 = axpy(qdd[l], v2_load(e->S2 + 3 * kl), S2);
                sum += dot(v2_load(e->S2 + 3 * kl), acc);
            }
            if (e->N1) {
                N2 += e->N1[3 * kl + 2] * qdd[l];
                sum += e->N1[3 * lk + 2] * alpha;
            }
            if (e->J2) {
                J2 += e->J2[6 * kl + 2] * p->v[b->u + l];
                sum -= 0.5 * w * w * e->J2[6 * kl + 2];
            }
            own[kl] += sum;
        }
        v2 dc = axpy(alpha, hat(Sk), axpy(-w * w, Sk, axpy(2.0 * w, hat(Sr), S2)));
        v2 x = turn(f, dc);
        C[k] += x.x, C[n + k] += x.y;
        C[2 * n + k] += dot(hat(Sk), acc) + s->Jk[k] * alpha + J2 * w + N2;
        T[3 * k + 2] -= dot(Sk, ahead);
    }
    v2 x = turn(f, hat(c));
    F[2] += x.x, F[5] += x.y;
    F[8] -= dot(hat(s->S), ahead);
}

void flx_modal2_linearise(int nb, const flx_modal_data *bodies, const flx_frame2 *frames,
                          const flx_modal_point *p, double *A0, double *A1, double *A2)
{
    for (int i = 0; i < nb; i++) {
        const flx_modal_data *b = bodies + i;
        const flx_frame2 *f = frames + b->frame;
        flx_elastic_tangents(b->e, A0 ? A0 + b->at[1][1] : NULL, A1 ? A1 + b->at[1][1] : NULL);
        if (b->e->ngrain > 0 || b->e->one_sided) {
            flx_grain_view x = see(b, f, p);
            flx_grain_rates at = A0 ? rates(b, p) : (flx_grain_rates){0};
            if (b->e->one_sided) flx_one_sided_linearise(&x, &at, b->at, A0, A1, A2);
            if (b->e->ngrain > 0) {
                flx_grains_linearise(&x, &at, b->at, A0, A1, A2);
                continue;
            }
        }
        series s;
        evaluate(b, p, &s);
        mass_tangent(b, &s, f, A2);
        if (A1) velocity_tangent(b, &s, f, A1);
        if (A0) position_tangent(b, &s, f, p, A0);
    }
}

// ---- energy and momentum ------------------------------------------------------------------------

void flx_modal2_energy(int nb, const flx_modal_data *bodies, const flx_frame2 *frames,
                       const flx_modal_point *p, flx_energies *out)
{
    for (int i = 0; i < nb; i++) {
        const flx_modal_data *b = bodies + i;
        const flx_elastic *e = b->e;
        const flx_frame2 *f = frames + b->frame;
        const double *q = p->q + b->q, *u = p->v + b->u;
        flx_elastic_energy(e, q, u, out);
        if (e->ngrain > 0) {
            flx_grain_view x = see(b, f, p);
            flx_grains_energy(&x, p->g, out);
            continue;
        }
        series s;
        evaluate(b, p, &s);
        v2 r = {f->x, f->y}, v = {f->vx, f->vy}, lever = turn(f, s.S);
        v2 inner = turn(f, axpy(f->w, hat(s.S), s.Sd)), P = axpy(e->m, v, inner);
        out->kinetic +=
            0.5 * e->m * dot(v, v) + dot(v, inner) + 0.5 * s.J * f->w * f->w + f->w * s.N;
        out->potential -= dot(v2_load(p->g), axpy(e->m, r, lever));
        flx_elastic_add_kinetic(e, u, out);
        add2(out->linear, 1.0, P);
        out->angular[2] += dot(hat(r), P) + s.J * f->w + s.N + dot(hat(lever), v);
    }
}

void flx_modal2_momentum(int nb, const flx_modal_data *bodies, const flx_frame2 *frames,
                         const flx_modal_point *p, double *Mv)
{
    for (int i = 0; i < nb; i++) {
        const flx_modal_data *b = bodies + i;
        const double *v = p->v + b->v;
        if (b->e->ngrain > 0) {
            flx_grain_view x = see(b, frames + b->frame, p);
            flx_grains_momentum(&x, Mv + b->v, Mv + b->u);
            continue;
        }
        series s;
        evaluate(b, p, &s);
        add_mass(b, &s, frames + b->frame, v2_load(v), v[2], p->v + b->u, Mv + b->v, Mv + b->u);
    }
}

void flx_modal2_transport(int nb, const flx_modal_data *bodies, const flx_frame2 *frames,
                          const flx_modal_point *p, double *out)
{
    for (int i = 0; i < nb; i++) {
        const flx_modal_data *b = bodies + i;
        const flx_frame2 *f = frames + b->frame;
        if (b->e->ngrain > 0) {
            flx_grain_view x = see(b, f, p);
            flx_grains_transport(&x, out + b->v, out + b->u);
            continue;
        }
        v2 u = turn_back(f, v2_make(f->vx, f->vy)), ahead = hat(u);
        double w = f->w;
        series s;
        evaluate(b, p, &s);
        add2(out + b->v, 1.0, turn(f, whirl(&s, w)));
        out[b->v + 2] += s.Jd * w + dot(hat(s.Sd), u) - w * dot(hat(s.S), ahead) + s.Nd;
        for (int k = 0; k < s.n; k++) {
            out[b->u + k] +=
                dot(v2_load(s.Sr + 2 * k), u) - w * dot(v2_load(s.Sk + 2 * k), ahead) + s.Nr[k] * w;
        }
    }
}
