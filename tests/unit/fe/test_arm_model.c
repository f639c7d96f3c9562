// test_arm_model.c - the arm of examples/elastic_arm.msh in models: what is told of loads beside its interfaces and of
// interfaces that move together, and a damping that does not change with the shapes.
#include "check.h"
#include "flexion/flexion.h"
#include "math/blas.h"
#include "math/complex_number.h"
#include "model/model_data.h"
#include "reduce/elastic.h"
#include "results/body_file.h"

#include <stdlib.h>

#define MOST 80 // shapes

static const char text[] =
    "flexion: 1\n"
    "bodies:\n"
    "  arm:\n"
    "    type: flexible\n"
    "    fe: {mesh: " FLX_EXAMPLES "/elastic_arm.msh, material: {E: 7e10, nu: 0.33, density: "
    "2700%s}}\n"
    "    reduce: {%s}\n"
    "%s"
    "simulate: {until: 1}\n";

static flx_ctx *ctx;
static flx_model *model;

static flx_status read_arm(const char *material, const char *reduce, const char *more)
{
    char whole[3000];
    snprintf(whole, sizeof whole, text, material, reduce, more);
    ctx = flx_ctx_create();
    return flx_model_read_text(ctx, "arm.yaml", whole, strlen(whole), 0, NULL, &model);
}

static void finish(void)
{
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
}

// ---- loads beside the interfaces --------------------------------------------------------------------

#define PUSH "forces:\n  push: {type: force, on: arm, at: arm.node(%d), value: [0, 10, 0]}\n"

static int loads_beside_the_interfaces_are_told(void)
{
    static const char *const bases[] = {"type: band, to: 2000, interfaces: [hub, tip]",
                                        "type: craig-bampton, modes: 4, interfaces: [hub, tip]"};
    char force[200];
    snprintf(force, sizeof force, PUSH, 5);
    for (int i = 0; i < 2; i++) {
        CHECK(read_arm("", bases[i], force) == FLX_OK);
        const flx_message *m = flx_ctx_warning(ctx, 0);
        CHECK(m);
        CHECK_TEXT(m->text, "node 5 is no interface of the body");
        CHECK_TEXT(m->text, "of all unknowns); name it in 'interfaces'");
        CHECK(m->loc.line == 8);
        finish();
    }
    // an interface of its own leaves nothing out
    CHECK(read_arm("",
                   "type: band, to: 2000, interfaces: {hub: {on: hub}, tip: {on: tip}, here: {on: "
                   "node(5)}}",
                   force) == FLX_OK);
    CHECK(!flx_ctx_warning(ctx, 0));
    finish();
    // modes alone are the user's choice
    CHECK(read_arm("", "type: modal, modes: 6, interfaces: [hub, tip]", force) == FLX_OK);
    CHECK(!flx_ctx_warning(ctx, 0));
    finish();
    return 0;
}

// Modes alone of a body that is held at an interface and loaded at another: told where they leave out more than a tenth.
static int modes_alone_at_interfaces_are_told(void)
{
#define MODES(count, more) "type: modal, modes: " count ", interfaces: [hub, tip]" more
#define CHORD "    frame: chord\n"
#define GRIP(rest) "joints: {grip: {on: [ground, arm], at: arm.hub, type: " rest "}}\n"
#define CLAMP GRIP("fixed")
#define HINGED(more) GRIP("revolute, axis: [0, 0, 1]" more)
#define PUSH_TIP "  push: {type: force, on: arm, at: arm.tip, value: [0, 0, 10]}\n"
#define TIP "forces:\n" PUSH_TIP
    static const struct {
        const char *reduce, *more, *told;
        int line;
    } cases[] = {
        {MODES("2", ""), CHORD CLAMP TIP,
         "15 % of the static compliance to forces at interface 'tip'", 10},
        {MODES("2", ""), CHORD TIP CLAMP, "at interface 'tip' of the body held at 'hub'", 9},
        {MODES("2", ""), CHORD HINGED(", motion: {angle: t}") TIP, "of the body held at 'hub'", 10},
        {MODES("2", ""),
         CHORD HINGED("") "forces:\n  drive: {type: torque, on: grip, value: 1}\n" PUSH_TIP,
         "of the body held at 'hub'", 11},
        {MODES("2", ""), CHORD HINGED("") TIP, NULL, 0}, // nothing holds it
        {MODES("2", ""), CHORD CLAMP, NULL, 0},          // nothing loads it
        {MODES("40", ""), CHORD CLAMP TIP, NULL, 0},
        {MODES("2", ", attachment: true"), CHORD CLAMP TIP, NULL, 0},
        {MODES("2", ""), CLAMP TIP, NULL, 0}, // modes of the body held there
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK(read_arm("", cases[i].reduce, cases[i].more) == FLX_OK);
        CHECK(flx_ctx_warning_count(ctx) == (cases[i].told ? 1 : 0));
        if (cases[i].told) {
            CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, cases[i].told);
            CHECK(flx_ctx_warning(ctx, 0)->loc.line == cases[i].line);
        }
        finish();
    }
    return 0;
}

// ---- loads that components leave out ------------------------------------------------------------

#define BAND(hub, tip)                                                                             \
    "type: band, to: 500, interfaces: {hub: {on: hub" hub "}, tip: {on: tip" tip "}}"
#define HINGE(more)                                                                                \
    "joints: {motor: {type: revolute, on: [ground, arm], at: arm.hub, axis: [0, 0, 1]" more "}}\n"
#define LOAD(at) "  load: {type: rigid, mass: 1, inertia: [1, 1, 1], position: " at "}\n"

// A hinge passes on no moment about its axis, unless it is driven; a fixed joint passes on everything; a node that is found by
// its place is as good as one by its number.
static int loads_that_are_left_out_are_told(void)
{
    static const struct {
        const char *reduce, *more, *told;
    } cases[] = {
        {BAND(", components: [x, y, z, rx, ry]", ""), HINGE(""), NULL},
        {BAND(", components: [x, y, z, rx, ry]", ""), HINGE(", motion: {angle: t}"),
         "'motor' loads 'arm.hub' in a direction that its 'components' leave out (rz)"},
        {BAND(", components: [x, y, z, rx, ry]", ""),
         HINGE("") "forces: {drive: {type: torque, on: motor, value: 1}}\n", "leave out (rz)"},
        {BAND(", components: [x, y, z, rx]", ""), HINGE(""), "leave out (ry, rz)"},
        {BAND("", ", components: [x]"),
         LOAD("arm.tip") "joints: {grip: {type: fixed, on: [arm, load], at: arm.tip}}\n",
         "'grip' loads 'arm.tip' in a direction that its 'components' leave out (y, z, rx, ry, "
         "rz)"},
        {BAND("", ""),
         LOAD(
             "[0.20228840000000001, 0.0083967099999999999, 0.004]") "joints: {grip: {type: fixed, "
                                                                    "on: [arm, load], at: load}}\n",
         "'grip' is at node 618 of 'arm', which is no interface"},
        {BAND("", "}, rim: {on: node(618)"),
         LOAD("arm.rim") "joints: {grip: {type: spherical, on: [arm, load], at: arm.rim}}\n", NULL},
        {BAND("", "}, rim: {on: node(618)"),
         LOAD("arm.rim") "joints: {grip: {type: fixed, on: [arm, load], at: arm.rim}}\n",
         "'grip' passes on a moment at 'arm.rim', a single node that does not rotate"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK(read_arm("", cases[i].reduce, cases[i].more) == FLX_OK);
        CHECK(flx_ctx_warning_count(ctx) == (cases[i].told ? 1 : 0));
        if (cases[i].told) CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, cases[i].told);
        finish();
    }
    return 0;
}

// A body file has no matrices to say how much is left out, but knows its interfaces.
static int nodes_of_a_body_file_are_told(void)
{
    static const char file[] = "test_arm_model_body.h5";
    static const char again[] =
        "flexion: 1\nbodies: {arm: {type: flexible, data: test_arm_model_body.h5}}\n"
        "forces: {a: {type: force, on: arm, at: arm.%s, value: [0, 10, 0]}}\nsimulate: {until: "
        "1}\n";
    char whole[400];
    CHECK(read_arm("", BAND("", ""), "") == FLX_OK);
    CHECK(flx_body_file_write(ctx, file, model->modals[0].e,
                              &(flx_body_origin){.body = "arm", .key = ""}) == FLX_OK);
    finish();
    static const char *const places[] = {"tip", "node(618)"};
    for (int i = 0; i < 2; i++) {
        snprintf(whole, sizeof whole, again, places[i]);
        ctx = flx_ctx_create();
        CHECK(flx_model_read_text(ctx, "arm.yaml", whole, strlen(whole), 0, NULL, &model) ==
              FLX_OK);
        CHECK(flx_ctx_warning_count(ctx) == i);
        if (i > 0) CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, "no interface of the body file");
        finish();
    }
    remove(file);
    return 0;
}

// ---- interfaces that move together --------------------------------------------------------------

static int interfaces_that_move_together_are_told(void)
{
    CHECK(read_arm("",
                   "type: band, to: 2000, interfaces: {hub: {on: hub}, again: {on: hub, type: "
                   "average}, tip: {on: tip}}",
                   "") == FLX_OK);
    const flx_reduction_report *p = flx_model_elastic_report(model, 0);
    // free, one of the three held; not all: hub and again are one
    CHECK(p && p->ncondition == 4 && p->met);
    CHECK(strcmp(p->conditions[0].name, "free") == 0);
    CHECK(strcmp(p->conditions[3].name, "tip held") == 0);
    for (int i = 0; i < 4; i++) CHECK(p->conditions[i].error < 1e-3);
    CHECK(flx_ctx_warning_count(ctx) == 1);
    CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, "'hub' and 'again' move together");
    CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, "'all held' is left out");
    finish();
    CHECK(read_arm("",
                   "type: band, to: 2000, conditions: [hub], interfaces: {hub: {on: hub}, again: "
                   "{on: hub, type: average}}",
                   "") == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "no condition is left");
    finish();
    return 0;
}

// ---- interfaces that no moment turns ------------------------------------------------------------

static int interfaces_on_a_line_are_refused(void)
{
    static const char *const bases[] = {"band, to: 2000", "modal, modes: 6", "krylov, blocks: 2",
                                        "modal, modes: 6, attachment: true",
                                        "guyan, inertia_relief: true"};
    char reduce[200];
    for (int i = 0; i < 5; i++) {
        snprintf(reduce, sizeof reduce,
                 "type: %s, interfaces: {edge: {on: [node(1), node(2)]}, tip: {on: tip}}",
                 bases[i]);
        CHECK(read_arm("", reduce, "") == FLX_ERR_MODEL);
        CHECK_TEXT(flx_ctx_error(ctx, 0)->text,
                   "the nodes of the interface 'edge' lie on one line");
        CHECK(flx_ctx_error(ctx, 0)->loc.line > 0);
        finish();
    }
    // where it is held the turn about the line is a motion without strain, and told
    CHECK(read_arm("", "type: guyan, interfaces: {edge: {on: [node(1), node(2)]}, tip: {on: tip}}",
                   "") == FLX_OK);
    CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, "'edge' lie on one line");
    finish();
    CHECK(read_arm("", "type: band, to: 2000, interfaces: {all: {on: arm}}", "") == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "one interface holds all of the body");
    finish();
    return 0;
}

// ---- so many shapes as are asked for -----------------------------------------------------------------

static int what_is_far_off_is_told(void)
{
    static const char *const bases[] = {"balanced", "irka"};
    char reduce[100];
    for (int i = 0; i < 2; i++) {
        snprintf(reduce, sizeof reduce, "type: %s, to: 2000, shapes: 12, interfaces: [hub, tip]",
                 bases[i]);
        CHECK(read_arm("", reduce, "") == FLX_OK);
        CHECK(flx_ctx_warning_count(ctx) == 1);
        CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, "12 shapes leave an error of");
        CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, "'type: band' is made for mechanisms");
        finish();
    }
    CHECK(read_arm("", "type: band, to: 2000, shapes: 12, interfaces: [hub, tip]", "") == FLX_OK);
    CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, "'flexion reduce' says in which");
    finish();
    CHECK(read_arm("", "type: band, to: 2000, shapes: 20, interfaces: [hub, tip]", "") == FLX_OK);
    CHECK(flx_ctx_warning_count(ctx) == 0);
    finish();
    return 0;
}

// ---- damping ------------------------------------------------------------------------------------

// Response of the tip to forces there, (3, 3), as the model's body has it: on its hub.
static int respond(const flx_elastic *e, double hz, double complex H[9])
{
    static double complex A[MOST * MOST], X[3 * MOST];
    lapack_int pivot[MOST];
    int n = e->n, info = 0;
    double w = 2 * FLX_PI * hz;
    const double *phi = NULL;
    CHECK(n <= MOST);
    for (int i = 0; i < e->nnode; i++) {
        if (e->nodes[i].name && strcmp(e->nodes[i].name, "tip") == 0) phi = e->nodes[i].phi;
    }
    CHECK(phi);
    for (int i = 0; i < n * n; i++) A[i] = flx_complex(e->K[i] - w * w * e->M[i], w * e->D[i]);
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < n; k++) X[c * n + k] = phi[3 * k + c];
    }
    FLX_ONE_THREAD info = LAPACKE_zgesv(LAPACK_COL_MAJOR, n, 3, A, n, pivot, X, n);
    CHECK(info == 0);
    for (int c = 0; c < 9; c++) {
        H[c] = 0;
        for (int k = 0; k < n; k++) H[c] += phi[3 * k + c / 3] * X[c % 3 * n + k];
    }
    return 0;
}

#define POINTS 60

static int course(const char *material, const char *reduce, const char *damping, double complex *H)
{
    CHECK(read_arm(material, reduce, damping) == FLX_OK);
    for (int k = 0; k < POINTS; k++)
        CHECK(respond(model->modals[0].e, 5 + 2000.0 * k / POINTS, H + 9 * k) == 0);
    finish();
    return 0;
}

static double furthest(const double complex *G, const double complex *H)
{
    double most = 0;
    for (int k = 0; k < POINTS; k++) {
        double whole = 0, off = 0;
        for (int c = 9 * k; c < 9 * k + 9; c++) {
            whole += creal(H[c] * conj(H[c]));
            off += creal((G[c] - H[c]) * conj(G[c] - H[c]));
        }
        most = fmax(most, sqrt(off / whole));
    }
    return most;
}

// A ratio, and a loss factor, is that of the modes of the body, whatever the shapes are. The truth: 60 modes and the
// static shapes of the tip, whose own frequencies are those of the body.
static int damping_does_not_change_with_the_shapes(void)
{
    static double complex truth[9 * POINTS], band[9 * POINTS];
    static const char *const ways[][2] = {{"", "    damping: {ratio: 0.01}\n"},
                                          {", loss: 0.02", ""}};
    for (int i = 0; i < 2; i++) {
        CHECK(course(ways[i][0], "type: modal, modes: 60, attachment: true, interfaces: [hub, tip]",
                     ways[i][1], truth) == 0);
        CHECK(course(ways[i][0], "type: band, to: 2000, tolerance: 1e-5, interfaces: [hub, tip]",
                     ways[i][1], band) == 0);
        CHECK(furthest(band, truth) < 1e-5);
    }
    return 0;
}

TEST_MAIN(TEST(loads_beside_the_interfaces_are_told), TEST(modes_alone_at_interfaces_are_told),
          TEST(loads_that_are_left_out_are_told), TEST(nodes_of_a_body_file_are_told),
          TEST(interfaces_that_move_together_are_told), TEST(interfaces_on_a_line_are_refused),
          TEST(what_is_far_off_is_told), TEST(damping_does_not_change_with_the_shapes))
