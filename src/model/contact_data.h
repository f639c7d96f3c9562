// contact_data.h - contacts as the user said them: surfaces of two bodies or of many, and the law between them.
#pragma once

#include "base/common.h"
#include "model/open_number.h"

typedef struct flx_surface flx_surface; // contact/contact_surface.h

typedef enum flx_contact_law {
    FLX_CONTACT_RIGID, // `restitution`: set-valued
    FLX_CONTACT_HERTZ,
    FLX_CONTACT_HUNT_CROSSLEY,
    FLX_CONTACT_LANKARANI,
    FLX_CONTACT_FLORES,
    FLX_CONTACT_PENALTY,
    FLX_CONTACT_MINDLIN,
} flx_contact_law;

// Of surfaces that slide on each other.
typedef struct flx_contact_friction {
    double coefficient, sticking; // while it slides; the most while it sticks, >= coefficient
    flx_open coefficient_open, sticking_open;
    double velocity; // slip that regularises it; 0: set-valued
    flx_open velocity_open;
    double stiffness; // of its spring with memory; 0: none
    flx_open stiffness_open;
    double damping; // beside that spring
    flx_open damping_open;
    double rolling, spinning; // of the reduced radius
    flx_open rolling_open, spinning_open;
} flx_contact_friction;

typedef struct flx_contact_side { // a surface of a body
    int body;                     // frame, as of joints; FLX_BODY_GROUND
    const flx_surface *surface;   // from the centre of mass, body axes; arena
    flx_loc loc;
} flx_contact_side;

// A force of type contact.
typedef struct flx_contact {
    const char *name;
    flx_loc loc;
    int force; // its number among the forces
    bool among;
    int nside;
    flx_contact_side *sides; // (nside)
    int npair;
    int (*pairs)
        [2]; // (npair) numbers of sides that may touch each other; bodies tied by a joint may not
    int ndeforming;
    int (*deforming)[2]; // (ndeforming) the same where a surface deforms
    flx_contact_law law;
    double stiffness, exponent, damping, damping_exponent; // of the law
    flx_open stiffness_open, damping_open;
    bool approach; // damped while it approaches alone
    bool pulls;    // spring and damper until it opens, also where that is a pull
    bool material; // its stiffness is Hertz's, by E, nu and the curvatures
    bool restores; // its damping follows from the restitution
    double E[2], nu[2];
    flx_open E_open[2], nu_open[2];
    double restitution;
    flx_open restitution_open;
    flx_contact_friction friction;
    bool mixed; // its normal forces are unknowns
    int memory; // first state of its springs with memory, those of each point one after the other; -1: none
} flx_contact;

// Whether a compliant contact has Coulomb's friction as it is: stick and slip are switches.
static inline bool flx_contact_is_coulomb(const flx_contact *c)
{
    const flx_contact_friction *f = &c->friction;
    bool rubs = f->coefficient > 0.0 || f->coefficient_open;
    return rubs && c->law != FLX_CONTACT_RIGID && c->memory < 0 && !(f->velocity > 0.0);
}

// What there is to know of a contact at a state; vectors have three numbers, ground axes.
typedef enum flx_contact_signal {
    FLX_CONTACT_GAP = 0,                          // the least
    FLX_CONTACT_VALUE,                            // normal force, all of it
    FLX_CONTACT_FORCE,                            // on the second, all of it
    FLX_CONTACT_FRICTION = FLX_CONTACT_FORCE + 3, // its tangential part
    FLX_CONTACT_SLIP =
        FLX_CONTACT_FRICTION + 3, // of the second against the first where the gap is least,
    FLX_CONTACT_PLACE = FLX_CONTACT_SLIP + 3,  // ... and where that is
    FLX_CONTACT_STATE = FLX_CONTACT_PLACE + 3, // 0 open, 1 slides, 2 sticks; the most of all
    FLX_CONTACT_TOUCHING,                      // how many places touch
    FLX_CONTACT_IMPULSE,                       // normal, summed over impacts
    FLX_CONTACT_COUNT,                         // of impacts
    FLX_CONTACT_POWER,                         // given to the bodies
    FLX_CONTACT_SIGNALS
} flx_contact_signal;
