// descriptor_layout.c - numbering of the unknowns, the pattern of the tangent, and the places where
// kernels write. Found once; nothing is searched for during a run.
#include "math/dense.h"
#include "system/descriptor_parts.h"

#include <stdlib.h>

// Up to so many variables, states or constraints make one dense block: a block of one number costs
// more in bookkeeping than a small dense factorisation does in arithmetic.
#define DENSE_GROUP 16

// ---- coordinates --------------------------------------------------------------------------------

static flx_body_kind kind_of(const flx_model *m, int body)
{
    bool rigid = m->bodies[body].type == FLX_BODY_RIGID;
    if (m->dimension == 2) return rigid ? FLX_BODY_KIND_RIGID2 : FLX_BODY_KIND_POINT2;
    return rigid ? FLX_BODY_KIND_RIGID : FLX_BODY_KIND_POINT;
}

static const int kind_nq[] = {
#define X(NAME, name, nq, nv) nq,
    FLX_BODY_KINDS(X)
#undef X
};
static const int kind_nv[] = {
#define X(NAME, name, nq, nv) nv,
    FLX_BODY_KINDS(X)
#undef X
};

static void fill_body(const flx_model *m, int body, flx_body_data *b)
{
    const flx_body *from = m->bodies + body;
    b->frame = body + 1;
    b->m = from->mass;
    if (m->dimension == 2) {
        b->J[0] = from->inertia[8];
    } else {
        memcpy(b->J, from->inertia, sizeof b->J);
    }
}

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
    size_t nb = (size_t)m->nbody;
    d->body_q = flx_arena_take(d->arena, nb, sizeof(int));
    d->body_v = flx_arena_take(d->arena, nb, sizeof(int));
    d->body_nv = flx_arena_take(d->arena, nb, sizeof(int));
    d->segments = flx_arena_take(d->arena, nb + 1, sizeof *d->segments);
    if (!d->body_q || !d->body_v || !d->body_nv || !d->segments) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nbody; i++) d->nkind[kind_of(m, i)]++;
    for (int k = 0; k < FLX_N_BODY_KINDS; k++) {
        d->kind[k] = flx_arena_take(d->arena, (size_t)d->nkind[k], sizeof *d->kind[k]);
        if (!d->kind[k]) return FLX_ERR_MEMORY;
        d->nkind[k] = 0;
    }
    int q = 0, v = 0;
    for (int i = 0; i < m->nbody; i++) {
        int k = (int)kind_of(m, i);
        flx_body_data *b = d->kind[k] + d->nkind[k]++;
        fill_body(m, i, b);
        b->q = d->body_q[i] = q;
        b->v = d->body_v[i] = v;
        d->body_nv[i] = kind_nv[k];
        if (k != FLX_BODY_KIND_RIGID) add_segment(d, q, v, kind_nv[k]);
        q += kind_nq[k];
        v += kind_nv[k];
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

// Constraints of the equations; then the ties, a block for each interface.
static void add_constraints(flx_descriptor *d)
{
    const flx_model *m = d->model;
    const flx_expr_bond *end = d->expr.bonds + d->expr.nbond, *b = end;
    int first = m->nconstraint - m->ntie, rows = flx_model_tie_rows(m), ties = 0;
    while (b > d->expr.bonds && b[-1].constraint >= first) b--, ties++;
    add_blocks(d, d->base.dims.nlam - d->first_constraint - ties);
    while (b < end) {
        int interface = (b->constraint - first) / rows, n = 0;
        while (b < end && (b->constraint - first) / rows == interface) b++, n++;
        int block = add_block(d, n);
        if (n == rows) d->tie_block[interface] = block;
    }
}

flx_status flx_layout_blocks(flx_descriptor *d)
{
    const flx_model *m = d->model;
    int n = flx_dims_unknowns(&d->base.dims);
    d->block_start = flx_arena_take(d->arena, (size_t)n + 1, sizeof(int));
    d->block_of = flx_arena_take(d->arena, (size_t)n, sizeof(int));
    d->tie_block = flx_arena_take(d->arena, (size_t)m->ninterface, sizeof(int));
    if (!d->block_start || !d->block_of || !d->tie_block) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->ninterface; i++) d->tie_block[i] = -1;
    for (int i = 0; i < m->nbody; i++) add_block(d, d->body_nv[i]);
    add_blocks(d, m->nvariable - m->nmode);
    for (int i = 0; i < m->nmodal; i++) add_block(d, m->modals[i].e->n);
    add_blocks(d, m->nstate);
    add_blocks(d, m->nalgebraic);
    for (int j = 0; j < m->njoint; j++) {
        flx_joint_rows *r = d->joints + j;
        r->bond_block = r->nbond > 0 ? add_block(d, r->nbond) : -1;
    }
    for (int i = 0; i < d->nmixed; i++) add_block(d, 1);
    add_constraints(d);
    int joint_mu = 0;
    for (int j = 0; j < m->njoint; j++) {
        flx_joint_rows *r = d->joints + j;
        r->vbond_block = r->nvbond > 0 ? add_block(d, r->nvbond) : -1;
        joint_mu += r->nvbond;
    }
    add_blocks(d, d->base.dims.nmu - joint_mu);
    for (int b = 0; b < d->nblock; b++) FLX_TRY(flx_layout_couple(d, b, b));
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
    return flx_layout_couple(d, body[0], body[1]); // a body's block has the body's number
}

flx_status flx_layout_couple_row(flx_descriptor *d, int block, const int body[2])
{
    for (int i = 0; i < 2; i++) {
        if (body[i] >= 0) FLX_TRY(flx_layout_couple(d, block, body[i]));
    }
    return FLX_OK;
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

flx_status flx_layout_pattern(flx_descriptor *d)
{
    flx_couplings *c = &d->couplings;
    qsort(c->keys, (size_t)c->n, sizeof *c->keys, by_key);
    int nentry = 0;
    for (int i = 0; i < c->n; i++) {
        if (i == 0 || c->keys[i] != c->keys[i - 1]) c->keys[nentry++] = c->keys[i];
    }
    int *row = flx_arena_take(d->arena, (size_t)d->nblock + 1, sizeof *row);
    int *col = flx_arena_take(d->arena, (size_t)nentry, sizeof *col);
    int *offset = flx_arena_take(d->arena, (size_t)nentry + 1, sizeof *offset);
    int *transpose = flx_arena_take(d->arena, (size_t)nentry, sizeof *transpose);
    d->parts = flx_arena_take(d->arena, (size_t)nentry, sizeof *d->parts);
    if (!row || !col || !offset || !transpose || !d->parts) return FLX_ERR_MEMORY;
    memset(d->parts, 1, (size_t)nentry);
    int64_t total = 0;
    for (int e = 0; e < nentry; e++) {
        int i = (int)(c->keys[e] >> 32), j = (int)(uint32_t)c->keys[e];
        row[i + 1] = e + 1;
        col[e] = j;
        offset[e] = (int)total;
        total += (int64_t)block_size(d, i) * block_size(d, j);
        if (total > INT32_MAX) {
            return FLX_FAIL(d->base.ctx, FLX_ERR_MEMORY, FLX_NOWHERE,
                            "the model's equations have more than %d numbers in their tangent",
                            INT32_MAX);
        }
    }
    offset[nentry] = (int)total;
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

int flx_layout_entry(const flx_descriptor *d, int i, int j)
{
    const flx_pattern *p = &d->base.pattern;
    int low = p->row[i], high = p->row[i + 1];
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (p->col[mid] < j) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low < p->row[i + 1] && p->col[low] == j ? p->offset[low] : -1;
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
            e->block[i][k] = both ? flx_layout_entry(d, body[i], body[k]) : -1;
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
    int low = 0, high = p->row[p->nblock] - 1; // the entry that holds the slot
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

static void mark_ends(flx_descriptor *d, const flx_ends *e, int bits)
{
    for (int i = 0; i < 4; i++) {
        int slot = e->block[i / 2][i % 2];
        if (slot >= 0) flx_layout_mark(d, slot, bits);
    }
}

static void mark_rows(flx_descriptor *d, int n, const flx_scalar_row *rows, bool all)
{
    for (int i = 0; i < n; i++) {
        for (int t = 0; t < rows[i].nterm; t++) {
            for (int b = 0; b < 2; b++) {
                bool moves = rows[i].term[t].body[b] >= 0 && (all || rows[i].tau != 0);
                if (moves) flx_layout_mark(d, rows[i].place[t].g[b], 2);
            }
        }
    }
}

static void mark_channel(flx_descriptor *d, int channel, const int *slot)
{
    if (channel < 0 || !slot) return;
    const flx_channel *c = d->expr.channels + channel;
    for (int i = 0; i < c->ndep; i++) {
        const flx_dep *dep = d->expr.deps + c->dep + i;
        if (dep->rate) flx_layout_mark(d, *slot, 2);
        slot += flx_dep_count(&d->expr, dep);
    }
}

static void mark_expressions(flx_descriptor *d)
{
    const flx_expressions *x = &d->expr;
    for (int i = 0; i < x->nrow; i++) {
        mark_channel(d, x->rows[i].channel, x->rows[i].slot);
        if (x->rows[i].mass >= 0) flx_layout_mark(d, x->rows[i].mass, 4);
    }
    for (int i = 0; i < x->nwrench; i++) {
        for (int k = 0; k < 12; k++) {
            mark_channel(d, x->wrenches[i].channel[k / 2], x->wrenches[i].slot[k / 2][k & 1]);
        }
    }
    for (int i = 0; i < x->neffort; i++) {
        for (int b = 0; b < 2; b++) mark_channel(d, x->efforts[i].channel, x->efforts[i].slot[b]);
    }
    for (int i = 0; i < x->nbond; i++) {
        const flx_expr_bond *b = x->bonds + i;
        for (int k = 0; k < b->ndep && b->velocity; k++) flx_layout_mark(d, b->g[k], 2);
    }
}

// Entries of joints that consist of coincidences and axes: these write what is theirs, and a
// linearisation has nothing on their diagonal.
static void mark_written(flx_descriptor *d, unsigned char *written)
{
    const flx_pattern *p = &d->base.pattern;
    for (int j = 0; j < d->model->njoint; j++) {
        const flx_joint_rows *r = d->joints + j;
        if (r->nbond == 0 || r->count[2] > 0 || r->read) continue;
        for (int e = p->row[r->bond_block]; e < p->row[r->bond_block + 1]; e++) {
            if (p->col[e] == r->bond_block) {
                d->parts[e] = 0;
            } else {
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
    for (int k = 0; k < FLX_N_BODY_KINDS; k++) {
        for (int i = 0; i < d->nkind[k]; i++) {
            flx_layout_mark(d, d->kind[k][i].diag, k == FLX_BODY_KIND_RIGID ? 6 : 4);
        }
    }
    for (int i = flx_first_x(d); i < flx_first_w(d); i++) {
        flx_layout_mark(d, flx_layout_slot(d, i, i), 2);
    }
    for (int i = 0; i < 4 * d->nmodal; i++) {
        flx_layout_mark(d, d->modals[i / 4].at[i / 2 % 2][i % 2], 6);
    }
    flx_elements_mark(d);
    for (int i = 0; i < d->nspring; i++) {
        if (d->springs[i].c != 0) mark_ends(d, &d->springs[i].s.e, 2);
    }
    for (int i = 0; i < d->ntwist; i++) mark_ends(d, &d->twists[i].e, 2);
    mark_rows(d, d->nscalar, d->scalars, false);
    mark_rows(d, d->nvscalar, d->vscalars, true);
    mark_expressions(d);
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

// ---- pairs --------------------------------------------------------------------------------------

// Rows are of size one by construction, up to the lengths of lever arms: a pivot below this would not
// carry an elimination.
#define SMALLEST_PIVOT 1e-6

// Rows of joint j on body `body`, rotations counted in lengths of the mechanism.
static bool joint_rank(const flx_descriptor *d, int j, int body, const double *values)
{
    int m = d->joints[j].nbond, n = d->body_nv[body];
    int turns = d->planar ? 2 : 3;
    double A[36] = {0};
    if (m == 0 || m > n) return false;
    const double *G = values + flx_layout_entry(d, d->joints[j].bond_block, body);
    for (int i = 0; i < m; i++) {
        bool metres = d->rows[d->joints[j].bond + i].metres;
        for (int k = 0; k < n; k++) {
            double scale =
                metres ? (k >= turns ? 1.0 / d->length : 1.0) : (k >= turns ? 1.0 : d->length);
            A[n * i + k] = scale * G[n * i + k];
        }
    }
    return flx_dense_is_full(m, n, A, SMALLEST_PIVOT);
}

// Links at each body (and the ground, number nbody), as lists: joints, and after them the ties of
// interfaces.
typedef struct incidence {
    int *start, *link; // owned
} incidence;

static int count_links(const flx_model *m)
{
    return m->njoint + m->ninterface;
}

static bool links(const flx_descriptor *d, int j)
{
    const flx_model *m = d->model;
    if (j >= m->njoint) return d->tie_block[j - m->njoint] >= 0;
    return d->joints[j].nbond > 0 && m->joints[j].type != FLX_JOINT_GEAR;
}

static int link_body(const flx_model *m, int j, int side)
{
    if (j < m->njoint) return m->joints[j].body[side];
    int interface = j - m->njoint;
    return side == 0 ? m->carriers[interface] : m->nbody - m->ninterface + interface;
}

static int node_of(const flx_model *m, int body)
{
    return body < 0 ? m->nbody : body;
}

static flx_status find_incidence(const flx_descriptor *d, incidence *at)
{
    const flx_model *m = d->model;
    at->start = flx_alloc(d->base.ctx, (size_t)m->nbody + 2, sizeof(int));
    at->link = flx_alloc(d->base.ctx, 2 * (size_t)count_links(m), sizeof(int));
    if (!at->start || !at->link) return FLX_ERR_MEMORY;
    for (int j = 0; j < count_links(m); j++) {
        for (int i = 0; i < 2 && links(d, j); i++) at->start[node_of(m, link_body(m, j, i))]++;
    }
    for (int b = 0; b <= m->nbody; b++) at->start[b + 1] += at->start[b]; // ends of the lists
    for (int j = count_links(m) - 1; j >= 0; j--) {
        for (int i = 0; i < 2 && links(d, j); i++) {
            at->link[--at->start[node_of(m, link_body(m, j, i))]] = j;
        }
    }
    return FLX_OK;
}

// Breadth first from the ground, then from every body not reached: shallow trees, and so short
// chains of elimination.
static void walk(const flx_descriptor *d, const incidence *at, const double *values, int *queue,
                 signed char *seen, int *pair)
{
    const flx_model *m = d->model;
    for (int root = m->nbody; root >= 0; root = root == m->nbody ? m->nbody - 1 : root - 1) {
        if (seen[root]) continue;
        int head = 0, tail = 0;
        queue[tail++] = root;
        seen[root] = 1;
        while (head < tail) {
            int b = queue[head++];
            for (int e = at->start[b]; e < at->start[b + 1]; e++) {
                int j = at->link[e];
                int body = link_body(m, j, node_of(m, link_body(m, j, 0)) == b);
                if (body < 0 || seen[body]) continue;
                seen[body] = 1;
                queue[tail++] = body;
                if (j >= m->njoint) { // a tie has full rank on either
                    pair[d->tie_block[j - m->njoint]] = body;
                } else if (joint_rank(d, j, body, values)) {
                    pair[d->joints[j].bond_block] = body;
                }
            }
        }
    }
}

flx_status flx_layout_pairs(flx_descriptor *d)
{
    flx_ctx *ctx = d->base.ctx;
    const flx_model *m = d->model;
    const flx_pattern *p = &d->base.pattern;
    size_t nvalue = (size_t)p->offset[p->row[p->nblock]];
    incidence at = {0};
    flx_state *x = NULL;
    flx_work *w = NULL;
    int *pair = flx_arena_take(d->arena, (size_t)d->nblock, sizeof *pair);
    double *values = flx_alloc(ctx, 2 * nvalue, sizeof *values);
    int *queue = flx_alloc(ctx, (size_t)m->nbody + 1, sizeof *queue);
    signed char *seen = flx_alloc(ctx, (size_t)m->nbody + 1, sizeof *seen);
    flx_status status = FLX_ERR_MEMORY;
    if (!pair || !values || !queue || !seen) goto done;
    for (int b = 0; b < d->nblock; b++) pair[b] = -1;
    d->base.pattern.pair = pair;
    status = find_incidence(d, &at);
    if (status == FLX_OK) status = flx_state_create(&d->base, &x);
    if (status == FLX_OK) status = flx_descriptor_draw(&d->base, x);
    if (status != FLX_OK) goto done;
    w = d->base.ops->work_create(&d->base);
    if (!w) {
        status = FLX_ERR_MEMORY;
        goto done;
    }
    flx_point point = flx_state_point(&d->base, x);
    flx_eval_saddle(d, w, &point, values, values + nvalue);
    walk(d, &at, values, queue, seen, pair);

done:
    if (w) d->base.ops->work_destroy(w);
    flx_state_destroy(&x);
    flx_free(seen);
    flx_free(queue);
    flx_free(values);
    flx_free(at.start);
    flx_free(at.link);
    return status;
}
