// polytope_distance.c - distance of two convex solids by their support vertices (GJK). The origin's distance to the
// difference of the solids is that of a growing and shrinking simplex of differences of vertices; the last one says
// which parts of the two are nearest.
#include "contact/convex/polytope.h"

typedef struct corner { // a difference of vertices
    int a, b;
    v3 pa, pb, y; // y = pa - pb
} corner;

typedef struct simplex {
    int n;
    corner c[4];
    double weight[4];
    v3 v; // its point nearest to the origin
} simplex;

static corner corner_at(const flx_convex *a, const flx_convex *b, v3 d) // furthest along d
{
    corner c = {.a = flx_convex_support(a, d), .b = flx_convex_support(b, v3_neg(d))};
    c.pa = flx_convex_vertex(a, c.a);
    c.pb = flx_convex_vertex(b, c.b);
    c.y = v3_sub(c.pa, c.pb);
    return c;
}

// ---- point of a simplex nearest to the origin -------------------------------------------------------

// The subset's flat point nearest to the origin, when it lies inside: weights w > 0. k: corners, k[m-1] the newest.
static bool inside2(const simplex *s, const int k[2], double w[2])
{
    v3 a = s->c[k[0]].y, d = v3_sub(s->c[k[1]].y, a);
    double dd = v3_dot(d, d), t = -v3_dot(a, d);
    if (!(t > 0.0 && t < dd)) return false;
    w[1] = t / dd;
    w[0] = 1.0 - w[1];
    return true;
}

static bool inside3(const simplex *s, const int k[3], double w[3])
{
    v3 a = s->c[k[0]].y, b = s->c[k[1]].y, c = s->c[k[2]].y;
    v3 n = v3_cross(v3_sub(b, a), v3_sub(c, a));
    double nn = v3_dot(n, n);
    if (!(nn > 0.0)) return false;
    w[0] = v3_dot(n, v3_cross(b, c));
    w[1] = v3_dot(n, v3_cross(c, a));
    w[2] = v3_dot(n, v3_cross(a, b));
    double sum = w[0] + w[1] + w[2];
    if (!(w[0] > 0.0 && w[1] > 0.0 && w[2] > 0.0)) return false;
    for (int i = 0; i < 3; i++) w[i] /= sum;
    return true;
}

static bool inside4(const simplex *s)
{
    v3 d = s->c[3].y, a = v3_sub(s->c[0].y, d), b = v3_sub(s->c[1].y, d), c = v3_sub(s->c[2].y, d);
    double det = v3_dot(a, v3_cross(b, c));
    double wa = -v3_dot(d, v3_cross(b, c)), wb = -v3_dot(a, v3_cross(d, c)),
           wc = -v3_dot(a, v3_cross(b, d));
    if (det < 0.0) det = -det, wa = -wa, wb = -wb, wc = -wc;
    return wa > 0.0 && wb > 0.0 && wc > 0.0 && wa + wb + wc < det;
}

static v3 blend(const simplex *s, int m, const int *k, const double *w)
{
    v3 v = {0, 0, 0};
    for (int i = 0; i < m; i++) v = v3_axpy(w[i], s->c[k[i]].y, v);
    return v;
}

// Shrinks to the subset with the nearest point; only subsets with the newest corner can be it. false: the origin is inside.
static bool shrink(simplex *s)
{
    static const int subsets[8][5] = {{1, 3},       {2, 0, 3},    {2, 1, 3},    {2, 2, 3},
                                      {3, 0, 1, 3}, {3, 0, 2, 3}, {3, 1, 2, 3}, {0}};
    if (s->n == 4 && inside4(s)) return false;
    int best[3] = {0}, m = 0, last = s->n - 1;
    double least = HUGE_VAL, weight[3] = {1, 0, 0};
    for (int i = 0; i < 7; i++) {
        int count = subsets[i][0], k[3];
        bool there = true;
        for (int j = 0; j < count; j++) {
            k[j] = subsets[i][j + 1] == 3 ? last : subsets[i][j + 1];
            if (subsets[i][j + 1] != 3 && k[j] >= last) there = false;
        }
        double w[3] = {1, 0, 0};
        if (!there || (count == 2 && !inside2(s, k, w)) || (count == 3 && !inside3(s, k, w)))
            continue;
        v3 v = blend(s, count, k, w);
        double vv = v3_dot(v, v);
        if (!(vv < least)) continue;
        least = vv;
        m = count;
        s->v = v;
        memcpy(best, k, sizeof best);
        memcpy(weight, w, sizeof weight);
    }
    corner kept[3];
    for (int j = 0; j < m; j++) kept[j] = s->c[best[j]];
    for (int j = 0; j < m; j++) s->c[j] = kept[j], s->weight[j] = weight[j];
    s->n = m;
    return true;
}

// ---- parts of the last simplex ------------------------------------------------------------------------

static bool has_corner(const flx_polytope *p, int face, int vertex)
{
    for (int i = p->first[face]; i < p->first[face + 1]; i++) {
        if (p->corners[i] == vertex) return true;
    }
    return false;
}

static bool same_place(const flx_polytope *p, int v, int w)
{
    const double *a = p->vertices + 3 * (size_t)v, *b = p->vertices + 3 * (size_t)w;
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// The edge between two vertices; of a solid without thickness the one of several in that place that looks along n most.
static int find_edge(const flx_convex *s, int v, int w, v3 n)
{
    const flx_polytope *p = s->of;
    int best = -1;
    double most = -HUGE_VAL;
    for (int i = 0; i < p->nedge; i++) {
        const int *e = p->edges + 4 * (size_t)i;
        if (e[0] == e[1]) continue;
        bool along = same_place(p, e[0], v) && same_place(p, e[1], w);
        if (!along && !(same_place(p, e[0], w) && same_place(p, e[1], v))) continue;
        double out = v3_dot(n, flx_convex_part(s, FLX_PART_EDGE, i).out);
        if (out > most) most = out, best = i;
    }
    return best;
}

// The smallest part with these vertices; of faces the one that looks along n most.
static void find_part(const flx_convex *s, int count, const int *vertices, v3 n,
                      flx_part_kind *kind, int *number)
{
    const flx_polytope *p = s->of;
    *kind = FLX_PART_VERTEX;
    *number = vertices[0];
    if (count == 1) return;
    int edge = count == 2 ? find_edge(s, vertices[0], vertices[1], n) : -1;
    if (edge >= 0) {
        *kind = FLX_PART_EDGE;
        *number = edge;
        return;
    }
    v3 local = m33_tmul_v(s->R, n);
    double most = -HUGE_VAL;
    for (int f = 0; f < p->nface; f++) {
        double along = v3_dot(local, v3_load(p->normals + 3 * (size_t)f));
        bool all = true;
        for (int i = 0; i < count; i++) all = all && has_corner(p, f, vertices[i]);
        if (!all || along <= most) continue;
        most = along;
        *kind = FLX_PART_FACE;
        *number = f;
    }
}

static void find_parts(const flx_convex *a, const flx_convex *b, const simplex *s,
                       flx_separation *out)
{
    int v[2][3], n[2] = {0, 0};
    for (int i = 0; i < s->n; i++) {
        for (int side = 0; side < 2; side++) {
            int vertex = side ? s->c[i].b : s->c[i].a, known = 0;
            for (int j = 0; j < n[side]; j++) known |= v[side][j] == vertex;
            if (!known) v[side][n[side]++] = vertex;
        }
    }
    find_part(a, n[0], v[0], out->n, &out->kind[0], &out->number[0]);
    find_part(b, n[1], v[1], v3_neg(out->n), &out->kind[1], &out->number[1]);
}

// ---- the iteration --------------------------------------------------------------------------------------

static bool is_known(const simplex *s, const corner *c)
{
    for (int i = 0; i < s->n; i++) {
        if (s->c[i].a == c->a && s->c[i].b == c->b) return true;
    }
    return false;
}

static void finish(const flx_convex *a, const flx_convex *b, const simplex *s, flx_separation *out)
{
    double l = v3_norm(s->v);
    out->gap = l;
    out->n = v3_scale(-1.0 / l, s->v);
    out->p[0] = out->p[1] = v3_make(0, 0, 0);
    for (int i = 0; i < s->n; i++) {
        out->p[0] = v3_axpy(s->weight[i], s->c[i].pa, out->p[0]);
        out->p[1] = v3_axpy(s->weight[i], s->c[i].pb, out->p[1]);
    }
    find_parts(a, b, s, out);
}

// Ends where no vertex is nearer by more than the rounding of the products; a vertex that comes again is the same.
bool flx_convex_distance(const flx_convex *a, const flx_convex *b, double most, flx_separation *out,
                         bool *near)
{
    const double size = a->of->size + b->of->size, tiny = 1e-7 * size;
    *near = false;
    v3 d = v3_sub(b->x, a->x);
    if (!(v3_dot(d, d) > 0.0)) d = v3_make(1, 0, 0);
    simplex s = {.n = 1, .weight = {1}};
    s.c[0] = corner_at(a, b, d);
    s.v = s.c[0].y;
    for (int i = 0; i < 100; i++) {
        double vv = v3_dot(s.v, s.v);
        if (!(vv > tiny * tiny)) {
            *near = true;
            return false;
        }
        corner c = corner_at(a, b, v3_neg(s.v));
        double vw = v3_dot(s.v, c.y);
        if (vw > 0.0 && vw * vw > most * most * vv) return false;
        if (is_known(&s, &c) || vv - vw <= 1e-14 * vv) break;
        simplex next = s;
        next.c[next.n++] = c;
        if (!shrink(&next)) {
            *near = true;
            return false;
        }
        if (!(v3_dot(next.v, next.v) < vv)) break;
        s = next;
    }
    finish(a, b, &s, out);
    return true;
}
