// test_response.c - frequency responses of structures: reference case mor-cantilever60-loss by examples/fe/damped_beam.yaml,
// directly and by the model of few vectors; a dashpot and a free rod by their closed forms; what is refused.
#include "check.h"
#include "fe/problem.h"
#include "flexion/flexion.h"
#include "math/complex_number.h"
#include "reduce/bases.h"
#include "reference_case.h"

static flx_ctx *ctx;
static flx_model *model;
static flx_fe_problem *problem;
static const flx_fe_response *r;

static int begin(const char *text)
{
    ctx = flx_ctx_create();
    flx_status status =
        text ? flx_model_read_text(ctx, "m.yaml", text, strlen(text), 0, NULL, &model)
             : flx_model_read(ctx, FLX_EXAMPLES "/fe/damped_beam.yaml", 0, NULL, &model);
    CHECK(status == FLX_OK);
    CHECK(flx_fe_problem_create(model, &problem) == FLX_OK);
    return 0;
}

static void finish(void)
{
    flx_fe_problem_destroy(&problem);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
}

static double complex entry(int k, int i, int j)
{
    const double *z = r->H + 2 * ((k * r->noutput + i) * r->ninput + j);
    return flx_complex(z[0], z[1]);
}

static const char *const both[] = {"END.y", "MID.y"};

static int a_lossy_beam_has_the_responses_of_the_case(void)
{
    static const double hz[] = {0, 8.15, 100, 300, 600};
    static const char *const names[] = {"H[tip,tip]", "H[tip,mid]", "H[mid,mid]"};
    reference_case c;
    c = reference_open("mor-cantilever60-loss");
    CHECK(c.tree);
    CHECK(begin(NULL) == 0);
    for (int direct = 0; direct < 2; direct++) {
        for (int k = 0; k < 5; k++) {
            const flx_fe_response_def def = {2, 2, both, both, hz[k], hz[k] + 300, 2, 1, direct};
            CHECK(flx_fe_problem_response(problem, &def, &r) == FLX_OK);
            CHECK(r->other && !r->assumed && r->rigid == 0);
            CHECK(direct || (r->vectors < 60 && r->checked == 2 && r->known < 1e-7));
            for (int e = 0; e < 3; e++) {
                char name[60];
                flx_snprintf(name, sizeof name, "%s at %g Hz, m/N [re, im]", names[e], hz[k]);
                double complex z =
                    flx_complex(reference_value(&c, name, 0), reference_value(&c, name, 1));
                CHECK(cabs(entry(0, e / 2, (e + 1) / 2) - z) <= 1e-7 * cabs(z));
                CHECK(cabs(entry(0, e / 2, (e + 1) / 2) - entry(0, (e + 1) / 2, e / 2)) <=
                      1e-12 * cabs(z));
            }
        }
    }
    finish();
    reference_close(&c);
    return 0;
}

// ---- bases --------------------------------------------------------------------------------------------

static double complex truth[300][4];

// The largest error of a basis over the grid of the case, of ports without scales.
static int error_of(flx_basis b, int shapes, double *most)
{
    static const bool nothing_held[2] = {false, false};
    flx_fe *fe = problem->fe;
    flx_interface faces[2] = {{.name = "tip"}, {.name = "middle"}};
    int unknown[2] = {fe->dof[6 * 60 + 1], fe->dof[6 * 30 + 1]};
    static const double one = 1;
    for (int i = 0; i < 2; i++) {
        faces[i].count[1] = 1;
        faces[i].unknown[1] = unknown + i;
        faces[i].weight[1] = &one;
    }
    const flx_free_structure s = {.ctx = ctx,
                                  .K = &fe->K,
                                  .M = &fe->M,
                                  .S = &fe->S,
                                  .group = problem->group,
                                  .ninterface = 2,
                                  .interfaces = faces};
    b.ncondition = 1;
    b.conditions = nothing_held;
    b.unscaled = true;
    b.to = 600;
    b.frame = FLX_FRAME_BUCKENS;
    flx_shape_search q = {.s = &s, .b = &b, .n = (size_t)fe->n}, own = q;
    const flx_ritz_def def = {.to = 600, .tolerance = 1e-9};
    flx_ritz *x = NULL;
    flx_ritz_choice c = {0};
    flx_port_model reduced;
    flx_port_work w;
    CHECK(flx_shapes_prepare(&q) == FLX_OK);
    CHECK(flx_ritz_create(&q, &def, &x) == FLX_OK);
    if (flx_basis_get(b.kind)->choose) {
        CHECK(flx_basis_get(b.kind)->choose(&q, x, &c) == FLX_OK);
        CHECK(flx_ritz_choice_model(&c, shapes, &reduced) == FLX_OK);
    } else {
        CHECK(flx_shapes_collect(&own) == FLX_OK && own.count == shapes);
        CHECK(flx_port_model_of_shapes(&q, &x->ports, shapes, own.V, &reduced) == FLX_OK);
        flx_free(own.V);
    }
    // static shapes beside 28 modes have nothing of their own but rounding
    CHECK(reduced.m <= shapes && reduced.m >= shapes - 2 && reduced.loss);
    CHECK(flx_port_work_init(ctx, reduced.m, 2, &w) == FLX_OK);
    *most = 0;
    for (int k = 0; k < 300; k++) {
        double hz = 3 + 597.0 * k / 299;
        CHECK(flx_port_respond(&reduced, &x->damping, 2 * FLX_PI * hz, &w));
        for (int e = 0; e < 4; e++) w.H[e] -= truth[k][e];
        *most = fmax(*most, flx_port_norm(4, w.H) / flx_port_norm(4, truth[k]));
    }
    flx_port_work_clear(&w);
    flx_port_model_clear(&reduced);
    flx_ritz_choice_clear(&c);
    flx_ritz_destroy(&x);
    return 0;
}

// The beam of the example without its motion along x.
#define BEAM(loss)                                                                                 \
    "section: {width: 0.01, height: 0.01}, theory: euler-bernoulli, material: {E: 7e10, nu: 0.3, " \
    "density: 2750, loss: " #loss "}}\n"
static const char across[] =
    "flexion: 1\n"
    "dimension: 2\n"
    "fe:\n"
    "  mesh: " FLX_EXAMPLES "/fe/damped_beam.inp\n"
    "  regions:\n"
    "    - {on: [ROOT, TIP], " BEAM(0.002) "    - {on: MIDDLE, " BEAM(
        0.6) "  supports: {root: {on: CLAMP}, guide: {on: ALL, components: [x]}}\n";

static int bases_of_a_lossy_beam_are_as_good_as_the_case_says(void)
{
    reference_case c;
    char name[100];
    double e;
    c = reference_open("mor-cantilever60-loss");
    CHECK(c.tree);
    CHECK(begin(across) == 0);
    const flx_fe_response_def def = {2, 2, both, both, 3, 600, 300, 1, 1};
    CHECK(flx_fe_problem_response(problem, &def, &r) == FLX_OK);
    for (int k = 0; k < 300; k++) {
        for (int i = 0; i < 4; i++) truth[k][i] = entry(k, i % 2, i / 2);
    }
    for (int shapes = 12; shapes <= 16; shapes += 2) {
        flx_snprintf(name, sizeof name,
                     "band basis of complex snapshots, exact statics, r=%d: max eps_F 3-600 Hz",
                     shapes);
        CHECK(error_of((flx_basis){.kind = FLX_BASIS_BAND}, shapes, &e) == 0);
        printf("band %d: %.3e of %.3e\n", shapes, e, reference_value(&c, name, 0));
        CHECK(e <= reference_value(&c, name, 0));
    }
    for (int shapes = 12; shapes <= 30; shapes += 18) {
        const flx_basis b = {.kind = FLX_BASIS_MODES, .modes = shapes - 2, .attachment = true};
        flx_snprintf(name, sizeof name,
                     "modes of the real part + attachment, r=%d: max eps_F 3-600 Hz", shapes);
        CHECK(error_of(b, shapes, &e) == 0);
        CHECK_REL(e, reference_value(&c, name, 0), 5e-3);
    }
    finish();
    reference_close(&c);
    return 0;
}

// ---- closed forms -------------------------------------------------------------------------------------

// A bar of one element, E A/L = 1e4 N/m, a third of its mass 0.6 kg at the end, a spring and a dashpot there.
static int a_dashpot_damps_as_it_should(void)
{
    static const char text[] =
        "flexion: 1\n"
        "dimension: 2\n"
        "fe:\n"
        "  line: [[0, 0], [1, 0]]\n"
        "  elements: 1\n"
        "  type: truss\n"
        "  section: {area: 1e-4}\n"
        "  material: {E: 1e8, nu: 0.3, density: 6000}\n"
        "  supports: {root: {on: start}, guide: {on: end, components: [y]}}\n"
        "  springs: {end: {on: end, stiffness: 5000, damping: [3, 0]}}\n"
        "  damping: {rayleigh: [0.4, 1e-4]}\n";
    static const char *const end[] = {"end.x"};
    CHECK(begin(text) == 0);
    for (int direct = 0; direct < 2; direct++) {
        const flx_fe_response_def def = {1, 1, end, end, 1, 100, 20, 0, direct};
        CHECK(flx_fe_problem_response(problem, &def, &r) == FLX_OK);
        for (int k = 0; k < r->count; k++) {
            double w = 2 * FLX_PI * r->hz[k], m = 0.2, stiffness = 1.5e4;
            double complex z =
                1 / flx_complex(stiffness - w * w * m, w * (3 + 0.4 * m + 1e-4 * stiffness));
            CHECK(cabs(entry(k, 0, 0) - z) <= 1e-12 * cabs(z));
        }
    }
    finish();
    return 0;
}

// H = -cot(k L)/(EA' k), -1/(EA' k sin(k L)), EA' = EA (1 + i loss)
static int a_free_rod_moves_as_a_whole_too(void)
{
    static const char text[] = "flexion: 1\n"
                               "dimension: 2\n"
                               "fe:\n"
                               "  line: [[0, 0], [1, 0]]\n"
                               "  elements: 100\n"
                               "  section: {width: 0.02, height: 0.02}\n"
                               "  material: {E: 2.1e11, density: 7850, loss: 0.02}\n";
    static const char *const in[] = {"start.x"}, *const out[] = {"start.x", "end.x"};
    CHECK(begin(text) == 0);
    for (int direct = 0; direct < 2; direct++) {
        const flx_fe_response_def def = {1, 2, in, out, 100, 3000, 30, 0, direct};
        CHECK(flx_fe_problem_response(problem, &def, &r) == FLX_OK);
        CHECK(r->rigid == 3 && r->loss == 0.02);
        CHECK(direct || (r->known < 1e-7 && r->proved < 1e-5 && r->estimate));
        for (int k = 0; k < r->count; k++) {
            double complex EA = 8.4e7 * flx_complex(1, 0.02),
                           q = 2 * FLX_PI * r->hz[k] * csqrt(3.14 / EA);
            double complex H[2] = {-1 / (EA * q * ctan(q)), -1 / (EA * q * csin(q))};
            double size = fmax(cabs(H[0]), cabs(H[1]));
            for (int i = 0; i < 2; i++) CHECK(cabs(entry(k, i, 0) - H[i]) < 2e-3 * size);
        }
    }
    finish();
    return 0;
}

static int wrong_ports_and_frequencies_are_refused(void)
{
    static const struct {
        const char *port;
        double from, to;
        int count;
        const char *said;
    } wrong[] = {
        {"END", 1, 2, 5, "component after a dot"},
        {"node(99).y", 1, 2, 5, "does not have"},
        {"ALL.y", 1, 2, 5, "several nodes"},
        {"NOSE.y", 1, 2, 5, "'NOSE.y' is no port"},
        {"CLAMP.y", 1, 2, 5, "does not move"},
        {"END.z", 1, 2, 5, "does not move"},
        {"END.y", 3, 2, 5, "that rise"},
        {"END.y", 0, 2, 5, "that rise"},
        {"END.y", 1, 2, 1, "at least 2 frequencies"},
        {"END.y", 1, (double)NAN, 5, "that rise"},
    };
    CHECK(begin(NULL) == 0);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const flx_fe_response_def def = {
            1, 1, &wrong[i].port, both, wrong[i].from, wrong[i].to, wrong[i].count, 0, 1};
        CHECK(flx_fe_problem_response(problem, &def, &r) == FLX_ERR_ARGUMENT && !r);
        CHECK_TEXT(flx_ctx_error(ctx, 0)->text, wrong[i].said);
        flx_ctx_clear_messages(ctx);
    }
    finish();
    return 0;
}

TEST_MAIN(TEST(a_lossy_beam_has_the_responses_of_the_case),
          TEST(bases_of_a_lossy_beam_are_as_good_as_the_case_says),
          TEST(a_dashpot_damps_as_it_should), TEST(a_free_rod_moves_as_a_whole_too),
          TEST(wrong_ports_and_frequencies_are_refused))
