// test_cli.c - the program as a user meets it: exit status, messages, files, interrupts.
#define _XOPEN_SOURCE 700 // a terminal of our own

#include "check.h"
#include "flexion/flexion.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[64];

// What the last command did.
static int status;
static char out[1 << 16], err[1 << 16];

static void read_all(const char *name, char *text, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, size - 1, f) : 0;
    text[n] = '\0';
    if (f) fclose(f);
}

// Run "flexion ARGUMENTS" in the test's folder.
static void flexion(const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "cd %s && '%s' %s >out.txt 2>err.txt </dev/null", folder,
             FLX_PROGRAM, arguments);
    int code = system(command);
    status = WIFEXITED(code) ? WEXITSTATUS(code) : -1;
    read_all("out.txt", out, sizeof out);
    read_all("err.txt", err, sizeof err);
}

static void write_model(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0) abort();
    fclose(f);
}

static long file_size(const char *name)
{
    char path[128];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &info) == 0 ? (long)info.st_size : -1;
}

static void remove_file(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    remove(path);
}

// A result of the folder; NULL when it cannot be read.
static flx_result *result(flx_ctx *ctx, const char *name)
{
    char path[128];
    flx_result *r = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    flx_result_open(ctx, path, &r);
    return r;
}

#define CHECK_STATUS(expected)                                                                     \
    do {                                                                                           \
        if (status != (expected)) {                                                                \
            printf("%s:%d: exit status %d, expected %d\n%s%s", __FILE__, __LINE__, status,         \
                   (expected), out, err);                                                          \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static const char pendulum[] =
    "flexion: 1\n"
    "title: A pendulum\n"
    "dimension: 2\n"
    "parameters: {l: 0.8, m: 1.3}\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  rod: {type: rigid, mass: m, com: [l/2, 0], inertia: m*l^2/12, points: {end: [l, 0]}}\n"
    "joints:\n"
    "  hinge: {type: revolute, on: [ground, rod], at: [0, 0]}\n"
    "simulate: {until: 1, method: generalized-alpha, step: 1e-3}\n"
    "outputs:\n"
    "  every: 0.01\n"
    "  signals: [rod.end.position, hinge.angle, energy, constraints]\n"
    "  measures: {deepest: minimum(rod.end.position.y)}\n";

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
    static const char *const commands[] = {"run",      "check",   "plot",        "info",
                                           "language", "methods", "convergence", "work-precision",
                                           "compare",  "analyse", "reduce"};
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
        {"run m.yaml --until soon", "--until needs a positive number, not 'soon'"},
        {"run m.yaml --until -1", "--until needs a positive number"},
        {"check", "name a model file"},
        {"plot", "name a result file"},
        {"plot a.h5 t --size 9", "--size needs"},
        {"info now", "takes no arguments"},
        {"language", "name what to write"},
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
    char text[1024];
    snprintf(text, sizeof text, "%soptimise: {goal: 1}\n", pendulum);
    write_model("later.yaml", text);
    remove_file("later.h5");
    flexion("run later.yaml");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "not available yet");
    CHECK_TEXT(err, "optimise");
    CHECK_TEXT(err, "later.yaml:15:");
    CHECK(file_size("later.h5") < 0);
    flexion("check later.yaml");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "not available yet");
    CHECK_TEXT(out, "rod (rigid)");
    return 0;
}

// ---- run --------------------------------------------------------------------------------------

static int run_writes_its_files_and_ends_with_the_ledger(void)
{
    write_model("pendulum.yaml", pendulum);
    flexion("run pendulum.yaml --csv table.csv");
    CHECK_STATUS(0);
    CHECK(err[0] == '\0'); // no bar in a pipe, no notes
    CHECK(!strchr(out, '\r'));
    static const char *const words[] = {"A pendulum",
                                        "steps",
                                        "rejected",
                                        "evaluations",
                                        "factorisations",
                                        "time",
                                        "energy drift",
                                        "constraint residual",
                                        "hinge",
                                        "deepest",
                                        "pendulum.h5",
                                        "table.csv",
                                        "generalized-alpha"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) CHECK_TEXT(out, words[i]);

    char head[256];
    read_all("table.csv", head, sizeof head);
    CHECK(strncmp(head, "t,rod.end.position.x,rod.end.position.y,hinge.angle,energy.kinetic,",
                  67) == 0);

    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = result(ctx, "pendulum.h5"), *table = result(ctx, "table.csv");
    CHECK(r && table);
    CHECK(flx_result_complete(r));
    CHECK(flx_result_rows(r) == 101 && flx_result_rows(table) == 101);
    CHECK(flx_result_columns(r) == flx_result_columns(table));
    for (int c = 0; c < flx_result_columns(r); c++) {
        CHECK(strcmp(flx_result_name(r, c), flx_result_name(table, c)) == 0);
        for (int i = 0; i < 101; i++)
            CHECK(flx_result_column(r, c)[i] == flx_result_column(table, c)[i]);
    }
    CHECK_NEAR(flx_result_column(r, 0)[100], 1.0, 0.0);
    int angle;
    CHECK(flx_result_find(r, "hinge.angle", 1, &angle) == 1);
    CHECK(strcmp(flx_result_unit(r, angle), "rad") == 0);
    CHECK(flx_result_column(r, angle)[100] < -1.0); // it fell
    flx_result_close(&r);
    flx_result_close(&table);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A spring that explicit Euler blows up: done, and loud.
static int run_that_fails_its_ledger_says_so(void)
{
    static const char spring[] = "flexion: 1\n"
                                 "equations: {second_order: {x: {at: 1, force: -100*x}}}\n"
                                 "simulate: {until: 1, method: %s, step: 0.01}\n"
                                 "outputs: {every: 0.1, signals: [x]}\n";
    char text[512];
    snprintf(text, sizeof text, spring, "euler");
    write_model("spring.yaml", text);
    flexion("run spring.yaml");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "LEDGER                      FAILED");
    CHECK_TEXT(err, "fails its own ledger");
    flexion("run spring.yaml --quiet");
    CHECK_STATUS(0);
    CHECK_TEXT(err, "fails its own ledger");
    snprintf(text, sizeof text, spring, "radau");
    write_model("spring.yaml", text);
    flexion("run spring.yaml");
    CHECK_STATUS(0);
    CHECK(strstr(out, "LEDGER") == NULL && err[0] == '\0');
    return 0;
}

static int run_takes_its_options(void)
{
    write_model("pendulum.yaml", pendulum);
    remove_file("pendulum.h5");
    flexion("run -o other.h5 --set l=0.2 --set 'm=2*pi' --until=0.5 --quiet pendulum.yaml");
    CHECK_STATUS(0);
    CHECK(out[0] == '\0' && err[0] == '\0');
    CHECK(file_size("pendulum.h5") < 0);
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = result(ctx, "other.h5");
    int x;
    CHECK(r && flx_result_rows(r) == 51);
    CHECK(flx_result_find(r, "rod.end.position.x", 1, &x) == 1);
    CHECK_NEAR(flx_result_column(r, x)[0], 0.2, 1e-12);
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);

    // a model of another folder: the result is here
    const char *slash = strrchr(folder, '/');
    char command[256];
    snprintf(command, sizeof command, "run ../%s/pendulum.yaml --csv - --until 0.02",
             slash ? slash + 1 : folder);
    flexion(command);
    CHECK_STATUS(0);
    CHECK(strncmp(out, "t,rod.end", 9) == 0);
    CHECK(!strstr(out, "steps"));
    CHECK_TEXT(err, "steps");
    CHECK(file_size("pendulum.h5") > 0);

    flexion("run pendulum.yaml --set lenght=1");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "lenght");
    flexion("run pendulum.yaml -o none/x.h5");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "cannot create the result");
    flexion("run pendulum.yaml --csv none/x.csv");
    CHECK_STATUS(2);
    flexion("run pendulum.yaml --csv /dev/full");
    CHECK_STATUS(1);
    CHECK_TEXT(err, "No space left");
    return 0;
}

// A force that has no value after t = 0.5 ends the run there; the rows before are kept.
// A force without a value, or whose tangent has none, is not said to be a singular matrix.
static int force_without_a_value_is_called_that(void)
{
    static const char *const methods[] = {"dopri5", "radau", "generalized-alpha, step: 1e-3"};
    static const char *const values[] = {"sqrt(0.05 - t)", "sqrt(hinge.angle)"};
    for (int i = 0; i < 6; i++) {
        char text[1500];
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                 "bodies: {rod: {type: rigid, mass: 1, com: [1, 0], inertia: 1}}\n"
                 "joints: {hinge: {type: revolute, on: [ground, rod], at: [0, 0]}}\n"
                 "forces: {push: {type: torque, on: hinge, value: %s}}\n"
                 "simulate: {until: 1, method: %s}\n",
                 values[i / 3], methods[i % 3]);
        write_model("worthless.yaml", text);
        flexion("run worthless.yaml");
        CHECK_STATUS(1);
        CHECK_TEXT(err, "a value is not finite");
        CHECK_TEXT(err, "a root of a negative number");
    }
    return 0;
}

static int failed_run_keeps_what_it_computed(void)
{
    char text[1500];
    snprintf(text, sizeof text,
             "%sforces:\n  push: {type: torque, on: rod, value: sqrt(0.5 - t)}\n", pendulum);
    write_model("breaks.yaml", text);
    flexion("run breaks.yaml");
    CHECK_STATUS(1);
    CHECK_TEXT(err, "breaks.h5");
    CHECK_TEXT(err, "t = 0.5");
    CHECK_TEXT(out, "steps");
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = result(ctx, "breaks.h5");
    CHECK(r && flx_result_rows(r) >= 49 && flx_result_rows(r) <= 51);
    CHECK(!flx_result_complete(r));
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

// ---- interrupts and terminals ------------------------------------------------------------------

// The pendulum for a long time.
static pid_t start_long_run(int err_fd)
{
    pid_t child = fork();
    if (child != 0) return child;
    if (chdir(folder) != 0) _exit(3);
    int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(err_fd >= 0 ? err_fd : nowhere, STDERR_FILENO);
    execl(FLX_PROGRAM, "flexion", "run", "pendulum.yaml", "--until", "1e6", "-o", "long.h5",
          (char *)NULL);
    _exit(3);
}

static void pause_for(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&t, NULL);
}

static int rows_of_long_run(int complete)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = result(ctx, "long.h5");
    if (!r) printf("%s\n", flx_ctx_error(ctx, 0)->text);
    int rows = r && flx_result_complete(r) == complete ? flx_result_rows(r) : -1;
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return rows;
}

static void wait_for_file(const char *name)
{
    for (int i = 0; i < 2000 && file_size(name) <= 0; i++) pause_for(0.01);
}

static int stop_long_run(int signal_number, int *code)
{
    write_model("pendulum.yaml", pendulum);
    remove_file("long.h5");
    pid_t child = start_long_run(-1);
    CHECK(child > 0);
    wait_for_file("long.h5");
    pause_for(0.5);
    CHECK(kill(child, signal_number) == 0);
    CHECK(waitpid(child, code, 0) == child);
    return 0;
}

static int interrupt_keeps_the_results(void)
{
    int code = 0;
    if (stop_long_run(SIGINT, &code)) return 1;
    CHECK(WIFEXITED(code) && WEXITSTATUS(code) == 1);
    CHECK(rows_of_long_run(0) > 1);
    return 0;
}

static int killed_program_leaves_a_readable_file(void)
{
    int code = 0;
    if (stop_long_run(SIGKILL, &code)) return 1;
    CHECK(WIFSIGNALED(code));
    CHECK(rows_of_long_run(0) > 1);
    remove_file("long.h5");
    return 0;
}

static int terminal_shows_the_time_to_go(void)
{
    static char shown[1 << 14];
    size_t n = 0;
    write_model("pendulum.yaml", pendulum);
    if (access("/dev/pts/ptmx", F_OK) != 0) return 0; // a machine without terminals
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    CHECK(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    CHECK(slave >= 0);
    pid_t child = start_long_run(slave);
    CHECK(child > 0);
    close(slave);
    while (n < sizeof shown - 1 && !strstr(shown, "to go")) {
        ssize_t r = read(master, shown + n, sizeof shown - 1 - n);
        if (r <= 0) break;
        n += (size_t)r;
        shown[n] = '\0';
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(master);
    remove_file("long.h5");
    CHECK_TEXT(shown, "\r[");
    CHECK_TEXT(shown, " % ");
    CHECK_TEXT(shown, "to go");
    return 0;
}

// ---- check, plot, info, language ---------------------------------------------------------------

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
                " start: {rate: 1}}\n"
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
    CHECK_TEXT(err, "is not a result");
    flexion("plot none.h5 hinge.angle");
    CHECK_STATUS(2);
    flexion("plot pendulum.h5 hinge.angle -o a.gif");
    CHECK_STATUS(2);
    CHECK_TEXT(err, ".svg, .png or .pdf");
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
    CHECK_TEXT(err, "--from needs a time, not 'soon'");
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

static int reductions_are_certified(void)
{
    write_model("masses.yaml",
                "flexion: 1\n"
                "equations:\n"
                "  second_order:\n"
                "    a: {at: 0, mass: 0.005, force: \"-0.04*a' - 20*a + 10*b + 0.02*b'\"}\n"
                "    b: {at: 0.1, mass: 1, force: \"-0.02*(b' - a') - 10*(b - a) + 0.1\"}\n"
                "reduce: {type: quasistatic, velocities: auto}\n"
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
                              "reduce: {type: quasistatic, velocities: [a]}\n"
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

static int files_start(void)
{
    char command[256];
    snprintf(folder, sizeof folder, "test_cli_%ld", (long)getpid());
    snprintf(command, sizeof command, "rm -rf %s && mkdir %s", folder, folder);
    CHECK(system(command) == 0);
    return 0;
}

static int files_end(void)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(system(command) == 0);
    return 0;
}

TEST_MAIN(TEST(files_start), TEST(every_help_fits_a_screen_and_shows_an_example),
          TEST(misspelt_words_get_the_nearest_one), TEST(mistakes_in_a_model_show_their_line),
          TEST(what_is_not_available_yet_is_said),
          TEST(run_writes_its_files_and_ends_with_the_ledger),
          TEST(run_that_fails_its_ledger_says_so), TEST(run_takes_its_options),
          TEST(force_without_a_value_is_called_that), TEST(failed_run_keeps_what_it_computed),
          TEST(interrupt_keeps_the_results), TEST(killed_program_leaves_a_readable_file),
          TEST(terminal_shows_the_time_to_go), TEST(check_says_what_the_model_is_made_of),
          TEST(redundant_constraints_are_named), TEST(locked_mechanism_names_the_joint),
          TEST(closure_that_cannot_be_met_names_the_joint), TEST(plot_draws),
          TEST(info_and_language_speak), TEST(methods_are_told), TEST(methods_are_compared),
          TEST(results_are_compared), TEST(pages_are_written), TEST(reductions_are_certified),
          TEST(structures_keep_their_files), TEST(analysis_away_from_rest_shows_what_to_write),
          TEST(files_end))
