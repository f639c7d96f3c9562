// test_print.c - pages printed by a browser: which one is asked, for what address, and what is said where it fails.
#define _XOPEN_SOURCE 700 // setenv

#include "page/print.h"
#include "results_fixture.h"

#include <string.h>
#include <sys/stat.h>

// A browser that prints the address it was given; what it is called with besides is not looked at.
#define BROWSER                                                                                    \
    "#!/bin/sh\nfor a in \"$@\"; do\n  case $a in\n"                                               \
    "    --print-to-pdf=*) pdf=${a#*=} ;;\n    file://*) address=$a ;;\n  esac\ndone\n"

static void set_browser(const char *name, const char *rest)
{
    char text[600], path[600];
    snprintf(text, sizeof text, BROWSER "%s\n", rest);
    write_text(in_folder(name), text, strlen(text));
    if (!getcwd(path, sizeof path - 100)) abort();
    snprintf(path + strlen(path), 100, "/%s", in_folder(name));
    if (chmod(path, 0755) != 0 || setenv("FLEXION_BROWSER", path, 1) != 0) abort();
}

static flx_status print(const char *html, const char *pdf, char *said, size_t size)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_status status = flx_print_pdf(ctx, html, pdf);
    const flx_message *m = flx_ctx_error(ctx, 0);
    snprintf(said, size, "%s", m ? m->text : "");
    flx_ctx_destroy(&ctx);
    return status;
}

// Relative and whole paths, with letters that addresses do not have.
static int browser_gets_the_address(void)
{
    char here[400], expected[700], printed[700] = "", said[400];
    if (!getcwd(here, sizeof here)) abort();
    set_browser("browser", "printf %s \"$address\" > \"$pdf\"");
    for (int whole = 0; whole < 2; whole++) {
        char html[700];
        snprintf(html, sizeof html, "%s%sa page #1 \xc3\xa9.html", whole ? here : "",
                 whole ? "/" : "");
        CHECK(print(html, in_folder("page.pdf"), said, sizeof said) == FLX_OK);
        FILE *f = fopen(in_folder("page.pdf"), "rb");
        size_t n = f ? fread(printed, 1, sizeof printed - 1, f) : 0;
        if (f) fclose(f);
        printed[n] = 0;
        snprintf(expected, sizeof expected, "file://%s/a%%20page%%20%%231%%20%%C3%%A9.html", here);
        CHECK(strcmp(printed, expected) == 0);
        CHECK(remove(in_folder("page.pdf")) == 0);
    }
    return 0;
}

static int failures_are_told(void)
{
    static const char *const broken[] = {"exit 3", "kill -9 $$", ": > \"$pdf\"", "true"};
    char said[400];
    for (int i = 0; i < 4; i++) { // it fails, falls, prints nothing, leaves no file
        set_browser("broken", broken[i]);
        remove(in_folder("page.pdf"));
        CHECK(print("page.html", in_folder("page.pdf"), said, sizeof said) == FLX_ERR_IO);
        CHECK_TEXT(said, "broken' could not print to '");
        CHECK_TEXT(said, "page.pdf': it failed or took too long");
    }
    if (setenv("FLEXION_BROWSER", "no-such-browser", 1) != 0) abort();
    CHECK(print("page.html", in_folder("page.pdf"), said, sizeof said) == FLX_ERR_UNAVAILABLE);
    CHECK_TEXT(said, "printing to PDF needs no-such-browser, which was not found");
    return 0;
}

// Without a wish, Chromium by any of its names, wherever programs are.
static int chromium_is_looked_for(void)
{
    char said[400], here[400];
    if (!getcwd(here, sizeof here)) abort();
    set_browser("google-chrome", "echo printed > \"$pdf\"");
    unsetenv("FLEXION_BROWSER");
    const char *kept = getenv("PATH");
    char old[4000], path[4500];
    snprintf(old, sizeof old, "%s", kept ? kept : "");
    if (setenv("PATH", "/nowhere", 1) != 0) abort();
    CHECK(print("page.html", in_folder("page.pdf"), said, sizeof said) == FLX_ERR_UNAVAILABLE);
    CHECK_TEXT(said, "needs the browser Chromium");
    snprintf(path, sizeof path, "%s/%s", here, folder);
    if (setenv("PATH", path, 1) != 0) abort();
    CHECK(print("page.html", in_folder("page.pdf"), said, sizeof said) == FLX_OK);
    if (setenv("PATH", old, 1) != 0) abort();
    return 0;
}

static int files_start(void)
{
    make_folder("print");
    return 0;
}

static int files_end(void)
{
    remove_folder();
    return 0;
}

TEST_MAIN(TEST(files_start), TEST(browser_gets_the_address), TEST(failures_are_told),
          TEST(chromium_is_looked_for), TEST(files_end))
