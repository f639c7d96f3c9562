// polytope_touch.c - the points where two solids touch: where the outlines of their facing faces overlap, each point with the
// parts that meet there and with its own gap and normal.
#include "contact/convex/polytope.h"

#define MOST_FOUND 128
#define MOST_PLACED 32 // vertices that are turned once
#define FACING 0.995   // cosine: a face looks along the normal
#define ALIGNED 0.98   // cosine: a point has the normal of the pair
#define SAME 1e-6      // of the size: one place
#define KEPT 1e-3      // of the size: how far beyond its border a point of last time is taken again
#define PARALLEL 1e-3  // sine: edges that cross in no certain place

typedef struct finder {
    const flx_convex *s[2];
    double reach, size;
    v3 n; // of the pair
    int count;
    flx_touch found[MOST_FOUND];
} finder;

// ---- points found --------------------------------------------------------------------------------

static v3 middle(const flx_touch *t)
{
    return v3_scale(0.5, v3_add(v3_load(t->p[0]), v3_load(t->p[1])));
}

// Along an outline every second point is left out; the deepest stays.
static void thin_out(finder *f)
{
    int deepest = 0, kept = 0;
    for (int i = 1; i < f->count; i++) {
        if (f->found[i].gap < f->found[deepest].gap) deepest = i;
    }
    for (int i = 0; i < f->count; i++) {
        if (i % 2 == 0 || i == deepest) f->found[kept++] = f->found[i];
    }
    f->count = kept;
}

static void keep(finder *f, const flx_touch *t, double near)
{
    v3 at = middle(t);
    for (int i = 0; i < f->count; i++) {
        v3 d = v3_sub(at, middle(f->found + i));
        if (f->found[i].feature == t->feature || v3_dot(d, d) <= near * near) return;
    }
    if (f->count == MOST_FOUND) thin_out(f);
    f->found[f->count++] = *t;
}

// ---- outlines ------------------------------------------------------------------------------------

// Corners of a face, or of a solid that has none: the two of a segment, the one of a point.
typedef struct outline {
    const flx_convex *s;
    int n, face; // face: -1 where there is none
    const int *corners;
} outline;

static outline outline_of(const flx_convex *s, int face)
{
    static const int both[2] = {0, 1};
    if (face < 0) return (outline){.s = s, .n = s->of->nvertex, .face = -1, .corners = both};
    return (outline){.s = s,
                     .n = s->of->first[face + 1] - s->of->first[face],
                     .face = face,
                     .corners = s->of->corners + s->of->first[face]};
}

static v3 corner(const outline *o, int i)
{
    return flx_convex_vertex(o->s, o->corners[i % o->n]);
}

static int side_count(const outline *o)
{
    return o->n > 2 ? o->n : o->n - 1;
}

// The face that looks along d most, and the cosine; -1: none.
static int facing(const flx_convex *s, v3 d, double *cosine)
{
    v3 local = m33_tmul_v(s->R, d);
    int best = -1;
    *cosine = -1.0;
    for (int i = 0; i < s->of->nface; i++) {
        double c = v3_dot(local, v3_load(s->of->normals + 3 * (size_t)i));
        if (c > *cosine + 1e-9 || best < 0) *cosine = c, best = i;
    }
    return best;
}

// Along the direction of a side, the place is between the ends of the outline: also where the face has no width.
static bool between(const outline *o, v3 along, v3 q, double margin)
{
    double low = HUGE_VAL, high = -HUGE_VAL, at = v3_dot(along, q);
    for (int i = 0; i < o->n; i++) {
        double value = v3_dot(along, corner(o, i));
        low = fmin(low, value);
        high = fmax(high, value);
    }
    return at >= low - margin && at <= high + margin;
}

// Whether the foot of q on the face lies on it, or beyond its border by no more than margin.
static bool is_on_face(const outline *o, v3 n, v3 q, double margin)
{
    bool thin = o->n < 3;
    int sides = 0;
    for (int i = 0; i < o->n; i++) {
        v3 a = corner(o, i), e = v3_sub(corner(o, i + 1), a), out = v3_cross(e, n);
        double l = v3_norm(e);
        if (!(l > 1e-12 * o->s->of->size)) {
            thin = true;
            continue;
        }
        sides++;
        if (v3_dot(out, v3_sub(q, a)) > margin * l) return false;
    }
    if (!thin) return true;
    for (int i = 0; i < o->n; i++) {
        v3 a = corner(o, i), e = v3_sub(corner(o, i + 1), a);
        double l = v3_norm(e);
        if (l > 1e-12 * o->s->of->size && !between(o, v3_scale(1.0 / l, e), q, margin))
            return false;
    }
    v3 d = v3_sub(q, corner(o, 0));
    return sides > 0 || v3_norm(v3_axpy(-v3_dot(n, d), n, d)) <= margin;
}

static int edge_between(const flx_polytope *p, int v, int w)
{
    for (int i = 0; i < p->nedge; i++) {
        const int *e = p->edges + 4 * (size_t)i;
        if ((e[0] == v && e[1] == w) || (e[0] == w && e[1] == v)) return i;
    }
    return -1;
}

static bool is_on_part(const flx_convex *s, const flx_part *part, v3 q, double margin)
{
    if (part->kind == FLX_PART_VERTEX) return true;
    if (part->kind == FLX_PART_EDGE) {
        const int *e = s->of->edges + 4 * (size_t)part->number;
        v3 last = flx_convex_vertex(s, e[1]);
        double t = v3_dot(part->d, v3_sub(q, part->p)), l = v3_dot(part->d, v3_sub(last, part->p));
        return t >= -margin && t <= l + margin;
    }
    outline o = outline_of(s, part->number);
    return is_on_face(&o, part->d, q, margin);
}

// Whether the point lies on both parts.
static bool is_on_parts(const finder *f, const flx_touch *t, const flx_part *a, const flx_part *b,
                        double margin)
{
    return is_on_part(f->s[0], a, v3_load(t->p[0]), margin) &&
           is_on_part(f->s[1], b, v3_load(t->p[1]), margin);
}

static void try_parts(finder *f, const flx_part *a, const flx_part *b)
{
    flx_touch t;
    if (!flx_parts_touch(a, f->s[0]->skin, b, f->s[1]->skin, &t)) return;
    if (!(t.gap < f->reach) || v3_dot(v3_load(t.n), f->n) < ALIGNED) return;
    if (is_on_parts(f, &t, a, b, SAME * f->size)) keep(f, &t, SAME * f->size);
}

// ---- overlap of two outlines -----------------------------------------------------------------------

// Parts of the sides in the order of the pair.
static void try_pair(finder *f, int side, const flx_part *first, const flx_part *second)
{
    try_parts(f, side ? second : first, side ? first : second);
}

// Corners of o over the face of solid `side`.
static void try_corners(finder *f, int side, const outline *face, const outline *o)
{
    flx_part plane = flx_convex_part(face->s, FLX_PART_FACE, face->face);
    for (int i = 0; i < o->n; i++) {
        flx_part vertex = flx_convex_part(o->s, FLX_PART_VERTEX, o->corners[i]);
        try_pair(f, side, &plane, &vertex);
    }
}

// Whether two sides cross, seen along n.
static bool sides_cross(v3 n, v3 p, v3 r, v3 q, v3 s)
{
    double c = v3_dot(n, v3_cross(r, s)), rr = v3_dot(r, r), ss = v3_dot(s, s);
    if (!(c * c > PARALLEL * PARALLEL * rr * ss)) return false;
    v3 d = v3_sub(q, p);
    double t = v3_dot(n, v3_cross(d, s)) / c, u = v3_dot(n, v3_cross(d, r)) / c;
    return t >= 0.0 && t <= 1.0 && u >= 0.0 && u <= 1.0;
}

static void try_sides(finder *f, int side, const outline *a, const outline *b, v3 n)
{
    for (int i = 0; i < side_count(a); i++) {
        v3 p = corner(a, i), r = v3_sub(corner(a, i + 1), p);
        for (int j = 0; j < side_count(b); j++) {
            v3 q = corner(b, j), s = v3_sub(corner(b, j + 1), q);
            if (!sides_cross(n, p, r, q, s)) continue;
            int e = edge_between(a->s->of, a->corners[i], a->corners[(i + 1) % a->n]);
            int g = edge_between(b->s->of, b->corners[j], b->corners[(j + 1) % b->n]);
            if (e < 0 || g < 0) continue;
            flx_part first = flx_convex_part(a->s, FLX_PART_EDGE, e);
            flx_part second = flx_convex_part(b->s, FLX_PART_EDGE, g);
            try_pair(f, side, &first, &second);
        }
    }
}

// The face that looks along the normal most is that of the overlap; the other's is the one that looks against it.
static void try_overlap(finder *f)
{
    double c[2], against;
    int face[2] = {facing(f->s[0], f->n, c), facing(f->s[1], v3_neg(f->n), c + 1)};
    int side = c[1] > c[0] + 1e-6 ? 1 : 0;
    if (face[side] < 0 || c[side] < FACING) return;
    outline a = outline_of(f->s[side], face[side]);
    flx_part plane = flx_convex_part(a.s, FLX_PART_FACE, a.face);
    int other = facing(f->s[1 - side], v3_neg(plane.d), &against);
    outline b = outline_of(f->s[1 - side], other);
    try_corners(f, side, &a, &b);
    if (other >= 0 && against > FACING) try_corners(f, 1 - side, &b, &a);
    try_sides(f, side, &a, &b, plane.d);
}

// ---- edges side by side ---------------------------------------------------------------------------

static void try_ends(finder *f, int side, const flx_part *edge, const flx_convex *s, int other)
{
    const flx_polytope *of = f->s[side]->of;
    const int *ends = s->of->edges + 4 * (size_t)other, *own = of->edges + 4 * (size_t)edge->number;
    v3 last = flx_convex_vertex(f->s[side], own[1]);
    double l = v3_dot(edge->d, v3_sub(last, edge->p)), margin = SAME * f->size;
    for (int i = 0; i < 2; i++) {
        flx_part vertex = flx_convex_part(s, FLX_PART_VERTEX, ends[i]);
        double t = v3_dot(edge->d, v3_sub(vertex.p, edge->p));
        if (t >= -margin && t <= l + margin) try_pair(f, side, edge, &vertex);
    }
}

// The nearest parts are edges, or a vertex and an edge; where edges are parallel they touch at both ends of their overlap.
static void try_parallel(finder *f, const flx_separation *nearest)
{
    int e[2] = {-1, -1};
    for (int i = 0; i < 2; i++) {
        if (nearest->kind[i] == FLX_PART_EDGE) e[i] = nearest->number[i];
        if (nearest->kind[i] == FLX_PART_FACE) return;
    }
    if (e[0] < 0 && e[1] < 0) return;
    int known = e[0] >= 0 ? 0 : 1, open = 1 - known;
    flx_part edge = flx_convex_part(f->s[known], FLX_PART_EDGE, e[known]);
    const flx_polytope *p = f->s[open]->of;
    for (int i = 0; i < p->nedge; i++) {
        const int *ends = p->edges + 4 * (size_t)i;
        bool here =
            e[open] == i ||
            (e[open] < 0 && (ends[0] == nearest->number[open] || ends[1] == nearest->number[open]));
        if (!here) continue;
        flx_part other = flx_convex_part(f->s[open], FLX_PART_EDGE, i);
        if (v3_norm(v3_cross(edge.d, other.d)) > PARALLEL || v3_dot(other.d, other.d) == 0.0)
            continue;
        try_ends(f, known, &edge, f->s[open], i);
        try_ends(f, open, &other, f->s[known], e[known]);
    }
}

// ---- points of last time ---------------------------------------------------------------------------

static bool is_there(const flx_polytope *p, flx_part_kind kind, int number)
{
    const int most[3] = {p->nvertex, p->nedge, p->nface};
    return kind <= FLX_PART_FACE && number < most[kind];
}

// They go before the others, which have to keep away from them by KEPT.
static void try_last(finder *f, const flx_manifold *last)
{
    for (int i = 0; last && i < last->n; i++) {
        flx_part_kind kind[2];
        int number[2];
        flx_part part[2];
        flx_touch t;
        flx_feature_parts(last->features[i], kind, number);
        bool on = true;
        for (int k = 0; k < 2 && on; k++) {
            on = is_there(f->s[k]->of, kind[k], number[k]);
            if (on) part[k] = flx_convex_part(f->s[k], kind[k], number[k]);
        }
        if (!on || !flx_parts_touch(part, f->s[0]->skin, part + 1, f->s[1]->skin, &t)) continue;
        if (!(t.gap < f->reach) || v3_dot(v3_load(t.n), f->n) < ALIGNED) continue;
        if (is_on_parts(f, &t, part, part + 1, KEPT * f->size)) keep(f, &t, SAME * f->size);
    }
}

// ---- all -------------------------------------------------------------------------------------------

static bool separate(const flx_convex *a, const flx_convex *b, double reach,
                     const flx_manifold *last, flx_separation *out)
{
    double skins = a->skin + b->skin;
    bool near;
    if (flx_convex_distance(a, b, reach + skins, out, &near)) return true;
    if (!near) return false;
    flx_convex_depth(a, b, last, out);
    return out->gap - skins < reach;
}

// The parts of the nearest places belong to the points, unless a point is as deep; parts that have no normal by themselves
// (a face and an edge along it) have theirs.
static void try_nearest(finder *f, const flx_separation *nearest)
{
    double gap = nearest->gap - f->s[0]->skin - f->s[1]->skin;
    for (int i = 0; i < f->count; i++) {
        if (f->found[i].gap <= gap + SAME * f->size) return;
    }
    flx_part part[2];
    flx_touch t;
    for (int k = 0; k < 2; k++)
        part[k] = flx_convex_part(f->s[k], nearest->kind[k], nearest->number[k]);
    bool meets = flx_parts_touch(part, f->s[0]->skin, part + 1, f->s[1]->skin, &t);
    if (!meets || fabs(t.gap - gap) > SAME * f->size) {
        v3 n = nearest->n;
        t = (flx_touch){
            .gap = gap, .n = {n.x, n.y, n.z}, .feature = flx_part_feature(part, part + 1)};
        v3_store(t.p[0], v3_axpy(f->s[0]->skin, n, nearest->p[0]));
        v3_store(t.p[1], v3_axpy(-f->s[1]->skin, n, nearest->p[1]));
    }
    keep(f, &t, 0.0);
}

static bool is_flat(const flx_polytope *p) // a rectangle of the plane
{
    return p->nedge > 0 && p->edges[0] == p->edges[1];
}

static int touch(const flx_convex *a, const flx_convex *b, double reach, int most,
                 const flx_manifold *last, flx_touch *out)
{
    flx_separation nearest;
    if (!separate(a, b, reach, last, &nearest)) return 0;
    finder f; // its points are not worth to be cleared
    f.s[0] = a;
    f.s[1] = b;
    f.reach = reach;
    f.size = a->of->size + b->of->size;
    f.n = nearest.n;
    f.count = 0;
    try_last(&f, last);
    try_overlap(&f);
    if (f.count == 0) try_parallel(&f, &nearest);
    try_nearest(&f, &nearest);
    if (is_flat(a->of) || is_flat(b->of)) most = most < 2 ? most : 2;
    int n = flx_touches_choose(f.count, f.found, f.size, most, last);
    memcpy(out, f.found, (size_t)n * sizeof *out);
    return n;
}

// Ties are broken in an order that does not depend on which of the two is called the first.
static bool is_turned(const flx_convex *a, const flx_convex *b)
{
    double size = a->of->size + b->of->size;
    if (a->of->nvertex != b->of->nvertex) return a->of->nvertex < b->of->nvertex;
    double larger = b->of->size - a->of->size;
    if (fabs(larger) > SAME * size) return larger > 0.0;
    v3 d = v3_sub(b->x, a->x), ab = m33_tmul_v(a->R, d), ba = m33_tmul_v(b->R, v3_neg(d));
    const double by[3] = {ab.x - ba.x, ab.y - ba.y, ab.z - ba.z};
    for (int i = 0; i < 3; i++) {
        if (fabs(by[i]) > SAME * size) return by[i] < 0.0;
    }
    return false;
}

static uint64_t turn_feature(uint64_t feature)
{
    flx_part_kind kind[2];
    int number[2];
    flx_feature_parts(feature, kind, number);
    flx_part a = {.kind = kind[0], .number = number[0]}, b = {.kind = kind[1], .number = number[1]};
    return flx_part_feature(&b, &a);
}

// Places are taken from the first's origin: what the two share of the way to the ground's is no loss of digits.
int flx_convex_touch(const flx_convex *a, const flx_convex *b, double reach, int most,
                     flx_manifold *last, flx_touch *out)
{
    flx_convex s[2] = {*a, *b};
    flx_manifold turned_last = {.n = 0};
    bool turned = is_turned(a, b);
    v3 origin = turned ? b->x : a->x;
    if (!(most > 0)) return 0;
    v3 placed[2][MOST_PLACED];
    for (int i = 0; i < 2; i++) {
        s[i].x = v3_sub(s[i].x, origin);
        if (s[i].of->nvertex > MOST_PLACED) continue;
        for (int k = 0; k < s[i].of->nvertex; k++) {
            placed[i][k] = flx_convex_vertex(s + i, k);
        }
        s[i].placed = placed[i];
    }
    for (int i = 0; last && i < last->n; i++) {
        turned_last.features[i] = turned ? turn_feature(last->features[i]) : last->features[i];
        turned_last.n = i + 1;
    }
    int n = touch(s + (turned ? 1 : 0), s + (turned ? 0 : 1), reach, most,
                  last ? &turned_last : NULL, out);
    for (int i = 0; i < n; i++) {
        if (turned) {
            flx_touch_turn(out + i);
            out[i].feature = turn_feature(out[i].feature);
        }
        for (int k = 0; k < 2; k++) v3_add_to(out[i].p[k], 1.0, origin);
    }
    flx_manifold_keep(last, n, out);
    return n;
}

int flx_plane_convex_touch(const flx_part *plane, double skin, const flx_convex *b, double reach,
                           int most, flx_manifold *last, flx_touch *out)
{
    flx_touch found[MOST_FOUND];
    int n = 0;
    for (int i = 0; i < b->of->nvertex; i++) {
        flx_part vertex = flx_convex_part(b, FLX_PART_VERTEX, i);
        flx_touch t;
        if (!flx_parts_touch(plane, skin, &vertex, b->skin, &t) || !(t.gap < reach)) continue;
        t.feature = (uint64_t)i;
        if (n == MOST_FOUND) { // the deepest have to stay
            n = flx_touches_choose(n, found, b->of->size, MOST_FOUND / 2, last);
        }
        found[n++] = t;
    }
    n = flx_touches_choose(n, found, b->of->size, most, last);
    memcpy(out, found, (size_t)n * sizeof *out);
    flx_manifold_keep(last, n, out);
    return n;
}
