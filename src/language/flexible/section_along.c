// section_along.c - cross-sections that change along a line: expressions of `s`, the place from 0 to 1, as in the
// curve of a beam.
#include "language/flexible/section_along.h"

#include "base/letters.h"

#include <string.h>

static bool is_part_of_name(char c)
{
    return flx_is_letter(c) || flx_is_digit(c) || c == '_';
}

// A name of its own: no part of another, no member, no call.
static bool has_name(const char *text, char name)
{
    for (const char *p = strchr(text, name); p; p = strchr(p + 1, name)) {
        bool inside = p > text && (is_part_of_name(p[-1]) || p[-1] == '.');
        if (!inside && !is_part_of_name(p[1]) && p[1] != '(') return true;
    }
    return false;
}

bool flx_entry_is_along(const flx_entry *y)
{
    if (!y) return false;
    if (y->kind == FLX_ENTRY_SCALAR) return has_name(y->text, 's');
    for (int i = 0; i < y->count; i++) {
        if (flx_entry_is_along(y->items[i])) return true;
    }
    return false;
}

flx_status flx_env_along(const flx_env *e, const flx_entry *y, double s, flx_local *local,
                         flx_env *out)
{
    for (const flx_local *l = e->locals; l; l = l->next) {
        if (strcmp(l->name, "s") == 0) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                            "'s' is the place along the line here: the index needs another name");
        }
    }
    if (flx_names_find(&e->space->names, "s")) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "'s' is the place along the line here: what the model calls 's' needs "
                        "another name");
    }
    flx_node at = flx_graph_const(e->b->g, s);
    if (at < 0) return FLX_ERR_MEMORY;
    *local = (flx_local){"s", flx_operand_number(at), e->locals};
    *out = *e;
    out->scope.user = out;
    out->locals = local;
    return FLX_OK;
}
