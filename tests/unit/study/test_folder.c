// test_folder.c - study folders: claims, rows, what a worker that died leaves behind.
#include "check.h"
#include "flexion/folder.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FOLDER "test_folder.study"
static const char *const settings[] = {"k=2.385", "c = a b"};
static const flx_folder_plan plan = {.model = "crank of two.yaml",
                                     .nsetting = 2,
                                     .settings = settings,
                                     .hash = 0xfedcba9876543210u,
                                     .runs = 23,
                                     .chunk = 5};

static int begin(flx_ctx **ctx, flx_folder **f)
{
    CHECK(system("rm -rf " FOLDER) == 0);
    *ctx = flx_ctx_create();
    CHECK(flx_folder_create(*ctx, FOLDER, &plan) == FLX_OK);
    CHECK(flx_folder_open(*ctx, FOLDER, f) == FLX_OK);
    return 0;
}

static int end(flx_ctx **ctx, flx_folder **f)
{
    flx_folder_close(f);
    flx_ctx_destroy(ctx);
    CHECK(system("rm -rf " FOLDER) == 0);
    return 0;
}

static int plan_is_read_as_it_was_written(void)
{
    flx_ctx *ctx;
    flx_folder *f;
    CHECK(begin(&ctx, &f) == 0);
    const flx_folder_plan *p = flx_folder_get_plan(f);
    CHECK(strcmp(p->model, plan.model) == 0 && p->hash == plan.hash && p->runs == 23);
    CHECK(p->chunk == 5 && p->nsetting == 2 && strcmp(p->settings[1], "c = a b") == 0);
    CHECK(flx_folder_create(ctx, FOLDER, &plan) == FLX_OK); // the same study goes on
    flx_folder_plan other = plan;
    other.hash++;
    CHECK(flx_folder_create(ctx, FOLDER, &other) == FLX_ERR_ARGUMENT);
    CHECK(strstr(flx_ctx_error(ctx, 0)->text, "the text of the model differs"));
    return end(&ctx, &f);
}

static double value_of(int run, int k)
{
    return sin(1.7 * run + k) / (1.0 + k);
}

static const char *const names[] = {"k", "far", "steps"};

static flx_status add(flx_folder *f, int run)
{
    double values[3] = {value_of(run, 0), value_of(run, 1), run};
    return flx_folder_add_row(f, run, 3, names, values);
}

static flx_status keep(void *user, int run, int n, const char *const *columns, const double *values)
{
    int *next = user;
    bool right = n == 3 && strcmp(columns[1], "far") == 0 && values[0] == value_of(run, 0) &&
                 values[1] == value_of(run, 1) && values[2] == run && run >= *next;
    *next = run + 1;
    return right ? FLX_OK : FLX_ERR_ARGUMENT;
}

// Two workers take turns; every chunk is done once, and the rows are all there, in order.
static int workers_share_the_runs(void)
{
    flx_ctx *ctx;
    flx_folder *f[2];
    int done[23] = {0}, first, last, waits, next = 0;
    CHECK(begin(&ctx, &f[0]) == 0);
    CHECK(flx_folder_open(ctx, FOLDER, &f[1]) == FLX_OK);
    for (int k = 0; k < 5; k++) {
        flx_folder *w = f[k % 2];
        CHECK(flx_folder_claim(w, &first, &last, &waits) == FLX_OK && !waits);
        CHECK(last - first == (first == 20 ? 3 : 5));
        for (int run = first; run < last; run++, done[run - 1]++) CHECK(add(w, run) == FLX_OK);
        if (k == 4) { // the other waits while the last is under way
            CHECK(flx_folder_claim(f[1], &first, &last, &waits) == FLX_OK && waits);
        }
        CHECK(flx_folder_finish_chunk(w) == FLX_OK);
    }
    for (int i = 0; i < 23; i++) CHECK(done[i] == 1);
    CHECK(flx_folder_claim(f[0], &first, &last, &waits) == FLX_STOPPED);
    flx_folder_status s;
    CHECK(flx_folder_gather(f[0], keep, &next, &s) == FLX_OK);
    CHECK(next == 23 && s.done == 23 && s.failed == 0 && s.finished == 5 && s.taken == 0);
    flx_folder_close(&f[1]);
    return end(&ctx, &f[0]);
}

// Makes the claims of the folder old.
static int make_old(void)
{
    struct timespec past[2];
    clock_gettime(CLOCK_REALTIME, &past[0]);
    past[0].tv_sec -= 100;
    past[1] = past[0];
    char path[200];
    for (int k = 0; k < 5; k++) {
        snprintf(path, sizeof path, FOLDER "/claims/%06d", k);
        (void)utimensat(AT_FDCWD, path, past, 0);
    }
    return 0;
}

// A worker dies within a row: what it had written counts, its chunk is done again by another, and nothing is there twice.
static int a_dead_worker_costs_its_chunk(void)
{
    flx_ctx *ctx;
    flx_folder *dead, *f;
    int first, last, waits, next = 0, chunks = 0;
    CHECK(begin(&ctx, &dead) == 0);
    CHECK(flx_folder_claim(dead, &first, &last, &waits) == FLX_OK);
    int left = last - first - 3; // the last chunk has three runs alone
    for (int run = first; run < first + 3; run++) CHECK(add(dead, run) == FLX_OK);
    CHECK(system("for r in " FOLDER
                 "/rows/*.rows; do head -c 9 $r > tail && cat tail >> $r; done; rm tail") == 0);
    CHECK(flx_folder_open(ctx, FOLDER, &f) == FLX_OK);
    for (;;) {
        CHECK(flx_folder_claim(f, &first, &last, &waits) == FLX_OK);
        if (waits) break;
        chunks++;
        for (int run = first; run < last; run++) CHECK(add(f, run) == FLX_OK);
        CHECK(flx_folder_finish_chunk(f) == FLX_OK);
    }
    CHECK(chunks == 4);
    CHECK(make_old() == 0);
    flx_folder_status s;
    CHECK(flx_folder_gather(f, keep, &next, &s) == FLX_OK && s.done == 23 - left && s.taken == 1);
    CHECK(flx_folder_claim(f, &first, &last, &waits) == FLX_OK && !waits);
    for (int run = first; run < last; run++) CHECK(add(f, run) == FLX_OK);
    CHECK(flx_folder_finish_chunk(f) == FLX_OK);
    next = 0;
    CHECK(flx_folder_gather(f, keep, &next, &s) == FLX_OK && next == 23 && s.done == 23);
    flx_folder_close(&f);
    return end(&ctx, &dead);
}

static int failures_are_kept_and_tried_again(void)
{
    flx_ctx *ctx;
    flx_folder *f;
    int first, last, waits, count, next = 0;
    CHECK(begin(&ctx, &f) == 0);
    while (flx_folder_claim(f, &first, &last, &waits) == FLX_OK) {
        for (int run = first; run < last; run++) {
            CHECK(run == 7 ? flx_folder_add_failure(f, run, "singular\nk=2\n") == FLX_OK
                           : add(f, run) == FLX_OK);
        }
        CHECK(flx_folder_finish_chunk(f) == FLX_OK);
    }
    flx_folder_status s;
    CHECK(flx_folder_gather(f, keep, &next, &s) == FLX_OK && s.done == 22 && s.failed == 1);
    CHECK(flx_folder_has_failed(f, 7) && !flx_folder_has_failed(f, 8));
    CHECK(strcmp(flx_folder_failure(f, 7), "singular\nk=2\n") == 0 && !flx_folder_failure(f, 6));
    CHECK(flx_folder_retry(f, &count) == FLX_OK && count == 1);
    CHECK(flx_folder_claim(f, &first, &last, &waits) == FLX_OK && first == 5 && last == 10);
    CHECK(add(f, 7) == FLX_OK && flx_folder_finish_chunk(f) == FLX_OK);
    next = 0;
    CHECK(flx_folder_gather(f, keep, &next, &s) == FLX_OK && s.done == 23 && s.failed == 0);
    return end(&ctx, &f);
}

static int what_is_no_study_is_refused(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_folder *f = NULL;
    CHECK(system("rm -rf " FOLDER " && mkdir " FOLDER) == 0);
    CHECK(flx_folder_open(ctx, FOLDER, &f) == FLX_ERR_IO && !f);
    static const char *const plans[] = {"", "flexion study 2\nend\n", "flexion study 1\nruns 3\n",
                                        "flexion study 1\nmodel a\nruns -3\nchunk 1\nend\n",
                                        "\x00\xff\n"};
    for (int i = 0; i < 5; i++) {
        FILE *file = fopen(FOLDER "/plan", "w");
        fputs(plans[i], file);
        fclose(file);
        CHECK(flx_folder_open(ctx, FOLDER, &f) == FLX_ERR_ARGUMENT && !f);
    }
    return end(&ctx, &f);
}

TEST_MAIN(TEST(plan_is_read_as_it_was_written), TEST(workers_share_the_runs),
          TEST(a_dead_worker_costs_its_chunk), TEST(failures_are_kept_and_tried_again),
          TEST(what_is_no_study_is_refused))
