// abaqus_lines.c - lines of Abaqus' input: keywords with options, data separated by commas, files included.
#include "base/letters.h"
#include "base/number.h"
#include "read/abaqus/abaqus_parts.h"

#include <stdio.h>
#include <string.h>

// ---- lines --------------------------------------------------------------------------------------

static bool is_comment(const flx_abaqus *r)
{
    return r->length == 0 || (r->length >= 2 && r->line[0] == '*' && r->line[1] == '*');
}

// A line of this file or, at its end, of the one that includes it; false at the end, or when r->status is bad.
static bool raw_line(flx_abaqus *r)
{
    bool more = true;
    while (more) {
        r->number = flx_include_line(&r->include);
        if (flx_scan_line(r->scan, &r->line, &r->length)) return true;
        r->status = flx_include_close(&r->include, &more);
        if (r->status != FLX_OK) break;
    }
    r->line = NULL;
    return false;
}

static bool starts_with(const flx_abaqus *r, const char *word)
{
    size_t n = strlen(word);
    flx_abaqus_field f = {r->line, (int)n};
    return r->length >= (int)n && flx_abaqus_is(f, word);
}

// *INCLUDE may stand anywhere, also among data.
static flx_status include(flx_abaqus *r)
{
    flx_abaqus_keyword k;
    const flx_abaqus_field *name;
    flx_abaqus_read_keyword(r, &k);
    FLX_TRY(flx_abaqus_need(r, &k, "INPUT", &name));
    return flx_include_open(&r->include, name->text, name->length, k.line);
}

bool flx_abaqus_next_line(flx_abaqus *r)
{
    for (;;) {
        if (r->status != FLX_OK || !raw_line(r)) {
            r->line = NULL;
            return false;
        }
        if (is_comment(r)) continue;
        if (!starts_with(r, "*INCLUDE")) return true;
        r->status = include(r);
    }
}

bool flx_abaqus_next_data(flx_abaqus *r)
{
    return flx_abaqus_next_line(r) && r->line[0] != '*';
}

flx_status flx_abaqus_pass(flx_abaqus *r)
{
    while (flx_abaqus_next_data(r)) {
    }
    return FLX_OK;
}

// ---- fields -------------------------------------------------------------------------------------

// Without blanks around it, or quotes.
static flx_abaqus_field trim(const char *from, const char *to)
{
    while (from < to && flx_is_space(*from)) from++;
    while (to > from && flx_is_space(to[-1])) to--;
    if (to - from >= 2 && *from == '"' && to[-1] == '"') {
        from++;
        to--;
    }
    return (flx_abaqus_field){from, (int)(to - from)};
}

static void split(const char *at, const char *end, flx_abaqus_fields *f)
{
    f->n = 0;
    while (f->n < MOST_FIELDS) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        f->item[f->n++] = trim(at, comma ? comma : end);
        if (!comma) break;
        at = comma + 1;
        if (trim(at, end).length == 0) break; // a comma at the end
    }
}

void flx_abaqus_split(const flx_abaqus *r, flx_abaqus_fields *f)
{
    split(r->line, r->line + r->length, f);
}

bool flx_abaqus_is(flx_abaqus_field f, const char *word)
{
    int i = 0;
    for (;;) {
        while (i < f.length && f.text[i] == ' ') i++;
        while (*word == ' ') word++;
        if (i == f.length || *word == '\0') return i == f.length && *word == '\0';
        if (flx_upper(f.text[i]) != flx_upper(*word)) return false;
        i++;
        word++;
    }
}

const flx_abaqus_field *flx_abaqus_option(const flx_abaqus_keyword *k, const char *key)
{
    for (int i = 0; i < k->n; i++) {
        if (flx_abaqus_is(k->key[i], key)) return &k->value[i];
    }
    return NULL;
}

// Lines of a keyword that end with a comma go on in the next one.
static flx_abaqus_field join(flx_abaqus *r, char *buffer, size_t size)
{
    flx_abaqus_field whole = {r->line, r->length};
    size_t n = 0;
    while (r->length > 0 && r->line[r->length - 1] == ',' && r->scan->at < r->scan->end) {
        if (n == 0) n = (size_t)flx_snprintf(buffer, size, "%.*s", r->length, r->line);
        flx_scan before = *r->scan;
        int number = r->number;
        raw_line(r);
        if (is_comment(r) || r->line[0] == '*') { // the comma was a slip
            *r->scan = before;
            r->number = number;
            break;
        }
        if (n < size) n += (size_t)flx_snprintf(buffer + n, size - n, "%.*s", r->length, r->line);
        if (n >= size) n = size - 1;
    }
    return n == 0 ? whole : (flx_abaqus_field){buffer, (int)n};
}

void flx_abaqus_read_keyword(flx_abaqus *r, flx_abaqus_keyword *k)
{
    flx_abaqus_fields f;
    k->line = r->number;
    k->n = 0;
    flx_abaqus_field whole = join(r, k->text, sizeof k->text);
    split(whole.text, whole.text + whole.length, &f);
    k->name = trim(f.item[0].text + (f.item[0].length > 0), f.item[0].text + f.item[0].length);
    for (int i = 1; i < f.n && k->n < MOST_OPTIONS; i++) {
        const char *at = f.item[i].text, *end = at + f.item[i].length;
        const char *equals = memchr(at, '=', (size_t)(end - at));
        k->key[k->n] = trim(at, equals ? equals : end);
        k->value[k->n++] = equals ? trim(equals + 1, end) : (flx_abaqus_field){end, 0};
    }
}

// ---- values -------------------------------------------------------------------------------------

flx_status flx_abaqus_refuse(const flx_abaqus *r, flx_abaqus_field f, const char *what)
{
    char buffer[64];
    return ABAQUS_FAIL(r, r->number, "'%s' where %s is expected",
                       flx_text_quote(f.text, f.length, buffer), what);
}

flx_status flx_abaqus_number(const flx_abaqus *r, const flx_abaqus_fields *f, int i,
                             const char *what, double *out)
{
    flx_abaqus_field none = {"", 0};
    if (i < f->n && flx_text_number(f->item[i].text, f->item[i].length, out)) return FLX_OK;
    return flx_abaqus_refuse(r, i < f->n ? f->item[i] : none, what);
}

flx_status flx_abaqus_int(const flx_abaqus *r, const flx_abaqus_fields *f, int i, const char *what,
                          int *out)
{
    flx_abaqus_field none = {"", 0};
    if (i < f->n && flx_text_int(f->item[i].text, f->item[i].length, out)) return FLX_OK;
    return flx_abaqus_refuse(r, i < f->n ? f->item[i] : none, what);
}

flx_status flx_abaqus_numbers(const flx_abaqus *r, int most, const char *what, double *v, int *n)
{
    flx_abaqus_fields f;
    flx_abaqus_split(r, &f);
    *n = f.n < most ? f.n : most;
    for (int i = 0; i < *n; i++) {
        if (f.item[i].length > 0) FLX_TRY(flx_abaqus_number(r, &f, i, what, &v[i]));
    }
    return FLX_OK;
}

flx_status flx_abaqus_need(const flx_abaqus *r, const flx_abaqus_keyword *k, const char *key,
                           const flx_abaqus_field **out)
{
    *out = flx_abaqus_option(k, key);
    if (*out && (*out)->length > 0) return FLX_OK;
    return ABAQUS_FAIL(r, k->line, "*%.*s needs %s=", k->name.length, k->name.text, key);
}

const char *flx_abaqus_name(const flx_abaqus *r, flx_abaqus_field f)
{
    char text[2 * MOST_NAME]; // "instance.set"
    flx_snprintf(text, sizeof text, "%.*s", f.length, f.text);
    return flx_intern(r->scan->ctx, text);
}
