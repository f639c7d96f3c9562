// cmd_upgrade.c - flexion upgrade: a model file in the words of this version.
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: flexion upgrade MODEL [-o FILE | --in-place]\n"
    "\n"
    "Write a model file with the keys and words of this version in the place of those\n"
    "of older ones. Comments, layout and everything else stay byte for byte; the\n"
    "results of the model do not change. Old words are accepted as ever, with a note.\n"
    "\n"
    "  -o FILE     write to FILE; - is the standard output, where it goes without\n"
    "              an option\n"
    "  --in-place  replace the file, and the files of its parts that have old words\n"
    "\n"
    "Example:\n"
    "  flexion upgrade crank.yaml --in-place\n"
    "\n"
    "Exit status: 0 written, 1 not enough memory, 2 the file cannot be read, is no\n"
    "model or cannot be written.\n";

// The model, then files of parts, each once.
typedef struct files {
    int count, capacity;
    flx_upgrade **list; // owned
    const char **paths; // owned by the one that names it
} files;

static int count_words(const flx_upgrade *u)
{
    int n = 0;
    while (flx_upgrade_word(u, n, NULL, NULL)) n++;
    return n;
}

static bool is_known(const files *f, const char *path)
{
    for (int i = 0; i < f->count; i++) {
        if (strcmp(f->paths[i], path) == 0) return true;
    }
    return false;
}

static flx_status add(flx_ctx *ctx, files *f, const char *path)
{
    if (is_known(f, path)) return FLX_OK;
    if (f->count == f->capacity) {
        size_t n = (size_t)(f->capacity = 2 * f->capacity + 4);
        flx_upgrade **list = realloc(f->list, n * sizeof *list);
        if (list) f->list = list;
        const char **paths = realloc(f->paths, n * sizeof *paths);
        if (paths) f->paths = paths;
        if (!list || !paths) return FLX_ERR_MEMORY;
    }
    flx_status status = flx_upgrade_read(ctx, path, f->list + f->count);
    if (status != FLX_OK) return status;
    f->paths[f->count++] = path;
    return FLX_OK;
}

// The model and all files that its parts are read from.
static flx_status read_all(flx_ctx *ctx, files *f, const char *path)
{
    flx_status status = add(ctx, f, path);
    for (int i = 0; i < f->count && status == FLX_OK; i++) {
        const char *part;
        for (int k = 0; status == FLX_OK && (part = flx_upgrade_part(f->list[i], k)) != NULL; k++) {
            status = add(ctx, f, part);
        }
    }
    return status;
}

static flx_status write_text(flx_ctx *ctx, const flx_upgrade *u, const char *path)
{
    flx_output *o = NULL;
    size_t length;
    const char *text = flx_upgrade_text(u, &length);
    flx_status status = flx_output_create(ctx, "the model", path, &o);
    if (status != FLX_OK) return status;
    fwrite(text, 1, length, flx_output_file(o));
    return flx_output_close(&o, FLX_OK);
}

// On stderr where the text goes to the standard output.
static void tell(const flx_upgrade *u, const char *path, FILE *f)
{
    const char *old, *now;
    flx_loc loc;
    for (int i = 0; (old = flx_upgrade_word(u, i, &now, &loc)) != NULL; i++) {
        fprintf(f, "%s:%d:%d: '%s' is now '%s'\n", loc.file, loc.line, loc.column, old, now);
    }
    if (count_words(u) == 0) fprintf(f, "%s: no old words\n", path);
}

static flx_status replace_all(flx_ctx *ctx, const files *f)
{
    flx_ctx_forget_inputs(ctx);
    for (int i = 0; i < f->count; i++) {
        flx_status status =
            count_words(f->list[i]) > 0 ? write_text(ctx, f->list[i], f->paths[i]) : FLX_OK;
        if (status != FLX_OK) return status;
        tell(f->list[i], f->paths[i], stdout);
    }
    return FLX_OK;
}

static flx_status write_first(flx_ctx *ctx, const files *f, const char *output)
{
    flx_status status = write_text(ctx, f->list[0], output);
    if (status != FLX_OK) return status;
    FILE *told = strcmp(output, "-") == 0 ? stderr : stdout;
    tell(f->list[0], f->paths[0], told);
    for (int i = 1; i < f->count; i++) {
        if (count_words(f->list[i]) == 0) continue;
        fprintf(told, "%s: a file of a part, with old words; 'flexion upgrade' it too\n",
                f->paths[i]);
    }
    return FLX_OK;
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    const char *output = NULL;
    bool in_place = false;
    cli_list rest = {0};
    const cli_option options[] = {{.name = "--output", .letter = 'o', .value = &output},
                                  {.name = "--in-place", .flag = &in_place}};
    cli_parsed parsed = cli_parse(&cmd_upgrade, argc, argv, 2, options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if (!cli_is_one_model(&cmd_upgrade, &rest)) return EXIT_WRONG;
    if (output && in_place) {
        cli_complain("upgrade", "-o and --in-place exclude each other");
        return EXIT_WRONG;
    }
    files f = {0};
    flx_status status = read_all(ctx, &f, rest.items[0]);
    if (status == FLX_OK)
        status = in_place ? replace_all(ctx, &f) : write_first(ctx, &f, output ? output : "-");
    cli_print_errors(ctx);
    for (int i = 0; i < f.count; i++) flx_upgrade_destroy(f.list + i);
    free(f.list);
    free(f.paths);
    if (status == FLX_OK) return EXIT_DONE;
    return status == FLX_ERR_MEMORY ? EXIT_FAILED : EXIT_WRONG;
}

const cli_command cmd_upgrade = {
    .name = "upgrade",
    .summary = "rewrite a model file in the words of this version",
    .seldom = true,
    .help = help_text,
    .run = run,
};
