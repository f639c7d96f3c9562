// test_reach.c - positions that velocity-level constraints leave reachable: the rolling wheel's brackets, constraints that
// are integrable though no gradients, combinations of them, wheels on rails and axles, the ball, the snake board, trailers.
#include "simulation_rig.h"

#define EQUATIONS(variables, rows)                                                                 \
    "flexion: 1\nequations:\n  second_order: {" variables "}\n  constraints: {" rows "}\n"
#define FREE ": {mass: 1, force: 0}"
#define WHEEL "x" FREE ", y" FREE ", phi" FREE ", gamma: {mass: 1, force: 0, at: 0.3}"

typedef struct wanted {
    const char *what, *text;
    int positions, velocities, two, three, reachable, hidden, rows;
    const char *row; // in which of the rows is the word; NULL: any
    int alone;
} wanted;

static int check(const wanted *w)
{
    rig r;
    flx_reach f;
    CHECK_OK(rig_make(&r, w->text));
    CHECK_OK(flx_simulation_find_reach(r.sim, &f));
    bool right = !f.unknown && f.positions == w->positions && f.velocities == w->velocities &&
                 f.brackets[0] == w->two && f.brackets[1] == w->three &&
                 f.reachable == w->reachable && f.hidden == w->hidden && f.nrow == w->rows;
    for (int i = 0; i < f.nrow; i++) right = right && f.rows[i].alone == w->alone;
    if (w->row) right = right && f.nrow > 0 && strstr(f.rows[0].name, w->row);
    if (!right) {
        printf(
            "%s: %s %d positions, %d velocities, %d %d brackets, %d reachable, %d hidden in %d\n",
            w->what, f.unknown ? f.unknown : "", f.positions, f.velocities, f.brackets[0],
            f.brackets[1], f.reachable, f.hidden, f.nrow);
        for (int i = 0; i < f.nrow; i++) printf("  %s %d\n", f.rows[i].name, f.rows[i].alone);
    }
    flx_reach_clear(&f);
    rig_free(&r);
    CHECK(right);
    return 0;
}

static int equations(void)
{
    static const wanted all[] = {
        {"wheel",
         EQUATIONS(WHEEL, "a: \"x' - 0.4*cos(gamma)*phi'\", b: \"y' - 0.4*sin(gamma)*phi'\""), 4, 2,
         3, 4, 4, 0, 0, NULL, 0},
        {"the wheel in other coordinates and rows of other sizes",
         EQUATIONS(WHEEL, "b: \"exp(x)*(y' + 2*x' - 0.4*(2*cos(gamma) + sin(gamma))*phi')\", "
                          "a: \"1000*(2 + sin(y))*(x' - 0.4*cos(gamma)*phi')\""),
         4, 2, 3, 4, 4, 0, 0, NULL, 0},
        {"a wheel that is not steered",
         EQUATIONS(WHEEL, "a: \"x' - 0.4*cos(gamma)*phi'\", b: \"y' - 0.4*sin(gamma)*phi'\", "
                          "g: \"gamma'*(1 + x^2)\""),
         4, 1, 1, 1, 1, 3, 3, "a", 1},
        {"integrable, no gradient",
         EQUATIONS("u: {mass: 1, force: 0, at: 0.5}, v: {mass: 1, force: 0, at: 0.7}, "
                   "w: {mass: 1, force: 0, at: -0.6}",
                   "c: \"exp(u)*(v*w*u' + u*w*v' + u*v*w')\""),
         3, 2, 2, 2, 2, 1, 1, "c", 1},
        {"integrable together",
         EQUATIONS("x" FREE ", y" FREE ", z" FREE ", u" FREE,
                   "c: \"x' - z*y'\", d: \"exp(y)*(u' + z*y')\""),
         4, 2, 3, 3, 3, 1, 2, NULL, 0},
        {"a car with a trailer",
         EQUATIONS("x" FREE ", y" FREE ", s: {mass: 1, force: 0, at: 0.2}, h" FREE ", k" FREE,
                   "c: \"-sin(h)*x' + cos(h)*y'\", d: \"cos(s)*h' - sin(s)*(cos(h)*x' + "
                   "sin(h)*y')\", e: \"k' - sin(h - k)*(cos(h)*x' + sin(h)*y')\""),
         5, 2, 3, 4, 5, 0, 0, NULL, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (check(all + i)) return 1;
    }
    return 0;
}

#define BODY "{type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: "
#define ROLLS(wheel, place)                                                                        \
    "{type: rolling, on: [ground, " wheel "], at: [" place ", " wheel                              \
    "], normal: [0, 0, 1], axis: [0, 1, 0], frame: " wheel ", radius: 0.3}"

static int bodies(void)
{
    static const wanted all[] = {
        {"ball",
         "flexion: 1\nbodies: {ball: " BODY "[0, 0, 0.3]}}\n"
         "joints: {roll: {type: rolling, on: [ground, ball], at: [[0, 0, 0], ball], normal: [0, 0, "
         "1], radius: 0.3}}\n",
         5, 3, 5, 5, 5, 0, 0, NULL, 0},
        {"wheel on a rail",
         "flexion: 1\nbodies: {wheel: " BODY "[0, 0, 0.3]}}\n"
         "joints:\n  guide: {type: planar, on: [ground, wheel], at: wheel, axis: [0, 1, 0]}\n"
         "  roll: " ROLLS("wheel", "[0, 0, 0]") "\n",
         2, 1, 1, 1, 1, 1, 1, "roll", 1},
        {"sledge",
         "flexion: 1\ndimension: 2\nbodies: {s: {type: rigid, mass: 1, inertia: 0.1, orientation: "
         "0.4}}\njoints: {blade: {type: knife-edge, on: [ground, s], at: s, axis: [0, 1], frame: "
         "s}}\n",
         3, 2, 3, 3, 3, 0, 0, NULL, 0},
        // where it goes, where it looks and one of both angles: the difference of the angles follows from the heading
        {"two wheels on an axle",
         "flexion: 1\nbodies: {axle: " BODY "[0, 0, 0.3]}, left: " BODY
         "[0, 0.5, 0.3]}, right: " BODY "[0, -0.5, 0.3]}}\n"
         "joints:\n  l: {type: revolute, on: [axle, left], at: left, axis: [0, 1, 0]}\n"
         "  r: {type: revolute, on: [axle, right], at: right, axis: [0, 1, 0]}\n"
         "  a: " ROLLS("left", "[0, 0.5, 0]") "\n  b: " ROLLS("right", "[0, -0.5, 0]") "\n",
         6, 3, 4, 5, 5, 1, 2, NULL, 0},
        {"snake board",
         "flexion: 1\ndimension: 2\nbodies:\n  board: {type: rigid, mass: 1, inertia: 0.1}\n"
         "  rotor: {type: rigid, mass: 1, inertia: 0.1}\n"
         "  front: {type: rigid, mass: 1, inertia: 0.1, position: [0.5, 0], orientation: 0.2}\n"
         "  back: {type: rigid, mass: 1, inertia: 0.1, position: [-0.5, 0], orientation: -0.3}\n"
         "joints:\n  R: {type: revolute, on: [board, rotor], at: board}\n"
         "  F: {type: revolute, on: [board, front], at: front}\n"
         "  B: {type: revolute, on: [board, back], at: back}\n"
         "  f: {type: knife-edge, on: [ground, front], at: front, axis: [0, 1], frame: front}\n"
         "  b: {type: knife-edge, on: [ground, back], at: back, axis: [0, 1], frame: back}\n",
         6, 4, 6, 6, 6, 0, 0, NULL, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (check(all + i)) return 1;
    }
    return 0;
}

// Rows that move by themselves are not looked at; without rows of velocities there is nothing to tell.
static int others(void)
{
    rig r;
    flx_reach f;
    CHECK_OK(rig_make(&r, EQUATIONS("x" FREE ", y" FREE, "c: \"x' - t\"")));
    CHECK_OK(flx_simulation_find_reach(r.sim, &f));
    CHECK(f.unknown && f.positions == 2 && f.velocities == 1);
    CHECK_TEXT(f.unknown, "move");
    flx_reach_clear(&f);
    rig_free(&r);
    CHECK_OK(rig_make(&r, EQUATIONS("x" FREE ", y" FREE, "c: \"x - y\"")));
    CHECK_OK(flx_simulation_find_reach(r.sim, &f));
    CHECK(f.positions == 0 && f.nrow == 0);
    rig_free(&r);
    return 0;
}

TEST_MAIN(TEST(equations), TEST(bodies), TEST(others))
