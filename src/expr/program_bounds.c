// program_bounds.c - what the results of a program lie between where its inputs are anywhere within intervals.
//
// Interval arithmetic, exact but for rounding where each input is read once, and too wide else: by as much less as the
// intervals are shorter. What is not known is everything.
#include "expr/program.h"

// A table is followed through no more pieces one by one; of wider intervals it must have been measured.
#define MOST_PIECES 16
#define HALF_PI 1.57079632679489661923

typedef struct interval {
    double low, high;
} interval;

static const interval everything = {-HUGE_VAL, HUGE_VAL};

static interval known(double low, double high)
{
    return low <= high ? (interval){low, high} : everything; // NaN, too
}

static interval hull(interval a, interval b)
{
    return known(fmin(a.low, b.low), fmax(a.high, b.high));
}

static bool is_point(interval a)
{
    return a.low == a.high;
}

// ---- arithmetic ---------------------------------------------------------------------------------

// 0 times anything is 0: an end that is infinite is not reached.
static double times(double a, double b)
{
    return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

static interval add(interval a, interval b)
{
    return known(a.low + b.low, a.high + b.high);
}

static interval negate(interval a)
{
    return (interval){-a.high, -a.low};
}

static interval multiply(interval a, interval b)
{
    double p = times(a.low, b.low), q = times(a.low, b.high), r = times(a.high, b.low),
           s = times(a.high, b.high);
    return known(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
}

static interval divide(interval a, interval b)
{
    if (b.low <= 0.0 && b.high >= 0.0) return everything;
    return multiply(a, known(1.0 / b.high, 1.0 / b.low));
}

// x^e of one instruction, of whole numbers e.
static interval power(interval a, int e)
{
    if (e < 0) return divide((interval){1.0, 1.0}, power(a, -e));
    double p = flx_power(a.low, e), q = flx_power(a.high, e);
    if (e % 2 == 0 && e > 0 && a.low < 0.0 && a.high > 0.0) return known(0.0, fmax(p, q));
    return known(fmin(p, q), fmax(p, q));
}

static interval apply(double (*f)(double), double low, double high)
{
    return known(f(low), f(high));
}

static interval power_of(interval a, interval b)
{
    if (is_point(b) && b.low == floor(b.low) && fabs(b.low) < 1e9) return power(a, (int)b.low);
    if (!(a.low >= 0.0)) return everything;
    double p = flx_pow(a.low, b.low), q = flx_pow(a.low, b.high), r = flx_pow(a.high, b.low),
           s = flx_pow(a.high, b.high);
    return known(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
}

// The sine from a to b: with a crest or trough in between, one or both.
static interval sine(interval a)
{
    if (!(a.high - a.low < 4.0 * HALF_PI)) return (interval){-1.0, 1.0};
    double p = sin(a.low), q = sin(a.high);
    interval out = known(fmin(p, q), fmax(p, q));
    double turn = 4.0 * HALF_PI;
    if (floor((a.high - HALF_PI) / turn) != floor((a.low - HALF_PI) / turn)) out.high = 1.0;
    if (floor((a.high + HALF_PI) / turn) != floor((a.low + HALF_PI) / turn)) out.low = -1.0;
    return out;
}

static interval cosine(interval a)
{
    return sine((interval){a.low + HALF_PI, a.high + HALF_PI});
}

static interval tangent(interval a)
{
    double turn = 2.0 * HALF_PI;
    bool pole = floor((a.high + HALF_PI) / turn) != floor((a.low + HALF_PI) / turn);
    return pole ? everything : apply(tan, a.low, a.high);
}

static interval absolute(interval a)
{
    if (a.low >= 0.0) return a;
    return a.high <= 0.0 ? negate(a) : known(0.0, fmax(-a.low, a.high));
}

static interval remainder_of(interval a, interval b)
{
    if (is_point(b) && b.low != 0.0 && floor(a.low / b.low) == floor(a.high / b.low)) {
        return known(flx_mod(a.low, b.low), flx_mod(a.high, b.low));
    }
    return hull(known(fmin(b.low, 0.0), fmax(b.high, 0.0)), (interval){0.0, 0.0});
}

// ---- conditions ---------------------------------------------------------------------------------

static interval truth(bool always, bool never)
{
    return (interval){always ? 1.0 : 0.0, never ? 0.0 : 1.0};
}

static bool is_true(interval a)
{
    return a.low > 0.0 || a.high < 0.0;
}

static bool is_false(interval a)
{
    return a.low == 0.0 && a.high == 0.0;
}

static interval compare(flx_opcode what, interval a, interval b)
{
    bool apart = a.high < b.low || b.high < a.low,
         same = is_point(a) && is_point(b) && a.low == b.low;
    switch (what) {
    case CODE_LT:
        return truth(a.high < b.low, a.low >= b.high);
    case CODE_LE:
        return truth(a.high <= b.low, a.low > b.high);
    case CODE_EQ:
        return truth(same, apart);
    default:
        return truth(apart, same);
    }
}

// ---- tables -------------------------------------------------------------------------------------

// The polynomial of a piece, or a derivative of it, from u to v: Bernstein's coefficients bound it.
static interval polynomial(const flx_table *t, int piece, int derivative, double u, double v)
{
    const double *k = t->k + (size_t)t->terms * (size_t)piece;
    double c[FLX_DERIVATIVES], b[FLX_DERIVATIVES], h = v - u, scale = 1.0;
    int n = t->terms - derivative;
    if (n <= 0) return (interval){0.0, 0.0};
    for (int j = 0; j < n; j++) {
        c[j] = k[j + derivative];
        for (int m = 1; m <= derivative; m++) c[j] *= j + m;
    }
    for (int j = 0; j < n; j++) { // about u
        for (int m = n - 2; m >= j; m--) c[m] += u * c[m + 1];
    }
    for (int j = 0; j < n; j++, scale *= h) c[j] *= scale;
    for (int i = 0; i < n; i++) {
        double part = 1.0; // of c[j]: i over j by n - 1 over j
        b[i] = 0.0;
        for (int j = 0; j <= i; j++) {
            b[i] += part * c[j];
            part *= (double)(i - j) / fmax(n - 1 - j, 1);
        }
    }
    interval out = {b[0], b[0]};
    for (int i = 1; i < n; i++) out = known(fmin(out.low, b[i]), fmax(out.high, b[i]));
    return out;
}

static int within(int i, int low, int high)
{
    return i < low ? low : i > high ? high : i;
}

// Least and most values of whole pieces in a tree: piece i is entry m + i, of m, and entry k is of 2k and 2k + 1.
static flx_status measure(flx_ctx *ctx, flx_table *t)
{
    int m = t->n - 1;
    if (t->tree || m <= MOST_PIECES) return FLX_OK;
    t->tree = flx_alloc(ctx, 4 * (size_t)m, sizeof(double));
    if (!t->tree) return FLX_ERR_MEMORY;
    interval *all = (interval *)(void *)t->tree;
    for (int i = 0; i < m; i++) all[m + i] = polynomial(t, i, 0, 0.0, t->x[i + 1] - t->x[i]);
    for (int k = m - 1; k > 0; k--) all[k] = hull(all[2 * k], all[2 * k + 1]);
    return FLX_OK;
}

// Of the whole pieces from `first` up to before `end`.
static interval between_pieces(const flx_table *t, int first, int end)
{
    const interval *all = (const interval *)(const void *)t->tree;
    interval out = {HUGE_VAL, -HUGE_VAL};
    int m = t->n - 1;
    for (int l = first + m, r = end + m; l < r; l /= 2, r /= 2) {
        if (l % 2) {
            out = (interval){fmin(out.low, all[l].low), fmax(out.high, all[l].high)};
            l++;
        }
        if (r % 2) {
            r--;
            out = (interval){fmin(out.low, all[r].low), fmax(out.high, all[r].high)};
        }
    }
    return out;
}

flx_status flx_program_measure(flx_ctx *ctx, const flx_program *p)
{
    for (int i = 0; i < p->ntable; i++) {
        FLX_TRY(measure(ctx, (flx_table *)(uintptr_t)p->tables[i])); // its values stay as they are
    }
    return FLX_OK;
}

// Pieces `from` up to before `to`, the first and the last of them continued.
static interval through_pieces(const flx_table *t, int derivative, interval a, int from, int to)
{
    int first = within(flx_table_piece(t, a.low), from, to - 1);
    int last = within(flx_table_piece(t, a.high), first, to - 1);
    bool many = last - first >= MOST_PIECES;
    if (many && (!t->tree || derivative > 0)) return everything;
    interval out = everything;
    for (int i = first; i <= last; i++) {
        if (many && i == first + 1) {
            out = hull(out, between_pieces(t, i, last));
            i = last;
        }
        double u = i == first ? a.low : t->x[i], v = i == last ? a.high : t->x[i + 1];
        interval part = polynomial(t, i, derivative, u - t->x[i], v - t->x[i]);
        out = i == first ? part : hull(out, part);
    }
    return out;
}

static interval table_between(const flx_table *t, int derivative, interval a)
{
    double begin = t->x[0], end = t->x[t->n - 1];
    interval out = {HUGE_VAL, -HUGE_VAL};
    if (!(a.high - a.low < HUGE_VAL)) return everything;
    if (a.low < begin) {
        double p = flx_table_eval(t, derivative, a.low), q = flx_table_eval(t, derivative, begin);
        if (isnan(p)) return everything;
        out = known(fmin(p, q), fmax(p, q));
        if (derivative > 0) out = hull(out, (interval){fmin(p, 0.0), fmax(p, 0.0)});
    }
    if (a.high > end) {
        double p = flx_table_eval(t, derivative, a.high), q = flx_table_eval(t, derivative, end);
        if (isnan(p)) return everything;
        out = known(fmin(out.low, fmin(p, q)), fmax(out.high, fmax(p, q)));
        if (derivative > 0) out = hull(out, (interval){fmin(p, 0.0), fmax(p, 0.0)});
    }
    if (a.high >= begin && a.low <= end) {
        interval in = {fmax(a.low, begin), fmin(a.high, end)};
        interval part = through_pieces(t, derivative, in, 0, t->n - 1);
        out = out.low <= out.high ? hull(out, part) : part;
    }
    return out;
}

static interval piece_between(const flx_table *t, int derivative, interval a, bool ends,
                              interval which)
{
    int last = ends ? 0 : t->ncut - 2;
    if (!is_point(which) || !(a.high - a.low < HUGE_VAL)) return everything;
    int piece = (int)which.low;
    if (piece < 0 || piece > last) {
        double p = flx_table_eval_piece(t, derivative, a.low, ends, piece);
        double q = flx_table_eval_piece(t, derivative, a.high, ends, piece);
        return known(fmin(p, q), fmax(p, q));
    }
    return through_pieces(t, derivative, a, ends ? 0 : t->cuts[piece],
                          ends ? t->n - 1 : t->cuts[piece + 1]);
}

// ---- instructions -------------------------------------------------------------------------------

#define A s[i->a]
#define B s[i->b]
#define C s[i->c]

static interval of_choice(const flx_program *p, flx_opcode what, const flx_instruction *i,
                          const interval *s)
{
    switch (what) {
    case CODE_LT:
    case CODE_LE:
    case CODE_EQ:
    case CODE_NE:
        return compare(what, A, B);
    case CODE_AND:
        return truth(is_true(A) && is_true(B), is_false(A) || is_false(B));
    case CODE_OR:
        return truth(is_true(A) || is_true(B), is_false(A) && is_false(B));
    case CODE_NOT:
        return truth(is_false(A), is_true(A));
    case CODE_IF:
        return is_true(A) ? B : is_false(A) ? C : hull(B, C);
    case CODE_TABLE:
        return table_between(p->tables[i->b], i->c, A);
    case CODE_PIECE:
        return piece_between(p->tables[i->c / (2 * FLX_DERIVATIVES)], i->c % FLX_DERIVATIVES, A,
                             i->c / FLX_DERIVATIVES % 2, B);
    case CODE_ARGUMENT:
        return A;
    default:
        return everything; // of an external function
    }
}

static interval of_function(const flx_program *p, flx_opcode what, const flx_instruction *i,
                            const interval *s)
{
    switch (what) {
    case CODE_POW:
        return power_of(A, B);
    case CODE_SQRT:
        return A.high < 0.0 ? everything : apply(sqrt, fmax(A.low, 0.0), A.high);
    case CODE_SIN:
        return sine(A);
    case CODE_COS:
        return cosine(A);
    case CODE_TAN:
        return tangent(A);
    case CODE_ASIN:
        return apply(asin, fmax(A.low, -1.0), fmin(A.high, 1.0));
    case CODE_ACOS:
        return known(acos(fmin(A.high, 1.0)), acos(fmax(A.low, -1.0)));
    case CODE_ATAN:
        return apply(atan, A.low, A.high);
    case CODE_ATAN2:
        if (B.low > 0.0) return apply(atan, divide(A, B).low, divide(A, B).high);
        return (interval){-2.0 * HALF_PI, 2.0 * HALF_PI};
    case CODE_SINH:
        return apply(sinh, A.low, A.high);
    case CODE_COSH:
        return apply(cosh, absolute(A).low, absolute(A).high);
    case CODE_TANH:
        return apply(tanh, A.low, A.high);
    case CODE_EXP:
        return apply(exp, A.low, A.high);
    case CODE_LOG:
        return A.high > 0.0 ? apply(log, fmax(A.low, 0.0), A.high) : everything;
    case CODE_LOG10:
        return A.high > 0.0 ? apply(log10, fmax(A.low, 0.0), A.high) : everything;
    case CODE_ABS:
        return absolute(A);
    case CODE_SIGN:
        return apply(flx_sign, A.low, A.high);
    case CODE_FLOOR:
        return apply(floor, A.low, A.high);
    case CODE_CEIL:
        return apply(ceil, A.low, A.high);
    case CODE_ROUND:
        return apply(round, A.low, A.high);
    case CODE_MOD:
        return remainder_of(A, B);
    case CODE_MIN:
        return known(fmin(A.low, B.low), fmin(A.high, B.high));
    case CODE_MAX:
        return known(fmax(A.low, B.low), fmax(A.high, B.high));
    default:
        return of_choice(p, what, i, s);
    }
}

// Of an instruction with one result.
static interval of_instruction(const flx_program *p, flx_opcode what, const flx_instruction *i,
                               const interval *s)
{
    switch (what) {
    case CODE_ADD:
        return add(A, B);
    case CODE_SUB:
        return add(A, negate(B));
    case CODE_MUL:
        return multiply(A, B);
    case CODE_DIV:
        return divide(A, B);
    case CODE_NEG:
        return negate(A);
    case CODE_MUL_ADD:
        return add(multiply(A, B), C);
    case CODE_MUL_SUB:
        return add(multiply(A, B), negate(C));
    case CODE_SUB_MUL:
        return add(C, negate(multiply(A, B)));
    case CODE_SQUARE:
        return power(A, 2);
    case CODE_CUBE:
        return power(A, 3);
    case CODE_POWER:
        return power(A, i->b);
    default:
        return of_function(p, what, i, s);
    }
}

int flx_program_bounds_scratch(const flx_program *p)
{
    return 2 * flx_program_scratch(p);
}

void flx_program_bounds(const flx_program *p, const double *low, const double *high,
                        double *scratch, double *least, double *most)
{
    interval *s = (interval *)(void *)scratch, *r = s;
    for (int k = 0; k < p->nconst; k++) *r++ = (interval){p->constants[k], p->constants[k]};
    int single = p->ninput - p->ntail;
    for (int k = 0; k < single; k++) *r++ = known(low[p->inputs[k]], high[p->inputs[k]]);
    for (int k = 0; k < p->ntail; k++)
        *r++ = known(low[p->inputs[single] + k], high[p->inputs[single] + k]);
    const flx_instruction *i = p->instructions;
    for (int k = 0; k < p->nrun; k++) {
        for (const flx_instruction *end = i + p->runs[k].count; i < end; i++) {
            if (p->runs[k].what == CODE_SIN_COS) {
                interval a = A;
                *r++ = sine(a);
                *r++ = cosine(a);
            } else {
                *r = of_instruction(p, p->runs[k].what, i, s);
                r++;
            }
        }
    }
    for (int k = 0; k < p->nout; k++) {
        least[k] = s[p->out[k]].low;
        most[k] = s[p->out[k]].high;
    }
}
