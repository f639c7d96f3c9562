// backward.c - growth of decaying motions under backward differences; see backward.h.
#include "analyse/grid/backward.h"

#include "math/complex_number.h"

#include <math.h>

#define MOST_ORDER 4
#define GROWTH 0.01 // over all steps, of the logarithm: less is no growth

// Whether all roots of p(z) = p[0] + .. + p[n] z^n are inside the unit circle (Schur and Cohn); p is overwritten.
static bool is_inside(int n, double complex *p)
{
    for (; n > 0; n--) {
        double complex first = p[0], last = p[n], reduced[MOST_ORDER];
        if (!(cabs(last) > cabs(first))) return false;
        for (int i = 0; i < n; i++) reduced[i] = conj(last) * p[i + 1] - first * conj(p[n - i - 1]);
        for (int i = 0; i < n; i++) p[i] = reduced[i];
    }
    return true;
}

bool flx_backward_grows(int order, double h, int steps, double re, double im)
{
    static const double b2[] = {1.5, -2.0, 0.5}, b4[] = {25.0 / 12.0, -4.0, 3.0, -4.0 / 3.0, 0.25};
    const double *b = order == 4 ? b4 : b2;
    double scale = exp(GROWTH / steps);
    double complex p[MOST_ORDER + 1];
    for (int k = 0; k <= order; k++) p[order - k] = pow(scale, order - k) * b[k];
    p[order] -= pow(scale, order) * h * flx_complex(re, im);
    return !is_inside(order, p);
}
