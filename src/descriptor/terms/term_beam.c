// term_beam.c - beams of large deformation, geometrically exact. Their nodes are bodies; an element adds forces and a
// tangent between the blocks of its nodes, and no unknowns.
#include "descriptor/descriptor_parts.h"

typedef struct beams {
    int n; // elements
    flx_beam_exact *of;
    flx_beam_stiffness C;
} beams;

static beams *beams_of(const flx_descriptor *d)
{
    return d->own[FLX_TERM_BEAM];
}

static bool is_exact(const flx_beam *b)
{
    return b->nslope == 0 && b->formulation != FLX_BEAM_SEGMENTS;
}

static int nodes_of(const flx_beam *b)
{
    return b->order + 1;
}

static int strains_of(const flx_descriptor *d)
{
    return d->planar ? 3 : 6;
}

// ---- making -------------------------------------------------------------------------------------

static void take_stiffness(const flx_descriptor *d, const double *from, double *C)
{
    static const int plane[3] = {0, 1, 5};
    for (int i = 0; i < 9 && d->planar; i++) C[i] = from[6 * plane[i / 3] + plane[i % 3]];
    if (!d->planar) memcpy(C, from, 36 * sizeof *C);
}

static int points_of(const flx_beam *b)
{
    return b->stations ? b->nstation - FLX_BEAM_MASS_POINTS : 1;
}

static int sections_of(const flx_beam *b)
{
    return b->stations ? b->nelement * points_of(b) : 1;
}

static void fill_stiffness(const flx_descriptor *d, const flx_beam *b, double *C)
{
    int size = d->planar ? 9 : 36, points = points_of(b);
    for (int i = 0; i < sections_of(b); i++) {
        const double *from = b->stiffness;
        if (b->stations) from = b->stations[i / points * b->nstation + i % points].stiffness;
        take_stiffness(d, from, C + (ptrdiff_t)size * i);
    }
}

flx_status flx_beam_stiffness_make(flx_descriptor *d, bool (*takes)(const flx_beam *b),
                                   flx_beam_stiffness *C)
{
    const flx_model *m = d->model;
    int size = d->planar ? 9 : 36;
    C->takes = takes;
    for (int i = 0; i < m->nbeam; i++)
        C->n += takes(m->beams + i) ? size * sections_of(m->beams + i) : 0;
    C->of = flx_arena_take(d->arena, (size_t)C->n, sizeof *C->of);
    if (!C->of) return FLX_ERR_MEMORY;
    flx_beam_stiffness_fill(d, C);
    return FLX_OK;
}

void flx_beam_stiffness_fill(const flx_descriptor *d, flx_beam_stiffness *C)
{
    const flx_model *m = d->model;
    double *next = C->of;
    for (int i = 0; i < m->nbeam; i++) {
        const flx_beam *b = m->beams + i;
        if (!C->takes(b)) continue;
        fill_stiffness(d, b, next);
        next += (d->planar ? 9 : 36) * sections_of(b);
    }
}

const double *flx_beam_stiffness_of(const flx_descriptor *d, const flx_beam_stiffness *C,
                                    const flx_beam *b)
{
    const double *at = C->of;
    for (const flx_beam *i = d->model->beams; i < b; i++) {
        if (C->takes(i)) at += (d->planar ? 9 : 36) * sections_of(i);
    }
    return at;
}

bool flx_beam_is_viscous(const flx_beam *b)
{
    return b->rayleigh[1] > 0 || (b->by_ratio ? b->damping_open[0] : b->damping_open[1]) > 0;
}

bool flx_beam_is_dragged(const flx_beam *b)
{
    return b->rayleigh[0] > 0 || (!b->by_ratio && b->damping_open[0] > 0);
}

int flx_beam_section_step(const flx_descriptor *d, const flx_beam *b)
{
    return b->stations ? (d->planar ? 9 : 36) : 0;
}

static const flx_beam_rule *rule_of(flx_descriptor *d, const flx_beam *b)
{
    const beams *own = beams_of(d);
    double x[FLX_BEAM_NODES], weight[FLX_BEAM_NODES];
    for (int i = 0; i < own->n; i++) {
        if (own->of[i].rule->nnode == nodes_of(b)) return own->of[i].rule;
    }
    flx_beam_rule *rule = flx_arena_take(d->arena, 1, sizeof *rule);
    if (rule) flx_beam_rule_make(nodes_of(b), rule, x, weight);
    return rule;
}

void flx_beam_find_rest(const flx_descriptor *d, const flx_beam *b, const int *nodes,
                        const flx_beam_exact *e, double *rest)
{
    static const int frame[FLX_BEAM_NODES] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    flx_frame2 plane[FLX_BEAM_NODES] = {0};
    flx_frame space[FLX_BEAM_NODES] = {0};
    flx_beam_exact drawn = *e;
    drawn.frame = frame;
    for (int i = 0; i < e->rule->npoint && b->straight; i++) rest[strains_of(d) * i] = 1.0;
    for (int i = 0; i < e->rule->nnode && !b->straight; i++) {
        const flx_body *o = d->model->bodies + nodes[i];
        plane[i] = (flx_frame2){.c = cos(o->angle),
                                .s = sin(o->angle),
                                .x = b->scale * o->position[0],
                                .y = b->scale * o->position[1],
                                .angle = o->angle};
        v3_store(space[i].r, v3_scale(b->scale, v3_load(o->position)));
        memcpy(space[i].R, o->R, sizeof o->R);
    }
    if (b->straight) return;
    if (d->planar) {
        flx_beam_exact2_rest(&drawn, plane, rest);
    } else {
        flx_beam_exact_rest(&drawn, space, rest);
    }
}

static flx_status plan_beam(flx_descriptor *d, const flx_beam *b)
{
    beams *own = beams_of(d);
    const flx_beam_rule *rule = rule_of(d, b);
    const double *C = flx_beam_stiffness_of(d, &own->C, b);
    int n = nodes_of(b), step = flx_beam_section_step(d, b);
    if (!rule) return FLX_ERR_MEMORY;
    for (int i = 0; i < b->nelement; i++) {
        const int *nodes = b->nodes + i * b->order;
        int *at = flx_arena_take(d->arena, (size_t)(n * n + 2 * n), sizeof *at);
        double *rest =
            flx_arena_take(d->arena, (size_t)(rule->npoint * strains_of(d)), sizeof *rest);
        if (!at || !rest) return FLX_ERR_MEMORY;
        for (int k = 0; k < n; k++) {
            at[n * n + k] = nodes[k] + 1;
            at[n * n + n + k] = d->body_v[nodes[k]];
        }
        flx_beam_exact *e = own->of + own->n++;
        *e = (flx_beam_exact){.rule = rule,
                              .frame = at + n * n,
                              .v = at + n * n + n,
                              .block = at,
                              .length = b->lengths[i],
                              .C = C + (ptrdiff_t)step * i * rule->npoint,
                              .next = step,
                              .viscosity = b->rayleigh[1],
                              .viscous = flx_beam_is_viscous(b),
                              .rest = rest};
        flx_beam_find_rest(d, b, nodes, e, rest);
    }
    return FLX_OK;
}

int flx_beams_count(const flx_model *m, bool (*takes)(const flx_beam *b))
{
    int n = 0;
    for (int i = 0; i < m->nbeam; i++) n += takes(m->beams + i) ? m->beams[i].nelement : 0;
    return n;
}

flx_status flx_beams_each(flx_descriptor *d, bool (*takes)(const flx_beam *b),
                          flx_status (*plan_one)(flx_descriptor *d, const flx_beam *b))
{
    const flx_model *m = d->model;
    for (int i = 0; i < m->nbeam; i++) {
        if (takes(m->beams + i)) FLX_TRY(plan_one(d, m->beams + i));
    }
    return FLX_OK;
}

// ---- parameters ---------------------------------------------------------------------------------

flx_status flx_beam_stiffness_take(flx_descriptor *d, flx_beam_stiffness *C)
{
    return FLX_OWN(d, C->of, C->n, sizeof *C->of) ? FLX_OK : FLX_ERR_MEMORY;
}

void flx_beam_element_fill(const flx_descriptor *d, const flx_beam_exact *e)
{
    int n = e->rule->nnode;
    for (int k = 0; k < n * n; k++) e->block[k] = flx_layout_slot(d, e->v[k / n], e->v[k % n]);
}

void flx_beam_element_mark(flx_descriptor *d, const flx_beam_exact *e)
{
    int n = e->rule->nnode;
    for (int k = 0; k < n * n && e->viscous; k++) flx_layout_mark(d, e->block[k], 2);
}

// ---- the rest of the term -----------------------------------------------------------------------

#define ELEMENTS beams
#define ELEMENT(own, i) ((own)->of + (i))
#define TERM FLX_TERM_BEAM
#define IS_OURS is_exact
#define PLAN_BEAM plan_beam
#define SPACE(what) flx_beam_exact_##what
#define PLANE(what) flx_beam_exact2_##what
#include "descriptor/terms/term_beam_elements.inc.h"

// The forces of the node on the elements before it, minus those on the elements after it.
static int section(const flx_descriptor *d, const flx_descriptor_work *w, const flx_point *p,
                   int body, double out[6])
{
    int count = 0;
    (void)p;
    for (int i = 0; i < beams_of(d)->n; i++) {
        const flx_beam_exact *e = beams_of(d)->of + i;
        int n = e->rule->nnode, last = e->frame[n - 1] - 1 == body;
        double f[6 * FLX_BEAM_NODES];
        if (!last && e->frame[0] - 1 != body) continue;
        double sign = last ? 1.0 : -1.0;
        count++;
        if (d->planar) {
            flx_beam_exact2_forces(e, w->frames.plane, f);
            const double *own = f + (last ? 3 * (n - 1) : 0);
            out[0] += sign * own[0];
            out[1] += sign * own[1];
            out[5] += sign * own[2];
        } else {
            flx_beam_exact_forces(e, w->frames.space, f);
            const double *own = f + (last ? 6 * (n - 1) : 0);
            v3_add_to(out, sign, v3_load(own));
            v3_add_to(out + 3, sign,
                      m33_mul_v(m33_load(w->frames.space[body + 1].R), v3_load(own + 3)));
        }
    }
    return count;
}

const flx_term flx_term_beam = {
    .plan = plan,
    .couple = couple,
    .fill = fill,
    .mark = mark,
    .take = take,
    .renew = renew,
    .residual = residual,
    .linearise = linearise,
    .energy = energy,
    .section = section,
};
