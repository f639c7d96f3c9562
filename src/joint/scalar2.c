// scalar2.c - scalar functions of two frames in the plane. (x, y)^ = (-y, x) is the derivative of a
// turning vector along its angle; a x b = a_x b_y - a_y b_x.
#include "joint/scalar.h"

typedef struct v2 {
    double x, y;
} v2;

static v2 turn(const flx_frame2 *f, const double s[3])
{
    return (v2){f->c * s[0] - f->s * s[1], f->s * s[0] + f->c * s[1]};
}
static double dot2(v2 a, v2 b)
{
    return a.x * b.x + a.y * b.y;
}
static double cross2(v2 a, v2 b)
{
    return a.x * b.y - a.y * b.x;
}

static void put_gradient(double *g, double sign, v2 c, double angle)
{
    g[0] = sign * c.x;
    g[1] = sign * c.y;
    g[2] = sign * angle;
}

static void eval_angle(const flx_frame2 *A, const flx_frame2 *B, flx_jet *j)
{
    j->value = B->angle - A->angle;
    j->g[0][2] = -1.0;
    j->g[1][2] = 1.0;
}

// a . (p_B - p_A) = a . u - a_0 . s_A, u = p_B - r_A, rho = p_B - r_B.
static void eval_plane(const flx_scalar *s, const flx_frame2 *A, const flx_frame2 *B, flx_jet *j)
{
    v2 a = turn(A, s->a[0]), b = turn(B, s->s[1]), h = {-a.y, a.x};
    v2 u = {B->x + b.x - A->x, B->y + b.y - A->y};
    j->value = dot2(a, u) - (s->a[0][0] * s->s[0][0] + s->a[0][1] * s->s[0][1]);
    put_gradient(j->g[1], 1.0, a, cross2(b, a));
    put_gradient(j->g[0], -1.0, a, -dot2(h, u));
    double(*K)[2][36] = j->K;
    const double hk[2] = {h.x, h.y};
    for (int k = 0; k < 2; k++) { // da = h dangle_A
        K[1][0][6 * k + 2] = K[0][1][12 + k] = hk[k];
        K[0][0][6 * k + 2] = K[0][0][12 + k] = -hk[k];
    }
    K[1][1][14] = -dot2(a, b);
    K[0][0][14] = -dot2(a, u);
    K[0][1][14] = K[1][0][14] = dot2(a, b);
}

// phi(d), d = p_B - p_A with gradient c and second derivative Q (symmetric: xx, xy, yy).
static void line_add(v2 c, const double Q[3], const v2 rho[2], int order, flx_jet *j)
{
    double J[2][2][3]; // d(d)/d(x, y, angle) of each body
    put_gradient(j->g[0], -1.0, c, cross2(rho[0], c));
    put_gradient(j->g[1], 1.0, c, cross2(rho[1], c));
    if (order < 2) return; // springs are many
    for (int i = 0; i < 2; i++) {
        double sign = i ? 1.0 : -1.0;
        const double Ji[2][3] = {{sign, 0, -sign * rho[i].y}, {0, sign, sign * rho[i].x}};
        memcpy(J[i], Ji, sizeof Ji);
    }
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            for (int r = 0; r < 3; r++) {
                double x = Q[0] * J[i][0][r] + Q[1] * J[i][1][r];
                double y = Q[1] * J[i][0][r] + Q[2] * J[i][1][r];
                for (int l = 0; l < 3; l++) {
                    j->K[i][k][6 * r + l] = x * J[k][0][l] + y * J[k][1][l];
                }
            }
        }
        j->K[i][i][14] += (i ? -1.0 : 1.0) * dot2(rho[i], c); // (ROW-5)
    }
}

static void eval_line(const flx_scalar *s, const flx_frame2 *A, const flx_frame2 *B, int order,
                      flx_jet *j)
{
    v2 rho[2] = {turn(A, s->s[0]), turn(B, s->s[1])};
    v2 d = {B->x + rho[1].x - A->x - rho[0].x, B->y + rho[1].y - A->y - rho[0].y};
    double l = sqrt(dot2(d, d)), L = s->length;
    if (s->kind == FLX_SCALAR_SQUARE2) {
        j->value = 0.5 * (dot2(d, d) - L * L) / L;
        line_add((v2){d.x / L, d.y / L}, (double[3]){1.0 / L, 0, 1.0 / L}, rho, order, j);
        return;
    }
    j->value = l;
    double i = l > 0 ? 1.0 / l : 0.0; // two places on one spot have no direction
    v2 n = {i * d.x, i * d.y};
    line_add(n, (double[3]){i * n.y * n.y, -i * n.x * n.y, i * n.x * n.x}, rho, order, j);
}

// (SCA-8) t . (velocity of the point P of B - of A), P = r_B + k = r_A + l, with the derivatives of
// t and k along the two angles: A_B = [t, k x t], A_A = [-t, -l x t].
static void slip_row(const flx_frame2 *A, const flx_frame2 *B, v2 t, v2 k, const v2 dt[2],
                     const v2 dk[2], flx_jet *j)
{
    v2 l = {B->x - A->x + k.x, B->y - A->y + k.y};
    put_gradient(j->g[1], 1.0, t, cross2(k, t));
    put_gradient(j->g[0], -1.0, t, cross2(l, t));
    for (int c = 0; c < 2; c++) {
        j->K[1][c][2] = dt[c].x;
        j->K[1][c][8] = dt[c].y;
        j->K[0][c][2] = -dt[c].x;
        j->K[0][c][8] = -dt[c].y;
        j->K[1][c][14] = cross2(dk[c], t) + cross2(k, dt[c]);
        j->K[0][c][14] = -cross2(dk[c], t) - cross2(l, dt[c]);
    }
    j->K[0][1][12] = -t.y;
    j->K[0][1][13] = t.x;
    j->K[0][0][12] = t.y;
    j->K[0][0][13] = -t.x;
}

static void eval_roll(const flx_scalar *s, const flx_frame2 *A, const flx_frame2 *B, flx_jet *j)
{
    v2 n = turn(A, s->a[0]), t = turn(A, s->a[1]), p = turn(B, s->s[1]);
    double r = s->length;
    v2 dt[2] = {{-t.y, t.x}, {0, 0}}, dk[2] = {{r * n.y, -r * n.x}, {-p.y, p.x}};
    j->value = 0.0;
    slip_row(A, B, t, (v2){p.x - r * n.x, p.y - r * n.y}, dt, dk, j);
}

static void eval_knife(const flx_scalar *s, const flx_frame2 *A, const flx_frame2 *B, flx_jet *j)
{
    v2 t = turn(B, s->b), p = turn(B, s->s[1]);
    v2 dt[2] = {{0, 0}, {-t.y, t.x}}, dk[2] = {{0, 0}, {-p.y, p.x}};
    j->value = 0.0;
    slip_row(A, B, t, p, dt, dk, j);
}

// Rows of joints are cheap enough to be computed whole whatever the order asked for; K is cleared
// only where it will be read.
void flx_scalar_eval2(const flx_scalar *s, const flx_frame2 *f, int order, flx_jet *j)
{
    const flx_frame2 *A = f + s->e.frame[0], *B = f + s->e.frame[1];
    if (s->kind == FLX_SCALAR_LENGTH2 || s->kind == FLX_SCALAR_SQUARE2) { // fills all of it
        eval_line(s, A, B, order, j);
        return;
    }
    memset(j->g, 0, sizeof j->g);
    if (order > 1) memset(j->K, 0, sizeof j->K);
    switch (s->kind) {
    case FLX_SCALAR_ANGLE2:
        eval_angle(A, B, j);
        break;
    case FLX_SCALAR_PLANE2:
        eval_plane(s, A, B, j);
        break;
    case FLX_SCALAR_ROLL2:
        eval_roll(s, A, B, j);
        break;
    default:
        eval_knife(s, A, B, j);
        break;
    }
}
