// mesh.c - which reader a mesh file needs.
#include "read/mesh.h"
#include "base/letters.h"

#include <limits.h>
#include <math.h>
#include <string.h>

int flx_mesh_node(flx_scan *scan, const flx_structure *s, int label, const char *whose, int number)
{
    int node = flx_structure_node_of(s, label);
    if (node < 0) {
        (void)FLX_FAIL(scan->ctx, FLX_ERR_MODEL, flx_scan_loc(scan),
                       "%s %d has node %d, which is not in the file", whose, number, label);
    }
    return node;
}

typedef flx_status (*mesh_reader)(flx_scan *scan, flx_structure *s);

static mesh_reader find_reader(const char *path)
{
    static const struct {
        const char *ending;
        mesh_reader read;
    } readers[] = {{".msh", flx_gmsh_read},    {".inp", flx_abaqus_read},
                   {".nas", flx_nastran_read}, {".bdf", flx_nastran_read},
                   {".dat", flx_nastran_read}, {".fem", flx_nastran_read}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof readers / sizeof readers[0]; i++) {
        if (flx_same_word(dot, readers[i].ending)) return readers[i].read;
    }
    return NULL;
}

static flx_status read_with(flx_ctx *ctx, mesh_reader read, const char *path, flx_loc loc,
                            flx_structure **out)
{
    flx_scan scan;
    flx_arena *arena = flx_arena_create(ctx);
    if (!arena) return FLX_ERR_MEMORY;
    flx_structure *s = NULL;
    flx_status status = flx_scan_open(ctx, arena, path, loc, &scan);
    if (status == FLX_OK) {
        s = flx_structure_create(ctx, scan.file);
        status = s ? read(&scan, s) : FLX_ERR_MEMORY;
    }
    if (status == FLX_OK && s->nnode == 0) {
        status = FLX_FAIL(ctx, FLX_ERR_MODEL, flx_structure_loc(s, 1), "the file has no nodes");
    }
    if (status == FLX_OK) status = flx_structure_index(s);
    if (status == FLX_OK) flx_structure_tidy_sets(s);
    flx_arena_destroy(&arena);
    if (status != FLX_OK) flx_structure_destroy(&s);
    *out = s;
    return status;
}

flx_status flx_mesh_read(flx_ctx *ctx, const char *path, flx_loc loc, flx_structure **out)
{
    mesh_reader read = find_reader(path);
    *out = NULL;
    if (!read) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                        "'%s' is no mesh by its ending: .msh (Gmsh), .inp (Abaqus, CalculiX), .nas "
                        ".bdf .dat .fem (Nastran) are known",
                        path);
    }
    return read_with(ctx, read, path, loc, out);
}

// One line of a table: its numbers, at most four; -1: something else is there.
static int split(const char *text, int length, double x[4])
{
    int n = 0;
    for (int i = 0; i < length;) {
        int from = i;
        while (i < length && !strchr(" \t,;", text[i])) i++;
        if (i > from && (n == 4 || !flx_text_number(text + from, i - from, x + n++))) return -1;
        i++;
    }
    return n;
}

// "7;0,5;1" and "7 0,5 1": commas between digits where something else separates.
static bool has_decimal_comma(const char *text, int length)
{
    bool inside = false, other = false;
    for (int i = 0; i < length;) {
        int from = i;
        while (i < length && strchr(" \t,;", text[i])) i++;
        bool comma = memchr(text + from, ',', (size_t)(i - from)) != NULL;
        if (i > from && from > 0 && i < length) {
            other = other || !comma || memchr(text + from, ';', (size_t)(i - from));
            inside = inside || (comma && i - from == 1 && flx_is_digit(text[from - 1]) &&
                                flx_is_digit(text[i]));
        }
        while (i < length && !strchr(" \t,;", text[i])) i++;
    }
    return inside && other;
}

static flx_status read_table(flx_scan *scan, flx_structure *s)
{
    const char *text;
    int length;
    for (int line = scan->line; flx_scan_line(scan, &text, &length); line = scan->line) {
        double x[4] = {0};
        const char *comment = memchr(text, '#', (size_t)length);
        if (comment) length = (int)(comment - text);
        int n = split(text, length, x);
        if (n == 0) continue;
        if (has_decimal_comma(text, length)) {
            return FLX_FAIL(scan->ctx, FLX_ERR_MODEL, flx_structure_loc(s, line),
                            "a decimal comma? Numbers are written with a point: 0.5");
        }
        bool whole = x[0] >= 0 && x[0] <= INT_MAX && x[0] == floor(x[0]);
        if (n < 3 || !whole) {
            return FLX_FAIL(scan->ctx, FLX_ERR_MODEL, flx_structure_loc(s, line),
                            "a node is its number and its coordinates, as in 7 0.1 0 0.25");
        }
        FLX_TRY(flx_structure_add_node(s, (int)x[0], line, x + 1));
    }
    return FLX_OK;
}

flx_status flx_mesh_read_nodes(flx_ctx *ctx, const char *path, flx_loc loc, flx_structure **out)
{
    mesh_reader read = find_reader(path);
    *out = NULL;
    FLX_TRY(read_with(ctx, read ? read : read_table, path, loc, out));
    flx_structure *s = *out;
    for (int i = 0; i < s->nelement; i++) s->elements[i].family = FLX_FAMILY_NONE;
    flx_structure_drop_links(s);
    s->nmass = s->nspring = s->nsupport = s->nload = s->npressure = s->nbody = s->nline = 0;
    return FLX_OK;
}
