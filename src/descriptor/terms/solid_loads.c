// solid_loads.c - loads on solids by expressions. Pressures are integrated over the faces as
// they are; tractions and loads on the volume are forces on the nodes, as wrenches of expressions are.
#include "descriptor/terms/expression_items.h"
#include "model/cell_shape.h"
#include "model/nodes.h"

// ---- pressures ----------------------------------------------------------------------------------

typedef struct face_rule { // of one cell, shared by its faces
    double *weight, *N, *dN;
    int npoint;
} face_rule;

static flx_status make_rule(flx_descriptor *d, flx_cell cell, face_rule *out)
{
    flx_shape_table t;
    flx_shape_fill(cell, FLX_RULE_MASS, &t);
    size_t n = (size_t)(t.points * t.nodes);
    out->npoint = t.points;
    out->weight = flx_arena_take(d->arena, (size_t)t.points, sizeof(double));
    out->N = flx_arena_take(d->arena, n, sizeof(double));
    out->dN = flx_arena_take(d->arena, 2 * n, sizeof(double));
    if (!out->weight || !out->N || !out->dN) return FLX_ERR_MEMORY;
    memcpy(out->weight, t.weight, (size_t)t.points * sizeof(double));
    for (int i = 0; i < (int)n; i++) {
        int g = i / t.nodes, a = i % t.nodes;
        out->N[i] = t.N[g][a];
        out->dN[2 * i] = t.dN[g][a][0];
        out->dN[2 * i + 1] = t.dN[g][a][1];
    }
    return FLX_OK;
}

// Each body that moves nodes of the faces once.
static flx_status list_bodies(flx_descriptor *d, flx_expr_load *o)
{
    int nbody = d->model->nbody, count = 0;
    bool *seen = flx_alloc(d->base.ctx, (size_t)nbody, sizeof *seen);
    if (!seen) return FLX_ERR_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < o->nface; i++) {
            const flx_solid_element *e = &o->faces[i].e;
            for (int a = 0; a < e->n; a++) {
                int body = e->frame[a] - 1;
                if (e->nv[a] == 0 || seen[body] != (pass == 1)) continue;
                seen[body] = pass == 0;
                if (pass == 1) o->body[o->nbody++] = body;
                count++;
            }
        }
        if (pass == 0) o->body = flx_arena_take(d->arena, (size_t)count, sizeof(int));
        if (!o->body) break;
    }
    flx_free(seen);
    return o->body ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status plan_pressure(flx_descriptor *d, const flx_force *f, flx_expr_load *o)
{
    const flx_solid_load *l = f->load;
    const flx_solid *s = d->model->solids + l->solid;
    face_rule rules[FLX_CELL_COUNT] = {{0}};
    memcpy(o->p.at, l->at, sizeof o->p.at);
    for (int k = 0; k < 4; k++) {
        FLX_TRY(flx_expr_channel(d, l->value[k], f->loc, f->name, &o->channel[k]));
    }
    o->faces = flx_arena_take(d->arena, (size_t)l->faces.n, sizeof *o->faces);
    if (!o->faces) return FLX_ERR_MEMORY;
    for (int i = 0; i < l->faces.n; i++) {
        flx_cell cell = (flx_cell)l->faces.cells[i];
        face_rule *rule = rules + cell;
        flx_solid_face *face = o->faces + o->nface++;
        if (!rule->weight) FLX_TRY(make_rule(d, cell, rule));
        *face = (flx_solid_face){.N = rule->N, .dN = rule->dN};
        face->e = (flx_solid_element){.npoint = rule->npoint, .weight = rule->weight};
        FLX_TRY(flx_solids_place_nodes(d, s, flx_cells[cell].nodes,
                                       l->faces.nodes + l->faces.first[i], &face->e));
    }
    for (int k = 0; k < 4; k++) {
        if (o->channel[k] >= 0 && d->expr.channels[o->channel[k]].ndep > 0) {
            return list_bodies(d, o);
        }
    }
    return FLX_OK;
}

// ---- forces on the nodes ------------------------------------------------------------------------

// The area that each node stands for, initially.
static void add_areas(const flx_solid *s, const flx_solid_faces *f, double *share)
{
    for (int i = 0; i < f->n; i++) {
        const int *nodes = f->nodes + f->first[i];
        flx_shape_table t;
        flx_shape_fill((flx_cell)f->cells[i], FLX_RULE_MASS, &t);
        for (int g = 0; g < t.points; g++) {
            v3 along[2] = {{0}};
            for (int a = 0; a < t.nodes; a++) {
                v3 x = v3_load(s->x + 3 * nodes[a]);
                for (int k = 0; k < 2; k++) along[k] = v3_axpy(t.dN[g][a][k], x, along[k]);
            }
            double area = t.weight[g] * v3_norm(v3_cross(along[0], along[1]));
            for (int a = 0; a < t.nodes; a++) share[nodes[a]] += t.N[g][a] * area;
        }
    }
}

static flx_status plan_node(flx_descriptor *d, const flx_force *f, const flx_solid *s, int node,
                            double share)
{
    flx_graph *g = d->model->graph;
    int body = s->body[node];
    if (share == 0.0 || body < 0) return FLX_OK;
    flx_expr_items *own = flx_items_of(d);
    flx_expr_wrench *w = own->wrenches + own->nwrench++;
    *w = (flx_expr_wrench){.of = -1, .body = {FLX_BODY_GROUND, body}};
    for (int k = 0; k < 3; k++) {
        if (d->body_nv[body] != 3) {
            w->s[1][k] = s->arm[3 * node + k] - d->model->bodies[body].com[k];
        }
        flx_node value = node_scale(g, share, f->load->value[k]);
        if (value < 0) return FLX_ERR_MEMORY;
        FLX_TRY(flx_expr_channel(d, value, f->loc, f->name, &w->channel[k]));
        w->channel[3 + k] = -1;
    }
    return FLX_OK;
}

static flx_status plan_forces(flx_descriptor *d, const flx_force *f, flx_expr_load *o)
{
    const flx_solid *s = d->model->solids + f->load->solid;
    flx_status status = FLX_OK;
    double *share = flx_alloc(d->base.ctx, (size_t)s->nnode, sizeof *share);
    if (!share) return FLX_ERR_MEMORY;
    if (f->kind->volume) {
        memcpy(share, s->volumes, (size_t)s->nnode * sizeof *share);
    } else {
        add_areas(s, &f->load->faces, share);
    }
    o->wrench = flx_items_of(d)->nwrench;
    for (int i = 0; i < s->nnode && status == FLX_OK; i++) {
        status = plan_node(d, f, s, i, share[i]);
    }
    o->nwrench = flx_items_of(d)->nwrench - o->wrench;
    flx_free(share);
    return status;
}

// ---- both ---------------------------------------------------------------------------------------

size_t flx_solid_loads_wrenches(const flx_model *m)
{
    size_t n = 0;
    for (int i = 0; i < m->nforce; i++) {
        const flx_force *f = m->forces + i;
        if (f->kind->load && !f->kind->pressure) n += (size_t)m->solids[f->load->solid].nnode;
    }
    return n;
}

flx_status flx_solid_loads_plan(flx_descriptor *d)
{
    const flx_model *m = d->model;
    flx_expr_items *x = flx_items_of(d);
    size_t n = 0;
    for (int i = 0; i < m->nforce; i++) n += m->forces[i].kind->load;
    x->loads = flx_arena_take(d->arena, n, sizeof *x->loads);
    if (!x->loads) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nforce; i++) {
        const flx_force *f = m->forces + i;
        if (!f->kind->load) continue;
        flx_expr_load *o = x->loads + x->nload++;
        *o = (flx_expr_load){.force = i, .channel = {-1, -1, -1, -1}};
        FLX_TRY(f->kind->pressure ? plan_pressure(d, f, o) : plan_forces(d, f, o));
    }
    return FLX_OK;
}

flx_solid_pressure flx_solid_loads_pressure(const flx_expr_load *o, const flx_channel *channels,
                                            const double *values)
{
    flx_solid_pressure p = o->p;
    p.value = values[channels[o->channel[0]].value];
    for (int k = 0; k < 3; k++) {
        if (o->channel[1 + k] >= 0) p.gradient[k] = values[channels[o->channel[1 + k]].value];
    }
    return p;
}

void flx_solid_loads_resultant(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                               int force, flx_solid_resultant *out)
{
    const flx_channel *channels = d->expr.channels;
    const flx_expr_items *x = flx_items_of(d);
    const flx_expr_load *o = x->loads;
    while (o->force != force) o++;
    p = flx_eval_begin(d, w, p);
    flx_eval_group(d, w, FLX_GROUP_VALUE);
    const double *value = flx_eval_output(d, w, FLX_GROUP_VALUE);
    *out = (flx_solid_resultant){0};
    if (o->nface > 0) {
        flx_solid_pressure pressure = flx_solid_loads_pressure(o, channels, value);
        flx_solid_face_resultant(o->nface, o->faces, &pressure, w->frames.space, out);
        return;
    }
    for (int i = o->wrench; i < o->wrench + o->nwrench; i++) {
        const flx_expr_wrench *e = x->wrenches + i;
        const flx_frame *f = w->frames.space + e->e.frame[1];
        double F[6], rows[6];
        flx_wrench_value(e, channels, value, F);
        flx_wrench_on_body(d, w, e, 1, F, rows);
        v3 arm = m33_mul_v(m33_load(f->R), v3_load(e->s[1]));
        v3_add_to(out->force, 1.0, v3_load(F));
        v3_add_to(out->moment, 1.0, v3_cross(v3_add(v3_load(f->r), arm), v3_load(F)));
        for (int k = 0; k < e->e.nv[1]; k++) out->power += rows[k] * p->v[e->e.v[1] + k];
    }
}
