// descriptor_force.c - forces that need no expression: which arrays of kernels they go to.
#include "descriptor/descriptor_parts.h"

flx_status flx_forces_place(const flx_descriptor *d, const flx_force *f, int side, double s[3])
{
    return flx_force_place_from_centre(d->model, f, side, d->base.ctx, FLX_SAME_PLACE * d->length,
                                       s);
}

static flx_status plan_parts(const flx_descriptor *d, const flx_force *f, flx_force_plan *p)
{
    return flx_force_plan_parts(d->model, f, d->base.ctx, FLX_SAME_PLACE * d->length, p);
}

flx_status flx_forces_scalar(const flx_descriptor *d, const flx_force *f, flx_scalar *s)
{
    flx_force_plan p;
    FLX_TRY(plan_parts(d, f, &p));
    *s = p.part[0].s;
    return FLX_OK;
}

static bool is_law(const flx_force *f)
{
    return f->mixed && f->kind->along;
}

// The place for component k of force i: among the springs, or among those whose pull is an unknown.
// With neither stiffness nor damping there is no force that could be one.
static flx_spring *next_spring(flx_descriptor *d, int i, const flx_force_part *part)
{
    const flx_force *f = d->model->forces + i;
    const int k = part->component;
    flx_spring *p;
    if (f->mixed && (f->stiffness[k] != 0 || f->damping[k] != 0)) {
        d->mixed_of[d->nmixed] = (flx_mixed_of){
            .force = i, .component = k, .part = part->name, .sign = f->kind->sign, .law = -1};
        p = d->mixed + d->nmixed++;
    } else {
        p = d->springs + d->nspring++;
    }
    *p = (flx_spring){.k = f->stiffness[k], .c = f->damping[k], .open = f->damping_open[k] != 0};
    return p;
}

// A line without length at rest has the potential k |d|^2/2.
static void centre(const flx_descriptor *d, flx_spring *p)
{
    p->centred = true;
    p->centre = p->s;
    p->centre.kind = d->planar ? FLX_SCALAR_SQUARE2 : FLX_SCALAR_SQUARE;
    p->centre.length = 1.0; // (|d|^2 - 1)/2: the gradient is d
}

// The components of the rotation vector together, where they are no unknowns.
static void plan_twist(flx_descriptor *d, const flx_force *f)
{
    flx_twist *t = d->twists + d->ntwist++;
    memcpy(t->body, f->body, sizeof t->body);
    memcpy(t->F, f->frame, sizeof t->F);
    memcpy(t->k, f->stiffness + 3, sizeof t->k);
    memcpy(t->c, f->damping + 3, sizeof t->c);
}

static flx_status plan_elastic(flx_descriptor *d, int number)
{
    const flx_force *f = d->model->forces + number;
    flx_force_plan plan;
    FLX_TRY(plan_parts(d, f, &plan));
    for (int i = 0; i < plan.npart; i++) {
        const flx_force_part *part = plan.part + i;
        int k = part->component, nmixed = d->nmixed;
        if (part->s.kind == FLX_SCALAR_TWIST) {
            if (!f->mixed && k == 3) plan_twist(d, f);
            if (!f->mixed || (f->stiffness[k] == 0 && f->damping[k] == 0)) continue;
        }
        flx_spring *p = next_spring(d, number, part);
        p->s = part->s;
        p->rest = part->rests ? f->length : 0.0;
        if (f->kind->line && p->rest == 0.0 && d->nmixed == nmixed) centre(d, p);
    }
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

// All but what attracts each other, into the arrays that are there.
static flx_status plan_forces(flx_descriptor *d)
{
    const flx_model *m = d->model;
    for (int i = 0; i < m->nforce; i++) {
        if (m->forces[i].kind->parts) FLX_TRY(plan_elastic(d, i));
    }
    for (int i = 0; i < m->nforce; i++) { // after those that have stiffness and damping
        const flx_force *f = m->forces + i;
        if (!is_law(f)) continue;
        d->mixed_of[d->nmixed] =
            (flx_mixed_of){.force = i, .part = "pull", .sign = f->kind->sign, .law = -1};
        FLX_TRY(flx_forces_scalar(d, f, &d->mixed[d->nmixed].s));
        d->nmixed++;
        d->nlaw++;
    }
    return FLX_OK;
}

flx_status flx_forces_plan(flx_descriptor *d)
{
    const flx_model *m = d->model;
    size_t n = (size_t)m->nforce;
    d->springs = flx_arena_take(d->arena, 3 * n, sizeof *d->springs); // a bushing has up to three
    d->mixed = flx_arena_take(d->arena, 6 * n, sizeof *d->mixed);     // ... or six
    d->mixed_of = flx_arena_take(d->arena, 6 * n, sizeof *d->mixed_of);
    d->twists = flx_arena_take(d->arena, n, sizeof *d->twists);
    if (!d->springs || !d->mixed || !d->mixed_of || !d->twists) return FLX_ERR_MEMORY;
    d->typical_step = flx_model_typical_step(m);
    for (int i = 0; i < m->nforce; i++) {
        const flx_force *f = m->forces + i;
        if (f->kind->attracts) FLX_TRY(plan_gravitation(d, f));
    }
    return plan_forces(d);
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

// (MIX-1) the row (k, c, 1)/(k + c/h0): finite for every stiffness and damping, infinite ones too.
static void scale_row(const flx_spring *p, double h0, flx_scalar_row *r)
{
    bool rigid = isinf(p->k), viscous = isinf(p->c);
    double size = fabs(p->k) + fabs(p->c) / h0;
    r->sigma = rigid ? 1.0 : p->k / size;
    r->tau = rigid ? 0.0 : viscous ? h0 : p->c / size;
    r->C = 1.0 / size;
}

static void fill_mixed(flx_descriptor *d, int i)
{
    const flx_model *m = d->model;
    const flx_spring *p = d->mixed + i;
    const flx_force *f = m->forces + d->mixed_of[i].force;
    int row = d->first_mixed + i, unknown = flx_first_lam(d) + row;
    flx_scalar_row *r = d->scalars + d->nscalar++;
    *r = (flx_scalar_row){.row = row,
                          .nterm = 1,
                          .term = {p->s},
                          .coefficient = {d->mixed_of[i].sign},
                          .motion = -1,
                          .constant = p->rest,
                          .C = 1.0};
    if (i < d->nmixed - d->nlaw) scale_row(p, d->typical_step, r);
    flx_layout_place(d, unknown, p->s.body, &r->place[0]);
    r->place[0].row = row;
    r->diag = flx_layout_slot(d, unknown, unknown);
    bool angle = p->s.kind == FLX_SCALAR_ANGLE || p->s.kind == FLX_SCALAR_ANGLE2 ||
                 p->s.kind == FLX_SCALAR_TWIST;
    d->rows[row] = (flx_row_info){.item = f->name,
                                  .part = d->mixed_of[i].part,
                                  .loc = f->loc,
                                  .complete = d->mixed_of[i].complete,
                                  .joint = -1,
                                  .constraint = -1,
                                  .metres = !angle,
                                  .sigma = r->sigma,
                                  .tau = r->tau,
                                  .C = r->C};
}

// (MIX-4) slopes of a law along its own coordinate and rate, from those along the unknowns.
static void find_slopes(const flx_descriptor *d, const flx_work *w, const flx_jet *j, int i,
                        double slope[2])
{
    const flx_scalar *s = &d->mixed[i].s;
    const flx_channel *c = d->expr.channels + d->expr.rows[d->mixed_of[i].law].channel;
    const double *by = flx_eval_output(d, w, FLX_GROUP_SLOPE);
    double size = 0.0, *g = w->force; // the gradient over the unknowns
    slope[0] = slope[1] = 0.0;
    flx_jet_add_force(s, j, 1.0, g);
    flx_follow_carry(d, w->follow.J, g);
    for (int u = 0; u < d->base.dims.nv; u++) size += g[u] * g[u];
    for (int n = c->dep; n < c->dep + c->ndep; n++) {
        const flx_dep *dep = d->expr.deps + n;
        if (dep->unknown >= 0 && dep->unknown < d->base.dims.nv) {
            slope[dep->rate] += by[n] * g[dep->unknown];
        }
    }
    memset(g, 0, (size_t)(flx_dims_unknowns(&d->base.dims) + flx_follow_rows(d)) * sizeof *g);
    for (int n = 0; n < 2; n++) {
        slope[n] /= size;
        if (!isfinite(slope[n])) slope[n] = 0.0;
    }
}

flx_status flx_forces_scale(flx_descriptor *d)
{
    flx_state *x = NULL;
    flx_work *w = NULL;
    if (d->nlaw == 0) return FLX_OK;
    if (d->whole && !d->compiled) {
        flx_select_scales(d);
        return FLX_OK;
    }
    flx_status status = flx_state_create(&d->base, &x);
    if (status == FLX_OK) status = flx_descriptor_draw(&d->base, x);
    if (status == FLX_OK) {
        w = d->base.ops->work_create(&d->base);
        if (!w) status = FLX_ERR_MEMORY;
    }
    if (status != FLX_OK) goto done;
    flx_point p = flx_state_point(&d->base, x);
    (void)flx_eval_begin(d, w, &p);
    flx_eval_group(d, w, FLX_GROUP_SLOPE);
    for (int i = d->nmixed - d->nlaw; i < d->nmixed; i++) {
        double slope[2], sign = d->mixed_of[i].sign;
        flx_jet j;
        flx_scalar_gradient(&d->mixed[i].s, w->frames, p.switches, &j);
        find_slopes(d, w, &j, i, slope);
        double C = 1.0 / (1.0 + fabs(slope[0]) + fabs(slope[1]) / d->typical_step);
        flx_row_info *row = d->rows + d->first_mixed + i;
        d->scalars[d->nscalar - d->nmixed + i].C = row->C = C;
        d->expr.rows[d->mixed_of[i].law].sign = C;
        row->sigma = sign * C * slope[0];
        row->tau = sign * C * slope[1];
    }

done:
    if (w) d->base.ops->work_destroy(w);
    flx_state_destroy(&x);
    return status;
}

// Rows of infinite stiffness are joints, and may be redundant.
void flx_forces_number(flx_descriptor *d)
{
    int kept = 0;
    d->complete_mixed = d->nmixed;
    for (int i = 0; i < d->nmixed; i++) {
        int complete = d->joint_lam + i;
        if (flx_rows_dropped(d, complete)) continue;
        d->mixed[kept] = d->mixed[i];
        d->mixed_of[kept] = d->mixed_of[i];
        d->mixed_of[kept++].complete = complete;
    }
    d->nmixed = kept;
    d->first_mixed = d->base.dims.nlam;
    d->base.dims.nlam += kept;
    d->first_constraint = d->base.dims.nlam;
}

int flx_forces_find_mixed(const flx_descriptor *d, int force, int component)
{
    for (int i = 0; i < d->nmixed; i++) {
        const flx_mixed_of *o = d->mixed_of + i;
        if (o->force == force && o->component == component) return d->first_mixed + i;
    }
    return -1;
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

// ---- numbers once more --------------------------------------------------------------------------

static void take_spring(flx_spring *to, const flx_spring *from)
{
    to->k = from->k;
    to->c = from->c;
    to->rest = from->rest;
    flx_scalar_take_numbers(&to->s, &from->s);
    flx_scalar_take_numbers(&to->centre, &from->centre);
}

static flx_status refuse(const flx_descriptor *d, const char *name, flx_loc loc, const char *what)
{
    return FLX_FAIL(d->base.ctx, FLX_ERR_CANNOT, loc,
                    "force '%s': %s; compile again with these parameters", name, what);
}

static flx_status renew_attractions(flx_descriptor *d)
{
    const flx_model *m = d->model;
    int n = 0;
    for (int k = 0; k < m->nforce; k++) {
        const flx_force *f = m->forces + k;
        if (!f->kind->attracts) continue;
        for (int i = 0; i < m->nbody; i++) {
            for (int j = i + 1; j < m->nbody; j++) {
                flx_attraction *a = d->attractions + n;
                double Gmm = f->G * m->bodies[i].mass * m->bodies[j].mass;
                bool here = n < d->nattraction && a->body[0] == i && a->body[1] == j;
                if (here) {
                    a->Gmm = Gmm;
                    n++;
                } else if (Gmm != 0.0) {
                    return refuse(d, f->name, f->loc, "a mass was zero, and is not");
                }
            }
        }
    }
    return FLX_OK;
}

// The row of a force that is an unknown.
static void renew_mixed(flx_descriptor *d, int i)
{
    flx_scalar_row *r = d->scalars + (d->nscalar - d->nmixed + i);
    flx_row_info *row = d->rows + d->first_mixed + i;
    const flx_spring *p = d->mixed + i;
    flx_scalar_take_numbers(r->term, &p->s);
    r->constant = p->rest;
    if (i >= d->nmixed - d->nlaw) return;
    scale_row(p, d->typical_step, r);
    row->sigma = r->sigma;
    row->tau = r->tau;
    row->C = r->C;
}

// They are planned as they were, one force at a time, beside the arrays that are there.
typedef struct planned {
    flx_spring spring[3], mixed[6];
    flx_mixed_of mixed_of[6];
    flx_twist twist;
} planned;

typedef struct renewal {
    int spring, twist, mixed; // next ones
    int complete;             // of all forces that are unknowns
} renewal;

static flx_status renew_springs(flx_descriptor *d, int i, const flx_descriptor *own, renewal *at)
{
    const flx_force *f = d->model->forces + i;
    for (int n = 0; n < own->nspring; n++) {
        flx_spring *to = d->springs + at->spring++;
        if (at->spring > d->nspring || to->centred != own->springs[n].centred) {
            return refuse(d, f->name, f->loc, "its length was zero, or is, and was not");
        }
        take_spring(to, own->springs + n);
    }
    for (int n = 0; n < own->nmixed; n++) {
        if (flx_rows_dropped(d, d->joint_lam + at->complete++)) continue;
        const flx_mixed_of *o = d->mixed_of + at->mixed, *as = own->mixed_of + n;
        if (at->mixed >= d->nmixed || o->force != i || o->component != as->component) {
            return refuse(d, f->name, f->loc, "it was nothing, or is, and was not");
        }
        take_spring(d->mixed + at->mixed++, own->mixed + n);
    }
    return FLX_OK;
}

// As the reader does.
static flx_status check_length(const flx_descriptor *d, const flx_force *f)
{
    if (!f->kind->line || f->length > 0.0) return FLX_OK;
    if (f->length == 0.0 && !f->mixed) return FLX_OK;
    return FLX_FAIL(d->base.ctx, FLX_ERR_MODEL, f->loc,
                    "with these parameters the length of spring '%s' is %g; it must %s", f->name,
                    f->length,
                    f->mixed ? "be positive, for its force is an unknown" : "not be negative");
}

static flx_status renew_force(flx_descriptor *d, int i, flx_descriptor *own, renewal *at)
{
    const flx_force *f = d->model->forces + i;
    FLX_TRY(check_length(d, f));
    own->nspring = own->nmixed = own->ntwist = 0;
    FLX_TRY(plan_elastic(own, i));
    if (own->ntwist > 0) {
        flx_twist *t = d->twists + at->twist++;
        memcpy(t->F, own->twists->F, sizeof t->F);
        memcpy(t->k, own->twists->k, sizeof t->k);
        memcpy(t->c, own->twists->c, sizeof t->c);
    }
    return renew_springs(d, i, own, at);
}

flx_status flx_forces_renew(flx_descriptor *d)
{
    const flx_model *m = d->model;
    renewal at = {0};
    planned k;
    flx_descriptor own = *d;
    own.springs = k.spring;
    own.mixed = k.mixed;
    own.mixed_of = k.mixed_of;
    own.twists = &k.twist;
    FLX_TRY(renew_attractions(d));
    for (int i = 0; i < m->nforce; i++) {
        if (m->forces[i].kind->parts) FLX_TRY(renew_force(d, i, &own, &at));
    }
    for (int i = d->nmixed - d->nlaw; i < d->nmixed; i++) {
        flx_scalar s;
        FLX_TRY(flx_forces_scalar(d, m->forces + d->mixed_of[i].force, &s));
        flx_scalar_take_numbers(&d->mixed[i].s, &s);
    }
    if (at.spring != d->nspring || at.mixed != d->nmixed - d->nlaw) {
        return FLX_FAIL(d->base.ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "a spring was nothing, or is, and was not: compile again with these "
                        "parameters");
    }
    for (int i = 0; i < d->nmixed; i++) renew_mixed(d, i);
    return FLX_OK;
}
