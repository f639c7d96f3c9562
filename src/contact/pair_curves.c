// pair_curves.c - two curves of one plane: (CON-9), solved by Newton's method from the places of a scan where the second is
// nearest to the first, with its sign. Points are the local minima of the gap, the nearest first.
#include "contact/outline.h"

enum { POINTS = 3, SCAN = 64, ITERATIONS = 50 };

// A curve seen from the plane of the first.
typedef struct view {
    const flx_outline *o;
    double c, s, x[2];
    double step; // cells between two places of the scan
    int n;       // places of the scan
} view;

typedef struct spot {
    double c[2], d[2], dd[2], out[2];
} spot;

static view view_of(const flx_sheet *from, const flx_sheet *to)
{
    v3 d = v3_sub(to->origin, from->origin);
    view w = {.o = to->o,
              .c = v3_dot(from->x, to->x),
              .s = v3_dot(from->y, to->x),
              .x = {v3_dot(from->x, d), v3_dot(from->y, d)}};
    w.n = to->o->n < SCAN ? to->o->n : SCAN;
    w.step = to->o->n / (double)w.n;
    return w;
}

static void turn(const view *w, const double a[2], double out[2])
{
    double x = w->c * a[0] - w->s * a[1], y = w->s * a[0] + w->c * a[1];
    out[0] = x;
    out[1] = y;
}

// s: cell and place in it; round where the curve is closed, else held at its ends.
static double within(const flx_outline *o, double s)
{
    double n = o->n;
    if (o->closed) {
        s -= n * floor(s / n);
        return s < n ? s : 0.0;
    }
    return fmin(fmax(s, 0.0), n);
}

static spot spot_at(const view *w, double s)
{
    int cell = (int)s < w->o->n ? (int)s : w->o->n - 1;
    flx_outline_place p = flx_outline_at(w->o, cell, s - cell);
    spot q;
    turn(w, p.c, q.c);
    turn(w, p.d, q.d);
    turn(w, p.dd, q.dd);
    for (int i = 0; i < 2; i++) q.c[i] += w->x[i];
    double l = hypot(q.d[0], q.d[1]), side = w->o->side / (l > 0.0 ? l : 1.0);
    q.out[0] = side * q.d[1];
    q.out[1] = -side * q.d[0];
    return q;
}

static double dot(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}
static double cross(const double a[2], const double b[2])
{
    return a[0] * b[1] - a[1] * b[0];
}

// (CON-9)
static bool newton(const view w[2], double s[2])
{
    for (int i = 0; i < ITERATIONS; i++) {
        spot a = spot_at(w, s[0]), b = spot_at(w + 1, s[1]);
        const double way[2] = {b.c[0] - a.c[0], b.c[1] - a.c[1]};
        double r[2] = {cross(a.d, b.d), dot(way, a.d)};
        double J[4] = {cross(a.dd, b.d), cross(a.d, b.dd), dot(way, a.dd) - dot(a.d, a.d),
                       dot(b.d, a.d)};
        double det = J[0] * J[3] - J[1] * J[2];
        double move[2] = {(-r[0] * J[3] + r[1] * J[1]) / det, (-r[1] * J[0] + r[0] * J[2]) / det};
        double largest = fmax(fabs(move[0]) / w[0].step, fabs(move[1]) / w[1].step);
        if (!isfinite(largest)) return false;
        double shorter = largest > 1.0 ? 1.0 / largest : 1.0;
        for (int k = 0; k < 2; k++) s[k] = within(w[k].o, s[k] + shorter * move[k]);
        if (largest <= 1e-13 * SCAN) return true;
    }
    return false;
}

typedef struct meeting {
    double gap, s[2]; // of the curves themselves
} meeting;

static double curvature(const spot *p)
{
    double l2 = dot(p->d, p->d);
    return l2 > 0.0 ? -dot(p->dd, p->out) / l2 : 0.0;
}

// Whether it is a local minimum of the gap, both bodies on their sides of the line between them.
static bool is_touch(const view w[2], meeting *m)
{
    spot a = spot_at(w, m->s[0]), b = spot_at(w + 1, m->s[1]);
    const double way[2] = {b.c[0] - a.c[0], b.c[1] - a.c[1]};
    double k[2] = {curvature(&a), curvature(&b)};
    m->gap = dot(way, a.out);
    return dot(a.out, b.out) < 0.0 && k[0] + k[1] + m->gap * k[0] * k[1] > 0.0;
}

static int add_meeting(const view w[2], const meeting *m, int count, meeting out[POINTS])
{
    for (int i = 0; i < count; i++) {
        double apart = fabs(m->s[1] - out[i].s[1]);
        if (w[1].o->closed) apart = fmin(apart, w[1].o->n - apart);
        if (apart < 1e-6 && fabs(m->gap - out[i].gap) <= 1e-9 * w[0].o->size) return count;
    }
    int at = count < POINTS ? count : POINTS;
    while (at > 0 && m->gap < out[at - 1].gap) at--;
    if (at == POINTS) return count;
    int last = count < POINTS ? count : POINTS - 1;
    memmove(out + at + 1, out + at, sizeof *m * (size_t)(last - at));
    out[at] = *m;
    return last + 1;
}

// Signed distance of the places of the second from the nearest places of the first.
static void scan(const view w[2], double distance[SCAN], int nearest[SCAN])
{
    spot a[SCAN];
    for (int i = 0; i < w[0].n; i++) a[i] = spot_at(w, i * w[0].step);
    for (int j = 0; j < w[1].n; j++) {
        spot b = spot_at(w + 1, j * w[1].step);
        double best = HUGE_VAL;
        for (int i = 0; i < w[0].n; i++) {
            double x = b.c[0] - a[i].c[0], y = b.c[1] - a[i].c[1], d = x * x + y * y;
            if (d < best) best = d, nearest[j] = i;
        }
        const spot *p = a + nearest[j];
        const double way[2] = {b.c[0] - p->c[0], b.c[1] - p->c[1]};
        distance[j] = dot(way, p->out) < 0.0 ? -sqrt(best) : sqrt(best);
    }
}

static int meetings(const view w[2], meeting out[POINTS])
{
    double distance[SCAN] = {0};
    int nearest[SCAN] = {0}, count = 0, n = w[1].n, least = 0;
    scan(w, distance, nearest);
    for (int j = 0; j < n; j++) {
        int before = j > 0 ? j - 1 : n - 1, after = j + 1 < n ? j + 1 : 0;
        if (distance[j] < distance[least]) least = j;
        if (distance[j] > distance[before] || distance[j] > distance[after]) continue;
        meeting m = {.s = {nearest[j] * w[0].step, j * w[1].step}};
        if (newton(w, m.s) && is_touch(w, &m)) count = add_meeting(w, &m, count, out);
    }
    if (count > 0) return count;
    out[0] = (meeting){distance[least], {nearest[least] * w[0].step, least * w[1].step}};
    return 1;
}

static bool curve_curve(const flx_surface *a, const flx_frame *fa, const flx_surface *b,
                        const flx_frame *fb, uint64_t feature, flx_touch *out)
{
    flx_sheet s[2] = {flx_sheet_of(a, fa), flx_sheet_of(b, fb)};
    const view w[2] = {view_of(s, s), view_of(s, s + 1)};
    meeting m[POINTS];
    if (feature >= (uint64_t)meetings(w, m)) return false;
    spot p = spot_at(w, m[feature].s[0]), q = spot_at(w + 1, m[feature].s[1]);
    v3 n = flx_sheet_vector(s, p.out), e = v3_cross(s[0].across, n);
    out->gap = m[feature].gap - s[0].skin - s[1].skin;
    out->feature = feature;
    v3_store(out->n, n);
    v3 place = v3_add(s[0].origin, flx_sheet_vector(s, p.c));
    flx_touch_side(out, 0, place, s[0].skin, curvature(&p), 0.0, e);
    place = v3_axpy(m[feature].gap, n, place);
    flx_touch_side(out, 1, place, s[1].skin, curvature(&q), HUGE_VAL, e);
    return true;
}

const flx_pair flx_pair_curve_curve = {.points = POINTS, .planar = true, .point = curve_curve};
