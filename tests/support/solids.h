// solids.h - boxes at random places for tests of contact, and their distance by means of the tests' own: all vertices, edges
// and axes, without any search.
#pragma once

#include "contact/pair.h"

#include <stdint.h>

typedef struct test_random {
    uint64_t state;
} test_random;

// In [0, 1); splitmix64.
static inline double random_unit(test_random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static inline double random_between(test_random *r, double low, double high)
{
    return low + (high - low) * random_unit(r);
}

static inline v3 random_vector(test_random *r, double size)
{
    double x = random_between(r, -size, size), y = random_between(r, -size, size);
    return v3_make(x, y, random_between(r, -size, size));
}

static inline m33 random_rotation(test_random *r)
{
    quat q;
    double n;
    do {
        v3 v = random_vector(r, 1.0);
        q = (quat){random_between(r, -1, 1), v.x, v.y, v.z};
        n = q.w * q.w + v3_dot(v, v);
    } while (n < 0.01 || n > 1.0);
    return quat_to_m33(quat_unit(q));
}

// Quarter turns, slight turns of them, and any.
static inline m33 random_orientation(test_random *r)
{
    double kind = random_unit(r);
    if (kind < 0.4) return random_rotation(r);
    m33 R = m33_identity();
    for (int i = 0; i < 3; i++) {
        double quarter = 0.5 * 3.14159265358979323846 * floor(random_between(r, 0, 4));
        v3 axis = {i == 0 ? quarter : 0, i == 1 ? quarter : 0, i == 2 ? quarter : 0};
        R = m33_mul(R, quat_to_m33(quat_exp(axis)));
    }
    if (kind < 0.6) {
        for (int i = 0; i < 9; i++) R.m[i] = floor(R.m[i] + 0.5);
        return R;
    }
    double slight = pow(10.0, random_between(r, -16, -1));
    return m33_mul(R, quat_to_m33(quat_exp(random_vector(r, slight))));
}

static inline flx_frame frame_at(m33 R, v3 x)
{
    flx_frame f = {.r = {x.x, x.y, x.z}};
    m33_store(f.R, R);
    return f;
}

// ---- a box by half lengths: what is true of it, slowly ---------------------------------------------

typedef struct test_box {
    v3 h, x;
    m33 R;
} test_box;

static inline v3 box_vertex(const test_box *b, int i)
{
    v3 c = {i & 1 ? b->h.x : -b->h.x, i & 2 ? b->h.y : -b->h.y, i & 4 ? b->h.z : -b->h.z};
    return v3_add(b->x, m33_mul_v(b->R, c));
}

// Half the extent along d.
static inline double box_extent(const test_box *b, v3 d)
{
    v3 l = m33_tmul_v(b->R, d);
    return fabs(l.x) * b->h.x + fabs(l.y) * b->h.y + fabs(l.z) * b->h.z;
}

static inline double clamped(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static inline double point_box_distance(const test_box *b, v3 p)
{
    v3 l = m33_tmul_v(b->R, v3_sub(p, b->x));
    v3 c = {clamped(l.x, -b->h.x, b->h.x), clamped(l.y, -b->h.y, b->h.y),
            clamped(l.z, -b->h.z, b->h.z)};
    return v3_norm(v3_sub(l, c));
}

static inline double point_segment_distance(v3 p, v3 a, v3 b)
{
    v3 d = v3_sub(b, a);
    double dd = v3_dot(d, d), t = dd > 0.0 ? clamped(v3_dot(v3_sub(p, a), d) / dd, 0, 1) : 0.0;
    return v3_norm(v3_sub(p, v3_axpy(t, d, a)));
}

// Ends on the other, and the lines' feet where they lie within both.
static inline double segment_distance(v3 a, v3 b, v3 c, v3 d)
{
    double l = fmin(fmin(point_segment_distance(a, c, d), point_segment_distance(b, c, d)),
                    fmin(point_segment_distance(c, a, b), point_segment_distance(d, a, b)));
    v3 u = v3_sub(b, a), w = v3_sub(d, c), n = v3_cross(u, w), e = v3_sub(c, a);
    double nn = v3_dot(n, n);
    if (!(nn > 1e-20 * v3_dot(u, u) * v3_dot(w, w))) return l;
    double s = v3_dot(v3_cross(e, w), n) / nn, t = v3_dot(v3_cross(e, u), n) / nn;
    if (s < 0 || s > 1 || t < 0 || t > 1) return l;
    return fmin(l, v3_norm(v3_sub(v3_axpy(t, w, c), v3_axpy(s, u, a))));
}

// The largest separation along the 15 axes; negative: they overlap by it.
static inline double box_separation(const test_box *a, const test_box *b)
{
    v3 d = v3_sub(b->x, a->x);
    double most = -HUGE_VAL;
    for (int i = 0; i < 15; i++) {
        v3 n = i < 3   ? m33_col(a->R, i)
               : i < 6 ? m33_col(b->R, i - 3)
                       : v3_cross(m33_col(a->R, (i - 6) / 3), m33_col(b->R, (i - 6) % 3));
        double l = v3_norm(n);
        if (l < 1e-7) continue;
        n = v3_scale(1.0 / l, n);
        most = fmax(most, fabs(v3_dot(n, d)) - box_extent(a, n) - box_extent(b, n));
    }
    return most;
}

static inline double box_distance(const test_box *a, const test_box *b)
{
    static const int ends[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                    {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    double l = HUGE_VAL;
    for (int i = 0; i < 8; i++) {
        l = fmin(l, fmin(point_box_distance(a, box_vertex(b, i)),
                         point_box_distance(b, box_vertex(a, i))));
    }
    for (int i = 0; i < 12; i++) {
        for (int j = 0; j < 12; j++) {
            l = fmin(l, segment_distance(box_vertex(a, ends[i][0]), box_vertex(a, ends[i][1]),
                                         box_vertex(b, ends[j][0]), box_vertex(b, ends[j][1])));
        }
    }
    return l;
}

// Signed: the distance, or less the depth.
static inline double box_gap(const test_box *a, const test_box *b)
{
    double s = box_separation(a, b);
    return s > 0.0 ? box_distance(a, b) : s;
}
