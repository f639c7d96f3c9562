// loaded_nodes.c - nodes of a mesh that joints and forces of the model take though they are no interfaces: the shapes of the
// body are not made for loads there. Of modes alone, the interfaces that they take.
#include "joint/joint.h"
#include "language/flexible/deformable.h"
#include "model/structure.h"

#include <stdlib.h>
#include <string.h>

typedef struct search {
    flx_builder *b;
    const flx_item *body;
    const flx_structure *s;
    const flx_basis *basis;
    int n;
    int *nodes; // NULL: they are counted
    flx_loc *locs;
} search;

// The label of "<body>.node(17)"; -1: the text is something else.
static long label_of(const search *q, const char *text)
{
    const char *const names[] = {q->body->full, q->body->name};
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(names[i]);
        char *end = NULL;
        if (strncmp(text, names[i], length) != 0 || strncmp(text + length, ".node(", 6) != 0)
            continue;
        long label = strtol(text + length + 6, &end, 10);
        if (end && end[0] == ')' && end[1] == '\0') return label;
    }
    return -1;
}

static void take(search *q, const flx_entry *y)
{
    if (!y) return;
    if (y->kind == FLX_ENTRY_LIST) {
        for (int i = 0; i < y->count; i++) take(q, y->items[i]);
        return;
    }
    if (y->kind != FLX_ENTRY_SCALAR) return;
    long label = label_of(q, y->text);
    int node = label >= 0 && label < 2147483647 ? flx_structure_node_of(q->s, (int)label) : -1;
    if (node < 0) return;
    for (int i = 0; i < q->basis->ninterface; i++) {
        if (q->basis->interfaces[i] == node) return;
    }
    for (int i = 0; i < q->n && q->nodes; i++) {
        if (q->nodes[i] == node) return;
    }
    if (q->nodes) {
        q->nodes[q->n] = node;
        q->locs[q->n] = y->loc;
    }
    q->n++;
}

static void take_all(search *q)
{
    const flx_items *const all[] = {&q->b->joints, &q->b->forces};
    q->n = 0;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < all[k]->count; i++) {
            const flx_entry *def = all[k]->items[i]->def;
            take(q, flx_entry_get(def, "at"));
            if (k == 1) take(q, flx_entry_get(def, "through")); // cables, muscles
        }
    }
}

flx_status flx_elastic_body_find_loaded(flx_builder *b, const flx_item *body,
                                        const flx_structure *s, flx_basis *basis)
{
    search q = {.b = b, .body = body, .s = s, .basis = basis};
    take_all(&q);
    if (q.n == 0) return FLX_OK;
    int *nodes = flx_take(b, (size_t)q.n, sizeof *nodes);
    flx_loc *locs = flx_take(b, (size_t)q.n, sizeof *locs);
    if (!nodes || !locs) return FLX_ERR_MEMORY;
    q.nodes = nodes;
    q.locs = locs;
    take_all(&q);
    basis->nloaded = q.n;
    basis->loaded = nodes;
    basis->loaded_at = locs;
    return FLX_OK;
}

// ---- interfaces -----------------------------------------------------------------------------------

// Which interface "<body>.tip" is; -1: none.
static int interface_of(const flx_item *body, const flx_basis *basis, const flx_entry *y)
{
    const char *const names[] = {body->full, body->name};
    if (!y || y->kind != FLX_ENTRY_SCALAR) return -1;
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(y->text, names[i], length) != 0 || y->text[length] != '.') continue;
        for (int k = 0; k < basis->ninterface; k++) {
            if (strcmp(y->text + length + 1, basis->names[k]) == 0) return k;
        }
    }
    return -1;
}

static bool is_torque(const flx_entry *type)
{
    return strcmp(type->text, "torque") == 0 || strcmp(type->text, "bushing") == 0;
}

// Whether moments pass through a joint in every direction, or about the axis of a drive.
static bool passes_moments(const flx_builder *b, const flx_item *joint, const flx_entry *type)
{
    static const char *const drives[] = {"motion", "friction", "limits"};
    const flx_joint_kind *k = flx_joint_kind_named(type->text);
    bool turns = false;
    if (!k || k->tree != FLX_TREE_CARRIES) return false;
    for (int i = 0; i < k->nlink; i++) {
        flx_joint_element e = k->link[i].element;
        if (e == FLX_ELEMENT_BALL || e == FLX_ELEMENT_SHIFT) return false;
        turns = turns || e == FLX_ELEMENT_TURN || e == FLX_ELEMENT_SCREW;
    }
    bool driven = false;
    for (size_t i = 0; i < sizeof drives / sizeof drives[0]; i++)
        driven = driven || flx_entry_get(joint->def, drives[i]);
    for (int i = 0; i < b->forces.count; i++) {
        const flx_entry *on = flx_entry_get(b->forces.items[i]->def, "on");
        driven = driven || (on && on->kind == FLX_ENTRY_SCALAR &&
                            (strcmp(on->text, joint->name) == 0 || //
                             strcmp(on->text, joint->full) == 0));
    }
    return !turns || (driven && k->nlink == 1);
}

flx_status flx_elastic_body_find_held(flx_builder *b, const flx_item *body, flx_basis *basis)
{
    const flx_items *const all[] = {&b->joints, &b->forces};
    int n = 0;
    int *nodes = flx_take(b, (size_t)basis->ninterface, sizeof *nodes);
    flx_loc *locs = flx_take(b, (size_t)basis->ninterface, sizeof *locs);
    bool *turns = flx_take(b, (size_t)basis->ninterface, sizeof *turns);
    if (!nodes || !locs || !turns) return FLX_ERR_MEMORY;
    for (int i = 0; i < all[0]->count + all[1]->count; i++) {
        bool is_force = i >= all[0]->count;
        const flx_item *item = all[is_force]->items[is_force ? i - all[0]->count : i];
        const flx_entry *at = flx_entry_get(item->def, "at");
        const flx_entry *type = flx_entry_get(item->def, "type");
        for (int p = 0; at && p < (at->kind == FLX_ENTRY_LIST ? at->count : 1); p++) {
            const flx_entry *y = at->kind == FLX_ENTRY_LIST ? at->items[p] : at;
            int face = interface_of(body, basis, y), k = 0;
            if (face < 0) continue;
            while (k < n && nodes[k] != basis->interfaces[face]) k++;
            if (k == n) {
                nodes[n] = basis->interfaces[face];
                locs[n++] = y->loc;
            }
            if (!type || type->kind != FLX_ENTRY_SCALAR) continue;
            turns[k] = turns[k] || (is_force ? is_torque(type) : passes_moments(b, item, type));
        }
    }
    basis->nloaded = n;
    basis->loaded = nodes;
    basis->loaded_at = locs;
    basis->loaded_turns = turns;
    return FLX_OK;
}
