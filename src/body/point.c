// point.c - point mass in space and in the plane: m r'' = (m + o) g, where the overweight o is that of
// nodes of solids, whose mass is lumped and whose weight is not. It has a place and no axes, so its
// frame never turns.
#include "body/body.h"

void flx_point_frames(int n, const flx_body_record *b, const double *q, const double *v,
                      flx_frames f)
{
    for (int k = 0; k < n; k++) {
        flx_frame *o = f.space + b[k].frame;
        *o = (flx_frame){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        memcpy(o->r, q + b[k].q, sizeof o->r);
        memcpy(o->v, v + b[k].v, sizeof o->v);
    }
}

void flx_point_residual(int n, const flx_body_record *b, const double g[3], const double *v,
                        const double *a, double *r)
{
    (void)v;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 3; i++)
            r[b[k].v + i] = b[k].m * (a[b[k].v + i] - g[i]) - b[k].overweight * g[i];
    }
}

void flx_point_linearise(int n, const flx_body_record *b, const double *v, double *A1, double *A2)
{
    (void)v, (void)A1;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 3; i++) A2[b[k].diag + 4 * i] += b[k].m;
    }
}

void flx_point_energy(int n, const flx_body_record *b, const double g[3], flx_frames f,
                      flx_energies *e)
{
    for (int k = 0; k < n; k++) {
        const flx_frame *o = f.space + b[k].frame;
        v3 r = v3_load(o->r), p = v3_scale(b[k].m, v3_load(o->v));
        e->kinetic += 0.5 * v3_dot(p, v3_load(o->v));
        e->potential -= (b[k].m + b[k].overweight) * v3_dot(v3_load(g), r);
        v3_add_to(e->linear, 1.0, p);
        v3_add_to(e->angular, 1.0, v3_cross(r, p));
    }
}

void flx_point2_frames(int n, const flx_body_record *b, const double *q, const double *v,
                       flx_frames f)
{
    for (int k = 0; k < n; k++) {
        const double *qb = q + b[k].q, *vb = v + b[k].v;
        f.plane[b[k].frame] =
            (flx_frame2){.c = 1, .x = qb[0], .y = qb[1], .vx = vb[0], .vy = vb[1]};
    }
}

void flx_point2_residual(int n, const flx_body_record *b, const double g[3], const double *v,
                         const double *a, double *r)
{
    (void)v;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 2; i++)
            r[b[k].v + i] = b[k].m * (a[b[k].v + i] - g[i]) - b[k].overweight * g[i];
    }
}

void flx_point2_linearise(int n, const flx_body_record *b, const double *v, double *A1, double *A2)
{
    (void)v, (void)A1;
    for (int k = 0; k < n; k++) {
        A2[b[k].diag] += b[k].m;
        A2[b[k].diag + 3] += b[k].m;
    }
}

void flx_point2_energy(int n, const flx_body_record *b, const double g[3], flx_frames f,
                       flx_energies *e)
{
    for (int k = 0; k < n; k++) {
        const flx_frame2 *o = f.plane + b[k].frame;
        double m = b[k].m;
        e->kinetic += 0.5 * m * (o->vx * o->vx + o->vy * o->vy);
        e->potential -= m * (g[0] * o->x + g[1] * o->y);
        e->linear[0] += m * o->vx;
        e->linear[1] += m * o->vy;
        e->angular[2] += m * (o->x * o->vy - o->y * o->vx);
    }
}
