// generate_meshes.c - bodies of a few finite elements: flexible ones with the places `start` and `end`, and solids.
#include "maker.h"

#include <math.h>
#include <string.h>

static void add_cell(spec_mesh *m, int n, const int *nodes)
{
    memcpy(m->cells[m->ncell++], nodes, (size_t)n * sizeof *nodes);
}

// Between slice i, whose first node this is, and the next one.
static void fill_slice(spec_mesh *m, int first)
{
    static const int tets[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                   {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
    const int a = first;
    switch (m->cell) {
    case CELL_QUAD:
        add_cell(m, 4, (int[4]){a, a + 2, a + 3, a + 1});
        break;
    case CELL_TRIANGLE:
        add_cell(m, 3, (int[3]){a, a + 2, a + 3});
        add_cell(m, 3, (int[3]){a, a + 3, a + 1});
        break;
    case CELL_HEX:
        add_cell(m, 8, (int[8]){a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6, a + 7});
        break;
    default:
        for (int i = 0; i < 6; i++) {
            const int *t = tets[i];
            add_cell(m, 4, (int[4]){a + t[0], a + t[1], a + t[2], a + t[3]});
        }
        break;
    }
}

// The middle of n nodes becomes this place.
static void centre(v3 *nodes, int n, v3 place)
{
    v3 sum = v3_make(0, 0, 0);
    for (int i = 0; i < n; i++) sum = v3_add(sum, nodes[i]);
    v3 by = v3_axpy(-1.0 / n, sum, place);
    for (int i = 0; i < n; i++) nodes[i] = v3_add(nodes[i], by);
}

// A bar of length l along x, of slices that are no rectangles.
static void draw_bar(maker *k, int slices, double l, double width, double height, spec_mesh *m)
{
    static const double corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    bool plane = k->s->dimension == 2;
    int per = plane ? 2 : 4;
    *m = (spec_mesh){.cell = plane ? (chance(k, 2) ? CELL_QUAD : CELL_TRIANGLE)
                                   : (chance(k, 2) ? CELL_HEX : CELL_TET)};
    for (int i = 0; i <= slices; i++) {
        v3 *at = m->nodes + m->nnode;
        for (int c = 0; c < per; c++) {
            double y = plane ? 2.0 * c - 1.0 : corners[c][0], z = plane ? 0.0 : corners[c][1];
            v3 p = v3_make(l * i / slices, 0.5 * width * y, 0.5 * height * z);
            at[c] = v3_add(p, random_vector(k, 0.1 * fmin(width, plane ? width : height)));
        }
        centre(at, per, v3_make(l * i / slices, 0, 0));
        if (i < slices) fill_slice(m, m->nnode);
        m->nnode += per;
    }
    m->start = (1u << per) - 1u;
    m->end = m->start << (m->nnode - per);
}

static void draw_quadratic(maker *k, double l, spec_mesh *m)
{
    static const int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    static const double corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    *m = (spec_mesh){.cell = CELL_TET10, .nnode = 10};
    for (int i = 0; i < 4; i++) {
        m->nodes[i] = v3_axpy(l, v3_load(corners[i]), random_vector(k, 0.15 * l));
    }
    for (int i = 0; i < 6; i++) {
        v3 middle = v3_scale(0.5, v3_add(m->nodes[edges[i][0]], m->nodes[edges[i][1]]));
        m->nodes[4 + i] = v3_add(middle, random_vector(k, 0.02 * l));
    }
    add_cell(m, 10, (int[10]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    m->start = 0x77; // the face of the first three
}

// A flexible body that was to be of beam elements: the same places, of a mesh.
void make_meshes(maker *k)
{
    for (int i = 0; i < k->s->nbody; i++) {
        spec_body *b = k->s->bodies + i;
        if (b->kind != BODY_MODAL || !chance(k, 2)) continue;
        b->kind = BODY_MESH;
        b->width = uniform(&k->state, 0.08, 0.15);
        b->height = uniform(&k->state, 0.08, 0.15);
        b->formulation = below(&k->state, 3);
        draw_bar(k, 2, b->line.x, b->width, b->height, &b->mesh);
    }
}

// ---- solids -------------------------------------------------------------------------------------

static int random_rigid(maker *k)
{
    for (int i = 0; i < 5; i++) {
        int n = below(&k->state, k->s->nbody);
        if (k->s->bodies[n].kind == BODY_RIGID) return n;
    }
    return GROUND;
}

static void hold_by_springs(maker *k, int solid)
{
    spec *s = k->s;
    for (int n = below(&k->state, 3); n > 0 && s->nforce < SPEC_FORCES; n--) {
        spec_force f = {.there = true, .kind = FORCE_SPRING, .feels = -1, .on = {GROUND, solid}};
        f.on[0] = random_rigid(k);
        for (int i = 0; i < 2; i++) f.at[i] = random_place(k, f.on[i]);
        v3 way = v3_sub(place_of(s, f.on[0], f.at[0]), place_of(s, f.on[1], f.at[1]));
        if (v3_norm(way) < 0.3) continue;
        f.rest = uniform(&k->state, 0.7, 1.1) * v3_norm(way);
        f.k[0] = uniform(&k->state, 10, 80);
        f.c[0] = chance(k, 2) ? uniform(&k->state, 0, 1) : 0.0;
        s->forces[s->nforce++] = f;
    }
}

static void load_solid(maker *k, int solid)
{
    static const force_kind kinds[] = {FORCE_LOAD, FORCE_PRESSURE, FORCE_TRACTION};
    spec *s = k->s;
    if (s->nforce == SPEC_FORCES) return;
    spec_force f = {.there = true, .feels = -1, .on = {GROUND, solid}};
    f.kind = kinds[below(&k->state, 3)];
    f.value = random_vector(k, f.kind == FORCE_LOAD ? 4000.0 : 300.0);
    f.wave = chance(k, 2) ? uniform(&k->state, 0, 0.9) : 0.0;
    f.turning = uniform(&k->state, 1, 6);
    s->forces[s->nforce++] = f;
}

// Its nodes fall onto a plane.
static void let_touch(maker *k, int solid)
{
    spec *s = k->s;
    const spec_body *b = s->bodies + solid;
    if (s->nforce == SPEC_FORCES) return;
    spec_force f = {.there = true, .kind = FORCE_CONTACT, .feels = -1, .shaped = true};
    f.on[0] = GROUND;
    f.on[1] = solid;
    v3 normal = v3_unit(v3_add(v3_scale(-0.2, s->gravity), random_direction(k)));
    double least = 0.0;
    for (int i = 0; i < b->mesh.nnode; i++) {
        double high = v3_dot(normal, place_of(s, solid, b->mesh.nodes[i]));
        if (i == 0 || high < least) least = high;
    }
    f.shape[0] = (spec_shape){.kind = SHAPE_PLANE, .axis = normal, .R = m33_identity()};
    f.shape[1] = (spec_shape){.kind = SHAPE_NODES, .R = m33_identity()};
    f.shape[1].round = uniform(&k->state, 0.01, 0.03);
    f.at[0] = v3_scale(least - f.shape[1].round - uniform(&k->state, 0.01, 0.1), normal);
    f.touch = chance(k, 2) ? TOUCH_PENALTY : TOUCH_HERTZ;
    f.k[0] =
        f.touch == TOUCH_PENALTY ? uniform(&k->state, 500, 3000) : uniform(&k->state, 2e3, 1e4);
    f.c[0] = f.touch == TOUCH_PENALTY ? uniform(&k->state, 0, 10) : 0.0;
    if (chance(k, 2)) f.friction[0] = uniform(&k->state, 0.1, 0.6);
    f.friction[1] = uniform(&k->state, 0.05, 0.3);
    s->forces[s->nforce++] = f;
}

void make_solid(maker *k)
{
    spec *s = k->s;
    if (s->dimension == 2 || s->nbody == SPEC_BODIES) return;
    int rigid = random_rigid(k), solid = s->nbody;
    spec_body *b = new_body(k);
    double size = uniform(&k->state, 0.3, 0.5);
    b->kind = BODY_SOLID;
    b->position = random_vector(k, 1.0);
    b->R = quat_to_m33(quat_exp(random_vector(k, 2.0)));
    b->E = uniform(&k->state, 1e4, 1e5);
    b->density = uniform(&k->state, 300, 1000);
    b->damping = chance(k, 2) ? uniform(&k->state, 0.01, 0.1) : 0.0;
    b->formulation = below(&k->state, 2); // its law
    if (chance(k, 3)) {
        draw_quadratic(k, size, &b->mesh);
    } else {
        draw_bar(k, 1 + below(&k->state, 2), size, 0.7 * size, 0.5 * size, &b->mesh);
    }
    b->held = FLOATS;
    switch (below(&k->state, 3)) {
    case 0:
        b->held = GROUND;
        break;
    case 1:
        b->held = rigid;
        b->omega = omega_of(s, rigid);
        b->velocity = velocity_at(s, rigid, b->position);
        break;
    default:
        b->velocity = random_vector(k, k->rest ? 0.0 : 1.0);
        b->omega = random_vector(k, k->rest ? 0.0 : 2.0);
        break;
    }
    hold_by_springs(k, solid);
    if (chance(k, 2)) load_solid(k, solid);
    if (chance(k, 3)) let_touch(k, solid);
}
