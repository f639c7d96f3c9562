// test_cli_studies.c - what is made of models and results, as a user meets it: plots, comparisons of methods and
// results, pages, reductions, structures, analyses.
#include "flexion/extend/method_table.h"
#include "program.h"

#include <stdlib.h>

static int plot_draws(void)
{
    write_model("pendulum.yaml", pendulum);
    flexion("run pendulum.yaml --quiet");
    CHECK_STATUS(0);
    flexion("plot pendulum.h5 hinge.angle energy");
    CHECK_STATUS(0);
    CHECK(strcmp(out, "pendulum.svg\n") == 0);
    CHECK(file_size("pendulum.svg") > 5000);
    flexion("plot pendulum.h5 rod.end.position.y --x rod.end.position.x -o path.png");
    CHECK_STATUS(0);
    CHECK(file_size("path.png") > 5000);
    flexion("plot pendulum.h5");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "hinge.angle  rad\n");
    flexion("plot pendulum.h5 hinge.angel");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "did you mean 'hinge.angle'?");
    flexion("plot pendulum.yaml hinge.angle");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "is a model, not a result");
    flexion("plot none.h5 hinge.angle");
    CHECK_STATUS(2);
    flexion("plot pendulum.h5 hinge.angle -o a.gif");
    CHECK_STATUS(2);
    CHECK_TEXT(err, ".svg, .png or .pdf");
    return 0;
}

static int methods_are_told(void)
{
    flexion("methods");
    CHECK_STATUS(0);
    for (const flx_integrator_type *const *t = flx_integrator_types(); *t; t++)
        CHECK_TEXT(out, (*t)->name);
    CHECK_TEXT(out, "stiffly accurate");
    flexion("methods radau --stages 5 'gauss(stages=2)'");
    CHECK_STATUS(2); // every method named gets the stages: twice is wrong
    flexion("methods radau --stages 5");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "radau(stages=5)           5     9  5        0  + +");
    flexion("methods radua");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "did you mean 'radau'?");
    return 0;
}

static int methods_are_compared(void)
{
    write_model("pendulum.yaml", pendulum);
    flexion(
        "convergence pendulum.yaml --until 0.2 --methods "
        "'radau,gauss,generalized-alpha(spectral_radius=0.9)' "
        "--steps 0.02,0.01,0.005 --signals positions,velocities -o orders.svg --csv orders.csv");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "relative errors against radau");
    CHECK_TEXT(out, "failed: method 'gauss'"); // and the others go on
    CHECK_TEXT(out, "failed: the same");
    CHECK_TEXT(out, "drawn in orders.svg");
    CHECK(file_size("orders.svg") > 5000);
    CHECK(file_size("orders.csv") > 500);
    flexion(
        "work-precision pendulum.yaml --until 0.2 --methods dopri5,radau --tolerances 1e-3..1e-6 "
        "--repeats 1 -o work.png --csv -");
    CHECK_STATUS(0);
    CHECK(strncmp(out, "method,rtol,positions at end", 28) == 0); // a table and nothing else
    CHECK(file_size("work.png") > 5000);
    flexion("convergence pendulum.yaml --until 1 --methods radau --steps 1..0.5"); // a whole number
    CHECK_STATUS(0);
    CHECK_TEXT(out, "radau                            1");

    flexion("convergence pendulum.yaml --methods radau --steps 0.1 --signals positons");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "did you mean 'positions'?");
    flexion("convergence pendulum.yaml --methods radau --steps 0.1 --reference none.csv");
    CHECK_STATUS(2);
    return 0;
}

static int results_are_compared(void)
{
    write_model("pendulum.yaml", pendulum);
    flexion("run pendulum.yaml -q -o a.h5 --csv a.csv");
    CHECK_STATUS(0);
    flexion("compare a.h5 pendulum.yaml --set m=2 -o both.svg --csv differences.csv");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "which both have"); // times
    CHECK_TEXT(out, "evaluations");
    CHECK_TEXT(out, "hinge.angle");
    CHECK_TEXT(out, "drawn in both.svg");
    CHECK(file_size("both.svg") > 5000);
    CHECK(file_size("differences.csv") > 200);
    // the angle does not depend on the mass, the energy does
    flexion("compare a.csv pendulum.yaml --set m=2 --signals hinge.angle -q --csv -");
    CHECK_STATUS(0);
    double mean, most;
    const char *line = strchr(out, '\n');
    CHECK(line && sscanf(line, "\nhinge.angle,%lf,%lf", &mean, &most) == 2);
    CHECK(most < 1e-11 && mean <= most);

    flexion("compare a.h5");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "name two models or results");
    flexion("compare a.h5 missing.h5");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "cannot open the result 'missing.h5'");
    flexion("compare a.h5 pendulum.yaml --signals hinge.angel");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "did you mean 'hinge.angle'?");
    flexion("compare a.h5 pendulum.yaml --from soon");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "--from needs a number, not 'soon'");
    write_model("growth.yaml", "flexion: 1\n"
                               "equations: {first_order: {x: {at: 1, derivative: x}}}\n"
                               "simulate: {until: 2}\n"
                               "outputs: {every: 0.1, signals: [x]}\n");
    flexion("compare growth.yaml pendulum.yaml");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "no signal in common");
    char command[256];
    snprintf(command, sizeof command, "cd %s && head -c 3000 a.h5 >half.h5", folder);
    CHECK(system(command) == 0);
    flexion("compare a.h5 half.h5");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "truncated");
    // a run that is cut off is compared as far as it came, and told
    write_model("lost.yaml", "flexion: 1\n"
                             "equations: {first_order: {x: {at: 1, derivative: x^2}}}\n"
                             "simulate: {until: 2, method: dopri5}\n"
                             "outputs: {every: 0.1, signals: [x]}\n");
    flexion("compare lost.yaml lost.yaml");
    CHECK_STATUS(1);
    CHECK_TEXT(out, "A was cut off at t = 1");
    return 0;
}

// Three oscillators, hardly coupled: x goes up past y, z down past both. Columns go on with what moves.
static int modes_are_followed(void)
{
    static const char *const counts[] = {"5", "8", "9", "33"};
    for (int c = 0; c < 4; c++) {
        char text[700];
        snprintf(text, sizeof text,
                 "flexion: 1\nparameters: {k: 1}\nequations:\n  second_order:\n"
                 "    x: {mass: 1, force: -k*x - 1e-4*(x - y)}\n"
                 "    y: {mass: 1, force: -3*y - 1e-4*(y - x) - 0.01*y'}\n"
                 "    z: {mass: 1, force: -(6 - k)*z}\nsimulate: {until: 1}\n"
                 "analyse: {m: {type: modes}}\nsweep: {parameters: {k: {from: 1, to: 5, count: "
                 "%s}}, run: [m]}\n",
                 counts[c]);
        write_model("cross.yaml", text);
        flexion("sweep cross.yaml --csv - -q");
        CHECK_STATUS(0);
        const char *line = strchr(out, '\n');
        for (; line && line[1]; line = strchr(line + 1, '\n')) {
            double v[14];
            CHECK(sscanf(line, "\n%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", v,
                         v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7, v + 8, v + 9, v + 10,
                         v + 11, v + 12, v + 13) == 14);
            CHECK_NEAR(fabs(v[3]), sqrt(v[1]), 2e-3); // x, both of a pair
            CHECK_NEAR(v[3], -v[5], 1e-12);
            CHECK_NEAR(fabs(v[7]), sqrt(3.0), 2e-3); // y
            CHECK_NEAR(fabs(v[11]), sqrt(6.0 - v[1]), 2e-3);
        }
    }
    return 0;
}

// Damping past its critical value: a pair becomes two real eigenvalues, which are equally near to each of the pair. Each
// has a column of its own.
static int modes_that_part_keep_their_columns(void)
{
    write_model("part.yaml", "flexion: 1\nparameters: {d: 2}\n"
                             "equations: {second_order: {x: {mass: 1, force: -4*x - d*x'}}}\n"
                             "simulate: {until: 1}\nanalyse: {m: {type: modes}}\n"
                             "sweep: {parameters: {d: [2, 3, 5, 8]}, run: [m]}\n");
    flexion("sweep part.yaml --csv - -q");
    CHECK_STATUS(0);
    const char *line = strchr(out, '\n');
    int rows = 0;
    for (; line && line[1]; line = strchr(line + 1, '\n'), rows++) {
        double v[6];
        CHECK(sscanf(line, "\n%lf,%lf,%lf,%lf,%lf,%lf", v, v + 1, v + 2, v + 3, v + 4, v + 5) == 6);
        CHECK_NEAR(v[2] + v[4], -v[1], 1e-9); // of s^2 + d s + 4
        CHECK_NEAR(v[2] * v[4] - v[3] * v[5], 4.0, 1e-9);
        CHECK_NEAR(v[3] + v[5], 0.0, 1e-9);
    }
    CHECK(rows == 4);
    return 0;
}

static int parameters_are_swept(void)
{
    write_model("swing.yaml",
                "flexion: 1\nparameters: {m: 1, k: 4, d: 0}\n"
                "equations: {second_order: {x: {at: 1, mass: m, force: -k*x - d*x'}}}\n"
                "simulate: {until: 1, rtol: 1e-9, atol: 1e-12}\n"
                "analyse: {s: {type: modes, about: start}}\n"
                "outputs: {every: 0.5, signals: [x], metrics: {end: final(x)}}\n"
                "sweep: {parameters: {k: [1, 4], d: {from: 0, to: 2, count: 2}}}\n");
    flexion("sweep swing.yaml");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "4 runs, 0 failed; the table is in swing_sweep.csv");
    flexion("sweep swing.yaml --set m=4 --csv - -q");
    CHECK_STATUS(0);
    double number, k, d, end;
    const char *line = strchr(out, '\n'); // the second run: k = 1, d = 2, m = 4
    CHECK(line && (line = strchr(line + 1, '\n')) != NULL);
    CHECK(sscanf(line, "\n%lf,%lf,%lf,%lf", &number, &k, &d, &end) == 4);
    CHECK(number == 2 && k == 1 && d == 2);
    double w = sqrt(0.25 - 0.0625);
    CHECK_NEAR(end, exp(-0.25) * (cos(w) + 0.25 / w * sin(w)), 1e-8);
    flexion("plot swing_sweep.csv end --x k -o sweep.svg");
    CHECK_STATUS(0);

    // eigenvalues go on from run to run, both of a pair; a run that fails is told, and the others go on
    write_model("modes.yaml",
                "flexion: 1\nparameters: {k: 4, d: 0}\n"
                "equations: {second_order: {x: {mass: k - 3, force: -x - d*x'}}}\n"
                "simulate: {until: 1}\nanalyse: {s: {type: modes, about: start}}\n"
                "outputs: {every: 1, signals: [x]}\n"
                "sweep: {combine: zip, parameters: {k: [4, 2, 4], d: [0, 0, 4]}, run: [s]}\n");
    flexion("sweep modes.yaml --csv modes.csv");
    CHECK_STATUS(1);
    CHECK_TEXT(out, "3 runs, 1 failed");
    CHECK_TEXT(err, "run 2 of 3 failed");
    flexion("plot modes.csv");
    CHECK_TEXT(out, "s.re(2)");

    CHECK(modes_are_followed() == 0);
    write_model("pendulum.yaml", pendulum);
    flexion("sweep pendulum.yaml");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "has no block 'sweep'");
    flexion("sweep");
    CHECK_STATUS(2);
    return 0;
}

static int pages_are_written(void)
{
    write_model("pendulum.yaml", pendulum);
    flexion("run pendulum.yaml -o pendulum.h5");
    CHECK_STATUS(0);
    flexion("view pendulum.h5 -o page.html --max-size 5MB");
    if (status == 1) { // built without node
        CHECK_TEXT(err, "install node and npm");
    } else {
        CHECK_STATUS(0);
        CHECK_TEXT(out, "page.html");
        CHECK(file_size("page.html") > 300000);
    }
    flexion("view");
    CHECK_STATUS(2);
    flexion("view none.h5");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "cannot open the result 'none.h5'");
    flexion("view pendulum.h5 --max-size few");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "as 5MB");
    flexion("view pendulum.h5 --port 70000");
    CHECK_STATUS(2);
    flexion("report pendulum.h5 -o report.html");
    CHECK_STATUS(0);
    CHECK(file_size("report.html") > 20000);
    flexion("report pendulum.h5 other.h5");
    CHECK_STATUS(2);
    flexion("plot pendulum.h5 hinge.rate --log z");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "--log needs x, y or xy");
    return 0;
}

static int pictures_and_films_are_written(void)
{
    static const char *const wrong[][2] = {
        {"frames pendulum.h5 --size 0x5", "--size needs width and height, as 1280x720, not '0x5'"},
        {"frames pendulum.h5 --size 9x9x9", "not '9x9x9'"},
        {"frames pendulum.h5 --size 90000x90000", "pictures of 90000x90000 pixels cannot be made"},
        {"frames pendulum.h5 --colour red", "--colour is displacement or stress, not 'red'"},
        {"frames pendulum.h5 --frames 0", "--frames needs a whole number from 1 on"},
        {"frames pendulum.h5 --from top", "'top' is no view: there are x, y, z and slant"},
        {"frames pendulum.h5 --exaggerate -1", "--exaggerate needs a positive number"},
        {"frames pendulum.yaml", "is a model, not a result"},
        {"film pendulum.h5 --speed 0", "--speed needs a positive number"},
        {"film pendulum.h5 --speed 1e-9", "give a higher speed"},
        {"film pendulum.h5 --rate 1e9", "1 to 100 pictures per second"},
        {"film pendulum.h5 -o film.avi", "not as 'film.avi'"},
        {"film none.h5", "cannot open the result 'none.h5'"},
    };
    char command[200], head[7];
    write_model("pendulum.yaml", pendulum);
    flexion("run pendulum.yaml -o pendulum.h5 --quiet");
    CHECK_STATUS(0);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(command, sizeof command, "export %s", wrong[i][0]);
        flexion(command);
        CHECK_STATUS(2);
        CHECK_TEXT(err, wrong[i][1]);
    }
    flexion("export frames pendulum.h5 --frames 2 --size 120x90 --colour stress --from z");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "pendulum_frames  2 pictures of ");
    CHECK(file_size("pendulum_frames/frame_0001.png") > 100);
    CHECK(file_size("pendulum_frames/frame_0002.png") == -1);
    flexion("export film pendulum.h5 --size 120x90 --rate 5 --speed 0.5");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "pendulum.gif  ");
    read_all("pendulum.gif", head, sizeof head);
    CHECK(strcmp(head, "GIF89a") == 0);
    return 0;
}

// Shapes of an arm for a band: their errors, what would do with fewer, and all bases side by side.
static int bodies_are_measured(void)
{
    static const char arm[] = "reduce " FLX_EXAMPLES "/elastic_arm_band.yaml";
    static const char *const wrong[][2] = {
        {"--body leg", "'leg' is no flexible body made of finite elements"},
        {"--to -3", "--to needs a positive number, not '-3'"},
        {"--in tip.z", "give --in PORT and -o FILE"},
        {"--in tip.q -o no.svg", "tip.q"},
    };
    char command[400];
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(command, sizeof command, "%s %s", arm, wrong[i][0]);
        flexion(command);
        CHECK_STATUS(2);
        CHECK_TEXT(err, wrong[i][1]);
    }
    CHECK(file_size("no.svg") == -1);
    snprintf(command, sizeof command, "%s --in tip.z --held hub -o held.svg", arm);
    flexion(command);
    CHECK_STATUS(0);
    CHECK_TEXT(out, "arm: band, 23 shapes for 3258 unknowns; 12 ports at hub, tip; 0 to 2000 Hz");
    CHECK_TEXT(out, "hub held ");
    CHECK_TEXT(out, "counted: none is missing");
    CHECK_TEXT(out, "drawn in held.svg");
    CHECK(file_size("held.svg") > 5000);
    if (getenv("FLX_SHORT")) return 0;
    snprintf(command, sizeof command, "%s --tolerance 1e-30", arm);
    flexion(command);
    CHECK_STATUS(1);
    CHECK_TEXT(out, "THE TOLERANCE IS NOT MET");
    snprintf(command, sizeof command, "%s --compare --to 500", arm);
    flexion(command);
    CHECK_STATUS(0);
    CHECK_TEXT(out, "craig-bampton, relieved ");
    return 0;
}

static int reductions_are_certified(void)
{
    write_model("masses.yaml",
                "flexion: 1\n"
                "equations:\n"
                "  second_order:\n"
                "    a: {at: 0, mass: 0.005, force: \"-0.04*a' - 20*a + 10*b + 0.02*b'\"}\n"
                "    b: {at: 0.1, mass: 1, force: \"-0.02*(b' - a') - 10*(b - a) + 0.1\"}\n"
                "reduce: {type: quasistatic, neglect_inertia: auto}\n"
                "simulate: {until: 5}\n"
                "outputs: {signals: [a, b]}\n");
    flexion("reduce masses.yaml");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "without inertia: a");
    CHECK_TEXT(out, "times faster than the rest");
    flexion("reduce masses.yaml --certify -o error.svg");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "bound for all times  NOT MET");
    CHECK_TEXT(out, "certified, though not for all times");
    CHECK(file_size("error.svg") > 5000);
    flexion("run masses.yaml");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "without inertia");
    write_model("wrong.yaml", "flexion: 1\n"
                              "equations:\n"
                              "  second_order: {a: {at: 0.1, mass: 0.01, force: -50*a + a'}}\n"
                              "reduce: {type: quasistatic, neglect_inertia: [a]}\n"
                              "simulate: {until: 0.1}\n");
    flexion("reduce wrong.yaml --certify");
    CHECK_STATUS(1);
    CHECK_TEXT(out, "not certified: a condition is not met");
    write_model("pendulum.yaml", pendulum);
    flexion("reduce pendulum.yaml");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "the model reduces nothing");
    flexion("reduce pendulum.yaml --certify");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "the model reduces nothing; add");
    write_model("cut.yaml", "flexion: 1\n"
                            "equations: {second_order: {a: {at: 0.1, mass: 0.01, force: -50*a}}}\n"
                            "reduce: {type: cutoff, frequency: 1}\n"
                            "simulate: {until: 0.1}\n");
    flexion("reduce cut.yaml --certify");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "cut.yaml:3:9: error: a certificate is of 'type: quasistatic'");
    flexion("reduce masses.yaml --certify --window soon");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "--window needs a positive number, not 'soon'");
    flexion("reduce");
    CHECK_STATUS(2);
    return 0;
}

// What one computation wrote the other leaves alone.
static int structures_keep_their_files(void)
{
    write_model("rod.yaml", "flexion: 1\n"
                            "fe:\n"
                            "  line: [[0, 0, 0], [1, 0, 0]]\n"
                            "  section: {radius: 0.01}\n"
                            "  material: {E: 7e10, density: 2750}\n"
                            "  elements: 4\n"
                            "  supports: {root: {on: start}}\n"
                            "  loads: {tip: {type: force, on: end, value: [0, 0, 10]}}\n");
    flexion("check rod.yaml");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "unknowns                     24");
    CHECK_TEXT(out, "finite elements alone");
    flexion("fe static rod.yaml");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "fields in rod.static.vtu");
    CHECK(file_size("rod.static.vtu") > 500);
    flexion("fe modes rod.yaml --count 3");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "fields in rod.modes.vtu");
    CHECK(file_size("rod.modes.vtu") > 500);
    return 0;
}

// Load factors of buckling are a table, and no file is promised that nothing is written to.
static int tables_of_analyses_are_written(void)
{
    write_model("column.yaml",
                "flexion: 1\ndimension: 2\nbodies:\n  b: {type: beam, elements: 6, from: [0, 0], "
                "to: [0, 1], section: {radius: 0.002}, material: {E: 2.1e11, nu: 0.3, density: "
                "7850}}\njoints: {foot: {type: fixed, on: [ground, b], at: b.start}}\nforces: {P: "
                "{type: force, on: b, at: b.end, value: [0, -1]}}\nanalyse: {safe: {type: "
                "buckling, count: 2}, rest: {type: equilibrium}, push: {type: static, to: 0.5}, "
                "swing: {type: modes, count: 1}}\n");
    flexion("static column.yaml safe --csv factors.csv");
    CHECK_STATUS(0);
    CHECK(file_size("factors.csv") > 40);
    flexion("static column.yaml safe --csv -");
    CHECK_TEXT(out, "analysis,mode,factor\n");
    CHECK_TEXT(out, "safe,1,6.");
    flexion("analyse column.yaml safe swing --csv -");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "analysis,mode,re,im,frequency,damping,residual,factor\n");
    CHECK_TEXT(out, "safe,1,,,,,,6.");
    flexion("static column.yaml push --csv path.csv");
    CHECK_STATUS(0);
    CHECK(file_size("path.csv") > 100);
    flexion("static column.yaml --csv both.csv");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "name the analysis");
    flexion("analyse column.yaml rest --csv none.csv");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "none of these analyses gives a table");
    flexion("static column.yaml safe -o none.h5");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "-o is for paths");
    return 0;
}

// Eigenvalues in axes that turn are told to be.
static int turning_axes_are_told(void)
{
    write_model("rotor.yaml",
                "flexion: 1\nparameters: {W: 100}\nbodies:\n  disc: {type: rigid, mass: 2, "
                "inertia: [0.02, 0.01, 0.012], angular_velocity: [W, 0, 0]}\nforces:\n  b: {type: "
                "bushing, on: [ground, disc], at: disc, stiffness: [1e5, 2e4, 2e4]}\n");
    flexion("modes rotor.yaml");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "in axes that rotate with the motion, by 100 rad/s about [1, 0, 0]");
    flexion("modes rotor.yaml --set W=0");
    CHECK_STATUS(0);
    CHECK(strstr(out, "axes that turn") == NULL);
    CHECK_TEXT(out, "counted: 12 eigenvalues in all");
    return 0;
}

// Beside the speed where the bicycle's slow mode is zero, rounding of the chain of its place and heading hides the proof.
static int modes_without_proof_are_told(void)
{
    flexion("analyse " FLX_EXAMPLES "/bicycle.yaml --set v=6.0243");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "leaving more than 0.001 of the equations");
    flexion("analyse " FLX_EXAMPLES "/bicycle.yaml --set v=5");
    CHECK_STATUS(0);
    CHECK(strstr(out, "unproven") == NULL);
    return 0;
}

// A model that says nothing about analyses is told how to ask for modes about its rest.
static int analysis_away_from_rest_shows_what_to_write(void)
{
    static const char swing[] =
        "flexion: 1\n"
        "dimension: 2\n"
        "gravity: [0, -9.81]\n"
        "bodies: {arm: {type: rigid, mass: 1, com: [0.5, 0], inertia: 0.1}}\n"
        "joints: {hinge: {type: revolute, on: [ground, arm], at: [0, 0]}}\n";
    static const char block[] =
        "analyse: {rest: {type: equilibrium}, swing: {type: modes, about: rest}}\n";
    char text[sizeof swing + sizeof block];
    write_model("swing.yaml", swing);
    flexion("analyse swing.yaml");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "forces are not in balance");
    CHECK_TEXT(out, block);
    snprintf(text, sizeof text, "%s%s", swing, block);
    write_model("swing.yaml", text);
    flexion("analyse swing.yaml");
    CHECK_STATUS(0);
    CHECK(strstr(out, "not in balance") == NULL && strstr(out, block) == NULL);
    CHECK_TEXT(out, "swing: modes, about: rest");
    return 0;
}

// A sweep gives what single runs with the same values give, whether what it sweeps can be set in a compiled system or
// decides about its structure.
static int sweeps_are_single_runs(void)
{
    const char *const swept[] = {"m", "L", "n", "c"};
    const double values[][2] = {{1, 2.5}, {0.4, 0.7}, {1, 2}, {0, 0.3}};
    for (int k = 0; k < 4; k++) {
        char text[2000], line[200];
        snprintf(
            text, sizeof text,
            "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
            "parameters: {m: 1, L: 0.5, n: 1, c: 0.1}\n"
            "bodies: {rod: {repeat: {i: [1, n]}, type: rigid, mass: m, com: [L/2, 0], inertia: "
            "m*L^2/12, position: [0, i]}}\n"
            "joints: {pin: {repeat: {i: [1, n]}, type: revolute, on: [ground, rod(i)], at: "
            "rod(i)}}\n"
            "forces: {drag: {repeat: {i: [1, n]}, type: torque, on: pin(i), value: "
            "-c*pin(i).rate}}\n"
            "simulate: {until: 0.5, method: radau, rtol: 1e-8, atol: 1e-10}\n"
            "outputs: {signals: [pin(1).angle], metrics: {end: final(pin(1).angle), fast: "
            "maximum(pin(1).rate)}}\n"
            "sweep: {parameters: {%s: [%g, %g]}}\n",
            swept[k], values[k][0], values[k][1]);
        write_model("single.yaml", text);
        flexion("sweep single.yaml --csv - -q");
        CHECK_STATUS(0);
        double end[2], want;
        const char *row = strchr(out, '\n');
        for (int i = 0; i < 2; i++) {
            CHECK(row && sscanf(row + 1, "%*d,%*f,%lf", &end[i]) == 1);
            row = strchr(row + 1, '\n');
        }
        for (int i = 0; i < 2; i++) {
            snprintf(line, sizeof line, "run single.yaml -q --csv - --set %s=%.17g", swept[k],
                     values[k][i]);
            flexion(line);
            CHECK_STATUS(0);
            const char *last = strrchr(out, ',');
            CHECK(last && sscanf(last + 1, "%lf", &want) == 1);
            CHECK_NEAR(end[i], want, 1e-12);
        }
    }
    return 0;
}

TEST_MAIN(TEST(files_start), TEST(plot_draws), TEST(methods_are_told), TEST(methods_are_compared),
          TEST(results_are_compared), TEST(parameters_are_swept),
          TEST(modes_that_part_keep_their_columns), TEST(sweeps_are_single_runs),
          TEST(pages_are_written), TEST(pictures_and_films_are_written), TEST(bodies_are_measured),
          TEST(reductions_are_certified), TEST(structures_keep_their_files),
          TEST(analysis_away_from_rest_shows_what_to_write), TEST(tables_of_analyses_are_written),
          TEST(turning_axes_are_told), TEST(modes_without_proof_are_told), TEST(files_end))
