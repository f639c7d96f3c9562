// manifold.c - which of the points found are kept: the deepest, then those that span the largest area.
#include "contact/convex/polytope.h"

#define DEEPER 1e-6 // of the size: as deep as the deepest
#define WIDER 1e-3  // of the area: as wide as the widest

static bool is_last(const flx_manifold *last, uint64_t feature)
{
    for (int i = 0; last && i < last->n; i++) {
        if (last->features[i] == feature) return true;
    }
    return false;
}

static v3 at(const flx_touch *t)
{
    return v3_scale(0.5, v3_add(v3_load(t->p[0]), v3_load(t->p[1])));
}

static double triangle(v3 a, v3 b, v3 c, v3 n)
{
    return v3_dot(n, v3_cross(v3_sub(b, a), v3_sub(c, a)));
}

// Twice the area of the outline of four points, whatever their order is.
static double area(int n, const flx_touch *t)
{
    v3 m = v3_load(t[0].n), p[4];
    for (int i = 0; i < n && i < 4; i++) p[i] = at(t + i);
    if (n < 2) return 0.0;
    if (n == 2) return v3_dot(v3_sub(p[1], p[0]), v3_sub(p[1], p[0]));
    if (n == 3) return fabs(triangle(p[0], p[1], p[2], m));
    double most = 0.0;
    for (int k = 1; k < 4; k++) { // the two diagonals
        int i = k == 1 ? 2 : 1, j = k == 3 ? 2 : 3;
        most = fmax(most, fabs(v3_dot(m, v3_cross(v3_sub(p[k], p[0]), v3_sub(p[j], p[i])))));
    }
    return most;
}

static double deepest_gap(int n, const flx_touch *t)
{
    double gap = HUGE_VAL;
    for (int i = 0; i < n; i++) gap = fmin(gap, t[i].gap);
    return gap;
}

// What a point adds to those chosen: distance from the middle of all, then length, then area, then the area beyond the triangle.
static double gain(int chosen, const flx_touch *t, v3 centre, const flx_touch *c)
{
    v3 n = v3_load(t[0].n), p = at(t), q = at(c);
    if (chosen == 0) return v3_norm(v3_sub(q, centre));
    if (chosen == 1) return v3_norm(v3_sub(q, p));
    v3 r = at(t + 1);
    if (chosen == 2) return fabs(triangle(p, r, q, n));
    v3 s = at(t + 2);
    double most = 0.0, sign = triangle(p, r, s, n) < 0.0 ? -1.0 : 1.0;
    const v3 loop[4] = {p, r, s, p};
    for (int i = 0; i < 3; i++) most = fmax(most, -sign * triangle(loop[i], loop[i + 1], q, n));
    return most;
}

static void swap(flx_touch *a, flx_touch *b)
{
    flx_touch t = *a;
    *a = *b;
    *b = t;
}

static void sort_by_gap(int n, flx_touch *t)
{
    for (int i = 1; i < n; i++) {
        for (int j = i; j > 0 && t[j].gap < t[j - 1].gap; j--) swap(t + j, t + j - 1);
    }
}

// Brings the points to be kept to the front, one after the other; what is as good by rounding stays behind the first of its
// like, so that a tremble of the places changes nothing.
static int choose(int n, flx_touch *found, double size, int most)
{
    const double least[4] = {-1.0, 1e-9 * size, 1e-12 * size * size, 1e-12 * size * size};
    double deepest = deepest_gap(n, found);
    v3 centre = {0, 0, 0};
    for (int i = 0; i < n; i++) centre = v3_axpy(1.0 / n, at(found + i), centre);
    for (int chosen = 0; chosen < most; chosen++) {
        int best = -1;
        double top = least[chosen < 3 ? chosen : 3];
        for (int i = chosen; i < n; i++) {
            if (chosen == 0 && found[i].gap > deepest + DEEPER * size) continue;
            double g = gain(chosen, found, centre, found + i);
            if (best < 0 ? g > top : g > top * (1.0 + 1e-6)) top = g, best = i;
        }
        if (best < 0) return chosen;
        swap(found + chosen, found + best);
    }
    return most;
}

// Whether the points of last time are there still, as deep and as wide as those chosen: then they go to the front.
static bool choose_last(int n, flx_touch *found, double size, int chosen, const flx_manifold *last)
{
    if (!last || last->n != chosen) return false;
    flx_touch old[FLX_MANIFOLD_MOST];
    int count = 0;
    for (int i = 0; i < n && count < last->n; i++) {
        if (is_last(last, found[i].feature)) old[count++] = found[i];
    }
    if (count != last->n || deepest_gap(count, old) > deepest_gap(n, found) + DEEPER * size)
        return false;
    if (area(count, old) < (1.0 - WIDER) * area(chosen, found)) return false;
    memcpy(found, old, (size_t)count * sizeof *old);
    return true;
}

int flx_touches_choose(int n, flx_touch *found, double size, int most, const flx_manifold *last)
{
    int chosen = n;
    if (n > most) {
        chosen = choose(n, found, size, most);
        choose_last(n, found, size, chosen, last);
    }
    sort_by_gap(chosen, found);
    return chosen;
}

void flx_manifold_keep(flx_manifold *last, int n, const flx_touch *touches)
{
    if (!last) return;
    last->n = n < FLX_MANIFOLD_MOST ? n : FLX_MANIFOLD_MOST;
    for (int i = 0; i < last->n; i++) last->features[i] = touches[i].feature;
}
