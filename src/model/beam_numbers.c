// beam_numbers.c - stiffness, mass and damping of large-deformation beams by their sections. Where a section changes along
// the line, stiffness is taken where the formulation takes strains, so that its order stays; elements with one strain along
// them have the mean flexibility,
//
//     C_e^-1 = mean of C(x)^-1 over the element                                                    (BEA-15)
// with which constant forces and moments deform them exactly. Nodes get m_i = integral of N_i times the mass of a metre:
// the mass of the beam and its centre are exact. Rigid segments have the mass, the centre and the inertia of their
// piece of the line.
#include "model/beam_numbers.h"

#include "math/quadrature.h"

#include <string.h>

#define MOST_STRAINS (FLX_BEAM_MOST_NODES + 4)
#define SMALL_INERTIA 1e-8 // of a body of axes, as a part of that of its node

// First frequency of a cantilever, times sqrt(m L^4/EI).
#define CANTILEVER 3.5160152685

// ---- sections -----------------------------------------------------------------------------------

void flx_beam_mass_rule(double at[FLX_BEAM_MASS_POINTS], double weight[FLX_BEAM_MASS_POINTS])
{
    enum { HALF = FLX_BEAM_MASS_POINTS / 2 };
    double x[HALF], w[HALF];
    flx_quadrature_gauss(HALF, x, w);
    for (int k = 0; k < FLX_BEAM_MASS_POINTS; k++) {
        at[k] = 0.5 * (x[k % HALF] + k / HALF);
        weight[k] = 0.5 * w[k % HALF];
    }
}

// Parts of an element at which strains are taken. mean: one more of the whole element, the last.
static int strain_points(const flx_beam *b, double at[MOST_STRAINS], bool *mean)
{
    double w[FLX_BEAM_MOST_NODES];
    *mean = b->nslope != 1 && b->order == 1;
    if (b->nslope > 0) {
        for (int k = 0; k < 3; k++) at[k] = 0.5 * k;
        if (b->nslope > 1) return 3;
        flx_quadrature_gauss(2, at + 3, w);
        return 5;
    }
    if (*mean) return 0;
    flx_quadrature_gauss(b->order, at, w);
    return b->order;
}

int flx_beam_along_points(const flx_beam *b, double *at)
{
    double own[MOST_STRAINS], mass[FLX_BEAM_MASS_POINTS], w[FLX_BEAM_MASS_POINTS];
    bool mean = false;
    int n = strain_points(b, own, &mean);
    flx_beam_mass_rule(mass, w);
    if (!at) return n + FLX_BEAM_MASS_POINTS;
    memcpy(at, own, (size_t)n * sizeof *at);
    memcpy(at + n, mass, sizeof mass);
    return n + FLX_BEAM_MASS_POINTS;
}

// By Gauss and Jordan; the matrix is positive definite.
static void invert(double A[36])
{
    for (int k = 0; k < 6; k++) {
        double pivot = 1.0 / A[7 * k];
        A[7 * k] = 1.0;
        for (int j = 0; j < 6; j++) A[6 * k + j] *= pivot;
        for (int i = 0; i < 6; i++) {
            double f = A[6 * i + k];
            if (i == k) continue;
            A[6 * i + k] = 0.0;
            for (int j = 0; j < 6; j++) A[6 * i + j] -= f * A[6 * k + j];
        }
    }
}

// (BEA-15)
static void find_mean(const flx_beam_station *points, flx_beam_station *out)
{
    double at[FLX_BEAM_MASS_POINTS], w[FLX_BEAM_MASS_POINTS];
    flx_beam_mass_rule(at, w);
    *out = (flx_beam_station){0};
    for (int k = 0; k < FLX_BEAM_MASS_POINTS; k++) {
        double give[36];
        memcpy(give, points[k].stiffness, sizeof give);
        invert(give);
        for (int i = 0; i < 36; i++) out->stiffness[i] += w[k] * give[i];
    }
    invert(out->stiffness);
}

// What elements in absolute nodal coordinates can have.
static flx_status check_ancf(flx_ctx *ctx, int dimension, const flx_beam *b, flx_loc loc,
                             const double *C)
{
    for (int i = 0; i < 36; i++) {
        if (i % 7 == 0 || C[i] == 0) continue;
        return FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                        "a section whose stiffnesses are coupled needs 'formulation: "
                        "geometrically-exact'");
    }
    if (b->nslope == 1 && dimension == 3 && fabs(C[28] - C[35]) > 1e-6 * (C[28] + C[35])) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                        "a cable in space has one bending stiffness: it does not know its axes. "
                        "Use 'ancf' or 'geometrically-exact' for %g and %g N m^2",
                        C[28], C[35]);
    }
    return FLX_OK;
}

// Stiffness and mass of one place.
static flx_status take_place(flx_ctx *ctx, int dimension, const flx_beam *b,
                             const flx_given_section *g, flx_beam_station *out)
{
    double C[36];
    flx_section c;
    flx_beam_law law;
    FLX_TRY(flx_given_section_law(ctx, g, C, &c, &law));
    const double diagonal[6] = {law.EA, law.GAy, law.GAz, law.GJ, law.EIy, law.EIz};
    *out = (flx_beam_station){.mass = law.mass, .inertia = {law.Ix, law.Iy, law.Iz}};
    for (int i = 0; i < 6; i++) out->stiffness[7 * i] = diagonal[i];
    if (c.coupled) memcpy(out->stiffness, C, sizeof C);
    return b->nslope > 0 ? check_ancf(ctx, dimension, b, g->loc, out->stiffness) : FLX_OK;
}

static flx_status take_stations(flx_ctx *ctx, int dimension, flx_beam *b)
{
    double at[MOST_STRAINS];
    bool mean = false;
    int n = strain_points(b, at, &mean), count = n + FLX_BEAM_MASS_POINTS;
    for (int i = 0; i < b->nelement; i++) {
        flx_beam_station *to = b->stations + (ptrdiff_t)b->nstation * i;
        const flx_given_section *from = b->given + 1 + (ptrdiff_t)count * i;
        for (int k = 0; k < count; k++) {
            FLX_TRY(take_place(ctx, dimension, b, from + k, to + (k < n ? k : k + mean)));
        }
        if (mean) find_mean(to + n + 1, to + n);
    }
    return FLX_OK;
}

static void take_damping(int dimension, flx_beam *b)
{
    const double *C = b->stiffness;
    double length = 0, EI = dimension == 2 ? C[35] : fmin(C[28], C[35]);
    memcpy(b->rayleigh, b->damping, sizeof b->rayleigh);
    if (!b->by_ratio) return;
    for (int i = 0; i < b->nelement; i++) length += b->lengths[i];
    double frequency = CANTILEVER / (length * length) * sqrt(EI / b->mass);
    b->rayleigh[0] = 0;
    b->rayleigh[1] = 2.0 * b->damping[0] / frequency;
}

flx_status flx_beam_take_sections(flx_ctx *ctx, int dimension, flx_beam *b)
{
    const flx_given_section *g = b->given;
    flx_beam_station at;
    FLX_TRY(take_place(ctx, dimension, b, g, &at));
    memcpy(b->stiffness, at.stiffness, sizeof b->stiffness);
    memcpy(b->inertia, at.inertia, sizeof b->inertia);
    b->mass = at.mass;
    b->E = g->E;
    b->nu = g->material ? g->nu : 0;
    b->round = g->form == FLX_SECTION_CIRCLE;
    if (g->form < FLX_SECTION_STIFFNESSES) {
        b->size[0] = g->size[0];
        b->size[1] = b->round ? g->size[0] : g->size[1];
    }
    take_damping(dimension, b);
    return b->stations ? take_stations(ctx, dimension, b) : FLX_OK;
}

// ---- nodes --------------------------------------------------------------------------------------

double flx_beam_share(const flx_beam *b, int i)
{
    int element = i / b->order, k = i % b->order;
    double share = 0;
    if (element < b->nelement) share += b->mass_parts[k] * b->lengths[element];
    if (k == 0 && element > 0) share += b->mass_parts[b->order] * b->lengths[element - 1];
    return share;
}

static const flx_beam_station *masses_of(const flx_beam *b, int element)
{
    return b->stations + (ptrdiff_t)b->nstation * (element + 1) - FLX_BEAM_MASS_POINTS;
}

// What an element gives to its node k.
static void add_share(const flx_beam *b, int element, int k, flx_beam_station *sum)
{
    const flx_beam_station *m = masses_of(b, element);
    double at[FLX_BEAM_MASS_POINTS], w[FLX_BEAM_MASS_POINTS];
    flx_beam_mass_rule(at, w);
    for (int p = 0; p < FLX_BEAM_MASS_POINTS; p++) {
        double N[FLX_BEAM_MOST_NODES], dN[FLX_BEAM_MOST_NODES];
        flx_lagrange_eval(b->order + 1, b->node_parts, at[p], N, dN);
        double part = w[p] * b->lengths[element] * N[k];
        sum->mass += part * m[p].mass;
        for (int j = 0; j < 3; j++) sum->inertia[j] += part * m[p].inertia[j];
    }
}

// A rigid piece: halves of two elements, along x from its centre.
static double add_piece(const flx_beam *b, int i, flx_beam_station *sum)
{
    enum { HALF = FLX_BEAM_MASS_POINTS / 2 };
    double at[FLX_BEAM_MASS_POINTS], w[FLX_BEAM_MASS_POINTS], first = 0, second = 0;
    double length = flx_beam_share(b, i), stretch = b->pieces[i] / length;
    double before = i > 0 ? 0.5 * b->lengths[i - 1] : 0;
    flx_beam_mass_rule(at, w);
    for (int side = 0; side < 2;
         side++) { // the end of the element before, the beginning of the next
        int element = i - 1 + side;
        if (element < 0 || element >= b->nelement) continue;
        const flx_beam_station *m = masses_of(b, element);
        double h = b->lengths[element];
        for (int p = side ? 0 : HALF; p < (side ? HALF : 2 * HALF); p++) {
            double x = side ? before + h * at[p] : h * (at[p] - 0.5);
            x = stretch * (x - 0.5 * length);
            double part = w[p] * h, mass = part * m[p].mass;
            sum->mass += mass;
            first += mass * x;
            second += mass * x * x;
            for (int j = 0; j < 3; j++) sum->inertia[j] += part * m[p].inertia[j];
        }
    }
    double centre = first / sum->mass;
    for (int j = 1; j < 3; j++) sum->inertia[j] += second - first * centre;
    return centre;
}

// Of a section that varies; rigid pieces have their centre of mass where it is.
static flx_status take_varying(flx_ctx *ctx, const flx_beam *b, int i, flx_body *node)
{
    flx_beam_station sum = {.mass = 0};
    int p = b->order, element = i / p, k = i % p;
    node->com[0] = 0;
    if (b->formulation == FLX_BEAM_SEGMENTS) {
        node->com[0] = add_piece(b, i, &sum);
    } else {
        if (element < b->nelement) add_share(b, element, k, &sum);
        if (k == 0 && element > 0) add_share(b, element - 1, p, &sum);
    }
    node->mass = sum.mass;
    bool sound = sum.mass > 0;
    for (int j = 0; j < 3; j++) {
        node->inertia[4 * j] = sum.inertia[j];
        sound = sound && sum.inertia[j] >= 0;
    }
    if (sound) return FLX_OK;
    return FLX_FAIL(ctx, FLX_ERR_MODEL, b->loc,
                    "the section of '%s' changes too much over one element of order %d for its "
                    "mass at the nodes: give more elements, or a lower order",
                    b->name, p);
}

static void take_uniform(const flx_beam *b, int i, flx_body *node)
{
    double share = flx_beam_share(b, i);
    node->mass = share * b->mass;
    for (int j = 0; j < 3; j++) {
        node->inertia[4 * j] = share * b->inertia[j];
        bool rod = j > 0 && b->formulation == FLX_BEAM_SEGMENTS;
        if (rod) node->inertia[4 * j] += node->mass * pow(b->pieces[i], 2) / 12;
    }
}

// For pictures: a rigid segment. Other beams are drawn along their nodes.
static void take_shape(const flx_beam *b, int i, flx_shape *s)
{
    const double *C = b->stiffness;
    double h = b->pieces[i], across[2];
    for (int k = 0; k < 2; k++) { // of stiffnesses: the rectangle that has them
        across[k] = b->size[k] > 0 ? b->size[k] : sqrt(12 * C[28 + 7 * k] / C[0]);
    }
    s->size[0] = h, s->size[1] = across[1], s->size[2] = across[0];
    if (b->round) s->size[0] = b->size[0], s->size[1] = h, s->size[2] = 0;
}

flx_status flx_beam_take_node(flx_ctx *ctx, const flx_beam *b, int i, flx_body *node)
{
    if (b->stations) {
        FLX_TRY(take_varying(ctx, b, i, node));
    } else {
        take_uniform(b, i, node);
    }
    if (b->nslope > 0) memset(node->inertia, 0, sizeof node->inertia);
    if (b->formulation == FLX_BEAM_SEGMENTS && node->nshape == 1) take_shape(b, i, node->shapes);
    return FLX_OK;
}

void flx_beam_take_axes(const flx_beam *b, int i, double mass, flx_body *axes)
{
    double share = flx_beam_share(b, i), J = 0.0;
    for (int k = 0; k < 3; k++) J = fmax(J, b->inertia[k]);
    J += b->mass * share * share / 50.0; // about what the slope along the line has
    axes->mass = SMALL_INERTIA * mass;
    for (int k = 0; k < 3; k++) axes->inertia[4 * k] = SMALL_INERTIA * share * J;
}

flx_status flx_beams_follow(flx_model *own)
{
    for (int k = 0; k < own->nbeam; k++) {
        flx_beam *b = own->beams + k;
        if (!b->follows) continue;
        FLX_TRY(flx_beam_take_sections(own->ctx, own->dimension, b));
        for (int i = 0; i < b->nnode; i++) {
            flx_body *node = own->bodies + b->nodes[i];
            FLX_TRY(flx_beam_take_node(own->ctx, b, i, node));
            if (!b->axes || b->axes[i] < 0) continue;
            flx_beam_take_axes(b, i, node->mass, own->bodies + b->axes[i]);
        }
    }
    return FLX_OK;
}
