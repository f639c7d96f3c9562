// cmd_language.c - flexion language: the model language from the table that the checker uses.
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>

static const char help_text[] =
    "Usage: flexion language [NAME...] [--schema FILE] [--reference FILE]\n"
    "                        [--python FILE]\n"
    "\n"
    "Tell what a section of a model is and which kinds of items it has (analyse),\n"
    "the keys of a kind (linear, pid, revolute) or a key (rtol); without NAME, the\n"
    "sections. Or write the model language down. Both are from the table that checks\n"
    "models.\n"
    "\n"
    "  --schema FILE     a JSON Schema, for editors that complete and check YAML\n"
    "  --reference FILE  a reference of every key, in Markdown\n"
    "  --python FILE     classes of the Python package, one per kind of item\n"
    "\n"
    "Examples:\n"
    "  flexion language analyse\n"
    "  flexion language linear\n"
    "  flexion language --schema flexion.schema.json --reference reference.md\n";

static void print_text(void *user, const char *text)
{
    (void)user;
    fputs(text, stdout);
}

static flx_status explain(flx_ctx *ctx, const cli_list *names)
{
    flx_status status = FLX_OK;
    if (names->count == 0) return flx_language_write_help(ctx, "", NULL, print_text);
    for (int i = 0; i < names->count && status == FLX_OK; i++) {
        if (i > 0) printf("\n");
        status = flx_language_write_help(ctx, names->items[i], NULL, print_text);
    }
    return status;
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    cli_list rest = {0};
    const char *schema = NULL, *reference = NULL, *python = NULL;
    const cli_option options[] = {
        {.name = "--schema", .value = &schema},
        {.name = "--reference", .value = &reference},
        {.name = "--python", .value = &python},
    };
    cli_parsed parsed = cli_parse(&cmd_language, argc, argv, 3, options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    bool writes = schema || reference || python;
    if (writes && rest.count > 0) {
        cli_complain("language", "a NAME is told, and files are written: one or the other");
        return EXIT_WRONG;
    }
    flx_status status = writes ? FLX_OK : explain(ctx, &rest);
    if (schema) status = flx_language_write_schema(ctx, schema);
    if (status == FLX_OK && reference) status = flx_language_write_reference(ctx, reference);
    if (status == FLX_OK && python) status = flx_language_write_python(ctx, python);
    cli_print_errors(ctx);
    if (status == FLX_OK) return EXIT_DONE;
    return status == FLX_ERR_IO || status == FLX_ERR_ARGUMENT ? EXIT_WRONG : EXIT_FAILED;
}

const cli_command cmd_language = {
    .name = "language",
    .summary = "tell what keys there are; write the language as JSON Schema",
    .seldom = true,
    .help = help_text,
    .run = run,
};
