// test_page.c - scenes and motions in result files, and pages made of them.
#include "flexion/flexion.h"
#include "page/page_pack.h"
#include "page/page_template.h"
#include "page/pages.h"
#include "page/scene_json.h"
#include "results_fixture.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

// A text read from a file as a model, run, and its result read back.
static flx_result *run(flx_ctx *ctx, const char *text)
{
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_sink *sink = NULL;
    flx_result *r = NULL;
    const char *path = in_folder("model.yaml"), *result = in_folder("run.h5");
    write_text(path, text, strlen(text));
    if (flx_model_read(ctx, path, 0, NULL, &model) == FLX_OK &&
        flx_simulation_create(model, &sim) == FLX_OK &&
        flx_hdf5_sink_create(ctx, result, &sink) == FLX_OK) {
        flx_simulation_run(sim, 1, &sink, NULL, NULL);
        flx_sink_destroy(&sink);
        flx_result_open(ctx, result, &r);
    }
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    return r;
}

static const char plane[] =
    "flexion: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  rod: {type: rigid, mass: 1, com: [0.5, 0], inertia: 0.1, points: {tip: [1, 0]}}\n"
    "  bob: {type: point, mass: 2, position: [1, 0], shape: {sphere: 0.1}}\n"
    "joints:\n"
    "  A: {type: revolute, on: [ground, rod], at: [0, 0]}\n"
    "  B: {type: revolute, on: [rod, bob], at: rod.tip}\n"
    "forces: {s: {type: spring, on: [ground, bob], at: [[0, 1], bob], stiffness: 3}}\n"
    "simulate: {until: 1, method: dopri5, rtol: 1e-9, atol: 1e-9}\n"
    "outputs: {every: 0.01, signals: [rod.position, rod.angle, bob.position]}\n";

static const char space[] = "flexion: 1\n"
                            "bodies:\n"
                            "  top: {type: rigid, mass: 1, com: [0, 0, 0.3], inertia: [0.1, 0.1, "
                            "0.05], position: [1, 2, 3],\n"
                            "        angular_velocity: [0.3, 2, 5]}\n"
                            "simulate: {until: 1, method: dopri5, rtol: 1e-9, atol: 1e-9}\n"
                            "outputs: {every: 0.05, signals: [top.position, top.orientation]}\n";

static bool near(float a, double b)
{
    return fabs((double)a - b) <= 3e-7 * (1 + fabs(b));
}

static int planar_motion_is_that_of_the_signals(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = run(ctx, plane);
    CHECK(r != NULL);
    int n;
    const float *m = flx_result_motion(r, &n);
    CHECK(m && n == 14 && flx_result_rows(r) == 101);
    for (int i = 0; i < 101; i++, m += n) {
        double angle = flx_result_column(r, 3)[i];
        CHECK(near(m[0], flx_result_column(r, 1)[i]) && near(m[1], flx_result_column(r, 2)[i]));
        CHECK(near(m[3], cos(angle / 2)) && near(m[6], sin(angle / 2)) && m[4] == 0 && m[5] == 0);
        CHECK(near(m[7], flx_result_column(r, 4)[i]) && near(m[8], flx_result_column(r, 5)[i]));
        CHECK(m[10] == 1 && m[13] == 0); // a point does not turn
    }
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int spatial_motion_is_that_of_the_signals(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = run(ctx, space);
    CHECK(r != NULL);
    int n;
    const float *m = flx_result_motion(r, &n);
    CHECK(m && n == 7);
    for (int i = 0; i < flx_result_rows(r); i++, m += n) {
        double along = 0;
        for (int k = 0; k < 3; k++) CHECK(near(m[k], flx_result_column(r, 1 + k)[i]));
        for (int k = 0; k < 4; k++) along += (double)m[3 + k] * flx_result_column(r, 4 + k)[i];
        CHECK(near((float)fabs(along), 1)); // q and -q are one orientation
    }
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int scene_tells_shapes_joints_and_forces(void)
{
    static const char *const parts[] = {
        "\"dimension\": 2",
        "{\"name\": \"rod\", \"motion\": 0",
        "{\"name\": \"bob\", \"motion\": 7",
        "\"kind\": \"capsule\", \"size\": [0.02, 1, 0], \"at\": [0.5, 0, 0], \"axis\": [1, 0, 0]",
        "\"kind\": \"sphere\", \"size\": [0.1, 0, 0]",
        "{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [-1, 0]",
        "{\"name\": \"s\", \"type\": \"spring\", \"bodies\": [-1, 1]",
        "\"at\": [[0, 1, 0], [0, 0, 0]]}",
    };
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = run(ctx, plane);
    CHECK(r && flx_result_scene(r));
    flx_text t;
    flx_text_start(&t, ctx);
    flx_scene_put_json(&t, flx_result_scene(r));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) CHECK_TEXT(t.data, parts[i]);
    flx_text_clear(&t);
    CHECK_TEXT(flx_result_model(r), plane);
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int result_tells_its_facts(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = run(ctx, plane);
    CHECK(r != NULL);
    const char *name, *text;
    double number, steps = 0;
    bool method = false;
    for (int i = 0; (name = flx_result_fact(r, i, &text, &number)) != NULL; i++) {
        if (strcmp(name, "method") == 0) method = text && strcmp(text, "dopri5") == 0;
        if (strcmp(name, "ledger/steps") == 0) steps = number;
    }
    CHECK(method && steps > 10);
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

// What the page does to read the numbers back.
static double unpack(const unsigned char *p, int n, int bytes, int k)
{
    uint64_t sum = 0;
    for (int i = 0; i <= k; i++) {
        uint64_t d = 0;
        for (int b = bytes - 1; b >= 0; b--) d = d << 8 | p[b * n + i];
        sum += d;
    }
    if (bytes == 8) {
        double x;
        memcpy(&x, &sum, sizeof x);
        return x;
    }
    uint32_t low = (uint32_t)sum;
    float x;
    memcpy(&x, &low, sizeof x);
    return (double)x;
}

static int numbers_are_packed_without_loss(void)
{
    enum { N = 100 };
    double x[N];
    for (int i = 0; i < N; i++) x[i] = sin(0.3 * i) * pow(10, i % 7 - 3);
    flx_ctx *ctx = flx_ctx_create();
    for (int stride = 1; stride < 130; stride += 7) {
        int count = flx_pack_count(N, stride);
        flx_text t;
        flx_text_start(&t, ctx);
        flx_pack_doubles(&t, N, stride, x);
        flx_pack_narrowed(&t, N, stride, x);
        CHECK((int)t.length == 12 * count);
        const unsigned char *p = (const unsigned char *)t.data;
        for (int k = 0; k < count; k++) {
            double expected = x[k * stride < N - 1 ? k * stride : N - 1];
            CHECK(unpack(p, count, 8, k) == expected);
            CHECK(unpack(p + 8 * count, count, 4, k) == (double)(float)expected);
        }
        flx_text_clear(&t);
    }
    CHECK(flx_pack_count(0, 3) == 0 && flx_pack_count(1, 3) == 1 && flx_pack_count(4, 3) == 2);
    CHECK(flx_pack_count(5, 3) == 3); // the last is always there
    static const char *const vectors[] = {"",         "Zg==",     "Zm8=",    "Zm9v",
                                          "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
    for (size_t n = 1; n < 7; n++) { // of RFC 4648
        flx_text t;
        flx_text_start(&t, ctx);
        flx_pack_base64(&t, n, (const unsigned char *)"foobar");
        CHECK(t.length == strlen(vectors[n]) && memcmp(t.data, vectors[n], t.length) == 0);
        flx_text_clear(&t);
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

static long file_size(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (long)info.st_size : -1;
}

// A page of one result; a program without its page says so.
static int page_is_written_or_missed(flx_ctx *ctx, flx_result *r)
{
    const char *label = "run";
    flx_page_def def = {.path = in_folder("a.html"), .nresult = 1, .results = &r, .labels = &label};
    flx_page_size size;
    flx_status status = flx_page_write(ctx, &def, &size);
    CHECK(status == (flx_page_template ? FLX_OK : FLX_ERR_UNAVAILABLE));
    CHECK(!flx_page_template || (long)size.bytes == file_size(def.path));
    flx_ctx_clear_messages(ctx);
    return 0;
}

static int pages_keep_to_their_size(void)
{
    flx_ctx *ctx = flx_ctx_create();
    const char *label = "run", *path = in_folder("small.html");
    flx_result *r =
        run(ctx, "flexion: 1\n"
                 "bodies: {a: {repeat: {i: [1, 20]}, type: point, mass: 1, position: [i, 0, 0],\n"
                 "             velocity: [0, i, 1]}}\n"
                 "forces: {N: {type: gravitation, G: 3}}\n"
                 "simulate: {until: 2, method: dopri5, rtol: 1e-6, atol: 1e-6}\n"
                 "outputs: {every: 0.0005, signals: [energy]}\n");
    CHECK(r != NULL);
    CHECK(page_is_written_or_missed(ctx, r) == 0);
    if (flx_page_template) {
        flx_page_def def = {.path = path, .nresult = 1, .results = &r, .labels = &label};
        flx_page_size all, some;
        CHECK(flx_page_write(ctx, &def, &all) == FLX_OK);
        CHECK(all.rows == 4001 && all.frames == 4001 && (long)all.bytes == file_size(path));
        def.limit = all.bytes - (all.bytes - strlen(flx_page_template)) / 2;
        CHECK(flx_page_write(ctx, &def, &some) == FLX_OK);
        CHECK(some.bytes <= def.limit && (long)some.bytes == file_size(path));
        CHECK(some.frames < 4001 && some.frames > 400);
        def.limit = 1000;
        CHECK(flx_page_write(ctx, &def, &some) == FLX_ERR_ARGUMENT);
    }
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A bowl of many facets as the shape of two bodies: once in the file, and coarser in a small page.
static int surfaces_come_along(void)
{
    enum { SIDE = 120 };
    flx_ctx *ctx = flx_ctx_create();
    flx_text t;
    flx_text_start(&t, ctx);
    for (int i = 0; i < SIDE * SIDE; i++) {
        int row = i / SIDE;
        double x = row, y = i % SIDE;
        flx_text_print(&t, "v %g %g %g\n", x, y, 0.01 * (x * x + y * y) + 0.1 * sin(17.0 * i));
    }
    for (int i = 0; i < SIDE * SIDE - SIDE; i++) {
        if (i % SIDE != SIDE - 1)
            flx_text_print(&t, "f %d %d %d %d\n", i + 1, i + SIDE + 1, i + SIDE + 2, i + 2);
    }
    write_text(in_folder("bowl.obj"), t.data, t.length);
    flx_text_clear(&t);
    flx_result *r =
        run(ctx, "flexion: 1\n"
                 "bodies:\n"
                 "  a: {type: rigid, mass: 1, inertia: [1, 1, 1], velocity: [1, 0, 0],\n"
                 "      shape: {mesh: bowl.obj, scale: 0.01}}\n"
                 "  b: {type: rigid, mass: 1, inertia: [1, 1, 1], shape: {mesh: bowl.obj,\n"
                 "      orientation: {axis: [0, 0, 2], angle: pi}, at: [0, 0, 1]}}\n"
                 "simulate: {until: 1, method: dopri5, rtol: 1e-6, atol: 1e-6}\n"
                 "outputs: {every: 0.1, signals: [a.position]}\n");
    CHECK(r != NULL);
    const flx_scene_surface *s = flx_result_surface(r, 0);
    CHECK(s && !flx_result_surface(r, 1) && !flx_result_surface(r, -1));
    CHECK(s->npoint == SIDE * SIDE && s->ntriangle == 2 * (SIDE - 1) * (SIDE - 1));
    CHECK(s->points[3 * SIDE] == 1 && s->points[3 * SIDE + 1] == 0);
    flx_text_start(&t, ctx);
    flx_scene_put_json(&t, flx_result_scene(r));
    CHECK_TEXT(t.data, "\"scale\": 0.01, \"surface\": 0}");
    CHECK_TEXT(t.data, "\"scale\": 1, \"surface\": 0}");
    flx_text_clear(&t);
    if (flx_page_template) {
        const char *label = "run";
        flx_page_def def = {
            .path = in_folder("bowl.html"), .nresult = 1, .results = &r, .labels = &label};
        flx_page_size all, some;
        CHECK(flx_page_write(ctx, &def, &all) == FLX_OK);
        CHECK(all.points == SIDE * SIDE && all.kept == all.points);
        def.limit = all.bytes - 20000;
        CHECK(flx_page_write(ctx, &def, &some) == FLX_OK && some.bytes <= def.limit);
        CHECK(some.points == all.points && some.kept < all.points && some.kept > 100);
        CHECK(some.frames == all.frames); // these are few
    }
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int tables_and_empty_results_have_pages_too(void)
{
    static const char *const texts[] = {"t,x\n0,1\n1,nan\n2,3\n", "t,x\n"};
    flx_ctx *ctx = flx_ctx_create();
    for (int i = 0; i < 2; i++) {
        const char *path = in_folder("table.csv");
        flx_result *r = NULL;
        write_text(path, texts[i], strlen(texts[i]));
        CHECK(flx_result_open(ctx, path, &r) == FLX_OK);
        int n;
        CHECK(flx_result_motion(r, &n) == NULL && flx_result_scene(r) == NULL);
        CHECK(page_is_written_or_missed(ctx, r) == 0);
        flx_result_close(&r);
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

static int files_start(void)
{
    make_folder("page");
    return 0;
}

static int files_end(void)
{
    remove_folder();
    return 0;
}

TEST_MAIN(TEST(files_start), TEST(planar_motion_is_that_of_the_signals),
          TEST(spatial_motion_is_that_of_the_signals), TEST(scene_tells_shapes_joints_and_forces),
          TEST(result_tells_its_facts), TEST(numbers_are_packed_without_loss),
          TEST(pages_keep_to_their_size), TEST(surfaces_come_along),
          TEST(tables_and_empty_results_have_pages_too), TEST(files_end))
