// fmu_xml2.c - modelDescription.xml of FMI 2.0.
#include "fmi/fmu_describe.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>

void flx_fmu_put_text(FILE *f, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", f);
            break;
        case '<':
            fputs("&lt;", f);
            break;
        case '>':
            fputs("&gt;", f);
            break;
        case '"':
            fputs("&quot;", f);
            break;
        case '\n':
            fputs("&#10;", f);
            break;
        case '\t':
            fputs("&#9;", f);
            break;
        default:
            fputc((unsigned char)*text < 32 ? ' ' : *text, f);
            break;
        }
    }
}

void flx_fmu_put_attribute(FILE *f, const char *name, const char *text)
{
    flx_fprintf(f, " %s=\"", name);
    flx_fmu_put_text(f, text);
    fputc('"', f);
}

void flx_fmu_put_number(FILE *f, const char *name, double x)
{
    char text[FLX_NUMBER_SIZE];
    flx_fprintf(f, " %s=\"%s\"", name, flx_number_text(x, text));
}

void flx_fmu_put_units(FILE *f, const flx_fmu_description *d)
{
    if (d->nunit == 0) return;
    fputs("  <UnitDefinitions>\n", f);
    for (int i = 0; i < d->nunit; i++) {
        const flx_fmu_unit *u = d->units + i;
        fputs("    <Unit", f);
        flx_fmu_put_attribute(f, "name", u->name);
        if (!u->known) {
            fputs("/>\n", f);
            continue;
        }
        fputs(">\n      <BaseUnit", f);
        for (int k = 0; k < FLX_UNIT_BASES; k++) {
            if (u->base.exponents[k] != 0)
                flx_fprintf(f, " %s=\"%d\"", flx_unit_bases[k], u->base.exponents[k]);
        }
        if (u->base.factor != 1.0) flx_fmu_put_number(f, "factor", u->base.factor);
        fputs("/>\n", f);
        if (strcmp(u->name, "rad") == 0) {
            fputs("      <DisplayUnit name=\"deg\"", f);
            flx_fmu_put_number(f, "factor", 180.0 / FLX_PI);
            fputs("/>\n", f);
        }
        fputs("    </Unit>\n", f);
    }
    fputs("  </UnitDefinitions>\n", f);
}

static void put_variable(FILE *f, const flx_fmu_variable *v, int number)
{
    static const char *const words[] = {
        [FLX_FMU_TIME] = " causality=\"independent\" variability=\"continuous\"",
        [FLX_FMU_INPUT] = " causality=\"input\" variability=\"continuous\"",
        [FLX_FMU_PARAMETER] = " causality=\"parameter\" variability=\"fixed\" initial=\"exact\"",
        [FLX_FMU_OUTPUT] =
            " causality=\"output\" variability=\"continuous\" initial=\"calculated\"",
        [FLX_FMU_STATE] = " causality=\"local\" variability=\"continuous\" initial=\"calculated\"",
        [FLX_FMU_DERIVATIVE] =
            " causality=\"local\" variability=\"continuous\" initial=\"calculated\"",
    };
    bool has_start = v->kind == FLX_FMU_INPUT || v->kind == FLX_FMU_PARAMETER;
    fputs("    <ScalarVariable", f);
    flx_fmu_put_attribute(f, "name", v->name);
    flx_fprintf(f, " valueReference=\"%u\"", v->reference);
    if (v->about) flx_fmu_put_attribute(f, "description", v->about);
    flx_fprintf(f, "%s>\n      <Real", words[v->kind]);
    if (*v->unit) flx_fmu_put_attribute(f, "unit", v->unit);
    if (strcmp(v->unit, "rad") == 0) fputs(" displayUnit=\"deg\"", f);
    if (has_start) flx_fmu_put_number(f, "start", v->start);
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
        flx_fprintf(f, "      <Unknown index=\"%d\"/>\n", i + 1);
    }
    if (n > 0) flx_fprintf(f, "    </%s>\n", element);
}

static void put_exchange(FILE *f, const flx_fmu_description *d)
{
    fputs("  <ModelExchange", f);
    flx_fmu_put_attribute(f, "modelIdentifier", d->identifier);
    fputs(" canBeInstantiatedOnlyOncePerProcess=\"false\""
          " canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\""
          " canSerializeFMUstate=\"true\"/>\n",
          f);
}

static void put_cosimulation(FILE *f, const flx_fmu_description *d)
{
    fputs("  <CoSimulation", f);
    flx_fmu_put_attribute(f, "modelIdentifier", d->identifier);
    fputs(" canHandleVariableCommunicationStepSize=\"true\" canInterpolateInputs=\"true\""
          " maxOutputDerivativeOrder=\"0\" canRunAsynchronuously=\"false\""
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
    flx_fmu_put_units(f, d);
    fputs("  <LogCategories>\n    <Category name=\"logStatusError\"/>\n"
          "    <Category name=\"logStatusWarning\"/>\n    <Category name=\"logAll\"/>\n"
          "  </LogCategories>\n  <DefaultExperiment startTime=\"0\"",
          f);
    if (d->stop > 0.0) flx_fmu_put_number(f, "stopTime", d->stop);
    if (d->tolerance > 0.0) flx_fmu_put_number(f, "tolerance", d->tolerance);
    fputs("/>\n  <ModelVariables>\n", f);
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
    *text = NULL;
    FILE *f = open_memstream(text, length);
    if (f) put_all(f, d);
    if (f && fclose(f) == 0) return FLX_OK;
    return FLX_FAIL(ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory in describing the FMU");
}
