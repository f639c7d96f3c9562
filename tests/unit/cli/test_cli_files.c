// test_cli_files.c - what commands write: never onto what they read, whole or not at all, and with an
// exit status that tells.
#include "program.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char driven[] = "flexion: 1\n"
                             "dimension: 2\n"
                             "parameters: {k: 2}\n"
                             "functions: {p: {file: rates.csv}}\n"
                             "equations: {first_order: {x: {at: 0, derivative: k*p(t)}}}\n"
                             "simulate: {until: 1, rtol: 1e-6}\n"
                             "outputs: {every: 0.1, signals: [x]}\n"
                             "sweep: {parameters: {k: {from: 1, to: 2, count: 2}}}\n";
static const char rates[] = "t,p\n0,1\n0.5,2\n1,1\n";

static bool is_whole(const char *name, const char *text)
{
    static char now[1 << 16];
    read_all(name, now, sizeof now);
    return strcmp(now, text) == 0;
}

static bool has_leftovers(void)
{
    char command[256];
    snprintf(command, sizeof command, "ls %s | grep -q part$", folder);
    return system(command) == 0;
}

static int no_command_writes_onto_what_it_reads(void)
{
    static const char *const commands[] = {
        "run m.yaml -o m.yaml",
        "run m.yaml -o ./../$(basename $PWD)/m.yaml",
        "run m.yaml --csv m.yaml",
        "run m.yaml --csv link.yaml",
        "run m.yaml -o hard.yaml",
        "run m.yaml --csv rates.csv",
        "run m.yaml -o rates.csv.link",
        "sweep m.yaml --csv m.yaml",
        "sweep m.yaml --csv rates.csv",
        "compare m.yaml m.yaml --csv m.yaml",
        "compare m.yaml r.h5 --csv r.h5",
        "compare m.yaml m.yaml --csv rates.csv",
        "modes m.yaml --csv m.yaml",
        "export c pendulum.yaml -o pendulum.yaml",
        "export sid pendulum.yaml -o pendulum.yaml",
        "convergence m.yaml --methods radau --tolerances 1e-4:1e-5 --csv m.yaml",
        "view r.h5 -o r.h5",
        "report r.h5 -o r.h5",
        "view r.h5 r.csv -o r.csv",
        "plot r.csv x -o r.svg.csv",
        "plot r.svg x -o r.svg",
        "export vtk r.pvd -o r.pvd",
    };
    char before[1 << 16], command[512];
    write_model("m.yaml", driven);
    write_model("rates.csv", rates);
    write_model("pendulum.yaml", pendulum);
    flexion("run m.yaml -o r.h5 --csv r.csv");
    CHECK_STATUS(0);
    snprintf(command, sizeof command,
             "cd %s && ln -s m.yaml link.yaml && ln m.yaml hard.yaml && ln -s rates.csv "
             "rates.csv.link && cp r.csv r.svg.csv && cp r.csv r.svg && cp r.csv r.pvd && "
             "cp r.h5 kept.h5",
             folder);
    CHECK(system(command) == 0);
    read_all("r.csv", before, sizeof before);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        flexion(commands[i]);
        if (status == 0) printf("'%s' ended with status 0\n", commands[i]);
        CHECK(status != 0);
        if (!is_whole("m.yaml", driven) || !is_whole("rates.csv", rates) ||
            !is_whole("r.csv", before) || !is_whole("r.svg", before) ||
            !is_whole("pendulum.yaml", pendulum)) {
            printf("'%s' destroyed what it read\n", commands[i]);
            return 1;
        }
        snprintf(command, sizeof command, "cmp -s %s/r.h5 %s/kept.h5", folder, folder);
        CHECK(system(command) == 0);
        CHECK(!has_leftovers());
    }
    flexion("run m.yaml -o m.yaml");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "cannot write the result to 'm.yaml': this is a file that is read");
    return 0;
}

static int two_outputs_need_two_names(void)
{
    write_model("m.yaml", driven);
    remove_file("both.h5");
    flexion("run m.yaml -o both.h5 --csv ./both.h5");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "cannot write the table to './both.h5': the result goes there");
    CHECK(file_size("both.h5") == -1 && !has_leftovers());
    return 0;
}

static int results_of_before_are_replaced(void)
{
    struct stat info;
    char path[128];
    write_model("m.yaml", driven);
    flexion("run m.yaml -o again.h5 --csv again.csv");
    CHECK_STATUS(0);
    snprintf(path, sizeof path, "%s/again.csv", folder);
    CHECK(chmod(path, 0640) == 0);
    flexion("run m.yaml -o again.h5 --csv again.csv");
    CHECK_STATUS(0);
    CHECK(stat(path, &info) == 0 && (info.st_mode & 0777) == 0640);
    flexion("run m.yaml --csv - -o again.h5");
    CHECK_STATUS(0);
    CHECK(strncmp(out, "t,x\n0,0\n", 8) == 0);
    flexion("run m.yaml --csv /dev/null -o again.h5");
    CHECK_STATUS(0);
    return 0;
}

static int a_full_output_is_a_failure(void)
{
    static const char *const commands[] = {
        "run m.yaml -o full.h5 >/dev/full; echo $? >code.txt; true",
        "run m.yaml -o full.h5 --csv - >/dev/full; echo $? >code.txt; true",
        "check m.yaml >/dev/full; echo $? >code.txt; true",
        "info >/dev/full; echo $? >code.txt; true",
        "--help >/dev/full; echo $? >code.txt; true",
        "--version >/dev/full; echo $? >code.txt; true",
        "help run >/dev/full; echo $? >code.txt; true",
        "export c pendulum.yaml -o - >/dev/full; echo $? >code.txt; true",
    };
    char code[16];
    write_model("m.yaml", driven);
    write_model("pendulum.yaml", pendulum);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        flexion(commands[i]);
        read_all("code.txt", code, sizeof code);
        if (strcmp(code, "1\n") != 0) printf("'%s': %s", commands[i], code);
        CHECK(strcmp(code, "1\n") == 0);
    }
    return 0;
}

// Files may grow to so many blocks of 512 bytes: as a disk that is full, for everybody.
static int a_full_disk_ends_the_program_in_order(void)
{
    static const int blocks[] = {1, 2, 4, 8, 16, 24, 40, 80};
    write_model("m.yaml", driven);
    remove_file("small.h5");
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        struct rlimit old, now;
        CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0);
        now = old;
        now.rlim_cur = 512 * (rlim_t)blocks[i];
        signal(SIGXFSZ, SIG_IGN);
        CHECK(setrlimit(RLIMIT_FSIZE, &now) == 0);
        flexion("run m.yaml -o small.h5 --quiet");
        CHECK(setrlimit(RLIMIT_FSIZE, &old) == 0);
        if (status == 0) { // it had room enough
            CHECK(i > 3);
            break;
        }
        CHECK_STATUS(1);
        CHECK(strstr(err, "HDF5") == NULL);
        CHECK_TEXT(err, "cannot write the result 'small.h5': File too large");
        CHECK(!has_leftovers());
    }
    return 0;
}

// The limit of the shell, whose signal ends other programs without a word; also where an early part of a file was not taken.
static int limits_of_files_are_told(void)
{
    static const char *const commands[] = {"run m.yaml -o limited.h5", "view m.h5 -o limited.html",
                                           "report m.h5 -o limited.html"};
    write_model("m.yaml", driven);
    flexion("run m.yaml -o m.h5");
    CHECK_STATUS(0);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        struct rlimit old, now;
        CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0);
        now = old;
        now.rlim_cur = 2048;
        signal(SIGXFSZ, SIG_DFL);
        CHECK(setrlimit(RLIMIT_FSIZE, &now) == 0);
        flexion(commands[i]);
        CHECK(setrlimit(RLIMIT_FSIZE, &old) == 0);
        CHECK(status == 1 || status == 2);
        CHECK_TEXT(err, "File too large");
        CHECK(!has_leftovers());
    }
    return 0;
}

static int strict_makes_notes_and_failed_ledgers_count(void)
{
    // the table ends before the run does, which is worth a note
    static const char coarse[] = "flexion: 1\n"
                                 "dimension: 2\n"
                                 "gravity: [0, -9.81]\n"
                                 "bodies:\n"
                                 "  rod: {type: rigid, mass: 1, com: [0.5, 0], inertia: 0.1}\n"
                                 "joints:\n"
                                 "  hinge: {type: revolute, on: [ground, rod], at: [0, 0]}\n"
                                 "simulate: {until: 2, method: implicit-euler, step: 0.05}\n"
                                 "outputs: {every: 0.1, signals: [hinge.angle]}\n";
    write_model("coarse.yaml", coarse);
    flexion("run coarse.yaml");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "FAILED");
    flexion("run coarse.yaml --strict");
    CHECK_STATUS(3);
    flexion("run --strict coarse.yaml --quiet");
    CHECK_STATUS(3);
    flexion("compare coarse.yaml coarse.yaml --strict");
    CHECK_STATUS(3);
    flexion("plot coarse.h5 --strict");
    CHECK_STATUS(3);
    flexion("plot coarse.h5");
    CHECK_STATUS(0);
    write_model("pendulum.yaml", pendulum);
    flexion("run pendulum.yaml --strict");
    CHECK_STATUS(0);
    flexion("run pendulum.yaml --strikt");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "did you mean '--strict'?");
    return 0;
}

static int names_are_escaped_in_series(void)
{
    char text[4096];
    write_model("pendulum.yaml", pendulum);
    flexion("run pendulum.yaml --quiet");
    flexion("export vtk pendulum.h5 --frames 2 -o 'a&b<c>\"d.pvd'");
    CHECK_STATUS(0);
    read_all("a&b<c>\"d.pvd", text, sizeof text);
    CHECK_TEXT(text, "file=\"a&#38;b&#60;c&#62;&#34;d/");
    CHECK(!strstr(text, "a&b"));
    return 0;
}

static int particles_alone_are_exported(void)
{
    write_model(
        "grain.yaml",
        "flexion: 1\nparticles: {g: {positions: [[0, 0, 0.1]], velocity: [1, 0, 0], radius: "
        "0.01, density: 2500, material: {E: 1e6, nu: 0.3}, exchange: 1e-3}}\n"
        "simulate: {until: 0.1}\n"
        "outputs: {every: 0.1, signals: [g.count], particles: {every: 0.02}}\n");
    flexion("run grain.yaml --quiet -o grain.h5");
    CHECK_STATUS(0);
    flexion("export vtk grain.h5 -o grain.pvd");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "grain.pvd  6 of 6 frames of particles");
    return 0;
}

static int wrong_files_are_called_by_their_name(void)
{
    write_model("pendulum.yaml", pendulum);
    flexion("plot pendulum.yaml hinge.angle");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "'pendulum.yaml' is a model, not a result; run it first: flexion run");
    write_model("german.csv", "t,x\n0,1\n\"0,5\",2\n");
    flexion("plot german.csv x");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "german.csv:3: '0,5' has a decimal comma");
    write_model("german.csv", "t;x\n0,5;1\n");
    flexion("plot german.csv x");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "separated by semicolons");
    flexion("run pendulum.yaml --until 0,5");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "--until needs a positive number, not '0,5'; numbers are written with a point");
    return 0;
}

// Old words: one note, the same rows as with the new ones, and files that are rewritten where that is asked for.
static int a_model_is_upgraded(void)
{
    static const char old[] = "flexion: 1 # measures\n"
                              "bodies: {b: {type: point, mass: 1, velocity: [1, 0, 0]}}\n"
                              "parts: {p: {model: old_part.yaml}}\n"
                              "simulate: {until: 1,  rtol: 1e-6, first_step: 1e-3}\n"
                              "outputs: {every: 0.1, signals: [b.position, p.c.position],\n"
                              "  measures: {far: final(b.position.x)}}\n";
    static const char now[] = "flexion: 1 # measures\n"
                              "bodies: {b: {type: point, mass: 1, velocity: [1, 0, 0]}}\n"
                              "parts: {p: {model: old_part.yaml}}\n"
                              "simulate: {until: 1,  rtol: 1e-6, initial_step: 1e-3}\n"
                              "outputs: {every: 0.1, signals: [b.position, p.c.position],\n"
                              "  metrics: {far: final(b.position.x)}}\n";
    static const char part[] = "functions: {f: {points: [[0, 1], [1, 2]], outside: hold}}\n"
                               "bodies: {c: {type: point, mass: f(2), velocity: [0, 1, 0]}}\n";
    static char rows[1 << 16];
    write_model("old.yaml", old);
    write_model("old_part.yaml", part);
    flexion("run old.yaml --csv old.csv");
    CHECK_STATUS(0);
    CHECK_TEXT(err, "old.yaml: note: words of older versions: 'first_step' (line 4) is now "
                    "'initial_step', 'measures' (line 6) is now 'metrics'");
    CHECK_TEXT(err, "old_part.yaml: note: words of older versions: 'outside' (line 1)");
    read_all("old.csv", rows, sizeof rows);
    flexion("upgrade old.yaml");
    CHECK_STATUS(0);
    CHECK(strcmp(out, now) == 0 && is_whole("old.yaml", old));
    CHECK_TEXT(err, "old.yaml:4:35: 'first_step' is now 'initial_step'");
    flexion("upgrade old.yaml -o old.yaml");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "this is a file that is read");
    CHECK(is_whole("old.yaml", old));
    flexion("upgrade old.yaml -o x.yaml --in-place");
    CHECK_STATUS(2);
    flexion("upgrade old.yaml -o new.yaml");
    CHECK_STATUS(0);
    CHECK(is_whole("new.yaml", now) && is_whole("old_part.yaml", part));
    CHECK_TEXT(out, "old_part.yaml: a file of a part, with old words");
    flexion("upgrade old.yaml --in-place");
    CHECK_STATUS(0);
    CHECK(is_whole("old.yaml", now) && !is_whole("old_part.yaml", part));
    flexion("upgrade old.yaml --in-place");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "old.yaml: no old words");
    flexion("run old.yaml --csv new.csv --strict");
    CHECK_STATUS(0);
    CHECK(is_whole("new.csv", rows) && !strstr(err, "older"));
    CHECK(!has_leftovers());
    return 0;
}

TEST_MAIN(TEST(files_start), TEST(no_command_writes_onto_what_it_reads),
          TEST(two_outputs_need_two_names), TEST(results_of_before_are_replaced),
          TEST(a_full_output_is_a_failure), TEST(a_full_disk_ends_the_program_in_order),
          TEST(limits_of_files_are_told), TEST(strict_makes_notes_and_failed_ledgers_count),
          TEST(names_are_escaped_in_series), TEST(particles_alone_are_exported),
          TEST(wrong_files_are_called_by_their_name), TEST(a_model_is_upgraded), TEST(files_end))
