// fmu_structure.c - rules of the standard for <ModelStructure>: which variables are listed where, and what they depend on.
#include "read/fmu/fmu_read.h"

#include "base/letters.h"

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

// The variable that an element names: by its index in FMI 2, by its reference in FMI 3; -1: none, which is told.
static int variable_of(flx_fmu_reader *r, const flx_xml *e)
{
    const char *word = r->info.version == 2 ? "index" : "valueReference";
    const char *text = flx_xml_get(e, word);
    unsigned n = 0;
    int i = -1;
    if (flx_fmu_read_count(text, &n)) {
        i = r->info.version == 3 ? flx_fmu_find_reference(r, n) : (int)(n & 0x7fffffff) - 1;
    }
    if (i >= 0 && i < r->info.nport) return i;
    FLX_FMU_WRONG(r, e, "<%s> has the %s '%s', which no variable has",
                  e->up ? e->up->name : e->name, word, text ? text : "");
    return -1;
}

static int count_words(const char *text)
{
    int n = 0;
    for (bool inside = false; text && *text; text++) {
        n += !inside && !flx_is_space(*text);
        inside = !flx_is_space(*text);
    }
    return n;
}

static void check_dependencies(flx_fmu_reader *r, const flx_xml *e)
{
    const char *list = flx_xml_get(e, "dependencies"), *kinds = flx_xml_get(e, "dependenciesKind");
    if (kinds && (!list || count_words(list) != count_words(kinds))) {
        FLX_FMU_WRONG(r, e, "dependenciesKind has %d words for %d dependencies", count_words(kinds),
                      count_words(list));
    }
    while (list && *list) {
        char word[16];
        size_t n = 0;
        unsigned k = 0;
        while (flx_is_space(*list)) list++;
        while (*list && !flx_is_space(*list)) {
            if (n + 1 < sizeof word) word[n++] = *list;
            list++;
        }
        word[n] = 0;
        if (n == 0) break;
        bool good = flx_fmu_read_count(word, &k);
        good = good && (r->info.version == 3 ? flx_fmu_find_reference(r, k) >= 0
                                             : k >= 1 && k <= (unsigned)r->info.nport);
        if (!good) FLX_FMU_WRONG(r, e, "there is no variable '%s' to depend on", word);
    }
}

// What an output depends on; without a list, on all.
static void keep_dependencies(flx_fmu_reader *r, const flx_xml *e, flx_fmu_port *p)
{
    const char *list = flx_xml_get(e, "dependencies");
    p->ndepend = -1;
    if (!list) return;
    p->depends = flx_arena_take(r->arena, (size_t)count_words(list) + 1, sizeof *p->depends);
    for (p->ndepend = 0; p->depends && *list;) {
        unsigned k = 0;
        while (flx_is_space(*list)) list++;
        if (!*list) break;
        for (; *list >= '0' && *list <= '9'; list++) k = 10 * k + (unsigned)(*list - '0');
        while (*list && !flx_is_space(*list)) list++;
        p->depends[p->ndepend++] = r->info.version == 3 ? flx_fmu_find_reference(r, k) : (int)k - 1;
    }
    if (!p->depends) p->ndepend = -1;
}

// The elements of a list: of FMI 2 <Unknown> in <Outputs>, of FMI 3 <Output> themselves.
static const flx_xml *first_of(const flx_fmu_reader *r, const char *word2, const char *word3)
{
    if (r->info.version == 3) return flx_xml_child(r->structure, word3);
    const flx_xml *list = flx_xml_child(r->structure, word2);
    return list ? flx_xml_child(list, "Unknown") : NULL;
}

static const flx_xml *next_of(const flx_fmu_reader *r, const flx_xml *e, const char *word3)
{
    return flx_xml_next(e, r->info.version == 3 ? word3 : "Unknown");
}

// marks (nport): which variables the list has.
static void read_list(flx_fmu_reader *r, const char *word2, const char *word3, bool ascends,
                      unsigned char *marks, int *order, int *n)
{
    int last = -1;
    *n = 0;
    memset(marks, 0, (size_t)r->info.nport);
    for (const flx_xml *e = first_of(r, word2, word3); e; e = next_of(r, e, word3)) {
        int i = variable_of(r, e);
        check_dependencies(r, e);
        if (i < 0) continue;
        if (marks[i]) FLX_FMU_WRONG(r, e, "'%s' stands twice in the list", r->info.ports[i].name);
        if (ascends && i < last) {
            FLX_FMU_WRONG(r, e, "<%s> is not in the order of the variables", word2);
        }
        last = i;
        if (is(word2, "Outputs")) keep_dependencies(r, e, r->info.ports + i);
        if (!marks[i] && order) order[*n] = i;
        *n += !marks[i];
        marks[i] = 1;
    }
}

static void check_outputs(flx_fmu_reader *r, unsigned char *marks)
{
    int n;
    read_list(r, "Outputs", "Output", r->info.version == 2, marks, NULL, &n);
    for (int i = 0; i < r->info.nport; i++) {
        const flx_fmu_port *p = r->info.ports + i;
        bool output = p->causality == FLX_FMU_IS_OUTPUT && !is(p->type, "Clock");
        if (output && !marks[i])
            FLX_FMU_WRONG(r, r->elements[i], "output '%s' is not listed in <ModelStructure>",
                          p->name);
        if (!output && marks[i])
            FLX_FMU_WRONG(r, r->elements[i], "'%s' is listed as an output, and is none", p->name);
    }
}

static void check_derivatives(flx_fmu_reader *r, unsigned char *marks, int *order)
{
    flx_fmu_info *f = &r->info;
    int n;
    read_list(r, "Derivatives", "ContinuousStateDerivative", false, marks, order, &n);
    for (int k = 0; k < n; k++) {
        const flx_fmu_port *p = f->ports + order[k];
        if (p->derivative_of < 0) {
            FLX_FMU_WRONG(r, r->elements[order[k]],
                          "'%s' is listed as a derivative, and is that of no state", p->name);
            continue;
        }
        f->states[f->nstate] = p->derivative_of;
        f->derivatives[f->nstate++] = order[k];
    }
}

// Only what is integrated can be begun anew; an FMU for co-simulation need not list its states. known: (all variables).
static void check_reinit(flx_fmu_reader *r, unsigned char *known)
{
    const flx_fmu_info *f = &r->info;
    if (f->nstate == 0) return;
    memset(known, 0, (size_t)f->nport);
    for (int k = 0; k < f->nstate; k++) known[f->states[k]] = 1;
    for (int i = 0; i < f->nport; i++) {
        if (known[i] || !flx_xml_get(r->values[i], "reinit")) continue;
        FLX_FMU_WRONG(r, r->values[i], "variable '%s': reinit is said of states, and it is none",
                      f->ports[i].name);
    }
}

// Variables that are computed while the FMU is initialised.
static void check_initial(flx_fmu_reader *r, unsigned char *marks, unsigned char *wanted)
{
    int n;
    memset(wanted, 0, (size_t)r->info.nport);
    for (int i = 0; i < r->info.nport; i++) {
        const flx_fmu_port *p = r->info.ports + i;
        bool found = is(p->initial, "calculated") || is(p->initial, "approx");
        if (found &&
            (p->causality == FLX_FMU_IS_OUTPUT || p->causality == FLX_FMU_IS_CALCULATED_PARAMETER))
            wanted[i] = 1;
    }
    for (int k = 0; k < r->info.nstate; k++) {
        int pair[2] = {r->info.states[k], r->info.derivatives[k]};
        for (int j = 0; j < 2; j++) {
            const char *initial = r->info.ports[pair[j]].initial;
            if (is(initial, "calculated") || is(initial, "approx")) wanted[pair[j]] = 1;
        }
    }
    read_list(r, "InitialUnknowns", "InitialUnknown", r->info.version == 2, marks, NULL, &n);
    for (int i = 0; i < r->info.nport; i++) {
        const char *name = r->info.ports[i].name;
        if (wanted[i] && !marks[i])
            FLX_FMU_WRONG(r, r->elements[i], "'%s' is not among the initial unknowns", name);
        if (!wanted[i] && marks[i])
            FLX_FMU_WRONG(r, r->elements[i],
                          "'%s' is listed among the initial unknowns, and is given", name);
    }
}

void flx_fmu_check_structure(flx_fmu_reader *r)
{
    size_t n = (size_t)r->info.nport;
    unsigned char *marks = flx_arena_take(r->arena, 2 * n + 2, 1);
    int *order = flx_arena_take(r->arena, n + 1, sizeof *order);
    if (!marks || !order) return;
    check_outputs(r, marks);
    check_derivatives(r, marks, order);
    check_reinit(r, marks);
    check_initial(r, marks, marks + n);
    if (r->info.version == 3) {
        for (const flx_xml *e = flx_xml_child(r->structure, "EventIndicator"); e;
             e = flx_xml_next(e, "EventIndicator")) {
            r->info.nindicator++;
            (void)variable_of(r, e);
        }
    }
}
