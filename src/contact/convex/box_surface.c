// box_surface.c - a box, whose skin rounds its edges: the lengths are those of the outside. Without end along its third axis it
// is a rectangle of the plane.
#include "contact/convex/polytope.h"

// Vertex i lies on the positive side of axis k where bit k of i is set. Faces: -x, x, -y, y, -z, z.
static const int box_edges[12 * 4] = {
    0, 1, 2, 4, 2, 3, 3, 4, 4, 5, 2, 5, 6, 7, 3, 5, // along x
    0, 2, 0, 4, 1, 3, 1, 4, 4, 6, 0, 5, 5, 7, 1, 5, // along y
    0, 4, 0, 2, 1, 5, 1, 2, 2, 6, 0, 3, 3, 7, 1, 3, // along z
};
static const int box_first[7] = {0, 4, 8, 12, 16, 20, 24};
static const int box_corners[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                    2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
// Of the rectangle: edges along z, each by one vertex; faces of two corners.
static const int flat_edges[4 * 4] = {0, 0, 0, 2, 1, 1, 1, 2, 2, 2, 0, 3, 3, 3, 1, 3};
static const int flat_first[5] = {0, 2, 4, 6, 8};
static const int flat_corners[8] = {0, 2, 1, 3, 0, 1, 2, 3};
static const double box_normals[18] = {-1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1};

static bool is_flat(const flx_surface *s)
{
    return isinf(s->size[2]);
}

static double half(const flx_surface *s, int k)
{
    if (k == 2 && is_flat(s)) return 0.0;
    return fmax(0.5 * s->size[k] - s->skin, 0.0);
}

static double core(const flx_surface *s, flx_polytope_room *room)
{
    const double h[3] = {half(s, 0), half(s, 1), half(s, 2)};
    bool flat = is_flat(s);
    room->p =
        (flx_polytope){.nvertex = flat ? 4 : 8,
                       .nedge = flat ? 4 : 12,
                       .nface = flat ? 4 : 6,
                       .vertices = room->numbers,
                       .edges = flat ? flat_edges : box_edges,
                       .normals = box_normals,
                       .first = flat ? flat_first : box_first,
                       .corners = flat ? flat_corners : box_corners,
                       .size = 2.0 * (sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]) + s->skin)};
    for (int i = 0; i < room->p.nvertex; i++) {
        for (int k = 0; k < 3; k++) room->numbers[3 * i + k] = i >> k & 1 ? h[k] : -h[k];
    }
    return s->skin;
}

// A rectangle of the plane counts as thick as it is long: it is no obstacle along z.
static double half_bound(const flx_surface *s, int k)
{
    return k == 2 && is_flat(s) ? fmax(half(s, 0), half(s, 1)) : half(s, k);
}

static void bounds(const flx_surface *s, const flx_frame *f, double low[3], double high[3])
{
    v3 c = flx_surface_place(s, f);
    const double at[3] = {c.x, c.y, c.z};
    v3 axis[3] = {flx_surface_axis(s, f, 0), flx_surface_axis(s, f, 1), flx_surface_axis(s, f, 2)};
    for (int k = 0; k < 3; k++) {
        double reach = s->skin;
        for (int i = 0; i < 3; i++) {
            const double e[3] = {axis[i].x, axis[i].y, axis[i].z};
            reach += fabs(e[k]) * half_bound(s, i);
        }
        low[k] = at[k] - reach;
        high[k] = at[k] + reach;
    }
}

const flx_surface_kind flx_surface_box = {
    .number = FLX_SURFACE_NUMBER_box,
    .sharp = true,
    .row = {.key = "box",
            .form = "vector",
            .unit = "m",
            .doc = "Lengths of the edges of a box about its middle; `round` rounds them, the "
                   "lengths stay."},
    .value = FLX_SURFACE_EDGES,
    .turns = true,
    .bounds = bounds,
    .core = core};
