// beam_along.c - beams of large deformation whose section changes along the line. Stiffness is taken where the
// formulation takes strains, so that its order stays; elements with one strain along them have the mean flexibility,
//
//     C_e^-1 = mean of C(x)^-1 over the element                                                    (BEA-15)
// with which constant forces and moments deform them exactly. Nodes get m_i = integral of N_i times the mass of a metre:
// the mass of the beam and its centre are exact. Rigid segments have the mass, the centre and the inertia of their
// piece of the line.
#include "language/flexible/deformable.h"
#include "language/flexible/section_along.h"
#include "math/quadrature.h"

#include <string.h>

#define MOST_STRAINS (FLX_BEAM_MOST_NODES + 4)

// Parts of an element at which strains are taken. mean: one more of the whole element, the last.
static int strain_points(const flx_beam *beam, double at[MOST_STRAINS], bool *mean)
{
    double w[FLX_BEAM_MOST_NODES];
    *mean = beam->nslope != 1 && beam->order == 1;
    if (beam->nslope > 0) {
        for (int k = 0; k < 3; k++) at[k] = 0.5 * k;
        if (beam->nslope > 1) return 3;
        flx_quadrature_gauss(2, at + 3, w);
        return 5;
    }
    if (*mean) return 0;
    flx_quadrature_gauss(beam->order, at, w);
    return beam->order;
}

int flx_beam_along_points(const flx_beam *beam, double *at)
{
    double own[MOST_STRAINS], mass[FLX_BEAM_MASS_POINTS], w[FLX_BEAM_MASS_POINTS];
    bool mean = false;
    int n = strain_points(beam, own, &mean);
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

flx_status flx_beam_read_stations(flx_env *e, const flx_item *body, flx_beam_data *d)
{
    flx_beam *beam = &d->def;
    const flx_entry *y = flx_entry_get(body->def, "section");
    double at[MOST_STRAINS];
    bool mean = false;
    int n = strain_points(beam, at, &mean), own = n + mean;
    int count = n + FLX_BEAM_MASS_POINTS;
    beam->nstation = own + FLX_BEAM_MASS_POINTS;
    beam->stations = flx_arena_take(e->b->m->arena, (size_t)(beam->nstation * beam->nelement),
                                    sizeof(*beam->stations));
    if (!beam->stations) return FLX_ERR_MEMORY;
    for (int i = 0; i < beam->nelement; i++) {
        flx_beam_station *to = beam->stations + (ptrdiff_t)beam->nstation * i;
        for (int k = 0; k < count; k++) {
            flx_local s;
            flx_env here;
            FLX_TRY(flx_env_along(e, y, d->along[count * i + k], &s, &here));
            FLX_TRY(flx_beam_read_station(&here, body, beam, to + (k < n ? k : k + mean)));
        }
        if (mean) find_mean(to + own, to + n);
    }
    return FLX_OK;
}

static const flx_beam_station *masses_of(const flx_beam *beam, int element)
{
    return beam->stations + (ptrdiff_t)beam->nstation * (element + 1) - FLX_BEAM_MASS_POINTS;
}

// ---- nodes --------------------------------------------------------------------------------------

// What an element gives to its node k.
static void add_share(const flx_beam_data *d, int element, int k, flx_beam_station *sum)
{
    const flx_beam_station *m = masses_of(&d->def, element);
    double at[FLX_BEAM_MASS_POINTS], w[FLX_BEAM_MASS_POINTS];
    flx_beam_mass_rule(at, w);
    for (int p = 0; p < FLX_BEAM_MASS_POINTS; p++) {
        double N[FLX_BEAM_MOST_NODES], dN[FLX_BEAM_MOST_NODES];
        flx_lagrange_eval(d->def.order + 1, d->node_parts, at[p], N, dN);
        double part = w[p] * d->def.lengths[element] * N[k];
        sum->mass += part * m[p].mass;
        for (int j = 0; j < 3; j++) sum->inertia[j] += part * m[p].inertia[j];
    }
}

// A rigid piece: halves of two elements, along x from its centre.
static double add_piece(const flx_beam_data *d, int i, flx_beam_station *sum)
{
    enum { HALF = FLX_BEAM_MASS_POINTS / 2 };
    const flx_beam *beam = &d->def;
    double at[FLX_BEAM_MASS_POINTS], w[FLX_BEAM_MASS_POINTS], first = 0, second = 0;
    double length = flx_beam_share(d, i), stretch = beam->pieces[i] / length;
    double before = i > 0 ? 0.5 * beam->lengths[i - 1] : 0;
    flx_beam_mass_rule(at, w);
    for (int side = 0; side < 2;
         side++) { // the end of the element before, the beginning of the next
        int element = i - 1 + side;
        if (element < 0 || element >= beam->nelement) continue;
        const flx_beam_station *m = masses_of(beam, element);
        double h = beam->lengths[element];
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

flx_status flx_beam_node_masses(flx_builder *b, const flx_beam_data *d, int i, flx_body *node,
                                double *centre)
{
    const flx_beam *beam = &d->def;
    flx_beam_station sum = {.mass = 0};
    int p = beam->order, element = i / p, k = i % p;
    *centre = 0;
    if (beam->formulation == FLX_BEAM_SEGMENTS) {
        *centre = add_piece(d, i, &sum);
    } else {
        if (element < beam->nelement) add_share(d, element, k, &sum);
        if (k == 0 && element > 0) add_share(d, element - 1, p, &sum);
    }
    node->mass = sum.mass;
    bool sound = sum.mass > 0;
    for (int j = 0; j < 3; j++) {
        node->inertia[4 * j] = sum.inertia[j];
        sound = sound && sum.inertia[j] >= 0;
    }
    if (sound) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, beam->loc,
                    "the section of '%s' changes too much over one element of order %d for its "
                    "mass at the nodes: give more elements, or a lower order",
                    beam->name, p);
}
