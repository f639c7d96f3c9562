// options.c - arguments of the commands: long options, one letter, and the rest.
#include "cli/cli.h"
#include "cli/plugins.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void cli_complain(const char *command, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "flexion %s: ", command);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

// ---- misspelt words --------------------------------------------------------------------------

#define LONGEST 40

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

// Letters to insert, delete or replace, case left aside.
static int edit_distance(const char *a, const char *b)
{
    int row[LONGEST + 1], nb = (int)strlen(b);
    if (strlen(a) > LONGEST || nb > LONGEST) return LONGEST;
    for (int j = 0; j <= nb; j++) row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            int best = smaller(smaller(row[j], row[j - 1]) + 1, diagonal + !same);
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[nb];
}

const char *cli_nearest(const char *word, int n, const char *const *candidates)
{
    const char *best = NULL;
    int most = 1 + (int)strlen(word) / 3, distance = most + 1;
    for (int i = 0; i < n; i++) {
        int d = edit_distance(word, candidates[i]);
        if (d >= distance) continue;
        distance = d;
        best = candidates[i];
    }
    return best;
}

// ---- options ---------------------------------------------------------------------------------

static void complain_unknown(const cli_command *command, const char *word, int n,
                             const cli_option *options)
{
    const char *names[16] = {"--help", "--strict", "--cache", "--plugin"};
    int count = 4;
    for (int i = 0; i < n && count < 16; i++) names[count++] = options[i].name;
    const char *best = cli_nearest(word, count, names);
    if (best) {
        cli_complain(command->name, "unknown option '%s'; did you mean '%s'?", word, best);
    } else {
        cli_complain(command->name, "unknown option '%s'; see 'flexion %s --help'", word,
                     command->name);
    }
}

// The option that the argument names, with the value that is glued to it: --csv=x, -ox. NULL: none.
static const cli_option *find_option(const char *argument, int n, const cli_option *options,
                                     const char **glued)
{
    *glued = NULL;
    for (int i = 0; i < n; i++) {
        size_t length = strlen(options[i].name);
        if (strncmp(argument, options[i].name, length) == 0 &&
            (argument[length] == '\0' || argument[length] == '=')) {
            if (argument[length] == '=') *glued = argument + length + 1;
            return &options[i];
        }
        if (options[i].letter && argument[1] == options[i].letter) {
            if (argument[2] != '\0') *glued = argument + 2;
            return &options[i];
        }
    }
    return NULL;
}

// ---- doubts ----------------------------------------------------------------------------------

static bool strict, doubtful;

bool cli_is_strict(void)
{
    return strict;
}

void cli_doubt(void)
{
    doubtful = true;
}

int cli_strict_status(const flx_ctx *ctx, int code)
{
    if (!strict || code != EXIT_DONE) return code;
    return doubtful || flx_ctx_warning_count(ctx) > 0 ? EXIT_DOUBT : code;
}

// ---- memory that lives as long as the command ---------------------------------------------------

static struct {
    void **items;
    size_t count, room;
} kept;

// The memory itself, NULL without it; freed with what is kept.
static void *keep(void *memory)
{
    if (memory && kept.count == kept.room) {
        size_t room = 2 * kept.room + 8;
        void **items = realloc(kept.items, room * sizeof *items);
        if (!items) {
            free(memory);
            return NULL;
        }
        kept.items = items;
        kept.room = room;
    }
    if (memory) kept.items[kept.count++] = memory;
    return memory;
}

void cli_free_kept(void)
{
    for (size_t i = 0; i < kept.count; i++) free(kept.items[i]);
    free(kept.items);
    memset(&kept, 0, sizeof kept);
}

// ---- options ---------------------------------------------------------------------------------

// Room for as many items as there are arguments.
static bool take_room(cli_list *list, int argc)
{
    *list = (cli_list){.items = keep(calloc((size_t)argc, sizeof *list->items))};
    return list->items != NULL;
}

// Store the option at argv[*i], moving *i over its value.
static bool take_option(const cli_command *command, int argc, char **argv, int *i,
                        const cli_option *option, const char *glued)
{
    if (option->flag) {
        if (glued) {
            cli_complain(command->name, "option '%s' takes no value", option->name);
            return false;
        }
        *option->flag = true;
        return true;
    }
    if (!glued) {
        if (*i + 1 >= argc) {
            cli_complain(command->name, "option '%s' needs a value", option->name);
            return false;
        }
        glued = argv[++*i];
    }
    if (option->list) {
        option->list->items[option->list->count++] = glued;
    } else {
        *option->value = glued;
    }
    return true;
}

static const char *cache, *plugin;
static const cli_option plugin_option = {.name = "--plugin", .value = &plugin};
static const cli_option cache_option = {.name = "--cache", .value = &cache};

cli_parsed cli_parse(const cli_command *command, int argc, char **argv, int noption,
                     const cli_option *options, cli_list *rest)
{
    bool only_rest = false, room = take_room(rest, argc);
    for (int i = 0; i < noption; i++) {
        if (options[i].list) room = take_room(options[i].list, argc) && room;
    }
    if (!room) {
        cli_complain(command->name, "out of memory");
        return CLI_FAILED;
    }
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *glued;
        if (only_rest || a[0] != '-' || a[1] == '\0') {
            rest->items[rest->count++] = a;
            continue;
        }
        if (strcmp(a, "--") == 0) {
            only_rest = true;
            continue;
        }
        if (strcmp(a, "--help") == 0 || strcmp(a, "-h") == 0) {
            fputs(command->help, stdout);
            return CLI_DONE;
        }
        if (strcmp(a, "--strict") == 0) {
            strict = true;
            continue;
        }
        if (find_option(a, 1, &cache_option, &glued)) {
            if (!take_option(command, argc, argv, &i, &cache_option, glued)) return CLI_WRONG;
            setenv("FLEXION_CACHE", cache, 1); // for programs that this one starts
            continue;
        }
        if (find_option(a, 1, &plugin_option, &glued)) {
            if (!take_option(command, argc, argv, &i, &plugin_option, glued)) return CLI_WRONG;
            if (!cli_plugin_open(command->name, plugin)) return CLI_WRONG;
            continue;
        }
        const cli_option *option = find_option(a, noption, options, &glued);
        if (!option) {
            complain_unknown(command, a, noption, options);
            return CLI_WRONG;
        }
        if (!take_option(command, argc, argv, &i, option, glued)) return CLI_WRONG;
    }
    const char *threads = getenv("FLEXION_THREADS");
    int count = 1;
    if (threads && threads[0] && !cli_read_count(command->name, "FLEXION_THREADS", threads, &count))
        return CLI_WRONG;
    flx_reduction_threads(count);
    cache = getenv("FLEXION_CACHE");
    if (flx_cache_set(cache) == FLX_OK) return CLI_GO;
    cli_complain(command->name, "the name of the folder of the cache is too long");
    return CLI_WRONG;
}

bool cli_is_result_name(const char *command, const char *name)
{
    const char *ending = name ? strrchr(name, '.') : NULL;
    if (!ending || strcmp(ending, ".csv") != 0) return true;
    cli_complain(command, "-o writes HDF5, whose names end in .h5; a table: --csv %s", name);
    return false;
}

bool cli_has_hdf5(void)
{
    const char *name, *value;
    for (int i = 0; (name = flx_build_fact(i, &value)) != NULL; i++) {
        if (strcmp(name, "HDF5") == 0) return strncmp(value, "not", 3) != 0;
    }
    return false;
}

const char *cli_named_after(const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    size_t stem = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    size_t size = stem + strlen(ending) + 1;
    char *out = keep(malloc(size));
    if (out) snprintf(out, size, "%.*s%s", (int)stem, name, ending);
    return out;
}

// ---- lists --------------------------------------------------------------------------------------

// Cut a list at its commas, not at those in brackets; pieces point into `text`.
static void split(char *text, int most, cli_list *list)
{
    int depth = 0;
    char *begin = text;
    for (char *p = text;; p++) {
        if (*p == '(') depth++;
        if (*p == ')') depth--;
        if (*p != '\0' && (*p != ',' || depth > 0)) continue;
        bool last = *p == '\0';
        *p = '\0';
        while (*begin == ' ') begin++;
        if (*begin && list->count < most) list->items[list->count++] = begin;
        begin = p + 1;
        if (last) return;
    }
}

bool cli_split(const char *text, cli_list *list)
{
    size_t n = text ? strlen(text) : 0;
    char *copy = keep(malloc(n + 1));
    list->items = keep(calloc(n + 1, sizeof *list->items));
    if (!copy || !list->items) return false;
    memcpy(copy, text ? text : "", n + 1);
    split(copy, (int)n, list);
    return true;
}

bool cli_is_one_model(const cli_command *command, const cli_list *rest)
{
    if (rest->count == 1) return true;
    cli_complain(command->name, "%s; see 'flexion %s --help'",
                 rest->count ? "one model at a time" : "name a model file", command->name);
    return false;
}

bool cli_is_one_result(const cli_command *command, const cli_list *rest)
{
    if (rest->count == 1) return true;
    cli_complain(command->name, "name one result file; see 'flexion %s --help'", command->name);
    return false;
}

bool cli_read_size(const char *command, const char *text, int *width, int *height)
{
    char *end;
    if (!text) return true;
    long w = strtol(text, &end, 10), h = 0;
    if (*end == 'x') h = strtol(end + 1, &end, 10);
    if (*end == '\0' && w >= 200 && w <= 10000 && h >= 150 && h <= 10000) {
        *width = (int)w;
        *height = (int)h;
        return true;
    }
    cli_complain(command, "--size needs width x height in pixels, as 900x500, not '%s'", text);
    return false;
}

bool cli_read_count(const char *command, const char *option, const char *text, int *out)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (*text && !*end && n >= 1 && n <= INT_MAX) {
        *out = (int)n;
        return true;
    }
    cli_complain(command, "%s needs a whole number from 1 on, not '%s'", option, text);
    return false;
}

static bool read_number(const char *command, const char *option, const char *text, bool positive,
                        double *out)
{
    char *end;
    if (!text) return true;
    *out = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(*out) && (*out > 0.0 || !positive)) return true;
    bool comma = end != text && end[0] == ',' && isdigit((unsigned char)end[1]);
    cli_complain(command, "%s needs a %snumber, not '%s'%s", option, positive ? "positive " : "",
                 text, comma ? "; numbers are written with a point" : "");
    return false;
}

bool cli_read_number(const char *command, const char *option, const char *text, double *out)
{
    return read_number(command, option, text, false, out);
}

bool cli_read_positive(const char *command, const char *option, const char *text, double *out)
{
    return read_number(command, option, text, true, out);
}
