// stepping.c - the cone problem of a step, see stepping.h.
#include "integrate/steps/stepping.h"

#include "integrate/method.h"
#include "integrate/newton_matrix.h"

#include <string.h>

#define NEARLY 1e-8   // residual of the law that is not worth a word
#define SLIP 1e-9     // of the largest velocity: what slides
#define NO_SLIP 1e-15 // ... and of the length in a step
#define LIMIT 1e-6    // of the limit of friction: what is below it sticks
#define INSIDE 1e-6   // of the length: overlap at the start that is refused
#define EXPECTED 8    // points of a body that memory is taken for at the start
#define GAINS 1e-9    // of the sizes of its terms: energy that is not rounding

static int first_row(const flx_stepping *t)
{
    return flx_dims_first_constraint(&t->s->dims);
}

// ---- what it takes ----------------------------------------------------------------------------------------

static flx_status refuse(flx_integrator *it, flx_loc loc, const char *what, const char *instead)
{
    return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, loc, "method '%s' %s; %s", it->type->name, what,
                    instead);
}

flx_status flx_stepping_check(flx_integrator *it)
{
    const flx_system *s = it->sys;
    if (s->pattern.extra > 0 || s->ops->factor) {
        return refuse(it, FLX_NOWHERE, "wants coordinates of bodies", "leave 'formulation' out");
    }
    if (it->def.impacts == FLX_IMPACTS_SEQUENTIAL)
        return refuse(it, FLX_NOWHERE, "meets all impacts of a step at once with contacts: steps",
                      "'impacts: sequential' is for 'contacts: events'");
    if (it->def.formulation != FLX_FORMULATION_AUTO)
        return refuse(it, FLX_NOWHERE, "closes joints in a way of its own",
                      "leave 'formulation' out");
    if (s->ops->contacts && s->ops->contacts->count(s) > 0) {
        flx_contact_group g;
        s->ops->contacts->group(s, 0, &g);
        return refuse(
            it, g.loc,
            "meets contacts between bodies step by step, and no others that open and close",
            "use radau or generalized-alpha, which locate them");
    }
    if (s->reads_multipliers != FLX_READS_NOTHING)
        return refuse(it, FLX_NOWHERE, "has no forces that read reactions", "use radau");
    for (int i = 0; i < flx_dims_unknowns(&s->dims); i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        if (u.kind == FLX_UNKNOWN_STATE || u.kind == FLX_UNKNOWN_ALGEBRAIC)
            return refuse(it, u.loc, "moves what has inertia, and no first-order states",
                          "use radau or generalized-alpha");
    }
    return FLX_OK;
}

// ---- life ---------------------------------------------------------------------------------------------------

void flx_stepping_read_rows(flx_stepping *t, const double *switches)
{
    for (int i = 0; i < t->nrow; i++) {
        flx_unknown u;
        flx_unknown_at(t->s, switches, first_row(t) + i, &u);
        bool level = u.kind == FLX_UNKNOWN_VELOCITY_CONSTRAINT;
        t->sigma[i] = level ? 0.0 : u.sigma;
        t->tau[i] = level ? 1.0 : u.tau;
        t->C[i] = level ? u.E : u.C;
        t->scale[i] = u.scale > 0 ? u.scale : 1.0;
    }
}

// Memory for as many points as there are likely to be; more of them grow it.
static flx_status reserve(flx_ctx *ctx, flx_stepping *t)
{
    int n = EXPECTED * (t->nvblock + 1);
    FLX_TRY(flx_grow(ctx, (void **)&t->row, &t->room_row, t->s->dims.nv, sizeof *t->row));
    FLX_TRY(flx_grow(ctx, (void **)&t->group, &t->room_group, n, sizeof *t->group));
    FLX_TRY(flx_grow(ctx, (void **)&t->limit, &t->room_limit, n, sizeof *t->limit));
    FLX_TRY(flx_grow(ctx, (void **)&t->memory, &t->room_memory, n, sizeof *t->memory));
    FLX_TRY(flx_grow(ctx, (void **)&t->next, &t->room_next, n, sizeof *t->next));
    return flx_cone_reserve_sparse(t->cone, t->nvblock, t->s->dims.nv, t->nrow + n);
}

flx_status flx_stepping_parts(flx_ctx *ctx, int n, const flx_stepping_part *parts, double **block)
{
    size_t size = 0;
    for (int i = 0; i < n; i++) size += parts[i].n;
    double *next = *block = flx_alloc(ctx, size, sizeof *next);
    if (!next) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        *parts[i].at = next;
        next += parts[i].n;
    }
    return FLX_OK;
}

flx_status flx_stepping_create(flx_integrator *it, flx_stepping **out)
{
    const flx_system *s = it->sys;
    const flx_pattern *p = &s->pattern;
    flx_stepping *t = flx_alloc(it->ctx, 1, sizeof *t);
    *out = t;
    if (!t) return FLX_ERR_MEMORY;
    t->s = s;
    t->nrow = s->dims.nlam + s->dims.nmu;
    t->rest = it->def.rest_velocity;
    t->length = s->ops->touches ? s->ops->touches->length(s) : 1.0;
    while (t->nvblock < p->nblock && p->start[t->nvblock] < s->dims.nv) t->nvblock++;
    size_t n = (size_t)t->nrow;
    t->cone = flx_cone_create(it->ctx);
    t->sigma = flx_alloc(it->ctx, 8 * n, sizeof *t->sigma);
    t->values = flx_alloc(it->ctx, (size_t)p->offset[p->row[p->nblock]], sizeof *t->values);
    if (!t->cone || !t->sigma || !t->values) return FLX_ERR_MEMORY;
    t->tau = t->sigma + n, t->C = t->tau + n, t->scale = t->C + n;
    t->joint = t->scale + n, t->b = t->joint + n, t->compliance = t->b + n;
    t->rate = t->compliance + n;
    return reserve(it->ctx, t);
}

void flx_stepping_destroy(flx_stepping **at)
{
    if (!*at) return;
    flx_stepping *t = *at;
    flx_cone_destroy(&t->cone);
    flx_free(t->sigma);
    flx_free(t->values);
    flx_free(t->row);
    flx_free(t->memory);
    flx_free(t->next);
    flx_free(t->group);
    flx_free(t->limit);
    flx_free(t);
    *at = NULL;
}

void flx_stepping_memory(flx_stepping *t, flx_memory *m)
{
    flx_memory_numbers(m, t->sigma, 5 * (size_t)t->nrow); // and tau, C, scale, joint behind it
    FLX_PASS(m, t->looked);
    FLX_PASS(m, t->nmemory);
    // a loaded number is that of the saved run
    if (t->nmemory > t->room_memory && flx_grow(t->s->ctx, (void **)&t->memory, &t->room_memory,
                                                t->nmemory, sizeof *t->memory) != FLX_OK)
        t->nmemory = 0;
    for (int i = 0; i < t->nmemory; i++) FLX_PASS(m, t->memory[i]);
}

// ---- the problem --------------------------------------------------------------------------------------------

flx_status flx_stepping_find(flx_stepping *t, flx_work *w, const flx_point *p, double reach)
{
    t->npoint = 0;
    if (!t->s->ops->touches) return FLX_OK;
    FLX_TRY(t->s->ops->touches->find(t->s, w, p, reach, &t->npoint, &t->points));
    FLX_TRY(flx_grow(t->s->ctx, (void **)&t->group, &t->room_group, t->npoint, sizeof *t->group));
    FLX_TRY(flx_grow(t->s->ctx, (void **)&t->limit, &t->room_limit, t->npoint, sizeof *t->limit));
    for (int i = 0; i < t->npoint; i++) t->group[i] = -1;
    return FLX_OK;
}

flx_status flx_stepping_look(flx_stepping *t, flx_work *w, const flx_point *p)
{
    if (t->looked) return FLX_OK;
    int deepest = -1;
    FLX_TRY(flx_stepping_find(t, w, p, 0.0));
    for (int i = 0; i < t->npoint; i++) {
        if (t->points[i].gap < -INSIDE * t->length &&
            (deepest < 0 || t->points[i].gap < t->points[deepest].gap))
            deepest = i;
    }
    t->looked = true;
    if (deepest < 0) return FLX_OK;
    flx_loc loc = FLX_NOWHERE;
    const char *name = t->s->ops->touches->item(t->s, t->points[deepest].contact, &loc);
    return FLX_FAIL(t->s->ctx, FLX_INCONSISTENT, loc,
                    "'%s': the bodies are inside each other at the start, t = %.9g: the gap is "
                    "%.6g; move them apart by that",
                    name ? name : "?", p->t, t->points[deepest].gap);
}

flx_status flx_stepping_begin(flx_stepping *t, const flx_blocks *blocks, double c2, double c1,
                              double c0)
{
    const flx_pattern *p = &t->s->pattern;
    int last = p->offset[p->row[t->nvblock]];
    for (int i = 0; i < last; i++)
        t->values[i] = c2 * blocks->A2[i] + c1 * blocks->A1[i] + c0 * blocks->A0[i];
    flx_cone_matrix M = {.nblock = t->nvblock,
                         .start = p->start,
                         .row = p->row,
                         .col = p->col,
                         .offset = p->offset,
                         .value = t->values};
    t->ngroup = 0;
    return flx_cone_begin(t->cone, &M);
}

flx_status flx_stepping_free_motion(flx_stepping *t, double *rhs)
{
    return flx_cone_free_motion(t->cone, rhs);
}

// Row i of joints out of the linearisation: G, or A.
static flx_status add_joint(flx_stepping *t, const flx_blocks *blocks, int block, int i)
{
    const flx_pattern *p = &t->s->pattern;
    int line = first_row(t) + i - p->start[block], n = 0;
    const double *from = t->tau[i] != 0 ? blocks->A1 : blocks->A0;
    double by = t->tau[i] != 0 ? 1 / t->tau[i] : 1 / t->sigma[i];
    flx_cone_rows rows = {.n = 1, .holds = true, .b = {t->b[i]}, .lambda = {t->joint[i]}};
    rows.compliance[0] = t->compliance[i];
    FLX_TRY(flx_grow(t->s->ctx, (void **)&t->row, &t->room_row, t->s->dims.nv, sizeof *t->row));
    for (int e = p->row[block]; e < p->row[block + 1]; e++) {
        int col = p->col[e], size = p->start[col + 1] - p->start[col];
        if (col >= t->nvblock) continue;
        if (rows.npart == FLX_CONE_PARTS) return FLX_ERR_CANNOT;
        double any = 0, *out = t->row + n;
        for (int k = 0; k < size; k++) {
            out[k] = by * from[p->offset[e] + line * size + k];
            any += fabs(out[k]);
        }
        if (any == 0) continue;
        rows.block[rows.npart] = col;
        rows.J[rows.npart++] = out;
        n += size;
    }
    t->ngroup++;
    return flx_cone_add(t->cone, &rows);
}

flx_status flx_stepping_add_joints(flx_stepping *t, const flx_blocks *blocks, bool positions)
{
    const flx_pattern *p = &t->s->pattern;
    for (int block = t->nvblock; block < p->nblock; block++) {
        for (int k = p->start[block]; k < p->start[block + 1]; k++) {
            int i = k - first_row(t);
            if (i < 0 || (t->sigma[i] == 0 && t->tau[i] == 0)) continue; // an open row
            if (positions && (t->tau[i] != 0 || t->C[i] != 0)) continue;
            FLX_TRY(add_joint(t, blocks, block, i));
        }
    }
    return FLX_OK;
}

// Of the last problem: the same pair and feature, the nearest place in the list first.
static const flx_touch_memory *recall(const flx_stepping *t, int point)
{
    const flx_touch_point *of = t->points + point;
    for (int k = 0; k < t->nmemory; k++) {
        const flx_touch_memory *m = t->memory + (point + k) % t->nmemory;
        if (m->pair == of->pair && m->feature == of->feature) return m;
    }
    return NULL;
}

// rows of joints times v (nv), added to out (nrow)
static void add_rates(const flx_stepping *t, const flx_blocks *blocks, const double *v, double *out)
{
    const flx_pattern *p = &t->s->pattern;
    int first = first_row(t);
    for (int block = t->nvblock; block < p->nblock; block++) {
        for (int e = p->row[block]; e < p->row[block + 1]; e++) {
            int col = p->col[e], size = p->start[col + 1] - p->start[col];
            for (int k = p->start[block]; col < t->nvblock && k < p->start[block + 1]; k++) {
                int i = k - first, at = p->offset[e] + (k - p->start[block]) * size;
                if (i < 0 || (t->sigma[i] == 0 && t->tau[i] == 0)) continue;
                const double *row = (t->tau[i] != 0 ? blocks->A1 : blocks->A0) + at;
                double by = t->tau[i] != 0 ? t->tau[i] : t->sigma[i];
                for (int l = 0; l < size; l++) out[i] += row[l] / by * v[p->start[col] + l];
            }
        }
    }
}

void flx_stepping_add_free(flx_stepping *t, const flx_blocks *blocks, const double *free)
{
    add_rates(t, blocks, free, t->b);
}

static flx_status add(flx_stepping *t, int point, flx_cone_rows *rows)
{
    const flx_touch_point *of = t->points + point;
    rows->npart = of->npart;
    for (int k = 0; k < of->npart; k++) {
        rows->block[k] = of->block[k];
        rows->J[k] = of->rows[k]; // the normal row is the first
    }
    t->group[point] = t->ngroup++;
    t->limit[point] = rows->friction;
    return flx_cone_add(t->cone, rows);
}

double flx_stepping_slow(const flx_stepping *t, const double *v)
{
    double most = 0;
    for (int i = 0; i < t->s->dims.nv; i++) most = fmax(most, fabs(v[i]));
    return fmax(SLIP * most, NO_SLIP * t->length / t->h);
}

static double length_of(const flx_touch_point *of, const double *u)
{
    return of->ntangent == 2 ? hypot(u[1], u[2]) : of->ntangent ? fabs(u[1]) : 0.0;
}

// Whether a point slides after the problem at hand: rates that are rounding do not tell, but then friction is below its limit.
static bool slides(const flx_stepping *t, int point, const double *v, double slow)
{
    const flx_touch_point *of = t->points + point;
    const double *lam = flx_stepping_impulse(t, point);
    double u[3];
    flx_stepping_rates(t, point, v, u);
    return length_of(of, u) > slow && length_of(of, lam) >= (1 - LIMIT) * t->limit[point] * lam[0];
}

flx_status flx_stepping_add_point(flx_stepping *t, int point, const double *b, const double *v)
{
    bool keeps = v != NULL;
    const flx_touch_point *of = t->points + point;
    const flx_touch_memory *m = keeps ? recall(t, point) : NULL;
    flx_cone_rows rows = {.n = keeps ? 1 + of->ntangent : 1};
    rows.friction = of->friction;
    if (keeps && of->sticking > of->friction) {
        double u[3];
        flx_stepping_rates(t, point, v, u);
        if (m ? m->slides == 0 : length_of(of, u) <= flx_stepping_slow(t, v))
            rows.friction = of->sticking;
    }
    for (int i = 0; i < rows.n; i++) {
        rows.b[i] = b[i];
        rows.lambda[i] = m ? m->lam[i] : 0.0;
    }
    return add(t, point, &rows);
}

flx_status flx_stepping_add_sliding(flx_stepping *t, int point, const double *b, const double *slip)
{
    const flx_touch_point *of = t->points + point;
    flx_cone_rows rows = {.n = 1 + of->ntangent, .friction = slip ? of->friction : of->sticking};
    memcpy(rows.b, b, (size_t)rows.n * sizeof *b);
    rows.slides = slip != NULL;
    if (slip) memcpy(rows.slip, slip, sizeof rows.slip);
    return add(t, point, &rows);
}

flx_status flx_stepping_hold_point(flx_stepping *t, int point, double gap)
{
    flx_cone_rows rows = {.n = 1, .holds = true, .b = {gap}};
    return add(t, point, &rows);
}

static void tell(flx_stepping *t, const flx_cone_report *r)
{
    const char *name = NULL;
    flx_loc loc = FLX_NOWHERE;
    t->unsolved++;
    if (t->warned) return;
    t->warned = true;
    for (int i = 0; i < t->npoint; i++) {
        if (t->group[i] == r->worst)
            name = t->s->ops->touches->item(t->s, t->points[i].contact, &loc);
    }
    flx_ctx_warn(t->s->ctx, loc,
                 "impulses that meet the law of all contacts were not found in a step; the nearest "
                 "are taken, with the law "
                 "missed by %.1e%s%s%s; a smaller step may help",
                 r->residual, name ? ", most at contact '" : "", name ? name : "", name ? "'" : "");
}

flx_status flx_stepping_solve(flx_stepping *t, bool warm, double *v)
{
    flx_cone_report report;
    flx_status status = flx_cone_solve_sparse(t->cone, warm, v, &report);
    t->iterations += report.iterations;
    if (report.residual > t->worst) t->worst = report.residual;
    if (status != FLX_NO_CONVERGENCE) return status;
    if (report.residual > NEARLY) tell(t, &report);
    return FLX_OK;
}

void flx_stepping_tell_work(flx_stepping *t, flx_statistics *work)
{
    work->law_residual = fmax(work->law_residual, t->worst);
    work->law_missed += t->unsolved;
    work->overlap = fmax(work->overlap, t->overlap);
    t->worst = t->overlap = 0.0;
    t->unsolved = 0;
}

const double *flx_stepping_impulse(const flx_stepping *t, int point)
{
    return t->group[point] < 0 ? NULL : flx_cone_lambda(t->cone, t->group[point]);
}

void flx_stepping_rates(const flx_stepping *t, int point, const double *v, double out[3])
{
    const flx_touch_point *of = t->points + point;
    const int *start = t->s->pattern.start;
    int n = 1 + of->ntangent;
    for (int i = 0; i < n; i++) out[i] = 0;
    for (int k = 0; k < of->npart; k++) {
        int first = start[of->block[k]], size = start[of->block[k] + 1] - first;
        const double *row = of->rows[k], *x = v + first;
        for (int i = 0; i < n; i++, row += size) {
            double sum = 0;
            for (int j = 0; j < size; j++) sum += row[j] * x[j];
            out[i] += sum;
        }
    }
}

double flx_stepping_normal_size(const flx_stepping *t, int point, const double *v)
{
    const flx_touch_point *of = t->points + point;
    const int *start = t->s->pattern.start;
    double size = 0;
    for (int k = 0; k < of->npart; k++) {
        int first = start[of->block[k]], n = start[of->block[k] + 1] - first;
        double rate = 0;
        for (int j = 0; j < n; j++) rate += of->rows[k][j] * v[first + j];
        size += fabs(rate);
    }
    return size;
}

// most: of the points the one that gives most, or -1; size: of the terms.
static double lost_at(const flx_stepping *t, const double *v, const double *v1, int *most,
                      double *size)
{
    double lost = 0, least = 0, before[3], after[3];
    *most = -1, *size = 0;
    for (int i = 0; i < t->npoint; i++) {
        const double *lam = flx_stepping_impulse(t, i);
        if (!lam) continue;
        flx_stepping_rates(t, i, v, before);
        flx_stepping_rates(t, i, v1, after);
        double here = 0;
        for (int k = 0; k <= t->points[i].ntangent; k++) {
            here -= 0.5 * lam[k] * (before[k] + after[k]);
            *size += 0.5 * fabs(lam[k]) * (fabs(before[k]) + fabs(after[k]));
        }
        if (here < least) least = here, *most = i;
        lost += here;
    }
    return lost;
}

double flx_stepping_lost(const flx_stepping *t, const double *v, const double *v1)
{
    int most;
    double size;
    return lost_at(t, v, v1, &most, &size);
}

double flx_stepping_lost_in_impact(flx_stepping *t, double time, const double *v, const double *v1)
{
    int most;
    double size, lost = lost_at(t, v, v1, &most, &size);
    if (t->warned_gain || most < 0 || !(lost < -GAINS * size)) return lost;
    flx_loc loc = FLX_NOWHERE;
    const char *name = t->s->ops->touches->item(t->s, t->points[most].contact, &loc);
    t->warned_gain = true;
    flx_ctx_warn(t->s->ctx, loc,
                 "contact '%s': an impact at t = %.6g gives %.3g of energy: restitution with "
                 "friction gains energy there; contacts: events lessens the restitution",
                 name ? name : "?", time, -lost);
    return lost;
}

double flx_stepping_work_of_joints(flx_stepping *t, const flx_blocks *blocks, const double *v,
                                   const double *v1, double *lost)
{
    double supplied = 0;
    memset(t->rate, 0, (size_t)t->nrow * sizeof *t->rate);
    add_rates(t, blocks, v, t->rate);
    add_rates(t, blocks, v1, t->rate);
    for (int i = 0, k = 0; i < t->nrow; i++) {
        if (t->sigma[i] == 0 && t->tau[i] == 0) continue; // an open row
        double work = 0.5 * flx_cone_lambda(t->cone, k++)[0] * t->rate[i];
        supplied += t->C[i] == 0 ? work : 0;
        *lost -= t->C[i] == 0 ? 0 : work;
    }
    return supplied;
}

double flx_stepping_power(const flx_stepping *t, const double *v)
{
    return -flx_stepping_lost(t, v, v);
}

void flx_stepping_take_joints(flx_stepping *t, double factor, double *lam, double *mu, bool add_to)
{
    for (int i = 0, k = 0; i < t->nrow; i++) {
        bool open = t->sigma[i] == 0 && t->tau[i] == 0;
        double *to = i < t->s->dims.nlam ? lam + i : mu + (i - t->s->dims.nlam);
        t->joint[i] = open ? 0.0 : flx_cone_lambda(t->cone, k++)[0];
        *to = (add_to ? *to : 0.0) + factor * t->joint[i];
    }
}

double flx_stepping_restitution(const flx_stepping *t, int point, double rate)
{
    double e = t->points[point].restitution;
    return -e * rate < t->rest ? 0.0 : e;
}

bool flx_stepping_presses(const flx_stepping *t, int point)
{
    const flx_touch_memory *m = recall(t, point);
    return m && m->lam[0] > 0;
}

flx_status flx_stepping_keep(flx_stepping *t, const double *v)
{
    double slow = flx_stepping_slow(t, v);
    int n = 0;
    FLX_TRY(flx_grow(t->s->ctx, (void **)&t->next, &t->room_next, t->npoint, sizeof *t->next));
    for (int i = 0; i < t->npoint; i++) {
        const flx_touch_point *of = t->points + i;
        const double *lam = flx_stepping_impulse(t, i);
        if (!lam) continue;
        flx_touch_memory *m = t->next + n++;
        *m = (flx_touch_memory){.pair = of->pair, .feature = of->feature};
        memcpy(m->lam, lam, (size_t)(1 + of->ntangent) * sizeof *m->lam);
        m->slides = slides(t, i, v, slow) ? 1.0 : 0.0;
    }
    flx_touch_memory *memory = t->memory;
    int room = t->room_memory;
    t->memory = t->next, t->room_memory = t->room_next, t->nmemory = n;
    t->next = memory, t->room_next = room;
    return FLX_OK;
}

// Forces of all contacts are zero again; what is summed stays.
void flx_stepping_begin_tally(const flx_stepping *t, double *switches)
{
    if (!t->s->ops->touches) return;
    for (int k = 0; k < t->s->ops->touches->count(t->s); k++) {
        double *kept = switches + t->s->ops->touches->tally(t->s, k);
        memset(kept, 0, FLX_TOUCH_IMPULSE * sizeof *kept);
    }
}

static double *tally_of(const flx_stepping *t, int point, double *switches)
{
    return switches + t->s->ops->touches->tally(t->s, t->points[point].contact);
}

void flx_stepping_tally(const flx_stepping *t, double factor, const double *v, double *switches)
{
    double slow = flx_stepping_slow(t, v);
    for (int i = 0; i < t->npoint; i++) {
        const flx_touch_point *of = t->points + i;
        const double *lam = flx_stepping_impulse(t, i);
        if (!lam || lam[0] <= 0) continue;
        double *kept = tally_of(t, i, switches);
        double state =
            of->ntangent == 0 || slides(t, i, v, slow) ? FLX_CONTACT_SLIDES : FLX_CONTACT_STICKS;
        kept[FLX_TOUCH_VALUE] += factor * lam[0];
        kept[FLX_TOUCH_STATE] = fmax(kept[FLX_TOUCH_STATE], state);
        for (int k = 0; k <= of->ntangent; k++) {
            for (int j = 0; j < 3; j++) {
                kept[FLX_TOUCH_FORCE + j] += factor * lam[k] * of->axes[k][j];
                if (k > 0) kept[FLX_TOUCH_FRICTION + j] += factor * lam[k] * of->axes[k][j];
            }
        }
    }
}

void flx_stepping_tally_impact(const flx_stepping *t, int point, double *switches)
{
    double *kept = tally_of(t, point, switches);
    kept[FLX_TOUCH_IMPULSE] += flx_stepping_impulse(t, point)[0];
    kept[FLX_TOUCH_COUNT] += 1;
}
