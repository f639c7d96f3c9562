// messages.c - messages for a person, with the line of the model file that they are about.
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_WIDTH 72      // of the source line shown
#define LINE_LONGEST 65536 // a longer line is not a line; nothing of it is shown beyond

static bool is_coloured(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && !getenv("NO_COLOR") && term && strcmp(term, "dumb") != 0;
}

// Line number `line` of a file without its end; false when there is none.
static bool read_line(const char *path, int line, char *out, size_t size)
{
    FILE *f = fopen(path, "r");
    if (!f) return false;
    int now = 1, c;
    size_t n = 0;
    while ((c = fgetc(f)) != EOF && now <= line) {
        if (now == line && c != '\n' && n + 1 < size) out[n++] = (char)c;
        if (c == '\n') now++;
    }
    out[n] = '\0';
    fclose(f);
    return now > line || (now == line && n > 0);
}

// Where character `column` (from 1) begins, in bytes; characters are UTF-8.
static size_t byte_of(const char *text, int column)
{
    size_t i = 0;
    for (int k = 1; k < column && text[i]; k++) {
        i++;
        while (((unsigned char)text[i] & 0xc0) == 0x80) i++;
    }
    return i;
}

// One character of the source: what a terminal might take as a command is shown as '?'.
static void put_source(const char *text, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        unsigned char c = (unsigned char)text[i];
        fputc(c == '\t' || (c >= 0x20 && c != 0x7f) ? c : '?', stderr);
    }
}

// The line and a mark under the column. Of a long line the part round the column is shown.
static void print_source(const flx_loc *loc, bool coloured)
{
    static char line[LINE_LONGEST];
    if (!loc->file || loc->line < 1 || !read_line(loc->file, loc->line, line, sizeof line)) return;
    size_t end = strcspn(line, "\r"), at = byte_of(line, loc->column), from = 0;
    if (at > end) at = end;
    if (at > LINE_WIDTH - 12) {
        from = at - LINE_WIDTH / 2;
        while (from > 0 && ((unsigned char)line[from] & 0xc0) == 0x80) from--;
    }
    if (end - from > LINE_WIDTH) {
        end = from + LINE_WIDTH;
        while (end > from && ((unsigned char)line[end] & 0xc0) == 0x80) end--;
    }
    fprintf(stderr, "%5d | ", loc->line);
    put_source(line, from, end);
    fputs("\n      | ", stderr);
    for (size_t i = from; i < at; i++) {
        // a mark stands under its character: tabs stay tabs, continuation bytes take no room
        if (((unsigned char)line[i] & 0xc0) != 0x80) fputc(line[i] == '\t' ? '\t' : ' ', stderr);
    }
    fputs(coloured ? "\033[1;32m^\033[0m\n" : "^\n", stderr);
}

static void print_message(const flx_message *m, const char *kind, const char *colour)
{
    bool coloured = is_coloured();
    if (m->loc.file && m->loc.line > 0) {
        fprintf(stderr, "%s:%d:%d: ", m->loc.file, m->loc.line, m->loc.column);
    } else {
        fputs(m->loc.file ? m->loc.file : m->path[0] ? m->path : "flexion", stderr);
        fputs(": ", stderr);
    }
    fprintf(stderr, coloured ? "%s%s:\033[0m %s\n" : "%s%s: %s\n", coloured ? colour : "", kind,
            m->text ? m->text : flx_status_text(m->status));
    print_source(&m->loc, coloured);
}

flx_status cli_open_result(flx_ctx *ctx, const char *path, flx_result **r)
{
    const char *name, *text;
    double number;
    flx_status status = flx_result_open(ctx, path, r);
    if (status != FLX_OK) return status;
    for (int i = 0; (name = flx_result_fact(*r, i, &text, &number)) != NULL; i++) {
        if (strcmp(name, "ledger/balanced") == 0 && number == 0.0) cli_doubt();
    }
    return FLX_OK;
}

void cli_print_errors(const flx_ctx *ctx)
{
    const flx_message *m;
    int shown = 0, total = flx_ctx_error_count(ctx);
    for (; (m = flx_ctx_error(ctx, shown)) != NULL; shown++) {
        print_message(m, "error", "\033[1;31m");
    }
    if (total > shown) fprintf(stderr, "flexion: %d more errors\n", total - shown);
}

void cli_print_warnings(const flx_ctx *ctx, int first)
{
    const flx_message *m;
    int shown = first, total = flx_ctx_warning_count(ctx);
    for (; (m = flx_ctx_warning(ctx, shown)) != NULL; shown++) {
        print_message(m, cli_is_strict() ? "error" : "note",
                      cli_is_strict() ? "\033[1;31m" : "\033[1;36m");
    }
    if (total > shown) fprintf(stderr, "flexion: %d more notes\n", total - shown);
}
