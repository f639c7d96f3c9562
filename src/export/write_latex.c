// write_latex.c - a document with the equations: mass matrix, the efforts of rest and motion,
// closures, with named subexpressions in aligned lines.
#include "base/letters.h"
#include "base/number.h"
#include "export/code.h"

#include <string.h>

// Where it differs from the ordinary notation (code.h).
static const flx_notation ops[FLX_OPS] = {
    [FLX_OP_MUL] = {2, "$12 \\, $23"},
    [FLX_OP_DIV] = {5, "\\frac{$10}{$20}"},
    [FLX_OP_NEG] = {1, "-$12"},
    [FLX_OP_POW] = {4, "{$15}^{$20}"},
    [FLX_OP_SQRT] = {5, "\\sqrt{$10}"},
    [FLX_OP_SIN] = {5, "\\sin\\left($10\\right)"},
    [FLX_OP_COS] = {5, "\\cos\\left($10\\right)"},
    [FLX_OP_TAN] = {5, "\\tan\\left($10\\right)"},
    [FLX_OP_ASIN] = {5, "\\arcsin\\left($10\\right)"},
    [FLX_OP_ACOS] = {5, "\\arccos\\left($10\\right)"},
    [FLX_OP_ATAN] = {5, "\\arctan\\left($10\\right)"},
    [FLX_OP_ATAN2] = {5, "\\operatorname{atan2}\\left($10, $20\\right)"},
    [FLX_OP_SINH] = {5, "\\sinh\\left($10\\right)"},
    [FLX_OP_COSH] = {5, "\\cosh\\left($10\\right)"},
    [FLX_OP_TANH] = {5, "\\tanh\\left($10\\right)"},
    [FLX_OP_EXP] = {5, "\\exp\\left($10\\right)"},
    [FLX_OP_LOG] = {5, "\\ln\\left($10\\right)"},
    [FLX_OP_LOG10] = {5, "\\log_{10}\\left($10\\right)"},
    [FLX_OP_ABS] = {5, "\\left|$10\\right|"},
    [FLX_OP_SIGN] = {5, "\\operatorname{sign}\\left($10\\right)"},
    [FLX_OP_FLOOR] = {5, "\\left\\lfloor $10\\right\\rfloor"},
    [FLX_OP_CEIL] = {5, "\\left\\lceil $10\\right\\rceil"},
    [FLX_OP_ROUND] = {5, "\\left\\lfloor $11 + \\tfrac{1}{2}\\right\\rfloor"},
    [FLX_OP_MOD] = {2, "$12 \\bmod $23"},
    [FLX_OP_MIN] = {5, "\\min\\left($10, $20\\right)"},
    [FLX_OP_MAX] = {5, "\\max\\left($10, $20\\right)"},
    [FLX_OP_LT] = {5, "\\left[$11 < $21\\right]"},
    [FLX_OP_LE] = {5, "\\left[$11 \\le $21\\right]"},
    [FLX_OP_EQ] = {5, "\\left[$11 = $21\\right]"},
    [FLX_OP_NE] = {5, "\\left[$11 \\ne $21\\right]"},
    [FLX_OP_AND] = {5, "\\left[$15 \\wedge $25\\right]"},
    [FLX_OP_OR] = {5, "\\left[$15 \\vee $25\\right]"},
    [FLX_OP_NOT] = {5, "\\left[\\neg $15\\right]"},
    [FLX_OP_IF] = {5, "\\begin{cases} $20 & \\text{if } $15 \\\\ $30 & \\text{else} \\end{cases}"},
    [FLX_OP_TABLE] = {5, "$10\\right)"},
};

static void write_escaped(FILE *f, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (strchr("_&%$#{}", *c)) {
            flx_fprintf(f, "\\%c", *c);
        } else if (strchr("\\^~", *c)) {
            flx_fprintf(f, "\\char%d{}", *c);
        } else {
            fputc(flx_is_control(*c) ? ' ' : *c, f);
        }
    }
}

static void input(FILE *f, const flx_functions *all, flx_export_input in, int index)
{
    static const char *const names[FLX_INPUTS] = {"t", "",  "q",        "\\dot q", "x",
                                                  "u", "a", "\\lambda", "\\tau"};
    if (in == FLX_INPUT_T) {
        fputs("t", f);
    } else if (in == FLX_INPUT_P) {
        fputs("\\mathit{", f);
        write_escaped(f, all->parameters[index]->name);
        fputs("}", f);
    } else {
        flx_fprintf(f, "%s_{%d}", names[in], index + 1);
    }
}

static void table(FILE *f, const flx_functions *all, int number, int derivative)
{
    (void)all;
    flx_fprintf(f, "T_{%d}%.*s\\left(", number + 1, derivative, "''''''''");
}

#define DIGITS 10 // enough to read

static void number(FILE *f, double value)
{
    char text[40], *e;
    flx_snprintf(text, sizeof text, "%.*g", DIGITS, value);
    e = strchr(text, 'e');
    if (!e) {
        fputs(text, f);
        return;
    }
    *e = '\0';
    int exponent = 0;
    for (const char *c = e + 2; *c; c++) exponent = 10 * exponent + (*c - '0');
    flx_fprintf(f, "%s \\cdot 10^{%s%d}", text, e[1] == '-' ? "-" : "", exponent);
}

static const flx_language language = {.ops = ops,
                                      .open = "\\left(",
                                      .close = "\\right)",
                                      .temporary = "z_{%d}",
                                      .between = ", ",
                                      .next_line = ", ",
                                      .infinity = "\\infty",
                                      .not_a_number = "\\mathrm{NaN}",
                                      .number = number,
                                      .comment = "% ",
                                      .entry = "%s_%d",
                                      .first = 1,
                                      .input = input,
                                      .table = table};

// ---- document -----------------------------------------------------------------------------------

#define LINES 30 // of one display

typedef struct display {
    FILE *f;
    int lines;
} display;

// Begins a line, and a new display where the last is full.
static void next_line(display *d)
{
    if (d->lines % LINES == 0) {
        fputs(d->lines ? "\n\\end{align*}\n\\begin{align*}\n" : "\\begin{align*}\n", d->f);
    } else {
        fputs(" \\\\\n", d->f);
    }
    d->lines++;
}

static void write_name(FILE *f, const flx_export_result *r, int i)
{
    const char *name = strcmp(r->name, "gd") == 0     ? "\\dot g"
                       : strcmp(r->name, "bias") == 0 ? "b"
                       : strcmp(r->name, "tau") == 0  ? "k"
                       : strcmp(r->name, "dx") == 0   ? "\\dot x"
                       : strcmp(r->name, "dq") == 0   ? "\\dot q"
                                                      : r->name;
    if (strlen(name) == 2 && name[0] != '\\') { // Kx: the index is part of the name
        flx_fprintf(f, "%c^{(%c)}", name[0], name[1]);
    } else {
        fputs(name, f);
    }
    if (r->columns) {
        flx_fprintf(f, "_{%d,%d} &= ", i / r->columns + 1, i % r->columns + 1);
    } else {
        flx_fprintf(f, "_{%d} &= ", i + 1);
    }
}

static void write_function(FILE *f, const flx_function *o, const flx_code *c)
{
    display d = {f, 0};
    for (int i = 0; i < c->ntemporary; i++) {
        next_line(&d);
        flx_fprintf(f, "z_{%d} &= ", i + 1);
        flx_code_write(f, c, &language, c->temporaries[i], false);
    }
    for (int i = 0; i < o->nresult; i++) {
        const flx_export_result *r = o->results + i;
        bool symmetric = strcmp(r->name, "M") == 0;
        int columns = r->columns ? r->columns : 1;
        for (int k = 0; k < r->rows * columns; k++) {
            if (flx_code_is_zero(c, r->nodes[k])) continue;
            if (symmetric && k / columns > k % columns) continue;
            next_line(&d);
            write_name(f, r, k);
            flx_code_write(f, c, &language, r->nodes[k], true);
        }
    }
    if (d.lines > 0) fputs("\n\\end{align*}\n", f);
    if (d.lines == 0) fputs("All entries are zero.\n", f);
}

static void write_names(FILE *f, const char *symbol, int n, const flx_name *names)
{
    fputs("\\begin{itemize}\n", f);
    for (int i = 0; i < n; i++) {
        flx_fprintf(f, "\\item $%s_{%d}$: ", symbol, i + 1);
        write_escaped(f, names[i].item);
        flx_fprintf(f, ", %s [%s]\n", names[i].part, names[i].unit);
    }
    fputs("\\end{itemize}\n", f);
}

static void write_intro(FILE *f, const flx_functions *all)
{
    const flx_symbolic *x = &all->x;
    const flx_model *m = x->m;
    flx_write_header(f, all, &language);
    fputs("\\documentclass{article}\n\\usepackage{amsmath}\n\\usepackage[margin=2cm]{geometry}\n"
          "\\allowdisplaybreaks\n\\begin{document}\n\\section*{",
          f);
    write_escaped(f, m->title && m->title[0] ? m->title : all->name);
    flx_fprintf(f,
                "}\nEquations of motion in the coordinates of the joints, written by Flexion %s:\n",
                flx_version());
    fputs(x->nrow > 0 ? "\\[ M(q)\\,\\ddot q + k(q, \\dot q, t) + G^T\\lambda = \\tau, \\qquad "
                        "G\\,\\ddot q + b = 0 \\]\n"
                      : "\\[ M(q)\\,\\ddot q + k(q, \\dot q, t) = \\tau \\]\n",
          f);
    fputs("Entries that are not listed are zero; in each part the $z_i$ are its own.\n"
          "\\subsection*{Coordinates}\n",
          f);
    write_names(f, "q", x->nq, all->q);
    fputs("The velocities $\\dot q$ that stand in the equations, and accelerations and efforts "
          "alike:\n",
          f);
    write_names(f, "\\dot q", x->nv, all->v);
    if (m->nstate > 0) fputs("\\subsection*{States}\n\\begin{itemize}\n", f);
    for (int i = 0; i < m->nfirst; i++) {
        flx_fprintf(f, "\\item $x_{%d}$: ", m->firsts[i].number + 1);
        write_escaped(f, m->firsts[i].name);
        fputs("\n", f);
    }
    if (m->nstate > 0) fputs("\\end{itemize}\n", f);
}

typedef struct caption {
    const char *name, *title, *text;
} caption;

static const caption captions[] = {
    {"mass", "Mass matrix", "$M$ is symmetric; its upper half:"},
    {"inverse", "Motion, weight and forces",
     "The efforts $k$ that they take without acceleration:"},
    {"closures", "Closures",
     "$g(q, t) = 0$, its rate $\\dot g = G\\,\\dot q + \\partial g/\\partial t = 0$, and the bias "
     "$b$ in $G\\,\\ddot q + b = 0$:"},
    {"states", "States", "Their rates:"},
    {"inputs", "Inputs", "What the model gives them:"},
    {"outputs", "Outputs", "Of the model:"},
    {"rates", "Coordinates and velocities", "The rates of the coordinates:"},
    {"forward", "Forward dynamics", "The accelerations $a$:"},
    {"linearise", "Linearisation",
     "$M\\,\\delta a + D\\,\\delta\\dot q + K\\,\\delta q = \\delta\\tau$ near a motion, with "
     "multipliers "
     "held:"},
};

static void write_caption(FILE *f, const char *name)
{
    for (size_t i = 0; i < sizeof captions / sizeof captions[0]; i++) {
        if (strcmp(captions[i].name, name) != 0) continue;
        flx_fprintf(f, "\\subsection*{%s}\n%s\n", captions[i].title, captions[i].text);
    }
}

flx_status flx_write_latex(FILE *f, const flx_functions *all, const flx_code *codes)
{
    write_intro(f, all);
    for (int i = 0; i < all->n; i++) {
        write_caption(f, all->f[i].name);
        write_function(f, all->f + i, codes + i);
    }
    fputs("\\end{document}\n", f);
    return FLX_OK;
}
