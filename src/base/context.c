// context.c - the context: messages, interned strings, allocation accounting.
#include "base/context.h"
#include "base/error_place.h"
#include "base/log.h"
#include "base/memory_files.h"
#include "base/number.h"
#include "base/refuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WARNINGS 200
#define MESSAGE_LENGTH 1024

const char *flx_status_text(flx_status status)
{
    switch (status) {
#define X(name, value, text)                                                                       \
    case name:                                                                                     \
        return text;
        FLX_STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}

const char *flx_version(void)
{
    return FLX_VERSION;
}

flx_ctx *flx_ctx_create(void)
{
    flx_ctx *ctx = calloc(1, sizeof *ctx);
    if (ctx) ctx->fail_at = -1;
    return ctx;
}

static void free_message(flx_message *m)
{
    free((char *)m->text);
    if (m->path[0]) free((char *)m->path);
}

static void free_messages(flx_message_list *list)
{
    for (int i = 0; i < list->count; i++) free_message(list->items + i);
    free(list->items);
    *list = (flx_message_list){0};
}

void flx_ctx_destroy(flx_ctx **ctx_in)
{
    flx_ctx *ctx = ctx_in ? *ctx_in : NULL;
    if (!ctx) return;
    free_messages(&ctx->errors);
    free_messages(&ctx->warnings);
    for (int i = 0; i < ctx->intern_capacity; i++) free(ctx->interned[i]);
    free(ctx->interned);
    flx_free(ctx->inputs);
    free(ctx);
    *ctx_in = NULL;
}

void flx_ctx_clear_messages(flx_ctx *ctx)
{
    if (!ctx) return;
    free_messages(&ctx->errors);
    free_messages(&ctx->warnings);
}

void flx_trail_write(const flx_trail *trail, char *text, size_t size)
{
    text[0] = 0;
    if (!trail || (!trail->up && !trail->key)) return; // the description itself
    flx_trail_write(trail->up, text, size);
    size_t length = strlen(text), room = size - length;
    const char *key = trail->key;
    if (!key) {
        flx_snprintf(text + length, room, "[%d]", trail->index);
    } else {
        bool plain = trail->index < 0 || (key[0] && !key[strcspn(key, ".[]\" \n")]);
        const char *quote = plain ? "" : "\"";
        flx_snprintf(text + length, room, "%s%s%s%s", length ? "." : "", quote, key, quote);
    }
}

static char *copy_text(const char *text)
{
    size_t length = strlen(text);
    char *copy = malloc(length + 1);
    if (copy) memcpy(copy, text, length + 1);
    return copy;
}

// Messages are recorded with plain malloc: an error must be told also when the counted
// allocations are made to fail. Without memory for its text a message keeps its status.
static void record(flx_message_list *list, int most, flx_message m, const char *text,
                   const char *path)
{
    list->total++;
    if (list->count >= most) return;
    flx_message *items = realloc(list->items, (size_t)(list->count + 1) * sizeof *items);
    if (!items) return;
    list->items = items;
    m.text = copy_text(text);
    if (!m.text) return;
    m.path = path[0] ? copy_text(path) : "";
    if (!m.path) m.path = "";
    m.loc.trail = NULL; // it may not live as long
    list->items[list->count++] = m;
}

flx_status flx_ctx_fail(flx_ctx *ctx, flx_status status, flx_loc loc, const char *c_file,
                        int c_line, const char *format, ...)
{
    char text[MESSAGE_LENGTH], path[MESSAGE_LENGTH];
    va_list args;
    va_start(args, format);
    flx_vsnprintf(text, sizeof text, format, args);
    va_end(args);
    flx_trail_write(loc.trail, path, sizeof path);
    const flx_message m = {.status = status, .loc = loc, .c_file = c_file, .c_line = c_line};
    record(&ctx->errors, FLX_MAX_ERRORS, m, text, path);
    return status;
}

void flx_ctx_place_errors(flx_ctx *ctx, int first, flx_loc loc)
{
    for (int i = first; i < ctx->errors.count; i++) {
        flx_message *m = ctx->errors.items + i;
        if (m->loc.file) continue;
        m->loc = loc;
        m->loc.trail = NULL;
    }
}

flx_status flx_ctx_complain(flx_ctx *ctx, flx_status status, const char *text)
{
    return ctx ? FLX_FAIL(ctx, status, FLX_NOWHERE, "%s", text ? text : "") : status;
}

flx_status flx_refuse_null(flx_ctx *ctx, const char *call)
{
    if (!ctx) return FLX_ERR_ARGUMENT;
    return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "%s is given NULL for what it needs; has the call that makes it failed?", call);
}

// Several evaluations of one model find the same: it is told once.
static bool is_told(const flx_message_list *list, flx_loc loc, const char *text, const char *path)
{
    for (int i = 0; i < list->count; i++) {
        const flx_message *m = list->items + i;
        bool there =
            m->loc.file == loc.file && m->loc.line == loc.line && m->loc.column == loc.column;
        if (there && strcmp(m->text, text) == 0 && strcmp(m->path, path) == 0) return true;
    }
    return false;
}

void flx_ctx_warn(flx_ctx *ctx, flx_loc loc, const char *format, ...)
{
    char text[MESSAGE_LENGTH], path[MESSAGE_LENGTH];
    va_list args;
    va_start(args, format);
    flx_vsnprintf(text, sizeof text, format, args);
    va_end(args);
    flx_trail_write(loc.trail, path, sizeof path);
    if (is_told(&ctx->warnings, loc, text, path)) return;
    const flx_message m = {.status = FLX_OK, .loc = loc};
    record(&ctx->warnings, MAX_WARNINGS, m, text, path);
    if (!ctx->tell) return;
    const flx_message told = {.status = FLX_OK, .loc = loc, .text = text, .path = path};
    ctx->tell(ctx->tell_user, &told);
}

flx_log_guard flx_log_begin(flx_ctx *ctx, void (*tell)(void *user, const flx_message *m),
                            void *user)
{
    flx_log_guard g = {ctx, ctx->tell, ctx->tell_user};
    if (!tell) return g;
    ctx->tell = tell;
    ctx->tell_user = user;
    return g;
}

void flx_log_end(const flx_log_guard *g)
{
    g->ctx->tell = g->before;
    g->ctx->tell_user = g->user_before;
}

static void forget(flx_message_list *list, int count)
{
    while (list->count > count) free_message(&list->items[--list->count]);
    if (list->total > count) list->total = count;
}

void flx_ctx_forget_errors(flx_ctx *ctx, int count)
{
    forget(&ctx->errors, count);
}

void flx_ctx_forget_warnings(flx_ctx *ctx, int count)
{
    forget(&ctx->warnings, count);
}

int flx_ctx_error_count(const flx_ctx *ctx)
{
    return ctx ? ctx->errors.total : 0;
}
const flx_message *flx_ctx_error(const flx_ctx *ctx, int i)
{
    if (!ctx) return NULL;
    return i >= 0 && i < ctx->errors.count ? &ctx->errors.items[i] : NULL;
}
int flx_ctx_warning_count(const flx_ctx *ctx)
{
    if (!ctx) return 0;
    return ctx->warnings.total;
}
const flx_message *flx_ctx_warning(const flx_ctx *ctx, int i)
{
    if (!ctx) return NULL;
    return i >= 0 && i < ctx->warnings.count ? &ctx->warnings.items[i] : NULL;
}

// FNV-1a
uint32_t flx_text_hash(const char *text)
{
    uint32_t h = 2166136261u;
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) h = (h ^ *p) * 16777619u;
    return h;
}

// The slot of the text in an open hash table: its own, or the empty one where it belongs.
static char **intern_slot(char **table, int capacity, const char *text)
{
    size_t mask = (size_t)capacity - 1, i = flx_text_hash(text) & mask;
    while (table[i] && strcmp(table[i], text) != 0) i = (i + 1) & mask;
    return &table[i];
}

static bool grow_intern(flx_ctx *ctx)
{
    int capacity = ctx->intern_capacity ? 2 * ctx->intern_capacity : 64;
    char **table = calloc((size_t)capacity, sizeof *table);
    if (!table) return false;
    for (int i = 0; i < ctx->intern_capacity; i++) {
        if (ctx->interned[i]) *intern_slot(table, capacity, ctx->interned[i]) = ctx->interned[i];
    }
    free(ctx->interned);
    ctx->interned = table;
    ctx->intern_capacity = capacity;
    return true;
}

const char *flx_intern(flx_ctx *ctx, const char *text)
{
    if (2 * (ctx->intern_count + 1) > ctx->intern_capacity && !grow_intern(ctx)) goto no_memory;
    char **slot = intern_slot(ctx->interned, ctx->intern_capacity, text);
    if (*slot) return *slot;
    if (!flx_ctx_may_allocate(ctx)) goto no_memory;
    char *copy = copy_text(text);
    if (!copy) goto no_memory;
    ctx->intern_count++;
    return *slot = copy;

no_memory:
    FLX_FAIL(ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
    return NULL;
}

void flx_ctx_give_files(flx_ctx *ctx, const flx_given_file *files)
{
    ctx->given = files;
}

const flx_given_file *flx_ctx_given_file(const flx_ctx *ctx, const char *path)
{
    for (const flx_given_file *f = ctx->given; f; f = f->next) {
        if (strcmp(f->path, path) == 0) return f;
    }
    return NULL;
}
