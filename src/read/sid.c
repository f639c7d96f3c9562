// sid.c - reading Standard Input Data. The file is a sequence of lines, white space does not matter:
//
//     header line(s)          "2 2 :No. nodes, No. modes: ..."
//     part
//     new modal = [name]
//       refmod ... end refmod
//       frame  { new node = ID ... end node }  end frame
//       { NAME  order, nrow, ncol, nq, nqn, structure, { m0(i,j) = REAL | m1(i,l,j) = REAL }  end NAME }
//     end modal
//     end part
// Blocks may come in any order. Entries that are not listed are zero, those of a unit matrix one on the
// diagonal. The middle index of m1 is the coordinate. Numbers are Fortran's: 2.75D-01.
#include "read/sid.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Largest number of elastic coordinates: a block may hold the cube of it.
#define MOST_COORDINATES 500
// Largest number of entries of a block: what a wrong number in the file may cost.
#define MOST_ENTRIES 50000000.0

typedef struct parser {
    flx_ctx *ctx;
    flx_arena *arena;
    const char *file;
    const char *at, *end; // what has not been read
    int number;           // of the present line
    const char *line;     // trimmed, in the arena; NULL: the text has ended
    const char *key;      // what stands left of '=', or the whole line; single spaces
    const char *value;    // right of '='; NULL: no '='
    int column, value_column;
    flx_sid *sid;
    int node_capacity;
} parser;

static flx_loc place(const parser *p, int column)
{
    return (flx_loc){p->file, p->number, column};
}

// A copy of [from, to) without spaces at its ends and with single spaces inside.
static char *squeeze(parser *p, const char *from, const char *to)
{
    char *out = flx_arena_copy(p->arena, from, (size_t)(to - from)), *w = out;
    if (!out) return NULL;
    for (const char *r = out; *r; r++) {
        bool space = isspace((unsigned char)*r) != 0;
        if (space && (w == out || w[-1] == ' ')) continue;
        *w++ = space ? ' ' : *r;
    }
    while (w > out && w[-1] == ' ') w--;
    *w = '\0';
    return out;
}

// The next line that is not empty.
static flx_status next_line(parser *p)
{
    p->line = p->key = p->value = NULL;
    while (p->at < p->end) {
        const char *from = p->at, *to = memchr(from, '\n', (size_t)(p->end - from));
        if (!to) to = p->end;
        p->at = to < p->end ? to + 1 : to;
        p->number++;
        const char *first = from;
        while (first < to && isspace((unsigned char)*first)) first++;
        if (first == to) continue;
        if (memchr(first, '\0', (size_t)(to - first))) {
            return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, 1), "this is not a text file");
        }
        const char *equals = memchr(first, '=', (size_t)(to - first));
        p->column = (int)(first - from) + 1;
        p->line = squeeze(p, first, to);
        p->key = equals ? squeeze(p, first, equals) : p->line;
        p->value = equals ? squeeze(p, equals + 1, to) : NULL;
        if (!p->line || !p->key || (equals && !p->value)) return FLX_ERR_MEMORY;
        p->value_column = equals ? (int)(equals - from) + 2 : p->column;
        return FLX_OK;
    }
    p->number++;
    return FLX_OK;
}

static bool is_line(const parser *p, const char *text)
{
    return p->line && !p->value && strcasecmp(p->line, text) == 0;
}

static bool is_key(const parser *p, const char *text)
{
    return p->value && strcasecmp(p->key, text) == 0;
}

static flx_status fail_ended(const parser *p, const char *expected)
{
    return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, 1), "the file ends where '%s' was expected",
                    expected);
}

static flx_status fail_expected(const parser *p, const char *expected)
{
    if (!p->line) return fail_ended(p, expected);
    return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, p->column), "expected '%s', found '%s'",
                    expected, p->line);
}

// ---- values -------------------------------------------------------------------------------------

static flx_status read_integer(const parser *p, int *out)
{
    char *rest = NULL;
    long x = p->value[0] ? strtol(p->value, &rest, 10) : -1;
    if (!rest || rest == p->value || *rest || x < 0 || x > 1000000000) {
        return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, p->value_column),
                        "'%s' is a whole number, not '%s'", p->key, p->value);
    }
    *out = (int)x;
    return FLX_OK;
}

// Fortran writes the exponent with D or E.
static flx_status read_real(const parser *p, double *out)
{
    char text[64], *rest = NULL;
    size_t n = strlen(p->value);
    bool fine = n > 0 && n < sizeof text && strspn(p->value, "0123456789+-.dDeE") == n;
    if (fine) {
        for (size_t i = 0; i <= n; i++) {
            text[i] = p->value[i] == 'D' || p->value[i] == 'd' ? 'E' : p->value[i];
        }
        *out = strtod(text, &rest);
        fine = rest != text && !*rest && isfinite(*out);
    }
    if (fine) return FLX_OK;
    return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, p->value_column),
                    "'%s' is a number such as 1.5D-03, not '%s'", p->key, p->value);
}

// "m1( 2, 1, 3)" : the name and n whole numbers.
static bool read_indices(const char *key, const char *name, int n, int *out)
{
    size_t length = strlen(name);
    if (strncasecmp(key, name, length) != 0) return false;
    const char *at = key + length;
    for (int i = 0; i < n; i++) {
        char *rest = NULL;
        while (*at == ' ') at++;
        if (*at++ != (i == 0 ? '(' : ',')) return false;
        long x = strtol(at, &rest, 10);
        if (rest == at || x < 1 || x > 1000000000) return false;
        out[i] = (int)x - 1;
        at = rest;
    }
    while (*at == ' ') at++;
    return *at == ')' && at[1] == '\0';
}

// ---- blocks -------------------------------------------------------------------------------------

static const char *const size_words[] = {"order", "nrow", "ncol", "nq", "nqn", "structure"};
enum { N_SIZES = sizeof size_words / sizeof size_words[0] };

static flx_status check_sizes(const parser *p, const char *name, const int size[N_SIZES],
                              const int line[N_SIZES], int nrow, int ncol)
{
    const int expected[N_SIZES] = {size[0], nrow, ncol, p->sid->nq, 0, size[5]};
    for (int i = 0; i < N_SIZES; i++) {
        flx_loc loc = {p->file, line[i], 1};
        if (line[i] == 0) {
            return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, p->column),
                            "block '%s' does not say '%s ='", name, size_words[i]);
        }
        if (i == 0 && size[0] > 1) {
            return FLX_FAIL(p->ctx, FLX_ERR_MODEL, loc,
                            "block '%s' has order %d; order 0 and 1 are known", name, size[0]);
        }
        if (i == 5 && size[5] > FLX_SID_UNIT) {
            return FLX_FAIL(p->ctx, FLX_ERR_MODEL, loc,
                            "block '%s' has structure %d; known are 0 zero, 1 diagonal, 2 "
                            "symmetric, 3 general, 4 unit",
                            name, size[5]);
        }
        if (size[i] == expected[i]) continue;
        return FLX_FAIL(p->ctx, FLX_ERR_MODEL, loc, "block '%s' has %s = %d; here it is %d", name,
                        size_words[i], size[i], expected[i]);
    }
    return FLX_OK;
}

static flx_status make_arrays(const parser *p, const char *name, flx_taylor *t)
{
    double entries = (double)t->nrow * t->ncol * (t->order > 0 ? 1.0 + t->nq : 1.0);
    if (entries > MOST_ENTRIES) {
        return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, 1), "block '%s' would have %g entries",
                        name, entries);
    }
    size_t n = (size_t)t->nrow * (size_t)t->ncol;
    t->m0 = flx_arena_take(p->arena, n, sizeof *t->m0);
    if (!t->m0) return FLX_ERR_MEMORY;
    if (t->order > 0) {
        t->m1 = flx_arena_take(p->arena, (size_t)t->nq * n, sizeof *t->m1);
        if (!t->m1) return FLX_ERR_MEMORY;
    }
    for (int i = 0; t->structure == FLX_SID_UNIT && i < t->nrow && i < t->ncol; i++) {
        t->m0[i * t->ncol + i] = 1.0;
    }
    return FLX_OK;
}

// One entry m0 or m1.
static flx_status read_entry(const parser *p, const char *name, flx_taylor *t)
{
    int i[3];
    double *to = NULL, x = 0.0;
    if (read_indices(p->key, "m0", 2, i)) {
        if (i[0] < t->nrow && i[1] < t->ncol) to = t->m0 + i[0] * t->ncol + i[1];
    } else if (read_indices(p->key, "m1", 3, i)) {
        if (!t->m1) {
            return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, p->column),
                            "block '%s' has order 0, and so no '%s'", name, p->key);
        }
        if (i[0] < t->nrow && i[1] < t->nq && i[2] < t->ncol) {
            to = t->m1 + ((size_t)i[1] * (size_t)t->nrow + (size_t)i[0]) * (size_t)t->ncol + i[2];
        }
    } else {
        return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, p->column),
                        "expected 'm0(row, column) =', 'm1(row, mode, column) =' or 'end %s', "
                        "found '%s'",
                        name, p->line);
    }
    if (!to) {
        return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, p->column),
                        "'%s' is outside of block '%s', which has %d rows, %d columns and %d "
                        "coordinates",
                        p->key, name, t->nrow, t->ncol, t->nq);
    }
    FLX_TRY(read_real(p, &x));
    *to = x;
    return FLX_OK;
}

// A block whose name is the present line.
static flx_status read_block(parser *p, const char *name, int nrow, int ncol, flx_taylor *t)
{
    int size[N_SIZES] = {0}, line[N_SIZES] = {0};
    const char *end = flx_arena_printf(p->arena, "end %s", name);
    if (!end) return FLX_ERR_MEMORY;
    if (t->given) {
        return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, p->column), "block '%s' is there twice",
                        name);
    }
    for (;;) {
        FLX_TRY(next_line(p));
        int i = 0;
        while (i < N_SIZES && !is_key(p, size_words[i])) i++;
        if (i < N_SIZES && line[i] == 0) {
            FLX_TRY(read_integer(p, &size[i]));
            line[i] = p->number;
            continue;
        }
        if (!p->line) return fail_ended(p, end);
        if (!t->given) {
            FLX_TRY(check_sizes(p, name, size, line, nrow, ncol));
            *t = (flx_taylor){.given = true,
                              .order = size[0],
                              .nrow = nrow,
                              .ncol = ncol,
                              .nq = p->sid->nq,
                              .structure = (flx_sid_structure)size[5]};
            FLX_TRY(make_arrays(p, name, t));
        }
        if (is_line(p, end)) return FLX_OK;
        if (!p->value) return fail_expected(p, end);
        FLX_TRY(read_entry(p, name, t));
    }
}

// ---- parts of the file --------------------------------------------------------------------------

static flx_status read_refmod(parser *p)
{
    flx_sid *s = p->sid;
    bool mass = false, count = false;
    if (!is_line(p, "refmod")) return fail_expected(p, "refmod");
    for (;;) {
        int i = 0;
        FLX_TRY(next_line(p));
        if (is_line(p, "end refmod")) break;
        if (is_key(p, "mass")) {
            FLX_TRY(read_real(p, &s->mass));
            mass = true;
        } else if (is_key(p, "nelastq")) {
            FLX_TRY(read_integer(p, &s->nq));
            if (s->nq < 1 || s->nq > MOST_COORDINATES) {
                return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, p->value_column),
                                "a body has 1 to %d elastic coordinates, not %d", MOST_COORDINATES,
                                s->nq);
            }
            count = true;
            s->labels = flx_arena_take(p->arena, (size_t)s->nq, sizeof *s->labels);
            if (!s->labels) return FLX_ERR_MEMORY;
            for (int k = 0; k < s->nq; k++) s->labels[k] = "";
        } else if (p->value && read_indices(p->key, "ielastq", 1, &i)) {
            if (!count || i >= s->nq) {
                return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, p->column), "'%s': %s", p->key,
                                count ? "there are fewer coordinates" : "'nelastq' comes first");
            }
            s->labels[i] = p->value;
        } else {
            return fail_expected(p, "end refmod");
        }
    }
    if (!mass || !count) {
        return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, p->column), "refmod does not say '%s ='",
                        mass ? "nelastq" : "mass");
    }
    if (s->mass > 0) return FLX_OK;
    return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, p->column),
                    "the mass of an elastic body is positive, not %g", s->mass);
}

static flx_status add_node(parser *p, flx_sid_node **out)
{
    flx_sid *s = p->sid;
    if (s->nnode == p->node_capacity) {
        int capacity = p->node_capacity > 0 ? 2 * p->node_capacity : 8;
        flx_sid_node *nodes = flx_arena_take(p->arena, (size_t)capacity, sizeof *nodes);
        if (!nodes) return FLX_ERR_MEMORY;
        if (s->nnode > 0) memcpy(nodes, s->nodes, (size_t)s->nnode * sizeof *nodes);
        s->nodes = nodes;
        p->node_capacity = capacity;
    }
    *out = s->nodes + s->nnode++;
    (*out)->id = p->value;
    (*out)->rframe = "";
    for (int i = 0; i < s->nnode - 1; i++) {
        if (strcmp(s->nodes[i].id, p->value) != 0) continue;
        return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, p->value_column),
                        "node '%s' is there twice", p->value);
    }
    return FLX_OK;
}

static flx_status read_node(parser *p)
{
    flx_sid_node *node = NULL;
    int nq = p->sid->nq, first = p->number;
    FLX_TRY(add_node(p, &node));
    for (;;) {
        FLX_TRY(next_line(p));
        if (is_line(p, "end node")) break;
        if (is_key(p, "rframe")) {
            node->rframe = p->value;
            continue;
        }
        bool found = false;
#define X(name, nrow, ncol)                                                                        \
    if (!found && is_line(p, #name)) {                                                             \
        found = true;                                                                              \
        FLX_TRY(read_block(p, #name, nrow, ncol, &node->name));                                    \
    }
        FLX_SID_NODE_BLOCKS(X)
#undef X
        if (!found) return fail_expected(p, "end node");
    }
    const char *missing = !node->origin.given ? "origin"
                          : !node->phi.given  ? "phi"
                          : !node->psi.given  ? "psi"
                          : !node->AP.given   ? "AP"
                                              : NULL;
    if (!missing) return FLX_OK;
    return FLX_FAIL(p->ctx, FLX_ERR_MODEL, ((flx_loc){p->file, first, 1}),
                    "node '%s' has no block '%s'", node->id, missing);
}

static flx_status read_frame(parser *p)
{
    for (;;) {
        FLX_TRY(next_line(p));
        if (is_line(p, "end frame")) return FLX_OK;
        if (!is_key(p, "new node")) return fail_expected(p, "end frame");
        FLX_TRY(read_node(p));
    }
}

static flx_status fail_block(const parser *p)
{
    flx_nearest near;
    if (!p->line) return fail_ended(p, "end modal");
    flx_nearest_start(&near, p->line);
#define X(name, nrow, ncol) flx_nearest_offer(&near, #name);
    FLX_SID_BLOCKS(X)
#undef X
    flx_nearest_offer(&near, "end modal");
    const char *best = flx_nearest_best(&near);
    return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, p->column), "unknown block '%s'%s%s%s", p->line,
                    best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

static flx_status read_modal(parser *p)
{
    flx_sid *s = p->sid;
    bool frame = false;
    FLX_TRY(next_line(p));
    if (!is_key(p, "new modal")) return fail_expected(p, "new modal =");
    s->name = p->value;
    FLX_TRY(next_line(p));
    FLX_TRY(read_refmod(p));
    int nq = s->nq;
    for (;;) {
        FLX_TRY(next_line(p));
        if (is_line(p, "end modal")) break;
        bool found = is_line(p, "frame");
        if (found && frame) {
            return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, p->column), "'frame' is there twice");
        }
        if (found) {
            frame = true;
            FLX_TRY(read_frame(p));
        }
#define X(name, nrow, ncol)                                                                        \
    if (!found && is_line(p, #name)) {                                                             \
        found = true;                                                                              \
        FLX_TRY(read_block(p, #name, nrow, ncol, &s->name));                                       \
    }
        FLX_SID_BLOCKS(X)
#undef X
        if (!found) return fail_block(p);
    }
#define X(name, nrow, ncol)                                                                        \
    if (!s->name.given) {                                                                          \
        return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, p->column), "the block '%s' is missing",   \
                        #name);                                                                    \
    }
    FLX_SID_BLOCKS(X)
#undef X
    return FLX_OK;
}

static flx_status read_header(parser *p)
{
    const char *header = "";
    for (;;) {
        FLX_TRY(next_line(p));
        if (!p->line) {
            return FLX_FAIL(p->ctx, FLX_ERR_MODEL, place(p, 1),
                            "no line 'part': this is not a file of Standard Input Data");
        }
        if (is_line(p, "part")) break;
        header = flx_arena_printf(p->arena, "%s%s%s", header, *header ? " " : "", p->line);
        if (!header) return FLX_ERR_MEMORY;
    }
    p->sid->header = header;
    return FLX_OK;
}

flx_status flx_sid_parse(flx_ctx *ctx, flx_arena *arena, const char *file, const char *text,
                         size_t length, flx_sid **sid)
{
    *sid = NULL;
    parser p = {.ctx = ctx, .arena = arena, .file = file, .at = text, .end = text + length};
    p.sid = flx_arena_take(arena, 1, sizeof *p.sid);
    if (!p.sid) return FLX_ERR_MEMORY;
    FLX_TRY(read_header(&p));
    FLX_TRY(read_modal(&p));
    FLX_TRY(next_line(&p));
    if (!is_line(&p, "end part")) return fail_expected(&p, "end part");
    FLX_TRY(next_line(&p));
    if (p.line) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, place(&p, p.column),
                        "'%s' stands after the end of the body", p.line);
    }
    *sid = p.sid;
    return FLX_OK;
}
