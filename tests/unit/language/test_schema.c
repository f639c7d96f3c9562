// test_schema.c - the table of the language and its checker: the table holds together, its examples
// are right, wrong shapes are found where they are, and the manual and the JSON Schema in the tree
// are those that the table gives.
#include "flexion/extend/method_table.h"
#include "language/schema/schema.h"

#include "arena.h"

#include "base/text_file.h"
#include "read/yaml.h"

#include <stdlib.h>
#include <unistd.h>

static flx_entry *tree;

static flx_status check_text(const char *text)
{
    flx_status status = flx_yaml_parse(ctx, arena, "m.yaml", text, strlen(text), &tree);
    return status == FLX_OK ? flx_schema_check(ctx, tree) : status;
}

static int kind_is_sound(flx_form_text kind)
{
    flx_form k;
    while (flx_form_next(&kind, &k)) {
        CHECK(k.form != FLX_FORM_WRONG);
        CHECK(k.dimension == 0 || k.dimension == 2 || k.dimension == 3);
        if (k.form == FLX_FORM_LIST || k.form == FLX_FORM_NAMES) CHECK(!kind_is_sound(k.inner));
    }
    return 0;
}

static int types_are_known(flx_group group, const char *types)
{
    char word[40];
    while (flx_schema_next_word(&types, word, sizeof word)) {
        char *at = strchr(word, '@');
        if (at) *at = 0;
        if (word[0] == 0) continue; // a dimension alone
        CHECK(flx_schema_find_word(group, flx_schema_groups[group].selector, word));
    }
    return 0;
}

static int table_holds_together(void)
{
    char word[40];
    for (const flx_schema_key *k = flx_schema_keys(); k->key; k++) {
        CHECK(!kind_is_sound(flx_form_of(k->kind)));
        CHECK(k->doc[0]);
        for (int g = 0; g < FLX_GROUP_COUNT; g++) {
            if (!(k->groups >> g & 1)) continue;
            CHECK(!types_are_known((flx_group)g, k->types));
            if (strcmp(k->kind, "word") != 0) continue;
            bool found = false;
            for (const flx_schema_word *w = flx_schema_words(); w->key; w++) {
                found |= (int)w->group == g && strcmp(w->key, k->key) == 0;
            }
            CHECK(found);
            if (k->initial[0]) CHECK(flx_schema_find_word((flx_group)g, k->key, k->initial));
        }
    }
    for (const flx_schema_word *w = flx_schema_words(); w->key; w++) {
        CHECK(flx_schema_find(w->group, NULL, 0, w->key));
    }
    for (const flx_schema_rule *r = flx_schema_rules(); r->keys; r++) {
        CHECK(!types_are_known(r->group, r->types));
        for (const char *rest = r->keys; flx_schema_next_word(&rest, word, sizeof word);) {
            CHECK(flx_schema_find(r->group, NULL, 0, word));
        }
    }
    return 0;
}

static int right(const char *text)
{
    begin();
    flx_status status = check_text(text);
    const flx_message *m = flx_ctx_error(ctx, 0);
    if (status != FLX_OK) printf("%s\n%s\n", text, m ? m->text : "");
    CHECK(status == FLX_OK);
    finish();
    return 0;
}

static int examples_of_the_table_are_right(void)
{
    char text[2000];
    for (int g = 0; g < FLX_GROUP_COUNT; g++) {
        const char *example = flx_schema_groups[g].example;
        char key[40] = "";
        sscanf(example, "%39[a-z]", key);
        if (!flx_schema_find(FLX_GROUP_MODEL, "", 0, key)) continue;
        snprintf(text, sizeof text, "%s%s\n", strcmp(key, "flexion") == 0 ? "" : "flexion: 1\n",
                 example);
        CHECK(!right(text));
    }
    for (const flx_schema_word *w = flx_schema_words(); w->key; w++) {
        if (!w->example[0]) continue;
        const char *section = w->group == FLX_GROUP_BODY       ? "bodies:\n  "
                              : w->group == FLX_GROUP_JOINT    ? "joints:\n  "
                              : w->group == FLX_GROUP_ANALYSIS ? "analyse:\n  "
                                                               : "forces:\n  ";
        snprintf(text, sizeof text, "flexion: 1\n%s%s\n", section, w->example);
        CHECK(!right(text));
    }
    return 0;
}

static int every_shape_of_the_language_is_accepted(void)
{
    CHECK(!right("flexion: 1\nnotes: {a: [1, {b: c}]}\nparameters: {r: 1, k: [1, [2, 3]]}\n"
                 "bodies:\n"
                 "  a: {type: rigid, mass: 1, inertia: [1, 2, 3, 0, 0, 0]}\n"
                 "  b: {type: rigid, mass: 1, inertia: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}\n"
                 "  c: {type: rigid, mass: 1, inertia: I(3), points: {R: {repeat: {i: [1, 2]}, at: "
                 "[i, 0, 0]}, q: p + r}}\n"
                 "  d: {like: a, mass: 3}\n  e: {like: d, type: point}\n"));
    CHECK(!right("flexion: 1\ndimension: 2\nbodies:\n"
                 "  a: {type: rigid, mass: 1, inertia: 2, position: [1, 2], orientation: pi, "
                 "velocity: [1, 2, 0]}\n"
                 "joints: {j: {type: revolute, on: [ground, a], at: [0, 0]}}\n"
                 "forces: {b: {type: bushing, on: [ground, a], at: a, stiffness: [1, 2]}}\n"));
    CHECK(!right("flexion: 1\nequations:\n  constraints: [x^2 - 1, {repeat: {i: [1, 2]}, value: "
                 "y(i)}]\nreduce: [{type: cutoff, frequency: 3}]\nsimulate: {until: 1}\n"));
    return 0;
}

typedef struct wrong {
    const char *text;
    int line, column;
    const char *message;
} wrong;

// The text follows a first line "flexion: 1".
static const wrong wrongs[] = {
    {"bodys: {}", 2, 1, "unknown key 'bodys' in the model; did you mean 'bodies'?"},
    {"mass: 3", 2, 1, "unknown key 'mass' in the model; it is a key of: Bodies"},
    {"qqqqqqq: 3", 2, 1, "unknown key 'qqqqqqq' in the model"},
    {"simulate: {until: 1, steps: 3}", 2, 22, "unknown key 'steps' in 'simulate'; did you mean"},
    {"simulate: {until: 1, method: raddau}", 2, 30, "cannot be 'raddau'; did you mean 'radau'?"},
    {"simulate: {until: 1, method: runge}", 2, 30, "it is one of: auto, generalized-alpha, hht"},
    {"simulate: {until: 1, stages: 3}", 2, 22, "no 'stages' when its method is auto"},
    {"simulate: {method: radau}", 2, 1, "'simulate' needs 'until'"},
    {"simulate: {until: 1, step: 1, rtol: 2}", 2, 31, "has both 'step' and 'rtol'"},
    {"simulate: [1, 2]", 2, 11, "'simulate' must be a mapping of keys; this is a list of 2"},
    {"simulate: fast", 2, 11, "'simulate' must be a mapping of keys; this is a word or number"},
    {"outputs: {steps: yes}", 2, 18, "'steps' of 'outputs' is true or false, not 'yes'"},
    {"outputs: {every: 1, times: [1]}", 2, 21, "has both 'every' and 'times'"},
    {"gravity: [0, 1]", 2, 10, "'gravity' is a vector of 3 numbers; this list has 2 (a planar"},
    {"gravity: [0, 1, [2]]", 2, 17, "'gravity' is a vector of numbers; this entry is a list"},
    {"gravity: {x: 1}", 2, 10, "'gravity' must be a vector; this is a mapping"},
    {"gravity: ''", 2, 11, "'gravity' must be a vector; this is empty"},
    {"dimension: 4", 2, 12, "'dimension' cannot be '4'; it is one of: 3, 2"},
    {"parameters: {a-b: 1}", 2, 14, "'a-b' in 'parameters' is not a name"},
    {"parameters: {2a: 1}", 2, 14, "'2a' in 'parameters' is not a name"},
    {"parameters: {true: 1}", 2, 14, "a YAML 1.1 tool may have rewritten"},
    {"parameters: {a: {b: 1}}", 2, 17, "'a' in 'parameters' must be a number or a list of"},
    {"parameters: {a: [1, {b: 1}]}", 2, 17, "'a' in 'parameters' must be"},
    {"parameters: {a: [max(1, 2)]}", 2, 18, "'max(1' has a bracket that is not closed"},
    {"bodies: [a, b]", 2, 9, "'bodies' must be a mapping of names; this is a list of 2"},
    {"bodies: {a: 3}", 2, 13, "'a' in 'bodies' must be a mapping of keys; this is a word or"},
    {"bodies: {a: {mass: 1}}", 2, 10, "body 'a' needs a 'type': rigid, point"},
    {"bodies: {a: {type: rigit}}", 2, 20, "'type' of body 'a' cannot be 'rigit'; did you mean 'r"},
    {"bodies: {a: {type: rigid, mass: 1}}", 2, 10, "body 'a' needs 'inertia'"},
    {"bodies: {a: {type: rigid, inertia: [1, 2, 3]}}", 2, 10, "body 'a' needs 'mass'"},
    {"bodies: {a: {type: point, mass: 1, inertia: 3}}", 2, 36,
     "body 'a' has no 'inertia' when its type is point; it belongs to: rigid"},
    {"bodies: {a: {type: point, mas: 1, mass: 2}}", 2, 27, "unknown key 'mas' in body 'a'; did"},
    {"bodies: {a: {type: rigid, mass: 1, inertia: [1, 2, 3, 4]}}", 2, 45,
     "a list of 3 numbers, or a list of 6 numbers, or a list of 3 lists, each of 3 numbers; this "
     "is a list of 4"},
    {"bodies: {a: {type: rigid, mass: 1, inertia: 1, orientation: 3}}", 2, 61,
     "'orientation' of body 'a' must be a mapping of keys; this is a word or number"},
    {"bodies: {a: {type: rigid, mass: 1, inertia: 1, orientation: {axis: [0, 0, 1]}}}", 2, 62,
     "'axis' of 'orientation' of body 'a' needs 'angle' too"},
    {"bodies: {a: {type: rigid, mass: 1, inertia: 1, orientation: {x: [0, 0, 1], matrix: m}}}", 2,
     62, "has both 'matrix' and 'x'"},
    {"bodies: {a: {type: rigid, mass: 1, inertia: 1, orientation: {}}}", 2, 48,
     "needs 'axis', 'quaternion', 'matrix', 'euler' or 'x'"},
    {"bodies: {a: {type: rigid, mass: 1, inertia: 1, points: {p: [1, 2]}}}", 2, 60,
     "'p' in 'points' is a vector of 3 numbers; this list has 2"},
    {"bodies: {a: {type: rigid, mass: 1, inertia: 1, points: {p: {att: [1, 2, 3]}}}}", 2, 61,
     "unknown key 'att' in point 'p'; did you mean 'at'?"},
    {"bodies: {a: {type: point, mass: 1, repeat: {}}}", 2, 44, "'repeat' of body 'a' is empty"},
    {"bodies: {a: {type: point, mass: 1, repeat: {i: [1, 2, 3]}}}", 2, 48, "a list of 2 numbers"},
    {"bodies: {a: {like: b}, c: {type: point, mass: 1}}", 2, 20, "there is no body 'b' to be like"},
    {"bodies: {rod: {like: rot}}", 2, 22, "did you mean 'rod'?"},
    {"bodies: {a: {like: b}, b: {like: a}}", 2, 20, "body 'a' is like itself, by way of 'b'"},
    {"bodies: {a: {like: a}}", 2, 20, "body 'a' is like itself, by way of 'a'"},
    {"joints: {j: {type: spherical, on: [a, b], at: a, pitch: 0.1}}", 2, 50,
     "joint 'j' has no 'pitch' when its type is spherical"},
    {"joints: {j: {type: revolute, true: [a, b], at: a, axis: [0, 0, 1]}}", 2, 30,
     "unknown key 'true' in joint 'j'; did you mean 'on'? A YAML 1.1 tool"},
    {"joints: {j: {type: revolute, on: a, at: a, axis: [0, 0, 1]}}", 2, 34,
     "'on' of joint 'j' must be a list of 2 names; this is a word or number"},
    {"joints: {j: {type: revolute, on: [a, 3], at: a, axis: [0, 0, 1]}}", 2, 38,
     "'on' of joint 'j' needs a name here, not '3'"},
    {"joints: {j: {type: revolute, on: [a, b], at: a}}", 2, 10, "joint 'j' needs 'axis'"},
    {"joints: {j: {type: distance, on: [a, b], at: a}}", 2, 46, "must be a list of 2 places"},
    {"joints: {j: {type: revolute, on: [a, b], at: a, axis: [0, 0, 1], motion: {}}}", 2, 66,
     "'motion' of joint 'j' needs 'angle', 'displacement' or 'rate'"},
    {"forces: {f: {type: spring, on: a}}", 2, 10,
     "force 'f' needs 'stiffness', 'damping' or 'force'"},
    {"forces: {f: {type: bushing, on: [a, b], at: a, stiffness: [1, 2]}}", 2, 59,
     "a number, or a list of 3 numbers, or a list of 6 numbers; this is a list of 2"},
    {"forces: {f: {type: torque, on: a, value: [1, 2]}}", 2, 42, "this is a list of 2"},
    {"functions: {f: {of: [x]}}", 2, 13,
     "function 'f' needs 'value', 'file', 'points' or 'external'"},
    {"functions: {f: {value: x}}", 2, 17, "'value' of function 'f' needs 'of' too"},
    {"functions: {f: {points: [[1, 2]]}}", 2, 25, "at least 2 lists, each of 2 numbers"},
    {"functions: {f: {points: [[1, 2], [2]]}}", 2, 34, "must be a list of 2 numbers"},
    {"equations: {second_order: {q: {at: 1}}}", 2, 28, "variable 'q' needs 'force'"},
    {"equations: {coupling: [[a, b]]}", 2, 24, "must be a list of 3 numbers; this is a list of 2"},
    {"models: {leg: {simulate: {until: 1}}}", 2, 16, "unknown key 'simulate' in model 'leg'"},
    {"models: {leg: {bodies: {a: {type: rigit}}}}", 2, 35, "did you mean 'rigid'?"},
    {"parts: {p: {position: [1, 2, 3]}}", 2, 9, "part 'p' needs 'model'"},
    {"optimise: {parameters: {r: {from: 1, to: 2}}}", 2, 1, "'optimise' needs 'fit'"},
    {"dimension: 2\njoints: {j: {type: spherical, on: [a, b], at: a}}", 3, 20,
     "'spherical' is not for planar models"},
    {"dimension: 2\njoints: {j: {type: revolute, on: [a, b], at: a, axis: [0, 0, 1]}}", 3, 49,
     "joint 'j' (revolute) has no 'axis' in a planar model"},
    {"dimension: 2\nbodies: {a: {type: rigid, mass: 1, inertia: [1, 2, 3]}}", 3, 45,
     "must be a number in a planar model; this is a list of 3"},
    {"dimension: 2\nbodies: {a: {type: rigid, mass: 1, inertia: 1, angular_velocity: [0, 0, 1]}}",
     3, 66, "must be a number in a planar model"},
    {"dimension: 2\ngravity: [0, 1, 2, 3]", 3, 10, "a vector of 2 numbers; this list has 4"},
};

static int every_wrong_shape_is_found_where_it_is(void)
{
    char text[400];
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        const wrong *w = &wrongs[i];
        begin();
        snprintf(text, sizeof text, "flexion: 1\n%s\n", w->text);
        if (check_text(text) != FLX_ERR_MODEL) printf("accepted: %s\n", w->text);
        const flx_message *m = flx_ctx_error(ctx, 0);
        CHECK(m);
        CHECK_TEXT(m->text, w->message);
        if (m->loc.line != w->line || m->loc.column != w->column || flx_ctx_error(ctx, 1)) {
            printf("%s\n'%s' at %d:%d, expected %d:%d; %d messages\n", w->text, m->text,
                   m->loc.line, m->loc.column, w->line, w->column, flx_ctx_error_count(ctx));
            return 1;
        }
        finish();
    }
    return 0;
}

static int what_is_no_model_is_told_in_one_message(void)
{
    begin();
    CHECK(check_text("just a text\n") == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "a model is a mapping");
    CHECK(check_text("title: x\n") == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 1)->text, "the model needs 'flexion'");
    CHECK(check_text("flexion: 2\n") == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 2)->text, "version '2' of the language is not known");
    CHECK(flx_ctx_error_count(ctx) == 3);
    finish();
    return 0;
}

static int checking_goes_on_after_an_error_up_to_the_limit(void)
{
    begin();
    CHECK(check_text("flexion: 1\nbodies:\n  a: {type: point}\n  b: {type: piont, mass: 1}\n"
                     "joints:\n  j: {type: fixed, on: [a, b], at: a, axs: 3}\n") == FLX_ERR_MODEL);
    CHECK(flx_ctx_error_count(ctx) == 3);
    finish();
    begin();
    char text[4000] = "flexion: 1\n";
    for (int i = 0; i < 200; i++) sprintf(text + strlen(text), "zzzzzz%d: 1\n", i);
    CHECK(check_text(text) == FLX_ERR_MODEL);
    CHECK(flx_ctx_error_count(ctx) == FLX_MAX_ERRORS);
    finish();
    return 0;
}

static const char later_text[] =
    "flexion: 1\n"
    "bodies:\n"
    "  a: {type: solid, mesh: m, material: {E: 1, density: 1}}\n"
    "models:\n"
    "  leg: {bodies: {C: {type: shell, mesh: m, thickness: 1, material: {E: 1, density: 1}}}}\n"
    "forces:\n"
    "  s: {type: spring, on: A, stiffness: 1, form: mixed}\n"
    "simulate: {until: 1, method: bdf, formulation: tree}\n";

static int what_is_not_available_is_listed(void)
{
    static const struct {
        const char *what;
        int line, column;
    } expected[] = {
        {"models.leg.bodies.C: type shell", 5, 28},
    };
    int count;
    flx_unavailable *list;
    begin();
    CHECK(check_text(later_text) == FLX_OK);
    CHECK(flx_schema_unavailable(ctx, arena, tree, 3, &count, &list) == FLX_OK);
    CHECK(count == (int)(sizeof expected / sizeof expected[0]));
    for (int i = 0; i < count; i++) {
        CHECK_TEXT(list[i].what, expected[i].what);
        CHECK(strlen(list[i].what) == strlen(expected[i].what));
        CHECK(list[i].loc.line == expected[i].line && list[i].loc.column == expected[i].column);
    }
    CHECK(check_text("flexion: 1\n") == FLX_OK);
    CHECK(flx_schema_unavailable(ctx, arena, tree, 3, &count, &list) == FLX_OK);
    CHECK(count == 0);
    finish();
    for (int k = 0;; k++) { // every allocation fails once
        begin();
        CHECK(check_text(later_text) == FLX_OK);
        flx_ctx_fail_allocation(ctx, k);
        flx_status status = flx_schema_unavailable(ctx, arena, tree, 3, &count, &list);
        finish();
        if (status == FLX_OK) break;
        CHECK(status == FLX_ERR_MEMORY && k < 100);
    }
    return 0;
}

static int part_may_leave_out_the_version_but_not_change_the_dimension(void)
{
    begin();
    CHECK(check_text("gravity: [0, 1]\n") == FLX_ERR_MODEL);
    CHECK(flx_schema_check_part(ctx, tree, 2) == FLX_OK);
    CHECK(check_text("flexion: 1\ndimension: 2\n") == FLX_OK);
    flx_ctx_clear_messages(ctx);
    CHECK(flx_schema_check_part(ctx, tree, 3) == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "this model is planar and the one that uses it");
    finish();
    return 0;
}

// The committed file is what the table gives now; `flexion language` writes it again.
static int same_as_committed(flx_status (*write)(flx_ctx *, const char *), const char *committed)
{
    char path[] = "language-XXXXXX", *made, *kept;
    size_t nmade, nkept;
    begin();
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    close(fd);
    flx_status status = write(ctx, path);
    if (status == FLX_OK) status = flx_file_read(ctx, arena, path, FLX_NOWHERE, &made, &nmade);
    unlink(path);
    CHECK(status == FLX_OK);
    CHECK(flx_file_read(ctx, arena, committed, FLX_NOWHERE, &kept, &nkept) == FLX_OK);
    if (nmade != nkept || memcmp(made, kept, nmade) != 0) {
        printf("%s is not what the table gives: write it again with 'flexion language'\n",
               committed);
        return 1;
    }
    finish();
    return 0;
}

static int manual_and_json_schema_are_up_to_date(void)
{
    CHECK(
        !same_as_committed(flx_language_write_schema, FLX_TESTS "/../schema/flexion.schema.json"));
    CHECK(!same_as_committed(flx_language_write_reference, FLX_TESTS "/../docs/reference.md"));
    return 0;
}

static int unwritable_file_is_named(void)
{
    begin();
    CHECK(flx_language_write_schema(ctx, "no/such/folder") == FLX_ERR_IO);
    CHECK(flx_language_write_reference(ctx, "no/such/folder") == FLX_ERR_IO);
    CHECK_TEXT(flx_ctx_error(ctx, 1)->text, "no/such/folder");
    finish();
    return 0;
}

TEST_MAIN(TEST(table_holds_together), TEST(examples_of_the_table_are_right),
          TEST(every_shape_of_the_language_is_accepted),
          TEST(every_wrong_shape_is_found_where_it_is),
          TEST(what_is_no_model_is_told_in_one_message),
          TEST(checking_goes_on_after_an_error_up_to_the_limit),
          TEST(what_is_not_available_is_listed),
          TEST(part_may_leave_out_the_version_but_not_change_the_dimension),
          TEST(manual_and_json_schema_are_up_to_date), TEST(unwritable_file_is_named))
