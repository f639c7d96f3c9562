// read_equilibrium.c - analyses of type equilibrium.
#include "language/analyses/analysis_reader.h"
#include "joint/joint.h"
#include "model/linear_keys.h"

#include <math.h>
#include <string.h>

static const flx_key_row keys[] = {
    {"joint", "name",
     .doc = "A revolute joint on the ground about which the model turns steadily, with `speed`: "
            "bodies that joints connect with it turn, what is on the other side of it stays."},
    {"speed", "number", .unit = "rad/s",
     .doc = "With `joint`: of its second body against the first. What is sought is at rest in axes "
            "that turn so: with the forces of this motion."},
    {0}};

static flx_status read(flx_env *e, const flx_item *item, flx_analysis *out)
{
    flx_builder *b = e->b;
    const flx_entry *joint = flx_entry_get(item->def, "joint"),
                    *speed = flx_entry_get(item->def, "speed");
    flx_turning_keys *own = flx_arena_take(b->m->arena, 1, sizeof *own);
    const flx_item *found = NULL;
    flx_operand v;
    if (!own) return FLX_ERR_MEMORY;
    if (!joint && !speed) return FLX_OK;
    if (!joint || !speed) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, (joint ? joint : speed)->loc,
                        "a steady rotation has both a 'joint' and a 'speed'");
    }
    out->own = own;
    FLX_TRY(flx_build_number(e, speed, &own->speed));
    FLX_TRY(flx_build_value(e, joint, &v));
    found = flx_operand_get_item(&v);
    if (!found || found->kind != FLX_KIND_JOINT || found->family) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, joint->loc, "'%s' is no joint", joint->text);
    }
    const flx_joint *j = &((const flx_joint_data *)found->data)->def;
    own->joint = found->number;
    bool grounded = j->body[0] == FLX_BODY_GROUND || j->body[1] == FLX_BODY_GROUND;
    if (strcmp(j->kind->says.word, "revolute") == 0 && grounded) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, joint->loc,
                    "a model turns steadily about a revolute joint on the ground: '%s' is %s",
                    joint->text, grounded ? j->kind->says.word : "between two bodies");
}

const flx_analysis_reader flx_reader_EQUILIBRIUM = {
    .says = {.word = "equilibrium",
             .dimensions = "23",
             .doc = "equilibrium: all forces in balance at zero velocity, or with `joint` and "
                    "`speed` in a steady rotation",
             .example = "spin: {type: equilibrium, joint: shaft, speed: 30}",
             .keys = keys},
    .rest = true,
    .read = read,
};
