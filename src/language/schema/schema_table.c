// schema_table.c - the rows of schema.def as arrays, and the small language of kinds.
#include "language/schema/schema_parts.h"

#include "base/letters.h"
#include "base/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G(id) ((flx_group_set)1 << FLX_GROUP_##id)
#define NEEDED true
#define MAY false
#define NOW false
#define LATER true

// What keys and words mean is of no use where nobody asks for help.
#ifdef FLX_WITHOUT_HELP
#define DOC(text) ""
#else
#define DOC(text) text
#endif

_Static_assert(FLX_GROUP_COUNT <= 128, "groups are bits of one word");

const flx_schema_group flx_schema_groups[FLX_GROUP_COUNT] = {
#define FLX_GROUP(id, noun, heading, selector, doc, example)                                       \
    {#id, noun, heading, selector, DOC(doc), example},
#include "language/schema/schema.def"
};

const flx_schema_key flx_schema_own_keys[] = {
#define FLX_KEY(groups, types, key, kind, need, unit, initial, status, doc)                        \
    {groups, types, key, kind, need, unit, initial, status, DOC(doc)},
#include "language/schema/schema.def"
    {0, NULL, NULL, NULL, false, NULL, NULL, false, NULL},
};

const flx_schema_word flx_schema_own_words[] = {
#define FLX_WORD(group, key, word, dimensions, status, doc, example)                               \
    {FLX_GROUP_##group, key, word, dimensions, status, DOC(doc), example, ""},
#define FLX_WORD_OF(group, types, key, word, dimensions, status, doc, example)                     \
    {FLX_GROUP_##group, key, word, dimensions, status, DOC(doc), example, types},
#include "language/schema/schema.def"
    {FLX_GROUP_COUNT, NULL, NULL, NULL, false, NULL, NULL, NULL},
};

const flx_schema_rule flx_schema_own_rules[] = {
#define FLX_RULE(group, types, rule, keys) {FLX_GROUP_##group, types, FLX_RULE_##rule, keys},
#include "language/schema/schema.def"
    {FLX_GROUP_COUNT, NULL, FLX_RULE_ONE, NULL},
};

bool flx_schema_next_word(const char **words, char *word, size_t size)
{
    const char *s = *words + strspn(*words, " ");
    size_t n = strcspn(s, " "), copied = n < size ? n : size - 1;
    memcpy(word, s, copied);
    word[copied] = 0;
    *words = s + n;
    return n > 0;
}

bool flx_schema_lists(const char *types, const char *type, int dimension)
{
    char word[40];
    if (types[0] == '@')
        return dimension == 0 || types[1] - '0' == dimension; // of a group without types
    if (types[0] == 0 || !type) return true;
    while (flx_schema_next_word(&types, word, sizeof word)) {
        char *at = strchr(word, '@');
        if (at) *at = 0;
        if (strcmp(word, type) != 0) continue;
        return !at || dimension == 0 || at[1] - '0' == dimension;
    }
    return false;
}

const flx_schema_key *flx_schema_find(flx_group group, const char *type, int dimension,
                                      const char *key)
{
    flx_group_set bit = (flx_group_set)1 << group;
    for (const flx_schema_key *k = flx_schema_keys(); k->key; k++) {
        if ((k->groups & bit) && strcmp(k->key, key) == 0 &&
            flx_schema_lists(k->types, type, dimension)) {
            return k;
        }
    }
    return NULL;
}

const flx_schema_word *flx_schema_find_word(flx_group group, const char *key, const char *word)
{
    for (const flx_schema_word *w = flx_schema_words(); w->key; w++) {
        if (w->group == group && strcmp(w->key, key) == 0 && strcmp(w->word, word) == 0) return w;
    }
    return NULL;
}

// ---- kinds ------------------------------------------------------------------------------------

flx_form_text flx_form_of(const char *kind)
{
    return (flx_form_text){kind, kind + strlen(kind)};
}

static const char *skip_blanks(const char *s, const char *end)
{
    while (s < end && *s == ' ') s++;
    return s;
}

// The bracket that closes the one at s.
static const char *closing(const char *s, const char *end)
{
    int depth = 0;
    for (; s < end; s++) {
        if (*s == '[' || *s == '{' || *s == '<') depth++;
        if ((*s == ']' || *s == '}' || *s == '>') && --depth == 0) return s;
    }
    return NULL;
}

// "number;2..3" -> the kind of the entries and how many.
static void split_count(flx_form *k)
{
    const char *semicolon = NULL;
    int depth = 0;
    for (const char *s = k->inner.at; s < k->inner.end; s++) {
        depth += (*s == '[' || *s == '{' || *s == '<') - (*s == ']' || *s == '}' || *s == '>');
        if (*s == ';' && depth == 0) semicolon = s;
    }
    k->least = 0;
    k->most = -1;
    if (!semicolon) return;
    char *rest;
    k->least = k->most = (int)strtol(semicolon + 1, &rest, 10);
    if (rest[0] == '.') k->most = rest[2] >= '0' && rest[2] <= '9' ? atoi(rest + 2) : -1;
    k->inner.end = semicolon;
}

static flx_group find_group(const char *id, size_t n)
{
    for (int g = 0; g < FLX_GROUP_COUNT; g++) {
        const char *name = flx_schema_groups[g].id;
        if (strlen(name) == n && flx_same_start(name, id, n)) return (flx_group)g;
    }
    return FLX_GROUP_COUNT;
}

static flx_form_kind find_form(const char *word, size_t n)
{
    static const char *const forms[] = {"number", "vector", "place", "values", "name",
                                        "text",   "file",   "bool",  "any",    "word"};
    for (int i = 0; i < (int)(sizeof forms / sizeof forms[0]); i++) {
        if (strlen(forms[i]) == n && memcmp(forms[i], word, n) == 0) return (flx_form_kind)i;
    }
    return FLX_FORM_WRONG;
}

static const char *read_bracket(const char *s, const char *end, flx_form *k)
{
    const char *close = closing(s, end);
    if (!close) {
        k->form = FLX_FORM_WRONG;
        return end;
    }
    k->inner = (flx_form_text){s + 1, close};
    k->form = *s == '[' ? FLX_FORM_LIST : *s == '<' ? FLX_FORM_NAMES : FLX_FORM_GROUP;
    if (k->form == FLX_FORM_GROUP) {
        k->group = find_group(s + 1, (size_t)(close - s - 1));
        if (k->group == FLX_GROUP_COUNT) k->form = FLX_FORM_WRONG;
    } else {
        if (k->form == FLX_FORM_NAMES && s[1] == '~') {
            k->loose = true;
            k->inner.at++;
        }
        split_count(k);
    }
    return close + 1;
}

bool flx_form_next(flx_form_text *text, flx_form *k)
{
    const char *s = skip_blanks(text->at, text->end);
    if (s < text->end && *s == '|') s = skip_blanks(s + 1, text->end);
    if (s >= text->end) return false;
    *k = (flx_form){.form = FLX_FORM_WRONG, .group = FLX_GROUP_COUNT};
    if (*s == '[' || *s == '{' || *s == '<') {
        s = read_bracket(s, text->end, k);
    } else {
        const char *start = s;
        while (s < text->end && *s >= 'a' && *s <= 'z') s++;
        k->form = find_form(start, (size_t)(s - start));
        if (s == start) s = text->end; // a mistake: do not stay here for ever
    }
    if (s + 1 < text->end && *s == '@') {
        k->dimension = s[1] - '0';
        s += 2;
    }
    text->at = s;
    return true;
}

static void append(char *buffer, size_t size, const char *text)
{
    size_t n = strlen(buffer);
    if (n + 1 < size) flx_snprintf(buffer + n, size - n, "%s", text);
}

static void describe_count(const flx_form *k, char *buffer, size_t size)
{
    char count[40] = "";
    if (k->most >= 0 && k->least == k->most) {
        flx_snprintf(count, sizeof count, "%d ", k->least);
    } else if (k->most >= 0) {
        flx_snprintf(count, sizeof count, "%d to %d ", k->least, k->most);
    } else if (k->least > 1) {
        flx_snprintf(count, sizeof count, "at least %d ", k->least);
    }
    append(buffer, size, count);
}

static const char *const singular[] = {
    [FLX_FORM_NUMBER] = "a number",
    [FLX_FORM_VECTOR] = "a vector",
    [FLX_FORM_PLACE] = "a place (a point's name or coordinates)",
    [FLX_FORM_VALUES] = "a number or a list of numbers",
    [FLX_FORM_NAME] = "a name",
    [FLX_FORM_TEXT] = "a text",
    [FLX_FORM_FILE] = "a file name",
    [FLX_FORM_BOOL] = "true or false",
    [FLX_FORM_ANY] = "anything",
    [FLX_FORM_WORD] = "a word",
    [FLX_FORM_WRONG] = "",
};

static const char *const plural[] = {
    [FLX_FORM_NUMBER] = "numbers", [FLX_FORM_VECTOR] = "vectors",  [FLX_FORM_PLACE] = "places",
    [FLX_FORM_VALUES] = "numbers", [FLX_FORM_NAME] = "names",      [FLX_FORM_TEXT] = "texts",
    [FLX_FORM_FILE] = "files",     [FLX_FORM_BOOL] = "true/false", [FLX_FORM_ANY] = "values",
    [FLX_FORM_WORD] = "words",     [FLX_FORM_LIST] = "lists",      [FLX_FORM_GROUP] = "mappings",
    [FLX_FORM_NAMES] = "mappings", [FLX_FORM_WRONG] = "",
};

static void describe_one(const flx_form *k, char *buffer, size_t size)
{
    flx_form_text text = k->inner;
    flx_form inner;
    switch (k->form) {
    case FLX_FORM_LIST:
        append(buffer, size, "a list of ");
        describe_count(k, buffer, size);
        if (!flx_form_next(&text, &inner)) return;
        if (inner.form == FLX_FORM_LIST) {
            append(buffer, size, "lists, each of ");
            describe_count(&inner, buffer, size);
            flx_form_text within = inner.inner;
            if (flx_form_next(&within, &inner)) append(buffer, size, plural[inner.form]);
            return;
        }
        append(buffer, size, plural[inner.form]);
        return;
    case FLX_FORM_GROUP:
        append(buffer, size, "a mapping of keys");
        return;
    case FLX_FORM_NAMES:
        append(buffer, size, "a mapping of names");
        return;
    default:
        append(buffer, size, singular[k->form]);
    }
}

void flx_form_describe(flx_form_text text, int dimension, char *buffer, size_t size)
{
    flx_form k;
    bool first = true;
    buffer[0] = 0;
    while (flx_form_next(&text, &k)) {
        if (dimension && k.dimension && k.dimension != dimension) continue;
        if (!first) append(buffer, size, ", or ");
        describe_one(&k, buffer, size);
        if (!dimension && k.dimension) {
            append(buffer, size, k.dimension == 2 ? " (planar)" : " (spatial)");
        }
        first = false;
    }
}
