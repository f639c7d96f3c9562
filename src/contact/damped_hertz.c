// damped_hertz.c - the damping that a restitution needs.
//
// In the scales of the impact the law (DEM-1) is x'' = -max(0, x^(3/2) + sqrt 5 beta x^(1/4) x'), x(0) = 0, x'(0) = 1, whatever the masses and
// the speed; the two part where the bracket is zero, and x' there is -e.
#include "contact/damped_hertz.h"

#include <math.h>

static double push(double x, double v, double g)
{
    if (x <= 0.0) return 0.0;
    double q = sqrt(sqrt(x)), f = x * q * q + g * q * v;
    return f > 0.0 ? f : 0.0;
}

double flx_damped_hertz_restitution(double beta)
{
    const double h = 5e-4, g = sqrt(5.0) * beta;
    double x = 0.0, v = 1.0;
    for (int i = 0; i < 40000; i++) {
        double a1 = -push(x, v, g);
        double a2 = -push(x + 0.5 * h * v, v + 0.5 * h * a1, g);
        double a3 = -push(x + 0.5 * h * (v + 0.5 * h * a1), v + 0.5 * h * a2, g);
        double a4 = -push(x + h * (v + 0.5 * h * a2), v + h * a3, g);
        if (v < 0.0 && a1 == 0.0) break;
        x += h * v + h * h / 6.0 * (a1 + a2 + a3);
        v += h / 6.0 * (a1 + 2.0 * (a2 + a3) + a4);
    }
    return -v;
}

double flx_damped_hertz_beta(double e)
{
    double low = 0.0, high = 3.0;
    if (e >= 1.0) return 0.0;
    for (int i = 0; i < 60; i++) {
        double mid = 0.5 * (low + high);
        if (flx_damped_hertz_restitution(mid) > e) {
            low = mid;
        } else {
            high = mid;
        }
    }
    return 0.5 * (low + high);
}
