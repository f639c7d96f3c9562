// http.c - connections and answers (http.h); what a request's head says is read in http_head.c.
#include "studio/http.h"
#include "base/number.h"
#include "studio/http_head.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE 5.0    // seconds a browser may take to ask, or to take a part of the answer
#define LONG_ASKED 30.0 // seconds for a body
#define YOUNG 1.0       // seconds in which a guest is not asked to leave for another one
#define HEAD 16384      // bytes of a request's head
#define BLOCK 65536
#define GUESTS 64
#define SECRET 32                      // letters
#define MOST_BODIES ((size_t)64 << 20) // bytes, of all guests together
#define MOST_QUEUED ((size_t)32 << 20) // bytes of events that a page has not taken

typedef enum phase { ASKING, WAITING, TELLING, STREAMING } phase;

struct flx_guest {
    flx_http *home;
    int fd; // -1: free
    unsigned long number;
    phase phase;
    double since;
    char text[HEAD + 1]; // of the head
    size_t asked;
    flx_http_head head;
    char *body;            // owned
    size_t length;         // of the body, so far
    char *out;             // owned
    size_t from, to, room; // of out: not yet taken; allocated
    FILE *file;            // what comes after out; NULL: nothing
};

struct flx_http {
    flx_ctx *ctx;
    flx_http_def def;
    int listener;
    char secret[SECRET + 1];
    char address[64 + SECRET];
    unsigned long last; // number of a guest
    size_t bodies;      // bytes, of all guests
    flx_guest guests[GUESTS];
};

static void leave(flx_guest *g)
{
    if (g->fd >= 0) close(g->fd);
    if (g->file) fclose(g->file);
    g->home->bodies -= g->body ? g->head.length : 0;
    free(g->body);
    free(g->out);
    *g = (flx_guest){.home = g->home, .fd = -1};
}

// ---- answers ------------------------------------------------------------------------------------

// Room for n bytes more in out; false: there is none.
static bool reserve(flx_guest *g, size_t n)
{
    if (g->from > 0) {
        memmove(g->out, g->out + g->from, g->to - g->from);
        g->to -= g->from;
        g->from = 0;
    }
    if (g->to + n <= g->room) return true;
    size_t room = 2 * g->room > g->to + n ? 2 * g->room : g->to + n;
    char *out = realloc(g->out, room);
    if (!out) return false;
    g->out = out;
    g->room = room;
    return true;
}

static bool put(flx_guest *g, const char *bytes, size_t n)
{
    if (!reserve(g, n)) return false;
    if (n > 0) memcpy(g->out + g->to, bytes, n);
    g->to += n;
    return true;
}

// What the page may do is said once more to the browser: nothing of it comes from elsewhere, and nobody frames it.
static const char manners[] =
    "Cache-Control: no-store\r\nConnection: close\r\nReferrer-Policy: no-referrer\r\n"
    "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'\r\n";

// size -1: not known.
static void begin(flx_guest *g, const char *status, const char *type, long size)
{
    char text[sizeof manners + 512], length[64] = "";
    if (size >= 0) flx_snprintf(length, sizeof length, "Content-Length: %ld\r\n", size);
    int n = flx_snprintf(text, sizeof text, "HTTP/1.0 %s\r\nContent-Type: %s\r\n%s%s\r\n", status,
                         type, length, manners);
    g->phase = TELLING;
    g->since = flx_clock_seconds(); // it may have waited long
    if (!put(g, text, (size_t)n)) leave(g);
}

void flx_http_give(flx_guest *g, const char *status, const char *type, const char *bytes, size_t n)
{
    begin(g, status, type, (long)n);
    if (g->fd >= 0 && !g->head.bare && !put(g, bytes, n)) leave(g);
}

void flx_http_refuse(flx_guest *g, const char *status)
{
    char text[256];
    int n = flx_snprintf(text, sizeof text, "%s\n", status);
    flx_http_give(g, status, "text/plain", text, (size_t)n);
}

void flx_http_give_file(flx_guest *g, const char *path, const char *type)
{
    FILE *f = fopen(path, "rb");
    long size = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    if (size < 0 || fseek(f, 0, SEEK_SET) != 0) {
        if (f) fclose(f);
        flx_http_refuse(g, "404 Not Found");
        return;
    }
    begin(g, "200 OK", type, size);
    if (g->fd >= 0 && !g->head.bare) {
        g->file = f;
    } else {
        fclose(f);
    }
}

unsigned long flx_http_wait(flx_guest *g)
{
    g->phase = WAITING;
    return g->number;
}

flx_guest *flx_http_find(flx_http *h, unsigned long number)
{
    for (int i = 0; i < GUESTS && number > 0; i++) {
        if (h->guests[i].fd >= 0 && h->guests[i].number == number) return h->guests + i;
    }
    return NULL;
}

unsigned long flx_http_stream(flx_guest *g)
{
    unsigned long number = g->number;
    begin(g, "200 OK", "text/event-stream", -1);
    if (g->fd >= 0) g->phase = STREAMING;
    return number;
}

bool flx_http_push(flx_guest *g, const char *event, const char *data, size_t n, size_t room)
{
    size_t queued = g->to - g->from;
    if (queued > room || queued + n > MOST_QUEUED) return false;
    if (queued == 0) g->since = flx_clock_seconds();
    if (put(g, "event: ", 7) && put(g, event, strlen(event)) && put(g, "\ndata: ", 7) &&
        put(g, data, n) && put(g, "\n\n", 2)) {
        return true;
    }
    leave(g);
    return false;
}

void flx_http_end(flx_guest *g)
{
    g->phase = TELLING; // what it was sent, then no more
    g->since = flx_clock_seconds();
}

// ---- guests -------------------------------------------------------------------------------------

static void answer(flx_guest *g)
{
    g->head.request.body = g->body;
    g->head.request.length = g->length;
    g->phase = TELLING;
    g->home->def.answer(g->home->def.user, g, &g->head.request);
}

// Of a body; the rest of it comes later.
static void take_body(flx_guest *g, const char *bytes, size_t n)
{
    if (n > g->head.length - g->length) n = g->head.length - g->length;
    memcpy(g->body + g->length, bytes, n);
    g->length += n;
    if (g->length == g->head.length) answer(g);
}

// Room for the body; false: there is none, of all that guests may say together.
static bool expect_body(flx_guest *g)
{
    flx_http *h = g->home;
    size_t n = g->head.length;
    if (h->bodies + n > MOST_BODIES || !(g->body = malloc(n + 1))) return false;
    h->bodies += n;
    g->body[n] = '\0';
    return true;
}

// text[used]: the head, up to its empty line.
static void take_head(flx_guest *g, size_t used)
{
    const flx_http_rules rules = {.secret = g->home->secret, .most = g->home->def.most};
    g->text[used - 2] = '\0'; // headers end here
    const char *no = flx_http_read_head(g->text, &rules, &g->head);
    if (!no && !expect_body(g)) no = "503 Service Unavailable";
    if (no) {
        flx_http_refuse(g, no);
    } else {
        take_body(g, g->text + used, g->asked - used);
    }
}

static void hear_head(flx_guest *g, double now)
{
    g->text[g->asked] = '\0';
    const char *end = strstr(g->text, "\r\n\r\n");
    if (memchr(g->text, '\0', g->asked)) {
        flx_http_refuse(g, "400 Bad Request");
    } else if (end) {
        g->since = now;
        take_head(g, (size_t)(end - g->text) + 4);
    } else if (g->asked == HEAD) {
        flx_http_refuse(g, "431 Request Header Fields Too Large");
    }
    if (g->phase != ASKING) g->since = now;
}

// Take what was asked so far; answer when it is whole, or too long.
static void hear(flx_guest *g, double now)
{
    bool head = g->phase == ASKING && !g->body;
    char rest[4096], *to = rest;
    size_t room = sizeof rest;
    if (head) {
        to = g->text + g->asked;
        room = HEAD - g->asked;
    } else if (g->phase == ASKING) {
        to = g->body + g->length;
        room = g->head.length - g->length;
    }
    ssize_t r = recv(g->fd, to, room, 0);
    if (r < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (r == 0 && head && g->asked > 0) {
        flx_http_refuse(g, "400 Bad Request");
        g->since = now;
    } else if (r <= 0) {
        leave(g);
    } else if (head) {
        g->asked += (size_t)r;
        hear_head(g, now);
    } else if (g->phase == ASKING) {
        g->length += (size_t)r;
        if (g->length == g->head.length) answer(g);
        if (g->phase != ASKING) g->since = now;
    }
}

// Give the next part of the answer; the guest leaves with the last.
static void tell(flx_guest *g, double now)
{
    if (g->from == g->to && g->file) {
        g->from = g->to = 0;
        if (!reserve(g, BLOCK)) {
            leave(g);
            return;
        }
        g->to = fread(g->out, 1, BLOCK, g->file);
    }
    if (g->from == g->to) {
        if (g->phase != TELLING) return;
        // what it still says is taken, so that the connection ends without a reset that could overtake the answer
        shutdown(g->fd, SHUT_WR);
        for (char rest[4096]; recv(g->fd, rest, sizeof rest, 0) > 0;) {
        }
        leave(g);
        return;
    }
    ssize_t w = send(g->fd, g->out + g->from, g->to - g->from, MSG_NOSIGNAL);
    if (w < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (w < 0) {
        leave(g);
        return;
    }
    g->from += (size_t)w;
    g->since = now;
}

// Where a guest could sit; where all places are taken, the one that has waited longest without the secret goes. NULL: none.
static flx_guest *find_place(flx_http *h, double now)
{
    flx_guest *oldest = NULL;
    for (int i = 0; i < GUESTS; i++) {
        flx_guest *g = h->guests + i;
        if (g->fd < 0) return g;
        if (!g->head.known && (!oldest || g->since < oldest->since)) oldest = g;
    }
    return oldest && now - oldest->since > YOUNG ? oldest : NULL;
}

static void welcome(flx_http *h, double now)
{
    flx_guest *g = find_place(h, now);
    int fd = g ? accept(h->listener, NULL, NULL) : -1;
    if (fd < 0) return;
    fcntl(fd, F_SETFL, O_NONBLOCK);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    leave(g);
    g->fd = fd;
    g->since = now;
    g->number = ++h->last;
}

static bool is_tired(const flx_guest *g, double now)
{
    double waited = now - g->since;
    if (g->phase == WAITING) return false;
    if (g->phase == STREAMING && g->from == g->to) return false;
    return waited > (g->body && g->phase == ASKING ? LONG_ASKED : PATIENCE);
}

static void serve(flx_guest *g, short events, double now)
{
    if (is_tired(g, now)) {
        leave(g);
    } else if (g->phase == TELLING) {
        if (events) tell(g, now);
    } else {
        if (events & POLLOUT) tell(g, now);
        if (g->fd >= 0 && (events & ~POLLOUT)) hear(g, now);
    }
}

static short wants(const flx_guest *g)
{
    if (g->phase == TELLING) return POLLOUT;
    return g->phase == STREAMING && g->from < g->to ? POLLIN | POLLOUT : POLLIN;
}

void flx_http_turn(flx_http *h, int nmore, struct pollfd *more, int milliseconds)
{
    struct pollfd ready[GUESTS + 1 + FLX_HTTP_REST];
    int n = GUESTS + 1;
    for (int i = 0; i < GUESTS; i++) {
        ready[i] = (struct pollfd){.fd = h->guests[i].fd, .events = wants(h->guests + i)};
    }
    bool room = find_place(h, flx_clock_seconds()) != NULL;
    ready[GUESTS] = (struct pollfd){.fd = room ? h->listener : -1, .events = POLLIN};
    for (int i = 0; i < nmore; i++) ready[n++] = more[i];
    for (int i = 0; i < nmore; i++) more[i].revents = 0;
    if (poll(ready, (nfds_t)n, milliseconds) < 0) return;
    double now = flx_clock_seconds();
    for (int i = 0; i < GUESTS; i++) {
        if (h->guests[i].fd >= 0) serve(h->guests + i, ready[i].revents, now);
    }
    if (ready[GUESTS].revents) welcome(h, now);
    for (int i = 0; i < nmore; i++) more[i].revents = ready[GUESTS + 1 + i].revents;
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
    if (bind(s, (struct sockaddr *)address, sizeof *address) == 0 && listen(s, 256) == 0 &&
        getsockname(s, (struct sockaddr *)address, &length) == 0) {
        fcntl(s, F_SETFL, O_NONBLOCK);
        fcntl(s, F_SETFD, FD_CLOEXEC);
        return s;
    }
    close(s);
    return -1;
}

static bool make_secret(char *secret)
{
    static const char letters[] = "0123456789abcdef";
    unsigned char bytes[SECRET / 2];
    FILE *f = fopen("/dev/urandom", "rb");
    if (!f) return false;
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    for (size_t i = 0; i < sizeof bytes; i++) {
        secret[2 * i] = letters[bytes[i] >> 4];
        secret[2 * i + 1] = letters[bytes[i] & 15];
    }
    return n == sizeof bytes;
}

static flx_status open_it(flx_http *h)
{
    struct sockaddr_in address;
    h->listener = listen_on(h->def.port, &address);
    if (h->listener < 0) {
        return FLX_FAIL(h->ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot serve on port %d: %s", h->def.port,
                        flx_error_text(errno));
    }
    if (h->def.secret && !make_secret(h->secret)) {
        return FLX_FAIL(h->ctx, FLX_ERR_IO, FLX_NOWHERE,
                        "/dev/urandom has no random bytes for the secret part of the address");
    }
    flx_snprintf(h->address, sizeof h->address, "http://127.0.0.1:%d/%s%s", ntohs(address.sin_port),
                 h->secret, h->def.secret ? "/" : "");
    return FLX_OK;
}

flx_status flx_http_open(flx_ctx *ctx, const flx_http_def *def, flx_http **out)
{
    flx_http *h = *out = flx_alloc(ctx, 1, sizeof *h);
    if (!h) return FLX_ERR_MEMORY;
    h->ctx = ctx;
    h->def = *def;
    h->listener = -1;
    for (int i = 0; i < GUESTS; i++) h->guests[i] = (flx_guest){.home = h, .fd = -1};
    flx_status status = open_it(h);
    if (status != FLX_OK) flx_http_close(out);
    return status;
}

const char *flx_http_address(const flx_http *h)
{
    return h->address;
}

void flx_http_forget(flx_http *h)
{
    for (int i = 0; i < GUESTS; i++) {
        if (h->guests[i].fd >= 0) close(h->guests[i].fd);
    }
    if (h->listener >= 0) close(h->listener);
}

void flx_http_close(flx_http **http)
{
    flx_http *h = *http;
    if (!h) return;
    for (int i = 0; i < GUESTS; i++) leave(h->guests + i);
    if (h->listener >= 0) close(h->listener);
    flx_free(h);
    *http = NULL;
}
