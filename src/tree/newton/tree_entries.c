// tree_entries.c - entries of the descriptor as those of links.
//
// With x = (theta, s) the rotation of a link and the displacement of its origin along an increment,
// and x', x'' their rates as the motion goes on, a body at c moves by
//     s + theta x c,  its velocity by  s' + theta' x c + theta x c',
//     its acceleration by  s'' + theta'' x c + 2 theta' x c' + theta x c''              (TRN-2)
// in its own axes R its rates of rotation change by R^T theta' and R^T (theta'' + theta' x w): the
// variation of a velocity is the rate of a variation. That turns the entries of the descriptor into
// those of links; what acts already turns with the link.
#include "tree/recursion/tree_frames.h"
#include "tree/tree_parts.h"

// A body in the ground's axes.
typedef struct body_frame {
    bool planar, turns;
    m33 R;
    v3 c, dc, ddc; // from the link's origin, and its rates
    v3 w;
} body_frame;

static INLINE body_frame frame_of(const flx_tree *t, const flx_link_frame *f, int body)
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
static INLINE void load_row(const body_frame *b, const double *row, v3 *along, v3 *about)
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
static INLINE void add_mass_column(double m, v3 c, v3 a, double *restrict out)
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

// The mass of a body in space: what add_block does for m 1.
static INLINE void add_mass(const body_frame *b, double m, double *const out[3])
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

// Bits of the numbers, all together; all but the highest are zero where the numbers are.
static INLINE uint64_t bits_of(int n, const double *A)
{
    uint64_t all = 0, bits;
    for (int i = 0; i < n; i++) {
        memcpy(&bits, A + i, sizeof bits);
        all |= bits;
    }
    return all;
}
static INLINE bool are_zero(uint64_t bits)
{
    return bits << 1 == 0;
}

// Rows of rotations along rotations, of a block of a body in space, and whether all others are m 1.
static INLINE bool take_inertia(const double *A, double m, m33 *B)
{
    uint64_t rest = bits_of(6, A + 1) | bits_of(6, A + 8) | bits_of(3, A + 15);
    for (int i = 0; i < 3; i++) {
        const double *row = A + 6 * (3 + i);
        rest |= bits_of(3, row);
        for (int j = 0; j < 3; j++) B->m[3 * i + j] = row[3 + j];
    }
    return are_zero(rest) && A[0] == m && A[7] == m && A[14] == m;
}

// The entry of a body that nothing but its inertia acts on, of which there is most: what add_links does.
// False: there is more.
static bool add_rigid(const body_frame *b, const double *const A[3], double *const out[3])
{
    m33 J, D = m33_zero();
    if (b->planar || !b->turns || !A[2]) return false;
    if (A[0] && !are_zero(bits_of(36, A[0]))) return false;
    if (!take_inertia(A[2], A[2][0], &J) || (A[1] && !take_inertia(A[1], 0.0, &D))) return false;
    v3 w = m33_tmul_v(b->R, b->w); // R^T (theta' x w) in its own axes
    for (int i = 0; i < 3; i++) v3_add_to(D.m + 3 * i, -1.0, v3_cross(m33_row(J, i), w));
    m33 J2 = m33_mul_t(m33_mul(b->R, J), b->R), J1 = m33_mul_t(m33_mul(b->R, D), b->R);
    add_part(out[2], 0, &J2);
    add_part(out[1], 0, &J1);
    add_mass(b, A[2][0], out);
    return true;
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
            add_block(row, col, moments, rotation, k, B, out);
        }
    }
}

// What acts on a body turns with its link: moment along theta.
static void add_rotated(const body_frame *b, const double *force, double *out)
{
    v3 F, N;
    load_row(b, force, &F, &N);
    double over = v3_dot(b->c, F); // (theta x c) x F = c (theta . F) - theta (c . F)
    v3_add_to(out, F.x, b->c);
    v3_add_to(out + 6, F.y, b->c);
    v3_add_to(out + 12, F.z, b->c);
    out[0] -= over;
    out[7] -= over;
    out[14] -= over;
    if (b->planar) return;
    out[1] -= N.z; // - N~ theta
    out[2] += N.y;
    out[6] += N.z;
    out[8] -= N.x;
    out[12] -= N.y;
    out[13] += N.x;
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

void flx_tree_add_entry(const flx_tree *t, const flx_link_frame *f, int e, const flx_blocks *inner,
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
        body_frame row = frame_of(t, f, x->row);
        if (x->row != x->col) {
            body_frame col = frame_of(t, f, x->col);
            add_links(&row, &col, A, out);
            return;
        }
        if (!add_rigid(&row, A, out)) add_links(&row, &row, A, out);
        add_rotated(&row, force + t->places.v[x->row], out[0]);
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
