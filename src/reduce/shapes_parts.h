// shapes_parts.h - what the files of the shapes share: shapes.c which ones there are, shapes_frame.c their
// orthonormal form as the frame sees it, shapes_check.c how exact their frequencies are.
#pragma once

#include "math/frontal/frontal.h"
#include "reduce/basis.h"

typedef struct flx_shape_search {
    const flx_free_structure *s;
    const flx_basis *b;
    size_t n;
    double *V; // (room, n)
    int count, room;
    double *MR; // (nrigid, n)
    double RMR[36];
    int pivot[6];
    double lowest; // square of the lowest frequency found
    double next;
    double *error; // (count) of the frequencies where it is known; NULL: it is found
} flx_shape_search;

typedef struct flx_shape_part { // the structure without the unknowns that are held
    int n;
    int *list; // (n) those that stay
    int *group;
    flx_symmetric K, M;
} flx_shape_part;

// Whether component c of interface i carries a load of its own.
static inline bool flx_shapes_has_port(const flx_shape_search *q, int i, int c)
{
    if (q->b->components && !(q->b->components[i] >> c & 1u)) return false;
    return q->s->interfaces[i].count[c] > 0;
}

// centrifugal.c: how many shapes the angular velocity adds; these behind the others, by the factor of K + sigma M (RED-18).
int flx_centrifugal_count(const flx_shape_search *q);
flx_status flx_centrifugal_add(flx_shape_search *q, flx_frontal *factor, double sigma);

// The shapes of the basis one by one, static ones before modes, before they are made orthonormal: V.
flx_status flx_shapes_collect(flx_shape_search *q);
// Whether interfaces can be held: their components are unknowns themselves.
bool flx_shapes_are_held(const flx_free_structure *s);
// Inertia of rigid motions: MR and RMR.
flx_status flx_shapes_prepare(flx_shape_search *q);
// F (count, n) less the inertia of the rigid motion that they cause: loads in equilibrium.
void flx_shapes_relieve(const flx_shape_search *q, int count, double *F);
// X (count, n): displacements by the loads F, which are in equilibrium, without mean motion; Y: room for as many.
flx_status flx_shapes_solve_free(const flx_shape_search *q, int count, const double *F, double *X,
                                 double *Y);
// Factor of its stiffness, refused where it is singular.
flx_status flx_shapes_factor(const flx_shape_search *q, const flx_shape_part *p, flx_frontal **f);
// x - R (R^T M R)^-1 R^T M x: without the mean motion.
void flx_shapes_take_mean_away(const flx_shape_search *q, double *x);
// Largest K_ii/M_ii: of the size of the highest eigenvalue, and not above it.
double flx_shapes_highest_ratio(const flx_free_structure *s);
// Of unit size each: what is left of one beside the others is compared with it.
flx_status flx_shapes_scale(flx_shape_search *q);
// V becomes orthonormal, then as the frame sees it; with its frequencies and masses.
// p: what is held; NULL: the structure is free.
flx_status flx_shapes_finish(flx_shape_search *q, const flx_shape_part *p, flx_shapes *out);
// V as the frame sees it (MSH-2).
flx_status flx_shapes_see_from_frame(flx_shape_search *q);
// How far the frequencies are above those of the structure, in proportion: error (count).
flx_status flx_shapes_check(const flx_shape_search *q, const flx_shape_part *p,
                            const double *omega2, double *error);
