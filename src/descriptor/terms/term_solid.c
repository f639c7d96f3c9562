// term_solid.c - solids of large deformation: elements of a mesh between bodies that are points, and places of other bodies.
#include "descriptor/descriptor_parts.h"
#include "model/cell_shape.h"

typedef struct solids {
    int n; // elements
    flx_solid_element *of;
    int npoint; // of all of them
} solids;

static solids *solids_of(const flx_descriptor *d)
{
    return d->own[FLX_TERM_SOLID];
}

// ---- making -------------------------------------------------------------------------------------

// Functions of a cell by the coordinates of a reference element: derivatives and weights.
static flx_status fill_points(flx_descriptor *d, const flx_solid *s, int element,
                              flx_solid_element *e)
{
    flx_cell cell = (flx_cell)s->cells[element];
    const int *nodes = s->nodes + s->first[element];
    flx_shape_table t;
    flx_shape_fill(cell, FLX_RULE_STIFFNESS, &t);
    double *weight = flx_arena_take(d->arena, (size_t)t.points, sizeof *weight);
    double *dN = flx_arena_take(d->arena, (size_t)(3 * t.points * t.nodes), sizeof *dN);
    if (!weight || !dN) return FLX_ERR_MEMORY;
    for (int g = 0; g < t.points; g++) {
        v3 c[3] = {{0}}, across[3];
        for (int a = 0; a < t.nodes; a++) {
            v3 x = v3_load(s->x + 3 * nodes[a]);
            for (int k = 0; k < 3; k++) c[k] = v3_add(c[k], v3_scale(t.dN[g][a][k], x));
        }
        for (int k = 0; k < 3; k++) across[k] = v3_cross(c[(k + 1) % 3], c[(k + 2) % 3]);
        double det = v3_dot(c[0], across[0]);
        if (!(det > 0)) {
            return FLX_FAIL(d->base.ctx, FLX_ERR_MODEL, s->loc,
                            "an element of '%s' is inverted or flat at an integration point",
                            s->name);
        }
        weight[g] = t.weight[g] * det;
        for (int a = 0; a < t.nodes; a++) {
            v3 sum = {0};
            for (int k = 0; k < 3; k++) sum = v3_add(sum, v3_scale(t.dN[g][a][k] / det, across[k]));
            v3_store(dN + 3 * (g * t.nodes + a), sum);
        }
    }
    e->n = t.nodes;
    e->npoint = t.points;
    e->weight = weight;
    e->dN = dN;
    return FLX_OK;
}

flx_status flx_solids_place_nodes(flx_descriptor *d, const flx_solid *s, int n, const int *nodes,
                                  flx_solid_element *e)
{
    const flx_model *m = d->model;
    int *at = flx_arena_take(d->arena, (size_t)(3 * n + n * n), sizeof *at);
    double *arm = flx_arena_take(d->arena, 3 * (size_t)n, sizeof *arm);
    if (!at || !arm) return FLX_ERR_MEMORY;
    for (int a = 0; a < n; a++) {
        int body = s->body[nodes[a]];
        at[a] = body + 1;
        at[n + a] = body < 0 ? 0 : d->body_v[body];
        at[2 * n + a] = body < 0 ? 0 : d->body_nv[body];
        if (at[2 * n + a] == 3) continue;
        for (int k = 0; k < 3; k++) {
            arm[3 * a + k] = s->arm[3 * nodes[a] + k] - (body < 0 ? 0.0 : m->bodies[body].com[k]);
        }
    }
    e->n = n;
    e->frame = at;
    e->v = at + n;
    e->nv = at + 2 * n;
    e->block = at + 3 * n;
    e->arm = arm;
    return FLX_OK;
}

static flx_status plan_element(flx_descriptor *d, const flx_solid *s, int element,
                               flx_solid_element *e)
{
    *e = (flx_solid_element){.law = s->neo_hookean ? FLX_SOLID_NEO_HOOKEAN
                                                   : FLX_SOLID_ST_VENANT_KIRCHHOFF,
                             .lambda = s->lambda,
                             .mu = s->mu,
                             .viscosity = s->rayleigh[1]};
    FLX_TRY(fill_points(d, s, element, e));
    solids_of(d)->npoint += e->npoint;
    return flx_solids_place_nodes(d, s, e->n, s->nodes + s->first[element], e);
}

static flx_status plan(flx_descriptor *d)
{
    const flx_model *m = d->model;
    size_t n = 0;
    for (int i = 0; i < m->nsolid; i++) n += (size_t)m->solids[i].nelement;
    if (n == 0) return FLX_OK;
    solids *own = flx_arena_take(d->arena, 1, sizeof *own);
    if (!own) return FLX_ERR_MEMORY;
    own->of = flx_arena_take(d->arena, n, sizeof *own->of);
    if (!own->of) return FLX_ERR_MEMORY;
    d->own[FLX_TERM_SOLID] = own;
    for (int i = 0; i < m->nsolid; i++) {
        for (int k = 0; k < m->solids[i].nelement; k++) {
            FLX_TRY(plan_element(d, m->solids + i, k, own->of + own->n++));
        }
    }
    return FLX_OK;
}

static flx_status couple(flx_descriptor *d)
{
    for (int i = 0; i < solids_of(d)->n; i++) {
        const flx_solid_element *e = solids_of(d)->of + i;
        for (int a = 0; a < e->n; a++) {
            for (int b = 0; b < a; b++) {
                if (e->nv[a] == 0 || e->nv[b] == 0 || e->frame[a] == e->frame[b]) continue;
                FLX_TRY(flx_layout_couple(d, e->frame[a] - 1, e->frame[b] - 1));
            }
        }
    }
    return FLX_OK;
}

void flx_solids_fill_blocks(const flx_descriptor *d, const flx_solid_element *e)
{
    int n = e->n;
    for (int k = 0; k < n * n; k++) {
        bool both = e->nv[k / n] > 0 && e->nv[k % n] > 0;
        e->block[k] = both ? flx_layout_slot(d, e->v[k / n], e->v[k % n]) : -1;
    }
}

static flx_status fill(flx_descriptor *d)
{
    for (int i = 0; i < solids_of(d)->n; i++) flx_solids_fill_blocks(d, solids_of(d)->of + i);
    return FLX_OK;
}

static void mark(flx_descriptor *d)
{
    for (int i = 0; i < solids_of(d)->n; i++) {
        const flx_solid_element *e = solids_of(d)->of + i;
        for (int k = 0; k < e->n * e->n && e->viscosity != 0; k++) {
            if (e->block[k] >= 0) flx_layout_mark(d, e->block[k], 2);
        }
    }
}

// ---- evaluation ---------------------------------------------------------------------------------

static void residual(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, double *r)
{
    (void)p;
    flx_solid_residual(solids_of(d)->n, solids_of(d)->of, w->frames.space, r);
}

static void linearise(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      flx_blocks *b)
{
    (void)p;
    flx_solid_linearise(solids_of(d)->n, solids_of(d)->of, w->frames.space, b->A0, b->A1);
}

static void energy(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                   flx_energies *e)
{
    (void)p;
    flx_solid_energy(solids_of(d)->n, solids_of(d)->of, w->frames.space, e);
}

// Strains at all points, at the beginning of a step and at its end.
static size_t scratch(const flx_descriptor *d)
{
    return 12 * (size_t)solids_of(d)->npoint;
}

static double *strains(const flx_descriptor *d, const flx_descriptor_work *w, int end)
{
    return w->own[FLX_TERM_SOLID] + (ptrdiff_t)end * 6 * solids_of(d)->npoint;
}

static void ends(const flx_descriptor *d, flx_descriptor_work *w, const flx_step_ends *x, int end)
{
    const solids *own = solids_of(d);
    if (x->out) flx_solid_strains(own->n, own->of, w->frames.space, strains(d, w, end));
}

static void discrete(const flx_descriptor *d, flx_descriptor_work *w, const flx_step_ends *x)
{
    const solids *own = solids_of(d);
    if (!x->out) return;
    flx_solid_discrete(own->n, own->of, w->frames.space, strains(d, w, 0), strains(d, w, 1),
                       x->out);
}

const flx_term flx_term_solid = {
    .plan = plan,
    .couple = couple,
    .fill = fill,
    .mark = mark,
    .scratch = scratch,
    .residual = residual,
    .linearise = linearise,
    .energy = energy,
    .ends = ends,
    .discrete = discrete,
};
