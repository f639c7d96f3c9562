// descriptor_pairs.c - which body's columns carry the rows of a joint through an elimination in fixed order:
// the outboard body of a spanning tree, found where the model is drawn.
#include "descriptor/descriptor_parts.h"
#include "joint/joint.h"
#include "math/dense.h"

// Rows are of size one by construction, up to the lengths of lever arms: a pivot below this would not
// carry an elimination.
#define SMALLEST_PIVOT 1e-6

// Rows of joint j on body `body`, rotations counted in lengths of the mechanism.
static bool joint_rank(const flx_descriptor *d, int j, int body, const double *values)
{
    int m = d->joints[j].nconstraint, n = d->body_nv[body];
    int turns = d->planar ? 2 : 3;
    double A[36] = {0};
    if (m == 0 || m > n) return false;
    const double *G = values + flx_layout_entry(d, d->joints[j].constraint_block, body);
    for (int i = 0; i < m; i++) {
        bool metres = d->rows[d->joints[j].constraint + i].metres;
        for (int k = 0; k < n; k++) {
            double scale =
                metres ? (k >= turns ? 1.0 / d->length : 1.0) : (k >= turns ? 1.0 : d->length);
            A[n * i + k] = scale * G[n * i + k];
        }
    }
    return flx_dense_is_full(m, n, A, SMALLEST_PIVOT);
}

// Joints at each body (and the ground, number nbody), as lists.
typedef struct incidence {
    int *start, *link; // owned
} incidence;

static bool links(const flx_descriptor *d, int j)
{
    return d->joints[j].nconstraint > 0 && !d->model->joints[j].kind->on_joints;
}

static int link_body(const flx_model *m, int j, int side)
{
    return flx_model_carrier(m, m->joints[j].body[side]);
}

static int node_of(const flx_model *m, int body)
{
    return body < 0 ? m->nbody : body;
}

static flx_status find_incidence(const flx_descriptor *d, incidence *at)
{
    const flx_model *m = d->model;
    at->start = flx_alloc(d->base.ctx, (size_t)m->nbody + 2, sizeof(int));
    at->link = flx_alloc(d->base.ctx, 2 * (size_t)m->njoint, sizeof(int));
    if (!at->start || !at->link) return FLX_ERR_MEMORY;
    for (int j = 0; j < m->njoint; j++) {
        for (int i = 0; i < 2 && links(d, j); i++) at->start[node_of(m, link_body(m, j, i))]++;
    }
    for (int b = 0; b <= m->nbody; b++) at->start[b + 1] += at->start[b]; // ends of the lists
    for (int j = m->njoint - 1; j >= 0; j--) {
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
                if (joint_rank(d, j, body, values)) pair[d->joints[j].constraint_block] = body;
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
    flx_descriptor_work *w = NULL;
    int *pair = flx_arena_take(d->arena, (size_t)d->nblock, sizeof *pair);
    double *values = flx_alloc(ctx, 2 * nvalue, sizeof *values);
    int *queue = flx_alloc(ctx, (size_t)m->nbody + 1, sizeof *queue);
    signed char *seen = flx_alloc(ctx, (size_t)m->nbody + 1, sizeof *seen);
    flx_status status = FLX_ERR_MEMORY;
    if (!pair || !values || !queue || !seen) goto done;
    for (int b = 0; b < d->nblock; b++) pair[b] = -1;
    d->base.pattern.pair = pair;
    status = find_incidence(d, &at);
    if (status == FLX_OK) status = flx_descriptor_drawn(d, &x, &w);
    if (status != FLX_OK) goto done;
    flx_point point = flx_state_point(&d->base, x);
    flx_eval_saddle(d, w, &point, values, values + nvalue);
    walk(d, &at, values, queue, seen, pair);

done:
    if (w) d->base.ops->work_destroy(&w->base);
    flx_state_destroy(&x);
    flx_free(seen);
    flx_free(queue);
    flx_free(values);
    flx_free(at.start);
    flx_free(at.link);
    return status;
}
