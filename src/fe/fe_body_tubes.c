// fe_body_tubes.c - beams and trusses as they are drawn: tubes of eight sides about their axes, which bend as the
// elements do (FE-9), with the area of the section, and never too thin to be seen.
#include "fe/fe_body.h"
#include "fe/fe_parts.h"
#include "math/small.h"

#include <math.h>
#include <string.h>

#define SIDES 8
#define PIECES 6        // of a beam along its length
#define MANY 2000       // beams; more of them are drawn in one piece each
#define THIN 3e-3       // least radius, part of the structure's extent
#define CAP (SIDES - 2) // triangles of an end

static int pieces_of(const flx_fe *fe, int element)
{
    bool bends = fe->s->elements[element].family == FLX_FAMILY_BEAM;
    return bends && fe->s->nelement <= MANY ? PIECES : 1;
}

static double extent(const flx_structure *s)
{
    double square = 0;
    for (int c = 0; c < 3; c++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int i = 0; i < s->nnode; i++) {
            low = fmin(low, s->x[3 * (size_t)i + (size_t)c]);
            high = fmax(high, s->x[3 * (size_t)i + (size_t)c]);
        }
        square += s->nnode > 0 ? (high - low) * (high - low) : 0;
    }
    return sqrt(square);
}

static double radius_of(const flx_fe *fe, const flx_element *e, double least)
{
    const flx_section *c = fe->s->sections + e->section;
    return c->sized ? fmax(least, sqrt(c->A / FLX_PI)) : least;
}

typedef struct tube {
    int pieces;
    double x[6], R[9], length, radius;
} tube;

static bool find_tube(const flx_fe *fe, int element, double least, tube *t)
{
    const flx_element *e = fe->s->elements + element;
    const flx_section *c = e->family == FLX_FAMILY_BEAM ? fe->s->sections + e->section : NULL;
    t->pieces = pieces_of(fe, element);
    t->radius = radius_of(fe, e, least);
    flx_fe_places(fe, element, t->x);
    return flx_beam_axes(t->x, c, fe->s->dimension, t->R, &t->length);
}

// From the axis to corner k of a ring.
static v3 corner(const tube *t, int k)
{
    double angle = 2 * FLX_PI * k / SIDES;
    return v3_add(v3_scale(t->radius * cos(angle), v3_load(t->R + 3)),
                  v3_scale(t->radius * sin(angle), v3_load(t->R + 6)));
}

static void fill_tube(const flx_fe *fe, int element, const tube *t, int first, flx_elastic_mesh *m,
                      int **triangle)
{
    const int *nodes = flx_element_nodes(fe->s, element);
    int *out = *triangle, last = first + t->pieces * SIDES;
    for (int i = 0; i <= t->pieces; i++) {
        double s = (double)i / t->pieces;
        v3 axis = v3_add(v3_scale(1 - s, v3_load(t->x)), v3_scale(s, v3_load(t->x + 3)));
        for (int k = 0; k < SIDES; k++) {
            size_t row = (size_t)(first + i * SIDES + k);
            v3 at = v3_add(axis, corner(t, k));
            m->labels[row] = fe->s->label[nodes[s > 0.5]];
            m->nodes[3 * row] = (float)at.x;
            m->nodes[3 * row + 1] = (float)at.y;
            m->nodes[3 * row + 2] = (float)at.z;
        }
    }
    for (int i = 0; i < t->pieces; i++) {
        for (int k = 0; k < SIDES; k++) {
            int a = first + i * SIDES + k, b = first + i * SIDES + (k + 1) % SIDES;
            const int two[6] = {a, b, b + SIDES, a, b + SIDES, a + SIDES};
            memcpy(out, two, sizeof two);
            out += 6;
        }
    }
    for (int k = 1; k <= CAP; k++) {
        const int two[6] = {first, first + k + 1, first + k, last, last + k, last + k + 1};
        memcpy(out, two, sizeof two);
        out += 6;
    }
    *triangle = out;
}

flx_status flx_fe_draw_tubes(const flx_fe *fe, flx_arena *arena, int n, flx_elastic_mesh **out)
{
    flx_elastic_mesh *m = flx_arena_take(arena, 1, sizeof *m);
    double least = THIN * extent(fe->s);
    *out = NULL;
    if (!m) return FLX_ERR_MEMORY;
    for (int e = 0; e < fe->s->nelement; e++) {
        if (!flx_fe_is_member(fe->s->elements + e)) continue;
        m->nnode += (pieces_of(fe, e) + 1) * SIDES;
        m->ntriangle += 2 * (pieces_of(fe, e) * SIDES + CAP);
    }
    if (m->nnode == 0) return FLX_OK;
    m->nsurface = m->nnode;
    FLX_TRY(flx_elastic_mesh_reserve(m, arena, n, m->ntriangle, 3 * m->ntriangle, false));
    int first = 0, *triangle = m->triangles;
    for (int e = 0; e < fe->s->nelement; e++) {
        tube t;
        if (!flx_fe_is_member(fe->s->elements + e)) continue;
        if (!find_tube(fe, e, least, &t)) return FLX_SINGULAR; // refused before: its nodes coincide
        fill_tube(fe, e, &t, first, m, &triangle);
        first += (t.pieces + 1) * SIDES;
    }
    flx_elastic_mesh_take_surface(m);
    *out = m;
    return FLX_OK;
}

// The axis at s, and how the section turns there.
static void move(const flx_fe *fe, int element, const tube *t, double s, const double *u,
                 double out[6])
{
    const flx_element *e = fe->s->elements + element;
    const int *nodes = flx_element_nodes(fe->s, element);
    double ends[12];
    flx_beam_law law;
    for (int k = 0; k < 2; k++) memcpy(ends + 6 * k, u + 6 * (size_t)nodes[k], 6 * sizeof *u);
    if (e->family == FLX_FAMILY_BEAM) {
        flx_fe_law(fe, e, &law);
        flx_beam_move(&law, fe->s->sections + e->section,
                      e->material >= 0 ? fe->s->materials + e->material : NULL, t->R, t->length, s,
                      ends, out);
        return;
    }
    memset(out, 0, 6 * sizeof *out);
    for (int c = 0; c < 3; c++) out[c] = (1 - s) * ends[c] + s * ends[6 + c];
}

void flx_fe_move_tubes(const flx_fe *fe, const double *u, float *modes)
{
    double least = THIN * extent(fe->s);
    for (int e = 0; e < fe->s->nelement; e++) {
        tube t;
        if (!flx_fe_is_member(fe->s->elements + e) || !find_tube(fe, e, least, &t)) continue;
        for (int i = 0; i <= t.pieces; i++) {
            double a[6];
            move(fe, e, &t, (double)i / t.pieces, u, a);
            for (int k = 0; k < SIDES; k++, modes += 3) {
                v3 d = v3_add(v3_load(a), v3_cross(v3_load(a + 3), corner(&t, k)));
                modes[0] = (float)d.x;
                modes[1] = (float)d.y;
                modes[2] = (float)d.z;
            }
        }
    }
}
