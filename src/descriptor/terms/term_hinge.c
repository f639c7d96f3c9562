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
    int step = flx_beam_section_step(d, b);
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
                            .C = C + (ptrdiff_t)step * element,
                            .next = step,
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

// ---- the rest of the term -----------------------------------------------------------------------

#define ELEMENTS hinges
#define ELEMENT(own, i) (&(own)->of[i].e)
#define TERM FLX_TERM_HINGE
#define IS_OURS is_segments
#define PLAN_BEAM plan_segments
#define SPACE(what) flx_beam_hinge_##what
#define PLANE(what) flx_beam_hinge2_##what
#include "descriptor/terms/term_beam_elements.inc.h"

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
