// wrapper.h - what systems made of one other system share: the chart, the constraints and the instants are
// those of the base. Unknowns of the base keep their order within their kind; a wrapper may put
// algebraic ones after the base's own, and see a point or a state of its own as another of the base.
#pragma once

#include "base/common.h"
#include "math/index1.h"
#include "system/twin.h"

typedef struct flx_wrapper {
    flx_system sys;
    flx_system_ops ops;
    // Of an instance the compiled system, which owns all arrays but those that `own` took; NULL: this is the
    // compiled one.
    const struct flx_wrapper *compiled;
    size_t size;      // bytes, from sys on
    flx_system *base; // owned, or
    bool borrowed;
    flx_arena *arena; // owned: all arrays
    // How the base sees a point, or a state by its arrays; NULL: as it is.
    void (*point)(const flx_system *s, flx_work *w, flx_point *p);
    void (*state)(const flx_system *s, flx_work *w, flx_state *x);
    // Arrays of an instance that are its own, from its arena; NULL: all are those of the compiled system.
    flx_status (*own)(struct flx_wrapper *z);
    // Of an instance whose parameters were set: numbers that follow from those of the base. NULL: there are none.
    flx_status (*renew)(struct flx_wrapper *z);
    // What numbers of its own are that were found with the parameters as they were; NULL: there are none.
    const char *frozen;
} flx_wrapper;

// The work of every wrapper begins with this.
typedef struct flx_wrapper_work {
    flx_work base;
    flx_work *inner;    // owned: the base's
    flx_index1 *index1; // owned; of the explicit form below, made when asked for
    flx_twin twin;      // for slopes by parameters
    flx_arena *arena;   // owned: all arrays
} flx_wrapper_work;

static inline const flx_wrapper *flx_wrapper_of(const flx_system *s)
{
    return (const flx_wrapper *)s;
}

static inline flx_work *flx_wrapper_inner(const flx_work *w)
{
    return ((const flx_wrapper_work *)w)->inner;
}

// A system of size bytes that begins with a wrapper and says of itself what the base says; NULL: no
// memory. The pattern and the operations of its own (residual, linearise, energy, work_create) are left
// to the caller. It owns base, which is destroyed when there is no memory.
void *flx_wrapper_create(flx_system *base, const char *name, size_t size);
// The same of a base that is borrowed, also when there is no memory.
void *flx_wrapper_create_beside(const flx_system *base, const char *name, size_t size);
// Given out in *s, or destroyed when the caller's part failed; returns status.
flx_status flx_wrapper_finish(flx_wrapper *z, flx_status status, flx_system **s);
// The pattern on blocks of the base from n keys (flx_pattern_make), with all entries of the base.
// entry: (entries of the base) those here.
flx_status flx_wrapper_make_pattern(flx_wrapper *z, int n, long long *keys, int **entry);
// The numbers of an entry of the base into that of the wrapper.
void flx_wrapper_copy_entry(const flx_wrapper *z, const flx_blocks *from, int e, int to,
                            flx_blocks *b);

// A work of size bytes that begins with that of a wrapper; NULL: no memory.
void *flx_wrapper_work_create(const flx_system *s, size_t size);
void flx_wrapper_work_destroy(flx_work *w); // accepts NULL
void flx_wrapper_work_memory(flx_work *w, flx_memory *m);

// The explicit form of a wrapper that leaves every velocity an inertia; NULL: the base has none.
const flx_explicit *flx_wrapper_explicit(const flx_wrapper *z);

// Positions among q that velocities J move by themselves, and by as much; -1: none, such as those of
// rotations.
flx_status flx_wrapper_places(const flx_wrapper *z, int n, const int *J, int *place);
// Whether all of them are such, so that no term of a group comes with a change of their inertia.
flx_status flx_wrapper_plain(const flx_wrapper *z, int n, const int *J, bool *plain);

// Whether a system is made by init.
int flx_wrapper_is(const flx_system *s);
// What numbers of s, or of a system in it, are that were found with the parameters of the compile and follow no others;
// NULL: there are none.
const char *flx_wrapper_frozen(const flx_system *s);

// The innermost base; any other system is its own.
const flx_system *flx_wrapper_innermost(const flx_system *s);
// The same, with the workspace and the state as it sees them.
// x: a copy by value that shares arrays.
const flx_system *flx_wrapper_base(const flx_system *s, flx_work **w, flx_state *x);
