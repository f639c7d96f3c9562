// Films: GIF files are read back by a reader of this test, written from the standard, pixel by pixel; what ffmpeg gets.
#include "draw/drawings.h"
#include "draw/gif.h"
#include "flexion/flexion.h"
#include "random_number.h"
#include "results_fixture.h"

#include <stdint.h>
#include <sys/stat.h>

// ---- a reader -------------------------------------------------------------------------------------

typedef struct reader {
    const unsigned char *p, *end;
    int width, height, frames, delay;
    unsigned char *screen; // (height, width, 3)
} reader;

static int number(reader *r)
{
    int x = r->p[0] | r->p[1] << 8;
    r->p += 2;
    return x;
}

// Sub-blocks into one array; its length.
static size_t join(reader *r, unsigned char *out)
{
    size_t n = 0;
    while (r->p < r->end && *r->p) {
        memcpy(out + n, r->p + 1, *r->p);
        n += *r->p;
        r->p += 1 + *r->p;
    }
    r->p++;
    return n;
}

// Bytes out of LZW codes; how many, or 0: the codes are wrong.
static size_t unpack(const unsigned char *in, size_t n, int root, unsigned char *out, size_t room)
{
    static int prefix[4096];
    static unsigned char suffix[4096], text[4097];
    const int clear = 1 << root, end = clear + 1;
    int size = root + 1, next = end + 1, last = -1, nbit = 0;
    uint32_t bits = 0;
    size_t made = 0, at = 0;
    for (;;) {
        for (; nbit < size && at < n; nbit += 8) bits |= (uint32_t)in[at++] << nbit;
        if (nbit < size) return 0;
        int code = (int)(bits & ((1U << size) - 1));
        bits >>= size;
        nbit -= size;
        if (code == end) return made;
        if (code == clear) {
            size = root + 1, next = end + 1, last = -1;
            continue;
        }
        if (code > next || (code == next && last < 0)) return 0;
        int k = 0, from = code == next ? last : code;
        for (int c = from; c >= 0; c = c < clear ? -1 : prefix[c]) {
            text[k++] = c < clear ? (unsigned char)c : suffix[c];
        }
        unsigned char first = text[k - 1];
        if (made + (size_t)k + 1 > room + 1) return 0;
        while (k > 0) out[made++] = text[--k];
        if (code == next) out[made++] = first;
        if (last >= 0 && next < 4096) {
            prefix[next] = last;
            suffix[next++] = first;
            if (next == 1 << size && size < 12) size++;
        }
        last = code;
    }
}

static bool read_picture(reader *r)
{
    int left = number(r), top = number(r), width = number(r), height = number(r), flags = *r->p++;
    const unsigned char *palette = r->p;
    size_t area = (size_t)width * (size_t)height;
    if (!(flags & 0x80) || left + width > r->width || top + height > r->height) return false;
    r->p += 3 * (size_t)(2 << (flags & 7));
    int root = *r->p++;
    unsigned char *packed = malloc((size_t)(r->end - r->p)), *bytes = malloc(area + 4098);
    size_t n = join(r, packed);
    bool whole = unpack(packed, n, root, bytes, area) == area;
    for (size_t i = 0; whole && i < area; i++) {
        size_t x = (size_t)left + i % (size_t)width, y = (size_t)top + i / (size_t)width;
        memcpy(r->screen + 3 * (y * (size_t)r->width + x), palette + 3 * (size_t)bytes[i], 3);
    }
    free(packed);
    free(bytes);
    r->frames++;
    return whole;
}

// Up to `frames` pictures onto the screen; false: something is wrong.
static bool read_gif(reader *r, int frames)
{
    static unsigned char rest[1 << 16];
    if (r->frames == 0) {
        if (memcmp(r->p, "GIF89a", 6) != 0) return false;
        r->p += 6;
        r->width = number(r), r->height = number(r);
        r->p += 3;
        r->screen = calloc((size_t)r->width * (size_t)r->height, 3);
    }
    while (r->p < r->end && r->frames < frames) {
        int what = *r->p++;
        if (what == 0x21) {
            if (*r->p++ == 0xf9) r->delay = r->p[2] | r->p[3] << 8;
            join(r, rest);
        } else if (what != 0x2c || !read_picture(r)) {
            return false;
        }
    }
    return true;
}

// ---- what was written is read -----------------------------------------------------------------------

// Pictures of at most 256 colours, far enough from each other that each has a cell of its own, are exact.
static void paint(unsigned char *pixels, int width, int height, int kind, uint64_t *seed)
{
    for (int i = 0; i < width * height; i++) {
        int x = i % width, y = i / width, c = 0;
        if (kind == 0) c = (x * 7 + y * 13) % 256;                   // many short codes
        if (kind == 1) c = 3;                                        // one long run
        if (kind == 2) c = (int)(127.9 * (1 + random_number(seed))); // the table overflows
        if (kind == 3) c = x > width / 3 && x < width / 2 ? 200 : 3; // a change of one part
        if (kind == 4) c = (x * x + y) % (kind + 2);
        unsigned char *p = pixels + 3 * (size_t)i;
        p[0] = (unsigned char)((c & 7) * 32 + 5);
        p[1] = (unsigned char)((c >> 3 & 7) * 32 + 9);
        p[2] = (unsigned char)((c >> 6 & 3) * 64 + 1);
    }
}

static int pictures_come_back(void)
{
    static const int sizes[][2] = {{1, 1},   {2, 1},   {17, 5},   {16, 16},
                                   {33, 31}, {64, 64}, {160, 100}};
    flx_ctx *ctx = flx_ctx_create();
    uint64_t seed = 7;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        int w = sizes[s][0], h = sizes[s][1];
        size_t n = 3 * (size_t)w * (size_t)h, room = 1 << 20;
        unsigned char *pixels[7], *file = malloc(room);
        flx_gif *g = NULL;
        FILE *f = fmemopen(file, room, "w");
        CHECK(f && flx_gif_create(ctx, f, w, h, 4, &g) == FLX_OK);
        for (int i = 0; i < 7; i++) {
            static const int kinds[] = {0, 1, 1, 3, 2, 4, 2}; // twice the same, too
            pixels[i] = malloc(n);
            paint(pixels[i], w, h, kinds[i], &seed);
            CHECK(flx_gif_add(g, pixels[i]) == FLX_OK);
        }
        flx_gif_destroy(&g);
        reader r = {.p = file, .end = file + ftell(f)};
        fclose(f);
        CHECK(r.end[-1] == 0x3b);
        r.end--;
        for (int i = 0; i < 7; i++) {
            CHECK(read_gif(&r, i + 1) && r.frames == i + 1 && r.delay == 4);
            CHECK(memcmp(r.screen, pixels[i], n) == 0);
            free(pixels[i]);
        }
        CHECK(r.p == r.end);
        free(r.screen);
        free(file);
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

// More colours than there are: each pixel is near its own.
static int many_colours_are_near(void)
{
    enum { W = 128, H = 64 };
    static unsigned char pixels[3 * W * H], file[1 << 20];
    flx_ctx *ctx = flx_ctx_create();
    flx_gif *g = NULL;
    int worst = 0;
    for (int i = 0; i < W * H; i++) {
        pixels[3 * i] = (unsigned char)(2 * (i % W));
        pixels[3 * i + 1] = (unsigned char)(4 * (i / W));
        pixels[3 * i + 2] = 100;
    }
    FILE *f = fmemopen(file, sizeof file, "w");
    CHECK(flx_gif_create(ctx, f, W, H, 4, &g) == FLX_OK && flx_gif_add(g, pixels) == FLX_OK);
    flx_gif_destroy(&g);
    reader r = {.p = file, .end = file + ftell(f) - 1};
    fclose(f);
    CHECK(read_gif(&r, 1));
    for (int i = 0; i < 3 * W * H; i++) {
        int d = abs(r.screen[i] - pixels[i]);
        if (d > worst) worst = d;
    }
    CHECK(worst <= 16); // 8192 colours of a square in 256 boxes of 16 x 16
    free(r.screen);
    flx_ctx_destroy(&ctx);
    return 0;
}

// ---- films of a result --------------------------------------------------------------------------------

static const char model[] = "flexion: 1\ndimension: 2\n"
                            "bodies: {a: {type: rigid, mass: 1, inertia: 1, velocity: [1, 0],\n"
                            "    shape: {box: [1, 1, 1]}}}\n"
                            "simulate: {until: 1, method: dopri5}\n"
                            "outputs: {every: 0.1, signals: [a.position]}\n";

static flx_result *run(flx_ctx *ctx)
{
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    flx_sink *sink = NULL;
    flx_result *r = NULL;
    const char *path = in_folder("run.h5");
    if (flx_model_read_text(ctx, "m.yaml", model, strlen(model), 0, NULL, &m) == FLX_OK &&
        flx_simulation_create(m, &sim) == FLX_OK &&
        flx_hdf5_sink_create(ctx, path, &sink) == FLX_OK) {
        flx_simulation_run(sim, 1, &sink, NULL, NULL);
        flx_sink_destroy(&sink);
        flx_result_open(ctx, path, &r);
    }
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    return r;
}

static size_t read_bytes(const char *path, unsigned char *out, size_t room)
{
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(out, 1, room, f) : 0;
    if (f) fclose(f);
    return n;
}

static int a_film_lasts_as_long_as_the_motion(void)
{
    static unsigned char file[1 << 20];
    static const struct {
        double speed, rate;
        int frames, delay;
    } films[] = {{0, 0, 26, 4}, {0.5, 10, 21, 10}, {2, 20, 11, 5}, {1, 30, 34, 3}};
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = run(ctx);
    CHECK(r);
    for (size_t i = 0; i < sizeof films / sizeof films[0]; i++) {
        int written = 0;
        flx_film_def def = {.path = in_folder("a.gif"),
                            .picture = {.width = 64, .height = 48},
                            .speed = films[i].speed,
                            .rate = films[i].rate};
        CHECK(flx_film_write(r, &def, &written) == FLX_OK && written == films[i].frames);
        reader g = {.p = file};
        g.end = file + read_bytes(def.path, file, sizeof file) - 1;
        CHECK(read_gif(&g, 1000) && g.frames == written && g.delay == films[i].delay);
        free(g.screen);
    }
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int wrong_films_are_refused(void)
{
    static const struct {
        const char *name;
        double speed, rate;
    } films[] = {{"a.avi", 1, 25},
                 {"gif", 1, 25},
                 {"a.gif", -1, 25},
                 {"a.gif", 1, 1000},
                 {"a.gif", 1e-9, 25}};
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = run(ctx);
    struct stat info;
    for (size_t i = 0; i < sizeof films / sizeof films[0]; i++) {
        int written = 0;
        flx_film_def def = {
            .path = in_folder(films[i].name), .speed = films[i].speed, .rate = films[i].rate};
        remove(def.path);
        CHECK(flx_film_write(r, &def, &written) == FLX_ERR_ARGUMENT);
        CHECK(stat(def.path, &info) != 0);
    }
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A program that takes the place of ffmpeg counts what it gets, and one that fails is told.
static int other_films_are_ffmpegs(void)
{
    char name[256], path[4096], before[4096], counted[64] = "";
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = run(ctx);
    int written = 0;
    snprintf(name, sizeof name, "%s", in_folder("a.mp4"));
    flx_film_def def = {.path = name, .picture = {.width = 64, .height = 48}};
    snprintf(before, sizeof before, "%s", getenv("PATH"));
    snprintf(path, sizeof path, "%s", in_folder("ffmpeg"));
    FILE *f = fopen(path, "w");
    CHECK(f);
    fprintf(f, "#!/bin/sh\nPATH=%s\nfor out in \"$@\"; do :; done\nwc -c > \"$out\"\n", before);
    fclose(f);
    chmod(path, 0755);
    setenv("PATH", in_folder(""), 1);
    CHECK(flx_film_write(r, &def, &written) == FLX_OK && written == 26);
    CHECK(read_bytes(def.path, (unsigned char *)counted, sizeof counted - 1) > 0);
    CHECK(atoi(counted) == 26 * 3 * 64 * 48);
    remove(def.path);

    f = fopen(path, "w");
    fprintf(f, "#!/bin/sh\necho no such codec >&2\nexit 1\n");
    fclose(f);
    CHECK(flx_film_write(r, &def, &written) == FLX_ERR_IO);
    CHECK(strstr(flx_ctx_error(ctx, 0)->text, "ffmpeg failed: no such codec"));
    struct stat info;
    CHECK(stat(def.path, &info) != 0);

    remove(path);
    flx_ctx_clear_messages(ctx);
    CHECK(flx_film_write(r, &def, &written) == FLX_ERR_UNAVAILABLE);
    CHECK(strstr(flx_ctx_error(ctx, 0)->text, "ffmpeg"));
    setenv("PATH", before, 1);
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int files_start(void)
{
    make_folder("film");
    return 0;
}

static int files_end(void)
{
    remove_folder();
    return 0;
}

TEST_MAIN(TEST(files_start), TEST(pictures_come_back), TEST(many_colours_are_near),
          TEST(a_film_lasts_as_long_as_the_motion), TEST(wrong_films_are_refused),
          TEST(other_films_are_ffmpegs), TEST(files_end))
