// descriptor_eval.c - what every evaluation of the descriptor system begins with: frames of all bodies,
// computed once, inputs and values of the expressions; and the turns that angles have made.
#include "descriptor/descriptor_parts.h"
#include "math/curve/curve.h"

// ---- frames and leaves --------------------------------------------------------------------------

void flx_eval_frames(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p)
{
    flx_bodies_frames(d, w, p);
    if (d->nattached > 0) flx_attached_frames(d, w, p);
}

void flx_eval_group(const flx_descriptor *d, flx_descriptor_work *w, flx_expr_group_kind kind)
{
    const flx_expr_group *g = d->expr.group + kind;
    if (g->n == 0 || (w->known & 1u << kind)) return;
    flx_program_eval(g->program, w->leaves, w->scratch, w->out + g->out);
}

const double *flx_eval_output(const flx_descriptor *d, const flx_descriptor_work *w,
                              flx_expr_group_kind kind)
{
    return w->out + d->expr.group[kind].out;
}

// Turns as the expressions count them: what is missing between their angle on one branch and the
// continuous one.
static void fill_turns(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p)
{
    const flx_expressions *x = &d->expr;
    const double turn = 2.0 * FLX_PI;
    flx_eval_group(d, w, FLX_GROUP_TURN);
    const double *raw = flx_eval_output(d, w, FLX_GROUP_TURN);
    for (int i = 0; i < x->ninput; i++) {
        if (x->inputs[i].source != FLX_INPUT_TURN) continue;
        int k = x->inputs[i].index;
        flx_jet j;
        flx_scalar_value(d->turns + x->turn_switch[k], w->frames, p->switches, &j);
        w->leaves[i] = round((j.value - raw[k]) / turn);
    }
}

static double row_value(const flx_descriptor *d, const flx_point *p, int row)
{
    int nlam = d->base.dims.nlam;
    return row < nlam ? p->lam[row] : p->mu[row - nlam];
}

void flx_eval_leaves(const flx_descriptor_work *w, const flx_point *p, int n,
                     const flx_expr_input *inputs, double *leaves)
{
    const double *frames =
        flx_descriptor_of(w->base.system)->planar ? &w->frames.plane->c : w->frames.space->R;
    for (int i = 0; i < n; i++) {
        int k = inputs[i].index;
        switch (inputs[i].source) {
        case FLX_INPUT_TIME:
            leaves[i] = p->t;
            break;
        case FLX_INPUT_FRAME:
            leaves[i] = frames[k];
            break;
        case FLX_INPUT_Q:
            leaves[i] = p->q[k];
            break;
        case FLX_INPUT_V:
            leaves[i] = p->v[k];
            break;
        case FLX_INPUT_X:
            leaves[i] = p->x[k];
            break;
        case FLX_INPUT_W:
            leaves[i] = p->w[k];
            break;
        case FLX_INPUT_SWITCH:
            leaves[i] = p->switches[k];
            break;
        case FLX_INPUT_ROW:
            leaves[i] = row_value(flx_descriptor_of(w->base.system), p, k);
            break;
        case FLX_INPUT_DRIVE:
            leaves[i] = -row_value(flx_descriptor_of(w->base.system), p, k);
            break;
        case FLX_INPUT_READ:
            leaves[i] = w->read[k];
            break;
        case FLX_INPUT_PARAMETER:
            leaves[i] = p->param[k];
            break;
        case FLX_INPUT_ZERO:
        case FLX_INPUT_TURN:
            leaves[i] = 0.0;
            break;
        }
    }
}

const double *flx_eval_gravity(const flx_descriptor *d, const flx_point *p, double g[3])
{
    const flx_model *m = d->model;
    double factor = 1.0;
    for (int k = 0; k < m->nload; k++) {
        if (m->analyses[k].gravity) factor *= p->param[k];
    }
    if (factor == 1.0) return m->gravity;
    for (int i = 0; i < 3; i++) g[i] = factor * m->gravity[i];
    return g;
}

// The point with the velocities of attached frames.
static const flx_point *whole_point(const flx_descriptor *d, flx_descriptor_work *w,
                                    const flx_point *p)
{
    if (d->nattached == 0) return p;
    w->attached.point = *p;
    w->attached.point.v = w->attached.v;
    return &w->attached.point;
}

// Frames, leaves and motions of a point.
const flx_point *flx_eval_begin(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p)
{
    if (w->held) return whole_point(d, w, p);
    if (flx_has_bodies(d)) flx_eval_frames(d, w, p);
    if (d->expr.nreading > 0) flx_read_eval(d, w, p);
    int n = d->expr.ninput - d->expr.nhoisted;
    flx_eval_leaves(w, p, n, d->expr.inputs, w->leaves);
    if (d->expr.nhoisted > 0) {
        memcpy(w->leaves + n, p->param + d->expr.inputs[n].index,
               (size_t)d->expr.nhoisted * sizeof(double));
    }
    if (d->expr.nturn > 0) fill_turns(d, w, p);
    flx_eval_group(d, w, FLX_GROUP_TIME);
    return whole_point(d, w, p);
}

void flx_eval_hold(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p)
{
    const flx_expressions *x = &d->expr;
    flx_eval_release(w);
    (void)flx_eval_begin(d, w, p);
    if (x->motion) {
        // the three groups are neighbours
        flx_program_eval(x->motion, w->leaves, w->scratch, w->out + x->group[FLX_GROUP_VALUE].out);
        w->known = 1u << FLX_GROUP_CONSTRAINT | 1u << FLX_GROUP_BIAS;
    } else {
        flx_eval_group(d, w, FLX_GROUP_VALUE);
    }
    w->known |= 1u << FLX_GROUP_VALUE;
    w->held = true;
}

void flx_eval_release(flx_descriptor_work *w)
{
    w->held = false;
    w->known = 0;
}

void flx_eval_motions(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p)
{
    for (int i = 0; i < d->expr.ninput; i++) {
        const flx_expr_input *in = d->expr.inputs + i;
        if (in->source == FLX_INPUT_TIME) w->leaves[i] = p->t;
        if (in->source == FLX_INPUT_SWITCH) w->leaves[i] = p->switches[in->index];
        if (in->source == FLX_INPUT_PARAMETER) w->leaves[i] = p->param[in->index];
    }
    flx_eval_group(d, w, FLX_GROUP_TIME);
}

// ---- turns ---------------------------------------------------------------------------------------

bool flx_descriptor_watches(const flx_descriptor *d)
{
    return d->nturn > 0 || d->ngroup > 0 || flx_terms_watches(d) || flx_watches_count(d) > 0;
}

static void tell_end(const flx_descriptor *d, int turn, double t)
{
    int j = 0;
    while (d->switch_of_joint[j] != turn) j++;
    const flx_joint *joint = d->model->joints + j;
    flx_ctx_warn(
        d->base.ctx, joint->loc,
        "joint '%s' runs off the end of its curve at t = %.6g s and goes on straight; make "
        "the curve longer, or 'closed: true'",
        joint->name, t);
}

void flx_eval_follow(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x)
{
    if (!flx_descriptor_watches(d)) return;
    flx_point p = flx_state_point(&d->base, x);
    flx_eval_frames(d, w, &p);
    flx_terms_watch(d, w, &p);
    for (int i = 0; i < d->nturn; i++) {
        flx_jet j;
        flx_scalar_value(d->turns + i, w->frames, x->switches, &j);
        x->switches[i] = j.value;
    }
    if (d->ngroup > 0) flx_groups_accept(d, w, x);
    flx_watches_accept(d, w, x);
}

void flx_eval_accept(const flx_system *s, flx_work *work, flx_state *x)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    if (!flx_descriptor_watches(d)) return;
    flx_eval_follow(d, w, x);
    for (int i = 0; i < d->nturn; i++) {
        const flx_curve *c = d->turns[i].curve;
        bool off = c && !c->closed && (x->switches[i] < 0.0 || x->switches[i] > c->length);
        if (off && !w->told_end) tell_end(d, i, x->t);
        w->told_end = w->told_end || off;
    }
    flx_watches_remark(d, w, x);
    if (flx_passages_exist(d)) flx_passages_accept(d, w, x);
}

// An angle is on the branch next to that of the last step: a step may not turn it by half a turn, nor go round half of a
// curve. r h + a h^2/2 = most of it, with its rate r and acceleration a at the beginning of the step.
#define TURN_A_STEP 2.0
#define CURVE_A_STEP 0.25 // of its length

double flx_eval_longest_step(const flx_system *s, flx_work *work, const flx_state *x)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    double h = HUGE_VAL;
    bool given = d->model->simulate.def.step > 0.0; // then contacts are remarked on
    bool contacts = !given && flx_passages_exist(d);
    if (d->nturn == 0 && !contacts) return h;
    flx_point p = flx_state_point(s, x);
    flx_eval_frames(d, w, &p);
    if (contacts) {
        int contact;
        h = flx_watches_longest(d, w, x);
        h = fmin(h, flx_passages_longest(d, w, x, &contact));
    }
    const double *v = x->v, *acc = x->a;
    if (d->nattached > 0) {
        flx_attached_move(d, w, x->a, true, w->attached.a);
        v = w->attached.v;
        acc = w->attached.a;
    }
    for (int i = 0; i < d->nturn; i++) {
        flx_jet j;
        flx_scalar_gradient(d->turns + i, w->frames, x->switches, &j);
        double r = fabs(flx_jet_rate(d->turns + i, &j, v));
        double a = fabs(flx_jet_rate(d->turns + i, &j, acc));
        const flx_curve *c = d->turns[i].curve;
        const double far = c ? CURVE_A_STEP * c->length : TURN_A_STEP;
        double most = 2.0 * far / (r + sqrt(r * r + 2.0 * far * a));
        if (most < h) h = most;
    }
    return h;
}
