// loads.c - forces at nodes: given ones, pressures on faces, forces along beams, accelerations of the whole or of
// sets.
//
//     F_e = M_e a,  a = g + w^2 (r - n n.r),  r = x - centre                                     (FE-22)
// a is linear in x, so that elements whose places are interpolated as their displacements have it exactly.
#include "fe/fe_parts.h"
#include "math/small.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_ints(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

// Sets are ascending. A mass at a node is in a set where the file has it as an element.
static bool acts_on(const flx_structure *s, const flx_body_load *l, int block)
{
    if (l->set < 0) return true;
    const flx_mesh_set *set = s->sets + l->set;
    int first = s->nelement + s->nspring;
    if (block >= first && block < first + s->nmass) block = s->masses[block - first].element - 1;
    return set->nelement > 0 &&
           bsearch(&block, set->elements, (size_t)set->nelement, sizeof(int), compare_ints);
}

void flx_fe_accelerations(const flx_fe *fe, int block, const int *nodes,
                          const flx_element_matrices *m, double *a)
{
    const flx_structure *s = fe->s;
    bool beam = block < s->nelement && s->elements[block].family == FLX_FAMILY_BEAM;
    for (int i = 0; i < m->n; i++) a[i] = m->comp[i] < 3 ? s->gravity[m->comp[i]] : 0;
    for (int k = 0; k < s->nbody; k++) {
        const flx_body_load *l = s->bodies + k;
        if (!acts_on(s, l, block)) continue;
        v3 n = v3_load(l->axis), turn = {0, 0, 0};
        if (beam) { // the slope of a along the beam is a turn of its sections
            v3 e =
                v3_sub(v3_load(s->x + 3 * (size_t)nodes[1]), v3_load(s->x + 3 * (size_t)nodes[0]));
            turn = v3_scale(-l->speed2 * v3_dot(n, e) / v3_dot(e, e), v3_cross(e, n));
        }
        for (int i = 0; i < m->n; i++) {
            v3 r = v3_sub(v3_load(s->x + 3 * (size_t)nodes[m->node[i]]), v3_load(l->centre));
            double v[6];
            v3_store(v, v3_scale(l->speed2, v3_axpy(-v3_dot(n, r), n, r)));
            v3_store(v + 3, turn);
            a[i] += v[m->comp[i]] + (m->comp[i] < 3 ? l->gravity[m->comp[i]] : 0);
        }
    }
}

// ---- pressures ----------------------------------------------------------------------------------

static bool has_node(const flx_structure *s, int element, int node)
{
    const int *nodes = flx_element_nodes(s, element);
    for (int a = 0; a < flx_cells[s->elements[element].cell].nodes; a++) {
        if (nodes[a] == node) return true;
    }
    return false;
}

// Thickness of the plane element at a loaded edge, given the elements at each node.
static double find_thickness(const flx_structure *s, const int *edge, const int *first,
                             const int *list)
{
    for (int k = first[edge[0]]; k < first[edge[0] + 1]; k++) {
        const flx_element *e = s->elements + list[k];
        if (has_node(s, list[k], edge[1])) return s->sections[e->section].thickness;
    }
    return 1;
}

static bool is_plate(const flx_element *e)
{
    return (e->family == FLX_FAMILY_PLANE_STRESS || e->family == FLX_FAMILY_PLANE_STRAIN) &&
           e->section >= 0;
}

flx_status flx_fe_find_edges(flx_fe *fe)
{
    const flx_structure *s = fe->s;
    if (s->dimension != 2 || s->npressure == 0) return FLX_OK;
    size_t n = (size_t)s->nnode;
    int *first = flx_alloc(fe->ctx, n + 2, sizeof *first);
    int *list = flx_alloc(fe->ctx, (size_t)s->nnodes + 1, sizeof *list);
    fe->edge = flx_alloc(fe->ctx, (size_t)s->npressure, sizeof *fe->edge);
    flx_status status = first && list && fe->edge ? FLX_OK : FLX_ERR_MEMORY;
    for (int pass = 0; pass < 2 && status == FLX_OK; pass++) { // counted, then listed
        for (int i = 0; i < s->nelement; i++) {
            const int *nodes = flx_element_nodes(s, i);
            for (int a = 0; a < flx_cells[s->elements[i].cell].nodes && is_plate(s->elements + i);
                 a++) {
                if (pass == 0) {
                    first[nodes[a] + 2]++;
                } else {
                    list[first[nodes[a] + 1]++] = i;
                }
            }
        }
        for (size_t i = 2; i < n + 2 && pass == 0; i++) first[i] += first[i - 1];
    }
    for (int i = 0; i < s->npressure && status == FLX_OK; i++) {
        fe->edge[i] = find_thickness(s, flx_element_nodes(s, s->pressures[i].element), first, list);
    }
    flx_free(first);
    flx_free(list);
    return status;
}

// Pressures and tractions on boundary elements: F_a = integral of N_a t, t = -p n.
static void add_pressure(const flx_fe *fe, const flx_pressure *p, double thickness, double *F)
{
    const flx_element *e = fe->s->elements + p->element;
    const int *nodes = flx_element_nodes(fe->s, p->element);
    flx_shape_table t;
    double x[3 * FLX_CELL_NODES];
    flx_fe_places(fe, p->element, x);
    flx_shape_fill(e->cell, FLX_RULE_MASS, &t);
    for (int k = 0; k < t.points; k++) {
        double a[2][3] = {{0}, {0}}, n[3] = {0}, force[3];
        for (int q = 0; q < t.dimension; q++) {
            for (int i = 0; i < t.nodes; i++) {
                for (int c = 0; c < 3; c++) a[q][c] += x[3 * i + c] * t.dN[k][i][q];
            }
        }
        if (t.dimension ==
            2) { // area vector; of a line in the plane: to the right of its direction
            for (int c = 0; c < 3; c++) {
                int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
                n[c] = a[0][c1] * a[1][c2] - a[0][c2] * a[1][c1];
            }
        } else {
            n[0] = a[0][1];
            n[1] = -a[0][0];
        }
        double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int c = 0; c < 3; c++) {
            force[c] =
                thickness * t.weight[k] * (p->traction ? p->vector[c] * area : -p->value * n[c]);
        }
        for (int i = 0; i < t.nodes; i++) {
            for (int c = 0; c < 3; c++) F[6 * (size_t)nodes[i] + c] += t.N[k][i] * force[c];
        }
    }
}

// q a length: the forces of the functions (FE-9), which a mass 1 a length with the acceleration q has.
void flx_fe_line_forces(const flx_fe *fe, const flx_line_load *l, flx_element_matrices *m,
                        double f[12])
{
    const flx_element *e = fe->s->elements + l->element;
    double x[3 * FLX_CELL_NODES];
    flx_beam_law law;
    flx_section own = fe->s->sections[e->section];
    own.along = NULL; // its mass is 1 all along
    flx_fe_law(fe, e, &law);
    law.mass = 1;
    law.Ix = law.Iy = law.Iz = 0;
    flx_fe_places(fe, l->element, x);
    flx_status status = e->family == FLX_FAMILY_BEAM
                            ? flx_beam_eval(&law, x, &own, NULL, fe->s->dimension, m)
                            : flx_truss_eval(law.EA, 1, x, fe->s->dimension, m);
    memset(f, 0, 12 * sizeof *f);
    for (int i = 0; i < m->n && status == FLX_OK; i++) { // a broken one is refused elsewhere
        for (int j = 0; j < m->n; j++) {
            if (m->comp[j] >= 3) continue;
            f[6 * m->node[i] + m->comp[i]] += m->M[i * m->n + j] * l->force[m->comp[j]];
        }
    }
}

static void add_line(const flx_fe *fe, const flx_line_load *l, flx_element_matrices *m, double *F)
{
    const int *nodes = flx_element_nodes(fe->s, l->element);
    double f[12];
    flx_fe_line_forces(fe, l, m, f);
    for (int i = 0; i < 12; i++) F[6 * (size_t)nodes[i / 6] + i % 6] += f[i];
}

void flx_fe_nodal_loads(const flx_fe *fe, int history, double *F)
{
    for (int i = 0; i < fe->s->nload; i++) {
        const flx_nodal_load *l = fe->s->loads + i;
        if (history > 0 && l->history != history) continue;
        for (int c = 0; c < 6; c++) F[6 * (size_t)l->node + c] += l->force[c];
    }
    for (int i = 0; i < fe->s->npressure; i++) {
        const flx_pressure *p = fe->s->pressures + i;
        if (history == 0 || p->history == history)
            add_pressure(fe, p, fe->edge ? fe->edge[i] : 1, F);
    }
    flx_element_matrices m;
    for (int i = 0; i < fe->s->nline; i++) {
        const flx_line_load *l = fe->s->lines + i;
        if (history == 0 || l->history == history) add_line(fe, l, &m, F);
    }
}

// ---- loads that nothing takes -------------------------------------------------------------------

void flx_fe_warn_of_lost_loads(const flx_fe *fe)
{
    const flx_structure *s = fe->s;
    for (int i = 0; i < s->nload; i++) {
        const flx_nodal_load *l = s->loads + i;
        for (int c = 0; c < 6; c++) {
            if (l->force[c] == 0 || fe->dof[6 * (size_t)l->node + c] != FLX_DOF_NONE) continue;
            bool reached = flx_fe_has_mechanics(fe, l->node);
            flx_ctx_warn(
                fe->ctx, flx_structure_loc(s, s->node_line[l->node]),
                "the %s on node %d does nothing: %s", c < 3 ? "force" : "moment", s->label[l->node],
                !reached ? "no element reaches it"
                : c < 3  ? "nothing moves in that direction"
                         : "its elements take no moments; join it by a rigid link to some of "
                           "their nodes");
            return;
        }
    }
}
