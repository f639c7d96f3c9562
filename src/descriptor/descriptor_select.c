// descriptor_select.c - a selection of rows: what it takes over from the complete system. Holding the start of a joint adds
// rows of joints, leaving out redundant rows drops some of any kind; expressions stay what they are. Their
// derivatives and programs are those of the whole; only where multipliers are found, and where derivatives by
// them go, is numbered anew. The program of a constraint that is left out computes it all the same.
#include "descriptor/descriptor_parts.h"

flx_status flx_select_readings(flx_descriptor *d)
{
    const flx_expressions *from = &d->whole->expr;
    for (int i = 0; i < from->nreading; i++) {
        int reading;
        FLX_TRY(flx_read_reaction(d, from->readings[i].joint, &reading));
    }
    return FLX_OK;
}

// Channels come in the order of the whole, whoever asks for them.
flx_status flx_select_channel(flx_descriptor *d, flx_node node, int *channel)
{
    flx_expressions *x = &d->expr;
    const flx_expressions *from = &d->whole->expr;
    const flx_channel *c = from->channels + x->nchannel;
    int n = x->ndep + c->ndep, first = flx_first_lam(d->whole);
    FLX_ASSERT(x->nchannel < from->nchannel && c->node == node && c->dep == x->ndep);
    (void)node;
    FLX_TRY(flx_grow(d->base.ctx, (void **)&x->channels, &x->channel_capacity, x->nchannel + 1,
                     sizeof *x->channels));
    FLX_TRY(flx_grow(d->base.ctx, (void **)&x->deps, &x->dep_capacity, n, sizeof *x->deps));
    for (; x->ndep < n; x->ndep++) {
        flx_dep *dep = x->deps + x->ndep;
        *dep = from->deps[x->ndep];
        if (dep->unknown >= first) {
            int row = flx_expr_row_of(d, dep->leaf);
            dep->unknown = row < 0 ? FLX_DEP_NOWHERE : flx_first_lam(d) + row;
        }
        bool reads = dep->reading >= 0 || dep->unknown >= flx_first_lam(d);
        if (reads) d->base.reads_multipliers = FLX_READS_FORCES;
    }
    *channel = x->nchannel;
    x->channels[x->nchannel++] = *c;
    return FLX_OK;
}

flx_status flx_select_constraint(flx_descriptor *d, flx_expr_constraint *b)
{
    const flx_expr_constraint *from =
        d->whole->expr.constraints + b->constraint; // it has all of them
    *b = *from;
    if (b->rate >= 0) d->expr.moving = true;
    // becomes slots of the pattern
    b->curve_slot = flx_arena_take(d->arena, (size_t)b->ncurve, sizeof *b->curve_slot);
    if (!b->curve_slot) return FLX_ERR_MEMORY;
    if (b->ncurve > 0) {
        memcpy(b->curve_slot, b->curve_unknown, (size_t)b->ncurve * sizeof *b->curve_slot);
    }
    return FLX_OK;
}

void flx_select_events(flx_descriptor *d)
{
    d->switching = d->whole->switching;
    d->base.dims.nswitch = d->whole->base.dims.nswitch;
}

void flx_select_programs(flx_descriptor *d)
{
    flx_expressions *x = &d->expr;
    const flx_expressions *from = &d->whole->expr;
    memcpy(x->group, from->group, sizeof x->group);
    x->ninput = from->ninput;
    x->leaves = from->leaves;
    x->nturn = from->nturn;
    x->turn_switch = from->turn_switch;
    x->angles = from->angles;
    x->motion = x->nconstraint > 0 ? from->motion : NULL;
    x->scratch = from->scratch;
    x->nout = from->nout;
    if (x->nconstraint == from->nconstraint) {
        x->flat = from->flat;
    } else {
        x->nout -= from->flat.program ? from->flat.n : 0; // behind the groups
    }
}
