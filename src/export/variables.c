// variables.c - variables of second order beside the links. They share no mass with bodies:
//     M_u u'' = f + effort + tau                                                  (XPT-4)
// f: the model's forces on them; effort: what constraints that give way do along them.
#include "export/symbolic.h"

static flx_node *mass_at(const flx_symbolic *x, int i, int j)
{
    return x->masses + (size_t)x->nvariable * (size_t)i + j;
}

// The exported mass matrix is a function of parameters and coordinates.
static flx_status check_mass(flx_symbolic *x, flx_node mass, const char *name, flx_loc loc)
{
    flx_leaf *leaves = NULL;
    int n = 0;
    bool fine = true;
    FLX_TRY(flx_symbolic_status(x, mass));
    FLX_TRY(flx_graph_leaves(x->g, 1, &mass, &n, &leaves));
    for (int i = 0; i < n; i++) {
        int kind = flx_export_leaf_kind(leaves[i]);
        fine = fine && (kind == FLX_LEAF_PARAMETER || kind == FLX_EXPORT_Q);
    }
    flx_free(leaves);
    if (fine) return FLX_OK;
    return FLX_FAIL(
        x->ctx, FLX_ERR_CANNOT, loc,
        "the mass of '%s' depends on time, a velocity or a state, and an exported mass "
        "matrix on coordinates and parameters alone; make what changes it a coordinate, "
        "or divide its equation by the mass",
        name);
}

static flx_node take(flx_symbolic *x, flx_node n)
{
    return flx_symbolic_carry(x, flx_symbolic_take(x, n));
}

static bool moves(void *user, flx_leaf leaf)
{
    const int *own = user; // coordinate, velocity
    int kind = flx_export_leaf_kind(leaf), index = flx_leaf_get_index(leaf);
    return (kind == FLX_EXPORT_Q && index != own[0]) || (kind == FLX_EXPORT_V && index != own[1]);
}

flx_status flx_symbolic_variables(flx_symbolic *x)
{
    const flx_model *m = x->m;
    flx_graph *g = x->g;
    for (int i = 0; i < x->nvariable * x->nvariable; i++) x->masses[i] = node_const(g, 0.0);
    for (int i = 0; i < x->nvariable; i++) {
        const flx_variable *u = m->variables + i;
        flx_node *effort = x->effort + x->t.k.nv + i;
        flx_symbolic_about(x, u->name, u->loc);
        *mass_at(x, i, i) = take(x, u->mass);
        FLX_TRY(check_mass(x, *mass_at(x, i, i), u->name, u->loc));
        const int own[2] = {x->t.k.nq + i, x->t.k.nv + i};
        flx_node force = take(x, u->force);
        if (force >= 0 && flx_graph_depends(g, force, moves, (void *)(uintptr_t)own))
            x->apart = false;
        *effort = node_add(g, *effort, force);
        FLX_TRY(flx_symbolic_status(x, *effort));
    }
    for (int k = 0; k < m->ncoupling; k++) {
        const flx_coupling *c = m->couplings + k;
        const char *name = m->variables[c->i].name;
        flx_symbolic_about(x, name, c->loc);
        flx_node value = take(x, c->value);
        FLX_TRY(check_mass(x, value, name, c->loc));
        *mass_at(x, c->i, c->j) = *mass_at(x, c->j, c->i) = value;
    }
    return FLX_OK;
}

void flx_symbolic_variables_inverse(const flx_symbolic *x, const flx_node *a, flx_node *tau)
{
    flx_graph *g = x->g;
    int first = x->t.k.nv;
    for (int i = 0; i < x->nvariable; i++) {
        flx_node sum = node_const(g, 0.0);
        for (int j = 0; j < x->nvariable && a; j++) {
            sum = node_add(g, sum, node_mul(g, *mass_at(x, i, j), a[first + j]));
        }
        tau[first + i] = node_add(g, tau[first + i], sum);
    }
}

void flx_symbolic_variables_mass(const flx_symbolic *x, flx_node *M)
{
    int first = x->t.k.nv;
    for (int i = 0; i < x->nvariable; i++) {
        for (int j = 0; j < x->nvariable; j++) {
            M[x->nv * (first + i) + first + j] = *mass_at(x, i, j);
        }
    }
}

// M_u + more = L D L^T without pivots, which a mass matrix does not need.
flx_status flx_symbolic_variables_correct(const flx_symbolic *x, const flx_node *more,
                                          const flx_node *r, flx_node *a)
{
    flx_graph *g = x->g;
    int n = x->nvariable, first = x->t.k.nv;
    flx_node *L = flx_alloc(x->ctx, (size_t)n * (size_t)n + 1, sizeof *L);
    if (!L) return FLX_ERR_MEMORY;
    for (int j = 0; j < n; j++) { // below the diagonal L, on it D, above it L D
        for (int i = j; i < n; i++) {
            flx_node sum = *mass_at(x, i, j);
            if (more && i == j) sum = node_add(g, sum, more[first + i]);
            if (i == j && x->elastic_of[i] >= 0) sum = node_const(g, 1.0); // found elsewhere
            for (int k = 0; k < j; k++) {
                sum = node_sub(g, sum, node_mul(g, L[n * i + k], L[n * k + j]));
            }
            L[n * j + i] = sum;
        }
        for (int i = j + 1; i < n; i++) L[n * i + j] = node_div(g, L[n * j + i], L[n * j + j]);
    }
    flx_node *b = a + first;
    for (int i = 0; i < n; i++) {
        b[i] = r[first + i];
        for (int k = 0; k < i; k++) b[i] = node_sub(g, b[i], node_mul(g, L[n * i + k], b[k]));
    }
    for (int i = n - 1; i >= 0; i--) {
        b[i] = node_div(g, b[i], L[n * i + i]);
        for (int k = i + 1; k < n; k++) b[i] = node_sub(g, b[i], node_mul(g, L[n * k + i], b[k]));
    }
    flx_free(L);
    return FLX_OK;
}
