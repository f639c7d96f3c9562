// From text to values: precedence, vectors, names, functions, and every message with its place.
#include "text_world.h"

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
    flx_operand v;
    CHECK(world_up(&w));
    CHECK(read_value(&w, "link(2)", &v) == FLX_OK && v.kind == FLX_OPERAND_HANDLE);
    CHECK(read_value(&w, "[link(2), link(3)]", &v) == FLX_OK && v.kind == FLX_OPERAND_LIST);
    CHECK(v.items[1].kind == FLX_OPERAND_HANDLE && v.items[1].handle == numbers + 3);
    CHECK(read_value(&w, "double", &v) == FLX_OK && v.kind == FLX_OPERAND_FUNCTION);
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
    flx_operand v;
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
    flx_operand v;
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

static int some_names_are_reserved(void)
{
    CHECK(flx_expr_is_reserved("pi") && !flx_expr_is_reserved("cross"));
    return 0;
}

TEST_MAIN(TEST(numbers_are_decimal), TEST(operators_bind_as_usual), TEST(functions_are_applied),
          TEST(vectors_are_lists), TEST(handles_are_the_scopes), TEST(rates_are_derivations),
          TEST(branches_not_taken_may_be_wrong), TEST(syntax_errors_have_their_place),
          TEST(places_count_characters_and_lines), TEST(meaning_errors_have_their_place),
          TEST(some_names_are_reserved))
