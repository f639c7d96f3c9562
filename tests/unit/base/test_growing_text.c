// Texts that grow, and JSON in them.
#include "base/text.h"

#include "check.h"

#include <math.h>

static int texts_grow(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_text t;
    flx_text_start(&t, ctx);
    for (int i = 0; i < 10000; i++) flx_text_print(&t, "%d,", i % 10);
    CHECK(!t.failed && t.length == 20000 && t.data[19998] == '9' && t.data[20000] == '\0');
    flx_text_clear(&t);
    CHECK(t.length == 0);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int strings_are_json_that_may_stand_in_html(void)
{
    static const struct {
        const char *text, *json;
    } cases[] = {
        {"crank", "\"crank\""},
        {NULL, "\"\""},
        {"a\"b\\c\n", "\"a\\\"b\\\\c\\u000a\""},
        {"</script>", "\"\\u003c/script>\""},
        {"Kr\xc3\xbcmmung \xf0\x9f\x99\x82", "\"Kr\xc3\xbcmmung \xf0\x9f\x99\x82\""},
        {"bad \xff, \xc3", "\"bad \\ufffd, \\ufffd\""}, // cut off, and no such byte
        {"\xed\xa0\x80\xc0\xaf", "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\""}, // surrogate, overlong
    };
    flx_ctx *ctx = flx_ctx_create();
    flx_text t;
    flx_text_start(&t, ctx);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        flx_text_clear(&t);
        flx_text_put_string(&t, cases[i].text);
        CHECK_TEXT(t.data, cases[i].json);
    }
    flx_text_clear(&t);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int numbers_read_back_the_same(void)
{
    const double x[] = {0.1, 1.0 / 3.0, 1e-300, -2.5, (double)NAN, HUGE_VAL};
    flx_ctx *ctx = flx_ctx_create();
    flx_text t;
    flx_text_start(&t, ctx);
    flx_text_put_numbers(&t, 6, x);
    CHECK_TEXT(t.data, "[0.1, 0.3333333333333333, 1e-300, -2.5, null, null]");
    flx_text_clear(&t);
    flx_text_put_numbers(&t, 0, x);
    CHECK_TEXT(t.data, "[]");
    flx_text_clear(&t);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int no_memory_is_told_at_the_end(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_text t;
    flx_text_start(&t, ctx);
    flx_text_put(&t, "kept");
    flx_ctx_fail_allocation(ctx, 0);
    for (int i = 0; i < 1000; i++) flx_text_put(&t, "more");
    CHECK(t.failed);
    flx_text_clear(&t);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(texts_grow), TEST(strings_are_json_that_may_stand_in_html),
          TEST(numbers_read_back_the_same), TEST(no_memory_is_told_at_the_end))
