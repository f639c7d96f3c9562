// test_results.c - results written and read back, whole, damaged and foreign.
#include "flexion/extend/method_table.h"
#include "results_fixture.h"

#include <hdf5.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

// Fewer, as many and more rows than expected, and an unknown number.
static int hdf5_gives_every_bit_back(void)
{
    static const struct {
        int n;
        long expected;
    } cases[] = {{0, 0}, {1, 1}, {5, 9}, {9, 9}, {100, 9}, {3000, 0}, {0, 7}};
    flx_ctx *ctx = flx_ctx_create();
    double far = 2.385;
    flx_ledger ledger = {.nmetric = 1, .metrics = &far};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *path = in_folder("whole.h5");
        if (write_result(ctx, flx_hdf5_sink_create, path, cases[i].n, cases[i].expected, &ledger))
            return 1;
        if (read_result(ctx, path, cases[i].n, 1)) return 1;
    }
    CHECK(flx_ctx_error_count(ctx) == 0);
    flx_ctx_destroy(&ctx);
    return 0;
}

static double stored_number(hid_t file, const char *name)
{
    double value = -1.0;
    hid_t d = H5Dopen2(file, name, H5P_DEFAULT);
    if (d < 0) return value;
    H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
    H5Dclose(d);
    return value;
}

// The numbers of a dataset: how many, at most `most` of them stored.
static int stored_numbers(hid_t file, const char *name, int most, double *values)
{
    hid_t d = H5Dopen2(file, name, H5P_DEFAULT);
    if (d < 0) return -1;
    hid_t space = H5Dget_space(d);
    int n = (int)H5Sget_simple_extent_npoints(space);
    if (n <= most) H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Sclose(space);
    H5Dclose(d);
    return n;
}

static int attribute_is(hid_t file, const char *name, const char *text)
{
    char found[256] = {0};
    hid_t a = H5Aopen(file, name, H5P_DEFAULT);
    CHECK(a >= 0);
    hid_t type = H5Aget_type(a);
    CHECK(H5Tget_size(type) < sizeof found);
    CHECK(H5Aread(a, type, found) >= 0);
    H5Tclose(type);
    H5Aclose(a);
    CHECK_TEXT(found, text);
    return 0;
}

// A file tells what it is to a reader that knows nothing but HDF5.
static int hdf5_file_says_what_it_is(void)
{
    flx_ctx *ctx = flx_ctx_create();
    const char *path = in_folder("says.h5");
    double far = 2.385;
    flx_ledger ledger = {.t = 1.5,
                         .work = {.steps = 321, .largest_step = 0.25},
                         .energy_drift = 3e-9,
                         .momentum_change = {1, 2, 3, 4, 5, 6},
                         .position_item = "pin",
                         .balanced = 1,
                         .nmetric = 1,
                         .metrics = &far};
    if (write_result(ctx, flx_hdf5_sink_create, path, 3, 3, &ledger)) return 1;

    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    CHECK(file >= 0);
    CHECK(stored_number(file, "ledger/steps") == 321.0);
    CHECK(stored_number(file, "ledger/largest_step") == 0.25);
    CHECK(stored_number(file, "ledger/energy_drift") == 3e-9);
    CHECK(stored_number(file, "ledger/t") == 1.5);
    CHECK(stored_number(file, "ledger/balanced") == 1.0);
    CHECK(stored_number(file, "ledger/status") == 0.0);
    CHECK(stored_number(file, "measures/far") == 2.385);
    if (attribute_is(file, "title", "A synthetic result")) return 1;
    if (attribute_is(file, "version", flx_version())) return 1;
    if (attribute_is(file, "method", "radau")) return 1;
    if (attribute_is(file, "settings", "step 0.001")) return 1;
    if (attribute_is(file, "build: HDF5", "1.")) return 1;
    if (attribute_is(file, "build: processor", "")) return 1;

    char text[64] = {0};
    hid_t d = H5Dopen2(file, "model", H5P_DEFAULT), type = H5Dget_type(d);
    CHECK(H5Tget_size(type) < sizeof text);
    CHECK(H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    CHECK(strcmp(text, "flexion: 1\n") == 0);
    H5Tclose(type);
    H5Dclose(d);
    H5Fclose(file);
    flx_ctx_destroy(&ctx);
    return 0;
}

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

// Events with the signals on both sides, more than are reserved at first.
static int hdf5_keeps_events(void)
{
    enum { MANY = 700 };
    static const char *const names[] = {"bounce", "done"};
    static double t[MANY + 1], event[MANY + 1], before[MANY * N_COLUMNS], after[MANY * N_COLUMNS];
    for (int events = 0; events <= MANY; events += MANY) {
        flx_ctx *ctx = flx_ctx_create();
        flx_sink *s = NULL;
        const char *path = in_folder("events.h5");
        flx_result_info info = make_info(3);
        flx_ledger ledger = {.stopped_by = "done"};
        double row[N_COLUMNS], other[N_COLUMNS];
        info.nevent = 2;
        info.events = names;
        CHECK(flx_hdf5_sink_create(ctx, path, &s) == FLX_OK);
        CHECK(s->type->begin(s, &info) == FLX_OK);
        for (int i = 0; i < events; i++) {
            make_row(i, row);
            make_row(i + 1, other);
            CHECK(s->type->event(s, 0.5 * i, i % 2, row, other) == FLX_OK);
        }
        CHECK(put_rows(s, 0, 3) == FLX_OK);
        CHECK(s->type->end(s, &ledger) == FLX_OK);
        flx_sink_destroy(&s);
        if (read_result(ctx, path, 3, 1)) return 1;

        hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        CHECK(file >= 0);
        CHECK(stored_numbers(file, "events/t", MANY, t) == events);
        CHECK(stored_numbers(file, "events/event", MANY, event) == events);
        CHECK(stored_numbers(file, "events/before", MANY * N_COLUMNS, before) ==
              events * N_COLUMNS);
        CHECK(stored_numbers(file, "events/after", MANY * N_COLUMNS, after) == events * N_COLUMNS);
        H5Fclose(file);
        for (int i = 0; i < events; i++) {
            make_row(i, row);
            make_row(i + 1, other);
            CHECK(t[i] == 0.5 * i && event[i] == i % 2);
            for (int k = 0; k < N_COLUMNS; k++) {
                CHECK(is_same(before[i * N_COLUMNS + k], row[k]));
                CHECK(is_same(after[i * N_COLUMNS + k], other[k]));
            }
        }
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// A title or settings of any length fit, and names of any number.
static int hdf5_takes_large_texts(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_sink *s = NULL;
    flx_result *r = NULL;
    enum { N = 5000, LONG = 100000 };
    static char title[LONG + 1], name[N][32];
    static const char *names[N], *units[N];
    static double values[N];
    memset(title, 'a', LONG);
    for (int i = 0; i < N; i++) {
        snprintf(name[i], sizeof name[i], "link(%d).position.x", i);
        names[i] = name[i];
        units[i] = "m";
        values[i] = i;
    }
    flx_result_info info = {.title = title, .ncolumn = N, .names = names, .units = units};
    const char *path = in_folder("large.h5");
    CHECK(flx_hdf5_sink_create(ctx, path, &s) == FLX_OK);
    CHECK(s->type->begin(s, &info) == FLX_OK);
    CHECK(s->type->row(s, 0.5, values) == FLX_OK);
    CHECK(s->type->end(s, NULL) == FLX_OK);
    flx_sink_destroy(&s);
    CHECK(flx_result_open(ctx, path, &r) == FLX_OK);
    CHECK(strcmp(flx_result_title(r), title) == 0);
    CHECK(strcmp(flx_result_name(r, N), name[N - 1]) == 0);
    CHECK(flx_result_column(r, N)[0] == N - 1);
    CHECK(flx_result_column(r, N + 1) == NULL);
    CHECK(flx_result_name(r, -1) == NULL);
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

// ---- what is wrong is said --------------------------------------------------------------------

static int refuses(flx_ctx *ctx, const char *path, const char *message)
{
    flx_result *r = NULL;
    flx_ctx_clear_messages(ctx);
    CHECK(flx_result_open(ctx, path, &r) == FLX_ERR_IO);
    CHECK(r == NULL);
    CHECK_TEXT(last_error(ctx), message);
    CHECK_TEXT(last_error(ctx), path);
    return 0;
}

static int wrong_files_are_refused_with_a_reason(void)
{
    flx_ctx *ctx = flx_ctx_create();
    const char *path = in_folder("wrong.h5");
    if (refuses(ctx, path, "No such file")) return 1;
    if (refuses(ctx, folder, "not a regular file")) return 1;
    write_text(path, "", 0);
    if (refuses(ctx, path, "is empty")) return 1;
    write_text(path, "\0\0\1\2\3garbage\n", 14);
    if (refuses(ctx, path, "not text")) return 1;
    write_text(path, "flexion: 1\nbodies: 3\n", 21);
    if (refuses(ctx, path, "is a model, not a result; run it first")) return 1;
    write_text(path, "x,y\n1,2\n", 8);
    if (refuses(ctx, path, "first column is not named t")) return 1;
    write_text(path, "no end of line", 14);
    if (refuses(ctx, path, "no line of names")) return 1;

    // HDF5 of someone else
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    if (refuses(ctx, path, "not a result of flexion")) return 1;

    // ours, but half of it
    flx_ctx_clear_messages(ctx);
    if (write_result(ctx, flx_hdf5_sink_create, path, 900, 900, NULL)) return 1;
    struct stat info;
    CHECK(stat(path, &info) == 0);
    CHECK(truncate(path, info.st_size / 2) == 0);
    if (refuses(ctx, path, "is truncated")) return 1;
    CHECK(truncate(path, 20) == 0);
    if (refuses(ctx, path, "damaged")) return 1;
    flx_ctx_destroy(&ctx);
    return 0;
}

// HDF5 1.10 itself loses a few hundred bytes when it refuses some damaged files; nothing of ours.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

// Whatever bytes are changed, reading ends with a message or with a result.
static int damaged_files_do_no_harm(void)
{
    flx_ctx *ctx = flx_ctx_create();
    static char bytes[1 << 16];
    const char *path = in_folder("damaged.h5"), *whole = in_folder("intact.h5");
    if (write_result(ctx, flx_hdf5_sink_create, whole, 3, 3, NULL)) return 1;
    FILE *f = fopen(whole, "rb");
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    CHECK(n > 0 && n < sizeof bytes);
    unsigned seed = 12345;
    for (int round = 0; round < 300; round++) {
        seed = seed * 1103515245u + 12345u;
        size_t at = seed / 65536u % n;
        char was = bytes[at];
        bytes[at] = (char)(was ^ (char)(1 + round % 255));
        write_text(path, bytes, n);
        bytes[at] = was;
        flx_result *r = NULL;
        flx_status status = flx_result_open(ctx, path, &r);
        CHECK(status == FLX_OK ? r != NULL : r == NULL && flx_ctx_error_count(ctx) > 0);
        flx_result_close(&r);
        flx_ctx_clear_messages(ctx);
        CHECK(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0); // everything was closed
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

static int places_that_cannot_be_written_are_refused(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_sink *s = NULL;
    CHECK(flx_hdf5_sink_create(ctx, in_folder("none/x.h5"), &s) == FLX_ERR_IO);
    CHECK(s == NULL);
    CHECK_TEXT(last_error(ctx), "cannot create the result");
    CHECK(flx_hdf5_sink_create(ctx, folder, &s) == FLX_ERR_IO);
    CHECK_TEXT(last_error(ctx), "not a regular file");
    CHECK(flx_hdf5_sink_create(ctx, "/dev/null", &s) == FLX_ERR_IO);
    CHECK_TEXT(last_error(ctx), "not a regular file");
    CHECK(flx_csv_sink_create(ctx, in_folder("none/x.csv"), &s) == FLX_ERR_IO);
    CHECK_TEXT(last_error(ctx), "cannot create the table");
    flx_ctx_destroy(&ctx);
    return 0;
}

static int full_disk_is_reported(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_sink *s = NULL;
    flx_result_info info = make_info(0);
    CHECK(flx_csv_sink_create(ctx, "/dev/full", &s) == FLX_OK);
    CHECK(s->type->begin(s, &info) == FLX_ERR_IO);
    CHECK_TEXT(last_error(ctx), "No space left");
    flx_sink_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

// ---- tables -----------------------------------------------------------------------------------

static int csv_gives_every_bit_back(void)
{
    flx_ctx *ctx = flx_ctx_create();
    const char *path = in_folder("table.csv");
    if (write_result(ctx, flx_csv_sink_create, path, 200, 0, NULL)) return 1;
    if (read_result(ctx, path, 200, 1)) return 1;

    char line[256];
    FILE *f = fopen(path, "r");
    CHECK(f && fgets(line, sizeof line, f));
    CHECK(strcmp(line,
                 "t,crank.position.x,crank.position.y,pin(2).angle,\"odd, \"\"name\"\"'\"\n") == 0);
    CHECK(fgets(line, sizeof line, f));
    CHECK(strcmp(line, "0,0.1,0.2,0.30000000000000004,0.4\n") == 0); // as many digits as are needed
    fclose(f);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int csv_without_its_last_end_of_line_loses_that_row_alone(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = NULL;
    const char *path = in_folder("short.csv"), *text = "t,a\r\n0,1\r\n\n1,\n2,nan\n3,-inf\n4,7.1";
    write_text(path, text, strlen(text));
    CHECK(flx_result_open(ctx, path, &r) == FLX_OK);
    CHECK(flx_result_rows(r) == 4);
    CHECK(flx_result_column(r, 1)[0] == 1.0);
    CHECK(isnan(flx_result_column(r, 1)[1]));
    CHECK(isnan(flx_result_column(r, 1)[2]));
    CHECK(isinf(flx_result_column(r, 1)[3]));
    CHECK(!flx_result_complete(r));
    flx_result_close(&r);

    text = "t,a\n0,1\n1,2,3\n";
    write_text(path, text, strlen(text));
    if (refuses(ctx, path, ":3: more than the 2 values")) return 1;
    text = "t,a\n0,1\n1\n";
    write_text(path, text, strlen(text));
    if (refuses(ctx, path, ":3: 1 values where 2 are due")) return 1;
    text = "t,a\n0,one\n";
    write_text(path, text, strlen(text));
    if (refuses(ctx, path, ":2: 'one' is not a number")) return 1;
    flx_ctx_destroy(&ctx);
    return 0;
}

// ---- names ------------------------------------------------------------------------------------

static int signals_are_found_by_name(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = NULL;
    int found[8];
    const char *path = in_folder("names.csv");
    const char *text = "t,crank.position.x,crank.position.y,pin(1).angle,pin(2).angle,be,be',"
                       "leg(1)(2).tip.x,pinion.angle,rod.mode(1),rod.mode(2),arm(3).mode(1)\n";
    write_text(path, text, strlen(text));
    CHECK(flx_result_open(ctx, path, &r) == FLX_OK);
    CHECK(flx_result_find(r, "crank.position", 8, found) == 2 && found[0] == 1 && found[1] == 2);
    CHECK(flx_result_find(r, "crank", 8, found) == 2);
    CHECK(flx_result_find(r, "crank.position.y", 8, found) == 1 && found[0] == 2);
    CHECK(flx_result_find(r, "pin", 8, found) == 2 && found[0] == 3);
    CHECK(flx_result_find(r, "pin.angle", 8, found) == 2 && found[1] == 4);
    CHECK(flx_result_find(r, "pin(2)", 8, found) == 1 && found[0] == 4);
    CHECK(flx_result_find(r, "be", 8, found) == 1 && found[0] == 5);
    CHECK(flx_result_find(r, "be'", 8, found) == 1 && found[0] == 6);
    CHECK(flx_result_find(r, "leg.tip", 8, found) == 1 && found[0] == 7);
    CHECK(flx_result_find(r, "leg(1)(2).tip.x", 8, found) == 1);
    CHECK(flx_result_find(r, "crank.position", 1, found) == 1);
    CHECK(flx_result_find(r, "rod.modes", 8, found) == 2 && found[0] == 9 && found[1] == 10);
    CHECK(flx_result_find(r, "arm(3).modes", 8, found) == 1 && found[0] == 11);
    CHECK(flx_result_find(r, "arm.modes", 8, found) == 1 && found[0] == 11);
    CHECK(flx_ctx_error_count(ctx) == 0);
    CHECK(flx_result_find(r, "crank.posiion", 8, found) == 0);
    CHECK_TEXT(last_error(ctx), "did you mean 'crank.position'?");
    CHECK(flx_result_find(r, "voltage", 8, found) == 0);
    CHECK_TEXT(last_error(ctx), "it has: t, crank.position.x");
    CHECK(flx_result_find(r, "", 8, found) == 0);
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Two meshes of two tetrahedra, the second without stresses, and then damaged.
static int meshes_come_back(void)
{
    static const float nodes[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    static const int labels[5] = {7, 8, 9, 12, 13}, cells[2] = {10, 10}, offsets[3] = {0, 4, 8};
    static const int triangles[6] = {0, 2, 1, 1, 2, 4}, wrong[6] = {0, 2, 1, 1, 2, 5};
    static const int connectivity[8] = {0, 1, 2, 3, 1, 2, 3, 4};
    float modes[2 * 5 * 3], stress[2 * 5 * 6];
    for (int i = 0; i < 30; i++) modes[i] = 0.1f * (float)i;
    for (int i = 0; i < 60; i++) stress[i] = 1e9f / (float)(i + 1);
    flx_result_mesh meshes[2] = {{.nnode = 5,
                                  .nsurface = 5,
                                  .ntriangle = 2,
                                  .ncell = 2,
                                  .nmode = 2,
                                  .nodes = nodes,
                                  .labels = labels,
                                  .triangles = triangles,
                                  .cells = cells,
                                  .offsets = offsets,
                                  .connectivity = connectivity,
                                  .modes = modes,
                                  .stress = stress}};
    meshes[1] = meshes[0];
    meshes[1].stress = NULL;
    flx_ctx *ctx = flx_ctx_create();
    flx_ledger ledger = {0};
    flx_result_info info = make_info(2);
    info.nmetric = 0;
    info.scene = &(const flx_scene){.dimension = 3, .size = 1};
    info.nmotion = 9;
    info.nmesh = 2;
    info.meshes = meshes;
    for (int damaged = 0; damaged < 2; damaged++) {
        const double motion[9] = {0};
        flx_sink *s = NULL;
        flx_result *r = NULL;
        if (damaged) meshes[1].triangles = wrong; // a node that is not there
        CHECK(flx_hdf5_sink_create(ctx, in_folder("mesh.h5"), &s) == FLX_OK);
        CHECK(s->type->begin(s, &info) == FLX_OK);
        for (int i = 0; i < 5; i++) { // more rows than expected: the file is laid out anew
            CHECK(s->type->motion(s, motion) == FLX_OK);
            CHECK(put_rows(s, i, i + 1) == FLX_OK);
        }
        CHECK(s->type->end(s, &ledger) == FLX_OK);
        flx_sink_destroy(&s);
        CHECK(flx_result_open(ctx, in_folder("mesh.h5"), &r) == FLX_OK);
        const flx_result_mesh *m = flx_result_get_mesh(r, 0);
        CHECK(m && m->nnode == 5 && m->nsurface == 5 && m->ncell == 2 && m->nmode == 2);
        CHECK(m->ntriangle == 2 && same_floats(sizeof nodes / sizeof *nodes, m->nodes, nodes));
        CHECK(memcmp(m->labels, labels, sizeof labels) == 0);
        CHECK(memcmp(m->triangles, triangles, sizeof triangles) == 0);
        CHECK(memcmp(m->cells, cells, sizeof cells) == 0);
        CHECK(memcmp(m->offsets, offsets, sizeof offsets) == 0);
        CHECK(memcmp(m->connectivity, connectivity, sizeof connectivity) == 0);
        CHECK(same_floats(sizeof modes / sizeof *modes, m->modes, modes));
        CHECK(same_floats(sizeof stress / sizeof *stress, m->stress, stress));
        const flx_result_mesh *second = flx_result_get_mesh(r, 1);
        CHECK(damaged ? second == NULL : second && second->stress == NULL);
        CHECK(flx_result_get_mesh(r, 2) == NULL && flx_result_get_mesh(r, -1) == NULL);
        flx_result_close(&r);
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

// ---- memory -----------------------------------------------------------------------------------

static flx_status write_and_read(flx_ctx *ctx, sink_maker make, const char *path)
{
    flx_sink *s = NULL;
    flx_result *r = NULL;
    flx_result_info info = make_info(0);
    flx_status status = make(ctx, path, &s);
    if (status == FLX_OK) status = s->type->begin(s, &info);
    if (status == FLX_OK) status = put_rows(s, 0, 3);
    if (status == FLX_OK) status = s->type->end(s, NULL);
    flx_sink_destroy(&s);
    if (status == FLX_OK) status = flx_result_open(ctx, path, &r);
    flx_result_close(&r);
    return status;
}

// Each allocation fails in turn: every failure is reported and nothing leaks.
static int every_allocation_may_fail(void)
{
    static const sink_maker makers[] = {flx_hdf5_sink_create, flx_csv_sink_create};
    for (int i = 0; i < 2; i++) {
        int reached = 0;
        for (long k = 0; k < 200 && !reached; k++) {
            flx_ctx *ctx = flx_ctx_create();
            flx_ctx_fail_allocation(ctx, k);
            flx_status status = write_and_read(ctx, makers[i], in_folder("memory"));
            CHECK(status == FLX_OK || flx_ctx_error_count(ctx) > 0);
            reached = status == FLX_OK && k > 5;
            flx_ctx_destroy(&ctx);
        }
        CHECK(reached);
    }
    return 0;
}

static int files_start(void)
{
    make_folder("results");
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return 0;
}

static int files_end(void)
{
    remove_folder();
    return 0;
}

TEST_MAIN(TEST(files_start), TEST(hdf5_gives_every_bit_back), TEST(hdf5_file_says_what_it_is),
          TEST(hdf5_keeps_events), TEST(meshes_come_back), TEST(hdf5_takes_large_texts),
          TEST(wrong_files_are_refused_with_a_reason), TEST(damaged_files_do_no_harm),
          TEST(places_that_cannot_be_written_are_refused), TEST(full_disk_is_reported),
          TEST(csv_gives_every_bit_back),
          TEST(csv_without_its_last_end_of_line_loses_that_row_alone),
          TEST(signals_are_found_by_name), TEST(every_allocation_may_fail), TEST(files_end))
