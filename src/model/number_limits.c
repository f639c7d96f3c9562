// number_limits.c - see the header.
#include "model/number_limits.h"

bool flx_number_may_be(flx_must_be be, double x)
{
    switch (be) {
    case FLX_POSITIVE:
        return x > 0;
    case FLX_NOT_NEGATIVE:
        return x >= 0;
    case FLX_NOT_ZERO:
        return x != 0;
    case FLX_POISSON:
        return x > -1 && x < 0.5;
    case FLX_POISSON_CONTACT:
        return x > -1 && x <= 0.5;
    case FLX_PART:
        return x >= 0 && x <= 1;
    case FLX_ONE_OR_MORE:
        return x >= 1;
    default:
        return true;
    }
}

const char *flx_number_must(flx_must_be be)
{
    static const char *const words[] = {[FLX_FINITE] = "be finite",
                                        [FLX_NOT_NEGATIVE] = "not be negative",
                                        [FLX_POSITIVE] = "be positive",
                                        [FLX_NOT_ZERO] = "not be zero",
                                        [FLX_POISSON] = "lie between -1 and 0.5",
                                        [FLX_POISSON_CONTACT] = "be above -1 and at most 0.5",
                                        [FLX_PART] = "lie between 0 and 1",
                                        [FLX_ONE_OR_MORE] = "be 1 or more"};
    return words[be];
}

static flx_status check_friction(const flx_model *own, const char *name, flx_loc loc,
                                 double sticking, double sliding)
{
    if (!(sticking < sliding)) return FLX_OK;
    return FLX_FAIL(own->ctx, FLX_ERR_MODEL, loc,
                    "with these parameters the static friction of '%s' is %g, less than the "
                    "coefficient, %g, of its sliding",
                    name, sticking, sliding);
}

flx_status flx_numbers_check_pairs(const flx_model *own)
{
    for (int i = 0; i < own->nstick; i++) {
        const flx_stick *s = own->sticks + i;
        FLX_TRY(check_friction(own, s->name, s->loc, s->sticking, s->friction));
    }
    for (int i = 0; i < own->nconstraint; i++) {
        const flx_constraint *c = own->constraints + i;
        if (c->slip < 0) continue;
        FLX_TRY(check_friction(own, c->name, c->loc, c->sticking, c->friction));
    }
    for (int i = 0; i < own->ncontact; i++) {
        const flx_contact *c = own->contacts + i;
        if (c->friction.sticking == 0.0) continue; // it has none
        FLX_TRY(
            check_friction(own, c->name, c->loc, c->friction.sticking, c->friction.coefficient));
    }
    for (int i = 0; i < own->nstop; i++) {
        const flx_stop *s = own->stops + i;
        if (s->bounds[0] < s->bounds[1]) continue;
        return FLX_FAIL(own->ctx, FLX_ERR_MODEL, s->loc,
                        "with these parameters the limits of joint '%s' are %g and %g: the lower "
                        "one must be less than the upper one",
                        s->name, s->bounds[0], s->bounds[1]);
    }
    return FLX_OK;
}
