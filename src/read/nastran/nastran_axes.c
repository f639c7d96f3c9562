// nastran_axes.c - coordinate systems of Nastran, rectangular, cylindrical (radius, degrees, z) and spherical
// (radius, degrees from z, degrees about z), each given in another one.
#include "math/small.h"
#include "read/nastran/nastran_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const flx_nastran_axes basic = {
    .kind = 'R', .known = true, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static const flx_nastran_axes *find_axes(const flx_nastran *r, int id)
{
    for (int i = 0; id != 0 && i < r->naxes; i++) {
        if (r->axes[i].id == id) return r->axes + i;
    }
    return id == 0 ? &basic : NULL;
}

static flx_status need_axes(const flx_nastran *r, int id, const flx_nastran_axes **out)
{
    *out = find_axes(r, id);
    if (*out && (*out)->known) return FLX_OK;
    if (*out) {
        return REFUSE(
            r,
            "%.*s needs the coordinate system %d, which is given by nodes (CORD1%c) or by "
            "itself: give it by places, CORD2%c",
            r->f[0].length, r->f[0].text, id, (*out)->kind, (*out)->kind);
    }
    return REFUSE(r, "%.*s is in the coordinate system %d, which is not in the file",
                  r->f[0].length, r->f[0].text, id);
}

static bool has_ending(const flx_nastran *r, const char *word)
{
    return r->f[0].length == 6 && flx_nastran_is(r, word);
}

// CORD2R, CID, RID, A1, A2, A3, B1, B2, B3, C1, C2, C3. CORD1R, CID, GA, GB, GC, and perhaps another one.
flx_status flx_nastran_add_axes(flx_nastran *r)
{
    flx_nastran_axes a = {.line = r->line};
    bool nodes = has_ending(r, "CORD1R") || has_ending(r, "CORD1C") || has_ending(r, "CORD1S");
    a.kind = (char)(r->f[0].text[5] & ~32);
    for (int i = 1; i < (nodes ? 9 : 2); i += 4) {
        if (i > 1 && flx_nastran_is_empty(r, i)) break;
        FLX_TRY(flx_nastran_int(r, i, "the number of a coordinate system", &a.id));
        if (!nodes) FLX_TRY(flx_nastran_id(r, 2, "a coordinate system", &a.reference));
        for (int k = 0; k < (nodes ? 3 : 9); k++) {
            FLX_TRY(flx_nastran_number(r, (nodes ? i + 1 : 3) + k,
                                       nodes ? "a node" : "a coordinate", &a.given[k]));
        }
        if (nodes) a.reference = -1;
        if (a.id <= 0 || find_axes(r, a.id)) {
            return REFUSE(r, "the coordinate system %d is there twice, or has no number", a.id);
        }
        FLX_SCAN_GROW(r, r->axes, r->axes_capacity, r->naxes + 1);
        r->axes[r->naxes++] = a;
    }
    return FLX_OK;
}

static void local_to_basic(const flx_nastran_axes *a, double x[3])
{
    double l[3] = {x[0], x[1], x[2]}, turn = FLX_PI / 180;
    if (a->kind == 'C') {
        l[0] = x[0] * cos(x[1] * turn);
        l[1] = x[0] * sin(x[1] * turn);
    } else if (a->kind == 'S') {
        l[0] = x[0] * sin(x[1] * turn) * cos(x[2] * turn);
        l[1] = x[0] * sin(x[1] * turn) * sin(x[2] * turn);
        l[2] = x[0] * cos(x[1] * turn);
    }
    for (int c = 0; c < 3; c++) {
        x[c] = a->origin[c] + a->axes[c] * l[0] + a->axes[3 + c] * l[1] + a->axes[6 + c] * l[2];
    }
}

flx_status flx_nastran_to_basic(const flx_nastran *r, int id, double x[3])
{
    const flx_nastran_axes *a;
    if (id == 0) return FLX_OK;
    FLX_TRY(need_axes(r, id, &a));
    local_to_basic(a, x);
    return FLX_OK;
}

static flx_status orient(const flx_nastran *r, flx_nastran_axes *a, double place[3][3])
{
    v3 origin = v3_load(place[0]), z = v3_sub(v3_load(place[1]), origin);
    v3 side = v3_sub(v3_load(place[2]), origin), y = v3_cross(z, side);
    double nz = sqrt(v3_dot(z, z)), ny = sqrt(v3_dot(y, y));
    if (!(nz > 0) || !(ny > 0)) {
        return REFUSE(r, "the places of the coordinate system %d lie on one line", a->id);
    }
    z = v3_scale(1 / nz, z);
    y = v3_scale(1 / ny, y);
    memcpy(a->origin, place[0], sizeof a->origin);
    v3_store(a->axes, v3_cross(y, z));
    v3_store(a->axes + 3, y);
    v3_store(a->axes + 6, z);
    a->known = true;
    return FLX_OK;
}

// Those by places as far as they go from the basic one; once nodes are there, those by nodes as well.
flx_status flx_nastran_settle_axes(flx_nastran *r)
{
    bool more = true;
    while (more) {
        more = false;
        for (int i = 0; i < r->naxes; i++) {
            flx_nastran_axes *a = r->axes + i;
            double place[3][3];
            const flx_nastran_axes *from = a->reference >= 0 ? find_axes(r, a->reference) : NULL;
            r->line = a->line;
            if (a->known) continue;
            if (a->reference >= 0) {
                if (!from || !from->known) continue;
                for (int k = 0; k < 3; k++) {
                    memcpy(place[k], a->given + 3 * k, sizeof place[k]);
                    local_to_basic(from, place[k]);
                }
            } else {
                if (r->s->slots == 0) continue;
                for (int k = 0; k < 3; k++) {
                    int node = flx_structure_node_of(r->s, (int)a->given[k]);
                    if (node < 0) return REFUSE(r, "node %d is not in the file", (int)a->given[k]);
                    memcpy(place[k], r->s->x + 3 * (size_t)node, sizeof place[k]);
                }
            }
            FLX_TRY(orient(r, a, place));
            more = true;
        }
    }
    return FLX_OK;
}

// Directions of the system at a place, as rows.
static flx_status directions(const flx_nastran *r, int id, const double at[3], double R[9])
{
    const flx_nastran_axes *a;
    FLX_TRY(need_axes(r, id, &a));
    memcpy(R, a->axes, sizeof a->axes);
    if (a->kind == 'R') return FLX_OK;
    v3 arm = v3_sub(v3_load(at), v3_load(a->origin)), z = v3_load(a->axes + 6);
    v3 out = v3_axpy(-v3_dot(arm, z), z, arm);
    double radius = sqrt(v3_dot(out, out));
    if (!(radius > 1e-12 * sqrt(v3_dot(arm, arm)))) { // on the axis: those of the system
        if (a->kind == 'C') return FLX_OK;
        out = v3_load(a->axes);
    } else {
        out = v3_scale(1 / radius, out);
    }
    if (a->kind == 'C') {
        v3_store(R, out);
        v3_store(R + 3, v3_cross(z, out));
        return FLX_OK;
    }
    v3 about = v3_cross(z, out), first = v3_scale(1 / fmax(sqrt(v3_dot(arm, arm)), 1e-300), arm);
    if (!(v3_dot(first, first) > 0.5)) first = z;
    v3_store(R, first);
    v3_store(R + 3, v3_cross(about, first));
    v3_store(R + 6, about);
    return FLX_OK;
}

flx_status flx_nastran_turn(const flx_nastran *r, int id, const double at[3], double v[3])
{
    double R[9], own[3] = {v[0], v[1], v[2]};
    if (id == 0) return FLX_OK;
    FLX_TRY(directions(r, id, at, R));
    for (int c = 0; c < 3; c++) v[c] = R[c] * own[0] + R[3 + c] * own[1] + R[6 + c] * own[2];
    return FLX_OK;
}

flx_status flx_nastran_node_axes(const flx_nastran *r, int node, bool *turned, double R[9])
{
    int id = node < r->ndisplacement ? r->displacement[node] : 0;
    *turned = id != 0;
    return *turned ? directions(r, id, r->s->x + 3 * (size_t)node, R) : FLX_OK;
}

flx_status flx_nastran_need_basic(const flx_nastran *r, int node)
{
    int id = node < r->ndisplacement ? r->displacement[node] : 0;
    if (id == 0) return FLX_OK;
    return REFUSE(r,
                  "%.*s at node %d, whose displacements are in the coordinate system %d: only "
                  "supports and loads are read there",
                  r->f[0].length, r->f[0].text, r->s->label[node], id);
}
