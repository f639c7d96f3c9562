// test_surface.c - surfaces of STL and OBJ files; mistakes are named with their line, and no bytes at
// all make the readers fall.
#include "check.h"
#include "read/surface.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static char path[64];

static const char *write_bytes(const char *ending, const void *bytes, size_t n)
{
    snprintf(path, sizeof path, "surface_%ld%s", (long)getpid(), ending);
    FILE *file = fopen(path, "wb");
    if (!file) return NULL;
    fwrite(bytes, 1, n, file);
    fclose(file);
    return path;
}

typedef struct reading {
    flx_ctx *ctx;
    flx_arena *arena;
    flx_scene_surface s;
    flx_status status;
} reading;

static reading read_bytes(const char *ending, const void *bytes, size_t n)
{
    reading r = {.ctx = flx_ctx_create()};
    r.arena = flx_arena_create(r.ctx);
    r.status = flx_surface_read(r.ctx, r.arena, write_bytes(ending, bytes, n), FLX_NOWHERE, &r.s);
    remove(path);
    return r;
}

static void end(reading *r)
{
    flx_arena_destroy(&r->arena);
    flx_ctx_destroy(&r->ctx);
}

#define TETRAHEDRON                                                                                \
    "v 0 0 0\nv 1 0 0 # a comment\nv 0 2 0\nvn 0 0 1\nv 0 0 3.5 1.0\n"                             \
    "f 1/1 3 2\nf 1//2 2 4\r\nf -3 -2 -1\nusemtl red\nf 1 4 3\n"

static const float corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3.5F}};
static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};

static size_t write_numbers(unsigned char out[84 + 4 * 50])
{
    memset(out, 0, 84 + 4 * 50);
    memcpy(out, "solid by a careless program", 27);
    out[80] = 4;
    for (int f = 0; f < 4; f++) {
        for (int k = 0; k < 3; k++)
            memcpy(out + 84 + 50 * f + 12 + 12 * k, corners[faces[f][k]], 12);
    }
    return 84 + 4 * 50;
}

static size_t write_text(char *out)
{
    size_t n = (size_t)sprintf(out, "solid thing\n");
    for (int f = 0; f < 4; f++) {
        n += (size_t)sprintf(out + n, "  facet normal 0 0 0\n    OUTER LOOP\n");
        for (int k = 0; k < 3; k++) {
            const float *p = corners[faces[f][k]];
            n += (size_t)sprintf(out + n, "\tvertex %g  %g %g\n", (double)p[0], (double)p[1],
                                 (double)p[2]);
        }
        n += (size_t)sprintf(out + n, "    endloop\n  endfacet\n");
    }
    return n + (size_t)sprintf(out + n, "endsolid thing\n");
}

// The same four triangles, whatever the points are numbered.
static bool is_tetrahedron(const reading *r)
{
    if (r->status != FLX_OK || r->s.npoint != 4 || r->s.ntriangle != 4) return false;
    for (int f = 0; f < 4; f++) {
        for (int k = 0; k < 3; k++) {
            const float *p = r->s.points + 3 * r->s.triangles[3 * f + k];
            if (!same_floats(3, p, corners[faces[f][k]])) return false;
        }
    }
    return true;
}

static int three_formats_give_one_surface(void)
{
    unsigned char numbers[84 + 4 * 50 + 7] = {0};
    char text[2000];
    size_t n = write_numbers(numbers);
    reading a = read_bytes(".obj", TETRAHEDRON, strlen(TETRAHEDRON));
    reading b = read_bytes(".stl", numbers, n);
    reading c = read_bytes(".STL", text, write_text(text));
    reading d = read_bytes(".stl", numbers, n + 7); // something after the last facet
    CHECK(is_tetrahedron(&a));
    CHECK(is_tetrahedron(&b));
    CHECK(is_tetrahedron(&c));
    CHECK(is_tetrahedron(&d));
    end(&a), end(&b), end(&c), end(&d);
    return 0;
}

static int polygons_become_fans(void)
{
    const char *text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0.5 2 0\nv 0 1 0\nf 1 2 3 4 5\n";
    static const int fan[9] = {0, 1, 2, 0, 2, 3, 0, 3, 4};
    reading r = read_bytes(".obj", text, strlen(text));
    CHECK(r.status == FLX_OK && r.s.ntriangle == 3);
    CHECK(memcmp(r.s.triangles, fan, sizeof fan) == 0);
    end(&r);
    return 0;
}

static int mistakes_are_named(void)
{
    unsigned char numbers[84 + 4 * 50], nan[84 + 4 * 50];
    size_t whole = write_numbers(numbers);
    write_numbers(nan);
    nan[84 + 12 + 3] = nan[84 + 12 + 2] = 0xff; // a NaN
    numbers[0] = 'x';
    const struct {
        const char *ending;
        const void *bytes;
        size_t n; // 0: a text
        int line;
        const char *part;
    } cases[] = {
        {".obj", "v 0 0 0\nv 1 0\n", 0, 2, "three numbers"},
        {".obj", "v 0 0 0\nv 1 0 1e39\n", 0, 2, "three numbers"},
        {".obj", "v 0 0 0\nv 1 0 nan\n", 0, 2, "three numbers"},
        {".obj", "v 0 0 0\nf 1 1 2\n", 0, 2, "corner '2', but 1 points"},
        {".obj", "v 0 0 0\nf 1 1 -2\n", 0, 2, "corner '-2'"},
        {".obj", "v 0 0 0\n\nf 1 x 1\n", 0, 3, "corner 'x'"},
        {".obj", "v 0 0 0\nf 1 0 1\n", 0, 2, "corner '0'"},
        {".obj", "v 0 0 0\nf 1 1\n", 0, 2, "three corners or more, not 2"},
        {".obj", "# nothing\n", 0, 0, "no triangles"},
        {".stl", "", 0, 1, "neither a text"},
        {".stl", "solid a\nendsolid\n", 0, 0, "no triangles"},
        {".stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", 0, 4, "three numbers"},
        {".stl", "solid a\nfacet\nvertex 0 0 1\nendloop\n", 0, 4, "three corners, not 1"},
        {".stl", "solid a\nfacet\nvertex 0 0 1\n", 0, 4, "truncated"},
        {".stl", numbers, whole - 1, 1, "4 facets take 284 bytes and it has 283"},
        {".stl", nan, whole, 1, "facet 1 has a corner that is no place"},
        {".ply", "ply\n", 0, 0, "by its ending: .stl, .obj and .dae"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t n = cases[i].n ? cases[i].n : strlen(cases[i].bytes);
        reading r = read_bytes(cases[i].ending, cases[i].bytes, n);
        const flx_message *e = flx_ctx_error(r.ctx, 0);
        CHECK(r.status == FLX_ERR_MODEL);
        CHECK(e && e->loc.line == cases[i].line && strstr(e->text, cases[i].part));
        end(&r);
    }
    return 0;
}

// Bytes changed, cut and doubled at random: refused or read, and never out of bounds.
static int any_bytes_are_survived(void)
{
    static unsigned char seed[3][4000], bytes[8000];
    const char *endings[3] = {".stl", ".stl", ".obj"};
    size_t length[3] = {write_numbers(seed[0]), write_text((char *)seed[1]), strlen(TETRAHEDRON)};
    memcpy(seed[2], TETRAHEDRON, length[2]);
    uint32_t state = 7;
    for (int i = 0; i < 3000; i++) {
        int k = i % 3;
        size_t n = length[k];
        memcpy(bytes, seed[k], n);
        for (int edit = 0; edit < 1 + i % 7; edit++) {
            state = state * 1664525U + 1013904223U;
            bytes[(state >> 8) % n] = (unsigned char)(state >> 3);
        }
        state = state * 1664525U + 1013904223U;
        if (i % 5 == 0) n = (state >> 8) % n;
        reading r = read_bytes(endings[k], bytes, n);
        for (int c = 0; r.status == FLX_OK && c < 3 * r.s.ntriangle; c++) {
            CHECK(r.s.triangles[c] >= 0 && r.s.triangles[c] < r.s.npoint);
        }
        CHECK(r.status == FLX_OK || flx_ctx_error_count(r.ctx) > 0);
        end(&r);
    }
    return 0;
}

// A roof of two triangles in millimetres, twice: in a node that is turned and moved, and in one that another node shows.
#define ROOF(primitive)                                                                            \
    "<COLLADA><asset><unit meter='0.001'/></asset><library_geometries><geometry id='roof'><mesh>"  \
    "<source id='places'><float_array count='12'>0 0 0 1000 0 0\n1000 2000 0 0 2000 500"           \
    "</float_array><technique_common><accessor source='#a' count='4' stride='3'/>"                 \
    "</technique_common></source><vertices id='v'><input semantic='POSITION' source='#places'/>"   \
    "</vertices>" primitive "</mesh></geometry></library_geometries><library_nodes><node "         \
    "id='other'><instance_geometry url='#roof'/></node></library_nodes><library_visual_scenes>"    \
    "<visual_scene id='s'><node><translate>0 0 100</translate><rotate>0 0 1 90</rotate><scale>1 "  \
    "1 2</scale><instance_geometry url='#roof'/></node><node><matrix>1 0 0 5 0 1 0 0 0 0 1 0 0 "   \
    "0 0 1</matrix><instance_node url='#other'/></node></visual_scene></library_visual_scenes>"    \
    "<scene><instance_visual_scene url='#s'/></scene></COLLADA>"
#define INPUTS                                                                                     \
    "<input semantic='NORMAL' source='#n' offset='0'/><input semantic='VERTEX' source='#v' "       \
    "offset='1'/>"

static int collada_is_read(void)
{
    static const char *const texts[] = {
        ROOF("<triangles>" INPUTS "<p>7 0 7 1 7 2 7 0 7 2 7 3</p></triangles>"),
        ROOF("<polylist>" INPUTS "<vcount>4</vcount><p>7 0 7 1 7 2 7 3</p></polylist>"),
        ROOF("<polygons>" INPUTS "<p>7 0 7 1 7 2 7 3</p></polygons>"),
    };
    static const float place[3] = {-2, 1, 0.1F}, high[3] = {-2, 0, 1.1F}, moved[3] = {1.005F, 0, 0};
    static const int corners_of[6] = {0, 1, 2, 0, 2, 3};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        reading r = read_bytes(".dae", texts[i], strlen(texts[i]));
        CHECK(r.status == FLX_OK && r.s.npoint == 8 && r.s.ntriangle == 4);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR((double)r.s.points[6 + k], (double)place[k], 1e-6);
            CHECK_NEAR((double)r.s.points[9 + k], (double)high[k], 1e-6);
            CHECK_NEAR((double)r.s.points[15 + k], (double)moved[k], 1e-6);
        }
        for (int k = 0; k < 6; k++) CHECK(r.s.triangles[k] == corners_of[k]);
        end(&r);
    }
    reading r = read_bytes(".dae", ROOF("<tristrips>" INPUTS "<p>7 0 7 1 7 3 7 2</p></tristrips>"),
                           strlen(ROOF("<tristrips>" INPUTS "<p>7 0 7 1 7 3 7 2</p></tristrips>")));
    CHECK(r.status == FLX_OK && r.s.ntriangle == 4);
    CHECK(r.s.triangles[3] == 3 && r.s.triangles[4] == 1 && r.s.triangles[5] == 2);
    end(&r);
    return 0;
}

static int mistakes_in_collada_are_named(void)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {ROOF("<triangles>" INPUTS "<p>7 0 7 1 7 4</p></triangles>"), "corner 4 of 4 points"},
        {ROOF("<triangles>" INPUTS "<p>7 0 7 1</p></triangles>"), "lacks corners"},
        {ROOF("<polylist>" INPUTS "<vcount>-4</vcount><p>7 0 7 1</p></polylist>"), "lacks corners"},
        {"<COLLADA><scene><instance_visual_scene url='#x'/></scene></COLLADA>", "not in the file"},
        {"<COLLADA><library_visual_scenes><visual_scene id='s'><node id='n'><instance_node "
         "url='#n'/></node></visual_scene></library_visual_scenes><scene><instance_visual_scene "
         "url='#s'/></scene></COLLADA>",
         "does one show itself"},
        {"<COLLADA/>", "has no triangles"},
        {"<robot/>", "is no COLLADA"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        reading r = read_bytes(".dae", wrong[i].text, strlen(wrong[i].text));
        CHECK(r.status < 0);
        CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, wrong[i].message);
        end(&r);
    }
    return 0;
}

TEST_MAIN(TEST(collada_is_read), TEST(mistakes_in_collada_are_named),
          TEST(three_formats_give_one_surface), TEST(polygons_become_fans),
          TEST(mistakes_are_named), TEST(any_bytes_are_survived))
