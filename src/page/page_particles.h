// page_particles.h - particles of a result in a page.
#pragma once

#include "base/text.h"
#include "flexion/extend/sink_table.h"

// The entry "particles" of the header, and the numbers: of each frame that is kept x, y, z, radii, speeds, two bytes each. part: of the most that
// a page has; frames and particles beyond are left out, and the header says of how many.
flx_status flx_page_particles_put(flx_result *r, double part, flx_text *header, flx_text *numbers);
