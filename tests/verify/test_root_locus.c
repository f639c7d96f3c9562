// test_root_locus.c - root loci with closed forms: of a gain, of a parameter, branches that cross and that meet, refusals.
#include "check.h"
#include "findings.h"

#include <math.h>

static const flx_finding_table *table(const flx_finding *f, const char *name)
{
    static const flx_finding_table none = {0};
    for (int i = 0; i < f->ntable; i++) {
        if (strcmp(f->tables[i].name, name) == 0) return f->tables + i;
    }
    return &none;
}

// 1/(s (s + 1) (s + 2)): k = -s (s + 1) (s + 2) on every branch; it crosses at k = 6, s = i sqrt 2.
static int gain(void)
{
    findings w = findings_of(
        "flexion: 1\nequations: {second_order: {x: {mass: 1, force: -3*x' - 2*x + F}},\n"
        "  first_order: {i: {derivative: x}}}\ninputs: {F: 0}\n"
        "analyse: {l: {type: root-locus, inputs: [F], outputs: [i], to: 20, count: 11}}\n");
    CHECK(w.status == FLX_OK);
    const flx_finding_table *t = table(&w.f, "locus"), *c = table(&w.f, "crossings");
    CHECK(t->ncolumn == 7 && t->nrow > 30 && t->nrow < 300);
    CHECK(c->nrow == 1);
    CHECK_NEAR(c->values[0], 6, 1e-8);
    CHECK_NEAR(c->values[2], sqrt(2), 1e-8);
    CHECK(c->values[4] == 1);
    CHECK(table(&w.f, "zeros")->nrow == 0);
    CHECK_NEAR(t->values[(t->nrow - 1) * 7], 20, 0);
    for (int i = 0; i < t->nrow; i++) {
        const double *row = t->values + 7 * i, *last = row - 7;
        for (int b = 0; b < 3; b++) {
            double re = row[1 + 2 * b], im = row[2 + 2 * b];
            double r2 = re * (re + 1) - im * im, i2 = im * (2 * re + 1);
            CHECK_NEAR(r2 * (re + 2) - i2 * im, -row[0], 1e-7);
            CHECK_NEAR(r2 * im + i2 * (re + 2), 0, 1e-7);
            // no pole goes farther than a part of the picture: branches are whole
            if (i > 0) CHECK(hypot(re - last[1 + 2 * b], im - last[2 + 2 * b]) < 0.1);
        }
    }
    findings_clear(&w);
    return 0;
}

// An output with a direct part: (s + 1 + u)/(s + 2)-like, u = -k y: x' = -2 x + u, y = x + u, s = -2 - k/(1 + k).
static int direct_part(void)
{
    findings w = findings_of("flexion: 1\nequations: {first_order: {x: {derivative: -2*x + F}}}\n"
                             "inputs: {F: 0}\n"
                             "analyse: {l: {type: root-locus, inputs: [F], outputs: [x + F], from: "
                             "1, to: 100, spacing: log, count: 9}}\n");
    CHECK(w.status == FLX_OK);
    const flx_finding_table *t = table(&w.f, "locus"), *z = table(&w.f, "zeros");
    CHECK(t->ncolumn == 3 && z->nrow == 1);
    CHECK_NEAR(z->values[0], -3, 1e-9);
    for (int i = 0; i < t->nrow; i++) {
        double k = t->values[3 * i];
        CHECK_NEAR(t->values[3 * i + 1], -2 - k / (1 + k), 1e-9);
    }
    findings_clear(&w);
    return 0;
}

// Two oscillators whose frequencies cross at p = 4, and a pair that meets the axis where d = 0.
static int parameter(void)
{
    findings w = findings_of(
        "flexion: 1\nparameters: {p: 1}\nequations: {second_order: {x: {mass: 1, force: -p*x},\n"
        "  y: {mass: 1, force: -4*y}}}\n"
        "analyse: {l: {type: root-locus, parameter: p, from: 1, to: 9.1, count: 14}}\n");
    CHECK(w.status == FLX_OK);
    const flx_finding_table *t = table(&w.f, "locus");
    CHECK(t->nrow == 14 && t->ncolumn == 9 && table(&w.f, "crossings")->nrow == 0);
    for (int b = 0; b < 4; b++) {
        double first = t->values[2 + 2 * b], sign = first > 0 ? 1 : -1;
        for (int i = 0; i < t->nrow; i++) {
            double p = t->values[9 * i], im = t->values[9 * i + 2 + 2 * b];
            CHECK_NEAR(im, fabs(first) < 1.5 ? sign * sqrt(p) : sign * 2, 1e-8);
        }
    }
    findings_clear(&w);
    w = findings_of("flexion: 1\nparameters: {d: 0}\nequations: {second_order: {x: {mass: 1, "
                    "force: -9*x - (d - 0.37)*x'}}}\n"
                    "analyse: {l: {type: root-locus, parameter: d, from: 2, to: -1, count: 7}}\n");
    CHECK(w.status == FLX_OK);
    const flx_finding_table *c = table(&w.f, "crossings");
    CHECK(c->nrow == 1);
    CHECK_NEAR(c->values[0], 0.37, 1e-9);
    CHECK_NEAR(c->values[2], 3, 1e-8);
    findings_clear(&w);
    return 0;
}

static int refuse(const char *text, const char *words)
{
    findings w = findings_of(text);
    CHECK(w.status != FLX_OK);
    CHECK(strstr(flx_ctx_error(w.ctx, 0)->text, words) != NULL);
    flx_ctx_clear_messages(w.ctx);
    findings_clear(&w);
    return 0;
}

static int refusals(void)
{
    CHECK(refuse("flexion: 1\nequations: {first_order: {x: {derivative: -x + F}}}\ninputs: {F: 0}\n"
                 "analyse: {l: {type: root-locus, inputs: [F], outputs: [x - F], to: 1, count: 5}}",
                 "1 + k D = 0") == 0);
    CHECK(refuse("flexion: 1\ndimension: 2\nbodies: {m: {type: rigid, mass: 1, inertia: 1}}\n"
                 "joints: {r: {type: prismatic, on: [ground, m], at: [0, 0], axis: [1, 0], motion: "
                 "{displacement: u}}}\ninputs: {u: 0}\n"
                 "analyse: {l: {type: root-locus, inputs: [u], outputs: [m.velocity.x], to: 1}}",
                 "rates of the input") == 0);
    return 0;
}

TEST_MAIN(TEST(gain), TEST(direct_part), TEST(parameter), TEST(refusals))
