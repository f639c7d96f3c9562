// gap_motion.c - the equations (CON-4) of a point of two surfaces,
//     nu = a_1 + B_1 y_1 = a_2 - B_2 y_2,   y_2 - y_1 = gap nu - w,
// solved whatever the curvatures B are: 0 of a plane, infinite of a corner, 0 and infinite of an edge. Where
// y = A z, B y = D z, with A and D finite, the first two are linear in z.
#include "contact/gap_motion.h"

typedef struct m22 {
    double m[4];
} m22;

static const m22 one = {{1, 0, 0, 1}};

static m22 add(double s, m22 A, m22 B) // s A + B
{
    return (m22){
        {s * A.m[0] + B.m[0], s * A.m[1] + B.m[1], s * A.m[2] + B.m[2], s * A.m[3] + B.m[3]}};
}
static m22 mul(m22 A, m22 B)
{
    return (m22){{A.m[0] * B.m[0] + A.m[1] * B.m[2], A.m[0] * B.m[1] + A.m[1] * B.m[3],
                  A.m[2] * B.m[0] + A.m[3] * B.m[2], A.m[2] * B.m[1] + A.m[3] * B.m[3]}};
}
static void put(double out[4], m22 A)
{
    memcpy(out, A.m, sizeof A.m);
}
// false: there is none, the centres of curvature coincide.
static bool invert(m22 A, m22 *out)
{
    double det = A.m[0] * A.m[3] - A.m[1] * A.m[2], i = 1.0 / det;
    *out = (m22){{i * A.m[3], -i * A.m[1], -i * A.m[2], i * A.m[0]}};
    return isfinite(i);
}

// One surface: A and D of above, and the radii C = A D^-1 where it has no flat direction.
typedef struct side {
    m22 A, D, C;
    bool curved;
} side;

static m22 principal(double along, double across, double c, double s)
{
    double xy = (along - across) * c * s;
    return (m22){{along * c * c + across * s * s, xy, xy, along * s * s + across * c * c}};
}

static side side_of(const flx_curvature *b, const v3 t[2])
{
    double A[2], D[2], C[2], c = 1.0, s = 0.0;
    side out = {.curved = true};
    for (int i = 0; i < 2; i++) {
        bool flat = fabs(b->k[i]) <= 1.0;
        A[i] = flat ? 1.0 : 1.0 / b->k[i];
        D[i] = flat ? b->k[i] : 1.0;
        C[i] = 1.0 / b->k[i];
        if (!isfinite(C[i])) out.curved = false;
    }
    if (b->k[0] != b->k[1]) {
        v3 e = v3_load(b->e);
        c = v3_dot(e, t[0]);
        s = v3_dot(e, t[1]);
    }
    out.A = principal(A[0], A[1], c, s);
    out.D = principal(D[0], D[1], c, s);
    if (out.curved) out.C = principal(C[0], C[1], c, s);
    return out;
}

// Side j has radii C_j, i is the other; z of the first, -z of the second:
//     (A_i + E D_i) z = w - E a_i + C_j a_j,   E = C_j + gap,   nu = a_i + D_i z,   y_i = +-A_i z
static bool one_curved(const side s[2], int i, double gap, flx_shift_maps *out)
{
    const m22 none = {{0}};
    int j = 1 - i;
    double sign = i ? -1.0 : 1.0;
    m22 E = add(gap, one, s[j].C);
    m22 Z;
    if (!invert(add(1.0, s[i].A, mul(E, s[i].D)), &Z)) return false;
    const m22 z[3] = {Z, add(-1.0, mul(Z, E), none), mul(Z, s[j].C)};
    const int at[3] = {0, 1 + i, 1 + j}; // of w, a_i, a_j
    for (int k = 0; k < 3; k++) {
        m22 nu = add(1.0, mul(s[i].D, z[k]), k == 1 ? one : none);
        m22 y = add(sign, mul(s[i].A, z[k]), none);
        m22 other = add(sign * gap, nu, y);
        if (k == 0) other = add(-sign, one, other);
        put(out->nu[at[k]], nu);
        put(out->y[i][at[k]], y);
        put(out->y[j][at[k]], other);
    }
    return true;
}

enum { N = 4, RIGHT = 6, WIDTH = N + RIGHT };

// Gauss with pivots from the whole matrix; what has none is 0: along lines that lie on each other nothing is determined.
static void solve(double M[N][WIDTH], double x[N][RIGHT])
{
    int column[N] = {0, 1, 2, 3}, rank = N;
    double largest = 0.0;
    for (int k = 0; k < N; k++) {
        int r = k, c = k;
        for (int i = k; i < N; i++) {
            for (int j = k; j < N; j++) {
                if (fabs(M[i][j]) > fabs(M[r][c])) r = i, c = j;
            }
        }
        double pivot = fabs(M[r][c]);
        if (k == 0) largest = pivot;
        if (!(pivot > 1e-13 * largest)) {
            rank = k;
            break;
        }
        for (int j = 0; j < WIDTH; j++) {
            double h = M[k][j];
            M[k][j] = M[r][j];
            M[r][j] = h;
        }
        for (int i = 0; i < N; i++) {
            double h = M[i][k];
            M[i][k] = M[i][c];
            M[i][c] = h;
        }
        int h = column[k];
        column[k] = column[c];
        column[c] = h;
        for (int i = 0; i < N; i++) {
            double w = i == k ? 0.0 : M[i][k] / M[k][k];
            for (int j = k; w != 0.0 && j < WIDTH; j++) M[i][j] -= w * M[k][j];
        }
    }
    for (int k = 0; k < N; k++) {
        for (int j = 0; j < RIGHT; j++) x[column[k]][j] = k < rank ? M[k][N + j] / M[k][k] : 0.0;
    }
}

// Both have a flat direction, or something is not determined:
//     D_1 z + D_2 x = a_2 - a_1,   (A_1 + gap D_1) z - A_2 x = w - gap a_1
static void all_together(const side s[2], double gap, flx_shift_maps *out)
{
    m22 low = add(gap, s[0].D, s[0].A);
    double M[N][WIDTH] = {{0}}, x[N][RIGHT];
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            int at = 2 * i + j;
            M[i][j] = s[0].D.m[at];
            M[i][2 + j] = s[1].D.m[at];
            M[2 + i][j] = low.m[at];
            M[2 + i][2 + j] = -s[1].A.m[at];
        }
        M[i][N + 2 + i] = -1.0;
        M[i][N + 4 + i] = 1.0;
        M[2 + i][N + i] = 1.0;
        M[2 + i][N + 2 + i] = -gap;
    }
    solve(M, x);
    for (int k = 0; k < 3; k++) {
        m22 z = {{x[0][2 * k], x[0][2 * k + 1], x[1][2 * k], x[1][2 * k + 1]}};
        m22 u = {{x[2][2 * k], x[2][2 * k + 1], x[3][2 * k], x[3][2 * k + 1]}};
        put(out->nu[k], add(1.0, mul(s[0].D, z), k == 1 ? one : (m22){{0}}));
        put(out->y[0][k], mul(s[0].A, z));
        put(out->y[1][k], mul(s[1].A, u));
    }
}

void flx_shift_maps_find(const flx_touch *touch, const v3 t[2], flx_shift_maps *out)
{
    const side s[2] = {side_of(touch->bend, t), side_of(touch->bend + 1, t)};
    if (s[1].curved && one_curved(s, 0, touch->gap, out)) return;
    if (s[0].curved && one_curved(s, 1, touch->gap, out)) return;
    all_together(s, touch->gap, out);
}
