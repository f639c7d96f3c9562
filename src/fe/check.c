// check.c - what is wrong with a mesh, element by element, before anything is computed.
#include "fe/fe_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static flx_status refuse(const flx_fe *fe, const flx_element *e, const char *what)
{
    return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, flx_structure_loc(fe->s, e->line),
                    "element %d (%s, %s) %s", e->label, flx_cells[e->cell].word,
                    flx_family_words[e->family], what);
}

static bool is_line(const flx_element *e)
{
    return e->family == FLX_FAMILY_BEAM || e->family == FLX_FAMILY_TRUSS;
}

static flx_status check_shape(const flx_fe *fe, const flx_element *e)
{
    int d = flx_cells[e->cell].dimension, plane = fe->s->dimension == 2;
    switch (e->family) {
    case FLX_FAMILY_SOLID:
        if (d != 3) return refuse(fe, e, "is no solid: solids are tetrahedra and hexahedra");
        return plane ? refuse(fe, e, "has no place in the plane: say dimension: 3") : FLX_OK;
    case FLX_FAMILY_PLANE_STRESS:
    case FLX_FAMILY_PLANE_STRAIN:
        if (d != 2) return refuse(fe, e, "is not plane: take triangles or quadrilaterals");
        return plane ? FLX_OK : refuse(fe, e, "needs the plane: say dimension: 2");
    case FLX_FAMILY_BEAM:
    case FLX_FAMILY_TRUSS:
        return e->cell == FLX_CELL_LINE2 ? FLX_OK : refuse(fe, e, "needs lines with two nodes");
    case FLX_FAMILY_NONE:
    case FLX_FAMILY_COUNT:
        break;
    }
    return FLX_OK;
}

static flx_status check_data(const flx_fe *fe, const flx_element *e)
{
    const flx_section *c = e->section >= 0 ? fe->s->sections + e->section : NULL;
    bool line = is_line(e);
    // of a deck without the property there is the direction alone
    bool empty = c && !c->sized && c->EA == 0 && c->EIy == 0 && c->EIz == 0;
    if (line && (!c || (empty && e->family == FLX_FAMILY_BEAM))) {
        return refuse(fe, e, "has no section");
    }
    if (e->material < 0 && !(line && c && !c->sized)) return refuse(fe, e, "has no material");
    if (!line && e->family != FLX_FAMILY_SOLID && !(c && c->thickness > 0)) {
        return refuse(fe, e, "has no thickness: give its section one");
    }
    return FLX_OK;
}

static flx_status check_nodes(const flx_fe *fe, int element)
{
    const flx_element *e = fe->s->elements + element;
    const int *nodes = flx_element_nodes(fe->s, element);
    for (int a = 0; a < flx_cells[e->cell].nodes; a++) {
        for (int b = 0; b < a; b++) {
            if (nodes[a] != nodes[b]) continue;
            return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, flx_structure_loc(fe->s, e->line),
                            "element %d (%s) has node %d twice", e->label, flx_cells[e->cell].word,
                            fe->s->label[nodes[a]]);
        }
        if (fe->s->dimension == 2 && fe->s->x[3 * (size_t)nodes[a] + 2] != 0) {
            return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, flx_structure_loc(fe->s, e->line),
                            "node %d of element %d is not in the plane: its z is %g",
                            fe->s->label[nodes[a]], e->label, fe->s->x[3 * (size_t)nodes[a] + 2]);
        }
    }
    return FLX_OK;
}

// ---- elements that are there twice --------------------------------------------------------------

typedef struct signature { // same cell, same nodes in any order: same sum, and then compared
    uint64_t key;
    int element;
} signature;

static uint64_t mix(uint64_t h)
{
    h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
    return h ^ h >> 29;
}

static int compare_signatures(const void *a_, const void *b_)
{
    const signature *a = a_, *b = b_;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->element > b->element) - (a->element < b->element);
}

static bool same_nodes(const flx_structure *s, int a, int b)
{
    const int *p = flx_element_nodes(s, a), *q = flx_element_nodes(s, b);
    int n = flx_cells[s->elements[a].cell].nodes;
    if (s->elements[a].cell != s->elements[b].cell) return false;
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < n && q[k] != p[i]) k++;
        if (k == n) return false;
    }
    return true;
}

static flx_status check_twice(const flx_fe *fe)
{
    const flx_structure *s = fe->s;
    signature *all = flx_alloc(fe->ctx, (size_t)s->nelement, sizeof *all);
    flx_status status = FLX_OK;
    int count = 0;
    if (!all) return FLX_ERR_MEMORY;
    for (int i = 0; i < s->nelement; i++) {
        const int *nodes = flx_element_nodes(s, i);
        if (s->elements[i].family == FLX_FAMILY_NONE) continue;
        uint64_t key = s->elements[i].cell;
        for (int a = 0; a < flx_cells[s->elements[i].cell].nodes; a++) {
            key += mix((uint64_t)nodes[a] + 1);
        }
        all[count++] = (signature){key, i};
    }
    qsort(all, (size_t)count, sizeof *all, compare_signatures);
    for (int i = 1; i < count; i++) {
        if (all[i].key != all[i - 1].key) continue;
        int a = all[i - 1].element, b = all[i].element;
        if (!same_nodes(s, a, b)) continue;
        status = FLX_FAIL(fe->ctx, FLX_ERR_MODEL, flx_structure_loc(s, s->elements[b].line),
                          "element %d (%s) has the same nodes as element %d: one of them is too "
                          "many",
                          s->elements[b].label, flx_cells[s->elements[b].cell].word,
                          s->elements[a].label);
        if (flx_ctx_error_count(fe->ctx) >= FLX_MAX_ERRORS) break;
    }
    flx_free(all);
    return status;
}

// ---- parts that nothing connects ----------------------------------------------------------------

static int root_of(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void join(int *parent, int a, int b)
{
    int p = root_of(parent, a), q = root_of(parent, b);
    if (p < q) {
        parent[q] = p;
    } else {
        parent[p] = q;
    }
}

static void join_all(const flx_fe *fe, int *parent, bool *used)
{
    const flx_structure *s = fe->s;
    int n = flx_fe_block_count(fe);
    for (int i = 0; i < s->nnode; i++) parent[i] = i;
    for (int b = 0; b < n; b++) {
        const int *nodes;
        int m = flx_fe_block_nodes(fe, b, &nodes);
        for (int a = 0; a < m; a++) {
            used[nodes[a]] = true;
            join(parent, nodes[0], nodes[a]);
        }
    }
    for (int i = 0; i < s->nlink; i++) {
        for (int a = 0; a < s->links[i].nnode; a++) {
            join(parent, s->links[i].reference, s->links[i].nodes[a]);
        }
    }
}

static flx_status check_connected(const flx_fe *fe)
{
    const flx_structure *s = fe->s;
    size_t n = (size_t)s->nnode;
    int *parent = flx_alloc(fe->ctx, n, sizeof *parent), parts = 0, first = -1, other = -1;
    bool *used = flx_alloc(fe->ctx, n, sizeof *used);
    if (parent && used) {
        join_all(fe, parent, used);
        for (int i = 0; i < s->nnode; i++) {
            if (!used[i] || root_of(parent, i) != i) continue;
            if (parts++ == 0) first = i;
            if (parts == 2) other = i;
        }
        if (parts > 1) {
            flx_ctx_warn(fe->ctx, flx_structure_loc(s, s->node_line[other]),
                         "the structure falls into %d parts that nothing connects: node %d is not "
                         "in the part of node %d; were nodes to be merged?",
                         parts, s->label[other], s->label[first]);
        }
    }
    flx_status status = parent && used ? FLX_OK : FLX_ERR_MEMORY;
    flx_free(parent);
    flx_free(used);
    return status;
}

// ---- materials and sections of mesh files -------------------------------------------------------

// Poisson's ratio of lines gives their shear modulus alone; of solids 1/2 makes them incompressible.
static flx_status check_material(const flx_fe *fe, const flx_element *e)
{
    const flx_material *m = fe->s->materials + e->material;
    if (!(m->E > 0)) {
        return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, m->loc,
                        "the material of element %d: Young's modulus must be positive, not %g",
                        e->label, m->E);
    }
    if (!(m->density >= 0)) {
        return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, m->loc,
                        "the material of element %d: the density is negative: %g", e->label,
                        m->density);
    }
    if (m->nu > -1 && (m->nu < 0.5 || is_line(e))) return FLX_OK;
    return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, m->loc,
                    "the material of element %d: Poisson's ratio is %g: it lies between -1 and 0.5",
                    e->label, m->nu);
}

static flx_status check_section(const flx_fe *fe, const flx_element *e)
{
    const flx_section *c = fe->s->sections + e->section;
    if (c->A >= 0 && c->Iy >= 0 && c->Iz >= 0 && c->J >= 0) return FLX_OK;
    return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, c->loc,
                    "the section of element %d: its area %g and its second moments %g, %g, %g "
                    "cannot be negative",
                    e->label, c->A, c->Iy, c->Iz, c->J);
}

flx_status flx_fe_check(const flx_fe *fe)
{
    flx_status status = FLX_OK;
    // once for all: the first element of a wrong material stands for the others
    for (int i = 0; i < fe->s->nelement; i++) {
        const flx_element *e = fe->s->elements + i;
        if (e->family == FLX_FAMILY_NONE) continue;
        bool given = is_line(e) && e->section >= 0 && !fe->s->sections[e->section].sized;
        if (e->material >= 0 && !given) FLX_TRY(check_material(fe, e));
        if (is_line(e) && e->section >= 0) FLX_TRY(check_section(fe, e));
    }
    for (int i = 0; i < fe->s->nelement; i++) {
        const flx_element *e = fe->s->elements + i;
        if (e->family == FLX_FAMILY_NONE) continue;
        flx_status one = check_shape(fe, e);
        if (one == FLX_OK) one = check_data(fe, e);
        if (one == FLX_OK) one = check_nodes(fe, i);
        if (one != FLX_OK) status = one;
        if (flx_ctx_error_count(fe->ctx) >= FLX_MAX_ERRORS) break;
    }
    if (status == FLX_OK) status = check_twice(fe);
    if (status == FLX_OK) status = check_connected(fe);
    return status;
}

// ---- units --------------------------------------------------------------------------------------

bool flx_fe_has_mechanics(const flx_fe *fe, int node)
{
    for (size_t c = 0; c < 6; c++) {
        if (fe->dof[6 * (size_t)node + c] != FLX_DOF_NONE) return true;
    }
    return false;
}

// Metres, kilograms, seconds are expected; another choice shows in the size and in the speed of sound.
void flx_fe_warn_of_units(const flx_fe *fe, flx_loc loc)
{
    const flx_structure *s = fe->s;
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    double size = 0;
    for (int i = 0; i < s->nnode; i++) {
        for (int c = 0; c < 3 && flx_fe_has_mechanics(fe, i); c++) {
            low[c] = fmin(low[c], s->x[3 * (size_t)i + c]);
            high[c] = fmax(high[c], s->x[3 * (size_t)i + c]);
        }
    }
    for (int c = 0; c < 3; c++) size = fmax(size, high[c] - low[c]);
    if (size > FLX_LARGE_MESH) {
        flx_ctx_warn(fe->ctx, s->named.line > 0 ? s->named : loc,
                     "it is %.3g m long and has %.3g kg: are its lengths in mm? They are expected "
                     "in m; of a mesh in mm write 'scale: 0.001' beside 'mesh'",
                     size, fe->mass);
    }
    for (int i = 0; i < s->nelement; i++) {
        const flx_element *e = s->elements + i;
        if (e->family == FLX_FAMILY_NONE || e->material < 0) continue;
        const flx_material *m = s->materials + e->material;
        double speed = m->density > 0 ? sqrt(m->E / m->density) : 1000;
        if (m->loc.file != s->file || (speed > 10 && speed < 3e4))
            continue; // the model's: told before
        flx_ctx_warn(fe->ctx, m->loc,
                     "sound would travel at %.3g m/s in this material: E is expected in Pa, the "
                     "density in kg/m^3",
                     speed);
        return;
    }
}
