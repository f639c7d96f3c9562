// raster.c - a picture made of triangles and lines, with depth, and its PNG file.
#include "draw/raster.h"

#include "base/output_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define SAMPLES 2    // of a pixel, in each direction
#define OUTSIDE 50.0 // pictures beside the picture: corners further out are not drawn

flx_status flx_raster_create(flx_ctx *ctx, int width, int height, flx_raster *r)
{
    *r = (flx_raster){
        .ctx = ctx, .width = width, .height = height, .w = SAMPLES * width, .h = SAMPLES * height};
    size_t n = (size_t)r->w * (size_t)r->h;
    r->depth = flx_alloc(ctx, n, sizeof *r->depth);
    r->samples = flx_alloc(ctx, n, 3);
    r->pixels = flx_alloc(ctx, (size_t)width * (size_t)height, 3);
    if (r->depth && r->samples && r->pixels) return FLX_OK;
    flx_raster_clear(r);
    return FLX_ERR_MEMORY;
}

void flx_raster_clear(flx_raster *r)
{
    flx_free(r->depth);
    flx_free(r->samples);
    flx_free(r->pixels);
    *r = (flx_raster){0};
}

static unsigned char to_byte(float x)
{
    return (unsigned char)(255.0F * fminf(fmaxf(x, 0), 1) + 0.5F);
}

void flx_raster_begin(flx_raster *r, flx_colour background)
{
    const unsigned char c[3] = {to_byte(background.r), to_byte(background.g),
                                to_byte(background.b)};
    for (size_t i = 0; i < (size_t)r->w * (size_t)r->h; i++) {
        r->depth[i] = HUGE_VALF;
        memcpy(r->samples + 3 * i, c, 3);
    }
}

// ---- triangles ----------------------------------------------------------------------------------

static bool is_near(const flx_raster *r, const flx_corner *c)
{
    return fabs(c->x) < OUTSIDE * r->w && fabs(c->y) < OUTSIDE * r->h && isfinite(c->z);
}

static double side(const flx_corner *a, const flx_corner *b, double x, double y)
{
    return (b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x);
}

void flx_raster_sample(flx_raster *r, int x, int y, double z, flx_colour colour)
{
    if (x < 0 || y < 0 || x >= r->w || y >= r->h) return;
    size_t i = (size_t)y * (size_t)r->w + (size_t)x;
    if (!((float)z < r->depth[i])) return;
    r->depth[i] = (float)z;
    r->samples[3 * i] = to_byte(colour.r);
    r->samples[3 * i + 1] = to_byte(colour.g);
    r->samples[3 * i + 2] = to_byte(colour.b);
}

static void put_sample(flx_raster *r, int x, int y, const flx_corner c[3], const double part[3])
{
    double z = part[0] * c[0].z + part[1] * c[1].z + part[2] * c[2].z;
    float a = (float)part[0], b = (float)part[1], d = (float)part[2];
    flx_raster_sample(r, x, y, z,
                      (flx_colour){a * c[0].colour.r + b * c[1].colour.r + d * c[2].colour.r,
                                   a * c[0].colour.g + b * c[1].colour.g + d * c[2].colour.g,
                                   a * c[0].colour.b + b * c[1].colour.b + d * c[2].colour.b});
}

static int clamp(double x, int low, int high)
{
    return x < low ? low : x > high ? high : (int)x;
}

void flx_raster_triangle(flx_raster *r, const flx_corner c[3])
{
    if (!is_near(r, &c[0]) || !is_near(r, &c[1]) || !is_near(r, &c[2])) return;
    double area = side(&c[0], &c[1], c[2].x, c[2].y);
    if (!(fabs(area) > 0)) return;
    int x0 = clamp(fmin(c[0].x, fmin(c[1].x, c[2].x)), 0, r->w - 1);
    int x1 = clamp(fmax(c[0].x, fmax(c[1].x, c[2].x)) + 1, 0, r->w - 1);
    int y0 = clamp(fmin(c[0].y, fmin(c[1].y, c[2].y)), 0, r->h - 1);
    int y1 = clamp(fmax(c[0].y, fmax(c[1].y, c[2].y)) + 1, 0, r->h - 1);
    for (int y = y0; y <= y1; y++) {
        for (int x = x0; x <= x1; x++) {
            double px = x + 0.5, py = y + 0.5;
            double part[3] = {side(&c[1], &c[2], px, py) / area, side(&c[2], &c[0], px, py) / area};
            part[2] = 1 - part[0] - part[1];
            if (part[0] < 0 || part[1] < 0 || part[2] < 0) continue;
            put_sample(r, x, y, c, part);
        }
    }
}

void flx_raster_line(flx_raster *r, flx_corner a, flx_corner b, double width)
{
    double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy);
    if (!(length > 0)) return;
    double nx = -0.5 * width * dy / length, ny = 0.5 * width * dx / length;
    flx_corner q[4] = {a, a, b, b};
    for (int k = 0; k < 4; k++) {
        double sign = k == 0 || k == 3 ? 1 : -1;
        q[k].x += sign * nx;
        q[k].y += sign * ny;
    }
    flx_raster_triangle(r, q);
    flx_raster_triangle(r, (const flx_corner[3]){q[0], q[2], q[3]});
}

// ---- letters ------------------------------------------------------------------------------------

// Seven rows of five dots each, the highest bit at the left.
static const struct letter {
    char c;
    unsigned char rows[7];
} letters[] = {
    {'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},
    {'2', {14, 17, 1, 2, 4, 8, 31}},     {'3', {31, 2, 4, 2, 1, 17, 14}},
    {'4', {2, 6, 10, 18, 31, 2, 2}},     {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},   {'7', {31, 1, 2, 4, 8, 8, 8}},
    {'8', {14, 17, 17, 14, 17, 17, 14}}, {'9', {14, 17, 17, 15, 1, 2, 12}},
    {'t', {8, 8, 28, 8, 8, 9, 6}},       {'=', {0, 0, 31, 0, 31, 0, 0}},
    {'-', {0, 0, 0, 31, 0, 0, 0}},       {'+', {0, 4, 4, 31, 4, 4, 0}},
    {'.', {0, 0, 0, 0, 0, 12, 12}},      {'e', {0, 0, 14, 17, 31, 16, 14}},
    {'s', {0, 0, 14, 16, 14, 1, 30}},    {'m', {0, 0, 26, 21, 21, 21, 21}},
    {'/', {1, 1, 2, 4, 8, 16, 16}},      {'P', {30, 17, 17, 30, 16, 16, 16}},
    {'a', {0, 0, 14, 1, 15, 17, 15}},
};

void flx_raster_text(flx_raster *r, int x, int y, int size, const char *text, flx_colour colour)
{
    int dot = SAMPLES * size;
    const unsigned char c[3] = {to_byte(colour.r), to_byte(colour.g), to_byte(colour.b)};
    for (int k = 0; text[k]; k++) {
        for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
            if (letters[i].c != text[k]) continue;
            for (int at = 0; at < 35 * dot * dot; at++) {
                int column = at % (5 * dot), line = at / (5 * dot);
                if (!(letters[i].rows[line / dot] >> (4 - column / dot) & 1)) continue;
                int px = SAMPLES * x + 6 * dot * k + column, py = SAMPLES * y + line;
                if (px < 0 || px >= r->w || py < 0 || py >= r->h) continue;
                memcpy(r->samples + 3 * ((size_t)py * (size_t)r->w + (size_t)px), c, 3);
            }
        }
    }
}

// ---- pixels -------------------------------------------------------------------------------------

void flx_raster_finish(flx_raster *r)
{
    for (int y = 0; y < r->height; y++) {
        for (int x = 0; x < 3 * r->width; x++) {
            size_t at = (size_t)(SAMPLES * y) * (size_t)(3 * r->w) +
                        (size_t)(3 * SAMPLES * (x / 3) + x % 3);
            unsigned sum = 0;
            for (int k = 0; k < SAMPLES * SAMPLES; k++) {
                sum += r->samples[at + (size_t)(k / SAMPLES) * (size_t)(3 * r->w) +
                                  (size_t)(3 * (k % SAMPLES))];
            }
            r->pixels[(size_t)y * (size_t)(3 * r->width) + (size_t)x] =
                (unsigned char)((sum + SAMPLES * SAMPLES / 2) / (SAMPLES * SAMPLES));
        }
    }
}

static void put_number(unsigned char *out, uint32_t x)
{
    for (int k = 0; k < 4; k++) out[k] = (unsigned char)(x >> (24 - 8 * k));
}

static void put_chunk(FILE *f, const char *name, const unsigned char *data, size_t n)
{
    unsigned char number[4];
    put_number(number, (uint32_t)n);
    fwrite(number, 1, 4, f);
    fwrite(name, 1, 4, f);
    if (n > 0) fwrite(data, 1, n, f);
    uLong sum = crc32(crc32(0, (const Bytef *)name, 4), data, (uInt)n);
    put_number(number, (uint32_t)sum);
    fwrite(number, 1, 4, f);
}

// Rows as PNG wants them: each byte minus the one above it, which packs well here.
static unsigned char *filter_rows(const flx_raster *r)
{
    size_t row = 3 * (size_t)r->width;
    unsigned char *out = flx_alloc(r->ctx, (size_t)r->height, row + 1), *p = out;
    for (int y = 0; out && y < r->height; y++) {
        const unsigned char *now = r->pixels + (size_t)y * row;
        *p++ = y > 0 ? 2 : 0;
        for (size_t x = 0; x < row; x++) {
            *p++ = (unsigned char)(now[x] - (y > 0 ? now[(ptrdiff_t)x - (ptrdiff_t)row] : 0));
        }
    }
    return out;
}

flx_status flx_raster_write(const flx_raster *r, const char *path)
{
    unsigned char head[13] = {[8] = 8, [9] = 2}; // eight bits, red green blue
    put_number(head, (uint32_t)r->width);
    put_number(head + 4, (uint32_t)r->height);
    size_t size = (size_t)r->height * (3 * (size_t)r->width + 1);
    uLongf packed_size = compressBound((uLong)size);
    unsigned char *rows = filter_rows(r), *packed = flx_alloc(r->ctx, packed_size, 1);
    flx_status status = FLX_ERR_MEMORY;
    if (rows && packed && compress2(packed, &packed_size, rows, (uLong)size, 6) == Z_OK) {
        flx_output *o;
        status = flx_output_create(r->ctx, "the picture", path, &o);
        if (status == FLX_OK) {
            FILE *f = flx_output_file(o);
            fwrite("\x89PNG\r\n\x1a\n", 1, 8, f);
            put_chunk(f, "IHDR", head, sizeof head);
            put_chunk(f, "IDAT", packed, packed_size);
            put_chunk(f, "IEND", head, 0);
            status = flx_output_close(&o, FLX_OK);
        }
    }
    flx_free(rows);
    flx_free(packed);
    return status;
}
