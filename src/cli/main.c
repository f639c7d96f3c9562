// main.c - finds the command and hands it its arguments.
#include "cli/cli.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <string.h>

static const cli_command *const commands[] = {
#define X(name) &cmd_##name,
    CLI_COMMANDS(X)
#undef X
};
#define N_COMMANDS ((int)(sizeof commands / sizeof commands[0]))

static void print_usage(FILE *f)
{
    fputs("flexion - simulate mechanisms. Usage: flexion COMMAND [ARGUMENTS], or --version\n\n", f);
    for (int i = 0; i < N_COMMANDS; i++) {
        if (commands[i]->seldom) continue;
        fprintf(f, "  %-14s %s\n", commands[i]->name, commands[i]->summary);
    }
    fputs("\nAlso:", f);
    for (int i = 0, n = 0, column = 5; i < N_COMMANDS; i++) {
        if (!commands[i]->seldom) continue;
        bool wraps = column + 2 + (int)strlen(commands[i]->name) > 78;
        if (wraps) column = 0;
        column += fprintf(f, "%s%s%s", n++ > 0 ? "," : "", wraps ? "\n" : " ", commands[i]->name);
    }
    fputs(". More: flexion help run.\n"
          "Example: flexion run examples/slider_crank.yaml\n"
          "Exit: 0 done, 1 a computation failed, 2 wrong input, 3 notes (with --strict).\n",
          f);
}

static const cli_command *find_command(const char *name)
{
    for (int i = 0; i < N_COMMANDS; i++) {
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    }
    return NULL;
}

static int complain_unknown(const char *word)
{
    const char *names[N_COMMANDS + 2];
    for (int i = 0; i < N_COMMANDS; i++) names[i] = commands[i]->name;
    names[N_COMMANDS] = "help";
    names[N_COMMANDS + 1] = "--version";
    const char *best = cli_nearest(word, N_COMMANDS + 2, names);
    const char *what = word[0] == '-' ? "option" : "command";
    if (best) {
        fprintf(stderr, "flexion: unknown %s '%s'; did you mean '%s'?\n", what, word, best);
    } else {
        fprintf(stderr, "flexion: unknown %s '%s'; see 'flexion --help'\n", what, word);
    }
    return EXIT_WRONG;
}

static int help(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        print_usage(stdout);
        return EXIT_DONE;
    }
    const cli_command *command = find_command(argv[1]);
    if (!command) return complain_unknown(argv[1]);
    fputs(command->help, stdout);
    return EXIT_DONE;
}

static int run_command(const cli_command *command, int argc, char **argv)
{
    flx_ctx *ctx = flx_ctx_create();
    if (!ctx) {
        fputs("flexion: out of memory\n", stderr);
        return EXIT_FAILED;
    }
    int code = cli_strict_status(ctx, command->run(ctx, argc, argv));
    flx_ctx_destroy(&ctx);
    cli_free_kept();
    return code;
}

// What was said must have arrived, also on a full disk: a part may have been refused long ago.
static int finish(int code)
{
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || code != EXIT_DONE) return code;
    fprintf(stderr, "flexion: cannot write to the standard output%s%s\n", errno ? ": " : "",
            errno ? strerror(errno) : "");
    return EXIT_FAILED;
}

static int start(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_WRONG;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return help(1, argv);
    if (strcmp(word, "help") == 0) return help(argc - 1, argv + 1);
    if (strcmp(word, "--version") == 0) {
        printf("flexion %s\n", flx_version());
        return EXIT_DONE;
    }
    const cli_command *command = find_command(word);
    if (!command) return complain_unknown(word);
    return run_command(command, argc - 1, argv + 1);
}

int cli_main(int argc, char **argv)
{
    // a file beyond the limit of the shell is an error with a message, as a full disk is
    (void)signal(SIGXFSZ, SIG_IGN);
    setlocale(LC_ALL, "C"); // whatever a library has chosen that was loaded with the program
    return finish(start(argc, argv));
}
