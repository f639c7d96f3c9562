// sparse_lu_template.h - LU of a sparse matrix column by column (Gilbert, Peierls, SIAM J. Sci. Stat. Comput. 9, 1988,
// 862-874), for numbers of type T, whose functions are NAME(...): klu_instead.c includes it twice.
//     P R A Q = L U,   R: 1 over the largest of each row; pivots on the diagonal where they are large enough
// L has a diagonal of ones, which is stored first in its columns; that of U is stored last. Entries of a column of U stand in
// the order in which they are found one after another.

typedef struct NAME(factors) {
    klu_numeric base;
    int *Lp, *Li, *Up, *Ui; // owned; columns (n + 1), rows
    int room_l, room_u;
    T *Lx, *Ux, *diagonal, *x; // owned; x (n): zeros between calls
} NAME(factors);

static void NAME(drop)(NAME(factors) * f)
{
    if (!f) return;
    void *all[] = {f->base.Pnum, f->base.Pinv, f->base.Rs, f->Lp, f->Li,      f->Up,
                   f->Ui,        f->Lx,        f->Ux,      f->x,  f->diagonal};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
    free(f);
}

static NAME(factors) * NAME(make)(int n)
{
    NAME(factors) *f = calloc(1, sizeof *f);
    size_t size = (size_t)n + 1;
    if (!f) return NULL;
    f->base.n = n;
    f->base.Pnum = calloc(size, sizeof(int));
    f->base.Pinv = calloc(size, sizeof(int));
    f->base.Rs = calloc(size, sizeof(double));
    f->Lp = calloc(size, sizeof(int));
    f->Up = calloc(size, sizeof(int));
    f->diagonal = calloc(size, sizeof(T));
    f->x = calloc(size, sizeof(T));
    f->base.Udiag = f->diagonal;
    if (f->base.Pnum && f->base.Pinv && f->base.Rs && f->Lp && f->Up && f->diagonal && f->x)
        return f;
    NAME(drop)(f);
    return NULL;
}

static int NAME(make_room)(int **rows, T **values, int *room, int need)
{
    if (need <= *room) return 1;
    if (need > INT_MAX / 2) return 0;
    size_t more = 2 * (size_t)need;
    int *r = realloc(*rows, more * sizeof *r);
    if (r) *rows = r;
    T *v = realloc(*values, more * sizeof *v);
    if (v) *values = v;
    if (r && v) *room = (int)more;
    return r && v;
}

static void NAME(scale_rows)(int n, const int *begin, const int *row, const T *values, double *Rs)
{
    for (int i = 0; i < n; i++) Rs[i] = 0.0;
    for (int k = 0; k < begin[n]; k++) Rs[row[k]] = fmax(Rs[row[k]], ABS(values[k]));
    for (int i = 0; i < n; i++) Rs[i] = Rs[i] > 0.0 ? Rs[i] : 1.0;
}

// Column k of L and U: x = L^-1 R A(:, col); `list` from `top` on: rows that are not zero, each after those that it needs.
// Rows of L are still those of A. 0: no pivot, 1: done, -1: no memory.
static int NAME(add_column)(NAME(factors) * f, int k, int col, const int *begin, const int *row,
                            const T *values, klu_scratch *w)
{
    int n = f->base.n, *pinv = f->base.Pinv, top, best = -1;
    int nl = f->Lp[k], nu = f->Up[k];
    T *x = f->x;
    double largest = -1.0;
    if (!NAME(make_room)(&f->Li, &f->Lx, &f->room_l, nl + n) ||
        !NAME(make_room)(&f->Ui, &f->Ux, &f->room_u, nu + n))
        return -1;
    top = klu_find_reach(w, n, k, begin[col], begin[col + 1], row, f->Lp, f->Li, pinv);
    for (int p = begin[col]; p < begin[col + 1]; p++) {
        x[row[p]] += values[p] / f->base.Rs[row[p]];
    }
    for (int p = top; p < n; p++) {
        int i = w->list[p], j = pinv[i];
        if (j < 0) continue;
        T xi = x[i];
        for (int q = f->Lp[j] + 1; q < f->Lp[j + 1]; q++) x[f->Li[q]] -= f->Lx[q] * xi;
    }
    for (int p = top; p < n; p++) {
        int i = w->list[p];
        if (pinv[i] >= 0) {
            f->Ui[nu] = pinv[i];
            f->Ux[nu++] = x[i];
        } else if (ABS(x[i]) > largest) {
            largest = ABS(x[i]);
            best = i;
        }
    }
    int found = best >= 0 && largest > 0.0;
    if (found) {
        if (pinv[col] < 0 && ABS(x[col]) >= DIAGONAL * largest) best = col;
        T pivot = x[best];
        f->Ui[nu] = k;
        f->Ux[nu++] = f->diagonal[k] = pivot;
        pinv[best] = k;
        f->base.Pnum[k] = best;
        f->Li[nl] = best;
        f->Lx[nl++] = 1.0;
        for (int p = top; p < n; p++) {
            int i = w->list[p];
            if (pinv[i] >= 0) continue;
            f->Li[nl] = i;
            f->Lx[nl++] = x[i] / pivot;
        }
    }
    for (int p = top; p < n; p++) x[w->list[p]] = 0.0;
    f->Lp[k + 1] = nl;
    f->Up[k + 1] = nu;
    return found;
}

static klu_numeric *NAME(factor)(const int *begin, const int *row, const T *values,
                                 const klu_symbolic *s, klu_common *c)
{
    int n = s->n, done = 1;
    klu_scratch w;
    NAME(factors) *f = NAME(make)(n);
    c->status = KLU_OUT_OF_MEMORY;
    if (!f || !klu_make_scratch(&w, n)) {
        NAME(drop)(f);
        return NULL;
    }
    NAME(scale_rows)(n, begin, row, values, f->base.Rs);
    for (int i = 0; i < n; i++) f->base.Pinv[i] = -1;
    c->numerical_rank = n;
    c->singular_col = n;
    for (int k = 0; k < n && done == 1; k++) {
        done = NAME(add_column)(f, k, s->Q[k], begin, row, values, &w);
        if (done == 1) continue;
        c->numerical_rank = k;
        c->singular_col = s->Q[k];
    }
    klu_drop_scratch(&w);
    if (done == 1) c->status = KLU_OK;
    if (done == 0) c->status = KLU_SINGULAR;
    if (done != 1) {
        NAME(drop)(f);
        return NULL;
    }
    for (int p = 0; p < f->Lp[n]; p++) f->Li[p] = f->base.Pinv[f->Li[p]];
    return &f->base;
}

static int NAME(refactor)(const int *begin, const int *row, const T *values, const klu_symbolic *s,
                          klu_numeric *numeric, klu_common *c)
{
    NAME(factors) *f = (NAME(factors) *)numeric;
    int n = s->n;
    T *x = f->x;
    c->status = KLU_SINGULAR;
    NAME(scale_rows)(n, begin, row, values, f->base.Rs);
    for (int k = 0; k < n; k++) {
        int col = s->Q[k];
        for (int p = begin[col]; p < begin[col + 1]; p++) {
            x[f->base.Pinv[row[p]]] += values[p] / f->base.Rs[row[p]];
        }
        for (int p = f->Up[k]; p < f->Up[k + 1] - 1; p++) {
            int j = f->Ui[p];
            T xj = x[j];
            f->Ux[p] = xj;
            x[j] = 0.0;
            for (int q = f->Lp[j] + 1; q < f->Lp[j + 1]; q++) x[f->Li[q]] -= f->Lx[q] * xj;
        }
        T pivot = x[k];
        x[k] = 0.0;
        f->Ux[f->Up[k + 1] - 1] = f->diagonal[k] = pivot;
        for (int q = f->Lp[k] + 1; q < f->Lp[k + 1]; q++) {
            f->Lx[q] = x[f->Li[q]] / pivot; // of a pivot of zero: told below
            x[f->Li[q]] = 0.0;
        }
        if (!(ABS(pivot) > 0.0)) {
            c->numerical_rank = k;
            c->singular_col = col;
            return 0;
        }
    }
    c->numerical_rank = c->singular_col = n;
    c->status = KLU_OK;
    return 1;
}

static int NAME(rcond)(const klu_numeric *numeric, klu_common *c)
{
    const NAME(factors) *f = (const NAME(factors) *)numeric;
    double least = HUGE_VAL, most = 0.0;
    for (int k = 0; k < f->base.n; k++) {
        least = fmin(least, ABS(f->diagonal[k]));
        most = fmax(most, ABS(f->diagonal[k]));
    }
    c->rcond = most > 0.0 && isfinite(most) ? least / most : 0.0;
    return 1;
}

// The least, over the columns, of the largest entry of R A over that of U.
static int NAME(rgrowth)(const int *begin, const int *row, const T *values, const klu_symbolic *s,
                         const klu_numeric *numeric, klu_common *c)
{
    const NAME(factors) *f = (const NAME(factors) *)numeric;
    c->rgrowth = 1.0;
    for (int k = 0; k < f->base.n; k++) {
        double a = 0.0, u = 0.0;
        int col = s->Q[k];
        for (int p = begin[col]; p < begin[col + 1]; p++) {
            a = fmax(a, ABS(values[p]) / f->base.Rs[row[p]]);
        }
        for (int p = f->Up[k]; p < f->Up[k + 1]; p++) u = fmax(u, ABS(f->Ux[p]));
        if (u > 0.0) c->rgrowth = fmin(c->rgrowth, a / u);
    }
    return 1;
}

static void NAME(solve)(const klu_symbolic *s, const klu_numeric *numeric, T *b)
{
    const NAME(factors) *f = (const NAME(factors) *)numeric;
    int n = f->base.n;
    T *x = f->x;
    for (int k = 0; k < n; k++) x[k] = b[f->base.Pnum[k]] / f->base.Rs[f->base.Pnum[k]];
    for (int k = 0; k < n; k++) {
        for (int q = f->Lp[k] + 1; q < f->Lp[k + 1]; q++) x[f->Li[q]] -= f->Lx[q] * x[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        x[k] /= f->diagonal[k];
        for (int q = f->Up[k]; q < f->Up[k + 1] - 1; q++) x[f->Ui[q]] -= f->Ux[q] * x[k];
    }
    for (int k = 0; k < n; k++) {
        b[s->Q[k]] = x[k];
        x[k] = 0.0;
    }
}

#undef T
#undef NAME
#undef ABS
