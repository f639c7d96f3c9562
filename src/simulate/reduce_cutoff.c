// reduce_cutoff.c - the blocks `reduce` of type cutoff, in order, round the system of a model; inertia is
// neglected after them.
#include "simulate/simulation_parts.h"

// What the system calls an item: in joint coordinates a body is the joint that carries it.
static const char *name_of(const flx_simulation *sim, const flx_reduced *r)
{
    const flx_model *m = sim->model;
    if (m->simulate.tree && !r->variable && !r->joint) {
        int joint = sim->plan->tree.nodes[sim->plan->tree.number[r->number]].joint;
        if (joint >= 0) return m->joints[joint].name;
    }
    return flx_reduced_name(m, r);
}

static bool is_listed(const flx_simulation *sim, const char *item, int n, const flx_reduced *items)
{
    for (int k = 0; k < n; k++) {
        if (item == name_of(sim, items + k)) return true; // the system's names are the model's
    }
    return false;
}

static bool is_variable(const flx_model *m, const char *item)
{
    for (int k = 0; k < m->nvariable; k++) {
        if (item == m->variables[k].name) return true;
    }
    return false;
}

int flx_reduced_find(const flx_simulation *sim, const flx_system *s, int n,
                     const flx_reduced *items, int *J)
{
    int count = 0;
    for (int i = 0; i < s->dims.nv; i++) {
        flx_unknown u = {0};
        s->ops->unknown(s, i, &u);
        if (is_listed(sim, u.item, n, items)) J[count++] = i;
    }
    return count;
}

// Without names: what vibrates by itself, and keeps its inertia.
static int find_all(const flx_simulation *sim, const flx_system *s, int *J)
{
    const flx_model *m = sim->model;
    int count = 0;
    for (int i = 0; i < s->dims.nv; i++) {
        flx_unknown u = {0};
        s->ops->unknown(s, i, &u);
        if (is_variable(m, u.item) && !is_listed(sim, u.item, m->nreduced, m->reduced)) {
            J[count++] = i;
        }
    }
    return count;
}

static flx_status cut_off(flx_simulation *sim, const flx_cutoff *c, const flx_state *drawn, int *J,
                          double *mass, flx_system **s)
{
    flx_system *base = *s;
    int raised = 0,
        n = c->n > 0 ? flx_reduced_find(sim, base, c->n, c->items, J) : find_all(sim, base, J);
    if (c->frequency > 0.0) {
        FLX_TRY(flx_cutoff_find(base, drawn, n, J, c->frequency, mass, &raised));
        if (raised == 0) {
            flx_ctx_warn(sim->ctx, c->loc, "nothing vibrates faster than %g Hz: nothing is cut off",
                         c->frequency);
            return FLX_OK;
        }
        const flx_added_mass how = {.n = n, .J = J, .mass = mass, .mass_damping = c->mass_damping};
        *s = NULL; // taken over
        return flx_added_mass_create(base, &how, s);
    }
    const flx_quasistatic_how how = {
        .n = n, .J = J, .factor = c->factor, .mass_damping = c->mass_damping};
    *s = NULL;
    return flx_quasistatic_create(base, &how, s);
}

flx_status flx_simulation_cut_off(flx_simulation *sim, const flx_state *drawn, flx_system **s)
{
    const flx_model *m = sim->model;
    size_t n = (size_t)(*s)->dims.nv;
    if (m->ncutoff == 0) return FLX_OK;
    int *J = flx_alloc(sim->ctx, n, sizeof *J);
    double *mass = flx_alloc(sim->ctx, n * n, sizeof *mass);
    flx_status status = J && mass ? FLX_OK : FLX_ERR_MEMORY;
    for (int i = 0; i < m->ncutoff && status == FLX_OK; i++) {
        status = cut_off(sim, m->cutoffs + i, drawn, J, mass, s);
    }
    flx_free(J);
    flx_free(mass);
    return status;
}
