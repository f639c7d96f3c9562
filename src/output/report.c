// report.c - a result as a page to print: what was run, how well, and drawings of its signals.
#include "base/text.h"
#include "flexion/results.h"
#include "output/place.h"
#include "output/result.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_DRAWINGS 24
#define WIDTH 860
#define HEIGHT 300
#define MOST_EVENTS 200
#define NAME_LENGTH 256

static const char style[] =
    "body{font:15px/1.45 system-ui,sans-serif;max-width:900px;margin:24px auto;padding:0 16px;"
    "color:#1b1f24;background:#fff}h1{font-size:1.5rem;margin-bottom:2px}h2{font-size:1.1rem;"
    "margin:26px 0 8px;border-bottom:1px solid #d5dae1}p.sub{color:#5b6470;margin-top:0}"
    "table{border-collapse:collapse;font-size:.92rem}td{padding:2px 18px 2px 0;vertical-align:top}"
    "td+td{font-variant-numeric:tabular-nums}.bad{color:#9a2a00;font-weight:600}"
    "pre{font:12px/1.4 ui-monospace,monospace;white-space:pre-wrap;border:1px solid #d5dae1;"
    "padding:8px}svg{max-width:100%;height:auto}figure{margin:0 0 12px;break-inside:avoid}"
    "@page{margin:16mm}";

static void put_html(flx_text *t, const char *text)
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

// ---- what was run, and how well ----------------------------------------------------------------

static void put_fact(flx_text *t, const char *name, const char *text, double number)
{
    flx_text_put(t, "<tr><td>");
    for (const char *p = name; *p; p++) {
        const char c = *p == '_' ? ' ' : *p;
        put_html(t, (const char[2]){c, '\0'});
    }
    flx_text_put(t, "</td><td>");
    if (text) {
        put_html(t, text);
    } else if (isfinite(number)) {
        flx_text_print(t, "%.6g", number);
    } else {
        flx_text_put(t, "-");
    }
    flx_text_put(t, "</td></tr>\n");
}

// Facts whose name begins with the prefix; "": those of the run itself.
static void put_facts(flx_text *t, const flx_result *r, const char *title, const char *prefix)
{
    const char *name, *text;
    double number;
    bool any = false;
    for (int i = 0; (name = flx_result_fact(r, i, &text, &number)) != NULL; i++) {
        bool mine = prefix[0] ? strncmp(name, prefix, strlen(prefix)) == 0 : !strchr(name, '/');
        if (!mine || strcmp(name, "title") == 0) continue;
        if (!any) flx_text_print(t, "<h2>%s</h2>\n<table>\n", title);
        any = true;
        put_fact(t, name + strlen(prefix), text, number);
    }
    if (any) flx_text_put(t, "</table>\n");
}

static void put_verdict(flx_text *t, const flx_result *r)
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
    if (flx_result_complete(r)) return;
    int rows = flx_result_rows(r);
    flx_text_print(t, "<p class=\"bad\">The run did not reach its end: it came to t = %.6g.</p>\n",
                   rows > 0 ? flx_result_column(r, 0)[rows - 1] : 0.0);
}

static void put_events(flx_text *t, const flx_result *r)
{
    const char *name;
    double at;
    int i = 0;
    if (!flx_result_event(r, 0, &at)) return;
    flx_text_put(t, "<h2>Events</h2>\n<table>\n");
    for (; i < MOST_EVENTS && (name = flx_result_event(r, i, &at)) != NULL; i++) {
        flx_text_print(t, "<tr><td>%.9g s</td><td>", at);
        put_html(t, name);
        flx_text_put(t, "</td></tr>\n");
    }
    flx_text_put(t, "</table>\n");
    if (flx_result_event(r, i, &at))
        flx_text_print(t, "<p>and more; these are the first %d.</p>\n", i);
}

// ---- drawings ----------------------------------------------------------------------------------

// The signal that a column is a part of: without ".x", ".y", ".z", ".w" at its end.
static void stem_of(const char *name, char stem[NAME_LENGTH])
{
    snprintf(stem, NAME_LENGTH, "%s", name);
    size_t n = strlen(stem);
    if (n > 2 && stem[n - 2] == '.' && strchr("xyzw", stem[n - 1])) stem[n - 2] = '\0';
}

// The drawing's text from its <svg on.
static void put_file(flx_text *t, const char *path)
{
    char block[4096];
    FILE *f = fopen(path, "rb");
    flx_text whole;
    flx_text_start(&whole, t->ctx);
    for (size_t n; f && (n = fread(block, 1, sizeof block, f)) > 0;) {
        flx_text_put_bytes(&whole, block, n);
    }
    if (f) fclose(f);
    const char *svg = whole.data ? strstr(whole.data, "<svg") : NULL;
    if (svg) {
        flx_text_put(t, "<figure>");
        flx_text_put(t, svg);
        flx_text_put(t, "</figure>\n");
    }
    flx_text_clear(&whole);
}

static flx_status put_drawings(flx_text *t, flx_result *r, const char *scratch)
{
    char stem[NAME_LENGTH], last[NAME_LENGTH] = "";
    const char *signal = stem;
    const char *title = r->title;
    int drawn = 0, left = 0;
    flx_status status = FLX_OK;
    flx_plot_def def = {
        .path = scratch, .nsignal = 1, .signals = &signal, .width = WIDTH, .height = HEIGHT};
    flx_text_put(t, "<h2>Signals</h2>\n");
    r->title = ""; // the report has it
    for (int c = 1; c < r->columns && status != FLX_ERR_MEMORY; c++) {
        stem_of(r->names[c], stem);
        if (strcmp(stem, last) == 0) continue;
        snprintf(last, sizeof last, "%s", stem);
        if (drawn == MOST_DRAWINGS) {
            left++;
            continue;
        }
        status = flx_plot_write(r, &def);
        if (status == FLX_ERR_ARGUMENT) continue; // nothing finite in it
        if (status != FLX_OK) break;
        put_file(t, scratch);
        drawn++;
    }
    r->title = title;
    if (left > 0) flx_text_print(t, "<p>and %d more signals</p>\n", left);
    return status == FLX_ERR_ARGUMENT ? FLX_OK : status;
}

// ---- the page ----------------------------------------------------------------------------------

static flx_status put_report(flx_text *t, flx_result *r, const char *scratch)
{
    flx_text_put(t,
                 "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>");
    put_html(t, r->title);
    flx_text_print(t, "</title>\n<style>%s</style>\n</head>\n<body>\n<h1>", style);
    put_html(t, r->title[0] ? r->title : "Result");
    flx_text_print(t, "</h1>\n<p class=\"sub\">%d rows, %d signals</p>\n", r->rows, r->columns - 1);
    put_verdict(t, r);
    put_facts(t, r, "Run", "");
    put_facts(t, r, "Ledger", "ledger/");
    put_facts(t, r, "Measures", "measures/");
    put_events(t, r);
    flx_status status = r->rows > 0 ? put_drawings(t, r, scratch) : FLX_OK;
    if (r->model) {
        flx_text_put(t, "<h2>Model</h2>\n<pre>");
        put_html(t, r->model);
        flx_text_put(t, "</pre>\n");
    }
    flx_text_put(t, "</body>\n</html>\n");
    return t->failed ? FLX_ERR_MEMORY : status;
}

flx_status flx_report_write(flx_result *r, const char *path)
{
    flx_place place;
    flx_text t;
    flx_text_start(&t, r->ctx);
    FLX_TRY(flx_place_open(r->ctx, "the report", path, &place));
    char scratch[4096];
    snprintf(scratch, sizeof scratch, "%s.svg", place.part);
    flx_status status = put_report(&t, r, scratch);
    unlink(scratch);
    if (status == FLX_OK) {
        FILE *f = fopen(place.part, "wb");
        bool good = f && fwrite(t.data, 1, t.length, f) == t.length;
        if (f && fclose(f) != 0) good = false;
        if (!good || !flx_place_commit(&place)) {
            status = FLX_FAIL(r->ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot write the report '%s': %s",
                              path, strerror(errno));
        }
    }
    flx_text_clear(&t);
    flx_place_close(&place);
    return status;
}
