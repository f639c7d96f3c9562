// tree_sparse.c - the tangent of the tree link by link, linear in their number: what (TRN-1) needs.
//
// With x = (theta, s) the rotation of a link and the displacement of its origin along an increment,
// and x', x'' their rates as the motion goes on, a body at c moves by
//     s + theta x c,  its velocity by  s' + theta' x c + theta x c',
//     its acceleration by  s'' + theta'' x c + 2 theta' x c' + theta x c''              (TRN-2)
// in its own axes R its rates of rotation change by R^T theta' and R^T (theta'' + theta' x w): the
// variation of a velocity is the rate of a variation. That turns the entries of the descriptor into
// those of links; what acts already turns with the link.
#include "math/pattern.h"
#include "system/tree_parts.h"

// ---- one link -----------------------------------------------------------------------------------

static void store_link(const flx_tree *t, int i, const flx_link_frame *f, const double *v,
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

// ---- bodies -------------------------------------------------------------------------------------

// A body in the ground's axes.
typedef struct body_frame {
    bool planar, turns;
    m33 R;
    v3 c, dc, ddc; // from the link's origin, and its rates
    v3 w;
} body_frame;

static body_frame frame_of(const flx_tree *t, const flx_link_frame *f, int body)
{
    const flx_mount *m = t->t.mounts + body;
    const flx_link_frame *l = f + m->link;
    body_frame b = {.planar = t->t.k.planar,
                    .turns = t->model->bodies[body].type == FLX_BODY_RIGID,
                    .c = m33_mul_v(l->R, m->p),
                    .w = l->w};
    if (!b.planar && b.turns) b.R = m33_mul(l->R, m->R);
    b.dc = v3_cross(l->w, b.c);
    b.ddc = v3_add(v3_cross(l->alpha, b.c), v3_cross(l->w, b.dc));
    return b;
}

// What one row of numbers along a body's coordinates says, in the ground's axes.
static void load_row(const body_frame *b, const double *row, v3 *along, v3 *about)
{
    *along = v3_make(row[0], row[1], b->planar ? 0.0 : row[2]);
    *about = v3_make(0, 0, 0);
    if (!b->turns) return;
    if (b->planar) {
        about->z = row[2];
    } else {
        *about = m33_mul_v(b->R, v3_load(row + 3));
    }
}

typedef struct rates { // of one row along theta, s and their rates
    v3 theta[3], s[3];
} rates;

// (TRN-2); NULL: these are zero.
static rates rates_of(const body_frame *b, const double *a0, const double *a1, const double *a2)
{
    v3 none = v3_make(0, 0, 0), x, n;
    rates r = {{none, none, none}, {none, none, none}};
    if (a0) {
        load_row(b, a0, &x, &n);
        r.s[0] = x;
        r.theta[0] = v3_add(v3_cross(b->c, x), n);
    }
    if (a1) {
        load_row(b, a1, &x, &n);
        r.s[1] = x;
        r.theta[1] = v3_add(v3_cross(b->c, x), n);
        r.theta[0] = v3_add(r.theta[0], v3_cross(b->dc, x));
    }
    if (a2) {
        load_row(b, a2, &x, &n);
        r.s[2] = x;
        r.theta[2] = v3_add(v3_cross(b->c, x), n);
        r.theta[1] = v3_add(r.theta[1], v3_axpy(2.0, v3_cross(b->dc, x), v3_cross(b->w, n)));
        r.theta[0] = v3_add(r.theta[0], v3_cross(b->ddc, x));
    }
    return r;
}

static int body_rows(const body_frame *b)
{
    return (b->planar ? 2 : 3) + (b->turns ? (b->planar ? 1 : 3) : 0);
}

// Which coordinates of a body: displacements or rotations, `first` and their number in a block, and
// which axis of the ground the first one has.
typedef struct body_part {
    int first, n, axis;
} body_part;

static body_part part_of(const body_frame *b, bool rotation)
{
    if (b->planar) return rotation ? (body_part){2, 1, 2} : (body_part){0, 2, 0};
    return rotation ? (body_part){3, 3, 0} : (body_part){0, 3, 0};
}

// A part of a block of this width; false: it is zero.
static bool take_part(const double *A, int width, body_part row, body_part col, m33 *B)
{
    bool any = false;
    if (row.n == 3 && col.n == 3) {
        const double *p = A + row.first * width + col.first;
        for (int i = 0; i < 9; i++) {
            B->m[i] = p[i / 3 * width + i % 3];
            any |= B->m[i] != 0.0;
        }
        return any;
    }
    *B = m33_zero();
    for (int i = 0; i < row.n; i++) {
        for (int j = 0; j < col.n; j++) {
            double a = A[(row.first + i) * width + col.first + j];
            B->m[3 * (row.axis + i) + col.axis + j] = a;
            any |= a != 0.0;
        }
    }
    return any;
}

// Three columns of a panel from `out` on: rows of moments from `row` on.
static void add_part(double *out, int row, const m33 *B)
{
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) out[6 * j + row + i] += B->m[3 * i + j];
    }
}

// What B, forces or moments on a body, does to its link, in three columns.
static void add_forces_of(const body_frame *row, bool moments, m33 B, double *out)
{
    if (moments) {
        add_part(out, 0, &B);
        return;
    }
    m33 N = m33_mul(m33_skew(row->c), B);
    add_part(out, 0, &N);
    add_part(out, 3, &B);
}

// - size B a~: the row g of B along a displacement theta x a
static m33 turn_columns(m33 B, v3 a, double size)
{
    return m33_mul(B, m33_skew(v3_scale(-size, a)));
}

// Moments and forces of a mass along a displacement theta x a, in the three columns of theta:
//     forces - m a~,   moments - m c~ a~ = - m (a c^T - (a.c) 1)
static void add_mass_column(double m, v3 c, v3 a, double *out)
{
    double ac = m * v3_dot(a, c);
    v3 ma = v3_scale(-m, a);
    out[0] += ma.x * c.x + ac;
    out[1] += ma.y * c.x;
    out[2] += ma.z * c.x;
    out[4] += ma.z;
    out[5] -= ma.y;
    out[6] += ma.x * c.y;
    out[7] += ma.y * c.y + ac;
    out[8] += ma.z * c.y;
    out[9] -= ma.z;
    out[11] += ma.x;
    out[12] += ma.x * c.z;
    out[13] += ma.y * c.z;
    out[14] += ma.z * c.z + ac;
    out[15] += ma.y;
    out[16] -= ma.x;
}

// The mass of a body in space, of which there is most: what add_block does for m 1.
static void add_mass(const body_frame *b, double m, double *const out[3])
{
    double *s = out[2] + 18;
    v3 mc = v3_scale(m, b->c);
    s[1] += mc.z; // moments m c~ in the columns of s
    s[2] -= mc.y;
    s[6] -= mc.z;
    s[8] += mc.x;
    s[12] += mc.y;
    s[13] -= mc.x;
    s[3] += m;
    s[10] += m;
    s[17] += m;
    add_mass_column(m, b->c, b->c, out[2]);
    add_mass_column(2.0 * m, b->c, b->dc, out[1]);
    add_mass_column(m, b->c, b->ddc, out[0]);
}

static bool is_mass(const m33 *B)
{
    const double *m = B->m;
    return m[0] == m[4] && m[0] == m[8] && m[1] == 0.0 && m[2] == 0.0 && m[3] == 0.0 &&
           m[5] == 0.0 && m[6] == 0.0 && m[7] == 0.0;
}

// One part of the entry of two bodies at the level of x, x' or x'' (TRN-2).
static void add_block(const body_frame *row, const body_frame *col, bool moments, bool rotation,
                      int level, m33 B, double *const out[3])
{
    if (moments && !row->planar) B = m33_mul(row->R, B);
    if (rotation) {
        if (!col->planar) B = m33_mul_t(B, col->R);
        add_forces_of(row, moments, B, out[level]);
        if (level == 2) add_forces_of(row, moments, turn_columns(B, col->w, 1.0), out[1]);
        return;
    }
    add_forces_of(row, moments, B, out[level] + 18);
    add_forces_of(row, moments, turn_columns(B, col->c, 1.0), out[level]);
    if (level == 0) return;
    add_forces_of(row, moments, turn_columns(B, col->dc, level), out[level - 1]);
    if (level == 2) add_forces_of(row, moments, turn_columns(B, col->ddc, 1.0), out[0]);
}

// Forces on one body along another: moment and force on its link.
static void add_links(const body_frame *row, const body_frame *col, const double *const A[3],
                      double *const out[3])
{
    int width = body_rows(col);
    for (int k = 0; k < 3; k++) {
        for (int p = 0; p < 4 && A[k]; p++) {
            bool moments = p / 2, rotation = p % 2;
            m33 B;
            if ((moments && !row->turns) || (rotation && !col->turns)) continue;
            if (!take_part(A[k], width, part_of(row, moments), part_of(col, rotation), &B))
                continue;
            if (k == 2 && p == 0 && row == col && !row->planar && is_mass(&B)) {
                add_mass(row, B.m[0], out);
            } else {
                add_block(row, col, moments, rotation, k, B, out);
            }
        }
    }
}

// (theta x a) x F = a (theta . F) - theta (a . F)
static m33 turned_arm(v3 a, v3 F)
{
    return m33_sub(m33_outer(a, F), m33_scale(v3_dot(a, F), m33_identity()));
}

// What acts on a body turns with its link: moment along theta.
static void add_turned(const body_frame *b, const double *force, double *out)
{
    v3 F, N;
    load_row(b, force, &F, &N);
    m33 A = turned_arm(b->c, F);
    if (!b->planar) A = m33_sub(A, m33_skew(N));
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) out[6 * j + i] += A.m[3 * i + j];
    }
}

// Columns of other unknowns: what they do to a link.
static void add_column(const body_frame *b, int n, int stride, const double *A, double *out)
{
    double force[6];
    v3 F, N;
    for (int k = 0; k < n; k++, out += 6) {
        for (int i = 0; i < body_rows(b); i++) force[i] = A[i * stride + k];
        load_row(b, force, &F, &N);
        v3_add_to(out, 1.0, v3_add(v3_cross(b->c, F), N));
        v3_add_to(out + 3, 1.0, F);
    }
}

static void add_row(const body_frame *b, const double *const A[3], double *const out[3])
{
    rates r = rates_of(b, A[0], A[1], A[2]);
    for (int k = 0; k < 3; k++) {
        v3_add_to(out[k], 1.0, r.theta[k]);
        v3_add_to(out[k] + 3, 1.0, r.s[k]);
    }
}

// force: on the bodies, as it is.
static void add_entry(const flx_tree *t, const flx_link_frame *f, int e, const flx_blocks *inner,
                      const double *force, const flx_blocks *extra)
{
    enum { HAS_A0 = 1, HAS_A1 = 2, HAS_A2 = 4 }; // flx_pattern.parts
    const flx_pattern *p = &t->inner->pattern;
    const flx_panel *x = t->fronts.panels + e;
    int parts = p->parts ? p->parts[e] : HAS_A0 | HAS_A1 | HAS_A2, at = p->offset[e];
    const double *A[3] = {parts & HAS_A0 ? inner->A0 + at : NULL,
                          parts & HAS_A1 ? inner->A1 + at : NULL,
                          parts & HAS_A2 ? inner->A2 + at : NULL};
    double *out[3] = {extra->A0 + x->at, extra->A1 + x->at, extra->A2 + x->at};
    if (x->kind == FLX_PANEL_NONE || parts == 0) return;
    if (x->kind == FLX_PANEL_LINKS) {
        body_frame row = frame_of(t, f, x->row),
                   col = x->row == x->col ? row : frame_of(t, f, x->col);
        add_links(&row, x->row == x->col ? &row : &col, A, out);
        if (x->row == x->col) add_turned(&row, force + t->places.v[x->row], out[0]);
        return;
    }
    body_frame b = frame_of(t, f, x->kind == FLX_PANEL_ROW ? x->col : x->row);
    int width = body_rows(&b), size = (p->offset[e + 1] - at) / width;
    if (x->kind == FLX_PANEL_COLUMN) {
        for (int k = 0; k < 3; k++) {
            if (A[k]) add_column(&b, size, size, A[k], out[k]);
        }
        return;
    }
    for (int i = 0; i < size; i++) {
        add_row(&b, A, out);
        for (int k = 0; k < 3; k++) {
            if (A[k]) A[k] += width;
            out[k] += 6;
        }
    }
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

// Entry of a link and a block of other unknowns, in the row of these or in that of the link.
static int entry_of(const flx_tree *t, int link, int block, bool row)
{
    const flx_pattern *p = &t->base.pattern;
    int other = t->t.k.n + block;
    return row ? flx_pattern_find(p, other, link) : flx_pattern_find(p, link, other);
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
        if (l->parent < 0) continue;
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
        int e = entry_of(t, i, block, false);
        for (int k = 0; k < flx_link_freedom(l->kind, t->t.k.planar); k++) {
            flx_axis a = flx_axis_of(l, &g, k);
            A[p->offset[e] + k * width + in] = flx_axis_force(&a, N, F);
        }
        if (l->parent < 0) continue;
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
    for (int e = 0; e < in->row[in->nblock]; e++) add_entry(t, base, e, inner, w->r, &extra);
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
