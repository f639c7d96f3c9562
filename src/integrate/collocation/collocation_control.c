// collocation_control.c - steps that keep the estimated error below the tolerance.
//
// After Gustafsson: with the error e of this step and e_0 of the one before,
//     h_new = h min(f e^(-1/(s+1)),  f (h/h_0) (e_0/e^2)^(1/(s+1))),   f = 0.9 (2m+1)/(2m+k)  (COL-10)
// for k iterations of m allowed. Hairer, Wanner, Solving Ordinary Differential Equations II, IV.8.
#include "integrate/collocation/collocation.h"
#include "integrate/step_control.h"

#include <math.h>

#define SAFETY 0.9
#define LARGEST_FACTOR 8.0
#define SMALLEST_FACTOR 0.2
#define ITERATIONS 7 // m in (COL-10)
// A step that would grow by less than this is kept, and with it the factors.
#define WORTH_A_CHANGE 1.2
// A failed attempt is repeated with this part of its step.
#define FAILED_FACTOR 0.5
// A step that its caller cuts to less than this part says nothing about the order.
#define SHORT_CUT 0.2

// (COL-10)
static double next_step(collocation *co, double error)
{
    double power = 1.0 / (co->adds_up ? co->s : co->s + 1), h = co->h;
    double f = SAFETY * (2.0 * ITERATIONS + 1.0) / (2.0 * ITERATIONS + co->iterations);
    double factor = f * pow(fmax(error, 1e-10), -power);
    if (error >= 1.0) return h * fmin(f, fmax(SMALLEST_FACTOR, factor));
    if (co->error_last > 0.0) {
        double e = fmax(error, 1e-10);
        factor = fmin(factor, f * h / co->h_error * pow(co->error_last / (e * e), power));
    }
    factor = fmin(LARGEST_FACTOR, fmax(SMALLEST_FACTOR, factor));
    if (co->rejected) factor = fmin(factor, 1.0);
    co->error_last = fmax(error, 1e-2);
    co->h_error = h;
    // new factors cost more than a step that is a little longer saves
    if (factor >= 1.0 && factor < WORTH_A_CHANGE && co->books.contraction <= COLLOCATION_GOOD)
        return h;
    return h * factor;
}

// A step of a run whose steps are those of another one.
static flx_status follow(flx_integrator *it, flx_state *x, double h, double *h_taken)
{
    collocation *co = it->data;
    int order = flx_method_of(it)->order;
    if (order >= 0 && order < co->ntable && order != co->order) flx_collocation_use(it, order);
    *h_taken = h;
    FLX_TRY(flx_collocation_attempt(it, x, h));
    return flx_collocation_finish(it, x);
}

flx_status flx_collocation_control_step(flx_integrator *it, flx_state *x, double h_most,
                                        double *h_taken)
{
    collocation *co = it->data;
    bool begins = !flx_method_of(it)->continues;
    double longest = flx_method_of(it)->longest;
    if (it->def.max_step > 0.0) longest = fmin(longest, it->def.max_step);
    flx_collocation_set_weights(it, x);
    if (flx_method_of(it)->frozen) return follow(it, x, h_most, h_taken);
    if (co->next_order != co->order) {
        flx_collocation_use(it, co->next_order);
        co->error_last = 0.0;
    }
    if (begins) {
        bool at_hand = flx_method_of(it)->input_jumped && co->h_next > 0.0;
        if (!at_hand) co->h_next = flx_collocation_first_step(co, &it->sys->dims, x, h_most);
        if (!at_hand && it->def.initial_step > 0.0) co->h_next = it->def.initial_step;
        co->error_last = 0.0;
        co->rejected = false;
    }
    double smallest = flx_step_smallest(x->t, h_most);
    for (;;) {
        double wanted = co->h_next, h = fmin(flx_step_fit(wanted, h_most), longest),
               error = HUGE_VAL;
        *h_taken = h; // also where it fails: the message says it
        flx_status status = flx_collocation_attempt(it, x, h);
        if (status < 0) return status;
        if (status == FLX_OK) {
            status = flx_collocation_error(it, x, begins || co->rejected, &error);
            if (status < 0) return status;
        }
        if (status == FLX_OK && error < 1.0) {
            int order = co->order; // the choice is for the next step
            co->h_next = next_step(co, error);
            if (h < wanted) co->h_next = fmax(co->h_next, wanted); // it was cut, not too long
            if (co->ntable > 1 && !(h == h_most && h < SHORT_CUT * wanted))
                FLX_TRY(flx_collocation_choose_order(it, x, error));
            co->rejected = false;
            flx_method_of(it)->order_made = order;
            return flx_collocation_finish(it, x);
        }
        if (!(h > smallest)) return flx_step_give_up(it, status);
        it->stats.rejected++;
        if (status > FLX_OK && co->ntable > 1) flx_collocation_lower_order(it);
        bool measured = status == FLX_OK && isfinite(error);
        co->h_next = fmax(0.5 * smallest, measured ? next_step(co, error) : FAILED_FACTOR * h);
        co->rejected = true;
    }
}
