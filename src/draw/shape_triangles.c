// shape_triangles.c - shapes as triangles: boxes, cylinders, capsules, spheres, surfaces of files.
#include "draw/shape_triangles.h"

#include <math.h>
#include <string.h>

#define AROUND 24  // corners of a circle
#define RINGS 6    // circles of a half ball
#define THIN 0.002 // least extent, part of the scene's size

void flx_triangles_clear(flx_triangles *s)
{
    flx_free(s->points);
    flx_free(s->triangles);
    *s = (flx_triangles){.ctx = s->ctx};
}

flx_status flx_triangles_add_point(flx_triangles *s, v3 p)
{
    FLX_TRY(flx_grow(s->ctx, (void **)&s->points, &s->point_capacity, 3 * (s->npoint + 1),
                     sizeof *s->points));
    v3_store(s->points + 3 * (size_t)s->npoint++, p);
    return FLX_OK;
}

flx_status flx_triangles_add_triangle(flx_triangles *s, int a, int b, int c)
{
    FLX_TRY(flx_grow(s->ctx, (void **)&s->triangles, &s->triangle_capacity, 3 * (s->ntriangle + 1),
                     sizeof *s->triangles));
    const int corners[3] = {a, b, c};
    memcpy(s->triangles + 3 * (size_t)s->ntriangle++, corners, sizeof corners);
    return FLX_OK;
}

flx_status flx_triangles_add_box(flx_triangles *s, v3 at, m33 R, const double edges[3])
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    int first = s->npoint;
    for (int i = 0; i < 8; i++) {
        v3 x = v3_make((i & 1 ? 0.5 : -0.5) * edges[0], (i & 2 ? 0.5 : -0.5) * edges[1],
                       (i & 4 ? 0.5 : -0.5) * edges[2]);
        FLX_TRY(flx_triangles_add_point(s, v3_add(at, m33_mul_v(R, x))));
    }
    for (int i = 0; i < 6; i++) {
        const int *f = faces[i];
        FLX_TRY(flx_triangles_add_triangle(s, first + f[0], first + f[1], first + f[2]));
        FLX_TRY(flx_triangles_add_triangle(s, first + f[0], first + f[2], first + f[3]));
    }
    return FLX_OK;
}

// Circles along an axis, each by where it is and its radius, closed by a point at each end.
typedef struct profile {
    int n;
    double along[2 * RINGS + 2], radius[2 * RINGS + 2];
    double end[2];
} profile;

static flx_status add_rotated(flx_triangles *s, v3 at, v3 axis, const profile *f)
{
    v3 z = v3_unit(axis), x = v3_cross(fabs(z.z) < 0.9 ? v3_make(0, 0, 1) : v3_make(1, 0, 0), z);
    x = v3_unit(x);
    v3 y = v3_cross(z, x);
    int first = s->npoint, last = first + 1 + AROUND * f->n;
    FLX_TRY(flx_triangles_add_point(s, v3_add(at, v3_scale(f->end[0], z))));
    for (int i = 0; i < f->n; i++) {
        v3 centre = v3_add(at, v3_scale(f->along[i], z));
        for (int k = 0; k < AROUND; k++) {
            double w = 2 * FLX_PI * k / AROUND;
            v3 out = v3_add(v3_scale(cos(w), x), v3_scale(sin(w), y));
            FLX_TRY(flx_triangles_add_point(s, v3_add(centre, v3_scale(f->radius[i], out))));
        }
    }
    FLX_TRY(flx_triangles_add_point(s, v3_add(at, v3_scale(f->end[1], z))));
    for (int k = 0; k < AROUND; k++) {
        int a = first + 1 + k, b = first + 1 + (k + 1) % AROUND, step = AROUND * (f->n - 1);
        FLX_TRY(flx_triangles_add_triangle(s, first, b, a));
        FLX_TRY(flx_triangles_add_triangle(s, last, a + step, b + step));
        for (int i = 0; i + 1 < f->n; i++, a += AROUND, b += AROUND) {
            FLX_TRY(flx_triangles_add_triangle(s, a, b, b + AROUND));
            FLX_TRY(flx_triangles_add_triangle(s, a, b + AROUND, a + AROUND));
        }
    }
    return FLX_OK;
}

flx_status flx_triangles_add_round(flx_triangles *s, v3 at, v3 axis, double radius, double length,
                                   bool round)
{
    profile f = {.n = 2, .along = {-0.5 * length, 0.5 * length}, .radius = {radius, radius}};
    f.end[0] = -0.5 * length - (round ? radius : 0);
    f.end[1] = -f.end[0];
    if (round) {
        f.n = 2 * RINGS;
        for (int i = 0; i < RINGS; i++) {
            double w = 0.5 * FLX_PI * (i + 1) / RINGS;
            f.along[i] = -0.5 * length - radius * cos(w);
            f.radius[i] = f.radius[f.n - 1 - i] = radius * sin(w);
            f.along[f.n - 1 - i] = -f.along[i];
        }
    }
    return add_rotated(s, at, v3_norm(axis) > 0 ? axis : v3_make(1, 0, 0), &f);
}

flx_status flx_triangles_add_cone(flx_triangles *s, v3 at, v3 axis, double radius, double length)
{
    const profile f = {.n = 1, .along = {0}, .radius = {radius}, .end = {0, length}};
    return add_rotated(s, at, axis, &f);
}

flx_status flx_triangles_sweep(flx_triangles *s, int n, const flx_scene_place *places, bool round,
                               const double size[2])
{
    int corners = round ? AROUND / 2 : 4, first = s->npoint;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < corners; k++) {
            double w = 2 * FLX_PI * (k + (round ? 0 : 0.5)) / corners;
            double y = size[0] * cos(w), z = size[0] * sin(w);
            if (!round) {
                y = (cos(w) > 0 ? 0.5 : -0.5) * size[1];
                z = (sin(w) > 0 ? 0.5 : -0.5) * size[0];
            }
            FLX_TRY(flx_triangles_add_point(s, flx_scene_move(&places[i], v3_make(0, y, z))));
        }
    }
    for (int i = 0; i + 1 < n; i++) {
        for (int k = 0; k < corners; k++) {
            int a = first + corners * i + k, b = first + corners * i + (k + 1) % corners;
            FLX_TRY(flx_triangles_add_triangle(s, a, b, b + corners));
            FLX_TRY(flx_triangles_add_triangle(s, a, b + corners, a + corners));
        }
    }
    for (int end = 0; n > 1 && end < 2; end++) {
        int at = first + (end ? corners * (n - 1) : 0);
        for (int k = 1; k + 1 < corners; k++) {
            FLX_TRY(
                flx_triangles_add_triangle(s, at, at + (end ? k : k + 1), at + (end ? k + 1 : k)));
        }
    }
    return FLX_OK;
}

static flx_status add_surface(flx_triangles *s, const flx_scene_shape *shape,
                              const flx_scene_surface *from)
{
    int first = s->npoint;
    m33 R = quat_to_m33(quat_load(shape->turn));
    for (size_t i = 0; i < (size_t)from->npoint; i++) {
        const float *p = from->points + 3 * i;
        v3 x = v3_make((double)p[0], (double)p[1], (double)p[2]);
        x = v3_add(v3_load(shape->at), m33_mul_v(R, v3_scale(shape->scale, x)));
        FLX_TRY(flx_triangles_add_point(s, x));
    }
    for (size_t i = 0; i < (size_t)from->ntriangle; i++) {
        const int *t = from->triangles + 3 * i;
        FLX_TRY(flx_triangles_add_triangle(s, first + t[0], first + t[1], first + t[2]));
    }
    return FLX_OK;
}

static flx_status add_box(flx_triangles *s, const flx_scene_shape *shape, const double edges[3])
{
    return flx_triangles_add_box(s, v3_load(shape->at), quat_to_m33(quat_load(shape->turn)), edges);
}

static flx_status add_cylinder(flx_triangles *s, const flx_scene_shape *shape,
                               const double edges[3])
{
    return flx_triangles_add_round(s, v3_load(shape->at), v3_load(shape->axis), edges[0], edges[1],
                                   false);
}

static flx_status add_capsule(flx_triangles *s, const flx_scene_shape *shape, const double edges[3])
{
    return flx_triangles_add_round(s, v3_load(shape->at), v3_load(shape->axis), edges[0], edges[1],
                                   true);
}

static flx_status add_sphere(flx_triangles *s, const flx_scene_shape *shape, const double edges[3])
{
    return flx_triangles_add_round(s, v3_load(shape->at), v3_load(shape->axis), edges[0], 0, true);
}

static const struct {
    const char *kind;
    flx_status (*add)(flx_triangles *s, const flx_scene_shape *shape, const double edges[3]);
} solids[] = {
    {"box", add_box}, {"cylinder", add_cylinder}, {"capsule", add_capsule}, {"sphere", add_sphere}};

flx_status flx_triangles_add_shape(flx_triangles *s, const flx_result *r,
                                   const flx_scene_shape *shape, double size)
{
    double edges[3];
    for (int k = 0; k < 3; k++) edges[k] = fmax(shape->size[k], THIN * size);
    for (size_t i = 0; i < sizeof solids / sizeof solids[0]; i++) {
        if (strcmp(shape->kind, solids[i].kind) == 0) return solids[i].add(s, shape, edges);
    }
    const flx_scene_surface *surface = flx_result_surface(r, shape->surface);
    return surface ? add_surface(s, shape, surface) : FLX_OK;
}
