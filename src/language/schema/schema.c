// schema.c - a tree checked against the table of the language.
//
// Checks shapes: which keys there are, which must be there, what kind of value each has. Names,
// numbers and expressions are read later, by the model's builder. One walk serves the check and the
// search for what is not supported yet. Mappings with known keys: schema_group.c.
#include "base/letters.h"
#include "base/number.h"
#include "language/schema/schema_parts.h"

#include <stdio.h>
#include <string.h>

// ---- words for messages -----------------------------------------------------------------------

static const flx_schema_trail *group_of(const flx_schema_trail *t)
{
    while (t->group == FLX_GROUP_COUNT) t = t->up;
    return t;
}

void flx_schema_label_group(const flx_schema_trail *t, char *buffer, size_t size)
{
    size_t n = 0;
    for (t = group_of(t);; t = group_of(t->up)) {
        const char *noun = flx_schema_groups[t->group].noun;
        int wrote;
        if (!t->segment) {
            wrote = n ? 0 : flx_snprintf(buffer + n, size - n, "the model");
        } else if (t->named) {
            wrote = flx_snprintf(buffer + n, size - n, "%s%s '%.*s'", n ? " of " : "", noun,
                                 FLX_SCHEMA_SHOWN, t->segment);
        } else {
            wrote = flx_snprintf(buffer + n, size - n, "%s'%s'", n ? " of " : "", t->segment);
        }
        n += wrote > 0 ? (size_t)wrote : 0;
        if (!t->up || t->named || n >= size) break;
    }
}

// "'axis' of joint 'A'", "'lean' in 'signals'", "'gravity'"
static void label_value(const flx_schema_trail *t, char *buffer, size_t size)
{
    char owner[FLX_SCHEMA_LABEL];
    if (!t->segment) {
        flx_snprintf(buffer, size, "the model");
    } else if (!t->up->segment) {
        flx_snprintf(buffer, size, "'%.*s'", FLX_SCHEMA_SHOWN, t->segment);
    } else if (t->named && t->up->group == FLX_GROUP_COUNT) {
        flx_snprintf(buffer, size, "'%.*s' in '%s'", FLX_SCHEMA_SHOWN, t->segment, t->up->segment);
    } else {
        flx_schema_label_group(t->up, owner, sizeof owner);
        flx_snprintf(buffer, size, "'%.*s' of %s", FLX_SCHEMA_SHOWN, t->segment, owner);
    }
}

static const char *node_word(const flx_entry *v)
{
    return v->kind == FLX_ENTRY_LIST  ? "a list"
           : v->kind == FLX_ENTRY_MAP ? "a mapping"
           : v->text[0] == 0          ? "empty"
                                      : "a word or number";
}

// ---- scalars ----------------------------------------------------------------------------------

// A comma cuts an expression in two inside { } and [ ]; what is left has an open bracket.
static void check_brackets(flx_schema_checker *c, const flx_entry *v)
{
    int depth = 0;
    for (const char *s = v->text; *s && depth >= 0; s++) depth += (*s == '(') - (*s == ')');
    if (depth > 0 && v->flow && !v->quoted) {
        COMPLAIN(c, v->loc,
                 "'%.*s' has a bracket that is not closed; inside { } or [ ] an expression with a "
                 "comma or bracket is written in double quotes",
                 FLX_SCHEMA_SHOWN, v->text);
    }
}

static bool is_of(const flx_schema_word *w, const char *type)
{
    return !w->types || flx_schema_lists(w->types, type, 0);
}

static bool word_fits(const flx_schema_word *w, flx_group group, const char *type, const char *key,
                      int dimension)
{
    return w->group == group && strcmp(w->key, key) == 0 && is_of(w, type) &&
           strchr(w->dimensions, '0' + dimension) != NULL;
}

void flx_schema_list_words(const flx_schema_checker *c, flx_group group, const char *type,
                           const char *key, char *buffer, size_t size)
{
    size_t n = 0;
    buffer[0] = 0;
    for (const flx_schema_word *w = flx_schema_words(); w->key; w++) {
        if (!word_fits(w, group, type, key, c->dimension) || w->later) continue;
        int wrote = flx_snprintf(buffer + n, size - n, "%s%s", n ? ", " : "", w->word);
        n += (size_t)wrote;
        if (n + 24 > size) {
            flx_snprintf(buffer + n, size - n, ", ...");
            break;
        }
    }
}

static void check_word(flx_schema_checker *c, const flx_entry *v, const flx_schema_trail *t)
{
    flx_group group = group_of(t->up)->group;
    const flx_schema_word *w = flx_schema_find_word(group, t->segment, v->text);
    char label[FLX_SCHEMA_LABEL], choices[FLX_SCHEMA_LABEL];
    if (w && !is_of(w, t->type)) w = NULL;
    if (w && strchr(w->dimensions, '0' + c->dimension)) {
        if (w->later) flx_schema_add_unavailable(c, t->up, t->segment, w->word, v->loc);
        return;
    }
    label_value(t, label, sizeof label);
    if (w) {
        COMPLAIN(c, v->loc, "%s: '%s' is not for %s models", label, w->word,
                 c->dimension == 2 ? "planar" : "spatial");
        return;
    }
    if (group == FLX_GROUP_MODEL && strcmp(t->segment, "flexion") == 0) {
        COMPLAIN(c, v->loc, "version '%.*s' of the language is not known; this program reads 1",
                 FLX_SCHEMA_SHOWN, v->text);
        return;
    }
    flx_nearest near;
    flx_nearest_start(&near, v->text);
    for (w = flx_schema_words(); w->key; w++) {
        if (word_fits(w, group, t->type, t->segment, c->dimension))
            flx_nearest_offer(&near, w->word);
    }
    const char *best = flx_nearest_best(&near);
    if (best) {
        COMPLAIN(c, v->loc, "%s cannot be '%.*s'; did you mean '%s'?", label, FLX_SCHEMA_SHOWN,
                 v->text, best);
    } else {
        flx_schema_list_words(c, group, t->type, t->segment, choices, sizeof choices);
        COMPLAIN(c, v->loc, "%s cannot be '%.*s'; it is one of: %s", label, FLX_SCHEMA_SHOWN,
                 v->text, choices);
    }
}

static void check_scalar(flx_schema_checker *c, const flx_entry *v, const flx_form *k,
                         const flx_schema_trail *t)
{
    char label[FLX_SCHEMA_LABEL];
    switch (k->form) {
    case FLX_FORM_WORD:
        check_word(c, v, t);
        break;
    case FLX_FORM_BOOL:
        if (strcmp(v->text, "true") == 0 || strcmp(v->text, "false") == 0) break;
        label_value(t, label, sizeof label);
        COMPLAIN(c, v->loc, "%s is true or false, not '%.*s'", label, FLX_SCHEMA_SHOWN, v->text);
        break;
    case FLX_FORM_NAME:
        if (flx_begins_name(v->text[0])) break;
        label_value(t, label, sizeof label);
        COMPLAIN(c, v->loc, "%s needs a name here, not '%.*s'", label, FLX_SCHEMA_SHOWN, v->text);
        break;
    case FLX_FORM_NUMBER:
    case FLX_FORM_VECTOR:
    case FLX_FORM_PLACE:
    case FLX_FORM_VALUES:
        check_brackets(c, v);
        break;
    default:
        break;
    }
}

// ---- kinds ------------------------------------------------------------------------------------

static bool is_scalar_form(flx_form_kind form)
{
    return form == FLX_FORM_NUMBER || form == FLX_FORM_NAME || form == FLX_FORM_TEXT ||
           form == FLX_FORM_FILE || form == FLX_FORM_BOOL || form == FLX_FORM_WORD ||
           form == FLX_FORM_VECTOR || form == FLX_FORM_PLACE || form == FLX_FORM_VALUES;
}

static bool fits(const flx_schema_checker *c, const flx_entry *v, flx_form_text kind);

static bool are_values(const flx_entry *v)
{
    if (v->kind == FLX_ENTRY_SCALAR) return v->text[0] != 0;
    if (v->kind == FLX_ENTRY_MAP) return false;
    for (int i = 0; i < v->count; i++) {
        if (!are_values(v->items[i])) return false;
    }
    return true;
}

static bool are_scalars(const flx_entry *list)
{
    for (int i = 0; i < list->count; i++) {
        if (list->items[i]->kind != FLX_ENTRY_SCALAR || list->items[i]->text[0] == 0) return false;
    }
    return true;
}

static bool has_dimension(const flx_schema_checker *c, int count)
{
    return count == 3 || (count == 2 && c->dimension == 2);
}

// Whether a value has the shape of one alternative; what is inside a mapping is not looked at.
static bool fits_one(const flx_schema_checker *c, const flx_entry *v, const flx_form *k)
{
    if (k->dimension && k->dimension != c->dimension) return false;
    if (k->form == FLX_FORM_ANY) return true;
    if (v->kind == FLX_ENTRY_SCALAR) {
        return is_scalar_form(k->form) && (v->text[0] != 0 || k->form == FLX_FORM_TEXT);
    }
    if (v->kind == FLX_ENTRY_MAP) return k->form == FLX_FORM_GROUP || k->form == FLX_FORM_NAMES;
    if (k->form == FLX_FORM_VALUES) return are_values(v);
    if (k->form == FLX_FORM_VECTOR || k->form == FLX_FORM_PLACE) {
        return has_dimension(c, v->count) && are_scalars(v);
    }
    if (k->form != FLX_FORM_LIST) return false;
    if (v->count < k->least || (k->most >= 0 && v->count > k->most)) return false;
    for (int i = 0; i < v->count; i++) {
        if (!fits(c, v->items[i], k->inner)) return false;
    }
    return true;
}

static bool fits(const flx_schema_checker *c, const flx_entry *v, flx_form_text kind)
{
    flx_form k;
    while (flx_form_next(&kind, &k)) {
        if (fits_one(c, v, &k)) return true;
    }
    return false;
}

bool flx_schema_is_told(const flx_entry *key, const flx_entry *value)
{
    return !flx_is_name(key->text) && value->kind == FLX_ENTRY_SCALAR && value->text[0] == 0 &&
           !value->quoted;
}

static void check_names(flx_schema_checker *c, const flx_entry *v, const flx_form *k,
                        const flx_schema_trail *t)
{
    char label[FLX_SCHEMA_LABEL];
    label_value(t, label, sizeof label);
    if (v->count < k->least) COMPLAIN(c, v->loc, "%s is empty", label);
    flx_schema_family siblings;
    if (!flx_schema_family_init(c, &siblings, v)) return;
    for (int i = 0; i < v->count && !flx_schema_enough(c); i++) {
        const flx_entry *key = v->keys[i];
        flx_schema_trail at = {.up = t,
                               .segment = key->text,
                               .group = FLX_GROUP_COUNT,
                               .named = true,
                               .siblings = &siblings,
                               .loc = key->loc};
        if (strcmp(key->text, "true") == 0 || strcmp(key->text, "false") == 0) {
            COMPLAIN(c, key->loc,
                     "'%s' cannot be a name; a YAML 1.1 tool may have rewritten 'on', 'yes', 'y' "
                     "or the like",
                     key->text);
        } else if (!k->loose && !flx_is_name(key->text)) {
            COMPLAIN(c, key->loc,
                     "'%.*s' in %s is not a name: letters, digits and _, beginning with a letter",
                     FLX_SCHEMA_SHOWN, key->text, label);
        }
        flx_schema_check_value(c, v->items[i], k->inner, &at);
    }
    flx_free(siblings.slots);
}

static void check_fitting(flx_schema_checker *c, const flx_entry *v, const flx_form *k,
                          const flx_schema_trail *t)
{
    if (k->form == FLX_FORM_ANY) return;
    if (v->kind == FLX_ENTRY_SCALAR) {
        check_scalar(c, v, k, t);
    } else if (v->kind == FLX_ENTRY_LIST) {
        flx_form_text entry = k->form == FLX_FORM_LIST ? k->inner : flx_form_of("values");
        for (int i = 0; i < v->count && !flx_schema_enough(c); i++)
            flx_schema_check_value(c, v->items[i], entry, t);
    } else if (k->form == FLX_FORM_NAMES) {
        check_names(c, v, k, t);
    } else {
        flx_schema_trail at = *t;
        at.group = k->group;
        flx_schema_check_group(c, v, &at);
    }
}

// The one alternative that is a list, when there is only one.
static bool only_list(const flx_schema_checker *c, flx_form_text kind, flx_form *list)
{
    flx_form k;
    int n = 0;
    while (flx_form_next(&kind, &k)) {
        if (k.dimension && k.dimension != c->dimension) continue;
        if (k.form == FLX_FORM_VALUES) return false;
        if (k.form != FLX_FORM_LIST && k.form != FLX_FORM_VECTOR && k.form != FLX_FORM_PLACE)
            continue;
        *list = k;
        n++;
    }
    return n == 1;
}

static void complain_vector(flx_schema_checker *c, const flx_entry *v, const flx_schema_trail *t)
{
    char label[FLX_SCHEMA_LABEL];
    label_value(t, label, sizeof label);
    for (int i = 0; i < v->count; i++) {
        if (v->items[i]->kind == FLX_ENTRY_SCALAR && v->items[i]->text[0]) continue;
        COMPLAIN(c, v->items[i]->loc, "%s is a vector of numbers; this entry is %s", label,
                 node_word(v->items[i]));
        return;
    }
    if (c->dimension == 2) {
        COMPLAIN(c, v->loc, "%s is a vector of 2 numbers; this list has %d", label, v->count);
    } else {
        COMPLAIN(c, v->loc, "%s is a vector of 3 numbers; this list has %d%s", label, v->count,
                 v->count == 2 ? " (a planar model says 'dimension: 2')" : "");
    }
}

// No alternative fits: say what is expected, at the smallest part that is wrong.
static void complain_kind(flx_schema_checker *c, const flx_entry *v, flx_form_text kind,
                          const flx_schema_trail *t)
{
    char label[FLX_SCHEMA_LABEL], expected[FLX_SCHEMA_LABEL];
    flx_form k;
    if (v->kind == FLX_ENTRY_SCALAR && v->text[0] == 0 && !v->quoted) {
        c->nerror++; // the reader has told of the empty value
        return;
    }
    if (v->kind == FLX_ENTRY_LIST && only_list(c, kind, &k)) {
        if (k.form != FLX_FORM_LIST) {
            complain_vector(c, v, t);
            return;
        }
        if (v->count >= k.least && (k.most < 0 || v->count <= k.most)) {
            for (int i = 0; i < v->count && !flx_schema_enough(c); i++)
                flx_schema_check_value(c, v->items[i], k.inner, t);
            return;
        }
    }
    label_value(t, label, sizeof label);
    flx_form_describe(kind, c->dimension, expected, sizeof expected);
    const char *planar = c->dimension == 2 ? " in a planar model" : "";
    if (!expected[0]) {
        COMPLAIN(c, v->loc, "%s has no place%s", label,
                 c->dimension == 2 ? planar : " in a spatial model");
    } else if (v->kind == FLX_ENTRY_LIST) {
        COMPLAIN(c, v->loc, "%s must be %s%s; this is a list of %d", label, expected, planar,
                 v->count);
    } else {
        COMPLAIN(c, v->loc, "%s must be %s%s; this is %s", label, expected, planar, node_word(v));
    }
}

void flx_schema_check_value(flx_schema_checker *c, const flx_entry *v, flx_form_text kind,
                            const flx_schema_trail *t)
{
    flx_form_text rest = kind;
    flx_form k;
    while (flx_form_next(&rest, &k)) {
        if (!fits_one(c, v, &k)) continue;
        check_fitting(c, v, &k, t);
        return;
    }
    complain_kind(c, v, kind, t);
}

// ---- whole trees ------------------------------------------------------------------------------

// 2 or 3, as the tree says; 3 when it says nothing.
static int dimension_of(const flx_entry *tree)
{
    const flx_entry *v = flx_entry_get(tree, "dimension");
    return v && v->kind == FLX_ENTRY_SCALAR && strcmp(v->text, "2") == 0 ? 2 : 3;
}

static flx_status check_tree(flx_schema_checker *c, const flx_entry *tree)
{
    if (tree->kind != FLX_ENTRY_MAP) {
        return FLX_FAIL(c->ctx, FLX_ERR_MODEL, tree->loc,
                        "a model is a mapping of keys and values, beginning with 'flexion: 1'; "
                        "this is %s",
                        tree->kind == FLX_ENTRY_LIST ? "a list" : "a text");
    }
    flx_schema_trail root = {.group = FLX_GROUP_MODEL, .loc = tree->loc};
    flx_schema_check_group(c, tree, &root);
    if (c->status != FLX_OK) return c->status;
    return c->nerror ? FLX_ERR_MODEL : FLX_OK;
}

flx_status flx_schema_check(flx_ctx *ctx, const flx_entry *tree)
{
    flx_schema_checker c = {.ctx = ctx, .dimension = dimension_of(tree)};
    return check_tree(&c, tree);
}

flx_status flx_schema_check_part(flx_ctx *ctx, const flx_entry *tree, int dimension)
{
    flx_schema_checker c = {.ctx = ctx, .dimension = dimension, .part = true};
    const flx_entry *own = flx_entry_get(tree, "dimension");
    if (own && dimension_of(tree) != dimension) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, own->loc,
                        "this model is %s and the one that uses it as a part is %s",
                        dimension == 2 ? "spatial" : "planar",
                        dimension == 2 ? "planar" : "spatial");
    }
    return check_tree(&c, tree);
}

// ---- what is not supported yet ----------------------------------------------------------------

static void write_path(const flx_schema_trail *t, char *buffer, size_t size)
{
    if (!t || !t->segment) {
        buffer[0] = 0;
        return;
    }
    write_path(t->up, buffer, size);
    size_t n = strlen(buffer);
    flx_snprintf(buffer + n, size - n, "%s%.*s", n ? "." : "", FLX_SCHEMA_SHOWN, t->segment);
}

// What serves in the meantime.
static const char *find_instead(const char *word)
{
    static const char *const table[][2] = {
        {"contact", "a force of type 'expression' with 'if' can push bodies apart"},
        {"shell", "a thin part can be a mesh of type 'solid' or, where it bends little, 'modal'"},
    };
    for (size_t i = 0; word && i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(word, table[i][0]) == 0) return table[i][1];
    }
    return "";
}

void flx_schema_add_unavailable(flx_schema_checker *c, const flx_schema_trail *t, const char *key,
                                const char *word, flx_loc loc)
{
    char path[FLX_SCHEMA_LABEL];
    if (!c->quiet || c->status != FLX_OK) return;
    write_path(t, path, sizeof path);
    const char *dot = path[0] ? "." : "";
    const char *what = !word ? flx_arena_printf(c->arena, "%s%s%s", path, dot, key)
                       : strcmp(key, "type") == 0
                           ? flx_arena_printf(c->arena, "%s: type %s", path, word)
                           : flx_arena_printf(c->arena, "%s%s%s: %s", path, dot, key, word);
    c->status =
        what ? flx_grow(c->ctx, (void **)&c->found, &c->capacity, c->nfound + 1, sizeof *c->found)
             : FLX_ERR_MEMORY;
    if (c->status == FLX_OK)
        c->found[c->nfound++] = (flx_unavailable){what, find_instead(word), loc};
}

flx_status flx_schema_unavailable(flx_ctx *ctx, flx_arena *arena, const flx_entry *tree,
                                  int dimension, int *n, flx_unavailable **list)
{
    flx_schema_checker c = {
        .ctx = ctx, .dimension = dimension, .part = true, .quiet = true, .arena = arena};
    *n = 0;
    *list = NULL;
    if (tree->kind == FLX_ENTRY_MAP) check_tree(&c, tree);
    if (c.status == FLX_OK && c.nfound) {
        *list = flx_arena_take(arena, (size_t)c.nfound, sizeof **list);
        if (*list) {
            memcpy(*list, c.found, (size_t)c.nfound * sizeof **list);
            *n = c.nfound;
        } else {
            c.status = FLX_ERR_MEMORY;
        }
    }
    flx_free(c.found);
    return c.status;
}
