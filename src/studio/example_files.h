// example_files.h - files that an example of the gallery needs beside itself (page_template.h), and where they go.
#pragma once

#include "flexion/flexion.h"

// Writes those of the example beside the file at `path`, in folders of their own where their names have some. What is there
// already stays: FLX_ERR_IO, and nothing is written, where it is another file.
flx_status flx_example_files_write(flx_ctx *ctx, const char *example, const char *path);
