// report_tables.c - the tables of a report: what the model is made of, what was run, and how well.
#include "draw/scene_places.h"
#include "page/report_parts.h"
#include "results/fact_labels.h"

#include <math.h>
#include <string.h>

#define MOST_ROWS 100
#define MOST_EVENTS 200

void flx_report_html(flx_text *t, const char *text)
{
    for (const char *p = text ? text : ""; *p; p++) {
        switch (*p) {
        case '<':
            flx_text_put(t, "&lt;");
            break;
        case '>':
            flx_text_put(t, "&gt;");
            break;
        case '&':
            flx_text_put(t, "&amp;");
            break;
        default:
            flx_text_put_bytes(t, p, 1);
        }
    }
}

// ---- verdict ------------------------------------------------------------------------------------

static bool begins(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

void flx_report_verdict(flx_text *t, const flx_result *r)
{
    const char *name, *text;
    double number;
    for (int i = 0; (name = flx_result_fact(r, i, &text, &number)) != NULL; i++) {
        if (strcmp(name, "ledger/balanced") == 0 && number == 0.0) {
            flx_text_put(t,
                         "<p class=\"bad\">The result fails its own ledger: see energy drift and "
                         "residuals.</p>\n");
        }
    }
    long lost = 0;
    for (int c = 1; c < r->columns; c++) {
        for (int i = 0; i < r->rows; i++) lost += !isfinite(r->data[c][i]);
    }
    if (lost > 0) {
        flx_text_print(t, "<p class=\"bad\">%ld values of the signals are not finite.</p>\n", lost);
    }
    if (flx_result_complete(r)) return;
    flx_text_print(t, "<p class=\"bad\">The run did not reach its end: it came to t = %.6g.</p>\n",
                   r->rows > 0 ? r->data[0][r->rows - 1] : 0.0);
}

void flx_report_notes(flx_text *t, const flx_result *r)
{
    const char *name, *text;
    double number;
    bool any = false;
    for (int i = 0; (name = flx_result_fact(r, i, &text, &number)) != NULL; i++) {
        if (!begins(name, "notes/") || !text) continue;
        flx_text_put(t, any ? "<li>" : "<h2>Notes of the run</h2>\n<ul>\n<li>");
        any = true;
        flx_report_html(t, text);
        flx_text_put(t, "</li>\n");
    }
    if (any) flx_text_put(t, "</ul>\n");
}

// ---- the model ----------------------------------------------------------------------------------

static void put_row(flx_text *t, const char *first, const char *second)
{
    flx_text_put(t, "<tr><td>");
    flx_report_html(t, first);
    flx_text_put(t, "</td><td>");
    flx_report_html(t, second);
    flx_text_put(t, "</td>");
}

static void put_more(flx_text *t, int n)
{
    flx_text_put(t, "</table>\n");
    if (n > MOST_ROWS) flx_text_print(t, "<p>and %d more</p>\n", n - MOST_ROWS);
}

static void put_bodies(flx_text *t, const flx_scene *s)
{
    if (s->nbody == 0) return;
    flx_text_put(t, "<table>\n<tr><th>body</th><th>kind</th><th>mass (kg)</th></tr>\n");
    for (int i = 0; i < s->nbody && i < MOST_ROWS; i++) {
        const flx_scene_body *b = s->bodies + i;
        put_row(t, b->name, b->elastic ? "elastic" : "rigid");
        flx_text_print(t, b->elastic ? "<td></td></tr>\n" : "<td>%.6g</td></tr>\n", b->mass);
    }
    put_more(t, s->nbody);
}

static void put_links(flx_text *t, const flx_scene *s, const char *what, int n,
                      const flx_scene_link *links)
{
    if (n == 0) return;
    flx_text_print(t, "<table>\n<tr><th>%s</th><th>type</th><th>between</th></tr>\n", what);
    for (int i = 0; i < n && i < MOST_ROWS; i++) {
        put_row(t, links[i].name, links[i].type);
        for (int k = 0; k < 2; k++) {
            int body = links[i].body[k];
            flx_text_put(t, k ? ", " : "<td>");
            flx_report_html(t, body < 0 ? "ground" : s->bodies[body].name);
        }
        flx_text_put(t, "</td></tr>\n");
    }
    put_more(t, n);
}

void flx_report_summary(flx_text *t, const flx_result *r)
{
    const flx_scene *s = r->scene;
    if (!s || !r->motion || r->rows == 0) return;
    flx_text_print(t,
                   "<h2>Model</h2>\n<p>%s; bodies: %d, joints: %d, forces with a place: %d; extent "
                   "%.4g m</p>\n",
                   s->dimension == 2 ? "In the plane" : "In space", s->nbody, s->njoint, s->nforce,
                   s->size);
    put_bodies(t, s);
    put_links(t, s, "joint", s->njoint, s->joints);
    put_links(t, s, "force", s->nforce, s->forces);
}

// ---- the run ------------------------------------------------------------------------------------

static void put_fact(flx_text *t, const char *name, const char *unit, const char *text,
                     double number)
{
    flx_text_put(t, "<tr><td>");
    flx_report_html(t, name);
    flx_text_put(t, "</td><td>");
    if (text) {
        flx_report_html(t, text);
    } else {
        flx_text_print(t, "%.6g %s", number, unit);
    }
    flx_text_put(t, "</td></tr>\n");
}

void flx_report_facts(flx_text *t, const flx_result *r, const char *title, const char *prefix)
{
    const char *name, *text;
    double number;
    bool any = false, measures = strcmp(prefix, "measures/") == 0;
    for (int i = 0; (name = flx_result_fact(r, i, &text, &number)) != NULL; i++) {
        bool mine = prefix[0] ? begins(name, prefix) : !strchr(name, '/');
        const flx_fact_label *label = flx_fact_label_find(name);
        if (!mine || (!measures && !label) || (!text && !isfinite(number) && !measures)) continue;
        if (!any) flx_text_print(t, "<h2>%s</h2>\n<table>\n", title);
        any = true;
        put_fact(t, label ? label->text : name + strlen(prefix), label ? label->unit : "", text,
                 number);
    }
    if (any) flx_text_put(t, "</table>\n");
}

void flx_report_signals(flx_text *t, const flx_result *r)
{
    if (r->rows == 0 || r->columns < 2) return;
    flx_text_put(t, "<h2>Signals in numbers</h2>\n<table class=\"numbers\">\n<tr><th>signal</th>"
                    "<th>unit</th><th>at the start</th><th>at the end</th><th>least</th>"
                    "<th>largest</th></tr>\n");
    for (int c = 1; c < r->columns && c <= MOST_ROWS; c++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int i = 0; i < r->rows; i++) { // NaN is neither
            if (r->data[c][i] < low) low = r->data[c][i];
            if (r->data[c][i] > high) high = r->data[c][i];
        }
        put_row(t, r->names[c], r->units[c]);
        const double four[4] = {r->data[c][0], r->data[c][r->rows - 1], low, high};
        for (int k = 0; k < 4; k++) {
            flx_text_print(t, isfinite(four[k]) ? "<td>%.6g</td>" : "<td>-</td>", four[k]);
        }
        flx_text_put(t, "</tr>\n");
    }
    put_more(t, r->columns - 1);
}

void flx_report_events(flx_text *t, const flx_result *r)
{
    const char *name;
    double at;
    int i = 0;
    if (!flx_result_event(r, 0, &at)) return;
    flx_text_put(t, "<h2>Events</h2>\n<table>\n");
    for (; i < MOST_EVENTS && (name = flx_result_event(r, i, &at)) != NULL; i++) {
        flx_text_print(t, "<tr><td>%.9g s</td><td>", at);
        flx_report_html(t, name);
        flx_text_put(t, "</td></tr>\n");
    }
    flx_text_put(t, "</table>\n");
    if (flx_result_event(r, i, &at))
        flx_text_print(t, "<p>and more; these are the first %d.</p>\n", i);
}
