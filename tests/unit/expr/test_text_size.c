// Texts of expressions that are deep, long, endless or random: nothing crashes, whatever is written.
#include "text_world.h"

// The caller frees it.
static char *repeat(const char *unit, int n, const char *middle, const char *end)
{
    size_t a = strlen(unit), m = strlen(middle), b = strlen(end), count = (size_t)n;
    char *text = calloc(count * (a + b) + m + 1, 1);
    if (!text) abort();
    for (size_t i = 0; i < count; i++) memcpy(text + i * a, unit, a);
    memcpy(text + count * a, middle, m);
    for (size_t i = 0; i < count; i++) memcpy(text + count * a + m + i * b, end, b);
    return text;
}

static int deep_error(const char *unit, const char *middle, const char *end, int n)
{
    world w;
    flx_operand v;
    char *text = repeat(unit, n, middle, end);
    CHECK(world_up(&w));
    flx_status s = read_value(&w, text, &v);
    const flx_message *e = flx_ctx_error(w.r.ctx, 0);
    if (!e) printf("no error: %.40s\n", text);
    CHECK(s == FLX_ERR_MODEL && e);
    CHECK_TEXT(e->text, "nested too deeply");
    world_down(&w);
    free(text);
    return 0;
}

static int deep_nesting_is_an_error(void)
{
    CHECK(!deep_error("(", "1", ")", 100000));
    CHECK(!deep_error("(", "", "", 100000));
    CHECK(!deep_error("[", "1", "]", 100000));
    CHECK(!deep_error("-", "1", "", 100000));
    CHECK(!deep_error("not ", "1", "", 100000));
    CHECK(!deep_error("2^", "1", "", 100000));
    CHECK(!deep_error("sin(", "x", ")", 100000));
    CHECK(!deep_error("", "x", "'", 100000));
    CHECK(!deep_error("", "v", "(1)", 100000));
    CHECK(!deep_error("", "v", ".x", 100000));
    CHECK(!deep_error("1 + (x*(", "x", "))", 100000));
    char *text = repeat("(", 250, "7", ")");
    CHECK(value_of(text) == 7);
    free(text);
    return 0;
}

static int recursion_is_an_error(void)
{
    world w;
    flx_operand v;
    CHECK(world_up(&w));
    CHECK(read_value(&w, "loop(1)", &v) == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(w.r.ctx, 0)->text, "call itself?");
    CHECK(flx_ctx_error_count(w.r.ctx) == 1 && w.r.g->depth == 0 && w.scope.depth == 0);
    flx_ctx_clear_messages(w.r.ctx);
    CHECK(read_value(&w, "fact(20)", &v) == FLX_OK);
    world_down(&w);
    return 0;
}

static int long_texts_are_good(void)
{
    char *text = repeat("1 + ", 200000, "1", "");
    CHECK(value_of(text) == 200001);
    free(text);
    text = repeat("x*2 - ", 50000, "1", "");
    CHECK(isfinite(value_of(text)));
    free(text);
    text = repeat("", 1, "sum(j, 1, 100000, sin(j*t))'", "");
    CHECK(isfinite(value_of(text)));
    free(text);
    text = repeat("9", 1000000, "", "");
    CHECK(!expect_error(text, 1, "too large"));
    free(text);
    text = repeat("a", 1000000, "", "");
    CHECK(!expect_error(text, 1, "unknown name 'aaa"));
    free(text);
    return 0;
}

// Work is limited, too: these would be a thousand million terms, and derivatives without end.
static int endless_sums_are_an_error(void)
{
    static const char *const texts[] = {
        "sum(i, 1, 1e3, sum(j, 1, 1e3, sum(k, 1, 1e3, 0*x)))",           // little memory
        "sum(i, 1, 1e3, sum(j, 1, 1e3, sin((i + 1000*j)*x)^(1 + i/j)))", // much
    };
    char *primes = repeat("", 250, "tan(x*sin(y*t))", "'");
    for (int i = 0; i < 3; i++) {
        world w;
        flx_operand v;
        CHECK(world_up(&w));
        w.r.g->steps = 29000000L; // most of the work is done: the rest is soon
        CHECK(read_value(&w, i < 2 ? texts[i] : primes, &v) == FLX_ERR_MODEL);
        CHECK_TEXT(flx_ctx_error(w.r.ctx, 0)->text, "too large");
        CHECK(flx_ctx_error(w.r.ctx, 0)->loc.line == 5);
        world_down(&w);
    }
    free(primes);
    return 0;
}

// ---- random texts: nothing crashes, whatever is written --------------------------------------------

static int random_texts_do_not_crash(void)
{
    static const char *const words[] = {
        "1",    "2.5", "x",   "v",     "m", "(",  ")",    "[",  "]", ",",    "+",
        "-",    "*",   "/",   "^",     "'", ".x", "and",  "or", "<", "sin(", "if(",
        "sum(", "j",   "not", "min(",  "a", " ",  "==",   "0",  "w", "t",    "v(",
        "link", "(2)", "pi",  "norm(", "e", ".",  "\xc3", "1e",
    };
    uint64_t seed = 99;
    for (int k = 0; k < 4000; k++) {
        char text[200] = "";
        world w;
        flx_operand v;
        int n = 1 + (int)(rig_random(&seed) % 15);
        for (int i = 0; i < n; i++) {
            strcat(text, words[rig_random(&seed) % (sizeof words / sizeof words[0])]);
        }
        CHECK(world_up(&w));
        flx_status s = read_value(&w, text, &v);
        int errors = flx_ctx_error_count(w.r.ctx);
        CHECK((s == FLX_OK && errors == 0) || (s == FLX_ERR_MODEL && errors == 1));
        world_down(&w);
    }
    return 0;
}

static flx_status read_in(flx_ctx *ctx, const char *text)
{
    flx_ast *ast = NULL;
    flx_operand value;
    flx_status status = FLX_ERR_MEMORY;
    flx_graph *g = flx_graph_create(ctx);
    flx_arena *arena = g ? flx_arena_create(ctx) : NULL;
    if (arena) {
        flx_scope s = {.ctx = ctx,
                       .graph = g,
                       .arena = arena,
                       .lookup = lookup,
                       .member = member,
                       .index = index_of,
                       .call = call,
                       .rate = rate,
                       .coerce = coerce};
        status = flx_ast_parse(ctx, arena, text, start, &ast);
        if (status == FLX_OK) status = flx_ast_elaborate(&s, ast, &value);
    }
    flx_arena_destroy(&arena);
    flx_graph_destroy(&g);
    return status;
}

static int every_allocation_may_fail(void)
{
    static const char *const text =
        "norm(cross(v, [x, y, z]))' + sum(j, 1, 300, sin(j*x)*double(m(1 + mod(j, 7))))' + "
        "distance(link(3), v) - min(m)*if(x > 1 and y < 2, unit(v), -v).x + dot(v, v')";
    for (long k = 0; k < 10000; k++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_ctx_fail_allocation(ctx, k);
        flx_status s = read_in(ctx, text);
        int errors = flx_ctx_error_count(ctx);
        flx_ctx_destroy(&ctx);
        CHECK(s == FLX_OK || (s == FLX_ERR_MEMORY && errors > 0));
        if (s == FLX_OK) {
            CHECK(k >= 20); // the loop did reach the end of the allocations
            return 0;
        }
    }
    return 1;
}

TEST_MAIN(TEST(deep_nesting_is_an_error), TEST(recursion_is_an_error), TEST(long_texts_are_good),
          TEST(endless_sums_are_an_error), TEST(random_texts_do_not_crash),
          TEST(every_allocation_may_fail))
