// fmu_xml2.c - modelDescription.xml of FMI 2.0.
#include "fmi/fmu_describe.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>

static void put_variable(FILE *f, const flx_fmu_variable *v, int number)
{
    bool has_start = v->kind == FLX_FMU_INPUT || v->kind == FLX_FMU_PARAMETER;
    fputs("    <ScalarVariable", f);
    flx_fmu_put_attribute(f, "name", v->name);
    flx_fprintf(f, " valueReference=\"%u\"", v->reference);
    if (v->about) flx_fmu_put_attribute(f, "description", v->about);
    flx_fprintf(f, "%s>\n      <Real", flx_fmu_kind_text(v->kind));
    if (*v->unit) flx_fmu_put_attribute(f, "unit", v->unit);
    if (strcmp(v->unit, "rad") == 0) fputs(" displayUnit=\"deg\"", f);
    if (has_start) flx_fmu_put_number(f, "start", v->start);
    if (v->kind == FLX_FMU_STATE) fputs(" reinit=\"true\"", f); // events and corrections move it
    if (v->kind == FLX_FMU_DERIVATIVE) {
        flx_fprintf(f, " derivative=\"%d\"", number - 1); // of the one before
    }
    fputs("/>\n    </ScalarVariable>\n", f);
}

// Numbers of the variables of these kinds (bits).
static void put_unknowns(FILE *f, const flx_fmu_description *d, const char *element, unsigned kinds)
{
    int n = 0;
    for (int i = 0; i < d->nvariable; i++) {
        if (!(kinds & (1u << d->variables[i].kind))) continue;
        if (n++ == 0) flx_fprintf(f, "    <%s>\n", element);
        flx_fprintf(f, "      <Unknown index=\"%d\"", i + 1);
        if (strcmp(element, "Outputs") == 0 && flx_fmu_is_apart(d, i)) {
            fputs(" dependencies=\"", f);
            for (int k = 0, some = 0; k < d->nvariable; k++) {
                if (d->variables[k].kind != FLX_FMU_STATE) continue;
                flx_fprintf(f, "%s%d", some++ > 0 ? " " : "", k + 1);
            }
            fputs("\"", f);
        }
        fputs("/>\n", f);
    }
    if (n > 0) flx_fprintf(f, "    </%s>\n", element);
}

static void put_exchange(FILE *f, const flx_fmu_description *d)
{
    fputs("  <ModelExchange", f);
    flx_fmu_put_attribute(f, "modelIdentifier", d->identifier);
    flx_fmu_put_attribute(f, "completedIntegratorStepNotNeeded",
                          d->follows_steps ? "false" : "true");
    fputs(" canBeInstantiatedOnlyOncePerProcess=\"false\""
          " canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\""
          " canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"true\"/>\n",
          f);
}

static void put_cosimulation(FILE *f, const flx_fmu_description *d)
{
    fputs("  <CoSimulation", f);
    flx_fmu_put_attribute(f, "modelIdentifier", d->identifier);
    fputs(" canHandleVariableCommunicationStepSize=\"true\" canInterpolateInputs=\"true\"", f);
    flx_fmu_put_attribute(f, "maxOutputDerivativeOrder", d->gives_rates ? "1" : "0");
    fputs(" canRunAsynchronuously=\"false\""
          " canBeInstantiatedOnlyOncePerProcess=\"false\""
          " canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\""
          " canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"true\"/>\n",
          f);
}

static void put_all(FILE *f, const flx_fmu_description *d)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"2.0\"", f);
    flx_fmu_put_attribute(f, "modelName", *d->title ? d->title : d->identifier);
    flx_fmu_put_attribute(f, "guid", d->guid);
    flx_fprintf(f, " generationTool=\"Flexion %s\"", flx_version());
    flx_fprintf(f, " variableNamingConvention=\"flat\" numberOfEventIndicators=\"%d\">\n",
                d->nindicator);
    if (d->exchange) put_exchange(f, d);
    if (d->cosimulation) put_cosimulation(f, d);
    flx_fmu_put_head(f, d);
    fputs("  <ModelVariables>\n", f);
    for (int i = 0; i < d->nvariable; i++) {
        if (d->variables[i].kind != FLX_FMU_INDICATOR) put_variable(f, d->variables + i, i + 1);
    }
    fputs("  </ModelVariables>\n  <ModelStructure>\n", f);
    put_unknowns(f, d, "Outputs", 1u << FLX_FMU_OUTPUT);
    put_unknowns(f, d, "Derivatives", 1u << FLX_FMU_DERIVATIVE);
    put_unknowns(f, d, "InitialUnknowns",
                 1u << FLX_FMU_OUTPUT | 1u << FLX_FMU_STATE | 1u << FLX_FMU_DERIVATIVE);
    fputs("  </ModelStructure>\n</fmiModelDescription>\n", f);
}

flx_status flx_fmu_write_xml2(flx_ctx *ctx, const flx_fmu_description *d, char **text,
                              size_t *length)
{
    return flx_fmu_write_xml(ctx, d, put_all, text, length);
}
