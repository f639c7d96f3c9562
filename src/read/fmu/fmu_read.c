// fmu_read.c - an FMU: the archive, and what its description says.
#include "read/fmu/fmu_read.h"

#include "base/letters.h"
#include "base/number.h"
#include "base/output_file.h"
#include "base/refuse.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sys/stat.h>

#if defined(__x86_64__)
#define PLATFORM2 "linux64"
#define PLATFORM3 "x86_64-linux"
#else
#define PLATFORM2 "aarch64-linux"
#define PLATFORM3 "aarch64-linux"
#endif

bool flx_fmu_read_count(const char *text, unsigned *out)
{
    unsigned long n = 0;
    if (!text || !*text) return false;
    for (; *text; text++) {
        if (!flx_is_digit(*text)) return false;
        n = 10 * n + (unsigned long)(*text - '0');
        if (n > UINT_MAX) return false;
    }
    *out = (unsigned)n;
    return true;
}

int flx_fmu_find_reference(const flx_fmu_reader *r, unsigned reference)
{
    for (int i = 0; i < r->info.nport; i++) {
        if (r->info.ports[i].reference == reference) return i;
    }
    return -1;
}

static const char *text_of(const flx_xml *e, const char *name, const char *otherwise)
{
    const char *value = e ? flx_xml_get(e, name) : NULL;
    return value ? value : otherwise;
}

static int flag_of(flx_fmu_reader *r, const flx_xml *e, const char *name, int otherwise)
{
    const char *value = flx_xml_get(e, name);
    if (!value) return otherwise;
    if (strcmp(value, "true") == 0 || strcmp(value, "1") == 0) return 1;
    if (strcmp(value, "false") != 0 && strcmp(value, "0") != 0) {
        FLX_FMU_WRONG(r, e, "%s is true or false, not '%s'", name, value);
    }
    return 0;
}

static double number_of(flx_fmu_reader *r, const flx_xml *e, const char *name)
{
    const char *value = e ? flx_xml_get(e, name) : NULL;
    char *end;
    if (!value) return (double)NAN;
    double x = flx_number_read(value, &end);
    if (!*value || *end) FLX_FMU_WRONG(r, e, "%s is a number, not '%s'", name, value);
    return x;
}

// ---- the head ---------------------------------------------------------------------------------------

// The elements of the root in the order of the standard's schema.
static void check_order(flx_fmu_reader *r)
{
    static const char *const words2[] = {"ModelExchange",     "CoSimulation",   "UnitDefinitions",
                                         "TypeDefinitions",   "LogCategories",  "DefaultExperiment",
                                         "VendorAnnotations", "ModelVariables", "ModelStructure"};
    static const char *const words3[] = {
        "ModelExchange",   "CoSimulation",  "ScheduledExecution", "UnitDefinitions",
        "TypeDefinitions", "LogCategories", "DefaultExperiment",  "ModelVariables",
        "ModelStructure",  "Annotations"};
    const char *const *words = r->info.version == 2 ? words2 : words3;
    int n = r->info.version == 2 ? 9 : 10, last = -1;
    for (const flx_xml *e = flx_xml_child(r->root, NULL); e; e = flx_xml_next(e, NULL)) {
        int k = 0;
        while (k < n && strcmp(words[k], e->name) != 0) k++;
        if (k == n) {
            FLX_FMU_WRONG(r, e, "the standard knows no element <%s> here", e->name);
        } else if (k == last) {
            FLX_FMU_WRONG(r, e, "<%s> comes twice", e->name);
        } else if (k < last && !(k < 2 && last < 2)) {
            FLX_FMU_WRONG(r, e, "<%s> comes before <%s>, by the schema of the standard", e->name,
                          words[last]);
        }
        last = k < n && k > last ? k : last;
    }
}

static const char *read_kind(flx_fmu_reader *r, const char *word)
{
    flx_fmu_info *f = &r->info;
    const flx_xml *e = flx_xml_child(r->root, word);
    if (!e) return NULL;
    const char *id = flx_xml_get(e, "modelIdentifier");
    if (!id) {
        FLX_FMU_WRONG(r, e, "<%s> has no modelIdentifier", word);
    } else if (!flx_is_name(id)) {
        FLX_FMU_WRONG(r, e, "modelIdentifier '%s' is no identifier of C", id);
    }
    f->keeps_states =
        flag_of(r, e, f->version == 2 ? "canGetAndSetFMUstate" : "canGetAndSetFMUState", 0);
    f->writes_states =
        flag_of(r, e, f->version == 2 ? "canSerializeFMUstate" : "canSerializeFMUState", 0);
    f->derives = flag_of(
        r, e, f->version == 2 ? "providesDirectionalDerivative" : "providesDirectionalDerivatives",
        0);
    f->only_once = flag_of(r, e, "canBeInstantiatedOnlyOncePerProcess", 0);
    f->needs_tool = flag_of(r, e, "needsExecutionTool", 0);
    if (strcmp(word, "CoSimulation") == 0) {
        f->variable_steps = flag_of(r, e, "canHandleVariableCommunicationStepSize", 0);
        f->interpolates = flag_of(r, e, "canInterpolateInputs", 0);
        const char *order = text_of(e, "maxOutputDerivativeOrder", "0");
        unsigned slopes = 0;
        if (!flx_fmu_read_count(order, &slopes))
            FLX_FMU_WRONG(r, e, "maxOutputDerivativeOrder is a count, not '%s'", order);
        f->output_slopes = slopes > 0;
        f->returns_early = flag_of(r, e, "canReturnEarlyAfterIntermediateUpdate", 0);
    } else if (strcmp(word, "ModelExchange") == 0) {
        f->exchange_derives = f->derives;
        f->exchange_states = f->writes_states;
        f->completes_steps = f->version == 2 ? !flag_of(r, e, "completedIntegratorStepNotNeeded", 0)
                                             : flag_of(r, e, "needsCompletedIntegratorStep", 0);
    }
    if (f->writes_states && !f->keeps_states) {
        FLX_FMU_WRONG(r, e,
                      "states can be serialised, and not be saved: canSerializeFMUstate needs "
                      "canGetAndSetFMUstate");
    }
    return id;
}

static void read_head(flx_fmu_reader *r)
{
    flx_fmu_info *f = &r->info;
    const flx_xml *root = r->root;
    const char *token = f->version == 2 ? "guid" : "instantiationToken";
    f->name = text_of(root, "modelName", "");
    f->token = text_of(root, token, "");
    f->tool = text_of(root, "generationTool", "");
    f->description = text_of(root, "description", "");
    if (!flx_xml_get(root, "modelName")) FLX_FMU_WRONG(r, root, "the model has no modelName");
    if (!*f->token) FLX_FMU_WRONG(r, root, "the model has no %s", token);
    const char *naming = text_of(root, "variableNamingConvention", "flat");
    if (strcmp(naming, "flat") != 0 && strcmp(naming, "structured") != 0) {
        FLX_FMU_WRONG(r, root, "variableNamingConvention is flat or structured, not '%s'", naming);
    }
    check_order(r);
    f->exchange = read_kind(r, "ModelExchange");
    f->cosimulation = read_kind(r, "CoSimulation");
    if (!f->exchange && !f->cosimulation && !flx_xml_child(root, "ScheduledExecution")) {
        FLX_FMU_WRONG(r, root, "the FMU is neither for model exchange nor for co-simulation");
    }
    const flx_xml *e = flx_xml_child(root, "DefaultExperiment");
    f->start = number_of(r, e, "startTime");
    f->stop = number_of(r, e, "stopTime");
    f->tolerance = number_of(r, e, "tolerance");
    f->step = number_of(r, e, "stepSize");
    if (f->stop < (isnan(f->start) ? 0.0 : f->start)) {
        FLX_FMU_WRONG(r, e, "the default experiment ends at %g, before it begins", f->stop);
    }
    if (f->tolerance <= 0.0) FLX_FMU_WRONG(r, e, "the tolerance %g is not positive", f->tolerance);
    const char *count = text_of(root, "numberOfEventIndicators", "0");
    unsigned n = 0;
    if (!flx_fmu_read_count(count, &n)) {
        FLX_FMU_WRONG(r, root, "numberOfEventIndicators is a count, not '%s'", count);
    }
    f->nindicator = (int)(n & 0xffffff);
}

// ---- variables ----------------------------------------------------------------------------------------

static const struct {
    const char *word;
    flx_fmu_causality causality;
} causalities[] = {{"local", FLX_FMU_IS_LOCAL},
                   {"input", FLX_FMU_IS_INPUT},
                   {"output", FLX_FMU_IS_OUTPUT},
                   {"parameter", FLX_FMU_IS_PARAMETER},
                   {"calculatedParameter", FLX_FMU_IS_CALCULATED_PARAMETER},
                   {"structuralParameter", FLX_FMU_IS_STRUCTURAL_PARAMETER},
                   {"independent", FLX_FMU_IS_INDEPENDENT}};

static flx_fmu_causality read_causality(flx_fmu_reader *r, const flx_xml *e)
{
    const char *word = text_of(e, "causality", "local");
    for (size_t i = 0; i < sizeof causalities / sizeof causalities[0]; i++) {
        if (strcmp(causalities[i].word, word) == 0 &&
            (r->info.version == 3 || causalities[i].causality != FLX_FMU_IS_STRUCTURAL_PARAMETER))
            return causalities[i].causality;
    }
    FLX_FMU_WRONG(r, e, "there is no causality '%s'", word);
    return FLX_FMU_IS_LOCAL;
}

// The size of an array whose dimensions are numbers; 1 without, 0: it follows from a structural parameter.
static int read_size(flx_fmu_reader *r, const flx_xml *e)
{
    double size = 1;
    for (const flx_xml *d = flx_xml_child(e, "Dimension"); d; d = flx_xml_next(d, "Dimension")) {
        unsigned n;
        const char *start = flx_xml_get(d, "start");
        if (!start && flx_xml_get(d, "valueReference")) return 0;
        if (!flx_fmu_read_count(start, &n)) {
            FLX_FMU_WRONG(r, d,
                          "a dimension needs a start, or the reference of a structural parameter");
            return 0;
        }
        size *= n;
    }
    return size <= 1e6 ? (int)size : 0;
}

static void read_variable(flx_fmu_reader *r, const flx_xml *e)
{
    flx_fmu_info *f = &r->info;
    const flx_xml *value = e;
    flx_fmu_port *p = f->ports + f->nport;
    if (f->version == 2) {
        static const char *const types[] = {"Real", "Integer", "Boolean", "String", "Enumeration"};
        value = NULL;
        for (int k = 0; k < 5 && !value; k++) value = flx_xml_child(e, types[k]);
    }
    *p = (flx_fmu_port){.name = text_of(e, "name", ""),
                        .description = text_of(e, "description", ""),
                        .unit = text_of(value, "unit", ""),
                        .type = value ? value->name : "",
                        .causality = read_causality(r, e),
                        .start = value ? flx_xml_get(value, "start") : NULL,
                        .derivative_of = -1,
                        .count = f->version == 3 ? read_size(r, e) : 1};
    if (!*p->name) FLX_FMU_WRONG(r, e, "a variable has no name");
    if (!value) FLX_FMU_WRONG(r, e, "variable '%s' has no type", p->name);
    if (!flx_fmu_read_count(flx_xml_get(e, "valueReference"), &p->reference)) {
        FLX_FMU_WRONG(r, e, "variable '%s' has no valueReference that is a whole number", p->name);
    }
    r->elements[f->nport] = e;
    r->values[f->nport++] = value ? value : e;
}

static flx_status read_variables(flx_fmu_reader *r)
{
    size_t n = 0;
    const char *word = r->info.version == 2 ? "ScalarVariable" : NULL;
    r->variables = flx_xml_child(r->root, "ModelVariables");
    r->structure = flx_xml_child(r->root, "ModelStructure");
    if (!r->variables) FLX_FMU_WRONG(r, r->root, "there is no <ModelVariables>");
    if (!r->structure) FLX_FMU_WRONG(r, r->root, "there is no <ModelStructure>");
    if (!r->variables || !r->structure) return FLX_ERR_MODEL;
    for (const flx_xml *e = flx_xml_child(r->variables, NULL); e; e = flx_xml_next(e, NULL)) n++;
    r->info.ports = flx_arena_take(r->arena, n + 1, sizeof *r->info.ports);
    r->elements = flx_arena_take(r->arena, n + 1, sizeof *r->elements);
    r->values = flx_arena_take(r->arena, n + 1, sizeof *r->values);
    r->info.states = flx_arena_take(r->arena, n + 1, sizeof *r->info.states);
    r->info.derivatives = flx_arena_take(r->arena, n + 1, sizeof *r->info.derivatives);
    if (!r->info.ports || !r->elements || !r->values || !r->info.states || !r->info.derivatives)
        return FLX_ERR_MEMORY;
    for (const flx_xml *e = flx_xml_child(r->variables, NULL); e; e = flx_xml_next(e, NULL)) {
        if (word && strcmp(e->name, word) != 0) {
            FLX_FMU_WRONG(r, e, "<ModelVariables> has <%s>, which is no <ScalarVariable>", e->name);
        } else {
            read_variable(r, e);
        }
    }
    return FLX_OK;
}

// ---- the archive --------------------------------------------------------------------------------------

// The library for this machine: where the version of the standard puts it.
static void find_library(flx_fmu_reader *r)
{
    flx_fmu_info *f = &r->info;
    const char *ids[] = {f->cosimulation, f->exchange};
    bool any = false;
    for (int i = 0; i < r->archive.count; i++) {
        const char *name = r->archive.entries[i].name;
        any = any || strncmp(name, "binaries/", 9) == 0 || strncmp(name, "sources/", 8) == 0;
    }
    if (!any) FLX_FMU_WRONG(r, NULL, "the FMU has neither binaries nor sources");
    for (int i = 0; i < 2 && !f->library; i++) {
        if (!ids[i]) continue;
        const char *name = flx_arena_printf(r->arena, "binaries/%s/%s.so",
                                            f->version == 2 ? PLATFORM2 : PLATFORM3, ids[i]);
        const flx_zip_entry *e = name ? flx_archive_find(&r->archive, name) : NULL;
        char *data;
        if (!e || flx_archive_unpack(r->ctx, r->arena, &r->archive, e, &data) != FLX_OK) continue;
        if (e->size < 20 || memcmp(data, "\177ELF\2", 5) != 0) {
            FLX_FMU_WRONG(r, NULL, "'%s' is no library of this system", name);
        } else {
            f->library = name;
        }
    }
}

static flx_status read_description(flx_fmu_reader *r)
{
    const flx_zip_entry *e = flx_archive_find(&r->archive, "modelDescription.xml");
    char *text;
    int told = flx_ctx_error_count(r->ctx);
    flx_xml *root;
    if (!e) {
        return FLX_FAIL(r->ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                        "'%s' is no FMU: it has no modelDescription.xml", r->file);
    }
    FLX_TRY(flx_archive_unpack(r->ctx, r->arena, &r->archive, e, &text));
    const char *inside = flx_arena_printf(r->arena, "%s/modelDescription.xml", r->file);
    if (inside) r->file = flx_intern(r->ctx, inside);
    if (!inside || !r->file) return FLX_ERR_MEMORY;
    FLX_TRY(flx_xml_parse(r->ctx, r->arena, r->file, text, e->size, &root));
    const char *version = text_of(root, "fmiVersion", "");
    r->root = root;
    r->info.version = version[0] - '0';
    if (strcmp(root->name, "fmiModelDescription") != 0) {
        FLX_FMU_WRONG(r, root, "the description is <%s>, not <fmiModelDescription>", root->name);
        return FLX_ERR_MODEL;
    }
    if (strcmp(version, "2.0") != 0 && strncmp(version, "3.0", 3) != 0) {
        FLX_FMU_WRONG(r, root, "fmiVersion is '%s'; 2.0 and 3.0 are read", version);
        return FLX_ERR_MODEL;
    }
    read_head(r);
    FLX_TRY(read_variables(r));
    flx_fmu_check_variables(r);
    flx_fmu_check_structure(r);
    find_library(r);
    if (flx_ctx_error_count(r->ctx) == told)
        flx_fmu_check_schema(r); // else it would say things twice
    return FLX_OK;
}

flx_status flx_fmu_read(flx_ctx *ctx, const char *path, flx_fmu_info **out)
{
    if (out) *out = NULL;
    if (!ctx || !path || !out) return flx_refuse_null(ctx, __func__);
    int told = flx_ctx_error_count(ctx);
    flx_fmu_reader *r = flx_alloc(ctx, 1, sizeof *r);
    if (!r) return FLX_ERR_MEMORY;
    r->ctx = ctx;
    r->file = path;
    r->info.memory = r;
    r->arena = flx_arena_create(ctx);
    flx_status status =
        r->arena ? flx_archive_read(ctx, r->arena, path, &r->archive) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = read_description(r);
    if (status == FLX_OK && flx_ctx_error_count(ctx) > told) status = FLX_ERR_MODEL;
    *out = &r->info;
    if (status != FLX_OK) flx_fmu_info_destroy(out);
    return status;
}

void flx_fmu_info_destroy(flx_fmu_info **info)
{
    if (!info || !*info) return;
    flx_fmu_reader *r = (*info)->memory;
    flx_arena_destroy(&r->arena);
    flx_free(r);
    *info = NULL;
}

// ---- on the disk -----------------------------------------------------------------------------------------

static flx_status make_folders(flx_ctx *ctx, char *path, size_t root)
{
    for (char *c = path + root + 1; *c; c++) {
        if (*c != '/') continue;
        *c = 0;
        int code = mkdir(path, 0777);
        int why = errno;
        *c = '/';
        if (code != 0 && why != EEXIST) {
            return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE, "the folder of '%s' cannot be made: %s",
                            path, flx_error_text(why));
        }
    }
    return FLX_OK;
}

flx_status flx_fmu_unpack(flx_fmu_info *info, const char *folder)
{
    if (!info || !folder) return flx_refuse_null(NULL, __func__);
    flx_fmu_reader *r = info->memory;
    for (int i = 0; i < r->archive.count; i++) {
        const flx_zip_entry *e = r->archive.entries + i;
        flx_output *o = NULL;
        flx_arena *arena = flx_arena_create(r->ctx);
        char *data = NULL;
        char *path = arena ? flx_arena_printf(arena, "%s/%s", folder, e->name) : NULL;
        flx_status status = path ? make_folders(r->ctx, path, strlen(folder)) : FLX_ERR_MEMORY;
        bool is_folder = e->name[strlen(e->name) - 1] == '/';
        if (status == FLX_OK && !is_folder) {
            status = flx_archive_unpack(r->ctx, arena, &r->archive, e, &data);
            if (status == FLX_OK) status = flx_output_create(r->ctx, "a file of the FMU", path, &o);
            if (status == FLX_OK) {
                bool all = fwrite(data, 1, e->size, flx_output_file(o)) == e->size;
                status = flx_output_close(&o, all ? FLX_OK : flx_output_fail(o, ""));
            }
        }
        flx_arena_destroy(&arena);
        FLX_TRY(status);
    }
    return FLX_OK;
}
