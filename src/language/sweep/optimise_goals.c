// optimise_goals.c - goals and conditions of the block `optimise`: expressions over metrics, analyses and parameters.
#include "language/sweep/optimise_goals.h"

#include <string.h>

#define RUNS 500
#define POINTS 12
#define MOST_GOALS 3

// ---- names --------------------------------------------------------------------------------------

flx_status flx_goal_sought(flx_env *e, const flx_item *analysis, const char *text, flx_loc loc,
                           flx_operand *out)
{
    flx_builder *b = e->b;
    flx_goal_names *names = e->goals;
    int k = 0, i = 0;
    while (i < b->analyses.count && b->analyses.items[i] != analysis) i++;
    while (k < names->n &&
           (names->sought[k].analysis != i || strcmp(names->sought[k].text, text) != 0))
        k++;
    if (k == names->room) {
        int room = 2 * names->room + 8;
        flx_sought *list = flx_arena_take(b->m->arena, (size_t)room, sizeof *list);
        if (!list) return FLX_ERR_MEMORY;
        if (names->n > 0) memcpy(list, names->sought, (size_t)names->n * sizeof *list);
        names->sought = list;
        names->room = room;
    }
    if (k == names->n) {
        char *own = flx_arena_copy(b->m->arena, text, strlen(text));
        if (!own) return FLX_ERR_MEMORY;
        names->sought[names->n++] = (flx_sought){.analysis = i, .text = own, .loc = loc};
    }
    int number = b->m->outputs.nmetric + k;
    return flx_operand_set_node(flx_graph_leaf(b->g, flx_leaf_make(FLX_LEAF_MEASURE, number, 0)),
                                out);
}

// Metrics by their names, in front of everything else.
static flx_status list_metrics(flx_builder *b, const flx_local **out)
{
    const flx_outputs *o = &b->m->outputs;
    *out = NULL;
    for (int i = 0; i < o->nmetric; i++) {
        flx_local *l = flx_take(b, 1, sizeof *l);
        if (!l) return FLX_ERR_MEMORY;
        *l = (flx_local){.name = o->metrics[i].name, .next = *out};
        FLX_TRY(flx_operand_set_node(flx_graph_leaf(b->g, flx_leaf_make(FLX_LEAF_MEASURE, i, 0)),
                                     &l->value));
        *out = l;
    }
    return FLX_OK;
}

// ---- expressions --------------------------------------------------------------------------------

static bool is_other_leaf(void *user, flx_leaf leaf)
{
    flx_leaf_kind kind = flx_leaf_get_kind(leaf);
    (void)user;
    return kind != FLX_LEAF_MEASURE && kind != FLX_LEAF_MODES && kind != FLX_LEAF_PARAMETER;
}

static flx_status check(flx_builder *b, const flx_entry *y, flx_node n)
{
    if (!flx_graph_depends(b->g, n, is_other_leaf, NULL)) return FLX_OK;
    return FLX_FAIL(
        b->ctx, FLX_ERR_MODEL, y->loc,
        "a goal or condition is one number per run: it is made of metrics "
        "('outputs: {metrics: {peak: maximum(..)}}'), results of analyses and parameters");
}

static flx_status read_goal(flx_env *e, const flx_entry *y, flx_goal *out)
{
    *out = (flx_goal){.text = y->text, .loc = y->loc, .limit = -1};
    FLX_TRY(flx_build_node(e, y, &out->node));
    return check(e->b, y, out->node);
}

// The comparison of a condition; NULL: there is none, or more than one.
static const char *find_comparison(const char *text)
{
    const char *at = NULL;
    int depth = 0;
    for (const char *c = text; c && *c; c++) {
        if (*c == '(' || *c == '[') depth++;
        if (*c == ')' || *c == ']') depth--;
        bool one = *c == '<' || *c == '>' || (*c == '=' && c[1] == '=');
        if (depth != 0 || !one) continue;
        if (at) return NULL;
        at = c;
        if (c[1] == '=') c++;
    }
    return at;
}

static flx_status read_condition(flx_env *e, const flx_entry *y, flx_goal *out)
{
    flx_builder *b = e->b;
    const char *at = find_comparison(y->text);
    if (!at) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "a condition compares two expressions by <, <=, >, >= or ==, as in "
                        "'stress <= 2e8'");
    }
    char *left = flx_arena_copy(b->scratch, y->text, (size_t)(at - y->text));
    flx_entry *side = flx_take(b, 2, sizeof *side); // stays: what is parsed is kept by its entry
    if (!left || !side) return FLX_ERR_MEMORY;
    side[0] = side[1] = *y;
    side[0].text = side[0].written = left;
    side[1].text = side[1].written = at + (at[1] == '=' ? 2 : 1);
    flx_node node[2];
    for (int k = 0; k < 2; k++) {
        FLX_TRY(flx_build_node(e, &side[k], &node[k]));
        FLX_TRY(check(b, y, node[k]));
    }
    int small = *at == '>' ? 1 : 0;
    *out = (flx_goal){.text = y->text,
                      .loc = y->loc,
                      .node = node[small],
                      .limit = node[1 - small],
                      .equal = *at == '='};
    return FLX_OK;
}

// ---- the block ----------------------------------------------------------------------------------

static flx_status read_list(flx_env *e, const flx_entry *y, int *n, flx_goal **out,
                            flx_status (*read)(flx_env *, const flx_entry *, flx_goal *))
{
    const flx_entry *one[1] = {y};
    bool list = y->kind == FLX_ENTRY_LIST;
    int count = list ? y->count : 1;
    *out = flx_arena_take(e->b->m->arena, (size_t)count + 1, sizeof **out);
    if (!*out) return FLX_ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        FLX_TRY(read(e, list ? y->items[i] : one[0], *out + *n));
        (*n)++;
    }
    return FLX_OK;
}

static flx_status read_whole(flx_env *e, const flx_entry *block, const char *key, int least,
                             int most, int *out)
{
    const flx_entry *y = flx_entry_get(block, key);
    if (!y) return FLX_OK;
    FLX_TRY(flx_build_integer(e, y, out));
    if (*out >= least && *out <= most) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "'%s' is a whole number from %d to %d", key,
                    least, most);
}

flx_status flx_goals_read(flx_builder *b, const flx_entry *block, flx_optimise *out)
{
    static const char *const words[] = {"auto", "sqp", "derivative-free", "global", NULL};
    const flx_entry *minimise = flx_entry_get(block, "minimise"),
                    *maximise = flx_entry_get(block, "maximise"),
                    *objectives = flx_entry_get(block, "objectives"),
                    *conditions = flx_entry_get(block, "subject_to");
    const flx_entry *goals = minimise ? minimise : maximise ? maximise : objectives;
    flx_goal_names names = {0};
    flx_env e, constants;
    const flx_local *metrics;
    FLX_TRY(list_metrics(b, &metrics));
    flx_env_init(&e, b, b->top, metrics, FLX_MODE_OUTPUT);
    flx_env_init(&constants, b, b->top, NULL, FLX_MODE_CONSTANT);
    e.goals = &names;
    if (!goals) return FLX_OK; // said by the schema
    FLX_TRY(read_list(&e, goals, &out->ngoal, &out->goals, read_goal));
    if (conditions) {
        FLX_TRY(read_list(&e, conditions, &out->ncondition, &out->conditions, read_condition));
    }
    if (out->ngoal > MOST_GOALS) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, goals->loc, "a front has two or three goals, not %d",
                        out->ngoal);
    }
    out->maximise = maximise != NULL;
    if (maximise) out->goals[0].node = flx_graph_unary(b->g, FLX_OP_NEG, out->goals[0].node);
    out->nsought = names.n;
    out->sought = names.sought;
    out->points = POINTS;
    out->runs = RUNS;
    int seed = 1;
    FLX_TRY(read_whole(&constants, block, "points", 2, 1000, &out->points));
    FLX_TRY(read_whole(&constants, block, "runs", 1, 10000000, &out->runs));
    FLX_TRY(read_whole(&constants, block, "restarts", 0, 10000, &out->restarts));
    FLX_TRY(read_whole(&constants, block, "seed", 0, 2147483647, &seed));
    out->seed = (unsigned)seed;
    const flx_entry *method = flx_entry_get(block, "method");
    int word = FLX_OPTIMISE_AUTO;
    if (method) FLX_TRY(flx_build_word(b, method, "method", words, &word));
    out->method = (flx_optimise_method)word;
    return FLX_OK;
}
