// control_linear.c - transfer functions, state space, state feedback, observers.
#include "base/number.h"
#include "language/control/control_parts.h"
#include "language/literal.h"

#include <string.h>

#define MOST_STATES 400

static flx_status check_states(flx_control_draft *d, int n, flx_loc loc)
{
    if (n <= MOST_STATES) return FLX_OK;
    return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, loc, "controller '%s' has %d states; %d are the most",
                    d->item->full, n, MOST_STATES);
}

// ---- transfer functions ------------------------------------------------------------------------

// A number that is written as zero, "0", "0.0", "-0".
static bool is_zero(const char *text)
{
    size_t n = strlen(text);
    return n > 0 && strspn(text, "+-0.") == n && strchr(text, '0') != NULL;
}

// b_n s^n + ... over a_n s^n + ... (CTL-4): a_n x^(n) + ... + a_0 x = u, y = b_n x^(n) + ... + b_0 x; with samples z in
// place of s. Coefficients are written from the highest power down: a_k = bottom(n + 1 - k).
flx_status flx_control_transfer(flx_control_draft *d)
{
    const flx_entry *of = NULL, *top = NULL, *bottom = NULL;
    int n = 0, m = 0;
    FLX_TRY(flx_control_need(d, "of", &of));
    FLX_TRY(flx_control_need(d, "numerator", &top));
    FLX_TRY(flx_control_need(d, "denominator", &bottom));
    FLX_TRY(flx_control_count(d, top, &m));
    FLX_TRY(flx_control_count(d, bottom, &n));
    if (m > n) {
        return FLX_FAIL(
            d->b->ctx, FLX_ERR_MODEL, top->loc,
            "the numerator of '%s' has a higher degree, %d, than the denominator, %d: its "
            "output would contain rates of what comes in; add poles",
            d->item->full, m - 1, n - 1);
    }
    const flx_entry *highest =
        bottom->kind == FLX_ENTRY_LIST && bottom->count > 0 ? bottom->items[0] : bottom;
    if (highest->kind == FLX_ENTRY_SCALAR && is_zero(highest->text)) {
        return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, highest->loc,
                        "the denominator of '%s' begins with the coefficient of its highest power, "
                        "which cannot be 0: leave it out",
                        d->item->full);
    }
    FLX_TRY(check_states(d, --n, bottom->loc));
    FLX_TRY(flx_control_own(d, "error", of));
    FLX_TRY(flx_control_own(d, "top", top));
    FLX_TRY(flx_control_own(d, "bottom", bottom));
    const char *t = top->kind == FLX_ENTRY_LIST || m > 1 ? "" : NULL;
    const char *b = bottom->kind == FLX_ENTRY_LIST || n > 0 ? "" : NULL;
    if (n == 0) { // a gain
        return flx_control_signal(d, "now",
                                  flx_control_text(d, "self.top%s*self.error/self.bottom%s",
                                                   t ? "(1)" : "", b ? "(1)" : ""));
    }
    // what is left for the highest derivative
    FLX_TRY(flx_control_signal(
        d, "highest",
        flx_control_text(
            d, "(self.error - sum(k, 1, %d, self.bottom(%d - k)*self.state(k)))/self.bottom(1)", n,
            n + 2)));
    flx_entry *rate =
        flx_control_text(d, "if(i_ < %d, self.state(min(i_ + 1, %d)), self.highest)", n, n);
    if (d->sampled) {
        FLX_TRY(flx_control_discrete(d, "state", n));
        for (int i = 1; i <= n; i++) {
            FLX_TRY(flx_control_set(d, flx_control_text(d, "self.state(%d)", i),
                                    i < n ? flx_control_text(d, "self.state(%d)", i + 1)
                                          : flx_control_text(d, "self.highest")));
        }
    } else {
        FLX_TRY(flx_control_state(d, "state", n, rate));
    }
    // b_(k-1) = top(m + 1 - k), k = 1 .. m; of degree n the last is of the highest derivative
    if (!t) return flx_control_signal(d, "now", flx_control_text(d, "self.top*self.state(1)"));
    return flx_control_signal(d, "now",
                              flx_control_text(d, "sum(k, 1, %d, self.top(%d - k)*self.state(k))%s",
                                               m > n ? n : m, m + 1,
                                               m > n ? " + self.top(1)*self.highest" : ""));
}

// ---- state space -------------------------------------------------------------------------------

// [row 1, row 2, ...] of C x + D u.
static flx_status add_rows(flx_control_draft *d, int nout, bool through, int n, int nin,
                           const char *u)
{
    flx_entry *list = flx_take(d->b, 1, sizeof *list);
    if (!list) return FLX_ERR_MEMORY;
    *list = (flx_entry){.kind = FLX_ENTRY_LIST, .loc = d->item->loc, .count = nout};
    list->items = flx_take(d->b, (size_t)nout, sizeof(flx_entry *));
    if (!list->items) return FLX_ERR_MEMORY;
    for (int i = 1; i <= nout; i++) {
        flx_entry *row =
            through ? flx_control_text(d,
                                       "sum(j, 1, %d, self.C(%d)(j)*self.state(j)) + sum(k, 1, %d, "
                                       "self.D(%d)(k)*%s)",
                                       n, i, nin, i, u)
                    : flx_control_text(d, "sum(j, 1, %d, self.C(%d)(j)*self.state(j))", n, i);
        if (!row) return FLX_ERR_MEMORY;
        list->items[i - 1] = row;
    }
    return flx_control_signal(d, "now", nout == 1 ? list->items[0] : list);
}

// Whether it is a list of lists, or an expression that may be one.
static bool has_rows(const flx_entry *y)
{
    double x;
    if (y->kind == FLX_ENTRY_LIST)
        return y->count > 0 && y->items[0]->kind == FLX_ENTRY_LIST && y->items[0]->count > 0;
    return !flx_entry_literal(y, &x);
}

// x' = A x + B u, y = C x + D u (CTL-5), with samples x+ in place of x'.
flx_status flx_control_state_space(flx_control_draft *d)
{
    static const char *const names[] = {"A", "B", "C", "D"};
    const flx_entry *of = NULL, *M[4] = {NULL, NULL, NULL, NULL};
    int rows[4] = {0}, columns[4] = {0}, nin = 0;
    FLX_TRY(flx_control_need(d, "of", &of));
    nin = of->kind == FLX_ENTRY_LIST ? of->count : 1;
    const flx_entry *mass = flx_control_key(d, "mass");
    const flx_entry *rest = flx_control_key(d, "damping");
    if (!rest) rest = flx_control_key(d, "stiffness");
    if (rest && !mass) {
        return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, rest->loc,
                        "a system of second order needs its 'mass', in place of A");
    }
    for (int i = 0; i < 4; i++) {
        M[i] = flx_control_key(d, names[i]);
        if (mass && i == 0 && M[0]) {
            return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, M[0]->loc,
                            "'%s' has A and mass: a system is of the first order or of the second",
                            d->item->full);
        }
        if (i < 3 && !(mass && i == 0)) FLX_TRY(flx_control_need(d, names[i], &M[i]));
    }
    FLX_TRY(flx_control_matrices(d, M));
    for (int i = 0; i < 4; i++) {
        if (M[i]) FLX_TRY(flx_control_size(d, M[i], &rows[i], &columns[i]));
        if (M[i] && !has_rows(M[i])) {
            return FLX_FAIL(
                d->b->ctx, FLX_ERR_MODEL, M[i]->loc,
                "%s is a list of rows, each a list: [[1, 2], [3, 4]]; of one number [[1]]",
                names[i]);
        }
    }
    int n = rows[0], nout = rows[2];
    if (columns[0] != n || rows[1] != n || columns[1] != nin || columns[2] != n ||
        (M[3] && (rows[3] != nout || columns[3] != nin))) {
        return FLX_FAIL(
            d->b->ctx, FLX_ERR_MODEL, M[0]->loc,
            "the matrices of '%s' do not fit: A %d x %d, B %d x %d, C %d x %d%s, and %d come in; "
            "each is a list of rows",
            d->item->full, rows[0], columns[0], rows[1], columns[1], rows[2], columns[2],
            M[3] ? ", D as well" : "", nin);
    }
    FLX_TRY(check_states(d, n, M[0]->loc));
    FLX_TRY(flx_control_own(d, "error", of));
    for (int i = 0; i < 4; i++) {
        if (M[i]) FLX_TRY(flx_control_own(d, names[i], M[i]));
    }
    bool one = of->kind != FLX_ENTRY_LIST;
    const char *u = one ? "self.error" : "self.error(k)";
    flx_entry *rate = flx_control_text(
        d, "sum(j, 1, %d, self.A(i_)(j)*self.state(j)) + sum(k, 1, %d, self.B(i_)(k)*%s)", n, nin,
        u);
    if (!d->sampled) {
        FLX_TRY(flx_control_state(d, "state", n, rate));
    } else {
        FLX_TRY(flx_control_discrete(d, "state", n));
        for (int i = 1; i <= n; i++) {
            FLX_TRY(flx_control_set(
                d, flx_control_text(d, "self.state(%d)", i),
                flx_control_text(
                    d,
                    "sum(j, 1, %d, self.A(%d)(j)*self.state(j)) + sum(k, 1, %d, self.B(%d)(k)*%s)",
                    n, i, nin, i, u)));
        }
    }
    d->nout = nout > 1 ? nout : 0;
    return add_rows(d, nout, M[3] != NULL, n, nin, u);
}

// ---- state feedback and observers --------------------------------------------------------------

// The analysis that `gains` names, and its keys; NULL: it is no name of an analysis. kind: the type that is wanted.
static flx_status find_analysis(flx_control_draft *d, const flx_entry *gains, const char *kind,
                                const flx_entry **out)
{
    const flx_entry *block = flx_entry_get(d->b->top->def, "analyse");
    *out = NULL;
    if (gains->kind != FLX_ENTRY_SCALAR || !block || block->kind != FLX_ENTRY_MAP) return FLX_OK;
    const flx_entry *a = flx_entry_get(block, gains->text);
    if (!a || a->kind != FLX_ENTRY_MAP) return FLX_OK;
    const flx_entry *type = flx_entry_get(a, "type");
    if (!type || strcmp(type->text, kind) != 0) {
        return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, gains->loc,
                        "'%s' is an analysis of type %s; these gains are those of type %s",
                        gains->text, type ? type->text : "?", kind);
    }
    *out = a;
    return FLX_OK;
}

static flx_status need_list(flx_control_draft *d, const flx_entry *y, const char *what, flx_loc loc)
{
    if (y && y->kind == FLX_ENTRY_LIST && y->count > 0) return FLX_OK;
    return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, y ? y->loc : loc,
                    "controller '%s' needs %s, as a list", d->item->full, what);
}

static flx_entry *make_list(flx_control_draft *d, int n)
{
    flx_entry *list = flx_take(d->b, 1, sizeof *list);
    if (!list) return NULL;
    *list = (flx_entry){.kind = FLX_ENTRY_LIST, .loc = d->item->loc, .count = n};
    list->items = flx_take(d->b, (size_t)n, sizeof(flx_entry *));
    return list->items ? list : NULL;
}

// Which input of the analysis the block is for; -1: all.
static flx_status find_row(flx_control_draft *d, const flx_entry *inputs, int *row)
{
    const flx_entry *input = flx_control_key(d, "input");
    *row = -1;
    if (!input) return FLX_OK;
    for (int i = 0; inputs && inputs->kind == FLX_ENTRY_LIST && i < inputs->count; i++) {
        if (strcmp(inputs->items[i]->text ? inputs->items[i]->text : "", input->text) == 0)
            *row = i;
    }
    if (*row >= 0) return FLX_OK;
    return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, input->loc, "the gains are not for an input '%s'",
                    input->text);
}

// u = u0 - K (x - x0) (CTL-8), of an analysis or of given numbers.
flx_status flx_control_state_feedback(flx_control_draft *d)
{
    const flx_entry *gains = NULL, *a = NULL, *states = flx_control_key(d, "states");
    const flx_entry *of = flx_control_key(d, "of"), *at = flx_control_key(d, "at");
    const flx_entry *offset = flx_control_key(d, "offset");
    int rows = 1, n = 0, row = -1;
    FLX_TRY(flx_control_need(d, "gains", &gains));
    FLX_TRY(find_analysis(d, gains, "lqr", &a));
    if (a && !states) states = flx_entry_get(a, "states");
    FLX_TRY(need_list(d, states, "`states`", d->item->loc));
    n = states->count;
    if (a) {
        const flx_entry *inputs = flx_entry_get(a, "inputs");
        rows = inputs && inputs->kind == FLX_ENTRY_LIST ? inputs->count : 1;
        FLX_TRY(find_row(d, inputs, &row));
    } else {
        int columns = 0;
        FLX_TRY(flx_control_size(d, gains, &rows, &columns));
        if (columns != n) {
            return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, gains->loc,
                            "a row of the gains of '%s' has %d numbers, and there are %d states",
                            d->item->full, columns, n);
        }
        FLX_TRY(flx_control_own(d, "gains", gains));
    }
    bool nested =
        rows > 1 || (gains->kind == FLX_ENTRY_LIST && gains->items[0]->kind == FLX_ENTRY_LIST);
    if (at) {
        FLX_TRY(need_list(d, at, "`at`", d->item->loc));
        FLX_TRY(flx_control_own(d, "at", at));
    }
    if (offset) FLX_TRY(flx_control_own(d, "offset", offset));
    if (of) {
        flx_entry *list = flx_control_text(d, "%s.state", of->text ? of->text : "?");
        if (!list) return FLX_ERR_MEMORY;
        list->loc = of->loc;
        FLX_TRY(flx_control_signal(d, "states", list));
    } else {
        FLX_TRY(flx_control_own(d, "states", states));
    }
    int nout = row >= 0 ? 1 : rows;
    flx_entry *list = make_list(d, nout);
    if (!list) return FLX_ERR_MEMORY;
    for (int i = 0; i < nout; i++) {
        int r = (row >= 0 ? row : i) + 1;
        const char *u0 = "0", *x0 = "", *k;
        flx_arena *texts = d->b->scratch;
        if (a) {
            u0 = flx_arena_printf(texts, "%s.inputs_at(1, %d)", gains->text, r);
            x0 = flx_arena_printf(texts, " - %s.states_at(1, j)", gains->text);
            k = flx_arena_printf(texts, "%s.gains(%d, j)", gains->text, r);
        } else {
            k = flx_arena_printf(texts, nested ? "self.gains(%d)(j)" : "self.gains(j)", r);
        }
        if (offset) {
            bool many = offset->kind == FLX_ENTRY_LIST;
            u0 = flx_arena_printf(texts, many ? "self.offset(%d)" : "self.offset", r);
        }
        if (at) x0 = " - self.at(j)";
        if (!u0 || !x0 || !k) return FLX_ERR_MEMORY;
        list->items[i] =
            flx_control_text(d, "%s - sum(j, 1, %d, %s*(self.states(j)%s))", u0, n, k, x0);
        if (!list->items[i]) return FLX_ERR_MEMORY;
    }
    d->nout = nout > 1 ? nout : 0;
    return flx_control_signal(d, "now", nout > 1 ? list : list->items[0]);
}

// z' = A z + B (u - u0) + L (y - y0 - C z), x = x0 + z; with samples the prediction A z + B (u - u0) is corrected by
// what is measured (CTL-9).
flx_status flx_control_observer(flx_control_draft *d)
{
    const flx_entry *gains = NULL, *a = NULL, *inputs = flx_control_key(d, "inputs");
    const flx_entry *measured = flx_control_key(d, "measured");
    FLX_TRY(flx_control_need(d, "gains", &gains));
    FLX_TRY(find_analysis(d, gains, "kalman", &a));
    if (!a) {
        return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, gains->loc,
                        "the gains of an observer are those of an analysis of type kalman");
    }
    if (!inputs) inputs = flx_entry_get(a, "inputs");
    if (!measured) measured = flx_entry_get(a, "measured");
    const flx_entry *states = flx_entry_get(a, "states"), *sampled = flx_entry_get(a, "sample");
    FLX_TRY(need_list(d, measured, "`measured`", d->item->loc));
    FLX_TRY(need_list(d, states, "`states` of its analysis", gains->loc));
    if (d->sampled != (sampled != NULL)) {
        return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, gains->loc,
                        "'%s' and the observer '%s' are both sampled, or neither", gains->text,
                        d->item->full);
    }
    const char *L = gains->text;
    int n = states->count, ny = measured->count, nu = inputs ? inputs->count : 0;
    bool drives = inputs && inputs->kind == FLX_ENTRY_LIST && nu > 0;
    FLX_TRY(flx_control_own(d, "measured", measured));
    if (drives) FLX_TRY(flx_control_own(d, "inputs", inputs));
    const char *driven = "";
    flx_entry *state = make_list(d, n), *ahead = make_list(d, n), *miss = make_list(d, ny);
    if (!state || !ahead || !miss || !L) return FLX_ERR_MEMORY;
    const char *z = d->sampled ? "self.ahead" : "self.z";
    for (int k = 1; k <= ny; k++) {
        miss->items[k - 1] = flx_control_text(
            d, "self.measured(%d) - %s.measured_at(1, %d) - sum(j, 1, %d, %s.C(%d, j)*%s(j))", k, L,
            k, n, L, k, z);
        if (!miss->items[k - 1]) return FLX_ERR_MEMORY;
    }
    FLX_TRY(flx_control_signal(d, "innovation", miss));
    if (drives) {
        driven = flx_arena_printf(
            d->b->scratch, " + sum(k, 1, %d, %s.B(i_, k)*(self.inputs(k) - %s.inputs_at(1, k)))",
            nu, L, L);
        if (!driven) return FLX_ERR_MEMORY;
    }
    if (!d->sampled) {
        FLX_TRY(flx_control_state(
            d, "z", n,
            flx_control_text(d,
                             "sum(j, 1, %d, %s.A(i_, j)*self.z(j))%s + sum(k, 1, %d, "
                             "%s.gains(i_, k)*self.innovation(k))",
                             n, L, driven, ny, L)));
    } else {
        FLX_TRY(flx_control_discrete(d, "z", n));
        for (int i = 1; i <= n; i++) {
            if (drives) {
                driven = flx_arena_printf(
                    d->b->scratch,
                    " + sum(k, 1, %d, %s.B(%d, k)*(self.inputs(k) - %s.inputs_at(1, k)))", nu, L, i,
                    L);
                if (!driven) return FLX_ERR_MEMORY;
            }
            ahead->items[i - 1] =
                flx_control_text(d, "sum(j, 1, %d, %s.A(%d, j)*self.z(j))%s", n, L, i, driven);
            if (!ahead->items[i - 1]) return FLX_ERR_MEMORY;
            FLX_TRY(flx_control_set(
                d, flx_control_text(d, "self.z(%d)", i),
                flx_control_text(d, "self.now(%d) - %s.states_at(1, %d)", i, L, i)));
        }
        FLX_TRY(flx_control_signal(d, "ahead", ahead));
    }
    for (int i = 1; i <= n; i++) {
        state->items[i - 1] =
            d->sampled ? flx_control_text(
                             d,
                             "%s.states_at(1, %d) + self.ahead(%d) + sum(k, 1, %d, %s.gains(%d, "
                             "k)*self.innovation(k))",
                             L, i, i, ny, L, i)
                       : flx_control_text(d, "%s.states_at(1, %d) + self.z(%d)", L, i, i);
        if (!state->items[i - 1]) return FLX_ERR_MEMORY;
    }
    d->nout = n;
    FLX_TRY(flx_control_signal(d, "now", state));
    return flx_control_signal(d, "state", flx_control_text(d, "self.output"));
}
