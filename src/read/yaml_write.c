// yaml_write.c - from a tree to YAML: names of sections and items on lines of their own, what an item is made
// of within braces.
#include "read/yaml_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDE                                                                                       \
    90 // a mapping or list that is longer is broken into lines, where it is no item's value

// ---- scalars ---------------------------------------------------------------------------------------

// What YAML reads as something else is in quotes, rather one too many.
static bool is_plain(const char *s)
{
    size_t n = strlen(s);
    if (n == 0 || s[0] == ' ' || s[n - 1] == ' ' || strpbrk(s, ",[]{}:#\"\\\n\r\t")) return false;
    if (strchr("?&*!|>'%@`~", s[0]) || strncmp(s, "...", 3) == 0) return false;
    return s[0] != '-' || (s[1] && s[1] != ' ' && s[1] != '-');
}

static void put_scalar(FILE *f, const char *s)
{
    if (is_plain(s)) {
        fputs(s, f);
        return;
    }
    fputc('"', f);
    for (; *s; s++) {
        if (*s == '\n')
            fputs("\\n", f);
        else if (*s == '\t')
            fputs("\\t", f);
        else if (*s == '\r')
            fputs("\\r", f);
        else if (*s == '"' || *s == '\\')
            fputc('\\', f), fputc(*s, f);
        else
            fputc(*s, f);
    }
    fputc('"', f);
}

// ---- lists and mappings ----------------------------------------------------------------------------

static void put_flow(FILE *f, const flx_entry *e)
{
    if (e->kind == FLX_ENTRY_SCALAR) {
        put_scalar(f, e->text);
        return;
    }
    bool map = e->kind == FLX_ENTRY_MAP;
    fputc(map ? '{' : '[', f);
    for (int i = 0; i < e->count; i++) {
        if (i > 0) fputs(", ", f);
        if (map) put_scalar(f, e->keys[i]->text);
        if (map) fputs(": ", f);
        put_flow(f, e->items[i]);
    }
    fputc(map ? '}' : ']', f);
}

static long width(const flx_entry *e)
{
    long n = (long)strlen(e->text) + 2;
    for (int i = 0; i < e->count; i++) {
        n += width(e->items[i]) + (e->keys ? (long)strlen(e->keys[i]->text) + 2 : 0);
    }
    return n;
}

static void put_block(FILE *f, const flx_entry *e, int depth);

static void put_value(FILE *f, const flx_entry *e, int depth)
{
    bool broken = e->count > 0 &&
                  (depth == 1 ? e->kind == FLX_ENTRY_MAP && width(e) > WIDE / 2 : width(e) > WIDE);
    if (broken) {
        fputc('\n', f);
        put_block(f, e, depth);
    } else {
        fputc(' ', f);
        put_flow(f, e);
        fputc('\n', f);
    }
}

static void put_block(FILE *f, const flx_entry *e, int depth)
{
    for (int i = 0; i < e->count; i++) {
        for (int k = 0; k < 2 * depth; k++) fputc(' ', f);
        if (e->kind == FLX_ENTRY_LIST) {
            fputs("- ", f);
            put_flow(f, e->items[i]);
            fputc('\n', f);
        } else {
            put_scalar(f, e->keys[i]->text);
            fputc(':', f);
            put_value(f, e->items[i], depth + 1);
        }
    }
}

flx_status flx_yaml_write(flx_ctx *ctx, flx_arena *arena, const flx_entry *tree, char **text,
                          size_t *length)
{
    char *all = NULL;
    *text = NULL;
    FILE *f = open_memstream(&all, length);
    if (!f) return FLX_FAIL(ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
    if (tree->count == 0) fputs(tree->kind == FLX_ENTRY_LIST ? "[]\n" : "{}\n", f);
    put_block(f, tree, 0);
    bool failed = ferror(f) != 0;
    failed = fclose(f) != 0 || failed;
    if (!failed) *text = flx_arena_copy(arena, all, *length);
    free(all);
    if (failed) return FLX_FAIL(ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
    return *text ? FLX_OK : FLX_ERR_MEMORY;
}
