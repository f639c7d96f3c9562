// schema_old.c - words of older versions, found by the kinds of the schema and replaced.
#include "language/schema/schema_old.h"

#include "base/number.h"

#include <string.h>

#define NOTE_SIZE 900 // of the words that a note names

const flx_old_key flx_old_keys[] = {
#define FLX_OLD_KEY(group, types, old, now) {FLX_GROUP_##group, types, old, now},
#define FLX_OLD_WORD(...)
#include "language/schema/schema_old.def"
#undef FLX_OLD_KEY
#undef FLX_OLD_WORD
    {FLX_GROUP_COUNT, NULL, NULL, NULL},
};

const flx_old_word flx_old_words[] = {
#define FLX_OLD_KEY(...)
#define FLX_OLD_WORD(group, key, old, now) {FLX_GROUP_##group, key, old, now},
#include "language/schema/schema_old.def"
#undef FLX_OLD_KEY
#undef FLX_OLD_WORD
    {FLX_GROUP_COUNT, NULL, NULL, NULL},
};

// ---- questions ------------------------------------------------------------------------------------

// What a key of the group is now; itself when it is no old one. type NULL: not known.
static const char *key_now(flx_group group, const char *type, const char *key)
{
    for (const flx_old_key *k = flx_old_keys; k->now; k++) {
        if (k->group != group || strcmp(k->old, key) != 0) continue;
        if (k->types[0] == 0 || (type && flx_schema_lists(k->types, type, 0))) return k->now;
    }
    return key;
}

// The same of a mapping without a type, or with a misspelt one, which is told elsewhere: the first that it may be.
static const char *key_likely(flx_group group, const char *type, const char *key)
{
    const char *selector = flx_schema_groups[group].selector;
    if (type && flx_schema_find_word(group, selector, type)) return key_now(group, type, key);
    if (flx_schema_find(group, NULL, 0, key)) return key; // it is a key of other types
    for (const flx_old_key *k = flx_old_keys; k->now; k++) {
        if (k->group == group && strcmp(k->old, key) == 0) return k->now;
    }
    return key;
}

static const char *word_now(flx_group group, const char *key, const char *word)
{
    for (const flx_old_word *w = flx_old_words; w->now; w++) {
        if (w->group == group && strcmp(w->key, key) == 0 && strcmp(w->old, word) == 0)
            return w->now;
    }
    return word;
}

// The word of the group's selector in this mapping; NULL: there is none.
static const char *type_in(flx_group group, const flx_entry *map)
{
    const char *selector = flx_schema_groups[group].selector;
    const flx_entry *type = selector[0] ? flx_entry_get(map, selector) : NULL;
    return type && type->kind == FLX_ENTRY_SCALAR ? word_now(group, selector, type->text) : NULL;
}

// The alternative of a kind that has this form.
static bool find_form(flx_form_text kind, flx_form_kind form, flx_form *out)
{
    while (flx_form_next(&kind, out)) {
        if (out->form == form) return true;
    }
    return false;
}

static flx_form_text kind_of_key(flx_group group, const char *type, const char *key)
{
    const flx_schema_key *row = flx_schema_find(group, type, 0, key);
    if (!row) row = flx_schema_find(group, NULL, 0, key);
    return flx_form_of(row ? row->kind : "");
}

flx_form_text flx_schema_follow(flx_form_text kind, const flx_entry *at, const char *key,
                                const char **now)
{
    flx_form f;
    if (now) *now = key;
    if (!key) return find_form(kind, FLX_FORM_LIST, &f) ? f.inner : flx_form_of("");
    if (find_form(kind, FLX_FORM_NAMES, &f)) return f.inner;
    if (!find_form(kind, FLX_FORM_GROUP, &f)) return flx_form_of("");
    const char *type = at ? type_in(f.group, at) : NULL, *today = key_now(f.group, type, key);
    if (now) *now = today;
    return kind_of_key(f.group, type, today);
}

// ---- a tree ---------------------------------------------------------------------------------------

typedef struct renewal {
    flx_ctx *ctx;
    flx_old_uses *found;
    flx_status status;
} renewal;

static void fail(renewal *r, flx_status status)
{
    if (r->status == FLX_OK) r->status = status;
}

static void add_use(renewal *r, flx_loc loc, const char *old, const char *now)
{
    flx_old_uses *u = r->found;
    flx_status status =
        flx_grow(r->ctx, (void **)&u->uses, &u->capacity, u->count + 1, sizeof *u->uses);
    if (status == FLX_OK) u->uses[u->count++] = (flx_old_use){loc, old, now};
    fail(r, status);
}

static void renew_keys(renewal *r, flx_entry *map, flx_group group)
{
    const char *type = type_in(group, map);
    for (int i = 0; i < map->count; i++) {
        const flx_entry *key = map->keys[i];
        const char *old = key->text, *now = key_likely(group, type, old);
        if (now == old) continue;
        int twin = flx_entry_find(map, now);
        if (twin >= 0) {
            fail(r, FLX_FAIL(r->ctx, FLX_ERR_MODEL, key->loc,
                             "'%s' is the older word for '%s', which is given too; keep one", old,
                             now));
            flx_entry_remove(map, i--); // one message is enough
            continue;
        }
        add_use(r, key->loc, old, now);
        flx_entry_rename(map, i, now);
    }
}

static void renew_value(renewal *r, flx_entry *v, flx_form_text kind, flx_group group,
                        const char *key);

static void renew_group(renewal *r, flx_entry *map, flx_group group)
{
    renew_keys(r, map, group);
    const char *type = type_in(group, map);
    for (int i = 0; i < map->count; i++) {
        const char *key = map->keys[i]->text;
        renew_value(r, map->items[i], kind_of_key(group, type, key), group, key);
    }
}

// key: whose value it is, in a mapping of the group.
static void renew_value(renewal *r, flx_entry *v, flx_form_text kind, flx_group group,
                        const char *key)
{
    flx_form f;
    if (v->kind == FLX_ENTRY_SCALAR && find_form(kind, FLX_FORM_WORD, &f)) {
        const char *now = word_now(group, key, v->text);
        if (now == v->text) return;
        add_use(r, v->loc, v->text, now);
        v->text = v->written = now;
    } else if (v->kind == FLX_ENTRY_LIST && find_form(kind, FLX_FORM_LIST, &f)) {
        for (int i = 0; i < v->count; i++) renew_value(r, v->items[i], f.inner, group, key);
    } else if (v->kind == FLX_ENTRY_MAP && find_form(kind, FLX_FORM_GROUP, &f)) {
        renew_group(r, v, f.group);
    } else if (v->kind == FLX_ENTRY_MAP && find_form(kind, FLX_FORM_NAMES, &f)) {
        for (int i = 0; i < v->count; i++) renew_value(r, v->items[i], f.inner, group, key);
    }
}

flx_status flx_schema_renew_quietly(flx_ctx *ctx, flx_entry *tree, flx_old_uses *found)
{
    renewal r = {.ctx = ctx, .found = found};
    if (tree->kind == FLX_ENTRY_MAP) renew_group(&r, tree, FLX_GROUP_MODEL);
    return r.status;
}

// ---- the note -------------------------------------------------------------------------------------

static bool is_named(const flx_old_uses *u, int i)
{
    for (int k = 0; k < i; k++) {
        if (strcmp(u->uses[k].old, u->uses[i].old) == 0 &&
            strcmp(u->uses[k].now, u->uses[i].now) == 0)
            return true;
    }
    return false;
}

// "'start' (line 12) is now 'initial', ..."
static void list_uses(const flx_old_uses *u, char *text, size_t size)
{
    size_t n = 0;
    text[0] = 0;
    for (int i = 0; i < u->count; i++) {
        const flx_old_use *use = u->uses + i;
        char line[40] = "";
        if (is_named(u, i)) continue;
        if (n + 120 > size) {
            flx_snprintf(text + n, size - n, ", ...");
            return;
        }
        if (use->loc.line > 0) flx_snprintf(line, sizeof line, " (line %d)", use->loc.line);
        n += (size_t)flx_snprintf(text + n, size - n, "%s'%s'%s is now '%s'", n ? ", " : "",
                                  use->old, line, use->now);
    }
}

flx_status flx_schema_renew(flx_ctx *ctx, flx_entry *tree)
{
    flx_old_uses found = {0};
    char text[NOTE_SIZE];
    flx_status status = flx_schema_renew_quietly(ctx, tree, &found);
    if (found.count > 0) {
        const flx_loc where = {tree->loc.file, 0, 0, NULL};
        bool file = tree->loc.line > 0;
        list_uses(&found, text, sizeof text);
        flx_ctx_warn(ctx, where, "words of older versions: %s%s", text,
                     file ? "; 'flexion upgrade' rewrites the file" : "");
    }
    flx_free(found.uses);
    return status;
}
