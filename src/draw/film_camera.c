// film_camera.c - from where a scene is looked at: as the page does it (viewer/src/stage.ts).
#include "draw/film.h"

#include <math.h>
#include <string.h>

#define WIDE 32.0 // angle of the picture's height in space, in degrees, ...
#define FLAT 4.0  // ... and, nearly without perspective, in a plane
#define MARGIN 1.1
#define FAR_AWAY 6.0   // sizes of the mechanism: what goes further is followed, ...
#define FAR_ALONE 20.0 // ... but one body alone would not be seen to move

v3 flx_scene_up(const flx_scene *s)
{
    v3 g = v3_load(s->gravity);
    if (v3_norm(g) > 0) return v3_unit(v3_scale(-1, g));
    return s->dimension == 2 ? v3_make(0, 1, 0) : v3_make(0, 0, 1);
}

// A direction given with z upwards, for another one upwards: turned the shortest way.
static v3 turn_up(v3 d, v3 up)
{
    double cosine = up.z;
    if (cosine < -1 + 1e-12) return v3_make(d.x, -d.y, -d.z);
    v3 n = v3_cross(v3_make(0, 0, 1), up);
    v3 nd = v3_cross(n, d);
    return v3_add(v3_add(d, nd), v3_scale(1 / (1 + cosine), v3_cross(n, nd)));
}

static v3 direction(const char *view, v3 up)
{
    if (strcmp(view, "x") == 0) return v3_make(1, 0, 0);
    if (strcmp(view, "y") == 0) return v3_make(0, -1, 0);
    if (strcmp(view, "z") == 0) return v3_make(0, 0, 1);
    return v3_unit(turn_up(v3_make(1, -1.3, 0.75), up));
}

static int heaviest(const flx_scene *s)
{
    int best = -1;
    for (int i = 0; i < s->nbody; i++) {
        if (best < 0 || s->bodies[i].mass > s->bodies[best].mass) best = i;
    }
    return best;
}

static int count_drawn(const flx_scene *s)
{
    int n = s->nline + s->nsolid;
    for (int i = 0; i < s->nbody; i++) n += s->bodies[i].nshape > 0 || s->bodies[i].elastic;
    return n;
}

// Under everything, that no line of the ground lies before a body; what stands on the plane through the origin, or rolls
// on another one, is left on it.
static double find_floor(const flx_scene *s, v3 up, v3 low, v3 high)
{
    double lowest = HUGE_VAL;
    for (int i = 0; i < s->njoint; i++) {
        const flx_scene_link *j = s->joints + i;
        if (strcmp(j->type, "rolling") == 0 && j->body[0] < 0) {
            return v3_dot(v3_load(j->at[0]), up);
        }
    }
    for (int k = 0; k < 8; k++) {
        v3 x = v3_make(k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z);
        lowest = fmin(lowest, v3_dot(x, up));
    }
    if (!isfinite(lowest)) return 0;
    bool stands = lowest > -1e-3 * s->size && lowest < v3_norm(v3_sub(high, low));
    return stands ? 0 : lowest - 0.02 * s->size;
}

void flx_camera_aim(flx_camera *c, const flx_scene *scene, const char *view, v3 low, v3 high)
{
    *c = (flx_camera){.follow = -1, .world_up = flx_scene_up(scene)};
    v3 across = v3_sub(high, low);
    bool empty = !(across.x >= 0);
    c->radius = empty ? scene->size : fmax(0.5 * v3_norm(across), 1e-9);
    c->target = empty ? v3_make(0, 0, 0) : v3_scale(0.5, v3_add(low, high));
    c->angle = (scene->dimension == 2 ? FLAT : WIDE) * FLX_PI / 180;
    if (c->radius > (count_drawn(scene) > 1 ? FAR_AWAY : FAR_ALONE) * scene->size) {
        c->radius = 1.1 * scene->size;
        c->follow = heaviest(scene);
    }
    c->floor = empty ? 0 : find_floor(scene, c->world_up, low, high);
    v3 half = v3_scale(0.5, across);
    double cube = c->radius / sqrt(3.0);
    if (empty || c->follow >= 0) half = v3_make(cube, cube, cube);
    c->high = half;
    c->low = v3_scale(-1, half);
    v3 d = direction(view ? view : scene->dimension == 2 ? "z" : "slant", c->world_up);
    c->forward = v3_scale(-1, d);
    v3 up = c->world_up;
    if (fabs(v3_dot(d, up)) > 0.99) up = up.y != 0 ? v3_make(0, 0, 1) : v3_make(0, 1, 0);
    c->right = v3_unit(v3_cross(c->forward, up));
    c->up = v3_cross(c->right, c->forward);
}

// As far away as all corners of the box need.
void flx_camera_fit(flx_camera *c, const flx_raster *r)
{
    double tangent = tan(0.5 * c->angle), aspect = (double)r->w / r->h, reach = 0.1 * c->radius;
    for (int k = 0; k < 8; k++) {
        v3 x = v3_make(k & 1 ? c->high.x : c->low.x, k & 2 ? c->high.y : c->low.y,
                       k & 4 ? c->high.z : c->low.z);
        double wide = fabs(v3_dot(x, c->right)) / (tangent * aspect);
        double tall = fabs(v3_dot(x, c->up)) / tangent;
        reach = fmax(reach, MARGIN * fmax(wide, tall) - v3_dot(x, c->forward));
    }
    c->eye = v3_sub(c->target, v3_scale(reach, c->forward));
    c->zoom = 0.5 * r->h / tangent;
    c->near = 1e-3 * reach;
    c->cx = 0.5 * r->w;
    c->cy = 0.5 * r->h;
}

flx_colour flx_camera_light(const flx_camera *c, v3 normal, flx_colour colour)
{
    // from beside the eye: a face that is seen is lit
    v3 sun = v3_add(v3_scale(-0.9, c->forward), v3_scale(-0.3, c->right));
    sun = v3_unit(v3_add(sun, v3_scale(0.4, c->up)));
    double lit = 0.5 + 0.5 * fmax(0.0, v3_dot(normal, sun)) + 0.06 * v3_dot(normal, c->world_up);
    float k = (float)lit;
    return (flx_colour){k * colour.r, k * colour.g, k * colour.b};
}

bool flx_camera_see(const flx_camera *c, v3 x, flx_corner *out)
{
    v3 d = v3_sub(x, c->eye);
    double far = v3_dot(d, c->forward);
    if (!(far > c->near)) return false;
    out->x = c->cx + c->zoom * v3_dot(d, c->right) / far;
    out->y = c->cy - c->zoom * v3_dot(d, c->up) / far;
    out->z = -1 / far;
    return true;
}
