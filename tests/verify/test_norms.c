// test_norms.c - the analysis norms beside the closed forms of a mass on a spring and a damper:
//
//     H = 1/(m s^2 + d s + k):  H2^2 = 1/(2 d k),  Hinf = 1/(2 D k sqrt(1 - D^2)) at w^2 = k/m (1 - 2 D^2),
//     H(0) = 2 (s1 - s2) of Hankel's singular values
#include "check.h"
#include "findings.h"
#include "reference_case.h"

#include <math.h>

static const flx_finding_table *table(const flx_finding *f, const char *name)
{
    static const flx_finding_table none;
    for (int i = 0; i < f->ntable; i++) {
        if (strcmp(f->tables[i].name, name) == 0) return f->tables + i;
    }
    return &none;
}

static int norms_are_those_of_the_book(void)
{
    static const char text[] =
        "flexion: 1\nequations:\n  second_order: {x: {mass: 2, force: -800*x - 6*x' + F}}\n"
        "inputs: {F: 0}\nanalyse: {size: {type: norms, outputs: [x], from: 0, to: 1e5}}\n";
    double m = 2, k = 800, d = 6, D = d / (2 * sqrt(k * m));
    findings w = findings_of(text);
    CHECK(w.status == FLX_OK);
    const flx_finding_table *t = table(&w.f, "norms"), *h = table(&w.f, "hankel");
    CHECK(t->nrow == 1 && t->ncolumn == 4 && h->nrow == 2);
    CHECK_REL(t->values[0], 1 / sqrt(2 * d * k), 1e-10);
    CHECK_REL(t->values[1], 1 / (2 * D * k * sqrt(1 - D * D)), 1e-9);
    CHECK_REL(t->values[2], sqrt(k / m * (1 - 2 * D * D)), 1e-4);
    CHECK_REL(t->values[3], t->values[0], 1e-5); // nearly all lies in the band
    CHECK_REL(2 * (h->values[1] - h->values[4]), 1 / k, 1e-8);
    CHECK_REL(h->values[2], 2 * h->values[4], 1e-12); // what one state leaves
    CHECK(h->values[5] == 0);
    CHECK(t->values[1] >= h->values[1] && t->values[1] <= 2 * (h->values[1] + h->values[4]));
    findings_clear(&w);
    return 0;
}

#define DATA FLX_TESTS "/reference/data/building_"
#define PLANT "type: state-space, of: u, A: " DATA "A.mtx, B: " DATA "B.mtx, C: " DATA "C.mtx"

// The building of the case, from its files; and with 10 states, off by no more than their bound and no less than the next
// Hankel value.
static int blocks_of_files_have_the_norms_of_the_case(void)
{
    static const char whole[] = "flexion: 1\ninputs: {u: 0}\ncontrol: {plant: {" PLANT "}}\n"
                                "analyse: {size: {type: norms, outputs: [plant]}}\n";
    static const char both[] =
        "flexion: 1\ninputs: {u: 0}\ncontrol: {plant: {" PLANT "}, few: {" PLANT
        ", balanced: 10}}\nanalyse: {size: {type: norms, outputs: [plant - few]}}\n";
    reference_case r = reference_open("mor-building");
    findings w = findings_of(whole);
    CHECK(w.status == FLX_OK);
    const flx_finding_table *t = table(&w.f, "norms"), *h = table(&w.f, "hankel");
    CHECK(h->nrow == 48);
    reference_compare(&r, "H2 norm", t->values[0]);
    reference_compare(&r, "Hinf norm", t->values[1]);
    CHECK(r.compared == 2 && r.failed == 0);
    double next = h->values[3 * 10 + 1], bound = h->values[3 * 9 + 2];
    findings d = findings_of(both);
    CHECK(d.status == FLX_OK);
    double off = table(&d.f, "norms")->values[1];
    CHECK(off <= bound * (1 + 1e-6) && off >= next * (1 - 1e-6));
    findings_clear(&w);
    findings_clear(&d);
    reference_close(&r);
    return 0;
}

static int wrong_blocks_are_refused(void)
{
    static const char *const wrong[][2] = {
        {PLANT ", balanced: 0", "from 1 to 48"},
        {PLANT ", balanced: 49", "from 1 to 48"},
        {PLANT ", balanced: 2.5", "from 1 to 48"},
        {PLANT ", balanced: 5, sample: 0.1", "leave out 'sample'"},
        {"type: state-space, of: u, A: [[-1]], B: [[1]], C: [[1]], balanced: 1",
         "matrices of files"},
        {"type: state-space, of: u, A: none.mtx, B: " DATA "B.mtx, C: " DATA "C.mtx", "none.mtx"},
        {"type: state-space, of: u, A: " DATA "B.mtx, B: " DATA "B.mtx, C: " DATA "C.mtx",
         "do not fit"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[1500];
        snprintf(text, sizeof text,
                 "flexion: 1\ninputs: {u: 0}\ncontrol: {plant: {%s}}\n"
                 "analyse: {size: {type: norms, outputs: [plant]}}\n",
                 wrong[i][0]);
        findings w = findings_of(text);
        CHECK(w.status != FLX_OK);
        CHECK_TEXT(flx_ctx_error(w.ctx, 0)->text, wrong[i][1]);
        findings_clear(&w);
    }
    return 0;
}

static int refused(const char *force, const char *keys, const char *words)
{
    char text[400];
    snprintf(text, sizeof text,
             "flexion: 1\nequations:\n  second_order: {x: {mass: 2, force: %s}}\n"
             "inputs: {F: 0}\nanalyse: {size: {type: norms, %s}}\n",
             force, keys);
    findings w = findings_of(text);
    CHECK(w.status != FLX_OK);
    CHECK_TEXT(flx_ctx_error(w.ctx, 0)->text, words);
    findings_clear(&w);
    return 0;
}

static void put_matrix(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    if (!f) return;
    fprintf(f, "%%%%MatrixMarket matrix %s\n", text);
    fclose(f);
}

// Two masses with gyroscopic and viscous damping, as matrices of the second order and as the equations that they are.
static int systems_of_the_second_order_are_their_equations(void)
{
    put_matrix("second_M.mtx", "coordinate real symmetric\n2 2 3\n1 1 2\n2 1 0.5\n2 2 3");
    put_matrix("second_D.mtx", "array real general\n2 2\n0.4\n-0.2\n0.6\n0.5");
    put_matrix("second_G.mtx", "array real skew-symmetric\n2 2\n-0.4");
    put_matrix("second_K.mtx", "array real symmetric\n2 2\n40\n-10\n30");
    put_matrix("second_B.mtx", "array real general\n2 1\n1\n2");
    put_matrix("second_C.mtx", "array real general\n2 4\n1\n0\n0\n0\n0\n0\n0\n1"); // q1, q2'
    static const char equations[] =
        "flexion: 1\nequations:\n  second_order:\n"
        "    x: {mass: 2, force: -0.4*x' - 0.6*y' - 40*x + 10*y + F}\n"
        "    y: {mass: 3, force: 0.2*x' - 0.5*y' + 10*x - 30*y + 2*F}\n  coupling: [[x, y, 0.5]]\n"
        "inputs: {F: 0}\nanalyse: {size: {type: norms, outputs: [x, y'], from: 1, to: 4}}\n";
    static const char block[] =
        "flexion: 1\ninputs: {F: 0}\ncontrol:\n  p: {type: state-space, of: F, mass: second_M.mtx, "
        "damping: second_D.mtx, stiffness: second_K.mtx, B: second_B.mtx, C: second_C.mtx}\n"
        "analyse: {size: {type: norms, of: p, from: 1, to: 4}}\n";
    static const char turned[] =
        "flexion: 1\ninputs: {F: 0}\ncontrol:\n  p: {type: state-space, of: F, mass: second_M.mtx, "
        "damping: second_G.mtx, stiffness: second_K.mtx, B: second_B.mtx, C: second_C.mtx}\n"
        "analyse: {size: {type: norms, of: p}}\n";
    findings a = findings_of(equations), b = findings_of(block), c = findings_of(turned);
    CHECK(a.status == FLX_OK && b.status == FLX_OK);
    const flx_finding_table *x = table(&a.f, "norms"), *y = table(&b.f, "norms");
    for (int i = 0; i < 4; i++) CHECK_REL(y->values[i], x->values[i], 1e-9);
    x = table(&a.f, "hankel");
    y = table(&b.f, "hankel");
    CHECK(x->nrow == 4 && y->nrow == 4);
    for (int i = 0; i < 12; i++) CHECK_NEAR(y->values[i], x->values[i], 1e-9);
    CHECK(c.status != FLX_OK); // gyroscopic forces alone let nothing decay
    CHECK_TEXT(flx_ctx_error(c.ctx, 0)->text, "does not decay");
    findings_clear(&a);
    findings_clear(&b);
    findings_clear(&c);
    return 0;
}

// Keys of the second order that do not fit, and the place.
static int wrong_systems_of_the_second_order_are_refused(void)
{
    static const struct {
        const char *keys, *message;
    } wrong[] = {
        {"mass: second_M.mtx, B: second_B.mtx, C: second_C.mtx", "needs the key 'stiffness'"},
        {"stiffness: second_K.mtx, B: second_B.mtx, C: second_C.mtx", "needs its 'mass'"},
        {"A: second_K.mtx, damping: second_D.mtx, B: second_B.mtx, C: second_C.mtx",
         "needs its 'mass'"},
        {"mass: second_M.mtx, stiffness: second_K.mtx, A: second_K.mtx, B: second_B.mtx, C: "
         "second_C.mtx",
         "of the first order or of the second"},
        {"mass: second_M.mtx, stiffness: second_K.mtx, B: [[1], [2]], C: second_C.mtx",
         "is of files, its B and C too"},
        {"mass: second_M.mtx, stiffness: second_C.mtx, B: second_B.mtx, C: second_C.mtx",
         "do not fit: mass 2 x 2, stiffness 2 x 4"},
        {"mass: second_Z.mtx, stiffness: second_K.mtx, B: second_B.mtx, C: second_C.mtx",
         "is singular"},
        {"mass: second_M.mtx, stiffness: second_K.mtx, B: second_B.mtx, C: second_C.mtx, sample: "
         "0.1",
         "leave out 'sample'"},
    };
    put_matrix("second_Z.mtx", "array real symmetric\n2 2\n1\n1\n1");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "flexion: 1\ninputs: {u: 0}\ncontrol: {p: {type: state-space, of: u, %s}}\n"
                 "simulate: {until: 1}\n",
                 wrong[i].keys);
        flx_ctx *ctx = flx_ctx_create();
        flx_model *model = NULL;
        CHECK(flx_model_read_text(ctx, "m.yaml", text, strlen(text), 0, NULL, &model) != FLX_OK);
        CHECK_TEXT(flx_ctx_error(ctx, 0)->text, wrong[i].message);
        CHECK(flx_ctx_error(ctx, 0)->loc.line == 3);
        flx_ctx_destroy(&ctx);
    }
    static const char *const files[] = {"M", "D", "G", "K", "B", "C", "Z"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char name[40];
        snprintf(name, sizeof name, "second_%s.mtx", files[i]);
        remove(name);
    }
    return 0;
}

static int what_has_no_norm_is_refused(void)
{
    CHECK(refused("-800*x + F", "outputs: [x]", "decay") == 0);
    CHECK(refused("-6*x' - 800*x + F", "outputs: [x + F]", "contains the input 'F' itself") == 0);
    CHECK(refused("-6*x' - 800*x + F", "outputs: []", "needs outputs") == 0);
    CHECK(refused("-6*x' - 800*x + F", "outputs: [x], from: 2", "give `to`") == 0);
    CHECK(refused("-6*x' - 800*x + F", "outputs: [x], from: 9, to: 3", "a band from 9 to 3") == 0);
    return 0;
}

TEST_MAIN(TEST(norms_are_those_of_the_book), TEST(blocks_of_files_have_the_norms_of_the_case),
          TEST(systems_of_the_second_order_are_their_equations),
          TEST(wrong_systems_of_the_second_order_are_refused), TEST(wrong_blocks_are_refused),
          TEST(what_has_no_norm_is_refused))
