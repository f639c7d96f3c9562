// ldl_solve.inc.h - solves with the factors of ldl_kernel.inc.h, included after it: forwards through
// the panels, then backwards.

// sum of L x over a row of n numbers, even and odd ones apart
static ALWAYS_INLINE LDL(number) LDL(row_times)(int n, const double *row, const LDL(number) * x)
{
    LDL(lanes) s;
    memset(&s, 0, sizeof s);
    UNROLL
    for (int k = 0; k < n; k++) {
        LDL(number) p = LDL(multiply)(LDL(get)(row, k, n), x[k]);
        s.r[k % 2] += p.r;
#if LDL_COMPLEX
        s.i[k % 2] += p.i;
#endif
    }
#if LDL_COMPLEX
    return (LDL(number)){s.r[0] + s.r[1], s.i[0] + s.i[1]};
#else
    return (LDL(number)){s.r[0] + s.r[1]};
#endif
}

// L y = b: the rows of the panel's own columns, then those below; x / D is kept for the way back.
static ALWAYS_INLINE void LDL(forward_n)(int n, const flx_ldl *f, const flx_ldl_supernode *t,
                                         double *restrict y)
{
    const double *l = LDL(below)(f, t, n);
    const LDL(number) *inverse = (const LDL(number) *)f->inverse + t->first;
    double *own = y + PARTS * t->first;
    LDL(number) x[FLX_LDL_WIDTH];
    UNROLL
    for (int k = 0; k < n; k++) x[k] = LDL(get)(own + PARTS * k, 0, 1);
    UNROLL
    for (int k = 0; k < n; k++) {
        UNROLL
        for (int j = k + 1; j < n; j++) {
            x[j] = LDL(subtract)(x[j], LDL(get)(LDL(diagonal_row)(f, t, j), k, j), x[k]);
        }
    }
    for (int r = t->run; r < t[1].run; r++) {
        const flx_ldl_run *run = &f->solve_run[r];
        const double *row = l + PARTS * n * run->from;
        double *to = y + PARTS * run->to, *end = to + PARTS * run->length;
        for (; to < end; to += PARTS, row += PARTS * n) {
            LDL(number) s = LDL(row_times)(n, row, x);
            to[0] -= s.r;
#if LDL_COMPLEX
            to[1] -= s.i;
#endif
        }
    }
    UNROLL
    for (int k = 0; k < n; k++) LDL(set)(own + PARTS * k, 0, 1, LDL(multiply)(x[k], inverse[k]));
}

// L^T x = y
static ALWAYS_INLINE void LDL(backward_n)(int n, const flx_ldl *f, const flx_ldl_supernode *t,
                                          double *restrict y)
{
    const double *l = LDL(below)(f, t, n);
    double *own = y + PARTS * t->first;
    LDL(number) x[FLX_LDL_WIDTH];
    UNROLL
    for (int k = 0; k < n; k++) x[k] = LDL(get)(own + PARTS * k, 0, 1);
    for (int r = t->run; r < t[1].run; r++) {
        const flx_ldl_run *run = &f->solve_run[r];
        const double *row = l + PARTS * n * run->from;
        const double *from = y + PARTS * run->to, *end = from + PARTS * run->length;
        for (; from < end; from += PARTS, row += PARTS * n) {
            LDL(number) b = LDL(get)(from, 0, 1);
            UNROLL
            for (int k = 0; k < n; k++) x[k] = LDL(subtract)(x[k], LDL(get)(row, k, n), b);
        }
    }
    UNROLL
    for (int j = n - 1; j >= 0; j--) {
        UNROLL
        for (int k = 0; k < j; k++) {
            x[k] = LDL(subtract)(x[k], LDL(get)(LDL(diagonal_row)(f, t, j), k, j), x[j]);
        }
    }
    UNROLL
    for (int k = 0; k < n; k++) LDL(set)(own + PARTS * k, 0, 1, x[k]);
}

// Ask for a panel before it is needed, as with the values.
static ALWAYS_INLINE void LDL(fetch_panel)(const flx_ldl *f, int i)
{
    if (i < 0 || i >= f->nsuper) return;
    const double *from = f->panel + PARTS * f->super[i].panel;
    const double *end = f->panel + PARTS * f->super[i + 1].panel;
    for (; from < end; from += 8) __builtin_prefetch(from);
}

static void LDL(solve)(const flx_ldl *f, double *b)
{
    double *y = f->work;
    for (int k = 0; k < f->n; k++) {
        for (int i = 0; i < PARTS; i++) y[PARTS * k + i] = b[PARTS * f->unknown[k] + i];
    }
    for (int i = 0; i < f->nsuper; i++) {
        const flx_ldl_supernode *t = &f->super[i];
        LDL(fetch_panel)(f, i + FLX_LDL_PANELS_AHEAD);
        switch (t->ncol) {
        case 1:
            LDL(forward_n)(1, f, t, y);
            break;
        case 2:
            LDL(forward_n)(2, f, t, y);
            break;
        case 3:
            LDL(forward_n)(3, f, t, y);
            break;
        case 4:
            LDL(forward_n)(4, f, t, y);
            break;
        case 5:
            LDL(forward_n)(5, f, t, y);
            break;
        default:
            LDL(forward_n)(6, f, t, y);
            break;
        }
    }
    for (int i = f->nsuper - 1; i >= 0; i--) {
        const flx_ldl_supernode *t = &f->super[i];
        LDL(fetch_panel)(f, i - FLX_LDL_PANELS_AHEAD);
        switch (t->ncol) {
        case 1:
            LDL(backward_n)(1, f, t, y);
            break;
        case 2:
            LDL(backward_n)(2, f, t, y);
            break;
        case 3:
            LDL(backward_n)(3, f, t, y);
            break;
        case 4:
            LDL(backward_n)(4, f, t, y);
            break;
        case 5:
            LDL(backward_n)(5, f, t, y);
            break;
        default:
            LDL(backward_n)(6, f, t, y);
            break;
        }
    }
    for (int k = 0; k < f->n; k++) {
        for (int i = 0; i < PARTS; i++) b[PARTS * f->unknown[k] + i] = y[PARTS * k + i];
    }
}

#undef PARTS
