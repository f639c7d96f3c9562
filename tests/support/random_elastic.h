// random_elastic.h - flexible bodies at random in a random mechanism: some of its bodies bend, and joints and forces take
// nodes of them that move and turn by all their coordinates, to the second order too.
#pragma once

#include "body/modal_node.h"
#include "random_tree.h"
#include "reduce/elastic.h"

#define ELASTIC_MODES 3
#define ELASTIC_NODES 3
#define ELASTIC_PARTICLES 9

typedef struct elastic_parts {
    flx_modal modals[MECHANISM_ITEMS];
    flx_attached attached[MECHANISM_ITEMS];
    flx_arena *arena;
} elastic_parts;

// In the plane: displacements there, rotations about its normal.
static inline void random_field(mechanism *k, bool turns, int n, double scale, double *out)
{
    bool planar = k->m.dimension == 2;
    for (int i = 0; i < n; i++) {
        random_vector(&k->seed, 3, scale, out + 3 * i);
        if (planar && turns) out[3 * i] = out[3 * i + 1] = 0.0;
        if (planar && !turns) out[3 * i + 2] = 0.0;
    }
}

// Symmetric in both coordinates.
static inline double *random_second(mechanism *k, flx_arena *arena, bool turns, int n, double scale)
{
    double *out = flx_arena_take(arena, (size_t)(3 * n * n), sizeof *out);
    random_field(k, turns, n * n, scale, out);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++)
            memcpy(out + 3 * (i * n + j), out + 3 * (j * n + i), 3 * sizeof *out);
    }
    return out;
}

static inline void random_particles(mechanism *k, flx_arena *arena, bool stiffened, flx_elastic *e)
{
    int n = e->n, width = FLX_PARTICLE(n);
    double *all = flx_arena_take(arena, (size_t)(ELASTIC_PARTICLES * width), sizeof *all);
    for (int i = 0; i < ELASTIC_PARTICLES; i++) {
        double *p = all + i * width, mass = 0.3 + 0.1 * random_number(&k->seed);
        random_field(k, false, 1, 0.8, p + 1);
        random_field(k, false, n, 0.5, p + 4);
        const double *gam = stiffened ? random_second(k, arena, false, n, 0.3) : NULL;
        flx_elastic_add_mass(e, mass, p + 1, p + 4, gam);
        if (gam) memcpy(p + 4 + 3 * n, gam, (size_t)(3 * n * n) * sizeof *p);
        p[0] = 1.0;
        for (int j = 0; j < width; j++) p[j] *= sqrt(mass);
    }
    if (stiffened) (void)flx_elastic_set_field(k->ctx, arena, ELASTIC_PARTICLES, all, e);
}

static inline flx_elastic *random_elastic_body(mechanism *k, flx_arena *arena)
{
    int n = 1 + random_below(k, ELASTIC_MODES);
    flx_elastic *e = NULL;
    if (flx_elastic_create(arena, n, ELASTIC_NODES, &e) != FLX_OK) return NULL;
    bool stiffened = random_below(k, 2) == 0;
    random_particles(k, arena, stiffened, e);
    for (int i = 0; i < n * n; i++) {
        double c = random_number(&k->seed), d = random_number(&k->seed);
        e->K[i] += i % (n + 1) == 0 ? 6.0 + c : 0.0;
        e->D[i] += i % (n + 1) == 0 ? 0.8 + 0.5 * d : 0.0;
    }
    for (int i = 0; i < ELASTIC_NODES; i++) {
        flx_elastic_node *x = e->nodes + i;
        random_field(k, false, 1, 0.8, x->at);
        double th[3];
        random_field(k, true, 1, 1.5, th);
        m33_store(x->R, quat_to_m33(quat_exp(v3_load(th))));
        if (i == 0) continue; // it belongs to the frame
        random_field(k, false, n, 0.6, x->phi);
        random_field(k, true, n, 0.6, x->psi);
        if (!stiffened) continue;
        x->phi2 = random_second(k, arena, false, n, 0.3);
        x->psi2 = random_second(k, arena, true, n, 0.3);
    }
    return e;
}

// A node of the initial configuration takes the place of the body in one side of a joint or force.
static inline int random_node(mechanism *k, elastic_parts *p, int modal)
{
    flx_model *m = &k->m;
    const flx_modal *e = p->modals + modal;
    int f = m->nattached++, node = random_below(k, ELASTIC_NODES);
    p->attached[f] = (flx_attached){.carrier = e->body, .node = node};
    const flx_body *frame = k->bodies + e->body;
    flx_body *b = k->bodies + m->nbody + f;
    *b = (flx_body){.name = "node", .type = FLX_BODY_RIGID};
    double q[ELASTIC_MODES], columns[6 * ELASTIC_MODES], room[FLX_NODE_SCRATCH * ELASTIC_MODES];
    for (int i = 0; i < e->e->n; i++) q[i] = k->variables[e->first + i].at;
    flx_node_point at = {.n = e->e->n,
                         .planar = m->dimension == 2,
                         .x = e->e->nodes + node,
                         .q = q,
                         .u = q,
                         .scratch = room};
    flx_node_relative r;
    flx_node_relative_at(&at, &r, columns);
    m33 R = m33_load(frame->R);
    v3_store(b->position, v3_add(v3_load(frame->position), m33_mul_v(R, r.s)));
    m33_store(b->R, m33_mul(R, r.R));
    b->angle = frame->angle + r.angle;
    return m->nbody + f;
}

static inline int modal_of_body(const mechanism *k, int body)
{
    for (int i = 0; i < k->m.nmodal; i++) {
        if (k->m.modals[i].body == body) return i;
    }
    return -1;
}

static inline bool is_point_body(const mechanism *k, int body)
{
    return body >= 0 && k->bodies[body].type == FLX_BODY_POINT;
}

// A joint on a point is there.
static inline void meet_points(mechanism *k, flx_joint *j)
{
    for (int s = 0; s < 2; s++) {
        int point = j->body[1 - s];
        if (!is_point_body(k, point) || is_point_body(k, j->body[s])) continue;
        v3_store(j->at[s], in_body(k, j->body[s], v3_load(k->bodies[point].position)));
    }
}

static inline void take_nodes(mechanism *k, elastic_parts *p, flx_joint *j)
{
    for (int s = 0; s < 2; s++) {
        int body = j->body[s], modal = modal_of_body(k, body);
        if (modal < 0 || random_below(k, 4) == 0) continue;
        if (k->m.nbody + k->m.nattached == MECHANISM_ITEMS) return;
        int node = random_node(k, p, modal);
        m33 R = m33_load(k->bodies[body].R);
        v3 at = v3_add(v3_load(k->bodies[body].position), m33_mul_v(R, v3_load(j->at[s])));
        v3_store(j->at[s], in_body(k, node, at));
        m33_store(j->frame[s], axes_in_body(k, node, m33_mul(R, m33_load(j->frame[s]))));
        v3_store(j->axis[s], in_body_axes(k, node, m33_mul_v(R, v3_load(j->axis[s]))));
        if (s == 0) v3_store(j->normal, in_body_axes(k, node, m33_mul_v(R, v3_load(j->normal))));
        j->body[s] = node;
    }
}

// Some bodies of the mechanism, one at least where it has one that turns; before its forces are added.
static inline void random_elastic(mechanism *k, elastic_parts *p)
{
    flx_model *m = &k->m;
    *p = (elastic_parts){.arena = flx_arena_create(k->ctx)};
    m->modals = p->modals;
    m->attached = p->attached;
    for (int i = 0; i < m->nbody; i++) {
        flx_body *b = k->bodies + i;
        if (b->type != FLX_BODY_RIGID || (m->nmodal > 0 && random_below(k, 2) == 0)) continue;
        if (m->nmode + ELASTIC_MODES > MECHANISM_ITEMS) break;
        flx_elastic *shapes = random_elastic_body(k, p->arena);
        if (!shapes) break;
        b->mass = 0.0;
        memset(b->com, 0, sizeof b->com);
        memset(b->inertia, 0, sizeof b->inertia);
        flx_modal *e = p->modals + m->nmodal++;
        *e = (flx_modal){.body = i, .first = m->nvariable, .e = shapes};
        for (int j = 0; j < shapes->n; j++) {
            flx_variable *v = k->variables + m->nvariable++;
            *v = (flx_variable){.name = "mode", .at = 0.2 * random_number(&k->seed)};
            v->rate = random_number(&k->seed);
            v->mass = v->force = number_node(k, 0.0);
            m->nmode++;
        }
    }
    for (int i = 0; i < m->njoint; i++) {
        meet_points(k, k->joints + i);
        take_nodes(k, p, k->joints + i);
    }
}

// Springs between nodes, or a node and anything.
static inline void random_node_forces(mechanism *k)
{
    for (int i = 0; i < 2 && k->m.nattached > 0 && k->m.nforce < 8; i++) {
        int node = k->m.nbody + random_below(k, k->m.nattached);
        int other = random_below(k, k->m.nbody + 1) - 1;
        if (flx_model_carrier(&k->m, node) != other)
            (void)add_force(k, &flx_force_spring, node, other);
    }
}
