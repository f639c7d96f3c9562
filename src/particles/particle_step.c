// particle_step.c - a step of velocity Verlet. The law sees velocities at the full step, v + h a of the step before, which the end of the
// step corrects by h/2 (a_new - a_old): half-step velocities would damp particles of unequal sizes wrongly.
#include "particles/particle_set.h"

#include <string.h>

// ---- motion -------------------------------------------------------------------------------------

static void range(int n, int part, int parts, int *from, int *to)
{
    *from = (int)((long)n * part / parts);
    *to = (int)((long)n * (part + 1) / parts);
}

// To the next step: places, predicted velocities; the square of the way since the neighbours were listed.
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
    return dx * dx + dy * dy + dz * dz;
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
    range(p->n, part, parts, &from, &to);
    for (int i = from; i < to; i++) note_way(advance_one(p, i), &most);
    p->moved[part] = most;
}

static void correct(void *user, int part, int parts)
{
    flx_particles *p = user;
    int from, to;
    range(p->n, part, parts, &from, &to);
    for (int i = from; i < to; i++) correct_one(p, i);
}

// The end of a step and the beginning of the next one, in one pass through memory.
static void turn_over(void *user, int part, int parts)
{
    flx_particles *p = user;
    double most = 0.0;
    int from, to;
    range(p->n, part, parts, &from, &to);
    for (int i = from; i < to; i++) {
        correct_one(p, i);
        note_way(advance_one(p, i), &most);
    }
    p->moved[part] = most;
}

// ---- forces -------------------------------------------------------------------------------------

// The pair k of particles i and j; false: they do not touch.
__attribute__((always_inline)) static inline bool find_pair(const flx_particles *p, int i, int j,
                                                            int k, flx_particle_slot *s)
{
    const flx_vec4 a = p->x[i], b = p->x[j];
    double d[3] = {a.x - b.x, a.y - b.y, a.z - b.z}, sum = a.w + b.w;
    if (p->repeats) flx_particle_nearest(p, d);
    double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (r2 >= sum * sum) {
        if (p->memory[k].depth != 0.0) p->memory[k].depth = 0.0;
        return false;
    }
    const flx_vec4 va = p->v[i], vb = p->v[j], wa = p->w[i], wb = p->w[j];
    double r = sqrt(r2), q = r > 0.0 ? 1.0 / r : 0.0, depth = sum - r;
    const double n[3] = {d[0] * q, d[1] * q, d[2] * q};
    s->arm[0] = a.w - 0.5 * depth;
    s->arm[1] = b.w - 0.5 * depth;
    double c[3] = {s->arm[0] * wa.x + s->arm[1] * wb.x, s->arm[0] * wa.y + s->arm[1] * wb.y,
                   s->arm[0] * wa.z + s->arm[1] * wb.z};
    const double u[3] = {va.x - vb.x - (c[1] * n[2] - c[2] * n[1]),
                         va.y - vb.y - (c[2] * n[0] - c[0] * n[2]),
                         va.z - vb.z - (c[0] * n[1] - c[1] * n[0])};
    const double w[3] = {wa.x - wb.x, wa.y - wb.y, wa.z - wb.z};
    flx_particle_force(&p->law, a.w * b.w / sum, 1.0 / (va.w + vb.w), 1.0 / (wa.w + wb.w),
                       s->arm[0] * wa.w - s->arm[1] * wb.w, depth, n, u, w, p->memory + k, s->F,
                       s->Q, s->M);
    return true;
}

static void forces_at_once(flx_particles *set)
{
    flx_particle_slot s;
    const flx_particles own = *set, *p = &own; // pointers that no force changes
    for (int i = 0; i < p->n; i++) {
        double *f = p->fn + 3 * i, *t = p->tn + 3 * i;
        double F[3] = {f[0], f[1], f[2]}, T[3] = {t[0], t[1], t[2]};
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            int j = p->second[k];
            if (!find_pair(p, i, j, k, &s)) continue;
            double *fj = p->fn + 3 * j, *tj = p->tn + 3 * j;
            for (int c = 0; c < 3; c++) {
                F[c] += s.F[c];
                T[c] += s.M[c] - s.arm[0] * s.Q[c];
                fj[c] -= s.F[c];
                tj[c] -= s.M[c] + s.arm[1] * s.Q[c];
            }
        }
        memcpy(f, F, sizeof F);
        memcpy(t, T, sizeof T);
    }
}

// The rows of a thread: as many pairs as the others have.
static void rows_of(const flx_particles *p, int part, int parts, int *from, int *to)
{
    int bound[2];
    for (int e = 0; e < 2; e++) {
        long target = (long)p->npair * (part + e) / parts;
        int low = 0, high = p->n;
        while (low < high) {
            int mid = low + (high - low) / 2;
            if (p->start[mid] < target) {
                low = mid + 1;
            } else {
                high = mid;
            }
        }
        bound[e] = part + e == parts ? p->n : part + e == 0 ? 0 : low;
    }
    *from = bound[0];
    *to = bound[1];
}

static void fill_slots(void *user, int part, int parts)
{
    flx_particles *p = user;
    int from, to;
    rows_of(p, part, parts, &from, &to);
    for (int i = from; i < to; i++) {
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            p->slots[k].touches = find_pair(p, i, p->second[k], k, p->slots + k);
        }
    }
}

static void add_slots(void *user, int part, int parts)
{
    flx_particles *p = user;
    int from, to;
    range(p->n, part, parts, &from, &to);
    for (int i = from; i < to; i++) {
        double *F = p->fn + 3 * i, *T = p->tn + 3 * i;
        for (int e = p->in_start[i]; e < p->in_start[i + 1]; e++) {
            const flx_particle_slot *s = p->slots + p->in[e];
            for (int c = 0; c < 3 && s->touches; c++) {
                F[c] -= s->F[c];
                T[c] -= s->M[c] + s->arm[1] * s->Q[c];
            }
        }
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            const flx_particle_slot *s = p->slots + k;
            for (int c = 0; c < 3 && s->touches; c++) {
                F[c] += s->F[c];
                T[c] += s->M[c] - s->arm[0] * s->Q[c];
            }
        }
    }
}

// From positions of the new step on; the neighbours are known.
static void find_forces(flx_particles *p)
{
    if (p->team) {
        flx_particle_team_run(p->team, fill_slots, p);
        flx_particle_team_run(p->team, add_slots, p);
    } else {
        forces_at_once(p);
    }
    flx_walls_push(p);
}

flx_status flx_particles_run(flx_particles *p, long steps)
{
    if (p->rebuilds == 0) FLX_TRY(flx_particles_rebuild(p));
    for (long k = 0; k < steps; k++) {
        flx_walls_move(p);
        flx_particle_team_run(p->team, k == 0 ? advance : turn_over, p);
        p->steps++;
        p->time = (double)p->steps * p->step;
        if (flx_particles_moved(p)) FLX_TRY(flx_particles_rebuild(p));
        find_forces(p);
    }
    if (steps > 0) flx_particle_team_run(p->team, correct, p);
    return FLX_OK;
}
