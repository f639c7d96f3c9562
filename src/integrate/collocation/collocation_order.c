// collocation_order.c - how many stages a step with error control takes, where a method may choose.
//
// The polynomial of a step with s stages also tells the error e_r that r < s stages would have had: the
// rates at the beginning less those of the polynomial through the nodes of r stages,
//     e_j = - sum_i l^r_i(0) sum_k l^s_k(c^r_i) Ai_kj                                     (COL-14)
// in the place of (COL-8). Errors of a smooth motion fall by the same factor from one number of stages to
// the next, so more stages would have had e_s^2 / e_r. Each gives a step, and the one that goes
// farthest for its work is taken:
//     h_k = h e_k^(-1/(k+1)),   h_k / k^p greatest                                       (COL-15)
#include "integrate/collocation/collocation.h"

#include <math.h>

// p of (COL-15): stages times a few more iterations for longer steps; measured.
#define POWER_OF_WORK 1.6
// A change must be worth this, and there are at least so many steps between two.
#define WORTH_A_CHANGE 1.15
#define STEPS_BETWEEN 2
// Above this contraction longer steps are not what is lacking.
#define POOR_CONTRACTION 0.2
// A step does not change by more than these factors together with the order.
#define LONGEST 2.0
#define SHORTEST 0.3
#define SAFETY 0.8
#define LEAST_ERROR 1e-8

static flx_status find_fewer(flx_integrator *it, int k)
{
    collocation *co = it->data;
    const collocation_tableau *t = &co->table[k];
    collocation_tableau less;
    int stages = k > 0 ? co->table[k - 1].s : 1;
    if (!flx_collocation_tableau_make(COLLOCATION_RADAU_IIA, stages, &less))
        return FLX_ERR_ARGUMENT;
    double at_zero[COLLOCATION_STAGES], l[COLLOCATION_STAGES];
    flx_collocation_weights_stages(&less, 0.0, at_zero);
    for (int i = 0; i < less.s; i++) {
        flx_collocation_weights_stages(t, less.c[i], l);
        for (int j = 0; j < t->s; j++) {
            for (int m = 0; m < t->s; m++) co->fewer[k][j] -= at_zero[i] * l[m] * t->Ai[m][j];
        }
    }
    co->nfewer[k] = less.s;
    co->filter[k] = flx_collocation_tableau_filter(t) / flx_collocation_tableau_filter(&less);
    return FLX_OK;
}

flx_status flx_collocation_prepare_orders(flx_integrator *it)
{
    const collocation *co = it->data;
    for (int k = 0; k < co->ntable; k++) FLX_TRY(find_fewer(it, k));
    return FLX_OK;
}

// (COL-15): step and its worth.
static double step_of(double h, double error, int stages)
{
    return SAFETY * h * pow(fmax(error, LEAST_ERROR), -1.0 / (stages + 1));
}

static double worth(double step, int stages)
{
    return step / pow(stages, POWER_OF_WORK);
}

static void change(flx_integrator *it, int order, double h)
{
    collocation *co = it->data;
    double now = co->h;
    co->next_order = order;
    co->h_next = fmin(LONGEST * now, fmax(SHORTEST * now, h));
}

flx_status flx_collocation_choose_order(flx_integrator *it, const flx_state *x, double error)
{
    collocation *co = it->data;
    int k = co->order;
    co->since++;
    if (co->rejected || co->since <= STEPS_BETWEEN) return FLX_OK;
    double below = 0.0;
    co->embedded = co->fewer[k];
    flx_status status = flx_collocation_error(it, x, false, &below);
    co->embedded = co->tab->e;
    if (status != FLX_OK) return status < 0 ? status : FLX_OK;
    below *= co->filter[k];
    if (!isfinite(below)) return FLX_OK;
    double here = worth(step_of(co->h, error, co->s), co->s) * WORTH_A_CHANGE;
    if (k + 1 < co->ntable && co->books.contraction < POOR_CONTRACTION) {
        double e = fmax(error, LEAST_ERROR), more = e * fmin(1.0, e / fmax(below, LEAST_ERROR));
        int s = co->table[k + 1].s;
        double step = step_of(co->h, more, s);
        if (worth(step, s) > here) change(it, k + 1, step);
    }
    if (k > 0 && co->next_order == k) {
        double step = step_of(co->h, below, co->nfewer[k]);
        if (worth(step, co->nfewer[k]) > here) change(it, k - 1, step);
    }
    return FLX_OK;
}

void flx_collocation_lower_order(flx_integrator *it)
{
    const collocation *co = it->data;
    if (co->order > 0) flx_collocation_use(it, co->order - 1);
}
