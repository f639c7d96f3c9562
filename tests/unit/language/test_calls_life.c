// test_calls_life.c - the life of models made by calls: built, changed and built again, with files in memory, held by
// what was made of them; mistakes that only the whole shows.
#include "calls_rig.h"

#include <stdlib.h>
#include <unistd.h>

// What only the whole model shows is told when it is built, all of it, by its path; once more where another
// context asked.
static int mistakes_of_the_whole_are_told_by_path(void)
{
    begin(3);
    int a =
        flx_model_add_body(m, "a", &(flx_body_def){.inertia = {{1, NULL}, {1, NULL}, {1, NULL}}});
    flx_model_add_body(m, "b", &(flx_body_def){.type = FLX_POINT, .mass = {0, "k"}});
    flx_model_add_joint(m, "b", &(flx_joint_def){.type = FLX_SPHERICAL, .on = {FLX_GROUND, a}});
    flx_model_set(m, "bodies.a.colour", 3);
    flx_model_add_body(m, "a", NULL); // refused: told as well
    flx_ctx *other = flx_ctx_create();
    flx_system *s = NULL;
    CHECK(flx_system_compile(m, NULL, other, &s) == FLX_ERR_MODEL && !s);
    CHECK(flx_ctx_error_count(other) == 3);
    CHECK(strcmp(flx_ctx_error(other, 0)->path, "bodies.a") == 0);
    CHECK_TEXT(flx_ctx_error(other, 0)->text, "definition is NULL");
    CHECK(flx_system_compile(NULL, NULL, other, &s) == FLX_ERR_ARGUMENT);
    flx_ctx_clear_messages(other);
    flx_model_forgive(m);
    CHECK(flx_model_remove(m, "bodies.a.colour") == FLX_OK);
    CHECK(flx_model_set(m, "bodies.a.mass", 1) == FLX_OK);
    flx_ctx_clear_messages(ctx);
    CHECK(flx_system_compile(m, NULL, other, &s) == FLX_ERR_MODEL);
    CHECK(flx_ctx_error_count(other) >= 1);
    CHECK(strcmp(flx_ctx_error(other, 0)->path, "joints.b") == 0);
    CHECK_TEXT(flx_ctx_error(other, 0)->text, "already the name of a body; a model has one");
    CHECK(flx_ctx_error(other, 0)->loc.line == 0);
    flx_ctx_destroy(&other);
    end();
    return 0;
}

static int lengths(flx_system *s, double *out)
{
    flx_run *r = NULL;
    CHECK(flx_run_create(s, NULL, ctx, &r) == FLX_OK);
    CHECK(flx_run_advance(r, 0.1) == FLX_OK);
    int n = 0;
    const double *q = flx_run_view(r, FLX_VIEW_Q, &n);
    *out = q[n - 1];
    flx_run_destroy(&r);
    return 0;
}

// Changed and compiled again, read or made; what was compiled stays what it was, without the model too.
static int models_change_and_are_compiled_again(void)
{
    const char *text = "flexion: 1\nequations: {second_order: {x: {at: 1, force: -k*x}}}\n"
                       "parameters: {k: 4}\nsimulate: {until: 1, method: dopri5, rtol: 1e-10}\n";
    for (int made = 0; made < 2; made++) {
        double x[4];
        flx_system *first = NULL, *second = NULL, *third = NULL;
        begin(3);
        if (made) {
            flx_model_add_variable(m, "x",
                                   &(flx_variable_def){.initial = {1, NULL}, .force = {0, "-k*x"}});
            flx_model_add_parameter(m, "k", 4);
            flx_model_simulate(
                m,
                &(flx_simulate_def){.until = {1, NULL}, .method = "dopri5", .rtol = {1e-10, NULL}});
        } else {
            flx_model_destroy(&m);
            CHECK(flx_model_read_text(ctx, "x.yaml", text, strlen(text), 0, NULL, &m) == FLX_OK);
        }
        CHECK(flx_system_compile(m, NULL, ctx, &first) == FLX_OK || !print_errors());
        CHECK(flx_model_set(m, "parameters.k", 9) == FLX_OK);
        CHECK(flx_system_compile(m, NULL, ctx, &second) == FLX_OK);
        CHECK(flx_model_add_variable(
                  m, "y", &(flx_variable_def){.initial = {0, "x0"}, .force = {0, "-x"}}) > 0);
        CHECK(flx_model_add_parameter(m, "x0", 3) == 1);
        CHECK(flx_system_compile(m, NULL, ctx, &third) == FLX_OK || !print_errors());
        CHECK(flx_model_set_text(m, "parameters.k", "nobody") == FLX_OK); // wrong now
        flx_system *fourth = NULL;
        CHECK(flx_system_compile(m, NULL, ctx, &fourth) == FLX_ERR_MODEL && !fourth);
        flx_model_destroy(&m);
        CHECK(!lengths(first, x) && !lengths(second, x + 1) && !lengths(third, x + 2));
        CHECK_NEAR(x[0], cos(2 * 0.1), 1e-9);
        CHECK_NEAR(x[1], cos(3 * 0.1), 1e-9);
        CHECK_NEAR(x[2], 3 + (cos(0.3) - 1) / 9, 1e-9);
        flx_system_destroy(&third);
        flx_system_destroy(&second);
        flx_system_destroy(&first);
        end();
    }
    return 0;
}

// Settings of the reading are part of the description: kept where calls change other things, overruled by a
// call, written.
static int settings_and_calls_agree(void)
{
    const char *text =
        "flexion: 1\nparameters: {k: 4, l: 2*k}\nequations: {second_order: {x: {force: -k*x}}}\n";
    const char *const settings[] = {"k=3*2"};
    ctx = flx_ctx_create();
    CHECK(flx_model_read_text(ctx, "x.yaml", text, strlen(text), 1, settings, &m) == FLX_OK);
    CHECK(m->parameters[1].values[0] == 12);
    CHECK_TEXT(flx_model_write_text(m), "k: 3*2");
    CHECK(flx_model_set(m, "equations.second_order.x.mass", 2) == FLX_OK);
    BUILT();
    CHECK(m->parameters[0].values[0] == 6 && m->parameters[1].values[0] == 12);
    CHECK(flx_model_set(m, "parameters.k", 5) == FLX_OK);
    BUILT();
    CHECK(m->parameters[0].values[0] == 5 && m->parameters[1].values[0] == 10);
    end();
    // entries of a list, and of one that is an expression
    text = "flexion: 1\nparameters: {r: [1, 2, 3], s: r}\n"
           "equations: {second_order: {x: {force: -r(2)*s(3)*x}}}\n";
    const char *const entries[] = {"s(3)=9", "r(2)=7"};
    ctx = flx_ctx_create();
    CHECK(flx_model_read_text(ctx, "x.yaml", text, strlen(text), 2, entries, &m) == FLX_OK);
    CHECK(m->parameters[0].values[1] == 7 && m->parameters[1].values[2] == 9);
    CHECK(flx_model_set(m, "equations.second_order.x.mass", 2) == FLX_OK);
    BUILT();
    CHECK(m->parameters[0].values[1] == 7 && m->parameters[1].values[2] == 9);
    CHECK_TEXT(flx_model_write_text(m), "r: [1, 7, 3]");
    end();
    return 0;
}

// Settings that name a key by its path: of what is there, of what is new, with words of older versions; in the description too.
static int settings_reach_any_key(void)
{
    const char *text = "flexion: 1\ndimension: 2\nparameters: {k: 4}\n"
                       "bodies:\n  a: {type: point, mass: 1, position: [1, 2]}\n"
                       "simulate: {until: 3, method: dopri5}\n";
    const char *const settings[] = {"bodies.a.position[1]=2*k", "k=5", "simulate.method=radau",
                                    "forces.f={type: force, on: a, value: [k, 0]}",
                                    "simulate.largest_step=0.25"};
    ctx = flx_ctx_create();
    CHECK(flx_model_read_text(ctx, "x.yaml", text, strlen(text), 5, settings, &m) == FLX_OK);
    CHECK(m->bodies[0].position[1] == 10 && m->nforce == 1);
    CHECK(strcmp(m->simulate.def.method, "radau") == 0 && m->simulate.def.max_step == 0.25);
    CHECK_TEXT(flx_model_write_text(m), "position: [1, 2*k]");
    CHECK_TEXT(flx_model_write_text(m), "max_step: 0.25");
    CHECK(flx_model_set_text(m, "simulate.method", "gauss") == FLX_OK); // a later call stands
    BUILT();
    CHECK(strcmp(m->simulate.def.method, "gauss") == 0 && m->bodies[0].position[1] == 10);
    end();
    static const char *const wrong[][2] = {
        {"simulate.methd=radau", "unknown key 'methd' in 'simulate'; did you mean 'method'?"},
        {"simulate.method=radu", "cannot be 'radu'; did you mean 'radau'?"},
        {"bodies.a.position[3]=1", "there is no [3], and [2] is next"},
        {"bodies.a.mass.x=1", "here is a text, not a mapping that could have 'x'"},
        {"bodies.a.mass", "'bodies.a.mass' is not of the form path=value"},
        {"bodies.a.mass=", "'bodies.a.mass=' is not of the form path=value"},
        {"bodies..mass=1", "this is no path"},
        {"bodies.a.mass={x: ", "a value is missing here"},
    };
    for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); i++) {
        ctx = flx_ctx_create();
        CHECK(flx_model_read_text(ctx, "x.yaml", text, strlen(text), 1, wrong[i], &m) ==
                  FLX_ERR_MODEL ||
              flx_ctx_error(ctx, 0)->status == FLX_ERR_ARGUMENT);
        CHECK(!m);
        CHECK_TEXT(flx_ctx_error(ctx, 0)->text, wrong[i][1]);
        flx_ctx_destroy(&ctx);
    }
    for (long k = 0;; k++) { // each allocation fails in turn
        ctx = flx_ctx_create();
        flx_ctx_fail_allocation(ctx, k);
        flx_status status = flx_model_read_text(ctx, "x.yaml", text, strlen(text), 5, settings, &m);
        CHECK(status == FLX_OK || status == FLX_ERR_MEMORY);
        end();
        if (status == FLX_OK) return 0;
        CHECK(k < 5000);
    }
}

// A simulation of a model by calls: its result holds the description, which is a model again.
static int results_hold_the_description(void)
{
    flx_simulation *sim = NULL;
    flx_sink *sink = NULL;
    flx_result *r = NULL;
    flx_model *again = NULL;
    char folder[] = "calls_XXXXXX", path[200];
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/ball.h5", folder);
    begin(3);
    flx_model_add_body(
        m, "ball",
        &(flx_body_def){.type = FLX_POINT, .mass = {1, NULL}, .velocity = {.x = {2, NULL}}});
    flx_model_add_output(m, "ball.position.x", NULL);
    flx_model_simulate(m, &(flx_simulate_def){.until = {1, NULL}, .every = {0.5, NULL}});
    CHECK(flx_simulation_create(m, &sim) == FLX_OK || !print_errors());
    flx_model_destroy(&m);
    CHECK(flx_hdf5_sink_create(ctx, path, &sink) == FLX_OK);
    CHECK(flx_simulation_run(sim, 1, &sink, NULL, NULL) == FLX_OK || !print_errors());
    flx_sink_destroy(&sink);
    flx_simulation_destroy(&sim);
    CHECK(flx_result_open(ctx, path, &r) == FLX_OK || !print_errors());
    const char *text = flx_result_model(r);
    CHECK_TEXT(text, "ball: {type: point, mass: 1, velocity: [2, 0, 0]}");
    CHECK(flx_model_read_text(ctx, "", text, strlen(text), 0, NULL, &again) == FLX_OK);
    CHECK(again->nbody == 1 && again->bodies[0].mass == 1);
    flx_model_destroy(&again);
    flx_result_close(&r);
    CHECK(remove(path) == 0 && rmdir(folder) == 0);
    end();
    return 0;
}

// What else takes a model takes one that calls made, and were it changed a moment ago.
static int all_that_takes_a_model_takes_one_by_calls(void)
{
    flx_dynamics *d = NULL;
    flx_fe_problem *fe = NULL;
    const flx_export_options options = {.language = FLX_EXPORT_C};
    char path[] = "calls_XXXXXX", text[20000] = "";
    begin(2);
    int rod = flx_model_add_body(
        m, "rod",
        &(flx_body_def){.mass = {1, NULL}, .inertia = {{1, NULL}}, .com = {.x = {1, NULL}}});
    flx_model_add_joint(m, "pin", &(flx_joint_def){.type = FLX_REVOLUTE, .on = {FLX_GROUND, rod}});
    CHECK(flx_dynamics_create(m, &d) == FLX_OK || !print_errors());
    int wheel = flx_model_add_body(
        m, "wheel",
        &(flx_body_def){.mass = {1, NULL}, .inertia = {{1, NULL}}, .position = {.x = {2, NULL}}});
    flx_model_add_joint(
        m, "axle",
        &(flx_joint_def){.type = FLX_REVOLUTE, .on = {rod, wheel}, .at = {{.text = "wheel"}}});
    int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0 && flx_model_export(m, &options, path) == FLX_OK);
    FILE *f = fopen(path, "r");
    CHECK(f && fread(text, 1, sizeof text - 1, f) > 0 && fclose(f) == 0 && remove(path) == 0);
    CHECK_TEXT(text, "void model_forward(");
    CHECK_TEXT(text, "axle");
    CHECK(flx_dynamics_freedoms(d) == 1); // as it was
    flx_dynamics_destroy(&d);
    CHECK(flx_dynamics_create(m, &d) == FLX_OK && flx_dynamics_freedoms(d) == 2);
    flx_dynamics_destroy(&d);
    CHECK(flx_fe_problem_create(m, &fe) == FLX_ERR_MODEL && !fe);
    CHECK(!last_error("", "no block 'fe'") && !flx_ctx_error(ctx, 0)->loc.file);
    end();
    return 0;
}

// Numbers that calls return are those of the system.
static int numbers_are_those_of_the_system(void)
{
    flx_system *s = NULL;
    begin(2);
    int a = flx_model_add_parameter(m, "a", 1), f = flx_model_add_input(m, "f", 0),
        g = flx_model_add_input(m, "g", 2);
    int b = flx_model_add_parameter(m, "b", 3);
    flx_model_add_variable(m, "x", &(flx_variable_def){.force = {0, "f - a*x + b*g"}});
    flx_model_add_output(m, "x", NULL);
    int sum = flx_model_add_output(m, "sum", "x + b");
    CHECK(flx_system_compile(m, NULL, ctx, &s) == FLX_OK || !print_errors());
    CHECK(flx_system_input(s, "f", ctx) == f && flx_system_input(s, "g", ctx) == g);
    CHECK(flx_system_parameter(s, "a", ctx) == a && flx_system_parameter(s, "b", ctx) == b);
    CHECK(flx_system_output(s, "sum", ctx) == sum && sum == 1);
    flx_system_destroy(&s);
    end();
    return 0;
}

// Mistakes that a system or a run finds name the item as well.
static int late_mistakes_are_told_by_path(void)
{
    const double at[] = {0, 0.1}, of[] = {0, 1};
    flx_system *s = NULL;
    flx_run *r = NULL;
    begin(3);
    const flx_body_def ball = {.type = FLX_POINT, .mass = {1, NULL}, .position = {.x = {1, NULL}}};
    int a = flx_model_add_body(m, "a", &ball);
    flx_joint_def rod = {.type = FLX_DISTANCE,
                         .on = {FLX_GROUND, a},
                         .at = {{.text = NULL}, {.text = "a"}},
                         .length = {1, NULL}};
    flx_model_add_joint(m, "near", &rod);
    rod.length.number = 2;
    flx_model_add_joint(m, "far", &rod);
    CHECK(flx_system_compile(m, NULL, ctx, &s) != FLX_OK);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->path, "joints.");
    CHECK(flx_model_remove(m, "joints.far") == FLX_OK);
    flx_model_add_function(
        m, "road", &(flx_function_def){.npoint = 2, .x = at, .y = of, .extrapolation = "error"});
    flx_model_add_force(
        m, "push", &(flx_force_def){.type = FLX_FORCE, .on = {a}, .value = {.y = {0, "road(t)"}}});
    flx_ctx_clear_messages(ctx);
    CHECK(flx_system_compile(m, NULL, ctx, &s) == FLX_OK || !print_errors());
    CHECK(flx_run_create(s, NULL, ctx, &r) == FLX_OK);
    flx_model_destroy(&m);
    CHECK(flx_run_advance(r, 1.0) > 0);
    CHECK(flx_ctx_error(ctx, 0)->path[0] || !print_errors());
    flx_run_destroy(&r);
    flx_system_destroy(&s);
    end();
    return 0;
}

// What is replaced does not pile up, and a thousand items are added in the time of a thousand.
static int long_lives_and_large_models(void)
{
    begin(3);
    flx_model_add_variable(m, "x", &(flx_variable_def){.initial = {1, NULL}, .force = {0, "-k*x"}});
    for (int i = 0; i < 20000; i++) {
        CHECK(flx_model_set(m, "parameters.k", 1 + i) == FLX_OK);
        if (i % 5000 == 0) BUILT();
    }
    BUILT();
    CHECK(m->nparameter == 1 && m->parameters[0].values[0] == 20000);
    char name[32];
    for (int i = 0; i < 20000; i++) {
        snprintf(name, sizeof name, "v%d", i);
        CHECK(flx_model_add_state(m, name, &(flx_state_def){.derivative = {0, "-x"}}) > 0);
    }
    CHECK(flx_model_count(m, "equations.first_order") == 20000);
    CHECK(flx_model_remove(m, "equations.first_order.v7") == FLX_OK);
    CHECK(flx_model_kind(m, "equations.first_order.v7") == 0);
    CHECK(flx_model_kind(m, "equations.first_order.v19999.derivative") == 1);
    CHECK(strcmp(flx_model_key(m, "equations.first_order", 7), "v8") == 0);
    end();
    return 0;
}

// A cube of two tetrahedra layers by arrays is that of the file; a table and a part in memory.
static int files_and_meshes_in_memory(void)
{
    static const double x[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    static const int cell[8] = {0, 1, 2, 3, 4, 5, 6, 7}, bottom[4] = {0, 3, 2, 1},
                     upper[4] = {4, 5, 6, 7};
    const flx_mesh_group groups[] = {{NULL, FLX_HEXAHEDRON_8, 1, cell},
                                     {"base", FLX_QUADRILATERAL_4, 1, bottom},
                                     {"top", FLX_QUADRILATERAL_4, 1, upper}};
    const flx_mesh_def mesh = {.nnode = 8, .x = &x[0][0], .nset = 3, .sets = groups};
    const char *const fixed[] = {"base"}, *const faces[] = {"base", "top"};
    begin(3);
    CHECK(flx_model_add_mesh(m, "cube.msh", &mesh) == FLX_OK);
    int cube = flx_model_add_solid(
        m, "cube",
        &(flx_solid_def){.mesh = "cube.msh",
                         .material = {.E = {1e6, NULL}, .nu = {0.3, NULL}, .density = {1000, NULL}},
                         .nfixed = 1,
                         .fixed = fixed});
    CHECK(cube > 0);
    CHECK(flx_model_add_force(m, "pull",
                              &(flx_force_def){.type = FLX_TRACTION,
                                               .on = {cube},
                                               .surface = "top",
                                               .value = {.z = {1e3, NULL}}}) > 0);
    CHECK(flx_model_add_flexible(
              m, "soft",
              &(flx_flexible_def){.mesh = "cube.msh",
                                  .material = {.E = {1e6, NULL}, .density = {1000, NULL}},
                                  .reduction = "craig-bampton",
                                  .modes = 2,
                                  .ninterface = 2,
                                  .interfaces = faces,
                                  .position = {.x = {5, NULL}}}) > 0);
    const char *table = "s,z\n0,0\n1,2\n",
               *leg = "flexion: 1\nbodies: {foot: {type: point, mass: 3}}\n";
    CHECK(flx_model_add_file(m, "road.csv", table, strlen(table)) == FLX_OK);
    CHECK(flx_model_add_file(m, "leg.yaml", leg, strlen(leg)) == FLX_OK);
    CHECK(flx_model_add_function(m, "road", &(flx_function_def){.file = "road.csv"}) > 0);
    CHECK(flx_model_set_text(m, "parts.left.model", "leg.yaml") == FLX_OK);
    CHECK(flx_model_set_text(m, "parameters.half", "road(0.5)") == FLX_OK);
    BUILT();
    CHECK(m->nsolid == 1 && m->nmodal == 1);
    CHECK(m->parameters[0].values[0] == 1.0);
    CHECK(flx_model_item_count(m, FLX_ITEM_BODY) > 0);
    int foot = flx_model_name(m, "left.foot");
    CHECK(flx_model_add_force(
              m, "tug",
              &(flx_force_def){.type = FLX_FORCE, .on = {foot}, .value = {.x = {1, NULL}}}) > 0);
    BUILT();
    // written with its files, it is the same model
    char folder[] = "calls_XXXXXX", path[200];
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/cube.yaml", folder);
    CHECK(flx_model_write(m, path) == FLX_OK || !print_errors());
    flx_model *read = NULL;
    CHECK(flx_model_read(ctx, path, 0, NULL, &read) == FLX_OK || !print_errors());
    CHECK(read->nbody == m->nbody && read->nsolid == 1 && read->nforce == m->nforce);
    // written elsewhere it has left them behind, which is told of each
    snprintf(path, sizeof path, "%s/again.yaml", folder);
    CHECK(flx_model_write(read, path) == FLX_OK && remove(path) == 0);
    CHECK(flx_ctx_warning(ctx, 0) == NULL);
    CHECK(flx_model_write(read, "calls_moved.yaml") == FLX_OK && remove("calls_moved.yaml") == 0);
    const char *const left[] = {"'cube.msh'", "'road.csv'", "'leg.yaml'"};
    for (int i = 0; i < 3; i++) {
        bool found = false;
        for (int k = 0; flx_ctx_warning(ctx, k); k++)
            found |= strstr(flx_ctx_warning(ctx, k)->text, left[i]) != NULL;
        CHECK(found);
    }
    CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, "is sought beside 'calls_moved.yaml' from now on");
    flx_model_destroy(&read);
    const char *const names[] = {"cube.yaml", "cube.msh", "road.csv", "leg.yaml"};
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        CHECK(remove(path) == 0);
    }
    CHECK(rmdir(folder) == 0);
    // and what is no mesh
    const int wrong[4] = {0, 1, 2, 9};
    const flx_mesh_group bad = {"bad", FLX_TETRAHEDRON_4, 1, wrong}, none = {"bad", 77, 1, wrong};
    REFUSED(flx_model_add_mesh(m, "bad.msh",
                               &(flx_mesh_def){.nnode = 8, .x = &x[0][0], .nset = 1, .sets = &bad}),
            "bad.msh", "has node 9; there are 8");
    REFUSED(flx_model_add_mesh(
                m, "bad.msh", &(flx_mesh_def){.nnode = 8, .x = &x[0][0], .nset = 1, .sets = &none}),
            "bad.msh", "77 is no type");
    REFUSED(flx_model_add_mesh(m, "bad.msh", &(flx_mesh_def){.nnode = 8, .x = &x[0][0]}), "bad.msh",
            "no elements");
    REFUSED(flx_model_add_mesh(m, "bad", &mesh), "bad", "ends with .msh");
    REFUSED(flx_model_add_file(m, "t.csv", NULL, 0), "t.csv", "NULL");
    end();
    return 0;
}

// Each allocation fails in turn: no leak, no crash, and what is refused for want of memory says so.
static int every_failing_allocation_is_survived(void)
{
    for (long k = 0;; k++) {
        ctx = flx_ctx_create();
        flx_ctx_fail_allocation(ctx, k);
        flx_status status = flx_model_create(ctx, 2, &m);
        CHECK((status == FLX_OK) == (m != NULL));
        int body =
            status == FLX_OK
                ? flx_model_add_body(m, "a", &(flx_body_def){.type = FLX_POINT, .mass = {1, NULL}})
                : 0;
        CHECK(status != FLX_OK || body > FLX_GROUND || body == FLX_ERR_MEMORY);
        if (body > 0) status = flx_model_set_text(m, "bodies.a.position[0]", "2");
        if (body > 0 && status == FLX_OK)
            status = flx_model_set_text(m, "bodies.a.position[1]", "2*t0");
        if (body > 0 && status == FLX_OK && flx_model_add_parameter(m, "t0", 2) < 0)
            status = FLX_ERR_MEMORY;
        if (m && (body < 0 ||
                  status != FLX_OK)) { // who does not look gets no model that lacks something
            flx_ctx_fail_allocation(ctx, -1);
            CHECK(flx_model_check(m) == FLX_ERR_MEMORY);
        }
        if (body > 0 && status == FLX_OK) status = flx_model_check(m);
        CHECK(body >= 0 || body == FLX_ERR_MEMORY);
        CHECK(status == FLX_OK || status == FLX_ERR_MEMORY);
        bool done = status == FLX_OK && body > 0 && m->nbody == 1;
        end();
        if (done) return 0;
        CHECK(k < 2000);
    }
}

// A parameter that decides about the structure is refused by the path of the item that needs its number, which
// outlives the model; slopes by it are made of models that are read anew.
static int structural_parameters_are_told_by_path(void)
{
    begin(2);
    flx_system *s = NULL;
    flx_run *r = NULL;
    flx_port_info info;
    flx_model_add_parameter(m, "steps", 4);
    flx_model_add_parameter(m, "k", 2);
    int ball = flx_model_add_body(
        m, "ball",
        &(flx_body_def){.type = FLX_POINT, .mass = {0, "k"}, .position = {.x = {1, NULL}}});
    flx_model_add_force(m, "spring",
                        &(flx_force_def){.type = FLX_SPRING,
                                         .on = {FLX_GROUND, ball},
                                         .at = {{.x = FLX_ZERO}, {.text = "ball"}},
                                         .stiffness = {{0, "10*k"}}});
    flx_model_set_text(m, "simulate.until", "steps");
    CHECK(flx_system_compile(m, NULL, ctx, &s) == FLX_OK);
    flx_model_destroy(&m);
    CHECK(flx_run_create(s, NULL, ctx, &r) == FLX_OK);
    int steps = flx_system_parameter(s, "steps", ctx), k = flx_system_parameter(s, "k", ctx);
    CHECK(flx_system_describe(s, FLX_PORT_PARAMETER, steps, &info) && !info.tunable);
    CHECK(flx_run_set_parameter(r, k, 3) == FLX_OK);
    CHECK(flx_run_set_parameter(r, steps, 3) == FLX_ERR_CANNOT);
    CHECK(!last_error("simulate.until", "parameter 'steps' is structural"));
    flx_run_destroy(&r);
    flx_system_destroy(&s);
    end();
    return 0;
}

TEST_MAIN(TEST(mistakes_of_the_whole_are_told_by_path),
          TEST(structural_parameters_are_told_by_path), TEST(models_change_and_are_compiled_again),
          TEST(settings_and_calls_agree), TEST(settings_reach_any_key),
          TEST(results_hold_the_description), TEST(all_that_takes_a_model_takes_one_by_calls),
          TEST(numbers_are_those_of_the_system), TEST(late_mistakes_are_told_by_path),
          TEST(long_lives_and_large_models), TEST(files_and_meshes_in_memory),
          TEST(every_failing_allocation_is_survived))
