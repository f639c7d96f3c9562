// free.c - no row at all: says that a body is free, for the tree form.
#include "joint/joint.h"

static void rows(flx_joint_plan *p)
{
    (void)p;
}

const flx_joint_kind flx_joint_FREE = {.space = rows, .plane = rows};
