// fmu_schema.c - which attributes an element of modelDescription.xml may and must have, and of which type, as the schemas of
// FMI 2.0 and 3.0 say it.
#include "read/fmu/fmu_read.h"

#include "base/number.h"

#include <math.h>

// An element, and its attributes: names with a mark of their type before them where a text is not enough, and with `!`
// after them where they must be there. ? a flag, # a whole number from 0 on, * such numbers, . a number, : numbers.
typedef struct element {
    const char *versions; // "2", "3" or "23"
    const char *within;   // its parent; NULL: any
    const char *name;
    const char *attributes;
    bool open; // others may be there
} element;

#define BOTH_KINDS "modelIdentifier! ?needsExecutionTool ?canBeInstantiatedOnlyOncePerProcess "
#define KINDS2                                                                                     \
    BOTH_KINDS "?canNotUseMemoryManagementFunctions ?canGetAndSetFMUstate ?canSerializeFMUstate "  \
               "?providesDirectionalDerivative "
#define KINDS3                                                                                     \
    BOTH_KINDS "?canGetAndSetFMUState ?canSerializeFMUState ?providesDirectionalDerivatives "      \
               "?providesAdjointDerivatives ?providesPerElementDependencies "
#define VARIABLE                                                                                   \
    "name! #valueReference! description causality variability "                                    \
    "?canHandleMultipleSetPerTimeInstant "
#define VARIABLE3 VARIABLE "?intermediateUpdate #previous *clocks "
#define TYPED3 VARIABLE3 "declaredType initial "
#define REAL "quantity unit displayUnit ?relativeQuantity ?unbounded .min .max .nominal "
#define ROOT                                                                                       \
    "fmiVersion! modelName! description author version copyright license generationTool "          \
    "generationDateAndTime variableNamingConvention "

static const element elements[] = {
    {"2", NULL, "fmiModelDescription", ROOT "guid! #numberOfEventIndicators", false},
    {"3", NULL, "fmiModelDescription", ROOT "instantiationToken!", false},
    {"2", NULL, "ModelExchange", KINDS2 "?completedIntegratorStepNotNeeded", false},
    {"2", NULL, "CoSimulation",
     KINDS2 "?canHandleVariableCommunicationStepSize ?canInterpolateInputs "
            "#maxOutputDerivativeOrder ?canRunAsynchronuously",
     false},
    {"3", NULL, "ModelExchange",
     KINDS3 "?needsCompletedIntegratorStep ?providesEvaluateDiscreteStates", true},
    {"3", NULL, "CoSimulation",
     KINDS3 "?canHandleVariableCommunicationStepSize .fixedInternalStepSize "
            "#maxOutputDerivativeOrder .recommendedIntermediateInputSmoothness "
            "?providesIntermediateUpdate ?mightReturnEarlyFromDoStep "
            "?canReturnEarlyAfterIntermediateUpdate ?hasEventMode ?providesEvaluateDiscreteStates",
     true},
    {"3", NULL, "ScheduledExecution", KINDS3, true},
    {"23", NULL, "Unit", "name!", false},
    {"23", NULL, "BaseUnit", ".kg .m .s .A .K .mol .cd .rad .factor .offset", false},
    {"2", NULL, "DisplayUnit", "name! .factor .offset", false},
    {"3", NULL, "DisplayUnit", "name! .factor .offset ?inverse", false},
    {"23", NULL, "Category", "name! description", false},
    {"23", NULL, "DefaultExperiment", ".startTime .stopTime .tolerance .stepSize", false},
    {"2", NULL, "ScalarVariable", VARIABLE "initial", false},
    {"2", "ScalarVariable", "Real", REAL "declaredType .start #derivative ?reinit", false},
    {"2", "ScalarVariable", "Integer", "declaredType quantity .min .max .start", false},
    {"2", "ScalarVariable", "Boolean", "declaredType ?start", false},
    {"2", "ScalarVariable", "String", "declaredType start", false},
    {"2", "ScalarVariable", "Enumeration", "declaredType! quantity .min .max .start", false},
    {"3", "ModelVariables", "Float64", TYPED3 REAL ":start #derivative ?reinit", false},
    {"3", "ModelVariables", "Float32", TYPED3 REAL ":start #derivative ?reinit", false},
    {"3", "ModelVariables", "Boolean", TYPED3 "start", false},
    {"3", "ModelVariables", "String", TYPED3, false},
    {"3", "ModelVariables", "Binary", TYPED3 "mimeType #maxSize start", false},
    {"3", "ModelVariables", "Enumeration", TYPED3 "quantity .min .max :start", false},
    {"3", "ModelVariables", "Clock",
     VARIABLE3 "declaredType ?canBeDeactivated #priority intervalVariability! .intervalDecimal "
               ".shiftDecimal ?supportsFraction #resolution #intervalCounter #shiftCounter",
     false},
    {"3", NULL, "Dimension", "#start #valueReference", false},
    {"3", NULL, "Alias", "name! description displayUnit", false},
    {"2", NULL, "Unknown", "#index! *dependencies dependenciesKind", false},
    {"3", "ModelStructure", NULL, "#valueReference! *dependencies dependenciesKind", false},
};

static const element integers3 = {"3", "ModelVariables", NULL, TYPED3 "quantity .min .max :start",
                                  false};

static const element *find(const flx_fmu_reader *r, const flx_xml *parent, const flx_xml *e)
{
    char version = r->info.version == 2 ? '2' : '3';
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
        const element *k = elements + i;
        bool here = !k->within || (parent && strcmp(k->within, parent->name) == 0);
        if (here && strchr(k->versions, version) && (!k->name || strcmp(k->name, e->name) == 0))
            return k;
    }
    bool integer = strncmp(e->name, "Int", 3) == 0 || strncmp(e->name, "UInt", 4) == 0;
    bool variable = version == '3' && parent && strcmp(parent->name, "ModelVariables") == 0;
    return integer && variable ? &integers3 : NULL;
}

// Whether the text is what the mark says.
static bool is_of_type(char mark, const char *text)
{
    char *end = NULL;
    unsigned n;
    if (mark == '?') {
        return strcmp(text, "true") == 0 || strcmp(text, "false") == 0 || strcmp(text, "1") == 0 ||
               strcmp(text, "0") == 0;
    }
    if (mark == '#') return flx_fmu_read_count(text, &n);
    if (mark == '.') {
        double x = flx_number_read(text, &end);
        return *text && !*end && !isnan(x);
    }
    while (mark == '*' || mark == ':') {
        while (*text == ' ' || *text == '\t' || *text == '\n') text++;
        if (!*text) break;
        if (mark == '*' && (*text < '0' || *text > '9')) return false;
        (void)flx_number_read(text, &end);
        if (end == text) return false;
        text = end;
    }
    return true;
}

static const char *word_of(char mark)
{
    switch (mark) {
    case '?':
        return "true or false";
    case '#':
        return "a whole number from 0 on";
    case '.':
        return "a number";
    case '*':
        return "a list of whole numbers";
    default:
        return "a list of numbers";
    }
}

static bool is_mark(char c)
{
    return c == '?' || c == '#' || c == '.' || c == '*' || c == ':';
}

// Where the name stands in the list, with its mark; NULL: nowhere.
static const char *find_name(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = list; *at; at += *at == ' ') {
        const char *word = at + is_mark(*at);
        if (strncmp(word, name, n) == 0 && (word[n] == ' ' || word[n] == '!' || !word[n]))
            return at;
        while (*at && *at != ' ') at++;
    }
    return NULL;
}

static void check_attributes(flx_fmu_reader *r, const element *k, const flx_xml *e)
{
    for (int i = 0; i < e->nattribute; i++) {
        const char *name = e->attributes[2 * i], *text = e->attributes[2 * i + 1];
        if (strchr(name, ':') || strcmp(name, "xmlns") == 0) continue; // of another schema
        const char *at = find_name(k->attributes, name);
        if (!at && !k->open) {
            FLX_FMU_WRONG(r, e, "<%s> has no attribute %s in FMI %d.0", e->name, name,
                          r->info.version);
        } else if (at && is_mark(*at) && !is_of_type(*at, text)) {
            FLX_FMU_WRONG(r, e, "<%s>: %s is %s, not '%s'", e->name, name, word_of(*at), text);
        }
    }
}

static void check_needed(flx_fmu_reader *r, const element *k, const flx_xml *e)
{
    for (const char *at = k->attributes; *at; at += *at == ' ') {
        const char *word = at + is_mark(*at), *end = word;
        char name[64];
        while (*end && *end != ' ') end++;
        size_t n = (size_t)(end - word);
        if (n > 1 && word[n - 1] == '!' && n <= sizeof name) {
            memcpy(name, word, n - 1);
            name[n - 1] = 0;
            if (!flx_xml_get(e, name)) FLX_FMU_WRONG(r, e, "<%s> has no %s", e->name, name);
        }
        at = end;
    }
}

static void check_element(flx_fmu_reader *r, const flx_xml *parent, const flx_xml *e)
{
    const element *k = find(r, parent, e);
    if (k) {
        check_attributes(r, k, e);
        check_needed(r, k, e);
    }
    bool free = strcmp(e->name, "VendorAnnotations") == 0 || strcmp(e->name, "Annotations") == 0 ||
                strcmp(e->name, "TypeDefinitions") == 0;
    for (const flx_xml *c = free ? NULL : flx_xml_child(e, NULL); c; c = flx_xml_next(c, NULL))
        check_element(r, e, c);
}

void flx_fmu_check_schema(flx_fmu_reader *r)
{
    check_element(r, NULL, r->root);
}
