// particle_walls.c - walls that move, the distances of their surfaces from a place, which of their contacts with a particle count, and the
// impulses on them.
#include "particles/particle_set.h"

#include <math.h>
#include <string.h>

// Two contacts of a particle with one wall whose normals are nearer than this are one: of neighbouring triangles, of plates side by side. What an
// overlap of a fiftieth of the radius reaches round a point of contact lies within it.
#define SAME_NORMAL 0.98
#define ALIGNED 1e-6 // of a direction and a place: what rounding leaves

// ---- motion -------------------------------------------------------------------------------------

static void turn(const double R[9], const double a[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = R[3 * i] * a[0] + R[3 * i + 1] * a[1] + R[3 * i + 2] * a[2];
}

void flx_wall_place(flx_particles *p, int surface)
{
    flx_wall_surface *s = p->surfaces + surface;
    const flx_wall *w = p->walls + s->wall;
    turn(w->R, s->point, s->place);
    for (int i = 0; i < 3; i++) s->place[i] += w->position[i];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            s->now[3 * i + j] = w->R[3 * i] * s->axes[j] + w->R[3 * i + 1] * s->axes[3 + j] +
                                w->R[3 * i + 2] * s->axes[6 + j];
        }
    }
}

void flx_particles_move_wall(flx_particles *p, int wall, const double position[3],
                             const double R[9], const double velocity[3],
                             const double angular_velocity[3])
{
    if (!p || wall < 0 || wall >= p->nwall) return;
    flx_wall *w = p->walls + wall;
    double way = 0.0;
    for (int i = 0; i < 3; i++) {
        way += fabs(position[i] - w->position[i]);
        w->position[i] = position[i];
        w->velocity[i] = velocity[i];
        w->spin[i] = angular_velocity[i];
    }
    for (int i = 0; i < 9; i++) {
        way += fabs(R[i] - w->R[i]) * p->reach;
        w->R[i] = R[i];
    }
    p->wall_way += way;
    for (int s = 0; s < p->nsurface && way > 0.0; s++) {
        if (p->surfaces[s].wall == wall) flx_wall_place(p, s);
    }
}

// The frame goes on with its velocities: a rotation about its spin, to machine precision a rotation.
void flx_walls_move(flx_particles *p)
{
    double fastest = 0.0;
    for (int k = 0; k < p->nwall; k++) {
        flx_wall *w = p->walls + k;
        double spin =
            sqrt(w->spin[0] * w->spin[0] + w->spin[1] * w->spin[1] + w->spin[2] * w->spin[2]);
        double speed = sqrt(w->velocity[0] * w->velocity[0] + w->velocity[1] * w->velocity[1] +
                            w->velocity[2] * w->velocity[2]);
        double far = sqrt(w->position[0] * w->position[0] + w->position[1] * w->position[1] +
                          w->position[2] * w->position[2]);
        w->moves = spin != 0.0 || speed != 0.0;
        if (!w->moves) continue;
        fastest = fmax(fastest, speed + spin * (p->reach + far));
        for (int i = 0; i < 3; i++) w->position[i] += p->step * w->velocity[i];
        if (spin > 0.0) {
            double a[3] = {w->spin[0] / spin, w->spin[1] / spin, w->spin[2] / spin};
            double c = cos(spin * p->step), s = sin(spin * p->step), R[9];
            for (int j = 0; j < 3; j++) {
                double b[3] = {w->R[j], w->R[3 + j], w->R[6 + j]};
                double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
                const double cross[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                                         a[0] * b[1] - a[1] * b[0]};
                for (int i = 0; i < 3; i++)
                    R[3 * i + j] = c * b[i] + s * cross[i] + (1 - c) * dot * a[i];
            }
            memcpy(w->R, R, sizeof R);
        }
    }
    if (fastest == 0.0) return;
    p->wall_way += fastest * p->step;
    for (int s = 0; s < p->nsurface; s++) {
        if (p->walls[p->surfaces[s].wall].moves) flx_wall_place(p, s);
    }
}

// ---- distances ----------------------------------------------------------------------------------

static double length2(double x, double y)
{
    return sqrt(x * x + y * y);
}

// Of a solid box with half edges e, rounded by nothing: inside, the nearest face.
static double box_distance(const double e[3], const double d[3], double n[3])
{
    double out[3], sum = 0.0, most = -HUGE_VAL;
    int face = 0;
    for (int i = 0; i < 3; i++) {
        double beyond = fabs(d[i]) - e[i];
        out[i] = beyond > 0.0 ? copysign(beyond, d[i]) : 0.0;
        sum += out[i] * out[i];
        if (beyond > most) {
            most = beyond;
            face = i;
        }
    }
    if (sum > 0.0) {
        double size = sqrt(sum);
        for (int i = 0; i < 3; i++) n[i] = out[i] / size;
        return size;
    }
    n[0] = n[1] = n[2] = 0.0;
    n[face] = copysign(1.0, d[face]);
    return most;
}

// Of a solid cylinder about the third axis, radius R, half length L.
static double cylinder_distance(double R, double L, const double d[3], double n[3])
{
    double r = length2(d[0], d[1]), side = r - R, end = fabs(d[2]) - L;
    double q[2] = {r > 0.0 ? d[0] / r : 1.0, r > 0.0 ? d[1] / r : 0.0}, up = copysign(1.0, d[2]);
    if (side > 0.0 && end > 0.0) {
        double size = length2(side, end);
        n[0] = q[0] * side / size;
        n[1] = q[1] * side / size;
        n[2] = up * end / size;
        return size;
    }
    bool flat = end > side;
    n[0] = flat ? 0.0 : q[0];
    n[1] = flat ? 0.0 : q[1];
    n[2] = flat ? up : 0.0;
    return flat ? end : side;
}

// Of the nearest point of a triangle with the corners 0, a, b in the plane z = 0, on both sides.
static double triangle_distance(const double c[4], const double d[3], double n[3])
{
    const double *const corner[3] = {(const double[2]){0, 0}, c, c + 2};
    double near[2] = {d[0], d[1]}, best = HUGE_VAL;
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        const double *a = corner[k], *b = corner[(k + 1) % 3];
        double e[2] = {b[0] - a[0], b[1] - a[1]}, f[2] = {d[0] - a[0], d[1] - a[1]};
        if (e[0] * f[1] - e[1] * f[0] < 0.0) inside = false;
    }
    for (int k = 0; k < 3 && !inside; k++) {
        const double *a = corner[k], *b = corner[(k + 1) % 3];
        double e[2] = {b[0] - a[0], b[1] - a[1]}, f[2] = {d[0] - a[0], d[1] - a[1]};
        double s = fmin(fmax((e[0] * f[0] + e[1] * f[1]) / (e[0] * e[0] + e[1] * e[1]), 0.0), 1.0);
        double at[2] = {a[0] + s * e[0], a[1] + s * e[1]};
        double off = length2(d[0] - at[0], d[1] - at[1]);
        if (off < best) {
            best = off;
            near[0] = at[0];
            near[1] = at[1];
        }
    }
    double v[3] = {d[0] - near[0], d[1] - near[1], d[2]};
    double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++) n[i] = size > 0.0 ? v[i] / size : i == 2;
    return size;
}

double flx_wall_distance(const flx_wall_surface *s, const double x[3], double n[3])
{
    const double *A = s->now, *size = s->size;
    double g[3] = {x[0] - s->place[0], x[1] - s->place[1], x[2] - s->place[2]}, d[3], m[3], out, r;
    if (s->kind == FLX_WALL_PLANE) {
        for (int i = 0; i < 3; i++) n[i] = A[3 * i + 2];
        return g[0] * n[0] + g[1] * n[1] + g[2] * n[2] - s->skin;
    }
    for (int i = 0; i < 3; i++) d[i] = A[i] * g[0] + A[3 + i] * g[1] + A[6 + i] * g[2];
    switch (s->kind) {
    case FLX_WALL_TUBE:
        r = length2(d[0], d[1]);
        m[0] = r > 0.0 ? -d[0] / r : 0.0;
        m[1] = r > 0.0 ? -d[1] / r : 0.0;
        m[2] = 0.0;
        out = size[0] - r;
        break;
    case FLX_WALL_SHELL:
    case FLX_WALL_CAPSULE: {
        double along = fmin(fmax(d[2], -size[1]), size[1]), v[3] = {d[0], d[1], d[2] - along};
        r = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        double sign = s->kind == FLX_WALL_SHELL ? -1.0 : 1.0;
        for (int i = 0; i < 3; i++) m[i] = r > 0.0 ? sign * v[i] / r : i == 0;
        out = sign * (r - size[0]);
        break;
    }
    case FLX_WALL_CYLINDER:
        out = cylinder_distance(size[0], size[1], d, m);
        break;
    case FLX_WALL_BOX:
        out = box_distance(size, d, m);
        break;
    default:
        out = triangle_distance(s->corner, d, m);
        break;
    }
    turn(A, m, n);
    return out - s->skin;
}

// Box round what has an end, in ground axes; false: it has none.
bool flx_wall_bounds(const flx_wall_surface *s, double low[3], double high[3])
{
    const double *A = s->now;
    if (s->kind == FLX_WALL_PLANE || s->kind == FLX_WALL_TUBE || s->kind == FLX_WALL_SHELL)
        return false;
    for (int i = 0; i < 3; i++) {
        const double *row = A + 3 * i;
        double lo = 0.0, hi = 0.0;
        if (s->kind == FLX_WALL_TRIANGLE) {
            for (int k = 0; k < 2; k++) {
                double at = row[0] * s->corner[2 * k] + row[1] * s->corner[2 * k + 1];
                lo = fmin(lo, at);
                hi = fmax(hi, at);
            }
        } else if (s->kind == FLX_WALL_BOX) {
            for (int k = 0; k < 3; k++) hi += fabs(row[k]) * s->size[k];
            lo = -hi;
        } else {
            hi = s->size[0] + fabs(row[2]) * s->size[1];
            lo = -hi;
        }
        low[i] = s->place[i] + lo - s->skin;
        high[i] = s->place[i] + hi + s->skin;
    }
    return true;
}

// The image of a place that is nearest to the middle of what has an end; steps: along the axes where the next image may be nearer to its surface.
static void find_image(const flx_particles *p, const double low[3], const double high[3],
                       const double x[3], double far, double image[3], int steps[3])
{
    for (int k = 0; k < 3; k++) {
        double L = p->period[k], middle = 0.5 * (low[k] + high[k]);
        image[k] = L > 0.0 ? x[k] - L * nearbyint((x[k] - middle) / L) : x[k];
        steps[k] = L > 0.0 && 0.5 * (high[k] - low[k]) + far > 0.5 * L;
    }
}

double flx_wall_distance_round(const flx_particles *p, int surface, const double x[3], double far,
                               double n[3], double image[3])
{
    const flx_wall_surface *s = p->surfaces + surface;
    double low[3], high[3], first[3], best = HUGE_VAL;
    int steps[3];
    memcpy(image, x, 3 * sizeof *x);
    if (!p->repeats || !flx_wall_bounds(s, low, high)) return flx_wall_distance(s, x, n);
    find_image(p, low, high, x, far, first, steps);
    for (int a = -steps[0]; a <= steps[0]; a++) {
        for (int b = -steps[1]; b <= steps[1]; b++) {
            for (int c = -steps[2]; c <= steps[2]; c++) {
                const double at[3] = {first[0] + a * p->period[0], first[1] + b * p->period[1],
                                      first[2] + c * p->period[2]};
                double m[3], distance = flx_wall_distance(s, at, m);
                if (distance >= best) continue;
                best = distance;
                memcpy(n, m, sizeof m);
                memcpy(image, at, sizeof at);
            }
        }
    }
    return best;
}

// ---- contacts -----------------------------------------------------------------------------------

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double flx_wall_radius(const flx_wall_surface *s, double r)
{
    bool hollow = s->kind == FLX_WALL_TUBE || s->kind == FLX_WALL_SHELL;
    if (hollow && s->size[0] > r) return r * s->size[0] / (s->size[0] - r);
    bool ball = s->kind == FLX_WALL_CAPSULE && s->size[1] == 0.0;
    return ball ? r * s->size[0] / (s->size[0] + r) : r; // to the law other walls are flat
}

static flx_vec3 to_vec3(const double a[3])
{
    return (flx_vec3){a[0], a[1], a[2]};
}

static void from_vec3(flx_vec3 a, double out[3])
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

// A wall does not give way: the particle's own surface rolls on it.
static void push(flx_particles *p, flx_wall_touch *t)
{
    const flx_wall_surface *s = p->surfaces + t->surface;
    const flx_wall *wall = p->walls + s->wall;
    const flx_vec4 x = p->x[t->particle], v = p->v[t->particle], w = p->w[t->particle];
    const flx_vec3 n = to_vec3(t->next), spin = {w.x, w.y, w.z}, turns = to_vec3(wall->spin);
    const flx_vec3 at = flx_vec3_add(to_vec3(t->at), -x.w, n);
    const flx_vec3 from = flx_vec3_add(at, -1.0, to_vec3(wall->position));
    flx_vec3 u = flx_vec3_add((flx_vec3){v.x, v.y, v.z}, -x.w, flx_vec3_cross(spin, n));
    u = flx_vec3_add(u, -1.0, to_vec3(wall->velocity));
    u = flx_vec3_add(u, -1.0, flx_vec3_cross(turns, from));
    bool known = t->memory.depth > 0.0;
    const flx_vec3 none = {0, 0, 0};
    flx_particle_contact c = {.R = flx_wall_radius(s, x.w),
                              .m = 1.0 / v.w,
                              .inertia = 1.0 / w.w,
                              .k = x.w * w.w,
                              .d = t->depth,
                              .old = known ? t->memory.depth : 1.0,
                              .n = n,
                              .u = u,
                              .w = flx_vec3_add(spin, -1.0, turns),
                              .T = known ? to_vec3(t->memory.T) : none};
    flx_particle_force(&p->law, &c);
    from_vec3(at, t->at);
    from_vec3(c.T, t->memory.T);
    from_vec3(c.F, t->F);
    from_vec3(flx_vec3_add(c.M, -x.w, c.Q), t->M);
    from_vec3(c.M, t->rolling);
    t->memory.depth = t->depth;
    memcpy(t->normal, t->next, sizeof t->normal);
}

// What a contact that gives way to a neighbour remembers goes over to it.
static void inherit(const flx_particles *p, flx_wall_touch *from, int count, flx_wall_touch *t)
{
    int wall = p->surfaces[t->surface].wall;
    for (flx_wall_touch *o = from; o < from + count; o++) {
        if (o == t || o->memory.depth == 0.0 || p->surfaces[o->surface].wall != wall) continue;
        if (o->touches || dot(o->normal, t->next) < SAME_NORMAL) continue;
        t->memory = o->memory;
        o->memory.depth = 0.0;
        return;
    }
}

// Whether what is nearest is an edge or a corner, not the inside of a face.
static bool on_edge(const flx_wall_surface *s, const double n[3])
{
    const double *A = s->now;
    double most = 0.0;
    if (s->kind == FLX_WALL_TRIANGLE || s->kind == FLX_WALL_CYLINDER) {
        most = fabs(A[2] * n[0] + A[5] * n[1] + A[8] * n[2]);
        return most < 1.0 - ALIGNED && (s->kind == FLX_WALL_TRIANGLE || most > ALIGNED);
    }
    if (s->kind != FLX_WALL_BOX) return false;
    for (int k = 0; k < 3; k++) {
        most = fmax(most, fabs(A[k] * n[0] + A[3 + k] * n[1] + A[6 + k] * n[2]));
    }
    return most < 1.0 - ALIGNED;
}

// Two contacts with one wall that are one: normals that are near, or the second is an edge within the overlap of the first, deeper one: of the
// next triangle of a plane, of the plate beside.
static bool is_one(const flx_particles *p, double r, const flx_wall_touch *a,
                   const flx_wall_touch *b)
{
    const flx_wall_surface *s = p->surfaces + a->surface, *o = p->surfaces + b->surface;
    double cosine = dot(a->next, b->next);
    if (s->wall != o->wall) return false;
    if (cosine > SAME_NORMAL) return true;
    double above =
        (r - a->depth) - (r - b->depth) * cosine; // of the second, over the first's plane
    return above <= ALIGNED * r && on_edge(o, b->next);
}

// All contacts of one particle with walls, the deepest first.
static void touch_walls(flx_particles *p, flx_wall_touch *from, int count)
{
    const int i = from->particle;
    const double x[3] = {p->x[i].x, p->x[i].y, p->x[i].z}, r = p->x[i].w;
    for (flx_wall_touch *t = from; t < from + count; t++) {
        t->depth = r - flx_wall_distance_round(p, t->surface, x, r, t->next, t->at);
        t->touches = t->judged = false;
    }
    for (int found = 0; found < count; found++) {
        flx_wall_touch *best = NULL;
        for (flx_wall_touch *t = from; t < from + count; t++) {
            if (!t->judged && t->depth > 0.0 && (!best || t->depth > best->depth)) best = t;
        }
        if (!best) break;
        bool same = false;
        for (const flx_wall_touch *t = from; t < from + count && !same; t++) {
            same = t->touches && is_one(p, r, t, best);
        }
        best->touches = !same;
        best->judged = true;
    }
    for (flx_wall_touch *t = from; t < from + count; t++) {
        if (!t->touches) continue;
        if (t->memory.depth == 0.0) inherit(p, from, count, t);
        push(p, t);
        for (int c = 0; c < 3; c++) {
            p->fn[3 * i + c] += t->F[c];
            p->tn[3 * i + c] += t->M[c];
        }
    }
    for (flx_wall_touch *t = from; t < from + count; t++) {
        if (!t->touches) t->memory.depth = 0.0;
    }
}

// The first contact of a particle from this one on.
static int first_touch(const flx_particles *p, int particle)
{
    int low = 0, high = p->ntouch;
    while (low < high) {
        int k = low + (high - low) / 2;
        if (p->touches[k].particle < particle)
            low = k + 1;
        else
            high = k;
    }
    return low;
}

void flx_walls_touch(flx_particles *p, int from, int to)
{
    const int end = first_touch(p, to);
    for (int k = first_touch(p, from), count; k < end; k += count) {
        count = 1;
        while (k + count < end && p->touches[k + count].particle == p->touches[k].particle) count++;
        touch_walls(p, p->touches + k, count);
    }
}

// Half of a step's impulses and work.
static void add_impulses(flx_particles *p)
{
    const double half = 0.5 * p->step;
    for (int k = 0; k < p->nwall; k++) {
        flx_wall *w = p->walls + k;
        const double *x = w->position, *F = w->force;
        for (int c = 0; c < 3; c++) {
            int a = (c + 1) % 3, b = (c + 2) % 3;
            w->impulse[c] += half * F[c];
            w->angular[c] += half * w->moment[c];
            w->work += half * (F[c] * w->velocity[c] +
                               w->spin[c] * (w->moment[c] - (x[a] * F[b] - x[b] * F[a])));
        }
    }
}

// Impulses by the rule of the motion, the mean of two steps: momentum goes over to machine precision.
void flx_walls_push(flx_particles *p)
{
    add_impulses(p);
    for (int k = 0; k < p->nwall; k++) {
        flx_wall *w = p->walls + k;
        for (int c = 0; c < 3; c++) w->force[c] = w->moment[c] = 0.0;
    }
    for (int k = 0; k < p->ntouch; k++) {
        const flx_wall_touch *t = p->touches + k;
        if (!t->touches) continue;
        flx_wall *w = p->walls + p->surfaces[t->surface].wall;
        for (int c = 0; c < 3; c++) {
            int a = (c + 1) % 3, b = (c + 2) % 3;
            w->force[c] -= t->F[c];
            w->moment[c] -= t->rolling[c] + t->at[a] * t->F[b] - t->at[b] * t->F[a];
        }
    }
    add_impulses(p);
}

void flx_particles_wall_impulse(const flx_particles *p, int wall, double impulse[3],
                                double angular[3])
{
    if (!p || wall < 0 || wall >= p->nwall) return;
    memcpy(impulse, p->walls[wall].impulse, 3 * sizeof(double));
    memcpy(angular, p->walls[wall].angular, 3 * sizeof(double));
}

double flx_particles_wall_work(const flx_particles *p, int wall)
{
    if (!p || wall < 0 || wall >= p->nwall) return (double)NAN;
    return p->walls[wall].work;
}
