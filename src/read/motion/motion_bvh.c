// motion_bvh.c - .bvh of animation: the channels of a tree of joints, frame by frame. Rotations become radians; lengths
// stay in the units of the file, which does not say them.
#include "read/motion/motion_file.h"
#include "read/scan.h"

#include <string.h>

#define RADIANS (3.14159265358979323846 / 180.0)
#define MOST 3000 // channels

typedef struct reader {
    flx_scan scan;
    flx_arena *arena;
    int n;
    const char *names[MOST];
    bool turns[MOST];
} reader;

static bool next_word(flx_scan *s, const char **word, int *length)
{
    if (!flx_scan_skip(s)) return false;
    *word = s->at;
    while (s->at < s->end && *s->at != ' ' && *s->at != '\t' && *s->at != '\n' && *s->at != '\r') {
        s->at++;
    }
    *length = (int)(s->at - *word);
    return true;
}

static bool is_word(const char *word, int length, const char *is)
{
    return length == (int)strlen(is) && memcmp(word, is, (size_t)length) == 0;
}

static flx_status fail(reader *r, const char *what)
{
    return FLX_FAIL(r->scan.ctx, FLX_ERR_MODEL, flx_scan_loc(&r->scan), "%s", what);
}

static flx_status read_channels(reader *r, const char *joint)
{
    int n = 0, length;
    const char *word;
    FLX_TRY(flx_scan_int(&r->scan, "the number of channels", &n));
    if (n < 0 || n > 6 || r->n + n > MOST)
        return fail(r, "a joint has at most 6 channels, all joints 3000");
    for (int i = 0; i < n; i++, r->n++) {
        if (!next_word(&r->scan, &word, &length)) return fail(r, "the names of channels end early");
        r->turns[r->n] = length == 9 && memcmp(word + 1, "rotation", 8) == 0;
        r->names[r->n] = flx_arena_printf(r->arena, "%s.%.*s", joint, length, word);
        if (!r->names[r->n]) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

static flx_status read_tree(reader *r)
{
    const char *word, *joint = "root";
    int length;
    while (next_word(&r->scan, &word, &length)) {
        if (is_word(word, length, "MOTION")) return FLX_OK;
        if (is_word(word, length, "ROOT") || is_word(word, length, "JOINT")) {
            if (!next_word(&r->scan, &word, &length)) break;
            joint = flx_arena_printf(r->arena, "%.*s", length, word);
            if (!joint) return FLX_ERR_MEMORY;
        } else if (is_word(word, length, "CHANNELS")) {
            FLX_TRY(read_channels(r, joint));
        }
    }
    return fail(r, "the file has no part MOTION");
}

flx_status flx_motion_read_bvh(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                               flx_record *out)
{
    reader *r = flx_arena_take(arena, 1, sizeof *r);
    const char *word;
    int length, n = 0;
    double step = 0.0;
    if (!r) return FLX_ERR_MEMORY;
    *r = (reader){.arena = arena};
    FLX_TRY(flx_scan_open(ctx, arena, path, loc, &r->scan));
    if (!next_word(&r->scan, &word, &length) || !is_word(word, length, "HIERARCHY")) {
        return fail(r, "a .bvh begins with HIERARCHY");
    }
    FLX_TRY(read_tree(r));
    if (!next_word(&r->scan, &word, &length) || !is_word(word, length, "Frames:")) {
        return fail(r, "after MOTION comes 'Frames:' with their number");
    }
    FLX_TRY(flx_scan_int(&r->scan, "the number of frames", &n));
    for (int i = 0; i < 2; i++) {
        if (!next_word(&r->scan, &word, &length) || !is_word(word, length, i ? "Time:" : "Frame")) {
            return fail(r, "after the number of frames comes 'Frame Time:'");
        }
    }
    FLX_TRY(flx_scan_number(&r->scan, "the time of a frame", &step));
    if (!(step > 0) || n < 0 || (double)n * r->n > (double)FLX_FILE_VALUES) {
        return fail(r,
                    "the time of a frame is positive, and the frames are as many as the file has");
    }
    FLX_TRY(flx_motion_take(arena, n, r->n, out));
    for (int i = 0; i < r->n; i++) out->names[i] = r->names[i];
    for (int i = 0; i < n; i++) {
        out->t[i] = i * step;
        for (int k = 0; k < r->n; k++) {
            double value = 0.0;
            FLX_TRY(flx_scan_number(&r->scan, "a channel", &value));
            out->values[(size_t)k * (size_t)n + (size_t)i] = r->turns[k] ? value * RADIANS : value;
        }
    }
    for (int k = 0; k < r->n; k++) {
        if (r->turns[k]) flx_motion_unwrap(out, k);
    }
    return FLX_OK;
}
