// Models that are refused, and what is said of them.
#include "build_rig.h"

static const char head[] =
    "flexion: 1\n"
    "parameters: {k: 3, list: [1, 2, 3]}\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 1, inertia: [1, 1, 1], points: {p: [1, 0, 0]}}\n"
    "  b: {type: rigid, mass: 1, inertia: [1, 1, 1], position: a.p}\n"
    "  ball: {type: point, mass: 1}\n"
    "  link: {repeat: {i: [1, 3]}, type: point, mass: 1}\n";

static int names_are_checked(void)
{
    static const refusal list[] = {
        {"signals: {s: bal.position}", "8:14: unknown name 'bal'; did you mean 'ball'?"},
        {"signals: {s: a.positoin}", "8:16: 'a' has no 'positoin'; did you mean 'position'?"},
        {"signals: {s: a.q.position}", "8:16: 'a' has no 'q'"},
        {"signals: {s: link.position}", "'link' stands for link(1) to link(3); say which one"},
        {"signals: {s: link(4).position}", "there is no link(4): link has the indices 1 to 3"},
        {"signals: {s: ball(1).position}", "'ball' is not repeated and takes no index"},
        {"signals: {a: 1}", "8:11: 'a' is already the name of a"},
        {"signals: {t: 1}", "8:11: 't' is built in"},
        {"signals: {ground: 1}", "'ground' is built in"},
        {"signals: {energy: 1}", "'energy' is built in"},
        {"functions: {norm: {of: [x], value: x}}", "'norm' is a built-in function"},
        {"functions: {f: {of: [pi], value: 1}}", "'pi' is built in"},
        {"functions: {f: {of: [x, x], value: 1}}", "argument 'x' is there twice"},
        {"signals: {s: u + 1, u: s}", "cyclic signals: s -> u -> s"},
        {"functions: {f: {of: [x], value: f(x) + 1}}\nsignals: {s: f(1)}", "inside each other"},
        {"functions: {f: {of: [x], value: x}}\nsignals: {s: \"f(1, 2)\"}",
         "function 'f' takes 1 argument (x), not 2"},
        {"signals: {s: list(4)}", "index 4 is out of range"},
        {"simulate: {until: t}", "'t' changes in time; only constants are allowed here"},
        {"simulate: {until: ball.velocity.x}", "'ball.velocity' changes in time"},
        {"forces: {f: {type: force, on: a, value: [energy.total, 0, 0]}}",
         "'energy.total' is known only when a step is done"},
        {"forces: {f: {type: force, on: a, value: a.acceleration}}",
         "'a.acceleration' is known only when a step is done"},
        {"forces: {f: {type: force, on: a, value: a.velocity'}}",
         "this rate contains an acceleration"},
        {"signals: {s: a.acceleration.x}\nforces: {f: {type: force, on: a, value: [s, 0, 0]}}",
         "9:42: signal 's' contains an acceleration"},
        {"joints: {J: {type: revolute, on: [a, b], at: a.p, axis: [0, 0, 1]}}\n"
         "outputs: {signals: [J.drive]}",
         "joint 'J' has no motion"},
        {"outputs: {signals: [a.position.w]}", "'a.position' has no 'w'"},
        {"outputs: {metrics: {x: a.position.x}}", "what changes in time stands inside final(..)"},
        {"outputs: {metrics: {x: final(maximum(k))}}", "a metric cannot be inside a metric"},
    };
    return check_refusals(head, COUNT(list), list);
}

static int bodies_are_checked(void)
{
    static const refusal list[] = {
        {"  c: {type: rigid, mass: -1, inertia: [1, 1, 1]}",
         "8:26: the mass of body 'c' is negative"},
        {"  c: {type: rigid, mass: 1, inertia: [1, 1, 2.1]}",
         "larger than the sum of the other two"},
        {"  c: {type: rigid, mass: 1, inertia: [1, 1, 1, 2, 0, 0]}", "negative principal moment"},
        {"  c: {type: rigid, mass: 1, inertia: [[1, 0, 0], [0.1, 1, 0], [0, 0, 1]]}",
         "not symmetric"},
        {"  c: {like: d}\n  d: {like: c}", "body 'c' is like itself, by way of 'd'"},
        {"  c: {like: aa}", "there is no body 'aa' to be like; did you mean 'a'?"},
        {"  c: {like: ball, position: d}\n  d: {like: ball, position: c}",
         "cyclic drawing: c -> d -> c"},
        {"  c: {like: a, orientation: {matrix: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}}",
         "its determinant is -1"},
        {"  c: {like: a, orientation: {matrix: [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}}",
         "the matrix is not a rotation"},
        {"  c: {like: a, orientation: {axis: [0, 0, 0], angle: 1}}", "a direction cannot be zero"},
        {"  c: {like: a, orientation: {x: [1, 0, 0], y: [2, 0, 0]}}", "x and y are parallel"},
        {"  c: {like: a, orientation: {euler: {sequence: zzx, angles: [1, 2, 3]}}}",
         "no two neighbours equal"},
        {"  c: {like: a, points: {position: [0, 0, 0]}}", "'position' is a signal of every body"},
        {"  c: {like: ball, repeat: {i: [1, 0.5]}}", "expected a whole number, found 0.5"},
        {"  c: {like: ball, repeat: {i: [5, 1]}}", "repeat: 'i' goes from 5 down to 1"},
        {"  c: {like: ball, repeat: {i: [1, 1e8]}}", "are more than the"},
    };
    return check_refusals(head, COUNT(list), list);
}

static int joints_are_checked(void)
{
    static const refusal list[] = {
        {"joints: {J: {type: revolute, on: [a, a], at: a, axis: [0, 0, 1]}}",
         "8:38: 'a' is there twice"},
        {"joints: {J: {type: revolute, on: [a, b], at: a.p, axis: [0, 0, 0]}}",
         "a direction cannot be zero"},
        {"joints: {J: {type: revolute, on: [a, ball], at: ball, axis: [0, 0, 1]}}",
         "a point has no rotation for a joint 'revolute'"},
        {"joints: {J: {type: spherical, on: [a.p, b], at: a.p}}",
         "'a.p' is a point; 'on' takes its body"},
        {"joints: {J: {type: spherical, on: [a, b], at: [b, a.p]}}", "8:48: 'b' is not on 'a'"},
        {"joints: {J: {type: distance, on: [a, b], at: [a.p, b]}}",
         "coincide in the initial configuration"},
        {"joints: {J: {type: universal, on: [a, b], at: b, axes: [[1, 0, 0], [2, 0, 0]]}}",
         "cannot be parallel"},
        {"joints: {J: {type: revolute, on: [a, b], at: b, axis: [0, 0, 1], motion: {angle: "
         "a.rate}}}",
         "depends on the motion; here only the time t may be used"},
        {"joints: {J: {type: revolute, on: [a, b], at: b, axis: [0, 0, 1], motion: {displacement: "
         "t}}}",
         "(revolute) has no displacement; use 'angle'"},
        {"joints: {J: {type: revolute, on: [a, b], at: b, axis: [0, 0, 1], motion: {angle: t}, "
         "initial: {angle: 1}}}",
         "already says its initial coordinate and rate"},
        {"joints:\n  J: {type: spherical, on: [a, b], at: b}\n  G: {type: gear, on: [J, J], ratio: "
         "2}",
         "a joint cannot be joined to itself"},
        {"joints:\n  J: {type: spherical, on: [a, b], at: b}\n  K: {type: fixed, on: [b, ground], "
         "at: b}\n"
         "  G: {type: gear, on: [J, K], ratio: 2}",
         "joint 'J' has no coordinate for a gear"},
        {"joints: {J: {type: screw, on: [a, b], at: b, axis: [0, 0, 1], pitch: 0}}",
         "a screw without pitch"},
    };
    return check_refusals(head, COUNT(list), list);
}

static int forces_are_checked(void)
{
    static const refusal list[] = {
        {"forces: {f: {type: torque, on: ball, value: [0, 0, 1]}}", "a point has no rotation"},
        {"forces: {f: {type: torque, on: a, value: 3}}", "or a number with the key 'axis'"},
        {"forces: {f: {type: force, on: ground, value: [1, 0, 0]}}",
         "a force on the ground moves nothing"},
        {"forces: {f: {type: spring, on: [a, ball], at: [a, ball], stiffness: 1}}",
         "coincide in the initial configuration; give its 'length'"},
        {"forces: {f: {type: bushing, on: [a, b], at: b, stiffness: [1, 1, 1], damping: [1, 1, 1, "
         "1, 1, 1]}}",
         "damping has 6 numbers and stiffness 3"},
        {"joints: {J: {type: revolute, on: [a, b], at: b, axis: [0, 0, 1]}}\n"
         "forces: {f: {type: force, on: J, value: 1}}",
         "joint 'J' has an angle; use type 'torque'"},
        {"joints: {J: {type: spherical, on: [a, b], at: b}}\n"
         "forces: {f: {type: torque, on: J, value: 1}}",
         "joint 'J' has no coordinate along which a force could act"},
        {"forces: {f: {type: actuator, on: [a, ball], at: [a.p, ball], value: f.value}}",
         "cyclic forces: f -> f"},
        {"forces: {f: {type: force, on: a, value: [1, 0, 0], frame: k}}",
         "'frame' takes the name of a body"},
    };
    return check_refusals(head, COUNT(list), list);
}

static int equations_are_checked(void)
{
    static const refusal list[] = {
        {"equations: {second_order: {q: {force: 1, mass: q'}}}", "a mass cannot depend on rates"},
        {"equations: {second_order: {q: {force: 1, mass: -2}}}", "the mass is negative"},
        {"equations: {second_order: {q: {force: q''}}}", "this rate contains an acceleration"},
        {"equations: {second_order: {q: {force: 1}}, constraints: [q'^2 - 1]}",
         "is not linear in the rates"},
        {"equations: {second_order: {q: {force: 1}}, constraints: [k - 3]}",
         "contains nothing that moves"},
        {"equations: {first_order: {z: {derivative: 1}}, constraints: [z]}",
         "contains nothing that moves"},
        {"equations: {second_order: {q: {force: 1}}, first_order: {z: {mass: 0, derivative: z - "
         "1}}, constraints: [q - z]}",
         "a constraint holds positions or rates"},
        {"equations: {second_order: {q: {force: 1}}, first_order: {z: {derivative: q'}}, "
         "constraints: [q - z]}",
         "no rates and no reactions"},
        {"equations: {second_order: {q: {force: 1}}, coupling: [[q, q, 1]]}",
         "two different variables"},
        {"equations: {second_order: {q: {force: 1}}, coupling: [[q, k, 1]]}",
         "coupling is between two variables of second order"},
        {"equations: {second_order: {q: {force: 1}, r: {force: 1}}, coupling: [[q, r, 1], [r, q, "
         "2]]}",
         "is given twice"},
        {"equations: {first_order: {w: {mass: 0, derivative: w - 1}}}\nsignals: {s: w'}",
         "there is no rate of an algebraic variable"},
    };
    return check_refusals(head, COUNT(list), list);
}

static int runs_are_checked(void)
{
    static const refusal list[] = {
        {"simulate: {until: 0}", "the end of the run must be positive"},
        {"simulate: {until: 1, method: trapezoidal}", "has no error control; give it a 'step'"},
        {"simulate: {until: 1, method: generalized-alpha, step: 0.1, spectral_radius: 1.5}",
         "between 0 and 1"},
        {"simulate: {until: 1, method: radau, stages: 0}", "'stages' is at least 1, not 0"},
        {"outputs: {every: 0}", "must be positive"},
        {"outputs: {times: [1, 0.5]}", "output times ascend"},
        {"sweep: {parameters: {kk: [1, 2]}}", "the model has no parameter 'kk'; did you mean 'k'?"},
        {"sweep: {parameters: {k: {from: -1, to: 2, count: 3, spacing: log}}}",
         "only where both have one sign"},
        {"sweep: {parameters: {k: {from: 1, to: 2}}}", "a range needs 'from', 'to' and 'count'"},
        {"sweep: {parameters: {k: {from: 1, to: 2, count: 0}}}", "'count' must be at least 1"},
        {"sweep: {parameters: {k: {from: 1, to: 2, count: 2e6}}}", "and at most 1e+06"},
        {"sweep: {combine: zip, parameters: {k: [1, 2], list: [1]}}", "side by side they need as"},
        {"analyse: {m: {type: modes, about: rest}}", "there is no analysis 'rest'"},
    };
    return check_refusals(head, COUNT(list), list);
}

// Several items are wrong: each is reported, a repeated one once.
static int errors_are_collected(void)
{
    flx_model *m = NULL;
    static const char text[] = "flexion: 1\n"
                               "bodies:\n"
                               "  a: {type: point, mass: -1}\n"
                               "  b: {repeat: {i: [1, 500]}, type: point, mass: -i}\n"
                               "  c: {type: point, mass: 1, position: [x, 0, 0]}\n"
                               "joints: {J: {type: fixed, on: [c, ground], at: d}}\n"
                               "outputs: {signals: [c.position, e]}\n";
    ctx = flx_ctx_create();
    CHECK(flx_model_read_text(ctx, "x.yaml", text, strlen(text), 0, NULL, &m) == FLX_ERR_MODEL);
    CHECK(flx_ctx_error_count(ctx) == 4); // a, b(1), c, and e; the joint stands on c
    CHECK(flx_ctx_error(ctx, 1)->loc.line == 4);
    return done(m);
}

TEST_MAIN(TEST(names_are_checked), TEST(bodies_are_checked), TEST(joints_are_checked),
          TEST(forces_are_checked), TEST(equations_are_checked), TEST(runs_are_checked),
          TEST(errors_are_collected))
