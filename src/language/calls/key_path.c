// key_path.c - any key of a description by its path: "bodies.rod.com[1]".
#include "base/number.h"
#include "language/calls/calls.h"
#include "language/schema/schema_old.h"
#include "read/yaml.h"

#include <math.h>
#include <string.h>

#define DEEPEST 64 // lists and mappings in each other

// One step of a path.
typedef struct step {
    const char *key; // a copy; NULL: an item of a list
    int index;
} step;

typedef struct route {
    int n;
    step steps[DEEPEST];
    flx_trail whole; // the path as it was given
} route;

static const flx_trail top = {NULL, NULL, 0};

// ---- reading a path --------------------------------------------------------------------------------

// "[12]" at *p.
static bool read_index(const char **p, int *index)
{
    const char *s = *p + 1;
    long n = 0;
    size_t digits = strspn(s, "0123456789");
    if (digits == 0 || digits > 9 || s[digits] != ']') return false;
    for (size_t i = 0; i < digits; i++) n = 10 * n + (s[i] - '0');
    *index = (int)n;
    *p = s + digits + 1;
    return true;
}

// A key, plain or in double quotes: its text from *from on.
static size_t read_key(const char **p, const char **from)
{
    bool quoted = **p == '"';
    *from = *p + quoted;
    size_t n = strcspn(*from, quoted ? "\"" : ".[]\"");
    const char *end = *from + n;
    if (quoted && *end != '"') return 0;
    *p = end + quoted;
    return n;
}

static flx_status read_step(flx_ctx *ctx, const char **p, bool first, step *out, bool *bad)
{
    const char *from;
    *out = (step){NULL, 0};
    if (**p == '[') {
        *bad = first || !read_index(p, &out->index);
        return FLX_OK;
    }
    if (!first && *(*p)++ != '.') {
        *bad = true;
        return FLX_OK;
    }
    size_t n = read_key(p, &from);
    char text[256];
    *bad = n == 0 || n >= sizeof text;
    if (*bad) return FLX_OK;
    memcpy(text, from, n);
    text[n] = 0;
    out->key = flx_intern(ctx, text);
    return out->key ? FLX_OK : FLX_ERR_MEMORY;
}

// *bad: it is no path.
static flx_status read_path(flx_ctx *ctx, const char *path, route *r, bool *bad)
{
    const char *p = path ? path : "";
    r->n = 0;
    r->whole = (flx_trail){&top, p, -1};
    *bad = *p == 0 || !flx_is_sound(p);
    while (*p && !*bad) {
        if (r->n == DEEPEST) *bad = true;
        if (!*bad) FLX_TRY(read_step(ctx, &p, r->n == 0, r->steps + r->n, bad));
        r->n++;
    }
    return FLX_OK;
}

static flx_status read_or_refuse(flx_model *m, const char *path, route *r)
{
    bool bad;
    FLX_TRY(read_path(m->ctx, path, r, &bad));
    if (!bad) return FLX_OK;
    return FLX_REFUSE(m, &r->whole,
                      "this is no path; write keys with points between them, [0] for an item of a "
                      "list, and a key with other signs in double quotes");
}

// Keys of older versions become those of today, but for one that stands in the tree as it is. Whether one did.
static bool renew_route(const flx_entry *e, route *r)
{
    flx_form_text kind = flx_form_of("{model}");
    bool renewed = false;
    for (int k = 0; k < r->n; k++) {
        step *s = r->steps + k;
        const char *key = s->key;
        flx_form_text next = flx_schema_follow(kind, e, key, &s->key);
        if (key && flx_entry_find(e, key) >= 0) s->key = key;
        renewed = renewed || s->key != key;
        int i = s->key ? flx_entry_find(e, s->key) : e && s->index < e->count ? s->index : -1;
        e = i >= 0 && e->items ? e->items[i] : NULL;
        kind = next;
    }
    return renewed;
}

static void tell_renewed(const flx_model *m, const route *r)
{
    char text[1024];
    flx_trail trail[DEEPEST];
    const flx_loc where = {NULL, 0, 0, &r->whole};
    for (int k = 0; k < r->n; k++) {
        trail[k] = (flx_trail){k ? trail + k - 1 : &top, r->steps[k].key, r->steps[k].index};
    }
    flx_trail_write(trail + r->n - 1, text, sizeof text);
    flx_ctx_warn(m->ctx, where, "a word of older versions: the path is now '%s'", text);
}

// ---- walking ---------------------------------------------------------------------------------------

// The number of what a step leads to; count: one behind the last, which may be made; -1: nowhere.
static int find(const flx_entry *e, const step *s)
{
    if (s->key) {
        int i = flx_entry_find(e, s->key);
        return i >= 0 ? i : e->kind == FLX_ENTRY_MAP ? e->count : -1;
    }
    return e->kind == FLX_ENTRY_LIST && s->index <= e->count ? s->index : -1;
}

static flx_status refuse_step(flx_model *m, const flx_entry *e, const step *s)
{
    static const char *const kinds[] = {"a text", "a list", "a mapping"};
    if (e->kind == FLX_ENTRY_LIST && !s->key) {
        return FLX_REFUSE(m, &e->trail, "the list has %d items: there is no [%d], and [%d] is next",
                          e->count, s->index, e->count);
    }
    if (s->key) {
        return FLX_REFUSE(m, &e->trail, "here is %s, not a mapping that could have '%s'",
                          kinds[e->kind], s->key);
    }
    return FLX_REFUSE(m, &e->trail, "here is %s, not a list that could have [%d]", kinds[e->kind],
                      s->index);
}

static flx_status add(flx_model *m, flx_entry *e, const step *s, flx_entry *value)
{
    flx_description *d = m->description;
    d->made += 2;
    if (!s->key) return flx_entry_append(d->arena, e, value);
    flx_entry *key = flx_entry_scalar(d->arena, FLX_NOWHERE, s->key);
    return key ? flx_entry_add(d->arena, e, key, value) : FLX_ERR_MEMORY;
}

// Whether the way is free, before anything is made.
static flx_status look(flx_model *m, const flx_entry *e, const route *r)
{
    for (int k = 0; k < r->n; k++) {
        int i = find(e, r->steps + k);
        if (i < 0) return refuse_step(m, e, r->steps + k);
        if (i < e->count) {
            e = e->items[i];
            continue;
        }
        for (k++; k < r->n; k++) { // what is made has nothing in it
            if (r->steps[k].key || r->steps[k].index == 0) continue;
            return FLX_REFUSE(m, &r->whole, "a list begins with [0], not with [%d]",
                              r->steps[k].index);
        }
    }
    return FLX_OK;
}

static flx_status put_at(flx_model *m, const char *path, flx_entry *value)
{
    route r;
    if (!value) return FLX_ERR_MEMORY;
    FLX_TRY(read_or_refuse(m, path, &r));
    flx_entry *e = flx_description_open(m);
    if (!e) return FLX_ERR_MEMORY;
    if (renew_route(e, &r)) tell_renewed(m, &r);
    FLX_TRY(look(m, e, &r));
    flx_arena *arena = m->description->arena;
    for (int k = 0; k < r.n; k++) {
        int i = find(e, r.steps + k);
        bool last = k + 1 == r.n;
        if (i < e->count && last) flx_entry_replace(e, i, value);
        if (i == e->count) {
            flx_entry *next = last                 ? value
                              : r.steps[k + 1].key ? flx_entry_map(arena, FLX_NOWHERE)
                                                   : flx_entry_list(arena, FLX_NOWHERE);
            if (!next) return FLX_ERR_MEMORY;
            FLX_TRY(add(m, e, r.steps + k, next));
        }
        e = e->items[i];
    }
    return FLX_OK;
}

flx_status flx_path_put(flx_model *m, const char *path, flx_entry *value)
{
    return flx_call_end(m, put_at(m, path, value));
}

// ---- settings: "simulate.method=radau" -----------------------------------------------------------------

bool flx_setting_is_key(const char *setting)
{
    size_t n = strcspn(setting, ".[\"=");
    return setting[n] != 0 && setting[n] != '=';
}

// The sign behind the path; a key in double quotes may contain one.
static const char *end_of_path(const char *setting)
{
    bool quoted = false;
    const char *s = setting;
    for (; *s && (quoted || *s != '='); s++) quoted ^= *s == '"';
    return *s ? s : NULL;
}

// The value is YAML. Places count from the beginning of the setting.
static flx_status apply_key(flx_model *m, const char *setting)
{
    flx_description *d = m->description;
    const char *file = flx_intern(m->ctx, "--set"), *sign = end_of_path(setting);
    if (!file) return FLX_ERR_MEMORY;
    if (!sign || !sign[1]) {
        return FLX_FAIL(m->ctx, FLX_ERR_MODEL, ((flx_loc){file, 1, 1, NULL}),
                        "'%s' is not of the form path=value", setting);
    }
    size_t n = (size_t)(sign + 1 - setting), length = strlen(setting);
    char *path = flx_arena_copy(d->arena, setting, n - 1);
    char *text = flx_arena_copy(d->arena, setting, length);
    flx_entry *value = NULL;
    if (!path || !text) return FLX_ERR_MEMORY;
    memset(text, ' ', n);
    FLX_TRY(flx_yaml_parse(m->ctx, d->arena, file, text, length, &value));
    return put_at(m, path, value);
}

flx_status flx_settings_apply(flx_ctx *ctx, flx_arena *arena, flx_entry *tree, int n,
                              const char *const *settings)
{
    // what is refused is told, and no model comes of it
    flx_description d = {.ctx = ctx, .arena = arena, .root = tree, .nrefusal = FLX_MAX_ERRORS};
    flx_model m = {.ctx = ctx, .description = &d};
    bool any = false;
    for (int i = 0; i < n; i++) {
        if (!flx_setting_is_key(settings[i])) continue;
        FLX_TRY(apply_key(&m, settings[i]));
        any = true;
    }
    return any ? flx_schema_renew(ctx, tree) : FLX_OK; // values may have words of older versions
}

const flx_entry *flx_path_find(const flx_model *m, const char *path)
{
    route r;
    bool bad;
    const flx_entry *e = m ? flx_description_tree(m) : NULL;
    if (!e || !path) return NULL;
    if (path[0] == 0) return e;
    if (read_path(m->ctx, path, &r, &bad) != FLX_OK || bad) return NULL;
    renew_route(e, &r);
    for (int k = 0; k < r.n; k++) {
        int i = find(e, r.steps + k);
        if (i < 0 || i >= e->count) return NULL;
        e = e->items[i];
    }
    return e;
}

// ---- the calls -------------------------------------------------------------------------------------

flx_entry *flx_path_scalar(flx_model *m, flx_value v)
{
    char number[FLX_NUMBER_SIZE];
    flx_description *d = m->description;
    const char *text = v.text ? v.text : flx_number_text(v.number, number);
    if (!flx_description_open(m)) return NULL;
    const char *copy = flx_arena_copy(d->arena, text, strlen(text));
    flx_entry *e = copy ? flx_entry_scalar(d->arena, FLX_NOWHERE, copy) : NULL;
    d->made++;
    return e;
}

static flx_status check_value(flx_model *m, const char *path, flx_value v)
{
    const flx_trail at = {&top, path ? path : "", -1};
    if (v.text && !flx_is_sound(v.text)) {
        return FLX_REFUSE(m, &at, "the text is not UTF-8, or has control characters");
    }
    if (v.text || isfinite(v.number)) return FLX_OK;
    return FLX_REFUSE(m, &at, "the value is %s: a finite number is needed",
                      isnan(v.number) ? "nan" : "infinite");
}

flx_status flx_model_set_value(flx_model *m, const char *path, flx_value value)
{
    FLX_TRY(flx_call_begin(m));
    FLX_TRY(check_value(m, path, value));
    return flx_path_put(m, path, flx_path_scalar(m, value));
}

flx_status flx_model_set(flx_model *m, const char *path, double value)
{
    return flx_model_set_value(m, path, (flx_value){value, NULL});
}

flx_status flx_model_set_text(flx_model *m, const char *path, const char *text)
{
    const flx_trail at = {&top, path ? path : "", -1};
    FLX_TRY(flx_call_begin(m));
    if (!text) return FLX_REFUSE(m, &at, "the text is NULL");
    return flx_model_set_value(m, path, (flx_value){0, text});
}

flx_status flx_model_set_list(flx_model *m, const char *path, int n, const flx_value *values)
{
    const flx_trail at = {&top, path ? path : "", -1};
    FLX_TRY(flx_call_begin(m));
    if (n < 0 || (n > 0 && !values)) return FLX_REFUSE(m, &at, "the list of values is missing");
    if (!flx_description_open(m)) return flx_call_end(m, FLX_ERR_MEMORY);
    flx_entry *list = flx_entry_list(m->description->arena, FLX_NOWHERE);
    if (!list) return flx_call_end(m, FLX_ERR_MEMORY);
    for (int i = 0; i < n; i++) {
        FLX_TRY(check_value(m, path, values[i]));
        flx_entry *item = flx_path_scalar(m, values[i]);
        if (!item) return flx_call_end(m, FLX_ERR_MEMORY);
        FLX_TRY(flx_call_end(m, flx_entry_append(m->description->arena, list, item)));
    }
    return flx_path_put(m, path, list);
}

flx_status flx_model_set_map(flx_model *m, const char *path)
{
    FLX_TRY(flx_call_begin(m));
    if (!flx_description_open(m)) return flx_call_end(m, FLX_ERR_MEMORY);
    return flx_path_put(m, path, flx_entry_map(m->description->arena, FLX_NOWHERE));
}

flx_status flx_model_remove(flx_model *m, const char *path)
{
    route r;
    FLX_TRY(flx_call_begin(m));
    FLX_TRY(read_or_refuse(m, path, &r));
    flx_entry *e = flx_description_open(m);
    if (!e) return flx_call_end(m, FLX_ERR_MEMORY);
    if (renew_route(e, &r)) tell_renewed(m, &r);
    for (int k = 0; k < r.n; k++) {
        int i = find(e, r.steps + k);
        if (i < 0 || i >= e->count) return FLX_REFUSE(m, &r.whole, "there is nothing to remove");
        if (k + 1 == r.n)
            flx_entry_remove(e, i);
        else
            e = e->items[i];
    }
    return FLX_OK;
}

// ---- questions -------------------------------------------------------------------------------------

int flx_model_kind(const flx_model *m, const char *path)
{
    const flx_entry *e = flx_path_find(m, path);
    return !e ? 0 : e->kind == FLX_ENTRY_SCALAR ? 1 : e->kind == FLX_ENTRY_LIST ? 2 : 3;
}

int flx_model_count(const flx_model *m, const char *path)
{
    const flx_entry *e = flx_path_find(m, path);
    return e ? e->count : 0;
}

const char *flx_model_get_text(const flx_model *m, const char *path)
{
    const flx_entry *e = flx_path_find(m, path);
    return e && e->kind == FLX_ENTRY_SCALAR ? e->text : NULL;
}

const char *flx_model_key(const flx_model *m, const char *path, int i)
{
    const flx_entry *e = flx_path_find(m, path);
    return e && e->kind == FLX_ENTRY_MAP && i >= 0 && i < e->count ? e->keys[i]->text : NULL;
}
