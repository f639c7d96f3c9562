// bases.c - the table of bases, and shapes that are chosen among Ritz vectors.
#include "reduce/bases.h"

#include "math/eigen.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 1e-3
#define TIGHT 1e-9  // of the Ritz model where nothing is said of the error
#define BEST 1e-8   // ... where so many shapes are to be the best that there are
#define MANY 200    // shapes
#define FAR_OFF 0.3 // an error that is told where so many shapes are asked for

static const flx_basis_type table[FLX_BASIS_COUNT] = {
    [FLX_BASIS_MODES] = {.name = "modal"},
    [FLX_BASIS_GUYAN] = {.name = "guyan"},
    [FLX_BASIS_CRAIG_BAMPTON] = {.name = "craig-bampton"},
    [FLX_BASIS_BAND] = {.name = "band", .choose = flx_basis_band, .by_tolerance = true},
    [FLX_BASIS_KRYLOV] = {.name = "krylov", .choose = flx_basis_krylov, .tight = true},
    [FLX_BASIS_BALANCED] = {.name = "balanced",
                            .choose = flx_basis_balanced,
                            .tight = true,
                            .by_tolerance = true},
    [FLX_BASIS_IRKA] = {.name = "irka", .choose = flx_basis_irka, .tight = true},
    [FLX_BASIS_SNAPSHOTS] = {.name = "snapshots",
                             .choose = flx_basis_snapshots,
                             .tight = true,
                             .by_tolerance = true},
};

const flx_basis_type *flx_basis_get(flx_basis_kind kind)
{
    return table + kind;
}

int flx_basis_named(const char *name)
{
    for (int i = 0; i < FLX_BASIS_COUNT; i++) {
        if (strcmp(table[i].name, name) == 0) return i;
    }
    return -1;
}

// ---- shapes -------------------------------------------------------------------------------------

// How far the frequencies of the shapes are above those of the body: one step of inverse iteration (MSH-5) in the Ritz model.
static void check_frequencies(const flx_ritz_choice *c, double *error)
{
    const double *L = c->ritz->model.L, s = c->ritz->sigma;
    int m = c->ritz->m;
    for (int k = 0; k < c->taken; k++) {
        const double *x = c->T + (size_t)k * (size_t)m;
        double one = 0, two = 0;
        for (int i = 0; i < m; i++) {
            double y = x[i] / (L[i] + s);
            one += x[i] * y;
            two += y * y;
        }
        double rho = one / two - s;
        error[k] = rho > 0 ? fmax(0.0, sqrt(c->L[k] / rho) - 1) : (double)NAN;
    }
}

static bool turns(const flx_basis *b)
{
    const double *w = b->angular_velocity;
    return b->spin > 0 || w[0] != 0 || w[1] != 0 || w[2] != 0;
}

static double speed_of(const flx_basis *b)
{
    const double *w = b->angular_velocity;
    return b->spin > 0 ? b->spin : sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
}

static double worst_at_speed(const flx_ritz_choice *c)
{
    double most = 0;
    for (int i = 0; i < c->ritz->conditions.count * c->ritz->grid.count; i++)
        most = fmax(most, c->spun[i]);
    return most;
}

// More shapes till the tolerance is met in a body that rotates, too.
static flx_status take_for_speed(const flx_shape_search *q, flx_ritz_choice *c, double tolerance)
{
    const flx_free_structure *s = q->s;
    size_t all = (size_t)c->ritz->conditions.count * (size_t)c->ritz->grid.count;
    const char *loose = NULL;
    if (!turns(q->b) || !s->at || !s->label) return FLX_OK;
    c->spun = flx_alloc(s->ctx, all, sizeof *c->spun);
    if (!c->spun) return FLX_ERR_MEMORY;
    FLX_TRY(flx_ritz_spin_errors(c, c->spun, &loose));
    while (q->b->shapes == 0 && c->taken < c->count &&
           !(worst_at_speed(c) + c->ritz->known <= tolerance)) {
        FLX_TRY(flx_ritz_choice_take(c, c->taken + 1, tolerance));
        FLX_TRY(flx_ritz_spin_errors(c, c->spun, &loose));
    }
    if (loose) {
        flx_ctx_warn(
            s->ctx, s->loc,
            "at %g rad/s centrifugal forces take more of the stiffness of the body than it "
            "has (%s): it bends away where they do not stiffen it as well "
            "(`stiffening: true`)",
            speed_of(q->b), loose);
    }
    if (q->b->shapes == 0 && !(worst_at_speed(c) + c->ritz->known <= tolerance)) {
        flx_ctx_warn(s->ctx, s->loc,
                     "the tolerance %g is not met at %g rad/s: %d shapes leave an error of %.1e",
                     tolerance, speed_of(q->b), c->taken, worst_at_speed(c));
    }
    return FLX_OK;
}

// Rows of the conditions that hold something, at speed, behind the others.
static flx_status report_speed(const flx_shape_search *q, const flx_ritz_choice *c,
                               flx_reduction_report *p)
{
    const flx_ritz *r = c->ritz;
    flx_arena *arena = q->b->arena;
    size_t known = (size_t)p->ncondition, ng = (size_t)r->grid.count;
    flx_reduction_condition *list = flx_arena_take(arena, 2 * known, sizeof *list);
    double *curves = flx_arena_take(arena, known * ng, sizeof *curves);
    if (!list || !curves) return FLX_ERR_MEMORY;
    memcpy(list, p->conditions, known * sizeof *list);
    memcpy(curves, c->spun, known * ng * sizeof *curves);
    for (size_t i = 0; i < known; i++) {
        if (r->conditions.items[i].free) continue;
        flx_reduction_condition *row = list + p->ncondition++;
        // what is known of the whole body is known at rest
        *row = (flx_reduction_condition){.estimate = list[i].estimate, .proof = list[i].proof};
        row->name = flx_arena_printf(arena, "%s, %g rad/s", list[i].name, speed_of(q->b));
        if (!row->name) return FLX_ERR_MEMORY;
        row->errors = curves + i * ng;
        for (size_t k = 0; k < ng; k++) {
            if (!(row->errors[k] > row->error)) continue;
            row->error = row->errors[k];
            row->at = r->grid.hz[k];
        }
        if (!(row->error + row->estimate <= p->tolerance)) p->met = false;
    }
    p->conditions = list;
    return FLX_OK;
}

static flx_status report(const flx_shape_search *q, const flx_ritz_choice *c, flx_shapes *out)
{
    int above = 0;
    double end = 2 * FLX_PI * c->ritz->to;
    for (int k = 0; k < c->taken; k++) above += c->L[k] > end * end;
    double highest = sqrt(c->L[c->taken - 1]) / (2 * FLX_PI);
    FLX_TRY(flx_ritz_report(c->ritz, q->b, c->taken, c->errors, highest, above, &out->report));
    flx_reduction_report *p = out->report;
    if (!p) return FLX_OK;
    if (c->spun) FLX_TRY(report_speed(q, c, p));
    p->centrifugal = q->count - c->taken;
    for (int r = c->taken - 1; r > 0 && p->nfewer < 2; r -= 2) {
        if (c->worst[r] < 0) continue;
        p->fewer[p->nfewer] = r;
        p->fewer_error[p->nfewer++] = c->worst[r];
    }
    return FLX_OK;
}

static void warn(const flx_shape_search *q, const flx_ritz_choice *c, double tolerance)
{
    const flx_free_structure *s = q->s;
    const flx_ritz *r = c->ritz;
    double first = sqrt(r->model.L[0]) / (2 * FLX_PI);
    if (table[q->b->kind].by_tolerance && q->b->shapes == 0 &&
        !(c->worst[c->taken] + r->known <= tolerance)) {
        flx_ctx_warn(s->ctx, s->loc,
                     "the tolerance %g is not met: %d shapes leave an error of %.1e, of which %.1e "
                     "are those of the full model, known by %d vectors",
                     tolerance, c->taken, c->worst[c->taken] + r->known, r->known, r->m);
    }
    // snapshots are made for motions like their run's, not for all loads
    bool given =
        (q->b->shapes > 0 || !table[q->b->kind].by_tolerance) && q->b->kind != FLX_BASIS_SNAPSHOTS;
    if (given && c->worst[c->taken] > FAR_OFF) {
        bool mean = q->b->kind == FLX_BASIS_BALANCED || q->b->kind == FLX_BASIS_IRKA;
        flx_ctx_warn(
            s->ctx, s->loc,
            "%d shapes leave an error of %.2g of the responses at the interfaces up to %g Hz%s",
            c->taken, c->worst[c->taken], r->to,
            mean ? ": they are good in the mean over all frequencies; 'type: band' is made "
                   "for mechanisms"
                 : ", in some condition: 'flexion reduce' says in which");
    }
    if (r->counted >= 0 && r->modes < r->counted) {
        flx_ctx_warn(s->ctx, s->loc,
                     "%d of the %d modes up to %g Hz are not moved by loads at the interfaces, or "
                     "were not found: the errors are those of the others",
                     r->counted - r->modes, r->counted, r->to);
    }
    bool statics = c->least > 0 && c->taken == c->least;
    if (q->b->to > 0 && r->modes == 0 && s->nrigid > 0 && statics) {
        flx_ctx_warn(
            s->ctx, s->loc,
            "the band ends at %g Hz, below the first mode of the free body at about %g Hz: "
            "static shapes are all that it needs",
            r->to, first);
    }
    if (q->b->shapes > c->taken) {
        flx_ctx_warn(
            s->ctx, s->loc,
            "%d shapes are asked for: loads at the interfaces excite %d up to %g Hz, beside "
            "rounding, and these are kept",
            q->b->shapes, c->taken, r->to);
    }
    if (c->taken > MANY) {
        flx_ctx_warn(s->ctx, s->loc,
                     "%d shapes are kept: a narrower band, fewer interfaces or a larger tolerance "
                     "make a run faster",
                     c->taken);
    }
}

static flx_status make_shapes(flx_shape_search *q, const flx_ritz_choice *c)
{
    size_t r = (size_t)c->taken, more = (size_t)flx_centrifugal_count(q);
    if (turns(q->b) && more == 0) {
        return FLX_FAIL(q->s->ctx, FLX_ERR_MODEL, q->s->loc,
                        "`angular_velocity` adds shapes of a mesh, and this body is none");
    }
    q->V = flx_alloc(q->s->ctx, (r + more) * q->n, sizeof *q->V);
    q->error = flx_alloc(q->s->ctx, r, sizeof *q->error);
    if (!q->V || !q->error) return FLX_ERR_MEMORY;
    q->count = q->room = c->taken;
    q->lowest = c->ritz->model.L[0];
    flx_dense_multiply(false, false, (int)q->n, c->taken, c->ritz->m, c->ritz->Q, c->T, q->V);
    if (more == 0) {
        check_frequencies(c, q->error);
        return FLX_OK;
    }
    flx_free(q->error); // those of more shapes are found anew
    q->error = NULL;
    q->room += (int)more;
    return flx_centrifugal_add(q, c->ritz->factor, c->ritz->sigma);
}

flx_status flx_bases_find(flx_shape_search *q, flx_shapes *out)
{
    const flx_basis *b = q->b;
    const flx_basis_type *type = table + b->kind;
    double tolerance = b->tolerance > 0 ? b->tolerance : TOLERANCE;
    const flx_ritz_def def = {.from = b->from,
                              .to = b->to,
                              .tolerance = type->tight     ? TIGHT
                                           : b->shapes > 0 ? BEST
                                                           : fmax(0.1 * tolerance, 1e-12),
                              .uncounted = b->uncounted};
    flx_ritz *ritz = NULL;
    flx_ritz_choice c = {0};
    flx_status status = flx_ritz_create(q, &def, &ritz);
    if (status == FLX_OK) status = type->choose(q, ritz, &c);
    if (status == FLX_OK) {
        int shapes = b->shapes > 0 || type->by_tolerance ? b->shapes : c.count;
        status = flx_ritz_choice_take(&c, shapes, tolerance);
    }
    if (status == FLX_OK && type->by_tolerance) status = take_for_speed(q, &c, tolerance);
    if (status == FLX_OK) status = make_shapes(q, &c);
    if (status == FLX_OK) status = report(q, &c, out);
    if (status == FLX_OK) warn(q, &c, tolerance);
    flx_ritz_choice_clear(&c);
    flx_ritz_destroy(&ritz);
    return status;
}
