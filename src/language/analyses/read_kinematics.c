// read_kinematics.c - analyses of type kinematics: motions of joints that make outputs follow what is wanted.
#include "language/analyses/want.h"
#include "model/kinematics_keys.h"
#include "model/nodes.h"

#include <math.h>
#include <string.h>

static flx_status read_want(flx_env *e, const flx_entry *want, flx_kinematics_keys *k)
{
    flx_builder *b = e->b;
    flx_arena *arena = b->m->arena;
    size_t n = (size_t)want->count;
    k->miss = flx_arena_take(arena, n, sizeof *k->miss);
    k->miss_rate = flx_arena_take(arena, n, sizeof *k->miss_rate);
    k->wanted = flx_arena_take(arena, n, sizeof *k->wanted);
    if (!k->miss || !k->miss_rate || !k->wanted) return FLX_ERR_MEMORY;
    for (int i = 0; i < want->count; i++) {
        flx_node output, wanted;
        FLX_TRY(flx_read_output(e, want->keys[i], &output));
        FLX_TRY(flx_read_wanted(e, want->items[i], &wanted));
        k->miss[i] = node_sub(b->g, output, wanted);
        if (k->miss[i] < 0) return FLX_ERR_MEMORY;
        FLX_TRY(flx_env_rate(&e->scope, k->miss[i], want->keys[i]->loc, &k->miss_rate[i]));
        k->wanted[i] = flx_arena_copy(arena, want->keys[i]->text, strlen(want->keys[i]->text));
        if (!k->wanted[i]) return FLX_ERR_MEMORY;
    }
    k->nwant = want->count;
    return FLX_OK;
}

static flx_status read_joint(flx_env *e, const flx_entry *y, flx_kinematics_keys *k)
{
    flx_builder *b = e->b;
    flx_operand v, place, rate;
    FLX_TRY(flx_build_value(e, y, &v));
    flx_item *joint = (flx_item *)flx_operand_get_item(&v);
    if (!joint || joint->kind != FLX_KIND_JOINT || joint->family) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "`move` names joints, with an angle or a displacement");
    }
    for (int i = 0; i < k->nmove; i++) {
        if (k->joints[i] == joint->number)
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "the joint '%s' is listed twice",
                            joint->full);
    }
    FLX_TRY(flx_joint_coordinate(b, joint, y->loc));
    bool slides = ((const flx_joint_data *)joint->data)->displacement;
    FLX_TRY(flx_joint_member(e, joint, slides ? "displacement" : "angle", y->loc, &place));
    FLX_TRY(flx_joint_member(e, joint, "rate", y->loc, &rate));
    k->place[k->nmove] = place.node;
    k->rate[k->nmove] = rate.node;
    k->joints[k->nmove] = joint->number;
    k->names[k->nmove++] = joint->full;
    return FLX_OK;
}

static flx_status read_move(flx_env *e, const flx_entry *move, flx_kinematics_keys *k)
{
    flx_arena *arena = e->b->m->arena;
    size_t n = (size_t)move->count;
    k->place = flx_arena_take(arena, n, sizeof *k->place);
    k->rate = flx_arena_take(arena, n, sizeof *k->rate);
    k->joints = flx_arena_take(arena, n, sizeof *k->joints);
    k->names = flx_arena_take(arena, n, sizeof *k->names);
    k->weights = flx_arena_take(arena, n, sizeof *k->weights);
    k->lower = flx_arena_take(arena, n, sizeof *k->lower);
    k->upper = flx_arena_take(arena, n, sizeof *k->upper);
    if (!k->place || !k->rate || !k->joints || !k->names || !k->weights || !k->lower || !k->upper) {
        return FLX_ERR_MEMORY;
    }
    for (int i = 0; i < move->count; i++) {
        k->weights[i] = 1.0;
        k->lower[i] = -HUGE_VAL;
        k->upper[i] = HUGE_VAL;
        FLX_TRY(read_joint(e, move->items[i], k));
    }
    return FLX_OK;
}

static flx_status read_weights(flx_env *e, const flx_entry *y, flx_kinematics_keys *k)
{
    int n = 0;
    double *given = NULL;
    if (y->kind == FLX_ENTRY_SCALAR && strcmp(y->text, "mass") == 0) {
        k->mass = true;
        return FLX_OK;
    }
    FLX_TRY(flx_build_numbers(e, y, &n, &given));
    if (n != k->nmove) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "%d weights, and %d joints that move", n,
                        k->nmove);
    }
    for (int i = 0; i < n; i++) {
        if (!(given[i] > 0.0)) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                            "the weight of '%s' is positive, not %g", k->names[i], given[i]);
        }
        k->weights[i] = given[i];
    }
    return FLX_OK;
}

// Coordinates of the joints that move.
static flx_status read_places(flx_env *e, const flx_entry *y, const flx_kinematics_keys *k,
                              double **out)
{
    int n = 0;
    double *given = NULL;
    FLX_TRY(flx_build_numbers(e, y, &n, &given));
    if (n != k->nmove) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "%d coordinates, and %d joints that move",
                        n, k->nmove);
    }
    *out = flx_arena_take(e->b->m->arena, (size_t)n, sizeof **out);
    if (!*out) return FLX_ERR_MEMORY;
    memcpy(*out, given, (size_t)n * sizeof *given);
    return FLX_OK;
}

// Where the joints are drawn to, by what is not wanted of them otherwise.
static flx_status read_posture(flx_env *e, const flx_item *item, flx_kinematics_keys *k)
{
    const flx_entry *posture = flx_entry_get(item->def, "posture");
    const flx_entry *pull = flx_entry_get(item->def, "pull");
    k->pull = 1.0;
    if (!posture && pull) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, pull->loc,
                        "`pull` says how fast joints are drawn to a `posture`, which is missing");
    }
    if (!posture) return FLX_OK;
    if (k->mass) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, posture->loc,
                        "a `posture` goes with weights of joints, not with `weights: mass`");
    }
    FLX_TRY(read_places(e, posture, k, &k->posture));
    return pull ? flx_build_positive(e, pull, "the pull", &k->pull) : FLX_OK;
}

static flx_status read_limits(flx_env *e, const flx_entry *y, flx_kinematics_keys *k)
{
    for (int i = 0; i < y->count; i++) {
        int joint = 0, n = 0;
        double *pair = NULL;
        while (joint < k->nmove && strcmp(k->names[joint], y->keys[i]->text) != 0) joint++;
        if (joint == k->nmove) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->keys[i]->loc,
                            "'%s' is not among the joints that move", y->keys[i]->text);
        }
        FLX_TRY(flx_build_numbers(e, y->items[i], &n, &pair));
        if (n != 2 || !(pair[0] < pair[1])) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->items[i]->loc,
                            "limits are a lower and an upper number, as in [-1, 1]");
        }
        k->lower[joint] = pair[0];
        k->upper[joint] = pair[1];
    }
    return FLX_OK;
}

static flx_status read(flx_env *e, const flx_item *item, flx_analysis *out)
{
    flx_builder *b = e->b;
    flx_kinematics_keys *k = flx_arena_take(b->m->arena, 1, sizeof *k);
    const flx_entry *want = NULL, *move = NULL, *until = NULL;
    const flx_entry *every = flx_entry_get(item->def, "every");
    const flx_entry *weights = flx_entry_get(item->def, "weights");
    const flx_entry *limits = flx_entry_get(item->def, "limits");
    const flx_entry *from = flx_entry_get(item->def, "from");
    if (!k) return FLX_ERR_MEMORY;
    *k = (flx_kinematics_keys){.nwant = 0};
    out->own = k;
    flx_env moving;
    flx_env_of(&moving, b, item, FLX_MODE_OUTPUT);
    FLX_TRY(flx_build_need(b, item, "want", &want));
    FLX_TRY(flx_build_need(b, item, "move", &move));
    FLX_TRY(flx_build_need(b, item, "until", &until));
    FLX_TRY(read_want(&moving, want, k));
    FLX_TRY(read_move(&moving, move, k));
    if (weights) FLX_TRY(read_weights(e, weights, k));
    if (from) FLX_TRY(read_places(e, from, k, &k->from));
    FLX_TRY(read_posture(e, item, k));
    if (limits && limits->kind == FLX_ENTRY_MAP) FLX_TRY(read_limits(e, limits, k));
    FLX_TRY(flx_build_positive(e, until, "the end", &k->until));
    k->every = k->until / 100.0;
    if (every) FLX_TRY(flx_build_positive(e, every, "the interval", &k->every));
    if (k->until / k->every > 1e6) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, every->loc, "more than a million rows");
    }
    if (k->nwant <= k->nmove) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, want->loc,
                    "%d outputs are wanted, and only %d joints move", k->nwant, k->nmove);
}

static const flx_key_row keys[] = {
    {"want", "<~number>", .needed = true,
     .doc = "Outputs, by signals of positions, and what they are to be: expressions of the time."},
    {"move", "[name;1..]", .needed = true,
     .doc = "Joints that move; prescribed motions of them are left out."},
    {"weights", "[number;1..] | name", .initial = "1 each",
     .doc = "Of the squares of their rates, whose sum is least; `mass`: the kinetic energy of the "
            "model is least."},
    {"limits", "<[number;2]>", .initial = "none",
     .doc =
         "Of their coordinates; where one is reached the joint stays until it moves away from it."},
    {"from", "values", .initial = "the start of the model",
     .doc = "Coordinates of the joints in `move` near which the motion begins: elbow up or down."},
    {"posture", "values", .initial = "none",
     .doc = "Coordinates of the joints in `move` to which they are drawn as far as what is wanted "
            "leaves them free."},
    {"pull", "number", .unit = "1/s", .initial = "1",
     .doc = "How fast: the rate over the distance from the posture."},
    {"until", "number", .needed = true, .unit = "s", .doc = "End of the motion, from t = 0."},
    {"every", "number", .unit = "s", .initial = "until/100",
     .doc = "Between two rows of the table."},
    {0}};

const flx_analysis_reader flx_reader_KINEMATICS = {
    .says = {.word = "kinematics",
             .dimensions = "23",
             .doc = "inverse kinematics: motions of joints with the least rates under which "
                    "outputs follow what is "
                    "wanted; `motion: {angle: ik.A}` takes them",
             .example =
                 "ik: {type: kinematics, want: {tip.position.x: line(1), tip.position.y: line(2)}, "
                 "move: [A, B, "
                 "C], weights: [4, 1, 1], limits: {B: [-2.5, 2.5]}, until: 0.8, every: 1e-3}",
             .keys = keys},
    .gives = true,
    .read = read,
};
