// assemble.c - K, M and the loads of the structure from the matrices of its elements.
//
//     K = sum T_e^T K_e T_e,  f = sum T_e^T (F_e - K_e u0_e),  gravity F_e = M_e g              (FE-17)
// Blocks are elements, then springs, then point masses, then pairs of nodes of given matrices. Links and supports are in T_e.
#include "fe/fe_parts.h"

#include <math.h>
#include <string.h>

int flx_fe_block_count(const flx_fe *fe)
{
    return fe->s->nelement + fe->s->nspring + fe->s->nmass + fe->s->npair;
}

int flx_fe_block_nodes(const flx_fe *fe, int block, const int **nodes)
{
    const flx_structure *s = fe->s;
    if (block < s->nelement) {
        *nodes = flx_element_nodes(s, block);
        return s->elements[block].family == FLX_FAMILY_NONE
                   ? 0
                   : flx_cells[s->elements[block].cell].nodes;
    }
    block -= s->nelement;
    if (block < s->nspring) {
        *nodes = s->springs[block].node;
        return s->springs[block].node[1] < 0 ? 1 : 2;
    }
    block -= s->nspring;
    if (block < s->nmass) {
        *nodes = &s->masses[block].node;
        return 1;
    }
    *nodes = s->pair[block - s->nmass];
    return (*nodes)[0] == (*nodes)[1] ? 1 : 2;
}

// ---- matrices of one block ----------------------------------------------------------------------

void flx_fe_hooke(const flx_fe *fe, const flx_element *e, flx_hooke *c)
{
    const flx_material *m = fe->s->materials + e->material;
    double t = e->family != FLX_FAMILY_SOLID && e->section >= 0
                   ? fe->s->sections[e->section].thickness
                   : 1;
    c->mu = m->E / (2 * (1 + m->nu));
    c->lambda = e->family == FLX_FAMILY_PLANE_STRESS ? m->E * m->nu / (1 - m->nu * m->nu)
                                                     : 2 * c->mu * m->nu / (1 - 2 * m->nu);
    c->thickness = t;
    c->density = m->density * t;
    c->incompatible = e->incompatible;
}

void flx_fe_places(const flx_fe *fe, int element, double *x)
{
    const int *nodes = flx_element_nodes(fe->s, element);
    for (int a = 0; a < flx_cells[fe->s->elements[element].cell].nodes; a++) {
        memcpy(x + 3 * a, fe->s->x + 3 * (size_t)nodes[a], 3 * sizeof *x);
    }
}

void flx_fe_law(const flx_fe *fe, const flx_element *e, flx_beam_law *law)
{
    flx_section_law(fe->s->sections + e->section,
                    e->material >= 0 ? fe->s->materials + e->material : NULL, law);
}

static flx_status eval_element(const flx_fe *fe, int element, flx_element_matrices *out)
{
    const flx_element *e = fe->s->elements + element;
    double x[3 * FLX_CELL_NODES];
    flx_hooke c;
    flx_beam_law law;
    flx_fe_places(fe, element, x);
    switch (e->family) {
    case FLX_FAMILY_SOLID:
    case FLX_FAMILY_PLANE_STRESS:
    case FLX_FAMILY_PLANE_STRAIN:
        flx_fe_hooke(fe, e, &c);
        return flx_continuum_eval(fe->tables[e->cell], &c, x, out);
    case FLX_FAMILY_BEAM:
        flx_fe_law(fe, e, &law);
        return flx_beam_eval(&law, x, fe->s->sections + e->section,
                             e->material >= 0 ? fe->s->materials + e->material : NULL,
                             fe->s->dimension, out);
    case FLX_FAMILY_TRUSS:
        flx_fe_law(fe, e, &law);
        return flx_truss_eval(law.EA, law.mass, x, fe->s->dimension, out);
    case FLX_FAMILY_NONE:
    case FLX_FAMILY_COUNT:
        break;
    }
    out->n = 0;
    return FLX_OK;
}

void flx_fe_spring(const flx_fe *fe, const flx_spring_element *k, flx_element_matrices *out)
{
    flx_element_components(fe->s->dimension, k->node[1] < 0 ? 1 : 2, out);
    for (int i = 0; i < out->n; i++) {
        for (int j = 0; j < out->n; j++) {
            if (out->comp[i] != out->comp[j]) continue;
            double sign = out->node[i] == out->node[j] ? 1 : -1;
            out->K[i * out->n + j] = sign * k->stiffness[out->comp[i]];
        }
    }
}

static void eval_mass(const flx_fe *fe, const flx_point_mass *m, flx_element_matrices *out)
{
    static const int entry[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
    flx_element_components(fe->s->dimension, 1, out);
    for (int i = 0; i < out->n; i++) {
        for (int j = 0; j < out->n; j++) {
            int a = out->comp[i], b = out->comp[j];
            if (a < 3 && a == b) out->M[i * out->n + j] = m->mass;
            if (a >= 3 && b >= 3) out->M[i * out->n + j] = m->inertia[entry[a - 3][b - 3]];
        }
    }
}

// What the given matrices have between two nodes, or within one.
static void eval_pair(const flx_fe *fe, const int pair[2], flx_element_matrices *out)
{
    const flx_structure *s = fe->s;
    int w = s->width, ends = pair[0] == pair[1] ? 1 : 2, n = ends * w;
    memset(out->K, 0, (size_t)(n * n) * sizeof *out->K);
    memset(out->M, 0, (size_t)(n * n) * sizeof *out->M);
    out->n = n;
    for (int i = 0; i < n; i++) {
        out->node[i] = i / w;
        out->comp[i] = flx_structure_component(s, i % w);
        for (int j = 0; j < n; j++) {
            if (ends == 2 && i / w == j / w) continue; // those within a node are another block
            int row = pair[i / w] * w + i % w, column = pair[j / w] * w + j % w;
            out->K[i * n + j] = flx_symmetric_get(&s->K, row, column);
            out->M[i * n + j] = flx_symmetric_get(&s->M, row, column);
        }
    }
}

flx_status flx_fe_matrices(const flx_fe *fe, int block, flx_element_matrices *out)
{
    const flx_structure *s = fe->s;
    int pairs = s->nelement + s->nspring + s->nmass;
    if (block < s->nelement) {
        FLX_TRY(eval_element(fe, block, out));
        if (fe->options.lumped) flx_element_lump(out);
    } else if (block < s->nelement + s->nspring) {
        flx_fe_spring(fe, s->springs + (block - s->nelement), out);
    } else if (block < pairs) {
        eval_mass(fe, s->masses + (block - s->nelement - s->nspring), out);
    } else {
        eval_pair(fe, s->pair[block - pairs], out);
    }
    return FLX_OK;
}

// ---- pattern ------------------------------------------------------------------------------------

// Unknowns of every block, each once. list NULL: count them.
static void list_unknowns(const flx_fe *fe, int *mark, int64_t *first, int *list)
{
    int64_t count = 0;
    int n = flx_fe_block_count(fe);
    for (int b = 0; b < n; b++) {
        const int *nodes, *unknown = NULL;
        const double *weight;
        double constant;
        int m = flx_fe_block_nodes(fe, b, &nodes);
        first[b] = count;
        for (int a = 0; a < m; a++) {
            for (int c = 0; c < 6; c++) {
                int terms = flx_fe_terms(fe, nodes[a], c, &unknown, &weight, &constant);
                for (int k = 0; k < terms; k++) {
                    if (mark[unknown[k]] == b + 1) continue;
                    mark[unknown[k]] = b + 1;
                    if (list) list[count] = unknown[k];
                    count++;
                }
            }
        }
    }
    first[n] = count;
}

static flx_status make_pattern(flx_fe *fe)
{
    size_t nblock = (size_t)flx_fe_block_count(fe);
    int *mark = flx_alloc(fe->ctx, (size_t)fe->n, sizeof *mark), *list = NULL;
    int64_t *first = flx_alloc(fe->ctx, nblock + 1, sizeof *first);
    flx_status status = mark && first ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        list_unknowns(fe, mark, first, NULL);
        list = flx_alloc(fe->ctx, (size_t)first[nblock], sizeof *list);
        if (!list) status = FLX_ERR_MEMORY;
    }
    if (status == FLX_OK) {
        memset(mark, 0, (size_t)fe->n * sizeof *mark);
        list_unknowns(fe, mark, first, list);
        status = flx_symmetric_init(fe->ctx, fe->n, (int)nblock, first, list, &fe->K);
    }
    if (status == FLX_OK) status = flx_symmetric_init_like(fe->ctx, &fe->K, &fe->M);
    flx_free(mark);
    flx_free(first);
    flx_free(list);
    return status;
}

// ---- sums ---------------------------------------------------------------------------------------

// A += T^T E T for a matrix E of a block.
void flx_fe_scatter(const flx_fe *fe, const int *nodes, const flx_element_matrices *m,
                    const double *E, flx_symmetric *A)
{
    const int *ui = NULL, *uj = NULL;
    const double *wi, *wj;
    double constant;
    for (int i = 0; i < m->n; i++) {
        int ni = flx_fe_terms(fe, nodes[m->node[i]], m->comp[i], &ui, &wi, &constant);
        for (int j = 0; j < m->n && ni > 0; j++) {
            double value = E[i * m->n + j];
            if (value == 0) continue;
            int nj = flx_fe_terms(fe, nodes[m->node[j]], m->comp[j], &uj, &wj, &constant);
            for (int p = 0; p < ni; p++) {
                for (int q = 0; q < nj; q++) {
                    if (ui[p] < uj[q]) continue;
                    flx_symmetric_add(A, ui[p], uj[q], wi[p] * wj[q] * value);
                }
            }
        }
    }
}

// Gravity at the nodes of a block, less what prescribed displacements cost.
static void add_block_loads(flx_fe *fe, int block, const int *nodes, const flx_element_matrices *m,
                            double *F)
{
    const int *unknown;
    const double *weight;
    double a[FLX_ELEMENT_DOFS];
    flx_fe_accelerations(fe, block, nodes, m, a);
    for (int i = 0; i < m->n; i++) {
        double sum = 0, constant;
        for (int j = 0; j < m->n; j++) {
            sum += m->M[i * m->n + j] * a[j];
            flx_fe_terms(fe, nodes[m->node[j]], m->comp[j], &unknown, &weight, &constant);
            if (constant != 0) sum -= m->K[i * m->n + j] * constant;
        }
        F[6 * (size_t)nodes[m->node[i]] + m->comp[i]] += sum;
    }
}

// Component (node, comp) of the rigid motion k about the origin.
static double rigid_motion(const double *x, const double *about, int comp, int k)
{
    if (k < 3) return comp == k;
    if (comp >= 3) return comp == k;
    int axis = k - 3; // e_axis x r
    double r[3] = {x[0] - about[0], x[1] - about[1], x[2] - about[2]};
    if (comp == axis) return 0;
    return (comp == (axis + 1) % 3) ? -r[(axis + 2) % 3] : r[(axis + 1) % 3];
}

// G += R^T M R over the rigid motions R about the origin.
static void add_rigid_mass(const flx_fe *fe, const int *nodes, const flx_element_matrices *m,
                           double G[6][6])
{
    static const double origin[3] = {0, 0, 0};
    double R[FLX_ELEMENT_DOFS][6];
    for (int i = 0; i < m->n; i++) {
        for (int k = 0; k < 6; k++) {
            R[i][k] = rigid_motion(fe->s->x + 3 * (size_t)nodes[m->node[i]], origin, m->comp[i], k);
        }
    }
    for (int i = 0; i < m->n; i++) {
        double MR[6] = {0};
        for (int j = 0; j < m->n; j++) {
            double value = m->M[i * m->n + j];
            for (int k = 0; k < 6 && value != 0; k++) MR[k] += value * R[j][k];
        }
        for (int a = 0; a < 6; a++) {
            for (int k = 0; k < 6; k++) G[a][k] += R[i][a] * MR[k];
        }
    }
}

// Mass, centre and inertia from G = [m I, m c~^T; m c~, J]; in the plane only x, y and rotation z.
static void find_whole(flx_fe *fe, double G[6][6])
{
    double *c = fe->com, *J = fe->inertia, m = G[0][0];
    fe->mass = m;
    if (!(m > 0)) return;
    c[0] = G[1][5] / m;
    c[1] = -G[0][5] / m;
    c[2] = fe->s->dimension == 2 ? 0 : G[0][4] / m;
    J[0] = G[3][3] - m * (c[1] * c[1] + c[2] * c[2]);
    J[1] = G[4][4] - m * (c[0] * c[0] + c[2] * c[2]);
    J[2] = G[5][5] - m * (c[0] * c[0] + c[1] * c[1]);
    J[3] = G[3][4] + m * c[0] * c[1];
    J[4] = G[4][5] + m * c[1] * c[2];
    J[5] = G[3][5] + m * c[0] * c[2];
    if (fe->s->dimension == 2) J[0] = J[1] = J[3] = J[4] = J[5] = 0;
}

static flx_status make_tables(flx_fe *fe)
{
    for (int i = 0; i < fe->s->nelement; i++) {
        flx_cell cell = fe->s->elements[i].cell;
        if (fe->tables[cell] || fe->s->elements[i].family == FLX_FAMILY_NONE) continue;
        fe->tables[cell] = flx_alloc(fe->ctx, 1, sizeof *fe->tables[cell]);
        if (!fe->tables[cell]) return FLX_ERR_MEMORY;
        flx_shape_fill(cell, FLX_RULE_STIFFNESS, &fe->tables[cell]->stiffness);
        flx_shape_fill(cell, FLX_RULE_MASS, &fe->tables[cell]->mass);
        flx_shape_fill_nodes(cell, &fe->tables[cell]->nodes);
    }
    return FLX_OK;
}

static flx_status refuse_inverted(const flx_fe *fe, int element)
{
    const flx_element *e = fe->s->elements + element;
    bool line = flx_cells[e->cell].dimension == 1;
    return FLX_FAIL(fe->ctx, FLX_ERR_MODEL, flx_structure_loc(fe->s, e->line), "element %d (%s) %s",
                    e->label, flx_cells[e->cell].word,
                    line ? "has no length, or lies along the direction that orients its section"
                         : "is inverted or flat: its volume is not positive at an integration "
                           "point; check the order of its nodes");
}

// All blocks into K, M, F; every broken element is named.
static flx_status sum_blocks(flx_fe *fe, double *F, flx_element_matrices *m)
{
    double G[6][6] = {{0}};
    flx_status status = FLX_OK;
    int n = flx_fe_block_count(fe);
    for (int b = 0; b < n; b++) {
        const int *nodes;
        if (flx_fe_block_nodes(fe, b, &nodes) == 0) continue;
        flx_status one = flx_fe_matrices(fe, b, m);
        if (one == FLX_SINGULAR) {
            status = refuse_inverted(fe, b);
            if (flx_ctx_error_count(fe->ctx) >= FLX_MAX_ERRORS) break;
            continue;
        }
        flx_fe_scatter(fe, nodes, m, m->K, &fe->K);
        flx_fe_scatter(fe, nodes, m, m->M, &fe->M);
        add_block_loads(fe, b, nodes, m, F);
        add_rigid_mass(fe, nodes, m, G);
    }
    find_whole(fe, G);
    return status;
}

flx_status flx_fe_assemble(flx_fe *fe)
{
    double *F = flx_alloc(fe->ctx, 6 * (size_t)fe->nnode, sizeof *F);
    flx_element_matrices *m = flx_alloc(fe->ctx, 1, sizeof *m);
    fe->f = flx_alloc(fe->ctx, (size_t)fe->n, sizeof *fe->f);
    flx_status status = F && m && fe->f ? make_tables(fe) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_fe_find_edges(fe);
    if (status == FLX_OK) status = make_pattern(fe);
    if (status == FLX_OK) status = sum_blocks(fe, F, m);
    if (status == FLX_OK) {
        flx_fe_nodal_loads(fe, 0, F);
        flx_fe_add_force(fe, F, fe->f);
        flx_fe_warn_of_lost_loads(fe);
    }
    flx_free(F);
    flx_free(m);
    return status;
}

void flx_fe_rigid_motions(const flx_fe *fe, const double about[3], double *X)
{
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < fe->n; i++) {
            int node = fe->node_of[i] / 6, comp = fe->node_of[i] % 6;
            X[(size_t)k * fe->n + i] = rigid_motion(fe->s->x + 3 * (size_t)node, about, comp, k);
        }
    }
}
