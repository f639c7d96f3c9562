// cli.h - what the commands of the program share. The program is a user of the library: it sees
// the public headers alone.
#pragma once

#include "flexion/flexion.h"

#include <stdbool.h>
#include <stdio.h>

// Exit status of every command.
enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1, // the computation failed; what was computed is kept
    EXIT_WRONG = 2,  // the input is wrong
    EXIT_DOUBT = 3,  // with --strict: done, but there were notes, or a ledger failed
};

// Of a command that makes one file of another.
static inline int cli_exit_of(flx_status status)
{
    if (status == FLX_OK) return EXIT_DONE;
    return status == FLX_ERR_ARGUMENT || status == FLX_ERR_IO ? EXIT_WRONG : EXIT_FAILED;
}

// ---- commands --------------------------------------------------------------------------------

typedef struct cli_command {
    const char *name;
    const char *summary; // one line
    bool seldom;         // the list of commands names it alone, so that it fits a screen
    const char *help;    // at most 24 lines of 80 columns, with an example
    int (*run)(flx_ctx *ctx, int argc, char **argv); // argv[0]: the command's name
} cli_command;

// Every command; its line in this list is all the program needs to offer it.
#define CLI_COMMANDS(X)                                                                            \
    X(new)                                                                                         \
    X(run)                                                                                         \
    X(check)                                                                                       \
    X(plot)                                                                                        \
    X(spectrum)                                                                                    \
    X(view)                                                                                        \
    X(studio)                                                                                      \
    X(report)                                                                                      \
    X(analyse)                                                                                     \
    X(static)                                                                                      \
    X(modes)                                                                                       \
    X(sweep)                                                                                       \
    X(optimise)                                                                                    \
    X(reduce)                                                                                      \
    X(compare)                                                                                     \
    X(export)                                                                                      \
    X(import)                                                                                      \
    X(fmu)                                                                                         \
    X(fe)                                                                                          \
    X(methods)                                                                                     \
    X(convergence)                                                                                 \
    X(work_precision)                                                                              \
    X(info)                                                                                        \
    X(language)                                                                                    \
    X(completion)                                                                                  \
    X(upgrade)

#define X(name) extern const cli_command cmd_##name;
CLI_COMMANDS(X)
#undef X

int cli_main(int argc, char **argv); // the whole program, but for its main function

// ---- arguments -------------------------------------------------------------------------------

// An option of a command: a flag, a value, or a value that may come several times.
typedef struct cli_option {
    const char *name; // "--csv"
    char letter;      // 'o' for -o; 0: none
    bool *flag;       // one of these three
    const char **value;
    struct cli_list *list;
} cli_option;

typedef struct cli_list {
    int count;
    const char **items;
} cli_list;

typedef enum cli_parsed {
    CLI_GO = -1,          // the arguments are in place; the others are the exit status
    CLI_DONE = EXIT_DONE, // help was asked and given
    CLI_FAILED = EXIT_FAILED,
    CLI_WRONG = EXIT_WRONG, // a message was printed
} cli_parsed;

// Sort argv into options and the rest. What these functions hand out lives as long as the command.
cli_parsed cli_parse(const cli_command *command, int argc, char **argv, int noption,
                     const cli_option *options, cli_list *rest);

// Whether the rest is one model, one result; else that is said.
bool cli_is_one_model(const cli_command *command, const cli_list *rest);
bool cli_is_one_result(const cli_command *command, const cli_list *rest);

// A number, or a positive one; false: it is none, which was said. No text: nothing happens.
bool cli_read_number(const char *command, const char *option, const char *text, double *out);
bool cli_read_positive(const char *command, const char *option, const char *text, double *out);

// Width and height in pixels, as "900x500".
bool cli_read_size(const char *command, const char *text, int *width, int *height);

// A whole number from 1 on; false: it is none, which was said.
bool cli_read_count(const char *command, const char *option, const char *text, int *out);

// --ranks: this command again, by as many processes of flexion-fe-mpi; returns only where they cannot be started.
int cli_start_ranks(const char *ranks, int argc, char **argv);

// --strict, which every command takes: whether it was given; that a result is doubtful; and what the
// exit status of a command becomes.
bool cli_is_strict(void);
void cli_doubt(void);
int cli_strict_status(const flx_ctx *ctx, int code);

// The candidate nearest to a misspelt word; NULL when none is near.
const char *cli_nearest(const char *word, int n, const char *const *candidates);

// A file in the current folder named after another: "models/crank.yaml", ".h5" gives "crank.h5".
// NULL: no memory.
const char *cli_named_after(const char *path, const char *ending);

// Whether -o may have this name (NULL: it was not given): results are HDF5, and a table has --csv. false: which was said.
bool cli_is_result_name(const char *command, const char *name);
// Whether this build writes HDF5; without it results are tables.
bool cli_has_hdf5(void);

// The pieces of a list "a,b(1,2),c", cut at commas that are not in brackets; text may be NULL.
// false: no memory.
bool cli_split(const char *text, cli_list *list);

// Free what the functions above handed out.
void cli_free_kept(void);

// ---- messages --------------------------------------------------------------------------------

// Errors and warnings of the context in the style of compilers, on stderr:
//     crank.yaml:3:9: error: unknown key 'lenght'; did you mean 'length'?
//         3 | lenght: 0.83
//           | ^
void cli_print_structure(const flx_fe_problem *p); // its size and its mass

// fe_response.c: options of flexion fe response; NULL: not given.
typedef struct cli_response {
    const cli_list *inputs, *outputs;
    const char *from, *to, *count, *spacing, *csv, *picture;
    bool direct;
} cli_response;
flx_status cli_respond(flx_ctx *ctx, flx_fe_problem *p, const cli_response *o, const char *title);
void cli_print_errors(const flx_ctx *ctx);
void cli_print_warnings(const flx_ctx *ctx, int first); // from the first to the last

// As flx_result_open; a result that fails its ledger is doubtful.
flx_status cli_open_result(flx_ctx *ctx, const char *path, flx_result **r);

// What the program itself finds wrong.
void cli_complain(const char *command, const char *format, ...) FLX_PRINTF(2, 3);

// ---- progress --------------------------------------------------------------------------------

typedef struct cli_progress {
    bool shown; // stderr is a terminal, and nobody asked for quiet
    double start, last;
    int drawn; // columns of the bar on the screen
} cli_progress;

void cli_progress_start(cli_progress *p, bool quiet);
// A flx_progress_callback; stops the run after an interrupt.
int cli_progress_update(void *progress, double t, double until);
void cli_progress_end(cli_progress *p);
// From now on an interrupt asks the run to stop; a second one stops the program.
void cli_catch_interrupt(void);
bool cli_was_interrupted(void);
