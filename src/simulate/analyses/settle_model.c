// settle_model.c - analyses whose results the expressions of their model use, done before a run: gains of a controller,
// torques of an inversion.
#include "simulate/analyses/performer.h"

#include "model/known.h"

static int first_awaited(const flx_model *m, int from)
{
    int i = from;
    while (m->awaited && i < m->nanalysis && !m->awaited[i]) i++;
    return m->awaited && i < m->nanalysis ? i : -1;
}

// Whether it is sought, through others, from the end of the run.
static bool is_about_end(const flx_model *m, int i)
{
    while (i >= 0) i = m->analyses[i].about;
    return i == FLX_ABOUT_END;
}

static flx_status know(const flx_model *m, const char *name, const flx_finding *f)
{
    flx_known k = {.analysis = name, .ntable = f->ntable};
    k.tables = flx_alloc(m->ctx, (size_t)f->ntable + 1, sizeof *k.tables);
    if (!k.tables) return FLX_ERR_MEMORY;
    for (int i = 0; i < f->ntable; i++) {
        const flx_finding_table *t = f->tables + i;
        k.tables[i] = (flx_known_table){t->name, t->nrow, t->ncolumn, t->columns, t->values};
    }
    flx_status status = flx_model_know(m, &k);
    flx_free(k.tables);
    return status;
}

static flx_status find(const flx_model *m, int i)
{
    flx_simulation *sim = NULL;
    flx_finding found = {0};
    const char *name = m->analyses[i].name;
    if (is_about_end(m, i)) {
        return FLX_FAIL(m->ctx, FLX_ERR_MODEL, m->analyses[i].loc,
                        "'%s' is about the end of a run that uses what it finds", name);
    }
    flx_status status = flx_simulation_create_unsettled(m, &sim);
    if (status == FLX_OK) status = flx_simulation_analyse(sim, i, &found);
    if (status == FLX_OK) status = know(m, name, &found);
    flx_finding_clear(&found);
    flx_simulation_destroy(&sim);
    return status;
}

flx_status flx_model_settle(const flx_model *m, bool needed)
{
    FLX_TRY(flx_model_refresh(m));
    for (int i = first_awaited(m, 0); i >= 0; i = first_awaited(m, i)) {
        int told = flx_ctx_error_count(m->ctx);
        flx_status status = find(m, i);
        if (status == FLX_OK) continue;
        if (needed || status == FLX_ERR_MEMORY) return status;
        const flx_message *why = flx_ctx_error(m->ctx, told);
        flx_ctx_warn(m->ctx, m->analyses[i].loc, "what '%s' finds is taken as zero, since %s",
                     m->analyses[i].name, why ? why->text : "it failed");
        flx_ctx_forget_errors(m->ctx, told);
        i++;
    }
    return FLX_OK;
}
