// serve.c - a page, and what belongs to it, given to browsers of this machine, by the server of studio/http.h.
#include "cli/serve/serve.h"
#include "cli/cli.h"
#include "studio/http.h"

#define TURN 200 // milliseconds between looks for an interrupt

typedef struct served {
    const char *path;
    cli_serve_other other;
    void *user;
} served;

static void answer(void *user, flx_guest *g, const flx_http_request *r)
{
    const served *s = user;
    const char *path = s->path;
    if (r->path[0] != '\0') path = s->other ? s->other(s->user, r->path) : NULL;
    if (path) {
        flx_http_give_file(g, path, "text/html; charset=utf-8");
    } else {
        flx_http_refuse(g, "404 Not Found");
    }
}

bool cli_serve(flx_ctx *ctx, const char *path, int port, cli_serve_other other, void *user)
{
    flx_http *h;
    served s = {path, other, user};
    const flx_http_def def = {.port = port, .answer = answer, .user = &s};
    if (flx_http_open(ctx, &def, &h) != FLX_OK) {
        cli_print_errors(ctx);
        return false;
    }
    cli_catch_interrupt();
    printf("%s  (Ctrl-C ends)\n", flx_http_address(h));
    fflush(stdout);
    while (!cli_was_interrupted()) flx_http_turn(h, 0, NULL, TURN);
    flx_http_close(&h);
    return true;
}
