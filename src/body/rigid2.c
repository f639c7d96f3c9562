// rigid2.c - rigid body in the plane: q = (x, y, angle) of the centre of mass, v = q'.
//
//     m x'' = m g_x,   m y'' = m g_y,   J angle'' = 0                          (RIG-3)
#include "body/body.h"

void flx_rigid2_frames(int n, const flx_body_record *b, const double *q, const double *v,
                       flx_frames f)
{
    for (int k = 0; k < n; k++) {
        const double *qb = q + b[k].q, *vb = v + b[k].v;
        f.plane[b[k].frame] = (flx_frame2){.c = cos(qb[2]),
                                           .s = sin(qb[2]),
                                           .x = qb[0],
                                           .y = qb[1],
                                           .angle = qb[2],
                                           .vx = vb[0],
                                           .vy = vb[1],
                                           .w = vb[2]};
    }
}

void flx_rigid2_residual(int n, const flx_body_record *b, const double g[3], const double *v,
                         const double *a, double *r)
{
    (void)v;
    for (int k = 0; k < n; k++) {
        const double *ab = a + b[k].v;
        double *rb = r + b[k].v;
        rb[0] = b[k].m * (ab[0] - g[0]);
        rb[1] = b[k].m * (ab[1] - g[1]);
        rb[2] = b[k].J[0] * ab[2];
    }
}

void flx_rigid2_linearise(int n, const flx_body_record *b, const double *v, double *A1, double *A2)
{
    (void)v, (void)A1;
    for (int k = 0; k < n; k++) {
        A2[b[k].diag] += b[k].m;
        A2[b[k].diag + 4] += b[k].m;
        A2[b[k].diag + 8] += b[k].J[0];
    }
}

void flx_rigid2_energy(int n, const flx_body_record *b, const double g[3], flx_frames f,
                       flx_energies *e)
{
    for (int k = 0; k < n; k++) {
        const flx_frame2 *o = f.plane + b[k].frame;
        double m = b[k].m, J = b[k].J[0];
        e->kinetic += 0.5 * (m * (o->vx * o->vx + o->vy * o->vy) + J * o->w * o->w);
        e->potential -= m * (g[0] * o->x + g[1] * o->y);
        e->linear[0] += m * o->vx;
        e->linear[1] += m * o->vy;
        e->angular[2] += m * (o->x * o->vy - o->y * o->vx) + J * o->w;
    }
}
