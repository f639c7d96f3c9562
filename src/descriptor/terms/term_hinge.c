// term_hinge.c - beams of rigid segments: the hinge in the middle of an element, between the rigid pieces of its nodes, which
// are bodies.
#include "body/beam_hinge.h"
#include "descriptor/descriptor_parts.h"

typedef struct hinges {
    int n;
    flx_beam_hinge *of;
    flx_beam_stiffness C;
} hinges;

static hinges *hinges_of(const flx_descriptor *d)
{
    return d->own[FLX_TERM_HINGE];
}

static bool is_segments(const flx_beam *b)
{
    return b->nslope == 0 && b->formulation == FLX_BEAM_SEGMENTS;
}

// ---- making -------------------------------------------------------------------------------------

static flx_status plan_hinge(flx_descriptor *d, const flx_beam *b, const flx_beam_rule *rule,
                             const double *C, int element)
{
    const int *body = b->nodes + element;
    hinges *own = hinges_of(d);
    int *at = flx_arena_take(d->arena, 8, sizeof *at);
    double *rest = flx_arena_take(d->arena, 6, sizeof *rest);
    if (!at || !rest) return FLX_ERR_MEMORY;
    flx_beam_hinge *h = own->of + own->n++;
    for (int k = 0; k < 2; k++) {
        at[4 + k] = body[k] + 1;
        at[6 + k] = d->body_v[body[k]];
        const double *com = d->model->bodies[body[k]].com; // frames are there
        h->arm[k][0] = (k ? -0.5 : 0.5) * b->pieces[element + k] - com[0];
        memcpy(h->node[k], b->arms + (ptrdiff_t)3 * (element + k), sizeof h->node[k]);
        h->node[k][0] -= com[0];
    }
    h->e = (flx_beam_exact){.rule = rule,
                            .frame = at + 4,
                            .v = at + 6,
                            .block = at,
                            .length = b->lengths[element],
                            .C = C + (ptrdiff_t)flx_beam_section_step(d, b) * element,
                            .viscosity = b->rayleigh[1],
                            .viscous = flx_beam_is_viscous(b),
                            .rest = rest};
    if (!b->straight) flx_beam_find_rest(d, b, body, &h->e, rest);
    for (int k = 0; k < (d->planar ? 2 : 3); k++) rest[k] = 0.0; // the ends meet
    return FLX_OK;
}

// One of two nodes serves all.
static const flx_beam_rule *rule_of(flx_descriptor *d)
{
    const hinges *own = hinges_of(d);
    double x[FLX_BEAM_NODES], weight[FLX_BEAM_NODES];
    if (own->n > 0) return own->of[0].e.rule;
    flx_beam_rule *rule = flx_arena_take(d->arena, 1, sizeof *rule);
    if (rule) flx_beam_rule_make(2, rule, x, weight);
    return rule;
}

static flx_status plan_segments(flx_descriptor *d, const flx_beam *b)
{
    const double *C = flx_beam_stiffness_of(d, &hinges_of(d)->C, b);
    const flx_beam_rule *rule = rule_of(d);
    if (!rule) return FLX_ERR_MEMORY;
    for (int i = 0; i < b->nelement; i++) FLX_TRY(plan_hinge(d, b, rule, C, i));
    return FLX_OK;
}

static flx_status plan(flx_descriptor *d)
{
    int n = flx_beams_count(d->model, is_segments);
    if (n == 0) return FLX_OK;
    hinges *own = flx_arena_take(d->arena, 1, sizeof *own);
    if (!own) return FLX_ERR_MEMORY;
    own->of = flx_arena_take(d->arena, (size_t)n, sizeof *own->of);
    if (!own->of) return FLX_ERR_MEMORY;
    d->own[FLX_TERM_HINGE] = own;
    FLX_TRY(flx_beam_stiffness_make(d, is_segments, &own->C));
    return flx_beams_each(d, is_segments, plan_segments);
}

static flx_status take(flx_descriptor *d)
{
    hinges *own = FLX_OWN(d, d->own[FLX_TERM_HINGE], 1, sizeof *own);
    bool fine = own && FLX_OWN(d, own->of, own->n, sizeof *own->of);
    return fine ? flx_beam_stiffness_take(d, &own->C) : FLX_ERR_MEMORY;
}

static flx_status renew(flx_descriptor *d)
{
    hinges *own = hinges_of(d);
    flx_beam_hinge *h = own->of;
    flx_beam_stiffness_fill(d, &own->C);
    for (int k = 0; k < d->model->nbeam; k++) {
        const flx_beam *b = d->model->beams + k;
        const double *C = flx_beam_stiffness_of(d, &own->C, b);
        for (int i = 0; is_segments(b) && i < b->nelement; i++, h++) {
            h->e.C = C + (ptrdiff_t)flx_beam_section_step(d, b) * i;
            h->e.viscosity = b->rayleigh[1];
        }
    }
    return FLX_OK;
}

static flx_status couple(flx_descriptor *d)
{
    const hinges *own = hinges_of(d);
    for (int i = 0; i < own->n; i++) {
        const int *frame = own->of[i].e.frame; // a body's block has the body's number
        FLX_TRY(flx_layout_couple(d, frame[0] - 1, frame[1] - 1));
    }
    return FLX_OK;
}

static flx_status fill(flx_descriptor *d)
{
    for (int i = 0; i < hinges_of(d)->n; i++) flx_beam_element_fill(d, &hinges_of(d)->of[i].e);
    return FLX_OK;
}

static void mark(flx_descriptor *d)
{
    for (int i = 0; i < hinges_of(d)->n; i++) flx_beam_element_mark(d, &hinges_of(d)->of[i].e);
}

// ---- evaluation ---------------------------------------------------------------------------------

static void residual(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, double *r)
{
    const hinges *own = hinges_of(d);
    (void)p;
    if (d->planar) {
        flx_beam_hinge2_residual(own->n, own->of, w->frames.plane, r);
    } else {
        flx_beam_hinge_residual(own->n, own->of, w->frames.space, r);
    }
}

static void linearise(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      flx_blocks *b)
{
    const hinges *own = hinges_of(d);
    (void)p;
    if (d->planar) {
        flx_beam_hinge2_linearise(own->n, own->of, w->frames.plane, b->A0, b->A1);
    } else {
        flx_beam_hinge_linearise(own->n, own->of, w->frames.space, b->A0, b->A1);
    }
}

static void energy(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                   flx_energies *e)
{
    const hinges *own = hinges_of(d);
    (void)p;
    if (d->planar) {
        flx_beam_hinge2_energy(own->n, own->of, w->frames.plane, e);
    } else {
        flx_beam_hinge_energy(own->n, own->of, w->frames.space, e);
    }
}

// The force and the moment of the node on a hinge before it, minus those on the one after it.
static int section(const flx_descriptor *d, const flx_descriptor_work *w, const flx_point *p,
                   int body, double out[6])
{
    const hinges *own = hinges_of(d);
    int count = 0;
    (void)p;
    for (int k = 0; k < 2 * own->n; k++) {
        const flx_beam_hinge *h = own->of + k / 2;
        int side = k % 2; // 1: the hinge is before the node
        double f[12], sign = side ? 1.0 : -1.0;
        if (h->e.frame[side] - 1 != body) continue;
        v3 arm = v3_load(h->node[side]), force, moment;
        if (d->planar) {
            const flx_frame2 *o = w->frames.plane + body + 1;
            flx_beam_hinge2_forces(h, w->frames.plane, f);
            force = v3_make(f[3 * side], f[3 * side + 1], 0);
            moment = v3_make(0, 0, f[3 * side + 2]);
            arm = v3_make(o->c * arm.x - o->s * arm.y, o->s * arm.x + o->c * arm.y, 0);
        } else {
            m33 R = m33_load(w->frames.space[body + 1].R);
            flx_beam_hinge_forces(h, w->frames.space, f);
            force = v3_load(f + 6 * side);
            moment = m33_mul_v(R, v3_load(f + 6 * side + 3));
            arm = m33_mul_v(R, arm);
        }
        v3_add_to(out, sign, force);
        v3_add_to(out + 3, sign, v3_sub(moment, v3_cross(arm, force)));
        count++;
    }
    return count;
}

const flx_term flx_term_hinge = {
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
