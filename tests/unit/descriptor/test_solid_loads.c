// test_solid_loads.c - loads on solids and loads that follow beams in the equations: tangents, energies.
#include "check.h"
#include "model_check.h"
#include "solid_mesh.h"

static bool at_start(const double x[3])
{
    return x[0] < 1e-9;
}

static bool at_end(const double x[3])
{
    return x[0] > 1.2 - 1e-9;
}

// One or two cubes of each cell, a face of it held by the ground, the one across by a rigid body.
static int write_mesh(const char *path, flx_cell cell)
{
    const double size[3] = {1.2, 1, 0.9};
    const flx_material none = {.name = ""};
    flx_ctx *ctx = flx_ctx_create();
    flx_structure *s = fe_box(ctx, cell, FLX_FAMILY_SOLID, flx_cells[cell].nodes > 8 ? 1 : 2, 1, 1,
                              size, &none, 0, 0);
    FILE *f = solid_mesh_open(path, s);
    CHECK(f != NULL);
    solid_mesh_set(f, s, "START", at_start);
    solid_mesh_set(f, s, "END", at_end);
    fclose(f);
    flx_structure_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

#define BODY                                                                                       \
    "flexion: 1\nbodies:\n"                                                                        \
    "  block: {type: solid, mesh: solid_loads.inp, material: {E: 9, nu: 0.3, density: 2},\n"       \
    "          law: neo-hookean, %s, attach: {tip: END}}\n"                                        \
    "  tip: {type: rigid, mass: 2, inertia: [0.2, 0.3, 0.4], com: [0.1, 0, 0.2],\n"                \
    "        position: [1.5, 0.3, 0.2]}\n"                                                         \
    "simulate: {until: 1}\n"                                                                       \
    "equations: {first_order: {z: {at: 1, derivative: -z}}}\n"                                     \
    "forces:\n"

static int check_loads(const char *held, const char *forces)
{
    static const flx_cell cells[] = {FLX_CELL_TET4, FLX_CELL_TET10, FLX_CELL_HEX8, FLX_CELL_HEX20};
    int bad = 0;
    for (int k = 0; k < 4; k++) {
        char text[2000];
        snprintf(text, sizeof text, BODY "%s", held, forces);
        CHECK(write_mesh("solid_loads.inp", cells[k]) == 0);
        bad += check_model(text, 0.05, true);
    }
    return bad;
}

static int pressures_have_exact_tangents(void)
{
    return check_loads("fixed: START", "  p: {type: pressure, on: block, value: 3 + sin(t)}\n"
                                       "  w: {type: pressure, on: block, surface: [START, END],\n"
                                       "      value: 2, gradient: [1, -3, 2*t], at: tip}\n");
}

static int pressures_depend_on_what_moves(void)
{
    return check_loads("fixed: node(1)",
                       "  p: {type: pressure, on: block, surface: END,\n"
                       "      value: z + 0.7*tip.position.x - 0.2*tip.velocity.y^2,\n"
                       "      gradient: [z, tip.angular_velocity.z, 0]}\n");
}

static int forces_have_exact_tangents(void)
{
    return check_loads(
        "fixed: START",
        "  f: {type: traction, on: block, surface: END, value: [1, 2*t, z]}\n"
        "  g: {type: traction, on: block, value: [tip.position.z, 2, 0], frame: tip}\n"
        "  h: {type: distributed, on: block, value: [0, 3, -4*z]}\n");
}

static int lines_are_followed(void)
{
    static const char *const plane[] = {"ancf", "ancf-cable", "geometrically-exact", "segments"};
    static const char *const space[] = {"ancf", "geometrically-exact", "segments"};
    char text[1000];
    int bad = 0;
    for (int k = 0; k < 4; k++) {
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\nsimulate: {until: 1}\nbodies:\n"
                 "  b: {type: beam, formulation: %s, from: [0, 0], to: [1, 0.4], elements: 2,\n"
                 "      section: {EA: 30, EI: 2, GA: 20, mass: 1}}\n"
                 "forces: {p: {type: distributed, on: b, value: [s, 2 - t], frame: body}}\n",
                 plane[k]);
        bad += check_model(text, 0.1, true);
    }
    for (int k = 0; k < 3; k++) {
        snprintf(text, sizeof text,
                 "flexion: 1\nsimulate: {until: 1}\nbodies:\n"
                 "  b: {type: beam, formulation: %s, from: [0, 0, 0], to: [1, 0.4, 0.2],\n"
                 "      elements: 2, section: {EA: 30, EI: 2, GA: 20, GJ: 1, mass: 1}}\n"
                 "forces: {p: {type: distributed, on: b, value: [s, 2 - t, 3], frame: body}}\n",
                 space[k]);
        bad += check_model(text, 0.1, true);
    }
    bad += check_model("flexion: 1\nsimulate: {until: 1}\nbodies:\n"
                       "  b: {type: beam, formulation: ancf-cable, from: [0, 0, 0],\n"
                       "      to: [1, 0.4, 0.2], elements: 2, section: {EA: 30, EI: 2, mass: 1}}\n"
                       "forces: {p: {type: distributed, on: b, value: [2, 0, 0], frame: body}}\n",
                       0.1, true);
    return bad;
}

TEST_MAIN(TEST(pressures_have_exact_tangents), TEST(pressures_depend_on_what_moves),
          TEST(forces_have_exact_tangents), TEST(lines_are_followed))
