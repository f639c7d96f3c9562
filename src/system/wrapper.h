// wrapper.h - what systems made of one other system share: the chart, the bonds and the instants are
// those of the base. Unknowns of the base keep their order within their kind; a wrapper may put
// algebraic ones after the base's own, and see a point or a state of its own as another of the base.
#pragma once

#include "math/index1.h"

typedef struct flx_wrapper {
    flx_system sys;
    flx_system_ops ops;
    flx_system *base; // owned
    // How the base sees a point, or a state by its arrays; NULL: as it is.
    void (*point)(const flx_system *s, flx_work *w, flx_point *p);
    void (*state)(const flx_system *s, flx_work *w, flx_state *x);
} flx_wrapper;

// The work of every wrapper begins with this.
typedef struct flx_wrapper_work {
    const flx_system *base; // borrowed
    flx_work *inner;        // owned: the base's
    flx_index1 *index1;     // owned; of the explicit form below, made when asked for
} flx_wrapper_work;

static inline const flx_wrapper *flx_wrapper_of(const flx_system *s)
{
    return (const flx_wrapper *)s;
}

static inline flx_work *flx_wrapper_inner(const flx_work *w)
{
    return ((const flx_wrapper_work *)(const void *)w)->inner;
}

// A system that says of itself what the base says. The pattern and the operations of its own
// (residual, linearise, unknown, energy, life) are left to the caller; base is borrowed till then.
void flx_wrapper_init(flx_wrapper *z, const char *name, flx_system *base);

// What it begins with; false: no memory. Cleared in any case.
int flx_wrapper_work_begin(const flx_wrapper *z, flx_wrapper_work *w);
void flx_wrapper_work_clear(flx_wrapper_work *w);

// The explicit form of a wrapper that leaves every velocity an inertia; NULL: the base has none.
const flx_explicit *flx_wrapper_explicit(const flx_wrapper *z);

// Whether a system is made by init.
int flx_wrapper_is(const flx_system *s);

// The innermost base; any other system is its own.
const flx_system *flx_wrapper_innermost(const flx_system *s);
// The same, with the workspace and the state as it sees them.
// x: a copy by value that shares arrays.
const flx_system *flx_wrapper_base(const flx_system *s, flx_work **w, flx_state *x);
