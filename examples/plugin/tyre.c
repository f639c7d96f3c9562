/* tyre.c - an external function as a plugin, for examples/plugin/braked_wheel.yaml:
 *     cc -O2 -shared -fPIC tyre.c -o tyre.so -lm
 *     flexion run braked_wheel.yaml --plugin ./tyre.so
 */
#include <math.h>
#include <stddef.h>

/* The force of a tyre over slip and load: it saturates at 1.2 of the load. slopes: NULL where they are not asked for.
 * Returns 0: the value alone, 1: slopes too, -1: there is none. */
int tyre(void *user, int n, const double *x, double *y, double *slopes)
{
    double s = tanh(8 * x[0]);
    (void)user;
    (void)n;
    *y = 1.2 * x[1] * s;
    if (slopes == NULL) return 0;
    slopes[0] = 1.2 * x[1] * 8 * (1 - s * s);
    slopes[1] = 1.2 * s;
    return 1;
}
