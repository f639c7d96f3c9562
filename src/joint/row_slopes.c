// row_slopes.c - third derivatives of rows by an algebra of derivatives.
//
// The bodies move in time with v and v' from where they stand, q (+) e theta. Every quantity carries
//     x = [d^i/de^i d^k/dt^k x], i = 0, 1, k = 0, 1, 2,   at e = t = 0                    (ROW-6)
// and a vector s of a body has the six
//     R s,  R (w x s),  R (w x (w x s) + w' x s)   and  R (theta x ..) of the three,
// with dw and dw' in the latter where the velocities of a body change along theta as well.
// Products and functions follow the rules of Leibniz and of the chain; what is asked for is i = 1,
// k = 2. No derivative is written down by hand, so that a row is its definition.
#include "joint/row_slopes.h"
#include "contact/gap.h"
#include "math/curve/curve.h"

typedef struct number {
    double c[2][3];
} number;

typedef struct vector {
    v3 c[2][3];
} vector;

typedef struct end { // a body
    m33 R;
    v3 r, v, a, move;             // centre of mass, ground axes
    v3 spin, spin_rate, turn;     // body axes
    v3 dv, da, dspin, dspin_rate; // along the direction
} end;

// ---- bodies -------------------------------------------------------------------------------------

static end space_end(const flx_row_path *m, const flx_ends *e, int i)
{
    const flx_frame *f = m->frames.space + e->frame[i];
    end b = {.R = m33_load(f->R), .r = v3_load(f->r), .v = v3_load(f->v), .spin = v3_load(f->w)};
    if (e->nv[i] > 0) {
        b.a = v3_load(m->a + e->v[i]);
        b.move = v3_load(m->theta + e->v[i]);
    }
    if (e->nv[i] == 6) {
        b.spin_rate = v3_load(m->a + e->v[i] + 3);
        b.turn = v3_load(m->theta + e->v[i] + 3);
    }
    if (e->nv[i] == 6 && m->dv) {
        b.dv = v3_load(m->dv + e->v[i]);
        b.da = v3_load(m->da + e->v[i]);
        b.dspin = v3_load(m->dv + e->v[i] + 3);
        b.dspin_rate = v3_load(m->da + e->v[i] + 3);
    }
    return b;
}

static end plane_end(const flx_row_path *m, const flx_ends *e, int i)
{
    const flx_frame2 *f = m->frames.plane + e->frame[i];
    end b = {.R = {{f->c, -f->s, 0.0, f->s, f->c, 0.0, 0.0, 0.0, 1.0}},
             .r = {f->x, f->y, 0.0},
             .v = {f->vx, f->vy, 0.0},
             .spin = {0.0, 0.0, f->w}};
    const double *a = m->a + e->v[i], *theta = m->theta + e->v[i];
    if (e->nv[i] > 0) {
        b.a = v3_make(a[0], a[1], 0.0);
        b.move = v3_make(theta[0], theta[1], 0.0);
    }
    if (e->nv[i] == 3) {
        b.spin_rate = v3_make(0.0, 0.0, a[2]);
        b.turn = v3_make(0.0, 0.0, theta[2]);
    }
    if (e->nv[i] == 3 && m->dv) {
        const double *dv = m->dv + e->v[i], *da = m->da + e->v[i];
        b.dv = v3_make(dv[0], dv[1], 0.0);
        b.da = v3_make(da[0], da[1], 0.0);
        b.dspin = v3_make(0.0, 0.0, dv[2]);
        b.dspin_rate = v3_make(0.0, 0.0, da[2]);
    }
    return b;
}

static end end_of(const flx_row_path *m, const flx_ends *e, int i)
{
    return m->frames.space ? space_end(m, e, i) : plane_end(m, e, i);
}

// A vector that is fixed in the body.
static vector turning(const end *b, v3 s)
{
    v3 s1 = v3_cross(b->spin, s);
    const v3 rate[3] = {s, s1, v3_add(v3_cross(b->spin, s1), v3_cross(b->spin_rate, s))};
    v3 d1 = v3_cross(b->dspin, s);
    v3 d2 =
        v3_add(v3_add(v3_cross(b->dspin, s1), v3_cross(b->spin, d1)), v3_cross(b->dspin_rate, s));
    const v3 change[3] = {{0, 0, 0}, d1, d2};
    vector x;
    for (int k = 0; k < 3; k++) {
        x.c[0][k] = m33_mul_v(b->R, rate[k]);
        x.c[1][k] = m33_mul_v(b->R, v3_add(v3_cross(b->turn, rate[k]), change[k]));
    }
    return x;
}

static vector place(const end *b, v3 s)
{
    vector x = turning(b, s);
    x.c[0][0] = v3_add(x.c[0][0], b->r);
    x.c[0][1] = v3_add(x.c[0][1], b->v);
    x.c[0][2] = v3_add(x.c[0][2], b->a);
    x.c[1][0] = v3_add(x.c[1][0], b->move);
    x.c[1][1] = v3_add(x.c[1][1], b->dv);
    x.c[1][2] = v3_add(x.c[1][2], b->da);
    return x;
}

// ---- algebra ------------------------------------------------------------------------------------

static const double choose[3][3] = {{1.0, 0.0, 0.0}, {1.0, 1.0, 0.0}, {1.0, 2.0, 1.0}};

static vector difference(const vector *a, const vector *b)
{
    vector x;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) x.c[i][k] = v3_sub(a->c[i][k], b->c[i][k]);
    }
    return x;
}

static number dot(const vector *a, const vector *b)
{
    number x = {0};
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j <= k; j++) {
            double n = choose[k][j];
            x.c[0][k] += n * v3_dot(a->c[0][j], b->c[0][k - j]);
            x.c[1][k] += n * v3_dot(a->c[1][j], b->c[0][k - j]);
            x.c[1][k] += n * v3_dot(a->c[0][j], b->c[1][k - j]);
        }
    }
    return x;
}

static number product(const number *a, const number *b)
{
    number x = {0};
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j <= k; j++) {
            double n = choose[k][j];
            x.c[0][k] += n * a->c[0][j] * b->c[0][k - j];
            x.c[1][k] += n * a->c[1][j] * b->c[0][k - j];
            x.c[1][k] += n * a->c[0][j] * b->c[1][k - j];
        }
    }
    return x;
}

// s a + b
static number axpy(double s, const number *a, const number *b)
{
    number x;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) x.c[i][k] = s * a->c[i][k] + b->c[i][k];
    }
    return x;
}

// The time derivative; the last, of which it knows nothing, is 0.
static number rate(const number *a)
{
    return (number){{{a->c[0][1], a->c[0][2], 0.0}, {a->c[1][1], a->c[1][2], 0.0}}};
}

// A function with its value and three derivatives.
static number function(const double f[4], const number *a)
{
    double v = a->c[0][1], m = a->c[1][0], vm = a->c[1][1], vv = a->c[0][2], vvm = a->c[1][2];
    return (number){{{f[0], f[1] * v, f[2] * v * v + f[1] * vv},
                     {f[1] * m, f[2] * v * m + f[1] * vm,
                      f[3] * v * v * m + f[2] * (2.0 * v * vm + vv * m) + f[1] * vvm}}};
}

// Zero has no root that could be differentiated: no gradient, as in scalar.c.
static number root(const number *a)
{
    double y = sqrt(a->c[0][0]), i = y > 0.0 ? 1.0 / y : 0.0, i3 = i * i * i;
    return function((const double[4]){y, 0.5 * i, -0.25 * i3, 0.375 * i3 * i * i}, a);
}

static number inverse(const number *a)
{
    double i = 1.0 / a->c[0][0];
    return function((const double[4]){i, -i * i, 2.0 * i * i * i, -6.0 * i * i * i * i}, a);
}

// ---- rows ---------------------------------------------------------------------------------------

void flx_row_point_slope(int n, const flx_row_point *r, const flx_row_path *m, double *out)
{
    for (int k = 0; k < n; k++) {
        end A = end_of(m, &r[k].e, 0), B = end_of(m, &r[k].e, 1);
        vector a = place(&A, v3_load(r[k].s[0])), b = place(&B, v3_load(r[k].s[1]));
        v3 g = v3_sub(b.c[1][2], a.c[1][2]);
        double *at = out + r[k].p.row;
        at[0] = g.x;
        at[1] = g.y;
        if (m->frames.space) at[2] = g.z;
    }
}

void flx_row_axis_slope(int n, const flx_row_axis *r, const flx_row_path *m, double *out)
{
    for (int k = 0; k < n; k++) {
        end A = end_of(m, &r[k].e, 0), B = end_of(m, &r[k].e, 1);
        vector b = turning(&B, v3_load(r[k].b));
        for (int i = 0; i < 2; i++) {
            vector a = turning(&A, v3_load(r[k].a[i]));
            out[r[k].p.row + i] = dot(&a, &b).c[1][2];
        }
    }
}

// ---- scalars ------------------------------------------------------------------------------------

static number eval_dot(const end *A, const end *B, const double a[3], const double b[3])
{
    vector x = turning(A, v3_load(a)), y = turning(B, v3_load(b));
    return dot(&x, &y);
}

static vector line(const flx_scalar *s, const end *A, const end *B)
{
    vector a = place(A, v3_load(s->s[0])), b = place(B, v3_load(s->s[1]));
    return difference(&b, &a);
}

static number eval_plane(const flx_scalar *s, const end *A, const end *B)
{
    vector normal = turning(A, v3_load(s->a[0])), d = line(s, A, B);
    return dot(&normal, &d);
}

static double slope_of_angle(const flx_scalar *s, const end *A, const end *B)
{
    number x = eval_dot(A, B, s->a[0], s->b), y = eval_dot(A, B, s->a[1], s->b);
    number dx = rate(&x), dy = rate(&y), xx = product(&x, &x), yy = product(&y, &y);
    number xdy = product(&x, &dy), ydx = product(&y, &dx), square = axpy(1.0, &xx, &yy);
    number i = inverse(&square), w = axpy(-1.0, &ydx, &xdy);
    return product(&w, &i).c[1][1];
}

static double slope_of_touch(const flx_scalar *s, const end *A, const end *B)
{
    const number one = {{{1.0}}};
    number height = eval_plane(s, A, B), c = eval_dot(A, B, s->a[0], s->b);
    number cc = product(&c, &c), hh = axpy(-1.0, &cc, &one), h = root(&hh);
    return height.c[1][2] - s->length * h.c[1][2];
}

// A vector field of the curve, or its derivative, at s = s_0 + u.
static vector field(const v3 f[4], const number *s)
{
    number x[3];
    vector out;
    for (int i = 0; i < 3; i++) {
        double k[4];
        for (int d = 0; d < 4; d++) k[d] = i == 0 ? f[d].x : i == 1 ? f[d].y : f[d].z;
        x[i] = function(k, s);
    }
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) out.c[i][k] = v3_make(x[0].c[i][k], x[1].c[i][k], x[2].c[i][k]);
    }
    return out;
}

// In the axes of the first; s follows from (x - c) . c' = 0, one order more in each pass.
static double slope_of_curve(const flx_scalar *s, const end *A, const end *B,
                             const double *switches)
{
    static const v3 e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    vector d = line(s, A, B), x;
    number parts[3];
    for (int i = 0; i < 3; i++) {
        vector axis = turning(A, e[i]);
        parts[i] = dot(&axis, &d);
    }
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++)
            x.c[i][k] = v3_make(parts[0].c[i][k], parts[1].c[i][k], parts[2].c[i][k]);
    }
    double from = s->turn >= 0 && switches ? switches[s->turn] : (double)NAN;
    flx_curve_point at;
    number along = {{{flx_curve_nearest(s->curve, x.c[0][0], from)}}};
    flx_curve_eval(s->curve, along.c[0][0], &at);
    const v3 tangent[4] = {at.c[1], at.c[2], at.c[3], {0, 0, 0}};
    vector off = {0};
    double D = v3_dot(at.c[1], at.c[1]) - v3_dot(v3_sub(x.c[0][0], at.c[0]), at.c[2]);
    for (int pass = 0; pass < 4; pass++) {
        vector c = field(at.c, &along), t = field(tangent, &along);
        off = difference(&x, &c);
        number F = dot(&off, &t);
        F.c[0][0] = 0.0; // solved already
        along = axpy(1.0 / D, &F, &along);
    }
    vector c = field(at.c, &along), N = field(at.N[s->along], &along);
    off = difference(&x, &c);
    return dot(&N, &off).c[1][2];
}

// ---- gaps ---------------------------------------------------------------------------------------

static flx_frame moved(const end *b, double h)
{
    flx_frame f = {.r = {0}};
    v3_store(f.r, v3_axpy(h, b->move, b->r));
    m33_store(f.R, m33_mul(b->R, quat_to_m33(quat_exp(v3_scale(h, b->turn)))));
    return f;
}

static void put(double out[6], v3 a, v3 b)
{
    v3_store(out, a);
    v3_store(out + 3, b);
}

// G a + v^T K v of the surfaces moved by h; along: G da + dv^T K v + v^T K dv instead.
static double gap_rate(const flx_scalar *s, const end b[2], double h, bool along)
{
    const int nv[2] = {6, 6};
    flx_frame f[2] = {moved(b, h), moved(b + 1, h)};
    double value, G[2][6], K[2][2][36], v[2][6], a[2][6], u[2][6], sum = 0.0;
    flx_gap_depth(s->gap, f, f + 1, nv, 2, &value, G, K);
    for (int i = 0; i < 2; i++) {
        put(v[i], b[i].v, b[i].spin);
        put(a[i], along ? b[i].da : b[i].a, along ? b[i].dspin_rate : b[i].spin_rate);
        put(u[i], b[i].dv, b[i].dspin);
    }
    for (int i = 0; i < 2; i++) {
        for (int r = 0; r < 6; r++) {
            sum += G[i][r] * a[i][r];
            for (int k = 0; k < 2; k++) {
                for (int c = 0; c < 6; c++) {
                    double w = v[i][r] * v[k][c];
                    if (along) w = u[i][r] * v[k][c] + v[i][r] * u[k][c];
                    sum += w * K[i][k][6 * r + c];
                }
            }
        }
    }
    return sum;
}

// By differences of fourth order: curvatures may change along the surfaces in any way.
static double slope_of_gap(const flx_scalar *s, const end *A, const end *B)
{
    const end b[2] = {*A, *B};
    double size = 1.0;
    for (int i = 0; i < 2; i++) size = fmax(size, v3_norm(b[i].move) + v3_norm(b[i].turn));
    double h = 1e-4 / size;
    double far = gap_rate(s, b, 2 * h, false) - gap_rate(s, b, -2 * h, false);
    double near = gap_rate(s, b, h, false) - gap_rate(s, b, -h, false);
    return (8.0 * near - far) / (12.0 * h) + gap_rate(s, b, 0.0, true);
}

double flx_scalar_slope(const flx_scalar *s, const flx_row_path *m)
{
    end A = end_of(m, &s->e, 0), B = end_of(m, &s->e, 1);
    vector d = line(s, &A, &B);
    number dd = dot(&d, &d);
    switch (s->kind) {
    case FLX_SCALAR_DOT:
        return eval_dot(&A, &B, s->a[0], s->b).c[1][2];
    case FLX_SCALAR_PLANE:
    case FLX_SCALAR_PLANE2:
        return eval_plane(s, &A, &B).c[1][2];
    case FLX_SCALAR_LENGTH:
    case FLX_SCALAR_LENGTH2:
        return root(&dd).c[1][2];
    case FLX_SCALAR_SQUARE:
    case FLX_SCALAR_SQUARE2:
        return 0.5 * dd.c[1][2] / s->length;
    case FLX_SCALAR_ANGLE:
        return slope_of_angle(s, &A, &B);
    case FLX_SCALAR_TOUCH:
        return slope_of_touch(s, &A, &B);
    case FLX_SCALAR_CURVE:
        return slope_of_curve(s, &A, &B, m->switches);
    case FLX_SCALAR_GAP:
        return slope_of_gap(s, &A, &B);
    case FLX_SCALAR_ANGLE2:
        return B.dspin_rate.z - A.dspin_rate.z;
    default: // on velocity level, or of forces alone
        return 0.0;
    }
}
