// test_bad.c - wrong models are refused with the message expected, at the place expected.
//
// Every .yaml file of this folder is a wrong model. Its first lines say how:
//   # expect: <line>:<column>: <part of the first message>   (the place may be left out)
//   # set: name=value       a parameter set from outside
//   # simulate              the model reads well; its simulation fails
// Texts that are too large to keep are made here. `test_bad -v` prints every message.
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"

#include "check.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

// Seconds of the processor. A wrong model ends at once; the largest, with a sanitizer, takes 15.
#define SECONDS 60.0

static bool verbose;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- files ------------------------------------------------------------------------------------

typedef struct expectation {
    int line, column; // 0: anywhere
    char text[400];
    char setting[200];
    bool simulate;
} expectation;

static bool read_expectation(const char *path, expectation *e)
{
    char line[600];
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    *e = (expectation){0};
    while (fgets(line, sizeof line, f) && line[0] == '#') {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "# expect: ", 10) == 0) {
            const char *text = line + 10;
            int used = 0;
            if (sscanf(text, "%d:%d: %n", &e->line, &e->column, &used) >= 2 && used) text += used;
            snprintf(e->text, sizeof e->text, "%s", text);
        } else if (strncmp(line, "# set: ", 7) == 0) {
            snprintf(e->setting, sizeof e->setting, "%.190s", line + 7);
        } else if (strcmp(line, "# simulate") == 0) {
            e->simulate = true;
        }
    }
    fclose(f);
    return e->text[0] != 0;
}

static flx_status try_model(flx_ctx *ctx, const char *path, const expectation *e)
{
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    const char *const settings[] = {e->setting};
    flx_status status = flx_model_read(ctx, path, e->setting[0] != 0, settings, &model);
    if (status == FLX_OK && e->simulate) status = flx_simulation_create(model, &sim);
    if (sim) status = flx_simulation_run(sim, 0, NULL, NULL, NULL);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    return status;
}

static int check_file(const char *folder, const char *name)
{
    char path[1000];
    expectation e;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!read_expectation(path, &e)) {
        printf("%s: its first line is not '# expect: ...'\n", name);
        return 1;
    }
    flx_ctx *ctx = flx_ctx_create();
    double start = now();
    flx_status status = try_model(ctx, path, &e);
    double took = now() - start;
    const flx_message *m = flx_ctx_error(ctx, 0);
    const char *text = m && m->text ? m->text : "(no message)";
    int line = m ? m->loc.line : 0, column = m ? m->loc.column : 0;
    if (verbose) {
        printf("%s: %s\n    %d:%d: %s\n", name, flx_status_text(status), line, column, text);
        if (flx_ctx_error_count(ctx) > 1) printf("    and %d more\n", flx_ctx_error_count(ctx) - 1);
    }
    bool ok = status != FLX_OK && m && strstr(text, e.text) && took < SECONDS &&
              (!e.line || (line == e.line && column == e.column));
    if (!ok) {
        printf("%s\n    expected %d:%d: %s\n    found    %d:%d: %s (%s, %.1f s)\n", path, e.line,
               e.column, e.text, line, column, text, flx_status_text(status), took);
    }
    flx_ctx_destroy(&ctx);
    return !ok;
}

static int is_model(const struct dirent *d)
{
    size_t n = strlen(d->d_name);
    return n > 5 && strcmp(d->d_name + n - 5, ".yaml") == 0;
}

static int every_wrong_model_is_refused_as_expected(void)
{
    struct dirent **files;
    int failed = 0, n = scandir(FLX_TESTS "/bad", &files, is_model, alphasort);
    CHECK(n >= 80);
    for (int i = 0; i < n; i++) {
        failed += check_file(FLX_TESTS "/bad", files[i]->d_name);
        free(files[i]);
    }
    free(files);
    printf("%d wrong models, %d not refused as expected\n", n, failed);
    return failed != 0;
}

// ---- texts made here --------------------------------------------------------------------------

// Refused in time, and every refusal has a message.
static int refused(const char *what, const char *text, size_t length, const char *message)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    double start = now();
    flx_status status = flx_model_read_text(ctx, "made.yaml", text, length, 0, NULL, &model);
    double took = now() - start;
    const flx_message *m = flx_ctx_error(ctx, 0);
    bool ok = status != FLX_OK && !model && m && strstr(m->text, message) && took < SECONDS;
    if (!ok || verbose) {
        printf("%s: %s, %.1f s, %d:%d: %s\n", what, flx_status_text(status), took,
               m ? m->loc.line : 0, m ? m->loc.column : 0, m ? m->text : "(no message)");
    }
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return !ok;
}

static int garbage_of_ten_megabytes_ends_soon(void)
{
    const size_t size = (short_runs() ? 1 : 10) << 20;
    char *text = malloc(size + 1);
    CHECK(text);
    unsigned long long seed = 20250101;
    for (size_t i = 0; i < size; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        text[i] = (char)(seed >> 56);
    }
    text[size] = 0;
    int bad = refused("random bytes", text, size, "is this a model file?");
    for (size_t i = 0; i < size; i++) text[i] = (char)(' ' + (unsigned char)text[i] % 95);
    bad += refused("random letters", text, size, "");
    memset(text, 'x', size);
    bad += refused("one long word", text, size, "a model is a mapping");
    memset(text, '[', size);
    bad += refused("brackets", text, size, "nested more than 64 deep");
    free(text);
    return bad;
}

// A text of many pieces, each with its number.
static char *pieces(const char *head, const char *format, int n, const char *tail)
{
    size_t room = strlen(head) + strlen(tail) + (size_t)n * (strlen(format) + 24) + 1, at;
    char *text = malloc(room);
    if (!text) return NULL;
    at = (size_t)snprintf(text, room, "%s", head);
    for (int i = 0; i < n; i++) at += (size_t)snprintf(text + at, room - at, format, i, i + 1);
    snprintf(text + at, room - at, "%s", tail);
    return text;
}

static int refused_pieces(const char *what, const char *head, const char *format, int n,
                          const char *tail, const char *message)
{
    char *text = pieces(head, format, n, tail);
    CHECK(text);
    int bad = refused(what, text, strlen(text), message);
    free(text);
    return bad;
}

static int deep_nesting_is_refused(void)
{
    int bad = 0;
    bad +=
        refused_pieces("nested mappings", "flexion: 1\nnotes: ", "{a%d: ", 100000, "1", "nested");
    bad += refused_pieces("nested lists", "flexion: 1\nparameters: {a: ", "[\"%d\", ", 100000, "1",
                          "nested");
    bad += refused_pieces("brackets of an expression", "flexion: 1\nparameters:\n  a: ", "(%d+",
                          100000, "1", "");
    bad += refused_pieces("signs", "flexion: 1\nparameters:\n  a: 1", "-%d^-", 100000, "1", "");
    bad += refused_pieces("calls", "flexion: 1\nparameters:\n  a: ", "sin(%d+", 100000, "1", "");
    bad += refused_pieces("parameters that use the next", "flexion: 1\nparameters:\n",
                          "  p%d: p%d + 1\n", 100000, "  p100000: 1/0\n", "");
    bad += refused_pieces("signals that use the next", "flexion: 1\nsignals:\n", "  s%d: s%d + 1\n",
                          100000, "  s100000: unknown\n", "");
    bad += refused_pieces("items like the next", "flexion: 1\nbodies:\n", "  b%d: {like: b%d}\n",
                          20000, "  b20000: {type: piont, mass: 1}\n", "");
    bad += refused_pieces("functions of the next", "flexion: 1\nfunctions:\n",
                          "  f%d: {of: [x], value: f%d(x)}\n", 20000,
                          "  f20000: {of: [x], value: 1/0}\nparameters: {a: f0(1)}\n", "");
    bad +=
        refused_pieces("models in models", "flexion: 1\nmodels: ", "{m%d: {models: ", 40, "{}", "");
    return bad;
}

static int growth_beyond_memory_is_refused(void)
{
    int bad = 0;
    bad += refused_pieces("doubling functions", "flexion: 1\nfunctions:\n",
                          "  f%1$d: {of: [x], value: f%2$d(x) + f%2$d(x + t)}\n", 60,
                          "  f60: {of: [x], value: sin(x)}\nsignals: {s: f0(1)}\n", "");
    bad += refused_pieces("doubling signals", "flexion: 1\nsignals:\n", "  s%1$d: [s%2$d, s%2$d]\n",
                          60, "  s60: [t, t]\n", "");
    bad += refused_pieces("doubling parameters", "flexion: 1\nparameters:\n",
                          "  p%1$d: [p%2$d, p%2$d]\n", 60, "  p60: [1, 2]\n", "");
    bad += refused_pieces("sums of sums", "flexion: 1\nparameters:\n  a: ", "sum(j%d, 1, 1000, ",
                          12, "1))))))))))))", "");
    bad += refused_pieces(
        "repeat of many", "flexion: 1\nbodies:\n",
        "  b%d: {type: point, mass: 1, repeat: {i: [1, 100000], j: [1, 100000]}}\n", 3, "", "");
    bad += refused_pieces(
        "parts of parts",
        "flexion: 1\nmodels:\n  m0: {bodies: {b: {type: point, "
        "mass: 1}}}\n",
        "", 0, "parts: {q: {repeat: {i: [1, 100000], j: [1, 100000]}, model: m0}}\n", "");
    return bad;
}

// Every allocation of reading a model fails once: an error with no leak and no crash.
static int reading_survives_every_failing_allocation(void)
{
    const char *path = FLX_EXAMPLES "/slider_crank.yaml";
    for (long k = 0;; k += short_runs() ? 9 : 1) {
        flx_ctx *ctx = flx_ctx_create();
        flx_model *model = NULL;
        flx_ctx_fail_allocation(ctx, k);
        flx_status status = flx_model_read(ctx, path, 0, NULL, &model);
        CHECK(status == FLX_OK || (status == FLX_ERR_MEMORY && !model));
        CHECK(status == FLX_OK || flx_ctx_error_count(ctx) > 0);
        flx_model_destroy(&model);
        flx_ctx_destroy(&ctx);
        if (status == FLX_OK) break;
    }
    return 0;
}

int main(int argc, char **argv)
{
    const test_entry tests[] = {
        TEST(every_wrong_model_is_refused_as_expected),
        TEST(garbage_of_ten_megabytes_ends_soon),
        TEST(deep_nesting_is_refused),
        SLOW_TEST(growth_beyond_memory_is_refused),
        TEST(reading_survives_every_failing_allocation),
    };
    verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    setvbuf(stdout, NULL, _IOLBF, 0); // what was found before a hang is seen
    return run_tests(tests, (int)(sizeof tests / sizeof tests[0]));
}
