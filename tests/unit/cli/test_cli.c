// test_cli.c - the program as a user meets it: help, mistakes, what a model is made of, the language.
#include "program.h"

// ---- help and mistakes ------------------------------------------------------------------------

static int fits_a_screen(const char *text)
{
    int lines = 0, column = 0;
    for (const char *p = text; *p; p++) {
        column++;
        if (*p != '\n') continue;
        CHECK(column - 1 <= 80);
        lines++;
        column = 0;
    }
    CHECK(lines >= 4 && lines <= 24);
    return 0;
}

static int every_help_fits_a_screen_and_shows_an_example(void)
{
    static const char *const commands[] = {
        "run",         "check",          "plot",    "info",    "language",   "methods",
        "convergence", "work-precision", "compare", "analyse", "reduce",     "sweep",
        "report",      "static",         "modes",   "fe",      "view",       "export",
        "upgrade",     "optimise",       "import",  "new",     "completion", "spectrum"};
    char arguments[64];
    flexion("--help");
    CHECK_STATUS(0);
    if (fits_a_screen(out)) return 1;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        CHECK_TEXT(out, commands[i]); // the list of the last page asked
        snprintf(arguments, sizeof arguments, "%s --help", commands[i]);
        flexion(arguments);
        CHECK_STATUS(0);
        if (fits_a_screen(out)) return 1;
        CHECK_TEXT(out, "Example");
        CHECK_TEXT(out, commands[i]);
        snprintf(arguments, sizeof arguments, "help %s", commands[i]);
        flexion(arguments);
        CHECK_STATUS(0);
        CHECK_TEXT(out, "Usage: flexion");
        flexion("help");
    }
    flexion("");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "Usage: flexion COMMAND");
    flexion("help --help");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "Usage: flexion COMMAND");
    flexion("--version");
    CHECK_STATUS(0);
    CHECK_TEXT(out, flx_version());
    return 0;
}

static int misspelt_words_get_the_nearest_one(void)
{
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"rnu model.yaml", "unknown command 'rnu'; did you mean 'run'?"},
        {"chekc model.yaml", "did you mean 'check'?"},
        {"simulate model.yaml", "unknown command 'simulate'; see 'flexion --help'"},
        {"--verison", "did you mean '--version'?"},
        {"help rum", "did you mean 'run'?"},
        {"run --cvs x.csv m.yaml", "flexion run: unknown option '--cvs'; did you mean '--csv'?"},
        {"run m.yaml --quite", "did you mean '--quiet'?"},
        {"run -z m.yaml", "unknown option '-z'"},
        {"run m.yaml --csv", "option '--csv' needs a value"},
        {"run --quiet=1 m.yaml", "option '--quiet' takes no value"},
        {"run", "name a model file"},
        {"run a.yaml b.yaml", "one model at a time"},
        {"run m.yaml -o x.csv", "-o writes HDF5, whose names end in .h5; a table: --csv x.csv"},
        {"modes m.yaml -o x.csv", "flexion modes: -o writes HDF5, whose names end in .h5"},
        {"run m.yaml --until soon", "--until needs a positive number, not 'soon'"},
        {"run m.yaml --until -1", "--until needs a positive number"},
        {"check", "name a model file"},
        {"plot", "name a result file"},
        {"plot a.h5 t --size 9", "--size needs"},
        {"info now", "takes no arguments"},
        {"language revolut", "no section, kind or key 'revolut'; did you mean 'revolute'?"},
        {"language pid --schema x.json", "one or the other"},
        {"methods --stages 3", "need a method"},
        {"convergence", "name a model file"},
        {"convergence m.yaml --steps 1", "name the methods to compare"},
        {"convergence m.yaml --methods radau", "either --steps or --tolerances"},
        {"convergence m.yaml --methods radau --steps 1 --tolerances 1", "either --steps or"},
        {"convergence m.yaml --methods radau --steps 0.1,-2", "--steps needs numbers"},
        {"convergence m.yaml --methods radau --steps 0.1..", "or a range such as"},
        {"work-precision m.yaml --methods radau --tolerances x", "--tolerances needs numbers"},
        {"work-precision m.yaml --methods radau --tolerances 1e-3 --formulation glg",
         "did you mean 'ggl'?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        flexion(cases[i].arguments);
        CHECK_STATUS(2);
        CHECK_TEXT(err, cases[i].message);
        CHECK(out[0] == '\0');
    }
    return 0;
}

static int mistakes_in_a_model_show_their_line(void)
{
    flexion("run none.yaml");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "none.yaml");

    write_model("wrong.yaml", "flexion: 1\nbodies:\n\tx: 1\n");
    flexion("run wrong.yaml");
    CHECK_STATUS(2);
    write_model("wrong.yaml", "flexion: 1\nbodeis:\n  rod: {type: point, mass: 1}\n");
    remove_file("wrong.h5");
    flexion("run wrong.yaml");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "wrong.yaml:2:1: error: ");
    CHECK_TEXT(err, "'bodies'");
    CHECK_TEXT(err, "\n    2 | bodeis:\n      | ^\n");
    CHECK(file_size("wrong.h5") < 0);

    // what can be read, but not run
    write_model("wrong.yaml", "flexion: 1\nbodies: {p: {type: point, mass: 1}}\n");
    flexion("check wrong.yaml");
    CHECK_STATUS(0);
    flexion("run wrong.yaml");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "add 'simulate: {until: 5}'");
    CHECK(file_size("wrong.h5") < 0);

    // a mark under its character: after a tab's width of text and characters of several bytes
    write_model("wrong.yaml", "flexion: 1\nbodies:\n  \"é\": 3\n  rod: {type: point, maß: 1}\n");
    flexion("check wrong.yaml");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "error: ");
    return 0;
}

// Parts of the language that come later are named at their place, and nothing is computed.
static int what_is_not_available_yet_is_said(void)
{
    write_model("later.yaml", "flexion: 1\n"
                              "bodies:\n"
                              "  rod: {type: rigid, mass: 1, inertia: [1, 1, 1]}\n"
                              "  roof: {type: shell, mesh: roof.msh, thickness: 0.01, material: "
                              "{E: 2e11, density: 7800}}\n"
                              "simulate: {until: 1}\n");
    remove_file("later.h5");
    flexion("run later.yaml");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "not supported yet");
    CHECK_TEXT(err, "shell");
    CHECK_TEXT(err, "later.yaml:4:");
    CHECK(file_size("later.h5") < 0);
    flexion("check later.yaml");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "not supported yet");
    CHECK_TEXT(out, "rod (rigid)");
    return 0;
}

// ---- check, info, language ---------------------------------------------------------------------

static int check_says_what_the_model_is_made_of(void)
{
    write_model("pendulum.yaml", pendulum);
    remove_file("pendulum.h5");
    flexion("check pendulum.yaml");
    CHECK_STATUS(0);
    static const char *const lines[] = {
        "pendulum.yaml: A pendulum\n",
        "  bodies               1  rod (rigid)\n",
        "  joints               1  hinge (revolute)\n",
        "  coordinates          3\n",
        "  constraints          2\n",
        "  redundant            0\n",
        "  degrees of freedom   1\n",
        "  tree\n    rod: hinge (revolute), 1\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) CHECK_TEXT(out, lines[i]);
    CHECK(file_size("pendulum.h5") < 0);
    return 0;
}

// Two hinges on one axis: the second says again what the first said.
static int redundant_constraints_are_named(void)
{
    write_model("door.yaml",
                "flexion: 1\n"
                "gravity: [0, 0, -9.81]\n"
                "bodies:\n"
                "  door: {type: rigid, mass: 20, com: [0.4, 0, 1], inertia: [7, 7, 1.1]}\n"
                "joints:\n"
                "  low: {type: revolute, on: [ground, door], at: [0, 0, 0.2], axis: [0, 0, 1]}\n"
                "  high: {type: revolute, on: [ground, door], at: [0, 0, 1.8], axis: [0, 0, 1],"
                " initial: {rate: 1}}\n"
                "simulate: {until: 0.1, method: generalized-alpha, step: 1e-3}\n"
                "outputs: {every: 0.01, signals: [low.angle, low.reaction, high.reaction]}\n");
    flexion("check door.yaml");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "  redundant            5  left out of the equations:\n");
    CHECK_TEXT(out, "degrees of freedom   1\n");
    CHECK_TEXT(out, "high (");
    CHECK_TEXT(out, "  tree\n    door: low (revolute), 1\n  closed by\n    high (revolute)\n");
    flexion("run door.yaml");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "left out: ");
    return 0;
}

static int locked_mechanism_names_the_joint(void)
{
    write_model("locked.yaml", "flexion: 1\n"
                               "dimension: 2\n"
                               "bodies:\n"
                               "  bar: {type: rigid, mass: 1, inertia: 1}\n"
                               "joints:\n"
                               "  left: {type: revolute, on: [ground, bar], at: [0, 0]}\n"
                               "  right: {type: revolute, on: [ground, bar], at: [1, 0]}\n"
                               "simulate: {until: 1, method: generalized-alpha, step: 1e-2}\n"
                               "outputs: {every: 0.1, signals: [bar.angle]}\n");
    flexion("run locked.yaml");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "locked");
    CHECK_TEXT(err, "'right'");
    CHECK_TEXT(err, "locked.yaml:7:");
    return 0;
}

static int closure_that_cannot_be_met_names_the_joint(void)
{
    write_model("open.yaml",
                "flexion: 1\n"
                "dimension: 2\n"
                "bodies:\n"
                "  a: {type: rigid, mass: 1, inertia: 1, points: {end: [1, 0]}}\n"
                "  b: {type: rigid, mass: 1, inertia: 1, position: a.end, points: {end: [1, 0]}}\n"
                "joints:\n"
                "  foot: {type: revolute, on: [ground, a], at: [0, 0]}\n"
                "  knee: {type: revolute, on: [a, b], at: a.end}\n"
                "  head: {type: revolute, on: [b, ground], at: [b.end, [5, 0]]}\n"
                "simulate: {until: 1, method: generalized-alpha, step: 1e-2}\n"
                "outputs: {every: 0.1, signals: [a.angle]}\n");
    flexion("run open.yaml");
    CHECK_STATUS(2);
    CHECK(strstr(err, "'head'") || strstr(err, "'knee'") || strstr(err, "'foot'"));
    return 0;
}

static int info_and_language_speak(void)
{
    flexion("info");
    CHECK_STATUS(0);
    static const char *const words[] = {"flexion", "compiler", "HDF5",
                                        "libyaml", "OpenBLAS", "KLU",
                                        "AMD",     "radau",    "generalized-alpha"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) CHECK_TEXT(out, words[i]);
    flexion("language --schema s.json --reference r.md");
    CHECK_STATUS(0);
    CHECK(file_size("s.json") > 5000 && file_size("r.md") > 2000);
    flexion("language --schema none/s.json");
    CHECK_STATUS(2);
    return 0;
}

// Sections, kinds with their keys, keys: each of a section's kinds is told of, and every line fits a terminal but examples.
static int language_is_told(void)
{
    static const struct {
        const char *arguments, *words[5];
    } cases[] = {
        {"language", {"  analyse  ", "  joints  ", "  simulate  "}},
        {"language analyse", {"Analyses\n", "\n  linear  ", "\n  kinematics  ", "\n  inversion  "}},
        {"language kinematics",
         {"kinematics: analysis", "example: ik: {", "\n  want  ", "needed", "\n  posture  "}},
        {"language revolute", {"revolute: joint", "\n  at  "}},
        {"language outputs", {"Outputs\n", "\n  every  "}},
        {"language rtol", {"Simulation\n", "default: 1e-6"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        flexion(cases[i].arguments);
        CHECK_STATUS(0);
        for (int k = 0; k < 5 && cases[i].words[k]; k++) CHECK_TEXT(out, cases[i].words[k]);
        for (const char *line = out; *line;) {
            size_t n = strcspn(line, "\n");
            CHECK(n <= 100 || strncmp(line, "  example: ", 11) == 0);
            line += n + (line[n] != 0);
        }
    }
    flexion("language revolute pid");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "revolute: joint");
    CHECK_TEXT(out, "pid: controller");
    return 0;
}

TEST_MAIN(TEST(files_start), TEST(every_help_fits_a_screen_and_shows_an_example),
          TEST(misspelt_words_get_the_nearest_one), TEST(mistakes_in_a_model_show_their_line),
          TEST(what_is_not_available_yet_is_said), TEST(check_says_what_the_model_is_made_of),
          TEST(redundant_constraints_are_named), TEST(locked_mechanism_names_the_joint),
          TEST(closure_that_cannot_be_met_names_the_joint), TEST(info_and_language_speak),
          TEST(language_is_told), TEST(files_end))
