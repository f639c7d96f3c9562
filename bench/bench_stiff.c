// bench_stiff - digits, steps, instructions and time on stiff problems, beside published figures and, in one
// interleaved run on the same equations, SUNDIALS and SciPy.
//
//   bench_stiff                      the tables; counts by callgrind, where valgrind is there
//   bench_stiff CASE VALUE OPTIONS   one run: CASE van-der-pol, spring, rod or oscillator, VALUE its eps,
//                                    delta, d or stiffness, OPTIONS the words of `simulate`
//   bench_stiff cvode RTOL           van der Pol's equation by CVODE
//
//   van-der-pol: y' = z, eps z' = (1 - y^2) z - y, y(0) = 2, z(0) = 0, to t = 2.
//   spring: a unit mass on a spring of stiffness 1/delta^2, a constraint that gives way, to t = 10.
//   rod: a rod on a joint with damping d, the force mixed, to t = 1.
//   oscillator: x'' = -k x, for what a step of one degree of freedom costs.
// Instructions are those of the steps alone.
#include "bench_run.h"

#include <math.h>
#include <time.h>
#ifdef BENCH_SUNDIALS
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#endif

static const char van_der_pol_text[] = //
    "flexion: 1\n"
    "parameters: {eps: %.17g}\n"
    "equations:\n"
    "  first_order:\n"
    "    y: {at: 2, derivative: z}\n"
    "    z: {at: 0, derivative: ((1 - y^2)*z - y)/eps}\n"
    "simulate: {until: 2, %s}\n"
    "outputs: {times: [2], signals: [y, z]}\n";

static const char spring_text[] =
    "flexion: 1\n"
    "parameters: {delta: %.17g}\n"
    "equations:\n"
    "  second_order:\n"
    "    x: {at: 1, mass: 1, force: 0}\n"
    "    y: {at: 0, mass: 1, force: -1}\n"
    "  constraints: {s: {value: sqrt(x^2 + y^2) - 1, compliance: delta^2}}\n"
    "simulate: {until: 10, %s}\n"
    "outputs: {times: [10], signals: [x, y]}\n";

static const char rod_text[] =
    "flexion: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {m: 1, l: 1, r: 0.01, k: 1e5, d: %.17g, psi: 2*pi/9}\n"
    "bodies:\n"
    "  rod:\n"
    "    type: rigid\n"
    "    mass: m\n"
    "    inertia: [0.4*m*r^2, 0.4*m*r^2, 0.4*m*r^2]\n"
    "    position: [sin(psi), -cos(psi), 0]\n"
    "    orientation: {axis: [0, 0, 1], angle: psi}\n"
    "    points: {P2: [0, l, 0]}\n"
    "forces:\n"
    "  joint: {type: bushing, on: [ground, rod], at: [[0, 0, 0], rod.P2], stiffness: [k, k, k],\n"
    "          damping: [d, d, d], form: mixed}\n"
    "simulate: {until: 1, %s}\n"
    "outputs: {times: [1], signals: [rod.position.x, rod.position.y]}\n";

static const char oscillator_text[] =
    "flexion: 1\n"
    "parameters: {k: %.17g}\n"
    "equations: {second_order: {x: {at: 1, mass: 1, force: -k*x}}}\n"
    "simulate: {until: 10, %s}\n"
    "outputs: {times: [10], signals: [x]}\n";

// The end for a value of the parameter; none: not compared.
typedef struct ending {
    double value;
    int n;
    double end[2];
} ending;

static const ending van_der_pol_ends[] = {{1e-6, 2, {1.706167732170483, -0.8928097010247975}}};
static const ending spring_ends[] = {{1e-3, 2, {-0.8115763726510980, -0.5842493447457151}},
                                     {1e-4, 2, {-0.8115863454577213, -0.5842325212794389}},
                                     {1e-5, 2, {-0.8115864451839, -0.5842323530447}},
                                     {1e-6, 2, {-0.8115864461812, -0.5842323513624}},
                                     {0.0, 2, {-0.81158644619130383, -0.58423235134539570}}};
static const ending rod_ends[] = {{1e4, 2, {-0.63989197540165429, -0.76857723500142306}},
                                  {1e5, 2, {-0.63988585790719615, -0.76853798880455706}},
                                  {1e6, 2, {-0.63990875578917772, -0.76846033539706962}},
                                  {1e7, 2, {-0.63991197770644930, -0.76844919324975406}},
                                  {1e8, 2, {-0.63991231109202044, -0.76844803651479697}},
                                  {1e10, 2, {-0.63991234789, -0.76844790879}}};

typedef struct problem {
    const char *name, *text;
    const ending *ends;
    int nend;
} problem;

static const problem problems[] = {
    {"van-der-pol", van_der_pol_text, van_der_pol_ends, 1},
    {"spring", spring_text, spring_ends, 5},
    {"rod", rod_text, rod_ends, 6},
    {"oscillator", oscillator_text, NULL, 0},
};
enum { VAN_DER_POL, SPRING, ROD, OSCILLATOR, PROBLEMS };

// ---- one run ------------------------------------------------------------------------------------

static double digits(const problem *p, double value, const double *found)
{
    double error = 1e-16;
    for (int i = 0; i < p->nend; i++) {
        const ending *e = &p->ends[i];
        if (e->value != value) continue;
        for (int k = 0; k < e->n; k++) error = fmax(error, fabs(found[k] / e->end[k] - 1.0));
        return -log10(error);
    }
    return nan("");
}

static int run(const problem *p, double value, const char *options, bench_result *r)
{
    char text[4000];
    snprintf(text, sizeof text, p->text, value, options);
    return bench_run(text, r);
}

static int run_alone(const char *name, double value, const char *options)
{
    for (int i = 0; i < PROBLEMS; i++) {
        bench_result r;
        if (strcmp(problems[i].name, name) != 0) continue;
        int ran = run(&problems[i], value, options, &r);
        printf("%.2f digits, %ld + %ld steps, %ld evaluations %s\n",
               digits(&problems[i], value, r.value), r.work.steps, r.work.rejected,
               r.work.residuals, r.message);
        return !ran;
    }
    fprintf(stderr, "bench_stiff: there is no case '%s'\n", name);
    return 1;
}

static void print_millions(double M)
{
    if (M < 0.0) {
        printf(" %8s", "-");
    } else {
        printf(" %8.2f", M);
    }
}

static const char *verdict(int met)
{
    return met ? "OK" : "missed";
}

// Digits, steps and instructions of one run, and its best time of many. Returns its last result.
static bench_result print_run(const char *self, const problem *p, double value, const char *options)
{
    bench_result r;
    double best = HUGE_VAL;
    char arguments[400];
    for (int k = 0; k < 50; k++) {
        if (!run(p, value, options, &r)) break;
        best = fmin(best, r.seconds);
    }
    if (r.message[0]) {
        printf("  %s\n", r.message);
        return r;
    }
    snprintf(arguments, sizeof arguments, "%s %g '%s'", p->name, value, options);
    printf(" %7.2f %7ld %6ld %8ld", digits(p, value, r.value), r.work.steps, r.work.rejected,
           r.work.residuals);
    print_millions(bench_count(self, arguments, "flx_integrator_step"));
    printf(" %9.3f\n", 1e3 * best);
    fflush(stdout);
    return r;
}

// ---- others on the same equations -----------------------------------------------------------------

#ifdef BENCH_SUNDIALS
static const double eps = 1e-6;

static int rate(realtype t, N_Vector y, N_Vector dy, void *user)
{
    (void)t, (void)user;
    const double *a = N_VGetArrayPointer(y);
    double *d = N_VGetArrayPointer(dy);
    d[0] = a[1];
    d[1] = ((1.0 - a[0] * a[0]) * a[1] - a[0]) / eps;
    return 0;
}

static int jacobian(realtype t, N_Vector y, N_Vector dy, SUNMatrix J, void *user, N_Vector a,
                    N_Vector b, N_Vector c)
{
    (void)t, (void)dy, (void)user, (void)a, (void)b, (void)c;
    const double *x = N_VGetArrayPointer(y);
    SM_ELEMENT_D(J, 0, 0) = 0.0;
    SM_ELEMENT_D(J, 0, 1) = 1.0;
    SM_ELEMENT_D(J, 1, 0) = (-2.0 * x[0] * x[1] - 1.0) / eps;
    SM_ELEMENT_D(J, 1, 1) = (1.0 - x[0] * x[0]) / eps;
    return 0;
}

// Van der Pol's equation by BDF with the exact Jacobian, which CVODE is given directly.
static int run_cvode(double rtol, double *end, long *steps, double *seconds)
{
    SUNContext context;
    struct timespec from, to;
    if (SUNContext_Create(NULL, &context)) return 0;
    N_Vector y = N_VNew_Serial(2, context);
    SUNMatrix J = SUNDenseMatrix(2, 2, context);
    SUNLinearSolver solver = SUNLinSol_Dense(y, J, context);
    void *cv = CVodeCreate(CV_BDF, context);
    double *a = N_VGetArrayPointer(y), t = 0.0;
    a[0] = 2.0;
    a[1] = 0.0;
    int ok = CVodeInit(cv, rate, 0.0, y) == 0 && CVodeSStolerances(cv, rtol, rtol) == 0 &&
             CVodeSetLinearSolver(cv, solver, J) == 0 && CVodeSetJacFn(cv, jacobian) == 0 &&
             CVodeSetMaxNumSteps(cv, 1000000) == 0 && CVodeSetStopTime(cv, 2.0) == 0;
    timespec_get(&from, TIME_UTC);
    ok = ok && CVode(cv, 2.0, y, &t, CV_NORMAL) >= 0;
    timespec_get(&to, TIME_UTC);
    *seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    if (ok) CVodeGetNumSteps(cv, steps);
    memcpy(end, a, 2 * sizeof *end);
    CVodeFree(&cv);
    SUNLinSolFree(solver);
    SUNMatDestroy(J);
    N_VDestroy(y);
    SUNContext_Free(&context);
    return ok;
}

static void bench_cvode(const char *self)
{
    for (int k = 5; k <= 11; k += 2) {
        double rtol = pow(10.0, -k), end[2] = {0.0, 0.0}, best = HUGE_VAL, seconds;
        long steps = 0;
        char arguments[100];
        for (int i = 0; i < 20; i++) {
            if (run_cvode(rtol, end, &steps, &seconds)) best = fmin(best, seconds);
        }
        snprintf(arguments, sizeof arguments, "cvode %g", rtol);
        printf("CVODE, BDF     %6.0e %7.2f %7ld %6s %8s", rtol,
               digits(&problems[VAN_DER_POL], 1e-6, end), steps, "", "");
        print_millions(bench_count(self, arguments, "CVode"));
        printf(" %9.3f\n", 1e3 * best);
    }
}

// Ours and CVODE's in turns, so that other load on the machine meets both: times for about as many
// digits.
static void bench_ratio(void)
{
    const char *options = "method: radau, rtol: 1e-5, atol: 1e-5";
    double ours = HUGE_VAL, theirs = HUGE_VAL, seconds, end[2];
    bench_result r = {.message = ""};
    long steps;
    for (int i = 0; i < 50; i++) {
        if (run(&problems[VAN_DER_POL], 1e-6, options, &r)) ours = fmin(ours, r.seconds);
        if (run_cvode(1e-9, end, &steps, &seconds)) theirs = fmin(theirs, seconds);
    }
    printf("in turns: radau %.2f digits in %.3f ms, CVODE %.2f digits in %.3f ms: ratio %.1f\n",
           digits(&problems[VAN_DER_POL], 1e-6, r.value), 1e3 * ours,
           digits(&problems[VAN_DER_POL], 1e-6, end), 1e3 * theirs, theirs / ours);
}
#endif

// ---- tables -------------------------------------------------------------------------------------

static void bench_van_der_pol(const char *self)
{
    static const char *const stages[] = {"auto", "3", "5", "7"};
    printf("van der Pol, eps = 1e-6, to t = 2; M: million instructions\n");
    printf("%-14s %6s %7s %7s %6s %8s %8s %9s\n", "method", "rtol", "digits", "steps", "reject",
           "evals", "M", "ms");
    for (int i = 0; i < 4; i++) {
        for (int k = 3; k <= 9; k++) {
            char options[100];
            snprintf(options, sizeof options, "method: radau, stages: %s, rtol: 1e-%d, atol: 1e-%d",
                     stages[i], k, k);
            printf("radau, %-7s  1e-%02d", stages[i], k);
            print_run(self, &problems[VAN_DER_POL], 1e-6, options);
        }
    }
#ifdef BENCH_SUNDIALS
    bench_cvode(self);
    bench_ratio();
#else
    printf("SUNDIALS: not built in\n");
#endif
    bench_scipy("van-der-pol");
    printf(
        "known: RADAU5 0.27 ms for 6.4 digits, RADAU of variable order 0.35 ms for 9.0, IDA 2.0 ms "
        "for 4.6. The mark: level with the Fortran codes.\n\n");
}

static void bench_spring(const char *self)
{
    static const char options[] =
        "method: radau, stages: %s, rtol: %s, atol: %s, formulation: index-3";
    static const char *const words[][2] = {{"3", "4e-6"}, {"auto", "4e-6"}};
    printf("spring pendulum, stiffness 1/delta^2, to t = 10\n");
    printf("%-6s %6s %6s %7s %7s %6s %8s %8s %9s\n", "stages", "rtol", "delta", "digits", "steps",
           "reject", "evals", "M", "ms");
    for (int w = 0; w < 2; w++) {
        long least = 1000000, most = 0;
        double worst = HUGE_VAL;
        for (int i = 0; i < problems[SPRING].nend; i++) {
            char text[200];
            snprintf(text, sizeof text, options, words[w][0], words[w][1], words[w][1]);
            printf("%-6s %6s %6.0e", words[w][0], words[w][1], spring_ends[i].value);
            bench_result r = print_run(self, &problems[SPRING], spring_ends[i].value, text);
            long attempts = r.message[0] ? 1000000 : r.work.steps + r.work.rejected;
            least = attempts < least ? attempts : least;
            most = attempts > most ? attempts : most;
            worst = fmin(worst, digits(&problems[SPRING], spring_ends[i].value, r.value));
        }
        printf("mark: 6 digits in at most 150 attempts: %.2f in %ld, %s; the same within 5 per "
               "cent for "
               "every delta: %ld to %ld, %s\n",
               worst, most, verdict(worst >= 6.0 && most <= 150), least, most,
               verdict((double)most <= 1.05 * (double)least));
    }
    printf("known: RADAU5 5 768 steps for 2.7 digits, 22 801 for 5.3 at 1e-5.\n\n");
}

static void bench_rod(const char *self)
{
    static const char *const stages[] = {"3", "auto"};
    printf("rod pendulum with damping d, mixed form, rtol 1e-6, atol 1e-8, to t = 1\n");
    printf("%-6s %6s %7s %7s %6s %8s %8s %9s\n", "stages", "d", "digits", "steps", "reject",
           "evals", "M", "ms");
    for (int w = 0; w < 2; w++) {
        long most = 0;
        for (int i = 0; i < problems[ROD].nend; i++) {
            char text[100];
            snprintf(text, sizeof text, "method: radau, stages: %s, rtol: 1e-6, atol: 1e-8",
                     stages[w]);
            printf("%-6s %6.0e", stages[w], rod_ends[i].value);
            bench_result r = print_run(self, &problems[ROD], rod_ends[i].value, text);
            long steps = r.message[0] ? 1000000 : r.work.steps;
            most = steps > most ? steps : most;
        }
        printf("mark: at most 40 steps: %ld, %s\n", most, verdict(most <= 40));
    }
    printf("published: 60 steps at 1e4, 128, 185, 291, 583 at 1e8.\n\n");
}

// What a step costs beyond its evaluations: one degree of freedom, where both are known.
static void bench_overhead(const char *self)
{
    static const char *const options[] = {"method: radau, stages: 3, step: 0.01",
                                          "method: radau, stages: 3, rtol: 1e-6, atol: 1e-6",
                                          "method: radau, rtol: 1e-6, atol: 1e-6"};
    printf("x'' = -x to t = 10: instructions of a step, and of its evaluations\n");
    printf("%-52s %7s %10s %10s\n", "", "steps", "a step", "evaluated");
    for (int i = 0; i < 3; i++) {
        bench_result r;
        char arguments[200];
        if (!run(&problems[OSCILLATOR], 1.0, options[i], &r)) continue;
        snprintf(arguments, sizeof arguments, "oscillator 1 '%s'", options[i]);
        double all = bench_count(self, arguments, "flx_integrator_step");
        double evaluated = bench_count(self, arguments, "flx_eval_residual");
        double steps = (double)r.work.steps;
        printf("%-52s %7ld %10.0f %10.0f   %s\n", options[i], r.work.steps, 1e6 * all / steps,
               1e6 * evaluated / steps,
               all < 0.0 ? "not known without valgrind"
                         : verdict(1e6 * (all - evaluated) / steps < 20000.0));
    }
    printf("mark: under 2 us beyond its evaluations; about 10 instructions are a nanosecond.\n");
}

int main(int argc, char **argv)
{
    if (argc == 4) return run_alone(argv[1], atof(argv[2]), argv[3]);
#ifdef BENCH_SUNDIALS
    if (argc == 3 && strcmp(argv[1], "cvode") == 0) {
        double end[2], seconds;
        long steps = 0;
        return !run_cvode(atof(argv[2]), end, &steps, &seconds);
    }
#endif
    bench_van_der_pol(argv[0]);
    bench_spring(argv[0]);
    bench_rod(argv[0]);
    bench_overhead(argv[0]);
    return 0;
}
