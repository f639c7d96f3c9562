// descriptor_elements.c - elements between nodes in the descriptor system: beams of large deformation.
// Their nodes are bodies; an element adds forces and a tangent between the blocks of its nodes, and no
// unknowns.
#include "descriptor/descriptor_parts.h"

static int nodes_of(const flx_beam *b)
{
    return b->order + 1;
}

static int strains_of(const flx_descriptor *d)
{
    return d->planar ? 3 : 6;
}

// ---- making -------------------------------------------------------------------------------------

// The part of the section's stiffness that acts in the plane.
static const double *stiffness_of(flx_descriptor *d, const flx_beam *b)
{
    static const int plane[3] = {0, 1, 5};
    if (!d->planar) return b->stiffness;
    double *C = flx_arena_take(d->arena, 9, sizeof *C);
    for (int i = 0; C && i < 9; i++) C[i] = b->stiffness[6 * plane[i / 3] + plane[i % 3]];
    return C;
}

static const flx_beam_rule *rule_of(flx_descriptor *d, const flx_beam *b)
{
    double x[FLX_BEAM_NODES], weight[FLX_BEAM_NODES];
    for (int i = 0; i < d->nelement; i++) {
        if (d->elements[i].rule->nnode == nodes_of(b)) return d->elements[i].rule;
    }
    for (int i = 0; i < d->nhinge && b->order == 1; i++) {
        if (d->hinges[i].e.rule) return d->hinges[i].e.rule;
    }
    flx_beam_rule *rule = flx_arena_take(d->arena, 1, sizeof *rule);
    if (rule) flx_beam_rule_make(nodes_of(b), rule, x, weight);
    return rule;
}

// Stretch and curvature without stress: of a straight line, or as drawn.
static void find_rest(const flx_descriptor *d, const flx_beam *b, const int *nodes,
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

// The hinge in the middle of an element, between the rigid pieces of its nodes.
static flx_status plan_hinge(flx_descriptor *d, const flx_beam *b, const double *C, int element)
{
    const int *body = b->nodes + element;
    int *at = flx_arena_take(d->arena, 8, sizeof *at);
    double *rest = flx_arena_take(d->arena, 6, sizeof *rest);
    if (!at || !rest) return FLX_ERR_MEMORY;
    flx_beam_hinge *h = d->hinges + d->nhinge++;
    for (int k = 0; k < 2; k++) {
        at[4 + k] = body[k] + 1;
        at[6 + k] = d->body_v[body[k]];
        h->arm[k][0] = (k ? -0.5 : 0.5) * b->pieces[element + k];
        memcpy(h->node[k], b->arms + (ptrdiff_t)3 * (element + k), sizeof h->node[k]);
    }
    h->e = (flx_beam_exact){.rule = rule_of(d, b),
                            .frame = at + 4,
                            .v = at + 6,
                            .block = at,
                            .length = b->lengths[element],
                            .C = C,
                            .viscosity = b->rayleigh[1],
                            .rest = rest};
    if (!h->e.rule) return FLX_ERR_MEMORY;
    if (!b->straight) find_rest(d, b, body, &h->e, rest);
    for (int k = 0; k < (d->planar ? 2 : 3); k++) rest[k] = 0.0; // the ends meet
    return FLX_OK;
}

static flx_status plan_segments(flx_descriptor *d, const flx_beam *b)
{
    const double *C = stiffness_of(d, b);
    if (!C) return FLX_ERR_MEMORY;
    for (int i = 0; i < b->nelement; i++) FLX_TRY(plan_hinge(d, b, C, i));
    return FLX_OK;
}

static flx_status plan_beam(flx_descriptor *d, const flx_beam *b)
{
    if (b->formulation == FLX_BEAM_SEGMENTS) return plan_segments(d, b);
    const flx_beam_rule *rule = rule_of(d, b);
    const double *C = stiffness_of(d, b);
    int n = nodes_of(b);
    if (!rule || !C) return FLX_ERR_MEMORY;
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
        flx_beam_exact *e = d->elements + d->nelement++;
        *e = (flx_beam_exact){.rule = rule,
                              .frame = at + n * n,
                              .v = at + n * n + n,
                              .block = at,
                              .length = b->lengths[i],
                              .C = C,
                              .viscosity = b->rayleigh[1],
                              .rest = rest};
        find_rest(d, b, nodes, e, rest);
    }
    return FLX_OK;
}

// Damping by the mass, of every node.
static void plan_drag(flx_descriptor *d, const flx_beam *b)
{
    for (int i = 0; i < b->nnode && b->rayleigh[0] > 0; i++) {
        const flx_body *o = d->model->bodies + b->nodes[i];
        flx_drag *p = d->drags + d->ndrag++;
        *p = (flx_drag){.v = d->body_v[b->nodes[i]], .n = d->body_nv[b->nodes[i]]};
        for (int k = 0; k < p->n; k++) {
            int turn = k - (d->planar ? 2 : 3);
            double J = o->inertia[d->planar ? 8 : 4 * (turn < 0 ? 0 : turn)];
            p->c[k] = b->rayleigh[0] * (turn < 0 ? o->mass : J);
        }
    }
}

flx_status flx_elements_plan(flx_descriptor *d)
{
    const flx_model *m = d->model;
    size_t n = 0, nodes = 0, hinges = 0;
    for (int i = 0; i < m->nbeam; i++) {
        const flx_beam *b = m->beams + i;
        if (b->nslope > 0) continue;
        bool segments = b->formulation == FLX_BEAM_SEGMENTS;
        *(segments ? &hinges : &n) += (size_t)b->nelement;
        nodes += (size_t)b->nnode;
    }
    d->hinges = flx_arena_take(d->arena, hinges, sizeof *d->hinges);
    if (!d->hinges) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nsolid; i++) nodes += (size_t)m->solids[i].nnode;
    d->drags = flx_arena_take(d->arena, nodes, sizeof *d->drags);
    if (!d->drags) return FLX_ERR_MEMORY;
    d->elements = flx_arena_take(d->arena, n, sizeof *d->elements);
    if (!d->elements) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nbeam; i++) {
        if (m->beams[i].nslope > 0) continue;
        FLX_TRY(plan_beam(d, m->beams + i));
        plan_drag(d, m->beams + i);
    }
    return FLX_OK;
}

// The same of the points of a solid.
void flx_elements_drag_solid(flx_descriptor *d, const flx_solid *s)
{
    for (int i = 0; i < s->nnode && s->rayleigh[0] > 0; i++) {
        int body = s->body[i];
        if (body < 0 || d->body_nv[body] != 3) continue;
        double c = s->rayleigh[0] * d->model->bodies[body].mass;
        d->drags[d->ndrag++] = (flx_drag){.v = d->body_v[body], .n = 3, .c = {c, c, c}};
    }
}

flx_status flx_elements_couple(flx_descriptor *d)
{
    for (int i = 0; i < d->nhinge; i++) {
        const int *frame = d->hinges[i].e.frame;
        FLX_TRY(flx_layout_couple(d, frame[0] - 1, frame[1] - 1));
    }
    for (int i = 0; i < d->nelement; i++) {
        const flx_beam_exact *e = d->elements + i;
        for (int j = 0; j < e->rule->nnode; j++) {
            for (int k = 0; k < j; k++) { // a body's block has the body's number
                FLX_TRY(flx_layout_couple(d, e->frame[j] - 1, e->frame[k] - 1));
            }
        }
    }
    return FLX_OK;
}

static void fill_blocks(const flx_descriptor *d, const flx_beam_exact *e)
{
    int n = e->rule->nnode;
    for (int k = 0; k < n * n; k++) e->block[k] = flx_layout_slot(d, e->v[k / n], e->v[k % n]);
}

void flx_elements_fill(flx_descriptor *d)
{
    for (int i = 0; i < d->ndrag; i++) {
        d->drags[i].diag = flx_layout_slot(d, d->drags[i].v, d->drags[i].v);
    }
    for (int i = 0; i < d->nelement; i++) fill_blocks(d, d->elements + i);
    for (int i = 0; i < d->nhinge; i++) fill_blocks(d, &d->hinges[i].e);
}

static void mark_blocks(flx_descriptor *d, const flx_beam_exact *e)
{
    int n = e->rule->nnode;
    for (int k = 0; k < n * n && e->viscosity != 0; k++) flx_layout_mark(d, e->block[k], 2);
}

void flx_elements_mark(flx_descriptor *d)
{
    for (int i = 0; i < d->ndrag; i++) flx_layout_mark(d, d->drags[i].diag, 2);
    for (int i = 0; i < d->nelement; i++) mark_blocks(d, d->elements + i);
    for (int i = 0; i < d->nhinge; i++) mark_blocks(d, &d->hinges[i].e);
}

// ---- evaluation ---------------------------------------------------------------------------------

void flx_elements_residual(const flx_descriptor *d, const flx_work *w, const flx_point *p,
                           double *r)
{
    flx_drag_residual(d->ndrag, d->drags, p->v, r);
    if (d->planar) {
        flx_beam_exact2_residual(d->nelement, d->elements, w->frames.plane, r);
        flx_beam_hinge2_residual(d->nhinge, d->hinges, w->frames.plane, r);
    } else {
        flx_beam_exact_residual(d->nelement, d->elements, w->frames.space, r);
        flx_beam_hinge_residual(d->nhinge, d->hinges, w->frames.space, r);
    }
}

void flx_elements_linearise(const flx_descriptor *d, const flx_work *w, double *A0, double *A1)
{
    flx_drag_linearise(d->ndrag, d->drags, A1);
    if (d->planar) {
        flx_beam_exact2_linearise(d->nelement, d->elements, w->frames.plane, A0, A1);
        flx_beam_hinge2_linearise(d->nhinge, d->hinges, w->frames.plane, A0, A1);
    } else {
        flx_beam_exact_linearise(d->nelement, d->elements, w->frames.space, A0, A1);
        flx_beam_hinge_linearise(d->nhinge, d->hinges, w->frames.space, A0, A1);
    }
}

void flx_elements_energy(const flx_descriptor *d, const flx_work *w, const flx_point *p,
                         flx_energies *e)
{
    flx_drag_energy(d->ndrag, d->drags, p->v, e);
    if (d->planar) {
        flx_beam_exact2_energy(d->nelement, d->elements, w->frames.plane, e);
        flx_beam_hinge2_energy(d->nhinge, d->hinges, w->frames.plane, e);
    } else {
        flx_beam_exact_energy(d->nelement, d->elements, w->frames.space, e);
        flx_beam_hinge_energy(d->nhinge, d->hinges, w->frames.space, e);
    }
}

// Adds the force and the moment of a node on a hinge beside it, minus those on the one after it; how many there are.
static int hinge_section(const flx_descriptor *d, const flx_work *w, int body, double out[6])
{
    int count = 0;
    for (int k = 0; k < 2 * d->nhinge; k++) {
        const flx_beam_hinge *h = d->hinges + k / 2;
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

// The forces of the node on the elements before it, and minus those on the elements after it, are the
// same but for what acts on the node itself: their mean is the force of the section.
void flx_elements_section(const flx_descriptor *d, const flx_work *w, int body, double out[6])
{
    for (int k = 0; k < 6; k++) out[k] = 0.0;
    int count = hinge_section(d, w, body, out);
    for (int i = 0; i < d->nelement; i++) {
        const flx_beam_exact *e = d->elements + i;
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
    for (int k = 0; k < 6 && count > 1; k++) out[k] /= count;
}
