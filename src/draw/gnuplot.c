// gnuplot.c - drawings made by gnuplot; see gnuplot.h.
#include "draw/gnuplot.h"

#include "base/number.h"
#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#404040"};
#define N_COLOURS ((int)(sizeof colours / sizeof colours[0]))
static const char *const dashes[] = {"1", "(9,4)", "(3,3)", "(9,3,2,3)"};
#define N_DASHES ((int)(sizeof dashes / sizeof dashes[0]))

const char *flx_gnuplot_colour(int k)
{
    return colours[k % N_COLOURS];
}

const char *flx_gnuplot_dash(int k)
{
    return dashes[k / N_COLOURS % N_DASHES];
}

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

void flx_gnuplot_quoted(FILE *f, const char *text)
{
    fputc('\'', f);
    put_text(f, text);
    fputc('\'', f);
}

// 'name (unit)'
void flx_gnuplot_label(FILE *f, const char *name, const char *unit)
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

// ---- style -----------------------------------------------------------------------------------

static bool has_ending(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

static flx_status put_terminal(const flx_gnuplot *g, int width, int height)
{
    FILE *f = g->script;
    const char *path = g->path;
    if (has_ending(path, ".svg")) {
        flx_fprintf(
            f, "set terminal svg size %d,%d noenhanced font 'Helvetica,14' background '#ffffff'\n",
            width, height);
    } else if (has_ending(path, ".png")) {
        // twice the pixels: sharp also on dense screens and in print
        flx_fprintf(f,
                    "set terminal pngcairo size %d,%d noenhanced font 'Sans,11' fontscale 2 "
                    "linewidth 2 background '#ffffff'\n",
                    2 * width, 2 * height);
    } else if (has_ending(path, ".pdf")) {
        flx_fprintf(f,
                    "set terminal pdfcairo size %.2fin,%.2fin noenhanced font 'Sans,11' "
                    "background '#ffffff'\n",
                    width / 96.0, height / 96.0);
    } else {
        return FLX_FAIL(g->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
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

// ---- the program ---------------------------------------------------------------------------------

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

flx_status flx_gnuplot_begin(flx_ctx *ctx, const char *path, int width, int height, flx_gnuplot *g)
{
    *g = (flx_gnuplot){.ctx = ctx, .path = path, .script = tmpfile()};
    if (!g->script) {
        return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot create a temporary file: %s",
                        flx_error_text(errno));
    }
    flx_status status = put_terminal(g, width, height);
    if (status == FLX_OK) {
        put_style(g->script);
    } else {
        fclose(g->script);
        g->script = NULL;
    }
    return status;
}

static flx_status draw(flx_gnuplot *g)
{
    flx_ctx *ctx = g->ctx;
    flx_output *o;
    FILE *said = tmpfile();
    if (!said || fflush(g->script) != 0 || fseek(g->script, 0, SEEK_SET) != 0) {
        if (said) fclose(said);
        return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot write a temporary file: %s",
                        flx_error_text(errno));
    }
    flx_status status = flx_output_reserve(ctx, "the drawing", g->path, &o);
    if (status == FLX_OK) {
        status = flx_output_close(&o, run_gnuplot(ctx, g->script, o->part, said));
    }
    fclose(said);
    return status;
}

flx_status flx_gnuplot_end(flx_gnuplot *g, flx_status status)
{
    if (!g->script) return status;
    if (status == FLX_OK) status = draw(g);
    fclose(g->script);
    g->script = NULL;
    return status;
}
