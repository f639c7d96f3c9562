// nastran_cases.c - which sets of supports, loads and equations act: by case control, by the cards that add sets.
#include "base/letters.h"
#include "read/nastran/nastran_parts.h"

#include <string.h>

static const char *const kinds[3] = {"SPC", "LOAD", "MPC"};

// "SPC = 3" of case control.
static bool read_choice(const char *text, int length, const char *word, int *id)
{
    int n = (int)strlen(word);
    if (length <= n || !flx_same_start(text, word, (size_t)n)) return false;
    const char *at = text + n, *end = text + length;
    while (at < end && (flx_is_space(*at) || *at == '=')) at++;
    return at > text + n && flx_text_int(at, (int)(end - at), id);
}

// Before BEGIN BULK, where there is such a line. Choices of the first subcase hold.
flx_status flx_nastran_control(flx_nastran *r)
{
    flx_scan ahead = *r->scan;
    const char *text;
    int length, subcases = 0, chosen[3] = {0, 0, 0}, id, second = 0;
    for (int line = ahead.line; flx_scan_line(&ahead, &text, &length); line = ahead.line) {
        const char *comment = memchr(text, '$', (size_t)length);
        if (comment) length = (int)(comment - text);
        while (length > 0 && flx_is_space(text[length - 1])) length--;
        if (length >= 7 && flx_same_start(text, "SUBCASE", 7)) subcases++;
        if (subcases == 2 && second == 0) second = line;
        for (int k = 0; k < 3 && subcases < 2; k++) {
            if (read_choice(text, length, kinds[k], &id)) chosen[k] = id;
        }
        if (length < 10 || !flx_same_start(text, "BEGIN", 5)) continue;
        *r->scan = ahead;
        memcpy(r->chosen, chosen, sizeof chosen);
        if (second > 0) {
            flx_ctx_warn(r->scan->ctx, flx_structure_loc(r->s, second),
                         "supports and loads are those of the first subcase");
        }
        return FLX_OK;
    }
    return FLX_OK;
}

// LOAD, SID, S, S1, L1, S2, L2, ...; SPCADD, SID, S1, S2, ...
flx_status flx_nastran_share_read(flx_nastran *r)
{
    bool load = flx_nastran_is(r, "LOAD");
    flx_nastran_share s = {.kind = load                          ? 'L'
                                   : flx_nastran_is(r, "SPCADD") ? 'S'
                                                                 : 'M',
                           .factor = 1};
    double whole = 1, own = 1;
    FLX_TRY(flx_nastran_int(r, 1, "the number of a set", &s.id));
    if (load) FLX_TRY(flx_nastran_number(r, 2, "a factor", &whole));
    for (int i = load ? 3 : 2; i < r->n; i += load ? 2 : 1) {
        if (flx_nastran_is_empty(r, i) && (!load || flx_nastran_is_empty(r, i + 1))) continue;
        if (load) FLX_TRY(flx_nastran_number(r, i, "a factor", &own));
        FLX_TRY(flx_nastran_int(r, i + load, "the number of a set", &s.part));
        s.factor = whole * own;
        FLX_SCAN_GROW(r, r->shares, r->share_capacity, r->nshare + 1);
        r->shares[r->nshare++] = s;
    }
    return FLX_OK;
}

// Without a choice the one card that adds sets, or all of them: then it is told.
static double unchosen(flx_nastran *r, int kind, int id)
{
    char word = "SLM"[kind];
    int one = 0;
    double factor = 0;
    for (int i = 0; i < r->nshare; i++) {
        if (r->shares[i].kind != word) continue;
        if (one != 0 && one != r->shares[i].id) one = -1;
        if (one == 0) one = r->shares[i].id;
        if (r->shares[i].part == id) factor += r->shares[i].factor;
    }
    if (one > 0 && kind == 1) return factor;
    if (r->seen[kind] != 0 && r->seen[kind] != id && !r->told[kind]) {
        r->told[kind] = true;
        flx_ctx_warn(r->scan->ctx, flx_nastran_place(r),
                     "the sets %d and %d are both taken: case control does not choose by %s = ...",
                     r->seen[kind], id, kinds[kind]);
    }
    r->seen[kind] = id;
    return 1;
}

double flx_nastran_factor(flx_nastran *r, int kind, int id)
{
    double factor = r->chosen[kind] == id;
    if (r->chosen[kind] == 0) return unchosen(r, kind, id);
    for (int i = 0; i < r->nshare; i++) {
        const flx_nastran_share *s = r->shares + i;
        if (s->kind == "SLM"[kind] && s->id == r->chosen[kind] && s->part == id)
            factor += s->factor;
    }
    r->met[kind] |= factor != 0;
    return factor;
}

void flx_nastran_tell_unmet(const flx_nastran *r)
{
    for (int kind = 0; kind < 3; kind++) {
        if (r->chosen[kind] == 0 || r->met[kind]) continue;
        flx_ctx_warn(r->scan->ctx, (flx_loc){r->s->file, 1, 1, NULL},
                     "case control says %s = %d, but no card that is read belongs to that set",
                     kinds[kind], r->chosen[kind]);
    }
}
