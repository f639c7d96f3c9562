// test_body_response.c - analyses frequency and norms of a flexible body and of a linear block, beside closed forms. A
// cantilever with a loss factor, loaded at its tip:
//
//     H = (sin x cosh x - cos x sinh x) L^3/(E' I x^3 (1 + cos x cosh x)),  x^4 = m w^2 L^3/(E' I),  E' = E (1 + i eta)
#include "check.h"
#include "findings.h"
#include "math/complex_number.h"

#include <math.h>

#define BEAM                                                                                       \
    "flexion: 1\nbodies:\n  beam:\n    type: flexible\n"                                           \
    "    fe: {line: [[0, 0, 0], [1, 0, 0]], elements: 30, section: {width: 0.02, height: 0.004}, " \
    "material: {E: 2e11, nu: 0.3, density: 8000}, theory: euler-bernoulli}\n"                      \
    "    damping: {ratio: 0.01}\n"                                                                 \
    "    reduce: {type: band, to: 200, tolerance: 1e-3, interfaces: [start, end]}\n"

static const flx_finding_table *table(const flx_finding *f, const char *name)
{
    static const flx_finding_table none;
    for (int i = 0; i < f->ntable; i++) {
        if (strcmp(f->tables[i].name, name) == 0) return f->tables + i;
    }
    return &none;
}

static double complex receptance(double w)
{
    double b = 0.02, h = 0.004, mass = 8000 * b * h;
    double complex EI = 2e11 * b * h * h * h / 12 * flx_complex(1, 0.02);
    double complex x = cpow(mass * w * w / EI, 0.25);
    return (csin(x) * ccosh(x) - ccos(x) * csinh(x)) / (EI * x * x * x * (1 + ccos(x) * ccosh(x)));
}

static int a_held_body_responds_as_the_closed_form(void)
{
    findings w = findings_of(BEAM "analyse: {h: {type: frequency, of: beam, held: [start], inputs: "
                                  "[end.y], outputs: [end.y], from: 1, to: 220, count: 30}}\n");
    CHECK(w.status == FLX_OK);
    const flx_finding_table *t = table(&w.f, "response"), *e = table(&w.f, "errors");
    CHECK(t->nrow == 30 && t->ncolumn == 6 && e->nrow == 30 && e->ncolumn == 4);
    for (int i = 0; i < t->nrow; i++) {
        const double *row = t->values + 6 * i;
        double complex want = receptance(row[0]);
        double complex got = flx_complex(row[2], row[3]);
        // frequencies of 30 elements are off by 1e-6, which a loss factor of 0.02 makes 50 times as much at resonance
        CHECK(cabs(got - want) < 1e-4 * cabs(want));
        CHECK(e->values[4 * i + 2] < 1e-6); // the Ritz model
        CHECK(e->values[4 * i + 3] < 1e-3); // the shapes
    }
    findings_clear(&w);
    return 0;
}

static int direct_solutions_agree(void)
{
    static const char *const keys[] = {"", ", direct: true"};
    double values[2][8];
    for (int k = 0; k < 2; k++) {
        char text[2000];
        snprintf(text, sizeof text, "%s%s%s}}\n", BEAM,
                 "analyse: {h: {type: frequency, of: beam, inputs: [end.y], outputs: [start.y], "
                 "from: 10, to: 1000, count: 4",
                 keys[k]);
        findings w = findings_of(text);
        CHECK(w.status == FLX_OK);
        const flx_finding_table *t = table(&w.f, "response");
        CHECK(t->nrow == 4);
        for (int i = 0; i < 8; i++) values[k][i] = t->values[6 * (i / 2) + 2 + i % 2];
        findings_clear(&w);
    }
    for (int i = 0; i < 4; i++) {
        double size = hypot(values[0][2 * i], values[0][2 * i + 1]);
        CHECK(hypot(values[0][2 * i] - values[1][2 * i],
                    values[0][2 * i + 1] - values[1][2 * i + 1]) < 1e-7 * size);
    }
    return 0;
}

// Light damping: H2^2 = phi^4/(2 d w^2) of the first mode, and a little more; the largest gain is that of the response.
static int norms_of_a_held_body_are_those_of_its_response(void)
{
    findings n = findings_of(BEAM "analyse: {n: {type: norms, of: beam, held: [start], inputs: "
                                  "[end.y], outputs: [end.y]}}\n");
    CHECK(n.status == FLX_OK);
    const flx_finding_table *t = table(&n.f, "norms");
    CHECK(t->nrow == 1);
    double peak = 0, w1 = 1.8751040687 * 1.8751040687 * sqrt(2e11 * 0.004 * 0.004 / 12 / 8000);
    for (int i = -400; i <= 400; i++) peak = fmax(peak, cabs(receptance(w1 * (1 + 1e-4 * i))));
    CHECK_REL(t->values[1], peak, 1e-3);
    CHECK_REL(t->values[2], w1, 1e-3);
    double mass = 8000 * 0.02 * 0.004, d = 0.02 * w1; // phi^2 = 4/m at the tip
    CHECK_REL(t->values[0], 4 / mass / sqrt(2 * d * w1 * w1), 1e-2);
    findings_clear(&n);
    return 0;
}

// A hinge carries no moment about its axis: one port and some shapes fewer.
static int components_without_loads_are_no_ports(void)
{
    static const char *const keys[] = {"", ", components: [x, y, z, rx, ry]"};
    int shapes[2];
    for (int k = 0; k < 2; k++) {
        char text[1000];
        flx_ctx *ctx = flx_ctx_create();
        flx_model *model = NULL;
        snprintf(text, sizeof text,
                 "flexion: 1\nbodies: {arm: {type: flexible, fe: {mesh: " FLX_EXAMPLES
                 "/elastic_arm.msh, material: {E: 7e10, nu: 0.33, density: 2700}}, reduce: {type: "
                 "band, to: 2000, interfaces: {hub: {on: hub%s}, tip: {on: tip}}}}}\n",
                 keys[k]);
        CHECK(flx_model_read_text(ctx, "arm.yaml", text, strlen(text), 0, NULL, &model) == FLX_OK);
        const flx_reduction_report *p = flx_model_elastic_report(model, 0);
        CHECK(p && p->ports == 12 - k && p->met);
        shapes[k] = p->shapes;
        flx_model_destroy(&model);
        flx_ctx_destroy(&ctx);
    }
    CHECK(shapes[1] < shapes[0]);
    return 0;
}

static int linear_blocks_respond_as_their_functions(void)
{
    static const char *const blocks[] = {
        "{type: transfer, of: u, numerator: [2, 1, 3], denominator: [1, 0.2, 4]}",
        "{type: state-space, of: [u], A: [[0, 1], [-4, -0.2]], B: [[0], [1]], C: [[-5, 0.6]], D: "
        "[[2]]}"};
    for (int k = 0; k < 2; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "flexion: 1\ninputs: {u: 0}\ncontrol: {plant: %s}\nanalyse: {h: {type: "
                 "frequency, of: plant, from: 0.1, to: 10, count: 9}}\n",
                 blocks[k]);
        findings w = findings_of(text);
        CHECK(w.status == FLX_OK);
        const flx_finding_table *t = table(&w.f, "response");
        CHECK(t->nrow == 9);
        for (int i = 0; i < 9; i++) {
            const double *row = t->values + 6 * i;
            double complex s = flx_complex(0, row[0]),
                           want = (2 * s * s + s + 3) / (s * s + 0.2 * s + 4);
            CHECK(cabs(flx_complex(row[2], row[3]) - want) < 1e-12 * cabs(want));
        }
        findings_clear(&w);
    }
    return 0;
}

TEST_MAIN(TEST(a_held_body_responds_as_the_closed_form), TEST(direct_solutions_agree),
          TEST(norms_of_a_held_body_are_those_of_its_response),
          TEST(components_without_loads_are_no_ports),
          TEST(linear_blocks_respond_as_their_functions))
