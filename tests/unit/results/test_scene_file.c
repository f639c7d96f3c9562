// test_scene_file.c - scenes in result files: every number comes back, what does not fit is left out, older files are told.
#include "draw/scene_places.h"
#include "flexion/extend/method_table.h"
#include "results_fixture.h"

#include <hdf5.h>

enum { BODIES = 3, MOTION = FLX_SCENE_MOTION * BODIES + 2 };

static flx_scene_body bodies[BODIES] = {
    {.name = "crank", .motion = 0, .mass = 0.1, .com = {1, 2, 3}, .place = 1},
    {.name = "Träger <a>", .motion = 7, .mass = 1e-300, .place = 1},
    {.name = "", .motion = 14, .place = 0}};
static const flx_scene_point points[] = {{.body = 0, .name = "pin", .at = {0.1, 0, -0.0}},
                                         {.body = 0, .name = "tip", .at = {1.0 / 3, 2, 1e22}},
                                         {.body = 2, .name = "end", .at = {0, 0, 5e-324}}};
static const flx_scene_shape shapes[] = {{.body = 0,
                                          .kind = "box",
                                          .size = {1, 2, 3},
                                          .at = {4, 5, 6},
                                          .turn = {0.6, 0, 0.8, 0},
                                          .scale = 1,
                                          .surface = -1},
                                         {.body = 2,
                                          .kind = "mesh",
                                          .axis = {0, 0, 1},
                                          .turn = {1},
                                          .scale = 0.001,
                                          .surface = 0,
                                          .colour = 1 + 0xd05030},
                                         {.body = 2,
                                          .kind = "capsule",
                                          .size = {0.1, 2},
                                          .axis = {1, 0, 0},
                                          .turn = {1},
                                          .scale = 1,
                                          .surface = -1}};
static const double nodes[6] = {0, 0, 0, 1, 0, 0},
                    moved[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static const flx_scene_elastic elastics[] = {{.body = 1,
                                              .motion = 21,
                                              .line = 1,
                                              .mesh = -1,
                                              .nnode = 2,
                                              .nmode = 2,
                                              .nodes = nodes,
                                              .shapes = moved}};
static const int along[2] = {0, 2}, carriers[3] = {-1, 0, 2}, faces[6] = {0, 1, 2, 2, 1, 0};
static const double arms[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
static const flx_scene_line lines[] = {
    {.name = "beam", .round = 0, .size = {0.1, 0.2}, .nnode = 2, .nodes = along}};
static const flx_scene_solid solids[] = {{.name = "block",
                                          .nnode = 3,
                                          .ntriangle = 2,
                                          .body = carriers,
                                          .at = arms,
                                          .triangles = faces}};
static const flx_scene_link joints[] = {{.name = "A",
                                         .type = "revolute",
                                         .body = {-1, 0},
                                         .at = {{1, 2, 3}, {4, 5, 6}},
                                         .axis = {0, 0, 1}},
                                        {.name = "B",
                                         .type = "rolling",
                                         .body = {0, 1},
                                         .axis = {0, 1, 0},
                                         .axis2 = {1, 0, 0},
                                         .radius = 0.3}};
static const flx_scene_link forces[] = {
    {.name = "s", .type = "spring", .body = {1, 2}, .at = {{0}, {0, 0, 1}}}};
static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
static const flx_scene_surface surface = {3, 1, corners, (const int[3]){0, 1, 2}};

static flx_scene whole(void)
{
    return (flx_scene){.dimension = 2,
                       .size = 1.5,
                       .gravity = {0, -9.81, 0},
                       .nbody = BODIES,
                       .bodies = bodies,
                       .npoint = 3,
                       .points = points,
                       .nshape = 3,
                       .shapes = shapes,
                       .nelastic = 1,
                       .elastics = elastics,
                       .nline = 1,
                       .lines = lines,
                       .nsolid = 1,
                       .solids = solids,
                       .njoint = 2,
                       .joints = joints,
                       .nforce = 1,
                       .forces = forces};
}

// The scene in a result of two rows.
static int write_scene(flx_ctx *ctx, const char *path, const flx_scene *scene)
{
    const double motion[MOTION] = {0};
    const flx_ledger ledger = {0};
    const flx_result_info info = {
        .title = "scene", .scene = scene, .nmotion = MOTION, .nsurface = 1, .surfaces = &surface};
    flx_sink *s = NULL;
    CHECK(flx_hdf5_sink_create(ctx, path, &s) == FLX_OK);
    CHECK(s->type->begin(s, &info) == FLX_OK);
    for (int i = 0; i < 2; i++) {
        CHECK(s->type->motion(s, motion) == FLX_OK);
        CHECK(s->type->row(s, i, NULL) == FLX_OK);
    }
    CHECK(s->type->end(s, &ledger) == FLX_OK);
    flx_sink_destroy(&s);
    return 0;
}

#define SAME(a, b) (memcmp(&(a), &(b), sizeof(a)) == 0)

static int same_links(int n, const flx_scene_link *a, const flx_scene_link *b)
{
    for (int i = 0; i < n; i++) {
        CHECK(strcmp(a[i].name, b[i].name) == 0 && strcmp(a[i].type, b[i].type) == 0);
        CHECK(SAME(a[i].body, b[i].body) && SAME(a[i].at, b[i].at));
        CHECK(SAME(a[i].axis, b[i].axis) && SAME(a[i].axis2, b[i].axis2) &&
              SAME(a[i].radius, b[i].radius));
    }
    return 0;
}

static int same_bodies(const flx_scene *a, const flx_scene *b)
{
    CHECK(a->nbody == b->nbody && a->npoint == b->npoint && a->nshape == b->nshape);
    for (int i = 0; i < a->nbody; i++) {
        CHECK(strcmp(a->bodies[i].name, b->bodies[i].name) == 0);
        CHECK(a->bodies[i].motion == b->bodies[i].motion &&
              a->bodies[i].place == b->bodies[i].place);
        CHECK(SAME(a->bodies[i].mass, b->bodies[i].mass) &&
              SAME(a->bodies[i].com, b->bodies[i].com));
    }
    for (int i = 0; i < a->npoint; i++) {
        CHECK(a->points[i].body == b->points[i].body && SAME(a->points[i].at, b->points[i].at));
        CHECK(strcmp(a->points[i].name, b->points[i].name) == 0);
    }
    for (int i = 0; i < a->nshape; i++) {
        const flx_scene_shape *x = a->shapes + i, *y = b->shapes + i;
        CHECK(x->colour == y->colour);
        CHECK(x->body == y->body && strcmp(x->kind, y->kind) == 0 && SAME(x->size, y->size));
        CHECK(SAME(x->at, y->at) && SAME(x->axis, y->axis) && SAME(x->turn, y->turn));
        CHECK(SAME(x->scale, y->scale) && x->surface == y->surface);
    }
    return 0;
}

static int every_number_comes_back(void)
{
    flx_ctx *ctx = flx_ctx_create();
    const flx_scene scene = whole();
    flx_result *r = NULL;
    if (write_scene(ctx, in_folder("scene.h5"), &scene)) return 1;
    CHECK(flx_result_open(ctx, in_folder("scene.h5"), &r) == FLX_OK);
    const flx_scene *s = flx_result_scene(r);
    CHECK(s && s->dimension == 2 && s->size == 1.5 && SAME(s->gravity, scene.gravity));
    if (same_bodies(s, &scene)) return 1;
    const flx_scene_elastic *e = s->elastics;
    CHECK(s->nelastic == 1 && e->body == 1 && e->motion == 21 && e->line && e->mesh == -1);
    CHECK(e->nnode == 2 && e->nmode == 2 && memcmp(e->nodes, nodes, sizeof nodes) == 0);
    CHECK(memcmp(e->shapes, moved, sizeof moved) == 0);
    CHECK(s->nline == 1 && strcmp(s->lines->name, "beam") == 0 && !s->lines->round &&
          SAME(s->lines->size, lines->size));
    CHECK(s->lines->nnode == 2 && memcmp(s->lines->nodes, along, sizeof along) == 0);
    CHECK(s->nsolid == 1 && s->solids->nnode == 3 && s->solids->ntriangle == 2);
    CHECK(memcmp(s->solids->body, carriers, sizeof carriers) == 0 &&
          memcmp(s->solids->at, arms, sizeof arms) == 0);
    CHECK(memcmp(s->solids->triangles, faces, sizeof faces) == 0);
    CHECK(s->njoint == 2 && s->nforce == 1);
    if (same_links(2, s->joints, joints) || same_links(1, s->forces, forces)) return 1;
    // what belongs to whom
    CHECK(s->bodies[0].npoint == 2 && s->bodies[1].npoint == 0 && s->bodies[2].npoint == 1);
    CHECK(s->bodies[0].nshape == 1 && s->bodies[2].nshape == 2 &&
          s->bodies[2].shapes == s->shapes + 1);
    CHECK(!s->bodies[0].elastic && s->bodies[1].elastic == e && !s->bodies[2].elastic);
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int numbers_that_do_not_fit_are_left_out(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = NULL;
    flx_scene scene = whole();
    flx_scene_body wrong[BODIES];
    memcpy(wrong, bodies, sizeof wrong);
    wrong[1].motion = MOTION - FLX_SCENE_MOTION + 1; // one number too far
    wrong[0].mass = (double)NAN;
    scene.bodies = wrong;
    const flx_scene_shape shape[3] = {{.body = 1, .kind = "mesh", .surface = 1},
                                      {.body = 0, .kind = "box"}, // out of order
                                      {.body = 2, .kind = "box"}};
    scene.shapes = shape;
    const flx_scene_elastic elastic = {.body = 1,
                                       .motion = MOTION - 1,
                                       .mesh = -1,
                                       .nnode = 2,
                                       .nmode = 2,
                                       .nodes = nodes,
                                       .shapes = moved};
    scene.elastics = &elastic; // has one coordinate too few in a row
    const int far[2] = {BODIES, 1};
    const flx_scene_line line = {.name = "beam", .nnode = 2, .nodes = far};
    scene.lines = &line;
    scene.solids = &(flx_scene_solid){.name = "s",
                                      .nnode = 2,
                                      .ntriangle = 2,
                                      .body = far,
                                      .at = arms,
                                      .triangles = (const int[6]){0, 1, 2, 0, 1, 1}};
    const flx_scene_link link = {.name = "x", .type = "spring", .body = {0, BODIES}};
    scene.forces = &link;
    if (write_scene(ctx, in_folder("odd.h5"), &scene)) return 1;
    CHECK(flx_result_open(ctx, in_folder("odd.h5"), &r) == FLX_OK);
    const flx_scene *s = flx_result_scene(r);
    CHECK(s && s->bodies[0].motion == 0 && s->bodies[1].motion == -1 && s->bodies[2].motion == 14);
    CHECK(s->bodies[0].mass == 0);
    CHECK(s->bodies[1].nshape == 1 && s->bodies[1].shapes->surface == -1);
    CHECK(s->bodies[0].nshape == 0 && s->bodies[2].nshape == 1);
    CHECK(!s->bodies[1].elastic);
    CHECK(s->lines->nnode == 1 && s->lines->nodes[0] == 1);
    CHECK(s->solids->body[0] == -1 && s->solids->body[1] == 1 && s->solids->ntriangle == 1);
    CHECK(s->forces->body[0] == 0 && s->forces->body[1] == -1);
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A column that is missing, of another length or another kind: its table is left out, the others stay.
static int damaged_tables_are_left_out(void)
{
    for (int kind = 0; kind < 3; kind++) {
        flx_ctx *ctx = flx_ctx_create();
        const flx_scene scene = whole();
        flx_result *r = NULL;
        if (write_scene(ctx, in_folder("cut.h5"), &scene)) return 1;
        hid_t file = H5Fopen(in_folder("cut.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
        CHECK(file >= 0 && H5Ldelete(file, "scene/joints/axis", H5P_DEFAULT) >= 0);
        const hsize_t dims[2] = {kind == 1 ? 5 : 2, kind == 2 ? 2 : 3};
        hid_t space = H5Screate_simple(2, dims, NULL), d = -1;
        if (kind > 0) {
            d = H5Dcreate2(file, "scene/joints/axis", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                           H5P_DEFAULT, H5P_DEFAULT);
            double zeros[15] = {0};
            H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros);
            H5Dclose(d);
        }
        H5Sclose(space);
        H5Fclose(file);
        CHECK(flx_result_open(ctx, in_folder("cut.h5"), &r) == FLX_OK);
        const flx_scene *s = flx_result_scene(r);
        CHECK(s && s->njoint == 0 && s->nforce == 1 && s->nbody == BODIES);
        flx_result_close(&r);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// Files of the first format have their scene as a text: signals are read, pictures ask for another run.
static int older_files_have_signals_and_no_picture(void)
{
    static const char format[] = "flexion-result 1", text[] = "{\"dimension\": 2}";
    flx_ctx *ctx = flx_ctx_create();
    const flx_scene scene = whole(), *found = NULL;
    flx_result *r = NULL;
    if (write_scene(ctx, in_folder("older.h5"), &scene)) return 1;
    hid_t file = H5Fopen(in_folder("older.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t a = H5Aopen(file, "format", H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_size(type, sizeof format - 1);
    CHECK(H5Awrite(a, type, format) >= 0);
    H5Aclose(a);
    H5Tset_size(type, sizeof text);
    CHECK(H5Ldelete(file, "scene", H5P_DEFAULT) >= 0);
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t d = H5Dcreate2(file, "scene", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    H5Dclose(d);
    H5Sclose(space);
    H5Tclose(type);
    H5Fclose(file);
    CHECK(flx_result_open(ctx, in_folder("older.h5"), &r) == FLX_OK);
    CHECK(flx_result_rows(r) == 2 && flx_result_scene(r) == NULL);
    CHECK(flx_scene_of_result(r, &found) == FLX_ERR_ARGUMENT && !found);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "older Flexion: run the model again");
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int files_start(void)
{
    make_folder("scene");
    return 0;
}

static int files_end(void)
{
    remove_folder();
    return 0;
}

TEST_MAIN(TEST(files_start), TEST(every_number_comes_back),
          TEST(numbers_that_do_not_fit_are_left_out), TEST(damaged_tables_are_left_out),
          TEST(older_files_have_signals_and_no_picture), TEST(files_end))
