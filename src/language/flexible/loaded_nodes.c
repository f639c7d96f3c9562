// loaded_nodes.c - nodes of a mesh that joints and forces of the model take though they are no interfaces: the shapes of the
// body are not made for loads there.
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
