// stress.c - stresses of a flexible body from its coordinates, sigma = sum_k q_k sigma_k, and von Mises' stress
//
//     s^2 = ((xx - yy)^2 + (yy - zz)^2 + (zz - xx)^2)/2 + 3 (xy^2 + yz^2 + xz^2)                   (MSH-6)
#include "reduce/elastic.h"

#include <math.h>
#include <string.h>

#define BLOCK 128 // nodes at a time, so that their sums stay near

double flx_von_mises(const double s[6])
{
    double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return sqrt((a * a + b * b + c * c) / 2 + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

double flx_elastic_largest_stress(const flx_elastic *e, const double *q)
{
    const flx_elastic_mesh *m = e->mesh;
    double sum[6 * BLOCK], most = 0;
    for (int first = 0; first < m->nnode; first += BLOCK) {
        int count = m->nnode - first < BLOCK ? m->nnode - first : BLOCK;
        memset(sum, 0, sizeof sum);
        for (int k = 0; k < e->n; k++) {
            const float *s = m->stress + 6 * ((size_t)k * (size_t)m->nnode + (size_t)first);
            for (int i = 0; i < 6 * count; i++) sum[i] += q[k] * (double)s[i];
        }
        for (int i = 0; i < count; i++) most = fmax(most, flx_von_mises(sum + 6 * i));
    }
    return most;
}
