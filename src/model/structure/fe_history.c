// fe_history.c - factors of loads over the time of a transient, compiled.
#include "model/model_data.h"

struct flx_histories {
    flx_program *program;
    double *values, *scratch;
};

void flx_histories_destroy(flx_histories **h)
{
    if (!h || !*h) return;
    flx_program_destroy(&(*h)->program);
    flx_free((*h)->values);
    flx_free((*h)->scratch);
    flx_free(*h);
    *h = NULL;
}

flx_status flx_histories_create(const flx_model *m, flx_histories **out)
{
    const flx_fe_block *b = &m->fe;
    flx_leaf time = flx_leaf_make(FLX_LEAF_TIME, 0, 0);
    flx_histories *h = *out = flx_alloc(m->ctx, 1, sizeof *h);
    if (!h) return FLX_ERR_MEMORY;
    flx_status status =
        flx_program_compile(m->graph, 1, &time, b->nhistory, b->histories, &h->program);
    if (status == FLX_OK) {
        h->values = flx_alloc(m->ctx, (size_t)b->nhistory, sizeof *h->values);
        h->scratch = flx_alloc(m->ctx, (size_t)flx_program_scratch(h->program), sizeof *h->scratch);
        if (!h->values || !h->scratch) status = FLX_ERR_MEMORY;
    }
    if (status != FLX_OK) flx_histories_destroy(out);
    return status;
}

const double *flx_histories_at(flx_histories *h, double t)
{
    flx_program_eval(h->program, &t, h->scratch, h->values);
    return h->values;
}
