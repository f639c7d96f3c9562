// code.c - from nodes to lines of a program: what is used twice, or grows too long for a line, gets
// a name; all else is written where it is used.
#include "export/code.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 9 // operations of one line

// ---- plan ---------------------------------------------------------------------------------------

typedef struct walk {
    flx_code *c;
    int n, capacity;
    flx_node *list; // met so far; the first `done` with their operands
    int *uses;      // of each node of the graph
} walk;

static flx_status meet(walk *w, flx_node n)
{
    if (w->uses[n]++ > 0) return FLX_OK;
    FLX_TRY(flx_grow(w->c->g->ctx, (void **)&w->list, &w->capacity, w->n + 1, sizeof *w->list));
    w->list[w->n++] = n;
    return FLX_OK;
}

static void note(walk *w, const flx_graph_node *p)
{
    flx_code *c = w->c;
    int index;
    double e;
    c->ops[p->op] = true;
    if (p->op == FLX_OP_LEAF) c->inputs |= 1u << flx_input_of(c->all, p->payload, &index);
    if (p->op == FLX_OP_TABLE) c->tables[p->b] = true;
    if (p->op == FLX_OP_POW && flx_graph_is_const(c->g, p->b, &e) && flx_is_small_power(e)) {
        c->small_power = true;
    }
}

static flx_status meet_all(walk *w, const flx_function *f)
{
    for (int i = 0; i < f->nresult; i++) {
        const flx_export_result *r = f->results + i;
        int n = r->rows * (r->columns ? r->columns : 1);
        for (int k = 0; k < n; k++) {
            if (r->nodes[k] < 0) return FLX_ERR_MEMORY;
            FLX_TRY(meet(w, r->nodes[k]));
        }
    }
    for (int i = 0; i < w->n; i++) {
        const flx_graph_node *p = w->c->g->nodes + w->list[i];
        int operands = flx_op_operands(p->op);
        note(w, p);
        if (operands > 0) FLX_TRY(meet(w, p->a));
        if (operands > 1) FLX_TRY(meet(w, p->b));
        if (operands > 2) FLX_TRY(meet(w, p->c));
    }
    return FLX_OK;
}

static int ascending(const void *a, const void *b)
{
    const flx_node *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool is_atom(const flx_graph_node *p)
{
    return p->op == FLX_OP_CONST || p->op == FLX_OP_LEAF;
}

// Operands have smaller numbers, so one pass in their order finds every length.
static flx_status name_nodes(walk *w)
{
    flx_code *c = w->c;
    int *length = flx_alloc(c->g->ctx, (size_t)c->g->n, sizeof *length);
    c->temporaries = flx_alloc(c->g->ctx, (size_t)w->n, sizeof *c->temporaries);
    if (!length || !c->temporaries) {
        flx_free(length);
        return FLX_ERR_MEMORY;
    }
    if (w->n > 0) qsort(w->list, (size_t)w->n, sizeof *w->list, ascending);
    for (int i = 0; i < w->n; i++) {
        flx_node n = w->list[i];
        const flx_graph_node *p = c->g->nodes + n;
        const int operands[3] = {p->a, p->b, p->c};
        if (is_atom(p)) continue;
        c->count++;
        length[n] = 1;
        for (int k = 0; k < 3 && k < flx_op_operands(p->op); k++) {
            length[n] += length[operands[k]];
        }
        bool sign = p->op == FLX_OP_NEG && is_atom(c->g->nodes + p->a);
        if ((w->uses[n] < 2 || sign) && length[n] < LONGEST) continue;
        c->temporaries[c->ntemporary++] = n;
        c->number[n] = c->ntemporary;
        length[n] = 0;
    }
    flx_free(length);
    return FLX_OK;
}

flx_status flx_code_plan(const flx_functions *all, const flx_function *f, flx_code *c)
{
    const flx_graph *g = all->x.g;
    *c = (flx_code){.all = all, .g = g};
    walk w = {.c = c, .uses = flx_alloc(g->ctx, (size_t)g->n, sizeof(int))};
    c->number = flx_alloc(g->ctx, (size_t)g->n, sizeof *c->number);
    c->tables = flx_alloc(g->ctx, (size_t)g->ntable + 1, sizeof *c->tables);
    flx_status status = w.uses && c->number && c->tables ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = meet_all(&w, f);
    if (status == FLX_OK) status = name_nodes(&w);
    flx_free(w.uses);
    flx_free(w.list);
    if (status == FLX_OK && c->count > all->options.limit) {
        status = FLX_FAIL(g->ctx, FLX_ERR_CANNOT, flx_model_start(all->x.m),
                          "the function '%s' of %d freedoms has %d operations, more than %d; leave "
                          "it out with --functions, or allow more with --limit",
                          f->name, all->x.nv, c->count, all->options.limit);
    }
    if (status != FLX_OK) flx_code_clear(c);
    return status;
}

void flx_code_clear(flx_code *c)
{
    flx_free(c->temporaries);
    flx_free(c->number);
    flx_free(c->tables);
    *c = (flx_code){0};
}

bool flx_code_is_zero(const flx_code *c, flx_node n)
{
    double value;
    return flx_graph_is_const(c->g, n, &value) && value == 0.0;
}

bool flx_codes_contain(const flx_functions *all, const flx_code *codes, flx_op op)
{
    for (int i = 0; i < all->n; i++) {
        if (codes[i].ops[op]) return true;
    }
    return false;
}

bool flx_codes_use_table(const flx_functions *all, const flx_code *codes, int table)
{
    for (int i = 0; i < all->n; i++) {
        if (codes[i].tables[table]) return true;
    }
    return false;
}

int flx_outside_number(const flx_table *t)
{
    return t->outside == FLX_OUTSIDE_HOLD ? 0 : t->outside == FLX_OUTSIDE_EXTEND ? 1 : 2;
}

// ---- text ---------------------------------------------------------------------------------------

void flx_write_number(FILE *f, double value)
{
    char text[FLX_NUMBER_SIZE];
    fputs(flx_number_text(value, text), f);
    if (!strpbrk(text, ".e")) fputs(".0", f);
}

void flx_language_number(FILE *f, const flx_language *l, double value)
{
    if (isfinite(value)) {
        l->number(f, value);
    } else if (isnan(value)) {
        fputs(l->not_a_number, f);
    } else {
        flx_fprintf(f, "%s%s", value < 0.0 ? "-" : "", l->infinity);
    }
}

static void write_at(FILE *f, const flx_code *c, const flx_language *l, flx_node n, bool named,
                     int level, bool flipped);

// What most languages write.
static const flx_notation ordinary[FLX_OPS] = {
    [FLX_OP_ADD] = {1, "$11 + $22"},     [FLX_OP_SUB] = {1, "$11 - $22"},
    [FLX_OP_MUL] = {2, "$12 * $23"},     [FLX_OP_DIV] = {2, "$12 / $23"},
    [FLX_OP_NEG] = {3, "-$15"},          [FLX_OP_POW] = {5, "pow($10, $20)"},
    [FLX_OP_SQRT] = {5, "sqrt($10)"},    [FLX_OP_SIN] = {5, "sin($10)"},
    [FLX_OP_COS] = {5, "cos($10)"},      [FLX_OP_TAN] = {5, "tan($10)"},
    [FLX_OP_ASIN] = {5, "asin($10)"},    [FLX_OP_ACOS] = {5, "acos($10)"},
    [FLX_OP_ATAN] = {5, "atan($10)"},    [FLX_OP_ATAN2] = {5, "atan2($10, $20)"},
    [FLX_OP_SINH] = {5, "sinh($10)"},    [FLX_OP_COSH] = {5, "cosh($10)"},
    [FLX_OP_TANH] = {5, "tanh($10)"},    [FLX_OP_EXP] = {5, "exp($10)"},
    [FLX_OP_LOG] = {5, "log($10)"},      [FLX_OP_LOG10] = {5, "log10($10)"},
    [FLX_OP_ABS] = {5, "abs($10)"},      [FLX_OP_FLOOR] = {5, "floor($10)"},
    [FLX_OP_CEIL] = {5, "ceil($10)"},    [FLX_OP_ROUND] = {5, "floor($11 + 0.5)"},
    [FLX_OP_MIN] = {5, "min($10, $20)"}, [FLX_OP_MAX] = {5, "max($10, $20)"},
    [FLX_OP_TABLE] = {5, "$10)"},
};

static const flx_notation *notation_of(const flx_language *l, flx_op op)
{
    return l->ops[op].text ? l->ops + op : ordinary + op;
}

static bool is_small_power(const flx_code *c, const flx_language *l, const flx_graph_node *p,
                           double *e)
{
    return p->op == FLX_OP_POW && l->small_power && flx_graph_is_const(c->g, p->b, e) &&
           flx_is_small_power(*e);
}

static int level_of(const flx_code *c, const flx_language *l, flx_node n, bool named)
{
    const flx_graph_node *p = c->g->nodes + n;
    double e;
    if (named && c->number[n]) return 5;
    if (p->op == FLX_OP_CONST) return flx_node_value(p) < 0.0 ? 2 : 5; // may begin a product
    if (p->op == FLX_OP_LEAF || is_small_power(c, l, p, &e)) return 5;
    return notation_of(l, p->op)->level;
}

// Whether its text begins with a negative number: a + -2 b is a - 2 b, and a - -2 b is a + 2 b.
static bool leads_negative(const flx_code *c, flx_node n)
{
    const flx_graph_node *p = c->g->nodes + n;
    if (p->op == FLX_OP_CONST) return flx_node_value(p) < 0.0;
    bool product = p->op == FLX_OP_MUL || p->op == FLX_OP_DIV;
    return !c->number[n] && product && leads_negative(c, p->a);
}

static void write_input(FILE *f, const flx_code *c, const flx_language *l, flx_export_input input,
                        int index)
{
    if (l->input) {
        l->input(f, c->all, input, index);
    } else if (input == FLX_INPUT_T) {
        fputs("t", f);
    } else if (input == FLX_INPUT_TAU && l->effort) {
        flx_fprintf(f, l->effort, index);
    } else {
        flx_fprintf(f, l->entry, flx_input_names[input], index + l->first);
    }
}

// flipped: with the sign of the number at its beginning changed.
static void write_operation(FILE *f, const flx_code *c, const flx_language *l, flx_node n,
                            bool flipped)
{
    const flx_graph_node *p = c->g->nodes + n;
    const int operands[3] = {p->a, p->b, p->c};
    double e = 0.0;
    flx_op op = p->op;
    bool turned = (op == FLX_OP_ADD || op == FLX_OP_SUB) && leads_negative(c, p->b);
    if (turned) op = op == FLX_OP_ADD ? FLX_OP_SUB : FLX_OP_ADD;
    const char *text = is_small_power(c, l, p, &e) ? l->small_power : notation_of(l, op)->text;
    if (p->op == FLX_OP_TABLE) l->table(f, c->all, p->b, p->c);
    for (; *text; text++) {
        if (*text == '@') {
            fputs(c->all->name, f);
        } else if (*text != '$') {
            fputc(*text, f);
        } else if (text[1] == 'e') {
            flx_fprintf(f, "%d", (int)e);
            text++;
        } else {
            int k = text[1] - '1';
            write_at(f, c, l, operands[k], true, text[2] - '0',
                     (turned && k == 1) || (flipped && k == 0));
            text += 2;
        }
    }
}

// Expressions of one line are short, so the recursion is not deep.
static void write_at(FILE *f, const flx_code *c, const flx_language *l, flx_node n, bool named,
                     int level, bool flipped)
{
    const flx_graph_node *p = c->g->nodes + n;
    bool in = level_of(c, l, n, named) < level && !flipped;
    int index;
    if (in) fputs(l->open, f);
    if (named && c->number[n]) {
        flx_fprintf(f, l->temporary, c->number[n]);
    } else if (p->op == FLX_OP_CONST) {
        flx_language_number(f, l, flipped ? -flx_node_value(p) : flx_node_value(p));
    } else if (p->op == FLX_OP_LEAF) {
        flx_export_input input = flx_input_of(c->all, p->payload, &index);
        write_input(f, c, l, input, index);
    } else {
        write_operation(f, c, l, n, flipped);
    }
    if (in) fputs(l->close, f);
}

void flx_code_write(FILE *f, const flx_code *c, const flx_language *l, flx_node n, bool named)
{
    write_at(f, c, l, n, named, 0, false);
}
