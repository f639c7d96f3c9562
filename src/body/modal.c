// modal.c - flexible body in a floating frame, in space: v = (r', w, q') with r' in ground axes, w in
// body axes. Lagrange's equations of
//
//     T = m r'.r'/2 + r'.R (w x S + S') + w.J w/2 + w.N_k q_k' + q'.M q'/2,   S' = S_k q_k'      (MOD-1)
//     V = -m g.r - g.R S + q.K q/2 + k0.q
// are, with b = R^T (r'' - g), S_k = dS/dq_k, J_k = dJ/dq_k:
//
//     r_r = m (r'' - g) + R c,   c = w' x S + w x (w x S) + 2 w x S' + S_k q_k'' + S_kl q_k' q_l'  (MOD-2)
//     r_w = S x b + J w' + J' w + w x (J w + N_k q_k') + N_k q_k'' + N_k,l q_k' q_l'               (MOD-3)
//     r_k = S_k.b + N_k.w' + M q'' + (N_k,l - N_l,k).w q_l' - w.J_k w/2 + K q + k0 + D q'          (MOD-4)
// S, J, N are the series of (FLX-1), whatever they contain: the equations keep energy and momentum.
// Where the body has grains, (MOD-7) stands for them. Theory: docs/theory/elastic.md.
#include "body/modal_one_sided.h"

typedef struct series { // at one q
    int n;
    v3 S;
    m33 J;
    double *Sk, *Jk, *Nk; // (n x 3) (n x 6) (n x 3)
    double *Sr, *Nr;      // (n x 3): S_kl q_l',  N_k,l q_l'
    double *Nl;           // (n x 3): N_l,k q_l'
    v3 Sd, Sdd, N, Nd;    // S', S_kl q_k' q_l', N_k q_k', N_k,l q_k' q_l'
    m33 Jd;
} series;

static flx_grain_view see(const flx_modal_data *b, const flx_frame *f, const flx_modal_point *p)
{
    return (flx_grain_view){.e = b->e,
                            .R = m33_load(f->R),
                            .r = v3_load(f->r),
                            .v = v3_load(f->v),
                            .w = v3_load(f->w),
                            .q = p->q + b->q,
                            .u = p->v + b->u,
                            .nf = 6,
                            .scratch = p->scratch};
}

static flx_grain_rates rates(const flx_modal_data *b, const flx_modal_point *p)
{
    const double *a = p->a + b->v; // weight is an acceleration of the frame
    return (flx_grain_rates){
        .a = v3_sub(v3_load(a), v3_load(p->g)), .alpha = v3_load(a + 3), .qdd = p->a + b->u};
}

static m33 full(const double s[6])
{
    return (m33){{s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]}};
}

// w . J w for J by six entries
static double square(const double s[6], v3 w)
{
    return s[0] * w.x * w.x + s[1] * w.y * w.y + s[2] * w.z * w.z +
           2.0 * (s[3] * w.x * w.y + s[4] * w.y * w.z + s[5] * w.x * w.z);
}

// S_k, J_k, N_k, and what of them goes with the rates
static void find_slopes(const flx_elastic *e, const double *q, const double *u, series *s)
{
    int n = s->n;
    memcpy(s->Sk, e->S1, 3 * (size_t)n * sizeof *s->Sk);
    memcpy(s->Nk, e->N0, 3 * (size_t)n * sizeof *s->Nk);
    memcpy(s->Jk, e->J1, 6 * (size_t)n * sizeof *s->Jk);
    memset(s->Sr, 0, 9 * (size_t)n * sizeof *s->Sr); // Sr, Nr and Nl are neighbours
    if (e->S2) {
        flx_modal_add_along(n, 3, e->S2, q, s->Sk);
        flx_modal_add_along(n, 3, e->S2, u, s->Sr);
    }
    if (e->J2) flx_modal_add_along(n, 6, e->J2, q, s->Jk);
    if (!e->N1) return;
    flx_modal_add_along(n, 3, e->N1, q, s->Nk);
    flx_modal_add_along(n, 3, e->N1, u, s->Nr);
    for (int k = 0; k < n; k++) {
        const double *N = e->N1 + 3 * k * n;
        for (int l = 0; l < n; l++) {
            for (int i = 0; i < 3; i++) s->Nl[3 * k + i] += u[l] * N[3 * l + i];
        }
    }
}

static void evaluate(const flx_modal_data *b, const flx_modal_point *p, series *s)
{
    const flx_elastic *e = b->e;
    const double *q = p->q + b->q, *u = p->v + b->u;
    int n = s->n = e->n;
    double S[3], J[6], Jd[6] = {0}, *at = p->scratch;
    s->Sk = at, s->Nk = at + 3 * n, s->Sr = at + 6 * n, s->Nr = at + 9 * n;
    s->Nl = at + 12 * n, s->Jk = at + 15 * n;
    find_slopes(e, q, u, s);
    memcpy(S, e->S0, sizeof S);
    memcpy(J, e->J0, sizeof J);
    s->Sd = s->Sdd = s->N = s->Nd = v3_make(0, 0, 0);
    for (int k = 0; k < n; k++) {
        const double *Sk = s->Sk + 3 * k, *Jk = s->Jk + 6 * k;
        for (int i = 0; i < 3; i++) S[i] += 0.5 * (e->S1[3 * k + i] + Sk[i]) * q[k];
        for (int i = 0; i < 6; i++) {
            J[i] += 0.5 * (e->J1[6 * k + i] + Jk[i]) * q[k];
            Jd[i] += Jk[i] * u[k];
        }
        s->Sd = v3_axpy(u[k], v3_load(Sk), s->Sd);
        s->Sdd = v3_axpy(u[k], v3_load(s->Sr + 3 * k), s->Sdd);
        s->N = v3_axpy(u[k], v3_load(s->Nk + 3 * k), s->N);
        s->Nd = v3_axpy(u[k], v3_load(s->Nr + 3 * k), s->Nd);
    }
    s->S = v3_load(S);
    s->J = full(J);
    s->Jd = full(Jd);
}

// The velocity terms of c.
static v3 whirl(const series *s, v3 w)
{
    v3 around = v3_cross(w, v3_axpy(2.0, s->Sd, v3_cross(w, s->S)));
    return v3_add(around, s->Sdd);
}

// rows += M x, for x = (y in ground axes, w, u)
static void add_mass(const flx_modal_data *b, const series *s, m33 R, const double *x,
                     const double *xu, double *rows, double *own)
{
    const flx_elastic *e = b->e;
    int n = s->n;
    v3 y = v3_load(x), a = m33_tmul_v(R, y), w = v3_load(x + 3);
    v3 c = v3_cross(w, s->S), t = v3_add(v3_cross(s->S, a), m33_mul_v(s->J, w));
    for (int k = 0; k < n; k++) {
        v3 Sk = v3_load(s->Sk + 3 * k), Nk = v3_load(s->Nk + 3 * k);
        double sum = v3_dot(Sk, a) + v3_dot(Nk, w);
        for (int l = 0; l < n; l++) sum += e->M[k * n + l] * xu[l];
        own[k] += sum;
        c = v3_axpy(xu[k], Sk, c);
        t = v3_axpy(xu[k], Nk, t);
    }
    v3_add_to(rows, 1.0, v3_axpy(e->m, y, m33_mul_v(R, c)));
    v3_add_to(rows + 3, 1.0, t);
}

void flx_modal_residual(int nb, const flx_modal_data *bodies, const flx_frame *frames,
                        const flx_modal_point *p, double *r)
{
    for (int i = 0; i < nb; i++) {
        const flx_modal_data *b = bodies + i;
        const double *a = p->a + b->v;
        double *rows = r + b->v, *own = r + b->u;
        flx_elastic_forces(b->e, p->q + b->q, p->v + b->u, own);
        if (b->e->ngrain > 0 || b->e->one_sided) {
            flx_grain_view x = see(b, frames + b->frame, p);
            flx_grain_rates at = rates(b, p);
            if (b->e->one_sided) flx_one_sided_residual(&x, &at, own);
            if (b->e->ngrain > 0) {
                flx_grains_residual(&x, &at, rows, own);
                continue;
            }
        }
        m33 R = m33_load(frames[b->frame].R);
        v3 w = v3_load(frames[b->frame].w);
        series s;
        evaluate(b, p, &s);
        // weight is an acceleration of the frame
        const double x[6] = {a[0] - p->g[0], a[1] - p->g[1], a[2] - p->g[2], a[3], a[4], a[5]};
        add_mass(b, &s, R, x, p->a + b->u, rows, own);
        v3_add_to(rows, 1.0, m33_mul_v(R, whirl(&s, w)));
        v3 spin = v3_add(m33_mul_v(s.J, w), s.N);
        v3_add_to(rows + 3, 1.0, v3_add(v3_add(m33_mul_v(s.Jd, w), s.Nd), v3_cross(w, spin)));
        for (int k = 0; k < s.n; k++) {
            v3 turn = v3_sub(v3_load(s.Nr + 3 * k), v3_load(s.Nl + 3 * k));
            own[k] += v3_dot(turn, w) - 0.5 * square(s.Jk + 6 * k, w);
        }
    }
}

// ---- tangent ------------------------------------------------------------------------------------

// A (rows x width) block: X added at (row, column) of it.
static void add_block(double *A, int width, int row, int column, m33 X)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) A[(row + i) * width + column + j] += X.m[3 * i + j];
    }
}

static void add_column(double *A, int width, int row, int column, v3 x)
{
    A[row * width + column] += x.x;
    A[(row + 1) * width + column] += x.y;
    A[(row + 2) * width + column] += x.z;
}

static void add_row(double *A, int width, int row, int column, v3 x)
{
    double *o = A + row * width + column;
    o[0] += x.x, o[1] += x.y, o[2] += x.z;
}

static void mass_tangent(const flx_modal_data *b, const series *s, m33 R, double *A2)
{
    const flx_elastic *e = b->e;
    int n = s->n;
    double *F = A2 + b->at[0][0], *C = A2 + b->at[0][1], *T = A2 + b->at[1][0];
    m33 X = m33_mul(m33_skew(s->S), m33_transpose(R)); // (R S~)^T = -S~ R^T
    for (int i = 0; i < 3; i++) F[7 * i] += e->m;
    add_block(F, 6, 0, 3, m33_transpose(X));
    add_block(F, 6, 3, 0, X);
    add_block(F, 6, 3, 3, s->J);
    for (int k = 0; k < n; k++) {
        v3 Sk = m33_mul_v(R, v3_load(s->Sk + 3 * k)), Nk = v3_load(s->Nk + 3 * k);
        add_column(C, n, 0, k, Sk);
        add_column(C, n, 3, k, Nk);
        add_row(T, 6, k, 0, Sk);
        add_row(T, 6, k, 3, Nk);
    }
    double *own = A2 + b->at[1][1];
    for (int kl = 0; kl < n * n; kl++) own[kl] += e->M[kl];
}

static void velocity_tangent(const flx_modal_data *b, const series *s, m33 R, v3 w, double *A1)
{
    const flx_elastic *e = b->e;
    int n = s->n;
    double *F = A1 + b->at[0][0], *C = A1 + b->at[0][1], *T = A1 + b->at[1][0];
    m33 W = m33_skew(w), wS = m33_skew(v3_axpy(2.0, s->Sd, v3_cross(w, s->S)));
    m33 X = m33_add(wS, m33_mul(W, m33_skew(s->S)));
    add_block(F, 6, 0, 3, m33_scale(-1.0, m33_mul(R, X)));
    v3 spin = v3_add(m33_mul_v(s->J, w), s->N);
    add_block(F, 6, 3, 3, m33_add(s->Jd, m33_sub(m33_mul(W, s->J), m33_skew(spin))));
    for (int k = 0; k < n; k++) {
        v3 Sk = v3_load(s->Sk + 3 * k), Nk = v3_load(s->Nk + 3 * k);
        v3 Nr = v3_load(s->Nr + 3 * k), Nl = v3_load(s->Nl + 3 * k);
        v3 Jw = m33_mul_v(full(s->Jk + 6 * k), w);
        v3 c = v3_add(v3_cross(w, Sk), v3_load(s->Sr + 3 * k));
        add_column(C, n, 0, k, v3_scale(2.0, m33_mul_v(R, c)));
        add_column(C, n, 3, k, v3_add(v3_add(Jw, v3_cross(w, Nk)), v3_add(Nr, Nl)));
        add_row(T, 6, k, 3, v3_sub(v3_sub(Nr, Nl), Jw));
    }
    double *own = A1 + b->at[1][1];
    for (int k = 0; e->N1 && k < n; k++) {
        for (int l = 0; l < n; l++) {
            v3 kl = v3_load(e->N1 + 3 * (k * n + l)), lk = v3_load(e->N1 + 3 * (l * n + k));
            own[k * n + l] += v3_dot(w, v3_sub(lk, kl));
        }
    }
}

static void position_tangent(const flx_modal_data *b, const series *s, m33 R, v3 w,
                             const flx_modal_point *p, double *A0)
{
    const flx_elastic *e = b->e;
    int n = s->n;
    const double *a = p->a + b->v, *qdd = p->a + b->u;
    double *F = A0 + b->at[0][0], *C = A0 + b->at[0][1], *T = A0 + b->at[1][0];
    double *own = A0 + b->at[1][1];
    v3 acc = m33_tmul_v(R, v3_make(a[0] - p->g[0], a[1] - p->g[1], a[2] - p->g[2]));
    v3 alpha = v3_load(a + 3), c = v3_add(v3_cross(alpha, s->S), whirl(s, w));
    m33 B = m33_skew(acc);
    for (int k = 0; k < n; k++) {
        v3 Sk = v3_load(s->Sk + 3 * k), Nk2 = {0, 0, 0}, Sk2 = {0, 0, 0}, Nw = {0, 0, 0};
        m33 Jk = full(s->Jk + 6 * k);
        double J2[6] = {0}; // dJ_k/dt
        c = v3_axpy(qdd[k], Sk, c);
        for (int l = 0; l < n; l++) {
            int kl = k * n + l;
            double sum = 0.0;
            if (e->S2) {
                Sk2 = v3_axpy(qdd[l], v3_load(e->S2 + 3 * kl), Sk2);
                sum += v3_dot(v3_load(e->S2 + 3 * kl), acc);
            }
            if (e->N1) {
                Nk2 = v3_axpy(qdd[l], v3_load(e->N1 + 3 * kl), Nk2);
                sum += v3_dot(v3_load(e->N1 + 3 * (l * n + k)), alpha);
            }
            if (e->J2) {
                sum -= 0.5 * square(e->J2 + 6 * kl, w);
                for (int i = 0; i < 6; i++) J2[i] += e->J2[6 * kl + i] * p->v[b->u + l];
            }
            own[kl] += sum;
        }
        Nw = v3_cross(w, v3_load(s->Nl + 3 * k)); // w x (N_l,k q_l')
        v3 dc = v3_add(v3_cross(alpha, Sk), v3_cross(w, v3_cross(w, Sk)));
        dc = v3_add(dc, v3_axpy(2.0, v3_cross(w, v3_load(s->Sr + 3 * k)), Sk2));
        add_column(C, n, 0, k, m33_mul_v(R, dc));
        v3 t = v3_add(v3_cross(Sk, acc), m33_mul_v(Jk, alpha));
        t = v3_add(t, v3_add(m33_mul_v(full(J2), w), v3_cross(w, m33_mul_v(Jk, w))));
        add_column(C, n, 3, k, v3_add(t, v3_add(Nk2, Nw)));
        add_row(T, 6, k, 3, v3_cross(Sk, acc)); // S_k . (b x theta)
    }
    add_block(F, 6, 0, 3, m33_scale(-1.0, m33_mul(R, m33_skew(c))));
    add_block(F, 6, 3, 3, m33_mul(m33_skew(s->S), B));
}

void flx_modal_linearise(int nb, const flx_modal_data *bodies, const flx_frame *frames,
                         const flx_modal_point *p, double *A0, double *A1, double *A2)
{
    for (int i = 0; i < nb; i++) {
        const flx_modal_data *b = bodies + i;
        flx_elastic_tangents(b->e, A0 ? A0 + b->at[1][1] : NULL, A1 ? A1 + b->at[1][1] : NULL);
        if (b->e->ngrain > 0 || b->e->one_sided) {
            flx_grain_view x = see(b, frames + b->frame, p);
            flx_grain_rates at = A0 ? rates(b, p) : (flx_grain_rates){0};
            if (b->e->one_sided) flx_one_sided_linearise(&x, &at, b->at, A0, A1, A2);
            if (b->e->ngrain > 0) {
                flx_grains_linearise(&x, &at, b->at, A0, A1, A2);
                continue;
            }
        }
        m33 R = m33_load(frames[b->frame].R);
        v3 w = v3_load(frames[b->frame].w);
        series s;
        evaluate(b, p, &s);
        mass_tangent(b, &s, R, A2);
        if (A1) velocity_tangent(b, &s, R, w, A1);
        if (A0) position_tangent(b, &s, R, w, p, A0);
    }
}

// ---- energy and momentum ------------------------------------------------------------------------

void flx_modal_energy(int nb, const flx_modal_data *bodies, const flx_frame *frames,
                      const flx_modal_point *p, flx_energies *out)
{
    for (int i = 0; i < nb; i++) {
        const flx_modal_data *b = bodies + i;
        const flx_elastic *e = b->e;
        const flx_frame *f = frames + b->frame;
        const double *q = p->q + b->q, *u = p->v + b->u;
        flx_elastic_energy(e, q, u, out);
        if (e->ngrain > 0) {
            flx_grain_view x = see(b, f, p);
            flx_grains_energy(&x, p->g, out);
            continue;
        }
        m33 R = m33_load(f->R);
        v3 r = v3_load(f->r), v = v3_load(f->v), w = v3_load(f->w), g = v3_load(p->g);
        series s;
        evaluate(b, p, &s);
        v3 inner = m33_mul_v(R, v3_add(v3_cross(w, s.S), s.Sd));
        v3 spin = v3_add(m33_mul_v(s.J, w), s.N), lever = m33_mul_v(R, s.S);
        out->kinetic += 0.5 * e->m * v3_dot(v, v) + v3_dot(v, inner) +
                        0.5 * v3_dot(w, m33_mul_v(s.J, w)) + v3_dot(w, s.N);
        out->potential -= v3_dot(g, v3_axpy(e->m, r, lever));
        flx_elastic_add_kinetic(e, u, out);
        v3 P = v3_axpy(e->m, v, inner);
        v3_add_to(out->linear, 1.0, P);
        v3_add_to(out->angular, 1.0,
                  v3_add(v3_cross(r, P), v3_add(m33_mul_v(R, spin), v3_cross(lever, v))));
    }
}

void flx_modal_momentum(int nb, const flx_modal_data *bodies, const flx_frame *frames,
                        const flx_modal_point *p, double *Mv)
{
    for (int i = 0; i < nb; i++) {
        const flx_modal_data *b = bodies + i;
        if (b->e->ngrain > 0) {
            flx_grain_view x = see(b, frames + b->frame, p);
            flx_grains_momentum(&x, Mv + b->v, Mv + b->u);
            continue;
        }
        series s;
        evaluate(b, p, &s);
        add_mass(b, &s, m33_load(frames[b->frame].R), p->v + b->v, p->v + b->u, Mv + b->v,
                 Mv + b->u);
    }
}

void flx_modal_transport(int nb, const flx_modal_data *bodies, const flx_frame *frames,
                         const flx_modal_point *p, double *out)
{
    for (int i = 0; i < nb; i++) {
        const flx_modal_data *b = bodies + i;
        const flx_frame *f = frames + b->frame;
        if (b->e->ngrain > 0) {
            flx_grain_view x = see(b, f, p);
            flx_grains_transport(&x, out + b->v, out + b->u);
            continue;
        }
        m33 R = m33_load(f->R);
        v3 w = v3_load(f->w), u = m33_tmul_v(R, v3_load(f->v)), wu = v3_cross(w, u);
        series s;
        evaluate(b, p, &s);
        v3_add_to(out + b->v, 1.0, m33_mul_v(R, whirl(&s, w)));
        v3 spin = v3_add(v3_add(m33_mul_v(s.J, w), v3_cross(s.S, u)), s.N);
        v3 rate = v3_add(m33_mul_v(s.Jd, w), v3_sub(v3_cross(s.Sd, u), v3_cross(s.S, wu)));
        v3_add_to(out + b->v + 3, 1.0, v3_add(v3_add(rate, s.Nd), v3_cross(w, spin)));
        for (int k = 0; k < s.n; k++) {
            out[b->u + k] += v3_dot(v3_load(s.Sr + 3 * k), u) - v3_dot(v3_load(s.Sk + 3 * k), wu) +
                             v3_dot(v3_load(s.Nr + 3 * k), w);
        }
    }
}
