// study_page.h - flexion view of a study folder.
#pragma once

#include "cli/sweep/study_play.h"

bool study_page_is_folder(const char *path);
// The page of a study, whole or under way. EXIT_DONE, or the exit status; what was wrong has been said.
int study_page_write(flx_ctx *ctx, const study_play *p);
