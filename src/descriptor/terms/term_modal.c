// term_modal.c - flexible bodies: where their kernels write, and what they are given; and their nodes as attached frames.
#include "body/modal_node.h"
#include "body/modal_one_sided.h"
#include "descriptor/descriptor_parts.h"

typedef struct modals {
    int n;
    flx_modal_data *of;
} modals;

// In each work: whether the user was told that one turns too fast, or bends too far for what it is; then what kernels need.
typedef struct modal_work {
    bool told_fast, told_far;
    double kernels[];
} modal_work;

static modals *modals_of(const flx_descriptor *d)
{
    return d->own[FLX_TERM_MODAL];
}

static modal_work *work_of(const flx_descriptor_work *w)
{
    return (modal_work *)(void *)w->own[FLX_TERM_MODAL];
}

const flx_modal_data *flx_modals_get(const flx_descriptor *d, int i)
{
    return modals_of(d)->of + i;
}

// ---- making -------------------------------------------------------------------------------------

static flx_status find_reach(flx_descriptor *d, flx_modal_data *b)
{
    const flx_elastic *e = b->e;
    double size = 0.0;
    b->reach = flx_arena_take(d->arena, (size_t)e->n, sizeof *b->reach);
    if (!b->reach) return FLX_ERR_MEMORY;
    for (int i = 1; i < e->nnode; i++) {
        size = fmax(size, v3_norm(v3_sub(v3_load(e->nodes[i].at), v3_load(e->nodes[0].at))));
    }
    for (int i = 0; i < e->nnode && size > 0; i++) {
        for (int k = 0; k < e->n; k++) {
            double far = v3_norm(v3_load(e->nodes[i].phi + 3 * k)) / size;
            b->reach[k] = fmax(b->reach[k], far);
        }
    }
    return FLX_OK;
}

static flx_status plan(flx_descriptor *d)
{
    const flx_model *m = d->model;
    if (m->nmodal == 0) return FLX_OK;
    modals *own = flx_arena_take(d->arena, 1, sizeof *own);
    if (!own) return FLX_ERR_MEMORY;
    own->of = flx_arena_take(d->arena, (size_t)m->nmodal, sizeof *own->of);
    if (!own->of) return FLX_ERR_MEMORY;
    d->own[FLX_TERM_MODAL] = own;
    for (; own->n < m->nmodal; own->n++) {
        const flx_modal *from = m->modals + own->n;
        flx_modal_data *b = own->of + own->n;
        *b = (flx_modal_data){.e = from->e,
                              .frame = from->body + 1,
                              .v = d->body_v[from->body],
                              .q = d->variable_q + from->first,
                              .u = d->variable_v + from->first};
        FLX_TRY(find_reach(d, b));
    }
    return FLX_OK;
}

static flx_status couple(flx_descriptor *d)
{
    for (int i = 0; i < modals_of(d)->n; i++) {
        const flx_modal_data *b = modals_of(d)->of + i;
        FLX_TRY(flx_layout_couple(d, d->block_of[b->v], d->block_of[b->u]));
    }
    return FLX_OK;
}

static flx_status fill(flx_descriptor *d)
{
    for (int i = 0; i < modals_of(d)->n; i++) {
        flx_modal_data *b = modals_of(d)->of + i;
        const int first[2] = {b->v, b->u};
        for (int k = 0; k < 4; k++) {
            b->at[k / 2][k % 2] = flx_layout_slot(d, first[k / 2], first[k % 2]);
        }
        // says all that FLX_READS_FORCES does, and more
        if (b->e->one_sided) d->base.reads_multipliers = FLX_READS_INERTIA;
    }
    return FLX_OK;
}

static void mark(flx_descriptor *d)
{
    for (int i = 0; i < modals_of(d)->n; i++) {
        const flx_modal_data *b = modals_of(d)->of + i;
        for (int k = 0; k < 4; k++) flx_layout_mark(d, b->at[k / 2][k % 2], 6);
    }
}

static size_t scratch(const flx_descriptor *d)
{
    size_t most = 0;
    for (int i = 0; i < modals_of(d)->n; i++) {
        const flx_elastic *e = modals_of(d)->of[i].e;
        size_t own = FLX_MODAL_SCRATCH((size_t)e->n, (size_t)e->ngrain); // more than a node's
        if (own > most) most = own;
    }
    return sizeof(modal_work) / sizeof(double) + most;
}

// ---- evaluation ---------------------------------------------------------------------------------

static flx_modal_point point_of(const flx_descriptor *d, const flx_descriptor_work *w,
                                const flx_point *p)
{
    return (flx_modal_point){.q = p->q,
                             .v = p->v,
                             .a = p->a,
                             .g = flx_eval_gravity(d, p, w->gravity),
                             .scratch = work_of(w)->kernels};
}

// Without stiffening a body of the frequency f that turns with the speed w has f^2 - w^2 instead of
// about f^2 + w^2: a tenth is wrong at this part of f.
#define FAST 0.3
// Modes are those of small deformations: a bow of this part of the length is off its true shape by a tenth of
// itself.
#define FAR 0.3

static bool watch_speed(const flx_descriptor *d, const flx_descriptor_work *w, int i)
{
    const flx_modal_data *b = modals_of(d)->of + i;
    if (b->e->stiffened) return false;
    double speed = d->planar ? fabs(w->frames.plane[b->frame].w)
                             : v3_norm(v3_load(w->frames.space[b->frame].w));
    double lowest = flx_elastic_lowest(b->e);
    if (!(speed > FAST * lowest)) return false;
    const flx_modal *m = d->model->modals + i;
    flx_ctx_warn(d->base.ctx, m->loc,
                 "'%s' rotates at %.3g rad/s, and its lowest frequency is %.3g rad/s: without "
                 "geometric stiffening it softens where a real body stiffens, and may run "
                 "away; give it 'stiffening: true', or data that contain it",
                 d->model->bodies[m->body].name, speed, lowest);
    return true;
}

static bool watch_bending(const flx_descriptor *d, int i, const double *q)
{
    const flx_modal_data *b = modals_of(d)->of + i;
    double most = 0.0;
    for (int k = 0; k < b->e->n; k++) most = fmax(most, b->reach[k] * fabs(q[b->q + k]));
    if (!(most > FAR)) return false;
    const flx_modal *m = d->model->modals + i;
    flx_ctx_warn(d->base.ctx, m->loc,
                 "'%s' bends by %.2g of its size: its modes are those of small deformations; cut "
                 "it into several bodies, or use 'type: beam'",
                 d->model->bodies[m->body].name, most);
    return true;
}

static void watch(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p)
{
    modal_work *k = work_of(w);
    for (int i = 0; i < modals_of(d)->n; i++) {
        if (!k->told_fast) k->told_fast = watch_speed(d, w, i);
        if (!k->told_far) k->told_far = watch_bending(d, i, p->q);
    }
}

static void residual(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, double *r)
{
    const modals *own = modals_of(d);
    flx_modal_point at = point_of(d, w, p);
    if (d->planar) {
        flx_modal2_residual(own->n, own->of, w->frames.plane, &at, r);
    } else {
        flx_modal_residual(own->n, own->of, w->frames.space, &at, r);
    }
}

static void linearise(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      flx_blocks *b)
{
    const modals *own = modals_of(d);
    flx_modal_point at = point_of(d, w, p);
    if (d->planar) {
        flx_modal2_linearise(own->n, own->of, w->frames.plane, &at, b->A0, b->A1, b->A2);
    } else {
        flx_modal_linearise(own->n, own->of, w->frames.space, &at, b->A0, b->A1, b->A2);
    }
}

static void masses(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, double *A2)
{
    const modals *own = modals_of(d);
    flx_modal_point at = point_of(d, w, p);
    if (d->planar) {
        flx_modal2_linearise(own->n, own->of, w->frames.plane, &at, NULL, NULL, A2);
    } else {
        flx_modal_linearise(own->n, own->of, w->frames.space, &at, NULL, NULL, A2);
    }
}

static void energy(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                   flx_energies *e)
{
    const modals *own = modals_of(d);
    flx_modal_point at = point_of(d, w, p);
    if (d->planar) {
        flx_modal2_energy(own->n, own->of, w->frames.plane, &at, e);
    } else {
        flx_modal_energy(own->n, own->of, w->frames.space, &at, e);
    }
}

static void momentum(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                     double *Mv)
{
    const modals *own = modals_of(d);
    flx_modal_point at = point_of(d, w, p);
    if (d->planar) {
        flx_modal2_momentum(own->n, own->of, w->frames.plane, &at, Mv);
    } else {
        flx_modal_momentum(own->n, own->of, w->frames.space, &at, Mv);
    }
}

static void transport(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      double *out)
{
    const modals *own = modals_of(d);
    p = flx_eval_begin(d, w, p);
    flx_modal_point at = point_of(d, w, p);
    if (d->planar) {
        flx_modal2_transport(own->n, own->of, w->frames.plane, &at, out);
    } else {
        flx_modal_transport(own->n, own->of, w->frames.space, &at, out);
    }
}

// ---- nodes --------------------------------------------------------------------------------------

static void place_node(const flx_attached_data *f, const flx_descriptor_work *w, const flx_point *p,
                       double *J, double *bias)
{
    flx_modal_point at = point_of(flx_descriptor_of(w->base.system), w, p);
    const flx_modal_data *b = f->of;
    if (flx_descriptor_of(w->base.system)->planar) {
        flx_frame2 *all = w->frames.plane;
        flx_modal_node2_place(b, f->part, all + b->frame, &at, all + f->frame, J, bias);
    } else {
        flx_frame *all = w->frames.space;
        flx_modal_node_place(b, f->part, all + b->frame, &at, all + f->frame, J, bias);
    }
}

static m33 about_z(const flx_frame2 *f)
{
    return (m33){{f->c, -f->s, 0, f->s, f->c, 0, 0, 0, 1}};
}

static flx_pushed_node pushed_node(const flx_attached_data *f, const flx_descriptor_work *w,
                                   const flx_point *p)
{
    const flx_modal_data *b = f->of;
    flx_pushed_node x = {.node = f->part, .n = b->e->n, .nf = f->nv, .q = p->q + b->q};
    if (flx_descriptor_of(w->base.system)->planar) {
        x.R = about_z(w->frames.plane + b->frame);
        x.own = about_z(w->frames.plane + f->frame);
    } else {
        x.R = m33_load(w->frames.space[b->frame].R);
        x.own = m33_load(w->frames.space[f->frame].R);
    }
    return x;
}

static void push_node(const flx_attached_data *f, const flx_descriptor_work *w, const flx_point *p,
                      double *J)
{
    flx_pushed_node x = pushed_node(f, w, p);
    flx_pushed_node_add(&x, J);
}

static void node_tangent(const flx_attached_data *f, const flx_descriptor_work *w,
                         const flx_point *p, const double *wrench, double *Jv, double *K)
{
    flx_modal_point at = point_of(flx_descriptor_of(w->base.system), w, p);
    const flx_modal_data *b = f->of;
    const flx_modal_node_slopes out = {.wrench = wrench, .Jv = Jv, .K = K};
    if (flx_descriptor_of(w->base.system)->planar) {
        flx_modal_node2_tangent(b, f->part, w->frames.plane + b->frame, &at, &out);
    } else {
        flx_modal_node_tangent(b, f->part, w->frames.space + b->frame, &at, &out);
    }
    if (!f->kind->push) return;
    flx_pushed_node x = pushed_node(f, w, p);
    flx_pushed_node_tangent(&x, w->attached.J + f->at, wrench, K);
}

static void node_slope(const flx_attached_data *f, const flx_descriptor_work *w, const flx_point *p,
                       const double *theta, double *dv, double *da)
{
    flx_modal_point at = point_of(flx_descriptor_of(w->base.system), w, p);
    const flx_modal_data *b = f->of;
    if (flx_descriptor_of(w->base.system)->planar) {
        flx_modal_node2_slope(b, f->part, w->frames.plane + b->frame, &at, theta, dv, da);
    } else {
        flx_modal_node_slope(b, f->part, w->frames.space + b->frame, &at, theta, dv, da);
    }
}

void flx_modals_attached(const flx_descriptor *d, int i, flx_attached_data *f)
{
    static const flx_attached_kind node = {
        .place = place_node, .tangent = node_tangent, .slope = node_slope};
    static const flx_attached_kind pushed = {
        .place = place_node, .tangent = node_tangent, .slope = node_slope, .push = push_node};
    const flx_attached *from = d->model->attached + i;
    int k = 0;
    while (d->model->modals[k].body != from->carrier) k++;
    const flx_modal_data *b = modals_of(d)->of + k;
    const flx_elastic_node *part = b->e->nodes + from->node;
    f->kind = part->push || part->twist ? &pushed : &node;
    f->of = b;
    f->part = part;
    f->nmaster = 2;
    f->first[0] = b->v;
    f->first[1] = b->u;
    f->column[1] = f->nv;
    f->column[2] = f->width = f->nv + b->e->n;
}

const flx_term flx_term_modal = {
    .plan = plan,
    .couple = couple,
    .fill = fill,
    .mark = mark,
    .scratch = scratch,
    .residual = residual,
    .linearise = linearise,
    .masses = masses,
    .energy = energy,
    .placed = true,
    .momentum = momentum,
    .transport = transport,
    .watch = watch,
};
