// The table of leaves, for every kind in it.
#include "check.h"
#include "model/model_data.h"
#include "model/nodes.h"

#include <string.h>

static int every_kind_says_what_it_is(void)
{
    for (int k = 0; k < FLX_LEAF_KINDS; k++) {
        const flx_leaf_traits *t = flx_leaf_traits_of((flx_leaf_kind)k);
        unsigned q = (unsigned)t->quantity;
        CHECK(t && t->name && t->name[0] && q != 0 && (q & (q - 1)) == 0); // one bit
        flx_leaf leaf = flx_leaf_make((flx_leaf_kind)k, 3, 1);
        unsigned others = ~q;
        const char *name = NULL;
        CHECK(flx_leaf_is(leaf, q) && !flx_leaf_is(leaf, others) &&
              !flx_leaf_is_any(&others, leaf));
        CHECK(flx_leaf_is_output_only(&name, leaf) == t->output_only);
        CHECK((name != NULL) == t->output_only && (!name || name == t->name));
        // numbers of a run are parameters; what is known later has no rate, and nobody sets it
        CHECK((t->quantity == FLX_QUANTITY_PARAMETER) == (t->parameter != NULL));
        CHECK(!t->output_only || (!t->rate && t->target < 0));
        CHECK(!t->moved || (t->body && t->quantity == FLX_QUANTITY_POSITION));
        CHECK(!t->fixed || t->target < 0);
        CHECK(!t->by_powers || t->quantity == FLX_QUANTITY_RESULT);
    }
    CHECK(!flx_leaf_traits_of(FLX_LEAF_KINDS) && !flx_leaf_traits_of((flx_leaf_kind)200));
    CHECK(!flx_leaf_is(flx_leaf_make((flx_leaf_kind)200, 0, 0), ~0u));
    return 0;
}

// The rate of a position is a velocity, of a velocity an acceleration, of what is held nothing.
static int rates_lead_on(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_graph *g = flx_graph_create(ctx);
    for (int k = 0; k < FLX_LEAF_KINDS; k++) {
        const flx_leaf_traits *t = flx_leaf_traits_of((flx_leaf_kind)k);
        flx_model m = {.ctx = ctx, .dimension = 2};
        flx_leaf leaf = flx_leaf_make((flx_leaf_kind)k, 0, 0), to;
        flx_node n = flx_leaf_time_rate(g, &m, leaf);
        double value = 7.0;
        CHECK((n >= 0) == (t->rate != NULL));
        if (n < 0) continue;
        bool still = flx_leaf_is(leaf, FLX_QUANTITY_PARAMETER | FLX_QUANTITY_HELD);
        CHECK(flx_graph_is_const(g, n, &value) == (still || k == FLX_LEAF_TIME));
        CHECK(value == (still ? 0.0 : k == FLX_LEAF_TIME ? 1.0 : 7.0));
        if (value != 7.0) continue;
        CHECK(flx_graph_is_leaf(g, n, &to));
        unsigned next = flx_leaf_is(leaf, FLX_QUANTITY_POSITION)   ? FLX_QUANTITY_VELOCITY
                        : flx_leaf_is(leaf, FLX_QUANTITY_VELOCITY) ? FLX_QUANTITY_ACCELERATION
                                                                   : FLX_QUANTITY_STATE_RATE;
        CHECK(flx_leaf_is(to, next));
    }
    flx_graph_destroy(&g);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(every_kind_says_what_it_is), TEST(rates_lead_on))
