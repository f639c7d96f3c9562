// film_paint.c - solids, lines and the scale of colours of a picture.
#include "base/number.h"
#include "draw/film.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROUND 0.75     // cosine of the angle between faces that are drawn as one round surface
#define TURNS 9        // of a coil
#define STEPS 8        // lines a turn
#define MOST_LINES 200 // of the grid
#define BAR 120        // pixels of the scale's height

void flx_painter_clear(flx_painter *p)
{
    flx_free(p->faces);
    flx_free(p->places);
    flx_free(p->starts);
    flx_free(p->around);
    *p = (flx_painter){0};
}

// ---- solids -------------------------------------------------------------------------------------

static flx_status make_room(flx_painter *p, const flx_triangles *s)
{
    FLX_TRY(
        flx_grow(p->ctx, (void **)&p->faces, &p->face_capacity, s->ntriangle, sizeof *p->faces));
    FLX_TRY(
        flx_grow(p->ctx, (void **)&p->places, &p->place_capacity, s->npoint, sizeof *p->places));
    FLX_TRY(flx_grow(p->ctx, (void **)&p->starts, &p->start_capacity, s->npoint + 2,
                     sizeof *p->starts));
    return flx_grow(p->ctx, (void **)&p->around, &p->around_capacity, 3 * s->ntriangle,
                    sizeof *p->around);
}

// Triangles round every point: counted, then listed.
static void list_around(flx_painter *p, const flx_triangles *s)
{
    memset(p->starts, 0, ((size_t)s->npoint + 2) * sizeof *p->starts);
    for (int i = 0; i < 3 * s->ntriangle; i++) p->starts[s->triangles[i] + 2]++;
    for (int i = 0; i < s->npoint; i++) p->starts[i + 2] += p->starts[i + 1];
    for (int i = 0; i < 3 * s->ntriangle; i++) {
        p->around[p->starts[s->triangles[i] + 1]++] = i / 3;
    }
}

static void find_faces(flx_painter *p, const flx_triangles *s)
{
    for (int i = 0; i < s->ntriangle; i++) {
        const int *t = s->triangles + 3 * (size_t)i;
        v3 a = p->places[t[0]];
        v3 n = v3_cross(v3_sub(p->places[t[1]], a), v3_sub(p->places[t[2]], a));
        p->faces[i] = v3_norm(n) > 0 ? n : v3_make(0, 0, 0); // larger triangles count more
    }
}

// The normal at a corner: of all faces round it that go on smoothly.
static v3 corner_normal(const flx_painter *p, int face, int point)
{
    v3 own = p->faces[face], sum = {0, 0, 0};
    double size = v3_norm(own);
    for (int k = p->starts[point]; k < p->starts[point + 1]; k++) {
        v3 n = p->faces[p->around[k]];
        if (v3_dot(n, own) >= ROUND * size * v3_norm(n)) sum = v3_add(sum, n);
    }
    return v3_norm(sum) > 0 ? v3_unit(sum) : v3_make(0, 0, 1);
}

static flx_colour shade(const flx_painter *p, v3 normal, v3 at, flx_colour c)
{
    if (v3_dot(normal, v3_sub(p->camera->eye, at)) < 0)
        normal = v3_scale(-1, normal); // seen from behind
    return flx_camera_light(p->camera, normal, c);
}

flx_status flx_paint_solid(flx_painter *p, const flx_triangles *s, const flx_scene_place *at,
                           flx_colour colour, const flx_colour *colours)
{
    if (s->ntriangle == 0 || !at->known) return FLX_OK;
    FLX_TRY(make_room(p, s));
    for (int i = 0; i < s->npoint; i++) {
        p->places[i] = flx_scene_move(at, v3_load(s->points + 3 * (size_t)i));
    }
    list_around(p, s);
    find_faces(p, s);
    for (int i = 0; i < s->ntriangle; i++) {
        flx_corner c[3];
        bool seen = true;
        for (int k = 0; k < 3 && seen; k++) {
            int point = s->triangles[3 * (size_t)i + k];
            seen = flx_camera_see(p->camera, p->places[point], &c[k]);
            c[k].colour = shade(p, corner_normal(p, i, point), p->places[point],
                                colours ? colours[point] : colour);
        }
        if (seen) flx_raster_triangle(p->raster, c);
    }
    return FLX_OK;
}

// ---- lines --------------------------------------------------------------------------------------

// What lies before the eye of a line.
static bool clip(const flx_camera *c, v3 *a, v3 *b)
{
    double da = v3_dot(v3_sub(*a, c->eye), c->forward), least = 1.01 * c->near;
    double db = v3_dot(v3_sub(*b, c->eye), c->forward);
    if (!(da > least || db > least)) return false;
    if (da > least && db > least) return true;
    v3 at = v3_add(*a, v3_scale((least - da) / (db - da), v3_sub(*b, *a)));
    *(da > least ? b : a) = at;
    return true;
}

void flx_paint_line(flx_painter *p, v3 a, v3 b, double width, flx_colour colour)
{
    flx_corner ends[2];
    if (!clip(p->camera, &a, &b)) return;
    if (!flx_camera_see(p->camera, a, &ends[0]) || !flx_camera_see(p->camera, b, &ends[1])) return;
    ends[0].colour = ends[1].colour = colour;
    flx_raster_line(p->raster, ends[0], ends[1], width);
}

void flx_paint_coil(flx_painter *p, v3 a, v3 b, double radius, flx_colour colour)
{
    v3 along = v3_sub(b, a), before = a;
    double length = v3_norm(along);
    if (!(length > 0)) return;
    v3 u = v3_scale(1 / length, along);
    v3 e = v3_unit(v3_cross(u, fabs(u.z) < 0.9 ? v3_make(0, 0, 1) : v3_make(0, 1, 0)));
    v3 g = v3_cross(u, e);
    for (int i = 1; i <= TURNS * STEPS; i++) {
        double s = (double)i / (TURNS * STEPS), w = 2 * FLX_PI * TURNS * s;
        v3 now = v3_add(a, v3_scale(s, along));
        if (i < TURNS * STEPS) {
            now = v3_add(now, v3_scale(radius * cos(w), e));
            now = v3_add(now, v3_scale(radius * sin(w), g));
        }
        flx_paint_line(p, before, now, 4, colour);
        before = now;
    }
}

void flx_paint_grid(flx_painter *p, const flx_scene *scene)
{
    const flx_colour grey = {0.86F, 0.88F, 0.90F};
    const flx_camera *c = p->camera;
    double step = pow(10, floor(log10(c->radius)));
    int n = (int)fmin(ceil(2 * c->radius / step), 0.5 * MOST_LINES);
    v3 up = scene->dimension == 2 ? v3_make(0, 0, 1) : c->world_up;
    v3 x = v3_unit(v3_cross(up, fabs(up.x) < 0.9 ? v3_make(1, 0, 0) : v3_make(0, 1, 0)));
    v3 y = v3_cross(up, x);
    v3 centre = scene->dimension == 2 ? v3_make(0, 0, -0.05 * c->radius) : v3_scale(c->floor, up);
    for (int i = -n; i <= n; i++) {
        for (int k = 0; k < 2; k++) {
            v3 at = v3_add(centre, v3_scale(i * step, k ? x : y));
            v3 out = v3_scale(n * step, k ? y : x);
            flx_paint_line(p, v3_sub(at, out), v3_add(at, out), 2, grey);
        }
    }
}

// ---- colours ------------------------------------------------------------------------------------

flx_colour flx_scale_colour(double x)
{
    static const flx_colour marks[5] = {{0.20F, 0.30F, 0.85F},
                                        {0.15F, 0.70F, 0.85F},
                                        {0.25F, 0.75F, 0.30F},
                                        {0.95F, 0.80F, 0.20F},
                                        {0.85F, 0.20F, 0.15F}};
    double s = 4 * (x > 0 ? fmin(x, 1) : 0); // also NaN
    int k = s < 4 ? (int)s : 3;
    float f = (float)(s - k);
    const flx_colour *a = marks + k, *b = marks + k + 1;
    return (flx_colour){a->r + f * (b->r - a->r), a->g + f * (b->g - a->g),
                        a->b + f * (b->b - a->b)};
}

void flx_paint_scale(flx_painter *p, double largest, const char *unit)
{
    const flx_colour ink = {0.15F, 0.17F, 0.2F};
    flx_raster *r = p->raster;
    int x = 16, y = r->height - BAR - 24;
    char text[64];
    for (int i = 0; i < 2 * BAR; i++) { // in samples: rows of the bar, in front of everything
        flx_corner a = {2.0 * x, 2.0 * y + i + 0.5, -HUGE_VAL,
                        flx_scale_colour(1 - i / (2.0 * BAR))};
        a.z = -1e30;
        flx_corner b = a;
        b.x += 24;
        flx_raster_line(r, a, b, 1.2);
    }
    flx_snprintf(text, sizeof text, "%.3g %s", largest, unit);
    flx_raster_text(r, x + 20, y, 2, text, ink);
    flx_raster_text(r, x + 20, y + BAR - 14, 2, "0", ink);
}
