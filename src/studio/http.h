// http.h - enough of HTTP/1.0 for browsers of this machine, and for nobody else: it listens on the loopback address, and
// names that are not this machine's are refused, as are pages of other origins. Requests are answered side by side, each
// connection once; memory is bounded, and one that is slow holds up no other.
#pragma once

#include "base/common.h"

#include <poll.h>

typedef struct flx_http flx_http;
typedef struct flx_guest flx_guest; // a connection

typedef struct flx_http_request {
    const char *method; // "GET", "HEAD", "POST"
    const char *path;   // behind the secret, without the first '/': "", "check"
    const char *query;  // behind '?'; "": none
    const char *body;   // 0-terminated
    size_t length;
} flx_http_request;

typedef struct flx_http_def {
    int port;    // 0: any that is free
    bool secret; // the address begins with random letters, without which all is refused
    size_t most; // bytes of a body; 0: requests have none
    // Answers by one of the calls below.
    void (*answer)(void *user, flx_guest *g, const flx_http_request *r);
    void *user;
} flx_http_def;

// FLX_ERR_IO with a message: the port is taken, or may not be.
flx_status flx_http_open(flx_ctx *ctx, const flx_http_def *def, flx_http **h);
void flx_http_close(flx_http **h);
// "http://127.0.0.1:8000/" and, with a secret, its letters and "/".
const char *flx_http_address(const flx_http *h);
// Waits at most so many milliseconds for anybody, or for the descriptors more[nmore], and serves who is there.
void flx_http_turn(flx_http *h, int nmore, struct pollfd *more, int milliseconds);
// In a process that was forked: its copies of the connections are closed, and nobody notices; requests stay.
void flx_http_forget(flx_http *h);

#define FLX_HTTP_REST 8 // of `more` at most

// ---- answers ------------------------------------------------------------------------------------

// status: "200 OK"; type: "text/plain". Bytes are copied. No memory: the connection ends.
void flx_http_give(flx_guest *g, const char *status, const char *type, const char *bytes, size_t n);
void flx_http_give_file(flx_guest *g, const char *path, const char *type);
// The status as text.
void flx_http_refuse(flx_guest *g, const char *status);
// The answer comes later: a number by which to find the guest then; NULL: it has left.
unsigned long flx_http_wait(flx_guest *g);
flx_guest *flx_http_find(flx_http *h, unsigned long number);
// Events for the page, as long as both are there (text/event-stream); the number as above.
unsigned long flx_http_stream(flx_guest *g);
// One event; false: the page does not take what it was sent before, and this one is lost.
bool flx_http_push(flx_guest *g, const char *event, const char *data, size_t n, size_t room);
void flx_http_end(flx_guest *g);
