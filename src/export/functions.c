// functions.c - the functions that are exported, made of the recursions and their derivatives.
#include "export/functions.h"
#include "joint/joint.h"

#include "base/letters.h"
#include "expr/graph.h"

#include <string.h>

#define DEFAULT_LIMIT 200000

const char *const flx_input_names[FLX_INPUTS] = {"t", "p",   "q",   "v", "x", "u",
                                                 "a", "lam", "tau", "m", "r", "g"};

flx_export_input flx_input_of(const flx_functions *f, flx_leaf leaf, int *index)
{
    static const flx_export_input own[] = {FLX_INPUT_Q,   FLX_INPUT_V, FLX_INPUT_A, FLX_INPUT_LAM,
                                           FLX_INPUT_TAU, FLX_INPUT_R, FLX_INPUT_G};
    int i = *index = flx_leaf_get_index(leaf), kind = flx_export_leaf_kind(leaf);
    if (kind >= FLX_EXPORT_Q) return own[kind - FLX_EXPORT_Q];
    if (kind == FLX_LEAF_MEASURE) return FLX_INPUT_M;
    if (kind == FLX_LEAF_NUMBER) {
        *index = f->np + i;
        return FLX_INPUT_P;
    }
    if (flx_leaf_is(leaf, FLX_QUANTITY_TIME)) return FLX_INPUT_T;
    if (kind == FLX_LEAF_INPUT) {
        for (*index = 0; f->u[*index] != f->x.m->inputs + i;) ++*index;
        return FLX_INPUT_U;
    }
    if (flx_leaf_is(leaf, FLX_QUANTITY_STATE)) return FLX_INPUT_X;
    for (*index = 0; *index < f->np - 1 && f->parameters[*index]->leaf != i;) ++*index;
    return FLX_INPUT_P;
}

// ---- which --------------------------------------------------------------------------------------

static const char *const words[] = {"forward",  "inverse", "mass",   "linearise", "rates",
                                    "closures", "states",  "inputs", "outputs",   NULL};

// The length of the word at the start of a list, and the list after it.
static size_t next_word(const char **list)
{
    *list += strspn(*list, ", ");
    return strcspn(*list, ", ");
}

// A document is for reading: by default what the equations of motion consist of.
static bool wanted(const flx_functions *f, const char *word)
{
    const char *list = f->options.functions;
    if (!list && f->options.language == FLX_EXPORT_LATEX) list = "mass,inverse,closures,states";
    if (f->options.language == FLX_EXPORT_BATCH) {
        bool matrix = f->method == FLX_BATCH_MIDPOINT && !f->eliminates;
        list = matrix          ? "rates,forward,inverse,mass,states,linearise"
               : f->eliminates ? "rates,forward,inverse,states"
                               : "rates,forward,states";
    }
    if (!list) return true;
    for (size_t n; (n = next_word(&list)) > 0; list += n) {
        if (strlen(word) == n && strncmp(word, list, n) == 0) return true;
    }
    return false;
}

static flx_status check_words(const flx_functions *f, flx_ctx *ctx)
{
    const char *list = f->options.functions;
    int count = 0;
    if (!list) return FLX_OK;
    for (size_t n; (n = next_word(&list)) > 0; list += n, count++) {
        int k = 0;
        while (words[k] && !(strlen(words[k]) == n && strncmp(words[k], list, n) == 0)) k++;
        if (words[k]) continue;
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "there is no function '%.*s'; there are forward, inverse, mass, linearise, "
                        "rates, closures, states, inputs and outputs",
                        (int)n, list);
    }
    if (count > 0) return FLX_OK;
    return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "no function is asked for");
}

// ---- making -------------------------------------------------------------------------------------

static flx_node leaf(flx_functions *f, int kind, int index)
{
    return flx_graph_leaf(f->x.g, flx_export_leaf(kind, index, 0));
}

static flx_node *take(flx_functions *f, int n)
{
    return flx_arena_take(f->x.arena, (size_t)n, sizeof(flx_node));
}

static flx_node *take_leaves(flx_functions *f, int kind, int n)
{
    flx_node *list = take(f, n);
    for (int i = 0; i < n && list; i++) list[i] = leaf(f, kind, i);
    return list;
}

static flx_function *add(flx_functions *f, const char *name, const char *comment, unsigned inputs)
{
    flx_function *o = f->f + f->n++;
    *o = (flx_function){.name = name, .comment = comment, .inputs = inputs};
    return o;
}

// Room for a result; NULL: no memory.
static flx_node *add_result(flx_functions *f, flx_function *to, const char *name,
                            const char *comment, int rows, int columns)
{
    flx_node *nodes = take(f, rows * (columns ? columns : 1));
    to->results[to->nresult++] = (flx_export_result){name, comment, rows, columns, nodes};
    return nodes;
}

flx_function *flx_functions_add(flx_functions *f, const char *name, const char *comment,
                                unsigned inputs)
{
    return add(f, name, comment, inputs);
}

flx_node *flx_functions_result(flx_functions *f, flx_function *to, const char *name, int n)
{
    return add_result(f, to, name, "", n, 0);
}

#define BIT(name) (1u << FLX_INPUT_##name)
// The state, and inputs where there are some.
static unsigned state_of(const flx_functions *f)
{
    return BIT(T) | BIT(P) | BIT(Q) | BIT(V) | BIT(X) | (f->nu > 0 ? BIT(U) : 0);
}

static flx_status add_forward(flx_functions *f)
{
    flx_node *tau = take_leaves(f, FLX_EXPORT_TAU, f->x.nv);
    flx_function *o = add(f, "forward",
                          "accelerations; tau: efforts along the freedoms, besides "
                          "the model's own forces",
                          state_of(f) | BIT(TAU));
    flx_node *a = add_result(f, o, "a", "accelerations", f->x.nv, 0);
    if (!tau || !a) return FLX_ERR_MEMORY;
    return flx_symbolic_forward(&f->x, tau, a);
}

// Of implicit steps: the elimination of the tree instead of a matrix.
static flx_status add_correct(flx_functions *f)
{
    flx_node *r = take_leaves(f, FLX_EXPORT_R, f->x.nv);
    flx_function *o = add(f, "correct", "(M + g[0] D + g[1] K) d = r, as far as joints go",
                          state_of(f) | BIT(R) | BIT(G));
    flx_node *d = add_result(f, o, "d", "corrections of accelerations", f->x.nv, 0);
    if (!r || !d) return FLX_ERR_MEMORY;
    return flx_symbolic_correct(&f->x, r, d);
}

static flx_status add_inverse(flx_functions *f)
{
    bool document = f->options.language == FLX_EXPORT_LATEX; // there M a stands by itself
    flx_node *a = document ? NULL : take_leaves(f, FLX_EXPORT_A, f->x.nv);
    flx_function *o = add(f, "inverse",
                          "efforts along the freedoms that the accelerations a take, "
                          "besides the model's own forces",
                          state_of(f) | BIT(A));
    flx_node *tau = add_result(f, o, "tau", "efforts", f->x.nv, 0);
    if (!tau || (!a && !document)) return FLX_ERR_MEMORY;
    return flx_symbolic_inverse(&f->x, a, tau);
}

static flx_status add_mass(flx_functions *f)
{
    flx_function *o = add(f, "mass", "mass matrix", BIT(P) | BIT(Q));
    flx_node *M = add_result(f, o, "M", "symmetric", f->x.nv, f->x.nv);
    if (!M) return FLX_ERR_MEMORY;
    return flx_symbolic_mass(&f->x, M);
}

// q' from v: quaternions q' = q (0, v)/2.
static flx_status add_rates(flx_functions *f)
{
    flx_graph *g = f->x.g;
    flx_function *o = add(f, "rates", "rates of the coordinates", BIT(Q) | BIT(V));
    flx_node *dq = add_result(f, o, "dq", "one for each coordinate", f->x.nq, 0);
    if (!dq) return FLX_ERR_MEMORY;
    for (int i = 0; i < f->x.n; i++) {
        const flx_link *l = f->x.t.links + i;
        bool ball = l->kind == FLX_LINK_BALL;
        int n = f->x.links[1 + i].s.n;
        for (int c = 0; c < n + ball; c++) {
            flx_node q = leaf(f, FLX_EXPORT_Q, l->q + c), sum = node_const(g, 0.0);
            for (int k = 0; k < n; k++) {
                flx_node along = flx_symbolic_along(&f->x, q, l->v + k);
                FLX_TRY(flx_symbolic_status(&f->x, along));
                sum = node_add(g, sum, node_mul(g, along, leaf(f, FLX_EXPORT_V, l->v + k)));
            }
            dq[l->q + c] = sum;
        }
    }
    for (int i = 0; i < f->x.nvariable; i++) {
        dq[f->x.t.k.nq + i] = leaf(f, FLX_EXPORT_V, f->x.t.k.nv + i);
    }
    return FLX_OK;
}

static flx_status add_closures(flx_functions *f)
{
    flx_symbolic *x = &f->x;
    flx_function *o = add(f, "closures",
                          "what closes the loops: g = 0, gd = G v + g_t = 0, "
                          "G a + bias = 0",
                          state_of(f));
    flx_node *g = add_result(f, o, "g", "0 for rows that know velocities alone", x->nrow, 0);
    flx_node *gd = add_result(f, o, "gd", "", x->nrow, 0);
    flx_node *G = add_result(f, o, "G", "", x->nrow, x->nv);
    flx_node *bias = add_result(f, o, "bias", "", x->nrow, 0);
    if (!g || !gd || !G || !bias) return FLX_ERR_MEMORY;
    for (int i = 0; i < x->nrow; i++) {
        const flx_node_row *r = x->rows + i;
        g[i] = r->velocity ? node_const(x->g, 0.0) : r->value;
        gd[i] = r->rate;
        bias[i] = r->bias;
        memcpy(G + (size_t)x->nv * (size_t)i, r->G, (size_t)x->nv * sizeof *G);
    }
    return FLX_OK;
}

// For forward dynamics: against which sums an entry of G is no more than rounding.
static flx_status add_sizes(flx_functions *f)
{
    flx_symbolic *x = &f->x;
    flx_function *o = add(f, "sizes", "what the entries of G are sums of, in size", state_of(f));
    flx_node *size = add_result(f, o, "W", "", x->nrow, x->nv);
    if (!size) return FLX_ERR_MEMORY;
    for (int i = 0; i < x->nrow; i++) {
        memcpy(size + (size_t)x->nv * (size_t)i, x->rows[i].size, (size_t)x->nv * sizeof *size);
    }
    return FLX_OK;
}

static flx_status add_states(flx_functions *f)
{
    flx_function *o = add(f, "states", "rates of the states", state_of(f));
    flx_node *dx = add_result(f, o, "dx", "", f->x.m->nstate, 0);
    if (!dx) return FLX_ERR_MEMORY;
    memcpy(dx, f->x.rates, (size_t)f->x.m->nstate * sizeof *dx);
    return FLX_OK;
}

// ---- inputs --------------------------------------------------------------------------------------

static flx_status list_inputs(flx_functions *f)
{
    const flx_model *m = f->x.m;
    f->u = flx_arena_take(f->x.arena, (size_t)m->ninput, sizeof *f->u);
    if (!f->u) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->ninput; i++) {
        if (f->x.given[i]) f->u[f->nu++] = m->inputs + i;
    }
    return FLX_OK;
}

static bool is_input(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_export_leaf_kind(leaf) == FLX_LEAF_INPUT;
}

// What the model itself gives its inputs: their expressions, before they are held within bounds.
static flx_status add_inputs(flx_functions *f)
{
    flx_symbolic *x = &f->x;
    flx_function *o = add(f, "inputs", "what the model gives its inputs",
                          BIT(T) | BIT(P) | BIT(Q) | BIT(V) | BIT(X));
    flx_node *u = add_result(f, o, "u", "before they are held within their bounds", f->nu, 0);
    if (!u) return FLX_ERR_MEMORY;
    for (int i = 0; i < f->nu; i++) {
        const flx_input_item *in = f->u[i];
        u[i] = in->expression < 0 ? node_const(x->g, in->value) : in->expression;
    }
    FLX_TRY(flx_symbolic_take_own(x, f->nu, u));
    for (int i = 0; i < f->nu; i++) {
        const flx_input_item *in = f->u[i];
        flx_symbolic_about(x, in->name, in->loc);
        u[i] = flx_symbolic_carry(x, u[i]);
        FLX_TRY(flx_symbolic_status(x, u[i]));
        if (!flx_graph_depends(x->g, u[i], is_input, NULL)) continue;
        return FLX_FAIL(
            x->ctx, FLX_ERR_CANNOT, in->loc,
            "the value of input '%s' reads an algebraic unknown, and through it inputs: "
            "leave out the function 'inputs' with --functions",
            in->name);
    }
    return FLX_OK;
}

// ---- linearisation ------------------------------------------------------------------------------

static flx_status too_large(const flx_functions *f, const char *name)
{
    return FLX_FAIL(f->x.ctx, FLX_ERR_CANNOT, flx_model_start(f->x.m),
                    "the function '%s' of %d freedoms has more than %d operations; leave it out "
                    "with --functions, or allow more with --limit",
                    name, f->x.nv, f->options.limit);
}

// The graph has nodes of all steps; what is written is a part of them.
#define STEPS_PER_OPERATION 8

typedef flx_node (*derivative)(flx_symbolic *x, flx_node n, int k);

static flx_node by_coordinate(flx_symbolic *x, flx_node n, int k)
{
    return flx_symbolic_along(x, n, k);
}
static flx_node by_velocity(flx_symbolic *x, flx_node n, int k)
{
    return flx_symbolic_partial(x, n, FLX_EXPORT_V, k);
}
static flx_node by_state(flx_symbolic *x, flx_node n, int k)
{
    return flx_symbolic_partial(x, n, FLX_LEAF_STATE, k);
}

// out (n x columns)
static flx_status derive_all(flx_functions *f, int n, const flx_node *of, int columns,
                             derivative by, flx_node *out)
{
    int start = f->x.g->n;
    if (!out) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < columns; k++) {
            out[columns * i + k] = by(&f->x, of[i], k);
            FLX_TRY(flx_symbolic_status(&f->x, out[columns * i + k]));
        }
        if ((f->x.g->n - start) / STEPS_PER_OPERATION > f->options.limit) {
            return too_large(f, f->f[f->n - 1].name);
        }
    }
    return FLX_OK;
}

// By the inputs, column by column of them.
static flx_status derive_by_inputs(flx_functions *f, int n, const flx_node *of, flx_node *out)
{
    if (!out) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < f->nu; k++) {
            int input = (int)(f->u[k] - f->x.m->inputs);
            flx_node d = flx_symbolic_partial(&f->x, of[i], FLX_LEAF_INPUT, input);
            FLX_TRY(flx_symbolic_status(&f->x, d));
            out[f->nu * i + k] = d;
        }
    }
    return FLX_OK;
}

// r = inverse(a) + G^T lam
static flx_status add_linearise(flx_functions *f)
{
    flx_symbolic *x = &f->x;
    int nv = x->nv, nx = x->m->nstate;
    flx_node *a = take_leaves(f, FLX_EXPORT_A, nv), *r = take(f, nv);
    if (!a || !r) return FLX_ERR_MEMORY;
    FLX_TRY(flx_symbolic_inverse(x, a, r));
    for (int i = 0; i < x->nrow; i++) {
        flx_node lam = leaf(f, FLX_EXPORT_LAM, i);
        for (int k = 0; k < nv; k++) {
            r[k] = node_add(x->g, r[k], node_mul(x->g, x->rows[i].G[k], lam));
        }
    }
    flx_function *o = add(
        f, "linearise",
        x->nrow > 0 ? "M da + D dv + K dq + Kx dx + Ku du + G^T dlam = dtau near a motion; "
                      "rotations dq as v"
                    : "M da + D dv + K dq + Kx dx + Ku du = dtau near a motion; rotations dq as v",
        state_of(f) | BIT(A) | (x->nrow > 0 ? BIT(LAM) : 0));
    FLX_TRY(derive_all(f, nv, r, nv, by_coordinate, add_result(f, o, "K", "", nv, nv)));
    FLX_TRY(derive_all(f, nv, r, nv, by_velocity, add_result(f, o, "D", "", nv, nv)));
    if (nx > 0) {
        const char *rates = "rates of the states, by q, v, x and u";
        FLX_TRY(derive_all(f, nv, r, nx, by_state,
                           add_result(f, o, "Kx", "the same by the states", nv, nx)));
        FLX_TRY(
            derive_all(f, nx, x->rates, nv, by_coordinate, add_result(f, o, "Xq", rates, nx, nv)));
        FLX_TRY(derive_all(f, nx, x->rates, nv, by_velocity, add_result(f, o, "Xv", "", nx, nv)));
        FLX_TRY(derive_all(f, nx, x->rates, nx, by_state, add_result(f, o, "Xx", "", nx, nx)));
    }
    if (f->nu > 0) {
        FLX_TRY(derive_by_inputs(f, nv, r,
                                 add_result(f, o, "Ku", "the same by the inputs", nv, f->nu)));
        if (nx > 0)
            FLX_TRY(derive_by_inputs(f, nx, x->rates, add_result(f, o, "Xu", "", nx, f->nu)));
    }
    return FLX_OK;
}

// ---- outputs -------------------------------------------------------------------------------------

static bool is_acceleration(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_leaf_is(leaf, FLX_QUANTITY_ACCELERATION);
}

// By everything, but in a document.
static flx_status differentiate_outputs(flx_functions *f, flx_function *o, const flx_node *y)
{
    int nv = f->x.nv, nx = f->x.m->nstate, ny = f->ny;
    if (f->options.language == FLX_EXPORT_LATEX) return FLX_OK;
    FLX_TRY(derive_all(f, ny, y, nv, by_coordinate,
                       add_result(f, o, "Yq", "by q, v, x and u, rotations dq as v", ny, nv)));
    FLX_TRY(derive_all(f, ny, y, nv, by_velocity, add_result(f, o, "Yv", "", ny, nv)));
    if (nx > 0) FLX_TRY(derive_all(f, ny, y, nx, by_state, add_result(f, o, "Yx", "", ny, nx)));
    if (f->nu == 0) return FLX_OK;
    return derive_by_inputs(f, ny, y, add_result(f, o, "Yu", "", ny, f->nu));
}

// Outputs of positions, velocities, states and inputs; others are listed by name.
static flx_status add_outputs(flx_functions *f)
{
    flx_symbolic *x = &f->x;
    const flx_outputs *from = &x->m->outputs;
    flx_function *o = add(f, "outputs", "outputs of the model and their derivatives", state_of(f));
    size_t n = (size_t)from->ncolumn;
    f->y = flx_arena_take(x->arena, n, sizeof *f->y);
    f->silent = flx_arena_take(x->arena, n, sizeof *f->silent);
    flx_node *y = add_result(f, o, "y", "", from->ncolumn, 0);
    if (!f->y || !f->silent || !y) return FLX_ERR_MEMORY;
    for (int i = 0; i < from->ncolumn; i++) {
        const flx_column *c = from->columns + i;
        int told = flx_ctx_error_count(x->ctx);
        flx_symbolic_about(x, c->name, FLX_NOWHERE);
        bool moves = flx_graph_depends(x->g, c->node, is_acceleration, NULL);
        flx_node node = moves ? -1 : flx_symbolic_carry(x, flx_symbolic_take(x, c->node));
        if (node >= 0) {
            f->y[f->ny] = c;
            y[f->ny++] = node;
            continue;
        }
        if (!moves && !x->failed) return FLX_ERR_MEMORY;
        flx_ctx_forget_errors(x->ctx, told);
        x->failed = false;
        f->silent[f->nsilent++] = c->name;
    }
    o->results[0].rows = f->ny;
    if (f->ny == 0) f->n--; // nothing to write
    return f->ny > 0 ? differentiate_outputs(f, o, y) : FLX_OK;
}

// ---- parameters ---------------------------------------------------------------------------------

// What could not be followed has its number everywhere.
static flx_status take_numbers(flx_functions *f)
{
    flx_substitution numbers = flx_symbolic_numbers(&f->x);
    bool fine = true;
    for (int i = 0; i < f->n; i++) {
        for (int k = 0; k < f->f[i].nresult; k++) {
            const flx_export_result *r = f->f[i].results + k;
            int n = r->rows * (r->columns ? r->columns : 1);
            for (int j = 0; j < n; j++) {
                r->nodes[j] = flx_graph_substitute(&numbers, r->nodes[j]);
                fine = fine && r->nodes[j] >= 0;
            }
        }
    }
    flx_substitution_clear(&numbers);
    return fine ? FLX_OK : FLX_ERR_MEMORY;
}

// Those that stand in a function.
static flx_status list_parameters(flx_functions *f)
{
    const flx_model *m = f->x.m;
    int count = 0, nleaf = 0;
    for (int i = 0; i < f->n; i++) {
        for (int k = 0; k < f->f[i].nresult; k++) {
            const flx_export_result *r = f->f[i].results + k;
            count += r->rows * (r->columns ? r->columns : 1);
        }
    }
    flx_node *all = take(f, count), *next = all;
    f->parameters = flx_arena_take(f->x.arena, (size_t)m->nparameter, sizeof *f->parameters);
    f->defaults = flx_arena_take(f->x.arena, (size_t)m->nparameter, sizeof *f->defaults);
    if (!all || !f->parameters || !f->defaults) return FLX_ERR_MEMORY;
    for (int i = 0; i < f->n; i++) {
        for (int k = 0; k < f->f[i].nresult; k++) {
            const flx_export_result *r = f->f[i].results + k;
            int n = r->rows * (r->columns ? r->columns : 1);
            for (int j = 0; j < n; j++) {
                if (r->nodes[j] < 0) return FLX_ERR_MEMORY;
                *next++ = r->nodes[j];
            }
        }
    }
    flx_leaf *leaves = NULL;
    FLX_TRY(flx_graph_leaves(f->x.g, count, all, &nleaf, &leaves));
    for (int i = 0; i < m->nparameter; i++) {
        bool used = false;
        flx_leaf own = flx_leaf_make(FLX_LEAF_PARAMETER, m->parameters[i].leaf, 0);
        for (int k = 0; k < nleaf && m->parameters[i].leaf >= 0; k++) {
            used = used || leaves[k] == own;
        }
        if (!used) continue;
        f->parameters[f->np] = m->parameters + i;
        f->defaults[f->np++] = m->parameters[i].values[0];
    }
    flx_free(leaves);
    return FLX_OK;
}

// ---- all of it ----------------------------------------------------------------------------------

static flx_status make(flx_functions *f, const flx_model *m)
{
    flx_symbolic *x = &f->x;
    bool batch = f->options.language == FLX_EXPORT_BATCH;
    FLX_TRY(check_words(f, m->ctx));
    if (!batch) FLX_TRY(flx_symbolic_check_events(m));
    FLX_TRY(flx_symbolic_create(m, f->options.open, batch, x));
    FLX_TRY(list_inputs(f));
    if (batch) FLX_TRY(flx_functions_find_method(f));
    f->closed = x->nrow > 0;
    f->solve = f->closed && wanted(f, "forward") && f->options.language != FLX_EXPORT_LATEX;
    f->name = flx_functions_make_name(f, m);
    f->q = flx_arena_take(x->arena, (size_t)x->nq, sizeof *f->q);
    f->v = flx_arena_take(x->arena, (size_t)x->nv, sizeof *f->v);
    if (!f->name || !f->q || !f->v) return FLX_ERR_MEMORY;
    for (int i = 0; i < x->n; i++) FLX_TRY(flx_functions_name_link(x, i, f->q, f->v));
    for (int i = 0; i < x->nvariable; i++) flx_functions_name_variable(x, i, f->q, f->v);
    if (wanted(f, "rates")) FLX_TRY(add_rates(f));
    if (wanted(f, "inverse") || f->solve) FLX_TRY(add_inverse(f));
    if (wanted(f, "mass") || f->solve) FLX_TRY(add_mass(f));
    if (f->closed && (wanted(f, "closures") || f->solve)) FLX_TRY(add_closures(f));
    if (f->solve) FLX_TRY(add_sizes(f));
    if (!f->closed && wanted(f, "forward")) FLX_TRY(add_forward(f));
    if (m->nstate > 0 && wanted(f, "states")) FLX_TRY(add_states(f));
    if (f->nu > 0 && wanted(f, "inputs")) FLX_TRY(add_inputs(f));
    if (wanted(f, "outputs")) FLX_TRY(add_outputs(f));
    if (wanted(f, "linearise")) FLX_TRY(add_linearise(f));
    if (batch && f->eliminates) FLX_TRY(add_correct(f));
    if (batch) FLX_TRY(flx_functions_add_batch(f, state_of(f)));
    FLX_TRY(take_numbers(f));
    if (batch) FLX_TRY(flx_functions_hoist(f));
    return list_parameters(f);
}

static bool is_rate(void *user, flx_leaf leaf)
{
    if (flx_export_leaf_kind(leaf) != FLX_LEAF_INPUT ||
        flx_leaf_get_component(leaf) == FLX_INPUT_VALUE)
        return false;
    *(int *)user = flx_leaf_get_index(leaf);
    return true;
}

// Functions take values of inputs, and no rates.
static flx_status refuse_rates(const flx_functions *f)
{
    int input = 0;
    for (int i = 0; i < f->n; i++) {
        for (int k = 0; k < f->f[i].nresult; k++) {
            const flx_export_result *r = f->f[i].results + k;
            for (int j = 0; j < r->rows * (r->columns > 0 ? r->columns : 1); j++) {
                if (!flx_graph_depends(f->x.g, r->nodes[j], is_rate, &input)) continue;
                const flx_input_item *in = f->x.m->inputs + input;
                return FLX_FAIL(f->x.ctx, FLX_ERR_CANNOT, in->loc,
                                "the function '%s' reads the rate of input '%s', and functions "
                                "take values of inputs alone: make '%s' a first-order variable "
                                "whose derivative is the input",
                                f->f[i].name, in->name, in->name);
            }
        }
    }
    return FLX_OK;
}

flx_status flx_functions_create(const flx_model *m, const flx_export_options *o, flx_functions *f)
{
    *f = (flx_functions){.options = *o};
    if (f->options.limit <= 0) f->options.limit = DEFAULT_LIMIT;
    flx_status status = make(f, m);
    if (status == FLX_OK) status = refuse_rates(f);
    if (status != FLX_OK) flx_functions_clear(f);
    return status;
}

void flx_functions_clear(flx_functions *f)
{
    flx_symbolic_clear(&f->x);
    *f = (flx_functions){0};
}
