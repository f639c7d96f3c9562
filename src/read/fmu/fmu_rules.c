// fmu_rules.c - rules of the standard for the variables of an FMU (FMI 2.0, section 2.2.7; FMI 3.0, section 2.4.7).
#include "read/fmu/fmu_read.h"

#include "base/number.h"

#include <math.h>

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static bool is_float(const flx_fmu_port *p)
{
    return is(p->type, "Real") || is(p->type, "Float64") || is(p->type, "Float32");
}

// ---- causality, variability, initial -------------------------------------------------------------------

// The table of the standard: which variability goes with a causality, which `initial` with both; the first is the default.
typedef struct rule {
    flx_fmu_causality causality;
    const char *variability;
    const char *initial[4]; // NULL: no more; none at all: it has none
} rule;
static const rule rules[] = {
    {FLX_FMU_IS_PARAMETER, "fixed", {"exact"}},
    {FLX_FMU_IS_PARAMETER, "tunable", {"exact"}},
    {FLX_FMU_IS_STRUCTURAL_PARAMETER, "fixed", {"exact"}},
    {FLX_FMU_IS_STRUCTURAL_PARAMETER, "tunable", {"exact"}},
    {FLX_FMU_IS_CALCULATED_PARAMETER, "fixed", {"calculated", "approx"}},
    {FLX_FMU_IS_CALCULATED_PARAMETER, "tunable", {"calculated", "approx"}},
    {FLX_FMU_IS_INPUT, "discrete", {NULL}},
    {FLX_FMU_IS_INPUT, "continuous", {NULL}},
    {FLX_FMU_IS_OUTPUT, "constant", {"exact"}},
    {FLX_FMU_IS_OUTPUT, "discrete", {"calculated", "exact", "approx"}},
    {FLX_FMU_IS_OUTPUT, "continuous", {"calculated", "exact", "approx"}},
    {FLX_FMU_IS_LOCAL, "constant", {"exact"}},
    {FLX_FMU_IS_LOCAL, "fixed", {"calculated", "approx"}},
    {FLX_FMU_IS_LOCAL, "tunable", {"calculated", "approx"}},
    {FLX_FMU_IS_LOCAL, "discrete", {"calculated", "exact", "approx"}},
    {FLX_FMU_IS_LOCAL, "continuous", {"calculated", "exact", "approx"}},
    {FLX_FMU_IS_INDEPENDENT, "continuous", {NULL}},
};

static const rule *find_rule(const flx_fmu_port *p)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (rules[i].causality == p->causality && is(rules[i].variability, p->variability))
            return rules + i;
    }
    return NULL;
}

static void check_role(flx_fmu_reader *r, int i)
{
    flx_fmu_port *p = r->info.ports + i;
    const flx_xml *e = r->elements[i];
    const char *word = flx_xml_get(e, "variability"), *initial = flx_xml_get(e, "initial");
    bool parameter = p->causality == FLX_FMU_IS_PARAMETER ||
                     p->causality == FLX_FMU_IS_CALCULATED_PARAMETER ||
                     p->causality == FLX_FMU_IS_STRUCTURAL_PARAMETER;
    bool fixed = r->info.version == 3 && parameter;
    p->variability = word                                  ? word
                     : fixed                               ? "fixed"
                     : is_float(p) || r->info.version == 2 ? "continuous"
                                                           : "discrete";
    p->initial = "";
    const rule *found = find_rule(p);
    if (!found) {
        FLX_FMU_WRONG(r, e, "variable '%s': variability '%s' does not go with causality '%s'",
                      p->name, p->variability,
                      flx_xml_get(e, "causality") ? flx_xml_get(e, "causality") : "local");
        return;
    }
    if (!is_float(p) && is(p->variability, "continuous") && *p->type) {
        FLX_FMU_WRONG(r, e, "variable '%s' is of type %s and cannot be continuous", p->name,
                      p->type);
    }
    bool good = !initial;
    for (int k = 0; k < 4 && found->initial[k] && initial; k++)
        good = good || is(found->initial[k], initial);
    if (!good) {
        FLX_FMU_WRONG(r, e,
                      "variable '%s': initial '%s' does not go with its causality and variability",
                      p->name, initial);
    }
    p->initial = initial ? initial : found->initial[0] ? found->initial[0] : "";
}

// ---- values ---------------------------------------------------------------------------------------------

static bool is_start_wanted(const flx_fmu_port *p)
{
    return is(p->initial, "exact") || is(p->initial, "approx") || p->causality == FLX_FMU_IS_INPUT;
}

static bool read_value(flx_fmu_reader *r, int i, const char *name, double *out)
{
    const char *text = flx_xml_get(r->values[i], name);
    char *end;
    if (!text) return false;
    *out = flx_number_read(text, &end);
    while (*end == ' ' || *end == '\n' || *end == '\t') end++;
    if (*text && !*end && !isnan(*out)) return true;
    if (is(name, "start") && r->info.ports[i].count != 1) return false; // a list
    FLX_FMU_WRONG(r, r->values[i], "variable '%s': %s is a number, not '%s'", r->info.ports[i].name,
                  name, text);
    return false;
}

static void check_values(flx_fmu_reader *r, int i)
{
    const flx_fmu_port *p = r->info.ports + i;
    const flx_xml *e = r->elements[i];
    double start = 0, low = -HUGE_VAL, high = HUGE_VAL;
    if (p->start && is(p->initial, "calculated")) {
        FLX_FMU_WRONG(r, e, "variable '%s' is calculated, and has a start", p->name);
    } else if (p->start && p->causality == FLX_FMU_IS_INDEPENDENT) {
        FLX_FMU_WRONG(r, e, "variable '%s' is the independent one, and has a start", p->name);
    } else if (!p->start && is_start_wanted(p) && !is(p->type, "String") &&
               !is(p->type, "Binary") && !is(p->type, "Clock")) {
        FLX_FMU_WRONG(r, e, "variable '%s' needs a start: it is %s", p->name,
                      p->causality == FLX_FMU_IS_INPUT ? "an input" : "given, not calculated");
    }
    if (!is_float(p)) return;
    bool has = read_value(r, i, "start", &start);
    read_value(r, i, "min", &low);
    read_value(r, i, "max", &high);
    if (low > high) FLX_FMU_WRONG(r, e, "variable '%s': its min is above its max", p->name);
    if (has && (start < low || start > high)) {
        FLX_FMU_WRONG(r, e, "variable '%s' begins at %g, outside of its bounds", p->name, start);
    }
}

// ---- units -----------------------------------------------------------------------------------------------

static const flx_xml *find_unit(const flx_fmu_reader *r, const char *name)
{
    const flx_xml *list = flx_xml_child(r->root, "UnitDefinitions");
    const flx_xml *u = list ? flx_xml_child(list, "Unit") : NULL;
    while (u && !(flx_xml_get(u, "name") && is(flx_xml_get(u, "name"), name)))
        u = flx_xml_next(u, "Unit");
    return u;
}

static void check_unit(flx_fmu_reader *r, int i)
{
    const flx_fmu_port *p = r->info.ports + i;
    const char *shown = flx_xml_get(r->values[i], "displayUnit");
    if (!*p->unit) return;
    const flx_xml *unit = find_unit(r, p->unit);
    if (!unit) {
        FLX_FMU_WRONG(r, r->values[i],
                      "variable '%s': the unit '%s' is not among <UnitDefinitions>", p->name,
                      p->unit);
        return;
    }
    const flx_xml *d = shown ? flx_xml_child(unit, "DisplayUnit") : NULL;
    while (d && !(flx_xml_get(d, "name") && is(flx_xml_get(d, "name"), shown)))
        d = flx_xml_next(d, "DisplayUnit");
    if (shown && !d) {
        FLX_FMU_WRONG(r, r->values[i], "variable '%s': the unit '%s' has no display unit '%s'",
                      p->name, p->unit, shown);
    }
}

// ---- relations between variables -----------------------------------------------------------------------------

static void check_derivative(flx_fmu_reader *r, int i)
{
    flx_fmu_port *p = r->info.ports + i;
    const char *text = flx_xml_get(r->values[i], "derivative");
    unsigned n = 0;
    if (!text) return;
    int of = flx_fmu_read_count(text, &n)
                 ? (r->info.version == 3 ? flx_fmu_find_reference(r, n) : (int)(n & 0x7fffffff) - 1)
                 : -1;
    if (of < 0 || of >= r->info.nport || of == i || !is_float(r->info.ports + of)) {
        FLX_FMU_WRONG(r, r->values[i], "variable '%s': it is the derivative of no variable '%s'",
                      p->name, text);
    } else {
        p->derivative_of = of;
    }
}

// Which of two variables comes first by name, for a search: sorted numbers.
static int before(const flx_fmu_reader *r, int a, int b)
{
    return strcmp(r->info.ports[a].name, r->info.ports[b].name);
}

static void sort(const flx_fmu_reader *r, int n, int *order, int *room)
{
    for (int width = 1; width < n; width *= 2) {
        for (int at = 0; at < n; at += 2 * width) {
            int middle = at + width < n ? at + width : n,
                end = at + 2 * width < n ? at + 2 * width : n;
            int a = at, b = middle;
            for (int k = at; k < end; k++) {
                bool left = a < middle && (b >= end || before(r, order[a], order[b]) <= 0);
                room[k] = left ? order[a++] : order[b++];
            }
        }
        memcpy(order, room, (size_t)n * sizeof *order);
    }
}

static void check_names(flx_fmu_reader *r)
{
    int n = r->info.nport, *order = flx_arena_take(r->arena, 2 * (size_t)n + 1, sizeof *order);
    for (int i = 0; order && i < n; i++) order[i] = i;
    if (order) sort(r, n, order, order + n);
    for (int k = 1; order && k < n; k++) {
        if (before(r, order[k - 1], order[k]) == 0) {
            FLX_FMU_WRONG(r, r->elements[order[k]], "two variables are called '%s'",
                          r->info.ports[order[k]].name);
        }
    }
}

// Variables with one reference are one: of FMI 2 of one type and unit, of FMI 3 there are none such.
static void check_references(flx_fmu_reader *r)
{
    for (int i = 0; i < r->info.nport; i++) {
        const flx_fmu_port *p = r->info.ports + i, *q;
        int first = flx_fmu_find_reference(r, p->reference);
        if (first == i) continue;
        q = r->info.ports + first;
        bool alias = r->info.version == 2 && is(p->unit, q->unit);
        if (r->info.version == 2 && !is(p->type, q->type)) continue; // references are by type
        if (!alias) {
            FLX_FMU_WRONG(r, r->elements[i],
                          "variables '%s' and '%s' have one valueReference, %u%s", q->name, p->name,
                          p->reference, r->info.version == 2 ? ", and not one unit" : "");
        }
    }
}

void flx_fmu_check_variables(flx_fmu_reader *r)
{
    int independent = 0;
    for (int i = 0; i < r->info.nport; i++) {
        check_role(r, i);
        check_values(r, i);
        check_unit(r, i);
        check_derivative(r, i);
        independent += r->info.ports[i].causality == FLX_FMU_IS_INDEPENDENT;
    }
    if (independent > 1)
        FLX_FMU_WRONG(r, r->variables, "there are %d independent variables", independent);
    if (r->info.version == 3 && independent == 0) {
        FLX_FMU_WRONG(r, r->variables, "FMI 3.0 wants an independent variable");
    }
    check_names(r);
    check_references(r);
}
