// test_body.c - structures reduced to flexible bodies: frequencies and compliances of the full structure,
// integrals against sums over particles, frames, interfaces, the surface.
#include "check.h"
#include "fe/fe_body.h"
#include "fe_mesh.h"
#include "math/dense.h"
#include "math/frontal/frontal.h"
#include "math/lowest_modes.h"
#include "reduce/line.h"

static const flx_material steel = {"", {NULL, 0, 0, NULL}, 2.1e11, 0.3, 7850, 0};

typedef struct rig {
    flx_ctx *ctx;
    flx_arena *arena;
    flx_structure *s;
    flx_elastic *e;
    int faces[2]; // frames of both ends
} rig;

// A frame for the nodes of an end, x = at.
static int add_frame(flx_structure *s, double at, flx_node_link_kind kind)
{
    int *nodes = malloc((size_t)s->nnode * sizeof *nodes), n = 0, frame = s->nnode;
    double x[3] = {at, 0, 0};
    for (int i = 0; i < s->nnode; i++) {
        if (fabs(s->x[3 * i] - at) < 1e-9) nodes[n++] = i;
    }
    for (int i = 0; i < n; i++) {
        for (int c = 1; c < 3; c++) x[c] += s->x[3 * nodes[i] + c] / n;
    }
    flx_structure_add_node(s, 1000 + s->nnode, 0, x);
    flx_node_link l = {.kind = kind, .reference = frame, .mask = 077, .nnode = n, .nodes = nodes};
    flx_structure_add_link(s, &l);
    free(nodes);
    return frame;
}

// A box 1.0 x 0.2 x 0.1 of nx x 2 x 1 cells (planar: nx x 2) with frames at both ends.
static rig start(flx_cell cell, int nx, double shake, flx_node_link_kind kind)
{
    const double size[3] = {1.0, 0.2, 0.1};
    bool plane = flx_cells[cell].dimension == 2;
    rig r = {.ctx = flx_ctx_create()};
    r.arena = flx_arena_create(r.ctx);
    r.s = fe_box(r.ctx, cell, plane ? FLX_FAMILY_PLANE_STRESS : FLX_FAMILY_SOLID, nx, 2, !plane,
                 size, &steel, 0.1, shake);
    r.faces[0] = add_frame(r.s, 0, kind);
    r.faces[1] = add_frame(r.s, 1, kind);
    return r;
}

static void end(rig *r)
{
    flx_structure_destroy(&r->s);
    flx_arena_destroy(&r->arena);
    flx_ctx_destroy(&r->ctx);
}

static flx_status reduce(rig *r, flx_basis b, int ninterface)
{
    b.ninterface = ninterface;
    b.interfaces = r->faces;
    flx_status status = flx_fe_reduce(r->ctx, r->arena, r->s, false, &b, FLX_NOWHERE, &r->e);
    if (status != FLX_OK) printf("    %s\n", flx_ctx_error(r->ctx, 0)->text);
    return status;
}

// The structure with one node held, or free.
static flx_status build(const rig *r, int held, flx_fe **fe)
{
    r->s->nsupport = 0;
    if (held >= 0) {
        flx_structure_add_support(r->s, &(flx_support){.node = held, .mask = 077});
    }
    flx_status status = flx_fe_create(r->ctx, r->s, NULL, fe);
    r->s->nsupport = 0;
    return status;
}

static int compare_frequencies(const rig *r, int held, int skip, int count, double tolerance)
{
    flx_fe *fe = NULL;
    flx_mode_set *m = NULL;
    CHECK(build(r, held, &fe) == FLX_OK);
    CHECK(flx_modes_create(r->ctx, &fe->K, &fe->M, &(flx_modes_def){.count = count + skip}, &m) ==
          FLX_OK);
    for (int k = 0; k < count; k++) {
        CHECK_REL(r->e->cut->omega2[k], m->lambda[skip + k], tolerance);
    }
    flx_modes_destroy(&m);
    flx_fe_destroy(&fe);
    return 0;
}

static int modes_are_those_of_the_structure(void)
{
    static const flx_cell cells[] = {FLX_CELL_TET10, FLX_CELL_HEX8, FLX_CELL_HEX20, FLX_CELL_QUAD8};
    for (int i = 0; i < 4; i++) {
        rig r = start(cells[i], 4, 0.3, FLX_LINK_RIGID);
        int rigid = r.s->dimension == 2 ? 3 : 6;
        CHECK(reduce(&r, (flx_basis){.modes = 5}, 1) == FLX_OK);
        CHECK(r.e->n == 5);
        if (compare_frequencies(&r, r.faces[0], 0, 5, 1e-9)) return 1;
        CHECK(r.e->cut->next > r.e->cut->omega2[4]);
        CHECK(reduce(&r, (flx_basis){.modes = 5, .frame = FLX_FRAME_BUCKENS}, 2) == FLX_OK);
        if (compare_frequencies(&r, -1, rigid, 5, 1e-9)) return 1;
        CHECK_REL(r.e->m, 7850 * 0.02, 1e-12);
        end(&r);
    }
    return 0;
}

// ---- integrals ----------------------------------------------------------------------------------

// The same numbers from particles at the points of the rule of the mass matrix.
static flx_elastic *from_particles(const rig *r)
{
    const flx_elastic *e = r->e;
    const flx_structure *s = r->s;
    flx_elastic *p = NULL;
    double *phi = malloc(3 * (size_t)e->n * sizeof *phi);
    int *row = malloc((size_t)s->nnode * sizeof *row);
    flx_elastic_create(r->arena, e->n, 0, &p);
    for (int i = 0; i < e->nnode; i++) {
        row[atoi(e->nodes[i].id) <= s->nnode ? atoi(e->nodes[i].id) - 1 : s->nnode - 1] = i;
    }
    for (int i = 0; i < s->nelement; i++) {
        const int *nodes = flx_element_nodes(s, i);
        flx_shape_table t;
        flx_shape_fill(s->elements[i].cell, FLX_RULE_MASS, &t);
        for (int g = 0; g < t.points; g++) {
            double J[9] = {0}, X[3] = {0};
            memset(phi, 0, 3 * (size_t)e->n * sizeof *phi);
            for (int a = 0; a < t.nodes; a++) {
                const double *x = s->x + 3 * nodes[a];
                for (int c = 0; c < 9; c++) J[c] += x[c / 3] * t.dN[g][a][c % 3];
                for (int c = 0; c < 3; c++) X[c] += t.N[g][a] * x[c];
                for (int k = 0; k < 3 * e->n; k++) {
                    phi[k] += t.N[g][a] * e->nodes[row[nodes[a]]].phi[k];
                }
            }
            double det = J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) +
                         J[2] * (J[3] * J[7] - J[4] * J[6]);
            flx_elastic_add_mass(p, steel.density * det * t.weight[g], X, phi, NULL);
        }
    }
    free(phi);
    free(row);
    return p;
}

static int same(const char *what, int n, const double *a, const double *b)
{
    double size = 0, most = 0;
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(b[i]));
        most = fmax(most, fabs(a[i] - b[i]));
    }
    if (most <= 1e-10 * size) return 0;
    printf("%s: %g of %g\n", what, most, size);
    return 1;
}

static int integrals_are_sums_over_particles(void)
{
    static const flx_frame_kind frames[] = {FLX_FRAME_TANGENT, FLX_FRAME_BUCKENS, FLX_FRAME_CHORD};
    for (int i = 0; i < 3; i++) {
        rig r = start(i == 1 ? FLX_CELL_TET10 : FLX_CELL_HEX8, 3, 0.3, FLX_LINK_RIGID);
        CHECK(reduce(&r, (flx_basis){.modes = 6, .frame = frames[i]}, 2) == FLX_OK);
        const flx_elastic *e = r.e, *p = from_particles(&r);
        int n = e->n;
        if (same("S0", 3, e->S0, p->S0) || same("J0", 6, e->J0, p->J0)) return 1;
        if (same("J1", 6 * n, e->J1, p->J1) || same("J2", 6 * n * n, e->J2, p->J2)) return 1;
        if (same("N1", 3 * n * n, e->N1, p->N1) || same("M", n * n, e->M, p->M)) return 1;
        if (i == 1) { // Buckens: nothing is left of them
            for (int k = 0; k < 3 * n; k++) {
                CHECK_NEAR(e->S1[k], 0, 1e-7);
                CHECK_NEAR(e->N0[k], 0, 1e-7);
            }
        } else if (same("S1", 3 * n, e->S1, p->S1) || same("N0", 3 * n, e->N0, p->N0)) {
            return 1;
        }
        end(&r);
    }
    return 0;
}

// ---- compliances --------------------------------------------------------------------------------

// Motion along z of the second frame under a unit force there, at an angular frequency; the first is held.
static double exact_compliance(const rig *r, double omega)
{
    flx_fe *fe = NULL;
    flx_frontal *f = NULL;
    build(r, r->faces[0], &fe);
    double *x = calloc((size_t)fe->n, sizeof *x), value;
    int unknown = fe->dof[6 * r->faces[1] + 2];
    x[unknown] = 1;
    flx_frontal_create(r->ctx, &fe->K, NULL, &f);
    flx_frontal_factor(f, 1, &fe->K, -omega * omega, &fe->M);
    flx_frontal_reserve(f, 1);
    flx_frontal_solve(f, 1, x);
    value = x[unknown];
    free(x);
    flx_frontal_destroy(&f);
    flx_fe_destroy(&fe);
    return value;
}

// Of the body in the frame of its first interface.
static double compliance(const rig *r, double omega)
{
    const flx_elastic *e = r->e;
    int n = e->n;
    double *A = malloc((size_t)(n * n + n) * sizeof *A), *b = A + n * n, sum = 0;
    for (int i = 0; i < n * n; i++) A[i] = e->K[i] - omega * omega * e->M[i];
    for (int k = 0; k < n; k++) b[k] = e->nodes[1].phi[3 * k + 2];
    flx_dense_least_norm(r->ctx, n, n, A, b, 1e-15);
    for (int k = 0; k < n; k++) sum += e->nodes[1].phi[3 * k + 2] * b[k];
    free(A);
    return sum;
}

// All modes are the structure itself, at rest and in vibration.
static int all_modes_are_the_structure(void)
{
    rig r = start(FLX_CELL_HEX8, 2, 0, FLX_LINK_RIGID);
    flx_fe *fe = NULL;
    CHECK(build(&r, r.faces[0], &fe) == FLX_OK);
    int n = fe->n;
    flx_fe_destroy(&fe);
    CHECK(reduce(&r, (flx_basis){.modes = n}, 2) == FLX_OK);
    CHECK(r.e->n == n && r.e->cut->next == 0);
    CHECK_REL(compliance(&r, 0), exact_compliance(&r, 0), 1e-9);
    CHECK_REL(compliance(&r, 900), exact_compliance(&r, 900), 1e-9);
    end(&r);
    return 0;
}

// Static shapes are exact at rest: Guyan, Craig and Bampton, attachment; of modes alone a part is missing.
static int static_shapes_are_exact_at_rest(void)
{
    static const struct {
        flx_basis b;
        int n;
    } known[] = {{{.kind = FLX_BASIS_GUYAN}, 6},
                 {{.kind = FLX_BASIS_CRAIG_BAMPTON, .modes = 4}, 10},
                 {{.modes = 4, .attachment = true}, 10}};
    rig r = start(FLX_CELL_TET10, 4, 0, FLX_LINK_RIGID);
    double exact = exact_compliance(&r, 0);
    for (int i = 0; i < 3; i++) {
        CHECK(reduce(&r, known[i].b, 2) == FLX_OK);
        CHECK(r.e->n == known[i].n);
        CHECK_REL(compliance(&r, 0), exact, 1e-8);
        for (int k = 0; k < r.e->n; k++) { // the frame is held
            for (int c = 0; c < 3; c++) {
                CHECK_NEAR(r.e->nodes[0].phi[3 * k + c], 0, 1e-10);
                CHECK_NEAR(r.e->nodes[0].psi[3 * k + c], 0, 1e-9);
            }
        }
    }
    CHECK(reduce(&r, (flx_basis){.modes = 4}, 2) == FLX_OK);
    CHECK(fabs(compliance(&r, 0) / exact - 1) > 1e-4);
    end(&r);
    return 0;
}

// Craig and Bampton's frequencies come down to those of the structure.
static int craig_bampton_converges(void)
{
    rig r = start(FLX_CELL_HEX20, 4, 0, FLX_LINK_RIGID);
    flx_fe *fe = NULL;
    flx_mode_set *m = NULL;
    double before = HUGE_VAL;
    CHECK(build(&r, -1, &fe) == FLX_OK);
    CHECK(flx_modes_create(r.ctx, &fe->K, &fe->M, &(flx_modes_def){.count = 9}, &m) == FLX_OK);
    for (int modes = 0; modes <= 16; modes += 8) {
        flx_basis b = {.kind = FLX_BASIS_CRAIG_BAMPTON, .modes = modes};
        CHECK(reduce(&r, b, 2) == FLX_OK);
        double error = r.e->cut->omega2[2] / m->lambda[8] - 1;
        CHECK(error > -1e-9 && error < 0.2 * before);
        // what the body says of itself, to its leading digit
        CHECK_REL(r.e->cut->error[2], sqrt(1 + error) - 1, 0.2);
        before = error;
    }
    CHECK(before < 1e-3);
    flx_modes_destroy(&m);
    flx_fe_destroy(&fe);
    end(&r);
    return 0;
}

// A free body under a load that its inertia balances bends by its attachment shapes exactly as by all modes;
// the frame of a mean motion can have them too.
static int inertia_relief_is_exact(void)
{
    for (int kind = 0; kind < 2; kind++) {
        flx_node_link_kind link = kind ? FLX_LINK_AVERAGE : FLX_LINK_RIGID;
        double known[2];
        for (int way = 0; way < 2; way++) {
            rig r = start(FLX_CELL_HEX8, 2, 0, link);
            flx_fe *fe = NULL;
            CHECK(build(&r, -1, &fe) == FLX_OK);
            flx_basis b = {
                .modes = way ? 2 : fe->n - 6, .attachment = way, .frame = FLX_FRAME_BUCKENS};
            flx_fe_destroy(&fe);
            CHECK(reduce(&r, b, 2) == FLX_OK);
            CHECK(way == 0 || r.e->n <= 14);
            known[way] = compliance(&r, 0);
            end(&r);
        }
        CHECK_REL(known[1], known[0], 1e-8);
    }
    return 0;
}

// ---- the rest -----------------------------------------------------------------------------------

// The surface is closed and turned outwards: the volume under it is that of the box.
static int surface_is_closed(void)
{
    static const flx_cell cells[] = {FLX_CELL_TET4, FLX_CELL_TET10, FLX_CELL_HEX8, FLX_CELL_HEX20};
    for (int i = 0; i < 4; i++) {
        rig r = start(cells[i], 3, 0.3, FLX_LINK_RIGID);
        CHECK(reduce(&r, (flx_basis){.modes = 1}, 1) == FLX_OK);
        const flx_elastic_mesh *m = r.e->mesh;
        double volume = 0, stress = 0;
        CHECK(m && m->ncell == r.s->nelement && m->nsurface <= m->nnode);
        CHECK(m->nnode == r.s->nnode - 2); // frames are not drawn
        for (int t = 0; t < m->ntriangle; t++) {
            double x[3][3];
            for (int k = 0; k < 9; k++) {
                x[k / 3][k % 3] = (double)m->nodes[3 * m->triangles[3 * t + k / 3] + k % 3];
            }
            for (int k = 0; k < 3; k++) {
                int p = (k + 1) % 3, q = (k + 2) % 3;
                volume += x[0][k] * (x[1][p] * x[2][q] - x[1][q] * x[2][p]) / 6;
            }
        }
        CHECK_REL(volume, 0.02, 1e-5);
        for (int k = 0; k < 6 * m->nnode; k++) stress = fmax(stress, fabs((double)m->stress[k]));
        CHECK(stress > 1e9); // a metre of bending
        end(&r);
    }
    return 0;
}

// A ring of point masses with the inertia of a disc: the numbers of a small body that turns with its node.
static int point_inertia_turns_with_its_node(void)
{
    rig r = start(FLX_CELL_HEX8, 3, 0, FLX_LINK_RIGID);
    flx_elastic *with, *without;
    flx_point_mass p = {.node = r.faces[1], .inertia = {0.2, 0.1, 0.1}};
    CHECK(reduce(&r, (flx_basis){.modes = 3}, 2) == FLX_OK);
    without = r.e;
    flx_structure_add_mass(r.s, &p);
    CHECK(reduce(&r, (flx_basis){.modes = 3}, 2) == FLX_OK);
    with = r.e;
    CHECK_REL(with->J0[0] - without->J0[0], 0.2, 1e-10);
    // N0 of the disc alone: its inertia times its rotation; N1: P (psi_k x psi_l), P = (0, 0.1, 0.1)
    for (int k = 0; k < 3; k++) {
        for (int l = 0; l < 3; l++) {
            const double *a = with->nodes[1].psi + 3 * k, *b = with->nodes[1].psi + 3 * l;
            double cross = 0.1 * (a[2] * b[0] - a[0] * b[2]), own = 0;
            // what the mesh itself gives, with the same shapes
            r.e = with;
            const flx_elastic *mesh = from_particles(&r);
            own = mesh->N1[3 * (3 * k + l) + 1];
            CHECK_NEAR(with->N1[3 * (3 * k + l) + 1] - own, cross, 1e-9 * fabs(own) + 1e-12);
        }
    }
    end(&r);
    return 0;
}

// The matrices of a mesh, given as those of another program, make the same body.
static int matrices_make_the_same_body(void)
{
    static const flx_cell cells[] = {FLX_CELL_HEX8, FLX_CELL_QUAD4};
    for (int i = 0; i < 2; i++) {
        const double size[3] = {1.0, 0.2, 0.1};
        bool plane = i == 1;
        rig r = start(cells[i], 3, 0, FLX_LINK_RIGID);
        flx_basis b = {.kind = FLX_BASIS_CRAIG_BAMPTON, .modes = 2};
        CHECK(reduce(&r, b, 2) == FLX_OK);
        const flx_elastic *known = r.e;
        flx_structure *s =
            fe_box(r.ctx, cells[i], plane ? FLX_FAMILY_PLANE_STRESS : FLX_FAMILY_SOLID, 3, 2,
                   !plane, size, &steel, 0.1, 0);
        flx_fe *fe = NULL;
        CHECK(flx_fe_create(r.ctx, s, NULL, &fe) == FLX_OK);
        for (int k = 0; k < s->nelement; k++) s->elements[k].family = FLX_FAMILY_NONE;
        CHECK(flx_structure_set_matrices(s, &fe->K, &fe->M, FLX_NOWHERE) == FLX_OK);
        CHECK(s->width == (plane ? 2 : 3));
        flx_fe_destroy(&fe);
        flx_structure_destroy(&r.s);
        r.s = s;
        r.faces[0] = add_frame(s, 0, FLX_LINK_RIGID);
        r.faces[1] = add_frame(s, 1, FLX_LINK_RIGID);
        CHECK(reduce(&r, b, 2) == FLX_OK);
        int n = known->n;
        CHECK(r.e->n == n && !r.e->mesh);
        if (same("K", n * n, r.e->K, known->K) || same("M", n * n, r.e->M, known->M)) return 1;
        if (same("J0", 6, r.e->J0, known->J0) || same("J1", 6 * n, r.e->J1, known->J1)) return 1;
        if (same("S1", 3 * n, r.e->S1, known->S1) || same("N0", 3 * n, r.e->N0, known->N0))
            return 1;
        if (same("N1", 3 * n * n, r.e->N1, known->N1)) return 1;
        if (same("phi", 3 * n, r.e->nodes[1].phi, known->nodes[1].phi)) return 1;
        end(&r);
    }
    return 0;
}

// A slender bar draws its end nearer as it bends, and stretches by nothing: the numbers of a beam.
static int stiffening_is_that_of_a_beam(void)
{
    const double size[3] = {1, 0.03, 0.02}, points[6] = {0, 0, 0, 1, 0, 0};
    const double E = steel.E, A = 6e-4, rho = steel.density, G = E / 2.6;
    const double I[2] = {A * 9e-4 / 12, A * 4e-4 / 12};
    rig r = {.ctx = flx_ctx_create()};
    flx_elastic *beam = NULL;
    r.arena = flx_arena_create(r.ctx);
    r.s = fe_box(r.ctx, FLX_CELL_HEX20, FLX_FAMILY_SOLID, 20, 1, 1, size, &steel, 1, 0);
    for (int i = 0; i < r.s->nnode; i++) r.s->x[3 * i + 1] -= 0.015, r.s->x[3 * i + 2] -= 0.01;
    r.faces[0] = add_frame(r.s, 0, FLX_LINK_RIGID);
    r.faces[1] = add_frame(r.s, 1, FLX_LINK_RIGID);
    const flx_line line = {.npoint = 2,
                           .points = points,
                           .shear = true,
                           .stiffening = true,
                           .y = (const double[3]){0, 1, 0},
                           .mass = rho * A,
                           .EA = E * A,
                           .GJ = 0.5 * G * (I[0] + I[1]),
                           .EI = {E * I[0], E * I[1]},
                           .GA = {G * A * 5 / 6, G * A * 5 / 6},
                           .second = {rho * I[0], rho * I[1]},
                           .elements = 20};
    flx_basis b = {.modes = 3, .stiffening = true};
    CHECK(flx_line_reduce(r.ctx, r.arena, &line, &b, FLX_NOWHERE, &beam) == FLX_OK);
    CHECK(reduce(&r, b, 2) == FLX_OK);
    CHECK(r.e->stiffened && !r.e->nodes[0].phi2);
    for (int k = 0; k < 3; k++) { // two of the first pair, and the next
        const double *S = r.e->S2 + 12 * k, *J = r.e->J2 + 24 * k, *known = beam->J2 + 24 * k;
        CHECK_REL(S[0], beam->S2[12 * k], 0.005);
        for (int c = 1; c < 3; c++) CHECK_NEAR(J[c], known[c], 0.01 * fabs(beam->S2[12 * k]));
        // its last element is held together by the frame, the beam's is not
        CHECK_REL(r.e->nodes[1].phi2[12 * k], beam->nodes[20].phi2[12 * k], 0.01);
    }
    b.frame = FLX_FRAME_BUCKENS; // the mean does not move to any order
    CHECK(reduce(&r, b, 2) == FLX_OK);
    for (int k = 0; k < 27; k++) CHECK_NEAR(r.e->S2[k], 0, 1e-9);
    end(&r);
    return 0;
}

// The integrals of a stiffened mesh are those of its grains, point inertias included, and the grains are few.
static int grains_hold_the_mass(void)
{
    const double inertia[6] = {2e-3, 3e-3, 4e-3, 1e-4, 0, 2e-4};
    rig r = start(FLX_CELL_TET10, 2, 2, FLX_LINK_RIGID);
    flx_structure_add_mass(r.s, &(flx_point_mass){.node = r.faces[1],
                                                  .mass = 2,
                                                  .inertia = {inertia[0], inertia[1], inertia[2],
                                                              inertia[3], inertia[4], inertia[5]}});
    CHECK(reduce(&r, (flx_basis){.modes = 4, .stiffening = true}, 2) == FLX_OK);
    const flx_elastic *e = r.e;
    int n = e->n;
    CHECK(e->ngrain > 4 + 3 * n && e->ngrain <= FLX_PRODUCTS(n));
    double m = 0, S1[12] = {0}, N0[12] = {0}, M[16] = {0}, S2[48] = {0}, S0[3] = {0};
    for (int j = 0; j < e->ngrain; j++) {
        double o = e->weights[j];
        const double *X = flx_grain_at(e, 0, j);
        m += o * o;
        for (int i = 0; i < 3; i++) S0[i] += o * X[i];
        for (int k = 0; k < 3 * n; k++) S1[k] += o * flx_grain_at(e, 1 + k / 3, j)[k % 3];
        for (int k = 0; k < 3 * n * n; k++) {
            int row = flx_grain_second(n, k / (3 * n), k / 3 % n);
            S2[k] += o * flx_grain_at(e, row, j)[k % 3];
        }
        for (int k = 0; k < n; k++) {
            const double *a = flx_grain_at(e, 1 + k, j);
            for (int i = 0; i < 3; i++) {
                N0[3 * k + i] += X[(i + 1) % 3] * a[(i + 2) % 3] - X[(i + 2) % 3] * a[(i + 1) % 3];
            }
            for (int l = 0; l < n; l++) {
                const double *b = flx_grain_at(e, 1 + l, j);
                for (int i = 0; i < 3; i++) M[k * n + l] += a[i] * b[i];
            }
        }
    }
    CHECK_REL(m, e->m, 1e-12);
    if (same("S0", 3, S0, e->S0) || same("S1", 3 * n, S1, e->S1)) return 1;
    if (same("N0", 3 * n, N0, e->N0) || same("M", n * n, M, e->M)) return 1;
    if (same("S2", 3 * n * n, S2, e->S2)) return 1;
    end(&r);
    return 0;
}

// How far the interfaces move apart by opposite loads on them, component by component; seen from a frame or not.
static void find_flexibility(const flx_elastic *e, double out[6])
{
    int n = e->n;
    for (int c = 0; c < 6; c++) {
        out[c] = 0;
        for (int k = 0; k < n; k++) {
            const double *a = (c < 3 ? e->nodes[0].phi : e->nodes[0].psi) + 3 * k + c % 3;
            const double *b = (c < 3 ? e->nodes[1].phi : e->nodes[1].psi) + 3 * k + c % 3;
            if (c == 1 || c == 2) continue; // these need moments beside them
            out[c] += (*b - *a) * (*b - *a) / e->K[k * n + k];
        }
    }
}

// Frames that follow the mean of their nodes: static shapes answer every load that balances itself exactly, as those
// of unit loads do, and modes beside them are met as well.
static int mean_interfaces_have_static_shapes(void)
{
    double known[6], found[6];
    rig r = start(FLX_CELL_HEX8, 4, 2, FLX_LINK_AVERAGE);
    CHECK(reduce(&r, (flx_basis){.modes = 2, .attachment = true, .frame = FLX_FRAME_BUCKENS}, 2) ==
          FLX_OK);
    find_flexibility(r.e, known);
    double lowest = r.e->K[0];
    CHECK(reduce(&r, (flx_basis){.kind = FLX_BASIS_GUYAN, .frame = FLX_FRAME_BUCKENS}, 2) ==
          FLX_OK);
    CHECK(r.e->n == 6);
    find_flexibility(r.e, found);
    for (int c = 0; c < 6; c++) CHECK_NEAR(found[c], known[c], 1e-7 * known[c]);
    CHECK(r.e->K[0] > lowest && r.e->K[0] < 1.5 * lowest);
    CHECK(
        reduce(&r,
               (flx_basis){.kind = FLX_BASIS_CRAIG_BAMPTON, .modes = 2, .frame = FLX_FRAME_TANGENT},
               2) == FLX_OK);
    CHECK(r.e->n == 8);
    find_flexibility(r.e, found);
    for (int c = 0; c < 6; c++) CHECK_NEAR(found[c], known[c], 1e-7 * known[c]);
    CHECK_REL(r.e->K[0], lowest, 1e-8);
    end(&r);
    return 0;
}

static int wrong_bases_are_refused(void)
{
    static const struct {
        flx_basis b;
        int ninterface;
        flx_node_link_kind link;
        const char *text;
    } known[] = {
        {{.modes = 3}, 0, FLX_LINK_RIGID, "name one"},
        {{.modes = 3, .frame = FLX_FRAME_CHORD}, 1, FLX_LINK_RIGID, "name two"},
        {{.modes = 100000}, 1, FLX_LINK_RIGID, "100000 modes are asked for"},
        {{.kind = FLX_BASIS_GUYAN}, 1, FLX_LINK_RIGID, "one interface moves as a rigid body"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        rig r = start(FLX_CELL_HEX8, 2, 0, known[i].link);
        flx_basis b = known[i].b;
        b.ninterface = known[i].ninterface;
        b.interfaces = r.faces;
        CHECK(flx_fe_reduce(r.ctx, r.arena, r.s, false, &b, FLX_NOWHERE, &r.e) != FLX_OK);
        CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, known[i].text);
        end(&r);
    }
    return 0;
}

// Two boxes that nothing joins; a frame at a node that does not turn.
static int loose_parts_are_refused(void)
{
    rig r = start(FLX_CELL_HEX8, 2, 0, FLX_LINK_RIGID);
    flx_element e = r.s->elements[0];
    int nodes[8];
    for (int i = 0; i < 8; i++) {
        double x[3];
        memcpy(x, r.s->x + 3 * flx_element_nodes(r.s, 0)[i], sizeof x);
        x[1] += 1;
        nodes[i] = r.s->nnode;
        flx_structure_add_node(r.s, 5000 + i, 0, x);
    }
    e.label = 99;
    flx_structure_add_element(r.s, &e, nodes);
    flx_basis b = {.modes = 3, .frame = FLX_FRAME_BUCKENS};
    CHECK(flx_fe_reduce(r.ctx, r.arena, r.s, false, &b, FLX_NOWHERE, &r.e) != FLX_OK);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "in more than 6 ways");
    end(&r);
    r = start(FLX_CELL_HEX8, 2, 0, FLX_LINK_RIGID);
    while (fabs(r.s->x[3 * r.faces[0]] - 0.5) > 1e-9) r.faces[0]--; // in the middle
    b = (flx_basis){.kind = FLX_BASIS_GUYAN, .ninterface = 2, .interfaces = r.faces};
    CHECK(flx_fe_reduce(r.ctx, r.arena, r.s, false, &b, FLX_NOWHERE, &r.e) != FLX_OK);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "does not rotate");
    end(&r);
    return 0;
}

static int every_allocation_may_fail(void)
{
    int reached = 0;
    for (long k = 0; k < 2000 && !reached; k += 1 + k / 20) {
        rig r = start(FLX_CELL_HEX8, 1, 0, FLX_LINK_RIGID);
        flx_basis b = {
            .kind = FLX_BASIS_CRAIG_BAMPTON, .modes = 2, .ninterface = 2, .interfaces = r.faces};
        flx_ctx_fail_allocation(r.ctx, k);
        flx_status status = flx_fe_reduce(r.ctx, r.arena, r.s, false, &b, FLX_NOWHERE, &r.e);
        CHECK(status == FLX_OK || flx_ctx_error_count(r.ctx) > 0);
        reached = status == FLX_OK;
        end(&r);
    }
    CHECK(reached);
    return 0;
}

TEST_MAIN(TEST(modes_are_those_of_the_structure), TEST(integrals_are_sums_over_particles),
          TEST(all_modes_are_the_structure), TEST(static_shapes_are_exact_at_rest),
          TEST(craig_bampton_converges), TEST(inertia_relief_is_exact), TEST(surface_is_closed),
          TEST(point_inertia_turns_with_its_node), TEST(matrices_make_the_same_body),
          TEST(stiffening_is_that_of_a_beam), TEST(grains_hold_the_mass),
          TEST(mean_interfaces_have_static_shapes), TEST(wrong_bases_are_refused),
          TEST(loose_parts_are_refused), TEST(every_allocation_may_fail))
