// tree_sparse.c - the tangent of the tree link by link, linear in their number: what (TRN-1) needs.
//
// Entries of bodies become those of links in tree_entries.c; what is along joints is here.
#include "math/pattern.h"
#include "tree/recursion/tree_frames.h"
#include "tree/tree_parts.h"

// ---- one link -----------------------------------------------------------------------------------

static INLINE void store_link(const flx_tree *t, int i, const flx_link_frame *f, const double *v,
                              flx_blocks *extra)
{
    const flx_link *l = t->t.links + i;
    const flx_link_frame *c = f + i, *p = f + l->parent;
    size_t at = FLX_TREE_GEOMETRY * (size_t)i;
    double *g0 = extra->A0 + at, *g1 = extra->A1 + at, *g2 = extra->A2 + at;
    v3 w, d;
    for (int k = 0; k < flx_link_freedom(l->kind, t->t.k.planar); k++) {
        double unit[3] = {0, 0, 0};
        unit[k] = 1.0;
        flx_tree_expand(&t->t.k, l, unit, &w, &d);
        v3_store(g0 + 3 * k, m33_mul_v(c->R, flx_link_turns(l->kind) ? w : d));
    }
    flx_tree_expand(&t->t.k, l, v + l->v, &w, &d);
    v3_store(g0 + 9, v3_sub(c->p, p->p));
    v3_store(g0 + 12, c->n);
    v3_store(g0 + 15, c->f);
    v3_store(g1, p->w);
    v3_store(g1 + 3, m33_mul_v(c->R, w));
    v3_store(g1 + 6, v3_sub(c->v, p->v));
    v3_store(g2, p->alpha);
    v3_store(g2 + 3, v3_sub(c->a, p->a));
}

// ---- along joints -------------------------------------------------------------------------------

// A row along y_i becomes one along y_p.
static void move_row(const flx_geometry *g, double *row)
{
    v3 r = v3_load(g->g0 + 9), dr = v3_load(g->g1 + 6), ddr = v3_load(g->g2 + 3);
    v3 s0 = v3_load(row + 3), s1 = v3_load(row + 9), s2 = v3_load(row + 15);
    v3 x = v3_add(v3_cross(r, s0), v3_add(v3_cross(dr, s1), v3_cross(ddr, s2)));
    v3_add_to(row, 1.0, x);
    v3_add_to(row + 6, 1.0, v3_axpy(2.0, v3_cross(dr, s2), v3_cross(r, s1)));
    v3_add_to(row + 12, 1.0, v3_cross(r, s2));
}

// What a row along y says of one freedom: of the joint's coordinate, its rate, its acceleration.
static void row_along(const flx_axis *a, const double *row, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int part = 0; part < 2; part++) { // rotation, displacement
        double size = part == 0 ? a->turns : a->slides;
        const double *g = row + 3 * part;
        v3 E = part == 0 ? a->E : v3_scale(2.0, a->J1);
        v3 g0 = v3_load(g), g1 = v3_load(g + 6), g2 = v3_load(g + 12);
        if (size == 0.0) continue;
        out[2] += size * v3_dot(g2, a->J);
        out[1] += size * (v3_dot(g1, a->J) + v3_dot(g2, E));
        out[0] += size * (v3_dot(g0, a->J) + v3_dot(g1, a->J1) + v3_dot(g2, a->J2));
    }
}

static int other_block(const flx_tree *t, int other)
{
    return t->block_of[flx_tree_first_other(t) + other] - t->t.k.n;
}

// Rows of other unknowns along the joints.
static void put_row(const flx_tree *t, int other, const flx_blocks *extra, double *rows,
                    flx_blocks *b)
{
    const flx_pattern *p = &t->base.pattern;
    const flx_tree_fronts *f = &t->fronts;
    int block = other_block(t, other), n = t->t.k.n;
    int in = flx_tree_first_other(t) + other - p->start[n + block];
    double *const A[3] = {b->A0, b->A1, b->A2}, *const X[3] = {extra->A0, extra->A1, extra->A2};
    int e0 = p->row[n + block], e1 = e0; // the links that meet it, each with its parent
    for (; p->col[e1] < n; e1++) {
        memset(rows + FLX_TREE_MOTION * p->col[e1], 0, FLX_TREE_MOTION * sizeof *rows);
    }
    for (int k = f->met[other]; k < f->met[other + 1]; k++) {
        const flx_tree_pair *pair = f->rows + f->meetings[k];
        double *row = rows + FLX_TREE_MOTION * pair->link;
        for (int i = 0; i < FLX_TREE_MOTION; i++) row[i] = X[i / 6][pair->at + (size_t)i % 6];
    }
    for (int e = e1 - 1; e >= e0; e--) {
        int i = p->col[e];
        const flx_link *l = t->t.links + i;
        double *row = rows + FLX_TREE_MOTION * i, along[3];
        int freedom = flx_link_freedom(l->kind, t->t.k.planar);
        flx_geometry g = flx_geometry_of(extra, i);
        for (int k = 0; k < freedom; k++) {
            flx_axis a = flx_axis_of(l, &g, k);
            row_along(&a, row, along);
            for (int c = 0; c < 3; c++) A[c][p->offset[e] + in * freedom + k] = along[c];
        }
        if (l->parent == f->until[other]) continue;
        move_row(&g, row);
        for (int k = 0; k < FLX_TREE_MOTION; k++)
            row[FLX_TREE_MOTION * (l->parent - i) + k] += row[k];
    }
}

// Forces of other unknowns along the joints; X: of A0 or A1.
static void put_column(const flx_tree *t, int other, const flx_blocks *extra, const double *X,
                       double *forces, double *A)
{
    const flx_pattern *p = &t->base.pattern;
    const flx_tree_fronts *f = &t->fronts;
    int block = other_block(t, other), n = t->t.k.n;
    int in = flx_tree_first_other(t) + other - p->start[n + block];
    int width = p->start[n + block + 1] - p->start[n + block];
    int e0 = p->row[n + block], e1 = e0;
    for (; p->col[e1] < n; e1++) memset(forces + 6 * p->col[e1], 0, 6 * sizeof *forces);
    for (int k = f->met[other]; k < f->met[other + 1]; k++) {
        const flx_tree_pair *pair = f->columns + f->meetings[k];
        memcpy(forces + 6 * pair->link, X + pair->at, 6 * sizeof *forces);
    }
    for (int link = e1 - 1; link >= e0; link--) {
        int i = p->col[link];
        const flx_link *l = t->t.links + i;
        flx_geometry g = flx_geometry_of(extra, i);
        v3 N = v3_load(forces + 6 * i), F = v3_load(forces + 6 * i + 3);
        int e = p->transpose[link];
        for (int k = 0; k < flx_link_freedom(l->kind, t->t.k.planar); k++) {
            flx_axis a = flx_axis_of(l, &g, k);
            A[p->offset[e] + k * width + in] = flx_axis_force(&a, N, F);
        }
        if (l->parent == f->until[other]) continue;
        v3_add_to(forces + 6 * l->parent, 1.0, v3_add(N, v3_cross(v3_load(g.g0 + 9), F)));
        v3_add_to(forces + 6 * l->parent + 3, 1.0, F);
    }
}

// The diagonal blocks of the mass matrix; composite (36 links) is scratch.
static void put_masses(const flx_tree *t, const flx_blocks *extra, double *composite, double *A2)
{
    const flx_pattern *p = &t->base.pattern;
    int n = t->t.k.n;
    memcpy(composite, extra->A2 + t->fronts.links, 36 * (size_t)n * sizeof *composite);
    for (int i = n - 1; i >= 0; i--) {
        const flx_link *l = t->t.links + i;
        double *C = composite + 36 * i, row[6];
        int freedom = flx_link_freedom(l->kind, t->t.k.planar);
        flx_geometry g = flx_geometry_of(extra, i);
        for (int k = 0; k < freedom; k++) {
            flx_axis a = flx_axis_of(l, &g, k);
            for (int c = 0; c < 6; c++) {
                row[c] = flx_axis_force(&a, v3_load(C + 6 * c), v3_load(C + 6 * c + 3));
            }
            for (int j = 0; j < freedom; j++) {
                flx_axis other = flx_axis_of(l, &g, j);
                A2[p->offset[p->row[i]] + k * freedom + j] =
                    flx_axis_force(&other, v3_load(row), v3_load(row + 3));
            }
        }
        if (l->parent < 0) continue;
        v3 r = v3_load(g.g0 + 9);
        for (int k = 0; k < 6; k++) { // columns along s turn into those along theta
            v3 x = v3_cross(r, v3_make(C[18 + k], C[24 + k], C[30 + k]));
            C[k] += x.x;
            C[6 + k] += x.y;
            C[12 + k] += x.z;
        }
        for (int c = 0; c < 6; c++) {
            v3_add_to(C + 6 * c, 1.0, v3_cross(r, v3_load(C + 6 * c + 3)));
            for (int k = 0; k < 6; k++) composite[36 * l->parent + 6 * c + k] += C[6 * c + k];
        }
    }
}

// Entries between other unknowns, from the descriptor.
static void put_others(const flx_tree *t, const flx_blocks *inner, flx_blocks *b)
{
    const flx_pattern *from = &t->inner->pattern, *to = &t->base.pattern;
    int first = 0, n = t->t.k.n;
    while (first < from->nblock && from->start[first] < flx_tree_inner(t)->variable_v) first++;
    for (int bi = first; bi < from->nblock; bi++) {
        for (int e = from->row[bi]; e < from->row[bi + 1]; e++) {
            int bj = from->col[e];
            if (bj < first) continue;
            size_t size = (size_t)(from->offset[e + 1] - from->offset[e]);
            int at = to->offset[flx_pattern_find(to, n + bi - first, n + bj - first)];
            int o = from->offset[e];
            memcpy(b->A0 + at, inner->A0 + o, size * sizeof *b->A0);
            memcpy(b->A1 + at, inner->A1 + o, size * sizeof *b->A1);
            memcpy(b->A2 + at, inner->A2 + o, size * sizeof *b->A2);
        }
    }
}

void flx_tree_linearise_links(const flx_tree *t, flx_tree_work *w, const flx_point *p,
                              const flx_blocks *inner, flx_blocks *b)
{
    const flx_pattern *in = &t->inner->pattern, *pt = &t->base.pattern;
    const flx_tree_fronts *f = &t->fronts;
    const flx_link_frame *base = w->frames + 1;
    flx_blocks extra = flx_tree_extra(t, b);
    double *const A[3] = {extra.A0, extra.A1, extra.A2};
    for (size_t at = f->links; at < f->extra; at += 36) { // small pieces stay in the cache
        size_t size = at + 36 <= f->extra ? 36 : f->extra - at;
        for (int k = 0; k < 3; k++) memset(A[k] + at, 0, size * sizeof **A);
    }
    for (int i = 0; i < t->t.k.n; i++) {
        store_link(t, i, base, p->v, &extra);
    }
    for (int e = 0; e < in->row[in->nblock]; e++)
        flx_tree_add_entry(t, base, e, inner, w->r, &extra);
    if (f->nother == 0) return;
    size_t values = (size_t)pt->offset[pt->row[pt->nblock]];
    memset(b->A0, 0, values * sizeof *b->A0);
    memset(b->A1, 0, values * sizeof *b->A1);
    memset(b->A2, 0, values * sizeof *b->A2);
    put_masses(t, &extra, w->tangents.composite, b->A2);
    for (int k = 0; k < f->nother; k++) {
        put_row(t, k, &extra, w->tangents.composite, b);
        put_column(t, k, &extra, extra.A0, w->tangents.composite, b->A0);
        if (k >= t->nvariable + t->base.dims.nx) continue;
        put_column(t, k, &extra, extra.A1, w->tangents.composite, b->A1);
        if (k >= t->nvariable) continue;
        put_column(t, k, &extra, extra.A2, w->tangents.composite, b->A2);
    }
    put_others(t, inner, b);
}
