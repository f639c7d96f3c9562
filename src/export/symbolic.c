// symbolic.c - making the equations of a tree model over nodes, and what cannot be exported.
#include "export/symbolic.h"

#include "descriptor/descriptor.h"
#include "model/fmu/fmu_data.h"
#include "model/particles_data.h"

#include <string.h>

static flx_status refuse(const flx_model *m, flx_loc loc, const char *what, const char *name,
                         const char *instead)
{
    return FLX_FAIL(m->ctx, FLX_ERR_CANNOT, loc, "%s%s%s%s cannot be exported; %s", what,
                    name ? " '" : "", name ? name : "", name ? "'" : "", instead);
}

// Every kind once, by its first.
static flx_status check_model(const flx_model *m)
{
    flx_status status = FLX_OK;
    flx_loc loc = FLX_NOWHERE;
    for (int i = 0; i < m->nunavailable; i++) {
        status = FLX_FAIL(m->ctx, FLX_ERR_UNAVAILABLE, m->unavailable[i].loc,
                          "not supported yet: %s", m->unavailable[i].what);
    }
    if (m->nbody == 0 && m->nvariable == 0) {
        status =
            refuse(m, flx_model_start(m), "a model without bodies and equations of second order",
                   NULL, "export writes the equations of what has a mass");
    }
    for (int i = 0; i < m->nmodal; i++) {
        const flx_modal *e = m->modals + i;
        if (e->e->n > FLX_SYMBOLIC_COORDINATES) {
            return refuse(m, e->loc, "so many elastic coordinates: the flexible body",
                          m->bodies[e->body].name, "keep fewer shapes");
        }
        if (e->e->ngrain == 0 && !e->e->one_sided) continue;
        return refuse(m, e->loc, "the stiffening of the flexible body", m->bodies[e->body].name,
                      "leave out 'stiffening', or make it rigid");
    }
    if (m->nbeam > 0) {
        return refuse(m, m->beams[0].loc, "the beam", m->beams[0].name, "make it rigid");
    }
    if (m->nsolid > 0) {
        return refuse(m, m->solids[0].loc, "the solid", m->solids[0].name, "make it rigid");
    }
    if (m->nfriction > 0) {
        status = refuse(m, m->frictions[0].loc, "the friction of joint", m->frictions[0].name,
                        "write it as a torque or force on the joint's rate");
    }
    for (int i = 0; i < m->nstop; i++) {
        if (!m->stops[i].rigid) continue;
        status = refuse(m, m->stops[i].loc, "the rigid stop of joint", m->stops[i].name,
                        "give its limits a 'stiffness'");
    }
    for (int i = 0; i < m->nconstraint; i++) {
        if (!m->constraints[i].one_sided) continue;
        status = refuse(m, m->constraints[i].loc, "the one-sided constraint",
                        m->constraints[i].name, "write it as a force");
    }
    if (m->ncontact > 0) {
        status = refuse(m, m->contacts[0].loc, "the contact", m->contacts[0].name,
                        "write it as a force of type 'expression'");
    }
    if (m->nparticles > 0) {
        return refuse(m, m->particles[0].loc, "the particles", m->particles[0].name,
                      "leave them out, or write an FMU: 'flexion export fmu'");
    }
    const char *external = flx_model_external(m, 0, NULL, &loc);
    if (external) {
        return refuse(m, loc, "the external function", external,
                      "write it as a formula or a table");
    }
    if (m->nfmu > 0) {
        return refuse(m, m->fmus[0].loc, "the FMU", m->fmus[0].name,
                      "let the other program run it");
    }
    if (m->nreduced > 0) {
        status = refuse(m, m->reduced[0].loc, "the neglected inertia (reduce) of",
                        flx_model_reduced(m, 0), "leave out 'reduce'");
    } else if (m->reduce_auto || m->ncutoff > 0) {
        status = refuse(m, m->reduce_loc, "a changed inertia (reduce)", NULL, "leave out 'reduce'");
    }
    return status;
}

flx_status flx_symbolic_check_events(const flx_model *m)
{
    for (int i = 0; i < m->nevent; i++) {
        if (m->events[i].nset == 0) continue; // it ends a run and changes no equation
        return refuse(m, m->events[i].loc, "the event", m->events[i].name,
                      "leave it out, and set the values in the program that uses the equations");
    }
    return FLX_OK;
}

// A link without inertia along its joint has no acceleration.
static flx_status check_masses(const flx_symbolic *x)
{
    size_t n = (size_t)x->n + 1;
    flx_link_state *states = flx_alloc(x->ctx, n, sizeof *states);
    double *zero = flx_alloc(x->ctx, (size_t)x->nv, sizeof *zero);
    double *a = flx_alloc(x->ctx, (size_t)x->nv, sizeof *a);
    int link = -1;
    flx_status status = states && zero && a ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        link = flx_linkage_forward(&x->t.k, states, x->t.drawn, zero, NULL, NULL, a);
    }
    if (link >= 0) {
        const flx_body *b = x->m->bodies + x->t.links[link].body;
        status = FLX_FAIL(x->ctx, FLX_ERR_CANNOT, b->loc,
                          "body '%s' and what hangs on it have no inertia along the joint that "
                          "carries it, so that exported equations have no acceleration; give it "
                          "mass or inertia",
                          b->name);
    }
    flx_free(states);
    flx_free(zero);
    flx_free(a);
    return status;
}

static flx_status allocate(flx_symbolic *x)
{
    const flx_model *m = x->m;
    size_t n = (size_t)x->n + 1;
    x->links = flx_arena_take(x->arena, n, sizeof *x->links);
    x->applied = flx_arena_take(x->arena, n, sizeof *x->applied);
    x->bodies = flx_arena_take(x->arena, (size_t)(m->nbody + m->nattached), sizeof *x->bodies);
    x->effort = flx_arena_take(x->arena, (size_t)x->nv, sizeof *x->effort);
    x->velocity_of = flx_arena_take(x->arena, (size_t)x->nq, sizeof *x->velocity_of);
    x->given = flx_arena_take(x->arena, (size_t)m->ninput, sizeof *x->given);
    x->carrier = flx_arena_take(x->arena, (size_t)m->njoint, sizeof *x->carrier);
    x->rates = flx_arena_take(x->arena, (size_t)m->nstate, sizeof *x->rates);
    size_t variables = (size_t)x->nvariable;
    x->masses = flx_arena_take(x->arena, variables * variables, sizeof *x->masses);
    x->drawn = flx_arena_take(x->arena, (size_t)x->nq, sizeof *x->drawn);
    bool fine = x->links && x->applied && x->bodies && x->effort && x->velocity_of && x->given &&
                x->carrier && x->rates && x->masses && x->drawn;
    if (!fine) return FLX_ERR_MEMORY;
    if (x->t.k.nq > 0) memcpy(x->drawn, x->t.drawn, (size_t)x->t.k.nq * sizeof *x->drawn);
    for (int i = 0; i < x->nvariable; i++) x->drawn[x->t.k.nq + i] = m->variables[i].at;
    return FLX_OK;
}

static flx_status take_states(flx_symbolic *x)
{
    for (int i = 0; i < x->m->nfirst; i++) {
        const flx_first_order *f = x->m->firsts + i;
        if (f->algebraic) continue;
        flx_symbolic_about(x, f->name, f->loc);
        flx_node rate = flx_symbolic_carry(x, flx_symbolic_take(x, f->derivative));
        FLX_TRY(flx_symbolic_status(x, rate));
        x->rates[f->number] = rate;
    }
    return FLX_OK;
}

static flx_status make(const flx_model *plain, flx_symbolic *x)
{
    flx_system *valid = NULL;
    FLX_TRY(check_model(plain));
    FLX_TRY(flx_descriptor_create(plain, NULL, &valid)); // places, axes, points: its messages
    flx_system_destroy(&valid);
    FLX_TRY(flx_topology_create(x->m, &x->top));
    FLX_TRY(flx_tree_links_create(x->m, &x->top, &x->t));
    x->n = x->t.k.n;
    x->nvariable = x->m->nvariable;
    x->nq = x->t.k.nq + x->nvariable;
    x->nv = x->t.k.nv + x->nvariable;
    if (x->nv == 0) {
        return FLX_FAIL(x->ctx, FLX_ERR_CANNOT, flx_model_start(x->m),
                        "no body can move, so there are no equations to export");
    }
    x->arena = flx_arena_create(x->ctx);
    if (!x->arena) return FLX_ERR_MEMORY;
    FLX_TRY(allocate(x));
    for (int j = 0; j < x->m->njoint; j++) x->carrier[j] = -1;
    for (int i = 0; i < x->top.n; i++) {
        const flx_tree_body *b = x->top.nodes + i;
        if (b->joint >= 0) x->carrier[b->joint] = b->body;
    }
    if (x->m->nmodal == 0) FLX_TRY(check_masses(x));
    FLX_TRY(flx_symbolic_geometry(x));
    FLX_TRY(flx_symbolic_elastic_take(x));
    flx_symbolic_move(x);
    FLX_TRY(flx_symbolic_prepare(x));
    FLX_TRY(flx_symbolic_forces(x));
    FLX_TRY(flx_symbolic_variables(x));
    FLX_TRY(flx_symbolic_closures(x));
    return take_states(x);
}

flx_status flx_symbolic_create(const flx_model *m, const flx_model *open, bool own, flx_symbolic *x)
{
    const flx_model *used = open ? open : m;
    *x = (flx_symbolic){.ctx = m->ctx, .m = used, .g = used->graph, .own = own};
    flx_status status = make(m, x);
    if (status != FLX_OK) flx_symbolic_clear(x);
    return status;
}

void flx_symbolic_clear(flx_symbolic *x)
{
    flx_substitution_clear(&x->taken);
    flx_substitution_clear(&x->carried);
    flx_tree_links_clear(&x->t);
    flx_topology_clear(&x->top);
    flx_free(x->rows);
    flx_arena_destroy(&x->arena);
    *x = (flx_symbolic){0};
}
