// balanced_states.c - states that begin at rest with what the start has found, as the fibres of a muscle do, whose length follows from the joints.
#include "simulate/simulation_parts.h"

flx_status flx_balanced_plan(flx_simulation *sim)
{
    const flx_model *m = sim->model;
    int n = 0;
    for (int i = 0; i < m->nfirst; i++) n += m->firsts[i].balance ? FLX_BALANCE_READS : 0;
    if (n == 0 || sim->making->balanced.program) return FLX_OK;
    flx_node *nodes = flx_arena_take(sim->arena, (size_t)n, sizeof *nodes);
    if (!nodes) return FLX_ERR_MEMORY;
    n = 0;
    for (int i = 0; i < m->nfirst; i++) {
        for (int k = 0; m->firsts[i].balance && k < FLX_BALANCE_READS; k++)
            nodes[n++] = m->firsts[i].balance->reads[k];
    }
    return flx_formulas_create(m->graph, n, nodes, &sim->making->balanced);
}

static flx_status set_balanced(const flx_simulation *sim, const double *read, flx_state *x)
{
    const flx_model *m = sim->model;
    for (int i = 0; i < m->nfirst; i++) {
        const flx_first_order *f = m->firsts + i;
        if (!f->balance) continue;
        if (!f->balance->find(read, x->x + f->number)) {
            return FLX_FAIL(sim->ctx, FLX_ERR_MODEL, f->loc, "%s is %g m long at the start, and %s",
                            f->balance->who, read[0], f->balance->why);
        }
        read += FLX_BALANCE_READS;
    }
    return FLX_OK;
}

flx_status flx_balanced_find(flx_simulation *sim, const flx_system *s)
{
    const flx_formulas *f = &sim->plan->balanced;
    flx_signals values = {0};
    flx_work *work = NULL;
    flx_state *x = NULL;
    if (!f->program || sim->from) return FLX_OK; // a state of a motion goes on
    flx_status status = flx_signals_create(sim->ctx, f, &values);
    if (status == FLX_OK) status = flx_state_create(s, &x);
    if (status == FLX_OK) work = s->ops->work_create(s);
    if (status == FLX_OK && !work) status = FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        flx_simulation_copy_motion(&s->dims, x, sim->start);
        status = flx_descriptor_observe(s, work, x, f->nleaf, f->leaves, values.in);
    }
    if (status == FLX_OK) {
        flx_program_eval(f->program, values.in, values.scratch, values.out);
        status = set_balanced(sim, values.out, sim->start);
    }
    if (work) s->ops->work_destroy(work);
    flx_state_destroy(&x);
    flx_signals_clear(&values);
    return status;
}
