// pair.c - which kinds of surfaces are a pair, in either order; tangents, and the reduced radius of a point.
#include "contact/pair.h"

enum { NKIND = FLX_SURFACE_COUNT };

static const flx_pair *const table[NKIND][NKIND] = {
#define X(first, second)                                                                           \
    [FLX_SURFACE_NUMBER_##first][FLX_SURFACE_NUMBER_##second] = &flx_pair_##first##_##second,
    FLX_PAIRS(X)
#undef X
};

const flx_pair *flx_pair_find(const flx_surface_kind *a, const flx_surface_kind *b, bool *turned)
{
    const flx_pair *p = table[a->number][b->number];
    *turned = !p;
    return p ? p : table[b->number][a->number];
}

void flx_touch_turn(flx_touch *t)
{
    flx_curvature bend = t->bend[0];
    t->bend[0] = t->bend[1];
    t->bend[1] = bend;
    for (int i = 0; i < 3; i++) {
        double p = t->p[0][i];
        t->p[0][i] = t->p[1][i];
        t->p[1][i] = p;
        t->n[i] = -t->n[i];
    }
}

// Puts one point among those found, the deepest first.
static int insert(const flx_touch *t, int count, int most, flx_touch *out)
{
    int at = count < most ? count : most;
    while (at > 0 && t->gap < out[at - 1].gap) at--;
    if (at == most) return count;
    int moved = (count < most ? count : most - 1) - at;
    memmove(out + at + 1, out + at, sizeof *out * (size_t)moved);
    out[at] = *t;
    return count < most ? count + 1 : count;
}

static int count_points(const flx_pair *p, const flx_surface *a, const flx_surface *b)
{
    return p->count ? p->count(a, b) : p->points;
}

int flx_pair_points(const flx_surface *a, const flx_surface *b)
{
    bool turned = false;
    const flx_pair *p = flx_pair_find(a->kind, b->kind, &turned);
    return p ? count_points(p, turned ? b : a, turned ? a : b) : 0;
}

double flx_pair_share(const flx_surface *a, const flx_surface *b, uint64_t feature)
{
    bool turned = false;
    const flx_pair *p = flx_pair_find(a->kind, b->kind, &turned);
    return p && p->sharers ? 1.0 / p->sharers(feature) : 1.0;
}

int flx_pair_touch(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                   const flx_frame *fb, double reach, int most, flx_manifold *last, flx_touch *out)
{
    bool turned = false;
    const flx_pair *p = flx_pair_find(a->kind, b->kind, &turned);
    if (!p || most <= 0) return 0;
    const flx_surface *s[2] = {turned ? b : a, turned ? a : b};
    const flx_frame *f[2] = {turned ? fb : fa, turned ? fa : fb};
    int count = 0;
    if (p->touch) {
        count = p->touch(s[0], f[0], s[1], f[1], reach, most, last, out);
    } else {
        flx_touch t;
        int n = count_points(p, s[0], s[1]);
        for (int i = 0; i < n; i++) {
            if (!p->point(s[0], f[0], s[1], f[1], (uint64_t)i, &t) || !(t.gap < reach)) continue;
            count = insert(&t, count, most, out);
        }
    }
    for (int i = 0; turned && i < count; i++) flx_touch_turn(out + i);
    return count;
}

double flx_touch_radius(const flx_touch *t)
{
    v3 n = v3_load(t->n), e = v3_load(t->bend[0].e);
    if (t->bend[0].k[0] == t->bend[0].k[1]) e = v3_load(t->bend[1].e);
    double xx = 0.0, xy = 0.0, yy = 0.0; // along e, and across
    for (int i = 0; i < 2; i++) {
        const flx_curvature *b = t->bend + i;
        if (isinf(b->k[0]) || isinf(b->k[1])) return 0.0;
        double half = 0.5 * (b->k[0] - b->k[1]), mean = 0.5 * (b->k[0] + b->k[1]);
        double c = 1.0, s = 0.0; // of twice the angle from e
        if (half != 0.0) {
            double x = v3_dot(e, v3_load(b->e)), y = v3_dot(v3_cross(n, e), v3_load(b->e));
            c = x * x - y * y;
            s = 2.0 * x * y;
        }
        xx += mean + half * c;
        yy += mean - half * c;
        xy += half * s;
    }
    double det = xx * yy - xy * xy;
    return xx + yy > 0.0 && det > 1e-14 * xx * yy ? 1.0 / sqrt(det) : HUGE_VAL;
}

const flx_tangents flx_tangents_usual = {
    .t = {{-0.7808688094430303, 0.6246950475544242, 0.0},
          {-0.3998048304348315, -0.4997560380435394, 0.7683749084919418}},
    .n = {0.48, 0.6, 0.64},
};
const flx_tangents flx_tangents_planar = {.planar = true};

flx_tangents flx_tangents_about(const double n[3])
{
    flx_tangents rule = {.n = {n[0], n[1], n[2]}};
    v3 c = v3_load(n), k = fabs(c.z) < 0.9 ? v3_make(0, 0, 1) : v3_make(0, 1, 0);
    v3 t = v3_unit(v3_cross(k, c));
    v3_store(rule.t[0], t);
    v3_store(rule.t[1], v3_cross(c, t));
    return rule;
}

// t = u - (u.n)/(1 + c.n) (c + n) for u = t of c. At the opposite of c the turn has no axis; t_1 is taken for it there.
void flx_touch_tangents(const flx_tangents *rule, const double n[3], double t[2][3], double spin[2])
{
    v3 m = v3_load(n);
    spin[0] = spin[1] = 0.0;
    if (rule->planar) {
        v3_store(t[0], v3_make(-m.y, m.x, 0.0));
        v3_store(t[1], v3_make(0.0, 0.0, 1.0));
        return;
    }
    v3 c = v3_load(rule->n), u = v3_load(rule->t[0]);
    double h = 1.0 + v3_dot(c, m), un = v3_dot(u, m);
    if (h < 1e-12) {
        v3 t1 = v3_unit(v3_axpy(-un, m, u));
        v3_store(t[0], t1);
        v3_store(t[1], v3_cross(m, t1));
        return;
    }
    double f = un / h;
    v3 t1 = v3_axpy(-f, v3_add(c, m), u), t2 = v3_cross(m, t1);
    v3_store(t[0], t1);
    v3_store(t[1], t2);
    double ct[2] = {v3_dot(c, t1), v3_dot(c, t2)}, ut[2] = {v3_dot(u, t1), v3_dot(u, t2)};
    for (int i = 0; i < 2; i++) { // t_2 . dt_1 along dn = t_i
        double df = (ut[i] - f * ct[i]) / h;
        spin[i] = -df * ct[1] - (i ? f : 0.0);
    }
}
