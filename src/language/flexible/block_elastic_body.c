// block_elastic_body.c - flexible bodies: their data, their coordinates, and their nodes as places.
//
// The frame of a flexible body is a body without mass, its coordinates q are variables of second order
// after those of the equations. A node is at r + R s(q) and turned by R Q(psi(q)) R0 with
//
//     s = at + phi q + q phi2 q/2,   Q = I + c psi~ + psi~ psi~/2,  c = sqrt(1 - psi.psi/4)      (FLX-2)
// Q is the rotation with the quaternion (c, psi/2): small angles add, and large ones stay a rotation. In
// the plane it is that by psi. A node that a joint or a force uses is a attached frame: a frame of its own, which
// the system finds from the body's own unknowns (FLX-3).
#include "language/flexible/deformable.h"
#include "language/scope/nums.h"
#include "model/nodes.h"

#include <stdlib.h>
#include <string.h>

static const double origin[3] = {0, 0, 0};
static const flx_num9 identity = {.x = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

// Places are one when they are nearer than this part of the body.
#define SAME_PLACE 1e-6

static flx_elastic_body *elastic_of(const flx_item *body)
{
    return &((flx_body_data *)body->data)->elastic;
}

bool flx_body_is_elastic(const flx_item *body)
{
    return body->kind == FLX_KIND_BODY &&
           strcmp(((const flx_body_data *)body->data)->word, "flexible") == 0;
}

// ---- reading ------------------------------------------------------------------------------------

// In the plane every shape stays there.
static flx_status check_planar(flx_builder *b, const flx_item *body, const flx_elastic *e,
                               flx_loc loc)
{
    double size = 0.0, in = 0.0;
    for (int k = 0; k < e->n; k++) {
        double out = fabs(e->S1[3 * k + 2]);
        in = fmax(fabs(e->S1[3 * k]), fabs(e->S1[3 * k + 1]));
        for (int i = 0; i < e->nnode; i++) {
            const double *phi = e->nodes[i].phi + 3 * k, *psi = e->nodes[i].psi + 3 * k;
            size = fmax(size, v3_norm(v3_load(e->nodes[i].at)));
            out = fmax(out, fmax(fabs(phi[2]), size * fmax(fabs(psi[0]), fabs(psi[1]))));
            in = fmax(in, fmax(fabs(phi[0]), fmax(fabs(phi[1]), size * fabs(psi[2]))));
        }
        if (out <= SAME_PLACE * in) continue;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                        "shape %d of '%s' leaves the plane of a model with dimension 2", k + 1,
                        body->full);
    }
    return FLX_OK;
}

static flx_status read_list(flx_env *e, const flx_item *body, const char *key, int n, double *out)
{
    const flx_entry *y = flx_entry_get(body->def, key);
    int count = 0;
    double *x = NULL;
    if (!y) return FLX_OK;
    FLX_TRY(flx_build_numbers(e, y, &count, &x));
    if (count != n) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "'%s' has %d modes, not %d", body->full,
                        n, count);
    }
    memcpy(out, x, (size_t)n * sizeof *out);
    return FLX_OK;
}

static flx_status read_damping(flx_env *e, const flx_item *body, flx_elastic *el)
{
    const flx_entry *damping = flx_entry_get(body->def, "damping");
    if (!damping) return FLX_OK;
    const flx_entry *ratio = flx_entry_get(damping, "ratio");
    const flx_entry *rayleigh = flx_entry_get(damping, "rayleigh");
    int n = 0;
    double *x = NULL;
    FLX_TRY(flx_build_numbers(e, ratio ? ratio : rayleigh, &n, &x));
    for (int i = 0; i < n; i++) {
        if (x[i] >= 0) continue;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, damping->loc, "damping cannot be negative: %g",
                        x[i]);
    }
    // what the finite elements lose stays; what a data file says is replaced
    if (flx_entry_get(body->def, "data")) memset(el->D, 0, (size_t)(el->n * el->n) * sizeof *el->D);
    if (rayleigh) {
        for (int i = 0; i < el->n * el->n; i++) el->D[i] += x[0] * el->M[i] + x[1] * el->K[i];
        return FLX_OK;
    }
    if (n != 1 && n != el->n) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, ratio->loc,
                        "one ratio, or one for each of the %d modes, not %d", el->n, n);
    }
    return flx_elastic_damp(e->b->ctx, el, n, x);
}

flx_status flx_elastic_body_read_stiffening(flx_builder *b, const flx_item *body,
                                            flx_stiffening_kind *kind)
{
    static const char *const words[] = {"false", "true", "one-sided", NULL};
    const flx_entry *y = flx_entry_get(body->def, "stiffening");
    int k = 0;
    if (!y) return FLX_OK;
    FLX_TRY(flx_build_word(b, y, "kind of stiffening", words, &k));
    *kind = (flx_stiffening_kind)k;
    return FLX_OK;
}

// A body that was reduced before has the stiffening that it was reduced with; its rows can become one-sided.
static flx_status set_stiffening(flx_builder *b, const flx_item *body, flx_elastic *e)
{
    const flx_entry *stiffening = flx_entry_get(body->def, "stiffening");
    flx_stiffening_kind kind = FLX_STIFFENING_NONE;
    if (!stiffening) return FLX_OK;
    FLX_TRY(flx_elastic_body_read_stiffening(b, body, &kind));
    flx_stiffening_kind own = e->one_sided   ? FLX_STIFFENING_ONE_SIDED
                              : e->stiffened ? FLX_STIFFENING_BOTH
                                             : FLX_STIFFENING_NONE;
    if (kind == own) return FLX_OK;
    if (kind == FLX_STIFFENING_ONE_SIDED && own == FLX_STIFFENING_BOTH && e->ngrain > 0)
        return flx_elastic_make_one_sided(b->ctx, b->m->arena, NULL, stiffening->loc, e);
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, stiffening->loc,
                    "the body of '%s' was reduced with 'stiffening: %s': reduce it anew for "
                    "another, or leave the key out",
                    body->full,
                    own == FLX_STIFFENING_NONE   ? "false"
                    : own == FLX_STIFFENING_BOTH ? "true"
                                                 : "one-sided");
}

static flx_status read_data(flx_env *e, flx_item *body, flx_elastic_body *f)
{
    flx_builder *b = e->b;
    const flx_entry *data = flx_entry_get(body->def, "data");
    const flx_entry *stiffening = flx_entry_get(body->def, "stiffening");
    flx_sid *sid = NULL;
    flx_stiffening_kind kind = FLX_STIFFENING_BOTH;
    const flx_entry *frame = flx_entry_get(body->def, "frame");
    if (frame) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, frame->loc,
                        "the frame of '%s' is that of its data; 'frame' is for finite elements",
                        body->full);
    }
    FLX_TRY(b->reader->read_body(b->reader->user, data->text, data->loc, &f->e));
    if (f->e) return set_stiffening(b, body, f->e);
    FLX_TRY(b->reader->read_sid(b->reader->user, data->text, data->loc, &sid));
    FLX_TRY(flx_elastic_from_sid(b->ctx, b->m->arena, sid, data->loc, &f->e));
    if (!stiffening) return FLX_OK;
    FLX_TRY(flx_elastic_body_read_stiffening(b, body, &kind));
    if (kind != FLX_STIFFENING_NONE && !f->e->stiffened) {
        flx_ctx_warn(b->ctx, stiffening->loc,
                     "the data of '%s' contain no geometric stiffening: '%s' has none", body->full,
                     data->text);
    }
    if (kind == FLX_STIFFENING_NONE) {
        return flx_elastic_soften(b->ctx, sid, stiffening->loc, f->e);
    }
    if (kind == FLX_STIFFENING_BOTH) return FLX_OK;
    return flx_elastic_make_one_sided(b->ctx, b->m->arena, sid, stiffening->loc, f->e);
}

static flx_status read_fe(flx_env *e, flx_item *body, flx_elastic_body *f)
{
    flx_stiffening_kind kind = FLX_STIFFENING_NONE;
    FLX_TRY(flx_elastic_body_read_fe(e, body, &f->e));
    FLX_TRY(flx_elastic_body_read_stiffening(e->b, body, &kind));
    if (kind != FLX_STIFFENING_ONE_SIDED) return FLX_OK;
    return flx_elastic_make_one_sided(e->b->ctx, e->b->m->arena, NULL, body->loc, f->e);
}

static flx_status read_body(flx_builder *b, flx_item *body, flx_elastic_body *f)
{
    flx_env e;
    flx_env_of(&e, b, body, FLX_MODE_CONSTANT);
    if (flx_entry_get(body->def, "data")) {
        FLX_TRY(read_data(&e, body, f));
    } else {
        FLX_TRY(read_fe(&e, body, f));
    }
    int n = f->e->n;
    if (b->m->dimension == 2) FLX_TRY(check_planar(b, body, f->e, body->loc));
    FLX_TRY(read_damping(&e, body, f->e));
    f->at = flx_take(b, (size_t)n, sizeof *f->at);
    f->rate = flx_take(b, (size_t)n, sizeof *f->rate);
    f->points = flx_take(b, (size_t)f->e->nnode, sizeof(flx_item *));
    f->attached = flx_take(b, (size_t)f->e->nnode, sizeof(flx_item *));
    if (!f->at || !f->rate || !f->points || !f->attached) return FLX_ERR_MEMORY;
    FLX_TRY(read_list(&e, body, "modes", n, f->at));
    FLX_TRY(read_list(&e, body, "mode_rates", n, f->rate));
    f->first = b->nmode;
    b->nmode += n;
    return flx_items_add(b, &b->elastic, body);
}

flx_status flx_elastic_body_ready(flx_builder *b, flx_item *body, flx_loc loc)
{
    flx_elastic_body *f = elastic_of(body);
    bool skip = false;
    FLX_TRY(flx_item_enter(b, body, &f->read, "flexible bodies", loc, &skip));
    if (skip) return FLX_OK;
    return flx_item_leave(b, &f->read, read_body(b, body, f));
}

// ---- initial nodes -----------------------------------------------------------------------------

static v3 series_at(const double *first, const double *second, int n, const double *q)
{
    v3 s = {0, 0, 0};
    for (int k = 0; k < n; k++) {
        s = v3_axpy(q[k], v3_load(first + 3 * k), s);
        for (int l = 0; second && l < n; l++) {
            s = v3_axpy(0.5 * q[k] * q[l], v3_load(second + 3 * (k * n + l)), s);
        }
    }
    return s;
}

static m33 turn_of(v3 psi, bool planar)
{
    if (planar) return quat_to_m33(quat_exp(psi));
    m33 P = m33_skew(psi);
    double c = sqrt(fmax(0.0, 1.0 - 0.25 * v3_dot(psi, psi)));
    return m33_add(m33_identity(), m33_add(m33_scale(c, P), m33_scale(0.5, m33_mul(P, P))));
}

// An initial node, in the body frame.
static void draw_node(const flx_builder *b, const flx_elastic_body *f, int node, double at[3],
                      double R[9])
{
    bool planar = b->m->dimension == 2;
    const flx_elastic_node *x = f->e->nodes + node;
    int n = f->e->n;
    v3_store(at, v3_add(v3_load(x->at), series_at(x->phi, x->phi2, n, f->at)));
    m33_store(R, m33_mul(turn_of(series_at(x->psi, x->psi2, n, f->at), planar), m33_load(x->R)));
}

// The node with the lowest number, or the highest: interfaces come before the others.
static const char *outermost(const flx_elastic *e, bool highest)
{
    int best = 0;
    for (int i = 1; i < e->nnode; i++) {
        long here = strtol(e->nodes[i].id, NULL, 10), there = strtol(e->nodes[best].id, NULL, 10);
        if (highest ? here > there : here < there) best = i;
    }
    return e->nodes[best].id;
}

flx_status flx_elastic_body_find(flx_builder *b, flx_item *body, int id, flx_loc loc, int *node)
{
    FLX_TRY(flx_elastic_body_ready(b, body, loc));
    const flx_elastic *e = elastic_of(body)->e;
    for (*node = 0; *node < e->nnode; ++*node) { // data may write 07
        char *rest = NULL;
        long number = strtol(e->nodes[*node].id, &rest, 10);
        if (rest != e->nodes[*node].id && !*rest && number == id) return FLX_OK;
    }
    if (e->nnode == 0) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "'%s' has no nodes", body->full);
    }
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "'%s' has no node %d; its %d nodes are %s to %s",
                    body->full, id, e->nnode, outermost(e, false), outermost(e, true));
}

flx_status flx_elastic_body_along(flx_builder *b, flx_item *body, double part, flx_loc loc,
                                  int *node)
{
    FLX_TRY(flx_elastic_body_ready(b, body, loc));
    const flx_elastic *e = elastic_of(body)->e;
    if (!e->line) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                        "'%s' is not made of a line: name a node, as in %s.node(1)", body->full,
                        body->full);
    }
    double x = part * (e->nnode - 1);
    *node = (int)round(x);
    if (fabs(x - *node) <= SAME_PLACE * (e->nnode - 1)) return FLX_OK;
    return FLX_FAIL(
        b->ctx, FLX_ERR_MODEL, loc,
        "no node of '%s' is at %g of its length: it has %d elements, between %s.node(%d) "
        "and node(%d); give it others by 'elements'",
        body->full, part, e->nnode - 1, body->full, (int)floor(x) + 1, (int)floor(x) + 2);
}

flx_status flx_elastic_body_point(flx_builder *b, flx_item *body, int node, flx_item **out)
{
    flx_elastic_body *f = elastic_of(body);
    *out = f->points[node];
    if (*out) return FLX_OK;
    double at[3];
    const char *name = f->e->nodes[node].name;
    if (!name) name = flx_arena_printf(b->scratch, "node(%s)", f->e->nodes[node].id);
    if (!name) return FLX_ERR_MEMORY;
    FLX_TRY(flx_body_make_point(b, body, name, origin, out));
    flx_point_data *d = (*out)->data;
    draw_node(b, f, node, at, d->R.x);
    memcpy(d->at.x, at, sizeof at);
    d->deformable = true;
    d->node = node;
    f->points[node] = *out;
    return FLX_OK;
}

flx_status flx_elastic_body_attached(flx_builder *b, flx_item *body, int node, flx_loc loc,
                                     flx_item **out)
{
    flx_elastic_body *f = elastic_of(body);
    *out = f->attached[node];
    if (*out) return FLX_OK;
    FLX_TRY(flx_body_place(b, body, loc));
    flx_item *item = flx_take(b, 1, sizeof *item);
    flx_body_data *d = flx_take(b, 1, sizeof *d);
    if (!item || !d) return FLX_ERR_MEMORY;
    *item = *body;
    item->name = flx_arena_printf(b->m->arena, "%s.node(%s)", body->name, f->e->nodes[node].id);
    item->full = flx_arena_printf(b->m->arena, "%s.node(%s)", body->full, f->e->nodes[node].id);
    if (!item->name || !item->full) return FLX_ERR_MEMORY;
    item->number = b->bodies.count + b->attached.count;
    item->data = d;
    *d = (flx_body_data){.placed = FLX_ITEM_DONE, .word = "node", .carrier = body, .node = node};
    const flx_body *frame = &((const flx_body_data *)body->data)->def;
    double at[3], R[9];
    draw_node(b, f, node, at, R);
    d->def = (flx_body){.name = item->full, .loc = loc, .type = FLX_BODY_RIGID};
    v3_store(d->def.position,
             v3_add(v3_load(frame->position), m33_mul_v(m33_load(frame->R), v3_load(at))));
    m33_store(d->def.R, m33_mul(m33_load(frame->R), m33_load(R)));
    d->def.angle = frame->angle + atan2(R[3], R[0]);
    FLX_TRY(flx_body_make_point(b, item, "com", origin, &d->com));
    FLX_TRY(flx_items_add(b, &b->attached, item));
    *out = f->attached[node] = item;
    return FLX_OK;
}

flx_status flx_elastic_body_node_at(flx_builder *b, flx_item *body, const double position[3],
                                    flx_loc loc, int *node)
{
    FLX_TRY(flx_elastic_body_ready(b, body, loc));
    const flx_elastic_body *f = elastic_of(body);
    double at[3], best = HUGE_VAL, size = 0.0;
    int nearest = -1;
    flx_num3 local = flx_ground_to_body(b, body, flx_num3_of(position));
    memcpy(at, local.x, sizeof at); // its own frame is a number
    for (int i = 0; i < f->e->nnode; i++) {
        double s[3], R[9];
        draw_node(b, f, i, s, R);
        double distance = v3_norm(v3_sub(v3_load(s), v3_load(at)));
        size = fmax(size, v3_norm(v3_load(s)));
        if (distance < best) best = distance, nearest = i;
    }
    *node = nearest;
    if (nearest >= 0 && best <= SAME_PLACE * size) return FLX_OK;
    *node = FLX_BODY_GROUND;
    if (v3_norm(v3_load(at)) <= SAME_PLACE * size) return FLX_OK;
    if (nearest < 0) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "'%s' has no nodes to attach to", body->full);
    }
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                    "no node of '%s' is at this place; the nearest, %s.node(%s), is %g m away",
                    body->full, body->full, f->e->nodes[nearest].id, best);
}

// ---- nodes in motion ----------------------------------------------------------------------------

flx_node flx_elastic_body_mode(flx_builder *b, const flx_item *body, int k)
{
    int number = b->variables.count + elastic_of(body)->first + k;
    return node_leaf(b->g, FLX_LEAF_VARIABLE, number, 0);
}

// phi q + q phi2 q/2
static void series_node(flx_builder *b, const flx_item *body, const double *first,
                        const double *second, flx_node out[3])
{
    flx_graph *g = b->g;
    int n = elastic_of(body)->e->n;
    for (int i = 0; i < 3; i++) {
        out[i] = node_const(g, 0);
        for (int k = 0; k < n; k++) {
            flx_node q = flx_elastic_body_mode(b, body, k);
            if (first[3 * k + i] != 0)
                out[i] = node_add(g, out[i], node_scale(g, first[3 * k + i], q));
            for (int l = 0; second && l <= k; l++) {
                double c = second[3 * (k * n + l) + i] * (l == k ? 0.5 : 1.0);
                if (c == 0) continue;
                flx_node qq = node_mul(g, q, flx_elastic_body_mode(b, body, l));
                out[i] = node_add(g, out[i], node_scale(g, c, qq));
            }
        }
    }
}

void flx_elastic_body_deflection(flx_builder *b, const flx_item *body, int node, flx_node out[3])
{
    const flx_elastic_node *x = elastic_of(body)->e->nodes + node;
    flx_node s[3];
    series_node(b, body, x->phi, x->phi2, s);
    flx_node_turn(b, body, &identity, s, out);
}

void flx_elastic_body_position(flx_builder *b, const flx_item *body, int node, flx_node out[3])
{
    const flx_elastic_node *x = elastic_of(body)->e->nodes + node;
    flx_node rest[3], s[3];
    flx_num3 at = flx_num3_of(x->at);
    flx_node_position(b, body, &at, rest);
    flx_elastic_body_deflection(b, body, node, s);
    node_add3(b->g, rest, s, out);
}

// The small rotation of a node, body axes.
static void psi_of(flx_builder *b, const flx_item *body, int node, flx_node out[3])
{
    const flx_elastic_node *x = elastic_of(body)->e->nodes + node;
    series_node(b, body, x->psi, x->psi2, out);
}

static flx_node cosine_of(flx_graph *g, const flx_node psi[3])
{
    flx_node square = node_scale(g, 0.25, node_dot(g, psi, psi));
    return node_sqrt(g, node_sub(g, node_const(g, 1), square));
}

void flx_elastic_body_rotation(flx_builder *b, const flx_item *body, int node, flx_node out[9])
{
    flx_graph *g = b->g;
    m33 R0 = m33_load(elastic_of(body)->e->nodes[node].R);
    flx_node psi[3];
    psi_of(b, body, node, psi);
    flx_node c = cosine_of(g, psi);
    for (int j = 0; j < 3; j++) { // R (a + c psi x a + psi x (psi x a)/2), a = R0 e_j
        v3 a = m33_col(R0, j);
        const double column[3] = {a.x, a.y, a.z};
        flx_node x[3], once[3], twice[3];
        node_const3(g, column, x);
        node_cross(g, psi, x, once);
        node_cross(g, psi, once, twice);
        for (int i = 0; i < 3; i++) {
            x[i] = node_add(g, x[i],
                            node_add(g, node_mul(g, c, once[i]), node_scale(g, 0.5, twice[i])));
        }
        flx_node_turn(b, body, &identity, x, x);
        for (int i = 0; i < 3; i++) out[3 * i + j] = x[i];
    }
}

// w + R (c psi' - c' psi + psi x psi'/2)
void flx_elastic_body_angular_velocity(flx_builder *b, const flx_item *body, int node,
                                       flx_node out[3])
{
    flx_graph *g = b->g;
    flx_node psi[3], rate[3], around[3], own[3];
    psi_of(b, body, node, psi);
    flx_node c = cosine_of(g, psi), cd = flx_node_rate(b, c);
    for (int i = 0; i < 3; i++) rate[i] = flx_node_rate(b, psi[i]);
    node_cross(g, psi, rate, around);
    for (int i = 0; i < 3; i++) {
        flx_node turn = node_sub(g, node_mul(g, c, rate[i]), node_mul(g, cd, psi[i]));
        own[i] = b->m->dimension == 2 ? rate[i] : node_add(g, turn, node_scale(g, 0.5, around[i]));
    }
    flx_node_angular_velocity(b, body, out);
    if (b->m->dimension == 3) flx_node_turn(b, body, &identity, own, own);
    node_add3(g, out, own, out);
}

flx_node flx_elastic_body_planar_angle(flx_builder *b, const flx_item *body, int node)
{
    flx_node psi[3];
    m33 R0 = m33_load(elastic_of(body)->e->nodes[node].R);
    psi_of(b, body, node, psi);
    flx_node angle = node_leaf(b->g, FLX_LEAF_BODY_ROTATION, body->number, 0);
    flx_node own = node_add(b->g, psi[2], node_const(b->g, atan2(R0.m[3], R0.m[0])));
    return node_add(b->g, angle, own);
}

void flx_elastic_body_load(flx_builder *b, const flx_item *body, int node, int moment,
                           flx_node out[3])
{
    const flx_item *follower = elastic_of(body)->attached[node];
    for (int i = 0; i < 3; i++) {
        out[i] = node_const(b->g, 0);
        if (!follower) continue; // nothing acts there
        flx_leaf leaf =
            flx_leaf_make(FLX_LEAF_LOAD, follower->number - b->bodies.count, 3 * moment + i);
        out[i] = flx_graph_leaf(b->g, leaf);
    }
}

// ---- into the model -----------------------------------------------------------------------------

static flx_status add_modes(flx_builder *b, const flx_item *body)
{
    flx_model *m = b->m;
    const flx_elastic_body *f = elastic_of(body);
    flx_node zero = node_const(b->g, 0);
    bool given = flx_entry_get(body->def, "mode_rates") != NULL;
    m->modals[m->nmodal++] =
        (flx_modal){.body = body->number, .first = m->nvariable, .e = f->e, .loc = body->loc};
    for (int k = 0; k < f->e->n; k++) {
        flx_variable *v = m->variables + m->nvariable++;
        *v = (flx_variable){.loc = body->loc,
                            .at = f->at[k],
                            .rate = f->rate[k],
                            .rate_given = given,
                            .mass = zero,
                            .force = zero};
        v->name = flx_arena_printf(m->arena, "%s.mode(%d)", body->full, k + 1);
        if (!v->name) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

flx_status flx_elastic_body_finish(flx_builder *b)
{
    flx_model *m = b->m;
    if (b->elastic.count == 0) return FLX_OK;
    m->nmode = b->nmode;
    size_t nv = (size_t)(m->nvariable + m->nmode), nf = (size_t)b->attached.count;
    flx_variable *variables = flx_arena_take(m->arena, nv, sizeof *variables);
    m->modals = flx_arena_take(m->arena, (size_t)b->elastic.count, sizeof *m->modals);
    m->attached = flx_arena_take(m->arena, nf, sizeof *m->attached);
    if (!variables || !m->modals || !m->attached) return FLX_ERR_MEMORY;
    if (m->nvariable > 0) {
        memcpy(variables, m->variables, (size_t)m->nvariable * sizeof *variables);
    }
    m->variables = variables;
    for (int i = 0; i < b->elastic.count; i++) FLX_TRY(add_modes(b, b->elastic.items[i]));
    for (int i = 0; i < b->attached.count; i++) {
        const flx_body_data *d = b->attached.items[i]->data;
        m->bodies[m->nbody + i] = d->def;
        m->attached[m->nattached++] = (flx_attached){d->carrier->number, d->node};
    }
    flx_elastic_bodies_check_loads(b);
    return FLX_OK;
}
