// test_coupled_bodies.c - an L-frame of two equal beams, reduced and joined: reference case mor-coupled-bodies, with the matrices
// of another program; frequencies of the assembly by five bases.
#include "check.h"
#include "findings.h"
#include "reference_case.h"

static char text[2000];

#define DATA FLX_TESTS "/reference/data/mor_beam40_"

static int error_of(const char *reduce, double *most)
{
    reference_case c;
    snprintf(text, sizeof text,
             "flexion: 1\n"
             "dimension: 2\n"
             "gravity: [0, 0]\n"
             "bodies:\n"
             "  one:\n"
             "    type: flexible\n"
             "    frame: buckens\n"
             "    fe: {matrices: {stiffness: " DATA "K.mtx, mass: " DATA "M.mtx, nodes: " DATA
             "nodes.txt}}\n"
             "    reduce: {%s, interfaces: {a: {on: node(1)}, b: {on: node(41)}}}\n"
             "  two: {like: one, position: [0.6, 0], orientation: 90*deg}\n"
             "joints:\n"
             "  root: {type: fixed, on: [ground, one], at: one.a}\n"
             "  corner: {type: fixed, on: [one, two], at: [one.b, two.a]}\n"
             "analyse: {m: {type: modes, count: 8}}\n"
             "simulate: {until: 1}\n",
             reduce);
    findings w = findings_of(text);
    CHECK(w.status == FLX_OK);
    c = reference_open("mor-coupled-bodies");
    CHECK(c.tree);
    *most = 0;
    for (int k = 0; k < 6; k++) {
        char name[40];
        snprintf(name, sizeof name, "full model: frequency %d Hz", k + 1);
        double f = w.f.modes.modes[k].im / (2 * FLX_PI);
        *most = fmax(*most, fabs(f / reference_value(&c, name, 0) - 1));
    }
    reference_close(&c);
    findings_clear(&w);
    return 0;
}

static int joined_beams_have_the_frequencies_of_the_case(void)
{
    static const struct {
        const char *reduce, *check;
        bool most; // at the most, else to 2 %
    } bases[] = {
        {"type: modal, modes: 10", "free modes, 10 shapes a body", false},
        {"type: craig-bampton, modes: 7", "craig-bampton 3+7", false},
        {"type: modal, modes: 4, attachment: true", "modes+attachment 4+6", false},
        {"type: band, to: 600, shapes: 8", "band 0-600 Hz, 8 shapes", true},
        {"type: band, to: 600, shapes: 10", "band 0-600 Hz, 10 shapes", true},
    };
    reference_case c;
    c = reference_open("mor-coupled-bodies");
    CHECK(c.tree);
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        char name[160];
        double error, expected;
        snprintf(name, sizeof name,
                 "%s: largest relative error of the six frequencies below 600 Hz", bases[i].check);
        expected = reference_value(&c, name, 0);
        CHECK(error_of(bases[i].reduce, &error) == 0);
        printf("%-28s %.3e of %.3e\n", bases[i].check, error, expected);
        if (bases[i].most) {
            CHECK(error <= expected);
        } else {
            CHECK_REL(error, expected, 0.02);
        }
    }
    reference_close(&c);
    return 0;
}

TEST_MAIN(TEST(joined_beams_have_the_frequencies_of_the_case))
