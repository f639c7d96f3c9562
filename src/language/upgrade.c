// upgrade.c - a model file in the words of today: the old ones are replaced where they stand, and every other
// byte stays as it is.
#include "base/text_file.h"
#include "base/utf8.h"
#include "flexion/model.h"
#include "language/schema/schema_old.h"
#include "read/yaml.h"

#include <string.h>

struct flx_upgrade {
    flx_arena *arena; // owned: all the rest but `found`
    char *text;       // of today
    size_t length;
    flx_old_uses found;
    int npart, part_capacity;
    const char **parts; // owned
};

// ---- places ---------------------------------------------------------------------------------------

// A place in a text that is walked once, from place to place.
typedef struct cursor {
    const char *text;
    size_t length, at;
    int line, column;
} cursor;

// To the character of the place; false: it lies behind, or beyond the end.
static bool go_to(cursor *c, flx_loc loc)
{
    while (c->line < loc.line || (c->line == loc.line && c->column < loc.column)) {
        if (c->at >= c->length) return false;
        size_t width = 1;
        char sign = c->text[c->at];
        flx_utf8_decode((const unsigned char *)c->text + c->at, c->length - c->at, &width);
        c->at += width;
        c->column++;
        if (sign == '\n' || (sign == '\r' && c->text[c->at] != '\n')) c->line++, c->column = 1;
    }
    return c->line == loc.line && c->column == loc.column;
}

// ---- the new text ---------------------------------------------------------------------------------

// In the order of the text; keys are found before what is inside of them, so it is nearly sorted.
static void sort_uses(flx_old_uses *u)
{
    for (int i = 1; i < u->count; i++) {
        flx_old_use use = u->uses[i];
        int k = i;
        for (; k > 0; k--) {
            flx_loc before = u->uses[k - 1].loc;
            if (before.line < use.loc.line ||
                (before.line == use.loc.line && before.column <= use.loc.column))
                break;
            u->uses[k] = u->uses[k - 1];
        }
        u->uses[k] = use;
    }
}

static void append(flx_upgrade *u, const char *text, size_t n)
{
    if (n > 0) memcpy(u->text + u->length, text, n);
    u->length += n;
}

static flx_status rewrite(flx_ctx *ctx, flx_upgrade *u, const char *old, size_t length)
{
    bool mark = length >= 3 && memcmp(old, "\xef\xbb\xbf", 3) == 0; // of the order of bytes
    size_t room = length + 1, from = 0;
    cursor c = {old, length, mark ? 3 : 0, 1, 1};
    sort_uses(&u->found);
    for (int i = 0; i < u->found.count; i++) room += strlen(u->found.uses[i].now);
    u->text = flx_arena_take(u->arena, room, 1);
    if (!u->text) return FLX_ERR_MEMORY;
    for (int i = 0; i < u->found.count; i++) {
        const flx_old_use *use = u->found.uses + i;
        size_t n = strlen(use->old);
        if (!go_to(&c, use->loc) || c.length - c.at < n || memcmp(old + c.at, use->old, n) != 0) {
            return FLX_FAIL(ctx, FLX_ERR_MODEL, use->loc,
                            "'%s' is not written out here; write '%s' by hand", use->old, use->now);
        }
        append(u, old + from, c.at - from);
        append(u, use->now, strlen(use->now));
        from = c.at + n;
    }
    append(u, old + from, length - from);
    u->text[u->length] = 0;
    return FLX_OK;
}

// ---- files of parts -------------------------------------------------------------------------------

static flx_status add_part(flx_ctx *ctx, flx_upgrade *u, const flx_entry *name)
{
    const char *path = flx_file_beside(u->arena, name->loc.file, name->text);
    if (!path) return FLX_ERR_MEMORY;
    for (int i = 0; i < u->npart; i++) {
        if (strcmp(u->parts[i], path) == 0) return FLX_OK;
    }
    FLX_TRY(flx_grow(ctx, (void **)&u->parts, &u->part_capacity, u->npart + 1, sizeof *u->parts));
    u->parts[u->npart++] = path;
    return FLX_OK;
}

// Those that the model and the models inside it name; a name of a model has neither point nor slash.
static flx_status find_parts(flx_ctx *ctx, flx_upgrade *u, const flx_entry *model)
{
    const flx_entry *parts = flx_entry_get(model, "parts"),
                    *models = flx_entry_get(model, "models");
    for (int i = 0; parts && parts->kind == FLX_ENTRY_MAP && i < parts->count; i++) {
        const flx_entry *name = flx_entry_get(parts->items[i], "model");
        if (!name || name->kind != FLX_ENTRY_SCALAR || !strpbrk(name->text, "./")) continue;
        FLX_TRY(add_part(ctx, u, name));
    }
    for (int i = 0; models && models->kind == FLX_ENTRY_MAP && i < models->count; i++) {
        FLX_TRY(find_parts(ctx, u, models->items[i]));
    }
    return FLX_OK;
}

// ---- the calls ------------------------------------------------------------------------------------

static flx_status read_file(flx_ctx *ctx, const char *path, flx_upgrade *u)
{
    char *text = NULL;
    size_t length = 0;
    flx_entry *tree = NULL;
    const char *file = flx_intern(ctx, path);
    u->arena = flx_arena_create(ctx);
    if (!file || !u->arena) return FLX_ERR_MEMORY;
    FLX_TRY(flx_file_read(ctx, u->arena, path, FLX_NOWHERE, &text, &length));
    FLX_TRY(flx_yaml_parse(ctx, u->arena, file, text, length, &tree));
    FLX_TRY(flx_schema_renew_quietly(ctx, tree, &u->found));
    FLX_TRY(find_parts(ctx, u, tree));
    return rewrite(ctx, u, text, length);
}

flx_status flx_upgrade_read(flx_ctx *ctx, const char *path, flx_upgrade **out)
{
    if (!out) return FLX_ERR_ARGUMENT;
    *out = NULL;
    if (!ctx || !path) return FLX_ERR_ARGUMENT;
    flx_upgrade *u = flx_alloc(ctx, 1, sizeof *u);
    if (!u) return FLX_ERR_MEMORY;
    flx_status status = read_file(ctx, path, u);
    if (status == FLX_OK) {
        *out = u;
    } else {
        flx_upgrade_destroy(&u);
    }
    return status;
}

const char *flx_upgrade_text(const flx_upgrade *u, size_t *length)
{
    if (!u) return NULL;
    if (length) *length = u->length;
    return u->text;
}

const char *flx_upgrade_word(const flx_upgrade *u, int i, const char **now, flx_loc *loc)
{
    if (!u) return NULL;
    if (i < 0 || i >= u->found.count) return NULL;
    if (now) *now = u->found.uses[i].now;
    if (loc) *loc = u->found.uses[i].loc;
    if (loc) loc->trail = NULL;
    return u->found.uses[i].old;
}

const char *flx_upgrade_part(const flx_upgrade *u, int i)
{
    if (!u) return NULL;
    return i >= 0 && i < u->npart ? u->parts[i] : NULL;
}

void flx_upgrade_destroy(flx_upgrade **out)
{
    flx_upgrade *u = out ? *out : NULL;
    if (!u) return;
    flx_arena_destroy(&u->arena);
    flx_free(u->found.uses);
    flx_free(u->parts);
    flx_free(u);
    *out = NULL;
}
