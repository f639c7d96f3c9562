// particle_pairs.c - forces of pairs, a batch of contacts at once.
//
// Rows are in chunks that depend on the list alone. A chunk goes through its rows in order: pairs that touch are collected, the law is evaluated for the
// batch, forces are added to both particles. Where the second one belongs to a later chunk its share waits in a slot of the chunk, and is added when
// all chunks are through, in the order of the slots. So who works on which chunk changes no bit.
#include "base/two_widths.h"
#include "particles/particle_set.h"

#define BATCH 64

typedef struct batch {
    int count, first[BATCH], second[BATCH], pair[BATCH];
    double x[3][BATCH], r2[BATCH]; // from the second to the first
    double u[3][BATCH], wa[3][BATCH], wb[3][BATCH], ra[BATCH], rb[BATCH];
    double mass[BATCH], ja[BATCH], jb[BATCH]; // 1/m of both together; 1/J
    double T[3][BATCH], depth[BATCH];         // of the step before, then of this one
    double F[3][BATCH], A[3][BATCH],
        B[3][BATCH]; // on the first; moments on the first and on the second
} batch;

// ---- a batch ------------------------------------------------------------------------------------

// Those of the pairs from k on that touch, until the batch is full; the first pair that was not looked at.
__attribute__((always_inline)) static inline int collect(const flx_particles *p, int i, int k,
                                                         int end, batch *b)
{
    const flx_vec4 a = p->x[i];
    int n = b->count, room = BATCH - n, stop = end - k > room ? k + room : end;
    for (; k < stop; k++) { // writes first, then counts: no branch to guess
        int j = p->second[k];
        const flx_vec4 o = p->x[j];
        double d[3] = {a.x - o.x, a.y - o.y, a.z - o.z}, sum = a.w + o.w;
        if (p->repeats) flx_particle_nearest(p, d);
        double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        for (int c = 0; c < 3; c++) b->x[c][n] = d[c];
        b->r2[n] = r2;
        b->first[n] = i;
        b->second[n] = j;
        b->pair[n] = k;
        n += r2 < sum * sum;
    }
    b->count = n;
    return k;
}

__attribute__((always_inline)) static inline void gather(const flx_particles *p, batch *b)
{
    const unsigned before = (unsigned)p->steps - 1u;
    for (int l = 0; l < b->count; l++) {
        int i = b->first[l], j = b->second[l], k = b->pair[l];
        const flx_vec4 va = p->v[i], vb = p->v[j], wa = p->w[i], wb = p->w[j];
        b->u[0][l] = va.x - vb.x;
        b->u[1][l] = va.y - vb.y;
        b->u[2][l] = va.z - vb.z;
        b->mass[l] = va.w + vb.w;
        b->wa[0][l] = wa.x;
        b->wa[1][l] = wa.y;
        b->wa[2][l] = wa.z;
        b->ja[l] = wa.w;
        b->wb[0][l] = wb.x;
        b->wb[1][l] = wb.y;
        b->wb[2][l] = wb.z;
        b->jb[l] = wb.w;
        b->ra[l] = p->x[i].w;
        b->rb[l] = p->x[j].w;
        bool known = p->touched[k] == before;
        const flx_particle_memory *m = p->memory + k;
        for (int c = 0; c < 3; c++) b->T[c][l] = known ? m->T[c] : 0.0;
        b->depth[l] = known ? m->depth : 1.0;
    }
}

// The same operations for every contact of the batch, without branches.
__attribute__((always_inline)) static inline void evaluate(const flx_particle_law *law,
                                                           batch *restrict b)
{
    const flx_particle_law l = *law;
    const int n = b->count;
    for (int i = 0; i < n; i++) {
        double r = sqrt(b->r2[i]), q = r > 0.0 ? 1.0 / r : 0.0;
        double ra = b->ra[i], rb = b->rb[i], sum = ra + rb, depth = sum - r;
        double aa = ra - 0.5 * depth, ab = rb - 0.5 * depth, ja = b->ja[i], jb = b->jb[i];
        const flx_vec3 normal = {b->x[0][i] * q, b->x[1][i] * q, b->x[2][i] * q};
        const flx_vec3 wa = {b->wa[0][i], b->wa[1][i], b->wa[2][i]};
        const flx_vec3 wb = {b->wb[0][i], b->wb[1][i], b->wb[2][i]};
        const flx_vec3 v = {b->u[0][i], b->u[1][i], b->u[2][i]};
        const flx_vec3 roll = flx_vec3_add(flx_vec3_scale(aa, wa), ab, wb);
        flx_particle_contact c = {.R = ra * rb / sum,
                                  .m = 1.0 / b->mass[i],
                                  .inertia = 1.0 / (ja + jb),
                                  .k = aa * ja - ab * jb,
                                  .d = depth,
                                  .old = b->depth[i],
                                  .n = normal,
                                  .u = flx_vec3_add(v, -1.0, flx_vec3_cross(roll, normal)),
                                  .w = flx_vec3_add(wa, -1.0, wb),
                                  .T = {b->T[0][i], b->T[1][i], b->T[2][i]}};
        flx_particle_force(&l, &c);
        flx_vec3 A = flx_vec3_add(c.M, -aa, c.Q), B = flx_vec3_add(c.M, ab, c.Q);
        b->depth[i] = depth;
        b->T[0][i] = c.T.x, b->T[1][i] = c.T.y, b->T[2][i] = c.T.z;
        b->F[0][i] = c.F.x, b->F[1][i] = c.F.y, b->F[2][i] = c.F.z;
        b->A[0][i] = A.x, b->A[1][i] = A.y, b->A[2][i] = A.z;
        b->B[0][i] = B.x, b->B[1][i] = B.y, b->B[2][i] = B.z;
    }
}

// To the memory and to both particles; end: the first row of the next chunk.
__attribute__((always_inline)) static inline void scatter(const flx_particles *p, const batch *b,
                                                          int end, flx_particle_chunk *own)
{
    for (int l = 0; l < b->count; l++) {
        int i = b->first[l], j = b->second[l], k = b->pair[l];
        flx_particle_memory *m = p->memory + k;
        double *F = p->fn + 3 * i, *M = p->tn + 3 * i, *G = p->fn + 3 * j, *N = p->tn + 3 * j;
        p->touched[k] = (unsigned)p->steps;
        m->depth = b->depth[l];
        for (int c = 0; c < 3; c++) {
            m->T[c] = b->T[c][l];
            F[c] += b->F[c][l];
            M[c] += b->A[c][l];
        }
        if (j >= end) {
            flx_particle_share *s = p->shares + own->shares + own->used++;
            s->second = j;
            for (int c = 0; c < 3; c++) {
                s->F[c] = b->F[c][l];
                s->M[c] = b->B[c][l];
            }
            continue;
        }
        for (int c = 0; c < 3; c++) {
            G[c] -= b->F[c][l];
            N[c] -= b->B[c][l];
        }
    }
}

__attribute__((always_inline)) static inline void settle(const flx_particles *p, batch *b, int end,
                                                         flx_particle_chunk *own)
{
    gather(p, b);
    evaluate(&p->law, b);
    scatter(p, b, end, own);
    b->count = 0;
}

// ---- chunks -------------------------------------------------------------------------------------

// The next chunk of a part's own, which are in its cache; then one that others have left: those with many contacts take longer. -1: none.
static int next_chunk(const flx_particles *p, int part, int parts)
{
    for (int k = 0; k < parts; k++) {
        int of = (part + k) % parts, from, to;
        flx_particle_range(p->nchunk, of, parts, &from, &to);
        if (atomic_load(p->turn + of) >= to - from) continue;
        int c = from + atomic_fetch_add(p->turn + of, 1);
        if (c < to) return c;
    }
    return -1;
}

FLX_TWO_WIDTHS static void push_rows(void *user, int part, int parts)
{
    const flx_particles own = *(flx_particles *)user, *p = &own; // pointers that no force changes
    batch b;
    for (int c; (c = next_chunk(p, part, parts)) >= 0;) {
        flx_particle_chunk *chunk = p->chunks + c;
        const int end = chunk[1].row;
        chunk->used = b.count = 0;
        for (int i = chunk->row; i < end; i++) {
            for (int k = p->start[i], stop = p->start[i + 1]; k < stop;) {
                k = collect(p, i, k, stop, &b);
                if (b.count == BATCH) settle(p, &b, end, chunk);
            }
        }
        settle(p, &b, end, chunk);
    }
}

// What chunks before it give to particles of a chunk.
static void add_shares(const flx_particles *p, int c)
{
    int low = p->chunks[c].row, high = p->chunks[c + 1].row;
    for (int e = 0; e < c; e++) {
        const flx_particle_chunk *other = p->chunks + e;
        if (other->reach < low) continue;
        for (int k = other->shares; k < other->shares + other->used; k++) {
            const flx_particle_share *s = p->shares + k;
            if (s->second < low || s->second >= high) continue;
            double *F = p->fn + 3 * s->second, *M = p->tn + 3 * s->second;
            for (int i = 0; i < 3; i++) {
                F[i] -= s->F[i];
                M[i] -= s->M[i];
            }
        }
    }
}

// The forces on the particles of a part that are not there yet: of other chunks, of walls.
static void add_others(void *user, int part, int parts)
{
    flx_particles *p = user;
    int from, to;
    flx_particle_range(p->nchunk, part, parts, &from, &to);
    for (int c = from; c < to; c++) add_shares(p, c);
    if (to > from) flx_walls_touch(p, p->chunks[from].row, p->chunks[to].row);
}

void flx_particles_push(flx_particles *p)
{
    for (int i = 0; i < p->threads; i++) atomic_store(p->turn + i, 0);
    flx_particle_team_run(p->team, push_rows, p);
    if (p->nchunk > 1 || p->ntouch > 0) flx_particle_team_run(p->team, add_others, p);
}

// As many as threads may want, each with as many pairs as the others.
static int how_many(const flx_particles *p)
{
    int few = p->n / 128, many = p->n / 8192 > 16 ? p->n / 8192 : 16;
    few = few < many ? few : many;
    return few < 1 ? 1 : few;
}

static void bound_chunks(flx_particles *p)
{
    int row = 0;
    for (int c = 0; c < p->nchunk; c++) {
        long target = (long)p->npair * c / p->nchunk;
        while (row < p->n && p->start[row] < target) row++;
        p->chunks[c].row = row;
    }
    p->chunks[p->nchunk].row = p->n;
}

flx_status flx_particles_divide(flx_particles *p)
{
    int shares = 0;
    p->nchunk = how_many(p);
    FLX_TRY(flx_particles_ensure(p, (void **)&p->chunks, &p->chunk_capacity, p->nchunk + 1,
                                 sizeof *p->chunks));
    bound_chunks(p);
    for (int c = 0; c < p->nchunk; c++) {
        flx_particle_chunk *own = p->chunks + c;
        own->shares = shares;
        own->used = 0;
        own->reach = 0;
        for (int k = p->start[own->row]; k < p->start[own[1].row]; k++) {
            if (p->second[k] < own[1].row) continue;
            if (p->second[k] > own->reach) own->reach = p->second[k];
            shares++;
        }
    }
    return flx_particles_ensure(p, (void **)&p->shares, &p->share_capacity, shares,
                                sizeof *p->shares);
}
