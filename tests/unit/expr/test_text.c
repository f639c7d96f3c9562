// From text to values: precedence, vectors, names, functions, and every message with its place.
//
// The scope here knows: a = 2, b = 3, m = [10, 20, 30, 40, 50, 60, 70], v = [1, 2, 3], w = [4, 5],
// leaves x y z (numbers 0 1 2) and t (3); functions double(x) = 2*x, loop(x) = loop(x) and
// fact(n); the family `link` of handles, link(i).position = [i, x, 0], whose place is the position;
// and a joint `cross` with the member angle = 7.
#include "expr_rig.h"

typedef struct world {
    rig r;
    flx_arena *arena;
    flx_scope scope;
} world;

enum { TAG_FAMILY, TAG_LINK, TAG_JOINT };
static const char *const double_text = "2*x", *const loop_text = "loop(x) + 1",
                         *const fact_text = "if(x <= 1, 1, x*fact(x - 1))";
static const int numbers[100];

static flx_status give_list(flx_scope *s, int n, const double *v, flx_value *out)
{
    *out = (flx_value){.kind = FLX_VALUE_LIST, .node = -1, .count = n};
    out->items = flx_arena_take(s->arena, (size_t)n, sizeof(flx_value));
    if (!out->items) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        out->items[i] =
            (flx_value){.kind = FLX_VALUE_NUMBER, .node = flx_graph_const(s->graph, v[i])};
        if (out->items[i].node < 0) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

static flx_status lookup(flx_scope *s, const char *name, flx_loc loc, flx_value *out)
{
    static const double m[7] = {10, 20, 30, 40, 50, 60, 70};
    static const char *const leaves = "xyzt";
    *out = (flx_value){.kind = FLX_VALUE_NUMBER, .node = -1};
    if (s->user && strcmp(name, "x") == 0) { // inside a function: its argument
        *out = *(const flx_value *)s->user;
        return FLX_OK;
    }
    const char *leaf = strlen(name) == 1 ? strchr(leaves, name[0]) : NULL;
    if (leaf) {
        out->node = flx_graph_leaf(s->graph, (flx_leaf)(leaf - leaves));
        return out->node < 0 ? FLX_ERR_MEMORY : FLX_OK;
    }
    if (strcmp(name, "a") == 0 || strcmp(name, "b") == 0) {
        out->node = flx_graph_const(s->graph, name[0] == 'a' ? 2 : 3);
        return out->node < 0 ? FLX_ERR_MEMORY : FLX_OK;
    }
    if (strcmp(name, "m") == 0) return give_list(s, 7, m, out);
    if (strcmp(name, "v") == 0) return give_list(s, 3, (double[3]){1, 2, 3}, out);
    if (strcmp(name, "w") == 0) return give_list(s, 2, (double[2]){4, 5}, out);
    out->kind = FLX_VALUE_FUNCTION;
    out->handle = strcmp(name, "double") == 0 ? double_text
                  : strcmp(name, "loop") == 0 ? loop_text
                  : strcmp(name, "fact") == 0 ? fact_text
                                              : NULL;
    if (out->handle) return FLX_OK;
    out->kind = FLX_VALUE_HANDLE;
    out->tag = strcmp(name, "cross") == 0 ? TAG_JOINT : TAG_FAMILY;
    if (out->tag == TAG_JOINT || strcmp(name, "link") == 0) return FLX_OK;
    flx_nearest near;
    flx_nearest_start(&near, name);
    for (const char *const *n = flx_expr_builtin_names(); *n; n++) flx_nearest_offer(&near, *n);
    const char *best = flx_nearest_best(&near);
    return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc, "unknown %s '%s'%s%s%s",
                    s->called ? "function" : "name", name, best ? "; did you mean '" : "",
                    best ? best : "", best ? "'?" : "");
}

static flx_status coerce(flx_scope *s, const flx_value *of, flx_loc loc, flx_value *out)
{
    if (of->tag != TAG_LINK) return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc, "no place");
    int i = (int)((const int *)of->handle - numbers);
    FLX_TRY(give_list(s, 3, (double[3]){i, 0, 0}, out));
    out->items[1].node = flx_graph_leaf(s->graph, 0);
    return out->items[1].node < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

static flx_status member(flx_scope *s, const flx_value *of, const char *name, flx_loc loc,
                         flx_value *out)
{
    if (of->tag == TAG_LINK && strcmp(name, "position") == 0) return coerce(s, of, loc, out);
    if (of->tag == TAG_JOINT && strcmp(name, "angle") == 0) {
        *out = (flx_value){.kind = FLX_VALUE_NUMBER, .node = flx_graph_const(s->graph, 7)};
        return out->node < 0 ? FLX_ERR_MEMORY : FLX_OK;
    }
    return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc, "no member '%s'", name);
}

static flx_status index_of(flx_scope *s, const flx_value *of, int n, const flx_value *args,
                           flx_loc loc, flx_value *out)
{
    double v;
    if (of->tag != TAG_FAMILY || n != 1 || args[0].kind != FLX_VALUE_NUMBER ||
        !flx_graph_is_const(s->graph, args[0].node, &v) || v < 1 || v > 50) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc, "no such link");
    }
    *out = (flx_value){.kind = FLX_VALUE_HANDLE, .tag = TAG_LINK, .handle = numbers + (int)v};
    return FLX_OK;
}

static flx_status call(flx_scope *s, const flx_value *f, int n, const flx_value *args, flx_loc loc,
                       flx_value *out)
{
    flx_ast *body = NULL;
    flx_scope inner = *s;
    if (n != 1) return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc, "one argument");
    inner.user = (void *)&args[0];
    FLX_TRY(flx_ast_parse(s->ctx, s->arena, f->handle, (flx_loc){"f", 1, 1}, &body));
    return flx_ast_elaborate(&inner, body, out);
}

static flx_node time_rule(flx_graph *g, void *user, flx_leaf leaf)
{
    (void)user;
    return leaf == 3 ? flx_graph_const(g, 1.0) : flx_graph_leaf(g, leaf + 4); // x' is leaf 4, ...
}

static flx_status rate(flx_scope *s, flx_node n, flx_loc loc, flx_node *out)
{
    (void)loc;
    *out = flx_graph_derive(s->graph, n, time_rule, NULL);
    return *out < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

static int world_up(world *w)
{
    memset(w, 0, sizeof *w);
    if (!rig_up(&w->r)) return 0;
    w->arena = flx_arena_create(w->r.ctx);
    w->scope = (flx_scope){.ctx = w->r.ctx,
                           .graph = w->r.g,
                           .arena = w->arena,
                           .lookup = lookup,
                           .member = member,
                           .index = index_of,
                           .call = call,
                           .rate = rate,
                           .coerce = coerce};
    return w->arena != NULL;
}

static void world_down(world *w)
{
    flx_arena_destroy(&w->arena);
    rig_down(&w->r);
}

static const flx_loc start = {"model.yaml", 5, 10};

static flx_status read_value(world *w, const char *text, flx_value *out)
{
    flx_ast *ast = NULL;
    FLX_TRY(flx_ast_parse(w->r.ctx, w->arena, text, start, &ast));
    return flx_ast_elaborate(&w->scope, ast, out);
}

// The value of a text at x = 0.5, y = -2, z = 3, t = 4, rates 10, 20, 30 (leaves 4, 5, 6).
static double value_of(const char *text)
{
    world w;
    flx_ast *ast = NULL;
    flx_node n = -1;
    double v = (double)NAN;
    const double in[RIG_LEAVES] = {0.5, -2, 3, 4, 10, 20, 30};
    if (!world_up(&w)) return v;
    if (flx_ast_parse(w.r.ctx, w.arena, text, start, &ast) == FLX_OK &&
        flx_ast_number(&w.scope, ast, &n) == FLX_OK) {
        v = rig_eval(&w.r, n, in);
    } else {
        const flx_message *e = flx_ctx_error(w.r.ctx, 0);
        printf("%s: %s\n", text, e ? e->text : "no message");
    }
    world_down(&w);
    return v;
}

// The text is an error at this column with these words in its message.
static int expect_error(const char *text, int column, const char *message)
{
    world w;
    flx_value v;
    CHECK(world_up(&w));
    flx_status s = read_value(&w, text, &v);
    const flx_message *e = flx_ctx_error(w.r.ctx, 0);
    if (s != FLX_ERR_MODEL || !e) printf("no error in: %.60s\n", text);
    CHECK(s == FLX_ERR_MODEL && e && flx_ctx_error_count(w.r.ctx) == 1);
    CHECK_TEXT(e->text, message);
    if (e->loc.column != start.column + column - 1) {
        printf("%s: column %d, expected %d\n", text, e->loc.column - start.column + 1, column);
    }
    CHECK(e->loc.line == 5 && e->loc.column == start.column + column - 1);
    CHECK(e->loc.file == start.file);
    world_down(&w);
    return 0;
}

static int numbers_are_decimal(void)
{
    CHECK(value_of("010") == 10.0);
    CHECK(value_of("1e-3") == 1e-3 && value_of("1E+3") == 1e3 && value_of(".5") == 0.5);
    CHECK(value_of("5.") == 5.0 && value_of("0.1") == 0.1 && value_of("00.10") == 0.1);
    CHECK(value_of("1.7976931348623157e308") == 1.7976931348623157e308);
    CHECK(value_of("4.9e-324") == 4.9e-324 && value_of("1e-400") == 0.0);
    CHECK(value_of("0.000000000000000000000000000000123456789") == 1.23456789e-31);
    CHECK(value_of("123456789012345678901234567890") == 123456789012345678901234567890.0);
    CHECK(value_of("0e999999999999") == 0.0);
    // a thousand digits and an exponent that takes them back
    char text[1100] = "0.";
    for (int i = 2; i < 1002; i++) text[i] = '0';
    strcpy(text + 1002, "25e1001");
    CHECK(value_of(text) == 2.5);
    memset(text, '3', 1002);
    strcpy(text + 1002, "e-1002");
    CHECK_NEAR(value_of(text), 1.0 / 3, 1e-16);
    CHECK(value_of("pi") == acos(-1.0));
    CHECK_REL(value_of("180*deg"), acos(-1.0), 1e-16);
    return 0;
}

static int operators_bind_as_usual(void)
{
    CHECK(value_of("1 + 2*3") == 7 && value_of("(1 + 2)*3") == 9 && value_of("7 - 2 - 1") == 4);
    CHECK(value_of("8/4/2") == 1 && value_of("8/4*2") == 4 && value_of("2*3^2") == 18);
    CHECK(value_of("-2^2") == -4 && value_of("(-2)^2") == 4 && value_of("2^3^2") == 512);
    CHECK(value_of("2^-1") == 0.5 && value_of("2^-2^2") == 1.0 / 16 && value_of("2*-3") == -6);
    CHECK(value_of("- -3") == 3 && value_of("+3 - +2") == 1 && value_of("5 - -3") == 8);
    CHECK(value_of("-a*.5") == -1);
    CHECK(value_of("1 < 2") == 1 && value_of("2 <= 1") == 0 && value_of("2 > 1") == 1);
    CHECK(value_of("1 >= 2") == 0 && value_of("1 + 1 == 2") == 1 && value_of("1 != 1") == 0);
    CHECK(value_of("1 < 2 and 2 < 3") == 1 && value_of("0 and 1 or 1") == 1);
    CHECK(value_of("1 or 0 and 0") == 1 && value_of("not 1 == 2") == 1);
    CHECK(value_of("not 0 and 0") == 0 && value_of("not not 5") == 1 && value_of("3 and 4") == 1);
    CHECK(value_of("x + y*z") == -5.5 && value_of("x < y or z > y and t == 4") == 1);
    CHECK(value_of("-x^2") == -0.25 && value_of("x^-1") == 2);
    CHECK(value_of("1\n + 2\t*3\r\n") == 7);
    return 0;
}

static int functions_are_applied(void)
{
    CHECK(value_of("sqrt(16) + abs(-3) + sign(-2) + floor(2.7) + ceil(2.1) + round(2.5)") == 14);
    CHECK(value_of("mod(-1, 3)") == 2 && value_of("min(3, 1, 2)") == 1 && value_of("max(m)") == 70);
    CHECK(value_of("max(5)") == 5 && value_of("min(x, y, z, t)") == -2);
    CHECK_REL(value_of("atan2(1, -1)"), 0.75 * acos(-1.0), 1e-15);
    CHECK(value_of("if(1 < 2, 3, 4)") == 3 && value_of("if(x > 1, 3, y)") == -2);
    CHECK(value_of("sum(j, 1, 7, m(j))") == 280 && value_of("sum(j, 3, 2, m(j))") == 0);
    CHECK(value_of("sum(j, 1, 3, sum(k, 1, j, x*k))") == 0.5 * (1 + 3 + 6));
    CHECK(value_of("sum(x, 1, 3, x)") == 6); // the index hides the name
    CHECK(value_of("double(double(x)) + double(1)") == 4);
    CHECK(value_of("fact(5)") == 120);
    CHECK(value_of("sum(j, 1, 2, double(j))") == 6);
    CHECK_REL(value_of("log10(1000) + log(exp(2)) + sin(0) + cos(0) + tan(0)"), 6, 1e-15);
    CHECK_REL(value_of("sinh(1) + cosh(1)"), exp(1), 1e-15);
    CHECK_REL(value_of("asin(1) + acos(0) + atan(1)*4 + tanh(0)"), 2 * acos(-1.0), 1e-15);
    return 0;
}

static int vectors_are_lists(void)
{
    CHECK(value_of("v(2)") == 2 && value_of("v.z") == 3 && value_of("[4, x, 6].y") == 0.5);
    CHECK(value_of("(v + [1, 1, 1]).x") == 2 && value_of("(2*v - v/2).z") == 4.5);
    CHECK(value_of("(v*2)(3)") == 6 && value_of("(-v)(1)") == -1);
    CHECK_REL(value_of("norm(v)"), sqrt(14), 1e-15);
    CHECK(value_of("norm([x, 0, 0])") == 0.5 && value_of("dot(v, [x, y, z])") == 5.5);
    CHECK(value_of("cross(v, [0, 0, 1]).x") == 2 && value_of("cross(v, [0, 0, 1]).y") == -1);
    CHECK(value_of("cross(w, [1, 1])") == -1 && value_of("distance([0, 0], [3, 4])") == 5);
    CHECK_REL(value_of("unit([3, 4]).y"), 0.8, 1e-15);
    CHECK(value_of("if(x > 0, v, 2*v).y") == 2 && value_of("if(x < 0, v, 2*v).y") == 4);
    CHECK(value_of("sum(j, 1, 2, j*v).z") == 9);
    CHECK(value_of("[[1, 2], [3, 4]](2)(1)") == 3);
    CHECK(value_of("m(1 + 2*3)") == 70 && value_of("m(0.1*30)") == 30);
    return 0;
}

static int handles_are_the_scopes(void)
{
    CHECK(value_of("link(3).position.x") == 3 && value_of("norm(link(3) - link(1))") == 2);
    CHECK(value_of("distance(link(1), link(4))") == 3 && value_of("(link(2)*2).y") == 1);
    CHECK(value_of("if(1 > 0, link(5), 0).position.x") == 5);
    CHECK(value_of("cross.angle") == 7 && value_of("cross(v, v).x + cross.angle") == 7);
    world w;
    flx_value v;
    CHECK(world_up(&w));
    CHECK(read_value(&w, "link(2)", &v) == FLX_OK && v.kind == FLX_VALUE_HANDLE);
    CHECK(read_value(&w, "[link(2), link(3)]", &v) == FLX_OK && v.kind == FLX_VALUE_LIST);
    CHECK(v.items[1].kind == FLX_VALUE_HANDLE && v.items[1].handle == numbers + 3);
    CHECK(read_value(&w, "double", &v) == FLX_OK && v.kind == FLX_VALUE_FUNCTION);
    world_down(&w);
    return 0;
}

static int rates_are_derivations(void)
{
    CHECK(value_of("x'") == 10 && value_of("t'") == 1 && value_of("t''") == 0);
    CHECK(value_of("x'^2") == 100 && value_of("(x*y)'") == 10 * -2 + 20 * 0.5);
    CHECK(value_of("-x'") == -10 && value_of("[x, y, t]'.y") == 20 && value_of("v'(1)") == 0);
    CHECK(value_of("link(3)'.y") == 10 && value_of("double(x)'") == 20);
    CHECK(value_of("norm([3*t, 4*t])'") == 5 && value_of("(t^3)''") == 24);
    world w;
    flx_value v;
    CHECK(world_up(&w));
    w.scope.rate = NULL;
    CHECK(read_value(&w, "2*x'", &v) == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(w.r.ctx, 0)->text, "not allowed here");
    CHECK(flx_ctx_error(w.r.ctx, 0)->loc.column == start.column + 3);
    world_down(&w);
    return 0;
}

// What a constant condition rules out is not looked at, but its names are.
static int branches_not_taken_may_be_wrong(void)
{
    CHECK(value_of("if(a > 1, a, 1/0)") == 2 && value_of("if(a < 1, m(99), 5)") == 5);
    CHECK(value_of("a != 2 and 1/(a - 2) > 0") == 0 && value_of("a == 2 or 1/(a - 2) > 0") == 1);
    CHECK(value_of("sum(j, 1, 3, if(j > 1, m(j - 1), 0))") == 30);
    CHECK(value_of("if(1, 2, sum(q, 1, 2, q))") == 2);
    CHECK(!expect_error("if(a > 1, a, nowhere)", 14, "unknown name 'nowhere'"));
    CHECK(!expect_error("if(a > 1, a, sinn(2))", 14, "unknown function 'sinn'"));
    CHECK(!expect_error("sum(j, 2, 1, nowhere*j)", 14, "unknown name 'nowhere'"));
    CHECK(!expect_error("0 and nowhere", 7, "unknown name 'nowhere'"));
    // but where the condition is not constant, both count
    CHECK(!expect_error("if(x > 1, a, 1/0)", 15, "division by zero"));
    return 0;
}

static int syntax_errors_have_their_place(void)
{
    CHECK(!expect_error("", 1, "an expression is missing"));
    CHECK(!expect_error("1 +", 4, "expected a number, a name, '(' or '[', but found the end"));
    CHECK(!expect_error("1 + * 2", 5, "but found '*'"));
    CHECK(!expect_error("(1 + 2", 7,
                        "expected ')' to close the '(' at column 10, but found the end"));
    CHECK(!expect_error("sin(1", 6, "expected ',' or ')' to close the '(' at column 13"));
    CHECK(!expect_error("[1, 2", 6, "expected ',' or ']' to close the '[' at column 10"));
    CHECK(!expect_error("[1, 2)", 6, "but found ')'"));
    CHECK(!expect_error("1 2", 3, "expected an operator, but found '2'"));
    CHECK(!expect_error("a b", 3, "expected an operator, but found 'b'"));
    CHECK(!expect_error("a)", 2, "')' closes nothing"));
    CHECK(!expect_error("1, 2", 2, "a vector is written in brackets"));
    CHECK(!expect_error("(1, 2)", 3, "a vector is written in brackets"));
    CHECK(!expect_error("a + 0x10", 5, "numbers are decimal: write 16 instead of 0x10"));
    CHECK(!expect_error("0xzz", 1, "'0xzz' is not a number"));
    CHECK(!expect_error("2x", 1, "'2x' is not a number; a product is written 2*x"));
    CHECK(!expect_error("2(3)", 2, "a product is written 2*(x)"));
    CHECK(!expect_error("1e+", 1, "the exponent of '1e' has no digits"));
    CHECK(!expect_error("1e", 1, "the exponent of '1e' has no digits"));
    CHECK(!expect_error("1e999", 1, "too large"));
    CHECK(!expect_error("a.5", 2, "expected an operator, but found '.5'"));
    CHECK(!expect_error("v.", 3, "expected a name after '.', but found the end"));
    CHECK(!expect_error("v.(2)", 3, "expected a name after '.', but found '('"));
    CHECK(!expect_error("1 < 2 < 3", 7, "comparisons do not chain"));
    CHECK(!expect_error("2**3", 2, "unexpected '**'; write '^'"));
    CHECK(!expect_error("a = 2", 3, "unexpected '='; write '=='"));
    CHECK(!expect_error("a && b", 3, "write 'and'"));
    CHECK(!expect_error("a || b", 3, "write 'or'"));
    CHECK(!expect_error("!a", 1, "write 'not'"));
    CHECK(!expect_error("5 % 2", 3, "mod(a, b)"));
    CHECK(!expect_error("a @ b", 3, "unexpected character '@'"));
    CHECK(!expect_error("a \x01", 3, "unexpected character with the code 1"));
    CHECK(!expect_error("a \xff", 3, "unexpected character with the code 255"));
    CHECK(!expect_error("a \xe2\x88\x92 b", 3, "write '-'"));
    CHECK(!expect_error("\xc3\xbc + 1", 1, "names are letters a-z, digits and _"));
    CHECK(!expect_error("1 == not 0", 6, "but found 'not'"));
    CHECK(!expect_error("and", 1, "but found 'and'"));
    CHECK(!expect_error("sin(,)", 5, "but found ','"));
    CHECK(!expect_error("[1, ]", 5, "but found ']'"));
    return 0;
}

// Columns count characters; a line break begins a new line.
static int places_count_characters_and_lines(void)
{
    world w;
    flx_value v;
    CHECK(world_up(&w));
    CHECK(read_value(&w, "1 +\n  2 $", &v) == FLX_ERR_MODEL);
    CHECK(flx_ctx_error(w.r.ctx, 0)->loc.line == 6 && flx_ctx_error(w.r.ctx, 0)->loc.column == 5);
    world_down(&w);
    return 0;
}

static int meaning_errors_have_their_place(void)
{
    CHECK(!expect_error("1 + sinn(2)", 5, "unknown function 'sinn'; did you mean 'sin'?"));
    CHECK(!expect_error("1 + nowhere", 5, "unknown name 'nowhere'"));
    CHECK(!expect_error("a*(1 + b/0)", 9, "division by zero"));
    CHECK(!expect_error("x/0", 2, "division by zero"));
    CHECK(!expect_error("1/(a - 2)", 2, "division by zero"));
    CHECK(!expect_error("v/0", 2, "division by zero"));
    CHECK(!expect_error("mod(5, 0)", 1, "division by zero"));
    CHECK(!expect_error("0^-1", 2, "division by zero"));
    CHECK(!expect_error("(-2)^0.5", 5, "a negative number (-2) cannot be raised to the power 0.5"));
    CHECK(!expect_error("1 + sqrt(-1)", 5, "square root of a negative number (-1)"));
    CHECK(!expect_error("log(0)", 1, "logarithm of 0"));
    CHECK(!expect_error("log10(-1)", 1, "logarithm of -1"));
    CHECK(!expect_error("asin(2)", 1, "asin of 2: the argument must lie between -1 and 1"));
    CHECK(!expect_error("acos(-2)", 1, "acos of -2"));
    CHECK(!expect_error("exp(1000)", 1, "too large"));
    CHECK(!expect_error("1e200*1e200", 6, "too large"));
    CHECK(!expect_error("unit([0, 0, 0])", 1, "length is zero"));
    CHECK(!expect_error("m(8)", 3, "index 8 is out of range: 'm' has 7 entries"));
    CHECK(!expect_error("m(0)", 3, "index 0 is out of range: 'm' has 7 entries, counted from 1"));
    CHECK(!expect_error("[1, 2](3)", 8, "index 3 is out of range: the list has 2 entries"));
    CHECK(!expect_error("m(1.5)", 3, "an index must be a whole number, but it is 1.5"));
    CHECK(!expect_error("m(x)", 3, "an index must be constant"));
    CHECK(!expect_error("m(1, 2)", 2, "a list takes one index, but 2 are given"));
    CHECK(!expect_error("m(v)", 3, "a number is needed here, but this is a vector of 3"));
    CHECK(!expect_error("a(2)", 2, "'a' is a number, neither a function nor a list"));
    CHECK(!expect_error("(1 + 2)(3)", 8, "a number is neither a function nor a list"));
    CHECK(!expect_error("v + 1", 3, "cannot add a vector of 3 and a number"));
    CHECK(!expect_error("1 + v", 3, "cannot add a number and a vector of 3"));
    CHECK(!expect_error("v + w", 3, "cannot add a vector of 3 and a vector of 2"));
    CHECK(!expect_error("v - 1", 3, "cannot subtract a number from a vector of 3"));
    CHECK(!expect_error("v*v", 2, "use dot(a, b) or cross(a, b)"));
    CHECK(!expect_error("1/v", 2, "cannot divide a number by a vector of 3"));
    CHECK(!expect_error("v^2", 2, "cannot raise a vector of 3 to the power of a number"));
    CHECK(!expect_error("v < 2", 3, "cannot compare a vector of 3 and a number"));
    CHECK(!expect_error("v and 1", 1, "a number is needed here, but this is a vector of 3"));
    CHECK(!expect_error("not v", 5, "a number is needed here"));
    CHECK(!expect_error("w.z", 3, "a vector of 2 has no entry .z"));
    CHECK(!expect_error("v.q", 3, "a vector of 3 has no member 'q'"));
    CHECK(!expect_error("a.x", 3, "a number has no member 'x'"));
    CHECK(!expect_error("sin()", 1, "sin takes 1 argument, but 0 are given"));
    CHECK(!expect_error("atan2(1)", 1, "atan2 takes 2 arguments, but 1 is given"));
    CHECK(!expect_error("min()", 1, "min takes at least 1 argument, but 0 are given"));
    CHECK(!expect_error("sin(v)", 5, "sin needs a number, but argument 1 is a vector of 3"));
    CHECK(!expect_error("norm(2)", 6, "norm needs a vector, but argument 1 is a number"));
    CHECK(!expect_error("dot(v, w)", 8, "same length, but they have 3 and 2 entries"));
    CHECK(!expect_error("cross(m, m)", 1, "cross needs vectors of 3"));
    CHECK(!expect_error("min([])", 1, "min of an empty list"));
    CHECK(
        !expect_error("sum(1, 1, 2, 3)", 5, "the first argument of sum is the name of its index"));
    CHECK(!expect_error("sum(j, 1, x, j)", 11, "the last index of a sum must be constant"));
    CHECK(!expect_error("sum(j, 1, 2, if(j == 1, 1, v))", 14, "cannot add a number and a vector"));
    CHECK(!expect_error("if(x, 1, v)", 10, "differ in kind: a number and a vector of 3"));
    CHECK(!expect_error("double + 1", 1, "'double' is a function: write double(...)"));
    CHECK(!expect_error("link(51)", 6, "no such link"));
    CHECK(!expect_error("link(1).positon", 9, "no member 'positon'"));
    CHECK(!expect_error("cross + 1", 1, "no place"));
    CHECK(!expect_error("norm([v, 1])", 6, "entry 1 of this vector must be a number"));
    return 0;
}

static int kinds_are_checked_where_one_is_asked_for(void)
{
    world w;
    flx_ast *ast = NULL;
    flx_node n[3];
    CHECK(world_up(&w));
    CHECK(flx_ast_parse(w.r.ctx, w.arena, "v", start, &ast) == FLX_OK);
    CHECK(strcmp(flx_ast_name(ast), "v") == 0 && flx_ast_loc(ast).column == start.column);
    CHECK(flx_ast_vector(&w.scope, ast, 3, n) == FLX_OK);
    CHECK(flx_ast_vector(&w.scope, ast, 2, n) == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(w.r.ctx, 0)->text,
               "a vector of 2 is needed here, but this is a vector of 3");
    CHECK(flx_ast_number(&w.scope, ast, n) == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(w.r.ctx, 1)->text, "a number is needed here, but this is a vector");
    CHECK(flx_ast_parse(w.r.ctx, w.arena, "link(3)", start, &ast) == FLX_OK);
    CHECK(!flx_ast_name(ast) && flx_ast_vector(&w.scope, ast, 3, n) == FLX_OK);
    CHECK(flx_expr_is_reserved("pi") && !flx_expr_is_reserved("cross"));
    world_down(&w);
    return 0;
}

// ---- size ---------------------------------------------------------------------------------------

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
    flx_value v;
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
    flx_value v;
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
        flx_value v;
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
        flx_value v;
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
    flx_node n;
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
        if (status == FLX_OK) status = flx_ast_number(&s, ast, &n);
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

TEST_MAIN(TEST(numbers_are_decimal), TEST(operators_bind_as_usual), TEST(functions_are_applied),
          TEST(vectors_are_lists), TEST(handles_are_the_scopes), TEST(rates_are_derivations),
          TEST(branches_not_taken_may_be_wrong), TEST(syntax_errors_have_their_place),
          TEST(places_count_characters_and_lines), TEST(meaning_errors_have_their_place),
          TEST(kinds_are_checked_where_one_is_asked_for), TEST(deep_nesting_is_an_error),
          TEST(recursion_is_an_error), TEST(long_texts_are_good), TEST(endless_sums_are_an_error),
          TEST(random_texts_do_not_crash), TEST(every_allocation_may_fail))
