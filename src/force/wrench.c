// wrench.c - force and torque as vectors of ground axes, on the second body, and oppositely on the first.
#include "force/force_kind.h"

static const flx_force_signal signals[] = {{"value", NULL}, {"power", "W"}, {0}};

const flx_force_kind flx_force_wrench = {
    .word = "force", .symbol = "force", .signals = signals, .links = true, .wrench = true};
