// program.c - flat programs: the nodes asked for and all below them as one list of instructions.
//
// sin and cos of one angle are one instruction with two results, and a product that is used once, in
// a sum, is part of the sum's instruction (rounded twice, as if it were not).
//
// Instructions are ordered so that equal operations follow each other, and a run of them is one
// loop: a processor cannot guess the next of many thousand different operations, and guessing
// wrong costs more than ten of them.
#include "expr/program.h"

static const flx_opcode plain_code[] = {
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
    [FLX_OP_TABLE] = CODE_TABLE, [FLX_OP_PIECE] = CODE_PIECE, [FLX_OP_ARGUMENT] = CODE_ARGUMENT,
};

void flx_program_destroy(flx_program **program)
{
    flx_program *p = *program;
    if (!p) return;
    for (int i = 0; i < p->ntable; i++) flx_table_release((flx_table *)p->tables[i]);
    flx_free(p->tables);
    for (int i = 0; i < p->nexternal; i++) flx_external_release(p->externals[i]);
    flx_free(p->externals);
    flx_free(p->arguments);
    flx_free(p->constants);
    flx_free(p->inputs);
    flx_free(p->instructions);
    flx_free(p->runs);
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

// An instruction before it has its place: operands are nodes.
typedef struct item {
    flx_opcode what;
    flx_node of[3];     // -1: none, or not a node
    flx_node result[2]; // [1]: the cosine of CODE_SIN_COS, else -1
    int b,
        c; // what is not a node: exponent; table and derivative; external function and derivatives
    int pending;      // operands that are not computed yet
    int next;         // in the list of those that are ready, -1: last
    int users, nuser; // where its users are in compiler.users
} item;

typedef struct compiler {
    const flx_graph *g;
    flx_program *p;
    int top;       // nodes 0..top are looked at
    int *uses;     // how often a node is an operand or an output
    int *place;    // its register, -1: none yet
    int *producer; // the item that computes it, -1: none
    int *table;    // number of a graph's table in the program, plus 1
    bool *fused;   // whether it is part of its only user's instruction
    int nitem;
    item *items;
    int *users;
    int head[CODE_COUNT], tail[CODE_COUNT], ready[CODE_COUNT];
    int next; // next free register
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

static flx_status allocate_externals(compiler *c)
{
    flx_program *p = c->p;
    int calls = count_op(c, FLX_OP_EXTERNAL);
    size_t most = (size_t)calls * FLX_ARGUMENTS_MAX;
    if (calls == 0) return FLX_OK;
    p->externals = flx_alloc(c->g->ctx, (size_t)calls, sizeof(flx_external *));
    p->arguments = flx_alloc(c->g->ctx, most, sizeof(int));
    return p->externals && p->arguments ? FLX_OK : FLX_ERR_MEMORY;
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
    if (p->inputs) p->instructions = flx_alloc(ctx, used, sizeof(flx_instruction));
    if (p->instructions) p->out = flx_alloc(ctx, (size_t)nnode, sizeof(int));
    if (p->out) p->tables = flx_alloc(ctx, (size_t)c->g->ntable, sizeof *p->tables);
    if (p->tables) FLX_TRY(allocate_externals(c));
    if (p->tables) c->items = flx_alloc(ctx, used, sizeof(item));
    if (c->items) c->users = flx_alloc(ctx, 3 * used, sizeof(int));
    return c->users ? FLX_OK : FLX_ERR_MEMORY;
}

#define LONG_TAIL 4 // shorter ones are copied as fast one by one

static void find_tail(flx_program *p)
{
    int n = p->ninput > 0;
    while (n < p->ninput && p->inputs[p->ninput - n] == p->inputs[p->ninput - n - 1] + 1) n++;
    p->ntail = n >= LONG_TAIL ? n : 0;
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
    find_tail(p);
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

static void set_fused(const compiler *c, item *t, flx_node n, flx_node product)
{
    const flx_graph_node *p = &c->g->nodes[n], *m = &c->g->nodes[product];
    t->what = CODE_MUL_ADD;
    if (p->op == FLX_OP_SUB) t->what = product == p->b ? CODE_SUB_MUL : CODE_MUL_SUB;
    t->of[0] = m->a;
    t->of[1] = m->op == FLX_OP_MUL ? m->b : m->a;
    t->of[2] = product == p->b ? p->a : p->b;
}

static void set_power(const compiler *c, item *t, const flx_graph_node *n)
{
    int e = (int)flx_node_value(&c->g->nodes[n->b]);
    t->what = e == 2 ? CODE_SQUARE : e == 3 ? CODE_CUBE : CODE_POWER;
    t->of[0] = n->a;
    t->b = e;
}

// The program's own number of a table.
static int keep_table(compiler *c, int number)
{
    flx_program *p = c->p;
    if (!c->table[number]) {
        flx_table *table = c->g->tables[number];
        atomic_fetch_add(&table->users, 1);
        p->tables[p->ntable++] = table;
        c->table[number] = p->ntable;
    }
    return c->table[number] - 1;
}

static void set_table(compiler *c, item *t, const flx_graph_node *n)
{
    t->what = CODE_TABLE;
    t->of[0] = n->a;
    t->b = keep_table(c, n->b);
    t->c = n->c;
}

static void set_piece(compiler *c, item *t, const flx_graph_node *n)
{
    t->what = CODE_PIECE;
    t->of[0] = n->a;
    t->of[1] = n->b;
    t->c = 2 * FLX_DERIVATIVES * keep_table(c, n->c / (2 * FLX_DERIVATIVES)) +
           n->c % (2 * FLX_DERIVATIVES); // whether cut at its ends, and the derivative
}

static void set_external(compiler *c, item *t, const flx_graph_node *n)
{
    flx_program *p = c->p;
    flx_external *e = c->g->externals[n->b];
    t->what = CODE_EXTERNAL;
    t->of[0] = n->a;
    t->c = n->c;
    while (t->b < p->nexternal && p->externals[t->b] != e) t->b++;
    if (t->b < p->nexternal) return;
    atomic_fetch_add(&e->users, 1);
    p->externals[p->nexternal++] = e;
}

// Where its arguments are, which are all computed by now.
static int list_arguments(compiler *c, flx_node first)
{
    flx_program *p = c->p;
    int from = p->nargument;
    for (const flx_graph_node *n = &c->g->nodes[first]; n->op == FLX_OP_ARGUMENT;
         n = &c->g->nodes[n->b]) {
        p->arguments[p->nargument++] = c->place[n->a];
    }
    return from;
}

// sin and cos of the same angle are one.
static void set_sin_or_cos(const compiler *c, item *t, flx_node n)
{
    flx_graph_node key = c->g->nodes[n];
    bool sine = key.op == FLX_OP_SIN;
    t->what = plain_code[key.op];
    t->of[0] = key.a;
    key.op = sine ? FLX_OP_COS : FLX_OP_SIN;
    flx_node other = flx_graph_find(c->g, key);
    if (other < 0 || other > c->top || !c->uses[other]) return;
    t->what = CODE_SIN_COS;
    t->result[0] = sine ? n : other;
    t->result[1] = sine ? other : n;
}

static void set_plain(item *t, const flx_graph_node *n)
{
    int operands = flx_op_operands(n->op);
    t->what = plain_code[n->op];
    t->of[0] = n->a;
    if (operands > 1) t->of[1] = n->b;
    if (operands > 2) t->of[2] = n->c;
}

static void add_item(compiler *c, flx_node n)
{
    const flx_graph_node *p = &c->g->nodes[n];
    item *t = &c->items[c->nitem];
    flx_node product = fused_operand(c, n);
    *t = (item){.of = {-1, -1, -1}, .result = {n, -1}};
    if (product >= 0) {
        set_fused(c, t, n, product);
    } else if (p->op == FLX_OP_SIN || p->op == FLX_OP_COS) {
        set_sin_or_cos(c, t, n);
    } else if (is_small_power(c, p)) {
        set_power(c, t, p);
    } else if (p->op == FLX_OP_TABLE) {
        set_table(c, t, p);
    } else if (p->op == FLX_OP_PIECE) {
        set_piece(c, t, p);
    } else if (p->op == FLX_OP_EXTERNAL) {
        set_external(c, t, p);
    } else {
        set_plain(t, p);
    }
    c->producer[t->result[0]] = c->nitem;
    if (t->result[1] >= 0) c->producer[t->result[1]] = c->nitem;
    c->nitem++;
}

static void add_items(compiler *c)
{
    for (int i = 0; i <= c->top; i++) {
        flx_node product = c->uses[i] ? fused_operand(c, i) : -1;
        if (product >= 0) c->fused[product] = true;
    }
    for (int i = 0; i <= c->top; i++) {
        bool computed = c->uses[i] && !c->fused[i] && flx_op_operands(c->g->nodes[i].op) > 0;
        if (computed && c->producer[i] < 0) add_item(c, i);
    }
}

static item *operand_item(const compiler *c, const item *t, int k)
{
    if (t->of[k] < 0 || c->producer[t->of[k]] < 0) return NULL;
    return &c->items[c->producer[t->of[k]]];
}

static void link_users(compiler *c)
{
    int total = 0;
    item *from;
    for (int i = 0; i < c->nitem; i++) {
        for (int k = 0; k < 3; k++) {
            if (!(from = operand_item(c, &c->items[i], k))) continue;
            from->nuser++;
            c->items[i].pending++;
        }
    }
    for (int i = 0; i < c->nitem; i++) {
        c->items[i].users = total;
        total += c->items[i].nuser;
        c->items[i].nuser = 0;
    }
    for (int i = 0; i < c->nitem; i++) {
        for (int k = 0; k < 3; k++) {
            if (!(from = operand_item(c, &c->items[i], k))) continue;
            c->users[from->users + from->nuser++] = i;
        }
    }
}

static void make_ready(compiler *c, int i)
{
    flx_opcode what = c->items[i].what;
    c->items[i].next = -1;
    if (c->ready[what]++) {
        c->items[c->tail[what]].next = i;
    } else {
        c->head[what] = i;
    }
    c->tail[what] = i;
}

static int register_of(const compiler *c, flx_node n, int other)
{
    return n >= 0 ? c->place[n] : other;
}

static void emit(compiler *c, const item *t)
{
    int a = t->what == CODE_EXTERNAL ? list_arguments(c, t->of[0]) : register_of(c, t->of[0], 0);
    c->p->instructions[c->p->ninstruction++] =
        (flx_instruction){a, register_of(c, t->of[1], t->b), register_of(c, t->of[2], t->c)};
    for (int k = 0; k < 2 && t->result[k] >= 0; k++) c->place[t->result[k]] = c->next++;
    for (int k = 0; k < t->nuser; k++) {
        int user = c->users[t->users + k];
        if (--c->items[user].pending == 0) make_ready(c, user);
    }
}

// Emit all that is ready of the most frequent operation, and what becomes ready meanwhile of it;
// then the same again.
static flx_status order(compiler *c)
{
    int capacity = 0;
    for (int i = 0; i < c->nitem; i++) {
        if (c->items[i].pending == 0) make_ready(c, i);
    }
    while (c->p->ninstruction < c->nitem) {
        int best = 0, before = c->p->ninstruction;
        for (int k = 1; k < CODE_COUNT; k++) {
            if (c->ready[k] > c->ready[best]) best = k;
        }
        while (c->ready[best] > 0) {
            const item *t = &c->items[c->head[best]];
            c->head[best] = t->next;
            c->ready[best]--;
            emit(c, t);
        }
        FLX_TRY(flx_grow(c->g->ctx, (void **)&c->p->runs, &capacity, c->p->nrun + 1,
                         sizeof(flx_program_run)));
        c->p->runs[c->p->nrun++] = (flx_program_run){(flx_opcode)best, c->p->ninstruction - before};
    }
    c->p->nresult = c->next - c->p->nconst - c->p->ninput;
    return FLX_OK;
}

static flx_status compile(compiler *c, int ninput, const flx_leaf *inputs, int nnode,
                          const flx_node *nodes)
{
    for (int i = 0; i <= c->top; i++) c->place[i] = c->producer[i] = -1;
    count_uses(c, nnode, nodes);
    FLX_TRY(allocate(c, nnode));
    FLX_TRY(place_leaves(c, ninput, inputs));
    add_items(c);
    link_users(c);
    FLX_TRY(order(c));
    for (int i = 0; i < nnode; i++) c->p->out[i] = c->place[nodes[i]];
    return FLX_OK;
}

flx_status flx_program_compile(const flx_graph *g, int ninput, const flx_leaf *inputs, int nnode,
                               const flx_node *nodes, flx_program **program)
{
    flx_status status = FLX_ERR_MEMORY;
    compiler c = {.g = g, .top = -1};
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
    if (c.place) c.producer = flx_alloc(g->ctx, n, sizeof(int));
    if (c.producer) c.table = flx_alloc(g->ctx, (size_t)g->ntable, sizeof(int));
    if (c.table) c.fused = flx_alloc(g->ctx, n, sizeof(bool));
    if (c.fused) status = compile(&c, ninput, inputs, nnode, nodes);
    flx_free(c.uses);
    flx_free(c.place);
    flx_free(c.producer);
    flx_free(c.table);
    flx_free(c.fused);
    flx_free(c.items);
    flx_free(c.users);
    if (status != FLX_OK) flx_program_destroy(&c.p);
    *program = c.p;
    return status;
}
