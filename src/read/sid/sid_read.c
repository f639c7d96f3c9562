// sid_read.c - reading Standard Input Data. The file is a sequence of lines (sid_lines.c):
//
//     header line(s)          "2 2 :No. nodes, No. modes: ..."
//     part
//     new modal = [name]
//       refmod ... end refmod
//       frame  { new node = ID ... end node }  end frame
//       { NAME  order, nrow, ncol, nq, nqn, structure, { m0(i,j) = REAL | m1(i,l,j) = REAL }  end NAME }
//     end modal
//     end part
// Blocks may come in any order; Gr and Ge, which follow from the others, and De and ksigma may be left out.
// Entries that are not listed are zero, those of a unit matrix one on the diagonal. The middle index of m1 is the
// coordinate. J is six numbers, or a matrix. A block of order 0 may say that it has no coordinates.
#include "read/sid/sid_parts.h"

#include <stdlib.h>
#include <string.h>

// Largest number of elastic coordinates: a block may hold the cube of it.
#define MOST_COORDINATES 500
// Largest number of entries of a block: what a wrong number in the file may cost.
#define MOST_ENTRIES 50000000.0
// Longest header.
#define MOST_HEADER 100000

typedef struct parser {
    flx_sid_lines l;
    flx_arena *arena;
    flx_sid *sid;
    int node_capacity;
    int *node_line; // owned: where each node begins
    int line_capacity;
    unsigned char *told; // owned: entries of the present block that have been read
    int told_capacity;
    char *header; // owned
    int header_length, header_capacity;
} parser;

static flx_loc here(const parser *p)
{
    return flx_sid_place(&p->l, p->l.column);
}

// A text of the present line, to stay.
static const char *keep(const parser *p, const char *text)
{
    return flx_arena_copy(p->arena, text, strlen(text));
}

// ---- blocks -------------------------------------------------------------------------------------

static const char *const size_words[] = {"order", "nrow", "ncol", "nq", "nqn", "structure"};
enum { N_SIZES = sizeof size_words / sizeof size_words[0] };

static flx_status check_sizes(const parser *p, const char *name, const int size[N_SIZES],
                              const int line[N_SIZES], int nrow, int ncol)
{
    // a constant needs no coordinates, and terms of higher order are not there
    int nq = size[0] == 0 && size[3] == 0 ? 0 : p->sid->nq;
    const int expected[N_SIZES] = {size[0], nrow, ncol, nq, size[4], size[5]};
    for (int i = 0; i < N_SIZES; i++) {
        flx_loc loc = {p->l.file, line[i], 1, NULL};
        if (line[i] == 0) {
            return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL, here(p), "block '%s' does not say '%s ='",
                            name, size_words[i]);
        }
        if (i == 0 && size[0] > 1) {
            return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL, loc,
                            "block '%s' has order %d; order 0 and 1 are known", name, size[0]);
        }
        if (i == 5 && size[5] > FLX_SID_UNIT) {
            return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL, loc,
                            "block '%s' has structure %d; known are 0 zero, 1 diagonal, 2 "
                            "symmetric, 3 general, 4 unit",
                            name, size[5]);
        }
        if (size[i] == expected[i]) continue;
        return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL, loc, "block '%s' has %s = %d; here it is %d", name,
                        size_words[i], size[i], expected[i]);
    }
    return FLX_OK;
}

static flx_status make_arrays(parser *p, const char *name, flx_taylor *t)
{
    double entries = (double)t->nrow * t->ncol * (t->order > 0 ? 1.0 + t->nq : 1.0);
    if (entries > MOST_ENTRIES) {
        return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL, flx_sid_place(&p->l, 1),
                        "block '%s' would have %g entries", name, entries);
    }
    FLX_TRY(flx_grow(p->l.ctx, (void **)&p->told, &p->told_capacity, (int)entries, 1));
    memset(p->told, 0, (size_t)entries);
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
    size_t entry = 0, size = (size_t)t->nrow * (size_t)t->ncol;
    if (flx_sid_read_indices(&p->l, "m0", 2, i)) {
        entry = (size_t)i[0] * (size_t)t->ncol + (size_t)i[1];
        if (i[0] < t->nrow && i[1] < t->ncol) to = t->m0 + entry;
    } else if (flx_sid_read_indices(&p->l, "m1", 3, i)) {
        if (!t->m1) {
            return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL, here(p),
                            "block '%s' has order 0, and so no '%s'", name, p->l.key);
        }
        entry = (size_t)i[1] * size + (size_t)i[0] * (size_t)t->ncol + (size_t)i[2];
        if (i[0] < t->nrow && i[1] < t->nq && i[2] < t->ncol) to = t->m1 + entry;
        entry += size;
    } else {
        return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL, here(p),
                        "expected 'm0(row, column) =', 'm1(row, mode, column) =' or 'end %s', "
                        "found '%s'",
                        name, p->l.line);
    }
    if (!to) {
        return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL, here(p),
                        "'%s' is outside of block '%s', which has %d rows, %d columns and %d "
                        "coordinates",
                        p->l.key, name, t->nrow, t->ncol, t->nq);
    }
    if (p->told[entry]) {
        return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL, here(p), "block '%s' says '%s' twice", name,
                        p->l.key);
    }
    p->told[entry] = 1;
    FLX_TRY(flx_sid_read_real(&p->l, &x));
    *to = x;
    return FLX_OK;
}

// A block whose name is the present line.
static flx_status read_block(parser *p, const char *name, int nrow, int ncol, flx_taylor *t)
{
    int size[N_SIZES] = {0}, line[N_SIZES] = {0}, first = p->l.number;
    const char *end = flx_arena_printf(p->arena, "end %s", name);
    if (!end) return FLX_ERR_MEMORY;
    if (t->given) {
        return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL, here(p), "block '%s' is there twice", name);
    }
    for (;;) {
        FLX_TRY(flx_sid_next(&p->l));
        int i = 0;
        while (i < N_SIZES && !flx_sid_is_key(&p->l, size_words[i])) i++;
        if (i < N_SIZES && line[i] == 0) {
            FLX_TRY(flx_sid_read_integer(&p->l, &size[i]));
            line[i] = p->l.number;
            continue;
        }
        if (!p->l.line) return flx_sid_fail_ended(&p->l, end);
        if (!t->given) {
            if (strcmp(name, "J") == 0 && size[1] == 3 && size[2] == 3) nrow = ncol = 3;
            FLX_TRY(check_sizes(p, name, size, line, nrow, ncol));
            *t = (flx_taylor){.given = true,
                              .order = size[0],
                              .nrow = nrow,
                              .ncol = ncol,
                              .nq = size[3],
                              .nqn = size[4],
                              .structure = (flx_sid_structure)size[5],
                              .line = first};
            FLX_TRY(make_arrays(p, name, t));
        }
        if (flx_sid_is_line(&p->l, end)) return FLX_OK;
        if (!p->l.value) return flx_sid_fail_expected(&p->l, end);
        FLX_TRY(read_entry(p, name, t));
    }
}

// ---- parts of the file --------------------------------------------------------------------------

static flx_status read_refmod(parser *p)
{
    flx_sid *s = p->sid;
    bool mass = false, count = false;
    if (!flx_sid_is_line(&p->l, "refmod")) return flx_sid_fail_expected(&p->l, "refmod");
    for (;;) {
        int i = 0;
        FLX_TRY(flx_sid_next(&p->l));
        if (flx_sid_is_line(&p->l, "end refmod")) break;
        if (flx_sid_is_key(&p->l, "mass")) {
            FLX_TRY(flx_sid_read_real(&p->l, &s->mass));
            mass = true;
        } else if (flx_sid_is_key(&p->l, "nelastq")) {
            FLX_TRY(flx_sid_read_integer(&p->l, &s->nq));
            if (s->nq < 1 || s->nq > MOST_COORDINATES) {
                return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL, flx_sid_place(&p->l, p->l.value_column),
                                "a body has 1 to %d elastic coordinates, not %d", MOST_COORDINATES,
                                s->nq);
            }
            count = true;
            s->labels = flx_arena_take(p->arena, (size_t)s->nq, sizeof *s->labels);
            if (!s->labels) return FLX_ERR_MEMORY;
            for (int k = 0; k < s->nq; k++) s->labels[k] = "";
        } else if (flx_sid_read_indices(&p->l, "ielastq", 1, &i)) {
            if (!count || i >= s->nq) {
                return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL, here(p), "'%s': %s", p->l.key,
                                count ? "there are fewer coordinates" : "'nelastq' comes first");
            }
            s->labels[i] = keep(p, p->l.value);
            if (!s->labels[i]) return FLX_ERR_MEMORY;
        } else {
            return flx_sid_fail_expected(&p->l, "end refmod");
        }
    }
    if (!mass || !count) {
        return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL, here(p), "refmod does not say '%s ='",
                        mass ? "nelastq" : "mass");
    }
    if (s->mass > 0) return FLX_OK;
    return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL, here(p),
                    "the mass of a flexible body is positive, not %g", s->mass);
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
    FLX_TRY(flx_grow(p->l.ctx, (void **)&p->node_line, &p->line_capacity, s->nnode + 1,
                     sizeof *p->node_line));
    p->node_line[s->nnode] = p->l.number;
    *out = s->nodes + s->nnode++;
    (*out)->id = keep(p, p->l.value);
    (*out)->rframe = "";
    return (*out)->id ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status read_node(parser *p)
{
    flx_sid_node *node = NULL;
    int nq = p->sid->nq, first = p->l.number;
    FLX_TRY(add_node(p, &node));
    for (;;) {
        FLX_TRY(flx_sid_next(&p->l));
        if (flx_sid_is_line(&p->l, "end node")) break;
        if (flx_sid_is_key(&p->l, "rframe")) {
            node->rframe = keep(p, p->l.value);
            if (!node->rframe) return FLX_ERR_MEMORY;
            continue;
        }
        bool found = false;
#define X(name, nrow, ncol)                                                                        \
    if (!found && flx_sid_is_line(&p->l, #name)) {                                                 \
        found = true;                                                                              \
        FLX_TRY(read_block(p, #name, nrow, ncol, &node->name));                                    \
    }
        FLX_SID_NODE_BLOCKS(X)
#undef X
        if (!found) return flx_sid_fail_expected(&p->l, "end node");
    }
    const char *missing = !node->origin.given ? "origin"
                          : !node->phi.given  ? "phi"
                          : !node->psi.given  ? "psi"
                          : !node->AP.given   ? "AP"
                                              : NULL;
    if (!missing) return FLX_OK;
    return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL, ((flx_loc){p->l.file, first, 1, NULL}),
                    "node '%s' has no block '%s'", node->id, missing);
}

static int by_id(const void *a, const void *b)
{
    const flx_sid_node *const *x = a, *const *y = b;
    int order = strcmp((*x)->id, (*y)->id);
    return order != 0 ? order : (*x > *y) - (*x < *y);
}

static flx_status check_ids(const parser *p)
{
    const flx_sid *s = p->sid;
    size_t n = (size_t)s->nnode;
    const flx_sid_node **list = flx_alloc(p->l.ctx, n, sizeof(flx_sid_node *));
    if (!list) return FLX_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) list[i] = s->nodes + i;
    qsort((void *)list, n, sizeof(flx_sid_node *), by_id);
    const flx_sid_node *twice = NULL;
    for (size_t i = 1; i < n && !twice; i++) {
        if (strcmp(list[i - 1]->id, list[i]->id) == 0) twice = list[i];
    }
    flx_free((void *)list);
    if (!twice) return FLX_OK;
    return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL,
                    ((flx_loc){p->l.file, p->node_line[twice - s->nodes], 1, NULL}),
                    "node '%s' is there twice", twice->id);
}

static flx_status read_frame(parser *p)
{
    for (;;) {
        FLX_TRY(flx_sid_next(&p->l));
        if (flx_sid_is_line(&p->l, "end frame")) return check_ids(p);
        if (!flx_sid_is_key(&p->l, "new node")) return flx_sid_fail_expected(&p->l, "end frame");
        FLX_TRY(read_node(p));
    }
}

static flx_status fail_block(const parser *p)
{
    flx_nearest near;
    if (!p->l.line) return flx_sid_fail_ended(&p->l, "end modal");
    flx_nearest_start(&near, p->l.line);
#define X(name, nrow, ncol) flx_nearest_offer(&near, #name);
    FLX_SID_BLOCKS(X)
#undef X
    flx_nearest_offer(&near, "end modal");
    const char *best = flx_nearest_best(&near);
    return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL, here(p), "unknown block '%s'%s%s%s", p->l.line,
                    best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

// Gr and Ge follow from J and Cr, and what neither damps nor is stressed at first has nothing to say.
static bool may_be_left_out(const char *name)
{
    return strcmp(name, "Gr") == 0 || strcmp(name, "Ge") == 0 || strcmp(name, "De") == 0 ||
           strcmp(name, "ksigma") == 0;
}

static flx_status read_modal(parser *p)
{
    flx_sid *s = p->sid;
    bool frame = false;
    FLX_TRY(flx_sid_next(&p->l));
    if (!flx_sid_is_key(&p->l, "new modal")) return flx_sid_fail_expected(&p->l, "new modal =");
    s->name = keep(p, p->l.value);
    if (!s->name) return FLX_ERR_MEMORY;
    FLX_TRY(flx_sid_next(&p->l));
    FLX_TRY(read_refmod(p));
    int nq = s->nq;
    for (;;) {
        FLX_TRY(flx_sid_next(&p->l));
        if (flx_sid_is_line(&p->l, "end modal")) break;
        bool found = flx_sid_is_line(&p->l, "frame");
        if (found && frame) {
            return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL, here(p), "'frame' is there twice");
        }
        if (found) {
            frame = true;
            FLX_TRY(read_frame(p));
        }
#define X(name, nrow, ncol)                                                                        \
    if (!found && flx_sid_is_line(&p->l, #name)) {                                                 \
        found = true;                                                                              \
        FLX_TRY(read_block(p, #name, nrow, ncol, &s->name));                                       \
    }
        FLX_SID_BLOCKS(X)
#undef X
        if (!found) return fail_block(p);
    }
#define X(name, nrow, ncol)                                                                        \
    if (!s->name.given && !may_be_left_out(#name)) {                                               \
        return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL, here(p), "the block '%s' is missing", #name);     \
    }
    FLX_SID_BLOCKS(X)
#undef X
    return FLX_OK;
}

// What stands before "part", as one line.
static flx_status read_header(parser *p)
{
    p->l.header = true;
    for (;;) {
        FLX_TRY(flx_sid_next(&p->l));
        if (!p->l.line) {
            return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL, flx_sid_place(&p->l, 1),
                            "no line 'part': this is not a file of Standard Input Data");
        }
        if (flx_sid_is_line(&p->l, "part")) break;
        size_t n = strlen(p->l.line);
        if (n > MOST_HEADER || p->header_length > MOST_HEADER) {
            return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL, flx_sid_place(&p->l, 1),
                            "no line 'part' so far: this is not a file of Standard Input Data");
        }
        FLX_TRY(flx_grow(p->l.ctx, (void **)&p->header, &p->header_capacity,
                         p->header_length + (int)n + 2, 1));
        if (p->header_length > 0) p->header[p->header_length++] = ' ';
        memcpy(p->header + p->header_length, p->l.line, n + 1);
        p->header_length += (int)n;
    }
    p->l.header = false;
    p->sid->header = keep(p, p->header ? p->header : "");
    return p->sid->header ? FLX_OK : FLX_ERR_MEMORY;
}

// "2 2 :": the header counts nodes and coordinates, and may be wrong.
static void check_header(const parser *p)
{
    const flx_sid *s = p->sid;
    char *rest = NULL;
    long nodes = strtol(s->header, &rest, 10);
    if (rest == s->header) return;
    const char *second = rest;
    long modes = strtol(second, &rest, 10);
    if (rest == second || rest[strspn(rest, " ")] != ':') return;
    if (nodes == s->nnode && modes == s->nq) return;
    flx_ctx_warn(p->l.ctx, (flx_loc){p->l.file, 1, 1, NULL},
                 "the header says %ld nodes and %ld modes; the file has %d and %d", nodes, modes,
                 s->nnode, s->nq);
}

static flx_status read_file(parser *p)
{
    FLX_TRY(read_header(p));
    FLX_TRY(read_modal(p));
    FLX_TRY(flx_sid_next(&p->l));
    if (!flx_sid_is_line(&p->l, "end part")) return flx_sid_fail_expected(&p->l, "end part");
    FLX_TRY(flx_sid_next(&p->l));
    if (p->l.line) {
        return FLX_FAIL(p->l.ctx, FLX_ERR_MODEL, here(p),
                        "'%.60s' stands after the end of the body; a file has one", p->l.line);
    }
    check_header(p);
    return FLX_OK;
}

flx_status flx_sid_parse(flx_ctx *ctx, flx_arena *arena, const char *file, const char *text,
                         size_t length, flx_sid **sid)
{
    *sid = NULL;
    parser p = {.l = {.ctx = ctx, .file = file, .at = text, .end = text + length}, .arena = arena};
    p.sid = flx_arena_take(arena, 1, sizeof *p.sid);
    if (!p.sid) return FLX_ERR_MEMORY;
    p.sid->file = file;
    flx_status status = read_file(&p);
    flx_free(p.l.room);
    flx_free(p.node_line);
    flx_free(p.told);
    flx_free(p.header);
    if (status == FLX_OK) *sid = p.sid;
    return status;
}
