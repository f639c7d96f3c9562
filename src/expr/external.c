// external.c - functions of the program that uses the library, in expressions: their nodes, values and derivatives.
//
// A function may give its slopes; what it does not give is found by central differences (EXT-1), one nested in the
// other for higher derivatives.
#include "base/no_number.h"
#include "expr/algebra.h"
#include "expr/graph.h"

#include <float.h>

// ---- in a graph -------------------------------------------------------------------------------

void flx_external_release(flx_external *e)
{
    if (!e || atomic_fetch_sub(&e->users, 1) > 1) return;
    if (e->leave) e->leave(e->user);
    flx_free(e->name);
    flx_free(e);
}

int flx_graph_add_external(flx_graph *g, const char *name, flx_loc loc, int narg,
                           const double *scales)
{
    FLX_ASSERT(narg >= 1 && narg <= FLX_ARGUMENTS_MAX);
    size_t length = strlen(name) + 1;
    flx_external *e = flx_alloc(g->ctx, 1, sizeof *e);
    if (!e) return -1;
    atomic_init(&e->users, 1);
    e->loc = loc;
    e->narg = narg;
    memcpy(e->scales, scales, (size_t)narg * sizeof *scales);
    e->name = flx_alloc(g->ctx, length, 1);
    if (!e->name || flx_grow(g->ctx, (void **)&g->externals, &g->external_capacity,
                             g->nexternal + 1, sizeof *g->externals) != FLX_OK) {
        flx_external_release(e);
        return -1;
    }
    memcpy(e->name, name, length);
    g->externals[g->nexternal] = e;
    return g->nexternal++;
}

flx_node flx_graph_external(flx_graph *g, int external, const flx_node *args)
{
    flx_node list = flx_graph_const(g, 0.0);
    for (int i = g->externals[external]->narg; i > 0; i--) {
        list = flx_graph_binary(g, FLX_OP_ARGUMENT, args[i - 1], list);
    }
    return list < 0 ? -1 : flx_graph_make(g, FLX_OP_EXTERNAL, list, external, 0);
}

bool flx_graph_external_info(const flx_graph *g, int i, flx_external_info *out)
{
    if (i < 0 || i >= g->nexternal) return false;
    const flx_external *e = g->externals[i];
    *out = (flx_external_info){e->name,   e->loc,   e->narg,  e->call, e->user,
                               e->slopes, e->wrong, e->given, e->found};
    return true;
}

// Central difference at the scales by argument k, over this part of its scale.
static double difference(const flx_external *e, int k, double part)
{
    double x[FLX_ARGUMENTS_MAX], up = (double)NAN, down = (double)NAN, h = part * e->scales[k];
    memcpy(x, e->scales, (size_t)e->narg * sizeof *x);
    x[k] = e->scales[k] + h;
    e->call(e->user, e->narg, x, &up, NULL);
    x[k] = e->scales[k] - h;
    e->call(e->user, e->narg, x, &down, NULL);
    return (up - down) / (2.0 * h);
}

// A slope that is none of the values, which are smooth there: two differences agree.
static void check_slopes(flx_external *e, double y, const double *slopes)
{
    for (int k = 0; k < e->narg && e->wrong < 0; k++) {
        double near = difference(e, k, 1e-5), far = difference(e, k, 1e-4);
        double size = fmax(fabs(near), fabs(slopes[k])), least = 1e-6 * fabs(y) / e->scales[k];
        bool smooth = fabs(near - far) <= 1e-3 * size + least;
        if (!smooth || fabs(near - slopes[k]) <= 1e-2 * size + least) continue;
        e->wrong = k;
        e->given = slopes[k];
        e->found = near;
    }
}

void flx_graph_bind(flx_graph *g, int i, flx_function_callback call, void *user)
{
    double y = 0.0, slopes[FLX_ARGUMENTS_MAX];
    flx_external *e = g->externals[i];
    e->call = call;
    e->user = user;
    e->wrong = -1;
    e->slopes = call && call(user, e->narg, e->scales, &y, slopes) == FLX_FUNCTION_SLOPES;
    if (e->slopes && isfinite(y)) check_slopes(e, y, slopes);
}

void flx_graph_bind_owned(flx_graph *g, int i, flx_function_callback call, void *user,
                          void (*leave)(void *user))
{
    flx_graph_bind(g, i, call, user);
    g->externals[i]->leave = leave;
}

// ---- derivatives as nodes -----------------------------------------------------------------------

// Derivatives commute: in ascending order equal ones are one node.
int flx_orders_add(int orders, int argument)
{
    enum { BITS = FLX_ORDERS_BITS, MASK = (1 << FLX_ORDERS_BITS) - 1 };
    int shift = 0, one = argument + 1;
    if (orders >> (BITS * (FLX_ORDERS_MAX - 1))) return -1;
    while ((orders >> shift & MASK) && (orders >> shift & MASK) <= one) shift += BITS;
    int below = orders & ((1 << shift) - 1);
    return below | one << shift | (orders - below) << BITS;
}

flx_node flx_external_derive(flx_graph *g, const flx_graph_node *p, flx_node d)
{
    flx_node sum = flx_graph_const(g, 0.0);
    const flx_external *e = g->externals[p->b];
    for (int k = 0; sum >= 0 && flx_node_is_op(g, d, FLX_OP_ARGUMENT); k++, d = g->nodes[d].b) {
        if (node_is(g, g->nodes[d].a, 0.0)) continue;
        int orders = flx_orders_add(p->c, k);
        if (orders < 0) {
            FLX_FAIL(g->ctx, FLX_ERR_CANNOT, e->loc,
                     "the external function '%s' would be differentiated more than %d times",
                     e->name, FLX_ORDERS_MAX);
            return -1;
        }
        flx_node slope = flx_graph_make(g, FLX_OP_EXTERNAL, p->a, p->b, orders);
        sum = slope < 0 ? -1 : node_add(g, sum, node_mul(g, slope, g->nodes[d].a));
    }
    return sum;
}

// ---- values -------------------------------------------------------------------------------------

// Derivative of order n by the arguments `of`, by steps that are this part of the scales. x is as it was behind it.
static double derivative(const flx_external *e, double *x, int n, const int *of, double part)
{
    double y = (double)NAN, slopes[FLX_ARGUMENTS_MAX];
    if (n == 0) return e->call(e->user, e->narg, x, &y, NULL) < 0 ? (double)NAN : y;
    int k = of[n - 1];
    if (n == 1 && e->slopes) {
        int given = e->call(e->user, e->narg, x, &y, slopes);
        if (given < 0) return (double)NAN;
        if (given == FLX_FUNCTION_SLOPES) return slopes[k];
    }
    double at = x[k], h = part * fmax(fabs(at), e->scales[k]);
    double above = at + h, below = at - h;
    x[k] = above;
    double up = derivative(e, x, n - 1, of, part);
    x[k] = below;
    double down = derivative(e, x, n - 1, of, part);
    x[k] = at;
    return (up - down) / (above - below);
}

static double eval(const flx_external *e, int orders, const double *x)
{
    double at[FLX_ARGUMENTS_MAX], part = 0.0;
    int of[FLX_ORDERS_MAX], n = 0;
    memcpy(at, x, (size_t)e->narg * sizeof *at);
    for (; orders; orders >>= FLX_ORDERS_BITS)
        of[n++] = (orders & ((1 << FLX_ORDERS_BITS) - 1)) - 1;
    int differences = n - (n > 0 && e->slopes);
    if (differences == 0 && n > 0) differences = 1; // should the slopes be missing at some place
    if (n > 0) part = pow(DBL_EPSILON, 1.0 / (differences + 2));
    return derivative(e, at, n, of, part);
}

double flx_external_eval(const flx_external *e, int orders, const double *x)
{
    if (!e->call || orders < 0) return (double)NAN;
    for (int k = 0; k < e->narg; k++) {
        if (!isfinite(x[k]))
            return (double)NAN; // the user's function is spared what a search tries
    }
    double y = eval(e, orders, x);
    if (!isfinite(y)) flx_no_number_note(e->name, e->narg, x);
    return y;
}
