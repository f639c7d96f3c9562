// descriptor_rows.c - the rows of the joints: counted, left out where the caller says so, numbered,
// and put into the arrays of the kernels.
#include "descriptor/descriptor_parts.h"
#include "joint/joint.h"

// Rows that remain of one joint, and their numbers in the complete system.
typedef struct kept {
    flx_joint_plan plan;
    int nspec;
    flx_row_spec spec[3 * FLX_MAX_SPECS];
    int complete[3 * FLX_MAX_SPECS][3];
} kept;

bool flx_rows_dropped(const flx_descriptor *d, int complete)
{
    int low = 0, high = d->ndrop;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (d->drop[mid] < complete) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low < d->ndrop && d->drop[low] == complete;
}

// One row of a coincidence, as a plane that moves with a body and is drawn along a ground axis: when
// some of the rows are redundant, the directions of the others must follow the mechanism as it
// turns. The plane is fixed in the first body, or in the second where the first is the ground.
static void row_of_point(const flx_descriptor *d, const flx_row_spec *r, int k, flx_row_spec *out)
{
    const flx_model *m = d->model;
    *out = (flx_row_spec){.kind = FLX_ROW_SCALAR,
                          .role = r->role,
                          .nrow = 1,
                          .metres = true,
                          .nterm = 1,
                          .part = {r->part[k]}};
    int holder = r->body[0] < 0 ? 1 : 0;
    flx_scalar *s = out->term;
    s->kind = d->planar ? FLX_SCALAR_PLANE2 : FLX_SCALAR_PLANE;
    s->turn = -1;
    for (int i = 0; i < 2; i++) {
        s->body[i] = r->body[i ^ holder];
        memcpy(s->s[i], r->s[i ^ holder], sizeof s->s[i]);
    }
    out->coefficient[0] = holder ? -1.0 : 1.0;
    bool turns = s->body[0] >= 0 && m->bodies[s->body[0]].type == FLX_BODY_RIGID;
    const double *R = turns ? m->bodies[s->body[0]].R : NULL;
    for (int i = 0; i < 3; i++) s->a[0][i] = R ? R[3 * k + i] : i == k; // R^T e_k
}

static void row_of_axis(const flx_row_spec *r, int k, flx_row_spec *out)
{
    *out = (flx_row_spec){.kind = FLX_ROW_SCALAR,
                          .role = r->role,
                          .nrow = 1,
                          .nterm = 1,
                          .coefficient = {1.0},
                          .part = {r->part[k]}};
    flx_scalar *s = out->term;
    *s = (flx_scalar){.kind = FLX_SCALAR_DOT, .turn = -1};
    memcpy(s->body, r->body, sizeof s->body);
    memcpy(s->a[0], r->a[k], sizeof s->a[0]);
    memcpy(s->b, r->b, sizeof s->b);
}

typedef struct counter {
    int lam, mu; // next row in the complete system
} counter;

// Plan joint j and leave out what is to be left out.
static flx_status keep_rows(const flx_descriptor *d, int j, counter *next, kept *out)
{
    FLX_TRY(flx_joint_plan_rows(d->model, j, d->hold, &out->plan));
    out->nspec = 0;
    for (int i = 0; i < out->plan.nspec; i++) {
        const flx_row_spec *r = out->plan.spec + i;
        int number[3] = {-1, -1, -1}, keep = 0;
        bool drop[3] = {false, false, false};
        for (int k = 0; k < r->nrow && k < 3; k++) {
            if (r->role != FLX_ROLE_START) {
                number[k] = r->velocity ? d->complete_lam + next->mu++ : next->lam++;
                drop[k] = flx_rows_dropped(d, number[k]);
            }
            keep += !drop[k];
        }
        if (keep == r->nrow) {
            memcpy(out->complete[out->nspec], number, sizeof number);
            out->spec[out->nspec++] = *r;
            continue;
        }
        for (int k = 0; k < r->nrow && k < 3; k++) {
            if (drop[k]) continue;
            out->complete[out->nspec][0] = number[k];
            if (r->kind == FLX_ROW_POINT) row_of_point(d, r, k, out->spec + out->nspec++);
            if (r->kind == FLX_ROW_AXIS) row_of_axis(r, k, out->spec + out->nspec++);
        }
    }
    return FLX_OK;
}

static flx_status check_places(const flx_descriptor *d, int joint)
{
    const flx_model *m = d->model;
    const flx_joint *j = m->joints + joint;
    if (j->kind->on_joints) return FLX_OK;
    if (j->body[0] == j->body[1]) {
        return FLX_FAIL(m->ctx, FLX_ERR_MODEL, j->loc, "joint '%s' connects %s%s%s with itself",
                        j->name, j->body[0] < 0 ? "" : "'",
                        j->body[0] < 0 ? "the ground" : m->bodies[j->body[0]].name,
                        j->body[0] < 0 ? "" : "'");
    }
    for (int i = 0; i < 2; i++) {
        if (j->body[i] < 0 || m->bodies[j->body[i]].type != FLX_BODY_POINT) continue;
        if (v3_norm(v3_load(j->at[i])) <= FLX_SAME_PLACE * d->length) continue;
        return FLX_FAIL(m->ctx, FLX_ERR_MODEL, j->loc,
                        "joint '%s': '%s' is a point and has no other place than its own; give a "
                        "pair of places, or draw the point at the joint",
                        j->name, m->bodies[j->body[i]].name);
    }
    return FLX_OK;
}

// Marks the joints whose turns something can tell: an expression, a row that is made of the angle, a
// gear or a force on the joint.
static void mark_turns(const flx_model *m, int *counts)
{
    for (int j = 0; j < m->njoint; j++) {
        const flx_joint *joint = m->joints + j;
        bool row = joint->kind->threaded || joint->motion != FLX_MOTION_NONE ||
                   joint->start_coordinate || joint->start_rate;
        counts[j] = joint->angle_read || row || joint->kind->curve;
    }
    for (int j = 0; j < m->njoint; j++) {
        if (!m->joints[j].kind->on_joints) continue;
        for (int i = 0; i < 2; i++) counts[m->joints[j].joint[i]] = 1;
    }
    for (int i = 0; i < m->nforce; i++) {
        const flx_force *f = m->forces + i;
        if (f->kind->joint) counts[f->joint] = 1;
    }
    for (int i = 0; i < m->nstop; i++) counts[m->stops[i].joint] = 1;
}

// Switches: one for each joint that keeps its angle or its place on a curve.
static flx_status number_switches(flx_descriptor *d)
{
    const flx_model *m = d->model;
    d->switch_of_joint = flx_arena_take(d->arena, (size_t)m->njoint, sizeof(int));
    d->turns = flx_arena_take(d->arena, (size_t)m->njoint, sizeof *d->turns);
    if (!d->switch_of_joint || !d->turns) return FLX_ERR_MEMORY;
    mark_turns(m, d->switch_of_joint);
    for (int j = 0; j < m->njoint; j++) {
        bool counts = d->switch_of_joint[j];
        d->switch_of_joint[j] = -1;
        if (counts && flx_joint_kept(m, j, d->turns + d->nturn)) d->switch_of_joint[j] = d->nturn++;
    }
    d->base.dims.nswitch = d->nturn;
    return FLX_OK;
}

flx_status flx_rows_count(flx_descriptor *d)
{
    const flx_model *m = d->model;
    flx_status status = FLX_OK;
    d->joints = flx_arena_take(d->arena, (size_t)m->njoint, sizeof *d->joints);
    kept *k = flx_alloc(d->base.ctx, 1, sizeof *k);
    if (!d->joints || !k) {
        status = FLX_ERR_MEMORY;
        goto done;
    }
    // the complete system first: its number of constraints is where velocity-level constraints begin
    counter whole = {0, 0}, next = {0, 0};
    for (int j = 0; j < m->njoint && status == FLX_OK; j++) {
        status = check_places(d, j);
        if (status == FLX_OK) status = flx_joint_plan_rows(m, j, false, &k->plan);
        for (int i = 0; i < k->plan.nspec && status == FLX_OK; i++) {
            *(k->plan.spec[i].velocity ? &whole.mu : &whole.lam) += k->plan.spec[i].nrow;
        }
    }
    d->joint_lam = whole.lam;
    d->joint_mu = whole.mu;
    d->complete_lam = whole.lam + flx_pulls_count(d);
    d->complete_lam += d->ngroup_normal;
    d->complete_mu = whole.mu + d->ngroup_tangent;
    for (int i = 0; i < m->nconstraint; i++) {
        (*(m->constraints[i].velocity_level ? &d->complete_mu : &d->complete_lam))++;
    }
    for (int j = 0; j < m->njoint && status == FLX_OK; j++) {
        counter before = next;
        status = keep_rows(d, j, &next, k);
        if (status != FLX_OK) break;
        flx_joint_rows *r = d->joints + j;
        r->whole[0] = next.lam - before.lam;
        r->whole[1] = next.mu - before.mu;
        r->constraint = d->base.dims.nlam;
        r->vconstraint = d->base.dims.nmu;
        r->drive = -1;
        for (int i = 0; i < k->nspec; i++) {
            const flx_row_spec *s = k->spec + i;
            if (s->role == FLX_ROLE_MOTION) {
                r->drive =
                    s->velocity ? r->vconstraint + r->nvconstraint : r->constraint + r->nconstraint;
                r->drive_velocity = s->velocity;
            }
            *(s->velocity ? &r->nvconstraint : &r->nconstraint) += s->nrow;
            d->npoint += s->kind == FLX_ROW_POINT;
            d->naxis += s->kind == FLX_ROW_AXIS;
            if (s->kind == FLX_ROW_SCALAR) (*(s->velocity ? &d->nvscalar : &d->nscalar))++;
        }
        d->base.dims.nlam += r->nconstraint;
        d->base.dims.nmu += r->nvconstraint;
    }
    if (status == FLX_OK) status = number_switches(d);

done:
    flx_free(k);
    return status;
}

// Visit every kept row of every joint: count is done, so numbers follow.
static flx_status couple_joint(flx_descriptor *d, int j, const kept *k)
{
    const flx_joint_rows *r = d->joints + j;
    for (int i = 0; i < k->nspec; i++) {
        const flx_row_spec *s = k->spec + i;
        int block = s->velocity ? r->vconstraint_block : r->constraint_block;
        if (s->kind != FLX_ROW_SCALAR) FLX_TRY(flx_layout_couple_row(d, block, s->body));
        if (s->kind == FLX_ROW_AXIS) FLX_TRY(flx_layout_couple_bodies(d, s->body));
        for (int t = 0; t < s->nterm; t++) {
            FLX_TRY(flx_layout_couple_row(d, block, s->term[t].body));
            FLX_TRY(flx_layout_couple_bodies(d, s->term[t].body));
        }
    }
    return FLX_OK;
}

flx_status flx_rows_couple(flx_descriptor *d)
{
    flx_status status = FLX_OK;
    counter next = {0, 0};
    kept *k = flx_alloc(d->base.ctx, 1, sizeof *k);
    if (!k) return FLX_ERR_MEMORY;
    for (int j = 0; j < d->model->njoint && status == FLX_OK; j++) {
        status = keep_rows(d, j, &next, k);
        if (status == FLX_OK) status = couple_joint(d, j, k);
    }
    flx_free(k);
    return status;
}

enum { POINTS, AXES, SCALARS, VSCALARS };
typedef struct cursor { // next free slot of each array
    int next[4];
} cursor;

static void fill_scalar(flx_descriptor *d, const flx_row_spec *s, int j, int row, int unknown,
                        flx_scalar_row *out)
{
    const flx_joint *joint = d->model->joints + j;
    *out = (flx_scalar_row){.row = row, .nterm = s->nterm, .motion = -1, .sigma = 1.0};
    for (int t = 0; t < s->nterm; t++) {
        flx_scalar *term = out->term + t;
        *term = s->term[t];
        bool last = term->kind == FLX_SCALAR_ANGLE || term->kind == FLX_SCALAR_CURVE;
        term->turn = last ? d->switch_of_joint[term->turn] : -1;
        flx_layout_ends(d, term->body, &term->e);
        flx_layout_place(d, unknown, term->body, &out->place[t]);
        out->place[t].row = row;
        out->coefficient[t] = s->coefficient[t];
    }
    if (s->role == FLX_ROLE_MOTION) out->motion = d->motion_of_joint[j];
    if (s->role == FLX_ROLE_START && s->velocity) out->constant = joint->start_rate_value;
    out->diag = flx_layout_slot(d, unknown, unknown);
}

static void fill_joint(flx_descriptor *d, int j, const kept *k, cursor *at)
{
    const flx_joint *joint = d->model->joints + j;
    flx_joint_rows *rows = d->joints + j;
    int lam = rows->constraint, mu = rows->vconstraint;
    memcpy(rows->first, at->next, sizeof rows->first);
    for (int i = 0; i < k->nspec; i++) {
        const flx_row_spec *s = k->spec + i;
        int row = s->velocity ? mu : lam;
        int unknown = s->velocity ? flx_first_mu(d) + row : flx_first_lam(d) + row;
        if (s->kind == FLX_ROW_POINT) {
            flx_row_point *r = d->points + at->next[POINTS]++;
            flx_layout_ends(d, s->body, &r->e);
            flx_layout_place(d, unknown, s->body, &r->p);
            r->p.row = row;
            memcpy(r->s, s->s, sizeof r->s);
        } else if (s->kind == FLX_ROW_AXIS) {
            flx_row_axis *r = d->axes + at->next[AXES]++;
            flx_layout_ends(d, s->body, &r->e);
            flx_layout_place(d, unknown, s->body, &r->p);
            r->p.row = row;
            memcpy(r->a, s->a, sizeof r->a);
            memcpy(r->b, s->b, sizeof r->b);
        } else {
            fill_scalar(d, s, j, row, unknown,
                        s->velocity ? d->vscalars + at->next[VSCALARS]++
                                    : d->scalars + at->next[SCALARS]++);
        }
        for (int n = 0; n < s->nrow; n++) {
            d->rows[(s->velocity ? d->base.dims.nlam : 0) + row + n] =
                (flx_row_info){.item = joint->name,
                               .part = s->part[n],
                               .loc = s->role == FLX_ROLE_MOTION  ? joint->motion_loc
                                      : s->role == FLX_ROLE_START ? joint->start_loc
                                                                  : joint->loc,
                               .complete = k->complete[i][n],
                               .joint = j,
                               .constraint = -1,
                               .metres = s->metres,
                               .role = s->role,
                               .sigma = 1.0};
        }
        *(s->velocity ? &mu : &lam) += s->nrow;
    }
    for (int i = 0; i < 4; i++) rows->count[i] = at->next[i] - rows->first[i];
}

flx_status flx_rows_fill(flx_descriptor *d)
{
    flx_status status = FLX_OK;
    counter next = {0, 0};
    cursor at = {{0, 0, 0, 0}};
    d->points = flx_arena_take(d->arena, (size_t)d->npoint, sizeof *d->points);
    d->axes = flx_arena_take(d->arena, (size_t)d->naxis, sizeof *d->axes);
    // forces whose pull is an unknown have a row too
    d->scalars = flx_arena_take(
        d->arena, (size_t)d->nscalar + (size_t)flx_pulls_count(d) + (size_t)d->ngroup_normal,
        sizeof *d->scalars);
    d->vscalars = flx_arena_take(d->arena, (size_t)d->nvscalar + (size_t)d->ngroup_tangent,
                                 sizeof *d->vscalars);
    kept *k = flx_alloc(d->base.ctx, 1, sizeof *k);
    if (!d->points || !d->axes || !d->scalars || !d->vscalars || !k) status = FLX_ERR_MEMORY;
    for (int j = 0; j < d->model->njoint && status == FLX_OK; j++) {
        status = keep_rows(d, j, &next, k);
        if (status == FLX_OK) fill_joint(d, j, k, &at);
    }
    for (int i = 0; i < d->nturn && status == FLX_OK; i++) {
        flx_scalar *s = d->turns + i;
        s->turn = i;
        flx_layout_ends(d, s->body, &s->e);
    }
    flx_free(k);
    return status;
}

// ---- numbers once more --------------------------------------------------------------------------

size_t flx_rows_scratch(void)
{
    return sizeof(kept);
}

static void renew_scalar(const flx_descriptor *d, const flx_row_spec *s, int j, flx_scalar_row *r)
{
    for (int t = 0; t < s->nterm; t++) {
        flx_scalar_take_numbers(r->term + t, s->term + t);
        r->coefficient[t] = s->coefficient[t];
    }
    if (s->role == FLX_ROLE_START && s->velocity) {
        r->constant = d->model->joints[j].start_rate_value;
    }
}

static void renew_joint(flx_descriptor *d, int j, int n, const flx_row_spec *spec)
{
    int next[4];
    memcpy(next, d->joints[j].first, sizeof next);
    for (const flx_row_spec *s = spec; s < spec + n; s++) {
        if (s->kind == FLX_ROW_POINT) {
            flx_row_point *r = d->points + next[POINTS]++;
            memcpy(r->s, s->s, sizeof r->s);
        } else if (s->kind == FLX_ROW_AXIS) {
            flx_row_axis *r = d->axes + next[AXES]++;
            memcpy(r->a, s->a, sizeof r->a);
            memcpy(r->b, s->b, sizeof r->b);
        } else {
            renew_scalar(d, s, j,
                         s->velocity ? d->vscalars + next[VSCALARS]++
                                     : d->scalars + next[SCALARS]++);
        }
    }
}

flx_status flx_rows_renew(flx_descriptor *d)
{
    const flx_model *m = d->model;
    counter next = {0, 0};
    kept *k = d->renewal;
    for (int j = 0; j < m->njoint; j++) {
        const flx_joint_rows *r = d->joints + j;
        FLX_TRY(check_places(d, j));
        if (d->ndrop == 0) {
            FLX_TRY(flx_joint_plan_rows(m, j, d->hold, &k->plan));
            renew_joint(d, j, k->plan.nspec, k->plan.spec);
        } else if (r->nconstraint + r->nvconstraint > 0) {
            FLX_TRY(keep_rows(d, j, &next, k));
            renew_joint(d, j, k->nspec, k->spec);
        } else {
            next.lam += r->whole[0];
            next.mu += r->whole[1];
        }
        int turn = d->switch_of_joint[j];
        flx_scalar s;
        if (turn < 0 || !flx_joint_kept(m, j, &s)) continue;
        flx_scalar_take_numbers(d->turns + turn, &s);
    }
    return FLX_OK;
}
