// text.c - a text that grows, and JSON in it.
#include "base/text.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST 256

void flx_text_start(flx_text *t, flx_ctx *ctx)
{
    *t = (flx_text){.ctx = ctx};
}

void flx_text_clear(flx_text *t)
{
    flx_free(t->data);
    *t = (flx_text){.ctx = t->ctx};
}

static bool reserve(flx_text *t, size_t more)
{
    if (t->failed) return false;
    size_t need = t->length + more + 1;
    if (need <= t->capacity) return true;
    size_t capacity = t->capacity ? t->capacity : FIRST;
    while (capacity < need) capacity *= 2;
    char *data = flx_alloc(t->ctx, capacity, 1);
    if (!data) {
        t->failed = true;
        return false;
    }
    if (t->data) memcpy(data, t->data, t->length);
    flx_free(t->data);
    t->data = data;
    t->capacity = capacity;
    return true;
}

void flx_text_put_bytes(flx_text *t, const void *bytes, size_t n)
{
    if (!reserve(t, n)) return;
    memcpy(t->data + t->length, bytes, n);
    t->length += n;
    t->data[t->length] = '\0';
}

void flx_text_put(flx_text *t, const char *text)
{
    flx_text_put_bytes(t, text, strlen(text));
}

void flx_text_print(flx_text *t, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int n = flx_vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (n < 0) t->failed = true;
    if (n >= 0 && reserve(t, (size_t)n)) {
        flx_vsnprintf(t->data + t->length, (size_t)n + 1, format, again);
        t->length += (size_t)n;
    }
    va_end(again);
}

// Bytes of the UTF-8 character that begins here; 0: none does.
static int utf8_length(const unsigned char *p)
{
    static const struct {
        unsigned char low, high, second_low, second_high;
        int length;
    } kinds[] = {
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (p[0] < kinds[k].low || p[0] > kinds[k].high) continue;
        if (kinds[k].length > 1 && (p[1] < kinds[k].second_low || p[1] > kinds[k].second_high)) {
            return 0;
        }
        for (int i = 2; i < kinds[k].length; i++) {
            if (p[i] < 0x80 || p[i] > 0xbf) return 0;
        }
        return kinds[k].length;
    }
    return 0;
}

void flx_text_put_string(flx_text *t, const char *text)
{
    flx_text_put(t, "\"");
    for (const unsigned char *p = (const unsigned char *)(text ? text : ""); *p;) {
        int n = utf8_length(p);
        if (n == 0) {
            flx_text_put(t, "\\ufffd");
        } else if (*p == '"' || *p == '\\') {
            flx_text_print(t, "\\%c", *p);
        } else if (*p < 0x20 || *p == '<' || *p == 0x7f) {
            flx_text_print(t, "\\u%04x", *p);
        } else {
            flx_text_put_bytes(t, p, (size_t)n);
        }
        p += n > 0 ? n : 1;
    }
    flx_text_put(t, "\"");
}

void flx_text_put_number(flx_text *t, double x)
{
    char digits[FLX_NUMBER_SIZE];
    flx_text_put(t, isfinite(x) ? flx_number_text(x, digits) : "null");
}

void flx_text_put_numbers(flx_text *t, int n, const double *x)
{
    for (int i = 0; i < n; i++) {
        flx_text_put(t, i ? ", " : "[");
        flx_text_put_number(t, x[i]);
    }
    flx_text_put(t, n > 0 ? "]" : "[]");
}
