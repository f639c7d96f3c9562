// patch_spread.c - a law for each length of a line: on which parts the line is inside another surface, and where the force there
// is taken.
//
// The gap from a place of the line to the nearest one of the other surface is a continuous function of the place. Where it is
// negative, rules of Gauss and Jacobi add up the force: the parts begin and end where the gap is zero, so that they come and go without a
// jump, whether the two cross, or lie along each other.
#include "force/patch_force.h"

#include "math/quadrature.h"

#include <math.h>
#include <string.h>

#define SAMPLES 9   // along a patch
#define MOST_NEAR 8 // patches of the other that one is near
#define MOST_ROOT 60
#define ROOT 1e-13

typedef struct look { // from a patch of the first
    const flx_patch_pair *p;
    int patch;
    v3 own[FLX_PATCH_VECTORS];
    int n, near[MOST_NEAR];
    v3 z[MOST_NEAR][FLX_PATCH_VECTORS];
} look;

// Depth at a place of the line; out, or NULL: all of it.
static double depth_at(const look *l, double s, flx_patch_touch *out)
{
    const flx_patch_pair *p = l->p;
    const double place[2] = {s, 0};
    double least = HUGE_VAL;
    flx_patch_shape shape;
    flx_patch_shape_at(p->of[0][l->patch].kind, place, &shape);
    v3 c = {0}, z[2][FLX_PATCH_VECTORS];
    for (int i = 0; i < FLX_PATCH_VECTORS; i++) c = v3_axpy(shape.N[i], l->own[i], c);
    for (int i = 0; i < l->n; i++) {
        const flx_patch_kind kind[2] = {FLX_PATCH_POINT, p->of[1][l->near[i]].kind};
        flx_patch_place at;
        z[0][0] = c;
        memcpy(z[1], l->z[i], sizeof z[1]);
        flx_patch_nearest(kind, z, &at);
        if (!(at.distance < least)) continue;
        least = at.distance;
        if (!out) continue;
        *out = (flx_patch_touch){.patch = {l->patch, l->near[i]}, .at = at};
        out->at.s[0][0] = s;
        out->at.border[0][0] = 1; // the place stays
    }
    return p->radius[0] + p->radius[1] - least;
}

// Where the depth is zero between two places at which it has different signs: regula falsi, Illinois.
static double find_root(const look *l, const double s[2], const double depth[2])
{
    double x[2] = {s[0], s[1]}, d[2] = {depth[0], depth[1]};
    int last = -1;
    for (int i = 0; i < MOST_ROOT && fabs(x[1] - x[0]) > ROOT; i++) {
        double at = (x[0] * d[1] - x[1] * d[0]) / (d[1] - d[0]), value = depth_at(l, at, NULL);
        int side = (value > 0.0) == (d[0] > 0.0) ? 0 : 1;
        if (value == 0.0 || fabs(at - x[side]) <= ROOT) return at;
        x[side] = at;
        d[side] = value;
        if (side == last) d[1 - side] *= 0.5;
        last = side;
    }
    return 0.5 * (x[0] + x[1]);
}

// Where a part begins or ends the force goes to zero with the power n of the depth: a rule for polynomials would be off by 5e-4
// of it with n = 3/2, and the work of the force by more than what is stored.
void flx_patch_spread_rules(flx_patch_pair *p)
{
    double n = p->law.n == floor(p->law.n) ? 0.0 : p->law.n;
    for (int i = 0; i < 4; i++) {
        flx_patch_rule *rule = &p->rule[i / 2][i % 2];
        flx_quadrature_ends(FLX_PATCH_GAUSS, i / 2 ? n : 0.0, i % 2 ? n : 0.0, rule->x, rule->w);
    }
}

// begins, ends: where the depth is zero.
static int add_interval(const look *l, double from, double to, bool begins, bool ends, int n,
                        flx_patch_touch *of)
{
    const flx_patch_rule *rule = &l->p->rule[begins][ends];
    double length = l->p->of[0][l->patch].length;
    for (int k = 0; k < FLX_PATCH_GAUSS; k++) {
        flx_patch_touch t;
        double depth = depth_at(l, from + rule->x[k] * (to - from), &t);
        if (!(depth > 0.0) || !(t.at.distance > 0.0)) continue;
        t.weight = rule->w[k] * (to - from) * length;
        of[n++] = t;
    }
    return n;
}

static int insert(double s, int n, double *of)
{
    int i = n;
    for (; i > 0 && of[i - 1] > s; i--) of[i] = of[i - 1];
    of[i] = s;
    return n + 1;
}

// Places that show every part: equally apart, and where patches are nearest to each other. 0: they are apart.
static int choose_samples(const look *l, double *s)
{
    double thick = l->p->radius[0] + l->p->radius[1], least = HUGE_VAL;
    int n = 0;
    for (; n < SAMPLES; n++) s[n] = (double)n / (SAMPLES - 1);
    for (int i = 0; i < l->n; i++) {
        const flx_patch_kind kind[2] = {l->p->of[0][l->patch].kind, l->p->of[1][l->near[i]].kind};
        v3 z[2][FLX_PATCH_VECTORS];
        flx_patch_place at;
        memcpy(z[0], l->own, sizeof z[0]);
        memcpy(z[1], l->z[i], sizeof z[1]);
        flx_patch_nearest(kind, z, &at);
        n = insert(at.s[0][0], n, s);
        least = fmin(least, at.distance);
    }
    return least < thick ? n : 0;
}

static int spread(const look *l, int n, flx_patch_touch *of)
{
    double s[SAMPLES + MOST_NEAR], d[SAMPLES + MOST_NEAR], from = -1.0;
    int count = choose_samples(l, s), intervals = 0;
    if (count == 0) return n;
    for (int i = 0; i < count; i++) d[i] = depth_at(l, s[i], NULL);
    bool begins = !(d[0] > 0.0);
    if (!begins) from = 0.0;
    for (int i = 1; i < count && intervals < FLX_PATCH_INTERVALS; i++) {
        bool enters = d[i - 1] <= 0.0 && d[i] > 0.0, leaves = d[i - 1] > 0.0 && d[i] <= 0.0;
        if (enters) from = find_root(l, s + i - 1, d + i - 1);
        bool ends = leaves || (from >= 0.0 && i == count - 1);
        if (!ends) continue;
        double to = leaves ? find_root(l, s + i - 1, d + i - 1) : 1.0;
        n = add_interval(l, from, to, begins, leaves, n, of);
        from = -1.0;
        begins = true;
        intervals++;
    }
    return n;
}

int flx_patch_spread(const flx_patch_pair *p, flx_frames f, double *boxes, int room,
                     flx_patch_touch *of)
{
    double thick = p->radius[0] + p->radius[1];
    int n = 0;
    flx_patch_place_boxes(p, f, boxes);
    for (int i = 0; i < p->n[0]; i++) {
        look l = {.p = p, .patch = i};
        for (int j = 0; j <= p->n[1]; j++) {
            const double *own = boxes + (ptrdiff_t)6 * i,
                         *other = boxes + (ptrdiff_t)6 * (p->n[0] + j);
            bool near = j < p->n[1] && l.n < MOST_NEAR && flx_patch_may_touch(p, i, j) &&
                        flx_patch_are_near(own, other, thick);
            // each strand of one line that comes by is a surface of its own
            bool ends = j == p->n[1] || (p->self && !near);
            if (near) {
                if (l.n == 0) flx_patch_place_vectors(p->of[0] + i, f, l.own);
                flx_patch_place_vectors(p->of[1] + j, f, l.z[l.n]);
                l.near[l.n++] = j;
            }
            if (!ends || l.n == 0) continue;
            if (n + FLX_PATCH_GAUSS * FLX_PATCH_INTERVALS > room) return n;
            n = spread(&l, n, of);
            l.n = 0;
        }
    }
    return n;
}
