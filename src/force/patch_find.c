// patch_find.c - where two surfaces that are made of patches touch.
//
// Every two patches that are near each other have a place where they are nearest. One at a border beyond which the surface
// goes on is a place of the whole surface only where the patch beyond says the same: else the distance becomes less there.
// Places that two patches find are one.
#include "force/patch_force.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define SAME 1e-6 // places nearer than this part of the radii

void flx_patch_place_boxes(const flx_patch_pair *p, flx_frames f, double *boxes)
{
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < p->n[side]; i++, boxes += 6) {
            v3 z[FLX_PATCH_VECTORS];
            flx_patch_place_vectors(p->of[side] + i, f, z);
            flx_patch_bounds(p->of[side][i].kind, z, boxes, boxes + 3);
        }
    }
}

bool flx_patch_are_near(const double *a, const double *b, double reach)
{
    for (int k = 0; k < 3; k++) {
        if (a[k] > b[3 + k] + reach || b[k] > a[3 + k] + reach) return false;
    }
    return true;
}

// A line that is bent by no more than its own radius comes back to itself after pi radii.
bool flx_patch_may_touch(const flx_patch_pair *p, int i, int j)
{
    double between = 0.0;
    if (!p->self) return true;
    if (j <= i + 1) return false;
    for (int k = i + 1; k < j; k++) between += p->of[0][k].length;
    return between >= PI * p->radius[0];
}

static bool is_at_inner_border(const flx_patch_pair *p, const flx_patch_touch *t)
{
    for (int side = 0; side < 2; side++) {
        const flx_patch *of = p->of[side] + t->patch[side];
        for (int k = 0; k < 2; k++) {
            int border = t->at.border[side][k];
            if (border != 0 && of->inner[k][border > 0]) return true;
        }
    }
    return false;
}

static bool is_same(const flx_patch_touch *a, const flx_patch_touch *b, double near)
{
    for (int side = 0; side < 2; side++) {
        v3 apart = v3_sub(v3_load(a->at.c[side]), v3_load(b->at.c[side]));
        if (!(v3_norm(apart) < near)) return false;
    }
    return true;
}

// Of places that are the same the first inside its patch, else the first; what only one side of a border says goes.
static int keep(const flx_patch_pair *p, double near, int n, flx_patch_touch *of)
{
    int kept = 0;
    for (int i = 0; i < n; i++) {
        bool border = is_at_inner_border(p, of + i), twin = false, taken = false;
        for (int k = 0; k < n && border; k++) {
            if (k == i || !is_same(of + i, of + k, near)) continue;
            twin = true;
            taken |= !is_at_inner_border(p, of + k);
        }
        for (int k = 0; k < kept; k++) taken |= is_same(of + i, of + k, near);
        // what was found before it is either kept or at a border without a twin
        if (taken || (border && !twin)) continue;
        flx_patch_touch t = of[i];
        memmove(of + kept + 1, of + kept, (size_t)(i - kept) * sizeof *of);
        of[kept++] = t;
    }
    return kept;
}

// Where there is no room, the farthest makes it.
static int add(const flx_patch_touch *t, int n, int room, flx_patch_touch *of)
{
    int last = 0;
    if (n < room) {
        of[n] = *t;
        return n + 1;
    }
    for (int i = 1; i < n; i++) {
        if (of[i].at.distance > of[last].at.distance) last = i;
    }
    if (t->at.distance < of[last].at.distance) of[last] = *t;
    return n;
}

int flx_patch_find(const flx_patch_pair *p, flx_frames f, double reach, double *boxes, int room,
                   flx_patch_touch *of)
{
    double thick = p->radius[0] + p->radius[1];
    int n = 0;
    flx_patch_place_boxes(p, f, boxes);
    for (int i = 0; i < p->n[0]; i++) {
        v3 z[2][FLX_PATCH_VECTORS];
        bool placed = false;
        for (int j = 0; j < p->n[1]; j++) {
            const double *own = boxes + (ptrdiff_t)6 * i,
                         *other = boxes + (ptrdiff_t)6 * (p->n[0] + j);
            if (!flx_patch_are_near(own, other, thick + reach)) continue;
            if (!flx_patch_may_touch(p, i, j)) continue;
            const flx_patch_kind kind[2] = {p->of[0][i].kind, p->of[1][j].kind};
            flx_patch_touch t = {.patch = {i, j}, .weight = 1.0};
            if (!placed) flx_patch_place_vectors(p->of[0] + i, f, z[0]);
            placed = true;
            flx_patch_place_vectors(p->of[1] + j, f, z[1]);
            flx_patch_nearest(kind, z, &t.at);
            if (!(t.at.distance < thick + reach) || !(t.at.distance > 0.0)) continue;
            n = add(&t, n, room, of);
        }
    }
    return keep(p, SAME * thick, n, of);
}

int flx_patch_find_nearest(const flx_patch_pair *p, flx_frames f, double reach, double *boxes,
                           int room, flx_patch_touch *of)
{
    double thick = p->radius[0] + p->radius[1];
    int n = 0;
    flx_patch_place_boxes(p, f, boxes);
    for (int i = 0; i < p->n[0] && n < room; i++) {
        flx_patch_touch best = {.at.distance = thick + reach};
        v3 z[2][FLX_PATCH_VECTORS];
        flx_patch_place_vectors(p->of[0] + i, f, z[0]);
        for (int j = 0; j < p->n[1]; j++) {
            const double *own = boxes + (ptrdiff_t)6 * i,
                         *other = boxes + (ptrdiff_t)6 * (p->n[0] + j);
            if (!flx_patch_are_near(own, other, best.at.distance)) continue;
            const flx_patch_kind kind[2] = {p->of[0][i].kind, p->of[1][j].kind};
            flx_patch_touch t = {.patch = {i, j}, .weight = 1.0};
            flx_patch_place_vectors(p->of[1] + j, f, z[1]);
            flx_patch_nearest(kind, z, &t.at);
            if (t.at.distance < best.at.distance && t.at.distance > 0.0) best = t;
        }
        if (best.weight > 0.0) of[n++] = best;
    }
    return n;
}
