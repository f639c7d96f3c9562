// test_results_cut_off.c - files of runs that go on, are killed, or never begin.
#include "flexion/extend/method_table.h"
#include "results_fixture.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

// Writes rows until it is killed.
static void write_for_ever(const char *path, long expected)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_sink *s = NULL;
    flx_result_info info = make_info(expected);
    if (flx_hdf5_sink_create(ctx, path, &s) != FLX_OK) _exit(1);
    if (s->type->begin(s, &info) != FLX_OK) _exit(1);
    for (int i = 0;; i++) {
        if (put_rows(s, i, i + 1) != FLX_OK) _exit(1);
    }
}

static int cut_off_once(int round, long expected, long *rows)
{
    const char *path = in_folder("cut.h5");
    remove(path);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) write_for_ever(path, expected);
    // wait until the file is there, then let it grow for a time that differs in every round
    struct stat info;
    struct timespec pause = {0, 200000};
    for (int i = 0; i < 50000 && stat(path, &info) != 0; i++) nanosleep(&pause, NULL);
    pause.tv_nsec = 1000 + (long)(round * 7919 % 9000) * 1000;
    nanosleep(&pause, NULL);
    CHECK(kill(child, SIGKILL) == 0);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));

    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = NULL;
    if (flx_result_open(ctx, path, &r) != FLX_OK) {
        printf("round %d: %s\n", round, last_error(ctx));
        return 1;
    }
    if (check_rows(r, flx_result_rows(r))) return 1;
    CHECK(!flx_result_complete(r));
    *rows += flx_result_rows(r);
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Also while the file is being replaced by a larger one, which happens at rows 4, 8, 16, ...
static int killed_run_leaves_a_readable_file(void)
{
    long rows = 0;
    // more rounds where a busy machine lets the children write little
    for (int round = 0; round < 60 || (rows <= 1000 && round < 600); round++) {
        if (cut_off_once(round, round % 2 ? 4 : 10000000 / 64, &rows)) return 1;
    }
    CHECK(rows > 1000); // the children did write
    return 0;
}

// Rows are in the file before end, for those who watch a run.
static int rows_can_be_read_during_the_run(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_sink *s = NULL;
    flx_result_info info = make_info(100);
    const char *path = in_folder("live.h5");
    CHECK(flx_hdf5_sink_create(ctx, path, &s) == FLX_OK);
    CHECK(s->type->begin(s, &info) == FLX_OK);
    CHECK(put_rows(s, 0, 17) == FLX_OK);
    if (read_result(ctx, path, 17, 0)) return 1;
    CHECK(put_rows(s, 17, 30) == FLX_OK);
    if (read_result(ctx, path, 30, 0)) return 1;
    flx_sink_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int count_files(void)
{
    char command[256];
    int n = -1;
    snprintf(command, sizeof command, "ls -A %s | wc -l", folder);
    FILE *f = popen(command, "r");
    if (!f || fscanf(f, "%d", &n) != 1) n = -1;
    if (f) pclose(f);
    return n;
}

// A sink that never begins leaves an earlier result alone and no other file behind.
static int unused_sink_changes_nothing(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_sink *s = NULL;
    const char *path = in_folder("kept.h5");
    if (write_result(ctx, flx_hdf5_sink_create, path, 4, 4, NULL)) return 1;
    int before = count_files();
    CHECK(flx_hdf5_sink_create(ctx, path, &s) == FLX_OK);
    flx_sink_destroy(&s);
    CHECK(count_files() == before);
    if (read_result(ctx, path, 4, 0)) return 1;
    flx_ctx_destroy(&ctx);
    return 0;
}

// A link stays a link; what it points to is replaced.
static int links_are_followed(void)
{
    flx_ctx *ctx = flx_ctx_create();
    const char *path = in_folder("target.h5"), *link = in_folder("link.h5");
    if (write_result(ctx, flx_hdf5_sink_create, path, 4, 4, NULL)) return 1;
    CHECK(symlink("target.h5", link) == 0);
    if (write_result(ctx, flx_hdf5_sink_create, link, 6, 6, NULL)) return 1;
    struct stat info;
    CHECK(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    if (read_result(ctx, path, 6, 0)) return 1;
    flx_ctx_destroy(&ctx);
    return 0;
}

// A run that expects to be very long does not fill the disk before it begins.
static int reserved_rows_are_bounded(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_sink *s = NULL;
    flx_result_info info = make_info(2000000000);
    const char *path = in_folder("endless.h5");
    struct stat file;
    CHECK(flx_hdf5_sink_create(ctx, path, &s) == FLX_OK);
    CHECK(s->type->begin(s, &info) == FLX_OK);
    CHECK(stat(path, &file) == 0 && file.st_size < 40000000);
    CHECK(put_rows(s, 0, 10) == FLX_OK);
    CHECK(s->type->end(s, NULL) == FLX_OK);
    CHECK(stat(path, &file) == 0 && file.st_size < 100000);
    flx_sink_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int files_start(void)
{
    make_folder("results_cut_off");
    return 0;
}

static int files_end(void)
{
    remove_folder();
    return 0;
}

TEST_MAIN(TEST(files_start), TEST(killed_run_leaves_a_readable_file),
          TEST(rows_can_be_read_during_the_run), TEST(unused_sink_changes_nothing),
          TEST(links_are_followed), TEST(reserved_rows_are_bounded), TEST(files_end))
