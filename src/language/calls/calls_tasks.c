// calls_tasks.c - calls that say what to do with a model: simulate, analyse, sweep.
#include "base/number.h"
#include "language/calls/calls.h"

#include <string.h>

flx_status flx_model_simulate(flx_model *m, const flx_simulate_def *def)
{
    flx_item_maker k;
    flx_simulate_def d;
    FLX_BEGIN_ITEM(&k, m, "", "simulate", def, d);
    k.word = "simulate";
    flx_put_value(&k, "until", d.until);
    flx_put_text(&k, "method", d.method);
    flx_put_text(&k, "formulation", d.formulation);
    flx_put_value(&k, "step", d.step);
    flx_put_value(&k, "rtol", d.rtol);
    flx_put_value(&k, "atol", d.atol);
    flx_put_text(&k, "start", d.start);
    FLX_TRY(flx_item_end_block(&k));
    return flx_is_given(d.every) ? flx_model_set_value(m, "outputs.every", d.every) : FLX_OK;
}

int flx_model_add_analysis(flx_model *m, const char *name, const flx_analysis_def *def)
{
    static const char *const types[] = {"equilibrium", "modes", "static", "buckling", NULL};
    flx_item_maker k;
    flx_analysis_def d;
    FLX_BEGIN_ITEM(&k, m, "analyse", name, def, d);
    flx_put_word(&k, "type", types, FLX_EQUILIBRIUM, d.type);
    flx_put_text(&k, "about", d.about);
    flx_put_count(&k, "count", d.count);
    flx_put_texts(&k, "load", d.nload, d.load);
    flx_put_value(&k, "from", d.from);
    flx_put_value(&k, "to", d.to);
    flx_put_count(&k, "steps", d.steps);
    flx_put_flag(&k, "arc_length", d.arc_length);
    return flx_item_end(&k);
}

flx_status flx_model_add_sweep(flx_model *m, const char *parameter, int n, const double *values)
{
    flx_item_maker k;
    flx_item_begin(&k, m, "sweep.parameters", parameter);
    if (n < 1 || !values) flx_item_refuse(&k, NULL, "it has no values");
    if (k.status == FLX_OK) k.map = flx_entry_list(k.arena, FLX_NOWHERE);
    for (int i = 0; k.status == FLX_OK && k.map && i < n; i++) {
        flx_entry *e = flx_make_scalar(&k, NULL, (flx_value){values[i], NULL});
        if (e) k.status = flx_entry_append(k.arena, k.map, e);
    }
    if (k.status == FLX_OK && !k.map) k.status = FLX_ERR_MEMORY;
    int id = flx_item_end(&k);
    return id < 0 ? (flx_status)id : FLX_OK;
}
