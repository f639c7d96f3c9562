// flexion/dynamics.h - the tree of a model as calls: forward and inverse dynamics, mass matrix, exact
// derivatives, for controllers, optimisation and everything that steps by itself.
//
// What moves are the bodies on the joints of the model's spanning tree, under gravity and forces tau along
// the joints. Forces, motions and equations of the model and joints that close loops are not part of it.
#pragma once

#include "flexion/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct flx_dynamics flx_dynamics; // one for each thread; the model must live as long
// The tree of a model that was read or checked. FLX_ERR_CANNOT: it has none.
FLX_API flx_status flx_dynamics_create(const flx_model *model, flx_dynamics **d);
FLX_API void flx_dynamics_destroy(flx_dynamics **d);

// Coordinates q: angles and displacements, from the initial configuration on, of the joint's second body
// relative to its first, as its signals are; quaternions w x y z of spherical joints and floating
// bodies, and displacements of planar joints, are of the body that is carried; the place of a floating
// body is that of its centre of mass, in axes of the ground. Velocities v: rates, and the angular
// velocity in the axes of the body that is carried.
FLX_API int flx_dynamics_coordinates(const flx_dynamics *d); // nq
FLX_API int flx_dynamics_freedoms(const flx_dynamics *d);    // nv
FLX_API int flx_dynamics_loops(const flx_dynamics *d); // joints that are cut, and not closed here
FLX_API const double *flx_dynamics_drawn(const flx_dynamics *d); // (nq)
// Joint (a floating body: itself) of velocity i, and which velocity of it; NULL: no such velocity.
FLX_API const char *flx_dynamics_name(const flx_dynamics *d, int i, int *freedom);
// q (+) theta: adds, and turns quaternions. q_out may be q.
FLX_API void flx_dynamics_retract(const flx_dynamics *d, const double *q, const double *theta,
                                  double *q_out);

// a from tau (nv), NULL: zero. FLX_SINGULAR names a body without inertia along its joint.
FLX_API flx_status flx_dynamics_forward(flx_dynamics *d, const double *q, const double *v,
                                        const double *tau, double *a);
FLX_API void flx_dynamics_inverse(flx_dynamics *d, const double *q, const double *v,
                                  const double *a, double *tau);
FLX_API void flx_dynamics_mass(flx_dynamics *d, const double *q, double *M); // (nv x nv)

// Derivatives (nv x nv, row-major: rows of tau or a). Those by q are along theta of q (+) theta.
// Cost: links times depth.
FLX_API void flx_dynamics_inverse_derivatives(flx_dynamics *d, const double *q, const double *v,
                                              const double *a, double *dtau_dq, double *dtau_dv);
// Also a (nv), and da/dtau = M^-1 in da_dtau unless NULL.
FLX_API flx_status flx_dynamics_forward_derivatives(flx_dynamics *d, const double *q,
                                                    const double *v, const double *tau, double *a,
                                                    double *da_dq, double *da_dv, double *da_dtau);

#ifdef __cplusplus
}
#endif
