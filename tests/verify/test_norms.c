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
          TEST(wrong_blocks_are_refused), TEST(what_has_no_norm_is_refused))
