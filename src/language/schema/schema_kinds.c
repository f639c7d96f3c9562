// schema_kinds.c - the rows of the language: those of schema.def, then those that the kinds of
// joints, forces, analyses, shapes and surfaces have of their own. What several kinds say alike becomes one row of all of them.
#include "language/schema/schema_parts.h"

#include "base/number.h"
#include "contact/contact_surface.h"
#include "force/force_kind.h"
#include "joint/joint.h"
#include "language/analyses/analysis_reader.h"
#include "model/shape_kind.h"

#include <pthread.h>
#include <string.h>

// The kinds of a group, by number; NULL after the last.
static const struct {
    flx_group group;
    const flx_word_row *(*row)(int i);
} families[] = {{FLX_GROUP_JOINT, flx_joint_row},
                {FLX_GROUP_FORCE, flx_force_row},
                {FLX_GROUP_ANALYSIS, flx_analysis_row}};

static const flx_key_row *surface_row(int i)
{
    const flx_surface_kind *k = flx_surface_get_kind(i);
    return k ? &k->row : NULL;
}

// Groups of which one key says the kind.
static const struct {
    flx_group group;
    const flx_key_row *(*row)(int i);
} alternatives[] = {{FLX_GROUP_SHAPE, flx_shape_row}, {FLX_GROUP_SURFACE, surface_row}};

#define MOST_KEYS 900
#define MOST_WORDS 600
#define MOST_RULES 200
#define MOST_KIND_KEYS 500
#define MOST_TYPES 400 // characters of the words that have one key
#define MOST_ALTERNATIVES (sizeof alternatives / sizeof alternatives[0])

static struct {
    int nkey, nword, nrule;
    flx_schema_key keys[MOST_KEYS]; // these end with an entry whose key is NULL
    flx_schema_word words[MOST_WORDS];
    flx_schema_rule rules[MOST_RULES];
    int own; // keys of schema.def
    char types[MOST_KIND_KEYS][MOST_TYPES];
    char alternatives[MOST_ALTERNATIVES][MOST_TYPES]; // their keys
} table;

static const char *text_of(const char *text)
{
    return text ? text : "";
}

static bool is_same(const flx_schema_key *a, const flx_schema_key *b)
{
    return a->groups == b->groups && a->needed == b->needed && strcmp(a->key, b->key) == 0 &&
           strcmp(a->kind, b->kind) == 0 && strcmp(a->unit, b->unit) == 0 &&
           strcmp(a->initial, b->initial) == 0 && strcmp(a->doc, b->doc) == 0;
}

// Rows of one key stay together.
static flx_schema_key *insert_key(const flx_schema_key *key)
{
    int k = table.nkey;
    while (k > table.own && (table.keys[k - 1].groups != key->groups ||
                             strcmp(table.keys[k - 1].key, key->key) != 0))
        k--;
    if (k == table.own) k = table.nkey;
    FLX_ASSERT(table.nkey + 1 < MOST_KEYS && table.nkey - table.own < MOST_KIND_KEYS);
    memmove(table.keys + k + 1, table.keys + k, (size_t)(table.nkey - k) * sizeof *key);
    table.keys[k] = *key;
    table.keys[k].types = table.types[table.nkey++ - table.own];
    return &table.keys[k];
}

static void add_key(flx_group group, const char *word, const flx_key_row *r)
{
    const flx_schema_key key = {.groups = (flx_group_set)1 << group,
                                .key = r->key,
                                .kind = r->form,
                                .needed = r->needed,
                                .unit = text_of(r->unit),
                                .initial = text_of(r->initial),
                                .doc = r->doc};
    int k = table.own;
    while (k < table.nkey && !is_same(&table.keys[k], &key)) k++;
    const flx_schema_key *at = k < table.nkey ? &table.keys[k] : insert_key(&key);
    char *types = table.types[(at->types - table.types[0]) / MOST_TYPES];
    size_t n = strlen(types);
    const char *only = r->dimension == 2 ? "@2" : r->dimension == 3 ? "@3" : "";
    int wrote = flx_snprintf(types + n, MOST_TYPES - n, "%s%s%s", n ? " " : "", word, only);
    FLX_ASSERT(wrote >= 0 && n + (size_t)wrote < MOST_TYPES);
    (void)wrote;
}

static void add_kind(flx_group group, const flx_word_row *w)
{
    FLX_ASSERT(table.nword + 1 < MOST_WORDS);
    table.words[table.nword++] = (flx_schema_word){.group = group,
                                                   .key = flx_schema_groups[group].selector,
                                                   .word = w->word,
                                                   .dimensions = w->dimensions,
                                                   .later = w->later,
                                                   .doc = w->doc,
                                                   .example = text_of(w->example)};
    for (const flx_key_row *k = w->keys; k->key; k++) add_key(group, w->word, k);
    for (const flx_rule_row *r = w->rules; r && r->keys; r++) {
        FLX_ASSERT(table.nrule + 1 < MOST_RULES);
        table.rules[table.nrule++] = (flx_schema_rule){group, w->word, r->rule, r->keys};
    }
}

// One of them is given.
static void add_alternatives(int a)
{
    char *keys = table.alternatives[a];
    const flx_key_row *r;
    for (int i = 0; (r = alternatives[a].row(i)); i++) {
        size_t n = strlen(keys);
        int wrote = flx_snprintf(keys + n, MOST_TYPES - n, "%s%s", n ? " " : "", r->key);
        FLX_ASSERT(wrote > 0 && n + (size_t)wrote < MOST_TYPES);
        (void)wrote;
        add_key(alternatives[a].group, "", r);
    }
    FLX_ASSERT(table.nrule + 1 < MOST_RULES);
    table.rules[table.nrule++] = (flx_schema_rule){alternatives[a].group, "", FLX_RULE_ONE, keys};
}

static void assemble(void)
{
    while (flx_schema_own_keys[table.nkey].key) table.nkey++;
    while (flx_schema_own_words[table.nword].key) table.nword++;
    while (flx_schema_own_rules[table.nrule].keys) table.nrule++;
    FLX_ASSERT(table.nkey < MOST_KEYS && table.nword < MOST_WORDS && table.nrule < MOST_RULES);
    memcpy(table.keys, flx_schema_own_keys, (size_t)table.nkey * sizeof table.keys[0]);
    memcpy(table.words, flx_schema_own_words, (size_t)table.nword * sizeof table.words[0]);
    memcpy(table.rules, flx_schema_own_rules, (size_t)table.nrule * sizeof table.rules[0]);
    table.own = table.nkey;
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
        const flx_word_row *w;
        for (int i = 0; (w = families[f].row(i)); i++) add_kind(families[f].group, w);
    }
    for (size_t a = 0; a < MOST_ALTERNATIVES; a++) add_alternatives((int)a);
}

static void ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, assemble);
}

const flx_schema_key *flx_schema_keys(void)
{
    ready();
    return table.keys;
}

const flx_schema_word *flx_schema_words(void)
{
    ready();
    return table.words;
}

const flx_schema_rule *flx_schema_rules(void)
{
    ready();
    return table.rules;
}
