// mjcf_parts.h - inside of the reader of MJCF: mjcf.c bodies, mjcf_options.c what holds for the whole file, mjcf_joints.c joints,
// mjcf_values.c attributes with their defaults and orientations, mjcf_shapes.c geoms and the inertia that follows from them,
// mjcf_meshes.c files of geoms, mjcf_links.c equalities, mjcf_actuators.c actuators, mjcf_start.c keyframes, mjcf_include.c files
// within files.
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
    double bound_mass, bound_inertia, total_mass;
    double groups[2]; // of geoms that count for inertia
    const char *mesh_folder;
    bool plain_files; // folders in names of files do not count
    bool told_kind, told_ground;
} flx_mjcf;

// <compiler>, <option> and <flag>; frames give their elements to what they are in.
flx_status flx_mjcf_options(flx_mjcf *m);
flx_status flx_mjcf_open_frames(flx_mjcf *m, flx_xml *e);
// Whether the element is a joint; joint number njoint of the robot.
bool flx_mjcf_is_joint(const flx_xml *e);
flx_status flx_mjcf_joint(flx_mjcf *m, const flx_xml *e, int parent, int child,
                          const flx_robot_pose *body);
// By the name of the file; FLX_ROBOT_GROUND, -1; -2, -1: there is none.
int flx_mjcf_find_link(const flx_robot *robot, const char *name);
int flx_mjcf_find_joint(const flx_robot *robot, const char *name);
bool flx_mjcf_has_coordinate(const flx_robot_joint *j);

// Notes for elements of classes that are not there.
void flx_mjcf_check_classes(flx_mjcf *m);
bool flx_mjcf_is_actuator(const flx_xml *e);
// The <default> that counts for an element, within those that it follows; NULL: there is none.
const flx_xml *flx_mjcf_class(const flx_mjcf *m, const flx_xml *e);
// The value of an attribute: of the element, else of the default of its class.
const char *flx_mjcf_get(const flx_mjcf *m, const flx_xml *e, const char *attribute);
flx_status flx_mjcf_numbers(const flx_mjcf *m, const flx_xml *e, const char *attribute, int most,
                            double *out, int *n);
// pos with quat, axisangle, euler, xyaxes or zaxis; in the body, through frames.
flx_status flx_mjcf_pose(const flx_mjcf *m, const flx_xml *e, flx_robot_pose *out);
// The same, or the middle of `fromto`, z from its second point to its first; length: between them, 0 without them.
flx_status flx_mjcf_placed(const flx_mjcf *m, const flx_xml *e, flx_robot_pose *out,
                           double *length);
bool flx_mjcf_is(const flx_mjcf *m, const flx_xml *e, const char *attribute, const char *value);

// All geoms of a body: shapes; where it is asked for its mass.
flx_status flx_mjcf_geoms(flx_mjcf *m, const flx_xml *body, flx_robot_link *link, bool massive);
// The mesh of a geom: false: there is no such file, which has been told. solid: with its volume 0 where it is open.
flx_status flx_mjcf_mesh(flx_mjcf *m, const flx_xml *geom, flx_robot_shape *shape,
                         flx_robot_solid *solid, bool *found);

flx_status flx_mjcf_equalities(flx_mjcf *m);
flx_status flx_mjcf_actuators(flx_mjcf *m);
// The first keyframe is the start.
flx_status flx_mjcf_start(flx_mjcf *m);
