// plans.c - plans of patterns: a list that only grows, behind a lock that is held while it is looked through.
#include "math/plans.h"

#include "base/common.h"

#include <stdatomic.h>
#include <string.h>

typedef struct entry {
    struct entry *next;
    flx_plan_kind kind;
    const int *row; // of the pattern: its arrays are those of the system, and tell patterns apart
    int version;
    signed char *sign;
    void *plan;
    void (*destroy)(void *plan);
} entry;

struct flx_plans {
    atomic_flag lock;
    entry *first; // owned
};

struct flx_plans *flx_plans_create(flx_ctx *ctx)
{
    struct flx_plans *k = flx_alloc(ctx, 1, sizeof *k);
    if (k) atomic_flag_clear(&k->lock);
    return k;
}

static void destroy_entry(entry *e)
{
    if (e->plan) e->destroy(e->plan);
    flx_free(e->sign);
    flx_free(e);
}

void flx_plans_destroy(struct flx_plans **plans)
{
    if (!*plans) return;
    for (entry *e = (*plans)->first, *next; e; e = next) {
        next = e->next;
        destroy_entry(e);
    }
    flx_free(*plans);
    *plans = NULL;
}

static bool is_same(const entry *e, const flx_pattern *p, flx_plan_kind kind,
                    const signed char *sign)
{
    if (e->kind != kind || e->row != p->row || e->version != p->version) return false;
    if (!e->sign != !sign) return false;
    return !sign || memcmp(e->sign, sign, (size_t)p->nblock) == 0;
}

static const entry *find(const flx_pattern *p, flx_plan_kind kind, const signed char *sign)
{
    const entry *e = p->plans->first;
    while (e && !is_same(e, p, kind, sign)) e = e->next;
    return e;
}

const void *flx_plans_find(const flx_pattern *p, flx_plan_kind kind, const signed char *sign)
{
    if (!p->plans) return NULL;
    while (atomic_flag_test_and_set(&p->plans->lock)) continue;
    const entry *e = find(p, kind, sign);
    atomic_flag_clear(&p->plans->lock);
    return e ? e->plan : NULL;
}

static entry *make_entry(flx_ctx *ctx, const flx_pattern *p, flx_plan_kind kind,
                         const signed char *sign)
{
    entry *e = flx_alloc(ctx, 1, sizeof *e);
    if (!e) return NULL;
    e->kind = kind;
    e->row = p->row;
    e->version = p->version;
    if (sign) e->sign = flx_alloc_unset(ctx, (size_t)p->nblock, 1);
    if (e->sign) memcpy(e->sign, sign, (size_t)p->nblock);
    if (!sign || e->sign) return e;
    flx_free(e);
    return NULL;
}

const void *flx_plans_keep(flx_ctx *ctx, const flx_pattern *p, flx_plan_kind kind,
                           const signed char *sign, void *plan, void (*destroy)(void *plan))
{
    entry *e = p->plans ? make_entry(ctx, p, kind, sign) : NULL;
    if (!e) return NULL;
    while (atomic_flag_test_and_set(&p->plans->lock)) continue;
    const entry *before = find(p, kind, sign);
    if (!before) {
        e->plan = plan;
        e->destroy = destroy;
        e->next = p->plans->first;
        p->plans->first = e;
    }
    atomic_flag_clear(&p->plans->lock);
    if (!before) return plan;
    destroy_entry(e);
    destroy(plan);
    return before->plan;
}
