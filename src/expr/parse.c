// parse.c - from the text of an expression to a syntax tree.
//
//     expression  operands joined by operators, weakest first:
//                 or | and | not x | < <= > >= == != (one only) | + - | * /
//     unary       -x, +x, or a power; so -x^2 = -(x^2)
//     power       postfix, or postfix ^ unary; so 2^-1 and 2^3^2 = 2^(3^2) are good
//     postfix     primary followed by any of (arguments) .name '
//     primary     number, name, (expression), [list]
//
// Numbers are decimal: 010 is ten. Columns count characters, as the YAML reader's do, not bytes.
#include "base/letters.h"
#include "base/number.h"
#include "expr/ast.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 256

typedef enum token_kind {
    TOKEN_END,
    TOKEN_NUMBER,
    TOKEN_NAME,
    TOKEN_OPERATOR, // that stands between two operands
    TOKEN_NOT,
    TOKEN_SIGN, // one character: ( ) [ ] , . '
} token_kind;

typedef struct token {
    token_kind kind;
    ast_operator op;
    const char *text;
    int length;
    flx_loc loc;
    double number;
} token;

typedef struct parser {
    flx_ctx *ctx;
    flx_arena *arena;
    const char *at;  // next character
    flx_loc loc;     // its place
    token now;       // not consumed yet
    token_kind last; // the one before
    int depth;
    flx_status status;
} parser;

static flx_ast *parse_expression(parser *p, int weakest);
static flx_ast *parse_unary(parser *p);

// ---- messages ---------------------------------------------------------------------------------

static flx_ast *stop(parser *p, flx_status status)
{
    p->status = status;
    return NULL;
}

// A failing branch is `return fail(...)`: the first error stops the parser.
#define fail(p, loc, ...) stop((p), FLX_FAIL((p)->ctx, FLX_ERR_MODEL, (loc), __VA_ARGS__))

// "'x'" or "the end of the expression".
static const char *describe(const token *t, char buffer[64])
{
    if (t->kind == TOKEN_END) return "the end of the expression";
    int shown = t->length > 40 ? 40 : t->length;
    flx_snprintf(buffer, 64, "'%.*s%s'", shown, t->text, shown < t->length ? "..." : "");
    return buffer;
}

// ---- tokens -----------------------------------------------------------------------------------

static void advance(parser *p, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)*p->at++;
        if (c == '\n') {
            p->loc.line++;
            p->loc.column = 1;
        } else if ((c & 0xc0) != 0x80) { // not the inside of a UTF-8 character
            p->loc.column++;
        }
    }
}

// The value of a decimal number. The point is taken out, so that the locale's does not matter.
static double number_value(const char *text, int length)
{
    char digits[840];
    int n = 0, i = 0;
    long exponent = 0, written = 0;
    bool fraction = false;
    for (; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
        if (text[i] == '.') {
            fraction = true;
        } else if (n < 800) { // more digits than can change the nearest double
            if (n > 0 || text[i] != '0') digits[n++] = text[i];
            exponent -= fraction;
        } else {
            exponent += !fraction;
        }
    }
    bool minus = i + 1 < length && text[i + 1] == '-';
    for (; i < length; i++) {
        if (flx_is_digit(text[i]) && written < 1000000000) written = 10 * written + (text[i] - '0');
    }
    if (n == 0) return 0.0;
    flx_snprintf(digits + n, sizeof digits - (size_t)n, "e%ld",
                 exponent + (minus ? -written : written));
    return flx_number_read(digits, NULL);
}

// Letters right after a number: one of the usual mistakes.
static flx_ast *fail_number(parser *p, const char *start, const char *end, flx_loc loc)
{
    int digits = (int)(end - start);
    const char *rest = end;
    while (flx_is_of_name(*rest)) rest++;
    int letters = rest - end > 40 ? 40 : (int)(rest - end);
    if (digits > 40) digits = 40;
    if (digits == 1 && *start == '0' && (*end == 'x' || *end == 'X')) {
        char *hex_end;
        unsigned long value = strtoul(end + 1, &hex_end, 16);
        if (hex_end == rest && hex_end > end + 1 && value < ULONG_MAX) {
            return fail(p, loc, "numbers are decimal: write %lu instead of 0%.*s", value, letters,
                        end);
        }
        return fail(p, loc, "'0%.*s' is not a number; numbers are decimal", letters, end);
    }
    if ((*end == 'e' || *end == 'E') && rest == end + 1) {
        return fail(p, loc, "the exponent of '%.*s%c' has no digits", digits, start, *end);
    }
    return fail(p, loc, "'%.*s%.*s' is not a number; a product is written %.*s*%.*s", digits, start,
                letters, end, digits, start, letters, end);
}

static void read_number(parser *p)
{
    const char *c = p->at;
    while (flx_is_digit(*c)) c++;
    if (*c == '.') c++;
    while (flx_is_digit(*c)) c++;
    if (*c == 'e' || *c == 'E') {
        const char *e = c + 1;
        if (*e == '+' || *e == '-') e++;
        if (flx_is_digit(*e)) {
            c = e;
            while (flx_is_digit(*c)) c++;
        }
    }
    if (flx_begins_name(*c)) {
        fail_number(p, p->at, c, p->loc);
        return;
    }
    p->now.kind = TOKEN_NUMBER;
    p->now.length = (int)(c - p->at);
    p->now.number = number_value(p->at, p->now.length);
    if (!isfinite(p->now.number)) {
        fail(p, p->loc, "the number is too large: the largest is about 1.8e308");
    }
}

static void read_name(parser *p)
{
    static const struct {
        const char *word;
        token_kind kind;
        ast_operator op;
    } words[] = {{"and", TOKEN_OPERATOR, AST_AND},
                 {"or", TOKEN_OPERATOR, AST_OR},
                 {"not", TOKEN_NOT, AST_NONE}};
    int n = 0;
    while (flx_is_of_name(p->at[n])) n++;
    p->now.kind = TOKEN_NAME;
    p->now.length = n;
    for (int i = 0; i < 3; i++) {
        if ((int)strlen(words[i].word) == n && strncmp(p->at, words[i].word, (size_t)n) == 0) {
            p->now.kind = words[i].kind;
            p->now.op = words[i].op;
        }
    }
}

// What people write for something that the language spells otherwise. Longer ones first.
static const struct spelling {
    const char *written, *meant;
} spellings[] = {
    {"**", "'^' for a power"},
    {"&&", "'and'"},
    {"||", "'or'"},
    {"!", "'not', or '!=' for different"},
    {"&", "'and'"},
    {"|", "'or', or abs(x) for the size"},
    {"=", "'==' to compare"},
    {"%", "mod(a, b)"},
    {"{", "'(' or '['"},
    {"}", "')' or ']'"},
    {"\"", "' for the rate"},
    {"\xe2\x88\x92", "'-'"},            // minus sign
    {"\xe2\x80\x93", "'-'"},            // en dash
    {"\xc3\x97", "'*'"},                // times
    {"\xc2\xb7", "'*'"},                // middle dot
    {"\xe2\x8b\x85", "'*'"},            // dot operator
    {"\xc3\xb7", "'/'"},                // division sign
    {"\xe2\x80\x99", "' for the rate"}, // right quote
    {"\xe2\x80\xb2", "' for the rate"}, // prime
    {"\xc2\xb2", "'^2'"},               // superscript two
    {"\xc2\xb3", "'^3'"},               // superscript three
    {"\xc2\xb0", "'*deg'"},             // degree
    {"\xcf\x80", "pi"},
    {"\xe2\x89\xa4", "'<='"},
    {"\xe2\x89\xa5", "'>='"},
    {"\xe2\x89\xa0", "'!='"},
};

static void fail_character(parser *p)
{
    unsigned char c = (unsigned char)*p->at;
    int n = 1;
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        if (strncmp(p->at, spellings[i].written, strlen(spellings[i].written)) == 0) {
            fail(p, p->loc, "unexpected '%s'; write %s", spellings[i].written, spellings[i].meant);
            return;
        }
    }
    if (c >= 0xc0) {
        while (n < 4 && ((unsigned char)p->at[n] & 0xc0) == 0x80) n++;
    }
    if (c < 0x20 || c == 0x7f || (c >= 0x80 && n == 1)) {
        fail(p, p->loc, "unexpected character with the code %u", (unsigned)c);
    } else if (c >= 0x80) {
        fail(p, p->loc, "unexpected character '%.*s'; names are letters a-z, digits and _", n,
             p->at);
    } else {
        fail(p, p->loc, "unexpected character '%c'", c);
    }
}

static void read_sign(parser *p)
{
    static const struct {
        const char *text;
        ast_operator op;
    } operators[] = {{"<=", AST_LE}, {">=", AST_GE}, {"==", AST_EQ}, {"!=", AST_NE},
                     {"<", AST_LT},  {">", AST_GT},  {"+", AST_ADD}, {"-", AST_SUB},
                     {"*", AST_MUL}, {"/", AST_DIV}, {"^", AST_POW}};
    bool twice = strncmp(p->at, "**", 2) == 0;
    for (size_t i = 0; i < sizeof operators / sizeof operators[0] && !twice; i++) {
        size_t n = strlen(operators[i].text);
        if (strncmp(p->at, operators[i].text, n) == 0) {
            p->now.kind = TOKEN_OPERATOR;
            p->now.op = operators[i].op;
            p->now.length = (int)n;
            return;
        }
    }
    if (strchr("()[],.'", *p->at)) {
        p->now.kind = TOKEN_SIGN;
        p->now.length = 1;
        return;
    }
    fail_character(p);
}

// Read the next token into p->now. After an error there are no more tokens.
static void next(parser *p)
{
    p->last = p->now.kind;
    advance(p, p->now.length);
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') advance(p, 1);
    p->now = (token){.kind = TOKEN_END, .text = p->at, .loc = p->loc};
    if (*p->at == 0 || p->status != FLX_OK) return;
    if (flx_is_digit(*p->at) || (*p->at == '.' && flx_is_digit(p->at[1]))) {
        read_number(p);
    } else if (flx_begins_name(*p->at)) {
        read_name(p);
    } else {
        read_sign(p);
    }
}

static bool is_sign(const parser *p, char c)
{
    return p->now.kind == TOKEN_SIGN && *p->now.text == c;
}

// ---- tree -------------------------------------------------------------------------------------

static flx_ast *make(parser *p, ast_kind kind, flx_loc loc)
{
    flx_ast *a = flx_arena_take(p->arena, 1, sizeof *a);
    if (!a) {
        p->status = FLX_ERR_MEMORY;
        return NULL;
    }
    a->kind = kind;
    a->loc = a->op_loc = a->post_loc = loc;
    return a;
}

static void append(flx_ast *parent, flx_ast *child)
{
    if (parent->last) {
        parent->last->next = child;
    } else {
        parent->first = child;
    }
    parent->last = child;
    parent->count++;
}

static const char *copy_name(parser *p)
{
    char *copy = flx_arena_copy(p->arena, p->now.text, (size_t)p->now.length);
    const char *name = copy ? flx_intern(p->ctx, copy) : NULL;
    if (!name) p->status = FLX_ERR_MEMORY;
    return name;
}

// Expressions separated by commas up to the closing sign, appended to the parent. The opening sign
// is the current token.
static bool parse_items(parser *p, flx_ast *parent, char open, char close)
{
    char found[64];
    flx_loc begin = p->now.loc;
    next(p);
    if (is_sign(p, close)) {
        next(p);
        return p->status == FLX_OK;
    }
    for (;;) {
        flx_ast *item = parse_expression(p, 0);
        if (!item) return false;
        append(parent, item);
        if (!is_sign(p, ',')) break;
        next(p);
    }
    if (p->status != FLX_OK) return false;
    if (!is_sign(p, close)) {
        fail(p, p->now.loc, "expected ',' or '%c' to close the '%c' at column %d, but found %s",
             close, open, begin.column, describe(&p->now, found));
        return false;
    }
    next(p);
    return p->status == FLX_OK;
}

// A comma where none belongs: of a number, or of a vector without brackets.
static flx_ast *fail_comma(parser *p)
{
    if (p->last == TOKEN_NUMBER && flx_is_digit(p->now.text[1])) {
        return fail(p, p->now.loc,
                    "unexpected ','; a decimal comma? Numbers are written with a point: 0.5");
    }
    return fail(p, p->now.loc, "unexpected ','; a vector is written in brackets: [a, b]");
}

static flx_ast *parse_parenthesis(parser *p)
{
    char found[64];
    flx_loc begin = p->now.loc;
    next(p);
    flx_ast *inside = parse_expression(p, 0);
    if (!inside) return NULL;
    if (is_sign(p, ',')) {
        return fail_comma(p);
    }
    if (!is_sign(p, ')')) {
        return fail(p, p->now.loc, "expected ')' to close the '(' at column %d, but found %s",
                    begin.column, describe(&p->now, found));
    }
    next(p);
    return inside;
}

static flx_ast *fail_operand(parser *p)
{
    char found[64];
    return fail(p, p->now.loc, "expected a number, a name, '(' or '[', but found %s",
                describe(&p->now, found));
}

static flx_ast *parse_primary(parser *p)
{
    flx_ast *a = NULL;
    if (p->status != FLX_OK) return NULL;
    if (is_sign(p, '(')) return parse_parenthesis(p);
    if (is_sign(p, '[')) {
        a = make(p, AST_LIST, p->now.loc);
        return a && parse_items(p, a, '[', ']') ? a : NULL;
    }
    if (p->now.kind == TOKEN_NUMBER) {
        a = make(p, AST_NUMBER, p->now.loc);
        if (a) a->number = p->now.number;
    } else if (p->now.kind == TOKEN_NAME) {
        a = make(p, AST_NAME, p->now.loc);
        if (a) a->name = copy_name(p);
    } else {
        return fail_operand(p);
    }
    next(p);
    return p->status == FLX_OK ? a : NULL;
}

// ( . or ' after an operand.
static flx_ast *parse_one_postfix(parser *p, flx_ast *a)
{
    char found[64];
    char sign = *p->now.text;
    ast_kind kind = sign == '(' ? AST_CALL : sign == '.' ? AST_MEMBER : AST_RATE;
    if (kind == AST_CALL && a->kind == AST_NUMBER) {
        return fail(p, p->now.loc, "expected an operator before '('; a product is written 2*(x)");
    }
    flx_ast *outer = make(p, kind, a->loc);
    if (!outer) return NULL;
    outer->post_loc = p->now.loc;
    append(outer, a);
    if (kind == AST_CALL) return parse_items(p, outer, '(', ')') ? outer : NULL;
    next(p);
    if (kind == AST_MEMBER) {
        if (p->status == FLX_OK && p->now.kind != TOKEN_NAME) {
            return fail(p, p->now.loc, "expected a name after '.', but found %s",
                        describe(&p->now, found));
        }
        outer->post_loc = p->now.loc;
        outer->name = p->status == FLX_OK ? copy_name(p) : NULL;
        next(p);
    }
    return p->status == FLX_OK ? outer : NULL;
}

static flx_ast *parse_postfix(parser *p)
{
    flx_ast *a = parse_primary(p);
    int length = 0;
    while (a && (is_sign(p, '(') || is_sign(p, '.') || is_sign(p, '\''))) {
        if (p->depth + ++length > DEPTH_MAX) {
            return fail(p, p->now.loc, "the expression is nested too deeply (more than %d)",
                        DEPTH_MAX);
        }
        a = parse_one_postfix(p, a);
    }
    return p->status == FLX_OK ? a : NULL;
}

// lhs op rhs, where lhs may be a chain that goes on.
static flx_ast *join(parser *p, flx_ast *chain, flx_ast *left, ast_operator op, flx_loc op_loc,
                     flx_ast *right)
{
    if (!chain) {
        chain = make(p, AST_CHAIN, left->loc);
        if (!chain) return NULL;
        append(chain, left);
    }
    right->op = op;
    right->op_loc = op_loc;
    append(chain, right);
    return chain;
}

static flx_ast *parse_power(parser *p)
{
    flx_ast *base = parse_postfix(p);
    if (!base || p->now.kind != TOKEN_OPERATOR || p->now.op != AST_POW) return base;
    flx_loc loc = p->now.loc;
    next(p);
    flx_ast *exponent = parse_unary(p);
    return exponent ? join(p, NULL, base, AST_POW, loc, exponent) : NULL;
}

static flx_ast *parse_unary(parser *p)
{
    flx_ast *a = NULL;
    bool sign = p->now.kind == TOKEN_OPERATOR && (p->now.op == AST_SUB || p->now.op == AST_ADD);
    bool minus = sign && p->now.op == AST_SUB;
    flx_loc loc = p->now.loc;
    if (++p->depth > DEPTH_MAX) {
        return fail(p, loc, "the expression is nested too deeply (more than %d)", DEPTH_MAX);
    }
    if (sign) next(p);
    flx_ast *operand = sign ? parse_unary(p) : parse_power(p);
    if (operand && minus) {
        a = make(p, AST_NEGATE, loc);
        if (a) append(a, operand);
    } else {
        a = operand;
    }
    p->depth--;
    return a;
}

static int strength(ast_operator op)
{
    switch (op) {
    case AST_NONE:
        return -1;
    case AST_OR:
        return 1;
    case AST_AND:
        return 2;
    case AST_ADD:
    case AST_SUB:
        return 5;
    case AST_MUL:
    case AST_DIV:
        return 6;
    case AST_POW: // belongs to its operand
        return -1;
    default:
        return 4; // comparisons; `not` is 3
    }
}

static flx_ast *parse_not(parser *p)
{
    flx_loc loc = p->now.loc;
    if (++p->depth > DEPTH_MAX) {
        return fail(p, loc, "the expression is nested too deeply (more than %d)", DEPTH_MAX);
    }
    next(p);
    flx_ast *operand = parse_expression(p, 3);
    flx_ast *a = operand ? make(p, AST_NOT, loc) : NULL;
    if (a) append(a, operand);
    p->depth--;
    return a;
}

// Operands joined by operators that bind at least as strongly as `weakest`.
static flx_ast *parse_expression(parser *p, int weakest)
{
    flx_ast *left = p->now.kind == TOKEN_NOT && weakest <= 3 ? parse_not(p) : parse_unary(p);
    flx_ast *chain = NULL; // left, if it was made here and may be continued
    int of_chain = 0;
    while (left && p->now.kind == TOKEN_OPERATOR && strength(p->now.op) >= weakest &&
           strength(p->now.op) > 0) {
        ast_operator op = p->now.op;
        flx_loc loc = p->now.loc;
        if (strength(op) == 4 && chain && of_chain == 4) {
            return fail(p, loc, "comparisons do not chain; write a < b and b < c");
        }
        next(p);
        flx_ast *right = parse_expression(p, strength(op) + 1);
        if (!right) return NULL;
        left = chain = join(p, of_chain == strength(op) ? chain : NULL, left, op, loc, right);
        of_chain = strength(op);
    }
    return p->status == FLX_OK ? left : NULL;
}

// ---- whole texts ------------------------------------------------------------------------------

static void fail_rest(parser *p)
{
    char found[64];
    describe(&p->now, found);
    if (is_sign(p, ')') || is_sign(p, ']')) {
        fail(p, p->now.loc, "%s closes nothing", found);
    } else if (is_sign(p, ',')) {
        fail_comma(p);
    } else {
        bool unit = p->now.kind == TOKEN_NAME && p->last == TOKEN_NUMBER;
        fail(p, p->now.loc, "expected an operator, but found %s%s", found,
             unit
                 ? "; numbers are written without a unit, in SI, and angles in radians or as 30*deg"
                 : "");
    }
}

flx_status flx_ast_parse(flx_ctx *ctx, flx_arena *arena, const char *text, flx_loc loc,
                         flx_ast **ast)
{
    parser p = {.ctx = ctx, .arena = arena, .at = text, .loc = loc};
    *ast = NULL;
    next(&p);
    if (p.status == FLX_OK && p.now.kind == TOKEN_END) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, loc, "an expression is missing here");
    }
    flx_ast *a = parse_expression(&p, 0);
    if (p.status == FLX_OK && p.now.kind != TOKEN_END) fail_rest(&p);
    if (p.status == FLX_OK) *ast = a;
    return p.status;
}
