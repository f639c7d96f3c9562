// completion_words.h - what may stand behind a command, as its help says.
#pragma once

#include "cli/cli.h"

// All are printed between `before` and `after`, once each.
void cli_put_options(const cli_command *c, const char *before, const char *after);
// Words that come first, as 'static' of 'flexion fe static MODEL'. How many there are; before NULL: they are counted alone.
int cli_put_actions(const cli_command *c, const char *before, const char *after);
void cli_put_methods(const char *before, const char *after);
