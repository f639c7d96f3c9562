// run_case MODEL [WAY]: simulate a model and compare it with the reference that its comments name
// (tests/reference/README.md says how). Prints every comparison; exit status 0 when all hold.
// WAY takes the place of all keys of the model's `simulate` but `until`: "method: radau, rtol: 1e-9".
#include "base/text_file.h"
#include "flexion/flexion.h"
#include "read/yaml.h"

#include "case_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE 512

static int compared, failed;

// One comparison, printed.
static void compare(const char *what, double value, double expected, double tolerance)
{
    bool ok = fabs(value - expected) <= tolerance;
    printf("%s %-28s %.15g, expected %.15g, difference %.2e, tolerance %.2e\n",
           ok ? "ok    " : "FAILED", what, value, expected, value - expected, tolerance);
    compared++;
    failed += !ok;
}

static void complain(const char *what, const char *detail)
{
    printf("FAILED %s: %s\n", what, detail);
    compared++;
    failed++;
}

// ---- reference file: a list of checks {name, value, abs_tol | rel_tol} --------------------------

static const flx_entry *find_check(const flx_entry *reference, const char *name)
{
    const flx_entry *checks = reference ? flx_entry_get(reference, "checks") : NULL;
    for (int i = 0; checks && i < checks->count; i++) {
        const flx_entry *n = flx_entry_get(checks->items[i], "name");
        if (n && strcmp(n->text, name) == 0) return checks->items[i];
    }
    return NULL;
}

static bool number_of(const flx_entry *map, const char *key, double *value)
{
    const flx_entry *n = flx_entry_get(map, key);
    if (!n || strcmp(n->text, "null") == 0) return false;
    *value = strtod(n->text, NULL);
    return true;
}

// "NAME = SIGNAL @ TIME", "NAME = drift(SIGNAL)"
static void run_check(const flx_entry *reference, const case_table *result, char *line)
{
    char *equals = strstr(line, " = ");
    if (!equals) {
        complain(line, "a check reads NAME = SIGNAL @ TIME");
        return;
    }
    *equals = 0;
    char *signal = equals + 3, *at = strstr(signal, " @ ");
    double t = case_table_last_time(result), expected, tolerance, value;
    if (at) {
        *at = 0;
        t = strtod(at + 3, NULL);
    }
    const flx_entry *check = find_check(reference, line);
    if (!check || !number_of(check, "value", &expected)) {
        complain(line, "not in the reference file");
        return;
    }
    if (number_of(check, "rel_tol", &tolerance)) {
        tolerance *= fabs(expected);
    } else if (!number_of(check, "abs_tol", &tolerance)) {
        complain(line, "the reference gives no tolerance");
        return;
    }
    if (!case_table_value(result, signal, t, &value)) {
        complain(signal, "no such signal, or no output at that time");
        return;
    }
    compare(line, value, expected, tolerance);
}

// ---- curves: "FILE COLUMN = SIGNAL TOLERANCE" ---------------------------------------------------

static void run_curve(const case_table *result, const char *line)
{
    char file[128], column[64], signal[128], path[1024];
    double tolerance;
    if (sscanf(line, "%127s %63s = %127s %lf", file, column, signal, &tolerance) != 4) {
        complain(line, "a curve reads FILE COLUMN = SIGNAL TOLERANCE");
        return;
    }
    snprintf(path, sizeof path, FLX_TESTS "/reference/digest/%s", file);
    case_table reference;
    if (!case_table_read_csv(&reference, path)) {
        complain(path, "cannot be read");
        return;
    }
    double worst = 0.0, last = case_table_last_time(result);
    int points = 0;
    for (int i = 0; i < reference.rows; i++) {
        double t = reference.values[(size_t)i * (size_t)reference.columns], expected, value;
        if (t > last * (1 + 1e-12)) break;
        if (!case_table_value(&reference, column, t, &expected) ||
            !case_table_value(result, signal, t, &value)) {
            complain(signal, "no such signal or column, or no output at a time of the reference");
            case_table_clear(&reference);
            return;
        }
        if (!(fabs(value - expected) <= worst)) worst = fabs(value - expected);
        points++;
    }
    case_table_clear(&reference);
    char what[256];
    snprintf(what, sizeof what, "%s (%d points)", signal, points);
    if (points < 3) complain(what, "too few points");
    compare(what, worst, 0.0, tolerance);
}

// ---- the run ------------------------------------------------------------------------------------

static void print_messages(const flx_ctx *ctx)
{
    for (int i = 0; flx_ctx_error(ctx, i); i++) {
        const flx_message *m = flx_ctx_error(ctx, i);
        printf("%s:%d:%d: %s\n", m->loc.file ? m->loc.file : "", m->loc.line, m->loc.column,
               m->text);
    }
}

// The model with another way to simulate it.
static flx_status read_model(flx_ctx *ctx, flx_arena *arena, const char *path, const char *way,
                             flx_model **model)
{
    static const char key[] = "\nsimulate: {until: ";
    if (!way) return flx_model_read(ctx, path, 0, NULL, model);
    char *text, *other;
    size_t length;
    FLX_TRY(flx_file_read(ctx, arena, path, FLX_NOWHERE, &text, &length));
    char *line = strstr(text, key), *end = line ? strchr(line + 1, '\n') : NULL;
    if (!end) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, FLX_NOWHERE, "the model has no line '%s'", key + 1);
    }
    int head = (int)(line - text), until = (int)strcspn(line + strlen(key), ",}");
    other = flx_arena_printf(arena, "%.*s%s%.*s, %s}%s", head, text, key, until, line + strlen(key),
                             way, end);
    if (!other) return FLX_ERR_MEMORY;
    return flx_model_read_text(ctx, path, other, strlen(other), 0, NULL, model);
}

static flx_status simulate(flx_ctx *ctx, flx_arena *arena, const char *path, const char *way,
                           case_table *result)
{
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    case_sink sink = case_sink_make(ctx, result);
    flx_sink *sinks[] = {&sink.base};
    flx_status s = read_model(ctx, arena, path, way, &model);
    if (s == FLX_OK) s = flx_simulation_create(model, &sim);
    if (s == FLX_OK) s = flx_simulation_run(sim, 1, sinks, NULL, NULL);
    if (s == FLX_OK) {
        const flx_ledger *l = flx_simulation_ledger(sim);
        printf("steps %ld (+%ld), %.3f s, energy drift %.2e, residuals %.2e %.2e\n", l->work.steps,
               l->work.rejected, l->seconds, l->energy_drift, l->position_residual,
               l->velocity_residual);
        if (!l->balanced) complain(path, "the result fails its own ledger");
    }
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    return s;
}

static flx_entry *read_reference(flx_ctx *ctx, flx_arena *arena, const char *id)
{
    char path[1024];
    snprintf(path, sizeof path, FLX_TESTS "/reference/cases/%s.json", id);
    char *text;
    size_t length;
    flx_entry *tree = NULL; // JSON is YAML
    flx_status s = flx_file_read(ctx, arena, path, FLX_NOWHERE, &text, &length);
    // an empty text in it is no harm: the tree is there all the same
    if (s == FLX_OK) (void)flx_yaml_parse(ctx, arena, path, text, length, &tree);
    if (!tree) print_messages(ctx);
    return tree;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) return 2;
    flx_ctx *ctx = flx_ctx_create();
    flx_arena *arena = flx_arena_create(ctx);
    case_table result = {0};
    flx_status s = simulate(ctx, arena, argv[1], argv[2], &result);
    if (s != FLX_OK) {
        print_messages(ctx);
        complain(argv[1], flx_status_text(s));
    }

    flx_entry *reference = NULL;
    FILE *f = fopen(argv[1], "r");
    char line[MAX_LINE];
    while (s == FLX_OK && f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "# reference: ", 13) == 0) {
            reference = read_reference(ctx, arena, line + 13);
        } else if (strncmp(line, "# check: ", 9) == 0) {
            run_check(reference, &result, line + 9);
        } else if (strncmp(line, "# curve: ", 9) == 0) {
            run_curve(&result, line + 9);
        }
    }
    if (f) fclose(f);
    if (compared == 0) complain(argv[1], "names no reference");

    case_table_clear(&result);
    flx_arena_destroy(&arena);
    flx_ctx_destroy(&ctx);
    printf("%d passed, %d failed\n", compared - failed, failed);
    return failed != 0;
}
