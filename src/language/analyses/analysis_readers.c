// analysis_readers.c - all types of analyses, by number and by word.
#include "language/analyses/analysis_reader.h"

#include <string.h>

#define MOST_ASKED 1e6

static const flx_analysis_reader *const readers[] = {
#define FLX_ANALYSIS(name) &flx_reader_##name,
#include "model/analyses.def"
#undef FLX_ANALYSIS
};

const flx_analysis_reader *flx_analysis_get_reader(int kind)
{
    return kind >= 0 && kind < FLX_ANALYSIS_KINDS ? readers[kind] : NULL;
}

const flx_word_row *flx_analysis_row(int kind)
{
    const flx_analysis_reader *r = flx_analysis_get_reader(kind);
    return r ? &r->says : NULL;
}

const flx_analysis_reader *flx_analysis_reader_of(const flx_item *item, flx_analysis_kind *kind)
{
    const flx_entry *type = flx_entry_get(item->def, "type");
    const char *word = type && type->kind == FLX_ENTRY_SCALAR ? type->text : "";
    int k = 0;
    while (k < FLX_ANALYSIS_KINDS && strcmp(readers[k]->says.word, word) != 0) k++;
    if (k == FLX_ANALYSIS_KINDS) k = FLX_ANALYSIS_MODES;
    if (kind) *kind = (flx_analysis_kind)k;
    return readers[k];
}

flx_status flx_analysis_count(flx_env *e, const flx_item *item, const char *key, int least,
                              int *out)
{
    const flx_entry *y = flx_entry_get(item->def, key);
    if (!y) return FLX_OK;
    FLX_TRY(flx_build_integer(e, y, out));
    if (*out >= least && *out <= MOST_ASKED) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "'%s' must be at least %d, and at most %g",
                    key, least, MOST_ASKED);
}

flx_status flx_analysis_parameter(flx_builder *b, const flx_entry *y, const char *what,
                                  const char **out)
{
    flx_nearest near;
    const char *word = y->kind == FLX_ENTRY_SCALAR ? y->text : "";
    flx_nearest_start(&near, word);
    for (int i = 0; i < b->parameters.count; i++) {
        const flx_item *p = b->parameters.items[i];
        flx_nearest_offer(&near, p->full);
        if (strcmp(p->full, word) == 0) *out = p->full;
    }
    if (*out) return FLX_OK;
    const char *best = flx_nearest_best(&near);
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "%s is a parameter, and '%s' is none%s%s%s",
                    what, word, best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}
