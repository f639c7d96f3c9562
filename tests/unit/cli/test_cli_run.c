// test_cli_run.c - runs as a user meets them: files, options, failures, interrupts, a terminal.
#define _XOPEN_SOURCE 700 // a terminal of our own

#include "program.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

// A force that has no value after t = 0.5 ends the run there; the rows before are kept.
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

// A run that begins with a state of a result goes on as the run did that it is of.
static int run_begins_with_a_result(void)
{
    write_model("first.yaml", "flexion: 1\nparameters: {k: 9}\n"
                              "equations: {second_order: {x: {at: 1, force: -k*x}}}\n"
                              "simulate: {until: 2, method: dopri5, rtol: 1e-10, atol: 1e-12}\n"
                              "outputs: {every: 0.25, signals: [x, x']}\n");
    flexion("run first.yaml -q --states -o first.h5");
    CHECK_STATUS(0);
    flexion("run first.yaml -q --from first.h5@1.5 --until 2 -o second.h5 --csv -");
    CHECK_STATUS(0);
    const char *line = strrchr(out, '\n');
    while (line && line > out && line[-1] != '\n') line--;
    double t, x, v;
    CHECK(line && sscanf(line, "%lf,%lf,%lf", &t, &x, &v) == 3);
    CHECK_NEAR(t, 2.0, 1e-12);
    CHECK_NEAR(x, cos(6.0), 1e-8);
    CHECK_NEAR(v, -3.0 * sin(6.0), 1e-8);
    flexion("run first.yaml -q --from first.h5@2.5 --until 3 -o second.h5");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "2.5");
    flexion("run first.yaml -q --from none.h5@1 --until 3 -o second.h5");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "none.h5");
    return 0;
}

TEST_MAIN(TEST(files_start), TEST(run_begins_with_a_result),
          TEST(run_writes_its_files_and_ends_with_the_ledger),
          TEST(run_that_fails_its_ledger_says_so), TEST(run_takes_its_options),
          TEST(force_without_a_value_is_called_that), TEST(failed_run_keeps_what_it_computed),
          TEST(interrupt_keeps_the_results), TEST(killed_program_leaves_a_readable_file),
          TEST(terminal_shows_the_time_to_go), TEST(files_end))
