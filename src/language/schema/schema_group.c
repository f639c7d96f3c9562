// schema_group.c - mappings with known keys, checked: what kind of item it is, which keys it has, which
// it lacks, and what items that are like each other pass on.
#include "base/number.h"
#include "language/schema/schema_parts.h"

#include <stdio.h>
#include <string.h>

#define LIKE_HOPS 64 // an item like another, which is like another, ...

bool flx_schema_family_init(flx_schema_checker *c, flx_schema_family *f, const flx_entry *map)
{
    *f = (flx_schema_family){.map = map, .capacity = 8};
    while (f->capacity < 2 * (size_t)map->count) f->capacity *= 2;
    f->slots = flx_alloc(c->ctx, f->capacity, sizeof *f->slots);
    if (!f->slots) {
        c->status = FLX_ERR_MEMORY;
        return false;
    }
    for (int i = 0; i < map->count; i++) {
        size_t slot = flx_text_hash(map->keys[i]->text) & (f->capacity - 1);
        while (f->slots[slot]) slot = (slot + 1) & (f->capacity - 1);
        f->slots[slot] = i + 1;
    }
    return true;
}

// The number of the item of that name, or -1.
static int family_find(const flx_schema_family *f, const char *name)
{
    size_t slot = flx_text_hash(name) & (f->capacity - 1);
    for (; f->slots[slot]; slot = (slot + 1) & (f->capacity - 1)) {
        if (strcmp(f->map->keys[f->slots[slot] - 1]->text, name) == 0) return f->slots[slot] - 1;
    }
    return -1;
}

// The number of the item that this one is like; -1 when there is none that can be found.
static int like_of(const flx_entry *item, const flx_schema_family *siblings)
{
    const flx_entry *like = flx_entry_get(item, "like");
    if (!like || like->kind != FLX_ENTRY_SCALAR || !siblings) return -1;
    int other = family_find(siblings, like->text);
    return other >= 0 && siblings->map->items[other]->kind == FLX_ENTRY_MAP ? other : -1;
}

// The value of a key, its own or that of the items it is like.
static const flx_entry *inherited(const flx_entry *item, const flx_schema_family *siblings,
                                  const char *key)
{
    for (int hops = 0; hops <= LIKE_HOPS; hops++) {
        const flx_entry *v = flx_entry_get(item, key);
        if (v || !siblings) return v;
        int other = like_of(item, siblings);
        if (other < 0) return NULL;
        item = siblings->map->items[other];
    }
    return NULL;
}

static void complain_like(flx_schema_checker *c, const flx_entry *like, const flx_schema_trail *t)
{
    const flx_entry *map = t->siblings->map;
    flx_nearest near;
    flx_nearest_start(&near, like->text);
    for (int i = 0; i < map->count; i++) flx_nearest_offer(&near, map->keys[i]->text);
    const char *best = flx_nearest_best(&near);
    COMPLAIN(c, like->loc, "there is no %s '%.*s' to be like%s%.*s%s",
             flx_schema_groups[t->group].noun, FLX_SCHEMA_SHOWN, like->text,
             best ? "; did you mean '" : "", FLX_SCHEMA_SHOWN, best ? best : "", best ? "'?" : "");
}

static void check_like(flx_schema_checker *c, const flx_entry *item, const flx_schema_trail *t)
{
    const flx_entry *like = flx_entry_get(item, "like");
    if (!like || like->kind != FLX_ENTRY_SCALAR || !like->text[0] || !t->siblings) return;
    if (family_find(t->siblings, like->text) < 0) {
        complain_like(c, like, t);
        return;
    }
    const char *noun = flx_schema_groups[t->group].noun;
    int self = family_find(t->siblings, t->segment), other = like_of(item, t->siblings);
    bool first = true; // of the circle, if it is one
    for (int hops = 0; other >= 0 && hops <= LIKE_HOPS; hops++) {
        if (other == self) {
            if (!first) return;
            COMPLAIN(c, like->loc, "%s '%.*s' is like itself, by way of '%.*s'", noun,
                     FLX_SCHEMA_SHOWN, t->segment, FLX_SCHEMA_SHOWN, like->text);
            return;
        }
        first = first && other > self;
        other = like_of(t->siblings->map->items[other], t->siblings);
    }
    if (other >= 0) {
        COMPLAIN(c, like->loc, "%s '%.*s' is like another by way of more than %d items", noun,
                 FLX_SCHEMA_SHOWN, t->segment, LIKE_HOPS);
    }
}

// The word of the group's selector: what kind of item this is. NULL when there is none or it is
// not known; then only what all kinds have in common is checked.
static const char *type_of(flx_schema_checker *c, const flx_entry *item, const flx_schema_trail *t)
{
    const char *selector = flx_schema_groups[t->group].selector;
    if (!selector[0]) return "";
    const flx_entry *v = inherited(item, t->siblings, selector);
    if (v) {
        bool known =
            v->kind == FLX_ENTRY_SCALAR && flx_schema_find_word(t->group, selector, v->text);
        return known ? v->text : NULL;
    }
    const flx_schema_key *row = flx_schema_find(t->group, NULL, c->dimension, selector);
    if (!row->needed) return row->initial;
    if (!flx_entry_get(item, "like")) {
        char label[FLX_SCHEMA_LABEL], choices[FLX_SCHEMA_LABEL];
        flx_schema_label_group(t, label, sizeof label);
        flx_schema_list_words(c, t->group, NULL, selector, choices, sizeof choices);
        COMPLAIN(c, t->loc, "%s needs a '%s': %s", label, selector, choices);
    }
    return NULL;
}

// "revolute, prismatic": the types that have the key
static void list_types(const char *types, char *buffer, size_t size)
{
    char word[40];
    size_t n = 0;
    buffer[0] = 0;
    while (flx_schema_next_word(&types, word, sizeof word)) {
        char *at = strchr(word, '@');
        if (at) *at = 0;
        n += (size_t)flx_snprintf(buffer + n, size - n, "%s%s", n ? ", " : "", word);
        if (n + 24 > size) break;
    }
}

// Returns the key that was probably meant, or NULL.
static const char *complain_key(flx_schema_checker *c, const flx_entry *key, const char *type,
                                const flx_schema_trail *t)
{
    char label[FLX_SCHEMA_LABEL], types[FLX_SCHEMA_LABEL];
    flx_schema_label_group(t, label, sizeof label);
    const char *selector = flx_schema_groups[t->group].selector;
    const flx_schema_key *other = flx_schema_find(t->group, NULL, 0, key->text);
    if (other && flx_schema_lists(other->types, type, 0)) {
        bool typed = type && type[0];
        COMPLAIN(c, key->loc, "%s%s%s%s has no '%s' in a %s model", label, typed ? " (" : "",
                 typed ? type : "", typed ? ")" : "", key->text,
                 c->dimension == 2 ? "planar" : "spatial");
        return NULL;
    }
    if (other) {
        list_types(other->types, types, sizeof types);
        COMPLAIN(c, key->loc, "%s has no '%s' when its %s is %s; it belongs to: %s", label,
                 key->text, selector, type, types);
        return NULL;
    }
    if (strcmp(key->text, "true") == 0) {
        COMPLAIN(c, key->loc,
                 "unknown key 'true' in %s; did you mean 'on'? A YAML 1.1 tool may have rewritten "
                 "'on' as 'true'",
                 label);
        return "on";
    }
    flx_nearest near;
    flx_nearest_start(&near, key->text);
    const flx_schema_key *elsewhere = NULL;
    for (const flx_schema_key *k = flx_schema_keys(); k->key; k++) {
        bool likelier = !elsewhere || (k->needed && !elsewhere->needed);
        if (likelier && strcmp(k->key, key->text) == 0) elsewhere = k;
        if (!(k->groups >> t->group & 1)) continue;
        if (flx_schema_lists(k->types, type, c->dimension)) flx_nearest_offer(&near, k->key);
    }
    const char *best = flx_nearest_best(&near);
    if (best) {
        COMPLAIN(c, key->loc, "unknown key '%.*s' in %s; did you mean '%s'?", FLX_SCHEMA_SHOWN,
                 key->text, label, best);
    } else if (elsewhere) {
        int g = 0;
        while (!(elsewhere->groups >> g & 1)) g++;
        COMPLAIN(c, key->loc, "unknown key '%.*s' in %s; it is a key of: %s", FLX_SCHEMA_SHOWN,
                 key->text, label, flx_schema_groups[g].heading);
    } else {
        COMPLAIN(c, key->loc, "unknown key '%.*s' in %s", FLX_SCHEMA_SHOWN, key->text, label);
    }
    return best;
}

// meant: a misspelt key that was told of; it is not missing too.
static void check_needed(flx_schema_checker *c, const flx_entry *item, const char *type,
                         const char *meant, const flx_schema_trail *t)
{
    char label[FLX_SCHEMA_LABEL];
    const char *selector = flx_schema_groups[t->group].selector;
    for (const flx_schema_key *k = flx_schema_keys(); k->key; k++) {
        if (!(k->groups >> t->group & 1) || !k->needed || strcmp(k->key, selector) == 0) continue;
        if (!flx_schema_lists(k->types, type, c->dimension)) continue;
        if (c->part && !t->up && strcmp(k->key, "flexion") == 0) continue;
        if (inherited(item, t->siblings, k->key) || (meant && strcmp(meant, k->key) == 0)) continue;
        flx_schema_label_group(t, label, sizeof label);
        COMPLAIN(c, t->loc, "%s needs '%s'%s", label, k->key,
                 !t->up ? ": the version of the language, 'flexion: 1'" : "");
    }
}

// "'a', 'b' or 'c'"
static void list_keys(const char *keys, char *buffer, size_t size)
{
    char word[40];
    size_t n = 0;
    buffer[0] = 0;
    while (flx_schema_next_word(&keys, word, sizeof word)) {
        const char *rest = keys + strspn(keys, " ");
        n += (size_t)flx_snprintf(buffer + n, size - n, "%s'%s'",
                                  n == 0  ? ""
                                  : *rest ? ", "
                                          : " or ",
                                  word);
        if (n + 24 > size) break;
    }
}

static void check_rule(flx_schema_checker *c, const flx_entry *item, const flx_schema_rule *r,
                       const flx_schema_trail *t)
{
    char label[FLX_SCHEMA_LABEL], keys[FLX_SCHEMA_LABEL], word[40], first[40] = "",
                                                                    given[2][40] = {"", ""};
    const char *rest = r->keys;
    const flx_entry *second = NULL;
    int n = 0;
    bool has_first = false;
    for (int i = 0; flx_schema_next_word(&rest, word, sizeof word); i++) {
        bool has = inherited(item, t->siblings, word) != NULL;
        if (i == 0) {
            memcpy(first, word, sizeof first);
            has_first = has;
        }
        if (!has) continue;
        if (n < 2) memcpy(given[n], word, sizeof word);
        n++;
    }
    flx_schema_label_group(t, label, sizeof label);
    list_keys(r->keys, keys, sizeof keys);
    if (n == 0 && (r->rule == FLX_RULE_ONE || r->rule == FLX_RULE_SOME)) {
        COMPLAIN(c, t->loc, "%s needs %s", label, keys);
    } else if (n > 1 && (r->rule == FLX_RULE_ONE || r->rule == FLX_RULE_MOST_ONE)) {
        for (int i = 0; i < item->count && !second; i++) {
            if (strcmp(item->keys[i]->text, given[1]) == 0) second = item->keys[i];
        }
        COMPLAIN(c, second ? second->loc : t->loc, "%s has both '%s' and '%s'; one of %s", label,
                 given[0], given[1], keys);
    } else if (r->rule == FLX_RULE_WITH && has_first && n == 1) {
        for (int i = 0; i < item->count && !second; i++) {
            if (strcmp(item->keys[i]->text, first) == 0) second = item->keys[i];
        }
        const char *other = strrchr(r->keys, ' ') + 1;
        COMPLAIN(c, second ? second->loc : t->loc, "'%s' of %s needs '%s' too", first, label,
                 other);
    }
}

void flx_schema_check_group(flx_schema_checker *c, const flx_entry *v, const flx_schema_trail *t)
{
    const char *type = type_of(c, v, t);
    bool has_like = flx_schema_find(t->group, NULL, 0, "like") != NULL;
    const char *meant = NULL;
    if (has_like) check_like(c, v, t);
    for (int i = 0; i < v->count && !flx_schema_enough(c); i++) {
        const flx_entry *key = v->keys[i];
        const flx_schema_key *row = flx_schema_find(t->group, type, c->dimension, key->text);
        if (!row && flx_schema_is_told(key, v->items[i])) continue;
        if (!row) {
            const char *best = complain_key(c, key, type, t);
            if (best) meant = best;
            continue;
        }
        if (row->later) {
            flx_schema_add_unavailable(c, t, row->key, NULL, key->loc);
            if (c->quiet) continue;
        }
        flx_schema_trail at = {
            .up = t, .segment = row->key, .group = FLX_GROUP_COUNT, .loc = key->loc, .type = type};
        flx_schema_check_value(c, v->items[i], flx_form_of(row->kind), &at);
    }
    // An item that is like another lacks what the other lacks, which is told there.
    bool own = !has_like || like_of(v, t->siblings) < 0;
    const char *selector = flx_schema_groups[t->group].selector;
    if (!type || flx_schema_enough(c) || (!own && !flx_entry_get(v, selector))) return;
    check_needed(c, v, type, meant, t);
    int before = c->nerror;
    for (const flx_schema_rule *r = flx_schema_rules(); r->keys && c->nerror == before; r++) {
        if (r->group == t->group && flx_schema_lists(r->types, type, c->dimension)) {
            check_rule(c, v, r, t);
        }
    }
}
