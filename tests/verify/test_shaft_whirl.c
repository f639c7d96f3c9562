// test_shaft_whirl.c - a rotating shaft on two pins as a flexible body: forward and backward whirl of its first mode, reference
// case flex-rotating-shaft-whirl. Elastic coordinates rotate with the shaft: it sees a forward whirl w as Omega - w, a
// backward one as Omega + w.
#include "check.h"
#include "findings.h"
#include "reference_case.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

static const char text[] =
    "flexion: 1\n"
    "parameters: {Omega: 500, L: 1.5, D: 0.05}\n"
    "bodies:\n"
    "  shaft:\n"
    "    type: flexible\n"
    "    fe: {line: [[0, 0, 0], [L, 0, 0]], elements: 20, section: {radius: D/2}, material: {E: "
    "2.1e11, nu: 0.3, density: 7800}}\n"
    "    reduce: {type: craig-bampton, interfaces: [start, end], modes: 4}\n"
    "    frame: chord\n"
    "    stiffening: true\n"
    "    angular_velocity: [Omega, 0, 0]\n"
    "joints:\n"
    "  left: {type: spherical, on: [ground, shaft], at: shaft.start}\n"
    "  right: {type: point-on-line, on: [ground, shaft], at: shaft.end, axis: [1, 0, 0]}\n"
    "analyse: {map: {type: campbell, speed: Omega, from: 0, to: 1000, count: 3}}\n"
    "simulate: {until: 0.001}\n";

static const flx_finding_table *table(const flx_finding *f, const char *name)
{
    static const flx_finding_table none = {0};
    for (int i = 0; i < f->ntable; i++) {
        if (strcmp(f->tables[i].name, name) == 0) return f->tables + i;
    }
    return &none;
}

// The frequency of a row that is nearest to w, in rad/s.
static double nearest(const flx_finding_table *t, int row, double w)
{
    double best = HUGE_VAL;
    for (int k = 1; k < t->ncolumn; k++) {
        double x = 2 * PI * t->values[row * t->ncolumn + k];
        if (strncmp(t->columns[k], "frequency", 9) == 0 && fabs(x - w) < fabs(best - w)) best = x;
    }
    return best;
}

static int whirl_is_that_of_the_case(void)
{
    findings w = findings_of(text);
    CHECK(w.status == FLX_OK);
    const flx_finding_table *t = table(&w.f, "campbell");
    CHECK(t->nrow == 3);
    reference_case r = reference_open("flex-rotating-shaft-whirl");
    const char *const ways[] = {"backward", "forward"};
    for (int row = 0; row < 3; row++) {
        for (int way = 0; way < 2; way++) {
            double Omega = t->values[row * t->ncolumn], sign = way == 0 ? 1 : -1;
            double seen = nearest(t, row, fabs(Omega + sign * 284));
            char name[100];
            snprintf(name, sizeof name, "%s at Omega=%.0f (with rotary inertia)", ways[way], Omega);
            reference_compare(&r, name, row == 0 ? seen : way == 0 ? seen - Omega : Omega - seen);
        }
    }
    CHECK(r.compared == 6 && r.failed == 0);
    // both whirls part by Omega Ip/Id of the section's rotary inertia, here to a percent
    double apart = (1000 - nearest(t, 2, 716)) - (nearest(t, 2, 1284) - 1000);
    CHECK_REL(apart, 285.093088682532 - 283.7232491666942, 0.01);
    bool told = false; // whose axes these are
    for (int i = 0; i < w.f.nline; i++) {
        told = told || strstr(w.f.lines[i], "where such a body rotates their frequencies are those");
    }
    CHECK(told);
    reference_close(&r);
    findings_clear(&w);
    return 0;
}

TEST_MAIN(TEST(whirl_is_that_of_the_case))
