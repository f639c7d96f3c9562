// gnuplot.c - figures as PNG and PDF by the program gnuplot; see figure.h.
#include "draw/figure.h"

#include "base/number.h"
#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define WORDS 400 // of a label

// ---- script -------------------------------------------------------------------------------------

// In single quotes, in which only the quote means something.
static void put_quoted(FILE *to, const char *text, const char *unit)
{
    char words[WORDS];
    fputc('\'', to);
    for (const char *p = flx_figure_words(text, unit, words, sizeof words); *p; p++) {
        if (*p == '\'') fputc('\'', to);
        fputc(*p, to);
    }
    fputc('\'', to);
}

static void put_style(FILE *to)
{
    fputs("set encoding utf8\n"
          "set border 3 linewidth 0.8 linecolor rgb '#404040'\n"
          "set tics nomirror out scale 0.6, 0.3 textcolor rgb '#202020'\n"
          "set grid linetype 1 linewidth 0.6 linecolor rgb '#e0e0e0'\n"
          "set grid back\n"
          "unset key\n",
          to);
}

static void put_points(FILE *to, const flx_figure_curve *c, int panel, int curve)
{
    flx_fprintf(to, "$curve%d_%d << END\n", panel, curve);
    for (int i = 0; i < c->n; i++) {
        if (isfinite(c->x[i]) && isfinite(c->y[i]))
            flx_fprintf(to, "%.12g %.12g\n", c->x[i], c->y[i]);
        else
            fputs("NaN NaN\n", to); // a gap
    }
    fputs("END\n", to);
}

static void put_axis(FILE *to, char name, const flx_figure_axis *a, double length)
{
    flx_tics t;
    flx_figure_tics(a, length, name == 'y', &t);
    flx_fprintf(to, a->log ? "set logscale %c 10\n" : "unset logscale %c\n", name);
    flx_fprintf(to, "set %crange [%.17g:%.17g]\nset %ctics (", name, a->low, a->high, name);
    for (int i = 0; i < t.n + t.nsmall; i++) {
        flx_fprintf(to, "%s'%s' %.17g %d", i ? ", " : "", i < t.n && !a->silent ? t.text[i] : "",
                    i < t.n ? t.at[i] : t.small[i - t.n], i >= t.n);
    }
    fputs(")\n", to);
}

// Words at a place in pixels; number: of gnuplot's label.
static void put_words(FILE *to, const flx_figure *f, int number, const char *text, const char *unit,
                      double x, double y, const char *more)
{
    flx_fprintf(to, "set label %d ", number);
    put_quoted(to, text, unit);
    flx_fprintf(to, " at screen %.5f, screen %.5f textcolor rgb '#202020' %s\n", x / f->width,
                1.0 - y / f->height, more);
}

static void put_labels(FILE *to, const flx_figure *f, const flx_figure_panel *p)
{
    double middle = 0.5 * (p->left + p->right);
    if (p->y.label && p->compact) {
        put_words(to, f, 2, p->y.label, p->y.unit, p->left - 14.0, p->top - 14.0, "left");
    } else if (p->y.label) {
        double x = p->left - 32.0 - flx_figure_numbers_width(&p->y, p->bottom - p->top);
        put_words(to, f, 2, p->y.label, p->y.unit, x, 0.5 * (p->top + p->bottom),
                  "center rotate by 90");
    }
    if (p->x.label) {
        put_words(to, f, 3, p->x.label, p->x.unit, p->compact ? p->right : middle,
                  p->compact ? f->height - 11.0 : p->bottom + 41.0,
                  p->compact ? "right" : "center");
    }
}

static void put_guides(FILE *to, const flx_figure_panel *p)
{
    for (int i = 0; i < p->nguide; i++) {
        const flx_figure_guide *g = p->guides + i;
        flx_fprintf(to,
                    "set arrow from first %.9g,%.9g to first %.9g,%.9g nohead back linewidth 0.9 "
                    "dashtype (4,4) linecolor rgb '#909090'\n",
                    g->x[0], g->y[0], g->x[1], g->y[1]);
        flx_fprintf(to, "set label %d '%s' at first %.9g,%.9g offset character 0.4,-0.1\n", 10 + i,
                    g->text, g->x[1], g->y[1]);
    }
}

static void put_legend(FILE *to, const flx_figure *f, const flx_figure_panel *p)
{
    bool above = p->legend == FLX_LEGEND_ABOVE;
    if (p->legend == FLX_LEGEND_NONE) {
        fputs("unset key\n", to);
        return;
    }
    flx_fprintf(to, "set key at screen %.5f, screen %.5f %s noenhanced textcolor rgb '#202020'\n",
                p->legend_x / f->width, 1.0 - p->legend_y / f->height,
                above ? "right bottom horizontal samplen 1.5"
                      : "left top vertical Left reverse samplen 2 spacing 1.15");
}

static void put_stroke(FILE *to, const flx_figure_curve *c)
{
    int n;
    const int *dash = flx_figure_dash(c->dash, &n);
    const char *colour = flx_figure_colour(c->colour);
    bool line = c->width > 0.0;
    flx_fprintf(to, " with %s linewidth %g linecolor rgb '%s'",
                line && c->mark ? "linespoints"
                : line          ? "lines"
                                : "points",
                line ? c->width : 1.4, colour);
    if (c->mark) flx_fprintf(to, " pointtype %d pointsize %g", c->mark, c->size / 9.0);
    for (int i = 0; i < n; i++)
        flx_fprintf(to, "%s%d%s", i ? "," : " dashtype (", dash[i], i + 1 < n ? "" : ")");
}

static void put_curves(FILE *to, const flx_figure_panel *p, int panel)
{
    const char *separator = "plot ";
    for (int k = 0; k < p->ncurve; k++) {
        const flx_figure_curve *c = p->curves + k;
        flx_fprintf(to, "%s$curve%d_%d using 1:2", separator, panel, k);
        put_stroke(to, c);
        fputs(c->name ? " title " : " notitle", to);
        if (c->name) put_quoted(to, c->name, NULL);
        separator = ", ";
    }
    fputs("\n", to);
}

static void put_panel(FILE *to, const flx_figure *f, int i)
{
    const flx_figure_panel *p = f->panels + i;
    double w = f->width, h = f->height;
    flx_fprintf(to, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n", p->left / w,
                p->right / w);
    flx_fprintf(to, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n", 1.0 - p->top / h,
                1.0 - p->bottom / h);
    fputs("unset arrow\nunset label\n", to);
    if (i == 0 && f->title)
        put_words(to, f, 1, f->title, NULL, f->title_x, f->title_y - 5.0,
                  f->centred ? "center font ',12'" : "left font ',12'");
    put_axis(to, 'x', &p->x, p->right - p->left);
    put_axis(to, 'y', &p->y, p->bottom - p->top);
    put_labels(to, f, p);
    put_guides(to, p);
    put_legend(to, f, p);
    put_curves(to, p, i);
}

static void put_script(FILE *to, const flx_figure *f, const char *terminal)
{
    flx_fprintf(to, "set terminal %s\n", terminal);
    put_style(to);
    for (int i = 0; i < f->npanel; i++) {
        for (int k = 0; k < f->panels[i].ncurve; k++) put_points(to, f->panels[i].curves + k, i, k);
    }
    fputs("set multiplot\n", to);
    for (int i = 0; i < f->npanel; i++) put_panel(to, f, i);
    fputs("unset multiplot\n", to);
}

// ---- the program ---------------------------------------------------------------------------------

static flx_status no_gnuplot(flx_ctx *ctx)
{
    return FLX_FAIL(
        ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE,
        "drawing PNG and PDF needs the program gnuplot, which was not found; install it "
        "(Debian: apt-get install gnuplot-nox) or draw SVG, which needs no program");
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
        return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot start gnuplot: %s",
                        flx_error_text(e));
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return no_gnuplot(ctx);

    struct stat info;
    bool drawn = stat(out, &info) == 0 && info.st_size > 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !drawn) return explain_failure(ctx, said);
    return FLX_OK;
}

static flx_status draw(flx_ctx *ctx, const char *path, FILE *script)
{
    flx_output *o;
    FILE *said = tmpfile();
    if (!said || fflush(script) != 0 || fseek(script, 0, SEEK_SET) != 0) {
        if (said) fclose(said);
        return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot write a temporary file: %s",
                        flx_error_text(errno));
    }
    flx_status status = flx_output_reserve(ctx, "the drawing", path, &o);
    if (status == FLX_OK) status = flx_output_close(&o, run_gnuplot(ctx, script, o->part, said));
    fclose(said);
    return status;
}

flx_status flx_figure_run_gnuplot(flx_ctx *ctx, const flx_figure *f, const char *terminal)
{
    FILE *script = tmpfile();
    if (!script) {
        return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot create a temporary file: %s",
                        flx_error_text(errno));
    }
    put_script(script, f, terminal);
    flx_status status = draw(ctx, f->path, script);
    fclose(script);
    return status;
}
