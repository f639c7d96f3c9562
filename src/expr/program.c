// program.c - flat programs: the nodes asked for and all below them as one list of instructions.
//
// Registers are doubles in the caller's scratch: constants first, then the inputs that are used,
// then one result after the other. So an instruction names its operands only; its result is the
// next register. sin and cos of one angle are one instruction with two results, and a product that
// is used once, in a sum, is part of the sum's instruction (rounded twice, as if it were not).
#include "expr/graph.h"

typedef enum code {
    CODE_END,
    CODE_ADD,
    CODE_SUB,
    CODE_MUL,
    CODE_DIV,
    CODE_NEG,
    CODE_MUL_ADD, // a*b + c
    CODE_MUL_SUB, // a*b - c
    CODE_SUB_MUL, // c - a*b
    CODE_SQUARE,
    CODE_CUBE,
    CODE_POWER, // b is the exponent itself
    CODE_POW,
    CODE_SQRT,
    CODE_SIN_COS, // two results
    CODE_SIN,
    CODE_COS,
    CODE_TAN,
    CODE_ASIN,
    CODE_ACOS,
    CODE_ATAN,
    CODE_ATAN2,
    CODE_SINH,
    CODE_COSH,
    CODE_TANH,
    CODE_EXP,
    CODE_LOG,
    CODE_LOG10,
    CODE_ABS,
    CODE_SIGN,
    CODE_FLOOR,
    CODE_CEIL,
    CODE_ROUND,
    CODE_MOD,
    CODE_MIN,
    CODE_MAX,
    CODE_LT,
    CODE_LE,
    CODE_EQ,
    CODE_NE,
    CODE_AND,
    CODE_OR,
    CODE_NOT,
    CODE_IF,
    CODE_TABLE, // b: which of the program's tables, c: derivative
} code;

static const code plain_code[] = {
    [FLX_OP_ADD] = CODE_ADD,     [FLX_OP_SUB] = CODE_SUB,     [FLX_OP_MUL] = CODE_MUL,
    [FLX_OP_DIV] = CODE_DIV,     [FLX_OP_NEG] = CODE_NEG,     [FLX_OP_POW] = CODE_POW,
    [FLX_OP_SQRT] = CODE_SQRT,   [FLX_OP_SIN] = CODE_SIN,     [FLX_OP_COS] = CODE_COS,
    [FLX_OP_TAN] = CODE_TAN,     [FLX_OP_ASIN] = CODE_ASIN,   [FLX_OP_ACOS] = CODE_ACOS,
    [FLX_OP_ATAN] = CODE_ATAN,   [FLX_OP_ATAN2] = CODE_ATAN2, [FLX_OP_SINH] = CODE_SINH,
    [FLX_OP_COSH] = CODE_COSH,   [FLX_OP_TANH] = CODE_TANH,   [FLX_OP_EXP] = CODE_EXP,
    [FLX_OP_LOG] = CODE_LOG,     [FLX_OP_LOG10] = CODE_LOG10, [FLX_OP_ABS] = CODE_ABS,
    [FLX_OP_SIGN] = CODE_SIGN,   [FLX_OP_FLOOR] = CODE_FLOOR, [FLX_OP_CEIL] = CODE_CEIL,
    [FLX_OP_ROUND] = CODE_ROUND, [FLX_OP_MOD] = CODE_MOD,     [FLX_OP_MIN] = CODE_MIN,
    [FLX_OP_MAX] = CODE_MAX,     [FLX_OP_LT] = CODE_LT,       [FLX_OP_LE] = CODE_LE,
    [FLX_OP_EQ] = CODE_EQ,       [FLX_OP_NE] = CODE_NE,       [FLX_OP_AND] = CODE_AND,
    [FLX_OP_OR] = CODE_OR,       [FLX_OP_NOT] = CODE_NOT,     [FLX_OP_IF] = CODE_IF,
    [FLX_OP_TABLE] = CODE_TABLE,
};

typedef struct instruction {
    int code, a, b, c; // registers
} instruction;

struct flx_program {
    int nconst, ninput, nresult, ninstruction, nout, ntable;
    double *constants;
    int *inputs; // positions in the caller's list
    instruction *instructions;
    int *out; // registers
    const flx_table **tables;
};

void flx_program_destroy(flx_program **program)
{
    flx_program *p = *program;
    if (!p) return;
    for (int i = 0; i < p->ntable; i++) flx_table_release((flx_table *)p->tables[i]);
    flx_free(p->tables);
    flx_free(p->constants);
    flx_free(p->inputs);
    flx_free(p->instructions);
    flx_free(p->out);
    flx_free(p);
    *program = NULL;
}

int flx_program_scratch(const flx_program *p)
{
    return p->nconst + p->ninput + p->nresult;
}

int flx_program_length(const flx_program *p)
{
    return p->ninstruction;
}

// ---- compile ----------------------------------------------------------------------------------

typedef struct compiler {
    const flx_graph *g;
    flx_program *p;
    int top;    // nodes 0..top are looked at
    int *uses;  // how often a node is an operand or an output
    int *place; // its register; -1: part of another instruction, or not computed yet
    int *table; // number of a graph's table in the program, plus 1
    int next;   // next free register
} compiler;

// x^n as multiplications: the exponent is in the instruction, not in a register.
static bool is_small_power(const compiler *c, const flx_graph_node *n)
{
    double e;
    return n->op == FLX_OP_POW && flx_graph_is_const(c->g, n->b, &e) && flx_is_small_power(e);
}

static void count_uses(compiler *c, int nnode, const flx_node *nodes)
{
    for (int i = 0; i < nnode; i++) c->uses[nodes[i]]++;
    for (int i = c->top; i >= 0; i--) {
        const flx_graph_node *n = &c->g->nodes[i];
        int operands = c->uses[i] ? flx_op_operands(n->op) : 0;
        if (is_small_power(c, n) && operands > 1) operands = 1;
        if (operands > 0) c->uses[n->a]++;
        if (operands > 1) c->uses[n->b]++;
        if (operands > 2) c->uses[n->c]++;
    }
}

static int count_op(const compiler *c, flx_op op)
{
    int count = 0;
    for (int i = 0; i <= c->top; i++) count += c->uses[i] && c->g->nodes[i].op == op;
    return count;
}

static int count_used(const compiler *c)
{
    int count = 0;
    for (int i = 0; i <= c->top; i++) count += c->uses[i] > 0;
    return count;
}

static flx_status allocate(compiler *c, int nnode)
{
    flx_program *p = c->p;
    flx_ctx *ctx = c->g->ctx;
    size_t used = (size_t)count_used(c);
    p->nconst = count_op(c, FLX_OP_CONST);
    p->ninput = count_op(c, FLX_OP_LEAF);
    p->nout = nnode;
    p->constants = flx_alloc(ctx, (size_t)p->nconst, sizeof(double));
    if (p->constants) p->inputs = flx_alloc(ctx, (size_t)p->ninput, sizeof(int));
    if (p->inputs) p->instructions = flx_alloc(ctx, used + 1, sizeof(instruction));
    if (p->instructions) p->out = flx_alloc(ctx, (size_t)nnode, sizeof(int));
    if (p->out) p->tables = flx_alloc(ctx, (size_t)c->g->ntable, sizeof *p->tables);
    return p->tables ? FLX_OK : FLX_ERR_MEMORY;
}

// Registers of constants and inputs.
static flx_status place_leaves(compiler *c, int ninput, const flx_leaf *inputs)
{
    flx_program *p = c->p;
    for (int i = 0; i <= c->top; i++) {
        if (!c->uses[i] || c->g->nodes[i].op != FLX_OP_CONST) continue;
        p->constants[c->next] = flx_node_value(&c->g->nodes[i]);
        c->place[i] = c->next++;
    }
    for (int i = 0; i < ninput; i++) {
        flx_graph_node key = {.op = FLX_OP_LEAF, .a = -1, .b = -1, .c = -1, .payload = inputs[i]};
        flx_node n = flx_graph_find(c->g, key);
        if (n < 0 || n > c->top || !c->uses[n] || c->place[n] >= 0) continue;
        p->inputs[c->next - p->nconst] = i;
        c->place[n] = c->next++;
    }
    if (c->next < p->nconst + p->ninput) {
        return FLX_FAIL(c->g->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "an expression depends on a value that is not among its inputs");
    }
    return FLX_OK;
}

static bool is_square(const compiler *c, flx_node n)
{
    const flx_graph_node *p = &c->g->nodes[n];
    return is_small_power(c, p) && flx_node_value(&c->g->nodes[p->b]) == 2.0;
}

// A product that is needed by one sum only.
static bool is_fusable(const compiler *c, flx_node n)
{
    return c->uses[n] == 1 && (c->g->nodes[n].op == FLX_OP_MUL || is_square(c, n));
}

// The operand of a sum that becomes part of its instruction, or -1.
static flx_node fused_operand(const compiler *c, flx_node n)
{
    const flx_graph_node *p = &c->g->nodes[n];
    if (p->op != FLX_OP_ADD && p->op != FLX_OP_SUB) return -1;
    if (is_fusable(c, p->b)) return p->b;
    return is_fusable(c, p->a) ? p->a : -1;
}

static void emit(compiler *c, code what, int a, int b, int d)
{
    c->p->instructions[c->p->ninstruction++] = (instruction){(int)what, a, b, d};
    c->next++;
}

static void emit_fused(compiler *c, flx_node n, flx_node product)
{
    const flx_graph_node *p = &c->g->nodes[n], *m = &c->g->nodes[product];
    int a = c->place[m->a], b = m->op == FLX_OP_MUL ? c->place[m->b] : a;
    int rest = c->place[product == p->b ? p->a : p->b];
    code what = CODE_MUL_ADD;
    if (p->op == FLX_OP_SUB) what = product == p->b ? CODE_SUB_MUL : CODE_MUL_SUB;
    emit(c, what, a, b, rest);
}

static void emit_pow(compiler *c, const flx_graph_node *n)
{
    int x = c->place[n->a];
    int e = is_small_power(c, n) ? (int)flx_node_value(&c->g->nodes[n->b]) : 0;
    if (e == 0) {
        emit(c, CODE_POW, x, c->place[n->b], 0);
    } else if (e == 2) {
        emit(c, CODE_SQUARE, x, 0, 0);
    } else if (e == 3) {
        emit(c, CODE_CUBE, x, 0, 0);
    } else {
        emit(c, CODE_POWER, x, e, 0);
    }
}

static void emit_table(compiler *c, const flx_graph_node *n)
{
    flx_program *p = c->p;
    if (!c->table[n->b]) {
        flx_table *t = c->g->tables[n->b];
        atomic_fetch_add(&t->users, 1);
        p->tables[p->ntable++] = t;
        c->table[n->b] = p->ntable;
    }
    emit(c, CODE_TABLE, c->place[n->a], c->table[n->b] - 1, n->c);
}

static void emit_sin_or_cos(compiler *c, flx_node i)
{
    flx_graph_node other = c->g->nodes[i];
    other.op = other.op == FLX_OP_SIN ? FLX_OP_COS : FLX_OP_SIN;
    flx_node j = flx_graph_find(c->g, other);
    int x = c->place[other.a];
    if (j < 0 || j > c->top || !c->uses[j]) {
        emit(c, plain_code[c->g->nodes[i].op], x, 0, 0);
        return;
    }
    c->place[c->g->nodes[i].op == FLX_OP_SIN ? i : j] = c->next;
    c->place[other.op == FLX_OP_COS ? j : i] = c->next + 1;
    emit(c, CODE_SIN_COS, x, 0, 0);
    c->next++;
}

static void emit_node(compiler *c, flx_node i)
{
    const flx_graph_node *n = &c->g->nodes[i];
    flx_node product = fused_operand(c, i);
    int operands = flx_op_operands(n->op);
    c->place[i] = c->next;
    if (product >= 0) {
        emit_fused(c, i, product);
    } else if (n->op == FLX_OP_SIN || n->op == FLX_OP_COS) {
        emit_sin_or_cos(c, i);
    } else if (n->op == FLX_OP_POW) {
        emit_pow(c, n);
    } else if (n->op == FLX_OP_TABLE) {
        emit_table(c, n);
    } else {
        emit(c, plain_code[n->op], c->place[n->a], operands > 1 ? c->place[n->b] : 0,
             operands > 2 ? c->place[n->c] : 0);
    }
}

// fused: whether a node is part of its only user's instruction.
static void emit_all(compiler *c, bool *fused)
{
    for (int i = 0; i <= c->top; i++) {
        flx_node product = c->uses[i] ? fused_operand(c, i) : -1;
        if (product >= 0) fused[product] = true;
    }
    for (int i = 0; i <= c->top; i++) {
        if (c->uses[i] && !fused[i] && c->place[i] < 0) emit_node(c, i);
    }
    emit(c, CODE_END, 0, 0, 0);
    c->next--;
    c->p->ninstruction--;
    c->p->nresult = c->next - c->p->nconst - c->p->ninput;
}

static flx_status compile(compiler *c, int ninput, const flx_leaf *inputs, int nnode,
                          const flx_node *nodes, bool *fused)
{
    for (int i = 0; i <= c->top; i++) c->place[i] = -1;
    count_uses(c, nnode, nodes);
    FLX_TRY(allocate(c, nnode));
    FLX_TRY(place_leaves(c, ninput, inputs));
    emit_all(c, fused);
    for (int i = 0; i < nnode; i++) c->p->out[i] = c->place[nodes[i]];
    return FLX_OK;
}

flx_status flx_program_compile(const flx_graph *g, int ninput, const flx_leaf *inputs, int nnode,
                               const flx_node *nodes, flx_program **program)
{
    flx_status status = FLX_ERR_MEMORY;
    compiler c = {.g = g, .top = -1};
    bool *fused = NULL;
    *program = NULL;
    for (int i = 0; i < nnode; i++) {
        if (nodes[i] < 0 || nodes[i] >= g->n) {
            return FLX_FAIL(g->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                            "a program was asked for an expression that is not there");
        }
        if (nodes[i] > c.top) c.top = nodes[i];
    }
    size_t n = (size_t)(c.top + 1);
    c.p = flx_alloc(g->ctx, 1, sizeof *c.p);
    if (c.p) c.uses = flx_alloc(g->ctx, n, sizeof(int));
    if (c.uses) c.place = flx_alloc(g->ctx, n, sizeof(int));
    if (c.place) c.table = flx_alloc(g->ctx, (size_t)g->ntable, sizeof(int));
    if (c.table) fused = flx_alloc(g->ctx, n, sizeof(bool));
    if (fused) status = compile(&c, ninput, inputs, nnode, nodes, fused);
    flx_free(c.uses);
    flx_free(c.place);
    flx_free(c.table);
    flx_free(fused);
    if (status != FLX_OK) flx_program_destroy(&c.p);
    *program = c.p;
    return status;
}

// ---- evaluate ---------------------------------------------------------------------------------

// One instruction after the other; r is the register of the next result.
static void run(const flx_program *p, const double *s, double *r)
{
    for (const instruction *i = p->instructions;; i++) {
        switch ((code)i->code) {
        case CODE_END:
            return;
        case CODE_ADD:
            *r++ = s[i->a] + s[i->b];
            break;
        case CODE_SUB:
            *r++ = s[i->a] - s[i->b];
            break;
        case CODE_MUL:
            *r++ = s[i->a] * s[i->b];
            break;
        case CODE_DIV:
            *r++ = s[i->a] / s[i->b];
            break;
        case CODE_NEG:
            *r++ = -s[i->a];
            break;
        case CODE_MUL_ADD:
            *r++ = s[i->a] * s[i->b] + s[i->c];
            break;
        case CODE_MUL_SUB:
            *r++ = s[i->a] * s[i->b] - s[i->c];
            break;
        case CODE_SUB_MUL:
            *r++ = s[i->c] - s[i->a] * s[i->b];
            break;
        case CODE_SQUARE:
            *r++ = s[i->a] * s[i->a];
            break;
        case CODE_CUBE:
            *r++ = s[i->a] * s[i->a] * s[i->a];
            break;
        case CODE_POWER:
            *r++ = flx_power(s[i->a], i->b);
            break;
        case CODE_POW:
            *r++ = flx_pow(s[i->a], s[i->b]);
            break;
        case CODE_SQRT:
            *r++ = sqrt(s[i->a]);
            break;
        case CODE_SIN_COS: {
            double x = s[i->a];
            *r++ = sin(x);
            *r++ = cos(x);
            break;
        }
        case CODE_SIN:
            *r++ = sin(s[i->a]);
            break;
        case CODE_COS:
            *r++ = cos(s[i->a]);
            break;
        case CODE_TAN:
            *r++ = tan(s[i->a]);
            break;
        case CODE_ASIN:
            *r++ = asin(s[i->a]);
            break;
        case CODE_ACOS:
            *r++ = acos(s[i->a]);
            break;
        case CODE_ATAN:
            *r++ = atan(s[i->a]);
            break;
        case CODE_ATAN2:
            *r++ = atan2(s[i->a], s[i->b]);
            break;
        case CODE_SINH:
            *r++ = sinh(s[i->a]);
            break;
        case CODE_COSH:
            *r++ = cosh(s[i->a]);
            break;
        case CODE_TANH:
            *r++ = tanh(s[i->a]);
            break;
        case CODE_EXP:
            *r++ = exp(s[i->a]);
            break;
        case CODE_LOG:
            *r++ = log(s[i->a]);
            break;
        case CODE_LOG10:
            *r++ = log10(s[i->a]);
            break;
        case CODE_ABS:
            *r++ = fabs(s[i->a]);
            break;
        case CODE_SIGN:
            *r++ = flx_sign(s[i->a]);
            break;
        case CODE_FLOOR:
            *r++ = floor(s[i->a]);
            break;
        case CODE_CEIL:
            *r++ = ceil(s[i->a]);
            break;
        case CODE_ROUND:
            *r++ = round(s[i->a]);
            break;
        case CODE_MOD:
            *r++ = flx_mod(s[i->a], s[i->b]);
            break;
        case CODE_MIN:
            *r++ = flx_min(s[i->a], s[i->b]);
            break;
        case CODE_MAX:
            *r++ = flx_max(s[i->a], s[i->b]);
            break;
        case CODE_LT:
            *r++ = s[i->a] < s[i->b];
            break;
        case CODE_LE:
            *r++ = s[i->a] <= s[i->b];
            break;
        case CODE_EQ:
            *r++ = s[i->a] == s[i->b];
            break;
        case CODE_NE:
            *r++ = s[i->a] != s[i->b];
            break;
        case CODE_AND:
            *r++ = s[i->a] != 0.0 && s[i->b] != 0.0;
            break;
        case CODE_OR:
            *r++ = s[i->a] != 0.0 || s[i->b] != 0.0;
            break;
        case CODE_NOT:
            *r++ = s[i->a] == 0.0;
            break;
        case CODE_IF:
            *r++ = s[i->a] != 0.0 ? s[i->b] : s[i->c];
            break;
        case CODE_TABLE:
            *r++ = flx_table_eval(p->tables[i->b], i->c, s[i->a]);
            break;
        }
    }
}

void flx_program_eval(const flx_program *p, const double *in, double *scratch, double *out)
{
    double *r = scratch;
    for (int i = 0; i < p->nconst; i++) *r++ = p->constants[i];
    for (int i = 0; i < p->ninput; i++) *r++ = in[p->inputs[i]];
    run(p, scratch, r);
    for (int i = 0; i < p->nout; i++) out[i] = scratch[p->out[i]];
}
