// serve.c - one file, given to browsers of this machine: enough of HTTP/1.0 for that, one request
// after the other, and nobody from outside.
#include "cli/serve.h"
#include "cli/cli.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define PATIENCE 5 // seconds a browser may take to ask, or to take a part of the answer
#define TURN 200   // milliseconds between looks for an interrupt
#define REQUEST 4096

static bool send_all(int to, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t w = send(to, p, n, MSG_NOSIGNAL);
        if (w < 0 && errno == EINTR && !cli_was_interrupted()) continue;
        if (w <= 0) return false;
        p += w;
        n -= (size_t)w;
    }
    return true;
}

static void refuse(int to, const char *status)
{
    char text[200];
    int n = snprintf(text, sizeof text,
                     "HTTP/1.0 %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n\r\n%s\n",
                     status, strlen(status) + 1, status);
    send_all(to, text, (size_t)n);
}

static void send_file(int to, const char *path, bool body)
{
    FILE *f = fopen(path, "rb");
    long size = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    if (size < 0 || fseek(f, 0, SEEK_SET) != 0) {
        refuse(to, "404 Not Found");
    } else {
        char block[16384];
        int n = snprintf(block, sizeof block,
                         "HTTP/1.0 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
                         "Content-Length: %ld\r\nCache-Control: no-store\r\n\r\n",
                         size);
        bool good = send_all(to, block, (size_t)n);
        size_t got;
        while (good && body && (got = fread(block, 1, sizeof block, f)) > 0) {
            good = send_all(to, block, got);
        }
    }
    if (f) fclose(f);
}

static void answer(int to, const char *path)
{
    char request[REQUEST];
    size_t n = 0;
    const struct timeval patience = {.tv_sec = PATIENCE};
    setsockopt(to, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(to, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    while (n < sizeof request - 1) {
        ssize_t r = recv(to, request + n, sizeof request - 1 - n, 0);
        if (r <= 0) break;
        n += (size_t)r;
        request[n] = '\0';
        if (strstr(request, "\r\n\r\n")) break;
    }
    request[n] = '\0';
    bool get = strncmp(request, "GET ", 4) == 0, head = strncmp(request, "HEAD ", 5) == 0;
    const char *target = strchr(request, ' ');
    if (!get && !head) {
        refuse(to, "405 Method Not Allowed");
    } else if (strncmp(target, " / ", 3) == 0 || strncmp(target, " /?", 3) == 0) {
        send_file(to, path, get);
    } else {
        refuse(to, "404 Not Found");
    }
}

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
    cli_catch_interrupt();
    printf("http://127.0.0.1:%d/  (Ctrl-C ends)\n", ntohs(address.sin_port));
    fflush(stdout);
    while (!cli_was_interrupted()) {
        struct pollfd ready = {.fd = s, .events = POLLIN};
        if (poll(&ready, 1, TURN) <= 0) continue;
        int to = accept(s, NULL, NULL);
        if (to < 0) continue;
        answer(to, path);
        close(to);
    }
    close(s);
    return true;
}
