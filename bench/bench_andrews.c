// bench_andrews - digits against instructions on Andrews' squeezing mechanism, t = 0.03 s.
//
//   bench_andrews                       the table; counts by callgrind, where valgrind is there
//   bench_andrews MODEL METHOD RTOL     one run (MODEL: equations or bodies)
//
// The error is the worst relative one of the seven angles at the end; instructions are those of the
// integration alone (reading the model and finding the start are not in them). "closed" is the
// largest position residual at any step, in metres.
#include "bench_run.h"

#include <math.h>

// The end in quadruple precision: beta, Theta, gamma, Phi, delta, Omega, epsilon.
static const double reference[7] = {1.5810771195153707097e+01, -1.5756371058411839470e+01,
                                    4.0822240119645804858e-02, -5.3473011634207959377e-01,
                                    5.2440996587995406937e-01, 5.3473011634207959377e-01,
                                    1.0480807410419378731e+00};

// The example with other words for the run. The result is the caller's; NULL: no such file.
static char *model_text(const char *model, const char *method, double rtol)
{
    char path[400];
    int bodies = strcmp(model, "bodies") == 0;
    snprintf(path, sizeof path, "%s/andrews_%s.yaml", EXAMPLES, bodies ? "squeezer" : "equations");
    FILE *f = fopen(path, "r");
    enum { MOST = 20000 };
    char *text = f ? calloc(1, MOST + 2000) : NULL;
    if (text) fread(text, 1, MOST, f);
    if (f) fclose(f);
    char *end = text ? strstr(text, "\nsimulate:") : NULL;
    if (!end) return text;
    snprintf(end, 2000,
             "\nsimulate: {until: 0.03, method: %s, rtol: %g, atol: %g}\n"
             "outputs: {every: 0.03, signals: [%s, constraints]}\n",
             method, rtol, rtol,
             bodies ? "K1.angle, P12.angle, K3.angle, Phi, K5.angle, Omega, K7.angle"
                    : "be, th, ga, ph, de, om, ep");
    return text;
}

static int run(const char *model, const char *method, double rtol)
{
    char *text = model_text(model, method, rtol);
    bench_result r = {.message = "there is no such example"};
    int ran = text && bench_run(text, &r);
    if (ran) {
        double error = 1e-16;
        for (int i = 0; i < 7; i++) error = fmax(error, fabs(r.value[i] / reference[i] - 1.0));
        printf("%7.2f %8ld %8ld %9ld %9ld %10.1e", -log10(error), r.work.steps, r.work.rejected,
               r.work.residuals, r.work.factorisations, r.position_residual);
    } else {
        printf("  %s", r.message);
    }
    free(text);
    return !ran;
}

static void table(const char *self, const char *model, const char *method, int first, int last)
{
    for (int k = first; k <= last; k++) {
        double rtol = pow(10.0, -k);
        char arguments[200];
        snprintf(arguments, sizeof arguments, "%s '%s' %g", model, method, rtol);
        double M = bench_count(self, arguments, "flx_integrator_step");
        printf("%-10s %-7s %6.0e ", model, method, rtol);
        if (M < 0.0) {
            printf("%9s", "-");
        } else {
            printf("%9.2f", M);
        }
        run(model, method, rtol);
        printf("\n");
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    static const char *const methods[] = {"dopri5", "dop853", "radau", "adams", "bdf"};
    if (argc == 4) {
        int failed = run(argv[1], argv[2], atof(argv[3]));
        printf("\n");
        return failed;
    }
    printf("Andrews' squeezing mechanism, t = 0.03; M: million instructions of the integration\n");
    printf("%-10s %-7s %6s %9s %7s %8s %8s %9s %9s %10s\n", "model", "method", "rtol", "M",
           "digits", "steps", "rejected", "evals", "factors", "closed");
    for (int i = 0; i < 5; i++) table(argv[0], "equations", methods[i], 3, 12);
    table(argv[0], "equations", "radau, formulation: index-3", 3, 10);
    for (int i = 0; i < 2; i++) table(argv[0], "bodies", methods[i], 3, 12);
    printf("known: RADAU5 (index 3) 15 M for 4.4 digits, 24 M for 5.3; IDA (GGL) 81 M for 4.3;\n"
           "DOP853, drifting, 7 M for 4.7. The mark: 6 digits within 7 M, closed below 1e-12 m.\n");
    return 0;
}
