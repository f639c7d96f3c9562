// descriptor_force.c - forces of stiffness and damping: which term each of their parts belongs to, and its numbers.
#include "descriptor/descriptor_parts.h"

flx_status flx_forces_place(const flx_descriptor *d, const flx_force *f, int side, double s[3])
{
    return flx_force_place_from_centre(d->model, f, side, d->base.ctx, FLX_SAME_PLACE * d->length,
                                       s);
}

flx_status flx_forces_parts(const flx_descriptor *d, const flx_force *f, flx_force_plan *p)
{
    return flx_force_plan_parts(d->model, f, d->base.ctx, FLX_SAME_PLACE * d->length, p);
}

flx_status flx_forces_scalar(const flx_descriptor *d, const flx_force *f, flx_scalar *s)
{
    flx_force_plan p;
    FLX_TRY(flx_forces_parts(d, f, &p));
    *s = p.part[0].s;
    return FLX_OK;
}

flx_part_goes flx_forces_goes(const flx_force *f, const flx_force_part *part)
{
    int k = part->component;
    bool any = f->stiffness[k] != 0 || f->damping[k] != 0;
    if (f->mixed && any) return FLX_PART_PULL;
    if (part->s.kind != FLX_SCALAR_TWIST) return FLX_PART_SPRING;
    return !f->mixed && k == 3 ? FLX_PART_TWIST : FLX_PART_NOWHERE;
}

flx_spring flx_forces_spring(const flx_force *f, const flx_force_part *part)
{
    int k = part->component;
    return (flx_spring){.k = f->stiffness[k],
                        .c = f->damping[k],
                        .open = f->damping_open[k] != 0,
                        .s = part->s,
                        .rest = part->rests ? f->length : 0.0};
}

void flx_forces_fill_scalar(const flx_descriptor *d, flx_scalar *s)
{
    s->turn = s->kind == FLX_SCALAR_ANGLE ? d->switch_of_joint[s->turn] : -1;
    flx_layout_ends(d, s->body, &s->e);
}

// ---- numbers once more --------------------------------------------------------------------------

void flx_forces_take_numbers(flx_spring *to, const flx_spring *from)
{
    to->k = from->k;
    to->c = from->c;
    to->rest = from->rest;
    flx_scalar_take_numbers(&to->s, &from->s);
    flx_scalar_take_numbers(&to->centre, &from->centre);
}

// As the reader does.
static flx_status check_length(const flx_descriptor *d, const flx_force *f)
{
    if (!f->kind->line || f->length > 0.0) return FLX_OK;
    if (f->length == 0.0 && !f->mixed) return FLX_OK;
    return FLX_FAIL(d->base.ctx, FLX_ERR_MODEL, f->loc,
                    "with these parameters the length of spring '%s' is %g; it must %s", f->name,
                    f->length,
                    f->mixed ? "be positive, for its force is an unknown" : "not be negative");
}

flx_status flx_forces_renew_parts(const flx_descriptor *d, const flx_force *f, flx_force_plan *p)
{
    FLX_TRY(check_length(d, f));
    return flx_forces_parts(d, f, p);
}

flx_status flx_forces_refuse(const flx_descriptor *d, const flx_force *f, const char *what)
{
    return FLX_FAIL(d->base.ctx, FLX_ERR_CANNOT, f->loc, "force '%s': %s; compile again", f->name,
                    what);
}
