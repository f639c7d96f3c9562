// expression_places.c - the blocks that expressions couple, and where in them their derivatives are added.
#include "descriptor/terms/expression_items.h"

// ---- pattern ------------------------------------------------------------------------------------

static int dep_unknown(const flx_descriptor *d, const flx_dep *dep, int k)
{
    return dep->reading < 0 ? dep->unknown : d->expr.readings[dep->reading].unknown[k];
}

static flx_status couple_channel(flx_descriptor *d, int channel, int block)
{
    if (channel < 0) return FLX_OK;
    const flx_channel *c = d->expr.channels + channel;
    for (int i = c->dep; i < c->dep + c->ndep; i++) {
        const flx_dep *dep = d->expr.deps + i;
        for (int k = 0; k < flx_dep_count(&d->expr, dep); k++) {
            FLX_TRY(flx_layout_couple(d, block, d->block_of[dep_unknown(d, dep, k)]));
        }
    }
    return FLX_OK;
}

flx_status flx_items_couple(flx_descriptor *d)
{
    const flx_expr_items *x = flx_items_of(d);
    for (int i = 0; i < x->nrow; i++) {
        const flx_expr_row *r = x->rows + i;
        int block = d->block_of[r->row];
        FLX_TRY(couple_channel(d, r->channel, block));
        if (r->acceleration >= 0) {
            FLX_TRY(flx_layout_couple(d, block, d->block_of[r->acceleration]));
        }
    }
    for (int i = 0; i < x->nwrench; i++) {
        for (int k = 0; k < 6; k++) {
            for (int b = 0; b < 2; b++) {
                if (x->wrenches[i].body[b] < 0) continue;
                FLX_TRY(couple_channel(d, x->wrenches[i].channel[k],
                                       flx_body_block(d, x->wrenches[i].body[b])));
            }
        }
    }
    for (int i = 0; i < x->neffort; i++) {
        const flx_scalar *s = &x->efforts[i].s;
        FLX_TRY(flx_layout_couple_bodies(d, s->body));
        for (int b = 0; b < 2; b++) {
            if (s->body[b] < 0) continue;
            FLX_TRY(couple_channel(d, x->efforts[i].channel, flx_body_block(d, s->body[b])));
        }
    }
    for (int i = 0; i < x->nload; i++) {
        const flx_expr_load *o = x->loads + i;
        for (int k = 0; k < 4 * o->nbody; k++) {
            FLX_TRY(couple_channel(d, o->channel[k % 4], flx_body_block(d, o->body[k / 4])));
        }
    }
    return FLX_OK;
}

// ---- places -------------------------------------------------------------------------------------

// Offsets of (row, unknown) for the dependencies of a channel.
static int *channel_slots(flx_descriptor *d, int channel, int row)
{
    const flx_channel *c = d->expr.channels + channel;
    int n = 0;
    for (int i = c->dep; i < c->dep + c->ndep; i++) n += flx_dep_count(&d->expr, d->expr.deps + i);
    int *slot = flx_arena_take(d->arena, (size_t)n, sizeof *slot);
    n = 0;
    for (int i = c->dep; slot && i < c->dep + c->ndep; i++) {
        const flx_dep *dep = d->expr.deps + i;
        for (int k = 0; k < flx_dep_count(&d->expr, dep); k++) {
            slot[n++] = flx_layout_slot(d, row, dep_unknown(d, dep, k));
        }
    }
    return slot;
}

static int width_of(const flx_descriptor *d, int unknown)
{
    int b = d->block_of[unknown];
    return d->block_start[b + 1] - d->block_start[b];
}

static flx_status fill_load(flx_descriptor *d, flx_expr_load *o)
{
    for (int i = 0; i < o->nface; i++) flx_solids_fill_blocks(d, &o->faces[i].e);
    for (int k = 0; k < 4; k++) {
        if (o->channel[k] < 0 || o->nbody == 0) continue;
        o->slot[k] = flx_arena_take(d->arena, (size_t)o->nbody, sizeof *o->slot[k]);
        if (!o->slot[k]) return FLX_ERR_MEMORY;
        for (int i = 0; i < o->nbody; i++) {
            o->slot[k][i] = channel_slots(d, o->channel[k], d->body_v[o->body[i]]);
            if (!o->slot[k][i]) return FLX_ERR_MEMORY;
        }
    }
    return FLX_OK;
}

// Widths of the blocks of what channels depend on.
static flx_status fill_deps(flx_descriptor *d)
{
    flx_expressions *x = &d->expr;
    for (int i = 0; i < x->ndep; i++) {
        flx_dep *dep = x->deps + i;
        if (dep->reading < 0 && dep->unknown != FLX_DEP_NOWHERE) {
            dep->width = width_of(d, dep->unknown);
        }
    }
    for (int i = 0; i < x->nreading; i++) {
        flx_reading *r = x->readings + i;
        r->width = flx_arena_take(d->arena, (size_t)r->n, sizeof *r->width);
        if (!r->width) return FLX_ERR_MEMORY;
        for (int k = 0; k < r->n; k++) r->width[k] = width_of(d, r->unknown[k]);
    }
    return FLX_OK;
}

static flx_status fill_wrench(flx_descriptor *d, flx_expr_wrench *w)
{
    flx_layout_ends(d, w->body, &w->e);
    for (int k = 0; k < 12; k++) {
        if (w->body[k & 1] < 0 || w->channel[k / 2] < 0) continue;
        w->slot[k / 2][k & 1] = channel_slots(d, w->channel[k / 2], d->body_v[w->body[k & 1]]);
        if (!w->slot[k / 2][k & 1]) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

static flx_status fill_effort(flx_descriptor *d, flx_expr_effort *e)
{
    flx_forces_fill_scalar(d, &e->s);
    for (int b = 0; b < 2; b++) {
        if (e->s.body[b] < 0 || e->channel < 0) continue;
        e->slot[b] = channel_slots(d, e->channel, d->body_v[e->s.body[b]]);
        if (!e->slot[b]) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

flx_status flx_items_fill(flx_descriptor *d)
{
    const flx_expr_items *x = flx_items_of(d);
    FLX_TRY(fill_deps(d));
    for (int i = 0; i < x->nrow; i++) {
        flx_expr_row *r = x->rows + i;
        r->slot = channel_slots(d, r->channel, r->row);
        if (!r->slot) return FLX_ERR_MEMORY;
        r->mass = r->acceleration < 0 ? -1 : flx_layout_slot(d, r->row, r->acceleration);
    }
    for (int i = 0; i < x->nwrench; i++) FLX_TRY(fill_wrench(d, x->wrenches + i));
    for (int i = 0; i < x->nload; i++) FLX_TRY(fill_load(d, x->loads + i));
    for (int i = 0; i < x->neffort; i++) FLX_TRY(fill_effort(d, x->efforts + i));
    return FLX_OK;
}

// ---- parts --------------------------------------------------------------------------------------

static void mark_channel(flx_descriptor *d, int channel, const int *slot)
{
    if (channel < 0 || !slot) return;
    const flx_channel *c = d->expr.channels + channel;
    for (int i = 0; i < c->ndep; i++) {
        const flx_dep *dep = d->expr.deps + c->dep + i;
        if (dep->rate) flx_layout_mark(d, *slot, 2);
        slot += flx_dep_count(&d->expr, dep);
    }
}

void flx_items_mark(flx_descriptor *d)
{
    const flx_expr_items *x = flx_items_of(d);
    for (int i = 0; i < x->nrow; i++) {
        mark_channel(d, x->rows[i].channel, x->rows[i].slot);
        if (x->rows[i].mass >= 0) flx_layout_mark(d, x->rows[i].mass, 4);
    }
    for (int i = 0; i < x->nwrench; i++) {
        for (int k = 0; k < 12; k++) {
            mark_channel(d, x->wrenches[i].channel[k / 2], x->wrenches[i].slot[k / 2][k & 1]);
        }
    }
    for (int i = 0; i < x->neffort; i++) {
        for (int b = 0; b < 2; b++) mark_channel(d, x->efforts[i].channel, x->efforts[i].slot[b]);
    }
    for (int i = 0; i < x->nload; i++) {
        const flx_expr_load *o = x->loads + i;
        for (int k = 0; k < 4 * o->nbody; k++) {
            int channel = o->channel[k % 4];
            if (channel >= 0) mark_channel(d, channel, o->slot[k % 4][k / 4]);
        }
    }
}
