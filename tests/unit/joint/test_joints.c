// Every type of joint, in space and in the plane, between all kinds of bodies, at random places off
// the constraint: G, K, rates, biases and forces against differences, which also hold where the
// joint is not closed.
#include "check.h"
#include "mechanism.h"
#include "system_check.h"

static const char *const type_names[] = {
#define X(name, word) word,
    FLX_JOINT_LIST(X)
#undef X
};

static int check_all(mechanism *k, uint64_t seed, double away)
{
    flx_system *s = NULL;
    system_point p;
    flx_status status = flx_descriptor_create(&k->m, NULL, &s);
    if (status != FLX_OK) {
        printf("%s\n", flx_ctx_error(k->ctx, 0)->text);
        return 1;
    }
    int bad = !system_point_init(&p, s, seed);
    if (!bad) {
        bad += flx_descriptor_draw(s, p.x) != FLX_OK;
        randomise(&p, away);
        bad += check_pattern(s);
        bad += check_tangent(&p, 1e-8);
        bad += check_bonds(&p, 2e-8);
        bad += check_chart(&p, 1e-8);
        bad += check_energy(&p, 1e-7);
    }
    system_point_free(&p);
    flx_system_destroy(&s);
    return bad;
}

// ground: 0 none, 1 the first is the ground, 2 the second.
static int one_joint(flx_joint_type type, int dimension, int ground, flx_body_type second,
                     uint64_t seed)
{
    mechanism k;
    mechanism_init(&k, dimension, seed);
    int a = ground == 1 ? FLX_GROUND : add_body(&k, FLX_BODY_RIGID);
    int b = ground == 2 ? FLX_GROUND : add_body(&k, second);
    add_joint(&k, type, a, b);
    int bad = check_all(&k, seed, 0.4);
    if (bad) {
        printf("%s in %dD, ground %d, %s\n", type_names[type], dimension, ground,
               second == FLX_BODY_POINT ? "point" : "rigid");
    }
    mechanism_free(&k);
    return bad;
}

static int in_plane(flx_joint_type t)
{
    return t == FLX_JOINT_FIXED || t == FLX_JOINT_REVOLUTE || t == FLX_JOINT_PRISMATIC ||
           t == FLX_JOINT_DISTANCE || t == FLX_JOINT_POINT_ON_LINE ||
           t == FLX_JOINT_POINT_ON_PLANE || t == FLX_JOINT_FREE || t == FLX_JOINT_ROLLING ||
           t == FLX_JOINT_KNIFE_EDGE;
}

static int on_points(flx_joint_type t, int dimension)
{
    return t == FLX_JOINT_SPHERICAL || t == FLX_JOINT_DISTANCE || t == FLX_JOINT_POINT_ON_LINE ||
           t == FLX_JOINT_POINT_ON_PLANE || (dimension == 2 && t == FLX_JOINT_REVOLUTE);
}

static int every_joint_has_exact_derivatives(void)
{
    for (int t = 0; t <= FLX_JOINT_KNIFE_EDGE; t++) {
        if (t == FLX_JOINT_GEAR) continue;
        for (uint64_t seed = 1; seed <= 3; seed++) {
            for (int ground = 0; ground < 3; ground++) {
                CHECK(one_joint(t, 3, ground, FLX_BODY_RIGID, seed) == 0);
                if (in_plane(t)) CHECK(one_joint(t, 2, ground, FLX_BODY_RIGID, seed) == 0);
                if (ground == 2) continue;
                if (on_points(t, 3)) CHECK(one_joint(t, 3, ground, FLX_BODY_POINT, seed) == 0);
                if (on_points(t, 2) && in_plane(t)) {
                    CHECK(one_joint(t, 2, ground, FLX_BODY_POINT, seed) == 0);
                }
            }
        }
    }
    return 0;
}

TEST_MAIN(TEST(every_joint_has_exact_derivatives))
