// beam_ancf.c - beams in absolute nodal coordinates: the slopes of their nodes as bodies, and the sections that
// joints, torques and signals turn with.
//
// The place of a node is a point, and so is each of its slopes, the derivatives of the position along the line
// and across it; these are vectors, and no place. A node has no axes of its own. Where some are needed it gets a
// section: a body at the node, tied to the slopes t = r,x, u = r,y, w = r,z by its axes e1, e2, e3,
//
//     cable: t.e2 = 0, t.e3 = 0;   beam: u.e1 = 0, w.e1 = 0, u.e3 - w.e2 = 0                    (ANC-13)
//     clamped, of the continuum: every slope is R times what it is initially                       (ANC-14)
// in the plane t.e2 = 0 and u.e1 = 0. The rows are tangents of half angles, so that none is zero where the section
// is turned round. A section has a hundred-millionth of the inertia of its node: too little to be seen, enough to
// determine how it moves. Which nodes need one is known when the model was built: it is built again.
#include "language/flexible/deformable.h"
#include "language/scope/nums.h"
#include "model/nodes.h"

#include <string.h>

static const flx_num3 origin = {.x = {0, 0, 0}};

#define ROUND 1e-12 // of the size of a slope

static flx_beam_data *beam_of(const flx_item *body)
{
    return ((flx_body_data *)body->data)->beam;
}

// The beam of a node, and the node's number; NULL: not a node of such a beam.
static flx_item *ancf_of(const flx_item *node, int *number)
{
    if (node->kind != FLX_KIND_BODY || !flx_body_is_beam_node(node)) return NULL;
    const flx_body_data *d = node->data;
    flx_item *beam = d->carrier ? d->carrier : (flx_item *)node;
    *number = d->node;
    return beam_of(beam)->def.nslope > 0 ? beam : NULL;
}

bool flx_body_is_ancf_node(const flx_item *body)
{
    int number;
    return ancf_of(body, &number) && !flx_body_turns(body);
}

// ---- bodies -------------------------------------------------------------------------------------

// What is asked of a node's section: 0 none, 1 axes, 2 clamped.
static int asked_of(const flx_builder *b, const flx_item *body, double at)
{
    int most = 0;
    for (int i = 0; i < b->marks->n; i++) {
        const struct flx_beam_mark *m = b->marks->marks + i;
        if (strcmp(m->beam, body->full) == 0 && m->at == at && m->section > most) most = m->section;
    }
    return most;
}

static int rows_of(const flx_builder *b, const flx_beam *beam, bool clamped)
{
    int D = b->m->dimension;
    if (beam->formulation == FLX_BEAM_CABLE) return D + D - 1;
    return clamped ? D + D * beam->nslope : D + (D == 2 ? 1 : 3);
}

static const char *slope_word(int k)
{
    return k == 0 ? "slope" : k == 1 ? "across" : "across2";
}

flx_status flx_beam_declare_slopes(flx_builder *b, flx_item *body)
{
    flx_beam_data *d = beam_of(body);
    int n = d->def.nslope;
    d->slopes = flx_take(b, (size_t)(n * d->nnode), sizeof(flx_item *));
    d->sections = flx_take(b, (size_t)d->nnode, sizeof(flx_item *));
    d->clamped = flx_take(b, (size_t)d->nnode, sizeof *d->clamped);
    d->stretch = flx_take(b, (size_t)d->nnode, sizeof *d->stretch);
    d->def.slopes = flx_arena_take(b->m->arena, (size_t)(n * d->nnode), sizeof(int));
    d->def.axes = flx_arena_take(b->m->arena, (size_t)d->nnode, sizeof(int));
    bool fine = d->slopes && d->sections && d->clamped && d->stretch && d->def.slopes;
    if (!fine || !d->def.axes) return FLX_ERR_MEMORY;
    for (int i = 0; i < d->nnode; i++) {
        const char *node = i == 0 ? "start" : d->nodes[i]->name + strlen(body->name) + 1;
        for (int k = 0; k < n; k++) {
            flx_item **slope = d->slopes + n * i + k;
            const char *name = flx_arena_printf(b->scratch, "%s.%s", node, slope_word(k));
            FLX_TRY(flx_beam_make_node(b, body, i, name, FLX_BODY_POINT, slope));
            ((flx_body_data *)(*slope)->data)->def.slope = true;
            d->def.slopes[n * i + k] = (*slope)->number;
        }
        int asked = b->marks->n > 0 ? asked_of(b, body, d->at[i]) : 0;
        d->def.axes[i] = asked > 0 ? b->bodies.count : -1;
        if (asked == 0) continue;
        const char *name = flx_arena_printf(b->scratch, "%s.section", node);
        FLX_TRY(flx_beam_make_node(b, body, i, name, FLX_BODY_RIGID, &d->sections[i]));
        ((flx_body_data *)d->sections[i]->data)->def.section = true;
        d->clamped[i] = asked == 2;
        b->nsection_row += rows_of(b, &d->def, d->clamped[i]);
    }
    return FLX_OK;
}

// Slopes along the line are derivatives by the unstressed length: of a line that is drawn longer they are longer.
void flx_beam_draw_slopes(const flx_item *body)
{
    const flx_beam_data *d = beam_of(body);
    int n = d->def.nslope;
    for (int i = 0; i < d->nnode; i++) {
        flx_body *node = &((flx_body_data *)d->nodes[i]->data)->def;
        m33 R = m33_load(node->R);
        for (int k = 0; k < n; k++) {
            flx_body *slope = &((flx_body_data *)d->slopes[n * i + k]->data)->def;
            v3 t = v3_scale(k == 0 ? d->stretch[i] : 1.0, m33_col(R, k));
            v3_store(slope->position, t);
            m33_store(slope->R, m33_identity());
            slope->reach = fmax(i > 0 ? d->def.lengths[i - 1] : 0.0,
                                i + 1 < d->nnode ? d->def.lengths[i] : 0.0);
        }
        if (d->sections[i]) {
            flx_body *section = &((flx_body_data *)d->sections[i]->data)->def;
            memcpy(section->position, node->position, sizeof node->position);
            memcpy(section->R, node->R, sizeof node->R);
            section->angle = node->angle;
        }
        m33_store(node->R, m33_identity());
        node->angle = 0;
    }
}

// Velocities of slopes and sections, where the nodes have those of a rigid motion.
void flx_beam_move_slopes(const flx_item *body)
{
    const flx_beam_data *d = beam_of(body);
    for (int i = 0; i < d->nnode; i++) {
        flx_body *node = &((flx_body_data *)d->nodes[i]->data)->def;
        for (int k = 0; k < d->def.nslope; k++) {
            flx_body *slope = &((flx_body_data *)d->slopes[d->def.nslope * i + k]->data)->def;
            v3 w = v3_load(node->start.angular_velocity);
            slope->start = node->start;
            v3_store(slope->start.velocity, v3_cross(w, v3_load(slope->position)));
        }
        if (!d->sections[i]) continue;
        flx_body *section = &((flx_body_data *)d->sections[i]->data)->def;
        section->start = node->start;
        flx_beam_take_axes(&d->def, i, node->mass, section);
    }
}

// ---- sections -----------------------------------------------------------------------------------

flx_status flx_beam_section(flx_builder *b, flx_item *node, bool clamped, flx_item **out)
{
    int i = 0;
    flx_item *beam = ancf_of(node, &i);
    const flx_beam_data *d = beam_of(beam);
    *out = d->sections[i];
    clamped = clamped && d->def.continuum; // else axes hold a section, and leave its stretch alone
    if (*out && (d->clamped[i] || !clamped)) return FLX_OK;
    FLX_TRY(flx_beam_mark(b, beam, d->at[i], clamped ? 2 : 1));
    // until the model is built again: as the node, but turning
    flx_item *item = flx_take(b, 1, sizeof *item);
    flx_body_data *own = flx_take(b, 1, sizeof *own);
    if (!item || !own) return FLX_ERR_MEMORY;
    *item = *node;
    *own = *(const flx_body_data *)node->data;
    own->carrier = beam;
    own->beam = NULL;
    own->def.type = FLX_BODY_RIGID;
    item->data = own;
    *out = item;
    return FLX_OK;
}

static void unit(flx_graph *g, const flx_node a[3], flx_node out[3])
{
    flx_node size = node_norm(g, a);
    for (int i = 0; i < 3; i++) out[i] = node_div(g, a[i], size);
}

// (ANC-17) the axes: across a beam's section, e1 is its normal, and e2, e3 turn with both slopes alike.
int flx_beam_section_axes(flx_builder *b, const flx_item *beam, int node, flx_node e[3][3])
{
    flx_graph *g = b->g;
    const flx_beam_data *d = beam_of(beam);
    const flx_node z[3] = {node_const(g, 0), node_const(g, 0), node_const(g, 1)};
    flx_node s[3][3] = {{0}}, sum[3];
    int n = d->def.nslope;
    for (int k = 0; k < n; k++) flx_node_position(b, d->slopes[n * node + k], &origin, s[k]);
    if (b->m->dimension == 2) {
        int known = n == 1 ? 0 : 1; // along the line, or across it
        memcpy(e[2], z, sizeof z);
        unit(g, s[known], e[known]);
        node_cross(g, known ? e[1] : z, known ? z : e[0], e[1 - known]);
        return 3;
    }
    if (n == 1) {
        unit(g, s[0], e[0]);
        return 1;
    }
    node_cross(g, s[1], s[2], sum);
    unit(g, sum, e[0]);
    node_cross(g, s[2], e[0], sum);
    node_add3(g, s[1], sum, sum);
    unit(g, sum, e[1]);
    node_cross(g, e[0], e[1], e[2]);
    return 3;
}

bool flx_beam_has_section(const flx_item *node)
{
    int i = 0;
    const flx_item *beam = ancf_of(node, &i);
    return beam && beam_of(beam)->sections[i];
}

static flx_status add_row(flx_builder *b, const flx_item *section, const char *what, flx_node value)
{
    flx_constraint *c = b->m->constraints + b->m->nconstraint++;
    *c = (flx_constraint){.loc = section->loc, .value = value, .inner = true};
    c->name = flx_arena_printf(b->m->arena, "%s %s", section->full, what);
    return value < 0 || !c->name ? FLX_ERR_MEMORY : FLX_OK;
}

// a.e_k of a slope and an axis of the section
static flx_node along(flx_builder *b, const flx_item *section, const flx_node a[3], int k)
{
    const flx_num3 axis = {.x = {k == 0, k == 1, k == 2}};
    flx_node e[3];
    flx_node_direction(b, section, &axis, e);
    return node_dot(b->g, a, e);
}

// |a| + a.e_k, twice |a| where the slope has the direction of that axis. Where it is turned round exactly, as the search for
// redundant rows may turn it, a little is left.
static flx_node beside(flx_builder *b, const flx_item *section, const flx_node a[3], int k)
{
    flx_node size = node_sqrt(b->g, node_dot(b->g, a, a));
    return node_add(b->g, node_scale(b->g, 1.0 + ROUND, size), along(b, section, a, k));
}

// The tangent of half the angle between a slope and the axis k, towards the axis j.
static flx_node half_turn(flx_builder *b, const flx_item *section, const flx_node a[3], int k,
                          int j)
{
    return node_div(b->g, along(b, section, a, j), beside(b, section, a, k));
}

// The axes of a beam's section, u and w the slopes across.
static flx_status tie_axes(flx_builder *b, const flx_item *section, flx_node s[3][3])
{
    flx_graph *g = b->g;
    FLX_TRY(add_row(b, section, "turn 1", half_turn(b, section, s[1], 1, 0)));
    if (b->m->dimension == 2) return FLX_OK;
    FLX_TRY(add_row(b, section, "turn 2", half_turn(b, section, s[2], 2, 0)));
    flx_node twist = node_sub(g, along(b, section, s[1], 2), along(b, section, s[2], 1));
    flx_node sum = node_add(g, beside(b, section, s[1], 1), beside(b, section, s[2], 2));
    return add_row(b, section, "turn 3", node_div(g, twist, sum));
}

// (ANC-14) with what the axes leave: the slope along the line initially, no strain across.
static flx_status clamp(flx_builder *b, const flx_beam_data *d, int i, flx_node s[3][3])
{
    static const char *const words[] = {"slope x", "slope y", "slope z"};
    flx_graph *g = b->g;
    const flx_item *section = d->sections[i];
    const flx_num3 local = {.x = {d->stretch[i], 0, 0}};
    int D = b->m->dimension == 2 ? 2 : 3;
    flx_node own[3], one = node_const(g, 1);
    flx_node_direction(b, section, &local, own);
    for (int c = 0; c < D; c++) {
        FLX_TRY(add_row(b, section, words[c], node_sub(g, s[0][c], own[c])));
    }
    for (int k = 1; k < D; k++) {
        flx_node size = node_sub(g, along(b, section, s[k], k), one);
        FLX_TRY(add_row(b, section, "across", size));
    }
    if (D == 2) return FLX_OK;
    flx_node skew = node_add(g, along(b, section, s[1], 2), along(b, section, s[2], 1));
    return add_row(b, section, "across", skew);
}

static flx_status tie(flx_builder *b, const flx_beam_data *d, int i)
{
    static const char *const places[] = {"place x", "place y", "place z"};
    static const char *const turns[] = {"turn 1", "turn 2"};
    flx_graph *g = b->g;
    const flx_item *section = d->sections[i];
    int D = b->m->dimension == 2 ? 2 : 3, n = d->def.nslope;
    flx_node p[3], own[3], s[3][3];
    flx_node_position(b, d->nodes[i], &origin, p);
    flx_node_position(b, section, &origin, own);
    for (int c = 0; c < D; c++) {
        FLX_TRY(add_row(b, section, places[c], node_sub(g, own[c], p[c])));
        b->m->constraints[b->m->nconstraint - 1].metres = true;
    }
    for (int k = 0; k < n; k++) flx_node_position(b, d->slopes[n * i + k], &origin, s[k]);
    if (d->def.formulation == FLX_BEAM_CABLE) {
        for (int k = 1; k < D; k++) {
            FLX_TRY(add_row(b, section, turns[k - 1], half_turn(b, section, s[0], 0, k)));
        }
        return FLX_OK;
    }
    FLX_TRY(tie_axes(b, section, s));
    return d->clamped[i] ? clamp(b, d, i, s) : FLX_OK;
}

flx_status flx_beams_tie(flx_builder *b)
{
    flx_model *m = b->m;
    if (b->nsection_row == 0) return FLX_OK;
    size_t n = (size_t)(m->nconstraint + b->nsection_row);
    flx_constraint *all = flx_arena_take(m->arena, n, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    if (m->nconstraint > 0) memcpy(all, m->constraints, (size_t)m->nconstraint * sizeof *all);
    m->constraints = all;
    for (int i = 0; i < b->bodies.count; i++) {
        const flx_beam_data *d = beam_of(b->bodies.items[i]);
        for (int k = 0; d && d->def.nslope > 0 && k < d->nnode; k++) {
            if (d->sections[k]) FLX_TRY(tie(b, d, k));
        }
    }
    return FLX_OK;
}
