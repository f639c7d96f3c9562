// test_robot_formats.c - robot files in SDF and MJCF: a four-bar of each is that of our own language; mistakes have their place.
#include "check.h"
#include "flexion/flexion.h"
#include "results_fixture.h"

static const char own[] =
    "flexion: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  crank: {type: rigid, mass: 1, com: [0, 0, 0.15], inertia: [0.01, 0.01, 0.001]}\n"
    "  coupler: {type: rigid, mass: 2, com: [0.4, 0, 0.1], inertia: [0.02, 0.1, 0.1], position: "
    "[0, 0, 0.3]}\n"
    "  rocker: {type: rigid, mass: 1.5, com: [0, 0, 0.25], inertia: [0.03, 0.03, 0.002], position: "
    "[0.9, 0, 0]}\n"
    "joints:\n"
    "  a: {type: revolute, on: [ground, crank], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  b: {type: revolute, on: [crank, coupler], at: [0, 0, 0.3], axis: [0, 1, 0]}\n"
    "  d: {type: revolute, on: [ground, rocker], at: [0.9, 0, 0], axis: [0, 1, 0]}\n"
    "  c: {type: spherical, on: [coupler, rocker], at: [0.8, 0, 0.5]}\n"
    "simulate: {until: 1}\n"
    "outputs: {every: 0.01, signals: [a.angle]}\n";

#define MOMENTS(x, y, z)                                                                           \
    "<inertia><ixx>" x "</ixx><iyy>" y "</iyy><izz>" z                                             \
    "</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia>"

static const char sdf[] =
    "<sdf version='1.7'><model name='four_bar'>\n"
    "<link name='crank'><inertial><pose>0 0 0.15 0 0 0</pose><mass>1</mass>" MOMENTS(
        "0.01", "0.01",
        "0.001") "</inertial></link>\n"
                 // axes of its own, turned by a right angle about y: z of the link is -x of the frame
                 "<link name='coupler'><pose relative_to='at_b'>0 0 0 0 -1.5707963267948966 "
                 "0</pose><inertial><pose>0.1 0 -0.4 0 0 "
                 "0</pose><mass>2</mass>" MOMENTS(
                     "0.1", "0.1",
                     "0.02") "</inertial></link>\n"
                             "<link name='rocker'><pose>0.9 0 0 0 0 0</pose><inertial><pose>0 0 "
                             "0.25 0 0 0</pose><mass>1.5</mass>" MOMENTS(
                                 "0.03", "0.03",
                                 "0.002") "</inertial></link>\n"
                                          "<frame name='at_b' attached_to='crank'><pose>0 0 0.3 0 "
                                          "0 0</pose></frame>\n"
                                          "<joint name='a' "
                                          "type='revolute'><parent>world</parent><child>crank</"
                                          "child><axis><xyz>0 1 0</xyz></axis></joint>\n"
                                          "<joint name='b' "
                                          "type='revolute'><parent>crank</parent><child>coupler</"
                                          "child><axis><xyz expressed_in='__model__'>0 1 "
                                          "0</xyz></axis></joint>\n"
                                          "<joint name='d' "
                                          "type='revolute'><parent>world</parent><child>rocker</"
                                          "child><axis><xyz>0 1 0</xyz></axis></joint>\n"
                                          "<joint name='c' type='ball'><pose>-0.1 0 0.5 0 0 "
                                          "0</pose><parent>coupler</parent><child>rocker</child></"
                                          "joint>\n"
                                          "</model></sdf>\n";

static const char mjcf[] = "<mujoco model='four_bar'><compiler angle='radian'/><worldbody>\n"
                           "<body name='crank'><joint name='a' axis='0 1 0'/><inertial pos='0 0 "
                           "0.15' mass='1' diaginertia='0.01 0.01 0.001'/>\n"
                           "<body name='coupler' pos='0 0 0.3'><joint name='b' axis='0 1 "
                           "0'/><inertial pos='0.4 0 0.1' mass='2' fullinertia='0.02 0.1 0.1 "
                           "0 0 0'/></body></body>\n"
                           "<body name='rocker' pos='0.9 0 0'><joint name='d' axis='0 1 "
                           "0'/><inertial pos='0 0 0.25' mass='1.5' diaginertia='0.03 0.03 "
                           "0.002'/></body>\n"
                           "</worldbody><equality><connect body1='coupler' body2='rocker' "
                           "anchor='0.8 0 0.2'/></equality></mujoco>\n";

// The angle of the crank after 0.7 s; NaN: it cannot be had.
static double turn(const char *text)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_system *s = NULL;
    flx_run *run = NULL;
    double angle = (double)NAN;
    flx_compile_def def = flx_compile_def_default();
    def.method.method = "radau";
    def.method.rtol = 1e-11;
    def.method.atol = 1e-13;
    flx_status status = flx_model_read_text(ctx, "robot", text, strlen(text), 0, NULL, &m);
    if (status == FLX_OK) status = flx_system_compile(m, &def, ctx, &s);
    if (status == FLX_OK) status = flx_run_create(s, NULL, ctx, &run);
    if (status == FLX_OK) status = flx_run_advance(run, 0.7);
    if (status == FLX_OK) angle = flx_run_get(run, flx_system_output(s, "a.angle", ctx));
    if (status != FLX_OK)
        printf("%s\n", flx_ctx_error(ctx, 0) ? flx_ctx_error(ctx, 0)->text : "failed");
    flx_run_destroy(&run);
    flx_system_destroy(&s);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return angle;
}

static int a_four_bar_is_one_whatever_the_file(void)
{
    double angle = turn(own);
    CHECK(fabs(angle) > 0.1);
    CHECK_NEAR(turn(sdf), angle, 1e-10);
    CHECK_NEAR(turn(mjcf), angle, 1e-10);
    return 0;
}

// Defaults of classes, joints in a chain, degrees, Euler angles: the example against what its file says.
static int the_leg_is_read(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    CHECK(flx_model_read(ctx, FLX_EXAMPLES "/robots/leg.xml", 0, NULL, &m) == FLX_OK);
    CHECK(flx_model_item_count(m, FLX_ITEM_BODY) ==
          5); // hips, thigh with a link before it, shin, foot
    CHECK(flx_model_item_count(m, FLX_ITEM_JOINT) == 5);
    CHECK_NEAR(strtod(flx_model_get_text(m, "joints.hip_y.limits.upper"), NULL),
               55.0 * acos(-1.0) / 180.0, 1e-14);
    CHECK_TEXT(flx_model_get_text(m, "forces.hip_motor_drive.value"), "50*hip_motor");
    CHECK_NEAR(strtod(flx_model_get_text(m, "bodies.hips.mass"), NULL), 6.0, 0.0);
    CHECK(flx_model_kind(m, "bodies.thigh.points.marker") == 2);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// The four-bar in three files: a body within a body, sections that come twice; and a file that includes itself.
static int files_within_files_are_one(void)
{
    static const char rocker[] =
        "<mujocoinclude><worldbody><body name='rocker' pos='0.9 0 0'><joint name='d' axis='0 1 0'/>"
        "<inertial pos='0 0 0.25' mass='1.5' diaginertia='0.03 0.03 0.002'/></body></worldbody>"
        "<equality><connect body1='coupler' body2='rocker' anchor='0.8 0 0.2'/></equality>"
        "</mujocoinclude>";
    static const char coupler[] =
        "<mujoco><body name='coupler' pos='0 0 0.3'><joint name='b' axis='0 1 0'/><inertial "
        "pos='0.4 0 0.1' mass='2' fullinertia='0.02 0.1 0.1 0 0 0'/></body></mujoco>";
    char whole[1200], own_place[300];
    make_folder("robots");
    write_text(in_folder("rocker.xml"), rocker, strlen(rocker));
    write_text(in_folder("coupler.xml"), coupler, strlen(coupler));
    snprintf(own_place, sizeof own_place, "%s", in_folder("ring.xml"));
    snprintf(whole, sizeof whole,
             "<mujoco model='four_bar'><include file='%s/rocker.xml'/><worldbody><body "
             "name='crank'><joint name='a' axis='0 1 0'/><inertial pos='0 0 0.15' mass='1' "
             "diaginertia='0.01 0.01 0.001'/><include file='%s/coupler.xml'/></body></worldbody>"
             "</mujoco>",
             folder, folder);
    CHECK_NEAR(turn(whole), turn(own), 1e-10);

    snprintf(whole, sizeof whole, "%s", "<mujoco><include file='ring.xml'/><worldbody/></mujoco>");
    write_text(own_place, whole, strlen(whole));
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    CHECK(flx_model_read(ctx, own_place, 0, NULL, &m) < 0);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "does a file include itself?");
    flx_ctx_destroy(&ctx);
    remove_folder();
    return 0;
}

static double number(const flx_model *m, const char *path)
{
    const char *text = flx_model_get_text(m, path);
    return text ? strtod(text, NULL) : (double)NAN;
}

#define MOMENT_OF_ONE "<inertial><mass>1</mass></inertial>"

// Degrees, quaternions x y z w, a model that is placed by one of its frames; a finger that follows another.
static int poses_of_sdf_are_read_in_all_ways(void)
{
    static const char text[] =
        "<sdf version='1.11'><model name='m' placement_frame='f'><pose degrees='true'>1 0 0 0 0 "
        "90</pose><link name='a'><pose rotation_format='quat_xyzw'>0 2 0 0 0 0.7071067811865476 "
        "0.7071067811865476</pose>" MOMENT_OF_ONE
        "<collision name='c'><geometry><sphere><radius>0.3"
        "</radius></sphere></geometry></collision></link><link name='b'>" MOMENT_OF_ONE "</link>"
        "<frame name='f' attached_to='a'><pose>0 0 1 0 0 0</pose></frame><joint name='i' "
        "type='prismatic'><parent>world</parent><child>a</child><axis><xyz>1 0 0</xyz></axis>"
        "</joint><joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1"
        "</xyz><mimic joint='i'><multiplier>3</multiplier><offset>0.5</offset><reference>0.125"
        "</reference></mimic></axis></joint></model></sdf>";
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    CHECK(flx_model_read_text(ctx, "robot", text, strlen(text), 0, NULL, &m) == FLX_OK);
    // the frame f is at (1, 0, 0), turned by a right angle; a is one below it, with its axes
    CHECK_NEAR(number(m, "bodies.a.position[0]"), 1.0, 1e-15);
    CHECK_NEAR(number(m, "bodies.a.position[2]"), -1.0, 1e-15);
    CHECK_NEAR(number(m, "bodies.a.orientation.quaternion[3]"), sqrt(0.5), 1e-15);
    CHECK_NEAR(number(m, "bodies.b.position[1]"), -2.0, 1e-15);
    CHECK_NEAR(number(m, "joints.i.axis[1]"), 1.0, 1e-15);
    CHECK_NEAR(number(m, "bodies.a.surface[0].sphere"), 0.3, 0.0);
    CHECK_TEXT(flx_model_get_text(m, "equations.constraints.j_follows"),
               "j.angle - 0.125 - 3*i.displacement");
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int what_sdf_says_beside_is_told(void)
{
    static const struct {
        const char *link, *joint, *message;
    } cases[] = {
        {"<gravity>false</gravity>", "", "gravity acts on link"},
        {"<inertial auto='true'><mass>1</mass></inertial>", "", "not found from shapes"},
        {"",
         "<axis><xyz>0 0 1</xyz><dynamics><damping>1</damping></dynamics></axis><axis2><xyz>0 1 "
         "0</xyz></axis2>",
         "limits and dynamics of joint 'j'"},
        {"", "<axis><xyz>0 0 1</xyz><mimic joint='k'/></axis><axis2><xyz>0 1 0</xyz></axis2>",
         "it cannot follow 'k'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[700];
        snprintf(text, sizeof text,
                 "<sdf version='1.11'><model name='m'><link name='a'>%s</link><joint name='j' "
                 "type='universal'><parent>world</parent><child>a</child>%s</joint></model></sdf>",
                 cases[i].link,
                 cases[i].joint[0]
                     ? cases[i].joint
                     : "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>");
        flx_ctx *ctx = flx_ctx_create();
        flx_model *m = NULL;
        CHECK(flx_model_read_text(ctx, "robot", text, strlen(text), 0, NULL, &m) == FLX_OK);
        bool told = false;
        for (int k = 0; k < flx_ctx_warning_count(ctx); k++)
            told = told || strstr(flx_ctx_warning(ctx, k)->text, cases[i].message);
        CHECK(told);
        flx_model_destroy(&m);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

static int mistakes_have_their_place(void)
{
    static const struct {
        const char *text, *message;
        int line;
    } wrong[] = {
        {"<sdf version='1.6'>\n</sdf>", "no model with links", 1},
        {"<sdf version='1.6'><model name='m'>\n<link name='a'><pose "
         "relative_to='b'/></link></model></sdf>",
         "no frame 'b'", 2},
        {"<sdf version='1.6'><model name='m'>\n<link name='a'><pose relative_to='a'>1 0 0 0 0 "
         "0</pose></link></model></sdf>",
         "in a ring", 2},
        {"<sdf version='1.6'><model name='m'><link name='a'/>\n<joint name='j' "
         "type='revolute'><parent>world</parent>\n<child>b</child></joint></model></sdf>",
         "no child link 'b'", 3},
        {"<sdf version='1.6'><model name='m'><link name='a'/>\n<joint name='j' "
         "type='gearbox'/></model></sdf>",
         "'gearbox'", 2},
        {"<sdf version='1.6'><model name='m'><link name='a'><pose>1 "
         "2\n</pose></link></model></sdf>",
         "2 numbers where 6", 1},
        {"<mujoco>\n</mujoco>", "no bodies", 1},
        {"<robot name='r'>\n<link name='a'/>\n<xacro:leg side='left'/></robot>", "is for xacro", 3},
        {"<robot name='r'>\n<link name='a'><inertial>\n<mass "
         "value='${m}'/></inertial></link></robot>",
         "<mass> is for xacro", 3},
        {"<mujoco><worldbody><body>\n<joint type='bend'/></body></worldbody></mujoco>", "'bend'",
         2},
        {"<mujoco><worldbody><body>\n<joint axis='0 0 0'/></body></worldbody></mujoco>", "is zero",
         2},
        {"<mujoco><worldbody><body>\n<geom size='0'/></body></worldbody></mujoco>", "has no size",
         2},
        {"<mujoco><worldbody><body><geom size='1'/></body></worldbody><equality>\n<connect "
         "body1='x'/></equality></mujoco>",
         "a body that is not in the file", 2},
        {"<mujoco>\n<compiler coordinate='global'/><worldbody><body/></worldbody></mujoco>",
         "global coordinates", 2},
        {"<mujoco>\n<include file='none.xml'/></mujoco>", "none.xml", 2},
        {"<mujoco>\n<include/></mujoco>", "names no 'file'", 2},
        {"<mujoco><worldbody>\n<composite/></worldbody></mujoco>", "is not read", 2},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_model *m = NULL;
        flx_status status =
            flx_model_read_text(ctx, "robot", wrong[i].text, strlen(wrong[i].text), 0, NULL, &m);
        CHECK(status < 0 && !m);
        const flx_message *e = flx_ctx_error(ctx, 0);
        CHECK_TEXT(e ? e->text : "", wrong[i].message);
        CHECK(e->loc.line == wrong[i].line);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// Every beginning of a file is refused or read, and none falls.
static int no_piece_of_a_file_falls(void)
{
    const char *files[2] = {sdf, mjcf};
    for (int k = 0; k < 2; k++) {
        for (size_t n = 1; n < strlen(files[k]); n += 7) {
            flx_ctx *ctx = flx_ctx_create();
            flx_model *m = NULL;
            CHECK(flx_model_read_text(ctx, "robot", files[k], n, 0, NULL, &m) < 0 ||
                  n + 3 > strlen(files[k]));
            flx_model_destroy(&m);
            flx_ctx_destroy(&ctx);
        }
    }
    return 0;
}

// Without its class a joint would have other damping, without a word.
static int classes_that_are_none_are_told(void)
{
    static const char text[] =
        "<mujoco><default><default class='soft'><joint damping='2'/></default></default>\n"
        "<worldbody><body childclass='sof'>\n<joint class='soft'/><geom size='0.1' pos='1 0 0' "
        "class='main'/></body></worldbody></mujoco>";
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    CHECK(flx_model_read_text(ctx, "robot", text, strlen(text), 0, NULL, &m) == FLX_OK);
    CHECK(flx_ctx_warning_count(ctx) == 1);
    CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, "<body> is of the class 'sof', which <default>");
    CHECK(flx_ctx_warning(ctx, 0)->loc.line == 2);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(classes_that_are_none_are_told), TEST(a_four_bar_is_one_whatever_the_file),
          TEST(the_leg_is_read), TEST(files_within_files_are_one),
          TEST(poses_of_sdf_are_read_in_all_ways), TEST(what_sdf_says_beside_is_told),
          TEST(mistakes_have_their_place), TEST(no_piece_of_a_file_falls))
