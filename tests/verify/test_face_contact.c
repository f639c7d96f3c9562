// Faces of solids: balls touch them anywhere, nodes of other faces too; exact tangents, momentum, the ledger, turned and swapped copies.
#include "case_table.h"
#include "check.h"
#include "model_check.h"
#include "solid_mesh.h"

#include <math.h>
#include <string.h>

static const char pad_file[] = "face_contact_pad.inp", cube_file[] = "face_contact_cube.inp";

static bool at_bottom(const double x[3])
{
    return x[2] < 1e-9;
}

static int write_mesh(const char *path, flx_cell cell, const int n[3], const double size[3],
                      double angle)
{
    const flx_material none = {.name = ""};
    flx_ctx *ctx = flx_ctx_create();
    flx_structure *s = fe_box(ctx, cell, FLX_FAMILY_SOLID, n[0], n[1], n[2], size, &none, 0, 0);
    for (int i = 0; i < s->nnode; i++) {
        double *x = s->x + 3 * i, at[2] = {x[0], x[1]};
        x[0] = cos(angle) * at[0] - sin(angle) * at[1];
        x[1] = sin(angle) * at[0] + cos(angle) * at[1];
    }
    FILE *f = solid_mesh_open(path, s);
    CHECK(f != NULL);
    solid_mesh_set(f, s, "BOTTOM", at_bottom);
    fclose(f);
    flx_structure_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int write_pad(flx_cell cell, double angle, double part)
{
    const bool quadratic = flx_cells[cell].nodes > 8;
    const int n[3] = {quadratic ? 2 : 3, quadratic ? 1 : 2, 1}, one[3] = {1, 1, 1};
    const double size[3] = {0.3 * part, 0.3 * part, 0.1 * part};
    const double small[3] = {0.1 * part, 0.1 * part, 0.05 * part};
    CHECK(write_mesh(pad_file, cell, n, size, angle) == 0);
    return write_mesh(cube_file, cell, one, small, angle);
}

// ---- tangents -------------------------------------------------------------------------------------

// A ball and a cube in the pad by a part of their thickness, in all directions.
static int tangents_are_exact(void)
{
    static const flx_cell cells[] = {FLX_CELL_TET4, FLX_CELL_TET10, FLX_CELL_HEX8, FLX_CELL_HEX20};
    int bad = 0;
    for (int k = 0; k < 4; k++) {
        char text[1500];
        CHECK(write_pad(cells[k], 0.0, 4) == 0);
        snprintf(text, sizeof text,
                 "flexion: 1\nsimulate: {until: 1}\nbodies:\n"
                 "  pad: {type: solid, mesh: %s, material: {E: 9, nu: 0.3, density: 2},\n"
                 "    law: neo-hookean, fixed: BOTTOM, surface: {faces: true, round: 0.15}}\n"
                 "  cube: {type: solid, mesh: %s, material: {E: 9, nu: 0.3, density: 2},\n"
                 "    law: neo-hookean, position: [0.64, 0.52, 0.5],\n"
                 "    surface: {faces: true, round: 0.1}}\n"
                 "  ball: {type: rigid, mass: 2, inertia: [0.2, 0.3, 0.4], com: [0.08, 0.04, 0],\n"
                 "    position: [0.28, 0.32, 0.7], surface: {sphere: 0.3, at: [0, 0.04, 0]}}\n"
                 "forces:\n"
                 "  k: {type: contact, among: [pad, cube, ball], law: penalty, stiffness: 60,\n"
                 "    exponent: 2, damping: 3, damping_exponent: 2,\n"
                 "    friction: {coefficient: 0.4, velocity: 0.3}}\n",
                 pad_file, cube_file);
        bad += check_model(text, 0.01, true);
    }
    remove(pad_file);
    remove(cube_file);
    return bad;
}

// ---- a ball on a pad that gives way by next to nothing ----------------------------------------------

// m z'' = -k d of a ball on faces of a heavy solid, of any cells: in touch for pi sqrt(m/k), thrown back with all of its speed,
// wherever it strikes; between coplanar faces it glides without a step.
static int heavy_pad_is_a_plane(void)
{
    static const flx_cell cells[] = {FLX_CELL_TET4, FLX_CELL_TET10, FLX_CELL_HEX8, FLX_CELL_HEX20};
    static const double at[][2] = {{0.04, 0.04}, {0.1, 0.15}, {0.15, 0.15}, {0.21, 0.1}};
    const double pi = 3.14159265358979323846, m = 0.5, k = 2e4, w = sqrt(k / m);
    for (int i = 0; i < 4; i++) {
        char text[1500];
        CHECK(write_pad(cells[i], 0.0, 1) == 0);
        snprintf(
            text, sizeof text,
            "flexion: 1\nbodies:\n"
            "  pad: {type: solid, mesh: %s, material: {E: 1e12, nu: 0.3, density: 1e12},\n"
            "    surface: {faces: true}}\n"
            "  ball: {type: rigid, mass: %g, inertia: [5e-4, 5e-4, 5e-4],\n"
            "    position: [%g, %g, 0.15], velocity: [0.6, 0.2, -1], surface: {sphere: 0.05}}\n"
            "forces: {k: {type: contact, on: [pad, ball], law: penalty, stiffness: %g}}\n"
            "outputs: {every: %.17g, signals: [ball.position, ball.velocity, k.value, k.force,\n"
            "  k.place]}\n"
            "simulate: {until: %.17g, method: radau, rtol: 1e-8}\n",
            pad_file, m, at[i][0], at[i][1], k, pi / (2 * w), 1.5 * pi / w);
        case_table t = {0};
        double vz, vx, z, x, value, force, place;
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "k.value", pi / (2 * w), &value));
        CHECK(case_table_value(&t, "k.force.z", pi / (2 * w), &force));
        CHECK(case_table_value(&t, "k.place.x", pi / (2 * w), &place));
        CHECK(case_table_value(&t, "ball.position.z", pi / (2 * w), &z));
        CHECK(case_table_value(&t, "ball.position.x", pi / (2 * w), &x));
        CHECK(case_table_value(&t, "ball.velocity.z", 1.5 * pi / w, &vz));
        CHECK(case_table_value(&t, "ball.velocity.x", 1.5 * pi / w, &vx));
        CHECK_NEAR(value, m * w, 1e-5 * m * w);
        CHECK_NEAR(force, m * w, 1e-5 * m * w);
        CHECK_NEAR(place, x, 1e-9);
        CHECK_NEAR(z, 0.15 - 1 / w, 1e-7);
        CHECK_NEAR(vz, 1.0, 1e-5);
        CHECK_NEAR(vx, 0.6, 1e-9);
        case_table_clear(&t);
    }
    remove(pad_file);
    remove(cube_file);
    return 0;
}

// ---- copies -----------------------------------------------------------------------------------------

static const char soft[] =
    "flexion: 1\nparameters: {c: %.17g, s: %.17g}\nbodies:\n"
    "  pad: {type: solid, mesh: face_contact_pad.inp, law: neo-hookean,\n"
    "    material: {E: 1e6, nu: 0.3, density: 1000}, surface: {faces: true, round: 0.003}}\n"
    "  cube: {type: solid, mesh: face_contact_cube.inp, law: neo-hookean,\n"
    "    position: [c*0.14 - s*0.1, s*0.14 + c*0.1, 0.108], velocity: [0.2*c, 0.2*s, -1],\n"
    "    material: {E: 2e6, nu: 0.3, density: 1000}, surface: {faces: true, round: 0.003}}\n"
    "  ball: {type: rigid, mass: 0.5, inertia: [5e-4, 5e-4, 5e-4],\n"
    "    position: [c*0.08 - s*0.2, s*0.08 + c*0.2, 0.155],\n"
    "    velocity: [0.3*c, 0.3*s, -1], surface: {sphere: 0.05}}\n"
    "forces:\n"
    "  k: {type: contact, %s, law: penalty, stiffness: 2e4,\n"
    "    friction: {coefficient: %g, velocity: 0.05}}\n"
    "signals: {px: c*ball.position.x + s*ball.position.y, py: c*ball.position.y - "
    "s*ball.position.x,\n"
    "  vx: c*ball.velocity.x + s*ball.velocity.y}\n"
    "outputs: {every: 0.01, signals: [px, py, vx, ball.position.z, ball.velocity.z, k.force]}\n"
    "simulate: {until: 0.01, method: radau, rtol: 1e-6}\n";

// The same in turned axes; linear momentum is kept, angular too where nodes of faces have no friction; the ledger closes.
static int copies_agree(void)
{
    static const char *const signals[] = {"px", "py", "vx", "ball.position.z", "ball.velocity.z"};
    static const struct {
        double angle, friction;
        const char *of;
    } runs[] = {{0.0, 0.3, "among: [pad, ball, cube]"},
                {0.8, 0.3, "among: [pad, ball, cube]"},
                {0.0, 0.3, "among: [cube, ball, pad]"},
                {0.0, 0.0, "among: [pad, ball, cube]"}};
    double first[5] = {0};
    for (int i = 0; i < 4; i++) {
        char text[2500];
        case_table t = {0};
        flx_ledger l = {0};
        CHECK(write_pad(FLX_CELL_HEX8, runs[i].angle, 1) == 0);
        snprintf(text, sizeof text, soft, cos(runs[i].angle), sin(runs[i].angle), runs[i].of,
                 runs[i].friction);
        CHECK(case_run_ledger(text, NULL, &t, &l));
        for (int k = 0; k < 5; k++) {
            double x;
            CHECK(case_table_value(&t, signals[k], 0.01, &x));
            if (i == 0) first[k] = x;
            if (i == 1 || i == 2) CHECK_NEAR(x, first[k], 2e-6);
        }
        double linear = 0.0, angular = 0.0;
        for (int k = 0; k < 3; k++) {
            linear = fmax(linear, fabs(l.momentum_change[k]));
            angular = fmax(angular, fabs(l.momentum_change[3 + k]));
        }
        CHECK(linear < 1e-12);
        CHECK(l.energy_drift < 2e-5);
        if (runs[i].friction == 0.0) CHECK(angular < 1e-9);
        case_table_clear(&t);
    }
    remove(pad_file);
    remove(cube_file);
    return 0;
}

// ---- the rigid law, step by step --------------------------------------------------------------------

// A ball and a cube come to rest on a pad that is held: the contacts carry their weights, and do not overlap.
static int rigid_bodies_rest_on_faces(void)
{
    static const char text[] =
        "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  pad: {type: solid, mesh: face_contact_pad.inp, law: neo-hookean, fixed: BOTTOM,\n"
        "    material: {E: 1e6, nu: 0.3, density: 1000}, damping: {rayleigh: [2, 2e-3]},\n"
        "    surface: {faces: true, round: 0.002}}\n"
        "  ball: {type: rigid, mass: 0.5, inertia: [5e-4, 5e-4, 5e-4],\n"
        "    position: [0.14, 0.13, 0.1525], surface: {sphere: 0.05}}\n"
        "  cube: {type: solid, mesh: face_contact_cube.inp, position: [0.18, 0.02, 0.1045],\n"
        "    law: neo-hookean, material: {E: 2e6, nu: 0.3, density: 1000},\n"
        "    damping: {rayleigh: [2, 2e-3]}, surface: {faces: true, round: 0.002}}\n"
        "forces:\n"
        "  touch: {type: contact, on: [pad, ball], law: restitution, friction: 0.3}\n"
        "  rests: {type: contact, on: [cube, pad], law: restitution, friction: 0.3}\n"
        "outputs: {every: 0.2, signals: [touch.force.z, touch.gap, rests.force.z, rests.gap]}\n"
        "simulate: {until: 0.2, method: moreau, step: 1e-3}\n";
    case_table t = {0};
    double ball, cube, gap[2];
    CHECK(write_pad(FLX_CELL_HEX8, 0.0, 1) == 0);
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    CHECK(case_table_value(&t, "touch.force.z", 0.2, &ball));
    CHECK(case_table_value(&t, "rests.force.z", 0.2, &cube));
    CHECK(case_table_value(&t, "touch.gap", 0.2, &gap[0]));
    CHECK(case_table_value(&t, "rests.gap", 0.2, &gap[1]));
    CHECK_NEAR(ball, 0.5 * 9.81, 1e-4);
    CHECK_NEAR(cube, -0.5 * 9.81, 1e-3); // on the second, the pad
    CHECK(fabs(gap[0]) < 1e-9 && fabs(gap[1]) < 1e-9);
    case_table_clear(&t);
    remove(pad_file);
    remove(cube_file);
    return 0;
}

// A ball strikes a free rod, and the rod another one: momenta are kept, the gap opens with e times its rate.
static int rigid_lines_keep_the_law(void)
{
    static const char *const formulations[] = {"geometrically-exact", "ancf", "segments"};
    static const char *const pairs[] = {"on: [rod, ball]", "on: [ball, rod]", "on: [rod, other]"};
    for (int i = 0; i < 9; i++) {
        char text[2500];
        case_table t = {0};
        flx_ledger l = {0};
        double gap[4];
        snprintf(text, sizeof text,
                 "flexion: 1\nbodies:\n"
                 "  rod: {type: beam, formulation: %s, from: [-0.5, 0.02, 0], to: [0.5, 0, 0.01],\n"
                 "    elements: 4, section: {radius: 0.02}, surface: {line: true},\n"
                 "    material: {E: 1e6, nu: 0.3, density: 1000}}\n"
                 "  other: {type: beam, formulation: %s, from: [0.1, -0.5, 0.05],\n"
                 "    to: [0.2, 0.5, 0.06], velocity: [0, 0, -1], elements: 5,\n"
                 "    section: {radius: 0.015}, surface: {line: true},\n"
                 "    material: {E: 1e6, nu: 0.3, density: 1000}}\n"
                 "  ball: {type: rigid, mass: 0.5, inertia: [5e-4, 5e-4, 5e-4],\n"
                 "    position: [-0.17, 0.02, 0.08], velocity: [0.2, 0.1, -1],\n"
                 "    surface: {sphere: 0.05}}\n"
                 "forces:\n"
                 "  k: {type: contact, %s, law: restitution, restitution: 0.5, friction: 0.2}\n"
                 "outputs: {every: 1e-4, signals: [k.gap, k.count]}\n"
                 "simulate: {until: 0.02, method: moreau, step: 2e-5}\n",
                 formulations[i % 3], formulations[i % 3], pairs[i / 3]);
        CHECK(case_run_ledger(text, NULL, &t, &l));
        double linear = 0.0, angular = 0.0, before = 0.0, after = 0.0;
        for (int k = 0; k < 3; k++) {
            linear = fmax(linear, fabs(l.momentum_change[k]));
            angular = fmax(angular, fabs(l.momentum_change[3 + k]));
        }
        CHECK(linear < 1e-12);
        // of the order of the step; directions of absolute nodal coordinates have no moment of friction
        CHECK(angular < (i % 3 == 1 ? 1e-3 : 1e-5));
        for (int k = 1; k < 199 && after == 0.0; k++) {
            double count;
            CHECK(case_table_value(&t, "k.count", 1e-4 * (k + 1), &count));
            if (count == 0.0) continue;
            for (int n = 0; n < 4; n++)
                CHECK(case_table_value(&t, "k.gap", 1e-4 * (k - 1 + n), &gap[n]));
            before = gap[1] - gap[0];
            after = gap[3] - gap[2];
        }
        CHECK_NEAR(after / before, -0.5, 0.02); // the rod gives way meanwhile
        case_table_clear(&t);
    }
    return 0;
}

static int events_refuse(void)
{
    char said[1000];
    CHECK(!case_run_said(
        "flexion: 1\nbodies:\n"
        "  a: {type: beam, from: [0, 0, 0], to: [1, 0, 0], elements: 2, section: {radius: 0.02},\n"
        "    material: {E: 1e7, density: 1000}, surface: {line: true}}\n"
        "  b: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0.3],\n"
        "    surface: {sphere: 0.1}}\n"
        "forces: {k: {type: contact, among: [a, b], law: restitution}}\n"
        "simulate: {until: 1, method: radau}\n",
        NULL, said, sizeof said));
    CHECK(strstr(said, "lines of beams and faces meet rigid contacts step by step"));
    return 0;
}

TEST_MAIN(TEST(events_refuse), TEST(rigid_bodies_rest_on_faces), TEST(rigid_lines_keep_the_law),
          TEST(tangents_are_exact), TEST(heavy_pad_is_a_plane), TEST(copies_agree))
