// inverse_refuse.c - why an inversion has no answer, or not the one that was asked for.
#include "analyse/grid/inverse_parts.h"
#include "base/log.h"

#include <math.h>

#define ROLLING 1e-6 // imaginary parts of zeros that are none, of the rate of the system

void flx_inverse_name(const flx_inverse_search *f, int w, flx_unknown *u)
{
    f->s->ops->unknown(f->s, f->s->dims.nv + f->s->dims.nx + w, u);
}

// With constraints on velocities what is at rest may be anywhere that they lead to: the motion begins where the model is drawn,
// which must be where the outputs are wanted first, and has no other end, or one that is found.
bool flx_inverse_rolls(const flx_inverse_search *f)
{
    return f->s->dims.nmu > 0;
}

flx_status flx_inverse_refuse_rest(const flx_inverse_search *f, double t, flx_status why,
                                   const flx_grid_report *r)
{
    if (why < 0) return why;
    flx_unknown u = {.loc = FLX_NOWHERE};
    for (int k = 0; k < f->s->dims.nw && !u.item; k++) {
        if (f->def->role[k] == FLX_GRID_OUTPUT) flx_inverse_name(f, k, &u);
    }
    return FLX_FAIL(
        f->ctx, why, u.loc,
        why == FLX_SINGULAR
            ? "at t = %.9g no equilibrium holds the outputs where they are wanted: "
              "something may move without a force that brings it back, or no input "
              "can hold it; let the initial configuration be near the first position, at rest"
            : "at t = %.9g the outputs do not reach where they are wanted at rest (the "
              "last correction is %.2g of the size of the model): out of reach, or the "
              "initial configuration is too far from there",
        t, r->correction);
}

flx_status flx_inverse_refuse_unreached(const flx_inverse_search *f, int w)
{
    flx_unknown u;
    flx_inverse_name(f, w, &u);
    return FLX_FAIL(f->ctx, FLX_ERR_MODEL, u.loc,
                    "no input of this inversion moves the output '%s': name one that does",
                    u.item ? u.item : "?");
}

flx_status flx_inverse_refuse_index(const flx_inverse_search *f, int end)
{
    const flx_zeros *z = f->out->zeros + end;
    if (!f->out->zeros_known || z->index <= 3) return FLX_OK;
    return FLX_FAIL(f->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                    "the inputs have index %d (S = C P B is singular): forward integration "
                    "bears 3; take %s",
                    z->index, flx_inverse_rolls(f) ? "other outputs" : "`kind: bounded`");
}

// Forward integration is right where nothing grows, and where two differentiations reach the inputs.
flx_status flx_inverse_refuse_forward(const flx_inverse_search *f)
{
    const flx_inverse *o = f->out;
    if (f->def->kind != FLX_INVERSE_CAUSAL || !o->zeros_known) return FLX_OK;
    for (int k = 0; k < 2; k++) {
        const flx_zeros *z = o->zeros + k;
        FLX_TRY(flx_inverse_refuse_index(f, k));
        if (!(z->most > -FLX_INVERSE_DECAYS * z->rate)) continue;
        return FLX_FAIL(f->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "the inverse is unstable: the zero %.6g 1/s %s, so that forward "
                        "integration would grow without bound; take `kind: bounded`, or "
                        "`least-energy`, or another output",
                        z->most,
                        z->most > FLX_INVERSE_DECAYS * z->rate ? "grows" : "does not decay");
    }
    return FLX_OK;
}

// Rest at both ends is asked for: as many zeros have to grow as decay.
bool flx_inverse_is_lopsided(const flx_inverse_search *f, int *ngrow, int *ndecay)
{
    const flx_inverse *o = f->out;
    const flx_zeros *z = o->zeros;
    *ngrow = *ndecay = 0;
    if (f->def->kind != FLX_INVERSE_BOUNDED || (!o->zeros_known && !flx_inverse_rolls(f)))
        return false;
    for (int i = 0; i < z->n; i++) {
        *ngrow += z->re[i] > FLX_INVERSE_DECAYS * z->rate;
        *ndecay += z->re[i] < -FLX_INVERSE_DECAYS * z->rate;
    }
    return *ngrow != *ndecay;
}

// What neither grows nor decays does not come to rest: its positions are led to it at both ends, its rates are not.
void flx_inverse_warn_of_imaginary(const flx_inverse_search *f)
{
    const flx_inverse *o = f->out;
    const flx_zeros *z = o->zeros;
    if (f->def->kind != FLX_INVERSE_BOUNDED || !o->zeros_known) return;
    for (int i = 0; i < z->n; i++) {
        bool stays =
            fabs(z->re[i]) <= FLX_INVERSE_DECAYS * z->rate && fabs(z->im[i]) > ROLLING * z->rate;
        if (!stays) continue;
        flx_ctx_warn(f->ctx, FLX_NOWHERE,
                     "the zero %.6gi 1/s neither grows nor decays: the motion is not at rest at "
                     "its ends, and a run from rest does not follow it; take `kind: least-energy` "
                     "with a `margin`, damp it, or choose another output",
                     fabs(z->im[i]));
        return;
    }
}

flx_status flx_inverse_refuse_solution(const flx_inverse_search *f, flx_status why)
{
    const flx_inverse *o = f->out;
    int ngrow, ndecay;
    if (why < 0) return why;
    double t = flx_grid_time(o->grid, o->report.worst);
    if (flx_inverse_is_lopsided(f, &ngrow, &ndecay)) {
        return FLX_FAIL(f->ctx, why, FLX_NOWHERE,
                        "rest at both ends wants as many zeros that grow as zeros that decay, and "
                        "here %d of them grow and %d decay%s%s",
                        ngrow, ndecay,
                        o->lopsided ? ", and the least strain energy does not close the ends" : "",
                        ngrow == 0 ? "; take `kind: causal`" : "");
    }
    return FLX_FAIL(
        f->ctx, why, FLX_NOWHERE,
        why == FLX_SINGULAR
            ? "the inputs are not determined by the desired motion: the matrix of all nodes is "
              "singular (inputs that do the same, or a zero on the imaginary axis that the time "
              "between the ends meets); try another margin, or `kind: least-energy`"
            : "Newton's method does not converge: after %d iterations the largest correction is "
              "%.2g of the size of the model, at t = %.6g; the motion may be too fast, or pass a "
              "singular position",
        o->report.iterations, o->report.correction, t);
}
