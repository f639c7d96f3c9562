// film_camera.c - from where a scene is looked at: as the page does it (viewer/src/stage.ts).
#include "output/film.h"

#include <math.h>
#include <string.h>

#define ANGLE 40.0    // of the picture's height, in degrees
#define FAR_AWAY 20.0 // sizes of the mechanism: what goes further is followed

static v3 find_up(const flx_scene *s)
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

void flx_camera_aim(flx_camera *c, const flx_scene *scene, const char *view, v3 low, v3 high)
{
    *c = (flx_camera){.follow = -1, .world_up = find_up(scene)};
    v3 across = v3_sub(high, low);
    bool empty = !(across.x >= 0);
    c->radius = empty ? scene->size : fmax(0.5 * v3_norm(across), 1e-9);
    c->target = empty ? v3_make(0, 0, 0) : v3_scale(0.5, v3_add(low, high));
    if (c->radius > FAR_AWAY * scene->size) {
        c->radius = 1.1 * scene->size;
        c->follow = heaviest(scene);
    }
    v3 d = direction(view ? view : scene->dimension == 2 ? "z" : "slant", c->world_up);
    c->forward = v3_scale(-1, d);
    v3 up = c->world_up;
    if (fabs(v3_dot(d, up)) > 0.99) up = up.y != 0 ? v3_make(0, 0, 1) : v3_make(0, 1, 0);
    c->right = v3_unit(v3_cross(c->forward, up));
    c->up = v3_cross(c->right, c->forward);
}

void flx_camera_fit(flx_camera *c, const flx_raster *r)
{
    double half = sin(0.5 * ANGLE * FLX_PI / 180), narrow = fmin(1.0, (double)r->w / r->h);
    double reach = 1.05 * c->radius / (half * narrow);
    c->eye = v3_sub(c->target, v3_scale(reach, c->forward));
    c->zoom = 0.5 * r->h / tan(0.5 * ANGLE * FLX_PI / 180);
    c->near = 1e-3 * reach;
    c->cx = 0.5 * r->w;
    c->cy = 0.5 * r->h;
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
