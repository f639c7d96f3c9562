// serve.c - one file, given to browsers of this machine: enough of HTTP/1.0 for that, and nobody from
// outside. Requests are answered side by side: one that waits holds up no other. A name that is not
// this machine's is refused: the browser may have been led here by a page of the network that calls
// this address its own (DNS rebinding), and would hand it what it reads.
#include "cli/serve.h"
#include "cli/cli.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 5.0 // seconds a browser may take to ask, or to take a part of the answer
#define TURN 200     // milliseconds between looks for an interrupt
#define REQUEST 16384
#define BLOCK 65536
#define GUESTS 32

// A connection: asking, then taking what is in the block, then the rest of the file.
typedef struct guest {
    int fd; // -1: free
    double since;
    char request[REQUEST];
    size_t asked;
    char block[BLOCK];
    size_t from, to; // of the block, not yet taken
    FILE *file;      // NULL: the block is all
    bool answered;
} guest;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void leave(guest *g)
{
    if (g->fd >= 0) close(g->fd);
    if (g->file) fclose(g->file);
    g->fd = -1;
    g->file = NULL;
}

// ---- the answer ---------------------------------------------------------------------------------

static void refuse(guest *g, const char *status)
{
    int n = snprintf(g->block, sizeof g->block,
                     "HTTP/1.0 %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n\r\n%s\n",
                     status, strlen(status) + 1, status);
    g->to = (size_t)n;
}

static void give_file(guest *g, const char *path, bool body)
{
    FILE *f = fopen(path, "rb");
    long size = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    if (size < 0 || fseek(f, 0, SEEK_SET) != 0) {
        if (f) fclose(f);
        refuse(g, "404 Not Found");
        return;
    }
    int n = snprintf(g->block, sizeof g->block,
                     "HTTP/1.0 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
                     "Content-Length: %ld\r\nCache-Control: no-store\r\n"
                     "Cross-Origin-Resource-Policy: same-origin\r\n\r\n",
                     size);
    g->to = (size_t)n;
    if (body) {
        g->file = f;
    } else {
        fclose(f);
    }
}

// The text of a header without blanks around it; *length: 0 when it is missing, or there twice.
static const char *find_header(const char *request, const char *name, size_t *length)
{
    const char *found = NULL;
    size_t n = strlen(name);
    *length = 0;
    for (const char *line = request; (line = strstr(line, "\r\n")) != NULL;) {
        line += 2;
        if (strncasecmp(line, name, n) != 0 || line[n] != ':') continue;
        if (found) {
            *length = 0;
            return found;
        }
        found = line + n + 1 + strspn(line + n + 1, " \t");
        *length = strcspn(found, " \t\r\n");
    }
    return found;
}

// "localhost:8000" and its like; any port, for it may have been forwarded.
static bool is_this_machine(const char *request)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    size_t length;
    const char *host = find_header(request, "Host", &length);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t n = strlen(names[i]);
        if (length < n || strncasecmp(host, names[i], n) != 0) continue;
        if (length == n) return true;
        if (host[n] == ':' && strspn(host + n + 1, "0123456789") == length - n - 1) return true;
    }
    return false;
}

static void answer(guest *g, const char *path)
{
    const char *request = g->request, *target = strchr(request, ' ');
    bool get = strncmp(request, "GET ", 4) == 0, head = strncmp(request, "HEAD ", 5) == 0;
    g->answered = true;
    if (!strstr(request, "\r\n\r\n")) {
        refuse(g, "400 Bad Request");
    } else if (!get && !head) {
        refuse(g, "405 Method Not Allowed");
    } else if (!is_this_machine(request)) {
        refuse(g, "403 Forbidden: this page is served as 127.0.0.1 or localhost only");
    } else if (strncmp(target, " / ", 3) == 0 || strncmp(target, " /?", 3) == 0) {
        give_file(g, path, get);
    } else {
        refuse(g, "404 Not Found");
    }
}

// ---- guests -------------------------------------------------------------------------------------

// Take what was asked so far; answer when it is whole, or too long.
static void hear(guest *g, const char *path, double now)
{
    ssize_t r = recv(g->fd, g->request + g->asked, REQUEST - 1 - g->asked, 0);
    if (r < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (r < 0 || (r == 0 && g->asked == 0)) {
        leave(g);
        return;
    }
    g->asked += (size_t)r;
    g->request[g->asked] = '\0';
    if (r == 0 || g->asked == REQUEST - 1 || strstr(g->request, "\r\n\r\n")) {
        answer(g, path);
        g->since = now;
    }
}

// Give the next part of the answer; the guest leaves with the last.
static void tell(guest *g, double now)
{
    if (g->from == g->to && g->file) {
        g->from = 0;
        g->to = fread(g->block, 1, BLOCK, g->file);
    }
    if (g->from == g->to) {
        shutdown(g->fd, SHUT_WR);
        leave(g);
        return;
    }
    ssize_t w = send(g->fd, g->block + g->from, g->to - g->from, MSG_NOSIGNAL);
    if (w < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (w < 0) {
        leave(g);
        return;
    }
    g->from += (size_t)w;
    g->since = now;
}

// A new connection; where all places are taken the one that has waited longest goes.
static void welcome(guest *guests, int listener, double now)
{
    int fd = accept(listener, NULL, NULL);
    if (fd < 0) return;
    fcntl(fd, F_SETFL, O_NONBLOCK);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    guest *g = guests;
    for (int i = 0; i < GUESTS; i++) {
        if (guests[i].fd < 0) {
            g = guests + i;
            break;
        }
        if (guests[i].since < g->since) g = guests + i;
    }
    leave(g);
    g->fd = fd;
    g->since = now;
    g->asked = g->from = g->to = 0;
    g->answered = false;
}

static void serve_all(guest *guests, int listener, const char *path)
{
    struct pollfd ready[GUESTS + 1];
    ready[GUESTS] = (struct pollfd){.fd = listener, .events = POLLIN};
    for (int i = 0; i < GUESTS; i++) {
        const guest *g = guests + i;
        ready[i] = (struct pollfd){.fd = g->fd, .events = g->answered ? POLLOUT : POLLIN};
    }
    if (poll(ready, GUESTS + 1, TURN) < 0) return;
    double now = seconds();
    for (int i = 0; i < GUESTS; i++) {
        guest *g = guests + i;
        if (g->fd < 0) continue;
        if (now - g->since > PATIENCE) {
            leave(g);
        } else if (!ready[i].revents) {
            continue;
        } else if (g->answered) {
            tell(g, now);
        } else {
            hear(g, path, now);
        }
    }
    if (ready[GUESTS].revents) welcome(guests, listener, now);
}

// ---- the server ---------------------------------------------------------------------------------

static int listen_on(int port, struct sockaddr_in *address)
{
    socklen_t length = sizeof *address;
    const int yes = 1;
    *address = (struct sockaddr_in){.sin_family = AF_INET,
                                    .sin_port = htons((uint16_t)port),
                                    .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (s < 0) return -1;
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(s, (struct sockaddr *)address, sizeof *address) == 0 && listen(s, 8) == 0 &&
        getsockname(s, (struct sockaddr *)address, &length) == 0) {
        fcntl(s, F_SETFL, O_NONBLOCK);
        return s;
    }
    close(s);
    return -1;
}

bool cli_serve(const char *path, int port)
{
    struct sockaddr_in address;
    int s = listen_on(port, &address);
    if (s < 0) {
        cli_complain("view", "cannot serve on port %d: %s", port, strerror(errno));
        return false;
    }
    static guest guests[GUESTS];
    for (int i = 0; i < GUESTS; i++) guests[i].fd = -1;
    cli_catch_interrupt();
    printf("http://127.0.0.1:%d/  (Ctrl-C ends)\n", ntohs(address.sin_port));
    fflush(stdout);
    while (!cli_was_interrupted()) serve_all(guests, s, path);
    for (int i = 0; i < GUESTS; i++) leave(guests + i);
    close(s);
    return true;
}
