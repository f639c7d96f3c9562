// signals.c - values of the model's expressions at a state.
#include "analyse/simulation.h"

flx_status flx_signals_create(flx_ctx *ctx, const flx_graph *graph, int n, const flx_node *nodes,
                              flx_signals *s)
{
    *s = (flx_signals){.nnode = n};
    FLX_TRY(flx_graph_leaves(graph, n, nodes, &s->nleaf, &s->leaves));
    FLX_TRY(flx_program_compile(graph, s->nleaf, s->leaves, n, nodes, &s->program));
    s->in = flx_alloc(ctx, (size_t)s->nleaf, sizeof *s->in);
    s->scratch = flx_alloc(ctx, (size_t)flx_program_scratch(s->program), sizeof *s->scratch);
    s->out = flx_alloc(ctx, (size_t)n, sizeof *s->out);
    return s->in && s->scratch && s->out ? FLX_OK : FLX_ERR_MEMORY;
}

void flx_signals_clear(flx_signals *s)
{
    flx_program_destroy(&s->program);
    flx_free(s->leaves);
    flx_free(s->in);
    flx_free(s->scratch);
    flx_free(s->out);
    *s = (flx_signals){0};
}

#define DISSIPATED 3 // component of FLX_LEAF_ENERGY

flx_status flx_signals_eval(flx_signals *s, const flx_system *sys, flx_work *w, const flx_state *x,
                            double dissipated)
{
    FLX_TRY(flx_descriptor_observe(sys, w, x, s->nleaf, s->leaves, s->in));
    for (int i = 0; i < s->nleaf; i++) {
        if (s->leaves[i] == flx_leaf_make(FLX_LEAF_ENERGY, 0, DISSIPATED)) s->in[i] = dissipated;
    }
    flx_program_eval(s->program, s->in, s->scratch, s->out);
    return FLX_OK;
}
