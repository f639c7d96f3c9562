// xml.h - XML text to a tree of elements with places.
//
// Documents that define entities are refused: robots need none.
#pragma once

#include "base/common.h"

typedef struct flx_xml {
    const char *name;
    flx_loc loc; // of its "<"
    int nattribute;
    const char **attributes; // (2 nattribute) name, value
    const char *text;        // what stands inside it, children left out; ""
    struct flx_xml *first, *last, *next, *up;
} flx_xml;

#define FLX_XML_DEPTH 200

// file: interned. The tree lives in the arena. FLX_ERR_MODEL: with a message; FLX_ERR_UNAVAILABLE: this build has no expat.
flx_status flx_xml_parse(flx_ctx *ctx, flx_arena *arena, const char *file, const char *text,
                         size_t length, flx_xml **root);

// The first child of this name (NULL: of any), the next of its siblings; NULL: none.
flx_xml *flx_xml_child(const flx_xml *e, const char *name);
flx_xml *flx_xml_next(const flx_xml *e, const char *name);
// The value of an attribute; NULL: it has none.
const char *flx_xml_get(const flx_xml *e, const char *attribute);
// n numbers of an attribute, of the text of the element where attribute is NULL. found false: there is none, out is as it was.
// FLX_ERR_MODEL: they are no such numbers.
flx_status flx_xml_numbers(flx_ctx *ctx, const flx_xml *e, const char *attribute, int n,
                           double *out, bool *found);
// Up to most of them: *n.
flx_status flx_xml_some_numbers(flx_ctx *ctx, const flx_xml *e, const char *attribute, int most,
                                double *out, int *n);
