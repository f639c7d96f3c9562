// bench_solid - a bar of quadratic hexahedra that bends under its weight: two static steps, and 20 steps of
// its motion, by solids of large deformation. CalculiX beside ours on the static steps, where it is found.
//
//   1 x 0.1 x 0.1 m, E = 1e8 Pa, nu = 0.3, 1000 kg/m^3, clamped at one end, 9.81 m/s^2 across;
//   generalized-alpha, h = 1 ms.
//
// bench_solid static|motion NX NY NZ runs one; bench_solid the table, with instructions where valgrind is
// there to count them; bench_solid large also a bar of 100 000 unknowns.
#define BENCH "."
#include "bench_run.h"
#include "solid_mesh.h"

#include <sys/resource.h>
#include <unistd.h>

#define STEPS 20

static const double size[3] = {1.0, 0.1, 0.1};

static double cpu_seconds(int who)
{
    struct rusage u;
    getrusage(who, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static bool at_root(const double x[3])
{
    return x[0] < 1e-9;
}

static bool at_tip(const double x[3]) // a corner
{
    return x[0] > 1.0 - 1e-9 && x[1] < 1e-9 && x[2] < 1e-9;
}

// ---- the mesh -----------------------------------------------------------------------------------

typedef struct mesh {
    char path[64], deck[64];
    int unknowns, tip;
} mesh;

static void write_deck(const char *path, const flx_structure *s)
{
    FILE *f = solid_mesh_open(path, s);
    if (!f) return;
    solid_mesh_set(f, s, "ROOT", at_root);
    solid_mesh_set(f, s, "TIP", at_tip);
    fprintf(f, "*MATERIAL, NAME=M\n*ELASTIC\n1e8, 0.3\n*DENSITY\n1000\n"
               "*SOLID SECTION, ELSET=ALL, MATERIAL=M\n*BOUNDARY\nROOT, 1, 3\n"
               "*STEP, NLGEOM\n*STATIC, DIRECT\n0.5, 1.0\n*DLOAD\nALL, GRAV, 9.81, 0, 0, -1\n"
               "*NODE PRINT, NSET=TIP\nU\n*END STEP\n");
    fclose(f);
}

static bool write_mesh(const int n[3], bool with_deck, mesh *m)
{
    const flx_material none = {.name = ""};
    flx_ctx *ctx = flx_ctx_create();
    flx_structure *s =
        fe_box(ctx, FLX_CELL_HEX20, FLX_FAMILY_SOLID, n[0], n[1], n[2], size, &none, 0, 0);
    snprintf(m->path, sizeof m->path, "bench_solid_%d.inp", (int)getpid());
    snprintf(m->deck, sizeof m->deck, "bench_solid_%d_deck", (int)getpid());
    FILE *f = s ? solid_mesh_open(m->path, s) : NULL;
    m->unknowns = 0;
    for (int i = 0; f && i < s->nnode; i++) {
        if (!at_root(s->x + 3 * i)) m->unknowns += 3;
        if (at_tip(s->x + 3 * i)) m->tip = s->label[i];
    }
    if (f) {
        solid_mesh_set(f, s, "ROOT", at_root);
        fclose(f);
    }
    if (f && with_deck) {
        char path[80];
        snprintf(path, sizeof path, "%s.inp", m->deck);
        write_deck(path, s);
    }
    flx_structure_destroy(&s);
    flx_ctx_destroy(&ctx);
    return f != NULL;
}

static void clean_up(const mesh *m)
{
    static const char *const made[] = {".inp", ".dat", ".frd", ".sta", ".cvg", ".12d"};
    char path[100];
    remove(m->path);
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        snprintf(path, sizeof path, "%s%s", m->deck, made[i]);
        remove(path);
    }
    remove("spooles.out");
}

// ---- ours ---------------------------------------------------------------------------------------

typedef struct outcome {
    double seconds, tip;
    long linearisations; // of the motion
} outcome;

static bool run(const mesh *m, bool motion, outcome *o)
{
    char text[1000];
    snprintf(text, sizeof text,
             "flexion: 1\ngravity: [0, 0, -9.81]\n"
             "bodies: {bar: {type: solid, mesh: %s, fixed: [ROOT],"
             " material: {E: 1e8, nu: 0.3, density: 1000}}}\n"
             "analyse: {up: {type: static, load: gravity, steps: 2}}\n"
             "simulate: {until: %g, method: generalized-alpha, step: 1e-3}\n"
             "outputs: {every: 1, signals: [bar.node(%d).position]}\n",
             m->path, 1e-3 * STEPS, m->tip);
    double start = cpu_seconds(RUSAGE_SELF);
    if (motion) {
        bench_result r;
        bool fine = bench_run(text, &r);
        *o = (outcome){.tip = r.value[2], .linearisations = r.work.linearisations};
        o->seconds = cpu_seconds(RUSAGE_SELF) - start;
        if (!fine) printf("%s\n", r.message);
        return fine;
    }
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_finding f = {0};
    flx_status s = flx_model_read_text(ctx, "bench", text, strlen(text), 0, NULL, &model);
    if (s == FLX_OK) s = flx_simulation_create_to_analyse(model, &sim);
    if (s == FLX_OK) s = flx_simulation_analyse(sim, 0, &f);
    if (s == FLX_OK) *o = (outcome){.tip = f.signals[2]};
    if (s != FLX_OK) printf("%s\n", flx_ctx_error(ctx, 0) ? flx_ctx_error(ctx, 0)->text : "failed");
    flx_finding_clear(&f);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    o->seconds = cpu_seconds(RUSAGE_SELF) - start;
    return s == FLX_OK;
}

// ---- the peer -----------------------------------------------------------------------------------

// Seconds and the tip's place across; false: CalculiX is not there.
static bool run_peer(const mesh *m, outcome *o)
{
    char command[300], path[80], line[200];
    double start = cpu_seconds(RUSAGE_CHILDREN), u[3];
    int node;
    snprintf(command, sizeof command, "OMP_NUM_THREADS=1 ccx -i %s > /dev/null 2>&1", m->deck);
    if (system(command) != 0) return false; // NOLINT(cert-env33-c): a benchmark
    o->seconds = cpu_seconds(RUSAGE_CHILDREN) - start;
    snprintf(path, sizeof path, "%s.dat", m->deck);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) { // the last is that of the full load
        if (sscanf(line, "%d %lf %lf %lf", &node, u, u + 1, u + 2) == 4) o->tip = u[2];
    }
    if (f) fclose(f);
    return f != NULL;
}

// ---- the table ----------------------------------------------------------------------------------

static void show(const char *self, const int n[3], bool counted)
{
    mesh m = {0};
    outcome still, moving, peer = {0};
    char arguments[100];
    if (!write_mesh(n, true, &m)) return;
    bool fine = run(&m, false, &still);
    if (fine && run(&m, true, &moving)) {
        printf("%9d %9.2f %12.6f %11.1f", m.unknowns, still.seconds, still.tip,
               1e3 * moving.seconds / STEPS);
        snprintf(arguments, sizeof arguments, "static %d %d %d", n[0], n[1], n[2]);
        double millions = counted ? bench_count(self, arguments, "main") : -1.0;
        millions < 0 ? printf("%13s", "-") : printf("%13.0f", millions);
        run_peer(&m, &peer) ? printf(" %9.2f %12.6f\n", peer.seconds, peer.tip)
                            : printf(" %9s %12s\n", "-", "-");
        fflush(stdout);
    }
    clean_up(&m);
}

int main(int argc, char **argv)
{
    static const int bars[3][3] = {{10, 2, 2}, {28, 6, 6}, {70, 10, 10}};
    if (argc > 4) {
        const int n[3] = {atoi(argv[2]), atoi(argv[3]), atoi(argv[4])};
        mesh m = {0};
        outcome o;
        bool fine = write_mesh(n, false, &m) && run(&m, strcmp(argv[1], "motion") == 0, &o);
        if (fine) printf("%d unknowns, %.2f s, tip at %.9f\n", m.unknowns, o.seconds, o.tip);
        clean_up(&m);
        return !fine;
    }
    printf("%9s %9s %12s %11s %13s %9s %12s\n", "unknowns", "static s", "tip z", "ms/step",
           "10^6 instr.", "ccx s", "tip z");
    for (int i = 0; i < (argc > 1 && strcmp(argv[1], "large") == 0 ? 3 : 2); i++) {
        show(argv[0], bars[i], i < 1);
    }
    return 0;
}
