// sid_write.c - writing Standard Input Data in the layout that readers expect: the blocks in their
// order, entries that are not zero, m0 row by row, m1 by column, row and coordinate.
#include "base/number.h"
#include "read/sid/sid_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    flx_ctx *ctx;
    char *text; // owned
    int length, capacity;
    flx_status status;
} writer;

FLX_PRINTF(2, 3) static void put(writer *w, const char *format, ...)
{
    va_list args, again;
    if (w->status != FLX_OK) return;
    va_start(args, format);
    va_copy(again, args);
    int n = flx_vsnprintf(NULL, 0, format, args);
    if (n > INT_MAX - 1 - w->length) {
        w->status = FLX_FAIL(w->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                             "the file would be larger than 2 GB: take a coarser mesh, or fewer "
                             "modes");
    }
    if (w->status == FLX_OK)
        w->status = flx_grow(w->ctx, (void **)&w->text, &w->capacity, w->length + n + 1, 1);
    if (w->status == FLX_OK) {
        (void)flx_vsnprintf(w->text + w->length, (size_t)n + 1, format, again);
        w->length += n;
    }
    va_end(again);
    va_end(args);
}

// Twelve digits where they say the number exactly, as in the files of others, else seventeen.
static void put_real(writer *w, double x)
{
    char text[40];
    (void)flx_snprintf(text, sizeof text, "%.11E", x);
    if (flx_number_read(text, NULL) != x) (void)flx_snprintf(text, sizeof text, "%.16E", x);
    char *e = strchr(text, 'E');
    if (e) *e = 'D';
    put(w, "%s\n", text);
}

static void put_block(writer *w, int indent, const char *name, const flx_taylor *t)
{
    if (!t->given) return;
    put(w, "%*s%s\n", indent, "", name);
    const struct {
        const char *word;
        int value;
    } sizes[] = {{"order", t->order}, {"nrow", t->nrow}, {"ncol", t->ncol},
                 {"nq", t->nq},       {"nqn", t->nqn},   {"structure", (int)t->structure}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        put(w, "%*s%-10s = %d\n", indent + 2, "", sizes[i].word, sizes[i].value);
    }
    for (int i = 0; i < t->nrow; i++) {
        for (int j = 0; j < t->ncol; j++) {
            double x = flx_taylor_m0(t, i, j), absent = t->structure == FLX_SID_UNIT && i == j;
            if (x == absent) continue;
            put(w, "%*sm0( %d, %d) = ", indent + 2, "", i + 1, j + 1);
            put_real(w, x);
        }
    }
    for (int j = 0; t->m1 && j < t->ncol; j++) {
        for (int i = 0; i < t->nrow; i++) {
            for (int l = 0; l < t->nq; l++) {
                double x = flx_taylor_m1(t, i, l, j);
                if (x == 0.0) continue;
                put(w, "%*sm1( %d, %d, %d) = ", indent + 2, "", i + 1, l + 1, j + 1);
                put_real(w, x);
            }
        }
    }
    put(w, "%*send %s\n", indent, "", name);
}

// "new modal =", and the name where there is one.
static void put_line(writer *w, const char *key, const char *value)
{
    put(w, "%s =%s%s\n", key, *value ? " " : "", value);
}

flx_status flx_sid_format(flx_ctx *ctx, flx_arena *arena, const flx_sid *sid, char **text,
                          size_t *length)
{
    writer w = {.ctx = ctx};
    put(&w, "%s\npart\n", sid->header);
    put_line(&w, "new modal", sid->name);
    put(&w, "  refmod\n    mass = ");
    put_real(&w, sid->mass);
    put(&w, "    nelastq = %d\n", sid->nq);
    for (int i = 0; i < sid->nq; i++) {
        if (*sid->labels[i]) put(&w, "    ielastq ( %d) = %s\n", i + 1, sid->labels[i]);
    }
    put(&w, "  end refmod\nframe\n");
    for (int i = 0; i < sid->nnode; i++) {
        const flx_sid_node *node = sid->nodes + i;
        put_line(&w, "  new node", node->id);
        put_line(&w, "  rframe", node->rframe);
#define X(name, nrow, ncol) put_block(&w, 2, #name, &node->name);
        FLX_SID_NODE_BLOCKS(X)
#undef X
        put(&w, "  end node\n");
    }
    put(&w, "end frame\n");
#define X(name, nrow, ncol) put_block(&w, 0, #name, &sid->name);
    FLX_SID_BLOCKS(X)
#undef X
    put(&w, "end modal\nend part\n");
    if (w.status == FLX_OK) {
        *length = (size_t)w.length;
        *text = flx_arena_copy(arena, w.text, *length);
        if (!*text) w.status = FLX_ERR_MEMORY;
    }
    flx_free(w.text);
    return w.status;
}
