// abaqus_lines.c - lines of Abaqus' input: keywords with options, data separated by commas.
#include "read/abaqus_parts.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

flx_loc flx_abaqus_place(const flx_abaqus *r)
{
    return (flx_loc){r->scan->file, r->number, 1};
}

// ---- lines --------------------------------------------------------------------------------------

// The next line that is no comment; false at the end.
bool flx_abaqus_next_line(flx_abaqus *r)
{
    do {
        r->number = r->scan->line;
        if (!flx_scan_line(r->scan, &r->line, &r->length)) {
            r->line = NULL;
            return false;
        }
    } while (r->length == 0 || (r->length >= 2 && r->line[0] == '*' && r->line[1] == '*'));
    return true;
}

// The next line of data of a keyword; false at the next keyword.
bool flx_abaqus_next_data(flx_abaqus *r)
{
    return flx_abaqus_next_line(r) && r->line[0] != '*';
}

static flx_abaqus_field trim(const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from)) from++;
    while (to > from && isspace((unsigned char)to[-1])) to--;
    return (flx_abaqus_field){from, (int)(to - from)};
}

void flx_abaqus_split(const flx_abaqus *r, flx_abaqus_fields *f)
{
    const char *at = r->line, *end = r->line + r->length;
    f->n = 0;
    while (f->n < MOST_FIELDS) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        f->item[f->n++] = trim(at, comma ? comma : end);
        if (!comma) break;
        at = comma + 1;
        if (trim(at, end).length == 0) break; // a comma at the end
    }
}

bool flx_abaqus_is(flx_abaqus_field f, const char *word)
{
    return (int)strlen(word) == f.length && strncasecmp(f.text, word, (size_t)f.length) == 0;
}

const flx_abaqus_field *flx_abaqus_option(const flx_abaqus_keyword *k, const char *key)
{
    for (int i = 0; i < k->n; i++) {
        if (flx_abaqus_is(k->key[i], key)) return &k->value[i];
    }
    return NULL;
}

void flx_abaqus_read_keyword(const flx_abaqus *r, flx_abaqus_keyword *k)
{
    flx_abaqus_fields f;
    flx_abaqus_split(r, &f);
    *k = (flx_abaqus_keyword){.line = r->number};
    k->name = (flx_abaqus_field){f.item[0].text + 1, f.item[0].length - 1};
    for (int i = 1; i < f.n && k->n < MOST_OPTIONS; i++) {
        const char *at = f.item[i].text, *end = at + f.item[i].length;
        const char *equals = memchr(at, '=', (size_t)(end - at));
        k->key[k->n] = trim(at, equals ? equals : end);
        k->value[k->n++] = equals ? trim(equals + 1, end) : (flx_abaqus_field){end, 0};
    }
}

flx_status flx_abaqus_refuse(const flx_abaqus *r, flx_abaqus_field f, const char *what)
{
    char buffer[64];
    return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, flx_abaqus_place(r), "'%s' where %s is expected",
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

flx_status flx_abaqus_need(const flx_abaqus *r, const flx_abaqus_keyword *k, const char *key,
                           const flx_abaqus_field **out)
{
    *out = flx_abaqus_option(k, key);
    if (*out && (*out)->length > 0) return FLX_OK;
    return FLX_FAIL(r->scan->ctx, FLX_ERR_MODEL, ((flx_loc){r->scan->file, k->line, 1}),
                    "*%.*s needs %s=", k->name.length, k->name.text, key);
}
