// contact.c - touch of two surfaces: read and checked, and not computed yet.
#include "force/force_kind.h"

static const flx_key_row keys[] = {
    FLX_FORCE_ROW_ON_TWO,
    {.key = "surfaces", .form = "[{surface};2]", .needed = true, .doc = "A surface of each body."},
    {.key = "law", .form = "word", .needed = true, .doc = "Law of the normal force."},
    {.key = "stiffness", .form = "number", .doc = "Of the law."},
    {.key = "damping", .form = "number", .initial = "0", .doc = "Of the law."},
    {.key = "exponent", .form = "number", .initial = "1.5", .doc = "Of the depth."},
    {.key = "restitution", .form = "number", .doc = "Rate after the impact over the rate before."},
    {.key = "friction", .form = "number", .initial = "0", .doc = "Coefficient of dry friction."},
    FLX_FORCE_ROW_FORM,
    {0}};

static const flx_force_signal signals[] = {
    {"value", "N"}, {"penetration", "m"}, {"impulse", "N s"}, {"power", "W"}, {0}};

static const flx_force_kind kind = {.word = "contact", .signals = signals};

const flx_force_word flx_word_contact = {
    .row = {.word = "contact",
            .dimensions = "23",
            .later = true,
            .doc = "touch of two surfaces",
            .example = "C: {type: contact, on: [ball, floor], surfaces: [{sphere: 0.1}, {plane: "
                       "[0, 0, 1]}], law: hunt-crossley, stiffness: 1e5, damping: 0.3, exponent: "
                       "1.5}",
            .keys = keys},
    .kind = &kind};
