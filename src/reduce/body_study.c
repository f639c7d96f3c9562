// body_study.c - the shapes of a flexible body measured at its interfaces, against the Ritz model of the whole body.
#include "reduce/body_study.h"

#include "math/blas.h"

#include <math.h>
#include <string.h>

#define BEYOND 10.0 // times the Rayleigh quotient of an unknown: no mesh has such frequencies
#define TIGHT 1e-7  // estimate of the Ritz model where bases are compared

static double largest(const flx_ritz *r, const double *errors)
{
    double most = 0;
    for (int i = 0; i < r->conditions.count * r->grid.count; i++) most = fmax(most, errors[i]);
    return most;
}

// Port names: interface and component.
static flx_status name_ports(flx_reduction *r, const flx_free_structure *s)
{
    static const char *const components[] = {"x", "y", "z", "rx", "ry", "rz"};
    const flx_ports *ports = &r->ritz->ports;
    r->names = flx_arena_take(r->arena, (size_t)ports->count, sizeof *r->names);
    if (!r->names) return FLX_ERR_MEMORY;
    for (int i = 0; i < ports->count; i++) {
        r->names[i] = flx_arena_printf(r->arena, "%s.%s", s->interfaces[ports->face[i]].name,
                                       components[ports->component[i]]);
        if (!r->names[i]) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

// What outlives the structure: ports, conditions, the small matrices of the whole body and of its certificate.
static flx_status take_over(flx_reduction *r)
{
    const flx_free_structure *s = r->ritz->q->s;
    flx_ritz_forget(r->ritz);
    return name_ports(r, s);
}

// What the basis itself has measured beside the conditions: in a body that rotates.
static flx_status add_rows(flx_arena *arena, const flx_reduction_report *own, int first,
                           flx_reduction_report *p)
{
    if (!own || own->ncondition <= first || own->nhz != p->nhz) return FLX_OK;
    size_t known = (size_t)p->ncondition, more = (size_t)(own->ncondition - first);
    flx_reduction_condition *list = flx_arena_take(arena, known + more, sizeof *list);
    if (!list) return FLX_ERR_MEMORY;
    memcpy(list, p->conditions, known * sizeof *list);
    memcpy(list + known, own->conditions + first, more * sizeof *list);
    p->conditions = list;
    p->ncondition = (int)(known + more);
    p->met = p->met && own->met;
    return FLX_OK;
}

static flx_status measure(flx_reduction *r, flx_shape_search *q, const flx_basis *b, flx_ritz *ritz)
{
    size_t all = (size_t)ritz->conditions.count * (size_t)ritz->grid.count;
    double *errors = flx_alloc(r->ctx, all, sizeof *errors);
    flx_shapes shapes = {0};
    flx_basis own = *b;
    own.study = NULL;
    own.arena = r->arena;
    flx_status status = errors ? flx_shapes_find(q->s, &own, &shapes) : FLX_ERR_MEMORY;
    if (status == FLX_OK)
        status = flx_port_model_of_shapes(q, &ritz->ports, shapes.count, shapes.V, &r->own);
    if (status == FLX_OK) {
        status = flx_port_errors(&ritz->ports, &ritz->conditions, &ritz->grid, &ritz->damping,
                                 &ritz->model, &r->own, errors);
    }
    if (status == FLX_OK) {
        int above = 0;
        double end = 2 * FLX_PI * ritz->to, most = r->own.L[r->own.m - 1];
        for (int k = 0; k < r->own.m; k++) above += r->own.L[k] > end * end;
        status = flx_ritz_report(ritz, &own, shapes.count, errors, sqrt(most) / (2 * FLX_PI), above,
                                 &r->report);
    }
    if (status == FLX_OK)
        status = add_rows(r->arena, shapes.report, ritz->conditions.count, r->report);
    if (status == FLX_OK && largest(ritz, errors) > 0.01 && !own.inertia_relief &&
        (own.kind == FLX_BASIS_GUYAN || own.kind == FLX_BASIS_CRAIG_BAMPTON)) {
        flx_ctx_warn(r->ctx, q->s->loc,
                     "static shapes of the interfaces lack those of loads that accelerate the "
                     "body: add 'inertia_relief: true'");
    }
    flx_shapes_clear(&shapes);
    flx_free(errors);
    return status;
}

static flx_status study(flx_reduction *r, const flx_free_structure *s, const flx_basis *b)
{
    flx_basis asked = *b;
    if (r->def.type) asked.kind = (flx_basis_kind)flx_basis_named(r->def.type);
    if (r->def.to > 0) {
        asked.from = r->def.from;
        asked.to = r->def.to;
    }
    if (r->def.tolerance > 0) {
        asked.tolerance = r->def.tolerance;
        asked.shapes = 0;
    }
    if (r->def.shapes > 0) {
        asked.shapes = r->def.shapes;
        asked.tolerance = 0;
    }
    if (!(asked.to > 0)) {
        return FLX_FAIL(r->ctx, FLX_ERR_ARGUMENT, s->loc,
                        "up to which frequency is '%s' to be measured? Its basis does not say: "
                        "give it, as in --to 2000",
                        b->body ? b->body : "the body");
    }
    double most = sqrt(flx_shapes_highest_ratio(s)) / (2 * FLX_PI);
    if (most > 0 && asked.to > BEYOND * most) {
        return FLX_FAIL(r->ctx, FLX_ERR_ARGUMENT, s->loc,
                        "%g Hz is far above all frequencies of the mesh of '%s', about %.2g Hz: "
                        "give a lower one",
                        asked.to, b->body ? b->body : "the body", most);
    }
    flx_shape_search q = {.s = s, .b = &asked, .n = (size_t)s->K->n};
    double tolerance = asked.tolerance > 0 ? fmin(0.1 * asked.tolerance, TIGHT) : TIGHT;
    const flx_ritz_def def = {.from = asked.from,
                              .to = asked.to,
                              .tolerance = fmax(tolerance, 1e-12),
                              .uncounted = asked.uncounted};
    flx_status status = flx_shapes_prepare(&q);
    if (status == FLX_OK) status = flx_ritz_create(&q, &def, &r->ritz);
    // another frequency alone measures the shapes that the model has
    bool made = r->def.type || r->def.tolerance > 0 || r->def.shapes > 0 || !(b->to > 0);
    if (status == FLX_OK) status = measure(r, &q, made ? &asked : b, r->ritz);
    if (status == FLX_OK && r->def.compare) status = flx_body_study_compare(r, &q, r->ritz);
    if (status == FLX_OK && r->def.ndirect > 0) status = flx_body_study_solve(r, s);
    if (status == FLX_OK) status = take_over(r);
    r->done = status == FLX_OK;
    flx_free(q.MR);
    return status;
}

static flx_status look(void *user, const flx_free_structure *s, const flx_basis *b)
{
    flx_reduction *r = user;
    if (r->done || (r->body && (!b->body || strcmp(b->body, r->body) != 0))) return FLX_OK;
    return study(r, s, b);
}

flx_status flx_body_study_create(flx_ctx *ctx, const char *body, const flx_reduction_def *def,
                                 flx_reduction **out)
{
    *out = NULL;
    if (def->type && flx_basis_named(def->type) < 0) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "'%s' is no basis of a flexible body",
                        def->type);
    }
    flx_reduction *r = flx_alloc(ctx, 1, sizeof *r);
    if (!r) return FLX_ERR_MEMORY;
    *r = (flx_reduction){.ctx = ctx, .def = *def};
    r->arena = flx_arena_create(ctx);
    r->study = (flx_shape_study){.user = r, .look = look};
    double *hz = r->arena ? flx_arena_take(r->arena, (size_t)def->ndirect + 1, sizeof *hz) : NULL;
    if (hz && def->ndirect > 0) memcpy(hz, def->direct, (size_t)def->ndirect * sizeof *hz);
    r->def.direct = hz;
    if (hz && body) r->body = flx_arena_copy(r->arena, body, strlen(body));
    if (!hz || (body && !r->body)) flx_reduction_destroy(&r);
    *out = r;
    return r ? FLX_OK : FLX_ERR_MEMORY;
}

void flx_reduction_threads(int threads)
{
    flx_frontal_set_threads(threads);
}

// ---- calls ----------------------------------------------------------------------------------------

void flx_reduction_destroy(flx_reduction **reduction)
{
    flx_reduction *r = reduction ? *reduction : NULL;
    if (!r) return;
    flx_ritz_destroy(&r->ritz);
    flx_port_model_clear(&r->own);
    flx_free(r->direct);
    flx_arena_destroy(&r->arena);
    flx_free(r);
    *reduction = NULL;
}

const flx_reduction_report *flx_reduction_get_report(const flx_reduction *r)
{
    return r ? r->report : NULL;
}

const char *flx_reduction_port(const flx_reduction *r, int i)
{
    return r && i >= 0 && i < r->ritz->ports.count ? r->names[i] : NULL;
}

int flx_reduction_compared(const flx_reduction *r, int i, flx_reduction_basis *out)
{
    if (!r || !out || i < 0 || i >= r->nbasis) return 0;
    *out = r->bases[i];
    return 1;
}
