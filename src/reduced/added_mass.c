// added_mass.c - constant inertia added to some velocities of any system:
//     r_J + dM (v_J' + alpha v_J)                                                       (RED-10)
#include "reduced/added_mass.h"

#include "base/common.h"
#include "math/pattern.h"
#include "system/wrapper.h"

#include <string.h>

typedef struct added_mass {
    flx_wrapper z;
    int n;
    int *J;       // (n)
    double *mass; // (n x n)
    double alpha;
    int *entry; // (entries of the base) those here
    int *slot;  // (n x n) where the added ones are
} added_mass;

typedef struct added_work {
    flx_wrapper_work base;
    flx_blocks blocks; // of the base
} added_work;

static const added_mass *added_of(const flx_system *s)
{
    return (const added_mass *)s;
}

static added_work *work_of(flx_work *w)
{
    return (added_work *)w;
}

// ---- evaluation ---------------------------------------------------------------------------------

static flx_status residual(const flx_system *s, flx_work *work, const flx_point *p, double *r)
{
    const added_mass *z = added_of(s);
    const flx_system *base = z->z.base;
    FLX_TRY(base->ops->residual(base, flx_wrapper_inner(work), p, r));
    for (int i = 0; i < z->n; i++) {
        double sum = 0.0;
        for (int k = 0; k < z->n; k++) {
            int j = z->J[k];
            sum += z->mass[i * z->n + k] * (p->a[j] + z->alpha * p->v[j]);
        }
        r[z->J[i]] += sum;
    }
    return FLX_OK;
}

static flx_status linearise(const flx_system *s, flx_work *work, const flx_point *p, flx_blocks *b)
{
    const added_mass *z = added_of(s);
    const flx_system *base = z->z.base;
    const flx_blocks *from = &work_of(work)->blocks;
    const flx_pattern *there = &base->pattern;
    FLX_TRY(base->ops->linearise(base, flx_wrapper_inner(work), p, &work_of(work)->blocks));
    flx_pattern_clear(&s->pattern, b);
    for (int e = 0; e < there->row[there->nblock]; e++) {
        flx_wrapper_copy_entry(&z->z, from, e, z->entry[e], b);
    }
    for (int k = 0; k < z->n * z->n; k++) {
        b->A2[z->slot[k]] += z->mass[k];
        b->A1[z->slot[k]] += z->alpha * z->mass[k];
    }
    return FLX_OK;
}

static flx_status energy(const flx_system *s, flx_work *work, const flx_point *p, flx_energies *e)
{
    const added_mass *z = added_of(s);
    const flx_system *base = z->z.base;
    double twice = 0.0;
    FLX_TRY(base->ops->energy(base, flx_wrapper_inner(work), p, e));
    for (int k = 0; k < z->n * z->n; k++) {
        twice += z->mass[k] * p->v[z->J[k / z->n]] * p->v[z->J[k % z->n]];
    }
    e->kinetic += 0.5 * twice;
    e->dissipated_power += z->alpha * twice;
    return FLX_OK;
}

static flx_status momentum(const flx_system *s, flx_work *work, const flx_point *p, double *Mv)
{
    const added_mass *z = added_of(s);
    const flx_system *base = z->z.base;
    FLX_TRY(base->ops->lagrangian->momentum(base, flx_wrapper_inner(work), p, Mv));
    for (int k = 0; k < z->n * z->n; k++) {
        Mv[z->J[k / z->n]] += z->mass[k] * p->v[z->J[k % z->n]];
    }
    return FLX_OK;
}

// What is added does not change.
static flx_status transport(const flx_system *s, flx_work *work, const flx_point *p, double *out)
{
    const flx_system *base = added_of(s)->z.base;
    return base->ops->lagrangian->transport(base, flx_wrapper_inner(work), p, out);
}

static const flx_lagrangian lagrangian = {.momentum = momentum, .transport = transport};

// ---- life ---------------------------------------------------------------------------------------

static flx_work *work_create(const flx_system *s)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    added_work *w = flx_wrapper_work_create(s, sizeof *w);
    if (!w) return NULL;
    if (flx_pattern_take(&base->pattern, w->base.arena, &w->blocks)) return &w->base.base;
    flx_wrapper_work_destroy(&w->base.base);
    return NULL;
}

// ---- create -------------------------------------------------------------------------------------

static int collect_keys(const added_mass *z, const int *blocks, long long *keys)
{
    const flx_pattern *p = &z->z.base->pattern;
    int n = 0;
    for (int bi = 0; bi < p->nblock; bi++) {
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            keys[n++] = (long long)bi * p->nblock + p->col[e];
        }
    }
    for (int k = 0; k < z->n * z->n; k++) {
        keys[n++] = (long long)blocks[k / z->n] * p->nblock + blocks[k % z->n];
    }
    return n;
}

// Which of A0, A1, A2 an entry may have: that of the base, and A1 and A2 of what is added.
static flx_status mark_parts(added_mass *z)
{
    const flx_pattern *p = &z->z.base->pattern, *here = &z->z.sys.pattern;
    int n = here->row[here->nblock];
    unsigned char *parts = flx_arena_take(z->z.arena, (size_t)n, 1);
    if (!parts) return FLX_ERR_MEMORY;
    for (int e = 0; e < p->row[p->nblock]; e++) {
        parts[z->entry[e]] = (unsigned char)(p->parts ? p->parts[e] : 7);
    }
    for (int k = 0; k < z->n * z->n; k++) {
        int bi = flx_pattern_block(p, z->J[k / z->n]), bj = flx_pattern_block(p, z->J[k % z->n]);
        parts[flx_pattern_find(here, bi, bj)] |= 6;
    }
    z->z.sys.pattern.parts = parts;
    return FLX_OK;
}

static flx_status make_pattern(added_mass *z)
{
    const flx_pattern *p = &z->z.base->pattern;
    const flx_pattern *here = &z->z.sys.pattern;
    int most = p->row[p->nblock] + z->n * z->n;
    int *blocks = flx_arena_take(z->z.arena, (size_t)z->n, sizeof *blocks);
    long long *keys = flx_arena_take(z->z.arena, (size_t)most, sizeof *keys);
    z->slot = flx_arena_take(z->z.arena, (size_t)(z->n * z->n), sizeof *z->slot);
    if (!blocks || !keys || !z->slot) return FLX_ERR_MEMORY;
    for (int i = 0; i < z->n; i++) blocks[i] = flx_pattern_block(p, z->J[i]);
    int n = collect_keys(z, blocks, keys);
    FLX_TRY(flx_wrapper_make_pattern(&z->z, n, keys, &z->entry));
    for (int k = 0; k < z->n * z->n; k++) {
        int bi = blocks[k / z->n], bj = blocks[k % z->n];
        int width = p->start[bj + 1] - p->start[bj];
        z->slot[k] = here->offset[flx_pattern_find(here, bi, bj)] +
                     (z->J[k / z->n] - p->start[bi]) * width + z->J[k % z->n] - p->start[bj];
    }
    return mark_parts(z);
}

static flx_status build(added_mass *z, const flx_added_mass *how)
{
    size_t n = (size_t)how->n;
    z->n = how->n;
    z->alpha = how->mass_damping;
    z->J = flx_arena_take(z->z.arena, n, sizeof *z->J);
    z->mass = flx_arena_take(z->z.arena, n * n, sizeof *z->mass);
    if (!z->J || !z->mass) return FLX_ERR_MEMORY;
    memcpy(z->J, how->J, n * sizeof *z->J);
    memcpy(z->mass, how->mass, n * n * sizeof *z->mass);
    bool plain = false;
    FLX_TRY(flx_wrapper_plain(&z->z, z->n, z->J, &plain));
    if (plain && z->z.base->ops->lagrangian) z->z.ops.lagrangian = &lagrangian;
    return make_pattern(z);
}

flx_status flx_added_mass_create(flx_system *base, const flx_added_mass *how, flx_system **s)
{
    *s = NULL;
    added_mass *z = flx_wrapper_create(base, "added-mass", sizeof *z);
    if (!z) return FLX_ERR_MEMORY;
    z->z.ops.residual = residual;
    z->z.frozen = "the inertia that a cutoff adds";
    z->z.ops.linearise = linearise;
    z->z.ops.work_create = work_create;
    z->z.ops.explicit_form = flx_wrapper_explicit(&z->z);
    if (base->ops->energy) z->z.ops.energy = energy;
    return flx_wrapper_finish(&z->z, build(z, how), s);
}
