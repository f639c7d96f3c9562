// analyses.c - the block `analyse`: equilibria and modes, and who refers to them.
#include "model/builder.h"

#include <string.h>

static bool is_equilibrium(const flx_item *item)
{
    const flx_yaml *type = flx_yaml_get(item->def, "type");
    return type && type->kind == FLX_YAML_SCALAR && strcmp(type->text, "equilibrium") == 0;
}

flx_status flx_analysis_find(flx_builder *b, const flx_yaml *y, bool equilibrium, int *number)
{
    const char *word = y->kind == FLX_YAML_SCALAR ? y->text : "";
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
                        "'%s' is no equilibrium: give an analysis of type equilibrium", word);
    }
    if (*number >= 0) return FLX_OK;
    const char *best = flx_nearest_best(&near);
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "there is no analysis '%s'%s%s%s", word,
                    best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

static flx_status read_analysis(flx_env *e, const flx_item *item, int number, flx_analysis *out)
{
    flx_builder *b = e->b;
    const flx_yaml *about = flx_yaml_get(item->def, "about");
    const flx_yaml *count = flx_yaml_get(item->def, "count");
    *out = (flx_analysis){.name = item->full, .loc = item->loc, .about = FLX_ABOUT_START};
    out->kind = is_equilibrium(item) ? FLX_ANALYSIS_EQUILIBRIUM : FLX_ANALYSIS_MODES;
    if (count) FLX_TRY(flx_build_integer(e, count, &out->count));
    if (count && out->count < 1) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, count->loc, "the count of modes must be at least 1");
    }
    if (!about || (about->kind == FLX_YAML_SCALAR && strcmp(about->text, "start") == 0)) {
        return FLX_OK;
    }
    if (about->kind == FLX_YAML_SCALAR && strcmp(about->text, "end") == 0) {
        out->about = FLX_ABOUT_END;
        if (b->m->simulate.given) return FLX_OK;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, about->loc,
                        "the model has no run whose end this could be: add `simulate`");
    }
    FLX_TRY(flx_analysis_find(b, about, true, &out->about));
    if (out->about < number || out->kind == FLX_ANALYSIS_MODES) return FLX_OK;
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
