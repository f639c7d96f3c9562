// heights_nearest.c - see heights_nearest.h.
#include "contact/mesh/heights_nearest.h"

#define LOOKS                                                                                      \
    4 // places looked at in each direction, on each side, before Newton's iteration: so many per step of the grid, or in all

typedef struct search {
    const flx_heights *h;
    v3 c; // the centre, in the axes of the surface
} search;

static double distance2(const search *s, double x, double y, const flx_height *f)
{
    double dx = x - s->c.x, dy = y - s->c.y, dz = f->z - s->c.z;
    return dx * dx + dy * dy + dz * dz;
}

static double clamp_to(const flx_heights *h, int k, double x)
{
    return fmin(fmax(x, h->from[k]), h->from[k] + (h->n[k] - 1) * h->step[k]);
}

// The nearest of places over a square about the centre as wide as its height over the surface.
static bool look_round(const search *s, double *x, double *y)
{
    flx_height f;
    if (!flx_heights_at(s->h, s->c.x, s->c.y, &f)) return false;
    double wide = fabs(s->c.z - f.z), least = distance2(s, s->c.x, s->c.y, &f);
    int n = (int)fmin(LOOKS, ceil(LOOKS * wide / fmin(s->h->step[0], s->h->step[1])));
    *x = s->c.x;
    *y = s->c.y;
    for (int i = -n; i <= n; i++) {
        for (int j = -n; j <= n; j++) {
            if (i == 0 && j == 0) continue;
            double u = clamp_to(s->h, 0, s->c.x + wide * i / n),
                   w = clamp_to(s->h, 1, s->c.y + wide * j / n);
            if (!flx_heights_at(s->h, u, w, &f)) continue;
            double d = distance2(s, u, w, &f);
            if (d < least * (1.0 - 1e-12)) least = d, *x = u, *y = w;
        }
    }
    return true;
}

// Newton's iteration on half the distance squared; where it is not convex, or does not fall, its gradient with a shorter step.
static bool refine(const search *s, double *x, double *y, flx_height *f)
{
    if (!flx_heights_at(s->h, *x, *y, f)) return false;
    double d = distance2(s, *x, *y, f), size = s->h->step[0] + s->h->step[1];
    for (int i = 0; i < 50; i++) {
        double r = f->z - s->c.z, gx = *x - s->c.x + r * f->x, gy = *y - s->c.y + r * f->y;
        double a = 1.0 + f->x * f->x + r * f->xx, b = f->x * f->y + r * f->xy,
               c = 1.0 + f->y * f->y + r * f->yy;
        double det = a * c - b * b;
        if (!(det > 1e-12 * (a * a + c * c)) || !(a + c > 0.0)) {
            a = c = 1.0 + f->x * f->x + f->y * f->y +
                    fabs(r) * (fabs(f->xx) + fabs(f->yy) + fabs(f->xy));
            b = 0.0;
            det = a * c;
        }
        double u = -(c * gx - b * gy) / det, w = -(a * gy - b * gx) / det, share = 1.0;
        bool fell = false;
        for (int k = 0; k < 30 && !fell; k++, share *= 0.5) {
            flx_height g;
            double nx = clamp_to(s->h, 0, *x + share * u), ny = clamp_to(s->h, 1, *y + share * w);
            if (!flx_heights_at(s->h, nx, ny, &g) || !(distance2(s, nx, ny, &g) <= d)) continue;
            fell = distance2(s, nx, ny, &g) < d || share == 1.0;
            d = distance2(s, nx, ny, &g);
            *x = nx;
            *y = ny;
            *f = g;
        }
        if (!fell || fabs(u) + fabs(w) <= 1e-14 * size) break;
    }
    return true;
}

// Curvature of the surface with its skin round it.
static double with_skin(double k, double skin)
{
    return k / (1.0 + k * skin);
}

// Principal curvatures of z(x, y), a hill positive: -II e = k I e.
flx_curvature flx_heights_curvature(const flx_height *f, m33 R, double skin)
{
    double n = sqrt(1.0 + f->x * f->x + f->y * f->y);
    double E = 1.0 + f->x * f->x, F = f->x * f->y, G = 1.0 + f->y * f->y;
    double L = -f->xx / n, M = -f->xy / n, N = -f->yy / n, det = E * G - F * F;
    double mean = 0.5 * (L * G - 2.0 * M * F + N * E) / det, gauss = (L * N - M * M) / det;
    double root = sqrt(fmax(mean * mean - gauss, 0.0)), k = mean + root;
    // (L - k E) u + (M - k F) v = 0 and (M - k F) u + (N - k G) v = 0: the larger row
    double a = L - k * E, b = M - k * F, c = N - k * G;
    double u = fabs(a) + fabs(b) > fabs(c) + fabs(b) ? -b : -c,
           v = fabs(a) + fabs(b) > fabs(c) + fabs(b) ? a : b;
    if (!(fabs(u) + fabs(v) > 0.0)) u = 1.0, v = 0.0;
    v3 e = v3_unit(m33_mul_v(R, v3_make(u, v, f->x * u + f->y * v)));
    return (flx_curvature){.k = {with_skin(k, skin), with_skin(mean - root, skin)},
                           .e = {e.x, e.y, e.z}};
}

bool flx_heights_nearest(const flx_surface *s, const flx_frame *f, v3 p, flx_heights_foot *out)
{
    m33 R = m33_mul(m33_load(f->R), m33_load(s->axes));
    search look = {.h = s->data, .c = m33_tmul_v(R, v3_sub(p, flx_surface_place(s, f)))};
    double x, y;
    flx_height at;
    if (!look_round(&look, &x, &y) || !refine(&look, &x, &y, &at)) return false;
    v3 place = {x, y, at.z}, n = v3_unit(v3_make(-at.x, -at.y, 1.0)), d = v3_sub(look.c, place);
    double height = v3_dot(n, d);
    // at the border of the grid the nearest place has no normal towards the point
    if (v3_norm(v3_axpy(-height, n, d)) > 1e-6 * (v3_norm(d) + look.h->step[0] + look.h->step[1]))
        return false;
    v3 m = m33_mul_v(R, n);
    *out = (flx_heights_foot){.height = height,
                              .n = m,
                              .place = v3_axpy(-height, m, p),
                              .bend = flx_heights_curvature(&at, R, s->skin)};
    return true;
}
