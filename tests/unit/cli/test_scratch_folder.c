// test_scratch_folder.c - folders for files that nobody keeps are made where TMPDIR says, and go with all they hold.
#include "studio/scratch_folder.h"
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

static bool exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

static int it_is_where_the_environment_says(void)
{
    char here[1000], place[2000], path[3000], other[3000];
    CHECK(getcwd(here, sizeof here));
    snprintf(place, sizeof place, "%s/scratch", here);
    CHECK(mkdir(place, 0700) == 0 || exists(place));
    setenv("TMPDIR", place, 1);
    CHECK(flx_scratch_make(sizeof path, path) && flx_scratch_make(sizeof other, other));
    CHECK(strncmp(path, place, strlen(place)) == 0 && strcmp(path, other) != 0);
    flx_scratch_remove(path);
    flx_scratch_remove(other);
    CHECK(rmdir(place) == 0); // nothing is left in it
    CHECK(!flx_scratch_make(sizeof path, path) && strncmp(path, place, strlen(place)) == 0);
    setenv("TMPDIR", "", 1);
    CHECK(flx_scratch_make(sizeof path, path) && strncmp(path, "/tmp/flexion-", 13) == 0);
    flx_scratch_remove(path);
    CHECK(!exists(path));
    return 0;
}

static int it_goes_with_all_it_holds(void)
{
    char path[500], name[600], kept[] = "kept_by_a_link";
    unsetenv("TMPDIR");
    CHECK(mkdir(kept, 0700) == 0 || exists(kept));
    CHECK(flx_scratch_make(sizeof path, path));
    snprintf(name, sizeof name, "%s/.hidden", path);
    CHECK(mkdir(name, 0700) == 0);
    snprintf(name, sizeof name, "%s/.hidden/file", path);
    FILE *f = fopen(name, "w");
    CHECK(f && fclose(f) == 0);
    snprintf(name, sizeof name, "%s/link", path);
    CHECK(symlink(kept, name) == 0);
    flx_scratch_remove(path);
    CHECK(!exists(path) && exists(kept));
    flx_scratch_remove("");
    CHECK(rmdir(kept) == 0);
    return 0;
}

static int a_name_without_room_is_refused(void)
{
    char path[12];
    unsetenv("TMPDIR");
    CHECK(!flx_scratch_make(sizeof path, path));
    return 0;
}

TEST_MAIN(TEST(it_is_where_the_environment_says), TEST(it_goes_with_all_it_holds),
          TEST(a_name_without_room_is_refused))
