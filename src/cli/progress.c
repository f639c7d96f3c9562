// progress.c - a bar with the time to go on a terminal, nothing in a pipe; interrupts.
#include "cli/cli.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define BETWEEN 0.1  // seconds between two drawings
#define PATIENCE 0.4 // seconds before the first: short runs show none
#define WIDEST 100

static volatile sig_atomic_t interrupted;

static void note_interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

void cli_catch_interrupt(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_interrupt;
    sigemptyset(&action.sa_mask);
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool cli_was_interrupted(void)
{
    return interrupted != 0;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int terminal_width(void)
{
    struct winsize size;
    int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
    return width > WIDEST ? WIDEST : width;
}

void cli_progress_start(cli_progress *p, bool quiet)
{
    *p = (cli_progress){.shown = !quiet && isatty(STDERR_FILENO)};
    p->start = p->last = seconds();
}

static void write_duration(char *out, size_t size, double s)
{
    if (!(s < 359999.0)) {
        snprintf(out, size, "days");
    } else if (s < 60.0) {
        snprintf(out, size, "%.0f s", ceil(s));
    } else if (s < 3600.0) {
        snprintf(out, size, "%d min %02d s", (int)s / 60, (int)s % 60);
    } else {
        snprintf(out, size, "%d h %02d min", (int)s / 3600, (int)s / 60 % 60);
    }
}

static void draw(cli_progress *p, double now, double t, double until)
{
    double done = until > 0.0 ? fmin(fmax(t / until, 0.0), 1.0) : 0.0;
    char left[64] = "", tail[160], duration[32];
    if (done > 0.0) {
        write_duration(duration, sizeof duration, (now - p->start) * (1.0 - done) / done);
        snprintf(left, sizeof left, ", %s to go", duration);
    }
    int room = terminal_width() - 1;
    int n = snprintf(tail, sizeof tail, " %3d %%  t = %.4g of %.4g%s", (int)(100.0 * done), t,
                     until, left);
    int bar = room - n - 2, full = (int)(done * bar + 0.5);
    fputc('\r', stderr);
    if (bar >= 10) {
        fputc('[', stderr);
        for (int i = 0; i < bar; i++) fputc(i < full ? '=' : ' ', stderr);
        fputc(']', stderr);
    }
    fprintf(stderr, "%.*s", room, tail);
    p->drawn = room;
    fflush(stderr);
}

int cli_progress_update(void *progress, double t, double until)
{
    cli_progress *p = progress;
    if (p->shown) {
        double now = seconds();
        if (now - p->last >= BETWEEN && now - p->start >= PATIENCE) {
            draw(p, now, t, until);
            p->last = now;
        }
    }
    return interrupted != 0;
}

void cli_progress_end(cli_progress *p)
{
    if (p->drawn > 0) fprintf(stderr, "\r%*s\r", p->drawn, "");
    p->drawn = 0;
}
