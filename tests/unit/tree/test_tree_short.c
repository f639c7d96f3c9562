// Spanning forests with short loops: of the most weight, whatever the graph; loops of a ladder and of a net as short as its
// cells, however far they are from the first vertex.
#include "check.h"
#include "random_number.h"
#include "tree/topology/tree_short.h"

#include <stdlib.h>

enum { MOST_EDGES = 6000 };
static flx_short_edge edges[MOST_EDGES];
static bool kept[MOST_EDGES];
static int of[MOST_EDGES];

static int root_of(int i)
{
    while (of[i] != i) i = of[i] = of[of[i]];
    return i;
}

// Weight of a maximum spanning forest, by Kruskal's rule; and of the edges that are kept, -1: they are no such forest.
static int heaviest(const flx_short_graph *g)
{
    int sum = 0;
    for (int i = 0; i < g->n; i++) of[i] = i;
    for (int weight = 6; weight >= 0; weight--) {
        for (int e = 0; e < g->nedge; e++) {
            if (edges[e].end[0] < 0 || edges[e].weight != weight) continue;
            int a = root_of(edges[e].end[0]), b = root_of(edges[e].end[1]);
            if (a == b) continue;
            of[a] = b;
            sum += weight + 1; // counts edges, too
        }
    }
    return sum;
}

static int weigh(const flx_short_graph *g)
{
    int sum = 0;
    for (int i = 0; i < g->n; i++) of[i] = i;
    for (int e = 0; e < g->nedge; e++) {
        if (!kept[e]) continue;
        if (edges[e].end[0] < 0) return -1;
        int a = root_of(edges[e].end[0]), b = root_of(edges[e].end[1]);
        if (a == b) return -1;
        of[a] = b;
        sum += edges[e].weight + 1;
    }
    return sum;
}

static int below(uint64_t *seed, int n)
{
    return (int)(0.4999 * (1.0 + random_number(seed)) * n);
}

// Parallel edges, parts that hang together with nothing, items that are no edges.
static int forests_have_the_most_weight(void)
{
    flx_ctx *ctx = flx_ctx_create();
    uint64_t seed = 7;
    for (int round = 0; round < 300; round++) {
        flx_short_graph g = {ctx, 2 + below(&seed, 40), below(&seed, 120), edges};
        for (int e = 0; e < g.nedge; e++) {
            int a = below(&seed, g.n), b = below(&seed, g.n);
            edges[e] = (flx_short_edge){{a, b}, below(&seed, 7)};
            if (a == b) edges[e].end[0] = edges[e].end[1] = -1;
        }
        for (int radius = 1; radius <= 3; radius++) {
            double before = 0.0, after = 0.0;
            CHECK(flx_short_forest(&g, radius, kept) == FLX_OK);
            CHECK(weigh(&g) == heaviest(&g));
            CHECK(flx_short_improve(&g, kept, &before) == FLX_OK);
            CHECK(weigh(&g) == heaviest(&g));
            CHECK(flx_short_improve(&g, kept, &after) == FLX_OK); // all is done
            CHECK(after <= before);
        }
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

static int add(int n, int a, int b)
{
    edges[n] = (flx_short_edge){{a, b}, 2};
    return n + 1;
}

// Rails from one vertex and rungs with a vertex each.
static flx_short_graph ladder(flx_ctx *ctx, int n)
{
    int k = add(add(0, 0, 1), 0, n + 1);
    for (int i = 1; i <= n; i++) {
        if (i > 1) k = add(add(k, i - 1, i), n + i - 1, n + i);
        k = add(add(k, i, 2 * n + i), n + i, 2 * n + i);
    }
    return (flx_short_graph){ctx, 3 * n + 1, k, edges};
}

static flx_short_graph net(flx_ctx *ctx, int n)
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (i > 0) k = add(k, (i - 1) * n + j, i * n + j);
            if (j > 0) k = add(k, i * n + j - 1, i * n + j);
        }
    }
    return (flx_short_graph){ctx, n * n, k, edges};
}

static int loops_are_short(void)
{
    flx_ctx *ctx = flx_ctx_create();
    for (int radius = 1; radius <= 5; radius++) {
        double length = 0.0;
        for (int n = 10; n <= 1000; n *= 10) { // six joints go round a cell
            flx_short_graph g = ladder(ctx, n);
            CHECK(flx_short_forest(&g, radius, kept) == FLX_OK);
            CHECK(flx_short_improve(&g, kept, &length) == FLX_OK);
            CHECK(weigh(&g) == 3 * (g.n - 1));
            CHECK(length <= 6.2 * n);
        }
        flx_short_graph g = net(ctx, 40); // four round a cell; a search in breadth gives 41
        CHECK(flx_short_forest(&g, radius, kept) == FLX_OK);
        CHECK(flx_short_improve(&g, kept, &length) == FLX_OK);
        CHECK(length < 12.0 * 39 * 39);
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(forests_have_the_most_weight), TEST(loops_are_short))
