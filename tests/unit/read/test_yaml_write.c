// test_yaml_write.c - what is written reads back as the same tree, whatever signs its texts have; paths of any kind are
// met or refused.
#include "flexion/flexion.h"
#include "read/yaml.h"
#include "read/yaml_write.h"

#include "check.h"

#include <stdlib.h>

static unsigned long state = 7;

static unsigned draw(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

static void draw_text(char *out, unsigned longest)
{
    static const char *const pieces[] = {"a",   "B7",   " ",
                                         ":",   ": ",   "#",
                                         " #",  ",",    "[",
                                         "]",   "{",    "}",
                                         "'",   "\"",   "\\",
                                         "-",   "- ",   "?",
                                         "&x",  "*",    "!",
                                         "|",   ">",    "%",
                                         "@",   "`",    "~",
                                         "\n",  "\t",   "...",
                                         "---", "null", "0",
                                         "1e5", "x'",   "\xc3\xa4",
                                         "=",   "<<",   "\xe2\x82\xac",
                                         ".5"};
    unsigned n = 1 + draw(longest);
    out[0] = 0;
    for (unsigned i = 0; i < n; i++) strcat(out, pieces[draw(sizeof pieces / sizeof *pieces)]);
}

static flx_entry *draw_tree(flx_arena *arena, int depth)
{
    char text[100];
    unsigned kind = depth > 3 ? 0 : draw(3);
    if (kind == 0) {
        draw_text(text, 6);
        return flx_entry_scalar(arena, FLX_NOWHERE, flx_arena_copy(arena, text, strlen(text)));
    }
    flx_entry *e =
        kind == 1 ? flx_entry_list(arena, FLX_NOWHERE) : flx_entry_map(arena, FLX_NOWHERE);
    for (unsigned i = 0, n = draw(12); i < n; i++) {
        flx_entry *item = draw_tree(arena, depth + 1);
        draw_text(text, 3);
        if (kind == 1) {
            flx_entry_append(arena, e, item);
        } else if (flx_entry_find(e, text) < 0) {
            const char *key = flx_arena_copy(arena, text, strlen(text));
            flx_entry_add(arena, e, flx_entry_scalar(arena, FLX_NOWHERE, key), item);
        }
    }
    return e;
}

static bool same(const flx_entry *a, const flx_entry *b)
{
    if (a->kind != b->kind || a->count != b->count || strcmp(a->text, b->text) != 0) return false;
    for (int i = 0; i < a->count; i++) {
        if (a->keys && strcmp(a->keys[i]->text, b->keys[i]->text) != 0) return false;
        if (!same(a->items[i], b->items[i])) return false;
    }
    return true;
}

static int any_tree_reads_back(void)
{
    for (int k = 0; k < (short_runs() ? 200 : 3000); k++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_arena *arena = flx_arena_create(ctx);
        flx_entry *tree = flx_entry_map(arena, FLX_NOWHERE), *back = NULL;
        flx_entry_add(arena, tree, flx_entry_scalar(arena, FLX_NOWHERE, "top"),
                      draw_tree(arena, 0));
        char *text = NULL;
        size_t length = 0;
        CHECK(flx_yaml_write(ctx, arena, tree, &text, &length) == FLX_OK);
        flx_status status = flx_yaml_parse(ctx, arena, "t.yaml", text, length, &back);
        if (status != FLX_OK || !same(tree, back)) {
            printf("%s\n%s\n", text, status != FLX_OK ? flx_ctx_error(ctx, 0)->text : "");
        }
        CHECK(status == FLX_OK && same(tree, back));
        flx_arena_destroy(&arena);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

static int any_path_is_met_or_refused(void)
{
    static const char *const pieces[] = {
        "a",  "b",   ".",   "[",       "]", "0", "1",    "\"",
        "..", "[0]", "[7]", "\"x.y\"", " ", "'", "[-1]", "[99999999999]"};
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    int met = 0;
    CHECK(flx_model_create(ctx, 3, &m) == FLX_OK);
    for (int k = 0; k < 20000; k++) {
        char path[200] = "";
        for (unsigned i = 0, n = 1 + draw(7); i < n; i++)
            strcat(path, pieces[draw(sizeof pieces / sizeof *pieces)]);
        flx_status status = draw(9) ? flx_model_set(m, path, k) : flx_model_remove(m, path);
        CHECK(status == FLX_OK || status == FLX_ERR_ARGUMENT);
        if (status == FLX_OK && flx_model_get_text(m, path))
            met += atof(flx_model_get_text(m, path)) == k;
        (void)flx_model_kind(m, path);
    }
    CHECK(met > 100);
    CHECK(flx_model_write_text(m));
    CHECK(flx_model_check(m) == FLX_ERR_MODEL);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(any_tree_reads_back), TEST(any_path_is_met_or_refused))
