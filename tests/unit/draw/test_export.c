// test_export.c - results for other programs: series of VTK files and pictures are whole, and show the
// bodies where the motion has them.
#include "draw/drawings.h"
#include "draw/raster.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"
#include "page/pages.h"
#include "results_fixture.h"

#include <math.h>
#include <zlib.h>

static const char model[] =
    "flexion: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [1, 2, 3], velocity: [0.5, 0, 0],\n"
    "      shape: [{box: [2, 2, 2]}, {capsule: {radius: 0.1, length: 1}}, {sphere: 0.3}]}\n"
    "  b: {type: point, mass: 1, position: [3, 2, 3], shape: {cylinder: {radius: 1, length: 1}}}\n"
    "forces: {s: {type: spring, on: [a, b], at: [a, b], stiffness: 10, length: 1}}\n"
    "simulate: {until: 1, method: dopri5, rtol: 1e-9, atol: 1e-9}\n"
    "outputs: {every: 0.01, signals: [a.position, b.position]}\n";

static flx_result *run(flx_ctx *ctx, const char *text)
{
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    flx_sink *sink = NULL;
    flx_result *r = NULL;
    const char *result = in_folder("run.h5");
    if (flx_model_read_text(ctx, "m.yaml", text, strlen(text), 0, NULL, &m) == FLX_OK &&
        flx_simulation_create(m, &sim) == FLX_OK &&
        flx_hdf5_sink_create(ctx, result, &sink) == FLX_OK) {
        flx_simulation_run(sim, 1, &sink, NULL, NULL);
        flx_sink_destroy(&sink);
        flx_result_open(ctx, result, &r);
    }
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    return r;
}

// The whole file, 0-terminated; the caller frees it.
static unsigned char *read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    unsigned char *bytes = NULL;
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    bytes = calloc(*n + 1, 1);
    if (bytes && fread(bytes, 1, *n, f) != *n) abort();
    fclose(f);
    return bytes;
}

// ---- VTK ----------------------------------------------------------------------------------------

// The numbers of an array by its place among those declared; *bytes: how many.
static const unsigned char *array(const unsigned char *file, int number, uint64_t *bytes)
{
    const char *p = (const char *)file, *data = strstr(p, "<AppendedData encoding=\"raw\">\n_");
    for (int i = 0; i <= number && p; i++) p = strstr(p + 1, "offset=\"");
    if (!p || !data) return NULL;
    const unsigned char *at =
        (const unsigned char *)strchr(data, '_') + 1 + strtoull(p + 8, NULL, 10);
    memcpy(bytes, at, sizeof *bytes);
    return at + sizeof *bytes;
}

static int series_has_bodies_where_they_are(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = run(ctx, model);
    int written = 0;
    CHECK(r && flx_vtk_series_write(r, in_folder("s.pvd"), 11, &written) == FLX_OK);
    CHECK(written == 11);
    size_t n;
    unsigned char *pvd = read_file(in_folder("s.pvd"), &n);
    CHECK(pvd != NULL);
    CHECK_TEXT((char *)pvd, "<DataSet timestep=\"0\" part=\"0\" file=\"s/bodies_0000.vtp\"/>");
    CHECK_TEXT((char *)pvd, "file=\"s/bodies_0010.vtp\"/>");
    free(pvd);
    for (int i = 0; i <= 10; i += 5) {
        char name[64];
        uint64_t bytes = 0;
        snprintf(name, sizeof name, "s/bodies_%04d.vtp", i);
        unsigned char *vtp = read_file(in_folder(name), &n);
        CHECK(vtp != NULL);
        const unsigned char *points = array(vtp, 0, &bytes);
        CHECK(points && bytes % 12 == 0 && points + bytes < vtp + n);
        float mean[3] = {0}, x[3], spring[2][3];
        for (int k = 0; k < 8; k++) { // the box comes first
            memcpy(x, points + 12 * k, sizeof x);
            for (int c = 0; c < 3; c++) mean[c] += 0.125F * x[c];
        }
        memcpy(spring, points + bytes - sizeof spring, sizeof spring);
        for (int c = 0; c < 3; c++) {
            CHECK_NEAR((double)mean[c], flx_result_column(r, 1 + c)[10 * i], 1e-5);
            CHECK_NEAR((double)spring[0][c], flx_result_column(r, 1 + c)[10 * i], 1e-5);
            CHECK_NEAR((double)spring[1][c], flx_result_column(r, 4 + c)[10 * i], 1e-5);
        }
        int64_t corner, npoint = (int64_t)bytes / 12;
        const unsigned char *triangles = array(vtp, 3, &bytes);
        for (uint64_t k = 0; k < bytes; k += 8) {
            memcpy(&corner, triangles + k, 8);
            CHECK(corner >= 0 && corner < npoint);
        }
        CHECK(bytes > 24 * 12);
        free(vtp);
    }
    CHECK(flx_vtk_series_write(r, in_folder("s.vtk"), 0, &written) == FLX_ERR_ARGUMENT);
    CHECK(flx_vtk_series_write(r, in_folder("none/s.pvd"), 0, &written) == FLX_ERR_IO);
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int particles_alone_are_a_series(void)
{
    static const char text[] =
        "flexion: 1\n"
        "particles: {g: {positions: [[0, 0, 0.1], [0, 0, 0.2]], velocity: [1, 0, 0], radius: 0.01, "
        "density: 2500, material: {E: 1e6, nu: 0.3}, exchange: 1e-3}}\n"
        "simulate: {until: 0.1}\n"
        "outputs: {every: 0.1, signals: [g.count], particles: {every: 0.02}}\n";
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = run(ctx, text);
    int written = 0;
    size_t n;
    uint64_t bytes = 0;
    CHECK(r && flx_result_frames(r) == 6);
    CHECK(flx_vtk_series_write(r, in_folder("p.pvd"), 3, &written) == FLX_OK);
    CHECK(written == 3);
    CHECK(flx_vtk_series_write(r, in_folder("p.pvd"), 0, &written) == FLX_OK);
    CHECK(written == 6);
    unsigned char *pvd = read_file(in_folder("p.pvd"), &n);
    CHECK(pvd != NULL);
    CHECK_TEXT((char *)pvd, "<DataSet timestep=\"0\" part=\"0\" file=\"p/particles_0000.vtp\"/>");
    CHECK(strstr((char *)pvd, "bodies") == NULL);
    free(pvd);
    unsigned char *vtp = read_file(in_folder("p/particles_0005.vtp"), &n);
    CHECK(vtp != NULL);
    float x[6];
    const unsigned char *points = array(vtp, 0, &bytes);
    CHECK(points && bytes == sizeof x);
    memcpy(x, points, sizeof x);
    CHECK_NEAR((double)x[0], 0.1, 2e-3);
    CHECK_NEAR((double)x[5], 0.2, 1e-6);
    free(vtp);
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

// ---- pictures -----------------------------------------------------------------------------------

// The pixels of one of our files: filters 0 and 2 alone. NULL: it is none.
static unsigned char *read_png(const char *path, int *width, int *height)
{
    size_t n;
    unsigned char *file = read_file(path, &n), *rows = NULL;
    if (!file || n < 60 || memcmp(file, "\x89PNG\r\n\x1a\n", 8) != 0) return NULL;
    *width = file[18] << 8 | file[19];
    *height = file[22] << 8 | file[23];
    size_t row = 3 * (size_t)*width;
    uLongf size = (uLongf)((row + 1) * (size_t)*height);
    uLong packed = (uLong)file[33] << 24 | (uLong)file[34] << 16 | (uLong)file[35] << 8 | file[36];
    uLong sum = (uLong)file[41 + packed] << 24 | (uLong)file[42 + packed] << 16 |
                (uLong)file[43 + packed] << 8 | file[44 + packed];
    rows = calloc(size, 1);
    bool good = rows && crc32(0, file + 37, (uInt)(packed + 4)) == sum &&
                uncompress(rows, &size, file + 41, packed) == Z_OK;
    free(file);
    for (int y = 0; good && y < *height; y++) {
        unsigned char *to = rows + (size_t)y * row, *from = rows + (size_t)y * (row + 1);
        int filter = from[0];
        memmove(to, from + 1, row);
        for (size_t x = 0; filter == 2 && x < row; x++)
            to[x] = (unsigned char)(to[x] + to[(ptrdiff_t)x - (ptrdiff_t)row]);
    }
    if (good) return rows;
    free(rows);
    return NULL;
}

// Middle of all pixels beside the scale that are of the colour: the largest of its parts is this one, by far.
static double middle_of(const unsigned char *pixels, int width, int height, int part)
{
    double sum = 0, count = 0;
    for (int i = 0; i < width * height; i++) {
        const unsigned char *p = pixels + 3 * (size_t)i;
        if (i % width < 40) continue;
        if (p[part] > p[(part + 1) % 3] + 40 && p[part] > p[(part + 2) % 3] + 40) {
            sum += i % width;
            count++;
        }
    }
    return count > 0 ? sum / count : -1;
}

static int pictures_show_the_motion(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = run(ctx, model);
    flx_frames_def def = {
        .folder = in_folder("film"), .width = 320, .height = 200, .frames = 3, .view = "y"};
    int written = 0, width, height;
    CHECK(r && flx_frames_write(r, &def, &written) == FLX_OK && written == 3);
    double a[2];
    for (int i = 0; i < 2; i++) {
        unsigned char *p =
            read_png(in_folder(i ? "film/frame_0002.png" : "film/frame_0000.png"), &width, &height);
        CHECK(p && width == 320 && height == 200);
        a[i] = middle_of(p, width, height, 2); // the first body is blue
        free(p);
    }
    CHECK(a[0] > 40 && a[1] > a[0] + 5 && a[1] < 300); // the spring pulls it to the right
    def.view = "w";
    CHECK(flx_frames_write(r, &def, &written) == FLX_ERR_ARGUMENT);
    def.view = NULL;
    def.width = 1 << 20;
    CHECK(flx_frames_write(r, &def, &written) == FLX_ERR_ARGUMENT);
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Without a body, too: they go to the right, in the colour of the largest speed.
static int pictures_show_particles(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = run(
        ctx, "flexion: 1\n"
             "particles: {g: {positions: [[0, 0, 0.1], [0, 0, 0.12]], velocity: [1, 0, 0], radius: "
             "0.01, density: 2500, material: {E: 1e6, nu: 0.3}, exchange: 1e-3}}\n"
             "simulate: {until: 0.1}\n"
             "outputs: {every: 0.1, signals: [g.count], particles: {every: 0.02}}\n");
    flx_frames_def def = {
        .folder = in_folder("balls"), .width = 320, .height = 200, .frames = 2, .view = "y"};
    int written = 0, width, height;
    CHECK(r && flx_frames_write(r, &def, &written) == FLX_OK && written == 2);
    double a[2];
    for (int i = 0; i < 2; i++) {
        unsigned char *p = read_png(in_folder(i ? "balls/frame_0001.png" : "balls/frame_0000.png"),
                                    &width, &height);
        CHECK(p && width == 320 && height == 200);
        a[i] = middle_of(p, width, height, 0);
        free(p);
    }
    CHECK(a[0] > 40 && a[1] > a[0] + 50 && a[1] < 300);
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

// More bars than once had layers of their own, turned a little from one to the next: the last is whole.
static int bodies_of_a_plane_lie_in_layers(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r =
        run(ctx, "flexion: 1\ndimension: 2\n"
                 "bodies: {bar: {repeat: {i: [1, 25]}, type: rigid, mass: 1, inertia: 1,\n"
                 "  orientation: 0.01*i, angular_velocity: 0.001*i,\n"
                 "  shape: {box: [3, 0.6, 0.1 + 0.02*i]}}}\n"
                 "simulate: {until: 1, method: dopri5, rtol: 1e-8}\n"
                 "outputs: {every: 0.1, signals: [bar(1).angle]}\n");
    flx_frames_def def = {.folder = in_folder("sheets"), .width = 300, .height = 100, .frames = 2};
    int written = 0, width, height;
    CHECK(r && flx_frames_write(r, &def, &written) == FLX_OK && written == 2);
    for (int i = 0; i < 2; i++) {
        unsigned char *p = read_png(
            in_folder(i ? "sheets/frame_0001.png" : "sheets/frame_0000.png"), &width, &height);
        CHECK(p && width == 300 && height == 100);
        const unsigned char *middle = p + 3 * (50 * (size_t)width + 150);
        CHECK(middle[2] > middle[1] + 30); // violet: number 25 of ten colours is the fifth again
        for (int k = 0; k < 40 * 9; k++) {
            const unsigned char *x = p + 3 * ((size_t)(46 + k / 40) * (size_t)width + 130 + k % 40);
            for (int c = 0; c < 3; c++) CHECK(abs(x[c] - middle[c]) <= 3);
        }
        free(p);
    }
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

static const char cube[] =
    "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 1, 1, 0\n4, 0, 1, 0\n5, 0, 0, 1\n6, 1, 0, 1\n7, 1, 1, 1\n"
    "8, 0, 1, 1\n*ELEMENT, TYPE=C3D8, ELSET=ALL\n1, 1, 2, 3, 4, 5, 6, 7, 8\n"
    "*NSET, NSET=ROOT\n1, 4, 5, 8\n";

// A solid is its surface: nodes that move, nodes that are held by the ground and by a body.
static int solids_are_surfaces(void)
{
    flx_ctx *ctx = flx_ctx_create();
    write_text("export_cube.inp", cube, strlen(cube));
    flx_result *r = run(ctx, "flexion: 1\ngravity: [0, 0, -9.81]\n"
                             "bodies: {cube: {type: solid, mesh: export_cube.inp, fixed: [ROOT],\n"
                             "  material: {E: 1e5, nu: 0.3, density: 1000}}}\n"
                             "simulate: {until: 0.2, method: generalized-alpha, step: 0.01}\n"
                             "outputs: {every: 0.1, signals: [cube.node(7).position]}\n");
    int written = 0, width, height;
    size_t n;
    uint64_t bytes;
    CHECK(r && flx_vtk_series_write(r, in_folder("c.pvd"), 3, &written) == FLX_OK && written == 3);
    unsigned char *vtp = read_file(in_folder("c/bodies_0002.vtp"), &n);
    CHECK(vtp != NULL);
    const unsigned char *points = array(vtp, 0, &bytes);
    CHECK(points && bytes == 8 * 12);
    int found = 0, held = 0;
    for (int k = 0; k < 8; k++) {
        float x[3];
        double far = 0;
        memcpy(x, points + 12 * k, sizeof x);
        for (int c = 0; c < 3; c++) far += fabs((double)x[c] - flx_result_column(r, 1 + c)[2]);
        found += far < 1e-5;
        held += x[0] == 0;
    }
    CHECK(found == 1 && held == 4 && fabs(flx_result_column(r, 3)[2] - 1) > 1e-3);
    CHECK(array(vtp, 3, &bytes) && bytes == 12 * (uint64_t)24);
    free(vtp);
    flx_frames_def def = {.folder = in_folder("c"), .width = 120, .height = 100, .frames = 1};
    CHECK(flx_frames_write(r, &def, &written) == FLX_OK);
    unsigned char *p = read_png(in_folder("c/frame_0000.png"), &width, &height);
    CHECK(p != NULL);
    const unsigned char *middle = p + 3 * (50 * (size_t)width + 60);
    CHECK(middle[2] > middle[0] + 60); // blue, not the ground
    free(p);
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    remove("export_cube.inp");
    return 0;
}

// Rows that are no numbers and scenes that fit nothing: what there is, is drawn.
static int odd_results_are_survived(void)
{
    static flx_scene_body bodies[2] = {{.name = "a", .place = 1}, {.name = "b", .motion = 9}};
    static const flx_scene_shape box = {.kind = "box"}, mesh = {.kind = "mesh", .surface = 3};
    static const flx_scene_shape huge[2] = {{.kind = "capsule", .size = {1e300, 2, 1}},
                                            {.body = 7, .kind = "nothing"}};
    static const flx_scene_elastic far = {.motion = 1, .mesh = 2}, behind = {.motion = 90};
    static const double places[6] = {0, 0, 0, 1, 2, (double)NAN}, moved[12] = {1};
    static const flx_scene_elastic line = {.motion = 2,
                                           .line = 1,
                                           .mesh = -1,
                                           .nnode = 2,
                                           .nmode = 2,
                                           .nodes = places,
                                           .shapes = moved};
    static const int carriers[3] = {0, 9, -3}, faces[9] = {0, 1, 2, 0, 1, 7, -1, 0, 2};
    static const double at[9] = {1, 2, 3};
    static const flx_scene_solid solids[2] = {
        {.name = "s", .nnode = 3, .ntriangle = 3, .body = carriers, .at = at, .triangles = faces},
        {0}};
    static const flx_scene_line lines[2] = {{.name = "l", .nnode = 3, .nodes = carriers}, {0}};
    static const flx_scene_link joints[3] = {{.type = "prismatic", .body = {-1, 0}},
                                             {.type = "universal"},
                                             {.type = "fixed", .body = {0, 0}}};
    static const flx_scene_link spring = {.type = "spring", .body = {0, 5}}, odd[2] = {{0}};
    static const flx_scene scenes[] = {
        {0},
        {.nbody = 1, .bodies = bodies, .nshape = 1, .shapes = &box},
        {.nbody = 2, .bodies = bodies, .nshape = 1, .shapes = &mesh},
        {.nbody = 1, .bodies = bodies, .nelastic = 1, .elastics = &far},
        {.nbody = 1, .bodies = bodies, .nelastic = 1, .elastics = &behind},
        {.nbody = 1, .bodies = bodies, .nsolid = 2, .solids = solids, .nline = 2, .lines = lines},
        {.dimension = 2, .nbody = 1, .bodies = bodies, .njoint = 3, .joints = joints},
        {.njoint = 2, .joints = odd, .nforce = 1, .forces = &spring},
        {.size = (double)NAN,
         .nbody = 1,
         .bodies = bodies,
         .nelastic = 1,
         .elastics = &line,
         .nshape = 2,
         .shapes = huge}};
    flx_ctx *ctx = flx_ctx_create();
    flx_ledger ledger = {0};
    flx_frames_def def = {.width = 64, .height = 64};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        const double motion[2][7] = {{0, 0, 0, 1, 0, 0, 0}, {(double)NAN, 1, 1e38, 0, 0, 0, 0}};
        flx_result_info info = {.title = "odd", .scene = &scenes[i], .nmotion = 7};
        flx_sink *s = NULL;
        flx_result *r = NULL;
        int written = 0;
        CHECK(flx_hdf5_sink_create(ctx, in_folder("odd.h5"), &s) == FLX_OK);
        CHECK(s->type->begin(s, &info) == FLX_OK);
        for (int k = 0; k < 2; k++) {
            CHECK(s->type->motion(s, motion[k]) == FLX_OK);
            CHECK(s->type->row(s, k, NULL) == FLX_OK);
        }
        CHECK(s->type->end(s, &ledger) == FLX_OK);
        flx_sink_destroy(&s);
        CHECK(flx_result_open(ctx, in_folder("odd.h5"), &r) == FLX_OK);
        def.folder = in_folder("odd");
        CHECK(flx_frames_write(r, &def, &written) == FLX_OK);
        CHECK(flx_vtk_series_write(r, in_folder("odd.pvd"), 0, &written) == FLX_OK);
        flx_result_close(&r);
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

// ---- meshes -------------------------------------------------------------------------------------

// A tetrahedron whose only coordinate stretches it along x and stresses it: pages, series and pictures.
static flx_result *stretch(flx_ctx *ctx)
{
    static const float nodes[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const float modes[12] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0};
    static const float stress[24] = {[6] = 3e6F, [12] = 1e6F, [15] = 1e6F};
    static const int labels[4] = {11, 12, 13, 14}, cell = 10, offsets[2] = {0, 4};
    static const int triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2}, links[4] = {0, 1, 2, 3};
    const flx_result_mesh mesh = {.nnode = 4,
                                  .nsurface = 4,
                                  .ntriangle = 4,
                                  .ncell = 1,
                                  .nmode = 1,
                                  .nodes = nodes,
                                  .labels = labels,
                                  .triangles = triangles,
                                  .cells = &cell,
                                  .offsets = offsets,
                                  .connectivity = links,
                                  .modes = modes,
                                  .stress = stress};
    static flx_scene_body body = {.name = "a", .place = 1};
    static const flx_scene_elastic elastic = {.motion = FLX_SCENE_MOTION};
    static const flx_scene scene = {.dimension = 3,
                                    .size = 1,
                                    .nbody = 1,
                                    .bodies = &body,
                                    .nelastic = 1,
                                    .elastics = &elastic};
    const flx_result_info info = {
        .title = "stretch", .nmotion = 8, .nmesh = 1, .meshes = &mesh, .scene = &scene};
    const flx_ledger ledger = {0};
    flx_sink *s = NULL;
    flx_result *r = NULL;
    const char *path = in_folder("mesh.h5");
    bool good = flx_hdf5_sink_create(ctx, path, &s) == FLX_OK && s->type->begin(s, &info) == FLX_OK;
    for (int i = 0; good && i < 3; i++) {
        const double motion[8] = {5, 0, 0, 1, 0, 0, 0, 0.5 * i}; // at x = 5
        good = s->type->motion(s, motion) == FLX_OK && s->type->row(s, i, NULL) == FLX_OK;
    }
    good = good && s->type->end(s, &ledger) == FLX_OK;
    flx_sink_destroy(&s);
    if (good) flx_result_open(ctx, path, &r);
    return r;
}

static int meshes_are_deformed(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = stretch(ctx);
    int written = 0, width, height;
    size_t n;
    uint64_t bytes = 0;
    float x[12];
    CHECK(r && flx_vtk_series_write(r, in_folder("mesh.pvd"), 0, &written) == FLX_OK);
    CHECK(written == 3);
    unsigned char *vtu = read_file(in_folder("mesh/mesh_0_0002.vtu"), &n);
    CHECK(vtu != NULL);
    memcpy(x, array(vtu, 0, &bytes), sizeof x);
    CHECK(bytes == sizeof x && x[0] == 5 && x[3] == 7 && x[6] == 5 && x[7] == 1); // one unit
    memcpy(x, array(vtu, 5, &bytes), sizeof x);
    CHECK(bytes == sizeof x && x[3] == 1 && x[4] == 0);
    memcpy(x, array(vtu, 7, &bytes), 4 * sizeof *x);
    CHECK(bytes == 4 * sizeof *x);
    CHECK_NEAR((double)x[1], 3e6, 1); // pulled
    CHECK_NEAR((double)x[2], 2e6, 1); // and sheared: sqrt(1 + 3)
    CHECK(x[0] == 0 && x[3] == 0);
    free(vtu);
    for (int stress = 0; stress < 2; stress++) {
        flx_frames_def def = {
            .folder = in_folder("bent"), .width = 200, .height = 160, .stress = stress};
        CHECK(flx_frames_write(r, &def, &written) == FLX_OK);
        unsigned char *first = read_png(in_folder("bent/frame_0000.png"), &width, &height);
        CHECK(first != NULL);
        double blue = middle_of(first, width, height, 2);
        free(first);
        unsigned char *last = read_png(in_folder("bent/frame_0002.png"), &width, &height);
        CHECK(last != NULL);
        double red = middle_of(last, width, height, 0);
        free(last);
        CHECK(blue > 50 && red > blue); // where it is pulled out it is red
    }
    const char *label = "mesh";
    flx_page_def def = {.path = in_folder("m.html"), .nresult = 1, .results = &r, .labels = &label};
    flx_page_size size;
    flx_status status = flx_page_write(ctx, &def, &size);
    CHECK(status == FLX_ERR_UNAVAILABLE ||
          (status == FLX_OK && size.points == 4 && size.kept == 4));
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int files_start(void)
{
    make_folder("export");
    return 0;
}

static int files_end(void)
{
    remove_folder();
    return 0;
}

TEST_MAIN(TEST(files_start), TEST(series_has_bodies_where_they_are),
          TEST(particles_alone_are_a_series), TEST(pictures_show_the_motion),
          TEST(pictures_show_particles), TEST(bodies_of_a_plane_lie_in_layers),
          TEST(solids_are_surfaces), TEST(odd_results_are_survived), TEST(meshes_are_deformed),
          TEST(files_end))
