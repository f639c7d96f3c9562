// write_octave.c - a function file for Octave and MATLAB that gives handles to the equations:
// m = NAME(); a = m.forward(t, p, q, v, x). Columns in, columns and matrices out.
#include "base/number.h"
#include "export/code.h"

// Where it differs from the ordinary notation (code.h).
static const flx_notation ops[FLX_OPS] = {
    [FLX_OP_POW] = {4, "$15 ^ $25"},
    [FLX_OP_SQRT] = {5, "real_of(sqrt($10))"},
    [FLX_OP_ASIN] = {5, "real_of(asin($10))"},
    [FLX_OP_ACOS] = {5, "real_of(acos($10))"},
    [FLX_OP_LOG] = {5, "real_of(log($10))"},
    [FLX_OP_LOG10] = {5, "real_of(log10($10))"},
    [FLX_OP_SIGN] = {5, "sign($10)"},
    [FLX_OP_MOD] = {5, "mod($10, $20)"},
    [FLX_OP_LT] = {5, "double($11 < $21)"},
    [FLX_OP_LE] = {5, "double($11 <= $21)"},
    [FLX_OP_EQ] = {5, "double($11 == $21)"},
    [FLX_OP_NE] = {5, "double($11 ~= $21)"},
    [FLX_OP_AND] = {5, "double($15 ~= 0 && $25 ~= 0)"},
    [FLX_OP_OR] = {5, "double($15 ~= 0 || $25 ~= 0)"},
    [FLX_OP_NOT] = {5, "double($15 == 0)"},
    [FLX_OP_IF] = {5, "pick($15, $20, $30)"},
};

static void table(FILE *f, const flx_functions *all, int number, int derivative)
{
    (void)all;
    flx_fprintf(f, "table(table_%d(), %d, ", number, derivative);
}

static const flx_language language = {.ops = ops,
                                      .open = "(",
                                      .close = ")",
                                      .temporary = "z%d",
                                      .between = "; ",
                                      .next_line = "; ...\n    ",
                                      .infinity = "Inf",
                                      .not_a_number = "NaN",
                                      .number = flx_write_number,
                                      .comment = "% ",
                                      .entry = "%s(%d)",
                                      .first = 1,
                                      .table = table};

// ---- functions that these call ------------------------------------------------------------------

static const char called_text[] = "function y = pick(c, a, b)\n"
                                  "  if c ~= 0\n"
                                  "    y = a;\n"
                                  "  else\n"
                                  "    y = b;\n"
                                  "  end\n"
                                  "end\n\n"
                                  "function y = real_of(x)\n"
                                  "  y = x;\n"
                                  "  if ~isreal(x)\n"
                                  "    y = NaN;\n"
                                  "  end\n"
                                  "end\n\n";

static const char table_text[] = "function y = piece(T, i, derivative, u)\n"
                                 "  terms = numel(T.k) / (numel(T.x) - 1);\n"
                                 "  y = 0;\n"
                                 "  for j = terms - 1:-1:derivative\n"
                                 "    k = T.k(terms * (i - 1) + j + 1);\n"
                                 "    y = y * u + prod(j - (0:derivative - 1)) * k;\n"
                                 "  end\n"
                                 "end\n\n"
                                 "% A function by points: in piece i a polynomial in x - T.x(i).\n"
                                 "function y = table(T, derivative, x)\n"
                                 "  n = numel(T.x);\n"
                                 "  if x < T.x(1) || x > T.x(n)\n"
                                 "    i = 1;\n"
                                 "    last = T.x(1);\n"
                                 "    if x > T.x(n)\n"
                                 "      i = n - 1;\n"
                                 "      last = T.x(n);\n"
                                 "    end\n"
                                 "    value = piece(T, i, 0, last - T.x(i));\n"
                                 "    slope = piece(T, i, 1, last - T.x(i));\n"
                                 "    y = 0;\n"
                                 "    if T.outside == 2\n"
                                 "      y = NaN;\n"
                                 "    elseif derivative == 0\n"
                                 "      y = value + T.outside * slope * (x - last);\n"
                                 "    elseif derivative == 1 && T.outside == 1\n"
                                 "      y = slope;\n"
                                 "    end\n"
                                 "    return;\n"
                                 "  end\n"
                                 "  i = max(1, min(n - 1, sum(T.x <= x)));\n"
                                 "  y = piece(T, i, derivative, x - T.x(i));\n"
                                 "end\n\n";

static void write_tables(FILE *f, const flx_functions *all, const flx_code *codes)
{
    const flx_graph *g = all->x.g;
    if (!flx_codes_contain(all, codes, FLX_OP_TABLE)) return;
    fputs(table_text, f);
    for (int i = 0; i < g->ntable; i++) {
        const flx_table *t = g->tables[i];
        if (!flx_codes_use_table(all, codes, i)) continue;
        flx_fprintf(f, "function T = table_%d()\n  T.x = [", i);
        flx_write_numbers(f, &language, t->n, t->x);
        fputs("];\n  T.k = [", f);
        flx_write_numbers(f, &language, t->terms * (t->n - 1), t->k);
        flx_fprintf(f, "];\n  T.outside = %d;\nend\n\n", flx_outside_number(t));
    }
}

// ---- functions ----------------------------------------------------------------------------------

static void write_function(FILE *f, const flx_functions *all, const flx_function *o,
                           const flx_code *c)
{
    flx_fprintf(f, "%% %s: %s.\nfunction [", o->name, o->comment);
    for (int i = 0; i < o->nresult; i++) flx_fprintf(f, "%s%s", i ? ", " : "", o->results[i].name);
    flx_fprintf(f, "] = %s(", o->name);
    flx_write_inputs(f, o, "", "", "");
    fputs(")\n", f);
    if (o->inputs & (1u << FLX_INPUT_TAU)) {
        flx_fprintf(f, "  if nargin < %d\n    tau = zeros(%d, 1);\n  end\n", all->nu > 0 ? 7 : 6,
                    all->x.nv);
    }
    for (int i = 0; i < c->ntemporary; i++) {
        flx_fprintf(f, "  z%d = ", i + 1);
        flx_code_write(f, c, &language, c->temporaries[i], false);
        fputs(";\n", f);
    }
    for (int i = 0; i < o->nresult; i++) {
        const flx_export_result *r = o->results + i;
        int columns = r->columns ? r->columns : 1;
        flx_fprintf(f, "  %s = zeros(%d, %d);\n", r->name, r->rows, columns);
        for (int k = 0; k < r->rows * columns; k++) {
            if (flx_code_is_zero(c, r->nodes[k])) continue;
            flx_fprintf(f, "  %s(%d", r->name, k / columns + 1);
            if (r->columns) flx_fprintf(f, ", %d", k % columns + 1);
            fputs(") = ", f);
            flx_code_write(f, c, &language, r->nodes[k], true);
            fputs(";\n", f);
        }
    }
    fputs("end\n\n", f);
}

static const char solve_text[] =
    "% forward: accelerations of the closed mechanism and multipliers of its closures,\n"
    "% M a + inverse(0) + G' lam = tau, G a + bias = 0; lam is the smallest where closures say "
    "again\n"
    "% what others say.\n"
    "function [a, lam] = forward(STATE, tau)\n"
    "  n = numel(v);\n"
    "  if nargin < COUNT\n"
    "    tau = zeros(n, 1);\n"
    "  end\n"
    "  M = mass(p, q);\n"
    "  [g, gd, G, b] = closures(STATE);\n"
    "  a = M \\ (tau(:) - inverse(STATE, zeros(n, 1)));\n"
    "  Y = M \\ G';\n"
    "  S = G * Y;\n"
    "  d = sqrt(sizes(STATE) .^ 2 * diag(inv(M))); % rows of what they are sums of\n"
    "  d(d == 0) = 1;\n"
    "  lam = (pinv(S ./ (d * d'), 1e-12) * ((G * a + b) ./ d)) ./ d;\n"
    "  a = a - Y * lam;\n"
    "end\n\n";

flx_status flx_write_octave(FILE *f, const flx_functions *all, const flx_code *codes)
{
    const flx_symbolic *x = &all->x;
    flx_fprintf(f, "function m = %s()\n", all->name);
    flx_write_header(f, all, &language);
    flx_fprintf(f, "  m.nq = %d;\n  m.nv = %d;\n  m.nx = %d;\n  m.np = %d;\n  m.nrow = %d;\n",
                x->nq, x->nv, x->m->nstate, all->np, x->nrow);
    flx_fprintf(f, "  m.nu = %d;\n  m.ny = %d;\n", all->nu, all->ny);
    fputs("  m.drawn = [", f);
    flx_write_numbers(f, &language, x->nq, x->drawn);
    fputs("];\n  m.parameters = [", f);
    flx_write_numbers(f, &language, all->np, all->defaults);
    fputs("];\n", f);
    for (int i = 0; i < all->n; i++)
        flx_fprintf(f, "  m.%s = @%s;\n", all->f[i].name, all->f[i].name);
    if (all->solve) fputs("  m.forward = @forward;\n", f);
    fputs("end\n\n", f);
    fputs(called_text, f);
    write_tables(f, all, codes);
    for (int i = 0; i < all->n; i++) write_function(f, all, all->f + i, codes + i);
    if (all->solve) flx_write_solver(f, all, solve_text);
    return FLX_OK;
}
