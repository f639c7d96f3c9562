// contact.c - touch of two surfaces: how it is written, and its signals. Surfaces and laws: src/contact; in a system:
// descriptor/terms/term_contact.c.
#include "force/force_kind.h"

static const flx_key_row keys[] = {
    {.key = "on",
     .form = "[name;2]",
     .doc = "First and second: bodies, or nodes and points that carry the surfaces."},
    {.key = "among",
     .form = "[name;1..]",
     .doc = "Instead of `on`: every two of these bodies may touch, each by its `surface`; the bare "
            "name of a repeated body means all of them."},
    {.key = "surfaces",
     .form = "[{surface};2]",
     .initial = "those of the bodies",
     .doc = "With `on`: the surface of the first and of the second."},
    {.key = "ground",
     .form = "{surface} | [{surface};1..]",
     .initial = "a plane through the origin against gravity, without gravity along z (planar: y)",
     .doc = "The ground's surface where the bodies' own ones are asked for."},
    {.key = "law", .form = "word", .needed = true, .doc = "Law of the normal force."},
    {.key = "stiffness",
     .form = "number",
     .unit = "N/m^exponent",
     .doc = "Force per depth to the `exponent`."},
    {.key = "material",
     .form = "{contact_material} | [{contact_material};2]",
     .doc = "Instead of `stiffness`: Hertz's, from the materials of both, or of the first and the "
            "second, and the radii of the surfaces."},
    {.key = "exponent",
     .form = "number",
     .initial = "1.5; penalty: 1",
     .doc = "Of the depth; at least 1."},
    {.key = "damping",
     .form = "number",
     .unit = "s/m; penalty: N s/m^(1 + damping_exponent); mindlin: 1",
     .doc = "Of hunt-crossley, penalty and mindlin (ratio beta)."},
    {.key = "damping_exponent",
     .form = "number",
     .initial = "0",
     .doc = "Of penalty: of the depth in its damping."},
    {.key = "damping_on", .form = "word", .initial = "both", .doc = "Of penalty: when it damps."},
    {.key = "pull",
     .form = "bool",
     .initial = "false",
     .doc = "Of penalty: spring and damper may pull until the surfaces part; else the force ends "
            "where it would become a pull."},
    {.key = "restitution",
     .form = "number",
     .initial = "of law restitution 0",
     .doc = "Rate after an impact over the rate before. Of a compliant law its damping is found "
            "from it, for the speed at which the surfaces met."},
    {.key = "friction",
     .form = "number | {contact_friction}",
     .initial = "0",
     .doc = "Coefficient of dry friction, which sticks and slides as it is, or more of it."},
    {.key = "connected",
     .form = "bool",
     .initial = "false",
     .doc = "Also between bodies that a joint ties."},
    {.key = "self",
     .form = "bool",
     .initial = "false",
     .doc = "The lines of beams touch themselves, too: parts that are farther from each other along "
            "the line than pi times its radius and an element."},
    {.key = "form",
     .form = "word",
     .initial = "plain",
     .doc = "Of compliant laws: whether normal forces are unknowns. `auto`: where the law is too "
            "stiff for the steps at the depth of the weight or of the first impact."},
    {0}};

static const flx_rule_row rules[] = {{FLX_RULE_ONE, "on among"},
                                     {FLX_RULE_WITH, "surfaces on"},
                                     {FLX_RULE_MOST_ONE, "stiffness material"},
                                     {FLX_RULE_MOST_ONE, "damping restitution"},
                                     {0}};

static const flx_force_signal signals[] = {{"value", "N"},
                                           {"gap", "m"},
                                           {"penetration", "m"},
                                           {"force", "N"},
                                           {"friction", "N"},
                                           {"slip", "m/s"},
                                           {"place", "m"},
                                           {"state", ""},
                                           {"contacts", ""},
                                           {"impulse", "N s"},
                                           {"count", ""},
                                           {"power", "W"},
                                           {0}};

const flx_force_kind flx_force_contact = {
    .word = "contact", .mixed = "contact, mixed", .signals = signals, .contact = true};

const flx_force_word flx_word_contact = {
    .row = {.word = "contact",
            .dimensions = "23",
            .doc = "touch of two surfaces, or of many bodies with each other",
            .example = "C: {type: contact, on: [floor, ball], surfaces: [{plane: [0, 0, 1]}, "
                       "{sphere: 0.1}], law: hunt-crossley, stiffness: 1e5, restitution: 0.7}",
            .keys = keys,
            .rules = rules},
    .kind = &flx_force_contact,
    .at = FLX_AT_SURFACES,
    .law = FLX_LAW_CONTACT,
    .unit = "N"};
