// ldl_kernel.inc.h - the factorisation of ldl.c for one type of number; ldl_solve.inc.h follows it.
// Included with
//     LDL_COMPLEX   0 or 1
//     LDL(name)     the name with a suffix of its own
// A panel of n columns lies row by row: the diagonal block's rows left of the diagonal, then the rows
// below. A row of complex numbers is its real parts followed by its imaginary ones. Every kernel
// knows n when it is compiled (at most FLX_LDL_WIDTH), so that all offsets are constants and all loops
// over columns unroll. While a panel is made, its diagonal block is a full square elsewhere
// (f->square), which holds the diagonal too.
//
// Every sum has an order of its own that does not depend on the width of the machine's vectors.

// Doubles in a number; until the end of ldl_solve.inc.h.
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

// Number k of n that lie together.
static ALWAYS_INLINE LDL(number) LDL(get)(const double *row, int k, int n)
{
#if LDL_COMPLEX
    return (LDL(number)){row[k], row[n + k]};
#else
    (void)n;
    return (LDL(number)){row[k]};
#endif
}
static ALWAYS_INLINE void LDL(set)(double *row, int k, int n, LDL(number) a)
{
    row[k] = a.r;
#if LDL_COMPLEX
    row[n + k] = a.i;
#else
    (void)n;
#endif
}
// Where row j of the diagonal block of a panel begins, and the rows below one of n columns.
static ALWAYS_INLINE const double *LDL(diagonal_row)(const flx_ldl *f, const flx_ldl_supernode *t,
                                                     int j)
{
    return f->panel + PARTS * (t->panel + j * (j - 1) / 2);
}
static ALWAYS_INLINE double *LDL(below)(const flx_ldl *f, const flx_ldl_supernode *t, int n)
{
    return f->panel + PARTS * (t->panel + n * (n - 1) / 2);
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
// Size of a number, for comparisons.
static ALWAYS_INLINE double LDL(size)(LDL(number) a)
{
#if LDL_COMPLEX
    return fabs(a.r) + fabs(a.i);
#else
    return fabs(a.r);
#endif
}

// x -= a w
static ALWAYS_INLINE void LDL(subtract_lanes)(int lanes, LDL(lanes) * x, const LDL(lanes) * a,
                                              LDL(number) w)
{
    UNROLL
    for (int l = 0; l < lanes; l++) {
#if LDL_COMPLEX
        x->r[l] -= a->r[l] * w.r - a->i[l] * w.i;
        x->i[l] -= a->r[l] * w.i + a->i[l] * w.r;
#else
        x->r[l] -= a->r[l] * w.r;
#endif
    }
}

// ---- loading -----------------------------------------------------------------------------------

// A block, `columns` wide in the panel: the mean of itself (b) and its transpose (a).
static ALWAYS_INLINE void LDL(load_n)(int columns, const flx_ldl_load *o, const double *values,
                                      double *restrict to, int n)
{
    const double *a = values + PARTS * (size_t)o->from, *b = values + PARTS * (size_t)o->mirror;
    for (int r = 0; r < o->rows; r++) {
        UNROLL
        for (int c = 0; c < columns; c++) {
            int i = PARTS * (c * o->from_stride + r), j = PARTS * (r * o->mirror_stride + c);
            to[c] = 0.5 * (a[i] + b[j]);
#if LDL_COMPLEX
            to[n + c] = 0.5 * (a[i + 1] + b[j + 1]);
#endif
        }
        to += PARTS * n;
    }
}

static ALWAYS_INLINE void LDL(fetch)(const double *values, const flx_ldl_load *o)
{
    const double *a = values + PARTS * (size_t)o->from, *b = values + PARTS * (size_t)o->mirror;
    for (int k = 0; k < PARTS * o->rows * o->columns; k += 8) { // a cache line holds 8
        __builtin_prefetch(a + k);
        __builtin_prefetch(b + k);
    }
}

// The symmetric part of the values into the panel of supernode t.
static void LDL(load)(const flx_ldl *f, const flx_ldl_supernode *t, const double *values)
{
    int n = t->ncol;
    double *below = LDL(below)(f, t, n);
    if (t->clear) {
        memset(f->square, 0, sizeof(double) * PARTS * (size_t)n * (size_t)n);
        memset(below, 0, sizeof(double) * PARTS * (size_t)n * (size_t)t->nrow);
    }
    for (int e = t->load; e < t[1].load; e++) {
        const flx_ldl_load *o = &f->load[e];
        LDL(fetch)(values, o + FLX_LDL_AHEAD);
        double *to =
            (o->row < 0 ? f->square + PARTS * n * (-1 - o->row) : below + PARTS * n * o->row);
        to += o->column;
        switch (o->columns) {
        case 1:
            LDL(load_n)(1, o, values, to, n);
            break;
        case 2:
            LDL(load_n)(2, o, values, to, n);
            break;
        case 3:
            LDL(load_n)(3, o, values, to, n);
            break;
        case 4:
            LDL(load_n)(4, o, values, to, n);
            break;
        case 5:
            LDL(load_n)(5, o, values, to, n);
            break;
        default:
            LDL(load_n)(6, o, values, to, n);
            break;
        }
    }
}

// ---- updating ----------------------------------------------------------------------------------

// Columns j .. j+lanes-1 of column run c of an update: C -= L (D L^T). The rows of the column runs
// go to the diagonal block, the others to the rows below.
static ALWAYS_INLINE void LDL(update_lanes)(int lanes, int n, const flx_ldl *f,
                                            const flx_ldl_update *u, const flx_ldl_supernode *t,
                                            int c, int j)
{
    const flx_ldl_supernode *s = &f->super[u->source];
    const flx_ldl_run *run = &f->run[u->run];
    const double *restrict source = LDL(below)(f, s, n);
    const LDL(number) *restrict d = (const LDL(number) *)f->pivot + s->first;
    int nt = t->ncol;
    LDL(lanes) w[FLX_LDL_WIDTH], x;
    UNROLL
    for (int k = 0; k < n; k++) { // D L^T
        UNROLL
        for (int l = 0; l < lanes; l++) {
            const double *row = source + PARTS * n * (run[c].from + j + l);
            LDL(number) p = LDL(multiply)(LDL(get)(row, k, n), d[k]);
            w[k].r[l] = p.r;
#if LDL_COMPLEX
            w[k].i[l] = p.i;
#endif
        }
    }
    for (int r = c; r < u->nrun; r++) {
        int i = r == c ? j : 0; // rows above the diagonal are left out
        double *restrict to = r < u->ncolumn_run ? f->square : LDL(below)(f, t, nt);
        to += PARTS * nt * (run[r].to + i) + run[c].to + j;
        const double *a = source + PARTS * n * (run[r].from + i);
        for (; i < run[r].length; i++) {
            UNROLL
            for (int l = 0; l < lanes; l++) {
                x.r[l] = to[l];
#if LDL_COMPLEX
                x.i[l] = to[nt + l];
#endif
            }
            UNROLL
            for (int k = 0; k < n; k++) {
                LDL(subtract_lanes)(lanes, &x, &w[k], LDL(get)(a, k, n));
            }
            UNROLL
            for (int l = 0; l < lanes; l++) {
                to[l] = x.r[l];
#if LDL_COMPLEX
                to[nt + l] = x.i[l];
#endif
            }
            a += PARTS * n;
            to += PARTS * nt;
        }
    }
}

static ALWAYS_INLINE void LDL(update_n)(int n, const flx_ldl *f, const flx_ldl_update *u,
                                        const flx_ldl_supernode *t)
{
    for (int c = 0; c < u->ncolumn_run; c++) {
        int j = 0, columns = f->run[u->run + c].length;
#if LDL_COMPLEX // four lanes of complex numbers would not fit the registers
        for (; j + 2 <= columns; j += 2) LDL(update_lanes)(2, n, f, u, t, c, j);
#else
        if (j + 4 <= columns) {
            LDL(update_lanes)(4, n, f, u, t, c, j);
            j += 4;
        }
        if (j + 2 <= columns) {
            LDL(update_lanes)(2, n, f, u, t, c, j);
            j += 2;
        }
#endif
        if (j < columns) LDL(update_lanes)(1, n, f, u, t, c, j);
    }
}

// Subtract from the panel of t what the columns of an earlier supernode contribute.
static void LDL(update)(const flx_ldl *f, const flx_ldl_update *u, const flx_ldl_supernode *t)
{
    switch (f->super[u->source].ncol) {
    case 1:
        LDL(update_n)(1, f, u, t);
        break;
    case 2:
        LDL(update_n)(2, f, u, t);
        break;
    case 3:
        LDL(update_n)(3, f, u, t);
        break;
    case 4:
        LDL(update_n)(4, f, u, t);
        break;
    case 5:
        LDL(update_n)(5, f, u, t);
        break;
    default:
        LDL(update_n)(6, f, u, t);
        break;
    }
}

// ---- pivots ------------------------------------------------------------------------------------

static double LDL(value_size)(const double *values, int at)
{
#if LDL_COMPLEX
    return fabs(values[2 * at]) + fabs(values[2 * at + 1]);
#else
    return fabs(values[at]);
#endif
}

// 1 / the size that each pivot should have, from the matrix alone: |a_kk| for unknowns, and for constraint
// rows |a_kk| + sum g_ki^2 / |a_ii|, their mobility with all bodies free. 0: not known.
static void LDL(expect)(flx_ldl *f, const double *values)
{
    const flx_pattern *p = f->pattern;
    double *size = f->work; // of the diagonal, then of the pivots; by unknown
    for (int b = 0; b < p->nblock; b++) {
        int n = p->start[b + 1] - p->start[b], at = p->offset[f->diagonal[b]];
        for (int i = 0; i < n; i++) {
            size[p->start[b] + i] = LDL(value_size)(values, at + i * (n + 1));
        }
    }
    for (int b = 0; b < p->nblock; b++) {
        int n = p->start[b + 1] - p->start[b];
        for (int e = p->row[b]; f->block_sign[b] < 0 && e < p->row[b + 1]; e++) {
            int first = p->start[p->col[e]], columns = p->start[p->col[e] + 1] - first;
            if (f->block_sign[p->col[e]] < 0) continue;
            for (int j = 0; j < columns; j++) {
                double inverse = size[first + j] > 0 ? 1.0 / size[first + j] : 0.0;
                for (int i = 0; i < n; i++) {
                    double g = LDL(value_size)(values, p->offset[e] + i * columns + j);
                    size[p->start[b] + i] += g * g * inverse;
                }
            }
        }
    }
    for (int k = 0; k < f->n; k++) {
        double x = size[f->unknown[k]];
        f->expected[k] = x > 0 && x <= DBL_MAX ? 1.0 / x : 0.0;
    }
    f->expected_known = true;
}

// Sum of the sizes of the terms that made pivot `column` of t: |a_kk| + sum l_kj^2 |d_j|.
static double LDL(terms)(const flx_ldl *f, const flx_ldl_supernode *t, int column,
                         const double *values)
{
    const LDL(number) *d = (const LDL(number) *)f->pivot;
    int old = f->unknown[t->first + column];
    double sum = LDL(value_size)(values, diagonal_value(f, old));
    const double *row = LDL(diagonal_row)(f, t, column);
    for (int k = 0; k < column; k++) {
        double l = LDL(size)(LDL(get)(row, k, column));
        sum += l * l * LDL(size)(d[t->first + k]);
    }
    for (int e = t->update; e < t[1].update; e++) {
        const flx_ldl_update *u = &f->update[e];
        const flx_ldl_supernode *s = &f->super[u->source];
        for (int r = 0; r < u->ncolumn_run; r++) {
            const flx_ldl_run *run = &f->run[u->run + r];
            if (column < run->to || column >= run->to + run->length) continue;
            row = LDL(below)(f, s, s->ncol) + PARTS * s->ncol * (run->from + column - run->to);
            for (int k = 0; k < s->ncol; k++) {
                double l = LDL(size)(LDL(get)(row, k, s->ncol));
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

// A pivot smaller than all before, against the size expected, or suspiciously small: then compare
// it with the terms that made it, and move it when it is nothing but their rounding error. A pivot
// made of zeros (a direction without mass or stiffness) is moved too, but says nothing about
// singularity: the constraints that hold it come later.
static COLD LDL(number) LDL(judge)(flx_ldl *f, const flx_ldl_supernode *t, int column,
                                   LDL(number) d, const double *values)
{
    int k = t->first + column, old = f->unknown[k];
    double size = LDL(size)(d), ratio = size * f->expected[k], terms = 0;
    bool suspicious = !(ratio > SUSPICIOUS);
    if (suspicious) {
        terms = LDL(terms)(f, t, column, values);
        f->failed = !(size <= DBL_MAX) || !(terms <= DBL_MAX);
        if (f->failed) return d;
        ratio = terms > 0 ? size / terms : HUGE_VAL;
        if (terms > 0) f->expected[k] = 1.0 / terms;
    }
    if (ratio < f->report.pivot_ratio) {
        f->report.pivot_ratio = ratio;
        f->report.worst = old;
        f->guard = fmax(ratio, SUSPICIOUS);
    }
    if (!suspicious || size > ROUNDING * terms) return d;
    double unit = terms;
    if (!(unit > 0)) unit = f->unit ? f->unit[old] : LDL(row_size)(f, old, values);
    f->report.regularised++;
    f->failed = !(unit > 0) || !(unit <= DBL_MAX);
    return (LDL(number)){.r = f->sign[k] * REGULARISATION * unit};
}

// ---- factorisation of a panel ------------------------------------------------------------------

// Rows below the diagonal block: X L^T = A, then L = X D^-1. l[k*FLX_LDL_WIDTH + j] is L[j,k].
static ALWAYS_INLINE void LDL(divide_lanes)(int lanes, int n, double *restrict a,
                                            const LDL(number) *restrict l,
                                            const LDL(number) *restrict inverse)
{
    LDL(lanes) x[FLX_LDL_WIDTH];
    UNROLL
    for (int k = 0; k < n; k++) {
        UNROLL
        for (int i = 0; i < lanes; i++) {
            LDL(number) b = LDL(get)(a + PARTS * n * i, k, n);
            x[k].r[i] = b.r;
#if LDL_COMPLEX
            x[k].i[i] = b.i;
#endif
        }
    }
    UNROLL
    for (int k = 0; k < n; k++) {
        UNROLL
        for (int j = k + 1; j < n; j++) {
            LDL(subtract_lanes)(lanes, &x[j], &x[k], l[k * FLX_LDL_WIDTH + j]);
        }
    }
    UNROLL
    for (int k = 0; k < n; k++) {
        UNROLL
        for (int i = 0; i < lanes; i++) {
#if LDL_COMPLEX
            LDL(number) b = {x[k].r[i], x[k].i[i]};
#else
            LDL(number) b = {x[k].r[i]};
#endif
            LDL(set)(a + PARTS * n * i, k, n, LDL(multiply)(b, inverse[k]));
        }
    }
}

static ALWAYS_INLINE void LDL(eliminate_n)(int n, flx_ldl *f, const flx_ldl_supernode *t,
                                           const double *values)
{
    LDL(number) l[FLX_LDL_WIDTH * FLX_LDL_WIDTH], x[FLX_LDL_WIDTH], inverse[FLX_LDL_WIDTH];
    LDL(number) *pivot = (LDL(number) *)f->pivot + t->first;
    LDL(number) *stored = (LDL(number) *)f->inverse + t->first;
    const double *expected = f->expected + t->first;
    double *a = f->panel + PARTS * t->panel; // row j begins at j (j - 1) / 2
    UNROLL
    for (int j = 0; j < n; j++) {
        UNROLL
        for (int k = 0; k <= j; k++) {
            l[k * FLX_LDL_WIDTH + j] = LDL(get)(f->square + PARTS * n * j, k, n);
        }
    }
    UNROLL
    for (int k = 0; k < n; k++) {
        LDL(number) d = l[k * FLX_LDL_WIDTH + k];
        UNROLL
        for (int j = 0; j < k; j++) {
            LDL(set)(a + PARTS * (k * (k - 1) / 2), j, k, l[j * FLX_LDL_WIDTH + k]);
        }
        if (!(LDL(size)(d) * expected[k] >= f->guard)) d = LDL(judge)(f, t, k, d, values);
        pivot[k] = d;
        stored[k] = inverse[k] = LDL(invert)(d);
        UNROLL
        for (int j = k + 1; j < n; j++) {
            x[j] = l[k * FLX_LDL_WIDTH + j];
            l[k * FLX_LDL_WIDTH + j] = LDL(multiply)(x[j], inverse[k]);
        }
        UNROLL
        for (int j = k + 1; j < n; j++) {
            UNROLL
            for (int i = j; i < n; i++) {
                l[j * FLX_LDL_WIDTH + i] =
                    LDL(subtract)(l[j * FLX_LDL_WIDTH + i], l[k * FLX_LDL_WIDTH + i], x[j]);
            }
        }
    }
    double *below = LDL(below)(f, t, n);
    int i = 0;
#if LDL_COMPLEX
    for (; i + 2 <= t->nrow; i += 2) LDL(divide_lanes)(2, n, below + PARTS * n * i, l, inverse);
#else
    for (; i + 4 <= t->nrow; i += 4) LDL(divide_lanes)(4, n, below + PARTS * n * i, l, inverse);
    if (i + 2 <= t->nrow) {
        LDL(divide_lanes)(2, n, below + PARTS * n * i, l, inverse);
        i += 2;
    }
#endif
    if (i < t->nrow) LDL(divide_lanes)(1, n, below + PARTS * n * i, l, inverse);
}

static void LDL(eliminate)(flx_ldl *f, const flx_ldl_supernode *t, const double *values)
{
    switch (t->ncol) {
    case 1:
        LDL(eliminate_n)(1, f, t, values);
        break;
    case 2:
        LDL(eliminate_n)(2, f, t, values);
        break;
    case 3:
        LDL(eliminate_n)(3, f, t, values);
        break;
    case 4:
        LDL(eliminate_n)(4, f, t, values);
        break;
    case 5:
        LDL(eliminate_n)(5, f, t, values);
        break;
    default:
        LDL(eliminate_n)(6, f, t, values);
        break;
    }
}

static flx_status LDL(factor)(flx_ldl *f, const double *values)
{
    if (!f->expected_known) LDL(expect)(f, values);
    f->report = (flx_ldl_report){.pivot_ratio = HUGE_VAL, .worst = -1};
    f->guard = HUGE_VAL;
    f->failed = false;
    for (int i = 0; i < f->nsuper; i++) {
        const flx_ldl_supernode *t = &f->super[i];
        LDL(load)(f, t, values);
        for (int e = t->update; e < t[1].update; e++) LDL(update)(f, &f->update[e], t);
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
