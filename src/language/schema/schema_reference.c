// schema_reference.c - the table of the language as a manual, in Markdown.
#include "base/number.h"
#include "base/output_file.h"
#include "base/refuse.h"
#include "flexion/model.h"
#include "language/schema/schema.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char later_mark[] = " *Not supported yet.*";

static const char head[] =
    "# Reference of the model language\n"
    "\n"
    "Every key, from the table that the checker uses (`src/language/schema/schema.def` and the\n"
    "files of the kinds in `src/force`). Written by\n"
    "`flexion language --reference`; do not edit. The [guide](guide/index.md) explains by\n"
    "example.\n"
    "\n"
    "What is marked *not supported yet* is read and checked; running it ends with a message.\n"
    "\n"
    "## Writing values\n"
    "\n"
    "A model is one YAML file. Every scalar is text and its key says what it is: `on`, `y` and\n"
    "`no` are words, `010` is ten. Unknown keys, missing keys, empty values and undefined names\n"
    "are errors. Inside `{ }` or `[ ]` an expression with a comma or bracket is written in double\n"
    "quotes, `\"if(t < 1, 2, 0)\"`; anywhere, one that begins with `*`, `[` or `- `. Tags, "
    "anchors,\n"
    "aliases and several documents in one file are not part of the language.\n"
    "\n"
    "| value | is |\n"
    "| --- | --- |\n"
    "| number | a number, or an expression |\n"
    "| vector | `[x, y, z]`, planar `[x, y]`, each a number; or an expression that is a vector |\n"
    "| place | a point's name (`crank.pin`, a body for its origin), or a vector |\n"
    "| name | the name of an item: `crank`, `link(3)`, `front.wheel` |\n"
    "| true or false | those two words |\n"
    "\n"
    "## Expressions\n"
    "\n"
    "Every number may be an expression of `parameters`, `pi` and `deg` (pi/180).\n"
    "\n"
    "| written | means |\n"
    "| --- | --- |\n"
    "| `+ - * / ^` | as usual; `^` from right to left, `-x^2` is `-(x^2)`; vectors are added, "
    "subtracted, multiplied and divided by numbers |\n"
    "| `< <= > >= == !=`, `and or not` | conditions |\n"
    "| `if(c, a, b)` | a where the condition c holds, else b |\n"
    "| `sqrt exp log log10 sin cos tan asin acos atan atan2 sinh cosh tanh` | functions, angles in "
    "radians |\n"
    "| `poly3 poly5 poly7 poly9` | profiles from 0 at x = 0 to 1 at x = 1, held outside: "
    "`poly5(x)`; "
    "`STEP(x, x0, h0, x1, h1)` and `HAVSIN(x, x0, h0, x1, h1)` from h0 at x0 to h1 at x1 |\n"
    "| `abs sign floor ceil round mod min max` | functions; `min` and `max` of two or more |\n"
    "| `norm dot cross unit distance` | of vectors and places |\n"
    "| `sum(j, 1, n, expr)` | sum over j = 1 to n |\n"
    "| `[a, b, c]`, `k(2)`, `.x .y .z` | a vector; the second entry of a list; an entry of a "
    "vector |\n"
    "| `x'` | rate of x |\n"
    "\n"
    "The time `t` and signals are allowed in the values of forces, in `signals`, `equations`,\n"
    "`events` and `outputs`; `t` alone in motions. All else is constant, and points are those "
    "of\n"
    "the initial configuration. Names are letters, digits and `_`, beginning with a letter; a "
    "model has one name\n"
    "space.\n"
    "\n"
    "## Repetition\n"
    "\n"
    "`repeat: {i: [1, N]}` in an item, point, signal or equation makes `link(1)` to `link(N)`; "
    "the\n"
    "index serves in its expressions and names, `on: [link(i-1), link(i)]`. Two indices give\n"
    "`leg(i)(j)`. In `outputs` and `reduce` a bare `link` means all. `like: rod1` takes another\n"
    "item's keys, save those given.\n"
    "\n";

static const char signals[] =
    "## Signals of items\n"
    "\n"
    "For expressions and `outputs`; vectors are in ground axes. `.x`, `.y`, `.z` picks one entry; "
    "a\n"
    "vector signal becomes several columns of the table.\n"
    "\n"
    "| signal | is | unit |\n"
    "| --- | --- | --- |\n"
    "| `<body>.position`, `<body>.<point>.position` | place of the frame's origin or of a point | "
    "m "
    "|\n"
    "| `.velocity`, `.acceleration` | of the same | m/s, m/s^2 |\n"
    "| `<body>.orientation` | quaternion w, x, y, z | |\n"
    "| `<body>.angular_velocity`, `<body>.angular_acceleration` | | rad/s, rad/s^2 |\n"
    "| `<body>.angle`, `<body>.rate` | planar: angle and rate; spatial: their sizes | rad, rad/s "
    "|\n"
    "| `<body>.ex`, `.ey`, `.ez` | unit vectors of the body's axes | |\n"
    "| `<part>.com.position`, ... | centre of mass of a part | m |\n"
    "| `<joint>.angle`, `<joint>.displacement`, `<joint>.rate` | coordinate of the second body "
    "relative to the first, zero in the initial configuration, and its rate. Universal: two "
    "angles, `.x` about the "
    "first "
    "axis and `.y` about the second. Planar, free, spherical: the displacement is a vector | rad, "
    "m |\n"
    "| `<joint>.rotation` | rotation vector of the second body relative to the first | rad |\n"
    "| `<joint>.reaction`, `<joint>.moment` | on the second body, at the joint | N, N m |\n"
    "| `<joint>.drive` | effort of a prescribed motion | N, N m |\n"
    "| `<joint>.limit`, `<joint>.excess` | effort of its limits along its coordinate; how far it "
    "is "
    "beyond one: positive above the upper, negative below the lower, else 0. Where two coordinates "
    "have limits: `.x` of the angle (the first) and `.y` of the displacement (the second) | N, N "
    "m; "
    "m, rad |\n"
    "| `<joint>.friction`, `<joint>.state` | of friction that sticks: its effort along the "
    "coordinate; "
    "1 where it slides, 2 where it sticks | N, N m |\n"
    "| `<joint>.contact` | point where a rolling body touches | m |\n"
    "| `<force>.value` | spring, actuator: the pull, positive where it draws the ends together; on "
    "a "
    "joint: along its coordinate, a spring's pull again; force, torque: the vector on the second "
    "body, or the number given; bushing: K u + D u' with u from the first place to the second | N, "
    "N m |\n"
    "| `<force>.length`, `<force>.power` | distance of its two places; power given to the bodies | "
    "m, W |\n"
    "| `<bushing>.moment`, `<bushing>.displacement` | of its rotation; u | N m, m |\n"
    "| `<variable>`, `<variable>'` | unknown of the equations and its rate | |\n"
    "| `<constraint>.multiplier` | of a named constraint | |\n"
    "| `<event>.count` | how often it has happened | |\n"
    "| `energy` | kinetic, potential, strain, dissipated, total | J |\n"
    "| `momentum` | linear, angular (about the origin); `momentum.centre`: where the mass centre "
    "of all is | kg m/s, kg m^2/s; m |\n"
    "| `<body>.momentum`, `.angular_momentum` | of one body of any kind, or of a part, the angular "
    "one about the origin | kg m/s, kg m^2/s |\n"
    "| `<body>.com.position`, `.velocity` | mass centre of a body that deforms, in results | m, "
    "m/s |\n"
    "| `constraints` | largest residual of positions and of velocities | |\n"
    "| `<flexible body>.modes`, `<body>.mode(3)`, `<node>.deflection`, `<node>.force`, "
    "`<node>.moment` "
    "| elastic coordinates; of a node, how far it is moved by them, and the force and moment on "
    "the "
    "body there | |\n"
    "| `<node>.stress`, `<node>.strain`, `<node>.von_mises` | of a flexible body made of a mesh: "
    "in "
    "body "
    "axes, `.xx .yy .zz .xy .yz .xz` picks one; shear strains are half the angles; von Mises' "
    "stress | "
    "Pa, 1, Pa |\n"
    "| `<flexible body>.von_mises` | the largest of all its nodes | Pa |\n"
    "| `<contact>.value`, `.gap`, `.penetration` | normal force; distance of the surfaces, "
    "negative "
    "where they overlap; the depth of that. Of several places: the sum, the least, the most | N, m "
    "|\n"
    "| `<contact>.force`, `.friction` | on the second body; the tangential part of it | N |\n"
    "| `<contact>.slip`, `.place` | velocity of the second body against the first along the "
    "surface, and where the gap is least | m/s, m |\n"
    "| `<contact>.state`, `.contacts` | 0 open, 1 slides, 2 sticks; how many places touch | |\n"
    "| `<contact>.impulse`, `.count`, `.power` | of impacts: normal impulse, summed, and how many; "
    "power given to the bodies | N s, 1, W |\n";

static bool in_group(const flx_schema_key *k, int group)
{
    return k->groups >> group & 1;
}

// A bar ends a cell of a table.
static void put_cell(FILE *f, const char *text)
{
    for (; *text; text++) {
        if (*text == '|') fputc('\\', f);
        fputc(*text, f);
    }
}

static void put_types(FILE *f, const char *types)
{
    char word[40];
    bool first = true;
    while (flx_schema_next_word(&types, word, sizeof word)) {
        char *at = strchr(word, '@');
        if (at) *at = 0;
        const char *only = at && at[1] == '2' ? "planar" : "spatial";
        if (word[0] == 0) { // a dimension alone
            fputs(only, f);
        } else {
            flx_fprintf(f, at ? "%s%s (%s)" : "%s%s", first ? "" : ", ", word, only);
        }
        first = false;
    }
}

static void put_choices(FILE *f, flx_group group, const char *key)
{
    bool first = true;
    for (const flx_schema_word *w = flx_schema_words(); w->key; w++) {
        if (w->group != group || strcmp(w->key, key) != 0) continue;
        flx_fprintf(f, "%s`%s`: ", first ? " " : "; ", w->word);
        put_cell(f, w->doc);
        if (w->later) fputs(" (not supported yet)", f);
        first = false;
    }
    if (!first) fputc('.', f);
}

static void put_key(FILE *f, const flx_schema_key *k, flx_group group)
{
    char kind[300];
    flx_form_describe(flx_form_of(k->kind), 0, kind, sizeof kind);
    flx_fprintf(f, "| `%s`%s | ", k->key, k->needed ? " (needed)" : "");
    put_cell(f, kind);
    fputs(" | ", f);
    put_cell(f, k->unit);
    fputs(k->unit[0] ? " | " : "| ", f);
    put_cell(f, k->initial);
    fputs(k->initial[0] ? " | " : "| ", f);
    if (k->types[0]) {
        fputc('*', f);
        put_types(f, k->types);
        fputs(":* ", f);
    }
    put_cell(f, k->doc);
    if (strcmp(k->key, flx_schema_groups[group].selector) != 0) put_choices(f, group, k->key);
    if (k->later) fputs(later_mark, f);
    fputs(" |\n", f);
}

static void put_keys(FILE *f, flx_group group)
{
    fputs("| key | value | unit | default | meaning |\n| --- | --- | --- | --- | --- |\n", f);
    // the selector first, and what items have in common last
    const char *selector = flx_schema_groups[group].selector;
    const char *const common = " repeat like ";
    for (int pass = 0; pass < 3; pass++) {
        for (const flx_schema_key *k = flx_schema_keys(); k->key; k++) {
            char padded[50];
            flx_snprintf(padded, sizeof padded, " %s ", k->key);
            int turn = strcmp(k->key, selector) == 0 ? 0 : strstr(common, padded) ? 2 : 1;
            if (in_group(k, group) && turn == pass) put_key(f, k, group);
        }
    }
    fputc('\n', f);
}

static void put_words(FILE *f, flx_group group)
{
    const char *selector = flx_schema_groups[group].selector;
    flx_fprintf(f, "| %s | is |\n| --- | --- |\n", selector);
    for (const flx_schema_word *w = flx_schema_words(); w->key; w++) {
        if (w->group != group || strcmp(w->key, selector) != 0) continue;
        flx_fprintf(f, "| `%s` | ", w->word);
        put_cell(f, w->doc);
        if (strcmp(w->dimensions, "3") == 0) fputs(" (spatial models)", f);
        if (w->later) fputs(". *Not supported yet.*", f);
        fputs(" |\n", f);
    }
    fputc('\n', f);
}

// The section of the model whose items the group describes, or NULL.
static const char *section_of(flx_group group, bool *items)
{
    for (const flx_schema_key *k = flx_schema_keys(); k->key; k++) {
        if (!in_group(k, FLX_GROUP_MODEL)) continue;
        for (const char *s = strchr(k->kind, '{'); s; s = strchr(s + 1, '{')) {
            flx_form_text text = {s, strchr(s, '}') + 1};
            flx_form form;
            if (flx_form_next(&text, &form) && form.group == group) {
                *items = k->kind[0] == '<';
                return k->key;
            }
        }
    }
    return NULL;
}

static void put_examples(FILE *f, flx_group group, const char *section)
{
    bool first = true;
    for (const flx_schema_word *w = flx_schema_words(); w->key; w++) {
        if (w->group != group || !w->example[0]) continue;
        if (first) flx_fprintf(f, "```yaml\n%s:\n", section);
        flx_fprintf(f, "  %s\n", w->example);
        first = false;
    }
    if (!first) fputs("```\n\n", f);
}

static void put_group(FILE *f, flx_group group)
{
    const flx_schema_group *g = &flx_schema_groups[group];
    bool items = false;
    const char *section = section_of(group, &items);
    bool top = section || group == FLX_GROUP_MODEL;
    flx_fprintf(f, "%s %s\n\n", top ? "##" : "###", g->heading);
    if (section) {
        flx_fprintf(f,
                    items ? "Key `%s` of the model: a mapping of names to these."
                          : "Key `%s` of the model.",
                    section);
        if (flx_schema_find(FLX_GROUP_MODEL, "", 0, section)->later) fputs(later_mark, f);
        fputs("\n\n", f);
    }
    flx_fprintf(f, "%s\n\n", g->doc);
    if (g->selector[0]) put_words(f, group);
    if (g->example[0]) flx_fprintf(f, "```yaml\n%s\n```\n\n", g->example);
    if (section) put_examples(f, group, section);
    put_keys(f, group);
}

flx_status flx_language_write_reference(flx_ctx *ctx, const char *path)
{
    if (!ctx) return flx_refuse_null(ctx, __func__);
    flx_output *o;
    FLX_TRY(flx_output_create(ctx, "the reference", path, &o));
    FILE *f = flx_output_file(o);
    fputs(head, f);
    for (int g = 0; g < FLX_GROUP_COUNT; g++) put_group(f, (flx_group)g);
    fputs(signals, f);
    return flx_output_close(&o, FLX_OK);
}
