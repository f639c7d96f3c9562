// deform.c - flexible bodies of a scene at a row of the motion: sums of their shapes.
#include "draw/deform.h"

#include <math.h>
#include <string.h>

void flx_deform_nodes(const flx_scene_elastic *e, const float *row, double *out)
{
    size_t n = 3 * (size_t)e->nnode;
    if (n == 0) return; // a damaged scene
    memset(out, 0, n * sizeof *out);
    for (int k = 0; k < e->nmode; k++) {
        double q = (double)row[e->motion + k];
        const double *shape = e->shapes + n * (size_t)k;
        for (size_t i = 0; i < n; i++) out[i] += q * shape[i];
    }
}

// Of n nodes with `width` numbers each.
static void sum_fields(const flx_result_mesh *m, const float *fields, size_t width, const float *q,
                       int n, float *out)
{
    if (n == 0) return;
    memset(out, 0, (size_t)n * width * sizeof *out);
    for (int k = 0; k < m->nmode; k++) {
        const float *field = fields + (size_t)k * (size_t)m->nnode * width;
        for (size_t i = 0; i < (size_t)n * width; i++) out[i] += q[k] * field[i];
    }
}

void flx_deform_mesh(const flx_result_mesh *m, const float *coordinates, int n, float *out)
{
    sum_fields(m, m->modes, 3, coordinates, n, out);
}

void flx_deform_stress(const flx_result_mesh *m, const float *coordinates, int n, float *out,
                       float *von_mises)
{
    sum_fields(m, m->stress, 6, coordinates, n, out);
    for (int i = 0; i < n; i++) {
        const float *s = out + 6 * (size_t)i;
        float a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
        float shear = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
        von_mises[i] = sqrtf(0.5F * (a * a + b * b + c * c) + 3 * shear);
    }
}
