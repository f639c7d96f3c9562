// nastran_cards.c - cards of Nastran's bulk data: fields of 8 or 16 columns or separated by commas, with
// continuations.
#include "base/letters.h"
#include "read/nastran/nastran_parts.h"

#include <string.h>

flx_loc flx_nastran_place(const flx_nastran *r)
{
    return flx_structure_loc(r->s, r->line);
}

// ---- cards --------------------------------------------------------------------------------------

static flx_nastran_field trim(const char *from, const char *to)
{
    while (from < to && flx_is_space(*from)) from++;
    while (to > from && flx_is_space(to[-1])) to--;
    return (flx_nastran_field){from, (int)(to - from)};
}

// INCLUDE 'name', perhaps over several lines; blanks at their ends are no part of it.
static flx_status include(flx_nastran *r)
{
    char name[512];
    int n = 0, quotes = 0, line = r->next_line;
    const char *at = r->next + 7, *end = r->next + r->next_length;
    flx_scan *s = r->scan;
    bool quoted = memchr(at, '\'', (size_t)(end - at)) != NULL;
    for (;;) {
        flx_nastran_field piece = trim(at, end);
        for (int i = 0; i < piece.length && n < (int)sizeof name && quotes < 2; i++) {
            quotes += piece.text[i] == '\'';
            if (piece.text[i] != '\'') name[n++] = piece.text[i];
        }
        if (!quoted || quotes >= 2 || s->at >= s->end) break;
        at = s->at;
        end = memchr(at, '\n', (size_t)(s->end - at));
        s->at = end ? end + 1 : s->end;
        s->line += end != NULL;
        if (!end) end = s->end;
    }
    flx_nastran_field whole = trim(name, name + n);
    return flx_include_open(&r->include, whole.text, whole.length, line);
}

// A line with its leading blanks, which count here; comments are cut off. *more false: there is none.
static flx_status next_line(flx_nastran *r, bool *more)
{
    *more = true;
    if (r->ahead) {
        r->ahead = false;
        return FLX_OK;
    }
    const flx_scan *s = r->scan;
    for (;;) {
        while (s->at >= s->end) {
            FLX_TRY(flx_include_close(&r->include, more));
            if (!*more) return FLX_OK;
        }
        const char *start = s->at;
        const char *end = memchr(start, '\n', (size_t)(s->end - start));
        r->next_line = flx_include_line(&r->include);
        r->scan->at = end ? end + 1 : s->end;
        r->scan->line += end != NULL;
        if (!end) end = s->end;
        const char *comment = memchr(start, '$', (size_t)(end - start));
        if (comment) end = comment;
        while (end > start && flx_is_space(end[-1])) end--;
        r->next = start;
        r->next_length = (int)(end - start);
        if (r->next_length == 0) continue;
        if (r->next_length < 8 || !flx_same_start(start, "INCLUDE", 7)) return FLX_OK;
        FLX_TRY(include(r));
    }
}

static flx_status add_field(flx_nastran *r, flx_nastran_field f)
{
    FLX_SCAN_GROW(r, r->f, r->capacity, r->n + 1);
    r->f[r->n++] = f;
    return FLX_OK;
}

// The data fields of one line, eight or (of 16 columns) four of them.
static flx_status add_line(flx_nastran *r, bool first)
{
    const char *at = r->next, *end = at + r->next_length;
    const char *comma = memchr(at, ',', (size_t)(end - at));
    if (comma) {
        int k = 0,
            most = memchr(at, '*', (size_t)(comma - at)) ? 5 : 9; // GRID*, four fields a line
        for (; k < most; k++) {
            const char *stop = memchr(at, ',', (size_t)(end - at));
            flx_nastran_field f = trim(at, stop ? stop : end);
            if (k == 0 && f.length > 0 && f.text[f.length - 1] == '*') f.length--;
            if (k > 0 || first) FLX_TRY(add_field(r, f));
            if (!stop) {
                k++;
                break;
            }
            at = stop + 1;
        }
        for (; k < most; k++) FLX_TRY(add_field(r, (flx_nastran_field){end, 0}));
        return FLX_OK;
    }
    const char *name = at + (r->next_length < 8 ? r->next_length : 8);
    bool wide = memchr(at, '*', (size_t)(name - at)) != NULL;
    int width = wide ? 16 : 8, count = wide ? 4 : 8;
    if (first) {
        flx_nastran_field f = trim(at, name);
        if (f.length > 0 && f.text[f.length - 1] == '*') f.length--;
        FLX_TRY(add_field(r, f));
    }
    for (int k = 0; k < count; k++) {
        const char *from = r->next + 8 + width * k, *to = from + width;
        if (from > end) from = end;
        if (to > end) to = end;
        FLX_TRY(add_field(r, trim(from, to)));
    }
    return FLX_OK;
}

// The next card with its continuations.
flx_status flx_nastran_card(flx_nastran *r, bool *more)
{
    bool ahead = true;
    r->n = 0;
    FLX_TRY(next_line(r, more));
    if (!*more) return FLX_OK;
    r->line = r->next_line;
    FLX_TRY(add_line(r, true));
    for (;;) {
        FLX_TRY(next_line(r, &ahead));
        if (!ahead) break;
        char c = r->next[0];
        if (c != '+' && c != '*' && c != ' ' && c != ',' && c != '\t') {
            r->ahead = true;
            break;
        }
        FLX_TRY(add_line(r, false));
    }
    while (r->n > 1 && r->f[r->n - 1].length == 0) r->n--;
    return FLX_OK;
}

bool flx_nastran_field_is(const flx_nastran *r, int i, const char *word)
{
    return i < r->n && (int)strlen(word) == r->f[i].length &&
           flx_same_start(r->f[i].text, word, (size_t)r->f[i].length);
}

bool flx_nastran_is(const flx_nastran *r, const char *word)
{
    return flx_nastran_field_is(r, 0, word);
}

bool flx_nastran_is_empty(const flx_nastran *r, int i)
{
    return i >= r->n || r->f[i].length == 0;
}

static bool as_number(flx_nastran_field f, double *out);

bool flx_nastran_is_real(const flx_nastran *r, int i)
{
    double value;
    int whole;
    return !flx_nastran_is_empty(r, i) && !flx_text_int(r->f[i].text, r->f[i].length, &whole) &&
           as_number(r->f[i], &value);
}

flx_status flx_nastran_id(const flx_nastran *r, int i, const char *what, int *out)
{
    return flx_nastran_is_empty(r, i) ? FLX_OK : flx_nastran_int(r, i, what, out);
}

flx_status flx_nastran_int(const flx_nastran *r, int i, const char *what, int *out)
{
    char buffer[64];
    if (!flx_nastran_is_empty(r, i) && flx_text_int(r->f[i].text, r->f[i].length, out))
        return FLX_OK;
    return REFUSE(r, "%.*s: '%s' in field %d where %s is expected", r->f[0].length, r->f[0].text,
                  flx_nastran_is_empty(r, i) ? ""
                                             : flx_text_quote(r->f[i].text, r->f[i].length, buffer),
                  i + 1, what);
}

#define MOST_DIGITS 36 // of a number; a field has 16

// 1.5+3 is 1.5e3.
static bool as_number(flx_nastran_field f, double *out)
{
    char text[2 * MOST_DIGITS]; // every sign may bring an e
    int n = 0;
    if (f.length > MOST_DIGITS) return false;
    for (int i = 0; i < f.length; i++) {
        char c = f.text[i];
        bool sign = c == '+' || c == '-';
        if (sign && i > 0 && !strchr("eEdD", f.text[i - 1])) text[n++] = 'e';
        text[n++] = c;
    }
    return flx_text_number(text, n, out);
}

// An empty field is the default.
flx_status flx_nastran_number(const flx_nastran *r, int i, const char *what, double *out)
{
    char buffer[64];
    if (flx_nastran_is_empty(r, i) || as_number(r->f[i], out)) return FLX_OK;
    return REFUSE(r, "%.*s: '%s' in field %d where %s is expected", r->f[0].length, r->f[0].text,
                  flx_text_quote(r->f[i].text, r->f[i].length, buffer), i + 1, what);
}

flx_status flx_nastran_node(const flx_nastran *r, int i, int *node)
{
    int label;
    FLX_TRY(flx_nastran_int(r, i, "a node", &label));
    *node = flx_structure_node_of(r->s, label);
    if (*node >= 0) return FLX_OK;
    return REFUSE(r, "%.*s has node %d, which is not in the file", r->f[0].length, r->f[0].text,
                  label);
}

// Components as digits: 123456.
flx_status flx_nastran_mask(const flx_nastran *r, int i, unsigned *mask)
{
    *mask = 0;
    for (int k = 0; !flx_nastran_is_empty(r, i) && k < r->f[i].length; k++) {
        char c = r->f[i].text[k];
        if (c < '1' || c > '6') *mask |= 1u << 31;
        *mask |= 1u << ((c - '1') & 7);
    }
    if (*mask != 0 && *mask < 64) return FLX_OK;
    return REFUSE(r, "%.*s: components from 1 to 6 are expected in field %d", r->f[0].length,
                  r->f[0].text, i + 1);
}
