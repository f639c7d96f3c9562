// reduce_lump.c - mass conservation: what a reduction takes from the inertia of a part, or adds to it, its
// neighbours get, or give.
//
// The mass of a body goes in equal shares to the bodies at the other ends of its joints and forces: a
// share m at the distance d from the centre of mass adds m to the mass and m d^2 to the moment of
// inertia, in space 2/3 m d^2 about every axis, which has the same trace. First moments are not kept, so
// that the inertia that is added is constant (RED-10). That of a variable goes to the variables of second
// order that its force depends on.
#include "analyse/frozen.h"
#include "force/force_kind.h"
#include "joint/joint.h"
#include "simulate/simulation_parts.h"

#include <math.h>
#include <string.h>

typedef struct lumping {
    flx_simulation *sim;
    const flx_system *s;
    flx_arena *arena; // owned: all arrays
    const flx_frozen *f;
    int *J;        // (nv) scratch
    double *added; // (nv)
    bool gives;    // some loses inertia
} lumping;

static bool loses(const flx_model *m, bool variable, int number)
{
    for (int i = 0; i < m->nreduced; i++) {
        if (m->reduced[i].variable == variable && m->reduced[i].number == number) return true;
    }
    return false;
}

// The end of a joint or force away from a body, where it can bear a share; -1: none.
static int far_end(const flx_model *m, const int body[2], int from)
{
    for (int e = 0; e < 2; e++) {
        int other = body[1 - e];
        if (body[e] == from && other >= 0 && other != from && !loses(m, false, other)) return 1 - e;
    }
    return -1;
}

// A share of a mass at a place of a body.
static void add_share(lumping *l, int body, const double *at, double share)
{
    const flx_model *m = l->sim->model;
    const flx_body *b = m->bodies + body;
    const flx_reduced item = {.number = body};
    int n = flx_reduced_find(l->sim, l->s, 1, &item, l->J);
    double square = 0.0;
    for (int k = 0; k < m->dimension; k++) square += pow(at[k] - b->com[k], 2);
    double turning = m->dimension == 2 ? square : 2.0 / 3.0 * square;
    for (int k = 0; k < n; k++) l->added[l->J[k]] += k < m->dimension ? share : share * turning;
}

// Joints and forces that link a body to another; with a share, which they carry there.
static int visit_ends(lumping *l, int body, double share)
{
    const flx_model *m = l->sim->model;
    int count = 0;
    for (int i = 0; i < m->njoint; i++) {
        const flx_joint *j = m->joints + i;
        int e = j->kind->on_joints ? -1 : far_end(m, j->body, body);
        if (e < 0) continue;
        count++;
        if (share != 0.0) add_share(l, j->body[e], j->at[e], share);
    }
    for (int i = 0; i < m->nforce; i++) {
        const flx_force *f = m->forces + i;
        int e = f->kind->links ? far_end(m, f->body, body) : -1;
        if (e < 0) continue;
        count++;
        if (share != 0.0) add_share(l, f->body[e], f->at[e], share);
    }
    return count;
}

static flx_status refuse(const lumping *l, const flx_reduced *r, const char *what)
{
    return FLX_FAIL(l->sim->ctx, FLX_ERR_CANNOT, r->loc,
                    "the mass of '%s' cannot be moved: %s; take `quasistatic` or `cutoff` without "
                    "`conserve_mass`",
                    flx_reduced_name(l->sim->model, r), what);
}

static flx_status move_body(lumping *l, const flx_reduced *r)
{
    double mass = r->moves * l->sim->model->bodies[r->number].mass;
    int count = visit_ends(l, r->number, 0.0);
    if (count == 0) return refuse(l, r, "no joint and no force links it to another body");
    visit_ends(l, r->number, mass / count);
    return FLX_OK;
}

static flx_status move_variable(lumping *l, const flx_reduced *r)
{
    const flx_model *m = l->sim->model;
    const flx_frozen *f = l->f;
    int own = -1, count = 0, nv = f->nv;
    if (flx_reduced_find(l->sim, l->s, 1, r, l->J) > 0) own = l->J[0];
    for (int i = 0; i < m->nvariable; i++) {
        const flx_reduced item = {.variable = true, .number = i};
        if (own < 0 || loses(m, true, i) || i == r->number) continue;
        if (flx_reduced_find(l->sim, l->s, 1, &item, &l->J[count]) == 0) continue;
        int at = l->J[count] * nv + own;
        count += f->K[at] != 0.0 || f->D[at] != 0.0;
    }
    if (count == 0) {
        return refuse(l, r, "its force depends on no other variable of second order");
    }
    for (int k = 0; k < count; k++) {
        l->added[l->J[k]] += r->moves * f->M[own * nv + own] / count;
    }
    return FLX_OK;
}

static flx_status move(lumping *l, int n, const flx_reduced *items)
{
    for (int i = 0; i < n; i++) {
        if (items[i].moves == 0.0) continue;
        l->gives = l->gives || items[i].moves < 0.0;
        FLX_TRY(items[i].variable ? move_variable(l, items + i) : move_body(l, items + i));
    }
    return FLX_OK;
}

// What gives must keep some.
static flx_status check(const lumping *l)
{
    for (int i = 0; i < l->s->dims.nv; i++) {
        double mass = l->f->M[i * l->f->nv + i];
        if (l->added[i] >= 0.0 || mass + l->added[i] > 0.0) continue;
        flx_unknown u = {0};
        l->s->ops->unknown(l->s, i, &u);
        return FLX_FAIL(l->sim->ctx, FLX_ERR_CANNOT, l->sim->model->reduce_loc,
                        "'%s' has %.3g in %s and cannot give %.3g to its neighbours; leave out "
                        "`conserve_mass`, or take a smaller `factor`",
                        u.item ? u.item : "?", mass, u.part ? u.part : "?", -l->added[i]);
    }
    return FLX_OK;
}

static flx_status wrap(lumping *l, flx_system **s)
{
    int nv = l->s->dims.nv, n = 0;
    for (int i = 0; i < nv; i++) {
        if (l->added[i] != 0.0) l->J[n++] = i;
    }
    double *mass = flx_arena_take(l->arena, (size_t)n * (size_t)n, sizeof *mass);
    if (!mass) return FLX_ERR_MEMORY;
    for (int k = 0; k < n; k++) mass[k * n + k] = l->added[l->J[k]];
    if (n == 0) return FLX_OK;
    const flx_added_mass how = {.n = n, .J = l->J, .mass = mass};
    flx_system *base = *s;
    *s = NULL; // taken over
    return flx_added_mass_create(base, &how, s);
}

static flx_status find(lumping *l, const flx_state *drawn, flx_frozen *f)
{
    const flx_model *m = l->sim->model;
    size_t nv = (size_t)l->s->dims.nv;
    l->J = flx_arena_take(l->arena, nv + 1, sizeof *l->J);
    l->added = flx_arena_take(l->arena, nv, sizeof *l->added);
    if (!l->J || !l->added) return FLX_ERR_MEMORY;
    FLX_TRY(flx_simulation_freeze(l->sim, l->s, drawn, l->arena, f));
    l->f = f;
    FLX_TRY(move(l, m->nreduced, m->reduced));
    for (int i = 0; i < m->ncutoff; i++) FLX_TRY(move(l, m->cutoffs[i].n, m->cutoffs[i].items));
    return l->gives ? check(l) : FLX_OK;
}

static bool moves_any(int n, const flx_reduced *items)
{
    for (int i = 0; i < n; i++) {
        if (items[i].moves != 0.0) return true;
    }
    return false;
}

flx_status flx_simulation_lump(flx_simulation *sim, const flx_state *drawn, flx_system **s)
{
    const flx_model *m = sim->model;
    bool any = moves_any(m->nreduced, m->reduced);
    for (int i = 0; i < m->ncutoff; i++) {
        any = any || moves_any(m->cutoffs[i].n, m->cutoffs[i].items);
    }
    if (!any) return FLX_OK;
    if (m->simulate.tree) {
        return FLX_FAIL(sim->ctx, FLX_ERR_CANNOT, m->reduce_loc,
                        "masses are moved to bodies, and joint coordinates have none: leave out "
                        "`formulation: tree`, or take a reduction that does not conserve masses");
    }
    lumping l = {.sim = sim, .s = *s, .arena = flx_arena_create(sim->ctx)};
    flx_frozen f;
    flx_status status = l.arena ? find(&l, drawn, &f) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = wrap(&l, s);
    flx_arena_destroy(&l.arena);
    return status;
}
