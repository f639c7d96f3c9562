// grid_table.c - the table of an inversion or an optimal control: see grid_table.h.
#include "simulate/analyses/grid_table.h"

#include <string.h>

static flx_status name_columns(flx_simulation *sim, flx_finding *out, flx_finding_table *t,
                               const flx_result_info *info, int nin, const int *inputs)
{
    FLX_TRY(flx_finding_column(sim, out, t, 0, "t", "s"));
    for (int k = 0; k < nin; k++) {
        const flx_input_item *in = sim->model->inputs + inputs[k];
        FLX_TRY(flx_finding_column(sim, out, t, 1 + k, in->name, in->unit));
    }
    for (int k = 0; k < info->ncolumn; k++) {
        FLX_TRY(flx_finding_column(sim, out, t, 1 + nin + k, info->names[k], info->units[k]));
    }
    return FLX_OK;
}

flx_status flx_grid_table(flx_simulation *sim, flx_finding *out, const flx_opened *open,
                          flx_grid *g, int nin, const int *inputs)
{
    flx_simulation *own = open->sim;
    const flx_result_info *info = flx_simulation_info(own);
    int ncolumn = 1 + nin + info->ncolumn, nw = own->sys->dims.nw;
    flx_finding_table *t = flx_finding_add_table(sim, out, "motion", g->nodes, ncolumn);
    if (!t) return FLX_ERR_MEMORY;
    FLX_TRY(name_columns(sim, out, t, info, nin, inputs));
    for (int n = 0; n < g->nodes; n++) {
        double *row = t->values + (size_t)n * (size_t)ncolumn;
        row[0] = flx_grid_time(g, n);
        for (int k = 0; k < nin; k++) row[1 + k] = g->w[n * nw + open->first_in + k];
        if (info->ncolumn == 0) continue;
        flx_grid_state(g, n, g->state);
        FLX_TRY(flx_signals_eval(&own->columns, own, g->state, 0.0));
        memcpy(row + 1 + nin, own->columns.out, (size_t)info->ncolumn * sizeof *row);
    }
    return FLX_OK;
}
