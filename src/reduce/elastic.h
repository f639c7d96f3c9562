// elastic.h - a flexible body in a floating frame as numbers: what its equations of motion are made
// of. With the place r(X, q) = X + Phi q + q^T Gam q/2 of a particle in the body frame, integrals over
// the mass:
//
//     S(q) = int r,   J(q) = int (r.r I - r r^T),   N_k(q) = int r x dr/dq_k,   M_kl = int Phi_k.Phi_l   (FLX-1)
// as Taylor series: S and J to the second order in q, N to the first, M constant. Derivatives are
// kept, not coefficients: S = S0 + S1_k q_k + S2_kl q_k q_l / 2. Cut series of a quadratic field Gam lose
// the sign of the kinetic energy where the body bends far; where the field itself is known, grains hold it
// whole (FLX-7), and the series serve what needs no more than them.
#pragma once

#include "flexion/reduction.h"
#include "reduce/sid.h"

typedef struct flx_elastic_node {
    const char *id;
    const char *name; // of an interface; NULL: none
    double at[3];     // s(q) = at + phi_k q_k + phi2_kl q_k q_l / 2, body frame
    double *phi;      // (n x 3)
    double *phi2;     // (n x n x 3); NULL: none
    double R[9];      // its axes at q = 0, in the body's
    double *psi;      // (n x 3) small rotation psi_k q_k + psi2_kl q_k q_l / 2, body axes
    double *psi2;     // (n x n x 3); NULL: none
    double *
        push; // (n x n x 3) and of its turn: phi2, psi2 that forces at the node feel and its motion
    double *twist;        // does not (flx_one_sided); NULL: none
    double *sigma;        // (6 x n) stress xx yy zz xy yz xz, body axes; NULL: none
    double sigma_rest[6]; // at q = 0
    double *eps;          // (6 x n) strain alike, its shears half the angles; NULL: none
    // (9) compliance of what the shapes leave out: how far a unit force at the node moves it beside
    // them, body axes (REC-1); NULL: not known
    double *residual;
} flx_elastic_node;

// The mesh that a body comes from, as it is drawn: flx_result_mesh of flexion/results.h.
typedef struct flx_elastic_mesh {
    int nnode, nsurface, ntriangle, ncell;
    float *nodes;
    int *labels, *triangles, *cells, *offsets, *connectivity;
    float *modes, *stress; // stress NULL: none
} flx_elastic_mesh;
// ... with n modes, as members of a flx_result_mesh (flexion/results.h).
#define FLX_ELASTIC_MESH_DRAWN(m, n)                                                               \
    .nnode = (m)->nnode, .nsurface = (m)->nsurface, .ntriangle = (m)->ntriangle,                   \
    .ncell = (m)->ncell, .nmode = (n), .nodes = (m)->nodes, .labels = (m)->labels,                 \
    .triangles = (m)->triangles, .cells = (m)->cells, .offsets = (m)->offsets,                     \
    .connectivity = (m)->connectivity, .modes = (m)->modes, .stress = (m)->stress

// What a reduction kept and what it left out.
typedef struct flx_elastic_cut {
    int unknowns;   // of the finite elements
    double *omega2; // (n) squares of the angular frequencies of the basis
    double *error;  // (n) how far these frequencies are above those of all unknowns, in proportion
    double next;    // square of the angular frequency of the first mode left out; 0: not known
    const flx_reduction_report *report; // NULL: the basis has no error by itself
    double
        mesh; // how far the mesh makes the lowest frequencies too high, about, in proportion; 0: not known
} flx_elastic_cut;

// Geometric stiffening of which the rows of the elastic coordinates know and those of the frame do not: what
// Gam gives to S, J and N, symmetric in the coordinates (ONE-1).
typedef struct flx_one_sided {
    double *S2, *J2, *N1; // (n x n x 3), (n x n x 6), (n x n x 3)
} flx_one_sided;

typedef struct flx_elastic {
    int n; // elastic coordinates
    double m;
    double S0[3], *S1, *S2; // S1 (n x 3), S2 (n x n x 3); S2 NULL: none
    double J0[6], *J1, *J2; // xx yy zz xy yz xz; J1 (n x 6), J2 (n x n x 6); NULL: none
    double *N0, *N1;        // N0 (n x 3): N_k; N1 (n x n x 3): entry (l, k) = dN_k/dq_l; NULL: none
    double *M, *K, *D;      // (n x n) symmetric
    double *k0;             // (n) forces at q = 0, of stresses that are there from the start
    int nnode;
    flx_elastic_node *nodes;
    const char **labels;      // (n)
    bool line;                // the nodes follow a line from its start to its end
    bool stiffened;           // S2, J2, N1, phi2 hold geometric stiffening, or one_sided does
    flx_one_sided *one_sided; // NULL: none
    int ngrain;               // 0: the series are all that is known
    double *weights;          // (ngrain)
    double *grains;           // see flx_grain_at
    flx_elastic_mesh *mesh;   // NULL: none
    flx_elastic_cut *cut;     // NULL: not known
} flx_elastic;

// A body of n coordinates without mass, all arrays there and zero but those of nodes.
flx_status flx_elastic_create(flx_arena *arena, int n, int nnode, flx_elastic **e);

// Add a particle of mass dm at X with the shapes phi (n x 3) and, where not NULL, the quadratic
// field gam (n x n x 3) that makes the stiffening.
void flx_elastic_add_mass(flx_elastic *e, double dm, const double X[3], const double *phi,
                          const double *gam);

// Grains are kept in chunks, so that what a chunk of them has stays in a cache while it is used: rows of 3 numbers
// a grain, of X, of phi_k and of gam_kl with k <= l.
#define FLX_CHUNK 16
#define FLX_GRAIN_ROWS(n) (1 + (n) + (n) * ((n) + 1) / 2)
// Grains of chunk c, and its first row.
static inline int flx_chunk_count(const flx_elastic *e, int c)
{
    int left = e->ngrain - c * FLX_CHUNK;
    return left < FLX_CHUNK ? left : FLX_CHUNK;
}
static inline double *flx_chunk(const flx_elastic *e, int c)
{
    return e->grains + 3 * (size_t)FLX_GRAIN_ROWS(e->n) * FLX_CHUNK * (size_t)c;
}
// The row of gam_kl.
static inline int flx_grain_second(int n, int k, int l)
{
    int low = k < l ? k : l, high = k < l ? l : k;
    return 1 + n + low * n - low * (low - 1) / 2 + high - low;
}
// What grain j has of X (row 0), phi_k (row 1 + k) or gam: three numbers.
static inline double *flx_grain_at(const flx_elastic *e, int row, int j)
{
    int c = j / FLX_CHUNK;
    return flx_chunk(e, c) + 3 * (row * flx_chunk_count(e, c) + j % FLX_CHUNK);
}

// Numbers of a particle.
#define FLX_PARTICLE(n) (4 + 3 * (n) + 3 * (n) * (n))

// Give the body its field at all its particles, (count x FLX_PARTICLE(n)): 1, X, phi, gam of each, times the
// root of its mass. Makes the grains.
flx_status flx_elastic_set_field(flx_ctx *ctx, flx_arena *arena, int count, const double *particles,
                                 flx_elastic *e);

// The same from the integrals of their products over the mass, G (width x width) of the constant
// 1, X, phi and gam_kl with k <= l, where width = FLX_PRODUCTS(n).
#define FLX_PRODUCTS(n) (4 + 3 * (n) + 3 * (n) * ((n) + 1) / 2)
// Columns c to c + m of G = F^T Y for fields F (rows, width) and these columns Y (rows, m) of m F.
void flx_products_add(int rows, int width, const double *F, int c, int m, const double *Y,
                      double *G);
flx_status flx_elastic_set_products(flx_ctx *ctx, flx_arena *arena, const double *G,
                                    flx_elastic *e);

// J1, J2 and N1 from the fields of a mesh: F (rows, 3 (n + 1)) the places and the n shapes at its nodes,
// Y = m F with the masses m between nodes, so that F^T Y are integrals over the mass.
flx_status flx_elastic_set_moments(flx_ctx *ctx, flx_elastic *e, int rows, const double *F,
                                   const double *Y);

// Drop series that are zero, so that kernels skip them.
void flx_elastic_trim(flx_elastic *e);

// From Standard Input Data, whose numbers must be those of a body. loc: where the model names the file.
flx_status flx_elastic_from_sid(flx_ctx *ctx, flx_arena *arena, const flx_sid *sid, flx_loc loc,
                                flx_elastic **e);

// What no body can have, and what the data say twice and differently; e is made of them.
flx_status flx_elastic_check_sid(flx_ctx *ctx, const flx_sid *sid, flx_loc loc,
                                 const flx_elastic *e);

// As Standard Input Data, in the arena. Of a stiffened body the whole field must be known, for the file says
// what of it is stiffening.
flx_status flx_elastic_to_sid(flx_arena *arena, const flx_elastic *e, const char *name,
                              flx_sid **sid);

// Take the geometric stiffening out. What of J's second derivative is inertia the data say by the first
// order of Gr; where they do not, it is judged from the directions in which the nodes move.
flx_status flx_elastic_soften(flx_ctx *ctx, const flx_sid *sid, flx_loc loc, flx_elastic *e);

// Leave the geometric stiffening in the elastic rows alone, as the literature of Standard Input Data has it. sid:
// the data of the body; NULL: a body of grains, which become series.
flx_status flx_elastic_make_one_sided(flx_ctx *ctx, flx_arena *arena, const flx_sid *sid,
                                      flx_loc loc, flx_elastic *e);

// Damping by ratios of the critical one, of the body's own modes: one (n = 1), or one for each.
flx_status flx_elastic_damp(flx_ctx *ctx, flx_elastic *e, int n, const double *ratio);
// The same by an imaginary stiffness S (n, n): a mode y has the ratio y^T S y/(2 omega^2).
flx_status flx_elastic_damp_by_loss(flx_ctx *ctx, flx_elastic *e, const double *S);

// Angular frequency of the slowest mode, from its stiffness and mass; 0: a coordinate has none.
double flx_elastic_lowest(const flx_elastic *e);

// Von Mises' stress of six components xx yy zz xy yz xz.
double flx_von_mises(const double sigma[6]);
// The largest of all nodes that are drawn, of a body with a mesh and its stresses.
double flx_elastic_largest_stress(const flx_elastic *e, const double *q);
