// beam_exact.c - geometrically exact beam in space (Simo's and Reissner's) on the rotation group.
//
// One node, m, lends its rotation as the reference: with P_i = log(R_m^T R_i) of the nodes and the
// polynomials N_i over the length s of the unstressed element
//
//     t = sum N_i P_i,   R = R_m exp(t~),   u = R_m^T r'                                       (BEA-3)
//     g = exp(t~)^T u,   k = B(t) t',   stress = C (strain + viscosity strain'),
//     strain = (g, k) - rest                                                                   (BEA-4)
// with B of (ROT-2), so that k is R^T R' as a vector. A rotation of the whole changes neither P_i nor u:
// the strains are objective. Along (t, t', u) and along the nodes
//
//     dg = exp(t~)^T du + g x B dt,   dk = B dt' + d(B(t) t')/dt dt                            (BEA-5)
//     dP_i = B(P_i)^-1 dth_i - B(P_i)^-T dth_m,   du = R_m^T dr' + u x dth_m                   (BEA-6)
#include "body/beam_exact_parts.h"

void flx_beam_exact_begin(const flx_beam_exact *e, const flx_frame *f, flx_beam_nodes *o)
{
    int n = e->rule->nnode;
    o->m = n / 2 - (n == 2);
    o->Rm = m33_load(f[e->frame[o->m]].R);
    o->wm = v3_load(f[e->frame[o->m]].w);
    for (int i = 0; i < n; i++) {
        const flx_frame *x = f + e->frame[i];
        if (i == o->m) {
            o->P[i] = v3_make(0, 0, 0);
            o->A[i] = m33_identity();
            o->rate[i] = v3_make(0, 0, 0);
            continue;
        }
        o->P[i] = quat_log(quat_unit(quat_from_m33(m33_tmul(o->Rm, m33_load(x->R)))));
        o->series[i] = rot_series_make(v3_dot(o->P[i], o->P[i]));
        o->A[i] = rot_polynomial(o->P[i], 0.5, rot_jet_inverse(&o->series[i]).f);
        o->rate[i] = v3_sub(m33_mul_v(o->A[i], v3_load(x->w)), m33_tmul_v(o->A[i], o->wm));
    }
}

void flx_beam_exact_kinematics(const flx_beam_exact *e, const flx_frame *f, const flx_beam_nodes *o,
                               int k, flx_beam_section *p)
{
    const double *N = e->rule->N[k], *dN = e->rule->dN[k], one = 1.0 / e->length;
    v3 r = {0, 0, 0}, v = {0, 0, 0};
    p->t = p->dt = p->t_rate = p->dt_rate = r;
    for (int i = 0; i < e->rule->nnode; i++) {
        const flx_frame *x = f + e->frame[i];
        double d = one * dN[i];
        r = v3_axpy(d, v3_load(x->r), r);
        v = v3_axpy(d, v3_load(x->v), v);
        p->t = v3_axpy(N[i], o->P[i], p->t);
        p->dt = v3_axpy(d, o->P[i], p->dt);
        p->t_rate = v3_axpy(N[i], o->rate[i], p->t_rate);
        p->dt_rate = v3_axpy(d, o->rate[i], p->dt_rate);
    }
    p->u = m33_tmul_v(o->Rm, r);
    p->v = m33_tmul_v(o->Rm, v);
    p->u_rate = v3_add(p->v, v3_cross(p->u, o->wm));
    p->series = rot_series_make(v3_dot(p->t, p->t));
    const double *c = p->series.c;
    p->E = rot_polynomial(p->t, c[1], c[2]);
    p->B = rot_polynomial(p->t, -c[2], c[3]);
    p->S = rot_polynomial_slope(p->t, p->dt, -1.0, rot_jet_2(&p->series), rot_jet_3(&p->series));
    p->g = m33_tmul_v(p->E, p->u);
    p->k = m33_mul_v(p->B, p->dt);
    p->spin = m33_mul_v(p->B, p->t_rate);
    v3_store(p->rate, v3_add(m33_tmul_v(p->E, p->u_rate), v3_cross(p->g, p->spin)));
    v3_store(p->rate + 3, v3_add(m33_mul_v(p->B, p->dt_rate), m33_mul_v(p->S, p->t_rate)));
}

void flx_beam_exact_stress(const flx_beam_exact *e, int k, flx_beam_section *p)
{
    const double *rest = e->rest + 6 * k, *C = e->C + e->next * k;
    double x[6];
    v3_store(p->strain, p->g);
    v3_store(p->strain + 3, p->k);
    for (int i = 0; i < 6; i++) {
        p->strain[i] -= rest[i];
        x[i] = p->strain[i] + e->viscosity * p->rate[i];
    }
    for (int i = 0; i < 6; i++) {
        p->stress[i] = 0.0;
        for (int j = 0; j < 6; j++) p->stress[i] += C[6 * i + j] * x[j];
    }
    v3 n = v3_load(p->stress), m = v3_load(p->stress + 3);
    p->pu = m33_mul_v(p->E, n);
    p->pdt = m33_tmul_v(p->B, m);
    p->pt = v3_add(m33_tmul_v(p->B, v3_cross(n, p->g)), m33_tmul_v(p->S, m));
}

void flx_beam_exact_rest(const flx_beam_exact *e, const flx_frame *f, double *rest)
{
    flx_beam_nodes o;
    flx_beam_exact_begin(e, f, &o);
    for (int k = 0; k < e->rule->npoint; k++) {
        flx_beam_section p;
        flx_beam_exact_kinematics(e, f, &o, k, &p);
        v3_store(rest + 6 * k, p.g);
        v3_store(rest + 6 * k + 3, p.k);
    }
}

static void add_forces(const flx_beam_exact *e, const flx_frame *f, double *r, const int *at)
{
    int n = e->rule->nnode;
    v3 P[FLX_BEAM_NODES], turn = {0, 0, 0};
    flx_beam_nodes o;
    flx_beam_exact_begin(e, f, &o);
    memset(P, 0, sizeof P);
    for (int k = 0; k < e->rule->npoint; k++) {
        const double w = e->rule->w[k], *N = e->rule->N[k], *dN = e->rule->dN[k];
        flx_beam_section p;
        flx_beam_exact_kinematics(e, f, &o, k, &p);
        flx_beam_exact_stress(e, k, &p);
        v3 force = m33_mul_v(o.Rm, p.pu);
        for (int i = 0; i < n; i++) {
            v3_add_to(r + at[i], w * dN[i], force);
            P[i] = v3_axpy(w * e->length * N[i], p.pt, v3_axpy(w * dN[i], p.pdt, P[i]));
        }
        turn = v3_axpy(w * e->length, v3_cross(p.pu, p.u), turn);
    }
    for (int i = 0; i < n; i++) {
        if (i == o.m) continue;
        v3_add_to(r + at[i] + 3, 1.0, m33_tmul_v(o.A[i], P[i]));
        turn = v3_sub(turn, m33_mul_v(o.A[i], P[i]));
    }
    v3_add_to(r + at[o.m] + 3, 1.0, turn);
}

void flx_beam_exact_forces(const flx_beam_exact *e, const flx_frame *f, double *out)
{
    int at[FLX_BEAM_NODES];
    for (int i = 0; i < e->rule->nnode; i++) at[i] = 6 * i;
    memset(out, 0, 6 * (size_t)e->rule->nnode * sizeof *out);
    add_forces(e, f, out, at);
}

void flx_beam_exact_residual(int n, const flx_beam_exact *e, const flx_frame *f, double *r)
{
    for (int i = 0; i < n; i++) add_forces(e + i, f, r, e[i].v);
}

void flx_beam_exact_energy(int n, const flx_beam_exact *e, const flx_frame *f, flx_energies *out)
{
    for (int i = 0; i < n; i++) {
        flx_beam_nodes o;
        flx_beam_exact_begin(e + i, f, &o);
        for (int k = 0; k < e[i].rule->npoint; k++) {
            double w = e[i].rule->w[k] * e[i].length;
            flx_beam_section p;
            flx_beam_exact_kinematics(e + i, f, &o, k, &p);
            flx_beam_exact_stress(e + i, k, &p);
            for (int a = 0; a < 36; a++) {
                double C = w * e[i].C[e[i].next * k + a];
                out->strain += 0.5 * C * p.strain[a / 6] * p.strain[a % 6];
                out->dissipated_power += e[i].viscosity * C * p.rate[a / 6] * p.rate[a % 6];
            }
        }
    }
}
