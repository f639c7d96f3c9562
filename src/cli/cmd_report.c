// cmd_report.c - flexion report: a result as a page to print.
#include "cli/cli.h"
#include "page/pages.h"

#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: flexion report RESULT [-o FILE] [--pdf]\n"
    "\n"
    "Write a page of HTML to print or to keep: pictures of the mechanism, what was\n"
    "run and by which method, what the model is made of, the ledger, notes, metrics\n"
    "and events, a drawing of every signal that is not zero, and the model's text.\n"
    "PDF needs Chromium (or the browser that the variable\n"
    "FLEXION_BROWSER names); its pages are A4, with numbers.\n"
    "\n"
    "  -o FILE   the report (default: the result's name with .report.html or .pdf, in\n"
    "            the current folder); PDF when it ends in .pdf\n"
    "  --pdf     PDF instead of HTML\n"
    "\n"
    "Examples:\n"
    "  flexion report slider_crank.h5 -o slider_crank_report.html\n"
    "  flexion report slider_crank.h5 --pdf\n"
    "\n"
    "Exit status: 0 done, 1 the report could not be made, 2 the input is wrong.\n";

static int run(flx_ctx *ctx, int argc, char **argv)
{
    cli_list rest = {0};
    const char *path = NULL;
    flx_result *r = NULL;
    bool pdf = false;
    const cli_option options[] = {{.name = "--output", .letter = 'o', .value = &path},
                                  {.name = "--pdf", .flag = &pdf}};
    cli_parsed parsed = cli_parse(&cmd_report, argc, argv, 2, options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if (!cli_is_one_result(&cmd_report, &rest)) return EXIT_WRONG;
    if (path && pdf && (strlen(path) < 5 || strcmp(path + strlen(path) - 4, ".pdf") != 0)) {
        cli_complain("report", "with --pdf the name of the report must end in .pdf, not '%s'",
                     path);
        return EXIT_WRONG;
    }
    if (!path) path = cli_named_after(rest.items[0], pdf ? ".pdf" : ".report.html");
    if (!path) return EXIT_FAILED;
    flx_status status = cli_open_result(ctx, rest.items[0], &r);
    if (status == FLX_OK) status = flx_report_write(r, path);
    if (status == FLX_OK) printf("%s\n", path);
    flx_result_close(&r);
    cli_print_warnings(ctx, 0);
    cli_print_errors(ctx);
    return cli_exit_of(status);
}

const cli_command cmd_report = {
    .name = "report",
    .summary = "write a page to print: ledger, drawings, model",
    .help = help_text,
    .run = run,
};
