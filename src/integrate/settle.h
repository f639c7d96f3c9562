// settle.h - what is shown of a state beside its motion: accelerations, rates, algebraic unknowns and
// multipliers that the equations give at its positions, velocities and states, whatever the method
// carries. A method's own are values of stages, of the middle of a step or of a polynomial through
// them; nothing controls their error, and where positions move evenly (a rotor) steps of whole turns
// make them meaningless.
//
// They are found by the system's form for explicit methods; where it has none that serves, by (ACC-1);
// where the masses do not determine the accelerations, as limits (REL-1).
// Of compliant constraints that are far too stiff for the step rows give the error of the positions over the
// compliance, and rounding at least. Their forces are those of the method where they are near to what
// either the rows or rigid constraints in their place give; else these.
#pragma once

#include "base/checkpoint_walk.h"
#include "base/common.h"
#include "flexion/extend/system_table.h"

typedef struct flx_settler flx_settler;

// start: a consistent state, with which the ways are tried out and take their memory. by_form: the form for explicit
// methods is known to serve there.
flx_status flx_settler_create(const flx_system *s, flx_work *work, const flx_state *start,
                              bool by_form, flx_settler **made);
// Whether it does.
bool flx_settler_by_form(const flx_settler *k);
void flx_settler_destroy(flx_settler **made);

// Whether what was found so far decides, in the last digits, what is found next: a run that begins again takes a new one.
bool flx_settler_remembers(const flx_settler *k);

// Whether they are limits, which cost several steps each.
bool flx_settler_by_limits(const flx_settler *k);

// a, dx, w, lam and mu of x, which lies in a step of length h; 0: there was none. Positive status: they cannot be found, and are left as they were.
flx_status flx_settle(flx_settler *k, flx_work *work, flx_state *x, double h);

// What the next state is found with (base/checkpoint_walk.h).
void flx_settler_memory(flx_settler *k, flx_memory *m);
