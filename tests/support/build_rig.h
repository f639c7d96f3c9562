// build_rig.h - models read from texts: those that are read, and those that are refused.
#pragma once

#include "pose.h"

static flx_ctx *ctx;

static inline flx_model *read_text(const char *text)
{
    ctx = flx_ctx_create();
    return pose_read(ctx, text);
}

static inline int done(flx_model *m)
{
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

typedef struct refusal {
    const char *text;    // below the head of the model
    const char *message; // "line:column: part of the text"
} refusal;

static inline int check_refusals(const char *head, int n, const refusal *list)
{
    for (int i = 0; i < n; i++) {
        char text[4000], got[1000] = "nothing";
        flx_model *m = NULL;
        snprintf(text, sizeof text, "%s%s\n", head, list[i].text);
        ctx = flx_ctx_create();
        flx_status status = flx_model_read_text(ctx, "x.yaml", text, strlen(text), 0, NULL, &m);
        const flx_message *e = flx_ctx_error(ctx, 0);
        if (e) snprintf(got, sizeof got, "%d:%d: %s", e->loc.line, e->loc.column, e->text);
        if (status != FLX_ERR_MODEL || m || !strstr(got, list[i].message)) {
            printf("%s\nexpected '%s'\ngot '%s'\n", list[i].text, list[i].message, got);
            return 1;
        }
        done(m);
    }
    return 0;
}

#define COUNT(list) (int)(sizeof(list) / sizeof((list)[0]))
