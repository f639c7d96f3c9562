// outline.c - cells of a plane curve, and its places that are nearest to a point or lowest along a direction.
#include "contact/outline.h"

// ---- cells ----------------------------------------------------------------------------------------

// The polynomial with value, first and second derivative a at u = 0, b at u = 1.
static void hermite(const double a[3], const double b[3], double out[6])
{
    double p = b[0] - a[0] - a[1] - 0.5 * a[2], q = b[1] - a[1] - a[2], r = b[2] - a[2];
    out[0] = a[0];
    out[1] = a[1];
    out[2] = 0.5 * a[2];
    out[3] = 10.0 * p - 4.0 * q + 0.5 * r;
    out[4] = -15.0 * p + 7.0 * q - r;
    out[5] = 6.0 * p - 3.0 * q + 0.5 * r;
}

static void make_cell(const double a[6], const double b[6], double h, double cell[2][6])
{
    for (int i = 0; i < 2; i++) {
        const double left[3] = {a[i], h * a[2 + i], h * h * a[4 + i]};
        const double right[3] = {b[i], h * b[2 + i], h * h * b[4 + i]};
        hermite(left, right, cell[i]);
    }
}

// A straight cell that ends or begins at a row: its length is that of the whole a hundred times.
static void straight(const double row[6], double length, bool before, double cell[2][6])
{
    memset(cell, 0, 2 * sizeof cell[0]);
    for (int i = 0; i < 2; i++) {
        cell[i][1] = length * row[2 + i];
        cell[i][0] = row[i] - (before ? cell[i][1] : 0.0);
    }
}

flx_outline_place flx_outline_at(const flx_outline *o, int cell, double u)
{
    flx_outline_place p;
    for (int i = 0; i < 2; i++) {
        const double *a = o->cells[cell][i];
        p.c[i] = a[0] + u * (a[1] + u * (a[2] + u * (a[3] + u * (a[4] + u * a[5]))));
        p.d[i] = a[1] + u * (2 * a[2] + u * (3 * a[3] + u * (4 * a[4] + u * 5 * a[5])));
        p.dd[i] = 2 * a[2] + u * (6 * a[3] + u * (12 * a[4] + u * 20 * a[5]));
    }
    return p;
}

// A ball round some cells: round the box of their Bezier points, between which the curve stays.
static void make_ball(const flx_outline *o, int first, int last, double ball[3])
{
    static const double part[6][6] = {{1, 0, 0, 0, 0, 0},
                                      {1, 1 / 5.0, 0, 0, 0, 0},
                                      {1, 2 / 5.0, 1 / 10.0, 0, 0, 0},
                                      {1, 3 / 5.0, 3 / 10.0, 1 / 10.0, 0, 0},
                                      {1, 4 / 5.0, 6 / 10.0, 4 / 10.0, 1 / 5.0, 0},
                                      {1, 1, 1, 1, 1, 1}};
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (int k = first; k < last; k++) {
        for (int i = 0; i < 2; i++) {
            for (int b = 0; b < 6; b++) {
                double x = 0.0;
                for (int c = 0; c <= b; c++) x += part[b][c] * o->cells[k][i][c];
                low[i] = fmin(low[i], x);
                high[i] = fmax(high[i], x);
            }
        }
    }
    ball[0] = 0.5 * (low[0] + high[0]);
    ball[1] = 0.5 * (low[1] + high[1]);
    ball[2] = 0.5 * hypot(high[0] - low[0], high[1] - low[1]);
}

static double size_of(int n, double (*rows)[6])
{
    double low[2], high[2];
    for (int i = 0; i < 2; i++) {
        low[i] = high[i] = rows[0][i];
        for (int k = 1; k <= n; k++) {
            low[i] = fmin(low[i], rows[k][i]);
            high[i] = fmax(high[i], rows[k][i]);
        }
    }
    return hypot(high[0] - low[0], high[1] - low[1]);
}

static void find_ends(flx_outline *o, int n, double (*rows)[6])
{
    const double *a = rows[0], *b = rows[n];
    o->closed = hypot(a[0] - b[0], a[1] - b[1]) <= 1e-9 * o->size;
    double cross = a[2] * b[3] - a[3] * b[2], dot = a[2] * b[2] + a[3] * b[3];
    o->smooth = o->closed && dot > 0.0 && fabs(cross) <= 1e-6 * dot;
}

flx_outline *flx_outline_make(flx_arena *arena, int n, double h, double (*rows)[6], double side,
                              bool profile, int up)
{
    int more = profile ? 1 : 0, cells = n + 2 * more;
    flx_outline *o = flx_arena_take(arena, 1, sizeof *o);
    if (!o) return NULL;
    *o = (flx_outline){.n = cells, .side = side, .up = up, .size = size_of(n, rows)};
    o->nblock = (cells + FLX_OUTLINE_BLOCK - 1) / FLX_OUTLINE_BLOCK;
    o->cells = flx_arena_take(arena, (size_t)cells, sizeof *o->cells);
    o->balls = flx_arena_take(arena, (size_t)o->nblock, sizeof *o->balls);
    if (!o->cells || !o->balls) return NULL;
    if (!profile) find_ends(o, n, rows);
    for (int k = 0; k < n; k++) make_cell(rows[k], rows[k + 1], h, o->cells[k + more]);
    if (profile) {
        straight(rows[0], 100.0 * n * h, true, o->cells[0]);
        straight(rows[n], 100.0 * n * h, false, o->cells[cells - 1]);
    }
    for (int b = 0; b < o->nblock; b++) {
        int first = b * FLX_OUTLINE_BLOCK, last = first + FLX_OUTLINE_BLOCK;
        make_ball(o, first, last < cells ? last : cells, o->balls[b]);
    }
    return o;
}

// ---- feet -----------------------------------------------------------------------------------------

static double dot(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

static double slope_of(const flx_outline_probe *p, const flx_outline_place *q)
{
    const double way[2] = {q->c[0] - p->x[0], q->c[1] - p->x[1]};
    return p->direction ? dot(p->x, q->d) : dot(way, q->d);
}

static double slope_rate(const flx_outline_probe *p, const flx_outline_place *q)
{
    const double way[2] = {q->c[0] - p->x[0], q->c[1] - p->x[1]};
    return p->direction ? dot(p->x, q->dd) : dot(q->d, q->d) + dot(way, q->dd);
}

// The zero of the slope in a cell where it changes from negative to not negative: Newton, halved where it leaves.
static double find_zero(const flx_outline *o, const flx_outline_probe *p, int cell)
{
    double low = 0.0, high = 1.0, u = 0.5;
    for (int i = 0; i < 60; i++) {
        flx_outline_place q = flx_outline_at(o, cell, u);
        double g = slope_of(p, &q), rate = slope_rate(p, &q), next = u - g / rate;
        if (g < 0.0) {
            low = u;
        } else {
            high = u;
        }
        if (!(rate > 0.0) || !(next >= low && next <= high)) next = 0.5 * (low + high);
        if (fabs(next - u) <= 1e-16 || next == low || next == high) return next;
        u = next;
    }
    return u;
}

typedef struct search {
    const flx_outline *o;
    const flx_outline_probe *p;
    int count;
    flx_outline_foot *feet;
} search;

static double rank(const search *s, double value)
{
    return s->p->direction ? value : fabs(value);
}

static void add_foot(search *s, const flx_outline_foot *f)
{
    int at = s->count;
    while (at > 0 && rank(s, f->value) < rank(s, s->feet[at - 1].value)) at--;
    if (at == FLX_OUTLINE_FEET) return;
    int moved = (s->count < FLX_OUTLINE_FEET ? s->count : FLX_OUTLINE_FEET - 1) - at;
    memmove(s->feet + at + 1, s->feet + at, sizeof *f * (size_t)moved);
    s->feet[at] = *f;
    if (s->count < FLX_OUTLINE_FEET) s->count++;
}

static flx_outline_foot foot_at(const search *s, int cell, double u)
{
    flx_outline_place q = flx_outline_at(s->o, cell, u);
    double l2 = dot(q.d, q.d), l = sqrt(l2), side = s->o->side;
    if (!(l > 0.0)) l = l2 = 1.0;
    flx_outline_foot f = {.c = {q.c[0], q.c[1]}, .out = {side * q.d[1] / l, -side * q.d[0] / l}};
    const double way[2] = {s->p->x[0] - q.c[0], s->p->x[1] - q.c[1]};
    f.value = s->p->direction ? dot(s->p->x, q.c) : dot(way, f.out);
    f.k = -dot(q.dd, f.out) / l2;
    return f;
}

// An end, or a corner where the curve closes: the direction is that to the point.
static void add_corner(search *s, int cell, double u)
{
    flx_outline_foot f = foot_at(s, cell, u);
    const double way[2] = {s->p->x[0] - f.c[0], s->p->x[1] - f.c[1]};
    double l = hypot(way[0], way[1]);
    f.k = HUGE_VAL;
    if (s->p->direction) {
        f.out[0] = -s->p->x[0];
        f.out[1] = -s->p->x[1];
    } else {
        f.value = l;
        if (l > 0.0) {
            f.out[0] = way[0] / l;
            f.out[1] = way[1] / l;
        }
    }
    add_foot(s, &f);
}

// At the start of a cell, which is the end of the one before: both see the same number, and no change of sign is lost.
static double slope_at_start(const search *s, int k)
{
    const double(*a)[6] = s->o->cells[k];
    const double d[2] = {a[0][1], a[1][1]};
    const double way[2] = {a[0][0] - s->p->x[0], a[1][0] - s->p->x[1]};
    return s->p->direction ? dot(s->p->x, d) : dot(way, d);
}

static double slope_at_end(const search *s, int k)
{
    if (k + 1 < s->o->n) return slope_at_start(s, k + 1);
    if (s->o->smooth) return slope_at_start(s, 0);
    flx_outline_place q = flx_outline_at(s->o, k, 1.0);
    return slope_of(s->p, &q);
}

// ga, gb: slopes at its start and end.
static void search_cell(search *s, int k, double ga, double gb)
{
    const flx_outline *o = s->o;
    if (ga < 0.0 && gb >= 0.0) {
        flx_outline_foot f = foot_at(s, k, find_zero(o, s->p, k));
        // a hollow of the side that looks away from the plane is no lowest place of the body
        if (!s->p->direction || dot(f.out, s->p->x) < 0.0) add_foot(s, &f);
    }
    if (o->smooth) return;
    bool begins = k == 0 && ga > 0.0, ends = k == o->n - 1 && gb < 0.0;
    if (!o->closed) {
        if (begins) add_corner(s, 0, 0.0);
        if (ends) add_corner(s, k, 1.0);
    } else if (ends && slope_at_start(s, 0) > 0.0) {
        add_corner(s, 0, 0.0);
    }
}

static double measure(const flx_outline_probe *p, double x, double y)
{
    double dx = x - p->x[0], dy = y - p->x[1];
    return p->direction ? p->x[0] * x + p->x[1] * y : sqrt(dx * dx + dy * dy);
}

// The least that any place has at most: that of the first place of each block.
static double upper_bound(const flx_outline *o, const flx_outline_probe *p)
{
    double bound = HUGE_VAL;
    for (int k = 0; k < o->n; k += FLX_OUTLINE_BLOCK) {
        double d = measure(p, o->cells[k][0][0], o->cells[k][1][0]);
        if (d < bound) bound = d;
    }
    return bound;
}

// A point in the body at some depth is as far from its other sides: they count no more than the nearest one does.
static int drop_other_sides(const flx_outline *o, int n, flx_outline_foot *feet)
{
    double depth = 1e-3 * o->size + fabs(feet[0].value);
    int kept = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0 && feet[i].value < -depth) continue;
        feet[kept++] = feet[i];
    }
    return kept;
}

// In the middle of a circle every place is as near: any of them.
static void add_any(search *s)
{
    flx_outline_foot best = foot_at(s, 0, 0.0);
    for (int k = 1; k < s->o->n; k++) {
        flx_outline_foot f = foot_at(s, k, 0.0);
        if (rank(s, f.value) < rank(s, best.value)) best = f;
    }
    add_foot(s, &best);
}

int flx_outline_feet(const flx_outline *o, const flx_outline_probe *p, double window,
                     flx_outline_foot feet[FLX_OUTLINE_FEET])
{
    search s = {o, p, 0, feet};
    double bound = upper_bound(o, p) + window;
    for (int b = 0; b < o->nblock; b++) {
        const double *ball = o->balls[b];
        if (measure(p, ball[0], ball[1]) - ball[2] > bound) continue; // |x| <= 1 of a direction
        int first = b * FLX_OUTLINE_BLOCK, last = first + FLX_OUTLINE_BLOCK;
        double ga = slope_at_start(&s, first);
        for (int k = first; k < o->n && k < last; k++) {
            double gb = slope_at_end(&s, k);
            search_cell(&s, k, ga, gb);
            ga = gb;
        }
    }
    if (s.count == 0) add_any(&s);
    return p->direction ? s.count : drop_other_sides(o, s.count, feet);
}
