// descriptor_read.c - multipliers that forces and equations read. Drives, multipliers of constraints
// and forces that are unknowns are single multipliers; a reaction is made of all rows of its joint:
// with u = (G^T l)_b at the body b whose rows are read, s = -1 for the second, 1 for the first,
// and d from its centre of mass to the place of the joint,
//     F = s u_F,   M = s R u_M - d x F                                         (REA-1)
//     dF = s du_F,   dM = s R (du_M - u_M~ phi) - dd x F - d x dF              (REA-2)
// du = K phi + G^T dl from the kernels of the joint's rows.
#include "descriptor/descriptor_parts.h"
#include "joint/joint.h"

// ---- values -------------------------------------------------------------------------------------

typedef struct reaction_at { // what a reaction is made of
    int body;                // whose rows are read
    double sign;
    v3 place;    // of the joint in the second body, from its centre of mass; in the ground
    v3 arm, F;   // ground axes
    double u[6]; // (G^T l)_b
} reaction_at;

static reaction_at describe(const flx_descriptor *d, int joint)
{
    const flx_joint *j = d->model->joints + joint;
    int side = j->body[1] >= 0;
    reaction_at a = {.body = j->body[side], .sign = side ? -1.0 : 1.0, .place = v3_load(j->at[1])};
    // forces are -G^T l; the ground has what the first has not
    if (side) a.place = v3_sub(a.place, v3_load(d->model->bodies[a.body].com));
    return a;
}

static v3 arm_of(const flx_descriptor *d, const flx_descriptor_work *w, int joint,
                 const reaction_at *a)
{
    int second = d->model->joints[joint].body[1];
    if (d->planar) {
        const flx_frame2 *b = w->frames.plane + a->body + 1, *s = w->frames.plane + second + 1;
        return v3_make(s->x + s->c * a->place.x - s->s * a->place.y - b->x,
                       s->y + s->s * a->place.x + s->c * a->place.y - b->y, 0.0);
    }
    const flx_frame *b = w->frames.space + a->body + 1, *s = w->frames.space + second + 1;
    return v3_sub(v3_add(v3_load(s->r), m33_mul_v(m33_load(s->R), a->place)), v3_load(b->r));
}

static void find_parts(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                       int joint, const double *lam, const double *mu, reaction_at *a)
{
    const flx_joint *j = d->model->joints + joint;
    double *f = w->force;
    *a = describe(d, joint);
    flx_joint_force(d, w, p, joint, lam, mu, f);
    memcpy(a->u, f + d->body_v[a->body], (size_t)d->body_nv[a->body] * sizeof *f);
    a->arm = arm_of(d, w, joint, a);
    a->F = v3_make(a->sign * a->u[0], a->sign * a->u[1], d->planar ? 0.0 : a->sign * a->u[2]);
    for (int i = 0; i < 2; i++) {
        int b = j->body[i];
        if (b >= 0) memset(f + d->body_v[b], 0, (size_t)d->body_nv[b] * sizeof *f);
    }
}

void flx_reaction_eval(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                       int joint, const double *lam, const double *mu, double out[6])
{
    reaction_at a;
    memset(out, 0, 6 * sizeof *out);
    if (d->model->joints[joint].kind->on_joints) return;
    find_parts(d, w, p, joint, lam, mu, &a);
    v3_store(out, a.F);
    bool turns = d->body_nv[a.body] == (d->planar ? 3 : 6);
    if (turns) {
        v3 M = d->planar ? v3_make(0, 0, a.u[2])
                         : m33_mul_v(m33_load(w->frames.space[a.body + 1].R), v3_load(a.u + 3));
        v3_store(out + 3, v3_sub(v3_scale(a.sign, M), v3_cross(a.arm, a.F)));
    }
    for (int i = 0; i < 6; i++) out[i] += 0.0; // no negative zeros in tables
}

// ---- rows and columns ---------------------------------------------------------------------------

int flx_read_drive(const flx_descriptor *d, int joint)
{
    const flx_joint_rows *r = d->joints + joint;
    if (r->drive < 0) return -1;
    return r->drive_velocity ? d->base.dims.nlam + r->drive : r->drive;
}

int flx_read_multiplier(const flx_descriptor *d, int constraint)
{
    for (int i = 0; i < d->expr.nconstraint; i++) {
        const flx_expr_constraint *b = d->expr.constraints + i;
        if (b->constraint == constraint) return (b->velocity ? d->base.dims.nlam : 0) + b->row;
    }
    return -1;
}

static int count_unknowns(const flx_descriptor *d, int joint)
{
    const flx_joint *j = d->model->joints + joint;
    int n = d->joints[joint].nconstraint + d->joints[joint].nvconstraint;
    if (j->kind->on_joints) return 0;
    for (int i = 0; i < 2; i++) n += j->body[i] < 0 ? 0 : d->body_nv[j->body[i]];
    return n;
}

// Bodies and rows of a joint: their unknowns, one after another.
static flx_status list_unknowns(flx_descriptor *d, flx_reading *r)
{
    r->n = 0;
    const flx_joint *j = d->model->joints + r->joint;
    const flx_joint_rows *rows = d->joints + r->joint;
    int first[4] = {-1, -1, flx_first_lam(d) + rows->constraint,
                    flx_first_mu(d) + rows->vconstraint};
    int count[4] = {0, 0, rows->nconstraint, rows->nvconstraint};
    for (int i = 0; i < 2; i++) {
        if (j->body[i] < 0) continue;
        first[i] = d->body_v[j->body[i]];
        count[i] = d->body_nv[j->body[i]];
    }
    r->unknown = flx_arena_take(d->arena, (size_t)count_unknowns(d, r->joint), sizeof *r->unknown);
    if (!r->unknown) return FLX_ERR_MEMORY;
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < count[k]; i++) r->unknown[r->n++] = first[k] + i;
    }
    return FLX_OK;
}

flx_status flx_read_reaction(flx_descriptor *d, int joint, int *reading)
{
    flx_expressions *x = &d->expr;
    for (*reading = 0; *reading < x->nreading; ++*reading) {
        if (x->readings[*reading].joint == joint) return FLX_OK;
    }
    FLX_TRY(flx_grow(d->base.ctx, (void **)&x->readings, &x->reading_capacity, x->nreading + 1,
                     sizeof *x->readings));
    flx_reading *r = x->readings + x->nreading++;
    *r = (flx_reading){.joint = joint, .value = x->read_size};
    r->n = count_unknowns(d, joint);
    x->read_size += 6 + 6 * r->n;
    d->joints[joint].read = true;
    return FLX_OK;
}

flx_status flx_read_list(flx_descriptor *d)
{
    for (int i = 0; i < d->expr.nreading; i++) {
        flx_reading *r = d->expr.readings + i;
        if (r->n > 0) FLX_TRY(list_unknowns(d, r));
    }
    return FLX_OK;
}

void flx_read_eval(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p)
{
    for (int i = 0; i < d->expr.nreading; i++) {
        const flx_reading *r = d->expr.readings + i;
        flx_reaction_eval(d, w, p, r->joint, p->lam, p->mu, w->read + r->value);
    }
}

// ---- derivatives --------------------------------------------------------------------------------

static void scalars_tangent(const flx_descriptor_work *w, const flx_point *p, int n,
                            const flx_scalar_row *rows, const double *l, double *A)
{
    for (int i = 0; i < n; i++) {
        const flx_scalar_row *s = rows + i;
        flx_jet j;
        for (int t = 0; t < s->nterm; t++) {
            double c = s->coefficient[t];
            flx_scalar_jet(s->term + t, w->frames, p->switches, &j);
            flx_scalar_add_column(s->term + t, s->place + t, c, j.g, A);
            flx_jet_add_stiffness(s->term + t, &j, c * l[s->row], A);
        }
    }
}

// G^T and K of one joint's rows on zeros.
static void joint_tangent(const flx_descriptor *d, const flx_descriptor_work *w, const flx_point *p,
                          int joint, double *A)
{
    const int *first = d->joints[joint].first, *n = d->joints[joint].count;
    if (d->planar) {
        flx_row_point2_jacobian(n[0], d->points + first[0], w->frames.plane, A);
        flx_row_point2_stiffness(n[0], d->points + first[0], w->frames.plane, p->lam, A);
    } else {
        flx_row_point_jacobian(n[0], d->points + first[0], w->frames.space, A);
        flx_row_point_stiffness(n[0], d->points + first[0], w->frames.space, p->lam, A);
        flx_row_axis_jacobian(n[1], d->axes + first[1], w->frames.space, A);
        flx_row_axis_stiffness(n[1], d->axes + first[1], w->frames.space, p->lam, A);
    }
    scalars_tangent(w, p, n[2], d->scalars + first[2], p->lam, A);
    scalars_tangent(w, p, n[3], d->vscalars + first[3], p->mu, A);
}

// All entries between the bodies and rows of a joint.
static void clear_tangent(const flx_descriptor *d, int joint, double *A)
{
    const flx_joint *j = d->model->joints + joint;
    const flx_joint_rows *r = d->joints + joint;
    const int block[4] = {j->body[0] < 0 ? -1 : flx_body_block(d, j->body[0]),
                          j->body[1] < 0 ? -1 : flx_body_block(d, j->body[1]), r->constraint_block,
                          r->vconstraint_block};
    for (int k = 0; k < 16; k++) {
        int a = block[k / 4], b = block[k % 4];
        int at = a < 0 || b < 0 ? -1 : flx_layout_entry(d, a, b);
        if (at < 0) continue;
        size_t n = (size_t)(d->block_start[a + 1] - d->block_start[a]) *
                   (size_t)(d->block_start[b + 1] - d->block_start[b]);
        memset(A + at, 0, n * sizeof *A);
    }
}

// (REA-2) for du along one unknown; turn: the number of the body's own rotation that it is, -1: none;
// shift: of its own translation.
static void slope_of(const flx_descriptor *d, const flx_descriptor_work *w, const reaction_at *a,
                     bool ground, const double du[6], int turn, int shift, double out[6])
{
    bool planar = d->planar;
    v3 dF = v3_make(a->sign * du[0], a->sign * du[1], planar ? 0.0 : a->sign * du[2]);
    v3 e = v3_make(turn == 0, turn == 1, turn == 2), dM, darm = v3_make(0, 0, 0);
    bool turns = d->body_nv[a->body] == (planar ? 3 : 6);
    v3_store(out, dF);
    v3_store(out + 3, v3_make(0, 0, 0));
    if (!turns) return;
    if (planar) {
        dM = v3_make(0, 0, du[2]);
        e = v3_make(0, 0, turn == 0);
        if (turn >= 0 && !ground) darm = v3_cross(e, a->arm);
    } else {
        m33 R = m33_load(w->frames.space[a->body + 1].R);
        v3 um = v3_load(a->u + 3), local = v3_load(du + 3);
        if (turn >= 0) local = v3_add(local, v3_cross(e, um));
        dM = m33_mul_v(R, local);
        if (turn >= 0 && !ground) darm = v3_cross(m33_mul_v(R, e), a->arm);
    }
    if (shift >= 0 && ground) darm = v3_make(-(shift == 0), -(shift == 1), -(shift == 2));
    dM = v3_sub(v3_scale(a->sign, dM), v3_add(v3_cross(darm, a->F), v3_cross(a->arm, dF)));
    v3_store(out + 3, dM);
}

static void linearise(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      const flx_reading *r)
{
    reaction_at a;
    bool ground = d->model->joints[r->joint].body[1] < 0;
    int translations = d->planar ? 2 : 3;
    double *slopes = w->read + r->value + 6, *A = w->tangent;
    if (r->n == 0) return;
    find_parts(d, w, p, r->joint, p->lam, p->mu, &a);
    joint_tangent(d, w, p, r->joint, A);
    int block = flx_body_block(d, a.body), nv = d->body_nv[a.body], own = d->body_v[a.body];
    for (int i = 0; i < r->n; i++) {
        int u = r->unknown[i], column = d->block_of[u], k = u - own;
        int width = d->block_start[column + 1] - d->block_start[column];
        int at = flx_layout_entry(d, block, column);
        double du[6] = {0};
        for (int c = 0; c < nv && at >= 0; c++) {
            du[c] = A[at + width * c + u - d->block_start[column]];
        }
        bool mine = k >= 0 && k < nv;
        slope_of(d, w, &a, ground, du, mine && k >= translations ? k - translations : -1,
                 mine && k < translations ? k : -1, slopes + 6 * i);
    }
    clear_tangent(d, r->joint, A);
}

void flx_read_linearise(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p)
{
    for (int i = 0; i < d->expr.nreading; i++) linearise(d, w, p, d->expr.readings + i);
}
