// read_root_locus.c - analyses of type root-locus.
#include "language/analyses/io_keys.h"

static flx_status read_range(flx_env *e, const flx_item *item, flx_locus_keys *own)
{
    static const char *const spacings[] = {"linear", "log", NULL};
    flx_builder *b = e->b;
    const flx_entry *from = flx_entry_get(item->def, "from"), *to;
    const flx_entry *spacing = flx_entry_get(item->def, "spacing");
    int word = 0;
    FLX_TRY(flx_build_need(b, item, "to", &to));
    if (from) FLX_TRY(flx_build_number(e, from, &own->from));
    FLX_TRY(flx_build_number(e, to, &own->to));
    if (spacing) FLX_TRY(flx_build_word(b, spacing, "spacing", spacings, &word));
    own->log = word == 1;
    if (own->count < 2 || own->to == own->from || (own->log && !(own->from * own->to > 0.0))) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, to->loc,
                        "a root locus goes over at least 2 values, with `spacing: log` of one "
                        "sign; these go from %g to %g",
                        own->from, own->to);
    }
    return FLX_OK;
}

static flx_status read(flx_env *e, const flx_item *item, flx_analysis *out)
{
    flx_builder *b = e->b;
    flx_locus_keys *own = flx_arena_take(b->m->arena, 1, sizeof *own);
    const flx_entry *parameter = flx_entry_get(item->def, "parameter");
    if (!own) return FLX_ERR_MEMORY;
    out->own = own;
    own->count = out->count > 0 ? out->count : 101;
    FLX_TRY(read_range(e, item, own));
    FLX_TRY(flx_analysis_io(e, item, &own->io));
    if (parameter) {
        if (own->io.nout > 0) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, flx_entry_get(item->def, "outputs")->loc,
                            "a root locus is that of a parameter, or of the gain from an output "
                            "to an input: not of both");
        }
        own->io.nin = 0; // loops are as the model has them
        return flx_analysis_parameter(b, parameter, "what a root locus goes over", &own->parameter);
    }
    if (own->io.nin == 1 && own->io.nout == 1) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, item->loc,
                    "a root locus needs `parameter`, or one input and one output between which "
                    "the gain is; here are %d inputs and %d outputs",
                    own->io.nin, own->io.nout);
}

static const flx_key_row keys[] = {
    {"parameter", "name", .initial = "none",
     .doc =
         "A parameter of the model; controllers stay closed. Without it the locus is that of the "
         "gain k of u = -k y."},
    FLX_KEYS_IO,
    {"from", "number", .initial = "0", .doc = "First value."},
    {"to", "number", .needed = true, .doc = "Last value."},
    {"count", "number", .initial = "101",
     .doc = "How many values; of a gain there are more where poles move far."},
    {"spacing", "word", .initial = "linear", .doc = "How they are spaced."},
    {0}};

const flx_analysis_reader flx_reader_ROOT_LOCUS = {
    .says = {.word = "root-locus",
             .dimensions = "23",
             .doc = "poles over a parameter or over the gain of a feedback, followed as branches, "
                    "and where they cross the imaginary axis",
             .example = "locus: {type: root-locus, inputs: [F], outputs: [hinge.angle], to: 50}",
             .keys = keys},
    .read = read,
};
