// calls_items.c - calls that add bodies, joints, forces, equations, events, functions, signals.
#include "base/number.h"
#include "base/refuse.h"
#include "force/force_kind.h"
#include "joint/joint.h"
#include "language/calls/calls.h"

#include <string.h>

// An item that is an expression alone.
static int add_expression(flx_model *m, const char *section, const char *name, const char *text)
{
    flx_item_maker k;
    flx_item_begin(&k, m, section, name);
    if (!text) flx_item_refuse(&k, NULL, "its expression is NULL");
    k.map = flx_make_scalar(&k, NULL, (flx_value){0, text});
    return flx_item_end(&k);
}

// ---- parameters and inputs -------------------------------------------------------------------------

// The number of the item in its section, for an id.
static int number_of(const flx_model *m, const char *section, int id)
{
    return id < 0 ? id : flx_model_count(m, section) - 1;
}

static int add_number(flx_model *m, const char *section, const char *name, flx_value v)
{
    flx_item_maker k;
    flx_item_begin(&k, m, section, name);
    k.map = flx_make_scalar(&k, NULL, v);
    return number_of(m, section, flx_item_end(&k));
}

int flx_model_add_parameter(flx_model *m, const char *name, double value)
{
    return add_number(m, "parameters", name, (flx_value){value, NULL});
}

int flx_model_add_parameter_text(flx_model *m, const char *name, const char *text)
{
    return number_of(m, "parameters", add_expression(m, "parameters", name, text));
}

int flx_model_add_input(flx_model *m, const char *name, double value)
{
    return add_number(m, "inputs", name, (flx_value){value, NULL});
}

int flx_model_add_discrete(flx_model *m, const char *name, double value)
{
    flx_item_maker k;
    flx_item_begin(&k, m, "equations.discrete", name);
    flx_put_value(&k, "at", value == 0 ? (flx_value){0, "0"} : (flx_value){value, NULL});
    return flx_item_end(&k);
}

flx_status flx_model_set_gravity(flx_model *m, flx_vector g)
{
    flx_item_maker k;
    flx_item_begin(&k, m, "", "gravity");
    flx_entry *e = flx_make_vector(&k, NULL, &g);
    return k.status == FLX_OK ? flx_path_put(m, "gravity", e) : k.status;
}

// ---- bodies ----------------------------------------------------------------------------------------

static void put_inertia(flx_item_maker *k, const flx_value v[6])
{
    bool all = flx_is_given(v[3]) || flx_is_given(v[4]) || flx_is_given(v[5]);
    if (k->dimension == 3)
        flx_put_values(k, "inertia", all ? 6 : 3, v);
    else
        flx_put_value(k, "inertia", v[0]);
}

static void put_points(flx_item_maker *k, int n, const flx_named_vector *points)
{
    if (!flx_item_has_array(k, "points", n, points)) return;
    flx_entry *outer = flx_put_begin(k);
    for (int i = 0; i < n && k->status == FLX_OK; i++) {
        if (!points[i].name) flx_item_refuse(k, "points", "point %d has no name", i);
        flx_put_place(k, points[i].name ? points[i].name : "", &points[i].value);
    }
    flx_put_end(k, "points", outer);
}

int flx_model_add_body(flx_model *m, const char *name, const flx_body_def *def)
{
    static const char *const types[] = {"rigid", "point", NULL};
    flx_item_maker k;
    flx_body_def d;
    FLX_BEGIN_ITEM(&k, m, "bodies", name, def, d);
    if (!d.like || d.type) flx_put_word(&k, "type", types, 0, d.type);
    flx_put_text(&k, "like", d.like);
    flx_put_value(&k, "mass", d.mass);
    put_inertia(&k, d.inertia);
    flx_put_vector(&k, "com", &d.com);
    flx_put_pose(&k, &d.position, &d.orientation, &d.velocity, &d.angular_velocity);
    put_points(&k, d.npoint, d.points);
    return flx_item_end(&k);
}

// ---- joints ----------------------------------------------------------------------------------------

static void put_coordinate(flx_item_maker *k, const char *key, const flx_coordinate_def *c)
{
    flx_entry *outer = flx_put_begin(k);
    flx_put_value(k, "angle", c->angle);
    flx_put_value(k, "displacement", c->displacement);
    flx_put_value(k, "rate", c->rate);
    flx_put_end(k, key, outer);
}

static void put_friction(flx_item_maker *k, const flx_friction_def *f)
{
    flx_entry *outer = flx_put_begin(k);
    flx_put_value(k, "coefficient", f->coefficient);
    flx_put_value(k, "radius", f->radius);
    flx_put_value(k, "velocity", f->velocity);
    flx_put_value(k, "viscous", f->viscous);
    flx_put_flag(k, "stick", f->stick);
    flx_put_value(k, "static", f->static_friction);
    flx_put_end(k, "friction", outer);
}

static void put_limits(flx_item_maker *k, const flx_limits_def limits[2])
{
    flx_entry *list = flx_make_list(k);
    for (int i = 0; i < 2 && list; i++) {
        const flx_limits_def *l = limits + i;
        flx_entry *outer = flx_put_begin(k);
        flx_put_text(k, "coordinate", l->coordinate);
        flx_put_value(k, "lower", l->lower);
        flx_put_value(k, "upper", l->upper);
        flx_put_value(k, "stiffness", l->stiffness);
        flx_put_value(k, "exponent", l->exponent);
        flx_put_value(k, "damping", l->damping);
        flx_put_value(k, "restitution", l->restitution);
        flx_put_among(k, list, outer);
    }
    if (list) flx_put_list(k, "limits", list);
}

// One place, or two. pair: always two. Zeros are the origin.
static void put_places(flx_item_maker *k, const flx_vector at[2], bool pair)
{
    if (pair || flx_is_vector_given(&at[1])) {
        flx_put_vectors(k, "at", 2, at);
        return;
    }
    flx_put_place(k, "at", &at[0]);
}

// NULL: a type that there is not, or that of the joint which it is like.
static const flx_joint_kind *kind_of(const flx_joint_def *d)
{
    bool known = d->type > FLX_NO_JOINT && d->type <= FLX_KINDS_OF_JOINTS;
    return known ? flx_joint_kinds[d->type - 1] : NULL;
}

static void put_joint_places(flx_item_maker *k, const flx_joint_def *d)
{
    bool given = flx_is_vector_given(&d->at[0]) || flx_is_vector_given(&d->at[1]);
    const flx_joint_kind *kind = kind_of(d);
    const flx_key_row *at = kind ? flx_joint_kind_key(kind, "at", 0) : NULL;
    if (!given && (d->like || !at || !at->needed)) return;
    put_places(k, d->at, kind && flx_joint_kind_needs_pair(kind));
}

int flx_model_add_joint(flx_model *m, const char *name, const flx_joint_def *def)
{
    if (!m) return flx_refuse_null(NULL, __func__);
    const char *types[FLX_KINDS_OF_JOINTS + 1];
    flx_item_maker k;
    flx_joint_def d;
    FLX_BEGIN_ITEM(&k, m, "joints", name, def, d);
    flx_joint_kind_words(types);
    if (!d.like || d.type) flx_put_word(&k, "type", types, FLX_NO_JOINT + 1, d.type);
    flx_put_text(&k, "like", d.like);
    if (!d.like || d.on[0] || d.on[1]) {
        flx_put_items(&k, "on", 2, d.on,
                      kind_of(&d) && kind_of(&d)->on_joints ? "joints" : "bodies");
    }
    put_joint_places(&k, &d);
    flx_put_vector(&k, "axis", &d.axis);
    if (flx_is_vector_given(&d.axes[0]) || flx_is_vector_given(&d.axes[1])) {
        flx_put_vectors(&k, "axes", 2, d.axes);
    }
    flx_put_text(&k, "frame", d.frame);
    flx_put_vector(&k, "normal", &d.normal);
    flx_put_value(&k, "radius", d.radius);
    flx_put_value(&k, "length", d.length);
    flx_put_value(&k, "pitch", d.pitch);
    flx_put_value(&k, "ratio", d.ratio);
    put_coordinate(&k, "motion", &d.motion);
    put_coordinate(&k, "initial", &d.initial);
    put_friction(&k, &d.friction);
    put_limits(&k, d.limits);
    return flx_item_end(&k);
}

// ---- forces ----------------------------------------------------------------------------------------

// The types are the words of forces in the order of their list. NULL: that of what it is like.
static const flx_force_word *word_of(const flx_force_def *d)
{
    return flx_force_get_word(d->type - FLX_SPRING);
}

static bool is_number(const flx_item_maker *k, const flx_force_def *d)
{
    const flx_force_word *w = word_of(d);
    if (d->joint || !w) return d->joint;
    return w->law == FLX_LAW_NUMBER || (w->on_solid && w->on_solid->pressure) ||
           (w->law == FLX_LAW_TORQUE && (k->dimension == 2 || flx_is_vector_given(&d->axis)));
}

static void put_force_value(flx_item_maker *k, const flx_force_def *d)
{
    if (d->value.text || !is_number(k, d)) {
        const flx_force_word *w = word_of(d);
        flx_put_vector(k, w && w->law == FLX_LAW_BOTH ? "force" : "value", &d->value);
        return;
    }
    if (flx_is_given(d->value.y) || flx_is_given(d->value.z)) {
        flx_item_refuse(k, "value", "it is a number here: x");
    }
    flx_put_value(k, "value", d->value.x);
}

static void put_force_on(flx_item_maker *k, const flx_force_def *d)
{
    const flx_force_word *w = word_of(d);
    if (w && !flx_force_word_has_key(w, "on") && !d->on[0] && !d->joint) return;
    if (d->joint && (d->on[0] || d->on[1])) {
        flx_item_refuse(k, "on", "it is on bodies or on a joint, not on both");
    }
    if (d->joint)
        flx_put_items(k, "on", 1, &d->joint, "joints");
    else if (!d->like || d->on[0])
        flx_put_items(k, "on", d->on[1] ? 2 : 1, d->on, "bodies");
}

// Stiffness or damping: of a spring one, of a bushing three or six (planar: two or three).
static void put_rates(flx_item_maker *k, const char *key, const flx_force_word *w,
                      const flx_value v[6])
{
    int most = k->dimension == 3 ? 6 : 3, n = 0;
    if (!w || w->at != FLX_AT_SIDES) {
        flx_put_value(k, key, v[0]);
        return;
    }
    for (int i = 0; i < 6; i++) {
        if (flx_is_given(v[i])) n = i + 1;
    }
    if (n > most) flx_item_refuse(k, key, "in the plane there are three: x, y, rotation");
    if (n > 0) flx_put_values(k, key, k->dimension == 3 ? (n > 3 ? 6 : 3) : (n > 2 ? 3 : 2), v);
}

static void put_force_places(flx_item_maker *k, const flx_force_def *d)
{
    bool given = flx_is_vector_given(&d->at[0]) || flx_is_vector_given(&d->at[1]);
    const flx_force_word *w = word_of(d);
    bool pair = w && w->at == FLX_AT_LINE && !d->joint;
    bool sides = w && w->at == FLX_AT_SIDES;
    if (given || (!d->like && (pair || sides))) put_places(k, d->at, pair);
}

static void put_surfaces(flx_item_maker *k, const flx_surface_def surfaces[2])
{
    flx_entry *list = flx_make_list(k);
    int n = 0;
    for (int i = 0; i < 2 && list; i++) {
        const flx_surface_def *s = surfaces + i;
        flx_entry *outer = flx_put_begin(k);
        flx_put_value(k, "sphere", s->sphere);
        flx_put_vector(k, "plane", &s->plane);
        flx_put_vector(k, "at", &s->at);
        flx_put_among(k, list, outer);
        n += flx_is_given(s->sphere) || flx_is_vector_given(&s->plane);
    }
    if (n == 1) flx_item_refuse(k, "surfaces", "one of the two is missing");
    flx_put_list(k, "surfaces", list);
}

static void put_contact(flx_item_maker *k, const flx_force_def *d)
{
    const flx_contact_friction_def *f = &d->friction;
    flx_put_text(k, "law", d->law);
    put_surfaces(k, d->surfaces);
    flx_put_value(k, "exponent", d->exponent);
    flx_put_value(k, "restitution", d->restitution);
    flx_entry *outer = flx_put_begin(k);
    flx_put_value(k, "coefficient", f->coefficient);
    flx_put_value(k, "static", f->sticking);
    flx_put_value(k, "velocity", f->velocity);
    flx_put_value(k, "stiffness", f->stiffness);
    flx_put_value(k, "rolling", f->rolling);
    flx_put_value(k, "spinning", f->spinning);
    flx_put_end(k, "friction", outer);
}

int flx_model_add_force(flx_model *m, const char *name, const flx_force_def *def)
{
    if (!m) return flx_refuse_null(NULL, __func__);
    const char *types[FLX_MOST_FORCE_WORDS];
    flx_item_maker k;
    flx_force_def d;
    FLX_BEGIN_ITEM(&k, m, "forces", name, def, d);
    flx_force_list_words(types);
    if (!d.like || d.type) flx_put_word(&k, "type", types, FLX_SPRING, d.type);
    flx_put_text(&k, "like", d.like);
    put_force_on(&k, &d);
    put_force_places(&k, &d);
    put_force_value(&k, &d);
    flx_put_turn(&k, "torque", &d.torque);
    flx_put_vector(&k, "axis", &d.axis);
    flx_put_text(&k, "frame", d.frame);
    put_rates(&k, "stiffness", word_of(&d), d.stiffness);
    put_rates(&k, "damping", word_of(&d), d.damping);
    flx_put_value(&k, "length", d.length);
    flx_put_value(&k, "angle", d.angle);
    flx_put_value(&k, "displacement", d.displacement);
    flx_put_value(&k, "G", d.G);
    flx_put_text(&k, "surface", d.surface);
    flx_put_vector(&k, "gradient", &d.gradient);
    flx_put_flag(&k, "dissipative", d.dissipative);
    put_contact(&k, &d);
    return flx_item_end(&k);
}

// ---- equations -------------------------------------------------------------------------------------

int flx_model_add_variable(flx_model *m, const char *name, const flx_variable_def *def)
{
    flx_item_maker k;
    flx_variable_def d;
    FLX_BEGIN_ITEM(&k, m, "equations.second_order", name, def, d);
    flx_put_value(&k, "at", d.initial);
    flx_put_value(&k, "rate", d.rate);
    flx_put_value(&k, "mass", d.mass);
    flx_put_value(&k, "force", d.force);
    return flx_item_end(&k);
}

int flx_model_add_state(flx_model *m, const char *name, const flx_state_def *def)
{
    flx_item_maker k;
    flx_state_def d;
    FLX_BEGIN_ITEM(&k, m, "equations.first_order", name, def, d);
    flx_put_value(&k, "at", d.initial);
    flx_put_value(&k, "mass", d.mass);
    flx_put_value(&k, "derivative", d.derivative);
    return flx_item_end(&k);
}

int flx_model_add_constraint(flx_model *m, const char *name, const flx_constraint_def *def)
{
    flx_item_maker k;
    flx_constraint_def d;
    FLX_BEGIN_ITEM(&k, m, "equations.constraints", name, def, d);
    flx_put_value(&k, "value", d.value);
    flx_put_value(&k, "compliance", d.compliance);
    flx_put_flag(&k, "one_sided", d.one_sided);
    flx_put_value(&k, "restitution", d.restitution);
    flx_entry *outer = flx_put_begin(&k);
    flx_put_value(&k, "coefficient", d.friction);
    flx_put_value(&k, "static", d.static_friction);
    flx_put_value(&k, "along", d.along);
    flx_put_end(&k, "friction", outer);
    return flx_item_end(&k);
}

// ---- events, signals, functions --------------------------------------------------------------------

static void put_settings(flx_item_maker *k, int n, const flx_named_value *set)
{
    if (!flx_item_has_array(k, "set", n, set)) return;
    flx_entry *outer = flx_put_begin(k);
    for (int i = 0; i < n && k->status == FLX_OK; i++) {
        if (!set[i].name) flx_item_refuse(k, "set", "value %d has no name", i);
        bool given = flx_is_given(set[i].value);
        flx_put_value(k, set[i].name ? set[i].name : "",
                      given ? set[i].value : (flx_value){0, "0"});
    }
    flx_put_end(k, "set", outer);
}

int flx_model_add_event(flx_model *m, const char *name, const flx_event_def *def)
{
    flx_item_maker k;
    flx_event_def d;
    FLX_BEGIN_ITEM(&k, m, "events", name, def, d);
    flx_put_text(&k, "when", d.when);
    flx_put_value(&k, "every", d.every);
    flx_put_value(&k, "start", d.start);
    put_settings(&k, d.nset, d.set);
    flx_put_flag(&k, "stop", d.stop);
    return flx_item_end(&k);
}

int flx_model_add_signal(flx_model *m, const char *name, const char *text)
{
    return add_expression(m, "signals", name, text);
}

int flx_model_add_metric(flx_model *m, const char *name, const char *text)
{
    return add_expression(m, "outputs.metrics", name, text);
}

int flx_model_add_output(flx_model *m, const char *name, const char *text)
{
    flx_item_maker k;
    flx_item_begin(&k, m, "outputs.signals", name);
    const flx_entry *list = k.status == FLX_OK ? flx_path_find(m, "outputs.signals") : NULL;
    if (list && list->kind != FLX_ENTRY_LIST) {
        flx_item_refuse(&k, NULL, "'outputs.signals' is no list in this model");
    }
    if (k.status != FLX_OK) return k.status;
    if (text) {
        int id = add_expression(m, "signals", name, text);
        if (id < 0) return id;
    }
    char path[64];
    int n = list ? list->count : 0;
    flx_snprintf(path, sizeof path, "outputs.signals[%d]", n);
    FLX_TRY(flx_path_put(m, path, flx_path_scalar(m, (flx_value){0, name})));
    return n;
}

int flx_model_add_function(flx_model *m, const char *name, const flx_function_def *def)
{
    flx_item_maker k;
    flx_function_def d;
    FLX_BEGIN_ITEM(&k, m, "functions", name, def, d);
    flx_put_texts(&k, "of", d.narg, d.args);
    flx_put_vector(&k, "value", &d.value);
    flx_put_pairs(&k, "points", d.npoint, d.x, d.y);
    flx_put_text(&k, "file", d.file);
    if (d.columns[0] || d.columns[1]) flx_put_texts(&k, "columns", 2, d.columns);
    flx_put_text(&k, "interpolation", d.interpolation);
    flx_put_text(&k, "extrapolation", d.extrapolation);
    return flx_item_end(&k);
}
