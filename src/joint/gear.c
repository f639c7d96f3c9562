// gear.c - the coordinate of one joint follows that of another:
// second = ratio * first, both zero initially, over any number of turns.
#include "joint/joint.h"

static void rows(flx_joint_plan *p)
{
    const flx_joint *j = p->joint;
    flx_row_spec *r = flx_plan_scalar(p, FLX_SCALAR_ANGLE, "ratio");
    r->nterm = 2;
    flx_joint_scalar(p->model, j->joint[1], FLX_COORDINATE_NONE, &r->term[0]);
    flx_joint_scalar(p->model, j->joint[0], FLX_COORDINATE_NONE, &r->term[1]);
    r->coefficient[1] = -j->ratio;
    flx_scalar_kind k = r->term[0].kind;
    r->metres = k == FLX_SCALAR_PLANE || k == FLX_SCALAR_PLANE2;
}

static flx_status check(const flx_model *m, const flx_joint *j)
{
    for (int i = 0; i < 2; i++) {
        const flx_joint *of = m->joints + j->joint[i];
        if (of->kind->angle || of->kind->displacement) continue;
        return FLX_FAIL(m->ctx, FLX_ERR_MODEL, j->loc,
                        "gear '%s': joint '%s' is %s and has no angle or displacement", j->name,
                        of->name, of->kind->says.word);
    }
    return FLX_OK;
}

static const flx_key_row keys[] = {
    {.key = "ratio", .form = "number", .needed = true, .doc = "Second coordinate over the first."},
    {0}};

const flx_joint_kind flx_joint_GEAR = {
    .says = {.word = "gear",
             .dimensions = "23",
             .doc = "the coordinate of the second joint is ratio times that of the first",
             .example = "mesh: {type: gear, on: [A, B], ratio: -2.5}",
             .keys = keys},
    .on_joints = true,
    .check = check,
    .space = rows,
    .plane = rows,
};
