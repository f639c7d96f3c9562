// bench_particles.c - particle-steps per second of a box of settling spheres with friction, rolling resistance and memory, beside LIGGGHTS where
// it is installed: the same spheres, walls, step and law in one run, one thread each. LIGGGHTS runs between two runs of ours with one thread, and CPU
// times are compared: on a machine that others use clocks on the wall say little.
//
//     bench_particles [SIDE [SETTLING [MEASURED]]]     SIDE^3 spheres; default 46 5000 400; 46 of them rest after 15000 steps
// It fails where threads change a bit, or where it is less than 1.7 times as fast as LIGGGHTS by CPU time.
#include "flexion/flexion.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RADIUS 0.002
#define SPACING 4.08e-3
#define STEP 2e-5
#define MARK 1.7

static double cpu(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec * 1e-6;
}

static double wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double *places(int side)
{
    const int n = side * side * side;
    double *x = malloc(3 * (size_t)n * sizeof *x);
    uint32_t seed = 1;
    for (int i = 0; x && i < n; i++) {
        const int at[3] = {i % side, i / side % side, i / side / side};
        for (int c = 0; c < 3; c++) {
            seed = seed * 1664525u + 1013904223u;
            double jitter = 4e-5 * ((seed >> 8) / 16777216.0 - 0.5);
            x[3 * i + c] = (at[c] + 0.5) * SPACING * (c == 2 ? 1.1 : 1.0) + jitter;
        }
    }
    return x;
}

static uint64_t hash(const double *x, int n)
{
    uint64_t h = 1469598103934665603u;
    const unsigned char *b = (const unsigned char *)x;
    for (size_t i = 0; i < (size_t)n * sizeof *x; i++) h = (h ^ b[i]) * 1099511628211u;
    return h;
}

// Particle-steps per second of CPU time; *clock: of the clock on the wall; *bits: of the places at the end.
static double run(int side, long settling, long measured, int threads, double *x, double *clock,
                  uint64_t *bits)
{
    const int n = side * side * side;
    flx_ctx *ctx = flx_ctx_create();
    double *radii = malloc((size_t)n * sizeof *radii), *y = malloc(3 * (size_t)n * sizeof *y);
    for (int i = 0; radii && i < n; i++) radii[i] = RADIUS;
    flx_particles_def d = {.count = n,
                           .positions = x,
                           .radii = radii,
                           .density = 2500,
                           .E = 5e6,
                           .nu = 0.45,
                           .restitution = 0.5,
                           .friction = 0.5,
                           .rolling = 0.1,
                           .gravity = {0, 0, -9.81},
                           .step = STEP,
                           .threads = threads};
    flx_particles *p = NULL;
    if (!radii || !y || flx_particles_create(ctx, &d, &p) != FLX_OK) exit(1);
    const double size = side * SPACING,
                 normals[5][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}};
    int box = flx_particles_add_wall(p);
    for (int k = 0; k < 5; k++) {
        const double point[3] = {k == 1 ? size : 0, k == 3 ? size : 0, 0};
        if (flx_particles_add_plane(p, box, point, normals[k]) != FLX_OK) exit(1);
    }
    double before = cpu();
    if (flx_particles_run(p, settling) != FLX_OK) exit(1);
    double c = cpu(), w = wall(), begun = c - before;
    if (flx_particles_run(p, measured) != FLX_OK) exit(1);
    c = cpu() - c;
    w = wall() - w;
    flx_particles_sums s = flx_particles_sum(p);
    flx_particles_get(p, y, NULL, NULL);
    *bits = hash(y, 3 * n);
    double work = (double)n * (double)measured, all = (double)n * (double)(settling + measured);
    printf("flexion   %d thread%s  %8d spheres, %.1f contacts each: %.3g particle-steps/s; of CPU "
           "time %.3g, "
           "settling included %.3g; hash %016llx\n",
           threads, threads > 1 ? "s" : " ", n, 2.0 * (double)s.contacts / n, work / w, work / c,
           all / (begun + c), (unsigned long long)*bits);
    fflush(stdout);
    flx_particles_destroy(&p);
    flx_ctx_destroy(&ctx);
    free(radii);
    free(y);
    *clock = work / w;
    return work / c;
}

// What two programs at once, each with one thread, do by the clock, over what one does alone: more is not in this machine.
static double run_two_programs(int side, long settling, long measured, double *x, double alone)
{
    double sum = 0.0;
    int ends[2];
    if (pipe(ends) != 0) return 0.0;
    for (int k = 0; k < 2; k++) {
        if (fork() != 0) continue;
        double clock;
        uint64_t bits;
        if (!freopen("/dev/null", "w", stdout)) _exit(1);
        run(side, settling, measured, 1, x, &clock, &bits);
        _exit(write(ends[1], &clock, sizeof clock) != sizeof clock);
    }
    close(ends[1]);
    for (double clock; read(ends[0], &clock, sizeof clock) == sizeof clock;) sum += clock;
    close(ends[0]);
    while (wait(NULL) > 0) {
    }
    return sum / alone;
}

static const char script[] =
    "atom_style granular\natom_modify map array\nboundary f f f\nnewton off\n"
    "communicate single vel yes\nunits si\nread_data grains.data\nneighbor 0.0003 bin\n"
    "neigh_modify delay 0\n"
    "fix m1 all property/global youngsModulus peratomtype 5.e6\n"
    "fix m2 all property/global poissonsRatio peratomtype 0.45\n"
    "fix m3 all property/global coefficientRestitution peratomtypepair 1 0.5\n"
    "fix m4 all property/global coefficientFriction peratomtypepair 1 0.5\n"
    "fix m5 all property/global coefficientRollingFriction peratomtypepair 1 0.1\n"
    "pair_style gran model hertz tangential history rolling_friction cdt\npair_coeff * *\n"
    "timestep 2e-5\nfix move all nve/sphere\nfix down all gravity 9.81 vector 0.0 0.0 -1.0\n";

static bool write_grains(int side, long settling, long measured, const double *x)
{
    const int n = side * side * side;
    const double size = side * SPACING;
    FILE *f = fopen("grains.data", "w");
    if (!f) return false;
    fprintf(f,
            "grains\n\n%d atoms\n1 atom types\n\n-0.001 %.17g xlo xhi\n-0.001 %.17g ylo "
            "yhi\n-0.001 %.17g zlo zhi\n\nAtoms\n\n",
            n, size + 0.001, size + 0.001, 1.3 * size);
    for (int i = 0; i < n; i++) {
        fprintf(f, "%d 1 %g 2500 %.17g %.17g %.17g\n", i + 1, 2 * RADIUS, x[3 * i], x[3 * i + 1],
                x[3 * i + 2]);
    }
    fclose(f);
    f = fopen("in.grains", "w");
    if (!f) return false;
    fputs(script, f);
    const char *sides[] = {"xplane", "xplane", "yplane", "yplane", "zplane"};
    for (int k = 0; k < 5; k++) {
        fprintf(f,
                "fix w%d all wall/gran model hertz tangential history rolling_friction cdt "
                "primitive type 1 %s %.17g\n",
                k, sides[k], k % 2 ? size : 0.0);
    }
    fprintf(f, "thermo 1000000\nrun %ld\nrun %ld\n", settling, measured);
    fclose(f);
    return true;
}

// CPU time that a program takes after it has told of a step, by its own clock; less than 0: it did not run.
static double time_from(const char *step)
{
    int ends[2];
    char line[512];
    double before = 0.0, after = -1.0;
    if (pipe(ends) != 0) return -1.0;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        execlp("stdbuf", "stdbuf", "-oL", "liggghts", "-in", "in.grains",
               (char *)NULL); // tells at once
        _exit(127);
    }
    close(ends[1]);
    FILE *out = fdopen(ends[0], "r");
    clockid_t clock;
    struct timespec t;
    bool known = child > 0 && clock_getcpuclockid(child, &clock) == 0, told = false;
    while (out && fgets(line, sizeof line, out)) {
        if (!known || told || strtol(line, NULL, 10) != atol(step)) continue;
        told = clock_gettime(clock, &t) == 0;
        before = (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
    }
    if (out) fclose(out);
    struct rusage u;
    int status = 1;
    if (child > 0) waitpid(child, &status, 0);
    getrusage(RUSAGE_CHILDREN, &u);
    if (told && status == 0) {
        after = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
    }
    return after - before;
}

// Particle-steps per second of CPU time, 0: it is not there.
static double run_liggghts(int side, long settling, long measured, const double *x)
{
    const int n = side * side * side;
    char folder[] = "/tmp/bench-particles-XXXXXX", step[32];
    if (system("command -v liggghts >/dev/null 2>&1") != 0) {
        printf("LIGGGHTS is not installed\n");
        return 0.0;
    }
    if (!mkdtemp(folder) || chdir(folder) != 0) return 0.0;
    if (!write_grains(side, settling, measured, x)) return 0.0;
    snprintf(step, sizeof step, "%ld", settling);
    double seconds = time_from(step);
    if (!(seconds > 0.0)) {
        printf("LIGGGHTS did not run (in %s)\n", folder);
        return 0.0;
    }
    double speed = (double)n * (double)measured / seconds;
    printf("LIGGGHTS  1 thread   %8d spheres: of CPU time %.3g\n", n, speed);
    fflush(stdout);
    remove("grains.data");
    remove("in.grains");
    remove("log.liggghts");
    if (chdir("/") == 0) rmdir(folder);
    return speed;
}

int main(int argc, char **argv)
{
    int side = argc > 1 ? atoi(argv[1]) : 46;
    long settling = argc > 2 ? atol(argv[2]) : 5000, measured = argc > 3 ? atol(argv[3]) : 400;
    if (side < 1 || side > 200 || settling < 0 || measured < 1) return 2;
    double *x = places(side);
    if (!x) return 1;
    double clock[4];
    uint64_t bits[4];
    double one = run(side, settling, measured, 1, x, clock, bits);
    double theirs = run_liggghts(side, settling, measured, x);
    double two = run(side, settling, measured, 2, x, clock + 1, bits + 1);
    double again = run(side, settling, measured, 1, x, clock + 2, bits + 2);
    run(side, settling, measured, 4, x, clock + 3, bits + 3);
    bool same = true, fast = true;
    for (int i = 1; i < 4; i++) same = same && bits[i] == bits[0];
    printf("mark: the same bits for 1, 2 and 4 threads: %s\n", same ? "OK" : "missed");
    if (theirs > 0.0) {
        fast = one + again >= 2 * MARK * theirs;
        printf("mark: %.1f times LIGGGHTS: %.2f before it, %.2f after it, %s\n", MARK, one / theirs,
               again / theirs, fast ? "OK" : "missed");
    }
    printf("CPU time of two threads over that of one: %.2f\n", 0.5 * (one + again) / two);
    double alone = 0.5 * (clock[0] + clock[2]);
    fflush(stdout);
    printf("by the clock, where cores are free: 2 threads %.2f times 1, 4 threads %.2f times; two "
           "programs at once %.2f times\n",
           clock[1] / alone, clock[3] / alone,
           run_two_programs(side, settling, measured, x, alone));
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    printf("memory of flexion %.0f MB at most\n", (double)u.ru_maxrss / 1024.0);
    free(x);
    return same && fast ? 0 : 1;
}
