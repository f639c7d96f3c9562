// pair_polytope.c - pairs of boxes and hulls with each other, and with planes, spheres and capsules.
#include "contact/convex/polytope.h"

// ---- surfaces as solids --------------------------------------------------------------------------

bool flx_convex_place(const flx_surface *s, const flx_frame *f, flx_polytope_room *room,
                      flx_convex *out)
{
    if (!s->kind->core) return false;
    *out = (flx_convex){.of = &room->p,
                        .R = m33_mul(m33_load(f->R), m33_load(s->axes)),
                        .x = flx_surface_place(s, f),
                        .skin = s->kind->core(s, room)};
    return true;
}

// ---- two solids ------------------------------------------------------------------------------------

static int touch(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                 const flx_frame *fb, double reach, int most, flx_manifold *last, flx_touch *out)
{
    flx_polytope_room room[2];
    flx_convex s[2];
    if (!flx_convex_place(a, fa, room, s) || !flx_convex_place(b, fb, room + 1, s + 1)) return 0;
    return flx_convex_touch(s, s + 1, reach, most, last, out);
}

static bool is_there(const flx_polytope *p, flx_part_kind kind, int number)
{
    const int most[3] = {p->nvertex, p->nedge, p->nface};
    return kind <= FLX_PART_FACE && number < most[kind];
}

static bool point(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                  const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    flx_polytope_room room[2];
    flx_convex s[2];
    flx_part part[2];
    flx_part_kind kind[2];
    int number[2];
    if (!flx_convex_place(a, fa, room, s) || !flx_convex_place(b, fb, room + 1, s + 1))
        return false;
    flx_feature_parts(feature, kind, number);
    for (int i = 0; i < 2; i++) {
        if (!is_there(s[i].of, kind[i], number[i])) return false;
        part[i] = flx_convex_part(s + i, kind[i], number[i]);
    }
    return flx_parts_touch(part, s[0].skin, part + 1, s[1].skin, out);
}

#define SOLIDS(first, second)                                                                      \
    const flx_pair flx_pair_##first##_##second = {.point = point, .touch = touch}
SOLIDS(box, box);
SOLIDS(box, capsule);
SOLIDS(box, hull);
SOLIDS(hull, hull);
SOLIDS(hull, capsule);

// A sphere has one point, nearest to its centre, which goes over faces, edges and corners with a continuous normal.
static bool sphere_point(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                         const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    if (touch(a, fa, b, fb, HUGE_VAL, 1, NULL, out) != 1) return false;
    out->feature = feature;
    return true;
}

#define SPHERES(first)                                                                             \
    const flx_pair flx_pair_##first##_sphere = {.points = 1, .point = sphere_point}
SPHERES(box);
SPHERES(hull);

// ---- a plane and a solid: feature = number of the vertex -------------------------------------------------

static flx_part plane_part(const flx_surface *a, const flx_frame *fa)
{
    return (flx_part){
        .kind = FLX_PART_FACE, .p = flx_surface_place(a, fa), .d = flx_surface_axis(a, fa, 2)};
}

static int plane_touch(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                       const flx_frame *fb, double reach, int most, flx_manifold *last,
                       flx_touch *out)
{
    flx_polytope_room room;
    flx_convex s;
    flx_part plane = plane_part(a, fa);
    if (!flx_convex_place(b, fb, &room, &s)) return 0;
    return flx_plane_convex_touch(&plane, a->skin, &s, reach, most, last, out);
}

static bool plane_point(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                        const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    flx_polytope_room room;
    flx_convex s;
    flx_part plane = plane_part(a, fa);
    if (!flx_convex_place(b, fb, &room, &s) || feature >= (uint64_t)s.of->nvertex) return false;
    flx_part vertex = flx_convex_part(&s, FLX_PART_VERTEX, (int)feature);
    if (!flx_parts_touch(&plane, a->skin, &vertex, s.skin, out)) return false;
    out->feature = feature;
    return true;
}

static int plane_count(const flx_surface *a, const flx_surface *b)
{
    static const flx_frame still = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    flx_polytope_room room;
    flx_convex s;
    (void)a;
    return flx_convex_place(b, &still, &room, &s) ? s.of->nvertex : 0;
}

#define PLANES(second)                                                                             \
    const flx_pair flx_pair_plane_##second = {                                                     \
        .count = plane_count, .point = plane_point, .touch = plane_touch}
PLANES(box);
PLANES(hull);
