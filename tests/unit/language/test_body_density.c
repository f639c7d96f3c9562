// test_body_density.c - rigid bodies with a density: mass, centre and inertia of their shapes, by hand.
#include "check.h"
#include "flexion/flexion.h"
#include "results_fixture.h"

// Reads the signals of a body at the start; the status of the first call that fails.
static int read_body(const char *text, const char *path, int n, const char *const *names,
                     double *out, char *message, size_t room)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_system *s = NULL;
    flx_run *r = NULL;
    flx_status status = flx_model_read_text(ctx, path, text, strlen(text), 0, NULL, &m);
    if (status == FLX_OK) status = flx_system_compile(m, NULL, ctx, &s);
    if (status == FLX_OK) status = flx_run_create(s, NULL, ctx, &r);
    for (int i = 0; status == FLX_OK && i < n; i++)
        out[i] = flx_run_get(r, flx_system_output(s, names[i], ctx));
    const flx_message *e = flx_ctx_error(ctx, 0);
    if (message) snprintf(message, room, "%s", status != FLX_OK && e ? e->text : "");
    flx_run_destroy(&r);
    flx_system_destroy(&s);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return status;
}

// A body that spins: its momenta tell mass, centre and one column of the inertia.
static const char model[] =
    "flexion: 1\n"
    "bodies: {b: {type: rigid, density: 1000, shape: %s, velocity: [1, 0, 0], angular_velocity: "
    "[1, 2, 3]}}\n"
    "signals: {m: b.momentum.x/b.com.velocity.x, x: b.com.position.x, y: b.com.position.y, "
    "z: b.com.position.z, p: b.angular_momentum.x, q: b.angular_momentum.y, r: "
    "b.angular_momentum.z}\n"
    "simulate: {until: 1}\n"
    "outputs: {signals: [m, x, y, z, p, q, r]}\n";
static const char *const names[7] = {"m", "x", "y", "z", "p", "q", "r"};

// About the centre of mass: angular momentum is I w there.
static int momenta(const char *shape, double out[7])
{
    char text[1200];
    snprintf(text, sizeof text, model, shape);
    char message[300];
    int status = read_body(text, in_folder("m.yaml"), 7, names, out, message, sizeof message);
    if (status != FLX_OK) printf("%s\n", message);
    return status;
}

// Two cubes of 0.1 m, 0.3 m apart along y, one turned about x: 2 kg together, and a centre in the middle.
static int shapes_add_up(void)
{
    double x[7], heavy[7];
    make_folder("density");
    CHECK(momenta("[{box: [0.1, 0.1, 0.1], at: [0, -0.15, 0]}, {box: [0.1, 0.1, 0.1], at: [0, "
                  "0.15, 0], orientation: {axis: [1, 0, 0], angle: 0.5}}]",
                  x) == FLX_OK);
    CHECK_NEAR(x[0], 2.0, 1e-12);
    for (int k = 1; k < 4; k++) CHECK_NEAR(x[k], 0.0, 1e-15);
    // a cube about any axis m a^2/6
    for (int k = 4; k < 7; k++) {
        double far = k == 5 ? 0.0 : 2.0 * 0.15 * 0.15;
        CHECK_NEAR(x[k], (2.0 * 0.01 / 6.0 + far) * (k - 3.0), 1e-12);
    }
    // 1 kg and 8 kg
    CHECK(momenta("[{box: [0.1, 0.1, 0.1], at: [0, 0.9, 0]}, {box: [0.2, 0.2, 0.2]}]", heavy) ==
          FLX_OK);
    CHECK_NEAR(heavy[2], 0.1, 1e-14);
    remove_folder();
    return 0;
}

// A box as a mesh of millimetres, its faces wound inwards, is the box.
static int a_mesh_is_the_solid_it_bounds(void)
{
    static const char box[] =
        "v 0 0 0\nv 300 0 0\nv 300 200 0\nv 0 200 0\nv 0 0 100\nv 300 0 100\nv "
        "300 200 100\nv 0 200 100\nf 1 2 3 4\nf 8 7 6 5\nf 5 6 2 1\nf 6 7 3 "
        "2\nf 7 8 4 3\n%s";
    char text[400], mesh[700], message[300];
    double x[7], known[7];
    make_folder("density");
    snprintf(text, sizeof text, box, "f 8 5 1 4\n");
    write_text(in_folder("box.obj"), text, strlen(text));
    const char *turn = "orientation: {axis: [1, 2, 3], angle: 0.7}";
    snprintf(mesh, sizeof mesh, "{mesh: box.obj, scale: 0.001, at: [1, 2, 3], %s}", turn);
    CHECK(momenta(mesh, x) == FLX_OK);
    CHECK_NEAR(x[0], 6.0, 1e-6);
    snprintf(mesh, sizeof mesh, "{box: [0.3, 0.2, 0.1], at: [%.15g, %.15g, %.15g], %s}", x[1], x[2],
             x[3], turn);
    CHECK(momenta(mesh, known) == FLX_OK);
    for (int k = 0; k < 7; k++) CHECK_NEAR(x[k], known[k], 1e-7 * fmax(1.0, fabs(known[k])));
    double far = sqrt((x[1] - 1) * (x[1] - 1) + (x[2] - 2) * (x[2] - 2) + (x[3] - 3) * (x[3] - 3));
    CHECK_NEAR(far, sqrt(0.15 * 0.15 + 0.1 * 0.1 + 0.05 * 0.05), 1e-8);

    // one mesh in two ways, the one the mirror image of the other, which is a box twice as long; and stretched. Points are of single precision
    CHECK(momenta("[{mesh: box.obj, scale: 0.001}, {mesh: box.obj, scale: [-0.001, 0.001, 0.001]}]",
                  x) == FLX_OK);
    CHECK(momenta("{box: [0.6, 0.2, 0.1], at: [0, 0.1, 0.05]}", known) == FLX_OK);
    for (int k = 0; k < 7; k++) CHECK_NEAR(x[k], known[k], 5e-7 * fmax(1.0, fabs(known[k])));
    CHECK(momenta("{mesh: box.obj, scale: [0.001, -0.002, 0.003]}", x) == FLX_OK);
    CHECK(momenta("{box: [0.3, 0.4, 0.3], at: [0.15, -0.2, 0.15]}", known) == FLX_OK);
    for (int k = 0; k < 7; k++) CHECK_NEAR(x[k], known[k], 5e-7 * fmax(1.0, fabs(known[k])));
    snprintf(text, sizeof text, model, "{mesh: box.obj, scale: [1, 0, 1]}");
    CHECK(read_body(text, in_folder("m.yaml"), 0, NULL, NULL, message, sizeof message) != FLX_OK);
    CHECK_TEXT(message, "three that are not zero");

    snprintf(text, sizeof text, box, ""); // open
    write_text(in_folder("box.obj"), text, strlen(text));
    snprintf(text, sizeof text, model, "{mesh: box.obj}");
    CHECK(read_body(text, in_folder("m.yaml"), 0, NULL, NULL, message, sizeof message) != FLX_OK);
    CHECK_TEXT(message, "the mesh is open at 4 edges");
    remove_folder();
    return 0;
}

static int what_is_wrong_is_told(void)
{
    static const char *const wrong[][2] = {
        {"{type: rigid, density: 1000}", "shape"},
        {"{type: rigid, density: -1, shape: {sphere: 0.1}}", "a density must be positive"},
        {"{type: rigid, density: 1, mass: 1, shape: {sphere: 0.1}}", "density"},
    };
    char text[400], message[300];
    make_folder("density");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(text, sizeof text, "flexion: 1\nbodies: {b: %s}\nsimulate: {until: 1}\n",
                 wrong[i][0]);
        CHECK(read_body(text, in_folder("m.yaml"), 0, NULL, NULL, message, sizeof message) !=
              FLX_OK);
        CHECK_TEXT(message, wrong[i][1]);
    }
    remove_folder();
    return 0;
}

TEST_MAIN(TEST(shapes_add_up), TEST(a_mesh_is_the_solid_it_bounds), TEST(what_is_wrong_is_told))
