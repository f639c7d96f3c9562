// work_findings.c - what an analysis found, for the page (work.h): its lines and tables, the modes with all that is known of
// them, an equilibrium, a path, load factors.
#include "base/number.h"
#include "studio/work.h"

#include <math.h>
#include <string.h>

#define MOST_ROWS 2000 // of a table

static void put_table(flx_text *t, const flx_finding_table *x)
{
    int rows = x->nrow < MOST_ROWS ? x->nrow : MOST_ROWS;
    flx_text_put(t, "{\"name\": ");
    flx_text_put_string(t, x->name);
    flx_text_put(t, ", \"columns\": [");
    for (int c = 0; c < x->ncolumn && x->columns; c++) {
        flx_text_put(t, c > 0 ? ", [" : "[");
        flx_text_put_string(t, x->columns[c]);
        flx_text_put(t, ", ");
        flx_text_put_string(t, x->units ? x->units[c] : "");
        flx_text_put(t, "]");
    }
    flx_text_print(t, "], \"of\": %d, \"rows\": [", x->nrow);
    for (int i = 0; i < rows; i++) {
        if (i > 0) flx_text_put(t, ", ");
        flx_text_put_numbers(t, x->ncolumn, x->values + (size_t)i * (size_t)x->ncolumn);
    }
    flx_text_put(t, "]}");
}

// Unknowns that move most: "hinge angle, rod x 0.26".
static void put_parts(flx_text *t, const flx_mode *m)
{
    char text[400] = "";
    size_t n = 0;
    for (int i = 0; i < m->npart && n < sizeof text; i++) {
        const flx_mode_part *p = m->parts + i;
        char size[16] = "";
        if (p->size < 0.995) flx_snprintf(size, sizeof size, " %.2g", p->size);
        int more = flx_snprintf(text + n, sizeof text - n, "%s%s %s%s", i > 0 ? ", " : "",
                                p->item ? p->item : "?", p->part ? p->part : "", size);
        n += more > 0 ? (size_t)more : 0;
    }
    flx_text_put_string(t, text);
}

static void put_number_of(flx_text *t, const char *key, double x)
{
    flx_text_print(t, ", \"%s\": ", key);
    flx_text_put_number(t, x);
}

// What is to be said of all of them, as `flexion modes` says it.
static void put_notes(flx_text *t, const flx_finding *f)
{
    static const char *const counts[] = {"none", "all", "below"};
    const flx_modes *m = &f->modes;
    const double *w = f->turning;
    int listed = 0, unproven = 0;
    for (int i = 0; i < m->nmode; i++) {
        const flx_mode *x = m->modes + i;
        listed += x->im > 0.0 ? 2 : 1;
        unproven += hypot(x->re, x->im) <= m->within || !(x->residual <= FLX_MODE_PROVEN);
    }
    flx_text_print(t,
                   ", \"notes\": {\"steady\": %s, \"balanced\": %s, \"neutral\": %d, "
                   "\"hidden\": %d, \"unproven\": %d, \"listed\": %d, \"total\": %d, \"counted\": "
                   "\"%s\"",
                   f->steady ? "true" : "false", f->balanced ? "true" : "false", m->nneutral,
                   m->nhidden, unproven, listed, m->total, counts[m->counted]);
    put_number_of(t, "turning", sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
    put_number_of(t, "within", m->within);
    put_number_of(t, "below", m->hidden);
    put_number_of(t, "bound", m->bound);
    flx_text_put(t, "}");
}

static void put_modes(flx_text *t, const flx_modes *m)
{
    flx_text_put(t, ", \"modes\": [");
    for (int i = 0; i < m->nmode; i++) {
        const flx_mode *x = m->modes + i;
        const double numbers[] = {x->frequency, x->damping, x->re, x->im};
        if (i > 0) flx_text_put(t, ", ");
        flx_text_put_numbers(t, 4, numbers);
    }
    flx_text_put(t, "], \"moves\": [");
    for (int i = 0; i < m->nmode; i++) {
        if (i > 0) flx_text_put(t, ", ");
        put_parts(t, m->modes + i);
    }
    flx_text_put(t, "]");
}

static void put_rest(flx_text *t, const flx_equilibrium_report *r)
{
    flx_text_print(t, ", \"rest\": {\"steps\": %d", r->iterations);
    put_number_of(t, "residual", r->residual);
    put_number_of(t, "moved", r->moved);
    flx_text_put(t, "}");
}

static void put_path(flx_text *t, const flx_path_report *p)
{
    flx_text_print(t, ", \"path\": {\"steps\": %d", p->steps);
    put_number_of(t, "factor", p->factor);
    flx_text_put(t, ", \"critical\": [");
    for (int i = 0; i < p->ncritical; i++) {
        flx_text_put(t, i > 0 ? ", {" : "{");
        flx_text_print(t, "\"limit\": %s", p->critical[i].limit ? "true" : "false");
        put_number_of(t, "factor", p->critical[i].factor);
        flx_text_put(t, ", \"moves\": ");
        put_parts(t, &p->critical[i].mode);
        flx_text_put(t, "}");
    }
    flx_text_put(t, "]}");
}

static void put_buckling(flx_text *t, const flx_buckling *b)
{
    flx_text_print(t, ", \"buckling\": {\"elsewhere\": %d, \"factors\": ", b->elsewhere);
    flx_text_put_numbers(t, b->n, b->factors);
    flx_text_put(t, ", \"moves\": [");
    for (int i = 0; i < b->n; i++) {
        if (i > 0) flx_text_put(t, ", ");
        put_parts(t, b->modes + i);
    }
    flx_text_put(t, "]}");
}

void flx_work_put_finding(flx_text *t, const flx_simulation *sim, const char *type,
                          const flx_finding *f)
{
    const flx_result_info *info = flx_simulation_info(sim);
    flx_text_put(t, ", \"lines\": [");
    for (int i = 0; i < f->nline; i++) {
        if (i > 0) flx_text_put(t, ", ");
        flx_text_put_string(t, f->lines[i]);
    }
    flx_text_put(t, "], \"tables\": [");
    for (int i = 0; i < f->ntable; i++) {
        if (i > 0) flx_text_put(t, ", ");
        put_table(t, f->tables + i);
    }
    flx_text_put(t, "], \"signals\": [");
    for (int i = 0; f->signals && i < info->ncolumn; i++) {
        flx_text_put(t, i > 0 ? ", [" : "[");
        flx_text_put_string(t, info->names[i]);
        flx_text_put(t, ", ");
        flx_text_put_number(t, f->signals[i]);
        flx_text_put(t, "]");
    }
    flx_text_put(t, "]");
    put_modes(t, &f->modes);
    if (strcmp(type, "modes") == 0) put_notes(t, f);
    if (strcmp(type, "equilibrium") == 0) put_rest(t, &f->rest);
    if (strcmp(type, "static") == 0) put_path(t, &f->path);
    if (strcmp(type, "buckling") == 0) put_buckling(t, &f->buckling);
}
