// xml.c - XML text to a tree of elements with places, from the events of expat.
#include "read/robot/xml.h"

#include <expat.h>
#include <limits.h>
#include <string.h>

#define MOST_ELEMENTS 1000000

typedef struct parser {
    flx_ctx *ctx;
    flx_arena *arena;
    const char *file;
    XML_Parser expat;
    flx_xml *root, *now;
    int depth, count;
    // The text that grows, of element `of`: COLLADA has megabytes in one, which come line by line.
    flx_xml *of;
    char *grown;
    size_t length, room;
    flx_status status; // of what we found ourselves
} parser;

static flx_loc here(const parser *p)
{
    return (flx_loc){p->file, (int)XML_GetCurrentLineNumber(p->expat),
                     (int)XML_GetCurrentColumnNumber(p->expat) + 1, NULL};
}

static void stop(parser *p, flx_status status)
{
    if (p->status == FLX_OK) p->status = status;
    XML_StopParser(p->expat, XML_FALSE);
}

static void XMLCALL begin(void *user, const XML_Char *name, const XML_Char **attributes)
{
    parser *p = user;
    if (p->status != FLX_OK) return;
    if (++p->depth > FLX_XML_DEPTH || ++p->count > MOST_ELEMENTS) {
        stop(p, FLX_FAIL(p->ctx, FLX_ERR_MODEL, here(p),
                         p->depth > FLX_XML_DEPTH ? "elements are nested too deeply"
                                                  : "too many elements"));
        return;
    }
    flx_xml *e = flx_arena_take(p->arena, 1, sizeof *e);
    int n = 0;
    while (attributes[n]) n++;
    const char **kept = flx_arena_take(p->arena, (size_t)n + 1, sizeof *kept);
    if (!e || !kept) {
        stop(p, FLX_ERR_MEMORY);
        return;
    }
    for (int i = 0; i < n; i++)
        kept[i] = flx_arena_copy(p->arena, attributes[i], strlen(attributes[i]));
    *e = (flx_xml){.name = flx_arena_copy(p->arena, name, strlen(name)),
                   .loc = here(p),
                   .nattribute = n / 2,
                   .attributes = kept,
                   .text = "",
                   .up = p->now};
    if (!p->now) {
        p->root = e;
    } else if (p->now->last) {
        p->now->last->next = e;
        p->now->last = e;
    } else {
        p->now->first = p->now->last = e;
    }
    p->now = e;
}

static void XMLCALL end(void *user, const XML_Char *name)
{
    parser *p = user;
    (void)name;
    if (p->now) p->now = p->now->up;
    p->depth--;
}

// Room for so much more text of the present element.
static bool widen(parser *p, size_t more)
{
    if (p->length + more < p->room) return true;
    size_t room = 2 * (p->length + more) + 16;
    char *grown = flx_arena_take(p->arena, room, 1);
    if (!grown) return false;
    memcpy(grown, p->now->text, p->length);
    p->grown = grown;
    p->room = room;
    return true;
}

static void XMLCALL words(void *user, const XML_Char *text, int length)
{
    parser *p = user;
    if (!p->now || p->status != FLX_OK) return;
    bool blank = true, begun = p->now->text[0] != '\0';
    for (int i = 0; i < length; i++) blank = blank && strchr(" \t\r\n", text[i]);
    if (blank && !begun) return;
    if (p->of != p->now) {
        p->of = p->now;
        p->length = strlen(p->now->text);
        p->room = 0;
    }
    if (!widen(p, (size_t)length)) {
        stop(p, FLX_ERR_MEMORY);
        return;
    }
    memcpy(p->grown + p->length, text, (size_t)length);
    p->length += (size_t)length;
    p->grown[p->length] = '\0';
    p->now->text = p->grown;
}

static void XMLCALL entity(void *user, const XML_Char *name, int is_parameter,
                           const XML_Char *value, int length, const XML_Char *base,
                           const XML_Char *system, const XML_Char *public, const XML_Char *notation)
{
    parser *p = user;
    (void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public,
        (void)notation;
    stop(p, FLX_FAIL(p->ctx, FLX_ERR_MODEL, here(p),
                     "the file defines the entity '%s': entities are not read", name));
}

// "ASCII" is no name that expat knows.
static int XMLCALL encoding(void *user, const XML_Char *name, XML_Encoding *info)
{
    (void)user;
    if (strcmp(name, "ASCII") != 0 && strcmp(name, "ascii") != 0) return XML_STATUS_ERROR;
    for (int i = 0; i < 256; i++) info->map[i] = i < 128 ? i : -1;
    info->data = NULL;
    info->convert = NULL;
    info->release = NULL;
    return XML_STATUS_OK;
}

flx_status flx_xml_parse(flx_ctx *ctx, flx_arena *arena, const char *file, const char *text,
                         size_t length, flx_xml **root)
{
    parser p = {.ctx = ctx, .arena = arena, .file = file, .expat = XML_ParserCreate(NULL)};
    *root = NULL;
    if (!p.expat) return FLX_ERR_MEMORY;
    XML_SetUserData(p.expat, &p);
    XML_SetElementHandler(p.expat, begin, end);
    XML_SetCharacterDataHandler(p.expat, words);
    XML_SetEntityDeclHandler(p.expat, entity);
    XML_SetUnknownEncodingHandler(p.expat, encoding, NULL);
    bool good =
        length < INT_MAX && XML_Parse(p.expat, text, (int)length, XML_TRUE) == XML_STATUS_OK;
    if (!good && p.status == FLX_OK) {
        p.status = FLX_FAIL(ctx, FLX_ERR_MODEL, here(&p), "this is no XML: %s",
                            XML_ErrorString(XML_GetErrorCode(p.expat)));
    }
    XML_ParserFree(p.expat);
    if (p.status == FLX_OK) *root = p.root;
    return p.status;
}
