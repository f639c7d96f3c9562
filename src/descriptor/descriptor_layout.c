// descriptor_layout.c - numbering of the unknowns, the pattern of the tangent, and the places where
// kernels write. Found once; nothing is searched for during a run.
#include "descriptor/descriptor_parts.h"
#include "math/pattern.h"

#include <stdlib.h>

// Up to so many variables, states or constraints make one dense block: a block of one number costs
// more in bookkeeping than a small dense factorisation does in arithmetic.
#define DENSE_GROUP 16

// ---- coordinates --------------------------------------------------------------------------------

static void add_segment(flx_descriptor *d, int q, int v, int n)
{
    if (d->nsegment > 0) {
        flx_segment *last = d->segments + d->nsegment - 1;
        if (last->q + last->n == q && last->v + last->n == v) {
            last->n += n;
            return;
        }
    }
    d->segments[d->nsegment++] = (flx_segment){q, v, n};
}

flx_status flx_layout_bodies(flx_descriptor *d)
{
    const flx_model *m = d->model;
    size_t nb = (size_t)m->nbody + (size_t)m->nattached;
    d->body_q = flx_arena_take(d->arena, nb, sizeof(int));
    d->body_v = flx_arena_take(d->arena, nb, sizeof(int));
    d->body_nv = flx_arena_take(d->arena, nb, sizeof(int));
    d->segments = flx_arena_take(d->arena, nb + 1, sizeof *d->segments);
    if (!d->body_q || !d->body_v || !d->body_nv || !d->segments) return FLX_ERR_MEMORY;
    int q = 0, v = 0;
    for (int i = 0; i < m->nbody; i++) {
        flx_body_size n = flx_bodies_size(m, i);
        d->body_q[i] = q;
        d->body_v[i] = v;
        d->body_nv[i] = n.nv;
        if (n.nq == n.nv) add_segment(d, q, v, n.nv);
        q += n.nq;
        v += n.nv;
    }
    for (int i = m->nbody; i < m->nbody + m->nattached; i++) { // see flx_attached_number
        d->body_q[i] = d->body_v[i] = -1;
        d->body_nv[i] = d->planar ? 3 : 6;
    }
    d->variable_q = q;
    d->variable_v = v;
    if (m->nvariable > 0) add_segment(d, q, v, m->nvariable);
    d->base.dims.nq = q + m->nvariable;
    d->base.dims.nv = v + m->nvariable;
    d->base.dims.nx = m->nstate;
    d->base.dims.nw = m->nalgebraic;
    return FLX_OK;
}

// ---- blocks -------------------------------------------------------------------------------------

static int add_block(flx_descriptor *d, int size)
{
    int b = d->nblock++;
    d->block_start[b + 1] = d->block_start[b] + size;
    for (int i = d->block_start[b]; i < d->block_start[b + 1]; i++) d->block_of[i] = b;
    return b;
}

static void add_blocks(flx_descriptor *d, int n)
{
    if (n > 0 && n <= DENSE_GROUP) {
        add_block(d, n);
    } else {
        for (int i = 0; i < n; i++) add_block(d, 1);
    }
}

flx_status flx_layout_blocks(flx_descriptor *d)
{
    const flx_model *m = d->model;
    int n = flx_dims_unknowns(&d->base.dims);
    int all = n + flx_attached_rows(d); // rows of attached frames after all unknowns
    d->block_start = flx_arena_take(d->arena, (size_t)all + 1, sizeof(int));
    d->block_of = flx_arena_take(d->arena, (size_t)all, sizeof(int));
    if (!d->block_start || !d->block_of) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nbody; i++) add_block(d, d->body_nv[i]);
    add_blocks(d, m->nvariable - m->nmode);
    for (int i = 0; i < m->nmodal; i++) add_block(d, m->modals[i].e->n);
    add_blocks(d, m->nstate);
    add_blocks(d, m->nalgebraic);
    for (int j = 0; j < m->njoint; j++) {
        flx_joint_rows *r = d->joints + j;
        r->constraint_block = r->nconstraint > 0 ? add_block(d, r->nconstraint) : -1;
    }
    for (int i = 0; i < flx_pulls_count(d); i++) add_block(d, 1);
    add_blocks(d, d->base.dims.nlam - d->first_constraint - d->ngroup_normal);
    for (int i = 0; i < d->ngroup_normal; i++) add_block(d, 1);
    int joint_mu = 0;
    for (int j = 0; j < m->njoint; j++) {
        flx_joint_rows *r = d->joints + j;
        r->vconstraint_block = r->nvconstraint > 0 ? add_block(d, r->nvconstraint) : -1;
        joint_mu += r->nvconstraint;
    }
    add_blocks(d, d->base.dims.nmu - joint_mu - d->ngroup_tangent);
    for (int i = 0; i < d->ngroup; i++) {
        if (d->groups[i].of.ntangent > 0) add_block(d, d->groups[i].of.ntangent);
    }
    int nblock = d->nblock;
    for (int i = 0; i < d->nattached; i++) add_block(d, d->attached[i].nv);
    for (int b = 0; b < d->nblock; b++) FLX_TRY(flx_layout_couple(d, b, b));
    d->nblock = nblock;
    flx_attached_number(d, n);
    return FLX_OK;
}

// ---- pattern ------------------------------------------------------------------------------------

flx_status flx_layout_couple(flx_descriptor *d, int i, int j)
{
    flx_couplings *c = &d->couplings;
    FLX_TRY(flx_grow(d->base.ctx, (void **)&c->keys, &c->capacity, c->n + 2, sizeof *c->keys));
    c->keys[c->n++] = ((uint64_t)(uint32_t)i << 32) | (uint32_t)j;
    if (i != j) c->keys[c->n++] = ((uint64_t)(uint32_t)j << 32) | (uint32_t)i;
    return FLX_OK;
}

flx_status flx_layout_couple_bodies(flx_descriptor *d, const int body[2])
{
    if (body[0] < 0 || body[1] < 0) return FLX_OK;
    return flx_layout_couple(d, flx_body_block(d, body[0]), flx_body_block(d, body[1]));
}

flx_status flx_layout_couple_row(flx_descriptor *d, int block, const int body[2])
{
    for (int i = 0; i < 2; i++) {
        if (body[i] >= 0) FLX_TRY(flx_layout_couple(d, block, flx_body_block(d, body[i])));
    }
    return FLX_OK;
}

static bool is_attached(const flx_descriptor *d, uint64_t key)
{
    return (int)(key >> 32) >= d->nblock || (int)(uint32_t)key >= d->nblock;
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int block_size(const flx_descriptor *d, int b)
{
    return d->block_start[b + 1] - d->block_start[b];
}

// Each key once, ascending; those of attached frames go to a list of their own.
static flx_status sort_keys(flx_descriptor *d, int *nentry)
{
    flx_couplings *c = &d->couplings;
    qsort(c->keys, (size_t)c->n, sizeof *c->keys, by_key);
    d->fold_keys = flx_arena_take(d->arena, (size_t)c->n, sizeof *d->fold_keys);
    if (!d->fold_keys) return FLX_ERR_MEMORY;
    uint64_t last = 0;
    *nentry = 0;
    for (int i = 0; i < c->n; i++) {
        uint64_t key = c->keys[i];
        if (i > 0 && key == last) continue;
        last = key;
        if (is_attached(d, key)) {
            d->fold_keys[d->nfold++] = key;
        } else {
            c->keys[(*nentry)++] = key;
        }
    }
    return FLX_OK;
}

// Where the values of entries begin: those of the pattern, then those of attached frames.
static flx_status find_offsets(flx_descriptor *d, int nentry, int *offset)
{
    int64_t total = 0;
    for (int e = 0; e < nentry + d->nfold; e++) {
        uint64_t key = e < nentry ? d->couplings.keys[e] : d->fold_keys[e - nentry];
        offset[e] = (int)total;
        total += (int64_t)block_size(d, (int)(key >> 32)) * block_size(d, (int)(uint32_t)key);
        if (total > INT32_MAX) {
            return FLX_FAIL(d->base.ctx, FLX_ERR_MEMORY, FLX_NOWHERE,
                            "the model's equations have more than %d numbers in their tangent",
                            INT32_MAX);
        }
    }
    offset[nentry + d->nfold] = d->nvalue = (int)total;
    return FLX_OK;
}

flx_status flx_layout_pattern(flx_descriptor *d)
{
    flx_couplings *c = &d->couplings;
    int nentry = 0;
    FLX_TRY(sort_keys(d, &nentry));
    size_t all = (size_t)(nentry + d->nfold);
    int *row = flx_arena_take(d->arena, (size_t)d->nblock + 1, sizeof *row);
    int *col = flx_arena_take(d->arena, (size_t)nentry, sizeof *col);
    int *offset = flx_arena_take(d->arena, all + 1, sizeof *offset);
    int *transpose = flx_arena_take(d->arena, (size_t)nentry, sizeof *transpose);
    d->parts = flx_arena_take(d->arena, all, sizeof *d->parts);
    if (!row || !col || !offset || !transpose || !d->parts) return FLX_ERR_MEMORY;
    memset(d->parts, 1, all);
    FLX_TRY(find_offsets(d, nentry, offset));
    for (int e = 0; e < nentry; e++) {
        row[(int)(c->keys[e] >> 32) + 1] = e + 1;
        col[e] = (int)(uint32_t)c->keys[e];
    }
    d->base.pattern = (flx_pattern){.nblock = d->nblock,
                                    .start = d->block_start,
                                    .row = row,
                                    .col = col,
                                    .offset = offset,
                                    .transpose = transpose,
                                    .parts = d->parts};
    // Rows are ascending, so the entries (j, i) of one column i are met in the order of row i.
    int *next = flx_arena_take(d->arena, (size_t)d->nblock, sizeof *next);
    if (!next) return FLX_ERR_MEMORY;
    memcpy(next, row, (size_t)d->nblock * sizeof *next);
    for (int i = 0; i < d->nblock; i++) {
        for (int e = row[i]; e < row[i + 1]; e++) transpose[next[col[e]]++] = e;
    }
    flx_free(c->keys);
    *c = (flx_couplings){0};
    return FLX_OK;
}

static int attached_entry(const flx_descriptor *d, uint64_t key)
{
    const flx_pattern *p = &d->base.pattern;
    const uint64_t *at = bsearch(&key, d->fold_keys, (size_t)d->nfold, sizeof key, by_key);
    return at ? p->offset[p->row[p->nblock] + (int)(at - d->fold_keys)] : -1;
}

int flx_layout_entry(const flx_descriptor *d, int i, int j)
{
    const flx_pattern *p = &d->base.pattern;
    if (i >= d->nblock || j >= d->nblock) {
        return attached_entry(d, ((uint64_t)(uint32_t)i << 32) | (uint32_t)j);
    }
    int entry = flx_pattern_find(p, i, j);
    return entry < 0 ? -1 : p->offset[entry];
}

int flx_layout_slot(const flx_descriptor *d, int row, int column)
{
    int i = d->block_of[row], j = d->block_of[column];
    int offset = flx_layout_entry(d, i, j);
    FLX_ASSERT(offset >= 0);
    return offset + (row - d->block_start[i]) * block_size(d, j) + column - d->block_start[j];
}

void flx_layout_ends(const flx_descriptor *d, const int body[2], flx_ends *e)
{
    for (int i = 0; i < 2; i++) {
        e->frame[i] = body[i] + 1;
        e->v[i] = body[i] < 0 ? -1 : d->body_v[body[i]];
        e->nv[i] = body[i] < 0 ? 0 : d->body_nv[body[i]];
        for (int k = 0; k < 2; k++) {
            bool both = body[i] >= 0 && body[k] >= 0;
            e->block[i][k] =
                both ? flx_layout_entry(d, flx_body_block(d, body[i]), flx_body_block(d, body[k]))
                     : -1;
        }
    }
}

void flx_layout_place(const flx_descriptor *d, int unknown, const int body[2], flx_row_place *p)
{
    int b = d->block_of[unknown];
    p->width = block_size(d, b);
    for (int i = 0; i < 2; i++) {
        p->g[i] = body[i] < 0 ? -1 : flx_layout_slot(d, unknown, d->body_v[body[i]]);
        p->gt[i] = body[i] < 0 ? -1 : flx_layout_slot(d, d->body_v[body[i]], unknown);
    }
}

// ---- parts --------------------------------------------------------------------------------------

void flx_layout_mark(flx_descriptor *d, int slot, int bits)
{
    const flx_pattern *p = &d->base.pattern;
    int low = 0, high = p->row[p->nblock] + d->nfold - 1; // the entry that holds the slot
    while (low < high) {
        int mid = low + (high - low + 1) / 2;
        if (p->offset[mid] <= slot) {
            low = mid;
        } else {
            high = mid - 1;
        }
    }
    d->parts[low] |= (unsigned char)bits;
}

void flx_layout_mark_ends(flx_descriptor *d, const flx_ends *e, int bits)
{
    for (int i = 0; i < 4; i++) {
        int slot = e->block[i / 2][i % 2];
        if (slot >= 0) flx_layout_mark(d, slot, bits);
    }
}

void flx_layout_mark_row(flx_descriptor *d, const flx_scalar_row *row, bool moves)
{
    for (int t = 0; t < row->nterm && (moves || row->tau != 0); t++) {
        for (int b = 0; b < 2; b++) {
            if (row->term[t].body[b] >= 0) flx_layout_mark(d, row->place[t].g[b], 2);
        }
    }
}

// Entries of joints that consist of coincidences and axes: these write what is theirs, and a
// linearisation has nothing on their diagonal.
static void mark_written(flx_descriptor *d, unsigned char *written)
{
    const flx_pattern *p = &d->base.pattern;
    for (int j = 0; j < d->model->njoint; j++) {
        const flx_joint_rows *r = d->joints + j;
        const int *body = d->model->joints[j].body;
        bool follows = body[0] >= d->model->nbody || body[1] >= d->model->nbody;
        if (r->nconstraint == 0 || r->count[2] > 0 || r->read) continue;
        for (int e = p->row[r->constraint_block]; e < p->row[r->constraint_block + 1]; e++) {
            if (p->col[e] == r->constraint_block) {
                d->parts[e] = 0;
            } else if (!follows) { // what is carried to masters is added
                written[e] = written[p->transpose[e]] = 1;
            }
        }
    }
}

// Neighbouring entries that are chosen become one range.
static flx_status find_ranges(flx_descriptor *d, int which, const unsigned char *flags, int bit)
{
    const flx_pattern *p = &d->base.pattern;
    int nentry = p->row[p->nblock], n = 0, end = -1;
    for (int pass = 0; pass < 2; pass++) {
        n = 0;
        end = -1;
        for (int e = 0; e < nentry; e++) {
            if (!(flags[e] & bit)) continue;
            if (p->offset[e] != end) n++;
            end = p->offset[e + 1];
            if (pass == 0) continue;
            if (d->touched[which].count[n - 1] == 0) d->touched[which].at[n - 1] = p->offset[e];
            d->touched[which].count[n - 1] = end - d->touched[which].at[n - 1];
        }
        if (pass == 1) break;
        d->touched[which].n = n;
        d->touched[which].at = flx_arena_take(d->arena, (size_t)n, sizeof(int));
        d->touched[which].count = flx_arena_take(d->arena, (size_t)n, sizeof(int));
        if (!d->touched[which].at || !d->touched[which].count) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

flx_status flx_layout_parts(flx_descriptor *d)
{
    for (int i = flx_first_x(d); i < flx_first_w(d); i++) {
        flx_layout_mark(d, flx_layout_slot(d, i, i), 2);
    }
    flx_terms_mark(d);
    for (int i = 0; i < d->nscalar; i++) flx_layout_mark_row(d, d->scalars + i, false);
    for (int i = 0; i < d->nvscalar; i++) flx_layout_mark_row(d, d->vscalars + i, true);
    flx_constraints_mark(d);
    flx_groups_mark(d);
    flx_attached_parts(d);
    FLX_TRY(find_ranges(d, 0, d->parts, 2));
    FLX_TRY(find_ranges(d, 1, d->parts, 4));
    const flx_pattern *p = &d->base.pattern;
    int nentry = p->row[p->nblock];
    unsigned char *added = flx_alloc(d->base.ctx, (size_t)nentry, sizeof *added);
    if (!added) return FLX_ERR_MEMORY;
    mark_written(d, added);
    for (int e = 0; e < nentry; e++) added[e] = !added[e];
    flx_status status = find_ranges(d, 2, added, 1);
    flx_free(added);
    return status;
}
