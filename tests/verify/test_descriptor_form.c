// test_descriptor_form.c - E z' = A z + B u with constraints: the same response as the equations solved as they stand, with
// loops, inputs that move joints, first-order states and a steady rotation; as HDF5.
#include "check.h"
#include "findings.h"
#include "math/complex_number.h"

#include <math.h>
#include <stdlib.h>

static const flx_finding_table *table(const flx_finding *f, const char *name)
{
    for (int i = 0; i < f->ntable; i++) {
        if (strcmp(f->tables[i].name, name) == 0) return f->tables + i;
    }
    return NULL;
}

// M x = b by elimination, b overwritten.
static void solve(int n, double complex *M, double complex *b)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++) {
            if (cabs(M[i * n + k]) > cabs(M[best * n + k])) best = i;
        }
        for (int j = 0; j < n; j++) {
            double complex m = M[k * n + j];
            M[k * n + j] = M[best * n + j];
            M[best * n + j] = m;
        }
        double complex c = b[k];
        b[k] = b[best];
        b[best] = c;
        for (int i = k + 1; i < n; i++) {
            double complex f = M[i * n + k] / M[k * n + k];
            for (int j = k; j < n; j++) M[i * n + j] -= f * M[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= M[i * n + j] * b[j];
        b[i] /= M[i * n + i];
    }
}

static double complex entry(const flx_finding *f, const char *name, int at, double complex s)
{
    const flx_finding_table *t = table(f, name);
    return t ? t->values[at] * s : flx_complex(0, 0);
}

// y_o / u at s, by the matrices.
static double complex respond(const flx_finding *f, int o, double complex s)
{
    const flx_finding_table *E = table(f, "E"), *A = table(f, "A"), *C = table(f, "C");
    int n = E->nrow;
    double complex *M = malloc((size_t)(n * n) * sizeof *M), *z = malloc((size_t)n * sizeof *z);
    for (int i = 0; i < n * n; i++) M[i] = s * E->values[i] - A->values[i];
    double complex one = flx_complex(1, 0);
    for (int i = 0; i < n; i++)
        z[i] = entry(f, "B", i, one) + entry(f, "B1", i, s) + entry(f, "B2", i, s * s);
    solve(n, M, z);
    double complex y = entry(f, "D", o, one) + entry(f, "D1", o, s) + entry(f, "D2", o, s * s);
    for (int i = 0; i < n; i++) y += C->values[o * n + i] * z[i];
    free(M);
    free(z);
    return y;
}

// The model with %s for its first analysis.
static int agree(const char *model, const char *io, int nout)
{
    char text[3000], analysis[600];
    snprintf(analysis, sizeof analysis, "{type: linear, form: descriptor, %s}", io);
    snprintf(text, sizeof text, model, analysis);
    findings d = findings_of(text);
    CHECK(d.status == FLX_OK);
    snprintf(analysis, sizeof analysis, "{type: frequency, %s, from: 0.7, to: 60, count: 5}", io);
    snprintf(text, sizeof text, model, analysis);
    findings w = findings_of(text);
    CHECK(w.status == FLX_OK);
    const flx_finding_table *t = table(&w.f, "response");
    CHECK(t && t->nrow == 5 && t->ncolumn == 2 + 4 * nout);
    for (int i = 0; i < t->nrow; i++) {
        const double *row = t->values + i * t->ncolumn;
        for (int o = 0; o < nout; o++) {
            double complex y = respond(&d.f, o, flx_complex(0, row[0]));
            double size = fmax(row[2 + 4 * o + 2], 1e-9);
            CHECK(fabs(creal(y) - row[2 + 4 * o]) < 1e-8 * size);
            CHECK(fabs(cimag(y) - row[3 + 4 * o]) < 1e-8 * size);
        }
    }
    findings_clear(&w);
    findings_clear(&d);
    return 0;
}

static int loop(void)
{
    return agree("flexion: 1\ndimension: 2\nbodies:\n"
                 "  a: {type: rigid, mass: 1, inertia: 0.1, position: [0, 0.5]}\n"
                 "  b: {type: rigid, mass: 2, inertia: 0.2, position: [3, 0.8]}\n"
                 "  c: {type: rigid, mass: 1, inertia: 0.3, position: [1, 2]}\njoints:\n"
                 "  j1: {type: revolute, on: [ground, a], at: [0, 0]}\n"
                 "  j2: {type: revolute, on: [a, c], at: [0, 1]}\n"
                 "  j3: {type: revolute, on: [c, b], at: [3, 1.5]}\n"
                 "  j4: {type: revolute, on: [b, ground], at: [3, 0]}\n"
                 "equations: {first_order: {i: {derivative: -2*i + F}}}\ninputs: {F: 0}\nforces:\n"
                 "  s: {type: torque, on: j1, value: -100*j1.angle - 3*j1.rate + i}\n"
                 "analyse: {m: %s}\n",
                 "inputs: [F], outputs: [c.position.x, b.acceleration.y, j2.reaction.x, i']", 4);
}

static int moved_base(void)
{
    return agree(
        "flexion: 1\ndimension: 2\nbodies:\n  floor: {type: rigid, mass: 1, inertia: 1}\n"
        "  mass: {type: point, mass: 2, position: [0.5, 0]}\njoints:\n"
        "  drive: {type: prismatic, on: [ground, floor], at: [0, 0], axis: [1, 0], motion: "
        "{displacement: u}}\n"
        "  rail: {type: point-on-line, on: [ground, mass], at: [[0, 0], mass], axis: [1, "
        "0]}\ninputs: {u: 0}\nforces:\n"
        "  strut: {type: spring, on: [floor, mass], at: [floor, mass], stiffness: 800, "
        "damping: 6, length: 0.5}\nanalyse: {m: %s}\n",
        "inputs: [u], outputs: [mass.position.x, mass.acceleration.x, drive.drive]", 3);
}

static int rotation(void)
{
    return agree("flexion: 1\nbodies:\n  disc: {type: rigid, mass: 10, inertia: [0.5, 0.5, 0.8], "
                 "angular_velocity: [0, 0, 30]}\ninputs: {F: 0}\nforces:\n"
                 "  shaft: {type: force, on: disc, value: [\"-1e4*disc.position.x + F\", "
                 "\"-1e4*disc.position.y\", \"-2e4*disc.position.z\"]}\n"
                 "  bend: {type: torque, on: disc, value: [\"-2e3*asin(-disc.ez.y) + F\", "
                 "\"-2e3*asin(disc.ez.x)\", 0]}\nanalyse: {m: %s}\n",
                 "inputs: [F], outputs: [disc.position.x, disc.angular_velocity.x, "
                 "disc.acceleration.y]",
                 3);
}

static int as_hdf5(void)
{
    findings w = findings_of("flexion: 1\nequations: {first_order: {x: {derivative: -x + F}}}\n"
                             "inputs: {F: 0}\nanalyse: {m: {type: linear, outputs: [x]}}\n");
    CHECK(w.status == FLX_OK);
    CHECK(flx_finding_write(w.ctx, "test_descriptor_form.h5", "m", &w.f) == FLX_OK);
    FILE *f = fopen("test_descriptor_form.h5", "rb");
    char head[8] = "";
    CHECK(f && fread(head, 1, 8, f) == 8 && memcmp(head, "\211HDF\r\n\032\n", 8) == 0);
    fclose(f);
    remove("test_descriptor_form.h5");
    CHECK(flx_finding_write(w.ctx, "no_such_folder/a.h5", "m", &w.f) == FLX_ERR_IO);
    flx_ctx_clear_messages(w.ctx);
    findings_clear(&w);
    return 0;
}

TEST_MAIN(TEST(loop), TEST(moved_base), TEST(rotation), TEST(as_hdf5))
