// scalar.c - scalar functions of two frames in space. Equations as in scalar.h; X = -R s~ is the
// derivative of a point's place along a rotation about body axes.
#include "joint/scalar.h"
#include "base/common.h"
#include "contact/gap.h"
#include "math/curve/curve.h"

enum { VALUE, GRADIENT, SECOND };

static void add3(double *K, int r, int c, double w, m33 A)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) K[6 * (r + i) + c + j] += w * A.m[3 * i + j];
    }
}

static m33 double_skew(v3 a, v3 b) // a~ b~
{
    m33 A = m33_outer(b, a);
    double d = v3_dot(a, b);
    for (int i = 0; i < 3; i++) A.m[4 * i] -= d;
    return A;
}

static v3 place(const flx_frame *f, const double s[3])
{
    return v3_add(v3_load(f->r), m33_mul_v(m33_load(f->R), v3_load(s)));
}

// w (a_A . b_B) added to the jet.
typedef struct dot {
    double value;
    v3 gA, gB;
} dot;

static dot dot_gradient(const flx_frame *A, const flx_frame *B, v3 a, v3 b)
{
    m33 RA = m33_load(A->R), RB = m33_load(B->R);
    v3 bA = m33_tmul_v(RA, m33_mul_v(RB, b)), aB = m33_tmul_v(RB, m33_mul_v(RA, a));
    return (dot){v3_dot(a, bA), v3_cross(a, bA), v3_cross(b, aB)};
}

static void dot_add_gradient(flx_jet *j, double w, const dot *d)
{
    v3_add_to(j->g[0] + 3, w, d->gA);
    v3_add_to(j->g[1] + 3, w, d->gB);
}

// (ROW-4) with c = a
static void dot_add_second(flx_jet *j, double w, const flx_frame *A, const flx_frame *B, v3 a, v3 b)
{
    m33 RA = m33_load(A->R), RB = m33_load(B->R);
    v3 bA = m33_tmul_v(RA, m33_mul_v(RB, b)), aB = m33_tmul_v(RB, m33_mul_v(RA, a));
    m33 AB = m33_tmul(m33_mul(RA, m33_skew(a)), m33_mul(RB, m33_skew(b)));
    add3(j->K[0][0], 3, 3, w, double_skew(a, bA));
    add3(j->K[1][1], 3, 3, w, double_skew(b, aB));
    add3(j->K[0][1], 3, 3, w, AB);
    add3(j->K[1][0], 3, 3, w, m33_transpose(AB));
}

// K += w g h^T for gradients that have rotation parts only
static void dots_add_outer(flx_jet *j, double w, const dot *g, const dot *h)
{
    add3(j->K[0][0], 3, 3, w, m33_outer(g->gA, h->gA));
    add3(j->K[0][1], 3, 3, w, m33_outer(g->gA, h->gB));
    add3(j->K[1][0], 3, 3, w, m33_outer(g->gB, h->gA));
    add3(j->K[1][1], 3, 3, w, m33_outer(g->gB, h->gB));
}

static void eval_dot(const flx_scalar *s, const flx_frame *A, const flx_frame *B, int order,
                     flx_jet *j)
{
    v3 a = v3_load(s->a[0]), b = v3_load(s->b);
    dot d = dot_gradient(A, B, a, b);
    j->value = d.value;
    if (order >= GRADIENT) dot_add_gradient(j, 1.0, &d);
    if (order >= SECOND) dot_add_second(j, 1.0, A, B, a, b);
}

// (SCA-2) a . (p_B - p_A) = a_0 . (u_A - s_A),  u_A = R_A^T (p_B - r_A):
//     G_B = [a, s_B x R_B^T a],  G_A = [-a, a_0 x u_A]
static void eval_plane(const flx_scalar *s, const flx_frame *A, const flx_frame *B, int order,
                       flx_jet *j)
{
    m33 RA = m33_load(A->R), RB = m33_load(B->R);
    v3 a0 = v3_load(s->a[0]), sB = v3_load(s->s[1]), a = m33_mul_v(RA, a0);
    v3 uA = m33_tmul_v(RA, v3_sub(place(B, s->s[1]), v3_load(A->r)));
    j->value = v3_dot(a0, v3_sub(uA, v3_load(s->s[0])));
    if (order < GRADIENT) return;
    v3 aB = m33_tmul_v(RB, a);
    v3_add_to(j->g[0], -1.0, a);
    v3_add_to(j->g[0] + 3, 1.0, v3_cross(a0, uA));
    v3_add_to(j->g[1], 1.0, a);
    v3_add_to(j->g[1] + 3, 1.0, v3_cross(sB, aB));
    if (order < SECOND) return;
    m33 H = m33_scale(-1.0, m33_mul(RA, m33_skew(a0))); // da = H theta_A
    m33 X = m33_scale(-1.0, m33_mul(RB, m33_skew(sB))); // dp_B = X theta_B
    m33 HtX = m33_tmul(H, X);
    add3(j->K[1][0], 0, 3, 1.0, H);
    add3(j->K[0][0], 0, 3, -1.0, H);
    add3(j->K[0][1], 3, 0, 1.0, m33_transpose(H));
    add3(j->K[0][0], 3, 0, -1.0, m33_transpose(H));
    add3(j->K[0][1], 3, 3, 1.0, HtX);
    add3(j->K[1][0], 3, 3, 1.0, m33_transpose(HtX));
    add3(j->K[0][0], 3, 3, 1.0, double_skew(a0, uA));
    add3(j->K[1][1], 3, 3, 1.0, double_skew(sB, aB));
}

// (SCA-3) phi(d), d = p_B - p_A, with gradient c = dphi/dd and Q = dc/dd:
//     G = c^T J,  K = J^T Q J + (J^T)_q c,   J_B = [I, X_B], J_A = -[I, X_A]
static void line_add(const flx_scalar *s, const flx_frame *const f[2], v3 c, m33 Q, int order,
                     flx_jet *j)
{
    m33 X[2];
    for (int i = 0; i < 2; i++) {
        double sign = i ? 1.0 : -1.0;
        v3 p = v3_load(s->s[i]), cb = m33_tmul_v(m33_load(f[i]->R), c);
        v3_add_to(j->g[i], sign, c);
        v3_add_to(j->g[i] + 3, sign, v3_cross(p, cb));
        if (order < SECOND) continue;
        X[i] = m33_scale(-1.0, m33_mul(m33_load(f[i]->R), m33_skew(p)));
        add3(j->K[i][i], 3, 3, sign, double_skew(p, cb));
    }
    if (order < SECOND) return;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            double w = i == k ? 1.0 : -1.0;
            add3(j->K[i][k], 0, 0, w, Q);
            add3(j->K[i][k], 0, 3, w, m33_mul(Q, X[k]));
            add3(j->K[i][k], 3, 0, w, m33_tmul(X[i], Q));
            add3(j->K[i][k], 3, 3, w, m33_tmul(X[i], m33_mul(Q, X[k])));
        }
    }
}

static void eval_length(const flx_scalar *s, const flx_frame *A, const flx_frame *B, int order,
                        flx_jet *j)
{
    v3 d = v3_sub(place(B, s->s[1]), place(A, s->s[0]));
    double l = v3_norm(d);
    j->value = l;
    if (order < GRADIENT) return;
    // Two places on one spot have no direction: no gradient, so no force along the line.
    double inverse = l > 0 ? 1.0 / l : 0.0;
    v3 c = v3_scale(inverse, d);
    m33 Q = m33_scale(inverse, m33_sub(m33_identity(), m33_outer(c, c)));
    line_add(s, (const flx_frame *const[2]){A, B}, c, Q, order, j);
}

static void eval_square(const flx_scalar *s, const flx_frame *A, const flx_frame *B, int order,
                        flx_jet *j)
{
    v3 d = v3_sub(place(B, s->s[1]), place(A, s->s[0]));
    double L = s->length;
    j->value = 0.5 * (v3_dot(d, d) - L * L) / L;
    if (order < GRADIENT) return;
    m33 Q = m33_scale(1.0 / L, m33_identity());
    line_add(s, (const flx_frame *const[2]){A, B}, v3_scale(1.0 / L, d), Q, order, j);
}

// (SCA-4) phi = atan2(y, x), y = y_A . x_B, x = x_A . x_B, on the branch next to the last accepted
// angle: continuous as long as the joint turns less than half a turn a step.
static void eval_angle(const flx_scalar *s, const flx_frame *A, const flx_frame *B,
                       const double *switches, int order, flx_jet *j)
{
    v3 xA = v3_load(s->a[0]), yA = v3_load(s->a[1]), xB = v3_load(s->b);
    dot y = dot_gradient(A, B, yA, xB), x = dot_gradient(A, B, xA, xB);
    double last = s->turn >= 0 ? switches[s->turn] : 0.0;
    const double turn = 2.0 * FLX_PI;
    double phi = atan2(y.value, x.value);
    j->value = phi + turn * round((last - phi) / turn);
    if (order < GRADIENT) return;
    double q = 1.0 / (x.value * x.value + y.value * y.value);
    double py = x.value * q, px = -y.value * q;
    dot_add_gradient(j, py, &y);
    dot_add_gradient(j, px, &x);
    if (order < SECOND) return;
    double pxy = q * q * (y.value * y.value - x.value * x.value);
    double pxx = 2.0 * q * q * x.value * y.value;
    dot_add_second(j, py, A, B, yA, xB);
    dot_add_second(j, px, A, B, xA, xB);
    dots_add_outer(j, pxx, &x, &x);
    dots_add_outer(j, -pxx, &y, &y);
    dots_add_outer(j, pxy, &x, &y);
    dots_add_outer(j, pxy, &y, &x);
}

// (SCA-11) acos c, c = a_A . b_B: phi_c = -1/h, phi_cc = -c/h^3, h = sqrt(1 - c^2). Along itself it has no direction to turn in.
static void eval_swing(const flx_scalar *s, const flx_frame *A, const flx_frame *B, int order,
                       flx_jet *j)
{
    v3 a = v3_load(s->a[0]), b = v3_load(s->b);
    dot d = dot_gradient(A, B, a, b);
    double h = v3_norm(d.gA), inverse = h > 0.0 ? 1.0 / h : 0.0; // |a x b|
    j->value = atan2(h, d.value);
    if (order >= GRADIENT) dot_add_gradient(j, -inverse, &d);
    if (order < SECOND) return;
    dot_add_second(j, -inverse, A, B, a, b);
    dots_add_outer(j, -d.value * inverse * inverse * inverse, &d, &d);
}

// (SCA-5) n . (p_B - p_A) - r h,  h = sqrt(1 - c^2), c = n . u: the lowest rim point is on the plane.
static void eval_touch(const flx_scalar *s, const flx_frame *A, const flx_frame *B, int order,
                       flx_jet *j)
{
    v3 n = v3_load(s->a[0]), u = v3_load(s->b);
    eval_plane(s, A, B, order, j);
    dot c = dot_gradient(A, B, n, u);
    double r = s->length, h = sqrt(1.0 - c.value * c.value);
    j->value -= r * h;
    if (order < GRADIENT) return;
    dot_add_gradient(j, r * c.value / h, &c);
    if (order < SECOND) return;
    dot_add_second(j, r * c.value / h, A, B, n, u);
    dots_add_outer(j, r / (h * h * h), &c, &c);
}

// (SCA-6) rho = -r e,  e = (n - c u)/h: from the centre to the lowest rim point. EA, EB: its
// derivatives along rotations of the two bodies, both in ground axes.
static v3 rim(const flx_scalar *s, const flx_frame *A, const flx_frame *B, m33 *EA, m33 *EB)
{
    v3 n = m33_mul_v(m33_load(A->R), v3_load(s->a[0]));
    v3 u = m33_mul_v(m33_load(B->R), v3_load(s->b));
    double c = v3_dot(n, u), h = sqrt(1.0 - c * c), r = s->length;
    v3 e = v3_scale(1.0 / h, v3_axpy(-c, u, n));
    v3 m = v3_cross(n, u);
    m33 T = m33_sub(m33_scale(c / (h * h), m33_outer(e, m)), m33_scale(1.0 / h, m33_outer(u, m)));
    *EA = m33_scale(-r, m33_sub(T, m33_scale(1.0 / h, m33_skew(n))));
    *EB = m33_scale(-r, m33_sub(m33_scale(c / h, m33_skew(u)), T));
    return v3_scale(-r, e);
}

// (SCA-7) row A of t . (velocity of the point P of B - velocity of the point P of A), where P = r_B
// + k, t a direction: A_B = [t, R_B^T (k x t)], A_A = [-t, -R_A^T (l x t)], l = P - r_A; with
// derivatives of t and k along the two rotations (ground axes): dt = T_A, T_B, dk = k_A, k_B.
static void slip_row(const flx_frame *A, const flx_frame *B, v3 t, v3 k, const m33 dt[2],
                     const m33 dk[2], int order, flx_jet *j)
{
    m33 R[2] = {m33_load(A->R), m33_load(B->R)};
    v3 l = v3_add(v3_sub(v3_load(B->r), v3_load(A->r)), k);
    v3 m[2] = {v3_cross(l, t), v3_cross(k, t)};
    v3 arm[2] = {l, k};
    for (int i = 0; i < 2; i++) {
        double sign = i ? 1.0 : -1.0;
        v3_add_to(j->g[i], sign, t);
        v3_add_to(j->g[i] + 3, sign, m33_tmul_v(R[i], m[i]));
        if (order < SECOND) continue;
        for (int c = 0; c < 2; c++) { // along the rotation of body c
            add3(j->K[i][c], 0, 3, sign, m33_mul(dt[c], R[c]));
            m33 dm = m33_sub(m33_mul(m33_skew(arm[i]), dt[c]), m33_mul(m33_skew(t), dk[c]));
            if (i == c) dm = m33_add(dm, m33_skew(m[i])); // R_i^T turns too
            add3(j->K[i][c], 3, 3, sign, m33_tmul(R[i], m33_mul(dm, R[c])));
        }
    }
    if (order < SECOND) return;
    m33 dm = m33_tmul(R[0], m33_skew(t)); // l depends on the places of both
    add3(j->K[0][1], 3, 0, 1.0, dm);
    add3(j->K[0][0], 3, 0, -1.0, dm);
}

static void eval_roll(const flx_scalar *s, const flx_frame *A, const flx_frame *B, int order,
                      flx_jet *j)
{
    m33 EA, EB;
    v3 rho = rim(s, A, B, &EA, &EB);
    v3 t = m33_mul_v(m33_load(A->R), v3_load(s->a[1]));
    v3 p = m33_mul_v(m33_load(B->R), v3_load(s->s[1]));
    m33 dt[2] = {m33_scale(-1.0, m33_skew(t)), m33_zero()};
    m33 dk[2] = {EA, m33_sub(EB, m33_skew(p))};
    j->value = 0.0;
    slip_row(A, B, t, v3_add(p, rho), dt, dk, order, j);
}

static void eval_knife(const flx_scalar *s, const flx_frame *A, const flx_frame *B, int order,
                       flx_jet *j)
{
    v3 t = m33_mul_v(m33_load(B->R), v3_load(s->b));
    v3 p = m33_mul_v(m33_load(B->R), v3_load(s->s[1]));
    m33 dt[2] = {m33_zero(), m33_scale(-1.0, m33_skew(t))};
    m33 dk[2] = {m33_zero(), m33_scale(-1.0, m33_skew(p))};
    j->value = 0.0;
    slip_row(A, B, t, p, dt, dk, order, j);
}

// The frame whose x and y axes are given.
static m33 frame_of(const double x[3], const double y[3])
{
    v3 z = v3_cross(v3_load(x), v3_load(y));
    return (m33){{x[0], y[0], z.x, x[1], y[1], z.y, x[2], y[2], z.z}};
}

// (SCA-9) b . th: G_i = G_i^T b of (BUS-2), and with (BUS-4) K_ij = d(G_i^T b)/dth G_j.
static void eval_twist(const flx_scalar *s, const flx_frame *A, const flx_frame *B, int order,
                       flx_jet *j)
{
    m33 F[2] = {frame_of(s->a[0], s->a[1]), frame_of(s->s[0], s->s[1])};
    v3 b = v3_load(s->b);
    flx_rotation_vector r;
    flx_rotation_vector_eval(A, B, F[0], F[1], &r);
    j->value = v3_dot(b, r.th);
    if (order < GRADIENT) return;
    for (int i = 0; i < 2; i++) v3_add_to(j->g[i] + 3, 1.0, m33_tmul_v(r.G[i], b));
    if (order < SECOND) return;
    for (int i = 0; i < 2; i++) {
        m33 turn = m33_mul(F[i], flx_rotation_vector_slope(r.th, b, i ? -1.0 : 1.0));
        for (int k = 0; k < 2; k++) {
            add3(j->K[i][k], 3, 3, i ? 1.0 : -1.0, m33_mul(turn, r.G[k]));
        }
    }
}

// (SCA-12) with Q = F_A^T F_B: atan2(Q_yx - Q_xy, Q_xx + Q_yy). Its rate is that of w = (a + b)/(1 + a.b) along the relative angular velocity, a and b the two z
// axes.
static void eval_turn(const flx_scalar *s, const flx_frame *A, const flx_frame *B, int order,
                      flx_jet *j)
{
    m33 R[2] = {m33_load(A->R), m33_load(B->R)};
    m33 F[2] = {m33_mul(R[0], frame_of(s->a[0], s->a[1])),
                m33_mul(R[1], frame_of(s->s[0], s->s[1]))};
    m33 Q = m33_tmul(F[0], F[1]);
    v3 z[2];
    j->value = atan2(Q.m[3] - Q.m[1], Q.m[0] + Q.m[4]);
    if (order < GRADIENT) return;
    for (int i = 0; i < 2; i++) z[i] = v3_make(F[i].m[2], F[i].m[5], F[i].m[8]);
    double near = 1.0 + v3_dot(z[0], z[1]), part = near > 0.0 ? 1.0 / near : 0.0;
    v3 w = v3_scale(part, v3_add(z[0], z[1])), across = v3_cross(z[0], z[1]);
    for (int i = 0; i < 2; i++) v3_add_to(j->g[i] + 3, i ? 1.0 : -1.0, m33_tmul_v(R[i], w));
    if (order < SECOND) return;
    for (int k = 0; k < 2; k++) { // dw along the rotation of body k, ground axes
        m33 T = m33_sub(m33_scale(k ? part : -part, m33_outer(w, across)),
                        m33_scale(part, m33_skew(z[k])));
        for (int i = 0; i < 2; i++) {
            m33 dw = i == k ? m33_add(T, m33_skew(w)) : T; // R_i^T turns too
            add3(j->K[i][k], 3, 3, i ? 1.0 : -1.0, m33_tmul(R[i], m33_mul(dw, R[k])));
        }
    }
}

static void eval_contact(const flx_scalar *s, flx_frames f, int order, flx_jet *j)
{
    bool depth = s->kind == FLX_SCALAR_GAP;
    j->value = 0.0;
    if (f.plane) {
        const flx_frame2 *A = f.plane + s->e.frame[0], *B = f.plane + s->e.frame[1];
        if (depth)
            flx_gap_depth2(s->gap, A, B, s->e.nv, order, &j->value, j->g, j->K);
        else if (s->along > 1)
            flx_gap_turn2(s->gap, A, B, s->e.nv, order, j->g, j->K);
        else
            flx_gap_slip2(s->gap, A, B, s->e.nv, order, j->g, j->K);
    } else {
        const flx_frame *A = f.space + s->e.frame[0], *B = f.space + s->e.frame[1];
        if (depth)
            flx_gap_depth(s->gap, A, B, s->e.nv, order, &j->value, j->g, j->K);
        else if (s->along > 1)
            flx_gap_turn(s->gap, A, B, s->e.nv, s->along - 2, order, j->g, j->K);
        else
            flx_gap_slip(s->gap, A, B, s->e.nv, s->along, order, j->g, j->K);
    }
    j->value -= s->offset;
}

// (SCA-10) phi(x), x = R_A^T (p_B - p_A): with a = phi_x it is as the plane of (SCA-2), and
//     K += J^T phi_xx J,   J_A = [-R_A^T, x~ + s_A~],  J_B = [R_A^T, -R_A^T R_B s_B~]
static void curve_jet(const flx_scalar *s, const flx_frame *A, const flx_frame *B, double from,
                      int order, flx_jet *j)
{
    flx_curve_jet c;
    m33 RA = m33_load(A->R), Rt = m33_transpose(RA);
    v3 u = m33_mul_v(Rt, v3_sub(place(B, s->s[1]), v3_load(A->r)));
    flx_curve_function(s->curve, s->along, v3_sub(u, v3_load(s->s[0])), from, &c);
    flx_scalar plane = *s;
    v3_store(plane.a[0], c.g);
    eval_plane(&plane, A, B, order, j);
    j->value = c.value;
    if (order < SECOND) return;
    m33 X = m33_mul(m33_mul(Rt, m33_load(B->R)), m33_skew(v3_load(s->s[1])));
    const m33 J[2][2] = {{m33_scale(-1.0, Rt), m33_skew(u)}, {Rt, m33_scale(-1.0, X)}};
    for (int i = 0; i < 4; i++) {
        m33 left = m33_tmul(J[i / 2][i % 2], c.H);
        for (int k = 0; k < 4; k++) {
            add3(j->K[i / 2][k / 2], 3 * (i % 2), 3 * (k % 2), 1.0, m33_mul(left, J[k / 2][k % 2]));
        }
    }
}

static void eval_curve(const flx_scalar *s, flx_frames f, const double *switches, int order,
                       flx_jet *j)
{
    double from = s->turn >= 0 && switches ? switches[s->turn] : (double)NAN;
    if (order >= GRADIENT) memset(j->g, 0, sizeof j->g);
    if (order >= SECOND) memset(j->K, 0, sizeof j->K);
    if (f.plane) {
        flx_frame A = flx_frame_of_plane(f.plane + s->e.frame[0]);
        flx_frame B = flx_frame_of_plane(f.plane + s->e.frame[1]);
        curve_jet(s, &A, &B, from, order, j);
        flx_jet_of_plane(order, j->g, j->K);
    } else {
        curve_jet(s, f.space + s->e.frame[0], f.space + s->e.frame[1], from, order, j);
    }
    j->value -= s->offset;
}

static void eval(const flx_scalar *s, flx_frames f, const double *switches, int order, flx_jet *j)
{
    if (s->kind == FLX_SCALAR_CURVE) {
        eval_curve(s, f, switches, order, j);
        return;
    }
    if (s->kind >= FLX_SCALAR_ANGLE2) {
        flx_scalar_eval2(s, f.plane, order, j);
        j->value -= s->offset;
        return;
    }
    if (s->kind == FLX_SCALAR_GAP || s->kind == FLX_SCALAR_SLIP) {
        eval_contact(s, f, order, j);
        return;
    }
    if (order >= GRADIENT) memset(j->g, 0, sizeof j->g);
    if (order >= SECOND) memset(j->K, 0, sizeof j->K);
    const flx_frame *A = f.space + s->e.frame[0], *B = f.space + s->e.frame[1];
    switch (s->kind) {
    case FLX_SCALAR_DOT:
        eval_dot(s, A, B, order, j);
        break;
    case FLX_SCALAR_PLANE:
        eval_plane(s, A, B, order, j);
        break;
    case FLX_SCALAR_LENGTH:
        eval_length(s, A, B, order, j);
        break;
    case FLX_SCALAR_SQUARE:
        eval_square(s, A, B, order, j);
        break;
    case FLX_SCALAR_ANGLE:
        eval_angle(s, A, B, switches, order, j);
        break;
    case FLX_SCALAR_TOUCH:
        eval_touch(s, A, B, order, j);
        break;
    case FLX_SCALAR_ROLL:
        eval_roll(s, A, B, order, j);
        break;
    case FLX_SCALAR_KNIFE:
        eval_knife(s, A, B, order, j);
        break;
    case FLX_SCALAR_TWIST:
        eval_twist(s, A, B, order, j);
        break;
    case FLX_SCALAR_SWING:
        eval_swing(s, A, B, order, j);
        break;
    case FLX_SCALAR_TURN:
        eval_turn(s, A, B, order, j);
        break;
    default:
        break;
    }
    j->value -= s->offset;
}

void flx_scalar_value(const flx_scalar *s, flx_frames f, const double *switches, flx_jet *j)
{
    eval(s, f, switches, VALUE, j);
}

void flx_scalar_gradient(const flx_scalar *s, flx_frames f, const double *switches, flx_jet *j)
{
    eval(s, f, switches, GRADIENT, j);
}

void flx_scalar_jet(const flx_scalar *s, flx_frames f, const double *switches, flx_jet *j)
{
    eval(s, f, switches, SECOND, j);
}

double flx_jet_rate(const flx_scalar *s, const flx_jet *j, const double *v)
{
    double sum = 0.0;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < s->e.nv[i]; k++) sum += j->g[i][k] * v[s->e.v[i] + k];
    }
    return sum;
}

void flx_jet_rate_gradient(const flx_scalar *s, const flx_jet *j, const double *v, double out[2][6])
{
    memset(out, 0, 2 * sizeof out[0]);
    for (int i = 0; i < 2; i++) {
        for (int r = 0; r < s->e.nv[i]; r++) {
            double vr = v[s->e.v[i] + r];
            for (int k = 0; k < 2; k++) {
                for (int c = 0; c < s->e.nv[k]; c++) out[k][c] += vr * j->K[i][k][6 * r + c];
            }
        }
    }
}

double flx_jet_bias(const flx_scalar *s, const flx_jet *j, const double *v)
{
    double h[2][6], sum = 0.0;
    flx_jet_rate_gradient(s, j, v, h);
    for (int k = 0; k < 2; k++) {
        for (int c = 0; c < s->e.nv[k]; c++) sum += h[k][c] * v[s->e.v[k] + c];
    }
    return sum;
}

void flx_jet_add_force(const flx_scalar *s, const flx_jet *j, double f, double *force)
{
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < s->e.nv[i]; k++) force[s->e.v[i] + k] += f * j->g[i][k];
    }
}

void flx_jet_add_stiffness(const flx_scalar *s, const flx_jet *j, double k, double *A)
{
    for (int i = 0; i < 2; i++) {
        for (int l = 0; l < 2; l++) {
            int nr = s->e.nv[i], nc = s->e.nv[l];
            double *out = A + s->e.block[i][l];
            for (int r = 0; r < nr; r++) {
                for (int c = 0; c < nc; c++) out[nc * r + c] += k * j->K[i][l][6 * r + c];
            }
        }
    }
}

void flx_jet_add_bent(const flx_scalar *s, const flx_jet *j, double k, double (*h)[6], double *A)
{
    for (int i = 0; i < 2; i++) {
        for (int l = 0; l < 2; l++) {
            int nr = s->e.nv[i], nc = s->e.nv[l];
            double *out = A + s->e.block[i][l];
            for (int r = 0; r < nr; r++) {
                const double *K = j->K[i][l] + 6 * r;
                double g = j->g[i][r];
                for (int c = 0; c < nc; c++) out[nc * r + c] += k * K[c] + g * h[l][c];
            }
        }
    }
}

void flx_jet_add_outer(const flx_scalar *s, const flx_jet *j, double k, double (*h)[6], double *A)
{
    for (int i = 0; i < 2; i++) {
        for (int l = 0; l < 2; l++) {
            int nr = s->e.nv[i], nc = s->e.nv[l];
            double *out = A + s->e.block[i][l];
            for (int r = 0; r < nr; r++) {
                double kg = k * j->g[i][r];
                for (int c = 0; c < nc; c++) out[nc * r + c] += kg * h[l][c];
            }
        }
    }
}

void flx_scalar_add_row(const flx_scalar *s, const flx_row_place *p, double c, double (*h)[6],
                        double *A)
{
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < s->e.nv[i]; k++) A[p->g[i] + k] += c * h[i][k];
    }
}

void flx_scalar_add_column(const flx_scalar *s, const flx_row_place *p, double c, double (*h)[6],
                           double *A)
{
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < s->e.nv[i]; k++) A[p->gt[i] + p->width * k] += c * h[i][k];
    }
}
