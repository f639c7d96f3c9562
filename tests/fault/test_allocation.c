// test_allocation.c - a run allocates nothing inside its time loop, neither through the context nor
// behind its back: malloc and its kin are ours in this program, also for the libraries.
#include "flexion/extend/sink_table.h"
#include "flexion/flexion.h"

#include "check.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

// ---- interposition ------------------------------------------------------------------------------

// glibc's own allocator under its internal names.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static volatile bool counting;
static volatile long allocations;

static void count(void)
{
    if (counting) allocations++;
}
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the C library's are reserved
void *malloc(size_t size)
{
    count();
    return __libc_malloc(size);
}
void *calloc(size_t n, size_t size)
{
    count();
    return __libc_calloc(n, size);
}
void *realloc(void *p, size_t size)
{
    count();
    return __libc_realloc(p, size);
}
void *aligned_alloc(size_t alignment, size_t size)
{
    count();
    return __libc_memalign(alignment, size);
}
int posix_memalign(void **p, size_t alignment, size_t size)
{
    count();
    *p = __libc_memalign(alignment, size);
    return *p ? 0 : ENOMEM;
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)

// ---- a sink that knows where the loop begins and ends ---------------------------------------------

typedef struct loop_sink {
    flx_sink base;
    long rows;
} loop_sink;

static flx_status loop_begin(flx_sink *s, const flx_result_info *info)
{
    (void)s, (void)info;
    return FLX_OK;
}

// The first row is the start; from the second on the loop is under way.
static flx_status loop_row(flx_sink *s, double t, const double *values)
{
    (void)t, (void)values;
    if (++((loop_sink *)s)->rows == 2) counting = true;
    return FLX_OK;
}

static flx_status loop_end(flx_sink *s, const struct flx_ledger *ledger)
{
    (void)s, (void)ledger;
    counting = false;
    return FLX_OK;
}

static const flx_sink_type loop_type = {
    .name = "loop", .begin = loop_begin, .row = loop_row, .end = loop_end};

static int run(const char *path, long *counted)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    loop_sink sink = {.base = {.type = &loop_type, .ctx = ctx}};
    flx_sink *sinks[] = {&sink.base};

    allocations = 0;
    flx_status status = flx_model_read(ctx, path, 0, NULL, &model);
    if (status == FLX_OK) status = flx_simulation_create(model, &sim);
    if (status == FLX_OK) status = flx_simulation_run(sim, 1, sinks, NULL, NULL);
    counting = false;
    *counted = allocations;

    if (status != FLX_OK) {
        const flx_message *m = flx_ctx_error(ctx, 0);
        printf("%s: %s\n", path, m ? m->text : flx_status_text(status));
    }
    bool ok =
        status == FLX_OK && sink.rows > 10 && flx_simulation_ledger(sim)->allocations_in_loop == 0;
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return ok;
}

#define RUN_IS_STILL(test, file)                                                                   \
    static int test(void)                                                                          \
    {                                                                                              \
        long counted = -1;                                                                         \
        CHECK(run(FLX_EXAMPLES "/" file, &counted));                                               \
        CHECK_NEAR((double)counted, 0.0, 0.0);                                                     \
        return 0;                                                                                  \
    }

RUN_IS_STILL(planar_loop_by_generalized_alpha, "slider_crank.yaml")
RUN_IS_STILL(spatial_loop_with_prescribed_motion, "spatial_crank.yaml")
RUN_IS_STILL(radau_in_index_3, "n_four_bar.yaml")
RUN_IS_STILL(radau_in_ggl, "heavy_top.yaml")
RUN_IS_STILL(explicit_method_with_projection, "four_bar.yaml")
RUN_IS_STILL(redundant_rows_and_least_norm_reactions, "bricard.yaml")
RUN_IS_STILL(equations_and_controllers, "speed_control.yaml")
RUN_IS_STILL(nonholonomic_rows, "rolling_coin.yaml")
RUN_IS_STILL(stiff_forces_as_unknowns, "rod_pendulum.yaml")
RUN_IS_STILL(events_and_impulses, "bouncing_ball.yaml")
RUN_IS_STILL(full_matrices_and_varied_stages, "joint_friction.yaml")
RUN_IS_STILL(sampled_control, "sampled_control.yaml")
RUN_IS_STILL(switches_of_conditions, "collision.yaml")

// The counter counts: a test that cannot fail is none.
static int an_allocation_is_noticed(void)
{
    counting = true;
    allocations = 0;
    void *volatile p = malloc(10);
    free(p);
    counting = false;
    CHECK(allocations == 1);
    return 0;
}

TEST_MAIN(TEST(an_allocation_is_noticed), TEST(planar_loop_by_generalized_alpha),
          TEST(spatial_loop_with_prescribed_motion), TEST(radau_in_index_3), TEST(radau_in_ggl),
          TEST(explicit_method_with_projection), TEST(redundant_rows_and_least_norm_reactions),
          TEST(equations_and_controllers), TEST(nonholonomic_rows), TEST(stiff_forces_as_unknowns),
          TEST(events_and_impulses), TEST(full_matrices_and_varied_stages), TEST(sampled_control),
          TEST(switches_of_conditions))
