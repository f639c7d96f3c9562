// mjcf_parts.h - inside of the reader of MJCF: mjcf.c bodies and joints, mjcf_values.c attributes with their defaults and
// orientations, mjcf_shapes.c geoms and the inertia that follows from them, mjcf_links.c equalities and actuators, mjcf_include.c files within
// files.
#pragma once

#include "read/robot/robot.h"
#include "read/robot/xml.h"

typedef struct flx_mjcf {
    flx_robot *robot;
    const flx_robot_options *o;
    const flx_xml *root;
    double angle;         // radians for one unit of the file
    char sequence[4];     // of Euler angles
    int from_geoms;       // of inertia: 0 never, 1 always, 2 where no <inertial> is
    bool limits_by_range; // a range means that it counts
    double bound_mass, bound_inertia;
    bool told_meshes;
} flx_mjcf;

// The value of an attribute: of the element, else of the default of its class.
const char *flx_mjcf_get(const flx_mjcf *m, const flx_xml *e, const char *attribute);
flx_status flx_mjcf_numbers(const flx_mjcf *m, const flx_xml *e, const char *attribute, int most,
                            double *out, int *n);
// pos with quat, axisangle, euler, xyaxes or zaxis.
flx_status flx_mjcf_pose(const flx_mjcf *m, const flx_xml *e, flx_robot_pose *out);
bool flx_mjcf_is(const flx_mjcf *m, const flx_xml *e, const char *attribute, const char *value);

// All geoms of a body: shapes; where it is asked for its mass.
flx_status flx_mjcf_geoms(flx_mjcf *m, const flx_xml *body, flx_robot_link *link, bool massive);

flx_status flx_mjcf_equalities(flx_mjcf *m);
flx_status flx_mjcf_actuators(flx_mjcf *m);
