// cylinder_meets.c - sharp edges at the rim of a cylinder. Where an edge enters beside a rim the nearest place of the cylinder is on
// its end on one side, and on its side on the other: neither is where the two meet. They meet where the way between the edge and
// the rim is across both, which is their distance while they are apart, and goes on smoothly when they overlap.
#include "contact/cylinder_core.h"

#define MOST 30
#define HALVINGS 60
// Parts of the radius or of the length: how far beside a place it is looked at, and up to where the way has no direction of its own.
static const double BESIDE = 1e-7, NEAR = 1e-6;
// Sine of the angle between an edge and a rim that lie along each other, and do not cross.
static const double ALONG = 1e-4;
// Part of the smaller size beyond which an edge has gone through, and no part of the cylinder is where it came in.
static const double DEEP = 0.3;

// Part of the radius to which the crossing of a straight edge is found at least.
static const double FOUND = 1e-13;
// Part of the radius by which an edge that lies on an end passes the axis.
static const double OVER = 0.99;

typedef struct place {
    v3 p, d, dd; // place, and its derivatives along the edge
} place;

static place edge_at(const flx_edge_curve *e, double s)
{
    if (e->radius == 0.0) return (place){v3_axpy(s, e->e[0], e->middle), e->e[0], v3_make(0, 0, 0)};
    v3 way = v3_axpy(sin(s), e->e[1], v3_scale(cos(s), e->e[0]));
    v3 along = v3_axpy(cos(s), e->e[1], v3_scale(-sin(s), e->e[0]));
    return (place){v3_axpy(e->radius, way, e->middle), v3_scale(e->radius, along),
                   v3_scale(-e->radius, way)};
}

// Of the edge the places s, of the rim the angles: the way between them is across both.
static bool find_crossing(const flx_edge_curve *e, const flx_edge_curve *rim, double enough,
                          double x[2])
{
    double size = rim->radius, moved = HUGE_VAL;
    for (int i = 0; i < MOST; i++) {
        place a = edge_at(e, x[0]), b = edge_at(rim, x[1]);
        v3 way = v3_sub(b.p, a.p);
        double f = v3_dot(way, a.d), g = v3_dot(way, b.d), m = -v3_dot(a.d, b.d);
        double fx = v3_dot(way, a.dd) - v3_dot(a.d, a.d), gy = v3_dot(way, b.dd) + v3_dot(b.d, b.d);
        double det = fx * gy + m * m;
        if (det == 0.0) return false;
        double dx = (-f * gy - g * m) / det, dy = (m * f - fx * g) / det;
        x[0] += dx;
        x[1] += dy;
        moved = fabs(dx) * v3_norm(a.d) + fabs(dy) * size;
        if (!(moved < size)) return false;
        if (moved < 1e-15 * size) return true;
    }
    return moved < enough * size;
}

static flx_cylinder_foot on_rim(const flx_cylinder_core *c, const flx_edge_curve *rim,
                                const place *edge, double angle, v3 up)
{
    place b = edge_at(rim, angle);
    v3 radial = v3_scale(1.0 / c->radius, v3_sub(b.p, rim->middle));
    v3 n = v3_unit(v3_cross(edge->d, b.d));
    if (v3_dot(n, radial) + v3_dot(n, up) < 0.0) n = v3_neg(n);
    return (flx_cylinder_foot){.part = FLX_CYLINDER_RIM,
                               .place = b.p,
                               .out = n,
                               .e = v3_cross(up, radial),
                               .distance = v3_dot(n, v3_sub(edge->p, b.p)),
                               .k = {v3_dot(n, radial) / c->radius, HUGE_VAL}};
}

// The least distance from one part of the cylinder alone, between two places; false: it is at neither side of the first one.
static bool least_on(const flx_cylinder_core *c, const flx_edge_curve *e, flx_cylinder_part part,
                     double low, double high, double *s)
{
    for (int i = 0; i < HALVINGS + 2; i++) {
        double x = i == 0 ? low : i == 1 ? high : 0.5 * (low + high);
        place at = edge_at(e, x);
        bool falls = v3_dot(flx_cylinder_nearest_on(c, at.p, part).out, at.d) < 0.0;
        if (i < 2 && falls != (i == 0)) return false;
        *(falls ? &low : &high) = x;
    }
    *s = 0.5 * (low + high);
    return true;
}

bool flx_cylinder_at_rim(const flx_cylinder_core *c, const flx_edge_curve *e, v3 up, double *s,
                         flx_cylinder_foot *f)
{
    v3 d = v3_sub(edge_at(e, *s).p, c->middle);
    flx_edge_curve border = {v3_axpy(c->half, up, c->middle), {c->axis[0], c->axis[1]}, c->radius};
    double x[2] = {*s, atan2(v3_dot(d, c->axis[1]), v3_dot(d, c->axis[0]))};
    if (!find_crossing(e, &border, FOUND, x))
        return false; // far from the origin places are rounded
    place met = edge_at(e, x[0]);
    *f = on_rim(c, &border, &met, x[1], up);
    *s = x[0];
    return true;
}

// An edge that lies on an end presses both places of the rim that it crosses: with the one alone that is nearest, half of the force would
// come and go as it tilts. At the other one the way to the rim leans inwards, by what the edge is tilted.
bool flx_cylinder_bridges(const flx_cylinder_core *c, const flx_edge_curve *e, bool second,
                          double *s, flx_cylinder_foot *f)
{
    v3 d = e->e[0], m = v3_sub(e->middle, c->middle);
    double dx = v3_dot(d, c->axis[0]), dy = v3_dot(d, c->axis[1]), dz = v3_dot(d, c->axis[2]);
    double mx = v3_dot(m, c->axis[0]), my = v3_dot(m, c->axis[1]), mz = v3_dot(m, c->axis[2]);
    double flat = dx * dx + dy * dy, at = -(mx * dx + my * dy) / flat; // middle of the chord
    double beside = fabs(mx * dy - my * dx) / sqrt(flat), height = mz + at * dz;
    if (!(fabs(dz) < FLX_CYLINDER_LEANS) || !(beside < OVER * c->radius)) return false;
    double chord = sqrt((c->radius * c->radius - beside * beside) / flat);
    // deeper in the end than in the side it presses the side
    double depth = fmin(DEEP * fmin(c->radius, c->half), 0.5 * (c->radius - beside));
    bool over = c->half > 0.0 ? fabs(height) > c->half - depth : fabs(height) > chord * fabs(dz);
    *s = at + (second ? chord : -chord);
    return over && flx_cylinder_at_rim(c, e, v3_scale(height < 0.0 ? -1.0 : 1.0, c->axis[2]), s, f);
}

flx_cylinder_foot flx_cylinder_meet(const flx_cylinder_core *c, const flx_edge_curve *e,
                                    double reach, double *s)
{
    double step = BESIDE * (e->radius > 0.0 ? 1.0 : c->radius);
    place at = edge_at(e, *s), low = edge_at(e, *s - step), high = edge_at(e, *s + step);
    flx_cylinder_foot f = flx_cylinder_nearest(c, at.p);
    bool rim = f.part == FLX_CYLINDER_RIM;
    bool kink = flx_cylinder_nearest(c, low.p).part != flx_cylinder_nearest(c, high.p).part;
    bool overlaps = f.distance < NEAR * c->radius && (rim || kink);
    if (!overlaps || !(f.distance > -DEEP * fmin(c->radius, c->half))) return f;
    v3 d = v3_sub(at.p, c->middle);
    v3 up = v3_scale(v3_dot(d, c->axis[2]) < 0.0 ? -1.0 : 1.0, c->axis[2]);
    flx_edge_curve border = {v3_axpy(c->half, up, c->middle), {c->axis[0], c->axis[1]}, c->radius};
    double x[2] = {*s, atan2(v3_dot(d, c->axis[1]), v3_dot(d, c->axis[0]))};
    if (!find_crossing(e, &border, 0.0, x) ||
        !(fabs(x[0] - *s) < (e->radius > 0.0 ? reach : c->radius)))
        return f;
    place met = edge_at(e, x[0]), there = edge_at(&border, x[1]);
    double far = 2.0 * fabs(f.distance) + NEAR * c->radius;
    double sine = v3_norm(v3_cross(met.d, there.d)) / (v3_norm(met.d) * v3_norm(there.d));
    if (!(sine > ALONG) || v3_norm(v3_sub(met.p, there.p)) > far) return f;
    flx_cylinder_foot g = on_rim(c, &border, &met, x[1], up);
    double out = c->radius * g.k[0], over = v3_dot(g.out, up);
    if (out >= 0.0 && over >= 0.0) {
        *s = x[0];
        return g;
    }
    if (rim) return f;
    flx_cylinder_part part = out < 0.0 ? FLX_CYLINDER_END : FLX_CYLINDER_SIDE;
    if (!least_on(c, e, part, *s - reach, *s + reach, s)) return f;
    return flx_cylinder_nearest_on(c, edge_at(e, *s).p, part);
}
