// beam_hinge.c - hinges between rigid segments in space; beam_hinge2.c: in the plane.
//
// An element of (BEA-4) with two nodes at the ends x = r + R a of the pieces. With its forces F and
// moments on the ends, and its tangents K and D there, at the centres
//
//     m' = m + a x R^T F,   dx = dr - R a~ dth,   dx' = dr' - R a~ dw - R (w x a)~ dth
//     d(a x R^T F) = a~ (R^T F)~ dth + a~ R^T dF                                               (BEA-10)
#include "body/beam_hinge.h"

#include <string.h>

static const int pair[2] = {0, 1};

// The frames of the ends, and the element between them.
static void shift(const flx_beam_hinge *h, const flx_frame *f, flx_frame ends[2], flx_beam_exact *e)
{
    *e = h->e;
    e->frame = pair;
    for (int i = 0; i < 2; i++) {
        ends[i] = f[h->e.frame[i]];
        m33 R = m33_load(ends[i].R);
        v3 a = v3_load(h->arm[i]), w = v3_load(ends[i].w);
        v3_add_to(ends[i].r, 1.0, m33_mul_v(R, a));
        v3_add_to(ends[i].v, 1.0, m33_mul_v(R, v3_cross(w, a)));
    }
}

void flx_beam_hinge_forces(const flx_beam_hinge *h, const flx_frame *f, double *out)
{
    flx_frame ends[2];
    flx_beam_exact e;
    shift(h, f, ends, &e);
    flx_beam_exact_forces(&e, ends, out);
    for (int i = 0; i < 2; i++) {
        v3 own = m33_tmul_v(m33_load(ends[i].R), v3_load(out + 6 * i));
        v3_add_to(out + 6 * i + 3, 1.0, v3_cross(v3_load(h->arm[i]), own));
    }
}

void flx_beam_hinge_residual(int n, const flx_beam_hinge *h, const flx_frame *f, double *r)
{
    for (int k = 0; k < n; k++) {
        double own[12];
        flx_beam_hinge_forces(h + k, f, own);
        for (int i = 0; i < 12; i++) r[h[k].e.v[i / 6] + i % 6] += own[i];
    }
}

static void add(double *A, int row, int column, double s, m33 B)
{
    for (int i = 0; i < 9; i++) A[12 * (row + i / 3) + column + i % 3] += s * B.m[i];
}

static m33 part(const double *A, int row, int column)
{
    m33 B;
    for (int i = 0; i < 9; i++) B.m[i] = A[12 * (row + i / 3) + column + i % 3];
    return B;
}

// A (12, 12) of the ends becomes that of the centres: columns, then rows.
static void move(const m33 lever[2], double *A)
{
    for (int j = 0; j < 2; j++) {
        for (int row = 0; row < 12; row += 3) {
            add(A, row, 6 * j + 3, 1.0, m33_mul(part(A, row, 6 * j), lever[j]));
        }
    }
    for (int i = 0; i < 2; i++) {
        for (int column = 0; column < 12; column += 3) {
            add(A, 6 * i + 3, column, 1.0, m33_tmul(lever[i], part(A, 6 * i, column)));
        }
    }
}

static void scatter(const flx_beam_hinge *h, const double *A, double *out)
{
    for (int b = 0; b < 4; b++) {
        for (int i = 0; i < 36; i++) {
            out[h->e.block[b] + i] += A[12 * (6 * (b / 2) + i / 6) + 6 * (b % 2) + i % 6];
        }
    }
}

static void unpack(const double blocks[4 * 36], double A[144])
{
    for (int b = 0; b < 4; b++) {
        for (int i = 0; i < 36; i++) {
            A[12 * (6 * (b / 2) + i / 6) + 6 * (b % 2) + i % 6] = blocks[36 * b + i];
        }
    }
}

void flx_beam_hinge_linearise(int n, const flx_beam_hinge *h, const flx_frame *f, double *A0,
                              double *A1)
{
    int block[4] = {0, 36, 72, 108};
    for (int k = 0; k < n; k++) {
        flx_frame ends[2];
        flx_beam_exact e;
        double K[144], D[144], blocks[2][144] = {{0}}, force[12];
        m33 lever[2];
        shift(h + k, f, ends, &e);
        e.block = block;
        flx_beam_exact_forces(&e, ends, force);
        flx_beam_exact_linearise(1, &e, ends, blocks[0], blocks[1]);
        unpack(blocks[0], K);
        unpack(blocks[1], D);
        for (int i = 0; i < 2; i++) {
            m33 R = m33_load(ends[i].R);
            lever[i] = m33_scale(-1.0, m33_mul(R, m33_skew(v3_load(h[k].arm[i]))));
        }
        for (int j = 0; j < 2 && e.viscosity != 0; j++) { // rates of the ends along the rotations
            v3 moved = v3_cross(v3_load(ends[j].w), v3_load(h[k].arm[j]));
            m33 slope = m33_scale(-1.0, m33_mul(m33_load(ends[j].R), m33_skew(moved)));
            for (int row = 0; row < 12; row += 3) {
                add(K, row, 6 * j + 3, 1.0, m33_mul(part(D, row, 6 * j), slope));
            }
        }
        move(lever, K);
        for (int i = 0; i < 2; i++) {
            v3 own = m33_tmul_v(m33_load(ends[i].R), v3_load(force + 6 * i));
            add(K, 6 * i + 3, 6 * i + 3, 1.0,
                m33_mul(m33_skew(v3_load(h[k].arm[i])), m33_skew(own)));
        }
        scatter(h + k, K, A0);
        if (e.viscosity == 0) continue;
        move(lever, D);
        scatter(h + k, D, A1);
    }
}

void flx_beam_hinge_energy(int n, const flx_beam_hinge *h, const flx_frame *f, flx_energies *out)
{
    for (int k = 0; k < n; k++) {
        flx_frame ends[2];
        flx_beam_exact e;
        shift(h + k, f, ends, &e);
        flx_beam_exact_energy(1, &e, ends, out);
    }
}
