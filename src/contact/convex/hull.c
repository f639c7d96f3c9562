// hull.c - convex hulls by Qhull (Barber, Dobkin, Huhdanpaa, ACM Trans. Math. Software 22, 1996, 469-483).
#include "contact/convex/hull.h"

#include <libqhull_r/qhull_ra.h>

#define FLAT                                                                                       \
    "C-1e-6" // of the size: facets that lie so near to a plane are one; files of surfaces have seven digits

typedef struct maker {
    flx_ctx *ctx;
    flx_arena *arena;
    qhT *qh;
    int npoint;
    const double *points;
    int *number; // (npoint) of a vertex in the hull, -1: none
    double *vertices, *normals;
    int *edges, *first, *corners;
    flx_polytope *out;
} maker;

// Of one size about the origin: tolerances of the library are absolute.
static double normalise(int n, const double *points, double *out)
{
    double low[3], high[3], size = 0.0;
    for (int k = 0; k < 3; k++) {
        low[k] = HUGE_VAL;
        high[k] = -HUGE_VAL;
        for (int i = 0; i < n; i++) {
            low[k] = fmin(low[k], points[3 * (size_t)i + k]);
            high[k] = fmax(high[k], points[3 * (size_t)i + k]);
        }
        size = fmax(size, high[k] - low[k]);
    }
    double scale = size > 0.0 ? 1.0 / size : 0.0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            out[3 * (size_t)i + k] = scale * (points[3 * (size_t)i + k] - 0.5 * (low[k] + high[k]));
        }
    }
    return size;
}

static void count_parts(maker *m, int *nedge, int *ncorner)
{
    qhT *qh = m->qh;
    facetT *facet;
    vertexT *vertex;
    *nedge = *ncorner = 0;
    FORALLvertices m->out->nvertex++;
    FORALLfacets
    {
        qh_makeridges(qh, facet);
        facet->visitid = (unsigned int)m->out->nface++;
        *nedge += qh_setsize(qh, facet->ridges);
        *ncorner += qh_setsize(qh, facet->vertices);
    }
    *nedge /= 2; // each lies between two facets
}

static flx_status take_room(maker *m, int nedge, int ncorner)
{
    const flx_polytope *p = m->out;
    m->vertices = flx_arena_take(m->arena, 3 * (size_t)p->nvertex, sizeof *m->vertices);
    m->normals = flx_arena_take(m->arena, 3 * (size_t)p->nface, sizeof *m->normals);
    m->edges = flx_arena_take(m->arena, 4 * (size_t)nedge, sizeof *m->edges);
    m->first = flx_arena_take(m->arena, (size_t)p->nface + 1, sizeof *m->first);
    m->corners = flx_arena_take(m->arena, (size_t)ncorner, sizeof *m->corners);
    return m->vertices && m->normals && m->edges && m->first && m->corners ? FLX_OK
                                                                           : FLX_ERR_MEMORY;
}

// Vertices in the order of the points given.
static void put_vertices(maker *m)
{
    qhT *qh = m->qh;
    vertexT *vertex;
    int n = 0;
    for (int i = 0; i < m->npoint; i++) m->number[i] = -1;
    FORALLvertices m->number[qh_pointid(qh, vertex->point)] = 0;
    for (int i = 0; i < m->npoint; i++) {
        if (m->number[i] < 0) continue;
        memcpy(m->vertices + 3 * (size_t)n, m->points + 3 * (size_t)i, 3 * sizeof *m->points);
        m->number[i] = n++;
    }
}

static v3 vertex_at(const maker *m, int i)
{
    return v3_load(m->vertices + 3 * (size_t)i);
}

// Counterclockwise about the normal, by the angle from the middle.
static void order_corners(const maker *m, int n, int *corners, v3 normal)
{
    v3 middle = {0, 0, 0};
    for (int i = 0; i < n; i++) middle = v3_axpy(1.0 / n, vertex_at(m, corners[i]), middle);
    v3 x = v3_sub(vertex_at(m, corners[0]), middle), y = v3_cross(normal, x);
    for (int i = 1; i < n; i++) {
        int c = corners[i], at = i;
        v3 d = v3_sub(vertex_at(m, c), middle);
        double angle = atan2(v3_dot(y, d), v3_dot(x, d));
        for (; at > 0; at--) {
            v3 e = v3_sub(vertex_at(m, corners[at - 1]), middle);
            if (atan2(v3_dot(y, e), v3_dot(x, e)) <= angle) break;
            corners[at] = corners[at - 1];
        }
        corners[at] = c;
    }
}

static void put_faces(maker *m)
{
    qhT *qh = m->qh;
    facetT *facet;
    vertexT *vertex, **vertexp;
    int n = 0, face = 0;
    FORALLfacets
    {
        v3 normal = v3_unit(v3_make(facet->normal[0], facet->normal[1], facet->normal[2]));
        m->first[face] = n;
        FOREACHvertex_(facet->vertices) m->corners[n++] = m->number[qh_pointid(qh, vertex->point)];
        v3_store(m->normals + 3 * (size_t)face, normal);
        order_corners(m, n - m->first[face], m->corners + m->first[face], normal);
        m->first[++face] = n;
    }
}

static void put_edges(maker *m)
{
    qhT *qh = m->qh;
    facetT *facet;
    ridgeT *ridge, **ridgep;
    FORALLfacets
    {
        FOREACHridge_(facet->ridges)
        {
            if (ridge->top != facet) continue;
            int *e = m->edges + 4 * (size_t)m->out->nedge++;
            for (int i = 0; i < 2; i++) {
                const vertexT *v = SETelemt_(ridge->vertices, i, vertexT);
                e[i] = m->number[qh_pointid(qh, v->point)];
            }
            e[2] = (int)ridge->top->visitid;
            e[3] = (int)ridge->bottom->visitid;
        }
    }
}

static flx_status collect(maker *m)
{
    int nedge, ncorner;
    count_parts(m, &nedge, &ncorner);
    m->number = flx_arena_take(m->arena, (size_t)m->npoint, sizeof *m->number);
    FLX_TRY(take_room(m, nedge, ncorner));
    if (!m->number) return FLX_ERR_MEMORY;
    put_vertices(m);
    put_faces(m);
    put_edges(m);
    flx_polytope *p = m->out;
    p->vertices = m->vertices;
    p->normals = m->normals;
    p->edges = m->edges;
    p->first = m->first;
    p->corners = m->corners;
    return FLX_OK;
}

// What Qhull would print is dropped: its exit code says what matters.
static flx_status run_qhull(maker *m, double *coordinates, flx_loc loc)
{
    qhT qh;
    char command[] = "qhull " FLAT, *said = NULL;
    size_t length = 0;
    FILE *messages = open_memstream(&said, &length);
    if (!messages) return FLX_FAIL(m->ctx, FLX_ERR_MEMORY, loc, "there is no memory for a hull");
    qh_zero(&qh, messages);
    m->qh = &qh;
    int code = qh_new_qhull(&qh, 3, m->npoint, coordinates, False, command, NULL, messages);
    flx_status status = code == 0 ? collect(m) : FLX_OK;
    if (code == qh_ERRsingular) {
        status =
            FLX_FAIL(m->ctx, FLX_ERR_MODEL, loc,
                     "the %d points of the hull lie in a plane; a hull needs a volume", m->npoint);
    } else if (code == qh_ERRmem) {
        status = FLX_FAIL(m->ctx, FLX_ERR_MEMORY, loc, "there is no memory for a hull of %d points",
                          m->npoint);
    } else if (code != 0) {
        status = FLX_FAIL(m->ctx, FLX_ERR_MODEL, loc,
                          "the hull of %d points cannot be found: Qhull ends with code %d",
                          m->npoint, code);
    }
    int left, total;
    qh_freeqhull(&qh, !qh_ALL);
    qh_memfreeshort(&qh, &left, &total);
    fclose(messages);
    free(said);
    return status;
}

flx_status flx_hull_make(flx_ctx *ctx, flx_arena *arena, flx_loc loc, int npoint,
                         const double *points, const flx_polytope **out)
{
    for (int i = 0; i < 3 * npoint; i++) {
        if (!isfinite(points[i])) {
            return FLX_FAIL(ctx, FLX_ERR_MODEL, loc, "point %d of the hull is no place", i / 3 + 1);
        }
    }
    if (npoint < 4)
        return FLX_FAIL(ctx, FLX_ERR_MODEL, loc, "a hull needs four points, there are %d", npoint);
    maker m = {.ctx = ctx, .arena = arena, .npoint = npoint, .points = points};
    double *coordinates = flx_alloc(ctx, 3 * (size_t)npoint, sizeof *coordinates);
    m.out = flx_arena_take(arena, 1, sizeof *m.out);
    if (!coordinates || !m.out) {
        flx_free(coordinates);
        return FLX_ERR_MEMORY;
    }
    double size = normalise(npoint, points, coordinates);
    flx_status status = run_qhull(&m, coordinates, loc);
    m.out->size = sqrt(3.0) * size;
    flx_free(coordinates);
    *out = m.out;
    return status;
}
