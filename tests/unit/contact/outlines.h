// outlines.h - curves to test with: r = r_0 + sum (a_k cos k phi + b_k sin k phi), and profiles of sines.
#pragma once

#include "arena.h"
#include "contact/outline.h"

enum { OUTLINE_TERMS = 4 };

typedef struct wave {
    double r0, a[OUTLINE_TERMS], b[OUTLINE_TERMS];
    double turns; // 1: counterclockwise, -1: clockwise
} wave;

// Radius and its derivatives by phi.
static inline void wave_radius(const wave *w, double phi, double r[3])
{
    r[0] = w->r0;
    r[1] = r[2] = 0.0;
    for (int i = 0; i < OUTLINE_TERMS; i++) {
        double k = i + 1, c = cos(k * phi), s = sin(k * phi);
        r[0] += w->a[i] * c + w->b[i] * s;
        r[1] += k * (-w->a[i] * s + w->b[i] * c);
        r[2] -= k * k * (w->a[i] * c + w->b[i] * s);
    }
}

static inline void wave_row(const wave *w, double s, double out[6])
{
    double q = w->turns * 2.0 * FLX_PI, phi = q * s, r[3], c = cos(phi), n = sin(phi);
    wave_radius(w, phi, r);
    out[0] = r[0] * c;
    out[1] = r[0] * n;
    out[2] = q * (r[1] * c - r[0] * n);
    out[3] = q * (r[1] * n + r[0] * c);
    out[4] = q * q * ((r[2] - r[0]) * c - 2.0 * r[1] * n);
    out[5] = q * q * ((r[2] - r[0]) * n + 2.0 * r[1] * c);
}

static inline flx_outline *wave_outline(const wave *w, int n)
{
    double(*rows)[6] = flx_arena_take(arena, (size_t)n + 1, sizeof *rows);
    for (int i = 0; i <= n; i++) wave_row(w, i / (double)n, rows[i]);
    return flx_outline_make(arena, n, 1.0 / n, rows, 1.0, false, 1);
}

// y = 0.1 sin 2x + 0.05 cos 5x over -3..3
static inline flx_outline *road_outline(int n, bool planar)
{
    double(*rows)[6] = flx_arena_take(arena, (size_t)n + 1, sizeof *rows);
    for (int i = 0; i <= n; i++) {
        double x = -3.0 + 6.0 * i / n;
        const double row[6] = {x, 0.1 * sin(2 * x) + 0.05 * cos(5 * x),
                               1, 0.2 * cos(2 * x) - 0.25 * sin(5 * x),
                               0, -0.4 * sin(2 * x) - 1.25 * cos(5 * x)};
        memcpy(rows[i], row, sizeof row);
    }
    return flx_outline_make(arena, n, 6.0 / n, rows, -1.0, true, planar ? 1 : 2);
}
