// What the table of forces says of itself holds together, for each word and each kind in it.
#include "check.h"
#include "flexion/build.h"
#include "force/force_kind.h"

static int kind_is_sound(const flx_force_kind *k)
{
    CHECK(k->word && k->word[0] && k->signals);
    int arrays =
        (k->parts != NULL) + (k->along != NULL) + k->wrench + k->attracts + k->load + k->contact;
    CHECK(arrays == 1);
    // along a scalar alone a force can be an unknown, and has a sign
    bool scalar = k->parts || k->along;
    bool chain = k == &flx_force_cable || k == &flx_force_muscle; // one pull along several lines
    CHECK(((scalar && !chain) || k->contact) == (k->mixed != NULL));
    CHECK(scalar == (k->sign == 1.0 || k->sign == -1.0));
    CHECK(!(k->line && k->joint) && (scalar || !(k->line || k->joint)));
    CHECK(k->line == (scalar && flx_force_find_signal(k, "length") &&
                      !flx_force_find_signal(k, "displacement")));
    if (k->mounted) CHECK(k->symbol && k->links);
    if (k->pressure || k->volume) CHECK(k->load && !(k->pressure && k->volume));
    for (const flx_force_signal *s = k->signals; s->name; s++) {
        CHECK(flx_force_find_signal(k, s->name) == s); // once
        static const char *const numbers[] = {"state", "contacts",   "count", "activation",
                                              "fibre", "excitation", "slip",  "side_slip"};
        bool plain = false;
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            plain = plain || (strcmp(s->name, numbers[i]) == 0 &&
                              !(k->contact && i == 6)); // a velocity there
        }
        CHECK(s->unit ? (s->unit[0] == 0) == plain : strcmp(s->name, "value") == 0);
    }
    CHECK(!flx_force_find_signal(k, "colour"));
    return 0;
}

static int every_kind_says_what_it_is(void)
{
    for (int i = 0; flx_force_get_word(i); i++) {
        const flx_force_word *w = flx_force_get_word(i);
        const flx_force_kind *kinds[] = {w->kind, w->on_joint, w->on_solid};
        CHECK(w->kind || w->on_solid);
        for (int k = 0; k < 3; k++) {
            if (kinds[k] && !w->row.later) CHECK(!kind_is_sound(kinds[k]));
        }
        CHECK(!w->on_joint || w->on_joint->joint);
        CHECK(!w->on_solid || w->on_solid->load);
    }
    return 0;
}

static int every_word_has_the_keys_that_its_law_reads(void)
{
    for (int i = 0; flx_force_get_word(i); i++) {
        const flx_force_word *w = flx_force_get_word(i);
        if (w->row.later) continue;
        bool value = w->law == FLX_LAW_NUMBER || w->law == FLX_LAW_FORCE ||
                     w->law == FLX_LAW_TORQUE || w->law == FLX_LAW_LOAD;
        CHECK(value == flx_force_word_has_key(w, "value"));
        bool elastic = w->law == FLX_LAW_ELASTIC || w->law == FLX_LAW_CONTACT ||
                       w->law == FLX_LAW_CABLE || w->law == FLX_LAW_TYRE;
        CHECK(elastic == flx_force_word_has_key(w, "stiffness"));
        CHECK((w->law == FLX_LAW_BOTH) == flx_force_word_has_key(w, "torque"));
        CHECK((w->at != FLX_AT_NOTHING && w->at != FLX_AT_THROUGH) ==
              flx_force_word_has_key(w, "on"));
        CHECK((w->at == FLX_AT_THROUGH) == flx_force_word_has_key(w, "through"));
        CHECK((w->law != FLX_LAW_NOTHING) == (w->unit != NULL));
        bool mixed = (w->kind && w->kind->mixed) || (w->on_joint && w->on_joint->mixed);
        CHECK(mixed == flx_force_word_has_key(w, "form"));
    }
    return 0;
}

// The types of calls are the words by number.
static int calls_and_words_agree(void)
{
    static const struct {
        int type;
        const flx_force_word *word;
    } pairs[] = {{FLX_SPRING, &flx_word_spring},
                 {FLX_TORQUE, &flx_word_torque},
                 {FLX_FORCE, &flx_word_force},
                 {FLX_ACTUATOR, &flx_word_actuator},
                 {FLX_BUSHING, &flx_word_bushing},
                 {FLX_GRAVITATION, &flx_word_gravitation},
                 {FLX_EXPRESSION, &flx_word_expression},
                 {FLX_CONTACT, &flx_word_contact},
                 {FLX_DISTRIBUTED, &flx_word_distributed},
                 {FLX_PRESSURE, &flx_word_pressure},
                 {FLX_TRACTION, &flx_word_traction},
                 {FLX_CABLE, &flx_word_cable},
                 {FLX_MUSCLE, &flx_word_muscle},
                 {FLX_TYRE, &flx_word_tyre}};
    const char *words[FLX_MOST_FORCE_WORDS];
    int n = (int)(sizeof pairs / sizeof pairs[0]);
    flx_force_list_words(words);
    for (int i = 0; i < n; i++) {
        const flx_force_word *w = flx_force_get_word(pairs[i].type - FLX_SPRING);
        CHECK(w == pairs[i].word && flx_force_row(i) && words[i] == flx_force_row(i)->word);
    }
    CHECK(!flx_force_get_word(n) && !flx_force_get_word(-1) && !flx_force_row(n) && !words[n]);
    return 0;
}

TEST_MAIN(TEST(every_kind_says_what_it_is), TEST(every_word_has_the_keys_that_its_law_reads),
          TEST(calls_and_words_agree))
