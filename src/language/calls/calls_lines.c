// calls_lines.c - calls that add cables, muscles, tyres and segments of the human body.
#include "base/refuse.h"
#include "language/calls/calls.h"

// Names of points, or places of the ground as texts.
static void put_through(flx_item_maker *k, int n, const char *const *through)
{
    if (n < 2 || !through) flx_item_refuse(k, "through", "a line goes through two places or more");
    if (k->status == FLX_OK) flx_put_texts(k, "through", n, through);
}

int flx_model_add_cable(flx_model *m, const char *name, const flx_cable_def *def)
{
    flx_item_maker k;
    flx_cable_def d;
    FLX_BEGIN_ITEM(&k, m, "forces", name, def, d);
    flx_put_text(&k, "type", "cable");
    put_through(&k, d.nplace, d.through);
    flx_put_value(&k, "stiffness", d.stiffness);
    flx_put_value(&k, "exponent", d.exponent);
    flx_put_value(&k, "damping", d.damping);
    flx_put_value(&k, "length", d.length);
    return flx_item_end(&k);
}

int flx_model_add_muscle(flx_model *m, const char *name, const flx_muscle_def *def)
{
    flx_item_maker k;
    flx_muscle_def d;
    FLX_BEGIN_ITEM(&k, m, "forces", name, def, d);
    flx_put_text(&k, "type", "muscle");
    put_through(&k, d.nplace, d.through);
    flx_put_value(&k, "force", d.force);
    flx_put_value(&k, "fibre", d.fibre);
    flx_put_value(&k, "tendon", d.tendon);
    flx_put_value(&k, "excitation", d.excitation);
    flx_put_value(&k, "activation", d.activation);
    flx_put_value(&k, "pennation", d.pennation);
    flx_put_value(&k, "speed", d.speed);
    flx_put_value(&k, "rise", d.rise);
    flx_put_value(&k, "decay", d.decay);
    return flx_item_end(&k);
}

static void put_curve(flx_item_maker *k, const char *key, const flx_tyre_curve *c)
{
    flx_entry *outer = flx_put_begin(k);
    flx_put_value(k, "B", c->B);
    flx_put_value(k, "C", c->C);
    flx_put_value(k, "D", c->D);
    flx_put_value(k, "E", c->E);
    flx_put_end(k, key, outer);
}

int flx_model_add_tyre(flx_model *m, const char *name, const flx_tyre_def *def)
{
    if (!m) return flx_refuse_null(NULL, __func__);
    flx_item_maker k;
    flx_tyre_def d;
    FLX_BEGIN_ITEM(&k, m, "forces", name, def, d);
    const int on[2] = {FLX_GROUND, d.wheel};
    flx_put_text(&k, "type", "tyre");
    flx_put_items(&k, "on", 2, on, "bodies");
    flx_put_vector(&k, "at", &d.at);
    flx_put_vector(&k, "axis", &d.axis);
    flx_entry *outer = flx_put_begin(&k);
    flx_put_value(&k, "level", d.level);
    flx_put_text(&k, "profile", d.profile);
    flx_put_text(&k, "heights", d.heights);
    flx_put_end(&k, "road", outer);
    flx_put_value(&k, "radius", d.radius);
    flx_put_value(&k, "rolling_radius", d.rolling_radius);
    flx_put_value(&k, "stiffness", d.stiffness);
    flx_put_value(&k, "damping", d.damping);
    flx_put_text(&k, "law", d.law);
    flx_put_value(&k, "slip_stiffness", d.slip_stiffness);
    flx_put_value(&k, "cornering_stiffness", d.cornering_stiffness);
    flx_put_value(&k, "friction", d.friction);
    put_curve(&k, "longitudinal", &d.longitudinal);
    put_curve(&k, "lateral", &d.lateral);
    bool both = flx_is_given(d.relaxation[1]);
    if (both) flx_put_values(&k, "relaxation", 2, d.relaxation);
    if (!both) flx_put_value(&k, "relaxation", d.relaxation[0]);
    flx_put_value(&k, "trail", d.trail);
    flx_put_value(&k, "low_speed_damping", d.low_speed_damping);
    flx_put_value(&k, "low_speed", d.low_speed);
    return flx_item_end(&k);
}

int flx_model_add_segment(flx_model *m, const char *name, const flx_segment_def *def)
{
    flx_item_maker k;
    flx_segment_def d;
    FLX_BEGIN_ITEM(&k, m, "bodies", name, def, d);
    flx_put_text(&k, "type", "rigid");
    flx_entry *outer = flx_put_begin(&k);
    flx_put_text(&k, "name", d.segment);
    flx_put_text(&k, "table", d.table);
    flx_put_value(&k, "body_mass", d.body_mass);
    flx_put_value(&k, "length", d.length);
    flx_put_value(&k, "stature", d.stature);
    flx_put_end(&k, "segment", outer);
    flx_put_vector(&k, "position", &d.position);
    flx_put_orientation(&k, "orientation", &d.orientation);
    return flx_item_end(&k);
}
