// solid_pressure.c - pressure on faces of solids, which follows them.
//
// With the vector of the area n = x,1 x x,2 by reference coordinates of the face, at its deformed places x,
//     f_a = - integral of p N_a n,   p = value + gradient.(x - at)                                   (SOL-5)
//     df_a = - integral of N_a (p (dx,1 x x,2 + x,1 x dx,2) + n (gradient.dx)),   dx = sum N_b dx_b   (SOL-6)
// The second is not symmetric but on a closed surface, or one whose rim is held.
#include "body/solid_pressure.h"

#include <string.h>

typedef struct state { // at one point
    v3 x, v, along[2], n;
    double p; // with the weight of the point
} state;

static void eval(const flx_solid_face *o, const flx_solid_pressure *p,
                 const flx_solid_places *places, int point, state *s)
{
    const double *N = o->N + point * o->e.n, *dN = o->dN + 2 * point * o->e.n;
    *s = (state){0};
    for (int a = 0; a < o->e.n; a++) {
        v3 x = v3_load(places->x[a]);
        s->x = v3_axpy(N[a], x, s->x);
        s->v = v3_axpy(N[a], v3_load(places->v[a]), s->v);
        for (int k = 0; k < 2; k++) s->along[k] = v3_axpy(dN[2 * a + k], x, s->along[k]);
    }
    s->n = v3_cross(s->along[0], s->along[1]);
    s->p = p->value + v3_dot(v3_load(p->gradient), v3_sub(s->x, v3_load(p->at)));
    s->p *= o->e.weight[point];
}

// The negative forces of the nodes, which the residual has.
static void add_forces(const flx_solid_face *o, int point, const state *s, double (*f)[3])
{
    const double *N = o->N + point * o->e.n;
    for (int a = 0; a < o->e.n; a++) v3_add_to(f[a], s->p * N[a], s->n);
}

void flx_solid_face_residual(int n, const flx_solid_face *faces, const flx_solid_pressure *p,
                             const flx_frame *frames, double *r)
{
    for (int k = 0; k < n; k++) {
        const flx_solid_face *o = faces + k;
        double f[FLX_SOLID_NODES][3] = {0};
        flx_solid_places places;
        state s;
        flx_solid_gather(&o->e, frames, &places);
        for (int g = 0; g < o->e.npoint; g++) {
            eval(o, p, &places, g, &s);
            add_forces(o, g, &s, f);
        }
        flx_solid_scatter(&o->e, frames, (const double(*)[3])f, r);
    }
}

static void add_slopes(const flx_solid_face *o, const flx_solid_pressure *p, int point,
                       const state *s, flx_solid_blocks K)
{
    const double *N = o->N + point * o->e.n, *dN = o->dN + 2 * point * o->e.n;
    m33 turn[2] = {m33_skew(s->along[0]), m33_skew(s->along[1])};
    double n[3];
    v3_store(n, v3_scale(o->e.weight[point], s->n));
    for (int b = 0; b < o->e.n; b++) {
        double slope[9];
        for (int i = 0; i < 9; i++) {
            double area = dN[2 * b + 1] * turn[0].m[i] - dN[2 * b] * turn[1].m[i];
            slope[i] = s->p * area + N[b] * n[i / 3] * p->gradient[i % 3];
        }
        for (int a = 0; a < o->e.n; a++) {
            for (int i = 0; i < 9; i++) K[a][b][i] += N[a] * slope[i];
        }
    }
}

void flx_solid_face_linearise(int n, const flx_solid_face *faces, const flx_solid_pressure *p,
                              const flx_frame *frames, double *A0)
{
    for (int k = 0; k < n; k++) {
        const flx_solid_face *o = faces + k;
        double f[FLX_SOLID_NODES][3] = {0};
        flx_solid_blocks K;
        flx_solid_places places;
        state s;
        for (int a = 0; a < o->e.n; a++) memset(K[a], 0, (size_t)o->e.n * sizeof K[a][0]);
        flx_solid_gather(&o->e, frames, &places);
        for (int g = 0; g < o->e.npoint; g++) {
            eval(o, p, &places, g, &s);
            add_forces(o, g, &s, f);
            add_slopes(o, p, g, &s, K);
        }
        flx_solid_put(&o->e, frames, K, (const double(*)[3])f, A0);
    }
}

void flx_solid_face_resultant(int n, const flx_solid_face *faces, const flx_solid_pressure *p,
                              const flx_frame *frames, flx_solid_resultant *out)
{
    *out = (flx_solid_resultant){0};
    for (int k = 0; k < n; k++) {
        const flx_solid_face *o = faces + k;
        flx_solid_places places;
        state s;
        flx_solid_gather(&o->e, frames, &places);
        for (int g = 0; g < o->e.npoint; g++) {
            eval(o, p, &places, g, &s);
            v3_add_to(out->force, -s.p, s.n);
            v3_add_to(out->moment, -s.p, v3_cross(s.x, s.n));
            out->power -= s.p * v3_dot(s.n, s.v);
        }
    }
}
