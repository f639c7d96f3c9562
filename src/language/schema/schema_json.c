// schema_json.c - the table of the language as a JSON Schema (draft 2020-12), for editors.
//
// A schema sees less than our checker: it knows neither the dimension nor what `like` brings. Where
// it cannot decide it accepts.
#include "base/number.h"
#include "base/output_file.h"
#include "base/refuse.h"
#include "flexion/model.h"
#include "language/schema/schema_old.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void put_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', f);
        fputc(*text, f);
    }
    fputc('"', f);
}

static void put_lower(FILE *f, const char *text)
{
    for (; *text; text++) fputc(*text >= 'A' && *text <= 'Z' ? *text - 'A' + 'a' : *text, f);
}

static void put_reference(FILE *f, const char *name)
{
    fputs("{\"$ref\": \"#/$defs/", f);
    put_lower(f, name);
    fputs("\"}", f);
}

// Words that look like numbers or truths are that to a JSON Schema, and text when quoted.
static bool is_literal(const char *word)
{
    return (word[0] >= '0' && word[0] <= '9') || strcmp(word, "true") == 0 ||
           strcmp(word, "false") == 0;
}

// The next row of the words that older versions accepted for the key; NULL: no more.
static const flx_old_word *next_old_word(const flx_old_word *w, flx_group group, const char *key)
{
    while (w->now && (w->group != group || strcmp(w->key, key) != 0)) w++;
    return w->now ? w : NULL;
}

static void put_words(FILE *f, flx_group group, const char *key)
{
    bool first = true;
    const flx_old_word *old = next_old_word(flx_old_words, group, key);
    if (old) fputs("{\"anyOf\": [", f);
    fputs("{\"enum\": [", f);
    for (const flx_schema_word *w = flx_schema_words(); w->key; w++) {
        if (w->group != group || strcmp(w->key, key) != 0 || w->later) continue;
        if (!first) fputs(", ", f);
        if (is_literal(w->word)) flx_fprintf(f, "%s, ", w->word);
        put_text(f, w->word);
        first = false;
    }
    fputs("]}", f);
    if (!old) return;
    for (first = true; old; old = next_old_word(old + 1, group, key), first = false) {
        fputs(first ? ", {\"deprecated\": true, \"enum\": [" : ", ", f);
        put_text(f, old->old);
    }
    fputs("]}]}", f);
}

static void put_kind(FILE *f, flx_form_text kind, flx_group group, const char *key);

static void put_list(FILE *f, const flx_form *k, flx_group group, const char *key)
{
    fputs("{\"type\": \"array\", \"items\": ", f);
    put_kind(f, k->inner, group, key);
    if (k->least > 0) flx_fprintf(f, ", \"minItems\": %d", k->least);
    if (k->most >= 0) flx_fprintf(f, ", \"maxItems\": %d", k->most);
    fputc('}', f);
}

static void put_names(FILE *f, const flx_form *k, flx_group group, const char *key)
{
    fputs("{\"type\": \"object\", ", f);
    if (k->loose) {
        fputs("\"additionalProperties\": ", f);
        put_kind(f, k->inner, group, key);
    } else {
        fputs("\"patternProperties\": {\"^[A-Za-z_][A-Za-z0-9_]*$\": ", f);
        put_kind(f, k->inner, group, key);
        fputs("}, \"additionalProperties\": false", f);
    }
    if (k->least > 0) flx_fprintf(f, ", \"minProperties\": %d", k->least);
    fputc('}', f);
}

static void put_alternative(FILE *f, const flx_form *k, flx_group group, const char *key)
{
    static const char *const simple[] = {
        [FLX_FORM_NUMBER] = "number", [FLX_FORM_VECTOR] = "vector", [FLX_FORM_PLACE] = "place",
        [FLX_FORM_VALUES] = "values", [FLX_FORM_NAME] = "name",     [FLX_FORM_TEXT] = "text",
        [FLX_FORM_FILE] = "file",     [FLX_FORM_BOOL] = "bool",
    };
    switch (k->form) {
    case FLX_FORM_ANY:
        fputs("true", f);
        break;
    case FLX_FORM_WORD:
        put_words(f, group, key);
        break;
    case FLX_FORM_LIST:
        put_list(f, k, group, key);
        break;
    case FLX_FORM_NAMES:
        put_names(f, k, group, key);
        break;
    case FLX_FORM_GROUP:
        put_reference(f, flx_schema_groups[k->group].id);
        break;
    default:
        put_reference(f, simple[k->form]);
    }
}

static int count_alternatives(flx_form_text kind)
{
    flx_form k;
    int n = 0;
    while (flx_form_next(&kind, &k)) n++;
    return n;
}

static void put_kind(FILE *f, flx_form_text kind, flx_group group, const char *key)
{
    flx_form k;
    bool several = count_alternatives(kind) > 1, first = true;
    if (several) fputs("{\"anyOf\": [", f);
    while (flx_form_next(&kind, &k)) {
        if (!first) fputs(", ", f);
        put_alternative(f, &k, group, key);
        first = false;
    }
    if (several) fputs("]}", f);
}

static bool in_group(const flx_schema_key *k, int group)
{
    return k->groups >> group & 1;
}

// The row of the same key and group that comes before, or NULL.
static const flx_schema_key *earlier_row(const flx_schema_key *row, int group)
{
    for (const flx_schema_key *k = flx_schema_keys(); k != row; k++) {
        if (in_group(k, group) && strcmp(k->key, row->key) == 0) return k;
    }
    return NULL;
}

// One property; rows that differ by type are alternatives.
static void put_property(FILE *f, const flx_schema_key *row, flx_group group)
{
    bool first = true;
    fputs("        ", f);
    put_text(f, row->key);
    fputs(": {\"description\": ", f);
    put_text(f, row->doc);
    fputs(", \"anyOf\": [", f);
    for (const flx_schema_key *k = row; k->key; k++) {
        if (!in_group(k, group) || strcmp(k->key, row->key) != 0) continue;
        if (!first) fputs(", ", f);
        put_kind(f, flx_form_of(k->kind), group, k->key);
        first = false;
    }
    fputs("]}", f);
}

// The first of the rows of this old key, of whatever type.
static bool is_first_old(const flx_old_key *row)
{
    for (const flx_old_key *k = flx_old_keys; k != row; k++) {
        if (k->group == row->group && strcmp(k->old, row->old) == 0) return false;
    }
    return flx_schema_find(row->group, NULL, 0, row->old) == NULL; // not a key of another type
}

static void put_old_property(FILE *f, const flx_old_key *old)
{
    fputs(",\n        ", f);
    put_text(f, old->old);
    fputs(": {\"deprecated\": true, \"description\": \"Of older versions: now ", f);
    bool first = true;
    for (const flx_old_key *k = old; k->now; k++) {
        if (k->group != old->group || strcmp(k->old, old->old) != 0) continue;
        flx_fprintf(f, "%s`%s`", first ? "" : ", ", k->now);
        first = false;
    }
    fputs(".\", \"anyOf\": [", f);
    put_kind(f, flx_form_of(flx_schema_find(old->group, NULL, 0, old->now)->kind), old->group,
             old->now);
    fputs("]}", f);
}

static void put_properties(FILE *f, flx_group group)
{
    bool first = true;
    fputs("      \"properties\": {\n", f);
    for (const flx_schema_key *k = flx_schema_keys(); k->key; k++) {
        if (!in_group(k, group) || earlier_row(k, group)) continue;
        if (!first) fputs(",\n", f);
        put_property(f, k, group);
        first = false;
    }
    for (const flx_old_key *k = flx_old_keys; k->now; k++) {
        if (k->group == group && is_first_old(k)) put_old_property(f, k);
    }
    fputs("\n      },\n      \"additionalProperties\": false", f);
}

// Whether an older version had another word for the key; *i: from which row on, and behind it.
static const char *next_old(flx_group group, const char *type, const char *key, int *i)
{
    for (; flx_old_keys[*i].now; (*i)++) {
        const flx_old_key *k = flx_old_keys + *i;
        if (k->group != group || strcmp(k->now, key) != 0) continue;
        if (!flx_schema_lists(k->types, type, 0)) continue;
        (*i)++;
        return k->old;
    }
    return NULL;
}

static bool has_old(flx_group group, const char *type, const char *key)
{
    int i = 0;
    return next_old(group, type, key, &i) != NULL;
}

// The keys that an item of this type must have (needed), or may have.
static int put_key_list(FILE *f, flx_group group, const char *type, bool needed)
{
    int n = 0;
    for (const flx_schema_key *k = flx_schema_keys(); k->key; k++) {
        if (!in_group(k, group) || (needed && !k->needed)) continue;
        if (!flx_schema_lists(k->types, type, 0)) continue;
        // what planar models do not need cannot be demanded
        if (needed &&
            (!flx_schema_lists(k->types, type, 2) || !flx_schema_lists(k->types, type, 3)))
            continue;
        if (needed && has_old(group, type, k->key)) continue; // put_either
        if (n++) fputs(", ", f);
        put_text(f, k->key);
        int i = 0;
        const char *old;
        while (!needed && (old = next_old(group, type, k->key, &i)) != NULL) {
            fputs(", ", f);
            put_text(f, old);
        }
    }
    return n;
}

// Needed keys that may be there by an old word.
static void put_either(FILE *f, flx_group group, const char *type)
{
    bool first = true;
    for (const flx_schema_key *k = flx_schema_keys(); k->key; k++) {
        if (!in_group(k, group) || !k->needed || !flx_schema_lists(k->types, type, 0)) continue;
        int i = 0;
        const char *old;
        if (!has_old(group, type, k->key)) continue;
        flx_fprintf(f, "%s{\"anyOf\": [{\"required\": [\"%s\"]}", first ? ", \"allOf\": [" : ", ",
                    k->key);
        while ((old = next_old(group, type, k->key, &i)) != NULL) {
            flx_fprintf(f, ", {\"required\": [\"%s\"]}", old);
        }
        fputs("]}", f);
        first = false;
    }
    if (!first) fputc(']', f);
}

// Or the item is like another; the last alternative, since editors tell the first one that fails.
static void put_or_like(FILE *f, bool like)
{
    if (like) fputs(", {\"required\": [\"like\"]}]", f);
}

static void put_required(FILE *f, flx_group group, const char *type)
{
    bool like = flx_schema_find(group, NULL, 0, "like") != NULL;
    fputs(like ? "\"anyOf\": [{\"required\": [" : "\"required\": [", f);
    put_key_list(f, group, type, true);
    fputs(like ? "]}" : "]", f);
    put_or_like(f, like);
}

static void put_type(FILE *f, flx_group group, const flx_schema_word *w)
{
    const char *selector = flx_schema_groups[group].selector;
    const flx_schema_key *row = flx_schema_find(group, NULL, 0, selector);
    fputs("        {\"if\": {\"properties\": {", f);
    put_text(f, selector);
    fputs(": {\"const\": ", f);
    put_text(f, w->word);
    fputs("}}", f);
    if (strcmp(row->initial, w->word) != 0) {
        fputs(", \"required\": [", f);
        put_text(f, selector);
        fputc(']', f);
    }
    fputs("},\n         \"then\": {\"propertyNames\": {\"enum\": [", f);
    put_key_list(f, group, w->word, false);
    fputs("]}, ", f);
    put_required(f, group, w->word);
    put_either(f, group, w->word);
    fputs("}}", f);
}

static void put_rule(FILE *f, const flx_schema_rule *r)
{
    char key[40], other[40];
    const char *rest = r->keys;
    if (r->rule == FLX_RULE_WITH) {
        flx_schema_next_word(&rest, key, sizeof key);
        flx_schema_next_word(&rest, other, sizeof other);
        flx_fprintf(f, "{\"dependentRequired\": {\"%s\": [\"%s\"]}}", key, other);
        return;
    }
    bool first = true;
    if (r->rule == FLX_RULE_MOST_ONE) {
        fputs("{\"not\": {\"anyOf\": [", f);
        while (flx_schema_next_word(&rest, key, sizeof key)) {
            const char *after = rest;
            while (flx_schema_next_word(&after, other, sizeof other)) {
                flx_fprintf(f, "%s{\"required\": [\"%s\", \"%s\"]}", first ? "" : ", ", key, other);
                first = false;
            }
        }
        fputs("]}}", f);
        return;
    }
    flx_fprintf(f, "{\"%s\": [", r->rule == FLX_RULE_ONE ? "oneOf" : "anyOf");
    while (flx_schema_next_word(&rest, key, sizeof key)) {
        flx_fprintf(f, "%s{\"required\": [\"%s\"]}", first ? "" : ", ", key);
        first = false;
    }
    fputs("]}", f);
}

// A rule holds for its types; an item that is like another may have the keys from there.
static void put_condition(FILE *f, const flx_schema_rule *r)
{
    char word[40];
    const char *types = r->types;
    bool like = flx_schema_find(r->group, NULL, 0, "like") != NULL;
    fputs("        ", f);
    if (types[0]) {
        bool first = true;
        fputs("{\"if\": {\"properties\": {", f);
        put_text(f, flx_schema_groups[r->group].selector);
        fputs(": {\"enum\": [", f);
        while (flx_schema_next_word(&types, word, sizeof word)) {
            if (!first) fputs(", ", f);
            put_text(f, word);
            first = false;
        }
        fputs("]}}, \"required\": [", f);
        put_text(f, flx_schema_groups[r->group].selector);
        fputs("]}, \"then\": ", f);
    }
    if (like) fputs("{\"anyOf\": [", f);
    put_rule(f, r);
    put_or_like(f, like);
    if (like) fputc('}', f);
    if (r->types[0]) fputc('}', f);
}

static void put_conditions(FILE *f, flx_group group)
{
    bool first = true;
    const char *selector = flx_schema_groups[group].selector;
    for (const flx_schema_word *w = flx_schema_words(); w->key && selector[0]; w++) {
        if (w->group != group || strcmp(w->key, selector) != 0 || w->later) continue;
        fputs(first ? ",\n      \"allOf\": [\n" : ",\n", f);
        put_type(f, group, w);
        first = false;
    }
    for (const flx_schema_rule *r = flx_schema_rules(); r->keys; r++) {
        if (r->group != group) continue;
        fputs(first ? ",\n      \"allOf\": [\n" : ",\n", f);
        put_condition(f, r);
        first = false;
    }
    if (!first) fputs("\n      ]", f);
}

static void put_group(FILE *f, flx_group group)
{
    const flx_schema_group *g = &flx_schema_groups[group];
    fputs("    \"", f);
    put_lower(f, g->id);
    fputs("\": {\n      \"description\": ", f);
    put_text(f, g->doc);
    fputs(",\n      \"type\": \"object\",\n", f);
    put_properties(f, group);
    if (!g->selector[0]) {
        fputs(",\n      ", f);
        put_required(f, group, "");
    }
    put_conditions(f, group);
    fputs("\n    }", f);
}

static const char head[] =
    "{\n"
    "  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
    "  \"title\": \"Flexion model\",\n"
    "  \"description\": \"The model language, version 1\",\n"
    "  \"$ref\": \"#/$defs/model\",\n"
    "  \"$defs\": {\n"
    "    \"number\": {\"description\": \"a number or an expression\", "
    "\"type\": [\"number\", \"string\"]},\n"
    "    \"vector\": {\"description\": \"[x, y, z], or an expression\", \"anyOf\": "
    "[{\"type\": \"string\"}, {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, "
    "\"minItems\": 2, \"maxItems\": 3}]},\n"
    "    \"place\": {\"description\": \"a point's name, or coordinates\", "
    "\"$ref\": \"#/$defs/vector\"},\n"
    "    \"values\": {\"description\": \"numbers, lists, lists of lists\", \"anyOf\": "
    "[{\"$ref\": \"#/$defs/number\"}, {\"type\": \"array\", \"items\": "
    "{\"$ref\": \"#/$defs/values\"}}]},\n"
    "    \"name\": {\"description\": \"the name of an item\", \"type\": \"string\"},\n"
    "    \"text\": {\"type\": [\"string\", \"number\"]},\n"
    "    \"file\": {\"description\": \"a file, relative to the model's\", "
    "\"type\": \"string\"},\n"
    "    \"bool\": {\"enum\": [true, false, \"true\", \"false\"]},\n";

flx_status flx_language_write_schema(flx_ctx *ctx, const char *path)
{
    if (!ctx) return flx_refuse_null(ctx, __func__);
    flx_output *o;
    FLX_TRY(flx_output_create(ctx, "the schema", path, &o));
    FILE *f = flx_output_file(o);
    fputs(head, f);
    for (int g = 0; g < FLX_GROUP_COUNT; g++) {
        put_group(f, (flx_group)g);
        fputs(g + 1 < FLX_GROUP_COUNT ? ",\n" : "\n", f);
    }
    fputs("  }\n}\n", f);
    return flx_output_close(&o, FLX_OK);
}
