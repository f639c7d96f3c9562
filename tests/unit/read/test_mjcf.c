// test_mjcf.c - what MJCF says beside bodies and hinges: frames, ranges, meshes, actuators, equalities, keyframes; by hand. What is
// left out is told. Whole motions are compared with MuJoCo in test_robots_by_mujoco.
#include "check.h"
#include "flexion/flexion.h"
#include "results_fixture.h"

typedef struct reading {
    flx_ctx *ctx;
    flx_model *model;
    flx_status status;
} reading;

static reading read_at(const char *path, const char *text)
{
    reading r = {.ctx = flx_ctx_create()};
    r.status = flx_model_read_text(r.ctx, path, text, strlen(text), 0, NULL, &r.model);
    return r;
}

static void end(reading *r)
{
    flx_model_destroy(&r->model);
    flx_ctx_destroy(&r->ctx);
}

static double number(const reading *r, const char *path)
{
    const char *text = flx_model_get_text(r->model, path);
    return text ? strtod(text, NULL) : (double)NAN;
}

static bool is_told(const reading *r, const char *part)
{
    for (int i = 0; i < flx_ctx_warning_count(r->ctx); i++) {
        if (strstr(flx_ctx_warning(r->ctx, i)->text, part)) return true;
    }
    return false;
}

#define BALL "<geom size='0.1'/>"

static int a_range_is_a_limit(void)
{
    static const char text[] =
        "<mujoco><compiler angle='radian' %s/><worldbody><body name='b'><joint name='j' "
        "range='-1 2' %s/>" BALL "</body></worldbody></mujoco>";
    static const struct {
        const char *compiler, *joint;
        bool limited;
    } cases[] = {{"", "", true},
                 {"", "limited='false'", false},
                 {"autolimits='false'", "", false},
                 {"autolimits='false'", "limited='true'", true}};
    for (int i = 0; i < 4; i++) {
        char whole[400];
        snprintf(whole, sizeof whole, text, cases[i].compiler, cases[i].joint);
        reading r = read_at("robot", whole);
        CHECK(r.status == FLX_OK);
        CHECK((flx_model_kind(r.model, "joints.j.limits") != 0) == cases[i].limited);
        if (cases[i].limited) CHECK_NEAR(number(&r, "joints.j.limits.upper"), 2.0, 0.0);
        end(&r);
    }
    return 0;
}

// A frame gives its elements place, axes and class, and is no body.
static int frames_are_looked_through(void)
{
    static const char text[] =
        "<mujoco><compiler angle='radian'/><default><default class='light'><geom "
        "density='10'/></default></default><worldbody><frame pos='1 0 0'><frame euler='0 0 "
        "1.5707963267948966' childclass='light'><body name='b' pos='2 0 0'><freejoint/><frame "
        "pos='0 0 3'><geom type='box' size='0.5 0.5 0.5'/><site name='s' pos='1 0 "
        "0'/></frame></body></frame></frame></worldbody></mujoco>";
    reading r = read_at("robot", text);
    CHECK(r.status == FLX_OK);
    CHECK_NEAR(number(&r, "bodies.b.position[0]"), 1.0, 1e-15);
    CHECK_NEAR(number(&r, "bodies.b.position[1]"), 2.0, 1e-15);
    CHECK_NEAR(number(&r, "bodies.b.orientation.quaternion[3]"), sqrt(0.5), 1e-15);
    CHECK_NEAR(number(&r, "bodies.b.mass"), 10.0, 1e-13);
    CHECK_NEAR(number(&r, "bodies.b.com[2]"), 3.0, 1e-15);
    CHECK_NEAR(number(&r, "bodies.b.points.s[0]"), 1.0, 1e-15);
    CHECK_NEAR(number(&r, "bodies.b.points.s[2]"), 3.0, 1e-15);
    end(&r);
    return 0;
}

// A tetrahedron of volume 1/6 with its corner at the origin, scaled by 2, 3, 4: volume 4, centre at a quarter of the edges.
static int a_closed_mesh_has_a_mass(void)
{
    static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 "
                                      "3\n%sf 2 3 4\n";
    static const char text[] =
        "<mujoco><compiler meshdir='meshes'/><asset><mesh name='m' file='t.obj' scale='%d 3 "
        "4'/></asset><worldbody><body name='b'><freejoint/><geom type='mesh' mesh='m' density='%d' "
        "pos='1 0 0'/></body></worldbody></mujoco>";
    char command[300], whole[600], mesh[200], place[300];
    make_folder("mjcf");
    snprintf(command, sizeof command, "mkdir -p %s/meshes", folder);
    CHECK(system(command) == 0);
    snprintf(mesh, sizeof mesh, tetrahedron, "");
    write_text(in_folder("meshes/t.obj"), mesh, strlen(mesh));
    snprintf(whole, sizeof whole, text, 2, 2);
    snprintf(place, sizeof place, "%s", in_folder("r.xml"));
    reading r = read_at(place, whole);
    CHECK(r.status == FLX_OK);
    CHECK_NEAR(number(&r, "bodies.b.mass"), 8.0, 1e-6);
    CHECK_NEAR(number(&r, "bodies.b.com[0]"), 1.5, 1e-6);
    CHECK_NEAR(number(&r, "bodies.b.com[1]"), 0.75, 1e-6);
    CHECK_NEAR(number(&r, "bodies.b.com[2]"), 1.0, 1e-6);
    // 3/80 of the squares of the edges, -1/80 of their products
    CHECK_NEAR(number(&r, "bodies.b.inertia[0]"), 8.0 * 3.0 / 80.0 * (9.0 + 16.0), 1e-5);
    CHECK_NEAR(number(&r, "bodies.b.inertia[3]"), 8.0 * 2.0 * 3.0 / 80.0, 1e-5);
    CHECK_NEAR(number(&r, "bodies.b.shape[0].scale[2]"), 4.0, 0.0);
    end(&r);

    snprintf(whole, sizeof whole, text, -2, 2); // its mirror image
    r = read_at(place, whole);
    CHECK(r.status == FLX_OK);
    CHECK_NEAR(number(&r, "bodies.b.mass"), 8.0, 1e-6);
    CHECK_NEAR(number(&r, "bodies.b.com[0]"), 0.5, 1e-6);
    CHECK_NEAR(number(&r, "bodies.b.inertia[3]"), -8.0 * 2.0 * 3.0 / 80.0, 1e-5);
    CHECK_NEAR(number(&r, "bodies.b.shape[0].scale[0]"), -2.0, 0.0);
    end(&r);
    static const char urdf[] =
        "<robot name='r'><link name='l'/><link name='b'><inertial><mass value='1'/><inertia "
        "ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial><visual><geometry><mesh "
        "filename='meshes/t.obj' scale='0.5 -0.5 0.5'/></geometry></visual></link><joint name='j' "
        "type='continuous'><parent link='l'/><child link='b'/></joint></robot>";
    r = read_at(place, urdf);
    CHECK(r.status == FLX_OK);
    CHECK_NEAR(number(&r, "bodies.b.shape[0].scale[1]"), -0.5, 0.0);
    end(&r);
    snprintf(whole, sizeof whole, text, 2, 2);

    char *last = strstr(mesh, "f 2 3 4"); // open
    strcpy(last, "\n");
    write_text(in_folder("meshes/t.obj"), mesh, strlen(mesh));
    r = read_at(place, whole);
    CHECK(r.status < 0 || is_told(&r, "its mesh is open"));
    CHECK(is_told(&r, "its mesh is open"));
    end(&r);
    remove_folder();
    return 0;
}

static int actuators_are_forces(void)
{
    static const char text[] =
        "<mujoco><compiler angle='radian'/><worldbody><body name='b'><joint name='j' "
        "ref='0.5'/>" BALL
        "</body></worldbody><actuator><motor name='m' joint='j' gear='3' ctrlrange='-1 "
        "1'/><position name='p' joint='j' kp='20' kv='2' forcerange='-5 5'/><velocity name='v' "
        "joint='j' kv='4' gear='2'/><general name='g' joint='j' gainprm='2' biastype='affine' "
        "biasprm='1 -3 -0.5'/><muscle name='x' joint='j'/><general name='y' joint='j' "
        "dyntype='filter'/></actuator></mujoco>";
    reading r = read_at("robot", text);
    CHECK(r.status == FLX_OK);
    CHECK_TEXT(flx_model_get_text(r.model, "forces.m_drive.value"), "3*m");
    CHECK_NEAR(number(&r, "inputs.m.upper"), 1.0, 0.0);
    CHECK_TEXT(flx_model_get_text(r.model, "forces.p_drive.value"),
               "min(max(20*(p - 0.5 - j.angle) - 2*j.rate, -5), 5)");
    CHECK_TEXT(flx_model_get_text(r.model, "forces.v_drive.value"), "8*v - 16*j.rate");
    CHECK_TEXT(flx_model_get_text(r.model, "forces.g_drive.value"),
               "2*g - 0.5 - 3*j.angle - 0.5*j.rate");
    CHECK(is_told(&r, "the actuator 'x' is left out: motors, servos"));
    CHECK(is_told(&r, "the actuator 'y' is left out: it has a state"));
    CHECK(flx_model_kind(r.model, "inputs.x") == 0);
    end(&r);
    return 0;
}

// All actuators share the defaults of a class, as MuJoCo has it: the last that speaks counts, whichever word it stands under.
static int actuators_share_defaults(void)
{
    static const char text[] =
        "<mujoco><compiler angle='radian'/><default><position kp='50'/><motor gear='2'/>"
        "<default class='c'><general biasprm='1 2 3' biastype='affine'/><default class='d'>"
        "<muscle/></default></default><default class='e'><velocity kv='5' gear='4'/></default>"
        "</default><worldbody><body name='b'><joint name='j'/>" BALL
        "</body></worldbody><actuator><motor name='m' joint='j'/><position name='p' joint='j'/>"
        "<general name='g' joint='j'/><general name='gc' class='c' joint='j'/><motor name='mc' "
        "class='c' joint='j'/><general name='gd' class='d' joint='j'/><position name='pe' "
        "class='e' joint='j'/><general name='ge' class='e' joint='j' gainprm='7'/><position "
        "name='pk' class='e' joint='j' kp='3' gear='1'/></actuator></mujoco>";
    static const char *const values[][2] = {
        {"m", "2*m"},
        {"p", "2*(p - 2*j.angle)"},
        {"g", "2*g"},
        {"gc", "2*gc + 2 + 8*j.angle + 12*j.rate"},
        {"mc", "2*mc"},
        {"pe", "20*(pe - 4*j.angle)"},
        {"ge", "28*ge - 80*j.rate"},
        {"pk", "3*(pk - j.angle)"},
    };
    reading r = read_at("robot", text);
    CHECK(r.status == FLX_OK);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char path[40];
        snprintf(path, sizeof path, "forces.%s_drive.value", values[i][0]);
        CHECK_TEXT(flx_model_get_text(r.model, path), values[i][1]);
    }
    CHECK(is_told(&r, "the actuator 'gd' is left out: it has a state"));
    end(&r);
    return 0;
}

static int coordinates_are_tied_by_polynomials(void)
{
    static const char text[] =
        "<mujoco><worldbody><body name='a'><joint name='i'/>" BALL "</body><body name='b' pos='1 0 "
        "0'><joint name='j' type='slide'/>" BALL "</body><body name='c' pos='2 0 0'><joint "
        "name='k'/>" BALL "</body></worldbody><equality><joint joint1='i' joint2='j' "
        "polycoef='0.1 2 0 -1 0'/><joint joint1='k' polycoef='0.25'/></equality></mujoco>";
    reading r = read_at("robot", text);
    CHECK(r.status == FLX_OK);
    CHECK_TEXT(flx_model_get_text(r.model, "equations.constraints.i_follows"),
               "i.angle - 0.1 - 2*j.displacement + j.displacement^3");
    CHECK_TEXT(flx_model_get_text(r.model, "equations.constraints.k_follows"), "k.angle - 0.25");
    end(&r);
    return 0;
}

// Sites that are to be one place, on two bodies.
static int loops_close_at_sites(void)
{
    static const char text[] =
        "<mujoco><worldbody><body name='a'><joint/>" BALL
        "<site name='s' pos='0 0 1'/></body><body "
        "name='b' pos='1 0 0'><joint axis='0 1 0'/>" BALL "<site name='t' pos='-1 0 "
        "1.5'/></body></worldbody><equality><connect site1='s' site2='t'/></equality></mujoco>";
    reading r = read_at("robot", text);
    CHECK(r.status == FLX_OK);
    CHECK_TEXT(flx_model_get_text(r.model, "joints.connect.type"), "spherical");
    CHECK_NEAR(number(&r, "joints.connect.at[0][2]"), 1.0, 0.0);
    CHECK_NEAR(number(&r, "joints.connect.at[1][2]"), 1.5, 0.0);
    end(&r);
    return 0;
}

// Coordinates, rates and inputs; places of what is free, its angular velocity in its own axes.
static int the_first_keyframe_is_the_start(void)
{
    static const char text[] =
        "<mujoco><compiler angle='radian'/><worldbody><body name='a' pos='5 5 "
        "5'><freejoint/>" BALL
        "<body name='b' pos='1 0 0'><joint name='j' axis='0 0 1' ref='0.2'/>" BALL
        "</body></body></worldbody><actuator><motor name='m' joint='j'/></actuator><keyframe><key "
        "name='home' qpos='1 2 3 0.7071067811865476 0 0 0.7071067811865476 0.7' qvel='0 0 0 1 0 0 "
        "0.5' ctrl='4'/><key/></keyframe></mujoco>";
    reading r = read_at("robot", text);
    CHECK(r.status == FLX_OK);
    CHECK(is_told(&r, "first keyframe, 'home'"));
    CHECK_NEAR(number(&r, "bodies.b.position[0]"), 1.0, 1e-15);
    CHECK_NEAR(number(&r, "bodies.b.position[1]"), 3.0, 1e-15);
    CHECK_NEAR(number(&r, "joints.j.initial.angle"), 0.5, 1e-15);
    CHECK_NEAR(number(&r, "bodies.a.angular_velocity[1]"), 1.0, 1e-15);
    CHECK_NEAR(number(&r, "bodies.b.angular_velocity[2]"), 0.5, 1e-15);
    CHECK_NEAR(number(&r, "bodies.b.velocity[0]"), 0.0, 1e-15);
    CHECK_NEAR(number(&r, "inputs.m.value"), 4.0, 0.0);
    end(&r);
    return 0;
}

// Without qpos they are where they are drawn.
static int a_keyframe_may_give_rates_alone(void)
{
    static const char text[] =
        "<mujoco><compiler angle='radian'/><worldbody><body name='a' pos='5 6 7' euler='0 0 0.5'>"
        "<freejoint/>" BALL
        "<body name='b' pos='1 0 0'><joint name='j' axis='0 0 1' ref='0.2'/>" BALL
        "</body></body></worldbody><keyframe><key qvel='1 0 0 0 0 2 0.5'/></keyframe></mujoco>";
    reading r = read_at("robot", text);
    CHECK(r.status == FLX_OK);
    CHECK_NEAR(number(&r, "bodies.a.position[1]"), 6.0, 1e-15);
    CHECK_NEAR(number(&r, "bodies.b.position[0]"), 5.0 + cos(0.5), 1e-14);
    CHECK_NEAR(number(&r, "bodies.b.velocity[0]"), 1.0 - 2.0 * sin(0.5), 1e-14);
    CHECK_NEAR(number(&r, "bodies.b.angular_velocity[2]"), 2.5, 1e-14);
    end(&r);
    return 0;
}

// Geoms that touch are surfaces of their body; those of pictures alone are not.
static int geoms_are_surfaces(void)
{
    static const char text[] =
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='b'><freejoint/><geom "
        "type='capsule' size='0.1 0.3'/><geom type='box' size='1 1 1' contype='0' "
        "conaffinity='0'/></body></worldbody></mujoco>";
    reading r = read_at("robot", text);
    CHECK(r.status == FLX_OK);
    CHECK_NEAR(number(&r, "bodies.b.surface[0].capsule.length"), 0.6, 1e-15);
    CHECK(flx_model_kind(r.model, "bodies.b.surface[1]") == 0);
    CHECK(flx_model_kind(r.model, "bodies.b.shape[1]") != 0);
    CHECK(is_told(&r, "geoms do not touch each other"));
    end(&r);
    return 0;
}

static int what_is_left_out_is_told(void)
{
    static const struct {
        const char *compiler, *body, *rest, *message;
    } cases[] = {
        {"", "<joint type='ball' range='0 1'/>", "", "the range of joint"},
        {"", "<joint type='ball' armature='1'/>", "", "the armature of joint"},
        {"", "<joint type='free' damping='1'/>", "", "the damping of joint"},
        {"<option viscosity='0.1'/>", "<joint/>", "", "viscosity"},
        {"<option><flag limit='disable'/></option>", "<joint/>", "", "limit=\"disable\""},
        {"", "<joint/><plugin/>", "", "<plugin> is left out"},
        {"", "<joint/>", "<tendon/>", "<tendon> is left out"},
        {"", "<joint/>", "<equality><tendon/></equality>", "the equality <tendon>"},
        {"", "<joint/>", "<equality><weld body1='b' relpose='1 0 0 1 0 0 0'/></equality>",
         "relpose"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "<mujoco>%s<worldbody><body name='b'>%s" BALL "</body></worldbody>%s</mujoco>",
                 cases[i].compiler, cases[i].body, cases[i].rest);
        reading r = read_at("robot", text);
        if (!is_told(&r, cases[i].message)) printf("%s\n", text);
        CHECK(is_told(&r, cases[i].message));
        end(&r);
    }
    return 0;
}

static int masses_have_bounds_and_a_total(void)
{
    static const char text[] =
        "<mujoco><compiler boundmass='3' boundinertia='0.2' settotalmass='%d' inertiagrouprange='0 "
        "1'/><worldbody><body name='a'><joint name='i'/><geom size='0.1' mass='1'/><geom "
        "size='0.1' "
        "mass='50' group='2'/></body><body name='b'><joint name='j'/><geom size='0.1' "
        "mass='5'/></body></worldbody></mujoco>";
    char whole[500];
    snprintf(whole, sizeof whole, text, -1);
    reading r = read_at("robot", whole);
    CHECK(r.status == FLX_OK);
    CHECK_NEAR(number(&r, "bodies.a.mass"), 3.0, 0.0);
    CHECK_NEAR(number(&r, "bodies.a.inertia[1]"), 0.2, 1e-15);
    end(&r);
    snprintf(whole, sizeof whole, text, 16);
    r = read_at("robot", whole);
    CHECK_NEAR(number(&r, "bodies.b.mass"), 10.0, 1e-14);
    CHECK_NEAR(number(&r, "bodies.b.inertia[1]"), 0.4, 1e-15);
    end(&r);
    return 0;
}

TEST_MAIN(TEST(a_range_is_a_limit), TEST(frames_are_looked_through), TEST(a_closed_mesh_has_a_mass),
          TEST(actuators_are_forces), TEST(actuators_share_defaults),
          TEST(coordinates_are_tied_by_polynomials), TEST(loops_close_at_sites),
          TEST(the_first_keyframe_is_the_start), TEST(a_keyframe_may_give_rates_alone),
          TEST(geoms_are_surfaces), TEST(what_is_left_out_is_told),
          TEST(masses_have_bounds_and_a_total))
