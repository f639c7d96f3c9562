// joint.h - what each type of joint consists of. A joint's file says which primitive rows it has in
// space and in the plane, from the joint's data; the system numbers them and runs the kernels.
//
// To add a joint: one file with its flx_joint_kind, and its name in FLX_JOINT_LIST of model.h.
#pragma once

#include "joint/scalar.h"
#include "model/model_data.h"

typedef enum flx_row_kind {
    FLX_ROW_POINT,  // 3 rows (planar 2): flx_row_point
    FLX_ROW_AXIS,   // 2 rows: flx_row_axis
    FLX_ROW_SCALAR, // 1 row: sum of coefficient * scalar, minus a motion
} flx_row_kind;

typedef enum flx_row_role {
    FLX_ROLE_HOLD,   // of the joint itself
    FLX_ROLE_MOTION, // prescribes the coordinate
    FLX_ROLE_START,  // holds a `start`; only in the system of the start
} flx_row_role;

// One primitive of a joint.
typedef struct flx_row_spec {
    flx_row_kind kind;
    flx_row_role role;
    int nrow;
    bool velocity;  // rows on velocity level
    bool metres;    // the row is a length; else an angle or a cosine
    int body[2];    // of POINT and AXIS
    double s[2][3]; // POINT: places from the centres of mass
    double a[2][3]; // AXIS: in the first
    double b[3];    //       in the second
    int nterm;      // SCALAR
    flx_scalar term[2];
    double coefficient[2];
    const char *part[3]; // names of the rows
} flx_row_spec;

#define FLX_MAX_SPECS 10

typedef struct flx_joint_plan {
    const flx_model *model;
    const flx_joint *joint;
    int number;     // of the joint; a scalar's `turn` holds it until the system numbers switches
    double s[2][3]; // places from the centres of mass
    int nspec;
    flx_row_spec spec[FLX_MAX_SPECS];
} flx_joint_plan;

typedef enum flx_coordinate {
    FLX_COORDINATE_NONE,
    FLX_COORDINATE_ANGLE,
    FLX_COORDINATE_DISPLACEMENT,
} flx_coordinate;

typedef struct flx_joint_kind {
    void (*space)(flx_joint_plan *p); // NULL: only in the plane
    void (*plane)(flx_joint_plan *p); // NULL: only in space
    bool angle, displacement;         // coordinates it has
} flx_joint_kind;

#define X(name, word) extern const flx_joint_kind flx_joint_##name;
FLX_JOINT_LIST(X)
#undef X

const flx_joint_kind *flx_joint_kind_of(flx_joint_type type);

// The rows of a joint, its motion included; and the part of its `start` that is held. Errors have the item's place.
flx_status flx_joint_plan_rows(const flx_model *m, int joint, flx_hold hold, flx_joint_plan *p);

// The coordinate that motions, starts, gears and forces on the joint speak of.
flx_coordinate flx_joint_own_coordinate(const flx_model *m, int joint);

// A coordinate of a joint as a scalar; FLX_COORDINATE_NONE: its own. false: it has none.
bool flx_joint_scalar(const flx_model *m, int joint, flx_coordinate which, flx_scalar *s);

// ---- for the files of the joints --------------------------------------------------------------

void flx_plan_point(flx_joint_plan *p);    // the two places coincide
void flx_plan_axis(flx_joint_plan *p);     // the axes stay parallel
void flx_plan_rotation(flx_joint_plan *p); // no relative rotation at all, space or plane
// a (in the first) . b (in the second) keeps the value
void flx_plan_dot(flx_joint_plan *p, const double a[3], const double b[3], double value,
                  const char *part);
// a (in the first) . (second place - first place) = 0
void flx_plan_plane(flx_joint_plan *p, const double a[3], const char *part);
// The second place stays on the axis through the first.
void flx_plan_line(flx_joint_plan *p);
// Any scalar with coefficient 1; made by flx_plan_scalar, completed by the caller.
flx_row_spec *flx_plan_scalar(flx_joint_plan *p, flx_scalar_kind kind, const char *part);
