// test_table_file.c - tables of functions from CSV files: columns by name, wrong lines by number.
#include "read/table_file.h"

#include "arena.h"

#include "base/text_file.h"

#include <stdlib.h>
#include <unistd.h>

static int rows;
static double *x, *y;
static char path[] = "table-XXXXXX";

static flx_status read_text(const char *text, const char *xcol, const char *ycol)
{
    strcpy(path, "table-XXXXXX");
    int fd = mkstemp(path);
    if (fd < 0) return FLX_ERR_IO;
    ssize_t written = write(fd, text, strlen(text));
    close(fd);
    flx_loc loc = {"m.yaml", 7, 9, NULL};
    flx_status status =
        written < 0 ? FLX_ERR_IO : flx_table_read(ctx, arena, path, loc, xcol, ycol, &rows, &x, &y);
    unlink(path);
    return status;
}

static int columns_are_found_by_name(void)
{
    begin();
    CHECK(read_text("# road\n\"z\", s ,w\r\n1.5,-2e0,7\n\n# more\n2.5, 3 ,8\n-1,4,9", "s", "z") ==
          FLX_OK);
    CHECK(rows == 3);
    CHECK_NEAR(x[0], -2, 0);
    CHECK_NEAR(y[0], 1.5, 0);
    CHECK_NEAR(x[2], 4, 0);
    CHECK_NEAR(y[2], -1, 0);
    CHECK(read_text("a;b\n1;2\n3;4\n", NULL, NULL) == FLX_OK);
    CHECK(rows == 2);
    CHECK_NEAR(y[1], 4, 0);
    CHECK(read_text("a\tb\n1\t2\n3\t4\n", "b", "a") == FLX_OK);
    CHECK_NEAR(x[1], 4, 0);
    finish();
    return 0;
}

// A table without a line of names loses no row.
static int names_may_be_missing(void)
{
    static const char *const texts[] = {"0,10\n1,20\n2,30\n",
                                        "\xef\xbb\xbf\x30,10\r\n1,20\r\n2,30\r\n",
                                        "# seconds, newtons\n\n0, 10\n1, 20\n2, 30",
                                        "0;10\n1;20\n2;30\n",
                                        "0\t10\n1\t20\n2\t30\n",
                                        "-0.0,1e1,left\n1,2e1,over\n2,3e1,here\n",
                                        "\"0\",\"10\"\n1,20\n2,30\n",
                                        "t,p\n0,10\n1,20\n2,30\n",
                                        "\"t, s\",\"p, N\"\n0,10\n1,20\n2,30\n",
                                        "t, s;p, N\n0;10\n1;20\n2;30\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        begin();
        CHECK(read_text(texts[i], NULL, NULL) == FLX_OK);
        CHECK(rows == 3);
        for (int k = 0; k < 3; k++) CHECK(x[k] == k && y[k] == 10 * (k + 1));
        finish();
    }
    begin();
    CHECK(read_text("1,2\n3,4\n5,6\n", "1", "2") == FLX_OK); // numbers that are names
    CHECK(rows == 2 && x[0] == 3);
    finish();
    return 0;
}

static int refused_without_names(const char *text, int line, const char *message)
{
    begin();
    CHECK(read_text(text, NULL, NULL) == FLX_ERR_MODEL);
    const flx_message *m = flx_ctx_error(ctx, 0);
    CHECK(m && flx_ctx_error_count(ctx) == 1 && m->loc.line == line);
    CHECK_TEXT(m->text, message);
    finish();
    return 0;
}

static int tables_of_another_kind_are_named(void)
{
    static const char comma[] = "has a decimal comma; numbers are written with a point";
    CHECK(refused_without_names("t;p\n0,5;1\n1,5;2\n", 2, comma) == 0);
    CHECK(refused_without_names("0,5;1\n1,5;2\n", 1, comma) == 0);
    CHECK(refused_without_names("\"0,5\",\"1,25e3\"\n", 1, comma) == 0);
    CHECK(refused_without_names("t\tp\n0,5\t1\n", 2, comma) == 0);
    CHECK(refused_without_names("t,2\n0,1\n1,2\n", 1, "a number beside 't'") == 0);
    CHECK(refused_without_names("0,none\n1,2\n3,4\n", 1, "a number beside 'none'") == 0);
    CHECK(refused_without_names("0 1\n2 3\n", 1, "commas, semicolons or tabs") == 0);
    return 0;
}

// line 0: at the place of the model that names the table
static int refused(const char *text, int line, int column, const char *message)
{
    begin();
    CHECK(read_text(text, "s", "zet") == FLX_ERR_MODEL);
    const flx_message *m = flx_ctx_error(ctx, 0);
    CHECK(m && flx_ctx_error_count(ctx) == 1);
    CHECK_TEXT(m->text, message);
    CHECK_TEXT(m->loc.file, line ? "table-" : "m.yaml");
    CHECK(m->loc.line == (line ? line : 7));
    CHECK(m->loc.column == (line ? column : 9));
    finish();
    return 0;
}

static int wrong_tables_are_refused(void)
{
    CHECK(!refused("s,zat\n1,2\n2,3\n", 0, 0, "no column 'zet'; did you mean 'zat'?"));
    CHECK(!refused("", 0, 0, "0 lines of numbers"));
    CHECK(!refused("s,zet\n1,2\n", 0, 0, "1 lines of numbers"));
    CHECK(!refused("s,zet\n1,2\n2,two\n", 3, 3, "'two' is not a number"));
    CHECK(!refused("s,zet\n1,2\n2,0x10\n", 3, 3, "'0x10' is not a number"));
    CHECK(!refused("s,zet\n1,nan\n2,3\n", 2, 3, "'nan' is not a number"));
    CHECK(!refused("s,zet\n1,1e999\n2,3\n", 2, 3, "'1e999' is not a number"));
    CHECK(!refused("s,zet\n1,2\n1,3\n", 3, 1, "must ascend: 1 comes after 1"));
    CHECK(!refused("s,zet\n1,2\n2\n", 3, 1, "this line has 1 of the 2 columns"));
    return 0;
}

static int missing_file_is_named(void)
{
    begin();
    CHECK(flx_table_read(ctx, arena, "nowhere/road.csv", FLX_NOWHERE, "a", "b", &rows, &x, &y) ==
          FLX_ERR_IO);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "nowhere/road.csv");
    CHECK(flx_table_read(ctx, arena, ".", FLX_NOWHERE, "a", "b", &rows, &x, &y) == FLX_ERR_IO);
    CHECK_TEXT(flx_ctx_error(ctx, 1)->text, "not a file");
    finish();
    return 0;
}

static int paths_are_relative_to_the_model(void)
{
    begin();
    CHECK(strcmp(flx_file_beside(arena, "models/car.yaml", "road.csv"), "models/road.csv") == 0);
    CHECK(strcmp(flx_file_beside(arena, "car.yaml", "road.csv"), "road.csv") == 0);
    CHECK(strcmp(flx_file_beside(arena, "models/car.yaml", "/road.csv"), "/road.csv") == 0);
    CHECK(strcmp(flx_file_beside(arena, NULL, "road.csv"), "road.csv") == 0);
    finish();
    return 0;
}

static int every_failing_allocation_is_survived(void)
{
    char text[2000] = "s,zet\n";
    for (int i = 0; i < 40; i++) sprintf(text + strlen(text), "%d,%d\n", i, i * i);
    for (int k = 0;; k++) {
        begin();
        flx_ctx_fail_allocation(ctx, k);
        flx_status status = read_text(text, "s", "zet");
        CHECK(status == FLX_OK || status == FLX_ERR_MEMORY);
        finish();
        if (status == FLX_OK) break;
        CHECK(k < 100);
    }
    return 0;
}

TEST_MAIN(TEST(columns_are_found_by_name), TEST(names_may_be_missing),
          TEST(tables_of_another_kind_are_named), TEST(wrong_tables_are_refused),
          TEST(missing_file_is_named), TEST(paths_are_relative_to_the_model),
          TEST(every_failing_allocation_is_survived))
