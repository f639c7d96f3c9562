// json.c - texts in JSON, read into a tree.
#include "base/json.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

#define DEEPEST 64

typedef struct parser {
    flx_arena *arena;
    const char *at;
} parser;

static void skip(parser *p)
{
    while (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r') p->at++;
}

static bool take(parser *p, const char *word)
{
    size_t n = strlen(word);
    skip(p);
    if (strncmp(p->at, word, n) != 0) return false;
    p->at += n;
    return true;
}

// ---- strings ------------------------------------------------------------------------------------

static bool read_code(const char *at, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdefABCDEF", *d = at[i] ? strchr(digits, at[i]) : NULL;
        if (!d) return false;
        unsigned value = (unsigned)(d - digits);
        *code = *code << 4 | (value < 16 ? value : value - 6);
    }
    return true;
}

static char *put_utf8(char *out, unsigned code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 63));
    } else {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 63));
        *out++ = (char)(0x80 | (code & 63));
    }
    return out;
}

// An escaped character; what is written stays as text, halves of pairs one by one.
static bool read_escape(parser *p, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    unsigned code;
    const char *found = *p->at ? strchr(from, *p->at) : NULL;
    if (found) {
        *(*out)++ = to[found - from];
        p->at++;
        return true;
    }
    if (*p->at != 'u' || !read_code(p->at + 1, &code)) return false;
    *out = put_utf8(*out, code ? code : ' ');
    p->at += 5;
    return true;
}

// After the first quote. NULL: it does not end.
static const char *read_string(parser *p)
{
    size_t n = 0;
    while (p->at[n] && p->at[n] != '"') n += p->at[n] == '\\' && p->at[n + 1] ? 2 : 1;
    if (!p->at[n]) return NULL;
    char *text = flx_arena_take(p->arena, n + 1, 1), *out = text;
    if (!text) return NULL;
    while (*p->at != '"') {
        if (*p->at != '\\') {
            *out++ = *p->at++;
        } else {
            p->at++;
            if (!read_escape(p, &out)) return NULL;
        }
    }
    p->at++;
    return text;
}

// ---- values -------------------------------------------------------------------------------------

static flx_json *read_value(parser *p, int depth);

// Items up to the closing bracket, after the opening one.
static bool read_items(parser *p, flx_json *parent, const char *closing, int depth)
{
    flx_json **end = &parent->first;
    if (take(p, closing)) return true;
    do {
        const char *key = NULL;
        if (parent->kind == FLX_JSON_MAP) {
            if (!take(p, "\"")) return false;
            key = read_string(p);
            if (!key || !take(p, ":")) return false;
        }
        flx_json *item = read_value(p, depth + 1);
        if (!item) return false;
        item->key = key;
        *end = item;
        end = &item->next;
        parent->count++;
    } while (take(p, ","));
    return take(p, closing);
}

static bool read_number(parser *p, double *out)
{
    char *end;
    skip(p);
    if (*p->at != '-' && !(*p->at >= '0' && *p->at <= '9')) return false; // strtod reads words, too
    *out = flx_number_read(p->at, &end);
    if (end == p->at) return false;
    p->at = end;
    return true;
}

static flx_json *read_value(parser *p, int depth)
{
    flx_json *j = depth < DEEPEST ? flx_arena_take(p->arena, 1, sizeof *j) : NULL;
    if (!j) return NULL;
    if (take(p, "{")) {
        j->kind = FLX_JSON_MAP;
        return read_items(p, j, "}", depth) ? j : NULL;
    }
    if (take(p, "[")) {
        j->kind = FLX_JSON_LIST;
        return read_items(p, j, "]", depth) ? j : NULL;
    }
    if (take(p, "\"")) {
        j->kind = FLX_JSON_STRING;
        j->text = read_string(p);
        return j->text ? j : NULL;
    }
    if (take(p, "null")) return j;
    bool yes = take(p, "true");
    if (yes || take(p, "false")) {
        j->kind = FLX_JSON_BOOL;
        j->number = yes;
        return j;
    }
    j->kind = FLX_JSON_NUMBER;
    return read_number(p, &j->number) ? j : NULL;
}

flx_json *flx_json_parse(flx_arena *arena, const char *text)
{
    parser p = {.arena = arena, .at = text};
    flx_json *j = read_value(&p, 0);
    skip(&p);
    return j && !*p.at ? j : NULL;
}

// ---- looking things up --------------------------------------------------------------------------

const flx_json *flx_json_get(const flx_json *map, const char *key)
{
    if (!map || map->kind != FLX_JSON_MAP) return NULL;
    for (const flx_json *j = map->first; j; j = j->next) {
        if (strcmp(j->key, key) == 0) return j;
    }
    return NULL;
}

double flx_json_number(const flx_json *map, const char *key, double otherwise)
{
    const flx_json *j = flx_json_get(map, key);
    return j && (j->kind == FLX_JSON_NUMBER || j->kind == FLX_JSON_BOOL) ? j->number : otherwise;
}

const char *flx_json_text(const flx_json *map, const char *key)
{
    const flx_json *j = flx_json_get(map, key);
    return j && j->kind == FLX_JSON_STRING ? j->text : "";
}

bool flx_json_numbers(const flx_json *list, int n, double *out)
{
    memset(out, 0, (size_t)n * sizeof *out);
    if (!list || list->kind != FLX_JSON_LIST || list->count != n) return false;
    int i = 0;
    for (const flx_json *j = list->first; j; j = j->next) {
        if (j->kind != FLX_JSON_NUMBER) return false;
        out[i++] = j->number;
    }
    return true;
}
