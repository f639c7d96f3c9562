// particle_step.c - a step of velocity Verlet. The law sees velocities at the full step, v + h a of the step before, which the end of the
// step corrects by h/2 (a_new - a_old): half-step velocities would damp particles of unequal sizes wrongly.
#include "base/refuse.h"
#include "base/two_widths.h"
#include "particles/particle_set.h"

#include <string.h>

// ---- motion -------------------------------------------------------------------------------------

// To the next step: places, predicted velocities; the square of the way since the neighbours were listed, over that of the skin.
static inline double advance_one(flx_particles *p, int i)
{
    const double h = p->step;
    flx_vec4 *x = p->x + i, *v = p->v + i, *w = p->w + i;
    const double *a = p->f + 3 * i, *b = p->t + 3 * i;
    x->x += h * (v->x + 0.5 * h * a[0]);
    x->y += h * (v->y + 0.5 * h * a[1]);
    x->z += h * (v->z + 0.5 * h * a[2]);
    v->x += h * a[0];
    v->y += h * a[1];
    v->z += h * a[2];
    w->x += h * b[0];
    w->y += h * b[1];
    w->z += h * b[2];
    double dx = x->x - p->kept[i].x, dy = x->y - p->kept[i].y, dz = x->z - p->kept[i].z;
    memset(p->fn + 3 * i, 0, 3 * sizeof(double));
    memset(p->tn + 3 * i, 0, 3 * sizeof(double));
    return (dx * dx + dy * dy + dz * dz) * p->kept[i].w;
}

static inline void correct_one(flx_particles *p, int i)
{
    const double half = 0.5 * p->step;
    flx_vec4 *v = p->v + i, *w = p->w + i;
    double *a = p->f + 3 * i, *b = p->t + 3 * i, an[3], bn[3];
    for (int k = 0; k < 3; k++) {
        an[k] = p->fn[3 * i + k] * v->w + p->gravity[k];
        bn[k] = p->tn[3 * i + k] * w->w;
    }
    v->x += half * (an[0] - a[0]);
    v->y += half * (an[1] - a[1]);
    v->z += half * (an[2] - a[2]);
    w->x += half * (bn[0] - b[0]);
    w->y += half * (bn[1] - b[1]);
    w->z += half * (bn[2] - b[2]);
    memcpy(a, an, sizeof an);
    memcpy(b, bn, sizeof bn);
}

static void note_way(double way, double *most)
{
    if (!(way <= *most)) *most = isfinite(way) ? way : HUGE_VAL;
}

static void advance(void *user, int part, int parts)
{
    flx_particles *p = user;
    double most = 0.0;
    int from, to;
    flx_particle_range(p->n, part, parts, &from, &to);
    for (int i = from; i < to; i++) note_way(advance_one(p, i), &most);
    p->moved[part] = most;
}

static void correct(void *user, int part, int parts)
{
    flx_particles *p = user;
    int from, to;
    flx_particle_range(p->n, part, parts, &from, &to);
    for (int i = from; i < to; i++) correct_one(p, i);
}

// The end of a step and the beginning of the next one, in one pass through memory.
FLX_TWO_WIDTHS static void turn_over(void *user, int part, int parts)
{
    flx_particles *p = user;
    double most = 0.0;
    int from, to;
    flx_particle_range(p->n, part, parts, &from, &to);
    for (int i = from; i < to; i++) {
        correct_one(p, i);
        note_way(advance_one(p, i), &most);
    }
    p->moved[part] = most;
}

// ---- a run --------------------------------------------------------------------------------------

flx_status flx_particles_run(flx_particles *p, long steps)
{
    if (!p) return flx_refuse_null(NULL, __func__);
    if (p->rebuilds == 0) FLX_TRY(flx_particles_rebuild(p));
    for (long k = 0; k < steps; k++) {
        flx_walls_move(p);
        flx_particle_team_run(p->team, k == 0 ? advance : turn_over, p);
        p->steps++;
        p->time = (double)p->steps * p->step;
        if (flx_particles_moved(p)) FLX_TRY(flx_particles_rebuild(p));
        flx_particles_push(p);
        flx_walls_push(p);
    }
    if (steps > 0) flx_particle_team_run(p->team, correct, p);
    return FLX_OK;
}
