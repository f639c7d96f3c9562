// test_shape_kinds.c - each kind of shape in the table is read, stands in the scene under its word, and is drawn with the
// extent that it says.
#include "draw/shape_triangles.h"
#include "flexion/flexion.h"
#include "language/schema/schema_parts.h"
#include "model/shape_kind.h"
#include "results_fixture.h"
#include "scene/model_scene.h"

#include <math.h>

// How a model file says it, for each form.
static const char *const examples[] = {
    [FLX_SHAPE_OF_EDGES] = "[0.5, 0.3, 0.2]",
    [FLX_SHAPE_OF_ROUND] = "{radius: 0.2, length: 0.3, axis: [0, 0, 2]}",
    [FLX_SHAPE_OF_RADIUS] = "0.2",
    [FLX_SHAPE_OF_FILE] = "shape.obj",
};

static flx_status read_model(flx_ctx *ctx, const char *shape, flx_model **m)
{
    char text[512];
    const char *where = in_folder("m.yaml");
    snprintf(text, sizeof text, "flexion: 1\nbodies: {a: {type: point, mass: 1, shape: %s}}\n",
             shape);
    return flx_model_read_text(ctx, where, text, strlen(text), 0, NULL, m);
}

static void write_mesh(void)
{
    FILE *f = fopen(in_folder("shape.obj"), "wb");
    if (!f) abort();
    fputs("v 0 0 0\nv 0.4 0 0\nv 0 0.1 0\nv 0 0 0.2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n", f);
    fclose(f);
}

static double extent_of(const flx_triangles *t, int k)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < t->npoint; i++) {
        low = fmin(low, t->points[3 * i + k]);
        high = fmax(high, t->points[3 * i + k]);
    }
    return high - low;
}

static int one_kind(const flx_shape_kind *kind)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_scene *scene = NULL;
    flx_arena *arena = flx_arena_create(ctx);
    char shape[128];
    snprintf(shape, sizeof shape, "{%s: %s}", kind->row.key, examples[kind->form]);
    CHECK(read_model(ctx, shape, &m) == FLX_OK);
    CHECK(m->bodies[0].nshape == 1 && m->bodies[0].shapes[0].kind == kind);
    CHECK(flx_scene_make(m, arena, &scene) == FLX_OK);
    CHECK(scene->nshape == 1 && strcmp(scene->shapes[0].kind, kind->row.key) == 0);
    CHECK((scene->shapes[0].surface >= 0) == (kind->form == FLX_SHAPE_OF_FILE));
    double extent = flx_shape_extent(m->bodies[0].shapes);
    CHECK_NEAR(scene->size, extent, 1e-15);
    if (kind->form != FLX_SHAPE_OF_FILE) {
        flx_triangles t = {.ctx = ctx};
        double largest = 0;
        CHECK(flx_triangles_add_shape(&t, NULL, scene->shapes, 1) == FLX_OK && t.ntriangle > 10);
        for (int k = 0; k < 3; k++) largest = fmax(largest, extent_of(&t, k));
        CHECK(largest >= extent * (1 - 1e-12)); // a capsule is longer by its ends
        flx_triangles_clear(&t);
    } else {
        CHECK_NEAR(extent, 0.4, 1e-7);
    }
    flx_arena_destroy(&arena);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int every_kind_is_read_and_drawn(void)
{
    make_folder("shape_kinds");
    write_mesh();
    for (int i = 0; flx_shape_get_kind(i); i++) CHECK(!one_kind(flx_shape_get_kind(i)));
    remove_folder();
    return 0;
}

// The language has one key per kind, and one of them is given.
static int one_kind_is_given(void)
{
    static const char *const wrong[] = {"{at: [0, 0, 0]}", "{box: [1, 1, 1], sphere: 0.1}"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_model *m = NULL;
        CHECK(read_model(ctx, wrong[i], &m) == FLX_ERR_MODEL);
        CHECK(strstr(flx_ctx_error(ctx, 0)->text, "box"));
        flx_model_destroy(&m);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// A body without a shape: a block of its inertia; rods from its joints to its centre of mass, and a ball there; one rod
// between two places; a ball for a point.
static int shapes_are_made_up(void)
{
    static const char text[] =
        "flexion: 1\nbodies:\n"
        "  block: {type: rigid, mass: 6, inertia: [1, 2, 2.5]}\n"
        "  swing: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [3, 0, 0]}\n"
        "  rod: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [5, 0, 0]}\n"
        "  dot: {type: point, mass: 1, position: [7, 0, 0]}\n"
        "joints:\n"
        "  a: {type: spherical, on: [ground, swing], at: [3, 0, 1]}\n"
        "  b: {type: spherical, on: [ground, rod], at: [5, 0, 1]}\n"
        "  c: {type: spherical, on: [rod, dot], at: [7, 0, 0]}\n";
    static const struct {
        int body;
        const char *kind;
    } expected[] = {{0, "box"}, {1, "capsule"}, {1, "sphere"}, {2, "capsule"}, {3, "sphere"}};
    flx_ctx *ctx = flx_ctx_create();
    flx_arena *arena = flx_arena_create(ctx);
    flx_model *m = NULL;
    flx_scene *scene = NULL;
    CHECK(flx_model_read_text(ctx, "m.yaml", text, strlen(text), 0, NULL, &m) == FLX_OK);
    CHECK(flx_scene_make(m, arena, &scene) == FLX_OK && scene->nshape == 5);
    for (int i = 0; i < 5; i++) {
        CHECK(scene->shapes[i].body == expected[i].body);
        CHECK(strcmp(scene->shapes[i].kind, expected[i].kind) == 0);
    }
    CHECK_NEAR(scene->shapes[0].size[0], sqrt(3.5), 1e-14); // 6 (I_yy + I_zz - I_xx) / m
    CHECK_NEAR(scene->shapes[1].size[1], 1.0, 1e-14);
    CHECK_NEAR(scene->shapes[3].size[1], sqrt(5.0), 1e-14);
    flx_arena_destroy(&arena);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(every_kind_is_read_and_drawn), TEST(one_kind_is_given), TEST(shapes_are_made_up))
