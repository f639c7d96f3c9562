// rows_point2.c - coincidence of two points in the plane (2 rows).
//
//     g = p_B - p_A,  p = r + rho,  rho = R s,  d rho = rho^ dangle with (x, y)^ = (-y, x)
//     G_B = [I, rho^],  K = -l . rho on the angle alone,  bias = -w^2 rho      (ROW-5)
#include "joint/rows.h"

typedef struct v2 {
    double x, y;
} v2;

static inline v2 turn(const flx_frame2 *f, const double s[3])
{
    return (v2){f->c * s[0] - f->s * s[1], f->s * s[0] + f->c * s[1]};
}

void flx_row_point2_residual(int n, const flx_row_point *rows, const flx_frame2 *f,
                             const double *lam, double *g, double *force)
{
    for (int k = 0; k < n; k++) {
        const flx_row_point *r = rows + k;
        const flx_frame2 *A = f + r->e.frame[0], *B = f + r->e.frame[1];
        v2 a = turn(A, r->s[0]), b = turn(B, r->s[1]);
        double lx = lam[r->p.row], ly = lam[r->p.row + 1];
        g[r->p.row] = (B->x + b.x) - (A->x + a.x);
        g[r->p.row + 1] = (B->y + b.y) - (A->y + a.y);
        if (r->e.nv[0]) {
            double *o = force + r->e.v[0];
            o[0] -= lx;
            o[1] -= ly;
            if (r->e.nv[0] == 3) o[2] -= a.x * ly - a.y * lx;
        }
        if (r->e.nv[1]) {
            double *o = force + r->e.v[1];
            o[0] += lx;
            o[1] += ly;
            if (r->e.nv[1] == 3) o[2] += b.x * ly - b.y * lx;
        }
    }
}

void flx_row_point2_rate(int n, const flx_row_point *r, const flx_frame2 *f, double *gd)
{
    for (int k = 0; k < n; k++) {
        const flx_frame2 *A = f + r[k].e.frame[0], *B = f + r[k].e.frame[1];
        v2 a = turn(A, r[k].s[0]), b = turn(B, r[k].s[1]);
        gd[r[k].p.row] = B->vx - B->w * b.y - A->vx + A->w * a.y;
        gd[r[k].p.row + 1] = B->vy + B->w * b.x - A->vy - A->w * a.x;
    }
}

void flx_row_point2_bias(int n, const flx_row_point *r, const flx_frame2 *f, double *bias)
{
    for (int k = 0; k < n; k++) {
        const flx_frame2 *A = f + r[k].e.frame[0], *B = f + r[k].e.frame[1];
        v2 a = turn(A, r[k].s[0]), b = turn(B, r[k].s[1]);
        bias[r[k].p.row] = A->w * A->w * a.x - B->w * B->w * b.x;
        bias[r[k].p.row + 1] = A->w * A->w * a.y - B->w * B->w * b.y;
    }
}

static inline void fill_side(const flx_row_point *r, int side, double sign, const flx_frame2 *f,
                             double *A)
{
    int nv = r->e.nv[side], width = r->p.width;
    double *G = A + r->p.g[side], *T = A + r->p.gt[side];
    G[0] = sign;
    G[1] = 0.0;
    G[nv] = 0.0;
    G[nv + 1] = sign;
    T[0] = sign;
    T[1] = 0.0;
    T[width] = 0.0;
    T[width + 1] = sign;
    if (nv != 3) return;
    v2 rho = turn(f, r->s[side]);
    G[2] = -sign * rho.y;
    G[5] = sign * rho.x;
    T[2 * width] = -sign * rho.y;
    T[2 * width + 1] = sign * rho.x;
}

void flx_row_point2_jacobian(int n, const flx_row_point *r, const flx_frame2 *f, double *A)
{
    for (int k = 0; k < n; k++) {
        if (r[k].e.nv[0]) fill_side(r + k, 0, -1.0, f + r[k].e.frame[0], A);
        if (r[k].e.nv[1]) fill_side(r + k, 1, 1.0, f + r[k].e.frame[1], A);
    }
}

void flx_row_point2_stiffness(int n, const flx_row_point *rows, const flx_frame2 *f,
                              const double *lam, double *A)
{
    for (int k = 0; k < n; k++) {
        const flx_row_point *r = rows + k;
        const double *l = lam + r->p.row;
        for (int side = 0; side < 2; side++) {
            if (r->e.nv[side] != 3) continue;
            v2 rho = turn(f + r->e.frame[side], r->s[side]);
            double K = l[0] * rho.x + l[1] * rho.y;
            A[r->e.block[side][side] + 8] += side ? -K : K;
        }
    }
}
