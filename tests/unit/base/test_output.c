// Files that are written whole or not at all, and never onto what is read.
#include "base/output_file.h"
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], home[512];

static int files_start(void)
{
    snprintf(folder, sizeof folder, "test_output_%ld", (long)getpid());
    CHECK(getcwd(home, sizeof home) && mkdir(folder, 0777) == 0 && chdir(folder) == 0);
    return 0;
}

static int count_files(void)
{
    int n = 0;
    DIR *d = opendir(".");
    while (d && readdir(d)) n++;
    if (d) closedir(d);
    return n - 2;
}

static int files_end(void)
{
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(chdir(home) == 0 && system(command) == 0);
    return 0;
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0) abort();
}

static bool holds(const char *path, const char *text)
{
    char now[64] = "";
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(now, 1, sizeof now - 1, f) : 0;
    if (f) fclose(f);
    return n == strlen(text) && strcmp(now, text) == 0;
}

static flx_status write_text(flx_ctx *ctx, const char *path, const char *text)
{
    flx_output *o = NULL;
    flx_status status = flx_output_create(ctx, "the table", path, &o);
    if (status != FLX_OK) return status;
    fputs(text, flx_output_file(o));
    return flx_output_close(&o, FLX_OK);
}

static int a_file_appears_when_it_is_whole(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_output *o = NULL;
    put("a", "old");
    CHECK(flx_output_create(ctx, "the table", "a", &o) == FLX_OK);
    fputs("new", flx_output_file(o));
    fflush(flx_output_file(o));
    CHECK(holds("a", "old"));
    CHECK(flx_output_close(&o, FLX_OK) == FLX_OK && !o);
    CHECK(holds("a", "new"));
    CHECK(flx_output_create(ctx, "the table", "a", &o) == FLX_OK);
    fputs("half", flx_output_file(o));
    CHECK(flx_output_close(&o, FLX_INTERRUPTED) == FLX_INTERRUPTED);
    CHECK(holds("a", "new") && count_files() == 1);
    // what grows at its place
    CHECK(flx_output_create(ctx, "the table", "a", &o) == FLX_OK);
    fputs("one ", flx_output_file(o));
    CHECK(flx_output_commit(o) && holds("a", "one "));
    fputs("two", flx_output_file(o));
    CHECK(flx_output_close(&o, FLX_OK) == FLX_OK && holds("a", "one two"));
    CHECK(count_files() == 1);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int what_is_read_is_not_written(void)
{
    flx_ctx *ctx = flx_ctx_create();
    int input, fd;
    put("in", "data");
    CHECK(link("in", "hard") == 0 && symlink("in", "soft") == 0);
    fd = open("in", O_RDONLY);
    CHECK(flx_input_note(ctx, fd, &input) == FLX_OK && input >= 0);
    close(fd);
    static const char *const names[] = {"in", "./in", "hard", "soft"};
    for (int i = 0; i < 4; i++) {
        CHECK(flx_output_check(ctx, "the table", names[i]) == FLX_ERR_IO);
        CHECK(write_text(ctx, names[i], "lost") == FLX_ERR_IO);
        CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "is read, and would be lost");
        flx_ctx_clear_messages(ctx);
    }
    CHECK(holds("in", "data"));
    CHECK(flx_ctx_protect(ctx, "in") == FLX_OK); // twice
    flx_input_release(ctx, input);
    CHECK(write_text(ctx, "in", "lost") == FLX_ERR_IO);
    flx_ctx_forget_inputs(ctx);
    CHECK(write_text(ctx, "soft", "next") == FLX_OK); // links stay links
    CHECK(holds("in", "next") && holds("hard", "data"));
    flx_ctx_destroy(&ctx);
    return 0;
}

static int two_go_to_two_places(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_output *a = NULL, *b = NULL;
    char here[600];
    snprintf(here, sizeof here, "%s/%s/new", home, folder);
    CHECK(flx_output_create(ctx, "the result", "new", &a) == FLX_OK);
    CHECK(flx_output_create(ctx, "the table", here, &b) == FLX_ERR_IO && !b);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "the result goes there");
    flx_output_drop(&a);
    CHECK(flx_output_create(ctx, "the table", here, &b) == FLX_OK);
    CHECK(flx_output_close(&b, FLX_OK) == FLX_OK && holds("new", ""));
    flx_ctx_destroy(&ctx);
    return 0;
}

static int odd_places_are_told(void)
{
    flx_ctx *ctx = flx_ctx_create();
    char name[252];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    CHECK(write_text(ctx, name, "long") == FLX_OK && holds(name, "long"));
    CHECK(write_text(ctx, "/dev/null", "nothing") == FLX_OK);
    CHECK(write_text(ctx, "/dev/full", "nothing") == FLX_ERR_IO);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "cannot write the table '/dev/full': No space left");
    static const char *const wrong[] = {".", "none/a", "a/", ""};
    for (int i = 0; i < 4; i++) {
        flx_ctx_clear_messages(ctx);
        CHECK(flx_output_check(ctx, "the table", wrong[i]) == FLX_ERR_IO);
        CHECK(write_text(ctx, wrong[i], "x") == FLX_ERR_IO);
        CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "the table");
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(files_start), TEST(a_file_appears_when_it_is_whole),
          TEST(what_is_read_is_not_written), TEST(two_go_to_two_places), TEST(odd_places_are_told),
          TEST(files_end))
