// schema_help.c - the table of the language for a person at a terminal: what kinds of items there are, and the keys of one.
#include "base/number.h"
#include "base/refuse.h"
#include "base/text.h"
#include "flexion/model.h"
#include "language/schema/schema.h"

#include <stdio.h>
#include <string.h>

#define WIDTH 96
#define MARGIN 16

typedef struct helper {
    flx_text *t;
    int at; // column
} helper;

static void end_line(helper *h)
{
    flx_text_put(h->t, "\n");
    h->at = 0;
}

// Words of a text, as many as fit in a line; those that follow stand at the margin. Marks of Markdown are left out.
static void put_words(helper *h, const char *text, int margin)
{
    while (*text) {
        size_t n = strcspn(text, " "), shown = 0;
        char word[200];
        for (size_t i = 0; i < n && shown + 1 < sizeof word; i++) {
            if (text[i] != '`') word[shown++] = text[i];
        }
        word[shown] = 0;
        if (h->at > margin && h->at + 1 + (int)shown > WIDTH) end_line(h);
        if (h->at < margin) {
            flx_text_print(h->t, "%*s", margin - h->at, "");
            h->at = margin;
        } else if (h->at > margin) {
            flx_text_put(h->t, " ");
            h->at++;
        }
        flx_text_put(h->t, word);
        h->at += (int)shown;
        text += n;
        text += strspn(text, " ");
    }
}

// A name, and behind it at the margin what it is.
static void put_entry(helper *h, const char *name, const char *doc)
{
    flx_text_print(h->t, "  %s", name);
    h->at = 2 + (int)strlen(name);
    if (h->at >= MARGIN - 1) end_line(h);
    put_words(h, doc, MARGIN);
    end_line(h);
}

static bool in_group(const flx_schema_key *k, int group)
{
    return k->groups >> group & 1;
}

static bool is_selector(const flx_schema_word *w)
{
    return strcmp(w->key, flx_schema_groups[w->group].selector) == 0;
}

static void put_key(helper *h, const flx_schema_key *k, flx_group group)
{
    char kind[300], text[600];
    flx_form_describe(flx_form_of(k->kind), 0, kind, sizeof kind);
    if (strcmp(kind, "a word") == 0) kind[0] = 0;
    flx_snprintf(text, sizeof text, "%s%s%s%s%s%s%s%s%s", k->needed ? "needed" : "",
                 k->needed && kind[0] ? "; " : "", kind, k->unit[0] ? ", in " : "", k->unit,
                 k->initial[0] ? "; " : "", k->initial[0] ? "default: " : "", k->initial,
                 k->needed || kind[0] || k->initial[0] ? "." : "");
    flx_text_print(h->t, "  %s", k->key);
    h->at = 2 + (int)strlen(k->key);
    if (h->at >= MARGIN - 1) end_line(h);
    put_words(h, k->doc, MARGIN);
    put_words(h, text, MARGIN);
    for (const flx_schema_word *w = flx_schema_words(); w->key; w++) {
        if (w->group != group || strcmp(w->key, k->key) != 0 || is_selector(w)) continue;
        flx_snprintf(text, sizeof text, "%s: %s.", w->word, w->doc);
        put_words(h, text, MARGIN);
    }
    end_line(h);
}

// Keys of a group, or of one of its kinds.
static void put_keys(helper *h, flx_group group, const char *type)
{
    for (int pass = 0; pass < 2; pass++) { // what is needed first
        for (const flx_schema_key *k = flx_schema_keys(); k->key; k++) {
            if (!in_group(k, group) || k->needed != (pass == 0)) continue;
            if (strcmp(k->key, flx_schema_groups[group].selector) == 0) continue;
            if (type && !flx_schema_lists(k->types, type, 0)) continue;
            put_key(h, k, group);
        }
    }
}

static void put_group(helper *h, flx_group group)
{
    const flx_schema_group *g = flx_schema_groups + group;
    flx_text_print(h->t, "%s\n", g->heading);
    put_words(h, g->doc, 0);
    end_line(h);
    if (!g->selector[0]) {
        put_keys(h, group, NULL);
        return;
    }
    for (const flx_schema_word *w = flx_schema_words(); w->key; w++) {
        if (w->group == group && is_selector(w)) put_entry(h, w->word, w->doc);
    }
}

static void put_word(helper *h, const flx_schema_word *w)
{
    const flx_schema_group *g = flx_schema_groups + w->group;
    char text[600];
    flx_snprintf(text, sizeof text, "%s: %s, %s%s", w->word, g->noun, w->doc,
                 strcmp(w->dimensions, "3") == 0   ? " (spatial models)"
                 : strcmp(w->dimensions, "2") == 0 ? " (planar models)"
                                                   : "");
    put_words(h, text, 0);
    end_line(h);
    if (w->example[0]) flx_text_print(h->t, "  example: %s\n", w->example);
    put_keys(h, w->group, w->word);
}

// The group of a section of the model such as `analyse`; FLX_GROUP_COUNT: there is none.
static flx_group group_of(const char *name)
{
    const flx_schema_key *k = flx_schema_find(FLX_GROUP_MODEL, "", 0, name);
    for (const char *s = k ? strchr(k->kind, '{') : NULL; s; s = strchr(s + 1, '{')) {
        flx_form_text text = {s, strchr(s, '}') + 1};
        flx_form form;
        if (flx_form_next(&text, &form)) return form.group;
    }
    return FLX_GROUP_COUNT;
}

// Sections of the model, one to a line.
static void put_sections(helper *h)
{
    flx_text_put(h->t, "Sections of a model; name one of them, or a kind of item, or a key:\n");
    for (const flx_schema_key *k = flx_schema_keys(); k->key; k++) {
        if (in_group(k, FLX_GROUP_MODEL)) put_entry(h, k->key, k->doc);
    }
}

flx_status flx_language_write_help(flx_ctx *ctx, const char *name, void *user,
                                   void (*write)(void *user, const char *text))
{
    if (!ctx || !name || !write) return flx_refuse_null(ctx, __func__);
    flx_text t;
    helper h = {.t = &t};
    int found = 0;
    flx_text_start(&t, ctx);
    flx_group group = group_of(name);
    if (!name[0]) {
        put_sections(&h);
        found++;
    }
    if (group < FLX_GROUP_COUNT) {
        put_group(&h, group);
        found++;
    }
    flx_nearest near;
    flx_nearest_start(&near, name);
    for (const flx_schema_word *w = flx_schema_words(); w->key; w++) {
        if (is_selector(w)) flx_nearest_offer(&near, w->word);
        if (!is_selector(w) || strcmp(w->word, name) != 0) continue;
        if (found++) end_line(&h);
        put_word(&h, w);
    }
    bool keys = found == 0; // a key of any group, where it is nothing else
    for (const flx_schema_key *k = flx_schema_keys(); k->key; k++) {
        flx_nearest_offer(&near, k->key);
        if (!keys || strcmp(k->key, name) != 0) continue;
        for (int g = 0; g < FLX_GROUP_COUNT; g++) {
            if (!in_group(k, g)) continue;
            flx_text_print(&t, "%s%s%s%s\n", flx_schema_groups[g].heading, k->types[0] ? " (" : "",
                           k->types, k->types[0] ? ")" : "");
            put_key(&h, k, (flx_group)g);
            found++;
        }
    }
    flx_status status = t.failed ? FLX_ERR_MEMORY : FLX_OK;
    if (status == FLX_OK && found == 0) {
        const char *best = flx_nearest_best(&near);
        status = FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                          "the language has no section, kind or key '%s'%s%s%s", name,
                          best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
    }
    if (status == FLX_OK) write(user, t.data);
    flx_text_clear(&t);
    return status;
}
