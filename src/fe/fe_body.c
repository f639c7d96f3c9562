// fe_body.c - a structure reduced to a flexible body: shapes (reduce/shapes.c), the integrals over its mass,
// and what its nodes do.
//
// Integrals of products of fields over the mass are those of fe_body_mass.c (MSH-4).
#include "fe/fe_body.h"
#include "fe/fe_parts.h"
#include "math/eigen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Numbers that nodes may take, displacements, rotations and stresses of all shapes: larger meshes have
// nodes at their interfaces and on their surface only.
#define MOST_NUMBERS 16000000

typedef struct body {
    const flx_fe *fe;
    flx_arena *arena;
    flx_elastic *e;
    const flx_shapes *shapes;
    const flx_basis *basis;
    const flx_free_structure *s;
    int nrigid;
    int *nodes; // (e->nnode) of the structure
    int *order; // (fe->nnode) row in the initial configuration; -1: none
    flx_fe_fields f;
    double mesh_error; // of frequencies, of the lowest shapes the largest
} body;

#define JUDGED 6    // of the lowest shapes, those that are
#define NEARLY 0.05 // so near to modes: static shapes have stresses of their own at the interfaces
#define ALL 0.99    // jumps of stress that are nearly all of it

static const int planar_motions[3] = {0, 1, 5};

// ---- fields -------------------------------------------------------------------------------------

// One shape at the nodes of the structure: (nnode, 6) each.
typedef struct field {
    double *u, *turn, *sigma, *eps;
} field;

static void set_node(body *b, int i, int k, const field *f)
{
    flx_elastic_node *node = b->e->nodes + i;
    size_t at = 6 * (size_t)b->nodes[i];
    memcpy(node->phi + 3 * k, f->u + at, 3 * sizeof *f->u);
    memcpy(node->psi + 3 * k, f->turn + at, 3 * sizeof *f->turn);
    for (int c = 0; c < 6; c++) {
        node->sigma[c * b->e->n + k] = f->sigma[at + (size_t)c];
        node->eps[c * b->e->n + k] = f->eps[at + (size_t)c];
    }
}

static void draw_shape(body *b, int k, const field *f)
{
    flx_elastic_mesh *m = b->e->mesh;
    if (!m) return;
    for (int node = 0; node < b->fe->nnode; node++) {
        if (b->order[node] < 0) continue;
        size_t row = (size_t)k * (size_t)m->nnode + (size_t)b->order[node];
        for (size_t c = 0; c < 3; c++) m->modes[3 * row + c] = (float)f->u[6 * (size_t)node + c];
        for (size_t c = 0; c < 6; c++)
            m->stress[6 * row + c] = (float)f->sigma[6 * (size_t)node + c];
    }
}

// Every shape at all nodes.
static flx_status find_fields(body *b, double *turns)
{
    const flx_fe *fe = b->fe;
    size_t m = (size_t)fe->nnode, n = (size_t)b->e->n, nf = (size_t)b->f.nf;
    double *all = flx_alloc(fe->ctx, 24 * m, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    const field f = {all, all + 6 * m, all + 12 * m, all + 18 * m};
    flx_status status = FLX_OK;
    for (size_t i = 0; i < m; i++) memcpy(b->f.F + i * nf, fe->s->x + 3 * i, 3 * sizeof *all);
    for (size_t k = 0; k < n && status == FLX_OK; k++) {
        flx_fe_expand(fe, b->shapes->V + k * (size_t)fe->n, true, f.u);
        status = flx_fe_recover(fe, f.u, f.sigma, f.eps, f.turn);
        double jumps = 0;
        bool judged = k == 0 || (k < JUDGED && b->shapes->error[k] < NEARLY);
        if (status == FLX_OK && judged) status = flx_fe_jumps(fe, f.u, &jumps);
        b->mesh_error = fmax(b->mesh_error, 1 / sqrt(1 - fmin(jumps, ALL)) - 1);
        if (status != FLX_OK) break;
        for (size_t i = 0; i < m; i++) {
            memcpy(b->f.F + i * nf + 3 * (k + 1), f.u + 6 * i, 3 * sizeof *all);
            if (turns) memcpy(turns + 3 * (i * n + k), f.turn + 6 * i, 3 * sizeof *all);
        }
        for (int i = 0; i < b->e->nnode; i++) set_node(b, i, (int)k, &f);
        draw_shape(b, (int)k, &f);
    }
    flx_free(all);
    return status;
}

static flx_status stiffen(body *b)
{
    return flx_fe_stiffen(&(flx_fe_stiffening){.fe = b->fe,
                                               .s = b->s,
                                               .basis = b->basis,
                                               .shapes = b->shapes,
                                               .fields = &b->f,
                                               .nodes = b->nodes,
                                               .arena = b->arena,
                                               .e = b->e});
}

static flx_status find_moments(body *b)
{
    const flx_fe *fe = b->fe;
    size_t spreads = 3 * (size_t)flx_fe_count_spreads(fe), rows = (size_t)fe->nnode + spreads;
    size_t n = (size_t)b->e->n;
    double *turns = NULL;
    flx_fe_fields *f = &b->f;
    *f = (flx_fe_fields){.n = b->e->n, .nf = 3 * (b->e->n + 1), .rows = fe->nnode};
    f->F = flx_alloc(fe->ctx, rows * (size_t)f->nf, sizeof *f->F);
    f->Y = flx_alloc(fe->ctx, rows * (size_t)f->nf, sizeof *f->Y);
    flx_status status = f->F && f->Y ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK && spreads > 0) {
        turns = flx_alloc(fe->ctx, 3 * (size_t)fe->nnode * n, sizeof *turns);
        if (!turns) status = FLX_ERR_MEMORY;
    }
    if (status == FLX_OK) status = find_fields(b, turns);
    if (status == FLX_OK) status = flx_fe_multiply_masses(fe, f->nf, f->F, f->Y);
    if (status == FLX_OK) status = flx_fe_add_spreads(fe, turns, f);
    if (status == FLX_OK) status = flx_elastic_set_moments(fe->ctx, b->e, f->rows, f->F, f->Y);
    if (status == FLX_OK && b->basis->stiffening) status = stiffen(b);
    flx_free(turns);
    flx_free(f->F);
    flx_free(f->Y);
    return status;
}

// ---- numbers ------------------------------------------------------------------------------------

// What the whole body and the shapes' mass and stiffness matrices say.
static void set_whole(body *b)
{
    const flx_fe *fe = b->fe;
    const flx_shapes *x = b->shapes;
    flx_elastic *e = b->e;
    int n = e->n;
    const double *c = fe->com, m = fe->mass, *I = fe->inertia;
    e->m = m;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        e->S0[i] = m * c[i];
        e->J0[i] = I[i] + m * (c[j] * c[j] + c[k] * c[k]);
    }
    e->J0[3] = I[3] - m * c[0] * c[1];
    e->J0[4] = I[4] - m * c[1] * c[2];
    e->J0[5] = I[5] - m * c[0] * c[2];
    memcpy(e->M, x->M, (size_t)n * (size_t)n * sizeof *e->M);
    for (int k = 0; k < n; k++) {
        e->K[k * n + k] = x->omega2[k];
        for (int r = 0; r < b->nrigid; r++) {
            int motion = b->nrigid == 3 ? planar_motions[r] : r;
            double value = x->RM[k * b->nrigid + r];
            if (motion < 3) {
                e->S1[3 * k + motion] = value;
            } else {
                e->N0[3 * k + motion - 3] = value;
            }
        }
    }
}

static flx_status set_cut(body *b)
{
    size_t n = (size_t)b->e->n;
    flx_elastic_cut *cut = flx_arena_take(b->arena, 1, sizeof *cut);
    double *values = flx_arena_take(b->arena, 2 * n, sizeof *values);
    if (!cut || !values) return FLX_ERR_MEMORY;
    *cut = (flx_elastic_cut){.unknowns = b->fe->n,
                             .next = b->shapes->next,
                             .report = b->shapes->report,
                             .mesh = b->mesh_error};
    cut->omega2 = values;
    cut->error = values + n;
    memcpy(cut->omega2, b->shapes->omega2, n * sizeof *values);
    memcpy(cut->error, b->shapes->error, n * sizeof *values);
    b->e->cut = cut;
    return FLX_OK;
}

// V^T A V
static flx_status project(const body *b, const flx_symmetric *A, double *out)
{
    const flx_shapes *x = b->shapes;
    double *AV = flx_alloc(b->fe->ctx, (size_t)x->count * (size_t)x->n, sizeof *AV);
    if (!AV) return FLX_ERR_MEMORY;
    flx_symmetric_multiply(A, x->count, x->V, AV);
    flx_dense_multiply(true, false, x->count, x->count, x->n, x->V, AV, out);
    flx_free(AV);
    return FLX_OK;
}

// Dashpots as they are; loss factors as damping ratios of the modes.
static flx_status set_damping(body *b)
{
    const flx_fe *fe = b->fe;
    flx_elastic *e = b->e;
    size_t nn = (size_t)e->n * (size_t)e->n;
    if (fe->D.n > 0) FLX_TRY(project(b, &fe->D, e->D));
    if (fe->S.n == 0 && fe->loss == 0) return FLX_OK;
    double *S = flx_alloc(fe->ctx, nn, sizeof *S);
    flx_status status = !S ? FLX_ERR_MEMORY : fe->S.n > 0 ? project(b, &fe->S, S) : FLX_OK;
    for (size_t i = 0; i < nn && status == FLX_OK; i++) S[i] += fe->loss * e->K[i];
    if (status == FLX_OK) status = flx_elastic_damp_by_loss(fe->ctx, e, S);
    flx_free(S);
    return status;
}

static flx_status name_shapes(body *b)
{
    for (int k = 0; k < b->e->n; k++) {
        double f = sqrt(fmax(0.0, b->shapes->omega2[k])) / (2 * FLX_PI);
        b->e->labels[k] = flx_arena_printf(b->arena, "mode %d : %.6g Hz", k + 1, f);
        if (!b->e->labels[k]) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

// ---- nodes --------------------------------------------------------------------------------------

// Interfaces, then the others, each once. Returns how many.
static int choose_nodes(const body *b, int n, bool *taken, int *nodes)
{
    const flx_fe *fe = b->fe;
    int count = 0;
    double each = 18.0 * n + (b->basis->stiffening ? 6.0 * n * n : 0);
    bool surface = fe->nnode * each > MOST_NUMBERS && b->e->mesh;
    for (int i = 0; i < b->basis->ninterface; i++) {
        nodes[count++] = b->basis->interfaces[i];
        taken[b->basis->interfaces[i]] = true;
    }
    for (int i = 0; i < fe->nnode; i++) {
        if (taken[i] || !flx_fe_has_mechanics(fe, i)) continue;
        if (surface && !(b->order[i] >= 0 && b->order[i] < b->e->mesh->nsurface)) continue;
        nodes[count++] = i;
    }
    return count;
}

static flx_status make_nodes(body *b)
{
    const flx_structure *s = b->fe->s;
    size_t n = (size_t)b->e->n;
    for (int i = 0; i < b->e->nnode; i++) {
        flx_elastic_node *node = b->e->nodes + i;
        memcpy(node->at, s->x + 3 * (size_t)b->nodes[i], sizeof node->at);
        for (int k = 0; k < 9; k++) node->R[k] = k % 4 == 0;
        node->id = flx_arena_printf(b->arena, "%d", s->label[b->nodes[i]]);
        node->sigma = flx_arena_take(b->arena, 12 * n, sizeof *node->sigma);
        if (!node->id || !node->sigma) return FLX_ERR_MEMORY;
        node->eps = node->sigma + 6 * n;
        if (i < b->basis->ninterface && b->basis->names) node->name = b->basis->names[i];
    }
    return FLX_OK;
}

// Interfaces are the first of the nodes.
static flx_status find_residual(body *b)
{
    size_t n = 9 * (size_t)b->s->ninterface;
    double *all = flx_arena_take(b->arena, n, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    for (int i = 0; i < b->s->ninterface; i++) b->e->nodes[i].residual = all + 9 * (size_t)i;
    return flx_shapes_residual(b->s, b->shapes, all, NULL);
}

static flx_status make(body *b)
{
    const flx_fe *fe = b->fe;
    int n = b->shapes->count, count;
    flx_elastic drawn = {0}; // its mesh alone is used here
    bool *taken = flx_alloc(fe->ctx, (size_t)fe->nnode, sizeof *taken);
    if (!taken) return FLX_ERR_MEMORY;
    b->e = &drawn;
    flx_status status = flx_fe_draw(fe, b->arena, n, b->order, &drawn.mesh);
    count = choose_nodes(b, n, taken, b->nodes);
    flx_free(taken);
    b->e = NULL;
    if (status == FLX_OK) status = flx_elastic_create(b->arena, n, count, &b->e);
    if (status != FLX_OK) return status;
    b->e->mesh = drawn.mesh;
    FLX_TRY(make_nodes(b));
    set_whole(b);
    FLX_TRY(set_damping(b));
    FLX_TRY(find_moments(b));
    FLX_TRY(name_shapes(b));
    FLX_TRY(set_cut(b));
    if (b->basis->residual && b->s->ninterface > 0) FLX_TRY(find_residual(b));
    flx_elastic_trim(b->e);
    return FLX_OK;
}

static flx_status make_body(const flx_fe *fe, flx_arena *arena, const flx_basis *basis,
                            const flx_shapes *shapes, const flx_free_structure *s,
                            flx_elastic **out)
{
    body b = {.fe = fe, .arena = arena, .shapes = shapes, .basis = basis, .s = s};
    b.nrigid = s->nrigid;
    b.nodes = flx_alloc(fe->ctx, (size_t)fe->nnode, sizeof *b.nodes);
    b.order = flx_alloc(fe->ctx, (size_t)fe->nnode, sizeof *b.order);
    flx_status status = b.nodes && b.order ? make(&b) : FLX_ERR_MEMORY;
    flx_free(b.nodes);
    flx_free(b.order);
    *out = status == FLX_OK ? b.e : NULL;
    return status;
}

// ---- the reduction ------------------------------------------------------------------------------

static flx_status name_interface(const flx_fe *fe, flx_arena *arena, const flx_basis *b, int i,
                                 flx_interface *out)
{
    int node = b->interfaces[i];
    double constant;
    memcpy(out->at, fe->s->x + 3 * (size_t)node, sizeof out->at);
    for (int c = 0; c < 6; c++) {
        out->count[c] = flx_fe_terms(fe, node, c, &out->unknown[c], &out->weight[c], &constant);
    }
    out->name = b->names ? b->names[i] : flx_arena_printf(arena, "node(%d)", fe->s->label[node]);
    return out->name ? FLX_OK : FLX_ERR_MEMORY;
}

#define MISSED 0.01 // part of a compliance that may be left out without a word

static double first_three(const double C[9])
{
    return C[0] + C[4] + C[8];
}

// What the shapes leave out of the compliance where the model puts loads beside the interfaces (REC-1).
static flx_status check_loaded(const flx_fe *fe, flx_arena *arena, const flx_free_structure *s,
                               const flx_basis *b, const flx_shapes *shapes)
{
    size_t n = (size_t)b->nloaded;
    flx_free_structure at = *s;
    flx_basis own = *b;
    flx_interface *faces = flx_alloc(fe->ctx, n, sizeof *faces);
    double *left = flx_alloc(fe->ctx, 18 * n, sizeof *left), *all = left ? left + 9 * n : NULL;
    flx_status status = faces && left ? FLX_OK : FLX_ERR_MEMORY;
    own.interfaces = b->loaded;
    own.names = NULL;
    at.ninterface = b->nloaded;
    at.interfaces = faces;
    for (int i = 0; i < b->nloaded && status == FLX_OK; i++)
        status = name_interface(fe, arena, &own, i, faces + i);
    if (status == FLX_OK) status = flx_shapes_residual(&at, shapes, left, all);
    double allowed = b->tolerance > 0 ? b->tolerance : MISSED;
    for (int i = 0; i < b->nloaded && status == FLX_OK; i++) {
        double whole = first_three(all + 9 * i), missed = first_three(left + 9 * i);
        if (!(whole > 0) || missed <= allowed * whole) continue;
        flx_ctx_warn(fe->ctx, b->loaded_at[i],
                     "node %d is no interface of the body: its shapes leave out %.2g %% of the "
                     "static compliance there (sum of three axes, without the rigid motion: "
                     "%.3g m/N of all unknowns); name it in 'interfaces'",
                     fe->s->label[b->loaded[i]], 100 * missed / whole, whole);
    }
    flx_free(faces);
    flx_free(left);
    return status;
}

#define MISSED_BY_MODES 0.1 // ... where modes alone are asked for: static shapes are not

// The part of its compliance; 0 where it has none.
static double missed_part(const double left[9], const double all[9])
{
    double whole = first_three(all);
    return whole > 0 ? first_three(left) / whole : 0;
}

// Load c (a force along an axis, from 3 on a moment) at a place that is held at another one, which gives the reactions.
static flx_status balance(flx_arena *arena, const flx_interface *at, const flx_interface *held,
                          int c, int *count, const int **unknown, const double **weight)
{
    double load[6] = {0}, arm[3];
    int n = at->count[c];
    load[c] = -1;
    for (int i = 0; i < 3; i++) arm[i] = at->at[i] - held->at[i];
    if (c < 3) { // -arm x e_c
        load[3 + (c + 1) % 3] -= arm[(c + 2) % 3];
        load[3 + (c + 2) % 3] += arm[(c + 1) % 3];
    }
    for (int k = 0; k < 6; k++) n += held->count[k];
    int *list = flx_arena_take(arena, (size_t)n, sizeof *list);
    double *by = flx_arena_take(arena, (size_t)n, sizeof *by);
    if (!list || !by) return FLX_ERR_MEMORY;
    *count = 0;
    for (int k = -1; k < 6; k++) {
        const flx_interface *f = k < 0 ? at : held;
        int from = k < 0 ? c : k;
        for (int i = 0; i < f->count[from]; i++, ++*count) {
            list[*count] = f->unknown[from][i];
            by[*count] = (k < 0 ? 1 : load[k]) * f->weight[from][i];
        }
    }
    *unknown = list;
    *weight = by;
    return FLX_OK;
}

// Loads in equilibrium: forces, and moments in their place, at f.
static flx_status put_loads(flx_arena *arena, const flx_interface *f, const flx_interface *held,
                            bool moments, flx_interface out[2])
{
    out[0] = out[1] = (flx_interface){.name = f->name};
    for (int c = 0; c < (moments ? 6 : 3); c++) {
        flx_interface *to = out + c / 3;
        if (f->count[c] > 0)
            FLX_TRY(balance(arena, f, held, c, &to->count[c % 3], &to->unknown[c % 3],
                            &to->weight[c % 3]));
    }
    return FLX_OK;
}

// A body that the model holds at one interface: which it is, where moments pass; -1: none.
static int held_at(const flx_free_structure *s, const flx_basis *b, const flx_interface *faces)
{
    for (int i = 0; i < b->nloaded; i++) {
        bool turns = faces[i].count[5] > 0;
        if (s->nrigid == 6) turns = turns && faces[i].count[3] > 0 && faces[i].count[4] > 0;
        if (turns && b->loaded_turns[i]) return i;
    }
    return -1;
}

static const char *called(const flx_basis *b, const flx_interface *faces, int i)
{
    for (int k = 0; k < b->ninterface && b->names; k++) {
        if (b->interfaces[k] == b->loaded[i]) return b->names[k];
    }
    return faces[i].name;
}

// What modes alone leave out of the compliance at interfaces that joints or forces load, of a body held at another one. The
// worst is told.
static flx_status check_held(const flx_fe *fe, flx_arena *arena, const flx_free_structure *s,
                             const flx_basis *b, const flx_shapes *shapes)
{
    size_t n = 2 * (size_t)b->nloaded;
    flx_free_structure at = *s;
    flx_basis own = *b;
    flx_interface *faces = flx_arena_take(arena, n, sizeof *faces);
    flx_interface *loads = flx_arena_take(arena, n, sizeof *loads);
    double *left = flx_arena_take(arena, 18 * n, sizeof *left), *all = left + 9 * n;
    if (!faces || !loads || !left) return FLX_ERR_MEMORY;
    own.interfaces = b->loaded;
    own.names = NULL;
    for (int i = 0; i < b->nloaded; i++) FLX_TRY(name_interface(fe, arena, &own, i, faces + i));
    int held = held_at(s, b, faces);
    if (held < 0 || b->nloaded < 2) return FLX_OK;
    for (int i = 0; i < b->nloaded; i++) {
        if (i == held) continue;
        FLX_TRY(put_loads(arena, faces + i, faces + held, b->loaded_turns[i], loads + 2 * i));
    }
    at.ninterface = (int)n;
    at.interfaces = loads;
    FLX_TRY(flx_shapes_residual(&at, shapes, left, all));
    int worst = 0;
    for (int i = 0; i < (int)n; i++) {
        if (missed_part(left + 9 * i, all + 9 * i) > missed_part(left + 9 * worst, all + 9 * worst))
            worst = i;
    }
    double part = missed_part(left + 9 * worst, all + 9 * worst);
    if (part <= MISSED_BY_MODES) return FLX_OK;
    flx_ctx_warn(fe->ctx, b->loaded_at[worst / 2],
                 "the modes leave out %.2g %% of the static compliance to %s at interface '%s' of "
                 "the body held at '%s' (sum of three axes): it is too stiff there; give "
                 "'attachment: true', or more modes",
                 100 * part, worst % 2 ? "moments" : "forces", called(b, faces, worst / 2),
                 called(b, faces, held));
    return FLX_OK;
}

static flx_status reduce(flx_fe *fe, flx_arena *arena, const flx_basis *asked, flx_loc loc,
                         flx_elastic **out)
{
    flx_basis own = *asked, *basis = &own;
    FLX_TRY(flx_fe_find_damping(fe));
    own.damping.loss += fe->loss;
    static const double origin[3] = {0, 0, 0};
    flx_free_structure s = {.ctx = fe->ctx, .loc = loc, .K = &fe->K, .M = &fe->M};
    s.S = fe->S.n > 0 ? &fe->S : NULL;
    s.D = fe->D.n > 0 ? &fe->D : NULL;
    size_t n = (size_t)fe->n;
    flx_shapes shapes = {0};
    s.nrigid = fe->s->dimension == 2 ? 3 : 6;
    s.ninterface = basis->ninterface;
    flx_interface *faces = flx_alloc(fe->ctx, (size_t)s.ninterface, sizeof *faces);
    double *R = flx_alloc(fe->ctx, 6 * n, sizeof *R);
    int *group = flx_alloc(fe->ctx, 3 * n, sizeof *group);
    double *at = flx_alloc(fe->ctx, 3 * n, sizeof *at);
    flx_status status = faces && R && group && at ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        flx_fe_rigid_motions(fe, origin, R);
        if (s.nrigid == 3) memcpy(R + 2 * n, R + 5 * n, n * sizeof *R);
        for (size_t i = 0; i < n; i++) {
            int node = group[i] = fe->node_of[i] / 6;
            group[n + i] = fe->s->label[node];
            group[2 * n + i] = fe->node_of[i] % 6;
            memcpy(at + 3 * i, fe->s->x + 3 * (size_t)node, 3 * sizeof *at);
        }
        s.label = group + n;
        s.component = s.label + n;
        s.at = at;
    }
    for (int i = 0; i < s.ninterface && status == FLX_OK; i++) {
        status = name_interface(fe, arena, basis, i, faces + i);
    }
    s.rigid = R;
    s.group = group;
    s.interfaces = faces;
    if (status == FLX_OK) status = flx_fe_check_dashpots(fe, s.nrigid, R, loc);
    bool given = fe->s->width > 0; // matrices of another program: what they lack is told first
    if (status == FLX_OK && !given) status = flx_fe_check_free(fe, s.nrigid, R, loc);
    if (status == FLX_OK) status = flx_shapes_find(&s, basis, &shapes);
    if (status == FLX_OK && given) status = flx_fe_check_free(fe, s.nrigid, R, loc);
    if (status == FLX_OK && basis->nloaded > 0) {
        status = (basis->loaded_turns ? check_held : check_loaded)(fe, arena, &s, basis, &shapes);
    }
    if (status == FLX_OK) status = make_body(fe, arena, basis, &shapes, &s, out);
    flx_shapes_clear(&shapes);
    flx_free(R);
    flx_free(faces);
    flx_free(group);
    flx_free(at);
    return status;
}

flx_status flx_fe_reduce(flx_ctx *ctx, flx_arena *arena, const flx_structure *s, bool lumped,
                         const flx_basis *basis, flx_loc loc, flx_elastic **out)
{
    const flx_fe_options options = {.lumped = lumped, .no_supports = true};
    flx_fe *fe = NULL;
    *out = NULL;
    flx_status status = flx_fe_create(ctx, s, &options, &fe);
    if (status == FLX_OK && !(fe->mass > 0)) {
        status = FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                          "the finite elements have no mass: give their material a density");
    }
    if (status == FLX_OK) flx_fe_warn_of_units(fe, loc);
    if (status == FLX_OK) status = reduce(fe, arena, basis, loc, out);
    flx_fe_destroy(&fe);
    return status;
}
