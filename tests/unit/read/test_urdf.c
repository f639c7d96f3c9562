// test_urdf.c - robot files in URDF: numbers by hand, repairs that are told, mistakes with their
// place.
#include "check.h"
#include "flexion/flexion.h"

typedef struct reading {
    flx_ctx *ctx;
    flx_model *model;
    flx_status status;
} reading;

static reading read_as(const char *text, bool floating, bool strict)
{
    reading r = {.ctx = flx_ctx_create()};
    flx_read_def def = flx_read_def_default();
    def.text = text;
    def.length = strlen(text);
    def.nopen = 0;
    def.floating = floating;
    def.strict = strict;
    r.status = flx_model_read_by(r.ctx, "robot.urdf", &def, &r.model);
    return r;
}

static reading read_text(const char *text)
{
    return read_as(text, false, false);
}

static void end(reading *r)
{
    flx_model_destroy(&r->model);
    flx_ctx_destroy(&r->ctx);
}

// Largest differences of mass matrix and bias forces of two models with equal joints.
static double differ(const flx_model *a, const flx_model *b)
{
    flx_dynamics *x = NULL, *y = NULL;
    double largest = HUGE_VAL;
    if (flx_dynamics_create(a, &x) == FLX_OK && flx_dynamics_create(b, &y) == FLX_OK &&
        flx_dynamics_freedoms(x) == 2 && flx_dynamics_freedoms(y) == 2) {
        const double q[2] = {0.4, -0.7}, v[2] = {1.1, -2.0}, zero[2] = {0.0, 0.0};
        double M[2][4], tau[2][2];
        flx_dynamics *d[2] = {x, y};
        for (int i = 0; i < 2; i++) {
            flx_dynamics_mass(d[i], q, M[i]);
            flx_dynamics_inverse(d[i], q, v, zero, tau[i]);
        }
        largest = 0.0;
        for (int k = 0; k < 4; k++) largest = fmax(largest, fabs(M[0][k] - M[1][k]));
        for (int k = 0; k < 2; k++) largest = fmax(largest, fabs(tau[0][k] - tau[1][k]));
    }
    flx_dynamics_destroy(&x);
    flx_dynamics_destroy(&y);
    return largest;
}

#define INERTIAL(mass, com)                                                                        \
    "<inertial><origin xyz='" com "'/><mass value='" mass                                          \
    "'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.05'/></inertial>"

// Origins are turned about fixed axes x, y, z; an inertia has axes of its own; what is fixed is one body.
static int masses_may_be_links_of_their_own(void)
{
    reading a = read_text(
        "<robot name='r'><link name='base'/><link name='one'><inertial><origin xyz='0.1 0.2 0.3' "
        "rpy='0.3 -0.2 0.5'/>"
        "<mass value='2'/><inertia ixx='0.1' ixy='0.01' ixz='-0.02' iyy='0.12' iyz='0.03' "
        "izz='0.08'/></inertial></link>"
        "<link name='two'>" INERTIAL("1.5", "0 0.1 0") "</link><link name='tip'>" INERTIAL(
            "0.5", "0.05 0 0") "</link>"
                               "<joint name='a' type='continuous'><parent link='base'/><child "
                               "link='one'/><origin xyz='0 0 1' rpy='0.1 0.2 0.3'/>"
                               "<axis xyz='0 2 0'/></joint>"
                               "<joint name='b' type='prismatic'><parent link='one'/><child "
                               "link='two'/><origin xyz='0.5 0 0' rpy='0 0 0.7'/></joint>"
                               "<joint name='c' type='fixed'><parent link='two'/><child "
                               "link='tip'/><origin xyz='0 0.3 0' rpy='0.4 0 0'/></joint>"
                               "</robot>");
    CHECK(a.status == FLX_OK);
    // the same by masses of their own, fixed to the links
    reading b = read_text(
        "<robot name='r'><link name='base'/><link name='one'/><link name='m1'><inertial><mass "
        "value='2'/>"
        "<inertia ixx='0.1' ixy='0.01' ixz='-0.02' iyy='0.12' iyz='0.03' "
        "izz='0.08'/></inertial></link>"
        "<link name='two'/><link name='m2'>" INERTIAL(
            "1.5",
            "0 0 0") "</link><link name='m3'>" INERTIAL("0.5",
                                                        "0 0 0") "</link>"
                                                                 "<joint name='a' "
                                                                 "type='continuous'><parent "
                                                                 "link='base'/><child "
                                                                 "link='one'/><origin xyz='0 0 1' "
                                                                 "rpy='0.1 0.2 0.3'/>"
                                                                 "<axis xyz='0 1 0'/></joint>"
                                                                 "<joint name='b' "
                                                                 "type='prismatic'><parent "
                                                                 "link='one'/><child "
                                                                 "link='two'/><origin xyz='0.5 0 "
                                                                 "0' rpy='0 0 0.7'/><axis xyz='1 0 "
                                                                 "0'/></joint>"
                                                                 "<joint name='f1' "
                                                                 "type='fixed'><parent "
                                                                 "link='one'/><child "
                                                                 "link='m1'/><origin xyz='0.1 0.2 "
                                                                 "0.3' rpy='0.3 -0.2 0.5'/></joint>"
                                                                 "<joint name='f2' "
                                                                 "type='fixed'><parent "
                                                                 "link='two'/><child "
                                                                 "link='m2'/><origin xyz='0 0.1 "
                                                                 "0'/></joint>"
                                                                 "<joint name='f3' "
                                                                 "type='fixed'><parent "
                                                                 "link='two'/><child link='m3'/>"
                                                                 "<origin xyz='0.05 0.3 0' "
                                                                 "rpy='0.4 0 0'/></joint></robot>");
    CHECK(b.status == FLX_OK);
    CHECK(flx_model_item_count(a.model, FLX_ITEM_BODY) == 2);
    CHECK(flx_model_item_count(b.model, FLX_ITEM_BODY) == 2);
    CHECK(differ(a.model, b.model) < 1e-13);
    end(&b);
    end(&a);
    return 0;
}

// A pendulum of URDF against the same in our language, by hand.
static int numbers_by_hand(void)
{
    reading a = read_text("<robot name='r'><link name='base'/><link name='rod'>" INERTIAL(
        "2",
        "0.5 0 0") "</link><link name='bob'>" INERTIAL("1",
                                                       "0 0 0") "</link>"
                                                                "<joint name='hinge' "
                                                                "type='continuous'><parent "
                                                                "link='base'/><child "
                                                                "link='rod'/><origin "
                                                                "rpy='1.5707963267948966 0 0'/>"
                                                                "<axis xyz='0 0 1'/></joint><joint "
                                                                "name='knee' "
                                                                "type='continuous'><parent "
                                                                "link='rod'/><child link='bob'/>"
                                                                "<origin xyz='1 0 0'/><axis xyz='0 "
                                                                "0 1'/></joint></robot>");
    CHECK(a.status == FLX_OK && flx_ctx_warning_count(a.ctx) == 0);
    flx_dynamics *d = NULL;
    CHECK(flx_dynamics_create(a.model, &d) == FLX_OK);
    const double q[2] = {0.0, 0.3}, zero[2] = {0.0, 0.0};
    double M[4], tau[2];
    flx_dynamics_mass(d, q, M);
    flx_dynamics_inverse(d, q, zero, zero, tau);
    CHECK_NEAR(M[0], 0.05 + 2.0 * 0.25 + 0.05 + 1.0, 1e-14);
    CHECK_NEAR(M[3], 0.05, 1e-15);
    CHECK_NEAR(M[1], 0.05, 1e-14);
    CHECK_NEAR(tau[0], 9.81 * (2.0 * 0.5 + 1.0),
               1e-12); // x is horizontal, z of the joint is -y: up turns positively
    CHECK_NEAR(tau[1], 0.0, 1e-12);
    flx_dynamics_destroy(&d);
    end(&a);
    return 0;
}

static int told(const reading *r, const char *text, int line)
{
    for (int i = 0; i < flx_ctx_warning_count(r->ctx); i++) {
        const flx_message *m = flx_ctx_warning(r->ctx, i);
        if (m && strstr(m->text, text) && m->loc.line == line) return 1;
    }
    return 0;
}

static const char dirty[] =
    "<robot name='r'>\n"
    "<link name='/base'/>\n"
    "<link name='a'><inertial><mass value='1'/><inertia ixx='0.1' iyy='0.1' izz='0.5' ixy='0' "
    "ixz='0' iyz='0'/></inertial></link>\n"
    "<link name='b'/>\n"
    "<joint name='j' type='fixed'><parent link='world'/><child link='/base'/></joint>\n"
    "<joint name='a' type='revolute'><parent link='/base'/><child link='a'/><limit lower='1' "
    "upper='2' effort='3' velocity='1'/></joint>\n"
    "<joint name='k' type='continuous'><parent link='a'/><child link='b'/></joint>\n"
    "<joint name='m' type='continuous'><parent link='a'/><child link='c'/></joint>\n"
    "<gazebo/>\n"
    "</robot>\n";

static int repairs_are_told(void)
{
    reading r = read_text(dirty);
    CHECK(r.status == FLX_OK);
    CHECK(told(&r, "no body has the inertia of link 'a'", 3));
    CHECK(told(&r, "'world' is not in the file: it is taken as the ground", 5));
    CHECK(told(&r, "joint 'k' is held where it is drawn", 7));
    CHECK(told(&r, "joint 'm' is left out: its child link 'c' is not in the file", 8));
    CHECK(told(&r, "<gazebo> is left out", 9));
    CHECK(told(&r, "it begins at 1", 6));
    CHECK(told(&r, "'a', which is 'a_joint' here", 6));
    CHECK(flx_model_item_count(r.model, FLX_ITEM_BODY) == 1);
    end(&r);
    r = read_as(dirty, false, true);
    CHECK(r.status == FLX_ERR_MODEL && !r.model && flx_ctx_error_count(r.ctx) >= 4);
    end(&r);
    return 0;
}

// A word that nobody reads is told: without its axis a joint would be another one.
static int words_that_are_none_are_told(void)
{
    static const char text[] =
        "<robot><link name='a'/>\n"
        "<link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1'/></inertial>\n"
        "<visul/></link>\n"
        "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>\n"
        "<axs xyz='0 0 1'/>\n"
        "<dynamics dampng='3' x:y='1' xmlns:x='u'/></joint></robot>";
    reading r = read_text(text);
    CHECK(r.status == FLX_OK && flx_ctx_warning_count(r.ctx) == 5);
    CHECK(told(&r, "the <inertia> of link 'b' has no izz: it is 0", 2));
    CHECK(told(&r, "<visul> of 'b' is left out", 3));
    CHECK(told(&r, "joint 'j' has no <limit>: it moves without end", 4));
    CHECK(told(&r, "<axs> of 'j' is left out", 5));
    CHECK(told(&r, "'dampng' of <dynamics> of 'j' is left out", 6));
    end(&r);
    r = read_as(text, false, true);
    CHECK(r.status == FLX_ERR_MODEL && !r.model && flx_ctx_error_count(r.ctx) == 5);
    end(&r);
    return 0;
}

static int mistakes_have_their_place(void)
{
    static const struct {
        const char *text, *message;
        int line;
    } wrong[] = {
        {"<robot>\n<link name='a'>\n</robot>", "no XML", 3},
        {"<robot>\n<link/>\n</robot>", "a link has no name", 2},
        {"<robot>\n<link name='a'/>\n<link name='a'/></robot>", "two links 'a'", 3},
        {"<robot><link name='a'/><link name='b'/>\n<joint name='j' type='bendy'><parent "
         "link='a'/><child link='b'/></joint></robot>",
         "'bendy'", 2},
        {"<robot><link name='a'/><link name='b'/>\n<joint name='j' type='revolute'><parent "
         "link='a'/><child link='b'/>\n<axis "
         "xyz='0 0 0'/></joint></robot>",
         "axis of joint 'j' is zero", 3},
        {"<robot><link name='a'/><link name='b'/>\n<joint name='j' type='revolute'><parent "
         "link='a'/><child link='b'/>\n<axis "
         "xyz='0 x 0'/></joint></robot>",
         "'x 0' is not a number", 3},
        {"<robot><link name='a'/><link name='b'/>\n<joint name='j' type='revolute'><parent "
         "link='a'/><child link='b'/>\n<axis "
         "xyz='0 1'/></joint></robot>",
         "has 2 numbers where 3 are needed", 3},
        {"<robot>\n<link name='a'/>\n<joint name='j' type='fixed'><parent link='a'/><child "
         "link='a'/></joint></robot>",
         "carries itself", 2},
        {"<robot>\n</robot>", "no links", 1},
        {"<cat/>", "no robot file", 1},
        {"<!DOCTYPE r [\n<!ENTITY a 'aaaa'>]><robot/>", "entity 'a'", 2},
        {"<", "no XML", 1},
        {"<robot><link name='a'/><link name='b'/><joint name='j' type='floating'><parent "
         "link='a'/><child link='world'/></joint></robot>",
         "carries the world", 1},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        reading r = read_text(wrong[i].text);
        CHECK(r.status == FLX_ERR_MODEL && !r.model);
        const flx_message *m = flx_ctx_error(r.ctx, 0);
        CHECK_TEXT(m ? m->text : "", wrong[i].message);
        CHECK(m->loc.line == wrong[i].line && strcmp(m->loc.file, "robot.urdf") == 0);
        end(&r);
    }
    return 0;
}

// Every beginning of a file is refused or read, and none falls.
static int no_piece_of_a_file_falls(void)
{
    char text[sizeof dirty];
    for (size_t n = 1; n < sizeof dirty; n += 3) {
        memcpy(text, dirty, n);
        text[n] = '\0';
        reading r = read_text(text);
        CHECK(r.status != FLX_OK || n + 3 >= sizeof dirty);
        end(&r);
    }
    return 0;
}

static double number(const reading *r, const char *path)
{
    const char *text = flx_model_get_text(r->model, path);
    return text ? strtod(text, NULL) : (double)NAN;
}

// q_j = 0.2 - 1.5 q_i between -0.3 and 0.3 is q_i between -1/15 and 1/3; wider limits of the follower change nothing.
static int a_follower_stops_its_leader(void)
{
    static const char text[] = "<robot name='r'><link name='base'/><link name='a'>" INERTIAL(
        "1",
        "0.2 0 0") "</link>"
                   "<link name='b'>" INERTIAL(
                       "2",
                       "0.1 0.3 0") "</link><joint name='i' type='%s'><parent "
                                    "link='base'/><child link='a'/><axis xyz='0 1 0'/><limit "
                                    "lower='-1' upper='1' effort='10' "
                                    "velocity='5'/></joint><joint name='j' type='revolute'><parent "
                                    "link='a'/><child link='b'/>"
                                    "<axis xyz='0 1 0'/><limit lower='-%g' upper='%g' effort='10' "
                                    "velocity='5'/>\n<mimic "
                                    "joint='i' multiplier='-1.5' offset='0.2'/></joint></robot>";
    char whole[1500];
    snprintf(whole, sizeof whole, text, "revolute", 0.3, 0.3);
    reading r = read_text(whole);
    CHECK(told(&r, "the limits of joint 'j', which follows, stop its leader 'i'", 2));
    CHECK_NEAR(number(&r, "joints.i.limits.lower"), -1.0 / 15.0, 1e-14);
    CHECK_NEAR(number(&r, "joints.i.limits.upper"), 1.0 / 3.0, 1e-14);
    end(&r);
    snprintf(whole, sizeof whole, text, "revolute", 2.0, 2.0);
    r = read_text(whole);
    CHECK_NEAR(number(&r, "joints.i.limits.lower"), -1.0, 0.0);
    end(&r);
    snprintf(whole, sizeof whole, text, "continuous", 0.3, 0.3);
    r = read_text(whole);
    CHECK_NEAR(number(&r, "joints.i.limits.upper"), 1.0 / 3.0, 1e-14);
    end(&r);
    return 0;
}

static int a_base_floats(void)
{
    reading r = read_as("<robot name='r'><link name='b'>" INERTIAL("1", "0 0 0") "</link></robot>",
                        true, false);
    flx_dynamics *d = NULL;
    CHECK(r.status == FLX_OK && flx_dynamics_create(r.model, &d) == FLX_OK);
    CHECK(flx_dynamics_freedoms(d) == 6);
    flx_dynamics_destroy(&d);
    end(&r);
    return 0;
}

// The follower is drawn at its offset; both fingers of the example meet the palm's middle alike.
static int the_example_grips(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_system *s = NULL;
    flx_run *run = NULL;
    CHECK(flx_model_read(ctx, FLX_EXAMPLES "/robots/arm.urdf", 0, NULL, &m) == FLX_OK);
    flx_model_add_output(m, "finger.position", NULL);
    flx_model_add_output(m, "thumb.position", NULL);
    flx_model_add_output(m, "forearm.palm.position", NULL);
    CHECK(flx_system_compile(m, NULL, ctx, &s) == FLX_OK);
    CHECK(flx_run_create(s, NULL, ctx, &run) == FLX_OK);
    int f = flx_system_output(s, "finger.position.x", ctx),
        t = flx_system_output(s, "thumb.position.x", ctx),
        p = flx_system_output(s, "forearm.palm.position.x", ctx),
        grip = flx_system_input(s, "grip_effort", ctx);
    CHECK(f >= 0 && t >= 0 && p >= 0 && grip >= 0);
    double u = 2.0, before[2] = {0.0, 0.0}, after[2] = {0.0, 0.0};
    for (int k = 0; k < 3; k++) {
        before[0] += pow(flx_run_get(run, f + k) - flx_run_get(run, p + k), 2.0);
        before[1] += pow(flx_run_get(run, t + k) - flx_run_get(run, p + k), 2.0);
    }
    CHECK_NEAR(before[0], 0.045 * 0.045 + 1e-4, 1e-12);
    CHECK_NEAR(before[1], 0.045 * 0.045 + 1e-4, 1e-12); // 0.05, less the offset
    CHECK(flx_run_set_input(run, grip, 1, &u) == FLX_OK);
    CHECK(flx_run_advance(run, 0.05) == FLX_OK);
    for (int k = 0; k < 3; k++) {
        after[0] += pow(flx_run_get(run, f + k) - flx_run_get(run, p + k), 2.0);
        after[1] += pow(flx_run_get(run, t + k) - flx_run_get(run, p + k), 2.0);
    }
    CHECK(after[0] < before[0] - 1e-5);
    CHECK_NEAR(after[0], after[1], 1e-9);
    flx_run_destroy(&run);
    flx_system_destroy(&s);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(masses_may_be_links_of_their_own), TEST(numbers_by_hand),
          TEST(a_follower_stops_its_leader), TEST(repairs_are_told),
          TEST(words_that_are_none_are_told), TEST(mistakes_have_their_place),
          TEST(no_piece_of_a_file_falls), TEST(a_base_floats), TEST(the_example_grips))
