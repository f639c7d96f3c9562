// surface.c - files of surfaces: STL, as text and as numbers, OBJ, and COLLADA by collada.c.
#include "read/surface.h"
#include "base/letters.h"
#include "read/collada.h"
#include "read/scan.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STL_HEAD 84  // bytes before the first facet: a title and the number of facets
#define STL_FACET 50 // normal, three corners, two bytes
#define STL_LOOK 512 // a text has its first facet among so many bytes

// A surface while it grows.
typedef struct surface {
    flx_ctx *ctx;
    int npoint, point_capacity; // points; floats
    float *points;              // owned
    int nindex, index_capacity;
    int *index; // owned: three a triangle
    // corners of STL by their place: an open table of point numbers + 1
    int table_size;
    int *table; // owned
} surface;

// Room for one more.
static flx_status reserve_point(surface *s)
{
    return flx_grow(s->ctx, (void **)&s->points, &s->point_capacity, 3 * (s->npoint + 1),
                    sizeof *s->points);
}

static flx_status add_point(surface *s, const float x[3])
{
    FLX_TRY(reserve_point(s));
    memcpy(s->points + 3 * (size_t)s->npoint, x, 3 * sizeof *x);
    s->npoint++;
    return FLX_OK;
}

static flx_status add_index(surface *s, int point)
{
    FLX_TRY(
        flx_grow(s->ctx, (void **)&s->index, &s->index_capacity, s->nindex + 1, sizeof *s->index));
    s->index[s->nindex++] = point;
    return FLX_OK;
}

// ---- corners in one place are one point ---------------------------------------------------------

static bool is_at(const float *point, const float x[3])
{
    return point[0] == x[0] && point[1] == x[1] && point[2] == x[2];
}

static int *find_slot(const surface *s, const float x[3])
{
    uint32_t bits[3], h = 2166136261U;
    memcpy(bits, x, sizeof bits);
    for (int k = 0; k < 3; k++) h = (h ^ bits[k]) * 16777619U, h ^= h >> 15;
    uint32_t mask = (uint32_t)s->table_size - 1, i = h & mask;
    while (s->table[i] && !is_at(s->points + 3 * (size_t)(s->table[i] - 1), x)) {
        i = (i + 1) & mask;
    }
    return s->table + i;
}

static flx_status widen_table(surface *s)
{
    if (s->table && s->npoint < s->table_size / 2) return FLX_OK;
    int size = s->table ? 2 * s->table_size : 1024;
    int *table = flx_alloc(s->ctx, (size_t)size, sizeof *table);
    if (!table) return FLX_ERR_MEMORY;
    flx_free(s->table);
    s->table = table;
    s->table_size = size;
    for (int i = 0; i < s->npoint; i++) *find_slot(s, s->points + 3 * (size_t)i) = i + 1;
    return FLX_OK;
}

static flx_status add_corner(surface *s, const float x[3])
{
    FLX_TRY(reserve_point(s));
    FLX_TRY(widen_table(s));
    // -0 and 0 are one place
    const float at[3] = {x[0] + 0.0F, x[1] + 0.0F, x[2] + 0.0F};
    int *slot = find_slot(s, at);
    if (!*slot) {
        FLX_TRY(add_point(s, at));
        *slot = s->npoint;
    }
    return add_index(s, *slot - 1);
}

// ---- STL ----------------------------------------------------------------------------------------

static uint32_t little(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static flx_status read_stl_numbers(flx_scan *scan, surface *s)
{
    const unsigned char *p = (const unsigned char *)scan->at;
    size_t size = (size_t)(scan->end - scan->at);
    uint32_t n = size >= STL_HEAD ? little(p + 80) : 0;
    if (size < STL_HEAD || (size - STL_HEAD) / STL_FACET < n) {
        return FLX_FAIL(scan->ctx, FLX_ERR_MODEL, flx_scan_loc(scan),
                        "the file is neither a text of STL ('solid ...') nor whole: %u facets "
                        "take %llu bytes and it has %zu",
                        n, (unsigned long long)STL_HEAD + (unsigned long long)n * STL_FACET, size);
    }
    p += STL_HEAD + 12;
    for (uint32_t i = 0; i < n; i++, p += STL_FACET) {
        for (size_t k = 0; k < 3; k++) {
            float x[3];
            for (size_t c = 0; c < 3; c++) {
                uint32_t bits = little(p + 12 * k + 4 * c);
                memcpy(x + c, &bits, sizeof bits);
            }
            if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) {
                return FLX_FAIL(scan->ctx, FLX_ERR_MODEL, flx_scan_loc(scan),
                                "facet %u has a corner that is no place", i + 1);
            }
            FLX_TRY(add_corner(s, x));
        }
    }
    return FLX_OK;
}

// The word at the start of a line, and what follows it; false: the line begins with another word.
static bool begins(const char *line, int length, const char *word, const char **rest, int *left)
{
    int n = (int)strlen(word);
    if (length < n || !flx_same_start(line, word, (size_t)n)) return false;
    if (length > n && line[n] != ' ' && line[n] != '\t') return false;
    *rest = line + n;
    *left = length - n;
    return true;
}

static bool next_word(const char **text, int *left, const char **word, int *length)
{
    while (*left > 0 && (**text == ' ' || **text == '\t')) (*text)++, (*left)--;
    *word = *text;
    while (*left > 0 && **text != ' ' && **text != '\t') (*text)++, (*left)--;
    *length = (int)(*text - *word);
    return *length > 0;
}

static flx_loc line_before(const flx_scan *scan)
{
    return (flx_loc){scan->file, scan->line > 1 ? scan->line - 1 : 1, 1, NULL};
}

static flx_status read_place(flx_scan *scan, const char *text, int left, float x[3])
{
    for (int c = 0; c < 3; c++) {
        const char *word;
        int length;
        double value = 0;
        if (!next_word(&text, &left, &word, &length) || !flx_text_number(word, length, &value) ||
            !(fabs(value) <= (double)FLT_MAX)) {
            return FLX_FAIL(scan->ctx, FLX_ERR_MODEL, line_before(scan),
                            "a corner needs three numbers");
        }
        x[c] = (float)value;
    }
    return FLX_OK;
}

static flx_status read_stl_text(flx_scan *scan, surface *s)
{
    const char *line, *rest;
    int length, left, corners = 0;
    float x[3];
    while (flx_scan_line(scan, &line, &length)) {
        if (begins(line, length, "vertex", &rest, &left)) {
            FLX_TRY(read_place(scan, rest, left, x));
            FLX_TRY(add_corner(s, x));
            corners++;
        } else if (begins(line, length, "endloop", &rest, &left)) {
            if (corners != 3) {
                return FLX_FAIL(scan->ctx, FLX_ERR_MODEL, line_before(scan),
                                "a facet of STL has three corners, not %d", corners);
            }
            corners = 0;
        }
    }
    if (corners == 0) return FLX_OK;
    return FLX_FAIL(scan->ctx, FLX_ERR_MODEL, flx_scan_loc(scan),
                    "the file ends inside a facet: it is truncated");
}

// Some programs begin a file of numbers with "solid" as well: a text has a facet near its start.
static flx_status read_stl(flx_scan *scan, surface *s)
{
    size_t size = (size_t)(scan->end - scan->at), look = size < STL_LOOK ? size : STL_LOOK;
    bool solid = size >= 5 && flx_same_start(scan->at, "solid", 5), facet = false;
    for (size_t i = 5; solid && i + 5 <= look; i++) {
        if (flx_same_start(scan->at + i, "facet", 5)) facet = true;
    }
    // an empty solid is a text, too
    bool whole = size >= STL_HEAD &&
                 (size - STL_HEAD) / STL_FACET >= little((const unsigned char *)scan->at + 80);
    if (solid && (facet || !whole)) return read_stl_text(scan, s);
    return read_stl_numbers(scan, s);
}

// ---- OBJ ----------------------------------------------------------------------------------------

// "7/1/3" of a face: the point 7; -1 is the last one read so far.
static flx_status read_corner(flx_scan *scan, const surface *s, const char *word, int length,
                              int *point)
{
    const char *slash = memchr(word, '/', (size_t)length);
    char buffer[64];
    int number = 0, digits = slash ? (int)(slash - word) : length;
    if (!flx_text_int(word, digits, &number)) number = 0;
    *point = number < 0 ? s->npoint + number : number - 1;
    if (number != 0 && *point >= 0 && *point < s->npoint) return FLX_OK;
    return FLX_FAIL(scan->ctx, FLX_ERR_MODEL, line_before(scan),
                    "a face has the corner '%s', but %d points come before it",
                    flx_text_quote(word, length, buffer), s->npoint);
}

// A polygon becomes a fan of triangles about its first corner.
static flx_status read_face(flx_scan *scan, surface *s, const char *text, int left)
{
    const char *word;
    int length, point = 0, first = 0, before = 0, n = 0;
    for (; next_word(&text, &left, &word, &length) && word[0] != '#'; n++) {
        FLX_TRY(read_corner(scan, s, word, length, &point));
        if (n == 0) first = point;
        if (n >= 2) {
            FLX_TRY(add_index(s, first));
            FLX_TRY(add_index(s, before));
            FLX_TRY(add_index(s, point));
        }
        before = point;
    }
    if (n >= 3) return FLX_OK;
    return FLX_FAIL(scan->ctx, FLX_ERR_MODEL, line_before(scan),
                    "a face needs three corners or more, not %d", n);
}

static flx_status read_obj(flx_scan *scan, surface *s)
{
    const char *line, *rest;
    int length, left;
    float x[3];
    while (flx_scan_line(scan, &line, &length)) {
        if (begins(line, length, "v", &rest, &left)) {
            FLX_TRY(read_place(scan, rest, left, x));
            FLX_TRY(add_point(s, x));
        } else if (begins(line, length, "f", &rest, &left)) {
            FLX_TRY(read_face(scan, s, rest, left));
        } // normals, textures, groups, materials: nothing to draw
    }
    return FLX_OK;
}

// ---- the file -----------------------------------------------------------------------------------

static flx_status keep(flx_arena *arena, const surface *s, flx_scene_surface *out)
{
    *out = (flx_scene_surface){0};
    if (s->nindex == 0) return FLX_OK; // the caller says so
    float *points = flx_arena_take(arena, 3 * (size_t)s->npoint, sizeof *points);
    int *triangles = flx_arena_take(arena, (size_t)s->nindex, sizeof *triangles);
    if (!points || !triangles) return FLX_ERR_MEMORY;
    memcpy(points, s->points, 3 * (size_t)s->npoint * sizeof *points);
    memcpy(triangles, s->index, (size_t)s->nindex * sizeof *triangles);
    *out = (flx_scene_surface){
        .npoint = s->npoint, .ntriangle = s->nindex / 3, .points = points, .triangles = triangles};
    return FLX_OK;
}

flx_status flx_surface_read(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                            flx_scene_surface *out)
{
    const char *dot = strrchr(path, '.');
    bool stl = dot && flx_same_word(dot, ".stl"), obj = dot && flx_same_word(dot, ".obj");
    bool dae = dot && flx_same_word(dot, ".dae");
    if (!stl && !obj && !dae) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                        "'%s' is no surface by its ending: .stl, .obj and .dae are known", path);
    }
    surface s = {.ctx = ctx};
    flx_scan scan;
    flx_arena *text = flx_arena_create(ctx); // of the file
    if (!text) return FLX_ERR_MEMORY;
    flx_status status = flx_scan_open(ctx, text, path, loc, &scan);
    if (status == FLX_OK && dae) {
        status =
            flx_collada_read(ctx, arena, scan.file, scan.at, (size_t)(scan.end - scan.at), out);
    } else if (status == FLX_OK) {
        status = stl ? read_stl(&scan, &s) : read_obj(&scan, &s);
        if (status == FLX_OK) status = keep(arena, &s, out);
    }
    if (status == FLX_OK && out->ntriangle == 0)
        status = FLX_FAIL(ctx, FLX_ERR_MODEL, loc, "'%s' has no triangles", path);
    flx_arena_destroy(&text);
    flx_free(s.points);
    flx_free(s.index);
    flx_free(s.table);
    return status;
}
