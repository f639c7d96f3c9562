// read_static.c - analyses of type static: load paths, and what they share with buckling.
#include "language/analyses/load_keys.h"

#define STEPS 10        // of a path, unless said otherwise
#define MOST_STEPS 2000 // of a path that does not arrive

flx_status flx_analysis_loads(flx_env *e, const flx_item *item, flx_analysis *out)
{
    const flx_entry *time = flx_entry_get(item->def, "time");
    e->b->m->nload = e->b->analyses.count;
    out->to = 1.0;
    out->steps = STEPS;
    out->max_steps = MOST_STEPS;
    FLX_TRY(flx_loads_finish(e->b, item, out));
    return time ? flx_build_number(e, time, &out->time) : FLX_OK;
}

// Load factors that are asked for lie between the ends; by its length a path may go beyond them.
static flx_status read_factors(flx_env *e, const flx_item *item, flx_analysis *out)
{
    const flx_entry *y = flx_entry_get(item->def, "factors");
    double *factors = NULL;
    if (!y) return FLX_OK;
    FLX_TRY(flx_build_numbers(e, y, &out->nfactor, &factors));
    out->factors = factors;
    for (int i = 0; i < out->nfactor; i++) {
        double f = factors[i];
        if (out->arc_length || (f - out->from) * (f - out->to) <= 0.0) continue;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "the path of '%s' goes from %g to %g and does not meet the load factor %g",
                        item->full, out->from, out->to, f);
    }
    return FLX_OK;
}

static flx_status read_path(flx_env *e, const flx_item *item, flx_analysis *out)
{
    const flx_entry *from = flx_entry_get(item->def, "from"), *to = flx_entry_get(item->def, "to");
    const flx_entry *arc = flx_entry_get(item->def, "arc_length");
    FLX_TRY(flx_analysis_loads(e, item, out));
    if (from) FLX_TRY(flx_build_number(e, from, &out->from));
    if (to) FLX_TRY(flx_build_number(e, to, &out->to));
    if (arc) FLX_TRY(flx_build_flag(e->b, arc, "arc_length", &out->arc_length));
    FLX_TRY(flx_analysis_count(e, item, "steps", 1, &out->steps));
    FLX_TRY(flx_analysis_count(e, item, "max_steps", 1, &out->max_steps));
    FLX_TRY(flx_analysis_count(e, item, "branch", 1, &out->branch));
    out->most_given = flx_entry_get(item->def, "max_steps") != NULL;
    if (out->branch > 0) {
        if (arc && !out->arc_length) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, arc->loc,
                            "a branch is followed by its arc length: leave `arc_length` out");
        }
        out->arc_length = true;
    }
    FLX_TRY(read_factors(e, item, out));
    if (out->from != out->to) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, to ? to->loc : item->loc,
                    "the load factor goes from %g to %g: nowhere", out->from, out->to);
}

static const flx_key_row keys[] = {
    FLX_KEYS_LOAD,
    {"from", "number", .initial = "0", .doc = "First load factor."},
    {"to", "number", .initial = "1", .doc = "Last load factor."},
    {"steps", "number", .initial = "10",
     .doc = "At least so many steps: the load factor changes by no larger part in one."},
    {"factors", "[number]", .initial = "none",
     .doc =
         "Load factors at which the path has an equilibrium exactly, beside those of its steps."},
    {"arc_length", "bool", .initial = "false",
     .doc = "The path is followed by its length, and the load factor is an unknown: past limit "
            "points, where it decreases."},
    {"branch", "number", .initial = "none",
     .doc = "At the bifurcation of this number the path is left for the branch that begins there "
            "(with `arc_length`)."},
    {"max_steps", "number", .initial = "2000",
     .doc = "The path ends after so many steps, wherever it is; where this is not given, a path "
            "that has not reached `to` by then is an error."},
    {0}};

const flx_analysis_reader flx_reader_STATIC = {
    .says = {.word = "static",
             .dimensions = "23",
             .doc = "load path: equilibria under loads that grow with a factor, step by step; "
                    "limit points and bifurcations are found on the way",
             .keys = keys},
    .rest = true,
    .loads = true,
    .read = read_path,
};
