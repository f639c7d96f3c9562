// write_python.c - a module of plain Python 3: lists in, lists out, nothing but math imported.
//
// Branches that are not taken are computed all the same, so what Python refuses with an exception is
// not a number here.
#include "base/number.h"
#include "export/code.h"

// Where it differs from the ordinary notation (code.h).
static const flx_notation ops[FLX_OPS] = {
    [FLX_OP_DIV] = {5, "_div($10, $20)"},
    [FLX_OP_POW] = {5, "_pow($10, $20)"},
    [FLX_OP_SQRT] = {5, "_of(math.sqrt, $10)"},
    [FLX_OP_SIN] = {5, "math.sin($10)"},
    [FLX_OP_COS] = {5, "math.cos($10)"},
    [FLX_OP_TAN] = {5, "math.tan($10)"},
    [FLX_OP_ASIN] = {5, "_of(math.asin, $10)"},
    [FLX_OP_ACOS] = {5, "_of(math.acos, $10)"},
    [FLX_OP_ATAN] = {5, "math.atan($10)"},
    [FLX_OP_ATAN2] = {5, "math.atan2($10, $20)"},
    [FLX_OP_SINH] = {5, "_of(math.sinh, $10)"},
    [FLX_OP_COSH] = {5, "_of(math.cosh, $10)"},
    [FLX_OP_TANH] = {5, "math.tanh($10)"},
    [FLX_OP_EXP] = {5, "_of(math.exp, $10)"},
    [FLX_OP_LOG] = {5, "_of(math.log, $10)"},
    [FLX_OP_LOG10] = {5, "_of(math.log10, $10)"},
    [FLX_OP_SIGN] = {5, "((1.0 if $11 > 0.0 else 0.0) - (1.0 if $11 < 0.0 else 0.0))"},
    [FLX_OP_FLOOR] = {5, "float(math.floor($10))"},
    [FLX_OP_CEIL] = {5, "float(math.ceil($10))"},
    [FLX_OP_ROUND] = {5, "float(math.floor($11 + 0.5))"},
    [FLX_OP_MOD] = {2, "$12 % $23"},
    [FLX_OP_LT] = {5, "(1.0 if $11 < $21 else 0.0)"},
    [FLX_OP_LE] = {5, "(1.0 if $11 <= $21 else 0.0)"},
    [FLX_OP_EQ] = {5, "(1.0 if $11 == $21 else 0.0)"},
    [FLX_OP_NE] = {5, "(1.0 if $11 != $21 else 0.0)"},
    [FLX_OP_AND] = {5, "(1.0 if $15 != 0.0 and $25 != 0.0 else 0.0)"},
    [FLX_OP_OR] = {5, "(1.0 if $15 != 0.0 or $25 != 0.0 else 0.0)"},
    [FLX_OP_NOT] = {5, "(0.0 if $15 != 0.0 else 1.0)"},
    [FLX_OP_IF] = {5, "($20 if $15 != 0.0 else $30)"},
};

static void table(FILE *f, const flx_functions *all, int number, int derivative)
{
    (void)all;
    flx_fprintf(f, "_table(_table_%d, %d, ", number, derivative);
}

static const flx_language language = {.ops = ops,
                                      .open = "(",
                                      .close = ")",
                                      .small_power = "_power($10, $e)",
                                      .temporary = "z%d",
                                      .between = ", ",
                                      .next_line = ",\n    ",
                                      .infinity = "math.inf",
                                      .not_a_number = "math.nan",
                                      .number = flx_write_number,
                                      .comment = "# ",
                                      .entry = "%s[%d]",
                                      .first = 0,
                                      .table = table};

// ---- functions that these call ------------------------------------------------------------------

static const char called_text[] = "def _of(function, x):\n"
                                  "    try:\n"
                                  "        return function(x)\n"
                                  "    except (ValueError, OverflowError):\n"
                                  "        return math.nan\n"
                                  "\n"
                                  "\n"
                                  "def _div(x, y):\n"
                                  "    return x / y if y != 0.0 else x * math.inf\n"
                                  "\n"
                                  "\n"
                                  "def _pow(x, y):\n"
                                  "    try:\n"
                                  "        return math.pow(x, y)\n"
                                  "    except (ValueError, OverflowError):\n"
                                  "        return math.nan\n"
                                  "\n"
                                  "\n"
                                  "def _power(x, e):\n"
                                  "    p, k = 1.0, abs(e)\n"
                                  "    while k:\n"
                                  "        if k & 1:\n"
                                  "            p *= x\n"
                                  "        x *= x\n"
                                  "        k >>= 1\n"
                                  "    return _div(1.0, p) if e < 0 else p\n"
                                  "\n"
                                  "\n";

static const char table_text[] =
    "def _piece(k, derivative, u):\n"
    "    y = 0.0\n"
    "    for j in range(len(k) - 1, derivative - 1, -1):\n"
    "        factor = 1.0\n"
    "        for d in range(derivative):\n"
    "            factor *= j - d\n"
    "        y = y * u + factor * k[j]\n"
    "    return y\n"
    "\n"
    "\n"
    "def _table(table, derivative, x):\n"
    "    \"\"\"A function by points: in piece i a polynomial in x - xs[i].\"\"\"\n"
    "    xs, ks, outside = table\n"
    "    n = len(xs)\n"
    "    terms = len(ks) // (n - 1)\n"
    "    if x < xs[0] or x > xs[-1]:\n"
    "        i, end = (0, xs[0]) if x < xs[0] else (n - 2, xs[-1])\n"
    "        k = ks[terms * i:terms * (i + 1)]\n"
    "        value, slope = _piece(k, 0, end - xs[i]), _piece(k, 1, end - xs[i])\n"
    "        if outside == 2:\n"
    "            return math.nan\n"
    "        if outside == 0:\n"
    "            return value if derivative == 0 else 0.0\n"
    "        return value + slope * (x - end) if derivative == 0 else slope if derivative == 1 "
    "else 0.0\n"
    "    low, high = 0, n - 2\n"
    "    while low < high:\n"
    "        middle = low + (high - low + 1) // 2\n"
    "        low, high = (middle, high) if x >= xs[middle] else (low, middle - 1)\n"
    "    return _piece(ks[terms * low:terms * (low + 1)], derivative, x - xs[low])\n"
    "\n"
    "\n";

static void write_tables(FILE *f, const flx_functions *all, const flx_code *codes)
{
    const flx_graph *g = all->x.g;
    if (!flx_codes_contain(all, codes, FLX_OP_TABLE)) return;
    fputs(table_text, f);
    for (int i = 0; i < g->ntable; i++) {
        const flx_table *t = g->tables[i];
        if (!flx_codes_use_table(all, codes, i)) continue;
        flx_fprintf(f, "_table_%d = ([", i);
        flx_write_numbers(f, &language, t->n, t->x);
        fputs("], [", f);
        flx_write_numbers(f, &language, t->terms * (t->n - 1), t->k);
        flx_fprintf(f, "], %d)\n\n\n", flx_outside_number(t));
    }
}

// ---- functions ----------------------------------------------------------------------------------

static void write_signature(FILE *f, const flx_function *o)
{
    flx_fprintf(f, "def %s(", o->name);
    flx_write_inputs(f, o, "", "", "=None");
    fputs("):\n", f);
}

static void write_result(FILE *f, const flx_code *c, const flx_export_result *r)
{
    int columns = r->columns ? r->columns : 1;
    if (r->columns) {
        flx_fprintf(f, "    %s = [[0.0] * %d for _ in range(%d)]\n", r->name, columns, r->rows);
    } else {
        flx_fprintf(f, "    %s = [0.0] * %d\n", r->name, r->rows);
    }
    for (int i = 0; i < r->rows * columns; i++) {
        if (flx_code_is_zero(c, r->nodes[i])) continue;
        flx_fprintf(f, "    %s[%d]", r->name, i / columns);
        if (r->columns) flx_fprintf(f, "[%d]", i % columns);
        fputs(" = ", f);
        flx_code_write(f, c, &language, r->nodes[i], true);
        fputs("\n", f);
    }
}

static void write_function(FILE *f, const flx_function *o, const flx_code *c)
{
    write_signature(f, o);
    flx_fprintf(f, "    \"\"\"%s.\n\n    Gives", o->comment);
    for (int i = 0; i < o->nresult; i++) {
        const flx_export_result *r = o->results + i;
        flx_fprintf(f, "%s %s (%d", i ? "," : "", r->name, r->rows);
        if (r->columns) flx_fprintf(f, " x %d", r->columns);
        flx_fprintf(f, ")%s%s", r->comment[0] ? ": " : "", r->comment);
    }
    fputs(".\n    \"\"\"\n", f);
    if (o->inputs & (1u << FLX_INPUT_TAU)) fputs("    tau = tau or [0.0] * nv\n", f);
    for (int i = 0; i < c->ntemporary; i++) {
        flx_fprintf(f, "    z%d = ", i + 1);
        flx_code_write(f, c, &language, c->temporaries[i], false);
        fputs("\n", f);
    }
    for (int i = 0; i < o->nresult; i++) write_result(f, c, o->results + i);
    fputs("    return ", f);
    for (int i = 0; i < o->nresult; i++) flx_fprintf(f, "%s%s", i ? ", " : "", o->results[i].name);
    fputs("\n\n\n", f);
}

static const char solve_text[] =
    "def _factor(M):\n"
    "    \"\"\"M = L L^T in the lower half.\"\"\"\n"
    "    n = len(M)\n"
    "    for j in range(n):\n"
    "        d = M[j][j] - sum(M[j][k] * M[j][k] for k in range(j))\n"
    "        if not d > 0.0:\n"
    "            raise ZeroDivisionError('the mass matrix is not positive')\n"
    "        M[j][j] = math.sqrt(d)\n"
    "        for i in range(j + 1, n):\n"
    "            s = M[i][j] - sum(M[i][k] * M[j][k] for k in range(j))\n"
    "            M[i][j] = s / M[j][j]\n"
    "\n"
    "\n"
    "def _solve(L, b):\n"
    "    n = len(b)\n"
    "    for i in range(n):\n"
    "        b[i] = (b[i] - sum(L[i][k] * b[k] for k in range(i))) / L[i][i]\n"
    "    for i in reversed(range(n)):\n"
    "        b[i] = (b[i] - sum(L[k][i] * b[k] for k in range(i + 1, n))) / L[i][i]\n"
    "    return b\n"
    "\n"
    "\n"
    "def forward(STATE, tau=None):\n"
    "    \"\"\"Accelerations of the closed mechanism and multipliers of its closures.\n"
    "\n"
    "    M a + inverse(0) + G^T lam = tau, G a + bias = 0. Closures that say again what others "
    "say\n"
    "    are left out, with the multiplier 0. Gives a, lam.\n"
    "    \"\"\"\n"
    "    tau = tau or [0.0] * nv\n"
    "    M, h = mass(p, q), inverse(STATE, [0.0] * nv)\n"
    "    _, _, G, b = closures(STATE)\n"
    "    _factor(M)\n"
    "    a = _solve(M, [tau[i] - h[i] for i in range(nv)])\n"
    "    Y = [_solve(M, list(row)) for row in G]\n"
    "    b = [b[i] + sum(G[i][k] * a[k] for k in range(nv)) for i in range(nrow)]\n"
    "    S = [[sum(g * y for g, y in zip(r, s)) for s in Y] for r in G]\n"
    "    W = sizes(STATE)\n"
    "    u = [_solve(M, [float(i == k) for i in range(nv)])[k] for k in range(nv)]\n"
    "    d = [sum(w * w * e for w, e in zip(row, u)) for row in W]  # rows of what they are sums "
    "of\n"
    "    order, left, lam = [], list(range(nrow)), [0.0] * nrow\n"
    "    while left:  # the row first of which most is left\n"
    "        r = max(left, key=lambda i: S[i][i] / d[i] if d[i] > 0.0 else 0.0)\n"
    "        if not (d[r] > 0.0 and S[r][r] > 1e-12 * d[r]):\n"
    "            break\n"
    "        left.remove(r)\n"
    "        order.append(r)\n"
    "        S[r][r] = math.sqrt(S[r][r])\n"
    "        for i in left:\n"
    "            S[i][r] /= S[r][r]\n"
    "        for i in left:\n"
    "            for j in left:\n"
    "                S[i][j] -= S[i][r] * S[j][r]\n"
    "    for n, i in enumerate(order):\n"
    "        lam[i] = (b[i] - sum(S[i][k] * lam[k] for k in order[:n])) / S[i][i]\n"
    "    for n, i in reversed(list(enumerate(order))):\n"
    "        lam[i] = (lam[i] - sum(S[k][i] * lam[k] for k in order[n + 1:])) / S[i][i]\n"
    "    for i in range(nrow):\n"
    "        a = [a[k] - lam[i] * Y[i][k] for k in range(nv)]\n"
    "    return a, lam\n";

flx_status flx_write_python(FILE *f, const flx_functions *all, const flx_code *codes)
{
    const flx_symbolic *x = &all->x;
    flx_write_header(f, all, &language);
    flx_fprintf(f, "import math\n\nnq, nv, nx, np, nrow = %d, %d, %d, %d, %d\nnu, ny = %d, %d\n",
                x->nq, x->nv, x->m->nstate, all->np, x->nrow, all->nu, all->ny);
    fputs("drawn = [", f);
    flx_write_numbers(f, &language, x->nq, x->drawn);
    fputs("]\nparameters = [", f);
    flx_write_numbers(f, &language, all->np, all->defaults);
    fputs("]\n\n\n", f);
    fputs(called_text, f);
    write_tables(f, all, codes);
    for (int i = 0; i < all->n; i++) write_function(f, all->f + i, codes + i);
    if (all->solve) flx_write_solver(f, all, solve_text);
    return FLX_OK;
}
