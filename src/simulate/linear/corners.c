// corners.c - switches that are about to change where one linearises; see corners.h.
#include "simulate/linear/corners.h"

#include "base/log.h"
#include "integrate/newton_matrix.h"
#include "math/pattern.h"

#include <math.h>
#include <string.h>

#define NUDGE 2e-3    // of typical sizes
#define AT_ONCE 1e-10 // an indicator this near to zero, as a part of what a nudge does to it
#define ALIKE 1e-9    // slopes of both sides, of the largest
#define NEAR 1e-9     // of typical sizes: so near are both sides of a corner that no switch knows
#define SMALLER 0.1   // ... and nearer
#define BENT 1e-6     // slopes on both sides of it, of the largest

typedef struct corners {
    const flx_system *s;
    const flx_state *x;
    flx_work *work;
    flx_state *y;
    flx_blocks here, there;
    double *indicators, *moved, *theta, *switches;
    signed char *changed;
} corners;

static flx_status take(corners *c, flx_arena *arena)
{
    const flx_event_ops *k = c->s->ops->events;
    size_t n = k ? (size_t)k->indicators(c->s) : 0, nv = (size_t)c->s->dims.nv;
    c->work = c->s->ops->work_create(c->s);
    c->indicators = flx_arena_take(arena, n, sizeof *c->indicators);
    c->moved = flx_arena_take(arena, n, sizeof *c->moved);
    c->changed = flx_arena_take(arena, n, 1);
    c->theta = flx_arena_take(arena, nv, sizeof *c->theta);
    c->switches = flx_arena_take(arena, (size_t)c->s->dims.nswitch, sizeof *c->switches);
    if (!c->work || !c->indicators || !c->moved || !c->changed || !c->theta || !c->switches)
        return FLX_ERR_MEMORY;
    FLX_TRY(flx_blocks_create(c->s, &c->here));
    FLX_TRY(flx_blocks_create(c->s, &c->there));
    return flx_state_create(c->s, &c->y);
}

static double nudge(const flx_system *s, int i)
{
    flx_unknown u;
    s->ops->unknown(s, i, &u);
    return (u.scale > 0.0 ? u.scale : 1.0) * (0.5 + fmod(i * 0.6180339887498949, 0.5));
}

// All of the state a little elsewhere, by amounts that do not cancel.
static flx_point move(corners *c, double part)
{
    const flx_system *s = c->s;
    const flx_dims *d = &s->dims;
    flx_state_copy(c->y, c->x);
    for (int i = 0; i < d->nv; i++) {
        c->theta[i] = part * nudge(s, i);
        c->y->v[i] += c->theta[i];
    }
    if (d->nv > 0) s->ops->retract(s, c->x->q, c->theta, c->y->q);
    for (int i = 0; i < d->nx; i++) c->y->x[i] += part * nudge(s, d->nv + i);
    for (int i = 0; i < d->nw; i++) c->y->w[i] += part * nudge(s, d->nv + d->nx + i);
    return flx_state_point(s, c->y);
}

// Indicators at the state, and a little elsewhere.
static flx_status find_indicators(corners *c)
{
    const flx_system *s = c->s;
    if (!s->ops->events) return FLX_OK;
    flx_point p = flx_state_point(s, c->x);
    FLX_TRY(s->ops->events->indicate(s, c->work, &p, c->indicators));
    p = move(c, NUDGE);
    return s->ops->events->indicate(s, c->work, &p, c->moved);
}

static bool differ(size_t n, const double *a, const double *b)
{
    double most = 0.0, off = 0.0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i]));
        off = fmax(off, fabs(a[i] - b[i]));
    }
    return off > ALIKE * most;
}

// Whether the other side of a switch has other slopes.
static flx_status has_corner(corners *c, int i, bool *corner)
{
    const flx_system *s = c->s;
    size_t n = flx_pattern_size(&s->pattern);
    flx_point p = flx_state_point(s, c->x);
    c->changed[i] = 1;
    memcpy(c->switches, c->x->switches, (size_t)s->dims.nswitch * sizeof *c->switches);
    s->ops->events->change(s, c->work, c->x, c->changed, c->switches);
    c->changed[i] = 0;
    p.switches = c->switches;
    FLX_TRY(s->ops->linearise(s, c->work, &p, &c->there));
    *corner = differ(n, c->here.A0, c->there.A0) || differ(n, c->here.A1, c->there.A1) ||
              differ(n, c->here.A2, c->there.A2);
    return FLX_OK;
}

// Of one matrix: the largest difference of its slopes on both sides, of the largest of them, and its row.
typedef struct bend {
    double off, most;
    int row;
} bend;

static bend compare(const flx_pattern *p, const double *a, const double *b)
{
    double most = 0.0, off = 0.0;
    int row = 0;
    for (size_t i = 0; i < flx_pattern_size(p); i++) most = fmax(most, fabs(a[i]));
    for (int bi = 0; bi < p->nblock; bi++) {
        int nr = p->start[bi + 1] - p->start[bi];
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            int nc = p->start[p->col[e] + 1] - p->start[p->col[e]];
            for (int k = 0; k < nr * nc; k++) {
                double by = fabs(a[p->offset[e] + k] - b[p->offset[e] + k]);
                if (!(by > off)) continue;
                off = by;
                row = p->start[bi] + k / nc;
            }
        }
    }
    return (bend){off, most, row};
}

static flx_status find_bends(corners *c, double part, bend out[3])
{
    const flx_system *s = c->s;
    flx_point p = move(c, part);
    FLX_TRY(s->ops->linearise(s, c->work, &p, &c->here));
    p = move(c, -part);
    FLX_TRY(s->ops->linearise(s, c->work, &p, &c->there));
    out[0] = compare(&s->pattern, c->here.A0, c->there.A0);
    out[1] = compare(&s->pattern, c->here.A1, c->there.A1);
    out[2] = compare(&s->pattern, c->here.A2, c->there.A2);
    return FLX_OK;
}

// Corners that no switch knows, as of the size of a velocity at rest: slopes on both sides do not come together. Of a matrix that
// is zero there, as that of velocities at rest, both sides differ by all that they are, and come together all the same.
static flx_status tell_bends(flx_simulation *sim, corners *c)
{
    bend far[3], near[3];
    int row = -1;
    flx_unknown u;
    FLX_TRY(find_bends(c, NEAR, far));
    if (!(far[0].off > BENT * far[0].most || far[1].off > BENT * far[1].most ||
          far[2].off > BENT * far[2].most))
        return FLX_OK;
    FLX_TRY(find_bends(c, SMALLER * NEAR, near));
    for (int k = 0; k < 3 && row < 0; k++) {
        bool bent = far[k].off > BENT * far[k].most && near[k].off > 0.5 * far[k].off;
        if (bent && near[k].row == far[k].row) row = far[k].row;
    }
    if (row < 0) return FLX_OK;
    c->s->ops->unknown(c->s, row, &u);
    flx_ctx_warn(sim->ctx, u.loc,
                 "linearised at t = %.9g: '%s' (%s) has a corner there, and the slopes are those "
                 "of one side",
                 c->x->t, u.item ? u.item : "?", u.part ? u.part : "row");
    return FLX_OK;
}

static flx_status tell(flx_simulation *sim, corners *c)
{
    const flx_event_ops *k = c->s->ops->events;
    flx_point p = flx_state_point(c->s, c->x);
    bool ready = false, told = false;
    FLX_TRY(find_indicators(c));
    for (int i = 0; k && i < sim->model->nswitch && i < k->indicators(c->s); i++) {
        double reach = fabs(c->moved[i] - c->indicators[i]);
        if (!(fabs(c->indicators[i]) <= AT_ONCE * reach) || reach == 0.0) continue;
        if (!ready) FLX_TRY(c->s->ops->linearise(c->s, c->work, &p, &c->here));
        ready = true;
        bool corner = false;
        flx_loc loc = FLX_NOWHERE;
        FLX_TRY(has_corner(c, i, &corner));
        if (!corner) continue;
        const char *name = k->indicator(c->s, i, &loc);
        flx_ctx_warn(sim->ctx, loc,
                     "linearised at t = %.9g, where '%s' is about to change: the slopes are those "
                     "of one side",
                     c->x->t, name ? name : "a condition");
        told = true;
    }
    return told ? FLX_OK : tell_bends(sim, c);
}

flx_status flx_corners_tell(flx_simulation *sim, const flx_system *s, const flx_state *x)
{
    corners c = {.s = s, .x = x};
    flx_arena *arena = flx_arena_create(sim->ctx);
    flx_status status = arena ? take(&c, arena) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = tell(sim, &c);
    flx_blocks_destroy(&c.here);
    flx_blocks_destroy(&c.there);
    flx_state_destroy(&c.y);
    if (c.work) s->ops->work_destroy(c.work);
    flx_arena_destroy(&arena);
    return status;
}
