// profile.c - motions between points: polynomials from rest to rest, trapezoids of the speed.
#include "math/curve/profile.h"

#include <math.h>

static const double terms[4][10] = {{0, 0, 3, -2},
                                    {0, 0, 0, 10, -15, 6},
                                    {0, 0, 0, 0, 35, -84, 70, -20},
                                    {0, 0, 0, 0, 0, 126, -420, 540, -315, 70}};

const double *flx_profile_terms(int degree)
{
    return degree >= 3 && degree <= 9 && degree % 2 == 1 ? terms[(degree - 3) / 2] : NULL;
}

// s' = c z^m with z = x (1 - x), m = (degree - 1)/2; s'' = c m z^(m-1) (1 - 2 x),
// s''' = c m z^(m-2) ((m - 1) (1 - 4 z) - 2 z): their extremes are at the places below.
double flx_profile_peak(int degree, int which)
{
    int m = (degree - 1) / 2;
    double c = (m + 1) * terms[m - 1][m + 1];
    if (which == 1) return c * pow(0.25, m);
    if (which == 2) {
        return c * m * pow(0.25 * (1.0 - 1.0 / (2 * m - 1)), m - 1) / sqrt(2.0 * m - 1.0);
    }
    if (m == 1) return HUGE_VAL; // the acceleration jumps
    double peak = 0.0, places[] = {m == 2 ? 0.0 : (m - 2) / (4.0 * m - 2.0), 0.25};
    for (int i = 0; i < 2; i++) {
        double z = places[i];
        double jerk = c * m * pow(z, m - 2) * ((m - 1) * (1.0 - 4.0 * z) - 2.0 * z);
        peak = fmax(peak, fabs(jerk));
    }
    return peak;
}

// Tj: how long the jerk acts, Ta: how long the speed rises, Tv: how long it stays (PTH-3).
static void find_times(double v, double a, double j, double *Tj, double *Ta, double *Tv)
{
    bool jerky = isfinite(j);
    *Tj = jerky ? a / j : 0.0;
    *Ta = *Tj + v / a;
    if (jerky && v * j < a * a) { // the acceleration is not reached
        *Tj = sqrt(v / j);
        *Ta = 2.0 * *Tj;
    }
    *Tv = 1.0 / v - *Ta;
    if (*Tv > 0.0) return;
    *Tv = 0.0; // nor is the speed
    *Tj = jerky ? a / j : 0.0;
    *Ta = 0.5 * *Tj + sqrt(0.25 * *Tj * *Tj + 1.0 / a);
    if (jerky && *Ta < 2.0 * *Tj) {
        *Tj = cbrt(0.5 / j);
        *Ta = 2.0 * *Tj;
    }
}

int flx_profile_trapezoid(double speed, double acceleration, double jerk, double duration[7],
                          double jerks[7], double accelerations[7])
{
    double Tj, Ta, Tv;
    find_times(speed, acceleration, jerk, &Tj, &Ta, &Tv);
    double a = 1.0 / ((Ta + Tv) * (Ta - Tj)), j = Tj > 0.0 ? a / Tj : 0.0; // the way is 1 exactly
    const double d[7] = {Tj, Ta - 2.0 * Tj, Tj, Tv, Tj, Ta - 2.0 * Tj, Tj};
    const double js[7] = {j, 0, -j, 0, -j, 0, j}, as[7] = {0, a, a, 0, 0, -a, -a};
    int n = 0;
    for (int i = 0; i < 7; i++) {
        if (!(d[i] > 1e-12 * (2.0 * Ta + Tv))) continue;
        duration[n] = d[i];
        jerks[n] = js[i];
        accelerations[n++] = as[i];
    }
    return n;
}
