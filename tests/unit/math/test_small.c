// Vectors, rotations, the exponential map and its tangent: against series in long double,
// differences, and the group's own laws.
#include "check.h"
#include "math/small.h"
#include "math/spatial.h"
#include "random_number.h"

static double next_random(void)
{
    static uint64_t state = 42;
    return random_number(&state);
}

static v3 random_v3(double size)
{
    v3 a = v3_make(next_random(), next_random(), next_random());
    return v3_scale(size / v3_norm(a), a);
}

static double distance(v3 a, v3 b)
{
    return v3_norm(v3_sub(a, b));
}

static double distance_m33(m33 A, m33 B)
{
    double largest = 0;
    for (int i = 0; i < 9; i++) largest = fmax(largest, fabs(A.m[i] - B.m[i]));
    return largest;
}

// Angles around which the formulae change form, and general ones.
static const double angles[] = {0,      1e-160, 1e-12, 1e-7, 1e-4, 0.00999, 0.0101,
                                0.0999, 0.1001, 0.5,   1.3,  2.0,  3.0,     3.14};
enum { N_ANGLES = sizeof angles / sizeof angles[0] };

static int vectors_and_matrices(void)
{
    v3 a = v3_make(1, 2, 3), b = v3_make(-2, 0.5, 4);
    CHECK(v3_dot(a, b) == 11);
    v3 c = v3_cross(a, b);
    CHECK(c.x == 6.5 && c.y == -10 && c.z == 4.5);
    CHECK(distance(m33_mul_v(m33_skew(a), b), c) == 0);
    CHECK(distance(v3_axpy(2, a, b), v3_make(0, 4.5, 10)) == 0);
    m33 A, B;
    for (int i = 0; i < 9; i++) {
        A.m[i] = next_random();
        B.m[i] = next_random();
    }
    CHECK(distance(m33_tmul_v(A, b), m33_mul_v(m33_transpose(A), b)) < 1e-15);
    CHECK(distance_m33(m33_tmul(A, B), m33_mul(m33_transpose(A), B)) < 1e-15);
    CHECK(distance_m33(m33_mul_t(A, B), m33_mul(A, m33_transpose(B))) < 1e-15);
    CHECK(distance(m33_mul_v(m33_outer(a, b), c), v3_scale(v3_dot(b, c), a)) < 1e-12);
    CHECK(distance(m33_row(A, 1), m33_col(m33_transpose(A), 1)) == 0);
    CHECK(distance_m33(m33_from_cols(m33_col(A, 0), m33_col(A, 1), m33_col(A, 2)), A) == 0);
    v3 x = m33_mul_v(m33_mul(A, B), a), y = m33_mul_v(A, m33_mul_v(B, a));
    CHECK(distance(x, y) < 1e-14);
    return 0;
}

static int quaternion_and_matrix(void)
{
    for (int trial = 0; trial < 200; trial++) {
        quat p = quat_unit((quat){next_random(), next_random(), next_random(), next_random()});
        quat q = quat_unit((quat){next_random(), next_random(), next_random(), next_random()});
        if (trial < 4) { // each of the four parts the largest
            double part[4] = {1e-9, 1e-9, 1e-9, 1e-9};
            part[trial] = 1;
            p = quat_unit((quat){part[0], part[1], part[2], part[3]});
        }
        m33 R = quat_to_m33(p);
        CHECK(distance_m33(m33_tmul(R, R), m33_identity()) < 1e-15 * 8);
        CHECK(distance_m33(quat_to_m33(quat_mul(p, q)), m33_mul(R, quat_to_m33(q))) < 1e-14);
        CHECK(distance_m33(quat_to_m33(quat_conj(p)), m33_transpose(R)) < 1e-15);
        CHECK(distance_m33(quat_to_m33(quat_from_m33(R)), R) < 4e-15);
    }
    return 0;
}

// R = exp(theta~) by its power series in long double.
static m33 exp_series(v3 th)
{
    long double x = (long double)th.x, y = (long double)th.y, z = (long double)th.z;
    long double T[9] = {0, -z, y, z, 0, -x, -y, x, 0};
    long double term[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, sum[9], next[9];
    memcpy(sum, term, sizeof sum);
    for (int k = 1; k < 60; k++) {
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                long double s = 0;
                for (int l = 0; l < 3; l++) s += term[3 * i + l] * T[3 * l + j];
                next[3 * i + j] = s / k;
            }
        }
        memcpy(term, next, sizeof term);
        for (int i = 0; i < 9; i++) sum[i] += term[i];
    }
    m33 R;
    for (int i = 0; i < 9; i++) R.m[i] = (double)sum[i];
    return R;
}

static int exponential_and_logarithm(void)
{
    for (int k = 0; k < N_ANGLES; k++) {
        for (int trial = 0; trial < 20; trial++) {
            v3 th = angles[k] > 0 ? random_v3(angles[k]) : v3_make(0, 0, 0);
            quat q = quat_exp(th);
            CHECK(distance_m33(quat_to_m33(q), exp_series(th)) < 4e-15);
            CHECK_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-15);
            // near pi the angle is as sharp as the quaternion's small part
            CHECK(distance(quat_log(q), th) <= 1e-15 * (1 + 4 * angles[k]));
            quat minus = {-q.w, -q.x, -q.y, -q.z};
            CHECK(distance(quat_log(minus), th) <= 1e-15 * (1 + 4 * angles[k]));
        }
    }
    return 0;
}

// The coefficients by their series in long double.
static int tangent_coefficients(void)
{
    for (double p = 1e-5; p < 3; p *= 1.1) {
        long double angle = (long double)p, p2 = angle * angle, b1 = 0, b2 = 0, term = 0.5L;
        for (int k = 0; k < 30; k++) { // 1/2! - p^2/4! ..., 1/3! - p^2/5! ...
            b1 += term;
            b2 += term / (2 * k + 3);
            term *= -p2 / ((2 * k + 3) * (2 * k + 4));
        }
        double c1, c2;
        rot_tangent_coefficients(p * p, &c1, &c2);
        // 1 - cos p and p - sin p lose digits as p falls; at 0.1 it is two of them
        CHECK_NEAR(c1, (double)b1, 2e-14);
        CHECK_NEAR(c2, (double)b2, 4e-14);
        double inverse = (double)(1 / p2 - (1 + cosl(angle)) / (2 * angle * sinl(angle)));
        if (p > 1e-2) CHECK_NEAR(rot_tangent_inverse_coefficient(p * p), inverse, 1e-13);
    }
    return 0;
}

// w = B(theta) theta' against central differences of R^T R'.
static int tangent_against_differences(void)
{
    for (int k = 0; k < N_ANGLES; k++) {
        v3 th = angles[k] > 0 ? random_v3(angles[k]) : v3_make(0, 0, 0), u = random_v3(1);
        const double h = 1e-5;
        m33 forward = quat_to_m33(quat_exp(v3_axpy(h, u, th)));
        m33 backward = quat_to_m33(quat_exp(v3_axpy(-h, u, th)));
        m33 W = m33_tmul(quat_to_m33(quat_exp(th)), m33_scale(0.5 / h, m33_sub(forward, backward)));
        v3 w = v3_make(W.m[7], W.m[2], W.m[3]), v = rot_tangent(th, u);
        CHECK(distance(w, v) < 1e-9);
    }
    return 0;
}

static int tangent_inverse_and_transposes(void)
{
    for (int k = 0; k < N_ANGLES; k++) {
        for (int trial = 0; trial < 20; trial++) {
            v3 th = angles[k] > 0 ? random_v3(angles[k]) : v3_make(0, 0, 0);
            v3 u = random_v3(1), w = random_v3(1);
            CHECK(distance(rot_tangent_inverse(th, rot_tangent(th, u)), u) < 2e-12);
            CHECK(distance(rot_tangent(th, rot_tangent_inverse(th, u)), u) < 2e-12);
            CHECK(distance(rot_tangent_inverse_t(th, rot_tangent_t(th, u)), u) < 2e-12);
            CHECK_NEAR(v3_dot(w, rot_tangent(th, u)), v3_dot(rot_tangent_t(th, w), u), 1e-15 * 8);
            CHECK_NEAR(v3_dot(w, rot_tangent_inverse(th, u)),
                       v3_dot(rot_tangent_inverse_t(th, w), u), 1e-12);
            // the axis is left as it is
            CHECK(distance(rot_tangent(th, th), th) <= 1e-15 * angles[k]);
        }
    }
    return 0;
}

// Everywhere, near the multiples of a quarter turn too; far out it is the library's.
static int turns_to_their_last_digit(void)
{
    double most = 0;
    for (int i = 0; i < 400000; i++) {
        double quarter = floor(3e4 * next_random()) * acos(0.0), x = quarter + 1e-9 * next_random();
        if (i % 4 > 0) x = (i % 4 > 1 ? 4.0 : 9e4) * next_random();
        turn t = turn_of(x);
        most = fmax(most, (double)fabsl((long double)t.s - sinl((long double)x)));
        most = fmax(most, (double)fabsl((long double)t.c - cosl((long double)x)));
        CHECK(t.ss == t.s * t.s && t.cs == t.c * t.s);
    }
    CHECK_NEAR(most, 0.0, 1.5e-16);
    CHECK(turn_of(1e7).s == sin(1e7) && turn_of(0.0).c == 1.0 && turn_of(0.0).s == 0.0);
    CHECK(isnan(turn_of((double)NAN).s) && isnan(turn_of((double)INFINITY).c));
    return 0;
}

TEST_MAIN(TEST(vectors_and_matrices), TEST(quaternion_and_matrix), TEST(exponential_and_logarithm),
          TEST(tangent_coefficients), TEST(tangent_against_differences),
          TEST(tangent_inverse_and_transposes), TEST(turns_to_their_last_digit))
