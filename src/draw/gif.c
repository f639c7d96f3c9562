// gif.c - films as GIF files (GIF89a): a palette per picture by median cut, packed by LZW.
//
// Colours are counted in boxes of 5 bits per channel. The cube of all of them is cut where the box with the largest
// spread times count can be halved by count, until there are 256; a colour of the palette is the mean of its box.
#include "draw/gif.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BITS 5
#define CELLS (1 << (3 * BITS))
#define COLOURS 256
#define CODES 4096 // of LZW at most
#define BLOCK 255  // bytes of a sub-block

typedef struct cell {
    uint32_t count;
    uint64_t sum[3];
} cell;

typedef struct box {
    int first, n; // of the list of cells
    uint64_t count;
    int axis, spread; // the longest edge, in cells
} box;

struct flx_gif {
    flx_ctx *ctx;
    FILE *file;
    int width, height, delay;
    unsigned char *before; // (height, width, 3) the last picture
    bool begun;
    cell *cells;          // (CELLS)
    int *list;            // (CELLS) cells that occur
    unsigned char *index; // (CELLS) their colour of the palette
    unsigned char *bytes; // (height, width) colours of a picture
    // LZW: child[code] and next[code] are a list of the codes that prolong one, suffix the byte
    int16_t child[CODES], next[CODES];
    unsigned char suffix[CODES];
    unsigned char block[BLOCK];
    int nblock, nbit;
    uint32_t bits;
};

static int cell_of(const unsigned char p[3])
{
    return (p[0] >> 3) << 10 | (p[1] >> 3) << 5 | p[2] >> 3;
}

static int edge(int c, int axis)
{
    return c >> (BITS * (2 - axis)) & 31;
}

// ---- the palette ----------------------------------------------------------------------------------

static int count_cells(flx_gif *g, const unsigned char *pixels)
{
    int n = 0;
    memset(g->cells, 0, CELLS * sizeof *g->cells);
    for (size_t i = 0; i < (size_t)g->width * (size_t)g->height; i++) {
        const unsigned char *p = pixels + 3 * i;
        int c = cell_of(p);
        if (g->cells[c].count++ == 0) g->list[n++] = c;
        for (int k = 0; k < 3; k++) g->cells[c].sum[k] += p[k];
    }
    return n;
}

static void measure(const flx_gif *g, box *b)
{
    int low[3] = {31, 31, 31}, high[3] = {0, 0, 0};
    b->count = 0;
    for (int i = b->first; i < b->first + b->n; i++) {
        b->count += g->cells[g->list[i]].count;
        for (int k = 0; k < 3; k++) {
            int x = edge(g->list[i], k);
            if (x < low[k]) low[k] = x;
            if (x > high[k]) high[k] = x;
        }
    }
    b->axis = 0;
    for (int k = 1; k < 3; k++) {
        if (high[k] - low[k] > high[b->axis] - low[b->axis]) b->axis = k;
    }
    b->spread = high[b->axis] - low[b->axis];
}

// Cells of a box by their place along its longest edge; a counting sort keeps the order of equal ones.
static void sort_cells(flx_gif *g, const box *b, int *room)
{
    int start[33] = {0};
    for (int i = 0; i < b->n; i++) start[edge(g->list[b->first + i], b->axis) + 1]++;
    for (int i = 0; i < 32; i++) start[i + 1] += start[i];
    for (int i = 0; i < b->n; i++) {
        int c = g->list[b->first + i];
        room[start[edge(c, b->axis)]++] = c;
    }
    memcpy(g->list + b->first, room, (size_t)b->n * sizeof *room);
}

// The part of a box up to the median of its pixels stays in it, the rest goes to `other`.
static void halve(flx_gif *g, box *b, box *other, int *room)
{
    uint64_t count = 0;
    int n = 0;
    sort_cells(g, b, room);
    while (n < b->n - 1 && (n == 0 || 2 * count < b->count)) {
        count += g->cells[g->list[b->first + n++]].count;
    }
    *other = (box){.first = b->first + n, .n = b->n - n};
    b->n = n;
    measure(g, b);
    measure(g, other);
}

static void mean_colour(const flx_gif *g, const box *b, unsigned char out[3])
{
    for (int k = 0; k < 3; k++) {
        uint64_t sum = 0;
        for (int i = b->first; i < b->first + b->n; i++) sum += g->cells[g->list[i]].sum[k];
        out[k] = (unsigned char)((sum + b->count / 2) / b->count);
    }
}

static flx_status make_palette(flx_gif *g, const unsigned char *pixels, unsigned char palette[][3])
{
    box boxes[COLOURS] = {{.n = count_cells(g, pixels)}};
    int n = 1, *room = flx_alloc(g->ctx, CELLS, sizeof *room);
    if (!room) return FLX_ERR_MEMORY;
    measure(g, &boxes[0]);
    while (n < COLOURS) {
        int widest = -1;
        for (int i = 0; i < n; i++) {
            if (boxes[i].n < 2) continue;
            if (widest < 0 || boxes[i].count * (uint64_t)boxes[i].spread >
                                  boxes[widest].count * (uint64_t)boxes[widest].spread) {
                widest = i;
            }
        }
        if (widest < 0) break;
        halve(g, &boxes[widest], &boxes[n], room);
        n++;
    }
    flx_free(room);
    memset(palette, 0, COLOURS * sizeof *palette);
    for (int i = 0; i < n; i++) {
        mean_colour(g, &boxes[i], palette[i]);
        for (int k = boxes[i].first; k < boxes[i].first + boxes[i].n; k++) {
            g->index[g->list[k]] = (unsigned char)i;
        }
    }
    return FLX_OK;
}

// ---- LZW ------------------------------------------------------------------------------------------

static void put_block(flx_gif *g)
{
    if (g->nblock == 0) return;
    fputc(g->nblock, g->file);
    fwrite(g->block, 1, (size_t)g->nblock, g->file);
    g->nblock = 0;
}

static void put_bits(flx_gif *g, int code, int size)
{
    g->bits |= (uint32_t)code << g->nbit;
    for (g->nbit += size; g->nbit >= 8; g->nbit -= 8) {
        g->block[g->nblock++] = (unsigned char)g->bits;
        g->bits >>= 8;
        if (g->nblock == BLOCK) put_block(g);
    }
}

static void put_packed(flx_gif *g, size_t n)
{
    const int clear = 256, end = 257;
    int size = 9, free_code = end + 1, code = g->bytes[0];
    fputc(8, g->file);
    g->bits = 0, g->nbit = 0, g->nblock = 0;
    memset(g->child, -1, sizeof g->child);
    put_bits(g, clear, size);
    for (size_t i = 1; i < n; i++) {
        unsigned char byte = g->bytes[i];
        int longer = g->child[code];
        while (longer >= 0 && g->suffix[longer] != byte) longer = g->next[longer];
        if (longer >= 0) {
            code = longer;
            continue;
        }
        put_bits(g, code, size);
        if (free_code < CODES) {
            g->suffix[free_code] = byte;
            g->child[free_code] = -1;
            g->next[free_code] = g->child[code];
            g->child[code] = (int16_t)free_code;
            if (free_code++ == 1 << size) size++;
        } else {
            put_bits(g, clear, size);
            memset(g->child, -1, sizeof g->child);
            size = 9, free_code = end + 1;
        }
        code = byte;
    }
    put_bits(g, code, size);
    // The reader has entered one code more by now.
    put_bits(g, end, free_code == 1 << size && size < 12 ? size + 1 : size);
    put_bits(g, 0, 7);
    put_block(g);
    fputc(0, g->file);
}

// ---- pictures -------------------------------------------------------------------------------------

static void put_short(FILE *f, int x)
{
    fputc(x & 255, f);
    fputc(x >> 8 & 255, f);
}

// The rectangle in which two pictures differ: left, top, width, height; one pixel where they do not.
static void find_change(const flx_gif *g, const unsigned char *pixels, int r[4])
{
    int left = g->width, right = -1, top = g->height, bottom = -1;
    size_t row = 3 * (size_t)g->width;
    for (int y = 0; y < g->height; y++) {
        const unsigned char *a = pixels + (size_t)y * row, *b = g->before + (size_t)y * row;
        if (memcmp(a, b, row) == 0) continue;
        if (y < top) top = y;
        bottom = y;
        for (int x = 0; x < left; x++) {
            if (memcmp(a + 3 * (size_t)x, b + 3 * (size_t)x, 3) != 0) left = x;
        }
        for (int x = g->width - 1; x > right; x--) {
            if (memcmp(a + 3 * (size_t)x, b + 3 * (size_t)x, 3) != 0) right = x;
        }
    }
    bool same = right < 0;
    r[0] = same ? 0 : left, r[1] = same ? 0 : top;
    r[2] = same ? 1 : right - left + 1, r[3] = same ? 1 : bottom - top + 1;
}

flx_status flx_gif_add(flx_gif *g, const unsigned char *pixels)
{
    unsigned char palette[COLOURS][3];
    int r[4] = {0, 0, g->width, g->height};
    if (g->begun) find_change(g, pixels, r);
    FLX_TRY(make_palette(g, pixels, palette));
    size_t n = 0;
    for (int y = r[1]; y < r[1] + r[3]; y++) {
        for (int x = r[0]; x < r[0] + r[2]; x++) {
            const unsigned char *p = pixels + 3 * ((size_t)y * (size_t)g->width + (size_t)x);
            g->bytes[n++] = g->index[cell_of(p)];
        }
    }
    fwrite("\x21\xf9\x04\x04", 1, 4, g->file); // the picture stays below the next one
    put_short(g->file, g->delay);
    fwrite("\0\0\x2c", 1, 3, g->file);
    for (int i = 0; i < 4; i++) put_short(g->file, r[i]);
    fputc(0x87, g->file); // with 256 colours of its own
    fwrite(palette, 1, sizeof palette, g->file);
    put_packed(g, n);
    memcpy(g->before, pixels, 3 * (size_t)g->width * (size_t)g->height);
    g->begun = true;
    return FLX_OK;
}

flx_status flx_gif_create(flx_ctx *ctx, FILE *file, int width, int height, int delay, flx_gif **out)
{
    flx_gif *g = *out = flx_alloc(ctx, 1, sizeof *g);
    size_t n = (size_t)width * (size_t)height;
    if (!g) return FLX_ERR_MEMORY;
    *g = (flx_gif){.ctx = ctx, .file = file, .width = width, .height = height, .delay = delay};
    g->before = flx_alloc(ctx, n, 3);
    g->cells = flx_alloc(ctx, CELLS, sizeof *g->cells);
    g->list = flx_alloc(ctx, CELLS, sizeof *g->list);
    g->index = flx_alloc(ctx, CELLS, 1);
    g->bytes = flx_alloc(ctx, n, 1);
    if (!g->before || !g->cells || !g->list || !g->index || !g->bytes) {
        g->file = NULL;
        flx_gif_destroy(out);
        return FLX_ERR_MEMORY;
    }
    fwrite("GIF89a", 1, 6, file);
    put_short(file, width);
    put_short(file, height);
    fwrite("\x70\0\0", 1, 3, file);                               // no colours for all pictures
    fwrite("\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", 1, 19, file); // again and again
    return FLX_OK;
}

void flx_gif_destroy(flx_gif **out)
{
    flx_gif *g = *out;
    if (!g) return;
    if (g->file) fputc(0x3b, g->file);
    flx_free(g->before);
    flx_free(g->cells);
    flx_free(g->list);
    flx_free(g->index);
    flx_free(g->bytes);
    flx_free(g);
    *out = NULL;
}
