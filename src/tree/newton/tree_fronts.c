// tree_fronts.c - in which order the links are taken out, and what each of them meets then.
//
// The last link first, so that links go before their parents. Taking one out ties its parent and its
// partners to each other; they are met again at the next of them to go: the next front. Multipliers of
// closures go as soon as the joints that determine them have gone (tree_order.c).
#include "tree/newton/tree_fronts.h"

#include "tree/tree_parts.h"

#include <stdlib.h>

void flx_tree_fronts_clear(flx_tree_fronts *f)
{
    flx_free(f->fronts);
    flx_free(f->panels);
    flx_free(f->pairs);
    flx_free(f->rows);
    flx_free(f->columns);
    flx_free(f->lists);
    flx_free(f->met);
    flx_free(f->front_of);
    flx_tree_border_clear(&f->border);
    *f = (flx_tree_fronts){0};
}

// ---- panels -------------------------------------------------------------------------------------

static int compare_pairs(const void *a, const void *b)
{
    const flx_tree_pair *x = a, *y = b;
    int links = (x->link > y->link) - (x->link < y->link);
    return links ? links : (x->with > y->with) - (x->with < y->with);
}

// Sorted, each once; numbers from `at` on, `size` for each. Returns where they end.
static size_t settle_pairs(flx_tree_pair *p, int *n, size_t at, size_t size)
{
    int kept = 0;
    if (*n > 0) qsort(p, (size_t)*n, sizeof *p, compare_pairs);
    for (int i = 0; i < *n; i++) {
        if (kept > 0 && compare_pairs(p + kept - 1, p + i) == 0) continue;
        p[kept] = p[i];
        p[kept++].at = at;
        at += size;
    }
    *n = kept;
    return at;
}

static size_t place_of_pair(const flx_tree_pair *p, int n, int link, int with)
{
    const flx_tree_pair key = {.link = link, .with = with};
    const flx_tree_pair *found = bsearch(&key, p, (size_t)n, sizeof *p, compare_pairs);
    return found->at;
}

// The body of every block of the descriptor; -1: other unknowns.
static int *list_bodies(const flx_tree *t)
{
    const flx_descriptor *d = flx_tree_inner(t);
    int *body = flx_alloc(t->base.ctx, (size_t)d->base.pattern.nblock, sizeof *body);
    if (!body) return NULL;
    for (int b = 0; b < d->base.pattern.nblock; b++) body[b] = -1;
    for (int i = 0; i < t->places.n; i++) body[d->block_of[t->places.v[i]]] = i;
    return body;
}

// What the entry at (bi, bj) ties together: two links, or a link and `size` other unknowns.
typedef struct tie {
    flx_panel panel;
    int link, with; // with: a link, or the first of the unknowns
    int size;
} tie;

static tie tie_of(const flx_tree *t, const int *body, int bi, int bj)
{
    const flx_pattern *p = &t->inner->pattern;
    int first = flx_tree_inner(t)->variable_v, row = -1, col = -1;
    tie x = {.panel = {.row = body[bi], .col = body[bj]}};
    if (body[bi] >= 0) row = t->t.mounts[body[bi]].link;
    if (body[bj] >= 0) col = t->t.mounts[body[bj]].link;
    if (row >= 0 && col >= 0) {
        x.panel.kind = FLX_PANEL_LINKS;
        x.link = row;
        x.with = col;
    } else if (col >= 0 && body[bi] < 0) {
        x.panel.kind = FLX_PANEL_ROW;
        x.link = col;
        x.with = p->start[bi] - first;
        x.size = p->start[bi + 1] - p->start[bi];
    } else if (row >= 0 && body[bj] < 0) {
        x.panel.kind = FLX_PANEL_COLUMN;
        x.link = row;
        x.with = p->start[bj] - first;
        x.size = p->start[bj + 1] - p->start[bj];
    }
    return x;
}

// Listed where the lists are there, else counted.
static void list_pairs(const flx_tree *t, const int *body, flx_tree_fronts *f)
{
    const flx_pattern *p = &t->inner->pattern;
    f->npair = f->nrow = f->ncol = 0;
    for (int bi = 0; bi < p->nblock; bi++) {
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            tie x = tie_of(t, body, bi, p->col[e]);
            bool links = x.panel.kind == FLX_PANEL_LINKS, row = x.panel.kind == FLX_PANEL_ROW;
            flx_tree_pair *list = links ? f->pairs : row ? f->rows : f->columns;
            int *n = links ? &f->npair : row ? &f->nrow : &f->ncol;
            if (links && x.link != x.with) x.size = 1;
            for (int k = 0; k < x.size; k++, ++*n) {
                if (list) list[*n] = (flx_tree_pair){x.link, x.with + k, 0};
            }
        }
    }
}

static void place_panels(const flx_tree *t, const int *body, flx_tree_fronts *f)
{
    const flx_pattern *p = &t->inner->pattern;
    for (int bi = 0; bi < p->nblock; bi++) {
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            tie x = tie_of(t, body, bi, p->col[e]);
            f->panels[e] = x.panel;
            size_t *at = &f->panels[e].at;
            if (x.panel.kind == FLX_PANEL_LINKS && x.link == x.with) {
                *at = f->links + 36 * (size_t)x.link;
            } else if (x.panel.kind == FLX_PANEL_LINKS) {
                *at = place_of_pair(f->pairs, f->npair, x.link, x.with);
            } else if (x.panel.kind == FLX_PANEL_ROW) { // the unknowns of a block follow each other
                *at = place_of_pair(f->rows, f->nrow, x.link, x.with);
            } else if (x.panel.kind == FLX_PANEL_COLUMN) {
                *at = place_of_pair(f->columns, f->ncol, x.link, x.with);
            }
        }
    }
}

static flx_status make_panels(const flx_tree *t, flx_tree_fronts *f)
{
    const flx_pattern *p = &t->inner->pattern;
    flx_ctx *ctx = t->base.ctx;
    int *body = list_bodies(t);
    if (!body) return FLX_ERR_MEMORY;
    list_pairs(t, body, f);
    f->panels = flx_alloc(ctx, (size_t)p->row[p->nblock], sizeof *f->panels);
    f->pairs = flx_alloc(ctx, (size_t)f->npair, sizeof *f->pairs);
    f->rows = flx_alloc(ctx, (size_t)f->nrow, sizeof *f->rows);
    f->columns = flx_alloc(ctx, (size_t)f->ncol, sizeof *f->columns);
    bool fine = f->panels && f->pairs && f->rows && f->columns;
    if (fine) {
        list_pairs(t, body, f);
        f->links = FLX_TREE_GEOMETRY * (size_t)f->n;
        f->extra = settle_pairs(f->pairs, &f->npair, f->links + 36 * (size_t)f->n, 36);
        f->extra = settle_pairs(f->rows, &f->nrow, f->extra, 6);
        f->extra = settle_pairs(f->columns, &f->ncol, f->extra, 6);
        place_panels(t, body, f);
    }
    flx_free(body);
    return fine ? FLX_OK : FLX_ERR_MEMORY;
}

// ---- fronts -------------------------------------------------------------------------------------

// While fronts are made: which links and unknowns the present one meets.
typedef struct meeting {
    bool *met; // by number
    int *list, n;
} meeting;

typedef struct gathering {
    flx_tree_fronts *f;
    meeting links, others;
    int *first, *sibling; // (fronts) whose rest goes to a front
    int *at;              // (fronts) where the lists of each front begin
    int pair, row, col;   // behind those of the present link
    int length, room;     // of the lists
} gathering;

static void meet(meeting *m, int i)
{
    if (m->met[i]) return;
    m->met[i] = true;
    m->list[m->n++] = i;
}

static int compare_numbers(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// Ascending, into out; nothing is met afterwards.
static void take_meeting(meeting *m, int *out)
{
    if (m->n > 0) qsort(m->list, (size_t)m->n, sizeof *m->list, compare_numbers);
    for (int k = 0; k < m->n; k++) {
        m->met[m->list[k]] = false;
        out[k] = m->list[k];
    }
    m->n = 0;
}

// An unknown that is still there at a front.
static void meet_other(gathering *g, int front, int other)
{
    if (g->f->taken[other] < 0 || g->f->taken[other] < front) meet(&g->others, other);
}

// What a link is tied to; links with higher numbers are gone.
static void gather_link(gathering *g, int front, int i)
{
    flx_tree_fronts *f = g->f;
    for (; g->pair > 0 && f->pairs[g->pair - 1].link == i; g->pair--) {
        if (f->pairs[g->pair - 1].with < i) meet(&g->links, f->pairs[g->pair - 1].with);
    }
    for (; g->row > 0 && f->rows[g->row - 1].link == i; g->row--) {
        meet_other(g, front, f->rows[g->row - 1].with);
    }
    for (; g->col > 0 && f->columns[g->col - 1].link == i; g->col--) {
        meet_other(g, front, f->columns[g->col - 1].with);
    }
}

// What an unknown is tied to: links, and those of its own block.
static void gather_other(const flx_tree *t, gathering *g, int front, int i)
{
    const flx_tree_fronts *f = g->f;
    const flx_descriptor *d = flx_tree_inner(t);
    int first = d->variable_v, block = d->block_of[first + i];
    for (int k = f->met[i]; k < f->met[i + 1]; k++) {
        int link = f->rows[f->meetings[k]].link;
        if (f->front_of[link] < front) meet(&g->links, link);
    }
    for (int k = i; k > 0 && d->block_of[first + k - 1] == block; k--) meet_other(g, front, k - 1);
    for (int k = i + 1; k < f->nother && d->block_of[first + k] == block; k++)
        meet_other(g, front, k);
}

// The link of a slot when a front is taken out.
static int link_left(const flx_front *x, const int *partner, int slot)
{
    if (x->link < 0) return partner[slot];
    return slot == 0 ? x->parent : partner[slot - 1];
}

static void gather(const flx_tree *t, gathering *g, int front)
{
    const flx_tree_fronts *f = g->f;
    const flx_front *own = f->fronts + front;
    if (own->link >= 0) gather_link(g, front, own->link);
    if (own->own >= 0) gather_other(t, g, front, own->own);
    for (int c = g->first[front]; c >= 0; c = g->sibling[c]) {
        const flx_front *x = f->fronts + c;
        const int *list = f->lists + g->at[c];
        for (int k = 0; k < x->slots; k++) {
            int link = link_left(x, list, k);
            if (link >= 0 && link != own->link) meet(&g->links, link);
        }
        for (int k = 0; k < x->nother; k++) {
            if (list[x->npartner + k] != own->own) meet(&g->others, list[x->npartner + k]);
        }
    }
}

static int find(const int *list, int i)
{
    int k = 0;
    while (list[k] != i) k++;
    return k;
}

int flx_front_slot(const flx_front *x, int link)
{
    if (link == x->link) return 0;
    return find(x->partner, link) + (x->link >= 0);
}

int flx_front_other(const flx_front *x, int other)
{
    return other == x->own ? x->nother : find(x->other, other);
}

// Places of the rest of a front in the next one, behind its lists.
static void place_front(const flx_tree_fronts *f, const flx_front *x, int *place)
{
    const flx_front *next = x->next < 0 ? NULL : f->fronts + x->next;
    for (int k = 0; k < x->slots; k++) {
        int link = link_left(x, x->partner, k);
        *place++ = link < 0 || !next ? -1 : flx_front_slot(next, link);
    }
    for (int k = 0; k < x->nother; k++) {
        *place++ = next ? flx_front_other(next, x->other[k]) : f->in_border[x->other[k]];
    }
}

static int highest(int a, int b)
{
    return a > b ? a : b;
}

static flx_status make_front(const flx_tree *t, gathering *g, int front)
{
    flx_tree_fronts *f = g->f;
    flx_front *x = f->fronts + front;
    gather(t, g, front);
    int links = g->links.n, others = g->others.n, freedom = 1;
    x->parent = x->link < 0 ? -1 : t->t.links[x->link].parent;
    x->npartner = links;
    x->nother = others;
    x->slots = links + (x->link >= 0);
    int need = links + 2 * others + x->slots; // and places
    FLX_TRY(flx_grow(t->base.ctx, (void **)&f->lists, &g->room, g->length + need, sizeof(int)));
    int *list = f->lists + g->length;
    take_meeting(&g->links, list);
    take_meeting(&g->others, list + links);
    g->at[front] = g->length;
    g->length += need;
    x->next = -1;
    for (int k = 0; k < x->slots; k++) {
        int link = link_left(x, list, k);
        if (link >= 0) x->next = highest(x->next, f->front_of[link]);
    }
    for (int k = 0; k < others; k++) x->next = highest(x->next, f->taken[list[links + k]]);
    if (x->next >= 0) {
        g->sibling[front] = g->first[x->next];
        g->first[x->next] = front;
    }
    if (x->link >= 0) freedom = flx_link_freedom(t->t.links[x->link].kind, t->t.k.planar);
    x->rows = 6 * x->slots + others + (x->own >= 0);
    x->cols = FLX_TREE_MOTION * x->slots + others + (x->own >= 0);
    x->matrix = f->matrices;
    x->gain = f->gains;
    f->matrices += (size_t)x->rows * (size_t)x->cols;
    f->gains += (size_t)freedom * (size_t)(x->rows + x->cols + FLX_TREE_MOTION + freedom);
    f->work += (double)x->rows * x->cols * freedom;
    return FLX_OK;
}

// Which front takes out what: after each link those unknowns that go with it.
static flx_status number_fronts(const flx_tree *t, const int *after, flx_tree_fronts *f)
{
    size_t n = (size_t)f->n, others = (size_t)f->nother;
    int *count = flx_alloc(t->base.ctx, 2 * n + 1 + others, sizeof *count);
    f->front_of = flx_alloc(t->base.ctx, n + 3 * others, sizeof *f->front_of);
    if (!count || !f->front_of) {
        flx_free(count);
        return FLX_ERR_MEMORY;
    }
    int *first = count, *list = count + n + 1;
    f->taken = f->front_of + n;
    f->in_border = f->taken + others;
    f->border_other = f->in_border + others;
    f->nfront = f->n;
    for (int i = 0; i < f->nother; i++) {
        bool stays = !after || after[i] < 0;
        f->taken[i] = -1;
        f->in_border[i] = stays ? f->nborder : -1;
        if (stays) f->border_other[f->nborder++] = i;
        if (!stays) first[after[i] + 1]++;
        f->nfront += !stays;
    }
    for (int i = 0; i < f->n; i++) first[i + 1] += first[i];
    int *end = list + others;
    for (int i = 0; i < f->n; i++) end[i] = first[i];
    for (int i = 0; i < f->nother; i++) {
        if (f->in_border[i] < 0) list[end[after[i]]++] = i;
    }
    f->fronts = flx_alloc(t->base.ctx, (size_t)f->nfront, sizeof *f->fronts);
    for (int i = 0, front = 0; f->fronts && i < f->n; i++) {
        for (int k = first[i]; k < first[i + 1]; k++) {
            f->taken[list[k]] = front;
            f->fronts[front++] = (flx_front){.link = -1, .own = list[k]};
        }
        f->front_of[i] = front;
        f->fronts[front++] = (flx_front){.link = i, .own = -1};
    }
    flx_free(count);
    return f->fronts ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status make_fronts(const flx_tree *t, flx_tree_fronts *f)
{
    flx_ctx *ctx = t->base.ctx;
    size_t n = (size_t)f->n, others = (size_t)f->nother, fronts = (size_t)f->nfront;
    gathering g = {.f = f, .pair = f->npair, .row = f->nrow, .col = f->ncol};
    g.links.met = flx_alloc(ctx, n, sizeof *g.links.met);
    g.others.met = flx_alloc(ctx, others, sizeof *g.others.met);
    int *numbers = flx_alloc(ctx, 3 * fronts + n + others, sizeof *numbers);
    bool fine = g.links.met && g.others.met && numbers;
    if (fine) {
        g.first = numbers;
        g.sibling = g.first + fronts;
        g.at = g.sibling + fronts;
        g.links.list = g.at + fronts;
        g.others.list = g.links.list + n;
        for (size_t i = 0; i < fronts; i++) g.first[i] = g.sibling[i] = -1;
    }
    for (int i = f->nfront - 1; fine && i >= 0; i--) fine = make_front(t, &g, i) == FLX_OK;
    for (int i = 0; fine && i < f->nfront; i++) {
        flx_front *x = f->fronts + i;
        int *list = f->lists + g.at[i], *place = list + x->npartner + x->nother;
        x->partner = list;
        x->other = list + x->npartner;
        x->place = place;
        x->other_place = place + x->slots;
        place_front(f, x, place); // into a front before it
    }
    flx_free(g.links.met);
    flx_free(g.others.met);
    flx_free(numbers);
    return fine ? FLX_OK : FLX_ERR_MEMORY;
}

// Rows by other unknowns; columns are of the same pairs.
static flx_status list_meetings(const flx_tree *t, flx_tree_fronts *f)
{
    size_t n = (size_t)f->nother;
    f->met = flx_alloc(t->base.ctx, 2 * n + 2 + (size_t)f->nrow, sizeof *f->met);
    if (!f->met) return FLX_ERR_MEMORY;
    f->until = f->met + n + 2;
    f->meetings = f->until + n;
    for (int k = 0; k < f->nrow; k++) f->met[f->rows[k].with + 2]++;
    for (size_t i = 1; i < n + 2; i++) f->met[i] += f->met[i - 1];
    for (int k = 0; k < f->nrow; k++) f->meetings[f->met[f->rows[k].with + 1]++] = k;
    return FLX_OK;
}

flx_status flx_tree_fronts_create(const flx_tree *t, const int *after, flx_tree_fronts *f)
{
    *f = (flx_tree_fronts){.n = t->t.k.n};
    f->nother = flx_dims_unknowns(&t->base.dims) - flx_tree_first_other(t);
    int *late = NULL;
    flx_status status = make_panels(t, f);
    if (status == FLX_OK) status = list_meetings(t, f);
    if (status == FLX_OK) status = flx_tree_paths(t, f);
    if (status == FLX_OK && !after && t->late && f->nother > FLX_TREE_FEW) {
        after = late = flx_alloc(t->base.ctx, (size_t)f->nother, sizeof *late);
        if (!late) status = FLX_ERR_MEMORY;
        if (late) flx_tree_order_late(t, f, late);
    }
    if (status == FLX_OK) status = number_fronts(t, after, f);
    if (status == FLX_OK) status = make_fronts(t, f);
    if (status == FLX_OK) status = flx_tree_border_create(t, f, &f->border);
    flx_free(late);
    if (status != FLX_OK) flx_tree_fronts_clear(f);
    return status;
}
