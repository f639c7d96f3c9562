// test_campbell.c - Campbell diagrams with closed forms: a disc that tilts and moves across its axis, in both axes; modes
// that cross keep their columns; critical speeds; what is refused.
#include "check.h"
#include "findings.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define ROTOR                                                                                      \
    "flexion: 1\nparameters: {Omega: 7, m: 10, Ip: %s, Id: 0.5, k: 1e6, kr: 2e4}\n"                \
    "bodies:\n  disc: {type: rigid, mass: m, inertia: [Id, Id, Ip], angular_velocity: [0, 0, "     \
    "Omega]}\n"                                                                                    \
    "forces:\n"                                                                                    \
    "  shaft: {type: force, on: disc, value: [\"-k*disc.position.x\", \"-k*disc.position.y\", "    \
    "\"-2*k*disc.position.z\"]}\n"                                                                 \
    "  bend: {type: torque, on: disc, value: [\"-kr*asin(-disc.ez.y)\", "                          \
    "\"-kr*asin(disc.ez.x)\", 0]}\n"                                                               \
    "analyse: {map: {type: campbell, speed: Omega, to: 500, count: 26, %s}}\n"

static const flx_finding_table *table(const flx_finding *f, const char *name)
{
    static const flx_finding_table none = {0};
    for (int i = 0; i < f->ntable; i++) {
        if (strcmp(f->tables[i].name, name) == 0) return f->tables + i;
    }
    return &none;
}

// Tilting: Id w^2 - Ip Omega w - kr = 0, forward positive.
static double tilt(double Ip, double Omega, bool forward)
{
    double b = Ip * Omega, root = sqrt(b * b + 4 * 0.5 * 2e4);
    return (forward ? b + root : root - b) / (2 * 0.5);
}

// The column of frequencies whose last number is near w.
static int column_of(const flx_finding_table *t, double w)
{
    const double *last = t->values + (t->nrow - 1) * t->ncolumn;
    for (int k = 1; k < t->ncolumn; k += 3) {
        if (fabs(2 * PI * last[k] - w) < 1e-6 * w) return k;
    }
    return 0;
}

static int tilting_disc(void)
{
    static const double Ips[] = {0.8, 0.1};
    for (int q = 0; q < 2; q++) {
        char text[2000], number[20];
        double Ip = Ips[q];
        snprintf(number, sizeof number, "%g", Ip);
        snprintf(text, sizeof text, ROTOR, number, "orders: [1]");
        findings w = findings_of(text);
        CHECK(w.status == FLX_OK);
        const flx_finding_table *t = table(&w.f, "campbell"), *c = table(&w.f, "critical");
        CHECK(t->nrow == 26 && t->ncolumn == 16);
        for (int sense = 0; sense < 2; sense++) {
            int k = column_of(t, tilt(Ip, 500, sense == 0));
            CHECK(k > 0);
            for (int i = 0; i < t->nrow; i++) {
                const double *row = t->values + i * t->ncolumn;
                CHECK_REL(2 * PI * row[k], tilt(Ip, row[0], sense == 0), 1e-9);
                if (i > 0) CHECK_NEAR(row[k + 2], sense == 0 ? 1.0 : -1.0, 1e-6);
            }
        }
        // critical: backward tilt at sqrt(kr / (Id + Ip)), forward where Ip < Id; the disc itself at sqrt(k / m)
        double wanted[] = {sqrt(2e4 / (0.5 + Ip)), sqrt(1e6 / 10), sqrt(2e6 / 10),
                           Ip < 0.5 ? sqrt(2e4 / (0.5 - Ip)) : sqrt(1e6 / 10)};
        for (int i = 0; i < 4; i++) {
            bool met = false;
            for (int j = 0; j < c->nrow; j++)
                met = met || fabs(c->values[5 * j + 2] - wanted[i]) < 1e-8 * wanted[i];
            CHECK(met);
        }
        findings_clear(&w);
    }
    return 0;
}

static int rotating_axes(void)
{
    char text[2000];
    snprintf(text, sizeof text, ROTOR, "0.8", "axes: rotating");
    findings w = findings_of(text);
    CHECK(w.status == FLX_OK);
    const flx_finding_table *t = table(&w.f, "campbell");
    int forward = column_of(t, fabs(tilt(0.8, 500, true) - 500)),
        back = column_of(t, tilt(0.8, 500, false) + 500);
    CHECK(forward > 0 && back > 0);
    for (int i = 1; i < t->nrow; i++) {
        const double *row = t->values + i * t->ncolumn;
        CHECK_REL(2 * PI * row[forward], fabs(tilt(0.8, row[0], true) - row[0]), 1e-8);
        CHECK_REL(2 * PI * row[back], tilt(0.8, row[0], false) + row[0], 1e-8);
    }
    findings_clear(&w);
    return 0;
}

// Few speeds: between two of them the backward mode crosses one in the plane, and its critical speed is not that one's.
// Along y, unsymmetric: Id w^2 + Ip Omega w = kr, with w = Omega.
static int few_speeds(void)
{
    static const char model[] =
        "flexion: 1\nparameters: {Om: 0}\n"
        "bodies: {d: {type: rigid, mass: 2, inertia: [0.5, 0.8, 0.5], angular_velocity: [0, Om, "
        "0]}}\n"
        "forces:\n"
        "  s: {type: force, on: d, value: [\"-100*d.position.x\", \"-300*d.position.y\", "
        "\"-200*d.position.z\"]}\n"
        "  b: {type: torque, on: d, value: [\"-50*asin(d.ey.z)\", 0, \"50*asin(d.ey.x)\"]}\n"
        "analyse: {x: {type: campbell, speed: Om, to: 20, count: %d, orders: [1]}}\n";
    for (int count = 2; count < 7; count++) {
        char text[1000];
        snprintf(text, sizeof text, model, count);
        findings w = findings_of(text);
        CHECK(w.status == FLX_OK);
        const flx_finding_table *c = table(&w.f, "critical");
        bool backward = false;
        CHECK(c->nrow == 4);
        for (int i = 0; i < c->nrow; i++) {
            const double *row = c->values + 5 * i;
            CHECK_NEAR(2 * PI * row[3], row[2], 1e-6 * row[2]);
            backward = backward || fabs(row[2] - sqrt(50 / 1.3)) < 1e-6;
        }
        CHECK(backward);
        findings_clear(&w);
    }
    return 0;
}

// Springs along axes that turn with the parameter: frequencies stay, and shapes turn by up to 80 degrees from one speed to
// the next; a mode across both crosses one of them.
static int turning_shapes(void)
{
    static const int counts[] = {4, 5, 9, 41};
    for (int q = 0; q < 4; q++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "flexion: 1\nparameters: {W: 0}\nbodies: {m: {type: point, mass: 1}}\n"
                 "forces:\n  s: {type: force, on: m, value: "
                 "[\"-(4 + 5*sin(W)^2)*m.position.x + 5*sin(W)*cos(W)*m.position.y\", "
                 "\"-(4 + 5*cos(W)^2)*m.position.y + 5*sin(W)*cos(W)*m.position.x\", "
                 "\"-(1 + W)^2*m.position.z\"]}\n"
                 "analyse: {map: {type: campbell, speed: W, to: 4.18, count: %d}}\n",
                 counts[q]);
        findings w = findings_of(text);
        CHECK(w.status == FLX_OK);
        const flx_finding_table *t = table(&w.f, "campbell");
        CHECK(t->nrow == counts[q] && t->ncolumn == 10);
        int slow = column_of(t, 2), fast = column_of(t, 3), across = column_of(t, 5.18);
        CHECK(slow > 0 && fast > 0 && across > 0);
        for (int i = 0; i < t->nrow; i++) {
            const double *row = t->values + i * t->ncolumn;
            CHECK_REL(2 * PI * row[slow], 2, 1e-8);
            CHECK_REL(2 * PI * row[fast], 3, 1e-8);
            CHECK_REL(2 * PI * row[across], 1 + row[0], 1e-8);
        }
        findings_clear(&w);
    }
    return 0;
}

// A parameter that is no speed: the rotor rotates as it did.
static int speed_that_rotates_nothing(void)
{
    findings w = findings_of(
        "flexion: 1\n"
        "parameters: {m: 10}\n"
        "bodies: {disc: {type: rigid, mass: m, inertia: [0.5, 0.5, 0.8], angular_velocity: [0, 0, "
        "100]}}\n"
        "forces: {shaft: {type: force, on: disc, value: [\"-1e6*disc.position.x\", "
        "\"-1e6*disc.position.y\", \"-1e6*disc.position.z\"]}}\n"
        "simulate: {until: 1}\n"
        "analyse: {map: {type: campbell, speed: m, from: 5, to: 20, count: 3}}\n");
    CHECK(w.status == FLX_OK);
    bool told = false;
    for (int i = 0; i < w.f.nline; i++)
        told = told || strstr(w.f.lines[i], "does not change how fast anything rotates, 100 rad/s");
    CHECK(told);
    findings_clear(&w);
    return 0;
}

TEST_MAIN(TEST(speed_that_rotates_nothing), TEST(tilting_disc), TEST(rotating_axes),
          TEST(few_speeds), TEST(turning_shapes))
