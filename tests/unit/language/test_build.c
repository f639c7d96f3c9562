// The language: repetition, parts, parameters, drawing, joints, equations. What is refused:
// test_build_refusals.c.
#include "build_rig.h"
#include "flexion/extend/method_table.h"
#include "joint/joint.h"
#include "model_text.h"

// ---- parameters ---------------------------------------------------------------------------------

static int parameters(void)
{
    static const char text[] =
        "flexion: 1\n"
        "parameters: {b: 2*a, a: c(2) + 1, c: [1, 5, [7, 8]], d: \"a*[1, 2, 3]\"}\n"
        "bodies: {p: {type: point, mass: b, position: d}}\n";
    static const char *const settings[] = {"a=10*deg", "c=[1, 2]"};
    flx_model *m = read_text(text);
    CHECK(m);
    CHECK(m->nparameter == 4);
    CHECK_NEAR(m->parameters[0].values[0], 12, 0);
    CHECK(m->parameters[2].count == 4 && m->parameters[2].list);
    CHECK_NEAR(m->bodies[0].position[2], 18, 0);
    done(m);
    ctx = flx_ctx_create();
    CHECK(flx_model_read_text(ctx, "x.yaml", text, strlen(text), 2, settings, &m) == FLX_OK);
    CHECK_NEAR(m->bodies[0].mass, 20 * acos(-1) / 180, 1e-15);
    done(m);
    ctx = flx_ctx_create();
    static const char *const wrong[] = {"aa=1"};
    CHECK(flx_model_read_text(ctx, "x.yaml", text, strlen(text), 1, wrong, &m) == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "no parameter 'aa'; did you mean 'a'?");
    done(m);
    static const refusal list[] = {
        {"parameters: {a: b, b: c + 1, c: a}", "cyclic parameters: a -> b -> c -> a"},
        {"parameters: {a: 1/0}", "2:"},
        {"parameters: {a: t}", "2:17: 't' changes in time"},
    };
    return check_refusals("flexion: 1\n", COUNT(list), list);
}

// ---- repetition ---------------------------------------------------------------------------------

static int repetition(void)
{
    flx_model *m = read_text(
        "flexion: 1\n"
        "parameters: {N: 3}\n"
        "functions: {row: {of: [i], value: [i, i^2, 0]}}\n"
        "bodies:\n"
        "  base: {type: rigid, mass: 1, inertia: [1, 1, 1], points: {hole: {repeat: {i: [1, N], j: "
        "[0, 1]}, at: [i, j, 0]}}}\n"
        "  tri: {repeat: {i: [1, N], j: [1, i]}, type: point, mass: i + j/10, position: \"row(i) + "
        "[0, 0, j]\"}\n"
        "  none: {repeat: {i: [1, 0]}, like: tip}\n"
        "  tip: {like: knob, mass: 7}\n"
        "  knob: {like: tri, repeat: {i: [5, 5], j: [1, 2]}}\n"
        "  on_hole: {type: point, mass: 1, position: base.hole(2)(1)}\n"
        "signals: {sum2: {repeat: {i: [1, N]}, value: \"sum(j, 1, i, tri(i)(j).position.z)\"}}\n"
        "simulate: {until: 1}\n"
        "outputs: {signals: [tri.position.z, base.hole.position.x, sum2, \"2*sum2(3)\"]}\n");
    CHECK(m);
    CHECK(m->nbody == 1 + 6 + 0 + 2 + 2 + 1);
    CHECK_NEAR(pose_body(m, "tri(3)(2)")->mass, 3.2, 1e-15);
    CHECK_V3(v3_load(pose_body(m, "tri(3)(2)")->position), v3_make(3, 9, 2), 0);
    CHECK_NEAR(pose_body(m, "tip(5)(2)")->mass, 7, 0);
    CHECK_V3(v3_load(pose_body(m, "on_hole")->position), v3_make(2, 1, 0), 0);
    CHECK(pose_body(m, "base")->npoint == 6);
    CHECK(strcmp(pose_body(m, "base")->points[3].name, "hole(2)(1)") == 0);
    CHECK(m->outputs.ncolumn == 6 + 6 + 3 + 1);
    double t = 0.3, z = 0;
    for (int k = 4; k <= 6; k++) z += pose_place(k, 2, t, 0); // tri(3)(1 to 3)
    CHECK_NEAR(pose_value(m, "sum2(3)", t), z, 1e-15);
    CHECK_NEAR(pose_value(m, "2*sum2(3)", t), 2 * z, 1e-15);
    CHECK(pose_column(m, "tri(3)(1).position.z") >= 0);
    return done(m);
}

// ---- parts --------------------------------------------------------------------------------------

// A model in a model in a model: placement and motion are those of a rigid drawing.
static int parts(void)
{
    flx_model *m = read_text(model_text("parts"));
    CHECK(m);
    CHECK(m->nbody == 4);
    const flx_body *p = pose_body(m, "out(2).in.p"), *r = pose_body(m, "out(2).in.r");
    CHECK(p && r);
    // inner: R = Rz(90) Rx(90), at [0, 0, 5] + Rz(90) [20, 0, 0]
    CHECK_V3(v3_load(p->position), v3_make(0, 21, 5), 1e-14);
    CHECK_V3(v3_load(r->position), v3_make(0, 20, 7), 1e-14);
    // ex -> Rz(90) Rx(90) ey = Rz(90) ez = ez
    CHECK_V3(m33_col(m33_load(r->R), 0), v3_make(0, 0, 1), 1e-15);
    // [1, 0, 0] + 2 ez x (0, 21, 0) + Rz Rx [0, 1, 0]
    CHECK_V3(v3_load(p->start.velocity), v3_make(1 - 42, 0, 1), 1e-13);
    CHECK_V3(v3_load(r->start.angular_velocity), v3_make(0, 0, 2), 0);
    // inside a part its frame takes the place of the ground axes
    double t = 0.7;
    int i = (int)(p - m->bodies), k = (int)(r - m->bodies);
    const double o[3] = {0, 0, 0};
    m33 R = m33_mul(quat_to_m33(quat_exp(v3_make(0, 0, acos(-1) / 2))),
                    quat_to_m33(quat_exp(v3_make(acos(-1) / 2, 0, 0))));
    v3 frame = v3_make(0, 20, 5), x = pose_point(m, i, o, t);
    v3 local = m33_tmul_v(R, v3_sub(x, frame));
    CHECK_NEAR(pose_value(m, "out(2).in.here.x", t), local.x, 1e-13);
    CHECK_NEAR(pose_value(m, "out(2).in.here.y", t), local.y, 1e-13);
    CHECK_NEAR(pose_value(m, "out(2).in.p.position.y", t), x.y, 0);
    CHECK_NEAR(pose_value(m, "out(2).in.away", t), v3_norm(x), 1e-13);
    v3 w = m33_tmul_v(R, m33_mul_v(pose_R(m, k, t), v3_scale(pose_phi(k, t, 1), pose_axis(k))));
    CHECK_NEAR(pose_value(m, "out(2).in.w.z", t), w.z, 1e-14);
    // and a force given in it is turned out of it
    const flx_force *f = pose_force(m, "out(2).in.f");
    CHECK_V3(v3_make(pose_eval(m, f->force[0], t), pose_eval(m, f->force[1], t),
                     pose_eval(m, f->force[2], t)),
             v3_sub(x, frame), 1e-13);
    double com = (pose_place(0, 0, t, 0) + 3 * pose_place(1, 0, t, 0)) / 4;
    CHECK_NEAR(pose_value(m, "out(1).com.position.x", t), com, 1e-15);
    return done(m);
}

static int part_files(void)
{
    flx_model *m = NULL;
    static const char text[] =
        "flexion: 1\n"
        "parts:\n"
        "  left: {model: leg.yaml, position: [0, 1, 0]}\n"
        "  right: {model: leg.yaml, parameters: {side: -1, n: 3}, position: [0, -1, 0]}\n"
        "simulate: {until: 1}\n"
        "outputs: {signals: [left.toe.position, right.reach, left.hip.angle]}\n";
    ctx = flx_ctx_create();
    CHECK(flx_model_read_text(ctx, FLX_TESTS "/models/top.yaml", text, strlen(text), 0, NULL, &m) ==
          FLX_OK);
    CHECK(m->nbody == 3 + 4 && m->njoint == 2 && m->nforce == 4);
    CHECK_NEAR(m->gravity[2], 0, 0); // that of the model that uses the part
    CHECK_V3(v3_load(pose_body(m, "right.toe(3)")->position), v3_make(0, -4, -0.5), 0);
    CHECK(m->outputs.ncolumn == 6 + 3 + 1);
    done(m);
    static const refusal list[] = {
        {"parts: {x: {model: nothing}}", "unknown model 'nothing'"},
        {"models: {leg: {}}\nparts: {x: {model: lag}}", "unknown model 'lag'; did you mean 'leg'?"},
        {"parts: {x: {model: nowhere.yaml}}", "nowhere.yaml"},
        {"models: {m: {parts: {x: {model: m}}}}\nparts: {x: {model: m}}",
         "model 'm' contains itself"},
        {"parameters: {k: 1}\nmodels: {m: {bodies: {b: {type: point, mass: k}}}}\n"
         "parts: {x: {model: m}}",
         "part 'x' sees only the names of its own model"},
        {"models: {m: {parameters: {side: 1}}}\nparts: {x: {model: m, parameters: {sid: 1}}}",
         "has no parameter 'sid'; did you mean 'side'?"},
    };
    return check_refusals("flexion: 1\n", COUNT(list), list);
}

// ---- drawing ------------------------------------------------------------------------------------

static int orientations(void)
{
    flx_model *m = read_text(
        "flexion: 1\n"
        "bodies:\n"
        "  a: {type: rigid, mass: 1, inertia: [1, 2, 2, 0.1, 0.2, 0.3], orientation: {axis: [0, 0, "
        "2], angle: 90*deg}}\n"
        "  b: {like: a, orientation: {quaternion: [2, 0, 0, 2]}}\n"
        "  c: {like: a, orientation: {matrix: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}}\n"
        "  d: {like: a, orientation: {euler: {sequence: zxz, angles: [30*deg, 0, 60*deg]}}}\n"
        "  e: {like: a, orientation: {x: [0, 3, 0], y: [-1, 1, 0]}}\n"
        "  f: {like: a, orientation: {x: [0, 1, 0]}}\n"
        "  g: {like: a, orientation: {euler: {sequence: zyx, angles: [0.3, 0.2, 0.1]}}}\n"
        "  h: {like: a, orientation: {x: [-1, 0, 0]}}\n");
    CHECK(m);
    const double quarter[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 9; k++) CHECK_NEAR(m->bodies[i].R[k], quarter[k], 1e-15);
    }
    m33 R = m33_mul(quat_to_m33(quat_exp(v3_make(0, 0, 0.3))),
                    m33_mul(quat_to_m33(quat_exp(v3_make(0, 0.2, 0))),
                            quat_to_m33(quat_exp(v3_make(0.1, 0, 0)))));
    for (int k = 0; k < 9; k++) CHECK_NEAR(m->bodies[6].R[k], R.m[k], 1e-15);
    CHECK_NEAR(m->bodies[7].R[0], -1, 0);
    CHECK_NEAR(m->bodies[7].R[8], 1, 0);
    const double J[9] = {1, 0.1, 0.3, 0.1, 2, 0.2, 0.3, 0.2, 2}; // xx yy zz xy yz xz
    for (int k = 0; k < 9; k++) CHECK_NEAR(m->bodies[0].inertia[k], J[k], 0);
    CHECK(flx_ctx_warning_count(ctx) == 1); // the quaternion was not of length 1
    return done(m);
}

// A point has no rotation: what a joint on one becomes.
static int joints_of_points(void)
{
    flx_model *m = read_text("flexion: 1\n"
                             "bodies:\n"
                             "  a: {type: rigid, mass: 1, inertia: [1, 1, 1]}\n"
                             "  p: {type: point, mass: 1, position: [1, 0, 0]}\n"
                             "joints:\n"
                             "  weld: {type: fixed, on: [a, p], at: p}\n"
                             "  rail: {type: prismatic, on: [ground, p], at: p, axis: [0, 1, 0]}\n"
                             "  table: {type: planar, on: [ground, p], at: p, axis: [0, 0, 1]}\n"
                             "simulate: {until: 1}\n"
                             "outputs: {signals: [rail.displacement]}\n");
    CHECK(m);
    CHECK(pose_joint(m, "weld")->kind == &flx_joint_SPHERICAL);
    CHECK(pose_joint(m, "rail")->kind == &flx_joint_POINT_ON_LINE);
    CHECK(pose_joint(m, "table")->kind == &flx_joint_POINT_ON_PLANE);
    CHECK_NEAR(pose_value(m, "rail.displacement", 0.2), pose_place(1, 1, 0.2, 0), 1e-15);
    return done(m);
}

// A force along the coordinate that is not the joint's own is a wrench on its bodies.
static int forces_on_joints(void)
{
    flx_model *m =
        read_text("flexion: 1\n"
                  "bodies:\n"
                  "  a: {type: rigid, mass: 1, inertia: [1, 1, 1]}\n"
                  "  b: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
                  "joints:\n"
                  "  slot: {type: cylindrical, on: [a, b], at: b, axis: [0, 0, 1]}\n"
                  "  nut: {type: screw, on: [ground, a], at: a, axis: [1, 0, 0], pitch: 0.01}\n"
                  "forces:\n"
                  "  push: {type: force, on: slot, value: 3}\n"
                  "  turn: {type: torque, on: slot, value: 4}\n"
                  "  coil: {type: spring, on: slot, stiffness: 2, angle: 0.1}\n"
                  "  drive: {type: torque, on: nut, value: 5}\n");
    CHECK(m);
    CHECK(pose_force(m, "push")->kind == &flx_force_effort);
    CHECK(pose_force(m, "drive")->kind == &flx_force_effort);
    const flx_force *turn = pose_force(m, "turn"), *coil = pose_force(m, "coil");
    CHECK(turn->kind == &flx_force_wrench && turn->body[0] == 0 && turn->body[1] == 1);
    const double z[3] = {0, 0, 4};
    double t = 0.4;
    CHECK_V3(v3_make(pose_eval(m, turn->torque[0], t), pose_eval(m, turn->torque[1], t),
                     pose_eval(m, turn->torque[2], t)),
             pose_direction(m, 0, z, t), 1e-14);
    CHECK(coil->kind == &flx_force_joint_spring &&
          coil->other); // the slot's own is the displacement
    return done(m);
}

// ---- equations ----------------------------------------------------------------------------------

static int equations(void)
{
    flx_model *m = read_text("flexion: 1\n"
                             "bodies: {p: {type: point, mass: 1}}\n"
                             "equations:\n"
                             "  second_order:\n"
                             "    q: {repeat: {i: [1, 2]}, at: i, rate: -i, mass: 2 + q(i)^2, "
                             "force: -q(i) + p.position.x}\n"
                             "  first_order:\n"
                             "    w: {mass: 0, at: 1, derivative: w^2 - q(1)}\n"
                             "    z: {mass: 4, derivative: z + w}\n"
                             "    u: {derivative: -u + p.velocity.y}\n"
                             "  constraints: {roll: q(1)' - 2*q(2)'*q(1) + t, hold: {repeat: {i: "
                             "[1, 2]}, value: q(i) - p.position.x}}\n"
                             "  coupling: [[q(1), q(2), 0.1*cos(q(1))]]\n"
                             "simulate: {until: 2}\n"
                             "outputs: {signals: [q, q', w, roll.multiplier, hold]}\n");
    CHECK(m);
    CHECK(m->nvariable == 2 && m->nstate == 2 && m->nalgebraic == 1 && m->nfirst == 3);
    CHECK(m->firsts[0].algebraic && m->firsts[0].number == 0);
    CHECK(!m->firsts[1].algebraic && m->firsts[1].number == 0 && m->firsts[2].number == 1);
    double t = 0.6, w = 0.3, z = cos(2 * t);
    CHECK_NEAR(pose_eval(m, m->firsts[1].derivative, t), (z + w) / 4, 1e-15);
    CHECK_NEAR(pose_eval(m, m->firsts[0].derivative, t), w * w - sin(t), 1e-15);
    CHECK(m->nconstraint == 3 && m->constraints[0].velocity_level);
    CHECK(!m->constraints[2].velocity_level);
    CHECK_NEAR(m->variables[1].rate, -2, 0);
    CHECK_NEAR(pose_eval(m, m->variables[1].force, t), -sin(t + 1) + pose_place(0, 0, t, 0), 1e-15);
    CHECK(m->couplings[0].i == 0 && m->couplings[0].j == 1);
    CHECK_NEAR(m->outputs.every, 2.0 / 500, 0);
    CHECK(m->outputs.ncolumn == 2 + 2 + 1 + 1 + 2);
    return done(m);
}

// ---- outputs ------------------------------------------------------------------------------------

static int outputs_unasked(void)
{
    flx_model *m = read_text(
        "flexion: 1\n"
        "bodies: {a: {type: rigid, mass: 1, inertia: [1, 1, 1]}, p: {type: point, mass: 1}}\n"
        "joints: {A: {type: revolute, on: [ground, a], at: a, axis: [0, 0, 1]}}\n"
        "simulate: {until: 5}\n");
    CHECK(m);
    CHECK(pose_column(m, "a.position.x") >= 0 && pose_column(m, "a.orientation.w") >= 0);
    CHECK(pose_column(m, "p.position.z") >= 0 && pose_column(m, "A.angle") >= 0);
    CHECK(pose_column(m, "energy.total") >= 0 && pose_column(m, "constraints.position") >= 0);
    CHECK(m->outputs.ncolumn == 7 + 3 + 1 + 5 + 2);
    CHECK_NEAR(m->outputs.every, 0.01, 1e-18);
    CHECK(strcmp(m->simulate.method, "auto") == 0);
    CHECK_NEAR(m->simulate.def.rtol, 1e-6, 0);
    CHECK_NEAR(m->simulate.def.atol, 1e-8, 1e-22);
    return done(m);
}

static int measures(void)
{
    flx_model *m =
        read_text("flexion: 1\n"
                  "bodies: {p: {type: point, mass: 1}}\n"
                  "simulate: {until: 5}\n"
                  "outputs:\n"
                  "  signals: [p.position.x, p, p.position]\n"
                  "  metrics: {far: maximum(norm(p.position)), end: norm(final(p.position)), "
                  "both: 2*maximum(norm(p.position)) - mean(p.x)}\n");
    CHECK(m);
    CHECK(m->outputs.ncolumn == 3 + 3); // p.position.x once
    CHECK(m->outputs.nprobe == 1 + 3 + 1);
    CHECK(strcmp(m->outputs.metrics[2].name, "both") == 0);
    int n = 0;
    flx_leaf *leaves = NULL;
    CHECK(flx_graph_leaves(m->graph, 1, &m->outputs.metrics[2].value, &n, &leaves) == FLX_OK);
    CHECK(n == 2 && leaves[0] == flx_leaf_make(FLX_LEAF_MEASURE, 0, 0));
    flx_free(leaves);
    return done(m);
}

// ---- memory -------------------------------------------------------------------------------------

// Each allocation fails in turn: the failure is reported and nothing leaks.
static int every_allocation_may_fail(void)
{
    for (long k = 0; k < 100000; k++) {
        flx_model *m = NULL;
        ctx = flx_ctx_create();
        flx_ctx_fail_allocation(ctx, k);
        flx_status status =
            flx_model_read(ctx, FLX_TESTS "/models/14-stewart-platform.yaml", 0, NULL, &m);
        bool right = status == FLX_OK ? m != NULL : status == FLX_ERR_MEMORY && !m;
        if (!right) printf("allocation %ld: status %d\n", k, (int)status);
        CHECK(right);
        bool last = status == FLX_OK;
        done(m);
        if (last) {
            CHECK(k > 20);
            return 0;
        }
    }
    return 1;
}

TEST_MAIN(TEST(parameters), TEST(repetition), TEST(parts), TEST(part_files), TEST(orientations),
          TEST(joints_of_points), TEST(forces_on_joints), TEST(equations), TEST(outputs_unasked),
          TEST(measures), TEST(every_allocation_may_fail))
