// ldl_kernel.inc.h - the numeric part of ldl.c for one type of number. Included with
//     LDL_COMPLEX   0 or 1
//     LDL(name)     the name with a suffix of its own
// Numbers of a panel lie column by column; a column of m complex numbers is m real parts followed
// by m imaginary parts, so that a loop over rows is a loop over neighbouring doubles.
//
// All loops over rows run in lanes of 4, 2 and 1 with a constant number of columns, which the
// compiler unrolls and vectorises; every lane is a sum of its own in a fixed order, so the result
// does not depend on the width of the machine's vectors.

// Doubles in a number.
#define PARTS (1 + LDL_COMPLEX)

typedef struct LDL(number) {
    double r;
#if LDL_COMPLEX
    double i;
#endif
} LDL(number);

typedef struct LDL(lanes) {
    double r[4];
#if LDL_COMPLEX
    double i[4];
#endif
} LDL(lanes);

static ALWAYS_INLINE LDL(number) LDL(get)(const double *column, int i, int m)
{
#if LDL_COMPLEX
    return (LDL(number)){column[i], column[m + i]};
#else
    (void)m;
    return (LDL(number)){column[i]};
#endif
}
static ALWAYS_INLINE void LDL(set)(double *column, int i, int m, LDL(number) a)
{
    column[i] = a.r;
#if LDL_COMPLEX
    column[m + i] = a.i;
#else
    (void)m;
#endif
}
static ALWAYS_INLINE LDL(number) LDL(multiply)(LDL(number) a, LDL(number) b)
{
#if LDL_COMPLEX
    return (LDL(number)){a.r * b.r - a.i * b.i, a.r * b.i + a.i * b.r};
#else
    return (LDL(number)){a.r * b.r};
#endif
}
// a - b c
static ALWAYS_INLINE LDL(number) LDL(subtract)(LDL(number) a, LDL(number) b, LDL(number) c)
{
    LDL(number) p = LDL(multiply)(b, c);
    a.r -= p.r;
#if LDL_COMPLEX
    a.i -= p.i;
#endif
    return a;
}
static ALWAYS_INLINE LDL(number) LDL(invert)(LDL(number) a)
{
#if LDL_COMPLEX
    // Scaled by the larger part, so that no square overflows.
    if (fabs(a.r) >= fabs(a.i)) {
        double q = a.i / a.r, s = 1.0 / (a.r + a.i * q);
        return (LDL(number)){s, -q * s};
    }
    double q = a.r / a.i, s = 1.0 / (a.r * q + a.i);
    return (LDL(number)){q * s, -s};
#else
    return (LDL(number)){1.0 / a.r};
#endif
}
static ALWAYS_INLINE double LDL(size)(LDL(number) a)
{
#if LDL_COMPLEX
    return hypot(a.r, a.i);
#else
    return fabs(a.r);
#endif
}

static ALWAYS_INLINE void LDL(load_lanes)(int lanes, LDL(lanes) * x, const double *column, int m)
{
    for (int l = 0; l < lanes; l++) x->r[l] = column[l];
#if LDL_COMPLEX
    for (int l = 0; l < lanes; l++) x->i[l] = column[m + l];
#else
    (void)m;
#endif
}
static ALWAYS_INLINE void LDL(store_lanes)(int lanes, const LDL(lanes) * x, double *column, int m)
{
    for (int l = 0; l < lanes; l++) column[l] = x->r[l];
#if LDL_COMPLEX
    for (int l = 0; l < lanes; l++) column[m + l] = x->i[l];
#else
    (void)m;
#endif
}
// x -= a w
static ALWAYS_INLINE void LDL(subtract_lanes)(int lanes, LDL(lanes) * x, const LDL(lanes) * a,
                                              LDL(number) w)
{
#if LDL_COMPLEX
    for (int l = 0; l < lanes; l++) {
        x->r[l] -= a->r[l] * w.r - a->i[l] * w.i;
        x->i[l] -= a->r[l] * w.i + a->i[l] * w.r;
    }
#else
    for (int l = 0; l < lanes; l++) x->r[l] -= a->r[l] * w.r;
#endif
}
static ALWAYS_INLINE void LDL(scale_lanes)(int lanes, LDL(lanes) * x, LDL(number) w)
{
#if LDL_COMPLEX
    for (int l = 0; l < lanes; l++) {
        double r = x->r[l] * w.r - x->i[l] * w.i;
        x->i[l] = x->r[l] * w.i + x->i[l] * w.r;
        x->r[l] = r;
    }
#else
    for (int l = 0; l < lanes; l++) x->r[l] *= w.r;
#endif
}

// ---- C -= A W^T --------------------------------------------------------------------------------

// Rows of A (leading dimension ma, n columns) times rows of W (w[j*n + k]), subtracted from C.
static ALWAYS_INLINE void LDL(product_lanes)(int lanes, int n, double *restrict c, int mc,
                                             int columns, const double *restrict a, int ma,
                                             const LDL(number) *restrict w)
{
    LDL(lanes) x[MAX_WIDTH], s;
    for (int k = 0; k < n; k++) LDL(load_lanes)(lanes, &x[k], a + PARTS * k * ma, ma);
    for (int j = 0; j < columns; j++) {
        LDL(load_lanes)(lanes, &s, c + PARTS * j * mc, mc);
        for (int k = 0; k < n; k++) LDL(subtract_lanes)(lanes, &s, &x[k], w[j * n + k]);
        LDL(store_lanes)(lanes, &s, c + PARTS * j * mc, mc);
    }
}

// With `lower` the first row is on the diagonal and what lies far above it is left out. (What lies
// just above it is written without harm: nobody reads it.)
static ALWAYS_INLINE void LDL(product_n)(int n, double *restrict c, int mc, int rows, int columns,
                                         const double *restrict a, int ma,
                                         const LDL(number) *restrict w, bool lower)
{
    int i = 0;
    for (; i + 4 <= rows; i += 4) {
        int last = lower && i + 4 < columns ? i + 4 : columns;
        LDL(product_lanes)(4, n, c + i, mc, last, a + i, ma, w);
    }
    if (i + 2 <= rows) {
        int last = lower && i + 2 < columns ? i + 2 : columns;
        LDL(product_lanes)(2, n, c + i, mc, last, a + i, ma, w);
        i += 2;
    }
    if (i < rows) LDL(product_lanes)(1, n, c + i, mc, columns, a + i, ma, w);
}

static void LDL(product)(int n, double *restrict c, int mc, int rows, int columns,
                         const double *restrict a, int ma, const LDL(number) *restrict w,
                         bool lower)
{
    switch (n) {
    case 1:
        LDL(product_n)(1, c, mc, rows, columns, a, ma, w, lower);
        break;
    case 2:
        LDL(product_n)(2, c, mc, rows, columns, a, ma, w, lower);
        break;
    case 3:
        LDL(product_n)(3, c, mc, rows, columns, a, ma, w, lower);
        break;
    case 4:
        LDL(product_n)(4, c, mc, rows, columns, a, ma, w, lower);
        break;
    case 5:
        LDL(product_n)(5, c, mc, rows, columns, a, ma, w, lower);
        break;
    default:
        LDL(product_n)(6, c, mc, rows, columns, a, ma, w, lower);
        break;
    }
}

// w[j*n + k] = L[j,k] d[k]
static ALWAYS_INLINE void LDL(weigh)(int n, int rows, const double *l, int m, const LDL(number) * d,
                                     LDL(number) * w)
{
    for (int j = 0; j < rows; j++) {
        for (int k = 0; k < n; k++) {
            w[j * n + k] = LDL(multiply)(LDL(get)(l + PARTS * k * m, j, m), d[k]);
        }
    }
}

// ---- loading -----------------------------------------------------------------------------------

// The symmetric part of the values into the panel of supernode t.
static void LDL(load)(const flx_ldl *f, const supernode *t, const double *values, double *panel)
{
    int m = t->ncol + t->nrow;
    if (t->clear) memset(panel, 0, sizeof(double) * PARTS * (size_t)m * (size_t)t->ncol);
    for (int e = t->load; e < t[1].load; e++) {
        const load_entry *o = &f->load[e];
        const double *a = values + (size_t)PARTS * (size_t)o->from;
        const double *b = values + (size_t)PARTS * (size_t)o->mirror;
        int rows = o->rows, columns = o->columns;
        for (int c = 0; c < columns; c++) {
            double *to = panel + PARTS * (o->column + c) * m + o->row;
            for (int r = 0; r < rows; r++) {
                to[r] = 0.5 * (a[PARTS * (c * rows + r)] + b[PARTS * (r * columns + c)]);
#if LDL_COMPLEX
                to[m + r] = 0.5 * (a[2 * (c * rows + r) + 1] + b[2 * (r * columns + c) + 1]);
#endif
            }
        }
    }
}

// ---- updating ----------------------------------------------------------------------------------

// Subtract from the panel of t what the columns of an earlier supernode contribute.
static void LDL(update)(const flx_ldl *f, const update_entry *u, double *panel, int m)
{
    const supernode *s = &f->super[u->source];
    int ms = s->ncol + s->nrow;
    const run_entry *run = &f->run[u->run];
    LDL(number) *w = (LDL(number) *)f->weight;
    for (int k = 0; k < s->ncol; k += MAX_WIDTH) {
        int n = s->ncol - k < MAX_WIDTH ? s->ncol - k : MAX_WIDTH;
        const double *l = f->panel + PARTS * (s->panel + (long)k * ms);
        const LDL(number) *d = (const LDL(number) *)f->pivot + s->first + k;
        for (int c = 0; c < u->ncolumn_run; c++) {
            LDL(weigh)(n, run[c].length, l + run[c].from, ms, d, w);
            double *to = panel + PARTS * run[c].to * m;
            for (int r = c; r < u->nrun; r++) {
                LDL(product)
                (n, to + run[r].to, m, run[r].length, run[c].length, l + run[r].from, ms, w,
                 r == c);
            }
        }
    }
}

// ---- pivots ------------------------------------------------------------------------------------

static double LDL(value_size)(const double *values, int at)
{
#if LDL_COMPLEX
    return hypot(values[2 * at], values[2 * at + 1]);
#else
    return fabs(values[at]);
#endif
}

// 1 / the size that each pivot should have, from the matrix alone: |a_kk| for unknowns, and for bond
// rows |a_kk| + sum g_ki^2 / |a_ii|, their mobility with all bodies free. 0: not known.
static void LDL(expect)(flx_ldl *f, const double *values)
{
    const flx_pattern *p = f->pattern;
    for (int k = 0; k < f->n; k++) {
        int old = f->unknown[k], b = block_of(p, old), i = old - p->start[b];
        double sum = LDL(value_size)(values, diagonal_value(f, old));
        for (int e = p->row[b]; f->sign[k] < 0 && e < p->row[b + 1]; e++) {
            int first = p->start[p->col[e]], columns = p->start[p->col[e] + 1] - first;
            if (p->col[e] == b) continue;
            for (int j = 0; j < columns; j++) {
                double g = LDL(value_size)(values, p->offset[e] + i * columns + j);
                double a = LDL(value_size)(values, diagonal_value(f, first + j));
                if (a > 0) sum += g * g / a;
            }
        }
        f->expected[k] = sum > 0 && sum <= DBL_MAX ? 1.0 / sum : 0.0;
    }
    f->expected_known = true;
}

// Sum of the sizes of the terms that made pivot `column` of t: |a_kk| + sum l_kj^2 |d_j|.
static double LDL(terms)(const flx_ldl *f, const supernode *t, int column, const double *values)
{
    const LDL(number) *d = (const LDL(number) *)f->pivot;
    int old = f->unknown[t->first + column];
    double sum = LDL(value_size)(values, diagonal_value(f, old));
    const double *panel = f->panel + PARTS * t->panel;
    int m = t->ncol + t->nrow;
    for (int k = 0; k < column; k++) {
        double l = LDL(size)(LDL(get)(panel + PARTS * k * m, column, m));
        sum += l * l * LDL(size)(d[t->first + k]);
    }
    for (int e = t->update; e < t[1].update; e++) {
        const update_entry *u = &f->update[e];
        const supernode *s = &f->super[u->source];
        int ms = s->ncol + s->nrow;
        for (int r = 0; r < u->ncolumn_run; r++) {
            const run_entry *run = &f->run[u->run + r];
            if (column < run->to || column >= run->to + run->length) continue;
            const double *row = f->panel + PARTS * s->panel + run->from + column - run->to;
            for (int k = 0; k < s->ncol; k++) {
                double l = LDL(size)(LDL(get)(row + PARTS * k * ms, 0, ms));
                sum += l * l * LDL(size)(d[s->first + k]);
            }
        }
    }
    return sum;
}

// Largest entry of an unknown's row, for a pivot made of zeros only.
static double LDL(row_size)(const flx_ldl *f, int old, const double *values)
{
    const flx_pattern *p = f->pattern;
    int b = block_of(p, old), i = old - p->start[b];
    double largest = 0;
    for (int e = p->row[b]; e < p->row[b + 1]; e++) {
        int columns = p->start[p->col[e] + 1] - p->start[p->col[e]];
        const double *a = values + (size_t)PARTS * (size_t)(p->offset[e] + i * columns);
        for (int j = 0; j < PARTS * columns; j++) {
            if (!(fabs(a[j]) <= largest)) largest = fabs(a[j]);
        }
    }
    return largest;
}

// A pivot that looks small: compare it with the terms that made it, and move it when it is nothing
// but their rounding error. A pivot made of zeros (a direction without mass or stiffness) is moved
// too, but says nothing about singularity: the bonds that hold it come later.
static COLD LDL(number)
    LDL(judge)(flx_ldl *f, const supernode *t, int column, LDL(number) d, const double *values)
{
    int k = t->first + column, old = f->unknown[k];
    double size = LDL(size)(d), terms = LDL(terms)(f, t, column, values);
    if (!(size <= DBL_MAX) || !(terms <= DBL_MAX)) {
        f->failed = true;
        return d;
    }
    if (terms > 0) {
        f->expected[k] = 1.0 / terms;
        if (!(size / terms >= f->report.pivot_ratio)) {
            f->report.pivot_ratio = size / terms;
            f->report.worst = old;
            f->guard = fmax(f->report.pivot_ratio, SUSPICIOUS);
        }
    }
    if (size > ROUNDING * terms) return d;
    double unit = terms;
    if (!(unit > 0)) unit = f->unit ? f->unit[old] : LDL(row_size)(f, old, values);
    f->report.regularised++;
    f->failed = !(unit > 0) || !(unit <= DBL_MAX);
    return (LDL(number)){.r = f->sign[k] * REGULARISATION * unit};
}

// ---- factorisation of a panel ------------------------------------------------------------------

// Rows of the panel below a diagonal block of n columns: X L^T = A, then L = X D^-1.
static ALWAYS_INLINE void LDL(divide_lanes)(int lanes, int n, double *restrict a, int m,
                                            const LDL(number) *restrict l,
                                            const LDL(number) *restrict inverse)
{
    LDL(lanes) x[MAX_WIDTH];
    for (int k = 0; k < n; k++) LDL(load_lanes)(lanes, &x[k], a + PARTS * k * m, m);
    for (int k = 0; k < n; k++) {
        for (int j = k + 1; j < n; j++) {
            LDL(subtract_lanes)(lanes, &x[j], &x[k], l[k * MAX_WIDTH + j]);
        }
    }
    for (int k = 0; k < n; k++) {
        LDL(scale_lanes)(lanes, &x[k], inverse[k]);
        LDL(store_lanes)(lanes, &x[k], a + PARTS * k * m, m);
    }
}

// n columns of supernode t from `column` on, with `rows` rows from their diagonal down.
static ALWAYS_INLINE void LDL(eliminate_n)(int n, flx_ldl *f, const supernode *t, int column,
                                           double *restrict a, int rows, int m,
                                           const double *values)
{
    LDL(number) l[MAX_WIDTH * MAX_WIDTH], x[MAX_WIDTH], inverse[MAX_WIDTH];
    LDL(number) *pivot = (LDL(number) *)f->pivot + t->first + column;
    LDL(number) *stored = (LDL(number) *)f->inverse + t->first + column;
    const double *expected = f->expected + t->first + column;
    for (int k = 0; k < n; k++) {
        for (int j = k; j < n; j++) l[k * MAX_WIDTH + j] = LDL(get)(a + PARTS * k * m, j, m);
    }
    for (int k = 0; k < n; k++) {
        LDL(number) d = l[k * MAX_WIDTH + k];
        if (!(LDL(size)(d) * expected[k] >= f->guard)) {
            // the finished part of the row is read from the panel
            for (int j = 0; j < k; j++) LDL(set)(a + PARTS * j * m, k, m, l[j * MAX_WIDTH + k]);
            d = LDL(judge)(f, t, column + k, d, values);
        }
        pivot[k] = d;
        stored[k] = inverse[k] = LDL(invert)(d);
        for (int j = k + 1; j < n; j++) {
            x[j] = l[k * MAX_WIDTH + j];
            l[k * MAX_WIDTH + j] = LDL(multiply)(x[j], inverse[k]);
        }
        for (int j = k + 1; j < n; j++) {
            for (int i = j; i < n; i++) {
                l[j * MAX_WIDTH + i] =
                    LDL(subtract)(l[j * MAX_WIDTH + i], l[k * MAX_WIDTH + i], x[j]);
            }
        }
    }
    for (int k = 0; k < n; k++) {
        for (int j = k + 1; j < n; j++) LDL(set)(a + PARTS * k * m, j, m, l[k * MAX_WIDTH + j]);
    }
    int i = n;
    for (; i + 4 <= rows; i += 4) LDL(divide_lanes)(4, n, a + i, m, l, inverse);
    if (i + 2 <= rows) {
        LDL(divide_lanes)(2, n, a + i, m, l, inverse);
        i += 2;
    }
    if (i < rows) LDL(divide_lanes)(1, n, a + i, m, l, inverse);
}

static void LDL(eliminate)(flx_ldl *f, const supernode *t, const double *values)
{
    int m = t->ncol + t->nrow;
    double *panel = f->panel + PARTS * t->panel;
    LDL(number) *w = (LDL(number) *)f->weight;
    for (int k = 0; k < t->ncol; k += MAX_WIDTH) {
        int n = t->ncol - k < MAX_WIDTH ? t->ncol - k : MAX_WIDTH, rows = m - k;
        double *a = panel + PARTS * k * m + k;
        switch (n) {
        case 1:
            LDL(eliminate_n)(1, f, t, k, a, rows, m, values);
            break;
        case 2:
            LDL(eliminate_n)(2, f, t, k, a, rows, m, values);
            break;
        case 3:
            LDL(eliminate_n)(3, f, t, k, a, rows, m, values);
            break;
        case 4:
            LDL(eliminate_n)(4, f, t, k, a, rows, m, values);
            break;
        case 5:
            LDL(eliminate_n)(5, f, t, k, a, rows, m, values);
            break;
        default:
            LDL(eliminate_n)(6, f, t, k, a, rows, m, values);
            break;
        }
        int rest = t->ncol - k - n; // columns of this panel still to come
        if (rest > 0) {
            const double *l = a + n;
            LDL(weigh)(n, rest, l, m, (LDL(number) *)f->pivot + t->first + k, w);
            LDL(product)(n, panel + PARTS * (k + n) * m + k + n, m, rows - n, rest, l, m, w, true);
        }
    }
}

static flx_status LDL(factor)(flx_ldl *f, const double *values)
{
    if (!f->expected_known) LDL(expect)(f, values);
    f->report = (flx_ldl_report){.pivot_ratio = HUGE_VAL, .worst = -1};
    f->guard = HUGE_VAL;
    f->failed = false;
    for (int i = 0; i < f->nsuper; i++) {
        const supernode *t = &f->super[i];
        double *panel = f->panel + PARTS * t->panel;
        LDL(load)(f, t, values, panel);
        for (int e = t->update; e < t[1].update; e++) {
            LDL(update)(f, &f->update[e], panel, t->ncol + t->nrow);
        }
        LDL(eliminate)(f, t, values);
        if (f->failed) return FLX_SINGULAR;
    }
    int negative = 0, finite = 0;
    for (int k = 0; k < PARTS * f->n; k++) {
        negative += f->pivot[k] < 0;
        finite += fabs(f->pivot[k]) <= DBL_MAX;
    }
    f->report.negative = LDL_COMPLEX ? 0 : negative;
    return finite == PARTS * f->n ? FLX_OK : FLX_SINGULAR;
}

// ---- solving -----------------------------------------------------------------------------------

// y -= L x for rows of n columns
static ALWAYS_INLINE void LDL(forward_lanes)(int lanes, int n, const double *restrict l, int m,
                                             const LDL(number) *restrict x, double *restrict y,
                                             int ny)
{
    LDL(lanes) s, a;
    LDL(load_lanes)(lanes, &s, y, ny);
    for (int k = 0; k < n; k++) {
        LDL(load_lanes)(lanes, &a, l + PARTS * k * m, m);
        LDL(subtract_lanes)(lanes, &s, &a, x[k]);
    }
    LDL(store_lanes)(lanes, &s, y, ny);
}

static ALWAYS_INLINE void LDL(forward_rows)(int n, const double *restrict l, int m, int rows,
                                            const LDL(number) *restrict x, double *restrict y,
                                            int ny)
{
    int i = 0;
    for (; i + 4 <= rows; i += 4) LDL(forward_lanes)(4, n, l + i, m, x, y + i, ny);
    if (i + 2 <= rows) {
        LDL(forward_lanes)(2, n, l + i, m, x, y + i, ny);
        i += 2;
    }
    if (i < rows) LDL(forward_lanes)(1, n, l + i, m, x, y + i, ny);
}

static ALWAYS_INLINE void LDL(forward_n)(int n, const flx_ldl *f, const supernode *t, int column,
                                         double *restrict y)
{
    int m = t->ncol + t->nrow, at = t->first + column;
    const double *l = f->panel + PARTS * (t->panel + (long)column * m) + column;
    const LDL(number) *inverse = (const LDL(number) *)f->inverse + at;
    LDL(number) x[MAX_WIDTH];
    for (int k = 0; k < n; k++) x[k] = LDL(get)(y, at + k, f->n);
    for (int k = 0; k < n; k++) {
        for (int j = k + 1; j < n; j++) {
            x[j] = LDL(subtract)(x[j], LDL(get)(l + PARTS * k * m, j, m), x[k]);
        }
    }
    LDL(forward_rows)(n, l + n, m, t->ncol - column - n, x, y + at + n, f->n);
    for (int r = t->run; r < t[1].run; r++) {
        const run_entry *run = &f->solve_run[r];
        LDL(forward_rows)(n, l + run->from - column, m, run->length, x, y + run->to, f->n);
    }
    for (int k = 0; k < n; k++) {
        LDL(set)(y, at + k, f->n, LDL(multiply)(x[k], inverse[k]));
    }
}

// x -= L^T y for rows of n columns
static ALWAYS_INLINE void LDL(backward_rows)(int n, const double *restrict l, int m, int rows,
                                             LDL(number) *restrict x, const double *restrict y,
                                             int ny)
{
    for (int i = 0; i < rows; i++) {
        LDL(number) b = LDL(get)(y, i, ny);
        for (int k = 0; k < n; k++) {
            x[k] = LDL(subtract)(x[k], LDL(get)(l + PARTS * k * m, i, m), b);
        }
    }
}

static ALWAYS_INLINE void LDL(backward_n)(int n, const flx_ldl *f, const supernode *t, int column,
                                          double *restrict y)
{
    int m = t->ncol + t->nrow, at = t->first + column;
    const double *l = f->panel + PARTS * (t->panel + (long)column * m) + column;
    LDL(number) x[MAX_WIDTH];
    for (int k = 0; k < n; k++) x[k] = LDL(get)(y, at + k, f->n);
    LDL(backward_rows)(n, l + n, m, t->ncol - column - n, x, y + at + n, f->n);
    for (int r = t->run; r < t[1].run; r++) {
        const run_entry *run = &f->solve_run[r];
        LDL(backward_rows)(n, l + run->from - column, m, run->length, x, y + run->to, f->n);
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) {
            x[k] = LDL(subtract)(x[k], LDL(get)(l + PARTS * k * m, j, m), x[j]);
        }
        LDL(set)(y, at + k, f->n, x[k]);
    }
}

static void LDL(solve)(const flx_ldl *f, double *b)
{
    double *y = f->work;
    for (int k = 0; k < f->n; k++) {
        y[k] = b[PARTS * f->unknown[k]];
#if LDL_COMPLEX
        y[f->n + k] = b[2 * f->unknown[k] + 1];
#endif
    }
    for (int i = 0; i < f->nsuper; i++) {
        const supernode *t = &f->super[i];
        for (int k = 0; k < t->ncol; k += MAX_WIDTH) {
            switch (t->ncol - k) {
            case 1:
                LDL(forward_n)(1, f, t, k, y);
                break;
            case 2:
                LDL(forward_n)(2, f, t, k, y);
                break;
            case 3:
                LDL(forward_n)(3, f, t, k, y);
                break;
            case 4:
                LDL(forward_n)(4, f, t, k, y);
                break;
            case 5:
                LDL(forward_n)(5, f, t, k, y);
                break;
            default:
                LDL(forward_n)(6, f, t, k, y);
                break;
            }
        }
    }
    for (int i = f->nsuper - 1; i >= 0; i--) {
        const supernode *t = &f->super[i];
        for (int k = (t->ncol - 1) / MAX_WIDTH * MAX_WIDTH; k >= 0; k -= MAX_WIDTH) {
            switch (t->ncol - k) {
            case 1:
                LDL(backward_n)(1, f, t, k, y);
                break;
            case 2:
                LDL(backward_n)(2, f, t, k, y);
                break;
            case 3:
                LDL(backward_n)(3, f, t, k, y);
                break;
            case 4:
                LDL(backward_n)(4, f, t, k, y);
                break;
            case 5:
                LDL(backward_n)(5, f, t, k, y);
                break;
            default:
                LDL(backward_n)(6, f, t, k, y);
                break;
            }
        }
    }
    for (int k = 0; k < f->n; k++) {
        b[PARTS * f->unknown[k]] = y[k];
#if LDL_COMPLEX
        b[2 * f->unknown[k] + 1] = y[f->n + k];
#endif
    }
}

#undef PARTS
