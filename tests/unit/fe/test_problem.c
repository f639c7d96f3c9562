// test_problem.c - statics, modes and transients of models as `flexion fe` computes them.
#include "flexion/flexion.h"

#include "check.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct rig {
    flx_ctx *ctx;
    flx_model *model;
    flx_fe_problem *p;
} rig;

static rig start(const char *text, flx_status *status)
{
    rig r = {flx_ctx_create(), NULL, NULL};
    *status = flx_model_read_text(r.ctx, "test.yaml", text, strlen(text), 0, NULL, &r.model);
    if (*status == FLX_OK) *status = flx_fe_problem_create(r.model, &r.p);
    if (*status != FLX_OK) printf("    %s\n", flx_ctx_error(r.ctx, 0)->text);
    return r;
}

static void end(rig *r)
{
    flx_fe_problem_destroy(&r->p);
    flx_model_destroy(&r->model);
    flx_ctx_destroy(&r->ctx);
}

#define BEAM(theory, rest)                                                                         \
    "flexion: 1\ndimension: 2\nfe:\n  line: [[0, 0], [1, 0]]\n  elements: 10\n"                    \
    "  section: {width: 0.01, height: 0.01}\n  material: {E: 7e10, nu: 0.3, density: 2750}\n"      \
    "  theory: " theory "\n  supports: {root: {on: start}}\n"                                      \
    "  loads: {tip: {type: force, on: end, value: [0, 1]}}\n" rest

static int cantilever_bends_as_it_should(void)
{
    flx_status status;
    flx_fe_static s;
    rig r = start(BEAM("euler-bernoulli", ""), &status);
    CHECK(status == FLX_OK);
    CHECK(flx_fe_problem_static(r.p, NULL, &s) == FLX_OK);
    CHECK_REL(s.displacement, 5.714285714285714e-3, 1e-10);
    CHECK(s.displacement_node == 11);
    CHECK_REL(s.strain_energy, 5.714285714285714e-3 / 2, 1e-10);
    CHECK_NEAR(s.reaction[1], -1, 1e-10);
    CHECK_NEAR(s.reaction[5], -1, 1e-10);
    CHECK_REL(s.bending, 1, 1e-10);
    CHECK(s.bending_element == 1);
    end(&r);
    r = start(BEAM("timoshenko", ""), &status);
    CHECK(flx_fe_problem_static(r.p, NULL, &s) == FLX_OK);
    double G = 7e10 / 2.6, k = 10 * 1.3 / (12 + 11 * 0.3);
    CHECK_REL(s.displacement, 5.714285714285714e-3 + 1 / (k * G * 1e-4), 1e-10);
    end(&r);
    return 0;
}

// The residual is relative to the load, however small.
static int residual_is_that_of_the_load(void)
{
    static const char *const loads[] = {"1", "1e-7"};
    double residual[2];
    for (int i = 0; i < 2; i++) {
        char text[1000];
        flx_status status;
        flx_fe_static s;
        snprintf(text, sizeof text, "%s", BEAM("euler-bernoulli", ""));
        char *one = strstr(text, "value: [0, 1]");
        snprintf(one, sizeof text - (size_t)(one - text), "value: [0, %s]}}\n", loads[i]);
        rig r = start(text, &status);
        CHECK(status == FLX_OK && flx_fe_problem_static(r.p, NULL, &s) == FLX_OK);
        residual[i] = s.residual;
        end(&r);
    }
    CHECK(residual[0] > 0 && residual[0] < 1e-9);
    CHECK(residual[1] > 0.01 * residual[0] && residual[1] < 100 * residual[0]);
    return 0;
}

// Forces along beams, of spinning, across slanted supports.
static int loads_of_other_kinds_have_their_closed_forms(void)
{
    static const struct {
        const char *rest;
        double displacement;
    } cases[] = {
        {"  theory: euler-bernoulli\n  supports: {root: {on: start}}\n"
         "  loads: {own: {type: line, on: line, value: [0, 8]}}\n",
         1 / (7e10 * 1e-8 / 12)},
        {"  supports: {root: {on: start}}\n  loads: {turn: {type: centrifugal, value: 300}}\n",
         2750 * 9e4 / (3 * 7e10)},
        {"  supports: {root: {on: start}}\n  loads: {turn: {type: centrifugal, on: line, value: "
         "300, at: "
         "[-1, 0]}}\n",
         2750 * 9e4 / 7e10 * (1.0 / 2 + 1.0 / 3)},
        {"  type: truss\n  elements: 1\n  supports: {root: {on: start}, slope: {on: end, along: "
         "[1, "
         "-1]}}\n  loads: {pull: {type: force, on: end, value: [700, 0]}}\n",
         1e-4 * 1.4142135623730951},
        {"  supports: {root: {on: start, components: [x, y]}, a: {on: end, along: [1, 1], value: "
         "0.003}, b: {on: end, along: [3, -3], value: 0.004}}\n",
         0.005},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        flx_status status;
        flx_fe_static s;
        bool truss = strstr(cases[i].rest, "elements: 1") != NULL;
        snprintf(
            text, sizeof text,
            "flexion: 1\ndimension: 2\nfe:\n  line: [[0, 0], [1, 0]]\n%s  section: {width: 0.01, "
            "height: 0.01}\n  material: {E: 7e10, nu: 0.3, density: 2750}\n%s",
            truss ? "" : "  elements: 1\n", cases[i].rest);
        rig r = start(text, &status);
        CHECK(status == FLX_OK);
        CHECK(flx_fe_problem_static(r.p, NULL, &s) == FLX_OK);
        CHECK_REL(s.displacement, cases[i].displacement, 1e-9);
        end(&r);
    }
    return 0;
}

// Forces within: of a beam on two supports q L^2/8 in its middle, of a hanging bar its weight at the top.
static int members_carry_what_acts_on_them(void)
{
    flx_status status;
    flx_fe_static s;
    rig r = start(
        "flexion: 1\nfe:\n  line: [[0, 0, 0], [5, 0, 0]]\n  elements: 2\n  section: {width: 0.01, "
        "height: 0.02}\n  material: {E: 7e10, density: 2750}\n  supports: {a: {on: start, "
        "components: [x, y, z, rx]}, b: {on: end, components: [x, y, z, rx]}}\n"
        "  loads: {q: {type: line, on: line, value: [0, 0, -8]}}\n",
        &status);
    CHECK(status == FLX_OK);
    CHECK(flx_fe_problem_static(r.p, NULL, &s) == FLX_OK);
    CHECK_REL(s.bending, 8 * 25 / 8.0, 1e-9);
    CHECK(fabs(s.axial) < 1e-9);
    end(&r);
    r = start(
        "flexion: 1\ngravity: [0, 0, -10]\nfe:\n  line: [[0, 0, 0], [0, 0, -2]]\n  elements: 4\n"
        "  section: {radius: 0.1}\n  material: {E: 7e10, density: 1000}\n"
        "  supports: {a: {on: start}}\n  loads: {w: {type: force, on: end, value: [0, 0, -50]}}\n",
        &status);
    CHECK(status == FLX_OK);
    CHECK(flx_fe_problem_static(r.p, NULL, &s) == FLX_OK);
    CHECK_REL(s.axial, 50 + 200 * 3.14159265358979323846, 1e-10);
    CHECK(s.axial_element == 1);
    end(&r);
    return 0;
}

// The array of a .vtu file whose name begins so: n numbers, from the binary part behind the first '_'.
static bool read_field(const char *path, const char *name, int n, double *values)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    text[size] = 0;
    char key[64];
    snprintf(key, sizeof key, "Name=\"%s", name);
    const char *entry = strstr(text, key), *data = strstr(text, "<AppendedData");
    const char *at = entry ? strstr(entry, "offset=\"") : NULL,
               *begin = data ? strchr(data, '_') : NULL;
    if (!at || !begin) return false;
    size_t from = (size_t)(begin + 1 - text) + strtoul(at + 8, NULL, 10) + 8; // 8: its length
    if (from + (size_t)n * sizeof *values > size) return false;
    memcpy(values, text + from, (size_t)n * sizeof *values);
    return true;
}

// Forces of sections are those on the part before the cut, in section axes: N Qy Qz T My Mz of a cantilever along
// ground y, at both ends of its two elements; docs/sign_conventions.md tells these signs.
static int section_forces_have_their_signs(void)
{
    flx_status status;
    flx_fe_static s;
    rig r = start(
        "flexion: 1\nfe:\n  line: [[0, 0, 0], [0, 1, 0]]\n  elements: 2\n  section: {width: 0.02, "
        "height: 0.04}\n  material: {E: 2e11, density: 7800}\n  supports: {root: {on: start}}\n"
        "  loads: {tip: {type: force, on: end, value: [-3, 100, 7]}, twist: {type: moment, on: "
        "end, "
        "value: [0, 5, 0]}}\n",
        &status);
    CHECK(status == FLX_OK);
    char path[64];
    snprintf(path, sizeof path, "fe_signs_%ld.vtu", (long)getpid());
    CHECK(flx_fe_problem_static(r.p, path, &s) == FLX_OK);
    const double first[12] = {100, 3, 7, 5, -7, 3, 100, 3, 7, 5, -3.5, 1.5},
                 second[12] = {100, 3, 7, 5, -3.5, 1.5, 100, 3, 7, 5, 0, 0};
    double found[12];
    CHECK(read_field(path, "forces at the first end", 12, found));
    for (int i = 0; i < 12; i++) CHECK_NEAR(found[i], first[i], 1e-8);
    CHECK(read_field(path, "forces at the second end", 12, found));
    for (int i = 0; i < 12; i++) CHECK_NEAR(found[i], second[i], 1e-8);
    CHECK(remove(path) == 0);
    end(&r);
    return 0;
}

// Step force at the tip: exact modal answer 3.404966791e-3 m at 0.1 s; Newmark's error falls with h^2 as
// far as the modes that a step resolves go.
static int transient_follows_the_modes(void)
{
    const double h[2] = {1e-4, 1e-5}, bound[2] = {8.3e-6, 7.2e-7};
    for (int k = 0; k < 2; k++) {
        flx_status status;
        flx_fe_transient_result t;
        char path[64];
        double last[10] = {0};
        rig r = start(BEAM("euler-bernoulli", ""), &status);
        CHECK(status == FLX_OK);
        snprintf(path, sizeof path, "fe_%ld.csv", (long)getpid());
        const flx_fe_transient def = {
            .until = 0.1, .step = h[k], .nnode = 1, .nodes = (int[]){11}, .csv = path};
        CHECK(flx_fe_problem_transient(r.p, &def, &t) == FLX_OK);
        CHECK(t.steps == lround(0.1 / h[k]));
        CHECK(t.energy_drift < 1e-9);
        FILE *file = fopen(path, "r");
        CHECK(file != NULL);
        char line[1000];
        while (fgets(line, sizeof line, file)) {
            sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf", last, last + 1, last + 2, last + 3, last + 4,
                   last + 5);
        }
        fclose(file);
        remove(path);
        CHECK_NEAR(last[0], 0.1, 1e-12);
        CHECK_NEAR(last[5], 3.404966791e-3, bound[k]);
        end(&r);
    }
    return 0;
}

// A load in slow sine: the tip follows its statics, and a pulse leaves what the impulse of a mass gives; the ledger
// has the work of loads that change.
static int loads_follow_their_factors(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\nfe:\n  line: [[0, 0], [1, 0]]\n  elements: 10\n"
        "  section: {width: 0.01, height: 0.01}\n"
        "  material: {E: 7e10, nu: 0.3, density: 2750}\n  theory: euler-bernoulli\n"
        "  supports: {root: {on: start}}\n"
        "  loads:\n"
        "    tip: {type: force, on: end, value: [0, 2], factor: %s}\n"
        "    steady: {type: force, on: end, value: [0, 1], "
        "factor: \"if(t < 5, 1 - exp(-20*t^2), 7)\"}\n"
        "simulate: {until: 1, step: 1e-3}\n";
    static const struct {
        const char *factor;
        double end; // force at the tip
    } known[] = {{"\"0.5*sin(pi/2*t)^2\"", 2.0}, {"0", 1.0}, {"\"if(t > 0.2, 0, t*0)\"", 1.0}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char model[900], path[64];
        flx_status status;
        flx_fe_transient_result out;
        const int tip = 11;
        snprintf(model, sizeof model, text, known[i].factor);
        snprintf(path, sizeof path, "fe_factor_%ld.csv", (long)getpid());
        rig r = start(model, &status);
        CHECK(status == FLX_OK);
        const flx_fe_transient def = {.csv = path, .nodes = &tip, .nnode = 1};
        CHECK(flx_fe_problem_transient(r.p, &def, &out) == FLX_OK);
        CHECK(out.energy_drift < 1e-9);
        double t = 0, y = 0;
        char line[400];
        FILE *file = fopen(path, "r");
        CHECK(file);
        while (fgets(line, sizeof line, file)) {
            (void)sscanf(line, "%lf,%*f,%*f,%*f,%*f,%lf", &t, &y);
        }
        CHECK(fclose(file) == 0 && remove(path) == 0);
        CHECK_NEAR(t, 1, 1e-12);
        CHECK_REL(y, known[i].end * 5.714285714e-3, 0.02); // it swings a little about it
        end(&r);
    }
    return 0;
}

static int damping_takes_energy_and_is_counted(void)
{
    flx_status status;
    flx_fe_transient_result t;
    rig r = start(BEAM("euler-bernoulli", "  damping: {rayleigh: [20, 1e-4]}\n"
                                          "simulate: {until: 1, step: 1e-3}\n"),
                  &status);
    CHECK(status == FLX_OK);
    CHECK(flx_fe_problem_transient(r.p, &(flx_fe_transient){.every = 1}, &t) == FLX_OK);
    CHECK(t.energy_drift < 1e-3); // the rates of the step's middle stand for the whole step
    CHECK(t.displacement < 2 * 5.7142857e-3 && t.displacement > 1.2 * 5.7142857e-3);
    end(&r);
    return 0;
}

static int masses_add_up(void)
{
    flx_status status;
    flx_fe_mode modes[27];
    flx_fe_modes_report report;
    rig r = start(
        BEAM("euler-bernoulli",
             "  mass_matrix: lumped\n  points: {ball: {on: end, mass: 0.5, inertia: 1e-4}}\n"),
        &status);
    CHECK(status == FLX_OK);
    flx_fe_summary s = flx_fe_problem_summary(r.p);
    CHECK_REL(s.mass, 0.275 + 0.5, 1e-12);
    CHECK_REL(s.com[0], (0.275 * 0.5 + 0.5) / 0.775, 1e-12);
    CHECK(s.unknowns == 30 && s.nodes == 11 && s.elements == 10);
    CHECK(flx_fe_problem_modes(r.p, 27, NULL, modes, &report) == FLX_OK);
    double sum = 0;
    for (int k = 0; k < 27; k++) sum += modes[k].effective[1];
    CHECK(sum < 0.775 &&
          sum > 0.97 * (0.775 - 0.0275 / 2)); // what hangs on the support does not move
    end(&r);
    return 0;
}

static int what_is_not_held_is_named(void)
{
    flx_status status;
    flx_fe_static s;
    rig r = start("flexion: 1\nfe:\n  line: [[0, 0, 0], [1, 0, 0]]\n  section: {radius: 0.01}\n"
                  "  material: {E: 7e10, density: 2750}\n  supports: {root: {on: start, "
                  "components: [x, y, z]}}\n",
                  &status);
    CHECK(status == FLX_OK);
    CHECK(flx_fe_problem_static(r.p, NULL, &s) == FLX_SINGULAR);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "the structure is not held: node");
    end(&r);
    return 0;
}

static int units_that_look_wrong_are_named(void)
{
    flx_status status;
    rig r = start("flexion: 1\nfe:\n  line: [[0, 0, 0], [1, 0, 0]]\n  section: {radius: 0.01}\n"
                  "  material: {E: 210000, density: 7.85e-9}\n",
                  &status);
    CHECK(status == FLX_OK);
    CHECK(flx_ctx_warning_count(r.ctx) == 1);
    CHECK_TEXT(flx_ctx_warning(r.ctx, 0)->text, "sound would travel at");
    end(&r);
    return 0;
}

static int pictures_are_written(void)
{
    flx_status status;
    char path[64], head[200] = "";
    flx_fe_static s;
    rig r = start(BEAM("euler-bernoulli", ""), &status);
    snprintf(path, sizeof path, "fe_%ld.vtu", (long)getpid());
    CHECK(flx_fe_problem_static(r.p, path, &s) == FLX_OK);
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    CHECK(fread(head, 1, sizeof head - 1, file) > 100);
    fclose(file);
    remove(path);
    CHECK_TEXT(head, "<VTKFile type=\"UnstructuredGrid\"");
    CHECK_TEXT(head, "NumberOfPoints=\"11\" NumberOfCells=\"10\"");
    CHECK(flx_fe_problem_static(r.p, "/nowhere/at/all.vtu", &s) == FLX_ERR_IO);
    end(&r);
    return 0;
}

// Six times the volume that the surface encloses.
static double six_volumes(const flx_result_mesh *m)
{
    double sum = 0;
    for (int k = 0; k < m->ntriangle; k++) {
        const float *a = m->nodes + 3 * m->triangles[3 * k],
                    *b = m->nodes + 3 * m->triangles[3 * k + 1],
                    *c = m->nodes + 3 * m->triangles[3 * k + 2];
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, l = (i + 2) % 3;
            sum += (double)a[i] * ((double)b[j] * (double)c[l] - (double)b[l] * (double)c[j]);
        }
    }
    return sum;
}

// Tubes of eight sides and of the section's area, closed and outside out; their axis is bent as the beam is:
// F x^2 (3 L - x)/(6 EI).
static int beams_are_drawn_bent(void)
{
    flx_status status;
    flx_fe_static found;
    flx_result_mesh m;
    rig r = start(BEAM("euler-bernoulli", ""), &status);
    CHECK(flx_fe_problem_static(r.p, NULL, &found) == FLX_OK);
    CHECK(flx_fe_problem_mesh(r.p, &m) == FLX_OK);
    CHECK(m.nnode == 10 * 7 * 8 && m.nsurface == m.nnode && m.nmode == 1 && !m.stress);
    CHECK_REL(six_volumes(&m) / 6, 2 * sqrt(2) * 1e-4 / 3.141592653589793, 1e-4);
    for (int ring = 0; ring < 70; ring++) {
        double x = 0, w = 0;
        for (int k = 0; k < 8; k++) {
            x += (double)m.nodes[3 * (8 * ring + k)] / 8;
            w += (double)m.modes[3 * (8 * ring + k) + 1] / 8;
        }
        CHECK_NEAR(w, x * x * (3 - x) / (6 * 7e10 * 1e-8 / 12), 1e-8);
    }
    end(&r);
    return 0;
}

static int a_model_without_elements_is_refused(void)
{
    flx_status status;
    rig r = start("flexion: 1\nbodies: {a: {type: point, mass: 1}}\n", &status);
    CHECK(status == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "the model has no block 'fe'");
    end(&r);
    return 0;
}

TEST_MAIN(TEST(cantilever_bends_as_it_should), TEST(residual_is_that_of_the_load),
          TEST(loads_of_other_kinds_have_their_closed_forms), TEST(members_carry_what_acts_on_them),
          TEST(section_forces_have_their_signs), TEST(transient_follows_the_modes),
          TEST(loads_follow_their_factors), TEST(damping_takes_energy_and_is_counted),
          TEST(masses_add_up), TEST(what_is_not_held_is_named),
          TEST(units_that_look_wrong_are_named), TEST(pictures_are_written),
          TEST(beams_are_drawn_bent), TEST(a_model_without_elements_is_refused))
