// particle_surfaces.c - walls and their surfaces are added: planes, tubes, shells, solids, triangles.
#include "base/refuse.h"
#include "particles/particle_set.h"

#include <math.h>
#include <string.h>

int flx_particles_add_wall(flx_particles *p)
{
    if (!p) return -1;
    if (flx_grow(p->ctx, (void **)&p->walls, &p->wall_capacity, p->nwall + 1, sizeof *p->walls) !=
        FLX_OK) {
        return -1;
    }
    p->walls[p->nwall] = (flx_wall){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    return p->nwall++;
}

// Axes whose third is a direction; false: it is none.
static bool axes_along(const double z[3], double A[9])
{
    double size = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
    if (!(size > 0.0) || !isfinite(size)) return false;
    const double c[3] = {z[0] / size, z[1] / size, z[2] / size};
    int k = fabs(c[0]) < 0.9 ? 0 : 1;
    double a[3] = {-c[k] * c[0], -c[k] * c[1], -c[k] * c[2]};
    a[k] += 1.0;
    size = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int i = 0; i < 3; i++) a[i] /= size;
    const double b[3] = {c[1] * a[2] - c[2] * a[1], c[2] * a[0] - c[0] * a[2],
                         c[0] * a[1] - c[1] * a[0]};
    for (int i = 0; i < 3; i++) {
        A[3 * i] = a[i];
        A[3 * i + 1] = b[i];
        A[3 * i + 2] = c[i];
    }
    return true;
}

static flx_status refuse(flx_particles *p)
{
    return FLX_FAIL(p->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "a surface is of a wall that was added, with a direction and sizes that are "
                    "finite and not zero");
}

// Its lengths are what a surface of its kind has; what is rounded may be nothing but its skin.
static bool has_size(flx_wall_kind kind, const double size[3], double skin)
{
    const int lengths[] = {[FLX_WALL_PLANE] = 0,   [FLX_WALL_TUBE] = 1,     [FLX_WALL_SHELL] = 2,
                           [FLX_WALL_CAPSULE] = 2, [FLX_WALL_CYLINDER] = 2, [FLX_WALL_BOX] = 3,
                           [FLX_WALL_TRIANGLE] = 0};
    if ((unsigned)kind >= sizeof lengths / sizeof *lengths || !(skin >= 0.0)) return false;
    for (int i = 0; i < lengths[kind]; i++) {
        if (!(size[i] >= 0.0)) return false;
    }
    return lengths[kind] == 0 || size[0] + skin > 0.0;
}

flx_status flx_particles_add_surface(flx_particles *p, int wall, flx_wall_kind kind,
                                     const double point[3], const double axes[9],
                                     const double size[3], double skin)
{
    if (!p) return flx_refuse_null(NULL, __func__);
    if (wall < 0 || wall >= p->nwall || !point || !axes || !size) return refuse(p);
    double sum = skin;
    for (int i = 0; i < 9; i++) sum += axes[i] + (i < 3 ? point[i] + size[i] : 0.0);
    if (!isfinite(sum) || !has_size(kind, size, skin)) return refuse(p);
    FLX_TRY(flx_grow(p->ctx, (void **)&p->surfaces, &p->surface_capacity, p->nsurface + 1,
                     sizeof *p->surfaces));
    flx_wall_surface *s = p->surfaces + p->nsurface++;
    *s = (flx_wall_surface){.kind = kind, .wall = wall, .skin = skin};
    memcpy(s->point, point, sizeof s->point);
    memcpy(s->axes, axes, sizeof s->axes);
    memcpy(s->size, size, sizeof s->size);
    flx_wall_place(p, p->nsurface - 1);
    p->wall_way = HUGE_VAL; // neighbours are sought again
    return FLX_OK;
}

flx_status flx_particles_add_plane(flx_particles *p, int wall, const double point[3],
                                   const double normal[3])
{
    if (!p) return flx_refuse_null(NULL, __func__);
    double A[9];
    const double none[3] = {0, 0, 0};
    if (!normal || !axes_along(normal, A)) return refuse(p);
    return flx_particles_add_surface(p, wall, FLX_WALL_PLANE, point, A, none, 0.0);
}

flx_status flx_particles_add_tube(flx_particles *p, int wall, const double point[3],
                                  const double axis[3], double radius)
{
    if (!p) return flx_refuse_null(NULL, __func__);
    double A[9];
    const double size[3] = {radius, 0, 0};
    if (!axis || !axes_along(axis, A) || !(radius > 0.0) || !isfinite(radius)) return refuse(p);
    return flx_particles_add_surface(p, wall, FLX_WALL_TUBE, point, A, size, 0.0);
}

flx_status flx_particles_add_triangle(flx_particles *p, int wall, const double corners[9])
{
    if (!p) return flx_refuse_null(NULL, __func__);
    if (!corners) return refuse(p);
    double a[3], b[3], A[9];
    for (int i = 0; i < 3; i++) {
        a[i] = corners[3 + i] - corners[i];
        b[i] = corners[6 + i] - corners[i];
    }
    const double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                         a[0] * b[1] - a[1] * b[0]};
    if (!axes_along(n, A)) return refuse(p);
    const double none[3] = {0, 0, 0};
    FLX_TRY(flx_particles_add_surface(p, wall, FLX_WALL_TRIANGLE, corners, A, none, 0.0));
    flx_wall_surface *s = p->surfaces + p->nsurface - 1;
    for (int k = 0; k < 2; k++) { // the other corners from the first, in the axes of the plane
        const double *e = k ? b : a;
        s->corner[2 * k] = A[0] * e[0] + A[3] * e[1] + A[6] * e[2];
        s->corner[2 * k + 1] = A[1] * e[0] + A[4] * e[1] + A[7] * e[2];
    }
    return FLX_OK;
}
