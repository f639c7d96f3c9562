// tree_border.inc.h - the border of tree_factor.c for one type of number: what closures and other unknowns leave when all
// links are out, full or sparse. Included with the macros of tree_factor.inc.h and
//     FACTOR_SPARSE(lu, A), SOLVE_SPARSE(lu, b)    the sparse solver for this type

// Rows of positions and of rates may have weights that are powers apart, where columns have one: such a
// row is scaled apart from its column, or rounding of it is the largest number of another's column. A
// power of two, and one where they are alike.
static double TREE(lean_of)(double ratio)
{
    const double alike = 0x1p16;
    if (ratio < alike && ratio > 1.0 / alike) return 1.0;
    return ldexp(1.0, (int)lrint(0.5 * log2(ratio)));
}

// What a closure would do to free bodies, for its size: a row that vanishes on the joints is a singular
// position, though nothing cancels there. By displacements where it has any.
static void TREE(measure)(const flx_tree *t, const flx_blocks *extra, const NUMBER c[3],
                          double *natural, double *lean)
{
    const flx_tree_fronts *f = &t->fronts;
    const double *const X[3] = {extra->A0, extra->A1, extra->A2};
    memset(natural, 0, (size_t)f->nother * sizeof *natural);
    for (int i = 0; i < f->nother; i++) lean[i] = 1.0;
    for (int e = 0; e < f->nrow; e++) { // rows and columns are of the same pairs
        const flx_tree_pair *p = f->rows + e;
        const double *col = X[0] + f->columns[e].at;
        for (int part = 3; part >= 0; part -= 3) {
            double by_row = 0.0, by_col = 0.0, inertia = 0.0;
            for (int i = part; i < part + 3; i++) {
                NUMBER row = 0.0, own = 0.0;
                for (int k = 0; k < 3; k++) {
                    row += c[k] * X[k][p->at + (size_t)i];
                    own += c[k] * X[k][f->links + 36 * (size_t)p->link + (size_t)(7 * i)];
                }
                by_row += SIZE(row) * SIZE(row);
                by_col += SIZE(c[0]) * SIZE(c[0]) * col[i] * col[i];
                inertia += SIZE(own) / 3.0;
            }
            if (!(by_row * by_col > 0.0) || !(inertia > 0.0)) continue;
            natural[p->with] += sqrt(by_row * by_col) / inertia;
            lean[p->with] = TREE(lean_of)(sqrt(by_row / by_col));
            break;
        }
    }
}

// ---- the border ---------------------------------------------------------------------------------

// Where the number at (i, j), or on the diagonal, is.
static size_t TREE(place)(const flx_tree_fronts *f, int i, int j)
{
    if (f->border.sparse) return (size_t)flx_pattern_find(&f->border.pattern, i, j);
    return (size_t)j * (size_t)f->nborder + (size_t)i;
}
static size_t TREE(diagonal)(const flx_tree_fronts *f, int i)
{
    return TREE(place)(f, i, i);
}

// The rest of a front whose link is the last of its part.
static void TREE(hand_to_border)(const flx_tree_fronts *f, const flx_front *x, const NUMBER *A,
                                 NUMBER *border)
{
    const int *place = f->border.places + f->border.first_place[x - f->fronts];
    A += (size_t)(FLX_TREE_MOTION * x->slots) * (size_t)x->rows + 6 * x->slots;
    for (int c = 0; c < x->nother; c++, A += x->rows) {
        for (int r = 0; r < x->nother; r++) border[*place++] += A[r];
    }
}

// Entries between other unknowns: in the border, or in the front that takes one of them out first. The
// sizes of the diagonal are kept.
static void TREE(fill_others)(const flx_tree *t, const flx_blocks *b, const NUMBER c[3], NUMBER cx,
                              factors *x)
{
    const flx_pattern *p = &t->base.pattern;
    const flx_tree_fronts *f = &t->fronts;
    size_t m = (size_t)f->nborder,
           size = f->border.sparse ? flx_pattern_size(&f->border.pattern) : m * m;
    int n = t->t.k.n, first = flx_tree_first_other(t);
    NUMBER *border = x->border, *matrices = x->matrices;
    memset(border, 0, size * sizeof *border);
    memset(x->row, 0, (size_t)f->nother * sizeof *x->row);
    for (int bi = n; bi < p->nblock; bi++) {
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            if (p->col[e] < n) continue;
            int j0 = p->start[p->col[e]], j1 = p->start[p->col[e] + 1], at = p->offset[e];
            for (int i = p->start[bi]; i < p->start[bi + 1]; i++) {
                for (int j = j0; j < j1; j++, at++) {
                    NUMBER c1 = j < t->base.dims.nv ? c[1] : cx; // those of constraints are zeros
                    NUMBER value = c[0] * b->A0[at] + c1 * b->A1[at] + c[2] * b->A2[at];
                    int r = i - first, k = j - first;
                    if (i == j) x->row[r] = SIZE(value);
                    if (f->taken[r] < 0 && f->taken[k] < 0) {
                        border[TREE(place)(f, f->in_border[r], f->in_border[k])] = value;
                        continue;
                    }
                    const flx_front *y =
                        f->fronts + (f->taken[r] > f->taken[k] ? f->taken[r] : f->taken[k]);
                    int row = 6 * y->slots + flx_front_other(y, r);
                    int col = FLX_TREE_MOTION * y->slots + flx_front_other(y, k);
                    matrices[y->matrix + (size_t)col * (size_t)y->rows + (size_t)row] += value;
                }
            }
        }
    }
}

static void TREE(leave_out)(const flx_tree *t, const signed char *left_out, NUMBER *border,
                            double *terms)
{
    const flx_tree_fronts *f = &t->fronts;
    int m = f->nborder, first = flx_tree_first_other(t);
    for (int k = 0; k < m && left_out; k++) {
        int other = f->border_other[k];
        if (!left_out[first + other]) continue;
        terms[other] = 1.0;
        const flx_pattern *p = &t->fronts.border.pattern;
        for (int e = p->nblock > 0 ? p->row[k] : 0; p->nblock > 0 && e < p->row[k + 1]; e++) {
            border[e] = border[p->transpose[e]] = p->col[e] == k ? 1.0 : 0.0;
        }
        if (p->nblock > 0) continue;
        for (int i = 0; i < m; i++) border[k * m + i] = border[i * m + k] = i == k ? 1.0 : 0.0;
    }
}

// Rows and columns of one size, as their diagonal was before terms cancelled; natural sizes become multiples of that.
static void TREE(scale_border)(const flx_tree *t, factors *x)
{
    int m = t->fronts.nborder;
    const flx_pattern *p = &t->fronts.border.pattern;
    NUMBER *A = x->border;
    for (int i = 0; i < m; i++) { // of those in the border, from here on
        int other = t->fronts.border_other[i];
        double own = x->row[other], natural = x->natural[other];
        x->natural[i] = own > 0.0 && natural > own ? sqrt(natural / own) : 1.0;
        x->row[i] = x->col[i] = own > 0.0 ? 1.0 / sqrt(own) : 1.0;
        x->row[i] /= x->lean[other];
        x->col[i] *= x->lean[other];
    }
    for (int i = 0; i < p->nblock; i++) {
        for (int e = p->row[i]; e < p->row[i + 1]; e++) A[e] = x->row[i] * A[e] * x->col[p->col[e]];
    }
    for (int j = 0; j < m && p->nblock == 0; j++) {
        for (int i = 0; i < m; i++) A[j * m + i] = x->row[i] * A[j * m + i] * x->col[j];
    }
}

// Pivots are those of the sparse solver, so rows that vanish are told by their own sizes.
static bool TREE(factor_sparse)(const flx_tree *t, factors *x)
{
    int m = t->fronts.nborder;
    NUMBER *A = x->border;
    for (int i = 0; i < m; i++) {
        double terms = x->natural[i] * x->natural[i], ratio = 1.0 / terms;
        if (ratio < x->met.ratio) {
            x->met.ratio = ratio;
            x->met.worst = flx_tree_first_other(t) + t->fronts.border_other[i];
        }
        if (ratio > ROUNDING) continue;
        A[TREE(diagonal)(&t->fronts, i)] -= REGULARISATION * terms;
        x->met.moved++;
    }
    if (FACTOR_SPARSE(x->lu, A) != FLX_OK) return false;
    x->met.ratio = fmin(x->met.ratio, flx_lu_rcond(x->lu));
    return true;
}

// LU with partial pivoting; column-major.
static bool TREE(factor_border)(const flx_tree *t, factors *x)
{
    int m = t->fronts.nborder, *pivot = x->pivot, constraints = t->fronts.nother - flx_tree_rows(t);
    NUMBER *A = x->border;
    TREE(scale_border)(t, x);
    if (t->fronts.border.sparse) return TREE(factor_sparse)(t, x);
    double *size_of = x->natural, *col_size = x->natural + m;
    memcpy(col_size, size_of, (size_t)m * sizeof *col_size);
    for (int j = 0; j < m; j++) {
        int best = j;
        for (int i = j + 1; i < m; i++) {
            if (SIZE(A[j * m + i]) > SIZE(A[j * m + best])) best = i;
        }
        double terms = size_of[best] * col_size[j], ratio = SIZE(A[j * m + best]) / terms;
        bool moved = !(ratio > ROUNDING);
        pivot[j] = best;
        double swapped = size_of[best];
        size_of[best] = size_of[j];
        size_of[j] = swapped;
        if (ratio < x->met.ratio) {
            x->met.ratio = ratio;
            x->met.worst = flx_tree_first_other(t) + t->fronts.border_other[j];
        }
        for (int k = 0; k < m && best != j; k++) {
            NUMBER a = A[k * m + j];
            A[k * m + j] = A[k * m + best];
            A[k * m + best] = a;
        }
        if (moved) {
            A[j * m + j] =
                (t->fronts.border_other[j] < constraints ? REGULARISATION : -REGULARISATION) *
                terms;
            x->met.moved++;
        }
        NUMBER over = 1.0 / A[j * m + j];
        for (int i = j + 1; i < m; i++) A[j * m + i] = TIMES(A[j * m + i], over);
        for (int k = j + 1; k < m; k++) {
            NUMBER a = A[k * m + j];
            for (int i = j + 1; i < m; i++) A[k * m + i] -= TIMES(a, A[j * m + i]);
        }
    }
    return true;
}

static void TREE(solve_full)(int m, const NUMBER *A, const int *pivot, NUMBER *b)
{
    for (int j = 0; j < m; j++) {
        NUMBER a = b[pivot[j]];
        b[pivot[j]] = b[j];
        b[j] = a;
    }
    for (int j = 0; j < m; j++) {
        for (int i = j + 1; i < m; i++) b[i] -= TIMES(b[j], A[j * m + i]);
    }
    for (int j = m - 1; j >= 0; j--) {
        b[j] = TIMES(b[j], 1.0 / A[j * m + j]);
        for (int i = 0; i < j; i++) b[i] -= TIMES(b[j], A[j * m + i]);
    }
}

static void TREE(solve_border)(const flx_tree *t, const factors *x, NUMBER *rest)
{
    int m = t->fronts.nborder;
    const int *other = t->fronts.border_other;
    NUMBER *b = x->rest;
    for (int i = 0; i < m; i++) b[i] = x->row[i] * rest[other[i]];
    if (t->fronts.border.sparse) SOLVE_SPARSE(x->lu, b);
    if (!t->fronts.border.sparse) TREE(solve_full)(m, x->border, x->pivot, b);
    for (int i = 0; i < m; i++) rest[other[i]] = x->col[i] * b[i];
}
