// gif.h - films as GIF files.
#pragma once

#include "base/common.h"

#include <stdio.h>

typedef struct flx_gif flx_gif;

// The file is borrowed; `delay` in hundredths of a second.
flx_status flx_gif_create(flx_ctx *ctx, FILE *file, int width, int height, int delay, flx_gif **g);
// A picture, (height, width, 3): what differs from the one before it is written. Up to 256 colours each.
flx_status flx_gif_add(flx_gif *g, const unsigned char *pixels);
// Ends the file and frees.
void flx_gif_destroy(flx_gif **g);
