// Orders of convergence on a constrained spatial mechanism, the IFToMM spatial slider crank, in
// positions, velocities and reactions, and on a free body that tumbles on a spring, against DOPRI5 in
// the index-1 formulation. The slope of a line through the errors of four halvings must be the order.
#include "case_table.h"
#include "check.h"

#define LEVELS 4

// Columns of the three kinds: first, count.
static const int columns_of[3][2] = {{1, 7}, {8, 6}, {14, 6}};

// Nothing rigid: index 0, with a quaternion.
static const char tumbler[] =
    "flexion: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  rod: {type: rigid, mass: 1.3, inertia: [0.4, 0.7, 0.9], velocity: [0.3, -0.2, 0.9],\n"
    "        angular_velocity: [3, -2, 5], points: {p: [0.2, 0.1, 0.3]}}\n"
    "forces:\n"
    "  spring: {type: spring, on: [ground, rod], at: [[0.4, 0, 1], rod.p], stiffness: 30,\n"
    "           damping: 0.3, length: 0.5}\n";

typedef struct problem {
    const char *model;
    const char *reactions; // outputs beside those of the body "rod"
    int kinds;             // positions, velocities, reactions
} problem;

static const problem crank = {case_slider_crank, ", ball.reaction, rail.reaction", 3};
static const problem free_body = {tumbler, "", 2};

static bool run(const problem *p, const char *method, case_table *table)
{
    char text[4096];
    snprintf(text, sizeof text,
             "%ssimulate: {until: 0.2, method: %s}\n"
             "outputs: {every: 0.05, signals: [rod.position, rod.orientation, rod.velocity,\n"
             "          rod.angular_velocity%s]}\n",
             p->model, method, p->reactions);
    int columns = columns_of[p->kinds - 1][0] + columns_of[p->kinds - 1][1];
    return case_run(text, NULL, table, NULL, NULL) && table->columns == columns;
}

// Largest difference over all outputs of one kind of column.
static double difference(const case_table *a, const case_table *b, int kind)
{
    double most = 0.0;
    for (int i = 0; i < a->rows && i < b->rows; i++) {
        for (int j = columns_of[kind][0]; j < columns_of[kind][0] + columns_of[kind][1]; j++) {
            int k = i * a->columns + j;
            most = fmax(most, fabs(a->values[k] - b->values[k]));
        }
    }
    return most;
}

// Least-squares slope of log2(error) over the halvings.
static double slope(const double error[LEVELS])
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < LEVELS; i++) {
        double y = -log2(error[i]);
        sx += i;
        sy += y;
        sxx += i * i;
        sxy += i * y;
    }
    return (LEVELS * sxy - sx * sy) / (LEVELS * sxx - sx * sx);
}

static int orders(const problem *p, const char *method, double step, const double expected[3],
                  double tolerance)
{
    case_table reference = {0};
    CHECK(run(p, "dopri5, rtol: 1e-13, atol: 1e-15", &reference));
    double error[3][LEVELS];
    for (int level = 0; level < LEVELS; level++) {
        char text[256];
        case_table table = {0};
        snprintf(text, sizeof text, "%s, step: %.17g", method, step / (1 << level));
        CHECK(run(p, text, &table));
        for (int k = 0; k < p->kinds; k++) error[k][level] = difference(&table, &reference, k);
        case_table_clear(&table);
    }
    case_table_clear(&reference);
    static const char *const names[3] = {"positions", "velocities", "reactions"};
    for (int k = 0; k < p->kinds; k++) {
        printf("%s, %s: %.2e to %.2e, order %.2f\n", method, names[k], error[k][0],
               error[k][LEVELS - 1], slope(error[k]));
    }
    for (int k = 0; k < p->kinds; k++) { // coarse steps may converge faster, never slower
        CHECK(slope(error[k]) > expected[k] - tolerance && slope(error[k]) < expected[k] + 1.0);
    }
    return 0;
}

static int generalized_alpha_has_order_two(void)
{
    static const double two[3] = {2, 2, 2};
    // below 1e-4 the rounding of positions, times 1/h^2, shows in the reactions
    return orders(&crank, "generalized-alpha, spectral_radius: 0.8", 2e-3, two, 0.1);
}

// Reactions are those of the positions and velocities that are shown: of the lower of their orders.
static int radau_in_index_three_has_orders_five_three_three(void)
{
    static const double expected[3] = {5, 3, 3};
    return orders(&crank, "radau, stages: 3, formulation: index-3", 2e-2, expected, 0.2);
}

static int radau_in_ggl_has_order_five(void)
{
    static const double expected[3] = {5, 5, 5};
    return orders(&crank, "radau, stages: 3, formulation: ggl", 2e-2, expected, 0.2);
}

static int implicit_euler_has_order_one(void)
{
    static const double one[3] = {1, 1, 1};
    return orders(&crank, "implicit-euler", 2e-3, one, 0.1);
}

static int midpoint_and_trapezoidal_rule_have_order_two(void)
{
    static const double two[3] = {2, 2, 2};
    if (orders(&crank, "midpoint", 4e-3, two, 0.1)) return 1;
    if (orders(&crank, "trapezoidal", 4e-3, two, 0.1)) return 1;
    return orders(&free_body, "midpoint", 4e-3, two, 0.1);
}

static int lobatto_has_order_four(void)
{
    static const double symmetric[3] = {4, 4, 4}, damping[3] = {4, 4, 4};
    if (orders(&crank, "lobatto, family: IIIA, stages: 3", 2e-2, symmetric, 0.2)) return 1;
    if (orders(&crank, "lobatto, family: IIIC, stages: 3", 2e-2, damping, 0.2)) return 1;
    return orders(&free_body, "lobatto, family: IIIA, stages: 3", 2e-2, symmetric, 0.2);
}

static int gauss_has_order_2s(void)
{
    static const double four[3] = {4, 4, 0}, six[3] = {6, 6, 0};
    if (orders(&free_body, "gauss, stages: 2", 2e-2, four, 0.2)) return 1;
    return orders(&free_body, "gauss, stages: 3", 5e-2, six, 0.2);
}

TEST_MAIN(TEST(generalized_alpha_has_order_two),
          TEST(radau_in_index_three_has_orders_five_three_three), TEST(radau_in_ggl_has_order_five),
          TEST(implicit_euler_has_order_one), TEST(midpoint_and_trapezoidal_rule_have_order_two),
          TEST(lobatto_has_order_four), TEST(gauss_has_order_2s))
