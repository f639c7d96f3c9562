// fmu_xml.c - what descriptions of FMI 2.0 and 3.0 have in common.
#include "fmi/fmu_describe.h"

#include "base/number.h"

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

static void put_units(FILE *f, const flx_fmu_description *d)
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

const char *flx_fmu_kind_text(int kind)
{
    static const char local[] =
        " causality=\"local\" variability=\"continuous\" initial=\"calculated\"";
    static const char *const texts[] = {
        [FLX_FMU_TIME] = " causality=\"independent\" variability=\"continuous\"",
        [FLX_FMU_INPUT] = " causality=\"input\" variability=\"continuous\"",
        [FLX_FMU_PARAMETER] = " causality=\"parameter\" variability=\"fixed\" initial=\"exact\"",
        [FLX_FMU_OUTPUT] =
            " causality=\"output\" variability=\"continuous\" initial=\"calculated\"",
        [FLX_FMU_STATE] = local,
        [FLX_FMU_DERIVATIVE] = local,
        [FLX_FMU_INDICATOR] = local,
    };
    return texts[kind];
}

void flx_fmu_put_head(FILE *f, const flx_fmu_description *d)
{
    put_units(f, d);
    fputs("  <LogCategories>\n    <Category name=\"logStatusError\"/>\n"
          "    <Category name=\"logStatusWarning\"/>\n    <Category name=\"logAll\"/>\n"
          "  </LogCategories>\n  <DefaultExperiment startTime=\"0\"",
          f);
    if (d->stop > 0.0) flx_fmu_put_number(f, "stopTime", d->stop);
    if (d->tolerance > 0.0) flx_fmu_put_number(f, "tolerance", d->tolerance);
    fputs("/>\n", f);
}

flx_status flx_fmu_write_xml(flx_ctx *ctx, const flx_fmu_description *d, flx_fmu_put *put,
                             char **text, size_t *length)
{
    *text = NULL;
    FILE *f = open_memstream(text, length);
    if (f) put(f, d);
    if (f && fclose(f) == 0) return FLX_OK;
    return FLX_FAIL(ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory in describing the FMU");
}
