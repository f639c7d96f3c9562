// schema.c - a tree checked against the table of the language.
//
// Checks shapes: which keys there are, which must be there, what kind of value each has. Names,
// numbers and expressions are read later, by the model's builder. One walk serves the check and the
// search for what is not available yet.
#include "model/schema.h"

#include <stdio.h>
#include <string.h>

#define SHOWN 60  // characters of the user's text in a message
#define LABEL 200 // characters of a description

typedef struct checker {
    flx_ctx *ctx;
    int dimension;
    bool part;  // the tree is that of a part's file
    bool quiet; // look for what is unavailable; the check was made before
    int nerror;
    flx_arena *arena;
    flx_unavailable *found; // owned while searching
    int nfound, capacity;
    flx_status status; // no memory
} checker;

// The items of one section, found by name: an open hash table, so that many items that are like
// each other stay cheap.
typedef struct family {
    const flx_yaml *map;
    size_t capacity;
    int *slots; // number + 1; 0: free. Owned
} family;

#define LIKE_HOPS 64 // an item like another, which is like another, ...

// The way from the root to a value.
typedef struct trail {
    const struct trail *up;
    const char *segment;    // key or name; NULL at the root
    flx_group group;        // of the mapping here; FLX_GROUP_COUNT: not a group
    bool named;             // segment is the user's name of an item
    const family *siblings; // items among which `like` finds another
    flx_loc loc;            // of the key
} trail;

#define COMPLAIN(c, loc, ...)                                                                      \
    do {                                                                                           \
        if (!(c)->quiet) FLX_FAIL((c)->ctx, FLX_ERR_MODEL, (loc), __VA_ARGS__);                    \
        (c)->nerror++;                                                                             \
    } while (0)

static bool enough(const checker *c)
{
    return (c->nerror >= FLX_MAX_ERRORS && !c->quiet) || c->status != FLX_OK;
}

static void check_value(checker *c, const flx_yaml *v, flx_form_text kind, const trail *t);

// ---- words for messages -----------------------------------------------------------------------

static const trail *group_of(const trail *t)
{
    while (t->group == FLX_GROUP_COUNT) t = t->up;
    return t;
}

// "body 'crank'", "'orientation' of body 'crank'", "the model"
static void label_group(const trail *t, char *buffer, size_t size)
{
    size_t n = 0;
    for (t = group_of(t);; t = group_of(t->up)) {
        const char *noun = flx_schema_groups[t->group].noun;
        int wrote;
        if (!t->segment) {
            wrote = n ? 0 : snprintf(buffer + n, size - n, "the model");
        } else if (t->named) {
            wrote = snprintf(buffer + n, size - n, "%s%s '%.*s'", n ? " of " : "", noun, SHOWN,
                             t->segment);
        } else {
            wrote = snprintf(buffer + n, size - n, "%s'%s'", n ? " of " : "", t->segment);
        }
        n += wrote > 0 ? (size_t)wrote : 0;
        if (!t->up || t->named || n >= size) break;
    }
}

// "'axis' of joint 'A'", "'lean' in 'signals'", "'gravity'"
static void label_value(const trail *t, char *buffer, size_t size)
{
    char owner[LABEL];
    if (!t->segment) {
        snprintf(buffer, size, "the model");
    } else if (!t->up->segment) {
        snprintf(buffer, size, "'%.*s'", SHOWN, t->segment);
    } else if (t->named && t->up->group == FLX_GROUP_COUNT) {
        snprintf(buffer, size, "'%.*s' in '%s'", SHOWN, t->segment, t->up->segment);
    } else {
        label_group(t->up, owner, sizeof owner);
        snprintf(buffer, size, "'%.*s' of %s", SHOWN, t->segment, owner);
    }
}

static const char *node_word(const flx_yaml *v)
{
    return v->kind == FLX_YAML_LIST  ? "a list"
           : v->kind == FLX_YAML_MAP ? "a mapping"
           : v->text[0] == 0         ? "empty"
                                     : "a word or number";
}

// ---- scalars ----------------------------------------------------------------------------------

static bool is_letter(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_';
}

static bool is_identifier(const char *s)
{
    if (!is_letter(*s)) return false;
    for (; *s; s++) {
        if (!is_letter(*s) && !(*s >= '0' && *s <= '9')) return false;
    }
    return true;
}

// A comma cuts an expression in two inside { } and [ ]; what is left has an open bracket.
static void check_brackets(checker *c, const flx_yaml *v)
{
    int depth = 0;
    for (const char *s = v->text; *s && depth >= 0; s++) depth += (*s == '(') - (*s == ')');
    if (depth > 0 && v->flow && !v->quoted) {
        COMPLAIN(c, v->loc,
                 "'%.*s' has a bracket that is not closed; inside { } or [ ] an expression with a "
                 "comma or bracket is written in double quotes",
                 SHOWN, v->text);
    }
}

static bool word_fits(const flx_schema_word *w, flx_group group, const char *key, int dimension)
{
    return w->group == group && strcmp(w->key, key) == 0 &&
           strchr(w->dimensions, '0' + dimension) != NULL;
}

// "revolute, prismatic, spherical, ..."
static void list_words(const checker *c, flx_group group, const char *key, char *buffer,
                       size_t size)
{
    size_t n = 0;
    buffer[0] = 0;
    for (const flx_schema_word *w = flx_schema_words; w->key; w++) {
        if (!word_fits(w, group, key, c->dimension) || w->later) continue;
        int wrote = snprintf(buffer + n, size - n, "%s%s", n ? ", " : "", w->word);
        n += (size_t)wrote;
        if (n + 24 > size) {
            snprintf(buffer + n, size - n, ", ...");
            break;
        }
    }
}

static void add_unavailable(checker *c, const trail *t, const char *key, const char *word,
                            flx_loc loc);

static void check_word(checker *c, const flx_yaml *v, const trail *t)
{
    flx_group group = group_of(t->up)->group;
    const flx_schema_word *w = flx_schema_find_word(group, t->segment, v->text);
    char label[LABEL], choices[LABEL];
    if (w && strchr(w->dimensions, '0' + c->dimension)) {
        if (w->later) add_unavailable(c, t->up, t->segment, w->word, v->loc);
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
                 SHOWN, v->text);
        return;
    }
    flx_nearest near;
    flx_nearest_start(&near, v->text);
    for (w = flx_schema_words; w->key; w++) {
        if (word_fits(w, group, t->segment, c->dimension)) flx_nearest_offer(&near, w->word);
    }
    const char *best = flx_nearest_best(&near);
    if (best) {
        COMPLAIN(c, v->loc, "%s cannot be '%.*s'; did you mean '%s'?", label, SHOWN, v->text, best);
    } else {
        list_words(c, group, t->segment, choices, sizeof choices);
        COMPLAIN(c, v->loc, "%s cannot be '%.*s'; it is one of: %s", label, SHOWN, v->text,
                 choices);
    }
}

static void check_scalar(checker *c, const flx_yaml *v, const flx_form *k, const trail *t)
{
    char label[LABEL];
    switch (k->form) {
    case FLX_FORM_WORD:
        check_word(c, v, t);
        break;
    case FLX_FORM_BOOL:
        if (strcmp(v->text, "true") == 0 || strcmp(v->text, "false") == 0) break;
        label_value(t, label, sizeof label);
        COMPLAIN(c, v->loc, "%s is true or false, not '%.*s'", label, SHOWN, v->text);
        break;
    case FLX_FORM_NAME:
        if (is_letter(v->text[0])) break;
        label_value(t, label, sizeof label);
        COMPLAIN(c, v->loc, "%s needs a name here, not '%.*s'", label, SHOWN, v->text);
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

static bool fits(const checker *c, const flx_yaml *v, flx_form_text kind);

static bool are_values(const flx_yaml *v)
{
    if (v->kind == FLX_YAML_SCALAR) return v->text[0] != 0;
    if (v->kind == FLX_YAML_MAP) return false;
    for (int i = 0; i < v->count; i++) {
        if (!are_values(v->items[i])) return false;
    }
    return true;
}

static bool are_scalars(const flx_yaml *list)
{
    for (int i = 0; i < list->count; i++) {
        if (list->items[i]->kind != FLX_YAML_SCALAR || list->items[i]->text[0] == 0) return false;
    }
    return true;
}

static bool has_dimension(const checker *c, int count)
{
    return count == 3 || (count == 2 && c->dimension == 2);
}

// Whether a value has the shape of one alternative; what is inside a mapping is not looked at.
static bool fits_one(const checker *c, const flx_yaml *v, const flx_form *k)
{
    if (k->dimension && k->dimension != c->dimension) return false;
    if (k->form == FLX_FORM_ANY) return true;
    if (v->kind == FLX_YAML_SCALAR) {
        return is_scalar_form(k->form) && (v->text[0] != 0 || k->form == FLX_FORM_TEXT);
    }
    if (v->kind == FLX_YAML_MAP) return k->form == FLX_FORM_GROUP || k->form == FLX_FORM_NAMES;
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

static bool fits(const checker *c, const flx_yaml *v, flx_form_text kind)
{
    flx_form k;
    while (flx_form_next(&kind, &k)) {
        if (fits_one(c, v, &k)) return true;
    }
    return false;
}

// A comma in an expression makes a key of its second half; the reader has told so.
static bool is_told(const flx_yaml *key, const flx_yaml *value)
{
    return !is_identifier(key->text) && value->kind == FLX_YAML_SCALAR && value->text[0] == 0 &&
           !value->quoted;
}

static void check_group(checker *c, const flx_yaml *v, const trail *t);
static bool family_init(checker *c, family *f, const flx_yaml *map);

static void check_names(checker *c, const flx_yaml *v, const flx_form *k, const trail *t)
{
    char label[LABEL];
    label_value(t, label, sizeof label);
    if (v->count < k->least) COMPLAIN(c, v->loc, "%s is empty", label);
    family siblings;
    if (!family_init(c, &siblings, v)) return;
    for (int i = 0; i < v->count && !enough(c); i++) {
        const flx_yaml *key = v->keys[i];
        trail at = {.up = t,
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
        } else if (!k->loose && !is_identifier(key->text)) {
            COMPLAIN(c, key->loc,
                     "'%.*s' in %s is not a name: letters, digits and _, beginning with a letter",
                     SHOWN, key->text, label);
        }
        check_value(c, v->items[i], k->inner, &at);
    }
    flx_free(siblings.slots);
}

static void check_fitting(checker *c, const flx_yaml *v, const flx_form *k, const trail *t)
{
    if (k->form == FLX_FORM_ANY) return;
    if (v->kind == FLX_YAML_SCALAR) {
        check_scalar(c, v, k, t);
    } else if (v->kind == FLX_YAML_LIST) {
        flx_form_text entry = k->form == FLX_FORM_LIST ? k->inner : flx_form_of("values");
        for (int i = 0; i < v->count && !enough(c); i++) check_value(c, v->items[i], entry, t);
    } else if (k->form == FLX_FORM_NAMES) {
        check_names(c, v, k, t);
    } else {
        trail at = *t;
        at.group = k->group;
        check_group(c, v, &at);
    }
}

// The one alternative that is a list, when there is only one.
static bool only_list(const checker *c, flx_form_text kind, flx_form *list)
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

static void complain_vector(checker *c, const flx_yaml *v, const trail *t)
{
    char label[LABEL];
    label_value(t, label, sizeof label);
    for (int i = 0; i < v->count; i++) {
        if (v->items[i]->kind == FLX_YAML_SCALAR && v->items[i]->text[0]) continue;
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
static void complain_kind(checker *c, const flx_yaml *v, flx_form_text kind, const trail *t)
{
    char label[LABEL], expected[LABEL];
    flx_form k;
    if (v->kind == FLX_YAML_SCALAR && v->text[0] == 0 && !v->quoted) {
        c->nerror++; // the reader has told of the empty value
        return;
    }
    if (v->kind == FLX_YAML_LIST && only_list(c, kind, &k)) {
        if (k.form != FLX_FORM_LIST) {
            complain_vector(c, v, t);
            return;
        }
        if (v->count >= k.least && (k.most < 0 || v->count <= k.most)) {
            for (int i = 0; i < v->count && !enough(c); i++)
                check_value(c, v->items[i], k.inner, t);
            return;
        }
    }
    label_value(t, label, sizeof label);
    flx_form_describe(kind, c->dimension, expected, sizeof expected);
    const char *planar = c->dimension == 2 ? " in a planar model" : "";
    if (v->kind == FLX_YAML_LIST) {
        COMPLAIN(c, v->loc, "%s must be %s%s; this is a list of %d", label, expected, planar,
                 v->count);
    } else {
        COMPLAIN(c, v->loc, "%s must be %s%s; this is %s", label, expected, planar, node_word(v));
    }
}

static void check_value(checker *c, const flx_yaml *v, flx_form_text kind, const trail *t)
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

// ---- groups -----------------------------------------------------------------------------------

static size_t hash_text(const char *text)
{
    size_t h = 2166136261u;
    for (const unsigned char *s = (const unsigned char *)text; *s; s++) h = (h ^ *s) * 16777619u;
    return h;
}

static bool family_init(checker *c, family *f, const flx_yaml *map)
{
    *f = (family){.map = map, .capacity = 8};
    while (f->capacity < 2 * (size_t)map->count) f->capacity *= 2;
    f->slots = flx_alloc(c->ctx, f->capacity, sizeof *f->slots);
    if (!f->slots) {
        c->status = FLX_ERR_MEMORY;
        return false;
    }
    for (int i = 0; i < map->count; i++) {
        size_t slot = hash_text(map->keys[i]->text) & (f->capacity - 1);
        while (f->slots[slot]) slot = (slot + 1) & (f->capacity - 1);
        f->slots[slot] = i + 1;
    }
    return true;
}

// The number of the item of that name, or -1.
static int family_find(const family *f, const char *name)
{
    size_t slot = hash_text(name) & (f->capacity - 1);
    for (; f->slots[slot]; slot = (slot + 1) & (f->capacity - 1)) {
        if (strcmp(f->map->keys[f->slots[slot] - 1]->text, name) == 0) return f->slots[slot] - 1;
    }
    return -1;
}

// The number of the item that this one is like; -1 when there is none that can be found.
static int like_of(const flx_yaml *item, const family *siblings)
{
    const flx_yaml *like = flx_yaml_get(item, "like");
    if (!like || like->kind != FLX_YAML_SCALAR || !siblings) return -1;
    int other = family_find(siblings, like->text);
    return other >= 0 && siblings->map->items[other]->kind == FLX_YAML_MAP ? other : -1;
}

// The value of a key, its own or that of the items it is like.
static const flx_yaml *inherited(const flx_yaml *item, const family *siblings, const char *key)
{
    for (int hops = 0; hops <= LIKE_HOPS; hops++) {
        const flx_yaml *v = flx_yaml_get(item, key);
        if (v || !siblings) return v;
        int other = like_of(item, siblings);
        if (other < 0) return NULL;
        item = siblings->map->items[other];
    }
    return NULL;
}

static void complain_like(checker *c, const flx_yaml *like, const trail *t)
{
    const flx_yaml *map = t->siblings->map;
    flx_nearest near;
    flx_nearest_start(&near, like->text);
    for (int i = 0; i < map->count; i++) flx_nearest_offer(&near, map->keys[i]->text);
    const char *best = flx_nearest_best(&near);
    COMPLAIN(c, like->loc, "there is no %s '%.*s' to be like%s%.*s%s",
             flx_schema_groups[t->group].noun, SHOWN, like->text, best ? "; did you mean '" : "",
             SHOWN, best ? best : "", best ? "'?" : "");
}

static void check_like(checker *c, const flx_yaml *item, const trail *t)
{
    const flx_yaml *like = flx_yaml_get(item, "like");
    if (!like || like->kind != FLX_YAML_SCALAR || !like->text[0] || !t->siblings) return;
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
            COMPLAIN(c, like->loc, "%s '%.*s' is like itself, by way of '%.*s'", noun, SHOWN,
                     t->segment, SHOWN, like->text);
            return;
        }
        first = first && other > self;
        other = like_of(t->siblings->map->items[other], t->siblings);
    }
    if (other >= 0) {
        COMPLAIN(c, like->loc, "%s '%.*s' is like another by way of more than %d items", noun,
                 SHOWN, t->segment, LIKE_HOPS);
    }
}

// The word of the group's selector: what kind of item this is. NULL when there is none or it is
// not known; then only what all kinds have in common is checked.
static const char *type_of(checker *c, const flx_yaml *item, const trail *t)
{
    const char *selector = flx_schema_groups[t->group].selector;
    if (!selector[0]) return "";
    const flx_yaml *v = inherited(item, t->siblings, selector);
    if (v) {
        bool known =
            v->kind == FLX_YAML_SCALAR && flx_schema_find_word(t->group, selector, v->text);
        return known ? v->text : NULL;
    }
    const flx_schema_key *row = flx_schema_find(t->group, NULL, c->dimension, selector);
    if (!row->needed) return row->initial;
    if (!flx_yaml_get(item, "like")) {
        char label[LABEL], choices[LABEL];
        label_group(t, label, sizeof label);
        list_words(c, t->group, selector, choices, sizeof choices);
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
        n += (size_t)snprintf(buffer + n, size - n, "%s%s", n ? ", " : "", word);
        if (n + 24 > size) break;
    }
}

// Returns the key that was probably meant, or NULL.
static const char *complain_key(checker *c, const flx_yaml *key, const char *type, const trail *t)
{
    char label[LABEL], types[LABEL];
    label_group(t, label, sizeof label);
    const char *selector = flx_schema_groups[t->group].selector;
    const flx_schema_key *other = flx_schema_find(t->group, NULL, 0, key->text);
    if (other && flx_schema_lists(other->types, type, 0)) {
        COMPLAIN(c, key->loc, "%s (%s) has no '%s' in a %s model", label, type, key->text,
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
    for (const flx_schema_key *k = flx_schema_keys; k->key; k++) {
        if (strcmp(k->key, key->text) == 0 && !elsewhere) elsewhere = k;
        if (!(k->groups >> t->group & 1)) continue;
        if (flx_schema_lists(k->types, type, c->dimension)) flx_nearest_offer(&near, k->key);
    }
    const char *best = flx_nearest_best(&near);
    if (best) {
        COMPLAIN(c, key->loc, "unknown key '%.*s' in %s; did you mean '%s'?", SHOWN, key->text,
                 label, best);
    } else if (elsewhere) {
        int g = 0;
        while (!(elsewhere->groups >> g & 1)) g++;
        COMPLAIN(c, key->loc, "unknown key '%.*s' in %s; it is a key of: %s", SHOWN, key->text,
                 label, flx_schema_groups[g].heading);
    } else {
        COMPLAIN(c, key->loc, "unknown key '%.*s' in %s", SHOWN, key->text, label);
    }
    return best;
}

// meant: a misspelt key that was told of; it is not missing too.
static void check_needed(checker *c, const flx_yaml *item, const char *type, const char *meant,
                         const trail *t)
{
    char label[LABEL];
    const char *selector = flx_schema_groups[t->group].selector;
    for (const flx_schema_key *k = flx_schema_keys; k->key; k++) {
        if (!(k->groups >> t->group & 1) || !k->needed || strcmp(k->key, selector) == 0) continue;
        if (!flx_schema_lists(k->types, type, c->dimension)) continue;
        if (c->part && !t->up && strcmp(k->key, "flexion") == 0) continue;
        if (inherited(item, t->siblings, k->key) || (meant && strcmp(meant, k->key) == 0)) continue;
        label_group(t, label, sizeof label);
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
        n += (size_t)snprintf(buffer + n, size - n, "%s'%s'",
                              n == 0  ? ""
                              : *rest ? ", "
                                      : " or ",
                              word);
        if (n + 24 > size) break;
    }
}

static void check_rule(checker *c, const flx_yaml *item, const flx_schema_rule *r, const trail *t)
{
    char label[LABEL], keys[LABEL], word[40], first[40] = "", given[2][40] = {"", ""};
    const char *rest = r->keys;
    const flx_yaml *second = NULL;
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
    label_group(t, label, sizeof label);
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

static void check_group(checker *c, const flx_yaml *v, const trail *t)
{
    const char *type = type_of(c, v, t);
    bool has_like = flx_schema_find(t->group, NULL, 0, "like") != NULL;
    const char *meant = NULL;
    if (has_like) check_like(c, v, t);
    for (int i = 0; i < v->count && !enough(c); i++) {
        const flx_yaml *key = v->keys[i];
        const flx_schema_key *row = flx_schema_find(t->group, type, c->dimension, key->text);
        if (!row && is_told(key, v->items[i])) continue;
        if (!row) {
            const char *best = complain_key(c, key, type, t);
            if (best) meant = best;
            continue;
        }
        if (row->later) {
            add_unavailable(c, t, row->key, NULL, key->loc);
            if (c->quiet) continue;
        }
        trail at = {.up = t, .segment = row->key, .group = FLX_GROUP_COUNT, .loc = key->loc};
        check_value(c, v->items[i], flx_form_of(row->kind), &at);
    }
    // An item that is like another lacks what the other lacks, which is told there.
    bool own = !has_like || like_of(v, t->siblings) < 0;
    const char *selector = flx_schema_groups[t->group].selector;
    if (!type || enough(c) || (!own && !flx_yaml_get(v, selector))) return;
    check_needed(c, v, type, meant, t);
    int before = c->nerror;
    for (const flx_schema_rule *r = flx_schema_rules; r->keys && c->nerror == before; r++) {
        if (r->group == t->group && flx_schema_lists(r->types, type, c->dimension)) {
            check_rule(c, v, r, t);
        }
    }
}

// ---- whole trees ------------------------------------------------------------------------------

int flx_schema_dimension(const flx_yaml *tree)
{
    const flx_yaml *v = flx_yaml_get(tree, "dimension");
    return v && v->kind == FLX_YAML_SCALAR && strcmp(v->text, "2") == 0 ? 2 : 3;
}

static flx_status check_tree(checker *c, const flx_yaml *tree)
{
    if (tree->kind != FLX_YAML_MAP) {
        return FLX_FAIL(c->ctx, FLX_ERR_MODEL, tree->loc,
                        "a model is a mapping of keys and values, beginning with 'flexion: 1'; "
                        "this is %s",
                        tree->kind == FLX_YAML_LIST ? "a list" : "a text");
    }
    trail root = {.group = FLX_GROUP_MODEL, .loc = tree->loc};
    check_group(c, tree, &root);
    if (c->status != FLX_OK) return c->status;
    return c->nerror ? FLX_ERR_MODEL : FLX_OK;
}

flx_status flx_schema_check(flx_ctx *ctx, const flx_yaml *tree)
{
    checker c = {.ctx = ctx, .dimension = flx_schema_dimension(tree)};
    return check_tree(&c, tree);
}

flx_status flx_schema_check_part(flx_ctx *ctx, const flx_yaml *tree, int dimension)
{
    checker c = {.ctx = ctx, .dimension = dimension, .part = true};
    const flx_yaml *own = flx_yaml_get(tree, "dimension");
    if (own && flx_schema_dimension(tree) != dimension) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, own->loc,
                        "this model is %s and the one that uses it as a part is %s",
                        dimension == 2 ? "spatial" : "planar",
                        dimension == 2 ? "planar" : "spatial");
    }
    return check_tree(&c, tree);
}

// ---- what is not available yet ----------------------------------------------------------------

static void write_path(const trail *t, char *buffer, size_t size)
{
    if (!t || !t->segment) {
        buffer[0] = 0;
        return;
    }
    write_path(t->up, buffer, size);
    size_t n = strlen(buffer);
    snprintf(buffer + n, size - n, "%s%.*s", n ? "." : "", SHOWN, t->segment);
}

// "reduce", "forces.C: type contact", "simulate.method: bdf"
static void add_unavailable(checker *c, const trail *t, const char *key, const char *word,
                            flx_loc loc)
{
    char path[LABEL];
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
    if (c->status == FLX_OK) c->found[c->nfound++] = (flx_unavailable){what, loc};
}

flx_status flx_schema_unavailable(flx_ctx *ctx, flx_arena *arena, const flx_yaml *tree,
                                  int dimension, int *n, flx_unavailable **list)
{
    checker c = {.ctx = ctx, .dimension = dimension, .part = true, .quiet = true, .arena = arena};
    *n = 0;
    *list = NULL;
    if (tree->kind == FLX_YAML_MAP) check_tree(&c, tree);
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
