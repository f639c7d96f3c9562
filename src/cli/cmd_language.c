// cmd_language.c - flexion language: the model language from the table that the checker uses.
#include "cli/cli.h"

#include <stdlib.h>

static const char help_text[] =
    "Usage: flexion language [--schema FILE] [--reference FILE] [--python FILE]\n"
    "\n"
    "Write the model language down, from the same table that checks models.\n"
    "\n"
    "  --schema FILE     a JSON Schema, for editors that complete and check YAML\n"
    "  --reference FILE  a reference of every key, in Markdown\n"
    "  --python FILE     classes of the Python package, one per kind of item\n"
    "\n"
    "Example:\n"
    "  flexion language --schema flexion.schema.json --reference reference.md\n";

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
    if (rest.count > 0 || (!schema && !reference && !python)) {
        cli_complain("language",
                     "name what to write: --schema FILE, --reference FILE or --python FILE");
        return EXIT_WRONG;
    }
    flx_status status = FLX_OK;
    if (schema) status = flx_language_write_schema(ctx, schema);
    if (status == FLX_OK && reference) status = flx_language_write_reference(ctx, reference);
    if (status == FLX_OK && python) status = flx_language_write_python(ctx, python);
    cli_print_errors(ctx);
    if (status == FLX_OK) return EXIT_DONE;
    return status == FLX_ERR_IO ? EXIT_WRONG : EXIT_FAILED;
}

const cli_command cmd_language = {
    .name = "language",
    .summary = "write the model language as JSON Schema and reference",
    .seldom = true,
    .help = help_text,
    .run = run,
};
