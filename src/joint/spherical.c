// spherical.c - coincidence of two points, rotation free.
#include "joint/joint.h"

const flx_joint_kind flx_joint_SPHERICAL = {.space = flx_plan_point};
