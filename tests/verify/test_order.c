// Orders of convergence on a constrained spatial mechanism, the IFToMM spatial slider crank: in
// positions, velocities and reactions, against DOPRI5 in the index-1 formulation. The slope of a
// line through the errors of four halvings must be the order.
#include "case_table.h"
#include "check.h"

#define LEVELS 4

// Columns of the three kinds: first, count.
static const int columns[3][2] = {{1, 7}, {8, 6}, {14, 6}};

static bool run(const char *method, case_table *table)
{
    char text[4096];
    snprintf(text, sizeof text,
             "%ssimulate: {until: 0.2, method: %s}\n"
             "outputs: {every: 0.05, signals: [rod.position, rod.orientation, rod.velocity,\n"
             "          rod.angular_velocity, ball.reaction, rail.reaction]}\n",
             case_slider_crank, method);
    return case_run(text, NULL, table, NULL, NULL) && table->columns == 20;
}

// Largest difference over all outputs of one kind of column.
static double difference(const case_table *a, const case_table *b, int kind)
{
    double most = 0.0;
    for (int i = 0; i < a->rows && i < b->rows; i++) {
        for (int j = columns[kind][0]; j < columns[kind][0] + columns[kind][1]; j++) {
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

static int orders(const char *method, double step, const double expected[3], double tolerance)
{
    case_table reference = {0};
    CHECK(run("dopri5, rtol: 1e-13, atol: 1e-15", &reference));
    double error[3][LEVELS];
    for (int level = 0; level < LEVELS; level++) {
        char text[256];
        case_table table = {0};
        snprintf(text, sizeof text, "%s, step: %.17g", method, step / (1 << level));
        CHECK(run(text, &table));
        for (int k = 0; k < 3; k++) error[k][level] = difference(&table, &reference, k);
        case_table_clear(&table);
    }
    case_table_clear(&reference);
    static const char *const names[3] = {"positions", "velocities", "reactions"};
    for (int k = 0; k < 3; k++) {
        printf("%s, %s: %.2e to %.2e, order %.2f\n", method, names[k], error[k][0],
               error[k][LEVELS - 1], slope(error[k]));
    }
    for (int k = 0; k < 3; k++) { // coarse steps may converge faster, never slower
        CHECK(slope(error[k]) > expected[k] - tolerance && slope(error[k]) < expected[k] + 1.0);
    }
    return 0;
}

static int generalized_alpha_has_order_two(void)
{
    static const double two[3] = {2, 2, 2};
    // below 1e-4 the rounding of positions, times 1/h^2, shows in the reactions
    return orders("generalized-alpha, spectral_radius: 0.8", 2e-3, two, 0.1);
}

static int radau_in_index_three_has_orders_five_three_two(void)
{
    static const double expected[3] = {5, 3, 2};
    return orders("radau, stages: 3, formulation: index-3", 2e-2, expected, 0.2);
}

static int radau_in_ggl_has_orders_five_five_three(void)
{
    static const double expected[3] = {5, 5, 3};
    return orders("radau, stages: 3, formulation: ggl", 2e-2, expected, 0.2);
}

TEST_MAIN(TEST(generalized_alpha_has_order_two),
          TEST(radau_in_index_three_has_orders_five_three_two),
          TEST(radau_in_ggl_has_orders_five_five_three))
