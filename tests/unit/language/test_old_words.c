// Words of older versions of the language: accepted, told once, rewritten by flx_upgrade.
#include "language/schema/schema_old.h"

#include "arena.h"

#include "base/text_file.h"
#include "flexion/flexion.h"
#include "read/yaml.h"

#include <glob.h>
#include <stdlib.h>
#include <unistd.h>

static char made[80000]; // a text with old words

static flx_entry *parse(const char *text)
{
    flx_entry *tree = NULL;
    return flx_yaml_parse(ctx, arena, "m.yaml", text, strlen(text), &tree) == FLX_OK ? tree : NULL;
}

static int write_made(const char *path)
{
    FILE *f = fopen(path, "wb");
    CHECK(f);
    fputs(made, f);
    CHECK(fclose(f) == 0);
    return 0;
}

// ---- the table --------------------------------------------------------------------------------------

static int table_holds_together(void)
{
    for (const flx_old_key *k = flx_old_keys; k->now; k++) {
        char type[40];
        const char *types = k->types;
        CHECK(flx_schema_find(k->group, NULL, 0, k->now));
        if (!k->types[0]) CHECK(!flx_schema_find(k->group, NULL, 0, k->old));
        while (flx_schema_next_word(&types, type, sizeof type)) {
            CHECK(flx_schema_find(k->group, type, 0, k->now));
            CHECK(!flx_schema_find(k->group, type, 0, k->old));
        }
    }
    for (const flx_old_word *w = flx_old_words; w->now; w++) {
        CHECK(flx_schema_find_word(w->group, w->key, w->now));
        CHECK(!flx_schema_find_word(w->group, w->key, w->old));
    }
    return 0;
}

// ---- reading ----------------------------------------------------------------------------------------

static const char all_old[] =
    "flexion: 1\n"
    "functions: {f: {points: [[0, 1], [1, 2]], outside: extend}}\n"
    "fe:\n"
    "  line: [[0, 0, 0], [1, 0, 0]]\n"
    "  section: {radius: 0.01}\n"
    "  material: {E: 2e11, density: 7850}\n"
    "  masses: lumped\n"
    "  loads: {a: {type: spin, value: 3}}\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 1, inertia: [1, 1, 1]}\n"
    "  b: {type: modal, fe: {line: [[0, 0, 0], [1, 0, 0]], section: {radius: 0.01}, material: {E: "
    "2e11, density: 7850}},\n"
    "      reduce: {type: modal, modes: 2, interfaces: [start, end]}}\n"
    "joints:\n"
    "  A: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], start: {angle: 0.1}}\n"
    "equations: {second_order: {q: {force: -100*q}, start: {force: -q}}}\n"
    "events: {tick: {every: 0.5, start: 0.25, set: {q': 1}}}\n"
    "reduce:\n"
    "  - {type: quasistatic, velocities: [q], otherwise: full, start: slow}\n"
    "  - {type: guyan, velocities: [b.mode(1)]}\n"
    "  - {type: cutoff, velocities: [b.mode(2)], frequency: 10}\n"
    "analyse: {p: {type: static, most_steps: 100}}\n"
    "simulate: {until: 1, method: radau, rtol: 1e-6, first_step: 1e-3, largest_step: 0.1}\n"
    "outputs: {measures: {far: maximum(f(start))}}\n";
static const char all_new[] =
    "flexion: 1\n"
    "functions: {f: {points: [[0, 1], [1, 2]], extrapolation: linear}}\n"
    "fe:\n"
    "  line: [[0, 0, 0], [1, 0, 0]]\n"
    "  section: {radius: 0.01}\n"
    "  material: {E: 2e11, density: 7850}\n"
    "  mass_matrix: lumped\n"
    "  loads: {a: {type: centrifugal, value: 3}}\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 1, inertia: [1, 1, 1]}\n"
    "  b: {type: flexible, fe: {line: [[0, 0, 0], [1, 0, 0]], section: {radius: 0.01}, material: "
    "{E: 2e11, density: 7850}},\n"
    "      reduce: {type: modal, modes: 2, interfaces: [start, end]}}\n"
    "joints:\n"
    "  A: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], initial: {angle: "
    "0.1}}\n"
    "equations: {second_order: {q: {force: -100*q}, start: {force: -q}}}\n"
    "events: {tick: {every: 0.5, start: 0.25, set: {q': 1}}}\n"
    "reduce:\n"
    "  - {type: quasistatic, neglect_inertia: [q], on_violation: full, initial: slow}\n"
    "  - {type: guyan, condense: [b.mode(1)]}\n"
    "  - {type: cutoff, raise_inertia: [b.mode(2)], frequency: 10}\n"
    "analyse: {p: {type: static, max_steps: 100}}\n"
    "simulate: {until: 1, method: radau, rtol: 1e-6, initial_step: 1e-3, max_step: 0.1}\n"
    "outputs: {metrics: {far: maximum(f(start))}}\n";

static bool is_same(const flx_entry *a, const flx_entry *b)
{
    if (a->kind != b->kind || a->count != b->count || strcmp(a->text, b->text) != 0) return false;
    for (int i = 0; i < a->count; i++) {
        if (a->keys && strcmp(a->keys[i]->text, b->keys[i]->text) != 0) return false;
        if (a->keys && flx_entry_find(a, a->keys[i]->text) != i) return false;
        if (!is_same(a->items[i], b->items[i])) return false;
    }
    return true;
}

static int old_words_are_read_as_new_ones(void)
{
    begin();
    flx_entry *old = parse(all_old), *now = parse(all_new);
    CHECK(old && now && !is_same(old, now));
    CHECK(flx_schema_renew(ctx, old) == FLX_OK && flx_schema_renew(ctx, now) == FLX_OK);
    CHECK(is_same(old, now) && flx_schema_check(ctx, old) == FLX_OK);
    CHECK(flx_ctx_warning_count(ctx) == 1); // the new ones need no note
    const char *note = flx_ctx_warning(ctx, 0)->text;
    CHECK_TEXT(note, "'start' (line 14) is now 'initial'");
    CHECK_TEXT(note, "'velocities' (line 18) is now 'neglect_inertia'");
    CHECK_TEXT(note, "'velocities' (line 19) is now 'condense'");
    CHECK_TEXT(note, "'velocities' (line 20) is now 'raise_inertia'");
    CHECK_TEXT(note, "'measures' (line 23) is now 'metrics'");
    CHECK_TEXT(note, "'extend' (line 2) is now 'linear'");
    CHECK_TEXT(note, "flexion upgrade");
    finish();
    return 0;
}

// A model is read several times while it is built, its parts too: one note per file.
static int told_once_per_file(void)
{
    flx_model *m = NULL;
    begin();
    snprintf(made, sizeof made,
             "flexion: 1\nbodies: {p: {type: point, mass: 1, position: [1, 0, 0]}}\n"
             "functions: {f: {points: [[0, 1], [1, 2]], outside: hold}}\n");
    CHECK(write_made("old_part.yaml") == 0);
    static const char text[] = "flexion: 1\n"
                               "parameters: {k: 2}\n"
                               "bodies: {a: {type: point, mass: k}, b: {like: a}}\n"
                               "parts: {x: {model: old_part.yaml}, y: {model: old_part.yaml}}\n"
                               "simulate: {until: 1, rtol: 1e-6, first_step: 1e-3}\n"
                               "outputs: {measures: {far: maximum(a.position.x)}}\n";
    flx_read_def def = flx_read_def_default();
    def.text = text;
    def.length = strlen(text);
    CHECK(flx_model_read_by(ctx, "m.yaml", &def, &m) == FLX_OK);
    CHECK(flx_ctx_warning_count(ctx) == 2);
    CHECK(strcmp(flx_ctx_warning(ctx, 0)->loc.file, "m.yaml") == 0);
    CHECK(strcmp(flx_ctx_warning(ctx, 1)->loc.file, "old_part.yaml") == 0);
    flx_model_destroy(&m);
    finish();
    return 0;
}

static int both_words_are_refused(void)
{
    static const char text[] = "flexion: 1\nbodies: {a: {type: point, mass: 1}}\n"
                               "simulate: {until: 1, rtol: 1e-6, max_step: 1, largest_step: 2}\n";
    flx_model *m = NULL;
    begin();
    CHECK(flx_model_read_text(ctx, "m.yaml", text, strlen(text), 0, NULL, &m) == FLX_ERR_MODEL);
    CHECK(flx_ctx_error_count(ctx) == 1);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text,
               "'largest_step' is the older word for 'max_step', which is given too");
    CHECK(flx_ctx_error(ctx, 0)->loc.line == 3 && flx_ctx_error(ctx, 0)->loc.column == 47);
    finish();
    return 0;
}

// Names of the user's are no keys.
static int names_stay(void)
{
    static const char text[] = "flexion: 1\n"
                               "parameters: {start: 1, modal: 2, hold: 3}\n"
                               "signals: {measures: start*modal, velocities: hold}\n"
                               "notes: {outside: hold}\n"
                               "bodies: {spin: {type: point, mass: modal}}\n"
                               "parts: {}\n";
    begin();
    flx_entry *a = parse(text), *b = parse(text);
    CHECK(a && flx_schema_renew(ctx, a) == FLX_OK && is_same(a, b));
    CHECK(flx_ctx_warning_count(ctx) == 0);
    finish();
    return 0;
}

// ---- calls ------------------------------------------------------------------------------------------

static int paths_of_old_words_lead_to_new_ones(void)
{
    flx_model *m = NULL;
    begin();
    CHECK(flx_model_create(ctx, 2, &m) == FLX_OK);
    int rod =
        flx_model_add_body(m, "rod", &(flx_body_def){.mass = {1, NULL}, .inertia = {{1, NULL}}});
    CHECK(flx_model_add_joint(m, "A",
                              &(flx_joint_def){.type = FLX_REVOLUTE,
                                               .on = {FLX_GROUND, rod},
                                               .initial = {.angle = {0.5, NULL}}}) > 0);
    CHECK(strcmp(flx_model_get_text(m, "joints.A.initial.angle"), "0.5") == 0);
    CHECK(strcmp(flx_model_get_text(m, "joints.A.start.angle"), "0.5") == 0);
    CHECK(flx_ctx_warning_count(ctx) == 0);
    CHECK(flx_model_set(m, "joints.A.start.rate", 2) == FLX_OK);
    CHECK(flx_ctx_warning_count(ctx) == 1);
    CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, "'joints.A.initial.rate'");
    CHECK(strcmp(flx_model_get_text(m, "joints.A.initial.rate"), "2") == 0);
    CHECK(flx_model_kind(m, "events.tick.start") == 0);
    CHECK(flx_model_set(m, "equations.discrete.start.at", 1) == FLX_OK); // a name of the user's
    CHECK(flx_model_kind(m, "equations.discrete.start") == 3);
    CHECK(flx_model_set_text(m, "reduce.velocities", "rod") == FLX_OK); // before its type
    CHECK(flx_model_set_text(m, "reduce.type", "guyan") == FLX_OK);
    CHECK(flx_model_set_text(m, "reduce.velocities", "rod") == FLX_OK);
    CHECK(flx_model_count(m, "reduce") == 2);
    CHECK(flx_model_check(m) == FLX_OK);
    CHECK(flx_model_remove(m, "joints.A.start") == FLX_OK);
    CHECK(flx_model_kind(m, "joints.A.initial") == 0);
    flx_model_destroy(&m);
    finish();
    return 0;
}

// ---- options of methods -----------------------------------------------------------------------------

static int options_of_methods_too(void)
{
    flx_integrator_def old = flx_integrator_def_default(), now = flx_integrator_def_default();
    begin();
    CHECK(flx_method_read(ctx, "radau(rtol=1e-6, first_step=1e-3)", &old) == FLX_OK);
    CHECK(flx_method_read(ctx, "radau(rtol=1e-6, initial_step=1e-3)", &now) == FLX_OK);
    CHECK(old.initial_step == 1e-3 && now.initial_step == 1e-3);
    finish();
    return 0;
}

// ---- files ------------------------------------------------------------------------------------------

// The old text of a new one: words of the table at their places, reversed.
typedef struct reversal {
    flx_loc loc;
    const char *now, *old;
} reversal;
static reversal places[400];
static int nplace;

static void reverse(const flx_entry *v, flx_form_text kind, flx_group group, const char *key);

static void note_place(flx_loc loc, const char *now, const char *old)
{
    if (nplace < 400) places[nplace++] = (reversal){loc, now, old};
}

static void reverse_group(const flx_entry *map, flx_group group)
{
    const char *selector = flx_schema_groups[group].selector;
    const flx_entry *type = selector[0] ? flx_entry_get(map, selector) : NULL;
    for (int i = 0; i < map->count; i++) {
        const char *key = map->keys[i]->text;
        const flx_schema_key *row = flx_schema_find(group, type ? type->text : NULL, 0, key);
        for (const flx_old_key *k = flx_old_keys; k->now; k++) {
            if (k->group != group || strcmp(k->now, key) != 0) continue;
            if (!flx_schema_lists(k->types, type ? type->text : "", 0)) continue;
            note_place(map->keys[i]->loc, k->now, k->old);
            break;
        }
        if (row) reverse(map->items[i], flx_form_of(row->kind), group, key);
    }
}

static void reverse(const flx_entry *v, flx_form_text kind, flx_group group, const char *key)
{
    flx_form f;
    if (v->kind == FLX_ENTRY_SCALAR) {
        for (const flx_old_word *w = flx_old_words; w->now; w++) {
            if (w->group != group || strcmp(w->key, key) != 0 || strcmp(w->now, v->text) != 0)
                continue;
            note_place(v->loc, w->now, w->old);
        }
    }
    while (flx_form_next(&kind, &f)) {
        if (f.form == FLX_FORM_GROUP && v->kind == FLX_ENTRY_MAP) {
            reverse_group(v, f.group);
            return;
        }
        bool list = f.form == FLX_FORM_LIST && v->kind == FLX_ENTRY_LIST;
        bool names = f.form == FLX_FORM_NAMES && v->kind == FLX_ENTRY_MAP;
        for (int i = 0; (list || names) && i < v->count; i++) {
            reverse(v->items[i], f.inner, group, key);
        }
    }
}

// The place of a line and column in bytes; tests have letters of one byte before old words.
static size_t byte_at(const char *text, flx_loc loc)
{
    size_t at = 0;
    for (int line = 1; line < loc.line; line++) at += strcspn(text + at, "\n") + 1;
    return at + (size_t)loc.column - 1;
}

static int by_place(const void *a, const void *b)
{
    const flx_loc *x = &((const reversal *)a)->loc, *y = &((const reversal *)b)->loc;
    return x->line != y->line ? x->line - y->line : x->column - y->column;
}

// Into `made`; returns how many old words it has, -1: something is wrong.
static int make_old(const char *text, const flx_entry *tree)
{
    size_t from = 0, n = 0;
    nplace = 0;
    reverse_group(tree, FLX_GROUP_MODEL);
    qsort(places, (size_t)nplace, sizeof *places, by_place);
    for (int i = 0; i < nplace; i++) {
        size_t at = byte_at(text, places[i].loc), length = strlen(places[i].now);
        if (strncmp(text + at, places[i].now, length) != 0) return -1;
        n += (size_t)snprintf(made + n, sizeof made - n, "%.*s%s", (int)(at - from), text + from,
                              places[i].old);
        from = at + length;
    }
    n += (size_t)snprintf(made + n, sizeof made - n, "%s", text + from);
    return n < sizeof made ? nplace : -1;
}

static int count_words(const flx_upgrade *u)
{
    int n = 0;
    while (flx_upgrade_word(u, n, NULL, NULL)) n++;
    return n;
}

// A file with old words: its tree is that of the upgraded one, which has none left.
static int upgraded_is_the_same_model(const char *path, const char *expected, int *words)
{
    flx_upgrade *u = NULL, *again = NULL;
    char *text = NULL;
    size_t length = 0, size = 0;
    CHECK(flx_upgrade_read(ctx, path, &u) == FLX_OK);
    const char *now = flx_upgrade_text(u, &length);
    CHECK(strlen(now) == length);
    if (expected) CHECK(strcmp(now, expected) == 0);
    *words = count_words(u);
    CHECK(flx_file_read(ctx, arena, path, FLX_NOWHERE, &text, &size) == FLX_OK);
    flx_old_uses left = {0};
    flx_entry *before = parse(text), *after = parse(now);
    CHECK(before && after && flx_schema_renew(ctx, before) == FLX_OK && is_same(before, after));
    CHECK(flx_schema_renew_quietly(ctx, after, &left) == FLX_OK && left.count == 0);
    FILE *f = fopen("upgraded.yaml", "wb");
    CHECK(f && fwrite(now, 1, length, f) == length && fclose(f) == 0);
    CHECK(flx_upgrade_read(ctx, "upgraded.yaml", &again) == FLX_OK && count_words(again) == 0);
    CHECK(strcmp(flx_upgrade_text(again, NULL), now) == 0);
    flx_upgrade_destroy(&again);
    flx_upgrade_destroy(&u);
    return 0;
}

static int goes_there_and_back(const char *path, int *words)
{
    char *text = NULL;
    size_t length;
    int found;
    begin();
    CHECK(flx_file_read(ctx, arena, path, FLX_NOWHERE, &text, &length) == FLX_OK);
    flx_entry *tree = parse(text);
    CHECK(tree);
    int n = make_old(text, tree);
    if (n < 0) printf("%s: the old text cannot be made\n", path);
    CHECK(n >= 0 && write_made("old.yaml") == 0);
    if (upgraded_is_the_same_model("old.yaml", text, &found)) {
        printf("%s\n", path);
        return 1;
    }
    CHECK(found == n);
    *words += n;
    finish();
    return 0;
}

static int examples_go_there_and_back(void)
{
    static const char *const folders[] = {FLX_EXAMPLES "/*.yaml", FLX_EXAMPLES "/fe/*.yaml",
                                          FLX_TESTS "/cases/*.yaml"};
    int words = 0, files = 0;
    for (int k = 0; k < 3; k++) {
        glob_t found = {0};
        CHECK(glob(folders[k], 0, NULL, &found) == 0);
        for (size_t i = 0; i < found.gl_pathc; i++, files++) {
            CHECK(goes_there_and_back(found.gl_pathv[i], &words) == 0);
        }
        globfree(&found);
    }
    printf("%d files, %d old words\n", files, words);
    CHECK(files > 80 && words > 30);
    return 0;
}

// Written before the words changed, and left as they are.
static int the_nineteen_models_are_upgraded(void)
{
    glob_t found = {0};
    int words = 0, n;
    CHECK(glob(FLX_TESTS "/models/[0-9]*.yaml", 0, NULL, &found) == 0 && found.gl_pathc == 19);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        begin();
        CHECK(upgraded_is_the_same_model(found.gl_pathv[i], NULL, &n) == 0);
        words += n;
        finish();
    }
    globfree(&found);
    printf("%d old words\n", words);
    CHECK(words >= 5);
    return 0;
}

// Comments, quotes, line ends and letters of several bytes stay; words in them are no keys.
static int every_other_byte_stays(void)
{
    static const struct {
        const char *old, *now;
    } cases[] = {
        {"\xef\xbb\xbf"
         "flexion: 1 # start: {}\r\nsimulate: {until: 1, \"first_step\":   1e-3 ,rtol: 1e-6}\r\n",
         "\xef\xbb\xbf"
         "flexion: 1 # start: {}\r\nsimulate: {until: 1, \"initial_step\":   1e-3 ,rtol: "
         "1e-6}\r\n"},
        {"title: \xc3\xa9t\xc3\xa9 \xe2\x88\x86 start\n"
         "bodies: {\xc3\xa9: {type: 'modal'}, y: {type: \"modal\"}}",
         "title: \xc3\xa9t\xc3\xa9 \xe2\x88\x86 start\n"
         "bodies: {\xc3\xa9: {type: 'flexible'}, y: {type: \"flexible\"}}"},
        {"outputs:\n\n  # measures\n  ? measures\n  : {a: final(t)}\n",
         "outputs:\n\n  # measures\n  ? metrics\n  : {a: final(t)}\n"},
        {"functions:\r  f: {points: [[0, 1], [1, 2]], outside:\r   hold}\r",
         "functions:\r  f: {points: [[0, 1], [1, 2]], extrapolation:\r   constant}\r"},
        {"flexion: 1\n", "flexion: 1\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        flx_upgrade *u = NULL;
        begin();
        snprintf(made, sizeof made, "%s", cases[i].old);
        CHECK(write_made("bytes.yaml") == 0);
        CHECK(flx_upgrade_read(ctx, "bytes.yaml", &u) == FLX_OK);
        if (strcmp(flx_upgrade_text(u, NULL), cases[i].now) != 0) {
            printf("case %d: %s\n", (int)i, flx_upgrade_text(u, NULL));
            return 1;
        }
        flx_upgrade_destroy(&u);
        finish();
    }
    return 0;
}

static int what_cannot_be_rewritten_is_refused(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"outputs: {\"me\\x61sures\": {a: final(t)}}\n", "write 'metrics' by hand"},
        {"outputs: {measures: {a: 1}, metrics: {b: 1}}\n", "'measures' is the older word"},
        {"outputs: [\n", "value is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        flx_upgrade *u = NULL;
        begin();
        snprintf(made, sizeof made, "%s", cases[i].text);
        CHECK(write_made("bytes.yaml") == 0);
        CHECK(flx_upgrade_read(ctx, "bytes.yaml", &u) == FLX_ERR_MODEL && !u);
        CHECK(flx_ctx_error_count(ctx) == 1);
        CHECK_TEXT(flx_ctx_error(ctx, 0)->text, cases[i].message);
        finish();
    }
    begin();
    flx_upgrade *u = NULL;
    CHECK(flx_upgrade_read(ctx, "nowhere.yaml", &u) == FLX_ERR_IO && !u);
    finish();
    return 0;
}

static int files_of_parts_are_named(void)
{
    static const char text[] =
        "models: {leg: {parts: {toe: {model: sub/toe.yaml}}}}\n"
        "parts: {a: {model: leg}, b: {model: arm.yaml}, c: {model: arm.yaml}}\n";
    flx_upgrade *u = NULL;
    begin();
    snprintf(made, sizeof made, "%s", text);
    CHECK(write_made("parts.yaml") == 0);
    CHECK(flx_upgrade_read(ctx, "./parts.yaml", &u) == FLX_OK);
    CHECK(strcmp(flx_upgrade_part(u, 0), "./arm.yaml") == 0);
    CHECK(strcmp(flx_upgrade_part(u, 1), "./sub/toe.yaml") == 0);
    CHECK(!flx_upgrade_part(u, 2) && !flx_upgrade_part(u, -1));
    flx_upgrade_destroy(&u);
    finish();
    return 0;
}

// Memory that ends anywhere is told, and nothing leaks.
static int every_failing_allocation_is_survived(void)
{
    snprintf(made, sizeof made, "%s", all_old);
    CHECK(write_made("memory.yaml") == 0);
    for (long k = 0; k < 10000; k++) {
        flx_upgrade *u = NULL;
        begin();
        flx_ctx_fail_allocation(ctx, k);
        flx_status status = flx_upgrade_read(ctx, "memory.yaml", &u);
        flx_upgrade_destroy(&u);
        finish();
        if (status == FLX_OK) return k > 5 ? 0 : 1;
        CHECK(status == FLX_ERR_MEMORY);
    }
    return 1;
}

TEST_MAIN(TEST(table_holds_together), TEST(old_words_are_read_as_new_ones),
          TEST(told_once_per_file), TEST(both_words_are_refused), TEST(names_stay),
          TEST(paths_of_old_words_lead_to_new_ones), TEST(options_of_methods_too),
          TEST(examples_go_there_and_back), TEST(the_nineteen_models_are_upgraded),
          TEST(every_other_byte_stays), TEST(what_cannot_be_rewritten_is_refused),
          TEST(files_of_parts_are_named), TEST(every_failing_allocation_is_survived))
