// nastran_loads.c - supports and loads of Nastran's bulk data, as far as they are chosen.
#include "read/nastran/nastran_parts.h"

#include <math.h>
#include <string.h>

// ---- supports -----------------------------------------------------------------------------------

static flx_status add_support(flx_nastran *r, int node, unsigned mask, double value)
{
    flx_support p = {.node = node, .loc = flx_nastran_place(r), .mask = mask};
    for (int c = 0; c < 6; c++) p.value[c] = value;
    FLX_TRY(flx_nastran_node_axes(r, node, &p.turned, p.axes));
    return flx_structure_add_support(r->s, &p);
}

// SPC1, SID, C, G1, G2, ...; SPC, SID, G1, C1, D1, G2, C2, D2; GRID, ..., PS.
flx_status flx_nastran_spc(flx_nastran *r)
{
    int id, node;
    unsigned mask;
    if (flx_nastran_is(r, "GRID")) {
        FLX_TRY(flx_nastran_node(r, 1, &node));
        for (int c = r->grid_held; flx_nastran_is_empty(r, 7) && c > 0; c /= 10) {
            if (c % 10 < 1 || c % 10 > 6) return REFUSE(r, "GRDSET holds components from 1 to 6");
            FLX_TRY(add_support(r, node, 1u << (c % 10 - 1), 0));
        }
        if (flx_nastran_is_empty(r, 7) || flx_nastran_field_is(r, 7, "0")) return FLX_OK;
        FLX_TRY(flx_nastran_mask(r, 7, &mask));
        return add_support(r, node, mask, 0);
    }
    FLX_TRY(flx_nastran_int(r, 1, "the number of a set", &id));
    if (flx_nastran_factor(r, 0, id) == 0) return FLX_OK;
    if (flx_nastran_is(r, "SPC1")) {
        int i = 3, n = 0, capacity = 0, *nodes = NULL;
        FLX_TRY(flx_nastran_mask(r, 2, &mask));
        flx_status status = flx_nastran_nodes(r, &i, &n, &nodes, &capacity);
        for (int k = 0; k < n && status == FLX_OK; k++) status = add_support(r, nodes[k], mask, 0);
        flx_free(nodes);
        return status;
    }
    for (int i = 2; i < r->n && !flx_nastran_is_empty(r, i); i += 3) {
        double value = 0;
        FLX_TRY(flx_nastran_node(r, i, &node));
        FLX_TRY(flx_nastran_mask(r, i + 1, &mask));
        FLX_TRY(flx_nastran_number(r, i + 2, "a displacement", &value));
        FLX_TRY(add_support(r, node, mask, value));
    }
    return FLX_OK;
}

// SPCD, SID, G1, C1, D1, ...: what supports prescribe, of a set of loads.
static flx_status read_moved(flx_nastran *r, double factor)
{
    for (int i = 2; i < r->n && !flx_nastran_is_empty(r, i); i += 3) {
        flx_nastran_moved m = {.line = r->line};
        FLX_TRY(flx_nastran_node(r, i, &m.node));
        FLX_TRY(flx_nastran_mask(r, i + 1, &m.mask));
        FLX_TRY(flx_nastran_number(r, i + 2, "a displacement", &m.value));
        m.value *= factor;
        FLX_SCAN_GROW(r, r->moved, r->moved_capacity, r->nmoved + 1);
        r->moved[r->nmoved++] = m;
    }
    return FLX_OK;
}

flx_status flx_nastran_move_supports(flx_nastran *r)
{
    for (int i = 0; i < r->nmoved; i++) {
        const flx_nastran_moved *m = r->moved + i;
        unsigned left = m->mask;
        for (int k = 0; k < r->s->nsupport; k++) {
            flx_support *p = r->s->supports + k;
            if (p->node != m->node) continue;
            for (int c = 0; c < 6; c++) {
                if (p->mask & m->mask & 1u << c) p->value[c] = m->value;
            }
            left &= ~p->mask;
        }
        r->line = m->line;
        if (left != 0) {
            return REFUSE(r, "SPCD moves node %d where no SPC holds it", r->s->label[m->node]);
        }
    }
    return FLX_OK;
}

// ---- forces -------------------------------------------------------------------------------------

static flx_status read_axes_vector(const flx_nastran *r, int axes, int at, const double *place,
                                   double v[3])
{
    int id = 0;
    FLX_TRY(flx_nastran_id(r, axes, "a coordinate system", &id));
    for (int c = 0; c < 3; c++) FLX_TRY(flx_nastran_number(r, at + c, "a direction", &v[c]));
    return flx_nastran_turn(r, id, place, v);
}

// FORCE, SID, G, CID, F, N1, N2, N3; FORCE1, SID, G, F, G1, G2; MOMENT and MOMENT1 alike.
static flx_status read_force(flx_nastran *r, double factor)
{
    flx_nodal_load l = {0};
    bool moment = flx_nastran_is(r, "MOMENT") || flx_nastran_is(r, "MOMENT1");
    bool along = flx_nastran_is(r, "FORCE1") || flx_nastran_is(r, "MOMENT1");
    double size = 0, v[3] = {0};
    FLX_TRY(flx_nastran_node(r, 2, &l.node));
    FLX_TRY(flx_nastran_number(r, along ? 3 : 4, "the size of the load", &size));
    if (along) {
        int ends[2];
        double length = 0;
        for (int i = 0; i < 2; i++) FLX_TRY(flx_nastran_node(r, 4 + i, &ends[i]));
        for (int c = 0; c < 3; c++) {
            v[c] = r->s->x[3 * (size_t)ends[1] + c] - r->s->x[3 * (size_t)ends[0] + c];
            length += v[c] * v[c];
        }
        if (!(length > 0)) return REFUSE(r, "both nodes of the direction are at one place");
        size /= sqrt(length);
    } else {
        FLX_TRY(read_axes_vector(r, 3, 5, r->s->x + 3 * (size_t)l.node, v));
    }
    for (int c = 0; c < 3; c++) l.force[moment ? 3 + c : c] = factor * size * v[c];
    return flx_structure_add_load(r->s, &l);
}

// GRAV, SID, CID, A, N1, N2, N3
static flx_status read_gravity(flx_nastran *r, double factor)
{
    double size = 0, v[3] = {0};
    const double origin[3] = {0, 0, 0};
    FLX_TRY(flx_nastran_number(r, 3, "an acceleration", &size));
    FLX_TRY(read_axes_vector(r, 2, 4, origin, v));
    for (int c = 0; c < 3; c++) r->s->gravity[c] += factor * size * v[c];
    return FLX_OK;
}

// RFORCE, SID, G, CID, A, R1, R2, R3: A revolutions per second about R through G.
static flx_status read_spin(flx_nastran *r, double factor)
{
    flx_body_load b = {.set = -1};
    double turns = 0;
    int node;
    if (!flx_nastran_is_empty(r, 2) && !flx_nastran_field_is(r, 2, "0")) {
        FLX_TRY(flx_nastran_node(r, 2, &node));
        memcpy(b.centre, r->s->x + 3 * (size_t)node, sizeof b.centre);
    }
    FLX_TRY(flx_nastran_number(r, 4, "revolutions per second", &turns));
    FLX_TRY(read_axes_vector(r, 3, 5, b.centre, b.axis));
    double length = sqrt(b.axis[0] * b.axis[0] + b.axis[1] * b.axis[1] + b.axis[2] * b.axis[2]);
    if (!(length > 0)) return REFUSE(r, "the axis of RFORCE has no length");
    for (int c = 0; c < 3; c++) b.axis[c] /= length;
    b.speed2 = factor * pow(2 * FLX_PI * turns * length, 2);
    return flx_structure_add_body_load(r->s, &b);
}

// ---- pressures ----------------------------------------------------------------------------------

static flx_status add_face(flx_nastran *r, int label, flx_cell cell, const int *nodes,
                           flx_pressure *p)
{
    const flx_element e = {
        .cell = cell, .label = label, .line = r->line, .material = -1, .section = -1};
    FLX_SCAN_GROW(r, r->element_property, r->element_capacity, r->s->nelement + 1);
    r->element_property[r->s->nelement] = 0;
    p->element = r->s->nelement;
    FLX_TRY(flx_structure_add_element(r->s, &e, nodes));
    return flx_structure_add_pressure(r->s, p);
}

// PLOAD, SID, P, G1, G2, G3, G4: along the normal of its nodes.
static flx_status read_pload(flx_nastran *r, double factor)
{
    flx_pressure p = {0};
    int nodes[4], n = flx_nastran_is_empty(r, 6) ? 3 : 4;
    FLX_TRY(flx_nastran_number(r, 2, "a pressure", &p.value));
    for (int i = 0; i < n; i++) FLX_TRY(flx_nastran_node(r, 3 + i, &nodes[i]));
    p.value *= -factor;
    return add_face(r, 0, n == 3 ? FLX_CELL_TRI3 : FLX_CELL_QUAD4, nodes, &p);
}

static bool has(const int *nodes, int n, int node)
{
    for (int i = 0; i < n; i++) {
        if (nodes[i] == node) return true;
    }
    return false;
}

// The face with the opposite corners a and b; of a tetrahedron the one with a, without b.
static flx_status find_face(const flx_nastran *r, int element, int a, int b, flx_cell *cell,
                            int *nodes)
{
    flx_cell of = r->s->elements[element].cell;
    bool tet = of == FLX_CELL_TET4 || of == FLX_CELL_TET10;
    int corners = tet ? 3 : 4;
    for (int face = 0; flx_structure_face(r->s, element, face, cell, nodes); face++) {
        if (has(nodes, corners, a) && (tet ? !has(nodes, corners, b) : has(nodes, corners, b))) {
            if (tet || (nodes[0] == a   ? nodes[2]
                        : nodes[1] == a ? nodes[3]
                        : nodes[2] == a ? nodes[0]
                                        : nodes[1]) == b)
                return FLX_OK;
        }
    }
    return REFUSE(r, "%.*s: element %d has no face with these nodes: %s", r->f[0].length,
                  r->f[0].text, r->s->elements[element].label,
                  tet ? "give a corner of the face, and the corner that is not on it"
                      : "give corners of the face that are opposite to each other");
}

// PLOAD4, SID, EID, P1, P2, P3, P4, G1, G34, CID, N1, N2, N3
static flx_status read_pload4(flx_nastran *r, double factor)
{
    flx_pressure p = {0};
    flx_cell cell;
    int id, nodes[FLX_CELL_NODES], a, b;
    double other;
    FLX_TRY(flx_nastran_int(r, 2, "an element", &id));
    FLX_TRY(flx_nastran_number(r, 3, "a pressure", &p.value));
    for (int i = 4; i < 7; i++) {
        other = p.value;
        FLX_TRY(flx_nastran_number(r, i, "a pressure", &other));
        if (other != p.value)
            return REFUSE(r, "PLOAD4: pressures are the same on a whole face here");
    }
    int element = flx_nastran_element(r, id);
    if (element < 0) return REFUSE(r, "PLOAD4: element %d is not in the file", id);
    if (flx_cells[r->s->elements[element].cell].dimension != 3) {
        return REFUSE(r, "PLOAD4 on element %d: faces of solids carry pressures here", id);
    }
    FLX_TRY(flx_nastran_node(r, 7, &a));
    FLX_TRY(flx_nastran_node(r, 8, &b));
    FLX_TRY(find_face(r, element, a, b, &cell, nodes));
    if (!flx_nastran_is_empty(r, 10) || !flx_nastran_is_empty(r, 11) ||
        !flx_nastran_is_empty(r, 12)) {
        const double *at = r->s->x + 3 * (size_t)a;
        FLX_TRY(read_axes_vector(r, 9, 10, at, p.vector));
        double length =
            sqrt(p.vector[0] * p.vector[0] + p.vector[1] * p.vector[1] + p.vector[2] * p.vector[2]);
        p.traction = length > 0;
        for (int c = 0; c < 3 && length > 0; c++) p.vector[c] *= factor * p.value / length;
    }
    p.value *= factor;
    return add_face(r, id, cell, nodes, &p);
}

// PLOAD1, SID, EID, TYPE, SCALE, X1, P1, X2, P2: the same force on the whole length of a beam.
static flx_status read_pload1(flx_nastran *r, double factor)
{
    flx_line_load l = {0};
    int id, axis = 0;
    double x[2] = {0, 0}, p[2] = {0, 0};
    static const char *const words[3] = {"FX", "FY", "FZ"};
    FLX_TRY(flx_nastran_int(r, 2, "an element", &id));
    while (axis < 3 && !flx_nastran_field_is(r, 3, words[axis])) axis++;
    bool parts = flx_nastran_field_is(r, 4, "FR");
    for (int i = 0; i < 2; i++) {
        FLX_TRY(flx_nastran_number(r, 5 + 2 * i, "a place along the beam", &x[i]));
        if (i == 1) p[1] = p[0];
        FLX_TRY(flx_nastran_number(r, 6 + 2 * i, "a force per length", &p[i]));
    }
    if (axis == 3 || !parts || x[0] != 0 || x[1] != 1 || p[0] != p[1]) {
        return REFUSE(r,
                      "PLOAD1: FX, FY or FZ, scaled by FR, from 0. to 1. and of one size is read");
    }
    l.element = flx_nastran_element(r, id);
    if (l.element < 0 || flx_cells[r->s->elements[l.element].cell].dimension != 1) {
        return REFUSE(r, "PLOAD1: element %d is no beam of the file", id);
    }
    l.force[axis] = factor * p[0];
    return flx_structure_add_line_load(r->s, &l);
}

flx_status flx_nastran_load(flx_nastran *r, bool *known)
{
    static const struct {
        const char *word;
        flx_status (*read)(flx_nastran *r, double factor);
    } cards[] = {{"FORCE", read_force},   {"MOMENT", read_force},  {"FORCE1", read_force},
                 {"MOMENT1", read_force}, {"GRAV", read_gravity},  {"RFORCE", read_spin},
                 {"PLOAD", read_pload},   {"PLOAD4", read_pload4}, {"PLOAD1", read_pload1},
                 {"SPCD", read_moved}};
    for (size_t i = 0; i < sizeof cards / sizeof cards[0]; i++) {
        int id;
        *known = flx_nastran_is(r, cards[i].word);
        if (!*known) continue;
        FLX_TRY(flx_nastran_int(r, 1, "the number of a set", &id));
        double factor = flx_nastran_factor(r, 1, id);
        return factor != 0 ? cards[i].read(r, factor) : FLX_OK;
    }
    return FLX_OK;
}
