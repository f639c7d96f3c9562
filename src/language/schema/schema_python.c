// schema_python.c - the table of the language as classes of Python: a class per kind of item, with the keys as keywords.
//
// An item is a dictionary. Its class serves completion, help and type checkers; the model's checker alone decides.
#include "base/number.h"
#include "base/output_file.h"
#include "base/refuse.h"
#include "flexion/model.h"
#include "language/schema/schema.h"

#include <stdio.h>
#include <string.h>

#define NAME_LENGTH 80

static const char head[] =
    "\"\"\"Items of a model, one class per kind: dictionaries whose keys are those of the model "
    "language.\n"
    "\n"
    "Written by `flexion language --python` from the table that the checker uses; do not edit.\n"
    "\"\"\"\n"
    "from __future__ import annotations\n"
    "\n"
    "from typing import Any, Literal, Mapping, Sequence, Union\n"
    "\n"
    "from ._item import Item\n"
    "\n"
    "Value = Union[float, int, str]\n"
    "Vector = Union[str, Sequence[Union[float, int, str]]]\n"
    "Place = Union[str, Sequence[Union[float, int, str]]]\n";

// Words of Python that a keyword cannot be, and `self`: they get a line behind them, which Item takes away.
static bool is_reserved(const char *key)
{
    static const char *const words[] = {"from",   "in",   "is", "if",   "else",   "for",
                                        "while",  "with", "as", "pass", "break",  "class",
                                        "lambda", "and",  "or", "not",  "global", "self"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i], key) == 0) return true;
    }
    return false;
}

// "generalized-alpha" becomes GeneralizedAlpha, "FE_LOAD" FeLoad.
static void put_camel(const char *word, char *out, size_t size)
{
    size_t n = 0;
    bool upper = true;
    for (; *word && n + 1 < size; word++) {
        char c = *word;
        if (c == '-' || c == '_' || c == ' ') {
            upper = true;
            continue;
        }
        if (upper && c >= 'a' && c <= 'z') c = (char)(c - 'a' + 'A');
        if (!upper && c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
        out[n++] = c;
        upper = false;
    }
    out[n] = '\0';
}

// Text of a doc string.
static void put_doc(FILE *f, const char *text)
{
    for (; *text; text++) {
        if (*text == '\\' || (*text == '"' && text[1] == '"')) fputc('\\', f);
        fputc(*text, f);
    }
}

// ---- types ---------------------------------------------------------------------------------------

static void put_kind(FILE *f, flx_form_text kind, flx_group group, const char *key);

static void put_words(FILE *f, flx_group group, const char *key)
{
    bool first = true;
    for (const flx_schema_word *w = flx_schema_words(); w->key; w++) {
        if (w->group != group || strcmp(w->key, key) != 0) continue;
        bool number = w->word[0] >= '0' && w->word[0] <= '9';
        flx_fprintf(f, "%s\"%s\"", first ? "Literal[" : ", ", w->word);
        if (number) flx_fprintf(f, ", %s", w->word);
        first = false;
    }
    fputs(first ? "str" : "]", f);
}

static void put_alternative(FILE *f, const flx_form *k, flx_group group, const char *key)
{
    switch (k->form) {
    case FLX_FORM_NUMBER:
        fputs("Value", f);
        break;
    case FLX_FORM_VECTOR:
        fputs("Vector", f);
        break;
    case FLX_FORM_PLACE:
        fputs("Place", f);
        break;
    case FLX_FORM_NAME:
    case FLX_FORM_FILE:
        fputs("str", f);
        break;
    case FLX_FORM_TEXT:
        fputs("Value", f);
        break;
    case FLX_FORM_BOOL:
        fputs("bool", f);
        break;
    case FLX_FORM_WORD:
        put_words(f, group, key);
        break;
    case FLX_FORM_LIST:
        fputs("Sequence[", f);
        put_kind(f, k->inner, group, key);
        fputc(']', f);
        break;
    case FLX_FORM_GROUP:
        fputs("Mapping[str, Any]", f);
        break;
    case FLX_FORM_NAMES:
        fputs("Mapping[str, ", f);
        put_kind(f, k->inner, group, key);
        fputc(']', f);
        break;
    case FLX_FORM_VALUES:
    case FLX_FORM_ANY:
    case FLX_FORM_WRONG:
        fputs("Any", f);
        break;
    }
}

static void put_kind(FILE *f, flx_form_text kind, flx_group group, const char *key)
{
    flx_form k;
    for (bool first = true; flx_form_next(&kind, &k); first = false) {
        if (!first) fputs(" | ", f);
        put_alternative(f, &k, group, key);
    }
}

// ---- classes -------------------------------------------------------------------------------------

// Whether row k is of the group, and of its word where there is one.
static bool has_key(const flx_schema_key *k, flx_group group, const char *word)
{
    if (!(k->groups & (UINT64_C(1) << group))) return false;
    return !word || flx_schema_lists(k->types, word, 2) || flx_schema_lists(k->types, word, 3);
}

// The next row at or after k that is the first of its key; NULL: no more.
static const flx_schema_key *next_key(const flx_schema_key *k, flx_group group, const char *word)
{
    for (; k->key; k++) {
        if (!has_key(k, group, word)) continue;
        const flx_schema_key *same = flx_schema_keys();
        while (same < k && (!has_key(same, group, word) || strcmp(same->key, k->key) != 0)) same++;
        if (same == k) return k;
    }
    return NULL;
}

static void put_keyword(FILE *f, const flx_schema_key *k, flx_group group, const char *word)
{
    flx_fprintf(f, "        %s%s: ", k->key, is_reserved(k->key) ? "_" : "");
    bool first = true;
    for (const flx_schema_key *row = k; row->key; row++) {
        if (strcmp(row->key, k->key) != 0 || !has_key(row, group, word)) continue;
        if (!first) fputs(" | ", f);
        put_kind(f, flx_form_of(row->kind), group, k->key);
        first = false;
    }
    fputs(" | None = None,\n", f);
}

static void put_class(FILE *f, flx_group group, const char *name, const char *word, const char *doc)
{
    const flx_schema_group *g = &flx_schema_groups[group];
    const flx_schema_key *k;
    int count = 0;
    flx_fprintf(f, "\n\nclass %s(Item):\n    \"\"\"", name);
    put_doc(f, doc);
    fputs("\n", f);
    for (k = flx_schema_keys(); (k = next_key(k, group, word)) != NULL; k++) {
        if (word && strcmp(k->key, g->selector) == 0) continue;
        flx_fprintf(f, "%s    %s%s: ", count == 0 ? "\n" : "", k->key,
                    is_reserved(k->key) ? "_" : "");
        put_doc(f, k->doc);
        if (k->unit[0]) flx_fprintf(f, " [%s]", k->unit);
        if (k->initial[0]) flx_fprintf(f, " (default: %s)", k->initial);
        if (k->later) fputs(" Not supported yet.", f);
        fputs("\n", f);
        count++;
    }
    fputs("    \"\"\"\n", f);
    if (word) flx_fprintf(f, "\n    _selector = (\"%s\", \"%s\")\n", g->selector, word);
    flx_fprintf(f, "\n    def __init__(\n        self%s\n", count > 0 ? ",\n        *," : ",");
    for (k = flx_schema_keys(); (k = next_key(k, group, word)) != NULL; k++) {
        if (word && strcmp(k->key, g->selector) == 0) continue;
        put_keyword(f, k, group, word);
    }
    fputs("    ) -> None:\n        super().__init__(locals())\n", f);
}

// Groups whose words are classes each, and what their names end in.
static const struct {
    flx_group group;
    const char *ending;
} kinds[] = {{FLX_GROUP_BODY, ""},
             {FLX_GROUP_JOINT, ""},
             {FLX_GROUP_FORCE, ""},
             {FLX_GROUP_REDUCE, "Reduction"},
             {FLX_GROUP_ANALYSIS, "Analysis"}};
#define KINDS (int)(sizeof kinds / sizeof kinds[0])

static int kind_of(flx_group group)
{
    for (int i = 0; i < KINDS; i++) {
        if (kinds[i].group == group) return i;
    }
    return -1;
}

static void name_word(int kind, const flx_schema_word *w, char *name, size_t size)
{
    char camel[NAME_LENGTH];
    put_camel(w->word, camel, sizeof camel);
    flx_snprintf(name, size, "%s%s", camel, kinds[kind].ending);
}

// A point of a body shares its word with the body that is a point.
static void name_group(flx_group group, char *name, size_t size)
{
    if (group == FLX_GROUP_POINT) {
        flx_snprintf(name, size, "BodyPoint");
        return;
    }
    put_camel(flx_schema_groups[group].id, name, size);
}

static bool is_word_of(const flx_schema_word *w, flx_group group)
{
    return w->group == group && strcmp(w->key, flx_schema_groups[group].selector) == 0 && !w->later;
}

// Keys of `simulate` that belong to some methods only: those of another method are left out when it is changed.
static void put_method_keys(FILE *f)
{
    const flx_schema_key *k;
    fputs("\n\nMETHOD_KEYS: dict[str, str] = {\n", f);
    for (k = flx_schema_keys(); (k = next_key(k, FLX_GROUP_SIMULATE, NULL)) != NULL; k++) {
        if (k->types[0]) flx_fprintf(f, "    \"%s\": \"%s\",\n", k->key, k->types);
    }
    fputs("}\n", f);
}

static void put_sections(FILE *f)
{
    fputs("SECTIONS: tuple[str, ...] = (", f);
    for (const flx_schema_key *k = flx_schema_keys();
         (k = next_key(k, FLX_GROUP_MODEL, NULL)) != NULL; k++) {
        flx_fprintf(f, "\"%s\", ", k->key);
    }
    fputs(")\n", f);
}

flx_status flx_language_write_python(flx_ctx *ctx, const char *path)
{
    if (!ctx) return flx_refuse_null(ctx, __func__);
    flx_output *o;
    char name[NAME_LENGTH];
    FLX_TRY(flx_output_create(ctx, "the classes", path, &o));
    FILE *f = flx_output_file(o);
    fputs(head, f);
    for (int g = 0; g < FLX_GROUP_COUNT; g++) {
        int kind = kind_of((flx_group)g);
        if (g == FLX_GROUP_MODEL) continue;
        if (kind < 0) {
            name_group((flx_group)g, name, sizeof name);
            put_class(f, (flx_group)g, name, NULL, flx_schema_groups[g].doc);
        }
        for (const flx_schema_word *w = flx_schema_words(); kind >= 0 && w->key; w++) {
            if (!is_word_of(w, (flx_group)g)) continue;
            char doc[400];
            name_word(kind, w, name, sizeof name);
            flx_snprintf(doc, sizeof doc, "%s `%s`: %s.", flx_schema_groups[g].noun, w->word,
                         w->doc);
            put_class(f, (flx_group)g, name, w->word, doc);
        }
    }
    put_method_keys(f);
    put_sections(f);
    return flx_output_close(&o, FLX_OK);
}
