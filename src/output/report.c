// report.c - a result as a page to print: its tables (report_tables.c), drawings of its signals, the model.
#include "base/number.h"
#include "base/output.h"
#include "base/text.h"
#include "flexion/results.h"
#include "output/print.h"
#include "output/report_parts.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_DRAWINGS 24
#define WIDTH 860
#define HEIGHT 300
#define NAME_LENGTH 256

static const char style[] =
    "body{font:15px/1.45 system-ui,sans-serif;max-width:900px;margin:24px auto;padding:0 16px;"
    "color:#1b1f24;background:#fff}h1{font-size:1.5rem;margin-bottom:2px}h2{font-size:1.1rem;"
    "margin:26px 0 8px;border-bottom:1px solid #d5dae1}p.sub{color:#5b6470;margin-top:0}"
    "table{border-collapse:collapse;font-size:.92rem;margin-bottom:10px}"
    "td,th{padding:2px 18px 2px 0;vertical-align:top;text-align:left}th{color:#5b6470;font-weight:"
    "500}.numbers td:nth-child(n+3),.numbers th:nth-child(n+3){text-align:right}tr{break-inside:"
    "avoid}"
    "td+td{font-variant-numeric:tabular-nums}.bad{color:#9a2a00;font-weight:600}"
    "pre{font:12px/1.4 ui-monospace,monospace;white-space:pre-wrap;border:1px solid #d5dae1;"
    "padding:8px}svg{max-width:100%;height:auto}figure{margin:0 0 12px;break-inside:avoid}"
    "@page{margin:16mm}@media print{body{margin:0;max-width:none;padding:0}}";

// ---- drawings ----------------------------------------------------------------------------------

// The signal that a column is a part of: without ".x", ".y", ".z", ".w" at its end.
static void stem_of(const char *name, char stem[NAME_LENGTH])
{
    flx_snprintf(stem, NAME_LENGTH, "%s", name);
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
        flx_snprintf(last, sizeof last, "%s", stem);
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
    flx_report_html(t, r->title);
    flx_text_print(t, "</title>\n<style>%s</style>\n</head>\n<body>\n<h1>", style);
    flx_report_html(t, r->title[0] ? r->title : "Result");
    flx_text_print(t, "</h1>\n<p class=\"sub\">%d rows, %d signals</p>\n", r->rows, r->columns - 1);
    flx_report_verdict(t, r);
    flx_report_notes(t, r);
    flx_report_facts(t, r, "Run", "");
    FLX_TRY(flx_report_summary(t, r));
    flx_report_facts(t, r, "Ledger", "ledger/");
    flx_report_facts(t, r, "Measures", "measures/");
    flx_report_events(t, r);
    flx_report_signals(t, r);
    flx_status status = r->rows > 0 ? put_drawings(t, r, scratch) : FLX_OK;
    if (r->model) {
        flx_text_put(t, "<h2>Text of the model</h2>\n<pre>");
        flx_report_html(t, r->model);
        flx_text_put(t, "</pre>\n");
    }
    flx_text_put(t, "</body>\n</html>\n");
    return t->failed ? FLX_ERR_MEMORY : status;
}

// The page, or what a browser prints of it.
static flx_status put_in_place(flx_ctx *ctx, const flx_text *t, const char *html, bool pdf,
                               flx_output *place)
{
    FILE *f = fopen(html, "wb");
    bool good = f && fwrite(t->data, 1, t->length, f) == t->length;
    if (f && fclose(f) != 0) good = false;
    if (!good) return flx_output_fail(place, "");
    return pdf ? flx_print_pdf(ctx, html, place->part) : FLX_OK;
}

flx_status flx_report_write(flx_result *r, const char *path)
{
    flx_output *place;
    flx_text t;
    size_t n = strlen(path);
    bool pdf = n > 4 && strcmp(path + n - 4, ".pdf") == 0;
    flx_text_start(&t, r->ctx);
    FLX_TRY(flx_output_reserve(r->ctx, "the report", path, &place));
    char scratch[4096], html[4096];
    flx_snprintf(scratch, sizeof scratch, "%s.svg", place->part);
    flx_snprintf(html, sizeof html, "%s%s", place->part, pdf ? ".html" : "");
    flx_status status = put_report(&t, r, scratch);
    unlink(scratch);
    if (status == FLX_OK) status = put_in_place(r->ctx, &t, html, pdf, place);
    if (pdf) unlink(html);
    flx_text_clear(&t);
    return flx_output_close(&place, status);
}
