// peer_simbody.cpp - the chain in Simbody: pin joints, articulated bodies.
#include "peers.h"

#include <simbody/Simbody.h>

#include <cstdio>
#include <exception>

using namespace SimTK;

namespace {

struct chain {
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    Force::UniformGravity gravity{forces, matter, Vec3(0, 0, -9.81)};
    State state;
    Vector mobility, tau, a;
    Vector_<SpatialVec> wrench;
    Matrix M;
};

void *create(int n)
{
    try {
        chain *c = new chain;
        Inertia J = Inertia(0.005, 0.085, 0.085).shiftFromMassCenter(Vec3(0.5, 0, 0), 1.0);
        Body::Rigid link(MassProperties(1.0, Vec3(0.5, 0, 0), J));
        MobilizedBody parent = c->matter.Ground();
        for (int i = 0; i < n; i++) {
            Rotation R; // its third axis is the pin's
            if (i % 2 == 0) R = Rotation(Mat33(0, 1, 0, 0, 0, 1, 1, 0, 0), true);
            MobilizedBody::Pin pin(parent, Transform(R, Vec3(i > 0, 0, 0)), link,
                                   Transform(R, Vec3(0)));
            parent = pin;
        }
        c->state = c->system.realizeTopology();
        c->system.realizeModel(c->state);
        c->mobility.resize(n);
        c->mobility = 0;
        c->a.resize(n);
        return c;
    } catch (const std::exception &e) {
        std::fprintf(stderr, "Simbody: %s\n", e.what());
        return nullptr;
    }
}

void destroy(void *c)
{
    delete static_cast<chain *>(c);
}

void set(chain *c, const double *q, const double *v)
{
    Vector &Q = c->state.updQ();
    for (int i = 0; i < Q.size(); i++) Q[i] = q[i];
    if (!v) return;
    Vector &U = c->state.updU();
    for (int i = 0; i < U.size(); i++) U[i] = v[i];
}

void forward(void *chain_in, const double *q, const double *v, double *a)
{
    chain *c = static_cast<chain *>(chain_in);
    set(c, q, v);
    c->system.realize(c->state, Stage::Acceleration);
    const Vector &rate = c->state.getUDot();
    for (int i = 0; i < rate.size(); i++) a[i] = rate[i];
}

void inverse(void *chain_in, const double *q, const double *v, const double *a, double *tau)
{
    chain *c = static_cast<chain *>(chain_in);
    set(c, q, v);
    c->system.realize(c->state, Stage::Dynamics);
    for (int i = 0; i < c->a.size(); i++) c->a[i] = a[i];
    c->matter.calcResidualForceIgnoringConstraints(
        c->state, c->mobility, c->system.getRigidBodyForces(c->state, Stage::Dynamics), c->a,
        c->tau);
    for (int i = 0; i < c->tau.size(); i++) tau[i] = c->tau[i];
}

void mass(void *chain_in, const double *q, double *M)
{
    chain *c = static_cast<chain *>(chain_in);
    set(c, q, nullptr);
    c->system.realize(c->state, Stage::Position);
    c->matter.calcM(c->state, c->M);
    if (!M) return;
    for (int i = 0; i < c->M.nrow(); i++) {
        for (int j = 0; j < c->M.ncol(); j++) M[i * c->M.ncol() + j] = c->M(i, j);
    }
}

} // namespace

extern "C" const peer peer_simbody = {"Simbody", create, destroy, forward, inverse, mass};
