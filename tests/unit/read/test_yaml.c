// test_yaml.c - the tree of a text: kinds, texts and exact places; what is refused, and where.
#include "read/yaml.h"

#include "arena.h"

#include <stdlib.h>
#include <time.h>

static flx_entry *root;

static flx_status parse(const char *text)
{
    return flx_yaml_parse(ctx, arena, "m.yaml", text, strlen(text), &root);
}

static int at(const flx_entry *node, int line, int column)
{
    CHECK(node);
    if (node->loc.line != line || node->loc.column != column) {
        printf("'%s' is at %d:%d, expected %d:%d\n", node->text, node->loc.line, node->loc.column,
               line, column);
        return 1;
    }
    return 0;
}

static int every_value_has_its_place(void)
{
    begin();
    CHECK(parse("flexion: 1\n"
                "bodies: # all of them\n"
                "  rod: {mass: 2*m, at: [1, \"if(a, b)\"], on: y}\n"
                "  list:\n"
                "    - first\n"
                "    - 'sec ond'\n"
                "  block: >\n"
                "\n"
                "     folded\n"
                "     text\n"
                "  \xc3\xa9t\xc3\xa9: 010\n") == FLX_OK);
    CHECK(root->kind == FLX_ENTRY_MAP && root->count == 2);
    const flx_entry *bodies = flx_entry_get(root, "bodies"), *rod = flx_entry_get(bodies, "rod");
    CHECK(!at(root, 1, 1) && !at(root->keys[1], 2, 1) && !at(bodies, 3, 3) && !at(rod, 3, 8));
    CHECK(!at(rod->keys[0], 3, 9) && !at(rod->items[0], 3, 15) && !at(rod->items[1], 3, 24));
    const flx_entry *list = rod->items[1];
    CHECK(list->kind == FLX_ENTRY_LIST && list->count == 2);
    CHECK(!at(list->items[0], 3, 25) && !at(list->items[1], 3, 29));
    CHECK(list->items[1]->quoted && !list->items[0]->quoted);
    CHECK(strcmp(list->items[1]->text, "if(a, b)") == 0);
    CHECK(strcmp(flx_entry_get(rod, "on")->text, "y") == 0);
    CHECK(!at(flx_entry_get(bodies, "list")->items[1], 6, 8));
    const flx_entry *block = flx_entry_get(bodies, "block");
    CHECK(!at(block, 9, 6) && strcmp(block->text, "folded text") == 0);
    CHECK(strcmp(flx_entry_get(bodies, "\xc3\xa9t\xc3\xa9")->text, "010") == 0);
    CHECK(!at(flx_entry_get(bodies, "\xc3\xa9t\xc3\xa9"), 11, 8)); // characters, not bytes
    CHECK(!flx_entry_get(root, "none") && !flx_entry_get(list, "none"));
    finish();
    return 0;
}

static int text_of_several_lines_is_kept_as_written(void)
{
    begin();
    CHECK(parse("\xc3\xa9: {a: 1 +\n  2*\xc3\xbc  + \n\n 3, b: 4}\n"
                "c: \"one\n  two\"\n"
                "d: 'one\n  two'' three'\n"
                "e: |\n\n  one\n    two\n\n"
                "f: >-\n  one\n  two") == FLX_OK);
    const flx_entry *map = root->items[0];
    CHECK(strcmp(map->items[0]->written, "1 +\n  2*\xc3\xbc  + \n\n 3") == 0);
    CHECK(strcmp(map->items[0]->text, "1 + 2*\xc3\xbc  +\n3") == 0);
    CHECK(map->items[1]->written == map->items[1]->text);
    CHECK(strcmp(root->items[1]->written, "one\n  two") == 0);
    CHECK(strcmp(root->items[1]->text, "one two") == 0);
    CHECK(strcmp(root->items[2]->written, "one two' three") == 0); // an escape: folded
    CHECK(strcmp(root->items[3]->written, "one\n    two") == 0 && !at(root->items[3], 11, 3));
    CHECK(strcmp(root->items[3]->text, "one\n  two") == 0);
    CHECK(strcmp(root->items[4]->written, "one\n  two") == 0 && !at(root->items[4], 15, 3));
    finish();
    return 0;
}

static int byte_order_mark_and_line_ends_do_not_move_places(void)
{
    begin();
    CHECK(parse("\xef\xbb\xbf"
                "a: 1\r\nb: 2\r\n") == FLX_OK);
    CHECK(!at(root->items[0], 1, 4) && !at(root->items[1], 2, 4));
    CHECK(strcmp(root->items[0]->text, "1") == 0);
    finish();
    return 0;
}

// One wrong text: the place and the words of its first message, and whether a tree comes back.
typedef struct wrong {
    const char *text;
    int line, column;
    const char *message;
    bool tree;
} wrong;

static const wrong wrongs[] = {
    {"", 1, 1, "the file is empty", false},
    {"# nothing\n\n", 1, 1, "the file is empty", false},
    {"a: 1\nb: {c: 2, a: 3, c: 4}\n", 2, 17, "'c' is given twice; the first is at line 2", true},
    {"a: !!int 3\n", 1, 4, "tags", true},
    {"%YAML 1.2\n---\na: 1\n", 1, 1, "directives", true},
    {"%TAG ! x\n---\na: 1\n", 1, 1, "directives", true},
    {"a: 1\n---\nb: 2\n", 2, 1, "a second document", false},
    {"a: &x 1\nb: *x\n", 1, 4, "anchors (&x)", true},
    {"b: *x\n", 1, 4, "aliases", true},
    {"b: * 3\n", 1, 5, "an expression that begins with '*'", false},
    {"a: 1\n? [b, c]\n: 2\n", 2, 3, "a key must be a word, not a list", true},
    {"{{a: b}: c}\n", 1, 2, "a key must be a word, not a mapping", true},
    {"a: 1\nmass:\nb: 2\n", 2, 1, "key 'mass' has no value", true},
    {"{a: 1, v: if(t < 1, 2, 0)}\n", 1, 21, "key '2' has no value; inside { }", true},
    {"\"\": 2\n", 1, 2, "a key is missing", true},
    {"- a\n-\n- b\n", 2, 2, "an item of this list has no value", true},
    {"a:\n\tb: 1\n", 2, 1, "a tab in the indentation", false},
    {"a: \"one\nb: 2\n", 1, 4, "quote that opens", false},
    {"a: {b: 1\nc: 2\n", 1, 9, "',' or '}' is missing at the end of this line", false},
    {"a: [1, f([2, 3])]\n", 1, 10, "expected ',' or ']'", false},
    {"a: b: c\n", 1, 5, "a ':' is not allowed here", false},
    {"a: 1\n  b: 2\n", 2, 4, "a ':' is not allowed here", false},
    {"a: 1\nb\nc: 1\n", 2, 1, "a key without ':'", false},
    {"a:\n  b: 1\n c: 1\n", 3, 2, "expected a key here", false},
    {"a: @b\n", 1, 4, "cannot begin with this character", false},
    {"a: [1, , 2]\n", 1, 8, "a value is missing", false},
    {"a: \"\\q\"\n", 1, 5, "unknown escape", false},
    {"a: \"x\\0y\"\n", 1, 5, "NUL character", true},
    {"a: \xff\n", 1, 4, "byte 0xff is not part of a UTF-8 text", false},
    {"a: \xed\xa0\x80\n", 1, 4, "byte 0xed", false},
    {"a: \xc0\x80\n", 1, 4, "byte 0xc0", false},
    {"a: \x01\n", 1, 4, "control character U+0001", false},
    {"\x1f\x8b\x08", 1, 1, "packed by gzip", false},
    {"a: \xe2\x80\xa8\n", 1, 4, "control character U+2028", false},
};

static int every_refusal_names_its_place(void)
{
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        const wrong *w = &wrongs[i];
        begin();
        if (parse(w->text) != FLX_ERR_MODEL) printf("accepted: %s\n", w->text);
        const flx_message *m = flx_ctx_error(ctx, 0);
        CHECK(m);
        CHECK_TEXT(m->text, w->message);
        if (m->loc.line != w->line || m->loc.column != w->column) {
            printf("%s\n%s is at %d:%d, expected %d:%d\n", w->text, m->text, m->loc.line,
                   m->loc.column, w->line, w->column);
            return 1;
        }
        CHECK((root != NULL) == w->tree);
        finish();
    }
    return 0;
}

static int nul_byte_is_refused(void)
{
    begin();
    CHECK(flx_yaml_parse(ctx, arena, "m.yaml", "a: 1\nb: \0", 9, &root) == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "NUL byte");
    CHECK(flx_ctx_error(ctx, 0)->loc.line == 2 && flx_ctx_error(ctx, 0)->loc.column == 4);
    finish();
    return 0;
}

// Of the processor: other programs may hold us up.
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int repeated(const char *piece, size_t size, const char *message, int most)
{
    size_t n = strlen(piece);
    size -= size % n;
    char *text = malloc(size + 1);
    CHECK(text);
    for (size_t i = 0; i < size; i++) text[i] = piece[i % n];
    text[size] = 0;
    begin();
    double start = seconds();
    flx_status status = flx_yaml_parse(ctx, arena, "m.yaml", text, size, &root);
    double took = seconds() - start;
    free(text);
    if (message) {
        CHECK(status == FLX_ERR_MODEL);
        CHECK_TEXT(flx_ctx_error(ctx, 0)->text, message);
    }
    CHECK(flx_ctx_error_count(ctx) <= most);
    if (took > 120) printf("'%.10s' took %g s\n", piece, took);
    CHECK(took < 120); // a second or so, a minute under valgrind; a quadratic scanner takes hours
    finish();
    return 0;
}

static int ten_megabytes_of_garbage_end_soon(void)
{
    const size_t size = (short_runs() ? 1 : 10) << 20;
    CHECK(!repeated("[", size, "nested more than 64 deep", 1));
    CHECK(!repeated("{a: ", size, "nested more than 64 deep", 1));
    CHECK(!repeated("- ", size, "nested more than 64 deep", 1));
    CHECK(!repeated("? ", size, "nested more than 64 deep", 1));
    CHECK(!repeated("a: 1\n", size, "given twice", FLX_MAX_ERRORS));
    CHECK(!repeated("a: 1\n", size / 10, "given twice", FLX_MAX_ERRORS));
    CHECK(!repeated("a: &a *a\n", size, NULL, FLX_MAX_ERRORS));
    CHECK(!repeated("1,", size, NULL, 1));
    CHECK(!repeated("x", size, NULL, 1));
    CHECK(!repeated("\"", size, NULL, 1));
    CHECK(!repeated("'", size, NULL, 1));
    CHECK(!repeated("a\n", size, NULL, 1));
    CHECK(!repeated(" ", size, "empty", 1));
    CHECK(!repeated("\n", size, "empty", 1));
    CHECK(!repeated("#\n", size, "empty", 1));
    CHECK(!repeated("---\n", size, "second document", 2));
    CHECK(!repeated("%\n", size, NULL, 1));
    CHECK(!repeated("|\n ", size, NULL, 1));
    CHECK(!repeated("!a ", size, NULL, 2));
    CHECK(!repeated("\x9f%", size, "byte 0x9f", 1));
    return 0;
}

static int many_values_are_refused(void)
{
    begin();
    const int n = FLX_YAML_VALUES + 10;
    char *text = malloc(2 * (size_t)n + 3);
    CHECK(text);
    text[0] = '[';
    for (int i = 0; i < n; i++) memcpy(text + 1 + 2 * (size_t)i, "1,", 2);
    memcpy(text + 1 + 2 * (size_t)n, "]", 2);
    CHECK(parse(text) == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "values in one file");
    free(text);
    finish();
    return 0;
}

static int every_failing_allocation_is_survived(void)
{
    for (int k = 0; k < 100; k++) {
        begin();
        flx_ctx_fail_allocation(ctx, k);
        flx_status status = parse("a: 1\nb: {c: [1, 2, {d: e}]}\nh: [i, j]\nk: |\n  l\n");
        CHECK(status == FLX_OK || status == FLX_ERR_MEMORY);
        CHECK((status == FLX_OK) == (root != NULL));
        bool done = status == FLX_OK;
        finish();
        if (done) break;
        CHECK(k < 99);
    }
    return 0;
}

TEST_MAIN(TEST(every_value_has_its_place), TEST(text_of_several_lines_is_kept_as_written),
          TEST(byte_order_mark_and_line_ends_do_not_move_places),
          TEST(every_refusal_names_its_place), TEST(nul_byte_is_refused),
          TEST(ten_megabytes_of_garbage_end_soon), SLOW_TEST(many_values_are_refused),
          TEST(every_failing_allocation_is_survived))
