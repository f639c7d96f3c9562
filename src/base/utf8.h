// utf8.h - letters of a text, byte by byte.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// The code point at s (n > 0 bytes left) and its length; -1 where the bytes are not UTF-8.
static inline long flx_utf8_decode(const unsigned char *s, size_t n, size_t *width)
{
    static const long smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned c = s[0];
    size_t w = c < 0x80 ? 1 : (c >> 5) == 6 ? 2 : (c >> 4) == 14 ? 3 : (c >> 3) == 30 ? 4 : 0;
    *width = 1;
    if (w == 0 || w > n) return -1;
    long code = w == 1 ? (long)c : (long)(c & (0x7fu >> w));
    for (size_t i = 1; i < w; i++) {
        if ((s[i] & 0xc0) != 0x80) return -1;
        code = code << 6 | (s[i] & 0x3f);
    }
    if (code < smallest[w] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return -1;
    *width = w;
    return code;
}

// Characters that no text holds, and line ends that only some programs count.
static inline bool flx_is_no_text(long code)
{
    return (code < 0x20 && code != '\t' && code != '\n' && code != '\r') ||
           (code >= 0x7f && code <= 0x9f) || code == 0x2028 || code == 0x2029 || code == 0xfeff ||
           code == 0xfffe || code == 0xffff;
}
