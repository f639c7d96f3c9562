// descriptor_numbers.c - numbers of an instance that follow from the parameters of its model: what the makers of the system
// took from the model is taken again, into arrays of its own. The structure stays; where other parameters would change it,
// they are refused.
#include "descriptor/descriptor_parts.h"
#include "model/numbers.h"

// ---- own arrays ---------------------------------------------------------------------------------

void *flx_descriptor_own(flx_descriptor *d, void *array, int n, size_t size)
{
    void **at = array;
    void *copy = flx_arena_take(d->arena, (size_t)n, size);
    if (copy && n > 0) memcpy(copy, *at, (size_t)n * size);
    *at = copy;
    return copy;
}

#define OWN(array, n) (FLX_OWN(d, array, n, sizeof *(array)) != NULL)

static flx_status own_arrays(flx_descriptor *d)
{
    flx_expressions *x = &d->expr;
    d->arena = flx_arena_create(d->base.ctx);
    if (!d->arena) return FLX_ERR_MEMORY;
    FLX_TRY(flx_terms_take(d));
    bool fine = OWN(d->points, d->npoint) && OWN(d->axes, d->naxis) &&
                OWN(d->scalars, d->nscalar) && OWN(d->vscalars, d->nvscalar) &&
                OWN(d->rows, d->base.dims.nlam + d->base.dims.nmu) && OWN(d->turns, d->nturn) &&
                OWN(x->wrenches, x->nwrench) && OWN(x->efforts, x->neffort) &&
                OWN(x->rows, x->nrow) && OWN(x->bonds, x->nbond);
    d->renewal = flx_arena_take(d->arena, 1, flx_rows_scratch());
    d->before = flx_arena_take(d->arena, (size_t)d->base.nparameter, sizeof *d->before);
    return fine && d->renewal && d->before ? FLX_OK : FLX_ERR_MEMORY;
}

// ---- refilled -----------------------------------------------------------------------------------

void flx_scalar_take_numbers(flx_scalar *to, const flx_scalar *from)
{
    memcpy(to->s, from->s, sizeof to->s);
    memcpy(to->a, from->a, sizeof to->a);
    memcpy(to->b, from->b, sizeof to->b);
    to->length = from->length;
    to->offset = from->offset;
}

static const flx_force *force_of(const flx_model *m, int of)
{
    return of < m->nforce ? m->forces + of : m->frictions + (of - m->nforce);
}

static flx_status renew_expressions(flx_descriptor *d)
{
    const flx_model *m = d->model;
    flx_expressions *x = &d->expr;
    for (int i = 0; i < x->nwrench; i++) {
        flx_expr_wrench *w = x->wrenches + i;
        if (w->of < 0) continue; // of a solid, whose numbers are fixed
        for (int k = 0; k < 2; k++) {
            FLX_TRY(flx_forces_place(d, force_of(m, w->of), k, w->s[k]));
        }
    }
    for (int i = 0; i < x->neffort; i++) {
        flx_scalar s;
        FLX_TRY(flx_forces_scalar(d, force_of(m, x->efforts[i].of), &s));
        flx_scalar_take_numbers(&x->efforts[i].s, &s);
    }
    for (int i = 0; i < x->nbond; i++) {
        flx_expr_bond *b = x->bonds + i;
        double C = m->constraints[b->constraint].compliance;
        if ((C > 0) != (b->C > 0)) {
            return FLX_FAIL(d->base.ctx, FLX_ERR_CANNOT, m->constraints[b->constraint].loc,
                            "constraint '%s' gives way or holds as it did when the model was "
                            "compiled: compile again",
                            m->constraints[b->constraint].name);
        }
        d->rows[(b->velocity ? d->base.dims.nlam : 0) + b->row].C = b->C = C;
    }
    return FLX_OK;
}

static flx_status renew(flx_descriptor *d)
{
    d->length = flx_descriptor_length(d->model);
    FLX_TRY(flx_terms_renew(d, FLX_STAGE_BODIES));
    FLX_TRY(flx_rows_renew(d));
    FLX_TRY(flx_terms_renew(d, FLX_STAGE_FORCES));
    FLX_TRY(renew_expressions(d));
    return flx_pulls_scale(d);
}

// ---- parameters ---------------------------------------------------------------------------------

// The numbers of the model, whoever it belongs to.
static flx_status take_model(flx_descriptor *d, const flx_model *m)
{
    if (!d->arena) FLX_TRY(own_arrays(d)); // of the complete system
    d->model = m;
    const double *p = flx_model_parameters(m);
    memcpy(d->param + d->base.first_parameter, p, (size_t)m->ntunable * sizeof *p);
    flx_expr_hoist(d);
    d->stale = false;
    if (d->complete) d->complete->stale = true; // until it is asked for
    return renew(d);
}

flx_status flx_descriptor_renew_complete(const flx_descriptor *d)
{
    return d->complete->stale ? take_model(d->complete, d->model) : FLX_OK;
}

static flx_status refuse_compiled(const flx_descriptor *d)
{
    return FLX_FAIL(d->base.ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "parameters are those of a run: a compiled system is not changed");
}

static flx_status refuse_no_number(const flx_descriptor *d, const double *p)
{
    for (int k = 0; k < d->base.nparameter; k++) {
        if (!isnan(p[k])) continue;
        return FLX_FAIL(d->base.ctx, FLX_ERR_MODEL, FLX_NOWHERE, "parameter '%s' is not a number",
                        d->model->tunables[k].name);
    }
    return FLX_OK;
}

flx_status flx_descriptor_set_parameters(flx_system *s, const double *p)
{
    flx_descriptor *d = (flx_descriptor *)s;
    double *now = d->param + s->first_parameter;
    size_t bytes = (size_t)s->nparameter * sizeof *p;
    if (s->nparameter == 0 || (!d->varied && memcmp(now, p, bytes) == 0)) return FLX_OK;
    if (!d->compiled) return refuse_compiled(d);
    FLX_TRY(refuse_no_number(d, p));
    if (!d->varied) FLX_TRY(flx_model_vary(d->model, s->ctx, &d->varied));
    if (!d->arena) FLX_TRY(own_arrays(d));
    memcpy(d->before, now, bytes);
    FLX_TRY(flx_model_set_parameters(d->varied, p));
    flx_status status = take_model(d, d->varied);
    if (status == FLX_OK || flx_model_set_parameters(d->varied, d->before) != FLX_OK) return status;
    (void)take_model(d, d->varied); // as it was
    return status;
}
