// segment.c - segments of the human body: mass, centre of mass and inertia from tables.
//
//     m = c_m M,   com = c_c L from the proximal end,   I_i = m (r_i L)^2                       (SEG-1)
// M: mass of the whole body, L: length of the segment. The frame is at the proximal end, x forward, y up, z to
// the right; the segment hangs along -y, the foot lies along x. A segment is short for the keys `mass`, `com`,
// `inertia` and the points `proximal` and `distal`, which are put in its place.
//
// de Leva, Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters, J. Biomechanics 29 (1996); Winter,
// Biomechanics and motor control of human movement (2009), table 4.1, after Dempster.
#include "language/builder.h"
#include "language/literal.h"

#include "base/number.h"

#include <string.h>

// Which way a segment goes from its proximal end.
typedef enum way { DOWN, UP, FORWARD } way;

typedef struct segment {
    const char *name;
    way course;
    double mass, com; // percent of the body's mass, of the length
    double sagittal, transverse,
        longitudinal; // radii of gyration, percent of the length; 0: not known
    double length;    // m at the mean stature; 0: not given
} segment;

typedef struct table {
    const char *name;
    double stature; // mean, m
    const segment *segments;
} table;

static const segment male[] = {{"head", DOWN, 6.94, 50.02, 30.3, 31.5, 26.1, 0.2429},
                               {"upper-trunk", DOWN, 15.96, 50.66, 50.5, 32.0, 46.5, 0.2421},
                               {"middle-trunk", DOWN, 16.33, 45.02, 48.2, 38.3, 46.8, 0.2155},
                               {"lower-trunk", DOWN, 11.17, 61.15, 61.5, 55.1, 58.7, 0.1457},
                               {"upper-arm", DOWN, 2.71, 57.72, 28.5, 26.9, 15.8, 0.2817},
                               {"forearm", DOWN, 1.62, 45.74, 27.6, 26.5, 12.1, 0.2689},
                               {"hand", DOWN, 0.61, 79.00, 62.8, 51.3, 40.1, 0.0862},
                               {"thigh", DOWN, 14.16, 40.95, 32.9, 32.9, 14.9, 0.4222},
                               {"shank", DOWN, 4.33, 43.95, 25.1, 24.6, 10.2, 0.4340},
                               {"foot", FORWARD, 1.37, 44.15, 25.7, 24.5, 12.4, 0.2581},
                               {0}};
static const segment female[] = {{"head", DOWN, 6.68, 48.41, 27.1, 29.5, 26.1, 0.2437},
                                 {"upper-trunk", DOWN, 15.45, 50.50, 46.6, 31.4, 44.9, 0.2280},
                                 {"middle-trunk", DOWN, 14.65, 45.12, 43.3, 35.4, 41.5, 0.2053},
                                 {"lower-trunk", DOWN, 12.47, 49.20, 43.3, 40.2, 44.4, 0.1815},
                                 {"upper-arm", DOWN, 2.55, 57.54, 27.8, 26.0, 14.8, 0.2751},
                                 {"forearm", DOWN, 1.38, 45.59, 26.1, 25.7, 9.4, 0.2643},
                                 {"hand", DOWN, 0.56, 74.74, 53.1, 45.4, 33.5, 0.0780},
                                 {"thigh", DOWN, 14.78, 36.12, 36.9, 36.4, 16.2, 0.3685},
                                 {"shank", DOWN, 4.81, 43.52, 26.7, 26.3, 9.2, 0.4323},
                                 {"foot", FORWARD, 1.29, 40.14, 29.9, 27.9, 13.9, 0.2283},
                                 {0}};
// One radius of gyration, about axes across the segment.
static const segment winter[] = {{"head", UP, 8.1, 100.0, 49.5, 49.5, 0, 0},
                                 {"trunk-with-head", UP, 57.8, 66.0, 50.3, 50.3, 0, 0},
                                 {"upper-body", UP, 67.8, 62.6, 49.6, 49.6, 0, 0},
                                 {"upper-arm", DOWN, 2.8, 43.6, 32.2, 32.2, 0, 0},
                                 {"forearm", DOWN, 1.6, 43.0, 30.3, 30.3, 0, 0},
                                 {"hand", DOWN, 0.6, 50.6, 29.7, 29.7, 0, 0},
                                 {"thigh", DOWN, 10.0, 43.3, 32.3, 32.3, 0, 0},
                                 {"shank", DOWN, 4.65, 43.3, 30.2, 30.2, 0, 0},
                                 {"foot", FORWARD, 1.45, 50.0, 47.5, 47.5, 0, 0},
                                 {0}};
static const table tables[] = {
    {"de-leva-male", 1.741, male}, {"de-leva-female", 1.735, female}, {"winter", 0.0, winter}};

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

static flx_status find_table(flx_builder *b, const flx_entry *y, const table **out)
{
    const char *words[COUNT(tables) + 1] = {NULL};
    int k = 0;
    for (int i = 0; i < COUNT(tables); i++) words[i] = tables[i].name;
    if (y) FLX_TRY(flx_build_word(b, y, "table of segments", words, &k));
    *out = tables + k;
    return FLX_OK;
}

static flx_status find_segment(flx_builder *b, const flx_entry *y, const table *t,
                               const segment **out)
{
    const char *words[16] = {NULL};
    char what[64];
    int k = 0;
    for (int i = 0; t->segments[i].name; i++) words[i] = t->segments[i].name;
    flx_snprintf(what, sizeof what, "segment of table '%s'", t->name);
    FLX_TRY(flx_build_word(b, y, what, words, &k));
    *out = t->segments + k;
    return FLX_OK;
}

// "(factor)*(of)^power" as an expression of the file at the place of `at`.
static flx_entry *product(flx_builder *b, const flx_entry *at, double factor, const char *of,
                          const char *more)
{
    char number[FLX_NUMBER_SIZE];
    const char *text = flx_arena_printf(b->scratch, "%s*(%s)%s", flx_number_text(factor, number),
                                        of, more ? more : "");
    return text ? flx_entry_scalar(b->scratch, at->loc, text) : NULL;
}

// The vector (0, value, 0), of a foot (value, 0, 0).
static flx_entry *along(flx_builder *b, const flx_entry *at, way course, double part,
                        const char *length)
{
    flx_entry *list = flx_entry_list(b->scratch, at->loc);
    int which = course == FORWARD ? 0 : 1;
    double sign = course == DOWN ? -1.0 : 1.0;
    for (int i = 0; list && i < b->m->dimension; i++) {
        flx_entry *x = i == which ? product(b, at, sign * part, length, NULL)
                                  : flx_entry_scalar(b->scratch, at->loc, "0");
        if (!x || flx_entry_append(b->scratch, list, x) != FLX_OK) return NULL;
    }
    return list;
}

static flx_entry *inertia(flx_builder *b, const flx_entry *at, const segment *s, const char *mass,
                          const char *length)
{
    // about x, y, z: the long axis is y, of a foot x
    const double r[2][3] = {{s->sagittal, s->longitudinal, s->transverse},
                            {s->longitudinal, s->sagittal, s->transverse}};
    const double *radius = r[s->course == FORWARD];
    const char *more = flx_arena_printf(b->scratch, "*(%s)^2", length);
    flx_entry *list = flx_entry_list(b->scratch, at->loc);
    if (!more || !list) return NULL;
    for (int i = 0; i < 3; i++) {
        double factor = s->mass / 100.0 * (radius[i] / 100.0) * (radius[i] / 100.0);
        flx_entry *x = product(b, at, factor, mass, more);
        if (!x || (b->m->dimension == 2 && i == 2)) return x;
        if (flx_entry_append(b->scratch, list, x) != FLX_OK) return NULL;
    }
    return list;
}

static flx_status put(flx_builder *b, flx_entry *map, const flx_entry *at, const char *key,
                      flx_entry *value)
{
    flx_entry *k = flx_entry_scalar(b->scratch, at->loc, key);
    return k && value ? flx_entry_add(b->scratch, map, k, value) : FLX_ERR_MEMORY;
}

static flx_status put_points(flx_builder *b, flx_entry *body, const flx_entry *at, way course,
                             const char *length)
{
    const flx_entry *given = flx_entry_get(body, "points");
    flx_entry *points = NULL;
    int i = flx_entry_find(body, "points");
    points = given ? flx_entry_copy(b->scratch, given) : flx_entry_map(b->scratch, at->loc);
    if (!points) return FLX_ERR_MEMORY;
    static const char *const own[] = {"proximal", "distal"};
    for (int k = 0; k < 2; k++) {
        const flx_entry *taken = given ? flx_entry_get(given, own[k]) : NULL;
        if (taken) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, taken->loc,
                            "a segment has the point '%s' by itself; choose another name", own[k]);
        }
        FLX_TRY(put(b, points, at, own[k], along(b, at, course, k, length)));
    }
    if (i < 0) return put(b, body, at, "points", points);
    flx_entry_replace(body, i, points);
    return FLX_OK;
}

static flx_status find_length(flx_builder *b, const flx_entry *y, const table *t, const segment *s,
                              const char **out)
{
    const flx_entry *length = flx_entry_get(y, "length"), *stature = flx_entry_get(y, "stature");
    char number[FLX_NUMBER_SIZE], mean[FLX_NUMBER_SIZE];
    double x = 0.0;
    const flx_entry *given = length ? length : stature;
    if (flx_entry_literal(given, &x) && !(x > 0.0)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, given->loc, "the %s must be positive, not %s",
                        length ? "length of a segment" : "stature", given->text);
    }
    if (length) {
        *out = length->text;
        return FLX_OK;
    }
    if (!(s->length > 0)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "table '%s' has no lengths: give the 'length' of the segment", t->name);
    }
    *out = flx_arena_printf(b->scratch, "%s*(%s)/%s", flx_number_text(s->length, number),
                            stature ? stature->text : flx_number_text(t->stature, mean),
                            flx_number_text(t->stature, mean));
    return *out ? FLX_OK : FLX_ERR_MEMORY;
}

flx_status flx_segment_expand(flx_builder *b, const flx_entry **def)
{
    const flx_entry *y = (*def)->kind == FLX_ENTRY_MAP ? flx_entry_get(*def, "segment") : NULL;
    if (!y || y->kind != FLX_ENTRY_MAP) return FLX_OK;
    static const char *const theirs[] = {"mass", "com", "inertia"};
    for (int i = 0; i < 3; i++) {
        const flx_entry *twice = flx_entry_get(*def, theirs[i]);
        if (!twice) continue;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, twice->loc, "'segment' gives the '%s' of this body",
                        theirs[i]);
    }
    const table *t = NULL;
    const segment *s = NULL;
    const char *length = NULL;
    const flx_entry *mass = flx_entry_get(y, "body_mass");
    FLX_TRY(find_table(b, flx_entry_get(y, "table"), &t));
    FLX_TRY(find_segment(b, flx_entry_get(y, "name"), t, &s));
    FLX_TRY(find_length(b, y, t, s, &length));
    flx_entry *body = flx_entry_copy(b->scratch, *def);
    if (!body) return FLX_ERR_MEMORY;
    FLX_TRY(put(b, body, y, "mass", product(b, y, s->mass / 100.0, mass->text, NULL)));
    FLX_TRY(put(b, body, y, "com", along(b, y, s->course, s->com / 100.0, length)));
    FLX_TRY(put(b, body, y, "inertia", inertia(b, y, s, mass->text, length)));
    FLX_TRY(put_points(b, body, y, s->course, length));
    *def = body;
    return FLX_OK;
}
