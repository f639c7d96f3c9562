// block_analyses.c - the block `analyse`: equilibria, load paths, buckling, modes, and who refers to them.
#include "language/analyses/analysis_reader.h"

#include <string.h>

// Whether it ends at an equilibrium, from which others can go on.
static bool is_rest(const flx_item *item)
{
    return flx_analysis_reader_of(item, NULL)->rest;
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
        if (!equilibrium || is_rest(item)) flx_nearest_offer(&near, item->name);
    }
    if (*number >= 0 && equilibrium && !is_rest(b->analyses.items[*number])) {
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

// {time: ..}
static flx_status read_instant(flx_env *e, const flx_entry *about, flx_analysis *out)
{
    const flx_simulate *run = &e->b->m->simulate;
    const flx_entry *time = flx_entry_get(about, "time");
    out->about = FLX_ABOUT_TIME;
    if (!time) return FLX_ERR_MODEL; // it is told elsewhere
    if (!run->given) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, about->loc,
                        "the model has no run of which this could be an instant: add `simulate`");
    }
    FLX_TRY(flx_build_number(e, time, &out->instant));
    if (out->instant >= 0.0 && out->instant <= run->until) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, time->loc,
                    "the run goes from 0 to %.9g s, and not to %.9g", run->until, out->instant);
}

static flx_status read_analysis(flx_env *e, const flx_item *item, int number, flx_analysis *out)
{
    flx_builder *b = e->b;
    const flx_entry *about = flx_entry_get(item->def, "about");
    *out = (flx_analysis){.name = item->full, .loc = item->loc, .about = FLX_ABOUT_START};
    const flx_analysis_reader *reader = flx_analysis_reader_of(item, &out->kind);
    out->type = reader->says.word;
    out->rest = reader->rest;
    FLX_TRY(flx_analysis_count(e, item, "count", 1, &out->count));
    if (reader->read) FLX_TRY(reader->read(e, item, out));
    if (about && reader->motion) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, about->loc,
                        "'%s' is that of a whole motion, and not about a state: leave out `about`",
                        out->type);
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
    if (about->kind == FLX_ENTRY_MAP) return read_instant(e, about, out);
    FLX_TRY(flx_analysis_find(b, about, true, &out->about));
    if (out->about < number || !is_rest(item)) return FLX_OK;
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
        b->analysing = i + 1;
        flx_status status = read_analysis(&e, item, i, m->analyses + i);
        b->analysing = 0;
        if (status == FLX_ERR_MEMORY) return status;
        if (status != FLX_OK) b->failed = true;
    }
    return FLX_OK;
}
