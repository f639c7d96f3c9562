// test_cli_tables.c - files of matrices that analyses write, and drawings of their tables.
#include "program.h"

#include <string.h>

static const char oscillator[] =
    "flexion: 1\nequations: {second_order: {x: {mass: 2, force: -800*x - 6*x' + F}}}\ninputs: {F: "
    "0}\n"
    "analyse:\n  plant: {type: linear, outputs: [x]}\n"
    "  bode: {type: frequency, outputs: [x], from: 1, to: 100, count: 30}\n";

// Five whole numbers, the name, the numbers by columns; little-endian.
static int matrices_for_other_programs(void)
{
    char bytes[4000];
    write_model("m.yaml", oscillator);
    flexion("analyse m.yaml plant --matrices mat");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "matrices in m_plant.mat");
    long size = file_size("m_plant.mat"), at = 0;
    CHECK(size > 0 && size < (long)sizeof bytes);
    char path[200];
    snprintf(path, sizeof path, "%s/m_plant.mat", folder);
    FILE *f = fopen(path, "rb");
    CHECK(f != NULL);
    CHECK(fread(bytes, 1, (size_t)size, f) == (size_t)size);
    fclose(f);
    bool met = false;
    while (at < size) {
        int head[5];
        memcpy(head, bytes + at, sizeof head);
        CHECK(head[0] == 0 && head[3] == 0 && head[1] >= 0 && head[2] >= 0);
        const char *name = bytes + at + sizeof head;
        at += (long)sizeof head + head[4];
        if (strcmp(name, "A") == 0) {
            double A[4];
            CHECK(head[1] == 2 && head[2] == 2);
            memcpy(A, bytes + at, sizeof A); // by columns
            CHECK_NEAR(A[1], -400.0, 1e-7);
            CHECK_NEAR(A[2], 1.0, 1e-9);
            CHECK_NEAR(A[3], -3.0, 1e-9);
            met = true;
        }
        at += 8 * head[1] * head[2];
    }
    CHECK(met && at == size);
    flexion("analyse m.yaml plant --matrices mtx");
    CHECK_STATUS(0);
    read_all("m_plant_B.mtx", bytes, sizeof bytes);
    CHECK_TEXT(bytes, "%%MatrixMarket matrix coordinate real general\n2 1 1\n2 1 0.5");
    flexion("analyse m.yaml plant --matrices h5");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "matrices in m_plant.h5");
    CHECK(file_size("m_plant.h5") > 1000);
    flexion("analyse m.yaml --matrices xls");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "--matrices needs mat, h5 or mtx, not 'xls'");
    return 0;
}

static int tables_are_drawn(void)
{
    static const char *const kinds[] = {"--bode", "--nyquist", "--nichols"};
    write_model("m.yaml", oscillator);
    flexion("analyse m.yaml --set analyse.plant.until=2");
    CHECK_STATUS(0);
    for (int k = 0; k < 3; k++) {
        char command[100];
        snprintf(command, sizeof command, "plot m_bode.csv %s -o d%d.svg", kinds[k], k);
        flexion(command);
        CHECK_STATUS(0);
        CHECK(file_size(k == 0 ? "d0.svg" : k == 1 ? "d1.svg" : "d2.svg") > 2000);
    }
    flexion("plot m_plant.csv --poles -o p.svg");
    CHECK_STATUS(0);
    flexion("plot m_plant.csv --bode -o q.svg");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "'m_plant.csv' has no pairs of outputs and inputs");
    flexion("plot m_bode.csv --campbell -o q.svg");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "is not the table of a Campbell diagram");
    flexion("plot m_bode.csv --bode --nyquist -o q.svg");
    CHECK_STATUS(2);
    flexion("plot m_plant_step.csv --step -o s.svg");
    CHECK_STATUS(0);
    flexion("plot m_plant_impulse.csv --impulse -o i.svg");
    CHECK_STATUS(0);
    CHECK(file_size("s.svg") > 2000 && file_size("i.svg") > 2000);
    flexion("plot m_bode.csv --step -o q.svg");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "'m_bode.csv' is not the table of responses to a step: it has no column 't'");
    flexion("plot none.csv --bode -o q.svg");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "'none.csv' cannot be read as a table");
    return 0;
}

// x'' = -(2 pi 5)^2 x, and a rotation by 2 revolutions per second, of which 5 Hz are order 2.5.
static int spectra_are_found(void)
{
    write_model(
        "s.yaml",
        "flexion: 1\nequations: {second_order: {x: {mass: 1, force: -(10*pi)^2*x, at: 0.3}}}\n"
        "bodies: {disc: {type: rigid, mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, "
        "4*pi]}}\n"
        "simulate: {until: 4, rtol: 1e-10}\n"
        "outputs: {every: 0.01, signals: [x, disc.angular_velocity.z]}\n"
        "analyse:\n  lines: {type: spectrum, signals: [x], sample: 0.02, segment: 1, window: "
        "blackman, trend: none}\n"
        "  orders: {type: spectrum, signals: [x], speed: disc.angular_velocity.z, orders: "
        "[2.5]}\n");
    flexion("run s.yaml");
    CHECK_STATUS(0);
    flexion("spectrum s.h5 x --window flat-top --csv s.csv -o s.svg");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "             5  0.3");
    CHECK(file_size("s.svg") > 2000 && file_size("s.csv") > 2000);
    static char drawing[1 << 18];
    char path[80];
    snprintf(path, sizeof path, "%s/s.svg", folder);
    FILE *f = fopen(path, "r");
    CHECK(f && fread(drawing, 1, sizeof drawing - 1, f) > 2000 && fclose(f) == 0);
    CHECK_TEXT(drawing, ">amplitude");
    CHECK_TEXT(drawing, ">frequency Hz");
    flexion("plot s.h5 x disc --spectrum -o s2.svg");
    CHECK_STATUS(0);
    CHECK(file_size("s2.svg") > 2000);
    flexion("spectrum s.h5 x --speed disc.angular_velocity.z --orders 2.5 --csv -");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "           2.5  0.3");
    CHECK_TEXT(out, "t,speed,\"x order 2.5\"");
    flexion("analyse s.yaml");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "lines 1 Hz apart, 7 segments");
    CHECK_TEXT(out, "              1            5          0.3");
    CHECK_TEXT(out, "              1          2.5          0.3");
    flexion("spectrum s.h5 x --speed x");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "--speed needs a rate of rotation in rad/s");
    flexion("spectrum s.h5 x --orders 1");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "name its rate with --speed");
    flexion("spectrum s.h5 x --window han");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "did you mean 'hann'?");
    flexion("spectrum s.h5 y");
    CHECK_STATUS(2);
    flexion("spectrum s.h5 x --from 3.99");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "a spectrum needs 9 samples at least, and there are 2");
    return 0;
}

// A sampled controller does not act at an equilibrium, and that is said.
static int clocks_at_an_equilibrium_are_told(void)
{
    write_model("sampled.yaml",
                "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                "bodies: {m: {type: point, mass: 1}}\n"
                "forces: {s: {type: spring, on: [ground, m], at: [[0, 1], m], stiffness: 100},\n"
                "         F: {type: force, on: m, value: [0, hold]}}\n"
                "control: {hold: {type: pid, want: 0, is: m.position.y, p: 50, sample: 0.01}}\n"
                "analyse: {rest: {type: equilibrium}}\noutputs: {signals: [m.position.y]}\n");
    flexion("analyse sampled.yaml rest");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "-0.0981");
    CHECK_TEXT(out, "no clock strikes: what 'hold.tick' changes in a run, every 0.01 s, stays");
    return 0;
}

TEST_MAIN(TEST(files_start), TEST(clocks_at_an_equilibrium_are_told), TEST(spectra_are_found),
          TEST(matrices_for_other_programs), TEST(tables_are_drawn), TEST(files_end))
