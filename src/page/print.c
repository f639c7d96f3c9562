// print.c - a page of HTML as a PDF file, by Chromium without a window.
#include "page/print.h"
#include "base/letters.h"
#include "base/number.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECONDS 120 // that a browser may take
#define PATH_LENGTH 4096
#define WAIT 50 // milliseconds between two looks

extern char **environ;

static void put_plain(flx_text *t, const char *path)
{
    for (const char *p = path; *p; p++) {
        bool plain = flx_is_letter(*p) || flx_is_digit(*p) || strchr("/._-", *p);
        if (plain) {
            flx_text_put_bytes(t, p, 1);
        } else {
            flx_text_print(t, "%%%02X", (unsigned char)*p);
        }
    }
}

// The address of a file: its whole path, with all that is not plain escaped.
static flx_status put_address(flx_text *t, const char *path)
{
    char folder[PATH_LENGTH] = "";
    if (path[0] != '/' && !getcwd(folder, sizeof folder)) {
        return FLX_FAIL(t->ctx, FLX_ERR_IO, FLX_NOWHERE, "the current folder cannot be found: %s",
                        flx_error_text(errno));
    }
    flx_text_put(t, "file://");
    put_plain(t, folder);
    if (folder[0]) flx_text_put(t, "/");
    put_plain(t, path);
    return t->failed ? FLX_ERR_MEMORY : FLX_OK;
}

// Starts the program quietly; errno's number, 0: it runs.
static int start(const char *program, char *const argv[], pid_t *pid)
{
    posix_spawn_file_actions_t files;
    int e = posix_spawn_file_actions_init(&files);
    if (e != 0) return e;
    e = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    for (int fd = STDOUT_FILENO; e == 0 && fd <= STDERR_FILENO; fd++) {
        e = posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_WRONLY, 0);
    }
    if (e == 0) e = posix_spawnp(pid, program, &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    return e;
}

// Its exit status; -1: it fell, or did not end in time and was ended.
static int await(pid_t pid)
{
    const struct timespec nap = {0, WAIT * 1000000L};
    for (int i = 0; i < SECONDS * 1000 / WAIT; i++) {
        int status = 0;
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid) return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        if (ended < 0 && errno != EINTR) return -1;
        nanosleep(&nap, NULL);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return -1;
}

static flx_status print_by(flx_ctx *ctx, const char *program, const char *address, const char *pdf,
                           bool *found)
{
    flx_text to;
    pid_t pid = 0;
    flx_text_start(&to, ctx);
    flx_text_print(&to, "--print-to-pdf=%s", pdf);
    if (to.failed) return FLX_ERR_MEMORY;
    // Chromium refuses to run as root with its sandbox; the page is our own
    char *argv[] = {(char *)program,
                    "--headless",
                    "--disable-gpu",
                    "--no-first-run",
                    "--no-pdf-header-footer",
                    "--disable-background-networking",
                    to.data,
                    geteuid() == 0 ? "--no-sandbox" : "--disable-sync",
                    (char *)address,
                    NULL};
    int e = start(program, argv, &pid);
    int code = e == 0 ? await(pid) : 127;
    flx_text_clear(&to);
    *found = e != ENOENT && e != EACCES && code != 127;
    struct stat info;
    if (e == 0 && code == 0 && stat(pdf, &info) == 0 && info.st_size > 0) return FLX_OK;
    if (!*found) return FLX_ERR_UNAVAILABLE;
    return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE, "'%s' could not print to '%s': %s", program, pdf,
                    e != 0 ? flx_error_text(e) : "it failed or took too long");
}

flx_status flx_print_pdf(flx_ctx *ctx, const char *html, const char *pdf)
{
    static const char *const browsers[] = {"chromium", "chromium-browser", "google-chrome",
                                           "google-chrome-stable"};
    const char *own = getenv("FLEXION_BROWSER");
    flx_text address;
    flx_text_start(&address, ctx);
    bool found = false;
    flx_status status = put_address(&address, html);
    if (status == FLX_OK && own && own[0]) {
        status = print_by(ctx, own, address.data, pdf, &found);
    } else if (status == FLX_OK) {
        for (size_t i = 0; i < sizeof browsers / sizeof browsers[0] && !found; i++) {
            status = print_by(ctx, browsers[i], address.data, pdf, &found);
        }
    }
    flx_text_clear(&address);
    if (status != FLX_ERR_UNAVAILABLE) return status;
    return FLX_FAIL(ctx, status, FLX_NOWHERE,
                    "printing to PDF needs %s, which was not found; install Chromium (Debian: "
                    "apt-get install chromium), or print the page of HTML with any browser",
                    own && own[0] ? own : "the browser Chromium");
}
