// letters.h - kinds of characters, and words without regard to case: those of ASCII, whatever locale
// the program that uses the library has chosen (Turkish has another capital of i).
#pragma once

#include <stdbool.h>
#include <stddef.h>

static inline bool flx_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool flx_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool flx_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Names are letters, digits and _, and begin with no digit.
static inline bool flx_begins_name(char c)
{
    return flx_is_letter(c) || c == '_';
}

static inline bool flx_is_of_name(char c)
{
    return flx_begins_name(c) || flx_is_digit(c);
}

static inline bool flx_is_name(const char *s)
{
    if (!flx_begins_name(*s)) return false;
    while (flx_is_of_name(*s)) s++;
    return *s == 0;
}

static inline bool flx_is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

static inline char flx_upper(char c)
{
    return (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

// Whether the first n characters agree but for case, up to the end of the texts.
static inline bool flx_same_start(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (flx_upper(a[i]) != flx_upper(b[i])) return false;
        if (!a[i]) break;
    }
    return true;
}

static inline bool flx_same_word(const char *a, const char *b)
{
    return flx_same_start(a, b, (size_t)-1);
}
