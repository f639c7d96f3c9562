// tree_factor.inc.h - the numeric part of tree_factor.c for one type of number. Included with
//     NUMBER         double or double complex
//     TREE(name)     the name with a suffix of its own
//     TIMES(a, b)    product of two numbers
//     SIZE(a)        absolute value
//
// The matrix of a front lies column by column: rows are moment and force of its link, then of each
// partner, then one for each other unknown; columns y of its link, of each partner, others. An unknown
// that is taken out itself has the last row and column.

// A column of B (TRN-3).
static ALWAYS_INLINE void TREE(join)(const flx_axis *a, const NUMBER c[3], NUMBER *B)
{
    for (int part = 0; part < 2; part++) { // rotation, displacement
        double size = part == 0 ? a->turns : a->slides, J[3], J1[3], J2[3], E[3];
        v3_store(J, v3_scale(size, a->J));
        v3_store(J1, v3_scale(size, a->J1));
        v3_store(J2, v3_scale(size, a->J2));
        v3_store(E, part == 0 ? v3_scale(size, a->E) : v3_scale(2.0 * size, a->J1));
        for (int i = 0; i < 3; i++) {
            B[3 * part + i] = c[0] * J[i];
            B[6 + 3 * part + i] = c[1] * J[i] + c[0] * J1[i];
            B[12 + 3 * part + i] = c[2] * J[i] + c[1] * E[i] + c[0] * J2[i];
        }
    }
}

// D (n x n) is inverted in place; false: it is singular.
static bool TREE(invert)(int n, NUMBER *D)
{
    NUMBER A[9], X[9];
    memcpy(A, D, (size_t)(n * n) * sizeof *A);
    for (int i = 0; i < n * n; i++) X[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    for (int j = 0; j < n; j++) {
        int best = j;
        for (int i = j + 1; i < n; i++)
            best = SIZE(A[n * i + j]) > SIZE(A[n * best + j]) ? i : best;
        if (!(SIZE(A[n * best + j]) > 0.0)) return false;
        for (int k = 0; k < n && best != j; k++) {
            NUMBER a = A[n * j + k], x = X[n * j + k];
            A[n * j + k] = A[n * best + k];
            X[n * j + k] = X[n * best + k];
            A[n * best + k] = a;
            X[n * best + k] = x;
        }
        NUMBER over = 1.0 / A[n * j + j];
        for (int k = 0; k < n; k++) {
            A[n * j + k] = TIMES(over, A[n * j + k]);
            X[n * j + k] = TIMES(over, X[n * j + k]);
        }
        for (int i = 0; i < n; i++) {
            NUMBER m = A[n * i + j];
            for (int k = 0; k < n && i != j; k++) {
                A[n * i + k] -= TIMES(m, A[n * j + k]);
                X[n * i + k] -= TIMES(m, X[n * j + k]);
            }
        }
    }
    memcpy(D, X, (size_t)(n * n) * sizeof *D);
    return true;
}

// Moment and force of the link become those of its parent: moment += r x force, column by column.
static ALWAYS_INLINE void TREE(move_forces)(const double *r, int cols, int rows, NUMBER *A)
{
    for (int j = 0; j < cols; j++, A += rows) {
        A[0] += r[1] * A[5] - r[2] * A[4];
        A[1] += r[2] * A[3] - r[0] * A[5];
        A[2] += r[0] * A[4] - r[1] * A[3];
    }
}

// Columns along y of the link become those along y of its parent: those of theta, theta' and theta'' have
// r, r' and r'' times those of s, s' and s''.
static ALWAYS_INLINE void TREE(move_columns)(const flx_geometry *g, int rows, NUMBER *A)
{
    const double *r = g->g0 + 9, *u = g->g1 + 6, *w = g->g2 + 3;
    size_t n = (size_t)rows, step = 3 * n;
    NUMBER *restrict a = A, *restrict b = A + 2 * step, *restrict c = A + 4 * step;
    const NUMBER *restrict x = A + step, *restrict y = A + 3 * step, *restrict z = A + 5 * step;
    for (size_t i = 0; i < n; i++) {
        NUMBER x0 = x[i], x1 = x[n + i], x2 = x[2 * n + i], y0 = y[i], y1 = y[n + i],
               y2 = y[2 * n + i], z0 = z[i], z1 = z[n + i], z2 = z[2 * n + i];
        a[i] += r[1] * x2 - r[2] * x1 + u[1] * y2 - u[2] * y1 + w[1] * z2 - w[2] * z1;
        a[n + i] += r[2] * x0 - r[0] * x2 + u[2] * y0 - u[0] * y2 + w[2] * z0 - w[0] * z2;
        a[2 * n + i] += r[0] * x1 - r[1] * x0 + u[0] * y1 - u[1] * y0 + w[0] * z1 - w[1] * z0;
        b[i] += r[1] * y2 - r[2] * y1 + 2.0 * (u[1] * z2 - u[2] * z1);
        b[n + i] += r[2] * y0 - r[0] * y2 + 2.0 * (u[2] * z0 - u[0] * z2);
        b[2 * n + i] += r[0] * y1 - r[1] * y0 + 2.0 * (u[0] * z1 - u[1] * z0);
        c[i] += r[1] * z2 - r[2] * z1;
        c[n + i] += r[2] * z0 - r[0] * z2;
        c[2 * n + i] += r[0] * z1 - r[1] * z0;
    }
}

// What solving needs of one front.
typedef struct TREE(gains) {
    NUMBER *B;    // (freedom x 18)
    NUMBER *over; // (freedom x freedom) D^-1
    NUMBER *col;  // (freedom x rows) what the freedoms do to the rest
    NUMBER *row;  // (freedom x cols) D^-1 times what the rest does to them
} TREE(gains);

static TREE(gains) TREE(gains_of)(const flx_front *x, int freedom, NUMBER *gains)
{
    TREE(gains) g = {.B = gains + x->gain};
    g.over = g.B + FLX_TREE_MOTION * freedom;
    g.col = g.over + freedom * freedom;
    g.row = g.col + freedom * x->rows;
    return g;
}

// Row and column of one freedom (TRN-4): of the rest, along the link's own motion.
static ALWAYS_INLINE void TREE(take_row)(const flx_axis *a, const flx_geometry *geo, int rows,
                                         int cols, NUMBER c0, const NUMBER *A, const NUMBER *B,
                                         NUMBER *restrict row, NUMBER *restrict col)
{
    v3 n = v3_load(geo->g0 + 12), f = v3_load(geo->g0 + 15);
    v3 T = v3_scale(a->turns, a->J), S = v3_scale(a->slides, a->J);
    NUMBER own[6] = {0}; // of its own link, in registers
    for (int j = 0; j < FLX_TREE_MOTION; j++) {
        const NUMBER *p = A + (size_t)j * (size_t)rows;
        NUMBER b = B[j];
        row[j] = T.x * p[0] + T.y * p[1] + T.z * p[2];
        for (int i = 0; i < 6; i++) own[i] += TIMES(b, p[i]);
    }
    for (int j = FLX_TREE_MOTION; j < cols; j++) {
        const NUMBER *p = A + (size_t)j * (size_t)rows;
        row[j] = T.x * p[0] + T.y * p[1] + T.z * p[2];
    }
    for (int j = 0; j < cols && a->slides != 0.0; j++) {
        const NUMBER *p = A + (size_t)j * (size_t)rows;
        row[j] += S.x * p[3] + S.y * p[4] + S.z * p[5];
    }
    v3 arm = v3_cross(S, f), turned = v3_add(v3_cross(T, n), arm);
    row[0] += turned.x;
    row[1] += turned.y;
    row[2] += turned.z;
    memcpy(col, own, sizeof own);
    for (int i = 6; i < rows; i++) col[i] = 0.0;
    for (int j = 0; j < FLX_TREE_MOTION && rows > 6; j++) {
        const NUMBER *p = A + (size_t)j * (size_t)rows;
        NUMBER b = B[j];
        for (int i = 6; i < rows; i++) col[i] += TIMES(b, p[i]);
    }
    TREE(move_forces)(geo->g0 + 9, 1, rows, col);
    col[0] += c0 * arm.x; // a joint that slides lengthens the arm
    col[1] += c0 * arm.y;
    col[2] += c0 * arm.z;
}

// D^-1; row <- D^-1 row. False: D is singular.
static ALWAYS_INLINE bool TREE(divide)(int cols, int freedom, const TREE(gains) * g)
{
    for (int i = 0; i < freedom; i++) {
        for (int j = 0; j < freedom; j++) {
            NUMBER sum = 0.0;
            const NUMBER *row = g->row + i * cols, *B = g->B + FLX_TREE_MOTION * j;
            for (int k = 0; k < FLX_TREE_MOTION; k++) sum += TIMES(row[k], B[k]);
            g->over[freedom * i + j] = sum;
        }
    }
    if (freedom == 1) {
        if (!(SIZE(g->over[0]) > 0.0)) return false;
        g->over[0] = 1.0 / g->over[0];
    } else if (!TREE(invert)(freedom, g->over)) {
        return false;
    }
    for (int j = 0; j < cols; j++) {
        NUMBER in[3] = {0}, *row = g->row + j;
        for (int i = 0; i < freedom; i++) in[i] = row[i * cols];
        for (int i = 0; i < freedom; i++) {
            NUMBER sum = 0.0;
            for (int k = 0; k < freedom; k++) sum += TIMES(g->over[freedom * i + k], in[k]);
            row[i * cols] = sum;
        }
    }
    return true;
}

// The rest along the parent's motion, about its origin, but for forces, whose moments move with the rest.
static ALWAYS_INLINE void TREE(move_rest)(const flx_geometry *geo, int rows, NUMBER *A)
{
    TREE(move_columns)(geo, rows, A);
    const double *r = geo->g0 + 9, *f = geo->g0 + 15;
    double over = r[0] * f[0] + r[1] * f[1] + r[2] * f[2]; // (theta x r) x f
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) A[j * rows + i] += r[i] * f[j] - (i == j ? over : 0.0);
    }
}

// The same for all sizes; where these are constants, every loop unrolls.
static ALWAYS_INLINE bool TREE(take_out_sized)(const flx_link *l, const flx_geometry *geo, int rows,
                                               int cols, int freedom, bool last, const NUMBER c[3],
                                               NUMBER *A, const TREE(gains) * g)
{
    for (int k = 0; k < freedom; k++) {
        flx_axis a = flx_axis_of(l, geo, k);
        TREE(join)(&a, c, g->B + FLX_TREE_MOTION * k);
        TREE(take_row)
        (&a, geo, rows, cols, c[0], A, g->B + FLX_TREE_MOTION * k, g->row + k * cols,
         g->col + k * rows);
    }
    if (!TREE(divide)(cols, freedom, g)) return false;
    for (int k = 0; k < freedom; k++) TREE(move_columns)(geo, 1, g->row + k * cols);
    if (last) return true; // nothing is left
    TREE(move_rest)(geo, rows, A);
    const double r[3] = {geo->g0[9], geo->g0[10], geo->g0[11]};
    for (int k = 0; k < freedom; k++) {
        const NUMBER *restrict col = g->col + k * rows;
        NUMBER own[6];
        memcpy(own, col, sizeof own);
        for (int j = 0; j < cols; j++) {
            NUMBER m = g->row[k * cols + j], *restrict p = A + (size_t)j * (size_t)rows;
            if (k == 0) TREE(move_forces)(r, 1, rows, p);
            for (int i = 0; i < 6; i++) p[i] -= TIMES(m, own[i]);
            for (int i = 6; i < rows; i++) p[i] -= TIMES(m, col[i]);
        }
    }
    return true;
}

// One link out of its front: what is left is along its parent, the partners and the others. The sizes
// of the terms that the diagonal of the border is made of are added up.
static bool TREE(take_out)(const flx_tree *t, const flx_front *x, const flx_blocks *extra,
                           const NUMBER c[3], NUMBER *A, NUMBER *gains, double *terms)
{
    const flx_link *l = t->t.links + x->link;
    int freedom = flx_link_freedom(l->kind, t->t.k.planar), rows = x->rows, cols = x->cols;
    flx_geometry geo = flx_geometry_of(extra, x->link);
    TREE(gains) g = TREE(gains_of)(x, freedom, gains);
    bool last = x->next < 0 && x->nother == 0;
    if (rows == 6 && freedom == 1) {
        return TREE(take_out_sized)(l, &geo, 6, FLX_TREE_MOTION, 1, last, c, A, &g);
    }
    if (!TREE(take_out_sized)(l, &geo, rows, cols, freedom, last, c, A, &g)) return false;
    for (int k = 0; k < freedom; k++) {
        const NUMBER *col = g.col + (k + 1) * rows - x->nother;
        const NUMBER *row = g.row + (k + 1) * cols - x->nother;
        for (int j = 0; j < x->nother; j++) terms[x->other[j]] += SIZE(col[j]) * SIZE(row[j]);
    }
    return true;
}

// One other unknown out of its front: a pivot of its own. False: it is zero.
static bool TREE(take_other)(const flx_tree *t, const flx_front *x, bool left_out, NUMBER *A,
                             factors *f)
{
    int rows = x->rows - 1, cols = x->cols - 1;
    NUMBER *over = (NUMBER *)f->gains + x->gain, *col = over + 1, *row = col + rows;
    NUMBER pivot = left_out ? 1.0 : A[(size_t)cols * (size_t)x->rows + (size_t)rows];
    double terms = fmax(f->row[x->own], f->natural[x->own]);
    double ratio = terms > 0.0 ? SIZE(pivot) / terms : 0.0;
    for (int i = 0; i < rows; i++) {
        col[i] = left_out ? 0.0 : A[(size_t)cols * (size_t)x->rows + (size_t)i];
    }
    if (!left_out && ratio < f->met.ratio) {
        f->met.ratio = ratio;
        f->met.worst = flx_tree_first_other(t) + x->own;
    }
    if (!left_out && !(ratio > ROUNDING)) {
        if (!(terms > 0.0)) return false;
        pivot = -REGULARISATION * terms;
        f->met.moved++;
    }
    *over = 1.0 / pivot;
    for (int j = 0; j < cols; j++) {
        NUMBER *p = A + (size_t)j * (size_t)x->rows;
        row[j] = left_out ? 0.0 : TIMES(*over, p[rows]);
        for (int i = 0; i < rows; i++) p[i] -= TIMES(row[j], col[i]);
    }
    for (int k = 1; k <= x->nother; k++) {
        f->row[x->other[x->nother - k]] += SIZE(col[rows - k]) * SIZE(row[cols - k]);
    }
    return true;
}

// Column `from` of a front into column `to` of the next one, or of the border.
static void TREE(add_column)(const flx_front *x, int rows, const NUMBER *restrict from,
                             NUMBER *restrict to)
{
    for (int k = 0; k < x->slots; k++, from += 6) {
        if (x->place[k] < 0) continue;
        NUMBER *out = to + 6 * x->place[k];
        for (int i = 0; i < 6; i++) out[i] += from[i];
    }
    for (int k = 0; k < x->nother; k++) to[rows + x->other_place[k]] += from[k];
}

// The rest of a front into the next one, or into the border.
static void TREE(hand_on)(const flx_tree *t, const flx_front *x, const NUMBER *A, NUMBER *matrices,
                          NUMBER *border)
{
    const flx_front *next = x->next < 0 ? NULL : t->fronts.fronts + x->next;
    NUMBER *to = next ? matrices + next->matrix : border;
    if (x->rows == 6 && next && next->rows == 6) { // a chain
        for (int i = 0; i < 6 * FLX_TREE_MOTION; i++) to[i] += A[i];
        return;
    }
    int links = next ? next->slots : 0, height = next ? next->rows : t->fronts.nborder;
    for (int k = 0; k < x->slots; k++) {
        for (int j = 0; j < FLX_TREE_MOTION; j++, A += x->rows) {
            if (x->place[k] < 0) continue;
            size_t at = (size_t)(FLX_TREE_MOTION * x->place[k] + j) * (size_t)height;
            TREE(add_column)(x, 6 * links, A, to + at);
        }
    }
    for (int k = 0; k < x->nother; k++, A += x->rows) {
        size_t at = (size_t)(FLX_TREE_MOTION * links + x->other_place[k]) * (size_t)height;
        TREE(add_column)(x, 6 * links, A, to + at);
    }
}

// ---- filling ------------------------------------------------------------------------------------

// The front that takes out a link or an other unknown, whichever is first.
static const flx_front *TREE(front_of_pair)(const flx_tree_fronts *f, const flx_tree_pair *p)
{
    int link = f->front_of[p->link], other = f->taken[p->with];
    return f->fronts + (link > other ? link : other);
}

static void TREE(fill)(const flx_tree *t, const flx_blocks *extra, const NUMBER c[3], NUMBER cx,
                       NUMBER *matrices)
{
    const flx_tree_fronts *f = &t->fronts;
    const double *const X[3] = {extra->A0, extra->A1, extra->A2};
    for (int i = 0; i < f->nfront; i++) {
        const flx_front *x = f->fronts + i;
        NUMBER *A = matrices + x->matrix;
        size_t at = f->links + 36 * (size_t)x->link;
        if (x->npartner + x->nother > 0 || x->link < 0) {
            memset(A, 0, (size_t)x->rows * (size_t)x->cols * sizeof *A);
        }
        for (int k = 0; k < 3 && x->link >= 0; k++) {
            for (int j = 0; j < 6; j++, A += x->rows) {
                for (int r = 0; r < 6; r++) A[r] = X[k][at + (size_t)(6 * j + r)];
            }
        }
    }
    for (int e = 0; e < f->npair; e++) {
        const flx_tree_pair *p = f->pairs + e;
        const flx_front *x = f->fronts + f->front_of[p->link > p->with ? p->link : p->with];
        NUMBER *A = matrices + x->matrix + 6 * flx_front_slot(x, p->link);
        A += (size_t)(FLX_TREE_MOTION * flx_front_slot(x, p->with)) * (size_t)x->rows;
        for (int k = 0; k < 3; k++) {
            for (int j = 0; j < 6; j++, A += x->rows) {
                for (int r = 0; r < 6; r++) A[r] += X[k][p->at + (size_t)(6 * j + r)];
            }
        }
    }
    for (int e = 0; e < f->nrow; e++) {
        const flx_tree_pair *p = f->rows + e;
        const flx_front *x = TREE(front_of_pair)(f, p);
        NUMBER *A = matrices + x->matrix + 6 * x->slots + flx_front_other(x, p->with);
        A += (size_t)(FLX_TREE_MOTION * flx_front_slot(x, p->link)) * (size_t)x->rows;
        for (int j = 0; j < FLX_TREE_MOTION; j++) {
            A[j * x->rows] += X[j / 6][p->at + (size_t)j % 6];
        }
    }
    for (int e = 0; e < f->ncol; e++) {
        const flx_tree_pair *p = f->columns + e;
        const flx_front *x = TREE(front_of_pair)(f, p);
        int col = FLX_TREE_MOTION * x->slots + flx_front_other(x, p->with);
        NUMBER *A = matrices + x->matrix + (size_t)col * (size_t)x->rows;
        A += 6 * flx_front_slot(x, p->link);
        bool variable = p->with < t->nvariable;
        NUMBER c1 = variable ? c[1] : cx,
               c2 = variable ? c[2] : 0.0; // those of constraints are zeros
        for (int r = 0; r < 6; r++) {
            size_t at = p->at + (size_t)r;
            A[r] += c[0] * X[0][at] + c1 * X[1][at] + c2 * X[2][at];
        }
    }
}

// ---- use ----------------------------------------------------------------------------------------

static bool TREE(factor)(const flx_tree *t, const flx_blocks *b, const NUMBER c[3], NUMBER cx,
                         const signed char *left_out, factors *x)
{
    const flx_tree_fronts *f = &t->fronts;
    NUMBER *matrices = x->matrices, *border = x->border;
    flx_blocks extra = flx_tree_extra(t, b);
    x->met = (flx_pivots){.ratio = 1.0, .worst = -1};
    TREE(fill)(t, &extra, c, cx, matrices);
    TREE(fill_others)(t, b, c, cx, x);
    TREE(measure)(t, &extra, c, x->natural, x->lean);
    for (int i = f->nfront - 1; i >= 0; i--) {
        const flx_front *front = f->fronts + i;
        NUMBER *A = matrices + front->matrix;
        bool out = left_out && front->own >= 0 && left_out[flx_tree_first_other(t) + front->own];
        if (front->own >= 0 && !TREE(take_other)(t, front, out, A, x)) return false;
        if (front->link >= 0 && !TREE(take_out)(t, front, &extra, c, A, x->gains, x->row))
            return false;
        if (front->next < 0 && f->border.sparse) {
            TREE(hand_to_border)(f, front, A, border);
        } else if (front->next >= 0 || front->nother > 0) {
            TREE(hand_on)(t, front, A, matrices, border);
        }
    }
    TREE(leave_out)(t, left_out, border, x->row);
    if (!TREE(factor_border)(t, x)) return false;
    for (int i = 0; i < f->n; i++) { // what solving needs of the geometry
        flx_geometry g = flx_geometry_of(&extra, i);
        memcpy(x->g0 + FLX_TREE_GEOMETRY * i, g.g0, FLX_TREE_GEOMETRY * sizeof *g.g0);
        memcpy(x->g1 + FLX_TREE_GEOMETRY * i, g.g1, FLX_TREE_GEOMETRY * sizeof *g.g1);
        memcpy(x->g2 + FLX_TREE_GEOMETRY * i, g.g2, FLX_TREE_GEOMETRY * sizeof *g.g2);
    }
    return true;
}
