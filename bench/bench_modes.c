// bench_modes.c - the 40 lowest modes of a clamped steel block 1.0 x 0.2 x 0.1 m of tetrahedra with ten
// nodes, meshed by Gmsh to about 51 000 unknowns (`large`: 305 000, which takes four minutes and 4 GB; a number: a mesh
// size; or a mesh file, and the set of its nodes that is held). CPU seconds and memory of a process of its own for each solver; the yardstick is SLEPc with
// MUMPS, on the same matrices and to the same tolerance, where it was found.
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier): for memory shared with a child
#include "fe/fe_equations.h"
#include "math/lowest_modes.h"
#include "read/mesh.h"
#ifdef BENCH_SLEPC
#include "modes_slepc.h"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT 40
#define TOLERANCE 1e-8

typedef struct result { // shared with the child
    int status;
    double lambda[COUNT];
    int blocks, solves, factorisations, below;
    double fill, flops;
    double megabytes; // most at a time
} result;

typedef struct problem {
    flx_ctx *ctx;
    flx_fe *fe;
    int *group;
} problem;

static double cpu_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec * 1e-6;
}

static void ours(const problem *p, bool checked, result *r)
{
    flx_mode_set *modes = NULL;
    flx_modes_def def = {
        .count = COUNT, .tolerance = TOLERANCE, .group = p->group, .unchecked = !checked};
    const char *block = getenv("BLOCK");
    if (block) def.block = atoi(block);
    r->status = flx_modes_create(p->ctx, &p->fe->K, &p->fe->M, &def, &modes);
    if (r->status != FLX_OK) {
        printf("%s\n", flx_ctx_error(p->ctx, 0)->text);
        return;
    }
    memcpy(r->lambda, modes->lambda, sizeof r->lambda);
    r->blocks = modes->blocks;
    r->solves = modes->solves;
    r->factorisations = modes->factorisations;
    r->below = modes->below;
    r->fill = modes->factor.fill;
    r->flops = modes->factor.flops;
    flx_modes_destroy(&modes);
}

static void counted(const problem *p, result *r)
{
    ours(p, true, r);
}

static void uncounted(const problem *p, result *r)
{
    ours(p, false, r);
}

#ifdef BENCH_SLEPC
static void slepc(const problem *p, result *r)
{
    r->status = slepc_modes(&p->fe->K, &p->fe->M, COUNT, TOLERANCE, r->lambda);
}
#endif

static double frequency(double lambda)
{
    return sqrt(lambda) / (2 * 3.14159265358979323846);
}

// In a child, so that time and memory are its own. Returns CPU seconds (user).
static double measure(const char *name, const problem *p, void (*solve)(const problem *, result *),
                      result *r)
{
    struct rusage used;
    memset(r, 0, sizeof *r);
    r->status = 1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        solve(p, r);
        fflush(stdout);
        _exit(0);
    }
    if (child < 0 || wait4(child, NULL, 0, &used) != child) return 0;
    double seconds = (double)used.ru_utime.tv_sec + (double)used.ru_utime.tv_usec * 1e-6;
    if (r->status != 0) {
        printf("%-28s failed\n", name);
        return 0;
    }
    r->megabytes = (double)used.ru_maxrss / 1024;
    printf("%-28s %8.2f s  %6.0f MB  f1 %.4f Hz  f40 %.4f Hz", name, seconds, r->megabytes,
           frequency(r->lambda[0]), frequency(r->lambda[COUNT - 1]));
    if (r->blocks) {
        printf("  (%d blocks, %d solutions, %d factorisations of %.0f MB, %d modes counted)",
               r->blocks, r->solves, r->factorisations, 8e-6 * r->fill, r->below);
    }
    printf("\n");
    return seconds;
}

// The mesh by Gmsh, or NULL where there is none.
static flx_structure *make_mesh(flx_ctx *ctx, double size)
{
    char folder[] = "bench_modes_XXXXXX", geo[64], msh[64], command[256];
    if (!mkdtemp(folder)) return NULL;
    snprintf(geo, sizeof geo, "%s/block.geo", folder);
    snprintf(msh, sizeof msh, "%s/block.msh", folder);
    FILE *file = fopen(geo, "w");
    if (!file) return NULL;
    fprintf(file, "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1.0, 0.2, 0.1};\n"
                  "Physical Volume(\"block\") = {1};\n"
                  "root() = Surface In BoundingBox{-1e-6, -1, -1, 1e-6, 1, 1};\n"
                  "Physical Surface(\"root\") = {root()};\n"
                  "Mesh.ElementOrder = 2;\nMesh.MshFileVersion = 4.1;\n");
    fclose(file);
    snprintf(command, sizeof command, "gmsh -3 %s -clmin %g -clmax %g -o %s -v 1 >/dev/null 2>&1",
             geo, size, size, msh);
    flx_structure *s = NULL;
    int made = system(command); // NOLINT(cert-env33-c)
    if (made == 0) flx_mesh_read(ctx, msh, FLX_NOWHERE, &s);
    remove(geo);
    remove(msh);
    rmdir(folder);
    return s;
}

static int prepare(problem *p, flx_structure *s, const char *held)
{
    const flx_material steel = {"steel", FLX_NOWHERE, 2.1e11, 0.3, 7850, 0};
    const flx_mesh_set *root = flx_structure_find_set(s, held);
    flx_structure_add_material(s, &steel);
    for (int i = 0; i < s->nelement; i++) {
        if (s->elements[i].cell != FLX_CELL_TET10) continue;
        s->elements[i].family = FLX_FAMILY_SOLID;
        s->elements[i].material = 0;
    }
    for (int i = 0; root && i < root->nnode; i++) {
        flx_structure_add_support(s, &(flx_support){.node = root->nodes[i], .mask = 07});
    }
    double start = cpu_seconds();
    if (flx_fe_create(p->ctx, s, NULL, &p->fe) != FLX_OK) return 1;
    p->group = malloc((size_t)p->fe->n * sizeof *p->group);
    for (int i = 0; i < p->fe->n; i++) p->group[i] = p->fe->node_of[i] / 6;
    printf("%d unknowns, %d elements, %.1f entries a row; assembled in %.2f s\n", p->fe->n,
           s->nelement, 2 * (double)p->fe->K.start[p->fe->n] / p->fe->n, cpu_seconds() - start);
    return 0;
}

int main(int argc, char **argv)
{
    double size = argc < 2 ? 0.0216 : strcmp(argv[1], "large") == 0 ? 0.01117 : atof(argv[1]);
    if (!(size > 0) && argc != 3) {
        printf("bench_modes [large | MESH SIZE | MESH SET]\n");
        return 2;
    }
    problem p = {.ctx = flx_ctx_create()};
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    result *r =
        mmap(NULL, 2 * sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    flx_structure *s = NULL;
    if (argc == 3) {
        flx_mesh_read(p.ctx, argv[1], FLX_NOWHERE, &s);
    } else {
        s = make_mesh(p.ctx, size);
    }
    if (!s) {
        printf("the mesh needs gmsh: tools/install-packages.sh bench\n");
        return 0;
    }
    if (r == MAP_FAILED || prepare(&p, s, argc == 3 ? argv[2] : "root") != 0) return 1;
    measure("Flexion, modes counted", &p, counted, r);
    double plain = measure("Flexion", &p, uncounted, r);
#ifdef BENCH_SLEPC
    double other = measure("SLEPc and MUMPS", &p, slepc, r + 1);
    if (plain > 0 && other > 0) {
        double worst = 0;
        for (int k = 0; k < COUNT; k++) {
            worst = fmax(worst, fabs(r[0].lambda[k] / r[1].lambda[k] - 1));
        }
        printf("%.2f of the time of SLEPc (mark: at most 1, goal 0.7), %.2f of its memory (mark: "
               "at most 1); "
               "eigenvalues agree to %.1e\n",
               plain / other, r[0].megabytes / r[1].megabytes, worst);
    }
#else
    (void)plain;
#endif
    free(p.group);
    flx_fe_destroy(&p.fe);
    flx_structure_destroy(&s);
    flx_ctx_destroy(&p.ctx);
    return 0;
}
