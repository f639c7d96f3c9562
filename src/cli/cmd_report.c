// cmd_report.c - flexion report: a result as a page to print.
#include "cli/cli.h"

#include <stdlib.h>

static const char help_text[] =
    "Usage: flexion report RESULT [-o FILE]\n"
    "\n"
    "Write a page of HTML to print or to keep: what was run and by which method, the\n"
    "ledger, measures and events, a drawing of every signal, and the model. Drawing\n"
    "needs gnuplot. A browser prints it to PDF.\n"
    "\n"
    "  -o FILE   the report (default: the result's name with .report.html, in the\n"
    "            current folder)\n"
    "\n"
    "Example:\n"
    "  flexion report slider_crank.h5 -o slider_crank_report.html\n"
    "\n"
    "Exit status: 0 done, 1 the report could not be made, 2 the input is wrong.\n";

static int run(flx_ctx *ctx, int argc, char **argv)
{
    cli_list rest = {0};
    const char *path = NULL;
    char *named = NULL;
    int code = EXIT_WRONG;
    flx_result *r = NULL;
    const cli_option options[] = {{.name = "--output", .letter = 'o', .value = &path}};
    rest.items = calloc((size_t)argc, sizeof *rest.items);
    if (!rest.items) goto done;

    cli_parsed parsed = cli_parse(&cmd_report, argc, argv, 1, options, &rest);
    if (parsed == CLI_DONE) code = EXIT_DONE;
    if (parsed != CLI_GO) goto done;
    if (rest.count != 1) {
        cli_complain("report", "name one result file; see 'flexion report --help'");
        goto done;
    }
    if (!path) path = named = cli_named_after(rest.items[0], ".report.html");
    if (!path) goto done;
    flx_status status = flx_result_open(ctx, rest.items[0], &r);
    if (status == FLX_OK) status = flx_report_write(r, path);
    if (status == FLX_OK) {
        printf("%s\n", path);
        code = EXIT_DONE;
    } else if (status != FLX_ERR_ARGUMENT && status != FLX_ERR_IO) {
        code = EXIT_FAILED;
    }
    flx_result_close(&r);
    cli_print_errors(ctx);

done:
    free(named);
    free(rest.items);
    return code;
}

const cli_command cmd_report = {
    .name = "report",
    .summary = "write a page to print: ledger, drawings, model",
    .help = help_text,
    .run = run,
};
