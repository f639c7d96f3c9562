// serve.c - one file, given to browsers of this machine, by the server of studio/http.h.
#include "cli/serve/serve.h"
#include "cli/cli.h"
#include "studio/http.h"

#define TURN 200 // milliseconds between looks for an interrupt

static void answer(void *path, flx_guest *g, const flx_http_request *r)
{
    if (r->path[0] == '\0') {
        flx_http_give_file(g, path, "text/html; charset=utf-8");
    } else {
        flx_http_refuse(g, "404 Not Found");
    }
}

bool cli_serve(flx_ctx *ctx, const char *path, int port)
{
    flx_http *h;
    const flx_http_def def = {.port = port, .answer = answer, .user = (void *)path};
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
