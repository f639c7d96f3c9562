// study_page.h - flexion view of a study folder.
#pragma once

#include "cli/cli.h"

bool study_page_is_folder(const char *path);
// The page of a study, whole or under way. EXIT_DONE, or the exit status; what was wrong has been said.
int study_page_write(flx_ctx *ctx, const char *folder, const char *path);
