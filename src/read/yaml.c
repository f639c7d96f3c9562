// yaml.c - YAML text to a tree with positions, from the events of libyaml.
//
// The text is scanned once before libyaml sees it: bytes that are no text, and tabs that indent,
// get messages of our own, and ten megabytes of garbage end at the first wrong byte.
#include "read/yaml.h"

#include "base/letters.h"
#include "base/text_file.h"
#include "base/utf8.h"

#include <string.h>
#include <yaml.h>

#define SHOWN 60 // characters of the user's text in a message

typedef struct parser {
    flx_ctx *ctx;
    flx_arena *arena;
    const char *file;
    const char *text;
    size_t length;
    yaml_parser_t yaml;
    yaml_event_t event; // the current one; owned
    bool has_event;
    int nvalue;
    int flow;           // { and [ that are open
    int nerror;         // mistakes after which the structure is still clear
    int nline;          // lines of the text, found when a block scalar asks
    size_t *line_start; // owned
} parser;

static flx_loc place(const parser *p, yaml_mark_t mark)
{
    return (flx_loc){p->file, (int)mark.line + 1, (int)mark.column + 1, NULL};
}

// A mistake that does not hide the structure: go on, unless there are too many.
static flx_status note_error(parser *p)
{
    return ++p->nerror >= FLX_MAX_ERRORS ? FLX_ERR_MODEL : FLX_OK;
}

#define NOTE(p, loc, ...) (FLX_FAIL((p)->ctx, FLX_ERR_MODEL, (loc), __VA_ARGS__), note_error(p))

// ---- bytes ------------------------------------------------------------------------------------

static flx_status check_bytes(const parser *p)
{
    const unsigned char *s = (const unsigned char *)p->text;
    flx_loc loc = {p->file, 1, 1, NULL}, tab = FLX_NOWHERE;
    bool indentation = true;
    if (p->length > 1 && s[0] == 0x1f && s[1] == 0x8b) {
        return FLX_FAIL(p->ctx, FLX_ERR_MODEL, loc,
                        "the file is packed by gzip: unpack it first, by gunzip");
    }
    for (size_t i = 0, width; i < p->length; i += width) {
        long code = flx_utf8_decode(s + i, p->length - i, &width);
        if (code < 0) {
            return FLX_FAIL(p->ctx, FLX_ERR_MODEL, loc,
                            "byte 0x%02x is not part of a UTF-8 text; is this a model file?", s[i]);
        }
        if (code == 0) {
            return FLX_FAIL(p->ctx, FLX_ERR_MODEL, loc, "NUL byte; is this a model file?");
        }
        if (flx_is_no_text(code)) {
            return FLX_FAIL(p->ctx, FLX_ERR_MODEL, loc,
                            "control character U+%04lX; is this a model file?",
                            (unsigned long)code);
        }
        bool ends = code == '\n' || (code == '\r' && s[i + 1] != '\n');
        if (code == '\t' && indentation && !tab.file) tab = loc;
        if (!ends && code != ' ' && code != '\t' && code != '\r') {
            if (indentation && tab.file && code != '#') {
                return FLX_FAIL(p->ctx, FLX_ERR_MODEL, tab,
                                "a tab in the indentation; indent with spaces");
            }
            indentation = false;
        }
        loc.column++;
        if (ends) {
            loc.line++;
            loc.column = 1;
            indentation = true;
            tab = FLX_NOWHERE;
        }
    }
    return FLX_OK;
}

// ---- events -----------------------------------------------------------------------------------

// What libyaml says, and what a user should do.
static const struct {
    const char *problem, *text;
} syntax_hints[] = {
    {"did not find expected ',' or '}'",
     "expected ',' or '}' here; inside { } an expression with a comma or bracket is written in "
     "double quotes"},
    {"did not find expected ',' or ']'",
     "expected ',' or ']' here; inside [ ] an expression with a comma or bracket is written in "
     "double quotes"},
    {"mapping values are not allowed in this context",
     "a ':' is not allowed here; check the indentation, and the quotes of the line before"},
    {"did not find expected key", "expected a key here; check the indentation"},
    {"did not find expected '-' indicator", "expected '- ' here; check the indentation"},
    {"block sequence entries are not allowed in this context",
     "a list that begins with '-' is not allowed here; put it on a line of its own"},
    {"found character that cannot start any token",
     "a value cannot begin with this character; put the text in double quotes"},
    {"found unexpected end of stream", "the quote that opens this text is not closed"},
    {"found unexpected document indicator", "the quote that opens this text is not closed"},
    {"did not find expected alphabetic or numeric character",
     "'*' and '&' have a meaning of their own in YAML; an expression that begins with '*' is "
     "written in double quotes"},
    {"found unknown escape character",
     "unknown escape after '\\'; write '\\\\' for a backslash, or use single quotes"},
    {"did not find expected node content", "a value is missing here"},
    {"did not find expected <document start>",
     "this line does not belong to the mapping before it; "
     "check the indentation"},
};

// The last line above that is neither blank nor a comment: *from and *to are the bytes of its text.
// Returns its number, from 0; -1: there is none. *below: the first byte of the line itself.
static int line_above(const parser *p, int line, size_t *from, size_t *to, size_t *below)
{
    int found = -1;
    size_t at = 0;
    for (int i = 0; i < line && at < p->length; i++) {
        size_t end = at + strcspn(p->text + at, "\n"), stop = at;
        for (size_t k = at; k < end && p->text[k] != '#'; k++) {
            if (!strchr(" \t\r", p->text[k])) stop = k + 1;
        }
        if (stop > at) {
            found = i;
            *from = at;
            *to = stop;
        }
        at = end + 1;
    }
    *below = at < p->length ? at : p->length;
    return found;
}

// A text goes on in the next line where nothing ends it: what is missing at its end is noticed in the
// line below. Returns the sign, and the place behind the text; 0: it is something else.
static char find_missing_sign(const parser *p, flx_loc *loc)
{
    const yaml_parser_t *y = &p->yaml;
    bool comma = strcmp(y->problem, "did not find expected ',' or '}'") == 0;
    bool colon = strcmp(y->problem, "mapping values are not allowed in this context") == 0;
    bool key = strcmp(y->problem, "did not find expected key") == 0;
    size_t from = 0, to = 0, below = 0;
    int line = line_above(p, (int)y->problem_mark.line, &from, &to, &below);
    if (!(comma || colon || key) || line < 0) return 0;
    const char *sign = memchr(p->text + below, ':', strcspn(p->text + below, "\n"));
    bool first = sign && (size_t)(sign - p->text) == below + y->problem_mark.column;
    bool open = strchr(",:{[|>", p->text[to - 1]) != NULL;
    bool pair = memchr(p->text + from, ':', to - from) != NULL;
    if (open || (!first && !key) || (pair && !comma)) return 0;
    *loc = (flx_loc){p->file, line + 1, 1, NULL};
    for (size_t i = from, width; i < to; i += width, loc->column++) {
        flx_utf8_decode((const unsigned char *)p->text + i, p->length - i, &width);
    }
    return comma ? ',' : ':';
}

static flx_status fail_syntax(const parser *p)
{
    const yaml_parser_t *y = &p->yaml;
    if (y->error == YAML_MEMORY_ERROR) {
        return FLX_FAIL(p->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
    }
    const char *problem = y->problem ? y->problem : "not YAML";
    bool key = strcmp(problem, "could not find expected ':'") == 0 && y->context;
    flx_loc loc = place(p, key ? y->context_mark : y->problem_mark);
    if (key) return FLX_FAIL(p->ctx, FLX_ERR_MODEL, loc, "a key without ':' in this line");
    char sign = y->problem ? find_missing_sign(p, &loc) : 0;
    if (sign) {
        return FLX_FAIL(p->ctx, FLX_ERR_MODEL, loc, "%s is missing at the end of this line",
                        sign == ',' ? "',' or '}'" : "':'");
    }
    for (size_t i = 0; i < sizeof syntax_hints / sizeof syntax_hints[0]; i++) {
        if (strcmp(problem, syntax_hints[i].problem) != 0) continue;
        bool open_quote = strstr(syntax_hints[i].text, "quote that opens") && y->context;
        yaml_mark_t mark = open_quote ? y->context_mark : y->problem_mark;
        return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, mark), "%s", syntax_hints[i].text);
    }
    return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, y->problem_mark), "%s%s%s", problem,
                    y->context ? " " : "", y->context ? y->context : "");
}

static void drop_event(parser *p)
{
    if (p->has_event) yaml_event_delete(&p->event);
    p->has_event = false;
}

static flx_status next_event(parser *p)
{
    drop_event(p);
    if (!yaml_parser_parse(&p->yaml, &p->event)) return fail_syntax(p);
    p->has_event = true;
    return FLX_OK;
}

static flx_status refuse_anchor(parser *p, const void *anchor, const void *tag)
{
    flx_loc loc = place(p, p->event.start_mark);
    if (anchor) {
        FLX_TRY(NOTE(p, loc,
                     "anchors (&%.*s) are not part of the language; use 'like' or a parameter",
                     SHOWN, (const char *)anchor));
    }
    if (tag) {
        FLX_TRY(NOTE(p, loc, "tags (%.*s) are not part of the language", SHOWN, (const char *)tag));
    }
    return FLX_OK;
}

// ---- nodes ------------------------------------------------------------------------------------

static flx_status parse_node(parser *p, int depth, flx_entry **out);

static flx_entry *new_node(parser *p, flx_entry_kind kind)
{
    if (++p->nvalue > FLX_YAML_VALUES) {
        FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, p->event.start_mark),
                 "more than %d values in one file; put large tables into a CSV file",
                 FLX_YAML_VALUES);
        return NULL;
    }
    flx_loc loc = place(p, p->event.start_mark);
    flx_entry *node = kind == FLX_ENTRY_SCALAR ? flx_entry_scalar(p->arena, loc, "")
                      : kind == FLX_ENTRY_LIST ? flx_entry_list(p->arena, loc)
                                               : flx_entry_map(p->arena, loc);
    if (node) node->flow = p->flow > 0;
    return node;
}

static flx_status node_failure(const parser *p)
{
    return p->nvalue > FLX_YAML_VALUES ? FLX_ERR_MODEL : FLX_ERR_MEMORY;
}

static flx_status find_lines(parser *p)
{
    int n = 2;
    for (size_t i = 0; i < p->length; i++) n += p->text[i] == '\n' || p->text[i] == '\r';
    p->line_start = flx_alloc(p->ctx, (size_t)n, sizeof *p->line_start);
    if (!p->line_start) return FLX_ERR_MEMORY;
    p->nline = 1;
    for (size_t i = 0; i < p->length; i++) {
        char c = p->text[i];
        if (c == '\n' || (c == '\r' && p->text[i + 1] != '\n')) p->line_start[p->nline++] = i + 1;
    }
    return FLX_OK;
}

// The byte of a character; the lines were found before.
static size_t offset_of(const parser *p, int line, int column)
{
    if (line > p->nline) return p->length;
    size_t i = p->line_start[line - 1], width;
    for (int k = 1; k < column && i < p->length; k++, i += width) {
        flx_utf8_decode((const unsigned char *)p->text + i, p->length - i, &width);
    }
    return i < p->length ? i : p->length;
}

// The content of a block scalar (| or >) begins on the first line below that is not blank.
static void place_block(const parser *p, flx_loc *loc)
{
    for (int line = loc->line; line < p->nline; line++) {
        const char *s = p->text + p->line_start[line];
        size_t blanks = strspn(s, " ");
        if (s[blanks] == '\n' || s[blanks] == '\r' || s[blanks] == 0) continue;
        loc->line = line + 1;
        loc->column = (int)blanks + 1;
        break;
    }
}

// A scalar of several lines as it stands in the file. Where an escape makes it another text, the
// folded one has to do.
static flx_status copy_written(parser *p, flx_entry *node)
{
    yaml_scalar_style_t style = p->event.data.scalar.style;
    bool quoted =
        style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    size_t from = offset_of(p, node->loc.line, node->loc.column);
    size_t to = offset_of(p, (int)p->event.end_mark.line + 1, (int)p->event.end_mark.column + 1);
    const char *escape = style == YAML_SINGLE_QUOTED_SCALAR_STYLE ? "'" : "\\";
    if (quoted && to > from) to--;
    while (to > from && strchr(" \r\n", p->text[to - 1])) to--;
    if (to <= from || (quoted && memchr(p->text + from, *escape, to - from))) return FLX_OK;
    node->written = flx_arena_copy(p->arena, p->text + from, to - from);
    return node->written ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status parse_scalar(parser *p, flx_entry **out)
{
    const yaml_char_t *value = p->event.data.scalar.value;
    size_t length = p->event.data.scalar.length;
    yaml_scalar_style_t style = p->event.data.scalar.style;
    flx_entry *node = *out = new_node(p, FLX_ENTRY_SCALAR);
    if (!node) return node_failure(p);
    FLX_TRY(refuse_anchor(p, p->event.data.scalar.anchor, p->event.data.scalar.tag));
    bool several_lines = p->event.end_mark.line > p->event.start_mark.line;
    if (several_lines && !p->line_start) FLX_TRY(find_lines(p));
    if (style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE) {
        node->loc.column++;
    } else if (style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE) {
        if (several_lines) place_block(p, &node->loc);
        // without the line ends around it, so that the text begins at its place
        while (length && value[length - 1] == '\n') length--;
        while (length && *value == '\n') value++, length--;
    }
    node->quoted = style != YAML_PLAIN_SCALAR_STYLE;
    node->text = flx_arena_copy(p->arena, (const char *)value, length);
    if (!node->text) return FLX_ERR_MEMORY;
    node->written = node->text;
    if (several_lines) FLX_TRY(copy_written(p, node));
    if (strlen(node->text) != length) return NOTE(p, node->loc, "NUL character in a text");
    return FLX_OK;
}

static bool is_empty(const flx_entry *node)
{
    return node->kind == FLX_ENTRY_SCALAR && !node->quoted && node->text[0] == 0;
}

static flx_status parse_list(parser *p, int depth, flx_entry **out)
{
    flx_entry *node = *out = new_node(p, FLX_ENTRY_LIST);
    if (!node) return node_failure(p);
    FLX_TRY(
        refuse_anchor(p, p->event.data.sequence_start.anchor, p->event.data.sequence_start.tag));
    bool flow = p->event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
    p->flow += flow;
    for (;;) {
        flx_entry *item;
        FLX_TRY(next_event(p));
        if (p->event.type == YAML_SEQUENCE_END_EVENT) break;
        FLX_TRY(parse_node(p, depth + 1, &item));
        if (is_empty(item)) FLX_TRY(NOTE(p, item->loc, "an item of this list has no value"));
        FLX_TRY(flx_entry_append(p->arena, node, item));
    }
    p->flow -= flow;
    return FLX_OK;
}

// Every key once: of two the first is kept.
static flx_status add_pair(parser *p, flx_entry *map, flx_entry *key, flx_entry *value)
{
    int twin = flx_entry_find(map, key->text);
    if (twin < 0) return flx_entry_add(p->arena, map, key, value);
    const flx_loc first = map->keys[twin]->loc;
    return NOTE(p, key->loc, "'%.*s' is given twice; the first is at line %d, column %d", SHOWN,
                key->text, first.line, first.column);
}

static flx_status check_pair(parser *p, const flx_entry *key, const flx_entry *value, bool flow)
{
    if (key->kind != FLX_ENTRY_SCALAR) {
        return NOTE(p, key->loc, "a key must be a word, not a %s",
                    key->kind == FLX_ENTRY_LIST ? "list" : "mapping");
    }
    if (key->text[0] == 0) return NOTE(p, key->loc, "a key is missing before ':'");
    const char *bracket = key->quoted ? NULL : strpbrk(key->text, "{[");
    if (bracket && bracket > key->text && bracket[-1] == ' ') {
        return FLX_FAIL(p->ctx, FLX_ERR_MODEL, key->loc, "a ':' is missing before the '%c'",
                        *bracket);
    }
    if (!is_empty(value)) return FLX_OK;
    // "1,5": digits right behind a comma
    bool digits = key->text[strspn(key->text, "0123456789")] == 0;
    if (digits && !p->line_start) FLX_TRY(find_lines(p));
    size_t at = digits ? offset_of(p, key->loc.line, key->loc.column) : 0;
    digits = at > 1 && p->text[at - 1] == ',' && flx_is_digit(p->text[at - 2]);
    return NOTE(p, key->loc, "key '%.*s' has no value%s", SHOWN, key->text,
                flow && digits ? "; a decimal comma? Numbers are written with a point: 0.5"
                : flow ? "; inside { } an expression with a comma or bracket is written in double "
                         "quotes"
                       : "");
}

static flx_status parse_map(parser *p, int depth, flx_entry **out)
{
    bool flow = p->event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
    flx_entry *node = *out = new_node(p, FLX_ENTRY_MAP);
    if (!node) return node_failure(p);
    FLX_TRY(refuse_anchor(p, p->event.data.mapping_start.anchor, p->event.data.mapping_start.tag));
    p->flow += flow;
    for (;;) {
        flx_entry *key, *value;
        FLX_TRY(next_event(p));
        if (p->event.type == YAML_MAPPING_END_EVENT) break;
        FLX_TRY(parse_node(p, depth + 1, &key));
        FLX_TRY(next_event(p));
        FLX_TRY(parse_node(p, depth + 1, &value));
        FLX_TRY(check_pair(p, key, value, flow));
        if (key->kind != FLX_ENTRY_SCALAR) continue;
        FLX_TRY(add_pair(p, node, key, value));
    }
    p->flow -= flow;
    return FLX_OK;
}

// The node that begins with the current event.
static flx_status parse_node(parser *p, int depth, flx_entry **out)
{
    *out = NULL;
    if (depth > FLX_YAML_DEPTH) {
        return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, p->event.start_mark),
                        "lists and mappings are nested more than %d deep", FLX_YAML_DEPTH);
    }
    switch (p->event.type) {
    case YAML_SCALAR_EVENT:
        return parse_scalar(p, out);
    case YAML_SEQUENCE_START_EVENT:
        return parse_list(p, depth, out);
    case YAML_MAPPING_START_EVENT:
        return parse_map(p, depth, out);
    default: // alias
        *out = new_node(p, FLX_ENTRY_SCALAR);
        if (!*out) return node_failure(p);
        (*out)->quoted = true; // not an empty value: one message is enough
        return NOTE(p, (*out)->loc,
                    "aliases (*name) are not part of the language; an expression that begins with "
                    "'*' is written in double quotes");
    }
}

static flx_status parse_document(parser *p, flx_entry **root)
{
    FLX_TRY(next_event(p)); // stream start
    FLX_TRY(next_event(p));
    if (p->event.type == YAML_STREAM_END_EVENT) {
        return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, (yaml_mark_t){0}),
                        "the file is empty; a model begins with 'flexion: 1'");
    }
    if (p->event.data.document_start.version_directive ||
        p->event.data.document_start.tag_directives.start !=
            p->event.data.document_start.tag_directives.end) {
        FLX_TRY(NOTE(p, place(p, p->event.start_mark),
                     "directives (%%YAML, %%TAG) are not part of the language"));
    }
    FLX_TRY(next_event(p));
    FLX_TRY(parse_node(p, 1, root));
    FLX_TRY(next_event(p)); // document end
    FLX_TRY(next_event(p));
    if (p->event.type != YAML_STREAM_END_EVENT) {
        return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, p->event.start_mark),
                        "a second document begins here; a model is one document");
    }
    return p->nerror ? FLX_ERR_MODEL : FLX_OK;
}

flx_status flx_yaml_parse(flx_ctx *ctx, flx_arena *arena, const char *file, const char *text,
                          size_t length, flx_entry **root)
{
    const flx_loc first = {file, 1, 1, NULL};
    *root = NULL;
    if (length > FLX_FILE_LIMIT) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, first, "the text is larger than %d MB, the limit",
                        (int)(FLX_FILE_LIMIT >> 20));
    }
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { // byte order mark
        text += 3;
        length -= 3;
    }
    parser p = {.ctx = ctx, .arena = arena, .file = file, .text = text, .length = length};
    FLX_TRY(check_bytes(&p));
    if (!yaml_parser_initialize(&p.yaml)) {
        return FLX_FAIL(ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
    }
    yaml_parser_set_encoding(&p.yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&p.yaml, (const unsigned char *)p.text, length);

    flx_entry *tree = NULL;
    flx_status status = parse_document(&p, &tree);
    // the tree is whole when only mistakes of the kind that is noted were found
    bool whole = status == FLX_OK || (status == FLX_ERR_MODEL && p.nerror > 0 && p.has_event &&
                                      p.event.type == YAML_STREAM_END_EVENT);
    *root = whole ? tree : NULL;
    drop_event(&p);
    yaml_parser_delete(&p.yaml);
    flx_free(p.line_start);
    return status;
}
