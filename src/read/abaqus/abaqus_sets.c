// abaqus_sets.c - sets of nodes and elements, and surfaces, of Abaqus' input. Sets of an instance are named
// "instance.set" until the whole file is read.
#include "base/number.h"
#include "read/abaqus/abaqus_parts.h"

#include <stdio.h>
#include <string.h>

// ---- names --------------------------------------------------------------------------------------

static const char *scope_name(const flx_abaqus *r)
{
    return r->scopes[r->scope].name;
}

static int find_exact(const flx_abaqus *r, flx_abaqus_field name)
{
    for (int i = 0; i < r->s->nset; i++) {
        if (flx_abaqus_is(name, r->s->sets[i].name)) return i;
    }
    return -1;
}

static flx_abaqus_field with_scope(const flx_abaqus *r, flx_abaqus_field name, char *text)
{
    int n = flx_snprintf(text, 2 * MOST_NAME, "%s.%.*s", scope_name(r),
                         name.length < MOST_NAME ? name.length : MOST_NAME, name.text);
    return (flx_abaqus_field){text, n < 2 * MOST_NAME ? n : 2 * MOST_NAME - 1};
}

// The one set "instance.name" of any instance.
static int find_ending(const flx_abaqus *r, flx_abaqus_field name)
{
    int found = -1;
    for (int i = 0; i < r->s->nset && r->nscope > 1; i++) {
        const char *dot = strchr(r->s->sets[i].name, '.');
        if (!dot || !flx_abaqus_is(name, dot + 1)) continue;
        if (found >= 0) return -1;
        found = i;
    }
    return found;
}

int flx_abaqus_find_set(const flx_abaqus *r, flx_abaqus_field name)
{
    char text[2 * MOST_NAME];
    int i = r->scope > 0 ? find_exact(r, with_scope(r, name, text)) : -1;
    if (i < 0) i = find_exact(r, name);
    return i < 0 && r->scope == 0 ? find_ending(r, name) : i;
}

int flx_abaqus_make_set(const flx_abaqus *r, flx_abaqus_field name)
{
    char text[2 * MOST_NAME];
    flx_abaqus_field whole = r->scope > 0 ? with_scope(r, name, text) : name;
    int i = find_exact(r, whole);
    if (i >= 0) return i;
    const char *own = flx_abaqus_name(r, whole);
    const flx_mesh_set *set = own ? flx_structure_set(r->s, own) : NULL;
    return set ? (int)(set - r->s->sets) : -1;
}

static int find_scope(const flx_abaqus *r, flx_abaqus_field name)
{
    for (int i = 1; i < r->nscope; i++) {
        if (flx_abaqus_is(name, r->scopes[i].name)) return i;
    }
    return -1;
}

// ---- members ------------------------------------------------------------------------------------

// Where the number of an element is, or would be, in the table.
static size_t slot_of(const flx_abaqus *r, int label)
{
    size_t mask = (size_t)r->nslot - 1,
           i = ((size_t)(unsigned)label * 0x9E3779B97F4A7C15u >> 20) & mask;
    while (r->slot[i] > 0 && r->s->elements[r->slot[i] - 1].label != label) i = (i + 1) & mask;
    return i;
}

static flx_status grow_slots(flx_abaqus *r)
{
    int *old = r->slot, n = r->nslot, room = n ? 2 * n : 1024;
    int *slot =
        room > 0 && room < 1 << 30 ? flx_alloc(r->scan->ctx, (size_t)room, sizeof *slot) : NULL;
    if (!slot) return FLX_ERR_MEMORY;
    r->slot = slot;
    r->nslot = room;
    for (int i = 0; i < n; i++) {
        if (old[i] > 0) slot[slot_of(r, r->s->elements[old[i] - 1].label)] = old[i];
    }
    flx_free(old);
    return FLX_OK;
}

flx_status flx_abaqus_note_element(flx_abaqus *r, int label, int line)
{
    if (2 * (r->s->nelement + 1) > r->nslot) FLX_TRY(grow_slots(r));
    size_t i = slot_of(r, label);
    if (r->slot[i] != 0) {
        int first = r->s->elements[r->slot[i] - 1].line;
        return ABAQUS_FAIL(r, line, "element %d is there twice: first in line %d", label,
                           flx_structure_loc(r->s, first).line);
    }
    r->slot[i] = r->s->nelement + 1;
    return FLX_OK;
}

static int element_of(const flx_abaqus *r, int scope, int label)
{
    int64_t k = (int64_t)label + r->scopes[scope].offset;
    if (r->nslot == 0 || k > INT32_MAX || k < INT32_MIN) return -1;
    return r->slot[slot_of(r, (int)k)] - 1;
}

static int node_of(const flx_abaqus *r, int scope, int label)
{
    int64_t k = (int64_t)label + r->scopes[scope].offset;
    return k <= INT32_MAX && k >= INT32_MIN ? flx_structure_node_of(r->s, (int)k) : -1;
}

static flx_status find_member(const flx_abaqus *r, int scope, int label, bool element, int *index)
{
    *index = element ? element_of(r, scope, label) : node_of(r, scope, label);
    if (*index >= 0) return FLX_OK;
    return ABAQUS_FAIL(r, r->number, "%s %d is not in the file%s%s", element ? "element" : "node",
                       label, scope ? ", in instance " : "", r->scopes[scope].name);
}

flx_status flx_abaqus_member(flx_abaqus *r, flx_abaqus_field f, bool element, int *index)
{
    int label, scope = r->scope;
    *index = -1;
    const char *dot = memchr(f.text, '.', (size_t)f.length);
    int named = dot ? find_scope(r, (flx_abaqus_field){f.text, (int)(dot - f.text)}) : -1;
    if (named >= 0) {
        scope = named;
        f = (flx_abaqus_field){dot + 1, (int)(f.text + f.length - dot - 1)};
    }
    if (!flx_text_int(f.text, f.length, &label)) return FLX_OK;
    return find_member(r, scope, label, element, index);
}

static flx_status add_member(flx_abaqus *r, int set, int scope, int label, bool elements)
{
    int i;
    FLX_TRY(find_member(r, scope, label, elements, &i));
    FLX_TRY(flx_structure_add_to_set(r->s, r->s->sets + set, elements ? -1 : i, elements ? i : -1));
    bool pair = elements && i + 1 < r->s->nelement && // two elements of one with three nodes
                r->s->elements[i].label == r->s->elements[i + 1].label &&
                r->s->elements[i + 1].family != FLX_FAMILY_NONE;
    return pair ? flx_structure_add_to_set(r->s, r->s->sets + set, -1, i + 1) : FLX_OK;
}

static flx_status add_set(flx_abaqus *r, int set, flx_abaqus_field other, bool elements)
{
    char buffer[64];
    int at = flx_abaqus_find_set(r, other);
    if (at < 0) {
        return ABAQUS_FAIL(r, r->number, "no set is named '%s'",
                           flx_text_quote(other.text, other.length, buffer));
    }
    int n = elements ? r->s->sets[at].nelement : r->s->sets[at].nnode;
    for (int i = 0; i < n && at != set; i++) {
        const flx_mesh_set *from = r->s->sets + at;
        FLX_TRY(flx_structure_add_to_set(r->s, r->s->sets + set, elements ? -1 : from->nodes[i],
                                         elements ? from->elements[i] : -1));
    }
    return FLX_OK;
}

static flx_status add_range(flx_abaqus *r, int set, int scope, const flx_abaqus_fields *f,
                            bool elements)
{
    int range[3] = {0, 0, 1};
    for (int i = 0; i < (f->n > 2 ? 3 : 2); i++) {
        FLX_TRY(flx_abaqus_int(r, f, i, "a number", &range[i]));
    }
    if (range[2] < 1) return flx_abaqus_refuse(r, f->item[2], "a step above zero");
    for (int64_t i = range[0]; i <= range[1]; i += range[2]) {
        FLX_TRY(add_member(r, set, scope, (int)i, elements));
    }
    return FLX_OK;
}

// *NSET, ELSET=: the nodes of the elements of a set.
static flx_status add_nodes_of(flx_abaqus *r, int set, flx_abaqus_field name)
{
    char buffer[64];
    int from = flx_abaqus_find_set(r, name);
    if (from < 0 || r->s->sets[from].nelement == 0) {
        return ABAQUS_FAIL(r, r->number, "no set of elements is named '%s'",
                           flx_text_quote(name.text, name.length, buffer));
    }
    for (int i = 0; i < r->s->sets[from].nelement; i++) {
        FLX_TRY(flx_structure_add_cell_to_set(r->s, set, r->s->sets[from].elements[i], false));
    }
    return FLX_OK;
}

flx_status flx_abaqus_set(flx_abaqus *r, const flx_abaqus_keyword *k, bool elements)
{
    const flx_abaqus_field *name, *instance = flx_abaqus_option(k, "INSTANCE");
    char buffer[64];
    int scope = r->scope;
    FLX_TRY(flx_abaqus_need(r, k, elements ? "ELSET" : "NSET", &name));
    if (instance && (scope = find_scope(r, *instance)) < 0) {
        return ABAQUS_FAIL(r, k->line, "no instance is named '%s'",
                           flx_text_quote(instance->text, instance->length, buffer));
    }
    int set = flx_abaqus_make_set(r, *name);
    if (set < 0) return FLX_ERR_MEMORY;
    if (!elements && flx_abaqus_option(k, "ELSET")) {
        FLX_TRY(add_nodes_of(r, set, *flx_abaqus_option(k, "ELSET")));
    }
    while (flx_abaqus_next_data(r)) {
        flx_abaqus_fields f;
        int label;
        flx_abaqus_split(r, &f);
        if (flx_abaqus_option(k, "GENERATE")) {
            FLX_TRY(add_range(r, set, scope, &f, elements));
            continue;
        }
        for (int i = 0; i < f.n; i++) {
            if (f.item[i].length == 0) continue;
            if (flx_text_int(f.item[i].text, f.item[i].length, &label)) {
                FLX_TRY(add_member(r, set, scope, label, elements));
            } else {
                FLX_TRY(add_set(r, set, f.item[i], elements));
            }
        }
    }
    return FLX_OK;
}

static flx_status for_all(flx_abaqus *r, flx_abaqus_field f, bool elements, flx_abaqus_add add,
                          const void *user)
{
    int one;
    char buffer[64];
    FLX_TRY(flx_abaqus_member(r, f, elements, &one));
    if (one >= 0) return add(r, one, user);
    int at = flx_abaqus_find_set(r, f);
    int n = at < 0 ? 0 : elements ? r->s->sets[at].nelement : r->s->sets[at].nnode;
    if (n == 0) {
        return ABAQUS_FAIL(
            r, r->number, at < 0 ? "no set of %s is named '%s'" : "the set of %s '%s' is empty",
            elements ? "elements" : "nodes", flx_text_quote(f.text, f.length, buffer));
    }
    for (int i = 0; i < n; i++) {
        const flx_mesh_set *set = r->s->sets + at;
        FLX_TRY(add(r, elements ? set->elements[i] : set->nodes[i], user));
    }
    return FLX_OK;
}

flx_status flx_abaqus_for_nodes(flx_abaqus *r, flx_abaqus_field f, flx_abaqus_add add,
                                const void *user)
{
    return for_all(r, f, false, add, user);
}

flx_status flx_abaqus_for_elements(flx_abaqus *r, flx_abaqus_field f, flx_abaqus_add add,
                                   const void *user)
{
    return for_all(r, f, true, add, user);
}

// ---- surfaces -----------------------------------------------------------------------------------

int flx_abaqus_find_surface(const flx_abaqus *r, flx_abaqus_field name)
{
    char text[2 * MOST_NAME];
    flx_abaqus_field whole = r->scope > 0 ? with_scope(r, name, text) : name;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < r->nsurface; i++) {
            const char *own = r->surfaces[i].name, *dot = strchr(own, '.');
            if (k == 0 ? flx_abaqus_is(whole, own) : dot && flx_abaqus_is(name, dot + 1)) {
                return r->surfaces[i].set;
            }
        }
    }
    return -1;
}

flx_status flx_abaqus_add_face(flx_abaqus *r, int element, int face)
{
    int nodes[FLX_CELL_NODES];
    flx_cell cell;
    const flx_element *e = r->s->elements + element;
    if (!flx_structure_face(r->s, element, face, &cell, nodes)) {
        return ABAQUS_FAIL(r, r->number, "element %d (%s) has no face %d", e->label,
                           flx_cells[e->cell].word, face + 1);
    }
    const flx_element own = {
        .cell = cell, .label = e->label, .line = r->number, .material = -1, .section = -1};
    return flx_structure_add_element(r->s, &own, nodes);
}

typedef struct face_of {
    int set, face;
} face_of;

static flx_status add_face(flx_abaqus *r, int element, const void *user)
{
    const face_of *f = user;
    FLX_TRY(flx_abaqus_add_face(r, element, f->face));
    return flx_structure_add_cell_to_set(r->s, f->set, r->s->nelement - 1, true);
}

static flx_status add_node(flx_abaqus *r, int node, const void *user)
{
    return flx_structure_add_to_set(r->s, r->s->sets + ((const face_of *)user)->set, node, -1);
}

flx_status flx_abaqus_surface_read(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    const flx_abaqus_field *name, *type = flx_abaqus_option(k, "TYPE");
    char text[2 * MOST_NAME], own[3 * MOST_NAME];
    FLX_TRY(flx_abaqus_need(r, k, "NAME", &name));
    flx_abaqus_field whole = r->scope > 0 ? with_scope(r, *name, text) : *name;
    bool nodes = type && flx_abaqus_is(*type, "NODE");
    if (type && !nodes && !flx_abaqus_is(*type, "ELEMENT")) {
        return ABAQUS_FAIL(r, k->line, "surfaces are of the type ELEMENT or NODE here");
    }
    flx_snprintf(own, sizeof own, "surface %.*s", whole.length, whole.text);
    const flx_mesh_set *set = flx_structure_set(r->s, own);
    flx_abaqus_surface s = {.name = flx_abaqus_name(r, whole)};
    if (!set || !s.name) return FLX_ERR_MEMORY;
    s.set = (int)(set - r->s->sets);
    FLX_SCAN_GROW(r, r->surfaces, r->surface_capacity, r->nsurface + 1);
    r->surfaces[r->nsurface++] = s;
    while (flx_abaqus_next_data(r)) {
        flx_abaqus_fields f;
        face_of one = {.set = s.set};
        flx_abaqus_split(r, &f);
        if (nodes) {
            FLX_TRY(flx_abaqus_for_nodes(r, f.item[0], add_node, &one));
            continue;
        }
        bool faced = f.n > 1 && f.item[1].length == 2 && (f.item[1].text[0] | 32) == 's' &&
                     flx_text_int(f.item[1].text + 1, 1, &one.face);
        if (!faced) {
            return flx_abaqus_refuse(r, f.n > 1 ? f.item[1] : (flx_abaqus_field){"", 0},
                                     "a face from S1 to S6");
        }
        one.face--;
        FLX_TRY(flx_abaqus_for_elements(r, f.item[0], add_face, &one));
    }
    return FLX_OK;
}

// ---- the end ------------------------------------------------------------------------------------

// Sets of elements alone get their nodes, for whoever supports or ties them later.
static flx_status add_nodes(flx_abaqus *r)
{
    for (int set = 0; set < r->s->nset; set++) {
        int n = r->s->sets[set].nnode > 0 ? 0 : r->s->sets[set].nelement;
        for (int i = 0; i < n; i++) {
            FLX_TRY(flx_structure_add_cell_to_set(r->s, set, r->s->sets[set].elements[i], false));
        }
    }
    return FLX_OK;
}

flx_status flx_abaqus_name_sets(flx_abaqus *r)
{
    r->scope = 0;
    FLX_TRY(add_nodes(r));
    for (int i = 0; i < r->nsurface; i++) {
        const char *own = r->surfaces[i].name;
        if (find_exact(r, (flx_abaqus_field){own, (int)strlen(own)}) >= 0) continue;
        r->s->sets[r->surfaces[i].set].name = own;
    }
    for (int i = 0; i < r->s->nset; i++) {
        const char *dot = strchr(r->s->sets[i].name, '.');
        if (!dot || r->nscope == 1) continue;
        flx_abaqus_field ending = {dot + 1, (int)strlen(dot + 1)};
        if (find_exact(r, ending) >= 0 || find_ending(r, ending) != i) continue;
        if (!(r->s->sets[i].name = flx_intern(r->scan->ctx, dot + 1))) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}
