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
                OWN(d->groups, d->ngroup) && OWN(x->constraints, x->nconstraint);
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

static flx_status renew(flx_descriptor *d)
{
    d->length = flx_descriptor_length(d->model);
    d->gyration = flx_descriptor_gyration(d->model);
    FLX_TRY(flx_terms_renew(d, FLX_STAGE_BODIES));
    FLX_TRY(flx_rows_renew(d));
    FLX_TRY(flx_terms_renew(d, FLX_STAGE_FORCES));
    FLX_TRY(flx_terms_renew(d, FLX_STAGE_EXPRESSIONS));
    FLX_TRY(flx_constraints_renew(d));
    FLX_TRY(flx_groups_renew(d));
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
