// nastran_links.c - masses, springs, and what ties nodes together in Nastran's bulk data.
#include "read/nastran/nastran_parts.h"

#include <string.h>

// ---- lists --------------------------------------------------------------------------------------

static flx_status add_range(flx_nastran *r, int first, int last, int *n, int **nodes, int *capacity)
{
    bool range = last > first;
    if (range && last > r->largest) last = r->largest;
    if (range && last - first > r->s->nnode) { // more numbers than nodes
        for (int node = 0; node < r->s->nnode; node++) {
            if (r->s->label[node] < first || r->s->label[node] > last) continue;
            FLX_SCAN_GROW(r, *nodes, *capacity, *n + 1);
            (*nodes)[(*n)++] = node;
        }
        return FLX_OK;
    }
    for (int label = first; label <= last; label++) {
        int node = flx_structure_node_of(r->s, label);
        if (node < 0 && range) continue; // a range may have holes
        if (node < 0) {
            return REFUSE(r, "%.*s has node %d, which is not in the file", r->f[0].length,
                          r->f[0].text, label);
        }
        FLX_SCAN_GROW(r, *nodes, *capacity, *n + 1);
        (*nodes)[(*n)++] = node;
        if (label == INT32_MAX) break;
    }
    return FLX_OK;
}

flx_status flx_nastran_nodes(flx_nastran *r, int *i, int *n, int **nodes, int *capacity)
{
    int last = -1;
    for (; *i < r->n; ++*i) {
        int first;
        if (flx_nastran_is_empty(r, *i)) continue;
        if (flx_nastran_field_is(r, *i, "THRU") && last >= 0 && last < INT32_MAX) {
            first = last + 1;
            FLX_TRY(flx_nastran_int(r, ++*i, "a node", &last));
            if (last >= first) FLX_TRY(add_range(r, first, last, n, nodes, capacity));
            continue;
        }
        if (flx_nastran_is_real(r, *i) || flx_nastran_field_is(r, *i, "UM") ||
            flx_nastran_field_is(r, *i, "ALPHA")) {
            return FLX_OK;
        }
        FLX_TRY(flx_nastran_int(r, *i, "a node", &last));
        FLX_TRY(add_range(r, last, last, n, nodes, capacity));
    }
    return FLX_OK;
}

// ---- nodes beside nodes -------------------------------------------------------------------------

flx_status flx_nastran_offset(flx_nastran *r, int node, const double off[3], int *out)
{
    double x[3];
    for (int c = 0; c < 3; c++) x[c] = r->s->x[3 * (size_t)node + c] + off[c];
    if (r->largest == INT32_MAX) return REFUSE(r, "the numbers of nodes are too large");
    *out = r->s->nnode;
    FLX_TRY(flx_structure_add_node(r->s, ++r->largest, r->line, x));
    const flx_node_link l = {.kind = FLX_LINK_RIGID,
                             .loc = flx_nastran_place(r),
                             .reference = node,
                             .mask = 077,
                             .nnode = 1,
                             .nodes = out};
    return flx_structure_add_link(r->s, &l);
}

// ---- masses and springs -------------------------------------------------------------------------

// CONM2, EID, G, CID, M, X1, X2, X3, , I11, I21, I22, I31, I32, I33
flx_status flx_nastran_mass(flx_nastran *r)
{
    flx_point_mass m = {.loc = flx_nastran_place(r)};
    double lower[6] = {0}, off[3] = {0, 0, 0};
    int axes = 0;
    FLX_TRY(flx_nastran_node(r, 2, &m.node));
    FLX_TRY(flx_nastran_id(r, 3, "a coordinate system", &axes));
    FLX_TRY(flx_nastran_number(r, 4, "a mass", &m.mass));
    if (!(m.mass >= 0)) return REFUSE(r, "the mass is negative: %g", m.mass);
    for (int i = 0; i < 3; i++) FLX_TRY(flx_nastran_number(r, 5 + i, "an offset", &off[i]));
    for (int i = 0; i < 6; i++) FLX_TRY(flx_nastran_number(r, 9 + i, "an inertia", &lower[i]));
    const double own[6] = {lower[0], lower[2], lower[5], -lower[1], -lower[4], -lower[3]};
    memcpy(m.inertia, own, sizeof own);
    if (axes > 0) {
        bool inertia = false;
        for (int i = 0; i < 6; i++) inertia |= lower[i] != 0;
        if (inertia) return REFUSE(r, "the inertia of CONM2 is along the basic axes here");
        FLX_TRY(flx_nastran_turn(r, axes, r->s->x + 3 * (size_t)m.node, off));
    }
    for (int c = 0; axes == -1 && c < 3; c++) off[c] -= r->s->x[3 * (size_t)m.node + c];
    if (off[0] != 0 || off[1] != 0 || off[2] != 0) {
        FLX_TRY(flx_nastran_offset(r, m.node, off, &m.node));
    }
    return flx_structure_add_mass(r->s, &m);
}

static flx_status keep_spring(flx_nastran *r, const flx_spring_element *k, int id)
{
    FLX_SCAN_GROW(r, r->spring_property, r->spring_capacity, r->s->nspring + 1);
    r->spring_property[r->s->nspring] = id;
    return flx_structure_add_spring(r->s, k);
}

static bool is_ground(const flx_nastran *r, int i)
{
    return flx_nastran_is_empty(r, i) || flx_nastran_field_is(r, i, "0");
}

// CBUSH, EID, PID, GA, GB, X1, X2, X3, CID: along the basic axes.
static flx_status read_bush(flx_nastran *r)
{
    flx_spring_element k = {.node = {-1, -1}, .loc = flx_nastran_place(r)};
    int id;
    FLX_TRY(flx_nastran_int(r, 2, "a property's number", &id));
    FLX_TRY(flx_nastran_node(r, 3, &k.node[0]));
    if (!is_ground(r, 4)) FLX_TRY(flx_nastran_node(r, 4, &k.node[1]));
    if (!flx_nastran_field_is(r, 8, "0")) {
        return REFUSE(r, "CBUSH acts along the basic axes here: give it the coordinate system 0");
    }
    for (int i = 0; i < 2 && k.node[i] >= 0; i++) FLX_TRY(flx_nastran_need_basic(r, k.node[i]));
    for (int c = 0; c < 6; c++) k.stiffness[c] = 1;
    return keep_spring(r, &k, id);
}

// CELAS1, EID, PID, G1, C1, G2, C2; CELAS2 has its stiffness instead of a property.
flx_status flx_nastran_spring(flx_nastran *r)
{
    bool own = flx_nastran_is(r, "CELAS2");
    int id = 0, n = 0;
    flx_spring_element k = {.node = {-1, -1}, .loc = flx_nastran_place(r)};
    double value = 0;
    unsigned mask[2] = {0, 0};
    if (flx_nastran_is(r, "CBUSH")) return read_bush(r);
    if (own) {
        FLX_TRY(flx_nastran_number(r, 2, "a stiffness", &value));
    } else {
        FLX_TRY(flx_nastran_int(r, 2, "a property's number", &id));
    }
    for (int i = 0; i < 2; i++) {
        if (is_ground(r, 3 + 2 * i)) continue;
        FLX_TRY(flx_nastran_node(r, 3 + 2 * i, &k.node[n]));
        FLX_TRY(flx_nastran_mask(r, 4 + 2 * i, &mask[n]));
        FLX_TRY(flx_nastran_need_basic(r, k.node[n++]));
    }
    if (n == 0) return REFUSE(r, "the spring has no node");
    if (n == 2 && mask[1] != mask[0]) {
        return REFUSE(r, "a spring between different components is not read");
    }
    for (int c = 0; c < 6; c++) {
        if (mask[0] >> c & 1u) k.stiffness[c] = own ? value : 1;
    }
    return keep_spring(r, &k, id);
}

// ---- links --------------------------------------------------------------------------------------

// RBE2, EID, GN, CM, GM1, GM2, ..., ALPHA; RBAR, EID, GA, GB, CNA, CNB: one end has all components.
static flx_status read_rigid(flx_nastran *r)
{
    flx_node_link l = {.kind = FLX_LINK_RIGID, .loc = flx_nastran_place(r)};
    int capacity = 0, i = 4;
    flx_status status;
    if (flx_nastran_is(r, "RBE2")) {
        FLX_TRY(flx_nastran_node(r, 2, &l.reference));
        FLX_TRY(flx_nastran_mask(r, 3, &l.mask));
        status = flx_nastran_nodes(r, &i, &l.nnode, &l.nodes, &capacity);
    } else {
        int ends[2];
        unsigned held[2] = {0, 0};
        for (int k = 0; k < 2; k++) {
            FLX_TRY(flx_nastran_node(r, 2 + k, &ends[k]));
            if (!flx_nastran_is_empty(r, 4 + k)) FLX_TRY(flx_nastran_mask(r, 4 + k, &held[k]));
        }
        int from = held[0] == 077 ? 0 : 1;
        if (held[from] != 077) {
            return REFUSE(r, "RBAR: one of its nodes has the components 123456 here");
        }
        l.reference = ends[from];
        l.mask = 077;
        if (!flx_nastran_is_empty(r, 7 - from)) FLX_TRY(flx_nastran_mask(r, 7 - from, &l.mask));
        if (l.mask != 077) FLX_TRY(flx_nastran_need_basic(r, ends[1 - from]));
        l.nnode = 1;
        l.nodes = &ends[1 - from];
        return flx_structure_add_link(r->s, &l);
    }
    for (int k = 0; k < l.nnode && status == FLX_OK && l.mask != 077; k++) {
        status = flx_nastran_need_basic(r, l.nodes[k]);
    }
    if (status == FLX_OK && l.nnode == 0) status = REFUSE(r, "RBE2 has no nodes to move");
    if (status == FLX_OK) status = flx_structure_add_link(r->s, &l);
    flx_free(l.nodes);
    return status;
}

// RBE3, EID, , REFGRID, REFC, WT1, C1, G11, G12, ..., WT2, C2, G21, ..., UM, ...
static flx_status read_groups(flx_nastran *r, flx_node_link *l, int *weights)
{
    int i = 5, capacity = 0;
    while (i < r->n) {
        double weight = 1;
        unsigned mask;
        if (flx_nastran_is_empty(r, i)) {
            i++;
            continue;
        }
        if (flx_nastran_field_is(r, i, "UM") || flx_nastran_field_is(r, i, "ALPHA")) break;
        FLX_TRY(flx_nastran_number(r, i, "a weight", &weight));
        FLX_TRY(flx_nastran_mask(r, i + 1, &mask));
        if ((mask & 07u) != 07u) return REFUSE(r, "RBE3: the nodes give their translations, 123");
        i += 2;
        int from = l->nnode;
        FLX_TRY(flx_nastran_nodes(r, &i, &l->nnode, &l->nodes, &capacity));
        FLX_SCAN_GROW(r, l->weights, *weights, l->nnode);
        for (int k = from; k < l->nnode; k++) l->weights[k] = weight;
    }
    return l->nnode > 0 ? FLX_OK : REFUSE(r, "RBE3 has no nodes to follow");
}

static flx_status read_average(flx_nastran *r)
{
    flx_node_link l = {.kind = FLX_LINK_AVERAGE, .loc = flx_nastran_place(r)};
    int weights = 0;
    FLX_TRY(flx_nastran_node(r, 3, &l.reference));
    FLX_TRY(flx_nastran_mask(r, 4, &l.mask));
    if (l.mask != 077) FLX_TRY(flx_nastran_need_basic(r, l.reference));
    flx_status status = read_groups(r, &l, &weights);
    if (status == FLX_OK) status = flx_structure_add_link(r->s, &l);
    flx_free(l.nodes);
    flx_free(l.weights);
    return status;
}

// MPC, SID, G1, C1, A1, G2, C2, A2, , , G3, C3, A3, ...
static flx_status read_terms(flx_nastran *r, flx_node_link *l, int *room)
{
    for (int i = 2; i < r->n; i += i % 8 == 2 ? 3 : 5) {
        unsigned mask;
        int c = 0;
        if (flx_nastran_is_empty(r, i)) continue;
        FLX_SCAN_GROW(r, l->nodes, room[0], l->nnode + 1);
        FLX_SCAN_GROW(r, l->weights, room[1], l->nnode + 1);
        FLX_SCAN_GROW(r, l->components, room[2], l->nnode + 1);
        l->weights[l->nnode] = 0;
        FLX_TRY(flx_nastran_node(r, i, &l->nodes[l->nnode]));
        FLX_TRY(flx_nastran_need_basic(r, l->nodes[l->nnode]));
        FLX_TRY(flx_nastran_mask(r, i + 1, &mask));
        FLX_TRY(flx_nastran_number(r, i + 2, "a factor", &l->weights[l->nnode]));
        while (!(mask >> c & 1u)) c++;
        if (mask != 1u << c) return REFUSE(r, "MPC: one component of each node is expected");
        l->components[l->nnode++] = c;
    }
    return l->nnode > 1 ? FLX_OK : REFUSE(r, "MPC needs two terms or more");
}

static flx_status read_equation(flx_nastran *r)
{
    flx_node_link l = {.kind = FLX_LINK_EQUATION, .loc = flx_nastran_place(r)};
    int id, room[3] = {0, 0, 0};
    FLX_TRY(flx_nastran_int(r, 1, "the number of a set", &id));
    if (flx_nastran_factor(r, 2, id) == 0) return FLX_OK;
    flx_status status = read_terms(r, &l, room);
    if (status == FLX_OK) {
        l.reference = l.nodes[0];
        status = flx_structure_add_link(r->s, &l);
    }
    flx_free(l.nodes);
    flx_free(l.weights);
    flx_free(l.components);
    return status;
}

flx_status flx_nastran_link(flx_nastran *r)
{
    if (flx_nastran_is(r, "RBE3")) return read_average(r);
    if (flx_nastran_is(r, "MPC")) return read_equation(r);
    return read_rigid(r);
}
