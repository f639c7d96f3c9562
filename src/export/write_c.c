// write_c.c - C99, self-contained but for <math.h>.
#include "base/number.h"
#include "export/code.h"

// ---- expressions --------------------------------------------------------------------------------

// Where it differs from the ordinary notation (code.h).
static const flx_notation ops[FLX_OPS] = {
    [FLX_OP_ABS] = {5, "fabs($10)"},
    [FLX_OP_SIGN] = {5, "@_sign($10)"},
    [FLX_OP_MOD] = {5, "@_modulo($10, $20)"},
    [FLX_OP_MIN] = {5, "fmin($10, $20)"},
    [FLX_OP_MAX] = {5, "fmax($10, $20)"},
    [FLX_OP_LT] = {5, "($11 < $21 ? 1.0 : 0.0)"},
    [FLX_OP_LE] = {5, "($11 <= $21 ? 1.0 : 0.0)"},
    [FLX_OP_EQ] = {5, "($11 == $21 ? 1.0 : 0.0)"},
    [FLX_OP_NE] = {5, "($11 != $21 ? 1.0 : 0.0)"},
    [FLX_OP_AND] = {5, "($15 != 0.0 && $25 != 0.0 ? 1.0 : 0.0)"},
    [FLX_OP_OR] = {5, "($15 != 0.0 || $25 != 0.0 ? 1.0 : 0.0)"},
    [FLX_OP_NOT] = {5, "($15 != 0.0 ? 0.0 : 1.0)"},
    [FLX_OP_IF] = {5, "($15 != 0.0 ? $20 : $30)"},
};

static void table(FILE *f, const flx_functions *all, int number, int derivative)
{
    flx_fprintf(f, "%s_table(&%s_table_%d, %d, ", all->name, all->name, number, derivative);
}

static const flx_language language = {.ops = ops,
                                      .open = "(",
                                      .close = ")",
                                      .small_power = "@_power($10, $e)",
                                      .temporary = "z%d",
                                      .between = ", ",
                                      .next_line = ",\n    ",
                                      .infinity = "HUGE_VAL",
                                      .not_a_number = "nan(\"\")",
                                      .number = flx_write_number,
                                      .comment = " * ",
                                      .entry = "%s[%d]",
                                      .first = 0,
                                      .effort = "(tau ? tau[%d] : 0.0)",
                                      .table = table};

// ---- functions that these call, where they do ---------------------------------------------------

static bool any_small_power(const flx_functions *all, const flx_code *codes)
{
    for (int i = 0; i < all->n; i++) {
        if (codes[i].small_power) return true;
    }
    return false;
}

static const char table_text[] =
    "/* A function by points: y = k0 + k1 u + k2 u^2 + ... with u = x - x[i] in piece i. */\n"
    "typedef struct NAME_points {\n"
    "    int n, terms;\n"
    "    const double *x, *k;\n"
    "    int outside; /* 0: held, 1: continued linearly, 2: not a number */\n"
    "} NAME_points;\n\n"
    "static double NAME_piece(const NAME_points *t, int i, int derivative, double u)\n"
    "{\n"
    "    const double *k = t->k + t->terms * i;\n"
    "    double y = 0.0;\n"
    "    int j, d;\n"
    "    for (j = t->terms - 1; j >= derivative; j--) {\n"
    "        double factor = 1.0;\n"
    "        for (d = 0; d < derivative; d++) factor *= j - d;\n"
    "        y = y * u + factor * k[j];\n"
    "    }\n"
    "    return y;\n"
    "}\n\n"
    "static double NAME_table(const NAME_points *t, int derivative, double x)\n"
    "{\n"
    "    int low = 0, high = t->n - 2, before = x < t->x[0], after = x > t->x[t->n - 1];\n"
    "    if (before || after) {\n"
    "        int i = before ? 0 : t->n - 2;\n"
    "        double end = before ? t->x[0] : t->x[t->n - 1];\n"
    "        double value = NAME_piece(t, i, 0, end - t->x[i]);\n"
    "        double slope = NAME_piece(t, i, 1, end - t->x[i]);\n"
    "        if (t->outside == 2) return nan(\"\");\n"
    "        if (t->outside == 0) return derivative == 0 ? value : 0.0;\n"
    "        return derivative == 0 ? value + slope * (x - end) : derivative == 1 ? slope : 0.0;\n"
    "    }\n"
    "    while (low < high) {\n"
    "        int middle = low + (high - low + 1) / 2;\n"
    "        if (x >= t->x[middle]) low = middle;\n"
    "        else high = middle - 1;\n"
    "    }\n"
    "    return NAME_piece(t, low, derivative, x - t->x[low]);\n"
    "}\n\n";

static void write_tables(FILE *f, const flx_functions *all, const flx_code *codes)
{
    const flx_graph *g = all->x.g;
    if (!flx_codes_contain(all, codes, FLX_OP_TABLE)) return;
    const char *name = all->name;
    flx_write_named(f, table_text, name);
    for (int i = 0; i < g->ntable; i++) {
        const flx_table *t = g->tables[i];
        if (!flx_codes_use_table(all, codes, i)) continue;
        flx_fprintf(f, "static const double %s_table_%d_x[] = {", name, i);
        flx_write_numbers(f, &language, t->n, t->x);
        flx_fprintf(f, "};\nstatic const double %s_table_%d_k[] = {", name, i);
        flx_write_numbers(f, &language, t->terms * (t->n - 1), t->k);
        fputs("};\n", f);
        flx_fprintf(
            f,
            "static const %s_points %s_table_%d = {%d, %d, %s_table_%d_x, %s_table_%d_k, %d};\n\n",
            name, name, i, t->n, t->terms, name, i, name, i, flx_outside_number(t));
    }
}

static void write_called(FILE *f, const flx_functions *all, const flx_code *codes)
{
    if (any_small_power(all, codes)) {
        flx_write_named(f,
                        "static double NAME_power(double x, int e)\n"
                        "{\n"
                        "    double p = 1.0;\n"
                        "    unsigned k = (unsigned)(e < 0 ? -e : e);\n"
                        "    for (; k; k >>= 1) {\n"
                        "        if (k & 1u) p *= x;\n"
                        "        x *= x;\n"
                        "    }\n"
                        "    return e < 0 ? 1.0 / p : p;\n"
                        "}\n\n",
                        all->name);
    }
    if (flx_codes_contain(all, codes, FLX_OP_SIGN)) {
        flx_write_named(f,
                        "static double NAME_sign(double x)\n"
                        "{\n"
                        "    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;\n"
                        "}\n\n",
                        all->name);
    }
    if (flx_codes_contain(all, codes, FLX_OP_MOD)) {
        flx_write_named(f,
                        "/* The remainder has the sign of the divisor. */\n"
                        "static double NAME_modulo(double x, double y)\n"
                        "{\n"
                        "    double r = fmod(x, y);\n"
                        "    return r != 0.0 && (r < 0.0) != (y < 0.0) ? r + y : r;\n"
                        "}\n\n",
                        all->name);
    }
    write_tables(f, all, codes);
}

// ---- functions ----------------------------------------------------------------------------------

static void write_signature(FILE *f, const flx_functions *all, const flx_function *o)
{
    flx_fprintf(f, "void %s_%s(", all->name, o->name);
    flx_write_inputs(f, o, "double ", "const double *", "");
    for (int i = 0; i < o->nresult; i++) flx_fprintf(f, ", double *%s", o->results[i].name);
    fputs(")", f);
}

static void write_result(FILE *f, const flx_code *c, const flx_export_result *r)
{
    int n = r->rows * (r->columns ? r->columns : 1), zeros = 0;
    for (int i = 0; i < n; i++) zeros += flx_code_is_zero(c, r->nodes[i]);
    if (zeros > 0) flx_fprintf(f, "    for (i = 0; i < %d; i++) %s[i] = 0.0;\n", n, r->name);
    for (int i = 0; i < n; i++) {
        if (flx_code_is_zero(c, r->nodes[i])) continue;
        flx_fprintf(f, "    %s[%d] = ", r->name, i);
        flx_code_write(f, c, &language, r->nodes[i], true);
        fputs(";\n", f);
    }
}

static bool has_zeros(const flx_code *c, const flx_function *o)
{
    for (int i = 0; i < o->nresult; i++) {
        const flx_export_result *r = o->results + i;
        for (int k = 0; k < r->rows * (r->columns ? r->columns : 1); k++) {
            if (flx_code_is_zero(c, r->nodes[k])) return true;
        }
    }
    return false;
}

static void write_function(FILE *f, const flx_functions *all, const flx_function *o,
                           const flx_code *c)
{
    flx_fprintf(f, "/* %s: %s.", o->name, o->comment);
    for (int i = 0; i < o->nresult; i++) {
        const flx_export_result *r = o->results + i;
        flx_fprintf(f, "\n   %s (%d", r->name, r->rows);
        if (r->columns) flx_fprintf(f, " x %d, by rows", r->columns);
        flx_fprintf(f, ")%s%s", r->comment[0] ? ": " : "", r->comment);
    }
    fputs(" */\n", f);
    write_signature(f, all, o);
    fputs("\n{\n", f);
    if (has_zeros(c, o)) fputs("    int i;\n", f);
    for (int i = 0; i < c->ntemporary; i++) {
        flx_fprintf(f, "    const double z%d = ", i + 1);
        flx_code_write(f, c, &language, c->temporaries[i], false);
        fputs(";\n", f);
    }
    for (int i = 0; i < FLX_INPUTS; i++) {
        if ((o->inputs & ~c->inputs) & (1u << i))
            flx_fprintf(f, "    (void)%s;\n", flx_input_names[i]);
    }
    for (int i = 0; i < o->nresult; i++) write_result(f, c, o->results + i);
    fputs("}\n\n", f);
}

static void write_constants(FILE *f, const flx_functions *all)
{
    const flx_symbolic *x = &all->x;
    const double none = 0.0;
    const char *n = all->name;
    fputs("#include <math.h>\n\n", f);
    flx_fprintf(f,
                "enum { %s_nq = %d, %s_nv = %d, %s_nx = %d, %s_np = %d, %s_nrow = %d, %s_nu = %d, "
                "%s_ny = %d };\n\n",
                n, x->nq, n, x->nv, n, x->m->nstate, n, all->np, n, x->nrow, n, all->nu, n,
                all->ny);
    flx_fprintf(f, "const double %s_drawn[] = {", n);
    flx_write_numbers(f, &language, x->nq, x->drawn);
    flx_fprintf(
        f, "}; /* coordinates of the initial configuration */\nconst double %s_parameters[] = {",
        n);
    flx_write_numbers(f, &language, all->np ? all->np : 1, all->np ? all->defaults : &none);
    fputs("}; /* the model's values */\n\n", f);
}

static void write_prototypes(FILE *f, const flx_functions *all)
{
    for (int i = 0; i < all->n; i++) {
        write_signature(f, all, all->f + i);
        fputs(";\n", f);
    }
    if (all->solve) {
        flx_fprintf(f,
                    "int %s_forward(double t, const double *p, const double *q, const double *v, "
                    "const double *x, %sconst double *tau, double *a, double *lam);\n",
                    all->name, all->nu > 0 ? "const double *u, " : "");
    }
    fputs("\n", f);
}

// NAME stands for the name of the equations.
static const char solve_text[] =
    "/* M = L L^T in the lower half; 1: M is not positive. */\n"
    "static int NAME_factor(int n, double *M)\n"
    "{\n"
    "    int i, j, k;\n"
    "    for (j = 0; j < n; j++) {\n"
    "        double d = M[n * j + j];\n"
    "        for (k = 0; k < j; k++) d -= M[n * j + k] * M[n * j + k];\n"
    "        if (!(d > 0.0)) return 1;\n"
    "        M[n * j + j] = sqrt(d);\n"
    "        for (i = j + 1; i < n; i++) {\n"
    "            double s = M[n * i + j];\n"
    "            for (k = 0; k < j; k++) s -= M[n * i + k] * M[n * j + k];\n"
    "            M[n * i + j] = s / M[n * j + j];\n"
    "        }\n"
    "    }\n"
    "    return 0;\n"
    "}\n\n"
    "static void NAME_solve(int n, const double *L, double *b)\n"
    "{\n"
    "    int i, k;\n"
    "    for (i = 0; i < n; i++) {\n"
    "        for (k = 0; k < i; k++) b[i] -= L[n * i + k] * b[k];\n"
    "        b[i] /= L[n * i + i];\n"
    "    }\n"
    "    for (i = n - 1; i >= 0; i--) {\n"
    "        for (k = i + 1; k < n; k++) b[i] -= L[n * k + i] * b[k];\n"
    "        b[i] /= L[n * i + i];\n"
    "    }\n"
    "}\n\n"
    "/* forward: accelerations of the closed mechanism, and the multipliers of its closures (lam "
    "may\n"
    "   be a null pointer): M a + inverse(0) + G^T lam = tau, G a + bias = 0. Closures that say "
    "again\n"
    "   what others say are left out, with the multiplier 0. Returns 0, or 1 where the mass matrix "
    "is\n"
    "   not positive. */\n"
    "int NAME_forward(double t, const double *p, const double *q, const double *v, "
    "GIVEN,\n                 const double *tau, double *a, double *lam)\n"
    "{\n"
    "    enum { n = NAME_nv, m = NAME_nrow };\n"
    "    double M[n * n], G[m * n], W[m * n], Y[m * n], S[m * m], g[m], gd[m], b[m], c[m], d[m], "
    "h[n];\n"
    "    int order[m], rank = 0, i, j, k;\n"
    "    for (i = 0; i < n; i++) a[i] = 0.0;\n"
    "    NAME_mass(p, q, M);\n"
    "    NAME_inverse(STATE, a, h);\n"
    "    NAME_closures(STATE, g, gd, G, b);\n"
    "    NAME_sizes(STATE, W);\n"
    "    if (NAME_factor(n, M)) return 1;\n"
    "    for (i = 0; i < n; i++) a[i] = (tau ? tau[i] : 0.0) - h[i];\n"
    "    NAME_solve(n, M, a);\n"
    "    for (i = 0; i < m; i++) {\n"
    "        for (k = 0; k < n; k++) Y[n * i + k] = G[n * i + k];\n"
    "        NAME_solve(n, M, Y + n * i);\n"
    "        for (k = 0; k < n; k++) b[i] += G[n * i + k] * a[k];\n"
    "    }\n"
    "    for (i = 0; i < m; i++) {\n"
    "        for (j = 0; j < m; j++) {\n"
    "            S[m * i + j] = 0.0;\n"
    "            for (k = 0; k < n; k++) S[m * i + j] += G[n * i + k] * Y[n * j + k];\n"
    "        }\n"
    "        d[i] = 0.0;\n"
    "        order[i] = i;\n"
    "        c[i] = 0.0;\n"
    "    }\n"
    "    for (k = 0; k < n; k++) { /* rows as large as what they are sums of */\n"
    "        for (i = 0; i < n; i++) h[i] = i == k ? 1.0 : 0.0;\n"
    "        NAME_solve(n, M, h);\n"
    "        for (i = 0; i < m; i++) d[i] += W[n * i + k] * W[n * i + k] * h[k];\n"
    "    }\n"
    "    /* S = L L^T, the row first of which most is left; what is left of a row that depends on\n"
    "       others is rounding, and so is a whole row that says nothing. */\n"
    "    for (; rank < m; rank++) {\n"
    "        int best = rank, r;\n"
    "        double most = 0.0;\n"
    "        for (i = rank; i < m; i++) {\n"
    "            r = order[i];\n"
    "            if (d[r] > 0.0 && S[m * r + r] > most * d[r]) {\n"
    "                most = S[m * r + r] / d[r];\n"
    "                best = i;\n"
    "            }\n"
    "        }\n"
    "        if (!(most > 1e-12)) break;\n"
    "        r = order[best];\n"
    "        order[best] = order[rank];\n"
    "        order[rank] = r;\n"
    "        S[m * r + r] = sqrt(S[m * r + r]);\n"
    "        for (i = rank + 1; i < m; i++) S[m * order[i] + r] /= S[m * r + r];\n"
    "        for (i = rank + 1; i < m; i++) {\n"
    "            for (j = rank + 1; j < m; j++) {\n"
    "                S[m * order[i] + order[j]] -= S[m * order[i] + r] * S[m * order[j] + r];\n"
    "            }\n"
    "        }\n"
    "    }\n"
    "    for (i = 0; i < rank; i++) {\n"
    "        double s = b[order[i]];\n"
    "        for (k = 0; k < i; k++) s -= S[m * order[i] + order[k]] * c[order[k]];\n"
    "        c[order[i]] = s / S[m * order[i] + order[i]];\n"
    "    }\n"
    "    for (i = rank - 1; i >= 0; i--) {\n"
    "        double s = c[order[i]];\n"
    "        for (k = i + 1; k < rank; k++) s -= S[m * order[k] + order[i]] * c[order[k]];\n"
    "        c[order[i]] = s / S[m * order[i] + order[i]];\n"
    "    }\n"
    "    for (i = 0; i < m; i++) {\n"
    "        for (k = 0; k < n; k++) a[k] -= c[i] * Y[n * i + k];\n"
    "        if (lam) lam[i] = c[i];\n"
    "    }\n"
    "    return 0;\n"
    "}\n";

flx_status flx_write_c(FILE *f, const flx_functions *all, const flx_code *codes)
{
    fputs("/*\n", f);
    flx_write_header(f, all, &language);
    fputs(" */\n", f);
    write_constants(f, all);
    write_prototypes(f, all);
    write_called(f, all, codes);
    for (int i = 0; i < all->n; i++) write_function(f, all, all->f + i, codes + i);
    if (all->solve) flx_write_solver(f, all, solve_text);
    return FLX_OK;
}
