// plot.c - signals as a drawing, made by gnuplot: one panel a unit, against time or a signal.
//
// The script goes to gnuplot's standard input and the drawing comes from its standard output, so
// that no file name ever is gnuplot text; names and titles are quoted. Lines use the colours of
// Okabe and Ito, which colour-blind readers tell apart, then the same colours dashed.
#include "output/place.h"
#include "output/result.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define MAX_LINES 200 // more cannot be told apart anyhow
#define DEFAULT_WIDTH 900
#define PANEL_HEIGHT 300
#define FRAME_HEIGHT 120  // title and x axis
#define SINGLE_HEIGHT 520 // one panel

static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#404040"};
#define N_COLOURS ((int)(sizeof colours / sizeof colours[0]))
static const char *const dashes[] = {"1", "(9,4)", "(3,3)", "(9,3,2,3)"};
#define N_DASHES ((int)(sizeof dashes / sizeof dashes[0]))

typedef struct range {
    double low, high;
} range;

typedef struct drawing {
    flx_result *r;
    FILE *script;
    int width, height;
    int x; // column
    int nline, npanel;
    int lines[MAX_LINES]; // columns
    int panel[MAX_LINES]; // of each line
} drawing;

// ---- text ------------------------------------------------------------------------------------

// Bytes of the UTF-8 character here; 0 when it is none.
static int utf8_length(const unsigned char *p)
{
    int n = p[0] < 0x80                   ? 1
            : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
            : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
            : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
                                          : 0;
    for (int i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
    }
    return n;
}

// Text inside a single-quoted gnuplot string, in which only the quote means something. Control
// characters become spaces, broken UTF-8 question marks, powers superscripts.
static void put_text(FILE *f, const char *text)
{
    static const char *const powers[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        int n = utf8_length(p);
        if (p[0] == '^' && p[1] >= '0' && p[1] <= '9') {
            fputs(powers[p[1] - '0'], f);
            n = 2;
        } else if (n == 0 || *p < 0x20 || *p == 0x7f) {
            fputc(n == 0 ? '?' : ' ', f);
            n = 1;
        } else {
            if (*p == '\'') fputc('\'', f);
            fwrite(p, 1, (size_t)n, f);
        }
        p += n;
    }
}

static void put_quoted(FILE *f, const char *text)
{
    fputc('\'', f);
    put_text(f, text);
    fputc('\'', f);
}

// 'name (unit)'
static void put_label(FILE *f, const char *name, const char *unit)
{
    fputc('\'', f);
    put_text(f, name);
    if (unit[0] != '\0') {
        fputs(name[0] != '\0' ? " (" : "", f);
        put_text(f, unit);
        fputs(name[0] != '\0' ? ")" : "", f);
    }
    fputc('\'', f);
}

// ---- ranges ----------------------------------------------------------------------------------

static range data_range(const flx_result *r, int column)
{
    range a = {HUGE_VAL, -HUGE_VAL};
    const double *y = r->data[column];
    for (int i = 0; i < r->rows; i++) {
        if (!isfinite(y[i])) continue;
        if (y[i] < a.low) a.low = y[i];
        if (y[i] > a.high) a.high = y[i];
    }
    return a;
}

static double size_of(range a)
{
    return fmax(fabs(a.low), fabs(a.high));
}

// Room above and below. A course that is constant up to rounding is drawn as a constant.
static range padded(range a)
{
    double width = a.high - a.low, size = size_of(a);
    if (!(width > 1e3 * DBL_EPSILON * size)) {
        double room = size > 0.0 ? 0.1 * size : 1.0;
        return (range){a.low - room, a.high + room};
    }
    return (range){a.low - 0.05 * width, a.high + 0.05 * width};
}

static range panel_range(const drawing *d, int panel)
{
    range a = {HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < d->nline; i++) {
        if (d->panel[i] != panel) continue;
        range b = data_range(d->r, d->lines[i]);
        a.low = fmin(a.low, b.low);
        a.high = fmax(a.high, b.high);
    }
    return padded(a);
}

static range x_range(const drawing *d)
{
    range a = data_range(d->r, d->x);
    if (d->x != 0 || !(a.high > a.low)) a = padded(a);
    return a;
}

// What is subtracted from a panel's values: a course that is narrow against its size is drawn as
// its distance from a round number, so that its tics stay readable.
static double panel_offset(const drawing *d, int panel)
{
    range a = panel_range(d, panel);
    double width = a.high - a.low, middle = 0.5 * (a.low + a.high);
    if (!(width < 1e-3 * size_of(a))) return 0.0;
    double unit = pow(10.0, ceil(log10(width)));
    return unit * round(middle / unit);
}

// ---- data ------------------------------------------------------------------------------------

static void put_point(FILE *f, double x, double y)
{
    if (isfinite(x) && isfinite(y)) {
        fprintf(f, "%.12g %.12g\n", x, y);
    } else {
        fputs("NaN NaN\n", f); // a gap in the line
    }
}

// Over time, the rows that fall into one column of pixels are drawn by four: first, lowest,
// highest, last. The picture is the same and the file stays small.
static void put_bucket(FILE *f, const double *x, const double *y, double offset, int from, int to)
{
    int keep[4] = {from, from, from, to - 1};
    for (int i = from; i < to; i++) {
        if (!isfinite(y[i])) {
            for (int k = from; k < to; k++) put_point(f, x[k], y[k] - offset);
            return;
        }
        if (y[i] < y[keep[1]]) keep[1] = i;
        if (y[i] > y[keep[2]]) keep[2] = i;
    }
    if (keep[1] > keep[2]) {
        int swap = keep[1];
        keep[1] = keep[2];
        keep[2] = swap;
    }
    for (int k = 0; k < 4; k++) {
        if (k == 0 || keep[k] != keep[k - 1]) put_point(f, x[keep[k]], y[keep[k]] - offset);
    }
}

static void put_course(const drawing *d, const double *x, const double *y, double offset)
{
    int rows = d->r->rows;
    double first = x[0], width = (x[rows - 1] - x[0]) / (2.0 * d->width);
    for (int from = 0, to; from < rows; from = to) {
        double end = first + width * (floor((x[from] - first) / width) + 1.0);
        for (to = from + 1; to < rows && x[to] < end; to++) {
        }
        put_bucket(d->script, x, y, offset, from, to);
    }
}

// Against another signal, points that lie within a fifth of a pixel of the last one are left out.
static void put_path(const drawing *d, const double *x, const double *y, double offset, range ax,
                     range ay)
{
    double px = 0.2 * (ax.high - ax.low) / d->width, py = 0.2 * (ay.high - ay.low) / d->height;
    int last = 0;
    for (int i = 0; i < d->r->rows; i++) {
        bool near = i > 0 && fabs(x[i] - x[last]) < px && fabs(y[i] - y[last]) < py;
        if (near && i < d->r->rows - 1) continue; // a comparison with NaN is false: gaps are kept
        put_point(d->script, x[i], y[i] - offset);
        last = i;
    }
}

static void put_data(const drawing *d, int i)
{
    const double *x = d->r->data[d->x], *y = d->r->data[d->lines[i]];
    int rows = d->r->rows;
    double offset = panel_offset(d, d->panel[i]);
    fprintf(d->script, "$line%d << END\n", i);
    if (d->x == 0 && rows > 8 * d->width && x[rows - 1] > x[0]) {
        put_course(d, x, y, offset);
    } else {
        put_path(d, x, y, offset, x_range(d), panel_range(d, d->panel[i]));
    }
    fputs("END\n", d->script);
}

// ---- script ----------------------------------------------------------------------------------

static bool has_ending(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

static flx_status put_terminal(const drawing *d, const char *path)
{
    FILE *f = d->script;
    if (has_ending(path, ".svg")) {
        fprintf(f,
                "set terminal svg size %d,%d noenhanced font 'Helvetica,14' background '#ffffff'\n",
                d->width, d->height);
    } else if (has_ending(path, ".png")) {
        // twice the pixels: sharp also on dense screens and in print
        fprintf(f,
                "set terminal pngcairo size %d,%d noenhanced font 'Sans,11' fontscale 2 "
                "linewidth 2 background '#ffffff'\n",
                2 * d->width, 2 * d->height);
    } else if (has_ending(path, ".pdf")) {
        fprintf(f,
                "set terminal pdfcairo size %.2fin,%.2fin noenhanced font 'Sans,11' "
                "background '#ffffff'\n",
                d->width / 96.0, d->height / 96.0);
    } else {
        return FLX_FAIL(d->r->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "cannot draw to '%s': the name must end in .svg, .png or .pdf", path);
    }
    return FLX_OK;
}

static void put_style(FILE *f)
{
    fputs("set encoding utf8\n"
          "set border 3 linewidth 0.8 linecolor rgb '#404040'\n"
          "set tics nomirror out scale 0.6 textcolor rgb '#202020'\n"
          "set grid linetype 1 linewidth 0.6 linecolor rgb '#e0e0e0'\n"
          "set grid back\n"
          "set format y '%g'\n",
          f);
}

static int lines_in(const drawing *d, int panel)
{
    int n = 0;
    for (int i = 0; i < d->nline; i++) n += d->panel[i] == panel;
    return n;
}

// What the names of a panel's lines have in common, up to a dot or an index: "crank.position".
static size_t common_stem(const drawing *d, int panel, const char **name)
{
    size_t stem = 0;
    *name = NULL;
    for (int i = 0; i < d->nline; i++) {
        if (d->panel[i] != panel) continue;
        const char *other = d->r->names[d->lines[i]];
        if (!*name) {
            *name = other;
            stem = strlen(other);
            continue;
        }
        size_t k = 0;
        while (k < stem && (*name)[k] == other[k]) k++;
        stem = k;
    }
    if (lines_in(d, panel) == 1) return stem;
    while (stem > 0 && (*name)[stem] != '.' && (*name)[stem] != '(') stem--;
    return stem;
}

// What the names of a panel's lines end with, from a dot on: ".position.y"; may be empty.
static const char *common_tail(const drawing *d, int panel, const char *name)
{
    size_t length = strlen(name), tail = length;
    for (int i = 0; i < d->nline; i++) {
        if (d->panel[i] != panel) continue;
        const char *other = d->r->names[d->lines[i]];
        size_t m = strlen(other), k = 0;
        while (k < tail && k < m && name[length - 1 - k] == other[m - 1 - k]) k++;
        tail = k;
    }
    const char *dot = strchr(name + (length - tail), '.');
    return dot ? dot : "";
}

// Of "crank.position.x" and ".y" the label is "crank.position"; of "bob(1).angle" and "bob(2).angle"
// it is "bob.angle"; of "left.angle" and "right.angle", "angle".
static int write_common_name(const drawing *d, int panel, char *text, size_t size)
{
    const char *name, *tail = "";
    size_t stem = common_stem(d, panel, &name);
    if (lines_in(d, panel) > 1 && (stem == 0 || name[stem] == '(')) {
        tail = common_tail(d, panel, name);
        if (stem == 0 && tail[0] == '.') tail++;
    }
    if (stem + strlen(tail) >= size) stem = 0, tail = "";
    return snprintf(text, size, "%.*s%s", (int)stem, name, tail);
}

static void put_y_label(const drawing *d, int panel)
{
    const char *unit = "";
    double offset = panel_offset(d, panel);
    char common[100], text[160];
    write_common_name(d, panel, common, sizeof common);
    int n = snprintf(text, sizeof text, "%s", common);
    if (offset != 0.0) {
        snprintf(text + n, sizeof text - (size_t)n, "%s %s %.15g", n ? "" : "value",
                 offset < 0.0 ? "+" : "−", fabs(offset));
    }
    for (int i = 0; i < d->nline; i++) {
        if (d->panel[i] == panel) unit = d->r->units[d->lines[i]];
    }
    fputs("set ylabel ", d->script);
    put_label(d->script, text, unit);
    fputs("\n", d->script);
}

// Characters of a panel's longest tic, at about the distances that gnuplot chooses.
static int tic_length(const drawing *d, int panel)
{
    range a = panel_range(d, panel);
    double offset = panel_offset(d, panel), step = pow(10.0, floor(log10((a.high - a.low) / 5.0)));
    int longest = 0;
    if (!(step > 0.0) || !isfinite(step)) return 0;
    double count = (a.high - a.low) / step;
    step *= count > 20.0 ? 5.0 : count > 10.0 ? 2.0 : 1.0;
    for (double k = ceil((a.low - offset) / step); k * step <= a.high - offset; k++) {
        int n = snprintf(NULL, 0, "%.3g", k * step);
        if (n > longest) longest = n;
    }
    return longest;
}

// Room for tics and label at the left, in pixels.
static double left_margin(const drawing *d)
{
    int longest = 0;
    for (int p = 0; p < d->npanel; p++) {
        int n = tic_length(d, p);
        if (n > longest) longest = n;
    }
    return fmax(96.0, 64.0 + 8.0 * longest);
}

// Width in pixels that the longest name of the legend takes, 0 without a legend.
static double legend_width(const drawing *d)
{
    size_t longest = 0;
    bool wanted = false;
    for (int i = 0; i < d->nline; i++) {
        size_t n = strlen(d->r->names[d->lines[i]]);
        if (lines_in(d, d->panel[i]) < 2) continue;
        wanted = true;
        if (n > longest) longest = n;
    }
    return wanted ? fmin(60.0 + 8.0 * (double)longest, 0.45 * d->width) : 0.0;
}

static void put_curves(const drawing *d, int panel)
{
    int k = 0;
    bool legend = lines_in(d, panel) > 1;
    fputs("plot ", d->script);
    for (int i = 0; i < d->nline; i++) {
        if (d->panel[i] != panel) continue;
        fprintf(d->script,
                "%s$line%d using 1:2 with %s linewidth 1.6 dashtype %s linecolor rgb '%s' ",
                k ? ", " : "", i, d->r->rows > 1 ? "lines" : "points pointtype 7",
                dashes[k / N_COLOURS % N_DASHES], colours[k % N_COLOURS]);
        if (legend) {
            fputs("title ", d->script);
            put_quoted(d->script, d->r->names[d->lines[i]]);
        } else {
            fputs("notitle", d->script);
        }
        k++;
    }
    fputs("\n", d->script);
}

// A path in a plane, where both axes are lengths, is not distorted.
static bool wants_equal_axes(const drawing *d, range ax, range ay)
{
    double ratio = (ax.high - ax.low) / (ay.high - ay.low);
    return d->x != 0 && d->npanel == 1 && strcmp(d->r->units[d->x], "m") == 0 &&
           strcmp(d->r->units[d->lines[0]], "m") == 0 && ratio > 0.25 && ratio < 4.0;
}

static void put_panel(const drawing *d, int panel, double left, double right)
{
    FILE *f = d->script;
    bool title = d->r->title[0] != '\0', last = panel == d->npanel - 1;
    double top = 1.0 - (title ? 52.0 : 24.0) / d->height, bottom = 70.0 / d->height;
    double share = (top - bottom) / d->npanel, gap = d->npanel > 1 ? 22.0 / d->height : 0.0;
    double high = top - panel * share;
    fprintf(f, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n", high,
            high - share + (last ? 0.0 : gap));
    fprintf(f, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n", left, right);
    fprintf(f,
            "set key at screen %.5f, screen %.5f left top vertical Left reverse samplen 2 "
            "spacing 1.15 noenhanced textcolor rgb '#202020'\n",
            right + 10.0 / d->width, high);

    range ax = x_range(d), ay = panel_range(d, panel);
    if (panel == 0 && title) {
        fputs("set title ", f);
        put_quoted(f, d->r->title);
        fputs(" offset 0,-0.3 font ',15' textcolor rgb '#202020'\n", f);
    } else {
        fputs("unset title\n", f);
    }
    double offset = panel_offset(d, panel);
    fprintf(f, "set xrange [%.17g:%.17g]\n", ax.low, ax.high);
    fprintf(f, "set yrange [%.17g:%.17g]\n", ay.low - offset, ay.high - offset);
    if (last) {
        fputs("set format x '%g'\nset xlabel ", f);
        put_label(f, d->r->names[d->x], d->r->units[d->x]);
        fputs("\n", f);
    } else {
        fputs("unset xlabel\nset format x ''\n", f);
    }
    put_y_label(d, panel);
    if (wants_equal_axes(d, ax, ay)) fputs("set size ratio -1\n", f);
    put_curves(d, panel);
}

static void put_script(const drawing *d)
{
    put_style(d->script);
    for (int i = 0; i < d->nline; i++) put_data(d, i);
    double left = left_margin(d) / d->width;
    double right = 1.0 - (24.0 + legend_width(d)) / d->width;
    if (d->npanel > 1) fputs("set multiplot\n", d->script);
    for (int p = 0; p < d->npanel; p++) put_panel(d, p, left, right);
    if (d->npanel > 1) fputs("unset multiplot\n", d->script);
}

// ---- gnuplot ---------------------------------------------------------------------------------

static flx_status no_gnuplot(flx_ctx *ctx)
{
    return FLX_FAIL(ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE,
                    "drawing needs the program gnuplot, which was not found; install it (Debian: "
                    "apt-get install gnuplot-nox) or draw the table of --csv with another program");
}

static flx_status explain_failure(flx_ctx *ctx, FILE *said)
{
    char text[300];
    rewind(said);
    size_t n = fread(text, 1, sizeof text - 1, said);
    text[n] = '\0';
    for (char *p = text; *p; p++) {
        if (*p == '\n') *p = ' ';
    }
    return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE, "gnuplot failed: %s",
                    n > 0 ? text : "no reason given");
}

static flx_status run_gnuplot(flx_ctx *ctx, FILE *script, const char *out, FILE *said)
{
    char *const argv[] = {"gnuplot", "-d", NULL}; // -d: nobody's settings but ours
    posix_spawn_file_actions_t files;
    pid_t pid;
    int status = 0;
    if (posix_spawn_file_actions_init(&files) != 0) return FLX_ERR_MEMORY;
    int e = posix_spawn_file_actions_adddup2(&files, fileno(script), STDIN_FILENO);
    if (e == 0) e = posix_spawn_file_actions_adddup2(&files, fileno(said), STDERR_FILENO);
    if (e == 0)
        e = posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out, O_WRONLY | O_TRUNC, 0666);
    if (e == 0) e = posix_spawnp(&pid, argv[0], &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    if (e == ENOENT || e == EACCES) return no_gnuplot(ctx);
    if (e != 0) {
        return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot start gnuplot: %s", strerror(e));
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return no_gnuplot(ctx);

    struct stat info;
    bool drawn = stat(out, &info) == 0 && info.st_size > 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !drawn) return explain_failure(ctx, said);
    return FLX_OK;
}

static flx_status draw(const drawing *d, const char *path)
{
    flx_ctx *ctx = d->r->ctx;
    flx_place place;
    FLX_TRY(put_terminal(d, path));
    put_script(d);
    FILE *said = tmpfile();
    if (!said || fflush(d->script) != 0 || fseek(d->script, 0, SEEK_SET) != 0) {
        if (said) fclose(said);
        return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot write a temporary file: %s",
                        strerror(errno));
    }
    flx_status status = flx_place_open(ctx, "the drawing", path, &place);
    if (status == FLX_OK) {
        status = run_gnuplot(ctx, d->script, place.part, said);
        if (status == FLX_OK && !flx_place_commit(&place)) {
            status = FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot write '%s': %s", path,
                              strerror(errno));
        }
        flx_place_close(&place);
    }
    fclose(said);
    return status;
}

// ---- what to draw ----------------------------------------------------------------------------

static void add_line(drawing *d, int column)
{
    int panel = d->npanel;
    for (int i = 0; i < d->nline; i++) {
        if (d->lines[i] == column) return;
        if (strcmp(d->r->units[d->lines[i]], d->r->units[column]) == 0) panel = d->panel[i];
    }
    if (panel == d->npanel) d->npanel++;
    d->panel[d->nline] = panel;
    d->lines[d->nline++] = column;
}

static flx_status choose_lines(drawing *d, const flx_plot_def *def)
{
    flx_ctx *ctx = d->r->ctx;
    int found[MAX_LINES];
    for (int i = 0; i < def->nsignal; i++) {
        int n = flx_result_find(d->r, def->signals[i], MAX_LINES, found);
        if (n == 0) return FLX_ERR_ARGUMENT;
        for (int k = 0; k < n && d->nline < MAX_LINES; k++) {
            range a = data_range(d->r, found[k]);
            if (a.low <= a.high) add_line(d, found[k]);
        }
    }
    if (d->nline > 0) return FLX_OK;
    if (def->nsignal == 0) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "no signal was named to draw");
    }
    return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "'%s' has no finite value to draw",
                    def->signals[0]);
}

static flx_status choose_x(drawing *d, const flx_plot_def *def)
{
    int found[2];
    d->x = 0;
    if (!def->x) return FLX_OK;
    int n = flx_result_find(d->r, def->x, 2, found);
    if (n == 0) return FLX_ERR_ARGUMENT;
    if (n > 1) {
        return FLX_FAIL(d->r->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the x axis takes one signal; '%s' stands for several ('%s', '%s', ...)",
                        def->x, d->r->names[found[0]], d->r->names[found[1]]);
    }
    d->x = found[0];
    range a = data_range(d->r, d->x);
    if (a.low <= a.high) return FLX_OK;
    return FLX_FAIL(d->r->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "'%s' has no finite value to draw",
                    def->x);
}

flx_status flx_plot_write(flx_result *r, const flx_plot_def *def)
{
    drawing d = {.r = r};
    if (r->rows == 0) {
        return FLX_FAIL(r->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the result holds no rows to draw");
    }
    FLX_TRY(choose_x(&d, def));
    FLX_TRY(choose_lines(&d, def));
    d.width = def->width > 0 ? def->width : DEFAULT_WIDTH;
    d.height = def->height > 0 ? def->height
               : d.npanel == 1 ? SINGLE_HEIGHT
                               : FRAME_HEIGHT + PANEL_HEIGHT * d.npanel;
    d.script = tmpfile();
    if (!d.script) {
        return FLX_FAIL(r->ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot create a temporary file: %s",
                        strerror(errno));
    }
    flx_status status = draw(&d, def->path);
    fclose(d.script);
    return status;
}
