// report.c - a result as a page to print: pictures of the mechanism, its tables (report_tables.c), drawings of its
// signals, the model.
#include "base/letters.h"
#include "base/number.h"
#include "base/output_file.h"
#include "base/text.h"
#include "draw/drawings.h"
#include "draw/film.h"
#include "page/page_pack.h"
#include "page/pages.h"
#include "page/print.h"
#include "page/report_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_DRAWINGS 24
#define MOST_PARTS 4 // of one signal
#define WIDTH 460
#define HEIGHT 200
#define PICTURE_WIDTH 600
#define PICTURE_HEIGHT 420
#define NAME_LENGTH 256
#define ZERO                                                                                       \
    1e-12 // parts of a vector that are this small beside the others are zero but for rounding

static const char style[] =
    "body{font:14px/1.4 system-ui,'DejaVu Sans',sans-serif;max-width:900px;margin:24px auto;"
    "padding:0 16px;color:#1b1f24;background:#fff}h1{font-size:1.5rem;margin:0 0 2px}"
    "h2{font-size:1.1rem;margin:20px 0 6px;border-bottom:1px solid #d5dae1;break-after:avoid}"
    "p.sub{color:#5b6470;margin-top:0}"
    "table{border-collapse:collapse;font-size:.9rem;margin-bottom:8px}"
    "td,th{padding:1px 16px 1px 0;vertical-align:top;text-align:left}th{color:#5b6470;font-weight:"
    "500}.numbers td:nth-child(n+3),.numbers th:nth-child(n+3){text-align:right}tr{break-inside:"
    "avoid}"
    "td+td{font-variant-numeric:tabular-nums}.bad{color:#9a2a00;font-weight:600}"
    "pre{font:11px/1.35 ui-monospace,'DejaVu Sans Mono',monospace;white-space:pre-wrap;"
    "border:1px solid #d5dae1;padding:8px}img,svg{max-width:100%;height:auto;display:block}"
    "figure{margin:0;break-inside:avoid}.pictures,.plots{display:grid;gap:10px 14px}"
    ".pictures{grid-template-columns:repeat(3,1fr)}.pictures img{border:1px solid #d5dae1}"
    ".plots{grid-template-columns:repeat(2,1fr)}.ledger{columns:2;column-gap:28px}"
    ".ledger h2{column-span:all}.ledger table{width:100%}.ledger "
    "td:last-child{text-align:right;white-space:nowrap;padding-right:0}"
    "@page{size:A4;margin:16mm 15mm 18mm}"
    "@media print{body{margin:0;max-width:none;padding:0;font-size:12px}}";

// ---- drawings ----------------------------------------------------------------------------------

// The signal that a column is a part of: without ".x", ".y", ".z", ".w" at its end.
static void stem_of(const char *name, char stem[NAME_LENGTH])
{
    flx_snprintf(stem, NAME_LENGTH, "%s", name);
    size_t n = strlen(stem);
    if (n > 2 && stem[n - 2] == '.' && strchr("xyzw", stem[n - 1])) stem[n - 2] = '\0';
}

static void read_file(flx_text *t, const char *path)
{
    char block[4096];
    FILE *f = fopen(path, "rb");
    for (size_t n; f && (n = fread(block, 1, sizeof block, f)) > 0;)
        flx_text_put_bytes(t, block, n);
    if (f) fclose(f);
}

// The drawing's text from its <svg on.
static void put_svg(flx_text *t, const char *path)
{
    flx_text whole;
    flx_text_start(&whole, t->ctx);
    read_file(&whole, path);
    const char *svg = whole.data ? strstr(whole.data, "<svg") : NULL;
    if (svg) {
        flx_text_put(t, "<figure>");
        flx_text_put(t, svg);
        flx_text_put(t, "</figure>\n");
    }
    flx_text_clear(&whole);
}

// -1: nothing in it is finite.
static double largest_of(const flx_result *r, int column)
{
    double largest = -1;
    for (int i = 0; i < r->rows; i++) {
        double x = fabs(r->data[column][i]);
        if (isfinite(x) && x > largest) largest = x;
    }
    return largest;
}

static void put_zero(flx_text *zeros, const char *name)
{
    flx_text_print(zeros, "%s%s", zeros->length > 0 ? ", " : "", name);
}

// The columns of the signal that begins at `first`, and of them those to be drawn: what is zero beside the others says
// nothing, and is listed. Returns how many columns the signal has; *n 0: all of it is zero.
static int choose_columns(const flx_result *r, int first, const char *names[MOST_PARTS], int *n,
                          flx_text *zeros)
{
    char stem[NAME_LENGTH], other[NAME_LENGTH];
    double largest = -1;
    int count = 0;
    stem_of(r->names[first], stem);
    for (; first + count < r->columns; count++) {
        stem_of(r->names[first + count], other);
        if (strcmp(stem, other) != 0) break;
        largest = fmax(largest, largest_of(r, first + count));
    }
    *n = 0;
    for (int k = 0; k < count && *n < MOST_PARTS && largest > 0; k++) {
        double own = largest_of(r, first + k);
        if (own > ZERO * largest) {
            names[(*n)++] = r->names[first + k];
        } else if (own >= 0) {
            put_zero(zeros, r->names[first + k]);
        }
    }
    if (largest == 0) put_zero(zeros, stem);
    return count;
}

static void put_zeros(flx_text *t, const flx_text *zeros)
{
    if (zeros->length == 0) return;
    flx_text_put(t, "<p>Zero at all times: ");
    flx_report_html(t, zeros->data);
    flx_text_put(t, "</p>\n");
}

static flx_status put_drawings(flx_text *t, flx_result *r, const char *scratch)
{
    const char *names[MOST_PARTS], *title = r->title;
    int drawn = 0, left = 0, n;
    flx_status status = FLX_OK;
    flx_plot_def def = {.path = scratch, .signals = names, .width = WIDTH, .height = HEIGHT};
    flx_text zeros;
    flx_text_start(&zeros, t->ctx);
    flx_text_put(t, "<h2>Signals</h2>\n<div class=\"plots\">\n");
    r->title = ""; // the report has it
    for (int c = 1; c < r->columns && status == FLX_OK;) {
        c += choose_columns(r, c, names, &n, &zeros);
        if (drawn == MOST_DRAWINGS) {
            left += n > 0;
        } else if (n > 0) {
            def.nsignal = n;
            status = flx_plot_write(r, &def);
            if (status == FLX_OK) put_svg(t, scratch);
            drawn++;
        }
    }
    r->title = title;
    flx_text_put(t, "</div>\n");
    put_zeros(t, &zeros);
    flx_text_clear(&zeros);
    if (left > 0) flx_text_print(t, "<p>and %d more signals</p>\n", left);
    return status;
}

// The mechanism at the start, half way and at the end.
static flx_status put_pictures(flx_text *t, flx_result *r, const char *scratch)
{
    const int rows[3] = {0, r->rows / 2, r->rows - 1};
    int said = flx_ctx_error_count(r->ctx);
    if (r->old_scene) flx_ctx_warn(r->ctx, FLX_NOWHERE, "%s", FLX_RESULT_OLD_SCENE);
    if (!r->scene || !r->motion || r->rows == 0) return FLX_OK;
    flx_text_put(t, "<figure class=\"pictures\">\n");
    for (int i = 0; i < (r->rows > 2 ? 3 : r->rows); i++) {
        int row = r->rows > 2 ? rows[i] : i;
        flx_status status = flx_picture_write(r, row, PICTURE_WIDTH, PICTURE_HEIGHT, scratch);
        if (status == FLX_ERR_ARGUMENT) { // nothing to see, or damaged: the rest can be told
            flx_ctx_forget_errors(r->ctx, said);
            break;
        }
        if (status != FLX_OK) return status;
        flx_text png;
        flx_text_start(&png, t->ctx);
        read_file(&png, scratch);
        flx_text_print(t, "<img alt=\"the mechanism at t = %.4g s\" src=\"data:image/png;base64,",
                       r->data[0][row]);
        flx_pack_base64(t, png.length, (const unsigned char *)png.data);
        flx_text_put(t, "\">\n");
        flx_text_clear(&png);
    }
    flx_text_put(t, "</figure>\n");
    return FLX_OK;
}

// ---- the page ----------------------------------------------------------------------------------

// A text of CSS: all that is not plain is escaped.
static void put_css_string(flx_text *t, const char *text)
{
    flx_text_put(t, "\"");
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        bool plain = *p >= 0x80 || *p == ' ' || flx_is_digit((char)*p) || flx_is_letter((char)*p);
        if (plain) {
            flx_text_put_bytes(t, (const char *)p, 1);
        } else {
            flx_text_print(t, "\\%x ", *p);
        }
    }
    flx_text_put(t, "\"");
}

// Of every printed page: what it is of, and its number.
static void put_page_style(flx_text *t, const char *title)
{
    static const char soft[] = "font:9px system-ui,'DejaVu Sans',sans-serif;color:#5b6470";
    flx_text_put(t, "@page{@bottom-left{content:");
    put_css_string(t, title);
    flx_text_print(t, ";%s}@bottom-right{content:counter(page) \" / \" counter(pages);%s}}", soft,
                   soft);
}

static flx_status put_report(flx_text *t, flx_result *r, const char *scratch,
                             const char *scratch_png)
{
    flx_text_put(t,
                 "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>");
    flx_report_html(t, r->title);
    const char *title = r->title[0] ? r->title : "Result";
    flx_text_print(t, "</title>\n<style>%s", style);
    put_page_style(t, title);
    flx_text_put(t, "</style>\n</head>\n<body>\n<h1>");
    flx_report_html(t, title);
    flx_text_print(t, "</h1>\n<p class=\"sub\">%d rows, %d signals</p>\n", r->rows, r->columns - 1);
    flx_report_verdict(t, r);
    FLX_TRY(put_pictures(t, r, scratch_png));
    flx_report_notes(t, r);
    flx_report_facts(t, r, "Run", "");
    flx_report_summary(t, r);
    flx_text_put(t, "<section class=\"ledger\">\n");
    flx_report_facts(t, r, "Ledger", "ledger/");
    flx_text_put(t, "</section>\n");
    flx_report_facts(t, r, "Metrics", "measures/");
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
    char scratch[4096], picture[4096], html[4096];
    flx_snprintf(scratch, sizeof scratch, "%s.svg", place->part);
    flx_snprintf(picture, sizeof picture, "%s.png", place->part);
    flx_snprintf(html, sizeof html, "%s%s", place->part, pdf ? ".html" : "");
    flx_status status = put_report(&t, r, scratch, picture);
    unlink(scratch);
    unlink(picture);
    if (status == FLX_OK) status = put_in_place(r->ctx, &t, html, pdf, place);
    if (pdf) unlink(html);
    flx_text_clear(&t);
    return flx_output_close(&place, status);
}
