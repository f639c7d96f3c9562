// draw_study.c - a study of methods as a drawing.
#include "compare/compare_methods.h"
#include "draw/drawings.h"

#include <math.h>

// One series a method for each panel; x and y of all rows are beside each other.
typedef struct picture {
    const flx_study *s;
    int npanel, nvalue;
    flx_chart_panel *panels;
    flx_chart_series *series;
    double *numbers;
} picture;

static flx_status make_picture(const flx_study *s, int npanel, picture *p)
{
    int nmethod = s->def.nmethod;
    *p = (picture){.s = s, .npanel = npanel, .nvalue = s->nrow / nmethod};
    p->panels = flx_arena_take(s->arena, (size_t)npanel, sizeof *p->panels);
    p->series = flx_arena_take(s->arena, (size_t)(npanel * nmethod), sizeof *p->series);
    p->numbers = flx_arena_take(s->arena, (size_t)(2 * npanel * s->nrow), sizeof *p->numbers);
    if (!p->panels || !p->series || !p->numbers) return FLX_ERR_MEMORY;
    for (int k = 0; k < npanel; k++) {
        p->panels[k] = (flx_chart_panel){
            .log_x = 1, .log_y = 1, .nseries = nmethod, .series = p->series + k * nmethod};
        for (int m = 0; m < nmethod; m++) {
            double *x = p->numbers + 2 * (k * s->nrow + m * p->nvalue);
            p->series[k * nmethod + m] = (flx_chart_series){.name = s->def.methods[m],
                                                            .n = p->nvalue,
                                                            .x = x,
                                                            .y = x + p->nvalue,
                                                            .slope = (double)NAN};
        }
    }
    return FLX_OK;
}

static void set_point(const picture *p, int panel, int row, double x, double y)
{
    const flx_study *s = p->s;
    double *at = p->numbers + 2 * (panel * s->nrow + s->rows[row].method * p->nvalue);
    at[row % p->nvalue] = x;
    at[p->nvalue + row % p->nvalue] = y;
}

static flx_status write_picture(const picture *p, const char *path, const char *title)
{
    const char *own = p->s->sim->info.title;
    const flx_chart_def def = {.path = path,
                               .title = title    ? title
                                        : own[0] ? own
                                                 : NULL,
                               .npanel = p->npanel,
                               .panels = p->panels};
    return flx_chart_write(p->s->ctx, &def);
}

// Whole orders are drawn as guides; an observed one that is none is drawn as it is, in tenths.
static double guide(double order)
{
    if (!(order > 0.3)) return (double)NAN;
    double whole = round(order);
    return whole >= 1.0 && fabs(order - whole) < 0.25 ? whole : 0.1 * round(10.0 * order);
}

flx_status flx_study_draw_convergence(const flx_study *s, const char *path, const char *title)
{
    picture p;
    FLX_TRY(make_picture(s, s->ngroup, &p));
    for (int k = 0; k < s->ngroup; k++) {
        p.panels[k].x = s->def.nstep > 0 ? "step (s)" : "relative tolerance";
        p.panels[k].y =
            flx_arena_printf(s->arena, "relative error at the end: %s", s->groups[k].name);
        if (!p.panels[k].y) return FLX_ERR_MEMORY;
        for (int m = 0; m < s->def.nmethod; m++)
            p.series[k * s->def.nmethod + m].slope = guide(flx_study_order(s, m, k, 0));
        for (int i = 0; i < s->nrow; i++)
            set_point(&p, k, i, s->rows[i].value, s->rows[i].at_end[k]);
    }
    return write_picture(&p, path, title);
}

static double digits(double error)
{
    return error > 0.0 ? -log10(error) : (double)NAN;
}

flx_status flx_study_draw_work(const flx_study *s, const char *path, const char *title)
{
    picture p;
    FLX_TRY(make_picture(s, 2, &p));
    for (int k = 0; k < 2; k++) {
        p.panels[k].x = "digits at the end";
        p.panels[k].y = k == 0 ? "evaluations" : "time (s)";
        p.panels[k].log_x = 0;
        for (int i = 0; i < s->nrow; i++) {
            const flx_study_row *r = &s->rows[i];
            set_point(&p, k, i, digits(r->at_end[0]),
                      k == 0 ? (double)r->work.residuals : r->seconds);
        }
    }
    return write_picture(&p, path, title);
}
