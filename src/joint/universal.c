// universal.c - coincidence, and an axis of the first keeps its drawn angle to one of the second.
#include "joint/joint.h"

static void space(flx_joint_plan *p)
{
    const flx_joint *j = p->joint;
    v3 axis[2];
    for (int i = 0; i < 2; i++) {
        v3 a = v3_load(j->axis[i]);
        int body = j->body[i];
        axis[i] = body < 0 ? a : m33_mul_v(m33_load(p->model->bodies[body].R), a);
    }
    flx_plan_point(p);
    flx_plan_dot(p, j->axis[0], j->axis[1], v3_dot(axis[0], axis[1]), "angle of the axes");
}

const flx_joint_kind flx_joint_UNIVERSAL = {.space = space};
