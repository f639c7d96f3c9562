// xml_values.c - what elements have: children, attributes, numbers.
#include "base/number.h"
#include "read/robot/xml.h"

#include <math.h>
#include <string.h>

flx_xml *flx_xml_child(const flx_xml *e, const char *name)
{
    flx_xml *c = e ? e->first : NULL;
    while (c && name && strcmp(c->name, name) != 0) c = c->next;
    return c;
}

flx_xml *flx_xml_next(const flx_xml *e, const char *name)
{
    flx_xml *c = e->next;
    while (c && name && strcmp(c->name, name) != 0) c = c->next;
    return c;
}

const char *flx_xml_get(const flx_xml *e, const char *attribute)
{
    for (int i = 0; e && i < e->nattribute; i++) {
        if (strcmp(e->attributes[2 * i], attribute) == 0) return e->attributes[2 * i + 1];
    }
    return NULL;
}

flx_status flx_xml_some_numbers(flx_ctx *ctx, const flx_xml *e, const char *attribute, int most,
                                double *out, int *n)
{
    const char *text = !e ? NULL : attribute ? flx_xml_get(e, attribute) : e->text;
    *n = 0;
    if (!text || !text[strspn(text, " \t\r\n")]) return FLX_OK;
    for (const char *at = text;;) {
        char *end;
        at += strspn(at, " \t\r\n");
        if (!*at) return FLX_OK;
        double value = flx_number_read(at, &end);
        if (end == at || !isfinite(value) || (*end && !strchr(" \t\r\n", *end))) {
            return FLX_FAIL(ctx, FLX_ERR_MODEL, e->loc, "%s%s<%s>: '%.40s' is not a number",
                            attribute ? attribute : "", attribute ? " of " : "", e->name, at);
        }
        if (*n == most) {
            return FLX_FAIL(ctx, FLX_ERR_MODEL, e->loc, "%s%s<%s> has more than %d numbers",
                            attribute ? attribute : "", attribute ? " of " : "", e->name, most);
        }
        out[(*n)++] = value;
        at = end;
    }
}

flx_status flx_xml_numbers(flx_ctx *ctx, const flx_xml *e, const char *attribute, int n,
                           double *out, bool *found)
{
    double values[16];
    int count = 0;
    if (found) *found = false;
    FLX_TRY(flx_xml_some_numbers(ctx, e, attribute, n < 16 ? n : 16, values, &count));
    if (count == 0) return FLX_OK;
    if (count != n) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, e->loc, "%s%s<%s> has %d numbers where %d are needed",
                        attribute ? attribute : "", attribute ? " of " : "", e->name, count, n);
    }
    memcpy(out, values, (size_t)n * sizeof *out);
    if (found) *found = true;
    return FLX_OK;
}
