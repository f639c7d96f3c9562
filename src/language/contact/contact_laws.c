// contact_laws.c - the law of a contact as the model says it: its numbers, friction and form.
#include "contact/damped_hertz.h"
#include "language/contact/contact_parts.h"
#include "language/scope/nums.h"

#include <math.h>
#include <string.h>

// What a law reads: needed (N), may be (M), or has no place (-).
typedef struct law_row {
    const char *word;
    flx_contact_law law;
    const char *stiffness, *exponent, *damping, *more, *restitution;
} law_row;

static const law_row laws[] = {
    {"restitution", FLX_CONTACT_RIGID, "-", "-", "-", "-", "M"},
    {"hertz", FLX_CONTACT_HERTZ, "N", "-", "-", "-", "-"},
    {"hunt-crossley", FLX_CONTACT_HUNT_CROSSLEY, "N", "M", "M", "-", "M"},
    {"lankarani-nikravesh", FLX_CONTACT_LANKARANI, "N", "M", "-", "-", "N"},
    {"flores", FLX_CONTACT_FLORES, "N", "M", "-", "-", "N"},
    {"penalty", FLX_CONTACT_PENALTY, "N", "M", "M", "M", "-"},
    {"mindlin", FLX_CONTACT_MINDLIN, "-", "-", "M", "-", "M"},
};
#define NLAW ((int)(sizeof laws / sizeof *laws))

static flx_status check_key(flx_builder *b, const flx_item *force, const law_row *law,
                            const char *key, const char *need)
{
    const flx_entry *y = flx_entry_get(force->def, key);
    if (y && need[0] == '-') {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "'%s' has no meaning with law '%s'", key,
                        law->word);
    }
    if (y || need[0] != 'N') return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, force->loc, "contact '%s' of law '%s' needs '%s'",
                    force->full, law->word, key);
}

static flx_status check_keys(flx_builder *b, const flx_item *force, const law_row *law)
{
    static const char *const more[] = {"damping_exponent", "damping_on", "pull"};
    const char *need = law->stiffness;
    bool material = flx_entry_get(force->def, "material"),
         mindlin = law->law == FLX_CONTACT_MINDLIN;
    if (material && need[0] == 'N') need = "M";
    FLX_TRY(check_key(b, force, law, "material", mindlin ? "N" : need[0] == 'N' ? "M" : need));
    if (need[0] == 'N' && !flx_entry_get(force->def, "stiffness")) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, force->loc,
                        "contact '%s' of law '%s' needs 'stiffness'%s", force->full, law->word,
                        law->law == FLX_CONTACT_PENALTY ? "" : ", or 'material'");
    }
    FLX_TRY(check_key(b, force, law, "stiffness", need));
    FLX_TRY(check_key(b, force, law, "exponent", law->exponent));
    FLX_TRY(check_key(b, force, law, "damping", law->damping));
    FLX_TRY(check_key(b, force, law, "restitution", law->restitution));
    FLX_TRY(check_key(b, force, law, "form", law->law == FLX_CONTACT_RIGID ? "-" : "M"));
    for (int i = 0; i < 3; i++) FLX_TRY(check_key(b, force, law, more[i], law->more));
    if (law->law == FLX_CONTACT_HUNT_CROSSLEY && !flx_entry_get(force->def, "damping") &&
        !flx_entry_get(force->def, "restitution")) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, force->loc,
                        "contact '%s' of law 'hunt-crossley' needs 'damping' or 'restitution'; "
                        "without either it is 'hertz'",
                        force->full);
    }
    return FLX_OK;
}

// A number of the law that stays open; limits hold for values that are set later as well.
static flx_status read_number(flx_env *e, const flx_item *force, const flx_entry *map,
                              const char *key, bool positive, double *out, flx_open *open)
{
    const flx_entry *y = flx_entry_get(map, key);
    if (!y) return FLX_OK;
    FLX_TRY(flx_build_kept(e, y, out, open));
    if (!isfinite(*out) || *out < 0 || (positive && *out == 0)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "'%s' of contact '%s' %s, it is %g", key,
                        force->full, positive ? "must be positive" : "cannot be negative", *out);
    }
    const flx_limit l = {
        .what = key, .name = force->full, .loc = y->loc, .value_open = *open, .positive = positive};
    return flx_build_limit(e->b, &l);
}

// A number that decides about the structure of the law.
static flx_status read_fixed(flx_env *e, const flx_item *force, const char *key, double *out)
{
    const flx_entry *y = flx_entry_get(force->def, key);
    return y ? flx_build_number(e, y, out) : FLX_OK;
}

static flx_status refuse(flx_env *e, const flx_item *force, const char *key, const char *what)
{
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, flx_entry_get(force->def, key)->loc,
                    "'%s' of contact '%s' %s", key, force->full, what);
}

// The damping follows from it once and for all.
static flx_status read_mindlin_restitution(flx_env *e, const flx_item *force, flx_contact *c)
{
    FLX_TRY(read_fixed(e, force, "restitution", &c->restitution));
    if (c->restitution < 0.05) {
        return refuse(e, force, "restitution", "is at least 0.05 with law 'mindlin'");
    }
    c->restitution_open = 0;
    c->damping = flx_damped_hertz_beta(c->restitution);
    c->restores = false;
    return FLX_OK;
}

static flx_status read_restitution(flx_env *e, const flx_item *force, flx_contact *c)
{
    if (!flx_entry_get(force->def, "restitution")) return FLX_OK;
    FLX_TRY(read_number(e, force, force->def, "restitution", false, &c->restitution,
                        &c->restitution_open));
    if (c->restitution > 1) return refuse(e, force, "restitution", "cannot be larger than 1");
    if (c->restitution == 0 && c->law != FLX_CONTACT_RIGID && c->law != FLX_CONTACT_LANKARANI) {
        return refuse(e, force, "restitution",
                      "must be positive: no damping of this law takes all of the speed");
    }
    if (c->law != FLX_CONTACT_RIGID && c->law != FLX_CONTACT_LANKARANI) {
        const flx_limit l = {.what = "restitution",
                             .name = force->full,
                             .loc = flx_entry_get(force->def, "restitution")->loc,
                             .value_open = c->restitution_open,
                             .positive = true};
        FLX_TRY(flx_build_limit(e->b, &l));
    }
    c->restores = c->law != FLX_CONTACT_RIGID;
    return c->law == FLX_CONTACT_MINDLIN ? read_mindlin_restitution(e, force, c) : FLX_OK;
}

static flx_status read_material(flx_env *e, const flx_item *force, flx_contact *c)
{
    const flx_entry *y = flx_entry_get(force->def, "material");
    if (!y) return FLX_OK;
    bool list = y->kind == FLX_ENTRY_LIST;
    c->material = true;
    for (int i = 0; i < 2; i++) {
        const flx_entry *one = list ? y->items[i] : y, *E = flx_entry_get(one, "E");
        const flx_entry *nu = flx_entry_get(one, "nu");
        c->nu[i] = 0.3;
        if (E->kind == FLX_ENTRY_SCALAR && strcmp(E->text, "infinite") == 0) {
            c->E[i] = HUGE_VAL;
        } else {
            FLX_TRY(read_number(e, force, one, "E", true, &c->E[i], &c->E_open[i]));
        }
        if (!nu) continue;
        FLX_TRY(flx_build_kept(e, nu, &c->nu[i], &c->nu_open[i]));
        if (c->nu[i] > -1 && c->nu[i] <= 0.5) continue;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, nu->loc,
                        "Poisson's ratio is above -1 and at most 0.5, not %g", c->nu[i]);
    }
    if (isinf(c->E[0]) && isinf(c->E[1])) {
        return refuse(e, force, "material", "is rigid on both sides; law 'restitution' is that");
    }
    return FLX_OK;
}

flx_status flx_contact_read_law(flx_env *e, const flx_item *force, flx_contact *c)
{
    static const char *const sides_of_damping[] = {"both", "approach", NULL};
    const char *words[NLAW + 1] = {0};
    const flx_entry *y, *def = force->def;
    int k = 0, on = 0;
    for (int i = 0; i < NLAW; i++) words[i] = laws[i].word;
    FLX_TRY(flx_build_need(e->b, force, "law", &y));
    FLX_TRY(flx_build_word(e->b, y, "law", words, &k));
    c->law = laws[k].law;
    FLX_TRY(check_keys(e->b, force, laws + k));
    c->exponent = c->law == FLX_CONTACT_PENALTY ? 1.0 : 1.5;
    FLX_TRY(read_fixed(e, force, "exponent", &c->exponent));
    FLX_TRY(read_fixed(e, force, "damping_exponent", &c->damping_exponent));
    if (!(c->exponent >= 1) || !isfinite(c->exponent)) {
        return refuse(e, force, "exponent", "must be at least 1");
    }
    if (!(c->damping_exponent >= 0) || !isfinite(c->damping_exponent)) {
        return refuse(e, force, "damping_exponent", "must not be negative");
    }
    FLX_TRY(read_number(e, force, def, "stiffness", true, &c->stiffness, &c->stiffness_open));
    FLX_TRY(read_number(e, force, def, "damping", false, &c->damping, &c->damping_open));
    FLX_TRY(read_material(e, force, c));
    if (c->material && c->exponent != 1.5) {
        return refuse(e, force, "material",
                      "gives the stiffness of Hertz's law, whose 'exponent' is 1.5; give "
                      "'stiffness' in its place");
    }
    FLX_TRY(read_restitution(e, force, c));
    if ((y = flx_entry_get(def, "pull"))) FLX_TRY(flx_build_flag(e->b, y, "pull", &c->pulls));
    if ((y = flx_entry_get(def, "damping_on"))) {
        FLX_TRY(flx_build_word(e->b, y, "damping_on", sides_of_damping, &on));
        c->approach = on == 1;
    }
    return FLX_OK;
}

// Friction with memory.
static flx_status check_spring(flx_env *e, const flx_item *force, const flx_contact *c,
                               const flx_entry *friction)
{
    const flx_contact_friction *f = &c->friction;
    const flx_entry *own = flx_entry_get(friction, "stiffness");
    const flx_entry *limit = flx_entry_get(friction, "static");
    const flx_entry *velocity = flx_entry_get(friction, "velocity");
    bool mindlin = c->law == FLX_CONTACT_MINDLIN, rolls = f->rolling > 0 || f->spinning > 0;
    const flx_entry *y = own;
    const char *what = NULL;
    if (mindlin && own) {
        what = "'stiffness' of friction has no meaning with law 'mindlin', which has its own";
    } else if (own && rolls) {
        what = "'rolling' and 'spinning' go with the 'velocity' of friction, not with its "
               "'stiffness'";
    } else if (mindlin && velocity && !rolls) {
        y = velocity;
        what = "'velocity' with law 'mindlin' is that of 'rolling' and 'spinning', which are not "
               "there";
    } else if ((mindlin || own) && limit && f->sticking > f->coefficient) {
        y = limit;
        what = "friction with memory has one coefficient: 'static' has no meaning";
    } else if (!own && (y = flx_entry_get(friction, "damping")) != NULL) {
        what = "'damping' of friction goes with its 'stiffness'";
    }
    if (!what) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "contact '%s': %s", force->full, what);
}

flx_status flx_contact_read_friction(flx_env *e, const flx_item *force, flx_contact *c)
{
    const flx_entry *y = flx_entry_get(force->def, "friction");
    flx_contact_friction *f = &c->friction;
    if (!y) return FLX_OK;
    if (y->kind != FLX_ENTRY_MAP) {
        FLX_TRY(read_number(e, force, force->def, "friction", false, &f->coefficient,
                            &f->coefficient_open));
        f->sticking = f->coefficient;
        f->sticking_open = f->coefficient_open;
        return FLX_OK;
    }
    FLX_TRY(read_number(e, force, y, "coefficient", false, &f->coefficient, &f->coefficient_open));
    f->sticking = f->coefficient;
    f->sticking_open = f->coefficient_open;
    FLX_TRY(read_number(e, force, y, "static", false, &f->sticking, &f->sticking_open));
    if (f->sticking < f->coefficient) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, flx_entry_get(y, "static")->loc,
                        "what sticks holds at least what slides: 'static' is %g, 'coefficient' %g",
                        f->sticking, f->coefficient);
    }
    FLX_TRY(read_number(e, force, y, "velocity", true, &f->velocity, &f->velocity_open));
    FLX_TRY(read_number(e, force, y, "stiffness", true, &f->stiffness, &f->stiffness_open));
    FLX_TRY(read_number(e, force, y, "damping", false, &f->damping, &f->damping_open));
    FLX_TRY(read_number(e, force, y, "rolling", false, &f->rolling, &f->rolling_open));
    FLX_TRY(read_number(e, force, y, "spinning", false, &f->spinning, &f->spinning_open));
    static const char *const soft[] = {"velocity", "stiffness", "damping"};
    for (int i = 0; i < 3 && c->law == FLX_CONTACT_RIGID; i++) {
        const flx_entry *key = flx_entry_get(y, soft[i]);
        if (!key) continue;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, key->loc,
                        "'%s' of friction belongs to compliant laws; the rigid law has Coulomb's "
                        "friction as it is",
                        soft[i]);
    }
    return check_spring(e, force, c, y);
}

// Whether the normal force is an unknown.
flx_status flx_contact_read_form(flx_env *e, const flx_item *force, flx_contact *c, bool *chosen)
{
    static const char *const words[] = {"plain", "auto", "mixed", NULL};
    const flx_entry *form = flx_entry_get(force->def, "form");
    int k = 0;
    if (!form) return FLX_OK;
    FLX_TRY(flx_build_word(e->b, form, "form", words, &k));
    c->mixed = k == 2;
    *chosen = k == 1;
    bool grows = c->damping_exponent > 0 || c->law == FLX_CONTACT_MINDLIN;
    if (c->mixed && c->damping > 0 && grows) {
        return refuse(e, force, "form",
                      "cannot be 'mixed' with damping that is a power of the depth: the depth does "
                      "not follow from the force then; hunt-crossley's damping grows with the "
                      "depth, too");
    }
    return FLX_OK;
}
