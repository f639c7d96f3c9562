// descriptor_eval.c - residual, tangent, bonds and energies of the descriptor system. Frames of all
// bodies are computed once an evaluation; then one loop a kind of item.
#include "system/descriptor_parts.h"

// ---- frames and leaves --------------------------------------------------------------------------

void flx_eval_frames(const flx_descriptor *d, flx_work *w, const flx_point *p)
{
    if (d->planar) {
        flx_rigid2_frames(d->nkind[FLX_BODY_KIND_RIGID2], d->kind[FLX_BODY_KIND_RIGID2], p->q, p->v,
                          w->frames);
        flx_point2_frames(d->nkind[FLX_BODY_KIND_POINT2], d->kind[FLX_BODY_KIND_POINT2], p->q, p->v,
                          w->frames);
    } else {
        flx_rigid_frames(d->nkind[FLX_BODY_KIND_RIGID], d->kind[FLX_BODY_KIND_RIGID], p->q, p->v,
                         w->frames);
        flx_point_frames(d->nkind[FLX_BODY_KIND_POINT], d->kind[FLX_BODY_KIND_POINT], p->q, p->v,
                         w->frames);
    }
}

void flx_eval_group(const flx_descriptor *d, flx_work *w, flx_group_kind kind)
{
    const flx_group *g = d->expr.group + kind;
    if (g->n == 0 || (w->known & 1u << kind)) return;
    flx_program_eval(g->program, w->leaves, w->scratch, w->out + g->out);
}

const double *flx_eval_output(const flx_descriptor *d, const flx_work *w, flx_group_kind kind)
{
    return w->out + d->expr.group[kind].out;
}

// Turns as the expressions count them: what is missing between their angle on one branch and the
// continuous one.
static void fill_turns(const flx_descriptor *d, flx_work *w, const flx_point *p)
{
    const flx_expressions *x = &d->expr;
    const double turn = 2.0 * 3.14159265358979323846;
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

void flx_eval_leaves(const flx_work *w, const flx_point *p, int n, const flx_input *inputs,
                     double *leaves)
{
    const double *frames = w->d->planar ? &w->frames.plane->c : w->frames.space->R;
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
            leaves[i] = row_value(w->d, p, k);
            break;
        case FLX_INPUT_DRIVE:
            leaves[i] = -row_value(w->d, p, k);
            break;
        case FLX_INPUT_READ:
            leaves[i] = w->read[k];
            break;
        case FLX_INPUT_ZERO:
        case FLX_INPUT_TURN:
            leaves[i] = 0.0;
            break;
        }
    }
}

// Without bodies there are equations alone: no joints, no forces between bodies.
static bool has_bodies(const flx_descriptor *d)
{
    return d->variable_v > 0;
}

// Frames, leaves and motions of a point.
void flx_eval_begin(const flx_descriptor *d, flx_work *w, const flx_point *p)
{
    if (w->held) return;
    if (has_bodies(d)) flx_eval_frames(d, w, p);
    if (d->expr.nreading > 0) flx_read_eval(d, w, p);
    flx_eval_leaves(w, p, d->expr.ninput, d->expr.inputs, w->leaves);
    if (d->expr.nturn > 0) fill_turns(d, w, p);
    flx_eval_group(d, w, FLX_GROUP_TIME);
}

void flx_eval_hold(const flx_descriptor *d, flx_work *w, const flx_point *p)
{
    const flx_expressions *x = &d->expr;
    flx_eval_release(w);
    flx_eval_begin(d, w, p);
    if (x->motion) {
        // the three groups are neighbours
        flx_program_eval(x->motion, w->leaves, w->scratch, w->out + x->group[FLX_GROUP_VALUE].out);
        w->known = 1u << FLX_GROUP_BOND | 1u << FLX_GROUP_BIAS;
    } else {
        flx_eval_group(d, w, FLX_GROUP_VALUE);
    }
    w->known |= 1u << FLX_GROUP_VALUE;
    w->held = true;
}

void flx_eval_release(flx_work *w)
{
    w->held = false;
    w->known = 0;
}

void flx_eval_motions(const flx_descriptor *d, flx_work *w, const flx_point *p)
{
    for (int i = 0; i < d->expr.ninput; i++) {
        const flx_input *in = d->expr.inputs + i;
        if (in->source == FLX_INPUT_TIME) w->leaves[i] = p->t;
        if (in->source == FLX_INPUT_SWITCH) w->leaves[i] = p->switches[in->index];
    }
    flx_eval_group(d, w, FLX_GROUP_TIME);
}

// Motion of a row: value, first and second derivative; zero where it has none.
static double motion(const flx_descriptor *d, const flx_work *w, const flx_scalar_row *r, int order)
{
    return r->motion < 0 ? 0.0 : flx_eval_output(d, w, FLX_GROUP_TIME)[3 * r->motion + order];
}

// ---- residual -----------------------------------------------------------------------------------

static void bodies_residual(const flx_descriptor *d, const flx_point *p, double *r)
{
    const double *g = d->model->gravity;
#define X(NAME, name, nq, nv)                                                                      \
    flx_##name##_residual(d->nkind[FLX_BODY_KIND_##NAME], d->kind[FLX_BODY_KIND_##NAME], g, p->v,  \
                          p->a, r);
    FLX_BODY_KINDS(X)
#undef X
}

static void rows_residual(const flx_descriptor *d, flx_work *w, const flx_point *p, double *r)
{
    double *g = r + flx_first_lam(d);
    for (int i = 0; i < d->nscalar; i++) {
        const flx_scalar_row *s = d->scalars + i;
        double value = -motion(d, w, s, 0) - s->constant, rate = -motion(d, w, s, 1);
        double l = p->lam[s->row];
        flx_jet j;
        for (int t = 0; t < s->nterm; t++) {
            double c = s->coefficient[t];
            flx_scalar_gradient(s->term + t, w->frames, p->switches, &j);
            value += c * j.value;
            if (s->tau != 0) rate += c * flx_jet_rate(s->term + t, &j, p->v);
            flx_jet_add_force(s->term + t, &j, c * l, r);
        }
        g[s->row] = s->sigma * value + s->tau * rate - s->C * l;
    }
}

static void vrows_residual(const flx_descriptor *d, flx_work *w, const flx_point *p, double *r)
{
    for (int i = 0; i < d->nvscalar; i++) {
        const flx_scalar_row *s = d->vscalars + i;
        double rate = -motion(d, w, s, 0) - s->constant;
        flx_jet j;
        for (int t = 0; t < s->nterm; t++) {
            double c = s->coefficient[t];
            flx_scalar_gradient(s->term + t, w->frames, p->switches, &j);
            rate += c * flx_jet_rate(s->term + t, &j, p->v);
            flx_jet_add_force(s->term + t, &j, c * p->mu[s->row], r);
        }
        r[flx_first_mu(d) + s->row] = rate;
    }
}

// ---- expressions: residual ----------------------------------------------------------------------

// Force and torque at the place of body `side`, turned into its rows.
static void wrench_on_body(const flx_descriptor *d, const flx_work *w, const flx_expr_wrench *e,
                           int side, const double F[6], double rows[6])
{
    const double *s = e->s[side];
    int frame = e->e.frame[side];
    if (d->planar) {
        const flx_frame2 *f = w->frames.plane + frame;
        double x = f->c * s[0] - f->s * s[1], y = f->s * s[0] + f->c * s[1];
        rows[0] = F[0], rows[1] = F[1], rows[2] = F[5] + x * F[1] - y * F[0];
        rows[3] = rows[4] = rows[5] = 0.0; // a body in the plane has three
        return;
    }
    m33 R = m33_load(w->frames.space[frame].R);
    v3 f = v3_load(F), t = m33_tmul_v(R, v3_load(F + 3));
    v3_store(rows, f);
    v3_store(rows + 3, v3_add(t, v3_cross(v3_load(s), m33_tmul_v(R, f))));
}

static void wrench_value(const flx_expr_wrench *e, const flx_channel *channels,
                         const double *values, double F[6])
{
    for (int k = 0; k < 6; k++) {
        F[k] = e->channel[k] < 0 ? 0.0 : values[channels[e->channel[k]].value];
    }
}

static void expressions_residual(const flx_descriptor *d, flx_work *w, const flx_point *p,
                                 double *r)
{
    const flx_expressions *x = &d->expr;
    flx_eval_group(d, w, FLX_GROUP_VALUE);
    const double *value = flx_eval_output(d, w, FLX_GROUP_VALUE);
    for (int i = 0; i < x->nrow; i++) {
        const flx_expr_row *e = x->rows + i;
        double factor = e->acceleration < 0 ? e->sign : e->sign * p->a[e->acceleration];
        r[e->row] += factor * value[x->channels[e->channel].value];
    }
    for (int i = 0; i < x->nwrench; i++) {
        const flx_expr_wrench *e = x->wrenches + i;
        double F[6], rows[6];
        wrench_value(e, x->channels, value, F);
        for (int side = 0; side < 2; side++) {
            if (e->e.nv[side] == 0) continue;
            wrench_on_body(d, w, e, side, F, rows);
            double sign = side ? -1.0 : 1.0;
            for (int k = 0; k < e->e.nv[side]; k++) r[e->e.v[side] + k] += sign * rows[k];
        }
    }
    for (int i = 0; i < x->neffort; i++) {
        const flx_expr_effort *e = x->efforts + i;
        flx_jet j;
        flx_scalar_gradient(&e->s, w->frames, p->switches, &j);
        flx_jet_add_force(&e->s, &j, e->sign * value[x->channels[e->channel].value], r);
    }
}

static void constraints_residual(const flx_descriptor *d, flx_work *w, const flx_point *p,
                                 double *r)
{
    flx_eval_group(d, w, FLX_GROUP_BOND);
    for (int i = 0; i < d->expr.nbond; i++) {
        const flx_expr_bond *b = d->expr.bonds + i;
        const double *out = flx_eval_output(d, w, FLX_GROUP_BOND) + b->out;
        double l = b->velocity ? p->mu[b->row] : p->lam[b->row];
        r[(b->velocity ? flx_first_mu(d) : flx_first_lam(d)) + b->row] = out[0] - b->C * l;
        for (int k = 0; k < b->ndep; k++) r[b->unknown[k]] += l * out[1 + k];
    }
}

// Bodies, and forces that need no expression.
static void passive_residual(const flx_descriptor *d, flx_work *w, const flx_point *p, double *r)
{
    for (int i = d->variable_v; i < d->base.dims.nv; i++) r[i] = 0.0;
    if (!has_bodies(d)) return;
    bodies_residual(d, p, r);
    flx_spring_residual(d->nspring, d->springs, w->frames, p->switches, p->v, r);
    flx_twist_residual(d->ntwist, d->twists, w->frames.space, r);
    flx_attraction_residual(d->nattraction, d->attractions, w->frames, r);
}

void flx_eval_momentum(const flx_descriptor *d, flx_work *w, const flx_point *p, double *Mv)
{
    const flx_expressions *x = &d->expr;
    const double none[3] = {0, 0, 0};
    for (int i = d->variable_v; i < d->base.dims.nv; i++) Mv[i] = 0.0;
        // the residual of bodies at a = v, at rest and without weight
#define X(NAME, name, nq, nv)                                                                      \
    flx_##name##_residual(d->nkind[FLX_BODY_KIND_##NAME], d->kind[FLX_BODY_KIND_##NAME], none,     \
                          w->zero, p->v, Mv);
    FLX_BODY_KINDS(X)
#undef X
    if (x->nchannel == 0) return;
    flx_eval_begin(d, w, p);
    flx_eval_group(d, w, FLX_GROUP_VALUE);
    const double *value = flx_eval_output(d, w, FLX_GROUP_VALUE);
    for (int i = 0; i < x->nrow; i++) {
        const flx_expr_row *r = x->rows + i;
        if (r->acceleration < 0) continue;
        Mv[r->row] += value[x->channels[r->channel].value] * p->v[r->acceleration];
    }
}

void flx_eval_mass_rate(const flx_descriptor *d, flx_work *w, const flx_point *p, double *out)
{
    const flx_expressions *x = &d->expr;
    bool begun = false;
    for (int i = 0; i < x->nrow; i++) {
        const flx_expr_row *r = x->rows + i;
        if (r->mass_rate < 0) continue;
        if (!begun) {
            flx_eval_begin(d, w, p);
            flx_eval_group(d, w, FLX_GROUP_RATE);
            begun = true;
        }
        out[r->row] += flx_eval_output(d, w, FLX_GROUP_RATE)[r->mass_rate] * p->v[r->acceleration];
    }
}

// Rows of joints, and their forces.
static void joints_residual(const flx_descriptor *d, flx_work *w, const flx_point *p, double *r)
{
    if (!has_bodies(d)) return;
    double *g = r + flx_first_lam(d);
    if (d->planar) {
        flx_row_point2_residual(d->npoint, d->points, w->frames.plane, p->lam, g, r);
    } else {
        flx_row_point_residual(d->npoint, d->points, w->frames.space, p->lam, g, r);
        flx_row_axis_residual(d->naxis, d->axes, w->frames.space, p->lam, g, r);
    }
    rows_residual(d, w, p, r);
    vrows_residual(d, w, p, r);
}

void flx_eval_bonds(const flx_descriptor *d, flx_work *w, const flx_point *p, double *r)
{
    flx_eval_begin(d, w, p);
    joints_residual(d, w, p, r);
    if (d->expr.nbond > 0) constraints_residual(d, w, p, r);
}

flx_status flx_eval_residual(const flx_system *s, flx_work *w, const flx_point *p, double *r)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    const flx_dims *n = &s->dims;
    flx_eval_begin(d, w, p);
    for (int i = 0; i < n->nx; i++) r[n->nv + i] = p->dx[i];
    for (int i = 0; i < n->nw; i++) r[n->nv + n->nx + i] = 0.0;
    passive_residual(d, w, p, r);
    joints_residual(d, w, p, r);
    if (d->expr.nchannel > 0) expressions_residual(d, w, p, r);
    if (d->expr.nbond > 0) constraints_residual(d, w, p, r);
    return FLX_OK;
}

// ---- tangent ------------------------------------------------------------------------------------

static void scalars_linearise(const flx_descriptor *d, flx_work *w, const flx_point *p, double *A0,
                              double *A1)
{
    for (int i = 0; i < d->nscalar; i++) {
        const flx_scalar_row *s = d->scalars + i;
        flx_jet j;
        double h[2][6];
        for (int t = 0; t < s->nterm; t++) {
            const flx_scalar *f = s->term + t;
            double c = s->coefficient[t];
            flx_scalar_jet(f, w->frames, p->switches, &j);
            flx_scalar_add_row(f, s->place + t, s->sigma * c, j.g, A0);
            flx_scalar_add_column(f, s->place + t, c, j.g, A0);
            flx_jet_add_stiffness(f, &j, c * p->lam[s->row], A0);
            if (s->tau == 0) continue;
            flx_jet_rate_gradient(f, &j, p->v, h);
            flx_scalar_add_row(f, s->place + t, s->tau * c, h, A0);
            flx_scalar_add_row(f, s->place + t, s->tau * c, j.g, A1);
        }
        A0[s->diag] -= s->C;
    }
    for (int i = 0; i < d->nvscalar; i++) {
        const flx_scalar_row *s = d->vscalars + i;
        flx_jet j;
        double h[2][6];
        for (int t = 0; t < s->nterm; t++) {
            const flx_scalar *f = s->term + t;
            double c = s->coefficient[t];
            flx_scalar_jet(f, w->frames, p->switches, &j);
            flx_jet_rate_gradient(f, &j, p->v, h);
            flx_scalar_add_row(f, s->place + t, c, j.g, A1);
            flx_scalar_add_row(f, s->place + t, c, h, A0);
            flx_scalar_add_column(f, s->place + t, c, j.g, A0);
            flx_jet_add_stiffness(f, &j, c * p->mu[s->row], A0);
        }
    }
}

// The column of `rows` scaled by the derivatives of a channel.
static void add_columns(const flx_expressions *x, const flx_work *w, int channel, const int *slot,
                        const double *slopes, int n, const double *rows, double scale, double *A0,
                        double *A1)
{
    const flx_channel *c = x->channels + channel;
    for (int i = c->dep; i < c->dep + c->ndep; i++) {
        const flx_dep *dep = x->deps + i;
        if (dep->reading >= 0) {
            const flx_reading *r = x->readings + dep->reading;
            const double *by = w->read + r->value + 6 + dep->component;
            for (int u = 0; u < r->n; u++) {
                double *A = A0 + *slot++, f = scale * slopes[i] * by[6 * u];
                for (int k = 0; k < n; k++) A[r->width[u] * k] += f * rows[k];
            }
            continue;
        }
        double *A = (dep->rate ? A1 : A0) + *slot++, f = scale * dep->factor * slopes[i];
        for (int k = 0; k < n; k++) A[dep->width * k] += f * rows[k];
    }
}

// Rotation of the rows with the body, force and torque fixed in ground axes:
// d(R^T t + s x R^T f) = ((R^T t)~ + s~ (R^T f)~) theta.
static void wrench_stiffness(const flx_descriptor *d, const flx_work *w, const flx_expr_wrench *e,
                             int side, const double F[6], double *A0)
{
    double sign = side ? -1.0 : 1.0;
    double *out = A0 + e->e.block[side][side];
    const double *s = e->s[side];
    if (d->planar) {
        const flx_frame2 *f = w->frames.plane + e->e.frame[side];
        if (e->e.nv[side] != 3) return;
        double x = f->c * s[0] - f->s * s[1], y = f->s * s[0] + f->c * s[1];
        out[8] -= sign * (x * F[0] + y * F[1]);
        return;
    }
    if (e->e.nv[side] != 6) return;
    m33 R = m33_load(w->frames.space[e->e.frame[side]].R);
    v3 f = m33_tmul_v(R, v3_load(F)), t = m33_tmul_v(R, v3_load(F + 3));
    m33 K = m33_add(m33_skew(t), m33_mul(m33_skew(v3_load(s)), m33_skew(f)));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) out[6 * (3 + i) + 3 + j] += sign * K.m[3 * i + j];
    }
}

static void wrench_linearise(const flx_descriptor *d, const flx_work *w, const flx_expr_wrench *e,
                             const double *value, const double *slope, double *A0, double *A1)
{
    const flx_expressions *x = &d->expr;
    double F[6];
    wrench_value(e, x->channels, value, F);
    for (int side = 0; side < 2; side++) {
        if (e->e.nv[side] == 0) continue;
        wrench_stiffness(d, w, e, side, F, A0);
        for (int k = 0; k < 6; k++) {
            if (e->channel[k] < 0) continue;
            double unit[6] = {0}, rows[6];
            unit[k] = 1.0;
            wrench_on_body(d, w, e, side, unit, rows);
            add_columns(x, w, e->channel[k], e->slot[k][side], slope, e->e.nv[side], rows,
                        side ? -1.0 : 1.0, A0, A1);
        }
    }
}

static void expressions_linearise(const flx_descriptor *d, flx_work *w, const flx_point *p,
                                  flx_blocks *b)
{
    const flx_expressions *x = &d->expr;
    flx_eval_group(d, w, FLX_GROUP_VALUE);
    flx_eval_group(d, w, FLX_GROUP_SLOPE);
    const double *value = flx_eval_output(d, w, FLX_GROUP_VALUE),
                 *slope = flx_eval_output(d, w, FLX_GROUP_SLOPE);
    const double one = 1.0;
    if (x->nreading > 0) flx_read_linearise(d, w, p);
    for (int i = 0; i < x->nrow; i++) {
        const flx_expr_row *e = x->rows + i;
        double factor = e->acceleration < 0 ? e->sign : e->sign * p->a[e->acceleration];
        if (e->mass >= 0) b->A2[e->mass] += e->sign * value[x->channels[e->channel].value];
        add_columns(x, w, e->channel, e->slot, slope, 1, &one, factor, b->A0, b->A1);
    }
    for (int i = 0; i < x->nwrench; i++) {
        wrench_linearise(d, w, x->wrenches + i, value, slope, b->A0, b->A1);
    }
    for (int i = 0; i < x->neffort; i++) {
        const flx_expr_effort *e = x->efforts + i;
        flx_jet j;
        flx_scalar_jet(&e->s, w->frames, p->switches, &j);
        flx_jet_add_stiffness(&e->s, &j, e->sign * value[x->channels[e->channel].value], b->A0);
        for (int side = 0; side < 2; side++) {
            if (e->s.e.nv[side] == 0) continue;
            add_columns(x, w, e->channel, e->slot[side], slope, e->s.e.nv[side], j.g[side], e->sign,
                        b->A0, b->A1);
        }
    }
}

static void constraints_linearise(const flx_descriptor *d, flx_work *w, const flx_point *p,
                                  double *A0, double *A1)
{
    flx_eval_group(d, w, FLX_GROUP_BOND);
    flx_eval_group(d, w, FLX_GROUP_CURVE);
    const double *curve = flx_eval_output(d, w, FLX_GROUP_CURVE);
    for (int i = 0; i < d->expr.nbond; i++) {
        const flx_expr_bond *b = d->expr.bonds + i;
        const double *grad = flx_eval_output(d, w, FLX_GROUP_BOND) + b->out + 1;
        double l = b->velocity ? p->mu[b->row] : p->lam[b->row];
        for (int k = 0; k < b->ndep; k++) {
            (b->velocity ? A1 : A0)[b->g[k]] += grad[k];
            A0[b->gt[k]] += grad[k];
        }
        A0[b->diag] -= b->C;
        for (int k = 0; k < b->ncurve; k++) A0[b->curve_slot[k]] += l * curve[b->curve + k];
        for (int k = 0; k < b->nslope; k++) A0[b->slope_slot[k]] += curve[b->slope + k];
    }
}

// Coincidences and axes of a few joints at a time, while their blocks are in the cache: both arrays
// follow the order of the joints.
static void points_linearise(const flx_descriptor *d, const flx_work *w, const double *lam,
                             double *A0)
{
    enum { CHUNK = 64 };
    int most = d->npoint > d->naxis ? d->npoint : d->naxis;
    for (int k = 0; k < most; k += CHUNK) {
        int np = d->npoint - k < CHUNK ? d->npoint - k : CHUNK;
        int na = d->naxis - k < CHUNK ? d->naxis - k : CHUNK;
        if (d->planar) {
            flx_row_point2_jacobian(np, d->points + k, w->frames.plane, A0);
            flx_row_point2_stiffness(np, d->points + k, w->frames.plane, lam, A0);
            continue;
        }
        if (np > 0) {
            flx_row_point_jacobian(np, d->points + k, w->frames.space, A0);
            flx_row_point_stiffness(np, d->points + k, w->frames.space, lam, A0);
        }
        if (na > 0) {
            flx_row_axis_jacobian(na, d->axes + k, w->frames.space, A0);
            flx_row_axis_stiffness(na, d->axes + k, w->frames.space, lam, A0);
        }
    }
}

static void clear(const flx_descriptor *d, double *A0, double *A1, double *A2)
{
    double *const A[3] = {A1, A2, A0};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < d->touched[k].n && A[k]; i++) {
            memset(A[k] + d->touched[k].at[i], 0, (size_t)d->touched[k].count[i] * sizeof(double));
        }
    }
}

static void bodies_linearise(const flx_descriptor *d, const flx_point *p, double *A1, double *A2)
{
#define X(NAME, name, nq, nv)                                                                      \
    flx_##name##_linearise(d->nkind[FLX_BODY_KIND_##NAME], d->kind[FLX_BODY_KIND_##NAME], p->v,    \
                           A1, A2);
    FLX_BODY_KINDS(X)
#undef X
}

flx_status flx_eval_linearise(const flx_system *s, flx_work *w, const flx_point *p, flx_blocks *b)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    flx_eval_begin(d, w, p);
    clear(d, b->A0, b->A1, b->A2);
    bodies_linearise(d, p, b->A1, b->A2);
    for (int i = 0; i < s->dims.nx; i++) {
        int u = flx_first_x(d) + i;
        b->A1[flx_layout_slot(d, u, u)] += 1.0;
    }
    points_linearise(d, w, p->lam, b->A0);
    scalars_linearise(d, w, p, b->A0, b->A1);
    flx_spring_linearise(d->nspring, d->springs, w->frames, p->switches, p->v, b->A0, b->A1);
    flx_twist_linearise(d->ntwist, d->twists, w->frames.space, b->A0, b->A1);
    flx_attraction_linearise(d->nattraction, d->attractions, w->frames, b->A0);
    if (d->expr.nchannel > 0) expressions_linearise(d, w, p, b);
    if (d->expr.nbond > 0) constraints_linearise(d, w, p, b->A0, b->A1);
    return FLX_OK;
}

static void scalar_rows_jacobian(const flx_work *w, const flx_point *p, int n,
                                 const flx_scalar_row *rows, double *A)
{
    for (int i = 0; i < n; i++) {
        const flx_scalar_row *s = rows + i;
        flx_jet j;
        if (s->C > 0) continue;
        for (int t = 0; t < s->nterm; t++) {
            flx_scalar_gradient(s->term + t, w->frames, p->switches, &j);
            flx_scalar_add_row(s->term + t, s->place + t, s->coefficient[t], j.g, A);
            flx_scalar_add_column(s->term + t, s->place + t, s->coefficient[t], j.g, A);
        }
    }
}

void flx_eval_saddle(const flx_descriptor *d, flx_work *w, const flx_point *p, double *A0,
                     double *A2)
{
    const flx_expressions *x = &d->expr;
    flx_eval_begin(d, w, p);
    clear(d, A0, NULL, A2);
    bodies_linearise(d, p, NULL, A2);
    if (d->planar) {
        flx_row_point2_jacobian(d->npoint, d->points, w->frames.plane, A0);
    } else {
        flx_row_point_jacobian(d->npoint, d->points, w->frames.space, A0);
        flx_row_axis_jacobian(d->naxis, d->axes, w->frames.space, A0);
    }
    scalar_rows_jacobian(w, p, d->nscalar, d->scalars, A0);
    scalar_rows_jacobian(w, p, d->nvscalar, d->vscalars, A0);
    flx_eval_group(d, w, FLX_GROUP_VALUE);
    for (int i = 0; i < x->nrow; i++) {
        const flx_expr_row *e = x->rows + i;
        if (e->mass < 0) continue;
        A2[e->mass] += flx_eval_output(d, w, FLX_GROUP_VALUE)[x->channels[e->channel].value];
    }
    flx_eval_group(d, w, FLX_GROUP_BOND);
    for (int i = 0; i < x->nbond; i++) {
        const flx_expr_bond *b = x->bonds + i;
        const double *grad = flx_eval_output(d, w, FLX_GROUP_BOND) + b->out + 1;
        for (int k = 0; k < b->ndep && b->C == 0.0; k++) {
            A0[b->g[k]] += grad[k];
            A0[b->gt[k]] += grad[k];
        }
    }
}

// ---- bonds --------------------------------------------------------------------------------------

static void constraints_rate(const flx_descriptor *d, flx_work *w, const flx_point *p, double *gd)
{
    if (d->expr.nbond == 0) return;
    flx_eval_group(d, w, FLX_GROUP_BOND);
    if (d->expr.moving) flx_eval_group(d, w, FLX_GROUP_RATE);
    for (int i = 0; i < d->expr.nbond; i++) {
        const flx_expr_bond *b = d->expr.bonds + i;
        const double *grad = flx_eval_output(d, w, FLX_GROUP_BOND) + b->out + 1;
        if (b->velocity) continue;
        double rate = b->still ? 0.0 : flx_eval_output(d, w, FLX_GROUP_RATE)[b->rate];
        for (int k = 0; b->still && k < b->ndep; k++) rate += grad[k] * p->v[b->unknown[k]];
        gd[b->row] = rate;
    }
}

flx_status flx_eval_bond_rate(const flx_system *s, flx_work *w, const flx_point *p, double *gd)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    flx_eval_begin(d, w, p);
    if (d->planar) {
        flx_row_point2_rate(d->npoint, d->points, w->frames.plane, gd);
    } else {
        flx_row_point_rate(d->npoint, d->points, w->frames.space, gd);
        flx_row_axis_rate(d->naxis, d->axes, w->frames.space, gd);
    }
    for (int i = 0; i < d->nscalar; i++) {
        const flx_scalar_row *r = d->scalars + i;
        double rate = -motion(d, w, r, 1);
        flx_jet j;
        for (int t = 0; t < r->nterm; t++) {
            flx_scalar_gradient(r->term + t, w->frames, p->switches, &j);
            rate += r->coefficient[t] * flx_jet_rate(r->term + t, &j, p->v);
        }
        gd[r->row] = rate;
    }
    constraints_rate(d, w, p, gd);
    return FLX_OK;
}

static void scalars_force(const flx_work *w, const flx_point *p, int n, const flx_scalar_row *rows,
                          const double *l, bool all, double *out)
{
    for (int i = 0; i < n; i++) {
        const flx_scalar_row *r = rows + i;
        flx_jet j;
        if (r->C > 0 && !all) continue;
        for (int t = 0; t < r->nterm; t++) {
            flx_scalar_gradient(r->term + t, w->frames, p->switches, &j);
            flx_jet_add_force(r->term + t, &j, r->coefficient[t] * l[r->row], out);
        }
    }
}

static void constraints_force(const flx_descriptor *d, flx_work *w, const double *lam,
                              const double *mu, bool all, double *out)
{
    if (d->expr.nbond > 0) flx_eval_group(d, w, FLX_GROUP_BOND);
    for (int i = 0; i < d->expr.nbond; i++) {
        const flx_expr_bond *b = d->expr.bonds + i;
        const double *grad = flx_eval_output(d, w, FLX_GROUP_BOND) + b->out + 1;
        if ((b->velocity && !mu) || (b->C > 0 && !all)) continue;
        double l = b->velocity ? mu[b->row] : lam[b->row];
        for (int k = 0; k < b->ndep; k++) out[b->unknown[k]] += l * grad[k];
    }
}

// The kernels of the residual with other multipliers; what they find for g is not kept.
static void points_force(const flx_descriptor *d, flx_work *w, const double *lam, double *out)
{
    if (d->planar) {
        flx_row_point2_residual(d->npoint, d->points, w->frames.plane, lam, w->rows, out);
    } else {
        flx_row_point_residual(d->npoint, d->points, w->frames.space, lam, w->rows, out);
        flx_row_axis_residual(d->naxis, d->axes, w->frames.space, lam, w->rows, out);
    }
}

flx_status flx_eval_bond_force(const flx_system *s, flx_work *w, const flx_point *p,
                               const double *eta, double *out)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    flx_eval_begin(d, w, p);
    memset(out, 0, (size_t)s->dims.nv * sizeof *out);
    points_force(d, w, eta, out);
    scalars_force(w, p, d->nscalar, d->scalars, eta, true, out);
    constraints_force(d, w, eta, NULL, true, out);
    return FLX_OK;
}

void flx_rows_force(const flx_descriptor *d, flx_work *w, const flx_point *p, const double *lam,
                    const double *mu, double *out)
{
    flx_eval_begin(d, w, p);
    memset(out, 0, (size_t)d->base.dims.nv * sizeof *out);
    points_force(d, w, lam, out);
    scalars_force(w, p, d->nscalar, d->scalars, lam, false, out);
    scalars_force(w, p, d->nvscalar, d->vscalars, mu, false, out);
    constraints_force(d, w, lam, mu, false, out);
}

void flx_joint_force(const flx_descriptor *d, flx_work *w, const flx_point *p, int joint,
                     const double *lam, const double *mu, double *out)
{
    const int *first = d->joints[joint].first, *n = d->joints[joint].count;
    if (d->planar) {
        flx_row_point2_residual(n[0], d->points + first[0], w->frames.plane, lam, w->rows, out);
    } else {
        flx_row_point_residual(n[0], d->points + first[0], w->frames.space, lam, w->rows, out);
        flx_row_axis_residual(n[1], d->axes + first[1], w->frames.space, lam, w->rows, out);
    }
    scalars_force(w, p, n[2], d->scalars + first[2], lam, true, out);
    scalars_force(w, p, n[3], d->vscalars + first[3], mu, true, out);
}

flx_status flx_eval_bond_bias(const flx_system *s, flx_work *w, const flx_point *p, double *bias)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    flx_eval_begin(d, w, p);
    if (d->planar) {
        flx_row_point2_bias(d->npoint, d->points, w->frames.plane, bias);
    } else {
        flx_row_point_bias(d->npoint, d->points, w->frames.space, bias);
        flx_row_axis_bias(d->naxis, d->axes, w->frames.space, bias);
    }
    for (int level = 0; level < 2; level++) { // bonds, velocity bonds
        const flx_scalar_row *rows = level ? d->vscalars : d->scalars;
        int n = level ? d->nvscalar : d->nscalar, first = level ? s->dims.nlam : 0;
        for (int i = 0; i < n; i++) {
            const flx_scalar_row *r = rows + i;
            double sum = -motion(d, w, r, level ? 1 : 2);
            flx_jet j;
            for (int t = 0; t < r->nterm; t++) {
                flx_scalar_jet(r->term + t, w->frames, p->switches, &j);
                sum += r->coefficient[t] * flx_jet_bias(r->term + t, &j, p->v);
            }
            bias[first + r->row] = sum;
        }
    }
    if (d->expr.nbond > 0) flx_eval_group(d, w, FLX_GROUP_BIAS);
    for (int i = 0; i < d->expr.nbond; i++) {
        const flx_expr_bond *b = d->expr.bonds + i;
        bias[(b->velocity ? s->dims.nlam : 0) + b->row] =
            flx_eval_output(d, w, FLX_GROUP_BIAS)[b->bias];
    }
    return FLX_OK;
}

// ---- energy -------------------------------------------------------------------------------------

// (ENE-1) d/dt (v^T M v / 2) = v^T f + v^T M' v / 2 for the masses of equations.
static void rows_energy(const flx_descriptor *d, const flx_work *w, const flx_point *p,
                        flx_energies *e)
{
    const flx_expressions *x = &d->expr;
    const double *value = flx_eval_output(d, w, FLX_GROUP_VALUE),
                 *slope = flx_eval_output(d, w, FLX_GROUP_SLOPE);
    for (int i = 0; i < x->nrow; i++) {
        const flx_expr_row *r = x->rows + i;
        const flx_channel *c = x->channels + r->channel;
        if (r->row >= d->base.dims.nv) continue; // first order
        if (r->acceleration < 0) {
            e->supplied_power -= r->sign * value[c->value] * p->v[r->row];
            continue;
        }
        double vv = 0.5 * p->v[r->row] * p->v[r->acceleration], rate = 0.0;
        e->kinetic += value[c->value] * vv;
        for (int k = c->dep; k < c->dep + c->ndep; k++) {
            int u = x->deps[k].unknown;
            if (u < d->base.dims.nv) {
                rate += slope[k] * (x->deps[k].rate ? p->a[u] : p->v[u]);
            } else if (u < flx_first_w(d)) {
                rate += slope[k] * p->dx[u - flx_first_x(d)];
            }
        }
        e->supplied_power += rate * vv;
    }
}

static void expressions_energy(const flx_descriptor *d, flx_work *w, const flx_point *p,
                               flx_energies *e)
{
    const flx_expressions *x = &d->expr;
    flx_eval_group(d, w, FLX_GROUP_VALUE);
    flx_eval_group(d, w, FLX_GROUP_SLOPE);
    const double *value = flx_eval_output(d, w, FLX_GROUP_VALUE);
    rows_energy(d, w, p, e);
    for (int i = 0; i < x->nwrench; i++) {
        const flx_expr_wrench *f = x->wrenches + i;
        double F[6], rows[6], power = 0.0;
        wrench_value(f, x->channels, value, F);
        for (int side = 0; side < 2; side++) {
            if (f->e.nv[side] == 0) continue;
            wrench_on_body(d, w, f, side, F, rows);
            for (int k = 0; k < f->e.nv[side]; k++) {
                power += (side ? 1.0 : -1.0) * rows[k] * p->v[f->e.v[side] + k];
            }
        }
        if (f->friction) {
            e->dissipated_power -= power;
        } else {
            e->supplied_power += power;
        }
    }
    for (int i = 0; i < x->neffort; i++) {
        const flx_expr_effort *f = x->efforts + i;
        flx_jet j;
        flx_scalar_gradient(&f->s, w->frames, p->switches, &j);
        e->supplied_power -=
            f->sign * value[x->channels[f->channel].value] * flx_jet_rate(&f->s, &j, p->v);
    }
}

// Constraints that move in time do work -l G v. One that gives way stores C l^2/2, or dissipates
// E m^2, besides.
static void constraints_energy(const flx_descriptor *d, flx_work *w, const flx_point *p,
                               flx_energies *e)
{
    flx_eval_group(d, w, FLX_GROUP_BOND);
    if (d->expr.moving) flx_eval_group(d, w, FLX_GROUP_RATE);
    for (int i = 0; i < d->expr.nbond; i++) {
        const flx_expr_bond *b = d->expr.bonds + i;
        const double *grad = flx_eval_output(d, w, FLX_GROUP_BOND) + b->out + 1;
        double l = b->velocity ? p->mu[b->row] : p->lam[b->row], rate = 0.0;
        for (int k = 0; k < b->ndep; k++) rate += grad[k] * p->v[b->unknown[k]];
        e->supplied_power -= l * rate;
        if (b->C == 0.0) continue;
        if (b->velocity) {
            e->dissipated_power += b->C * l * l;
            e->supplied_power += b->C * l * l;
        } else {
            e->strain += 0.5 * b->C * l * l;
            double whole = b->still ? rate : flx_eval_output(d, w, FLX_GROUP_RATE)[b->rate];
            e->supplied_power += l * whole;
        }
    }
}

// Motions do work -l G v.
static void motions_energy(const flx_descriptor *d, flx_work *w, const flx_point *p,
                           flx_energies *e)
{
    for (int level = 0; level < 2; level++) {
        const flx_scalar_row *rows = level ? d->vscalars : d->scalars;
        int n = level ? d->nvscalar : d->nscalar;
        for (int i = 0; i < n; i++) {
            const flx_scalar_row *r = rows + i;
            double l = level ? p->mu[r->row] : p->lam[r->row];
            flx_jet j;
            if (r->motion < 0) continue;
            for (int t = 0; t < r->nterm; t++) {
                flx_scalar_gradient(r->term + t, w->frames, p->switches, &j);
                e->supplied_power -= l * r->coefficient[t] * flx_jet_rate(r->term + t, &j, p->v);
            }
        }
    }
    if (d->expr.nbond > 0) constraints_energy(d, w, p, e);
}

// Forces that are unknowns and given by expressions.
static void laws_energy(const flx_descriptor *d, const flx_work *w, const flx_point *p,
                        flx_energies *e)
{
    for (int i = d->nmixed - d->nlaw; i < d->nmixed; i++) {
        const flx_scalar *s = &d->mixed[i].s;
        double force = -d->mixed_of[i].sign * p->lam[d->first_mixed + i];
        flx_jet j;
        flx_scalar_gradient(s, w->frames, p->switches, &j);
        e->supplied_power += force * flx_jet_rate(s, &j, p->v);
    }
}

flx_status flx_eval_energy(const flx_system *s, flx_work *w, const flx_point *p, flx_energies *e)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    const double *g = d->model->gravity;
    *e = (flx_energies){0};
    flx_eval_begin(d, w, p);
#define X(NAME, name, nq, nv)                                                                      \
    flx_##name##_energy(d->nkind[FLX_BODY_KIND_##NAME], d->kind[FLX_BODY_KIND_##NAME], g,          \
                        w->frames, e);
    FLX_BODY_KINDS(X)
#undef X
    flx_spring_energy(d->nspring, d->springs, w->frames, p->switches, p->v, e);
    laws_energy(d, w, p, e);
    flx_spring_energy_mixed(d->nmixed - d->nlaw, d->mixed, w->frames, p->switches, p->v,
                            p->lam + d->first_mixed, d->typical_step, e);
    flx_twist_energy(d->ntwist, d->twists, w->frames.space, e);
    flx_attraction_energy(d->nattraction, d->attractions, w->frames, e);
    if (d->expr.nchannel > 0) expressions_energy(d, w, p, e);
    motions_energy(d, w, p, e);
    return FLX_OK;
}

void flx_eval_accept(const flx_system *s, flx_work *w, flx_state *x)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    if (d->nturn == 0) return;
    flx_point p = flx_state_point(s, x);
    flx_eval_frames(d, w, &p);
    for (int i = 0; i < d->nturn; i++) {
        flx_jet j;
        flx_scalar_value(d->turns + i, w->frames, x->switches, &j);
        x->switches[i] = j.value;
    }
}

// An angle is on the branch next to that of the last step: a step may not turn it by half a turn.
// r h + a h^2/2 = TURN_A_STEP with its rate r and acceleration a at the beginning of the step.
#define TURN_A_STEP 2.0

double flx_eval_longest_step(const flx_system *s, flx_work *w, const flx_state *x)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    double h = HUGE_VAL;
    if (d->nturn == 0) return h;
    flx_point p = flx_state_point(s, x);
    flx_eval_frames(d, w, &p);
    for (int i = 0; i < d->nturn; i++) {
        flx_jet j;
        flx_scalar_gradient(d->turns + i, w->frames, x->switches, &j);
        double r = fabs(flx_jet_rate(d->turns + i, &j, x->v));
        double a = fabs(flx_jet_rate(d->turns + i, &j, x->a));
        double most = 2.0 * TURN_A_STEP / (r + sqrt(r * r + 2.0 * TURN_A_STEP * a));
        if (most < h) h = most;
    }
    return h;
}
