// bench_beam - a flexible pendulum in the plane by beams of large deformation: time an element and step,
// and how it grows with the elements.
//
//   L = 1 m, square section of 20 mm, E = 1e8 Pa, nu = 0.3, 1000 kg/m^3, pinned and released from the
//   horizontal; 1 s by generalized-alpha with steps of 1 ms and its default tolerance. Its tip is then
//   near (-0.9997, 0.0017).
//
// bench_beam FORMULATION ELEMENTS [UNTIL] runs one, bench_beam all of them, with the instructions an
// element and iteration where valgrind is there to count them.
#define BENCH "."
#include "bench_run.h"

#include <time.h>

static const char pendulum[] =
    "flexion: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  rod: {type: beam, formulation: %s, from: [0, 0], to: [1, 0], elements: %d,"
    " section: {width: 0.02, height: 0.02}, material: {E: 1e8, nu: 0.3, density: 1000}}\n"
    "joints:\n"
    "  pin: {type: revolute, on: [ground, rod], at: rod.start}\n"
    "simulate: {until: %g, method: generalized-alpha, step: 1e-3}\n"
    "outputs: {every: 1, signals: [rod.end.position, energy.total]}\n";

static int run(const char *formulation, int n, double until, bench_result *r)
{
    char text[2000];
    snprintf(text, sizeof text, pendulum, formulation, n, until);
    return bench_run(text, r);
}

// Seconds of the processor for the steps after the first, others may be busy, too; negative: it failed.
static double measure(const char *formulation, int n, bench_result *r)
{
    double seconds[2];
    for (int k = 0; k < 2; k++) {
        clock_t t0 = clock();
        if (!run(formulation, n, k ? 1.0 : 1e-3, r)) return -1.0;
        seconds[k] = (double)(clock() - t0) / CLOCKS_PER_SEC;
    }
    return seconds[1] - seconds[0];
}

// Instructions of the method's step for each element and iteration, from a short run.
static double count(const char *self, const char *formulation, int n)
{
    const double until = n > 1000 ? 0.005 : 0.05;
    char arguments[100];
    bench_result r;
    if (!run(formulation, n, until, &r)) return -1.0;
    snprintf(arguments, sizeof arguments, "%s %d %g", formulation, n, until);
    double millions = bench_count(self, arguments, "flx_integrator_step");
    return millions < 0 ? millions : 1e6 * millions / ((double)r.work.newton_iterations * n);
}

int main(int argc, char **argv)
{
    static const char *const formulations[] = {"geometrically-exact", "ancf-cable"};
    static const int elements[] = {10, 100, 1000, 10000};
    bench_result r;
    if (argc > 2) {
        if (!run(argv[1], atoi(argv[2]), argc > 3 ? atof(argv[3]) : 1.0, &r)) return 1;
        printf("steps %ld, iterations %ld, factorisations %ld\n", (long)r.work.steps,
               (long)r.work.newton_iterations, (long)r.work.factorisations);
        return 0;
    }
    printf("%-20s %8s %10s %12s %16s %8s %10s %10s\n", "formulation", "elements", "seconds",
           "us/el./step", "instr./el./iter.", "iter.", "tip x", "tip y");
    for (int f = 0; f < 2; f++) {
        for (int i = 0; i < 4; i++) {
            int n = elements[i];
            double seconds = measure(formulations[f], n, &r);
            if (seconds < 0) {
                printf("%-20s %8d %s\n", formulations[f], n, r.message);
                break;
            }
            double steps = (double)r.work.steps;
            printf("%-20s %8d %10.3f %12.3f ", formulations[f], n, seconds,
                   1e6 * seconds / ((steps - 1) * n));
            double each = count(argv[0], formulations[f], n);
            each < 0 ? printf("%16s", "-") : printf("%16.0f", each);
            printf(" %8.2f %10.5f %10.5f\n", (double)r.work.newton_iterations / steps, r.value[0],
                   r.value[1]);
            fflush(stdout);
        }
    }
    return 0;
}
