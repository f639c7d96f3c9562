// tree_product.c - the tangent of the tree by links, times a vector of increments: motions outwards, forces inwards (TRN-1).
#include "tree/tree_parts.h"

// Motion of one link for these increments of its joint.
static flx_link_tangent move_link(const flx_tree *t, const flx_link *l, const flx_geometry *g,
                                  const flx_link_tangent *p, const double c[3],
                                  const double *const u[3])
{
    v3 r = v3_load(g->g0 + 9), dr = v3_load(g->g1 + 6), ddr = v3_load(g->g2 + 3);
    flx_link_tangent y = *p;
    y.s = v3_add(y.s, v3_cross(p->theta, r));
    y.v = v3_add(y.v, v3_add(v3_cross(p->w, r), v3_cross(p->theta, dr)));
    y.a = v3_add(y.a, v3_add(v3_cross(p->alpha, r), v3_cross(p->theta, ddr)));
    y.a = v3_axpy(2.0, v3_cross(p->w, dr), y.a);
    for (int k = 0; k < flx_link_freedom(l->kind, t->t.k.planar); k++) {
        flx_axis x = flx_axis_of(l, g, k);
        double d[3];
        for (int i = 0; i < 3; i++) d[i] = u[i] ? c[i] * u[i][l->v + k] : 0.0;
        v3 j0 = v3_scale(d[0], x.J), j1 = v3_axpy(d[1], x.J, v3_scale(d[0], x.J1));
        v3 j2 = v3_axpy(d[2], x.J, v3_scale(d[0], x.J2));
        y.theta = v3_axpy(x.turns, j0, y.theta);
        y.w = v3_axpy(x.turns, j1, y.w);
        y.alpha = v3_axpy(x.turns, v3_axpy(d[1], x.E, j2), y.alpha);
        y.s = v3_axpy(x.slides, j0, y.s);
        y.v = v3_axpy(x.slides, j1, y.v);
        y.a = v3_axpy(x.slides, v3_axpy(2.0 * d[1], x.J1, j2), y.a);
    }
    return y;
}

// Which numbers of motions and forces can be other than zero: derivatives from `first` on, and, in the plane, a rotation
// about z and displacements along x and y.
typedef struct span {
    int first, from, to; // of six
} span;

static span span_of(const flx_tree *t, const double *const u[3])
{
    bool planar = t->t.k.planar;
    int first = 0;
    while (first < 3 && !u[first]) first++;
    return (span){first, planar ? 2 : 0, planar ? 5 : 6};
}

static inline void list_motion(const flx_link_tangent *y, span n, double out[FLX_TREE_MOTION])
{
    const v3 *const parts[6] = {&y->theta, &y->s, &y->w, &y->v, &y->alpha, &y->a};
    for (int i = 2 * n.first; i < 6; i++) v3_store(out + 3 * i, *parts[i]);
}

// out (6) += Phi y
static void add_forces(const flx_blocks *extra, size_t at, const double *motion, span n,
                       double *out)
{
    const double *const A[3] = {extra->A0 + at, extra->A1 + at, extra->A2 + at};
    for (int d = n.first; d < 3; d++) {
        for (int c = n.from; c < n.to; c++) {
            for (int k = n.from; k < n.to; k++) out[k] += A[d][6 * c + k] * motion[6 * d + c];
        }
    }
}

// Forces inwards, with those that act already turned.
static void collect_forces(const flx_tree *t, const flx_blocks *extra, const flx_link_tangent *y,
                           double *F, double *out)
{
    for (int i = t->t.k.n - 1; i >= 0; i--) {
        const flx_link *l = t->t.links + i;
        flx_geometry g = flx_geometry_of(extra, i);
        v3 n = v3_load(F + 6 * i), f = v3_load(F + 6 * i + 3), load = v3_load(g.g0 + 15);
        v3 turned_n = v3_sub(n, v3_cross(y[i].theta, v3_load(g.g0 + 12)));
        v3 turned_f = v3_sub(f, v3_cross(y[i].theta, load));
        for (int k = 0; k < flx_link_freedom(l->kind, t->t.k.planar); k++) {
            flx_axis x = flx_axis_of(l, &g, k);
            out[l->v + k] += flx_axis_force(&x, turned_n, turned_f);
        }
        if (l->parent < 0) continue;
        v3 arm = v3_cross(v3_sub(y[i].s, y[l->parent].s), load);
        n = v3_add(n, v3_add(v3_cross(v3_load(g.g0 + 9), f), arm));
        v3_add_to(F + 6 * l->parent, 1.0, n);
        v3_add_to(F + 6 * l->parent + 3, 1.0, f);
    }
}

// Columns of variables: forces on links into F, rows of other unknowns.
static void add_variables(const flx_tree *t, const flx_blocks *b, const flx_blocks *extra,
                          const double c[3], const double *const u[3], double *F, double *out)
{
    const flx_pattern *p = &t->base.pattern;
    const flx_tree_fronts *f = &t->fronts;
    const double *const A[3] = {b->A0, b->A1, b->A2}, *const X[3] = {extra->A0, extra->A1,
                                                                     extra->A2};
    int first = flx_tree_first_other(t), n = t->t.k.n;
    for (int k = 0; k < f->ncol && t->nvariable > 0; k++) {
        int j = f->columns[k].with;
        for (int i = 0; i < 3 && j < t->nvariable; i++) {
            if (!u[i]) continue;
            for (int r = 0; r < 6; r++) {
                F[6 * f->columns[k].link + r] +=
                    c[i] * u[i][first + j] * X[i][f->columns[k].at + (size_t)r];
            }
        }
    }
    for (int bi = n; bi < p->nblock && t->nvariable > 0; bi++) {
        for (int e = p->row[bi]; e < p->row[bi + 1] && p->start[p->col[e]] < t->base.dims.nv; e++) {
            if (p->col[e] < n) continue;
            int j0 = p->start[p->col[e]], j1 = p->start[p->col[e] + 1], at = p->offset[e];
            for (int r = p->start[bi]; r < p->start[bi + 1]; r++) {
                for (int j = j0; j < j1; j++, at++) {
                    for (int i = 0; i < 3; i++) out[r] += u[i] ? c[i] * A[i][at] * u[i][j] : 0.0;
                }
            }
        }
    }
}

void flx_tree_product(const flx_system *s, flx_work *work, const flx_blocks *b, const double c[3],
                      const double *const u[3], double *out)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    const flx_tree_fronts *f = &t->fronts;
    flx_blocks extra = flx_tree_extra(t, b);
    const span n = span_of(t, u);
    flx_link_tangent *y = w->tangents.links + 1;
    double *F = w->tangents.composite, motion[FLX_TREE_MOTION];
    memset(y - 1, 0, sizeof *y);
    memset(F, 0, 6 * (size_t)f->n * sizeof *F);
    for (int i = 0; i < f->n; i++) {
        const flx_link *l = t->t.links + i;
        flx_geometry g = flx_geometry_of(&extra, i);
        y[i] = move_link(t, l, &g, y + l->parent, c, u);
        list_motion(y + i, n, motion);
        add_forces(&extra, f->links + 36 * (size_t)i, motion, n, F + 6 * i);
    }
    int listed = f->n > 0 ? f->n - 1 : -2; // the link whose motion that is
    for (int k = 0; k < f->npair; k++) {
        if (f->pairs[k].with != listed) list_motion(y + f->pairs[k].with, n, motion);
        listed = f->pairs[k].with;
        add_forces(&extra, f->pairs[k].at, motion, n, F + 6 * f->pairs[k].link);
    }
    add_variables(t, b, &extra, c, u, F, out);
    collect_forces(t, &extra, y, F, out);
    for (int k = 0; k < f->nrow; k++) { // rows of other unknowns
        const double *const A[3] = {extra.A0 + f->rows[k].at, extra.A1 + f->rows[k].at,
                                    extra.A2 + f->rows[k].at};
        if (f->rows[k].link != listed) list_motion(y + f->rows[k].link, n, motion);
        listed = f->rows[k].link;
        for (int d = n.first; d < 3; d++) {
            for (int m = n.from; m < n.to; m++)
                out[flx_tree_first_other(t) + f->rows[k].with] += A[d][m] * motion[6 * d + m];
        }
    }
}
