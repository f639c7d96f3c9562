// block_analyses.c - the block `analyse`: equilibria, load paths, buckling, modes, and who refers to them.
#include "language/builder.h"

#include <string.h>

#define STEPS 10        // of a path, unless said otherwise
#define MOST_STEPS 2000 // of a path that does not arrive
#define MOST_ASKED 1e6

static flx_analysis_kind kind_of(const flx_item *item)
{
    static const char *const words[] = {"equilibrium", "modes", "static", "buckling", NULL};
    const flx_entry *type = flx_entry_get(item->def, "type");
    int k = 0;
    while (words[k] && !(type && strcmp(type->text, words[k]) == 0)) k++;
    return words[k] ? (flx_analysis_kind)k : FLX_ANALYSIS_MODES;
}

// Whether it ends at an equilibrium, from which others can go on.
static bool is_equilibrium(const flx_item *item)
{
    flx_analysis_kind kind = kind_of(item);
    return kind == FLX_ANALYSIS_EQUILIBRIUM || kind == FLX_ANALYSIS_STATIC;
}

flx_status flx_analysis_find(flx_builder *b, const flx_entry *y, bool equilibrium, int *number)
{
    const char *word = y->kind == FLX_ENTRY_SCALAR ? y->text : "";
    flx_nearest near;
    *number = -1;
    flx_nearest_start(&near, word);
    for (int i = 0; i < b->analyses.count; i++) {
        const flx_item *item = b->analyses.items[i];
        if (strcmp(item->name, word) == 0) *number = i;
        if (!equilibrium || is_equilibrium(item)) flx_nearest_offer(&near, item->name);
    }
    if (*number >= 0 && equilibrium && !is_equilibrium(b->analyses.items[*number])) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "'%s' is no equilibrium: give an analysis of type equilibrium or static",
                        word);
    }
    if (*number >= 0) return FLX_OK;
    const char *best = flx_nearest_best(&near);
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "there is no analysis '%s'%s%s%s", word,
                    best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

flx_status flx_analyses_add_path(flx_builder *b, flx_space *s)
{
    const char *name = "path";
    for (int i = 0; i < b->analyses.count; i++) {
        const flx_item *item = b->analyses.items[i];
        if (flx_loads_has_factor(item)) return FLX_OK;
        if (strcmp(item->name, name) == 0) name = "load path"; // no name of a file
    }
    // {type: static}
    flx_loc loc = s->def->loc;
    flx_entry *node = flx_take(b, 4, sizeof *node), **at = flx_take(b, 2, sizeof *at);
    if (!node || !at) return FLX_ERR_MEMORY;
    at[0] = node + 2;
    at[1] = node + 3;
    node[0] = (flx_entry){.loc = loc, .text = name, .written = name};
    node[1] =
        (flx_entry){.kind = FLX_ENTRY_MAP, .loc = loc, .count = 1, .keys = at, .items = at + 1};
    node[2] = (flx_entry){.loc = loc, .text = "type", .written = "type"};
    node[3] = (flx_entry){.loc = loc, .text = "static", .written = "static"};
    // the rest of the model does not know its name
    return flx_item_declare(b, s, FLX_KIND_ANALYSIS, node, node + 1, NULL, NULL, s->prefix, NULL,
                            &b->analyses, NULL);
}

static flx_status read_count(flx_env *e, const flx_item *item, const char *key, int least, int *out)
{
    const flx_entry *y = flx_entry_get(item->def, key);
    if (!y) return FLX_OK;
    FLX_TRY(flx_build_integer(e, y, out));
    if (*out >= least && *out <= MOST_ASKED) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "'%s' must be at least %d, and at most %g",
                    key, least, MOST_ASKED);
}

static flx_status read_path(flx_env *e, const flx_item *item, flx_analysis *out)
{
    const flx_entry *from = flx_entry_get(item->def, "from"), *to = flx_entry_get(item->def, "to");
    const flx_entry *time = flx_entry_get(item->def, "time");
    const flx_entry *arc = flx_entry_get(item->def, "arc_length");
    out->to = 1.0;
    out->steps = STEPS;
    out->max_steps = MOST_STEPS;
    FLX_TRY(flx_loads_finish(e->b, item, out));
    if (time) FLX_TRY(flx_build_number(e, time, &out->time));
    if (out->kind != FLX_ANALYSIS_STATIC) return FLX_OK;
    if (from) FLX_TRY(flx_build_number(e, from, &out->from));
    if (to) FLX_TRY(flx_build_number(e, to, &out->to));
    if (arc) FLX_TRY(flx_build_flag(e->b, arc, "arc_length", &out->arc_length));
    FLX_TRY(read_count(e, item, "steps", 1, &out->steps));
    FLX_TRY(read_count(e, item, "max_steps", 1, &out->max_steps));
    FLX_TRY(read_count(e, item, "branch", 1, &out->branch));
    out->most_given = flx_entry_get(item->def, "max_steps") != NULL;
    if (out->branch > 0) {
        if (arc && !out->arc_length) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, arc->loc,
                            "a branch is followed by its arc length: leave `arc_length` out");
        }
        out->arc_length = true;
    }
    if (out->from != out->to) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, to ? to->loc : item->loc,
                    "the load factor goes from %g to %g: nowhere", out->from, out->to);
}

static flx_status read_analysis(flx_env *e, const flx_item *item, int number, flx_analysis *out)
{
    flx_builder *b = e->b;
    const flx_entry *about = flx_entry_get(item->def, "about");
    *out = (flx_analysis){.name = item->full, .loc = item->loc, .about = FLX_ABOUT_START};
    out->kind = kind_of(item);
    FLX_TRY(read_count(e, item, "count", 1, &out->count));
    if (flx_loads_has_factor(item)) {
        b->m->nload = b->analyses.count;
        FLX_TRY(read_path(e, item, out));
    }
    if (!about || (about->kind == FLX_ENTRY_SCALAR && strcmp(about->text, "start") == 0)) {
        return FLX_OK;
    }
    if (about->kind == FLX_ENTRY_SCALAR && strcmp(about->text, "end") == 0) {
        out->about = FLX_ABOUT_END;
        if (b->m->simulate.given) return FLX_OK;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, about->loc,
                        "the model has no run whose end this could be: add `simulate`");
    }
    FLX_TRY(flx_analysis_find(b, about, true, &out->about));
    if (out->about < number || !is_equilibrium(item)) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, about->loc,
                    "an equilibrium is sought from one that stands before it");
}

flx_status flx_analyses_finish(flx_builder *b)
{
    flx_model *m = b->m;
    flx_env e;
    flx_env_init(&e, b, b->top, NULL, FLX_MODE_CONSTANT);
    m->analyses = flx_arena_take(m->arena, (size_t)b->analyses.count, sizeof *m->analyses);
    if (!m->analyses) return FLX_ERR_MEMORY;
    m->nanalysis = b->analyses.count;
    for (int i = 0; i < b->analyses.count; i++) {
        const flx_item *item = b->analyses.items[i];
        if (item->broken) continue; // its message is recorded
        flx_status status = read_analysis(&e, item, i, m->analyses + i);
        if (status == FLX_ERR_MEMORY) return status;
        if (status != FLX_OK) b->failed = true;
    }
    return FLX_OK;
}
