// job.c - processes that work for the server (job.h). Messages are a line "NAME LENGTH", then the bytes.
#include "studio/job.h"
#include "base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST ((size_t)96 << 20) // bytes of a message
#define BLOCK 65536

// ---- the process that works -----------------------------------------------------------------------

static void put(flx_desk *d, const char *bytes, size_t n)
{
    while (n > 0 && !d->alone) {
        ssize_t w = write(d->tell, bytes, n);
        if (w < 0 && errno == EINTR) continue;
        if (w < 0) {
            d->alone = true;
            return;
        }
        bytes += w;
        n -= (size_t)w;
    }
}

void flx_desk_tell(flx_desk *d, const char *name, const char *bytes, size_t n)
{
    char line[64];
    int length = flx_snprintf(line, sizeof line, "%s %zu\n", name, n);
    put(d, line, (size_t)length);
    put(d, bytes, n);
}

// A whole line of what was heard, taken from it. NULL: there is none.
static const char *take_line(flx_desk *d)
{
    static char line[sizeof d->line];
    char *end = memchr(d->line, '\n', d->heard);
    if (!end) return NULL;
    size_t n = (size_t)(end - d->line);
    memcpy(line, d->line, n);
    line[n] = '\0';
    d->heard -= n + 1;
    memmove(d->line, end + 1, d->heard);
    return line;
}

const char *flx_desk_hear(flx_desk *d, int milliseconds)
{
    const char *line = take_line(d);
    struct pollfd p = {.fd = d->hear, .events = POLLIN};
    if (line || d->alone || poll(&p, 1, milliseconds) <= 0) return line;
    ssize_t r = read(d->hear, d->line + d->heard, sizeof d->line - d->heard);
    if (r == 0 || (r < 0 && errno != EINTR)) d->alone = true;
    if (r > 0) d->heard += (size_t)r;
    return take_line(d);
}

// ---- the server -----------------------------------------------------------------------------------

static void begin(flx_http *h, int hear, int tell, flx_work_function work, void *user)
{
    flx_desk d = {.hear = hear, .tell = tell};
    flx_http_forget(h);
    signal(SIGINT, SIG_IGN); // the server ends it
    work(&d, user);
    _exit(0);
}

bool flx_job_start(flx_job *j, flx_http *h, flx_work_function work, void *user)
{
    int to[2], from[2];
    flx_job_end(j);
    if (pipe(to) != 0) return false;
    if (pipe(from) != 0) {
        close(to[0]);
        close(to[1]);
        return false;
    }
    signal(SIGPIPE, SIG_IGN); // either may end while the other tells it something
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(to[1]);
        close(from[0]);
        begin(h, to[0], from[1], work, user);
    }
    close(to[0]);
    close(from[1]);
    j->pid = pid > 0 ? pid : 0;
    j->hear = from[0];
    j->tell = to[1];
    fcntl(j->hear, F_SETFL, O_NONBLOCK);
    fcntl(j->tell, F_SETFL, O_NONBLOCK);
    fcntl(j->hear, F_SETFD, FD_CLOEXEC);
    fcntl(j->tell, F_SETFD, FD_CLOEXEC);
    if (pid > 0) return true;
    close(j->hear);
    close(j->tell);
    return false;
}

bool flx_job_tell(flx_job *j, const char *line)
{
    size_t n = strlen(line);
    return j->pid > 0 && write(j->tell, line, n) == (ssize_t)n;
}

// The messages that are whole, each told; the rest is kept. false: this is no message.
static bool take_messages(flx_job *j,
                          void (*told)(void *user, const char *name, const char *bytes, size_t n),
                          void *user)
{
    size_t at = 0;
    while (j->used > at) {
        char *line = j->data + at, *end = memchr(line, '\n', j->used - at), *space;
        if (!end) break;
        *end = '\0';
        space = strchr(line, ' ');
        if (!space) return false;
        size_t n = (size_t)strtoull(space + 1, NULL, 10), head = (size_t)(end + 1 - line);
        if (n > MOST) return false;
        if (j->used - at < head + n) {
            *end = '\n';
            break;
        }
        *space = '\0';
        told(user, line, end + 1, n);
        if (j->pid == 0) return true; // it was ended by what it told
        at += head + n;
    }
    memmove(j->data, j->data + at, j->used - at);
    j->used -= at;
    return true;
}

bool flx_job_listen(flx_job *j,
                    void (*told)(void *user, const char *name, const char *bytes, size_t n),
                    void *user)
{
    for (int i = 0; i < 64 && j->pid > 0; i++) { // others have their turn, too
        if (j->room - j->used < BLOCK) {
            size_t room = 2 * j->room + BLOCK;
            char *data = room <= 2 * MOST ? realloc(j->data, room) : NULL;
            if (!data) return false;
            j->data = data;
            j->room = room;
        }
        ssize_t r = read(j->hear, j->data + j->used, BLOCK);
        if (r < 0 && (errno == EAGAIN || errno == EINTR)) return true;
        if (r <= 0) return false;
        j->used += (size_t)r;
        if (!take_messages(j, told, user)) return false;
    }
    return true;
}

void flx_job_end(flx_job *j)
{
    if (j->pid > 0) {
        kill(j->pid, SIGKILL);
        waitpid(j->pid, NULL, 0);
        close(j->hear);
        close(j->tell);
    }
    free(j->data);
    *j = (flx_job){0};
}
