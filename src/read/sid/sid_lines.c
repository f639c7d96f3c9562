// sid_lines.c - lines of Standard Input Data, and the values on them. White space and the case of letters do not
// matter. Numbers are Fortran's: 2.75D-01, and 1.5-102 where no room is left for the letter. What follows a '!' is
// a comment, at the beginning of a line or behind a number.
#include "base/letters.h"
#include "base/number.h"
#include "read/sid/sid_parts.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

flx_loc flx_sid_place(const flx_sid_lines *p, int column)
{
    return (flx_loc){p->file, p->number, column, NULL};
}

// [from, to) without spaces at its ends and with single spaces inside; *room moves on.
static char *squeeze(const char *from, const char *to, char **room)
{
    char *out = *room, *w = out;
    for (const char *r = from; r < to; r++) {
        bool space = flx_is_space(*r) != 0;
        if (space && (w == out || w[-1] == ' ')) continue;
        *w++ = space ? ' ' : *r;
    }
    while (w > out && w[-1] == ' ') w--;
    *w++ = '\0';
    *room = w;
    return out;
}

static flx_status take_line(flx_sid_lines *p, const char *from, const char *first, const char *to)
{
    size_t length = (size_t)(to - first);
    if (memchr(first, '\0', length)) {
        return FLX_FAIL(p->ctx, FLX_ERR_MODEL, flx_sid_place(p, 1), "this is not a text file");
    }
    if (length > INT_MAX / 4) {
        return FLX_FAIL(p->ctx, FLX_ERR_MODEL, flx_sid_place(p, 1),
                        "this line has %zu characters: this is no file of Standard Input Data",
                        length);
    }
    FLX_TRY(flx_grow(p->ctx, (void **)&p->room, &p->capacity, 2 * (int)length + 4, 1));
    const char *equals = memchr(first, '=', length);
    char *room = p->room;
    p->column = (int)(first - from) + 1;
    p->value_column = equals ? (int)(equals - from) + 2 : p->column;
    p->line = squeeze(first, to, &room);
    p->key = equals ? squeeze(first, equals, &room) : p->line;
    p->value = equals ? squeeze(equals + 1, to, &room) : NULL;
    return FLX_OK;
}

flx_status flx_sid_next(flx_sid_lines *p)
{
    p->line = p->key = p->value = NULL;
    while (p->at < p->end) {
        const char *from = p->at, *to = memchr(from, '\n', (size_t)(p->end - from));
        if (!to) to = p->end;
        p->at = to < p->end ? to + 1 : to;
        p->number++;
        const char *first = from;
        while (first < to && flx_is_space(*first)) first++;
        if (first == to || (*first == '!' && !p->header)) continue;
        return take_line(p, from, first, to);
    }
    p->number++;
    return FLX_OK;
}

bool flx_sid_is_line(const flx_sid_lines *p, const char *text)
{
    return p->line && !p->value && flx_same_word(p->line, text);
}

bool flx_sid_is_key(const flx_sid_lines *p, const char *text)
{
    return p->value && flx_same_word(p->key, text);
}

flx_status flx_sid_fail_ended(const flx_sid_lines *p, const char *expected)
{
    return FLX_FAIL(p->ctx, FLX_ERR_MODEL, flx_sid_place(p, 1),
                    "the file ends where '%s' was expected", expected);
}

flx_status flx_sid_fail_expected(const flx_sid_lines *p, const char *expected)
{
    if (!p->line) return flx_sid_fail_ended(p, expected);
    return FLX_FAIL(p->ctx, FLX_ERR_MODEL, flx_sid_place(p, p->column),
                    "expected '%s', found '%.60s'", expected, p->line);
}

// ---- values -------------------------------------------------------------------------------------

// The value up to a comment; false: longer than a number can be.
static bool number_of(const flx_sid_lines *p, char text[64])
{
    size_t n = strcspn(p->value, "!");
    while (n > 0 && p->value[n - 1] == ' ') n--;
    if (n == 0 || n >= 64) return false;
    memcpy(text, p->value, n);
    text[n] = '\0';
    return true;
}

flx_status flx_sid_read_integer(const flx_sid_lines *p, int *out)
{
    char text[64], *rest = NULL;
    bool fine = number_of(p, text);
    long x = fine ? strtol(text, &rest, 10) : -1;
    if (!fine || rest == text || *rest || x < 0 || x > 1000000000) {
        return FLX_FAIL(p->ctx, FLX_ERR_MODEL, flx_sid_place(p, p->value_column),
                        "'%s' is a whole number, not '%.60s'", p->key, p->value);
    }
    *out = (int)x;
    return FLX_OK;
}

flx_status flx_sid_read_real(const flx_sid_lines *p, double *out)
{
    char from[64], text[65], *rest = NULL, *w = text;
    bool fine = number_of(p, from) && strspn(from, "0123456789+-.dDeE") == strlen(from);
    bool letter = false; // at most one is put in
    for (const char *r = from; fine && *r; r++) {
        bool bare = (*r == '+' || *r == '-') && r > from && strchr("0123456789.", r[-1]);
        if (bare && !letter) *w++ = 'E';
        letter = letter || bare;
        *w++ = *r == 'D' || *r == 'd' ? 'E' : *r;
    }
    *w = '\0';
    if (fine) {
        *out = flx_number_read(text, &rest);
        fine = rest != text && !*rest && isfinite(*out);
    }
    if (fine) return FLX_OK;
    return FLX_FAIL(p->ctx, FLX_ERR_MODEL, flx_sid_place(p, p->value_column),
                    "'%s' is a number such as 1.5D-03, not '%.60s'", p->key, p->value);
}

bool flx_sid_read_indices(const flx_sid_lines *p, const char *name, int n, int *out)
{
    size_t length = strlen(name);
    if (!p->value || !flx_same_start(p->key, name, length)) return false;
    const char *at = p->key + length;
    for (int i = 0; i < n; i++) {
        char *rest = NULL;
        while (*at == ' ') at++;
        if (*at++ != (i == 0 ? '(' : ',')) return false;
        long x = strtol(at, &rest, 10);
        if (rest == at || x < 1 || x > 1000000000) return false;
        out[i] = (int)x - 1;
        at = rest;
    }
    while (*at == ' ') at++;
    return *at == ')' && at[1] == '\0';
}
