// frontal.c - the multifrontal factorisation: fronts from the leaves of the tree to its roots (frontal_walk.c). The update of a front
// waits on a stack until its parent takes it in. Panels and stack share one piece of memory and
// grow towards each other; what the stack had is given back when it is empty.
//
//     [A11 .; A21 A22] = [L11 .; L21 I] diag(D, A22 - L21 D L21^T) [L11 .; L21 I]^T            (LIN-10)
#include "math/blas.h"
#include "math/frontal/front_kernel.h"
#include "math/frontal/frontal_parts.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

static const flx_engine *engine_of_process;

void flx_frontal_set_engine(const flx_engine *engine)
{
    engine_of_process = engine;
}

static flx_status create(flx_ctx *ctx, const flx_symmetric *A, const int *group, flx_frontal **out)
{
    *out = NULL;
    flx_frontal *f = flx_alloc(ctx, 1, sizeof *f);
    if (!f) return FLX_ERR_MEMORY;
    *f = (flx_frontal){.ctx = ctx, .n = A->n};
    flx_status status = flx_frontal_analyse(f, A, group);
    if (status == FLX_OK) {
        f->diagonal = flx_alloc(ctx, (size_t)f->n, sizeof *f->diagonal);
        f->relative = flx_alloc(ctx, (size_t)f->max_row, sizeof *f->relative);
        if (!f->diagonal || !f->relative) status = FLX_ERR_MEMORY;
    }
    if (status != FLX_OK) {
        flx_frontal_destroy(&f);
        return status;
    }
    *out = f;
    return FLX_OK;
}

flx_status flx_frontal_create(flx_ctx *ctx, const flx_symmetric *A, const int *group,
                              flx_frontal **out)
{
    if (engine_of_process) return flx_frontal_create_far(ctx, engine_of_process, A, out);
    return create(ctx, A, group, out);
}

flx_status flx_frontal_create_guarded(flx_ctx *ctx, const flx_symmetric *A, const int *group,
                                      const signed char *sign, const double *size,
                                      flx_frontal **out)
{
    FLX_TRY(create(ctx, A, group, out));
    (*out)->sign = sign;
    (*out)->size = size;
    return FLX_OK;
}

void flx_frontal_destroy(flx_frontal **frontal)
{
    if (!frontal || !*frontal) return;
    flx_frontal *f = *frontal;
    if (f->far) f->engine->destroy(f->far);
    flx_front_crew_destroy(&f->crew);
    void *owned[] = {f->order,       f->group_start, f->near_start, f->near,        f->parent,
                     f->front_group, f->below,       f->ncol,       f->nrow,        f->panel,
                     f->sequence,    f->numbers,     f->work,       f->local,       f->diagonal,
                     f->relative,    f->X,           f->Y,          f->below_start, f->update,
                     f->waiting,     f->nchild};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) flx_free(owned[i]);
    flx_free(f);
    *frontal = NULL;
}

static atomic_int threads_asked = 1;

void flx_frontal_set_threads(int threads)
{
    atomic_store(&threads_asked, threads > 1 ? threads : 1);
}

// ---- memory -------------------------------------------------------------------------------------

flx_status flx_frontal_take(flx_frontal *f, int64_t room)
{
    if (f->numbers && f->capacity >= room) return FLX_OK;
    flx_free(f->numbers);
    f->numbers = NULL;
    f->capacity = 0;
    FLX_TRY(flx_memory_check(f->ctx, (double)(room + f->max_work) * sizeof *f->numbers,
                             "the factors of %d unknowns", f->n));
    f->numbers = flx_alloc_unset(f->ctx, (size_t)room, sizeof *f->numbers);
    f->capacity = f->numbers ? room : 0;
    return f->numbers ? FLX_OK : FLX_ERR_MEMORY;
}

// parts: doubles in a number.
static flx_status prepare(flx_frontal *f, int parts)
{
    size_t n = (size_t)f->nfront;
    if (!f->work) {
        f->work = flx_alloc(f->ctx, (size_t)(f->max_work * parts), sizeof *f->work);
        f->update = flx_alloc(f->ctx, n, sizeof *f->update);
        f->waiting = flx_alloc(f->ctx, n, sizeof *f->waiting);
        f->nchild = flx_alloc(f->ctx, n, sizeof *f->nchild);
    }
    if (!f->crew &&
        parts == 1) { // those that are kept from one factorisation to the next may outlive a fork
        int threads = f->sign || !flx_front_product_shares() ? 1 : atomic_load(&threads_asked);
        FLX_TRY(flx_front_crew_create(f->ctx, threads, flx_frontal_scratch(), &f->crew));
    }
    if (!f->work || !f->update || !f->waiting || !f->nchild) return FLX_ERR_MEMORY;
    memset(f->nchild, 0, n * sizeof *f->nchild);
    for (int s = 0; s < f->nfront; s++) {
        if (f->parent[s] >= 0) f->nchild[f->parent[s]]++;
    }
    return FLX_OK;
}

// Who walks over all fronts.
static flx_frontal_walker begin_walk(const flx_frontal *f)
{
    return (flx_frontal_walker){
        .f = (flx_frontal *)f,
        .hands = {.crew = f->crew, .single = f->report.flops < FLX_FRONTAL_WORTH},
        .work = f->work,
        .local = f->local,
        .relative = f->relative,
        .waiting = f->waiting,
        .report = {.ratio = (double)INFINITY},
        .at = f->nfront};
}

static void end_walk(flx_frontal *f, const flx_frontal_walker *w)
{
    f->report.negative = w->report.negative;
    f->report.small = w->report.small;
    f->report.moved = w->report.moved;
    f->report.smallest = w->report.smallest;
    f->report.ratio = w->report.ratio;
}

// keep: the panels one after the other, else each in the place of the one before; the stack comes from above.
static flx_status walk(flx_frontal *f, const flx_frontal_sum *m, bool keep)
{
    bool done = false;
    FLX_TRY(prepare(f, 1));
    flx_frontal_walker w = begin_walk(f);
    flx_status status = flx_frontal_walk_together(&w, m, keep, &done);
    if (status == FLX_OK && !done) {
        f->least = w.low = keep ? f->room : f->count_room;
        status = flx_frontal_take(f, w.low);
        w.stack = f->numbers;
        w.floor = -1;
        w.panel = keep ? NULL : f->numbers;
        if (status == FLX_OK) status = flx_frontal_walk(&w, m, 0, f->nfront);
    }
    end_walk(f, &w);
    return status;
}

static flx_status walk_complex(flx_frontal *f, const flx_frontal_sum_complex *m)
{
    FLX_TRY(prepare(f, 2));
    FLX_TRY(flx_frontal_take(f, 2 * f->room));
    flx_frontal_walker w = begin_walk(f);
    f->least = w.low = f->room;
    w.stack = f->numbers;
    w.floor = -1;
    flx_status status = flx_frontal_walk_complex(&w, m, 0, f->nfront);
    end_walk(f, &w);
    return status;
}

// What is needed while factoring alone; solutions need the first `kept` doubles of the numbers.
static void let_go(flx_frontal *f, int64_t kept)
{
    flx_front_crew_destroy(&f->crew);
    flx_free(f->work);
    flx_free(f->update);
    flx_free(f->waiting);
    flx_free(f->nchild);
    f->work = NULL;
    f->update = NULL;
    f->waiting = f->nchild = NULL;
    if (kept > 0) {
        f->numbers = flx_shrink(f->numbers, (size_t)kept, sizeof *f->numbers);
    } else {
        flx_free(f->numbers);
        f->numbers = NULL;
    }
    f->capacity = kept;
}

// ---- calls --------------------------------------------------------------------------------------

flx_status flx_frontal_factor(flx_frontal *f, double a, const flx_symmetric *A, double b,
                              const flx_symmetric *B)
{
    if (f->far)
        return flx_frontal_factor_far(f, B ? 2 : 1, (const flx_frontal_term[]){{a, A}, {b, B}},
                                      false);
    if (f->paired) let_go(f, 0);
    f->factored = f->paired = false;
    flx_status status = walk(f, &(flx_frontal_sum){B ? 2 : 1, {a, b}, {A, B}}, true);
    f->factored = status == FLX_OK;
    if (!f->sign || status < 0) let_go(f, f->factored ? f->factors : 0);
    return status;
}

flx_status flx_frontal_factor_complex(flx_frontal *f, int nterm, const flx_frontal_term *terms)
{
    flx_frontal_sum_complex m = {.n = nterm};
    FLX_ASSERT(nterm > 0 && nterm <= FLX_FRONTAL_TERMS && !f->sign);
    if (f->far) return flx_frontal_factor_far(f, nterm, terms, true);
    for (int i = 0; i < nterm; i++) {
        m.factor[i] = terms[i].factor;
        m.A[i] = terms[i].A;
    }
    let_go(f, 0);
    f->factored = false;
    f->paired = true;
    flx_status status = walk_complex(f, &m);
    f->factored = status == FLX_OK;
    let_go(f, f->factored ? 2 * f->factors : 0);
    return status;
}

flx_status flx_frontal_count(flx_frontal *f, double a, const flx_symmetric *A, double b,
                             const flx_symmetric *B, int *negative)
{
    if (f->far) return flx_frontal_count_far(f, a, A, b, B, negative);
    flx_frontal_report kept = f->report;
    let_go(f, 0);
    f->factored = f->paired = false;
    flx_status status = walk(f, &(flx_frontal_sum){B ? 2 : 1, {a, b}, {A, B}}, false);
    *negative = f->report.negative;
    f->report = kept;
    let_go(f, 0);
    return status;
}

void flx_frontal_release(flx_frontal *f)
{
    if (f->far) f->engine->release(f->far);
    let_go(f, 0);
    flx_free(f->X);
    flx_free(f->Y);
    f->X = f->Y = NULL;
    f->rhs_capacity = 0;
    f->factored = false;
}

flx_frontal_report flx_frontal_get_report(const flx_frontal *f)
{
    return f->report;
}
