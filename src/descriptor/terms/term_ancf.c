// term_ancf.c - beams in absolute nodal coordinates. The place of a node and its slopes are bodies without mass and rotation;
// an element couples them, with its mass.
#include "body/ancf.h"
#include "descriptor/descriptor_parts.h"

typedef struct ancfs {
    int n; // elements
    flx_ancf *of;
} ancfs;

static ancfs *ancfs_of(const flx_descriptor *d)
{
    return d->own[FLX_TERM_ANCF];
}

// ---- making -------------------------------------------------------------------------------------

// An element whose slopes and line differ by less is straight.
#define STRAIGHT 1e-9

static bool is_ancf(const flx_beam *b)
{
    return b->nslope > 0;
}

// The bodies of an element: place and slopes of its first node, then of its second.
static int body_of(const flx_beam *b, int element, int k)
{
    int node = element + k / (b->nslope + 1), which = k % (b->nslope + 1);
    return which == 0 ? b->nodes[node] : b->slopes[node * b->nslope + which - 1];
}

static flx_ancf_section section_of(const flx_beam *b, int element, int k)
{
    const double *C = b->stations ? b->stations[b->nstation * element + k].stiffness : b->stiffness;
    return (flx_ancf_section){.EA = C[0],
                              .GA = {C[7], C[14]},
                              .GJ = C[21],
                              .EI = {C[28], C[35]},
                              .E = b->E,
                              .nu = b->nu,
                              .size = {b->size[0], b->size[1]},
                              .round = b->round};
}

// Vectors of an element without stress, in the directions that are drawn. false: it is straight.
static bool find_reference(const flx_descriptor *d, const flx_beam *b, int element, double *e0)
{
    int D = d->planar ? 2 : 3, half = b->nslope + 1;
    double bent = 0.0;
    if (b->straight) return false;
    for (int k = 0; k < 2 * half; k++) {
        const double *at = d->model->bodies[body_of(b, element, k)].position;
        double scale = k % half < 2 ? b->scale : 1.0; // across the line nothing is stretched
        for (int c = 0; c < D; c++) e0[D * k + c] = scale * at[c];
    }
    for (int c = 0; c < D; c++) {
        double line = (e0[D * half + c] - e0[c]) / b->lengths[element];
        bent = fmax(bent, fabs(line - e0[D + c]));
        for (int k = 1; k < half; k++) {
            bent = fmax(bent, fabs(e0[D * (half + k) + c] - e0[D * k + c]));
        }
    }
    return bent > STRAIGHT;
}

// Elements of one length and section share what follows from these.
static bool is_as_before(const flx_beam *b, int element)
{
    return element > 0 && !b->stations && b->lengths[element] == b->lengths[element - 1];
}

static void fill_inertia(const flx_beam *b, int element, flx_ancf_inertia *own)
{
    const double moments[2] = {b->inertia[2], b->inertia[1]}; // of y^2, of z^2
    if (!b->stations) {
        flx_ancf_inertia_make(b->lengths[element], b->mass, b->nslope - 1, moments, own);
        return;
    }
    double at[FLX_BEAM_MASS_POINTS], weight[FLX_BEAM_MASS_POINTS], mass[FLX_BEAM_MASS_POINTS];
    double across[FLX_BEAM_MASS_POINTS][2];
    flx_beam_mass_rule(at, weight);
    for (int k = 0; k < FLX_BEAM_MASS_POINTS; k++) {
        const flx_beam_station *s =
            b->stations + (ptrdiff_t)b->nstation * (element + 1) - FLX_BEAM_MASS_POINTS + k;
        mass[k] = s->mass;
        across[k][0] = s->inertia[2], across[k][1] = s->inertia[1];
    }
    flx_ancf_inertia_sum(b->lengths[element], b->nslope - 1, FLX_BEAM_MASS_POINTS, at, weight, mass,
                         across, own);
}

static flx_status make_inertia(flx_descriptor *d, const flx_beam *b, int element, flx_ancf *e)
{
    if (is_as_before(b, element)) {
        e->inertia = e[-1].inertia;
        return FLX_OK;
    }
    flx_ancf_inertia *own = flx_arena_take(d->arena, 1, sizeof *own);
    if (!own) return FLX_ERR_MEMORY;
    fill_inertia(b, element, own);
    e->inertia = own;
    return FLX_OK;
}

static bool shares_rule(const flx_beam *b, int element, const flx_ancf *e)
{
    return is_as_before(b, element) && e->straight && e[-1].straight;
}

// points: FLX_ANCF_POINTS of them.
static void fill_rule(const flx_beam *b, int element, const double *e0, int dimension,
                      flx_ancf_point *points, flx_ancf_rule *rule)
{
    flx_ancf_section s[4];
    for (int k = 0; k < 4; k++) s[k] = section_of(b, element, k);
    rule->points = points;
    (b->continuum ? flx_ancf_rule_continuum : flx_ancf_rule_sections)(b->lengths[element], s,
                                                                      dimension, e0, rule);
}

static flx_status make_rule(flx_descriptor *d, const flx_beam *b, int element, const double *e0,
                            flx_ancf *e)
{
    if (shares_rule(b, element, e)) {
        e->rule = e[-1].rule;
        return FLX_OK;
    }
    flx_ancf_point points[FLX_ANCF_POINTS];
    flx_ancf_rule *rule = flx_arena_take(d->arena, 1, sizeof *rule);
    if (!rule) return FLX_ERR_MEMORY;
    fill_rule(b, element, e0, e->dimension, points, rule);
    rule->points = flx_arena_take(d->arena, (size_t)rule->npoint, sizeof *points);
    if (!rule->points) return FLX_ERR_MEMORY;
    memcpy(rule->points, points, (size_t)rule->npoint * sizeof *points);
    e->rule = rule;
    return FLX_OK;
}

static void make_cable(const flx_beam *b, int element, const double *e0, flx_ancf *e)
{
    e->cable = (flx_cable){
        .length = b->lengths[element], .viscosity = b->rayleigh[1], .stretch = {1, 1, 1}};
    for (int k = 0; k < 3; k++) e->cable.EA[k] = section_of(b, element, k).EA;
    for (int k = 0; k < 2; k++) e->cable.EI[k] = section_of(b, element, 3 + k).EI[1];
    if (e0) (e->dimension == 2 ? flx_cable2_rest : flx_cable_rest)(&e->cable, e0);
}

static flx_status plan_beam(flx_descriptor *d, const flx_beam *b)
{
    ancfs *own = ancfs_of(d);
    int n = 2 * (b->nslope + 1);
    for (int i = 0; i < b->nelement; i++) {
        int *at = flx_arena_take(d->arena, (size_t)(n * n + 2 * n), sizeof *at);
        if (!at) return FLX_ERR_MEMORY;
        for (int k = 0; k < n; k++) {
            at[n * n + k] = d->body_q[body_of(b, i, k)];
            at[n * n + n + k] = d->body_v[body_of(b, i, k)];
        }
        flx_ancf *e = own->of + own->n++;
        *e = (flx_ancf){.dimension = d->planar ? 2 : 3,
                        .n = n,
                        .width = d->planar ? 2 : 3,
                        .q = at + n * n,
                        .v = at + n * n + n,
                        .at = at,
                        .damped = flx_beam_is_dragged(b) || flx_beam_is_viscous(b),
                        .drag = b->rayleigh[0],
                        .viscosity = b->rayleigh[1]};
        double reference[FLX_ANCF_NUMBERS] = {0};
        e->straight = !find_reference(d, b, i, reference);
        const double *e0 = e->straight ? NULL : reference;
        FLX_TRY(make_inertia(d, b, i, e));
        if (b->formulation == FLX_BEAM_CABLE) {
            make_cable(b, i, e0, e);
        } else {
            FLX_TRY(make_rule(d, b, i, e0, e));
        }
    }
    return FLX_OK;
}

static flx_status plan(flx_descriptor *d)
{
    int n = flx_beams_count(d->model, is_ancf);
    if (n == 0) return FLX_OK;
    ancfs *own = flx_arena_take(d->arena, 1, sizeof *own);
    if (!own) return FLX_ERR_MEMORY;
    own->of = flx_arena_take(d->arena, (size_t)n, sizeof *own->of);
    if (!own->of) return FLX_ERR_MEMORY;
    d->own[FLX_TERM_ANCF] = own;
    return flx_beams_each(d, is_ancf, plan_beam);
}

// ---- parameters ---------------------------------------------------------------------------------

// What elements point at becomes the descriptor's own, shared as it was.
static flx_status take_element(flx_descriptor *d, const flx_ancf *shared, flx_ancf *e, bool first)
{
    if (!first && shared->inertia == shared[-1].inertia) {
        e->inertia = e[-1].inertia;
    } else if (!FLX_OWN(d, e->inertia, 1, sizeof *e->inertia)) {
        return FLX_ERR_MEMORY;
    }
    if (!e->rule) return FLX_OK;
    if (!first && shared->rule == shared[-1].rule) {
        e->rule = e[-1].rule;
        return FLX_OK;
    }
    flx_ancf_rule *rule = FLX_OWN(d, e->rule, 1, sizeof *rule);
    if (!rule) return FLX_ERR_MEMORY;
    return FLX_OWN(d, rule->points, rule->npoint, sizeof *rule->points) ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status take(flx_descriptor *d)
{
    const flx_ancf *shared = ancfs_of(d)->of;
    ancfs *own = FLX_OWN(d, d->own[FLX_TERM_ANCF], 1, sizeof *own);
    if (!own || !FLX_OWN(d, own->of, own->n, sizeof *own->of)) return FLX_ERR_MEMORY;
    for (int i = 0; i < own->n; i++) FLX_TRY(take_element(d, shared + i, own->of + i, i == 0));
    return FLX_OK;
}

static void renew_element(flx_descriptor *d, const flx_beam *b, int i, flx_ancf *e)
{
    double reference[FLX_ANCF_NUMBERS] = {0};
    (void)find_reference(d, b, i, reference);
    const double *e0 = e->straight ? NULL : reference;
    e->drag = b->rayleigh[0];
    e->viscosity = b->rayleigh[1];
    if (!is_as_before(b, i)) fill_inertia(b, i, (flx_ancf_inertia *)(uintptr_t)e->inertia); // own
    if (b->formulation == FLX_BEAM_CABLE) {
        make_cable(b, i, e0, e);
    } else if (!shares_rule(b, i, e)) {
        flx_ancf_rule *rule = (flx_ancf_rule *)(uintptr_t)e->rule; // own
        flx_ancf_point points[FLX_ANCF_POINTS], *to = rule->points;
        fill_rule(b, i, e0, e->dimension, points, rule);
        memcpy(to, points, (size_t)rule->npoint * sizeof *to);
        rule->points = to;
    }
}

static flx_status renew(flx_descriptor *d)
{
    flx_ancf *e = ancfs_of(d)->of;
    for (int k = 0; k < d->model->nbeam; k++) {
        const flx_beam *b = d->model->beams + k;
        for (int i = 0; is_ancf(b) && i < b->nelement; i++) renew_element(d, b, i, e++);
    }
    return FLX_OK;
}

static flx_status couple(flx_descriptor *d)
{
    for (int i = 0; i < ancfs_of(d)->n; i++) {
        const flx_ancf *e = ancfs_of(d)->of + i;
        for (int j = 0; j < e->n; j++) {
            for (int k = 0; k < j; k++) {
                FLX_TRY(flx_layout_couple(d, d->block_of[e->v[j]], d->block_of[e->v[k]]));
            }
        }
    }
    return FLX_OK;
}

static flx_status fill(flx_descriptor *d)
{
    for (int i = 0; i < ancfs_of(d)->n; i++) {
        flx_ancf *e = ancfs_of(d)->of + i;
        for (int k = 0; k < e->n * e->n; k++) {
            e->at[k] = flx_layout_slot(d, e->v[k / e->n], e->v[k % e->n]);
        }
    }
    return FLX_OK;
}

static void mark(flx_descriptor *d)
{
    for (int i = 0; i < ancfs_of(d)->n; i++) {
        const flx_ancf *e = ancfs_of(d)->of + i;
        bool damped = e->damped;
        for (int k = 0; k < e->n * e->n; k++) flx_layout_mark(d, e->at[k], damped ? 6 : 4);
    }
}

// ---- evaluation ---------------------------------------------------------------------------------

static flx_ancf_at place(const flx_descriptor *d, const flx_descriptor_work *w, const flx_point *p)
{
    return (flx_ancf_at){.q = p->q, .v = p->v, .a = p->a, .g = flx_eval_gravity(d, p, w->gravity)};
}

static void residual(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, double *r)
{
    flx_ancf_at at = place(d, w, p);
    flx_ancf_residual(ancfs_of(d)->n, ancfs_of(d)->of, &at, r);
}

static void linearise(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      flx_blocks *b)
{
    flx_ancf_at at = place(d, w, p);
    flx_ancf_linearise(ancfs_of(d)->n, ancfs_of(d)->of, &at, b->A0, b->A1, b->A2);
}

static void masses(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, double *A2)
{
    flx_ancf_at at = place(d, w, p);
    flx_ancf_linearise(ancfs_of(d)->n, ancfs_of(d)->of, &at, NULL, NULL, A2);
}

static void energy(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                   flx_energies *e)
{
    flx_ancf_at at = place(d, w, p);
    flx_ancf_energies(ancfs_of(d)->n, ancfs_of(d)->of, &at, e);
}

static void momentum(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                     double *Mv)
{
    flx_ancf_at at = place(d, w, p);
    flx_ancf_momentum(ancfs_of(d)->n, ancfs_of(d)->of, &at, Mv);
}

static void discrete(const flx_descriptor *d, flx_descriptor_work *w, const flx_step_ends *x)
{
    (void)w;
    if (x->out) flx_ancf_discrete(ancfs_of(d)->n, ancfs_of(d)->of, x->p0->q, x->p1->q, x->out);
}

// The forces of a node on the elements at it, masses and weight among them.
static int section(const flx_descriptor *d, const flx_descriptor_work *w, const flx_point *p,
                   int body, double out[6])
{
    int count = 0, D = d->planar ? 2 : 3;
    for (int i = 0; i < ancfs_of(d)->n; i++) {
        const flx_ancf *e = ancfs_of(d)->of + i;
        int half = e->n / 2;
        bool last = e->v[half] == d->body_v[body];
        if (!last && e->v[0] != d->body_v[body]) continue;
        double f[FLX_ANCF_NUMBERS], sign = last ? 1.0 : -1.0;
        flx_ancf_at at = place(d, w, p);
        flx_ancf_forces(e, &at, f);
        for (int k = 0; k < half; k++) {
            int vector = last ? half + k : k;
            const double *own = f + D * vector, *t = p->q + e->q[vector];
            v3 F = v3_make(own[0], own[1], D == 3 ? own[2] : 0.0);
            if (k == 0) {
                v3_add_to(out, sign, F);
            } else {
                v3_add_to(out + 3, sign, v3_cross(v3_make(t[0], t[1], D == 3 ? t[2] : 0.0), F));
            }
        }
        count++;
    }
    return count;
}

const flx_term flx_term_ancf = {
    .plan = plan,
    .couple = couple,
    .fill = fill,
    .mark = mark,
    .take = take,
    .renew = renew,
    .residual = residual,
    .linearise = linearise,
    .masses = masses,
    .energy = energy,
    .momentum = momentum,
    .discrete = discrete,
    .section = section,
};
