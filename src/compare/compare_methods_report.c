// compare_methods_report.c - a study as a table in a file.
#include "base/number.h"
#include "base/output_file.h"
#include "base/refuse.h"
#include "compare/compare_methods.h"

#include <stdio.h>

static void put_row(FILE *f, const flx_study *s, const flx_study_row *r)
{
    const flx_statistics *w = &r->work;
    flx_fprintf(f, "\"%s\",%.9g", s->def.methods[r->method], r->value);
    for (int k = 0; k < s->ngroup; k++) flx_fprintf(f, ",%.6e,%.6e", r->at_end[k], r->largest[k]);
    flx_fprintf(f, ",%ld,%ld,%ld,%ld,%ld,%.6e,", w->steps, w->rejected, w->residuals,
                w->linearisations, w->factorisations, r->seconds);
    fputc('"', f);
    for (const char *p = r->reason; *p; p++) {
        if (*p == '"') fputc('"', f);
        fputc(*p == '\n' ? ' ' : *p, f);
    }
    fputs("\"\n", f);
}

flx_status flx_study_write(const flx_study *s, const char *path)
{
    if (!s) return flx_refuse_null(NULL, __func__);
    flx_output *o;
    FLX_TRY(flx_output_create(s->ctx, "the table", path, &o));
    FILE *f = flx_output_file(o);
    flx_fprintf(f, "method,%s", s->def.nstep > 0 ? "step" : "rtol");
    for (int k = 0; k < s->ngroup; k++)
        flx_fprintf(f, ",%s at end,%s largest", s->groups[k].name, s->groups[k].name);
    fputs(",steps,rejected,evaluations,linearisations,factorisations,seconds,failure\n", f);
    for (int i = 0; i < s->nrow; i++) put_row(f, s, &s->rows[i]);
    return flx_output_close(&o, FLX_OK);
}
