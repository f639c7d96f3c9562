// bench_mesh_body - an arm of hexahedra as an elastic body, on a hinge and with a weight at its tip: what reading and
// reducing its mesh takes, and what a step of the mechanism takes, which is to be the same whatever the mesh.
//
// Then the same arm with 36 shapes and their stiffening, of which the field has some 300 grains.
//
//   bench_mesh_body                 the table; instructions by callgrind, where valgrind is there
//   bench_mesh_body ELEMENTS STEPS  one run; ELEMENTS: along the arm
#include "bench_run.h"

#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#define STEP 1e-3
enum { FEW = 4, MANY = 30 }; // modes beside the six shapes of the interfaces

static const char arm[] =
    "flexion: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  arm:\n"
    "    type: flexible\n"
    "    fe: {mesh: %s, material: {E: 7e10, nu: 0.33, density: 2700}}\n"
    "    reduce: {type: craig-bampton, modes: %d, interfaces: [root, tip]}\n"
    "    stiffening: %s\n"
    "    damping: {ratio: 0.01}\n"
    "  bob: {type: rigid, mass: 0.5, inertia: [1e-3, 1e-3, 1e-3], position: arm.tip}\n"
    "joints:\n"
    "  hinge: {type: revolute, on: [ground, arm], at: arm.root, axis: [0, 1, 0]}\n"
    "  grip: {type: fixed, on: [arm, bob], at: arm.tip}\n"
    "simulate: {until: %.17g, method: generalized-alpha, step: %g}\n"
    "outputs: {times: [%.17g], signals: [bob.z, hinge.angle]}\n";

// A bar 0.6 x 0.04 x 0.02 m of n x n/10 x n/20 hexahedra, its ends named, as Abaqus writes meshes.
static bool write_mesh(const char *path, int n)
{
    const int ny = n / 10 > 0 ? n / 10 : 1, nz = n / 20 > 0 ? n / 20 : 1;
    const int row = nz + 1, layer = (ny + 1) * row;
    FILE *f = fopen(path, "w");
    if (!f) return false;
    fprintf(f, "*NODE\n");
    for (int i = 0; i <= n; i++) {
        for (int k = 0; k < layer; k++) {
            fprintf(f, "%d, %.17g, %.17g, %.17g\n", i * layer + k + 1, 0.6 * i / n,
                    0.04 * (k / row) / ny - 0.02, 0.02 * (k % row) / nz - 0.01);
        }
    }
    fprintf(f, "*ELEMENT, TYPE=C3D8, ELSET=ALL\n");
    for (int e = 0; e < n * ny * nz; e++) {
        int i = e / (ny * nz), j = e / nz % ny, k = e % nz, a = i * layer + j * row + k + 1;
        fprintf(f, "%d, %d, %d, %d, %d, %d, %d, %d, %d\n", e + 1, a, a + layer, a + layer + row,
                a + row, a + 1, a + layer + 1, a + layer + row + 1, a + row + 1);
    }
    for (int end = 0; end < 2; end++) {
        fprintf(f, "*NSET, NSET=%s, GENERATE\n%d, %d, 1\n", end ? "tip" : "root",
                end * n * layer + 1, end * n * layer + layer);
    }
    return fclose(f) == 0;
}

typedef struct figures {
    double reading, step, value; // CPU seconds, CPU seconds a step, bob.z at the end
    int unknowns;
} figures;

static bool run(int elements, int modes, const char *stiffening, long steps, figures *out)
{
    char text[3000], mesh[64];
    double until = STEP * (double)steps, values[BENCH_SIGNALS];
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    bench_sink last = {.base = {&bench_last, ctx}, .value = values};
    flx_sink *sink = &last.base;
    snprintf(mesh, sizeof mesh, "bench_mesh_body_%ld.inp", (long)getpid());
    snprintf(text, sizeof text, arm, mesh, modes, stiffening, until, STEP, until);
    flx_status s = write_mesh(mesh, elements) ? FLX_OK : FLX_ERR_IO;
    clock_t before = clock();
    if (s == FLX_OK) s = flx_model_read_text(ctx, "arm", text, strlen(text), 0, NULL, &m);
    out->reading = (double)(clock() - before) / CLOCKS_PER_SEC;
    if (s == FLX_OK) s = flx_simulation_create(m, &sim);
    before = clock();
    if (s == FLX_OK) s = flx_simulation_run(sim, 1, &sink, NULL, NULL);
    out->step = (double)(clock() - before) / CLOCKS_PER_SEC / (double)steps;
    flx_elastic_summary e;
    if (s == FLX_OK) {
        out->value = values[0];
        out->unknowns = flx_model_elastic(m, 0, &e) ? e.unknowns : 0;
    } else {
        const flx_message *x = flx_ctx_error(ctx, 0);
        fprintf(stderr, "bench_mesh_body: %s\n", x ? x->text : flx_status_text(s));
    }
    remove(mesh);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return s == FLX_OK;
}

int main(int argc, char **argv)
{
    static const int meshes[] = {20, 40, 60};
    static const char *const stiffening[] = {"false", "true"};
    figures f;
    if (argc == 3) return !run(atoi(argv[1]), FEW, "false", atol(argv[2]), &f);
    double first = 0.0, most = 0.0;
    printf("arm of hexahedra, craig-bampton with 10 shapes, generalized-alpha, step %g s\n", STEP);
    printf("%-10s %9s %10s %14s %12s %14s\n", "stiffening", "unknowns", "reading s", "instructions",
           "us a step", "weight's z, m");
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++) {
            char arguments[60];
            if (!run(meshes[i], FEW, stiffening[k], 2000, &f)) return 1;
            snprintf(arguments, sizeof arguments, "%d 200", meshes[i]);
            double count =
                k == 0 ? 5e3 * bench_count(argv[0], arguments, "flx_integrator_step") : 0.0;
            printf("%-10s %9d %10.2f %14.0f %12.1f %14.6e\n", stiffening[k], f.unknowns, f.reading,
                   count, 1e6 * f.step, f.value);
            fflush(stdout);
            double cost = count > 0.0 ? count : f.step;
            if (k == 0 && i == 0) first = cost;
            if (k == 0) most = cost > most ? cost : most;
        }
    }
    if (!run(40, MANY, "true", 500, &f)) return 1;
    printf("36 shapes  %9d %10.2f %14s %12.1f %14.6e\n", f.unknowns, f.reading, "", 1e6 * f.step,
           f.value);
    printf("the largest mesh's step takes %.2f of the smallest's (mark: at most 1.2): %s\n",
           most / first, most <= 1.2 * first ? "OK" : "missed");
    return 0;
}
