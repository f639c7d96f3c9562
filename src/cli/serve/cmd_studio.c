// cmd_studio.c - flexion studio: the workbench in the browser.
#include "cli/cli.h"
#include "studio/studio.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help_text[] =
    "Usage: flexion studio [MODEL] [OPTIONS]\n"
    "\n"
    "The workbench: a page in the browser of this machine with the model as text and\n"
    "as a tree of items, the mechanism redrawn while one types, runs that play, and\n"
    "live runs that sliders, keys and the mouse drive. All goes into the model file,\n"
    "whose comments and layout stay. Without MODEL, or where there is none of this\n"
    "name, a new one is begun, which is written when it is saved.\n"
    "\n"
    "The address has a secret part: who does not know it is refused. Nothing comes\n"
    "from the network, and nobody from outside can reach the page. Ctrl-C ends.\n"
    "\n"
    "  --port N      port; default: any that is free\n"
    "  --no-browser  print the address alone; else a browser is opened there\n"
    "\n"
    "Example:\n"
    "  flexion studio examples/slider_crank.yaml\n"
    "\n"
    "Exit status: 0 ended, 1 the page cannot be served, 2 the input is wrong.\n";

#define TURN 200 // milliseconds

static bool read_port(const char *text, int *port)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (*text && !*end && n >= 1 && n <= 65535) {
        *port = (int)n;
        return true;
    }
    cli_complain("studio", "--port needs a number from 1 to 65535, not '%s'", text);
    return false;
}

// The desktop's own way; where there is none the address is printed anyway.
static void open_browser(const char *address)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        if (fork() == 0) {
            if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(0);
            execlp("xdg-open", "xdg-open", address, (char *)NULL);
        }
        _exit(0);
    }
    if (pid > 0) waitpid(pid, NULL, 0);
}

static int serve(flx_ctx *ctx, const flx_studio_def *def, bool quiet)
{
    flx_studio *s;
    flx_status status = flx_studio_open(ctx, def, &s);
    if (status != FLX_OK) {
        cli_print_errors(ctx);
        return EXIT_FAILED;
    }
    cli_catch_interrupt();
    printf("%s  (Ctrl-C ends)\n", flx_studio_address(s));
    fflush(stdout);
    if (!quiet && getenv("DISPLAY")) open_browser(flx_studio_address(s));
    while (!cli_was_interrupted()) flx_studio_turn(s, TURN);
    flx_studio_close(&s);
    return EXIT_DONE;
}

// errno: why not.
static bool is_file(const char *path)
{
    struct stat s;
    if (stat(path, &s) != 0) return false;
    errno = S_ISDIR(s.st_mode) ? EISDIR : 0;
    return errno == 0 && access(path, R_OK) == 0;
}

// A model that can be begun: there is none of this name, but its folder is there. errno: why not.
static bool is_new(const char *path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    char folder[1024];
    if (errno != ENOENT || !dot || (strcmp(dot, ".yaml") != 0 && strcmp(dot, ".yml") != 0)) {
        return false;
    }
    if (!slash) return true;
    size_t n = slash > path ? (size_t)(slash - path) : 1;
    if (n >= sizeof folder) return false;
    memcpy(folder, path, n);
    folder[n] = '\0';
    return access(folder, X_OK) == 0;
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    cli_list rest = {0};
    flx_studio_def def = {0};
    const char *port = NULL;
    bool quiet = false;
    const cli_option options[] = {
        {.name = "--port", .value = &port},
        {.name = "--no-browser", .flag = &quiet},
    };
    cli_parsed parsed = cli_parse(&cmd_studio, argc, argv, 2, options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if (port && !read_port(port, &def.port)) return EXIT_WRONG;
    if (rest.count > 1) {
        cli_complain("studio", "one model at a time, not '%s' too", rest.items[1]);
        return EXIT_WRONG;
    }
    if (rest.count == 1 && !is_file(rest.items[0]) && !is_new(rest.items[0])) {
        cli_complain("studio", "'%s' cannot be read: %s", rest.items[0], strerror(errno));
        return EXIT_WRONG;
    }
    def.path = rest.count == 1 ? rest.items[0] : NULL;
    return serve(ctx, &def, quiet);
}

const cli_command cmd_studio = {
    .name = "studio",
    .summary = "the workbench in the browser: edit, run and play a model",
    .help = help_text,
    .run = run,
};
