// reference_case.h - values compared with the checks of a file of tests/reference/cases.
#pragma once

#include "base/number.h"
#include "base/text_file.h"
#include "read/yaml.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct reference_case {
    flx_ctx *ctx;
    flx_arena *arena;
    flx_entry *tree;
    int compared, failed;
} reference_case;

static inline reference_case reference_open(const char *id)
{
    reference_case r = {.ctx = flx_ctx_create()};
    char path[1024];
    char *text = NULL;
    size_t length = 0;
    flx_snprintf(path, sizeof path, FLX_TESTS "/reference/cases/%s.json", id);
    r.arena = flx_arena_create(r.ctx);
    if (flx_file_read(r.ctx, r.arena, path, FLX_NOWHERE, &text, &length) == FLX_OK)
        (void)flx_yaml_parse(r.ctx, r.arena, path, text, length, &r.tree); // JSON is YAML
    flx_ctx_clear_messages(r.ctx); // an empty text in it is no harm
    if (!r.tree) printf("%s cannot be read\n", path);
    return r;
}

static inline void reference_close(reference_case *r)
{
    flx_arena_destroy(&r->arena);
    flx_ctx_destroy(&r->ctx);
}

static inline double reference_number(const flx_entry *map, const char *key)
{
    const flx_entry *n = flx_entry_get(map, key);
    return n && n->text ? flx_number_read(n->text, NULL) : (double)NAN;
}

// The check of this name, by its tolerance; a name that is not there fails.
static inline void reference_compare(reference_case *r, const char *name, double value)
{
    const flx_entry *checks = r->tree ? flx_entry_get(r->tree, "checks") : NULL, *found = NULL;
    for (int i = 0; checks && i < checks->count; i++) {
        const flx_entry *n = flx_entry_get(checks->items[i], "name");
        if (n && strcmp(n->text, name) == 0) found = checks->items[i];
    }
    double expected = found ? reference_number(found, "value") : (double)NAN;
    double most = found ? reference_number(found, "abs_tol") : (double)NAN;
    if (found && isnan(most)) most = reference_number(found, "rel_tol") * fabs(expected);
    r->compared++;
    if (fabs(value - expected) <= most) return;
    r->failed++;
    printf("%s: %.15g, expected %.15g, difference %.3g, tolerance %.3g\n", name, value, expected,
           value - expected, most);
}

// Number i of the value of a check; NaN: there is none.
static inline double reference_value(const reference_case *r, const char *name, int i)
{
    const flx_entry *checks = r->tree ? flx_entry_get(r->tree, "checks") : NULL;
    for (int k = 0; checks && k < checks->count; k++) {
        const flx_entry *n = flx_entry_get(checks->items[k], "name");
        const flx_entry *v = flx_entry_get(checks->items[k], "value");
        if (!n || !v || strcmp(n->text, name) != 0) continue;
        if (v->kind == FLX_ENTRY_LIST) v = i < v->count ? v->items[i] : NULL;
        return v && v->text ? flx_number_read(v->text, NULL) : (double)NAN;
    }
    printf("there is no check '%s'\n", name);
    return (double)NAN;
}
