// body_compare.c - how many shapes every basis needs: the worst error over all conditions for growing numbers of them.
#include "reduce/body_study.h"

#include <math.h>
#include <string.h>

#define MOST 90 // shapes that are tried

typedef struct row {
    int count;
    int shapes[MOST + 1];
    double errors[MOST + 1];
} row;

typedef struct comparer {
    flx_reduction *r;
    const flx_shape_search *q;
    const flx_ritz *ritz;
    double *errors; // (conditions, grid)
    double enough;  // the error where a row ends
} comparer;

static flx_status take_row(comparer *c, const char *name, const row *x)
{
    size_t n = (size_t)x->count;
    int *shapes = flx_arena_take(c->r->arena, n, sizeof *shapes);
    double *errors = flx_arena_take(c->r->arena, n, sizeof *errors);
    if (!shapes || !errors) return FLX_ERR_MEMORY;
    memcpy(shapes, x->shapes, n * sizeof *shapes);
    memcpy(errors, x->errors, n * sizeof *errors);
    c->r->bases[c->r->nbasis++] =
        (flx_reduction_basis){.name = name, .count = x->count, .shapes = shapes, .errors = errors};
    return FLX_OK;
}

static flx_status add_model(comparer *c, const flx_port_model *model, row *x, bool *enough)
{
    const flx_ritz *r = c->ritz;
    FLX_TRY(flx_port_errors(&r->ports, &r->conditions, &r->grid, &r->damping, &r->model, model,
                            c->errors));
    double most = 0;
    for (int i = 0; i < r->conditions.count * r->grid.count; i++) most = fmax(most, c->errors[i]);
    if (x->count > 0 && x->shapes[x->count - 1] == model->m) return FLX_OK;
    x->shapes[x->count] = model->m;
    x->errors[x->count++] = most;
    *enough = most < c->enough;
    return FLX_OK;
}

// ---- bases of the Ritz model ------------------------------------------------------------------------

static flx_status compare_chosen(comparer *c, flx_basis_kind kind, bool nested)
{
    row x = {0};
    flx_basis b = *c->q->b;
    flx_shape_search q = *c->q;
    bool enough = false, stuck = false;
    q.b = &b;
    b.kind = kind;
    b.nshift = 0;
    flx_status status = FLX_OK;
    // one set of candidates, or one for each number of blocks or shapes
    for (int k = 1; status == FLX_OK && !enough && !stuck && k <= (nested ? 1 : 12); k++) {
        flx_ritz_choice choice = {0};
        b.blocks = k;
        b.shapes = kind == FLX_BASIS_IRKA ? 4 * k + 2 : 0;
        if (kind == FLX_BASIS_IRKA && b.shapes > c->ritz->m) break;
        status = flx_basis_get(kind)->choose(&q, c->ritz, &choice);
        int first = nested ? (choice.least > 0 ? choice.least : 1) : choice.count;
        // all Ritz vectors together are the full model by themselves
        int last = kind == FLX_BASIS_BAND ? choice.count : 3 * c->ritz->m / 4;
        if (last > choice.count) last = choice.count;
        if (last > MOST) last = MOST;
        stuck = first > last || (x.count > 0 && first == x.shapes[x.count - 1]);
        for (int r = first; r <= last && status == FLX_OK && !enough; r++) {
            flx_port_model model;
            status = flx_ritz_choice_model(&choice, r, &model);
            if (status == FLX_OK) status = add_model(c, &model, &x, &enough);
            flx_port_model_clear(&model);
        }
        flx_ritz_choice_clear(&choice);
    }
    if (status == FLX_OK && x.count > 0) status = take_row(c, flx_basis_get(kind)->name, &x);
    return status;
}

// ---- bases of the matrices --------------------------------------------------------------------------

// The first `fixed` columns and more and more of the others.
static flx_status compare_columns(comparer *c, const char *name, int fixed, int count,
                                  const double *V)
{
    row x = {0};
    bool enough = false;
    flx_status status = FLX_OK;
    for (int r = fixed > 0 ? fixed : 1; r <= count && status == FLX_OK && !enough;) {
        flx_port_model model;
        status = flx_port_model_of_shapes(c->q, &c->ritz->ports, r, V, &model);
        if (status == FLX_OK) status = add_model(c, &model, &x, &enough);
        flx_port_model_clear(&model);
        if (x.count > MOST - 1) break;
        r += r - fixed < 24 ? 1 : 4;
    }
    if (status == FLX_OK && x.count > 0) status = take_row(c, name, &x);
    return status;
}

// Modes stand before static shapes, which are taken first.
static flx_status compare_last_first(comparer *c, const char *name, int modes,
                                     const flx_shape_search *q)
{
    int fixed = q->count - modes;
    size_t part = (size_t)modes * q->n, rest = (size_t)fixed * q->n;
    double *V = flx_alloc(q->s->ctx, part + rest, sizeof *V);
    if (!V) return FLX_ERR_MEMORY;
    memcpy(V, q->V + part, rest * sizeof *V);
    memcpy(V + rest, q->V, part * sizeof *V);
    flx_status status = compare_columns(c, name, fixed, q->count, V);
    flx_free(V);
    return status;
}

// Modes of the free body: as many as are asked for, fewer where the body is small.
static int modes_of(const comparer *c, int most)
{
    int n = c->q->s->K->n / 3 - 12;
    return n < most ? n : most;
}

static flx_status compare_modes(comparer *c)
{
    const flx_free_structure *s = c->q->s;
    flx_basis b = {.kind = FLX_BASIS_MODES, .modes = modes_of(c, MOST), .frame = FLX_FRAME_BUCKENS};
    if (b.modes < 1) return FLX_OK;
    flx_shape_search q = {.s = s, .b = &b, .n = c->q->n};
    flx_status status = flx_shapes_collect(&q);
    if (status == FLX_OK) status = compare_columns(c, "modal", 0, q.count, q.V);
    int modes = q.count;
    flx_free(q.V);
    flx_free(q.MR);
    q = (flx_shape_search){.s = s, .b = &b, .n = c->q->n};
    b.attachment = true;
    if (status == FLX_OK) status = flx_shapes_collect(&q);
    if (status == FLX_OK) status = compare_last_first(c, "modal with attachment", modes, &q);
    flx_free(q.V);
    flx_free(q.MR);
    return status;
}

static flx_status compare_craig_bampton(comparer *c, bool relief)
{
    const flx_free_structure *s = c->q->s;
    const char *name = relief ? "craig-bampton, relieved" : "craig-bampton";
    int ports = c->ritz->ports.count, modes = modes_of(c, MOST - 2 * ports);
    flx_basis b = {.kind = FLX_BASIS_CRAIG_BAMPTON,
                   .modes = modes,
                   .frame = FLX_FRAME_BUCKENS,
                   .inertia_relief = relief};
    if (modes < 1) return FLX_OK;
    flx_shape_search q = {.s = s, .b = &b, .n = c->q->n};
    flx_status status = flx_shapes_collect(&q);
    if (status == FLX_OK) {
        status = flx_shapes_are_held(s) ? compare_columns(c, name, q.count - modes, q.count, q.V)
                                        : compare_last_first(c, name, modes, &q);
    }
    flx_free(q.V);
    flx_free(q.MR);
    return status;
}

flx_status flx_body_study_compare(flx_reduction *r, const flx_shape_search *q, const flx_ritz *ritz)
{
    comparer c = {.r = r, .q = q, .ritz = ritz};
    size_t all = (size_t)ritz->conditions.count * (size_t)ritz->grid.count;
    c.enough = r->def.tolerance > 0 ? fmin(r->def.tolerance, 1e-4) : 1e-4;
    c.errors = flx_alloc(r->ctx, all, sizeof *c.errors);
    flx_status status = c.errors ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = compare_chosen(&c, FLX_BASIS_BAND, true);
    if (status == FLX_OK) status = compare_modes(&c);
    if (status == FLX_OK) status = compare_craig_bampton(&c, false);
    if (status == FLX_OK) status = compare_craig_bampton(&c, true);
    if (status == FLX_OK) status = compare_chosen(&c, FLX_BASIS_KRYLOV, false);
    if (status == FLX_OK) status = compare_chosen(&c, FLX_BASIS_BALANCED, true);
    if (status == FLX_OK) status = compare_chosen(&c, FLX_BASIS_IRKA, false);
    flx_free(c.errors);
    return status;
}
