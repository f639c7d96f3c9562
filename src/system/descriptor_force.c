// descriptor_force.c - forces that need no expression: which arrays of kernels they go to.
#include "system/descriptor_parts.h"

flx_status flx_forces_place(const flx_descriptor *d, const flx_force *f, int side, double s[3])
{
    const flx_model *m = d->model;
    const flx_body *b = f->body[side] < 0 ? NULL : m->bodies + f->body[side];
    bool point = b && b->type == FLX_BODY_POINT;
    for (int k = 0; k < 3; k++) s[k] = point ? 0.0 : f->at[side][k] - (b ? b->com[k] : 0.0);
    if (point && !(v3_norm(v3_load(f->at[side])) <= FLX_SAME_PLACE * d->length)) {
        return FLX_FAIL(m->ctx, FLX_ERR_MODEL, f->loc,
                        "force '%s': '%s' is a point and has no other place than its own", f->name,
                        b->name);
    }
    return FLX_OK;
}

static bool is_spring(const flx_force *f)
{
    return f->type == FLX_FORCE_SPRING || f->type == FLX_FORCE_JOINT_SPRING;
}

// A spring with neither stiffness nor damping has no force that could be an unknown.
static bool is_mixed(const flx_force *f)
{
    return f->mixed && is_spring(f) && (f->stiffness[0] != 0 || f->damping[0] != 0);
}

static flx_status plan_spring(const flx_descriptor *d, const flx_force *f, flx_spring *p)
{
    p->k = f->stiffness[0];
    p->c = f->damping[0];
    p->rest = f->length;
    if (f->type == FLX_FORCE_JOINT_SPRING) {
        flx_coordinate which = flx_joint_own_coordinate(d->model, f->joint);
        if (f->other) {
            which =
                which == FLX_COORDINATE_ANGLE ? FLX_COORDINATE_DISPLACEMENT : FLX_COORDINATE_ANGLE;
        }
        if (flx_joint_scalar(d->model, f->joint, which, &p->s)) return FLX_OK;
        return FLX_FAIL(d->base.ctx, FLX_ERR_MODEL, f->loc,
                        "spring '%s': joint '%s' has no angle or displacement to act on", f->name,
                        d->model->joints[f->joint].name);
    }
    p->s = (flx_scalar){.kind = d->planar ? FLX_SCALAR_LENGTH2 : FLX_SCALAR_LENGTH, .turn = -1};
    memcpy(p->s.body, f->body, sizeof p->s.body);
    for (int i = 0; i < 2; i++) FLX_TRY(flx_forces_place(d, f, i, p->s.s[i]));
    p->centred = p->rest == 0.0 && !is_mixed(f);
    p->centre = p->s;
    p->centre.kind = d->planar ? FLX_SCALAR_SQUARE2 : FLX_SCALAR_SQUARE;
    p->centre.length = 1.0; // (|d|^2 - 1)/2: the gradient is d
    return FLX_OK;
}

// Translations along the axes of the first, and the rotation: springs on planes and, in 2D, on the
// angle; a twist in space. The places coincide and the axes are as drawn where nothing pulls.
static flx_status plan_bushing(flx_descriptor *d, const flx_force *f)
{
    const flx_model *m = d->model;
    int translations = d->planar ? 2 : 3;
    bool turns = f->ncomponent > translations;
    for (int i = 0; i < 2; i++) {
        int b = f->body[i];
        if (!turns || b < 0 || m->bodies[b].type == FLX_BODY_RIGID) continue;
        return FLX_FAIL(d->base.ctx, FLX_ERR_MODEL, f->loc,
                        "bushing '%s': '%s' is a point and does not turn; give the stiffness of %d "
                        "translations",
                        f->name, m->bodies[b].name, translations);
    }
    for (int k = 0; k < translations; k++) {
        flx_spring *p = d->springs + d->nspring++;
        *p = (flx_spring){.k = f->stiffness[k], .c = f->damping[k]};
        p->s.kind = d->planar ? FLX_SCALAR_PLANE2 : FLX_SCALAR_PLANE;
        p->s.turn = -1;
        memcpy(p->s.body, f->body, sizeof p->s.body);
        for (int i = 0; i < 2; i++) FLX_TRY(flx_forces_place(d, f, i, p->s.s[i]));
        for (int i = 0; i < 3; i++) p->s.a[0][i] = f->frame[0][3 * i + k];
    }
    if (!turns) return FLX_OK;
    if (d->planar) {
        flx_spring *p = d->springs + d->nspring++;
        *p = (flx_spring){.k = f->stiffness[2], .c = f->damping[2]};
        p->s = (flx_scalar){.kind = FLX_SCALAR_ANGLE2, .turn = -1};
        memcpy(p->s.body, f->body, sizeof p->s.body);
        for (int i = 0; i < 2; i++) {
            double angle = f->body[i] < 0 ? 0.0 : m->bodies[f->body[i]].angle;
            p->s.offset += i ? angle : -angle;
        }
        return FLX_OK;
    }
    flx_twist *t = d->twists + d->ntwist++;
    memcpy(t->body, f->body, sizeof t->body);
    memcpy(t->F, f->frame, sizeof t->F);
    memcpy(t->k, f->stiffness + 3, sizeof t->k);
    memcpy(t->c, f->damping + 3, sizeof t->c);
    return FLX_OK;
}

// Every pair of bodies with mass.
static flx_status plan_gravitation(flx_descriptor *d, const flx_force *f)
{
    const flx_model *m = d->model;
    size_t pairs = (size_t)m->nbody * (size_t)(m->nbody > 0 ? m->nbody - 1 : 0) / 2;
    flx_attraction *a =
        flx_arena_take(d->arena, (size_t)d->nattraction + pairs, sizeof *d->attractions);
    if (!a) return FLX_ERR_MEMORY;
    if (d->nattraction > 0) memcpy(a, d->attractions, (size_t)d->nattraction * sizeof *a);
    d->attractions = a;
    for (int i = 0; i < m->nbody; i++) {
        for (int j = i + 1; j < m->nbody; j++) {
            double Gmm = f->G * m->bodies[i].mass * m->bodies[j].mass;
            if (Gmm == 0.0) continue;
            a[d->nattraction++] = (flx_attraction){.body = {i, j}, .Gmm = Gmm};
        }
    }
    return FLX_OK;
}

flx_status flx_forces_plan(flx_descriptor *d)
{
    const flx_model *m = d->model;
    size_t n = (size_t)m->nforce;
    d->springs = flx_arena_take(d->arena, 3 * n, sizeof *d->springs); // a bushing has up to three
    d->mixed = flx_arena_take(d->arena, n, sizeof *d->mixed);
    d->mixed_force = flx_arena_take(d->arena, n, sizeof *d->mixed_force);
    d->twists = flx_arena_take(d->arena, n, sizeof *d->twists);
    if (!d->springs || !d->mixed || !d->mixed_force || !d->twists) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nforce; i++) {
        const flx_force *f = m->forces + i;
        if (f->type == FLX_FORCE_BUSHING) FLX_TRY(plan_bushing(d, f));
        if (f->type == FLX_FORCE_GRAVITATION) FLX_TRY(plan_gravitation(d, f));
        if (f->mixed && !is_spring(f)) {
            return FLX_FAIL(d->base.ctx, FLX_ERR_UNAVAILABLE, f->loc,
                            "force '%s': form: mixed is not available yet for this type", f->name);
        }
        if (is_spring(f)) {
            if (is_mixed(f)) d->mixed_force[d->nmixed] = i;
            FLX_TRY(plan_spring(d, f,
                                is_mixed(f) ? d->mixed + d->nmixed++ : d->springs + d->nspring++));
        }
    }
    return FLX_OK;
}

flx_status flx_forces_couple(flx_descriptor *d)
{
    for (int i = 0; i < d->nspring; i++) FLX_TRY(flx_layout_couple_bodies(d, d->springs[i].s.body));
    for (int i = 0; i < d->ntwist; i++) FLX_TRY(flx_layout_couple_bodies(d, d->twists[i].body));
    for (int i = 0; i < d->nattraction; i++) {
        FLX_TRY(flx_layout_couple_bodies(d, d->attractions[i].body));
    }
    for (int i = 0; i < d->nmixed; i++) {
        const int *body = d->mixed[i].s.body;
        int block = d->block_of[flx_first_lam(d) + d->first_mixed + i];
        FLX_TRY(flx_layout_couple_bodies(d, body));
        FLX_TRY(flx_layout_couple_row(d, block, body));
    }
    return FLX_OK;
}

static void fill_ends(const flx_descriptor *d, flx_scalar *s)
{
    s->turn = s->kind == FLX_SCALAR_ANGLE ? d->switch_of_joint[s->turn] : -1;
    flx_layout_ends(d, s->body, &s->e);
}

// (MIX-1) the row (k, c, 1)/(k + c/h0): finite for every stiffness and damping. h0 is a typical
// step; it scales the row and does not change its solution.
static void fill_mixed(flx_descriptor *d, int i)
{
    const flx_model *m = d->model;
    const flx_spring *p = d->mixed + i;
    const flx_force *f = m->forces + d->mixed_force[i];
    double h0 = m->simulate.def.step > 0 ? m->simulate.def.step : 1e-3 * m->simulate.until;
    double size = fabs(p->k) + fabs(p->c) / (h0 > 0 ? h0 : 1e-3);
    int row = d->first_mixed + i, unknown = flx_first_lam(d) + row;
    flx_scalar_row *r = d->scalars + d->nscalar++;
    *r = (flx_scalar_row){.row = row,
                          .nterm = 1,
                          .term = {p->s},
                          .coefficient = {1.0},
                          .motion = -1,
                          .constant = p->rest,
                          .sigma = p->k / size,
                          .tau = p->c / size,
                          .C = 1.0 / size};
    flx_layout_place(d, unknown, p->s.body, &r->place[0]);
    r->place[0].row = row;
    r->diag = flx_layout_slot(d, unknown, unknown);
    d->rows[row] = (flx_row_info){.item = f->name,
                                  .part = "pull",
                                  .loc = f->loc,
                                  .complete = d->joint_lam + i,
                                  .joint = -1,
                                  .constraint = -1,
                                  .metres = true,
                                  .sigma = r->sigma,
                                  .tau = r->tau,
                                  .C = r->C};
}

void flx_forces_fill(flx_descriptor *d)
{
    for (int i = 0; i < d->nspring; i++) {
        fill_ends(d, &d->springs[i].s);
        if (d->springs[i].centred) fill_ends(d, &d->springs[i].centre);
    }
    for (int i = 0; i < d->ntwist; i++) flx_layout_ends(d, d->twists[i].body, &d->twists[i].e);
    for (int i = 0; i < d->nattraction; i++) {
        flx_layout_ends(d, d->attractions[i].body, &d->attractions[i].e);
    }
    for (int i = 0; i < d->nmixed; i++) {
        fill_ends(d, &d->mixed[i].s);
        fill_mixed(d, i);
    }
}
