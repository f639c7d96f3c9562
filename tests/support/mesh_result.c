// mesh_result.c - a result of a swinging elastic tube, with as many nodes and rows as asked for, for the
// page's tests and benchmark: the numbers are formulas, so that the page's can be checked.
//   mesh_result NODES ROWS FILE
// Node j of ring i of the tube (length 1, radius 0.1) is at (i/rings, 0.1 cos, 0.1 sin); its number is
// 1 + 24 i + j. Mode k displaces it by sin(pi k x) along y (k odd) or z (k even), and a little by chance
// along x; it stresses it by xx = 1e9 k cos(w), and a little by chance by xy: real meshes do not pack well.
// Coordinate k at time t is 0.02/k sin(k t); the tube stands still. A signal says q1.
#include "flexion/extend/sink_table.h"
#include "flexion/flexion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define AROUND 24
#define MODES 12
#define PI 3.14159265358979323846

static flx_scene_body body = {.name = "tube", .mass = 1, .com = {0.5, 0, 0}, .place = 1};
static const flx_scene_elastic elastic = {.motion = FLX_SCENE_MOTION};
static const flx_scene scene = {.dimension = 3,
                                .size = 1,
                                .gravity = {0, 0, -9.81},
                                .nbody = 1,
                                .bodies = &body,
                                .nelastic = 1,
                                .elastics = &elastic};

typedef struct tube {
    int rings, n;
    float *nodes, *modes, *stress;
    int *labels, *triangles, *cells, *offsets;
} tube;

static void *take(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p) abort();
    return p;
}

static void make_nodes(tube *b)
{
    for (int i = 0; i < b->n; i++) {
        int ring = i / AROUND;
        double x = (double)ring / (b->rings - 1), w = 2 * PI * (i % AROUND) / AROUND;
        b->nodes[3 * i] = (float)x;
        b->nodes[3 * i + 1] = (float)(0.1 * cos(w));
        b->nodes[3 * i + 2] = (float)(0.1 * sin(w));
        b->labels[i] = i + 1;
        for (int k = 1; k <= MODES; k++) {
            size_t at = (size_t)(k - 1) * (size_t)b->n + (size_t)i;
            b->modes[3 * at + (k % 2 ? 1 : 2)] = (float)sin(PI * k * x);
            b->modes[3 * at] = (float)(0.01 * fmod((double)at * 0.6180339887498949, 1));
            b->stress[6 * at + 3] = (float)(1e7 * fmod((double)at * 0.7548776662466927, 1));
            b->stress[6 * at] = (float)(1e9 * k * cos(w));
        }
    }
}

static int make_triangles(tube *b)
{
    int n = 0;
    for (int i = 0; i < b->n - AROUND; i++) {
        int next = i % AROUND == AROUND - 1 ? i - AROUND + 1 : i + 1;
        const int corners[6] = {i, next, i + AROUND, next, next + AROUND, i + AROUND};
        for (int k = 0; k < 6; k++) b->triangles[n++] = corners[k];
    }
    for (int i = 0; i < n / 3; i++) {
        b->cells[i] = 5;
        b->offsets[i + 1] = 3 * (i + 1);
    }
    return n / 3;
}

static flx_status write_rows(flx_sink *s, const flx_result_info *info, int rows)
{
    flx_ledger ledger = {.balanced = 1, .t = 10};
    flx_status status = s->type->begin(s, info);
    for (int i = 0; i < rows && status == FLX_OK; i++) {
        double t = 10.0 * i / (rows - 1), motion[7 + MODES] = {[3] = 1};
        for (int k = 1; k <= MODES; k++) motion[6 + k] = 0.02 / k * sin(k * t);
        status = s->type->motion(s, motion);
        if (status == FLX_OK) status = s->type->row(s, t, motion + 7);
    }
    return status == FLX_OK ? s->type->end(s, &ledger) : status;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"tube.mode(1)"}, *const units[] = {""};
    if (argc != 4) return 2;
    tube b = {.rings = atoi(argv[1]) / AROUND};
    b.n = b.rings * AROUND;
    size_t n = (size_t)b.n;
    b.nodes = take(3 * n, sizeof *b.nodes);
    b.modes = take(3 * n * MODES, sizeof *b.modes);
    b.stress = take(6 * n * MODES, sizeof *b.stress);
    b.labels = take(n, sizeof *b.labels);
    b.triangles = take(6 * n, sizeof *b.triangles);
    b.cells = take(2 * n, sizeof *b.cells);
    b.offsets = take(2 * n + 1, sizeof *b.offsets);
    make_nodes(&b);
    int triangles = make_triangles(&b);
    const flx_result_mesh mesh = {.nnode = b.n,
                                  .nsurface = b.n,
                                  .ntriangle = triangles,
                                  .ncell = triangles,
                                  .nmode = MODES,
                                  .nodes = b.nodes,
                                  .labels = b.labels,
                                  .triangles = b.triangles,
                                  .cells = b.cells,
                                  .offsets = b.offsets,
                                  .connectivity = b.triangles,
                                  .modes = b.modes,
                                  .stress = b.stress};
    const flx_result_info info = {.title = "A tube that swings",
                                  .method = "none",
                                  .model_text = "",
                                  .ncolumn = 1,
                                  .names = names,
                                  .units = units,
                                  .rows = atoi(argv[2]),
                                  .scene = &scene,
                                  .nmotion = 7 + MODES,
                                  .nmesh = 1,
                                  .meshes = &mesh};
    flx_ctx *ctx = flx_ctx_create();
    flx_sink *s = NULL;
    flx_status status = flx_hdf5_sink_create(ctx, argv[3], &s);
    if (status == FLX_OK) status = write_rows(s, &info, atoi(argv[2]));
    flx_sink_destroy(&s);
    flx_ctx_destroy(&ctx);
    free(b.nodes), free(b.modes), free(b.stress), free(b.labels);
    free(b.triangles), free(b.cells), free(b.offsets);
    return status == FLX_OK ? 0 : 1;
}
