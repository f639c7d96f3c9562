// beam_hinge2.c - hinges between rigid segments in the plane: (BEA-10) with p = R a,
//
//     m' = m + p x F,   dx = dr + e_z x p da,   dx' = dr' + e_z x p dw - w p da
#include "body/beam_hinge.h"

static const int pair[2] = {0, 1};

static void shift(const flx_beam_hinge *h, const flx_frame2 *f, flx_frame2 ends[2], double p[2][2],
                  flx_beam_exact *e)
{
    *e = h->e;
    e->frame = pair;
    for (int i = 0; i < 2; i++) {
        const double *a = h->arm[i];
        flx_frame2 *o = ends + i;
        *o = f[h->e.frame[i]];
        p[i][0] = o->c * a[0] - o->s * a[1];
        p[i][1] = o->s * a[0] + o->c * a[1];
        o->x += p[i][0];
        o->y += p[i][1];
        o->vx -= o->w * p[i][1];
        o->vy += o->w * p[i][0];
    }
}

void flx_beam_hinge2_forces(const flx_beam_hinge *h, const flx_frame2 *f, double *out)
{
    flx_frame2 ends[2];
    flx_beam_exact e;
    double p[2][2];
    shift(h, f, ends, p, &e);
    flx_beam_exact2_forces(&e, ends, out);
    for (int i = 0; i < 2; i++) {
        out[3 * i + 2] += p[i][0] * out[3 * i + 1] - p[i][1] * out[3 * i];
    }
}

void flx_beam_hinge2_residual(int n, const flx_beam_hinge *h, const flx_frame2 *f, double *r)
{
    for (int k = 0; k < n; k++) {
        double own[6];
        flx_beam_hinge2_forces(h + k, f, own);
        for (int i = 0; i < 6; i++) r[h[k].e.v[i / 3] + i % 3] += own[i];
    }
}

// A block (3, 3) of the ends becomes that of the centres.
static void move(const double pi[2], const double pj[2], double *B)
{
    for (int i = 0; i < 3; i++) B[3 * i + 2] += pj[0] * B[3 * i + 1] - pj[1] * B[3 * i];
    for (int j = 0; j < 3; j++) B[6 + j] += pi[0] * B[3 + j] - pi[1] * B[j];
}

void flx_beam_hinge2_linearise(int n, const flx_beam_hinge *h, const flx_frame2 *f, double *A0,
                               double *A1)
{
    int block[4] = {0, 9, 18, 27};
    for (int k = 0; k < n; k++) {
        flx_frame2 ends[2];
        flx_beam_exact e;
        double K[36] = {0}, D[36] = {0}, force[6], p[2][2];
        shift(h + k, f, ends, p, &e);
        e.block = block;
        flx_beam_exact2_forces(&e, ends, force);
        flx_beam_exact2_linearise(1, &e, ends, K, D);
        for (int b = 0; b < 4; b++) {
            int i = b / 2, j = b % 2;
            double *B = K + 9 * b;
            const double *C = D + 9 * b;
            for (int r = 0; r < 3; r++) { // rates of the ends along the angles
                B[3 * r + 2] -= ends[j].w * (C[3 * r] * p[j][0] + C[3 * r + 1] * p[j][1]);
            }
            move(p[i], p[j], B);
            if (i == j) B[8] -= p[i][0] * force[3 * i] + p[i][1] * force[3 * i + 1];
            for (int c = 0; c < 9; c++) A0[h[k].e.block[b] + c] += B[c];
            if (e.viscosity == 0) continue;
            move(p[i], p[j], D + 9 * b);
            for (int c = 0; c < 9; c++) A1[h[k].e.block[b] + c] += C[c];
        }
    }
}

void flx_beam_hinge2_energy(int n, const flx_beam_hinge *h, const flx_frame2 *f, flx_energies *out)
{
    for (int k = 0; k < n; k++) {
        flx_frame2 ends[2];
        flx_beam_exact e;
        double p[2][2];
        shift(h + k, f, ends, p, &e);
        flx_beam_exact2_energy(1, &e, ends, out);
    }
}
