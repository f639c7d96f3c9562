// term_pull.c - forces that are unknowns: springs of `form: mixed`, laws by expressions, and normal forces of contacts. Each has a
// row among the constraints, after those of the joints, by which it acts; here are its number, its law and its energy. The laws
// of contacts are in term_contact.c.
#include "descriptor/terms/expression_items.h"

typedef struct pull_of { // what each is of
    int force, component;
    const char *part; // what messages call it
    int complete;     // row in the complete system
    double sign; // of the force on the bodies: +G^T for a pull, -G^T along a joint's coordinate
    int law;     // row of the expressions that gives it; -1: stiffness and damping do
    double C;    // of a contact: scale of its row
} pull_of;

typedef struct pulls {
    int n;
    flx_spring *of;
    pull_of *what;    // (n)
    int nlaw;         // so many after those of stiffness and damping are given by expressions,
    int ntouch;       // ... and the last so many by contacts
    double step;      // a typical one: scales their rows and does not change their solution
    int complete;     // their number when none is left out
    int first;        // row of the first among the constraints
    int first_scalar; // of their rows
} pulls;

static pulls *pulls_of(const flx_descriptor *d)
{
    return d->own[FLX_TERM_PULL];
}

static int first_law(const pulls *own)
{
    return own->n - own->nlaw - own->ntouch;
}

static int first_touch(const pulls *own)
{
    return own->n - own->ntouch;
}

static flx_scalar_row *row_of(const flx_descriptor *d, int i)
{
    return d->scalars + pulls_of(d)->first_scalar + i;
}

int flx_pulls_count(const flx_descriptor *d)
{
    return pulls_of(d) ? pulls_of(d)->n : 0;
}

int flx_pulls_complete(const flx_descriptor *d)
{
    return pulls_of(d) ? pulls_of(d)->complete : 0;
}

int flx_pulls_laws(const flx_descriptor *d)
{
    return pulls_of(d) ? pulls_of(d)->nlaw : 0;
}

int flx_pulls_find(const flx_descriptor *d, int force, int component)
{
    const pulls *own = pulls_of(d);
    for (int i = 0; own && i < own->n; i++) {
        const pull_of *o = own->what + i;
        if (o->force == force && o->component == component) return own->first + i;
    }
    return -1;
}

const int *flx_pulls_bodies(const flx_descriptor *d, int row)
{
    const pulls *own = pulls_of(d);
    int i = own ? row - own->first : -1;
    bool relative = i >= 0 && i < own->n && (i < first_law(own) || i >= first_touch(own));
    return relative ? own->of[i].s.body : NULL;
}

// ---- making -------------------------------------------------------------------------------------

static flx_status plan_elastic(const flx_descriptor *d, int number, pulls *to)
{
    const flx_force *f = d->model->forces + number;
    flx_force_plan plan;
    FLX_TRY(flx_forces_parts(d, f, &plan));
    for (int i = 0; i < plan.npart; i++) {
        const flx_force_part *part = plan.part + i;
        if (flx_forces_goes(f, part) != FLX_PART_PULL) continue;
        to->what[to->n] = (pull_of){.force = number,
                                    .component = part->component,
                                    .part = part->name,
                                    .sign = f->kind->sign,
                                    .law = -1};
        to->of[to->n++] = flx_forces_spring(f, part);
    }
    return FLX_OK;
}

static flx_status plan_law(const flx_descriptor *d, int number, pulls *to)
{
    const flx_force *f = d->model->forces + number;
    to->what[to->n] = (pull_of){.force = number, .part = "pull", .sign = f->kind->sign, .law = -1};
    FLX_TRY(flx_forces_scalar(d, f, &to->of[to->n].s));
    to->n++;
    to->nlaw++;
    return FLX_OK;
}

static flx_status plan(flx_descriptor *d)
{
    const flx_model *m = d->model;
    size_t most = 0;
    for (int i = 0; i < m->nforce; i++) most += m->forces[i].mixed ? FLX_MOST_FORCE_PARTS : 0;
    for (int i = 0; i < m->ncontact; i++) {
        if (m->contacts[i].mixed) most += (size_t)flx_contacts_most(m->contacts + i);
    }
    if (most == 0) return FLX_OK;
    pulls *own = flx_arena_take(d->arena, 1, sizeof *own);
    if (!own) return FLX_ERR_MEMORY;
    own->of = flx_arena_take(d->arena, most, sizeof *own->of);
    own->what = flx_arena_take(d->arena, most, sizeof *own->what);
    if (!own->of || !own->what) return FLX_ERR_MEMORY;
    own->step = flx_model_typical_step(m);
    for (int i = 0; i < m->nforce; i++) {
        const flx_force *f = m->forces + i;
        if (f->mixed && f->kind->parts) FLX_TRY(plan_elastic(d, i, own));
    }
    for (int i = 0; i < m->nforce; i++) { // after those that have stiffness and damping
        const flx_force *f = m->forces + i;
        if (f->mixed && f->kind->along) FLX_TRY(plan_law(d, i, own));
    }
    d->own[FLX_TERM_PULL] = own;
    return FLX_OK;
}

void flx_pulls_add_touch(flx_descriptor *d, int force, int component, const flx_scalar *gap,
                         double C)
{
    pulls *own = pulls_of(d);
    own->what[own->n] = (pull_of){
        .force = force, .component = component, .part = "push", .sign = 1.0, .law = -1, .C = C};
    own->of[own->n++].s = *gap;
    own->ntouch++;
}

// Rows of infinite stiffness are joints, and may be redundant.
void flx_pulls_number(flx_descriptor *d)
{
    pulls *own = pulls_of(d);
    int kept = 0;
    if (!own) return;
    own->complete = own->n;
    for (int i = 0; i < own->n; i++) {
        int complete = d->joint_lam + i;
        if (flx_rows_dropped(d, complete)) continue;
        own->of[kept] = own->of[i];
        own->what[kept] = own->what[i];
        own->what[kept++].complete = complete;
    }
    own->n = kept;
    own->first = d->base.dims.nlam;
    d->base.dims.nlam += kept;
}

// (MIX-4) C (value - lambda) = 0.
flx_status flx_pulls_plan_laws(flx_descriptor *d)
{
    const pulls *own = pulls_of(d);
    for (int i = own ? first_law(own) : 0; own && i < first_touch(own); i++) {
        const flx_force *f = d->model->forces + own->what[i].force;
        int channel;
        FLX_TRY(flx_expr_channel(d, f->value, f->loc, f->name, &channel));
        flx_expr_items *items = flx_items_of(d);
        own->what[i].law = items->nrow;
        items->rows[items->nrow++] = (flx_expr_row){.channel = channel,
                                                    .row = flx_first_lam(d) + own->first + i,
                                                    .acceleration = -1,
                                                    .sign = 1.0, // until it is scaled
                                                    .mass_rate = -1};
    }
    return FLX_OK;
}

static flx_status couple(flx_descriptor *d)
{
    const pulls *own = pulls_of(d);
    for (int i = 0; i < own->n; i++) {
        const int *body = own->of[i].s.body;
        int block = d->block_of[flx_first_lam(d) + own->first + i];
        FLX_TRY(flx_layout_couple_bodies(d, body));
        FLX_TRY(flx_layout_couple_row(d, block, body));
    }
    return FLX_OK;
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

static void fill_row(flx_descriptor *d, int i)
{
    const pulls *own = pulls_of(d);
    const flx_spring *p = own->of + i;
    const flx_force *f = d->model->forces + own->what[i].force;
    int row = own->first + i, unknown = flx_first_lam(d) + row;
    flx_scalar_row *r = d->scalars + d->nscalar++;
    *r = (flx_scalar_row){.row = row,
                          .nterm = 1,
                          .term = {p->s},
                          .coefficient = {own->what[i].sign},
                          .motion = -1,
                          .constant = p->rest,
                          .C = 1.0};
    if (i < first_law(own)) scale_row(p, own->step, r);
    if (i >= first_touch(own)) {
        r->C = own->what[i].C;
        r->elsewhere = true;
    }
    flx_layout_place(d, unknown, p->s.body, &r->place[0]);
    r->place[0].row = row;
    r->diag = flx_layout_slot(d, unknown, unknown);
    bool angle = p->s.kind == FLX_SCALAR_ANGLE || p->s.kind == FLX_SCALAR_ANGLE2 ||
                 p->s.kind == FLX_SCALAR_TWIST;
    d->rows[row] = (flx_row_info){.item = f->name,
                                  .part = own->what[i].part,
                                  .loc = f->loc,
                                  .complete = own->what[i].complete,
                                  .joint = -1,
                                  .constraint = -1,
                                  .metres = !angle,
                                  .one_sided = i >= first_touch(own),
                                  .sigma = i >= first_touch(own) ? 1.0 : r->sigma,
                                  .tau = r->tau,
                                  .C = r->C};
}

static flx_status fill(flx_descriptor *d)
{
    pulls *own = pulls_of(d);
    own->first_scalar = d->nscalar;
    for (int i = 0; i < own->n; i++) {
        flx_forces_fill_scalar(d, &own->of[i].s);
        fill_row(d, i);
    }
    return FLX_OK;
}

static void mark(flx_descriptor *d)
{
    const pulls *own = pulls_of(d);
    for (int i = 0; i < own->n; i++) {
        if (own->of[i].open || i >= first_touch(own)) flx_layout_mark_row(d, row_of(d, i), true);
    }
}

// ---- scales of laws -----------------------------------------------------------------------------

// (MIX-4) slopes of a law along its own coordinate and rate, from those along the unknowns.
static void find_slopes(const flx_descriptor *d, const flx_descriptor_work *w, const flx_jet *j,
                        int i, double slope[2])
{
    const pulls *own = pulls_of(d);
    const flx_scalar *s = &own->of[i].s;
    const flx_channel *c = d->expr.channels + flx_items_of(d)->rows[own->what[i].law].channel;
    const double *by = flx_eval_output(d, w, FLX_GROUP_SLOPE);
    double size = 0.0, *g = w->force; // the gradient over the unknowns
    slope[0] = slope[1] = 0.0;
    flx_jet_add_force(s, j, 1.0, g);
    flx_attached_carry(d, w->attached.J, g);
    for (int u = 0; u < d->base.dims.nv; u++) size += g[u] * g[u];
    for (int n = c->dep; n < c->dep + c->ndep; n++) {
        const flx_dep *dep = d->expr.deps + n;
        if (dep->unknown >= 0 && dep->unknown < d->base.dims.nv) {
            slope[dep->rate] += by[n] * g[dep->unknown];
        }
    }
    memset(g, 0, (size_t)(flx_dims_unknowns(&d->base.dims) + flx_attached_rows(d)) * sizeof *g);
    for (int n = 0; n < 2; n++) {
        slope[n] /= size;
        if (!isfinite(slope[n])) slope[n] = 0.0;
    }
}

static void set_scale(flx_descriptor *d, int i, double sigma, double tau, double C)
{
    const pulls *own = pulls_of(d);
    flx_row_info *row = d->rows + own->first + i;
    row_of(d, i)->C = row->C = C;
    flx_items_of(d)->rows[own->what[i].law].sign = C;
    row->sigma = sigma;
    row->tau = tau;
}

// Of a selection they are those of the complete system.
static void take_scales(flx_descriptor *d)
{
    const pulls *own = pulls_of(d), *from = pulls_of(d->whole);
    for (int i = first_law(own); i < first_touch(own); i++) {
        int k = own->what[i].complete - d->whole->joint_lam; // its number there
        const flx_row_info *row = d->whole->rows + from->first + k;
        set_scale(d, i, row->sigma, row->tau, row->C);
    }
}

flx_status flx_pulls_scale(flx_descriptor *d)
{
    const pulls *own = pulls_of(d);
    flx_state *x = NULL;
    flx_descriptor_work *w = NULL;
    if (!own || own->nlaw == 0) return FLX_OK;
    if (d->whole && !d->compiled) {
        take_scales(d);
        return FLX_OK;
    }
    FLX_TRY(flx_descriptor_drawn(d, &x, &w));
    flx_point p = flx_state_point(&d->base, x);
    (void)flx_eval_begin(d, w, &p);
    flx_eval_group(d, w, FLX_GROUP_SLOPE);
    for (int i = first_law(own); i < first_touch(own); i++) {
        double slope[2], sign = own->what[i].sign;
        flx_jet j;
        flx_scalar_gradient(&own->of[i].s, w->frames, p.switches, &j);
        find_slopes(d, w, &j, i, slope);
        double C = 1.0 / (1.0 + fabs(slope[0]) + fabs(slope[1]) / own->step);
        set_scale(d, i, sign * C * slope[0], sign * C * slope[1], C);
    }
    d->base.ops->work_destroy(&w->base);
    flx_state_destroy(&x);
    return FLX_OK;
}

// ---- numbers once more --------------------------------------------------------------------------

static flx_status take(flx_descriptor *d)
{
    pulls *own = FLX_OWN(d, d->own[FLX_TERM_PULL], 1, sizeof *own);
    bool fine = own && FLX_OWN(d, own->of, own->n, sizeof *own->of);
    return fine ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status renew_elastic(const flx_descriptor *d, int number, int *next, int *complete)
{
    const flx_force *f = d->model->forces + number;
    const pulls *own = pulls_of(d);
    flx_force_plan plan;
    FLX_TRY(flx_forces_renew_parts(d, f, &plan));
    for (int i = 0; i < plan.npart; i++) {
        const flx_force_part *part = plan.part + i;
        if (flx_forces_goes(f, part) != FLX_PART_PULL) continue;
        if (flx_rows_dropped(d, d->joint_lam + (*complete)++)) continue;
        const pull_of *o = own->what + *next;
        if (*next >= first_law(own) || o->force != number || o->component != part->component) {
            return flx_forces_refuse(
                d, f, "with these parameters a stiffness or damping becomes zero, or no longer is");
        }
        flx_spring now = flx_forces_spring(f, part);
        flx_forces_take_numbers(own->of + (*next)++, &now);
    }
    return FLX_OK;
}

static void renew_row(flx_descriptor *d, int i)
{
    const pulls *own = pulls_of(d);
    flx_scalar_row *r = row_of(d, i);
    flx_row_info *row = d->rows + own->first + i;
    const flx_spring *p = own->of + i;
    flx_scalar_take_numbers(r->term, &p->s);
    r->constant = p->rest;
    if (i >= first_law(own)) return;
    scale_row(p, own->step, r);
    row->sigma = r->sigma;
    row->tau = r->tau;
    row->C = r->C;
}

static flx_status renew(flx_descriptor *d)
{
    const flx_model *m = d->model;
    const pulls *own = pulls_of(d);
    int next = 0, complete = 0;
    for (int i = 0; i < m->nforce; i++) {
        if (m->forces[i].kind->parts) FLX_TRY(renew_elastic(d, i, &next, &complete));
    }
    if (next != first_law(own)) {
        return flx_forces_refuse(
            d, m->forces + own->what[next].force,
            "with these parameters a stiffness or damping becomes zero, or no longer is");
    }
    for (int i = next; i < first_touch(own); i++) {
        flx_scalar s;
        FLX_TRY(flx_forces_scalar(d, m->forces + own->what[i].force, &s));
        flx_scalar_take_numbers(&own->of[i].s, &s);
    }
    for (int i = 0; i < first_touch(own); i++) renew_row(d, i);
    return FLX_OK;
}

const flx_scalar_row *flx_pulls_row(const flx_descriptor *d, int row)
{
    return row_of(d, row - pulls_of(d)->first);
}

void flx_pulls_scale_touch(flx_descriptor *d, int row, double C)
{
    row_of(d, row - pulls_of(d)->first)->C = d->rows[row].C = C;
}

// ---- energy -------------------------------------------------------------------------------------

static void energy(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                   flx_energies *e)
{
    const pulls *own = pulls_of(d);
    for (int i = first_law(own); i < first_touch(own); i++) {
        const flx_scalar *s = &own->of[i].s;
        double force = -own->what[i].sign * p->lam[own->first + i];
        flx_jet j;
        flx_scalar_gradient(s, w->frames, p->switches, &j);
        flx_energy_add_power(e, d->model->forces[own->what[i].force].dissipative,
                             force * flx_jet_rate(s, &j, p->v));
    }
    flx_spring_energy_mixed(first_law(own), own->of, w->frames, p->switches, p->v,
                            p->lam + own->first, own->step, e);
}

const flx_term flx_term_pull = {
    .plan = plan,
    .couple = couple,
    .fill = fill,
    .mark = mark,
    .take = take,
    .renew = renew,
    .energy = energy,
};
