// fmu_xml3.c - modelDescription.xml of FMI 3.0: vectors are arrays.
#include "fmi/fmu_describe.h"

#include "base/number.h"

#include <string.h>

static void put_variable(FILE *f, const flx_fmu_variable *v)
{
    bool has_start = v->kind == FLX_FMU_INPUT || v->kind == FLX_FMU_PARAMETER;
    fputs("    <Float64", f);
    flx_fmu_put_attribute(f, "name", v->group > 1 ? v->vector : v->name);
    flx_fprintf(f, " valueReference=\"%u\"", v->reference);
    if (v->about) flx_fmu_put_attribute(f, "description", v->about);
    fputs(flx_fmu_kind_text(v->kind), f);
    if (*v->unit) flx_fmu_put_attribute(f, "unit", v->unit);
    if (strcmp(v->unit, "rad") == 0) fputs(" displayUnit=\"deg\"", f);
    if (has_start) flx_fmu_put_number(f, "start", v->start);
    if (v->kind == FLX_FMU_STATE) fputs(" reinit=\"true\"", f); // events and corrections move it
    if (v->kind == FLX_FMU_DERIVATIVE) {
        int state = flx_fmu_number(v->reference);
        flx_fprintf(f, " derivative=\"%u\"", flx_fmu_reference(FLX_FMU_STATE, state));
    }
    if (v->group > 1) {
        flx_fprintf(f, ">\n      <Dimension start=\"%d\"/>\n    </Float64>\n", v->group);
    } else {
        fputs("/>\n", f);
    }
}

static void put_unknowns(FILE *f, const flx_fmu_description *d, const char *element, int kind)
{
    for (int i = 0; i < d->nvariable; i += d->variables[i].group) {
        if (d->variables[i].kind != kind) continue;
        flx_fprintf(f, "    <%s valueReference=\"%u\"", element, d->variables[i].reference);
        if (strcmp(element, "Output") == 0 && flx_fmu_is_apart(d, i)) {
            fputs(" dependencies=\"", f);
            for (int k = 0, some = 0; k < d->nvariable; k++) {
                if (d->variables[k].kind != FLX_FMU_STATE) continue;
                flx_fprintf(f, "%s%u", some++ > 0 ? " " : "", d->variables[k].reference);
            }
            fputs("\"", f);
        }
        fputs("/>\n", f);
    }
}

static void put_all(FILE *f, const flx_fmu_description *d)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"3.0\"", f);
    flx_fmu_put_attribute(f, "modelName", *d->title ? d->title : d->identifier);
    flx_fmu_put_attribute(f, "instantiationToken", d->guid);
    flx_fprintf(f, " generationTool=\"Flexion %s\"", flx_version());
    fputs(" variableNamingConvention=\"flat\">\n", f);
    if (d->exchange) {
        fputs("  <ModelExchange", f);
        flx_fmu_put_attribute(f, "modelIdentifier", d->identifier);
        flx_fmu_put_attribute(f, "needsCompletedIntegratorStep",
                              d->follows_steps ? "true" : "false");
        fputs(" canBeInstantiatedOnlyOncePerProcess=\"false\" canGetAndSetFMUState=\"true\""
              " canSerializeFMUState=\"true\" providesDirectionalDerivatives=\"true\""
              " providesAdjointDerivatives=\"true\"/>\n",
              f);
    }
    if (d->cosimulation) {
        fputs("  <CoSimulation", f);
        flx_fmu_put_attribute(f, "modelIdentifier", d->identifier);
        fputs(" canHandleVariableCommunicationStepSize=\"true\"", f);
        flx_fmu_put_attribute(f, "maxOutputDerivativeOrder", d->gives_rates ? "1" : "0");
        fputs(" hasEventMode=\"true\" canReturnEarlyAfterIntermediateUpdate=\"false\""
              " canBeInstantiatedOnlyOncePerProcess=\"false\" canGetAndSetFMUState=\"true\""
              " canSerializeFMUState=\"true\" providesDirectionalDerivatives=\"true\""
              " providesAdjointDerivatives=\"true\"/>\n",
              f);
    }
    flx_fmu_put_head(f, d);
    fputs("  <ModelVariables>\n", f);
    for (int i = 0; i < d->nvariable; i += d->variables[i].group) put_variable(f, d->variables + i);
    fputs("  </ModelVariables>\n  <ModelStructure>\n", f);
    put_unknowns(f, d, "Output", FLX_FMU_OUTPUT);
    put_unknowns(f, d, "ContinuousStateDerivative", FLX_FMU_DERIVATIVE);
    put_unknowns(f, d, "InitialUnknown", FLX_FMU_OUTPUT);
    put_unknowns(f, d, "InitialUnknown", FLX_FMU_STATE);
    put_unknowns(f, d, "InitialUnknown", FLX_FMU_DERIVATIVE);
    put_unknowns(f, d, "EventIndicator", FLX_FMU_INDICATOR);
    fputs("  </ModelStructure>\n</fmiModelDescription>\n", f);
}

flx_status flx_fmu_write_xml3(flx_ctx *ctx, const flx_fmu_description *d, char **text,
                              size_t *length)
{
    return flx_fmu_write_xml(ctx, d, put_all, text, length);
}
