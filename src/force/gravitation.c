// gravitation.c - mutual attraction of two bodies at their centres of mass.
//
//     f = s d on the first, -s d on the second,  d = r_B - r_A,  s = G m m'/|d|^3      (GRA-1)
//     df = S dd,  S = s (I - 3 n n^T),  n = d/|d|                                      (GRA-2)
#include "force/force_kind.h"

static v3 separation(const flx_attraction *p, flx_frames f)
{
    if (f.space) {
        return v3_sub(v3_load(f.space[p->e.frame[1]].r), v3_load(f.space[p->e.frame[0]].r));
    }
    const flx_frame2 *A = f.plane + p->e.frame[0], *B = f.plane + p->e.frame[1];
    return v3_make(B->x - A->x, B->y - A->y, 0.0);
}

void flx_attraction_residual(int n, const flx_attraction *p, flx_frames f, double *r)
{
    const int dimension = f.space ? 3 : 2;
    for (int k = 0; k < n; k++) {
        v3 d = separation(p + k, f);
        double l2 = v3_dot(d, d), s = p[k].Gmm / (l2 * sqrt(l2));
        const double F[3] = {s * d.x, s * d.y, s * d.z};
        double *A = r + p[k].e.v[0], *B = r + p[k].e.v[1];
        for (int i = 0; i < dimension; i++) {
            A[i] -= F[i];
            B[i] += F[i];
        }
    }
}

void flx_attraction_linearise(int n, const flx_attraction *p, flx_frames f, double *A0)
{
    const int dimension = f.space ? 3 : 2;
    for (int k = 0; k < n; k++) {
        v3 d = separation(p + k, f);
        double l2 = v3_dot(d, d), s = p[k].Gmm / (l2 * sqrt(l2));
        m33 S = m33_scale(s, m33_sub(m33_identity(), m33_scale(3.0 / l2, m33_outer(d, d))));
        for (int a = 0; a < 2; a++) {
            for (int b = 0; b < 2; b++) {
                double *out = A0 + p[k].e.block[a][b], sign = a == b ? 1.0 : -1.0;
                for (int i = 0; i < dimension; i++) {
                    for (int j = 0; j < dimension; j++) {
                        out[p[k].e.nv[b] * i + j] += sign * S.m[3 * i + j];
                    }
                }
            }
        }
    }
}

void flx_attraction_energy(int n, const flx_attraction *p, flx_frames f, flx_energies *e)
{
    for (int k = 0; k < n; k++) e->potential -= p[k].Gmm / v3_norm(separation(p + k, f));
}

// ---- what it is ---------------------------------------------------------------------------------

static const flx_force_signal signals[] = {{0}};

const flx_force_kind flx_force_gravitation = {
    .word = "gravitation", .signals = signals, .potential = true, .attracts = true};

static const flx_key_row keys[] = {{.key = "G",
                                    .form = "number",
                                    .needed = true,
                                    .unit = "m^3/(kg s^2)",
                                    .doc = "Constant of gravitation."},
                                   {0}};

const flx_force_word flx_word_gravitation = {
    .row = {.word = "gravitation",
            .dimensions = "23",
            .doc = "attraction of every pair of bodies, G m1 m2/r^2",
            .example = "N: {type: gravitation, G: 10}",
            .keys = keys},
    .kind = &flx_force_gravitation};
