// What the kinds of joints say of themselves holds together: words, keys, rows, coordinates, links and documents agree.
#include "check.h"
#include "language/schema/schema.h"
#include "mechanism.h"

#include <stdlib.h>

static int rows_of(const flx_joint_kind *k, int dimension, int *velocity)
{
    mechanism m;
    flx_joint_plan *p = calloc(1, sizeof *p);
    int n = 0;
    mechanism_init(&m, dimension, 5);
    int a = add_body(&m, FLX_BODY_RIGID), b = add_body(&m, FLX_BODY_RIGID);
    int j = add_joint(&m, k, a, b);
    *velocity = 0;
    if (!p || flx_joint_plan_rows(&m.m, j, FLX_HOLD_NOTHING, p) != FLX_OK) n = -100;
    for (int i = 0; n >= 0 && i < p->nspec; i++) {
        n += p->spec[i].nrow;
        *velocity += p->spec[i].velocity ? p->spec[i].nrow : 0;
    }
    free(p);
    mechanism_free(&m);
    return n;
}

static int freedom_of(const flx_joint_kind *k, int dimension)
{
    static const int freedoms[] = {[FLX_ELEMENT_TURN] = 1,
                                   [FLX_ELEMENT_SLIDE] = 1,
                                   [FLX_ELEMENT_SCREW] = 1,
                                   [FLX_ELEMENT_BALL] = 3};
    int n = 0;
    for (int i = 0; i < k->nlink; i++) {
        if (k->link[i].element == FLX_ELEMENT_SHIFT) return dimension == 2 ? 3 : 6;
        n += freedoms[k->link[i].element];
    }
    return n;
}

// What a joint of the tree leaves and what its rows take are all there is.
static int links_and_rows_agree(void)
{
    for (const flx_joint_kind *const *i = flx_joint_kinds; *i; i++) {
        const flx_joint_kind *k = *i;
        if (k->on_joints) continue;
        for (int d = 2; d <= 3; d++) {
            if (!flx_joint_kind_exists(k, d)) continue;
            int velocity, n = rows_of(k, d, &velocity);
            printf("%s in %dD: %d rows, %d of them on velocities\n", k->says.word, d, n, velocity);
            CHECK(n >= 0 && (n > 0) == !k->loose);
            if (k->tree == FLX_TREE_CARRIES) CHECK(velocity == 0);
            if (k->tree == FLX_TREE_CARRIES) CHECK(n + freedom_of(k, d) == (d == 2 ? 3 : 6));
            if (k->rigid) CHECK(n == (d == 2 ? 3 : 6));
        }
    }
    return 0;
}

static int words_and_dimensions_agree(void)
{
    for (const flx_joint_kind *const *i = flx_joint_kinds; *i; i++) {
        const flx_joint_kind *k = *i;
        const flx_schema_word *w = flx_schema_find_word(FLX_GROUP_JOINT, "type", k->says.word);
        printf("%s\n", k->says.word);
        CHECK(w && flx_joint_kind_named(k->says.word) == k);
        CHECK(k->says.doc[0] && strstr(k->says.example, k->says.word));
        CHECK(k->space || k->plane);
        for (int d = 2; d <= 3; d++) {
            bool exists = flx_joint_kind_exists(k, d);
            CHECK((strchr(k->says.dimensions, '0' + d) != NULL) == exists);
            if (k->on_joints || !exists) continue;
            CHECK(k->on_point[d - 2] || k->instead);
            if (k->on_point[d - 2]) CHECK(flx_joint_kind_exists(k->on_point[d - 2], d));
        }
        if (k->in_plane) CHECK(!k->plane && flx_joint_kind_named(k->in_plane)->plane);
        if (k->instead) CHECK(flx_joint_kind_named(k->instead));
        if (k->symbol) CHECK(flx_joint_kind_named(k->symbol));
    }
    return 0;
}

static int coordinates_keys_and_signals_agree(void)
{
    for (const flx_joint_kind *const *i = flx_joint_kinds; *i; i++) {
        const flx_joint_kind *k = *i;
        bool moves = k->angle || k->displacement;
        bool rubs = k->surface.slides || k->surface.turns;
        printf("%s\n", k->says.word);
        CHECK((flx_joint_kind_key(k, "motion", 0) != NULL) == moves);
        CHECK((flx_joint_kind_key(k, "initial", 0) != NULL) == moves);
        CHECK((flx_joint_kind_key(k, "friction", 0) != NULL) == rubs);
        CHECK((k->own != FLX_COORDINATE_NONE) == moves);
        CHECK(((k->signals & FLX_SIGNAL_DRIVE) != 0) == moves);
        if (k->angle) CHECK((k->signals & FLX_SIGNAL_ANGLE) && k->own != FLX_COORDINATE_NONE);
        if (k->displacement) CHECK(k->signals & FLX_SIGNAL_DISPLACEMENT);
        if (moves) CHECK(k->signals & FLX_SIGNAL_RATE);
        if (k->refuse_axes) CHECK(flx_joint_kind_key(k, "axes", 0));
        for (const flx_key_row *r = k->says.keys; r->key; r++) { // in the table of the language
            const flx_schema_key *key =
                flx_schema_find(FLX_GROUP_JOINT, k->says.word, r->dimension, r->key);
            CHECK(key && key->needed == r->needed && strcmp(key->kind, r->form) == 0);
        }
    }
    return 0;
}

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    if (f && text) (void)!fread(text, 1, (1 << 20) - 1, f);
    if (f) fclose(f);
    return text;
}

static int every_joint_is_documented(void)
{
    char *theory = read_text(FLX_TESTS "/../docs/theory/joints.md");
    char *reference = read_text(FLX_TESTS "/../docs/reference.md");
    for (const flx_joint_kind *const *i = flx_joint_kinds; *i; i++) {
        char row[80];
        snprintf(row, sizeof row, "| %s |", (*i)->says.word);
        CHECK_TEXT(theory, row);
        snprintf(row, sizeof row, "| `%s` |", (*i)->says.word);
        CHECK_TEXT(reference, row);
    }
    free(theory);
    free(reference);
    return 0;
}

TEST_MAIN(TEST(links_and_rows_agree), TEST(words_and_dimensions_agree),
          TEST(coordinates_keys_and_signals_agree), TEST(every_joint_is_documented))
